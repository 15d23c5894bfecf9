//! Programs: first-order terms, control-flow graphs, their runs and their invariants.
//!
//! Beside the expressions of hardware ([`crate::Pool`]: words and arrays of words,
//! with complemented edges) stands a second pool, [`Terms`]: integers, reals and
//! uninterpreted functions have other normal forms, and a Boolean is not a word.

mod blocks;
mod evaluate;
mod evidence;
mod graph;
mod interpret;
mod map;
mod sort;
mod term;
mod value;

pub use blocks::{Block, BlockId, Blocks, large_blocks};
pub use evaluate::{EvaluationError, LARGEST, evaluate, evaluate_into};
pub use evidence::{Invariants, ProgramStep, ProgramTrace, ProgramVerdict};
pub use graph::{Assertion, AssertionKind, Edge, EdgeId, Location, LocationId, Program, Statement};
pub use interpret::{Machine, StepError};
pub use map::MapValue;
pub use sort::{Sort, TypeId};
pub use term::{
    Function, FunctionId, Linear, Node, Op, Term, Terms, Variable, VariableId, WordBinary,
    WordUnary,
};
pub use value::{ByZero, FunctionValue, Value, Word};
