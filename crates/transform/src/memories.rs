//! Small memories as words: each element of a memory becomes a register of its own.
//!
//! The engine on words reasons about registers, so it needs a register for each element of a
//! memory. A read becomes a tree of multiplexers over the bits of the address, a write
//! chooses for each element whether it changes, and all other operators work element by
//! element. The new system contains only what the chosen properties depend on. Properties
//! keep their numbers.
//!
//! Arrays of one sort can be copied and compared, so either all arrays of a sort are expanded
//! or none. Arrays that are too large stay arrays; a system may have both kinds.

use std::collections::BTreeMap;
use std::rc::Rc;

use elinvar_ir::{
    BitVec, Certificate, Expr, ExprId, Fact, Formula, Input, Pool, Property, PropertyId, Role,
    Simulator, Sort, SortError, State, StateBit, Step, SystemBuilder, Trace, TransitionSystem,
    Value, Word, cone, copied, import, rebuild, zero_of,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lift::{Inexpressible, Lift};

/// The widest address of a memory that is expanded: at most 256 elements.
const MAX_INDEX_WIDTH: u32 = 8;

/// The most expressions that the expansion may add.
const MAX_NODES: u64 = 1_000_000;

/// The most bits that all multiplexers of the expansion may have together. This is a fraction
/// of the gates that the engine can work with, so that a memory of wide elements does not use
/// them up.
const MAX_CHOSEN_BITS: u64 = 10_000_000;

/// A system with words for small memories, and the way back.
pub struct Expanded<'a> {
    /// The new system.
    pub system: TransitionSystem,
    old: &'a TransitionSystem,
    /// By input of the new system.
    inputs: Vec<Origin>,
    /// By state of the new system.
    states: Vec<Origin>,
}

/// What an input or a state of the new system is in the old one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Origin {
    /// Its number among the inputs or the states.
    index: usize,
    /// Which element, if it is a memory that was expanded.
    element: Option<BitVec>,
}

/// Expands the memories that the properties depend on, the smallest first, as long as they
/// have at most `memory_limit` bits together. None if there is nothing to expand.
pub fn expand_memories<'a>(
    system: &'a TransitionSystem,
    properties: &[PropertyId],
    memory_limit: u64,
) -> Option<Expanded<'a>> {
    let part = Part::new(system, properties);
    let small = part.small_sorts(system.pool(), memory_limit);
    if small.is_empty() {
        return None;
    }
    let expansion = Expansion {
        old: system,
        small,
        builder: SystemBuilder::new(),
        copies: FxHashMap::default(),
        elements: FxHashMap::default(),
    };
    Some(expansion.build(&part, properties).expect("the sorts of the original"))
}

