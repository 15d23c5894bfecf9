//! Expressions of a pool as terms of a program.
//!
//! In expressions, truth values are words of one bit; in terms they are of another sort. So
//! every expression of one bit becomes a truth value, which is made a word where an operator
//! has words as operands.

use elinvar_ir::program::{Sort, Term, Terms, VariableId};
use elinvar_ir::{BinaryOp, BitVec, Expr, ExprId, Pool, UnaryOp, cone};
use rustc_hash::FxHashMap;

use crate::lift::Inexpressible;

/// A translation from a pool into terms.
pub(super) struct Translation<'a> {
    pool: &'a Pool,
    /// By symbol of the pool.
    variables: &'a FxHashMap<ExprId, VariableId>,
    terms: &'a mut Terms,
    /// By node of the pool: a truth value if it has one bit.
    done: FxHashMap<ExprId, Term>,
}

impl<'a> Translation<'a> {
    /// Nothing is translated yet. The variables are those of the symbols.
    pub fn new(
        pool: &'a Pool,
        variables: &'a FxHashMap<ExprId, VariableId>,
        terms: &'a mut Terms,
    ) -> Self {
        Translation { pool, variables, terms, done: FxHashMap::default() }
    }

    /// The bits as terms, without those that are true.
    pub fn terms(&mut self, bits: &[ExprId]) -> Result<Vec<Term>, Inexpressible> {
        let mut found = Vec::new();
        for &part in bits {
            for node in cone(self.pool, [part]) {
                if !self.done.contains_key(&node) {
                    let term = self.node(node)?;
                    self.done.insert(node, term);
                }
            }
            let term = self.term(part);
            match self.terms.as_bool(term) {
                Some(true) => {}
                Some(false) => return Ok(vec![term]),
                None if found.contains(&term) => {}
                None => found.push(term),
            }
        }
        Ok(found)
    }

    /// The term of an expression whose node is translated.
    fn term(&mut self, id: ExprId) -> Term {
        let term = self.done[&id.regular()];
        match (id.is_complement(), self.pool.width(id)) {
            (false, _) => term,
            (true, 1) => self.terms.not(term),
            (true, _) => self.terms.word_unary(UnaryOp::Not, term),
        }
    }

    /// The same as a word, also if it has one bit.
    fn word(&mut self, id: ExprId) -> Term {
        let term = self.term(id);
        if self.pool.width(id) > 1 {
            return term;
        }
        let [zero, one] = [0, 1].map(|bit| self.terms.word(BitVec::new(1, bit)));
        self.terms.ite(term, one, zero)
    }

    /// A word of one bit as a truth value; other words as they are.
    fn settled(&mut self, term: Term) -> Term {
        if *self.terms.sort(term) != Sort::Word(1) {
            return term;
        }
        let one = self.terms.word(BitVec::one(1));
        self.terms.equal(term, one)
    }

