//! What an engine is asked, and where its verdicts are collected.
//!
//! A [`Task`] has a transition system or a program, some of its properties, the limits
//! within which they are to be decided, the lemmas of an earlier run, and one collector of
//! verdicts. Engines report each verdict with [`Task::decide`] as soon as they have it, so
//! that it counts even if the engine does not return in time. A verdict about a transformed
//! system is mapped back before it is recorded.
//!
//! The bits of a system, which several engines work on, are prepared once and shared by all
//! engines of the task, in all threads.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use elinvar_ir::{PdrState, PropertyId, StopReason, Subject, TransitionSystem, Verdict, VerdictOn};
use elinvar_transform::{PassOptions, Prepared, prepare};

use crate::engine::{Engine, EngineError};
use crate::exchange::Partner;
use crate::run::{Event, Run, Stopped};
use crate::statistics::PassStatistics;

/// A question about properties of a transition system or of a program, with its answers.
/// Cheap to clone; clones share the collector and the prepared bits.
pub struct Task<S: Subject + 'static = TransitionSystem> {
    subject: Arc<dyn AsRef<S> + Send + Sync>,
    properties: Arc<[PropertyId]>,
    run: Run,
    earlier: Option<Arc<PdrState>>,
    /// Are the earlier lemmas offered without being asked for?
    is_hinted: bool,
    answers: Arc<Mutex<Answers<S>>>,
    /// Who looks at evidence when it is recorded.
    judge: Option<Arc<JudgeVerdict<S>>>,
    /// The way back, if the subject is not what the collector's verdicts are about.
    lift: Option<Arc<LiftVerdict<S>>>,
    bits: Arc<Mutex<Vec<Arc<Preparation>>>>,
    /// By property: its bad bit is not reachable in cycles before this one.
    excluded: Arc<Mutex<BTreeMap<PropertyId, usize>>>,
    /// The engines with which lemmas are exchanged.
    partner: Option<Partner>,
}

/// Turns a verdict about a transformed subject into one about the subject of the collector.
type LiftVerdict<S> = dyn Fn(PropertyId, VerdictOn<S>) -> VerdictOn<S> + Send + Sync;

/// Says whether the evidence of this engine may stand: false if it is known to be wrong.
type JudgeVerdict<S> = dyn Fn(&'static str, PropertyId, VerdictOn<S>) -> bool + Send + Sync;

/// The verdict on a property, and how it was found.
#[derive(Debug)]
pub struct Finding<S: Subject + 'static = TransitionSystem> {
    /// The verdict, with evidence.
    pub verdict: VerdictOn<S>,
    /// The engine that found it.
    pub engine: &'static str,
    /// The number of steps of the trace, or the bound at which the proof converged; zero if
    /// the engine does not know it.
    pub depth: usize,
    /// The time since the task was made.
    pub time: Duration,
}

impl<S: Subject + 'static> Clone for Finding<S> {
    fn clone(&self) -> Self {
        Finding { verdict: self.verdict.clone(), ..*self }
    }
}

/// What is known of the properties.
struct Answers<S: Subject + 'static> {
    start: Instant,
    found: BTreeMap<PropertyId, Finding<S>>,
    /// Why a property is open, and in which round that was said.
    reasons: BTreeMap<PropertyId, (Round, StopReason)>,
    round: Round,
    /// The bits that were made for these answers and reported.
    reported: Vec<Arc<Prepared>>,
}

/// Counts the engines that were asked.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Round(u64);

impl<S: Subject + 'static> Clone for Task<S> {
    fn clone(&self) -> Self {
        Task {
            subject: Arc::clone(&self.subject),
            properties: Arc::clone(&self.properties),
            run: self.run.clone(),
            earlier: self.earlier.clone(),
            is_hinted: self.is_hinted,
            answers: Arc::clone(&self.answers),
            judge: self.judge.clone(),
            lift: self.lift.clone(),
            bits: Arc::clone(&self.bits),
            excluded: Arc::clone(&self.excluded),
            partner: self.partner.clone(),
        }
    }
}

