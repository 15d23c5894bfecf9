//! No rewrite may change the value of an expression.

use elinvar_ir::oracle::Rng;
use elinvar_ir::{
    ArrayValue, BinaryOp, BitVec, Evaluator, ExprId, Pool, Sort, SortError, UnaryOp, Value,
};

/// Expressions with the values that they must have, computed operator by
/// operator without the pool.
struct Shadow {
    pool: Pool,
    rng: Rng,
    built: Vec<(ExprId, Value)>,
    symbols: Vec<(ExprId, Value)>,
}

const ARRAY: Sort = Sort::Array { index: 2, element: 2 };

impl Shadow {
    fn new(seed: u64) -> Self {
        let (mut pool, mut rng) = (Pool::new(), Rng::new(seed));
        let mut symbols: Vec<(ExprId, Value)> = Vec::new();
        for width in [1, 1, 2, 2, 3, 3] {
            let symbol = pool.symbol(Sort::Bv(width), None).unwrap();
            symbols.push((symbol, rng.bitvec(width).into()));
        }
        for _ in 0..2 {
            let mut value = ArrayValue::constant(2, rng.bitvec(2));
            value.write(rng.bitvec(2), rng.bitvec(2));
            symbols.push((pool.symbol(ARRAY, None).unwrap(), value.into()));
        }
        let mut built = symbols.clone();
        for value in [0, 1, 2, 3, 7] {
            let value = BitVec::new(1 + rng.below(3) as u32, value);
            built.push((pool.constant(value.clone()), value.into()));
        }
        Shadow { pool, rng, built, symbols }
    }

    fn of(&mut self, sort: Sort) -> (ExprId, Value) {
        let fits = |&i: &usize| self.pool.sort(self.built[i].0) == sort;
        let fitting: Vec<usize> = (0..self.built.len()).filter(fits).collect();
        self.built[self.rng.pick(&fitting)].clone()
    }

    fn bv(&mut self, width: u32) -> (ExprId, BitVec) {
        let (expr, value) = self.of(Sort::Bv(width));
        (expr, value.bv().clone())
    }

    fn array(&mut self) -> (ExprId, ArrayValue) {
        let (expr, value) = self.of(ARRAY);
        (expr, value.array().clone())
    }

    /// Builds one more expression.
    fn grow(&mut self) {
        let width = 1 + self.rng.below(3) as u32;
        let (a, x) = self.bv(width);
        let (b, y) = self.bv(width);
        let (c, z) = self.bv(1);
        let (expr, value): (Result<ExprId, SortError>, Value) = match self.rng.below(12) {
            0 => (self.pool.not(a), x.not().into()),
            1 => {
                let op = self.rng.pick(&[UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor]);
                (self.pool.unary(op, a), op.apply(&x).into())
            }
            2 => {
                let lo = self.rng.below(width as usize) as u32;
                let hi = lo + self.rng.below((width - lo) as usize) as u32;
                (self.pool.slice(a, hi, lo), x.slice(hi, lo).into())
            }
            3 if width < 3 => (self.pool.uext(a, 3 - width), x.uext(3 - width).into()),
            4 if width < 3 => (self.pool.sext(a, 3 - width), x.sext(3 - width).into()),
            5 => (self.pool.ite(c, a, b), if z.is_true() { x } else { y }.into()),
            6 => {
                let ((array, contents), (index, at)) = (self.array(), self.bv(2));
                (self.pool.read(array, index), contents.read(&at).clone().into())
            }
            7 => {
                let ((array, mut contents), (index, at)) = (self.array(), self.bv(2));
                let (element, new) = self.bv(2);
                contents.write(at, new);
                (self.pool.write(array, index, element), contents.into())
            }
            8 => {
                let ((array, contents), (other, different)) = (self.array(), self.array());
                if self.rng.one_in(2) {
                    let same = BitVec::bool(contents.same_contents(&different));
                    (self.pool.equal(array, other), same.into())
                } else {
                    let chosen = if z.is_true() { contents } else { different };
                    (self.pool.ite(c, array, other), chosen.into())
                }
            }
            _ => {
                let op = self.rng.pick(&BinaryOp::ALL);
                if op == BinaryOp::Concat && 2 * width > 3 {
                    return;
                }
                (self.pool.binary(op, a, b), op.apply(&x, &y).into())
            }
        };
        self.built.push((expr.unwrap(), value));
    }

    fn check(&self, seed: u64) {
        let mut evaluator = Evaluator::new(&self.pool, self.built.iter().map(|(expr, _)| *expr));
        let known = |symbol| self.symbols.iter().find(|(s, _)| *s == symbol);
        evaluator.run(|symbol| known(symbol).expect("a symbol").1.clone());
        for (expr, value) in &self.built {
            assert!(evaluator.value(*expr).same(value), "seed {seed}, {expr:?}: {value:?}");
        }
    }
}

#[test]
fn rewriting_keeps_the_meaning() {
    for seed in 0..3000 {
        let mut shadow = Shadow::new(seed);
        for _ in 0..40 {
            shadow.grow();
        }
        shadow.check(seed);
    }
}
