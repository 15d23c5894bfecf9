//! Which strategy a task tries next.
//!
//! The first stage is the first strategy of the plan: a short effort for all properties. Later
//! stages try the other strategies. Those that have decided properties of the same model in this
//! campaign come first, in the order of the processor time that they took for a verdict; those
//! that were tried often on the model and have decided nothing come last. Otherwise the order of
//! the plan holds.

use std::collections::BTreeMap;

use super::plan::{PlannedTask, Strategy};
use super::results::Results;

/// A strategy that was tried so often in vain comes last.
const OFTEN: usize = 16;

/// The strategy for a task that is about to begin.
pub(crate) fn choose<'a>(results: &'a Results, task: &PlannedTask) -> &'a Strategy {
    let strategies = &results.plan.strategies;
    if task.stage == 0 {
        return &strategies[0];
    }
    let tried = tried(results, task);
    let successes = successes(results, task.model);
    let rank = |strategy: &Strategy| match successes.get(strategy.name.as_str()) {
        Some(success) if success.decided > 0 => (0, success.seconds / success.decided as f64),
        Some(success) if success.tried >= OFTEN => (2, 0.0),
        Some(_) | None => (1, 0.0),
    };
    let left = strategies.iter().skip(1).filter(|strategy| !tried.contains(&&*strategy.name));
    // The first of several equal ones is the least.
    let best =
        left.min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal));
    best.unwrap_or(&strategies[task.stage])
}

/// The strategies of the stages of the same properties before.
fn tried<'a>(results: &'a Results, task: &PlannedTask) -> Vec<&'a str> {
    let mut tried = Vec::new();
    let mut before = task.after;
    while let Some(id) = before {
        let state = results.tasks.get(id.0);
        tried.extend(state.and_then(|state| state.strategy.as_deref()));
        before = results.plan.tasks.get(id.0).and_then(|task| task.after);
    }
    tried
}

#[derive(Default)]
struct Success {
    tried: usize,
    decided: usize,
    seconds: f64,
}

fn successes(results: &Results, model: usize) -> BTreeMap<&str, Success> {
    let mut successes: BTreeMap<&str, Success> = BTreeMap::new();
    for property in results.properties.iter().filter(|property| property.model == model) {
        for line in property.attempts.values() {
            let success = successes.entry(&line.strategy).or_default();
            success.tried += 1;
            success.decided += usize::from(line.is_decided());
            success.seconds += line.cpu_seconds;
        }
    }
    successes
}

#[cfg(test)]
mod tests {
    use super::super::log::{Begin, Line, LogWriter, now, tests::result};
    use super::super::plan::TaskId;
    use super::super::results::tests::plan;
    use super::*;

    #[test]
    fn what_has_worked_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = plan();
        let strategy =
            |name: &str| Strategy { name: name.to_owned(), ..plan.strategies[1].clone() };
        plan.strategies.extend([strategy("other"), strategy("third")]);
        let last = PlannedTask {
            stored: false,
            id: TaskId(4),
            stage: 2,
            after: Some(TaskId(3)),
            ..plan.tasks[3].clone()
        };
        plan.tasks.push(last);
        plan.write(folder.path()).unwrap();
        let mut log = LogWriter::create(folder.path(), "w").unwrap();
        let results = || Results::read(folder.path()).unwrap();
        let choice = |results: &Results, task: usize| {
            choose(results, &results.plan.tasks[task]).name.clone()
        };
        assert_eq!((choice(&results(), 0), choice(&results(), 2)), ("quick".into(), "long".into()));
        let mut line = result("t000002", 0, 1, "safe");
        line.strategy = "other".to_owned();
        log.append(&Line::Result(line)).unwrap();
        assert_eq!(choice(&results(), 3), "other");
        // What the properties of the task were tried with before is not tried again.
        let (task, strategy) = ("t000003".to_owned(), "other".to_owned());
        let worker = log.worker().to_owned();
        let begin = Begin { task, worker, time: now(), attempt: 1, strategy, alone: false };
        log.append(&Line::Begin(begin)).unwrap();
        assert_eq!(choice(&results(), 4), "long");
        for property in 0..3 {
            for stage in 3..12 {
                let mut line = result("t000002", property, stage, "unknown");
                line.strategy = "long".to_owned();
                log.append(&Line::Result(line)).unwrap();
            }
        }
        assert_eq!(choice(&results(), 4), "third");
    }
}
