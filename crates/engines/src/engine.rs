//! The interface of all engines, and the closed list of them.

use elinvar_ir::{StopReason, Subject, TransitionSystem};
use elinvar_transform::TransformError;

use crate::bmc::{Bmc, BmcOptions};
use crate::interpolation::InterpolationOptions;
use crate::interpolation::avy::{Avy, AvyOptions};
use crate::interpolation::imc::Imc;
use crate::interpolation::itp::Itp;
use crate::kinduction::{KInduction, KInductionOptions};
use crate::liveness::{Liveness, Method};
use crate::pdr::{Pdr, PdrOptions, Reprove, Words, WordsOptions};
use crate::run::Stopped;
use crate::schedule::Schedule;
use crate::simulation::{Simulation, SimulationOptions};
use crate::task::Task;

/// An engine decides safety properties of a transition system or of a program, with evidence
/// about the subject of its task.
pub trait Engine<S: Subject + 'static = TransitionSystem> {
    /// The name under which verdicts are reported.
    fn name(&self) -> &'static str;

    /// Decides the open properties of the task in one run, and records each verdict with
    /// [`Task::decide`] as soon as it is found. Callers use [`Task::ask`], which notes why
    /// properties stay open.
    ///
    /// # Errors
    /// [`EngineError::Stopped`] when the engine ends although properties are open for which
    /// it has given no reason; the other errors when it could not work at all.
    fn check(&mut self, task: &Task<S>) -> Result<(), EngineError>;
}

/// Implements [`Engine`] for a struct that has the options of an engine, by a function that
/// gets the options and the task.
macro_rules! implement_engine {
    ($engine:ident, $name:expr, $check:path) => {
        implement_engine!($engine, $name, $check, elinvar_ir::TransitionSystem);
    };
    ($engine:ident, $name:expr, $check:path, $subject:ty) => {
        impl crate::engine::Engine<$subject> for $engine {
            fn name(&self) -> &'static str {
                $name
            }

            fn check(
                &mut self,
                task: &crate::task::Task<$subject>,
            ) -> Result<(), crate::engine::EngineError> {
                $check(&self.0, task)
            }
        }
    };
}

pub(crate) use implement_engine;

/// Why an engine ended before everything was decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The model is larger than the engine can represent.
    #[error("{0}")]
    TooLarge(String),
    /// A limit was reached.
    #[error("{0}")]
    Stopped(StopReason),
    /// A property of the wrong kind was asked for.
    #[error("property {0} is not a safety property; only safety is decided")]
    NotSafety(String),
    /// A property of the wrong kind was asked for.
    #[error("property {0} is not a liveness property")]
    NotLiveness(String),
    /// A solver is missing; the text says what to install.
    #[error("{0}")]
    NoSolver(String),
}

impl From<Stopped> for EngineError {
    fn from(Stopped(reason): Stopped) -> Self {
        EngineError::Stopped(reason)
    }
}

impl From<TransformError> for EngineError {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::TooLarge(why) => EngineError::TooLarge(why),
            TransformError::Stopped(reason) => EngineError::Stopped(reason),
            TransformError::NotSafety(name) => EngineError::NotSafety(name),
        }
    }
}

impl EngineError {
    /// Why the properties are unknown.
    pub fn reason(self) -> StopReason {
        match self {
            EngineError::Stopped(reason) => reason,
            EngineError::TooLarge(_)
            | EngineError::NotSafety(_)
            | EngineError::NotLiveness(_)
            | EngineError::NoSolver(_) => StopReason::Unsupported(self.to_string()),
        }
    }
}

/// An engine for transition systems with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Several engines, one after the other: see [`Schedule::auto`].
    Auto,
    /// Bounded model checking.
    Bmc(BmcOptions),
    /// k-induction.
    KInduction(KInductionOptions),
    /// Random simulation.
    Simulation(SimulationOptions),
    /// Property directed reachability on bits.
    Pdr(PdrOptions),
    /// Only what the lemmas of an earlier run prove again.
    Reprove(PdrOptions),
    /// Property directed reachability with interpolants.
    Avy(AvyOptions),
    /// McMillan's interpolation.
    Itp(InterpolationOptions),
    /// Interpolation sequences.
    Imc(InterpolationOptions),
    /// Property directed reachability on words.
    Words(WordsOptions),
    /// Of liveness properties: this method.
    Liveness(Method),
}

impl Choice {
    /// The same engine, which looks at most this many steps ahead if it works by bounds.
    pub(crate) fn with_bound(self, bound: Option<usize>) -> Self {
        match self {
            Choice::Bmc(options) => Choice::Bmc(BmcOptions { bound, ..options }),
            Choice::KInduction(options) => {
                Choice::KInduction(KInductionOptions { bound, ..options })
            }
            other @ (Choice::Auto
            | Choice::Simulation(_)
            | Choice::Pdr(_)
            | Choice::Reprove(_)
            | Choice::Avy(_)
            | Choice::Itp(_)
            | Choice::Imc(_)
            | Choice::Words(_)
            | Choice::Liveness(_)) => other,
        }
    }

    /// The engine, ready to be asked.
    pub fn build(&self) -> Box<dyn Engine> {
        match self {
            Choice::Auto => Box::new(Schedule::auto()),
            Choice::Bmc(options) => Box::new(Bmc(options.clone())),
            Choice::KInduction(options) => Box::new(KInduction(options.clone())),
            Choice::Simulation(options) => Box::new(Simulation(options.clone())),
            Choice::Pdr(options) => Box::new(Pdr(options.clone())),
            Choice::Reprove(options) => Box::new(Reprove(options.clone())),
            Choice::Avy(options) => Box::new(Avy(options.clone())),
            Choice::Itp(options) => Box::new(Itp(options.clone())),
            Choice::Imc(options) => Box::new(Imc(options.clone())),
            Choice::Words(options) => Box::new(Words(options.clone())),
            Choice::Liveness(method) => Box::new(Liveness(method.clone())),
        }
    }
}
