//! `elinvar check` on programs: decided by the engine with frames at locations, confirmed,
//! and told by source lines.

pub mod evidence;
mod json;
mod options;
mod source;
mod story;
mod text;
mod vacuity;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use elinvar_check::{Budget, ProgramRefusal, SmtSolver, program as judge};
use elinvar_engines::EngineError;
use elinvar_engines::cfg::{CfgOptions, check_program_into};
use elinvar_formats::boogie::{self, Reading};
use elinvar_ir::PropertyId;
use elinvar_ir::StopReason;
use elinvar_ir::program::{Invariants, LocationId, Program, ProgramTrace, ProgramVerdict, Term};

pub use self::evidence::Evidence;
pub use self::options::{DialectOption, ProgramOptions, SolverOption};
pub use self::source::Source;
use crate::failure::Bug;
use crate::output::Files;
use crate::progress::Statistics;
use crate::report::Summary;
use crate::session::Session;

/// How a program is to be decided.
pub struct Settings {
    pub options: CfgOptions,
    /// Who checks the proofs: all of them must accept.
    pub solvers: Vec<SmtSolver>,
}

/// The checked answer about a program.
pub struct Report<'a> {
    pub program: &'a Program,
    pub source: Source<'a>,
    pub dialect: boogie::Dialect,
    pub time: Duration,
    /// The part of the time in which evidence was checked.
    pub checking: Duration,
    pub answers: Vec<Answer>,
    /// What the checker refused, though the engine gave it as evidence: bugs.
    pub refusals: Vec<String>,
    pub statistics: Statistics,
    /// The files that were written about the answers.
    pub files: Files,
}

/// The checked answer about a property.
pub struct Answer {
    pub property: PropertyId,
    pub verdict: ProgramVerdict,
    /// It is safe because no state satisfies the preconditions of these procedures, in
    /// which alone it is checked; otherwise empty.
    pub vacuous: Vec<String>,
}

/// The properties that the user asks for: the one with this name, else with this number;
/// all if there is no choice.
pub fn select(program: &Program, chosen: Option<&str>) -> Result<Vec<PropertyId>> {
    let Some(text) = chosen else { return Ok(program.property_ids().collect()) };
    let named = program.property_ids().find(|&id| program.property(id).name == text);
    let numbered = || {
        let number =
            text.parse().ok().filter(|&number: &usize| number < program.properties.len())?;
        Some(PropertyId(number))
    };
    match named.or_else(numbered) {
        Some(property) => Ok(vec![property]),
        None => bail!("there is no property {text}; {}", choices(program)),
    }
}

fn choices(program: &Program) -> String {
    const SHOWN: usize = 8;
    let all = &program.properties;
    let mut names: Vec<String> =
        all.iter().take(SHOWN).enumerate().map(|(at, p)| format!("{at} {}", p.name)).collect();
    if all.len() > SHOWN {
        names.push(format!("… {} in all", all.len()));
    }
    format!("the program has: {}", names.join(", "))
}

/// Decides the properties and confirms all evidence.
pub fn decide<'a>(
    session: &Session,
    reading: &'a Reading,
    source: Source<'a>,
    chosen: &[PropertyId],
    settings: &Settings,
) -> Result<Report<'a>> {
    let program = &reading.program;
    let progress = session.progress();
    let verdicts = ask_engine(session, program, chosen, &settings.options)?;
    let mut answers: Vec<Answer> = (chosen.iter().zip(verdicts))
        .map(|(&property, verdict)| Answer { property, verdict, vacuous: Vec::new() })
        .collect();
    let refusals = session.checking(|| {
        let refusals = confirm(session, reading, &source, &mut answers, &settings.solvers)?;
        vacuity::find(reading, &mut answers, &settings.solvers[0], session.budget());
        anyhow::Ok(refusals)
    })?;
    drop(progress);
    Ok(Report {
        program,
        dialect: reading.dialect,
        source,
        time: session.elapsed(),
        checking: session.checked(),
        answers,
        refusals,
        statistics: session.statistics(),
        files: Files::default(),
    })
}

