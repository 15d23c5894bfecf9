//! Counters of one word, which tests use where any small model will do.

use elinvar_ir::{BinaryOp, BitVec, ExprId, Sort, SystemBuilder, TransitionSystem};

/// A register `count` that starts at zero and grows by one in each cycle, modulo a power of two.
pub struct Counter {
    builder: SystemBuilder,
    count: ExprId,
    width: u32,
}

impl Counter {
    /// A counter with this many bits, at least one and at most 64.
    pub fn new(width: u32) -> Self {
        let mut builder = SystemBuilder::new();
        let count = builder.state(Sort::Bv(width), Some("count")).expect("a width");
        builder.states[0].init = Some(builder.pool.constant(BitVec::zero(width)));
        let mut counter = Counter { builder, count, width };
        let one = counter.builder.pool.constant(BitVec::one(width));
        counter.grow_by(one);
        counter
    }

    /// Counts only while the input `enable` is true.
    pub fn enabled(mut self) -> Self {
        let enable = self.builder.input(Sort::BOOL, Some("enable")).expect("a width");
        let step = self.builder.pool.uext(enable, self.width - 1).expect("it fits");
        self.grow_by(step);
        self
    }

    /// The system whose property `p` says that the count is never this value.
    pub fn not(mut self, value: u64) -> TransitionSystem {
        let value = self.builder.pool.constant(BitVec::new(self.width, value));
        let bad = self.builder.pool.equal(self.count, value).expect("the same width");
        self.builder.bad("p", bad);
        self.builder.finish().expect("the register has its next value")
    }

    fn grow_by(&mut self, step: ExprId) {
        let sum = self.builder.pool.binary(BinaryOp::Add, self.count, step);
        self.builder.states[0].next = Some(sum.expect("the same width"));
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::PropertyId;

    use super::*;
    use crate::{Outcome, search};

    #[test]
    fn a_count_is_reached_after_as_many_cycles() {
        for system in [Counter::new(2).not(3), Counter::new(2).enabled().not(3)] {
            assert_eq!(search(&system, 100), Ok(vec![(PropertyId(0), Outcome::Unsafe(3))]));
        }
        assert_eq!(Counter::new(2).enabled().not(3).inputs().len(), 1);
    }
}
