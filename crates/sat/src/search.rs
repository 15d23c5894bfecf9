//! The search for a model: assumptions, decisions, learning, restarts.

use crate::arena::{ClauseRef, Kind, Layer};
use crate::literal::{Lit, Var};
use crate::proof::Proof;
use crate::query::Query;
use crate::solver::{ASSUMED, LAYER, ROOT, Reason, Solver, Value};
use crate::units::Unit;

impl<P: Proof> Solver<P> {
    pub(crate) fn search(&mut self, query: &Query<'_>) -> Option<bool> {
        let mut restart = Restarts::new();
        let mut conflicts = 0u64;
        loop {
            if self.level() == ROOT {
                if self.is_refuted() {
                    return Some(false);
                }
                self.open_level();
                if !self.assume_layer() {
                    return Some(false);
                }
            }
            if self.level() == LAYER {
                if let Some(conflict) = self.propagate::<false>() {
                    self.analyze_core(conflict);
                    return Some(false);
                }
                self.open_level();
                if !self.assume(query.assumptions) {
                    return Some(false);
                }
                self.fill_order();
            }
            match self.propagate::<false>() {
                Some(conflict) if self.level() == ASSUMED => {
                    self.analyze_core(conflict);
                    return Some(false);
                }
                Some(conflict) => {
                    conflicts += 1;
                    self.statistics.conflicts += 1;
                    self.learn(conflict);
                    let exhausted = query.conflicts.is_some_and(|limit| conflicts > limit);
                    let stopped = conflicts.is_multiple_of(64) && self.must_stop();
                    if exhausted || stopped {
                        return None;
                    }
                    if restart.after(conflicts) && self.level() > ASSUMED {
                        self.backtrack(ASSUMED);
                        self.order.clear();
                        self.fill_order();
                        if self.learnts.len() > 2 * self.max_learnts {
                            self.backtrack(ROOT);
                            self.reduce_if_many();
                        }
                    }
                }
                None => match self.next_decision() {
                    Some(lit) => {
                        self.statistics.decisions += 1;
                        self.open_level();
                        self.assign(lit, Reason::NONE, Layer::ALWAYS);
                    }
                    None => {
                        if !self.close_over_lemmas() {
                            return Some(true);
                        }
                    }
                },
            }
        }
    }

    /// Assigns the initial values of the domain, which are those of the variables
    /// outside too, unless something at level 0 forbids it.
    pub(crate) fn assume_initial(&mut self) -> bool {
        for index in 0..self.domain.deviating.len() {
            if !self.assume_initial_of(self.domain.deviating[index].var()) {
                return false;
            }
        }
        if self.domain.all {
            return (0..self.vars.len()).all(|index| self.assume_initial_of(Var::new(index)));
        }
        (0..self.domain.permanent.len()).all(|i| self.assume_initial_of(self.domain.permanent[i]))
            && (0..self.domain.vars.len()).all(|i| self.assume_initial_of(self.domain.vars[i]))
    }

    pub(crate) fn assume_initial_of(&mut self, var: Var) -> bool {
        let initial = self.domain.initial[var.index()];
        let clause =
            if P::LOGS { self.logged.initial_clauses[var.index()] } else { ClauseRef::NONE };
        let lit = var.positive().negate_if(initial == Value::FALSE);
        !initial.is_assigned() || self.assume_unit(lit, clause, Layer::level(0))
    }

    /// Assigns what `clause`, unit at level 0, says. False if it cannot be.
    pub(crate) fn assume_unit(&mut self, lit: Lit, clause: ClauseRef, layer: Layer) -> bool {
        let reason = Reason { clause, other: Lit::NONE };
        match self.values[lit.code()] {
            Value::TRUE => true,
            Value::FALSE => {
                // The core is empty, but a proof has to say why.
                if P::LOGS {
                    self.analyze_core(reason);
                }
                false
            }
            _ => {
                self.assign(lit, reason, layer);
                true
            }
        }
    }

    pub(crate) fn assume(&mut self, assumptions: &[Lit]) -> bool {
        for &lit in assumptions {
            match self.values[lit.code()] {
                Value::TRUE => continue,
                Value::FALSE => {
                    self.analyze_failed(lit);
                    return false;
                }
                _ => self.assign(lit, Reason::NONE, Layer::ALWAYS),
            }
            if let Some(conflict) = self.propagate::<false>() {
                self.analyze_core(conflict);
                return false;
            }
        }
        true
    }

    /// Only now: queries that fail by their assumptions never order variables.
    pub(crate) fn fill_order(&mut self) {
        if self.domain.all {
            for index in (0..self.vars.len()).rev() {
                self.queue(Var::new(index));
            }
            return;
        }
        for index in 0..self.domain.permanent.len() {
            self.queue(self.domain.permanent[index]);
        }
        for index in 0..self.domain.vars.len() {
            self.queue(self.domain.vars[index]);
        }
    }

    #[inline]
    pub(crate) fn queue(&mut self, var: Var) {
        if !self.values[var.positive().code()].is_assigned() {
            self.order.push(var);
        }
    }

    pub(crate) fn next_decision(&mut self) -> Option<Lit> {
        while let Some(var) = self.order.pop() {
            if !self.values[var.positive().code()].is_assigned() {
                return Some(var.positive().negate_if(!self.phases[var.index()]));
            }
        }
        None
    }

    pub(crate) fn learn(&mut self, conflict: Reason) {
        let analysis = self.analyze(conflict);
        let (lit, layer) = (self.learnt[0], analysis.layer);
        self.statistics.learnt_clauses += 1;
        self.statistics.learnt_literals += self.learnt.len() as u64;
        let now = self.statistics.conflicts as u32;
        let mut clause = ClauseRef::NONE;
        if self.learnt.len() > 1 || P::LOGS {
            clause = self.arena.add(&self.learnt, Kind::Learnt, layer, now);
            self.log_derived(clause);
        }
        self.backtrack(analysis.level);
        match self.learnt.len() {
            1 if layer == Layer::ALWAYS => {
                self.backtrack(ROOT);
                self.fix(lit, clause);
            }
            1 => {
                self.backtrack(LAYER);
                self.units.push(Unit { lit, layer, clause, lemma: None });
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                }
                self.assign(lit, Reason { clause, other: Lit::NONE }, layer);
            }
            length => {
                self.attach(clause);
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                } else {
                    self.learnts.push(clause);
                }
                let other = if length == 2 { self.learnt[1] } else { Lit::NONE };
                self.assign(lit, Reason { clause, other }, layer);
            }
        }
        self.order.decay();
    }
}

/// Restarts after 1, 1, 2, 1, 1, 2, 4, … units of conflicts [Luby et al. 1993].
struct Restarts {
    /// Knuth's pair of registers that enumerates the sequence.
    pair: (i64, i64),
    next: u64,
}

impl Restarts {
    const UNIT: u64 = 64;

    fn new() -> Self {
        Restarts { pair: (1, 1), next: Self::UNIT }
    }

    fn after(&mut self, conflicts: u64) -> bool {
        if conflicts < self.next {
            return false;
        }
        let (u, v) = self.pair;
        self.pair = if u & -u == v { (u + 1, 1) } else { (u, 2 * v) };
        self.next = conflicts + Self::UNIT * self.pair.1 as u64;
        true
    }
}
