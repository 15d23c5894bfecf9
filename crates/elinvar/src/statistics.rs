//! What happened in a run: statistics for the report, and a line of progress.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use elinvar_engines::interpolation::InterpolationStatistics;
use elinvar_engines::pdr::{PdrStatistics, Reuse, WordsStatistics};
use elinvar_engines::{Answer, Event, resident_bytes};
use elinvar_ir::PropertyId;
use elinvar_transform::PassReport;

use crate::readable::count;

/// What happened in a run so far.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    /// The engine that worked last.
    pub engine: &'static str,
    /// The bound that was worked on last.
    pub bound: usize,
    /// By kind of query.
    pub queries: BTreeMap<&'static str, Queries>,
    /// Array lemmas that were added on demand.
    pub array_lemmas: usize,
    /// Pairs of states that were constrained to differ.
    pub distinct_pairs: usize,
    /// How the model was simplified, if it was.
    pub passes: Vec<PassReport>,
    /// The frames of property directed reachability as they were seen last.
    pub frames: Option<Frames>,
    /// What property directed reachability did, told when it is over.
    pub pdr: Option<Box<PdrStatistics>>,
    /// What it did on words.
    pub words: Option<Box<WordsStatistics>>,
    /// The interpolants that were seen last.
    pub interpolants: Option<Interpolants>,
    /// What an engine with interpolants did, told when it is over.
    pub interpolation: Option<Box<InterpolationStatistics>>,
    /// What became of the lemmas of an earlier run.
    pub reuse: Option<Reuse>,
    /// How many instances of a family were decided.
    pub bounds_decided: usize,
    /// The properties that were decided.
    pub decided: BTreeMap<PropertyId, Decision>,
}

/// When a property was decided, counted from the start, and by which engine.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    pub engine: &'static str,
    pub time: Duration,
    /// Of the bad cycle, or where the proof converged; zero if that is not known.
    pub depth: usize,
}

/// A view of the frames.
#[derive(Clone, Debug)]
pub struct Frames {
    /// When the first frame was seen, counted from the start.
    since: Duration,
    frontier: usize,
    /// By level, from 1.
    lemmas: Vec<usize>,
    invariant: usize,
    obligations: usize,
    queries: u64,
}

/// The interpolants of one refutation.
#[derive(Clone, Copy, Debug)]
pub struct Interpolants {
    /// How many frames got one.
    frames: usize,
    /// Clauses of the proof.
    steps: usize,
    gates: usize,
}

/// The solver queries of one kind.
#[derive(Clone, Default, Debug)]
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
            Event::Passes(ref passes) => self.passes.clone_from(passes),
            Event::Bound { engine, bound } => {
                (self.engine, self.bound, self.frames) = (engine, bound, None);
            }
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
            Event::Frames { engine, frontier, ref lemmas, invariant, obligations, queries } => {
                (self.engine, self.bound) = (engine, frontier);
                let since = self.frames.as_ref().map_or(elapsed, |frames| frames.since);
                let lemmas = lemmas.clone();
                let frames = Frames { since, frontier, lemmas, invariant, obligations, queries };
                self.frames = Some(frames);
            }
            Event::Interpolants { engine, bound, frames, steps, gates } => {
                (self.engine, self.bound) = (engine, bound);
                self.interpolants = Some(Interpolants { frames, steps, gates });
            }
            Event::Interpolation(ref statistics) => self.interpolation = Some(statistics.clone()),
            Event::Reuse(reuse) => self.reuse = Some(reuse),
            Event::Stage(_) => self.bounds_decided += 1,
            // Saved, not counted.
            Event::State(_) => {}
            Event::Words(ref statistics) => self.words = Some(statistics.clone()),
            Event::Pdr(ref statistics) => {
                let mut statistics = statistics.clone();
                if let Some(frames) = &self.frames {
                    statistics.frontier = frames.frontier;
                    statistics.frames.clone_from(&frames.lemmas);
                    statistics.invariant_lemmas = frames.invariant;
                }
                self.pdr = Some(statistics);
            }
            Event::Decided { engine, property, depth, .. } => {
                let decision = Decision { engine, time: elapsed, depth };
                self.decided.entry(property).or_insert(decision);
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
        if let Some(pdr) = &self.pdr {
            total.conflicts += pdr.conflicts;
            for (_, queries) in pdr.queries() {
                total.count += queries.queries;
                total.satisfiable += queries.satisfiable;
                total.unsatisfiable += queries.queries - queries.satisfiable;
                total.time += queries.time;
            }
        }
        total
    }
}

