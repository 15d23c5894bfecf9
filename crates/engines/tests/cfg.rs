//! The engine for programs from outside: the worked examples of its thesis, and random
//! programs against a bounded interpreter. All evidence goes through the checker.

use std::time::{Duration, Instant};

use dashu_int::IBig;
use dashu_ratio::RBig;
use elinvar::{Budget, SmtSolver, check_invariants, confirm_programs};
use elinvar_engines::cfg::{Cfg, CfgOptions, Lemmas, Predecessors, Start, Strategy};
use elinvar_engines::{Run, Task};
use elinvar_ir::program::{
    Assertion, AssertionKind, Edge, Function, Location, LocationId, Program, ProgramVerdict, Sort,
    Statement, Term, Terms, VariableId,
};
use elinvar_ir::{PropertyId, StopReason};
use elinvar_models::{Bounds, Found, ProgramGenerator, ProgramShape, Sketch, explore};

/// Edges as `(from, statement, to)`; the last location is the error.
fn program(
    terms: Terms,
    variables: Vec<VariableId>,
    locations: u32,
    edges: Vec<(u32, Statement, u32)>,
) -> Program {
    let error = LocationId(locations - 1);
    let edge = |(from, statement, to)| Edge {
        from: LocationId(from),
        to: LocationId(to),
        statement,
        span: 0..0,
        approximates: None,
    };
    Program {
        terms,
        variables,
        locations: vec![Location::default(); locations as usize],
        entry: LocationId(0),
        edges: edges.into_iter().map(edge).collect(),
        properties: vec![Assertion {
            name: "safe".into(),
            kind: AssertionKind::Assert,
            span: 0..0,
            error,
        }],
        weakened: None,
    }
}

/// All settings that make a difference to the algorithm.
fn settings() -> Vec<CfgOptions> {
    let plain = CfgOptions { start: Start::None, shapes: false, ..CfgOptions::default() };
    let thesis = CfgOptions { strategy: Strategy::Whole, ..CfgOptions::thesis() };
    vec![
        CfgOptions::default(),
        plain.clone(),
        CfgOptions { lemmas: Lemmas::Core, generalize: false, ..plain.clone() },
        CfgOptions { push: false, ..plain.clone() },
        CfgOptions { cache: false, memo: false, ..plain.clone() },
        CfgOptions { predecessors: Predecessors::WeakestPrecondition, ..plain },
        CfgOptions { dnf: false, ..thesis.clone() },
        CfgOptions { cache: false, memo: false, ..thesis.clone() },
        thesis,
        CfgOptions::thesis(),
    ]
}

fn decide(program: &Program, options: &CfgOptions) -> ProgramVerdict {
    decide_all(program, options, &Run::new()).remove(0)
}

fn decide_all(program: &Program, options: &CfgOptions, run: &Run) -> Vec<ProgramVerdict> {
    let properties: Vec<PropertyId> = program.property_ids().collect();
    let task = Task::about(program, &properties, run);
    task.check(&mut Cfg(options.clone())).expect("Z3 is there")
}

fn expect_with_all_settings(program: &Program, safe: &[bool]) {
    for options in settings() {
        expect(program, &options, safe);
    }
}

/// Asserts that properties are safe, or not, and that the checker accepts the evidence.
fn expect(program: &Program, options: &CfgOptions, safe: &[bool]) {
    let run = Run::new().with_timeout(Duration::from_secs(60));
    let verdicts = decide_all(program, options, &run);
    for (property, (verdict, &safe)) in verdicts.iter().zip(safe).enumerate() {
        match verdict {
            ProgramVerdict::Safe(_) => assert!(safe, "{options:?}: {property} is safe"),
            ProgramVerdict::Unsafe(_) => assert!(!safe, "{options:?}: {property} is unsafe"),
            ProgramVerdict::Unknown(why) => panic!("{options:?}: {property}: {why}"),
        }
    }
    accept(program, &verdicts).unwrap_or_else(|refusal| panic!("{options:?}: {refusal}"));
}

