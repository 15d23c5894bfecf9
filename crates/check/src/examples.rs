//! A system for the tests of several modules.

use elinvar_ir::{BinaryOp, BitVec, Sort, SystemBuilder};

/// Counts 0, 1, 2, 0, …; bad at five, which is not reached and two steps from three.
pub(crate) fn modulo_three() -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let count = b.state(Sort::Bv(3), Some("count")).unwrap();
    let [zero, one, two, five] = [0, 1, 2, 5].map(|n| b.pool.constant(BitVec::new(3, n)));
    let incremented = b.pool.binary(BinaryOp::Add, count, one).unwrap();
    let last = b.pool.equal(count, two).unwrap();
    b.states[0].init = Some(zero);
    b.states[0].next = Some(b.pool.ite(last, zero, incremented).unwrap());
    let bad = b.pool.equal(count, five).unwrap();
    b.bad("five", bad);
    b
}
