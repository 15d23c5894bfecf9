//! From the refutation of paths to formulas over registers.
//!
//! Each clause belongs to the frame of its farthest variable, and the frames, from the
//! farthest to the bad one, are the parts of a sequence interpolant.

use std::time::{Duration, Instant};

use elinvar_logic::interpolation::{Refutation, Sequence, System};
use elinvar_logic::{Aig, AigLit};
use elinvar_sat::{Lit, Log, StepId, Var};
use rustc_hash::FxHashMap;

/// How refutations are read.
pub(super) struct Reading<'a> {
    /// By variable: the distance of its frame.
    pub distances: &'a [u32],
    pub system: System,
}

impl Reading<'_> {
    /// The distance of the frame that a clause belongs to.
    fn distance(&self, clause: &[Lit]) -> usize {
        clause.iter().map(|lit| self.distances[lit.var().index()]).max().unwrap_or(0) as usize
    }

    pub fn interpolants(
        &self,
        log: &Log,
        conclusion: StepId,
        register: impl Fn(Var) -> usize,
    ) -> Interpolants {
        let started = Instant::now();
        let refutation = Refutation::new(log, conclusion);
        let assumptions = refutation.assumptions().map(|lit| self.distance(&[lit]));
        let clauses = refutation.clauses().map(|clause| self.distance(clause));
        let farthest = clauses.chain(assumptions).max().unwrap_or(0);
        let part = |clause: &[Lit]| farthest - self.distance(clause);
        self.read(&refutation, farthest + 1, &part, register, started)
    }

    pub fn interpolant_at(
        &self,
        log: &Log,
        conclusion: StepId,
        distance: usize,
        register: impl Fn(Var) -> usize,
    ) -> Interpolants {
        let started = Instant::now();
        let refutation = Refutation::new(log, conclusion);
        let part = |clause: &[Lit]| usize::from(self.distance(clause) <= distance);
        self.read(&refutation, 2, &part, register, started)
    }

    fn read(
        &self,
        refutation: &Refutation<'_>,
        parts: usize,
        part: &dyn Fn(&[Lit]) -> usize,
        register: impl Fn(Var) -> usize,
        started: Instant,
    ) -> Interpolants {
        let sequence = Sequence::new(refutation, parts, part, self.system);
        let time = started.elapsed();
        debug_assert_eq!(sequence.check(refutation, part), Ok(()));
        let registers =
            sequence.inputs.iter().map(|&(var, input)| (input.node(), register(var))).collect();
        let mut by_distance = sequence.interpolants;
        by_distance.reverse();
        let steps = refutation.len();
        Interpolants { registers, aig: sequence.aig, by_distance, steps, time }
    }
}

/// The interpolants of a refutation, as formulas over registers.
pub(crate) struct Interpolants {
    pub aig: Aig,
    /// By input of the graph, as a node: which register it is.
    pub registers: FxHashMap<usize, usize>,
    /// By distance from the bad state: what is enough to be known of that frame to
    /// exclude the rest of the path. All there is before the last one is ⊤. If just
    /// one was asked for, it is the only one.
    pub by_distance: Vec<AigLit>,
    /// Clauses in the proof.
    pub steps: usize,
    /// The time that it took to get here from the log.
    pub time: Duration,
}
