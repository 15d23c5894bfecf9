//! Oracles for tests: exhaustive search, and random systems to search.
//!
//! Every engine is compared with [`search`] on systems drawn by [`Generator`].
//! Both are slow and plain on purpose.

mod explicit;
mod numbers;
mod random;

pub use explicit::{Outcome, TooLarge, search};
pub use random::{Generator, Rng, Shape};
