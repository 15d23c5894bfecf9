//! Ternary simulation (3.3.1): each bit of a word is 0, 1 or unknown.
//!
//! As in Figure 2 a bit is an interval `[0,0]`, `[0,1]` or `[1,1]`; the lower bounds of all
//! bits of a word are one number and the upper bounds another, so that a rule works on
//! all bits at once. The operators are those of the circuits of [`crate::words`]. Two of
//! the circuits are not simulated bit by bit, since a closed form gives the same or more:
//! the bounds of all carries of a sum are the carries of the sums of the bounds, and
//! comparisons compare bounds.

use elinvar_ir::{BinaryOp, UnaryOp};

use super::interval::Bounds;
use super::number::Number;
use super::word::Domain;

/// Products, quotients and rotations by an unknown amount are unknown for wider words:
/// their circuits are quadratic.
const CIRCUIT_LIMIT: u32 = 1 << 10;

/// 0 ≤ `ones` ⊆ `may` < 2^width: the bits that are 1, and those that may be.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bits<N> {
    pub width: u32,
    pub ones: N,
    pub may: N,
}

impl<N: Number> Bits<N> {
    pub fn top(width: u32) -> Self {
        Bits { width, ones: N::zero(), may: N::mask(width) }
    }

    pub fn point(width: u32, value: N) -> Self {
        Bits { width, ones: value.clone(), may: value }
    }

    /// A word of one bit.
    pub fn bool(value: Option<bool>) -> Self {
        let bound = |bit: bool| N::small(bit.into());
        Bits { width: 1, ones: bound(value == Some(true)), may: bound(value != Some(false)) }
    }

    /// Algorithm 3 (SELECT) for all bits of a word between two values, in whatever reading
    /// they are the bounds: the bits above the first difference are common.
    pub fn select(width: u32, low: &N, high: &N) -> Self {
        let free = low.xor(high).length();
        let common = low.clear_low(free);
        Bits { width, may: common.or(&N::mask(free)), ones: common }
    }

    pub fn constant(&self) -> Option<&N> {
        (self.ones == self.may).then_some(&self.ones)
    }

    pub fn bit(&self, index: u32) -> Option<bool> {
        let one = self.ones.bit(index);
        (one == self.may.bit(index)).then_some(one)
    }

    pub fn sign(&self) -> Option<bool> {
        self.bit(self.width - 1)
    }

    pub fn contains(&self, value: &N) -> bool {
        self.ones.without(value).is_zero() && value.without(&self.may).is_zero()
    }

    /// How many words these are.
    pub fn size(&self) -> N {
        N::power(self.unknown().count())
    }

    /// What is known in either. There is such a word.
    pub fn meet(&self, other: &Self) -> Self {
        let ones = self.ones.or(&other.ones);
        Bits { width: self.width, ones, may: self.may.and(&other.may) }
    }

    fn unknown(&self) -> N {
        self.ones.xor(&self.may)
    }

    pub fn not(&self) -> Self {
        let mask = N::mask(self.width);
        Bits { width: self.width, ones: mask.xor(&self.may), may: mask.xor(&self.ones) }
    }

    /// The rule `and` of Figure 2, with the minimum of the upper bounds.
    fn and(&self, other: &Self) -> Self {
        let ones = self.ones.and(&other.ones);
        Bits { width: self.width, ones, may: self.may.and(&other.may) }
    }

    fn xor(&self, other: &Self) -> Self {
        let unknown = self.unknown().or(&other.unknown());
        let ones = self.ones.xor(&other.ones).without(&unknown);
        Bits { width: self.width, may: ones.or(&unknown), ones }
    }

    fn neg(&self) -> Self {
        Bits::point(self.width, N::zero()).add(&self.not(), Some(true)).0
    }

    /// The sum and its carry.
    fn add(&self, other: &Self, carry: Option<bool>) -> (Self, Option<bool>) {
        let carry = Bits::<N>::bool(carry);
        let low = self.ones.plus(&other.ones).plus(&carry.ones);
        let high = self.may.plus(&other.may).plus(&carry.may);
        // A sum differs from the exclusive or of its operands by the carries.
        let low_carries = low.xor(&self.ones).xor(&other.ones);
        let high_carries = high.xor(&self.may).xor(&other.may);
        let open = low_carries.xor(&high_carries);
        let unknown = self.unknown().or(&other.unknown()).or(&open).low_bits(self.width);
        let ones = low.low_bits(self.width).without(&unknown);
        let out = low_carries.bit(self.width);
        let out = (out == high_carries.bit(self.width)).then_some(out);
        (Bits { width: self.width, may: ones.or(&unknown), ones }, out)
    }

