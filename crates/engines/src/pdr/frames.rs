//! The trace of frames, as differences: each lemma is kept once, at the last
//! level where it is known to hold [Eén, Mishchenko, Brayton 2011], or in F∞ when
//! it is inductive relative to F∞.
//!
//! F₀ is the initial states; Fᵢ is the conjunction of the lemmas of levels i and
//! above and of F∞; so Fᵢ ⇒ Fᵢ₊₁, and Fᵢ ∧ T ⇒ F′ᵢ₊₁ by the way lemmas come in.
//! Lemmas of an earlier run may be known for levels beyond the frontier.

use std::cell::Cell;
use std::rc::Rc;

use super::cube::Cube;
use super::domain::{Domain, Level};
use super::index::{Index, Place};

/// A cube that is blocked.
#[derive(Debug)]
pub(crate) struct Lemma<D: Domain> {
    pub cube: Cube<D::Atom>,
    name: D::Lemma,
    place: Place,
    /// A state of its frame that steps into the cube, and how many lemmas there
    /// had been when it was found: while no later one excludes it, the lemma
    /// cannot be pushed.
    obstacle: Option<(D::State, usize)>,
    /// A state of F∞ outside the cube that steps into it, and how large F∞ was when it was
    /// found: while no later lemma of F∞ excludes it, the lemma is no part of F∞.
    outsider: Option<(D::State, usize)>,
}

impl<D: Domain> Lemma<D> {
    /// A lemma that the domain knows, and that has no place yet.
    pub fn learn(domain: &mut D, cube: Cube<D::Atom>, level: Level) -> Self {
        let name = domain.learn(&cube, level);
        let place = Rc::new(Cell::new(level));
        Lemma { cube, name, place, obstacle: None, outsider: None }
    }

    /// A lemma without a place holds up to a later level.
    pub fn raise(&self, domain: &mut D, level: Level) {
        domain.raise(self.name, &self.cube, level);
    }

    /// A lemma without a place is not needed any more.
    pub fn forget(self, domain: &mut D) {
        domain.forget(self.name);
    }
}

pub(crate) struct Frames<D: Domain> {
    levels: Vec<Vec<Lemma<D>>>,
    frontier: usize,
    infinite: Vec<Lemma<D>>,
    /// Of all lemmas that were given a place, if cubes cover one another by inclusion.
    index: Index<D::Atom>,
    /// All lemmas in the order of their coming, with their first levels.
    history: Vec<(usize, Cube<D::Atom>)>,
    /// The lowest level that changed since lemmas were last pushed.
    changed: usize,
}

impl<D: Domain> Frames<D> {
    pub fn new() -> Self {
        Frames {
            levels: vec![Vec::new()],
            frontier: 0,
            infinite: Vec::new(),
            index: Index::new(),
            history: Vec::new(),
            changed: 1,
        }
    }

    /// The last frame in which bad states are looked for.
    pub fn frontier(&self) -> usize {
        self.frontier
    }

    pub fn open(&mut self) {
        self.set_frontier(self.frontier + 1);
    }

    pub fn set_frontier(&mut self, frontier: usize) {
        self.frontier = frontier;
        if self.levels.len() <= frontier {
            self.levels.resize_with(frontier + 1, Vec::new);
        }
    }

    /// The last level that has a place.
    pub fn last(&self) -> usize {
        self.levels.len() - 1
    }

    pub fn level(&self, level: usize) -> &[Lemma<D>] {
        &self.levels[level]
    }

    pub fn infinite(&self) -> &[Lemma<D>] {
        &self.infinite
    }

    /// The number of lemmas by level, from 1.
    pub fn sizes(&self) -> Vec<usize> {
        self.levels[1..].iter().map(Vec::len).collect()
    }

    /// The lowest changed level; all below the frontier count as unchanged from now on.
    pub fn take_changed(&mut self) -> usize {
        std::mem::replace(&mut self.changed, self.frontier)
    }

    /// The last level at which a lemma blocks the whole cube.
    pub fn blocked_up_to(&self, domain: &D, cube: &Cube<D::Atom>, from: usize) -> Option<Level> {
        if D::COVERS_BY_INCLUSION {
            return self.index.subsumed_up_to(cube, Level::Finite(from), None);
        }
        let blocks = |lemma: &Lemma<D>| domain.covers(&lemma.cube, cube);
        if self.infinite.iter().any(blocks) {
            return Some(Level::Infinite);
        }
        let mut levels = (from..self.levels.len()).rev();
        let level = levels.find(|&level| self.levels[level].iter().any(blocks));
        level.map(Level::Finite)
    }

    /// Does another lemma of this level or a later one say at least as much as a lemma that
    /// was taken out?
    pub fn is_covered(&self, domain: &D, lemma: &Lemma<D>, level: usize) -> bool {
        if D::COVERS_BY_INCLUSION {
            let (from, except) = (Level::Finite(level), Some(&lemma.place));
            return self.index.subsumed_up_to(&lemma.cube, from, except).is_some();
        }
        self.blocked_up_to(domain, &lemma.cube, level).is_some()
    }

    /// A lemma of exactly this level that blocks the cube.
    pub fn parent(&self, cube: &Cube<D::Atom>, level: usize) -> Option<&Lemma<D>> {
        self.levels.get(level)?.iter().find(|lemma| lemma.cube.subsumes(cube))
    }

