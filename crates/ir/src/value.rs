//! Bit-vector values of any width, and values of any sort.
//!
//! The semantics of every operator is that of SMT-LIB's `QF_BV` (and of BTOR2):
//! division by zero gives all ones, the remainder by zero is the dividend, and
//! the signed operators are defined through the unsigned ones on magnitudes.
//! Values of at most 64 bits are machine words; wider ones are big integers.
//! Both implementations are simple on purpose: this module is the reference that every
//! encoder is tested against.

use std::fmt;

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use crate::array::ArrayValue;

/// A bit-vector value. Two values are equal when width and bits are equal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitVec {
    width: u32,
    bits: Bits,
}

/// Canonical: `Word` exactly when the width is at most 64, and no bit at or
/// above the width is set.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Bits {
    Word(u64),
    Big(Box<UBig>),
}

fn word_mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

impl BitVec {
    /// One bit that is not set.
    pub(crate) const FALSE: BitVec = BitVec { width: 1, bits: Bits::Word(0) };
    /// One bit that is set.
    pub(crate) const TRUE: BitVec = BitVec { width: 1, bits: Bits::Word(1) };

    /// The low `width` bits of `value`.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn new(width: u32, value: u64) -> Self {
        assert!(width > 0, "a bit-vector has at least one bit");
        if width <= 64 {
            BitVec { width, bits: Bits::Word(value & word_mask(width)) }
        } else {
            BitVec { width, bits: Bits::Big(Box::new(UBig::from(value))) }
        }
    }

    /// The low `width` bits of `value`.
    pub fn from_big(width: u32, value: UBig) -> Self {
        assert!(width > 0, "a bit-vector has at least one bit");
        if width <= 64 {
            let low = value & UBig::from(word_mask(width));
            BitVec { width, bits: Bits::Word(u64::try_from(low).expect("masked to 64 bits")) }
        } else if value.bit_len() <= width as usize {
            BitVec { width, bits: Bits::Big(Box::new(value)) }
        } else {
            BitVec { width, bits: Bits::Big(Box::new(value & UBig::ones(width as usize))) }
        }
    }

    /// Bits from the least significant to the most significant.
    pub fn from_bits(bits: impl IntoIterator<Item = bool>) -> Self {
        let mut bytes = Vec::new();
        let mut width = 0u32;
        for bit in bits {
            if width.is_multiple_of(8) {
                bytes.push(0u8);
            }
            if bit {
                *bytes.last_mut().expect("pushed above") |= 1 << (width % 8);
            }
            width += 1;
        }
        Self::from_big(width, UBig::from_le_bytes(&bytes))
    }

    /// All bits clear.
    pub fn zero(width: u32) -> Self {
        Self::new(width, 0)
    }

    /// The number one.
    pub fn one(width: u32) -> Self {
        Self::new(width, 1)
    }

    /// All bits set.
    pub fn ones(width: u32) -> Self {
        if width <= 64 {
            Self::new(width, u64::MAX)
        } else {
            Self::from_big(width, UBig::ones(width as usize))
        }
    }

    /// A single bit.
    pub fn bool(value: bool) -> Self {
        if value { BitVec::TRUE } else { BitVec::FALSE }
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value as a machine word, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.bits {
            Bits::Word(word) => Some(*word),
            Bits::Big(big) => u64::try_from(&**big).ok(),
        }
    }

    /// The unsigned value.
    pub fn to_big(&self) -> UBig {
        match &self.bits {
            Bits::Word(word) => UBig::from(*word),
            Bits::Big(big) => (**big).clone(),
        }
    }

    /// The bit at an index, from the least significant one.
    pub fn bit(&self, index: u32) -> bool {
        assert!(index < self.width, "bit {index} of a value of width {}", self.width);
        match &self.bits {
            Bits::Word(word) => word >> index & 1 == 1,
            Bits::Big(big) => big.bit(index as usize),
        }
    }

    /// Bits from the least significant to the most significant.
    pub fn iter_bits(&self) -> impl DoubleEndedIterator<Item = bool> + ExactSizeIterator + '_ {
        (0..self.width as usize).map(|i| self.bit(i as u32))
    }

    /// Whether all bits are clear.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Word(word) => *word == 0,
            Bits::Big(big) => big.is_zero(),
        }
    }

    /// Whether the number is one.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// Whether all bits are set.
    pub fn is_ones(&self) -> bool {
        match &self.bits {
            Bits::Word(word) => *word == word_mask(self.width),
            Bits::Big(big) => big.count_ones() == self.width as usize,
        }
    }

    /// A Boolean: a value of width one that is one.
    pub fn is_true(&self) -> bool {
        self.width == 1 && self.is_one()
    }

    /// The most significant bit.
    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// `width` binary digits, the most significant first.
    pub fn to_binary(&self) -> String {
        self.iter_bits().rev().map(|bit| if bit { '1' } else { '0' }).collect()
    }

    /// The unsigned value in decimal.
    pub fn to_decimal(&self) -> String {
        match &self.bits {
            Bits::Word(word) => word.to_string(),
            Bits::Big(big) => big.to_string(),
        }
    }

    /// Reads `width` or fewer binary digits.
    pub fn parse_binary(width: u32, text: &str) -> Option<Self> {
        if text.is_empty()
            || text.len() > width as usize
            || !text.bytes().all(|b| b == b'0' || b == b'1')
        {
            return None;
        }
        UBig::from_str_radix(text, 2).ok().map(|value| Self::from_big(width, value))
    }

    // ---- arithmetic -----------------------------------------------------

    fn same(&self, other: &Self) {
        assert_eq!(self.width, other.width, "operands of different widths");
    }

    /// Applies the word function below 65 bits and the big one above; the
    /// result is reduced modulo 2^width.
    fn wrap(
        &self,
        other: &Self,
        word: fn(u64, u64) -> u64,
        big: impl Fn(UBig, UBig) -> UBig,
    ) -> Self {
        self.same(other);
        match (&self.bits, &other.bits) {
            (Bits::Word(a), Bits::Word(b)) => Self::new(self.width, word(*a, *b)),
            _ => Self::from_big(self.width, big(self.to_big(), other.to_big())),
        }
    }

    fn modulus(&self) -> UBig {
        UBig::ONE << self.width as usize
    }

    /// Bitwise complement.
    pub fn not(&self) -> Self {
        match &self.bits {
            Bits::Word(word) => Self::new(self.width, !word),
            Bits::Big(big) => Self::from_big(self.width, &**big ^ UBig::ones(self.width as usize)),
        }
    }

    /// Negation in two's complement.
    pub fn neg(&self) -> Self {
        Self::zero(self.width).sub(self)
    }

    /// Bitwise and.
    pub fn and(&self, other: &Self) -> Self {
        self.wrap(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise or.
    pub fn or(&self, other: &Self) -> Self {
        self.wrap(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Self) -> Self {
        self.wrap(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// Addition modulo 2^width.
    pub fn add(&self, other: &Self) -> Self {
        self.wrap(other, u64::wrapping_add, |a, b| a + b)
    }

    /// Subtraction modulo 2^width.
    pub fn sub(&self, other: &Self) -> Self {
        let modulus = self.modulus();
        self.wrap(other, u64::wrapping_sub, |a, b| a + &modulus - b)
    }

    /// Multiplication modulo 2^width.
    pub fn mul(&self, other: &Self) -> Self {
        self.wrap(other, u64::wrapping_mul, |a, b| a * b)
    }

    /// Unsigned division; by zero it gives all ones.
    pub fn udiv(&self, other: &Self) -> Self {
        if other.is_zero() {
            self.same(other);
            return Self::ones(self.width);
        }
        self.wrap(other, |a, b| a / b, |a, b| a / b)
    }

    /// Unsigned remainder; by zero it gives the dividend.
    pub fn urem(&self, other: &Self) -> Self {
        if other.is_zero() {
            self.same(other);
            return self.clone();
        }
        self.wrap(other, |a, b| a % b, |a, b| a % b)
    }

    /// The absolute value; the smallest negative number is its own.
    fn magnitude(&self) -> Self {
        if self.sign() { self.neg() } else { self.clone() }
    }

    /// Signed division, rounding to zero: the unsigned quotient of the
    /// magnitudes, negated when the signs differ.
    pub fn sdiv(&self, other: &Self) -> Self {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.sign() != other.sign() { quotient.neg() } else { quotient }
    }

    /// Signed remainder, with the sign of the dividend.
    pub fn srem(&self, other: &Self) -> Self {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.sign() { remainder.neg() } else { remainder }
    }

    /// Signed modulo, with the sign of the divisor.
    pub fn smod(&self, other: &Self) -> Self {
        let remainder = self.magnitude().urem(&other.magnitude());
        if remainder.is_zero() {
            return remainder;
        }
        match (self.sign(), other.sign()) {
            (false, false) => remainder,
            (true, false) => remainder.neg().add(other),
            (false, true) => remainder.add(other),
            (true, true) => remainder.neg(),
        }
    }

    // ---- comparisons ----------------------------------------------------

    /// Unsigned less than.
    pub fn ult(&self, other: &Self) -> bool {
        self.same(other);
        self.bits < other.bits
    }

    /// Unsigned less than or equal.
    pub fn ule(&self, other: &Self) -> bool {
        !other.ult(self)
    }

    /// Signed less than.
    pub fn slt(&self, other: &Self) -> bool {
        match (self.sign(), other.sign()) {
            (true, false) => true,
            (false, true) => false,
            (false, false) | (true, true) => self.ult(other),
        }
    }

    /// Signed less than or equal.
    pub fn sle(&self, other: &Self) -> bool {
        !other.slt(self)
    }

    // ---- shifts and rotations ------------------------------------------

    /// The shift amount, or `None` when everything is shifted out.
    fn amount(&self, by: &Self) -> Option<u32> {
        by.to_u64().filter(|&n| n < u64::from(self.width)).map(|n| n as u32)
    }

    /// Shift to the left; zero from `width` places on.
    pub fn shl(&self, by: &Self) -> Self {
        match self.amount(by) {
            Some(0) => self.clone(),
            Some(n) => self.slice(self.width - 1 - n, 0).concat(&Self::zero(n)),
            None => Self::zero(self.width),
        }
    }

    /// Logical shift to the right; zero from `width` places on.
    pub fn lshr(&self, by: &Self) -> Self {
        match self.amount(by) {
            Some(n) => self.slice(self.width - 1, n).uext(n),
            None => Self::zero(self.width),
        }
    }

    /// Arithmetic shift to the right, which repeats the sign.
    pub fn ashr(&self, by: &Self) -> Self {
        match self.amount(by) {
            Some(n) => self.slice(self.width - 1, n).sext(n),
            None if self.sign() => Self::ones(self.width),
            None => Self::zero(self.width),
        }
    }

    /// Rotation to the left by `by` modulo the width.
    pub fn rol(&self, by: &Self) -> Self {
        let n = (by.to_big() % UBig::from(self.width)).try_into().expect("less than the width");
        self.rotate_left(n)
    }

    /// Rotation to the right by `by` modulo the width.
    pub fn ror(&self, by: &Self) -> Self {
        let n: u32 =
            (by.to_big() % UBig::from(self.width)).try_into().expect("less than the width");
        self.rotate_left((self.width - n) % self.width)
    }

    fn rotate_left(&self, n: u32) -> Self {
        if n == 0 {
            return self.clone();
        }
        let high = self.slice(self.width - n - 1, 0);
        high.concat(&self.slice(self.width - 1, self.width - n))
    }

    // ---- structure ------------------------------------------------------

    /// `self` becomes the most significant part.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        match (&self.bits, &low.bits) {
            (Bits::Word(a), Bits::Word(b)) if width <= 64 => Self::new(width, a << low.width | b),
            _ => Self::from_big(width, (self.to_big() << low.width as usize) | low.to_big()),
        }
    }

    /// Bits `hi` down to `lo`, both included.
    pub fn slice(&self, hi: u32, lo: u32) -> Self {
        assert!(lo <= hi && hi < self.width, "slice {hi}:{lo} of a value of width {}", self.width);
        let width = hi - lo + 1;
        match &self.bits {
            Bits::Word(word) => Self::new(width, word >> lo),
            Bits::Big(big) => Self::from_big(width, &**big >> lo as usize),
        }
    }

    /// Extends by `by` zeros.
    pub fn uext(&self, by: u32) -> Self {
        match &self.bits {
            Bits::Word(word) => Self::new(self.width + by, *word),
            Bits::Big(big) => Self::from_big(self.width + by, (**big).clone()),
        }
    }

    /// Extends by `by` copies of the sign.
    pub fn sext(&self, by: u32) -> Self {
        if by == 0 {
            self.clone()
        } else if self.sign() {
            Self::ones(by).concat(self)
        } else {
            self.uext(by)
        }
    }

    /// The number of bits that are set.
    pub fn count_ones(&self) -> u32 {
        self.iter_bits().filter(|&bit| bit).count() as u32
    }

    // ---- overflow: the exact result does not fit ------------------------

    /// Whether the unsigned sum overflows.
    pub fn uadd_overflows(&self, other: &Self) -> bool {
        self.uext(1).add(&other.uext(1)).sign()
    }

    /// Whether the signed sum overflows.
    pub fn sadd_overflows(&self, other: &Self) -> bool {
        self.sext(1).add(&other.sext(1)) != self.add(other).sext(1)
    }

    /// Whether the unsigned difference is negative.
    pub fn usub_overflows(&self, other: &Self) -> bool {
        self.ult(other)
    }

    /// Whether the signed difference overflows.
    pub fn ssub_overflows(&self, other: &Self) -> bool {
        self.sext(1).sub(&other.sext(1)) != self.sub(other).sext(1)
    }

    /// Whether the unsigned product overflows.
    pub fn umul_overflows(&self, other: &Self) -> bool {
        let n = self.width;
        self.uext(n).mul(&other.uext(n)) != self.mul(other).uext(n)
    }

    /// Whether the signed product overflows.
    pub fn smul_overflows(&self, other: &Self) -> bool {
        let n = self.width;
        self.sext(n).mul(&other.sext(n)) != self.mul(other).sext(n)
    }

    /// The smallest negative number divided by minus one.
    pub fn sdiv_overflows(&self, other: &Self) -> bool {
        self.sign() && self.neg() == *self && other.is_ones()
    }
}

impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'d{}", self.width, self.to_decimal())
    }
}

