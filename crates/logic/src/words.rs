//! Circuits for the word operators over an and-inverter graph.
//!
//! A word is a slice of literals, the least significant bit first. Each circuit
//! is tested against the reference semantics of [`elinvar_ir::BitVec`].

use elinvar_ir::{BinaryOp, BitVec, UnaryOp};

use crate::aig::{Aig, AigLit};

pub type Word = Vec<AigLit>;

pub fn constant(value: &BitVec) -> Word {
    value.iter_bits().map(AigLit::constant).collect()
}

/// The value, when every bit is constant.
pub fn as_constant(word: &[AigLit]) -> Option<BitVec> {
    let bits: Option<Vec<bool>> = word.iter().map(|bit| bit.as_constant()).collect();
    bits.map(BitVec::from_bits)
}

pub fn unary(aig: &mut Aig, op: UnaryOp, a: &[AigLit]) -> Word {
    match op {
        UnaryOp::Not => complement(a),
        UnaryOp::Neg => negate(aig, a),
        UnaryOp::RedAnd => vec![aig.and_all(a)],
        UnaryOp::RedXor => {
            vec![a.iter().fold(AigLit::FALSE, |parity, &bit| aig.xor(parity, bit))]
        }
    }
}

pub fn binary(aig: &mut Aig, op: BinaryOp, a: &[AigLit], b: &[AigLit]) -> Word {
    match op {
        BinaryOp::And => zip(a, b, |x, y| aig.and(x, y)),
        BinaryOp::Xor => zip(a, b, |x, y| aig.xor(x, y)),
        BinaryOp::Add => add(aig, a, b, AigLit::FALSE).0,
        BinaryOp::Sub => add(aig, a, &complement(b), AigLit::TRUE).0,
        BinaryOp::Mul => multiply(aig, a, b),
        BinaryOp::Udiv => divide(aig, a, b).0,
        BinaryOp::Urem => divide(aig, a, b).1,
        BinaryOp::Sdiv => signed_divide(aig, a, b),
        BinaryOp::Srem => signed_remainder(aig, a, b),
        BinaryOp::Smod => signed_modulo(aig, a, b),
        BinaryOp::Eq => vec![equal(aig, a, b)],
        BinaryOp::Ult => vec![less(aig, a, b)],
        BinaryOp::Slt => vec![signed_less(aig, a, b)],
        BinaryOp::Shl => shift(aig, a, b, Shift::Left),
        BinaryOp::Lshr => shift(aig, a, b, Shift::Right(AigLit::FALSE)),
        BinaryOp::Ashr => shift(aig, a, b, Shift::Right(a[a.len() - 1])),
        BinaryOp::Rol => rotate(aig, a, b, true),
        BinaryOp::Ror => rotate(aig, a, b, false),
        BinaryOp::Concat => b.iter().chain(a).copied().collect(),
        BinaryOp::Uaddo => vec![add(aig, a, b, AigLit::FALSE).1],
        BinaryOp::Saddo => {
            let sum = add(aig, a, b, AigLit::FALSE).0;
            vec![signs_overflow(aig, a, b, &sum)]
        }
        BinaryOp::Ssubo => {
            // a - b overflows as a + ~b + 1 does.
            let nb = complement(b);
            let difference = add(aig, a, &nb, AigLit::TRUE).0;
            vec![signs_overflow(aig, a, &nb, &difference)]
        }
        BinaryOp::Umulo => vec![unsigned_multiply_overflows(aig, a, b)],
        BinaryOp::Smulo => vec![signed_multiply_overflows(aig, a, b)],
        BinaryOp::Sdivo => {
            // The smallest number (only its sign is set) divided by minus one.
            let (&sign, rest) = a.split_last().expect("words are not empty");
            let rest = aig.or_all(rest);
            let minus_one = aig.and_all(b);
            let smallest = aig.and(sign, !rest);
            vec![aig.and(smallest, minus_one)]
        }
    }
}

pub fn ite(aig: &mut Aig, c: AigLit, t: &[AigLit], e: &[AigLit]) -> Word {
    zip(t, e, |x, y| aig.ite(c, x, y))
}

