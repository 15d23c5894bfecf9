//! The conditions under which an engine works: limits, a seed, and an observer.
//!
//! Engines never print and never end the process. They ask [`Run::stop`] between queries
//! (solvers ask it within them) and report what happens with [`Run::emit`]. Progress bars,
//! logs and statistics subscribe to the events.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use elinvar_ir::program::Invariants;
use elinvar_ir::{Fact, PdrState, PropertyId, StopReason};
use elinvar_logic::Watch;
use elinvar_transform::Limits;

use crate::ring::Gate;
use crate::statistics::Statistics;

/// The work between two questions of CaDiCaL whether to stop, about.
pub(crate) const WORK_OF_A_QUESTION: u64 = 15;

/// The work of so many ticks of our own SAT core, about.
pub(crate) fn work_of(ticks: u64) -> u64 {
    ticks / 64
}

/// The work of so many ticks of CaDiCaL, about.
pub(crate) fn work_of_ticks(ticks: u64) -> u64 {
    ticks / 40
}

/// The work of giving so many clauses to a solver, or of looking whether it has them, about.
pub(crate) fn work_of_clauses(count: usize) -> u64 {
    count as u64 / 2
}

/// The work of building so many bytes of an unrolling and its solver, about. CaDiCaL also
/// simplifies what it was given, which it does not count in its ticks.
pub(crate) fn work_of_bytes(bytes: u64) -> u64 {
    bytes / 256
}

/// The work of reading so many values from a model, about.
pub(crate) fn work_of_values(values: usize) -> u64 {
    values as u64 / 64
}

/// What an engine reports while it works.
#[derive(Clone, Debug)]
pub enum Event {
    /// An engine works on this bound.
    Progress {
        /// The engine's name.
        engine: &'static str,
        /// The number of steps, or of frames, that it looks at.
        bound: usize,
        /// What it does, in a few words each, the most important part first. Without them,
        /// observers may show the queries.
        details: Vec<String>,
    },
    /// A solver query ended.
    Query {
        /// The engine's name.
        engine: &'static str,
        /// What was asked, in a word.
        kind: &'static str,
        /// How the query ended.
        answer: QueryAnswer,
        /// The conflicts of the solver.
        conflicts: u64,
        /// The time that the query took.
        time: Duration,
    },
    /// Array lemmas were added on demand.
    ArrayLemmas {
        /// The engine's name.
        engine: &'static str,
        /// How many.
        count: usize,
    },
    /// Pairs of states were constrained to differ.
    DistinctPairs {
        /// The engine's name.
        engine: &'static str,
        /// How many.
        count: usize,
    },
    /// A part of the run is over; these are its numbers.
    Statistics(Arc<dyn Statistics>),
    /// What is known by now, for a later run: see [`Run::with_states`].
    State(Arc<PdrState>),
    /// Of the states that lead to a failure, these keep the engine busy.
    Recurring(Arc<Recurring>),
    /// The instance of a family under this bound was decided.
    Instance {
        /// The value in place of the input.
        bound: u64,
    },
    /// A property got its verdict, not yet checked.
    Decided {
        /// The engine's name.
        engine: &'static str,
        /// The property.
        property: PropertyId,
        /// Whether it holds.
        safe: bool,
        /// As in [`crate::Finding`].
        depth: usize,
    },
}

impl Event {
    /// An engine starts to look at a bound.
    pub(crate) fn bound(engine: &'static str, bound: usize) -> Self {
        Event::Progress { engine, bound, details: Vec::new() }
    }

    /// The numbers that the event carries, if they are of this kind.
    pub fn statistics<T: Statistics>(&self) -> Option<&T> {
        match self {
            Event::Statistics(statistics) => (**statistics).downcast_ref(),
            Event::Progress { .. }
            | Event::Query { .. }
            | Event::ArrayLemmas { .. }
            | Event::DistinctPairs { .. }
            | Event::State(_)
            | Event::Recurring(_)
            | Event::Instance { .. }
            | Event::Decided { .. } => None,
        }
    }
}

