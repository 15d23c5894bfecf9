//! Some states that are reached, by running the program; and perhaps an error.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use dashu_int::IBig;
use dashu_ratio::RBig;
use elinvar_ir::Rng;
use elinvar_ir::program::{
    BlockId, FunctionValue, LocationId, MapValue, Node, Program, ProgramStep, Sort, Term, Terms,
    Value, VariableId, Word,
};
use elinvar_smt::{SmtAnswer, Solver};
use rustc_hash::FxHashMap;

use super::super::graph::Graph;
use super::super::valuation::Valuation;

/// So many states of a location are enough to guess from.
const ENOUGH_STATES: usize = 60;
/// Blocks in one direction, one after the other; and in all directions together.
const DEPTH: usize = 4000;
const STEPS: usize = 12_000;
const WALKS: usize = 24;
const MOST_QUERIES: usize = 80;
const LIMIT: Duration = Duration::from_millis(100);

pub type State = FxHashMap<VariableId, Value>;

/// A run to an error.
pub struct ErrorRun {
    pub error: LocationId,
    /// By variable that is read; the others are any.
    pub initial: State,
    pub functions: Vec<FunctionValue>,
    pub steps: Vec<ProgramStep>,
}

/// Runs a program with values that occur in it.
pub struct Runner<'a> {
    graph: &'a mut Graph,
    program: &'a Program,
    random: Rng,
    /// Numbers of the program and their neighbours.
    numbers: Vec<IBig>,
    functions: Vec<FunctionValue>,
    queries: usize,
    pub states: BTreeMap<LocationId, Vec<State>>,
}

/// A step that was taken.
struct Taken {
    before: Valuation,
    after: State,
}

impl<'a> Runner<'a> {
    pub fn new(graph: &'a mut Graph, program: &'a Program, numbers: Vec<IBig>, seed: u64) -> Self {
        Runner {
            functions: zero_functions(&graph.terms),
            graph,
            program,
            random: Rng::new(seed),
            numbers,
            queries: 0,
            states: BTreeMap::new(),
        }
    }

    /// Collects states, near the entry and far from it; tells an error if one is reached.
    pub fn run(&mut self, stop: &dyn Fn() -> bool) -> Option<ErrorRun> {
        self.search(stop);
        let mut left = STEPS;
        (0..WALKS).find_map(|_| self.walk(&mut left, stop))
    }

    /// Breadth first, from a few initial states.
    fn search(&mut self, stop: &dyn Fn() -> bool) {
        let entry = self.graph.entry;
        let mut waiting: VecDeque<(LocationId, State)> = VecDeque::new();
        for _ in 0..8 {
            waiting.push_back((entry, State::default()));
        }
        while let Some((at, state)) = waiting.pop_front() {
            if stop() {
                break;
            }
            for block in self.graph.blocks_from(at) {
                let to = self.graph.block(block).to;
                if self.states.get(&to).is_some_and(|states| states.len() >= ENOUGH_STATES / 2) {
                    continue;
                }
                let Some(Taken { after, .. }) = self.step(block, &state) else { continue };
                if self.keep(to, &after) {
                    waiting.push_back((to, after));
                }
            }
        }
    }

    /// Is the state new, and of interest?
    fn keep(&mut self, at: LocationId, state: &State) -> bool {
        let states = self.states.entry(at).or_default();
        let new = states.len() < ENOUGH_STATES && !states.contains(state);
        if new {
            states.push(state.clone());
        }
        new
    }

    /// Straight on, as far as it goes.
    fn walk(&mut self, left: &mut usize, stop: &dyn Fn() -> bool) -> Option<ErrorRun> {
        let (mut at, mut state) = (self.graph.entry, State::default());
        let mut initial = None;
        let mut steps = Vec::new();
        for depth in 0..DEPTH {
            if *left == 0 || stop() {
                return None;
            }
            *left -= 1;
            let mut blocks = self.graph.blocks_from(at);
            let (block, Taken { mut before, after }) = loop {
                if blocks.is_empty() {
                    return None;
                }
                let block = blocks.swap_remove(self.random.below(blocks.len()));
                if let Some(taken) = self.step(block, &state) {
                    break (block, taken);
                }
            };
            initial.get_or_insert_with(|| before.state());
            let values = before.state();
            let terms = &self.graph.terms;
            steps.extend(self.graph.block(block).path(
                self.program,
                |condition| before.holds(terms, condition),
                |input| values.get(&input).cloned(),
            ));
            at = self.graph.block(block).to;
            state = after;
            if self.graph.is_error(at) {
                let functions = self.functions.clone();
                return Some(ErrorRun { error: at, initial: initial?, functions, steps });
            }
            // Far from the entry, now and then.
            if depth < 8 || (depth as u64).is_power_of_two() || self.random.one_in(64) {
                self.keep(at, &state);
            }
        }
        None
    }

