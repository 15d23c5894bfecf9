//! The record of a run.

use super::outcome::Outcome;

/// One run of a setting on an instance.
#[derive(Clone, PartialEq, Debug)]
pub struct Run<M> {
    /// How it ended.
    pub outcome: Outcome,
    /// Processor time.
    pub seconds: f64,
    /// What the experiment measures besides.
    pub measured: M,
}

/// What an experiment measures in a run besides its outcome and its time.
pub trait Measured: Clone + Default {
    /// The names of its columns in the log.
    const COLUMNS: &'static [&'static str];

    /// One cell for each column. No cell contains a comma or a line break.
    fn cells(&self) -> Vec<String>;

    /// Reads the cells back.
    fn of_cells(cells: &[&str]) -> Option<Self>;

    /// What is known of a run that failed for this reason.
    fn failed(_reason: &str) -> Self {
        Self::default()
    }

    /// What remains of the measurement if the run counts as stopped by a smaller limit.
    fn stopped(self) -> Self {
        self
    }
}

impl<M: Measured> Run<M> {
    /// A run that measured nothing.
    pub fn new(outcome: Outcome, seconds: f64) -> Self {
        Run { outcome, seconds, measured: M::default() }
    }

    /// The same run as if it had been stopped after so many seconds.
    pub fn within(self, limit: u32) -> Self {
        if self.seconds > f64::from(limit) && self.outcome != Outcome::Failed {
            Run { outcome: Outcome::TooLong, measured: self.measured.stopped(), ..self }
        } else {
            self
        }
    }

    /// The cells of its row in the log.
    pub fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.outcome.word().to_owned(), self.seconds.to_string()];
        cells.extend(self.measured.cells());
        cells
    }

    /// Reads the cells back.
    pub fn of_cells(cells: &[&str]) -> Option<Self> {
        let [outcome, seconds, measured @ ..] = cells else { return None };
        Some(Run {
            outcome: Outcome::of_word(outcome)?,
            seconds: seconds.parse().ok()?,
            measured: M::of_cells(measured)?,
        })
    }
}
