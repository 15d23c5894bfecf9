//! The operators of bit-vectors as circuits, each in its plainest form:
//! ripple-carry addition, shift-and-add multiplication, restoring division,
//! barrel shifters. A word is a slice of literals, the least significant first.
//!
//! The meaning of each operator is the one of `elinvar_ir::BitVec`.

use elinvar_ir::{BinaryOp, BitVec, UnaryOp};

use crate::solver::{Lit, Solver};

pub(crate) type Word = Vec<Lit>;

pub(crate) fn constant(value: &BitVec) -> Word {
    value.iter_bits().map(Lit::constant).collect()
}

/// The value of a word under an assignment.
pub(crate) fn value(word: &[Lit], mut holds: impl FnMut(Lit) -> bool) -> BitVec {
    BitVec::from_bits(word.iter().map(|&lit| holds(lit)))
}

pub(crate) fn fresh(solver: &mut Solver, width: u32) -> Word {
    (0..width).map(|_| solver.fresh()).collect()
}

/// A bound on the number of gates of an operator on these operands, to be spent
/// before it is built.
pub(crate) fn binary_cost(op: BinaryOp, a: &[Lit], b: &[Lit]) -> u64 {
    use BinaryOp::*;
    let width = a.len() as u64;
    let unset = |word: &[Lit]| word.iter().filter(|&&bit| bit == Lit::FALSE).count() as u64;
    let log = u64::from(width.ilog2()) + 1;
    let product = |factors: [u64; 3]| factors.into_iter().fold(1, u64::saturating_mul);
    match op {
        Concat => 1,
        And | Xor | Add | Sub | Eq | Ult | Slt | Uaddo | Saddo | Ssubo | Sdivo => 5 * width,
        Shl | Lshr | Ashr => width * (log + 2),
        Rol | Ror if width <= DIRECTLY as u64 => 5 * width * width,
        Rol | Ror => product([15, width, log + 1]),
        // Bits that are known not to be set cost nothing.
        Mul => product([5, width, width - unset(a).max(unset(b))]),
        Udiv | Urem => product([6, width + 1, divisor_width(b) as u64 + 1]),
        Sdiv | Srem | Smod => product([6, width + 5, width + 5]),
        Umulo | Smulo => product([20, width, width]),
    }
}

pub(crate) fn unary(solver: &mut Solver, op: UnaryOp, a: &[Lit]) -> Word {
    match op {
        UnaryOp::Not => not(a),
        UnaryOp::Neg => negate(solver, a),
        UnaryOp::RedAnd => vec![solver.all(a.iter().copied())],
        UnaryOp::RedXor => vec![a.iter().fold(Lit::FALSE, |sum, &bit| solver.xor(sum, bit))],
    }
}

pub(crate) fn binary(solver: &mut Solver, op: BinaryOp, a: &[Lit], b: &[Lit]) -> Word {
    match op {
        BinaryOp::And => zip(a, b, |x, y| solver.and(x, y)),
        BinaryOp::Xor => zip(a, b, |x, y| solver.xor(x, y)),
        BinaryOp::Add => add(solver, a, b, Lit::FALSE).0,
        BinaryOp::Sub => subtract(solver, a, b),
        BinaryOp::Mul => multiply(solver, a, b),
        BinaryOp::Udiv => divide(solver, a, b).0,
        BinaryOp::Urem => divide(solver, a, b).1,
        BinaryOp::Sdiv => signed_quotient(solver, a, b),
        BinaryOp::Srem => signed_remainder(solver, a, b),
        BinaryOp::Smod => signed_modulo(solver, a, b),
        BinaryOp::Eq => vec![equal(solver, a, b)],
        BinaryOp::Ult => vec![less(solver, a, b)],
        BinaryOp::Slt => vec![signed_less(solver, a, b)],
        BinaryOp::Shl => shift_left(solver, a, b),
        BinaryOp::Lshr => shift_right(solver, a, b, Lit::FALSE),
        BinaryOp::Ashr => shift_right(solver, a, b, sign(a)),
        BinaryOp::Rol => rotate_left(solver, a, b),
        BinaryOp::Ror => {
            // To the right is to the left in the mirror.
            let mirrored: Word = a.iter().rev().copied().collect();
            rotate_left(solver, &mirrored, b).into_iter().rev().collect()
        }
        BinaryOp::Concat => b.iter().chain(a).copied().collect(),
        BinaryOp::Uaddo => vec![add(solver, a, b, Lit::FALSE).1],
        BinaryOp::Saddo => {
            let sum = add(solver, a, b, Lit::FALSE).0;
            vec![wraps(solver, sign(a), sign(b), sign(&sum))]
        }
        BinaryOp::Ssubo => {
            let difference = subtract(solver, a, b);
            vec![wraps(solver, sign(a), !sign(b), sign(&difference))]
        }
        BinaryOp::Umulo => {
            let product = multiply(solver, &extend(a, Lit::FALSE), &extend(b, Lit::FALSE));
            vec![solver.any(product[a.len()..].iter().copied())]
        }
        BinaryOp::Smulo => {
            let product = multiply(solver, &extend(a, sign(a)), &extend(b, sign(b)));
            // It fits if the upper half repeats the sign of the lower one.
            let low_sign = product[a.len() - 1];
            let differs: Word =
                product[a.len()..].iter().map(|&bit| solver.xor(bit, low_sign)).collect();
            vec![solver.any(differs)]
        }
        BinaryOp::Sdivo => {
            let smallest: Word = (0..a.len()).map(|i| Lit::constant(i + 1 == a.len())).collect();
            let (a_smallest, b_minus_one) =
                (equal(solver, a, &smallest), solver.all(b.iter().copied()));
            vec![solver.and(a_smallest, b_minus_one)]
        }
    }
}

