//! Deciding the properties of a problem.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use elinvar_engines::cfg::{Cfg, CfgOptions};
use elinvar_engines::liveness::Method as Liveness;
use elinvar_engines::schedule::Schedule;
use elinvar_engines::{Choice, Engine, EngineError, Task};
use elinvar_ir::program::ProgramVerdict;
use elinvar_ir::{
    Certificate, Goal, PdrState, PropertyId, PropertyKind as Kind, StopReason, Verdict,
};
use elinvar_transform::Lift;

use crate::confirm::{self, Refused};
use crate::error::Error;
use crate::options::{Method, Options, Shortening};
use crate::problem::{Problem, ProgramProblem, SystemProblem};
use crate::progress::Phase;
use crate::race::{Cause, Failure, race};
use crate::report::{Location, Proof, PropertyKind, PropertyReport, Report, Trace, VerdictSource};
use crate::saved;
use crate::session::{Judge, Session, lock};
use crate::store::Depth;

/// Decides the properties of a problem. All evidence in the report has been checked.
///
/// ```
/// use elinvar::{Options, Problem, Summary, check};
///
/// let text = "procedure p(x: int) { var y: int; y := x + 1; assert y > x; }";
/// let report = check(&Problem::parse("p.bpl", text)?, &Options::default())?;
/// assert_eq!(report.summary(), Summary::Safe);
/// # Ok::<(), elinvar::Error>(())
/// ```
///
/// # Errors
/// If the options do not fit the problem, or a solver that is needed is missing. A limit
/// that is reached is not an error: the verdicts of the properties that are still open are
/// unknown then.
pub fn check(problem: &Problem, options: &Options) -> Result<Report, Error> {
    Session::start(options.clone())?.check(problem)
}

/// The least time in which shorter counterexamples are looked for.
const BRIEF: Duration = Duration::from_millis(200);

/// Evidence that the checker refused, by property.
type Failures = Arc<Mutex<Vec<(PropertyId, Failure)>>>;

/// A checked verdict that is not yet part of a report.
pub(crate) type Decided = (PropertyId, Verdict<Proof, Trace>);

impl Session {
    /// Decides the properties of a problem that [`Options::properties`] and [`Options::goal`] choose.
    ///
    /// # Errors
    /// See [`check`].
    pub fn check(&self, problem: &Problem) -> Result<Report, Error> {
        let chosen = problem.chosen(&self.options)?;
        if chosen.is_empty() {
            return Err(Error::Usage(nothing_to_check(problem)));
        }
        self.check_chosen(problem, &chosen)
    }

    /// Decides these properties of a problem; [`Options::properties`] and [`Options::goal`] do not
    /// count.
    pub(crate) fn check_chosen(
        &self,
        problem: &Problem,
        chosen: &[PropertyId],
    ) -> Result<Report, Error> {
        self.monitor.ask(chosen.len());
        self.monitor.enter(Phase::Deciding);
        let (engine, decided, warnings) = match (problem, &self.options.method) {
            (Problem::System(problem), _) => self.check_system(problem, chosen)?,
            (Problem::Program(problem), Method::Auto) => {
                self.check_program(problem, chosen, &CfgOptions::default())?
            }
            (Problem::Program(problem), Method::Program(options)) => {
                self.check_program(problem, chosen, options)?
            }
            (
                Problem::Program(problem),
                Method::System(_) | Method::Schedule(_) | Method::Race(_),
            ) => self.check_lowered(problem, chosen)?,
        };
        let mut report = self.report(problem, engine, decided, warnings);
        if self.options.keep_lemmas.is_some() {
            report.lemmas = Some(saved::kept(&report, &self.options));
        }
        if let Some(saved) = &self.saved {
            report.files.push(saved.finish(&report)?);
        }
        Ok(report)
    }

