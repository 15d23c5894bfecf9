//! Listening to a run: statistics for the report, and a line that shows life.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use elinvar_engines::{Answer, Event, Run, resident_bytes};
use elinvar_ir::PropertyId;

/// What happened in a run so far.
#[derive(Clone, Default)]
pub struct Statistics {
    pub engine: &'static str,
    /// The bound that was worked on last.
    pub bound: usize,
    /// By kind of query.
    pub queries: BTreeMap<&'static str, Queries>,
    pub array_lemmas: usize,
    pub distinct_pairs: usize,
    /// When a property was decided, counted from the start.
    pub decided: BTreeMap<PropertyId, Duration>,
}

/// The solver queries of one kind.
#[derive(Clone, Default)]
pub struct Queries {
    pub count: u64,
    pub satisfiable: u64,
    pub unsatisfiable: u64,
    pub stopped: u64,
    pub conflicts: u64,
    pub time: Duration,
}

impl Statistics {
    fn hear(&mut self, event: &Event, elapsed: Duration) {
        match *event {
            Event::Bound { engine, bound } => (self.engine, self.bound) = (engine, bound),
            Event::Query { kind, answer, conflicts, time, .. } => {
                let queries = self.queries.entry(kind).or_default();
                queries.count += 1;
                queries.conflicts += conflicts;
                queries.time += time;
                match answer {
                    Answer::Sat => queries.satisfiable += 1,
                    Answer::Unsat => queries.unsatisfiable += 1,
                    Answer::Stopped => queries.stopped += 1,
                }
            }
            Event::ArrayLemmas { count, .. } => self.array_lemmas += count,
            Event::DistinctPairs { count, .. } => self.distinct_pairs += count,
            Event::Decided { property, .. } => {
                self.decided.entry(property).or_insert(elapsed);
            }
        }
    }

    /// The queries of all kinds together.
    pub fn total(&self) -> Queries {
        let mut total = Queries::default();
        for queries in self.queries.values() {
            total.count += queries.count;
            total.satisfiable += queries.satisfiable;
            total.unsatisfiable += queries.unsatisfiable;
            total.stopped += queries.stopped;
            total.conflicts += queries.conflicts;
            total.time += queries.time;
        }
        total
    }
}

/// Collects the statistics of one run.
#[derive(Clone)]
pub struct Monitor {
    start: Instant,
    statistics: Arc<Mutex<Statistics>>,
}

impl Monitor {
    pub fn new() -> Self {
        Monitor { start: Instant::now(), statistics: Arc::default() }
    }

    /// The run, observed by this monitor.
    pub fn attach(&self, run: Run) -> Run {
        let monitor = self.clone();
        run.with_observer(move |event| {
            let elapsed = monitor.start.elapsed();
            let mut statistics = monitor.statistics.lock().unwrap_or_else(PoisonError::into_inner);
            statistics.hear(event, elapsed);
        })
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Shows a line on the terminal until the result is dropped; nothing when
    /// standard error is no terminal.
    pub fn show(&self) -> Option<Progress> {
        std::io::stderr().is_terminal().then(|| Progress::start(self.clone()))
    }
}

/// A line on standard error that is rewritten several times a second.
pub struct Progress {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    fn start(monitor: Monitor) -> Self {
        const PERIOD: Duration = Duration::from_millis(200);
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                eprint!("\r\x1b[K{}", line(&monitor.statistics(), monitor.elapsed()));
            }
            eprint!("\r\x1b[K");
            // Nothing can be done about a terminal that went away.
            std::io::stderr().flush().ok();
        });
        Progress { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A progress line that failed is no reason to fail.
            thread.join().ok();
        }
    }
}

fn line(statistics: &Statistics, elapsed: Duration) -> String {
    let total = statistics.total();
    let memory = resident_bytes().map_or_else(String::new, |b| format!(", {} MiB", b >> 20));
    format!(
        "{} bound {}: {} queries, {} conflicts{memory}, {:.0} s",
        statistics.engine,
        statistics.bound,
        total.count,
        total.conflicts,
        elapsed.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted() {
        let monitor = Monitor::new();
        let run = monitor.attach(Run::new());
        let query = |answer| Event::Query {
            engine: "e",
            kind: "base",
            answer,
            conflicts: 3,
            time: Duration::from_millis(1),
        };
        run.emit(Event::Bound { engine: "e", bound: 7 });
        run.emit(query(Answer::Sat));
        run.emit(query(Answer::Unsat));
        let decided = Event::Decided { engine: "e", property: PropertyId(1), safe: true, depth: 7 };
        run.emit(decided);
        let statistics = monitor.statistics();
        assert_eq!((statistics.engine, statistics.bound), ("e", 7));
        assert_eq!((statistics.total().count, statistics.total().conflicts), (2, 6));
        assert!(statistics.decided.contains_key(&PropertyId(1)));
        assert!(line(&statistics, Duration::ZERO).starts_with("e bound 7: 2 queries, 6 conflicts"));
    }
}
