//! What a run is doing, in the parts of a line for people.

use std::time::Duration;

use elinvar_engines::resident_bytes;

use crate::options::Method;
use crate::readable::count;
use crate::session::Session;
use crate::statistics::Statistics;

/// What a run spends its time on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Phase {
    /// A model or a program is read.
    #[default]
    Reading,
    /// Yosys turns a design into a model.
    Elaborating,
    /// Properties are looked up in the store, and what it has is checked.
    Store,
    /// Engines decide properties.
    Deciding,
    /// Counterexamples are made shorter.
    Shortening,
    /// Proofs are made smaller.
    Minimizing,
    /// The checker examines evidence.
    Checking,
    /// The checker looks for vacuous proofs.
    Vacuity,
}

impl Phase {
    /// What is done, unless the engines tell it.
    fn text(self) -> Option<&'static str> {
        match self {
            Phase::Reading => Some("reading the model"),
            Phase::Elaborating => Some("reading the design with Yosys"),
            Phase::Store => Some("asking the store"),
            Phase::Deciding => None,
            Phase::Shortening => Some("shortening counterexamples"),
            Phase::Minimizing => Some("minimizing proofs"),
            Phase::Checking => Some("checking evidence"),
            Phase::Vacuity => Some("looking for vacuous proofs"),
        }
    }
}

impl Session {
    /// What the run is doing: the parts of a line, the most important ones first.
    ///
    /// ```
    /// let session = elinvar::Session::start(elinvar::Options::default())?;
    /// assert_eq!(session.progress()[..2], ["0 s", "reading the model"]);
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn progress(&self) -> Vec<String> {
        let threads = match self.options.method {
            Method::Race(threads) => threads,
            Method::Auto | Method::System(_) | Method::Schedule(_) | Method::Program(_) => 1,
        };
        parts(&self.statistics(), self.elapsed(), threads, resident_bytes())
    }

    /// Does some work as a phase of the run. Phases can be nested.
    pub(crate) fn during<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let outer = self.monitor.enter(phase);
        let result = work();
        self.monitor.enter(outer);
        result
    }
}

fn parts(
    statistics: &Statistics,
    elapsed: Duration,
    threads: usize,
    memory: Option<u64>,
) -> Vec<String> {
    let mut parts = vec![format!("{} s", elapsed.as_secs())];
    match (statistics.bounds_decided, statistics.asked) {
        (0, 0) => {}
        (0, asked) => parts.push(format!("{}/{asked} decided", statistics.decided.len())),
        (bounds, _) => parts.push(format!("{} decided", count(bounds, "bound"))),
    }
    let mut details = match statistics.phase.text() {
        Some(text) => vec![text.to_owned()],
        None => engine(statistics, threads),
    }
    .into_iter();
    // Memory matters more than the numbers after the first two.
    parts.extend(details.by_ref().take(2));
    parts.extend(memory.map(|bytes| format!("{} MiB", bytes >> 20)));
    parts.extend(details);
    parts
}

/// What the engine does; the first part names it.
fn engine(statistics: &Statistics, threads: usize) -> Vec<String> {
    if statistics.engine.is_empty() {
        return vec!["preparing the model".to_owned()];
    }
    let mut details = statistics.details.clone();
    if details.is_empty() {
        let total = statistics.total();
        details.push(format!("bound {}", statistics.bound));
        details.push(format!("{} queries", total.count));
        details.push(format!("{} conflicts", total.conflicts));
    }
    let race = if threads > 1 { format!("{threads} engines, ") } else { String::new() };
    details[0] = format!("{race}{} {}", statistics.engine, details[0]);
    details
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Decision;
    use elinvar_ir::PropertyId;

    fn shown(statistics: &Statistics, threads: usize) -> String {
        parts(statistics, Duration::from_secs(3), threads, Some(5 << 20)).join(", ")
    }

    fn deciding() -> Statistics {
        let mut statistics = Statistics { phase: Phase::Deciding, asked: 7, ..Default::default() };
        (statistics.engine, statistics.bound) = ("pdr", 12);
        let decision = Decision { engine: "pdr", time: Duration::ZERO, depth: 1 };
        statistics.decided.insert(PropertyId(4), decision);
        statistics
    }

    #[test]
    fn important_parts_come_first() {
        let mut statistics = deciding();
        statistics.details = ["frame 12", "9 lemmas", "4 obligations"].map(str::to_owned).into();
        let expected = "3 s, 1/7 decided, pdr frame 12, 9 lemmas, 5 MiB, 4 obligations";
        assert_eq!(shown(&statistics, 1), expected);
        assert!(shown(&statistics, 4).contains("decided, 4 engines, pdr frame 12, 9 lemmas"));
    }

    #[test]
    fn engines_without_details_show_their_queries() {
        let expected = "3 s, 1/7 decided, pdr bound 12, 0 queries, 5 MiB, 0 conflicts";
        assert_eq!(shown(&deciding(), 1), expected);
        let families = Statistics { bounds_decided: 2, ..deciding() };
        assert!(shown(&families, 1).starts_with("3 s, 2 bounds decided, pdr bound 12"));
    }

    #[test]
    fn the_phase_is_named_when_no_engine_runs() {
        let checking = Statistics { phase: Phase::Checking, ..deciding() };
        assert_eq!(shown(&checking, 1), "3 s, 1/7 decided, checking evidence, 5 MiB");
        assert_eq!(shown(&Statistics::default(), 1), "3 s, reading the model, 5 MiB");
    }

    #[test]
    fn phases_are_nested() {
        let session = Session::start(crate::Options::default()).unwrap();
        let phase = || session.statistics().phase;
        session.during(Phase::Deciding, || {
            session.during(Phase::Checking, || assert_eq!(phase(), Phase::Checking));
            assert_eq!(phase(), Phase::Deciding);
        });
        assert_eq!(phase(), Phase::Reading);
    }
}
