//! Decides the properties of one task in this process.
//!
//! First all properties of the task are asked about together, so that the model is prepared once
//! and lemmas are shared. What is open after that is asked about one by one, with what was proved
//! before as assumptions (`assume`), and in the first stage also with the lemmas of the common
//! search. Each verdict is recorded as soon as it is confirmed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use elinvar_engines::Choice;
use elinvar_ir::{PdrState, PropertyId, RegisterLiteral, StopReason, Verdict};

use super::assume::{Proved, assuming};
use super::group::cone;
use super::log::Source;
use super::record::{Found, Recorder};
use crate::error::Error;
use crate::options::{Confirmed, Method, Options, VerdictObserver};
use crate::problem::{Problem, SystemProblem};
use crate::report::{Proof, PropertyReport, Trace};
use crate::session::{Judge, Session, lock};
use crate::store::Depth;

/// The common search may take this part of the time of all its properties.
const TOGETHER: u32 = 4;
/// How often the common search tells its lemmas.
const PERIOD: Duration = Duration::from_secs(5);

/// A model that a worker has read, with what it has learned about it.
pub(crate) struct Loaded {
    /// The position of the model in the plan.
    pub model: usize,
    /// The model.
    pub problem: Problem,
    proved: Arc<Mutex<Proved>>,
    lemmas: Option<Arc<PdrState>>,
}

impl Loaded {
    pub fn new(model: usize, problem: Problem) -> Self {
        Loaded { model, problem, proved: Arc::default(), lemmas: None }
    }
}

/// What is to be decided, and how.
pub(crate) struct Question<'a> {
    /// The properties without a verdict, in the order in which they are asked about.
    pub open: Vec<PropertyId>,
    /// How to decide them, without a limit of time.
    pub options: Options,
    /// The time for each of them.
    pub time: Option<Duration>,
    /// How many strategies were tried before.
    pub stage: usize,
    /// Does the task have the memory of the machine for itself?
    pub alone: bool,
    /// Where verdicts go.
    pub recorder: &'a Arc<Mutex<Recorder>>,
}

/// Why a task ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Early {
    /// The worker has to stop.
    Cancelled,
    /// The limit of memory was reached.
    Memory,
}

