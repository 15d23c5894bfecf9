//! What a run gave.

use serde_json::Value;

use super::factors::{Counts, Expansions, points_cell, points_of_cell};
use crate::experiment::log::{Kept, optional};
use crate::experiment::outcome::Outcome;

/// One run of a program on a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// Processor time.
    pub seconds: f64,
    /// If the simulations were compared.
    pub expansions: Option<Expansions>,
}

impl Run {
    pub fn new(outcome: Outcome, seconds: f64) -> Self {
        Run { outcome, seconds, expansions: None }
    }

    /// What `elinvar check --json` printed.
    pub fn of_report(report: &Value, seconds: f64) -> Option<Self> {
        Some(Run::new(Outcome::of_word(report["verdict"].as_str()?)?, seconds))
    }

    /// The same with expansions, which the report has even if the time was too short.
    pub fn of_comparison(report: &Value, seconds: f64) -> Option<Self> {
        let outcome = match Outcome::of_word(report["verdict"].as_str()?)? {
            Outcome::Unknown => Outcome::TooLong,
            outcome @ (Outcome::Decided(_) | Outcome::TooLong | Outcome::Failed) => outcome,
        };
        let expansions = Expansions::of_json(&report["statistics"]["words"]["log2_factors"])?;
        Some(Run { outcome, seconds, expansions: Some(expansions) })
    }
}

impl Kept for Run {
    const COLUMNS: &'static [&'static str] = &[
        "outcome",
        "seconds",
        "expansions",
        "hybrid_ternary",
        "hybrid_interval",
        "hybrid_both",
        "product_hybrid",
        "points",
    ];

    fn cells(&self) -> Vec<String> {
        let count = |count: fn(Counts) -> u64| {
            let expansions = self.expansions.as_ref();
            expansions.map_or_else(String::new, |expansions| count(expansions.counts).to_string())
        };
        let points = self.expansions.as_ref().map(|expansions| points_cell(&expansions.points));
        vec![
            self.outcome.word().to_owned(),
            self.seconds.to_string(),
            count(|counts| counts.all),
            count(|counts| counts.ternary),
            count(|counts| counts.interval),
            count(|counts| counts.both),
            count(|counts| counts.product),
            points.unwrap_or_default(),
        ]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[outcome, seconds, all, ternary, interval, both, product, points] = cells else {
            return None;
        };
        let expansions = match optional(all)? {
            Some(all) => Some(Expansions {
                counts: Counts {
                    all,
                    ternary: ternary.parse().ok()?,
                    interval: interval.parse().ok()?,
                    both: both.parse().ok()?,
                    product: product.parse().ok()?,
                },
                points: points_of_cell(points)?,
            }),
            None => None,
        };
        let (outcome, seconds) = (Outcome::of_word(outcome)?, seconds.parse().ok()?);
        Some(Run { outcome, seconds, expansions })
    }

    fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Expansions stay: those of a longer run are expansions too.
    fn within(self, limit: u32) -> Self {
        if self.seconds > f64::from(limit) && self.outcome != Outcome::Failed {
            Run { outcome: Outcome::TooLong, ..self }
        } else {
            self
        }
    }
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::super::factors::tests::factors;
    use super::*;
    use crate::experiment::outcome::Verdict;

    pub fn decided(verdict: Verdict, seconds: f64) -> Run {
        Run::new(Outcome::Decided(verdict), seconds)
    }

    pub fn compared(points: Vec<super::super::factors::Factors>, counts: Counts) -> Run {
        let expansions = Some(Expansions { counts, points });
        Run { expansions, ..decided(Verdict::Safe, 1.0) }
    }

    #[test]
    fn a_comparison_counts_even_if_the_time_was_too_short() {
        let factors = json!([{"product": 2.0, "ternary": 1.0, "interval": 1.0, "hybrid": 2.0}]);
        let report =
            json!({"verdict": "unknown", "statistics": {"words": {"log2_factors": factors}}});
        let run = Run::of_comparison(&report, 3.0).unwrap();
        assert_eq!((run.outcome, run.expansions.unwrap().counts.both), (Outcome::TooLong, 1));
        assert_eq!(Run::of_report(&report, 3.0), Some(Run::new(Outcome::Unknown, 3.0)));
        assert_eq!(Run::of_comparison(&json!({"verdict": "safe"}), 3.0), None);
    }

    #[test]
    fn runs_are_read_back_from_their_cells() {
        let counts = Counts { all: 9, ternary: 8, interval: 7, both: 6, product: 5 };
        let runs = [
            decided(Verdict::Unsafe, 0.25),
            compared(vec![factors(1.0, 2.0, 3.0, 4.0)], counts),
            compared(vec![], Counts::default()),
        ];
        for run in runs {
            let cells = run.cells();
            assert_eq!(cells.len(), Run::COLUMNS.len());
            let cells: Vec<&str> = cells.iter().map(|cell| &cell[..]).collect();
            assert_eq!(Run::of_cells(&cells), Some(run));
        }
        assert_eq!(Run::of_cells(&["safe", "1.0", "3", "", "", "", "", ""]), None);
    }

    #[test]
    fn a_smaller_limit_stops_earlier_and_keeps_expansions() {
        let run = Run { seconds: 5.0, ..compared(vec![], Counts::default()) };
        assert_eq!(run.clone().within(5), run);
        let stopped = run.within(4);
        assert_eq!((stopped.outcome, stopped.expansions.is_some()), (Outcome::TooLong, true));
    }
}
