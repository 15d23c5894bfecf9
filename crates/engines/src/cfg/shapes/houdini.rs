//! What of the guesses is inductive, all together.

use std::collections::BTreeMap;
use std::time::Duration;

use elinvar_ir::program::{BlockId, LocationId, Term};
use elinvar_smt::{Model, SmtAnswer, Solver};
use rustc_hash::FxHashMap;

use super::super::graph::Graph;
use super::super::valuation::Valuation;
use super::columns::Guess;
use crate::run::Run;

const LIMIT: Duration = Duration::from_secs(1);
const SHORT: Duration = Duration::from_millis(50);

/// So many facts are asked about at once.
const CHUNK: usize = 16;

/// Weakens the guesses until every block keeps them. When the run ends before, nothing
/// is left of them.
pub fn filter(graph: &mut Graph, guesses: &mut BTreeMap<LocationId, Guess>, run: &Run) {
    let mut solvers: BTreeMap<BlockId, Solver> = BTreeMap::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for index in graph.block_ids() {
            if !guesses.contains_key(&graph.block(index).to) {
                continue;
            }
            let solver = solvers.entry(index).or_insert_with(|| {
                let mut solver = Solver::new(&graph.context);
                solver.assert(&graph.terms, graph.block(index).guard);
                solver
            });
            let mut step = Step { graph, guesses, index, solver, run };
            match step.keep() {
                Some(weaker) => changed |= weaker,
                None => {
                    guesses.clear();
                    return;
                }
            }
        }
    }
}

/// One block, and what is guessed before and after it.
struct Step<'a> {
    graph: &'a mut Graph,
    guesses: &'a mut BTreeMap<LocationId, Guess>,
    index: BlockId,
    solver: &'a mut Solver,
    run: &'a Run,
}

impl Step<'_> {
    /// Weakens what is guessed after the block until the block keeps it. Did it change?
    /// `None` if the run ended.
    fn keep(&mut self) -> Option<bool> {
        let to = self.graph.block(self.index).to;
        let mut changed = false;
        loop {
            let before = self.before();
            let facts = self.guesses[&to].facts(&mut self.graph.terms);
            let mut weaker = false;
            for chunk in facts.chunks(CHUNK) {
                if self.run.stop().is_some() {
                    return None;
                }
                if self.weaken(&before, chunk) {
                    // Others of the facts may be gone as well.
                    weaker = true;
                    break;
                }
            }
            changed |= weaker;
            if !weaker {
                return Some(changed);
            }
        }
    }

    fn before(&mut self) -> Vec<Term> {
        match self.guesses.get(&self.graph.block(self.index).from) {
            Some(guess) => guess.facts(&mut self.graph.terms),
            None => Vec::new(),
        }
    }

    /// Gives up what of these facts a step breaks. Did it?
    fn weaken(&mut self, before: &[Term], facts: &[Term]) -> bool {
        let broken: Vec<Term> = facts.iter().map(|&fact| self.broken(fact)).collect();
        let some_broken = self.graph.terms.or(broken);
        if self.graph.terms.as_bool(some_broken) == Some(false) {
            return false;
        }
        let assumptions: Vec<Term> = before.iter().copied().chain([some_broken]).collect();
        let model = match self.solver.check(&self.graph.terms, &assumptions, LIMIT) {
            SmtAnswer::Unsat(_) => return false,
            SmtAnswer::Sat(satisfied) => satisfied.model(),
            SmtAnswer::Unknown(_) => None,
        };
        model.is_some_and(|model| self.weaken_by_model(&model)) || self.drop_unproved(before, facts)
    }

    /// The fact does not hold after the block.
    fn broken(&mut self, fact: Term) -> Term {
        let after = self.graph.before(self.index, fact);
        self.graph.terms.not(after)
    }

    fn weaken_by_model(&mut self, model: &Model) -> bool {
        let graph = &mut *self.graph;
        let block = graph.block(self.index);
        let variables = graph.live[&block.from].iter().chain(&block.inputs).copied();
        let state = Valuation::of_model(&graph.terms, model, variables);
        let to = graph.block(self.index).to;
        let guess = self.guesses.get_mut(&to).expect("asked about");
        let translated: FxHashMap<Term, Term> =
            guess.terms().into_iter().map(|term| (term, graph.before(self.index, term))).collect();
        state.is_some_and(|mut state| {
            guess.weaken(&graph.terms, &mut state, &|term| translated[&term])
        })
    }

    /// Asks about each fact alone, and gives up those that are not answered.
    fn drop_unproved(&mut self, before: &[Term], facts: &[Term]) -> bool {
        let to = self.graph.block(self.index).to;
        let mut dropped = false;
        for &fact in facts {
            let broken = self.broken(fact);
            let assumptions: Vec<Term> = before.iter().copied().chain([broken]).collect();
            if !self.solver.check(&self.graph.terms, &assumptions, SHORT).is_unsat() {
                self.guesses.get_mut(&to).expect("asked about").remove(fact);
                dropped = true;
            }
        }
        dropped
    }
}
