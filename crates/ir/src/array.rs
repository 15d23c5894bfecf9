//! The contents of memories.

use std::collections::BTreeMap;

use crate::value::BitVec;

/// The contents of an array: a default and the elements that differ from it.
///
/// Canonical, so that arrays are equal exactly when they hold the same element at every
/// index: no entry equals the default, and the default is the most frequent element, the
/// smallest of these if there are several.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayValue {
    index_width: u32,
    default: BitVec,
    entries: BTreeMap<BitVec, BitVec>,
}

impl ArrayValue {
    /// The array that holds `default` everywhere.
    pub fn constant(index_width: u32, default: BitVec) -> Self {
        ArrayValue { index_width, default, entries: BTreeMap::new() }
    }

    /// The width of the addresses.
    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    /// The width of the elements.
    pub fn element_width(&self) -> u32 {
        self.default.width()
    }

    /// The element at every address that was not written.
    pub fn default_element(&self) -> &BitVec {
        &self.default
    }

    /// The elements that differ from the default, by index.
    pub fn entries(&self) -> impl Iterator<Item = (&BitVec, &BitVec)> {
        self.entries.iter()
    }

    /// The element at an address.
    pub fn read(&self, index: &BitVec) -> &BitVec {
        assert_eq!(index.width(), self.index_width, "index of a wrong width");
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Replaces the element at an address.
    pub fn write(&mut self, index: BitVec, element: BitVec) {
        assert_eq!(index.width(), self.index_width, "index of a wrong width");
        assert_eq!(element.width(), self.default.width(), "element of a wrong width");
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
        self.choose_default();
    }

    /// Makes the most frequent element the default. It is already if fewer than half of
    /// the indices have an entry.
    fn choose_default(&mut self) {
        let Some(size) = 1usize.checked_shl(self.index_width) else { return };
        let listed = self.entries.len();
        if listed < size / 2 || listed == 0 {
            return;
        }
        let mut counts = BTreeMap::from([(&self.default, size - listed)]);
        for element in self.entries.values() {
            *counts.entry(element).or_default() += 1;
        }
        let most = *counts.values().max().expect("the default is counted");
        let chosen = counts.iter().find(|&(_, &count)| count == most);
        let chosen = (*chosen.expect("some element is the most frequent").0).clone();
        if chosen != self.default {
            let indices = (0..size).map(|index| BitVec::new(self.index_width, index as u64));
            let all = indices.map(|index| (index.clone(), self.read(&index).clone()));
            self.entries = all.filter(|(_, element)| *element != chosen).collect();
            self.default = chosen;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_compare_by_contents() {
        let bit = |v| BitVec::new(1, v);
        let mut a = ArrayValue::constant(1, bit(0));
        let mut b = ArrayValue::constant(1, bit(1));
        assert_ne!(a, b);
        a.write(bit(0), bit(1));
        b.write(bit(1), bit(0));
        assert_eq!(a, b);
        b.write(bit(1), bit(1));
        assert_ne!(a, b);
        assert_eq!(b.entries().count(), 0);
    }

    /// Whatever the default was and in whichever order elements were written.
    #[test]
    fn arrays_have_one_form() {
        let mut rng = crate::Rng::new(1);
        let mut equal = 0;
        for _ in 0..3000 {
            let index = 1 + rng.below(3) as u32;
            let all = 1 << index;
            let mut arrays = [0; 2].map(|_| ArrayValue::constant(index, rng.bitvec(1 + index / 2)));
            for array in &mut arrays {
                for _ in 0..rng.below(2 * all) {
                    let element = rng.bitvec(array.element_width());
                    array.write(rng.bitvec(index), element);
                }
            }
            // Often the same contents in another order.
            if rng.one_in(2) {
                let first = arrays[0].clone();
                let start = rng.below(all);
                for i in 0..all {
                    let at = BitVec::new(index, ((start + i) % all) as u64);
                    arrays[1].write(at.clone(), first.read(&at).clone());
                }
            }
            let [a, b] = &arrays;
            let at = |i| BitVec::new(index, i as u64);
            let same = (0..all).all(|i| a.read(&at(i)) == b.read(&at(i)));
            assert_eq!(a == b, same, "{a:?} {b:?}");
            equal += usize::from(same);
        }
        assert!((1000..2500).contains(&equal), "{equal}");
    }
}
