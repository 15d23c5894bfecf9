//! Runs of systems side by side.

use elinvar_formats::basm::{self, Memory, REGISTERS, simulate};
use elinvar_ir::{BitVec, ExprId, Rng, Simulator, Sort, TransitionSystem, Value};

/// Whether both systems have the same states and bad states in a random run.
pub fn same_runs(one: &TransitionSystem, other: &TransitionSystem, seed: u64) -> bool {
    let mut rng = Rng::new(seed);
    if (states(one), inputs(one)) != (states(other), inputs(other)) {
        return false;
    }
    let mut values = |sorts: Vec<Sort>| -> Vec<Value> {
        sorts.into_iter().map(|sort| rng.uneven_value(sort)).collect()
    };
    let (initial, first) = (values(states(one)), values(inputs(one)));
    let start = |system| Simulator::new(system, |state| initial[state].clone(), first.clone());
    let (mut a, mut b) = (start(one), start(other));
    (0..4).all(|_| {
        let bads = one.bads().zip(other.bads());
        let same = a.states() == b.states()
            && bads.into_iter().all(|((_, x), (_, y))| a.holds(x) == b.holds(y));
        let (free, inputs) = (values(states(one)), values(inputs(one)));
        a.step(|state| free[state].clone(), inputs.clone());
        b.step(|state| free[state].clone(), inputs);
        same
    })
}

fn sorts(system: &TransitionSystem, symbols: impl Iterator<Item = ExprId>) -> Vec<Sort> {
    symbols.map(|symbol| system.pool().sort(symbol)).collect()
}

fn states(system: &TransitionSystem) -> Vec<Sort> {
    sorts(system, system.states().iter().map(|state| state.symbol))
}

fn inputs(system: &TransitionSystem) -> Vec<Sort> {
    sorts(system, system.inputs().iter().map(|input| input.symbol))
}

/// Checks that the translation of a program takes the same steps as the simulator, from zeros.
pub fn same_as_simulated(program: &basm::Program) {
    const STEPS: u64 = 20;
    let outcome = simulate(program, STEPS, [0; REGISTERS], Memory::default());
    let system = basm::translate(program);
    let zero = |state: usize| elinvar_ir::zero_of(states(&system)[state]);
    let mut cycles = Simulator::new(&system, zero, vec![]);
    for _ in 0..outcome.steps {
        cycles.step(|_| unreachable!("every state has a next value"), vec![]);
    }
    let machine = &outcome.machine;
    let word = |value: u32| Value::from(BitVec::new(32, value.into()));
    let flag = Value::from(BitVec::new(1, machine.flag.into()));
    assert_eq!(cycles.states()[..3], [word(machine.pc), word(machine.accu), flag], "{program}");
}