impl Lift for Expanded<'_> {
    type From = TransitionSystem;
    type To = TransitionSystem;

    fn trace(&self, trace: Trace) -> Trace {
        let pool = self.old.pool();
        let mut inputs: Vec<Value> =
            self.old.inputs().iter().map(|input| zero_of(pool.sort(input.symbol))).collect();
        let mut states: Vec<Value> =
            self.old.states().iter().map(|state| zero_of(pool.sort(state.symbol))).collect();
        for (origin, value) in self.states.iter().zip(&trace.initial) {
            origin.set(&mut states, value);
        }
        let free_states = self.system.free_states();
        let mut initial = Vec::new();
        let mut steps = Vec::with_capacity(trace.steps.len());
        for (cycle, step) in trace.steps.iter().enumerate() {
            for (origin, value) in self.inputs.iter().zip(step.inputs.iter()) {
                origin.set(&mut inputs, value);
            }
            for (&state, value) in free_states.iter().zip(&step.free) {
                self.states[state].set(&mut states, value);
            }
            let free = if cycle == 0 {
                // What the new system does not have may be initialised by expressions.
                let start = Simulator::new(self.old, |state| states[state].clone(), inputs.clone());
                initial = start.states().to_vec();
                Vec::new()
            } else {
                self.old.free_states().iter().map(|&state| states[state].clone()).collect()
            };
            steps.push(Step { inputs: inputs.clone().into(), free });
        }
        Trace { property: trace.property, initial, steps: steps.into(), loop_start: None }
    }

    /// Clauses over bits become facts, which can speak of elements. A k-induction is passed
    /// on as a claim: it holds of paths of the old system, too, except that simple paths may
    /// now differ in what the new system leaves out.
    fn proof(&self, proof: Certificate) -> Result<Certificate, Inexpressible> {
        Ok(match proof {
            Certificate::Inductive { clauses } => {
                let fact = |literal: &StateBit| Fact::Bit {
                    word: Word { state: literal.state, element: None },
                    bit: literal.bit,
                    value: literal.positive,
                };
                let clause = |clause: &Vec<StateBit>| clause.iter().map(fact).collect();
                let clauses: Vec<Vec<Fact>> = clauses.iter().map(clause).collect();
                Certificate::Facts { clauses: self.clauses(&clauses) }
            }
            Certificate::Facts { clauses } => {
                Certificate::Facts { clauses: self.clauses(&clauses) }
            }
            Certificate::KInductive { .. } => proof,
            Certificate::Formula(formula) => Certificate::Formula(Box::new(self.formula(&formula))),
            Certificate::Ranking(_) => return Err(Inexpressible::liveness()),
        })
    }
}

impl Expanded<'_> {
    fn clauses(&self, clauses: &[Vec<Fact>]) -> Vec<Vec<Fact>> {
        let states = self.system.states().iter().map(|state| state.symbol);
        let origins: FxHashMap<ExprId, &Origin> = states.zip(&self.states).collect();
        let old = |word: &Word| {
            let Origin { index, element } = origins[&word.state];
            let element = element.as_ref().or(word.element.as_ref());
            Word { state: self.old.states()[*index].symbol, element: element.cloned() }
        };
        let clause = |clause: &Vec<Fact>| clause.iter().map(|fact| fact.map_words(old)).collect();
        clauses.iter().map(clause).collect()
    }

    /// The formula, with elements of memories in place of registers.
    fn formula(&self, formula: &Formula) -> Formula {
        const SORTED: &str = "the sorts of the original";
        let mut pool = Pool::new();
        let mut symbols = Vec::new();
        let mut known: FxHashMap<Role, ExprId> = FxHashMap::default();
        let mut meaning: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for node in cone(&formula.pool, [formula.expr]) {
            let Some(symbol) = formula.pool.as_symbol(node) else { continue };
            let (origin, role, original) = match formula.symbols[symbol.index()] {
                Role::State(index) => {
                    let origin = &self.states[index];
                    (origin, Role::State(origin.index), self.old.states()[origin.index].symbol)
                }
                Role::Input(index) => {
                    let origin = &self.inputs[index];
                    (origin, Role::Input(origin.index), self.old.inputs()[origin.index].symbol)
                }
            };
            let whole = *known.entry(role).or_insert_with(|| {
                symbols.push(role);
                pool.symbol(self.old.pool().sort(original), None).expect(SORTED)
            });
            let part = match &origin.element {
                None => whole,
                Some(address) => {
                    let address = pool.constant(address.clone());
                    pool.read(whole, address).expect(SORTED)
                }
            };
            meaning.insert(node, part);
        }
        let expr = import(&mut pool, &formula.pool, formula.expr, &meaning);
        Formula { pool, expr, symbols }
    }
}

impl Origin {
    /// Enters a value of the new system where it belongs in the old one.
    fn set(&self, values: &mut [Value], value: &Value) {
        match (&mut values[self.index], &self.element) {
            (Value::Array(memory), Some(address)) => {
                memory.write(address.clone(), value.bv().clone());
            }
            (whole, _) => *whole = value.clone(),
        }
    }
}

// ---- what to expand ------------------------------------------------------------------

/// What some properties depend on.
struct Part {
    /// The numbers of the states, ascending.
    states: Vec<usize>,
    /// All expressions, operands first.
    nodes: Vec<ExprId>,
}

