//! Replays a trace with the reference simulator.
//!
//! A trace leaves nothing open, so there is nothing to solve: its shape is
//! compared with the system, then it is run, and the initial values, the
//! constraints of every cycle and the bad bit of the last one are looked at. A trace of a
//! liveness property has a loop instead: it returns to the state in which the loop starts, and
//! each condition of the property and each fairness constraint holds in some cycle of the loop.
//! States that do not matter in the loop need not return.

use elinvar_ir::{ExprId, PropertyKind, Simulator, Sort, Step, Trace, TransitionSystem, Value};

use crate::refusal::{Refusal, bad_of};
use crate::repetition::Loop;

/// Accepts a trace that the system can take and that ends in a bad state of
/// its property, or in a loop that violates it.
pub fn replay(system: &TransitionSystem, trace: &Trace) -> Result<(), Refusal> {
    if let Some(property) = system.properties().get(trace.property.0)
        && let PropertyKind::Justice(conditions) = &property.kind
    {
        let conditions: Vec<ExprId> = [system.fairness(), conditions].concat();
        return replay_loop(system, trace, &conditions);
    }
    let bad = bad_of(system, trace.property)?;
    if trace.loop_start.is_some() {
        return Err(Refusal::LoopOfSafety);
    }
    check_shape(system, trace)?;
    let roots: Vec<ExprId> = system.constraints().iter().copied().chain([bad]).collect();
    let mut simulator = Simulator::of_roots(system, trace, &roots);
    check_initial(system, trace, &simulator)?;
    check_constraints(system, &simulator, 0)?;
    for (cycle, step) in trace.steps.iter().enumerate().skip(1) {
        simulator.follow(step);
        check_constraints(system, &simulator, cycle)?;
    }
    let cycle = trace.depth();
    if simulator.holds(bad) { Ok(()) } else { Err(Refusal::NotBad { cycle }) }
}

/// Accepts a trace whose loop closes and meets all conditions.
fn replay_loop(
    system: &TransitionSystem,
    trace: &Trace,
    conditions: &[ExprId],
) -> Result<(), Refusal> {
    check_shape(system, trace)?;
    let start = trace.loop_start.ok_or(Refusal::NoLoop)?;
    let last = trace.depth();
    if start > last {
        return Err(Refusal::LoopStart { start, last });
    }
    let mut simulator = Simulator::of_trace(system, trace);
    check_initial(system, trace, &simulator)?;
    let mut at_start = Vec::new();
    let mut unmet: Vec<usize> = (0..conditions.len()).collect();
    for (cycle, step) in trace.steps.iter().enumerate() {
        if cycle > 0 {
            simulator.follow(step);
        }
        check_constraints(system, &simulator, cycle)?;
        if cycle == start {
            at_start = simulator.states().to_vec();
        }
        if cycle >= start {
            unmet.retain(|&condition| !simulator.holds(conditions[condition]));
        }
    }
    if let Some(&condition) = unmet.first() {
        return Err(Refusal::NeverFair { condition });
    }
    let cone = system.cone_of_liveness(trace.property);
    let at_start = &at_start[..];
    let found = Loop { system, trace, start, at_start, conditions, cone: &cone };
    check_closed(&found, simulator)
}

/// The step after the last cycle leads to the state in which the loop starts, as far as the
/// constraints and the conditions depend on it.
fn check_closed(found: &Loop, mut simulator: Simulator) -> Result<(), Refusal> {
    let Loop { system, trace, start, at_start, cone, .. } = *found;
    let free = system.free_states().iter().map(|&state| at_start[state].clone()).collect();
    simulator.follow(&Step { inputs: trace.steps[start].inputs.clone(), free });
    let returns = |&state: &usize| simulator.states()[state] == at_start[state];
    let Some(&open) = cone.iter().find(|&state| !returns(state)) else { return Ok(()) };
    if found.repeats(cone.iter().copied().filter(returns).collect())? {
        return Ok(());
    }
    Err(Refusal::LoopOpen { state: system.state_name(open), start })
}