/// What the engine says. A verdict that was found before a limit counts, also when the
/// engine does not end then.
fn ask_engine(
    session: &Session,
    program: &Program,
    chosen: &[PropertyId],
    options: &CfgOptions,
) -> Result<Vec<ProgramVerdict>> {
    let found: Arc<Mutex<BTreeMap<PropertyId, ProgramVerdict>>> = Arc::default();
    let work = {
        let (program, chosen, options) = (program.clone(), chosen.to_vec(), options.clone());
        let (run, found) = (session.run().clone(), Arc::clone(&found));
        move || {
            let mut decided = |property, verdict| {
                found.lock().unwrap_or_else(PoisonError::into_inner).insert(property, verdict);
            };
            check_program_into(&program, &chosen, &options, &run, &mut decided)
        }
    };
    let reason = match session.supervise(work) {
        Ok(Ok(())) => StopReason::Cancelled,
        Ok(Err(EngineError::NoSolver(message))) => bail!("{message}"),
        Ok(Err(
            error
            @ (EngineError::TooLarge(_) | EngineError::NotSafety(_) | EngineError::Stopped(_)),
        )) => error.reason(),
        Err(reason) => reason,
    };
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    let unknown = || ProgramVerdict::Unknown(reason.clone());
    Ok(chosen.iter().map(|property| found.remove(property).unwrap_or_else(unknown)).collect())
}

/// Lets the checker judge all verdicts, about the program as it is written. What cannot
/// be checked in time, and what the program does not say exactly, is unknown. So is what
/// is refused, which is a bug: the refusals are returned.
fn confirm(
    session: &Session,
    reading: &Reading,
    source: &Source<'_>,
    answers: &mut [Answer],
    solvers: &[SmtSolver],
) -> Result<Vec<String>> {
    let is_open = |answer: &Answer| matches!(answer.verdict, ProgramVerdict::Unknown(_));
    if answers.iter().all(is_open) {
        return Ok(Vec::new());
    }
    let program = &original(reading, source.bytes())?;
    let mut refusals = Vec::new();
    let mut reasons: Vec<Option<StopReason>> = vec![None; answers.len()];
    for (at, answer) in answers.iter().enumerate() {
        let name = &program.property(answer.property).name;
        match &answer.verdict {
            ProgramVerdict::Unknown(_) => {}
            ProgramVerdict::Unsafe(trace) => {
                let judgement = judge_run(program, answer.property, trace);
                let reason = judged(name, judgement, &mut refusals)?;
                reasons[at] = reason.or_else(|| doubt(program, trace));
            }
            ProgramVerdict::Safe(proof) => {
                // Properties that are proved together are checked together, once.
                let together: Vec<usize> =
                    (0..answers.len()).filter(|&other| shares(&answers[other], proof)).collect();
                if together.first() != Some(&at) {
                    continue;
                }
                let properties: Vec<PropertyId> =
                    together.iter().map(|&other| answers[other].property).collect();
                let judgement =
                    judge_proof(program, &properties, proof, solvers, &session.budget());
                let reason = judged(name, judgement, &mut refusals)?;
                together.into_iter().for_each(|other| reasons[other].clone_from(&reason));
            }
        }
    }
    for (answer, reason) in answers.iter_mut().zip(reasons) {
        if let Some(reason) = reason {
            answer.verdict = ProgramVerdict::Unknown(reason);
        }
    }
    Ok(refusals)
}

/// The program read again without rewriting: evidence is checked against it, so that a
/// wrong rewrite leads to refused evidence instead of a wrong verdict.
pub fn original(reading: &Reading, source: &[u8]) -> Result<Program> {
    let original = boogie::read_verbatim(source, reading.dialect)
        .map_err(|error| Bug(format!("the program cannot be read again: {error}")))?;
    judge::agree(&original, &reading.program).map_err(|refusal| Bug(refusal.to_string()))?;
    Ok(original)
}

/// Is the answer proved by these very invariants?
fn shares(answer: &Answer, proof: &Invariants) -> bool {
    match &answer.verdict {
        ProgramVerdict::Safe(other) => other.is_same(proof),
        ProgramVerdict::Unsafe(_) | ProgramVerdict::Unknown(_) => false,
    }
}

fn judge_run(program: &Program, property: PropertyId, trace: &ProgramTrace) -> Result<(), Refused> {
    if trace.property != property {
        return Err(ProgramRefusal::NoSuchProperty(trace.property).into());
    }
    Ok(judge::run(program, trace)?)
}

