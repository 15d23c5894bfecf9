//! A run of an engine under the limits that the user sets, with its evidence
//! confirmed.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use elinvar_check::{Budget, Refusal};
use elinvar_engines::optimum::{Optimum, OptimumError, optimum};
use elinvar_engines::pdr::PdrOptions;
use elinvar_engines::{Choice, Race, Run};
use elinvar_formats::model::Model;
use elinvar_ir::{Certificate, PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_transform::Family;

use crate::engine_options::Plan;
use crate::evidence;
use crate::failure::{Bug, Stopped};
use crate::family::{FamilyReport, StrategyName};
use crate::interrupt;
use crate::load::Original;
use crate::output::Files;
use crate::progress::{Monitor, Progress, Statistics};
use crate::proof::Kept;
use crate::report::{Answer, Report};
use crate::supervisor::Supervisor;

/// How much time and memory a command may use.
#[derive(clap::Args, Clone, Default)]
pub struct Resources {
    /// Stop after this many seconds; checking what was found may take a tenth of
    /// that longer, and at least one second [default: never]
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Stop when more memory than this many MiB is used [default: never]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
}

impl Resources {
    fn bytes(&self) -> Option<u64> {
        self.memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20))
    }

    /// Does some work under these limits, and fails when it does not end in time.
    pub fn watch<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.supervisor().watch(work).map_err(Stopped)?
    }

    /// Starts the clock.
    pub fn supervisor(&self) -> Supervisor {
        Supervisor::start(self.timeout, self.bytes())
    }
}

/// The limits and the seed of a run.
#[derive(clap::Args, Clone, Default)]
pub struct Limits {
    #[command(flatten)]
    resources: Resources,

    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// A run with its limits, from the start of the command on. Clones are the same session.
#[derive(Clone)]
pub struct Session {
    run: Run,
    supervisor: Supervisor,
    /// The time that the proof took with which the run begins.
    earlier_seconds: Option<f64>,
    monitor: Monitor,
    quiet: bool,
    /// The time that the checking of evidence has taken.
    checking: Arc<Mutex<Duration>>,
    /// The verdicts that were confirmed so far.
    confirmed: Arc<Mutex<BTreeMap<PropertyId, Verdict>>>,
}

/// A family, and the same family without rewriting, which evidence is checked against.
#[derive(Clone)]
pub struct Families {
    pub family: Arc<Family>,
    pub original: Arc<Family>,
}

impl Families {
    /// A family that was not read from a file, so there is no other reading of it.
    pub fn built(family: Family) -> Self {
        let family = Arc::new(family);
        Families { original: Arc::clone(&family), family }
    }
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
        let Limits { resources, seed } = limits;
        let supervisor = resources.supervisor();
        let monitor = Monitor::new();
        let run = Run::new().with_seed(*seed);
        let mut run = kept.attach(monitor.attach(run, kept.keeper()));
        if let Some(timeout) = resources.timeout {
            run = run.with_timeout(timeout);
        }
        if let Some(bytes) = resources.bytes() {
            run = run.with_memory(bytes);
        }
        let (cancelled, handler) = (run.cancellation(), supervisor.clone());
        interrupt::listen(move || {
            if cancelled.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
            handler.interrupt();
        })?;
        let earlier_seconds = kept.earlier_seconds();
        let (checking, confirmed) = Default::default();
        Ok(Session { run, supervisor, earlier_seconds, monitor, quiet, checking, confirmed })
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
        let judged = self.supervisor.checking(check);
        *self.checking.lock().unwrap_or_else(PoisonError::into_inner) += start.elapsed();
        judged
    }

    /// The time that the checking of evidence has taken.
    pub fn checked(&self) -> Duration {
        *self.checking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a model under the limits of the session.
    pub fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.supervisor.watch(read).map_err(Stopped)?
    }

    /// Does some work under the limits of the session; when it does not end in time, it
    /// is abandoned.
    pub fn supervise<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, StopReason> {
        self.supervisor.watch(work)
    }

