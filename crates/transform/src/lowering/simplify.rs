//! Simplifies bits that are conjunctions of conjunctions, as interpolants are.
//!
//! In a conjunction, each part may assume the others: `a ∧ ¬(a ∧ b)` becomes `a ∧ ¬b`. Only
//! atoms are assumed, which are bits that are not conjunctions.
//!
//! Limits: the effort is quadratic in the size of the expression, so large ones stay as they
//! are, and only a few levels are visited.

use elinvar_ir::{BinaryOp, Expr, ExprId, Pool, cone, substitute};
use rustc_hash::{FxHashMap, FxHashSet};

/// Expressions with more nodes are not simplified.
const LARGEST: usize = 5_000;

/// How many levels of conjunctions within conjunctions are visited.
const LEVELS: usize = 6;

/// How often the atoms of one conjunction are put into its other parts.
const ROUNDS: usize = 3;

/// An equivalent bit without what the atoms around a part decide.
pub(super) fn simplify(pool: &mut Pool, bit: ExprId) -> ExprId {
    if cone(pool, [bit]).len() > LARGEST {
        return bit;
    }
    simplify_to(pool, bit, LEVELS, &mut FxHashMap::default())
}

/// The parts of a conjunction, none of which is one.
pub(super) fn conjuncts(pool: &Pool, bit: ExprId) -> Vec<ExprId> {
    let (mut parts, mut stack) = (Vec::new(), vec![bit]);
    let mut seen = FxHashSet::default();
    while let Some(bit) = stack.pop() {
        if !seen.insert(bit) {
            continue;
        }
        match operands(pool, bit) {
            Some((a, b)) if !bit.is_complement() => stack.extend([b, a]),
            Some(_) | None => parts.push(bit),
        }
    }
    parts
}

/// The operands of the conjunction, or of the one that is complemented.
fn operands(pool: &Pool, bit: ExprId) -> Option<(ExprId, ExprId)> {
    let Expr::Binary(BinaryOp::And, a, b) = pool.get(bit.regular()) else { return None };
    (pool.width(bit) == 1).then_some((a, b))
}

/// `done` has the results of all bits that were visited.
fn simplify_to(
    pool: &mut Pool,
    bit: ExprId,
    levels: usize,
    done: &mut FxHashMap<ExprId, ExprId>,
) -> ExprId {
    const BITS: &str = "parts of bits";
    if levels == 0 || operands(pool, bit).is_none() {
        return bit;
    }
    if let Some(&simplified) = done.get(&bit) {
        return simplified;
    }
    let mut parts = conjuncts(pool, bit.regular());
    for _ in 0..ROUNDS {
        let (atoms, others): (Vec<ExprId>, Vec<ExprId>) =
            parts.iter().partition(|&&part| operands(pool, part).is_none());
        let values = atoms.iter().map(|atom| (atom.regular(), pool.bool(!atom.is_complement())));
        let values: FxHashMap<ExprId, ExprId> = values.collect();
        let others = substitute(pool, &others, &values);
        let all = pool.conjoin(atoms.into_iter().chain(others)).expect(BITS);
        let next = conjuncts(pool, all);
        if std::mem::replace(&mut parts, next) == parts {
            break;
        }
    }
    let parts: Vec<ExprId> =
        parts.into_iter().map(|part| simplify_to(pool, part, levels - 1, done)).collect();
    let all = pool.conjoin(parts).expect(BITS);
    let simplified = if bit.is_complement() { pool.not(all).expect(BITS) } else { all };
    done.insert(bit, simplified);
    simplified
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{BitVec, Evaluator, Rng, Sort};

    use super::*;

    #[test]
    fn parts_assume_the_atoms_around_them() {
        let mut pool = Pool::new();
        let [a, b] = [0; 2].map(|_| pool.symbol(Sort::BOOL, None).unwrap());
        let both = pool.and(a, b).unwrap();
        let not_both = pool.not(both).unwrap();
        let bit = pool.and(a, not_both).unwrap();
        let not_b = pool.not(b).unwrap();
        let expected = pool.and(a, not_b).unwrap();
        assert_eq!(simplify(&mut pool, bit), expected);
        let contradiction = pool.and(not_both, both).unwrap();
        let simplified = simplify(&mut pool, contradiction);
        assert!(pool.is_false(simplified));
    }

    #[test]
    fn the_meaning_stays() {
        let mut smaller = 0;
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let mut pool = Pool::new();
            let symbols = [0; 4].map(|_| pool.symbol(Sort::BOOL, None).unwrap());
            let mut bits = symbols.to_vec();
            for _ in 0..20 {
                let [a, b] = [0; 2].map(|_| rng.pick(&bits));
                let a = if rng.one_in(2) { pool.not(a).unwrap() } else { a };
                bits.push(pool.and(a, b).unwrap());
            }
            let bit = *bits.last().unwrap();
            let simplified = simplify(&mut pool, bit);
            smaller += usize::from(simplified != bit);
            for number in 0..16u64 {
                let mut evaluator = Evaluator::new(&pool, [bit, simplified]);
                evaluator.run(|symbol| {
                    let at = symbols.iter().position(|&s| s == symbol).unwrap();
                    BitVec::bool(number >> at & 1 == 1).into()
                });
                assert_eq!(evaluator.holds(bit), evaluator.holds(simplified), "seed {seed}");
            }
        }
        assert!(smaller > 40, "{smaller}");
    }
}