    fn check_system(
        &self,
        problem: &SystemProblem,
        chosen: &[PropertyId],
    ) -> Result<(&'static str, Vec<Decided>, Vec<String>), Error> {
        let is_safety = |id: &PropertyId| problem.system().bad(*id).is_some();
        let (safety, liveness): (Vec<PropertyId>, Vec<PropertyId>) =
            chosen.iter().copied().partition(is_safety);
        let (mut verdicts, mut warnings) = (BTreeMap::new(), Vec::new());
        for (properties, is_live) in [(safety, false), (liveness, true)] {
            if properties.is_empty() {
                continue;
            }
            let contest = self.contest()?;
            let contest = if is_live { contest.for_liveness() } else { contest.for_safety() };
            let answers = self.answer_system(problem, &properties, contest)?;
            verdicts.extend(properties.into_iter().zip(answers.verdicts));
            warnings.extend(answers.warnings);
        }
        let verdict = |&property: &PropertyId| {
            let verdict: Verdict = verdicts.remove(&property).expect("all were asked for");
            (property, verdict.map(Proof::Certificate, Trace::System))
        };
        let engine = self.options.method.name();
        Ok((engine, chosen.iter().map(verdict).collect(), warnings))
    }

    /// The engines for systems that the options choose.
    fn contest(&self) -> Result<Contest, Error> {
        Ok(match &self.options.method {
            Method::Auto => Contest::One(Choice::Auto),
            Method::System(choice) => Contest::One(choice.clone()),
            Method::Schedule(schedule) => Contest::Turns(schedule.clone()),
            Method::Race(threads) => Contest::Race(*threads),
            Method::Program(_) => {
                let message = "the engine cfg applies only to programs, not to transition systems";
                return Err(Error::usage(message));
            }
        })
    }

    /// Asks the store, if there is one, and then the engines about what it does not know.
    fn answer_system(
        &self,
        problem: &SystemProblem,
        properties: &[PropertyId],
        contest: Contest,
    ) -> Result<Answers, Error> {
        let Some(store) = &self.options.store else {
            return self.decide_system(problem, properties, contest, None);
        };
        let mut inquiry = self.inquire(store, problem, properties, Depth::Versions);
        self.polish(problem, &mut inquiry.found);
        let is_open = |id: &PropertyId| !inquiry.found.contains_key(id);
        let open: Vec<PropertyId> = properties.iter().copied().filter(is_open).collect();
        let engine = self.options.method.name();
        let mut answers = Answers { engine, verdicts: Vec::new(), warnings: Vec::new() };
        if !open.is_empty() {
            answers = self.decide_system(problem, &open, contest, inquiry.lemmas.take())?;
        }
        let decided = open.iter().copied().zip(&answers.verdicts);
        let failures = self.deposit(store, problem, &inquiry, decided);
        answers.warnings.append(&mut inquiry.warnings);
        answers.warnings.extend(failures);
        inquiry.found.extend(open.into_iter().zip(answers.verdicts));
        let verdict = |id: &PropertyId| inquiry.found.remove(id).expect("all were asked for");
        answers.verdicts = properties.iter().map(verdict).collect();
        Ok(answers)
    }

    /// Makes the evidence of the store smaller, if that is asked for.
    fn polish(&self, problem: &SystemProblem, found: &mut BTreeMap<PropertyId, Verdict>) {
        let is_full = self.options.shortening == Shortening::Full;
        if found.is_empty() || !self.options.minimize && !is_full {
            return;
        }
        let properties: Vec<PropertyId> = found.keys().copied().collect();
        let mut verdicts: Vec<Verdict> = found.values().cloned().collect();
        let task = Task::new(Arc::new(problem.clone()), &properties, &self.run);
        let (session, asked, shared) = (self.clone(), task.clone(), problem.clone());
        let polished = self.supervisor.watch(move || {
            let judge = Judge::new(&session, shared.system(), shared.original());
            if session.options.minimize {
                let minimize = || session.minimize(&asked, &judge, &mut verdicts);
                session.during(Phase::Minimizing, minimize);
            }
            if is_full {
                let shorten = || session.shorten(&asked, &judge, &mut verdicts);
                session.during(Phase::Shortening, shorten);
            }
            verdicts
        });
        lock(&self.excluded).extend(properties.iter().map(|&id| (id, task.excluded(id))));
        if let Ok(polished) = polished {
            *found = properties.into_iter().zip(polished).collect();
        }
    }

