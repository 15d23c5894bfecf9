//! The lists of clauses that a literal has to look at when it becomes false.
//!
//! Queries are short: they assign each variable of their domain about once, so the time
//! goes into fetching these lists and the clauses behind them from memory. Most clauses
//! define gates and have two or three literals. They are kept whole in the lists of all
//! their literals and are never looked up in the arena; the lists of one literal lie side
//! by side.

use crate::arena::{ClauseRef, Kind, Layer, Moved};
use crate::literal::Lit;
use crate::proof::Proof;
use crate::solver::Solver;

/// The clauses to look at when a literal becomes false.
#[derive(Clone, Default)]
pub(crate) struct Watchers {
    pub short: Vec<Short>,
    pub long: Vec<Watch>,
}

/// A clause of two or three literals that counts in every layer and is no lemma, in the
/// list of one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short {
    /// The other literals; the second one is the literal of the list if the clause is binary.
    pub others: [Lit; 2],
    pub clause: ClauseRef,
}

/// One of two watches of any other clause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    /// A literal that satisfies the clause when true; the other one if binary.
    pub blocker: Lit,
    pub layer: Layer,
    /// The clause, and in bits 0 and 1 whether it is a lemma and whether it is binary.
    clause: u32,
}

const LEMMA: u32 = 1;
const BINARY: u32 = 2;

impl Watch {
    #[inline]
    pub fn with_blocker(self, blocker: Lit) -> Self {
        Watch { blocker, ..self }
    }

    #[inline]
    pub fn clause(self) -> ClauseRef {
        ClauseRef(self.clause >> 2)
    }

    #[inline]
    pub fn is_lemma(self) -> bool {
        self.clause & LEMMA != 0
    }

    #[inline]
    pub fn is_binary(self) -> bool {
        self.clause & BINARY != 0
    }
}

impl Watchers {
    /// Keeps only some clauses.
    pub fn retain(&mut self, mut keep: impl FnMut(ClauseRef) -> bool) {
        self.short.retain(|short| keep(short.clause));
        self.long.retain(|watch| keep(watch.clause()));
    }

    /// Follows clauses to their new places.
    pub fn follow(&mut self, moved: &Moved) {
        let place = |clause: ClauseRef| moved.place(clause).expect("the clause is in use");
        for short in &mut self.short {
            short.clause = place(short.clause);
        }
        for watch in &mut self.long {
            watch.clause = place(watch.clause()).0 << 2 | watch.clause & (LEMMA | BINARY);
        }
    }

    /// Removes a clause. What was added last is near the end of its list.
    fn remove(&mut self, clause: ClauseRef) {
        if let Some(index) = self.short.iter().rposition(|short| short.clause == clause) {
            self.short.swap_remove(index);
        } else if let Some(index) = self.long.iter().rposition(|watch| watch.clause() == clause) {
            self.long.swap_remove(index);
        }
    }
}

impl<P: Proof> Solver<P> {
    /// Is the clause kept whole in the lists of its literals?
    fn is_short(&self, clause: ClauseRef) -> bool {
        self.arena.len(clause) <= 3
            && self.arena.layer(clause) == Layer::ALWAYS
            && self.arena.kind(clause) != Kind::Lemma
    }

    /// The literals in whose lists the clause is.
    pub(crate) fn watched_lits(&self, clause: ClauseRef) -> impl Iterator<Item = Lit> + use<'_, P> {
        let count = if self.is_short(clause) { self.arena.len(clause) } else { 2 };
        self.arena.lits(clause).take(count)
    }

    /// Puts a clause of at least two literals into the lists of its literals.
    pub(crate) fn attach(&mut self, clause: ClauseRef) {
        let (a, b) = (self.arena.lit(clause, 0), self.arena.lit(clause, 1));
        if self.is_short(clause) {
            if self.arena.len(clause) == 2 {
                self.watchers[a.code()].short.push(Short { others: [b, a], clause });
                self.watchers[b.code()].short.push(Short { others: [a, b], clause });
                return;
            }
            let c = self.arena.lit(clause, 2);
            for (lit, others) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
                self.watchers[lit.code()].short.push(Short { others, clause });
            }
            return;
        }
        let layer = self.arena.layer(clause);
        let lemma = if self.arena.kind(clause) == Kind::Lemma { LEMMA } else { 0 };
        let binary = if self.arena.len(clause) == 2 { BINARY } else { 0 };
        for (lit, blocker) in [(a, b), (b, a)] {
            let watch = Watch { blocker, layer, clause: clause.0 << 2 | lemma | binary };
            self.watchers[lit.code()].long.push(watch);
        }
    }

    /// Takes a clause out of the lists and out of the arena.
    pub(crate) fn detach(&mut self, clause: ClauseRef) {
        if clause == ClauseRef::NONE {
            return;
        }
        if self.arena.len(clause) >= 2 {
            let watched = if self.is_short(clause) { self.arena.len(clause) } else { 2 };
            for position in 0..watched {
                self.watchers[self.arena.lit(clause, position).code()].remove(clause);
            }
        }
        if !P::LOGS {
            self.arena.remove(clause);
        }
    }

    /// Puts the lists of short clauses, which do not change between queries, one after
    /// the other in memory when their number has doubled.
    pub(crate) fn line_up_lists(&mut self) {
        if self.originals < 2 * self.lined_up + 64 {
            return;
        }
        self.lined_up = self.originals;
        for watchers in &mut self.watchers {
            watchers.short = watchers.short.as_slice().into();
        }
    }
}
