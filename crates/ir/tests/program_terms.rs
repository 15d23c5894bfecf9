//! No normal form may change the value of a term.

use dashu_int::IBig;
use dashu_int::ops::DivRemEuclid;
use dashu_ratio::RBig;
use elinvar_ir::program::{
    ByZero, EvaluationError, FunctionId, Sort, Term, Terms, Value, VariableId, Word, evaluate,
};
use elinvar_ir::{BinaryOp, BitVec, Rng};
use elinvar_models::{TermSample, random_program_value};
use rustc_hash::FxHashMap;

/// Terms with the values that they must have, computed operator by operator without the
/// pool; where nothing is to be said of the value (a division by zero), there is no term.
struct Shadow {
    terms: Terms,
    rng: Rng,
    state: Vec<Value>,
    built: Vec<(Term, Value)>,
}

const WIDTH: u32 = 3;

fn sorts() -> [Sort; 5] {
    let map = Sort::map(Sort::Int, Sort::Int);
    [Sort::Int, Sort::Bool, Sort::Real, map, Sort::Word(WIDTH)]
}

impl Shadow {
    fn new(seed: u64) -> Self {
        let (terms, rng) = (Terms::new(), Rng::new(seed));
        let mut shadow = Shadow { terms, rng, state: Vec::new(), built: Vec::new() };
        for sort in sorts() {
            for _ in 0..3 {
                let value = random_program_value(&mut shadow.rng, &sort, 4);
                let variable = shadow.terms.declare("v", sort.clone());
                shadow.state.push(value.clone());
                let term = shadow.terms.variable(variable);
                shadow.built.push((term, value));
            }
        }
        for number in -2..=3 {
            let term = shadow.terms.int(number);
            shadow.built.push((term, Value::Int(number.into())));
        }
        shadow
    }

    fn of(&mut self, sort: &Sort) -> (Term, Value) {
        let fitting: Vec<usize> =
            (0..self.built.len()).filter(|&at| self.built[at].1.has_sort(sort)).collect();
        self.built[self.rng.pick(&fitting)].clone()
    }

    fn bool(&mut self) -> (Term, bool) {
        let (term, value) = self.of(&Sort::Bool);
        (term, value.as_bool().unwrap())
    }

    fn int(&mut self) -> (Term, IBig) {
        let (term, value) = self.of(&Sort::Int);
        let Value::Int(value) = value else { unreachable!("an integer") };
        (term, value)
    }

    fn real(&mut self) -> (Term, RBig) {
        let (term, value) = self.of(&Sort::Real);
        (term, value.as_number().unwrap())
    }

    /// Numbers grow by products of products, which tells nothing more.
    fn push(&mut self, term: Term, value: Value) {
        if value.as_number().is_none_or(|number| number < RBig::from(1_000_000)) {
            self.built.push((term, value));
        }
    }

    fn grow(&mut self) {
        match self.rng.below(5) {
            0 | 1 => self.grow_integer(),
            2 => self.grow_bool(),
            3 => self.grow_real(),
            _ => self.grow_other(),
        }
    }

    fn grow_integer(&mut self) {
        let ((a, x), (b, y), (c, z)) = (self.int(), self.int(), self.int());
        let (condition, holds) = self.bool();
        let terms = &mut self.terms;
        let (term, value) = match self.rng.below(8) {
            0 => (terms.add([a, b, c]), x + y + z),
            1 => (terms.subtract(a, b), x - y),
            2 => (terms.negate(a), -x),
            3 => (terms.multiply(a, b), x * y),
            4 | 5 if y == IBig::ZERO => return,
            4 => (terms.divide(a, b), x.div_rem_euclid(y).0),
            5 => (terms.modulo(a, b), x.div_rem_euclid(y).1.into()),
            6 => {
                let (real, number) = self.real();
                (self.terms.to_int(real), number.floor())
            }
            _ => (terms.ite(condition, a, b), if holds { x } else { y }),
        };
        self.push(term, Value::Int(value));
    }

    fn grow_real(&mut self) {
        let ((a, x), (b, y)) = (self.real(), self.real());
        let (condition, holds) = self.bool();
        let terms = &mut self.terms;
        let (term, value) = match self.rng.below(6) {
            0 => (terms.add([a, b]), x + y),
            1 => (terms.subtract(a, b), x - y),
            2 => (terms.multiply(a, b), x * y),
            3 if y.is_zero() => return,
            3 => (terms.quotient(a, b), x / y),
            4 => {
                let (integer, number) = self.int();
                (self.terms.to_real(integer), RBig::from(number))
            }
            _ => (terms.ite(condition, a, b), if holds { x } else { y }),
        };
        self.push(term, Value::Real(value));
    }

