//! Tests of the oracle on programs whose answer is known, of the generator and of the shrinker.

use std::collections::BTreeSet;

use super::code::{Kind, Property, valid};
use super::explore::{Claims, explore};
use super::syntax::*;
use super::*;

fn int(number: i64) -> Expr {
    Expr::new(Type::Int, ExprKind::Int(number))
}

fn greater(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Greater, Type::Bool, left, right)
}

fn variable(name: &str, ty: Type, constraint: Option<Expr>) -> Variable {
    Variable { name: name.into(), ty, constraint }
}

fn procedure(name: &str, variables: Vec<Variable>, body: Vec<StatementKind>) -> Procedure {
    let body = body.into_iter().map(|kind| Statement { kind, line: 0 }).collect();
    Procedure {
        name: name.into(),
        attribute: None,
        variables,
        inputs: 0,
        outputs: 0,
        requires: Vec::new(),
        ensures: Vec::new(),
        modifies: Vec::new(),
        body: Some(body),
    }
}

fn program(globals: Vec<Variable>, procedures: Vec<Procedure>) -> Program {
    Program { dialect: Dialect::Boogie, theory: Theory::default(), globals, procedures }
}

fn call(callee: usize, arguments: Vec<Expr>) -> StatementKind {
    StatementKind::Call { callee, arguments, results: Vec::new() }
}

fn assert(condition: Expr) -> StatementKind {
    StatementKind::Assert(condition)
}

fn assign(name: Name, ty: Type, value: Expr) -> StatementKind {
    StatementKind::Assign(vec![(Target { name, ty, indices: Vec::new() }, value)])
}

fn claims(mut program: Program) -> Claims {
    print::print(&mut program);
    explore(&program)
}

/// The lines of the assertions of which one must fail.
fn failing(claims: &Claims) -> BTreeSet<Vec<u32>> {
    let lines = |all: &BTreeSet<Property>| all.iter().map(|property| property.line).collect();
    claims.failing.iter().map(lines).collect()
}

/// `q` asserts what the `where` clause of a global says; `p` violates it and calls `q`.
fn where_and_call(attribute: Option<Attribute>) -> Program {
    let g = || Expr::name(Name::Global(0), Type::Int);
    let is_positive = || greater(g(), int(0));
    let mut q = procedure("q", vec![], vec![assert(is_positive())]);
    q.attribute = attribute;
    let body = vec![
        assign(Name::Global(0), Type::Int, int(-1)),
        call(0, vec![]),
        assert(Expr::bool(false)),
    ];
    let mut p = procedure("p", vec![], body);
    p.modifies = vec![0];
    program(vec![variable("g", Type::Int, Some(is_positive()))], vec![q, p])
}

#[test]
fn a_call_that_violates_an_unchecked_assumption_goes_on_as_the_contract_says() {
    // Line 4 is the assertion of `q`, line 11 that of `p`.
    let found = claims(where_and_call(None));
    assert_eq!(failing(&found), BTreeSet::from([vec![11]]));
}

/// `q` has a free precondition and a postcondition that never hold, so the call of `p` has
/// no result.
#[test]
fn a_contract_that_promises_the_impossible_ends_the_run() {
    let clause = |free| Clause { free, condition: Expr::bool(false), line: 0 };
    let mut q = procedure("q", vec![], vec![]);
    q.requires = vec![clause(true)];
    q.ensures = vec![clause(false)];
    let p = procedure("p", vec![], vec![call(0, vec![]), assert(Expr::bool(false))]);
    assert!(claims(program(vec![], vec![q, p])).failing.is_empty());
}

#[test]
fn the_entry_alone_is_started_and_callees_are_checked_there() {
    let mut whole = where_and_call(None);
    whole.procedures[1].attribute = Some(Attribute::Entry);
    assert_eq!(failing(&claims(whole)), BTreeSet::from([vec![4]]));
}

