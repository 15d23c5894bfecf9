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
    /// Whether derivations are recorded at all.
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

/// The number of a clause in a [`Log`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StepId(u32);

impl StepId {
    /// The step with this number.
    pub fn new(index: usize) -> Self {
        StepId(u32::try_from(index).expect("fewer than 2^32 steps"))
    }

    /// The number of the step.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Keeps every clause, in the order of their coming. The last clause of a refuted
/// query is the disjunction of the negated assumptions of its core.
#[derive(Clone, Default, Debug)]
pub struct Log {
    lits: Vec<Lit>,
    antecedents: Vec<StepId>,
    /// By step: where its literals and its antecedents end.
    ends: Vec<(u32, u32)>,
    /// By place of a clause, divided by the least size of a clause: its step.
    steps: Vec<StepId>,
}

impl Log {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was derived.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of words that it takes, about.
    pub fn size(&self) -> usize {
        self.lits.len() + self.antecedents.len() + 2 * self.ends.len() + self.steps.len()
    }

    /// The step that was added last.
    pub fn last(&self) -> Option<StepId> {
        self.len().checked_sub(1).map(StepId::new)
    }

    /// The clause of a step.
    pub fn lits(&self, step: StepId) -> &[Lit] {
        let (start, end) = self.range(step, |end| end.0);
        &self.lits[start..end]
    }

    /// The steps that a clause follows from. None for the caller's clauses, and for
    /// tautologies.
    pub fn antecedents(&self, step: StepId) -> &[StepId] {
        let (start, end) = self.range(step, |end| end.1);
        &self.antecedents[start..end]
    }

    fn range(&self, step: StepId, which: impl Fn(&(u32, u32)) -> u32) -> (usize, usize) {
        let start = step.index().checked_sub(1).map_or(0, |before| which(&self.ends[before]));
        (start as usize, which(&self.ends[step.index()]) as usize)
    }

    /// Adds a clause that follows from earlier steps, or is given if there are none.
    pub fn push(&mut self, lits: &[Lit], antecedents: &[StepId]) -> StepId {
        self.lits.extend_from_slice(lits);
        self.antecedents.extend_from_slice(antecedents);
        self.end_step()
    }

    fn end_step(&mut self) -> StepId {
        let end = |len: usize| u32::try_from(len).expect("a log of fewer than 2^32 words");
        self.ends.push((end(self.lits.len()), end(self.antecedents.len())));
        StepId::new(self.ends.len() - 1)
    }

    fn place(&mut self, clause: ClauseRef, step: StepId) {
        let place = clause.place();
        if self.steps.len() <= place {
            self.steps.resize(place + 1, StepId(u32::MAX));
        }
        self.steps[place] = step;
    }
}

impl Proof for Log {
    const LOGS: bool = true;

    fn original(&mut self, clause: ClauseRef, lits: &[Lit]) {
        let step = self.push(lits, &[]);
        self.place(clause, step);
    }

    fn derived(&mut self, clause: ClauseRef, lits: &[Lit], antecedents: &[ClauseRef]) {
        self.lits.extend_from_slice(lits);
        let steps = antecedents.iter().map(|antecedent| self.steps[antecedent.place()]);
        self.antecedents.extend(steps);
        let step = self.end_step();
        self.place(clause, step);
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

    /// Logs that a literal of level 0 or 1 follows; the others of its reason have units.
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
        self.logged.unit_clauses[lit.var().index()] = unit;
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
        others.map(|other| self.logged.unit_clauses[other.var().index()]).collect()
    }

    fn take_chain(&mut self) -> Vec<ClauseRef> {
        self.chain.sort_unstable();
        self.chain.dedup();
        self.chain.drain(..).map(|(_, clause)| clause).collect()
    }
}
