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
    let mut aig = system.aig().clone();
    let registers = system.registers();
    let mut over_registers = vec![false; aig.len()];
    over_registers[0] = true;
    let mut signals = Signals::none(registers.len());
    let mut place = vec![0; aig.len()];
    let mut next = vec![AigLit::FALSE; aig.len()];
    let mut init: Vec<Option<bool>> = vec![None; aig.len()];
    init[0] = Some(false);
    for (number, register) in registers.iter().enumerate() {
        let node = register.lit.node();
        over_registers[node] = true;
        place[node] = 1 + number;
        next[node] = register.next;
        init[node] = register.init.and_then(constant);
    }
    let mut gates = Vec::new();
    let mut names = vec![usize::MAX; eliminated.len()];
    names[0] = 0;
    for name in 1..=registers.len() {
        names[name] = name;
    }
    for node in 0..system.aig().len() {
        let Some((a, b)) = system.aig().operands(node) else { continue };
        let lit = lits[node];
        // Nodes outside the cone of the properties have no variable.
        if !(over_registers[a.node()] && over_registers[b.node()]) || lit.var().index() == 0 {
            continue;
        }
        over_registers[node] = true;
        let [x, y] = [a, b].map(|lit| {
            let place = Var::new(place[lit.node()]).positive();
            // Node 0 is false in the graph and true here.
            place.negate_if(lit.is_complement() != (lit.node() == 0))
        });
        place[node] = 1 + registers.len() + signals.gates.len();
        signals.gates.push([x, y]);
        let [x, y] = [a, b].map(|lit| next[lit.node()].complement_if(lit.is_complement()));
        next[node] = aig.and(x, y);
        let value = |lit: AigLit| init[lit.node()].map(|value| value != lit.is_complement());
        init[node] = match (value(a), value(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        if !eliminated[lit.var().index()] {
            names[lit.var().index()] = 1 + registers.len() + gates.len();
            gates.push(AigLit::from_code(2 * node as u32));
            signals.nodes.push(place[node] as u32);
        }
    }
    let rename =
        |lit: Lit| Var::new(names[lit.var().index()]).positive().negate_if(lit.is_negative());
    let mut definitions: Vec<Vec<Lit>> = (clauses.iter())
        .filter(|clause| {
            clause.iter().all(|lit| names[lit.var().index()] != usize::MAX)
                && names[owner(clause).index()] > registers.len()
        })
        .map(|clause| clause.iter().map(|&lit| rename(lit)).collect())
        .collect();
    definitions.sort_by_key(|clause| owner(clause));
    let mut sorted = Clauses::default();
    for clause in definitions {
        sorted.push(clause);
    }
    let of_gate = |values: &[AigLit], gate: &AigLit| values[gate.node()];
    Chosen {
        next: gates.iter().map(|gate| of_gate(&next, gate)).collect(),
        init: (gates.iter())
            .map(|gate| init[gate.node()].map_or(Init::Defined, Init::Constant))
            .collect(),
        aig,
        gates,
        clauses: sorted,
        signals,
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
