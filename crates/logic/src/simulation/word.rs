//! A word of one of the kinds, and what can be done to words of any kind.

use std::borrow::Cow;

use elinvar_ir::{BinaryOp, BitVec, UnaryOp};

use super::Kind;
use super::hybrid::Hybrid;
use super::interval::{Bounds, Interval};
use super::number::Number;
use super::product::Product;
use super::range::Range;
use super::ternary::Bits;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Word<N> {
    Ternary(Bits<N>),
    Interval(Interval<N>),
    Hybrid(Hybrid<N>),
    Product(Product<N>),
}

/// The operators on an overapproximation: each contains the values of the operator on all
/// members of the operands.
pub(super) trait Domain: Clone {
    fn unary(&self, op: UnaryOp) -> Self;
    fn binary(&self, op: BinaryOp, other: &Self) -> Self;
    /// Contains both.
    fn hull(&self, other: &Self) -> Self;
    fn slice(&self, hi: u32, lo: u32) -> Self;
    fn uext(&self, by: u32) -> Self;
    fn sext(&self, by: u32) -> Self;

    fn ite(condition: Option<bool>, then: &Self, otherwise: &Self) -> Self {
        match condition {
            Some(true) => then.clone(),
            Some(false) => otherwise.clone(),
            None => then.hull(otherwise),
        }
    }
}

/// What is done to one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum One {
    Op(UnaryOp),
    Slice { hi: u32, lo: u32 },
    Uext(u32),
    Sext(u32),
}

impl One {
    fn apply<D: Domain>(self, a: &D) -> D {
        match self {
            One::Op(op) => a.unary(op),
            One::Slice { hi, lo } => a.slice(hi, lo),
            One::Uext(by) => a.uext(by),
            One::Sext(by) => a.sext(by),
        }
    }

    /// The width of the result.
    pub fn width(self, operand: u32) -> u32 {
        match self {
            One::Op(UnaryOp::Not | UnaryOp::Neg) => operand,
            One::Op(UnaryOp::RedAnd | UnaryOp::RedXor) => 1,
            One::Slice { hi, lo } => hi - lo + 1,
            One::Uext(by) | One::Sext(by) => operand + by,
        }
    }
}

/// What is done to two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Two {
    Op(BinaryOp),
    Hull,
}

impl Two {
    fn apply<D: Domain>(self, a: &D, b: &D) -> D {
        match self {
            Two::Op(op) => a.binary(op, b),
            Two::Hull => a.hull(b),
        }
    }

    /// The width of the result.
    pub fn width(self, a: u32, b: u32) -> u32 {
        match self {
            Two::Op(BinaryOp::Concat) => a + b,
            Two::Op(op) if op.is_predicate() => 1,
            Two::Op(_) | Two::Hull => a,
        }
    }
}

impl<N: Number> Word<N> {
    pub fn width(&self) -> u32 {
        match self {
            Word::Ternary(bits) => bits.width,
            Word::Interval(interval) => interval.width,
            Word::Hybrid(Hybrid::Bits(bits)) => bits.width,
            Word::Hybrid(Hybrid::Interval(interval)) => interval.width,
            Word::Product(product) => product.bits().width,
        }
    }