impl Question<'_> {
    /// Decides the properties as far as possible and records what is found. Properties that were
    /// not asked about to the end have no record if the task ended early.
    pub fn decide(&self, loaded: &mut Loaded) -> Result<Option<Early>, Error> {
        let problem = match &loaded.problem {
            Problem::Program(_) => return self.decide_program(loaded),
            Problem::System(problem) => problem.clone(),
        };
        if self.open.len() > 1
            && let Some(early) = self.together(loaded, &problem)?
        {
            return Ok(Some(early));
        }
        for id in self.open.iter().copied() {
            if lock(self.recorder).is_recorded(id) {
                continue;
            }
            if let Some(early) = self.alone(loaded, &problem, id)? {
                return Ok(Some(early));
            }
        }
        Ok(None)
    }

    /// Records what the store knows about the properties, and leaves the others to other tasks.
    pub fn look_up(&self, loaded: &Loaded) -> Result<Option<Early>, Error> {
        let (Problem::System(problem), Some(store)) = (&loaded.problem, &self.options.store) else {
            return Ok(None);
        };
        let verdicts = Some(self.listener(loaded, problem));
        let session =
            Session::start(Options { timeout: self.common(), verdicts, ..self.options.clone() })?;
        lock(self.recorder).hold();
        session.inquire(store, problem, &self.open, Depth::Exact);
        lock(self.recorder).release();
        Ok(self.early(&[]))
    }

    /// The time for all properties together.
    fn common(&self) -> Option<Duration> {
        let count = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        self.time.map(|time| (time.saturating_mul(count) / TOGETHER).max(time))
    }

    /// All properties at once; verdicts are recorded while the engines work.
    fn together(
        &self,
        loaded: &mut Loaded,
        problem: &SystemProblem,
    ) -> Result<Option<Early>, Error> {
        let options = Options {
            timeout: self.common(),
            keep_lemmas: keeps_lemmas(&self.options.method).then_some(PERIOD),
            verdicts: Some(self.listener(loaded, problem)),
            ..self.options.clone()
        };
        let session = Session::start(options)?;
        let report = session.check_chosen(&loaded.problem, &self.open)?;
        if let Some(lemmas) = report.lemmas.clone() {
            loaded.lemmas = Some(lemmas);
        }
        lock(self.recorder).note_bugs(&report.bugs);
        Ok(self.early(&report.properties))
    }

    /// Records confirmed verdicts of a session.
    fn listener(&self, loaded: &Loaded, problem: &SystemProblem) -> VerdictObserver {
        let (recorder, proved) = (Arc::clone(self.recorder), Arc::clone(&loaded.proved));
        let task = lock(&recorder).task();
        let (problem, whole) = (problem.clone(), loaded.problem.clone());
        Arc::new(move |confirmed: &Confirmed<'_>| {
            let &Confirmed { property, verdict, engine, depth } = confirmed;
            if let Verdict::Safe(proof) = verdict {
                lock(&proved).insert(problem.system(), property, proof);
            }
            let verdict = verdict.clone().map(Proof::Certificate, Trace::System);
            // Only engines tell that they decided something; other evidence was at hand.
            let source = if engine.is_some() { Source::Engine } else { Source::Store };
            let found = Found { property, verdict, engine, depth, source, depends: Vec::new() };
            // An engine that was abandoned may go on when the next task has begun.
            let mut recorder = lock(&recorder);
            if recorder.task() == task {
                recorder.record(&whole, found);
            }
        })
    }

    /// One property, with the others that were proved before as assumptions.
    fn alone(
        &self,
        loaded: &mut Loaded,
        problem: &SystemProblem,
        id: PropertyId,
    ) -> Result<Option<Early>, Error> {
        let assumed = lock(&loaded.proved).helpful(problem.system(), id);
        if !assumed.is_empty() {
            if self.is_stored(loaded, problem, id)? {
                return Ok(self.early(&[]));
            }
            match self.with_assumptions(loaded, problem, id, &assumed)? {
                Attempt::Over(early) => return Ok(early),
                Attempt::Incomplete => {}
            }
        }
        let options = Options {
            timeout: self.time,
            reuse: self.lemmas(loaded, problem, id),
            verdicts: Some(self.listener(loaded, problem)),
            ..self.options.clone()
        };
        let session = Session::start(options)?;
        let report = session.check_chosen(&loaded.problem, &[id])?;
        let mut recorder = lock(self.recorder);
        recorder.note_bugs(&report.bugs);
        for property in &report.properties {
            if !recorder.is_recorded(property.id) && !self.is_early(property) {
                recorder.record(&loaded.problem, found(property));
            }
        }
        drop(recorder);
        Ok(self.early(&report.properties))
    }

    /// Does the store answer? Then the answer is recorded. A search without assumptions asks the
    /// store by itself.
    fn is_stored(
        &self,
        loaded: &Loaded,
        problem: &SystemProblem,
        id: PropertyId,
    ) -> Result<bool, Error> {
        let Some(store) = &self.options.store else { return Ok(false) };
        let verdicts = Some(self.listener(loaded, problem));
        let session =
            Session::start(Options { timeout: self.time, verdicts, ..self.options.clone() })?;
        session.inquire(store, problem, &[id], Depth::Versions);
        Ok(lock(self.recorder).is_recorded(id))
    }

    fn with_assumptions(
        &self,
        loaded: &Loaded,
        problem: &SystemProblem,
        id: PropertyId,
        assumed: &[PropertyId],
    ) -> Result<Attempt, Error> {
        let constrained = Problem::System(SystemProblem::new(assuming(problem.system(), assumed)?));
        let (timeout, reuse) = (self.time, self.lemmas(loaded, problem, id));
        // What is known about the constrained system is of no use to other runs.
        let options = Options { timeout, reuse, store: None, ..self.options.clone() };
        let session = Session::start(options)?;
        let report = session.check_chosen(&constrained, &[id])?;
        let property = &report.properties[0];
        let judge = Judge::new(&session, problem.system(), problem.original());
        let (verdict, depends) = match &property.verdict {
            Verdict::Unknown(_) if self.is_early(property) => {
                return Ok(Attempt::Over(self.early(&report.properties)));
            }
            Verdict::Unknown(_) => (property.verdict.clone(), Vec::new()),
            Verdict::Unsafe(Trace::System(trace)) => {
                match judge.confirm(id, Verdict::Unsafe(trace.clone())) {
                    Ok(verdict) => (verdict.map(Proof::Certificate, Trace::System), Vec::new()),
                    Err(_) => return Ok(Attempt::Incomplete),
                }
            }
            Verdict::Safe(Proof::Certificate(proof)) => {
                let proved = lock(&loaded.proved).clone();
                match complete(&judge, &proved, id, proof, assumed) {
                    Some((proof, depends)) => {
                        lock(&loaded.proved).insert(problem.system(), id, &proof);
                        (Verdict::Safe(Proof::Certificate(proof)), depends)
                    }
                    None => return Ok(Attempt::Incomplete),
                }
            }
            Verdict::Unsafe(Trace::Program(_)) | Verdict::Safe(Proof::Invariants(_)) => {
                unreachable!("the problem is a system")
            }
        };
        if let Some(store) = &self.options.store {
            let verdict = match &verdict {
                Verdict::Safe(Proof::Certificate(proof)) => Some(Verdict::Safe(proof.clone())),
                Verdict::Unsafe(Trace::System(trace)) => Some(Verdict::Unsafe(trace.clone())),
                Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
            };
            if let Some(verdict) = verdict {
                let inquiry = session.inquire(store, problem, &[id], Depth::Exact);
                session.deposit(store, problem, &inquiry, std::iter::once((id, &verdict)));
            }
        }
        let source = if depends.is_empty() { Source::Engine } else { Source::Campaign };
        let depends = depends.into_iter().map(|id| id.0).collect();
        let found = Found { verdict, depends, source, ..found(property) };
        lock(self.recorder).record(&loaded.problem, found);
        Ok(Attempt::Over(None))
    }

    /// The lemmas to start from, if there are some about the states of the property. With earlier
    /// lemmas the default schedule leaves out engines whose results these are of no use to, so
    /// only the first stage starts from them.
    fn lemmas(
        &self,
        loaded: &Loaded,
        problem: &SystemProblem,
        id: PropertyId,
    ) -> Option<Arc<PdrState>> {
        let lemmas = loaded.lemmas.as_ref().filter(|lemmas| !lemmas.lemmas.is_empty())?;
        if self.stage > 0 || !keeps_lemmas(&self.options.method) {
            return None;
        }
        let cone = cone(problem.system(), id);
        let is_inside =
            |state: usize| cone.get(state / 64).is_some_and(|w| w >> (state % 64) & 1 == 1);
        let is_useful = |clause: &[RegisterLiteral]| clause.iter().all(|l| is_inside(l.register));
        lemmas.lemmas.iter().any(|lemma| is_useful(&lemma.clause)).then(|| Arc::clone(lemmas))
    }

    fn decide_program(&self, loaded: &mut Loaded) -> Result<Option<Early>, Error> {
        let count = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        let timeout = self.time.map(|time| time.saturating_mul(count));
        let session = Session::start(Options { timeout, ..self.options.clone() })?;
        let report = session.check_chosen(&loaded.problem, &self.open)?;
        let mut recorder = lock(self.recorder);
        recorder.note_bugs(&report.bugs);
        for property in report.properties.iter().filter(|property| !self.is_early(property)) {
            recorder.record(&loaded.problem, found(property));
        }
        drop(recorder);
        Ok(self.early(&report.properties))
    }

    /// Is a property open for a reason that is not its own?
    fn is_early(&self, property: &PropertyReport) -> bool {
        match property.verdict.reason() {
            Some(StopReason::Cancelled) => self.options.cancellation.is_cancelled(),
            Some(StopReason::Memory) => !self.alone,
            Some(StopReason::Timeout | StopReason::Bound(_) | StopReason::Unsupported(_))
            | None => false,
        }
    }

    /// Why the task has to end now.
    fn early(&self, properties: &[PropertyReport]) -> Option<Early> {
        if self.options.cancellation.is_cancelled() || lock(self.recorder).has_failed() {
            return Some(Early::Cancelled);
        }
        let is_memory = |property: &PropertyReport| {
            property.verdict.reason() == Some(&StopReason::Memory) && self.is_early(property)
        };
        properties.iter().any(is_memory).then_some(Early::Memory)
    }
}

