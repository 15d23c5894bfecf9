//! What a campaign has found so far: the plan and all logs together.
//!
//! Of several lines about a property and a stage, one counts: the first that decides it, or else
//! the last one. A property that is decided is never asked about again, so there is more than one
//! line only if two workers ran the same task, because one of them seemed to be dead.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::log::{Follower, Line, Outcome, PropertyLine, Start};
use super::plan::Plan;
use crate::error::Error;

/// The plan of a campaign with everything that its logs say.
#[derive(Clone, Debug)]
pub struct Results {
    /// The folder of the campaign.
    pub folder: PathBuf,
    /// The plan.
    pub plan: Plan,
    /// All properties, in the order of the models and of the properties within them.
    pub properties: Vec<PropertyResult>,
    /// What is known of the tasks, in the order of the plan.
    pub tasks: Vec<TaskState>,
    /// The workers that have started, by name.
    pub workers: BTreeMap<String, Start>,
    /// Properties for which the logs claim both that they hold and that they fail, which is a
    /// bug: the model and the position of the property.
    pub contradictions: BTreeSet<(usize, usize)>,
    follower: Follower,
    /// From a model and a property of it to the position in `properties`.
    positions: BTreeMap<(usize, usize), usize>,
    models: BTreeMap<String, usize>,
}

/// What a campaign has found about one property.
#[derive(Clone, PartialEq, Debug)]
pub struct PropertyResult {
    /// The position of the model in the plan.
    pub model: usize,
    /// The position of the property in the model.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// One line for each stage that has ended for this property, by stage.
    pub attempts: BTreeMap<usize, PropertyLine>,
}

impl PropertyResult {
    /// The line that decides the property.
    pub fn decided(&self) -> Option<&PropertyLine> {
        self.attempts.values().find(|line| line.is_decided())
    }

    /// The verdict in one word: `safe`, `unsafe`, `reached`, `unreachable` or `unknown`.
    pub fn verdict(&self) -> &str {
        self.decided().map_or("unknown", |line| &line.verdict)
    }

    /// The line that decides the property, or else the one of the last stage.
    pub fn line(&self) -> Option<&PropertyLine> {
        self.decided().or_else(|| self.attempts.values().next_back())
    }

    /// The processor time of all attempts.
    pub fn cpu_seconds(&self) -> f64 {
        self.attempts.values().map(|line| line.cpu_seconds).sum()
    }
}

/// What is known of a task.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TaskState {
    /// How often it was begun.
    pub attempts: u32,
    /// The last attempt that ended without the task being over: it may be begun again.
    pub released: u32,
    /// The worker that began it last, if it has not ended it.
    pub worker: Option<String>,
    /// The strategy of the last attempt.
    pub strategy: Option<String>,
    /// Is it never to be run again?
    pub is_over: bool,
    /// Does it have to run alone?
    pub needs_memory: bool,
    /// Why it failed.
    pub failure: Option<String>,
    /// The processor time of all attempts that have ended.
    pub cpu_seconds: f64,
}

/// Numbers about a whole campaign.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Totals {
    /// All properties.
    pub properties: usize,
    /// Properties that hold, and cover statements that are reached.
    pub proved: usize,
    /// Properties that fail, and cover statements that cannot be reached.
    pub failed: usize,
    /// Properties without a verdict for which nothing more is planned.
    pub undecided: usize,
    /// Properties without a verdict so far.
    pub open: usize,
    /// All tasks.
    pub tasks: usize,
    /// Tasks that are over.
    pub tasks_done: usize,
    /// Tasks under way.
    pub tasks_running: usize,
    /// The processor time of all tasks that have ended.
    pub cpu_seconds: f64,
    /// The most memory that one worker has held.
    pub peak_memory: u64,
    /// The verdicts that were taken from the store.
    pub from_store: usize,
}

