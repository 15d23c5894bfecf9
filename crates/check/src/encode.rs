//! From expressions to clauses, one time frame after the other.
//!
//! A [`Frame`] gives every expression of a system its value in one cycle, as a
//! term over literals. Symbols are given a term by the caller; those that are
//! not are free and get a fresh one. The successor of a frame simply has the
//! terms of the next functions as its states, so there is no clause for the
//! transition relation, and nothing that could exclude a step.
//!
//! The encoder shares no code with those of the engines. Its clauses are of
//! three kinds: definitions of gates ([`crate::solver`]), facts of arrays
//! ([`crate::arrays`]), both true of every behaviour, and what a check asserts.

use std::collections::BTreeSet;

use elinvar_ir::{Expr, ExprId, Pool, Sort, TransitionSystem, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Refusal;
use crate::arrays::{ArrayId, Arrays};
use crate::solver::{Budget, Lit, SatAnswer, Solver};
use crate::words::{self, Word};

/// The value of an expression in terms of literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    Word(Word),
    Array(ArrayId),
}

/// One query under construction.
pub(crate) struct Encoder {
    solver: Solver,
    arrays: Arrays,
    /// The number of nodes that were encoded.
    nodes: u64,
}

impl Encoder {
    pub(crate) fn new(budget: &Budget) -> Self {
        Encoder { solver: Solver::new(budget), arrays: Arrays::default(), nodes: 0 }
    }

    /// A value of which nothing is known.
    pub(crate) fn fresh(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::Bv(width) => Term::Word(words::fresh(&mut self.solver, width)),
            Sort::Array { index, element } => Term::Array(self.arrays.unknown(index, element)),
        }
    }

    /// A known value.
    pub(crate) fn constant(&mut self, value: &Value) -> Term {
        let array = match value {
            Value::Bv(value) => return Term::Word(words::constant(value)),
            Value::Array(array) => array,
        };
        let default = words::constant(array.default_element());
        let mut id = self.arrays.constant(array.index_width(), default);
        for (index, element) in array.entries() {
            id = self.arrays.write(id, words::constant(index), words::constant(element));
        }
        Term::Array(id)
    }

    pub(crate) fn equal(&mut self, a: &Term, b: &Term) -> Result<Lit, Refusal> {
        match (a, b) {
            (Term::Word(a), Term::Word(b)) => {
                self.solver.spend(2 * a.len() as u64)?;
                Ok(words::equal(&mut self.solver, a, b))
            }
            (Term::Array(a), Term::Array(b)) => self.arrays.equal(&mut self.solver, *a, *b),
            (Term::Word(_), Term::Array(_)) | (Term::Array(_), Term::Word(_)) => {
                unreachable!("terms of different sorts")
            }
        }
    }

    /// Requires one of the literals.
    pub(crate) fn assert_any(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.solver.clause(lits);
    }

    pub(crate) fn assert(&mut self, lit: Lit) {
        self.assert_any([lit]);
    }

    /// A literal that, when true, makes all the others false.
    pub(crate) fn none_of(&mut self, lits: &[Lit]) -> Lit {
        let none = self.solver.fresh();
        for &lit in lits {
            self.solver.clause([!none, !lit]);
        }
        none
    }

    /// A literal that, when true, makes one of the others true.
    pub(crate) fn some_of(&mut self, lits: &[Lit]) -> Lit {
        let some = self.solver.fresh();
        self.solver.clause(lits.iter().copied().chain([!some]));
        some
    }

    /// SAT?  everything asserted ∧ assumptions
    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> Result<SatAnswer<'_>, Refusal> {
        let mut all = self.arrays.close(&mut self.solver)?;
        all.extend(assumptions);
        self.solver.solve(&all)
    }

    /// Lets every query give up after so many conflicts.
    pub(crate) fn limit_conflicts(&mut self, conflicts: i32) {
        self.solver.limit_conflicts(conflicts);
    }

    /// The work that was done so far, in about the time that a gate takes.
    pub(crate) fn effort(&self) -> u64 {
        self.nodes + self.solver.effort()
    }

    /// A literal of which nothing is known.
    pub(crate) fn free_literal(&mut self) -> Lit {
        self.solver.fresh()
    }

    /// Are all of them true?
    pub(crate) fn all(&mut self, lits: &[Lit]) -> Lit {
        self.solver.all(lits.iter().copied())
    }

    /// Was this assumption of the last query, which was unsatisfiable, needed for that?
    pub(crate) fn failed(&mut self, assumption: Lit) -> bool {
        self.solver.failed(assumption)
    }

    /// SAT?  everything asserted ∧ assumptions. The values of these terms in a model, where a
    /// term is given. Values of arrays are right only for those that no other term determines.
    pub(crate) fn model_of(
        &mut self,
        assumptions: &[Lit],
        terms: &[Option<Term>],
    ) -> Result<Option<Vec<Option<Value>>>, Refusal> {
        let mut all = self.arrays.close(&mut self.solver)?;
        all.extend(assumptions);
        let SatAnswer::Sat(mut model) = self.solver.solve(&all)? else { return Ok(None) };
        let arrays = &self.arrays;
        let mut value = |term: &Term| match term {
            Term::Word(word) => Value::Bv(words::value(word, |lit| model.holds(lit))),
            Term::Array(array) => arrays.value(*array, |lit| model.holds(lit)).into(),
        };
        Ok(Some(terms.iter().map(|term| term.as_ref().map(&mut value)).collect()))
    }

    /// Refuses if everything asserted has a model.
    pub(crate) fn expect_unsat(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        match self.solve(&[])? {
            SatAnswer::Sat(_) => Err(refusal),
            SatAnswer::Unsat => Ok(()),
        }
    }
}

