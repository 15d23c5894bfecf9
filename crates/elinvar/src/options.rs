//! How a problem is to be checked.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use elinvar_check::SmtSolver;
use elinvar_engines::cfg::CfgOptions;
use elinvar_engines::schedule::Schedule;
use elinvar_engines::{Choice, Event};
use elinvar_ir::{Goal, PdrState, PropertyId, Verdict};

use crate::store::Store;

/// The options of a check. The defaults suit most problems.
///
/// ```
/// use std::time::Duration;
/// let options = elinvar::Options {
///     timeout: Some(Duration::from_secs(60)),
///     ..elinvar::Options::default()
/// };
/// assert_eq!(options.seed, 0);
/// ```
#[derive(Clone, Default)]
pub struct Options {
    /// What decides the properties.
    pub method: Method,
    /// Only these properties, by their names, numbers, or patterns for names such as `u0.*`;
    /// all if there is none.
    pub properties: Vec<String>,
    /// Only assertions, or only cover statements; both if there is none.
    pub goal: Option<Goal>,
    /// The time after which engines stop. The check of evidence may take a tenth of it
    /// longer, and at least one second.
    pub timeout: Option<Duration>,
    /// Engines stop when the process holds more than this many bytes.
    pub memory: Option<u64>,
    /// The seed of random choices.
    pub seed: u64,
    /// Remove clauses from inductive invariants that the proof does not need.
    pub minimize: bool,
    /// Whether counterexamples are made shorter.
    pub shortening: Shortening,
    /// Explain the verdicts: see [`crate::PropertyReport::explanation`]. That takes up to two
    /// seconds, or a quarter of the time of the run.
    pub explain: bool,
    /// Waveforms of counterexamples have some value where any value would do; by default such
    /// bits are unknown.
    pub concrete_waveforms: bool,
    /// What an earlier run on this problem, or on another version of it, has learned.
    pub reuse: Option<Arc<PdrState>>,
    /// Write what the run learns to this file, for later runs: at the end, and every ten
    /// seconds before.
    pub save: Option<PathBuf>,
    /// Where evidence of earlier runs is looked up before engines decide anything, and where
    /// that of this run goes.
    pub store: Option<Arc<Store>>,
    /// Keep what the run learns in [`crate::Report::lemmas`], for later runs, and tell the observer
    /// about it at these intervals.
    pub keep_lemmas: Option<Duration>,
    /// The solvers that check proofs about programs, all of which must accept; Z3 if there
    /// is none.
    pub smt_solvers: Vec<SmtSolver>,
    /// Ends the run from another thread.
    pub cancellation: Cancellation,
    /// Is told what happens during the run.
    pub observer: Option<Observer>,
    /// Is told each verdict on a system as soon as its evidence was accepted, while engines
    /// still work on other properties.
    pub verdicts: Option<VerdictObserver>,
}

/// How long shorter counterexamples are looked for after an engine has found one, by bounded
/// model checking of the transition system.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Shortening {
    /// Not at all.
    Off,
    /// For a short time: at most a tenth of the time so far, or 0.2 seconds.
    #[default]
    Brief,
    /// Until there is none, or a limit of the run is reached.
    Full,
}

/// A function that is called with each event of a run, from the threads of the engines.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// A function that is called once for each property with its confirmed verdict, from the threads
/// of the engines.
pub type VerdictObserver = Arc<dyn Fn(&Confirmed<'_>) + Send + Sync>;

/// A verdict on a property of a system whose evidence was accepted.
#[derive(Clone, Copy, Debug)]
pub struct Confirmed<'a> {
    /// The property.
    pub property: PropertyId,
    /// The verdict with its evidence. A shorter trace or a smaller proof may follow in the report.
    pub verdict: &'a Verdict,
    /// The engine that found it, if one did.
    pub engine: Option<&'static str>,
    /// As in [`crate::PropertyReport::depth`], if it is known.
    pub depth: Option<usize>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("method", &self.method)
            .field("properties", &self.properties)
            .field("timeout", &self.timeout)
            .field("memory", &self.memory)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// The solvers that check proofs about programs.
    pub(crate) fn solvers(&self) -> Vec<SmtSolver> {
        solvers(&self.smt_solvers)
    }
}

/// The solvers that check proofs about programs: Z3 if none is given.
pub(crate) fn solvers(given: &[SmtSolver]) -> Vec<SmtSolver> {
    if given.is_empty() { vec![SmtSolver::default()] } else { given.to_vec() }
}

/// What decides the properties.
#[derive(Clone, Debug, Default)]
pub enum Method {
    /// For systems a schedule of several engines, for programs the engine with frames at
    /// locations.
    #[default]
    Auto,
    /// One engine for transition systems. A program is encoded as a transition system first,
    /// which is possible if all of its values are words.
    System(Choice),
    /// Engines for transition systems that take turns.
    Schedule(Schedule),
    /// So many engines for transition systems at the same time.
    Race(usize),
    /// The engine for programs.
    Program(CfgOptions),
}

impl Method {
    /// The name of the engine in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::System(choice) => choice.build().name(),
            Method::Schedule(schedule) => schedule.name,
            Method::Race(_) => "portfolio",
            Method::Program(_) => "cfg",
        }
    }
}

/// Ends a run from outside. Clones belong to the same run.
///
/// ```
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let options = elinvar::Options::default();
/// options.cancellation.cancel();
/// let report = elinvar::check(&problem, &options)?;
/// assert_eq!(report.summary(), elinvar::Summary::Unknown);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    flag: Arc<AtomicBool>,
    at: Arc<Mutex<Option<Instant>>>,
}

impl Cancellation {
    /// Asks the run to end. Returns false if it was asked before.
    pub fn cancel(&self) -> bool {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.get_or_insert_with(Instant::now);
        !self.flag.swap(true, Ordering::Relaxed)
    }

    /// Was the run asked to end?
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    pub(crate) fn time(&self) -> Option<Instant> {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