/// States of the user's system from which a property fails, and which an engine has to exclude
/// again and again: an obligation of property directed reachability.
#[derive(Clone, Debug)]
pub struct Recurring {
    /// The property that fails.
    pub property: PropertyId,
    /// The states.
    pub states: States,
    /// How many steps before the failure they are, in transitions of a system or in paths
    /// between the listed locations of a program.
    pub steps: usize,
    /// How often the engine worked on them.
    pub times: u32,
}

/// A set of states.
#[derive(Clone, Debug)]
pub enum States {
    /// The states of a system of which all of these facts are true.
    System(Vec<Fact>),
    /// The states of a program at a location for which all of the clauses hold.
    Program(Invariants),
}

/// A part of an engine ended before it was done, because the run has to stop for this reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped(pub StopReason);
/// How a query ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryAnswer {
    /// With a model.
    Sat,
    /// Without one.
    Unsat,
    /// Without an answer.
    Stopped,
}

/// How much work an engine may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// So many questions whether it must stop. Solvers ask at regular points of their work,
    /// so that this limit has the same effect on every machine.
    Questions(u64),
    /// So much work for each open property. Solvers count it by what they look at, so that this
    /// limit, too, has the same effect on every machine. It is closer to a limit of time than a
    /// number of questions.
    Work(u64),
    /// So much time.
    Time(Duration),
    /// Until the run is stopped.
    Unlimited,
}

type Observer = dyn Fn(&Event) + Send + Sync;

/// The conditions of one run. Cheap to clone; clones share the cancellation.
#[derive(Clone)]
pub struct Run {
    deadline: Option<Instant>,
    memory: Option<u64>,
    seed: u64,
    cancelled: Arc<AtomicBool>,
    /// The flags of the runs that this one is a part of.
    outer: Vec<Arc<AtomicBool>>,
    /// How often the run may still be asked to go on.
    effort: Option<Arc<AtomicU64>>,
    /// How much work it may still do.
    allowance: Option<Arc<AtomicU64>>,
    observer: Arc<Observer>,
    states: Option<Arc<Reporting>>,
    /// Where it waits for its turns, if it shares the processor with others.
    gate: Option<Arc<Gate>>,
    /// When memory is to be looked at again, in milliseconds since `start`.
    memory_check: Arc<AtomicU64>,
    start: Instant,
    /// The limit of memory was passed once: the run is over, for all its parts.
    memory_passed: Arc<AtomicBool>,
}

/// When states are told.
struct Reporting {
    every: Duration,
    /// A later run will start from them.
    in_series: bool,
    last: Mutex<Instant>,
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl Run {
    /// No limits, seed zero, nobody listening.
    pub fn new() -> Self {
        Run {
            deadline: None,
            memory: None,
            seed: 0,
            cancelled: Arc::default(),
            outer: Vec::new(),
            effort: None,
            allowance: None,
            observer: Arc::new(|_| {}),
            states: None,
            gate: None,
            memory_check: Arc::default(),
            start: Instant::now(),
            memory_passed: Arc::default(),
        }
    }

    /// The same run, which stops after this much time.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.deadline = Instant::now().checked_add(timeout);
        self
    }

    /// Stop when the process holds more than this many bytes.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The same run, with a seed for random choices.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same run, with an observer of its events.
    pub fn with_observer(mut self, observer: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.observer = Arc::new(observer);
        self
    }

    /// Stop when this flag is set.
    pub fn with_cancellation(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancelled = flag;
        self
    }

    /// Tell what is known at the end, and every now and then, as [`Event::State`], for a later
    /// run that starts from there. Engines whose lemmas cannot be kept are left out of schedules.
    pub fn with_states(self, every: Duration) -> Self {
        self.telling_states(every, true)
    }

    /// Tell what is known at the end, and every now and then, as [`Event::State`], for people.
    /// The search is the same as without.
    pub fn with_states_for_people(self, every: Duration) -> Self {
        self.telling_states(every, false)
    }

    fn telling_states(mut self, every: Duration, in_series: bool) -> Self {
        let last = Mutex::new(Instant::now());
        self.states = Some(Arc::new(Reporting { every, in_series, last }));
        self
    }

    /// The same run, but nobody wants to know its state.
    pub(crate) fn without_states(&self) -> Self {
        Run { states: None, ..self.clone() }
    }

