//! Interpolants from refutations.
//!
//! Clauses in parts 0, 1, …, n−1 that are unsatisfiable together have a *sequence
//! interpolant* I₁, …, Iₙ₋₁: with I₀ = ⊤ and Iₙ = ⊥, each Iᵢ and part i imply Iᵢ₊₁,
//! and Iᵢ speaks only of variables that occur both before and after its cut [Vizel,
//! Grumberg: Interpolation-Sequence Based Model Checking, FMCAD 2009]. All of it comes
//! from one refutation: [`Refutation`] is the part of a solver's log that its
//! conclusion rests on, [`Sequence`] the interpolants of all cuts, and
//! [`Sequence::check`] holds them against the definition with another solver.

mod check;
mod refutation;
mod sequence;

pub use check::Violation;
pub use refutation::Refutation;
pub use sequence::{Sequence, System};
