//! What happened in a run: statistics for the report, and a line of progress.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use elinvar_engines::pdr::Reuse;
use elinvar_engines::statistics::{QueryTotals, Statistics as Numbers};
use elinvar_engines::{Event, QueryAnswer, Recurring, resident_bytes};
use elinvar_ir::{PdrState, PropertyId};

use crate::readable::count;

/// What happened in a run so far.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    /// The engine that worked last.
    pub engine: &'static str,
    /// The bound that was worked on last.
    pub bound: usize,
    /// What the engine does there, if it said so.
    pub detail: Option<String>,
    /// By kind of query.
    pub queries: BTreeMap<&'static str, QueryTotals>,
    /// Array lemmas that were added on demand.
    pub array_lemmas: usize,
    /// Pairs of states that were constrained to differ.
    pub distinct_pairs: usize,
    /// The numbers of engines and passes: the last of each kind, in the order in which the
    /// kinds were first reported.
    pub numbers: Vec<Arc<dyn Numbers>>,
    /// By property: states that lead to its failure, and that keep an engine busy.
    pub recurring: BTreeMap<PropertyId, Arc<Recurring>>,
    /// What property directed reachability knew when it last said so, if that was asked for.
    pub state: Option<Arc<PdrState>>,
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

impl Statistics {
    fn observe(&mut self, event: &Event, elapsed: Duration) {
        match *event {
            Event::Progress { engine, bound, ref detail } => {
                (self.engine, self.bound, self.detail) = (engine, bound, detail.clone());
            }
            Event::Query { kind, answer, conflicts, time, .. } => {
                let [satisfiable, unsatisfiable, stopped] =
                    [QueryAnswer::Sat, QueryAnswer::Unsat, QueryAnswer::Stopped]
                        .map(|a| u64::from(a == answer));
                *self.queries.entry(kind).or_default() +=
                    QueryTotals { count: 1, satisfiable, unsatisfiable, stopped, conflicts, time };
            }
            Event::ArrayLemmas { count, .. } => self.array_lemmas += count,
            Event::DistinctPairs { count, .. } => self.distinct_pairs += count,
            Event::Statistics(ref new) => self.keep(new),
            Event::Recurring(ref states) => {
                let known = self.recurring.get(&states.property);
                if known.is_none_or(|known| known.times <= states.times) {
                    self.recurring.insert(states.property, Arc::clone(states));
                }
            }
            Event::Instance { .. } => self.bounds_decided += 1,
            Event::State(ref state) => self.state = Some(Arc::clone(state)),
            Event::Decided { engine, property, depth, .. } => {
                let decision = Decision { engine, time: elapsed, depth };
                self.decided.entry(property).or_insert(decision);
            }
        }
    }

    fn keep(&mut self, new: &Arc<dyn Numbers>) {
        match self.numbers.iter_mut().find(|old| old.key() == new.key()) {
            Some(old) => *old = Arc::clone(new),
            None => self.numbers.push(Arc::clone(new)),
        }
    }

    /// What became of the lemmas of an earlier run.
    pub fn reuse(&self) -> Option<Reuse> {
        self.numbers.iter().find_map(|numbers| numbers.downcast_ref().copied())
    }

    /// The queries of all kinds together.
    pub fn total(&self) -> QueryTotals {
        let mut total = QueryTotals::default();
        self.queries.values().for_each(|queries| total += *queries);
        let counted = self.numbers.iter().filter_map(|numbers| numbers.queries());
        counted.for_each(|queries| total += queries);
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
        self.lock().observe(event, elapsed);
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
    let doing = statistics.detail.clone().unwrap_or_else(|| {
        let total = statistics.total();
        let (queries, conflicts) = (total.count, total.conflicts);
        format!("bound {}: {queries} queries, {conflicts} conflicts", statistics.bound)
    });
    let decided = match statistics.bounds_decided {
        0 => String::new(),
        bounds => format!("{} decided, ", count(bounds, "bound")),
    };
    let (engine, seconds) = (statistics.engine, elapsed.as_secs_f64());
    format!("{decided}{engine} {doing}{memory}, {seconds:.0} s")
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
        monitor.observe(&Event::Progress { engine: "e", bound: 7, detail: None });
        monitor.observe(&query(QueryAnswer::Sat));
        monitor.observe(&query(QueryAnswer::Unsat));
        let decided = Event::Decided { engine: "e", property: PropertyId(1), safe: true, depth: 7 };
        monitor.observe(&decided);
        let statistics = monitor.statistics();
        assert_eq!((statistics.engine, statistics.bound), ("e", 7));
        assert_eq!((statistics.total().count, statistics.total().conflicts), (2, 6));
        assert_eq!(statistics.decided[&PropertyId(1)].depth, 7);
        assert!(line(&statistics, Duration::ZERO).starts_with("e bound 7: 2 queries, 6 conflicts"));
    }

    #[test]
    fn the_detail_of_an_engine_is_shown() {
        let mut statistics = Statistics::default();
        let detail = Some("frame 12: lemmas 1 2 3".to_owned());
        let progress = Event::Progress { engine: "pdr", bound: 12, detail };
        statistics.observe(&progress, Duration::ZERO);
        let shown = line(&statistics, Duration::from_secs(3));
        assert!(shown.starts_with("pdr frame 12: lemmas 1 2 3, "), "{shown}");
        assert!(shown.ends_with(", 3 s"), "{shown}");
    }

    #[test]
    fn later_numbers_replace_earlier_ones_of_the_same_kind() {
        let mut statistics = Statistics::default();
        for kept in [1, 2] {
            let reuse = Reuse { kept, ..Reuse::default() };
            statistics.observe(&Event::Statistics(Arc::new(reuse)), Duration::ZERO);
        }
        assert_eq!(statistics.numbers.len(), 1);
        assert_eq!(statistics.reuse().map(|reuse| reuse.kept), Some(2));
    }
}
