//! The common language of Elinvar: sorts, values, hash-consed expressions,
//! transition systems, traces and certificates, and their reference semantics.
//!
//! This crate depends on neither files nor solvers.
//!
//! ```
//! use elinvar_ir::{BinaryOp, BitVec, Simulator, Sort, SystemBuilder};
//!
//! // A counter that starts at zero and must never reach five.
//! let mut b = SystemBuilder::new();
//! let counter = b.state(Sort::Bv(4), Some("counter"))?;
//! let one = b.pool.constant(BitVec::one(4));
//! let five = b.pool.constant(BitVec::new(4, 5));
//! b.states[0].init = Some(b.pool.constant(BitVec::zero(4)));
//! b.states[0].next = Some(b.pool.binary(BinaryOp::Add, counter, one)?);
//! let bad = b.pool.equal(counter, five)?;
//! b.bad("reaches_five", bad);
//! let system = b.finish().unwrap();
//!
//! let mut simulator = Simulator::new(&system, |_| unreachable!(), vec![]);
//! let mut cycles = 0;
//! while !simulator.holds(bad) {
//!     simulator.step(|_| unreachable!(), vec![]);
//!     cycles += 1;
//! }
//! assert_eq!(cycles, 5);
//! # Ok::<(), elinvar_ir::SortError>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod array;
mod circuit;
mod copy;
mod cycle;
mod eval;
mod evidence;
mod expr;
mod fact;
mod formula;
mod lasso;
mod locate;
mod ltl;
mod names;
mod operator;
mod origin;
mod pdr_state;
mod polynomial;
pub mod program;
mod random;
mod ranking;
mod rewrite;
mod shape;
mod system;
mod value;
mod values;

pub use array::ArrayValue;
pub use circuit::{CircuitError, Intervention, WitnessCircuit};
pub use copy::{copied, import, rebuild, rewritten, substitute};
pub use cycle::find_cycle;
pub use eval::{Evaluator, Simulator, cone, symbol_value, zero_of};
pub use evidence::{
    Certificate, OpenValue, StateBit, Step, Steps, StopReason, Subject, Trace, Verdict, VerdictOn,
    Witness,
};
pub use expr::{Expr, ExprId, MAX_WIDTH, Pool, Sort, SortError, SymbolId};
pub use fact::{ClauseError, Fact, FactError, LinearTerm, Reading, Word, clauses_to_exprs};
pub use formula::{Attached, Formula, FormulaError};
pub use ltl::{AtomId, FormulaId, Formulas, Ltl};
pub use names::Names;
pub use operator::{BinaryOp, UnaryOp};
pub use origin::{Goal, Origin, Place};
pub use pdr_state::{
    FrameLemma, PdrState, PropertyRecord, PropertyStatus, Reach, RegisterKey, RegisterLiteral,
};
pub use random::Rng;
pub use ranking::{AttachedRanking, Observer, Ranking, RankingError, RankingSymbol};
pub use shape::{keys, shapes};
pub use system::{
    Input, Named, Property, PropertyId, PropertyKind, Role, State, SystemBuilder, SystemError,
    TransitionSystem,
};
pub use value::{BitVec, Value};
pub use values::Values;