    fn grow_bool(&mut self) {
        let ((p, is_p), (q, is_q), (r, is_r)) = (self.bool(), self.bool(), self.bool());
        let ((a, x), (b, y)) = (self.int(), self.int());
        let ((s, u), (t, v)) = (self.real(), self.real());
        let terms = &mut self.terms;
        let (term, value) = match self.rng.below(12) {
            0 => (terms.not(p), !is_p),
            1 => (terms.and([p, q, r]), is_p && is_q && is_r),
            2 => (terms.or([p, q, r]), is_p || is_q || is_r),
            3 => (terms.implies(p, q), !is_p || is_q),
            4 => (terms.ite(p, q, r), if is_p { is_q } else { is_r }),
            5 => (terms.equal(p, q), is_p == is_q),
            6 => (terms.at_most(a, b), x <= y),
            7 => (terms.less(a, b), x < y),
            8 => (terms.equal(a, b), x == y),
            9 => (terms.at_most(s, t), u <= v),
            10 => (terms.less(s, t), u < v),
            _ => (terms.equal(s, t), u == v),
        };
        self.push(term, Value::Bool(value));
    }

    /// Maps and words.
    fn grow_other(&mut self) {
        let [_, _, _, map_sort, word_sort] = sorts();
        let ((index, i), (element, e)) = (self.int(), self.int());
        let ((map, m), (other, o)) = (self.of(&map_sort), self.of(&map_sort));
        let ((a, x), (b, y)) = (self.of(&word_sort), self.of(&word_sort));
        let (condition, holds) = self.bool();
        let (Value::Map(m), Value::Word(Word(x)), Value::Word(Word(y))) = (m, x, y) else {
            unreachable!("sorts are as asked for")
        };
        let terms = &mut self.terms;
        let (term, value) = match self.rng.below(9) {
            0 | 1 => (terms.select(map, index), m.read(&Value::Int(i)).clone()),
            2 | 3 => {
                let mut changed = m;
                changed.write(Value::Int(i), Value::Int(e));
                (terms.store(map, index, element), Value::Map(changed))
            }
            4 => (terms.ite(condition, map, other), if holds { Value::Map(m) } else { o }),
            // Without entries for the default element, equal maps are equal values.
            5 => (terms.equal(map, other), Value::Bool(Value::Map(m) == o)),
            6 => {
                let (high, low) = (WIDTH - 1, self.rng.below(WIDTH as usize) as u32);
                let cut = terms.extract(high, low, a);
                let (term, value) = (terms.extend(low, false, cut), x.slice(high, low).uext(low));
                (term, Value::Word(Word(value)))
            }
            7 => {
                let op = self.rng.pick(&[BinaryOp::Ult, BinaryOp::Slt, BinaryOp::Eq]);
                (terms.word_binary(op, a, b), Value::Bool(op.apply(&x, &y).is_true()))
            }
            _ => {
                let op = self.rng.pick(&[BinaryOp::Add, BinaryOp::Xor, BinaryOp::Lshr]);
                (terms.word_binary(op, a, b), Value::Word(Word(op.apply(&x, &y))))
            }
        };
        self.push(term, value);
    }

    fn evaluate_in(&self, term: Term, state: &[Value]) -> Value {
        let variable = |id: VariableId| state[id.0 as usize].clone();
        let no_function = |_, _: &[Value]| unreachable!("there are no functions");
        evaluate(&self.terms, term, variable, no_function, &ByZero::default())
            .expect("terms that have no value were not built")
    }
}

#[test]
fn normal_forms_keep_values() {
    for seed in 0..300 {
        let mut shadow = Shadow::new(seed);
        (0..80).for_each(|_| shadow.grow());
        for (term, value) in &shadow.built {
            let found = shadow.evaluate_in(*term, &shadow.state);
            assert_eq!(found, *value, "seed {seed}: {:?}", shadow.terms.node(*term));
            assert!(found.has_sort(shadow.terms.sort(*term)), "seed {seed}");
        }
    }
}

/// The value of `t[s/v]` is the value of `t` where `v` has the value of `s`.
#[test]
fn replacing_is_evaluating_elsewhere() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut shadow = Shadow::new(seed);
        (0..60).for_each(|_| shadow.grow());
        let mut map = FxHashMap::default();
        let mut elsewhere = Vec::new();
        for number in 0..shadow.state.len() {
            let variable = VariableId(number as u32);
            let sort = shadow.terms.variable_sort(variable).clone();
            let (term, value) = shadow.of(&sort);
            let variable = shadow.terms.variable(variable);
            map.insert(variable, term);
            elsewhere.push(value);
        }
        for (term, _) in shadow.built.clone() {
            let variable = |id: VariableId| elsewhere[id.0 as usize].clone();
            let no_function = |_, _: &[Value]| unreachable!("there are no functions");
            let by_zero = ByZero::default();
            let expected = evaluate(&shadow.terms, term, variable, no_function, &by_zero);
            let expected = expected.expect("numbers are small");
            let replaced = shadow.terms.replace(term, &mut map);
            let found = shadow.evaluate_in(replaced, &shadow.state);
            assert_eq!(found, expected, "seed {seed}: {:?}", shadow.terms.node(term));
            compared += 1;
        }
    }
    assert!(compared > 5000, "{compared}");
}

