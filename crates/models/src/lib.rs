//! Models to test with and to measure: families with a parameter, random systems and
//! programs, and oracles that search the states of small ones exhaustively.
//!
//! Every engine is compared with [`search`] or, about liveness, with [`search_loops`] on systems
//! drawn by [`Generator`], and the engines for programs with [`explore`] on programs drawn by
//! [`ProgramGenerator`]. Temporal formulas are compared with their definition on a [`Lasso`]. The
//! oracles are slow and simple on purpose.
#![forbid(unsafe_code)]

mod counter;
pub mod families;
mod oracle;

pub use counter::Counter;
pub use oracle::{
    Bounds, Found, Generator, Lasso, Outcome, ProgramGenerator, ProgramShape, Searched, Shape,
    Sketch, TemporalFormula, TermSample, TooLarge, compare_with_search, dead_cycle, explore,
    random_program_value, reachable, reached, search, search_loops, searched,
};
