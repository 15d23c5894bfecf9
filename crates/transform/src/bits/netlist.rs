//! A system of bits in the form that the passes work on: one and-inverter graph, with lists
//! of its inputs, registers and roots.
//!
//! Each input and register has its origin in the old system, so passes need no bookkeeping
//! for the way back: they change the lists and add facts.

use std::sync::Arc;

use elinvar_ir::{ExprId, Named, Property, PropertyKind, Sort, SystemBuilder, TransitionSystem};
use elinvar_logic::aig::Gate;
use elinvar_logic::{Aig, AigLit};

use super::Size;
use super::lift::{Bit, BitFact, BitLift, InputOrigin, Literal};
use super::system::{BitProperty, BitRegister, BitSystem, Gates};
use crate::limits::Unlimited;

/// A bit that is free in every cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub lit: AigLit,
    pub origin: InputOrigin,
}

/// A state of one bit; its literal is an input of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    pub lit: AigLit,
    pub init: Option<AigLit>,
    pub next: Option<AigLit>,
    pub origin: Bit,
}

/// A property as in the old system, or `Bad(false)` in place of one that was not asked for.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Bad(AigLit),
    Justice(Vec<AigLit>),
}

#[derive(Clone, Default)]
pub(super) struct Netlist {
    pub aig: Aig,
    pub inputs: Vec<Input>,
    pub registers: Vec<Register>,
    pub constraints: Vec<AigLit>,
    /// By property of the old system.
    pub targets: Vec<Target>,
    pub fairness: Vec<AigLit>,
    /// The bits of each output of the old system that is kept.
    pub outputs: Vec<Vec<AigLit>>,
    /// Facts about the old system that were used so far.
    pub facts: Vec<BitFact>,
    /// Clauses about the old system that were used so far.
    pub clauses: Vec<Vec<Literal>>,
}

impl Netlist {
    pub fn size(&self) -> Size {
        let (inputs, states) = (self.inputs.len(), self.registers.len());
        // Each input and each register is a node of the graph, and so is the constant.
        Size { inputs, states, gates: self.aig.len() - 1 - inputs - states }
    }

    /// Every literal that is used as such, registers apart.
    fn for_each_root(&mut self, mut visit: impl FnMut(&mut AigLit)) {
        let outputs = self.outputs.iter_mut().flatten();
        self.constraints.iter_mut().chain(&mut self.fairness).chain(outputs).for_each(&mut visit);
        for target in &mut self.targets {
            match target {
                Target::Bad(bad) => visit(bad),
                Target::Justice(conditions) => conditions.iter_mut().for_each(&mut visit),
            }
        }
    }

    /// Drops what no root depends on, and builds the rest anew.
    pub fn compact(&mut self) {
        self.rebuild(|_| None);
    }

    /// Builds the graph anew with other literals (of this graph) in place of some
    /// nodes; drops registers, inputs and gates that are not needed any more.
    ///
    /// A literal that stands for a node must come before it, or be one for which
    /// nothing stands and which does not depend on the node.
    pub fn rebuild(&mut self, stands_for: impl Fn(usize) -> Option<AigLit>) {
        let substitution: Vec<AigLit> =
            (0..self.aig.len()).map(|node| stands_for(node).unwrap_or(own(node))).collect();
        let needed = self.needed(&substitution);
        self.registers.retain(|register| needed[register.lit.node()]);
        self.inputs.retain(|input| needed[input.lit.node()]);
        let old = std::mem::take(&mut self.aig);
        let mut copy = Copy::new(&old, &substitution);
        for lit in self.inputs.iter().map(|i| i.lit).chain(self.registers.iter().map(|r| r.lit)) {
            copy.lits[lit.node()] = copy.new.input();
        }
        copy.gates(&needed);
        for input in &mut self.inputs {
            input.lit = copy.lits[input.lit.node()];
        }
        for register in &mut self.registers {
            register.lit = copy.lits[register.lit.node()];
            register.init = register.init.map(|lit| copy.of(lit));
            register.next = register.next.map(|lit| copy.of(lit));
        }
        self.for_each_root(|lit| *lit = copy.of(*lit));
        self.constraints.retain(|&lit| lit != AigLit::TRUE);
        self.aig = copy.new;
    }