/// What the arrays of one sort would become.
#[derive(Default)]
struct Cost {
    /// Of all inputs and states together.
    bits: u64,
    nodes: u64,
    /// Of all expressions together.
    chosen_bits: u64,
}

impl Cost {
    fn and(&self, other: &Cost) -> Cost {
        Cost {
            bits: self.bits + other.bits,
            nodes: self.nodes + other.nodes,
            chosen_bits: self.chosen_bits + other.chosen_bits,
        }
    }

    fn fits(&self, memory_limit: u64) -> bool {
        self.bits <= memory_limit && self.nodes <= MAX_NODES && self.chosen_bits <= MAX_CHOSEN_BITS
    }
}

impl Part {
    fn new(system: &TransitionSystem, properties: &[PropertyId]) -> Self {
        let bads = properties.iter().filter_map(|&id| system.bad(id));
        let roots: Vec<ExprId> = bads.chain(system.constraints().iter().copied()).collect();
        let states: Vec<usize> =
            system.cone_of_influence(roots.iter().copied()).into_iter().collect();
        let in_states = states.iter().map(|&index| system.states()[index]);
        let in_states =
            in_states.flat_map(|state| [Some(state.symbol), state.init, state.next]).flatten();
        let nodes = cone(system.pool(), in_states.chain(roots));
        Part { states, nodes }
    }

    /// The sorts whose arrays are expanded.
    fn small_sorts(&self, pool: &Pool, memory_limit: u64) -> FxHashSet<Sort> {
        let mut costs: Vec<((u32, u32), Cost)> = self.costs(pool).into_iter().collect();
        costs.sort_by_key(|(sort, cost)| (cost.bits, cost.nodes, *sort));
        let mut total = Cost::default();
        let mut small = FxHashSet::default();
        for ((index, element), cost) in costs {
            let with_these = total.and(&cost);
            if with_these.fits(memory_limit) {
                total = with_these;
                small.insert(Sort::Array { index, element });
            }
        }
        small
    }

    /// By the widths of addresses and elements, where there are few addresses.
    fn costs(&self, pool: &Pool) -> BTreeMap<(u32, u32), Cost> {
        let mut costs: BTreeMap<(u32, u32), Cost> = BTreeMap::new();
        for &node in &self.nodes {
            let (sort, per_element) = match pool.get(node) {
                Expr::Read(array, _) => (pool.sort(array), 1u64),
                Expr::ArrayEq(a, _) => (pool.sort(a), 2),
                // An equality, a choice, and the address that the element has.
                Expr::Write(..) => (pool.sort(node), 3),
                Expr::Symbol(_) | Expr::Ite(..) | Expr::ConstArray(_) => (pool.sort(node), 1),
                Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Slice { .. }
                | Expr::Uext { .. }
                | Expr::Sext { .. } => continue,
            };
            let Sort::Array { index: index @ ..=MAX_INDEX_WIDTH, element } = sort else { continue };
            let cost = costs.entry((index, element)).or_default();
            cost.nodes += per_element << index;
            let bits = u64::from(element) << index;
            match pool.as_symbol(node) {
                Some(_) => cost.bits += bits,
                None => cost.chosen_bits += bits,
            }
        }
        costs
    }
}

// ---- the new system ------------------------------------------------------------------

/// A small array, element by element.
type Elements = Rc<[ExprId]>;

/// An expansion under construction. All maps are by node of the old pool.
struct Expansion<'a> {
    old: &'a TransitionSystem,
    small: FxHashSet<Sort>,
    builder: SystemBuilder,
    /// Words, and arrays that stay as they are.
    copies: FxHashMap<ExprId, ExprId>,
    /// Small arrays.
    elements: FxHashMap<ExprId, Elements>,
}

