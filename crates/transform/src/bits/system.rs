//! Systems of bits: what the passes hand over, and what bit-level engines work on.

use std::sync::OnceLock;

use elinvar_ir::{
    Certificate, ExprId, Pool, Property, PropertyId, PropertyKind, Sort, StopReason, Subject,
    SystemBuilder, Trace, TransitionSystem,
};
use elinvar_logic::aig::Gate;
use elinvar_logic::{Aig, AigLit};

use crate::limits::{Limits, Unlimited};

/// An and-inverter graph with registers, inputs, safety properties and constraints.
///
/// Every leaf of the graph is an input or a register. Evidence is about
/// [`BitSystem::system`]: traces and formulas go by the numbers of registers and inputs,
/// and clauses by [`BitSystem::symbol`].
#[derive(Clone)]
pub struct BitSystem {
    aig: Aig,
    inputs: Vec<AigLit>,
    registers: Vec<BitRegister>,
    constraints: Vec<AigLit>,
    properties: Vec<BitProperty>,
    /// The symbols of inputs and registers, without anything built from them.
    declared: SystemBuilder,
    /// The same as a transition system, once it was asked for.
    system: OnceLock<TransitionSystem>,
}

/// A state of one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitRegister {
    /// The leaf of the graph that is its value.
    pub lit: AigLit,
    /// The initial value; any value if there is none.
    pub init: Option<AigLit>,
    /// The value in the next cycle.
    pub next: AigLit,
}

/// A safety property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitProperty {
    /// The name that the user gave it.
    pub name: String,
    /// What must never be true. False for properties that were not asked for.
    pub bad: AigLit,
}

impl Subject for BitSystem {
    type Proof = Certificate;
    type Trace = Trace;
}

impl BitSystem {
    /// The symbols of `declared` are those of the inputs and the registers, in order.
    pub(crate) fn new(
        mut aig: Aig,
        inputs: Vec<AigLit>,
        registers: Vec<BitRegister>,
        constraints: Vec<AigLit>,
        properties: Vec<BitProperty>,
        declared: SystemBuilder,
    ) -> Self {
        assert_eq!(declared.inputs.len(), inputs.len());
        assert_eq!(declared.states.len(), registers.len());
        // The graph is complete. What is added later must not be cut off by old limits.
        assert!(!aig.unwatch(), "a graph that was stopped is not used");
        let system = OnceLock::new();
        BitSystem { aig, inputs, registers, constraints, properties, declared, system }
    }

    /// The graph that all literals are from.
    pub fn aig(&self) -> &Aig {
        &self.aig
    }

    /// The leaf of each input.
    pub fn inputs(&self) -> &[AigLit] {
        &self.inputs
    }

    /// The registers.
    pub fn registers(&self) -> &[BitRegister] {
        &self.registers
    }

    /// What is true in every cycle.
    pub fn constraints(&self) -> &[AigLit] {
        &self.constraints
    }

    /// The properties, with the numbers that they have in the user's system.
    pub fn properties(&self) -> &[BitProperty] {
        &self.properties
    }

    /// A property by its number.
    pub fn property(&self, property: PropertyId) -> &BitProperty {
        &self.properties[property.0]
    }

    /// The symbol of a register in clauses of certificates.
    pub fn symbol(&self, register: usize) -> ExprId {
        self.declared.states[register].symbol
    }

    /// The same as a transition system, which is made when it is first asked for.
    pub fn system(&self) -> &TransitionSystem {
        self.try_system(&Unlimited).expect("there are no limits")
    }

    /// As [`BitSystem::system`], unless a limit is exceeded while it is made.
    pub fn try_system(&self, limits: &dyn Limits) -> Result<&TransitionSystem, StopReason> {
        match self.system.get() {
            Some(system) => Ok(system),
            None => {
                let system = self.to_system(limits)?;
                Ok(self.system.get_or_init(|| system))
            }
        }
    }

    fn to_system(&self, limits: &dyn Limits) -> Result<TransitionSystem, StopReason> {
        let mut builder = self.declared.clone();
        let leaves = self.inputs.iter().copied().chain(self.registers.iter().map(|r| r.lit));
        let gates = Gates::new(&self.aig, leaves, &mut builder, limits)?;
        let mut expr = |lit: AigLit| gates.expr(&mut builder.pool, lit);
        for (register, state) in self.registers.iter().zip(&mut builder.states) {
            state.init = register.init.map(&mut expr);
            state.next = Some(expr(register.next));
        }
        builder.constraints = self.constraints.iter().map(|&lit| expr(lit)).collect();
        for BitProperty { name, bad } in &self.properties {
            let kind = PropertyKind::Bad(expr(*bad));
            builder.properties.push(Property::new(name, kind));
        }
        Ok(builder.finish().expect("bits of a well-formed system are well-formed"))
    }

