//! The reference evaluator and the simulator: plain and obviously right.
//!
//! Every expression is computed from its operands by the operators of
//! [`crate::value`], in the order of the pool, without sharing any code with the
//! encoders that it judges.

use std::borrow::Cow;

use crate::array::ArrayValue;
use crate::evidence::{Step, Trace};
use crate::expr::{Expr, ExprId, Pool, Sort};
use crate::operator::UnaryOp;
use crate::system::{Role, TransitionSystem};
use crate::value::{BitVec, Value};
use crate::values::Values;

/// The nodes that `roots` depend on, roots included, each once, operands first.
pub fn cone(pool: &Pool, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
    let mut stack: Vec<ExprId> = roots.into_iter().map(ExprId::regular).collect();
    let mut seen = vec![0_u64; pool.len().div_ceil(64)];
    let mut nodes = Vec::new();
    while let Some(id) = stack.pop() {
        let (word, bit) = (&mut seen[id.node() / 64], 1 << (id.node() % 64));
        if *word & bit == 0 {
            *word |= bit;
            nodes.push(id);
            pool.for_each_operand(id, |operand| stack.push(operand.regular()));
        }
    }
    nodes.sort_unstable();
    nodes
}

/// Evaluates a fixed set of expressions again and again.
pub struct Evaluator<'a> {
    pool: &'a Pool,
    /// The nodes whose values change; those of constants are computed once.
    nodes: Vec<ExprId>,
    /// By node: the place of its value, or [`NOWHERE`].
    places: Vec<u32>,
    /// Only of the nodes that are needed: a cone is often a small part of a pool.
    values: Vec<Option<Value>>,
}

/// A node without a value.
const NOWHERE: u32 = u32::MAX;

impl<'a> Evaluator<'a> {
    /// Prepares to evaluate `roots`.
    pub fn new(pool: &'a Pool, roots: impl IntoIterator<Item = ExprId>) -> Self {
        let mut nodes = cone(pool, roots);
        // The last node has the largest number.
        let mut places = vec![NOWHERE; nodes.last().map_or(0, |last| last.node() + 1)];
        let mut values = Vec::with_capacity(nodes.len());
        nodes.retain(|&id| {
            places[id.node()] = values.len() as u32;
            values.push(pool.const_value(id).map(Value::from));
            values.last().is_some_and(Option::is_none)
        });
        Evaluator { pool, nodes, places, values }
    }

    /// Evaluates everything prepared, asking `symbol` for the value of each
    /// symbol expression. Read the results by [`Evaluator::value`].
    pub fn run(&mut self, mut symbol: impl FnMut(ExprId) -> Value) {
        for &id in &self.nodes {
            let value = match self.pool.get(id) {
                Expr::Symbol(_) => symbol(id),
                expr => evaluate(self.pool, id, &expr, |operand| self.borrow(operand)),
            };
            self.values[self.places[id.node()] as usize] = Some(value);
        }
    }

    /// The value of a prepared expression.
    ///
    /// # Panics
    /// If the expression is not in the cone of the roots or `run` was not called.
    pub fn value(&self, id: ExprId) -> Value {
        self.borrow(id).into_owned()
    }

    /// The value of the node of a prepared expression.
    fn of_node(&self, id: ExprId) -> &Value {
        let place = self.places.get(id.node());
        let value = place.and_then(|&place| self.values.get(place as usize)?.as_ref());
        value.expect("a prepared expression")
    }

    fn borrow(&self, id: ExprId) -> Cow<'_, Value> {
        let value = self.of_node(id);
        match id.is_complement() {
            true => Cow::Owned(Value::Bv(value.bv().not())),
            false => Cow::Borrowed(value),
        }
    }

    /// The value of a prepared bit-vector expression.
    pub fn bv(&self, id: ExprId) -> BitVec {
        self.value(id).bv().clone()
    }

    /// Is this prepared bit true?
    pub fn holds(&self, id: ExprId) -> bool {
        self.of_node(id).bv().is_true() != id.is_complement()
    }
}

