//! Confirming evidence: the only way from the claim of an engine to a verdict in a report.
//!
//! Traces are replayed and proofs are checked by `elinvar_check`, on a second reading of
//! the problem in which nothing was rewritten. Evidence that cannot be checked within its
//! budget makes the verdict unknown. Evidence that is refused is a bug of Elinvar.

mod procedures;
mod program;
mod system;
mod unreached;
mod walk;

use elinvar_check::{Budget, ProgramRefusal};
use elinvar_ir::program::{Invariants, Program, ProgramVerdict};
use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};

use crate::error::Error;

pub(crate) use self::procedures::dead_procedures;
pub(crate) use self::program::{confirm_all, judge_proof, judge_run};
pub(crate) use self::system::{confirm as confirm_reading, judge_certificate, relevant_states};
pub(crate) use self::unreached::{Unreached, unreached};

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

/// Checks the evidence of verdicts on properties of a program, as [`confirm_system`] does.
/// Properties that are proved by the same invariants are checked together, once: `prove` is
/// asked whether invariants prove some properties.
///
/// ```
/// use elinvar::ir::PropertyId;
/// use elinvar::ir::program::{Invariants, ProgramVerdict};
/// use elinvar::{Budget, Problem, SmtSolver, confirm_programs};
///
/// let text = "procedure p(x: int) { assert x + 1 > x; }";
/// let Problem::Program(problem) = Problem::parse("p.bpl", text)? else { unreachable!() };
/// let program = problem.original()?;
/// // There is no loop, so that no invariant is needed.
/// let terms = std::sync::Arc::new(program.terms.clone());
/// let proof = ProgramVerdict::Safe(Invariants { terms, at: Default::default() });
/// let (solver, budget) = (SmtSolver::default(), Budget::default());
/// let verdicts = confirm_programs(program, vec![(PropertyId(0), proof)], |properties, proof| {
///     elinvar::check_invariants(program, properties, proof, &solver, &budget)
/// })?;
/// assert!(verdicts[0].as_ref().is_ok_and(|verdict| verdict.is_decided()));
/// # Ok::<(), elinvar::Error>(())
/// ```
///
/// # Errors
/// If a solver is missing.
pub fn confirm_programs(
    program: &Program,
    verdicts: Vec<(PropertyId, ProgramVerdict)>,
    mut prove: impl FnMut(&[PropertyId], &Invariants) -> Result<(), ProgramRefusal>,
) -> Result<Vec<Result<ProgramVerdict, Refused>>, Error> {
    confirm_all(program, verdicts, |properties, proof| Ok(prove(properties, proof)?))
}

/// A verdict that could not be confirmed.
pub(crate) fn unconfirmed<P, T>(reason: impl ToString) -> Verdict<P, T> {
    Verdict::Unknown(StopReason::Unsupported(reason.to_string()))
}
