//! Hybrid simulation (3.3.3): a word is known by its bits or by its interval, whichever
//! suits the operator that computes it.
//!
//! Logic operators give bits and arithmetic gives intervals; a comparison gives a bit,
//! from the bounds of its operands. An operator on bits that is as exact on intervals
//! (complement, extension) leaves an interval one. SELECT and CONJOIN convert where
//! the kinds meet.

use elinvar_ir::{BinaryOp, UnaryOp};

use super::interval::{Bounds, Interval, is_logic};
use super::number::Number;
use super::range::Range;
use super::ternary::Bits;
use super::word::Domain;

/// A word of one bit is always `Bits`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Hybrid<N> {
    Bits(Bits<N>),
    Interval(Interval<N>),
}

impl<N: Number> Hybrid<N> {
    pub fn of_bounds(bounds: Bounds<N>) -> Self {
        let interval = Interval::of(bounds);
        if interval.width == 1 {
            Hybrid::Bits(interval.select())
        } else {
            Hybrid::Interval(interval)
        }
    }

    pub fn bits(&self) -> Bits<N> {
        match self {
            Hybrid::Bits(bits) => bits.clone(),
            Hybrid::Interval(interval) => interval.select(),
        }
    }

    pub fn bounds(&self) -> Bounds<N> {
        match self {
            Hybrid::Bits(bits) => Bounds::conjoin(bits),
            Hybrid::Interval(interval) => interval.bounds(),
        }
    }

    fn is_point(&self) -> bool {
        match self {
            Hybrid::Bits(bits) => bits.constant().is_some(),
            Hybrid::Interval(interval) => interval.range.is_point(),
        }
    }
}

impl<N: Number> Domain for Hybrid<N> {
    fn unary(&self, op: UnaryOp) -> Self {
        match (op, self) {
            (UnaryOp::Not, Hybrid::Interval(interval)) => Hybrid::Interval(interval.unary(op)),
            (UnaryOp::RedAnd, Hybrid::Interval(interval)) => {
                Hybrid::of_bounds(interval.bounds().unary(op))
            }
            (UnaryOp::Neg, _) => Hybrid::of_bounds(self.bounds().unary(op)),
            (UnaryOp::Not | UnaryOp::RedAnd, Hybrid::Bits(bits)) => Hybrid::Bits(bits.unary(op)),
            (UnaryOp::RedXor, _) => Hybrid::Bits(self.bits().unary(op)),
        }
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        if is_logic(op) {
            return Hybrid::Bits(self.bits().binary(op, &other.bits()));
        }
        if op == BinaryOp::Eq
            && let Some(equal) = self.bits().equal(&other.bits())
        {
            return Hybrid::Bits(Bits::bool(Some(equal)));
        }
        Hybrid::of_bounds(self.bounds().binary(op, &other.bounds()))
    }

    /// Of two bit values bits, of two intervals an interval. A constant is either, and
    /// for a mixture that is taken which allows fewer words.
    fn hull(&self, other: &Self) -> Self {
        let bits = || self.bits().hull(&other.bits());
        let interval = || self.bounds().signed.hull(&other.bounds().signed);
        let width = |range| Interval { width: self.bounds().width, range };
        let free = self.is_point() || other.is_point();
        match (self, other) {
            (Hybrid::Bits(_), Hybrid::Bits(_)) if !free => Hybrid::Bits(bits()),
            (Hybrid::Interval(_), Hybrid::Interval(_)) if !free => {
                Hybrid::Interval(width(interval()))
            }
            (Hybrid::Bits(_) | Hybrid::Interval(_), Hybrid::Bits(_) | Hybrid::Interval(_)) => {
                let (bits, range) = (bits(), interval());
                if fewer_words(&bits, &range) {
                    Hybrid::Bits(bits)
                } else {
                    Hybrid::Interval(width(range))
                }
            }
        }
    }

    fn slice(&self, hi: u32, lo: u32) -> Self {
        match self {
            Hybrid::Bits(bits) => Hybrid::Bits(bits.slice(hi, lo)),
            Hybrid::Interval(interval) => {
                let (bits, cut) = (interval.select().slice(hi, lo), interval.slice(hi, lo));
                if fewer_words(&bits, &cut.range) {
                    Hybrid::Bits(bits)
                } else {
                    Hybrid::Interval(cut)
                }
            }
        }
    }

    fn uext(&self, by: u32) -> Self {
        match self {
            Hybrid::Bits(bits) => Hybrid::Bits(bits.uext(by)),
            Hybrid::Interval(interval) => Hybrid::Interval(interval.uext(by)),
        }
    }

    fn sext(&self, by: u32) -> Self {
        match self {
            Hybrid::Bits(bits) => Hybrid::Bits(bits.sext(by)),
            Hybrid::Interval(interval) => Hybrid::Interval(interval.sext(by)),
        }
    }
}

/// Do the bits allow at most as many words as the range?
fn fewer_words<N: Number>(bits: &Bits<N>, range: &Range<N>) -> bool {
    let unknown = bits.ones.xor(&bits.may);
    N::power(unknown.count()) <= range.high.minus(&range.low).plus(&N::one())
}
