//! A campaign at one moment: numbers for a dashboard, with an estimate of the remaining time.
//!
//! The estimate assumes that the remaining properties are like those that were tried: an attempt
//! of a stage takes the mean time of the attempts of that stage so far, and leaves the same share
//! of the properties undecided for the next stage. A stage without attempts counts with its
//! strategy's limit. Hard properties are often the last ones, so the estimate grows towards the
//! end; it ignores memory limits and waiting in a cluster's queue.

use std::collections::BTreeSet;
use std::time::Duration;

use super::report::StrategySummary;
use super::results::{Results, Totals};

/// The seconds that an attempt without a limit counts until there is one that has ended.
const NO_LIMIT: f64 = 60.0;

/// Numbers about a campaign at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The name of the campaign.
    pub name: String,
    /// Numbers about all properties and tasks.
    pub totals: Totals,
    /// What each strategy has done, in the order of the plan.
    pub strategies: Vec<StrategySummary>,
    /// How long the rest takes, if there is an estimate and something is left to do.
    pub remaining: Option<Duration>,
}

impl View {
    /// The view of the results.
    pub fn of(results: &Results) -> Self {
        let totals = results.totals();
        View {
            name: results.plan.name.clone(),
            remaining: remaining(results, &totals),
            strategies: StrategySummary::of(results),
            totals,
        }
    }

    /// Properties that have a verdict, or for which nothing more is planned.
    pub fn finished(&self) -> usize {
        self.totals.properties - self.totals.open
    }
}

/// What one stage did so far.
#[derive(Clone, Copy, Default, Debug)]
struct Stage {
    attempts: f64,
    undecided: f64,
    seconds: f64,
    limit: f64,
}

impl Stage {
    /// The seconds of an attempt on a property.
    fn mean(&self) -> f64 {
        if self.attempts > 0.0 { self.seconds / self.attempts } else { self.limit }
    }

    /// The share of the properties that go on to the next stage.
    fn survival(&self) -> f64 {
        if self.attempts > 0.0 { self.undecided / self.attempts } else { 1.0 }
    }
}

fn remaining(results: &Results, totals: &Totals) -> Option<Duration> {
    if results.is_complete() || results.properties.iter().all(|p| p.attempts.is_empty()) {
        return None;
    }
    let stages = stages(results);
    // The cost of a property from a stage on.
    let mut costs = vec![0.0; stages.len() + 1];
    for (at, stage) in stages.iter().enumerate().rev() {
        costs[at] = stage.mean() + stage.survival() * costs[at + 1];
    }
    let mut counted = BTreeSet::new();
    let mut seconds = 0.0;
    for (task, state) in results.plan.tasks.iter().zip(&results.tasks) {
        for &index in task.properties.iter().filter(|_| !state.is_over) {
            let Some(property) = results.property(task.model, index) else { continue };
            let is_open =
                property.decided().is_none() && !property.attempts.contains_key(&task.stage);
            // The later stages of a property are part of the cost of its next one.
            if is_open && counted.insert((task.model, index)) {
                seconds += costs[task.stage.min(stages.len())];
            }
        }
    }
    let workers = totals.tasks_running.max(1) as f64;
    Duration::try_from_secs_f64(seconds / workers).ok()
}

fn stages(results: &Results) -> Vec<Stage> {
    let count = results.plan.tasks.iter().map(|task| task.stage + 1).max().unwrap_or(0);
    let limit = |at: usize| {
        let strategy = results.plan.strategies.get(at).or(results.plan.strategies.last());
        strategy.and_then(|strategy| strategy.timeout).unwrap_or(NO_LIMIT)
    };
    let mut stages: Vec<Stage> =
        (0..count).map(|at| Stage { limit: limit(at), ..Stage::default() }).collect();
    for property in &results.properties {
        for (&stage, line) in property.attempts.iter().filter(|(stage, _)| **stage < count) {
            let stage = &mut stages[stage];
            stage.attempts += 1.0;
            stage.seconds += line.seconds;
            stage.undecided += if line.is_decided() { 0.0 } else { 1.0 };
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::super::log::{Line, LogWriter, tests::result};
    use super::super::results::tests::plan;
    use super::*;

    #[test]
    fn the_rest_is_like_what_was_tried() {
        let folder = tempfile::tempdir().unwrap();
        plan().write(folder.path()).unwrap();
        let mut results = Results::read(folder.path()).unwrap();
        assert_eq!(View::of(&results).remaining, None, "nothing was tried");
        let mut log = LogWriter::create(folder.path(), "a").unwrap();
        log.append(&Line::Result(result("t000000", 0, 0, "safe"))).unwrap();
        log.append(&Line::Result(result("t000000", 1, 0, "unknown"))).unwrap();
        results.update().unwrap();
        let view = View::of(&results);
        // Property 1 goes through the second stage, 10 s; property 2 through the first, 0.5 s,
        // and with a probability of one half through the second.
        assert_eq!(view.remaining, Some(Duration::from_secs_f64(10.0 + 0.5 + 0.5 * 10.0)));
        assert_eq!((view.finished(), view.strategies[0].tried), (1, 2));
        for property in [1, 2] {
            log.append(&Line::Result(result("t000002", property, 1, "safe"))).unwrap();
        }
        results.update().unwrap();
        let view = View::of(&results);
        assert_eq!((view.remaining, view.finished(), view.totals.proved), (None, 3, 3));
    }
}
