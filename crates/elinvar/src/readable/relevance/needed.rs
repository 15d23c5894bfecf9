//! Which bits give some expressions their values.
//!
//! Goes backwards through the expressions of a cycle. Of a conjunction that is zero, one zero
//! operand is enough; of a choice, the condition and what it chose; of two words that differ,
//! one bit in which they do. Which one is taken is a heuristic, which prefers bits that are
//! needed anyway.

use std::collections::BinaryHeap;

use elinvar_ir::{
    ArrayValue, BinaryOp, BitVec, Evaluator, Expr, ExprId, Pool, Sort, UnaryOp, Value, cone,
};

use super::determined::low;

/// The bits that are needed, by expression.
pub struct Needed<'a> {
    pool: &'a Pool,
    /// The expressions that the roots depend on, operands first.
    nodes: Vec<ExprId>,
    values: Evaluator<'a>,
    masks: Vec<Option<Value>>,
    /// Expressions that got a mask, for [`Needed::causes`].
    touched: BinaryHeap<ExprId>,
}

impl<'a> Needed<'a> {
    /// Prepares to go back from `roots`.
    pub fn new(pool: &'a Pool, roots: &[ExprId]) -> Self {
        let nodes = cone(pool, roots.iter().copied());
        let values = Evaluator::new(pool, roots.iter().copied());
        let (masks, touched) = (vec![None; pool.len()], BinaryHeap::new());
        Needed { pool, nodes, values, masks, touched }
    }

