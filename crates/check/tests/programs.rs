//! The checker of invariants against exhaustive search on random programs: the states
//! that are reached are invariants, and nothing proves what is not so.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use elinvar_check::Budget;
use elinvar_check::program::{ProgramRefusal, SmtSolver, invariants, run};
use elinvar_ir::program::{Invariants, LocationId, Program, Term, Terms, Value};
use elinvar_ir::{PropertyId, Rng};
use elinvar_models::{Bounds, Found, ProgramGenerator, ProgramShape, explore, reachable};

fn prove(
    program: &Program,
    properties: &[PropertyId],
    at: BTreeMap<LocationId, Vec<Term>>,
    terms: &Terms,
) -> Result<(), ProgramRefusal> {
    let evidence = Invariants { terms: Arc::new(terms.clone()), at };
    let deadline = Some(Instant::now() + Duration::from_secs(60));
    let budget = Budget { deadline, ..Budget::default() };
    invariants(program, properties, &evidence, &SmtSolver::default(), &budget)
}

/// One of these states, as a term.
fn one_of(program: &Program, terms: &mut Terms, states: &[Vec<Value>]) -> Term {
    let mut cases = Vec::new();
    for state in states {
        let mut equalities = Vec::new();
        for (&variable, value) in program.variables.iter().zip(state) {
            let value = match value {
                Value::Bool(value) => terms.bool(*value),
                Value::Int(value) => terms.int(value.clone()),
                _ => unreachable!("the programs have integers and Booleans alone"),
            };
            let variable = terms.variable(variable);
            equalities.push(terms.equal(variable, value));
        }
        cases.push(terms.and(equalities));
    }
    terms.or(cases)
}

#[test]
fn reachable_states_are_invariants_and_fewer_are_not() {
    let bounds = Bounds { states: 300, ..Bounds::default() };
    let (mut accepted, mut uncut, mut refused, mut far, mut errors) = (0, 0, 0, 0, 0);
    for seed in 0..24 {
        let program = ProgramGenerator::program(seed, ProgramShape::INTEGERS);
        let Some(states) = reachable(&program, &bounds) else { continue };
        let mut rng = Rng::new(seed);
        let mut terms = program.terms.clone();
        let all: BTreeMap<LocationId, Vec<Term>> = states
            .iter()
            .map(|(&at, states)| (at, vec![one_of(&program, &mut terms, states)]))
            .collect();
        let mut safe = Vec::new();
        for (property, found) in program.property_ids().zip(explore(&program, &bounds)) {
            match found {
                Found::Complete => safe.push(property),
                Found::Error(trace) => {
                    assert_eq!(run(&program, &trace), Ok(()), "seed {seed}");
                    let refusal = prove(&program, &[property], all.clone(), &terms);
                    let is_right = matches!(refusal, Err(ProgramRefusal::Safety { .. }));
                    assert!(is_right, "seed {seed}: {refusal:?}");
                    errors += 1;
                }
                Found::Bounded => unreachable!("every run was followed"),
            }
        }
        assert_eq!(prove(&program, &safe, all.clone(), &terms), Ok(()), "seed {seed}");
        let mut some = all.clone();
        some.retain(|_, _| rng.one_in(4));
        match prove(&program, &safe, some.clone(), &terms) {
            Ok(()) => accepted += 1,
            Err(ProgramRefusal::Uncut(_)) => uncut += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
        // Without a state that is reached, along paths of several edges.
        let listed: Vec<LocationId> =
            some.keys().copied().filter(|at| !states[at].is_empty()).collect();
        if !listed.is_empty() {
            let at = rng.pick(&listed);
            let mut fewer = states[&at].clone();
            fewer.remove(rng.below(fewer.len()));
            some.insert(at, vec![one_of(&program, &mut terms, &fewer)]);
            match prove(&program, &safe, some, &terms) {
                Err(ProgramRefusal::Consecution { to, clause: 0, .. }) if to == at => far += 1,
                Err(ProgramRefusal::Initiation { clause: 0 }) if at == program.entry => far += 1,
                Err(ProgramRefusal::Uncut(_)) => {}
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        // Without a state that is reached.
        let places: Vec<LocationId> =
            states.iter().filter(|(_, states)| !states.is_empty()).map(|(&at, _)| at).collect();
        let at = rng.pick(&places);
        let mut fewer = states[&at].clone();
        fewer.remove(rng.below(fewer.len()));
        let mut less = all;
        less.insert(at, vec![one_of(&program, &mut terms, &fewer)]);
        match prove(&program, &safe, less, &terms) {
            Err(ProgramRefusal::Consecution { to, clause: 0, .. }) if to == at => refused += 1,
            // An error that is reached has no other invariant than `false` when it counts.
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    let counts = (accepted, uncut, refused, far, errors);
    assert!(accepted >= 5 && uncut >= 2 && refused >= 15 && errors >= 2, "{counts:?}");
    assert!(far >= 5, "{counts:?}");
}
