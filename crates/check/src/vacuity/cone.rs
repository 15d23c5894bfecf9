//! The part of a system that its constraints depend on, one cycle at a time.
//!
//! The other states do not matter for the question whether a run exists: they have some
//! value whatever the rest does. Values are computed by the reference evaluator, so a run
//! that is found here needs no further check.

use std::collections::BTreeSet;

use elinvar_ir::{Evaluator, ExprId, Role, TransitionSystem, Value, cone, zero_of};

/// The states and inputs that the constraints depend on, in this cycle or a later one.
pub(super) struct Cone<'a> {
    pub system: &'a TransitionSystem,
    /// Numbers of states, ascending.
    pub states: BTreeSet<usize>,
    /// Numbers of inputs, ascending.
    pub inputs: Vec<usize>,
    /// Numbers of the states that have a next value. The others are chosen in every cycle,
    /// like inputs.
    pub registers: Vec<usize>,
    /// The number of nodes that a cycle evaluates.
    pub size: u64,
    /// The cost of computing the initial values.
    pub initial_size: u64,
    /// By number of the state and of the input: its position in a [`Cycle`].
    state_position: Vec<usize>,
    input_position: Vec<usize>,
    step: Evaluator<'a>,
}

/// The values of the inputs and states of a cone in one cycle, in ascending order of their
/// numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cycle {
    pub states: Vec<Value>,
    pub inputs: Vec<Value>,
}

/// A cycle in which a constraint is false; the number is that of the first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Violated(pub usize);

impl<'a> Cone<'a> {
    pub fn new(system: &'a TransitionSystem) -> Self {
        let constraints = || system.constraints().iter().copied();
        let states = system.cone_of_influence(constraints());
        let of_states = || states.iter().map(|&index| system.states()[index]);
        let nexts = || of_states().filter_map(|state| state.next);
        let pool = system.pool();
        let nodes = cone(pool, constraints().chain(nexts()));
        let size = nodes.len() as u64;
        let inits: Vec<ExprId> = of_states().filter_map(|state| state.init).collect();
        let computed = inits.iter().filter(|&&init| !pool.is_const(init)).count() as u64;
        let mut inputs: Vec<usize> = nodes
            .into_iter()
            .chain(cone(pool, inits.iter().copied()))
            .filter_map(|node| match system.role_of(node) {
                Some(Role::Input(index)) => Some(index),
                Some(Role::State(_)) | None => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let step = Evaluator::new(pool, constraints().chain(nexts()));
        let registers =
            states.iter().copied().filter(|&s| system.states()[s].next.is_some()).collect();
        Cone {
            system,
            registers,
            size,
            initial_size: size + computed * (pool.len() as u64 / 8),
            state_position: positions(states.iter().copied(), system.states().len()),
            input_position: positions(inputs.iter().copied(), system.inputs().len()),
            states,
            inputs,
            step,
        }
    }

    /// Is there only one run, so that nothing has to be chosen?
    pub fn is_deterministic(&self) -> bool {
        let defined = |&index: &usize| {
            let state = self.system.states()[index];
            state.init.is_some() && state.next.is_some()
        };
        self.inputs.is_empty() && self.states.iter().all(defined)
    }

    /// The symbols of the states and those of the inputs, as they stand in a [`Cycle`].
    pub fn symbols(&self) -> (Vec<ExprId>, Vec<ExprId>) {
        let states = self.states.iter().map(|&index| self.system.states()[index].symbol);
        let inputs = self.inputs.iter().map(|&index| self.system.inputs()[index].symbol);
        (states.collect(), inputs.collect())
    }

    /// The cycle with a value of its own for each symbol.
    pub fn filled(&self, mut value: impl FnMut(ExprId) -> Value) -> Cycle {
        let (states, inputs) = self.symbols();
        Cycle {
            states: states.into_iter().map(&mut value).collect(),
            inputs: inputs.into_iter().map(&mut value).collect(),
        }
    }

    /// The cycle in which everything is zero.
    pub fn zero(&self) -> Cycle {
        self.filled(|symbol| zero_of(self.system.pool().sort(symbol)))
    }

    /// Cycle zero with these choices: the inputs, and the states without an initial value.
    pub fn first(&mut self, choice: &Cycle) -> Result<Cycle, Violated> {
        let mut cycle = choice.clone();
        let pool = self.system.pool();
        let order = self.system.init_order().iter();
        for &index in order.filter(|&index| self.states.contains(index)) {
            let Some(init) = self.system.states()[index].init else { continue };
            let value = match pool.const_value(init) {
                Some(constant) => constant.into(),
                None => {
                    let mut evaluator = Evaluator::new(pool, [init]);
                    evaluator.run(|symbol| self.value(&cycle, symbol).clone());
                    evaluator.value(init)
                }
            };
            cycle.states[self.state_position[index]] = value;
        }
        self.settle(&cycle)?;
        Ok(cycle)
    }

    /// The cycle with these values of the registers and these choices: the inputs, and the
    /// states without a next value.
    pub fn next(&mut self, registers: &[Value], choice: &Cycle) -> Result<Cycle, Violated> {
        let mut cycle = choice.clone();
        for (&index, value) in self.registers.iter().zip(registers) {
            cycle.states[self.state_position[index]] = value.clone();
        }
        self.settle(&cycle)?;
        Ok(cycle)
    }

    /// Evaluates a cycle, whose constraints must hold.
    pub fn settle(&mut self, cycle: &Cycle) -> Result<(), Violated> {
        let system = self.system;
        let positions = (&self.state_position[..], &self.input_position[..]);
        self.step.run(|symbol| value_in(system, positions, cycle, symbol).clone());
        let violated = system.constraints().iter().position(|&c| !self.step.holds(c));
        violated.map_or(Ok(()), |constraint| Err(Violated(constraint)))
    }

    /// The values of the registers in the cycle after the one that was evaluated last.
    pub fn successor(&self) -> Vec<Value> {
        let next = |&index: &usize| self.system.states()[index].next.expect("it is a register");
        self.registers.iter().map(|index| self.step.value(next(index))).collect()
    }

    /// The values of the registers in a cycle.
    pub fn registers_of(&self, cycle: &Cycle) -> Vec<Value> {
        let value = |&index: &usize| cycle.states[self.state_position[index]].clone();
        self.registers.iter().map(value).collect()
    }

    /// The value of a symbol of the cone in a cycle.
    pub fn value<'c>(&self, cycle: &'c Cycle, symbol: ExprId) -> &'c Value {
        value_in(self.system, (&self.state_position, &self.input_position), cycle, symbol)
    }
}

fn value_in<'c>(
    system: &TransitionSystem,
    (states, inputs): (&[usize], &[usize]),
    cycle: &'c Cycle,
    symbol: ExprId,
) -> &'c Value {
    match system.role_of(symbol).expect("a symbol") {
        Role::State(index) => &cycle.states[states[index]],
        Role::Input(index) => &cycle.inputs[inputs[index]],
    }
}

/// By number: its position among `chosen`, for those that are.
fn positions(chosen: impl Iterator<Item = usize>, count: usize) -> Vec<usize> {
    let mut positions = vec![0; count];
    for (position, index) in chosen.enumerate() {
        positions[index] = position;
    }
    positions
}
