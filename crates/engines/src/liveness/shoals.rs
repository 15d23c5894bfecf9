//! Liveness by shoals (rlive) [Xia, Cimatti, Griggio, Li, *Avoiding the Shoals – A New Approach
//! to Liveness Checking*, CAV 2024].
//!
//! A search for safety looks for a step that completes a round. From the state after it, another
//! search looks for the next round, and so on: a depth-first search through rounds. If a state
//! comes back, the steps since then are a loop. If no further round is reachable from a state, the
//! invariant that proves it is a *shoal*: no later search needs to enter it again. If no step
//! outside the shoals completes a round in the whole system, the property holds.

use std::sync::Arc;

use elinvar_ir::{Certificate, PropertyId, StopReason, Trace, TransitionSystem, Verdict};
use elinvar_sat::Lit;
use elinvar_transform::{Layers, PassOptions, layers};
use rustc_hash::FxHashMap;

use super::private;
use crate::engine::EngineError;
use crate::pdr::cube::Cube;
use crate::pdr::{PdrOptions, search_bits};
use crate::relation::Transition;
use crate::run::Run;
use crate::task::Task;

pub(super) const NAME: &str = "rlive";

/// Decides a liveness property by looking for one round after the other.
pub(super) fn check(task: &Task, property: PropertyId, run: &Run) -> Result<(), EngineError> {
    let Some(mut layers) = layers(task.subject(), property) else {
        let reason = "shoals need bits with next values".to_owned();
        return Err(EngineError::Stopped(StopReason::Unsupported(reason)));
    };
    // From the initial states, and from the state after each round.
    let mut rounds: Vec<Trace> = Vec::new();
    let mut states: Vec<Vec<bool>> = Vec::new();
    let mut known = Known::default();
    loop {
        let (system, start) = match states.last() {
            Some(state) => (layers.system_from(state), Start::Reached),
            None => (layers.system().clone(), Start::Initial),
        };
        match search(system, property, start, &mut known, run)? {
            Found::Trace(trace) => {
                let state = layers.end(&trace);
                let back = states.iter().position(|earlier| *earlier == state);
                rounds.push(trace);
                if let Some(back) = back {
                    let lasso = layers.lasso(&rounds, back + 1);
                    let depth = lasso.depth();
                    task.decide(NAME, property, Verdict::Unsafe(lasso), depth);
                    return Ok(());
                }
                states.push(state);
            }
            Found::Proof(proof) => {
                let Some(state) = states.pop() else {
                    return conclude(task, property, &layers, &proof);
                };
                rounds.pop();
                layers.add(&proof, &state).map_err(|why| unsupported(&why.to_string()))?;
            }
        }
    }
}

fn conclude(
    task: &Task,
    property: PropertyId,
    layers: &Layers,
    proof: &Certificate,
) -> Result<(), EngineError> {
    let ranking = layers.ranking(proof).map_err(|why| unsupported(&why.to_string()))?;
    task.decide(NAME, property, Verdict::Safe(ranking), layers.len());
    Ok(())
}

fn unsupported(why: &str) -> EngineError {
    EngineError::Stopped(StopReason::Unsupported(why.to_owned()))
}

enum Found {
    Trace(Trace),
    Proof(Certificate),
}

/// Lemmas that hold in all reachable states, as cubes of states that are not reachable: the
/// number of a register, and its value.
#[derive(Default)]
struct Known(Vec<Vec<(usize, bool)>>);

/// Where a search starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// In all initial states.
    Initial,
    /// In a state that is reachable.
    Reached,
}

/// Looks for a step that completes a round outside the shoals. What a search from the initial
/// states finds to be inductive holds in all reachable states, so later searches start with it.
fn search(
    system: TransitionSystem,
    property: PropertyId,
    start: Start,
    known: &mut Known,
    run: &Run,
) -> Result<Found, EngineError> {
    let asked = Task::new(Arc::new(Arc::new(system)), &[property], &private(run));
    // The system has been simplified, and lemmas are exchanged between searches by the
    // numbers of registers.
    let options = PdrOptions { passes: PassOptions::NONE, ..PdrOptions::default() };
    let bits = options.bits(&asked)?;
    let lift = &bits.prepared.lift;
    let origins: Vec<usize> =
        (0..bits.prepared.bits.registers().len()).map(|n| lift.origin(n).index).collect();
    let cubes = known.cubes(&origins);
    let outcome = search_bits(NAME, &bits, &options, None, &mut |search| {
        search.assume_inductive(cubes.clone())?;
        let end = search.run();
        if start == Start::Initial {
            let lemmas = search.frames.infinite().iter();
            known.0 = lemmas.map(|lemma| by_register(lemma.cube.atoms(), &origins)).collect();
        }
        end
    });
    match asked.finding(property).map(|finding| finding.verdict) {
        Some(Verdict::Unsafe(trace)) => Ok(Found::Trace(trace)),
        Some(Verdict::Safe(proof)) => Ok(Found::Proof(proof)),
        Some(Verdict::Unknown(_)) | None => {
            let reason = asked.reason(property).unwrap_or(StopReason::Cancelled);
            Err(outcome.end.err().unwrap_or(EngineError::Stopped(reason)))
        }
    }
}

impl Known {
    /// The cubes over the registers of a search, which are these. None if one is missing: the
    /// others need not be inductive without it.
    fn cubes(&self, origins: &[usize]) -> Vec<Cube<Lit>> {
        let places: FxHashMap<usize, usize> =
            origins.iter().enumerate().map(|(place, &origin)| (origin, place)).collect();
        let literal = |&(register, value): &(usize, bool)| {
            let place = *places.get(&register)?;
            Some(Transition::register_var(place).positive().negate_if(!value))
        };
        let cube = |cube: &Vec<(usize, bool)>| {
            Some(Cube::new(cube.iter().map(literal).collect::<Option<Vec<Lit>>>()?))
        };
        self.0.iter().map(cube).collect::<Option<_>>().unwrap_or_default()
    }
}

fn by_register(atoms: &[Lit], origins: &[usize]) -> Vec<(usize, bool)> {
    atoms.iter().map(|lit| (origins[lit.var().index() - 1], !lit.is_negative())).collect()
}
