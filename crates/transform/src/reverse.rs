//! Runs a system backwards.
//!
//! Some models state their steps as a relation: a step reads a whole new state from inputs
//! and checks that the old state is a function of the new one. Such a model runs backwards in
//! time. It has the registers
//!
//! - first, which is true in the first cycle only (or false in the first cycle only);
//! - r, a vector of registers that take the values of inputs: r′ = x;
//! - valid, with valid′ = Init(x, c) in the first cycle and
//!   valid′ = valid ∧ r = h(x, c) ∧ E(r, x, c) in all others;
//!
//! where c are the inputs that are not stored. A cycle is bad if ¬first ∧ valid ∧ r ∈ B, for a
//! cube B. Engines that learn about states learn little here, because a step allows almost
//! every new state.
//!
//! The reversed system is a function again. It has the registers s and ok. Initially s ∈ B and
//! ok is true; a step is s′ = h(s, c) and ok′ = ok ∧ E(h(s, c), s, c); and a cycle is bad if
//! ok ∧ Init(s, c).
//!
//! **The way back.** A trace of the reversed system that is bad in cycle n, with the states
//! s₀ … sₙ, is read from its end: the first cycle of the old system gets x = sₙ, and each
//! further one the state before. After n + 1 steps r = s₀, and the cycle is bad.
//!
//! From an inductive invariant Inv(s, ok) of the reversed system follows the invariant
//! "the state is the initial one, or ¬first ∧ (valid ⇒ ¬Inv(r, 1))" of the old one. After the
//! first cycle, Inv(x, 1) would contradict Init(x, c). In a later step, Inv(x, 1) would imply
//! Inv(h(x, c), 1), which is Inv(r, 1). In a bad cycle r ∈ B, which implies Inv(r, 1).
//!
//! Limits: the system has no constraints, and each part has the form above up to the rewriting
//! of gates. Other systems are not reversed.

use elinvar_ir::{
    BitVec, Certificate, ExprId, Formula, Pool, PropertyId, Role, Sort, StateBit, Step, Trace,
    Value, cone, import,
};
use elinvar_logic::{Aig, AigLit};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bits::{BitProperty, BitRegister, BitSystem};
use crate::lift::{Inexpressible, Lift};

const BIT: &str = "bits of registers";

/// A system that runs backwards, with the way back to the system that was given.
#[derive(Clone, Debug)]
pub struct Reversed {
    /// The reversed system. The properties have their old numbers; all but the one that was
    /// asked for are never violated.
    pub bits: BitSystem,
    shape: Shape,
}

/// The parts of a system whose steps check the old state against the new one. Registers and
/// inputs are given by their numbers.
#[derive(Clone, Debug)]
struct Shape {
    /// By register.
    initial: Vec<bool>,
    input_count: usize,
    first: usize,
    valid: usize,
    stored: Vec<Stored>,
    /// The inputs that are not stored.
    choices: Vec<usize>,
}

/// A register that takes the value of an input.
#[derive(Clone, Copy, Debug)]
struct Stored {
    register: usize,
    input: usize,
}

/// Reverses a system for one of its properties, if it has the form for that.
pub fn reverse(bits: &BitSystem, property: PropertyId) -> Option<Reversed> {
    let shape = Shape::of(bits)?;
    let parts = Parts::new(bits, &shape, property)?;
    let cube = parts.cube(&shape)?;
    let definitions = parts.definitions(&shape)?;
    let bits = parts.reversed(bits, &shape, property, &cube, &definitions);
    Some(Reversed { bits, shape })
}

impl Shape {
    fn of(bits: &BitSystem) -> Option<Self> {
        if !bits.constraints().is_empty() {
            return None;
        }
        let mut input_of: FxHashMap<AigLit, usize> =
            bits.inputs().iter().enumerate().map(|(number, &lit)| (lit, number)).collect();
        let (mut initial, mut stored) = (Vec::new(), Vec::new());
        let (mut first, mut valid) = (Vec::new(), Vec::new());
        for (number, register) in bits.registers().iter().enumerate() {
            let value = register.init?.as_constant()?;
            initial.push(value);
            if register.next == AigLit::constant(!value) {
                first.push(number);
            } else if let Some(input) = input_of.remove(&register.next) {
                stored.push(Stored { register: number, input });
            } else {
                valid.push(number);
            }
        }
        let (&[first], &[valid]) = (&first[..], &valid[..]) else { return None };
        let is_stored: FxHashSet<usize> = stored.iter().map(|stored| stored.input).collect();
        let input_count = bits.inputs().len();
        let choices = (0..input_count).filter(|input| !is_stored.contains(input)).collect();
        Some(Shape { initial, input_count, first, valid, stored, choices })
    }
}

