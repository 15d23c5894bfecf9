//! Abstract simulation of words: overapproximations of the values that expressions can
//! take when their symbols are not fully known.
//!
//! After section 3.3 of [Welp, Kuehlmann: Property Directed Reachability for QF_BV with
//! Mixed Type Atomic Reasoning Units, ASP-DAC 2014], which expands proof obligations by it:
//!
//! - [`Kind::Ternary`] (3.3.1, Figure 2, Algorithm 3): each bit is 0, 1 or unknown;
//! - [`Kind::Interval`] (3.3.2, Figure 3, Algorithm 4): a signed interval;
//! - [`Kind::Hybrid`] (3.3.3, Figure 4): bits or a signed interval, for each word what
//!   allows fewer values; the choice by operator of the paper, bits for logic and
//!   intervals for arithmetic, is the tie-break;
//! - [`Kind::Product`], beyond the paper: the known bits, an unsigned and a signed
//!   interval of every word, each sharpened by the others. It is never weaker than the
//!   other three.
//!
//! The rule `and` of Figure 2 is misprinted: its upper bound is the maximum of the upper
//! bounds of the operands, which makes X ∧ 0 unknown; it must be the minimum, and is here.
//!
//! [`Simulation`] keeps the values of a whole expression graph up to date.
//!
//! Limits: arrays are not followed (what is read from one is unknown), correlations
//! between words are not seen (`x - x` is unknown if `x` is), and the bits of products and
//! quotients of more than a thousand bits are unknown.

mod hybrid;
mod interval;
mod network;
mod number;
mod product;
mod range;
mod ternary;
#[cfg(test)]
mod tests;
mod word;

use std::borrow::Cow;

use dashu_int::IBig;
use elinvar_ir::{BinaryOp, BitVec, Reading, UnaryOp};

use hybrid::Hybrid;
use interval::{Bounds, Interval};
use number::{NARROW, Number};
use product::Product;
use range::Range;
use ternary::Bits;
use word::{One, Two, Word};

pub use network::Simulation;

/// What is kept of a word, and so how exact and how fast a simulation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Each bit is 0, 1 or unknown.
    Ternary,
    /// A signed interval.
    Interval,
    /// Bits or a signed interval, whichever allows fewer values.
    Hybrid,
    /// Bits and both kinds of interval, which refine each other.
    Product,
}

/// An overapproximation of the values that a word can have; never empty. What is kept
/// depends on the [`Kind`] that made it.
#[derive(Clone, PartialEq, Debug)]
pub struct Abstract(Repr);

/// Canonical: `Narrow` exactly when the width is at most [`NARROW`].
#[derive(Clone, PartialEq, Debug)]
enum Repr {
    Narrow(Word<i128>),
    Wide(Box<Word<IBig>>),
}

impl Kind {
    /// All kinds of simulation.
    pub const ALL: [Kind; 4] = [Kind::Ternary, Kind::Interval, Kind::Hybrid, Kind::Product];

    /// Nothing is known of the word.
    pub fn top(self, width: u32) -> Abstract {
        self.from_bits(&BitVec::zero(width), &BitVec::zero(width))
    }

    /// The word has this value.
    pub fn point(self, value: &BitVec) -> Abstract {
        self.from_bits(&BitVec::ones(value.width()), value)
    }

    /// The bits that are set in `known` are those of `value`.
    pub fn from_bits(self, known: &BitVec, value: &BitVec) -> Abstract {
        assert_eq!(known.width(), value.width(), "a mask of another width");
        fn build<N: Number>(kind: Kind, known: &BitVec, value: &BitVec) -> Word<N> {
            let (width, known) = (known.width(), N::of(known));
            let ones = N::of(value).and(&known);
            let may = N::mask(width).without(&known).or(&ones);
            Word::Ternary(Bits { width, ones, may }).cast(kind)
        }
        Abstract(if known.width() <= NARROW {
            Repr::Narrow(build(self, known, value))
        } else {
            Repr::Wide(Box::new(build(self, known, value)))
        })
    }

    /// low ≤ word ≤ high in the reading.
    ///
    /// # Panics
    /// If `low` is above `high`: no word is.
    pub fn from_range(self, reading: Reading, low: &BitVec, high: &BitVec) -> Abstract {
        let ordered = match reading {
            Reading::Signed => low.sle(high),
            Reading::Unsigned => low.ule(high),
        };
        assert!(ordered, "an empty range: {low:?} to {high:?}");
        fn build<N: Number>(kind: Kind, reading: Reading, low: &BitVec, high: &BitVec) -> Word<N> {
            let width = low.width();
            let integer = |bound: &BitVec| match reading {
                Reading::Signed => interval::signed(&N::of(bound), width),
                Reading::Unsigned => N::of(bound),
            };
            let bounds = Bounds::wrap(width, &Range::new(integer(low), integer(high)));
            match kind {
                Kind::Ternary => Word::Ternary(Bits::select(width, &N::of(low), &N::of(high))),
                Kind::Interval => Word::Interval(Interval::of(bounds)),
                Kind::Hybrid => Word::Hybrid(Hybrid::of_bounds(bounds)),
                Kind::Product => Word::Product(Product::of_bounds(&bounds)),
            }
        }
        Abstract(if low.width() <= NARROW {
            Repr::Narrow(build(self, reading, low, high))
        } else {
            Repr::Wide(Box::new(build(self, reading, low, high)))
        })
    }

