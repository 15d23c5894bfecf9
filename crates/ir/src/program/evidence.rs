//! The evidence of a verdict on a program: invariants at locations, and runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graph::{EdgeId, LocationId, Program};
use super::term::{Term, Terms};
use super::value::{ByZero, FunctionValue, Value};
use crate::evidence::{Subject, VerdictOn};
use crate::system::PropertyId;

/// Why error locations are not reached: invariants at some locations.
///
/// Every cycle of the program passes a listed location, so only finitely many paths lead
/// from one listed location to the next. The other locations are on these paths.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The program's pool, grown further.
    pub terms: Arc<Terms>,
    /// By location, a conjunction; over the program's variables alone.
    pub at: BTreeMap<LocationId, Vec<Term>>,
}

impl Invariants {
    /// Are these the same invariants, in the same pool? Then one check serves all
    /// properties that they prove.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terms, &other.terms) && self.at == other.at
    }
}

/// A run that ends in an error location: complete, so that it can be replayed.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramTrace {
    /// The property that fails.
    pub property: PropertyId,
    /// By position in [`super::Program::variables`].
    pub initial: Vec<Value>,
    /// By function of the pool.
    pub functions: Vec<FunctionValue>,
    /// The values of divisions by zero.
    pub by_zero: ByZero,
    /// The edges that the run takes, in order.
    pub steps: Vec<ProgramStep>,
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramStep {
    /// The edge that is taken.
    pub edge: EdgeId,
    /// The values that a `havoc` gives, in its order; empty for other statements.
    pub values: Vec<Value>,
}

impl Subject for Program {
    type Proof = Invariants;
    type Trace = ProgramTrace;
}

/// A verdict on a property of a program.
pub type ProgramVerdict = VerdictOn<Program>;
