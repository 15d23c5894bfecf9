//! CaDiCaL behind the solver interface.
//!
//! Bounded variable addition is switched off: it would introduce variables that
//! the caller does not know.

use cadical_sys::{CaDiCal, Status, Terminator};

use elinvar_sat::{Lit, Var};

use crate::sat::{Answer, Core, LastResult, Model, SatSolver};

/// The solver CaDiCaL.
pub struct Cadical {
    solver: CaDiCal,
    vars: i32,
    /// The literals of all clauses that were added.
    literals: u64,
}

struct Stop<F>(F);

impl<F: Fn() -> bool + 'static> Terminator for Stop<F> {
    fn terminated(&mut self) -> bool {
        (self.0)()
    }
}

impl Default for Cadical {
    fn default() -> Self {
        Self::new()
    }
}

impl Cadical {
    /// A solver without clauses.
    pub fn new() -> Self {
        let mut solver = CaDiCal::new();
        for option in ["factor", "factorcheck"] {
            assert!(solver.set(option, 0), "CaDiCaL knows its option {option}");
        }
        Cadical { solver, vars: 0, literals: 0 }
    }

    /// The solver asks `stop` now and then while it works, and gives up when it
    /// answers true.
    pub fn with_stop(stop: impl Fn() -> bool + 'static) -> Self {
        let mut cadical = Self::new();
        cadical.solver.connect_terminator(Stop(stop));
        cadical
    }

    /// The seed of the solver's random decisions.
    pub fn set_seed(&mut self, seed: u64) {
        self.solver.set("seed", (seed % 2_000_000_000) as i32);
    }

    /// Sets one of the solver's own options.
    ///
    /// # Panics
    /// If there is no such option.
    pub fn set(&mut self, option: &str, value: i32) {
        assert!(self.solver.set(option, value), "CaDiCaL knows its option {option}");
    }

    /// About how many bytes the solver holds for what it was given. Clauses that it learns or
    /// removes are not counted, so this is the same in every run.
    pub fn size(&self) -> u64 {
        // A rough estimate of the watches, the heuristics and the clauses of the solver.
        const OF_A_VARIABLE: u64 = 300;
        const OF_A_LITERAL: u64 = 30;
        OF_A_VARIABLE * self.vars as u64 + OF_A_LITERAL * self.literals
    }
}

fn dimacs(lit: Lit) -> i32 {
    let var = lit.var().index() as i32 + 1;
    if lit.is_negative() { -var } else { var }
}

impl SatSolver for Cadical {
    fn new_var(&mut self) -> Var {
        self.vars += 1;
        Var::new(self.vars as usize - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.literals += clause.len() as u64;
        match *clause {
            [a] => self.solver.clause1(dimacs(a)),
            [a, b] => self.solver.clause2(dimacs(a), dimacs(b)),
            [a, b, c] => self.solver.clause3(dimacs(a), dimacs(b), dimacs(c)),
            _ => {
                for &lit in clause {
                    self.solver.add(dimacs(lit));
                }
                self.solver.add(0);
            }
        }
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Answer<'_> {
        for &lit in assumptions {
            self.solver.assume(dimacs(lit));
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Answer::Sat(Model(self)),
            Status::UNSATISFIABLE => Answer::Unsat(Core(self)),
            Status::UNKNOWN => Answer::Stopped,
        }
    }

    fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").max(0) as u64
    }
}

impl LastResult for Cadical {
    fn value(&mut self, lit: Lit) -> bool {
        self.solver.val(dimacs(lit)) == dimacs(lit)
    }

    fn failed(&mut self, lit: Lit) -> bool {
        self.solver.failed(dimacs(lit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_carry_models_and_cores() {
        let mut solver = Cadical::new();
        let [a, b, c] = [(); 3].map(|()| solver.new_var().positive());
        solver.add_clause(&[!a, b]);
        match solver.solve(&[a]) {
            Answer::Sat(mut model) => {
                assert!(model.value(a) && model.value(b) && !model.value(!b));
            }
            Answer::Unsat(_) | Answer::Stopped => panic!("satisfiable"),
        }
        match solver.solve(&[c, a, !b]) {
            Answer::Unsat(mut core) => {
                assert!(core.contains(a) && core.contains(!b) && !core.contains(c));
            }
            Answer::Sat(_) | Answer::Stopped => panic!("unsatisfiable"),
        }
    }

    #[test]
    fn a_stopped_solver_says_so() {
        let mut solver = Cadical::with_stop(|| true);
        // Eleven pigeons, ten holes: too hard to be refuted before the first look.
        let pigeon: Vec<Vec<Lit>> =
            (0..11).map(|_| (0..10).map(|_| solver.new_var().positive()).collect()).collect();
        for holes in &pigeon {
            solver.add_clause(holes);
        }
        for (i, one) in pigeon.iter().enumerate() {
            for other in &pigeon[..i] {
                for (&a, &b) in one.iter().zip(other) {
                    solver.add_clause(&[!a, !b]);
                }
            }
        }
        assert!(matches!(solver.solve(&[]), Answer::Stopped));
    }
}