/// The functions that a system of this form consists of, in a graph of their own.
struct Parts {
    aig: Aig,
    /// By input and by register of the old system.
    inputs: Vec<AigLit>,
    registers: Vec<AigLit>,
    /// When valid stays true after the first cycle: r = h(x, c) ∧ E(r, x, c).
    step: AigLit,
    /// When valid becomes true in the first cycle.
    init: AigLit,
    /// When a cycle after the first is bad if valid is true.
    bad: AigLit,
}

impl Parts {
    fn new(bits: &BitSystem, shape: &Shape, property: PropertyId) -> Option<Self> {
        let mut aig = Aig::new();
        let inputs: Vec<AigLit> = bits.inputs().iter().map(|_| aig.input()).collect();
        let registers: Vec<AigLit> = bits.registers().iter().map(|_| aig.input()).collect();
        let later = AigLit::constant(!shape.initial[shape.first]);
        let mut values = vec![AigLit::FALSE; bits.aig().len()];
        for (&old, &new) in bits.inputs().iter().zip(&inputs) {
            values[old.node()] = new;
        }
        let valid = &bits.registers()[shape.valid];
        let roots = [valid.next, bits.property(property).bad];
        let mut at = |value: &dyn Fn(usize) -> AigLit| {
            for (number, old) in bits.registers().iter().enumerate() {
                values[old.lit.node()] = value(number);
            }
            copy(bits.aig(), &roots, |node| values[node], &mut aig)
        };
        let after_first = |valid: AigLit| {
            let registers = &registers;
            move |number: usize| match number {
                _ if number == shape.first => later,
                _ if number == shape.valid => valid,
                _ => registers[number],
            }
        };
        let initially = at(&|number| AigLit::constant(shape.initial[number]));
        let invalid = at(&after_first(AigLit::FALSE));
        let valid = at(&after_first(AigLit::TRUE));
        let has_form = initially[1] == AigLit::FALSE && invalid == [AigLit::FALSE; 2];
        let (step, init, bad) = (valid[0], initially[0], valid[1]);
        has_form.then_some(Parts { aig, inputs, registers, step, init, bad })
    }

