//! A worker: claims tasks of a campaign and decides their properties, until nothing is left.
//!
//! Workers do not talk to each other and need no server. What they know of each other is in the
//! folder of the campaign: logs and claims. A worker keeps the model of its last task, since
//! reading a large model takes longer than most properties of it.
//!
//! Memory: each worker may use its share of the memory of the machine. A task that needs more is
//! stopped and put off until nothing else is left, and then runs while the other workers of the
//! machine wait (`alone`). A process that was stopped that way, or that has threads that do not
//! end, asks to be replaced by a new one.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use elinvar_ir::PropertyId;

use super::alone::Alone;
use super::claims::{Claim, Claims, Owner, host, touch};
use super::decide::{Early, Loaded, Question};
use super::log::{Begin, End, Line, LogWriter, Outcome, Start, cpu_seconds, now, peak_memory};
use super::plan::{PlannedTask, TaskId};
use super::planning::digest;
use super::record::{Heading, Recorder};
use super::results::Results;
use super::strategy::choose;
use crate::error::Error;
use crate::options::{Cancellation, Options};
use crate::problem::Problem;
use crate::session::lock;
use crate::source::Source;
use crate::store::Store;

/// A task whose worker died so often is given up.
const MOST_ATTEMPTS: u32 = 3;
/// How long a worker without a task waits before it looks again, at least and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
/// The longest pause grows with the number of workers, each of which looks at all logs.
const PAUSE_PER_WORKER: Duration = Duration::from_millis(10);
/// If so many tasks can be begun, workers start at different ones.
const MANY: usize = 32;
/// The part of the memory of a machine that a campaign uses if it has no limit of its own.
const USABLE: (u64, u64) = (4, 5);

/// Turns the options of a strategy into those of a check.
pub trait Settings {
    /// The options for a model or for a program. The limits of time and memory do not count.
    ///
    /// # Errors
    /// If the options do not fit each other or the problem.
    fn options(&self, words: &[String], is_program: bool) -> Result<Options, Error>;
}

/// How a worker ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All tasks are over.
    Complete,
    /// It was asked to stop.
    Stopped,
    /// The process holds memory or threads that it cannot give back: a new one is to go on.
    Restart,
}

/// What a worker needs to know beside the campaign.
pub struct Workplace<'a> {
    /// The folder of the campaign.
    pub campaign: &'a Path,
    /// Turns strategies into options.
    pub settings: &'a dyn Settings,
    /// The job of the cluster's scheduler that the worker belongs to.
    pub job: Option<String>,
    /// The memory that the worker has for itself, if it is known better than by the plan.
    pub memory: Option<u64>,
    /// The number of workers of the machine, if it is another one than that of the plan.
    pub jobs: Option<usize>,
    /// Ends the work.
    pub cancellation: Cancellation,
}

/// Works on a campaign until nothing is left to do.
///
/// # Errors
/// If the plan cannot be read, or a log cannot be written.
pub fn work(place: &Workplace<'_>) -> Result<Ending, Error> {
    Worker::start(place)?.work()
}

/// Makes tasks available whose workers are dead: another attempt of them may begin at once, and
/// the lost one does not count as a failure of the task. For the start of a campaign that goes on
/// after it was killed. With `all`, every worker is taken to be dead.
///
/// # Errors
/// If the campaign cannot be read, or its log cannot be written.
pub fn release_abandoned(campaign: &Path, all: bool) -> Result<usize, Error> {
    let results = Results::read(campaign)?;
    let owner = Owner::this("start");
    let mut claims = Claims::open(campaign, owner, results.plan.heartbeat())?;
    let mut log: Option<LogWriter> = None;
    let mut released = 0;
    for (task, state) in results.plan.tasks.iter().zip(&results.tasks) {
        let last = claims.last_attempt(task.id, state.attempts);
        let is_lost = !state.is_over && last > state.released;
        if !is_lost || !(all || claims.is_dead(task.id, last)) {
            continue;
        }
        let log = match &mut log {
            Some(log) => log,
            None => {
                let wanted = format!("{}-{}-start", host(), std::process::id());
                log.insert(LogWriter::create(campaign, &wanted)?)
            }
        };
        log.append(&Line::End(End {
            task: task.id.to_string(),
            worker: log.worker().to_owned(),
            time: now(),
            attempt: last,
            outcome: Outcome::Stopped,
            message: Some("the worker is dead".to_owned()),
            cpu_seconds: 0.0,
            memory_bytes: 0,
        }))?;
        released += 1;
    }
    Ok(released)
}

