//! Several engines for one question, at the same time.
//!
//! A race is a table of [`Configuration`]s, a thread for each. Evidence is judged
//! by the caller as it comes in, and only what is accepted counts; when all
//! properties have their verdicts, the others are cancelled. Limits: an engine goes
//! on with a property that another one has decided; the simplified bits are shared
//! by all but the first and those on words.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_transform::{Lift, Prepared, prepare};

use crate::auto::{Answers, Auto};
use crate::bmc::{Bmc, BmcOptions};
use crate::engine::{Engine, EngineError};
use crate::interpolation::avy::AvyOptions;
use crate::interpolation::{System, avy, itp};
use crate::kinduction::{KInduction, KInductionOptions};
use crate::pdr::words::is_worthwhile;
use crate::pdr::{Ctg, Earlier, PdrOptions, Words, WordsOptions, check_prepared};
use crate::run::{Event, Run};

/// One of the engines in a race.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Configuration {
    name: &'static str,
    method: Method,
    /// Added to the seed of the run.
    seed: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Method {
    Auto,
    Bmc,
    KInduction,
    Pdr(PdrOptions),
    Itp,
    Avy(AvyOptions),
    Words,
    /// Bounded model checking, words if wanted, and McMillan's method for a while each,
    /// then AVY.
    InTurn {
        words: bool,
    },
}

/// How long the first of several in turn may take: what is shallow, or easy for the
/// simplest of them, is done by then. Words take longer to show what they are good for.
const TURN: Duration = Duration::from_secs(4);
const TURN_ON_WORDS: Duration = Duration::from_secs(8);

/// The first so many engines to race, the most promising ones first: what is
/// most different from those before it. Those on words take part only where they are
/// worthwhile.
fn configurations(threads: usize, words: bool) -> Vec<Configuration> {
    let ctg = |max, depth| Ctg { max, depth };
    let pdr = |ctg, attempts| {
        let defaults = PdrOptions::default();
        Method::Pdr(PdrOptions { ctg, attempts, ..defaults })
    };
    let in_turn = if words { "bmc, words, itp, avy in turn" } else { "bmc, itp, avy in turn" };
    let on_words = words.then_some(("words", Method::Words));
    let first = [("auto", Method::Auto), (in_turn, Method::InTurn { words }), ("bmc", Method::Bmc)];
    let others = [
        ("pdr without ctg", pdr(ctg(0, 0), usize::MAX)),
        ("kind", Method::KInduction),
        ("avy", Method::Avy(AvyOptions { system: System::Pudlak, ..AvyOptions::default() })),
        ("itp", Method::Itp),
        ("pdr with deep ctg", pdr(ctg(5, 2), usize::MAX)),
        ("pdr in haste", pdr(ctg(0, 0), 3)),
        ("pdr with more ctg", pdr(ctg(8, 1), usize::MAX)),
    ];
    let named = |(name, method), seed| Configuration { name, method, seed };
    let table = first.into_iter().chain(on_words).chain(others);
    // Beyond the table, luck is tried.
    let luck = std::iter::repeat_with(|| ("pdr", pdr(PdrOptions::default().ctg, usize::MAX)));
    table.chain(luck).zip(0..threads as u64).map(|(row, n)| named(row, n)).collect()
}

/// Says what a verdict is worth: the verdict if its evidence is accepted, an
/// unknown one if it cannot be checked, an error if it is wrong.
pub type Judge<'a> = dyn FnMut(PropertyId, Verdict) -> Result<Verdict, String> + 'a;

/// How a race ended.
#[derive(Debug)]
pub struct Race {
    /// All judged.
    pub verdicts: Vec<Verdict>,
    pub failures: Vec<Failure>,
}

/// What went wrong with one of the engines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub engine: &'static str,
    pub message: String,
}

/// Lets so many engines race for the properties.
pub fn race(
    system: &TransitionSystem,
    properties: &[PropertyId],
    threads: usize,
    run: &Run,
    judge: &mut Judge<'_>,
) -> Race {
    let question = Question { system, properties, prepared: OnceLock::new() };
    let check = |racer: &Configuration, run: &Run| racer.method.check(&question, run);
    let configurations = configurations(threads, is_worthwhile(system, properties));
    race_between(&configurations, &check, properties, run, judge)
}

