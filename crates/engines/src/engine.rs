//! The interface of all engines, and the closed list of them.

use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_transform::{Lift, PassOptions, Prepared, TransformError, prepare};

use crate::auto::Auto;
use crate::bmc::{Bmc, BmcOptions};
use crate::interpolation::InterpolationOptions;
use crate::interpolation::avy::{Avy, AvyOptions};
use crate::interpolation::imc::Imc;
use crate::interpolation::itp::Itp;
use crate::kinduction::{KInduction, KInductionOptions};
use crate::pdr::{Pdr, PdrOptions, Words, WordsOptions};
use crate::run::{Event, Run};

/// An engine decides safety properties with evidence about the system it was given.
pub trait Engine {
    fn name(&self) -> &'static str;

    /// One verdict for each of `properties`, in that order. All properties are
    /// handled in one run; when the run is stopped, those that are still open are
    /// `Unknown` with the reason.
    fn check(
        &mut self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError>;
}

/// Why an engine could not work at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The model is larger than the engine can represent.
    #[error("{0}")]
    TooLarge(String),
    /// The run was stopped before there was anything to work on.
    #[error("{0}")]
    Stopped(StopReason),
    /// A property of the wrong kind was asked for.
    #[error("property {0} is not a safety property; only safety is decided")]
    NotSafety(String),
    /// A solver is missing; the text says what to install.
    #[error("{0}")]
    NoSolver(String),
}

/// The verdicts of a run that was stopped before there was anything to work on.
pub(crate) fn unknown(properties: &[PropertyId], reason: &StopReason) -> Vec<Verdict> {
    vec![Verdict::Unknown(reason.clone()); properties.len()]
}

/// Asks an engine on bits about the simplified system, and tells what its answers mean
/// for the system that was given.
pub(crate) fn check_bits(
    system: &TransitionSystem,
    properties: &[PropertyId],
    (passes, memory_limit): (&PassOptions, u64),
    run: &Run,
    check: impl FnOnce(&Prepared) -> Vec<Verdict>,
) -> Result<Vec<Verdict>, EngineError> {
    let prepared = match prepare(system, properties, passes, memory_limit, run) {
        Err(TransformError::Stopped(reason)) => return Ok(unknown(properties, &reason)),
        result => result?,
    };
    run.emit(Event::Passes(prepared.report.clone()));
    Ok(check(&prepared).into_iter().map(|verdict| prepared.lift.verdict(verdict)).collect())
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
            EngineError::TooLarge(_) | EngineError::NotSafety(_) | EngineError::NoSolver(_) => {
                StopReason::Unsupported(self.to_string())
            }
        }
    }
}

/// Why a part of an engine did not finish.
pub(crate) enum Halt {
    Stopped(StopReason),
    Error(EngineError),
}

impl From<EngineError> for Halt {
    fn from(error: EngineError) -> Self {
        Halt::Error(error)
    }
}

/// An engine with its options: what the user chose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Several, one after the other.
    Auto,
    Bmc(BmcOptions),
    KInduction(KInductionOptions),
    Pdr(PdrOptions),
    Avy(AvyOptions),
    Itp(InterpolationOptions),
    Imc(InterpolationOptions),
    Words(WordsOptions),
}

impl Choice {
    pub fn build(&self) -> Box<dyn Engine> {
        match self {
            Choice::Auto => Box::new(Auto { words: true }),
            Choice::Bmc(options) => Box::new(Bmc::new(options.clone())),
            Choice::KInduction(options) => Box::new(KInduction::new(options.clone())),
            Choice::Pdr(options) => Box::new(Pdr::new(options.clone())),
            Choice::Avy(options) => Box::new(Avy::new(options.clone())),
            Choice::Itp(options) => Box::new(Itp::new(options.clone())),
            Choice::Imc(options) => Box::new(Imc::new(options.clone())),
            Choice::Words(options) => Box::new(Words::new(options.clone())),
        }
    }
}
