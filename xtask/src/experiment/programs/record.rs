//! What a run gave.

use crate::experiment::log::Kept;
use crate::experiment::outcome::Outcome;

/// One run on a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// Processor time.
    pub seconds: f64,
    /// Why there is no verdict, if that was said.
    pub reason: String,
}

impl Run {
    /// The reason becomes a cell.
    pub fn new(outcome: Outcome, seconds: f64, reason: &str) -> Self {
        let clean = |c: char| if c == ',' || c.is_control() { ';' } else { c };
        Run { outcome, seconds, reason: reason.trim().chars().map(clean).collect() }
    }
}

impl Kept for Run {
    const COLUMNS: &'static [&'static str] = &["outcome", "seconds", "reason"];

    fn cells(&self) -> Vec<String> {
        vec![self.outcome.word().to_owned(), self.seconds.to_string(), self.reason.clone()]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[outcome, seconds, reason] = cells else { return None };
        Some(Run::new(Outcome::of_word(outcome)?, seconds.parse().ok()?, reason))
    }

    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn within(self, limit: u32) -> Self {
        if self.seconds > f64::from(limit) && self.outcome != Outcome::Failed {
            Run { outcome: Outcome::TooLong, ..self }
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::outcome::Verdict;

    #[test]
    fn runs_are_read_back_from_their_cells() {
        for run in [
            Run::new(Outcome::Decided(Verdict::Safe), 0.25, ""),
            Run::new(Outcome::Unknown, 3.0, "a, b\nc "),
        ] {
            let cells = run.cells();
            let cells: Vec<&str> = cells.iter().map(|cell| &cell[..]).collect();
            assert_eq!(Run::of_cells(&cells), Some(run));
        }
        assert_eq!(Run::of_cells(&["safe", "x", ""]), None);
    }

    #[test]
    fn a_smaller_limit_stops_earlier() {
        let run = Run::new(Outcome::Unknown, 5.0, "");
        assert_eq!(run.clone().within(5).outcome, Outcome::Unknown);
        assert_eq!(run.within(4).outcome, Outcome::TooLong);
    }
}
