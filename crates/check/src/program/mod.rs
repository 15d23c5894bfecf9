//! The evidence on programs: invariants at locations, and runs.
//!
//! [`run`] replays a run with an evaluator of its own. [`invariants`] proves that
//! invariants at locations keep a program from its error locations (Floyd, "Assigning
//! meanings to programs", 1967): from each location that has one, along all paths to
//! the next such locations. The paths are encoded here anew, as SMT-LIB text for a
//! solver that runs in a separate process; there is no code in common with the
//! engines, nor with their large blocks.
//!
//! Why what is accepted is right, module by module:
//!
//! - `datum`, `word`, `evaluate`: values of operators by SMT-LIB's definitions;
//! - `text`: each operator is SMT-LIB's, and a definition excludes nothing;
//! - `walk`: every path of the program is a model of the encoding;
//! - `invariants`: no cycle is left out, so that induction over the number of visits to
//!   cut points covers all runs;
//! - `smt`: nothing but the word `unsat`, without any complaint, counts.

mod agree;
mod datum;
mod evaluate;
#[cfg(test)]
mod evaluate_tests;
mod invariants;
mod refusal;
mod run;
mod smt;
mod text;
#[cfg(test)]
mod text_tests;
mod walk;
mod word;

pub use agree::agree;
pub use invariants::{excluded, invariants, invariants_with};
pub use refusal::{ProgramRefusal, StepFault};
pub use run::run;
pub use smt::{SmtSolver, SolverProcess};