    /// Decides properties in a thread of its own. What was found counts also when that thread
    /// does not end at its limits.
    fn decide_system(
        &self,
        problem: &SystemProblem,
        properties: &[PropertyId],
        contest: Contest,
        hints: Option<Arc<PdrState>>,
    ) -> Result<Answers, Error> {
        let engine = self.options.method.name();
        let task = Task::new(Arc::new(problem.clone()), properties, &self.run);
        let task = match &self.options.reuse {
            Some(earlier) => task.with_earlier(Some(Arc::clone(earlier))),
            None => task.with_hints(hints),
        };
        let failures: Failures = Arc::default();
        let task = match &contest {
            Contest::One(_) | Contest::Turns(_) => self.judging(task, problem, &failures),
            // The race judges what its engines find.
            Contest::Race(_) => task,
        };
        let (session, asked, shared) = (self.clone(), task.clone(), problem.clone());
        let refused = Arc::clone(&failures);
        let decided = self.supervisor.watch(move || {
            let judge = Judge::new(&session, shared.system(), shared.original());
            let mut answers = match &contest {
                Contest::One(choice) => {
                    session.ask_one(&asked, &judge, &refused, &mut *choice.build())
                }
                Contest::Turns(schedule) => {
                    session.ask_one(&asked, &judge, &refused, &mut schedule.clone())
                }
                Contest::Race(threads) => session.race(&asked, &judge, *threads),
            };
            if session.options.minimize {
                let minimize = || session.minimize(&asked, &judge, &mut answers.verdicts);
                session.during(Phase::Minimizing, minimize);
            }
            let shorten = || session.shorten(&asked, &judge, &mut answers.verdicts);
            session.during(Phase::Shortening, shorten);
            answers
        });
        let excluded = properties.iter().map(|&id| (id, task.excluded(id)));
        lock(&self.excluded).extend(excluded);
        Ok(decided.unwrap_or_else(|reason| {
            let judge = Judge::new(self, problem.system(), problem.original());
            let verdicts = self.found_in_time(&task, &judge, &reason);
            let failures = lock(&failures);
            let warnings = failures.iter().map(|(_, failure)| failure.to_string()).collect();
            Answers { engine, verdicts, warnings }
        }))
    }

    /// The same task, whose verdicts are confirmed as soon as an engine finds them. Where the
    /// checker refuses evidence, other engines go on.
    fn judging(&self, task: Task, problem: &SystemProblem, failures: &Failures) -> Task {
        let (session, problem, failures) = (self.clone(), problem.clone(), Arc::clone(failures));
        task.with_judge(move |engine, property, verdict| {
            let judge = Judge::new(&session, problem.system(), problem.original());
            let Err(refused) = judge.confirm(property, verdict) else { return true };
            lock(&failures).push((property, Failure { engine, cause: Cause::Refused(refused) }));
            false
        })
    }

    /// The verdicts that an abandoned engine has found. Those that were not yet confirmed
    /// are confirmed now, unless memory is short.
    fn found_in_time(&self, task: &Task, judge: &Judge<'_>, reason: &StopReason) -> Vec<Verdict> {
        let verdict = |&property: &PropertyId| {
            let confirmed = lock(&self.confirmed).get(&property).cloned();
            let found = || {
                let finding = task.finding(property).filter(|_| *reason != StopReason::Memory)?;
                let verdict = judge.conclude(property, finding.verdict);
                verdict.is_decided().then_some(verdict)
            };
            confirmed.or_else(found).unwrap_or_else(|| Verdict::Unknown(reason.clone()))
        };
        task.properties().iter().map(verdict).collect()
    }

    fn ask_one(
        &self,
        task: &Task,
        judge: &Judge<'_>,
        failures: &Failures,
        engine: &mut dyn Engine,
    ) -> Answers {
        // An engine that cannot work says why, and the task notes it for each property.
        task.with_run(task.run().child()).ask(engine).ok();
        let failures = std::mem::take(&mut *lock(failures));
        let conclude = |(&property, verdict): (&PropertyId, Verdict)| {
            let known =
                lock(&self.confirmed).get(&property).filter(|_| verdict.is_decided()).cloned();
            known.unwrap_or_else(|| judge.conclude(property, verdict))
        };
        let mut verdicts: Vec<Verdict> =
            task.properties().iter().zip(task.verdicts()).map(conclude).collect();
        if self.run.stop().is_none() {
            for (property, verdict) in task.properties().iter().zip(&mut verdicts) {
                let of_property = |(other, _): &&(PropertyId, Failure)| other == property;
                let failure = failures.iter().find(of_property).filter(|_| !verdict.is_decided());
                if let Some((_, Failure { cause: Cause::Refused(refused), .. })) = failure {
                    *verdict = self.refuse(refused.clone());
                }
            }
        }
        let warnings = failures.iter().map(|(_, failure)| failure.to_string()).collect();
        Answers { engine: engine.name(), verdicts, warnings }
    }

