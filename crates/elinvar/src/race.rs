//! Several engines for one task, at the same time.
//!
//! A race is a table of [`Slot`]s, each a [`Schedule`] in a thread of its own. Evidence is
//! checked as it comes in, and only what is accepted counts. When all properties
//! have their verdicts, the other engines are cancelled. The engines share the prepared bits,
//! the bounds that they have excluded, and their inductive lemmas, which each of them checks
//! before it uses them. Limits: an engine goes on with a property that another one has decided.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::interpolation::avy::AvyOptions;
use elinvar_engines::interpolation::{InterpolationOptions, System};
use elinvar_engines::kinduction::KInductionOptions;
use elinvar_engines::liveness::Method as Liveness;
use elinvar_engines::pdr::{Ctg, PdrOptions, WordsOptions};
use elinvar_engines::schedule::{Condition, Schedule, Turn};
use elinvar_engines::{
    Choice, Effort, EngineError, Event, Exchange, Finding, Member, Run, Statistics, Task,
};
use elinvar_ir::{PropertyId, StopReason, Verdict};

use crate::confirm::Refused;
use crate::session::Judge;

/// One of the engines in a race.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Slot {
    schedule: Schedule,
    /// Added to the seed of the run.
    seed: u64,
}

/// How long the engine on words may take before the others of its thread start.
const TURN_ON_WORDS: Effort = Effort::Time(Duration::from_secs(8));

/// The first so many engines to race, the most promising ones first: what is
/// most different from those before it. Those on words take part only where there are
/// numbers. `cargo xtask experiment slots` finds such an order from measured runs.
fn slots(threads: usize, words: bool) -> Vec<Slot> {
    let on_words = words.then(|| alone("words", Choice::Words(WordsOptions::default())));
    let first =
        [Schedule::auto_without_words(), beside_auto(words), Schedule::bmc(BmcOptions::default())];
    let pudlak = AvyOptions { system: System::Pudlak, ..AvyOptions::default() };
    let plain = PdrOptions::default();
    let others = [
        pdr("pdr without signals", plain.ctg, plain.attempts),
        pdr("pdr without ctg", Ctg { max: 0, depth: 0, reach: 1, least_yield: 10 }, usize::MAX),
        alone("kind", Choice::KInduction(KInductionOptions::default())),
        alone("avy", Choice::Avy(pudlak)),
        alone("itp", Choice::Itp(InterpolationOptions::default())),
        pdr("pdr with deep ctg", Ctg { max: 5, depth: 2, reach: 1, least_yield: 10 }, usize::MAX),
        pdr("pdr, light generalisation", Ctg { max: 0, depth: 0, reach: 1, least_yield: 10 }, 3),
        pdr("pdr with more ctg", Ctg { max: 8, depth: 1, reach: 1, least_yield: 10 }, usize::MAX),
    ];
    let table = first.into_iter().chain(on_words).chain(others);
    // Beyond the table, only the seeds differ.
    let more = std::iter::repeat_with(|| {
        alone("pdr", Choice::Pdr(PdrOptions { signals: true, ..PdrOptions::default() }))
    });
    let seeds = 0..threads as u64;
    table.chain(more).zip(seeds).map(|(schedule, seed)| Slot { schedule, seed }).collect()
}

/// The same for liveness properties.
fn slots_for_liveness(threads: usize) -> Vec<Slot> {
    let saving = |choice| Choice::Liveness(Liveness::Saving(Box::new(choice)));
    let signals = PdrOptions { signals: true, ..PdrOptions::default() };
    let table = [
        alone("live", Choice::Liveness(Liveness::Auto)),
        alone("loops by bmc", saving(Choice::Bmc(BmcOptions::default()))),
        alone("rlive", Choice::Liveness(Liveness::Shoals)),
        alone("klive", Choice::Liveness(Liveness::Counting)),
        alone("l2s", saving(Choice::Pdr(PdrOptions::default()))),
        alone("l2s by avy", saving(Choice::Avy(AvyOptions::default()))),
        alone("l2s with signals", saving(Choice::Pdr(signals))),
    ];
    // Beyond the table, only the seeds differ.
    let more = std::iter::repeat_with(|| alone("live", Choice::Liveness(Liveness::Auto)));
    let seeds = 0..threads as u64;
    table
        .into_iter()
        .chain(more)
        .zip(seeds)
        .map(|(schedule, seed)| Slot { schedule, seed })
        .collect()
}

