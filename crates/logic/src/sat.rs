//! The interface of SAT solvers. Answers carry their data: there is no model to
//! misread after *unsatisfiable*.

use std::fmt;
use std::ops::Not;

/// A propositional variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(u32);

impl Var {
    pub fn new(index: usize) -> Self {
        Var(index as u32)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal, negated when `condition` is true.
    pub fn negate_if(self, condition: bool) -> Self {
        Lit(self.0 ^ condition as u32)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", if self.is_negative() { "-" } else { "" }, self.0 >> 1)
    }
}

/// An incremental SAT solver with assumptions.
pub trait SatSolver {
    fn new_var(&mut self) -> Var;

    fn add_clause(&mut self, clause: &[Lit]);

    /// Are the clauses satisfiable together with the assumptions?
    fn solve(&mut self, assumptions: &[Lit]) -> Answer<'_>;

    /// Conflicts over the whole life of the solver.
    fn conflicts(&self) -> u64;
}

/// What [`SatSolver::solve`] found.
pub enum Answer<'a> {
    Sat(Model<'a>),
    Unsat(Core<'a>),
    /// The solver was told to stop.
    Stopped,
}

/// Backends answer questions about their last result through this.
pub(crate) trait LastResult {
    fn value(&mut self, lit: Lit) -> bool;
    fn failed(&mut self, lit: Lit) -> bool;
}

/// A satisfying assignment, valid until the solver is used again.
pub struct Model<'a>(pub(crate) &'a mut dyn LastResult);

impl Model<'_> {
    pub fn value(&mut self, lit: Lit) -> bool {
        self.0.value(lit)
    }
}

/// The assumptions that a refutation used, valid until the solver is used again.
pub struct Core<'a>(pub(crate) &'a mut dyn LastResult);

impl Core<'_> {
    /// Was this assumption used?
    pub fn contains(&mut self, assumption: Lit) -> bool {
        self.0.failed(assumption)
    }
}
