//! An index of cubes that finds those that subsume a given one.
//!
//! A cube can only subsume one that has all its atoms, so it is filed under one of them, the
//! rarest: a search looks at the lists of the atoms of the given cube, a small part of all
//! cubes. The index does not own lemmas. Those that are gone are dropped from a list when it
//! has doubled.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::{Rc, Weak};

use rustc_hash::{FxHashMap, FxHasher};

use super::cube::Cube;
use super::domain::Level;

/// The last level where a lemma is known to hold. It is shared with the index, which forgets
/// the lemma when this is dropped.
pub(crate) type Place = Rc<Cell<Level>>;

pub(crate) struct Index<A> {
    /// A cube without atoms is filed under none.
    lists: FxHashMap<Option<A>, List<A>>,
}

struct List<A> {
    /// Of the cubes of the entries. Most entries are passed over because of them, so they lie
    /// side by side.
    signatures: Vec<u64>,
    /// Compared next: a cube with many atoms has nearly all bits of the shorter signature.
    wide_signatures: Vec<Wide>,
    entries: Vec<Entry<A>>,
    /// Look for lemmas that are gone at this length.
    clean_at: usize,
}

struct Entry<A> {
    cube: Cube<A>,
    place: Weak<Cell<Level>>,
}

/// One of 256 bits for each atom: a cube of a hundred atoms leaves most of them unset.
#[derive(Clone, Copy)]
struct Wide([u64; 4]);

impl Wide {
    fn of<A: Hash>(cube: &Cube<A>) -> Self {
        let mut words = [0; 4];
        for atom in cube.atoms() {
            let mut hasher = FxHasher::default();
            atom.hash(&mut hasher);
            let hash = hasher.finish() as usize;
            words[hash / 64 % 4] |= 1 << (hash % 64);
        }
        Wide(words)
    }

    fn is_part_of(self, other: Self) -> bool {
        self.0.iter().zip(other.0).all(|(word, other)| word & !other == 0)
    }
}

impl<A> List<A> {
    fn new() -> Self {
        List {
            signatures: Vec::new(),
            wide_signatures: Vec::new(),
            entries: Vec::new(),
            clean_at: 16,
        }
    }
}

impl<A: Copy + Ord + Hash> Index<A> {
    pub fn new() -> Self {
        Index { lists: FxHashMap::default() }
    }

    pub fn insert(&mut self, cube: &Cube<A>, place: &Place) {
        let length = |atom: &A| self.lists.get(&Some(*atom)).map_or(0, |list| list.entries.len());
        let rarest = cube.atoms().iter().copied().min_by_key(length);
        let list = self.lists.entry(rarest).or_insert_with(List::new);
        if list.entries.len() >= list.clean_at {
            list.entries.retain(|entry| entry.place.strong_count() > 0);
            list.signatures.clear();
            list.signatures.extend(list.entries.iter().map(|entry| entry.cube.signature()));
            list.wide_signatures.clear();
            list.wide_signatures.extend(list.entries.iter().map(|entry| Wide::of(&entry.cube)));
            list.clean_at = 16.max(2 * list.entries.len());
        }
        list.signatures.push(cube.signature());
        list.wide_signatures.push(Wide::of(cube));
        list.entries.push(Entry { cube: cube.clone(), place: Rc::downgrade(place) });
    }

    /// The last level of a lemma, except the one in `except`, that subsumes the cube, if that
    /// level is `from` or later.
    pub fn subsumed_up_to(
        &self,
        cube: &Cube<A>,
        from: Level,
        except: Option<&Place>,
    ) -> Option<Level> {
        let atoms = cube.atoms().iter().map(|&atom| Some(atom));
        let lists = std::iter::once(None).chain(atoms).filter_map(|atom| self.lists.get(&atom));
        let wide = Wide::of(cube);
        let mut last = None;
        for list in lists {
            for (number, &signature) in list.signatures.iter().enumerate() {
                if signature & !cube.signature() != 0 {
                    continue;
                }
                let entry = &list.entries[number];
                if !list.wide_signatures[number].is_part_of(wide) || !entry.cube.subsumes(cube) {
                    continue;
                }
                let Some(place) = entry.place.upgrade() else { continue };
                let level = place.get();
                let is_other = except.is_none_or(|except| !Rc::ptr_eq(except, &place));
                if is_other && level >= from && last.is_none_or(|last| level > last) {
                    last = Some(level);
                    if level == Level::Infinite {
                        return last;
                    }
                }
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;

    use super::*;

    /// What the index must find, by looking at all lemmas.
    fn scan(
        lemmas: &[(Cube<u32>, Place)],
        cube: &Cube<u32>,
        from: Level,
        except: Option<&Place>,
    ) -> Option<Level> {
        let is_other = |place: &Place| except.is_none_or(|except| !Rc::ptr_eq(except, place));
        let subsumes = lemmas.iter().filter(|(lemma, place)| {
            lemma.subsumes(cube) && is_other(place) && place.get() >= from
        });
        subsumes.map(|(_, place)| place.get()).max()
    }

    #[test]
    fn the_index_finds_what_a_scan_finds() {
        let mut rng = Rng::new(7);
        let mut index = Index::new();
        let mut lemmas: Vec<(Cube<u32>, Place)> = Vec::new();
        let level = |rng: &mut Rng| match rng.below(8) {
            7 => Level::Infinite,
            level => Level::Finite(level),
        };
        let mut found = 0;
        for _ in 0..5000 {
            let atoms = (0..rng.below(5)).map(|_| rng.below(12) as u32).collect();
            let cube = Cube::new(atoms);
            match rng.below(4) {
                0 if !cube.atoms().is_empty() || rng.one_in(50) => {
                    let place = Rc::new(Cell::new(level(&mut rng)));
                    index.insert(&cube, &place);
                    lemmas.push((cube, place));
                }
                1 if !lemmas.is_empty() => {
                    let chosen = rng.below(lemmas.len());
                    if rng.one_in(2) || lemmas.len() > 60 {
                        lemmas.swap_remove(chosen);
                    } else {
                        lemmas[chosen].1.set(level(&mut rng));
                    }
                }
                _ => {
                    let from = level(&mut rng);
                    let expected = scan(&lemmas, &cube, from, None);
                    found += usize::from(expected.is_some());
                    assert_eq!(index.subsumed_up_to(&cube, from, None), expected);
                    if let Some((cube, place)) = lemmas.last() {
                        let expected = scan(&lemmas, cube, from, Some(place));
                        assert_eq!(index.subsumed_up_to(cube, from, Some(place)), expected);
                    }
                }
            }
        }
        assert!(found > 500, "most of the test is about cubes that are subsumed");
    }
}
