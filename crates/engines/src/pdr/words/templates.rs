//! Which sums of words are worth an inequality.
//!
//! Two sources: the differences of what the model compares, and pairs of words whose steps
//! are in a fixed ratio. For equations there is a third, the affine hull (as in [Karr 1976])
//! of states that were seen. None of this is trusted: a sum is only a suggestion, and the
//! solver decides what holds.

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_int::ops::{Abs, DivRem};
use elinvar_ir::{BinaryOp, Expr, ExprId, PropertyId, Reading, TransitionSystem, UnaryOp, cone};
use rustc_hash::{FxHashMap, FxHashSet};

use super::atom::Terms;
use super::circuit::WordInfo;

/// Coefficients beyond this are not worth an adder.
const MAX_COEFFICIENT: i64 = 1 << 16;
/// Words and sums beyond these numbers are not looked at.
const MAX_WORDS: usize = 24;
const MAX_DIRECTIONS: usize = 200;

/// Sums that may matter.
#[derive(Clone, Default, Debug)]
pub(super) struct Templates {
    /// In both directions, bounds may matter.
    pub directions: Vec<Terms>,
    /// What the model asks to be equal.
    pub equalities: Vec<Terms>,
    /// By word: the directions that it is part of.
    by_word: Vec<Vec<usize>>,
}

impl Templates {
    /// The directions that a word is part of.
    pub fn of_word(&self, word: usize) -> impl Iterator<Item = &Terms> {
        let indices = self.by_word.get(word).map_or(&[][..], Vec::as_slice);
        indices.iter().map(|&index| &self.directions[index])
    }

    pub fn new(system: &TransitionSystem, properties: &[PropertyId], words: &[WordInfo]) -> Self {
        let numbers: Vec<usize> = (0..words.len()).filter(|&word| !words[word].is_logic).collect();
        let mut found = Templates::default();
        if numbers.len() < 2 {
            return found;
        }
        let mut seen = FxHashSet::default();
        let mut add = |terms: Terms| {
            if let Some(terms) = normal(terms)
                && terms.len() > 1
                && found.directions.len() < MAX_DIRECTIONS
                && seen.insert(terms.clone())
            {
                found.directions.push(terms);
            }
        };
        let linear = Linear::new(system, properties, words);
        linear.compared.iter().cloned().for_each(&mut add);
        found.equalities = linear.equal.iter().filter_map(|terms| normal(terms.clone())).collect();
        if numbers.len() <= MAX_WORDS {
            for (position, &x) in numbers.iter().enumerate() {
                for &y in &numbers[position + 1..] {
                    for (c, d) in ratios(&linear.steps[x], &linear.steps[y]) {
                        add(vec![(d, x), (-c, y)]);
                    }
                }
            }
        }
        found.by_word = vec![Vec::new(); words.len()];
        for (index, terms) in found.directions.iter().enumerate() {
            for &(_, word) in terms {
                found.by_word[word].push(index);
            }
        }
        found
    }
}

