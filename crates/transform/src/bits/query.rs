//! Small satisfiability queries about a graph, each with its own limit.
//!
//! Limits count steps of the solver (decisions and conflicts), not time, so that the same
//! input gives the same answers.

use std::cell::Cell;
use std::rc::Rc;

use elinvar_logic::aig::Valuation;
use elinvar_logic::{Aig, AigLit, Answer, Cadical, Cnf, SatSolver};

use crate::limits::Limits;

/// The number of steps after which the solver checks its stop condition.
const STEPS_PER_LOOK: u64 = 10;

/// The answer to a query.
pub(super) enum Reply {
    /// The literal is true under this assignment.
    Sat(Valuation),
    Unsat,
    /// The limit was reached, or the run was stopped.
    Open,
}

/// A solver that encodes the parts of a graph that queries mention.
pub(super) struct Asker {
    cnf: Cnf,
    solver: Cadical,
    /// The number of checks that are left in the current query.
    looks: Rc<Cell<u64>>,
    allowed: u64,
}

impl Asker {
    pub fn new(limits: &dyn Limits) -> Self {
        let looks = Rc::new(Cell::new(0u64));
        let (left, limits) = (Rc::clone(&looks), limits.share());
        let mut solver = Cadical::with_stop(move || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0 || limits.stop().is_some()
        });
        // Many small queries: techniques that visit the whole formula cost more than they save.
        for option in ["lucky", "inprocessing", "walk", "elim", "subsume", "condition"] {
            solver.set(option, 0);
        }
        Asker { cnf: Cnf::new(), solver, looks, allowed: 0 }
    }

    /// From now on the literal is true.
    pub fn assert(&mut self, aig: &Aig, lit: AigLit) {
        self.cnf.add_clause(aig, &[lit], &mut self.solver);
    }

    /// About how many steps the last question took.
    pub fn steps(&self) -> u64 {
        (self.allowed - self.looks.get()) * STEPS_PER_LOOK
    }

    // SAT?  what was asserted ∧ lit
    pub fn ask(&mut self, aig: &Aig, lit: AigLit, steps: u64) -> Reply {
        self.allowed = steps / STEPS_PER_LOOK + 1;
        self.looks.set(self.allowed);
        let assumption = self.cnf.assertable(aig, lit, &mut self.solver);
        match self.solver.solve(&[assumption]) {
            Answer::Sat(mut model) => Reply::Sat(self.cnf.valuation(aig, &mut model)),
            Answer::Unsat(_) => Reply::Unsat,
            Answer::Stopped => Reply::Open,
        }
    }
}
