//! Deterministic random numbers, for engines with random choices and for tests.

use crate::array::ArrayValue;
use crate::expr::Sort;
use crate::value::{BitVec, Value};

/// A small deterministic random number generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose numbers depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next_u64() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, which are not empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A word of this width.
    pub fn bitvec(&mut self, width: u32) -> BitVec {
        BitVec::from_bits((0..width).map(|_| self.next_u64() & 1 == 1))
    }

    /// A value of this sort. All elements of an array are equal.
    pub fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bv(width) => self.bitvec(width).into(),
            Sort::Array { index, element } => {
                ArrayValue::constant(index, self.bitvec(element)).into()
            }
        }
    }

    /// A value of this sort. One element of an array is drawn separately from the others.
    pub fn uneven_value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bv(width) => self.bitvec(width).into(),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::constant(index, self.bitvec(element));
                array.write(self.bitvec(index), self.bitvec(element));
                array.into()
            }
        }
    }
}