/// A refusal, and the solver that it comes from if there are several.
struct Refused {
    refusal: ProgramRefusal,
    solver: Option<String>,
}

impl From<ProgramRefusal> for Refused {
    fn from(refusal: ProgramRefusal) -> Self {
        Refused { refusal, solver: None }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.solver {
            Some(solver) => write!(f, "{} (solver: {solver})", self.refusal),
            None => self.refusal.fmt(f),
        }
    }
}

/// Accepts a proof that all solvers accept.
fn judge_proof(
    program: &Program,
    properties: &[PropertyId],
    proof: &Invariants,
    solvers: &[SmtSolver],
    budget: &Budget,
) -> Result<(), Refused> {
    for solver in solvers {
        judge::invariants(program, properties, proof, solver, budget).map_err(|refusal| {
            let solver = (solvers.len() > 1).then(|| solver.command.join(" "));
            Refused { refusal, solver }
        })?;
    }
    Ok(())
}

/// Why the evidence does not count. If it is wrong, the refusal is noted.
fn judged(
    name: &str,
    judgement: Result<(), Refused>,
    refusals: &mut Vec<String>,
) -> Result<Option<StopReason>> {
    let Err(refused) = judgement else { return Ok(None) };
    if let ProgramRefusal::NoSolver { .. } = refused.refusal {
        bail!("{}", refused.refusal);
    }
    if !refused.refusal.is_wrong() {
        return Ok(Some(StopReason::Unsupported(refused.to_string())));
    }
    refusals.push(format!("the checker refused the evidence on {name}: {refused}"));
    Ok(Some(StopReason::Unsupported(format!("the checker refused the evidence: {refused}"))))
}

/// Judges evidence from a file: what it proves, or why it is refused.
pub fn verify(
    program: &Program,
    evidence: &Evidence,
    solvers: &[SmtSolver],
    budget: &Budget,
) -> Result<Result<String, String>> {
    let (judgement, claim) = match evidence {
        Evidence::Proof(property, proof) => {
            let name = &program.property(*property).name;
            let claim = format!("The invariants prove that {name} holds.");
            (judge_proof(program, &[*property], proof, solvers, budget), claim)
        }
        Evidence::Run(trace) => {
            if let Some(why) = program.doubt(trace.steps.iter().map(|step| step.edge)) {
                return Ok(Err(why));
            }
            let (name, steps) = (&program.property(trace.property).name, trace.steps.len());
            let claim = format!("The run shows that {name} fails after {steps} steps.");
            (judge::run(program, trace).map_err(Refused::from), claim)
        }
    };
    match judgement {
        Ok(()) => Ok(Ok(claim)),
        Err(Refused { refusal: error @ ProgramRefusal::NoSolver { .. }, .. }) => bail!("{error}"),
        Err(refused) => Ok(Err(refused.to_string())),
    }
}

/// A run through what is only approximated shows nothing.
fn doubt(program: &Program, trace: &ProgramTrace) -> Option<StopReason> {
    let why = program.doubt(trace.steps.iter().map(|step| step.edge))?;
    Some(StopReason::Unsupported(format!("a counterexample was found, but {why}")))
}