fn evaluate<'v>(
    pool: &Pool,
    id: ExprId,
    expr: &Expr,
    value: impl Fn(ExprId) -> Cow<'v, Value>,
) -> Value {
    match expr {
        Expr::Const(constant) => constant.clone().into(),
        Expr::Symbol(_) => unreachable!("symbols have no operands"),
        Expr::Unary(op, a) => match op {
            UnaryOp::Not => value(*a).bv().not().into(),
            UnaryOp::Neg | UnaryOp::RedAnd | UnaryOp::RedXor => op.apply(value(*a).bv()).into(),
        },
        Expr::Binary(op, a, b) => op.apply(value(*a).bv(), value(*b).bv()).into(),
        Expr::Slice { arg, hi, lo } => value(*arg).bv().slice(*hi, *lo).into(),
        Expr::Uext { arg, by } => value(*arg).bv().uext(*by).into(),
        Expr::Sext { arg, by } => value(*arg).bv().sext(*by).into(),
        Expr::Ite(c, t, e) => value(if value(*c).bv().is_true() { *t } else { *e }).into_owned(),
        Expr::Read(array, index) => value(*array).array().read(value(*index).bv()).clone().into(),
        Expr::Write(array, index, element) => {
            let mut array = value(*array).array().clone();
            array.write(value(*index).bv().clone(), value(*element).bv().clone());
            array.into()
        }
        Expr::ConstArray(element) => match pool.sort(id) {
            Sort::Array { index, .. } => {
                ArrayValue::constant(index, value(*element).bv().clone()).into()
            }
            Sort::Bv(_) => unreachable!("constant arrays are arrays"),
        },
        Expr::ArrayEq(a, b) => BitVec::bool(value(*a) == value(*b)).into(),
    }
}

/// The value that is zero everywhere.
pub fn zero_of(sort: Sort) -> Value {
    match sort {
        Sort::Bv(width) => BitVec::zero(width).into(),
        Sort::Array { index, element } => ArrayValue::constant(index, BitVec::zero(element)).into(),
    }
}

/// Runs a system cycle by cycle on given values.
pub struct Simulator<'a> {
    system: &'a TransitionSystem,
    states: Vec<Value>,
    inputs: Values,
    step: Evaluator<'a>,
    /// What is kept up to date, if that is not everything. The rest keeps its first values.
    part: Option<Part>,
}

/// A part of a system.
struct Part {
    /// The states that are computed.
    states: Vec<usize>,
    /// The inputs that are read.
    inputs: Vec<usize>,
}

impl<'a> Simulator<'a> {
    /// Starts in cycle zero. `free` gives the values of states that have no
    /// `init`; `inputs` the inputs of cycle zero, on which `init` may depend.
    pub fn new(
        system: &'a TransitionSystem,
        free: impl FnMut(usize) -> Value,
        inputs: impl Into<Values>,
    ) -> Self {
        let roots = (system.states().iter().filter_map(|s| s.next))
            .chain(system.constraints().iter().copied())
            .chain(system.properties().iter().flat_map(|property| property.bits().iter().copied()))
            .chain(system.fairness().iter().copied())
            .chain(system.outputs().iter().map(|o| o.expr))
            .chain(system.labels().iter().map(|l| l.expr));
        let step = Evaluator::new(system.pool(), roots);
        Simulator::start(system, free, inputs.into(), step, None)
    }

    fn start(
        system: &'a TransitionSystem,
        mut free: impl FnMut(usize) -> Value,
        inputs: Values,
        step: Evaluator<'a>,
        part: Option<Part>,
    ) -> Self {
        let pool = system.pool();
        let states = system.states().iter().map(|s| zero_of(pool.sort(s.symbol))).collect();
        let mut simulator = Simulator { system, states, inputs, step, part };
        for &index in system.init_order() {
            let value = match system.states()[index].init {
                None => free(index),
                Some(init) => match pool.const_value(init) {
                    Some(constant) => constant.into(),
                    None => simulator.evaluate(init),
                },
            };
            simulator.states[index] = value;
        }
        simulator.settle();
        simulator
    }

