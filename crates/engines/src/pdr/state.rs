//! Frames as a [`PdrState`] of the user's system, and back.
//!
//! A lemma about a prepared system speaks of bits that are bits of the user's
//! registers. The facts that were used in the preparation are inductive: they are
//! inductive lemmas. In the other direction, a bit may have been merged with
//! another one, or dropped; then what is said of it is of no use to the properties
//! asked for.

use elinvar_ir::{
    FrameLemma, PdrState, PropertyRecord, PropertyStatus, Reach, RegisterKey, RegisterLiteral,
};
use elinvar_sat::Lit;
use elinvar_transform::{Bit, Image, Literal, Prepared};
use rustc_hash::FxHashSet;

use super::adopt::Offer;
use super::bits::Bits;
use super::cube::Cube;
use super::domain::Level;
use super::frames::{Frames, Lemma};
use crate::relation::Transition;

/// What the frames of a prepared system say about the user's. The keys are those of
/// all registers of the latter.
pub(super) fn capture(
    frames: &Frames<Bits>,
    prepared: &Prepared,
    properties: Vec<PropertyRecord>,
    keys: &[RegisterKey],
) -> PdrState {
    let facts = facts(prepared).map(|clause| FrameLemma {
        reach: Reach::Always,
        clause: clause.into_iter().map(register_literal).collect(),
    });
    // Lemmas about signals have no form that another run could read, and the others may depend
    // on them.
    let registers = prepared.bits.registers().len();
    let is_plain =
        |lemma: &Lemma<Bits>| lemma.cube.atoms().iter().all(|lit| lit.var().index() <= registers);
    if !frames.iter().all(|(_, lemma)| is_plain(lemma)) {
        return without_lemmas(facts.collect(), properties, keys);
    }
    let lemmas = frames.iter();
    let lemmas = lemmas.map(|(level, lemma)| FrameLemma {
        reach: level.finite().map_or(Reach::Always, Reach::Frame),
        clause: (lemma.cube.atoms().iter())
            .map(|lit| Literal {
                bit: prepared.lift.origin(lit.var().index() - 1),
                positive: lit.is_negative(),
            })
            .map(register_literal)
            .collect(),
    });
    let last = frames.iter().filter_map(|(level, _)| level.finite()).max();
    PdrState {
        registers: keys.to_vec(),
        properties,
        depth: last.unwrap_or(0).max(frames.frontier()),
        lemmas: facts.chain(lemmas).collect(),
        seconds: 0.0,
    }
}

/// What is known without the frames.
fn without_lemmas(
    facts: Vec<FrameLemma>,
    mut properties: Vec<PropertyRecord>,
    keys: &[RegisterKey],
) -> PdrState {
    for record in &mut properties {
        record.status = match record.status {
            PropertyStatus::Unsafe => PropertyStatus::Unsafe,
            PropertyStatus::Safe | PropertyStatus::Open { .. } => PropertyStatus::Open { clear: 0 },
        };
    }
    PdrState { registers: keys.to_vec(), properties, depth: 0, lemmas: facts, seconds: 0.0 }
}

/// The clauses that were used in the preparation.
fn facts(prepared: &Prepared) -> impl Iterator<Item = Vec<Literal>> {
    prepared.lift.fact_clauses()
}

fn sorted(mut clause: Vec<Literal>) -> Vec<Literal> {
    clause.sort_unstable();
    clause
}

fn register_literal(literal: Literal) -> RegisterLiteral {
    let Literal { bit: Bit { index, position }, positive } = literal;
    RegisterLiteral { register: index, position, positive }
}

/// What a state says about the bits of a prepared system, where its registers are
/// those of the user's system.
pub(super) struct Translated {
    pub offer: Offer<Lit>,
    /// Lemmas that speak of bits that are not there.
    pub lost: usize,
}

impl Translated {
    /// The number of lemmas that there were.
    pub fn offered(&self) -> usize {
        self.offer.lemmas.len() + self.lost
    }
}

/// Translates a state. `places` says which register of the user's system each of its
/// registers is.
pub(super) fn translate(
    state: &PdrState,
    places: &[Option<usize>],
    prepared: &Prepared,
) -> Translated {
    let forward = prepared.lift.forward();
    let literal = |literal: &RegisterLiteral| {
        // Registers that the state does not list are not there.
        let index = places.get(literal.register).copied().flatten()?;
        let bit = Bit { index, position: literal.position };
        Some(Literal { bit, positive: literal.positive })
    };
    let image = |old: &RegisterLiteral| {
        literal(old).map_or(Image::Dropped, |literal| forward.image(literal))
    };
    let merged = prepared.lift.facts().iter().flat_map(|fact| fact.clauses());
    let merged: FxHashSet<Vec<Literal>> = merged.map(sorted).collect();
    let facts: FxHashSet<Vec<Literal>> = facts(prepared).map(sorted).collect();
    let is_in = |facts: &FxHashSet<Vec<Literal>>, clause: &[RegisterLiteral]| {
        let clause: Option<Vec<Literal>> = clause.iter().map(literal).collect();
        clause.is_some_and(|clause| facts.contains(&sorted(clause)))
    };
    let mut lemmas = Vec::new();
    let mut lost = 0;
    // A fact of this system is used already, even if all of its bits were dropped since. A
    // fact by which gates were merged may still say something about the registers.
    for lemma in state.lemmas.iter().filter(|lemma| !is_in(&merged, &lemma.clause)) {
        let level = match lemma.reach {
            Reach::Frame(level) => Level::Finite(level),
            Reach::Always => Level::Infinite,
        };
        match cube(lemma.clause.iter().map(image)) {
            Blocked::Cube(cube) => lemmas.push((cube, level)),
            Blocked::Nothing => {}
            Blocked::Dropped => lost += usize::from(!is_in(&facts, &lemma.clause)),
        }
    }
    Translated { offer: Offer { lemmas, depth: state.depth }, lost }
}