/// One engine without limits.
fn alone(name: &'static str, engine: Choice) -> Schedule {
    Schedule { name, turns: vec![Turn::new(engine)] }
}

fn pdr(name: &'static str, ctg: Ctg, attempts: usize) -> Schedule {
    alone(name, Choice::Pdr(PdrOptions { ctg, attempts, ..PdrOptions::default() }))
}

/// Words for a while if wanted, then several engines that share the thread.
fn beside_auto(words: bool) -> Schedule {
    let mut schedule = Schedule::beside_auto();
    if words {
        let on_words = Turn::short_on_words(TURN_ON_WORDS).when(&[Condition::FitsIntoBits]);
        schedule.turns.insert(0, on_words);
        schedule.name = "words, then pdr, bmc, avy, kind in turn";
    }
    schedule
}

/// What went wrong with one of the engines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    /// The engine's name in the race.
    pub engine: &'static str,
    pub cause: Cause,
}

/// How an engine failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// The checker refused its evidence.
    Refused(Refused),
    /// It panicked, with this message.
    Panicked(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Refused(refused) => write!(f, "{} failed: {refused}", self.engine),
            Cause::Panicked(message) => write!(f, "{} failed: {message}", self.engine),
        }
    }
}

/// Lets so many engines race for the open properties of a task, which gets the verdicts that
/// the judge accepts. Returns what went wrong.
pub(crate) fn race(task: &Task, threads: usize, judge: &Judge<'_>) -> Vec<Failure> {
    let is_live = |property: &PropertyId| task.subject().bad(*property).is_none();
    let slots = if task.properties().iter().any(is_live) {
        slots_for_liveness(threads)
    } else {
        slots(threads, Condition::HasNumbers.holds(task) == Ok(true))
    };
    let check = |slot: &Slot, task: &Task| task.ask(&mut slot.schedule.clone());
    let mut confirm = |property, verdict| judge.confirm(property, verdict);
    race_between(&slots, &check, task, &mut confirm)
}

/// The verdict if its evidence is accepted, an unknown one if it cannot be checked, an error
/// if it is wrong.
type Confirm<'a> = dyn FnMut(PropertyId, Verdict) -> Result<Verdict, Refused> + 'a;

/// What the engine of a slot does with its task.
type Check<'a> = dyn Fn(&Slot, &Task) -> Result<(), EngineError> + Sync + 'a;

fn race_between(
    slots: &[Slot],
    check: &Check<'_>,
    task: &Task,
    confirm: &mut Confirm<'_>,
) -> Vec<Failure> {
    let everyone = task.run().child();
    let claims = Arc::new(Claims::new(slots.len(), &task.open(), &everyone));
    let exchange = Arc::new(Exchange::default());
    let racers: Vec<Task> = slots
        .iter()
        .enumerate()
        .map(|(number, slot)| {
            let seed = task.run().seed().wrapping_add(slot.seed);
            let run = claims.observe(number, everyone.clone(), seed);
            let partner = exchange.partner(Member(number));
            task.with_own_answers().with_run(run).with_partner(partner)
        })
        .collect();
    let mut finish = Finish { task, failures: Vec::new(), reason: None };
    std::thread::scope(|scope| {
        // Even when the checker panics, all engines end.
        let _finish_line = FinishLine(everyone.cancellation());
        let (sender, results) = channel();
        for (number, (slot, racer)) in slots.iter().zip(&racers).enumerate() {
            let sender = sender.clone();
            scope.spawn(move || {
                let check = AssertUnwindSafe(|| check(slot, racer));
                // Nobody listens any more when the race was ended by a panic of the checker.
                sender.send((number, catch_unwind(check))).ok();
            });
        }
        drop(sender);
        for (number, outcome) in results {
            let name = slots[number].schedule.name;
            let accepted = match outcome {
                Ok(Ok(())) => finish.judge(name, &racers[number], confirm),
                Ok(Err(error)) => finish.note_error(error),
                Err(panic) => finish.fail(name, panic_message(&*panic)),
            };
            if accepted {
                claims.report(number, task.run());
            }
            if task.open().is_empty() {
                everyone.cancellation().store(true, Ordering::Relaxed);
            }
        }
    });
    if let Some(reason) = task.run().stop().or(finish.reason) {
        task.give_up(&reason);
    }
    finish.failures
}

