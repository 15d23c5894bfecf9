//! Initial values that depend on inputs, which btor2tools refuses.

use elinvar_ir::{BitVec, ExprId, Pool, Sort, SystemBuilder, TransitionSystem};

/// By node: does it depend on one of the inputs?
pub(super) fn input_dependent(pool: &Pool, inputs: impl Iterator<Item = ExprId>) -> Vec<bool> {
    let mut dependent = vec![false; pool.len()];
    for input in inputs {
        dependent[input.node()] = true;
    }
    for id in pool.ids() {
        let mut any = dependent[id.node()];
        pool.for_each_operand(id, |operand| any |= dependent[operand.node()]);
        dependent[id.node()] = any;
    }
    dependent
}

/// The system with such initial values replaced by constraints on the first
/// cycle: a register `first` tells it from the others. `None` when there are
/// no such values.
pub(super) fn without_input_dependence(system: &TransitionSystem) -> Option<TransitionSystem> {
    let pool = system.pool();
    let is_constant = |&init: &ExprId| pool.const_value(init).is_some();
    if system.states().iter().filter_map(|state| state.init).all(|init| is_constant(&init)) {
        return None;
    }
    let dependent = input_dependent(pool, system.inputs().iter().map(|input| input.symbol));
    let depends = |init: &ExprId| dependent[init.node()];
    if !system.states().iter().filter_map(|state| state.init).any(|init| depends(&init)) {
        return None;
    }
    let mut builder = system.clone().into_builder();
    let first = first_cycle(&mut builder);
    for number in 0..system.states().len() {
        let state = &mut builder.states[number];
        if let Some(init) = state.init.take_if(|init| depends(init)) {
            let symbol = state.symbol;
            let starts = builder.pool.equal(symbol, init).expect("of one sort");
            let constraint = builder.pool.implies(first, starts).expect("two bits");
            builder.constraints.push(constraint);
        }
    }
    Some(builder.finish().expect("still well-formed"))
}

/// A new register that is one in the first cycle only.
fn first_cycle(builder: &mut SystemBuilder) -> ExprId {
    let first = builder.state(Sort::BOOL, Some("first")).expect("a small sort");
    let (one, zero) = (BitVec::bool(true), BitVec::bool(false));
    let state = builder.states.last_mut().expect("pushed above");
    state.init = Some(builder.pool.constant(one));
    state.next = Some(builder.pool.constant(zero));
    first
}
