//! What the experiment measures in a run: the depth, the size of the proof, and the time of
//! interpolation.

use serde_json::Value;

use crate::harness::log::{cell, optional};
use crate::harness::outcome::Outcome;
use crate::harness::run::Measured;

/// What a report says about its proof or trace.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Proof {
    /// Where a proof converged, or the length of a trace.
    pub depth: Option<u64>,
    /// The size of the proof.
    pub size: Option<Size>,
    /// None if the engine does not interpolate.
    pub interpolation: Option<Interpolation>,
}

/// The size of an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// It is a set of clauses.
    Clauses(u64),
    /// It is a formula with so many nodes.
    Nodes(u64),
}

/// The time of interpolation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interpolation {
    /// The time of the SAT solver.
    pub sat_seconds: f64,
    /// The time to extract interpolants from refutations.
    pub extraction_seconds: f64,
}

impl Proof {
    /// Reads the report of `elinvar check --json`. If there are several properties, these are
    /// the largest numbers of those with the overall verdict.
    pub fn of_report(report: &Value) -> Option<(Outcome, Self)> {
        let outcome = Outcome::of_word(report["verdict"].as_str()?)?;
        let Outcome::Decided(verdict) = outcome else { return Some((outcome, Proof::default())) };
        let properties = report["properties"].as_array()?;
        let most = |number: fn(&Value) -> Option<u64>| {
            let deciding = properties.iter().filter(|p| p["verdict"] == verdict.word());
            deciding.filter_map(number).max()
        };
        let clauses = most(|property| property["certificate"]["clauses"].as_u64());
        let nodes = most(|property| property["certificate"]["nodes"].as_u64());
        let proof = Proof {
            depth: most(|property| property["depth"].as_u64()),
            size: clauses.map(Size::Clauses).or(nodes.map(Size::Nodes)),
            interpolation: Interpolation::of_json(&report["statistics"]["interpolation"]),
        };
        Some((outcome, proof))
    }

    /// The number of clauses, if the proof is a set of clauses.
    pub fn clauses(&self) -> Option<u64> {
        match self.size? {
            Size::Clauses(count) => Some(count),
            Size::Nodes(_) => None,
        }
    }
}

impl Measured for Proof {
    const COLUMNS: &'static [&'static str] =
        &["depth", "clauses", "nodes", "sat_seconds", "extraction_seconds"];

    fn cells(&self) -> Vec<String> {
        let nodes = match self.size {
            Some(Size::Nodes(count)) => Some(count),
            Some(Size::Clauses(_)) | None => None,
        };
        vec![
            cell(self.depth),
            cell(self.clauses()),
            cell(nodes),
            cell(self.interpolation.map(|times| times.sat_seconds)),
            cell(self.interpolation.map(|times| times.extraction_seconds)),
        ]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[depth, clauses, nodes, sat, extraction] = cells else { return None };
        let size = match (optional(clauses)?, optional(nodes)?) {
            (Some(clauses), None) => Some(Size::Clauses(clauses)),
            (None, Some(nodes)) => Some(Size::Nodes(nodes)),
            (None, None) => None,
            (Some(_), Some(_)) => return None,
        };
        let interpolation = match (optional(sat)?, optional(extraction)?) {
            (Some(sat_seconds), Some(extraction_seconds)) => {
                Some(Interpolation { sat_seconds, extraction_seconds })
            }
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return None,
        };
        Some(Proof { depth: optional(depth)?, size, interpolation })
    }

    fn stopped(self) -> Self {
        Proof::default()
    }
}

impl Interpolation {
    fn of_json(value: &Value) -> Option<Self> {
        let seconds = |key: &str| value[key].as_f64();
        Some(Interpolation {
            sat_seconds: seconds("sat_seconds")?,
            extraction_seconds: seconds("extraction_seconds")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::harness::outcome::Verdict;

    #[test]
    fn a_proof_is_read_with_its_depth_size_and_interpolation() {
        let report = json!({
            "verdict": "safe",
            "properties": [
                {"verdict": "safe", "depth": 3, "certificate": {"kind": "inductive", "clauses": 9}},
                {"verdict": "safe", "depth": 5, "certificate": {"kind": "inductive", "clauses": 7}},
            ],
            "statistics": {"interpolation": {"sat_seconds": 2.0, "extraction_seconds": 0.5}},
        });
        let interpolation = Some(Interpolation { sat_seconds: 2.0, extraction_seconds: 0.5 });
        let proof = Proof { depth: Some(5), size: Some(Size::Clauses(9)), interpolation };
        let safe = Outcome::Decided(Verdict::Safe);
        assert_eq!(Proof::of_report(&report), Some((safe, proof)));
        let report = json!({
            "verdict": "safe",
            "properties": [{"verdict": "safe", "depth": 2, "certificate": {"nodes": 40}}],
        });
        let formula = Proof { depth: Some(2), size: Some(Size::Nodes(40)), interpolation: None };
        assert_eq!(Proof::of_report(&report), Some((safe, formula)));
        for proof in [proof, formula, Proof::default()] {
            let cells = proof.cells();
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            assert_eq!(Proof::of_cells(&cells), Some(proof));
        }
        assert_eq!(Proof::of_cells(&["1", "2", "3", "", ""]), None);
        assert_eq!(Proof::of_cells(&["1", "2", "", "0.5", ""]), None);
    }

    #[test]
    fn a_trace_has_the_depth_of_the_property_that_fails() {
        let report = json!({
            "verdict": "unsafe",
            "properties": [{"verdict": "safe", "depth": 9}, {"verdict": "unsafe", "depth": 4}],
        });
        let (outcome, proof) = Proof::of_report(&report).unwrap();
        assert_eq!(outcome.verdict(), Some(Verdict::Unsafe));
        assert_eq!((proof.depth, proof.size), (Some(4), None));
    }

    #[test]
    fn an_incomplete_report_is_refused() {
        let unknown = Proof::of_report(&json!({"verdict": "unknown"})).unwrap();
        assert_eq!(unknown, (Outcome::Unknown, Proof::default()));
        assert_eq!(Proof::of_report(&json!({"verdict": "perhaps"})), None);
        assert_eq!(Proof::of_report(&json!({})), None);
    }
}
