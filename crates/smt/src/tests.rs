//! Solvers, cores and models, on the smallest formulas that show them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dashu_int::IBig;
use elinvar_ir::program::{Function, FunctionId, MapValue, Sort, Term, Terms, Value, VariableId};
use elinvar_ir::{BinaryOp, BitVec};

use crate::{Context, Model, SmtAnswer, Solver, UnknownReason};

const LONG: Duration = Duration::from_secs(20);

fn context() -> Context {
    Context::new(Arc::new(|| false)).expect("the library of Z3 is installed")
}

fn declare(terms: &mut Terms, name: &str, sort: Sort) -> (VariableId, Term) {
    let variable = terms.declare(name, sort);
    (variable, terms.variable(variable))
}

fn core(answer: SmtAnswer<'_>) -> Vec<usize> {
    let SmtAnswer::Unsat(refuted) = answer else { panic!("there is no model") };
    refuted.core()
}

fn model(answer: SmtAnswer<'_>) -> Model {
    let SmtAnswer::Sat(satisfied) = answer else { panic!("there is a model") };
    satisfied.model().expect("it can be read")
}

#[test]
fn a_core_names_the_assumptions_that_clash() {
    let mut terms = Terms::new();
    let (_, x) = declare(&mut terms, "x", Sort::Int);
    let (_, y) = declare(&mut terms, "y", Sort::Int);
    let [three, five] = [3, 5].map(|number| terms.int(number));
    let above = terms.less(five, x);
    let below = terms.less(x, three);
    let other = terms.less(y, three);
    let mut solver = Solver::new(&context());
    assert_eq!(core(solver.check(&terms, &[above, other, below], LONG)), [0, 2]);
    assert!(solver.check(&terms, &[above, other], LONG).is_sat());
    solver.assert(&terms, below);
    assert_eq!(core(solver.check(&terms, &[above], LONG)), [0]);
}

#[test]
fn values_of_all_sorts_are_read() {
    let mut terms = Terms::new();
    let (x, x_term) = declare(&mut terms, "x", Sort::Int);
    let (r, r_term) = declare(&mut terms, "r", Sort::Real);
    let (w, w_term) = declare(&mut terms, "w", Sort::Word(8));
    let (b, b_term) = declare(&mut terms, "b", Sort::Bool);
    let (m, m_term) = declare(&mut terms, "m", Sort::map(Sort::Int, Sort::Int));
    let named = Sort::Named(terms.declare_type("T"));
    let (p, p_term) = declare(&mut terms, "p", named.clone());
    let (q, q_term) = declare(&mut terms, "q", named);
    let f = terms.declare_function(Function {
        name: "f".into(),
        arguments: vec![Sort::Int],
        result: Sort::Int,
        approximates: None,
    });
    let big = terms.int(IBig::from(-10).pow(21));
    let third = terms.real(dashu_ratio::RBig::from_parts(IBig::from(-1), 3u8.into()));
    let word = terms.word(BitVec::new(8, 200));
    let [seven, nine] = [7, 9].map(|number| terms.int(number));
    let read = terms.select(m_term, seven);
    let applied = terms.apply(f, vec![seven]);
    let same = terms.equal(p_term, q_term);
    let formulas = [
        terms.equal(x_term, big),
        terms.equal(r_term, third),
        terms.equal(w_term, word),
        b_term,
        terms.equal(read, nine),
        terms.equal(applied, nine),
        terms.not(same),
    ];
    let mut solver = Solver::new(&context());
    let model = model(solver.check(&terms, &formulas, LONG));
    let value = |variable| model.variable(&terms, variable).expect("it can be read");
    assert_eq!(value(x), Value::Int(IBig::from(-10).pow(21)));
    assert_eq!(value(r).as_number().unwrap().to_string(), "-1/3");
    assert_eq!(value(w), Value::Word(elinvar_ir::program::Word(BitVec::new(8, 200))));
    assert_eq!(value(b), Value::Bool(true));
    assert_ne!(value(p), value(q));
    let Value::Map(map) = value(m) else { panic!("a map is a map") };
    assert_eq!(MapValue::read(&map, &Value::Int(7.into())), &Value::Int(9.into()));
    let table = model.function(&terms, FunctionId(0)).expect("it can be read");
    assert_eq!(table.apply(&[Value::Int(7.into())]), &Value::Int(9.into()));
}