#[test]
fn a_free_precondition_and_the_where_clause_of_a_parameter_do_not_stop_a_call() {
    let x = || Expr::name(Name::Local(0), Type::Int);
    for is_where in [false, true] {
        for has_body in [false, true] {
            let condition = greater(x(), int(3));
            let constraint = is_where.then(|| condition.clone());
            let mut q = procedure("q", vec![variable("x", Type::Int, constraint)], vec![]);
            q.inputs = 1;
            if !is_where {
                q.requires = vec![Clause { condition, free: true, line: 0 }];
            }
            if !has_body {
                q.body = None;
            }
            let p = procedure("p", vec![], vec![call(0, vec![int(0)]), assert(Expr::bool(false))]);
            let found = claims(program(vec![], vec![q, p]));
            assert_eq!(failing(&found).len(), 1, "where: {is_where}, body: {has_body}");
        }
    }
}

#[test]
fn a_precondition_is_checked_at_the_call_and_ends_the_run() {
    let x = Expr::name(Name::Local(0), Type::Int);
    let mut q = procedure("q", vec![variable("x", Type::Int, None)], vec![]);
    q.inputs = 1;
    q.requires = vec![Clause { condition: greater(x, int(3)), free: false, line: 0 }];
    let p = procedure("p", vec![], vec![call(0, vec![int(0)]), assert(Expr::bool(false))]);
    let found = claims(program(vec![], vec![q, p]));
    let expected = Property { kind: Kind::Requires, line: 7, number: 0 };
    assert_eq!(found.failing, BTreeSet::from([BTreeSet::from([expected])]));
}

#[test]
fn division_by_zero_has_any_value_but_always_the_same() {
    let quotient = || Expr::binary(BinaryOp::Divide, Type::Int, int(1), int(0));
    let p = procedure("p", vec![], vec![assert(Expr::equal(quotient(), int(0)))]);
    assert_eq!(failing(&claims(program(vec![], vec![p]))).len(), 1);
    let p = procedure("p", vec![], vec![assert(Expr::equal(quotient(), quotient()))]);
    assert_eq!(failing(&claims(program(vec![], vec![p]))).len(), 0);
}

/// `y := y[0bv1 := x[0bv1]][1bv1 := x[1bv1]]`, with the second write only if it is asked for.
fn copied(complete: bool) -> Program {
    let ty = Type::map(Type::Word(1), Type::Bool);
    let [x, y] = [0, 1].map(|number| Expr::name(Name::Local(number), ty.clone()));
    let mut copy = y.clone();
    for bits in 0..1 + u128::from(complete) {
        let index = vec![Expr::new(Type::Word(1), ExprKind::Word(bits))];
        let read = Expr::new(Type::Bool, ExprKind::Select(Box::new(x.clone()), index.clone()));
        copy = Expr::new(ty.clone(), ExprKind::Store(Box::new(copy), index, Box::new(read)));
    }
    let body = vec![assign(Name::Local(1), ty.clone(), copy), assert(Expr::equal(x, y))];
    let variables = vec![variable("x", ty.clone(), None), variable("y", ty, None)];
    program(vec![], vec![procedure("p", variables, body)])
}

#[test]
fn maps_that_agree_at_all_indices_are_equal() {
    let all = claims(copied(true));
    assert!(all.complete && all.possible.is_empty(), "{all:?}");
    let some = claims(copied(false));
    assert!(some.complete && some.failing.len() == 1, "{some:?}");
}

#[test]
fn a_closed_state_space_is_searched_completely() {
    // while (true) { havoc b; } assert false;
    let b = Name::Local(0);
    let havoc = Statement { kind: StatementKind::Havoc(vec![b]), line: 0 };
    let forever = StatementKind::While(Some(Expr::bool(true)), vec![], vec![havoc]);
    let body = vec![forever, assert(Expr::bool(false))];
    let p = procedure("p", vec![variable("b", Type::Bool, None)], body);
    let found = claims(program(vec![], vec![p]));
    assert!(found.complete && found.possible.is_empty(), "{found:?}");
}