struct Worker<'a> {
    place: &'a Workplace<'a>,
    results: Results,
    claims: Claims,
    alone: Alone,
    recorder: Arc<Mutex<Recorder>>,
    owner: Owner,
    loaded: Option<Loaded>,
    store: Option<Arc<Store>>,
    /// The number of threads before the first task.
    threads: usize,
}

/// A task that was claimed.
struct Claimed {
    task: PlannedTask,
    claim: Claim,
    alone: bool,
}

impl<'a> Worker<'a> {
    fn start(place: &'a Workplace<'a>) -> Result<Self, Error> {
        let results = Results::read(place.campaign)?;
        let wanted = format!("{}-{}", host(), std::process::id());
        let mut log = LogWriter::create(place.campaign, &wanted)?;
        let owner = Owner::this(log.worker());
        log.append(&Line::Start(Start {
            worker: owner.worker.clone(),
            time: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: owner.host.clone(),
            pid: owner.pid,
            job: place.job.clone(),
        }))?;
        let claims = Claims::open(place.campaign, owner.clone(), results.plan.heartbeat())?;
        let alone = Alone::open(place.campaign, owner.clone());
        let recorder = Recorder::new(place.campaign, log, place.cancellation.clone());
        let recorder = Arc::new(Mutex::new(recorder));
        let (loaded, threads) = (None, thread_count());
        let store = results.plan.store.clone().map(Store::open).transpose()?.map(Arc::new);
        Ok(Worker { place, results, claims, alone, recorder, owner, loaded, store, threads })
    }

    fn work(mut self) -> Result<Ending, Error> {
        let mut pause = PAUSE.0;
        loop {
            self.results.update()?;
            if self.results.is_complete() {
                return Ok(Ending::Complete);
            }
            if self.place.cancellation.is_cancelled() {
                return Ok(Ending::Stopped);
            }
            match self.next()? {
                Some(claimed) => {
                    pause = PAUSE.0;
                    if self.run(&claimed)? == Outcome::Memory || self.has_strays() {
                        return Ok(Ending::Restart);
                    }
                }
                None => {
                    std::thread::sleep(pause);
                    // Many workers without a task must not keep the file system busy.
                    let workers = u32::try_from(self.results.workers.len()).unwrap_or(u32::MAX);
                    pause = (pause * 2).min(PAUSE.1.max(workers * PAUSE_PER_WORKER));
                }
            }
        }
    }

    /// Are there threads that do not end although their task has?
    fn has_strays(&self) -> bool {
        let deadline = Instant::now() + PAUSE.1;
        while thread_count() > self.threads {
            if Instant::now() > deadline {
                return true;
            }
            std::thread::sleep(PAUSE.0);
        }
        false
    }

    /// Claims a task, if one can be begun.
    fn next(&mut self) -> Result<Option<Claimed>, Error> {
        if self.alone.is_held_by_another() {
            return Ok(None);
        }
        let (small, large): (Vec<TaskId>, Vec<TaskId>) =
            self.candidates().into_iter().partition(|id| !self.results.tasks[id.0].needs_memory);
        for &id in &small {
            if let Some(claim) = self.claim_fresh(id)? {
                return self.claimed(id, claim, false);
            }
        }
        for &id in &small {
            if let Some(claim) = self.claim_abandoned(id)? {
                return self.claimed(id, claim, false);
            }
        }
        // What needs much memory comes last.
        if small.is_empty() && !large.is_empty() && self.alone.acquire()? {
            for &id in &large {
                let fresh = self.claim_fresh(id)?;
                if let Some(claim) =
                    fresh.map_or_else(|| self.claim_abandoned(id), |c| Ok(Some(c)))?
                {
                    return self.claimed(id, claim, true);
                }
            }
            self.alone.release();
        }
        Ok(None)
    }

    /// A claimed task, unless it was over when the claim was made.
    fn claimed(&mut self, id: TaskId, claim: Claim, alone: bool) -> Result<Option<Claimed>, Error> {
        self.results.update()?;
        let task = self.results.plan.tasks[id.0].clone();
        if self.results.tasks[id.0].is_over {
            if alone {
                self.alone.release();
            }
            return Ok(None);
        }
        Ok(Some(Claimed { task, claim, alone }))
    }

