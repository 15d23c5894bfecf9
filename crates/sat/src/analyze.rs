//! Learning from conflicts: first unique implication points [Marques-Silva,
//! Sakallah 1999], minimisation [Sörensson, Biere 2009], and the assumptions that
//! a refutation needs.
//!
//! What is false at levels 0 and 1 is left out of learnt clauses; the layers that
//! made it false limit the layer of the result.

use crate::arena::{ClauseRef, Kind, Layer};
use crate::literal::{Lit, Var};
use crate::proof::Proof;
use crate::solver::{ASSUMED, LAYER, Reason, Solver, Value};

/// What [`Solver::analyze`] found besides the clause.
pub(crate) struct Analysis {
    /// Where the clause becomes a unit.
    pub level: u32,
    pub layer: Layer,
}

impl<P: Proof> Solver<P> {
    /// Derives a clause from a conflict above the assumptions.
    ///
    /// Before: all literals of `conflict` are false, one at least at the current
    /// level. After: `learnt` is implied by the clauses of its layer; all its
    /// literals are false, the first is the only one of the current level, the
    /// second is one of the highest of the other levels.
    pub(crate) fn analyze(&mut self, conflict: Reason) -> Analysis {
        self.learnt.clear();
        self.learnt.push(Lit::NONE);
        self.chain.clear();
        let mut layer = Layer::ALWAYS;
        let mut open = 0;
        let mut index = self.trail.len();
        let mut reason = conflict;
        let mut implied = Lit::NONE;
        loop {
            layer = layer.min(self.reason_layer(reason, implied));
            self.touch(reason);
            self.note_antecedent(reason, implied);
            self.with_antecedents(reason, implied, |solver, lit| {
                open += solver.meet(lit, &mut layer);
            });
            loop {
                index -= 1;
                if self.seen[self.trail[index].var().index()] {
                    break;
                }
            }
            implied = self.trail[index];
            self.seen[implied.var().index()] = false;
            open -= 1;
            if open == 0 {
                break;
            }
            reason = self.vars[implied.var().index()].reason;
        }
        self.learnt[0] = !implied;
        self.minimize(&mut layer);
        for var in self.to_clear.drain(..) {
            self.seen[var.index()] = false;
        }
        let level = self.move_highest_to_second();
        Analysis { level, layer }
    }

    /// A learnt clause was of use again.
    fn touch(&mut self, reason: Reason) {
        if reason.other == Lit::NONE && self.arena.kind(reason.clause) == Kind::Learnt {
            self.arena.set_note(reason.clause, self.statistics.conflicts as u32);
        }
    }

    /// Takes a false literal into the analysis; one if it is of the current level.
    fn meet(&mut self, lit: Lit, layer: &mut Layer) -> usize {
        let var = lit.var();
        let level = self.vars[var.index()].level;
        if level <= LAYER {
            *layer = (*layer).min(self.vars[var.index()].layer);
            if P::LOGS {
                self.explain_below(var);
            }
            return 0;
        }
        if self.seen[var.index()] {
            return 0;
        }
        self.seen[var.index()] = true;
        self.order.bump(var);
        if level == self.level() {
            return 1;
        }
        self.to_clear.push(var);
        self.learnt.push(lit);
        0
    }

    fn reason_layer(&self, reason: Reason, implied: Lit) -> Layer {
        if implied == Lit::NONE {
            self.arena.layer(reason.clause)
        } else {
            self.vars[implied.var().index()].layer
        }
    }

    /// Calls `f` for each false literal of the clause behind `implied`.
    #[inline]
    fn with_antecedents(
        &mut self,
        reason: Reason,
        implied: Lit,
        mut f: impl FnMut(&mut Self, Lit),
    ) {
        if reason.other != Lit::NONE {
            f(self, reason.other);
            return;
        }
        for position in 0..self.arena.len(reason.clause) {
            let lit = self.arena.lit(reason.clause, position);
            if lit != implied {
                f(self, lit);
            }
        }
    }

    /// Leaves out what the other literals of the learnt clause imply.
    fn minimize(&mut self, layer: &mut Layer) {
        let mut kept = 1;
        for index in 1..self.learnt.len() {
            let lit = self.learnt[index];
            if self.vars[lit.var().index()].reason == Reason::NONE || !self.is_implied(lit, layer) {
                self.learnt[kept] = lit;
                kept += 1;
            }
        }
        self.learnt.truncate(kept);
    }

