//! Searches, each with its evidence confirmed by the checker.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use elinvar::optimum::{self, Optimum, StageAnswer, Strategy, optimum};
use elinvar::{Budget, Observer, Options, Session, confirm_system};
use elinvar_check::replay;
use elinvar_engines::pdr::{Pdr, PdrOptions, PdrStatistics};
use elinvar_engines::{Event, Run, Task};
use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_models::families::{Switches, peterson};
use elinvar_transform::Trend;
use nix::sys::resource::UsageWho;

use super::inputs::{Expected, Input, Peterson};
use super::record::{Figure, Found, Row, Search, Side, Stage, Unbounded};
use crate::harness::process::processor_time;

/// How often and how long.
#[derive(Clone, Copy)]
pub struct Effort {
    pub seeds: u64,
    pub limit: Duration,
}

impl Effort {
    fn options(self, seed: u64) -> Options {
        Options { seed, timeout: Some(self.limit), ..Options::default() }
    }

    fn run(self, seed: u64) -> Run {
        Run::new().with_seed(seed).with_timeout(self.limit)
    }
}

/// Both ways for all seeds, in turns, so that a machine that becomes slower is unfair to
/// none. After a search that took too long, that way is not tried with other seeds.
///
/// All searches have to agree with each other and with what is expected of the input,
/// which is made more precise by what they find.
pub fn row(input: &mut Input, figure: Figure, effort: Effort) -> Result<Row, String> {
    let name = input.name.clone();
    let mut row = Row { input: name, naive: Side::default(), incremental: Side::default() };
    for seed in 0..effort.seeds {
        for (reuse, side) in [(false, &mut row.naive), (true, &mut row.incremental)] {
            if side.is_too_long() {
                continue;
            }
            let way = if reuse { "incremental" } else { "naive" };
            let search = search(input, figure, reuse, seed, effort)
                .and_then(|search| agree(&mut input.expected, search.found).map(|()| search));
            side.0.push(search.map_err(|error| {
                format!("{}, {}, {way}, seed {seed}: {error}", input.name, figure.title())
            })?);
        }
    }
    Ok(row)
}

fn search(
    input: &Input,
    figure: Figure,
    reuse: bool,
    seed: u64,
    effort: Effort,
) -> Result<Search, String> {
    let strategy = Strategy { order: figure.order(), reuse, options: PdrOptions::default() };
    let times = Arc::new(Mutex::new(StageTimes::start()?));
    let observed = Arc::clone(&times);
    let observer: Observer = Arc::new(move |event: &Event| {
        observed.lock().unwrap_or_else(PoisonError::into_inner).observe(event);
    });
    let options = Options { observer: Some(observer), ..effort.options(seed) };
    let session = Session::start(options).map_err(|error| error.to_string())?;
    let families = input.family.clone().into();
    let result = optimum(&families, &strategy, &session).map_err(|error| error.to_string())?;
    let found = found(input, &result)?;
    let times = times.lock().unwrap_or_else(PoisonError::into_inner).finish()?;
    let stages = result.stages.into_iter().zip(times);
    let stages = stages.filter_map(|(stage, time)| recorded(stage, time)).collect();
    Ok(Search { seed, found, stages })
}

/// The processor time of each stage, without that for the check of its evidence, which comes
/// between the decision and the end of the stage.
struct StageTimes {
    clock: Clock,
    decided: Option<Duration>,
    times: Result<Vec<Duration>, String>,
}

impl StageTimes {
    fn start() -> Result<Self, String> {
        Ok(StageTimes { clock: Clock::start()?, decided: None, times: Ok(Vec::new()) })
    }

    fn observe(&mut self, event: &Event) {
        let observed = if let Event::Decided { .. } = event {
            self.clock.read().map(|time| self.decided = Some(time))
        } else if let Event::Instance { .. } = event {
            self.end_stage()
        } else {
            Ok(())
        };
        if let Err(error) = observed {
            self.times = Err(error);
        }
    }

    fn end_stage(&mut self) -> Result<(), String> {
        let time = self.decided.take().map_or_else(|| self.clock.read(), Ok)?;
        if let Ok(times) = &mut self.times {
            times.push(time);
        }
        self.clock = Clock::start()?;
        Ok(())
    }

    fn finish(&self) -> Result<Vec<Duration>, String> {
        self.times.clone()
    }
}

/// Processor time from some moment on.
struct Clock(Duration);

