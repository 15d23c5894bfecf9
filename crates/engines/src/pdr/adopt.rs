//! Frames from an earlier run, for a system that has changed since [Blankestijn:
//! Incremental Property Directed Reachability, 2023, chapter 4].
//!
//! When behaviour was removed, the frames stay what they are ([`Search::constrain`]).
//! When some was added, each lemma has to show again how far it holds
//! ([`Search::relax`]). When it is not known what happened, the same is done, but first
//! the lemmas that were inductive together are reduced to those that still are
//! ([`sift`]).

use super::cube::Cube;
use super::domain::{Asked, Domain, Level};
use super::frames::Lemma;
use super::search::{Report, Search};

/// Lemmas of an earlier run, as cubes that were blocked.
pub(crate) struct Offer<A> {
    pub lemmas: Vec<(Cube<A>, Level)>,
    /// The last frame.
    pub depth: usize,
}

impl<D: Domain, R: Report<D>> Search<'_, D, R> {
    /// Starts from the frames of a system with more behaviour (Algorithm 6).
    ///
    /// Fewer steps and fewer initial states leave each Φ as it was, so nothing is asked.
    /// Some lemmas may hold longer now: as everything counts as changed, all are pushed
    /// when the next frame is opened. That is later than the algorithm has it, and
    /// saves the queries when a counterexample comes before.
    pub fn constrain(&mut self, offer: Offer<D::Atom>) {
        self.frames.set_frontier(offer.depth);
        for (cube, level) in offer.lemmas {
            let from = level.finite().unwrap_or(offer.depth);
            if self.frames.blocked_up_to(&cube, from).is_none_or(|last| last < level) {
                self.frames.insert(self.domain, cube, level);
            }
        }
    }

    /// Starts from lemmas that are known to be inductive together, and from others of
    /// which nothing is sure. If the former are enough, nobody asks for the latter.
    pub fn edit(&mut self, always: Vec<Cube<D::Atom>>, rest: Offer<D::Atom>) -> Asked<()> {
        for cube in always {
            self.frames.insert(self.domain, cube, Level::Infinite);
        }
        self.conclude(0)?;
        if self.is_decided() { Ok(()) } else { self.relax(rest) }
    }

    /// Starts from frames of which nothing is sure (Algorithm 7).
    ///
    /// A lemma that excludes all initial states and all that they lead to is one of F₁,
    /// and goes on from frame to frame as far as it holds; if there is a frame in which
    /// none falls behind, the rest is inductive. Then the search begins with the initial
    /// states as if nothing had been, and climbs quickly.
    pub fn relax(&mut self, offer: Offer<D::Atom>) -> Asked<()> {
        let cubes = offer.lemmas.into_iter().map(|(cube, _)| cube);
        let mut rising = Rising::new(self.domain, cubes);
        let result = self.climb(&mut rising, offer.depth);
        let reach = result.unwrap_or(rising.level);
        for lemma in rising.finish(self.domain) {
            self.settle(lemma, reach);
        }
        result.map(|_| ())
    }

    /// Lets lemmas rise to the frame after `last`, and tells how far they came.
    fn climb(&mut self, rising: &mut Rising<D>, last: usize) -> Asked<Level> {
        for level in 0..=last {
            let before = rising.lemmas.len();
            for (mut lemma, state) in rising.rise(self.domain, level)? {
                self.frames.set_obstacle(&mut lemma, state);
                self.settle(lemma, Level::Finite(level));
            }
            if level > 0 && rising.lemmas.len() == before {
                return Ok(Level::Infinite);
            }
        }
        Ok(Level::Finite(last + 1))
    }

    /// A lemma has come as far as it can.
    fn settle(&mut self, lemma: Lemma<D>, reach: Level) {
        if reach == Level::Finite(0) {
            self.frames.drop(self.domain, lemma);
        } else {
            self.frames.place(self.domain, lemma, reach);
        }
    }
}

/// Lemmas that hold in a frame and are to show whether they do in the next.
struct Rising<D: Domain> {
    lemmas: Vec<(Lemma<D>, D::Target)>,
    /// Where they hold.
    level: Level,
}

impl<D: Domain> Rising<D> {
    /// Lemmas that hold in F₀; cubes with initial states give none.
    fn new(domain: &mut D, cubes: impl Iterator<Item = Cube<D::Atom>>) -> Self {
        let level = Level::Finite(0);
        let mut lemmas = Vec::new();
        for cube in cubes {
            if !domain.meets_initial(cube.atoms()) {
                let target = domain.target(&cube);
                lemmas.push((Lemma::learn(domain, cube, level), target));
            }
        }
        Rising { lemmas, level }
    }

    /// Raises those that follow from the frame to the next one. The others are given
    /// back, each with a state of the frame that steps into its cube.
    fn rise(&mut self, domain: &mut D, level: usize) -> Asked<Vec<(Lemma<D>, D::State)>> {
        let mut fallen = Vec::new();
        while !self.lemmas.is_empty() {
            let targets: Vec<&D::Target> = self.lemmas.iter().map(|(_, target)| target).collect();
            let reached = domain.reached(Level::Finite(level), &targets)?;
            if reached.is_empty() {
                break;
            }
            let state = domain.state();
            for index in reached.into_iter().rev() {
                let (lemma, target) = self.lemmas.remove(index);
                domain.release(target);
                fallen.push((lemma, state.clone()));
            }
        }
        self.raise(domain, level + 1);
        Ok(fallen)
    }

    fn raise(&mut self, domain: &mut D, level: usize) {
        self.level = Level::Finite(level);
        for (lemma, _) in &self.lemmas {
            lemma.raise(domain, self.level);
        }
    }

    fn finish(self, domain: &mut D) -> Vec<Lemma<D>> {
        let mut lemmas = Vec::with_capacity(self.lemmas.len());
        for (lemma, target) in self.lemmas {
            domain.release(target);
            lemmas.push(lemma);
        }
        lemmas
    }
}

/// The lemmas of a set that are inductive together, as many as there can be, and the
/// others.
pub(crate) struct Sifted<A> {
    pub inductive: Vec<Cube<A>>,
    pub others: Vec<Cube<A>>,
}

/// Finds the largest part of the lemmas that is inductive: those which do not follow
/// from all of them one step later go, then those which do not follow from the rest,
/// and so on (Houdini).
///
/// The domain must be new, and is spent: it has learnt lemmas that may be wrong.
pub(crate) fn sift<D: Domain>(
    domain: &mut D,
    lemmas: Vec<Cube<D::Atom>>,
) -> Asked<Sifted<D::Atom>> {
    let (mut others, rest): (Vec<_>, Vec<_>) =
        lemmas.into_iter().partition(|cube| domain.meets_initial(cube.atoms()));
    // Frames that begin with all of the lemmas, not with the initial states: what none
    // falls behind in is inductive all the same.
    let mut rising = Rising::new(domain, rest.into_iter());
    rising.raise(domain, 1);
    for level in 1.. {
        let fallen = rising.rise(domain, level)?;
        if fallen.is_empty() {
            break;
        }
        others.extend(fallen.into_iter().map(|(lemma, _)| lemma.cube));
    }
    let inductive = rising.lemmas.into_iter().map(|(lemma, _)| lemma.cube).collect();
    Ok(Sifted { inductive, others })
}
