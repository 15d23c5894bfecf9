//! Internal signals: gates that depend on registers alone, as further atoms of lemmas
//! [Dureja, Gurfinkel, Ivrii, Vizel: IC3 with Internal Signals, FMCAD 2021].
//!
//! A signal is numbered like a register, after all of them. Unlike a register it has a
//! definition: clauses over the registers and the signals before it. Its next value is the
//! same gate over the next values of the registers.

use elinvar_logic::{Aig, AigLit};
use elinvar_sat::{Lit, Var};
use elinvar_transform::BitSystem;

use super::transition::{Clauses, Init, owner};

/// How the signals of a transition relation are computed from the registers.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    /// Conjunctions, in topological order. Node 0 is true, the registers follow, then these.
    gates: Vec<[Lit; 2]>,
    /// By signal: its node.
    nodes: Vec<u32>,
    registers: usize,
}

impl Signals {
    /// No signals beside so many registers.
    pub fn none(registers: usize) -> Self {
        Signals { gates: Vec::new(), nodes: Vec::new(), registers }
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The values of all signals, to `set`, in a state that has these values of registers.
    pub fn evaluate(&self, register: impl Fn(usize) -> bool, mut set: impl FnMut(usize, bool)) {
        if self.nodes.is_empty() {
            return;
        }
        let values = self.fold(true, register, |a, b| a && b, |value| !value);
        for (signal, &node) in self.nodes.iter().enumerate() {
            set(signal, values[node as usize]);
        }
    }

    /// Something for every node: for the constant, for the registers, and for conjunctions.
    pub fn fold<T: Clone>(
        &self,
        constant: T,
        register: impl Fn(usize) -> T,
        mut and: impl FnMut(T, T) -> T,
        mut not: impl FnMut(T) -> T,
    ) -> Vec<T> {
        let mut values = Vec::with_capacity(1 + self.registers + self.gates.len());
        values.push(constant);
        values.extend((0..self.registers).map(register));
        for gate in &self.gates {
            let [a, b] = gate.map(|lit| {
                let value = values[lit.var().index()].clone();
                if lit.is_negative() { not(value) } else { value }
            });
            values.push(and(a, b));
        }
        values
    }

    /// The node of a signal in what [`Signals::fold`] returns.
    pub fn node(&self, signal: usize) -> usize {
        self.nodes[signal] as usize
    }
}

impl Signals {
    /// Cubes over registers alone that have the same states together as a cube that mentions
    /// signals, unless there are more than `most`.
    pub fn expand(&self, atoms: &[Lit], most: usize) -> Option<Vec<Vec<Lit>>> {
        let node = |lit: &Lit| match (lit.var().index() - 1).checked_sub(self.registers) {
            Some(signal) => Var::new(self.node(signal)).positive().negate_if(lit.is_negative()),
            None => *lit,
        };
        let mut cubes = Vec::new();
        // Literals of nodes that are still to be replaced, and those of registers.
        let mut open: Vec<(Vec<Lit>, Vec<Lit>)> = vec![(atoms.iter().map(node).collect(), vec![])];
        while let Some((mut rest, mut cube)) = open.pop() {
            let Some(lit) = rest.pop() else {
                cubes.push(cube);
                continue;
            };
            let gate = lit.var().index().checked_sub(1 + self.registers);
            match gate.map(|gate| self.gates[gate]) {
                // Node 0 is true.
                None if lit.var().index() == 0 && lit.is_negative() => continue,
                None if lit.var().index() == 0 => open.push((rest, cube)),
                None if cube.contains(&!lit) => continue,
                None => {
                    if !cube.contains(&lit) {
                        cube.push(lit);
                    }
                    open.push((rest, cube));
                }
                Some([a, b]) if lit.is_negative() => {
                    let mut other = rest.clone();
                    other.push(!b);
                    open.push((other, cube.clone()));
                    rest.push(!a);
                    open.push((rest, cube));
                }
                Some([a, b]) => {
                    rest.extend([a, b]);
                    open.push((rest, cube));
                }
            }
            if cubes.len() + open.len() > most {
                return None;
            }
        }
        Some(cubes)
    }
}

/// A graph with the next values of signals, and what a translation has to know of them.
pub(super) struct Chosen {
    pub aig: Aig,
    /// The gates that are signals, in topological order.
    pub gates: Vec<AigLit>,
    /// By signal.
    pub next: Vec<AigLit>,
    /// By signal: the initial value, if that is a constant.
    pub init: Vec<Init>,
    /// The definitions, over registers and signals.
    pub clauses: Clauses,
    pub signals: Signals,
}

/// Chooses the signals of a system: the gates over registers that the elimination of
/// variables leaves in the transition relation. `lits` are the variables of nodes before
/// this elimination, whose result are `clauses`.
pub(super) fn choose(
    system: &BitSystem,
    lits: &[Lit],
    clauses: &Clauses,
    eliminated: &[bool],
) -> Chosen {
    let mut selection = Selection::new(system, eliminated.len());
    for (node, &lit) in lits.iter().enumerate() {
        // Nodes outside the cone of the properties have no variable.
        if let Some((a, b)) = system.aig().operands(node)
            && lit.var().index() > 0
            && selection.over_registers[a.node()]
            && selection.over_registers[b.node()]
        {
            selection.add_gate(node, a, b);
            if !eliminated[lit.var().index()] {
                selection.choose(node, lit.var());
            }
        }
    }
    selection.finish(clauses)
}

/// The gates over registers, as far as they were visited. Vectors go by node of the graph.
struct Selection {
    aig: Aig,
    registers: usize,
    over_registers: Vec<bool>,
    /// The number of the node within the signals.
    place: Vec<usize>,
    /// The value in the next state.
    next: Vec<AigLit>,
    /// The initial value, if it is a constant.
    init: Vec<Option<bool>>,
    signals: Signals,
    /// The gates that were chosen.
    gates: Vec<AigLit>,
    /// By variable of the transition relation without signals: the new variable of a register
    /// or of a signal.
    names: Vec<Option<Var>>,
}

impl Selection {
    fn new(system: &BitSystem, vars: usize) -> Self {
        let (nodes, registers) = (system.aig().len(), system.registers());
        let mut selection = Selection {
            aig: system.aig().clone(),
            registers: registers.len(),
            over_registers: vec![false; nodes],
            place: vec![0; nodes],
            next: vec![AigLit::FALSE; nodes],
            init: vec![None; nodes],
            signals: Signals::none(registers.len()),
            gates: Vec::new(),
            names: vec![None; vars],
        };
        selection.over_registers[0] = true;
        selection.init[0] = Some(false);
        selection.names[0] = Some(Var::new(0));
        for (number, register) in registers.iter().enumerate() {
            let node = register.lit.node();
            selection.over_registers[node] = true;
            selection.place[node] = 1 + number;
            selection.next[node] = register.next;
            selection.init[node] = register.init.and_then(constant);
            selection.names[1 + number] = Some(Var::new(1 + number));
        }
        selection
    }