/// What a racer finds.
type Check<'a> = dyn Fn(&Configuration, &Run) -> Result<Vec<Verdict>, EngineError> + Sync + 'a;

fn race_between(
    configurations: &[Configuration],
    check: &Check<'_>,
    properties: &[PropertyId],
    run: &Run,
    judge: &mut Judge<'_>,
) -> Race {
    let everyone = run.child();
    let claims = Arc::new(Claims::new(configurations.len(), properties, &everyone));
    let mut result = Finish::new(properties);
    std::thread::scope(|scope| {
        // Even when the judge panics, nobody runs on.
        let _finish_line = FinishLine(everyone.cancellation());
        let (sender, results) = channel();
        for (number, configuration) in configurations.iter().enumerate() {
            let sender = sender.clone();
            let seed = run.seed().wrapping_add(configuration.seed);
            let run = claims.listen(number, everyone.clone(), seed);
            scope.spawn(move || {
                let check = AssertUnwindSafe(|| check(configuration, &run));
                // Nobody listens any more when the race was ended by a panic of the judge.
                sender.send((number, catch_unwind(check))).ok();
            });
        }
        drop(sender);
        for (number, outcome) in results {
            let name = configurations[number].name;
            let accepted = match outcome {
                Ok(Ok(verdicts)) => result.judge(name, verdicts, run, judge),
                Ok(Err(error)) => result.excuse(&error),
                Err(panic) => result.fail(name, panic_message(&*panic)),
            };
            if accepted {
                claims.tell(number, run);
            }
            if result.answers.open().is_empty() {
                everyone.cancellation().store(true, Ordering::Relaxed);
            }
        }
    });
    result.finish(run.stop())
}

/// Calls all back when it is passed.
struct FinishLine(Arc<AtomicBool>);

impl Drop for FinishLine {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What all racers are asked.
struct Question<'a> {
    system: &'a TransitionSystem,
    properties: &'a [PropertyId],
    /// Made by the first that needs it.
    prepared: OnceLock<Result<Prepared, EngineError>>,
}

impl Question<'_> {
    /// The simplified bits.
    fn prepared(&self, run: &Run) -> Result<&Prepared, EngineError> {
        let options = PdrOptions::default();
        let (passes, limit) = (&options.passes, options.memory_limit);
        let make = || Ok(prepare(self.system, self.properties, passes, limit, run)?);
        let prepared = self.prepared.get_or_init(make).as_ref().map_err(Clone::clone)?;
        run.emit(Event::Passes(prepared.report.clone()));
        Ok(prepared)
    }

    /// Asks an engine about the simplified bits.
    fn ask_about_bits(
        &self,
        run: &Run,
        check: impl FnOnce(&Prepared) -> Result<Vec<Verdict>, EngineError>,
    ) -> Result<Vec<Verdict>, EngineError> {
        let prepared = self.prepared(run)?;
        Ok(check(prepared)?.into_iter().map(|verdict| prepared.lift.verdict(verdict)).collect())
    }
}

impl Method {
    fn check(&self, question: &Question<'_>, run: &Run) -> Result<Vec<Verdict>, EngineError> {
        let &Question { system, properties, .. } = question;
        match self {
            Method::Auto => Auto { words: false }.check(system, properties, run),
            Method::KInduction => {
                KInduction::new(KInductionOptions::default()).check(system, properties, run)
            }
            Method::Bmc => {
                let mut bmc = Bmc::new(BmcOptions::default());
                let on_bits = question.ask_about_bits(run, |prepared| {
                    let system = prepared.bits.try_system(run).map_err(EngineError::Stopped)?;
                    bmc.check(system, properties, run)
                });
                match on_bits {
                    Err(EngineError::TooLarge(_)) => bmc.check(system, properties, run),
                    result => result,
                }
            }
            Method::Itp => question.ask_about_bits(run, |prepared| {
                Ok(itp::check_prepared(prepared, properties, &Default::default(), run))
            }),
            Method::Avy(options) => question.ask_about_bits(run, |prepared| {
                let earlier = Earlier::of_run(run, system);
                Ok(avy::check_prepared(prepared, properties, options, earlier, run))
            }),
            Method::Words => Words::new(WordsOptions::default()).check(system, properties, run),
            Method::InTurn { words } => in_turn(question, *words, run),
            Method::Pdr(options) => question.ask_about_bits(run, |prepared| {
                let earlier = Earlier::of_run(run, system);
                Ok(check_prepared(prepared, properties, options, earlier, run).verdicts)
            }),
        }
    }
}

