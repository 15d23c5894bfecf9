//! Looks for contradictory constraints, which make a proof vacuous.
//!
//! A proof is about the runs whose constraints hold in every cycle. If no run of n + 1
//! cycles satisfies them, the property was proved about the first n cycles only; for
//! n = 0 about nothing. The cycles are encoded one after the other, as for the base case of
//! an induction, but without the bad states:
//!
//! SAT?  I(s₀, x₀) ∧ C₀ ∧ T ∧ … ∧ Cₙ
//!
//! This is not part of accepting evidence. If the budget runs out, nothing is reported.

use elinvar_ir::TransitionSystem;

use crate::encode::{Encoder, Frame};
use crate::refusal::Refusal;
use crate::solver::{Budget, SatAnswer};

/// The first of so many cycles in which no run satisfies the constraints.
pub fn contradiction(system: &TransitionSystem, cycles: usize, budget: &Budget) -> Option<usize> {
    if system.constraints().is_empty() {
        return None;
    }
    search(system, cycles, budget).unwrap_or(None)
}

fn search(
    system: &TransitionSystem,
    cycles: usize,
    budget: &Budget,
) -> Result<Option<usize>, Refusal> {
    let states = system.cone_of_influence(system.constraints().iter().copied());
    let mut encoder = Encoder::new(budget);
    let mut frame = Frame::initial(&mut encoder, system, &states)?;
    for cycle in 0..cycles {
        if cycle > 0 {
            frame = frame.successor(&mut encoder, &states)?;
        }
        frame.constrain(&mut encoder)?;
        if let SatAnswer::Unsat = encoder.solve(&[])? {
            return Ok(Some(cycle));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BinaryOp, BitVec, Sort, SystemBuilder};

    /// A counter from zero that may not reach `limit`, if there is one.
    fn counter(limit: Option<u64>) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(4), Some("count")).unwrap();
        let one = b.pool.constant(BitVec::one(4));
        b.states[0].init = Some(b.pool.constant(BitVec::zero(4)));
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, one).unwrap());
        if let Some(limit) = limit {
            let limit = b.pool.constant(BitVec::new(4, limit));
            b.constraints.push(b.pool.binary(BinaryOp::Ult, count, limit).unwrap());
        }
        b.finish().unwrap()
    }

    #[test]
    fn the_cycle_of_the_contradiction_is_found() {
        let budget = Budget::default();
        assert_eq!(contradiction(&counter(None), 8, &budget), None);
        assert_eq!(contradiction(&counter(Some(0)), 8, &budget), Some(0));
        assert_eq!(contradiction(&counter(Some(3)), 8, &budget), Some(3));
        assert_eq!(contradiction(&counter(Some(3)), 3, &budget), None);
        assert_eq!(contradiction(&counter(Some(12)), 8, &budget), None);
    }

    /// Two constraints on an input that exclude each other, and one that an input meets.
    #[test]
    fn inputs_are_chosen() {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, Some("x")).unwrap();
        b.constraints.push(x);
        let good = b.finish().unwrap();
        assert_eq!(contradiction(&good, 8, &Budget::default()), None);
        let mut b = good.into_builder();
        b.constraints.push(b.pool.not(x).unwrap());
        assert_eq!(contradiction(&b.finish().unwrap(), 8, &Budget::default()), Some(0));
    }

    #[test]
    fn nothing_is_said_without_a_budget() {
        let budget = Budget { max_gates: 0, ..Budget::default() };
        assert_eq!(contradiction(&counter(Some(0)), 8, &budget), None);
    }
}