/// How a search with assumptions ended.
enum Attempt {
    /// The property has its line, or the task ends early.
    Over(Option<Early>),
    /// What was found cannot be completed to evidence about the user's system.
    Incomplete,
}

/// The proof about the user's system, with the properties whose invariants are part of it: none
/// if the proof needs no assumption.
fn complete(
    judge: &Judge<'_>,
    proved: &Proved,
    id: PropertyId,
    proof: &elinvar_ir::Certificate,
    assumed: &[PropertyId],
) -> Option<(elinvar_ir::Certificate, Vec<PropertyId>)> {
    let accepted = |proof: &elinvar_ir::Certificate| {
        let judged = judge.confirm(id, Verdict::Safe(proof.clone()));
        judged.is_ok_and(|verdict| verdict.is_decided())
    };
    if accepted(proof) {
        return Some((proof.clone(), Vec::new()));
    }
    let whole = proved.completed(proof, assumed)?;
    accepted(&whole).then(|| (whole, assumed.to_vec()))
}

/// Can an engine start from lemmas and keep them?
fn keeps_lemmas(method: &Method) -> bool {
    match method {
        Method::Auto | Method::System(Choice::Auto | Choice::Pdr(_)) => true,
        Method::System(_) | Method::Schedule(_) | Method::Race(_) | Method::Program(_) => false,
    }
}

