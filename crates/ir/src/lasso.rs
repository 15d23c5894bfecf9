//! Loops of traces: the step that closes one, and loops that close in every state.
//!
//! A [`Trace`] of a liveness property returns only in the states on which the property, the
//! constraints and the fairness constraints depend. Other tools compare all states. The loop is
//! a function of the state in which it starts, so repeating it leads to a state that was at its
//! start before; from there on, every state returns.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::eval::{Evaluator, cone};
use crate::evidence::{Step, Trace};
use crate::expr::ExprId;
use crate::system::{Role, TransitionSystem};
use crate::value::Value;
use crate::values::Values;

/// The largest number of cycles of a repeated loop.
const MAX_CYCLES: usize = 1 << 16;

/// The largest number of nodes that are evaluated to repeat a loop.
const MAX_WORK: usize = 1 << 24;

impl Trace {
    /// The choices of the cycle after the last one, in which the loop starts again. `None` if
    /// there is no loop.
    pub fn return_step(&self, system: &TransitionSystem) -> Option<Step> {
        let start = self.loop_start?;
        let Step { inputs, free } = &self.steps[start];
        let free = match start {
            0 => system.free_states().iter().map(|&state| self.initial[state].clone()).collect(),
            _ => free.clone(),
        };
        Some(Step { inputs: inputs.clone(), free })
    }

    /// The trace with its loop repeated until all states return. `None` if it takes too many
    /// cycles. A trace without a loop stays as it is.
    ///
    /// # Panics
    /// If the trace is not one of the system.
    pub fn with_closed_loop(&self, system: &TransitionSystem) -> Option<Trace> {
        self.with_loop_closed_in(system, &(0..system.states().len()).collect())
    }

    /// The same for some states, on whose values their next values depend and no others.
    ///
    /// # Panics
    /// If the trace is not one of the system, or a next value depends on another state.
    pub fn with_loop_closed_in(
        &self,
        system: &TransitionSystem,
        states: &BTreeSet<usize>,
    ) -> Option<Trace> {
        let (Some(start), Some(back)) = (self.loop_start, self.return_step(system)) else {
            return Some(self.clone());
        };
        let mut part = Part::start(system, states, self);
        let limit = MAX_CYCLES.min(MAX_WORK / part.nodes.max(1)).max(self.steps.len());
        let mut again = self.steps[start..].to_vec();
        again[0] = back.clone();
        self.steps[1..=start].iter().for_each(|step| part.follow(step));
        let mut seen: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
        let mut steps = self.steps.clone();
        // The part is in the first cycle of the last repetition in `steps`.
        loop {
            let at = steps.len() - again.len();
            seen.insert(part.values.clone(), at);
            again[1..].iter().for_each(|step| part.follow(step));
            part.follow(&back);
            if let Some(&first) = seen.get(&part.values) {
                return Some(Trace { steps, loop_start: Some(first), ..self.clone() });
            }
            if steps.len() + again.len() > limit {
                return None;
            }
            steps.extend_from_slice(&again);
        }
    }
}

/// Some states of a system, cycle by cycle.
struct Part<'a> {
    system: &'a TransitionSystem,
    states: Vec<usize>,
    /// By state of the system: its position in `states`.
    places: Vec<Option<usize>>,
    /// By position in `states`: the value in this cycle.
    values: Vec<Value>,
    inputs: Values,
    evaluator: Evaluator<'a>,
    /// How many nodes a step evaluates.
    nodes: usize,
}

impl<'a> Part<'a> {
    fn start(system: &'a TransitionSystem, states: &BTreeSet<usize>, trace: &Trace) -> Self {
        let states: Vec<usize> = states.iter().copied().collect();
        let mut places = vec![None; system.states().len()];
        states.iter().enumerate().for_each(|(place, &state)| places[state] = Some(place));
        let next: Vec<ExprId> =
            states.iter().filter_map(|&state| system.states()[state].next).collect();
        let nodes = cone(system.pool(), next.iter().copied()).len();
        let values = states.iter().map(|&state| trace.initial[state].clone()).collect();
        let inputs = trace.steps[0].inputs.clone();
        let evaluator = Evaluator::new(system.pool(), next);
        Part { system, states, places, values, inputs, evaluator, nodes }
    }

