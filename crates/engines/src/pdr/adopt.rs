//! Frames from an earlier run, for a system that has changed since [Blankestijn:
//! Incremental Property Directed Reachability, 2023, chapter 4].
//!
//! When behaviour was removed, the frames stay what they are ([`Search::constrain`]).
//! When some was added, or when it is not known what happened, the lemmas that were
//! inductive together are reduced to those that still are ([`sift`]); the others have
//! to show again, from frame to frame, how far they hold ([`Search::relax`]). That
//! would find the inductive ones as well, but only after as many frames as there were.

use super::cube::Cube;
use super::domain::{Adopting, Interruptible, Level};
use super::frames::Lemma;
use super::search::{Report, Search};

/// How many lemmas are asked about in one query, of few and of many. More make fewer
/// queries, but harder ones: among thousands of lemmas, eight together take ten times as
/// long as each alone.
const TOGETHER: usize = 8;
const TOGETHER_OF_MANY: usize = 1;
const MANY: usize = 1000;

/// Lemmas of an earlier run, as cubes that were blocked.
pub(crate) struct Offer<A> {
    pub lemmas: Vec<(Cube<A>, Level)>,
    /// The last frame.
    pub depth: usize,
}

impl<D: Adopting, R: Report<D>> Search<'_, D, R> {
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
            if self.frames.blocked_up_to(self.domain, &cube, from).is_none_or(|last| last < level) {
                self.frames.insert(self.domain, cube, level);
            }
        }
    }

    /// Starts from lemmas that are known to be inductive together, and from others of
    /// which nothing is sure. If the former are enough, nobody asks for the latter.
    pub fn edit(&mut self, always: Vec<Cube<D::Atom>>, rest: Offer<D::Atom>) -> Interruptible<()> {
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
    fn relax(&mut self, offer: Offer<D::Atom>) -> Interruptible<()> {
        let cubes = offer.lemmas.into_iter().map(|(cube, _)| cube);
        let mut rising = Rising::new(self.domain, cubes);
        let result = self.climb(&mut rising, offer.depth);
        let reach = *result.as_ref().unwrap_or(&rising.level);
        for lemma in rising.finish(self.domain) {
            self.settle(lemma, reach);
        }
        result.map(|_| ())
    }

    /// Lets lemmas rise to the frame after `last`, and tells how far they came.
    fn climb(&mut self, rising: &mut Rising<D>, last: usize) -> Interruptible<Level> {
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
            lemma.forget(self.domain);
        } else {
            self.frames.place(self.domain, lemma, reach);
        }
    }
}

/// Lemmas that hold in a frame and are to show whether they do in the next.
struct Rising<D: Adopting> {
    lemmas: Vec<(Lemma<D>, D::Target)>,
    /// Where they hold.
    level: Level,
}