/// The values of a system's expressions in one cycle.
pub(crate) struct Frame<'a> {
    system: &'a TransitionSystem,
    /// By node, without complement.
    terms: FxHashMap<ExprId, Term>,
}

impl<'a> Frame<'a> {
    /// A frame in which every symbol is free.
    pub(crate) fn free(system: &'a TransitionSystem) -> Self {
        Frame { system, terms: FxHashMap::default() }
    }

    /// Cycle zero, with the initial values of these states.
    pub(crate) fn initial(
        encoder: &mut Encoder,
        system: &'a TransitionSystem,
        states: &BTreeSet<usize>,
    ) -> Result<Self, Refusal> {
        let mut frame = Frame::free(system);
        for &index in system.init_order().iter().filter(|&index| states.contains(index)) {
            let state = system.states()[index];
            if let Some(init) = state.init {
                let term = frame.encode(encoder, init)?;
                frame.set(state.symbol, term);
            }
        }
        Ok(frame)
    }

    /// The cycle after this one, with the next values of these states.
    pub(crate) fn successor(
        &mut self,
        encoder: &mut Encoder,
        states: &BTreeSet<usize>,
    ) -> Result<Self, Refusal> {
        let mut following = Frame::free(self.system);
        let next = |&(index, _): &(usize, _)| states.contains(&index);
        let chosen: Vec<_> = self.system.states().iter().enumerate().filter(next).collect();
        self.encode_all(encoder, chosen.iter().filter_map(|(_, state)| state.next))?;
        for (_, state) in chosen {
            if let Some(next) = state.next {
                following.set(state.symbol, self.term(next));
            }
        }
        Ok(following)
    }

    /// Gives a symbol its value, before anything that depends on it is encoded.
    pub(crate) fn set(&mut self, symbol: ExprId, term: Term) {
        let earlier = self.terms.insert(symbol, term);
        assert!(earlier.is_none(), "a symbol has one value in a frame");
    }

    pub(crate) fn encode(&mut self, encoder: &mut Encoder, expr: ExprId) -> Result<Term, Refusal> {
        self.encode_all(encoder, [expr])?;
        Ok(self.term(expr))
    }

    pub(crate) fn encode_bit(
        &mut self,
        encoder: &mut Encoder,
        expr: ExprId,
    ) -> Result<Lit, Refusal> {
        self.encode_all(encoder, [expr])?;
        Ok(self.bit(expr, 0))
    }

    /// Asserts a bit.
    pub(crate) fn assume(&mut self, encoder: &mut Encoder, bit: ExprId) -> Result<(), Refusal> {
        let lit = self.encode_bit(encoder, bit)?;
        encoder.assert(lit);
        Ok(())
    }

    /// The literals of the constraints.
    pub(crate) fn constraints(&mut self, encoder: &mut Encoder) -> Result<Vec<Lit>, Refusal> {
        let system = self.system;
        self.encode_all(encoder, system.constraints().iter().copied())?;
        Ok(system.constraints().iter().map(|&c| self.bit(c, 0)).collect())
    }