    /// The literals whose conjunction a literal is.
    fn conjuncts(&self, root: AigLit) -> Vec<AigLit> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack = vec![root];
        while let Some(lit) = stack.pop() {
            if lit == AigLit::TRUE || !seen.insert(lit) {
                continue;
            }
            match self.aig.operands(lit.node()) {
                Some((a, b)) if !lit.is_complement() => stack.extend([b, a]),
                Some(_) | None => found.push(lit),
            }
        }
        found
    }

    /// By node of a stored register: its number among the stored ones.
    fn numbers(&self, shape: &Shape) -> FxHashMap<usize, usize> {
        let nodes = shape.stored.iter().map(|stored| self.registers[stored.register].node());
        nodes.enumerate().map(|(number, node)| (node, number)).collect()
    }

    /// By stored register: its value in bad states, if there is only one. Nothing if the bad
    /// states are not a cube.
    fn cube(&self, shape: &Shape) -> Option<Vec<Option<bool>>> {
        let numbers = self.numbers(shape);
        let mut cube = vec![None; shape.stored.len()];
        for lit in self.conjuncts(self.bad) {
            cube[*numbers.get(&lit.node())?] = Some(!lit.is_complement());
        }
        Some(cube)
    }

    /// The function of inputs that each stored register must be equal to, and the other
    /// conditions of a step. Nothing if there is a register without such a function.
    fn definitions(&self, shape: &Shape) -> Option<Definitions> {
        let numbers = self.numbers(shape);
        let reads_registers = self.reads_registers();
        let mut functions = vec![None; shape.stored.len()];
        let mut others = Vec::new();
        // The conjunct that states one direction of an equation.
        let mut half: FxHashMap<(usize, AigLit, bool), AigLit> = FxHashMap::default();
        for conjunct in self.conjuncts(self.step) {
            if let Some(&number) = numbers.get(&conjunct.node()) {
                functions[number] = Some(AigLit::constant(!conjunct.is_complement()));
                others.push(conjunct);
                continue;
            }
            if let Some((a, b)) = self.equation(conjunct)
                && let Some((number, function)) = [(a, b), (b, a)].into_iter().find_map(|(r, h)| {
                    let &number = numbers.get(&r.node())?;
                    let is_function = !reads_registers[h.node()] && functions[number].is_none();
                    is_function.then_some((number, h.complement_if(r.is_complement())))
                })
            {
                functions[number] = Some(function);
                continue;
            }
            let operands = self.aig.operands(conjunct.node()).filter(|_| conjunct.is_complement());
            let implication = operands.and_then(|(a, b)| {
                [(a, b), (b, a)].into_iter().find_map(|(register, other)| {
                    let &number = numbers.get(&register.node())?;
                    (!reads_registers[other.node()]).then_some((number, register, other))
                })
            });
            let Some((number, register, other)) = implication else {
                others.push(conjunct);
                continue;
            };
            // ¬(r ∧ ¬h) if positive, ¬(¬r ∧ h) otherwise.
            let positive = !register.is_complement();
            let function = other.complement_if(positive);
            let is_open = functions[number].is_none();
            if is_open && half.remove(&(number, function, !positive)).is_some() {
                functions[number] = Some(function);
            } else {
                half.insert((number, function, positive), conjunct);
            }
        }
        others.extend(half.into_values());
        others.sort_unstable_by_key(|lit| lit.code());
        Some(Definitions { functions: functions.into_iter().collect::<Option<_>>()?, others })
    }

    /// The two literals that a literal states to be equal: ¬(¬(a ∧ b) ∧ ¬(¬a ∧ ¬b)).
    fn equation(&self, lit: AigLit) -> Option<(AigLit, AigLit)> {
        let (left, right) = self.aig.operands(lit.node()).filter(|_| lit.is_complement())?;
        if !left.is_complement() || !right.is_complement() {
            return None;
        }
        let (a, b) = self.aig.operands(left.node())?;
        let (c, d) = self.aig.operands(right.node())?;
        ((c, d) == (!a, !b) || (d, c) == (!a, !b)).then_some((a, b))
    }

    /// By node: does it depend on a register?
    fn reads_registers(&self) -> Vec<bool> {
        let mut reads = vec![false; self.aig.len()];
        self.registers.iter().for_each(|lit| reads[lit.node()] = true);
        for node in 0..reads.len() {
            if let Some((a, b)) = self.aig.operands(node) {
                reads[node] = reads[a.node()] || reads[b.node()];
            }
        }
        reads
    }

    fn reversed(
        &self,
        old: &BitSystem,
        shape: &Shape,
        property: PropertyId,
        cube: &[Option<bool>],
        definitions: &Definitions,
    ) -> BitSystem {
        let mut aig = Aig::new();
        let inputs: Vec<AigLit> = shape.choices.iter().map(|_| aig.input()).collect();
        let states: Vec<AigLit> = shape.stored.iter().map(|_| aig.input()).collect();
        let ok = aig.input();
        let mut values = vec![AigLit::FALSE; self.aig.len()];
        for (&number, &input) in shape.choices.iter().zip(&inputs) {
            values[self.inputs[number].node()] = input;
        }
        for (stored, &state) in shape.stored.iter().zip(&states) {
            values[self.inputs[stored.input].node()] = state;
        }
        let next = copy(&self.aig, &definitions.functions, |node| values[node], &mut aig);
        let init = copy(&self.aig, &[self.init], |node| values[node], &mut aig)[0];
        for (stored, &next) in shape.stored.iter().zip(&next) {
            values[self.registers[stored.register].node()] = next;
        }
        let others = copy(&self.aig, &definitions.others, |node| values[node], &mut aig);
        let others = aig.and_all(&others);
        let (ok_next, bad) = (aig.and(ok, others), aig.and(ok, init));
        let registers = states.iter().zip(next).zip(cube).map(|((&lit, next), value)| {
            BitRegister { lit, init: value.map(AigLit::constant), next }
        });
        let ok = BitRegister { lit: ok, init: Some(AigLit::TRUE), next: ok_next };
        let properties = old.properties().iter().enumerate().map(|(number, each)| BitProperty {
            name: each.name.clone(),
            bad: if number == property.0 { bad } else { AigLit::FALSE },
        });
        let kept = shape.stored.iter().map(|stored| stored.register).chain([shape.valid]);
        let declared = old.declare_again(&shape.choices, &kept.collect::<Vec<_>>());
        let registers = registers.chain([ok]).collect();
        BitSystem::new(aig, inputs, registers, Vec::new(), properties.collect(), declared)
    }
}

