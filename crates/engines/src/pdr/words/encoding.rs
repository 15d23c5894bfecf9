//! Atoms about words as literals of the circuit.

use elinvar_ir::{BitVec, Fact};
use elinvar_logic::AigLit;

use super::adapt::UnitKind;
use super::atom::{Atom, Atoms, Shape};
use super::circuit::{Circuit, WordInfo};
use crate::pdr::cube::Cube;

/// The words, the atoms about them, and the circuit with their comparators.
pub(super) struct Encoding {
    pub words: Vec<WordInfo>,
    pub atoms: Atoms,
    pub circuit: Circuit,
}

/// In which state an atom is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    Now,
    Later,
}

impl Encoding {
    /// The literal that says that an atom holds.
    pub fn literal(&mut self, atom: Atom, time: Time) -> AigLit {
        let Encoding { words, atoms, circuit } = self;
        match time {
            Time::Now => circuit.now(words, atoms, atom),
            Time::Later => circuit.later(words, atoms, atom),
        }
    }

    /// The literals that say that this state is in the cube, and that the next one is.
    pub fn inside(&mut self, cube: &Cube<Atom>) -> (AigLit, AigLit) {
        let mut lits = |time| -> Vec<AigLit> {
            cube.atoms().iter().map(|&atom| self.literal(atom, time)).collect()
        };
        let (now, later) = (lits(Time::Now), lits(Time::Later));
        (self.circuit.aig.and_all(&now), self.circuit.aig.and_all(&later))
    }

    /// Do all atoms hold in a state?
    pub fn holds(&self, atoms: &[Atom], state: &[BitVec]) -> bool {
        self.atoms.shapes(atoms).all(|shape| shape.holds(&self.words, state))
    }

    /// What an atom says, for users.
    pub fn fact(&self, atom: Atom) -> Fact {
        self.atoms.shape(atom).to_fact(&self.words)
    }

    pub fn kind_of(&self, atoms: &[Atom]) -> UnitKind {
        if self.atoms.shapes(atoms).all(Shape::is_bit) {
            UnitKind::Cube
        } else {
            UnitKind::Polytope
        }
    }
}