    /// The abstract value of an operator with one operand.
    pub fn unary(self, op: UnaryOp, a: &Abstract) -> Abstract {
        self.one(One::Op(op), a)
    }

    /// The abstract value of an operator with two operands.
    pub fn binary(self, op: BinaryOp, a: &Abstract, b: &Abstract) -> Abstract {
        match (a.constant(), b.constant()) {
            // Exact in all kinds, and fast.
            (Some(a), Some(b)) => self.point(&op.apply(&a, &b)),
            (Some(_) | None, Some(_) | None) => self.two(Two::Op(op), a, b),
        }
    }

    /// `c ? t : e`
    pub fn ite(self, c: &Abstract, t: &Abstract, e: &Abstract) -> Abstract {
        match c.bit(0) {
            Some(true) => t.clone(),
            Some(false) => e.clone(),
            None => self.two(Two::Hull, t, e),
        }
    }

    /// Bits `hi` down to `lo`, both included.
    pub fn slice(self, a: &Abstract, hi: u32, lo: u32) -> Abstract {
        self.one(One::Slice { hi, lo }, a)
    }

    /// Extends by `by` zeros.
    pub fn uext(self, a: &Abstract, by: u32) -> Abstract {
        self.one(One::Uext(by), a)
    }

    /// Extends by `by` copies of the sign.
    pub fn sext(self, a: &Abstract, by: u32) -> Abstract {
        self.one(One::Sext(by), a)
    }

    fn one(self, op: One, a: &Abstract) -> Abstract {
        match &a.0 {
            Repr::Narrow(word) if op.width(word.width()) <= NARROW => {
                Abstract(Repr::Narrow(word.one(self, op)))
            }
            Repr::Narrow(_) | Repr::Wide(_) => Abstract::from_wide(a.widened().one(self, op)),
        }
    }

    fn two(self, op: Two, a: &Abstract, b: &Abstract) -> Abstract {
        match (&a.0, &b.0) {
            (Repr::Narrow(x), Repr::Narrow(y)) if op.width(x.width(), y.width()) <= NARROW => {
                Abstract(Repr::Narrow(x.two(self, op, y)))
            }
            (Repr::Narrow(_) | Repr::Wide(_), Repr::Narrow(_) | Repr::Wide(_)) => {
                Abstract::from_wide(a.widened().two(self, op, &b.widened()))
            }
        }
    }
}

impl Abstract {
    /// The number of bits.
    pub fn width(&self) -> u32 {
        match &self.0 {
            Repr::Narrow(word) => word.width(),
            Repr::Wide(word) => word.width(),
        }
    }

    /// Is this a value that the word can have?
    pub fn contains(&self, value: &BitVec) -> bool {
        assert_eq!(self.width(), value.width(), "a value of another width");
        match &self.0 {
            Repr::Narrow(word) => word.contains(value),
            Repr::Wide(word) => word.contains(value),
        }
    }

    /// The value of the word, if it has but one.
    pub fn constant(&self) -> Option<BitVec> {
        match &self.0 {
            Repr::Narrow(word) => word.constant(),
            Repr::Wide(word) => word.constant(),
        }
    }

    /// The value of a bit, if it is known.
    pub fn bit(&self, index: u32) -> Option<bool> {
        assert!(index < self.width(), "bit {index} of a word of width {}", self.width());
        match &self.0 {
            Repr::Narrow(word) => word.bits().bit(index),
            Repr::Wide(word) => word.bits().bit(index),
        }
    }

    /// The least and the largest value of the word.
    pub fn range(&self, reading: Reading) -> (IBig, IBig) {
        fn bounds<N: Number>(word: &Word<N>, reading: Reading) -> (IBig, IBig) {
            let bounds = word.bounds();
            let range = match reading {
                Reading::Signed => &bounds.signed,
                Reading::Unsigned => &bounds.unsigned,
            };
            (range.low.to_big(), range.high.to_big())
        }
        match &self.0 {
            Repr::Narrow(word) => bounds(word, reading),
            Repr::Wide(word) => bounds(word, reading),
        }
    }

    /// Is this a bit that is surely set?
    pub fn is_true(&self) -> bool {
        self.width() == 1 && self.bit(0) == Some(true)
    }

    fn widened(&self) -> Cow<'_, Word<IBig>> {
        match &self.0 {
            Repr::Narrow(word) => Cow::Owned(word.convert()),
            Repr::Wide(word) => Cow::Borrowed(word),
        }
    }

    fn from_wide(word: Word<IBig>) -> Self {
        Abstract(if word.width() <= NARROW {
            Repr::Narrow(word.convert())
        } else {
            Repr::Wide(Box::new(word))
        })
    }
}
