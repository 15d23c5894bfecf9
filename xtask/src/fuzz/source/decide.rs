//! The tool on a program: reader, engine and checker, as the command line puts them together.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, ProgramRefusal, program as judge};
use elinvar_engines::cfg::{Cfg, CfgOptions};
use elinvar_engines::pdr::{Pdr, PdrOptions};
use elinvar_engines::{EngineError, Run, Task};
use elinvar_formats::boogie;
use elinvar_ir::program::{AssertionKind, Invariants, Program, ProgramVerdict};
use elinvar_ir::{PropertyId, TransitionSystem, Verdict};
use elinvar_transform::lower;

use super::super::proofs;
use super::code::{Kind, Property};
use super::{Class, Complaint};

/// For all properties of a program; the checker has as much time again.
const LIMIT: Duration = Duration::from_millis(1500);

/// How much longer it may take: one query may be in a part of Z3 that does not look at the clock.
const GRACE: Duration = Duration::from_secs(20);

/// A checked answer about a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

pub type Answers = BTreeMap<Property, Answer>;

/// How a program is decided.
pub enum Way {
    /// By the engine for programs.
    Program(CfgOptions),
    /// By property directed reachability on bits, if the program is one over words.
    System,
}

/// The answers about the properties; `None` if the program is not for this way.
pub fn decide(text: &str, way: &Way) -> Result<Option<Answers>, Complaint> {
    let start = Instant::now();
    let program = boogie::read(text.as_bytes()).map_err(|diagnostic| {
        let line = text[..diagnostic.span.start.min(text.len())].matches('\n').count() + 1;
        Complaint::new(Class::Refused, format!("line {line}: {diagnostic}"))
    })?;
    let answers = match way {
        Way::Program(options) => as_program(&program, options)?,
        Way::System => match lower(&program) {
            Ok(lowered) => as_system(&lowered.system)?,
            Err(_) => None,
        },
    };
    let elapsed = start.elapsed();
    if elapsed > 2 * LIMIT + GRACE {
        return Err(Complaint::new(Class::Late, format!("it took {elapsed:.1?}")));
    }
    Ok(answers.map(|answers| keys(text, &program).into_iter().zip(answers).collect()))
}

fn as_program(program: &Program, options: &CfgOptions) -> Result<Option<Vec<Answer>>, Complaint> {
    let properties: Vec<PropertyId> = program.property_ids().collect();
    let run = Run::new().with_timeout(LIMIT);
    match Task::about(program, &properties, &run).check(&mut Cfg(options.clone())) {
        Ok(verdicts) => confirm(program, &properties, &verdicts).map(Some),
        Err(EngineError::NoSolver(message)) => panic!("{message}"),
        Err(EngineError::TooLarge(_) | EngineError::NotSafety(_) | EngineError::Stopped(_)) => {
            Ok(None)
        }
    }
}

/// The properties of the system are those of the program, in their order.
fn as_system(system: &TransitionSystem) -> Result<Option<Vec<Answer>>, Complaint> {
    let properties: Vec<PropertyId> = system.bads().map(|(property, _)| property).collect();
    let run = Run::new().with_timeout(LIMIT);
    let task = Task::about(system, &properties, &run);
    let Ok(verdicts) = task.check(&mut Pdr(PdrOptions::default())) else { return Ok(None) };
    let refused = |refusal| Complaint::new(Class::Evidence, format!("as a system: {refusal}"));
    let mut answers = Vec::new();
    for (&property, verdict) in properties.iter().zip(&verdicts) {
        answers.push(match verdict {
            Verdict::Safe(certificate) => {
                elinvar_check::certificate(system, property, certificate, &Budget::default())
                    .map_err(refused)?;
                Answer::Safe
            }
            Verdict::Unsafe(trace) => {
                elinvar_check::replay(system, trace).map_err(refused)?;
                Answer::Unsafe
            }
            Verdict::Unknown(_) => Answer::Unknown,
        });
    }
    Ok(Some(answers))
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
    properties: &[PropertyId],
    verdicts: &[ProgramVerdict],
) -> Result<Vec<Answer>, Complaint> {
    let mut by_proof: Vec<(&Invariants, Vec<usize>)> = Vec::new();
    let mut answers = vec![Answer::Unknown; verdicts.len()];
    for (at, verdict) in verdicts.iter().enumerate() {
        match verdict {
            ProgramVerdict::Unknown(_) => {}
            ProgramVerdict::Unsafe(trace) => {
                let judgement = judge::run(program, trace);
                let approximation = program.approximation(trace.steps.iter().map(|step| step.edge));
                if accepted(judgement)? && approximation.is_none() {
                    answers[at] = Answer::Unsafe;
                }
            }
            ProgramVerdict::Safe(proof) => {
                match by_proof.iter_mut().find(|(known, _)| same(known, proof)) {
                    Some((_, together)) => together.push(at),
                    None => by_proof.push((proof, vec![at])),
                }
            }
        }
    }
    for (proof, together) in by_proof {
        let proved: Vec<PropertyId> = together.iter().map(|&at| properties[at]).collect();
        if accepted(proofs::check(program, &proved, proof, LIMIT))? {
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