impl Report<'_> {
    /// The report as it is asked for.
    pub fn render(&self, json: bool, quiet: bool) -> String {
        if json {
            format!("{}\n", json::render(self))
        } else if quiet {
            format!("{}\n", self.summary().word())
        } else {
            text::render(self)
        }
    }

    pub fn summary(&self) -> Summary {
        Summary::of_all(self.answers.iter().map(|answer| Summary::of_program(&answer.verdict)))
    }

    /// Why there is no verdict.
    fn reason(&self) -> Option<&StopReason> {
        if self.summary() != Summary::Unknown {
            return None;
        }
        self.answers.iter().find_map(|answer| match &answer.verdict {
            ProgramVerdict::Unknown(reason) => Some(reason),
            ProgramVerdict::Safe(_) | ProgramVerdict::Unsafe(_) => None,
        })
    }

    /// What is known at a location, as Boogie writes it, smaller clauses first.
    fn clauses<'p>(
        &self,
        proofs: impl IntoIterator<Item = &'p Invariants>,
    ) -> Vec<(LocationId, Vec<String>)> {
        let mut known: BTreeMap<LocationId, Vec<String>> = BTreeMap::new();
        for proof in proofs {
            for (&location, clauses) in &proof.at {
                let texts = known.entry(location).or_default();
                let says_something = |clause: &&Term| proof.terms.as_bool(**clause) != Some(true);
                for &clause in clauses.iter().filter(says_something) {
                    let text = boogie::expression(&proof.terms, clause, self.dialect);
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
            }
        }
        for texts in known.values_mut() {
            texts.sort_by_key(|text| (text.len(), text.clone()));
        }
        known.into_iter().filter(|(_, texts)| !texts.is_empty()).collect()
    }

    /// `count.bpl:9: assert x == 2 * y;`
    fn heading(&self, property: PropertyId) -> String {
        let span = &self.program.property(property).span;
        format!("{}: {}", self.source.place(span), self.source.text(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(source: &str) -> Reading {
        boogie::read_in(source.as_bytes(), None).expect("a program")
    }

    fn prove(program: &Program, proof: &Invariants, solvers: &[SmtSolver]) -> Result<(), Refused> {
        judge_proof(program, &[PropertyId(0)], proof, solvers, &Budget::default())
    }

    /// The engine's program differs from what is written, as after a wrong rewrite.
    #[test]
    fn evidence_is_checked_against_the_program_as_it_is_written() {
        let right = "procedure p(x: int) { var y: int; y := x + 1; assert y > x + 0; }";
        let wrong = "procedure p(x: int) { var y: int; y := x + 1; assert y > x + 2; }";
        let (right_reading, wrong_reading) = (reading(right), reading(wrong));
        let original_of = |source: &str| original(&right_reading, source.as_bytes());
        let terms = Arc::new(right_reading.program.terms.clone());
        let proof = Invariants { terms, at: BTreeMap::new() };
        let solvers = [SmtSolver::default()];
        assert!(prove(&original_of(right).unwrap(), &proof, &solvers).is_ok());
        let refused = prove(&original_of(wrong).unwrap(), &proof, &solvers);
        assert!(refused.is_err_and(|refused| refused.refusal.is_wrong()));
        // A run of the wrong program is refused, too.
        let run = elinvar_engines::Run::new();
        let (options, chosen) = (CfgOptions::default(), [PropertyId(0)]);
        let program = &wrong_reading.program;
        let verdict = elinvar_engines::cfg::check_program(program, &chosen, &options, &run);
        let [ProgramVerdict::Unsafe(trace)] = &verdict.unwrap()[..] else { panic!("unsafe") };
        assert!(judge_run(&original_of(wrong).unwrap(), chosen[0], trace).is_ok());
        assert!(judge_run(&original_of(right).unwrap(), chosen[0], trace).is_err());
        // Readings with other parts are not even compared.
        let other = "procedure p(x: int) { var y: int; y := x + 1; y := 2; assert y > x + 0; }";
        assert!(original_of(other).is_err_and(|error| error.is::<Bug>()));
    }

    /// One solver that does not accept is enough, and is named.
    #[test]
    fn all_solvers_must_accept() {
        let reading = reading("procedure p(x: int) { assert x + 1 > x; }");
        let proof =
            Invariants { terms: Arc::new(reading.program.terms.clone()), at: BTreeMap::new() };
        let says = |word: &str| SmtSolver {
            command: vec!["sh".to_owned(), "-c".to_owned(), answering(word)],
        };
        let z3 = SmtSolver::default();
        let with = |other: SmtSolver| prove(&reading.program, &proof, &[z3.clone(), other]);
        assert!(with(says("unsat")).is_ok());
        let unsure = with(says("unknown")).expect_err("not accepted");
        assert!(!unsure.refusal.is_wrong() && unsure.to_string().contains("(solver: sh -c"));
        assert!(with(SmtSolver { command: vec!["no-such-solver".to_owned()] }).is_err());
    }

    /// A shell script that answers every question alike.
    fn answering(word: &str) -> String {
        format!(
            "while read -r line; do case \"$line\" in \
             *check-sat*) echo {word};; *echo*) echo that-is-all;; esac; done"
        )
    }
}
