//! The tool on a program: reader, engine and checker, as the command line puts them together.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use elinvar::{Budget, Refused, confirm_programs, confirm_system};
use elinvar_engines::cfg::{Cfg, CfgOptions};
use elinvar_engines::pdr::{Pdr, PdrOptions};
use elinvar_engines::{EngineError, Run, Task};
use elinvar_formats::boogie;
use elinvar_ir::program::{AssertionKind, Program, ProgramVerdict};
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
        Ok(verdicts) => confirm(program, &properties, verdicts).map(Some),
        Err(EngineError::NoSolver(message)) => panic!("{message}"),
        Err(
            EngineError::TooLarge(_)
            | EngineError::NotSafety(_)
            | EngineError::NotLiveness(_)
            | EngineError::Stopped(_),
        ) => Ok(None),
    }
}

/// The properties of the system are those of the program, in their order.
fn as_system(system: &TransitionSystem) -> Result<Option<Vec<Answer>>, Complaint> {
    let properties: Vec<PropertyId> = system.bads().map(|(property, _)| property).collect();
    let run = Run::new().with_timeout(LIMIT);
    let task = Task::about(system, &properties, &run);
    let Ok(verdicts) = task.check(&mut Pdr(PdrOptions::default())) else { return Ok(None) };
    let refused = |refusal| Complaint::new(Class::Evidence, format!("as a system: {refusal}"));
    let confirm = |(&property, verdict): (&PropertyId, Verdict)| {
        let budget = Budget::default();
        let verdict = confirm_system(system, system, property, verdict, &budget);
        verdict.map(|verdict| answer(&verdict)).map_err(refused)
    };
    properties.iter().zip(verdicts).map(confirm).collect::<Result<_, _>>().map(Some)
}

fn answer<P, T>(verdict: &Verdict<P, T>) -> Answer {
    match verdict {
        Verdict::Safe(_) => Answer::Safe,
        Verdict::Unsafe(_) => Answer::Unsafe,
        Verdict::Unknown(_) => Answer::Unknown,
    }
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

/// The verdicts as far as the checker accepts them. What cannot be checked in time does not
/// count; refused evidence is a bug.
fn confirm(
    program: &Program,
    properties: &[PropertyId],
    verdicts: Vec<ProgramVerdict>,
) -> Result<Vec<Answer>, Complaint> {
    let bug = |message: String| Complaint::new(Class::Evidence, message);
    let verdicts = properties.iter().copied().zip(verdicts).collect();
    let confirmed = confirm_programs(program, verdicts, |properties, proof| {
        proofs::check(program, properties, proof, LIMIT)
    });
    let confirmed = confirmed.map_err(|error| bug(error.to_string()))?;
    let outcome = |verdict: Result<ProgramVerdict, Refused>| {
        verdict.map(|verdict| answer(&verdict)).map_err(|refused| bug(refused.to_string()))
    };
    confirmed.into_iter().map(outcome).collect()
}
