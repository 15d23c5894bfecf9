//! Exact numbers, fast where they are small.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivRemEuclid, Gcd};
use dashu_ratio::RBig;

/// A rational number. Nearly all numbers of a program are small integers, and bounds are
/// added and compared by the thousand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number(Repr);

/// Equal numbers are represented equally: what fits into `Small` is never `Large`.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Repr {
    Small(i64),
    Large(Box<RBig>),
}

impl Number {
    pub(super) const ZERO: Number = Number(Repr::Small(0));
    pub(super) const ONE: Number = Number(Repr::Small(1));

    pub(super) fn to_rational(&self) -> RBig {
        match &self.0 {
            Repr::Small(small) => RBig::from(*small),
            Repr::Large(large) => (**large).clone(),
        }
    }

    /// The numerator: the number, if it is an integer.
    pub(super) fn to_integer(&self) -> IBig {
        match &self.0 {
            Repr::Small(small) => IBig::from(*small),
            Repr::Large(large) => large.numerator().clone(),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        *self == Number::ZERO
    }

    pub(super) fn is_negative(&self) -> bool {
        *self < Number::ZERO
    }

    /// Is it too long for bounds, which are computed with again and again?
    pub(super) fn is_long(&self) -> bool {
        const BITS: usize = 4096;
        match &self.0 {
            Repr::Small(_) => false,
            Repr::Large(large) => {
                large.numerator().bit_len().max(large.denominator().bit_len()) > BITS
            }
        }
    }

    pub(super) fn floor(&self) -> Self {
        match &self.0 {
            Repr::Small(_) => self.clone(),
            Repr::Large(large) => large.floor().into(),
        }
    }

    pub(super) fn ceil(&self) -> Self {
        match &self.0 {
            Repr::Small(_) => self.clone(),
            Repr::Large(large) => large.ceil().into(),
        }
    }

    pub(super) fn magnitude(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    pub(super) fn half(&self) -> Self {
        self.over(&Number::from(2))
    }

    /// The greatest integer that is at most half of it.
    pub(super) fn half_down(&self) -> Self {
        match &self.0 {
            Repr::Small(small) => (small >> 1).into(),
            Repr::Large(_) => self.half().floor(),
        }
    }

    /// The quotient of rationals; the divisor is not zero.
    pub(super) fn over(&self, divisor: &Number) -> Self {
        if let (Repr::Small(number), Repr::Small(divisor)) = (&self.0, &divisor.0)
            && number.checked_rem(*divisor) == Some(0)
        {
            return (number / divisor).into();
        }
        (self.to_rational() / divisor.to_rational()).into()
    }

    /// Quotient and remainder of integers, the remainder not negative; the divisor is not
    /// zero.
    pub(super) fn divide_euclid(&self, divisor: &Number) -> (Self, Self) {
        if let (Repr::Small(number), Repr::Small(divisor)) = (&self.0, &divisor.0)
            && let Some(quotient) = number.checked_div_euclid(*divisor)
        {
            return (quotient.into(), number.rem_euclid(*divisor).into());
        }
        let (quotient, remainder) = self.to_integer().div_rem_euclid(divisor.to_integer());
        (quotient.into(), IBig::from(remainder).into())
    }

    pub(super) fn modulo(&self, divisor: &Number) -> Self {
        self.divide_euclid(divisor).1
    }

    /// The greatest common divisor of integers, not negative; of zero and another it is
    /// the other.
    pub(super) fn gcd(&self, other: &Number) -> Self {
        if self.is_zero() {
            return other.magnitude();
        }
        if other.is_zero() {
            return self.magnitude();
        }
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
            let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return IBig::from(a).into();
        }
        IBig::from(self.to_integer().gcd(other.to_integer())).into()
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Number(Repr::Small(number))
    }
}

impl From<IBig> for Number {
    fn from(number: IBig) -> Self {
        match i64::try_from(&number) {
            Ok(small) => small.into(),
            Err(_) => Number(Repr::Large(Box::new(number.into()))),
        }
    }
}

impl From<RBig> for Number {
    fn from(number: RBig) -> Self {
        if number.is_int() {
            return number.into_parts().0.into();
        }
        Number(Repr::Large(Box::new(number)))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Small(_) | Repr::Large(_), _) => self.to_rational().cmp(&other.to_rational()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

macro_rules! exact_operator {
    ($($trait:ident $method:ident $checked:ident),*) => {$(
        impl $trait for &Number {
            type Output = Number;

            fn $method(self, other: &Number) -> Number {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
                    && let Some(small) = a.$checked(*b)
                {
                    return Number(Repr::Small(small));
                }
                self.to_rational().$method(other.to_rational()).into()
            }
        }
    )*};
}
exact_operator!(Add add checked_add, Sub sub checked_sub, Mul mul checked_mul);

impl Neg for &Number {
    type Output = Number;

    fn neg(self) -> Number {
        &Number::ZERO - self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i64, denominator: i64) -> Number {
        Number::from(numerator).over(&Number::from(denominator))
    }

    #[test]
    fn sums_and_products_leave_the_small_numbers_and_come_back() {
        let last = Number::from(i64::MAX);
        let next = &last + &Number::ONE;
        assert!(next > last);
        assert_eq!(&next - &Number::ONE, last);
        assert_eq!(-&Number::from(i64::MIN), next);
        assert_eq!((&next * &next).over(&next), next);
        assert_eq!(Number::from(i64::MIN).divide_euclid(&Number::from(-1)).0, next);
    }

    #[test]
    fn fractions_are_rounded_to_both_sides() {
        assert_eq!(fraction(-7, 2).floor(), Number::from(-4));
        assert_eq!(fraction(-7, 2).ceil(), Number::from(-3));
        assert_eq!(fraction(7, 2).floor(), Number::from(3));
        assert_eq!(fraction(8, 2), Number::from(4));
        assert!(fraction(1, 3) < fraction(1, 2));
        assert_eq!(Number::from(-7).half_down(), Number::from(-4));
        assert_eq!(Number::from(-7).half(), fraction(-7, 2));
    }

    #[test]
    fn remainders_are_not_negative() {
        for number in -7..=7_i64 {
            for divisor in [-3, -1, 2, 5_i64] {
                let (quotient, remainder) = Number::from(number).divide_euclid(&divisor.into());
                assert_eq!(&(&quotient * &divisor.into()) + &remainder, number.into());
                assert!(remainder >= Number::ZERO && remainder < Number::from(divisor.abs()));
            }
        }
    }

    #[test]
    fn common_divisors_are_positive() {
        assert_eq!(Number::from(-12).gcd(&Number::from(18)), Number::from(6));
        assert_eq!(Number::ZERO.gcd(&Number::from(-5)), Number::from(5));
        let large = &Number::from(i64::MAX) * &Number::from(6);
        assert_eq!(large.gcd(&Number::from(4)), Number::from(2));
    }
}
