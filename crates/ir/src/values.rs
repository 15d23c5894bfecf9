//! A list of values, compact if all of them are bits.
//!
//! A trace has a value for each input in each cycle, and a design of gates has thousands of inputs.
//! A bit takes a bit here and not the 24 bytes of a [`Value`], in memory and when a cycle is copied.

use std::fmt;
use std::ops::Index;

use crate::value::{BitVec, Value};

/// Values in a fixed order.
#[derive(Clone, PartialEq, Eq)]
pub struct Values(List);

/// Canonical: `Bits` exactly when all values are bit-vectors of one bit. Then the bits of the last
/// word above the last value are zero.
#[derive(Clone, PartialEq, Eq)]
enum List {
    Bits { length: usize, words: Vec<u64> },
    Any(Vec<Value>),
}

/// What a reference to a value of one bit points to.
static FALSE: Value = Value::Bv(BitVec::FALSE);
static TRUE: Value = Value::Bv(BitVec::TRUE);

fn as_bit(value: &Value) -> Option<bool> {
    match value {
        Value::Bv(value) if value.width() == 1 => Some(value.is_true()),
        Value::Bv(_) | Value::Array(_) => None,
    }
}

impl Values {
    /// The number of values.
    pub fn len(&self) -> usize {
        match &self.0 {
            List::Bits { length, .. } => *length,
            List::Any(values) => values.len(),
        }
    }

    /// Is there no value?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a place, if there is one.
    pub fn get(&self, place: usize) -> Option<&Value> {
        match &self.0 {
            List::Bits { length, words } => (place < *length).then(|| {
                let bit = words[place / 64] >> (place % 64) & 1 == 1;
                if bit { &TRUE } else { &FALSE }
            }),
            List::Any(values) => values.get(place),
        }
    }

    /// The values in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> + Clone {
        (0..self.len()).map(|place| &self[place])
    }

    /// Replaces the value at a place.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn set(&mut self, place: usize, value: Value) {
        assert!(place < self.len(), "there is no value at place {place}");
        match (&mut self.0, as_bit(&value)) {
            (List::Bits { words, .. }, Some(bit)) => {
                let (word, mask) = (&mut words[place / 64], 1 << (place % 64));
                *word = if bit { *word | mask } else { *word & !mask };
            }
            (List::Bits { .. }, None) => {
                let mut values = self.to_vec();
                values[place] = value;
                self.0 = List::Any(values);
            }
            (List::Any(values), bit) => {
                values[place] = value;
                if bit.is_some() {
                    *self = std::mem::take(values).into();
                }
            }
        }
    }

    /// A copy of all values.
    pub fn to_vec(&self) -> Vec<Value> {
        self.iter().cloned().collect()
    }

    /// Adds a value at the end.
    fn push(&mut self, value: Value) {
        match (&mut self.0, as_bit(&value)) {
            (List::Bits { length, words }, Some(bit)) => {
                if *length % 64 == 0 {
                    words.push(0);
                }
                words[*length / 64] |= u64::from(bit) << (*length % 64);
                *length += 1;
            }
            (List::Bits { .. }, None) => {
                let mut values = self.to_vec();
                values.push(value);
                self.0 = List::Any(values);
            }
            (List::Any(values), _) => values.push(value),
        }
    }
}

impl Default for Values {
    fn default() -> Self {
        Values(List::Bits { length: 0, words: Vec::new() })
    }
}

impl Extend<Value> for Values {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut list = Values::default();
        list.extend(values);
        list
    }
}

impl From<Vec<Value>> for Values {
    fn from(values: Vec<Value>) -> Self {
        if values.iter().all(|value| as_bit(value).is_some()) {
            values.into_iter().collect()
        } else {
            Values(List::Any(values))
        }
    }
}

impl Index<usize> for Values {
    type Output = Value;

    fn index(&self, place: usize) -> &Value {
        self.get(place).unwrap_or_else(|| panic!("there is no value at place {place}"))
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::ArrayValue;
    use crate::random::Rng;

    fn random(rng: &mut Rng, only_bits: bool) -> Value {
        match if only_bits { 0 } else { rng.below(60) } {
            0..58 => BitVec::bool(rng.one_in(2)).into(),
            58 => BitVec::new(70, rng.next_u64()).into(),
            _ => ArrayValue::constant(1, BitVec::bool(rng.one_in(2))).into(),
        }
    }

    /// Lists behave like vectors, whatever they contain, and equal ones are represented equally.
    #[test]
    fn lists_are_like_vectors() {
        let mut rng = Rng::new(1);
        for round in 0..300 {
            let only_bits = round % 2 == 0;
            let length = rng.below(200);
            let mut vector: Vec<Value> = (0..length).map(|_| random(&mut rng, only_bits)).collect();
            let mut list: Values = vector.iter().cloned().collect();
            for _ in 0..20 {
                assert_eq!(list.len(), vector.len());
                assert_eq!(list.is_empty(), vector.is_empty());
                assert!(list.iter().eq(&vector));
                assert_eq!(list.to_vec(), vector);
                assert_eq!(list, Values::from(vector.clone()));
                assert_eq!(list.get(length), None);
                assert_eq!(format!("{list:?}"), format!("{vector:?}"));
                if vector.is_empty() {
                    break;
                }
                let place = rng.below(length);
                let is_bit = only_bits || rng.one_in(2);
                let value = random(&mut rng, is_bit);
                assert_eq!(list[place] == value, vector[place] == value);
                list.set(place, value.clone());
                vector[place] = value;
            }
        }
    }

    #[test]
    #[should_panic(expected = "no value at place 3")]
    fn a_place_behind_the_end_is_refused() {
        let mut list: Values =
            [false, true, true].map(|bit| BitVec::bool(bit).into()).into_iter().collect();
        list.set(3, BitVec::bool(true).into());
    }
}
