//! Engines that learn from refutations of bounded paths.
//!
//! `paths` asks for paths to a bad state and keeps the proof that there is none; the
//! interpolants of that proof (`elinvar_logic::interpolation`) are what each engine
//! makes its frames of:
//!
//! - [`avy`] turns them into clauses of one trace that it shares with property directed
//!   reachability [Vizel, Gurfinkel: Interpolating Property Directed Reachability, CAV
//!   2014];

pub mod avy;
mod convert;
mod core;
mod paths;
mod statistics;

pub use elinvar_logic::interpolation::System;
pub use statistics::InterpolationStatistics;
