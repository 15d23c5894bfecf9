//! Frames at locations: what holds there after at most so many blocks.
//!
//! Section 3.2 of the thesis: each location has its own sequence of frames, the frame of
//! level 0 being `true` at the entry and `false` everywhere else. Kept as a delta trace:
//! a lemma of level i holds in all frames up to i.

use std::collections::BTreeMap;

use elinvar_ir::program::{LocationId, Term, Terms};

use crate::relation::Level;

/// A clause that holds at a location in all frames up to a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lemma {
    pub clause: Term,
    pub level: Level,
}

/// The frame in which a query looks for states.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub frames: &'a Frames,
    pub level: Level,
}

/// What was learnt about one location.
#[derive(Default)]
struct Lemmas {
    lemmas: Vec<Lemma>,
    /// All that was ever learnt here, in order: for solvers that catch up.
    log: Vec<Lemma>,
}

/// The frames of all locations.
#[derive(Default)]
pub struct Frames {
    at: BTreeMap<LocationId, Lemmas>,
}

impl Frames {
    /// The lemmas that are not implied by others in an obvious way.
    pub fn lemmas(&self, at: LocationId) -> &[Lemma] {
        self.at.get(&at).map_or(&[], |frame| &frame.lemmas)
    }

    /// All lemmas that were ever learnt at a location, in order.
    pub fn log(&self, at: LocationId) -> &[Lemma] {
        self.at.get(&at).map_or(&[], |frame| &frame.log)
    }

    /// Is a cube excluded at this level by one lemma, by its looks?
    pub fn excludes(&self, terms: &mut Terms, at: LocationId, cube: &[Term], level: Level) -> bool {
        let negated: Vec<Term> = cube.iter().map(|&literal| terms.not(literal)).collect();
        self.lemmas(at).iter().any(|lemma| {
            lemma.level >= level
                && terms.disjuncts(lemma.clause).iter().all(|part| negated.contains(part))
        })
    }

    /// A lemma of this level. Those that it implies, up to the same level, are forgotten.
    pub fn insert(&mut self, terms: &Terms, at: LocationId, clause: Term, level: Level) {
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
    pub fn has_level(&self, level: Level, counts: impl Fn(LocationId) -> bool) -> bool {
        self.at
            .iter()
            .any(|(&at, frame)| counts(at) && frame.lemmas.iter().any(|lemma| lemma.level == level))
    }

    /// How many lemmas of exactly this level there are, at all locations.
    pub fn count(&self, level: Level) -> usize {
        let lemmas = self.at.values().flat_map(|frame| &frame.lemmas);
        lemmas.filter(|lemma| lemma.level == level).count()
    }

    /// All lemmas of a level, as the frame of it.
    pub fn frame(&self, level: Level) -> Frame<'_> {
        Frame { frames: self, level }
    }

    /// The lemmas beyond a level, by location.
    pub fn beyond(&self, level: Level) -> BTreeMap<LocationId, Vec<Term>> {
        let lemmas = |frame: &Lemmas| {
            frame.lemmas.iter().filter(|lemma| lemma.level > level).map(|l| l.clause).collect()
        };
        self.at.iter().map(|(&at, frame)| (at, lemmas(frame))).collect()
    }
}
