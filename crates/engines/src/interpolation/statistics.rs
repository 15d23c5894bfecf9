//! What an engine with interpolants did.

use std::time::Duration;

use super::interpolants::Interpolants;
use super::paths::PathStatistics;
use crate::run::{Event, Run};

/// The numbers of a run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct InterpolationStatistics {
    /// Questions for paths to a bad state, their conflicts and their time.
    pub path_queries: u64,
    pub path_conflicts: u64,
    pub sat_time: Duration,
    /// Refutations that interpolants were taken from, and the time for that: trimming
    /// the proof and building the formulas.
    pub refutations: u64,
    pub extraction_time: Duration,
    /// Clauses of these proofs, after trimming.
    pub proof_steps: u64,
    /// Gates of all interpolants.
    pub interpolant_gates: u64,
    /// Frames that paths went through, over all refutations.
    pub suffix_frames: u64,
    /// States outside interpolants that became lemmas.
    pub excluded: u64,
    /// Those that could not be excluded and were left to property directed reachability.
    pub not_excluded: u64,
    /// The time for that.
    pub conversion_time: Duration,
    /// Equations of the transition relation that refutations were found not to need.
    pub dropped_equations: u64,
}

impl InterpolationStatistics {
    /// Notes and tells what a refutation gave.
    pub(super) fn note(
        &mut self,
        engine: &'static str,
        interpolants: &Interpolants,
        bound: usize,
        run: &Run,
    ) {
        let Interpolants { aig, by_distance, steps, time, .. } = interpolants;
        let gates = aig.cone(by_distance.iter().copied()).len();
        self.refutations += 1;
        self.extraction_time += *time;
        self.proof_steps += *steps as u64;
        self.interpolant_gates += gates as u64;
        self.suffix_frames += by_distance.len() as u64;
        let frames = by_distance.len();
        run.emit(Event::Interpolants { engine, bound, frames, steps: *steps, gates });
    }

    /// Adds what the solver for paths did since it was asked last.
    pub(super) fn take(&mut self, paths: &mut PathStatistics) {
        let PathStatistics { queries, conflicts, solving } = std::mem::take(paths);
        self.path_queries += queries;
        self.path_conflicts += conflicts;
        self.sat_time += solving;
    }
}