impl Clock {
    fn start() -> Result<Self, String> {
        processor_time(UsageWho::RUSAGE_SELF).map(Clock)
    }

    fn read(&self) -> Result<Duration, String> {
        Ok(processor_time(UsageWho::RUSAGE_SELF)?.saturating_sub(self.0))
    }
}

/// A stage with the processor's time since the stage before was confirmed. For the first
/// that includes the question what the bound does, which the time by the clock does not:
/// the less of both is right where nothing else runs, and better where something does.
///
/// A stage that was not decided is none.
fn recorded(stage: optimum::Stage, time: Duration) -> Option<Stage> {
    let safe = match stage.answer {
        StageAnswer::Safe => true,
        StageAnswer::Unsafe { .. } => false,
        StageAnswer::Unknown(_) => return None,
    };
    Some(Stage {
        bound: stage.bound,
        safe,
        seconds: time.min(stage.time).as_secs_f64(),
        queries: stage.statistics.query_count(),
        obligations: stage.statistics.obligations,
        ctis: stage.statistics.bad.satisfiable,
        reuse: stage.reuse,
    })
}

fn confirm(
    system: &TransitionSystem,
    property: PropertyId,
    verdict: &Verdict,
) -> Result<(), String> {
    let confirmed = confirm_system(system, system, property, verdict.clone(), &Budget::default());
    confirmed.map(drop).map_err(|refused| refused.to_string())
}

/// What a search found, if there is evidence for both sides of it: a trace at the
/// optimum, and a proof (confirmed before) for the bound just below.
fn found(input: &Input, result: &Optimum) -> Result<Found, String> {
    match &result.stopped {
        None => {}
        Some(StopReason::Timeout) => return Ok(Found::TooLong),
        Some(reason) => return Err(format!("the search was given up: {reason}")),
    }
    if result.trend != Some(Trend::Loosens) {
        return Err("a greater bound tightens the model".into());
    }
    let (first, last) = (*input.range.start(), *input.range.end());
    let holds = result.holds.as_ref().map(|(bound, _)| *bound);
    let Some((bound, trace)) = &result.fails else {
        let all = holds == Some(last);
        return if all { Ok(Found::Never) } else { Err("not all bounds were decided".into()) };
    };
    replay(&input.family.instance(*bound), trace)
        .map_err(|refusal| format!("the trace is none at the optimum {bound}: {refusal}"))?;
    if *bound > first && holds != Some(bound - 1) {
        return Err(format!("nothing shows that {} is not enough", bound - 1));
    }
    Ok(Found::Optimum(*bound))
}

/// Does what was found agree with what is known, which it may add to?
fn agree(expected: &mut Option<Expected>, found: Found) -> Result<(), String> {
    let new = match found {
        Found::TooLong => return Ok(()),
        Found::Never => Expected::Never,
        Found::Optimum(bound) => Expected::Within(bound..=bound),
    };
    let fits = match (&*expected, found) {
        (None, _) | (Some(Expected::Never), Found::Never) => true,
        (Some(Expected::Within(range)), Found::Optimum(bound)) => range.contains(&bound),
        (Some(_), Found::Never | Found::Optimum(_) | Found::TooLong) => false,
    };
    if !fits {
        return Err(format!("THE ANSWERS DIFFER: found {found:?}, expected {expected:?}"));
    }
    *expected = Some(new);
    Ok(())
}

/// Proofs of Peterson's algorithm without a limit to switches.
pub fn unbounded(peterson: Peterson, effort: Effort) -> Result<Unbounded, String> {
    let proofs = (0..effort.seeds).map(|seed| proof(peterson, effort.run(seed)));
    let proofs = proofs.collect::<Result<Option<Vec<_>>, String>>()?;
    Ok(Unbounded { input: peterson.name(), proofs })
}

/// Seconds and queries of a proof; none if it takes too long.
fn proof(input: Peterson, run: Run) -> Result<Option<(f64, u64)>, String> {
    let system = peterson(input.processes, Switches::Any).map_err(|error| error.to_string())?;
    let queries = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&queries);
    let run = run.with_observer(move |event| {
        if let Some(statistics) = event.statistics::<PdrStatistics>() {
            counted.fetch_add(statistics.query_count(), Ordering::Relaxed);
        }
    });
    let clock = Clock::start()?;
    let task = Task::about(&system, &[PropertyId(0)], &run);
    let mut pdr = Pdr(PdrOptions::default());
    let verdicts = task.check(&mut pdr).map_err(|error| error.to_string())?;
    let seconds = clock.read()?.as_secs_f64();
    for verdict in &verdicts {
        confirm(&system, PropertyId(0), verdict)?;
    }
    match &verdicts[..] {
        [Verdict::Safe(_)] => Ok(Some((seconds, queries.load(Ordering::Relaxed)))),
        [Verdict::Unknown(StopReason::Timeout)] => Ok(None),
        others => Err(format!("{} without a limit is not safe: {others:?}", input.name())),
    }
}

