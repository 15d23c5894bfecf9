//! Stronger properties that are inductive at once.
//!
//! Most bad states are conjunctions: *the work is done, and here is something
//! wrong*. Leaving out the first part often gives a property that says the same
//! at every moment and is inductive, where the original is not k-inductive for
//! any k that can be reached. Tried are
//!
//! - the bad bit as it is;
//! - without one of its conjuncts;
//! - for a conjunct `a = b`, without it but with `b` in place of `a` in the others:
//!   at the end, what holds up to `a` holds up to `b`.
//!
//! In all of them the inputs that the property mentions are quantified, see
//! [`Formula`]: "no address has a wrong element", not "the address looked at now
//! has none". The memory-clearing function of Figure 1 of the BTOR paper is proved in
//! this way for all bounds.

use elinvar_ir::{
    Attached, BinaryOp, Expr, ExprId, Formula, Pool, Role, TransitionSystem, UnaryOp, substitute,
};
use elinvar_logic::AigLit;
use rustc_hash::FxHashMap;

use crate::engine::EngineError;
use crate::run::Run;
use crate::unroll::{Question, Reply, Start, Unrolling};

/// No more conjuncts than this are looked at.
const MAX_CONJUNCTS: usize = 24;

/// An inductive invariant that excludes the bad bit, if one of the candidates is.
pub(crate) fn strengthen(
    system: &TransitionSystem,
    bad: ExprId,
    engine: &'static str,
    run: &Run,
) -> Result<Option<Formula>, EngineError> {
    let mut pool = system.pool().clone();
    let candidates = candidates(&mut pool, system, bad);
    let symbols: Vec<Role> = (0..system.pool().symbol_count())
        .map(|number| system.role(system.pool().nth_symbol(number)))
        .collect();
    for candidate in candidates {
        let expr = pool.not(candidate).expect("a bit");
        let formula = Formula { pool: pool.clone(), expr, symbols: symbols.clone() };
        let attached = formula.attach(system).expect("symbols of the system itself");
        if is_inductive(&attached, engine, run)? {
            return Ok(Some(formula));
        }
    }
    Ok(None)
}

/// Weaker conditions than `bad`, the most promising first.
fn candidates(pool: &mut Pool, system: &TransitionSystem, bad: ExprId) -> Vec<ExprId> {
    let conjuncts = conjuncts(pool, bad);
    let mut candidates = vec![bad];
    if (2..=MAX_CONJUNCTS).contains(&conjuncts.len()) {
        for dropped in 0..conjuncts.len() {
            let mut rest = conjuncts.clone();
            let equation = rest.remove(dropped);
            if let Some((a, b)) = equality(pool, equation) {
                for (from, to) in [(a, b), (b, a)] {
                    if let Some(Role::State(_)) = system.role_of(from) {
                        let renamed = FxHashMap::from_iter([(from, to)]);
                        let renamed = substitute(pool, &rest, &renamed);
                        candidates.push(pool.conjoin(renamed).expect("bits"));
                    }
                }
            }
            candidates.push(pool.conjoin(rest).expect("bits"));
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    candidates.retain(|&candidate| seen.insert(candidate));
    candidates
}

/// The bits whose conjunction `bit` is.
fn conjuncts(pool: &Pool, bit: ExprId) -> Vec<ExprId> {
    let (mut found, mut stack) = (Vec::new(), vec![bit]);
    while let Some(bit) = stack.pop() {
        match pool.get(bit) {
            Expr::Binary(BinaryOp::And, a, b) if found.len() <= MAX_CONJUNCTS => {
                stack.extend([b, a]);
            }
            _ => found.push(bit),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The sides of an equation between words.
fn equality(pool: &Pool, bit: ExprId) -> Option<(ExprId, ExprId)> {
    match pool.get(bit) {
        Expr::Binary(BinaryOp::Eq, a, b) => Some((a, b)),
        Expr::Unary(UnaryOp::Not, inner) => match pool.get(inner) {
            Expr::Binary(BinaryOp::Xor, a, b) if pool.width(a) == 1 => Some((a, b)),
            _ => None,
        },
        _ => None,
    }
}

fn is_inductive(attached: &Attached, engine: &'static str, run: &Run) -> Result<bool, EngineError> {
    let Attached { system, claim, .. } = attached;
    // SAT?  init ∧ constraints ∧ ¬claim
    if possible(system, *claim, Start::Initial, engine, run)? {
        return Ok(false);
    }
    // SAT?  claim ∧ constraints ∧ T ∧ constraints′ ∧ ¬claim′
    Ok(!possible(system, *claim, Start::Anywhere, engine, run)?)
}

/// Can the claim be violated at the start, or after a step from where it holds?
fn possible(
    system: &TransitionSystem,
    claim: ExprId,
    start: Start,
    engine: &'static str,
    run: &Run,
) -> Result<bool, EngineError> {
    let mut question = Question::new(Unrolling::new(system, &[claim], start)?, engine, run);
    let last = match start {
        Start::Initial => 0,
        Start::Anywhere => {
            let holds = question.unrolling.bit(claim, 0);
            question.assert(&[holds]);
            1
        }
    };
    for frame in 0..=last {
        let constraints = question.unrolling.constraints(frame);
        question.assert(&[constraints]);
    }
    let violated: AigLit = !question.unrolling.bit(claim, last);
    match question.ask("strengthen", &[violated])? {
        Reply::Sat(_) => Ok(true),
        Reply::Unsat(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::PropertyId;
    use elinvar_models::families::memclear;

    #[test]
    fn clearing_memory_is_proved_for_all_bounds() {
        let system = memclear();
        let bad = system.bad(PropertyId(0)).unwrap();
        assert!(strengthen(&system, bad, "test", &Run::new()).ok().flatten().is_some());
    }
}
