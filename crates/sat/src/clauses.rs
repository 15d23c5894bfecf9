//! The clauses: how they come in, change their layers, and go.

use crate::arena::{ClauseRef, Kind, Layer};
use crate::literal::Lit;
use crate::proof::Proof;
use crate::record::Call;
use crate::solver::{Reason, Solver, Value};
use crate::units::Unit;

/// The name of a lemma, until it is removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LemmaId(u32);

impl LemmaId {
    /// A number that no other lemma has while this one is not removed.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a lemma is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Clause {
        clause: ClauseRef,
        /// The literal under which the lemma is found when the domain is closed.
        witness: Lit,
    },
    /// At this place in the list of units.
    Unit(u32),
    /// All literals are false at level 0.
    False { clause: ClauseRef },
    /// True at level 0 whatever happens, or removed.
    Nowhere,
}

impl<P: Proof> Solver<P> {
    /// Adds a permanent clause. For queries of scope `Cone` it must be part of the definition
    /// of a variable, or mention only permanent variables.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.record(Call::Clause(lits));
        self.reset();
        self.originals += 1;
        self.insert(lits, Kind::Original, Layer::ALWAYS, None);
    }

    /// Adds a clause over variables with defaults for queries at `layer` and below.
    pub fn add_lemma(&mut self, lits: &[Lit], layer: Layer) -> LemmaId {
        self.record(Call::Lemma(lits, layer));
        self.reset();
        let id = self.free_lemmas.pop().unwrap_or_else(|| {
            self.lemmas.push(Place::Nowhere);
            LemmaId(self.lemmas.len() as u32 - 1)
        });
        self.lemmas[id.0 as usize] = Place::Nowhere;
        self.insert(lits, Kind::Lemma, layer, Some(id));
        id
    }

    /// Lets a lemma count in later layers, too.
    pub fn raise_lemma(&mut self, id: LemmaId, layer: Layer) {
        self.record(Call::Raise(id, layer));
        self.reset();
        match self.lemmas[id.0 as usize] {
            Place::Clause { clause, .. } => {
                self.arena.set_layer(clause, layer);
                for position in 0..2 {
                    let list = &mut self.watchers[self.arena.lit(clause, position).code()].long;
                    let watch = list.iter_mut().rfind(|watch| watch.clause() == clause);
                    watch.expect("a lemma is watched twice").layer = layer;
                }
                self.imply_if_unit(clause, layer);
            }
            Place::Unit(place) => {
                if layer == Layer::ALWAYS {
                    self.lemmas[id.0 as usize] = Place::Nowhere;
                    let unit = self.remove_unit(place);
                    self.fix(unit.lit, unit.clause);
                } else {
                    self.units.raise(place as usize, layer);
                }
            }
            Place::False { clause } => self.refute(layer, clause),
            Place::Nowhere => {}
        }
    }

    /// Propagation has seen a clause that is unit at level 0, but not with its
    /// new layer.
    pub(crate) fn imply_if_unit(&mut self, clause: ClauseRef, layer: Layer) {
        let is_open = |lit: &Lit| self.values[lit.code()] != Value::FALSE;
        let (first, others) = {
            let mut open = self.arena.lits(clause).filter(is_open);
            (open.next(), open.count())
        };
        if others == 0 {
            let lit = first.unwrap_or(self.arena.lit(clause, 0));
            if self.imply_at_root(lit, Reason { clause, other: Lit::NONE }, layer) {
                self.propagate_root();
            } else {
                self.refute(layer, clause);
            }
        }
    }

    /// Removes a lemma that the others imply wherever it counts, as do those of
    /// the same or later layers that subsume it: what was learnt from it stays.
    pub fn remove_lemma(&mut self, id: LemmaId) {
        self.record(Call::Remove(id));
        self.reset();
        match std::mem::replace(&mut self.lemmas[id.0 as usize], Place::Nowhere) {
            Place::Clause { clause, witness } => {
                if witness != Lit::NONE {
                    let list = &mut self.domain.witnesses[witness.code()];
                    let index = list.iter().position(|entry| entry.clause == clause);
                    list.swap_remove(index.expect("a lemma is filed under its witness"));
                }
                self.detach(clause);
            }
            Place::Unit(place) => {
                self.remove_unit(place);
            }
            Place::False { .. } | Place::Nowhere => {}
        }
        self.free_lemmas.push(id);
    }

    fn remove_unit(&mut self, place: u32) -> Unit {
        let (unit, moved) = self.units.remove(place as usize);
        if let Some(lemma) = moved.and_then(|moved| moved.lemma) {
            self.lemmas[lemma.index()] = Place::Unit(place);
        }
        unit
    }

    /// Adds a clause at level 0, in the form that its values allow.
    pub(crate) fn insert(&mut self, lits: &[Lit], kind: Kind, layer: Layer, id: Option<LemmaId>) {
        let mut clause = std::mem::take(&mut self.scratch);
        clause.clear();
        clause.extend_from_slice(lits);
        clause.sort_unstable();
        clause.dedup();
        let tautology = clause.windows(2).any(|pair| pair[0] == !pair[1]);
        let satisfied = clause.iter().any(|lit| self.values[lit.code()] == Value::TRUE);
        if !tautology && (!satisfied || P::LOGS) {
            if P::LOGS {
                // What is false must stay for the proof; what is not is watched.
                clause.sort_by_key(|lit| self.values[lit.code()] == Value::FALSE);
            } else {
                clause.retain(|lit| self.values[lit.code()] != Value::FALSE);
            }
            self.insert_simplified(&clause, kind, layer, id, satisfied);
        }
        self.scratch = clause;
    }

    pub(crate) fn insert_simplified(
        &mut self,
        lits: &[Lit],
        kind: Kind,
        layer: Layer,
        id: Option<LemmaId>,
        satisfied: bool,
    ) {
        let open = lits.iter().take_while(|lit| self.values[lit.code()] != Value::FALSE).count();
        let note = id.map_or(u32::MAX, |id| id.0);
        let mut clause = ClauseRef::NONE;
        if open >= 2 || P::LOGS {
            clause = self.arena.add(lits, kind, layer, note);
            self.proof.original(clause, lits);
        }
        match open {
            _ if satisfied => {}
            0 => {
                self.refute(layer, clause);
                if let Some(id) = id {
                    self.lemmas[id.0 as usize] = Place::False { clause };
                }
            }
            1 if layer == Layer::ALWAYS => self.fix(lits[0], clause),
            1 => {
                let place = self.units.push(Unit { lit: lits[0], layer, clause, lemma: id });
                if let Some(id) = id {
                    self.lemmas[id.0 as usize] = Place::Unit(place as u32);
                    if !self.is_default(lits[0]) {
                        self.make_permanent_alone(lits[0].var());
                    }
                }
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                }
            }
            _ => {
                self.attach(clause);
                if layer == Layer::TEMPORARY {
                    self.temporaries.push(clause);
                }
                if let Some(id) = id {
                    let witness = self.file_lemma(clause);
                    self.lemmas[id.0 as usize] = Place::Clause { clause, witness };
                }
            }
        }
    }

    /// Makes a literal true permanently.
    pub(crate) fn fix(&mut self, lit: Lit, clause: ClauseRef) {
        match self.values[lit.code()] {
            Value::TRUE => {}
            Value::FALSE => self.refute(Layer::ALWAYS, clause),
            _ => {
                self.assign(lit, Reason { clause, other: Lit::NONE }, Layer::ALWAYS);
                self.propagate_root();
            }
        }
    }

    /// No query that sees `clause` has a model: all its literals are false at
    /// level 0.
    pub(crate) fn refute(&mut self, layer: Layer, clause: ClauseRef) {
        match layer {
            Layer::ALWAYS => self.contradiction = true,
            Layer::TEMPORARY => self.hopeless = true,
            _ => self.refuted = self.refuted.max(layer),
        }
        if P::LOGS {
            self.log_refutation(layer, clause);
        }
    }

    /// Is it known at level 0 that the current query has no model?
    pub(crate) fn is_refuted(&mut self) -> bool {
        let refuted = self.contradiction || self.hopeless || self.layer <= self.refuted;
        if P::LOGS && refuted {
            self.log_refuted();
        }
        refuted
    }

    pub(crate) fn propagate_root(&mut self) {
        if let Some(conflict) = self.propagate::<true>() {
            self.refute(Layer::ALWAYS, conflict.clause);
        }
        while let Some(&lit) = self.trail.get(self.domain.deviating_seen) {
            self.domain.deviating_seen += 1;
            if self.domain.defaults[lit.var().index()] == Value(lit.is_negative() as u8) {
                self.domain.deviating.push(lit);
            }
        }
    }

    /// Removes what is satisfied at level 0, when enough was fixed since the last
    /// time to make a pass over all clauses worth it. Lemmas stay with their owner.
    pub(crate) fn simplify_if_fixed(&mut self) {
        let grown = self.trail.len() - self.simplified;
        if grown * 64 < self.vars.len().min(4096) || grown == 0 {
            return;
        }
        self.simplified = self.trail.len();
        let (arena, values) = (&mut self.arena, &self.values);
        for watchers in &mut self.watchers {
            watchers.retain(|clause| {
                if !arena.is_removed(clause)
                    && arena.kind(clause) != Kind::Lemma
                    && arena.lits(clause).any(|lit| values[lit.code()] == Value::TRUE)
                {
                    arena.remove(clause);
                }
                !arena.is_removed(clause)
            });
        }
        self.learnts.retain(|&clause| !self.arena.is_removed(clause));
    }

    /// Forgets the older half of the learnt clauses when there are too many.
    pub(crate) fn reduce_if_many(&mut self) {
        self.max_learnts = self.max_learnts.max(500 + self.originals / 8);
        if self.learnts.len() > self.max_learnts {
            self.reduce();
        }
        // A log refers to clauses by their places.
        if self.arena.is_mostly_waste() && !P::LOGS {
            self.compact();
        }
    }

    /// No query will be asked below this layer any more: what was learnt for such
    /// queries alone goes.
    pub fn expire(&mut self, layer: Layer) {
        self.record(Call::Expire(layer));
        self.reset();
        if layer <= self.expired {
            return;
        }
        self.expired = layer;
        let (arena, before) = (&mut self.arena, self.learnts.len());
        self.learnts.retain(|&clause| {
            let keep = arena.layer(clause) >= layer;
            if !keep {
                arena.remove(clause);
            }
            keep
        });
        for (place, unit) in self.units.expire(layer).iter().enumerate() {
            if let Some(lemma) = unit.lemma {
                self.lemmas[lemma.index()] = Place::Unit(place as u32);
            }
        }
        if self.learnts.len() < before {
            for watchers in &mut self.watchers {
                watchers.retain(|clause| !self.arena.is_removed(clause));
            }
        }
    }

    pub(crate) fn reduce(&mut self) {
        let mut learnts = std::mem::take(&mut self.learnts);
        // What was of use lately is likely to be of use again.
        learnts.sort_by_key(|&clause| self.arena.note(clause));
        let old = learnts.len() / 2;
        let mut index = 0;
        let mut watched = Vec::with_capacity(2 * old);
        learnts.retain(|&clause| {
            index += 1;
            let keep = index > old || self.arena.len(clause) == 2;
            if !keep {
                watched.extend(self.watched_lits(clause));
                self.arena.remove(clause);
            }
            keep
        });
        // Most lists have none of these clauses.
        watched.sort_unstable();
        watched.dedup();
        for lit in watched {
            self.watchers[lit.code()].retain(|clause| !self.arena.is_removed(clause));
        }
        // Binary clauses stay: however many they are, the next time is far enough away.
        self.max_learnts = self.max_learnts.max(learnts.len() + learnts.len() / 2);
        self.learnts = learnts;
    }

    /// Moves the clauses together. At level 0 no reason is needed any more.
    pub(crate) fn compact(&mut self) {
        let moved = self.arena.compact();
        let place = |clause: ClauseRef| moved.place(clause).expect("the clause is in use");
        for watchers in &mut self.watchers {
            watchers.follow(&moved);
        }
        for clause in self.learnts.iter_mut().chain(&mut self.temporaries) {
            if *clause != ClauseRef::NONE {
                *clause = place(*clause);
            }
        }
        for list in &mut self.domain.witnesses {
            for entry in list {
                entry.clause = place(entry.clause);
            }
        }
        for lemma in &mut self.lemmas {
            if let Place::Clause { clause, .. } = lemma {
                *clause = place(*clause);
            }
        }
    }
}
