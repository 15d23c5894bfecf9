//! Clauses that count always, in the scope of all variables.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use elinvar_sat::{Layer, Lit, Log, NoProof, Query, Scope, Solver, Var};

use crate::duel::{Duel, Inspect, assert_hard};
use crate::random::{Rng, seeds};

/// Clauses come between queries, from few to more than can be satisfied.
fn grow<P: Inspect>(seed: u64, vars: usize, steps: usize) -> u64 {
    let mut rng = Rng::new(seed);
    let mut duel: Duel<P> = Duel::new();
    let mut known: Vec<Var> = duel.new_vars(vars);
    let usual = 2 + rng.below(3);
    for _ in 0..steps {
        for _ in 0..rng.below(1 + vars / 3) {
            let length = if rng.one_in(4) { rng.length(usual) } else { usual.max(3) };
            // Units would refute the rest too soon.
            let least = if rng.one_in(6) { 1 } else { 2 };
            let clause = rng.lits(&known, length.max(least));
            duel.add_clause(&clause);
        }
        if rng.one_in(10) {
            known.extend(duel.new_vars(1));
        }
        for _ in 0..4 {
            let count = rng.below(6);
            let assumptions = rng.lits(&known, count);
            let count = rng.below(4) * rng.below(2);
            let temporary: Vec<Vec<Lit>> = (0..count)
                .map(|_| {
                    let length = rng.length(3) - rng.one_in(30) as usize;
                    rng.lits(&known, length)
                })
                .collect();
            let conflicts = rng.one_in(5).then(|| rng.below(10) as u64);
            duel.ask_all(Layer::ALWAYS, &assumptions, &temporary, conflicts);
        }
    }
    duel.finish()
}

#[test]
fn growing_clauses() {
    let vars = |seed: u64| 3 + seed as usize % 20;
    assert_hard(100, seeds(150).map(|seed| grow::<NoProof>(seed, vars(seed), 25)));
    assert_hard(100, seeds(100).map(|seed| grow::<Log>(1000 + seed, vars(seed), 25)));
}

/// Random 3-SAT near the threshold, so hard that clauses must be forgotten and
/// the arena compacted while a query runs.
fn threshold<P: Inspect>(seed: u64, vars: usize, queries: usize) -> u64 {
    let mut rng = Rng::new(seed);
    let (mut duel, known) = Duel::<P>::with_clauses(&mut rng, vars, vars * 41 / 10);
    for _ in 0..queries {
        let assumptions = rng.lits(&known, 4);
        let temporary: Vec<Vec<Lit>> = (0..rng.below(8)).map(|_| rng.lits(&known, 3)).collect();
        let conflicts = rng.one_in(10).then_some(100);
        duel.ask_all(Layer::ALWAYS, &assumptions, &temporary, conflicts);
    }
    duel.finish()
}

#[test]
fn long_lives_near_the_threshold() {
    assert_hard(10_000, seeds(1).map(|seed| threshold::<NoProof>(seed, 180, 60)));
    assert_hard(1000, seeds(2).map(|seed| threshold::<Log>(seed, 100, 40)));
}

/// Each tick is told once: to the function that may stop the search, or afterwards.
#[test]
fn ticks_are_told_once() {
    let mut rng = Rng::new(1);
    let mut solver: Solver = Solver::new();
    let told: Arc<AtomicU64> = Arc::default();
    let count = Arc::clone(&told);
    solver.set_stop(move |done| {
        count.fetch_add(done, Ordering::Relaxed);
        false
    });
    let vars: Vec<Var> = (0..120).map(|_| solver.new_var()).collect();
    for _ in 0..500 {
        solver.add_clause(&rng.lits(&vars, 3));
    }
    for _ in 0..5 {
        let assumptions = rng.lits(&vars, 3);
        let (layer, scope) = (Layer::ALWAYS, Scope::All);
        let query =
            Query { layer, assumptions: &assumptions, temporary: &[], scope, conflicts: None };
        solver.solve(&query);
    }
    let during = told.load(Ordering::Relaxed);
    assert!(during > 0, "the queries are hard");
    assert_eq!(during + solver.take_ticks(), solver.statistics().ticks);
    assert_eq!(solver.take_ticks(), 0);
}