    /// The nodes that the roots depend on, through registers also.
    fn needed(&mut self, substitution: &[AigLit]) -> Vec<bool> {
        let mut register_of = vec![u32::MAX; self.aig.len()];
        for (number, register) in self.registers.iter().enumerate() {
            register_of[register.lit.node()] = number as u32;
        }
        let mut stack = Vec::new();
        self.for_each_root(|lit| stack.push(lit.node()));
        let mut needed = vec![false; self.aig.len()];
        while let Some(node) = stack.pop() {
            let node = substitution[node].node();
            if std::mem::replace(&mut needed[node], true) {
                continue;
            }
            if let Some((a, b)) = self.aig.operands(node) {
                stack.extend([a.node(), b.node()]);
            } else if let Some(register) = self.registers.get(register_of[node] as usize) {
                stack.extend(register.init.into_iter().chain(register.next).map(AigLit::node));
            }
        }
        needed
    }

    /// Declares the inputs and the registers, named after the bits that they are.
    fn declare(&self, old: &TransitionSystem) -> SystemBuilder {
        let mut builder = SystemBuilder::new();
        for input in &self.inputs {
            let name = match input.origin {
                InputOrigin::Input(bit) => input_bit_name(old, bit),
                InputOrigin::State(bit) => state_bit_name(old, bit),
                InputOrigin::Next(bit) => format!("{}@next", state_bit_name(old, bit)),
            };
            builder.input(Sort::BOOL, Some(&name)).expect("a bit is a legal sort");
        }
        for register in &self.registers {
            let name = state_bit_name(old, register.origin);
            builder.state(Sort::BOOL, Some(&name)).expect("a bit is a legal sort");
        }
        builder
    }

    /// The system, with names and properties after those of the old one.
    pub fn to_system(&self, old: &TransitionSystem) -> TransitionSystem {
        let mut builder = self.declare(old);
        let leaves = self.inputs.iter().map(|input| input.lit);
        let leaves = leaves.chain(self.registers.iter().map(|register| register.lit));
        let gates = Gates::new(&self.aig, leaves, &mut builder, &Unlimited);
        let gates = gates.expect("there are no limits");
        let mut expr = |lit: AigLit| gates.expr(&mut builder.pool, lit);
        for (register, state) in self.registers.iter().zip(&mut builder.states) {
            state.init = register.init.map(&mut expr);
            state.next = register.next.map(&mut expr);
        }
        builder.constraints = self.constraints.iter().map(|&lit| expr(lit)).collect();
        builder.fairness = self.fairness.iter().map(|&lit| expr(lit)).collect();
        for (property, target) in old.properties().iter().zip(&self.targets) {
            let kind = match target {
                Target::Bad(bad) => PropertyKind::Bad(expr(*bad)),
                Target::Justice(conditions) => {
                    PropertyKind::Justice(conditions.iter().map(|&lit| expr(lit)).collect())
                }
            };
            builder.properties.push(Property { kind, ..property.clone() });
        }
        for (output, bits) in old.outputs().iter().zip(&self.outputs) {
            for (i, &lit) in bits.iter().enumerate() {
                let name = match bits.len() {
                    1 => output.name.clone(),
                    _ => format!("{}[{i}]", output.name),
                };
                builder.outputs.push(Named { name, expr: expr(lit) });
            }
        }
        builder.finish().expect("bits of a well-formed system are well-formed")
    }

    /// The way back from `new`, the system of this netlist.
    pub fn lift(self, old: Arc<TransitionSystem>, new: &TransitionSystem) -> BitLift {
        let symbols = new.states().iter().map(|state| state.symbol).collect();
        self.lift_of(old, symbols, new.free_states().to_vec())
    }

    fn lift_of(
        self,
        old: Arc<TransitionSystem>,
        symbols: Vec<ExprId>,
        free: Vec<usize>,
    ) -> BitLift {
        let inputs = self.inputs.iter().map(|input| input.origin).collect();
        let states = self.registers.iter().map(|register| register.origin).collect();
        BitLift { old, inputs, states, symbols, free, facts: self.facts, clauses: self.clauses }
    }

