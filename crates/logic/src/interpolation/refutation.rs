//! The part of a log that a conclusion rests on.

use elinvar_sat::{Lit, Log, StepId};

/// The steps behind the conclusion of a refuted query, trimmed backwards: what the
/// conclusion was not derived from is left out. The query's assumptions count as
/// clauses of one literal.
pub struct Refutation<'a> {
    pub(super) log: &'a Log,
    /// Ascending; the last is the conclusion.
    pub(super) steps: Vec<StepId>,
}

impl<'a> Refutation<'a> {
    /// The steps of the log that the conclusion depends on.
    pub fn new(log: &'a Log, conclusion: StepId) -> Self {
        let mut needed = vec![false; conclusion.index() + 1];
        needed[conclusion.index()] = true;
        let mut steps = Vec::new();
        for index in (0..needed.len()).rev() {
            if needed[index] {
                let step = StepId::new(index);
                steps.push(step);
                for antecedent in log.antecedents(step) {
                    needed[antecedent.index()] = true;
                }
            }
        }
        steps.reverse();
        Refutation { log, steps }
    }

    /// The number of clauses in the proof.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The assumptions that were used.
    pub fn assumptions(&self) -> impl Iterator<Item = Lit> + '_ {
        let conclusion = self.steps.last().map_or(&[][..], |&step| self.log.lits(step));
        conclusion.iter().map(|&lit| !lit)
    }

    /// The given clauses that were used, without the assumptions.
    pub fn clauses(&self) -> impl Iterator<Item = &'a [Lit]> + '_ {
        let given = self.steps.iter().filter(|&&step| self.log.antecedents(step).is_empty());
        given.map(|&step| self.log.lits(step))
    }
}
