//! Z3 for the terms of programs: incremental solvers with assumptions, cores, models,
//! and a deadline on every query.
//!
//! The library is looked for when the first [`Context`] is made ([`MissingSolver`] says
//! what to install); all code that is not safe Rust is in this crate.
#![warn(missing_docs)]

mod api;
mod context;
mod model;
mod solver;
#[cfg(test)]
mod tests;
mod watchdog;

pub use api::{MissingSolver, declare_static};
pub use context::Context;
pub use model::Model;
pub use solver::{Refuted, Satisfied, SmtAnswer, Solver, Undecided, UnknownReason};
