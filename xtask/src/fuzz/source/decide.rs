//! The tool on a program: reader, engine and checker, as the command line puts them together.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, ProgramRefusal, SmtSolver, program as judge};
use elinvar_engines::cfg::{CfgOptions, check_program};
use elinvar_engines::{EngineError, Run};
use elinvar_formats::boogie;
use elinvar_ir::program::{AssertionId, AssertionKind, Invariants, Program, ProgramVerdict};

use super::code::{Kind, Property};
use super::{Class, Complaint};

/// For all properties of a program; the checker has as much time again.
const LIMIT: Duration = Duration::from_millis(1500);

/// How much longer it may take: one query may be in a part of Z3 that does not look at the clock.
const GRACE: Duration = Duration::from_secs(8);

/// A checked answer about a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

pub type Answers = BTreeMap<Property, Answer>;

pub fn decide(text: &str, options: &CfgOptions) -> Result<Answers, Complaint> {
    let start = Instant::now();
    let program = boogie::read(text.as_bytes()).map_err(|diagnostic| {
        let line = text[..diagnostic.span.start.min(text.len())].matches('\n').count() + 1;
        Complaint::new(Class::Refused, format!("line {line}: {diagnostic}"))
    })?;
    let properties: Vec<AssertionId> = program.property_ids().collect();
    let run = Run::new().with_timeout(LIMIT);
    let verdicts = match check_program(&program, &properties, options, &run) {
        Ok(verdicts) => verdicts,
        Err(EngineError::NoSolver(message)) => panic!("{message}"),
        Err(EngineError::TooLarge(_) | EngineError::NotSafety(_)) => return Ok(Answers::new()),
    };
    let answers = confirm(&program, &properties, &verdicts)?;
    let elapsed = start.elapsed();
    if elapsed > 2 * LIMIT + GRACE {
        return Err(Complaint::new(Class::Late, format!("it took {elapsed:.1?}")));
    }
    Ok(keys(text, &program).into_iter().zip(answers).collect())
}

/// The properties, by kind and line.
fn keys(text: &str, program: &Program) -> Vec<Property> {
    let mut found: Vec<Property> = Vec::new();
    for property in &program.properties {
        let kind = match property.kind {
            AssertionKind::Assert => Kind::Assert,
            AssertionKind::Requires => Kind::Requires,
            AssertionKind::Ensures => Kind::Ensures,
            AssertionKind::InvariantEntry => Kind::InvariantEntry,
            AssertionKind::InvariantKept => Kind::InvariantKept,
        };
        let line = text[..property.span.start].matches('\n').count() as u32 + 1;
        let number = found.iter().filter(|p| p.kind == kind && p.line == line).count() as u32;
        found.push(Property { kind, line, number });
    }
    found
}

/// Lets the checker judge all verdicts.
fn confirm(
    program: &Program,
    properties: &[AssertionId],
    verdicts: &[ProgramVerdict],
) -> Result<Vec<Answer>, Complaint> {
    let mut proofs: Vec<(&Invariants, Vec<usize>)> = Vec::new();
    let mut answers = vec![Answer::Unknown; verdicts.len()];
    for (at, verdict) in verdicts.iter().enumerate() {
        match verdict {
            ProgramVerdict::Unknown(_) => {}
            ProgramVerdict::Unsafe(trace) => {
                let judgement = judge::run(program, trace);
                let doubt = program.doubt(trace.steps.iter().map(|step| step.edge));
                if accepted(judgement)? && doubt.is_none() {
                    answers[at] = Answer::Unsafe;
                }
            }
            ProgramVerdict::Safe(proof) => {
                match proofs.iter_mut().find(|(known, _)| same(known, proof)) {
                    Some((_, together)) => together.push(at),
                    None => proofs.push((proof, vec![at])),
                }
            }
        }
    }
    for (proof, together) in proofs {
        let proved: Vec<AssertionId> = together.iter().map(|&at| properties[at]).collect();
        let budget = Budget { deadline: Some(Instant::now() + LIMIT), ..Budget::default() };
        let solver = SmtSolver::default();
        if accepted(judge::invariants(program, &proved, proof, &solver, &budget))? {
            together.into_iter().for_each(|at| answers[at] = Answer::Safe);
        }
    }
    Ok(answers)
}

fn same(left: &Invariants, right: &Invariants) -> bool {
    std::sync::Arc::ptr_eq(&left.terms, &right.terms) && left.at == right.at
}

/// What cannot be checked in time does not count; refused evidence is a bug.
fn accepted(judgement: Result<(), ProgramRefusal>) -> Result<bool, Complaint> {
    match judgement {
        Ok(()) => Ok(true),
        Err(refusal) if refusal.is_wrong() => {
            Err(Complaint::new(Class::Evidence, refusal.to_string()))
        }
        Err(_) => Ok(false),
    }
}
