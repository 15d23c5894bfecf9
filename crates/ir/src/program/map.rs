//! Map values in normal form.
//!
//! A map is a default element and finitely many entries that differ from it. The normal
//! form makes equality of values the same as equality of maps:
//!
//! - Over infinitely many indices, the default is the element at all but finitely many
//!   indices, so it is determined by the map.
//! - Over finitely many indices, the default is the most frequent element, and the least
//!   of several that are equally frequent. This also depends on the map alone.
//!
//! Indices and elements are values in normal form themselves, so their order and their
//! equality do not depend on how they were built.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::sort::Sort;
use super::value::{Value, Word};
use crate::value::BitVec;

/// A map from the values of one sort; see the module for its normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MapValue {
    index: Sort,
    default: Value,
    /// No entry equals the default.
    entries: BTreeMap<Value, Value>,
}

impl MapValue {
    /// The map with the same element at every index.
    pub fn constant(index: Sort, default: Value) -> Self {
        MapValue { index, default, entries: BTreeMap::new() }
    }

    /// The default element, then these writes in their order.
    pub fn new(
        index: Sort,
        default: Value,
        writes: impl IntoIterator<Item = (Value, Value)>,
    ) -> Self {
        let mut map = Self::constant(index, default);
        for (index, element) in writes {
            map.set(index, element);
        }
        map.normalize();
        map
    }

    /// The sort of the indices.
    pub fn index_sort(&self) -> &Sort {
        &self.index
    }

    /// The element at every index that has no entry.
    pub fn default_element(&self) -> &Value {
        &self.default
    }

    /// The entries that differ from the default, in the order of their indices.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// The element at an index.
    pub fn read(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Replaces the element at an index.
    pub fn write(&mut self, index: Value, element: Value) {
        self.set(index, element);
        self.normalize();
    }

    fn set(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }

    /// Chooses the default. An element at more than half of the indices is the most
    /// frequent one, so nothing has to be counted while the entries are few.
    fn normalize(&mut self) {
        let Some(size) = self.index.cardinality() else { return };
        let written = self.entries.len() as u64;
        if written.saturating_mul(2) < size {
            return;
        }
        let mut counts: BTreeMap<&Value, u64> = BTreeMap::new();
        counts.insert(&self.default, size.saturating_sub(written));
        for element in self.entries.values() {
            *counts.entry(element).or_default() += 1;
        }
        let best = counts.into_iter().max_by(|(a, often), (b, other)| (often, b).cmp(&(other, a)));
        let best = best.expect("the default is counted").0.clone();
        if best != self.default {
            self.change_default(best, size);
        }
    }

    /// At most as many indices have the old default as have entries, so this costs no
    /// more than the entries.
    fn change_default(&mut self, best: Value, size: u64) {
        let old = std::mem::replace(&mut self.default, best);
        for number in 0..size {
            match self.entries.entry(nth(&self.index, number)) {
                Entry::Vacant(vacant) => {
                    vacant.insert(old.clone());
                }
                Entry::Occupied(occupied) => {
                    if *occupied.get() == self.default {
                        occupied.remove();
                    }
                }
            }
        }
    }
}

/// The values of a finite sort, by number.
fn nth(sort: &Sort, number: u64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(number == 1),
        Sort::Word(width) => Value::Word(Word(BitVec::new(*width, number))),
        Sort::Map(sorts) => {
            let (index, element) = (&sorts.0, &sorts.1);
            let size = |sort: &Sort| sort.cardinality().expect("parts of finite sorts are finite");
            let mut digits = number;
            let writes = (0..size(index)).map(|at| {
                let digit = digits % size(element);
                digits /= size(element);
                (nth(index, at), nth(element, digit))
            });
            Value::Map(Box::new(MapValue::new(index.clone(), nth(element, 0), writes)))
        }
        Sort::Int | Sort::Real | Sort::Named(_) => unreachable!("these sorts are infinite"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    fn finite_sorts() -> Vec<Sort> {
        let words = Sort::map(Sort::Word(1), Sort::Bool);
        vec![
            Sort::Bool,
            Sort::Word(1),
            Sort::Word(2),
            words.clone(),
            Sort::map(Sort::Bool, words),
            Sort::map(Sort::Word(2), Sort::Bool),
        ]
    }

    #[test]
    fn all_values_of_finite_sorts_are_different() {
        for (sort, size) in finite_sorts().iter().zip([2, 2, 4, 4, 16, 16]) {
            assert_eq!(sort.cardinality(), Some(size), "{sort}");
            let all: std::collections::BTreeSet<Value> = (0..size).map(|n| nth(sort, n)).collect();
            assert_eq!(all.len() as u64, size, "{sort}");
            assert!(all.iter().all(|value| value.has_sort(sort)), "{sort}");
        }
        for sort in [Sort::Int, Sort::Word(33), Sort::map(Sort::Int, Sort::Bool)] {
            assert_eq!(sort.cardinality(), None, "{sort}");
        }
    }

    /// Maps with equal elements everywhere are equal values, however they were built.
    #[test]
    fn equal_maps_are_equal_values() {
        let mut rng = Rng::new(1);
        for index in finite_sorts() {
            let size = index.cardinality().unwrap();
            for element in [Sort::Bool, Sort::Word(2), Sort::map(Sort::Bool, Sort::Bool)] {
                let elements = element.cardinality().unwrap();
                for _ in 0..200 {
                    let mut any = |bound: u64| rng.below(bound as usize) as u64;
                    let wanted: Vec<u64> = (0..size).map(|_| any(elements)).collect();
                    let start = nth(&element, any(elements));
                    let mut stepwise = MapValue::constant(index.clone(), start);
                    for _ in 0..6 {
                        stepwise.write(nth(&index, any(size)), nth(&element, any(elements)));
                    }
                    let writes: Vec<(Value, Value)> = (wanted.iter().zip(0..))
                        .map(|(&element_at, at)| (nth(&index, at), nth(&element, element_at)))
                        .collect();
                    for (at, element) in writes.iter().rev() {
                        stepwise.write(at.clone(), element.clone());
                    }
                    let other = nth(&element, any(elements));
                    let bulk = MapValue::new(index.clone(), other, writes.clone());
                    assert_eq!(stepwise, bulk);
                    assert!(writes.iter().all(|(at, element)| bulk.read(at) == element));
                }
            }
        }
    }
}