/// What a step demands.
struct Definitions {
    /// By stored register: h.
    functions: Vec<AigLit>,
    /// The conjuncts of E.
    others: Vec<AigLit>,
}

/// Copies what the roots depend on into another graph, with other literals for the leaves.
fn copy(old: &Aig, roots: &[AigLit], leaf: impl Fn(usize) -> AigLit, new: &mut Aig) -> Vec<AigLit> {
    let mut lits = vec![AigLit::FALSE; old.len()];
    let image = |lits: &[AigLit], lit: AigLit| lits[lit.node()].complement_if(lit.is_complement());
    for node in old.cone(roots.iter().copied()) {
        lits[node] = match old.operands(node) {
            Some((a, b)) => new.and(image(&lits, a), image(&lits, b)),
            None => leaf(node),
        };
    }
    roots.iter().map(|&root| image(&lits, root)).collect()
}

impl Lift for Reversed {
    type From = BitSystem;
    type To = BitSystem;

    fn trace(&self, trace: Trace) -> Trace {
        let zero = || Value::Bv(BitVec::bool(false));
        let states = self.states(&trace);
        let mut steps: Vec<Step> = Vec::with_capacity(states.len() + 1);
        for (state, step) in states.iter().zip(&trace.steps).rev() {
            let mut inputs: Vec<Value> = (0..self.shape.input_count).map(|_| zero()).collect();
            for (stored, &value) in self.shape.stored.iter().zip(state) {
                inputs[stored.input] = Value::Bv(BitVec::bool(value));
            }
            for (&choice, value) in self.shape.choices.iter().zip(step.inputs.iter()) {
                inputs[choice] = value.clone();
            }
            steps.push(Step { inputs: inputs.into(), free: Vec::new() });
        }
        let inputs = (0..self.shape.input_count).map(|_| zero()).collect();
        steps.push(Step { inputs, free: Vec::new() });
        let initial = self.shape.initial.iter().map(|&value| Value::Bv(BitVec::bool(value)));
        Trace {
            property: trace.property,
            initial: initial.collect(),
            steps: steps.into(),
            loop_start: None,
        }
    }

    fn proof(&self, proof: Certificate) -> Result<Certificate, Inexpressible> {
        let mut claim = Claim::new(&self.shape);
        let invariant = match &proof {
            Certificate::Inductive { clauses } => self.clauses(clauses, &mut claim),
            Certificate::Formula(formula) => import_formula(formula, &mut claim)?,
            Certificate::Facts { .. } => {
                return Err(Inexpressible("it is about words of a reversed system".into()));
            }
            Certificate::KInductive { .. } => {
                return Err(Inexpressible("it is an induction on a reversed system".into()));
            }
            Certificate::Ranking(_) => return Err(Inexpressible::liveness()),
        };
        Ok(Certificate::Formula(Box::new(claim.reversed(invariant, &self.shape))))
    }
}

impl Reversed {
    /// The values of the registers, without the last one, in the cycles of a trace.
    fn states(&self, trace: &Trace) -> Vec<Vec<bool>> {
        let aig = self.bits.aig();
        let mut leaves = vec![false; aig.len()];
        for (register, value) in self.bits.registers().iter().zip(&trace.initial) {
            leaves[register.lit.node()] = value.bv().is_true();
        }
        let mut states = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            let registers = &self.bits.registers()[..self.shape.stored.len()];
            states.push(registers.iter().map(|register| leaves[register.lit.node()]).collect());
            for (&input, value) in self.bits.inputs().iter().zip(step.inputs.iter()) {
                leaves[input.node()] = value.bv().is_true();
            }
            let values = aig.simulate(|node| leaves[node]);
            for register in self.bits.registers() {
                leaves[register.lit.node()] = values.value(register.next);
            }
        }
        states
    }

    fn clauses(&self, clauses: &[Vec<StateBit>], claim: &mut Claim) -> ExprId {
        let count = self.bits.registers().len();
        let numbers: FxHashMap<ExprId, usize> =
            (0..count).map(|number| (self.bits.symbol(number), number)).collect();
        let mut all = claim.pool.bool(true);
        for clause in clauses {
            let mut any = claim.pool.bool(false);
            for literal in clause {
                let bit = claim.states[numbers[&literal.state]];
                let bit = claim.with_sign(bit, literal.positive);
                any = claim.pool.or(any, bit).expect(BIT);
            }
            all = claim.pool.and(all, any).expect(BIT);
        }
        all
    }
}