    /// Decides the properties and confirms all evidence.
    pub fn decide<'a>(
        &self,
        model: &'a Arc<Model>,
        original: &Arc<Original>,
        chosen: &[PropertyId],
        plan: &Plan,
        size: ProofSize,
    ) -> Result<Report<'a>> {
        let system = model.system();
        let safety: Vec<PropertyId> =
            chosen.iter().copied().filter(|&id| system.bad(id).is_some()).collect();
        let progress = self.progress();
        let Decided { engine, verdicts, warnings } =
            self.watch(model, original, safety, plan, size)?;
        drop(progress);
        let contradiction = self.contradiction(original, &verdicts);
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
        let checking = self.checked();
        let earlier_seconds = self.earlier_seconds;
        let files = Files::default();
        Ok(Report {
            model,
            engine,
            time,
            checking,
            answers,
            statistics,
            earlier_seconds,
            contradiction,
            files,
            warnings,
        })
    }

    /// Looks for constraints that contradict each other, if something is proved.
    fn contradiction(&self, original: &Original, verdicts: &[Verdict]) -> Option<usize> {
        if !verdicts.iter().any(|verdict| matches!(verdict, Verdict::Safe(_))) {
            return None;
        }
        let system = original.system().ok()?;
        self.checking(|| evidence::vacuity(system, self.monitor.elapsed()))
    }

    /// Finds the bound at which the property of a family begins to fail, and confirms
    /// all evidence against `original`, the same family without rewriting.
    pub fn optimum<'a>(
        &self,
        families: &'a Families,
        name: StrategyName,
        options: PdrOptions,
    ) -> Result<FamilyReport<'a>> {
        let progress = self.progress();
        let (session, shared) = (self.clone(), families.clone());
        let found = self.supervisor.watch(move || {
            let Families { family, original } = &shared;
            let mut confirm = |bound, instance: &TransitionSystem, property, verdict| {
                let original = original.instance(bound);
                session
                    .confirm(instance, Ok(&original), property, verdict)
                    .map_err(|error| format!("{error:#}"))
            };
            match optimum(family, &name.strategy(options), &session.run, &mut confirm) {
                Ok(found) => {
                    session.checking(|| confirm_bounds(original, found, &session.budget()))
                }
                Err(error @ (OptimumError::NotMonotone(_) | OptimumError::Engine(_))) => {
                    bail!(error)
                }
                Err(error @ OptimumError::Refused { .. }) => bail!(Bug(error.to_string())),
            }
        });
        drop(progress);
        let optimum = match found {
            Ok(found) => found?,
            Err(reason) => Optimum {
                trend: None,
                fails: None,
                holds: None,
                stages: Vec::new(),
                stopped: Some(reason),
            },
        };
        let family = &families.family;
        let (time, checking) = (self.monitor.elapsed(), self.checked());
        Ok(FamilyReport { family, strategy: name, optimum, time, checking })
    }

    /// Decides the properties in a thread of its own. What was confirmed counts also when
    /// that thread does not end at its limits.
    fn watch(
        &self,
        model: &Arc<Model>,
        original: &Arc<Original>,
        properties: Vec<PropertyId>,
        plan: &Plan,
        size: ProofSize,
    ) -> Result<Decided> {
        let (session, model, plan) = (self.clone(), Arc::clone(model), plan.clone());
        let original = Arc::clone(original);
        let engine = plan.name();
        let asked = properties.clone();
        let decided = self.supervisor.watch(move || {
            let system = model.system();
            let mut decided = match &plan {
                Plan::One(choice) => session.ask_one(system, &original, &properties, choice)?,
                Plan::Race(threads) => session.race(system, &original, &properties, *threads)?,
            };
            if size == ProofSize::Small {
                decided.verdicts =
                    session.minimize(system, &original, &properties, decided.verdicts)?;
            }
            Ok(decided)
        });
        decided.unwrap_or_else(|reason| {
            let mut confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
            let unknown = || Verdict::Unknown(reason.clone());
            let verdict = |property| confirmed.remove(property).unwrap_or_else(unknown);
            let verdicts = asked.iter().map(verdict).collect();
            Ok(Decided { engine, verdicts, warnings: Vec::new() })
        })
    }

    fn ask_one(
        &self,
        system: &TransitionSystem,
        original: &Original,
        properties: &[PropertyId],
        choice: &Choice,
    ) -> Result<Decided> {
        let mut engine = choice.build();
        let verdicts = engine
            .check(system, properties, &self.run)
            .unwrap_or_else(|error| vec![Verdict::Unknown(error.reason()); properties.len()]);
        let pairs = properties.iter().zip(verdicts);
        let verdicts = pairs
            .map(|(&property, verdict)| self.conclude(system, original, property, verdict))
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
            self.conclude(system, original, property, verdict).map_err(|error| format!("{error:#}"))
        };
        let Race { verdicts, failures } =
            elinvar_engines::race(system, properties, threads, &self.run, &mut judge);
        let warnings: Vec<String> =
            failures.into_iter().map(|f| format!("{} failed: {}", f.engine, f.message)).collect();
        let undecided = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Unknown(_)));
        if undecided && !warnings.is_empty() && self.run.stop().is_none() {
            bail!(Bug(warnings.join("\n")));
        }
        Ok(Decided { engine: Plan::Race(threads).name(), verdicts, warnings })
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

    /// Confirms a verdict about the model, and keeps it for the report.
    fn conclude(
        &self,
        system: &TransitionSystem,
        original: &Original,
        property: PropertyId,
        verdict: Verdict,
    ) -> Result<Verdict> {
        // The model is read again only if there is evidence to check.
        if let Verdict::Unknown(_) = verdict {
            return Ok(verdict);
        }
        let verdict = self.confirm(system, original.system(), property, verdict)?;
        match verdict {
            Verdict::Safe(_) | Verdict::Unsafe(_) => {
                let mut confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
                confirmed.insert(property, verdict.clone());
            }
            Verdict::Unknown(_) => {}
        }
        Ok(verdict)
    }

    /// A run that was stopped may have decided some properties: checking their evidence
    /// has some time beyond the limit, and an interrupt that came before does not count.
    pub fn budget(&self) -> Budget {
        let flag = self.run.cancellation();
        let interrupted = flag.load(Ordering::Relaxed);
        Budget {
            deadline: self.supervisor.check_deadline(),
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
