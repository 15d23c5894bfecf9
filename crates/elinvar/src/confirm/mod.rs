//! Confirming evidence: the only way from the claim of an engine to a verdict in a report.
//!
//! Traces are replayed and proofs are checked by `elinvar_check`, on a second reading of
//! the problem in which nothing was rewritten. Evidence that cannot be checked within its
//! budget makes the verdict unknown. Evidence that is refused is a bug of Elinvar.

mod program;
mod system;
mod vacuity;

use elinvar_check::{Budget, SmtSolver};
use elinvar_ir::program::{Program, ProgramVerdict};
use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};

pub(crate) use self::program::{confirm_all, judge_proof, judge_run};
pub(crate) use self::system::{confirm as confirm_reading, judge_certificate, relevant_states};
pub(crate) use self::vacuity::{contradiction, dead_procedures};

/// The checker refused evidence of an engine, which is a bug.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the checker refused the {what} for property {property}: {reason}")]
pub struct Refused {
    /// `proof` or `counterexample`.
    pub what: &'static str,
    /// The name of the property.
    pub property: String,
    /// Why it was refused.
    pub reason: String,
}

/// Checks the evidence of a verdict on a transition system. The verdict is returned as it
/// is if its evidence is accepted, and as unknown if the budget is too small.
///
/// `original` is the system as it was written, without rewriting; it may be `system`
/// itself.
///
/// ```
/// use elinvar::ir::{Certificate, PropertyId, SystemBuilder, Verdict};
/// use elinvar::{Budget, confirm_system};
///
/// let mut b = SystemBuilder::new();
/// let never = b.pool.bool(false);
/// b.bad("never", never);
/// let system = b.finish().unwrap();
/// let proof = Verdict::Safe(Certificate::Inductive { clauses: vec![] });
/// let verdict = confirm_system(&system, &system, PropertyId(0), proof, &Budget::default());
/// assert!(verdict.unwrap().is_decided());
/// ```
pub fn confirm_system(
    system: &TransitionSystem,
    original: &TransitionSystem,
    property: PropertyId,
    verdict: Verdict,
    budget: &Budget,
) -> Result<Verdict, Refused> {
    system::confirm(system, Ok(original), property, verdict, budget, || None)
}

/// Checks the evidence of a verdict on a program, as [`confirm_system`] does. All of the
/// solvers must accept a proof.
///
/// ```no_run
/// # use elinvar::ir::program::{Program, ProgramVerdict};
/// # use elinvar::{Budget, SmtSolver, confirm_program};
/// # fn example(program: &Program, verdict: ProgramVerdict) -> Result<(), Box<dyn std::error::Error>> {
/// let property = elinvar::ir::PropertyId(0);
/// let solvers = [SmtSolver::default()];
/// let verdict = confirm_program(program, property, verdict, &solvers, &Budget::default())?;
/// # Ok(())
/// # }
/// ```
pub fn confirm_program(
    program: &Program,
    property: PropertyId,
    verdict: ProgramVerdict,
    solvers: &[SmtSolver],
    budget: &Budget,
) -> Result<ProgramVerdict, Refused> {
    let judgement = match &verdict {
        Verdict::Unknown(_) => return Ok(verdict),
        Verdict::Unsafe(trace) => judge_run(program, property, trace),
        Verdict::Safe(proof) => judge_proof(program, &[property], proof, solvers, budget),
    };
    match judgement {
        Ok(()) => Ok(verdict),
        Err(judgement) => judgement.into_verdict(program, property),
    }
}

/// A verdict that could not be confirmed.
pub(crate) fn unconfirmed<P, T>(reason: impl ToString) -> Verdict<P, T> {
    Verdict::Unknown(StopReason::Unsupported(reason.to_string()))
}