impl<'a> Expansion<'a> {
    fn build(mut self, part: &Part, properties: &[PropertyId]) -> Result<Expanded<'a>, SortError> {
        let inputs = self.declare_inputs(part)?;
        let states = self.declare_states(part)?;
        for &node in &part.nodes {
            self.translate(node)?;
        }
        self.connect_states(&states);
        for &constraint in self.old.constraints() {
            let constraint = self.word(constraint);
            self.builder.constraints.push(constraint);
        }
        self.state_properties(properties);
        let system = self.builder.finish().expect("as well-formed as the original");
        Ok(Expanded { system, old: self.old, inputs, states })
    }

    fn declare_inputs(&mut self, part: &Part) -> Result<Vec<Origin>, SortError> {
        let mut origins = Vec::new();
        for (index, input) in self.old.inputs().iter().enumerate() {
            if part.nodes.binary_search(&input.symbol).is_ok() {
                let declared = self.declare(index, input.symbol, &self.old.input_name(index))?;
                for (origin, symbol) in declared {
                    self.builder.inputs.push(Input { symbol });
                    origins.push(origin);
                }
            }
        }
        Ok(origins)
    }

    fn declare_states(&mut self, part: &Part) -> Result<Vec<Origin>, SortError> {
        let mut origins = Vec::new();
        for &index in &part.states {
            let symbol = self.old.states()[index].symbol;
            for (origin, symbol) in self.declare(index, symbol, &self.old.state_name(index))? {
                self.builder.states.push(State { symbol, init: None, next: None });
                origins.push(origin);
            }
        }
        Ok(origins)
    }

    /// A new symbol for an old one, or one for each element.
    fn declare(
        &mut self,
        index: usize,
        old: ExprId,
        name: &str,
    ) -> Result<Vec<(Origin, ExprId)>, SortError> {
        let sort = self.old.pool().sort(old);
        let (width, element) = match sort {
            Sort::Array { index, element } if self.small.contains(&sort) => (index, element),
            Sort::Array { .. } | Sort::Bv(_) => {
                let symbol = self.builder.pool.symbol(sort, Some(name))?;
                self.copies.insert(old, symbol);
                return Ok(vec![(Origin { index, element: None }, symbol)]);
            }
        };
        let mut declared = Vec::with_capacity(1 << width);
        for address in 0..1u64 << width {
            let name = format!("{name}[{address}]");
            let symbol = self.builder.pool.symbol(Sort::Bv(element), Some(&name))?;
            let address = Some(BitVec::new(width, address));
            declared.push((Origin { index, element: address }, symbol));
        }
        self.elements.insert(old, declared.iter().map(|&(_, symbol)| symbol).collect());
        Ok(declared)
    }

    fn connect_states(&mut self, origins: &[Origin]) {
        for (number, Origin { index, element }) in origins.iter().enumerate() {
            let State { init, next, .. } = self.old.states()[*index];
            let init = init.map(|init| self.part_of(init, element.as_ref()));
            let next = next.map(|next| self.part_of(next, element.as_ref()));
            let state = &mut self.builder.states[number];
            (state.init, state.next) = (init, next);
        }
    }

    /// Properties that were not asked for hold.
    fn state_properties(&mut self, asked: &[PropertyId]) {
        for (number, property) in self.old.properties().iter().enumerate() {
            let id = PropertyId(number);
            let bad = match self.old.bad(id) {
                Some(bad) if asked.contains(&id) => self.word(bad),
                Some(_) | None => self.builder.pool.bool(false),
            };
            let name = property.name.clone();
            self.builder.properties.push(Property::bad(name, bad));
        }
    }

    fn is_small(&self, array: ExprId) -> bool {
        self.small.contains(&self.old.pool().sort(array))
    }

    /// The copy of an expression that is not a small array.
    fn word(&mut self, old: ExprId) -> ExprId {
        copied(&mut self.builder.pool, &self.copies, old)
    }

    /// An element of a small array, or the whole of anything else.
    fn part_of(&mut self, old: ExprId, element: Option<&BitVec>) -> ExprId {
        match element {
            Some(address) => self.elements[&old][position(address)],
            None => self.word(old),
        }
    }

    /// Translates a node whose operands are translated.
    fn translate(&mut self, node: ExprId) -> Result<(), SortError> {
        if self.old.pool().as_symbol(node).is_some() {
            return Ok(());
        }
        if self.is_small(node) {
            let elements = self.small_array(node)?;
            self.elements.insert(node, elements);
        } else {
            let copy = self.copy(node)?;
            self.copies.insert(node, copy);
        }
        Ok(())
    }

    /// The elements of a small array that is not a symbol.
    fn small_array(&mut self, node: ExprId) -> Result<Elements, SortError> {
        let pool = self.old.pool();
        if let Expr::Write(array, index, value) = pool.get(node) {
            self.write(array, index, value)
        } else if let Expr::Ite(c, t, e) = pool.get(node) {
            let c = self.word(c);
            let pairs = self.elements[&t].iter().zip(&*self.elements[&e]);
            pairs.map(|(&t, &e)| self.builder.pool.ite(c, t, e)).collect()
        } else if let Expr::ConstArray(value) = pool.get(node) {
            let value = self.word(value);
            Ok(std::iter::repeat_n(value, element_count(pool.sort(node))).collect())
        } else {
            unreachable!("arrays are written, chosen or constant")
        }
    }

    /// A word, or an array that stays one.
    fn copy(&mut self, node: ExprId) -> Result<ExprId, SortError> {
        let expr = self.old.pool().get(node);
        if let Expr::Const(value) = expr {
            Ok(self.builder.pool.constant(value))
        } else if let Expr::Read(array, index) = expr
            && self.is_small(array)
        {
            self.read(array, index)
        } else if let Expr::ArrayEq(a, b) = expr
            && self.is_small(a)
        {
            self.equal(a, b)
        } else {
            let sort = self.old.pool().sort(node);
            Ok(rebuild(&mut self.builder.pool, expr, sort, &self.copies))
        }
    }

    /// The element at an address: level by level, a bit of the address halves the choice.
    fn read(&mut self, array: ExprId, index: ExprId) -> Result<ExprId, SortError> {
        let elements = self.elements[&array].clone();
        let index = self.word(index);
        let pool = &mut self.builder.pool;
        if let Some(address) = pool.const_value(index) {
            return Ok(elements[position(&address)]);
        }
        let mut level = elements.to_vec();
        for bit in 0..pool.width(index) {
            let bit = pool.slice(index, bit, bit)?;
            let pairs = level.chunks_exact(2);
            level = pairs.map(|pair| pool.ite(bit, pair[1], pair[0])).collect::<Result<_, _>>()?;
        }
        Ok(level[0])
    }

    fn write(
        &mut self,
        array: ExprId,
        index: ExprId,
        value: ExprId,
    ) -> Result<Elements, SortError> {
        let (index, value) = (self.word(index), self.word(value));
        let mut elements = self.elements[&array].to_vec();
        let pool = &mut self.builder.pool;
        if let Some(address) = pool.const_value(index) {
            elements[position(&address)] = value;
            return Ok(elements.into());
        }
        for (address, element) in (0..).zip(&mut elements) {
            let address = pool.constant(BitVec::new(pool.width(index), address));
            let is_here = pool.equal(index, address)?;
            *element = pool.ite(is_here, value, *element)?;
        }
        Ok(elements.into())
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Result<ExprId, SortError> {
        let pairs = self.elements[&a].iter().zip(&*self.elements[&b]);
        let equal = pairs.map(|(&a, &b)| self.builder.pool.equal(a, b));
        let equal = equal.collect::<Result<Vec<ExprId>, SortError>>()?;
        self.builder.pool.conjoin(equal)
    }
}

/// Where the element at this address stands among the elements.
fn position(address: &BitVec) -> usize {
    address.to_u64().expect("a narrow address") as usize
}

fn element_count(sort: Sort) -> usize {
    match sort {
        Sort::Array { index, .. } => 1 << index,
        Sort::Bv(_) => unreachable!("only arrays have elements"),
    }
}

#[cfg(test)]
mod tests;