    /// The system with constants in place of some inputs. The inputs stay, so that traces
    /// have the same form, but nothing depends on them.
    pub fn with_inputs(&self, value: impl Fn(usize) -> Option<bool>) -> Self {
        let mut aig = self.aig.clone();
        let mut lits: Vec<AigLit> =
            (0..aig.len() as u32).map(|n| AigLit::from_code(2 * n)).collect();
        for (number, input) in self.inputs.iter().enumerate() {
            if let Some(value) = value(number) {
                lits[input.node()] = AigLit::constant(value);
            }
        }
        let image =
            |lits: &[AigLit], lit: AigLit| lits[lit.node()].complement_if(lit.is_complement());
        for node in 0..lits.len() {
            if let Gate::And(a, b) = self.aig.gate(node) {
                let (new_a, new_b) = (image(&lits, a), image(&lits, b));
                if (new_a, new_b) != (a, b) {
                    lits[node] = aig.and(new_a, new_b);
                }
            }
        }
        let image = |lit: AigLit| image(&lits, lit);
        let registers = self.registers.iter().map(|register| BitRegister {
            lit: register.lit,
            init: register.init.map(image),
            next: image(register.next),
        });
        let properties = self.properties.iter();
        BitSystem {
            aig,
            inputs: self.inputs.clone(),
            registers: registers.collect(),
            constraints: self.constraints.iter().map(|&lit| image(lit)).collect(),
            properties: properties
                .map(|property| BitProperty { bad: image(property.bad), ..property.clone() })
                .collect(),
            declared: self.declared.clone(),
            system: OnceLock::new(),
        }
    }

    /// The system whose states are bad forever once one was, for a property: see
    /// [`crate::stuck_on_error`]. The new register is the last one.
    pub(crate) fn stuck(&self, property: PropertyId, name: &str) -> Self {
        let mut aig = self.aig.clone();
        let failed = aig.input();
        let bad = self.property(property).bad;
        let mut fails = AigLit::TRUE;
        for &lit in self.constraints.iter().chain([&bad]) {
            fails = aig.and(fails, lit);
        }
        let mut registers = self.registers.clone();
        let next = aig.or(failed, fails);
        registers.push(BitRegister { lit: failed, init: Some(AigLit::FALSE), next });
        let constraints = self.constraints.iter().map(|&lit| aig.or(failed, lit)).collect();
        let stays_bad = aig.or(failed, bad);
        let mut properties = self.properties.clone();
        for (number, each) in properties.iter_mut().enumerate() {
            each.bad = if number == property.0 { stays_bad } else { AigLit::FALSE };
        }
        let mut declared = self.declared.clone();
        declared.state(Sort::BOOL, Some(name)).expect("a bit is a legal sort");
        BitSystem::new(aig, self.inputs.clone(), registers, constraints, properties, declared)
    }

    /// Declares some of the inputs and of the registers, by their numbers, with the names
    /// that they have here.
    pub(crate) fn declare_again(&self, inputs: &[usize], registers: &[usize]) -> SystemBuilder {
        let pool = &self.declared.pool;
        let name = |symbol: ExprId| pool.as_symbol(symbol).and_then(|id| pool.symbol_name(id));
        let must = "a bit is a legal sort";
        let mut builder = SystemBuilder::new();
        for &number in inputs {
            builder.input(Sort::BOOL, name(self.declared.inputs[number].symbol)).expect(must);
        }
        for &number in registers {
            builder.state(Sort::BOOL, name(self.declared.states[number].symbol)).expect(must);
        }
        builder
    }

    /// A name that no input and no register has.
    pub(crate) fn unused_name(&self, like: &str) -> String {
        let pool = &self.declared.pool;
        let symbols = (0..pool.symbol_count()).map(|number| pool.nth_symbol(number));
        let mut name = like.to_owned();
        while symbols.clone().any(|symbol| pool.symbol_name(symbol) == Some(name.as_str())) {
            name.push('_');
        }
        name
    }
}

impl std::fmt::Debug for BitSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BitSystem")
            .field("inputs", &self.inputs)
            .field("registers", &self.registers)
            .field("constraints", &self.constraints)
            .field("properties", &self.properties)
            .field("nodes", &self.aig.len())
            .finish()
    }
}

/// The expressions of all nodes of a graph.
pub(super) struct Gates(Vec<ExprId>);

impl Gates {
    /// Builds the expressions over the symbols that the builder declares, whose leaves are
    /// given in the same order: inputs, then registers.
    pub fn new(
        aig: &Aig,
        leaves: impl Iterator<Item = AigLit>,
        builder: &mut SystemBuilder,
        limits: &dyn Limits,
    ) -> Result<Self, StopReason> {
        let mut exprs = vec![builder.pool.bool(false); aig.len()];
        let inputs = builder.inputs.iter().map(|input| input.symbol);
        let symbols = inputs.chain(builder.states.iter().map(|state| state.symbol));
        for (lit, symbol) in leaves.zip(symbols) {
            exprs[lit.node()] = symbol;
        }
        builder.pool.reserve(aig.len());
        let mut gates = Gates(exprs);
        for node in 0..aig.len() {
            if node.is_multiple_of(1 << 14)
                && let Some(reason) = limits.passed()
            {
                return Err(reason);
            }
            if let Gate::And(a, b) = aig.gate(node) {
                let [a, b] = [a, b].map(|lit| gates.expr(&mut builder.pool, lit));
                gates.0[node] = builder.pool.and(a, b).expect("two bits");
            }
        }
        Ok(gates)
    }

    /// The expression of a literal.
    pub fn expr(&self, pool: &mut Pool, lit: AigLit) -> ExprId {
        let expr = self.0[lit.node()];
        if lit.is_complement() { pool.not(expr).expect("a bit") } else { expr }
    }
}