pub fn equal(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> AigLit {
    let bits = zip(a, b, |x, y| aig.iff(x, y));
    aig.and_all(&bits)
}

fn zip(a: &[AigLit], b: &[AigLit], mut f: impl FnMut(AigLit, AigLit) -> AigLit) -> Word {
    assert_eq!(a.len(), b.len(), "operands of different widths");
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

fn complement(a: &[AigLit]) -> Word {
    a.iter().map(|&bit| !bit).collect()
}

fn negate(aig: &mut Aig, a: &[AigLit]) -> Word {
    let zero = vec![AigLit::FALSE; a.len()];
    add(aig, &zero, &complement(a), AigLit::TRUE).0
}

/// The ripple-carry sum and its carry.
fn add(aig: &mut Aig, a: &[AigLit], b: &[AigLit], carry: AigLit) -> (Word, AigLit) {
    let mut carry = carry;
    let sum = zip(a, b, |x, y| {
        let differ = aig.xor(x, y);
        let sum = aig.xor(differ, carry);
        // The carry is the majority: equal operands decide it, else it is passed on.
        carry = aig.ite(differ, carry, x);
        sum
    });
    (sum, carry)
}

/// Shift and add.
fn multiply(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> Word {
    let width = a.len();
    // Fewer partial products when the constant operand selects them.
    let constants = |word: &[AigLit]| word.iter().filter(|bit| **bit == AigLit::FALSE).count();
    let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
    let mut product = vec![AigLit::FALSE; width];
    for (i, &bit) in b.iter().enumerate() {
        if bit == AigLit::FALSE {
            continue;
        }
        let partial: Word = a[..width - i].iter().map(|&x| aig.and(x, bit)).collect();
        let sum = add(aig, &product[i..], &partial, AigLit::FALSE).0;
        product[i..].copy_from_slice(&sum);
    }
    product
}

/// Quotient and remainder by restoring division. Dividing by zero gives all
/// ones and the dividend without a special case: every step subtracts zero.
fn divide(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> (Word, Word) {
    let width = a.len();
    let mut quotient = vec![AigLit::FALSE; width];
    let mut remainder = vec![AigLit::FALSE; width];
    let divisor: Word = b.iter().copied().chain([AigLit::FALSE]).collect();
    let complement = complement(&divisor);
    for i in (0..width).rev() {
        // The remainder is shifted left and takes in bit i: one bit wider.
        let shifted: Word = std::iter::once(a[i]).chain(remainder.iter().copied()).collect();
        let (difference, fits) = add(aig, &shifted, &complement, AigLit::TRUE);
        quotient[i] = fits;
        remainder = ite(aig, fits, &difference[..width], &shifted[..width]);
    }
    (quotient, remainder)
}

fn sign(a: &[AigLit]) -> AigLit {
    a[a.len() - 1]
}

fn magnitude(aig: &mut Aig, a: &[AigLit]) -> Word {
    let negative = negate(aig, a);
    ite(aig, sign(a), &negative, a)
}

fn negate_if(aig: &mut Aig, condition: AigLit, a: &[AigLit]) -> Word {
    let negative = negate(aig, a);
    ite(aig, condition, &negative, a)
}

fn signed_divide(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> Word {
    let (x, y) = (magnitude(aig, a), magnitude(aig, b));
    let quotient = divide(aig, &x, &y).0;
    let differ = aig.xor(sign(a), sign(b));
    negate_if(aig, differ, &quotient)
}

fn signed_remainder(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> Word {
    let (x, y) = (magnitude(aig, a), magnitude(aig, b));
    let remainder = divide(aig, &x, &y).1;
    negate_if(aig, sign(a), &remainder)
}

/// The remainder takes the sign of the divisor: it is moved by the divisor when
/// the signs differ and it is not zero.
fn signed_modulo(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> Word {
    let remainder = signed_remainder(aig, a, b);
    let moved = add(aig, &remainder, b, AigLit::FALSE).0;
    let differ = aig.xor(sign(a), sign(b));
    let nonzero = aig.or_all(&remainder);
    let move_it = aig.and(differ, nonzero);
    ite(aig, move_it, &moved, &remainder)
}

fn less(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> AigLit {
    let mut less = AigLit::FALSE;
    for (&x, &y) in a.iter().zip(b) {
        let differ = aig.xor(x, y);
        less = aig.ite(differ, y, less);
    }
    less
}

fn signed_less(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> AigLit {
    // Flipping both signs turns the signed order into the unsigned one.
    let flip = |word: &[AigLit]| {
        let mut word = word.to_vec();
        let last = word.len() - 1;
        word[last] = !word[last];
        word
    };
    less(aig, &flip(a), &flip(b))
}

enum Shift {
    Left,
    /// With the bit that is shifted in.
    Right(AigLit),
}

/// A barrel shifter; amounts of the width and more shift everything out.
fn shift(aig: &mut Aig, a: &[AigLit], by: &[AigLit], kind: Shift) -> Word {
    let width = a.len();
    let fill = match kind {
        Shift::Left => AigLit::FALSE,
        Shift::Right(fill) => fill,
    };
    let mut word = a.to_vec();
    for (stage, &bit) in by.iter().enumerate() {
        let distance = if stage < 31 { 1usize << stage } else { usize::MAX };
        let source = |i: usize| match kind {
            Shift::Left => i.checked_sub(distance),
            Shift::Right(_) => i.checked_add(distance).filter(|&j| j < width),
        };
        word = (0..width)
            .map(|i| {
                let shifted = source(i).map_or(fill, |j| word[j]);
                aig.ite(bit, shifted, word[i])
            })
            .collect();
    }
    word
}

/// Rotation by the amount modulo the width. Each bit of the amount rotates by
/// its own weight modulo the width, since rotations add up.
fn rotate(aig: &mut Aig, a: &[AigLit], by: &[AigLit], left: bool) -> Word {
    let width = a.len();
    let mut word = a.to_vec();
    let mut distance = 1 % width;
    for &bit in by {
        word = (0..width)
            .map(|i| {
                let from = if left { i + width - distance } else { i + distance };
                aig.ite(bit, word[from % width], word[i])
            })
            .collect();
        distance = distance * 2 % width;
    }
    word
}

/// The operands of a sum have one sign and the sum the other.
fn signs_overflow(aig: &mut Aig, a: &[AigLit], b: &[AigLit], sum: &[AigLit]) -> AigLit {
    let same = aig.iff(sign(a), sign(b));
    let changed = aig.xor(sign(a), sign(sum));
    aig.and(same, changed)
}

fn unsigned_multiply_overflows(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> AigLit {
    let extend = |word: &[AigLit]| -> Word {
        word.iter().copied().chain(std::iter::repeat_n(AigLit::FALSE, word.len())).collect()
    };
    let product = multiply(aig, &extend(a), &extend(b));
    aig.or_all(&product[a.len()..])
}

fn signed_multiply_overflows(aig: &mut Aig, a: &[AigLit], b: &[AigLit]) -> AigLit {
    let extend = |word: &[AigLit]| -> Word {
        word.iter().copied().chain(std::iter::repeat_n(sign(word), word.len())).collect()
    };
    let product = multiply(aig, &extend(a), &extend(b));
    // It fits when the high half and the sign of the low half are all equal.
    let high = &product[a.len() - 1..];
    let all = aig.and_all(high);
    let any = aig.or_all(high);
    aig.and(!all, any)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_value(values: &crate::aig::Valuation, word: &[AigLit]) -> BitVec {
        BitVec::from_bits(word.iter().map(|&bit| values.value(bit)))
    }

    /// Every operator at widths 1 to 4, on all operands, against the reference.
    #[test]
    fn circuits_agree_with_the_reference() {
        for width in 1..=4u32 {
            let mut aig = Aig::new();
            let a: Word = (0..width).map(|_| aig.input()).collect();
            let b: Word = (0..width).map(|_| aig.input()).collect();
            let binaries: Vec<Word> =
                BinaryOp::ALL.iter().map(|&op| binary(&mut aig, op, &a, &b)).collect();
            let ops = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor];
            let unaries: Vec<Word> = ops.iter().map(|&op| unary(&mut aig, op, &a)).collect();
            for code in 0..1u64 << (2 * width) {
                let values = aig.simulate(|node| code >> (node - 1) & 1 == 1);
                let (x, y) = (BitVec::new(width, code), BitVec::new(width, code >> width));
                for (op, word) in BinaryOp::ALL.iter().zip(&binaries) {
                    assert_eq!(word_value(&values, word), op.apply(&x, &y), "{op:?} {x:?} {y:?}");
                }
                for (op, word) in ops.iter().zip(&unaries) {
                    assert_eq!(word_value(&values, word), op.apply(&x), "{op:?} {x:?}");
                }
            }
        }
    }

    #[test]
    fn constants_are_folded() {
        let mut aig = Aig::new();
        let (x, y) = (BitVec::new(7, 93), BitVec::new(7, 12));
        for op in BinaryOp::ALL {
            let word = binary(&mut aig, op, &constant(&x), &constant(&y));
            assert_eq!(as_constant(&word), Some(op.apply(&x, &y)), "{op:?}");
        }
        assert_eq!(aig.len(), 1);
    }
}
