//! The transition relation of a system of bits as clauses that define variables.
//!
//! Variable 0 is true; then come the registers, the inputs and the gates, each
//! after what it depends on. A clause belongs to the definition of its last
//! variable, and the other variables of a definition are its fan-in: that is all
//! the SAT core has to know to work in the cone of a query. There are no variables
//! for the next state: the next value of a register is the literal of a gate.

use std::ops::Range;

use elinvar_ir::PropertyId;
use elinvar_logic::{Aig, AigLit};
use elinvar_sat::{Lit, Proof, Solver, Var};
use elinvar_transform::BitSystem;

use super::eliminate::eliminate;
use super::justify::Network;
use super::signals::{Chosen, Signals, choose};

/// One register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register {
    pub next: Lit,
    pub init: Init,
}

/// The initial value of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Init {
    Constant(bool),
    Free,
    /// The value of a literal over initial values (and inputs of the first cycle).
    Equal(Lit),
    /// That of a signal: its definition says it.
    Defined,
}

#[derive(Clone)]
pub(crate) struct Transition {
    /// The registers, then the signals.
    pub registers: Vec<Register>,
    pub signals: Signals,
    pub inputs: usize,
    pub constraints: Vec<Lit>,
    pub bads: Vec<(PropertyId, Lit)>,
    /// The same as gates.
    pub network: Network,
    vars: usize,
    /// The clauses, those of one definition after those of the one before.
    clauses: Clauses,
}

/// Clauses in one vector.
#[derive(Clone, Default, Debug)]
pub(crate) struct Clauses {
    lits: Vec<Lit>,
    ends: Vec<u32>,
}

impl Clauses {
    pub fn push(&mut self, clause: impl IntoIterator<Item = Lit>) {
        self.lits.extend(clause);
        self.ends.push(self.lits.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: usize) -> &[Lit] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.lits[start as usize..self.ends[index] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Lit]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl Transition {
    /// The relation of a system of bits, for some of its properties. With `elimination`,
    /// gates are resolved away where that leaves fewer clauses.
    pub fn new(system: &BitSystem, properties: &[PropertyId], elimination: bool) -> Self {
        let mut transition = Translation::new(system).run(properties);
        if elimination {
            transition.eliminate();
        }
        transition
    }

    /// The same with signals: gates over registers that lemmas may speak of.
    pub fn with_signals(system: &BitSystem, properties: &[PropertyId], elimination: bool) -> Self {
        let mut first = Translation::new(system);
        let plain = first.translate(system.aig(), properties, &[]);
        let frozen = if elimination { plain.frozen() } else { vec![true; plain.vars] };
        let (clauses, eliminated) = eliminate(&plain.clauses, &frozen);
        let chosen = choose(system, &first.lits, &clauses, &eliminated);
        let mut transition = Translation::new(system).run_with(properties, chosen);
        if elimination {
            transition.eliminate();
        }
        transition
    }

    /// A literal that is always true.
    pub const TRUE: Lit = Lit::from_code(0);

    /// The number of registers that are no signals.
    pub fn plain_registers(&self) -> usize {
        self.registers.len() - self.signals.count()
    }

    pub fn register_var(index: usize) -> Var {
        Var::new(1 + index)
    }

    /// The register behind a variable, if it is one.
    #[inline]
    pub fn register_of(&self, var: Var) -> Option<usize> {
        var.index().checked_sub(1).filter(|&index| index < self.registers.len())
    }

    /// The input behind a variable, if it is one.
    #[inline]
    pub fn input_of(&self, var: Var) -> Option<usize> {
        var.index().checked_sub(1 + self.registers.len()).filter(|&index| index < self.inputs)
    }

    /// The value that the literal of a register has in the next state.
    #[inline]
    pub fn next(&self, lit: Lit) -> Lit {
        let register = &self.registers[lit.var().index() - 1];
        register.next.negate_if(lit.is_negative())
    }

    pub fn var_count(&self) -> usize {
        self.vars
    }

    /// The definitions of the gates.
    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        self.clauses.iter()
    }

    pub fn clause_count(&self) -> usize {
        self.clauses.len()
    }

    /// Declares the variables and adds the definitions.
    pub fn load<P: Proof>(&self, solver: &mut Solver<P>) {
        for _ in 0..self.vars {
            solver.new_var();
        }
        let mut fan_in: Vec<Var> = Vec::new();
        for (owner, clauses) in self.definitions().into_iter().enumerate() {
            let owner = Var::new(owner);
            fan_in.clear();
            for index in clauses {
                let vars = self.clauses.get(index).iter().map(|lit| lit.var());
                fan_in.extend(vars.filter(|&var| var != owner));
            }
            fan_in.sort_unstable();
            fan_in.dedup();
            solver.set_fan_in(owner, &fan_in);
        }
        for clause in self.clauses.iter() {
            solver.add_clause(clause);
        }
    }

    /// By variable: which clauses define it.
    pub fn definitions(&self) -> Vec<Range<usize>> {
        let mut definitions = vec![0..0; self.vars];
        let mut start = 0;
        while start < self.clauses.len() {
            let owner = owner(self.clauses.get(start));
            let rest = start..self.clauses.len();
            let same = |index: &usize| self::owner(self.clauses.get(*index)) == owner;
            let end = start + rest.take_while(same).count();
            definitions[owner.index()] = start..end;
            start = end;
        }
        definitions
    }

    pub fn clause(&self, index: usize) -> &[Lit] {
        self.clauses.get(index)
    }

    fn roots(&self) -> impl Iterator<Item = Lit> + '_ {
        let registers = self.registers.iter().flat_map(|register| {
            let init = match register.init {
                Init::Equal(lit) => Some(lit),
                Init::Constant(_) | Init::Free | Init::Defined => None,
            };
            [Some(register.next), init].into_iter().flatten()
        });
        let bads = self.bads.iter().map(|&(_, lit)| lit);
        registers.chain(bads).chain(self.constraints.iter().copied())
    }

