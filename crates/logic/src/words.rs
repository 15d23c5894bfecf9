//! Circuits for the word operators over an and-inverter graph.
//!
//! A word is a slice of literals, the least significant bit first. Each circuit
//! is tested against the reference semantics of [`elinvar_ir::BitVec`].

use elinvar_ir::{BinaryOp, BitVec, UnaryOp};

use crate::aig::{Aig, AigLit};

/// The literals of a bit-vector, the least significant bit first.
pub type Word = Vec<AigLit>;

/// The literals of a constant.
pub fn constant(value: &BitVec) -> Word {
    value.iter_bits().map(AigLit::constant).collect()
}

/// The value, when every bit is constant.
pub fn as_constant(word: &[AigLit]) -> Option<BitVec> {
    let bits: Option<Vec<bool>> = word.iter().map(|bit| bit.as_constant()).collect();
    bits.map(BitVec::from_bits)
}

/// The circuit of an operator with one operand.
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

/// The circuit of an operator with two operands.
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

/// If-then-else on words of the same width.
pub fn ite(aig: &mut Aig, c: AigLit, t: &[AigLit], e: &[AigLit]) -> Word {
    zip(t, e, |x, y| aig.ite(c, x, y))
}

/// Whether two words of the same width are equal.
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
        if aig.is_stopped() {
            break;
        }
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
    let kept = remainder_width(b);
    let mut quotient = vec![AigLit::FALSE; width];
    let mut remainder = vec![AigLit::FALSE; kept];
    let divisor: Word = b[..kept].iter().copied().chain([AigLit::FALSE]).collect();
    let complement = complement(&divisor);
    for i in (0..width).rev() {
        if aig.is_stopped() {
            break;
        }
        // The remainder is shifted left and takes in bit i: one bit wider.
        let shifted: Word = std::iter::once(a[i]).chain(remainder.iter().copied()).collect();
        let (difference, fits) = add(aig, &shifted, &complement, AigLit::TRUE);
        quotient[i] = fits;
        remainder = ite(aig, fits, &difference[..kept], &shifted[..kept]);
    }
    remainder.resize(width, AigLit::FALSE);
    (quotient, remainder)
}

