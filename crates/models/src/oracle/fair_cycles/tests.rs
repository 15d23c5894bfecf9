//! The search on systems made by hand.

use elinvar_ir::{BitVec, Property, Simulator, SystemBuilder};

use super::*;

fn justice(builder: &mut SystemBuilder, conditions: &[ExprId]) {
    let name = format!("j{}", builder.properties.len());
    let kind = PropertyKind::Justice(conditions.to_vec());
    builder.properties.push(Property::new(name, kind));
}

/// Which properties fail, after a look at their loops.
fn failing(builder: SystemBuilder) -> Vec<bool> {
    let system = builder.finish().unwrap();
    let outcomes = search_loops(&system, 100_000).unwrap();
    for trace in outcomes.iter().filter_map(|(_, trace)| trace.as_ref()) {
        assert_loops(&system, trace);
    }
    outcomes.iter().map(|(_, trace)| trace.is_some()).collect()
}

fn assert_loops(system: &TransitionSystem, trace: &Trace) {
    let PropertyKind::Justice(own) = &system.property(trace.property).kind else {
        panic!("a liveness property")
    };
    let mut missing: Vec<ExprId> = [system.fairness(), own].concat();
    let start = trace.loop_start.unwrap();
    let mut simulator = Simulator::of_trace(system, trace);
    let mut at_start = Vec::new();
    for (cycle, step) in trace.steps.iter().enumerate() {
        if cycle > 0 {
            simulator.follow(step);
        }
        assert!(simulator.constraints_hold(), "cycle {cycle}");
        if cycle == start {
            at_start = simulator.states().to_vec();
        }
        if cycle >= start {
            missing.retain(|&bit| !simulator.holds(bit));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    simulator.follow(&trace.steps[start]);
    assert_eq!(simulator.states(), at_start);
}

/// A counter of two bits that counts while the input is set, up to its greatest value.
fn counter(builder: &mut SystemBuilder) -> (ExprId, ExprId, [ExprId; 4]) {
    let count = builder.state(Sort::Bv(2), Some("count")).unwrap();
    let go = builder.input(Sort::BOOL, Some("go")).unwrap();
    let pool = &mut builder.pool;
    let at = [0, 1, 2, 3].map(|value| {
        let value = pool.constant(BitVec::new(2, value));
        pool.equal(count, value).unwrap()
    });
    let one = pool.constant(BitVec::new(2, 1));
    let more = pool.binary(elinvar_ir::BinaryOp::Add, count, one).unwrap();
    let below_end = pool.not(at[3]).unwrap();
    let moves = pool.and(go, below_end).unwrap();
    let next = pool.ite(moves, more, count).unwrap();
    let zero = pool.constant(BitVec::new(2, 0));
    builder.states[0].init = Some(zero);
    builder.states[0].next = Some(next);
    (count, go, at)
}

#[test]
fn every_condition_must_hold_in_the_same_component() {
    let mut b = SystemBuilder::new();
    let (_, go, at) = counter(&mut b);
    justice(&mut b, &[]);
    justice(&mut b, &[at[0]]);
    justice(&mut b, &[at[0], at[1]]);
    justice(&mut b, &[at[1], go]);
    let stay = b.pool.not(go).unwrap();
    justice(&mut b, &[at[3], go, stay]);
    assert_eq!(failing(b), [true, true, false, false, true]);
}

#[test]
fn fairness_restricts_all_liveness_properties() {
    let mut b = SystemBuilder::new();
    let (_, go, at) = counter(&mut b);
    b.fairness.push(go);
    b.bad("b", at[2]);
    justice(&mut b, &[]);
    justice(&mut b, &[at[2]]);
    justice(&mut b, &[at[3]]);
    assert_eq!(failing(b), [true, false, true]);
}

#[test]
fn an_edge_out_of_a_component_does_not_count() {
    let mut b = SystemBuilder::new();
    let (_, go, at) = counter(&mut b);
    let leaves = b.pool.and(at[0], go).unwrap();
    justice(&mut b, &[leaves]);
    assert_eq!(failing(b), [false]);
}

#[test]
fn dead_ends_have_no_execution() {
    let mut b = SystemBuilder::new();
    let (_, go, at) = counter(&mut b);
    // The counter must count, and may not stay at its end.
    b.constraints.push(go);
    let below_end = b.pool.not(at[3]).unwrap();
    b.constraints.push(below_end);
    justice(&mut b, &[]);
    assert_eq!(failing(b), [false]);
}

#[test]
fn constraints_hold_inside_loops() {
    let mut b = SystemBuilder::new();
    let (_, go, at) = counter(&mut b);
    let elsewhere = b.pool.not(at[1]).unwrap();
    let leaves = b.pool.or(elsewhere, go).unwrap();
    b.constraints.push(leaves);
    justice(&mut b, &[at[1]]);
    justice(&mut b, &[at[2]]);
    assert_eq!(failing(b), [false, true]);
}

#[test]
fn registers_without_functions_take_any_value() {
    let mut b = SystemBuilder::new();
    let free = b.state(Sort::BOOL, Some("free")).unwrap();
    let kept = b.state(Sort::BOOL, Some("kept")).unwrap();
    b.states[1].next = Some(kept);
    let (not_free, not_kept) = (b.pool.not(free).unwrap(), b.pool.not(kept).unwrap());
    justice(&mut b, &[free, not_free]);
    justice(&mut b, &[kept]);
    justice(&mut b, &[kept, not_kept]);
    assert_eq!(failing(b), [true, true, false]);
}

#[test]
fn initial_values_may_depend_on_the_inputs_of_cycle_zero() {
    let mut b = SystemBuilder::new();
    let kept = b.state(Sort::BOOL, Some("kept")).unwrap();
    let x = b.input(Sort::BOOL, Some("x")).unwrap();
    b.states[0].init = Some(x);
    b.states[0].next = Some(b.pool.and(kept, x).unwrap());
    let (not_kept, not_x) = (b.pool.not(kept).unwrap(), b.pool.not(x).unwrap());
    justice(&mut b, &[kept]);
    justice(&mut b, &[not_kept, x]);
    assert_eq!(failing(b.clone()), [true, true]);
    b.constraints.push(not_x);
    assert_eq!(failing(b), [false, false]);
}

#[test]
fn without_an_initial_step_nothing_fails() {
    let mut b = SystemBuilder::new();
    counter(&mut b);
    let never = b.pool.bool(false);
    b.constraints.push(never);
    justice(&mut b, &[]);
    assert_eq!(failing(b), [false]);
}

#[test]
fn large_systems_are_refused() {
    let mut b = SystemBuilder::new();
    b.state(Sort::Bv(20), None).unwrap();
    justice(&mut b, &[]);
    assert!(matches!(search_loops(&b.finish().unwrap(), 1000), Err(TooLarge)));
}