impl Results {
    /// Reads the plan and the logs in the folder of a campaign.
    ///
    /// # Errors
    /// If there is no plan, or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut results = Results::new(folder, Plan::read(folder)?);
        results.update()?;
        Ok(results)
    }

    /// The results of a campaign that has not started.
    pub fn new(folder: &Path, plan: Plan) -> Self {
        let mut properties = Vec::new();
        let mut positions = BTreeMap::new();
        for (model, planned) in plan.models.iter().enumerate() {
            for property in &planned.properties {
                positions.insert((model, property.index), properties.len());
                properties.push(PropertyResult {
                    model,
                    index: property.index,
                    name: property.name.clone(),
                    kind: property.kind.clone(),
                    attempts: BTreeMap::new(),
                });
            }
        }
        let models =
            plan.models.iter().enumerate().map(|(i, model)| (model.name.clone(), i)).collect();
        Results {
            folder: folder.to_owned(),
            properties,
            tasks: vec![TaskState::default(); plan.tasks.len()],
            workers: BTreeMap::new(),
            contradictions: BTreeSet::new(),
            follower: Follower::default(),
            positions,
            models,
            plan,
        }
    }

    /// Reads what was added to the logs since the last time, and returns it.
    ///
    /// # Errors
    /// If a log cannot be read.
    pub fn update(&mut self) -> Result<Vec<Line>, Error> {
        let lines = self.follower.lines(&self.folder)?;
        lines.iter().for_each(|line| self.add(line));
        if !lines.is_empty() {
            self.end_tasks();
        }
        Ok(lines)
    }

    /// How many whole lines of the logs were not understood.
    pub fn damaged_lines(&self) -> usize {
        self.follower.damaged()
    }

    /// What was found about a property.
    pub fn property(&self, model: usize, index: usize) -> Option<&PropertyResult> {
        self.positions.get(&(model, index)).map(|&position| &self.properties[position])
    }

    /// Numbers about the whole campaign.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals {
            properties: self.properties.len(),
            tasks: self.tasks.len(),
            ..Totals::default()
        };
        let over = self.exhausted();
        for property in &self.properties {
            match property.verdict() {
                "safe" | "reached" => totals.proved += 1,
                "unsafe" | "unreachable" => totals.failed += 1,
                _ if over.contains(&(property.model, property.index)) => totals.undecided += 1,
                _ => totals.open += 1,
            }
            let lines = property.attempts.values();
            totals.peak_memory =
                lines.map(|line| line.memory_bytes).max().unwrap_or(0).max(totals.peak_memory);
            let is_stored = |line: &PropertyLine| line.source == super::log::Source::Store;
            totals.from_store += usize::from(property.decided().is_some_and(is_stored));
        }
        for task in &self.tasks {
            totals.tasks_done += usize::from(task.is_over);
            totals.tasks_running += usize::from(task.worker.is_some());
            totals.cpu_seconds += task.cpu_seconds;
        }
        totals
    }

    /// Is there nothing left to do?
    pub fn is_complete(&self) -> bool {
        self.tasks.iter().all(|task| task.is_over)
    }

    /// The properties all of whose tasks are over: their models and their positions.
    fn exhausted(&self) -> BTreeSet<(usize, usize)> {
        let mut over = BTreeSet::new();
        let mut open = BTreeSet::new();
        for (task, state) in self.plan.tasks.iter().zip(&self.tasks) {
            let set = if state.is_over { &mut over } else { &mut open };
            set.extend(task.properties.iter().map(|&index| (task.model, index)));
        }
        over.difference(&open).copied().collect()
    }

    fn add(&mut self, line: &Line) {
        match line {
            Line::Start(start) => {
                self.workers.insert(start.worker.clone(), start.clone());
            }
            Line::Begin(begin) => {
                let Some(state) = self.task_state(&begin.task) else { return };
                if begin.attempt >= state.attempts {
                    // Logs are not read in the order of time: the end may be known already.
                    let is_ended = state.released >= begin.attempt;
                    state.worker = (!is_ended).then(|| begin.worker.clone());
                    state.strategy = Some(begin.strategy.clone());
                    state.attempts = begin.attempt;
                }
            }
            Line::Result(result) => self.add_result(result),
            Line::End(end) => {
                let Some(state) = self.task_state(&end.task) else { return };
                if end.attempt >= state.attempts {
                    state.worker = None;
                }
                state.attempts = state.attempts.max(end.attempt);
                state.cpu_seconds += end.cpu_seconds;
                match end.outcome {
                    Outcome::Done => state.is_over = true,
                    Outcome::Stopped => state.released = end.attempt.max(state.released),
                    Outcome::Memory => {
                        state.released = end.attempt.max(state.released);
                        state.needs_memory = true;
                    }
                    Outcome::Failed => {
                        state.is_over = true;
                        state.failure.clone_from(&end.message);
                    }
                }
            }
        }
    }

    /// A task is over when each of its properties is decided or has a line of its stage, also if
    /// its worker was killed before it could say so.
    fn end_tasks(&mut self) {
        for (task, state) in self.plan.tasks.iter().zip(&mut self.tasks) {
            let is_over = |index: &usize| {
                let position = self.positions.get(&(task.model, *index));
                position.map(|&at| &self.properties[at]).is_some_and(|property| {
                    property.attempts.contains_key(&task.stage) || property.decided().is_some()
                })
            };
            if !state.is_over && task.properties.iter().all(is_over) {
                (state.is_over, state.worker) = (true, None);
            }
        }
    }

    fn add_result(&mut self, line: &PropertyLine) {
        let Some(&model) = self.models.get(&line.model) else { return };
        let Some(&position) = self.positions.get(&(model, line.property)) else { return };
        let property = &mut self.properties[position];
        if line.is_decided() && property.decided().is_some_and(|d| d.verdict != line.verdict) {
            self.contradictions.insert((model, line.property));
        }
        let known = property.attempts.get(&line.stage);
        if known.is_none_or(|known| !known.is_decided()) {
            property.attempts.insert(line.stage, line.clone());
        }
    }

    fn task_state(&mut self, id: &str) -> Option<&mut TaskState> {
        let position = self.plan.task(id)?.id.0;
        self.tasks.get_mut(position)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::log::{Begin, End, LogWriter, now, tests::result};
    use super::super::plan::{Limits, PlannedModel, PlannedProperty, PlannedTask, SCHEMA};
    use super::super::plan::{Strategy, TaskId};
    use super::*;

    /// One model with three properties, in two tasks of each stage.
    pub fn plan() -> Plan {
        let property =
            |index| PlannedProperty { index, name: format!("p{index}"), kind: "safety".to_owned() };
        let strategy = |name: &str, timeout| Strategy {
            name: name.to_owned(),
            options: vec![],
            timeout: Some(timeout),
        };
        let task = |id, properties, stage, after: Option<usize>| PlannedTask {
            id: TaskId(id),
            model: 0,
            properties,
            stage,
            after: after.map(TaskId),
            stored: false,
        };
        Plan {
            schema: SCHEMA.to_owned(),
            name: "test".to_owned(),
            version: String::new(),
            created: "2026-11-17T10:00:00.000Z".to_owned(),
            models: vec![PlannedModel {
                name: "m".to_owned(),
                path: "/m".into(),
                sha256: String::new(),
                properties: (0..3).map(property).collect(),
            }],
            strategies: vec![strategy("quick", 1.0), strategy("long", 10.0)],
            limits: Limits::default(),
            store: None,
            tasks: vec![
                task(0, vec![0, 1], 0, None),
                task(1, vec![2], 0, None),
                task(2, vec![0, 1], 1, Some(0)),
                task(3, vec![2], 1, Some(1)),
            ],
        }
    }

    fn begin(task: &str, worker: &str) -> Line {
        let (task, worker) = (task.to_owned(), worker.to_owned());
        let (strategy, alone) = ("quick".to_owned(), false);
        Line::Begin(Begin { task, worker, time: now(), attempt: 1, strategy, alone })
    }

    fn end(task: &str, worker: &str, outcome: Outcome) -> Line {
        let (task, worker) = (task.to_owned(), worker.to_owned());
        let (message, cpu_seconds, memory_bytes) = (None, 1.5, 7);
        let time = now();
        let attempt = 1;
        Line::End(End { task, worker, time, attempt, outcome, message, cpu_seconds, memory_bytes })
    }

    #[test]
    fn logs_are_merged_and_one_line_counts() {
        let folder = tempfile::tempdir().unwrap();
        plan().write(folder.path()).unwrap();
        let mut log = LogWriter::create(folder.path(), "a").unwrap();
        let mut second = LogWriter::create(folder.path(), "b").unwrap();
        log.append(&begin("t000000", "a-0")).unwrap();
        log.append(&Line::Result(result("t000000", 0, 0, "safe"))).unwrap();
        let mut results = Results::read(folder.path()).unwrap();
        let totals = results.totals();
        assert_eq!((totals.properties, totals.proved, totals.open), (3, 1, 2));
        assert_eq!((totals.tasks_running, totals.tasks_done), (1, 0));
        // Another worker repeats the task; the line that decides counts.
        second.append(&Line::Result(result("t000000", 0, 0, "unknown"))).unwrap();
        second.append(&Line::Result(result("t000000", 1, 0, "unknown"))).unwrap();
        results.update().unwrap();
        assert_eq!(results.property(0, 0).unwrap().verdict(), "safe");
        // All properties have a line, so the task is over although no worker says so.
        assert!(results.tasks[0].is_over && !results.tasks[2].is_over);
        second.append(&Line::Result(result("t000002", 1, 1, "unsafe"))).unwrap();
        second.append(&begin("t000001", "b-0")).unwrap();
        second.append(&end("t000001", "b-0", Outcome::Memory)).unwrap();
        results.update().unwrap();
        let totals = results.totals();
        assert_eq!((totals.failed, totals.open, totals.cpu_seconds), (1, 1, 1.5));
        assert!(results.tasks[2].is_over && results.tasks[1].needs_memory);
        assert_eq!(results.tasks[1].released, 1);
        assert!(!results.is_complete() && results.contradictions.is_empty());
        second.append(&Line::Result(result("t000001", 2, 0, "unknown"))).unwrap();
        second.append(&Line::Result(result("t000003", 2, 1, "unknown"))).unwrap();
        results.update().unwrap();
        assert!(results.is_complete() && results.totals().undecided == 1);
        // Nothing is read twice.
        assert_eq!(results.update().unwrap(), []);
        assert_eq!(Results::read(folder.path()).unwrap().totals(), results.totals());
    }

    #[test]
    fn contradictions_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        plan().write(folder.path()).unwrap();
        let mut log = LogWriter::create(folder.path(), "a").unwrap();
        log.append(&Line::Result(result("t000000", 0, 0, "safe"))).unwrap();
        log.append(&Line::Result(result("t000002", 0, 1, "unsafe"))).unwrap();
        let results = Results::read(folder.path()).unwrap();
        assert_eq!(results.contradictions.into_iter().collect::<Vec<_>>(), [(0, 0)]);
    }

    #[test]
    fn plans_that_do_not_fit_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let read = |plan: &Plan| {
            plan.write(folder.path()).unwrap();
            Plan::read(folder.path())
        };
        assert_eq!(read(&plan()).unwrap(), plan());
        assert!(read(&Plan { schema: "other/1".to_owned(), ..plan() }).is_err());
        let mut wrong = plan();
        wrong.tasks[1].properties = vec![9];
        assert!(read(&wrong).is_err());
        let mut wrong = plan();
        wrong.tasks[2].after = Some(TaskId(2));
        assert!(read(&wrong).is_err());
        std::fs::write(Plan::path(folder.path()), "{").unwrap();
        let message = Plan::read(folder.path()).unwrap_err().to_string();
        assert!(message.contains("campaign.json: the plan cannot be read"), "{message}");
    }
}
