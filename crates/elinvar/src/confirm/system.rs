//! Confirming evidence about transition systems.

use std::collections::BTreeSet;

use elinvar_check::{Budget, Refusal};
use elinvar_ir::{Certificate, PropertyId, StopReason, Trace, TransitionSystem, Verdict};

use super::{Refused, unconfirmed};

/// Judges a verdict about `system` against `original`, the same system as it was written.
/// If the budget is too small, the verdict is unknown, for the reason that the run was
/// `stopped` for if it was.
pub fn confirm(
    system: &TransitionSystem,
    original: Result<&TransitionSystem, &str>,
    property: PropertyId,
    verdict: Verdict,
    budget: &Budget,
    stopped: impl FnOnce() -> Option<StopReason>,
) -> Result<Verdict, Refused> {
    let mut is_long = false;
    let verdict = match (verdict, original) {
        (Verdict::Unsafe(trace), Ok(original)) if trace.loop_start.is_some() => {
            let closed = closed(original, &trace);
            is_long = closed.is_none();
            Verdict::Unsafe(closed.unwrap_or(trace))
        }
        (verdict, _) => verdict,
    };
    let (judged, what) = match (&verdict, original) {
        (Verdict::Unknown(_), _) => return Ok(verdict),
        (_, Err(why)) => {
            let reason = format!("the model cannot be read again to check the evidence: {why}");
            return Ok(unconfirmed(reason));
        }
        (Verdict::Safe(proof), Ok(original)) => {
            (judge_proof(system, original, property, proof, budget), "proof")
        }
        (Verdict::Unsafe(trace), _) if trace.property != property => {
            (Err(Refusal::NoSuchProperty(trace.property)), "counterexample")
        }
        (Verdict::Unsafe(trace), Ok(original)) => {
            (elinvar_check::replay(original, trace), "counterexample")
        }
    };
    match judged {
        Ok(()) => Ok(verdict),
        Err(Refusal::OutOfBudget) => Ok(match stopped() {
            Some(reason) => Verdict::Unknown(reason),
            None => unconfirmed(format!("a {what} was found that is too large to be checked")),
        }),
        Err(Refusal::LoopOpen { .. }) if is_long => {
            let reason = "a loop was found in which some registers return only after too many \
                          repetitions to be checked";
            Ok(unconfirmed(reason.to_owned()))
        }
        Err(refusal) => {
            let property = system.property(property).name.clone();
            Err(Refused { what, property, reason: refusal.to_string() })
        }
    }
}

/// The trace with a loop that closes in the system as it was written: rewriting may have left
/// out registers that need more repetitions to return. `None` if they need too many.
fn closed(original: &TransitionSystem, trace: &Trace) -> Option<Trace> {
    if trace.property.0 >= original.properties().len() {
        return Some(trace.clone());
    }
    let cone = original.cone_of_liveness(trace.property);
    trace.with_loop_closed_in(original, &cone)
}

/// Judges a proof about `system` against another reading of the same system.
fn judge_proof(
    system: &TransitionSystem,
    original: &TransitionSystem,
    property: PropertyId,
    proof: &Certificate,
    budget: &Budget,
) -> Result<(), Refusal> {
    let proof = proof.transfer(system, original).ok_or(Refusal::OtherStates)?;
    let relevant = || Some(relevant_states(system, property));
    judge_certificate(original, property, &proof, relevant, budget)
}

/// Judges a certificate. Simple paths are shorter if fewer states count, and a rewrite may
/// have shown that the property does not depend on some states: `relevant` are the states
/// that may be left, which the checker does not take for granted.
pub fn judge_certificate(
    system: &TransitionSystem,
    property: PropertyId,
    proof: &Certificate,
    relevant: impl FnOnce() -> Option<BTreeSet<usize>>,
    budget: &Budget,
) -> Result<(), Refusal> {
    let judged = elinvar_check::certificate(system, property, proof, budget);
    match (judged, proof) {
        (
            Err(refusal @ Refusal::StepCase { .. }),
            Certificate::KInductive { simple_path: true, .. },
        ) => {
            let states = relevant().ok_or(refusal)?;
            elinvar_check::certificate_over(system, property, proof, &states, budget)
        }
        (judged, _) => judged,
    }
}