pub(crate) fn check_shape(system: &TransitionSystem, trace: &Trace) -> Result<(), Refusal> {
    if trace.steps.is_empty() {
        return Err(Refusal::EmptyTrace);
    }
    let (found, expected) = (trace.initial.len(), system.states().len());
    if found != expected {
        return Err(Refusal::InitialCount { found, expected });
    }
    for (index, value) in trace.initial.iter().enumerate() {
        check_state_sort(system, index, 0, value)?;
    }
    for (cycle, step) in trace.steps.iter().enumerate() {
        check_step(system, cycle, step)?;
    }
    Ok(())
}

fn check_step(system: &TransitionSystem, cycle: usize, step: &Step) -> Result<(), Refusal> {
    let (found, expected) = (step.inputs.len(), system.inputs().len());
    if found != expected {
        return Err(Refusal::InputCount { cycle, found, expected });
    }
    let free = if cycle == 0 { &[] } else { system.free_states() };
    let (found, expected) = (step.free.len(), free.len());
    if found != expected {
        return Err(Refusal::FreeCount { cycle, found, expected });
    }
    for (index, value) in step.inputs.iter().enumerate() {
        let sort = system.pool().sort(system.inputs()[index].symbol);
        check_sort(|| system.input_name(index), cycle, value, sort)?;
    }
    for (&index, value) in free.iter().zip(&step.free) {
        check_state_sort(system, index, cycle, value)?;
    }
    Ok(())
}

fn check_state_sort(
    system: &TransitionSystem,
    index: usize,
    cycle: usize,
    value: &Value,
) -> Result<(), Refusal> {
    let sort = system.pool().sort(system.states()[index].symbol);
    check_sort(|| system.state_name(index), cycle, value, sort)
}

fn check_sort(
    symbol: impl Fn() -> String,
    cycle: usize,
    value: &Value,
    expected: Sort,
) -> Result<(), Refusal> {
    let found = match value {
        Value::Bv(value) => Sort::Bv(value.width()),
        Value::Array(value) => {
            Sort::Array { index: value.index_width(), element: value.element_width() }
        }
    };
    if found == expected {
        Ok(())
    } else {
        Err(Refusal::ValueSort { symbol: symbol(), cycle, found, expected })
    }
}

/// The simulator has computed every initial value that the system defines, from
/// those of the trace that it leaves open.
pub(crate) fn check_initial(
    system: &TransitionSystem,
    trace: &Trace,
    simulator: &Simulator,
) -> Result<(), Refusal> {
    let defined = simulator.states().iter().zip(&trace.initial);
    match defined.enumerate().find(|(_, (defined, given))| defined != given) {
        Some((index, _)) => Err(Refusal::InitialValue { state: system.state_name(index) }),
        None => Ok(()),
    }
}

