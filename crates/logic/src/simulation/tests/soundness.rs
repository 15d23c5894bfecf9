//! Every operator on every word of every kind contains all concrete results.

use elinvar_ir::{BinaryOp, BitVec, Reading, Rng, UnaryOp};

use super::*;

const UNARY: [UnaryOp; 4] = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor];

/// The words of a kind with their members.
fn cases(kind: Kind, width: u32) -> Vec<(Abstract, Vec<BitVec>)> {
    words(kind, width).into_iter().map(|word| (members(&word), word)).map(|(m, w)| (w, m)).collect()
}

#[test]
fn words_describe_what_they_were_made_from() {
    for kind in Kind::ALL {
        for value in values(3) {
            assert_eq!(members(&kind.point(&value)), std::slice::from_ref(&value));
            assert_eq!(kind.point(&value).constant(), Some(value));
        }
        assert_eq!(members(&kind.top(3)).len(), 8);
        for (word, members) in cases(kind, 3) {
            assert!(!members.is_empty(), "{word:?}");
            assert_eq!(word.constant().is_some(), members.len() == 1, "{word:?}");
            for value in &members {
                for index in 0..3 {
                    assert!(word.bit(index).is_none_or(|bit| bit == value.bit(index)));
                }
            }
        }
        let (low, high) = (BitVec::new(3, 2), BitVec::new(3, 3));
        assert_eq!(members(&kind.from_range(Reading::Unsigned, &low, &high)), [low, high]);
    }
}

#[test]
fn unary_operators_are_sound() {
    for kind in Kind::ALL {
        for width in 1..=3 {
            for (word, members) in cases(kind, width) {
                for op in UNARY {
                    let result = kind.unary(op, &word);
                    for value in &members {
                        assert!(result.contains(&op.apply(value)), "{kind:?} {op:?} {word:?}");
                    }
                }
                for by in 0..3 {
                    let (zeros, signs) = (kind.uext(&word, by), kind.sext(&word, by));
                    for value in &members {
                        assert!(zeros.contains(&value.uext(by)), "{kind:?} uext {by} {word:?}");
                        assert!(signs.contains(&value.sext(by)), "{kind:?} sext {by} {word:?}");
                    }
                }
                for (hi, lo) in (0..width).flat_map(|hi| (0..=hi).map(move |lo| (hi, lo))) {
                    let result = kind.slice(&word, hi, lo);
                    for value in &members {
                        let contained = result.contains(&value.slice(hi, lo));
                        assert!(contained, "{kind:?} slice {hi} {lo} {word:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn ite_is_sound() {
    for kind in Kind::ALL {
        let cases = cases(kind, 3);
        let unknown = kind.top(1);
        for ((a, in_a), (b, in_b)) in cases.iter().flat_map(|a| cases.iter().map(move |b| (a, b))) {
            let either = kind.ite(&unknown, a, b);
            assert!(in_a.iter().chain(in_b).all(|value| either.contains(value)), "{a:?} {b:?}");
            assert_eq!(kind.ite(&kind.point(&BitVec::bool(true)), a, b), *a);
            assert_eq!(kind.ite(&kind.point(&BitVec::bool(false)), a, b), *b);
        }
    }
}

#[test]
fn binary_operators_are_sound() {
    for kind in Kind::ALL {
        for width in 1..=3 {
            let cases = cases(kind, width);
            for op in BinaryOp::ALL {
                for ((a, in_a), (b, in_b)) in
                    cases.iter().flat_map(|a| cases.iter().map(move |b| (a, b)))
                {
                    let result = kind.binary(op, a, b);
                    for (x, y) in in_a.iter().flat_map(|x| in_b.iter().map(move |y| (x, y))) {
                        let value = op.apply(x, y);
                        let contained = result.contains(&value);
                        assert!(contained, "{kind:?} {op:?}\n{a:?}\n{b:?}\n{result:?}\n{value:?}");
                    }
                }
            }
        }
    }
}

/// A word around a value: some of its bits, or a range.
fn around(rng: &mut Rng, kind: Kind, value: &BitVec) -> Abstract {
    let width = value.width();
    let distance = BitVec::new(width, rng.next_u64() >> rng.below(64));
    match rng.below(4) {
        0 => kind.point(value),
        1 => kind.from_bits(&rng.bitvec(width), value),
        2 => {
            let (a, b) = (value.clone(), value.add(&distance));
            let (low, high) = if a.ule(&b) { (a, b) } else { (b, a) };
            kind.from_range(Reading::Unsigned, &low, &high)
        }
        _ => {
            let (a, b) = (value.clone(), value.sub(&distance));
            let (low, high) = if a.sle(&b) { (a, b) } else { (b, a) };
            kind.from_range(Reading::Signed, &low, &high)
        }
    }
}

/// At the widths where the representation changes, and beyond.
#[test]
fn wide_words_are_sound() {
    let mut rng = Rng::new(7);
    for width in [5, 31, 32, 33, 63, 64, 65, 100, 130] {
        for _ in 0..40 {
            let mut value = || {
                let value = rng.bitvec(width);
                if rng.one_in(2) {
                    value
                } else {
                    value.lshr(&BitVec::new(width, rng.next_u64() % 64))
                }
            };
            let (x, y) = (value(), value());
            for kind in Kind::ALL {
                let (a, b) = (around(&mut rng, kind, &x), around(&mut rng, kind, &y));
                assert!(a.contains(&x) && b.contains(&y));
                for op in BinaryOp::ALL {
                    let result = kind.binary(op, &a, &b);
                    assert!(result.contains(&op.apply(&x, &y)), "{kind:?} {op:?} {a:?} {b:?}");
                }
                for op in UNARY {
                    assert!(kind.unary(op, &a).contains(&op.apply(&x)), "{kind:?} {op:?} {a:?}");
                }
                assert!(kind.slice(&a, width - 1, 3).contains(&x.slice(width - 1, 3)));
                assert!(kind.slice(&a, width / 2, 0).contains(&x.slice(width / 2, 0)));
                assert!(kind.uext(&a, 40).contains(&x.uext(40)));
                assert!(kind.sext(&a, 40).contains(&x.sext(40)));
                let either = hull(kind, &a, &b);
                assert!(either.contains(&x) && either.contains(&y));
            }
        }
    }
}

/// Products that barely fit into the machine integers, and those that do not.
#[test]
fn the_largest_narrow_products_are_sound() {
    let root = 13_043_817_825_332_782_212; // of 2^127, rounded down
    for kind in Kind::ALL {
        for (low, high) in [(root - 1, root), (root - 1, root + 1), (u64::MAX - 1, u64::MAX)] {
            let [low, high] = [low, high].map(|value| BitVec::new(64, value));
            let word = kind.from_range(Reading::Unsigned, &low, &high);
            for op in [BinaryOp::Mul, BinaryOp::Umulo, BinaryOp::Smulo] {
                let result = kind.binary(op, &word, &word);
                for (x, y) in [(&low, &low), (&low, &high), (&high, &high)] {
                    assert!(result.contains(&op.apply(x, y)), "{kind:?} {op:?} {word:?}");
                }
            }
        }
    }
}
