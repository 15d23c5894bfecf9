//! Liveness: every engine for it against the search for fair cycles.

use std::time::Duration;

use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::liveness::{Liveness, Method};
use elinvar_engines::pdr::PdrOptions;
use elinvar_engines::{Choice, Engine, Run, Task};
use elinvar_ir::{PropertyId, Trace, TransitionSystem, Verdict};
use elinvar_models::{Shape, search_loops};

use super::{Drawn, Tally, confirmed, same_runs, through_formats};

/// How many steps the search may try.
const LIMIT: usize = 20_000;

/// Compares verdicts on the liveness properties of a random system with the truth, and checks
/// the evidence. Printed systems must have the same fair cycles.
pub(super) fn examine(seed: u64, shape: Shape, tally: &mut Tally) -> Result<(), String> {
    let drawn = Drawn::new(seed, Shape { liveness: true, ..shape });
    same_runs(&drawn, seed)?;
    let printed = through_formats(&drawn.system)?;
    let Ok(truth) = search_loops(&drawn.system, LIMIT) else { return Ok(()) };
    tally.searched += 1;
    for reread in printed {
        let fails = |found: &[(PropertyId, Option<Trace>)]| -> Vec<bool> {
            found.iter().map(|(_, trace)| trace.is_some()).collect()
        };
        if search_loops(&reread, 5 * LIMIT).is_ok_and(|found| fails(&found) != fails(&truth)) {
            return Err("a printed system has other fair cycles".into());
        }
    }
    for (id, trace) in &truth {
        if let Some(trace) = trace {
            confirmed(&drawn, *id, &Verdict::Unsafe(trace.clone()))
                .map_err(|complaint| format!("a loop of the search is refused: {complaint}"))?;
        }
    }
    for (method, time) in methods(seed) {
        let run = Run::new().with_timeout(time).with_seed(seed);
        compare(&drawn, &run, &truth, &mut Liveness(method), tally)?;
    }
    Ok(())
}

/// The methods for liveness, each with the time that it has.
fn methods(seed: u64) -> Vec<(Method, Duration)> {
    let saving = |choice| Method::Saving(Box::new(choice));
    let bounded = BmcOptions { bound: Some(12), ..BmcOptions::default() };
    let pdr = PdrOptions { signals: seed.is_multiple_of(2), ..PdrOptions::default() };
    let long = Duration::from_secs(20);
    vec![
        (Method::Auto, long),
        (saving(Choice::Pdr(pdr)), long),
        (saving(Choice::Bmc(bounded)), long),
        (Method::Shoals, long),
        // It does not end on properties that fail.
        (Method::Counting, Duration::from_millis(50)),
    ]
}

fn compare(
    drawn: &Drawn,
    run: &Run,
    truth: &[(PropertyId, Option<Trace>)],
    engine: &mut dyn Engine<TransitionSystem>,
    tally: &mut Tally,
) -> Result<(), String> {
    let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
    let task = Task::about(&drawn.system, &properties, run);
    let verdicts = task.check(engine).map_err(|error| error.to_string())?;
    for ((id, loops), verdict) in truth.iter().zip(&verdicts) {
        let context =
            |complaint: String| format!("{} on property {}: {complaint}", engine.name(), id.0);
        match (loops, verdict) {
            (_, Verdict::Unknown(_)) => tally.unknown += 1,
            (None, Verdict::Safe(_)) => tally.safe += 1,
            (Some(_), Verdict::Unsafe(_)) => tally.unsafe_ += 1,
            (None, Verdict::Unsafe(_)) => return Err(context(format!("live but {verdict:?}"))),
            (Some(trace), Verdict::Safe(_)) => {
                return Err(context(format!("{trace:?} but {verdict:?}")));
            }
        }
        if verdict.is_decided() {
            confirmed(drawn, *id, verdict).map_err(context)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_for_liveness_agree_with_the_search_on_some_systems() {
        let shapes = [Shape::BITS, Shape::WORDS, Shape::ARRAYS, Shape::NUMBERS];
        let tally = Tally::of_seeds(100, |seed, tally| {
            examine(seed, shapes[seed as usize % shapes.len()], tally)
        });
        assert!(tally.safe > 100 && tally.unsafe_ > 50, "{tally}");
    }
}
