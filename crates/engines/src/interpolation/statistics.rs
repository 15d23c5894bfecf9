//! What an engine with interpolants did.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::interpolants::Interpolants;
use super::paths::PathStatistics;
use crate::run::{Event, Run};
use crate::statistics::{Block, Statistics, average, count, seconds};

/// The numbers of a run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct InterpolationStatistics {
    /// Queries for paths to a bad state.
    pub path_queries: u64,
    /// Their conflicts.
    pub path_conflicts: u64,
    /// Their time.
    pub sat_time: Duration,
    /// Refutations that interpolants were taken from.
    pub refutations: u64,
    /// The time for trimming these proofs and building the formulas.
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
        let (clauses, gates) = (count(*steps, "clause"), count(gates, "gate"));
        let frames = count(by_distance.len(), "frame");
        let details = vec![
            format!("bound {bound}"),
            format!("proof of {clauses}"),
            format!("interpolants of {gates} in {frames}"),
        ];
        run.emit(Event::Progress { engine, bound, details });
    }

    /// Adds what the solver for paths did since it was asked last.
    pub(super) fn take(&mut self, paths: &mut PathStatistics) {
        let PathStatistics { queries, conflicts, solving } = std::mem::take(paths);
        self.path_queries += queries;
        self.path_conflicts += conflicts;
        self.sat_time += solving;
    }
}

impl Statistics for InterpolationStatistics {
    fn key(&self) -> &'static str {
        "interpolation"
    }

    fn blocks(&self) -> Vec<Block> {
        let InterpolationStatistics { refutations, excluded, not_excluded, .. } = *self;
        let proofs = count(refutations as usize, "proof");
        let per_proof = |sum: u64| format!("{:.1} on average", average(sum, refutations));
        let (extraction, conversion) =
            (seconds(self.extraction_time), seconds(self.conversion_time));
        vec![Block::Values(vec![
            ("interpolants", format!("from {proofs}, {extraction}")),
            ("clauses of a proof", per_proof(self.proof_steps)),
            ("gates of its interpolants", per_proof(self.interpolant_gates)),
            ("frames that it spans", per_proof(self.suffix_frames)),
            ("equations left out", self.dropped_equations.to_string()),
            (
                "cubes outside interpolants",
                format!("{excluded} excluded, {not_excluded} not, {conversion}"),
            ),
        ])]
    }

    fn json(&self) -> Json {
        json!({
            "path_queries": self.path_queries,
            "path_conflicts": self.path_conflicts,
            "sat_seconds": self.sat_time.as_secs_f64(),
            "refutations": self.refutations,
            "extraction_seconds": self.extraction_time.as_secs_f64(),
            "proof_clauses": self.proof_steps,
            "interpolant_gates": self.interpolant_gates,
            "frames": self.suffix_frames,
            "dropped_equations": self.dropped_equations,
            "excluded": self.excluded,
            "not_excluded": self.not_excluded,
            "conversion_seconds": self.conversion_time.as_secs_f64(),
        })
    }
}