    /// Does anybody want to know the state at the end?
    pub(crate) fn wants_state(&self) -> bool {
        self.states.is_some()
    }

    /// Will a later run start from the state at the end?
    pub(crate) fn is_in_series(&self) -> bool {
        self.states.as_ref().is_some_and(|states| states.in_series)
    }

    /// Is it time again to tell the state?
    pub(crate) fn is_state_due(&self) -> bool {
        let Some(states) = &self.states else { return false };
        let mut last = states.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.elapsed() >= states.every;
        if due {
            *last = Instant::now();
        }
        due
    }

    /// The same run, which takes turns with others.
    pub(crate) fn with_gate(self, gate: Gate) -> Self {
        Run { gate: Some(Arc::new(gate)), ..self }
    }

    /// The same run, which does not wait for turns.
    pub(crate) fn without_gate(&self) -> Self {
        Run { gate: None, ..self.clone() }
    }

    /// Where it waits for its turns.
    pub(crate) fn gate(&self) -> Option<&Gate> {
        self.gate.as_deref()
    }

    /// A part of this run that can be cancelled alone.
    pub fn child(&self) -> Self {
        let mut child = self.clone();
        child.outer.push(std::mem::take(&mut child.cancelled));
        child
    }

    /// A part of this run that is over when it was asked so many times whether it
    /// must stop. Solvers ask at regular points of their work, so this bounds the
    /// effort as a clock does, but in the same way on every machine.
    pub(crate) fn with_effort(&self, questions: u64) -> Self {
        let mut child = self.child();
        child.effort = Some(Arc::new(AtomicU64::new(questions)));
        child
    }

    /// A part of this run that is over after so much work.
    fn with_allowance(&self, work: u64) -> Self {
        let mut child = self.child();
        child.allowance = Some(Arc::new(AtomicU64::new(work)));
        child
    }

    /// A part of this run that is over after so much time.
    pub(crate) fn within(&self, time: Duration) -> Self {
        let mut child = self.child();
        let end = Instant::now().checked_add(time);
        child.deadline = self.deadline.into_iter().chain(end).min();
        child
    }

    /// A flag that stops the run when set, for signal handlers and racing threads.
    pub fn cancellation(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// The seed of random choices.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Reports an event to the observer.
    pub fn emit(&self, event: Event) {
        (self.observer)(&event);
    }

    /// So much work was done. An engine that shares the processor waits here while it is not
    /// its turn.
    pub(crate) fn spend(&self, work: u64) {
        if let Some(allowance) = &self.allowance {
            let relaxed = Ordering::Relaxed;
            let left = |left: u64| Some(left.saturating_sub(work));
            allowance.fetch_update(relaxed, relaxed, left).ok();
        }
        if let Some(gate) = &self.gate {
            gate.spend(work);
        }
    }

    /// Must the engine stop, and why? Cheap enough to be asked by a solver
    /// thousands of times a second; memory is looked at a hundred times a second.
    pub fn stop(&self) -> Option<StopReason> {
        self.stop_after(WORK_OF_A_QUESTION)
    }

    /// The same after so much work: about microseconds, but the same on every machine.
    pub fn stop_after(&self, work: u64) -> Option<StopReason> {
        self.spend(work);
        if self.is_exhausted() { Some(StopReason::Cancelled) } else { self.passed() }
    }

    /// The limit that was passed, if any. As [`Run::stop`], but asking costs no effort: for
    /// work that is not counted, such as the building of circuits.
    pub fn passed(&self) -> Option<StopReason> {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if is_set(&self.cancelled) || self.outer.iter().any(is_set) {
            return Some(StopReason::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(StopReason::Timeout);
        }
        let limit = self.memory?;
        if self.is_memory_due() && resident_bytes().is_some_and(|used| used > limit) {
            self.memory_passed.store(true, Ordering::Relaxed);
        }
        is_set(&self.memory_passed).then_some(StopReason::Memory)
    }

    /// Fails if the engine must stop. Asking costs effort, as with [`Run::stop`].
    pub(crate) fn go_on(&self) -> Result<(), Stopped> {
        self.stop().map_or(Ok(()), |reason| Err(Stopped(reason)))
    }

    /// Why a solver of this run gave no answer. Asking costs no effort: if no limit was
    /// passed, the effort is spent.
    pub(crate) fn stopped(&self) -> Stopped {
        Stopped(self.passed().unwrap_or(StopReason::Cancelled))
    }

    /// A part of this run with so much effort, for so many properties.
    pub(crate) fn limited(&self, effort: Effort, properties: usize) -> Self {
        match effort {
            Effort::Questions(questions) => self.with_effort(questions),
            Effort::Work(work) => self.with_allowance(work.saturating_mul(properties as u64)),
            Effort::Time(time) => self.within(time),
            Effort::Unlimited => self.child(),
        }
    }

    /// The same for the construction of circuits.
    pub(crate) fn watch(&self) -> Watch {
        let run = self.clone();
        Watch::new(move || run.passed().is_some())
    }

    /// Is it time to look at the memory again? Looking costs a system call.
    fn is_memory_due(&self) -> bool {
        const EVERY: u64 = 10;
        let now = self.start.elapsed().as_millis() as u64;
        let due = now >= self.memory_check.load(Ordering::Relaxed);
        if due {
            self.memory_check.store(now + EVERY, Ordering::Relaxed);
        }
        due
    }

    fn is_exhausted(&self) -> bool {
        if self.allowance.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0) {
            return true;
        }
        let spend = |left: u64| left.checked_sub(1);
        let relaxed = Ordering::Relaxed;
        let Some(effort) = &self.effort else { return false };
        effort.fetch_update(relaxed, relaxed, spend).is_err()
    }
}

impl Limits for Run {
    fn stop(&self) -> Option<StopReason> {
        Run::stop(self)
    }

