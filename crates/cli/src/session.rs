//! A run of an engine under the limits that the user sets, with its evidence
//! confirmed.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use elinvar_check::{Budget, Refusal};
use elinvar_engines::optimum::{Family, Optimum, OptimumError, optimum};
use elinvar_engines::pdr::PdrOptions;
use elinvar_engines::{Choice, Race, Run};
use elinvar_formats::model::Model;
use elinvar_ir::{Certificate, PropertyId, StopReason, TransitionSystem, Verdict};

use crate::engine_options::Plan;
use crate::evidence;
use crate::failure::Bug;
use crate::family::{FamilyReport, StrategyName};
use crate::load::Original;
use crate::progress::{Monitor, Progress, Statistics};
use crate::proof::Kept;
use crate::report::{Answer, Report};

/// The limits of a run.
#[derive(clap::Args, Clone, Default)]
pub struct Limits {
    /// Stop after this many seconds; checking what was found may take as long
    /// again [default: never]
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Stop when more memory than this many MiB is used [default: never]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,

    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// A run with its limits, from the start of the command on.
pub struct Session {
    run: Run,
    timeout: Option<Duration>,
    /// The time that the proof took with which the run begins.
    earlier_seconds: Option<f64>,
    monitor: Monitor,
    quiet: bool,
    /// The time that the checking of evidence has taken.
    checking: Cell<Duration>,
}

/// Whether proofs are told as they were found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ProofSize {
    AsFound,
    Small,
}

/// Confirmed verdicts.
struct Decided {
    engine: &'static str,
    verdicts: Vec<Verdict>,
    warnings: Vec<String>,
}

impl Session {
    /// Starts the clock and listens to interrupts: the first one ends the run
    /// in an orderly way, the second one ends the process.
    pub fn start(limits: &Limits, quiet: bool, kept: &Kept) -> Result<Self> {
        const INTERRUPTED: i32 = 130;
        let monitor = Monitor::new();
        let run = Run::new().with_seed(limits.seed);
        let mut run = kept.attach(monitor.attach(run, kept.keeper()));
        if let Some(timeout) = limits.timeout {
            run = run.with_timeout(timeout);
        }
        if let Some(mebibytes) = limits.memory {
            run = run.with_memory(mebibytes.saturating_mul(1 << 20));
        }
        let cancelled = run.cancellation();
        ctrlc::set_handler(move || {
            if cancelled.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        })
        .context("cannot listen to interrupts")?;
        let (timeout, earlier_seconds) = (limits.timeout, kept.earlier_seconds());
        let checking = Cell::default();
        Ok(Session { run, timeout, earlier_seconds, monitor, quiet, checking })
    }

    /// What engines may use.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Shows life until the result is dropped.
    pub fn progress(&self) -> Option<Progress> {
        if self.quiet { None } else { self.monitor.show() }
    }

    pub fn elapsed(&self) -> Duration {
        self.monitor.elapsed()
    }

    pub fn statistics(&self) -> Statistics {
        self.monitor.statistics()
    }

    /// Does some checking of evidence, and counts the time that it takes.
    pub fn checking<T>(&self, check: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let judged = check();
        self.checking.set(self.checking.get() + start.elapsed());
        judged
    }

    /// The time that the checking of evidence has taken.
    pub fn checked(&self) -> Duration {
        self.checking.get()
    }