impl fmt::Display for BitVec {
    /// Binary digits, as in the witness formats.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_binary())
    }
}

/// The value of an expression of any sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A bit-vector.
    Bv(BitVec),
    /// An array; in a box, because values of traces are many and nearly all are bits.
    Array(Box<ArrayValue>),
}

// A trace has a value for each input in each cycle.
const _: () = assert!(size_of::<Value>() <= 24);

impl Value {
    /// # Panics
    /// If this is an array; sorts are checked when expressions are built.
    pub fn bv(&self) -> &BitVec {
        match self {
            Value::Bv(value) => value,
            Value::Array(_) => panic!("an array where a bit-vector was expected"),
        }
    }

    /// # Panics
    /// If this is a bit-vector; sorts are checked when expressions are built.
    pub fn array(&self) -> &ArrayValue {
        match self {
            Value::Array(value) => value,
            Value::Bv(_) => panic!("a bit-vector where an array was expected"),
        }
    }
}

impl From<BitVec> for Value {
    fn from(value: BitVec) -> Self {
        Value::Bv(value)
    }
}

impl From<ArrayValue> for Value {
    fn from(value: ArrayValue) -> Self {
        Value::Array(Box::new(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_recognised_at_every_width() {
        for width in [1, 63, 64, 65, 127, 128, 129, 192, 200, 256] {
            let ones = BitVec::ones(width);
            assert!(ones.is_ones(), "width {width}");
            // One zero anywhere, also in the lowest word.
            for bit in [0, width / 2, width - 1] {
                let bits = (0..width).map(|i| i != bit);
                assert!(!BitVec::from_bits(bits).is_ones(), "width {width}, bit {bit}");
            }
        }
    }

    /// Every binary operator at width 4 against 128-bit integer arithmetic.
    #[test]
    fn small_operators_agree_with_integers() {
        let signed = |x: u64| if x >= 8 { x as i64 - 16 } else { x as i64 };
        let wrap = |x: i64| BitVec::new(4, x as u64);
        for x in 0..16u64 {
            for y in 0..16u64 {
                let (a, b) = (BitVec::new(4, x), BitVec::new(4, y));
                let (sx, sy) = (signed(x), signed(y));
                assert_eq!(a.add(&b), BitVec::new(4, x + y));
                assert_eq!(a.sub(&b), wrap(x as i64 - y as i64));
                assert_eq!(a.mul(&b), BitVec::new(4, x * y));
                assert_eq!(a.ult(&b), x < y);
                assert_eq!(a.slt(&b), sx < sy);
                assert_eq!(a.sle(&b), sx <= sy);
                let (quot, rem) = x.checked_div(y).map_or((15, x), |quot| (quot, x % y));
                assert_eq!(a.udiv(&b), BitVec::new(4, quot));
                assert_eq!(a.urem(&b), BitVec::new(4, rem));
                if y == 0 {
                    assert_eq!(a.sdiv(&b), wrap(if sx < 0 { 1 } else { -1 }));
                    assert_eq!((a.srem(&b), a.smod(&b)), (a.clone(), a.clone()));
                } else {
                    assert_eq!(a.sdiv(&b), wrap(sx / sy));
                    assert_eq!(a.srem(&b), wrap(sx % sy));
                    assert_eq!(a.smod(&b), wrap((sx % sy + sy) % sy));
                }
                let fits = |z: i64| (-8..8).contains(&z);
                assert_eq!(a.uadd_overflows(&b), x + y > 15);
                assert_eq!(a.sadd_overflows(&b), !fits(sx + sy));
                assert_eq!(a.usub_overflows(&b), x < y);
                assert_eq!(a.ssub_overflows(&b), !fits(sx - sy));
                assert_eq!(a.umul_overflows(&b), x * y > 15);
                assert_eq!(a.smul_overflows(&b), !fits(sx * sy));
                assert_eq!(a.sdiv_overflows(&b), sx == -8 && sy == -1);
                assert_eq!(a.shl(&b), BitVec::new(4, if y > 3 { 0 } else { x << y }));
                assert_eq!(a.lshr(&b), BitVec::new(4, if y > 3 { 0 } else { x >> y }));
                assert_eq!(a.ashr(&b), wrap(sx >> y.min(3)));
                assert_eq!(a.rol(&b), BitVec::new(4, x << (y % 4) | x >> (4 - y % 4)));
                assert_eq!(a.ror(&b), BitVec::new(4, x >> (y % 4) | x << (4 - y % 4)));
            }
        }
    }

    /// A wide operator on zero-extended operands, cut back, is the narrow one.
    #[test]
    fn wide_operators_agree_with_narrow_ones() {
        let samples = [0u64, 1, 2, 3, 0x8000_0000, 0xffff_ffff, 0xdead_beef, 77];
        for x in samples {
            for y in samples {
                let (a, b) = (BitVec::new(33, x), BitVec::new(33, y));
                let (wa, wb) = (a.uext(100), b.uext(100));
                let cut = |v: BitVec| v.slice(32, 0);
                assert_eq!(cut(wa.add(&wb)), a.add(&b));
                assert_eq!(cut(wa.sub(&wb)), a.sub(&b));
                assert_eq!(cut(wa.mul(&wb)), a.mul(&b));
                assert_eq!(cut(wa.xor(&wb)), a.xor(&b));
                assert_eq!(cut(wa.not()), a.not());
                assert_eq!(cut(wa.udiv(&wb)), a.udiv(&b));
                assert_eq!(cut(wa.urem(&wb)), a.urem(&b));
                assert_eq!(wa.ult(&wb), a.ult(&b));
                let (sa, sb) = (a.sext(100), b.sext(100));
                assert_eq!(cut(sa.sdiv(&sb)), a.sdiv(&b));
                assert_eq!(cut(sa.srem(&sb)), a.srem(&b));
                assert_eq!(cut(sa.smod(&sb)), a.smod(&b));
                assert_eq!(sa.slt(&sb), a.slt(&b));
                assert_eq!(wa.rol(&wb).ror(&wb), wa);
                assert_eq!(wa.ashr(&BitVec::new(133, 5)), wa.lshr(&BitVec::new(133, 5)));
            }
        }
        assert!(BitVec::ones(133).is_ones() && BitVec::ones(133).neg().is_one());
        assert_eq!(BitVec::from_bits([true, false, true]).to_binary(), "101");
        assert_eq!(BitVec::parse_binary(8, "101"), Some(BitVec::new(8, 5)));
        assert_eq!(BitVec::parse_binary(2, "101"), None);
    }
}
