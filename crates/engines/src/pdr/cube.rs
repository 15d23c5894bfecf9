//! Cubes: conjunctions of atoms.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

/// A conjunction of atoms: sorted, without duplicates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cube<A> {
    /// Shared: the frames, their index and the obligations keep copies.
    atoms: Arc<[A]>,
    /// One bit for each atom, by hash: a cube can only subsume another one whose
    /// signature has all its bits.
    signature: u64,
}

impl<A> Cube<A> {
    pub fn atoms(&self) -> &[A] {
        &self.atoms
    }

    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// One bit for each atom. A cube that subsumes another one has no other bits.
    pub fn signature(&self) -> u64 {
        self.signature
    }
}

impl<A: Copy + Ord + Hash> Cube<A> {
    pub fn new(mut atoms: Vec<A>) -> Self {
        atoms.sort_unstable();
        atoms.dedup();
        let signature = atoms.iter().fold(0, |signature, atom| signature | bit(atom));
        Cube { atoms: atoms.into(), signature }
    }

    /// Does every state of `other` lie in this cube, as far as the atoms tell?
    #[inline]
    pub fn subsumes(&self, other: &Cube<A>) -> bool {
        self.signature & !other.signature == 0
            && self.atoms.len() <= other.atoms.len()
            && is_subset(&self.atoms, &other.atoms)
    }
}

fn bit<A: Hash>(atom: &A) -> u64 {
    let mut hasher = FxHasher::default();
    atom.hash(&mut hasher);
    1 << (hasher.finish() >> 58)
}

/// Is one sorted list part of another?
fn is_subset<A: Ord>(small: &[A], large: &[A]) -> bool {
    let mut large = large.iter();
    small.iter().all(|atom| large.by_ref().find(|other| *other >= atom) == Some(atom))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsumption_is_inclusion() {
        let cube = |atoms: &[u32]| Cube::new(atoms.to_vec());
        assert!(cube(&[]).subsumes(&cube(&[1])));
        assert!(cube(&[5, 1]).subsumes(&cube(&[1, 3, 5])));
        assert!(!cube(&[1, 4]).subsumes(&cube(&[1, 3, 5])));
        assert!(!cube(&[1, 3, 5]).subsumes(&cube(&[1, 5])));
        assert!(!cube(&[6]).subsumes(&cube(&[1, 3, 5])));
        assert_eq!(cube(&[2, 1, 2]).atoms(), [1, 2]);
    }
}