/// Sorted by word, without common factor, the first coefficient positive. None if a
/// coefficient is too large or nothing is left.
fn normal(mut terms: Terms) -> Option<Terms> {
    terms.sort_by_key(|&(_, word)| word);
    terms.retain(|&(c, _)| c != 0);
    let factor = terms.iter().fold(0, |g, &(c, _)| gcd(g, c.unsigned_abs()));
    let sign = terms.first()?.0.signum();
    for (c, _) in &mut terms {
        *c = *c / factor as i64 * sign;
        if c.abs() > MAX_COEFFICIENT {
            return None;
        }
    }
    Some(terms)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn ratios(x: &[i64], y: &[i64]) -> Vec<(i64, i64)> {
    let pairs = x.iter().flat_map(|&c| y.iter().map(move |&d| (c, d)));
    pairs.filter(|&(c, d)| c != 0 && d != 0).collect()
}

/// A sum of words and a constant.
type Sum = (BTreeMap<usize, i64>, i64);

/// The linear expressions of a system.
struct Linear {
    compared: Vec<Terms>,
    equal: Vec<Terms>,
    /// By word: what is added to it in a step, in some case.
    steps: Vec<Vec<i64>>,
}

impl Linear {
    fn new(system: &TransitionSystem, properties: &[PropertyId], words: &[WordInfo]) -> Self {
        let pool = system.pool();
        let numbers: FxHashMap<ExprId, usize> =
            words.iter().enumerate().map(|(index, word)| (word.symbol, index)).collect();
        let bads = properties.iter().filter_map(|&id| system.bad(id));
        let next = words.iter().filter_map(|word| word.next);
        let roots = bads.chain(system.constraints().iter().copied()).chain(next);
        let mut sums: FxHashMap<ExprId, Sum> = FxHashMap::default();
        let (mut compared, mut equal) = (Vec::new(), Vec::new());
        for node in cone(pool, roots) {
            let node = node.regular();
            if let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt), a, b) =
                pool.get(node)
                && let (Some(a), Some(b)) = (lookup(&sums, a), lookup(&sums, b))
                && let Some((difference, _)) = plus(Some(a), times(b, -1))
            {
                let terms: Terms = difference.into_iter().map(|(word, c)| (c, word)).collect();
                if op == BinaryOp::Eq {
                    equal.push(terms.clone());
                }
                compared.push(terms);
            }
            if let Some(sum) = sum_of(pool, node, &numbers, &sums) {
                sums.insert(node, sum);
            }
        }
        let steps = words
            .iter()
            .enumerate()
            .map(|(number, word)| {
                let mut steps: Vec<i64> = Vec::new();
                let mut leaves: Vec<ExprId> = word.next.into_iter().collect();
                let mut visited = 0;
                while let Some(leaf) = leaves.pop() {
                    visited += 1;
                    if let Expr::Ite(_, t, e) = pool.get(leaf)
                        && visited < 200
                    {
                        leaves.extend([t, e]);
                    }
                    if let Some((terms, constant)) = lookup(&sums, leaf)
                        && terms == BTreeMap::from([(number, 1)])
                        && !steps.contains(&constant)
                        && steps.len() < 4
                    {
                        steps.push(constant);
                    }
                }
                steps
            })
            .collect();
        Linear { compared, equal, steps }
    }
}

fn lookup(sums: &FxHashMap<ExprId, Sum>, id: ExprId) -> Option<Sum> {
    let sum = sums.get(&id.regular())?.clone();
    // ¬a is -a - 1.
    if id.is_complement() { plus(times(sum, -1), Some((BTreeMap::new(), -1))) } else { Some(sum) }
}

fn plus(a: Option<Sum>, b: Option<Sum>) -> Option<Sum> {
    let ((mut terms, constant), (others, other)) = (a?, b?);
    for (word, c) in others {
        let entry = terms.entry(word).or_insert(0);
        *entry = entry.checked_add(c)?;
    }
    terms.retain(|_, c| *c != 0);
    Some((terms, constant.checked_add(other)?))
}

fn times((terms, constant): Sum, factor: i64) -> Option<Sum> {
    let terms: Option<BTreeMap<usize, i64>> =
        terms.into_iter().map(|(word, c)| Some((word, c.checked_mul(factor)?))).collect();
    Some((terms?, constant.checked_mul(factor)?))
}

/// The node as a sum, if it is one: what it would be if nothing wrapped around.
fn sum_of(
    pool: &elinvar_ir::Pool,
    node: ExprId,
    numbers: &FxHashMap<ExprId, usize>,
    sums: &FxHashMap<ExprId, Sum>,
) -> Option<Sum> {
    let operand = |id: ExprId| lookup(sums, id);
    match pool.get(node) {
        Expr::Const(value) => {
            let number = i64::try_from(Reading::Signed.of(&value)).ok()?;
            Some((BTreeMap::new(), number))
        }
        Expr::Symbol(_) => Some((BTreeMap::from([(*numbers.get(&node)?, 1)]), 0)),
        Expr::Unary(UnaryOp::Neg, a) => times(operand(a)?, -1),
        Expr::Binary(BinaryOp::Add, a, b) => plus(operand(a), operand(b)),
        Expr::Binary(BinaryOp::Sub, a, b) => plus(operand(a), times(operand(b)?, -1)),
        Expr::Binary(BinaryOp::Mul, a, b) => match (operand(a)?, operand(b)?) {
            ((terms, c), sum) | (sum, (terms, c)) if terms.is_empty() => times(sum, c),
            _ => None,
        },
        Expr::Binary(BinaryOp::Shl, a, b) => {
            let by = pool.const_value(b)?.to_u64().filter(|&by| by < 62)?;
            times(operand(a)?, 1 << by)
        }
        Expr::Uext { arg, .. } | Expr::Sext { arg, .. } => operand(arg),
        Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Slice { .. }
        | Expr::Ite(..)
        | Expr::Read(..)
        | Expr::Write(..)
        | Expr::ConstArray(_)
        | Expr::ArrayEq(..) => None,
    }
}

