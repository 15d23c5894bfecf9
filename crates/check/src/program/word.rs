//! Operators on words, by arithmetic on the numbers that they stand for: the definitions
//! of SMT-LIB's theory of bit-vectors, and of the overflow predicates.

use dashu_int::ops::DivRem;
use dashu_int::{IBig, UBig};
use elinvar_ir::{BinaryOp, UnaryOp};

use super::datum::Datum;

pub(super) fn unary(op: UnaryOp, width: u32, a: &UBig) -> UBig {
    match op {
        UnaryOp::Not => power(width) - UBig::ONE - a,
        UnaryOp::Neg => wrap(width, -IBig::from(a.clone())),
        UnaryOp::RedAnd => UBig::from(u8::from(*a == power(width) - UBig::ONE)),
        UnaryOp::RedXor => UBig::from(a.count_ones() % 2),
    }
}

/// Of words of these widths; only `Concat` has operands of different widths.
pub(super) fn binary(op: BinaryOp, widths: (u32, u32), a: &UBig, b: &UBig) -> Datum {
    let width = widths.0;
    let wrapped = |value: IBig| Datum::Word(wrap(width, value));
    let (x, y) = (IBig::from(a.clone()), IBig::from(b.clone()));
    let (signed_x, signed_y) = (signed(width, a), signed(width, b));
    match op {
        BinaryOp::And => Datum::Word(a & b),
        BinaryOp::Xor => Datum::Word(a ^ b),
        BinaryOp::Add => wrapped(x + y),
        BinaryOp::Sub => wrapped(x - y),
        BinaryOp::Mul => wrapped(x * y),
        BinaryOp::Udiv if *b == UBig::ZERO => wrapped(IBig::from(-1)),
        BinaryOp::Udiv => Datum::Word(a / b),
        BinaryOp::Urem if *b == UBig::ZERO => Datum::Word(a.clone()),
        BinaryOp::Urem => Datum::Word(a % b),
        BinaryOp::Sdiv if *b == UBig::ZERO => {
            wrapped(if signed_x < IBig::ZERO { IBig::ONE } else { IBig::from(-1) })
        }
        // The quotient is rounded towards zero, the remainder has the sign of the dividend.
        BinaryOp::Sdiv => wrapped(signed_x / signed_y),
        BinaryOp::Srem | BinaryOp::Smod if *b == UBig::ZERO => Datum::Word(a.clone()),
        BinaryOp::Srem => wrapped(signed_x % signed_y),
        BinaryOp::Smod => wrapped(floored_remainder(signed_x, signed_y)),
        BinaryOp::Eq => Datum::Bool(a == b),
        BinaryOp::Ult => Datum::Bool(a < b),
        BinaryOp::Slt => Datum::Bool(signed_x < signed_y),
        BinaryOp::Shl => Datum::Word(match shift(width, b) {
            Some(by) => wrap(width, x << by),
            None => UBig::ZERO,
        }),
        BinaryOp::Lshr => Datum::Word(shift(width, b).map_or(UBig::ZERO, |by| a >> by)),
        // Beyond the width only the sign is left, as after a shift by the width.
        BinaryOp::Ashr => {
            wrapped(floored_shift(signed_x, shift(width, b).unwrap_or(width as usize)))
        }
        BinaryOp::Rol => Datum::Word(rotate_left(width, a, rotation(width, b))),
        BinaryOp::Ror => {
            let by = rotation(width, b);
            Datum::Word(rotate_left(width, a, width as usize - by))
        }
        BinaryOp::Concat => Datum::Word((a << widths.1 as usize) + b),
        BinaryOp::Uaddo => Datum::Bool(a + b >= power(width)),
        BinaryOp::Umulo => Datum::Bool(a * b >= power(width)),
        BinaryOp::Saddo => Datum::Bool(!fits(width, &(signed_x + signed_y))),
        BinaryOp::Ssubo => Datum::Bool(!fits(width, &(signed_x - signed_y))),
        BinaryOp::Smulo => Datum::Bool(!fits(width, &(signed_x * signed_y))),
        BinaryOp::Sdivo => Datum::Bool(*b != UBig::ZERO && !fits(width, &(signed_x / signed_y))),
    }
}

pub(super) fn extract(high: u32, low: u32, a: &UBig) -> UBig {
    (a >> low as usize) % power(high - low + 1)
}

pub(super) fn extend(width: u32, by: u32, is_signed: bool, a: &UBig) -> UBig {
    if is_signed { wrap(width + by, signed(width, a)) } else { a.clone() }
}

fn power(width: u32) -> UBig {
    UBig::ONE << width as usize
}

/// The number modulo two to the power of the width.
fn wrap(width: u32, number: IBig) -> UBig {
    let modulus = IBig::from(power(width));
    UBig::try_from(floored_remainder(number, modulus)).expect("the divisor is positive")
}

/// The number of a word in two's complement.
fn signed(width: u32, a: &UBig) -> IBig {
    let number = IBig::from(a.clone());
    if width > 0 && *a >= power(width - 1) { number - IBig::from(power(width)) } else { number }
}

fn fits(width: u32, number: &IBig) -> bool {
    let half = IBig::from(power(width.saturating_sub(1)));
    *number < half && *number >= -half
}

/// The remainder that has the sign of the divisor, which is not zero.
fn floored_remainder(number: IBig, divisor: IBig) -> IBig {
    let (_, remainder) = number.div_rem(divisor.clone());
    let other_sign = (remainder < IBig::ZERO) != (divisor < IBig::ZERO);
    if remainder != IBig::ZERO && other_sign { remainder + divisor } else { remainder }
}

/// Divided by a power of two and rounded down.
fn floored_shift(number: IBig, by: usize) -> IBig {
    let power = IBig::from(UBig::ONE << by);
    let remainder = floored_remainder(number.clone(), power.clone());
    (number - remainder) / power
}

/// How far to shift; `None` if nothing of the word is left.
fn shift(width: u32, by: &UBig) -> Option<usize> {
    usize::try_from(by.clone()).ok().filter(|&by| by < width as usize)
}

fn rotation(width: u32, by: &UBig) -> usize {
    let by = by % UBig::from(width.max(1));
    usize::try_from(by).expect("less than the width")
}

fn rotate_left(width: u32, a: &UBig, by: usize) -> UBig {
    let doubled = (a << width as usize) + a;
    (doubled >> (width as usize - by)) % power(width)
}
