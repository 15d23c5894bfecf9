//! Clauses, one after another in a single vector of words, and their layers.

use crate::literal::Lit;

/// When a clause counts.
///
/// Queries are asked at a layer and see the clauses of that layer and of every
/// later one: a clause of layer `level(3)` takes part in the queries at
/// `level(0)` to `level(3)`, a clause of layer `ALWAYS` in all. This is the delta
/// encoding of a trace of frames [Eén, Mishchenko, Brayton 2011], with no
/// activation literals: a derived clause has the least layer of the clauses it
/// was derived from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Layer(u32);

impl Layer {
    /// Part of the current query only; less than every other layer.
    pub(crate) const TEMPORARY: Layer = Layer(0);
    /// The layer of clauses that hold in every frame (F∞).
    pub const ALWAYS: Layer = Layer(u32::MAX);

    /// The layer of the frame with this number.
    pub fn level(level: usize) -> Layer {
        Layer(u32::try_from(level + 1).expect("fewer than 2^32 frames"))
    }

    /// A number that stands for the layer in records of calls.
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// The layer of a number that [`Layer::number`] gave.
    pub fn from_number(number: usize) -> Layer {
        Layer(u32::try_from(number).expect("layers have 32 bits"))
    }

    /// Does a clause of this layer take part in a query at `query`?
    #[inline]
    pub(crate) fn active_at(self, query: Layer) -> bool {
        self >= query || self == Layer::TEMPORARY
    }
}

/// What a clause is, which decides how it is treated and when it goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Given by the caller, part of a definition: never removed.
    Original,
    /// Given by the caller, removed by it.
    Lemma,
    /// Derived.
    Learnt,
}

/// Where a clause starts in the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ClauseRef(pub(crate) u32);

impl ClauseRef {
    pub(crate) const NONE: ClauseRef = ClauseRef(u32::MAX);

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// A small number that no other clause has: none is shorter than its header.
    pub(crate) fn place(self) -> usize {
        self.index() / HEADER
    }
}

/// Words before the literals: length and kind, layer, a number for the owner.
const HEADER: usize = 3;
const KIND_BITS: u32 = 3;
const REMOVED: u32 = 4;

#[derive(Clone, Default)]
pub(crate) struct Arena {
    words: Vec<u32>,
    wasted: usize,
}

impl Arena {
    pub fn add(&mut self, lits: &[Lit], kind: Kind, layer: Layer, note: u32) -> ClauseRef {
        let start = self.words.len();
        // Watches have two bits of their own in the word of the place.
        assert!(start + HEADER + lits.len() < 1 << 30, "the clauses fill more than 4 GiB");
        let code = match kind {
            Kind::Original => 0,
            Kind::Lemma => 1,
            Kind::Learnt => 2,
        };
        self.words.extend([(lits.len() as u32) << KIND_BITS | code, layer.0, note]);
        self.words.extend(lits.iter().map(|lit| lit.code() as u32));
        ClauseRef(start as u32)
    }

    #[inline]
    pub fn len(&self, clause: ClauseRef) -> usize {
        (self.words[clause.index()] >> KIND_BITS) as usize
    }

    #[inline]
    pub fn kind(&self, clause: ClauseRef) -> Kind {
        match self.words[clause.index()] & 3 {
            0 => Kind::Original,
            1 => Kind::Lemma,
            _ => Kind::Learnt,
        }
    }

    #[inline]
    pub fn layer(&self, clause: ClauseRef) -> Layer {
        Layer(self.words[clause.index() + 1])
    }

    pub fn set_layer(&mut self, clause: ClauseRef, layer: Layer) {
        self.words[clause.index() + 1] = layer.0;
    }

    #[inline]
    pub fn note(&self, clause: ClauseRef) -> u32 {
        self.words[clause.index() + 2]
    }

    #[inline]
    pub fn set_note(&mut self, clause: ClauseRef, note: u32) {
        self.words[clause.index() + 2] = note;
    }

    #[inline]
    pub fn lit(&self, clause: ClauseRef, position: usize) -> Lit {
        Lit::from_code(self.words[clause.index() + HEADER + position] as usize)
    }

    #[inline]
    pub fn lits(&self, clause: ClauseRef) -> impl DoubleEndedIterator<Item = Lit> + '_ {
        let start = clause.index() + HEADER;
        let end = start + self.len(clause);
        self.words[start..end].iter().map(|&code| Lit::from_code(code as usize))
    }

    /// The literals as numbers, to be permuted in place.
    #[inline]
    pub fn codes_mut(&mut self, clause: ClauseRef) -> &mut [u32] {
        let start = clause.index() + HEADER;
        let end = start + self.len(clause);
        &mut self.words[start..end]
    }

    pub fn remove(&mut self, clause: ClauseRef) {
        self.words[clause.index()] |= REMOVED;
        self.wasted += HEADER + self.len(clause);
    }

    #[inline]
    pub fn is_removed(&self, clause: ClauseRef) -> bool {
        self.words[clause.index()] & REMOVED != 0
    }

    pub fn is_mostly_waste(&self) -> bool {
        self.wasted > 1 << 16 && self.wasted * 3 > self.words.len()
    }

    /// Closes the gaps of removed clauses; the old words are overwritten by the
    /// new places, which [`Moved::place`] reads.
    pub fn compact(&mut self) -> Moved {
        let mut old = std::mem::take(&mut self.words);
        self.words.reserve(old.len() - self.wasted);
        let mut start = 0;
        while start < old.len() {
            let size = HEADER + (old[start] >> KIND_BITS) as usize;
            if old[start] & REMOVED == 0 {
                let place = self.words.len() as u32;
                self.words.extend_from_slice(&old[start..start + size]);
                old[start + 1] = place;
            } else {
                old[start + 1] = u32::MAX;
            }
            start += size;
        }
        self.wasted = 0;
        Moved { old }
    }
}

/// Where clauses went when the arena was compacted.
pub(crate) struct Moved {
    old: Vec<u32>,
}

impl Moved {
    /// The new place, unless the clause was removed.
    pub fn place(&self, clause: ClauseRef) -> Option<ClauseRef> {
        let place = self.old[clause.index() + 1];
        (place != u32::MAX).then_some(ClauseRef(place))
    }
}
