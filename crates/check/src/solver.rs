//! CaDiCaL with gates: literals, Tseitin definitions and a budget.
//!
//! Each gate is a fresh variable with the clauses that make it equal to its
//! function [Tseitin 1968], so a definition never excludes a value of its
//! operands. Equal gates are the same variable: without this the equality of two
//! copies of a multiplier would be a problem of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cadical_sys::{CaDiCal, Status, Terminator};
use rustc_hash::FxHashMap;

use crate::Refusal;

/// How long and how large a check may become.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When the check gives up.
    pub deadline: Option<Instant>,
    /// Set by anyone to stop the check.
    pub cancelled: Option<Arc<AtomicBool>>,
    /// The largest number of gates in one query; about 100 bytes each.
    pub max_gates: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { deadline: None, cancelled: None, max_gates: 1 << 27 }
    }
}

impl Budget {
    pub(crate) fn is_spent(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.cancelled.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl Terminator for Budget {
    fn terminated(&mut self) -> bool {
        self.is_spent()
    }
}

/// Whatever the budget: variables are numbered by 31 bits.
const MAX_VARIABLES: u64 = 1 << 30;

/// Accesses to the memory in a search that take about as long as building a gate.
const TICKS_PER_GATE: u64 = 16;

/// Variables that each query visits in about the time that building a gate takes.
const VISITED_PER_GATE: u64 = 8;

/// A literal: a variable or its negation, never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Lit(i32);

impl Lit {
    pub(crate) const TRUE: Lit = Lit(1);
    pub(crate) const FALSE: Lit = Lit(-1);

    pub(crate) fn constant(value: bool) -> Self {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Ite(Lit, Lit, Lit),
}

/// What the solver says.
pub(crate) enum SatAnswer<'a> {
    Sat(Model<'a>),
    Unsat,
}

/// A satisfying assignment, valid until the solver is changed.
pub(crate) struct Model<'a>(&'a mut CaDiCal);

impl Model<'_> {
    pub(crate) fn holds(&mut self, lit: Lit) -> bool {
        self.0.val(lit.0) == lit.0
    }
}

/// A growing set of clauses.
pub(crate) struct Solver {
    cadical: CaDiCal,
    variables: i32,
    gates: FxHashMap<Gate, Lit>,
    spent: u64,
    budget: Budget,
    /// The budget was spent while a circuit was built. What was built from then on is
    /// meaningless, and no question is answered any more.
    stopped: bool,
    /// How many conflicts a query may have, if that is limited.
    conflicts: Option<i32>,
    /// What queries cost beside the search itself, in gates.
    visited: u64,
}

impl Solver {
    pub(crate) fn new(budget: &Budget) -> Self {
        let mut cadical = CaDiCal::new();
        cadical.set("quiet", 1);
        // Variables are numbered here, so the solver must not add any itself.
        cadical.set("factor", 0);
        // Evidence is expected to be right, so that no assignment is lucky.
        cadical.set("lucky", 0);
        cadical.connect_terminator(budget.clone());
        cadical.clause1(Lit::TRUE.0);
        let gates = FxHashMap::default();
        Solver {
            cadical,
            variables: Lit::TRUE.0,
            gates,
            spent: 0,
            budget: budget.clone(),
            stopped: false,
            conflicts: None,
            visited: 0,
        }
    }

    /// Lets every query give up after so many conflicts.
    pub(crate) fn limit_conflicts(&mut self, conflicts: i32) {
        self.conflicts = Some(conflicts);
    }

    /// The work that was done so far, in about the time that a gate takes. It does not depend
    /// on the machine.
    pub(crate) fn effort(&self) -> u64 {
        let ticks = self.cadical.get_statistic_value("ticks").max(0) as u64;
        self.variables as u64 + self.visited + ticks / TICKS_PER_GATE
    }

    /// Announces work of about `gates` gates, before it is begun.
    pub(crate) fn spend(&mut self, gates: u64) -> Result<(), Refusal> {
        let before = self.spent;
        self.spent = before.saturating_add(gates);
        let too_large = self.spent > self.budget.max_gates.min(MAX_VARIABLES);
        // The clock is read once in a thousand gates.
        if self.stopped || too_large || (before >> 10 != self.spent >> 10 && self.budget.is_spent())
        {
            return Err(Refusal::OutOfBudget);
        }
        Ok(())
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    pub(crate) fn clause(&mut self, lits: impl IntoIterator<Item = Lit>) {
        for lit in lits {
            self.cadical.add(lit.0);
        }
        self.cadical.add(0);
    }

    /// SAT?  clauses ∧ assumptions
    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> Result<SatAnswer<'_>, Refusal> {
        if self.stopped || self.budget.is_spent() {
            return Err(Refusal::OutOfBudget);
        }
        for lit in assumptions {
            self.cadical.assume(lit.0);
        }
        self.visited += self.variables as u64 / VISITED_PER_GATE;
        if let Some(conflicts) = self.conflicts {
            self.cadical.limit("conflicts", conflicts);
        }
        match self.cadical.solve() {
            Status::SATISFIABLE => Ok(SatAnswer::Sat(Model(&mut self.cadical))),
            Status::UNSATISFIABLE => Ok(SatAnswer::Unsat),
            Status::UNKNOWN => Err(Refusal::OutOfBudget),
        }
    }

    /// Was this assumption of the last query, which was unsatisfiable, needed for that?
    pub(crate) fn failed(&mut self, assumption: Lit) -> bool {
        self.cadical.failed(assumption.0)
    }

