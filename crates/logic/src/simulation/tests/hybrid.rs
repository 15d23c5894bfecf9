//! Hybrid simulation keeps the better of both views of a word.

use elinvar_ir::{BinaryOp, UnaryOp};

use super::*;

/// Does the hybrid result have at most as many members as the result of each pure kind?
/// The pure kinds see hybrid operands through SELECT and CONJOIN.
fn check(what: &str, operands: &[&Abstract], simulate: impl Fn(Kind) -> Abstract) {
    let hybrid = simulate(Kind::Hybrid);
    for kind in [Kind::Ternary, Kind::Interval] {
        let pure = simulate(kind);
        assert!(
            members(&hybrid).len() <= members(&pure).len(),
            "{what} {operands:?}\n{hybrid:?}\n{pure:?}"
        );
    }
}

#[test]
fn operators_on_one_word_are_no_weaker_than_the_pure_kinds() {
    for width in 1..=4 {
        for a in words(Kind::Hybrid, width) {
            for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor] {
                check(&format!("{op:?}"), &[&a], |kind| kind.unary(op, &a));
            }
            for by in 0..3 {
                check("uext", &[&a], |kind| kind.uext(&a, by));
                check("sext", &[&a], |kind| kind.sext(&a, by));
            }
            for (hi, lo) in (0..width).flat_map(|hi| (0..=hi).map(move |lo| (hi, lo))) {
                check("slice", &[&a], |kind| kind.slice(&a, hi, lo));
            }
        }
    }
}

#[test]
fn operators_on_two_words_are_no_weaker_than_the_pure_kinds() {
    for width in 1..=4 {
        let words = words(Kind::Hybrid, width);
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            for op in BinaryOp::ALL {
                check(&format!("{op:?}"), &[a, b], |kind| kind.binary(op, a, b));
            }
            check("hull", &[a, b], |kind| hull(kind, a, b));
        }
    }
}

fn bits(known: u64, value: u64) -> Abstract {
    Kind::Hybrid.from_bits(&BitVec::new(4, known), &BitVec::new(4, value))
}

fn range(low: u64, high: u64) -> Abstract {
    Kind::Hybrid.from_range(Reading::Signed, &BitVec::new(4, low), &BitVec::new(4, high))
}

fn keeps_bits(word: &Abstract) -> bool {
    match &word.0 {
        Repr::Narrow(Word::Hybrid(Hybrid::Bits(_))) => true,
        Repr::Narrow(_) | Repr::Wide(_) => false,
    }
}

#[test]
fn a_sum_of_multiples_keeps_its_low_bits() {
    let sum = Kind::Hybrid.binary(BinaryOp::Add, &bits(0b0011, 0), &bits(0b0011, 0b01));
    assert_eq!(sum, bits(0b0011, 0b01));
}

#[test]
fn a_mask_that_changes_nothing_keeps_the_bounds() {
    let masked = Kind::Hybrid.binary(BinaryOp::And, &range(0, 4), &bits(0b0111, 0b0111));
    assert_eq!(masked, range(0, 4));
}

#[test]
fn equally_large_results_are_chosen_by_the_operator() {
    let [a, b] = [range(0, 3), range(0, 0)];
    assert!(keeps_bits(&Kind::Hybrid.binary(BinaryOp::Xor, &a, &b)));
    assert!(!keeps_bits(&Kind::Hybrid.binary(BinaryOp::Add, &a, &b)));
    assert!(!keeps_bits(&hull(Kind::Hybrid, &a, &b)));
    assert!(keeps_bits(&hull(Kind::Hybrid, &bits(0b1100, 0), &b)));
}