    fn sub(&self, other: &Self) -> Self {
        self.add(&other.not(), Some(true)).0
    }

    /// Shift and add.
    fn multiply(&self, other: &Self) -> Self {
        if self.width > CIRCUIT_LIMIT {
            return Bits::top(self.width);
        }
        // Fewer partial products when a constant selects them.
        let (a, b) = if self.constant().is_some() { (other, self) } else { (self, other) };
        let mut product = Bits::point(self.width, N::zero());
        for index in 0..self.width {
            let partial = match b.bit(index) {
                Some(false) => continue,
                Some(true) => a.shl(index),
                None => Bits { ones: N::zero(), ..a.shl(index) },
            };
            product = product.add(&partial, Some(false)).0;
        }
        product
    }

    /// Quotient and remainder by restoring division. Dividing by zero gives all ones and
    /// the dividend without a special case: every step subtracts zero.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let width = self.width;
        if width > CIRCUIT_LIMIT {
            return (Bits::top(width), Bits::top(width));
        }
        let minus_divisor = divisor.uext(1).not();
        let (mut ones, mut may) = (N::zero(), N::zero());
        let mut remainder = Bits::point(width, N::zero());
        for index in (0..width).rev() {
            // The remainder is shifted left and takes in a bit: one bit wider.
            let shifted = remainder.concat(&Bits::bool(self.bit(index)));
            let (difference, fits) = shifted.add(&minus_divisor, Some(true));
            let fits_bit = Bits::<N>::bool(fits);
            (ones, may) = (ones.shl(1).or(&fits_bit.ones), may.shl(1).or(&fits_bit.may));
            remainder = Bits::ite(fits, &difference, &shifted).slice(width - 1, 0);
        }
        (Bits { width, ones, may }, remainder)
    }

    fn magnitude(&self) -> Self {
        self.negate_if(self.sign())
    }

    fn negate_if(&self, condition: Option<bool>) -> Self {
        match condition {
            Some(false) => self.clone(),
            Some(true) | None => Bits::ite(condition, &self.neg(), self),
        }
    }

    fn signed_divide(&self, divisor: &Self) -> Self {
        let quotient = self.magnitude().divide(&divisor.magnitude()).0;
        quotient.negate_if(differ(self.sign(), divisor.sign()))
    }

    fn signed_remainder(&self, divisor: &Self) -> Self {
        self.magnitude().divide(&divisor.magnitude()).1.negate_if(self.sign())
    }

    /// The remainder takes the sign of the divisor: it is moved by the divisor when the
    /// signs differ and it is not zero.
    fn signed_modulo(&self, divisor: &Self) -> Self {
        let remainder = self.signed_remainder(divisor);
        let moved = remainder.add(divisor, Some(false)).0;
        let nonzero = match (remainder.ones.is_zero(), remainder.may.is_zero()) {
            (false, _) => Some(true),
            (true, true) => Some(false),
            (true, false) => None,
        };
        let moves = and(differ(self.sign(), divisor.sign()), nonzero);
        Bits::ite(moves, &moved, &remainder)
    }

    /// What all remainders share with the dividend: they differ from it by a multiple of
    /// the divisor, which leaves the lowest bits alone where the divisor has zeros.
    fn congruent(&self, divisor: &Self) -> Self {
        if divisor.may.is_zero() {
            return self.clone();
        }
        let same = divisor.may.trailing_zeros();
        let free = N::mask(self.width).clear_low(same);
        let ones = self.ones.low_bits(same);
        Bits { width: self.width, ones, may: self.may.or(&free) }
    }

    pub fn equal(&self, other: &Self) -> Option<bool> {
        let conflict = self.ones.without(&other.may).or(&other.ones.without(&self.may));
        if !conflict.is_zero() {
            return Some(false);
        }
        (self.constant().is_some() && other.constant().is_some()).then_some(true)
    }

    fn shl(&self, by: u32) -> Self {
        let shift = |bits: &N| bits.shl(by).low_bits(self.width);
        Bits { width: self.width, ones: shift(&self.ones), may: shift(&self.may) }
    }

    fn lshr(&self, by: u32) -> Self {
        Bits { width: self.width, ones: self.ones.shr(by), may: self.may.shr(by) }
    }

    fn ashr(&self, by: u32) -> Self {
        let mask = N::mask(self.width);
        let fill = mask.xor(&mask.shr(by));
        let shift = |bits: &N| {
            let shifted = bits.shr(by);
            if bits.bit(self.width - 1) { shifted.or(&fill) } else { shifted }
        };
        Bits { width: self.width, ones: shift(&self.ones), may: shift(&self.may) }
    }

    fn rotate_left(&self, by: u32) -> Self {
        let rotate = |bits: &N| bits.shl(by).low_bits(self.width).or(&bits.shr(self.width - by));
        Bits { width: self.width, ones: rotate(&self.ones), may: rotate(&self.may) }
    }

    /// A barrel shifter: `shift` goes by a distance below the width, and `out` is what an
    /// amount of the width or more gives.
    fn barrel(&self, by: &Self, shift: fn(&Self, u32) -> Self, out: Self) -> Self {
        let stages = N::small(self.width - 1).length();
        let (surely_out, maybe_out) = (by.ones.shr(stages), by.may.shr(stages));
        if !surely_out.is_zero() {
            return out;
        }
        let mut word = self.clone();
        for stage in 0..stages {
            let bit = by.bit(stage);
            if bit != Some(false) {
                word = Bits::ite(bit, &shift(&word, 1 << stage), &word);
            }
        }
        if maybe_out.is_zero() { word } else { word.hull(&out) }
    }

    /// Rotation to the left, or to the right, by the amount modulo the width. Each bit of
    /// the amount rotates by its own weight modulo the width, since rotations add up.
    fn rotate(&self, by: &Self, left: bool) -> Self {
        let width = self.width;
        if width > CIRCUIT_LIMIT && by.constant().is_none() {
            return Bits::top(width);
        }
        let mut word = self.clone();
        let mut distance = 1 % width;
        for index in 0..by.width {
            let bit = by.bit(index);
            if bit != Some(false) {
                let distance = if left { distance } else { (width - distance) % width };
                word = Bits::ite(bit, &word.rotate_left(distance), &word);
            }
            distance = distance * 2 % width;
        }
        word
    }

    fn concat(&self, low: &Self) -> Self {
        let join = |a: &N, b: &N| a.shl(low.width).or(b);
        Bits {
            width: self.width + low.width,
            ones: join(&self.ones, &low.ones),
            may: join(&self.may, &low.may),
        }
    }
}