/// The states that a property and the constraints depend on.
pub fn relevant_states(system: &TransitionSystem, property: PropertyId) -> BTreeSet<usize> {
    let roots = system.constraints().iter().copied().chain(system.bad(property));
    system.cone_of_influence(roots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BitVec, StateBit, Step};
    use elinvar_models::Counter;

    fn trace(cycles: usize) -> Verdict {
        let initial = vec![BitVec::zero(2).into()];
        let steps = vec![Step::default(); cycles];
        Verdict::Unsafe(Trace {
            property: PropertyId(0),
            initial,
            steps: steps.into(),
            loop_start: None,
        })
    }

    #[test]
    fn false_claims_of_engines_are_bugs() {
        let system = Counter::new(2).not(3);
        let confirm = |verdict| {
            confirm(&system, Ok(&system), PropertyId(0), verdict, &Budget::default(), || None)
        };
        assert_eq!(confirm(trace(4)).unwrap(), trace(4));
        let refused = confirm(trace(3)).unwrap_err();
        let message = refused.to_string();
        assert!(message.contains("counterexample for property p"));
        let proof = Certificate::KInductive { k: 1, simple_path: true };
        assert!(confirm(Verdict::Safe(proof)).is_err());
    }

    #[test]
    fn a_loop_that_closes_too_late_is_not_confirmed() {
        let looping = |width: u32| {
            let mut b = Counter::new(width).not(0).into_builder();
            let start = b.pool.not(b.states[0].symbol.regular()).unwrap();
            let start = b.pool.unary(elinvar_ir::UnaryOp::RedAnd, start).unwrap();
            b.properties[0].kind = elinvar_ir::PropertyKind::Justice(vec![start]);
            let system = b.finish().unwrap();
            let initial = vec![BitVec::zero(width).into()];
            let steps = vec![Step::default()];
            let trace = Trace {
                property: PropertyId(0),
                initial,
                steps: steps.into(),
                loop_start: Some(0),
            };
            let verdict = Verdict::Unsafe(trace);
            confirm(&system, Ok(&system), PropertyId(0), verdict, &Budget::default(), || None)
        };
        let Ok(Verdict::Unsafe(trace)) = looping(2) else { panic!("it has four cycles") };
        assert_eq!((trace.steps.len(), trace.loop_start), (4, Some(0)));
        let Ok(Verdict::Unknown(reason)) = looping(40) else { panic!("it is too long") };
        assert!(reason.to_string().contains("too many repetitions"), "{reason}");
    }

    /// What a wrong rewrite does: the engine gets another system than the user wrote.
    #[test]
    fn evidence_about_another_reading_of_the_model_is_refused() {
        let written = Counter::new(2).not(3);
        let mut b = Counter::new(2).not(3).into_builder();
        b.states[0].next = Some(b.states[0].symbol);
        let misread = b.finish().unwrap();
        let judge = |system, original, verdict| {
            confirm(system, original, PropertyId(0), verdict, &Budget::default(), || None)
        };
        let word = misread.states()[0].symbol;
        let zero = |bit| vec![StateBit { state: word, bit, positive: false }];
        let proof = Verdict::Safe(Certificate::Inductive { clauses: vec![zero(0), zero(1)] });
        assert_eq!(judge(&misread, Ok(&misread), proof.clone()).unwrap(), proof);
        assert!(judge(&misread, Ok(&written), proof).is_err());
        assert_eq!(judge(&written, Ok(&written), trace(4)).unwrap(), trace(4));
        assert!(judge(&written, Ok(&misread), trace(4)).is_err());
        let unread = judge(&written, Err("no"), trace(4)).unwrap();
        assert!(matches!(unread, Verdict::Unknown(StopReason::Unsupported(_))));
    }

    #[test]
    fn evidence_that_cannot_be_checked_is_none() {
        let system = Counter::new(2).not(3);
        let proof = Verdict::Safe(Certificate::KInductive { k: 9, simple_path: false });
        let budget = Budget { max_gates: 1, ..Budget::default() };
        let verdict =
            confirm(&system, Ok(&system), PropertyId(0), proof, &budget, || None).unwrap();
        assert!(matches!(verdict, Verdict::Unknown(StopReason::Unsupported(_))));
    }
}
