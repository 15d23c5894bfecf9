//! k-liveness with one search for all k.
//!
//! The frames of property directed reachability contain what is reachable in so many steps, and
//! assume no property. So when more than k rounds turn out to be possible, the search goes on with
//! the next property, that there are no more than k + 1, and keeps all frames: that is relaxing in
//! the terms of incremental property directed reachability.

use std::sync::Arc;

use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_transform::{Counting, counting};

use super::private;
use crate::engine::EngineError;
use crate::pdr::{PdrOptions, search_bits};
use crate::run::Run;
use crate::task::Task;

pub(super) const NAME: &str = "klive";

/// The largest k of the first search, and by which factor it grows.
const FIRST: usize = 8;
const GROWTH: usize = 4;
const LAST: usize = FIRST * GROWTH * GROWTH * GROWTH;

/// Decides a liveness property if the conditions are met only so many times.
pub(super) fn check(task: &Task, property: PropertyId, run: &Run) -> Result<(), EngineError> {
    let mut most = FIRST;
    while most <= LAST {
        if count(task, property, most, run)? {
            return Ok(());
        }
        most *= GROWTH;
    }
    let reason = format!("the conditions may be met more than {LAST} times");
    Err(EngineError::Stopped(StopReason::Unsupported(reason)))
}

/// True if the conditions are met at most `most` times.
fn count(task: &Task, property: PropertyId, most: usize, run: &Run) -> Result<bool, EngineError> {
    let Some(counting) = counting(task.subject(), property, most) else {
        return Err(EngineError::NotLiveness(task.subject().property(property).name.clone()));
    };
    let counting = Arc::new(Counts(counting));
    let properties: Vec<PropertyId> = (0..=most).map(PropertyId).collect();
    let asked = Task::new(Arc::clone(&counting) as _, &properties, &private(run));
    let options = PdrOptions::default();
    let bits = options.bits(&asked)?;
    let outcome = search_bits(NAME, &bits, &options, None, &mut |search| {
        while let Some(&first) = search.open().first() {
            search.strengthen_for(first)?;
            if search.open().first() == Some(&first) {
                search.advance(1)?;
            }
        }
        Ok(())
    });
    for (k, &id) in properties.iter().enumerate() {
        let Some(finding) = asked.finding(id) else { continue };
        if let Verdict::Safe(proof) = &finding.verdict {
            let verdict = match counting.0.ranking(proof, k) {
                Ok(ranking) => Verdict::Safe(ranking),
                Err(why) => Verdict::Unknown(StopReason::Unsupported(why.to_string())),
            };
            task.decide(NAME, property, verdict, finding.depth);
            return Ok(true);
        }
    }
    outcome.end.map(|()| false)
}

/// The system that counts as the subject of a task.
struct Counts(Counting);

impl AsRef<TransitionSystem> for Counts {
    fn as_ref(&self) -> &TransitionSystem {
        self.0.system()
    }
}