/// A formula about the old system under construction.
struct Claim {
    pool: Pool,
    symbols: Vec<Role>,
    /// By register of the old system.
    registers: FxHashMap<usize, ExprId>,
    /// By register of the reversed system.
    states: Vec<ExprId>,
}

impl Claim {
    /// Registers of the reversed system are those of the old one, and ok is true.
    fn new(shape: &Shape) -> Self {
        let mut pool = Pool::new();
        let (mut symbols, mut registers) = (Vec::new(), FxHashMap::default());
        let stored = shape.stored.iter().map(|stored| stored.register);
        for register in stored.clone().chain([shape.first, shape.valid]) {
            symbols.push(Role::State(register));
            registers.insert(register, pool.symbol(Sort::BOOL, None).expect(BIT));
        }
        let ok = pool.bool(true);
        let states = stored.map(|register| registers[&register]).chain([ok]).collect();
        Claim { pool, symbols, registers, states }
    }

    fn with_sign(&mut self, bit: ExprId, positive: bool) -> ExprId {
        if positive { bit } else { self.pool.not(bit).expect(BIT) }
    }

    /// The state is the initial one, or ¬first ∧ (valid ⇒ ¬invariant).
    fn reversed(mut self, invariant: ExprId, shape: &Shape) -> Formula {
        let mut start = self.pool.bool(true);
        for (number, &value) in shape.initial.iter().enumerate() {
            let bit = self.with_sign(self.registers[&number], value);
            start = self.pool.and(start, bit).expect(BIT);
        }
        let first = self.with_sign(self.registers[&shape.first], shape.initial[shape.first]);
        let (later, valid) = (self.with_sign(first, false), self.registers[&shape.valid]);
        let both = self.pool.and(valid, invariant).expect(BIT);
        let not_both = self.with_sign(both, false);
        let later = self.pool.and(later, not_both).expect(BIT);
        let expr = self.pool.or(start, later).expect(BIT);
        Formula { pool: self.pool, expr, symbols: self.symbols }
    }
}

fn import_formula(formula: &Formula, claim: &mut Claim) -> Result<ExprId, Inexpressible> {
    let mut meaning = FxHashMap::default();
    for node in cone(&formula.pool, [formula.expr]) {
        let Some(symbol) = formula.pool.as_symbol(node) else { continue };
        match formula.symbols[symbol.index()] {
            Role::State(number) => {
                meaning.insert(node, claim.states[number]);
            }
            Role::Input(_) => {
                let why = "it is about all values of an input of a reversed system";
                return Err(Inexpressible(why.into()));
            }
        }
    }
    Ok(import(&mut claim.pool, &formula.pool, formula.expr, &meaning))
}

#[cfg(test)]
mod tests {
    use elinvar_check::{Budget, certificate, replay};
    use elinvar_engines::pdr::{Pdr, PdrOptions};
    use elinvar_engines::{Run, Task};
    use elinvar_ir::{Rng, SystemBuilder, TransitionSystem, Verdict};
    use elinvar_models::{Outcome, search};

    use super::*;
    use crate::bits::{PassOptions, prepare};
    use crate::limits::Unlimited;

    const PROPERTY: PropertyId = PropertyId(0);
    const STORED: usize = 3;

    /// A random function of some bits.
    fn function(pool: &mut Pool, bits: &[ExprId], rng: &mut Rng) -> ExprId {
        let mut known = bits.to_vec();
        for _ in 0..2 + rng.next_u64() % 4 {
            let [a, b] = [0, 1].map(|_| {
                let bit = known[rng.next_u64() as usize % known.len()];
                if rng.next_u64().is_multiple_of(2) { bit } else { pool.not(bit).unwrap() }
            });
            known.push(pool.and(a, b).unwrap());
        }
        let last = *known.last().unwrap();
        if rng.next_u64().is_multiple_of(2) { last } else { pool.not(last).unwrap() }
    }

