//! Hybrid simulation (3.3.3): a word is known by its bits or by its interval, whichever
//! tells more.
//!
//! Every operator is computed by the ternary rule on the bits of its operands and by the
//! interval rule on their bounds, where SELECT and CONJOIN convert, and that result is
//! kept which allows fewer words. The paper chooses by the operator alone: bits for logic,
//! intervals for arithmetic. That is the tie-break here: the choice of the paper forgets
//! the low bits of sums and the bounds of what is masked, and is then weaker than a pure
//! simulation. A result of one bit is known if either rule knows it.
//!
//! So no operator is less exact than in ternary or interval simulation of the same
//! operands. A whole graph may be, since the larger of two results is forgotten even where
//! it would have told more to the next operator; [`super::product`] keeps both.

use std::cmp::Ordering;

use elinvar_ir::{BinaryOp, UnaryOp};

use super::interval::{Bounds, Interval, is_logic};
use super::number::Number;
use super::ternary::Bits;
use super::word::Domain;

/// A word of one bit is always `Bits`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Hybrid<N> {
    Bits(Bits<N>),
    Interval(Interval<N>),
}

/// What an operator works on by its nature: decides between results that are equally large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    Logic,
    Arithmetic,
}

impl<N: Number> Hybrid<N> {
    pub fn of_bounds(bounds: Bounds<N>) -> Self {
        Self::of_interval(Interval::of(bounds))
    }

    fn of_interval(interval: Interval<N>) -> Self {
        if interval.width == 1 {
            Hybrid::Bits(interval.select())
        } else {
            Hybrid::Interval(interval)
        }
    }

    /// That description of a word which allows fewer values.
    fn tighter(nature: Nature, bits: Bits<N>, interval: Interval<N>) -> Self {
        let keeps_bits = match bits.size().cmp(&interval.size()) {
            Ordering::Less => true,
            Ordering::Equal => nature == Nature::Logic,
            Ordering::Greater => false,
        };
        if keeps_bits { Hybrid::Bits(bits) } else { Hybrid::of_interval(interval) }
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

    /// The value of an operator that gives one bit, if the bits or the bounds tell it.
    fn predicate(&self, op: BinaryOp, other: &Self) -> Option<bool> {
        // The ternary rules of the other predicates look at bounds, too.
        let equal = if op == BinaryOp::Eq { self.bits().equal(&other.bits()) } else { None };
        equal.or_else(|| self.bounds().predicate(op, &other.bounds()))
    }
}

impl<N: Number> Domain for Hybrid<N> {
    fn unary(&self, op: UnaryOp) -> Self {
        match (op, self) {
            (UnaryOp::Neg, _) => {
                let interval = Interval::of(self.bounds().unary(op));
                Hybrid::tighter(Nature::Arithmetic, self.bits().unary(op), interval)
            }
            // Exact on either.
            (UnaryOp::Not | UnaryOp::RedAnd, Hybrid::Interval(interval)) => {
                Hybrid::of_interval(interval.unary(op))
            }
            (UnaryOp::Not | UnaryOp::RedAnd, Hybrid::Bits(bits)) => Hybrid::Bits(bits.unary(op)),
            // Intervals tell no parity.
            (UnaryOp::RedXor, _) => Hybrid::Bits(self.bits().unary(op)),
        }
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        if op.is_predicate() {
            return Hybrid::Bits(Bits::bool(self.predicate(op, other)));
        }
        let bits = self.bits().binary(op, &other.bits());
        let bitwise = matches!(op, BinaryOp::And | BinaryOp::Xor | BinaryOp::Concat);
        if bitwise && matches!((self, other), (Hybrid::Bits(_), Hybrid::Bits(_))) {
            // Exact, since each bit is computed from bits of its own.
            return Hybrid::Bits(bits);
        }
        let bounds = self.bounds().binary(op, &other.bounds());
        if is_logic(op) {
            let interval = Interval::of(bounds.meet(&Bounds::conjoin(&bits)));
            Hybrid::tighter(Nature::Logic, bits, interval)
        } else {
            Hybrid::tighter(Nature::Arithmetic, bits, Interval::of(bounds))
        }
    }

    fn hull(&self, other: &Self) -> Self {
        let nature = match (self, other) {
            (Hybrid::Interval(_), Hybrid::Interval(_)) => Nature::Arithmetic,
            (Hybrid::Bits(_), _) | (_, Hybrid::Bits(_)) => Nature::Logic,
        };
        let interval = Interval::of(self.bounds().hull(&other.bounds()));
        Hybrid::tighter(nature, self.bits().hull(&other.bits()), interval)
    }

    fn slice(&self, hi: u32, lo: u32) -> Self {
        match self {
            Hybrid::Bits(bits) => Hybrid::Bits(bits.slice(hi, lo)),
            Hybrid::Interval(interval) => {
                let bits = interval.select().slice(hi, lo);
                Hybrid::tighter(Nature::Logic, bits, interval.slice(hi, lo))
            }
        }
    }

    fn uext(&self, by: u32) -> Self {
        match self {
            // Exact.
            Hybrid::Bits(bits) => Hybrid::Bits(bits.uext(by)),
            // At most as many words as of its bits.
            Hybrid::Interval(interval) => Hybrid::Interval(interval.uext(by)),
        }
    }

    fn sext(&self, by: u32) -> Self {
        match self {
            // The copies of an unknown sign are unknown on their own: the number is not.
            Hybrid::Bits(bits) => {
                let interval = Interval::of(self.bounds().sext(by));
                Hybrid::tighter(Nature::Logic, bits.sext(by), interval)
            }
            // Exact.
            Hybrid::Interval(interval) => Hybrid::Interval(interval.sext(by)),
        }
    }
}
