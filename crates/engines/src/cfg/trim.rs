//! What of an invariant is needed: by cores, from the errors backwards.
//!
//! A fact is needed if an error could be reached without it, or if a needed fact at the
//! end of a block would not be known. What is left is inductive by construction, and
//! shorter to read and to check.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use elinvar_ir::program::{BlockId, LocationId, Term};
use elinvar_smt::{SmtAnswer, Solver};

use super::graph::Graph;
use crate::run::Run;

const LIMIT: Duration = Duration::from_secs(2);

type Facts = BTreeMap<LocationId, Vec<Term>>;

/// A part of the invariant that is one by itself. All of it if that cannot be told in
/// time.
pub fn trim(graph: &mut Graph, errors: &[LocationId], invariant: Facts, run: &Run) -> Facts {
    match needed(graph, errors, &invariant, run) {
        Some(needed) => needed,
        None => invariant,
    }
}

fn needed(graph: &mut Graph, errors: &[LocationId], all: &Facts, run: &Run) -> Option<Facts> {
    let mut needed: BTreeMap<LocationId, BTreeSet<usize>> = BTreeMap::new();
    let mut solvers: BTreeMap<BlockId, Solver> = BTreeMap::new();
    let never = graph.terms.bool(false);
    let mut goals: Vec<(LocationId, Term)> = errors.iter().map(|&error| (error, never)).collect();
    while let Some((to, goal)) = goals.pop() {
        for block in graph.blocks_into(to) {
            if run.stop().is_some() {
                return None;
            }
            let from = graph.block(block).from;
            let facts = all.get(&from).map_or(&[][..], |facts| facts);
            let goal = graph.before(block, goal);
            let mut assumptions = facts.to_vec();
            assumptions.push(graph.terms.not(goal));
            let guard = graph.block(block).guard;
            let solver = solvers.entry(block).or_insert_with(|| {
                let mut solver = Solver::new(&graph.context);
                solver.assert(&graph.terms, guard);
                solver
            });
            let SmtAnswer::Unsat(refuted) = solver.check(&graph.terms, &assumptions, LIMIT) else {
                return None;
            };
            for position in refuted.core() {
                // The last assumption is the goal.
                if position < facts.len() && needed.entry(from).or_default().insert(position) {
                    goals.push((from, facts[position]));
                }
            }
        }
    }
    let chosen = |at: &LocationId, facts: &[Term]| {
        let positions = needed.get(at);
        positions.into_iter().flatten().map(|&position| facts[position]).collect()
    };
    Some(all.iter().map(|(at, facts)| (*at, chosen(at, facts))).collect())
}
