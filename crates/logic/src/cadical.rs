//! CaDiCaL behind the solver interface.
//!
//! Bounded variable addition is switched off: it would introduce variables that
//! the caller does not know.

use std::cell::Cell;
use std::rc::Rc;

use cadical_sys::{CaDiCal, Status, Terminator};

use elinvar_sat::{Lit, Var};

use crate::sat::{Answer, Core, LastResult, Model, SatSolver};

/// The solver CaDiCaL.
pub struct Cadical {
    solver: CaDiCal,
    vars: i32,
    /// The literals of all clauses that were added.
    literals: u64,
    meter: Option<Rc<Meter>>,
}

/// Counts the work of a solver while it searches. The solver has an exact count, in its ticks
/// (about lines of memory that were read), but only between searches; while it searches, the
/// mean so far is taken for each question whether to stop.
struct Meter {
    stop: Box<dyn Fn(u64) -> bool>,
    /// The ticks from one question to the next, about.
    step: Cell<u64>,
    /// What was told of the current search.
    told: Cell<u64>,
    questions: Cell<u64>,
    ticks: Cell<u64>,
}

/// The first value of [`Meter::step`], before anything was measured.
const FIRST_STEP: u64 = 1_000;

/// Variables that the solver visits for each search in about the time of a tick.
const VISITED: u64 = 4;

impl Meter {
    fn tell(&self, ticks: u64) -> bool {
        self.told.set(self.told.get() + ticks);
        (self.stop)(ticks)
    }

    /// A search has ended that took so many ticks.
    fn end(&self, ticks: u64) {
        (self.stop)(ticks.saturating_sub(self.told.take()));
        self.ticks.set(self.ticks.get() + ticks);
        if let Some(mean) = self.ticks.get().checked_div(self.questions.get()) {
            self.step.set(mean.max(1));
        }
    }
}

struct Metered(Rc<Meter>);

impl Terminator for Metered {
    fn terminated(&mut self) -> bool {
        let Metered(meter) = self;
        meter.questions.set(meter.questions.get() + 1);
        meter.tell(meter.step.get())
    }
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
        Cadical { solver, vars: 0, literals: 0, meter: None }
    }

    /// The solver asks `stop` now and then while it works, and gives up when it
    /// answers true.
    pub fn with_stop(stop: impl Fn() -> bool + 'static) -> Self {
        let mut cadical = Self::new();
        cadical.solver.connect_terminator(Stop(stop));
        cadical
    }

    /// The solver tells `stop` now and then how many ticks it has worked since the last time, and
    /// gives up when that answers true. At the end of a search the answer does not count.
    pub fn with_meter(stop: impl Fn(u64) -> bool + 'static) -> Self {
        let mut cadical = Self::new();
        let zero = || Cell::new(0);
        let (step, stop) = (Cell::new(FIRST_STEP), Box::new(stop));
        let meter = Meter { stop, step, told: zero(), questions: zero(), ticks: zero() };
        let meter = Rc::new(meter);
        cadical.solver.connect_terminator(Metered(Rc::clone(&meter)));
        cadical.meter = Some(meter);
        cadical
    }

    fn ticks(&self) -> u64 {
        self.solver.get_statistic_value("ticks").max(0) as u64
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
        let before = self.ticks();
        let status = self.solver.solve();
        if let Some(meter) = &self.meter {
            meter.end(self.ticks() - before + self.vars as u64 / VISITED);
        }
        match status {
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

    /// One pigeon more than there are holes.
    fn add_pigeons(solver: &mut Cadical, holes: usize) {
        let pigeon: Vec<Vec<Lit>> = (0..=holes)
            .map(|_| (0..holes).map(|_| solver.new_var().positive()).collect())
            .collect();
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
    }

    #[test]
    fn a_stopped_solver_says_so() {
        for mut solver in [Cadical::with_stop(|| true), Cadical::with_meter(|_| true)] {
            // Ten holes: too hard to be refuted before the first look.
            add_pigeons(&mut solver, 10);
            assert!(matches!(solver.solve(&[]), Answer::Stopped));
        }
    }

    #[test]
    fn all_ticks_are_told_and_always_the_same() {
        let told = || {
            let told = Rc::new(Cell::new(0));
            let sum = Rc::clone(&told);
            let mut solver = Cadical::with_meter(move |ticks| {
                sum.set(sum.get() + ticks);
                false
            });
            add_pigeons(&mut solver, 7);
            assert!(matches!(solver.solve(&[]), Answer::Unsat(_)));
            assert!(told.get() >= solver.ticks() && solver.ticks() > 0);
            told.get()
        };
        assert_eq!(told(), told());
    }
}
