//! What each strategy of a campaign has done.

use crate::campaign::log::PropertyLine;
use crate::campaign::results::{PropertyResult, Results};
use crate::plot::boxes::Quartiles;

use super::{is_bad, is_good};

/// What a strategy has done.
#[derive(Clone, PartialEq, Debug)]
pub struct StrategySummary {
    /// Its name.
    pub name: String,
    /// How many properties it was tried on.
    pub tried: usize,
    /// How many of them it proved, or reached.
    pub proved: usize,
    /// How many of them it refuted, or showed to be unreachable.
    pub failed: usize,
    /// The processor time of all attempts.
    pub cpu_seconds: f64,
    /// The seconds of the attempts that decided a property, in increasing order.
    pub times: Vec<f64>,
}

impl StrategySummary {
    /// The summaries of all strategies, in the order of the plan.
    pub fn of(results: &Results) -> Vec<Self> {
        let names = results.plan.strategies.iter().map(|strategy| &strategy.name);
        names.map(|name| StrategySummary::new(results, name)).collect()
    }

    fn new(results: &Results, name: &str) -> Self {
        let lines = || results.properties.iter().filter_map(|p| attempt(p, name));
        let count = |of: fn(&str) -> bool| lines().filter(|line| of(&line.verdict)).count();
        let decided = lines().filter(|line| line.is_decided());
        let mut times: Vec<f64> = decided.map(|line| line.seconds).collect();
        times.sort_by(f64::total_cmp);
        StrategySummary {
            name: name.to_owned(),
            tried: lines().count(),
            proved: count(is_good),
            failed: count(is_bad),
            cpu_seconds: lines().map(|line| line.cpu_seconds).sum(),
            times,
        }
    }

    /// Half of the properties that it decided took no longer.
    pub fn median(&self) -> Option<f64> {
        Quartiles::of(&self.times).map(|quartiles| quartiles.median)
    }

    /// This share of the properties that it decided took no longer.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let last = self.times.len().checked_sub(1)?;
        Some(self.times[(last as f64 * share).round() as usize])
    }
}

/// What a strategy found out about a property; of several attempts, the one that decides, or the
/// last.
pub fn attempt<'a>(property: &'a PropertyResult, strategy: &str) -> Option<&'a PropertyLine> {
    let lines = || property.attempts.values().filter(|line| line.strategy == strategy);
    lines().find(|line| line.is_decided()).or_else(|| lines().next_back())
}