    /// Finds what gives some bits of expressions their values, if the symbols have these
    /// values. The expressions must be roots or among what they depend on.
    pub fn run(
        &mut self,
        wanted: impl IntoIterator<Item = (ExprId, Value)>,
        symbol: impl FnMut(ExprId) -> Value,
    ) {
        self.settle(symbol);
        self.masks.fill(None);
        for (expr, mask) in wanted {
            self.add(expr, mask);
        }
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let expr = self.pool.get(node);
            if let Expr::Symbol(_) = expr {
                continue;
            }
            if let Some(mask) = self.masks[node.node()].take() {
                self.explain(&expr, &mask);
            }
        }
        self.touched.clear();
    }

    /// Goes to a cycle in which the symbols have these values.
    pub fn settle(&mut self, symbol: impl FnMut(ExprId) -> Value) {
        self.values.run(symbol);
    }

    /// What gives some bits of one expression their values in this cycle: the bits of symbols.
    /// The expression must be a root or among what the roots depend on.
    pub fn causes(&mut self, expr: ExprId, mask: Value) -> Vec<(ExprId, Value)> {
        let mut causes = Vec::new();
        self.add(expr, mask);
        // Operands are older than the expressions that use them.
        while let Some(node) = self.touched.pop() {
            let Some(mask) = self.masks[node.node()].take() else { continue };
            match self.pool.get(node) {
                Expr::Symbol(_) => causes.push((node, mask)),
                expr => self.explain(&expr, &mask),
            }
        }
        causes.reverse();
        causes
    }

    /// The needed bits of a symbol, if there are any.
    pub fn take(&mut self, symbol: ExprId) -> Option<Value> {
        self.masks[symbol.node()].take()
    }

    fn add(&mut self, expr: ExprId, mask: Value) {
        if is_empty(&mask) {
            return;
        }
        let slot = &mut self.masks[expr.node()];
        if slot.is_none() {
            self.touched.push(expr.regular());
        }
        *slot = Some(match slot.take() {
            None => mask,
            Some(known) => union(&known, &mask),
        });
    }

    fn add_all(&mut self, expr: ExprId) {
        let mask = all_of(self.pool.sort(expr));
        self.add(expr, mask);
    }

    /// Adds what gives the bits of `mask` their values.
    fn explain(&mut self, expr: &Expr, mask: &Value) {
        match *expr {
            Expr::Const(_) | Expr::Symbol(_) => {}
            Expr::Unary(operator, a) => self.unary(operator, a, mask.bv()),
            Expr::Binary(operator, a, b) => self.binary(operator, a, b, mask.bv()),
            Expr::Slice { arg, hi, lo } => {
                let above = self.pool.width(arg) - hi - 1;
                let bits = mask.bv().uext(above);
                let bits = if lo == 0 { bits } else { bits.concat(&BitVec::zero(lo)) };
                self.add(arg, bits.into());
            }
            Expr::Uext { arg, .. } => {
                self.add(arg, mask.bv().slice(self.pool.width(arg) - 1, 0).into());
            }
            Expr::Sext { arg, by } => {
                let width = self.pool.width(arg);
                let mut bits = mask.bv().slice(width - 1, 0);
                if by > 0 && !mask.bv().slice(width + by - 1, width).is_zero() {
                    bits = bits.or(&sign_bit(width));
                }
                self.add(arg, bits.into());
            }
            Expr::Ite(condition, then, otherwise) => {
                let chosen = if self.values.holds(condition) { then } else { otherwise };
                self.add_all(condition);
                self.add(chosen, mask.clone());
            }
            Expr::Read(array, index) => {
                let Sort::Array { index: width, .. } = self.pool.sort(array) else {
                    unreachable!("it is an array")
                };
                let mut element = ArrayValue::constant(width, BitVec::zero(mask.bv().width()));
                element.write(self.values.bv(index), mask.bv().clone());
                self.add_all(index);
                self.add(array, element.into());
            }
            Expr::Write(array, index, element) => {
                let at = self.values.bv(index);
                let mut others = mask.array().clone();
                let written = others.read(&at).clone();
                others.write(at, BitVec::zero(written.width()));
                self.add_all(index);
                self.add(element, written.into());
                self.add(array, others.into());
            }
            Expr::ConstArray(element) => {
                let array = mask.array();
                let any =
                    array.entries().fold(array.default_element().clone(), |any, (_, e)| any.or(e));
                self.add(element, any.into());
            }
            Expr::ArrayEq(a, b) => {
                self.add_all(a);
                self.add_all(b);
            }
        }
    }

    fn unary(&mut self, operator: UnaryOp, a: ExprId, mask: &BitVec) {
        let width = self.pool.width(a);
        let bits = match operator {
            UnaryOp::Not => mask.clone(),
            UnaryOp::Neg => up_to_highest(mask),
            UnaryOp::RedAnd => {
                let zeros = self.values.bv(a).not();
                self.one_of(&zeros, &[a]).unwrap_or_else(|| BitVec::ones(width))
            }
            UnaryOp::RedXor => BitVec::ones(width),
        };
        self.add(a, bits.into());
    }

    fn binary(&mut self, operator: BinaryOp, a: ExprId, b: ExprId, mask: &BitVec) {
        let (x, y) = (self.values.bv(a), self.values.bv(b));
        let width = x.width();
        let (of_a, of_b) = match operator {
            BinaryOp::And => {
                // Where both are zero, one is enough: preferably one that is needed anyway.
                let both = mask.and(&x.not()).and(&y.not());
                let by_b = both.and(&self.needed_bits(b)).and(&self.needed_bits(a).not());
                let by_a = both.and(&by_b.not());
                (mask.and(&y.or(&by_a)), mask.and(&x.or(&by_b)))
            }
            BinaryOp::Xor => (mask.clone(), mask.clone()),
            BinaryOp::Add | BinaryOp::Sub => (up_to_highest(mask), up_to_highest(mask)),
            BinaryOp::Mul => {
                let bits = up_to_highest(mask);
                let is_zero = |factor: &BitVec| factor.and(&bits).is_zero();
                match (is_zero(&x), is_zero(&y)) {
                    (true, _) => (bits, BitVec::zero(width)),
                    (false, true) => (BitVec::zero(width), bits),
                    (false, false) => (bits.clone(), bits),
                }
            }
            BinaryOp::Eq => {
                let bits = self.one_of(&x.xor(&y), &[a, b]).unwrap_or_else(|| BitVec::ones(width));
                (bits.clone(), bits)
            }
            BinaryOp::Ult | BinaryOp::Slt => {
                let differ = x.xor(&y);
                let undecided = width - highest(&differ).map_or(width, |bit| width - bit);
                let bits = low(width, undecided).not();
                (bits.clone(), bits)
            }
            BinaryOp::Shl => (mask.lshr(&y), BitVec::ones(width)),
            BinaryOp::Lshr => (mask.shl(&y), BitVec::ones(width)),
            BinaryOp::Ashr => {
                // The bits above those that are shifted out come from the sign.
                let from_sign = !mask.and(&BitVec::ones(width).lshr(&y).not()).is_zero();
                let sign = if from_sign { sign_bit(width) } else { BitVec::zero(width) };
                (mask.shl(&y).or(&sign), BitVec::ones(width))
            }
            BinaryOp::Rol => (mask.ror(&y), BitVec::ones(width)),
            BinaryOp::Ror => (mask.rol(&y), BitVec::ones(width)),
            BinaryOp::Concat => {
                let below = y.width();
                (mask.slice(mask.width() - 1, below), mask.slice(below - 1, 0))
            }
            BinaryOp::Uaddo | BinaryOp::Umulo | BinaryOp::Udiv | BinaryOp::Urem => {
                (BitVec::ones(width), BitVec::ones(width))
            }
            BinaryOp::Saddo
            | BinaryOp::Smulo
            | BinaryOp::Sdivo
            | BinaryOp::Sdiv
            | BinaryOp::Ssubo
            | BinaryOp::Srem
            | BinaryOp::Smod => (BitVec::ones(width), BitVec::ones(width)),
        };
        self.add(a, of_a.into());
        self.add(b, of_b.into());
    }

    /// One of some bits, preferably one that all of these expressions need anyway.
    fn one_of(&self, bits: &BitVec, exprs: &[ExprId]) -> Option<BitVec> {
        let anyway = exprs.iter().fold(bits.clone(), |all, &e| all.and(&self.needed_bits(e)));
        let bit = highest(&anyway).or_else(|| highest(bits))?;
        Some(low(bits.width(), bit + 1).and(&low(bits.width(), bit).not()))
    }

    fn needed_bits(&self, expr: ExprId) -> BitVec {
        match &self.masks[expr.node()] {
            Some(mask) => mask.bv().clone(),
            None => BitVec::zero(self.pool.width(expr)),
        }
    }
}

