//! What happened in a run: statistics for the report and for lines of progress.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use elinvar_engines::pdr::Reuse;
use elinvar_engines::statistics::{QueryTotals, Statistics as Numbers};
use elinvar_engines::{Event, QueryAnswer, Recurring};
use elinvar_ir::{PdrState, PropertyId};

use crate::progress::Phase;

/// What happened in a run so far.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    /// The engine that worked last.
    pub engine: &'static str,
    /// The bound that was worked on last.
    pub bound: usize,
    /// What the engine does there, if it said so; the most important part first.
    pub details: Vec<String>,
    /// What the run spends its time on.
    pub phase: Phase,
    /// How many properties are to be decided.
    pub asked: usize,
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
            Event::Progress { engine, bound, ref details } => {
                (self.engine, self.bound) = (engine, bound);
                self.details.clone_from(details);
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

    /// Starts a phase of the run, and returns the one that it interrupts.
    pub fn enter(&self, phase: Phase) -> Phase {
        std::mem::replace(&mut self.lock().phase, phase)
    }

    /// Notes how many properties are to be decided.
    pub fn ask(&self, properties: usize) {
        self.lock().asked = properties;
    }

    pub fn statistics(&self) -> Statistics {
        self.lock().clone()
    }

    /// When and by which engine a property was decided.
    pub fn decision(&self, property: PropertyId) -> Option<Decision> {
        self.lock().decided.get(&property).copied()
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Statistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
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
        monitor.observe(&Event::Progress { engine: "e", bound: 7, details: Vec::new() });
        monitor.observe(&query(QueryAnswer::Sat));
        monitor.observe(&query(QueryAnswer::Unsat));
        let decided = Event::Decided { engine: "e", property: PropertyId(1), safe: true, depth: 7 };
        monitor.observe(&decided);
        let statistics = monitor.statistics();
        assert_eq!((statistics.engine, statistics.bound), ("e", 7));
        assert_eq!((statistics.total().count, statistics.total().conflicts), (2, 6));
        assert_eq!(statistics.decided[&PropertyId(1)].depth, 7);
    }

    #[test]
    fn the_details_of_the_last_event_count() {
        let mut statistics = Statistics::default();
        for details in [vec!["frame 12".to_owned()], Vec::new()] {
            let event = Event::Progress { engine: "pdr", bound: 12, details: details.clone() };
            statistics.observe(&event, Duration::ZERO);
            assert_eq!(statistics.details, details);
        }
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