    fn step(&mut self, block: BlockId, state: &State) -> Option<Taken> {
        let mut free = self.graph.block(block).inputs.clone();
        let from = self.graph.block(block).from;
        if from == self.graph.entry {
            free.extend_from_slice(&self.graph.live[&from]);
        }
        let guard = self.graph.block(block).guard;
        let attempts = if free.is_empty() { 1 } else { 6 };
        for _ in 0..attempts {
            let mut values = state.clone();
            for &input in &free {
                let value = self.any(input);
                values.insert(input, value);
            }
            let mut before = Valuation::new(values, self.functions.clone());
            if before.holds(&self.graph.terms, guard) {
                let after = self.after(block, &mut before)?;
                return Some(Taken { before, after });
            }
        }
        if free.is_empty() || self.queries >= MOST_QUERIES {
            return None;
        }
        self.queries += 1;
        self.solve(block, state, &free)
    }

    /// Values that the guard allows, from a solver.
    fn solve(&mut self, block: BlockId, state: &State, free: &[VariableId]) -> Option<Taken> {
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        for (&variable, value) in state {
            // Maps have no terms for their values.
            if let Some(value) = constant(&mut self.graph.terms, value) {
                map.insert(self.graph.terms.variable(variable), value);
            }
        }
        let guard = self.graph.block(block).guard;
        let rest = self.graph.terms.replace(guard, &mut map);
        let mut solver = Solver::new(&self.graph.context);
        solver.assert(&self.graph.terms, rest);
        // Not always the same values, if others will do.
        let preferred = self.preferred(free);
        let mut ask =
            |assumptions: &[Term]| match solver.check(&self.graph.terms, assumptions, LIMIT) {
                SmtAnswer::Sat(satisfied) => satisfied.model(),
                SmtAnswer::Unsat(_) | SmtAnswer::Unknown(_) => None,
            };
        let model = ask(&preferred).or_else(|| ask(&[]))?;
        let mut values = state.clone();
        for &input in free {
            values.insert(input, model.variable(&self.graph.terms, input)?);
        }
        let mut before = Valuation::new(values, self.functions.clone());
        if !before.holds(&self.graph.terms, guard) {
            return None;
        }
        let after = self.after(block, &mut before)?;
        Some(Taken { before, after })
    }

    /// One of the integers is beyond some number.
    fn preferred(&mut self, free: &[VariableId]) -> Vec<Term> {
        let is_int = |terms: &Terms, v: VariableId| *terms.variable_sort(v) == Sort::Int;
        let integers: Vec<VariableId> =
            free.iter().copied().filter(|&v| is_int(&self.graph.terms, v)).collect();
        if integers.is_empty() {
            return Vec::new();
        }
        let one = integers[self.random.below(integers.len())];
        let number = self.number();
        let terms = &mut self.graph.terms;
        let (one, number) = (terms.variable(one), terms.int(number));
        vec![if self.random.one_in(2) { terms.less(number, one) } else { terms.less(one, number) }]
    }

    fn after(&mut self, block: BlockId, before: &mut Valuation) -> Option<State> {
        let to = self.graph.block(block).to;
        let mut state = State::default();
        for variable in self.graph.live[&to].clone() {
            let term = self.graph.terms.variable(variable);
            let value = self.graph.before(block, term);
            state.insert(variable, before.value(&self.graph.terms, value)?);
        }
        Some(state)
    }

    fn any(&mut self, variable: VariableId) -> Value {
        let sort = self.graph.terms.variable_sort(variable).clone();
        self.value(&sort)
    }

    fn value(&mut self, sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.random.one_in(2)),
            Sort::Int => Value::Int(self.number()),
            Sort::Real => Value::Real(RBig::from(self.number())),
            Sort::Word(width) => Value::Word(Word(self.random.bitvec(*width))),
            Sort::Named(name) => Value::Element(*name, self.random.below(3) as u64),
            Sort::Map(sorts) => {
                let default = self.value(&sorts.1);
                let writes: Vec<(Value, Value)> =
                    (0..3).map(|_| (self.value(&sorts.0), self.value(&sorts.1))).collect();
                Value::Map(Box::new(MapValue::new(sorts.0.clone(), default, writes)))
            }
        }
    }

    fn number(&mut self) -> IBig {
        if self.numbers.is_empty() || self.random.one_in(2) {
            return IBig::from(self.random.below(12)) - IBig::from(3);
        }
        let at = self.random.below(self.numbers.len());
        self.numbers[at].clone()
    }
}

/// Functions of which nothing is known, as zero everywhere.
pub fn zero_functions(terms: &Terms) -> Vec<FunctionValue> {
    let zero = |sort: &Sort| FunctionValue { default: Value::zero(sort), entries: BTreeMap::new() };
    terms.functions().iter().map(|function| zero(&function.result)).collect()
}

/// The term of a value, where there is one.
pub fn constant(terms: &mut Terms, value: &Value) -> Option<Term> {
    Some(match value {
        Value::Bool(value) => terms.bool(*value),
        Value::Int(value) => terms.int(value.clone()),
        Value::Real(value) => terms.real(value.clone()),
        Value::Word(value) => terms.word(value.0.clone()),
        Value::Element(..) | Value::Map(_) => return None,
    })
}

/// The integers that occur in these terms, with their neighbours, each once.
pub fn numbers(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Vec<IBig> {
    let mut numbers = Vec::new();
    for term in terms.subterms(roots) {
        let number = match terms.node(term) {
            Node::Int(number) => number.clone(),
            Node::Real(number) => number.clone().floor(),
            _ => continue,
        };
        let negative = -number.clone();
        for near in [number, negative] {
            numbers.extend([&near - IBig::ONE, &near + IBig::ONE, near]);
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
