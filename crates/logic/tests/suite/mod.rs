//! What every incremental solver with assumptions must do, one suite for all of them. The
//! tests of `smt` include this file, too: it depends on no crate.

use std::ops::Not;

/// A Boolean variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub variable: usize,
    pub is_negative: bool,
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal { is_negative: !self.is_negative, ..self }
    }
}

/// How a query ended.
#[derive(Debug)]
pub enum Outcome {
    /// The values of all variables.
    Sat(Vec<bool>),
    /// The assumptions that were used, in their order.
    Unsat(Vec<Literal>),
    Stopped,
}

/// A solver under test.
pub trait Backend {
    fn new() -> Self;

    /// A solver that is told to stop from the beginning.
    fn stopped() -> Self;

    /// A new variable; they are numbered from zero.
    fn variable(&mut self) -> Literal;

    fn add_clause(&mut self, clause: &[Literal]);

    fn solve(&mut self, assumptions: &[Literal]) -> Outcome;
}

/// The tests of the suite for one backend.
#[macro_export]
macro_rules! conformance {
    ($module:ident: $backend:ty) => {
        mod $module {
            $crate::conformance!($backend;
                gives_models,
                gives_cores_of_assumptions,
                forgets_assumptions,
                takes_clauses_between_queries,
                takes_clauses_of_any_form,
                stays_refuted_after_the_empty_clause,
                contradictory_assumptions_are_the_core,
                agrees_with_truth_tables,
                stops_when_told,
            );
        }
    };
    ($backend:ty; $($test:ident),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                $crate::suite::$test::<$backend>();
            }
        )+
    };
}

fn fresh<const N: usize>(solver: &mut impl Backend) -> [Literal; N] {
    [(); N].map(|()| solver.variable())
}

fn is_sat(solver: &mut impl Backend, assumptions: &[Literal]) -> bool {
    match solver.solve(assumptions) {
        Outcome::Sat(_) => true,
        Outcome::Unsat(_) => false,
        Outcome::Stopped => panic!("nobody stops this solver"),
    }
}

fn core(solver: &mut impl Backend, assumptions: &[Literal]) -> Vec<Literal> {
    match solver.solve(assumptions) {
        Outcome::Unsat(core) => core,
        Outcome::Sat(_) | Outcome::Stopped => panic!("unsatisfiable"),
    }
}

fn holds(values: &[bool], literal: Literal) -> bool {
    values[literal.variable] != literal.is_negative
}

pub fn gives_models<B: Backend>() {
    let mut solver = B::new();
    let [a, b, c] = fresh(&mut solver);
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[!b, !c]);
    match solver.solve(&[a]) {
        Outcome::Sat(values) => assert_eq!(values, [true, true, false]),
        other @ (Outcome::Unsat(_) | Outcome::Stopped) => panic!("satisfiable, not {other:?}"),
    }
}

pub fn gives_cores_of_assumptions<B: Backend>() {
    let mut solver = B::new();
    let [a, b, c] = fresh(&mut solver);
    solver.add_clause(&[!a, b]);
    assert_eq!(core(&mut solver, &[c, a, !b]), [a, !b]);
}

pub fn forgets_assumptions<B: Backend>() {
    let mut solver = B::new();
    let [a, b] = fresh(&mut solver);
    solver.add_clause(&[a, b]);
    assert!(!is_sat(&mut solver, &[!a, !b]));
    assert!(is_sat(&mut solver, &[!a]));
    assert!(is_sat(&mut solver, &[!b]));
}

pub fn takes_clauses_between_queries<B: Backend>() {
    let mut solver = B::new();
    let [a, b] = fresh(&mut solver);
    assert!(is_sat(&mut solver, &[a]));
    solver.add_clause(&[!a, b]);
    assert!(!is_sat(&mut solver, &[a, !b]));
    let [c] = fresh(&mut solver);
    solver.add_clause(&[!b, c]);
    assert_eq!(core(&mut solver, &[a, !c]), [a, !c]);
}

pub fn takes_clauses_of_any_form<B: Backend>() {
    let mut solver = B::new();
    let [a, b] = fresh(&mut solver);
    solver.add_clause(&[a, b, !a]);
    assert!(is_sat(&mut solver, &[!a, !b]));
    solver.add_clause(&[b, b, b]);
    assert_eq!(core(&mut solver, &[a, !b]), [!b]);
    solver.add_clause(&[a, a, !b, a]);
    assert_eq!(core(&mut solver, &[!a]), [!a]);
}

pub fn stays_refuted_after_the_empty_clause<B: Backend>() {
    let mut solver = B::new();
    let [a] = fresh(&mut solver);
    assert!(is_sat(&mut solver, &[]));
    solver.add_clause(&[]);
    for _ in 0..2 {
        assert_eq!(core(&mut solver, &[a]), []);
        solver.add_clause(&[a]);
    }
}

pub fn contradictory_assumptions_are_the_core<B: Backend>() {
    let mut solver = B::new();
    let [a, b] = fresh(&mut solver);
    assert_eq!(core(&mut solver, &[b, a, !a]), [a, !a]);
    assert!(is_sat(&mut solver, &[b, a, a]));
}

/// The formula is too hard to be refuted before the solver looks whether it has to stop.
pub fn stops_when_told<B: Backend>() {
    let mut solver = B::stopped();
    add_pigeons(&mut solver, 11, 10);
    assert!(matches!(solver.solve(&[]), Outcome::Stopped));
}

/// Each pigeon has a hole of its own.
pub fn add_pigeons(solver: &mut impl Backend, pigeons: usize, holes: usize) {
    let pigeons: Vec<Vec<Literal>> =
        (0..pigeons).map(|_| (0..holes).map(|_| solver.variable()).collect()).collect();
    for (i, one) in pigeons.iter().enumerate() {
        solver.add_clause(one);
        for other in &pigeons[..i] {
            for (&a, &b) in one.iter().zip(other) {
                solver.add_clause(&[!a, !b]);
            }
        }
    }
}

/// Random clauses over eight variables come one by one; a set of rows tells
/// which assignments are left.
pub fn agrees_with_truth_tables<B: Backend>() {
    const VARIABLES: usize = 8;
    let mut solver = B::new();
    let mut seed = 1u64;
    let mut random = move |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let variables: [Literal; VARIABLES] = fresh(&mut solver);
    let row = |number: usize| (0..VARIABLES).map(move |bit| number >> bit & 1 == 1).collect();
    let mut rows: Vec<Vec<bool>> = (0..1 << VARIABLES).map(row).collect();
    while !rows.is_empty() {
        let mut literals = |count| -> Vec<Literal> {
            let literal = |_| {
                let variable = variables[random(VARIABLES)];
                if random(2) == 0 { !variable } else { variable }
            };
            (0..count).map(literal).collect()
        };
        let (clause, assumptions) = (literals(3), literals(2));
        solver.add_clause(&clause);
        rows.retain(|row| clause.iter().any(|&literal| holds(row, literal)));
        match solver.solve(&assumptions) {
            Outcome::Sat(values) => {
                assert!(rows.contains(&values));
                assert!(assumptions.iter().all(|&literal| holds(&values, literal)));
            }
            Outcome::Unsat(core) => {
                let is_possible = |row: &Vec<bool>| core.iter().all(|&literal| holds(row, literal));
                assert!(core.iter().all(|literal| assumptions.contains(literal)));
                assert!(!rows.iter().any(is_possible));
            }
            Outcome::Stopped => panic!("nobody stops this solver"),
        }
    }
    assert!(!is_sat(&mut solver, &[]));
}
