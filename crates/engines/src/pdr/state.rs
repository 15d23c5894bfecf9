//! Frames as a [`PdrState`] of the user's system, and back.
//!
//! A lemma about a prepared system speaks of bits that are bits of the user's
//! registers. The facts that were used in the preparation are inductive: they are
//! lemmas that hold for ever. In the other direction, a bit may have been merged with
//! another one, or dropped; then what is said of it is of no use to the properties
//! asked for.

use elinvar_ir::{FrameLemma, PdrState, PropertyRecord, Reach, RegisterKey, RegisterLiteral};
use elinvar_sat::Lit;

use super::adopt::Offer;
use super::bits::Bits;
use super::cube::Cube;
use super::domain::Level;
use super::frames::Frames;
use super::transition::Transition;
use crate::passes::{Bit, Image, Literal, Prepared};

/// What the frames of a prepared system say about the user's. The keys are those of
/// all registers of the latter.
pub(super) fn capture(
    frames: &Frames<Bits>,
    prepared: &Prepared,
    properties: Vec<PropertyRecord>,
    keys: &[RegisterKey],
) -> PdrState {
    let facts = prepared.lift.facts().iter().flat_map(|fact| fact.clauses());
    let facts = facts.map(|clause| FrameLemma {
        reach: Reach::Always,
        clause: clause.into_iter().map(register_literal).collect(),
    });
    let lemmas = frames.iter().map(|(level, lemma)| FrameLemma {
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
    let image = |literal: &RegisterLiteral| {
        let Some(index) = places[literal.register] else { return Image::Dropped };
        let bit = Bit { index, position: literal.position };
        forward.image(Literal { bit, positive: literal.positive })
    };
    let mut lemmas = Vec::new();
    let mut lost = 0;
    for lemma in &state.lemmas {
        let level = match lemma.reach {
            Reach::Frame(level) => Level::Finite(level),
            Reach::Always => Level::Infinite,
        };
        match cube(lemma.clause.iter().map(image)) {
            Blocked::Cube(cube) => lemmas.push((cube, level)),
            Blocked::Nothing => {}
            Blocked::Dropped => lost += 1,
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
