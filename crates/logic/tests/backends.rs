//! What every solver behind the interface must do: one suite, run on each.

use elinvar_logic::{Answer, Cadical, Lit, Native, SatSolver};

macro_rules! suite {
    ($backend:ident: $($test:ident),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                super::$test($backend::new());
            }
        )+

        #[test]
        fn stops_when_told() {
            super::stops_when_told($backend::with_stop(|| true));
        }
    };
}

macro_rules! suites {
    ($($module:ident: $backend:ident),+ $(,)?) => {
        $(
            mod $module {
                use super::$backend;

                suite!($backend:
                    gives_models,
                    gives_cores_of_assumptions,
                    forgets_assumptions,
                    takes_clauses_between_queries,
                    takes_clauses_of_any_form,
                    is_refuted_for_ever_by_the_empty_clause,
                    contradictory_assumptions_are_the_core,
                    counts_conflicts,
                    agrees_with_truth_tables,
                );
            }
        )+
    };
}

suites! {
    cadical: Cadical,
    native: Native,
}

fn fresh<const N: usize>(solver: &mut impl SatSolver) -> [Lit; N] {
    [(); N].map(|()| solver.new_var().positive())
}

fn is_sat(solver: &mut impl SatSolver, assumptions: &[Lit]) -> bool {
    match solver.solve(assumptions) {
        Answer::Sat(_) => true,
        Answer::Unsat(_) => false,
        Answer::Stopped => panic!("this solver is never stopped"),
    }
}

/// Of the assumptions, those that a refutation used.
fn core(solver: &mut impl SatSolver, assumptions: &[Lit]) -> Vec<Lit> {
    match solver.solve(assumptions) {
        Answer::Unsat(mut core) => {
            assumptions.iter().copied().filter(|&lit| core.contains(lit)).collect()
        }
        Answer::Sat(_) | Answer::Stopped => panic!("unsatisfiable"),
    }
}

fn gives_models(mut solver: impl SatSolver) {
    let [a, b, c] = fresh(&mut solver);
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[!b, !c]);
    match solver.solve(&[a]) {
        Answer::Sat(mut model) => {
            assert!(model.value(a) && model.value(b) && model.value(!c));
            assert!(!model.value(!a) && !model.value(!b) && !model.value(c));
        }
        Answer::Unsat(_) | Answer::Stopped => panic!("satisfiable"),
    }
}

fn gives_cores_of_assumptions(mut solver: impl SatSolver) {
    let [a, b, c] = fresh(&mut solver);
    solver.add_clause(&[!a, b]);
    assert_eq!(core(&mut solver, &[c, a, !b]), [a, !b]);
}

fn forgets_assumptions(mut solver: impl SatSolver) {
    let [a, b] = fresh(&mut solver);
    solver.add_clause(&[a, b]);
    assert!(!is_sat(&mut solver, &[!a, !b]));
    assert!(is_sat(&mut solver, &[!a]));
    assert!(is_sat(&mut solver, &[!b]));
}

fn takes_clauses_between_queries(mut solver: impl SatSolver) {
    let [a, b] = fresh(&mut solver);
    assert!(is_sat(&mut solver, &[a]));
    solver.add_clause(&[!a, b]);
    assert!(!is_sat(&mut solver, &[a, !b]));
    let [c] = fresh(&mut solver);
    solver.add_clause(&[!b, c]);
    assert_eq!(core(&mut solver, &[a, !c]), [a, !c]);
}

fn takes_clauses_of_any_form(mut solver: impl SatSolver) {
    let [a, b] = fresh(&mut solver);
    solver.add_clause(&[a, b, !a]);
    assert!(is_sat(&mut solver, &[!a, !b]));
    solver.add_clause(&[b, b, b]);
    assert_eq!(core(&mut solver, &[a, !b]), [!b]);
    solver.add_clause(&[a, a, !b, a]);
    assert_eq!(core(&mut solver, &[!a]), [!a]);
}

fn is_refuted_for_ever_by_the_empty_clause(mut solver: impl SatSolver) {
    let [a] = fresh(&mut solver);
    assert!(is_sat(&mut solver, &[]));
    solver.add_clause(&[]);
    for _ in 0..2 {
        assert_eq!(core(&mut solver, &[a]), []);
        solver.add_clause(&[a]);
    }
}

fn contradictory_assumptions_are_the_core(mut solver: impl SatSolver) {
    let [a, b] = fresh(&mut solver);
    assert_eq!(core(&mut solver, &[b, a, !a]), [a, !a]);
    assert!(is_sat(&mut solver, &[b, a, a]));
}

fn counts_conflicts(mut solver: impl SatSolver) {
    assert_eq!(solver.conflicts(), 0);
    add_pigeons(&mut solver, 5, 4);
    assert!(!is_sat(&mut solver, &[]));
    assert!(solver.conflicts() > 0);
}

/// Too hard to be refuted before the first look.
fn stops_when_told(mut solver: impl SatSolver) {
    add_pigeons(&mut solver, 11, 10);
    assert!(matches!(solver.solve(&[]), Answer::Stopped));
}

/// Each pigeon has a hole of its own.
fn add_pigeons(solver: &mut impl SatSolver, pigeons: usize, holes: usize) {
    let pigeons: Vec<Vec<Lit>> =
        (0..pigeons).map(|_| (0..holes).map(|_| solver.new_var().positive()).collect()).collect();
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
fn agrees_with_truth_tables(mut solver: impl SatSolver) {
    const VARS: usize = 8;
    let mut seed = 1u64;
    let mut random = move |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let vars: [Lit; VARS] = fresh(&mut solver);
    let holds = |row: usize, lit: Lit| (row >> lit.var().index() & 1 == 1) != lit.is_negative();
    let mut rows: Vec<usize> = (0..1 << VARS).collect();
    while !rows.is_empty() {
        let mut lits = |count| -> Vec<Lit> {
            (0..count).map(|_| vars[random(VARS)].negate_if(random(2) == 0)).collect()
        };
        let (clause, assumptions) = (lits(3), lits(2));
        solver.add_clause(&clause);
        rows.retain(|&row| clause.iter().any(|&lit| holds(row, lit)));
        let possible =
            |given: &[Lit]| rows.iter().any(|&row| given.iter().all(|&lit| holds(row, lit)));
        match solver.solve(&assumptions) {
            Answer::Sat(mut model) => {
                let bits =
                    vars.iter().enumerate().map(|(i, &lit)| (model.value(lit) as usize) << i);
                let row = bits.sum();
                assert!(rows.contains(&row) && assumptions.iter().all(|&lit| holds(row, lit)));
            }
            Answer::Unsat(mut core) => {
                let used = assumptions.iter().copied().filter(|&lit| core.contains(lit));
                assert!(!possible(&used.collect::<Vec<Lit>>()));
            }
            Answer::Stopped => panic!("this solver is never stopped"),
        }
    }
    assert!(!is_sat(&mut solver, &[]));
}
