//! What the parts of a run did, in numbers: tables for people, values for scripts.
//!
//! Each engine implements [`Statistics`] next to its code and sends the numbers with
//! [`crate::Event::Statistics`]. Callers lay out the tables and merge the values without
//! knowing the engines.

use std::any::Any;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use elinvar_transform::{PassReport, Size};
use serde_json::{Value as Json, json};

/// The numbers of one part of a run: an engine, or the simplification of the model.
pub trait Statistics: Any + Debug + Send + Sync {
    /// The key of these numbers among those of the run. Later numbers with the same key
    /// replace earlier ones.
    fn key(&self) -> &'static str;

    /// The numbers for people, in the order in which they are shown.
    fn blocks(&self) -> Vec<Block>;

    /// The numbers for scripts.
    fn json(&self) -> Json;

    /// The solver queries that these numbers cover and that were not reported one by one
    /// with [`crate::Event::Query`].
    fn queries(&self) -> Option<QueryTotals> {
        None
    }
}

impl dyn Statistics {
    /// The numbers of a known kind, if they are of that kind.
    pub fn downcast_ref<T: Statistics>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

/// A part of what is shown to people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// Rows of aligned columns, all with the same number of cells.
    Table(Vec<Vec<String>>),
    /// Labels, each with its value.
    Values(Vec<(&'static str, String)>),
}

impl Block {
    /// A table with a row of column titles.
    pub(crate) fn with_titles<const N: usize>(
        titles: [&str; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> Self {
        let titles = titles.map(str::to_owned).to_vec();
        let rows = rows.into_iter().map(|row| row.to_vec());
        Block::Table(std::iter::once(titles).chain(rows).collect())
    }
}

/// Solver queries, summed up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct QueryTotals {
    /// How many there were.
    pub count: u64,
    /// How many had a model.
    pub satisfiable: u64,
    /// How many had none.
    pub unsatisfiable: u64,
    /// How many were not answered.
    pub stopped: u64,
    /// The conflicts of the solver.
    pub conflicts: u64,
    /// The time of the solver.
    pub time: Duration,
}

impl std::ops::AddAssign for QueryTotals {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.satisfiable += other.satisfiable;
        self.unsatisfiable += other.unsatisfiable;
        self.stopped += other.stopped;
        self.conflicts += other.conflicts;
        self.time += other.time;
    }
}

/// How the model was simplified before engines worked on its bits.
#[derive(Clone, PartialEq, Debug)]
pub struct PassStatistics(
    /// The passes in their order.
    pub Vec<PassReport>,
);

impl PassStatistics {
    /// The key of these numbers.
    pub const KEY: &'static str = "passes";
}

impl Statistics for PassStatistics {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn blocks(&self) -> Vec<Block> {
        let row = |pass: &PassReport| {
            let Size { inputs, states, gates } = pass.after;
            let time = seconds(Duration::from_secs_f64(pass.seconds));
            let [inputs, states, gates] = [inputs, states, gates].map(|size| size.to_string());
            [pass.name.to_owned(), inputs, states, gates, time]
        };
        let titles = ["pass", "inputs", "registers", "gates", "time"];
        vec![Block::with_titles(titles, self.0.iter().map(row))]
    }

    fn json(&self) -> Json {
        let size = |size: Size| {
            let Size { inputs, states, gates } = size;
            json!({ "inputs": inputs, "registers": states, "gates": gates })
        };
        let pass = |pass: &PassReport| {
            json!({
                "name": pass.name,
                "before": size(pass.before),
                "after": size(pass.after),
                "seconds": pass.seconds,
            })
        };
        self.0.iter().map(pass).collect()
    }
}

/// Describes the frames of a search while it runs.
pub(crate) struct FrameProgress {
    since: Instant,
}

/// What a search has in its frames.
pub(crate) struct FrameSizes {
    pub frontier: usize,
    /// By level, from 1.
    pub lemmas: Vec<usize>,
    /// In F∞.
    pub inductive: usize,
    pub obligations: usize,
    pub queries: u64,
}

impl FrameProgress {
    pub fn start() -> Self {
        FrameProgress { since: Instant::now() }
    }

    /// `frame 5`, `35 lemmas`, `9 inductive (F∞)`, and less important parts.
    pub fn details(&self, sizes: &FrameSizes) -> Vec<String> {
        sizes.details(self.since.elapsed())
    }
}

impl FrameSizes {
    /// The parts of a line of progress, the most important ones first.
    fn details(&self, elapsed: Duration) -> Vec<String> {
        /// So many of the last frames are shown.
        const SHOWN: usize = 10;
        let hidden = self.lemmas.len().saturating_sub(SHOWN);
        let ellipsis = (hidden > 0).then(|| "…".to_owned());
        let lemmas = self.lemmas[hidden..].iter().map(ToString::to_string);
        let by_frame: Vec<String> = ellipsis.into_iter().chain(lemmas).collect();
        let rate = self.queries as f64 / elapsed.as_secs_f64().max(0.001);
        vec![
            format!("frame {}", self.frontier),
            count(self.lemmas.iter().sum::<usize>() + self.inductive, "lemma"),
            format!("{} inductive (F∞)", self.inductive),
            count(self.obligations, "obligation"),
            format!("{rate:.0} queries/s"),
            format!("lemmas by frame {}", by_frame.join(" ")),
        ]
    }
}

/// `1 cycle`, `2 cycles`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// `0.05 s`.
pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// The average, and zero if there is nothing to average.
pub(crate) fn average(sum: u64, times: u64) -> f64 {
    sum as f64 / times.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_rows_and_values() {
        let size = Size { inputs: 1, states: 2, gates: 3 };
        let pass = PassReport { name: "cone", before: size, after: size, seconds: 0.5 };
        let statistics: &dyn Statistics = &PassStatistics(vec![pass]);
        let [Block::Table(rows)] = &statistics.blocks()[..] else { panic!("one table") };
        assert_eq!(rows[1], ["cone", "1", "2", "3", "0.50 s"]);
        assert_eq!(statistics.json()[0]["after"]["registers"], 2);
        assert!(statistics.downcast_ref::<PassStatistics>().is_some());
        assert_eq!(statistics.queries(), None);
    }

    #[test]
    fn only_the_last_frames_are_described() {
        let (frontier, lemmas) = (12, (1..=12).collect());
        let sizes = FrameSizes { frontier, lemmas, inductive: 3, obligations: 4, queries: 100 };
        let expected = [
            "frame 12",
            "81 lemmas",
            "3 inductive (F∞)",
            "4 obligations",
            "50 queries/s",
            "lemmas by frame … 3 4 5 6 7 8 9 10 11 12",
        ];
        assert_eq!(sizes.details(Duration::from_secs(2)), expected);
    }
}