/// All evidence goes through the checker.
fn accept(program: &Program, verdicts: &[ProgramVerdict]) -> Result<(), String> {
    let deadline = Some(Instant::now() + Duration::from_secs(20));
    let budget = Budget { deadline, ..Budget::default() };
    let verdicts: Vec<_> = program.property_ids().zip(verdicts.iter().cloned()).collect();
    let claims = verdicts.iter().filter(|(_, verdict)| verdict.is_decided()).count();
    let confirmed = confirm_programs(program, verdicts, |properties, proof| {
        check_invariants(program, properties, proof, &SmtSolver::default(), &budget)
    });
    let confirmed: Result<Vec<_>, _> =
        confirmed.map_err(|error| error.to_string())?.into_iter().collect();
    let confirmed = confirmed.map_err(|refused| refused.to_string())?;
    let accepted = confirmed.iter().filter(|verdict| verdict.is_decided()).count();
    if accepted == claims { Ok(()) } else { Err(format!("{accepted} of {claims} accepted")) }
}

fn is(terms: &mut Terms, variable: VariableId, value: i32) -> Term {
    let (variable, value) = (terms.variable(variable), terms.int(value));
    terms.equal(variable, value)
}

fn plus(terms: &mut Terms, variable: VariableId, value: i32) -> Term {
    let (variable, value) = (terms.variable(variable), terms.int(value));
    terms.add([variable, value])
}

/// Figure 3.1: x := 0; x := x + 1; the error is reached if x = 1.
#[test]
fn the_error_of_section_3_3_1_is_reached() {
    let mut terms = Terms::new();
    let x = terms.declare("x", Sort::Int);
    let zero = terms.int(0);
    let next = plus(&mut terms, x, 1);
    let one = is(&mut terms, x, 1);
    let other = terms.not(one);
    let program = program(
        terms,
        vec![x],
        5,
        vec![
            (0, Statement::Assign(vec![(x, zero)]), 1),
            (1, Statement::Assign(vec![(x, next)]), 2),
            (2, Statement::Assume(one), 4),
            (2, Statement::Assume(other), 3),
        ],
    );
    for options in settings() {
        let verdict = decide(&program, &options);
        let ProgramVerdict::Unsafe(trace) = verdict else { panic!("{options:?}: {verdict:?}") };
        assert_eq!(trace.steps.iter().map(|s| s.edge.0).collect::<Vec<_>>(), [0, 1, 2]);
    }
}

/// Figure 3.3: x := 0, y := x; both count; the error is reached if they differ.
#[test]
fn the_error_of_section_3_3_2_is_not_reached() {
    let mut terms = Terms::new();
    let (x, y) = (terms.declare("x", Sort::Int), terms.declare("y", Sort::Int));
    let zero = terms.int(0);
    let (x1, y1) = (plus(&mut terms, x, 1), plus(&mut terms, y, 1));
    let (xt, yt) = (terms.variable(x), terms.variable(y));
    let same = terms.equal(xt, yt);
    let differ = terms.not(same);
    let program = program(
        terms,
        vec![x, y],
        4,
        vec![
            (0, Statement::Assign(vec![(x, zero), (y, zero)]), 1),
            (1, Statement::Assign(vec![(x, x1), (y, y1)]), 1),
            (1, Statement::Assume(same), 2),
            (1, Statement::Assume(differ), 3),
        ],
    );
    for options in settings() {
        let verdict = decide(&program, &options);
        assert!(matches!(verdict, ProgramVerdict::Safe(_)), "{options:?}: {verdict:?}");
    }
}

/// A drawing of a program with these integers.
fn with_integers<const N: usize>(names: [&str; N]) -> (Sketch, [VariableId; N]) {
    let mut sketch = Sketch::new();
    let variables = names.map(|name| sketch.variable(name, Sort::Int));
    (sketch, variables)
}

