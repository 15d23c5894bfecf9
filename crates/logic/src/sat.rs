//! The interface of SAT solvers. Answers carry their data: there is no model to
//! misread after *unsatisfiable*.

use elinvar_sat::{Lit, Var};

/// An incremental SAT solver with assumptions.
pub trait SatSolver {
    /// Adds a variable.
    fn new_var(&mut self) -> Var;

    /// Adds a clause, which holds from now on.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Are the clauses satisfiable together with the assumptions?
    fn solve(&mut self, assumptions: &[Lit]) -> Answer<'_>;

    /// Conflicts over the whole life of the solver.
    fn conflicts(&self) -> u64;
}

/// What [`SatSolver::solve`] found.
pub enum Answer<'a> {
    /// There is a model.
    Sat(Model<'a>),
    /// There is none; the core says which assumptions are to blame.
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
    /// The value of a literal in the model.
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