#[test]
fn words_mean_what_the_reference_says() {
    let mut terms = Terms::new();
    let (_, a) = declare(&mut terms, "a", Sort::Word(4));
    let (_, b) = declare(&mut terms, "b", Sort::Word(4));
    let mut solver = Solver::new(&context());
    for op in BinaryOp::ALL {
        for (left, right) in [(3, 5), (9, 14), (8, 15), (7, 0)] {
            let values = [BitVec::new(4, left), BitVec::new(4, right)];
            let expected = op.apply(&values[0], &values[1]);
            let [left, right] = values.map(|value| terms.word(value));
            let result = terms.word_binary(op, a, b);
            let expected = if *terms.sort(result) == Sort::Bool {
                terms.bool(expected.is_true())
            } else {
                terms.word(expected)
            };
            let right_result = terms.equal(result, expected);
            let wrong = terms.not(right_result);
            let operands = [terms.equal(a, left), terms.equal(b, right)];
            let assumptions = [operands[0], operands[1], wrong];
            assert!(solver.check(&terms, &assumptions, LONG).is_unsat(), "{op:?}");
        }
    }
}

/// a³ + b³ = c³ has no solution, and Z3 does not find that out.
#[test]
fn a_query_ends_at_its_deadline() {
    let mut terms = Terms::new();
    let cubes: Vec<Term> = ["a", "b", "c"]
        .map(|name| {
            let (_, x) = declare(&mut terms, name, Sort::Int);
            let square = terms.multiply(x, x);
            terms.multiply(square, x)
        })
        .to_vec();
    let sum = terms.add([cubes[0], cubes[1]]);
    let zero = terms.int(0);
    let mut solver = Solver::with_tactics(&context());
    let equation = terms.equal(sum, cubes[2]);
    solver.assert(&terms, equation);
    for &cube in &cubes {
        let positive = terms.less(zero, cube);
        solver.assert(&terms, positive);
    }
    let start = Instant::now();
    let answer = solver.check(&terms, &[], Duration::from_millis(200));
    let SmtAnswer::Unknown(undecided) = answer else { panic!("Fermat was wrong") };
    assert_eq!(undecided.reason(), UnknownReason::Interrupted);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn contexts_stand_beside_each_other() {
    let first = context();
    assert!(first.version().contains('.'));
    let second = first.another();
    drop(first);
    let mut terms = Terms::new();
    let (_, x) = declare(&mut terms, "x", Sort::Bool);
    let mut solver = Solver::new(&second);
    assert!(solver.check(&terms, &[x], LONG).is_sat());
}

/// The values of divisions by zero differ from each other, and from zero.
#[test]
fn divisions_by_zero_are_read() {
    let mut terms = Terms::new();
    let (_, x) = declare(&mut terms, "x", Sort::Int);
    let (_, r) = declare(&mut terms, "r", Sort::Real);
    let [zero, three, five, seven, nine] = [0, 3, 5, 7, 9].map(|number| terms.int(number));
    let [real_zero, half] = [(0, 1), (1, 2)].map(|(numerator, denominator)| {
        terms.real(dashu_ratio::RBig::from_parts(IBig::from(numerator), (denominator as u8).into()))
    });
    let divisions = [
        (terms.divide(five, zero), seven),
        (terms.divide(x, zero), nine),
        (terms.modulo(x, zero), five),
        (terms.quotient(half, real_zero), half),
        (x, three),
        (r, half),
    ];
    let formulas = divisions.map(|(left, right)| terms.equal(left, right));
    let mut solver = Solver::new(&context());
    let model = model(solver.check(&terms, &formulas, LONG));
    let by_zero = model.by_zero(&terms).expect("they can be read");
    let int = |number: i64| Value::Int(number.into());
    assert_eq!(by_zero.divide.apply(&[int(5)]), &int(7));
    assert_eq!(by_zero.divide.apply(&[int(3)]), &int(9));
    assert_eq!(by_zero.modulo.apply(&[int(3)]), &int(5));
    let half = model.value(&terms, half).expect("a number");
    assert_eq!(by_zero.quotient.apply(std::slice::from_ref(&half)), &half);
}