    /// A system of the form that can be reversed, with random functions. The registers are
    /// first, valid and the stored ones, the inputs the stored ones and two choices.
    fn backwards(seed: u64) -> SystemBuilder {
        let mut rng = Rng::new(seed);
        let mut b = SystemBuilder::new();
        let inputs: Vec<ExprId> =
            (0..STORED + 2).map(|_| b.input(Sort::BOOL, None).unwrap()).collect();
        let states: Vec<ExprId> =
            (0..STORED + 2).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        let pool = &mut b.pool;
        let marks_with_one = seed.is_multiple_of(2);
        let (first, valid) = (states[0], states[1]);
        let first = if marks_with_one { first } else { pool.not(first).unwrap() };
        let later = pool.not(first).unwrap();
        let mut step = valid;
        for &register in &states[2..] {
            let h = function(pool, &inputs, &mut rng);
            let same = pool.equal(register, h).unwrap();
            step = pool.and(step, same).unwrap();
        }
        let all: Vec<ExprId> = inputs.iter().chain(&states[2..]).copied().collect();
        for _ in 0..rng.next_u64() % 3 {
            let other = function(pool, &all, &mut rng);
            step = pool.and(step, other).unwrap();
        }
        let init = function(pool, &inputs, &mut rng);
        let mut bad = pool.and(later, valid).unwrap();
        for &register in &states[2..] {
            let literal = match rng.next_u64() % 5 {
                0 => continue,
                1 | 2 => register,
                _ => pool.not(register).unwrap(),
            };
            bad = pool.and(bad, literal).unwrap();
        }
        let valid_next = pool.ite(first, init, step).unwrap();
        let [zero, one] = [false, true].map(|value| pool.bool(value));
        let constant = |value| if value { one } else { zero };
        for (number, state) in b.states.iter_mut().enumerate() {
            (state.init, state.next) = match number {
                0 => (Some(constant(marks_with_one)), Some(constant(!marks_with_one))),
                1 => (Some(constant(rng.next_u64().is_multiple_of(2))), Some(valid_next)),
                _ => (Some(constant(rng.next_u64().is_multiple_of(2))), Some(inputs[number - 2])),
            };
        }
        b.bad("reached", bad);
        b
    }

    fn reversed(system: &TransitionSystem) -> Option<(BitSystem, Reversed)> {
        let none = PassOptions::NONE;
        let bits = prepare(system, &[PROPERTY], &none, 0, &Unlimited).unwrap().bits;
        let reversed = reverse(&bits, PROPERTY)?;
        Some((bits, reversed))
    }

    fn verdict(system: &TransitionSystem) -> Verdict {
        let task = Task::about(system, &[PROPERTY], &Run::new());
        task.check(&mut Pdr(PdrOptions::default())).unwrap().remove(0)
    }

    #[test]
    fn reversed_systems_have_the_same_verdicts_and_their_evidence_is_accepted() {
        let (mut safe, mut failing) = (0, 0);
        for seed in 0..1500 {
            let system = backwards(seed).finish().unwrap();
            let Some((old, reversed)) = reversed(&system) else { continue };
            let truth = search(&system, 20_000).unwrap()[0].1;
            let backwards = search(reversed.bits.system(), 20_000).unwrap()[0].1;
            let found = verdict(reversed.bits.system());
            let accepted = match (reversed.verdict(found), truth) {
                (Verdict::Safe(proof), Outcome::Safe) => {
                    assert_eq!(backwards, Outcome::Safe, "seed {seed}");
                    safe += 1;
                    certificate(old.system(), PROPERTY, &proof, &Budget::default())
                }
                (Verdict::Unsafe(trace), Outcome::Unsafe(depth)) => {
                    assert_eq!(backwards, Outcome::Unsafe(depth - 1), "seed {seed}");
                    failing += 1;
                    replay(old.system(), &trace)
                }
                other => panic!("seed {seed}: {other:?}"),
            };
            assert_eq!(accepted, Ok(()), "seed {seed}");
        }
        assert!(safe > 50 && failing > 200, "{safe} safe, {failing} failing");
    }

