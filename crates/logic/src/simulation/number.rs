//! The integers that the domains compute with: machine integers for words of at most 64
//! bits, big ones above.
//!
//! Sets of bits are numbers, too: natural ones, below a power of two.

use std::fmt::Debug;

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};
use elinvar_ir::BitVec;

/// The largest width whose words are simulated in machine integers.
pub(super) const NARROW: u32 = 64;

/// An integer. Bits are those of the two's complement.
pub(super) trait Number: Clone + Ord + Debug {
    fn small(value: u32) -> Self;
    /// 2^exponent
    fn power(exponent: u32) -> Self;
    /// The unsigned value.
    fn of(value: &BitVec) -> Self;
    /// The low `width` bits.
    fn to_bitvec(&self, width: u32) -> BitVec;
    fn to_big(&self) -> IBig;
    /// # Panics
    /// If the number is too large for the representation.
    fn from_big(value: &IBig) -> Self;
    fn to_u32(&self) -> Option<u32>;

    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    /// `None` when the product is too large for the representation, and so for the word.
    fn times(&self, other: &Self) -> Option<Self>;
    /// Rounds to zero. The divisor is not zero.
    fn quotient(&self, divisor: &Self) -> Self;

    fn and(&self, other: &Self) -> Self;
    fn or(&self, other: &Self) -> Self;
    fn xor(&self, other: &Self) -> Self;
    fn shl(&self, by: u32) -> Self;
    /// Rounds down.
    fn shr(&self, by: u32) -> Self;
    fn bit(&self, index: u32) -> bool;
    /// The number of bits of a natural number, without leading zeros.
    fn length(&self) -> u32;
    /// Of a number that is not zero.
    fn trailing_zeros(&self) -> u32;
    /// The number of bits of this natural number that are set.
    fn count(&self) -> u32;

    fn zero() -> Self {
        Self::small(0)
    }

    fn one() -> Self {
        Self::small(1)
    }

    /// The number whose low `count` bits are set.
    fn mask(count: u32) -> Self {
        Self::power(count).minus(&Self::one())
    }

    fn is_zero(&self) -> bool {
        *self == Self::zero()
    }

    fn is_negative(&self) -> bool {
        *self < Self::zero()
    }

    /// `self ∧ ¬other`
    fn without(&self, other: &Self) -> Self {
        self.xor(&self.and(other))
    }

    /// The low `count` bits.
    fn low_bits(&self, count: u32) -> Self {
        self.and(&Self::mask(count))
    }

    /// The number with the low `count` bits cleared.
    fn clear_low(&self, count: u32) -> Self {
        self.shr(count).shl(count)
    }
}

/// The methods with the same text for all types.
macro_rules! bitwise {
    () => {
        fn and(&self, other: &Self) -> Self {
            self & other
        }
        fn or(&self, other: &Self) -> Self {
            self | other
        }
        fn xor(&self, other: &Self) -> Self {
            self ^ other
        }
    };
}

impl Number for i128 {
    fn small(value: u32) -> Self {
        value.into()
    }
    fn power(exponent: u32) -> Self {
        1 << exponent
    }
    fn of(value: &BitVec) -> Self {
        value.to_u64().expect("a narrow word").into()
    }
    fn to_bitvec(&self, width: u32) -> BitVec {
        BitVec::new(width, *self as u64)
    }
    fn to_big(&self) -> IBig {
        IBig::from(*self)
    }
    fn from_big(value: &IBig) -> Self {
        i128::try_from(value).expect("the numbers of a narrow word")
    }
    fn to_u32(&self) -> Option<u32> {
        u32::try_from(*self).ok()
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Option<Self> {
        // With a margin, so that sums with a product still fit.
        self.checked_mul(*other).filter(|product| product.unsigned_abs() <= 1 << 126)
    }
    fn quotient(&self, divisor: &Self) -> Self {
        // Machine words divide much faster.
        match (u64::try_from(*self), u64::try_from(*divisor)) {
            (Ok(a), Ok(b)) => (a / b).into(),
            (Ok(_) | Err(_), Ok(_) | Err(_)) => self / divisor,
        }
    }
    bitwise!();
    fn shl(&self, by: u32) -> Self {
        self << by
    }
    fn shr(&self, by: u32) -> Self {
        self >> by
    }
    fn bit(&self, index: u32) -> bool {
        self >> index & 1 == 1
    }
    fn length(&self) -> u32 {
        i128::BITS - self.leading_zeros()
    }
    fn trailing_zeros(&self) -> u32 {
        i128::trailing_zeros(*self)
    }
    fn count(&self) -> u32 {
        self.count_ones()
    }
}

impl Number for IBig {
    fn small(value: u32) -> Self {
        value.into()
    }
    fn power(exponent: u32) -> Self {
        IBig::ONE << exponent as usize
    }
    fn of(value: &BitVec) -> Self {
        value.to_big().into()
    }
    fn to_bitvec(&self, width: u32) -> BitVec {
        let low =
            UBig::try_from(Number::low_bits(self, width)).expect("masked numbers are natural");
        BitVec::from_big(width, low)
    }
    fn to_big(&self) -> IBig {
        self.clone()
    }
    fn from_big(value: &IBig) -> Self {
        value.clone()
    }
    fn to_u32(&self) -> Option<u32> {
        u32::try_from(self).ok()
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }
    fn quotient(&self, divisor: &Self) -> Self {
        self / divisor
    }
    bitwise!();
    fn shl(&self, by: u32) -> Self {
        self << by as usize
    }
    fn shr(&self, by: u32) -> Self {
        self >> by as usize
    }
    fn bit(&self, index: u32) -> bool {
        BitTest::bit(self, index as usize)
    }
    fn length(&self) -> u32 {
        BitTest::bit_len(self) as u32
    }
    fn trailing_zeros(&self) -> u32 {
        IBig::trailing_zeros(self).expect("a number that is not zero") as u32
    }
    fn count(&self) -> u32 {
        self.unsigned_abs().count_ones() as u32
    }
}
