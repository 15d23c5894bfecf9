//! An incremental SAT solver made for property directed reachability: millions of
//! small queries over one large definition of a transition relation.
//!
//! Three ideas set it apart from a general solver.
//!
//! * **Layers.** All frames of a trace live in one solver. Each clause has a
//!   [`Layer`]; a query at a layer sees the clauses of that layer and of the later
//!   ones, and a learnt clause belongs to the least layer that it was derived
//!   from. There are no activation literals, what is learnt about the transition
//!   relation serves every frame, and a lemma is pushed by changing a number.
//! * **Domains** [Su, Yang, Ci, Bu, Huang: The rIC3 Hardware Model Checker, CAV
//!   2025]. A query decides and propagates only in the fan-in of what it speaks
//!   of. Variables that occur only in lemmas need not be decided at all: they stay
//!   at the values of one initial state, which satisfies every lemma, until the
//!   decided part violates a lemma under these values. Then the variables of that
//!   lemma join the domain.
//! * **Temporary clauses** go, with all that was learnt from them, when the query
//!   ends, so that nothing accumulates.
//!
//! The rest is the craft of MiniSat and its successors.
//!
//! ```
//! use elinvar_sat::{Answer, Layer, Query, Scope, Solver};
//!
//! let mut solver: Solver = Solver::new();
//! let [a, b] = [(); 2].map(|()| solver.new_var().positive());
//! solver.add_clause(&[!a, b]);
//! solver.add_lemma(&[!b], Layer::level(1));
//! let mut refuted = |level| {
//!     let query = Query {
//!         layer: Layer::level(level),
//!         assumptions: &[a],
//!         temporary: &[],
//!         scope: Scope::All,
//!         conflicts: None,
//!     };
//!     matches!(solver.solve(&query), Answer::Unsat(_))
//! };
//! assert!(refuted(0) && refuted(1) && !refuted(2));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod analyze;
mod arena;
mod check;
mod clauses;
mod domain;
mod literal;
mod order;
mod proof;
mod propagate;
mod query;
mod record;
mod search;
mod solver;
mod units;
mod watch;

pub use arena::{ClauseRef, Layer};
pub use check::{ProofError, check};
pub use clauses::LemmaId;
pub use literal::{Lit, Var};
pub use proof::{Log, NoProof, Proof, StepId};
pub use query::{Answer, Core, Model, Query, Scope};
pub use solver::{Solver, Statistics};
