//! The evaluator of the replay against that of the engines, and its refusals.

use elinvar_ir::PropertyId;
use elinvar_ir::program::{
    FunctionId, FunctionValue, MapValue, Program, ProgramTrace, Sort, Term, Value, VariableId,
    evaluate as reference,
};
use elinvar_models::TermSample;

use super::datum::Datum;
use super::evaluate::{Functions, evaluate};
use super::refusal::{ProgramRefusal, StepFault};

fn functions_of(sample: &TermSample) -> Result<Functions, ProgramRefusal> {
    let program = Program { terms: sample.terms.clone(), ..elinvar_models::Sketch::new().finish() };
    let trace = ProgramTrace {
        property: PropertyId(0),
        initial: Vec::new(),
        functions: sample.functions.clone(),
        by_zero: sample.by_zero.clone(),
        steps: Vec::new(),
    };
    Functions::of(&program, &trace)
}

fn own_value(sample: &TermSample, term: Term) -> Result<Datum, StepFault> {
    let variable =
        |id: VariableId| Datum::of(sample.terms.variable_sort(id), &sample.values[id.0 as usize]);
    evaluate(&sample.terms, term, variable, &functions_of(sample).expect("sorts fit"))
}

/// Both evaluators give the same values, of all sorts and operators.
#[test]
fn both_evaluators_agree() {
    let mut compared = 0;
    for seed in 0..60 {
        let width = [1, 2, 5, 32, 64, 65, 200, 5001][seed as usize % 8];
        let sample = TermSample::random(seed, 100, width);
        let variable = |id: VariableId| sample.values[id.0 as usize].clone();
        let function = |id: FunctionId, arguments: &[Value]| {
            sample.functions[id.0 as usize].apply(arguments).clone()
        };
        for &term in &sample.built {
            let expected = reference(&sample.terms, term, variable, function, &sample.by_zero);
            let (Ok(expected), Ok(found)) = (expected, own_value(&sample, term)) else { continue };
            let sort = sample.terms.sort(term);
            let expected = Datum::of(sort, &expected).expect("values have the sort of the term");
            let node = sample.terms.node(term);
            assert!(Datum::same(sort, &found, &expected), "seed {seed}: {node:?}");
            compared += 1;
        }
    }
    assert!(compared > 5000, "{compared}");
}

/// `Datum::same` is not trivially true.
#[test]
fn maps_over_finite_sorts_are_compared_index_by_index() {
    let sort = Sort::map(Sort::Bool, Sort::Int);
    let int = |number: i64| Value::Int(number.into());
    let map = |default: i64, writes: &[(bool, i64)]| {
        let writes = writes.iter().map(|&(at, element)| (Value::Bool(at), int(element)));
        let map = MapValue::new(Sort::Bool, int(default), writes);
        Datum::of(&sort, &Value::Map(Box::new(map))).expect("it is a map")
    };
    let all = map(0, &[(true, 1), (false, 1)]);
    assert!(Datum::same(&sort, &map(1, &[]), &all));
    assert!(Datum::same(&sort, &map(2, &[(true, 3)]), &map(3, &[(false, 2)])));
    assert!(!Datum::same(&sort, &map(0, &[]), &all));
    assert!(!Datum::same(&sort, &map(0, &[(true, 1)]), &all));
    let over_ints = Sort::map(Sort::Int, Sort::Int);
    let constant = |default: i64| {
        let map = MapValue::constant(Sort::Int, int(default));
        Datum::of(&over_ints, &Value::Map(Box::new(map))).expect("it is a map")
    };
    assert!(Datum::same(&over_ints, &constant(1), &constant(1)));
    assert!(!Datum::same(&over_ints, &constant(1), &constant(2)));
}

#[test]
fn values_of_other_sorts_are_refused() {
    for sort in [Sort::Int, Sort::Real, Sort::Word(2), Sort::map(Sort::Int, Sort::Int)] {
        assert!(Datum::of(&sort, &Value::Bool(true)).is_none(), "{sort}");
        assert!(Datum::of(&sort, &Value::zero(&sort)).is_some(), "{sort}");
    }
    assert!(Datum::of(&Sort::Word(3), &Value::zero(&Sort::Word(2))).is_none());
    let inner = Value::zero(&Sort::map(Sort::Int, Sort::Bool));
    assert!(Datum::of(&Sort::map(Sort::Int, Sort::Int), &inner).is_none());
}

#[test]
fn tables_of_divisions_by_zero_have_their_sorts() {
    let good = TermSample::random(1, 0, 3);
    assert!(functions_of(&good).is_ok());
    let wrong = || FunctionValue::constant(Value::Bool(true));
    let refused = |name: &str| Some(ProgramRefusal::FunctionValue(name.to_string()));
    let mut bad = TermSample::random(1, 0, 3);
    bad.by_zero.divide = wrong();
    assert_eq!(functions_of(&bad).err(), refused("div by zero"));
    let mut bad = TermSample::random(1, 0, 3);
    bad.by_zero.modulo = wrong();
    assert_eq!(functions_of(&bad).err(), refused("mod by zero"));
    let mut bad = TermSample::random(1, 0, 3);
    bad.by_zero.quotient = wrong();
    assert_eq!(functions_of(&bad).err(), refused("/ by zero"));
}

#[test]
fn numbers_do_not_explode() {
    let mut sample = TermSample::random(1, 0, 3);
    let mut square = sample.terms.int(3);
    for _ in 0..60 {
        square = sample.terms.multiply(square, square);
    }
    assert_eq!(own_value(&sample, square).err(), Some(StepFault::TooLarge));
}

#[test]
fn ill_sorted_terms_are_refused() {
    let mut sample = TermSample::random(1, 0, 3);
    let other = sample.terms.declare("w", Sort::Int);
    let term = sample.terms.variable(other);
    // A value of another sort than the variable has.
    sample.values.push(Value::Bool(true));
    assert_eq!(own_value(&sample, term).err(), Some(StepFault::IllSorted));
}