    /// Starts in cycle zero of a trace.
    pub fn of_trace(system: &'a TransitionSystem, trace: &Trace) -> Self {
        let first = trace.steps.first().expect("a trace has a cycle").inputs.clone();
        Simulator::new(system, |state| trace.initial[state].clone(), first)
    }

    /// Starts in cycle zero of a trace, to see the values of the roots and of nothing else: states
    /// and inputs that these do not depend on keep the values of the first cycle.
    pub fn of_roots(system: &'a TransitionSystem, trace: &Trace, roots: &[ExprId]) -> Self {
        let first = trace.steps.first().expect("a trace has a cycle").inputs.clone();
        let computed: Vec<usize> =
            system.cone_of_influence(roots.iter().copied()).into_iter().collect();
        let next = computed.iter().filter_map(|&state| system.states()[state].next);
        let step = Evaluator::new(system.pool(), next.chain(roots.iter().copied()));
        let input = |&node: &ExprId| match system.role_of(node)? {
            Role::Input(index) => Some(index),
            Role::State(_) => None,
        };
        let part = Part { inputs: step.nodes.iter().filter_map(input).collect(), states: computed };
        let free = |state: usize| trace.initial[state].clone();
        Simulator::start(system, free, first, step, Some(part))
    }

    /// Goes to the next cycle with the choices of a step of a trace.
    pub fn follow(&mut self, step: &Step) {
        let system = self.system;
        let free = |index: usize| {
            let position = system.free_states().binary_search(&index);
            step.free[position.expect("only free states are asked for")].clone()
        };
        self.advance(free);
        match &self.part {
            None => self.inputs.clone_from(&step.inputs),
            Some(part) => {
                for &index in &part.inputs {
                    self.inputs.set(index, step.inputs[index].clone());
                }
            }
        }
        self.settle();
    }

    /// Goes to the next cycle. `free` gives the values of states without `next`.
    pub fn step(&mut self, free: impl FnMut(usize) -> Value, inputs: impl Into<Values>) {
        self.advance(free);
        self.inputs = inputs.into();
        self.settle();
    }

    /// The states of the next cycle.
    fn advance(&mut self, mut free: impl FnMut(usize) -> Value) {
        let mut next = |index: usize| match self.system.states()[index].next {
            Some(next) => self.step.value(next),
            None => free(index),
        };
        match &self.part {
            None => self.states = (0..self.states.len()).map(next).collect(),
            Some(part) => {
                for &index in &part.states {
                    self.states[index] = next(index);
                }
            }
        }
    }

    /// The current values of the states.
    pub fn states(&self) -> &[Value] {
        &self.states
    }

    /// The current values of the inputs.
    pub fn inputs(&self) -> &Values {
        &self.inputs
    }

    /// Does every constraint hold in this cycle?
    pub fn constraints_hold(&self) -> bool {
        self.system.constraints().iter().all(|&c| self.step.holds(c))
    }

    /// Is this bit of the model (a bad state, a constraint) true in this cycle?
    pub fn holds(&self, bit: ExprId) -> bool {
        self.step.holds(bit)
    }

    /// The value of an output, a label, a bad bit or a next function in this cycle.
    pub fn value(&self, expr: ExprId) -> Value {
        self.step.value(expr)
    }

    /// The value of any expression in this cycle.
    pub fn evaluate(&self, expr: ExprId) -> Value {
        let mut evaluator = Evaluator::new(self.system.pool(), [expr]);
        evaluator.run(|symbol| symbol_value(self.system, &self.states, &self.inputs, symbol));
        evaluator.value(expr)
    }

    fn settle(&mut self) {
        let (system, states, inputs) = (self.system, &self.states, &self.inputs);
        self.step.run(|symbol| symbol_value(system, states, inputs, symbol));
    }
}

/// The value of an input or a state, given those of all states and inputs.
pub fn symbol_value(
    system: &TransitionSystem,
    states: &[Value],
    inputs: &Values,
    symbol: ExprId,
) -> Value {
    match system.role_of(symbol).expect("a symbol") {
        Role::Input(index) => inputs[index].clone(),
        Role::State(index) => states[index].clone(),
    }
}
