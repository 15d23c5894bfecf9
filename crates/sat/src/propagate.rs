//! Unit propagation with two watched literals and blockers [Moskewicz et al.
//! 2001; Sörensson, Eén 2008], restricted to the domain of the query.
//!
//! A clause that is not a lemma is left alone as soon as one of its literals is
//! seen to be outside the domain: it belongs to the definition of a variable
//! outside, which can follow whatever the domain decides. Derived clauses are
//! redundant and may be left alone as well. Lemmas are never left alone; they may
//! assign variables outside.

use crate::arena::{ClauseRef, Layer};
use crate::literal::Lit;
use crate::proof::Proof;
use crate::solver::{LAYER, Reason, Solver, Value};
use crate::units::Unit;
use crate::watch::{Short, Watch};

impl<P: Proof> Solver<P> {
    /// Propagates all that is new on the trail; gives a falsified clause, if any.
    ///
    /// At the root, `AT_ROOT`, every clause is looked at: what follows by a clause
    /// of a limited layer becomes a unit of that layer.
    pub(crate) fn propagate<const AT_ROOT: bool>(&mut self) -> Option<Reason> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            self.statistics.propagations += 1;
            let lists = &self.watchers[(!lit).code()];
            self.statistics.ticks += 4 + (lists.short.len() + lists.long.len()) as u64;
            let conflict = match self.propagate_short::<AT_ROOT>(!lit) {
                None => self.propagate_long::<AT_ROOT>(!lit),
                conflict => conflict,
            };
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Short clauses are definitions or learnt, and count in every layer.
    fn propagate_short<const AT_ROOT: bool>(&mut self, falsified: Lit) -> Option<Reason> {
        let list = std::mem::take(&mut self.watchers[falsified.code()].short);
        let mut conflict = None;
        for &short in &list {
            let [a, b] = short.others;
            let values = [self.values[a.code()], self.values[b.code()]];
            if AT_ROOT {
                if !self.imply_short_at_root(short, falsified, values) {
                    conflict = Some(Reason { clause: short.clause, other: Lit::NONE });
                    break;
                }
                continue;
            }
            // Odd: one of them is true or outside.
            if (values[0].0 | values[1].0) & 1 != 0 {
                continue;
            }
            match values {
                [Value::FALSE, Value::FALSE] => {
                    // Read in full by the analysis.
                    conflict = Some(Reason { clause: short.clause, other: Lit::NONE });
                    break;
                }
                [Value::FALSE, _] => self.imply_short(short, falsified, 1),
                [_, Value::FALSE] => self.imply_short(short, falsified, 0),
                _ => {}
            }
        }
        self.watchers[falsified.code()].short = list;
        conflict
    }

    /// All literals of a short clause are false but the one in this place.
    #[inline]
    fn imply_short(&mut self, short: Short, falsified: Lit, open: usize) {
        let (lit, other) = (short.others[open], short.others[1 - open]);
        let layer = if self.level() == LAYER {
            let layer = |lit: Lit| self.vars[lit.var().index()].layer;
            layer(falsified).min(layer(other))
        } else {
            Layer::ALWAYS
        };
        // The clause of a binary one need not be read.
        let other = if other == falsified { falsified } else { Lit::NONE };
        self.assign(lit, Reason { clause: short.clause, other }, layer);
    }

    /// False if the clauses of all layers contradict one another.
    fn imply_short_at_root(&mut self, short: Short, falsified: Lit, values: [Value; 2]) -> bool {
        let [a, b] = short.others;
        let (lit, other) = match values {
            [Value::TRUE, _] | [_, Value::TRUE] => return true,
            [_, Value::FALSE] => (a, b),
            [Value::FALSE, _] => (b, a),
            _ => return true,
        };
        let other = if other == falsified { falsified } else { Lit::NONE };
        self.imply_at_root(lit, Reason { clause: short.clause, other }, Layer::ALWAYS)
    }

    fn propagate_long<const AT_ROOT: bool>(&mut self, falsified: Lit) -> Option<Reason> {
        let mut list = std::mem::take(&mut self.watchers[falsified.code()].long);
        let mut conflict = None;
        let mut index = 0;
        while let Some(&watch) = list.get(index) {
            // Before a value is fetched from memory.
            if !AT_ROOT && !watch.layer.active_at(self.layer) {
                index += 1;
                continue;
            }
            let value = self.values[watch.blocker.code()];
            let skip =
                value == Value::TRUE || !AT_ROOT && value == Value::OUTSIDE && !watch.is_lemma();
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
        self.watchers[falsified.code()].long = list;
        conflict
    }

    /// Looks for another literal to watch instead of the falsified one.
    #[inline]
    fn visit<const AT_ROOT: bool>(&mut self, watch: Watch, falsified: Lit) -> Visited {
        let clause = watch.clause();
        if watch.is_binary() {
            let reason = Reason { clause, other: falsified };
            return self.imply::<AT_ROOT>(watch.blocker, reason, watch.layer);
        }
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
            self.watchers[lit.code()].long.push(watch.with_blocker(Lit::from_code(first)));
            return Visited::Moved;
        }
        let reason = Reason { clause, other: Lit::NONE };
        self.imply::<AT_ROOT>(Lit::from_code(first), reason, watch.layer)
    }

    /// All other literals of a watched clause are false.
    #[inline]
    fn imply<const AT_ROOT: bool>(&mut self, lit: Lit, reason: Reason, layer: Layer) -> Visited {
        if AT_ROOT {
            return match self.imply_at_root(lit, reason, layer) {
                true => Visited::Kept(lit),
                false => Visited::Conflict,
            };
        }
        if self.values[lit.code()] == Value::FALSE {
            return Visited::Conflict;
        }
        let layer = if self.level() == LAYER { self.implied_layer(reason, layer) } else { layer };
        self.assign(lit, reason, layer);
        Visited::Kept(lit)
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
    fn implied_layer(&self, reason: Reason, layer: Layer) -> Layer {
        let layer_of = |lit: Lit| self.vars[lit.var().index()].layer;
        if reason.other != Lit::NONE {
            return layer.min(layer_of(reason.other));
        }
        let others = self.arena.lits(reason.clause).skip(1);
        others.fold(layer, |layer, lit| layer.min(layer_of(lit)))
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