    fn race(&self, task: &Task, judge: &Judge<'_>, threads: usize) -> Answers {
        let failures = race(task, threads, judge);
        let verdicts = task.verdicts();
        let warnings = failures.iter().map(ToString::to_string).collect();
        // Otherwise another engine has decided what the failed one was asked, or might have
        // with more time.
        if !verdicts.iter().all(Verdict::is_decided) && self.run.stop().is_none() {
            lock(&self.bugs).extend(failures.iter().map(ToString::to_string));
        }
        Answers { engine: self.options.method.name(), verdicts, warnings }
    }

    /// Makes proofs smaller; what comes out is confirmed again.
    fn minimize(&self, task: &Task, judge: &Judge<'_>, verdicts: &mut [Verdict]) {
        for (&property, verdict) in task.properties().iter().zip(verdicts) {
            let Verdict::Safe(proof) = &*verdict else { continue };
            // A proof that cannot be made smaller is a proof nevertheless.
            let Ok(smaller) =
                elinvar_engines::minimize(task.subject(), property, proof.clone(), &self.run)
            else {
                continue;
            };
            if smaller != *proof {
                let confirmed = judge.conclude(property, Verdict::Safe(smaller));
                if confirmed.is_decided() {
                    *verdict = confirmed;
                }
            }
        }
    }

    /// Makes counterexamples shorter; what comes out is confirmed again. Notes which ones are
    /// the shortest.
    fn shorten(&self, task: &Task, judge: &Judge<'_>, verdicts: &mut [Verdict]) {
        let depth = |verdict: &Verdict| match verdict {
            Verdict::Unsafe(trace) => Some(trace.depth()),
            Verdict::Safe(_) | Verdict::Unknown(_) => None,
        };
        let known: Vec<(PropertyId, usize)> = (task.properties().iter().zip(&*verdicts))
            .filter_map(|(&property, verdict)| Some((property, depth(verdict)?)))
            .collect();
        let limit = match self.options.shortening {
            Shortening::Off => None,
            Shortening::Brief => Some(Some(BRIEF.max(self.elapsed() / 10))),
            Shortening::Full => Some(None),
        };
        // A trace that cannot be made shorter is a trace nevertheless.
        let shorter = limit.and_then(|limit| elinvar_engines::shorten(task, &known, limit).ok());
        for trace in shorter.into_iter().flatten() {
            let property = trace.property;
            let confirmed = judge.conclude(property, Verdict::Unsafe(trace));
            let place = task.properties().iter().position(|&other| other == property);
            if let (Some(place), true) = (place, confirmed.is_decided()) {
                verdicts[place] = confirmed;
            }
        }
        for (&property, verdict) in task.properties().iter().zip(&*verdicts) {
            if depth(verdict).is_some_and(|depth| depth <= task.excluded(property)) {
                lock(&self.shortest).insert(property);
            }
        }
    }

    fn check_program(
        &self,
        problem: &ProgramProblem,
        chosen: &[PropertyId],
        options: &CfgOptions,
    ) -> Result<(&'static str, Vec<Decided>, Vec<String>), Error> {
        let verdicts = self.ask_cfg(problem, chosen, options)?;
        let verdicts: Vec<(PropertyId, ProgramVerdict)> =
            chosen.iter().copied().zip(verdicts).collect();
        let confirmed = self.checking(|| self.confirm_program(problem, verdicts))?;
        let decided = chosen.iter().zip(confirmed).map(|(&property, outcome)| {
            let verdict = outcome.unwrap_or_else(|refused| self.refuse(refused));
            (property, verdict.map(Proof::Invariants, Trace::Program))
        });
        Ok(("cfg", decided.collect(), Vec::new()))
    }