/// Collects the statistics of one run.
#[derive(Clone, Debug)]
pub(crate) struct Monitor {
    start: Instant,
    statistics: Arc<Mutex<Statistics>>,
}

impl Monitor {
    pub fn new() -> Self {
        Monitor { start: Instant::now(), statistics: Arc::default() }
    }

    /// Counts an event.
    pub fn observe(&self, event: &Event) {
        let elapsed = self.start.elapsed();
        self.lock().hear(event, elapsed);
    }

    pub fn statistics(&self) -> Statistics {
        self.lock().clone()
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Statistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Statistics {
    /// One line that tells what the run does, `elapsed` after its start.
    pub fn progress(&self, elapsed: Duration) -> String {
        line(self, elapsed)
    }
}

fn line(statistics: &Statistics, elapsed: Duration) -> String {
    let memory = resident_bytes().map_or_else(String::new, |b| format!(", {} MiB", b >> 20));
    let doing = match &statistics.frames {
        Some(frames) => frames.line(elapsed),
        None => {
            let total = statistics.total();
            let (queries, conflicts) = (total.count, total.conflicts);
            format!("bound {}: {queries} queries, {conflicts} conflicts", statistics.bound)
        }
    };
    let interpolants = statistics.interpolants.map_or_else(String::new, |last| last.line());
    let decided = match statistics.bounds_decided {
        0 => String::new(),
        bounds => format!("{} decided, ", count(bounds, "bound")),
    };
    format!(
        "{decided}{} {doing}{interpolants}{memory}, {:.0} s",
        statistics.engine,
        elapsed.as_secs_f64()
    )
}

impl Interpolants {
    /// `, proof of 812 clauses, interpolants of 55 gates in 3 frames`
    fn line(self) -> String {
        let Interpolants { frames, steps, gates } = self;
        let (clauses, gates) = (count(steps, "clause"), count(gates, "gate"));
        format!(", proof of {clauses}, interpolants of {gates} in {}", count(frames, "frame"))
    }
}

impl Frames {
    /// `frame 5: lemmas 1 0 7 23 4, 9 for ever, 12 obligations, 800 queries/s`
    fn line(&self, elapsed: Duration) -> String {
        /// So many of the last frames are shown.
        const SHOWN: usize = 10;
        let hidden = self.lemmas.len().saturating_sub(SHOWN);
        let ellipsis = (hidden > 0).then(|| "…".to_owned());
        let sizes = self.lemmas[hidden..].iter().map(ToString::to_string);
        let sizes: Vec<String> = ellipsis.into_iter().chain(sizes).collect();
        let seconds = elapsed.saturating_sub(self.since).as_secs_f64();
        let rate = self.queries as f64 / seconds.max(0.001);
        format!(
            "frame {}: lemmas {}, {} for ever, {} obligations, {rate:.0} queries/s",
            self.frontier,
            sizes.join(" "),
            self.invariant,
            self.obligations,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted() {
        let monitor = Monitor::new();
        let query = |answer| Event::Query {
            engine: "e",
            kind: "base",
            answer,
            conflicts: 3,
            time: Duration::from_millis(1),
        };
        monitor.observe(&Event::Bound { engine: "e", bound: 7 });
        monitor.observe(&query(Answer::Sat));
        monitor.observe(&query(Answer::Unsat));
        let decided = Event::Decided { engine: "e", property: PropertyId(1), safe: true, depth: 7 };
        monitor.observe(&decided);
        let statistics = monitor.statistics();
        assert_eq!((statistics.engine, statistics.bound), ("e", 7));
        assert_eq!((statistics.total().count, statistics.total().conflicts), (2, 6));
        assert_eq!(statistics.decided[&PropertyId(1)].depth, 7);
        assert!(line(&statistics, Duration::ZERO).starts_with("e bound 7: 2 queries, 6 conflicts"));
    }

    #[test]
    fn frames_are_shown_in_short() {
        let mut statistics = Statistics::default();
        let frames = |frontier: usize, queries| Event::Frames {
            engine: "pdr",
            frontier,
            lemmas: (1..=frontier).collect(),
            invariant: 3,
            obligations: 4,
            queries,
        };
        let second = Duration::from_secs(1);
        statistics.hear(&frames(2, 0), second);
        statistics.hear(&frames(12, 100), second * 2);
        let shown = line(&statistics, second * 3);
        let expected = "pdr frame 12: lemmas … 3 4 5 6 7 8 9 10 11 12, 3 for ever, 4 obligations, 50 queries/s";
        assert!(shown.starts_with(expected), "{shown}");
    }
}
