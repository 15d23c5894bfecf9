//! Liveness by shoals (rlive) [Xia, Cimatti, Griggio, Li, *Avoiding the Shoals – A New Approach
//! to Liveness Checking*, CAV 2024].
//!
//! A search for safety looks for a state after a complete round. From there, another search looks
//! for the next round, and so on: a depth-first search through rounds. If a state comes back, the
//! steps since then are a loop. If no further round is reachable from a state, the invariant that
//! proves it is a *shoal*: no later search needs to enter it again. If no round is possible outside
//! the shoals in the whole system, the property holds.

use elinvar_ir::{Certificate, PropertyId, StopReason, Trace, TransitionSystem, Verdict};
use elinvar_sat::Lit;
use elinvar_transform::{Layers, PassOptions, layers};
use rustc_hash::FxHashMap;

use super::private;
use crate::engine::EngineError;
use crate::pdr::cube::Cube;
use crate::pdr::domain::Level;
use crate::pdr::{Offer, PdrOptions, search_bits};
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
    let mut initial = Saved::default();
    let mut stack: Vec<Visit> = Vec::new();
    loop {
        let (system, saved) = match stack.last_mut() {
            Some(visit) => (layers.system_from(&visit.state), &mut visit.saved),
            None => (layers.system().clone(), &mut initial),
        };
        match search(&system, property, saved, run)? {
            Found::Trace(round) => {
                let (state, after) = layers.end(&round);
                let back = stack.iter().position(|visit| visit.state == state);
                stack.push(Visit { round, state, after, saved: initial.inductive() });
                if let Some(back) = back {
                    let rounds: Vec<Trace> = stack.into_iter().map(|visit| visit.round).collect();
                    let lasso = layers.lasso(&rounds, back + 1);
                    let depth = lasso.depth();
                    task.decide(NAME, property, Verdict::Unsafe(lasso), depth);
                    return Ok(());
                }
            }
            Found::Proof(proof) => {
                let Some(visit) = stack.pop() else {
                    return conclude(task, property, &layers, &proof);
                };
                let added = layers.add(&proof, &system, &visit.after);
                added.map_err(|why| unsupported(&why.to_string()))?;
            }
        }
    }
}

/// A state in which the search for the next round starts.
struct Visit {
    /// The steps to it, from the state before or from an initial one.
    round: Trace,
    state: Vec<bool>,
    /// A state after it that was in no shoal.
    after: Vec<bool>,
    saved: Saved,
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

/// The frames of a search, as cubes of states that are excluded: the number of a register, and
/// its value. They stay valid when there are more shoals, because these change neither the
/// states in which the search starts nor the steps.
#[derive(Default)]
struct Saved {
    lemmas: Vec<(Vec<(usize, bool)>, Level)>,
    depth: usize,
}

/// Looks for a step that completes a round outside the shoals, with the frames of an earlier
/// search from the same states.
fn search(
    system: &TransitionSystem,
    property: PropertyId,
    saved: &mut Saved,
    run: &Run,
) -> Result<Found, EngineError> {
    let asked = Task::about(system, &[property], &private(run));
    // The system has been simplified, and frames are kept by the numbers of registers.
    let options = PdrOptions { passes: PassOptions::NONE, ..PdrOptions::default() };
    let bits = options.bits(&asked)?;
    let lift = &bits.prepared.lift;
    let origins: Vec<usize> =
        (0..bits.prepared.bits.registers().len()).map(|n| lift.origin(n).index).collect();
    let outcome = search_bits(NAME, &bits, &options, None, &mut |search| {
        if let Some(offer) = saved.offer(&origins) {
            search.constrain(offer);
        }
        let end = search.run();
        let lemmas = search.frames.iter();
        let lemmas =
            lemmas.map(|(level, lemma)| (by_register(lemma.cube.atoms(), &origins), level));
        *saved = Saved { lemmas: lemmas.collect(), depth: search.frames.frontier() };
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

impl Saved {
    /// What holds in all states that the search can reach, for searches that start in one.
    fn inductive(&self) -> Self {
        let lemmas = self.lemmas.iter().filter(|(_, level)| *level == Level::Infinite);
        Saved { lemmas: lemmas.cloned().collect(), depth: 0 }
    }

    /// The frames for a search over these registers. `None` if one is missing, or there are no
    /// lemmas.
    fn offer(&self, origins: &[usize]) -> Option<Offer<Lit>> {
        let places: FxHashMap<usize, usize> =
            origins.iter().enumerate().map(|(place, &origin)| (origin, place)).collect();
        let literal = |&(register, value): &(usize, bool)| {
            let place = *places.get(&register)?;
            Some(Transition::register_var(place).positive().negate_if(!value))
        };
        let cube = |(cube, level): &(Vec<(usize, bool)>, Level)| {
            let literals: Option<Vec<Lit>> = cube.iter().map(literal).collect();
            Some((Cube::new(literals?), *level))
        };
        let lemmas: Vec<_> = self.lemmas.iter().map(cube).collect::<Option<_>>()?;
        (!lemmas.is_empty()).then_some(Offer { lemmas, depth: self.depth })
    }
}

fn by_register(atoms: &[Lit], origins: &[usize]) -> Vec<(usize, bool)> {
    atoms.iter().map(|lit| (origins[lit.var().index() - 1], !lit.is_negative())).collect()
}
