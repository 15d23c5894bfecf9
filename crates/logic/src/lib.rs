//! From expressions to solvers: and-inverter graphs, word circuits, CNF, solver
//! backends, interpolants, and the theory of arrays by lemmas on demand; and the abstract
//! simulation of words. Knows nothing of engines.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod aig;
pub mod arrays;
pub mod blast;
mod cadical;
mod cnf;
mod core;
pub mod interpolation;
mod sat;
pub mod simulation;
mod watch;
pub mod words;

pub use aig::{Aig, AigLit};
pub use arrays::{ArrayTerm, Arrays};
pub use cadical::Cadical;
pub use cnf::{Cnf, multiplexer};
pub use core::Native;
pub use elinvar_sat::{Lit, Var};
pub use sat::{Answer, Core, Model, SatSolver};
pub use watch::Watch;
