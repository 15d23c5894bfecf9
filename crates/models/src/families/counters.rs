//! Decimal counters in a chain, each enabled by the carry of the one before.
//!
//! When the input `enable` is set, the first digit counts; a digit at nine that counts
//! becomes zero and enables the next. Bad is a digit above nine.
//!
//! The property is inductive as it stands. As clauses over bits it says of each
//! digit that its highest bit excludes the two in the middle, so the shortest proof
//! by clauses has `2 · digits` of them; but there are `10^digits` reachable states.

use elinvar_ir::{BinaryOp, BitVec, Sort, SortError, SystemBuilder, TransitionSystem};

use super::{SizeError, of_size};

/// The bits of a decimal digit.
const WIDTH: u32 = 4;

/// The chain of counters; safe.
pub fn counters(digits: u32) -> Result<TransitionSystem, SizeError> {
    of_size(digits, 1, build)
}

fn build(digits: u32) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let [zero, one, nine] = [0, 1, 9].map(|value| b.pool.constant(BitVec::new(WIDTH, value)));
    let mut enable = b.input(Sort::BOOL, Some("enable"))?;
    let mut above = Vec::new();
    for index in 0..digits {
        let digit = b.state(Sort::Bv(WIDTH), Some(&format!("digit{index}")))?;
        let last = b.pool.equal(digit, nine)?;
        let sum = b.pool.binary(BinaryOp::Add, digit, one)?;
        let counted = b.pool.ite(last, zero, sum)?;
        let next = b.pool.ite(enable, counted, digit)?;
        let register = b.states.last_mut().expect("just added");
        register.init = Some(zero);
        register.next = Some(next);
        above.push(b.pool.binary(BinaryOp::Ult, nine, digit)?);
        enable = b.pool.and(enable, last)?;
    }
    let bad = b.pool.disjoin(above)?;
    b.bad("above_nine", bad);
    Ok(b.finish().expect("every register has its next value"))
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{Simulator, Value};

    use super::*;

    #[test]
    fn they_count() {
        let system = counters(2).unwrap();
        let bit = |value| Value::from(BitVec::bool(value));
        let every = |_| unreachable!("every register has its values");
        let mut simulator = Simulator::new(&system, every, vec![bit(true)]);
        for cycle in 1..=42 {
            simulator.step(every, vec![bit(cycle != 20)]);
        }
        let digit = |value| Value::from(BitVec::new(WIDTH, value));
        assert_eq!(simulator.states(), [digit(1), digit(4)]);
    }
}
