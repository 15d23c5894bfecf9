//! A run under limits: it reads a problem, lets engines decide its properties, and confirms
//! their evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use elinvar_check::{Budget, Refusal};
use elinvar_engines::{Event, Run};
use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};

use crate::confirm::{self, Refused};
use crate::error::Error;
use crate::options::{Confirmed, Options};
use crate::problem::Original;
use crate::progress::Phase;
use crate::saved::{PERIOD, SavedProof};
use crate::statistics::{Monitor, Statistics};
use crate::supervisor::Supervisor;

/// A run with its limits. The clock starts when the session starts. Clones are the same
/// session.
///
/// ```
/// let session = elinvar::Session::start(elinvar::Options::default())?;
/// let problem = session.read(|| elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n"))?;
/// assert_eq!(session.check(&problem)?.summary(), elinvar::Summary::Unsafe);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    pub(crate) options: Arc<Options>,
    pub(crate) run: Run,
    pub(crate) supervisor: Supervisor,
    pub(crate) monitor: Monitor,
    pub(crate) saved: Option<Arc<SavedProof>>,
    /// The time that the checking of evidence has taken.
    checking: Arc<Mutex<Duration>>,
    /// The verdicts on systems that were confirmed so far.
    pub(crate) confirmed: Arc<Mutex<BTreeMap<PropertyId, Verdict>>>,
    /// The properties whose counterexamples are known to be the shortest.
    pub(crate) shortest: Arc<Mutex<BTreeSet<PropertyId>>>,
    /// By property: the number of cycles that are known to be free of a failure.
    pub(crate) excluded: Arc<Mutex<BTreeMap<PropertyId, usize>>>,
    /// The properties whose evidence comes from the store.
    pub(crate) stored: Arc<Mutex<BTreeSet<PropertyId>>>,
    /// The bugs that were met so far.
    pub(crate) bugs: Arc<Mutex<Vec<String>>>,
}

impl Session {
    /// Starts the clock.
    ///
    /// # Errors
    /// If the file of [`Options::save`] cannot be written.
    pub fn start(options: Options) -> Result<Self, Error> {
        let Options { timeout, memory, .. } = options;
        let supervisor = Supervisor::start(timeout, memory, options.cancellation.clone());
        let saved = options.save.clone();
        let saved = saved.map(|path| SavedProof::create(path, options.reuse.clone()));
        let saved = saved.transpose()?.map(Arc::new);
        let monitor = Monitor::new();
        let run = run(&options, &monitor, saved.clone());
        let (checking, confirmed, shortest, excluded, stored, bugs) = Default::default();
        let options = Arc::new(options);
        Ok(Session {
            options,
            run,
            supervisor,
            monitor,
            saved,
            checking,
            confirmed,
            shortest,
            excluded,
            stored,
            bugs,
        })
    }

    /// The options that the session was started with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Reads a problem under the limits of the session.
    pub fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.during(Phase::Reading, || self.supervisor.watch(read)).map_err(Error::Stopped)?
    }

    /// Does other work under the limits of the session; when it does not end in time, it is
    /// abandoned.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn supervise<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, StopReason> {
        self.supervisor.watch(work)
    }

    /// The limits and the listeners, for engines that are called directly.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.monitor.elapsed()
    }

    /// What happened so far.
    pub fn statistics(&self) -> Statistics {
        self.monitor.statistics()
    }

    /// The time that the checking of evidence has taken so far.
    pub fn checked(&self) -> Duration {
        *lock(&self.checking)
    }

    /// A run that was stopped may have decided some properties: checking their evidence
    /// has some time beyond the limit, and a cancellation that came before does not count.
    pub fn budget(&self) -> Budget {
        let cancellation = &self.options.cancellation;
        let was_cancelled = cancellation.is_cancelled();
        Budget {
            deadline: self.supervisor.check_deadline(),
            cancelled: (!was_cancelled).then(|| cancellation.flag()),
            ..Budget::default()
        }
    }

    /// Does some checking of evidence, and counts the time that it takes.
    pub(crate) fn checking<T>(&self, check: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let judged = self.during(Phase::Checking, || self.supervisor.checking(check));
        *lock(&self.checking) += start.elapsed();
        judged
    }
}