pub(crate) fn check_constraints(
    system: &TransitionSystem,
    simulator: &Simulator,
    cycle: usize,
) -> Result<(), Refusal> {
    match system.constraints().iter().position(|&c| !simulator.holds(c)) {
        Some(constraint) => Err(Refusal::Constraint { constraint, cycle }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{
        ArrayValue, BinaryOp, BitVec, PropertyId, PropertyKind, SystemBuilder, Values,
    };

    /// A counter that starts at an input plus another register, steps by an
    /// input that may not be zero, and is bad at seven; a free state; a memory.
    fn model() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let start = b.state(Sort::Bv(4), Some("start")).unwrap();
        let count = b.state(Sort::Bv(4), Some("count")).unwrap();
        b.state(Sort::Bv(2), Some("free")).unwrap();
        b.state(Sort::Array { index: 1, element: 1 }, Some("memory")).unwrap();
        let by = b.input(Sort::Bv(4), Some("by")).unwrap();
        b.states[0].next = Some(start);
        b.states[1].init = Some(b.pool.binary(BinaryOp::Add, start, by).unwrap());
        b.states[1].next = Some(b.pool.binary(BinaryOp::Add, count, by).unwrap());
        let bit = b.pool.bool(false);
        b.states[3].init = Some(b.pool.const_array(1, bit).unwrap());
        b.constraints.push(b.pool.redor(by).unwrap());
        let seven = b.pool.constant(BitVec::new(4, 7));
        let bad = b.pool.equal(count, seven).unwrap();
        b.bad("seven", bad);
        let conditions = PropertyKind::Justice(vec![bad]);
        b.properties.push(elinvar_ir::Property::new("live", conditions));
        b.finish().unwrap()
    }

    /// With start = 1 and by = 2, 2, 1 the count is 3, 5, 7.
    fn trace() -> Trace {
        let mut memory = ArrayValue::constant(1, BitVec::new(1, 1));
        memory.write(BitVec::new(1, 0), BitVec::new(1, 0));
        memory.write(BitVec::new(1, 1), BitVec::new(1, 0));
        let step = |by, free| Step { inputs: vec![bv(4, by)].into(), free };
        let free = || vec![bv(2, 3), Value::from(ArrayValue::constant(1, BitVec::new(1, 1)))];
        Trace {
            property: PropertyId(0),
            initial: vec![bv(4, 1), bv(4, 3), bv(2, 2), memory.into()],
            steps: vec![step(2, vec![]), step(2, free()), step(1, free())].into(),
            loop_start: None,
        }
    }

    #[test]
    fn a_good_trace_is_accepted() {
        assert_eq!(replay(&model(), &trace()), Ok(()));
    }

    #[test]
    fn every_corruption_is_refused() {
        let model = model();
        let refused = |corrupt: &dyn Fn(&mut Trace)| {
            let mut trace = trace();
            corrupt(&mut trace);
            replay(&model, &trace).unwrap_err()
        };
        assert_eq!(
            refused(&|t| t.property = PropertyId(2)),
            Refusal::NoSuchProperty(PropertyId(2))
        );
        assert_eq!(refused(&|t| t.property = PropertyId(1)), Refusal::NoLoop);
        assert_eq!(refused(&|t| t.steps.clear()), Refusal::EmptyTrace);
        assert_eq!(
            refused(&|t| drop(t.initial.pop())),
            Refusal::InitialCount { found: 3, expected: 4 }
        );
        assert_eq!(
            refused(&|t| t.steps[1].inputs = Values::default()),
            Refusal::InputCount { cycle: 1, found: 0, expected: 1 }
        );
        assert_eq!(
            refused(&|t| drop(t.steps[2].free.pop())),
            Refusal::FreeCount { cycle: 2, found: 1, expected: 2 }
        );
        assert_eq!(
            refused(&|t| t.steps[0].free.push(bv(2, 0))),
            Refusal::FreeCount { cycle: 0, found: 1, expected: 0 }
        );
        let sort = |symbol: &str, cycle, found, expected| Refusal::ValueSort {
            symbol: symbol.into(),
            cycle,
            found,
            expected,
        };
        assert_eq!(
            refused(&|t| t.initial[0] = bv(3, 1)),
            sort("start", 0, Sort::Bv(3), Sort::Bv(4))
        );
        assert_eq!(
            refused(&|t| t.steps[1].inputs.set(0, bv(5, 1))),
            sort("by", 1, Sort::Bv(5), Sort::Bv(4))
        );
        assert_eq!(
            refused(&|t| t.steps[1].inputs.set(0, bv(1, 1))),
            sort("by", 1, Sort::Bv(1), Sort::Bv(4))
        );
        assert_eq!(
            refused(&|t| t.steps[1].free[1] = bv(1, 1)),
            sort("memory", 1, Sort::Bv(1), Sort::Array { index: 1, element: 1 })
        );
        let initial = |state: &str| Refusal::InitialValue { state: state.into() };
        assert_eq!(refused(&|t| t.initial[0] = bv(4, 2)), initial("count"));
        assert_eq!(refused(&|t| t.initial[1] = bv(4, 2)), initial("count"));
        assert_eq!(
            refused(&|t| t.initial[3] = ArrayValue::constant(1, BitVec::new(1, 1)).into()),
            initial("memory")
        );
        assert_eq!(
            refused(&|t| t.steps[1].inputs.set(0, bv(4, 0))),
            Refusal::Constraint { constraint: 0, cycle: 1 }
        );
        assert_eq!(
            refused(&|t| t.steps[2].inputs.set(0, bv(4, 0))),
            Refusal::Constraint { constraint: 0, cycle: 2 }
        );
        assert_eq!(refused(&|t| t.steps[1].inputs.set(0, bv(4, 1))), Refusal::NotBad { cycle: 2 });
        assert_eq!(refused(&|t| drop(t.steps.pop())), Refusal::NotBad { cycle: 1 });
    }

    fn bv(width: u32, value: u64) -> Value {
        BitVec::new(width, value).into()
    }

    /// A counter modulo three that an input lets go on, a free state that must not be three, a
    /// register outside the cone, and the property that the counter is not at zero infinitely
    /// often while the input, which is fair, is set.
    fn ring() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let go = b.input(Sort::BOOL, Some("go")).unwrap();
        let count = b.state(Sort::Bv(2), Some("count")).unwrap();
        let free = b.state(Sort::Bv(2), Some("free")).unwrap();
        let outside = b.state(Sort::Bv(2), Some("outside")).unwrap();
        let [zero, one, two, three] = [0, 1, 2, 3].map(|n| b.pool.constant(BitVec::new(2, n)));
        let at_end = b.pool.equal(count, two).unwrap();
        let more = b.pool.binary(BinaryOp::Add, count, one).unwrap();
        let following = b.pool.ite(at_end, zero, more).unwrap();
        b.states[0].init = Some(zero);
        b.states[0].next = Some(b.pool.ite(go, following, count).unwrap());
        b.states[2].init = Some(zero);
        b.states[2].next = Some(b.pool.binary(BinaryOp::Add, outside, one).unwrap());
        let forbidden = b.pool.equal(free, three).unwrap();
        b.constraints.push(b.pool.not(forbidden).unwrap());
        b.fairness.push(go);
        let start = b.pool.equal(count, zero).unwrap();
        let kind = PropertyKind::Justice(vec![start]);
        b.properties.push(elinvar_ir::Property::new("leaves", kind));
        b.bad("safe", at_end);
        b.finish().unwrap()
    }

    /// Waits, goes around once, and is back in cycle one.
    fn around() -> Trace {
        let step = |go: u64, free: Option<u64>| Step {
            inputs: vec![bv(1, go)].into(),
            free: free.map(|value| bv(2, value)).into_iter().collect(),
        };
        Trace {
            property: PropertyId(0),
            initial: vec![bv(2, 0), bv(2, 2), bv(2, 0)],
            steps: vec![step(0, None), step(1, Some(1)), step(1, Some(2)), step(1, Some(0))].into(),
            loop_start: Some(1),
        }
    }

    #[test]
    fn a_loop_is_accepted_and_corruptions_are_refused() {
        let model = ring();
        assert_eq!(replay(&model, &around()), Ok(()));
        let refused = |change: &dyn Fn(&mut Trace)| {
            let mut trace = around();
            change(&mut trace);
            replay(&model, &trace).unwrap_err()
        };
        assert_eq!(refused(&|t| t.loop_start = None), Refusal::NoLoop);
        assert_eq!(refused(&|t| t.loop_start = Some(4)), Refusal::LoopStart { start: 4, last: 3 });
        assert_eq!(refused(&|t| t.loop_start = Some(3)), Refusal::NeverFair { condition: 1 });
        let open = |start| Refusal::LoopOpen { state: "count".into(), start };
        assert_eq!(
            refused(&|t| {
                t.steps.pop();
            }),
            open(1)
        );
        assert_eq!(
            refused(&|t| t.steps[1..].iter_mut().for_each(|step| step.inputs.set(0, bv(1, 0)))),
            Refusal::NeverFair { condition: 0 }
        );
        assert_eq!(
            refused(&|t| t.steps[2].free[0] = bv(2, 3)),
            Refusal::Constraint { constraint: 0, cycle: 2 }
        );
        assert_eq!(
            refused(&|t| t.initial[0] = bv(2, 1)),
            Refusal::InitialValue { state: "count".into() }
        );
        assert_eq!(refused(&|t| t.property = PropertyId(1)), Refusal::LoopOfSafety);
        // The state of cycle zero is the one of cycle one, except outside the cone.
        let mut longer = around();
        longer.loop_start = Some(0);
        assert_eq!(replay(&model, &longer), Ok(()));
    }
}