    /// Asserts that every constraint holds.
    pub(crate) fn constrain(&mut self, encoder: &mut Encoder) -> Result<(), Refusal> {
        for constraint in self.constraints(encoder)? {
            encoder.assert(constraint);
        }
        Ok(())
    }

    /// The whole cone of the roots, operands first.
    pub(crate) fn encode_all(
        &mut self,
        encoder: &mut Encoder,
        roots: impl IntoIterator<Item = ExprId>,
    ) -> Result<(), Refusal> {
        let pool = self.system.pool();
        for id in self.missing(pool, roots) {
            let term = self.encode_node(encoder, pool, id)?;
            self.terms.insert(id, term);
        }
        Ok(())
    }

    /// The nodes of the cone that have no term yet, operands first.
    fn missing(&self, pool: &Pool, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut stack: Vec<ExprId> = roots.into_iter().map(ExprId::regular).collect();
        let mut missing = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !self.terms.contains_key(&id) && missing.insert(id) {
                pool.for_each_operand(id, |operand| stack.push(operand.regular()));
            }
        }
        let mut nodes: Vec<ExprId> = missing.into_iter().collect();
        nodes.sort_unstable();
        nodes
    }

    fn encode_node(&self, encoder: &mut Encoder, pool: &Pool, id: ExprId) -> Result<Term, Refusal> {
        let sort = pool.sort(id);
        encoder.nodes += 1;
        encoder.solver.spend(1 + 3 * u64::from(sort.width().unwrap_or(0)))?;
        let solver = &mut encoder.solver;
        let word = match pool.get(id) {
            Expr::Const(value) => words::constant(&value),
            Expr::Symbol(_) => return Ok(encoder.fresh(sort)),
            Expr::Unary(op, a) => {
                solver.spend(5 * u64::from(pool.width(a)))?;
                words::unary(solver, op, &self.word(a))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.word(a), self.word(b));
                solver.spend(words::binary_cost(op, &a, &b))?;
                words::binary(solver, op, &a, &b)
            }
            Expr::Slice { arg, hi, lo } => (lo..=hi).map(|bit| self.bit(arg, bit)).collect(),
            Expr::Uext { arg, by } => extend(self.word(arg), Lit::FALSE, by),
            Expr::Sext { arg, by } => {
                let word = self.word(arg);
                let sign = words::sign(&word);
                extend(word, sign, by)
            }
            Expr::Ite(c, t, e) => match (self.term(t), self.term(e)) {
                (Term::Array(t), Term::Array(e)) => {
                    return Ok(Term::Array(encoder.arrays.ite(self.bit(c, 0), t, e)));
                }
                _ => words::ite(solver, self.bit(c, 0), &self.word(t), &self.word(e)),
            },
            Expr::Read(array, index) => {
                encoder.arrays.read(solver, self.array(array), self.word(index))?
            }
            Expr::Write(array, index, element) => {
                let (index, element) = (self.word(index), self.word(element));
                let written = encoder.arrays.write(self.array(array), index, element);
                return Ok(Term::Array(written));
            }
            Expr::ConstArray(element) => {
                let Sort::Array { index, .. } = sort else {
                    unreachable!("constant arrays are arrays")
                };
                return Ok(Term::Array(encoder.arrays.constant(index, self.word(element))));
            }
            Expr::ArrayEq(a, b) => {
                vec![encoder.arrays.equal(solver, self.array(a), self.array(b))?]
            }
        };
        Ok(Term::Word(word))
    }

    /// The value of an encoded expression.
    pub(crate) fn term(&self, id: ExprId) -> Term {
        let term = self.encoded(id);
        match term {
            Term::Word(_) => Term::Word(self.word(id)),
            Term::Array(array) => Term::Array(*array),
        }
    }

    /// The value of an expression, if it is encoded.
    pub(crate) fn known(&self, id: ExprId) -> Option<Term> {
        self.terms.contains_key(&id.regular()).then(|| self.term(id))
    }

    /// One bit of an encoded expression.
    pub(crate) fn bit(&self, id: ExprId, bit: u32) -> Lit {
        let lit = self.regular_word(id)[bit as usize];
        if id.is_complement() { !lit } else { lit }
    }

    fn word(&self, id: ExprId) -> Word {
        let word = self.regular_word(id);
        if id.is_complement() { words::not(word) } else { word.to_vec() }
    }

    fn regular_word(&self, id: ExprId) -> &[Lit] {
        match self.encoded(id) {
            Term::Word(word) => word,
            Term::Array(_) => unreachable!("sorts are checked when expressions are built"),
        }
    }

    fn array(&self, id: ExprId) -> ArrayId {
        match self.encoded(id) {
            Term::Array(array) => *array,
            Term::Word(_) => unreachable!("sorts are checked when expressions are built"),
        }
    }

    fn encoded(&self, id: ExprId) -> &Term {
        self.terms.get(&id.regular()).expect("an encoded expression")
    }
}