    /// The tasks that may be begun: those of the earliest stage first, and in it those of the
    /// model that the worker has read.
    fn candidates(&self) -> Vec<TaskId> {
        let is_over = |id: TaskId| self.results.tasks[id.0].is_over;
        let tasks = || self.results.plan.tasks.iter().filter(|task| !is_over(task.id));
        // What the store does not know is decided when it has been asked about the whole model.
        let asked: BTreeSet<usize> =
            tasks().filter(|task| task.stored).map(|task| task.model).collect();
        let ready = |task: &&PlannedTask| {
            task.after.is_none_or(is_over) && (task.stored || !asked.contains(&task.model))
        };
        let loaded = self.loaded.as_ref().map(|loaded| loaded.model);
        let mut ready: Vec<&PlannedTask> = tasks().filter(ready).collect();
        ready.sort_by_key(|task| (task.stage, Some(task.model) != loaded, task.id));
        let first = ready.first().map(|task| (task.stage, task.model));
        let alike = ready.iter().take_while(|task| Some((task.stage, task.model)) == first).count();
        if alike >= MANY {
            let mut hasher = DefaultHasher::new();
            self.owner.hash_into(&mut hasher);
            let start = usize::try_from(hasher.finish() % alike as u64).unwrap_or(0);
            ready[..alike].rotate_left(start);
        }
        ready.into_iter().map(|task| task.id).collect()
    }

    /// Claims a task that nobody works on as far as the logs say.
    fn claim_fresh(&mut self, id: TaskId) -> Result<Option<Claim>, Error> {
        let state = &self.results.tasks[id.0];
        let is_fresh = state.attempts == 0 || state.released == state.attempts;
        if is_fresh { self.claims.claim(id, state.attempts + 1) } else { Ok(None) }
    }

    /// Claims a task whose worker is dead. If that has happened too often, the task is given up.
    fn claim_abandoned(&mut self, id: TaskId) -> Result<Option<Claim>, Error> {
        let last = self.claims.last_attempt(id, self.results.tasks[id.0].attempts);
        if last == 0 || !self.claims.is_dead(id, last) {
            return Ok(None);
        }
        let Some(claim) = self.claims.claim(id, last + 1)? else { return Ok(None) };
        // A worker that was killed with the whole campaign does not count.
        let died = last.saturating_sub(self.results.tasks[id.0].released);
        if died < MOST_ATTEMPTS {
            return Ok(Some(claim));
        }
        let message = format!("the worker of this task died {died} times");
        self.end(id, claim.attempt, Outcome::Failed, Some(message), 0.0)?;
        Ok(None)
    }

    fn run(&mut self, claimed: &Claimed) -> Result<Outcome, Error> {
        let Claimed { task, claim, alone } = claimed;
        let strategy = choose(&self.results, task).clone();
        let begin = Begin {
            task: task.id.to_string(),
            worker: self.owner.worker.clone(),
            time: now(),
            attempt: claim.attempt,
            strategy: strategy.name.clone(),
            alone: *alone,
        };
        lock(&self.recorder).append(&Line::Begin(begin))?;
        let start = cpu_seconds();
        let heartbeat = Heartbeat::start(claim.path().to_owned(), self.results.plan.heartbeat());
        if *alone {
            self.wait_for_others()?;
        }
        let decide = || self.decide(task, claim.attempt, &strategy, *alone);
        let decided = catch_unwind(AssertUnwindSafe(decide)).unwrap_or_else(|_| {
            self.loaded = None;
            Err(Error::Bug("an engine panicked".to_owned()))
        });
        drop(heartbeat);
        if *alone {
            self.alone.release();
        }
        if let Some(failure) = lock(&self.recorder).take_failure() {
            return Err(failure);
        }
        let bugs = lock(&self.recorder).bugs().join("; ");
        let (outcome, message) = match decided {
            Ok(None) => (Outcome::Done, (!bugs.is_empty()).then_some(bugs)),
            Ok(Some(Early::Cancelled)) => (Outcome::Stopped, None),
            Ok(Some(Early::Memory)) => {
                (Outcome::Memory, Some("the limit of memory was reached".to_owned()))
            }
            Err(error) => (Outcome::Failed, Some(error.to_string())),
        };
        self.end(task.id, claim.attempt, outcome, message, cpu_seconds() - start)?;
        Ok(outcome)
    }

