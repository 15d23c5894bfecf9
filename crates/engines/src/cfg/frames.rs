//! Frames at locations: what holds there after at most so many blocks.
//!
//! Section 3.2 of the thesis: each location has its own sequence of frames, the frame of
//! level 0 being `true` at the entry and `false` everywhere else. Kept as a delta trace:
//! a lemma of level i holds in all frames up to i.

use std::collections::BTreeMap;

use elinvar_ir::program::{LocationId, Term, Terms};

/// The level of what holds after any number of blocks.
pub const INVARIANT: usize = usize::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lemma {
    pub clause: Term,
    pub level: usize,
}

#[derive(Default)]
struct Frame {
    lemmas: Vec<Lemma>,
    /// All that was ever learnt here, in order: for solvers that catch up.
    log: Vec<Lemma>,
}

#[derive(Default)]
pub struct Frames {
    at: BTreeMap<LocationId, Frame>,
}

impl Frames {
    /// The lemmas that are not implied by others in an obvious way.
    pub fn lemmas(&self, at: LocationId) -> &[Lemma] {
        self.at.get(&at).map_or(&[], |frame| &frame.lemmas)
    }

    pub fn log(&self, at: LocationId) -> &[Lemma] {
        self.at.get(&at).map_or(&[], |frame| &frame.log)
    }

    /// Is a cube excluded at this level by one lemma, by its looks?
    pub fn excludes(&self, terms: &mut Terms, at: LocationId, cube: &[Term], level: usize) -> bool {
        let negated: Vec<Term> = cube.iter().map(|&literal| terms.not(literal)).collect();
        self.lemmas(at).iter().any(|lemma| {
            lemma.level >= level
                && terms.disjuncts(lemma.clause).iter().all(|part| negated.contains(part))
        })
    }

    /// A lemma of this level. Those that it implies, up to the same level, are forgotten.
    pub fn insert(&mut self, terms: &Terms, at: LocationId, clause: Term, level: usize) {
        let parts = terms.disjuncts(clause);
        let frame = self.at.entry(at).or_default();
        let implies = |one: &[Term], other: Term| {
            let other = terms.disjuncts(other);
            one.iter().all(|part| other.contains(part))
        };
        if frame
            .lemmas
            .iter()
            .any(|known| known.level >= level && implies(&terms.disjuncts(known.clause), clause))
        {
            return;
        }
        frame.lemmas.retain(|known| known.level > level || !implies(&parts, known.clause));
        let lemma = Lemma { clause, level };
        frame.lemmas.push(lemma);
        frame.log.push(lemma);
    }

    /// Does some location have a lemma of exactly this level?
    pub fn has_level(&self, level: usize, counts: impl Fn(LocationId) -> bool) -> bool {
        self.at
            .iter()
            .any(|(&at, frame)| counts(at) && frame.lemmas.iter().any(|lemma| lemma.level == level))
    }

    /// How many lemmas of exactly this level there are, at all locations.
    pub fn count(&self, level: usize) -> usize {
        let lemmas = self.at.values().flat_map(|frame| &frame.lemmas);
        lemmas.filter(|lemma| lemma.level == level).count()
    }

    /// The lemmas beyond a level, by location.
    pub fn beyond(&self, level: usize) -> BTreeMap<LocationId, Vec<Term>> {
        let lemmas = |frame: &Frame| {
            frame.lemmas.iter().filter(|lemma| lemma.level > level).map(|l| l.clause).collect()
        };
        self.at.iter().map(|(&at, frame)| (at, lemmas(frame))).collect()
    }
}