/// Figure 3.4: x := 2; it counts; the error is reached if x = 1.
fn figure_3_4() -> Program {
    let (mut sketch, [x]) = with_integers(["x"]);
    let head = sketch.location();
    let two = sketch.terms.int(2);
    let next = plus(&mut sketch.terms, x, 1);
    let one = is(&mut sketch.terms, x, 1);
    sketch.assign(Sketch::ENTRY, head, &[(x, two)]);
    sketch.assign(head, head, &[(x, next)]);
    sketch.error(head, one);
    sketch.finish()
}

/// Each negated obligation excludes one number more, without end; half-spaces end it.
#[test]
fn interpolants_end_what_negations_do_not() {
    let program = figure_3_4();
    let negations = CfgOptions { strategy: Strategy::Whole, ..CfgOptions::thesis() };
    let predecessors = Predecessors::Projection;
    let interpolants =
        CfgOptions { lemmas: Lemmas::Interpolant, predecessors, ..negations.clone() };
    for options in [interpolants, CfgOptions::default()] {
        expect(&program, &options, &[true]);
    }
    let run = Run::new().with_timeout(Duration::from_secs(1));
    let verdicts = decide_all(&program, &negations, &run);
    assert!(matches!(verdicts[..], [ProgramVerdict::Unknown(StopReason::Timeout)]));
}

/// x := 0; loop { x := x + 2; } with an assertion in the loop on each of these.
fn even_numbers(conditions: impl FnOnce(&mut Terms, Term) -> Vec<Term>) -> Program {
    let (mut sketch, [x]) = with_integers(["x"]);
    let zero = sketch.terms.int(0);
    let next = plus(&mut sketch.terms, x, 2);
    let value = sketch.terms.variable(x);
    let head = sketch.location();
    sketch.assign(Sketch::ENTRY, head, &[(x, zero)]);
    let mut at = head;
    for condition in conditions(&mut sketch.terms, value) {
        let to = sketch.location();
        sketch.assert(at, to, condition);
        at = to;
    }
    sketch.assign(at, head, &[(x, next)]);
    sketch.finish()
}

#[test]
fn each_property_of_a_program_has_its_own_verdict() {
    let program = even_numbers(|terms, x| {
        let [zero, two, four] = [0, 2, 4].map(|number| terms.int(number));
        let is_four = terms.equal(x, four);
        // An assertion ends the runs that violate it: the last speaks of the others.
        vec![terms.at_most(zero, x), terms.not(is_four), terms.at_most(x, two)]
    });
    for options in settings() {
        expect(&program, &options, &[true, false, true]);
    }
}

#[test]
fn divisibility_is_found() {
    let program = even_numbers(|terms, x| {
        let (two, seven) = (terms.int(2), terms.int(7));
        let rest = terms.modulo(x, two);
        let (zero, is_seven) = (terms.int(0), terms.equal(x, seven));
        vec![terms.equal(rest, zero), terms.not(is_seven)]
    });
    expect(&program, &CfgOptions::default(), &[true, true]);
}

/// assert b; x, y := f(3), f(3); assert x = y; assert x = 0, and f only approximates.
#[test]
fn a_run_through_an_approximation_shows_nothing() {
    let (mut sketch, [x, y]) = with_integers(["x", "y"]);
    let b = sketch.variable("b", Sort::Bool);
    let function = Function {
        name: "f".into(),
        arguments: vec![Sort::Int],
        result: Sort::Int,
        approximates: Some("pow".into()),
    };
    let terms = &mut sketch.terms;
    let f = terms.declare_function(function);
    let three = terms.int(3);
    let value = terms.apply(f, vec![three]);
    let (b, xt, yt) = (terms.variable(b), terms.variable(x), terms.variable(y));
    let (same, zero) = (terms.equal(xt, yt), is(terms, x, 0));
    let places: [LocationId; 4] = [(); 4].map(|()| sketch.location());
    sketch.assert(Sketch::ENTRY, places[0], b);
    sketch.assign(places[0], places[1], &[(x, value), (y, value)]);
    sketch.assert(places[1], places[2], same);
    sketch.assert(places[2], places[3], zero);
    let program = sketch.finish();
    for options in settings() {
        let verdicts = decide_all(&program, &options, &Run::new());
        let [
            ProgramVerdict::Unsafe(_),
            ProgramVerdict::Safe(_),
            ProgramVerdict::Unknown(StopReason::Unsupported(why)),
        ] = &verdicts[..]
        else {
            panic!("{options:?}: {verdicts:?}")
        };
        assert!(why.contains("the function f only approximates pow"), "{why}");
        accept(&program, &verdicts).unwrap();
    }
}