    fn follow(&mut self, step: &Step) {
        let (system, places, values, inputs) =
            (self.system, &self.places, &self.values, &self.inputs);
        self.evaluator.run(|symbol| match system.role_of(symbol).expect("a symbol") {
            Role::Input(index) => inputs[index].clone(),
            Role::State(index) => values[places[index].expect("a state of the part")].clone(),
        });
        let value = |&state: &usize| match system.states()[state].next {
            Some(next) => self.evaluator.value(next),
            None => {
                let position = system.free_states().binary_search(&state);
                step.free[position.expect("a free state")].clone()
            }
        };
        self.values = self.states.iter().map(value).collect();
        self.inputs = step.inputs.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Simulator;
    use crate::expr::Sort;
    use crate::operator::BinaryOp;
    use crate::system::{Property, PropertyId, PropertyKind, SystemBuilder};
    use crate::value::BitVec;

    /// A bit that toggles, a free state, and a counter that counts to `last` and then goes back
    /// to `back`. The property depends on the bit.
    fn model(width: u32, last: u64, back: u64) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        b.state(Sort::BOOL, Some("free")).unwrap();
        let count = b.state(Sort::Bv(width), Some("count")).unwrap();
        b.input(Sort::BOOL, Some("input")).unwrap();
        let [zero, one, last, back] =
            [0, 1, last, back].map(|n| b.pool.constant(BitVec::new(width, n)));
        let more = b.pool.binary(BinaryOp::Add, count, one).unwrap();
        let is_last = b.pool.equal(count, last).unwrap();
        b.states[0].init = Some(b.pool.bool(false));
        b.states[0].next = Some(b.pool.not(bit).unwrap());
        b.states[2].init = Some(zero);
        b.states[2].next = Some(b.pool.ite(is_last, back, more).unwrap());
        b.properties.push(Property::new("p", PropertyKind::Justice(vec![bit])));
        b.finish().unwrap()
    }

    fn bit(value: bool) -> Value {
        BitVec::bool(value).into()
    }

    fn trace(width: u32, start: usize) -> Trace {
        let step = |free: &[bool]| Step {
            inputs: vec![bit(true)].into(),
            free: free.iter().map(|&value| bit(value)).collect(),
        };
        Trace {
            property: PropertyId(0),
            initial: vec![bit(false), bit(true), BitVec::zero(width).into()],
            steps: vec![step(&[]), step(&[false]), step(&[true])][..start + 2].to_vec().into(),
            loop_start: Some(start),
        }
    }

    #[test]
    fn free_states_return() {
        let model = model(4, 15, 0);
        for start in [0, 1] {
            let back = trace(4, start).return_step(&model).unwrap();
            assert_eq!(back.free, [bit(start == 0)]);
        }
        assert_eq!(Trace { loop_start: None, ..trace(4, 0) }.return_step(&model), None);
    }

    /// The counter is even at the start of a loop from cycle 0, odd from cycle 1. It counts to 7
    /// and goes back to 4: four cycles, in which it keeps its parity.
    #[test]
    fn loops_are_repeated_until_all_states_return() {
        let model = model(4, 7, 4);
        for (start, first, length) in [(0, 4, 8), (1, 5, 9)] {
            let closed = trace(4, start).with_closed_loop(&model).unwrap();
            assert_eq!((closed.loop_start, closed.steps.len()), (Some(first), length));
            let mut simulator = Simulator::of_trace(&model, &closed);
            let mut at_first = None;
            for cycle in 1..=length {
                if cycle == first + 1 {
                    at_first = Some(simulator.states().to_vec());
                }
                match closed.steps.get(cycle) {
                    Some(step) => simulator.follow(step),
                    None => simulator.follow(&closed.return_step(&model).unwrap()),
                }
            }
            assert_eq!(at_first.unwrap(), simulator.states());
        }
    }

    #[test]
    fn a_loop_that_closes_stays() {
        let closed = trace(4, 0).with_closed_loop(&model(4, 1, 0)).unwrap();
        assert_eq!(closed, trace(4, 0));
        let finite = Trace { loop_start: None, ..trace(4, 0) };
        assert_eq!(finite.with_closed_loop(&model(4, 1, 0)), Some(finite.clone()));
    }

    #[test]
    fn long_repetitions_are_given_up() {
        assert_eq!(trace(40, 0).with_closed_loop(&model(40, (1 << 40) - 1, 0)), None);
    }
}