    /// Decides the properties of a program by an engine for transition systems. The evidence
    /// goes back to the program and is checked there. A proof that the program cannot
    /// express, such as a k-induction, or that no solver is there to check, stays one about
    /// the transition system, where it has been checked as well.
    fn check_lowered(
        &self,
        problem: &ProgramProblem,
        chosen: &[PropertyId],
    ) -> Result<(&'static str, Vec<Decided>, Vec<String>), Error> {
        let program = problem.clone();
        let (system, lift) = self.read(move || program.lower())?;
        let Answers { engine, verdicts, warnings } =
            self.answer_system(&system, chosen, self.contest()?)?;
        let lifted = |(&property, verdict): (&PropertyId, &Verdict)| {
            let kept = || confirm::unconfirmed("the proof is about the transition system");
            let lifted = match verdict {
                Verdict::Safe(proof) => {
                    lift.proof(proof.clone()).map_or_else(|_| kept(), Verdict::Safe)
                }
                Verdict::Unsafe(trace) => Verdict::Unsafe(lift.trace(trace.clone())),
                Verdict::Unknown(reason) => Verdict::Unknown(reason.clone()),
            };
            (property, lifted)
        };
        let lifted: Vec<(PropertyId, ProgramVerdict)> =
            chosen.iter().zip(&verdicts).map(lifted).collect();
        let confirmed = self.checking(|| match self.confirm_program(problem, lifted.clone()) {
            Err(Error::NoSolver(_)) => self.confirm_runs(problem, lifted),
            result => result,
        })?;
        let outcomes = confirmed.into_iter().zip(verdicts);
        let decided = chosen.iter().zip(outcomes).map(|(&property, (lifted, verdict))| {
            let outcome = about_program(lifted, verdict);
            (property, outcome.unwrap_or_else(|refused| self.refuse(refused)))
        });
        Ok((engine, decided.collect(), warnings))
    }

    /// Confirms runs, for which no solver is needed; proofs are unknown.
    fn confirm_runs(
        &self,
        problem: &ProgramProblem,
        verdicts: Vec<(PropertyId, ProgramVerdict)>,
    ) -> Result<Vec<Result<ProgramVerdict, Refused>>, Error> {
        let without_proof = |(property, verdict)| match verdict {
            Verdict::Safe(_) => (property, confirm::unconfirmed("there is no solver")),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => (property, verdict),
        };
        self.confirm_program(problem, verdicts.into_iter().map(without_proof).collect())
    }

    fn confirm_program(
        &self,
        problem: &ProgramProblem,
        verdicts: Vec<(PropertyId, ProgramVerdict)>,
    ) -> Result<Vec<Result<ProgramVerdict, Refused>>, Error> {
        // The program is read again only if there is evidence to check.
        if !verdicts.iter().any(|(_, verdict)| verdict.is_decided()) {
            return Ok(verdicts.into_iter().map(|(_, verdict)| Ok(verdict)).collect());
        }
        let (program, solvers) = (problem.original()?, self.options.solvers());
        confirm::confirm_all(program, verdicts, |properties, proof| {
            confirm::judge_proof(program, properties, proof, &solvers, &self.budget())
        })
    }

    /// What the engine for programs finds. A verdict that was found before a limit counts,
    /// also when the engine does not end then.
    fn ask_cfg(
        &self,
        problem: &ProgramProblem,
        chosen: &[PropertyId],
        options: &CfgOptions,
    ) -> Result<Vec<ProgramVerdict>, Error> {
        let task = Task::new(Arc::new(problem.clone()), chosen, &self.run);
        let (asked, mut engine) = (task.clone(), Cfg(options.clone()));
        let reason = match self.supervisor.watch(move || asked.ask(&mut engine)) {
            Ok(Ok(())) => StopReason::Cancelled,
            Ok(Err(EngineError::NoSolver(message))) => return Err(Error::NoSolver(message)),
            Ok(Err(
                error @ (EngineError::TooLarge(_)
                | EngineError::NotSafety(_)
                | EngineError::NotLiveness(_)
                | EngineError::Stopped(_)),
            )) => error.reason(),
            Err(reason) => reason,
        };
        Ok(task.verdicts_or(&reason))
    }

