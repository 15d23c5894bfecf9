//! A run of an engine under the limits that the user sets, with its evidence
//! confirmed.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use elinvar_check::Budget;
use elinvar_engines::{Choice, Run};
use elinvar_formats::model::Model;
use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};

use crate::evidence;
use crate::progress::Monitor;
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
    has_deadline: bool,
    monitor: Monitor,
    quiet: bool,
}

impl Session {
    /// Starts the clock and listens to interrupts: the first one ends the run
    /// in an orderly way, the second one ends the process.
    pub fn start(limits: &Limits, quiet: bool) -> Result<Self> {
        const INTERRUPTED: i32 = 130;
        let monitor = Monitor::new();
        let mut run = monitor.attach(Run::new().with_seed(limits.seed));
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
        Ok(Session { run, has_deadline: limits.timeout.is_some(), monitor, quiet })
    }

    /// Decides the properties and confirms all evidence.
    pub fn decide<'a>(
        &self,
        model: &'a Model,
        chosen: &[PropertyId],
        choice: &Choice,
    ) -> Result<Report<'a>> {
        let system = model.system();
        let safety: Vec<PropertyId> =
            chosen.iter().copied().filter(|&id| system.bad(id).is_some()).collect();
        let mut engine = choice.build();
        let progress = if self.quiet { None } else { self.monitor.show() };
        let verdicts = engine.check(system, &safety, &self.run).unwrap_or_else(|error| {
            let reason = StopReason::Unsupported(error.to_string());
            vec![Verdict::Unknown(reason); safety.len()]
        });
        let mut confirmed = self.confirm(system, &safety, verdicts)?.into_iter();
        drop(progress);
        let statistics = self.monitor.statistics();
        let time = self.monitor.elapsed();
        let answer = |&property: &PropertyId| {
            let verdict = match system.bad(property) {
                Some(_) => confirmed.next().expect("a verdict for each safety property"),
                None => Verdict::Unknown(StopReason::Unsupported(
                    "liveness is not decided, only safety".to_owned(),
                )),
            };
            let time = statistics.decided.get(&property).copied().unwrap_or(time);
            Answer { property, verdict, time }
        };
        let answers = chosen.iter().map(answer).collect();
        Ok(Report { model, engine: engine.name(), time, answers, statistics })
    }

    fn confirm(
        &self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        verdicts: Vec<Verdict>,
    ) -> Result<Vec<Verdict>> {
        let budget = self.budget();
        let stopped = || self.run.stop();
        let confirm =
            |(&property, verdict)| evidence::confirm(system, property, verdict, &budget, stopped);
        properties.iter().zip(verdicts).map(confirm).collect()
    }

    /// A run that was stopped may have decided some properties: checking their
    /// evidence has as much time again, and an interrupt that came before does
    /// not count.
    fn budget(&self) -> Budget {
        const LEAST: Duration = Duration::from_secs(1);
        let allowance = self.monitor.elapsed().max(LEAST);
        let flag = self.run.cancellation();
        let interrupted = flag.load(Ordering::Relaxed);
        Budget {
            deadline: self.has_deadline.then(|| Instant::now() + allowance),
            cancelled: (!interrupted).then_some(flag),
            ..Budget::default()
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