impl<S: Subject + 'static> Task<S> {
    /// A question about some properties. The clock of the findings starts now.
    /// `subject` is the system or the program, or something that has it.
    pub fn new(
        subject: Arc<dyn AsRef<S> + Send + Sync>,
        properties: &[PropertyId],
        run: &Run,
    ) -> Self {
        Task {
            subject,
            properties: properties.into(),
            run: run.clone(),
            earlier: None,
            is_hinted: false,
            answers: Arc::new(Mutex::new(Answers::new())),
            judge: None,
            lift: None,
            bits: Arc::default(),
            excluded: Arc::default(),
            partner: None,
        }
    }

    /// A question about some properties of a copy of the subject.
    pub fn about(subject: &S, properties: &[PropertyId], run: &Run) -> Self
    where
        S: Clone + Send + Sync,
    {
        Task::new(Arc::new(Arc::new(subject.clone())), properties, run)
    }

    /// The same task, which starts from the lemmas of a run on this or on another version
    /// of the subject.
    pub fn with_earlier(mut self, earlier: Option<Arc<PdrState>>) -> Self {
        self.earlier = earlier;
        self
    }

    /// The same task, which may start from these lemmas. Unlike those of [`Task::with_earlier`],
    /// they do not change which engines a schedule runs.
    pub fn with_hints(mut self, hints: Option<Arc<PdrState>>) -> Self {
        self.is_hinted = true;
        self.earlier = hints;
        self
    }

    /// The same task under other conditions.
    pub fn with_run(&self, run: Run) -> Self {
        Task { run, ..self.clone() }
    }

    /// The part of the task that is about these properties.
    pub fn only(&self, properties: &[PropertyId]) -> Self {
        Task { properties: properties.into(), ..self.clone() }
    }

    /// The same task for an engine that exchanges lemmas and bounds with others.
    pub fn with_partner(&self, partner: Partner) -> Self {
        Task { partner: Some(partner), ..self.clone() }
    }

    /// The same question with a collector of its own, whose verdicts nobody judges. The prepared
    /// bits, and what is known about cycles without bad states, are shared.
    pub fn with_own_answers(&self) -> Self {
        Task { answers: Arc::new(Mutex::new(Answers::new())), judge: None, ..self.clone() }
    }

    /// The same task, whose verdicts are judged when they are recorded. If the judge says that
    /// the evidence is wrong, the property stays open, and the engine that gave it has to end.
    pub fn with_judge(
        self,
        judge: impl Fn(&'static str, PropertyId, VerdictOn<S>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Task { judge: Some(Arc::new(judge)), ..self }
    }

    /// The same question about a transformed subject. `lift` turns verdicts about it into
    /// verdicts about the subject of this task; properties have the same numbers in both.
    pub fn transformed(
        &self,
        subject: Arc<dyn AsRef<S> + Send + Sync>,
        lift: impl Fn(PropertyId, VerdictOn<S>) -> VerdictOn<S> + Send + Sync + 'static,
    ) -> Self {
        let lift: Arc<LiftVerdict<S>> = match self.lift.clone() {
            Some(outer) => Arc::new(move |id, verdict| outer(id, lift(id, verdict))),
            None => Arc::new(lift),
        };
        Task { subject, lift: Some(lift), bits: Arc::default(), ..self.clone() }
    }

    /// The same question about a subject whose traces have other lengths than those of the
    /// subject that it was made from.
    pub(crate) fn with_other_cycles(mut self) -> Self {
        self.excluded = Arc::default();
        self
    }

    /// What the properties are about.
    pub fn subject(&self) -> &S {
        (*self.subject).as_ref()
    }

    /// The limits, the seed and the observer.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// All properties that the task asks about.
    pub fn properties(&self) -> &[PropertyId] {
        &self.properties
    }

    /// What an earlier run left.
    pub fn earlier(&self) -> Option<&PdrState> {
        self.earlier.as_deref()
    }

    /// Does the task continue an earlier run, as its user asked for?
    pub(crate) fn is_continuation(&self) -> bool {
        self.earlier.is_some() && !self.is_hinted
    }

    /// The properties without a verdict, in the order in which they were asked for.
    pub fn open(&self) -> Vec<PropertyId> {
        let answers = self.answers();
        let open = self.properties.iter().filter(|id| !answers.found.contains_key(id));
        open.copied().collect()
    }

    /// Records the verdict of an engine on a property of the task's subject. The first
    /// verdict with evidence counts. Without evidence the property stays open, and its
    /// reason is noted.
    pub fn decide(
        &self,
        engine: &'static str,
        property: PropertyId,
        verdict: VerdictOn<S>,
        depth: usize,
    ) {
        let verdict = match &self.lift {
            Some(lift) => lift(property, verdict),
            None => verdict,
        };
        let safe = match &verdict {
            Verdict::Safe(_) => true,
            Verdict::Unsafe(_) => false,
            Verdict::Unknown(reason) => return self.answers().note(property, reason.clone()),
        };
        // Evidence can be large: it is copied only for a judge.
        let judged = self.judge.as_ref().map(|judge| (judge, verdict.clone()));
        if !self.answers().record(engine, property, verdict, depth) {
            return;
        }
        // The verdict counts from now on: judging it may take more time than is left.
        self.run.emit(Event::Decided { engine, property, safe, depth });
        if judged.is_some_and(|(judge, verdict)| !judge(engine, property, verdict)) {
            self.answers().found.remove(&property);
            self.run.cancellation().store(true, Ordering::Relaxed);
        }
    }

    /// Notes that no trace ends in a bad state of the property before this cycle.
    pub fn exclude(&self, property: PropertyId, before: usize) {
        let mut excluded = self.excluded.lock().unwrap_or_else(PoisonError::into_inner);
        let known = excluded.entry(property).or_default();
        *known = before.max(*known);
    }

    /// The number of cycles, from the first, that are known to have no bad state of the property.
    pub fn excluded(&self, property: PropertyId) -> usize {
        let excluded = self.excluded.lock().unwrap_or_else(PoisonError::into_inner);
        excluded.get(&property).copied().unwrap_or(0)
    }

    /// The access to lemmas of other engines.
    pub(crate) fn partner(&self) -> Option<&Partner> {
        self.partner.as_ref()
    }

    /// Lets an engine decide the open properties. Those that it leaves open are unknown for
    /// the reason that it gave for them, or else for the reason for which it ended.
    ///
    /// # Errors
    /// When the engine could not work at all. That a limit stopped it is not an error.
    pub fn ask(&self, engine: &mut dyn Engine<S>) -> Result<(), EngineError> {
        let round = self.answers().next_round();
        let outcome = engine.check(self);
        if let Err(error) = &outcome {
            let (open, reason) = (self.open(), error.clone().reason());
            self.answers().note_since(round, &open, &reason);
        }
        match outcome {
            Err(EngineError::Stopped(_)) => Ok(()),
            other => other,
        }
    }

    /// All verdicts after an engine has worked on the task.
    ///
    /// # Errors
    /// As [`Task::ask`].
    pub fn check(&self, engine: &mut dyn Engine<S>) -> Result<Vec<VerdictOn<S>>, EngineError> {
        self.ask(engine)?;
        Ok(self.verdicts())
    }

    /// Notes why open properties are unknown.
    pub fn give_up(&self, reason: &StopReason) {
        let open = self.open();
        let mut answers = self.answers();
        open.into_iter().for_each(|property| answers.note(property, reason.clone()));
    }

    /// The verdict on a property that is decided, and how it was found.
    pub fn finding(&self, property: PropertyId) -> Option<Finding<S>> {
        self.answers().found.get(&property).cloned()
    }

    /// The last reason that was given why a property is open.
    pub fn reason(&self, property: PropertyId) -> Option<StopReason> {
        self.answers().reasons.get(&property).map(|(_, reason)| reason.clone())
    }

    /// One verdict for each property, in the order in which they were asked for. Open
    /// properties are unknown for the last reason that was given.
    pub fn verdicts(&self) -> Vec<VerdictOn<S>> {
        self.verdicts_or(&StopReason::Cancelled)
    }

    /// As [`Task::verdicts`]. Properties for which no reason was given are unknown for this
    /// one.
    pub fn verdicts_or(&self, reason: &StopReason) -> Vec<VerdictOn<S>> {
        let answers = self.answers();
        let verdict = |property| match answers.found.get(property) {
            Some(finding) => finding.verdict.clone(),
            None => {
                let given = answers.reasons.get(property).map(|(_, given)| given);
                Verdict::Unknown(given.unwrap_or(reason).clone())
            }
        };
        self.properties.iter().map(verdict).collect()
    }

    fn answers(&self) -> MutexGuard<'_, Answers<S>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subject + 'static> Answers<S> {
    fn new() -> Self {
        let (found, reasons, round, reported) = Default::default();
        Answers { start: Instant::now(), found, reasons, round, reported }
    }

    fn next_round(&mut self) -> Round {
        self.round.0 += 1;
        self.round
    }

    /// False if the property has its verdict already.
    fn record(
        &mut self,
        engine: &'static str,
        property: PropertyId,
        verdict: VerdictOn<S>,
        depth: usize,
    ) -> bool {
        if self.found.contains_key(&property) {
            return false;
        }
        let time = self.start.elapsed();
        self.found.insert(property, Finding { verdict, engine, depth, time });
        true
    }

    /// False if these bits were reported before.
    fn report(&mut self, prepared: &Arc<Prepared>) -> bool {
        let is_new = !self.reported.iter().any(|other| Arc::ptr_eq(other, prepared));
        if is_new {
            self.reported.push(Arc::clone(prepared));
        }
        is_new
    }

    fn note(&mut self, property: PropertyId, reason: StopReason) {
        self.reasons.insert(property, (self.round, reason));
    }

    /// Notes a reason, except where another one was given since the round began.
    fn note_since(&mut self, round: Round, properties: &[PropertyId], reason: &StopReason) {
        for &property in properties {
            if self.reasons.get(&property).is_none_or(|&(given, _)| given < round) {
                self.note(property, reason.clone());
            }
        }
    }
}

/// The bits of a system, for some of its properties.
struct Preparation {
    properties: Vec<PropertyId>,
    passes: PassOptions,
    memory_limit: u64,
    result: OnceLock<Result<Arc<Prepared>, EngineError>>,
}

impl Preparation {
    /// Do these bits serve other properties, too?
    fn serves(&self, properties: &[PropertyId], passes: &PassOptions, memory_limit: u64) -> bool {
        self.passes == *passes
            && self.memory_limit == memory_limit
            && properties.iter().all(|property| self.properties.contains(property))
    }
}

/// A task about the bits of a system.
pub struct BitTask {
    /// The bits, with the way back.
    pub prepared: Arc<Prepared>,
    /// The question about them. Verdicts that it records become verdicts about the system
    /// that was prepared.
    pub task: Task,
}

impl Task {
    /// The question about the bits of the system. They are prepared when they are needed
    /// first, and shared with all who ask for the same open properties or fewer.
    ///
    /// # Errors
    /// When the system is too large for bits, or the run was stopped meanwhile.
    pub fn bits(&self, passes: &PassOptions, memory_limit: u64) -> Result<BitTask, EngineError> {
        let preparation = self.preparation(passes, memory_limit);
        let Preparation { properties, passes, memory_limit, .. } = &*preparation;
        // Others may need these bits to go on: whoever makes them does not wait for a turn
        // meanwhile.
        let run = self.run.without_gate();
        let make = || {
            let prepared = prepare(self.subject(), properties, passes, *memory_limit, &run);
            Ok(Arc::new(prepared?))
        };
        let prepared = preparation.result.get_or_init(make).clone()?;
        if self.answers().report(&prepared) {
            let statistics = PassStatistics(prepared.report.clone());
            self.run.emit(Event::Statistics(Arc::new(statistics)));
        }
        Ok(self.with_prepared(prepared))
    }

    /// The question about bits of the system that were prepared before, for at least these
    /// properties.
    pub(crate) fn known_bits(&self) -> Option<BitTask> {
        let all = self.bits.lock().unwrap_or_else(PoisonError::into_inner);
        let is_enough = |known: &&Arc<Preparation>| {
            self.properties.iter().all(|property| known.properties.contains(property))
        };
        let known = all.iter().filter(is_enough).find_map(|known| known.result.get()?.clone().ok());
        drop(all);
        known.map(|prepared| self.with_prepared(prepared))
    }

    fn preparation(&self, passes: &PassOptions, memory_limit: u64) -> Arc<Preparation> {
        let properties = self.open();
        let mut all = self.bits.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|known| known.serves(&properties, passes, memory_limit));
        let made = known.cloned().unwrap_or_else(|| {
            let (passes, result) = (*passes, OnceLock::new());
            Arc::new(Preparation { properties, passes, memory_limit, result })
        });
        if !all.iter().any(|known| Arc::ptr_eq(known, &made)) {
            all.push(Arc::clone(&made));
        }
        made
    }

    /// The question about bits that were made elsewhere, of this system and at least these
    /// properties.
    pub fn with_prepared(&self, prepared: Arc<Prepared>) -> BitTask {
        let lift = Arc::clone(&prepared);
        let system = Arc::new(SystemOfBits(Arc::clone(&prepared)));
        let task = self.transformed(system, move |id, verdict| lift.lift.verdict_on(id, verdict));
        BitTask { prepared, task }
    }
}

impl BitTask {
    /// The question about the bits as a transition system, which is made when it is first
    /// asked for.
    ///
    /// # Errors
    /// When a limit was exceeded meanwhile.
    pub fn as_system(&self) -> Result<&Task, Stopped> {
        self.prepared.bits.try_system(self.task.run()).map_err(Stopped)?;
        Ok(&self.task)
    }
}

/// Bits that are seen as a transition system.
pub(crate) struct SystemOfBits(pub Arc<Prepared>);

impl AsRef<TransitionSystem> for SystemOfBits {
    fn as_ref(&self) -> &TransitionSystem {
        self.0.bits.system()
    }
}