    /// Decides the properties and confirms all evidence.
    pub fn decide<'a>(
        &self,
        model: &'a Model,
        original: &Original,
        chosen: &[PropertyId],
        plan: &Plan,
        size: ProofSize,
    ) -> Result<Report<'a>> {
        let system = model.system();
        let safety: Vec<PropertyId> =
            chosen.iter().copied().filter(|&id| system.bad(id).is_some()).collect();
        let progress = self.progress();
        let Decided { engine, verdicts, warnings } = match plan {
            Plan::One(choice) => self.ask_one(system, original, &safety, choice)?,
            Plan::Race(threads) => self.race(system, original, &safety, *threads)?,
        };
        let verdicts = match size {
            ProofSize::AsFound => verdicts,
            ProofSize::Small => self.minimize(system, original, &safety, verdicts)?,
        };
        drop(progress);
        let mut verdicts = verdicts.into_iter();
        let statistics = self.monitor.statistics();
        let time = self.monitor.elapsed();
        let answer = |&property: &PropertyId| {
            let verdict = match system.bad(property) {
                Some(_) => verdicts.next().expect("a verdict for each safety property"),
                None => Verdict::Unknown(StopReason::Unsupported(
                    "liveness is not decided, only safety".to_owned(),
                )),
            };
            let decision = match verdict {
                Verdict::Safe(_) | Verdict::Unsafe(_) => statistics.decided.get(&property),
                Verdict::Unknown(_) => None,
            };
            let time = decision.map_or(time, |decision| decision.time);
            Answer { property, verdict, time, engine: decision.map(|decision| decision.engine) }
        };
        let answers = chosen.iter().map(answer).collect();
        let checking = self.checking.get();
        let earlier_seconds = self.earlier_seconds;
        Ok(Report { model, engine, time, checking, answers, statistics, earlier_seconds, warnings })
    }

    /// Finds the bound at which the property of a family begins to fail, and confirms
    /// all evidence against `original`, the same family without rewriting.
    pub fn optimum<'a>(
        &self,
        family: &'a Family,
        original: &Family,
        name: StrategyName,
        options: PdrOptions,
    ) -> Result<FamilyReport<'a>> {
        let progress = self.progress();
        let mut confirm = |bound, instance: &TransitionSystem, property, verdict| {
            let original = original.instance(bound);
            self.confirm(instance, Ok(&original), property, verdict)
                .map_err(|error| format!("{error:#}"))
        };
        let found = optimum(family, &name.strategy(options), &self.run, &mut confirm);
        drop(progress);
        let optimum = found.map_err(|error| match error {
            OptimumError::Family(error) => anyhow!(error),
            error @ OptimumError::Refused { .. } => anyhow!(Bug(error.to_string())),
        })?;
        let optimum = self.checking(|| confirm_bounds(original, optimum, &self.budget()))?;
        let (time, checking) = (self.monitor.elapsed(), self.checking.get());
        Ok(FamilyReport { family, strategy: name, optimum, time, checking })
    }

    fn ask_one(
        &self,
        system: &TransitionSystem,
        original: &Original,
        properties: &[PropertyId],
        choice: &Choice,
    ) -> Result<Decided> {
        let mut engine = choice.build();
        let verdicts = engine.check(system, properties, &self.run).unwrap_or_else(|error| {
            let reason = StopReason::Unsupported(error.to_string());
            vec![Verdict::Unknown(reason); properties.len()]
        });
        let pairs = properties.iter().zip(verdicts);
        let verdicts = pairs
            .map(|(&property, verdict)| self.confirm(system, original.system(), property, verdict))
            .collect::<Result<_>>()?;
        Ok(Decided { engine: engine.name(), verdicts, warnings: Vec::new() })
    }

    fn race(
        &self,
        system: &TransitionSystem,
        original: &Original,
        properties: &[PropertyId],
        threads: usize,
    ) -> Result<Decided> {
        let mut judge = |property, verdict| {
            self.confirm(system, original.system(), property, verdict)
                .map_err(|error| format!("{error:#}"))
        };
        let Race { verdicts, failures } =
            elinvar_engines::race(system, properties, threads, &self.run, &mut judge);
        let warnings: Vec<String> =
            failures.into_iter().map(|f| format!("{} failed: {}", f.engine, f.message)).collect();
        let undecided = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Unknown(_)));
        if undecided && !warnings.is_empty() && self.run.stop().is_none() {
            bail!(Bug(warnings.join("\n")));
        }
        Ok(Decided { engine: "portfolio", verdicts, warnings })
    }

    /// Makes proofs smaller; what comes out is confirmed again.
    fn minimize(
        &self,
        system: &TransitionSystem,
        original: &Original,
        properties: &[PropertyId],
        verdicts: Vec<Verdict>,
    ) -> Result<Vec<Verdict>> {
        let smaller = |(&property, verdict): (&PropertyId, Verdict)| {
            let Verdict::Safe(proof) = &verdict else { return Ok(verdict) };
            match elinvar_engines::minimize(system, property, proof.clone(), &self.run) {
                Ok(smaller) if smaller != *proof => {
                    match self.confirm(
                        system,
                        original.system(),
                        property,
                        Verdict::Safe(smaller),
                    )? {
                        Verdict::Unknown(_) => Ok(verdict),
                        confirmed => Ok(confirmed),
                    }
                }
                // A proof that cannot be made smaller is one nevertheless.
                Ok(_) | Err(_) => Ok(verdict),
            }
        };
        properties.iter().zip(verdicts).map(smaller).collect()
    }

    fn confirm(
        &self,
        system: &TransitionSystem,
        original: Result<&TransitionSystem, &str>,
        property: PropertyId,
        verdict: Verdict,
    ) -> Result<Verdict> {
        let budget = self.budget();
        let stopped = || self.run.stop();
        self.checking(|| evidence::confirm(system, original, property, verdict, &budget, stopped))
    }

    /// A run that was stopped may have decided some properties: checking their
    /// evidence has as much time again, or what is left of it, and an interrupt that
    /// came before does not count.
    pub fn budget(&self) -> Budget {
        const LEAST: Duration = Duration::from_secs(1);
        let elapsed = self.monitor.elapsed();
        let left = self.timeout.map_or(LEAST, |timeout| timeout.saturating_sub(elapsed));
        let allowance = elapsed.max(left).max(LEAST);
        let flag = self.run.cancellation();
        let interrupted = flag.load(Ordering::Relaxed);
        Budget {
            deadline: self.timeout.map(|_| Instant::now() + allowance),
            cancelled: (!interrupted).then_some(flag),
            ..Budget::default()
        }
    }
}

/// Confirms what a search concludes beyond the verdicts of its stages: that larger values
/// only loosen or only tighten the system, and that the trace is one under its bound.
fn confirm_bounds(family: &Family, mut found: Optimum, budget: &Budget) -> Result<Optimum> {
    if let Some((bound, trace)) = &found.fails {
        let system = family.instance(*bound);
        if let Err(refusal) = elinvar_check::replay(&system, trace) {
            bail!(Bug(format!("the checker refused the counterexample of {bound}: {refusal}")));
        }
    }
    let Some(trend) = found.trend else { return Ok(found) };
    // There are no states, so that the property holds if no input violates it.
    let proof = Certificate::Inductive { clauses: Vec::new() };
    let question = family.violation(trend);
    match elinvar_check::certificate(&question, PropertyId(0), &proof, budget) {
        Ok(()) => {}
        Err(Refusal::OutOfBudget) => {
            let why = "that the parameter is monotone could not be checked within the limits";
            found.stopped.get_or_insert(StopReason::Unsupported(why.to_owned()));
        }
        Err(refusal) => {
            bail!(Bug(format!("the checker refused that the parameter is monotone: {refusal}")))
        }
    }
    Ok(found)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