    /// Is `lit` false because of seen literals alone? Then what was met on the
    /// way is seen too, and its layers count.
    fn is_implied(&mut self, lit: Lit, layer: &mut Layer) -> bool {
        let first_new = self.to_clear.len();
        let first_link = self.chain.len();
        let mut met = *layer;
        self.stack.clear();
        self.stack.push(lit);
        while let Some(lit) = self.stack.pop() {
            let reason = self.vars[lit.var().index()].reason;
            met = met.min(self.vars[lit.var().index()].layer);
            self.note_antecedent(reason, !lit);
            let mut failed = false;
            self.with_antecedents(reason, !lit, |solver, lit| {
                let var = lit.var();
                if solver.vars[var.index()].level <= LAYER {
                    met = met.min(solver.vars[var.index()].layer);
                    if P::LOGS {
                        solver.explain_below(var);
                    }
                } else if !solver.seen[var.index()] {
                    if solver.vars[var.index()].reason == Reason::NONE {
                        failed = true;
                    } else {
                        solver.seen[var.index()] = true;
                        solver.to_clear.push(var);
                        solver.stack.push(lit);
                    }
                }
            });
            if failed {
                for var in self.to_clear.drain(first_new..) {
                    self.seen[var.index()] = false;
                }
                self.chain.truncate(first_link);
                return false;
            }
        }
        *layer = met;
        true
    }

    fn move_highest_to_second(&mut self) -> u32 {
        let level = |solver: &Self, i: usize| solver.vars[solver.learnt[i].var().index()].level;
        let highest = (1..self.learnt.len()).max_by_key(|&i| level(self, i));
        match highest {
            None => LAYER,
            Some(i) => {
                self.learnt.swap(1, i);
                level(self, 1)
            }
        }
    }

    /// A clause is false although nothing was decided: marks the assumptions that
    /// made it so.
    pub(crate) fn analyze_core(&mut self, conflict: Reason) {
        self.chain.clear();
        self.learnt.clear();
        self.note_antecedent(conflict, Lit::NONE);
        self.with_antecedents(conflict, Lit::NONE, Self::see_for_core);
        self.collect_core();
    }

    /// The assumption `lit` is false.
    pub(crate) fn analyze_failed(&mut self, lit: Lit) {
        self.chain.clear();
        self.learnt.clear();
        self.mark_failed(lit);
        self.learnt.push(!lit);
        self.see_for_core(lit);
        self.collect_core();
    }

    fn see_for_core(&mut self, lit: Lit) {
        let var = lit.var();
        if self.vars[var.index()].level >= ASSUMED {
            self.seen[var.index()] = true;
        } else if P::LOGS {
            self.explain_below(var);
        }
    }

    fn collect_core(&mut self) {
        for index in (0..self.trail.len()).rev() {
            let lit = self.trail[index];
            let var = lit.var();
            if self.vars[var.index()].level < ASSUMED {
                break;
            }
            if !std::mem::replace(&mut self.seen[var.index()], false) {
                continue;
            }
            let reason = self.vars[var.index()].reason;
            if reason == Reason::NONE {
                self.mark_failed(lit);
                self.learnt.push(!lit);
            } else {
                self.note_antecedent(reason, lit);
                self.with_antecedents(reason, lit, Self::see_for_core);
            }
        }
        for var in self.to_clear.drain(..) {
            self.seen[var.index()] = false;
        }
        if P::LOGS {
            self.log_conclusion();
        }
    }

    /// For a proof: the reason of `implied` takes part.
    #[inline]
    fn note_antecedent(&mut self, reason: Reason, implied: Lit) {
        if P::LOGS {
            let position = match implied {
                Lit::NONE => u32::MAX,
                lit => self.logged.positions[lit.var().index()],
            };
            self.chain.push((position, reason.clause));
        }
    }

    /// For a proof: why a variable of level 0 or 1 is what it is.
    fn explain_below(&mut self, var: Var) {
        if self.logged.unit_clauses[var.index()] == ClauseRef::NONE {
            self.derive_units(var);
        }
        self.chain
            .push((self.logged.positions[var.index()], self.logged.unit_clauses[var.index()]));
    }

    /// Derives the unit clause of a variable of level 1, and first of those that
    /// made it what it is. So each is explained once in a query.
    fn derive_units(&mut self, var: Var) {
        let mut stack = vec![var];
        while let Some(&var) = stack.last() {
            if self.logged.unit_clauses[var.index()] != ClauseRef::NONE {
                stack.pop();
                continue;
            }
            let reason = self.vars[var.index()].reason;
            let others = self.arena.lits(reason.clause).map(Lit::var);
            let open = others.filter(|&other| {
                other != var && self.logged.unit_clauses[other.index()] == ClauseRef::NONE
            });
            let before = stack.len();
            stack.extend(open);
            if stack.len() == before {
                let lit =
                    var.positive().negate_if(self.values[var.positive().code()] == Value::FALSE);
                self.log_unit(lit, reason);
                stack.pop();
            }
        }
    }
}
