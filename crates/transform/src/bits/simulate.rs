//! Random simulation of a netlist, 64 runs at a time: one in each bit of a word.
//!
//! A run that violates a constraint gets other inputs a few times. If that does not help, it
//! continues from the state of another run, so that every state is reachable from the states
//! at the start.

use elinvar_ir::Rng;
use elinvar_logic::aig::Gate;
use elinvar_logic::{Aig, AigLit};

use super::netlist::Netlist;

/// How often new inputs are drawn to satisfy the constraints.
const ATTEMPTS: usize = 4;

pub(super) struct Simulation<'a> {
    netlist: &'a Netlist,
    rng: Rng,
    /// By node.
    values: Vec<u64>,
    /// Inputs that are constraints by themselves, as they must be.
    forced: Vec<AigLit>,
}

impl<'a> Simulation<'a> {
    pub fn new(netlist: &'a Netlist, seed: u64) -> Self {
        let (aig, constraints) = (&netlist.aig, &netlist.constraints);
        let mut is_input = vec![false; aig.len()];
        netlist.inputs.iter().for_each(|input| is_input[input.lit.node()] = true);
        let (mut forced, mut stack) = (Vec::new(), constraints.clone());
        let mut seen = vec![false; aig.len()];
        while let Some(lit) = stack.pop() {
            if std::mem::replace(&mut seen[lit.node()], true) {
                continue;
            }
            match aig.gate(lit.node()) {
                Gate::Input if is_input[lit.node()] => forced.push(lit),
                Gate::And(a, b) if !lit.is_complement() => stack.extend([a, b]),
                Gate::Input | Gate::And(..) | Gate::False => {}
            }
        }
        Simulation { netlist, rng: Rng::new(seed), values: vec![0; aig.len()], forced }
    }

    /// The values of a literal in all runs.
    pub fn word(&self, lit: AigLit) -> u64 {
        self.values[lit.node()] ^ spread(lit.is_complement())
    }

    /// Draws initial states, as the initial literals of the registers say.
    pub fn start(&mut self, initial: impl Fn(usize) -> AigLit) {
        self.draw(!0);
        for register in &self.netlist.registers {
            self.values[register.lit.node()] = self.rng.next_u64();
        }
        // Initial values may be gates over initial values: a few rounds settle them.
        for _ in 0..3 {
            settle(&self.netlist.aig, &mut self.values);
            for (number, register) in self.netlist.registers.iter().enumerate() {
                self.values[register.lit.node()] = self.word(initial(number));
            }
        }
    }

    /// Starts all runs in a given valuation of the graph's inputs, or close to it:
    /// in all but the first, some bits are flipped.
    pub fn start_near(&mut self, value: impl Fn(AigLit) -> bool) {
        let inputs = self.netlist.inputs.iter().map(|input| input.lit);
        let lits: Vec<AigLit> =
            inputs.chain(self.netlist.registers.iter().map(|register| register.lit)).collect();
        for lit in lits {
            let flips = self.rng.next_u64() & self.rng.next_u64() & self.rng.next_u64() & !1;
            self.values[lit.node()] = spread(value(lit)) ^ flips;
        }
    }

    /// Starts all runs in the state of a given valuation of the graph's inputs. In all runs
    /// but the first, some inputs are flipped.
    pub fn start_with_inputs_near(&mut self, value: impl Fn(AigLit) -> bool) {
        for register in &self.netlist.registers {
            self.values[register.lit.node()] = spread(value(register.lit));
        }
        for input in &self.netlist.inputs {
            let flips = self.rng.next_u64() & self.rng.next_u64() & !1;
            self.values[input.lit.node()] = spread(value(input.lit)) ^ flips;
        }
    }

    /// Computes the gates in the current state.
    pub fn settle(&mut self) {
        settle(&self.netlist.aig, &mut self.values);
    }

    /// Other literals in place of registers, in the current state.
    pub fn substitute(&mut self, stands_for: impl Fn(usize) -> AigLit) {
        for (number, register) in self.netlist.registers.iter().enumerate() {
            self.values[register.lit.node()] = self.word(stands_for(number));
        }
    }

    /// Goes on by one cycle with the inputs there are; false when no run can.
    pub fn advance(&mut self) -> bool {
        settle(&self.netlist.aig, &mut self.values);
        let mut alive = self.alive();
        for _ in 0..ATTEMPTS {
            if alive == !0 {
                break;
            }
            self.draw(!alive);
            settle(&self.netlist.aig, &mut self.values);
            alive = self.alive();
        }
        if alive == 0 {
            return false;
        }
        // The first run of those that are alive may be the one that matters.
        let source = alive.trailing_zeros();
        let nexts: Vec<u64> = (self.netlist.registers.iter())
            .map(|register| self.word(register.next.expect("a normal netlist")))
            .collect();
        for (register, next) in self.netlist.registers.iter().zip(nexts) {
            let copy = spread(next >> source & 1 == 1);
            self.values[register.lit.node()] = next & alive | copy & !alive;
        }
        self.draw(!0);
        true
    }

    fn alive(&self) -> u64 {
        self.netlist.constraints.iter().fold(!0, |alive, &lit| alive & self.word(lit))
    }

    /// Draws inputs for the runs in the mask.
    fn draw(&mut self, mask: u64) {
        for input in &self.netlist.inputs {
            let value = &mut self.values[input.lit.node()];
            *value = *value & !mask | self.rng.next_u64() & mask;
        }
        for lit in &self.forced {
            self.values[lit.node()] = spread(!lit.is_complement());
        }
    }
}

fn spread(bit: bool) -> u64 {
    if bit { !0 } else { 0 }
}

/// The values of all gates from those of the inputs.
pub(super) fn settle(aig: &Aig, values: &mut [u64]) {
    for node in 0..aig.len() {
        if let Gate::And(a, b) = aig.gate(node) {
            let [a, b] = [a, b].map(|lit| values[lit.node()] ^ spread(lit.is_complement()));
            values[node] = a & b;
        }
    }
}
