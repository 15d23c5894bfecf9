//! What a run on words did, in numbers.

use std::time::Duration;

use elinvar_logic::simulation::Kind;

use super::adapt::Experience;
use crate::pdr::statistics::PdrStatistics;

/// Beside the numbers of the loop.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct WordsStatistics {
    pub pdr: PdrStatistics,
    /// Registers that are read as numbers, and those that are a matter of bits.
    pub numbers: usize,
    pub logic: usize,
    /// Obligations that became Boolean cubes, and polytopes.
    pub cube_obligations: u64,
    pub polytope_obligations: u64,
    /// The last probability of cubes.
    pub probability: f64,
    pub cubes: Experience,
    pub polytopes: Experience,
    pub expansions: u64,
    pub expansion_time: Duration,
    /// The binary logarithms of the expansion factors, summed up.
    pub volume: f64,
    /// By expansion, when simulations are compared: the binary logarithms of their
    /// expansion factors.
    pub compared: Vec<Vec<(Kind, f64)>>,
    /// Polytopes that were replaced by a combination of inequalities, and inequalities
    /// whose bounds were moved.
    pub combined: u64,
    pub moved: u64,
    pub array_lemmas: u64,
}
