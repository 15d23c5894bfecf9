//! Two counters of which one is a multiple of the other: easy on words, hard on bits.

use elinvar_ir::{BinaryOp, BitVec, Sort, SystemBuilder, TransitionSystem};

/// Two counters, until the first is 5000; the second goes three times as fast. It is
/// never beyond 15000: y ≤ 15000 and y = 3·x. With bits alone that takes long.
pub fn proportional() -> TransitionSystem {
    let mut b = SystemBuilder::new();
    let [x, y] =
        ["x", "y"].map(|name| b.state(Sort::Bv(16), Some(name)).expect("words of 16 bits"));
    let pool = &mut b.pool;
    let [zero, one, three, end, limit] =
        [0, 1, 3, 5_000, 15_000].map(|value| pool.constant(BitVec::new(16, value)));
    let goes_on = pool.binary(BinaryOp::Ult, x, end).expect("words of 16 bits");
    let next = [(x, one), (y, three)].map(|(word, step)| {
        let sum = pool.binary(BinaryOp::Add, word, step).expect("words of 16 bits");
        pool.ite(goes_on, sum, word).expect("words of 16 bits")
    });
    let bad = pool.binary(BinaryOp::Ult, limit, y).expect("words of 16 bits");
    for (state, next) in b.states.iter_mut().zip(next) {
        (state.init, state.next) = (Some(zero), Some(next));
    }
    b.bad("too large", bad);
    b.finish().expect("a well-formed system")
}
