//! Words as polynomials modulo 2^width, to see that two sides of an equation are
//! the same whatever the inputs: `x·(y + z) = x·y + x·z`, `(x·y)·z = (z·x)·y`.
//!
//! Bit-level reasoning needs exponential time for such identities of products.
//! Only small expressions are expanded, so that building stays constant time.

use std::collections::BTreeMap;

use crate::expr::{Expr, ExprId, Pool};
use crate::operator::{BinaryOp, UnaryOp};
use crate::value::BitVec;

/// No more nodes than this are expanded, and no more products are kept.
const LIMIT: usize = 32;

/// Wider words are not expanded: their coefficients would be large.
const MAX_WIDTH: u32 = 4096;

/// Products of sorted factors, with their coefficients; none is zero.
struct Polynomial(BTreeMap<Vec<ExprId>, BitVec>);

/// The difference of two words of the same width, when it is constant and the
/// words are small enough to tell.
pub(crate) fn constant_difference(pool: &Pool, a: ExprId, b: ExprId) -> Option<BitVec> {
    let width = pool.width(a);
    if width > MAX_WIDTH || (!is_arithmetic(pool, a) && !is_arithmetic(pool, b)) {
        return None;
    }
    let mut budget = LIMIT;
    let mut difference = expand(pool, a, width, &mut budget)?;
    difference.add(&expand(pool, b, width, &mut budget)?, &BitVec::ones(width))?;
    match difference.0.len() {
        0 => Some(BitVec::zero(width)),
        1 => difference.0.remove(&Vec::new()),
        _ => None,
    }
}

fn is_arithmetic(pool: &Pool, id: ExprId) -> bool {
    use BinaryOp::{Add, Mul, Sub};
    match pool.get(id) {
        Expr::Binary(op, ..) => matches!(op, Add | Sub | Mul),
        Expr::Unary(op, _) => op == UnaryOp::Neg,
        _ => false,
    }
}

fn expand(pool: &Pool, id: ExprId, width: u32, budget: &mut usize) -> Option<Polynomial> {
    *budget = budget.checked_sub(1)?;
    let one = || BitVec::one(width);
    match pool.get(id) {
        Expr::Const(value) => Some(Polynomial::term(Vec::new(), value)),
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let mut sum = expand(pool, a, width, budget)?;
            let other = expand(pool, b, width, budget)?;
            let sign = if op == BinaryOp::Add { one() } else { BitVec::ones(width) };
            sum.add(&other, &sign)?;
            Some(sum)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => {
            let a = expand(pool, a, width, budget)?;
            a.multiply(&expand(pool, b, width, budget)?, width)
        }
        Expr::Unary(UnaryOp::Neg, a) => {
            let mut negative = Polynomial(BTreeMap::new());
            negative.add(&expand(pool, a, width, budget)?, &BitVec::ones(width))?;
            Some(negative)
        }
        _ => Some(Polynomial::term(vec![id], one())),
    }
}

impl Polynomial {
    fn term(factors: Vec<ExprId>, coefficient: BitVec) -> Self {
        let mut terms = BTreeMap::new();
        if !coefficient.is_zero() {
            terms.insert(factors, coefficient);
        }
        Polynomial(terms)
    }

    /// Adds `other` times `scale`; none when it grows too large.
    fn add(&mut self, other: &Polynomial, scale: &BitVec) -> Option<()> {
        for (factors, coefficient) in &other.0 {
            self.add_term(factors.clone(), coefficient.mul(scale));
        }
        (self.0.len() <= LIMIT).then_some(())
    }

    fn add_term(&mut self, factors: Vec<ExprId>, coefficient: BitVec) {
        let sum = match self.0.get(&factors) {
            Some(known) => known.add(&coefficient),
            None => coefficient,
        };
        if sum.is_zero() {
            self.0.remove(&factors);
        } else {
            self.0.insert(factors, sum);
        }
    }

    fn multiply(&self, other: &Polynomial, width: u32) -> Option<Polynomial> {
        let mut product = Polynomial(BTreeMap::new());
        for (x, a) in &self.0 {
            let mut partial = Polynomial(BTreeMap::new());
            for (y, b) in &other.0 {
                let mut factors = [x.as_slice(), y].concat();
                factors.sort_unstable();
                partial.add_term(factors, a.mul(b));
            }
            product.add(&partial, &BitVec::one(width))?;
        }
        Some(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Sort;

    #[test]
    fn identities_of_rings_are_seen() {
        let mut pool = Pool::new();
        let [x, y, z] = [(); 3].map(|()| pool.symbol(Sort::Bv(128), None).unwrap());
        let mut op = |op, a, b| pool.binary(op, a, b).unwrap();
        use BinaryOp::{Add, Mul, Sub};
        let sum = op(Add, y, z);
        let distributed = [op(Mul, x, y), op(Mul, x, z)];
        let left = op(Mul, x, sum);
        let right = op(Add, distributed[0], distributed[1]);
        let associated = [op(Mul, distributed[0], z), op(Mul, distributed[1], y)];
        let twice = op(Add, left, left);
        let minus = op(Sub, twice, right);
        for (a, b) in [(left, right), (associated[0], associated[1]), (minus, left)] {
            let equal = pool.equal(a, b).unwrap();
            assert!(pool.is_true(equal));
        }
        let one = pool.constant(BitVec::one(128));
        let above = pool.binary(Add, left, one).unwrap();
        let equal = pool.equal(above, right).unwrap();
        assert!(pool.is_false(equal));
        let [na, nr] = [above, right].map(|word| pool.not(word).unwrap());
        let equal = pool.equal(na, nr).unwrap();
        assert!(pool.is_false(equal));
        let equal = pool.equal(left, twice).unwrap();
        assert!(!pool.is_false(equal) && !pool.is_true(equal));
    }
}
