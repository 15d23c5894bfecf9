//! The engines: they take a transition system and answer with evidence.
//!
//! Knows nothing of the command line and of files. What an engine claims is
//! checked by others.
#![forbid(unsafe_code)]

mod auto;
pub mod bmc;
pub mod cfg;
mod engine;

pub mod interpolation;
pub mod kinduction;
mod minimize;
pub mod optimum;
pub mod pdr;
mod portfolio;
mod relation;
mod run;
mod simulation;
mod strengthen;
mod unroll;

pub use engine::{Choice, Engine, EngineError};
pub use minimize::minimize;
pub use portfolio::{Failure, Judge, Race, race};
pub use run::{Answer, Event, Run, resident_bytes};