    fn node(&mut self, node: ExprId) -> Result<Term, Inexpressible> {
        let term = match self.pool.get(node) {
            Expr::Symbol(_) => self.terms.variable(self.variables[&node]),
            Expr::Const(value) if value.width() == 1 => self.terms.bool(value.is_true()),
            Expr::Const(value) => self.terms.word(value),
            Expr::Unary(op, a) => self.unary(op, a),
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::Slice { arg, hi, lo } => {
                let word = self.word(arg);
                self.terms.extract(hi, lo, word)
            }
            Expr::Uext { arg, by } => {
                let word = self.word(arg);
                self.terms.extend(by, false, word)
            }
            Expr::Sext { arg, by } => {
                let word = self.word(arg);
                self.terms.extend(by, true, word)
            }
            Expr::Ite(c, t, e) => {
                let (c, t, e) = (self.term(c), self.term(t), self.term(e));
                self.terms.ite(c, t, e)
            }
            Expr::Read(..) | Expr::Write(..) | Expr::ConstArray(_) | Expr::ArrayEq(..) => {
                return Err(Inexpressible("the invariant mentions a memory".into()));
            }
        };
        Ok(self.settled(term))
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId) -> Term {
        let width = self.pool.width(a);
        match op {
            UnaryOp::Not if width == 1 => {
                let a = self.term(a);
                self.terms.not(a)
            }
            // Of one bit, each of these is the bit.
            UnaryOp::Neg | UnaryOp::RedAnd | UnaryOp::RedXor if width == 1 => self.term(a),
            UnaryOp::RedAnd => {
                let (a, ones) = (self.term(a), self.terms.word(BitVec::ones(width)));
                self.terms.equal(a, ones)
            }
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::RedXor => {
                let a = self.term(a);
                self.terms.word_unary(op, a)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Term {
        if self.pool.width(a) == 1 && self.pool.width(b) == 1 {
            let (left, right) = (self.term(a), self.term(b));
            if op == BinaryOp::And {
                return self.terms.and([left, right]);
            }
            if op == BinaryOp::Eq {
                return self.terms.equal(left, right);
            }
            if op == BinaryOp::Xor {
                let equal = self.terms.equal(left, right);
                return self.terms.not(equal);
            }
        }
        let (left, right) = (self.word(a), self.word(b));
        self.terms.word_binary(op, left, right)
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::program::{ByZero, Value, Word, evaluate};
    use elinvar_ir::{Evaluator, Rng, Sort as WordSort};

    use super::*;

    /// Random expressions over two words and two bits, one of which is a word of a bit in
    /// the program, have the value of their terms.
    #[test]
    fn terms_have_the_values_of_expressions() {
        let mut compared = 0;
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let mut pool = Pool::new();
            let mut terms = Terms::new();
            let sorts = [Sort::Word(3), Sort::Word(3), Sort::Bool, Sort::Word(1)];
            let ids: Vec<VariableId> =
                sorts.iter().map(|sort| terms.declare("v", sort.clone())).collect();
            let symbols: Vec<ExprId> =
                [3, 3, 1, 1].map(|width| pool.symbol(WordSort::Bv(width), None).unwrap()).to_vec();
            let variables = symbols.iter().copied().zip(ids.iter().copied()).collect();
            let root = random(&mut pool, &symbols, &mut rng);
            let mut translation = Translation::new(&pool, &variables, &mut terms);
            let parts = translation.terms(&[root]).unwrap();
            let all = terms.and(parts);
            for number in 0..1u64 << 8 {
                let values = [number & 7, number >> 3 & 7, number >> 6 & 1, number >> 7];
                let value = |at: usize| BitVec::new(pool.width(symbols[at]), values[at]);
                let mut evaluator = Evaluator::new(&pool, [root]);
                evaluator
                    .run(|symbol| value(symbols.iter().position(|&s| s == symbol).unwrap()).into());
                let variable = |id: VariableId| match sorts[id.0 as usize] {
                    Sort::Bool => Value::Bool(value(2).is_true()),
                    _ => Value::Word(Word(value(id.0 as usize))),
                };
                let function = |_, _: &[Value]| unreachable!("there are no functions");
                let found = evaluate(&terms, all, variable, function, &ByZero::default());
                assert_eq!(found, Ok(Value::Bool(evaluator.holds(root))), "seed {seed}");
                compared += 1;
            }
        }
        assert_eq!(compared, 300 << 8);
    }

    /// A bit built from the symbols by a few operators of all kinds.
    fn random(pool: &mut Pool, symbols: &[ExprId], rng: &mut Rng) -> ExprId {
        let mut all = symbols.to_vec();
        for _ in 0..12 {
            let (a, b) = (rng.pick(&all), rng.pick(&all));
            let built = match rng.below(8) {
                0 => pool.not(a),
                1 => pool.unary(rng.pick(&[UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor]), a),
                2 => pool.slice(a, pool.width(a) - 1, (pool.width(a) - 1) / 2),
                3 => pool.uext(a, 1),
                4 => pool.sext(a, 2),
                5 => {
                    let conditions: Vec<ExprId> =
                        all.iter().copied().filter(|&id| pool.width(id) == 1).collect();
                    let condition = rng.pick(&conditions);
                    pool.ite(condition, a, b)
                }
                _ => pool.binary(rng.pick(&BinaryOp::ALL), a, b),
            };
            // Operands of other widths do not fit: then nothing is added.
            all.extend(built.ok());
        }
        let last = *all.last().unwrap();
        let zero = pool.constant(BitVec::zero(pool.width(last)));
        pool.equal(last, zero).unwrap()
    }
}
