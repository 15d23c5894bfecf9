//! Deciding the properties of a problem.

use std::path::PathBuf;
use std::sync::Arc;

use elinvar::ir::Goal;
use elinvar::{Method, Options, Problem as Question, Session, Shortening, SmtSolver, Store};
use elinvar_cli::Deciders;
use pyo3::prelude::*;

use crate::errors;
use crate::lemmas::Lemmas;
use crate::problem::{Problem, seconds};
use crate::report::Report;
use crate::wait::{Interest, Listener, wait};

/// Decides the properties of a problem. `words` are the options of the command line about engines.
#[pyfunction]
#[pyo3(signature = (problem, words, *, properties=vec![], goal=None, timeout=None, memory=None, seed=0, minimize=false, shortest=false, explain=false, reuse=None, keep_lemmas=None, store=None, z3=None, listener=None, all_events=false))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
pub fn check(
    py: Python<'_>,
    problem: Py<Problem>,
    words: Vec<String>,
    properties: Vec<String>,
    goal: Option<&str>,
    timeout: Option<f64>,
    memory: Option<u64>,
    seed: u64,
    minimize: bool,
    shortest: bool,
    explain: bool,
    reuse: Option<PyRef<'_, Lemmas>>,
    keep_lemmas: Option<f64>,
    store: Option<PathBuf>,
    z3: Option<PathBuf>,
    listener: Option<Py<PyAny>>,
    all_events: bool,
) -> PyResult<Report> {
    let question = problem.get().question.clone();
    let needs_lemmas = reuse.is_some() || keep_lemmas.is_some();
    let deciders = deciders(py, &question, &words, needs_lemmas, z3)?;
    let store = store.map(|path| open_store(py, path, &deciders.method)).transpose()?;
    let options = Options {
        method: deciders.method,
        smt_solvers: deciders.smt_solvers,
        properties,
        goal: goal.map(|goal| self::goal(py, goal)).transpose()?,
        timeout: timeout.map(|timeout| seconds(py, timeout)).transpose()?,
        memory,
        seed,
        minimize,
        shortening: if shortest { Shortening::Full } else { Shortening::Brief },
        explain,
        reuse: reuse.map(|lemmas| Arc::clone(&lemmas.0)),
        keep_lemmas: keep_lemmas.map(|every| seconds(py, every)).transpose()?,
        store,
        ..Options::default()
    };
    let interest = if all_events { Interest::All } else { Interest::Progress };
    let listener = listener.map(|function| Listener { function, interest });
    let cancellation = options.cancellation.clone();
    let report = wait(py, &cancellation, listener.as_ref(), move |observer| {
        Session::start(Options { observer, ..options })?.check(&question)
    })?;
    let report = Arc::new(report.map_err(|error| errors::exception(py, &error))?);
    Ok(Report { report, problem })
}

fn open_store(py: Python<'_>, path: PathBuf, method: &Method) -> PyResult<Arc<Store>> {
    if let Method::Program(_) = method {
        let message = "a store applies only to transition systems, not to programs";
        return Err(errors::usage(py, message.to_owned()));
    }
    let store = Store::open(path).map_err(|error| errors::exception(py, &error))?;
    Ok(Arc::new(store))
}

/// What decides the properties. Proofs about programs are checked by this program of Z3.
fn deciders(
    py: Python<'_>,
    question: &Question,
    words: &[String],
    needs_lemmas: bool,
    z3: Option<PathBuf>,
) -> PyResult<Deciders> {
    let is_program = matches!(question, Question::Program(_));
    let words = words.iter().map(String::as_str);
    let mut deciders = Deciders::parse(words, is_program, needs_lemmas)
        .map_err(|error| errors::usage(py, format!("{error:#}")))?;
    if let (Some(z3), true) = (z3, deciders.smt_solvers.is_empty()) {
        let command = vec![z3.to_string_lossy().into_owned(), "-in".into(), "-smt2".into()];
        deciders.smt_solvers.push(SmtSolver { command });
    }
    Ok(deciders)
}

fn goal(py: Python<'_>, name: &str) -> PyResult<Goal> {
    match name {
        "assert" => Ok(Goal::Assert),
        "cover" => Ok(Goal::Cover),
        other => Err(errors::usage(py, format!("a goal is assert or cover, not {other}"))),
    }
}
