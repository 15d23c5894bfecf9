//! The bound at which a property begins to fail.

use elinvar::engines::pdr::PdrOptions;
use elinvar::{BoundSearch, Families, FamilyReport, Options, Session};
use pyo3::prelude::*;

use crate::errors;
use crate::problem::{Problem, seconds};
use crate::trace::Trace;
use crate::wait::{Interest, Listener, wait};

/// What a search found.
#[pyclass(frozen, module = "elinvar._elinvar")]
pub struct Optimum(FamilyReport);

#[pymethods]
impl Optimum {
    /// The report as one JSON object.
    fn to_json(&self) -> String {
        self.0.to_json().to_string()
    }

    /// The trace under the tightest bound under which the property fails.
    fn trace(&self) -> Option<Trace> {
        let (_, trace) = self.0.optimum.fails.as_ref()?;
        let system = self.0.families.family().system().clone();
        let problem = elinvar::SystemProblem::new(system);
        Some(Trace { problem, trace: trace.clone(), is_counterexample: true })
    }
}

/// Searches for the bound at which a property begins to fail.
#[pyfunction]
#[pyo3(signature = (problem, parameter, first, last, *, property=None, strategy="binary", timeout=None, memory=None, seed=0, listener=None, all_events=false))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub fn optimum(
    py: Python<'_>,
    problem: &Bound<'_, Problem>,
    parameter: &str,
    first: u64,
    last: u64,
    property: Option<&str>,
    strategy: &str,
    timeout: Option<f64>,
    memory: Option<u64>,
    seed: u64,
    listener: Option<Py<PyAny>>,
    all_events: bool,
) -> PyResult<Optimum> {
    let search = match strategy {
        "constrain" => BoundSearch::Constrain,
        "relax" => BoundSearch::Relax,
        "binary" => BoundSearch::Binary,
        "naive" => BoundSearch::Naive,
        other => return Err(errors::usage(py, format!("unknown strategy: {other}"))),
    };
    if first > last {
        return Err(errors::usage(py, "the range is empty"));
    }
    let raise = |error| errors::exception(py, &error);
    let problem = problem.get();
    let chosen = problem.question.select(property.map(str::to_owned).as_slice()).map_err(raise)?;
    let [property] = chosen[..] else {
        return Err(errors::usage(py, "the search is about one property; choose it by property="));
    };
    let families =
        Families::new(&problem.system(py)?, parameter, property, first..=last).map_err(raise)?;
    let timeout = timeout.map(|timeout| seconds(py, timeout)).transpose()?;
    let options = Options { timeout, memory, seed, ..Options::default() };
    let cancellation = options.cancellation.clone();
    let interest = if all_events { Interest::All } else { Interest::Progress };
    let listener = listener.map(|function| Listener { function, interest });
    let report = wait(py, &cancellation, listener.as_ref(), move |observer| {
        let session = Session::start(Options { observer, ..options })?;
        session.optimum(&families, search, PdrOptions::default())
    })?;
    Ok(Optimum(report.map_err(raise)?))
}
