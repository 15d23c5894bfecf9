//! Confirming evidence about programs.

use std::fmt;

use elinvar_check::{Budget, ProgramRefusal, SmtSolver, program as judge};
use elinvar_ir::program::{Invariants, Program, ProgramTrace, ProgramVerdict};
use elinvar_ir::{PropertyId, StopReason, Verdict};

use super::{Refused, unconfirmed};
use crate::error::Error;

/// Why evidence was not accepted, with the solver that it comes from if there are several.
#[derive(Debug)]
pub enum Unaccepted {
    Refused {
        refusal: ProgramRefusal,
        solver: Option<String>,
    },
    /// The run goes through a part of the program that is only approximated.
    Approximated(String),
}

impl From<ProgramRefusal> for Unaccepted {
    fn from(refusal: ProgramRefusal) -> Self {
        Unaccepted::Refused { refusal, solver: None }
    }
}

impl fmt::Display for Unaccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unaccepted::Refused { refusal, solver: Some(solver) } => {
                write!(f, "{refusal} (solver: {solver})")
            }
            Unaccepted::Refused { refusal, solver: None } => refusal.fmt(f),
            Unaccepted::Approximated(why) => why.fmt(f),
        }
    }
}

impl Unaccepted {
    /// The message about a missing solver, if that is the reason.
    pub fn missing_solver(&self) -> Option<String> {
        match self {
            Unaccepted::Refused { refusal: refusal @ ProgramRefusal::NoSolver { .. }, .. } => {
                Some(refusal.to_string())
            }
            Unaccepted::Refused { .. } | Unaccepted::Approximated(_) => None,
        }
    }

    /// What becomes of the verdict: it is unknown, unless the evidence is wrong.
    pub fn into_verdict(
        self,
        program: &Program,
        property: PropertyId,
    ) -> Result<ProgramVerdict, Refused> {
        match &self {
            Unaccepted::Approximated(why) => {
                Ok(unconfirmed(format!("a counterexample was found, but {why}")))
            }
            Unaccepted::Refused { refusal, .. } if !refusal.is_wrong() => Ok(unconfirmed(self)),
            Unaccepted::Refused { .. } => Err(Refused {
                what: "evidence",
                property: program.property(property).name.clone(),
                reason: self.to_string(),
            }),
        }
    }
}

/// Replays a run. A run through what is only approximated shows nothing.
pub fn judge_run(
    program: &Program,
    property: PropertyId,
    trace: &ProgramTrace,
) -> Result<(), Unaccepted> {
    if trace.property != property {
        return Err(ProgramRefusal::NoSuchProperty(trace.property).into());
    }
    judge::run(program, trace)?;
    match program.approximation(trace.steps.iter().map(|step| step.edge)) {
        Some(why) => Err(Unaccepted::Approximated(why)),
        None => Ok(()),
    }
}

/// Accepts a proof that all solvers accept.
pub fn judge_proof(
    program: &Program,
    properties: &[PropertyId],
    proof: &Invariants,
    solvers: &[SmtSolver],
    budget: &Budget,
) -> Result<(), Unaccepted> {
    for solver in solvers {
        judge::invariants(program, properties, proof, solver, budget).map_err(|refusal| {
            let solver = (solvers.len() > 1).then(|| solver.command.join(" "));
            Unaccepted::Refused { refusal, solver }
        })?;
    }
    Ok(())
}

/// Confirms the verdicts on several properties, as [`super::confirm_programs`] does. `prove` may
/// also say which solver did not accept.
///
/// # Errors
/// If a solver is missing.
pub fn confirm_all(
    program: &Program,
    verdicts: Vec<(PropertyId, ProgramVerdict)>,
    mut prove: impl FnMut(&[PropertyId], &Invariants) -> Result<(), Unaccepted>,
) -> Result<Vec<Result<ProgramVerdict, Refused>>, Error> {
    let mut outcomes: Vec<Option<Result<StopReason, Refused>>> = vec![None; verdicts.len()];
    for (at, (property, verdict)) in verdicts.iter().enumerate() {
        let (together, judgement) = match verdict {
            Verdict::Unknown(_) => continue,
            Verdict::Unsafe(trace) => (vec![at], judge_run(program, *property, trace)),
            Verdict::Safe(proof) => {
                let is_together = |&other: &usize| is_proved_by(&verdicts[other].1, proof);
                let together: Vec<usize> = (0..verdicts.len()).filter(is_together).collect();
                if together.first() != Some(&at) {
                    continue;
                }
                let properties: Vec<PropertyId> =
                    together.iter().map(|&other| verdicts[other].0).collect();
                let judgement = prove(&properties, proof);
                (together, judgement)
            }
        };
        let Err(unaccepted) = judgement else { continue };
        if let Some(message) = unaccepted.missing_solver() {
            return Err(Error::NoSolver(message));
        }
        let outcome = unaccepted.into_verdict(program, *property);
        let outcome = outcome.map(|verdict| verdict.reason().cloned());
        let outcome = outcome.map(|reason| reason.unwrap_or(StopReason::Cancelled));
        together.into_iter().for_each(|other| outcomes[other] = Some(outcome.clone()));
    }
    let outcome = |((_, verdict), outcome): (_, Option<Result<StopReason, Refused>>)| match outcome
    {
        Some(Ok(reason)) => Ok(Verdict::Unknown(reason)),
        Some(Err(refused)) => Err(refused),
        None => Ok(verdict),
    };
    Ok(verdicts.into_iter().zip(outcomes).map(outcome).collect())
}

/// Is the verdict proved by these very invariants?
fn is_proved_by(verdict: &ProgramVerdict, proof: &Invariants) -> bool {
    match verdict {
        Verdict::Safe(other) => other.is_same(proof),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => false,
    }
}
