//! Engines that learn from refutations of bounded paths.
//!
//! `paths` asks for paths to a bad state and keeps the proof that there is none; the
//! interpolants of that proof (`elinvar_logic::interpolation`) are what each engine
//! makes its frames of:
//!
//! - [`itp`] joins one interpolant after another to the initial states [McMillan:
//!   Interpolation and SAT-Based Model Checking, CAV 2003];
//! - [`imc`] makes a trace of those of a whole path [Vizel, Grumberg:
//!   Interpolation-Sequence Based Model Checking, FMCAD 2009];
//! - [`avy`] turns them into clauses of one trace that it shares with property directed
//!   reachability [Vizel, Gurfinkel: Interpolating Property Directed Reachability, CAV
//!   2014].

pub mod avy;
mod convert;
mod core;
pub mod imc;
mod interpolants;
pub mod itp;
mod paths;
mod reached;
mod statistics;

pub use elinvar_logic::interpolation::System;
pub use reached::InterpolationOptions;
pub use statistics::InterpolationStatistics;
