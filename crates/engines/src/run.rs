//! What an engine may use of the world: a budget, a seed, and a place to report to.
//!
//! Engines never print, never read a clock of their own and never end the
//! process: they ask [`Run::stop`] between queries (solvers ask it within them)
//! and tell [`Run::emit`] what happens. Progress bars, logs and statistics
//! subscribe to the events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use elinvar_ir::{PropertyId, StopReason};

/// What an engine reports while it works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The engine starts to look at this bound.
    Bound { engine: &'static str, bound: usize },
    /// A solver query ended.
    Query {
        engine: &'static str,
        kind: &'static str,
        answer: Answer,
        conflicts: u64,
        time: Duration,
    },
    /// Array lemmas were added on demand.
    ArrayLemmas { engine: &'static str, count: usize },
    /// Pairs of states were constrained to differ.
    DistinctPairs { engine: &'static str, count: usize },
    /// A property got its verdict, not yet checked.
    Decided { engine: &'static str, property: PropertyId, safe: bool, depth: usize },
}

/// How a query ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    Stopped,
}

type Observer = dyn Fn(&Event) + Send + Sync;

/// The conditions of one run. Cheap to clone; clones share the cancellation.
#[derive(Clone)]
pub struct Run {
    deadline: Option<Instant>,
    memory: Option<u64>,
    seed: u64,
    cancelled: Arc<AtomicBool>,
    observer: Arc<Observer>,
    memory_check: Arc<AtomicU64>,
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
            observer: Arc::new(|_| {}),
            memory_check: Arc::default(),
        }
    }

    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.deadline = Instant::now().checked_add(timeout);
        self
    }

    /// Stop when the process holds more than this many bytes.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub fn with_observer(mut self, observer: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.observer = Arc::new(observer);
        self
    }

    /// A flag that stops the run when set, for signal handlers and racing threads.
    pub fn cancellation(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn emit(&self, event: Event) {
        (self.observer)(&event);
    }

    /// Must the engine stop, and why? Cheap enough to be asked by a solver
    /// thousands of times a second; memory is looked at every 1,024th time.
    pub fn stop(&self) -> Option<StopReason> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(StopReason::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(StopReason::Timeout);
        }
        let limit = self.memory?;
        let asked = self.memory_check.fetch_add(1, Ordering::Relaxed);
        let over = asked.is_multiple_of(1024) && resident_bytes().is_some_and(|used| used > limit);
        over.then_some(StopReason::Memory)
    }
}

/// The memory that the process holds, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stop_a_run() {
        assert_eq!(Run::new().stop(), None);
        assert_eq!(Run::new().with_timeout(Duration::ZERO).stop(), Some(StopReason::Timeout));
        assert_eq!(Run::new().with_memory(1).stop(), Some(StopReason::Memory));
        let run = Run::new();
        run.clone().cancellation().store(true, Ordering::Relaxed);
        assert_eq!(run.stop(), Some(StopReason::Cancelled));
    }
}
