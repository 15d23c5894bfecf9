//! Our own incremental solver behind the solver interface, asked about all
//! variables and without layers.

use elinvar_sat::{Layer, Lit, Query, Scope, Solver, Var};

use crate::sat::{Answer, Core, LastResult, Model, SatSolver};

/// The solver of [`elinvar_sat`], behind the trait of this crate.
#[derive(Default)]
pub struct Native {
    solver: Solver,
    /// The core of the last refutation, sorted.
    core: Vec<Lit>,
}

impl Native {
    /// A solver without clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// The solver asks `stop` now and then while it works, and gives up when it
    /// answers true.
    pub fn with_stop(stop: impl Fn() -> bool + Send + 'static) -> Self {
        let mut native = Self::new();
        native.solver.set_stop(move |_| stop());
        native
    }
}

impl SatSolver for Native {
    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Answer<'_> {
        self.core.clear();
        let query = Query {
            layer: Layer::ALWAYS,
            assumptions,
            temporary: &[],
            scope: Scope::All,
            conflicts: None,
        };
        match self.solver.solve(&query) {
            elinvar_sat::Answer::Sat(_) => Answer::Sat(Model(self)),
            elinvar_sat::Answer::Unsat(core) => {
                self.core.extend_from_slice(core.lits());
                self.core.sort_unstable();
                Answer::Unsat(Core(self))
            }
            elinvar_sat::Answer::Stopped => Answer::Stopped,
        }
    }

    fn conflicts(&self) -> u64 {
        self.solver.statistics().conflicts
    }
}

impl LastResult for Native {
    fn value(&mut self, lit: Lit) -> bool {
        self.solver.model().is_some_and(|model| model.value(lit) == Some(true))
    }

    fn failed(&mut self, lit: Lit) -> bool {
        self.core.binary_search(&lit).is_ok()
    }
}
