//! What an engine with interpolants did.

use std::time::Duration;

/// The numbers of a run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct InterpolationStatistics {
    /// Questions for paths to a bad state, and their time.
    pub path_queries: u64,
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
