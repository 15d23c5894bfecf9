//! The constraints that contradict each other.

use super::cone::Cone;
use super::unroll::{Purse, Start, Unrolling};
use crate::refusal::Refusal;
use crate::solver::{Lit, SatAnswer};

/// Some constraints that no run satisfies up to a cycle.
pub(super) struct Core {
    /// Numbers of constraints, ascending.
    pub constraints: Vec<usize>,
    /// Is there a run that satisfies all but one of them, whichever one is left out?
    pub minimal: bool,
}

/// The constraints that have no run together up to this cycle, where all constraints have
/// none. The set that the solver needed is made smaller until every constraint is needed.
///
/// SAT?  I(s₀, x₀) ∧ T ∧ … ∧ (a꜀ ⇒ c in every cycle up to this one) ∧ a꜀ for all c of a set
pub(super) fn core(cone: &Cone<'_>, cycle: usize, purse: &Purse) -> Core {
    let mut set: Vec<usize> = (0..cone.system.constraints().len()).collect();
    let mut unrolling = Unrolling::new(cone, purse);
    let minimized = minimize(&mut unrolling, cycle, &mut set);
    Core { minimal: minimized.is_ok(), constraints: set }
}

/// Makes `set` smaller. If the budget runs out, what is left is still contradictory.
fn minimize(
    unrolling: &mut Unrolling<'_, '_>,
    cycle: usize,
    set: &mut Vec<usize>,
) -> Result<(), Refusal> {
    let switches: Vec<Lit> = set.iter().map(|_| unrolling.encoder.free_literal()).collect();
    for _ in 0..=cycle {
        unrolling.grow(Start::Initial)?;
        let frame = unrolling.frames.last_mut().expect("a frame was added");
        let constraints = frame.constraints(&mut unrolling.encoder)?;
        for (&switch, constraint) in switches.iter().zip(constraints) {
            unrolling.encoder.assert_any([!switch, constraint]);
        }
    }
    let encoder = &mut unrolling.encoder;
    let mut contradictory = |subset: &[usize]| -> Result<Option<Vec<usize>>, Refusal> {
        let assumptions: Vec<Lit> = subset.iter().map(|&index| switches[index]).collect();
        if let SatAnswer::Sat(_) = encoder.solve(&assumptions)? {
            return Ok(None);
        }
        let needed = subset.iter().copied().filter(|&index| encoder.failed(switches[index]));
        Ok(Some(needed.collect()))
    };
    *set = contradictory(set)?.ok_or(Refusal::OutOfBudget)?;
    // Those before `needed` are in every contradictory subset of the set.
    let mut needed = 0;
    while needed < set.len() {
        let mut without = set.clone();
        without.remove(needed);
        match contradictory(&without)? {
            Some(smaller) => *set = smaller,
            None => needed += 1,
        }
    }
    Ok(())
}
