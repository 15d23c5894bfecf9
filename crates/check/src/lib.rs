//! Nothing is believed that is not accepted here.
//!
//! [`replay`] runs a trace with the reference simulator, [`fn@witness`] a trace from a file,
//! whose open values it proves to be arbitrary; [`certificate`] proves an
//! invariant or a k-induction; [`circuit`] proves a witness circuit, by the same
//! conditions as the certificate checker Certifaiger. The proofs go through an
//! encoder of this crate's own and CaDiCaL; there is no code in common with the
//! engines that made the evidence, only the definitions of `elinvar_ir`.
//!
//! What is refused need not be wrong (the budget may be too small), but what is
//! accepted is right. The argument, module by module:
//!
//! - `solver`, `words`: gates are definitions, hence exclude nothing;
//! - `arrays`: the clauses of arrays are true of all arrays;
//! - `encode`: a frame is a function of the frame before and of free symbols;
//! - `certificate`, `circuit`: the conditions checked imply the property;
//! - `renaming`: properties that are the same but for their symbols have the same verdict.
//!
//! ```
//! use elinvar_check::{Budget, Refusal, certificate};
//! use elinvar_ir::{BinaryOp, BitVec, Certificate, Sort, StateBit, SystemBuilder};
//!
//! // A counter by two that must never be seven.
//! let mut b = SystemBuilder::new();
//! let counter = b.state(Sort::Bv(4), Some("counter"))?;
//! let [zero, two, seven] = [0, 2, 7].map(|n| b.pool.constant(BitVec::new(4, n)));
//! b.states[0].init = Some(zero);
//! b.states[0].next = Some(b.pool.binary(BinaryOp::Add, counter, two)?);
//! let bad = b.pool.equal(counter, seven)?;
//! let property = b.bad("seven", bad);
//! let system = b.finish().unwrap();
//!
//! // Because it is even; but not because it is below eight.
//! let invariant = |bit| {
//!     let literal = StateBit { state: counter, bit, positive: false };
//!     Certificate::Inductive { clauses: vec![vec![literal]] }
//! };
//! let budget = Budget::default();
//! assert_eq!(certificate(&system, property, &invariant(0), &budget), Ok(()));
//! let refused = certificate(&system, property, &invariant(3), &budget);
//! assert_eq!(refused, Err(Refusal::Consecution { clause: 0 }));
//! # Ok::<(), elinvar_ir::SortError>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arrays;
mod certificate;
mod circuit;
mod encode;
#[cfg(test)]
mod examples;
pub mod program;
mod refusal;
mod relation;
mod renaming;
mod repetition;
mod replay;
mod solver;
mod support;
mod vacuity;
mod witness;
mod words;

pub use certificate::{certificate, certificate_over, invariants};
pub use circuit::circuit;
pub use program::{ProgramRefusal, SmtSolver};
pub use refusal::Refusal;
pub use renaming::Renaming;
pub use replay::replay;
pub use solver::Budget;
pub use support::{Support, support};
pub use vacuity::{Contradiction, Runs, never_hold, runs};
pub use witness::{Violation, witness};
