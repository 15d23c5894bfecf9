//! The examples of the paper.

use dashu_int::IBig;
use elinvar_ir::{BinaryOp, ExprId, Pool, Sort};

use super::*;
use crate::simulation::Simulation;

fn signed(kind: Kind, low: i64, high: i64) -> Abstract {
    let value = |bound: i64| BitVec::new(4, bound as u64);
    kind.from_range(Reading::Signed, &value(low), &value(high))
}

/// A word as the paper prints it: `-` is an unknown bit.
fn printed(word: &Abstract) -> String {
    let digit = |index| word.bit(index).map_or('-', |bit| if bit { '1' } else { '0' });
    (0..word.width()).rev().map(digit).collect()
}

fn parse(kind: Kind, text: &str) -> Abstract {
    let bits = |digits: &dyn Fn(char) -> bool| BitVec::from_bits(text.chars().rev().map(digits));
    kind.from_bits(&bits(&|c| c != '-'), &bits(&|c| c == '1'))
}

fn range(word: &Abstract) -> (i64, i64) {
    let (low, high) = word.range(Reading::Signed);
    let small = |bound: IBig| i64::try_from(bound).expect("a small number");
    (small(low), small(high))
}

#[test]
fn select_takes_the_common_leading_bits() {
    for (low, high, bits) in [
        (4, 7, "01--"),
        (5, 5, "0101"),
        (3, 4, "0---"),
        (-8, -7, "100-"),
        (-1, 0, "----"),
        (-4, -2, "11--"),
    ] {
        assert_eq!(printed(&signed(Kind::Ternary, low, high)), bits);
        assert_eq!(printed(&signed(Kind::Interval, low, high)), bits);
    }
}

#[test]
fn conjoin_sets_an_unknown_sign_for_the_least_number() {
    for (bits, expected) in [
        ("----", (-8, 7)),
        ("-00-", (-8, 1)),
        ("100-", (-8, -7)),
        ("0-1-", (2, 7)),
        ("0101", (5, 5)),
    ] {
        assert_eq!(range(&parse(Kind::Interval, bits)), expected);
        assert_eq!(range(&parse(Kind::Ternary, bits)), expected);
        assert_eq!(range(&parse(Kind::Product, bits)), expected);
    }
}

#[test]
fn conjunction_in_intervals_and_in_bits() {
    let and = |kind: Kind| kind.binary(BinaryOp::And, &signed(kind, -1, 0), &signed(kind, -8, -7));
    assert_eq!(range(&and(Kind::Interval)), (-8, 1));
    assert_eq!(printed(&and(Kind::Ternary)), "-00-");
    assert_eq!(printed(&and(Kind::Hybrid)), "-00-");
    assert_eq!(printed(&and(Kind::Product)), "-00-");
}

/// The upper bound of a conjunction is the minimum of the upper bounds.
#[test]
fn unknown_and_zero_is_zero() {
    for kind in Kind::ALL {
        let zero = kind.binary(BinaryOp::And, &kind.top(1), &kind.point(&BitVec::bool(false)));
        assert_eq!(zero.constant(), Some(BitVec::bool(false)));
    }
}

/// 3.3.4: e = (e1 < 2) ∧ (0 ≤ e1), e1 = e2 ∧ e3, e2 = x1 - x2 + 2, e3 = y1 ∨ y2.
struct Example {
    pool: Pool,
    symbols: [ExprId; 4],
    e: ExprId,
    e1: ExprId,
}

fn example() -> Example {
    let mut pool = Pool::new();
    let [x1, x2, y1, y2] = [(); 4].map(|()| pool.symbol(Sort::Bv(4), None).unwrap());
    let [zero, two] = [0, 2].map(|value| pool.constant(BitVec::new(4, value)));
    let difference = pool.binary(BinaryOp::Sub, x1, x2).unwrap();
    let e2 = pool.binary(BinaryOp::Add, difference, two).unwrap();
    let e3 = pool.or(y1, y2).unwrap();
    let e1 = pool.and(e2, e3).unwrap();
    let less = pool.binary(BinaryOp::Slt, e1, two).unwrap();
    let positive = pool.sle(zero, e1).unwrap();
    let e = pool.and(less, positive).unwrap();
    Example { pool, symbols: [x1, x2, y1, y2], e, e1 }
}

#[test]
fn only_hybrid_simulation_proves_the_example() {
    let Example { pool, symbols: [x1, x2, y1, y2], e, e1 } = example();
    for (kind, proves) in [
        (Kind::Ternary, false),
        (Kind::Interval, false),
        (Kind::Hybrid, true),
        (Kind::Product, true),
    ] {
        let mut simulation = Simulation::new(kind, &pool, [e]);
        simulation.assign(x1, signed(kind, 2, 4));
        simulation.assign(x2, signed(kind, 1, 2));
        simulation.assign(y1, parse(kind, "-00-"));
        simulation.assign(y2, parse(kind, "100-"));
        assert_eq!(simulation.value(e).is_true(), proves, "{kind:?}");
        if proves {
            assert_eq!(range(&simulation.value(e1)), (0, 1));
        }
    }
}
