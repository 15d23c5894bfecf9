//! Lemmas of layers: what is learnt must not leak into layers where it does not
//! follow.

use elinvar_sat::{Layer, Lit, Log, NoProof, Query, Scope};

use crate::duel::{Duel, Inspect, assert_hard};
use crate::random::{Rng, seeds};

fn layers<P: Inspect>(seed: u64, vars: usize, steps: usize) -> u64 {
    let mut rng = Rng::new(seed);
    let (mut duel, known) = Duel::<P>::with_clauses(&mut rng, vars, vars * 2);
    let most = vars * 5;
    for step in 0..steps {
        match rng.below(8) {
            0..3 if duel.lemmas.len() < most => {
                // Units come late, that layers may live before.
                let length = rng.length(3).max(if rng.one_in(3) { 1 } else { 2 });
                let lits = rng.lits(&known, length);
                duel.add_lemma(&lits, rng.layer());
            }
            3 if !duel.lemmas.is_empty() => strengthen(&mut duel, &mut rng),
            4 if !duel.lemmas.is_empty() && step > steps / 3 => {
                let index = rng.below(duel.lemmas.len());
                let layer = duel.lemmas[index].layer.max(rng.layer());
                duel.raise_lemma(index, layer);
            }
            5 if step > steps / 2 && rng.one_in(8) => {
                let clause = rng.lits(&known, 2);
                duel.add_clause(&clause);
            }
            _ => {}
        }
        let count = rng.below(4);
        let assumptions = rng.lits(&known, count);
        let clause = rng.lits(&known, 3);
        let temporary = [clause.as_slice()];
        let layers = (0..6).rev().map(Layer::level).chain([Layer::ALWAYS]);
        for layer in layers {
            if rng.one_in(2) {
                let query = Query {
                    layer,
                    assumptions: &assumptions,
                    temporary: &temporary[..rng.below(2)],
                    scope: Scope::All,
                    conflicts: None,
                };
                duel.ask(&query);
            }
        }
    }
    duel.finish()
}

/// Adds a stronger lemma and removes what it subsumes.
fn strengthen<P: Inspect>(duel: &mut Duel<P>, rng: &mut Rng) {
    let old = &duel.lemmas[rng.below(duel.lemmas.len())];
    let mut lits: Vec<Lit> = old.lits.clone();
    if lits.len() > 2 {
        lits.swap_remove(rng.below(lits.len()));
    }
    let layer = old.layer.max(if rng.one_in(3) { rng.layer() } else { old.layer });
    duel.add_lemma(&lits, layer);
    for index in (0..duel.lemmas.len()).rev() {
        duel.remove_lemma_if_subsumed(index);
    }
}

#[test]
fn learnt_clauses_stay_in_their_layers() {
    let vars = |seed: u64, most: usize| 6 + seed as usize % most;
    assert_hard(100, seeds(60).map(|seed| layers::<NoProof>(seed, vars(seed, 30), 150)));
    assert_hard(100, seeds(40).map(|seed| layers::<Log>(1000 + seed, vars(seed, 20), 100)));
}

/// The later the layer, the farther from the threshold of random 3-SAT.
fn threshold<P: Inspect>(seed: u64, vars: usize, queries: usize) -> u64 {
    let mut rng = Rng::new(seed);
    let (mut duel, known) = Duel::<P>::with_clauses(&mut rng, vars, vars * 38 / 10);
    for _ in 0..queries {
        if duel.lemmas.len() < vars {
            let lits = rng.lits(&known, 3);
            duel.add_lemma(&lits, rng.layer());
        }
        let index = rng.below(duel.lemmas.len());
        if rng.one_in(8) && duel.lemmas[index].layer < Layer::level(4) {
            duel.raise_lemma(index, Layer::level(4));
        }
        let assumptions = rng.lits(&known, 3);
        let clauses: Vec<Vec<Lit>> = (0..rng.below(3)).map(|_| rng.lits(&known, 3)).collect();
        duel.ask_all(rng.layer(), &assumptions, &clauses, None);
    }
    duel.finish()
}

#[test]
fn long_lives_near_the_threshold() {
    assert_hard(10_000, seeds(1).map(|seed| threshold::<NoProof>(seed, 120, 500)));
    assert_hard(1000, seeds(2).map(|seed| threshold::<Log>(seed, 60, 150)));
}

/// Layers that only grow, as the bounds of paths do: what was learnt for earlier ones
/// alone is let go, and nothing else.
fn growing<P: Inspect>(seed: u64, vars: usize) -> u64 {
    let mut rng = Rng::new(seed);
    let (mut duel, known) = Duel::<P>::with_clauses(&mut rng, vars, vars * 3);
    for level in 0..6 {
        duel.expire(Layer::level(level));
        for _ in 0..vars / 2 {
            let lits = rng.lits(&known, 3);
            duel.add_lemma(&lits, Layer::level(level + rng.below(3)));
        }
        for _ in 0..20 {
            let assumptions = rng.lits(&known, 3);
            let layer = Layer::level(level + rng.below(2));
            duel.ask_all(layer, &assumptions, &[], None);
        }
    }
    duel.finish()
}

#[test]
fn layers_that_are_over_leave_the_later_ones_alone() {
    assert_hard(1000, seeds(20).map(|seed| growing::<NoProof>(seed, 60)));
    assert_hard(100, seeds(10).map(|seed| growing::<Log>(500 + seed, 40)));
}

/// Literals that follow, each by clauses of one layer, and are found by search
/// alone: in the middle of queries with temporary clauses, some of which become
/// false, as do some layers.
fn hidden_units<P: Inspect>(seed: u64) {
    let mut rng = Rng::new(seed);
    let mut duel: Duel<P> = Duel::new();
    let known = duel.new_vars(12);
    for _ in 0..rng.below(8) {
        let clause = rng.lits(&known, 2);
        duel.add_clause(&clause);
    }
    for _ in 0..15 {
        let unit = rng.lit(&known);
        let layer = rng.layer();
        let helpers = duel.new_vars(3);
        let original = layer == Layer::ALWAYS && rng.one_in(2);
        for signs in 0..8 {
            let helper = |i: usize| helpers[i].positive().negate_if(signs >> i & 1 == 1);
            let lits = [unit, helper(0), helper(1), helper(2)];
            if original { duel.add_clause(&lits) } else { duel.add_lemma(&lits, layer) }
        }
        for _ in 0..4 {
            let assumptions = if rng.one_in(2) { vec![] } else { rng.lits(&known, 2) };
            let clauses: Vec<Vec<Lit>> = (0..rng.below(4))
                .map(|_| {
                    let length = 1 + rng.below(3);
                    rng.lits(&known, length)
                })
                .collect();
            duel.ask_all(rng.layer(), &assumptions, &clauses, None);
        }
        let index = rng.below(duel.lemmas.len().max(1));
        if rng.one_in(3) && index < duel.lemmas.len() {
            let layer = duel.lemmas[index].layer.max(rng.layer());
            duel.raise_lemma(index, layer);
        }
    }
    duel.finish();
}

#[test]
fn units_found_in_the_middle_of_queries() {
    for seed in seeds(200) {
        hidden_units::<NoProof>(seed);
        hidden_units::<Log>(seed);
    }
}
