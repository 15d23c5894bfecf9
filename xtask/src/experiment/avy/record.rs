//! What a run gave.

use serde_json::Value;

use crate::experiment::log::{Kept, optional};
use crate::experiment::outcome::{Outcome, Verdict};

/// One run of an engine on a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// Processor time.
    pub seconds: f64,
    /// Where a proof converged, or a trace ends.
    pub depth: Option<u64>,
    /// Of the proof.
    pub size: Option<Size>,
    pub interpolation: Option<Interpolation>,
}

/// How large an invariant is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Clauses(u64),
    /// Of a formula.
    Nodes(u64),
}

/// Where the time of interpolation went.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interpolation {
    pub sat_seconds: f64,
    pub extraction_seconds: f64,
}

impl Run {
    /// A run that said nothing.
    pub fn silent(outcome: Outcome, seconds: f64) -> Self {
        Run { outcome, seconds, depth: None, size: None, interpolation: None }
    }

    /// What `elinvar check --json` printed. Of several properties, the largest numbers of
    /// those that have the verdict of all together.
    pub fn of_report(report: &Value, seconds: f64) -> Option<Self> {
        let outcome = Outcome::of_word(report["verdict"].as_str()?)?;
        let Outcome::Decided(verdict) = outcome else {
            return Some(Run::silent(outcome, seconds));
        };
        let properties = report["properties"].as_array()?;
        let most = |number: fn(&Value) -> Option<u64>| {
            let deciding = properties.iter().filter(|p| p["verdict"] == verdict.word());
            deciding.filter_map(number).max()
        };
        let clauses = most(|property| property["certificate"]["clauses"].as_u64());
        let nodes = most(|property| property["certificate"]["nodes"].as_u64());
        Some(Run {
            outcome,
            seconds,
            depth: most(|property| property["depth"].as_u64()),
            size: clauses.map(Size::Clauses).or(nodes.map(Size::Nodes)),
            interpolation: Interpolation::of_json(&report["statistics"]["interpolation"]),
        })
    }

    pub fn verdict(&self) -> Option<Verdict> {
        self.outcome.verdict()
    }

    pub fn clauses(&self) -> Option<u64> {
        match self.size? {
            Size::Clauses(count) => Some(count),
            Size::Nodes(_) => None,
        }
    }
}

impl Kept for Run {
    const COLUMNS: &'static [&'static str] =
        &["outcome", "seconds", "depth", "clauses", "nodes", "sat_seconds", "extraction_seconds"];

    fn cells(&self) -> Vec<String> {
        let (clauses, nodes) = match self.size {
            Some(Size::Clauses(count)) => (Some(count), None),
            Some(Size::Nodes(count)) => (None, Some(count)),
            None => (None, None),
        };
        let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
        let seconds = |part: fn(Interpolation) -> f64| {
            self.interpolation.map_or_else(String::new, |times| part(times).to_string())
        };
        vec![
            self.outcome.word().to_owned(),
            self.seconds.to_string(),
            count(self.depth),
            count(clauses),
            count(nodes),
            seconds(|times| times.sat_seconds),
            seconds(|times| times.extraction_seconds),
        ]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[outcome, seconds, depth, clauses, nodes, sat, extraction] = cells else {
            return None;
        };
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
        Some(Run {
            outcome: Outcome::of_word(outcome)?,
            seconds: seconds.parse().ok()?,
            depth: optional(depth)?,
            size,
            interpolation,
        })
    }

    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn within(self, limit: u32) -> Self {
        if self.seconds > f64::from(limit) && self.outcome != Outcome::Failed {
            Run::silent(Outcome::TooLong, self.seconds)
        } else {
            self
        }
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
pub mod tests {
    use serde_json::json;

    use super::*;

    pub fn safe(seconds: f64, depth: u64, size: Size) -> Run {
        let outcome = Outcome::Decided(Verdict::Safe);
        Run { depth: Some(depth), size: Some(size), ..Run::silent(outcome, seconds) }
    }

    pub fn too_long() -> Run {
        Run::silent(Outcome::TooLong, 10.0)
    }

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
        let expected = Run { interpolation, ..safe(1.5, 5, Size::Clauses(9)) };
        assert_eq!(Run::of_report(&report, 1.5), Some(expected));
        let report = json!({
            "verdict": "safe",
            "properties": [{"verdict": "safe", "depth": 2, "certificate": {"nodes": 40}}],
        });
        assert_eq!(Run::of_report(&report, 1.5), Some(safe(1.5, 2, Size::Nodes(40))));
    }

    #[test]
    fn a_trace_has_the_depth_of_what_fails() {
        let report = json!({
            "verdict": "unsafe",
            "properties": [{"verdict": "safe", "depth": 9}, {"verdict": "unsafe", "depth": 4}],
        });
        let run = Run::of_report(&report, 1.0).unwrap();
        assert_eq!((run.verdict(), run.depth, run.size), (Some(Verdict::Unsafe), Some(4), None));
    }

    #[test]
    fn what_is_no_report_is_no_run() {
        let unknown = Run::of_report(&json!({"verdict": "unknown"}), 1.0).unwrap();
        assert_eq!((unknown.outcome, unknown.verdict()), (Outcome::Unknown, None));
        assert_eq!(Run::of_report(&json!({"verdict": "perhaps"}), 1.0), None);
        assert_eq!(Run::of_report(&json!({}), 1.0), None);
    }

    #[test]
    fn a_smaller_limit_stops_earlier() {
        let run = safe(5.0, 2, Size::Clauses(1));
        assert_eq!(run.clone().within(5), run);
        assert_eq!(run.within(4), Run::silent(Outcome::TooLong, 5.0));
    }
}
