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
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use elinvar_check::{Budget, ProgramRefusal, SmtSolver, program as judge};
use elinvar_engines::EngineError;
use elinvar_engines::cfg::{CfgOptions, check_program};
use elinvar_formats::boogie::{self, Reading};
use elinvar_ir::StopReason;
use elinvar_ir::program::{
    AssertionId, Invariants, LocationId, Program, ProgramTrace, ProgramVerdict, Term,
};

pub use self::evidence::Evidence;
pub use self::options::{DialectOption, ProgramOptions};
pub use self::source::Source;
use crate::failure::Bug;
use crate::output::Files;
use crate::progress::Statistics;
use crate::report::Summary;
use crate::session::Session;

/// How a program is to be decided.
pub struct Settings {
    pub options: CfgOptions,
    /// Who checks the proofs.
    pub solver: SmtSolver,
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
    pub statistics: Statistics,
    /// The files that were written about the answers.
    pub files: Files,
}

/// The checked answer about a property.
pub struct Answer {
    pub property: AssertionId,
    pub verdict: ProgramVerdict,
    /// It is safe because no state satisfies the preconditions of these procedures, in
    /// which alone it is checked; otherwise empty.
    pub vacuous: Vec<String>,
}

/// The properties that the user asks for: the one with this name, else with this number;
/// all if there is no choice.
pub fn select(program: &Program, chosen: Option<&str>) -> Result<Vec<AssertionId>> {
    let Some(text) = chosen else { return Ok(program.property_ids().collect()) };
    let named = program.property_ids().find(|&id| program.property(id).name == text);
    let numbered = || {
        let number = text
            .parse()
            .ok()
            .filter(|&number: &u32| (number as usize) < program.properties.len())?;
        Some(AssertionId(number))
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
    chosen: &[AssertionId],
    settings: &Settings,
) -> Result<Report<'a>> {
    let program = &reading.program;
    let progress = session.progress();
    let verdicts = match check_program(program, chosen, &settings.options, session.run()) {
        Ok(verdicts) => verdicts,
        Err(EngineError::NoSolver(message)) => bail!("{message}"),
        Err(
            error
            @ (EngineError::TooLarge(_) | EngineError::NotSafety(_) | EngineError::Stopped(_)),
        ) => {
            vec![ProgramVerdict::Unknown(error.reason()); chosen.len()]
        }
    };
    let mut answers: Vec<Answer> = (chosen.iter().zip(verdicts))
        .map(|(&property, verdict)| Answer { property, verdict, vacuous: Vec::new() })
        .collect();
    session.checking(|| {
        confirm(session, program, &mut answers, &settings.solver)?;
        vacuity::find(reading, &mut answers, &settings.solver, session.budget());
        anyhow::Ok(())
    })?;
    drop(progress);
    Ok(Report {
        program,
        dialect: reading.dialect,
        source,
        time: session.elapsed(),
        checking: session.checked(),
        answers,
        statistics: session.statistics(),
        files: Files::default(),
    })
}

/// Lets the checker judge all verdicts. Refused evidence is a bug; what cannot be checked
/// in time, and what the program does not say exactly, is unknown.
fn confirm(
    session: &Session,
    program: &Program,
    answers: &mut [Answer],
    solver: &SmtSolver,
) -> Result<()> {
    let mut reasons: Vec<Option<StopReason>> = vec![None; answers.len()];
    for (at, answer) in answers.iter().enumerate() {
        match &answer.verdict {
            ProgramVerdict::Unknown(_) => {}
            ProgramVerdict::Unsafe(trace) => {
                let judgement = judge_run(program, answer.property, trace);
                let reason = judged(program, answer.property, judgement)?;
                reasons[at] = reason.or_else(|| doubt(program, trace));
            }
            ProgramVerdict::Safe(proof) => {
                // Properties that are proved together are checked together, once.
                let together: Vec<usize> =
                    (0..answers.len()).filter(|&other| shares(&answers[other], proof)).collect();
                if together.first() != Some(&at) {
                    continue;
                }
                let properties: Vec<AssertionId> =
                    together.iter().map(|&other| answers[other].property).collect();
                let judgement =
                    judge::invariants(program, &properties, proof, solver, &session.budget());
                let reason = judged(program, answer.property, judgement)?;
                together.into_iter().for_each(|other| reasons[other].clone_from(&reason));
            }
        }
    }
    for (answer, reason) in answers.iter_mut().zip(reasons) {
        if let Some(reason) = reason {
            answer.verdict = ProgramVerdict::Unknown(reason);
        }
    }
    Ok(())
}

/// Is the answer proved by these very invariants?
fn shares(answer: &Answer, proof: &Invariants) -> bool {
    match &answer.verdict {
        ProgramVerdict::Safe(other) => {
            Arc::ptr_eq(&other.terms, &proof.terms) && other.at == proof.at
        }
        ProgramVerdict::Unsafe(_) | ProgramVerdict::Unknown(_) => false,
    }
}

fn judge_run(
    program: &Program,
    property: AssertionId,
    trace: &ProgramTrace,
) -> Result<(), ProgramRefusal> {
    if trace.property != property {
        return Err(ProgramRefusal::NoSuchProperty(trace.property));
    }
    judge::run(program, trace)
}

/// Why the evidence does not count, though it is not wrong.
fn judged(
    program: &Program,
    property: AssertionId,
    judgement: Result<(), ProgramRefusal>,
) -> Result<Option<StopReason>> {
    match judgement {
        Ok(()) => Ok(None),
        Err(error @ ProgramRefusal::NoSolver { .. }) => Err(anyhow!("{error}")),
        Err(refusal) if refusal.is_wrong() => {
            let name = &program.property(property).name;
            bail!(Bug(format!("the checker refused the evidence on {name}: {refusal}")))
        }
        Err(refusal) => Ok(Some(StopReason::Unsupported(refusal.to_string()))),
    }
}

/// Judges evidence from a file: what it proves, or why it is refused.
pub fn verify(
    program: &Program,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<Result<String, String>> {
    let (judgement, claim) = match evidence {
        Evidence::Proof(property, proof) => {
            let solver = SmtSolver::default();
            let name = &program.property(*property).name;
            let claim = format!("The invariants prove that {name} holds.");
            (judge::invariants(program, &[*property], proof, &solver, budget), claim)
        }
        Evidence::Run(trace) => {
            if let Some(why) = program.doubt(trace.steps.iter().map(|step| step.edge)) {
                return Ok(Err(why));
            }
            let (name, steps) = (&program.property(trace.property).name, trace.steps.len());
            let claim = format!("The run shows that {name} fails after {steps} steps.");
            (judge::run(program, trace), claim)
        }
    };
    match judgement {
        Ok(()) => Ok(Ok(claim)),
        Err(error @ ProgramRefusal::NoSolver { .. }) => Err(anyhow!("{error}")),
        Err(refusal) => Ok(Err(refusal.to_string())),
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
    fn heading(&self, property: AssertionId) -> String {
        let span = &self.program.property(property).span;
        format!("{}: {}", self.source.place(span), self.source.text(span))
    }
}
