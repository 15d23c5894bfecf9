//! Unit propagation with two watched literals and blockers [Moskewicz et al.
//! 2001; Sörensson, Eén 2008], restricted to the domain of the query.
//!
//! A clause that is not a lemma is left alone as soon as one of its literals is
//! seen to be outside the domain: it belongs to the definition of a variable
//! outside, which can follow whatever the domain decides. Derived clauses are
//! redundant and may be left alone as well. Lemmas are never left alone; they may
//! assign variables outside.

use crate::arena::{ClauseRef, Layer};
use crate::clauses::{Unit, Watch};
use crate::literal::Lit;
use crate::proof::Proof;
use crate::solver::{LAYER, Reason, Solver, Value};

impl<P: Proof> Solver<P> {
    /// Propagates all that is new on the trail; gives a falsified clause, if any.
    ///
    /// At the root, `AT_ROOT`, every clause is looked at: what follows by a clause
    /// of a limited layer becomes a unit of that layer.
    pub(crate) fn propagate<const AT_ROOT: bool>(&mut self) -> Option<Reason> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            self.statistics.propagations += 1;
            let conflict = match self.propagate_binaries::<AT_ROOT>(!lit) {
                None => self.propagate_long::<AT_ROOT>(!lit),
                conflict => conflict,
            };
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn propagate_binaries<const AT_ROOT: bool>(&mut self, falsified: Lit) -> Option<Reason> {
        let list = std::mem::take(&mut self.binaries[falsified.code()]);
        let mut conflict = None;
        for &watch in &list {
            let value = self.values[watch.blocker.code()];
            if value == Value::TRUE {
                continue;
            }
            let reason = Reason { clause: watch.clause(), other: falsified };
            if AT_ROOT {
                if self.imply_at_root(watch.blocker, reason, watch.layer) {
                    continue;
                }
                conflict = Some(Reason { clause: watch.clause(), other: Lit::NONE });
                break;
            }
            if !watch.layer.active_at(self.layer) || value == Value::OUTSIDE && !watch.is_lemma() {
                continue;
            }
            if value == Value::FALSE {
                // Read in full by the analysis.
                conflict = Some(Reason { clause: watch.clause(), other: Lit::NONE });
                break;
            }
            let layer = if self.level() == LAYER {
                watch.layer.min(self.layers[falsified.var().index()])
            } else {
                watch.layer
            };
            self.assign(watch.blocker, reason, layer);
        }
        self.binaries[falsified.code()] = list;
        conflict
    }

    fn propagate_long<const AT_ROOT: bool>(&mut self, falsified: Lit) -> Option<Reason> {
        let mut list = std::mem::take(&mut self.watches[falsified.code()]);
        let mut conflict = None;
        let mut index = 0;
        while index < list.len() {
            let watch = list[index];
            let value = self.values[watch.blocker.code()];
            let skip = value == Value::TRUE
                || !AT_ROOT
                    && (!watch.layer.active_at(self.layer)
                        || value == Value::OUTSIDE && !watch.is_lemma());
            if skip {
                index += 1;
                continue;
            }
            match self.visit::<AT_ROOT>(watch, falsified) {
                Visited::Moved => {
                    list.swap_remove(index);
                }
                Visited::Kept(blocker) => {
                    list[index].blocker = blocker;
                    index += 1;
                }
                Visited::Conflict => {
                    conflict = Some(Reason { clause: watch.clause(), other: Lit::NONE });
                    break;
                }
            }
        }
        self.watches[falsified.code()] = list;
        conflict
    }

    /// Looks for another literal to watch instead of the falsified one.
    #[inline]
    fn visit<const AT_ROOT: bool>(&mut self, watch: Watch, falsified: Lit) -> Visited {
        let clause = watch.clause();
        let codes = self.arena.codes_mut(clause);
        if codes[0] as usize == falsified.code() {
            codes.swap(0, 1);
        }
        let first = codes[0] as usize;
        let value = self.values[first];
        if value == Value::TRUE || !AT_ROOT && value == Value::OUTSIDE && !watch.is_lemma() {
            return Visited::Kept(Lit::from_code(first));
        }
        let better = (2..codes.len()).find(|&i| self.values[codes[i] as usize] != Value::FALSE);
        if let Some(position) = better {
            let other = codes[position] as usize;
            if self.values[other] == Value::TRUE {
                return Visited::Kept(Lit::from_code(other));
            }
            codes.swap(1, position);
            let lit = Lit::from_code(codes[1] as usize);
            self.watches[lit.code()].push(watch.with_blocker(Lit::from_code(first)));
            return Visited::Moved;
        }
        let first = Lit::from_code(first);
        let reason = Reason { clause, other: Lit::NONE };
        if AT_ROOT {
            return match self.imply_at_root(first, reason, watch.layer) {
                true => Visited::Kept(first),
                false => Visited::Conflict,
            };
        }
        if value == Value::FALSE {
            return Visited::Conflict;
        }
        let layer = if self.level() == LAYER { self.implied_layer(clause) } else { watch.layer };
        self.assign(first, reason, layer);
        Visited::Kept(first)
    }

    /// All literals of a clause are false at the root but one. False if the
    /// clauses of all layers contradict one another.
    pub(crate) fn imply_at_root(&mut self, lit: Lit, reason: Reason, layer: Layer) -> bool {
        match self.values[lit.code()] {
            Value::TRUE => true,
            Value::FALSE if layer == Layer::ALWAYS => false,
            Value::FALSE => {
                self.refute(layer, reason.clause);
                true
            }
            _ if layer == Layer::ALWAYS => {
                self.assign(lit, reason, layer);
                true
            }
            _ => {
                let clause = if P::LOGS { reason.clause } else { ClauseRef::NONE };
                self.units.push(Unit { lit, layer, clause, lemma: None });
                true
            }
        }
    }

    /// The least layer of a clause and of all that made its other literals false.
    fn implied_layer(&self, clause: ClauseRef) -> Layer {
        let others = self.arena.lits(clause).skip(1);
        others
            .fold(self.arena.layer(clause), |layer, lit| layer.min(self.layers[lit.var().index()]))
    }
}

/// What became of a watch.
enum Visited {
    /// It is with another literal now.
    Moved,
    /// It stays, with this blocker.
    Kept(Lit),
    Conflict,
}
