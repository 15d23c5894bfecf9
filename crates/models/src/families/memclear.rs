//! The function `memclear`, which sets memory from `start` up to but not
//! including `end` to zero (Figure 1 of the BTOR paper).
//!
//! In the first cycle, when `flag` is still zero, `start` and `end` are taken from
//! the inputs and `p` is set to `start`; afterwards zero is written at `p`, cycle by
//! cycle, until `p` meets `end`. Bad is an index `i`, free in every cycle, between
//! `start` and `end` whose element is not zero when `p` has arrived.
//!
//! Slips of the printed figure, mended here: the constant zero that lines 22
//! and 30 refer to as 6 is printed with the number 5, which is `flag`. Lines 10
//! and 23 compare `flag` with one both as inequality and as equality; that is
//! right, they are the first cycle and all others. Line 31 (`start < end`) is
//! no slip but follows from `start ≤ i < end`; it is kept.
//!
//! Provability. The property holds at every bound, but it is not k-inductive
//! for any k that an unrolling can reach: from a state with `p = end − k` and a
//! non-zero element left of `p`, which is unreachable but good, k further good
//! states lead to a bad one. Simple paths do not help, since `p` makes all of these
//! states different; they end only after up to 2^32 steps. What is inductive is
//! quantified: `flag → ∀j: start ≤ j < p → memory[j] = 0`. A prover without
//! quantifiers gets the same by a register in the place of the input `i`, with any
//! initial value and never changed: then `flag ∧ start ≤ i < p → memory[i] = 0` is
//! inductive, implies the property and needs no quantifier.

use elinvar_ir::{BinaryOp, BitVec, Sort, SortError, SystemBuilder, TransitionSystem};

/// The model of the paper: bytes at addresses of 32 bits.
pub fn memclear() -> TransitionSystem {
    memclear_of(32, 8).expect("both widths are small")
}

/// The model with addresses and elements of any width.
pub fn memclear_of(address: u32, element: u32) -> Result<TransitionSystem, SortError> {
    Ok(build(address, element)?.finish().expect("every register has its next value"))
}

fn build(address: u32, element: u32) -> Result<SystemBuilder, SortError> {
    let mut b = SystemBuilder::new();
    let memory = b.state(Sort::Array { index: address, element }, Some("memory"))?;
    let start = b.state(Sort::Bv(address), Some("start"))?;
    let end = b.state(Sort::Bv(address), Some("end"))?;
    let p = b.state(Sort::Bv(address), Some("p"))?;
    let flag = b.state(Sort::BOOL, Some("flag"))?;
    let start_in = b.input(Sort::Bv(address), Some("start_in"))?;
    let end_in = b.input(Sort::Bv(address), Some("end_in"))?;
    let i = b.input(Sort::Bv(address), Some("i"))?;

    let pool = &mut b.pool;
    let zero = pool.constant(BitVec::zero(element));
    let origin = pool.constant(BitVec::zero(address));
    let one = pool.constant(BitVec::one(address));
    let first = pool.not(flag)?;
    let busy = pool.binary(BinaryOp::Ult, p, end)?;

    let start_next = pool.ite(first, start_in, start)?;
    let end_next = pool.ite(first, end_in, end)?;
    let above = pool.binary(BinaryOp::Add, p, one)?;
    let advanced = pool.ite(busy, above, p)?;
    let p_next = pool.ite(first, start_in, advanced)?;
    let flag_next = pool.bool(true);
    let writing = pool.and(flag, busy)?;
    let written = pool.write(memory, p, zero)?;
    let memory_next = pool.ite(writing, written, memory)?;

    let found = pool.read(memory, i)?;
    let not_zero = pool.redor(found)?;
    let proper = pool.binary(BinaryOp::Ult, start, end)?;
    let from_start = pool.ule(start, i)?;
    let below_end = pool.binary(BinaryOp::Ult, i, end)?;
    let arrived = pool.equal(p, end)?;
    let bad = pool.conjoin([not_zero, proper, from_start, below_end, flag, arrived])?;

    let unset = pool.bool(false);
    let inits = [None, Some(origin), Some(origin), Some(origin), Some(unset)];
    let nexts = [memory_next, start_next, end_next, p_next, flag_next];
    for ((state, init), next) in b.states.iter_mut().zip(inits).zip(nexts) {
        state.init = init;
        state.next = Some(next);
    }
    b.bad("not_cleared", bad);
    Ok(b)
}

#[cfg(test)]
mod tests {
    use crate::{Outcome, search};
    use elinvar_ir::{ArrayValue, PropertyId, Simulator, Value};

    use super::*;

    #[test]
    fn a_small_memory_is_cleared_by_exhaustive_search() {
        let system = memclear_of(2, 1).unwrap();
        assert_eq!(search(&system, 4_000_000), Ok(vec![(PropertyId(0), Outcome::Safe)]));
    }

    #[test]
    fn the_region_is_cleared_and_nothing_else() {
        let system = memclear();
        let word = |value| Value::from(BitVec::new(32, value));
        let inputs = || vec![word(100), word(103), word(0)];
        let full = ArrayValue::constant(32, BitVec::new(8, 0xff));
        let mut simulator = Simulator::new(&system, |_| full.clone().into(), inputs());
        for _ in 0..10 {
            simulator.step(|_| unreachable!("every state has a next value"), inputs());
        }
        let memory = simulator.states()[0].array();
        let cleared: Vec<u64> = memory.entries().filter_map(|(at, _)| at.to_u64()).collect();
        assert_eq!(cleared, [100, 101, 102]);
        assert_eq!(simulator.states()[3], word(103));
    }

    /// The states that keep the property from being k-inductive.
    #[test]
    fn a_good_state_that_k_steps_lead_astray() {
        let mut b = memclear().into_builder();
        let constant = |value| BitVec::new(32, value);
        for (state, value) in [(1, 10), (2, 60), (3, 20)] {
            b.states[state].init = Some(b.pool.constant(constant(value)));
        }
        b.states[4].init = Some(b.pool.bool(true));
        let system = b.finish().unwrap();
        let (_, bad) = system.bads().next().unwrap();
        let inputs = || vec![Value::from(constant(0)), constant(0).into(), constant(15).into()];
        let full = ArrayValue::constant(32, BitVec::new(8, 1));
        let mut simulator = Simulator::new(&system, |_| full.clone().into(), inputs());
        for _ in 20..60 {
            assert!(!simulator.holds(bad));
            simulator.step(|_| unreachable!("every state has a next value"), inputs());
        }
        assert!(simulator.holds(bad));
    }
}