impl<D: Adopting> Rising<D> {
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
    fn rise(&mut self, domain: &mut D, level: usize) -> Interruptible<Vec<(Lemma<D>, D::State)>> {
        let mut fallen = Vec::new();
        let together = if self.lemmas.len() < MANY { TOGETHER } else { TOGETHER_OF_MANY };
        let mut start = 0;
        while start < self.lemmas.len() {
            let end = self.lemmas.len().min(start + together);
            let targets: Vec<&D::Target> =
                self.lemmas[start..end].iter().map(|(_, target)| target).collect();
            let Some(reached) = domain.reached(Level::Finite(level), &targets)? else {
                start = end;
                continue;
            };
            for index in reached.targets.into_iter().rev() {
                let (lemma, target) = self.lemmas.remove(start + index);
                domain.release(target);
                fallen.push((lemma, reached.state.clone()));
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
pub(crate) fn sift<D: Adopting>(
    domain: &mut D,
    lemmas: Vec<Cube<D::Atom>>,
) -> Interruptible<Sifted<D::Atom>> {
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

#[cfg(test)]
mod tests {
    use elinvar_ir::{ExprId, Rng, Sort, SystemBuilder, TransitionSystem, Verdict, keys};
    use elinvar_models::{Generator, Shape};
    use elinvar_sat::Lit;

    use super::super::bits::Bits;
    use super::super::incremental::{Change, Earlier, check_bits};
    use super::super::validate::tests::{
        assert_valid, bits_of, cube, offer_of, safety, states_of, task_about,
    };
    use super::super::validate::{Violation, validate};
    use super::super::{PdrOptions, Verdicts};
    use super::*;
    use crate::relation::Transition;
    use crate::run::Run;
    use elinvar_transform::Prepared;

    const SMALL: Shape = Shape { max_states: 4, operators: 30, ..Shape::BITS };
    const LARGE: Shape = Shape { max_states: 12, operators: 80, ..Shape::BITS };

    type Lemmas = Vec<(Cube<Lit>, Level)>;

    /// Initial states do not depend on constraints here, so that what excludes them is
    /// the same for all who ask.
    fn without_constraints(seed: u64, shape: Shape) -> TransitionSystem {
        let mut builder = Generator::system(seed, shape).into_builder();
        builder.constraints.clear();
        builder.finish().unwrap()
    }

    fn transition(prepared: &Prepared) -> Transition {
        Transition::new(&prepared.bits, &safety(prepared.bits.system()), true)
    }

    /// Lemmas about some of the registers, right or wrong.
    fn guesses(prepared: &Prepared, count: usize, rng: &mut Rng) -> Vec<Cube<Lit>> {
        let registers = prepared.bits.registers().len();
        let guess = |_| {
            let (mut set, mut not) = (Vec::new(), Vec::new());
            for index in 0..registers {
                match rng.below(4) {
                    0 => set.push(index),
                    1 => not.push(index),
                    _ => {}
                }
            }
            cube(&set, &not)
        };
        let guesses = (0..count).map(guess);
        guesses.filter(|guess| guess.len() > 0).collect()
    }

    /// The frames that a search begins with, and the last of them.
    fn begun(
        prepared: &Prepared,
        begin: impl FnOnce(&mut Search<'_, Bits, Verdicts<'_>>),
    ) -> (Lemmas, usize) {
        let (run, options) = (Run::new(), PdrOptions::default());
        let transition = transition(prepared);
        let count = transition.bads.len();
        let mut domain = Bits::new(transition, &run).unwrap();
        let task = task_about(prepared, &run);
        let mut verdicts = Verdicts::new("pdr", &task, count);
        let mut search = Search::new(&mut domain, &mut verdicts, &options, count);
        begin(&mut search);
        let (frames, _) = search.into_frames();
        let lemmas = frames.iter().map(|(level, lemma)| (lemma.cube.clone(), level)).collect();
        (lemmas, frames.last())
    }

    /// All subsets are tried: those that are inductive are so together.
    fn largest_inductive_part(transition: &Transition, cubes: &[Cube<Lit>]) -> Vec<Cube<Lit>> {
        let mut largest = 0;
        for subset in 0_u32..1 << cubes.len() {
            let chosen = (0..cubes.len()).filter(|index| subset >> index & 1 == 1);
            let lemmas: Lemmas =
                chosen.map(|index| (cubes[index].clone(), Level::Infinite)).collect();
            if validate(transition, &lemmas, 0, &[]).is_ok() {
                largest |= subset;
            }
        }
        let part = (0..cubes.len()).filter(|index| largest >> index & 1 == 1);
        part.map(|index| cubes[index].clone()).collect()
    }

    fn ordered(mut cubes: Vec<Cube<Lit>>) -> Vec<Cube<Lit>> {
        cubes.sort_by(|a, b| a.atoms().cmp(b.atoms()));
        cubes
    }

    #[test]
    fn sifting_leaves_the_largest_inductive_part() {
        let (mut all, mut some) = (0, 0);
        for seed in 0..150 {
            let prepared = bits_of(&without_constraints(seed, SMALL), false);
            let transition = transition(&prepared);
            let cubes = guesses(&prepared, 6, &mut Rng::new(seed));
            let mut domain = Bits::new(transition.clone(), &Run::new()).unwrap();
            let Sifted { inductive, others } = sift(&mut domain, cubes.clone()).unwrap();
            all += cubes.len();
            some += inductive.len();
            let expected = largest_inductive_part(&transition, &cubes);
            let together = inductive.iter().chain(&others).cloned().collect();
            assert_eq!(ordered(inductive), ordered(expected), "seed {seed}");
            assert_eq!(ordered(together), ordered(cubes), "seed {seed}: none is lost");
        }
        assert!(some > 50 && some < all, "{some} of {all}");
    }

    /// Two bits that swap, both zero: neither lemma is inductive alone.
    #[test]
    fn lemmas_may_need_one_another() {
        let mut builder = SystemBuilder::new();
        let bits = [(); 2].map(|()| builder.state(Sort::BOOL, None).unwrap());
        for (index, bit) in bits.iter().rev().enumerate() {
            builder.states[index].init = Some(builder.pool.bool(false));
            builder.states[index].next = Some(*bit);
        }
        builder.bad("first", bits[0]);
        let prepared = bits_of(&builder.finish().unwrap(), false);
        let [first, second] = [cube(&[0], &[]), cube(&[1], &[])];
        let sifted = |cubes: &[Cube<Lit>]| {
            let mut domain = Bits::new(transition(&prepared), &Run::new()).unwrap();
            sift(&mut domain, cubes.to_vec()).unwrap().inductive
        };
        assert!(sifted(std::slice::from_ref(&first)).is_empty());
        assert_eq!(sifted(&[first.clone(), second.clone()]), [first, second]);
    }

    /// Whatever is offered, the frames are valid, and each lemma is where it cannot be
    /// pushed any further.
    #[test]
    fn relaxed_frames_are_valid_and_go_as_far_as_they_can() {
        let (mut finite, mut infinite, mut dropped) = (0, 0, 0);
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let shape = rng.pick(&[SMALL, LARGE]);
            let prepared = bits_of(&without_constraints(seed, shape), false);
            let transition = transition(&prepared);
            let cubes = guesses(&prepared, 8, &mut rng);
            let depth = rng.below(4);
            let lemmas = cubes.iter().map(|cube| (cube.clone(), Level::Finite(depth))).collect();
            let offer = Offer { lemmas, depth };
            let (lemmas, last) = begun(&prepared, |search| search.relax(offer).unwrap());
            assert_eq!(validate(&transition, &lemmas, last, &[]), Ok(()), "seed {seed}");
            for (index, (cube, level)) in lemmas.iter().enumerate() {
                let Some(level) = level.finite() else { continue };
                finite += 1;
                let mut bolder = lemmas.clone();
                bolder[index].1 = Level::Finite(level + 1);
                let found = validate(&transition, &bolder, last + 1, &[]);
                let step = Err(Violation::Step { frame: level, cube: cube.clone() });
                assert!(level > depth || found == step, "seed {seed}: {cube:?} at {level}");
            }
            infinite += lemmas.iter().filter(|(_, level)| *level == Level::Infinite).count();
            for cube in cubes.iter().filter(|cube| !lemmas.iter().any(|(l, _)| l.subsumes(cube))) {
                dropped += 1;
                let alone = [(cube.clone(), Level::Finite(1))];
                assert_ne!(validate(&transition, &alone, 1, &[]), Ok(()), "seed {seed}: {cube:?}");
            }
        }
        assert!(finite > 50 && infinite > 50 && dropped > 50, "{finite} {infinite} {dropped}");
    }

    /// A system is a relaxed version of itself: all that was known is known again.
    #[test]
    fn nothing_is_forgotten_when_nothing_changes() {
        let mut lemmas = 0;
        for seed in 0..150 {
            let prepared = bits_of(&Generator::system(seed, LARGE), false);
            for state in states_of(&prepared, &PdrOptions::default(), &Run::new()) {
                let old = offer_of(&state, &prepared);
                let (depth, before) = (old.depth, old.lemmas.clone());
                let (after, last) = begun(&prepared, |search| search.relax(old).unwrap());
                assert_eq!(validate(&transition(&prepared), &after, last, &[]), Ok(()));
                for (cube, level) in before {
                    lemmas += 1;
                    let level = level.min(Level::Finite(depth + 1));
                    let kept = after.iter().any(|(l, last)| *last >= level && l.subsumes(&cube));
                    assert!(kept, "seed {seed}: {cube:?} of {level:?}");
                }
            }
        }
        assert!(lemmas > 300, "{lemmas}");
    }

    /// Any lemmas, sifted first as they are when a system was edited.
    #[test]
    fn frames_of_an_edited_system_are_valid() {
        let mut always = 0;
        for seed in 0..150 {
            let prepared = bits_of(&Generator::system(seed, LARGE), false);
            let cubes = guesses(&prepared, 10, &mut Rng::new(seed));
            let mut domain = Bits::new(transition(&prepared), &Run::new()).unwrap();
            let Sifted { inductive, others } = sift(&mut domain, cubes).unwrap();
            always += inductive.len();
            let lemmas = others.into_iter().map(|cube| (cube, Level::Finite(1))).collect();
            let rest = Offer { lemmas, depth: 3 };
            let (lemmas, last) = begun(&prepared, |search| search.edit(inductive, rest).unwrap());
            let valid = validate(&transition(&prepared), &lemmas, last, &[]);
            assert_eq!(valid, Ok(()), "seed {seed}");
        }
        assert!(always > 20, "{always}");
    }

    /// Fewer steps and fewer initial states.
    fn constrained(prepared: &Prepared, rng: &mut Rng) -> Prepared {
        let mut parts = prepared.bits.system().clone().into_builder();
        let bits: Vec<ExprId> = parts.pool.ids().collect();
        let bit = rng.pick(&bits);
        parts.constraints.push(if rng.one_in(2) { bit } else { parts.pool.not(bit).unwrap() });
        for state in &mut parts.states {
            if state.init.is_none() && rng.one_in(2) {
                state.init = Some(parts.pool.bool(rng.one_in(2)));
            }
        }
        let system = parts.finish().unwrap();
        let again = bits_of(&system, false);
        Prepared { lift: prepared.lift.clone().then(again.lift), ..again }
    }

    fn is_safe(verdict: &Verdict) -> Option<bool> {
        match verdict {
            Verdict::Safe(_) => Some(true),
            Verdict::Unsafe(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }

    #[test]
    fn constrained_frames_stay_valid_and_lead_to_the_same_verdicts() {
        let (options, run) = (PdrOptions::default(), Run::new());
        let (mut lemmas, mut decided) = (0, 0);
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let system = Generator::system(seed, LARGE);
            let before = bits_of(&system, seed % 2 == 0);
            let after = constrained(&before, &mut rng);
            let from_nothing = task_about(&after, &run);
            check_bits(&from_nothing, &options, None);
            let from_nothing = from_nothing.task.verdicts();
            for state in states_of(&before, &options, &run) {
                let offer = offer_of(&state, &before);
                let (depth, offered) = (offer.depth, offer.lemmas.len());
                let (kept, last) = begun(&after, |search| search.constrain(offer));
                lemmas += kept.len();
                assert!(last >= depth && kept.len() <= offered);
                assert_eq!(validate(&transition(&after), &kept, last, &[]), Ok(()), "seed {seed}");
                let places = (0..state.registers.len()).map(Some).collect();
                let earlier = Earlier { state: &state, places, change: Change::Constrained };
                let bits = task_about(&after, &run);
                let outcome = check_bits(&bits, &options, Some(earlier));
                let reuse = outcome.reuse.expect("begun with frames");
                assert_eq!((reuse.lost, reuse.queries), (0, 0));
                for (verdict, expected) in bits.task.verdicts().iter().zip(&from_nothing) {
                    let both = (is_safe(verdict), is_safe(expected));
                    assert!(both.0 == both.1 || both.0.and(both.1).is_none(), "seed {seed}");
                    decided += usize::from(both.0.is_some());
                }
                assert_valid(&outcome.state(keys(&system)).expect("begun"), &after);
            }
        }
        assert!(lemmas > 200 && decided > 200, "{lemmas} lemmas, {decided} verdicts");
    }
}