/// m[0] := 1; loop { k := any number but 0; m[k] := 5; assert m[0] = 1; assert m[1] != 5; }
#[test]
fn maps_keep_what_is_not_written() {
    let mut sketch = Sketch::new();
    let m = sketch.variable("m", Sort::map(Sort::Int, Sort::Int));
    let k = sketch.variable("k", Sort::Int);
    let terms = &mut sketch.terms;
    let [zero, one, five] = [0, 1, 5].map(|number| terms.int(number));
    let (map, key, at_zero) = (terms.variable(m), terms.variable(k), is(terms, k, 0));
    let (first, later) = (terms.store(map, zero, one), terms.store(map, key, five));
    let (kept, changed) = (terms.select(map, zero), terms.select(map, one));
    let (kept, changed) = (terms.equal(kept, one), terms.equal(changed, five));
    let (elsewhere, unchanged) = (terms.not(at_zero), terms.not(changed));
    let [head, chosen, free, written, middle] = [(); 5].map(|()| sketch.location());
    sketch.assign(Sketch::ENTRY, head, &[(m, first)]);
    sketch.havoc(head, chosen, &[k]);
    sketch.assume(chosen, free, elsewhere);
    sketch.assign(free, written, &[(m, later)]);
    sketch.assert(written, middle, kept);
    sketch.assert(middle, head, unchanged);
    expect_with_all_settings(&sketch.finish(), &[true, false]);
}

/// r := 0; loop { assert r < 1; assert r < 7/8; r := (r + 1) / 2; }
#[test]
fn reals_come_near_a_limit() {
    let mut sketch = Sketch::new();
    let r = sketch.variable("r", Sort::Real);
    let terms = &mut sketch.terms;
    let numbers = [(0, 1), (1, 1), (1, 2), (7, 8)]
        .map(|(a, b)| terms.real(RBig::from_parts_signed(IBig::from(a), IBig::from(b))));
    let [zero, one, half, near] = numbers;
    let value = terms.variable(r);
    let sum = terms.add([value, one]);
    let (next, below, far) =
        (terms.multiply(half, sum), terms.less(value, one), terms.less(value, near));
    let [head, middle, end] = [(); 3].map(|()| sketch.location());
    sketch.assign(Sketch::ENTRY, head, &[(r, zero)]);
    sketch.assert(head, middle, below);
    sketch.assert(middle, end, far);
    sketch.assign(end, head, &[(r, next)]);
    expect_with_all_settings(&sketch.finish(), &[true, false]);
}

/// x, y := 0, 0; loop { assert y = x * x; assert x * x != 9; x, y := x + 1, y + 2 * x + 1; }
#[test]
fn squares_are_sums_of_odd_numbers() {
    let (mut sketch, [x, y]) = with_integers(["x", "y"]);
    let terms = &mut sketch.terms;
    let [zero, one, two, nine] = [0, 1, 2, 9].map(|number| terms.int(number));
    let (xt, yt) = (terms.variable(x), terms.variable(y));
    let (square, double, next) =
        (terms.multiply(xt, xt), terms.multiply(two, xt), plus(terms, x, 1));
    let sum = terms.add([yt, double, one]);
    let (right, is_nine) = (terms.equal(yt, square), terms.equal(square, nine));
    let other = terms.not(is_nine);
    let [head, middle, end] = [(); 3].map(|()| sketch.location());
    sketch.assign(Sketch::ENTRY, head, &[(x, zero), (y, zero)]);
    sketch.assert(head, middle, right);
    sketch.assert(middle, end, other);
    sketch.assign(end, head, &[(x, next), (y, sum)]);
    let program = sketch.finish();
    expect(&program, &CfgOptions::default(), &[true, false]);
}