    // ---- gates -----------------------------------------------------------

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        if a == Lit::FALSE || b == Lit::FALSE || a == !b {
            return Lit::FALSE;
        } else if a == Lit::TRUE || a == b {
            return b;
        } else if b == Lit::TRUE {
            return a;
        }
        self.gate(Gate::And(a, b), |solver, out| {
            solver.clause([!out, a]);
            solver.clause([!out, b]);
            solver.clause([out, !a, !b]);
        })
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // Negations move to the output: ¬a ⊕ b = ¬(a ⊕ b).
        let negate = (a.0 < 0) != (b.0 < 0);
        let (a, b) = (Lit(a.0.abs()), Lit(b.0.abs()));
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        let out = if a == b {
            Lit::FALSE
        } else if a == Lit::TRUE {
            !b
        } else {
            self.gate(Gate::Xor(a, b), |solver, out| {
                solver.clause([!out, a, b]);
                solver.clause([!out, !a, !b]);
                solver.clause([out, !a, b]);
                solver.clause([out, a, !b]);
            })
        };
        if negate { !out } else { out }
    }

    pub(crate) fn ite(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if c == Lit::TRUE || t == e {
            return t;
        } else if c == Lit::FALSE {
            return e;
        } else if t == Lit::TRUE {
            return self.or(c, e);
        } else if t == Lit::FALSE {
            return self.and(!c, e);
        } else if e == Lit::TRUE {
            return self.or(!c, t);
        } else if e == Lit::FALSE {
            return self.and(c, t);
        }
        self.gate(Gate::Ite(c, t, e), |solver, out| {
            solver.clause([!c, !t, out]);
            solver.clause([!c, t, !out]);
            solver.clause([c, !e, out]);
            solver.clause([c, e, !out]);
        })
    }

    /// Are all of them true? (`true` for none.)
    pub(crate) fn all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::TRUE, |all, lit| self.and(all, lit))
    }

    /// Is one of them true? (`false` for none.)
    pub(crate) fn any(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::FALSE, |any, lit| self.or(any, lit))
    }

    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Self, Lit)) -> Lit {
        if let Some(&out) = self.gates.get(&gate) {
            return out;
        }
        // The clock is read once in some thousand gates.
        if self.stopped || (self.gates.len().is_multiple_of(1 << 12) && self.budget.is_spent()) {
            self.stopped = true;
            return Lit::FALSE;
        }
        let out = self.fresh();
        self.gates.insert(gate, out);
        define(self, out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every gate on every combination of constants, variables and repeated or
    /// negated operands has the value of its function.
    #[test]
    fn gates_are_their_functions() {
        let mut solver = Solver::new(&Budget::default());
        let (x, y, z) = (solver.fresh(), solver.fresh(), solver.fresh());
        let operands = [Lit::TRUE, Lit::FALSE, x, !x, y, !y, z, !z];
        for code in 0..8 {
            let value = |lit: Lit| match lit.0.abs() {
                1 => lit.0 > 0,
                variable => (code >> (variable - 2) & 1 == 1) == (lit.0 > 0),
            };
            let mut claims: Vec<(Lit, bool)> = Vec::new();
            for a in operands {
                for b in operands {
                    claims.push((solver.and(a, b), value(a) && value(b)));
                    claims.push((solver.or(a, b), value(a) || value(b)));
                    claims.push((solver.xor(a, b), value(a) != value(b)));
                    for c in operands {
                        let chosen = if value(a) { value(b) } else { value(c) };
                        claims.push((solver.ite(a, b, c), chosen));
                    }
                }
            }
            let assumed = [x, y, z].map(|lit| if value(lit) { lit } else { !lit });
            let Ok(SatAnswer::Sat(mut model)) = solver.solve(&assumed) else { panic!("no model") };
            for (out, expected) in claims {
                assert_eq!(model.holds(out), expected, "{out:?} at {code:03b}");
            }
        }
    }

    /// An operator that is under way when the budget is spent ends soon, and what was
    /// built of it is not used.
    #[test]
    fn a_spent_budget_stops_the_construction_of_an_operator() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget { cancelled: Some(flag.clone()), ..Budget::default() };
        let mut solver = Solver::new(&budget);
        let inputs: Vec<Lit> = (0..20_000).map(|_| solver.fresh()).collect();
        flag.store(true, Ordering::Relaxed);
        let before = solver.variables;
        assert_eq!(solver.all(inputs.iter().copied()), Lit::FALSE);
        assert!(solver.variables <= before + (1 << 12));
        // The answer would be wrong: the conjunction is not false.
        flag.store(false, Ordering::Relaxed);
        assert!(matches!(solver.solve(&inputs), Err(Refusal::OutOfBudget)));
        assert_eq!(solver.spend(1), Err(Refusal::OutOfBudget));
    }

    #[test]
    fn a_spent_budget_stops_building_and_solving() {
        let mut small = Solver::new(&Budget { max_gates: 10, ..Budget::default() });
        assert_eq!(small.spend(10), Ok(()));
        assert_eq!(small.spend(1), Err(Refusal::OutOfBudget));
        let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert!(matches!(Solver::new(&late).solve(&[]), Err(Refusal::OutOfBudget)));
        let flag = Arc::new(AtomicBool::new(false));
        let stopped = Budget { cancelled: Some(flag.clone()), ..Budget::default() };
        let mut solver = Solver::new(&stopped);
        assert!(matches!(solver.solve(&[]), Ok(SatAnswer::Sat(_))));
        flag.store(true, Ordering::Relaxed);
        assert!(matches!(solver.solve(&[]), Err(Refusal::OutOfBudget)));
    }
}