    /// Notes a gate whose operands depend on registers alone.
    fn add_gate(&mut self, node: usize, a: AigLit, b: AigLit) {
        self.over_registers[node] = true;
        let operands = [a, b].map(|lit| {
            let place = Var::new(self.place[lit.node()]).positive();
            // Node 0 is false in the graph and true among the signals.
            place.negate_if(lit.is_complement() != (lit.node() == 0))
        });
        self.place[node] = 1 + self.registers + self.signals.gates.len();
        self.signals.gates.push(operands);
        let [x, y] = [a, b].map(|lit| self.next[lit.node()].complement_if(lit.is_complement()));
        self.next[node] = self.aig.and(x, y);
        let value = |lit: AigLit| self.init[lit.node()].map(|value| value != lit.is_complement());
        self.init[node] = match (value(a), value(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            (None, Some(true) | None) | (Some(true), None) => None,
        };
    }

    /// Makes a gate that was noted a signal.
    fn choose(&mut self, node: usize, var: Var) {
        self.names[var.index()] = Some(Var::new(1 + self.registers + self.gates.len()));
        self.gates.push(AigLit::from_code(2 * node as u32));
        self.signals.nodes.push(self.place[node] as u32);
    }

    fn finish(self, clauses: &Clauses) -> Chosen {
        let rename = |lit: &Lit| {
            let name = self.names[lit.var().index()]?;
            Some(name.positive().negate_if(lit.is_negative()))
        };
        let renamed = clauses.iter().filter_map(|clause| clause.iter().map(rename).collect());
        let is_definition = |clause: &Vec<Lit>| owner(clause).index() > self.registers;
        let mut definitions: Vec<Vec<Lit>> = renamed.filter(is_definition).collect();
        definitions.sort_by_key(|clause| owner(clause));
        let mut clauses = Clauses::default();
        definitions.into_iter().for_each(|clause| clauses.push(clause));
        let init = |gate: &AigLit| self.init[gate.node()].map_or(Init::Defined, Init::Constant);
        Chosen {
            next: self.gates.iter().map(|gate| self.next[gate.node()]).collect(),
            init: self.gates.iter().map(init).collect(),
            aig: self.aig,
            gates: self.gates,
            clauses,
            signals: self.signals,
        }
    }
}

fn constant(lit: AigLit) -> Option<bool> {
    if lit == AigLit::TRUE {
        Some(true)
    } else if lit == AigLit::FALSE {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;
    use elinvar_logic::{Answer, Cadical, SatSolver};
    use elinvar_models::Generator;

    use super::*;
    use crate::pdr::validate::tests::{SHAPES, bits_of, safety};
    use crate::relation::Transition;

    /// The values of literals after the registers and inputs got random ones.
    fn values(transition: &Transition, registers: &[bool], rng: &mut Rng) -> Vec<bool> {
        let mut solver = Cadical::new();
        for _ in 0..transition.var_count() {
            solver.new_var();
        }
        for clause in transition.clauses() {
            solver.add_clause(clause);
        }
        let lit = |index: usize, value: bool| Var::new(index).positive().negate_if(!value);
        let first_input = 1 + transition.registers.len();
        let registers = registers.iter().enumerate().map(|(number, &value)| lit(1 + number, value));
        let inputs = (0..transition.inputs).map(|number| lit(first_input + number, rng.one_in(2)));
        let assumptions: Vec<Lit> = registers.chain(inputs).collect();
        let Answer::Sat(mut model) = solver.solve(&assumptions) else {
            panic!("gates have values")
        };
        let value = |index| model.value(Var::new(index).positive());
        (0..transition.var_count()).map(value).collect()
    }

    fn state_of(signals: &Signals, registers: &[bool]) -> Vec<bool> {
        let mut state = registers.to_vec();
        signals.evaluate(|register| registers[register], |_, value| state.push(value));
        state
    }

    /// Clauses, next values, evaluation and expansion agree about the values of signals.
    #[test]
    fn signals_are_gates_over_registers() {
        let mut rng = Rng::new(11);
        let mut count = 0;
        for number in 0..40 {
            let system = Generator::system(number, SHAPES[0]);
            let prepared = bits_of(&system, number % 2 == 0);
            let transition =
                Transition::with_signals(&prepared.bits, &safety(&system), number % 3 > 0);
            let signals = &transition.signals;
            count += signals.count();
            for _ in 0..10 {
                let plain: Vec<bool> =
                    (0..transition.plain_registers()).map(|_| rng.one_in(2)).collect();
                let state = state_of(signals, &plain);
                let found = values(&transition, &plain, &mut rng);
                assert_eq!(state[..], found[1..=transition.registers.len()]);
                let next: Vec<bool> = (transition.registers.iter())
                    .map(|register| {
                        found[register.next.var().index()] != register.next.is_negative()
                    })
                    .collect();
                let plain_next = &next[..transition.plain_registers()];
                assert_eq!(next, state_of(signals, plain_next), "the next values are consistent");
                let cube = random_cube(transition.registers.len(), &mut rng);
                if let Some(cubes) = signals.expand(&cube, 1000) {
                    let holds = |lit: &Lit| state[lit.var().index() - 1] != lit.is_negative();
                    let is_inside = cubes.iter().any(|cube| cube.iter().all(holds));
                    assert_eq!(is_inside, cube.iter().all(holds));
                    assert!(cubes.iter().flatten().all(|lit| lit.var().index() <= plain.len()));
                }
            }
        }
        assert!(count > 100, "{count} signals");
    }

    fn random_cube(registers: usize, rng: &mut Rng) -> Vec<Lit> {
        let chosen = (1..=registers).filter(|_| rng.one_in(4)).collect::<Vec<usize>>();
        chosen.iter().map(|&var| Var::new(var).positive().negate_if(rng.one_in(2))).collect()
    }
}