/// The mask of all bits of a value.
pub fn all_of(sort: Sort) -> Value {
    match sort {
        Sort::Bv(width) => BitVec::ones(width).into(),
        Sort::Array { index, element } => ArrayValue::constant(index, BitVec::ones(element)).into(),
    }
}

/// The bits of either mask.
pub fn union(one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Bv(one), Value::Bv(other)) => one.or(other).into(),
        (Value::Array(one), Value::Array(other)) => {
            let default = one.default_element().or(other.default_element());
            let mut union = ArrayValue::constant(one.index_width(), default);
            for (index, _) in one.entries().chain(other.entries()) {
                union.write(index.clone(), one.read(index).or(other.read(index)));
            }
            union.into()
        }
        (Value::Bv(_), Value::Array(_)) | (Value::Array(_), Value::Bv(_)) => {
            unreachable!("both are masks of the same expression")
        }
    }
}

fn is_empty(mask: &Value) -> bool {
    match mask {
        Value::Bv(bits) => bits.is_zero(),
        Value::Array(array) => {
            array.default_element().is_zero() && array.entries().next().is_none()
        }
    }
}

/// The highest bit that is set.
fn highest(bits: &BitVec) -> Option<u32> {
    (0..bits.width()).rev().find(|&bit| bits.bit(bit))
}

/// The bits from the lowest to the highest one that is set.
fn up_to_highest(bits: &BitVec) -> BitVec {
    low(bits.width(), highest(bits).map_or(0, |bit| bit + 1))
}

fn sign_bit(width: u32) -> BitVec {
    low(width, width - 1).not()
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;
    use elinvar_models::{Generator, Shape};

    use super::*;

    fn scrambled(value: &Value, mask: Option<&Value>, rng: &mut Rng) -> Value {
        let mix = |value: &BitVec, mask: &BitVec, rng: &mut Rng| {
            value.and(mask).or(&rng.bitvec(value.width()).and(&mask.not()))
        };
        match (value, mask) {
            (Value::Bv(bits), None) => rng.bitvec(bits.width()).into(),
            (Value::Bv(bits), Some(mask)) => mix(bits, mask.bv(), rng).into(),
            (Value::Array(array), mask) => {
                let width = array.index_width();
                let mut other = array.clone();
                for index in (0..1 << width).map(|index| BitVec::new(width, index)) {
                    let element = array.read(&index);
                    let none = BitVec::zero(element.width());
                    let bits = mask.map_or(&none, |mask| mask.array().read(&index));
                    other.write(index.clone(), mix(element, bits, rng));
                }
                Value::Array(other)
            }
        }
    }

    /// An expression keeps its value, whatever the bits are that are not among its causes.
    #[test]
    fn causes_are_enough() {
        let mut open = 0;
        for (seed, shape) in
            (0..300).map(|seed| (seed, [Shape::BITS, Shape::WORDS, Shape::ARRAYS][seed % 3]))
        {
            let system = Generator::system(seed as u64, shape);
            let (pool, mut rng) = (system.pool(), Rng::new(seed as u64));
            let roots: Vec<ExprId> = system.states().iter().filter_map(|s| s.next).collect();
            let symbols = (system.inputs().iter().map(|input| input.symbol))
                .chain(system.states().iter().map(|state| state.symbol));
            let values: Vec<(ExprId, Value)> =
                symbols.map(|symbol| (symbol, rng.value(pool.sort(symbol)))).collect();
            let mut needed = Needed::new(pool, &roots);
            let mut evaluator = Evaluator::new(pool, roots.iter().copied());
            let of = |values: &[(ExprId, Value)], symbol: ExprId| {
                let found = values.iter().find(|(other, _)| *other == symbol);
                found.map(|(_, value)| value.clone()).unwrap()
            };
            needed.settle(|symbol| of(&values, symbol));
            for &root in &roots {
                let causes = needed.causes(root, all_of(pool.sort(root)));
                let mask = |symbol: ExprId| causes.iter().find(|(cause, _)| *cause == symbol);
                evaluator.run(|symbol| of(&values, symbol));
                let before = evaluator.value(root);
                for _ in 0..5 {
                    let others: Vec<(ExprId, Value)> = (values.iter())
                        .map(|(symbol, value)| {
                            let mask = mask(*symbol).map(|(_, mask)| mask);
                            (*symbol, scrambled(value, mask, &mut rng))
                        })
                        .collect();
                    open += usize::from(others != values);
                    evaluator.run(|symbol| of(&others, symbol));
                    assert_eq!(evaluator.value(root), before, "seed {seed}, {shape:?}");
                }
            }
        }
        assert!(open > 1000, "{open}");
    }
}
