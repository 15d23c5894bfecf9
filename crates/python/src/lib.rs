//! The private extension module `elinvar._elinvar` of the Python package.
//!
//! It translates: Python values become options of the library, and reports, traces and errors of
//! the library become Python values. What is natural in Python (operators, rendering, tables) is
//! written in Python, in `python/elinvar`; `_elinvar.pyi` states the types of this module.
//!
//! Long work runs in a thread of its own, without the global interpreter lock (`wait.rs`), so that
//! other Python threads go on and an interrupt ends it.
#![forbid(unsafe_code)]

mod builder;
mod check;
mod errors;
mod lemmas;
mod optimum;
mod problem;
mod report;
mod tools;
mod trace;
mod values;
mod wait;

use pyo3::prelude::*;

#[pymodule]
mod _elinvar {
    #[pymodule_export]
    use crate::builder::{Builder, Node};
    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::lemmas::Lemmas;
    #[pymodule_export]
    use crate::optimum::{Optimum, optimum};
    #[pymodule_export]
    use crate::problem::{Problem, load, load_design};
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::tools::{convert, main, simulate, stats, verify};
    #[pymodule_export]
    use crate::trace::Trace;

    /// The version of Elinvar.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