/// The rule `and` of Figure 2 for one bit.
pub(super) fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        (None, _) | (_, None) => None,
    }
}

fn differ(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    Some(a? != b?)
}

impl<N: Number> Domain for Bits<N> {
    fn unary(&self, op: UnaryOp) -> Self {
        match op {
            UnaryOp::Not => self.not(),
            UnaryOp::Neg => self.neg(),
            UnaryOp::RedAnd => {
                Bits::bool(self.equal(&Bits::point(self.width, N::mask(self.width))))
            }
            UnaryOp::RedXor => Bits::bool(self.constant().map(|bits| bits.count() % 2 == 1)),
        }
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        use BinaryOp::*;
        let zero = || Bits::point(self.width, N::zero());
        match op {
            And => self.and(other),
            Xor => self.xor(other),
            Add => self.add(other, Some(false)).0,
            Sub => self.sub(other),
            Mul => self.multiply(other),
            Udiv => self.divide(other).0,
            Urem => self.divide(other).1.meet(&self.congruent(other)),
            Sdiv => self.signed_divide(other),
            Srem => self.signed_remainder(other).meet(&self.congruent(other)),
            Smod => self.signed_modulo(other).meet(&self.congruent(other)),
            Eq => Bits::bool(self.equal(other)),
            Shl => self.barrel(other, Bits::shl, zero()),
            Lshr => self.barrel(other, Bits::lshr, zero()),
            Ashr => self.barrel(other, Bits::ashr, self.ashr(self.width - 1)),
            Rol => self.rotate(other, true),
            Ror => self.rotate(other, false),
            Concat => self.concat(other),
            Ult | Slt | Uaddo | Saddo | Ssubo | Umulo | Smulo | Sdivo => {
                Bits::bool(Bounds::conjoin(self).predicate(op, &Bounds::conjoin(other)))
            }
        }
    }

    fn hull(&self, other: &Self) -> Self {
        let ones = self.ones.and(&other.ones);
        Bits { width: self.width, ones, may: self.may.or(&other.may) }
    }

    fn slice(&self, hi: u32, lo: u32) -> Self {
        let width = hi - lo + 1;
        let slice = |bits: &N| bits.shr(lo).low_bits(width);
        Bits { width, ones: slice(&self.ones), may: slice(&self.may) }
    }

    fn uext(&self, by: u32) -> Self {
        Bits { width: self.width + by, ..self.clone() }
    }

    fn sext(&self, by: u32) -> Self {
        let extension = N::mask(by).shl(self.width);
        let extend = |bits: &N| {
            if bits.bit(self.width - 1) { bits.or(&extension) } else { bits.clone() }
        };
        Bits { width: self.width + by, ones: extend(&self.ones), may: extend(&self.may) }
    }
}
