//! The product of the domains: what the bits, the unsigned and the signed bounds of a
//! word say together.
//!
//! Beyond the paper, whose hybrid simulation keeps either the bits or the bounds of a
//! word. Every operator is computed on the bits and on the bounds, and then each part is
//! sharpened by the others: each bound becomes the value of a word that all parts allow,
//! and a bit that the bounds decide becomes known.

use elinvar_ir::{BinaryOp, UnaryOp};

use super::interval::{Bounds, signed};
use super::number::Number;
use super::range::Range;
use super::ternary::Bits;
use super::word::Domain;

/// Sharpened, and not empty.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Product<N> {
    bits: Bits<N>,
    bounds: Bounds<N>,
}

impl<N: Number> Product<N> {
    /// The words that the bits and the bounds allow, if there are any.
    pub fn new(bits: &Bits<N>, bounds: &Bounds<N>) -> Option<Self> {
        let width = bits.width;
        let modulus = N::power(width);
        let select = |range: &Range<N>| Bits::select(width, &range.low, &range.high);
        let (known, unsigned, signed) = match (half(bits, bounds, false), half(bits, bounds, true))
        {
            (None, None) => return None,
            (Some(range), None) => (select(&range), range.clone(), range),
            (None, Some(range)) => {
                let low = range.low.minus(&modulus);
                let signed = Range::new(low, range.high.minus(&modulus));
                (select(&range), range, signed)
            }
            (Some(positive), Some(negative)) => (
                select(&positive).hull(&select(&negative)),
                Range::new(positive.low, negative.high),
                Range::new(negative.low.minus(&modulus), positive.high),
            ),
        };
        Some(Product { bits: bits.meet(&known), bounds: Bounds { width, unsigned, signed } })
    }

    pub fn bits(&self) -> &Bits<N> {
        &self.bits
    }

    pub fn bounds(&self) -> &Bounds<N> {
        &self.bounds
    }

    /// Is this unsigned number one of the words?
    pub fn contains(&self, value: &N) -> bool {
        self.bits.contains(value)
            && self.bounds.unsigned.contains(value)
            && self.bounds.signed.contains(&signed(value, self.bits.width))
    }

    pub fn of_bits(bits: &Bits<N>) -> Self {
        Product { bits: bits.clone(), bounds: Bounds::conjoin(bits) }
    }

    pub fn of_bounds(bounds: &Bounds<N>) -> Self {
        Self::together(&Bits::top(bounds.width), bounds)
    }

    /// Words that have no common value differ.
    fn equal(&self, other: &Self) -> Option<bool> {
        let known = self.bits.equal(&other.bits);
        if known.is_some() {
            return known;
        }
        let bounds = self.bounds.intersect(&other.bounds);
        let common = bounds.and_then(|b| Product::new(&self.bits.meet(&other.bits), &b));
        if common.is_none() { Some(false) } else { None }
    }

    /// Two descriptions of a word that exists.
    pub fn together(bits: &Bits<N>, bounds: &Bounds<N>) -> Self {
        Product::new(bits, bounds).expect("the operands have values, and so the result")
    }
}

/// The unsigned range of the words of one sign that the bits and the bounds allow.
fn half<N: Number>(bits: &Bits<N>, bounds: &Bounds<N>, negative: bool) -> Option<Range<N>> {
    if bits.sign() == Some(!negative) {
        return None;
    }
    let width = bits.width;
    let sign = N::power(width - 1);
    let (all, offset, fixed) = if negative {
        let bits = Bits { width, ones: bits.ones.or(&sign), may: bits.may.clone() };
        (Range::new(sign, N::mask(width)), N::power(width), bits)
    } else {
        let bits = Bits { width, ones: bits.ones.clone(), may: bits.may.without(&sign) };
        (Range::new(N::zero(), N::mask(width - 1)), N::zero(), bits)
    };
    let signed = Range::new(bounds.signed.low.plus(&offset), bounds.signed.high.plus(&offset));
    let range = bounds.unsigned.intersect(&all)?.intersect(&signed)?;
    let low = at_least(&fixed, &range.low)?;
    let high = at_most(&fixed, &range.high)?;
    (low <= high).then_some(Range { low, high })
}

/// The least word with these bits that is at least `bound`, read as unsigned.
fn at_least<N: Number>(bits: &Bits<N>, bound: &N) -> Option<N> {
    let wrong = bound.without(&bits.may).or(&bits.ones.without(bound));
    if wrong.is_zero() {
        return Some(bound.clone());
    }
    // The word agrees with the bound above some bit and exceeds it there: at the highest
    // wrong bit if that must be set, else at the lowest bit above it that can be. All
    // bits below are as small as possible.
    let first = wrong.length() - 1;
    let exceeds = if bits.ones.bit(first) {
        first
    } else {
        let free = bits.may.without(&bits.ones).without(bound).clear_low(first + 1);
        if free.is_zero() {
            return None;
        }
        free.trailing_zeros()
    };
    let same = bound.clear_low(exceeds + 1);
    Some(same.or(&N::power(exceeds)).or(&bits.ones.low_bits(exceeds)))
}

/// The largest word with these bits that is at most `bound`: the complement turns the
/// order round.
fn at_most<N: Number>(bits: &Bits<N>, bound: &N) -> Option<N> {
    let mask = N::mask(bits.width);
    at_least(&bits.not(), &mask.xor(bound)).map(|word| mask.xor(&word))
}

impl<N: Number> Domain for Product<N> {
    fn unary(&self, op: UnaryOp) -> Self {
        let (bits, bounds) = (self.bits.unary(op), self.bounds.unary(op));
        match op {
            // The complement turns the orders round: it stays sharp.
            UnaryOp::Not => Product { bits, bounds },
            UnaryOp::Neg | UnaryOp::RedAnd | UnaryOp::RedXor => Product::together(&bits, &bounds),
        }
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        if op == BinaryOp::Eq {
            return Product::of_bits(&Bits::bool(self.equal(other)));
        }
        if op.is_predicate() {
            // Sharpened bounds tell all that the bits do.
            return Product::of_bits(&Bits::bool(self.bounds.predicate(op, &other.bounds)));
        }
        let bits = self.bits.binary(op, &other.bits);
        if bits.width == 1 && matches!(op, BinaryOp::And | BinaryOp::Xor) {
            return Product::of_bits(&bits);
        }
        Product::together(&bits, &self.bounds.binary(op, &other.bounds))
    }

    fn hull(&self, other: &Self) -> Self {
        Product::together(&self.bits.hull(&other.bits), &self.bounds.hull(&other.bounds))
    }

    fn slice(&self, hi: u32, lo: u32) -> Self {
        Product::together(&self.bits.slice(hi, lo), &self.bounds.slice(hi, lo))
    }

    fn uext(&self, by: u32) -> Self {
        Product::together(&self.bits.uext(by), &self.bounds.uext(by))
    }

    fn sext(&self, by: u32) -> Self {
        Product::together(&self.bits.sext(by), &self.bounds.sext(by))
    }
}