/// The equations Σ c·x = b that all points satisfy, with small coefficients: a basis of
/// them, by elimination without fractions.
pub(super) fn hull(numbers: &[usize], points: &[Vec<IBig>]) -> Vec<(Terms, IBig)> {
    let Some((first, others)) = points.split_first() else { return Vec::new() };
    let dimension = numbers.len();
    // Reduced rows of differences; each has its pivot.
    let mut rows: Vec<(usize, Vec<IBig>)> = Vec::new();
    for point in others {
        let mut row: Vec<IBig> = point.iter().zip(first).map(|(a, b)| a - b).collect();
        for (pivot, other) in &rows {
            cancel(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|entry| *entry != IBig::ZERO) else { continue };
        reduce(&mut row);
        for (_, other) in &mut rows {
            cancel(other, &row, pivot);
            reduce(other);
        }
        rows.push((pivot, row));
        if rows.len() == dimension {
            return Vec::new();
        }
    }
    let pivots: FxHashSet<usize> = rows.iter().map(|(pivot, _)| *pivot).collect();
    let mut equations = Vec::new();
    for free in (0..dimension).filter(|column| !pivots.contains(column)) {
        // The vector with 1 at this column that is orthogonal to all rows, times the
        // common denominator.
        let scale = rows.iter().fold(IBig::ONE, |scale, (pivot, row)| lcm(&scale, &row[*pivot]));
        let mut vector = vec![IBig::ZERO; dimension];
        vector[free] = scale.clone();
        for (pivot, row) in &rows {
            vector[*pivot] = -(&scale * &row[free]) / &row[*pivot];
        }
        reduce(&mut vector);
        if vector.iter().find(|c| **c != IBig::ZERO).is_some_and(|c| *c < IBig::ZERO) {
            vector.iter_mut().for_each(|c| *c = -&*c);
        }
        let terms: Option<Terms> = numbers
            .iter()
            .zip(&vector)
            .filter(|(_, c)| **c != IBig::ZERO)
            .map(|(&word, c)| {
                let c = i64::try_from(c.clone()).ok().filter(|c| c.abs() <= MAX_COEFFICIENT)?;
                Some((c, word))
            })
            .collect();
        let value = vector.iter().zip(first).fold(IBig::ZERO, |sum, (c, x)| sum + c * x);
        equations.extend(terms.map(|terms| (terms, value)));
    }
    equations
}

/// Makes the entry at the pivot zero.
fn cancel(row: &mut [IBig], other: &[IBig], pivot: usize) {
    if row[pivot] == IBig::ZERO {
        return;
    }
    let (a, b) = (row[pivot].clone(), other[pivot].clone());
    for (entry, other) in row.iter_mut().zip(other) {
        *entry = &*entry * &b - other * &a;
    }
}

/// Divides by the greatest common divisor.
fn reduce(row: &mut [IBig]) {
    let divisor = row.iter().fold(IBig::ZERO, |g, entry| euclid(g, entry.clone().abs()));
    if divisor > IBig::ONE {
        row.iter_mut().for_each(|entry| *entry = &*entry / &divisor);
    }
}

fn euclid(mut a: IBig, mut b: IBig) -> IBig {
    while b != IBig::ZERO {
        let remainder = (&a).div_rem(&b).1;
        (a, b) = (b, remainder);
    }
    a
}

fn lcm(a: &IBig, b: &IBig) -> IBig {
    let divisor = euclid(a.clone().abs(), b.clone().abs());
    (a * b / divisor).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(numbers: &[i64]) -> Vec<IBig> {
        numbers.iter().map(|&n| IBig::from(n)).collect()
    }

    #[test]
    fn equations_of_points() {
        // y = 2x + 1, z anything.
        let points = [point(&[0, 1, 5]), point(&[1, 3, 9]), point(&[4, 9, -2]), point(&[2, 5, 5])];
        assert_eq!(hull(&[3, 4, 7], &points), [(vec![(2, 3), (-1, 4)], IBig::NEG_ONE)]);
        // a + b + c = 6, moving in all other directions.
        let points = [point(&[6, 0, 0]), point(&[5, 1, 0]), point(&[3, 1, 2]), point(&[0, 4, 2])];
        assert_eq!(hull(&[0, 1, 2], &points), [(vec![(1, 0), (1, 1), (1, 2)], IBig::from(6))]);
        assert_eq!(hull(&[0], &[point(&[1]), point(&[2])]), []);
    }

    #[test]
    fn sums_have_a_normal_form() {
        assert_eq!(normal(vec![(4, 2), (-6, 0), (0, 1)]), Some(vec![(3, 0), (-2, 2)]));
        assert_eq!(normal(vec![(0, 1)]), None);
    }
}
