//! Models, programs and designs, and reading them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use elinvar::formats::btor2;
use elinvar::rtl::Design;
use elinvar::{
    Cancellation, Error, Options, Problem as Question, Session, Source, SystemProblem, maps_beside,
};
use pyo3::prelude::*;

use crate::errors;
use crate::wait::wait;

/// The name of a property, its kind, and its file and line if they are known.
type Property = (String, &'static str, Option<(String, usize)>);

/// A model or a program that can be checked.
#[pyclass(frozen, module = "elinvar._elinvar")]
pub struct Problem {
    pub question: Question,
    /// The text that it was read from; none if it was built.
    pub source: Option<Arc<Source>>,
    #[pyo3(get)]
    warnings: Vec<String>,
}

impl Problem {
    /// A problem that was not read from a file.
    pub fn built(problem: SystemProblem) -> Self {
        Problem { question: Question::System(problem), source: None, warnings: Vec::new() }
    }

    /// The text of the problem: that of its file, or a model in BTOR2.
    pub fn text(&self, py: Python<'_>) -> PyResult<Arc<Source>> {
        match (&self.source, &self.question) {
            (Some(source), _) => Ok(Arc::clone(source)),
            (None, Question::System(problem)) => {
                let original =
                    problem.original().system().map_err(|error| errors::internal(py, error))?;
                let text = btor2::write(original).map_err(|error| errors::usage(py, error))?;
                Ok(Arc::new(Source::new("model.btor2", text)))
            }
            (None, Question::Program(problem)) => Ok(Arc::new(problem.source().clone())),
        }
    }

    /// The transition system of the problem.
    pub fn system(&self, py: Python<'_>) -> PyResult<SystemProblem> {
        self.question.as_system().map_err(|error| errors::exception(py, &error))
    }
}

#[pymethods]
impl Problem {
    /// Is it a program, and not a transition system?
    #[getter]
    fn is_program(&self) -> bool {
        matches!(self.question, Question::Program(_))
    }

    /// The name of the file that it was read from, if it was.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.source.as_ref().map(|source| source.name())
    }

    /// The properties in their order.
    fn properties(&self) -> Vec<Property> {
        let all = (0..self.question.property_count()).map(elinvar::ir::PropertyId);
        all.map(|id| {
            let place = self.question.location(id).map(|place| (place.file, place.line));
            let kind = self.question.property_kind(id).name();
            (self.question.property_name(id).to_owned(), kind, place)
        })
        .collect()
    }

    /// The same model with formulas of linear temporal logic as further properties.
    fn with_formulas(&self, py: Python<'_>, text: &str) -> PyResult<Self> {
        let problem = self.system(py)?.with_formulas(&Source::new("<ltl>", text));
        let problem = problem.map_err(|error| errors::exception(py, &error))?;
        Ok(Problem { question: Question::System(problem), source: None, warnings: Vec::new() })
    }

    /// The same program as a transition system.
    fn lowered(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Problem::built(self.system(py)?))
    }
}

/// Reads a model or a program: a file, or bytes with a name.
#[pyfunction]
#[pyo3(signature = (path, text=None, *, timeout=None))]
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    text: Option<Vec<u8>>,
    timeout: Option<f64>,
) -> PyResult<Problem> {
    under_limits(py, timeout, move |session| {
        session.read(move || {
            let is_file = text.is_none();
            let source = Arc::new(match text {
                Some(bytes) => Source::new(path.to_string_lossy(), bytes),
                None => Source::read(&path)?,
            });
            let question = Question::from_source(Arc::clone(&source), None)?;
            Ok(match question {
                Question::System(problem) if is_file => named(problem, &path, source),
                question => Problem { question, source: Some(source), warnings: Vec::new() },
            })
        })
    })
}

/// The model with the names of the maps beside it. Those that do not fit are warnings.
fn named(mut problem: SystemProblem, path: &Path, source: Arc<Source>) -> Problem {
    let mut warnings = Vec::new();
    for map in maps_beside(path, problem.model().format()) {
        match problem.with_map(&map) {
            Ok(better) => problem = better,
            Err(error) => warnings.push(error.to_string()),
        }
    }
    Problem { question: Question::System(problem), source: Some(source), warnings }
}

/// Reads a design in Verilog or SystemVerilog with Yosys.
#[pyfunction]
#[pyo3(signature = (sources, *, top=None, defines=vec![], include=vec![], parameters=vec![], yosys=None, timeout=None))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub fn load_design(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    top: Option<String>,
    defines: Vec<String>,
    include: Vec<PathBuf>,
    parameters: Vec<(String, String)>,
    yosys: Option<PathBuf>,
    timeout: Option<f64>,
) -> PyResult<Problem> {
    let design = Design { top, defines, include, parameters, yosys, ..Design::new(sources) };
    under_limits(py, timeout, move |session| {
        let read = session.read_design(design)?;
        let mut warnings = read.notes;
        warnings.extend(read.warnings);
        Ok(Problem { question: read.problem, source: Some(read.source), warnings })
    })
}

/// Reads something under a limit of time, and in a way that an interrupt ends.
fn under_limits<T: Send + 'static>(
    py: Python<'_>,
    timeout: Option<f64>,
    read: impl FnOnce(Session) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let timeout = timeout.map(|timeout| seconds(py, timeout)).transpose()?;
    let options = Options { timeout, ..Options::default() };
    let cancellation: Cancellation = options.cancellation.clone();
    wait(py, &cancellation, None, move |_| Session::start(options).and_then(read))?
        .map_err(|error| errors::exception(py, &error))
}

/// A limit of time.
pub fn seconds(py: Python<'_>, number: f64) -> PyResult<Duration> {
    let wrong = |_| errors::usage(py, format!("{number} is not a number of seconds"));
    Duration::try_from_secs_f64(number).map_err(wrong)
}