pub(crate) fn ite(solver: &mut Solver, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Word {
    zip(then, otherwise, |t, e| solver.ite(condition, t, e))
}

pub(crate) fn equal(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Lit {
    let same = zip(a, b, |x, y| !solver.xor(x, y));
    solver.all(same)
}

pub(crate) fn not(a: &[Lit]) -> Word {
    a.iter().map(|&bit| !bit).collect()
}

pub(crate) fn sign(a: &[Lit]) -> Lit {
    *a.last().expect("words are not empty")
}

fn zip(a: &[Lit], b: &[Lit], mut f: impl FnMut(Lit, Lit) -> Lit) -> Word {
    assert_eq!(a.len(), b.len(), "words of different widths");
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

/// To twice the width.
fn extend(a: &[Lit], by: Lit) -> Word {
    a.iter().copied().chain(std::iter::repeat_n(by, a.len())).collect()
}

/// The sum and the carry out.
fn add(solver: &mut Solver, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
    let mut carry = carry;
    let sum = zip(a, b, |x, y| {
        let either = solver.xor(x, y);
        let sum = solver.xor(either, carry);
        let (both, passed) = (solver.and(x, y), solver.and(either, carry));
        carry = solver.or(both, passed);
        sum
    });
    (sum, carry)
}

fn subtract(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Word {
    add(solver, a, &not(b), Lit::TRUE).0
}

fn negate(solver: &mut Solver, a: &[Lit]) -> Word {
    add(solver, &not(a), &vec![Lit::FALSE; a.len()], Lit::TRUE).0
}

fn negate_if(solver: &mut Solver, condition: Lit, a: &[Lit]) -> Word {
    let negated = negate(solver, a);
    ite(solver, condition, &negated, a)
}

/// Two numbers of the same sign whose sum has the other one.
fn wraps(solver: &mut Solver, a: Lit, b: Lit, sum: Lit) -> Lit {
    let (same, changed) = (!solver.xor(a, b), solver.xor(a, sum));
    solver.and(same, changed)
}

fn multiply(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Word {
    let unset = |word: &[Lit]| word.iter().filter(|&&bit| bit == Lit::FALSE).count();
    // A row of zeros is not added, so rows are made of the factor with more of them.
    let (a, b) = if unset(a) > unset(b) { (b, a) } else { (a, b) };
    let mut product: Word = vec![Lit::FALSE; a.len()];
    for (i, &bit) in b.iter().enumerate() {
        if bit == Lit::FALSE {
            continue;
        }
        let row: Word = a[..a.len() - i].iter().map(|&x| solver.and(x, bit)).collect();
        let upper = add(solver, &product[i..], &row, Lit::FALSE).0;
        product.truncate(i);
        product.extend(upper);
    }
    product
}

/// Quotient and remainder by restoring division, bit by bit from the top.
///
/// Division by zero needs no case of its own: every trial subtraction of zero
/// succeeds, so the quotient is all ones and the remainder the dividend. A divisor that
/// cannot be zero exceeds every remainder, which then has no more bits than it.
fn divide(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> (Word, Word) {
    // One bit more, for the shifted remainder.
    let bits = divisor_width(b);
    let divisor: Word = b[..bits].iter().copied().chain([Lit::FALSE]).collect();
    let mut quotient = vec![Lit::FALSE; a.len()];
    let mut remainder = vec![Lit::FALSE; bits];
    for (i, &bit) in a.iter().enumerate().rev() {
        let shifted: Word = [bit].into_iter().chain(remainder).collect();
        let (difference, fits) = add(solver, &shifted, &not(&divisor), Lit::TRUE);
        quotient[i] = fits;
        remainder = ite(solver, fits, &difference, &shifted);
        remainder.pop();
    }
    remainder.resize(a.len(), Lit::FALSE);
    (quotient, remainder)
}

/// The bits of the divisor without leading zeros, if one of them is known to be set; else
/// all of them, since it may be zero.
fn divisor_width(b: &[Lit]) -> usize {
    let zeros = b.iter().rev().take_while(|&&bit| bit == Lit::FALSE).count();
    if b.contains(&Lit::TRUE) { b.len() - zeros } else { b.len() }
}

fn divide_magnitudes(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> (Word, Word) {
    let (a, b) = (negate_if(solver, sign(a), a), negate_if(solver, sign(b), b));
    divide(solver, &a, &b)
}

fn signed_quotient(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Word {
    let quotient = divide_magnitudes(solver, a, b).0;
    let negative = solver.xor(sign(a), sign(b));
    negate_if(solver, negative, &quotient)
}

fn signed_remainder(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Word {
    let remainder = divide_magnitudes(solver, a, b).1;
    negate_if(solver, sign(a), &remainder)
}

/// The signed remainder, moved by the divisor when it is not zero and the
/// signs of the operands differ.
fn signed_modulo(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Word {
    let remainder = signed_remainder(solver, a, b);
    let moved = add(solver, &remainder, b, Lit::FALSE).0;
    let (exists, differ) = (solver.any(remainder.iter().copied()), solver.xor(sign(a), sign(b)));
    let moves = solver.and(exists, differ);
    ite(solver, moves, &moved, &remainder)
}

/// `a < b` exactly when `a - b` borrows.
fn less(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Lit {
    !add(solver, a, &not(b), Lit::TRUE).1
}

/// As unsigned numbers with the sign bit flipped.
fn signed_less(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Lit {
    let flip = |word: &[Lit]| {
        let mut word = word.to_vec();
        let top = word.len() - 1;
        word[top] = !word[top];
        word
    };
    less(solver, &flip(a), &flip(b))
}

/// A barrel shifter: bit `i` of the amount shifts by `2^i`; a bit that shifts
/// everything out is treated apart.
fn shift_right(solver: &mut Solver, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
    let mut word = a.to_vec();
    let mut out = Lit::FALSE;
    for (i, &bit) in by.iter().enumerate() {
        match 1usize.checked_shl(i as u32).filter(|&distance| distance < a.len()) {
            Some(distance) => {
                let fills = std::iter::repeat_n(fill, distance);
                let shifted: Word = word[distance..].iter().copied().chain(fills).collect();
                word = ite(solver, bit, &shifted, &word);
            }
            None => out = solver.or(out, bit),
        }
    }
    ite(solver, out, &vec![fill; a.len()], &word)
}

fn shift_left(solver: &mut Solver, a: &[Lit], by: &[Lit]) -> Word {
    let mirrored: Word = a.iter().rev().copied().collect();
    shift_right(solver, &mirrored, by, Lit::FALSE).into_iter().rev().collect()
}

/// Wider words are rotated by an amount that was made smaller than the width first.
const DIRECTLY: usize = 64;

/// Rotations add up, so bit `i` of the amount rotates by `2^i` modulo the width.
fn rotate_left(solver: &mut Solver, a: &[Lit], by: &[Lit]) -> Word {
    let reduced;
    let by = if a.len() > DIRECTLY && !a.len().is_power_of_two() {
        reduced = residue(solver, by, a.len());
        &reduced
    } else {
        by
    };
    let mut word = a.to_vec();
    let mut distance = 1 % a.len();
    for &bit in by {
        if distance == 0 {
            break;
        }
        let mut rotated = word.clone();
        rotated.rotate_right(distance);
        word = ite(solver, bit, &rotated, &word);
        distance = 2 * distance % a.len();
    }
    word
}

/// A number modulo a constant: the sum of the residues of its bits' weights, each addition
/// followed by a subtraction of the modulus if the sum is not less.
fn residue(solver: &mut Solver, number: &[Lit], modulus: usize) -> Word {
    // Sums of two residues fit.
    let width = modulus.ilog2() + 2;
    let word = |value: usize| constant(&BitVec::new(width, value as u64));
    let negated = not(&word(modulus));
    let mut sum = word(0);
    let mut weight = 1 % modulus;
    for &bit in number {
        let term: Word = word(weight).into_iter().map(|set| solver.and(set, bit)).collect();
        sum = add(solver, &sum, &term, Lit::FALSE).0;
        let (reduced, exceeds) = add(solver, &sum, &negated, Lit::TRUE);
        sum = ite(solver, exceeds, &reduced, &sum);
        weight = 2 * weight % modulus;
    }
    sum.truncate(width as usize - 1);
    sum
}
