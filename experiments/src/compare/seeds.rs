//! How much the time of a tool depends on the seed.

use rustc_hash::FxHashMap;

use super::board::SHORT;
use super::record::Record;
use crate::harness::statistics::{geometric_mean, median, quantile};
use crate::harness::table::Table;

/// The times of a tool on a model over all seeds. A run without a verdict counts twice the limit.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    pub tool: String,
    pub model: String,
    pub seeds: usize,
    pub unsolved: usize,
    pub least: f64,
    pub median: f64,
    /// The 90th percentile.
    pub high: f64,
    pub most: f64,
    /// The time with the least seed.
    pub first: f64,
}

impl Spread {
    pub fn ratio(&self) -> f64 {
        self.high / self.median
    }
}

/// The spread of each tool on each model with a median that is not short, if there are at least
/// two seeds and half of the runs have a verdict. The largest ratio comes first.
pub fn spreads(runs: &[Record], limit: u32) -> Vec<Spread> {
    let mut groups: FxHashMap<(&str, &str), Vec<&Record>> = FxHashMap::default();
    for run in runs {
        groups.entry((&run.tool, &run.model)).or_default().push(run);
    }
    let spreads = groups.into_values().filter_map(|runs| spread(runs, limit));
    let mut spreads: Vec<Spread> = spreads.filter(|spread| spread.median > SHORT).collect();
    spreads.sort_by(|one, other| {
        let names = (&one.tool, &one.model).cmp(&(&other.tool, &other.model));
        other.ratio().total_cmp(&one.ratio()).then(names)
    });
    spreads
}

fn spread(mut runs: Vec<&Record>, limit: u32) -> Option<Spread> {
    runs.sort_by_key(|run| run.seed);
    let seconds = |run: &&Record| match run.outcome(limit).verdict() {
        Some(_) => run.seconds,
        None => 2.0 * f64::from(limit),
    };
    let times: Vec<f64> = runs.iter().map(seconds).collect();
    let unsolved = runs.iter().filter(|run| run.outcome(limit).verdict().is_none()).count();
    if runs.len() < 2 || 2 * unsolved > runs.len() {
        return None;
    }
    Some(Spread {
        tool: runs[0].tool.clone(),
        model: runs[0].model.clone(),
        seeds: runs.len(),
        unsolved,
        least: times.iter().copied().fold(f64::INFINITY, f64::min),
        median: median(times.iter().copied())?,
        high: quantile(times.iter().copied(), 0.9)?,
        most: times.iter().copied().fold(0.0, f64::max),
        first: times[0],
    })
}

/// One line for each tool: the geometric means over its models.
pub fn summary(spreads: &[Spread]) -> Table {
    let mut table = Table::new(["tool", "models", "p90/median", "median/best", "first/median"]);
    let mut tools: Vec<&str> = spreads.iter().map(|spread| &spread.tool[..]).collect();
    tools.sort_unstable();
    tools.dedup();
    for tool in tools {
        let own: Vec<&Spread> = spreads.iter().filter(|spread| spread.tool == tool).collect();
        let mean = |value: fn(&Spread) -> f64| {
            let mean = geometric_mean(own.iter().map(|spread| value(spread)));
            mean.map_or(String::new(), |mean| format!("{mean:.2}"))
        };
        table.push([
            tool.to_owned(),
            own.len().to_string(),
            mean(Spread::ratio),
            mean(|spread| spread.median / spread.least),
            mean(|spread| spread.first / spread.median),
        ]);
    }
    table
}

/// One line for each tool and model.
pub fn table(spreads: &[Spread]) -> Table {
    let mut table = Table::new([
        "model",
        "tool",
        "seeds",
        "unsolved",
        "best",
        "median",
        "p90",
        "worst",
        "first",
        "p90/median",
    ]);
    for spread in spreads {
        let numbers = [spread.least, spread.median, spread.high, spread.most, spread.first];
        let names = [spread.model.clone(), spread.tool.clone()];
        let counts = [spread.seeds, spread.unsolved].map(|count| count.to_string());
        let numbers =
            numbers.into_iter().chain([spread.ratio()]).map(|value| format!("{value:.2}"));
        table.push(names.into_iter().chain(counts).chain(numbers));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    #[test]
    fn spreads_are_over_seeds() {
        let mut runs: Vec<Record> =
            (0..10).map(|seed| record("pdr", "a", seed, "safe", 2.0 + seed as f64)).collect();
        runs.push(record("pdr", "a", 10, "TO", 10.1));
        // Two models that do not count: one seed, and a short time.
        runs.push(record("pdr", "b", 0, "safe", 5.0));
        runs.extend((0..3).map(|seed| record("pdr", "c", seed, "safe", 0.5)));
        // Most runs on this one have no verdict.
        runs.extend((0..3).map(|seed| record("pdr", "d", seed, "TO", 10.1)));
        let spreads = spreads(&runs, 10);
        assert_eq!(spreads.len(), 1);
        let Spread { least, median, high, most, unsolved, first, .. } = spreads[0].clone();
        assert_eq!((least, median, high, most), (2.0, 7.0, 20.0, 20.0));
        // The run of 11 s is over the limit, too.
        assert_eq!((unsolved, first), (2, 2.0));
        let text = summary(&spreads).text();
        assert!(text.ends_with("pdr        1        2.86         3.50          0.29\n"), "{text}");
        assert_eq!(table(&spreads).rows.len(), 1);
    }
}