/// How many bits of a remainder may be set: a remainder is less than the divisor, unless
/// that is zero. Only a divisor with a bit that is known to be set is not.
fn remainder_width(divisor: &[AigLit]) -> usize {
    if divisor.contains(&AigLit::TRUE) {
        let top = divisor.iter().rposition(|&bit| bit != AigLit::FALSE);
        top.map_or(0, |top| top + 1)
    } else {
        divisor.len()
    }
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

/// A barrel shifter with a stage for each bit of the amount that shifts by less than the
/// width. The other bits shift everything out, all in one last stage.
fn shift(aig: &mut Aig, a: &[AigLit], by: &[AigLit], kind: Shift) -> Word {
    let width = a.len();
    let fill = match kind {
        Shift::Left => AigLit::FALSE,
        Shift::Right(fill) => fill,
    };
    let stages = stages(width).min(by.len());
    let mut word = a.to_vec();
    for (stage, &bit) in by[..stages].iter().enumerate() {
        let distance = 1usize << stage;
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
    let out = aig.or_all(&by[stages..]);
    word.into_iter().map(|bit| aig.ite(out, fill, bit)).collect()
}

/// How many bits a number less than `width` has.
fn stages(width: usize) -> usize {
    width.next_power_of_two().trailing_zeros() as usize
}

/// Words up to this width are rotated without reducing the amount first.
const NARROW: usize = 64;

/// Rotation by the amount modulo the width. Each bit of the amount rotates by its own
/// weight modulo the width, since rotations add up.
fn rotate(aig: &mut Aig, a: &[AigLit], by: &[AigLit], left: bool) -> Word {
    let width = a.len();
    let by = if width <= NARROW { by.to_vec() } else { modulo_width(aig, by, width) };
    let mut word = a.to_vec();
    let mut distance = 1 % width;
    for bit in by {
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

/// The amount modulo the width, in as few bits as that needs: so a rotation has a
/// logarithmic number of stages.
fn modulo_width(aig: &mut Aig, by: &[AigLit], width: usize) -> Word {
    let stages = stages(width);
    if width.is_power_of_two() {
        return by[..stages].to_vec();
    }
    let divisor = BitVec::new(stages as u32, width as u64);
    let zeros = std::iter::repeat_n(AigLit::FALSE, by.len() - stages);
    let divisor: Word = constant(&divisor).into_iter().chain(zeros).collect();
    let mut remainder = divide(aig, by, &divisor).1;
    remainder.truncate(stages);
    remainder
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

    /// A literal for each bit of a value: an input, or the constant.
    fn operand(aig: &mut Aig, value: &BitVec, constant: bool) -> Word {
        let literal = |bit| if constant { AigLit::constant(bit) } else { aig.input() };
        value.iter_bits().map(literal).collect()
    }

    /// Compares every operator with the reference for these operands.
    fn agrees(ops: &[BinaryOp], x: &BitVec, y: &BitVec, constants: [bool; 2]) {
        let mut aig = Aig::new();
        let a = operand(&mut aig, x, constants[0]);
        let b = operand(&mut aig, y, constants[1]);
        let inputs = [(x, constants[0]), (y, constants[1])];
        let inputs = inputs.into_iter().filter(|(_, constant)| !constant);
        let inputs: Vec<bool> = inputs.flat_map(|(value, _)| value.iter_bits()).collect();
        let words: Vec<Word> = ops.iter().map(|&op| binary(&mut aig, op, &a, &b)).collect();
        let values = aig.simulate(|node| inputs[node - 1]);
        for (op, word) in ops.iter().zip(&words) {
            assert_eq!(word_value(&values, word), op.apply(x, y), "{op:?} {x:?} {y:?}");
        }
    }

    /// Random operands, and amounts about the width.
    #[test]
    fn circuits_of_wide_words_agree_with_the_reference() {
        let mut rng = elinvar_ir::Rng::new(3);
        for width in [65, 100] {
            for round in 0..4 {
                let (x, y) = (rng.bitvec(width), rng.bitvec(width));
                let small = BitVec::new(width, u64::from(width) - 2 + round);
                agrees(&BinaryOp::ALL, &x, &y, [false, false]);
                agrees(&BinaryOp::ALL, &x, &small, [false, round % 2 == 0]);
                agrees(&BinaryOp::ALL, &x, &y, [round % 2 == 0, true]);
                agrees(&BinaryOp::ALL, &y, &BitVec::zero(width), [false, round % 2 == 0]);
            }
        }
        use BinaryOp::*;
        for width in [1000, 1024] {
            let x = rng.bitvec(width);
            for amount in [0, 1, 511, 999, 1000, 1023, 1024, 1_000_007] {
                let by = BitVec::new(width, amount);
                agrees(&[Shl, Lshr, Ashr, Rol, Ror], &x, &by, [false, false]);
                agrees(&[Shl, Lshr, Ashr, Rol, Ror, Mul, Udiv, Srem], &x, &by, [false, true]);
            }
            agrees(&[Shl, Lshr, Ashr, Rol, Ror], &x, &rng.bitvec(width), [false, false]);
        }
    }

    /// The number of gates of an operator on inputs, or on an input and a constant.
    fn gates(op: BinaryOp, width: u32, by: Option<u64>) -> usize {
        let mut aig = Aig::new();
        let zero = BitVec::zero(width);
        let a = operand(&mut aig, &zero, false);
        let b = match by {
            Some(by) => constant(&BitVec::new(width, by)),
            None => operand(&mut aig, &zero, false),
        };
        let inputs = aig.len();
        binary(&mut aig, op, &a, &b);
        aig.len() - inputs
    }

    #[test]
    fn shifts_of_wide_words_are_not_quadratic() {
        use BinaryOp::*;
        for op in [Shl, Lshr, Ashr] {
            assert!(gates(op, 10_000, None) < 3 * 10_000 * 16, "{op:?}");
        }
        for op in [Rol, Ror] {
            assert!(gates(op, 8192, None) <= 3 * 8192 * 13, "{op:?}");
            assert!(gates(op, 8191, None) < 30 * 8191 * 13, "{op:?}");
        }
    }

    #[test]
    fn constant_operands_are_cheap() {
        use BinaryOp::*;
        let width = 2000;
        for op in [Shl, Lshr, Ashr, Rol, Ror] {
            assert_eq!(gates(op, width, Some(77)), 0, "{op:?}");
        }
        for op in [Mul, Udiv, Urem] {
            assert!(gates(op, width, Some(77)) < 100 * width as usize, "{op:?}");
        }
    }

    #[test]
    fn circuits_of_ordinary_words_do_not_grow() {
        use BinaryOp::*;
        let most = [(Mul, 4372), (Udiv, 11_057), (Shl, 476), (Lshr, 476), (Ashr, 528), (Rol, 480)];
        for (op, most) in most {
            assert!(gates(op, 32, None) <= most, "{op:?}");
        }
        assert!(gates(Rol, 24, None) <= 1728);
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
