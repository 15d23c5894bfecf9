//! What a run on words did, in numbers.

use std::time::Duration;

use elinvar_logic::simulation::Kind;
use serde_json::{Value as Json, json};

use super::adapt::Experience;
use crate::pdr::statistics::PdrStatistics;
use crate::statistics::{Block, Statistics, seconds};

/// The numbers of the loop, and those of the domain of words.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct WordsStatistics {
    /// The numbers of the loop, which are also reported alone.
    pub pdr: PdrStatistics,
    /// Registers that are read as numbers.
    pub numbers: usize,
    /// Registers that are read as bits.
    pub logic: usize,
    /// Obligations that became Boolean cubes.
    pub cube_obligations: u64,
    /// Obligations that became polytopes.
    pub polytope_obligations: u64,
    /// The last probability of cubes.
    pub probability: f64,
    /// The lemmas from Boolean cubes.
    pub cubes: Experience,
    /// The lemmas from polytopes.
    pub polytopes: Experience,
    /// Obligations that were expanded.
    pub expansions: u64,
    /// The time for that.
    pub expansion_time: Duration,
    /// The binary logarithms of the expansion factors, summed up.
    pub volume: f64,
    /// By expansion, when simulations are compared: the binary logarithms of their
    /// expansion factors.
    pub compared: Vec<Vec<(Kind, f64)>>,
    /// Polytopes that were replaced by a combination of inequalities.
    pub combined: u64,
    /// Inequalities whose bounds were moved.
    pub moved: u64,
    /// Array lemmas that were added on demand.
    pub array_lemmas: u64,
}

impl WordsStatistics {
    /// By simulation, when they are compared: the average logarithm of the expansion factor.
    fn compared_averages(&self) -> Vec<(Kind, f64)> {
        let sum = |kind: Kind| -> f64 {
            let of_kind = self.compared.iter().flatten().filter(|(other, _)| *other == kind);
            of_kind.map(|(_, volume)| volume).sum()
        };
        let count = self.compared.len();
        let kinds = Kind::ALL.into_iter().filter(|_| count > 0);
        kinds.map(|kind| (kind, sum(kind) / count as f64)).collect()
    }
}

impl Statistics for WordsStatistics {
    fn key(&self) -> &'static str {
        "words"
    }

    fn blocks(&self) -> Vec<Block> {
        let lemmas = |e: Experience| format!("{}, {} inductive (F∞)", e.lemmas, e.inductive);
        let (cubes, polytopes) = (self.cube_obligations, self.polytope_obligations);
        let (expansions, time) = (self.expansions, seconds(self.expansion_time));
        let average = self.volume / (expansions.max(1) as f64);
        let mut lines = vec![
            ("registers", format!("{} numbers, {} of bits", self.numbers, self.logic)),
            ("obligations", format!("{cubes} Boolean cubes, {polytopes} polytopes")),
            ("lemmas of bits", lemmas(self.cubes)),
            ("lemmas with inequalities", lemmas(self.polytopes)),
            ("probability of cubes", format!("{:.2} in the end", self.probability)),
            ("expansions", format!("{expansions} in {time}, by 2^{average:.1} on average")),
            ("inequalities combined", self.combined.to_string()),
            ("bounds moved", self.moved.to_string()),
        ];
        if self.array_lemmas > 0 {
            lines.push(("array lemmas", self.array_lemmas.to_string()));
        }
        for (kind, average) in self.compared_averages() {
            lines.push((simulation_name(kind), format!("expands by 2^{average:.1} on average")));
        }
        let row = |(label, value): (&str, String)| vec![label.to_owned(), value];
        vec![Block::Table(lines.into_iter().map(row).collect())]
    }

    fn json(&self) -> Json {
        let factors = |expansion: &Vec<(Kind, f64)>| -> Json {
            let named =
                |&(kind, volume): &(Kind, f64)| (simulation_name(kind).to_owned(), volume.into());
            Json::Object(expansion.iter().map(named).collect())
        };
        let experience = |e: Experience| json!({ "lemmas": e.lemmas, "forever": e.inductive });
        json!({
            "numbers": self.numbers,
            "logic": self.logic,
            "cube_obligations": self.cube_obligations,
            "polytope_obligations": self.polytope_obligations,
            "cubes": experience(self.cubes),
            "polytopes": experience(self.polytopes),
            "cube_probability": self.probability,
            "expansions": self.expansions,
            "expansion_seconds": self.expansion_time.as_secs_f64(),
            "log2_expansion": self.volume,
            "combined": self.combined,
            "moved": self.moved,
            "array_lemmas": self.array_lemmas,
            "log2_factors": self.compared.iter().map(factors).collect::<Vec<Json>>(),
        })
    }
}

fn simulation_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Ternary => "ternary",
        Kind::Interval => "interval",
        Kind::Hybrid => "hybrid",
        Kind::Product => "product",
    }
}
