//! Shorter counterexamples, by bounded model checking.
//!
//! Engines other than bounded model checking return traces of any length. This looks for a trace
//! in fewer cycles, cycle by cycle and for all properties together, on the prepared bits if there
//! are any. The first one that it finds is the shortest. If it gets to the last cycle of a given
//! trace without finding one, that trace is the shortest.
//!
//! A trace of a liveness property is a stem and a loop. For these, the search looks for a state
//! that comes back earlier ([`liveness::loops_on_bits`]). The result need not be the shortest,
//! because the loop is repeated if registers that were simplified away need that to return.

use std::time::Duration;

use elinvar_ir::{PropertyId, PropertyKind, Trace, Verdict};
use elinvar_logic::blast::cost;

use crate::bmc::Sweep;
use crate::engine::EngineError;
use crate::liveness;
use crate::run::{Event, Run};
use crate::task::Task;

const NAME: &str = "shorten";

/// What a search with a limit may spend: questions, and gates of the unrolling. Both are
/// deterministic; the limit on time is there for systems with very costly steps.
const QUESTIONS: u64 = 20_000;
const GATES: u64 = 1_000_000;

/// Looks for traces of some properties that are shorter than those of this depth, within a time
/// or until the run ends. Returns shorter ones. Those of safety properties are the shortest, and
/// the task gets to know which cycles have no bad state: see [`Task::excluded`].
///
/// # Errors
/// When the system is too large to be unrolled.
pub fn shorten(
    task: &Task,
    known: &[(PropertyId, usize)],
    limit: Option<Duration>,
) -> Result<Vec<Trace>, EngineError> {
    let is_liveness = |&&(property, _): &&(PropertyId, usize)| {
        matches!(task.subject().property(property).kind, PropertyKind::Justice(_))
    };
    let (loops, known): (Vec<_>, Vec<_>) = known.iter().partition(is_liveness);
    let mut shorter = shorten_to_bad_states(task, known, limit)?;
    let limit = limit.map(|limit| limit / loops.len().max(1) as u32);
    for (property, depth) in loops {
        shorter.extend(shorten_loop(task, property, depth, limit)?);
    }
    Ok(shorter)
}

/// A stem and a loop with fewer cycles.
fn shorten_loop(
    task: &Task,
    property: PropertyId,
    depth: usize,
    limit: Option<Duration>,
) -> Result<Option<Trace>, EngineError> {
    let own = task.only(&[property]).with_own_answers().with_run(quiet(task, limit));
    let loops = liveness::loops_on_bits(&own, property);
    // The saved state comes back one cycle after the last one of the loop.
    let ended = loops.and_then(|task| search(&task, &[(property, depth + 1)], 1, limit.is_some()));
    unless_stopped(ended)?;
    let found = own.finding(property).and_then(|finding| found_trace(finding.verdict));
    Ok(found.filter(|trace| trace.depth() < depth))
}

fn shorten_to_bad_states(
    task: &Task,
    mut known: Vec<(PropertyId, usize)>,
    limit: Option<Duration>,
) -> Result<Vec<Trace>, EngineError> {
    known.retain(|&(property, depth)| depth > task.excluded(property));
    let Some(first) = known.iter().map(|&(property, _)| task.excluded(property)).min() else {
        return Ok(Vec::new());
    };
    task.run().go_on()?;
    let properties: Vec<PropertyId> = known.iter().map(|&(property, _)| property).collect();
    let own = task.only(&properties).with_own_answers().with_run(quiet(task, limit));
    let outcome = match own.known_bits() {
        Some(bits) => search(bits.as_system()?, &known, first, limit.is_some()),
        None => search(&own, &known, first, limit.is_some()),
    };
    properties.iter().for_each(|&property| task.exclude(property, own.excluded(property)));
    unless_stopped(outcome)?;
    let trace = |&property: &PropertyId| found_trace(own.finding(property)?.verdict);
    Ok(properties.iter().filter_map(trace).collect())
}

/// A limit ends the search, but is not an error.
fn unless_stopped(outcome: Result<(), EngineError>) -> Result<(), EngineError> {
    match outcome {
        Ok(()) | Err(EngineError::Stopped(_)) => Ok(()),
        Err(
            error @ (EngineError::TooLarge(_)
            | EngineError::NotSafety(_)
            | EngineError::NotLiveness(_)
            | EngineError::NoSolver(_)),
        ) => Err(error),
    }
}

fn found_trace(verdict: Verdict) -> Option<Trace> {
    match verdict {
        Verdict::Unsafe(trace) => Some(trace),
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    }
}

/// The run under a limit. What is found here decides nothing, and the bound is of interest only
/// if every property is decided.
fn quiet(task: &Task, limit: Option<Duration>) -> Run {
    let (run, is_last) = (task.run().clone(), task.open().is_empty());
    let limited = match limit {
        Some(time) => run.within(time).with_effort(QUESTIONS),
        None => run.child(),
    };
    limited.with_observer(move |event| match event {
        Event::Decided { .. } => {}
        Event::Progress { .. } if !is_last => {}
        Event::Progress { .. }
        | Event::Query { .. }
        | Event::ArrayLemmas { .. }
        | Event::DistinctPairs { .. }
        | Event::Statistics(_)
        | Event::State(_)
        | Event::Recurring(_)
        | Event::Instance { .. } => run.emit(event.clone()),
    })
}

fn search(
    task: &Task,
    known: &[(PropertyId, usize)],
    first: usize,
    is_limited: bool,
) -> Result<(), EngineError> {
    let last = known.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
    let gates = if is_limited { gates(task).max(1) } else { 0 };
    let mut sweep = Sweep::new(task, NAME)?.from(first);
    for frame in first..last {
        for &(property, depth) in known {
            if depth <= frame {
                sweep.close(property);
            }
        }
        if sweep.is_done() || gates.saturating_mul(frame as u64) > GATES {
            break;
        }
        task.run().go_on()?;
        task.run().emit(Event::bound(NAME, frame));
        sweep.look_at(frame, frame)?;
    }
    Ok(())
}

/// About how many gates one cycle takes.
fn gates(task: &Task) -> u64 {
    let pool = task.subject().pool();
    pool.ids().map(|id| cost(pool, &pool.get(id))).fold(0, u64::saturating_add)
}