#[cfg(test)]
mod tests {
    use elinvar_models::families::pebbling::{LIMIT, chain, pebbling};
    use elinvar_transform::Family;

    use super::*;

    const ONCE: Effort = Effort { seeds: 1, limit: Duration::from_secs(600) };

    fn chain4(expected: Option<Expected>) -> Input {
        let system = pebbling(&chain(4).unwrap());
        let family = Family::new(system, LIMIT, PropertyId(0), 1..=4).unwrap();
        Input { name: "chain4".into(), family, range: 1..=4, expected }
    }

    #[test]
    fn a_chain_of_four_needs_three_pebbles_in_every_order() {
        let mut input = chain4(None);
        for figure in [Figure::Constrain, Figure::Relax, Figure::Binary] {
            let row = row(&mut input, figure, ONCE).unwrap();
            assert_eq!(row.found(), Found::Optimum(3), "{figure:?}");
            assert!(row.bounds().contains(&2), "{figure:?}");
            for side in [&row.naive, &row.incremental] {
                assert!(side.0[0].stages.iter().all(|s| s.queries > 0 && s.seconds > 0.0));
            }
            assert_eq!(row.naive.copied(None), None);
        }
        assert_eq!(input.expected, Some(Expected::Within(3..=3)));
    }

    #[test]
    fn another_optimum_than_expected_fails() {
        let mut input = chain4(Some(Expected::Within(1..=2)));
        let error = row(&mut input, Figure::Relax, ONCE).err().unwrap();
        assert!(error.starts_with("chain4, pebbling, relaxing, naive, seed 0: THE ANSWERS DIFFER"));
        assert!(agree(&mut Some(Expected::Never), Found::Optimum(1)).is_err());
        assert!(agree(&mut Some(Expected::Within(1..=1)), Found::Never).is_err());
        assert!(agree(&mut Some(Expected::Never), Found::TooLong).is_ok());
    }

    #[test]
    fn what_takes_too_long_is_not_tried_again() {
        let effort = Effort { seeds: 3, limit: Duration::ZERO };
        let input = Peterson { processes: 3, switches: 1 };
        let row = row(&mut input.input().unwrap(), Figure::Peterson, effort).unwrap();
        assert_eq!((row.naive.0.len(), row.incremental.0.len()), (1, 1));
        assert_eq!(row.found(), Found::TooLong);
        assert!(unbounded(input, effort).unwrap().proofs.is_none());
    }

    #[test]
    fn a_gap_between_trace_and_proof_is_noticed() {
        let input = chain4(None);
        let (order, options) = (Figure::Constrain.order(), PdrOptions::default());
        let strategy = Strategy { order, reuse: false, options };
        let session = Session::start(Options::default()).unwrap();
        let mut result = optimum(&input.family.clone().into(), &strategy, &session).unwrap();
        assert_eq!(found(&input, &result), Ok(Found::Optimum(3)));
        let proof = result.holds.take();
        assert!(found(&input, &result).is_err_and(|error| error.contains("2 is not enough")));
        result.holds = proof;
        result.fails.as_mut().unwrap().0 = 2;
        assert!(found(&input, &result).is_err_and(|error| error.contains("none at the optimum")));
        result.fails = None;
        assert!(found(&input, &result).is_err_and(|error| error.contains("not all bounds")));
    }

    #[test]
    fn peterson_is_safe_with_and_without_a_limit() {
        let input = Peterson { processes: 2, switches: 2 };
        let row = row(&mut input.input().unwrap(), Figure::Peterson, ONCE).unwrap();
        assert_eq!(row.found(), Found::Never);
        assert_eq!(Vec::from_iter(row.bounds()), [0, 1, 2]);
        let proofs = unbounded(input, ONCE).unwrap().proofs.unwrap();
        assert!(proofs.len() == 1 && proofs[0].1 > 0);
    }
}