    /// The variables that must not be resolved away.
    fn frozen(&self) -> Vec<bool> {
        let leaves = 1 + self.registers.len() + self.inputs;
        let mut frozen = vec![false; self.vars];
        frozen[..leaves].fill(true);
        for root in self.roots() {
            frozen[root.var().index()] = true;
        }
        frozen
    }

    /// Resolves gates away and numbers the rest anew.
    fn eliminate(&mut self) {
        let (clauses, eliminated) = eliminate(&self.clauses, &self.frozen());
        let mut names = Vec::with_capacity(self.vars);
        let mut vars = 0;
        for gone in eliminated {
            names.push(vars);
            vars += usize::from(!gone);
        }
        let rename =
            |lit: Lit| Var::new(names[lit.var().index()]).positive().negate_if(lit.is_negative());
        self.vars = vars;
        let mut renamed: Vec<Vec<Lit>> =
            clauses.iter().map(|clause| clause.iter().map(|&lit| rename(lit)).collect()).collect();
        renamed.sort_by_key(|clause| owner(clause));
        self.clauses = Clauses::default();
        for clause in renamed {
            self.clauses.push(clause);
        }
        for register in &mut self.registers {
            register.next = rename(register.next);
            if let Init::Equal(lit) = &mut register.init {
                *lit = rename(*lit);
            }
        }
        let lits = self.constraints.iter_mut().chain(self.bads.iter_mut().map(|(_, lit)| lit));
        for lit in lits {
            *lit = rename(*lit);
        }
    }
}

pub(super) fn owner(clause: &[Lit]) -> Var {
    clause.iter().map(|lit| lit.var()).max().expect("a definition has a variable")
}

struct Translation<'a> {
    system: &'a BitSystem,
    /// By node of the graph.
    lits: Vec<Lit>,
    /// By node of the graph: the order of operands. Inputs come first, then registers.
    ranks: Vec<u32>,
    vars: usize,
    clauses: Clauses,
    gates: Vec<[Lit; 2]>,
}

impl<'a> Translation<'a> {
    fn new(system: &'a BitSystem) -> Self {
        let (inputs, registers) = (system.inputs(), system.registers());
        let leaves = inputs.len() + registers.len();
        let mut lits = vec![!Transition::TRUE; system.aig().len()];
        let mut ranks: Vec<u32> = (leaves..).take(lits.len()).map(|rank| rank as u32).collect();
        for (number, register) in registers.iter().enumerate() {
            lits[register.lit.node()] = Transition::register_var(number).positive();
            ranks[register.lit.node()] = (inputs.len() + number) as u32;
        }
        for (number, input) in inputs.iter().enumerate() {
            lits[input.node()] = Var::new(1 + registers.len() + number).positive();
            ranks[input.node()] = number as u32;
        }
        let mut clauses = Clauses::default();
        clauses.push([Transition::TRUE]);
        Translation { system, lits, ranks, vars: 1 + leaves, clauses, gates: Vec::new() }
    }

    fn run(mut self, properties: &[PropertyId]) -> Transition {
        self.translate(self.system.aig(), properties, &[])
    }