/// Cancels all engines when it is dropped.
struct FinishLine(Arc<AtomicBool>);

impl Drop for FinishLine {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Who claims to have decided what, before it is judged.
struct Claims {
    properties: BTreeSet<PropertyId>,
    racers: Vec<Mutex<Racer>>,
    everyone: Run,
}

#[derive(Default)]
struct Racer {
    claimed: BTreeSet<PropertyId>,
    /// Statistics, reported only if the racer wins something; the last of each kind.
    statistics: Vec<Arc<dyn Statistics>>,
    state: Option<Event>,
}

impl Claims {
    fn new(racers: usize, properties: &[PropertyId], everyone: &Run) -> Self {
        Claims {
            properties: properties.iter().copied().collect(),
            racers: (0..racers).map(|_| Mutex::default()).collect(),
            everyone: everyone.clone(),
        }
    }

    fn racer(&self, number: usize) -> MutexGuard<'_, Racer> {
        self.racers[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run of a racer.
    fn observe(self: &Arc<Self>, number: usize, run: Run, seed: u64) -> Run {
        let (claims, audience) = (Arc::clone(self), run.clone());
        run.with_seed(seed).with_observer(move |event| claims.note(number, event, &audience))
    }

    fn note(&self, number: usize, event: &Event, audience: &Run) {
        match event {
            Event::Decided { property, .. } => {
                self.racer(number).claimed.insert(*property);
                self.cancel_if_covered();
            }
            Event::Statistics(statistics) => self.racer(number).keep(statistics),
            // If nobody wins, something is left for a later run.
            Event::State(_) if number == 0 => audience.emit(event.clone()),
            Event::State(_) => self.racer(number).state = Some(event.clone()),
            // The progress of the first one stands for all.
            Event::Progress { .. } if number == 0 => audience.emit(event.clone()),
            Event::Progress { .. } => {}
            Event::Query { .. }
            | Event::ArrayLemmas { .. }
            | Event::DistinctPairs { .. }
            | Event::Recurring(_)
            | Event::Instance { .. } => {
                audience.emit(event.clone());
            }
        }
    }

    /// Several racers may have decided everything together, each still at work on
    /// what another one has: then all are cancelled. One that has decided
    /// everything alone ends by itself, and the others go on until it is judged.
    fn cancel_if_covered(&self) {
        let claims: Vec<BTreeSet<PropertyId>> =
            (0..self.racers.len()).map(|n| self.racer(n).claimed.clone()).collect();
        let together: BTreeSet<PropertyId> = claims.iter().flatten().copied().collect();
        if together == self.properties && claims.iter().all(|claim| *claim != together) {
            self.everyone.cancellation().store(true, Ordering::Relaxed);
        }
    }

    /// Reports the statistics of a racer.
    fn report(&self, number: usize, run: &Run) {
        let Racer { statistics, state, .. } = std::mem::take(&mut *self.racer(number));
        let statistics = statistics.into_iter().map(Event::Statistics);
        statistics.chain(state).for_each(|event| run.emit(event));
    }
}

impl Racer {
    fn keep(&mut self, statistics: &Arc<dyn Statistics>) {
        self.statistics.retain(|other| other.key() != statistics.key());
        self.statistics.push(Arc::clone(statistics));
    }
}

/// What has come in.
struct Finish<'a> {
    /// Gets what is accepted.
    task: &'a Task,
    failures: Vec<Failure>,
    /// Why there might be no verdict, besides being cancelled.
    reason: Option<StopReason>,
}

impl Finish<'_> {
    /// Takes what is accepted about open properties; true if anything is.
    fn judge(&mut self, engine: &'static str, racer: &Task, confirm: &mut Confirm<'_>) -> bool {
        let mut accepted = false;
        for property in self.task.open() {
            let Some(Finding { verdict, depth, .. }) = racer.finding(property) else {
                let reason = racer.reason(property);
                self.reason = reason.filter(|r| *r != StopReason::Cancelled).or(self.reason.take());
                continue;
            };
            match confirm(property, verdict) {
                Ok(Verdict::Unknown(reason)) => self.reason = Some(reason),
                Ok(verdict) => {
                    self.task.decide(engine, property, verdict, depth);
                    accepted = true;
                }
                Err(refused) => {
                    self.failures.push(Failure { engine, cause: Cause::Refused(refused) });
                }
            }
        }
        accepted
    }