/// What is built again from its own parts is the same term.
#[test]
fn normal_forms_are_normal() {
    for seed in 0..200 {
        let mut shadow = Shadow::new(seed);
        (0..60).for_each(|_| shadow.grow());
        for (term, _) in shadow.built.clone() {
            let again = shadow.terms.replace(term, &mut FxHashMap::default());
            assert_eq!(again, term, "seed {seed}: {:?}", shadow.terms.node(term));
        }
    }
}

#[test]
fn words_fold_as_they_evaluate() {
    let mut terms = Terms::new();
    let (a, b) = (BitVec::new(WIDTH, 5), BitVec::new(WIDTH, 3));
    let (x, y) = (terms.word(a.clone()), terms.word(b.clone()));
    for op in BinaryOp::ALL {
        let folded = terms.word_binary(op, x, y);
        let expected = op.apply(&a, &b);
        let expected =
            if op.is_predicate() { terms.bool(expected.is_true()) } else { terms.word(expected) };
        assert_eq!(folded, expected, "{op:?}");
    }
}

#[test]
fn a_condition_may_be_its_own_branch() {
    let mut terms = Terms::new();
    let [p, q] = ["p", "q"].map(|name| terms.declare(name, Sort::Bool));
    let (a, b) = (terms.variable(p), terms.variable(q));
    let (or, and) = (terms.ite(a, a, b), terms.ite(a, b, a));
    for (is_p, is_q) in [(false, false), (false, true), (true, false), (true, true)] {
        let value = |term| {
            let variable = |id| Value::Bool(if id == p { is_p } else { is_q });
            {
                let no_function = |_, _: &[Value]| unreachable!("there are no functions");
                evaluate(&terms, term, variable, no_function, &ByZero::default())
            }
        };
        assert_eq!(value(or), Ok(Value::Bool(is_p || is_q)));
        assert_eq!(value(and), Ok(Value::Bool(is_p && is_q)));
    }
}

/// Terms as they are built and in normal form have the same values: of all sorts and
/// operators, with functions and divisions by zero.
#[test]
fn rewriting_keeps_the_values_of_verbatim_terms() {
    let mut compared = 0;
    for seed in 0..150 {
        let width = [1, 2, 7, 63, 64, 65, 130, 700, 5001][seed as usize % 9];
        let sample = TermSample::random(seed, 120, width);
        let mut rewriting = sample.rewriting();
        let variable = |id: VariableId| sample.values[id.0 as usize].clone();
        let function = |id: FunctionId, arguments: &[Value]| {
            sample.functions[id.0 as usize].apply(arguments).clone()
        };
        for &term in &sample.built {
            let expected = evaluate(&sample.terms, term, variable, function, &sample.by_zero);
            let rewritten = rewriting.import(&sample.terms, term);
            let found = evaluate(&rewriting, rewritten, variable, function, &sample.by_zero);
            let (Ok(expected), Ok(found)) = (expected, found) else { continue };
            assert_eq!(found, expected, "seed {seed}: {:?}", sample.terms.node(term));
            assert!(found.has_sort(rewriting.sort(rewritten)), "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 15_000, "{compared}");
}

#[test]
fn verbatim_pools_do_not_rewrite() {
    let mut terms = Terms::verbatim();
    let x = terms.declare("x", Sort::Int);
    let (x, zero) = (terms.variable(x), terms.int(0));
    let sum = terms.add([x, zero]);
    assert_ne!(sum, x);
    assert_eq!(terms.add([x, zero]), sum, "equal terms have equal ids");
    let less = terms.less(x, x);
    let not = terms.not(less);
    assert_ne!(terms.not(not), less);
    assert_eq!(terms.as_bool(less), None);
    let both = terms.and([less, not]);
    assert_eq!(terms.as_bool(both), None);
}

#[test]
#[should_panic(expected = "1/2 is not an integer")]
fn a_fraction_is_never_cut_to_an_integer() {
    let half = RBig::from_parts(IBig::ONE, 2u8.into());
    Terms::new().number(half, &Sort::Int);
}

/// Squaring a constant again and again: the numbers are not multiplied out without end.
#[test]
fn constants_do_not_explode() {
    let mut terms = Terms::new();
    let mut square = terms.int(3);
    for _ in 0..60 {
        square = terms.multiply(square, square);
    }
    assert_eq!(terms.as_number(square), None);
    let x = terms.declare("x", Sort::Int);
    let mut power = terms.variable(x);
    for _ in 0..60 {
        power = terms.multiply(power, power);
    }
    assert!(terms.subterms([power]).len() < 100);
    let value = evaluate(
        &terms,
        square,
        |_| unreachable!("there are no variables"),
        |_, _: &[Value]| unreachable!("there are no functions"),
        &ByZero::default(),
    );
    assert_eq!(value, Err(EvaluationError::TooLarge));
}
