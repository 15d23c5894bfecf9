//! Readers and writers of the file formats, with diagnostics that point at the
//! offending text. This crate does not depend on engines.
//!
//! Every reader makes one pass over the bytes, never recurses on the depth of
//! an expression, never allocates memory in proportion to a number in the file,
//! and returns a [`Diagnostic`] for bad input instead of panicking.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod aiger;
#[cfg(test)]
mod annotated;
pub mod basm;
pub mod boogie;
pub mod btor;
pub mod btor2;
pub mod certificate;
pub mod dag;
mod diagnostic;
pub mod dot;
mod format;
pub mod horn;
pub mod ltl;
pub mod model;
pub mod names;
mod naming;
mod numbered;
pub mod proof;
mod same;
pub mod smtlib;
pub mod svg;
pub mod waveform;
mod write_error;
pub mod yosys;
#[cfg(test)]
#[path = "../tests/common/z3.rs"]
mod z3;

use diagnostic::counted;
pub use diagnostic::{Diagnostic, Position};
pub use format::{Format, ProblemKind, WriteOptions};
pub use same::same_system;
pub use write_error::WriteError;
