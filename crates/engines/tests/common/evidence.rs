//! Verdicts against the truth.

use elinvar::{Budget, confirm_system};
use elinvar_ir::{PropertyId, Role, StopReason, TransitionSystem, Verdict, cone};
use elinvar_models::Outcome;

/// The verdict is as it must be, and the checker accepts its evidence.
pub fn assert_right(system: &TransitionSystem, truth: (PropertyId, Outcome), verdict: &Verdict) {
    let (property, outcome) = truth;
    match (outcome, verdict) {
        (Outcome::Safe, Verdict::Safe(_)) => {}
        (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) => {
            assert_eq!(trace.property, property);
            assert!(trace.depth() >= depth, "{} steps, at least {depth} needed", trace.depth());
        }
        other => panic!("{property:?}: {other:?}"),
    }
    let confirmed = confirm_system(system, system, property, verdict.clone(), &Budget::default());
    assert_eq!(confirmed.as_ref(), Ok(verdict));
}

/// The engine may give up, and says so, where initial values depend on inputs of the
/// first cycle, or on states without next functions, which are as free as these.
pub fn is_beyond(system: &TransitionSystem, verdict: &Verdict) -> bool {
    let unsupported = matches!(verdict, Verdict::Unknown(StopReason::Unsupported(_)));
    let inits = system.states().iter().filter_map(|state| state.init);
    let mut symbols = cone(system.pool(), inits).into_iter();
    let is_free = |symbol| match system.role_of(symbol) {
        Some(Role::Input(_)) => true,
        Some(Role::State(index)) => system.states()[index].next.is_none(),
        None => false,
    };
    unsupported && symbols.any(is_free)
}
