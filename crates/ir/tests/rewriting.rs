//! No rewrite may change the value of an expression, at any width.

use elinvar_ir::{
    ArrayValue, BinaryOp, BitVec, Evaluator, Expr, ExprId, Pool, Rng, Sort, SortError, UnaryOp,
    Value,
};

/// Widths of words: a small one, a larger one, and their sum. They lie around the limits
/// at which values change their representation (64) and constants are no longer folded
/// (4096).
const PALETTES: [[u32; 3]; 8] = [
    [1, 2, 3],
    [1, 63, 64],
    [1, 64, 65],
    [31, 97, 128],
    [1, 4095, 4096],
    [1, 4096, 4097],
    [64, 4033, 4097],
    [904, 4096, 5000],
];

/// Expressions in a pool that rewrites and in one that does not, with the values that
/// they must have, computed operator by operator without a pool.
struct Shadow {
    pools: [Pool; 2],
    rng: Rng,
    widths: [u32; 3],
    built: Vec<(Pair, Value)>,
    symbols: Vec<(Pair, Value)>,
}

/// The same expression in both pools.
type Pair = [ExprId; 2];

impl Shadow {
    fn new(seed: u64, widths: [u32; 3]) -> Self {
        let pools = [Pool::new(), Pool::verbatim()];
        let mut shadow =
            Shadow { pools, rng: Rng::new(seed), widths, built: Vec::new(), symbols: Vec::new() };
        for width in [1, 1].into_iter().chain(widths).chain(widths) {
            let value = shadow.bits(width).into();
            shadow.symbol(Sort::Bv(width), value);
        }
        for _ in 0..2 {
            let mut value = ArrayValue::constant(widths[0].min(2), shadow.bits(widths[1]));
            let index = shadow.bits(widths[0].min(2));
            value.write(index, shadow.bits(widths[1]));
            shadow.symbol(shadow.array_sort(), value.into());
        }
        shadow.built = shadow.symbols.clone();
        for _ in 0..5 {
            let width = shadow.rng.pick(&widths);
            let value = shadow.bits(width);
            let pair = shadow.build(|pool, _| Ok(pool.constant(value.clone())), &[]);
            shadow.built.push((pair, value.into()));
        }
        shadow
    }

    fn array_sort(&self) -> Sort {
        Sort::Array { index: self.widths[0].min(2), element: self.widths[1] }
    }

    fn symbol(&mut self, sort: Sort, value: Value) {
        let pair = self.build(|pool, _| pool.symbol(sort, None), &[]);
        self.symbols.push((pair, value));
    }

    /// Any value, often one that rewrites look for: zero, one, all ones.
    fn bits(&mut self, width: u32) -> BitVec {
        match self.rng.below(6) {
            0 => BitVec::zero(width),
            1 => BitVec::one(width),
            2 => BitVec::ones(width),
            _ => self.rng.bitvec(width),
        }
    }

    /// Builds the same expression in both pools.
    fn build(
        &mut self,
        build: impl Fn(&mut Pool, &[ExprId]) -> Result<ExprId, SortError>,
        operands: &[Pair],
    ) -> Pair {
        [0, 1].map(|side| {
            let operands: Vec<ExprId> = operands.iter().map(|pair| pair[side]).collect();
            build(&mut self.pools[side], &operands).unwrap()
        })
    }

    fn of(&mut self, sort: Sort) -> (Pair, Value) {
        let fits = |&i: &usize| self.pools[0].sort(self.built[i].0[0]) == sort;
        let fitting: Vec<usize> = (0..self.built.len()).filter(fits).collect();
        if fitting.is_empty() {
            let width = sort.width().expect("there are arrays of the only sort");
            let value = self.bits(width);
            let pair = self.build(|pool, _| Ok(pool.constant(value.clone())), &[]);
            return (pair, value.into());
        }
        self.built[self.rng.pick(&fitting)].clone()
    }

    fn bv(&mut self, width: u32) -> (Pair, BitVec) {
        let (pair, value) = self.of(Sort::Bv(width));
        (pair, value.bv().clone())
    }

    fn array(&mut self) -> (Pair, ArrayValue) {
        let (pair, value) = self.of(self.array_sort());
        (pair, value.array().clone())
    }

    /// Builds one more expression.
    fn grow(&mut self) {
        let (pair, value) = match self.rng.below(12) {
            0..=2 => self.unary(),
            3 | 4 => self.extension(),
            5..=7 => self.memory(),
            _ => self.binary(),
        };
        self.built.push((pair, value));
    }

    fn unary(&mut self) -> (Pair, Value) {
        let width = self.rng.pick(&self.widths.clone());
        let (a, x) = self.bv(width);
        match self.rng.below(3) {
            0 => (self.build(|pool, e| pool.not(e[0]), &[a]), x.not().into()),
            1 => {
                let op = self.rng.pick(&[UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor]);
                (self.build(|pool, e| pool.unary(op, e[0]), &[a]), op.apply(&x).into())
            }
            _ => {
                let lo = self.rng.below(width as usize) as u32;
                // Often exactly a part of a concatenation.
                let hi = match self.widths.map(|part| lo + part - 1) {
                    [first, ..] if first < width && self.rng.one_in(2) => first,
                    _ => lo + self.rng.below((width - lo) as usize) as u32,
                };
                (self.build(|pool, e| pool.slice(e[0], hi, lo), &[a]), x.slice(hi, lo).into())
            }
        }
    }

    fn extension(&mut self) -> (Pair, Value) {
        let [small, large, sum] = self.widths;
        let (from, by) = self.rng.pick(&[(small, large), (large, small), (sum, 0)]);
        let (a, x) = self.bv(from);
        if self.rng.one_in(2) {
            (self.build(|pool, e| pool.uext(e[0], by), &[a]), x.uext(by).into())
        } else {
            (self.build(|pool, e| pool.sext(e[0], by), &[a]), x.sext(by).into())
        }
    }