/// y := 1; x := 2; loop { x := (x + y) mod 5; y := 0; assert y <= 1; }
///
/// Nobody asks for x: that x <= 3 follows from x + y = 3, and neither is evidence.
#[test]
fn no_invariant_speaks_of_what_nobody_asks_for() {
    let (mut sketch, [x, y]) = with_integers(["x", "y"]);
    let terms = &mut sketch.terms;
    let [zero, one, two, five] = [0, 1, 2, 5].map(|number| terms.int(number));
    let (xt, yt) = (terms.variable(x), terms.variable(y));
    let sum = terms.add([xt, yt]);
    let (next, small) = (terms.modulo(sum, five), terms.at_most(yt, one));
    let [head, added, reset] = [(); 3].map(|()| sketch.location());
    sketch.assign(Sketch::ENTRY, head, &[(x, two), (y, one)]);
    sketch.assign(head, added, &[(x, next)]);
    sketch.assign(added, reset, &[(y, zero)]);
    sketch.assert(reset, head, small);
    let program = sketch.finish();
    for start in [Start::Intervals, Start::Octagons] {
        expect(&program, &CfgOptions { start, ..CfgOptions::default() }, &[true]);
        expect(&program, &CfgOptions { start, shapes: false, ..CfgOptions::default() }, &[true]);
    }
}

/// The engine on a random program; how many properties it has, and how many of them are
/// not decided in time.
fn compare(seed: u64, shape: ProgramShape, options: &CfgOptions, limit: u64) -> (usize, usize) {
    let program = ProgramGenerator::program(seed, shape);
    let truth = explore(&program, &Bounds { states: 3000, ..Bounds::default() });
    let run = Run::new().with_timeout(Duration::from_secs(limit));
    let verdicts = decide_all(&program, options, &run);
    let mut unknown = 0;
    for (truth, verdict) in truth.iter().zip(&verdicts) {
        match (verdict, truth) {
            (ProgramVerdict::Safe(_), Found::Complete | Found::Bounded)
            | (ProgramVerdict::Unsafe(_), Found::Error(_) | Found::Bounded) => {}
            (ProgramVerdict::Unknown(_), _) => unknown += 1,
            (ProgramVerdict::Safe(_), Found::Error(_))
            | (ProgramVerdict::Unsafe(_), Found::Complete) => {
                panic!("seed {seed}, {shape:?}, {options:?}: {truth:?} but {verdict:?}")
            }
        }
    }
    accept(&program, &verdicts)
        .unwrap_or_else(|refusal| panic!("seed {seed}, {shape:?}, {options:?}: {refusal}"));
    (verdicts.len(), unknown)
}

const SHAPES: [ProgramShape; 3] = [ProgramShape::INTEGERS, ProgramShape::MIXED, ProgramShape::TINY];

#[test]
fn random_programs_are_decided() {
    let (mut all, mut unknown) = (0, 0);
    for seed in 0..60 {
        let shape = SHAPES[seed as usize % SHAPES.len()];
        let (properties, undecided) = compare(seed, shape, &CfgOptions::default(), 5);
        all += properties;
        unknown += undecided;
    }
    assert!(all > 60 && 20 * unknown <= all, "{unknown} of {all} are not decided");
}

#[test]
fn every_setting_agrees_on_random_programs() {
    let settings = settings();
    let (mut all, mut unknown) = (0, 0);
    for seed in 1000..1060 {
        let options = &settings[seed as usize % settings.len()];
        let (properties, undecided) = compare(seed, ProgramShape::TINY, options, 1);
        all += properties;
        unknown += undecided;
    }
    assert!(all > 60 && 2 * unknown <= all, "{unknown} of {all} are not decided");
}
