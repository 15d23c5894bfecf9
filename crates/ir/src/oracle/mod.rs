//! Oracles for tests: exhaustive search, and random systems to search.
//!
//! Every engine is compared with [`search`] on systems drawn by [`Generator`], and those
//! for programs with [`explore`] on programs drawn by [`ProgramGenerator`]. All are slow
//! and plain on purpose.

mod explicit;
mod explore;
mod numbers;
mod programs;
mod random;
mod sketch;
mod terms;

pub use explicit::{Outcome, TooLarge, search};
pub use explore::{Bounds, Found, explore, reachable};
pub use programs::{ProgramGenerator, ProgramShape};
pub use random::{Generator, Rng, Shape};
pub use sketch::Sketch;
pub use terms::TermSample;