    fn run_with(mut self, properties: &[PropertyId], chosen: Chosen) -> Transition {
        let registers = self.system.registers().len();
        let count = chosen.gates.len();
        self.lits.resize(chosen.aig.len(), !Transition::TRUE);
        self.ranks = (0..chosen.aig.len() as u32).map(|rank| rank + 1).collect();
        self.vars += count;
        for (number, input) in self.system.inputs().iter().enumerate() {
            self.lits[input.node()] = Var::new(1 + registers + count + number).positive();
            self.ranks[input.node()] = 0;
        }
        for (number, gate) in chosen.gates.iter().enumerate() {
            self.lits[gate.node()] = Transition::register_var(registers + number).positive();
            self.ranks[gate.node()] = 1;
        }
        for clause in chosen.clauses.iter() {
            self.clauses.push(clause.iter().copied());
        }
        let signals: Vec<(AigLit, AigLit, Init)> = (0..count)
            .map(|signal| (chosen.gates[signal], chosen.next[signal], chosen.init[signal]))
            .collect();
        let mut transition = self.translate(&chosen.aig, properties, &signals);
        transition.signals = chosen.signals;
        transition
    }

    /// Defines the gates that are needed, except signals, whose definitions are there.
    fn define_cone(&mut self, aig: &Aig, roots: Vec<AigLit>, is_signal: &[bool]) {
        let mut done = vec![false; aig.len()];
        let mut stack: Vec<(usize, bool)> = roots.iter().map(|lit| (lit.node(), false)).collect();
        stack.reverse();
        while let Some((node, ready)) = stack.pop() {
            if done[node] || is_signal[node] {
                continue;
            }
            let Some((a, b)) = aig.operands(node) else { continue };
            if ready {
                done[node] = true;
                self.define(node, a, b);
            } else {
                stack.extend([(node, true), (b.node(), false), (a.node(), false)]);
            }
        }
    }

    fn translate(
        &mut self,
        aig: &Aig,
        properties: &[PropertyId],
        signals: &[(AigLit, AigLit, Init)],
    ) -> Transition {
        let system = self.system;
        let asked = system.properties().iter().enumerate().map(|(i, p)| (PropertyId(i), p.bad));
        let bads: Vec<(PropertyId, AigLit)> =
            asked.filter(|(id, _)| properties.contains(id)).collect();
        let registers = system.registers().iter();
        let roots = registers.flat_map(|register| [register.next].into_iter().chain(register.init));
        let roots = roots
            .chain(bads.iter().map(|&(_, bad)| bad))
            .chain(system.constraints().iter().copied());
        if signals.is_empty() {
            for node in aig.cone(roots) {
                if let Some((a, b)) = aig.operands(node) {
                    self.define(node, a, b);
                }
            }
        } else {
            let mut is_signal = vec![false; aig.len()];
            signals.iter().for_each(|(gate, ..)| is_signal[gate.node()] = true);
            let roots = roots.chain(signals.iter().map(|&(_, next, _)| next)).collect();
            self.define_cone(aig, roots, &is_signal);
        }
        let registers = system.registers().iter().map(|register| Register {
            next: self.lit(register.next),
            init: match register.init.map(|init| self.lit(init)) {
                None => Init::Free,
                Some(Transition::TRUE) => Init::Constant(true),
                Some(lit) if lit == !Transition::TRUE => Init::Constant(false),
                Some(lit) => Init::Equal(lit),
            },
        });
        let further =
            signals.iter().map(|&(_, next, init)| Register { next: self.lit(next), init });
        let registers: Vec<Register> = registers.chain(further).collect();
        let inputs = system.inputs().len();
        let constraints: Vec<Lit> = system.constraints().iter().map(|&lit| self.lit(lit)).collect();
        let bads: Vec<_> = bads.into_iter().map(|(id, bad)| (id, self.lit(bad))).collect();
        let network = Network {
            leaves: 1 + registers.len() + inputs,
            gates: std::mem::take(&mut self.gates),
            next: registers.iter().map(|register| register.next).collect(),
            bads: bads.iter().map(|&(_, bad)| bad).collect(),
            constraints: constraints.clone(),
        };
        Transition {
            registers,
            signals: Signals::none(system.registers().len()),
            inputs,
            constraints,
            bads,
            network,
            vars: self.vars,
            clauses: std::mem::take(&mut self.clauses),
        }
    }

    fn define(&mut self, node: usize, a: AigLit, b: AigLit) {
        let rank = |lit: AigLit| self.ranks[lit.node()];
        let (a, b) = if rank(b) < rank(a) { (b, a) } else { (a, b) };
        let (a, b) = (self.lit(a), self.lit(b));
        let gate = Var::new(self.vars).positive();
        self.vars += 1;
        self.gates.push([a, b]);
        self.clauses.push([!gate, a]);
        self.clauses.push([!gate, b]);
        self.clauses.push([gate, !a, !b]);
        self.lits[node] = gate;
    }

    fn lit(&self, lit: AigLit) -> Lit {
        self.lits[lit.node()].negate_if(lit.is_complement())
    }
}