fn extend(mut word: Word, by: Lit, count: u32) -> Word {
    word.extend(std::iter::repeat_n(by, count as usize));
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{ArrayValue, BinaryOp, BitVec, Evaluator, Rng, SystemBuilder, UnaryOp};
    use elinvar_models::{Generator, Shape};

    /// The literals that say that a term has a value.
    fn has_value(encoder: &mut Encoder, term: &Term, value: &Value) -> Vec<Lit> {
        let same = |(&lit, bit): (&Lit, bool)| if bit { lit } else { !lit };
        match (term, value) {
            (Term::Word(word), Value::Bv(value)) => {
                word.iter().zip(value.iter_bits()).map(same).collect()
            }
            (Term::Array(array), Value::Array(value)) => {
                let mut lits = Vec::new();
                for index in 0..1 << value.index_width() {
                    let index = BitVec::new(value.index_width(), index);
                    let word = words::constant(&index);
                    let element = encoder.arrays.read(&mut encoder.solver, *array, word).unwrap();
                    lits.extend(element.iter().zip(value.read(&index).iter_bits()).map(same));
                }
                lits
            }
            (Term::Word(_), Value::Array(_)) | (Term::Array(_), Value::Bv(_)) => {
                panic!("a value of another sort")
            }
        }
    }

    fn random_value(rng: &mut Rng, sort: Sort) -> Value {
        match sort {
            Sort::Bv(width) => rng.bitvec(width).into(),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::constant(index, rng.bitvec(element));
                for i in 0..1 << index {
                    let value = rng.bitvec(element);
                    array.write(BitVec::new(index, i), value);
                }
                array.into()
            }
        }
    }

    /// With these values of the symbols the roots can have the values that the
    /// evaluator gives them, and no others.
    fn agrees_with_evaluator(
        system: &TransitionSystem,
        roots: &[ExprId],
        mut symbol_value: impl FnMut(ExprId) -> Value,
    ) {
        let pool = system.pool();
        let inputs = system.inputs().iter().map(|input| input.symbol);
        let symbols: Vec<ExprId> =
            inputs.chain(system.states().iter().map(|state| state.symbol)).collect();
        let values: FxHashMap<ExprId, Value> =
            symbols.iter().map(|&symbol| (symbol, symbol_value(symbol))).collect();
        let mut evaluator = Evaluator::new(pool, roots.iter().copied());
        evaluator.run(|symbol| values[&symbol].clone());

        let mut encoder = Encoder::new(&Budget::default());
        let mut frame = Frame::free(system);
        frame.encode_all(&mut encoder, symbols.iter().chain(roots).copied()).unwrap();
        for (&symbol, value) in &values {
            for lit in has_value(&mut encoder, &frame.term(symbol), value) {
                encoder.assert(lit);
            }
        }
        let mut expected = Vec::new();
        for &root in roots {
            expected.extend(has_value(&mut encoder, &frame.term(root), &evaluator.value(root)));
        }
        assert!(matches!(encoder.solve(&expected), Ok(SatAnswer::Sat(_))), "{roots:?} excluded");
        encoder.assert_any(expected.into_iter().map(|lit| !lit));
        assert!(matches!(encoder.solve(&[]), Ok(SatAnswer::Unsat)), "{roots:?} not determined");
    }

    fn two_words(width: u32) -> (SystemBuilder, ExprId, ExprId) {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::Bv(width), None).unwrap();
        let y = b.input(Sort::Bv(width), None).unwrap();
        (b, x, y)
    }

    #[test]
    fn every_operator_agrees_with_the_evaluator() {
        let mut rng = Rng::new(1);
        for width in 1..=6 {
            let (mut b, x, y) = two_words(width);
            let mut roots = Vec::new();
            for op in BinaryOp::ALL {
                roots.push(b.pool.binary(op, x, y).unwrap());
                let negated = b.pool.not(x).unwrap();
                roots.push(b.pool.binary(op, negated, y).unwrap());
            }
            for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::RedAnd, UnaryOp::RedXor] {
                roots.push(b.pool.unary(op, x).unwrap());
            }
            let choice = b.pool.slice(y, width - 1, width - 1).unwrap();
            roots.push(b.pool.ite(choice, x, y).unwrap());
            roots.push(b.pool.slice(x, width - 1, width / 2).unwrap());
            roots.push(b.pool.sext(x, 3).unwrap());
            roots.push(b.pool.uext(x, 3).unwrap());
            let system = b.finish().unwrap();
            let all = 1u64 << width;
            let cases: Vec<(u64, u64)> = if width <= 3 {
                (0..all * all).map(|code| (code / all, code % all)).collect()
            } else {
                (0..40).map(|_| (rng.next_u64(), rng.next_u64() >> rng.below(64))).collect()
            };
            for (a, b) in cases {
                agrees_with_evaluator(&system, &roots, |symbol| {
                    BitVec::new(width, if symbol == x { a } else { b }).into()
                });
            }
        }
    }

    #[test]
    fn shifts_and_rotations_of_wide_words() {
        for width in [65, 96, 100, 1000] {
            let (mut b, x, y) = two_words(width);
            let ops = [BinaryOp::Shl, BinaryOp::Lshr, BinaryOp::Ashr, BinaryOp::Rol, BinaryOp::Ror];
            let roots = ops.map(|op| b.pool.binary(op, x, y).unwrap());
            let system = b.finish().unwrap();
            let mut rng = Rng::new(2);
            let word = rng.bitvec(width);
            let amounts = [BitVec::new(width, 7), BitVec::new(width, 64), rng.bitvec(width)];
            for by in amounts {
                agrees_with_evaluator(&system, &roots, |symbol| {
                    if symbol == x { word.clone().into() } else { by.clone().into() }
                });
            }
        }
    }

    #[test]
    fn arithmetic_of_wide_words() {
        let mut rng = Rng::new(4);
        for width in [65, 100] {
            let (mut b, x, y) = two_words(width);
            let factor = b.pool.constant(BitVec::new(width, 1_000_003));
            let mut roots = Vec::new();
            for op in BinaryOp::ALL.into_iter().filter(|&op| op != BinaryOp::Concat) {
                roots.push(b.pool.binary(op, x, y).unwrap());
                roots.push(b.pool.binary(op, x, factor).unwrap());
                roots.push(b.pool.binary(op, factor, y).unwrap());
            }
            let system = b.finish().unwrap();
            for divisor in [rng.bitvec(width), BitVec::new(width, 77), BitVec::zero(width)] {
                let word = rng.bitvec(width);
                agrees_with_evaluator(&system, &roots, |symbol| {
                    if symbol == x { word.clone().into() } else { divisor.clone().into() }
                });
            }
        }
    }

    /// Operators that are not quadratic fit the budget at ten thousand bits.
    #[test]
    fn cheap_operators_of_very_wide_words_fit_the_budget() {
        let width = 10_000;
        let (mut b, x, y) = two_words(width);
        let two = b.pool.constant(BitVec::new(width, 12));
        use BinaryOp::*;
        let wide = [(Shl, y), (Ashr, y), (Rol, two), (Add, y), (Mul, two), (Urem, two), (Slt, y)];
        let roots = wide.map(|(op, other)| b.pool.binary(op, x, other).unwrap());
        let product = b.pool.binary(Mul, x, y).unwrap();
        let system = b.finish().unwrap();
        let mut encoder = Encoder::new(&Budget::default());
        let mut frame = Frame::free(&system);
        assert_eq!(frame.encode_all(&mut encoder, roots), Ok(()));
        assert_eq!(frame.encode_all(&mut encoder, [product]), Err(Refusal::OutOfBudget));
    }

    #[test]
    fn random_systems_agree_with_the_evaluator() {
        let mut rng = Rng::new(3);
        for shape in [Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..150 {
                let system = Generator::system(seed, shape);
                let roots: Vec<ExprId> = (system.states().iter().filter_map(|s| s.next))
                    .chain(system.bads().map(|(_, bad)| bad))
                    .chain(system.constraints().iter().copied())
                    .collect();
                agrees_with_evaluator(&system, &roots, |symbol| {
                    random_value(&mut rng, system.pool().sort(symbol))
                });
            }
        }
    }

    /// Is there a model in which this bit is true?
    fn satisfiable(b: SystemBuilder, bit: ExprId) -> bool {
        let system = b.finish().unwrap();
        let mut encoder = Encoder::new(&Budget::default());
        let lit = Frame::free(&system).encode_bit(&mut encoder, bit).unwrap();
        matches!(encoder.solve(&[lit]).unwrap(), SatAnswer::Sat(_))
    }

    /// Zeros overwritten with ones in `writes` places are all ones exactly when
    /// there are no more places than that.
    #[test]
    fn constant_arrays_know_the_size_of_their_index() {
        for (width, writes) in [(1, 1), (1, 2), (1, 3), (2, 3), (2, 4), (8, 3), (32, 2), (80, 1)] {
            let mut b = SystemBuilder::new();
            let (zero, one) = (b.pool.bool(false), b.pool.bool(true));
            let mut array = b.pool.const_array(width, zero).unwrap();
            for _ in 0..writes {
                let index = b.input(Sort::Bv(width), None).unwrap();
                array = b.pool.write(array, index, one).unwrap();
            }
            let ones = b.pool.const_array(width, one).unwrap();
            let same = b.pool.equal(array, ones).unwrap();
            let expected = width < 8 && 1 << width <= writes;
            assert_eq!(satisfiable(b, same), expected, "{writes} writes, width {width}");
        }
    }

    /// A memory of two one-bit cells has four contents, so four memories can
    /// differ pairwise and five cannot.
    #[test]
    fn arrays_can_only_differ_as_often_as_there_are_contents() {
        for (count, expected) in [(4, true), (5, false)] {
            let mut b = SystemBuilder::new();
            let sort = Sort::Array { index: 1, element: 1 };
            let arrays: Vec<ExprId> = (0..count).map(|_| b.input(sort, None).unwrap()).collect();
            let mut differ = Vec::new();
            for (i, &x) in arrays.iter().enumerate() {
                for &y in &arrays[..i] {
                    let same = b.pool.equal(x, y).unwrap();
                    differ.push(b.pool.not(same).unwrap());
                }
            }
            let all = b.pool.conjoin(differ).unwrap();
            assert_eq!(satisfiable(b, all), expected);
        }
    }

    /// Two arrays that agree in some different places can differ exactly when
    /// there is one more place.
    #[test]
    fn arrays_that_agree_in_places_differ_elsewhere() {
        for (width, places) in [(1, 0), (1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (7, 4)] {
            let mut b = SystemBuilder::new();
            let sort = Sort::Array { index: width, element: 3 };
            let (x, y) = (b.input(sort, None).unwrap(), b.input(sort, None).unwrap());
            let same = b.pool.equal(x, y).unwrap();
            let mut claims = vec![b.pool.not(same).unwrap()];
            let mut indices: Vec<ExprId> = Vec::new();
            for _ in 0..places {
                let index = b.input(Sort::Bv(width), None).unwrap();
                for &other in &indices {
                    let same = b.pool.equal(index, other).unwrap();
                    claims.push(b.pool.not(same).unwrap());
                }
                indices.push(index);
                let elements = (b.pool.read(x, index).unwrap(), b.pool.read(y, index).unwrap());
                claims.push(b.pool.equal(elements.0, elements.1).unwrap());
            }
            let all = b.pool.conjoin(claims).unwrap();
            assert_eq!(satisfiable(b, all), places < 1 << width, "{places} of width {width}");
        }
    }

    #[test]
    fn a_wide_multiplication_is_refused_before_it_is_built() {
        let (mut b, x, y) = two_words(elinvar_ir::MAX_WIDTH);
        let product = b.pool.binary(BinaryOp::Mul, x, y).unwrap();
        let system = b.finish().unwrap();
        let mut encoder = Encoder::new(&Budget::default());
        let refused = Frame::free(&system).encode(&mut encoder, product);
        assert_eq!(refused, Err(Refusal::OutOfBudget));
    }
}