    fn report(
        &self,
        problem: &Problem,
        engine: &'static str,
        decided: Vec<Decided>,
        warnings: Vec<String>,
    ) -> Report {
        let mut findings =
            self.checking(|| self.during(Phase::Vacuity, || self.findings(problem, &decided)));
        let (time, statistics) = (self.elapsed(), self.statistics());
        let shortest = lock(&self.shortest).clone();
        let excluded = lock(&self.excluded).clone();
        let stored = lock(&self.stored).clone();
        let source = |id: &PropertyId| match stored.contains(id) {
            true => VerdictSource::Store,
            false => VerdictSource::Engine,
        };
        // The steps of a program are not the cycles of its transition system.
        let is_shortest = |problem: &Problem, id| match problem {
            Problem::System(_) => shortest.contains(&id),
            Problem::Program(_) => false,
        };
        let property = |(id, verdict): Decided| {
            let decision = statistics.decided.get(&id).filter(|_| verdict.is_decided());
            PropertyReport {
                id,
                name: problem.property_name(id).to_owned(),
                kind: problem.property_kind(id),
                location: problem.location(id),
                source: source(&id),
                engine: decision.map(|decision| decision.engine),
                time: decision.map_or(time, |decision| decision.time),
                depth: depth(&verdict, decision.map_or(0, |decision| decision.depth)),
                excluded: excluded.get(&id).copied().unwrap_or(0),
                is_shortest: is_shortest(problem, id),
                verdict,
                vacuity: findings.vacuities.remove(&id),
                explanation: None,
                files: Vec::new(),
            }
        };
        let properties = decided.into_iter().map(property).collect();
        let mut report = Report {
            problem: problem.clone(),
            options: Options::clone(&self.options),
            engine,
            properties,
            time,
            checking: self.checked(),
            vacuity_time: findings.time,
            runs: findings.runs,
            statistics,
            earlier_seconds: self.options.reuse.as_ref().map(|state| state.seconds),
            lemmas: None,
            bugs: lock(&self.bugs).clone(),
            warnings,
            files: Vec::new(),
            unwritten: Vec::new(),
        };
        if self.options.explain {
            report.explain(self.supervisor.check_deadline());
        }
        report
    }
}

fn nothing_to_check(problem: &Problem) -> String {
    match problem {
        Problem::System(system) if system.elaboration().is_some() => {
            "the design has no assert or cover statement; statements inside `ifdef are read if \
             their macro is defined (-D NAME; FORMAL is defined by default), and those of other \
             modules only if the top module (--top) uses these"
                .to_owned()
        }
        Problem::System(_) => "the model has no property to check".to_owned(),
        Problem::Program(_) => "the program has no property to check".to_owned(),
    }
}

/// The verdict on a program from the confirmed verdict on its transition system and from what
/// became of the same evidence about the program. A proof that could not be stated or checked
/// about the program stays one about the system. Refused evidence does not: the lowering or its
/// way back is wrong then.
fn about_program(
    lifted: Result<ProgramVerdict, Refused>,
    verdict: Verdict,
) -> Result<Verdict<Proof, Trace>, Refused> {
    Ok(match (lifted?, verdict) {
        (Verdict::Unknown(_), Verdict::Safe(proof)) => Verdict::Safe(Proof::Certificate(proof)),
        (lifted, _) => lifted.map(Proof::Invariants, Trace::Program),
    })
}

/// Which engines for systems run.
enum Contest {
    One(Choice),
    Turns(Schedule),
    Race(usize),
}

impl Contest {
    /// The same for safety properties. Methods for liveness do not apply.
    fn for_safety(self) -> Self {
        match self {
            Contest::One(Choice::Liveness(_)) => Contest::One(Choice::Auto),
            other => other,
        }
    }

    /// The same for liveness properties. An engine for safety looks for a state that comes back.
    fn for_liveness(self) -> Self {
        match self {
            Contest::One(choice @ Choice::Liveness(_)) => Contest::One(choice),
            Contest::One(Choice::Auto) | Contest::Turns(_) => {
                Contest::One(Choice::Liveness(Liveness::Auto))
            }
            Contest::One(choice) => {
                Contest::One(Choice::Liveness(Liveness::Saving(Box::new(choice))))
            }
            Contest::Race(threads) => Contest::Race(threads),
        }
    }
}

/// Confirmed verdicts on a system.
struct Answers {
    engine: &'static str,
    verdicts: Vec<Verdict>,
    warnings: Vec<String>,
}

/// What a verdict says about depth; `converged` is the level of a proof, if not zero.
pub(crate) fn depth(verdict: &Verdict<Proof, Trace>, converged: usize) -> Option<usize> {
    match verdict {
        Verdict::Unsafe(Trace::System(trace)) => Some(trace.depth()),
        Verdict::Unsafe(Trace::Program(trace)) => Some(trace.steps.len()),
        Verdict::Safe(Proof::Certificate(Certificate::KInductive { k, .. })) => Some(*k),
        Verdict::Safe(Proof::Certificate(
            Certificate::Inductive { .. }
            | Certificate::Facts { .. }
            | Certificate::Formula(_)
            | Certificate::Ranking(_),
        )) => Some(converged).filter(|&depth| depth > 0),
        Verdict::Safe(Proof::Invariants(_)) => None,
        Verdict::Unknown(StopReason::Bound(bound)) => Some(*bound),
        Verdict::Unknown(_) => None,
    }
}