fn found(property: &PropertyReport) -> Found {
    Found {
        property: property.id,
        verdict: property.verdict.clone(),
        engine: property.engine,
        depth: property.depth,
        source: Source::Engine,
        depends: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::{Follower, Line, LogWriter, PropertyLine};
    use super::super::record::Heading;
    use super::*;
    use crate::options::Cancellation;
    use crate::store::Store;
    use elinvar_engines::pdr::PdrOptions;
    use elinvar_ir::{Certificate, Sort, StateBit, SystemBuilder};
    use elinvar_transform::PassOptions;

    /// Register `a` stays 0, and `b` and `c` follow the one before; all must be 0.
    fn chain() -> (Problem, Vec<StateBit>) {
        let mut b = SystemBuilder::new();
        let registers: Vec<_> = (0..3).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        let zero = b.pool.bool(false);
        for (at, state) in b.states.iter_mut().enumerate() {
            state.init = Some(zero);
            state.next = Some(registers[at.saturating_sub(1)]);
        }
        for (at, &register) in registers.iter().enumerate() {
            b.bad(format!("p{at}"), register);
        }
        let literal = |state| StateBit { state, bit: 0, positive: false };
        (Problem::from(b.finish().unwrap()), registers.into_iter().map(literal).collect())
    }

    fn decided(loaded: &mut Loaded, open: &[usize]) -> Vec<PropertyLine> {
        decided_with(loaded, open, None)
    }

    fn decided_with(
        loaded: &mut Loaded,
        open: &[usize],
        store: Option<Arc<Store>>,
    ) -> Vec<PropertyLine> {
        let folder = tempfile::tempdir().unwrap();
        let log = LogWriter::create(folder.path(), "w").unwrap();
        let mut recorder = Recorder::new(folder.path(), log, Cancellation::default());
        recorder.begin(Heading {
            task: "t000000".to_owned(),
            model: ("m".to_owned(), 0),
            strategy: "s".to_owned(),
            stage: 0,
            attempt: 1,
        });
        let question = Question {
            open: open.iter().copied().map(PropertyId).collect(),
            options: Options {
                // Without passes that would find the constant registers.
                method: Method::System(Choice::Pdr(PdrOptions {
                    passes: PassOptions::NONE,
                    ..PdrOptions::default()
                })),
                store,
                ..Options::default()
            },
            time: Some(Duration::from_secs(60)),
            stage: 0,
            alone: false,
            recorder: &Arc::new(Mutex::new(recorder)),
        };
        assert_eq!(question.decide(loaded).unwrap(), None);
        let lines = Follower::default().lines(folder.path()).unwrap().into_iter();
        let result = |line| if let Line::Result(line) = line { Some(line) } else { None };
        let lines: Vec<PropertyLine> = lines.filter_map(result).collect();
        for line in &lines {
            assert!(folder.path().join(line.certificate.as_ref().unwrap()).is_file());
        }
        lines
    }

    #[test]
    fn properties_of_a_task_are_decided_together() {
        let mut loaded = Loaded::new(0, chain().0);
        let mut lines = decided(&mut loaded, &[0, 1, 2]);
        lines.sort_by_key(|line| line.property);
        let shown: Vec<_> = lines.iter().map(|l| (l.property, l.verdict.as_str())).collect();
        assert_eq!(shown, [(0, "safe"), (1, "safe"), (2, "safe")]);
        assert!(lines.iter().all(|line| line.depends.is_empty() && line.source == Source::Engine));
    }

    #[test]
    fn what_was_proved_before_is_assumed_and_noted() {
        let (problem, literals) = chain();
        let mut loaded = Loaded::new(0, problem.clone());
        let Problem::System(system) = &problem else { unreachable!() };
        let clauses = literals[..2].iter().map(|&literal| vec![literal]).collect();
        let proof = Certificate::Inductive { clauses };
        lock(&loaded.proved).insert(system.system(), PropertyId(1), &proof);
        let lines = decided(&mut loaded, &[2]);
        // Under the assumption that `b` is 0, it is inductive that `c` is 0.
        assert_eq!((lines[0].verdict.as_str(), &lines[0].depends[..]), ("safe", &[1][..]));
        assert_eq!(lines[0].source, Source::Campaign);
    }

    #[test]
    fn the_store_is_asked_before_a_search_with_assumptions() {
        let (problem, literals) = chain();
        let Problem::System(system) = &problem else { unreachable!() };
        let clauses = literals[..2].iter().map(|&literal| vec![literal]).collect();
        let proof = Certificate::Inductive { clauses };
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(folder.path()).unwrap());
        let source = || {
            let mut loaded = Loaded::new(0, problem.clone());
            lock(&loaded.proved).insert(system.system(), PropertyId(1), &proof);
            decided_with(&mut loaded, &[2], Some(Arc::clone(&store)))[0].source
        };
        assert_eq!((source(), source()), (Source::Campaign, Source::Store));
    }
}