    pub fn bits(&self) -> Cow<'_, Bits<N>> {
        match self {
            Word::Ternary(bits) | Word::Hybrid(Hybrid::Bits(bits)) => Cow::Borrowed(bits),
            Word::Interval(interval) | Word::Hybrid(Hybrid::Interval(interval)) => {
                Cow::Owned(interval.select())
            }
            Word::Product(product) => Cow::Borrowed(product.bits()),
        }
    }

    pub fn bounds(&self) -> Cow<'_, Bounds<N>> {
        match self {
            Word::Ternary(bits) | Word::Hybrid(Hybrid::Bits(bits)) => {
                Cow::Owned(Bounds::conjoin(bits))
            }
            Word::Interval(interval) | Word::Hybrid(Hybrid::Interval(interval)) => {
                Cow::Owned(interval.bounds())
            }
            Word::Product(product) => Cow::Borrowed(product.bounds()),
        }
    }

    pub fn contains(&self, value: &BitVec) -> bool {
        let unsigned = N::of(value);
        match self {
            Word::Ternary(bits) | Word::Hybrid(Hybrid::Bits(bits)) => bits.contains(&unsigned),
            Word::Interval(interval) | Word::Hybrid(Hybrid::Interval(interval)) => {
                interval.contains(&unsigned)
            }
            Word::Product(product) => product.contains(&unsigned),
        }
    }

    pub fn constant(&self) -> Option<BitVec> {
        let constant = match self {
            Word::Ternary(bits) | Word::Hybrid(Hybrid::Bits(bits)) => bits.constant(),
            Word::Interval(interval) | Word::Hybrid(Hybrid::Interval(interval)) => {
                interval.range.is_point().then_some(&interval.range.low)
            }
            Word::Product(product) => product.bits().constant(),
        };
        constant.map(|value| value.to_bitvec(self.width()))
    }

    /// What this kind can tell of the word.
    pub fn cast(&self, kind: Kind) -> Self {
        let bounds = || self.bounds().into_owned();
        match kind {
            Kind::Ternary => Word::Ternary(self.bits().into_owned()),
            Kind::Interval => Word::Interval(Interval::of(bounds())),
            Kind::Hybrid => Word::Hybrid(match self {
                Word::Ternary(bits) => Hybrid::Bits(bits.clone()),
                Word::Hybrid(hybrid) => hybrid.clone(),
                Word::Interval(_) | Word::Product(_) => Hybrid::of_bounds(bounds()),
            }),
            Kind::Product => Word::Product(match self {
                Word::Ternary(bits) => Product::of_bits(bits),
                Word::Product(product) => product.clone(),
                Word::Interval(_) | Word::Hybrid(_) => Product::together(&self.bits(), &bounds()),
            }),
        }
    }

    /// The word in other integers.
    pub fn convert<M: Number>(&self) -> Word<M> {
        let number = |n: &N| M::from_big(&n.to_big());
        let bits = |bits: &Bits<N>| Bits {
            width: bits.width,
            ones: number(&bits.ones),
            may: number(&bits.may),
        };
        let range = |range: &Range<N>| Range::new(number(&range.low), number(&range.high));
        let interval = |interval: &Interval<N>| Interval {
            width: interval.width,
            range: range(&interval.range),
        };
        match self {
            Word::Ternary(a) => Word::Ternary(bits(a)),
            Word::Interval(a) => Word::Interval(interval(a)),
            Word::Hybrid(Hybrid::Bits(a)) => Word::Hybrid(Hybrid::Bits(bits(a))),
            Word::Hybrid(Hybrid::Interval(a)) => Word::Hybrid(Hybrid::Interval(interval(a))),
            Word::Product(a) => {
                let Bounds { width, unsigned, signed } = a.bounds();
                let bounds =
                    Bounds { width: *width, unsigned: range(unsigned), signed: range(signed) };
                Word::Product(Product::together(&bits(a.bits()), &bounds))
            }
        }
    }

    pub fn one(&self, kind: Kind, op: One) -> Self {
        match (kind, self) {
            (Kind::Ternary, Word::Ternary(a)) => Word::Ternary(op.apply(a)),
            (Kind::Interval, Word::Interval(a)) => Word::Interval(op.apply(a)),
            (Kind::Hybrid, Word::Hybrid(a)) => Word::Hybrid(op.apply(a)),
            (Kind::Product, Word::Product(a)) => Word::Product(op.apply(a)),
            (Kind::Ternary | Kind::Interval | Kind::Hybrid | Kind::Product, _) => {
                self.cast(kind).one(kind, op)
            }
        }
    }

    pub fn two(&self, kind: Kind, op: Two, other: &Self) -> Self {
        match (kind, self, other) {
            (Kind::Ternary, Word::Ternary(a), Word::Ternary(b)) => Word::Ternary(op.apply(a, b)),
            (Kind::Interval, Word::Interval(a), Word::Interval(b)) => {
                Word::Interval(op.apply(a, b))
            }
            (Kind::Hybrid, Word::Hybrid(a), Word::Hybrid(b)) => Word::Hybrid(op.apply(a, b)),
            (Kind::Product, Word::Product(a), Word::Product(b)) => Word::Product(op.apply(a, b)),
            (Kind::Ternary | Kind::Interval | Kind::Hybrid | Kind::Product, _, _) => {
                self.cast(kind).two(kind, op, &other.cast(kind))
            }
        }
    }
}