/// What several engines find out, one after another.
fn in_turn(question: &Question<'_>, words: bool, run: &Run) -> Result<Vec<Verdict>, EngineError> {
    let &Question { system, properties, .. } = question;
    let prepared = question.prepared(run)?;
    let mut answers = Answers::new(properties);
    let bits = prepared.bits.try_system(run).map_err(EngineError::Stopped)?;
    let bmc = Bmc::new(BmcOptions::default()).check(bits, properties, &run.within(TURN))?;
    answers.take_lifted(properties, bmc, prepared);
    if words {
        answers.ask_words(system, &run.within(TURN_ON_WORDS))?;
    }
    let open = answers.open();
    let itp = itp::check_prepared(prepared, &open, &Default::default(), &run.within(TURN));
    answers.take_lifted(&open, itp, prepared);
    let open = answers.open();
    if !open.is_empty() {
        let (earlier, options) = (Earlier::of_run(run, system), AvyOptions::default());
        let avy = avy::check_prepared(prepared, &open, &options, earlier, run);
        answers.take_lifted(&open, avy, prepared);
    }
    Ok(answers.finish_because(None))
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
    /// Statistics, told only if the racer wins something; the last of each kind.
    passes: Option<Event>,
    frames: Option<Event>,
    pdr: Option<Event>,
    words: Option<Event>,
    interpolation: Option<Event>,
    reuse: Option<Event>,
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

    fn racer(&self, number: usize) -> std::sync::MutexGuard<'_, Racer> {
        self.racers[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The conditions of a racer.
    fn listen(self: &Arc<Self>, number: usize, run: Run, seed: u64) -> Run {
        let (claims, audience) = (Arc::clone(self), run.clone());
        run.with_seed(seed).with_observer(move |event| claims.hear(number, event, &audience))
    }

    fn hear(&self, number: usize, event: &Event, audience: &Run) {
        match event {
            Event::Decided { property, .. } => {
                self.racer(number).claimed.insert(*property);
                self.cancel_if_covered();
            }
            Event::Passes(_) => self.racer(number).passes = Some(event.clone()),
            Event::Pdr(_) => self.racer(number).pdr = Some(event.clone()),
            Event::Words(_) => self.racer(number).words = Some(event.clone()),
            Event::Reuse(_) => self.racer(number).reuse = Some(event.clone()),
            // If nobody wins, something is left for a later run.
            Event::State(_) if number == 0 => audience.emit(event.clone()),
            Event::State(_) => self.racer(number).state = Some(event.clone()),
            Event::Frames { .. } | Event::Bound { .. } | Event::Interpolants { .. } => {
                // An engine with bounds comes after one with frames.
                let has_frames = matches!(event, Event::Frames { .. });
                self.racer(number).frames = has_frames.then(|| event.clone());
                // The progress of the first one stands for all.
                if number == 0 {
                    audience.emit(event.clone());
                }
            }
            Event::Interpolation(_) => self.racer(number).interpolation = Some(event.clone()),
            Event::Query { .. }
            | Event::ArrayLemmas { .. }
            | Event::DistinctPairs { .. }
            | Event::Stage(_) => {
                audience.emit(event.clone());
            }
        }
    }

    /// Several racers may have decided everything together, each still at work on
    /// what another one has: then all are called back. One that has decided
    /// everything alone comes by itself, and the others go on until it is judged.
    fn cancel_if_covered(&self) {
        let claims: Vec<BTreeSet<PropertyId>> =
            (0..self.racers.len()).map(|n| self.racer(n).claimed.clone()).collect();
        let together: BTreeSet<PropertyId> = claims.iter().flatten().copied().collect();
        if together == self.properties && claims.iter().all(|claim| *claim != together) {
            self.everyone.cancellation().store(true, Ordering::Relaxed);
        }
    }

    /// Tells the statistics of a racer.
    fn tell(&self, number: usize, run: &Run) {
        let Racer { passes, frames, pdr, words, interpolation, reuse, state, .. } =
            std::mem::take(&mut *self.racer(number));
        let events = [passes, frames, pdr, words, interpolation, reuse, state];
        for event in events.into_iter().flatten() {
            run.emit(event);
        }
    }
}

/// What has come in.
struct Finish {
    answers: Answers,
    failures: Vec<Failure>,
    /// Why there might be no verdict, besides being called back.
    reason: Option<StopReason>,
}

impl Finish {
    fn new(properties: &[PropertyId]) -> Self {
        Finish { answers: Answers::new(properties), failures: Vec::new(), reason: None }
    }

    /// Takes what is accepted about open properties; true if anything is.
    fn judge(
        &mut self,
        engine: &'static str,
        verdicts: Vec<Verdict>,
        run: &Run,
        judge: &mut Judge<'_>,
    ) -> bool {
        let open = self.answers.open();
        let asked = self.answers.found.iter().map(|&(id, _)| id);
        let pairs: Vec<(PropertyId, Verdict)> = asked.zip(verdicts).collect();
        let mut accepted = false;
        for (property, verdict) in pairs {
            let called_back = verdict == Verdict::Unknown(StopReason::Cancelled);
            if !open.contains(&property) || called_back {
                continue;
            }
            match judge(property, verdict) {
                Ok(Verdict::Unknown(reason)) => self.reason = Some(reason),
                Ok(verdict) => {
                    let (safe, depth) = match &verdict {
                        Verdict::Unsafe(trace) => (false, trace.depth()),
                        Verdict::Safe(_) | Verdict::Unknown(_) => (true, 0),
                    };
                    run.emit(Event::Decided { engine, property, safe, depth });
                    self.answers.take(&[property], std::iter::once(verdict));
                    accepted = true;
                }
                Err(message) => self.failures.push(Failure { engine, message }),
            }
        }
        accepted
    }

    /// An engine that cannot work on the model.
    fn excuse(&mut self, error: &EngineError) -> bool {
        self.reason = Some(error.clone().reason());
        false
    }

    fn fail(&mut self, engine: &'static str, message: String) -> bool {
        self.failures.push(Failure { engine, message });
        false
    }

    fn finish(self, stopped: Option<StopReason>) -> Race {
        let verdicts = self.answers.finish_because(stopped.or(self.reason));
        Race { verdicts, failures: self.failures }
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
    use crate::auto::tests::{compare, proportional};
    use elinvar_ir::{Certificate, Trace};
    use elinvar_models::families::{memclear, shift_parity};

    #[test]
    fn engines_that_race_decide_everything() {
        compare(8, |system, properties| {
            let result = race(system, properties, 8, &Run::new(), &mut |_, verdict| Ok(verdict));
            assert_eq!(result.failures, []);
            result.verdicts
        });
    }

    fn proof() -> Verdict {
        Verdict::Safe(Certificate::KInductive { k: 1, simple_path: false })
    }

    fn trace(property: PropertyId) -> Verdict {
        Verdict::Unsafe(Trace { property, initial: Vec::new(), steps: vec![Default::default()] })
    }

    type Stage<'a> = dyn Fn(u64, &Run) -> Result<Vec<Verdict>, EngineError> + Sync + 'a;

    /// A race of engines that are told what to do by their number.
    fn staged(racers: usize, properties: usize, check: &Stage, judge: &mut Judge<'_>) -> Race {
        let ids: Vec<PropertyId> = (0..properties).map(PropertyId).collect();
        let check = |racer: &Configuration, run: &Run| check(racer.seed, run);
        race_between(&configurations(racers, false), &check, &ids, &Run::new(), judge)
    }

    fn until_called_back(run: &Run) {
        while run.stop().is_none() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn failures_are_told_and_do_no_harm() {
        let check = |number, _: &Run| match number {
            0 => panic!("out of step"),
            1 => Err(EngineError::TooLarge("too large".into())),
            _ => Ok(vec![proof()]),
        };
        let race = staged(3, 1, &check, &mut |_, verdict| Ok(verdict));
        assert_eq!(race.verdicts, [proof()]);
        let failure = Failure { engine: "auto", message: "out of step".into() };
        assert_eq!(race.failures, [failure]);
        let race = staged(2, 1, &check, &mut |_, verdict| Ok(verdict));
        let reason = StopReason::Unsupported("too large".into());
        assert_eq!(race.verdicts, [Verdict::Unknown(reason)]);
    }

    #[test]
    fn only_accepted_verdicts_win() {
        let check = |number, run: &Run| match number {
            0 => Ok(vec![proof()]),
            1 => Ok(vec![trace(PropertyId(0))]),
            _ => {
                until_called_back(run);
                Ok(vec![Verdict::Unknown(StopReason::Cancelled)])
            }
        };
        let mut judge = |_, verdict| match verdict {
            Verdict::Safe(_) => Err("refused".to_owned()),
            other => Ok(other),
        };
        let race = staged(3, 1, &check, &mut judge);
        assert_eq!(race.verdicts, [trace(PropertyId(0))]);
        assert!(race.failures.len() <= 1, "what comes after the winner is not judged");
        let race = staged(1, 1, &check, &mut judge);
        assert_eq!(race.failures, [Failure { engine: "auto", message: "refused".into() }]);
        assert!(matches!(race.verdicts[..], [Verdict::Unknown(_)]));
    }

    #[test]
    fn engines_share_the_work() {
        let unknown = || Verdict::Unknown(StopReason::Cancelled);
        let check = |number, run: &Run| {
            let (engine, property) = ("test", PropertyId(number as usize));
            run.emit(Event::Decided { engine, property, safe: number == 0, depth: 0 });
            until_called_back(run);
            Ok(if number == 0 {
                vec![proof(), unknown()]
            } else {
                vec![unknown(), trace(property)]
            })
        };
        let race = staged(2, 2, &check, &mut |_, verdict| Ok(verdict));
        assert_eq!(race.verdicts, [proof(), trace(PropertyId(1))]);
    }

    #[test]
    fn the_table_is_as_long_as_needed() {
        assert!(configurations(0, true).is_empty());
        let many = configurations(20, true);
        assert_eq!(many.len(), 20);
        let seeds: BTreeSet<u64> = many.iter().map(|racer| racer.seed).collect();
        assert_eq!(seeds.len(), 20);
    }

    #[test]
    fn words_take_part_where_there_are_numbers() {
        let names = |system: &TransitionSystem| -> Vec<&str> {
            let racers = configurations(4, is_worthwhile(system, &[PropertyId(0)]));
            racers.into_iter().map(|racer| racer.name).collect()
        };
        let with_words = ["auto", "bmc, words, itp, avy in turn", "bmc", "words"];
        assert_eq!(names(&proportional()), with_words);
        let without = ["auto", "bmc, itp, avy in turn", "bmc", "pdr without ctg"];
        assert_eq!(names(&shift_parity(8).unwrap()), without, "bits");
        assert_eq!(names(&memclear()), without, "a memory");
    }

    #[test]
    fn words_prove_what_is_about_numbers() {
        let system = proportional();
        let properties = [PropertyId(0)];
        let question =
            Question { system: &system, properties: &properties, prepared: OnceLock::new() };
        let methods = [Method::Words, Method::InTurn { words: true }];
        for verdicts in methods.map(|method| method.check(&question, &Run::new()).unwrap()) {
            let [Verdict::Safe(Certificate::Facts { .. })] = verdicts[..] else {
                panic!("{verdicts:?}")
            };
        }
        let race = race(&system, &properties, 4, &Run::new(), &mut |_, verdict| Ok(verdict));
        assert_eq!(race.failures, []);
        assert!(matches!(race.verdicts[..], [Verdict::Safe(_)]));
    }
}
