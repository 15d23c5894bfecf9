//! Logs of derivations: each derived clause with the clauses it follows from.
//!
//! The antecedents of a clause are in the order of LRAT [Cruz-Filipe et al.
//! 2017]: when the clause is assumed to be false, each antecedent in turn has all
//! literals false but one, which becomes true, until the last one has all false.
//! Read backwards they are a chain of resolutions. Logging is a parameter of the
//! solver's type: without it, nothing is tested and nothing is kept.

use crate::arena::{ClauseRef, Layer};
use crate::literal::Lit;
use crate::solver::{Reason, Solver};

/// Where derivations go.
pub trait Proof: Default {
    const LOGS: bool;

    /// A clause that the caller gave.
    fn original(&mut self, clause: ClauseRef, lits: &[Lit]);

    /// A clause that follows from earlier ones.
    fn derived(&mut self, clause: ClauseRef, lits: &[Lit], antecedents: &[ClauseRef]);
}

/// Keeps nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoProof;

impl Proof for NoProof {
    const LOGS: bool = false;

    fn original(&mut self, _: ClauseRef, _: &[Lit]) {}

    fn derived(&mut self, _: ClauseRef, _: &[Lit], _: &[ClauseRef]) {}
}

/// One clause of a [`Log`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub clause: ClauseRef,
    pub lits: Vec<Lit>,
    /// Empty for the caller's clauses, and for tautologies.
    pub antecedents: Vec<ClauseRef>,
}

/// Keeps every clause, in the order of their numbers. The last derived clause of
/// a refuted query is the disjunction of the negated assumptions of its core.
#[derive(Clone, Default, Debug)]
pub struct Log {
    steps: Vec<Step>,
}

impl Log {
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub fn step(&self, clause: ClauseRef) -> Option<&Step> {
        let index = self.steps.binary_search_by_key(&clause, |step| step.clause).ok()?;
        Some(&self.steps[index])
    }

    /// A log of the given steps, for checks of other proofs than the solver's.
    pub fn from_steps(steps: Vec<Step>) -> Self {
        Log { steps }
    }
}

impl Proof for Log {
    const LOGS: bool = true;

    fn original(&mut self, clause: ClauseRef, lits: &[Lit]) {
        self.steps.push(Step { clause, lits: lits.to_vec(), antecedents: Vec::new() });
    }

    fn derived(&mut self, clause: ClauseRef, lits: &[Lit], antecedents: &[ClauseRef]) {
        self.steps.push(Step { clause, lits: lits.to_vec(), antecedents: antecedents.to_vec() });
    }
}

impl<P: Proof> Solver<P> {
    /// Logs `learnt` as derived by the collected chain.
    pub(crate) fn log_derived(&mut self, clause: ClauseRef) {
        if P::LOGS {
            let antecedents = self.take_chain();
            self.proof.derived(clause, &self.learnt, &antecedents);
        }
    }

    /// Logs the clause of a core.
    pub(crate) fn log_conclusion(&mut self) {
        let clause = self.arena.add(&self.learnt, crate::arena::Kind::Learnt, Layer::ALWAYS, 0);
        self.log_derived(clause);
    }

    /// Logs that a literal of level 0 follows.
    pub(crate) fn log_unit(&mut self, lit: Lit, reason: Reason) {
        let unit = if self.arena.len(reason.clause) == 1 {
            reason.clause
        } else {
            let mut antecedents = self.units_of_others(reason.clause, lit);
            antecedents.push(reason.clause);
            let unit = self.arena.add(&[lit], crate::arena::Kind::Learnt, Layer::ALWAYS, 0);
            self.proof.derived(unit, &[lit], &antecedents);
            unit
        };
        self.unit_clauses[lit.var().index()] = unit;
    }

    /// Logs the empty clause: all literals of `clause` are false at level 0.
    pub(crate) fn log_refutation(&mut self, layer: Layer, clause: ClauseRef) {
        let mut antecedents = self.units_of_others(clause, Lit::NONE);
        antecedents.push(clause);
        let empty = self.arena.add(&[], crate::arena::Kind::Learnt, Layer::ALWAYS, 0);
        self.proof.derived(empty, &[], &antecedents);
        self.refutations.push((layer, empty));
    }

    /// Logs the conclusion of a query that had no model from the start.
    pub(crate) fn log_refuted(&mut self) {
        let mut known = self.refutations.iter();
        let known = known.find(|(layer, _)| layer.active_at(self.layer));
        let (_, empty) = *known.expect("what refutes a query is logged");
        self.learnt.clear();
        self.chain.clear();
        self.chain.push((0, empty));
        self.log_conclusion();
    }

    fn units_of_others(&self, clause: ClauseRef, lit: Lit) -> Vec<ClauseRef> {
        let others = self.arena.lits(clause).filter(|&other| other != lit);
        others.map(|other| self.unit_clauses[other.var().index()]).collect()
    }

    fn take_chain(&mut self) -> Vec<ClauseRef> {
        self.chain.sort_unstable();
        self.chain.dedup();
        self.chain.drain(..).map(|(_, clause)| clause).collect()
    }
}