    #[test]
    fn formulas_go_back_like_clauses_and_wrong_ones_are_refused() {
        let (mut accepted, mut refused) = (0, 0);
        for seed in 0..1500 {
            let system = backwards(seed).finish().unwrap();
            let Some((old, reversed)) = reversed(&system) else { continue };
            let Verdict::Safe(Certificate::Inductive { clauses }) = verdict(reversed.bits.system())
            else {
                continue;
            };
            let check = |proof: Certificate| {
                let proof = reversed.proof(proof).unwrap();
                certificate(old.system(), PROPERTY, &proof, &Budget::default())
            };
            let mut formula = formula_of(&reversed.bits, &clauses);
            assert_eq!(check(Certificate::Formula(Box::new(formula.clone()))), Ok(()));
            accepted += 1;
            // Everything is reachable, or nothing is.
            for value in [true, false] {
                formula.expr = formula.pool.bool(value);
                let wrong = check(Certificate::Formula(Box::new(formula.clone())));
                refused += usize::from(wrong.is_err());
            }
        }
        assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
    }

    /// The clauses as a formula.
    fn formula_of(bits: &BitSystem, clauses: &[Vec<StateBit>]) -> Formula {
        let mut pool = Pool::new();
        let count = bits.registers().len();
        let symbols: FxHashMap<ExprId, ExprId> = (0..count)
            .map(|number| (bits.symbol(number), pool.symbol(Sort::BOOL, None).unwrap()))
            .collect();
        let mut expr = pool.bool(true);
        for clause in clauses {
            let literals: Vec<ExprId> = clause
                .iter()
                .map(|literal| {
                    let bit = symbols[&literal.state];
                    if literal.positive { bit } else { pool.not(bit).unwrap() }
                })
                .collect();
            let any = pool.disjoin(literals).unwrap();
            expr = pool.and(expr, any).unwrap();
        }
        Formula { pool, expr, symbols: (0..count).map(Role::State).collect() }
    }

    #[test]
    fn proofs_that_cannot_be_stated_are_not() {
        let (_, reversed) =
            (0..).find_map(|seed| reversed(&backwards(seed).finish().unwrap())).unwrap();
        let mut pool = Pool::new();
        let expr = pool.symbol(Sort::BOOL, None).unwrap();
        let formula = Formula { pool, expr, symbols: vec![Role::Input(0)] };
        for proof in [
            Certificate::KInductive { k: 1, simple_path: false },
            Certificate::Facts { clauses: Vec::new() },
            Certificate::Formula(Box::new(formula)),
        ] {
            assert!(reversed.proof(proof).is_err());
        }
    }

    #[test]
    fn systems_of_another_form_are_not_reversed() {
        let seed = (0..).find(|&seed| reversed(&backwards(2 * seed).finish().unwrap()).is_some());
        let seed = 2 * seed.unwrap();
        let is_reversed = |change: &dyn Fn(&mut SystemBuilder)| {
            let mut builder = backwards(seed);
            change(&mut builder);
            reversed(&builder.finish().unwrap()).is_some()
        };
        assert!(is_reversed(&|_| {}));
        let valid = |b: &SystemBuilder| b.states[1].symbol;
        // A constraint.
        assert!(!is_reversed(&|b| b.constraints.push(valid(b))));
        // A stored register without an initial value.
        assert!(!is_reversed(&|b| b.states[2].init = None));
        // Valid can become true again.
        assert!(!is_reversed(&|b| {
            let next = b.states[1].next.unwrap();
            b.states[1].next = Some(b.pool.or(next, b.inputs[0].symbol).unwrap());
        }));
        // A step demands nothing of the stored registers.
        assert!(!is_reversed(&|b| b.states[1].next = Some(valid(b))));
        // Bad states that are not valid, or not a cube.
        assert!(!is_reversed(&|b| {
            let bad = b.states[2].symbol;
            b.properties.clear();
            b.bad("stored", bad);
        }));
        assert!(!is_reversed(&|b| {
            let either = b.pool.or(b.states[2].symbol, b.states[3].symbol).unwrap();
            let not_first = b.pool.not(b.states[0].symbol).unwrap();
            let bad = b.pool.conjoin([either, valid(b), not_first]).unwrap();
            b.properties.clear();
            b.bad("either", bad);
        }));
    }
}