    fn decide(
        &mut self,
        task: &PlannedTask,
        attempt: u32,
        strategy: &super::plan::Strategy,
        alone: bool,
    ) -> Result<Option<Early>, Error> {
        let model = &self.results.plan.models[task.model];
        let heading = Heading {
            task: task.id.to_string(),
            model: (model.name.clone(), task.model),
            strategy: strategy.name.clone(),
            stage: task.stage,
            attempt,
        };
        lock(&self.recorder).begin(heading);
        let open = self.open(task);
        self.load(task.model)?;
        let loaded = self.loaded.as_mut().expect("it was loaded");
        let is_program = matches!(loaded.problem, Problem::Program(_));
        let options = Options {
            memory: Some(memory(self.place, &self.results, alone)),
            cancellation: self.place.cancellation.clone(),
            shortening: crate::options::Shortening::Off,
            store: self.store.clone(),
            ..self.place.settings.options(&strategy.options, is_program)?
        };
        let (time, stage, recorder) = (strategy.time(), task.stage, &self.recorder);
        let question = Question { open, options, time, stage, alone, recorder };
        if task.stored { question.look_up(loaded) } else { question.decide(loaded) }
    }

    /// The properties of a task without a verdict and without a line of its stage.
    fn open(&self, task: &PlannedTask) -> Vec<PropertyId> {
        let is_open = |index: &usize| {
            self.results.property(task.model, *index).is_some_and(|property| {
                property.decided().is_none() && !property.attempts.contains_key(&task.stage)
            })
        };
        task.properties.iter().copied().filter(is_open).map(PropertyId).collect()
    }

    /// Reads a model, unless it is the one that was read last.
    fn load(&mut self, model: usize) -> Result<(), Error> {
        if self.loaded.as_ref().is_some_and(|loaded| loaded.model == model) {
            return Ok(());
        }
        // The memory of the old model is free before the new one needs it.
        self.loaded = None;
        let planned = &self.results.plan.models[model];
        let bytes = std::fs::read(&planned.path).map_err(Error::reading(&planned.path))?;
        if digest(&bytes) != planned.sha256 {
            let name = &planned.name;
            let message = format!("{name} has changed since the campaign was planned");
            return Err(Error::Usage(message));
        }
        let source = Source::new(planned.name.clone(), bytes);
        let problem = Problem::from_source(Arc::new(source), None)?;
        self.loaded = Some(Loaded::new(model, problem));
        Ok(())
    }

    /// Waits until no other worker of this machine has a task.
    fn wait_for_others(&mut self) -> Result<(), Error> {
        loop {
            self.results.update()?;
            let tasks = self.results.tasks.iter().enumerate();
            let running: Vec<(usize, u32)> = tasks
                .filter(|(_, state)| {
                    let worker = state.worker.as_ref().filter(|name| **name != self.owner.worker);
                    let start = worker.and_then(|name| self.results.workers.get(name));
                    start.is_some_and(|start| start.host == self.owner.host)
                })
                .map(|(id, state)| (id, state.attempts))
                .collect();
            let is_alive =
                |&(id, attempt): &(usize, u32)| !self.claims.is_dead(TaskId(id), attempt);
            let waits = running.iter().any(is_alive);
            if !waits || self.place.cancellation.is_cancelled() {
                return Ok(());
            }
            std::thread::sleep(PAUSE.1);
        }
    }

    fn end(
        &mut self,
        id: TaskId,
        attempt: u32,
        outcome: Outcome,
        message: Option<String>,
        cpu_seconds: f64,
    ) -> Result<(), Error> {
        let end = End {
            task: id.to_string(),
            worker: self.owner.worker.clone(),
            time: now(),
            attempt,
            outcome,
            message,
            cpu_seconds,
            memory_bytes: peak_memory(),
        };
        lock(&self.recorder).append(&Line::End(end))
    }
}

impl Owner {
    fn hash_into(&self, hasher: &mut DefaultHasher) {
        (&self.worker, &self.host).hash(hasher);
    }
}

/// The memory that a task may use.
fn memory(place: &Workplace<'_>, results: &Results, alone: bool) -> u64 {
    if let Some(own) = place.memory {
        return own;
    }
    let limits = &results.plan.limits;
    let total = limits.memory.or_else(|| {
        let (part, of) = USABLE;
        Some(machine_memory()? / of * part)
    });
    let total = total.unwrap_or(u64::MAX);
    if alone { total } else { total / place.jobs.unwrap_or(limits.jobs).max(1) as u64 }
}

/// The memory of this machine in bytes, if it is known.
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// The number of threads of this process; zero where it is not known.
fn thread_count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Gives signs of life for a claim until it is dropped.
struct Heartbeat {
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Heartbeat {
    fn start(claim: PathBuf, period: Duration) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&over);
        let beat = move || {
            while !flag.load(Ordering::Relaxed) {
                touch(&claim);
                std::thread::park_timeout(period);
            }
        };
        let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(beat).ok();
        Heartbeat { over, thread }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A thread that has panicked does not beat any more.
            thread.join().ok();
        }
    }
}