    /// An engine that cannot work on the model.
    fn note_error(&mut self, error: EngineError) -> bool {
        self.reason = Some(error.reason());
        false
    }

    fn fail(&mut self, engine: &'static str, message: String) -> bool {
        self.failures.push(Failure { engine, cause: Cause::Panicked(message) });
        false
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{Certificate, Trace, TransitionSystem};
    use elinvar_models::compare_with_search;
    use elinvar_models::families::{memclear, proportional, shift_parity};

    fn task(system: &TransitionSystem, properties: &[PropertyId]) -> Task {
        Task::about(system, properties, &Run::new())
    }

    /// The real engines, whose evidence counts as it is.
    fn run_race(task: &Task, threads: usize) -> Vec<Failure> {
        let words = Condition::HasNumbers.holds(task) == Ok(true);
        let check = |slot: &Slot, task: &Task| task.ask(&mut slot.schedule.clone());
        race_between(&slots(threads, words), &check, task, &mut |_, verdict| Ok(verdict))
    }

    #[test]
    fn engines_that_race_decide_everything() {
        compare_with_search(8, |system, properties| {
            let task = task(system, properties);
            assert_eq!(run_race(&task, 8), []);
            task.verdicts()
        });
    }

    #[test]
    fn few_threads_agree_with_search() {
        for threads in [2, 4] {
            compare_with_search(6, |system, properties| {
                let task = task(system, properties);
                assert_eq!(run_race(&task, threads), []);
                task.verdicts()
            });
        }
    }

    /// Searches that differ by their seeds alone, so that all speak of the same bits, and an
    /// engine for the systems whose initial values they do not support.
    #[test]
    fn searches_that_exchange_lemmas_agree_with_search() {
        let kind = alone("kind", Choice::KInduction(KInductionOptions::default()));
        let searches = (0..3).map(|seed| Slot { schedule: pdr_alone(), seed });
        let slots: Vec<Slot> = searches.chain([Slot { schedule: kind, seed: 3 }]).collect();
        compare_with_search(20, |system, properties| {
            let task = task(system, properties);
            let check = |slot: &Slot, task: &Task| task.ask(&mut slot.schedule.clone());
            assert_eq!(race_between(&slots, &check, &task, &mut |_, verdict| Ok(verdict)), []);
            task.verdicts()
        });
    }

    fn pdr_alone() -> Schedule {
        pdr("pdr", PdrOptions::default().ctg, usize::MAX)
    }

    fn proof() -> Verdict {
        Verdict::Safe(Certificate::KInductive { k: 1, simple_path: false })
    }

    fn trace(property: PropertyId) -> Verdict {
        Verdict::Unsafe(Trace {
            property,
            initial: Vec::new(),
            steps: vec![Default::default()].into(),
            loop_start: None,
        })
    }

    fn refused() -> Refused {
        Refused { what: "proof", property: "p".into(), reason: "wrong".into() }
    }

    type Stage<'a> = dyn Fn(u64, &Task) -> Result<(), EngineError> + Sync + 'a;

    /// A race of engines whose behaviour depends on their number.
    fn staged(
        racers: usize,
        properties: usize,
        check: &Stage,
        confirm: &mut Confirm<'_>,
    ) -> (Vec<Verdict>, Vec<Failure>) {
        let ids: Vec<PropertyId> = (0..properties).map(PropertyId).collect();
        let task = task(&memclear(), &ids);
        let check = |slot: &Slot, task: &Task| check(slot.seed, task);
        let failures = race_between(&slots(racers, false), &check, &task, confirm);
        (task.verdicts(), failures)
    }

    fn until_cancelled(task: &Task) {
        while task.run().stop().is_none() {
            std::thread::yield_now();
        }
    }

    fn decide(task: &Task, verdict: Verdict) -> Result<(), EngineError> {
        task.decide("test", PropertyId(0), verdict, 0);
        Ok(())
    }

    #[test]
    fn failures_are_reported_and_do_no_harm() {
        let check = |number, task: &Task| match number {
            0 => panic!("out of step"),
            1 => Err(EngineError::TooLarge("too large".into())),
            _ => decide(task, proof()),
        };
        let (verdicts, failures) = staged(3, 1, &check, &mut |_, verdict| Ok(verdict));
        assert_eq!(verdicts, [proof()]);
        let failure = Failure { engine: "auto", cause: Cause::Panicked("out of step".into()) };
        assert_eq!(failure.to_string(), "auto failed: out of step");
        assert_eq!(failures, [failure]);
        let (verdicts, _) = staged(2, 1, &check, &mut |_, verdict| Ok(verdict));
        let reason = StopReason::Unsupported("too large".into());
        assert_eq!(verdicts, [Verdict::Unknown(reason)]);
    }

    #[test]
    fn only_accepted_verdicts_win() {
        let check = |number, task: &Task| match number {
            0 => decide(task, proof()),
            1 => decide(task, trace(PropertyId(0))),
            _ => {
                until_cancelled(task);
                Ok(())
            }
        };
        let mut judge = |_, verdict| match verdict {
            Verdict::Safe(_) => Err(refused()),
            other => Ok(other),
        };
        let (verdicts, failures) = staged(3, 1, &check, &mut judge);
        assert_eq!(verdicts, [trace(PropertyId(0))]);
        assert!(failures.len() <= 1, "what comes after the winner is not judged");
        let (verdicts, failures) = staged(1, 1, &check, &mut judge);
        assert_eq!(failures, [Failure { engine: "auto", cause: Cause::Refused(refused()) }]);
        assert!(matches!(verdicts[..], [Verdict::Unknown(_)]));
    }

    #[test]
    fn engines_share_the_work() {
        let check = |number, task: &Task| {
            let property = PropertyId(number as usize);
            let verdict = if number == 0 { proof() } else { trace(property) };
            task.decide("test", property, verdict, 0);
            until_cancelled(task);
            Ok(())
        };
        let (verdicts, _) = staged(2, 2, &check, &mut |_, verdict| Ok(verdict));
        assert_eq!(verdicts, [proof(), trace(PropertyId(1))]);
    }

    #[test]
    fn the_table_is_as_long_as_needed() {
        assert!(slots(0, true).is_empty());
        let many = slots(20, true);
        assert_eq!(many.len(), 20);
        let seeds: BTreeSet<u64> = many.iter().map(|slot| slot.seed).collect();
        assert_eq!(seeds.len(), 20);
    }

    #[test]
    fn words_take_part_where_there_are_numbers() {
        let names = |system: &TransitionSystem| -> Vec<&str> {
            let words = Condition::HasNumbers.holds(&task(system, &[PropertyId(0)])).unwrap();
            slots(4, words).into_iter().map(|slot| slot.schedule.name).collect()
        };
        let with_words = ["auto", "words, then pdr, bmc, avy, kind in turn", "bmc", "words"];
        assert_eq!(names(&proportional()), with_words);
        let without = ["auto", "pdr, bmc, avy, kind in turn", "bmc", "pdr without signals"];
        assert_eq!(names(&shift_parity(8).unwrap()), without, "bits");
        assert_eq!(names(&memclear()), without, "a memory");
    }

    #[test]
    fn words_prove_what_is_about_numbers() {
        let (system, properties) = (proportional(), [PropertyId(0)]);
        let words = alone("words", Choice::Words(WordsOptions::default()));
        for mut schedule in [words, beside_auto(true)] {
            let verdicts = task(&system, &properties).check(&mut schedule).unwrap();
            let [Verdict::Safe(Certificate::Facts { .. })] = verdicts[..] else {
                panic!("{verdicts:?}")
            };
        }
        let task = task(&system, &properties);
        assert_eq!(run_race(&task, 4), []);
        assert!(matches!(task.verdicts()[..], [Verdict::Safe(_)]));
    }

    #[test]
    fn bounded_model_checking_takes_the_model_if_it_has_no_bits() {
        let task = task(&memclear(), &[PropertyId(0)]);
        let run = task.run().child();
        let flag = run.cancellation();
        let looked = Arc::new(AtomicBool::new(false));
        let observed = Arc::clone(&looked);
        let run = run.with_observer(move |event| {
            if let Event::Progress { bound: 3, .. } = event {
                observed.store(true, Ordering::Relaxed);
                flag.store(true, Ordering::Relaxed);
            }
        });
        assert_eq!(task.with_run(run).ask(&mut Schedule::bmc(BmcOptions::default())), Ok(()));
        assert!(looked.load(Ordering::Relaxed));
    }
}
