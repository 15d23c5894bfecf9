//! The other commands: `convert`, `simulate`, `stats`, `verify`, and the command line itself.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use elinvar::convert::{ConvertOptions, Target};
use elinvar::ir::{self, TransitionSystem};
use elinvar::sizes::Sizes;
use elinvar::{Judgement, SmtSolver, Source, VerifyOptions, stimulus};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::problem::{Problem, seconds};
use crate::trace::Trace;
use crate::values::from_python;
use crate::wait::wait;

/// Runs the command line with these words, the first of which is the name of the program.
#[pyfunction]
pub fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| elinvar_cli::main(words))
}

/// The problem in another format, which an extension names.
#[pyfunction]
#[pyo3(signature = (problem, extension, *, property=None, values=vec![], memory_limit=1 << 16, bound=10))]
pub fn convert<'py>(
    py: Python<'py>,
    problem: &Bound<'py, Problem>,
    extension: &str,
    property: Option<String>,
    values: Vec<(String, u64)>,
    memory_limit: u64,
    bound: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let target = match Target::of_extension(extension) {
        Some(target) => target,
        None => {
            let known: Vec<&str> = elinvar::convert::writable().map(|(name, _)| name).collect();
            let message = format!("unknown format {extension}; it is one of {}", known.join(", "));
            return Err(errors::usage(py, message));
        }
    };
    let options = ConvertOptions { property, set: values, memory_limit, bound };
    let question = problem.get().question.clone();
    let bytes = wait(py, &elinvar::Cancellation::default(), None, move |_| {
        elinvar::convert::convert(&question, target, &options)
    })?;
    Ok(PyBytes::new(py, &bytes.map_err(|error| errors::exception(py, &error))?))
}

/// The sizes of a model as one JSON object.
#[pyfunction]
pub fn stats(py: Python<'_>, problem: &Bound<'_, Problem>) -> PyResult<String> {
    Ok(Sizes::of(&problem.get().system(py)?).to_json().to_string())
}

/// Runs a system on given and otherwise random values.
#[pyfunction]
#[pyo3(signature = (problem, cycles, seed, inputs, initial))]
pub fn simulate(
    py: Python<'_>,
    problem: &Bound<'_, Problem>,
    cycles: usize,
    seed: u64,
    inputs: HashMap<String, Vec<Bound<'_, PyAny>>>,
    initial: HashMap<String, Bound<'_, PyAny>>,
) -> PyResult<Trace> {
    let problem = problem.get().system(py)?;
    let system = problem.system();
    let mut trace = stimulus::random(system, cycles, seed);
    for (name, values) in &inputs {
        drive(py, system, &mut trace, name, values)?;
    }
    for (name, value) in &initial {
        let state = (0..system.states().len()).find(|&index| system.state_name(index) == *name);
        let state = state.ok_or_else(|| unknown(py, "state", name))?;
        let sort = system.pool().sort(system.states()[state].symbol);
        if system.states()[state].init.is_some() {
            let message = format!("the system defines the initial value of {name}");
            return Err(errors::usage(py, message));
        }
        trace.initial[state] = from_python(value, sort)?;
    }
    Ok(Trace { problem, trace, is_counterexample: false })
}

/// Sets the values of an input, or of a state without a next value, from the first cycle on. The
/// initial value of such a state is set as that of other states.
fn drive(
    py: Python<'_>,
    system: &TransitionSystem,
    trace: &mut ir::Trace,
    name: &str,
    values: &[Bound<'_, PyAny>],
) -> PyResult<()> {
    let cycles = trace.steps.len();
    if values.len() > cycles {
        let message = format!("{name} has {} values, but there are {cycles} cycles", values.len());
        return Err(errors::usage(py, message));
    }
    let input = (0..system.inputs().len()).find(|&index| system.input_name(index) == name);
    let input = input.ok_or_else(|| unknown(py, "input", name))?;
    let sort = system.pool().sort(system.inputs()[input].symbol);
    for (step, value) in trace.steps.iter_mut().zip(values) {
        step.inputs.set(input, from_python(value, sort)?);
    }
    Ok(())
}

fn unknown(py: Python<'_>, what: &str, name: &str) -> PyErr {
    errors::usage(py, format!("the system has no {what} {name}"))
}

/// Checks evidence about a problem, whoever made it: `accepted`, `refused` or `stopped`, and what
/// it shows or what is wrong.
#[pyfunction]
#[pyo3(signature = (problem, name, evidence, *, property=None, timeout=None, memory=None, z3=None))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub fn verify(
    py: Python<'_>,
    problem: &Bound<'_, Problem>,
    name: &str,
    evidence: Vec<u8>,
    property: Option<String>,
    timeout: Option<f64>,
    memory: Option<u64>,
    z3: Option<PathBuf>,
) -> PyResult<(&'static str, String)> {
    let model = problem.get().text(py)?;
    let evidence = Arc::new(Source::new(name, evidence));
    let solver = |z3: PathBuf| SmtSolver {
        command: vec![z3.to_string_lossy().into_owned(), "-in".into(), "-smt2".into()],
    };
    let options = VerifyOptions {
        property,
        timeout: timeout.map(|timeout| seconds(py, timeout)).transpose()?,
        memory,
        smt_solvers: z3.map(solver).into_iter().collect(),
        ..VerifyOptions::default()
    };
    let cancellation = options.cancellation.clone();
    let judgement =
        wait(py, &cancellation, None, move |_| elinvar::verify(&model, &evidence, &options))?;
    match judgement.map_err(|error| errors::exception(py, &error))? {
        Judgement::Accepted(text) => Ok(("accepted", text)),
        Judgement::Refused(text) => Ok(("refused", text)),
        Judgement::Stopped(text) => Ok(("stopped", text)),
    }
}
