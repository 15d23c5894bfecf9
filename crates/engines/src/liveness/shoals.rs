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
use elinvar_transform::{Layers, PassOptions, layers};

use super::private;
use crate::engine::EngineError;
use crate::pdr::{Pdr, PdrOptions};
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
    loop {
        let system = match states.last() {
            Some(state) => layers.system_from(state),
            None => layers.system().clone(),
        };
        match search(system, property, run)? {
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

/// Looks for a step that completes a round outside the shoals.
fn search(system: TransitionSystem, property: PropertyId, run: &Run) -> Result<Found, EngineError> {
    let asked = Task::new(Arc::new(Arc::new(system)), &[property], &private(run));
    let passes = PassOptions::only(&["cone"]).expect("a pass");
    asked.ask(&mut Pdr(PdrOptions { passes, ..PdrOptions::default() }))?;
    match asked.finding(property).map(|finding| finding.verdict) {
        Some(Verdict::Unsafe(trace)) => Ok(Found::Trace(trace)),
        Some(Verdict::Safe(proof)) => Ok(Found::Proof(proof)),
        Some(Verdict::Unknown(_)) | None => {
            let reason = asked.reason(property).unwrap_or(StopReason::Cancelled);
            Err(EngineError::Stopped(reason))
        }
    }
}