/// What a clause blocks.
enum Blocked {
    Cube(Cube<Lit>),
    /// The clause is true.
    Nothing,
    /// The clause speaks of what is not there.
    Dropped,
}

fn cube(clause: impl Iterator<Item = Image>) -> Blocked {
    let mut atoms = Vec::new();
    let mut dropped = false;
    for image in clause {
        match image {
            Image::State { index, positive } => {
                atoms.push(Transition::register_var(index).positive().negate_if(positive));
            }
            Image::Constant(true) => return Blocked::Nothing,
            Image::Constant(false) => {}
            Image::Dropped => dropped = true,
        }
    }
    let cube = Cube::new(atoms);
    if dropped || cube.atoms().is_empty() {
        Blocked::Dropped
    } else if cube.atoms().windows(2).any(|pair| pair[0] == !pair[1]) {
        Blocked::Nothing
    } else {
        Blocked::Cube(cube)
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{ExprId, PropertyStatus, Sort, SystemBuilder, TransitionSystem, keys};
    use elinvar_models::Generator;

    use super::super::validate::tests::{SHAPES, bits_of, cube, offer_of, safety, task_about};
    use super::super::{PdrOptions, Verdicts, search::Search};
    use super::*;
    use crate::run::Run;
    use elinvar_transform::BitFact;

    /// What a run from nothing knows in the end.
    fn frames_of(prepared: &Prepared) -> Frames<Bits> {
        let (run, options) = (Run::new(), PdrOptions::default());
        let transition = Transition::new(&prepared.bits, &safety(prepared.bits.system()), true);
        let count = transition.bads.len();
        let mut domain = Bits::new(transition, &run).unwrap();
        let task = task_about(prepared, &run);
        let mut verdicts = Verdicts::new("pdr", &task, count);
        let mut search = Search::new(&mut domain, &mut verdicts, &options, count);
        search.run().unwrap();
        search.into_frames().0
    }

    #[test]
    fn what_is_captured_comes_back() {
        let mut lemmas = 0;
        for seed in 0..300 {
            let system = Generator::system(seed, SHAPES[seed as usize % 3]);
            for simplify in [false, true] {
                let prepared = bits_of(&system, simplify);
                let frames = frames_of(&prepared);
                let record = PropertyRecord { name: "p0".to_owned(), status: PropertyStatus::Safe };
                let state = capture(&frames, &prepared, vec![record.clone()], keys(&system));
                let told: Vec<(Cube<Lit>, Level)> =
                    frames.iter().map(|(level, lemma)| (lemma.cube.clone(), level)).collect();
                lemmas += told.len();
                let offer = offer_of(&state, &prepared);
                // Facts by which gates were merged come first.
                let facts = offer.lemmas.len().checked_sub(told.len()).expect("all lemmas");
                assert!(facts <= prepared.lift.fact_clauses().count(), "seed {seed}");
                assert_eq!(offer.lemmas[facts..], told, "seed {seed}");
                assert!(offer.depth >= frames.frontier());
                let last = told.iter().filter_map(|(_, level)| level.finite()).max();
                assert!(last.is_none_or(|last| last <= offer.depth));
                assert_eq!(
                    (state.properties, state.registers),
                    (vec![record], keys(&system).to_vec())
                );
            }
        }
        assert!(lemmas > 100, "{lemmas}");
    }

    /// The same bit three times, once complemented, next to one that never changes and
    /// one that nothing depends on.
    fn copies() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let [x, y] = [(); 2].map(|()| b.input(Sort::BOOL, None).unwrap());
        let bits: Vec<ExprId> = (0..5).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        let next = b.pool.and(bits[0], x).unwrap();
        let next = b.pool.or(next, y).unwrap();
        let complement = b.pool.not(next).unwrap();
        for (index, next) in [next, next, complement, bits[3], bits[4]].into_iter().enumerate() {
            b.states[index].init = Some(b.pool.bool(index == 2));
            b.states[index].next = Some(next);
        }
        let other = b.pool.not(bits[2]).unwrap();
        let equal = b.pool.and(bits[1], other).unwrap();
        let bad = b.pool.and(equal, x).unwrap();
        let bad = b.pool.or(bad, bits[3]).unwrap();
        b.bad("bad", bad);
        b.finish().unwrap()
    }

    /// A clause of register literals, those after `not` negated.
    fn clause(set: &[usize], not: &[usize]) -> FrameLemma {
        let literal =
            |positive| move |&register: &usize| RegisterLiteral { register, position: 0, positive };
        let clause = set.iter().map(literal(true)).chain(not.iter().map(literal(false)));
        FrameLemma { reach: Reach::Frame(2), clause: clause.collect() }
    }

    fn translated(lemmas: Vec<FrameLemma>, places: &[Option<usize>]) -> Translated {
        let prepared = bits_of(&copies(), true);
        assert_eq!(prepared.bits.registers().len(), 1, "only one of the copies is left");
        assert_eq!(prepared.lift.origin(0).index, 0);
        let state = PdrState {
            registers: keys(&copies()).to_vec(),
            depth: 3,
            lemmas,
            ..PdrState::default()
        };
        translate(&state, places, &prepared)
    }

    const SAME_PLACES: [Option<usize>; 5] = [Some(0), Some(1), Some(2), Some(3), Some(4)];

    #[test]
    fn merged_registers_are_the_one_that_is_left() {
        let lemmas = vec![
            clause(&[0], &[]),
            clause(&[1], &[]),
            clause(&[], &[2]),
            clause(&[0, 1, 3], &[2]),
            clause(&[2], &[]),
        ];
        let Translated { offer, lost } = translated(lemmas, &SAME_PLACES);
        let (set, not) = (cube(&[], &[0]), cube(&[0], &[]));
        let level = Level::Finite(2);
        let expected = [&set, &set, &set, &set, &not].map(|cube| (cube.clone(), level));
        assert_eq!((offer.lemmas, offer.depth, lost), (expected.to_vec(), 3, 0));
    }

    #[test]
    fn what_is_true_says_nothing() {
        // A constant, complements, and the facts that the bits were merged by.
        let mut lemmas = vec![clause(&[0], &[3]), clause(&[0, 2], &[]), clause(&[1], &[0])];
        let prepared = bits_of(&copies(), true);
        let facts = facts(&prepared).map(|clause| FrameLemma {
            reach: Reach::Always,
            clause: clause.into_iter().map(register_literal).collect(),
        });
        lemmas.extend(facts);
        assert!(lemmas.len() > 3);
        let Translated { offer, lost } = translated(lemmas, &SAME_PLACES);
        assert_eq!((offer.lemmas, lost), (Vec::new(), 0));
    }

    #[test]
    fn what_is_not_there_is_lost() {
        let far = |position| {
            let mut lemma = clause(&[0], &[]);
            lemma.clause[0].position = position;
            lemma
        };
        let beyond = [5, usize::MAX].map(|register| clause(&[register], &[]));
        let dropped = [clause(&[4], &[]), clause(&[0, 4], &[])];
        let false_ones = [clause(&[], &[]), clause(&[3], &[])];
        let lost = |lemmas: Vec<FrameLemma>, places: &[Option<usize>]| {
            let Translated { offer, lost } = translated(lemmas, places);
            assert!(offer.lemmas.is_empty());
            lost
        };
        assert_eq!(lost(beyond.to_vec(), &SAME_PLACES), 2);
        assert_eq!(lost(dropped.to_vec(), &SAME_PLACES), 2);
        assert_eq!(lost(false_ones.to_vec(), &SAME_PLACES), 2);
        assert_eq!(lost(vec![far(1), far(usize::MAX)], &SAME_PLACES), 2);
        assert_eq!(lost(vec![clause(&[0], &[])], &[]), 1);
        assert_eq!(lost(vec![clause(&[0], &[])], &[None; 5]), 1);
    }

    /// Two registers that are equal, and nothing depends on them any more when that is
    /// known: the fact is not lost, it was used.
    #[test]
    fn facts_about_dropped_registers_are_not_lost() {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, None).unwrap();
        let bits: Vec<ExprId> = (0..3).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        for (state, next) in b.states.iter_mut().zip([x, x, bits[2]]) {
            (state.init, state.next) = (Some(b.pool.bool(false)), Some(next));
        }
        let equal = b.pool.equal(bits[0], bits[1]).unwrap();
        let different = b.pool.not(equal).unwrap();
        b.states[2].init = None;
        let bad = b.pool.and(different, bits[2]).unwrap();
        b.bad("different", bad);
        let system = b.finish().unwrap();
        let prepared = bits_of(&system, true);
        assert!(prepared.lift.facts().iter().any(|fact| matches!(fact, BitFact::Equal(..))));
        let state = capture(&frames_of(&prepared), &prepared, Vec::new(), keys(&system));
        assert!(!state.lemmas.is_empty());
        assert!(offer_of(&state, &prepared).lemmas.is_empty());
    }
}