    fn passed(&self) -> Option<StopReason> {
        Run::passed(self)
    }

    fn seed(&self) -> u64 {
        Run::seed(self)
    }

    fn share(&self) -> Arc<dyn Limits> {
        Arc::new(self.clone())
    }
}

/// The memory that the process holds, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    // This file counts in KiB, whatever the size of a page is.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = resident.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stop_a_run() {
        assert_eq!(Run::new().stop(), None);
        assert_eq!(Run::new().with_timeout(Duration::ZERO).stop(), Some(StopReason::Timeout));
        let small = Run::new().with_memory(1);
        assert_eq!(small.stop(), Some(StopReason::Memory));
        assert_eq!(small.child().stop(), Some(StopReason::Memory), "not asked for again");
        let run = Run::new();
        run.clone().cancellation().store(true, Ordering::Relaxed);
        assert_eq!(run.stop(), Some(StopReason::Cancelled));
    }

    #[test]
    fn a_part_of_a_run_ends_alone_or_with_it() {
        let run = Run::new();
        let (one, other) = (run.child(), run.child().child());
        one.cancellation().store(true, Ordering::Relaxed);
        assert_eq!(one.stop(), Some(StopReason::Cancelled));
        assert_eq!((run.stop(), other.stop()), (None, None));
        run.cancellation().store(true, Ordering::Relaxed);
        assert_eq!(other.stop(), Some(StopReason::Cancelled));
    }

    #[test]
    fn a_part_of_a_run_has_less_time() {
        let run = Run::new();
        assert_eq!(run.within(Duration::ZERO).stop(), Some(StopReason::Timeout));
        assert_eq!(run.within(Duration::from_secs(1000)).stop(), None);
        let over = Run::new().with_timeout(Duration::ZERO);
        assert_eq!(over.within(Duration::from_secs(1000)).stop(), Some(StopReason::Timeout));
        assert_eq!(run.stop(), None);
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        let before = resident_bytes().unwrap();
        let held = vec![1u8; 64 << 20];
        let after = resident_bytes().unwrap();
        assert!(held.iter().all(|&byte| byte == 1));
        assert!((48 << 20..1 << 30).contains(&(after - before)), "{before} {after}");
    }

    #[test]
    fn effort_is_spent_by_asking() {
        let run = Run::new();
        let part = run.with_effort(2);
        assert_eq!((part.stop(), part.clone().stop()), (None, None));
        assert_eq!(part.stop(), Some(StopReason::Cancelled));
        assert_eq!(run.stop(), None);
    }
}