impl Problem {
    /// What kind of property it is.
    pub fn property_kind(&self, property: PropertyId) -> PropertyKind {
        match self {
            Problem::System(problem) => {
                let property = problem.system().property(property);
                match (&property.kind, property.goal) {
                    (Kind::Bad(_), Goal::Assert) => PropertyKind::Safety,
                    (Kind::Bad(_), Goal::Cover) => PropertyKind::Cover,
                    (Kind::Justice(_), _) => PropertyKind::Liveness,
                }
            }
            Problem::Program(problem) => {
                PropertyKind::Program(problem.program().property(property).kind)
            }
        }
    }

    /// Where a property is in the source, if that is known.
    pub fn location(&self, property: PropertyId) -> Option<Location> {
        match self {
            Problem::System(problem) => {
                Some(problem.locate(problem.system().property(property).place.as_ref()?))
            }
            Problem::Program(problem) => {
                Some(problem.located(&problem.program().property(property).span))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use elinvar_engines::bmc::BmcOptions;

    use super::*;

    /// An engine that gives evidence that is wrong, and sometimes good evidence as well.
    struct Mistaken {
        corrects_itself: bool,
    }

    impl Engine for Mistaken {
        fn name(&self) -> &'static str {
            "mistaken"
        }

        fn check(&mut self, task: &Task) -> Result<(), EngineError> {
            let [property] = task.open()[..] else { panic!("one property is open") };
            let wrong = Verdict::Safe(Certificate::Inductive { clauses: Vec::new() });
            task.decide("mistaken", property, wrong, 1);
            assert!(task.run().stop().is_some(), "an engine that is wrong has to end");
            assert_eq!(task.open(), [property]);
            if self.corrects_itself {
                let (run, bmc) = (elinvar_engines::Run::new(), BmcOptions::default());
                task.with_run(run).ask(&mut *Choice::Bmc(bmc).build())?;
            }
            Ok(())
        }
    }

    #[test]
    fn other_engines_go_on_when_evidence_is_refused() {
        let problem = Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n").unwrap();
        let Problem::System(problem) = problem else { panic!("a transition system") };
        for corrects_itself in [false, true] {
            let session = Session::start(Options::default()).unwrap();
            let failures = Failures::default();
            let task = Task::new(Arc::new(problem.clone()), &[PropertyId(0)], &session.run);
            let task = session.judging(task, &problem, &failures);
            let judge = Judge::new(&session, problem.system(), problem.original());
            let mut engine = Mistaken { corrects_itself };
            let answers = session.ask_one(&task, &judge, &failures, &mut engine);
            let [verdict] = &answers.verdicts[..] else { panic!("one verdict") };
            assert_eq!(matches!(verdict, Verdict::Unsafe(_)), corrects_itself, "{verdict:?}");
            assert_eq!(lock(&session.bugs).is_empty(), corrects_itself);
            let [warning] = &answers.warnings[..] else { panic!("{:?}", answers.warnings) };
            assert!(warning.starts_with("mistaken failed: the checker refused"), "{warning}");
        }
    }

    /// A verdict about the transition system does not stand if the checker refuses its
    /// evidence about the program.
    #[test]
    fn refused_evidence_about_a_program_is_not_a_verdict() {
        let safe = || Verdict::Safe(Certificate::Inductive { clauses: Vec::new() });
        let refused =
            Refused { what: "evidence", property: "p".to_owned(), reason: "no".to_owned() };
        assert!(about_program(Err(refused), safe()).is_err());
        let unchecked = about_program(Ok(confirm::unconfirmed("too large")), safe());
        assert!(matches!(unchecked, Ok(Verdict::Safe(Proof::Certificate(_)))));
        let unknown = Verdict::Unknown(StopReason::Timeout);
        let open = about_program(Ok(confirm::unconfirmed("too large")), unknown);
        assert!(matches!(open, Ok(Verdict::Unknown(_))));
    }
}