/// Answers that are wrong are complained about.
#[test]
fn wrong_answers_are_seen() {
    let property = Property::at(Kind::Assert, 4);
    let other = Property::at(Kind::Assert, 5);
    let failing = BTreeSet::from([BTreeSet::from([property, other])]);
    let possible = BTreeSet::from([property, other]);
    let valid = BTreeSet::new();
    let mut claims = Claims { failing, possible, complete: true, valid };
    let class_of = |claims: &Claims, pairs: &[(Property, Answer)]| {
        compare(claims, &pairs.iter().copied().collect()).err().map(|complaint| complaint.class)
    };
    let class = |pairs: &[(Property, Answer)]| class_of(&claims, pairs);
    let third = Property::at(Kind::Assert, 6);
    use Answer::{Safe, Unknown, Unsafe};
    assert_eq!(class(&[(property, Safe), (other, Safe)]), Some(Class::WrongSafe));
    assert_eq!(class(&[(property, Safe)]), Some(Class::WrongSafe));
    assert_eq!(class(&[(property, Safe), (other, Unsafe)]), None);
    assert_eq!(class(&[(property, Unknown), (other, Safe)]), None);
    assert_eq!(class(&[(property, Unsafe), (third, Unsafe)]), Some(Class::WrongUnsafe));
    claims.complete = false;
    assert_eq!(class_of(&claims, &[(property, Unsafe), (third, Unsafe)]), None);
    claims.valid.insert(third);
    let wrong = class_of(&claims, &[(property, Unsafe), (third, Unsafe)]);
    assert_eq!(wrong, Some(Class::WrongUnsafe));
    let [one, two] = [Safe, Unsafe].map(|answer| Answers::from([(property, answer)]));
    assert!(contradict(&one, &two).is_err() && contradict(&one, &one).is_ok());
}

#[test]
fn a_panic_is_a_complaint_with_its_message() {
    let complaint = quietly::<()>(|| panic!("the reason")).unwrap_err();
    assert!(complaint.class == Class::Panic && complaint.detail.contains("the reason"));
    assert!(quietly(|| Ok(())).is_ok());
}

/// Each of these is drawn somewhere in a few hundred programs.
#[test]
fn all_parts_of_the_language_are_drawn() {
    let texts: Vec<String> =
        (0..600).map(|seed| print::print(&mut generate::program(seed))).collect();
    let all = texts.concat();
    let bodies = (0..600).flat_map(|seed| generate::program(seed).procedures);
    let valid = bodies.filter_map(|procedure| procedure.body).flat_map(|body| valid(&body));
    assert!(valid.count() > 100);
    for part in [
        "free requires",
        "free ensures",
        "free invariant",
        "modifies",
        " where ",
        "old(",
        "havoc",
        "goto",
        "break;",
        "return;",
        "while (*)",
        "if (*)",
        "{:inline 1}",
        "{:verify false}",
        "{:entrypoint}",
        "ULTIMATE.start",
        "//#Safe",
        " div ",
        " mod ",
        " % ",
        "/ ",
        "bvudiv_",
        "bv70",
        "real",
        "[bool]bool",
        "[[",
        "][",
        "T0",
        "const unique",
        "axiom",
        "++",
        ":1]",
        "then",
        "function f1",
        "invariant",
        "ensures",
        "int(",
        "real(",
    ] {
        assert!(all.contains(part), "{part}");
    }
}

#[test]
fn a_failing_program_is_made_small() {
    let divides = |program: &mut Program| print::print(program).contains(" div ");
    let mut shrunk = 0;
    for seed in 0..60 {
        let mut program = generate::program(seed);
        if divides(&mut program) {
            let mut small = shrink::shrink(&program, divides);
            assert!(divides(&mut small));
            let lines = print::print(&mut small).lines().count();
            assert!(lines <= 12, "{lines} lines");
            shrunk += 1;
        }
    }
    assert!(shrunk > 3, "{shrunk}");
}

#[test]
fn the_tool_agrees_with_the_oracle_on_a_few_hundred_programs() {
    let mut tally = Tally::default();
    for seed in 0..200 {
        tally.drawn += 1;
        examine(seed, &mut tally).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    assert!(tally.safe > 100 && tally.unsafe_ > 100 && tally.searched > 100, "{tally}");
}