    /// A normal netlist as what engines work on, and the way back.
    pub fn into_bits(mut self, old: &TransitionSystem) -> (BitSystem, BitLift) {
        let declared = self.declare(old);
        let symbols: Vec<ExprId> = declared.states.iter().map(|state| state.symbol).collect();
        let registers = self.registers.iter().map(|register| BitRegister {
            lit: register.lit,
            init: register.init,
            next: register.next.expect("a normal netlist"),
        });
        let properties = old.properties().iter().zip(&self.targets);
        let properties = properties.map(|(property, target)| BitProperty {
            name: property.name.clone(),
            bad: match target {
                Target::Bad(bad) => *bad,
                Target::Justice(_) => AigLit::FALSE,
            },
        });
        let bits = BitSystem::new(
            std::mem::take(&mut self.aig),
            self.inputs.iter().map(|input| input.lit).collect(),
            registers.collect(),
            std::mem::take(&mut self.constraints),
            properties.collect(),
            declared,
        );
        (bits, self.lift_of(Arc::new(old.clone()), symbols, Vec::new()))
    }
}

/// The literal of a node itself.
pub(super) fn own(node: usize) -> AigLit {
    AigLit::from_code(2 * node as u32)
}

/// A copy of a graph with other literals in place of some nodes.
pub(super) struct Copy<'a> {
    old: &'a Aig,
    /// By node of the old graph: the literal of the old graph in its place.
    substitution: &'a [AigLit],
    pub new: Aig,
    /// By node of the old graph: its copy.
    lits: Vec<AigLit>,
}

impl<'a> Copy<'a> {
    fn new(old: &'a Aig, substitution: &'a [AigLit]) -> Self {
        Copy { old, substitution, new: old.empty_like(), lits: vec![AigLit::FALSE; old.len()] }
    }

    /// Copies just what the roots depend on within one cycle.
    pub fn of_cone(
        old: &'a Aig,
        substitution: &'a [AigLit],
        roots: impl Iterator<Item = AigLit>,
    ) -> Self {
        let mut copy = Copy::new(old, substitution);
        let mut needed = vec![false; old.len()];
        let mut stack: Vec<usize> = roots.map(AigLit::node).collect();
        while let Some(node) = stack.pop() {
            let node = substitution[node].node();
            if std::mem::replace(&mut needed[node], true) {
                continue;
            }
            match old.gate(node) {
                Gate::False => {}
                Gate::Input => copy.lits[node] = copy.new.input(),
                Gate::And(a, b) => stack.extend([a.node(), b.node()]),
            }
        }
        copy.gates(&needed);
        copy
    }

    fn gates(&mut self, needed: &[bool]) {
        for node in (0..self.old.len()).filter(|&node| needed[node]) {
            if let Gate::And(a, b) = self.old.gate(node) {
                let (a, b) = (self.of(a), self.of(b));
                self.lits[node] = self.new.and(a, b);
            }
        }
    }

    /// The copy of a literal in the cone.
    pub fn of(&self, lit: AigLit) -> AigLit {
        let stand_in = self.substitution[lit.node()].complement_if(lit.is_complement());
        self.lits[stand_in.node()].complement_if(stand_in.is_complement())
    }
}

fn input_bit_name(old: &TransitionSystem, bit: Bit) -> String {
    let sort = old.pool().sort(old.inputs()[bit.index].symbol);
    bit_name(old.input_name(bit.index), sort, bit.position)
}

fn state_bit_name(old: &TransitionSystem, bit: Bit) -> String {
    let sort = old.pool().sort(old.states()[bit.index].symbol);
    bit_name(old.state_name(bit.index), sort, bit.position)
}

fn bit_name(name: String, sort: Sort, position: usize) -> String {
    match sort {
        Sort::Bv(1) => name,
        Sort::Bv(_) | Sort::Array { element: 1, .. } => format!("{name}[{position}]"),
        Sort::Array { element, .. } => {
            let (address, bit) = (position / element as usize, position % element as usize);
            format!("{name}[{address}][{bit}]")
        }
    }
}
