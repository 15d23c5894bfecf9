//! Small questions about a graph, each with a limit of its own.
//!
//! Limits are in steps of the solver (decisions and conflicts), not in time, so
//! that the same input gives the same answers.

use std::cell::Cell;
use std::rc::Rc;

use elinvar_logic::aig::Valuation;
use elinvar_logic::{Aig, AigLit, Answer, Cadical, Cnf, SatSolver};

use crate::limits::Limits;

/// The solver looks at its stop condition once in so many steps.
const STEPS_PER_LOOK: u64 = 10;

/// How a question ended.
pub(super) enum Reply {
    /// The literal can be true, as here.
    Sat(Valuation),
    Unsat,
    /// The limit was reached, or the run was stopped.
    Open,
}

/// A solver that knows the parts of a graph that it was asked about.
pub(super) struct Asker {
    cnf: Cnf,
    solver: Cadical,
    /// Looks that the solver has left in the current question.
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
        // Many small questions: nothing that looks at the whole formula pays.
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
