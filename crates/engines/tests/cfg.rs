//! The engine for programs from outside: the worked examples of its thesis, and random
//! programs against a bounded interpreter. All evidence goes through the checker.

use elinvar_engines::Run;
use elinvar_engines::cfg::{CfgOptions, Lemmas, Predecessors, Start, check_program};
use elinvar_ir::program::{
    Assertion, AssertionId, AssertionKind, Edge, Location, LocationId, Program, ProgramVerdict,
    Sort, Statement, Term, Terms, VariableId,
};

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
    let whole = elinvar_engines::cfg::Strategy::Whole;
    let thesis = CfgOptions { strategy: whole, ..CfgOptions::thesis() };
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
    let run = Run::new();
    check_program(program, &[AssertionId(0)], options, &run).expect("Z3 is there").remove(0)
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