/// Confirms verdicts on one system within a session.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    session: &'a Session,
    system: &'a TransitionSystem,
    original: &'a Original,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        session: &'a Session,
        system: &'a TransitionSystem,
        original: &'a Original,
    ) -> Self {
        Judge { session, system, original }
    }

    /// The verdict if its evidence is accepted, an unknown one if it cannot be checked, an
    /// error if it is wrong.
    pub fn confirm(&self, property: PropertyId, verdict: Verdict) -> Result<Verdict, Refused> {
        // The model is read again only if there is evidence to check.
        if !verdict.is_decided() {
            return Ok(verdict);
        }
        let Judge { session, system, original } = *self;
        let budget = session.budget();
        let stopped = || session.run.stop();
        let verdict = session.checking(|| {
            confirm::confirm_reading(system, original.system(), property, verdict, &budget, stopped)
        })?;
        if verdict.is_decided() {
            session.note(property, &verdict);
        }
        Ok(verdict)
    }

    /// Confirms proofs that are checked together: `check` gets the model as it was written, and
    /// says of each proof whether it is accepted. Nothing is known about the others.
    pub(crate) fn confirm_proofs(
        &self,
        proofs: Vec<(PropertyId, &Verdict)>,
        check: impl FnOnce(
            &'a TransitionSystem,
            &[(PropertyId, &Verdict)],
            &Budget,
        ) -> Vec<Result<(), Refusal>>,
    ) -> Vec<bool> {
        let Judge { session, original, .. } = *self;
        let (budget, original) = (session.budget(), original.system());
        let Ok(original) = original else { return vec![false; proofs.len()] };
        let judged = session.checking(|| check(original, &proofs, &budget));
        assert_eq!(judged.len(), proofs.len(), "each proof is judged");
        let note =
            |((property, verdict), judged): ((PropertyId, &Verdict), Result<(), Refusal>)| {
                let is_accepted = judged.is_ok() && matches!(verdict, Verdict::Safe(_));
                if is_accepted {
                    session.note(property, verdict);
                }
                is_accepted
            };
        proofs.into_iter().zip(judged).map(note).collect()
    }

    /// Is the evidence of this verdict wrong? Nothing is noted. Evidence that cannot be checked in
    /// time is not known to be wrong.
    pub(crate) fn would_refuse(&self, property: PropertyId, verdict: Verdict) -> bool {
        let Judge { session, system, original } = *self;
        let budget = session.budget();
        let confirmed = session.checking(|| {
            confirm::confirm_reading(system, original.system(), property, verdict, &budget, || None)
        });
        confirmed.is_err()
    }

    /// The same as [`Judge::confirm`], where refused evidence is noted and makes the verdict unknown.
    pub(crate) fn conclude(&self, property: PropertyId, verdict: Verdict) -> Verdict {
        self.confirm(property, verdict).unwrap_or_else(|refused| self.session.refuse(refused))
    }
}

impl Session {
    /// Notes a verdict that the checker has accepted.
    fn note(&self, property: PropertyId, verdict: &Verdict) {
        let known = lock(&self.confirmed).insert(property, verdict.clone());
        if known.is_none() {
            self.tell(property, verdict);
        }
    }

    /// Tells the first confirmed verdict on a property.
    fn tell(&self, property: PropertyId, verdict: &Verdict) {
        let Some(observer) = &self.options.verdicts else { return };
        let decision = self.monitor.decision(property);
        let engine = decision.map(|decision| decision.engine);
        let depth = match verdict {
            Verdict::Unsafe(trace) => Some(trace.depth()),
            Verdict::Safe(_) | Verdict::Unknown(_) => {
                decision.map(|decision| decision.depth).filter(|&depth| depth > 0)
            }
        };
        observer(&Confirmed { property, verdict, engine, depth });
    }

    /// Notes refused evidence; the verdict is unknown.
    pub(crate) fn refuse<P, T>(&self, refused: Refused) -> Verdict<P, T> {
        let reason = format!("the checker refused the evidence: {}", refused.reason);
        lock(&self.bugs).push(refused.to_string());
        confirm::unconfirmed(reason)
    }
}

fn run(options: &Options, monitor: &Monitor, saved: Option<Arc<SavedProof>>) -> Run {
    let mut run = Run::new().with_seed(options.seed).with_cancellation(options.cancellation.flag());
    if let Some(timeout) = options.timeout {
        run = run.with_timeout(timeout);
    }
    if let Some(bytes) = options.memory {
        run = run.with_memory(bytes);
    }
    if saved.is_some() || options.keep_lemmas.is_some() {
        run = run.with_states(options.keep_lemmas.unwrap_or(PERIOD));
    } else if options.explain || options.store.is_some() {
        run = run.with_states_for_people(PERIOD);
    }
    let (monitor, observer) = (monitor.clone(), options.observer.clone());
    run.with_observer(move |event| {
        if let (Event::State(state), Some(saved)) = (event, &saved) {
            saved.save(state);
        }
        monitor.observe(event);
        if let Some(observer) = &observer {
            observer(event);
        }
    })
}

/// Locks data that stays consistent when a thread panics.
pub(crate) fn lock<T>(data: &Mutex<T>) -> MutexGuard<'_, T> {
    data.lock().unwrap_or_else(PoisonError::into_inner)
}