    fn memory(&mut self) -> (Pair, Value) {
        let Sort::Array { index, element } = self.array_sort() else { unreachable!() };
        let ((array, mut contents), (at, place)) = (self.array(), self.bv(index));
        let ((c, z), (other, different)) = (self.bv(1), self.array());
        match self.rng.below(5) {
            0 | 1 => {
                let value = contents.read(&place).clone();
                (self.build(|pool, e| pool.read(e[0], e[1]), &[array, at]), value.into())
            }
            2 => {
                let (v, new) = self.bv(element);
                contents.write(place, new);
                let pair = self.build(|pool, e| pool.write(e[0], e[1], e[2]), &[array, at, v]);
                (pair, contents.into())
            }
            3 => {
                let same = BitVec::bool(contents == different);
                (self.build(|pool, e| pool.equal(e[0], e[1]), &[array, other]), same.into())
            }
            _ => {
                let chosen = if z.is_true() { contents } else { different };
                let pair = self.build(|pool, e| pool.ite(e[0], e[1], e[2]), &[c, array, other]);
                (pair, chosen.into())
            }
        }
    }

    fn binary(&mut self) -> (Pair, Value) {
        let [small, large, _] = self.widths;
        if self.rng.one_in(8) {
            let (p, q) = if self.rng.one_in(2) { (small, large) } else { (large, small) };
            let ((a, x), (b, y)) = (self.bv(p), self.bv(q));
            let pair = self.build(|pool, e| pool.binary(BinaryOp::Concat, e[0], e[1]), &[a, b]);
            return (pair, x.concat(&y).into());
        }
        let width = self.rng.pick(&self.widths.clone());
        let ((a, x), (b, y), (c, z)) = (self.bv(width), self.bv(width), self.bv(1));
        if self.rng.one_in(5) {
            let chosen = if z.is_true() { x } else { y };
            return (self.build(|pool, e| pool.ite(e[0], e[1], e[2]), &[c, a, b]), chosen.into());
        }
        let op = self.rng.pick(&BinaryOp::ALL);
        if op == BinaryOp::Concat {
            return (
                self.build(|pool, e| pool.equal(e[0], e[1]), &[a, b]),
                BitVec::bool(x == y).into(),
            );
        }
        (self.build(|pool, e| pool.binary(op, e[0], e[1]), &[a, b]), op.apply(&x, &y).into())
    }

    fn check(&self, seed: u64) {
        for (side, pool) in self.pools.iter().enumerate() {
            let roots = self.built.iter().map(|(pair, _)| pair[side]);
            let mut evaluator = Evaluator::new(pool, roots);
            let known = |symbol| self.symbols.iter().find(|(pair, _)| pair[side] == symbol);
            evaluator.run(|symbol| known(symbol).expect("a symbol").1.clone());
            for (pair, value) in &self.built {
                let found = evaluator.value(pair[side]);
                let widths = self.widths;
                assert_eq!(found, *value, "seed {seed}, {widths:?}, {pair:?}");
            }
        }
    }
}

fn check(seeds: std::ops::Range<u64>, widths: [u32; 3]) {
    for seed in seeds {
        let mut shadow = Shadow::new(seed, widths);
        for _ in 0..40 {
            shadow.grow();
        }
        shadow.check(seed);
    }
}

#[test]
fn rewriting_keeps_the_meaning_of_small_words() {
    check(0..3000, PALETTES[0]);
}

#[test]
fn rewriting_keeps_the_meaning_of_wide_words() {
    for widths in &PALETTES[1..] {
        check(0..150, *widths);
    }
}

/// What a rewriting pool simplifies stays as it is, except for sharing and complements.
#[test]
fn a_verbatim_pool_rewrites_nothing() {
    let mut pool = Pool::verbatim();
    let x = pool.symbol(Sort::Bv(4), None).unwrap();
    let zero = pool.constant(BitVec::zero(4));
    let one = pool.constant(BitVec::one(4));
    let sum = pool.binary(BinaryOp::Add, one, zero).unwrap();
    assert_eq!(pool.get(sum), Expr::Binary(BinaryOp::Add, zero, one));
    let product = pool.binary(BinaryOp::Mul, x, zero).unwrap();
    assert_eq!(pool.get(product), Expr::Binary(BinaryOp::Mul, x, zero));
    let same = pool.equal(x, x).unwrap();
    assert_eq!(pool.get(same), Expr::Binary(BinaryOp::Eq, x, x));
    let whole = pool.slice(x, 3, 0).unwrap();
    assert_eq!(pool.get(whole), Expr::Slice { arg: x, hi: 3, lo: 0 });
    let choice = pool.ite(same, x, x).unwrap();
    assert_eq!(pool.get(choice), Expr::Ite(same, x, x));
    assert_eq!(pool.ite(same, x, x).unwrap(), choice);
    let bit = pool.symbol(Sort::BOOL, None).unwrap();
    let both = pool.and_bits(bit, bit);
    assert_eq!(pool.get(both), Expr::Binary(BinaryOp::And, bit, bit));
    let array = pool.const_array(2, x).unwrap();
    let index = pool.constant(BitVec::one(2));
    let read = pool.read(array, index).unwrap();
    assert_eq!(pool.get(read), Expr::Read(array, index));
    let written = pool.write(array, index, read).unwrap();
    assert_eq!(pool.get(written), Expr::Write(array, index, read));
    assert!(pool.binary(BinaryOp::Add, x, bit).is_err());
    assert!(pool.slice(x, 4, 0).is_err());
}