    /// Blocks a cube up to a level; what follows from it goes.
    pub fn insert(&mut self, domain: &mut D, cube: Cube<D::Atom>, level: Level) {
        let lemma = Lemma::learn(domain, cube, level);
        self.place(domain, lemma, level);
    }

    /// Gives a lemma its place; what follows from it goes.
    pub fn place(&mut self, domain: &mut D, lemma: Lemma<D>, level: Level) {
        let last = level.finite().unwrap_or(self.last());
        if self.levels.len() <= last {
            self.levels.resize_with(last + 1, Vec::new);
        }
        for lemmas in &mut self.levels[..=last] {
            lemmas.retain(|other| {
                let weaker = domain.covers(&lemma.cube, &other.cube);
                if weaker {
                    domain.forget(other.name);
                }
                !weaker
            });
        }
        self.history.push((last, lemma.cube.clone()));
        lemma.place.set(level);
        if D::COVERS_BY_INCLUSION {
            self.index.insert(&lemma.cube, &lemma.place);
        }
        match level {
            Level::Finite(level) => {
                self.changed = self.changed.min(level);
                self.levels[level].push(lemma);
            }
            Level::Infinite => {
                domain.raise(lemma.name, &lemma.cube, Level::Infinite);
                self.infinite.push(lemma);
            }
        }
    }

    /// Takes the lemmas of a level out, to be pushed and put back one by one.
    pub fn take_level(&mut self, level: usize) -> Vec<Lemma<D>> {
        let mut lemmas = std::mem::take(&mut self.levels[level]);
        lemmas.sort_by_key(|lemma| lemma.cube.len());
        lemmas
    }

    /// Puts a lemma back where it was.
    pub fn put_back(&mut self, level: usize, lemma: Lemma<D>) {
        debug_assert_eq!(lemma.place.get(), Level::Finite(level), "it was taken from here");
        self.levels[level].push(lemma);
    }

    /// Gives a lemma that was taken out a place at a later level. Unlike [`Frames::place`],
    /// this compares it with no other lemma: its cube is what it was, so that it makes few
    /// others redundant, and `Search::push_level` has looked for lemmas that cover it.
    pub fn promote(&mut self, domain: &mut D, mut lemma: Lemma<D>, level: Level) {
        domain.raise(lemma.name, &lemma.cube, level);
        lemma.place.set(level);
        lemma.obstacle = None;
        if level == Level::Infinite {
            lemma.outsider = None;
        }
        let last = match level {
            Level::Finite(level) => level,
            Level::Infinite => self.last(),
        };
        self.history.push((last, lemma.cube.clone()));
        match level {
            Level::Finite(level) => self.levels[level].push(lemma),
            Level::Infinite => self.infinite.push(lemma),
        }
    }

    /// All lemmas after a level that has none of its own: the frames there are the
    /// same, so they are inductive together.
    pub fn settle(&mut self, domain: &mut D, level: usize) {
        for above in level + 1..self.levels.len() {
            for lemma in std::mem::take(&mut self.levels[above]) {
                self.promote(domain, lemma, Level::Infinite);
            }
        }
    }

    /// Tells the domain the lemmas of F∞ again, after it has forgotten all.
    pub fn learn_again(&mut self, domain: &mut D) {
        debug_assert!(self.levels.iter().all(Vec::is_empty), "the others were taken out");
        for lemma in &mut self.infinite {
            lemma.name = domain.learn(&lemma.cube, Level::Infinite);
        }
    }

    /// Every lemma, with the last level where it is known to hold.
    pub fn iter(&self) -> impl Iterator<Item = (Level, &Lemma<D>)> {
        let finite = self.levels.iter().enumerate();
        let finite = finite
            .flat_map(|(level, lemmas)| lemmas.iter().map(move |l| (Level::Finite(level), l)));
        finite.chain(self.infinite.iter().map(|lemma| (Level::Infinite, lemma)))
    }

    /// How many lemmas have come so far.
    pub fn count(&self) -> usize {
        self.history.len()
    }

    /// The lemmas that came after the first so many, with the levels they came to.
    pub fn since(&self, count: usize) -> &[(usize, Cube<D::Atom>)] {
        &self.history[count..]
    }

    /// Is the lemma known not to hold after `level`?
    pub fn is_obstructed(&self, domain: &D, lemma: &mut Lemma<D>, level: usize) -> bool {
        let Some((state, seen)) = &mut lemma.obstacle else { return false };
        let excluded = self.history[*seen..]
            .iter()
            .any(|(last, cube)| *last >= level && domain.contains(cube.atoms(), state));
        if excluded {
            lemma.obstacle = None;
            return false;
        }
        *seen = self.history.len();
        true
    }

    /// Is the lemma known not to be inductive relative to F∞?
    pub fn is_kept_out(&self, domain: &D, lemma: &mut Lemma<D>) -> bool {
        let Some((state, seen)) = &mut lemma.outsider else { return false };
        let new = &self.infinite[*seen..];
        if new.iter().any(|other| domain.contains(other.cube.atoms(), state)) {
            lemma.outsider = None;
            return false;
        }
        *seen = self.infinite.len();
        true
    }

    pub fn set_outsider(&self, lemma: &mut Lemma<D>, state: D::State) {
        lemma.outsider = Some((state, self.infinite.len()));
    }

    pub fn set_obstacle(&self, lemma: &mut Lemma<D>, state: D::State) {
        lemma.obstacle = Some((state, self.history.len()));
    }
}
