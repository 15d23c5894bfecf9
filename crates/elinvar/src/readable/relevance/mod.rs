//! Which values of a counterexample matter.
//!
//! A trace has a value for every input in every cycle and for every register at the start, most
//! of which have nothing to do with the failure. The analysis goes backwards from the bad bit of
//! the last cycle and the constraints of all cycles to the bits that give them their values
//! (`needed`). All other bits of inputs, of initial values that are free, and of registers
//! without a next function are open: they may have any value. A simulation with three values
//! (`determined`) then confirms that the constraints and the failure do not depend on the open
//! bits; if it cannot, every value matters. It also tells which bits of all other signals are the
//! same whatever the open bits are.

mod determined;
mod needed;

use elinvar_ir::{
    ExprId, Role, Simulator, Sort, Step, Trace, TransitionSystem, Value, Values, symbol_value,
};

pub use self::determined::Known;

use self::determined::Determined;
pub(crate) use self::needed::{Needed, all_of, union};
use super::waves::execute;

/// Traces with more values than this are not analysed: everything matters.
const LIMIT: usize = 5_000_000;

/// Which values of a counterexample matter, bit by bit.
///
/// ```
/// use elinvar::ir::{Role, Verdict};
/// use elinvar::readable::relevance::{Known, Relevance};
/// // Bad when the first input is set; the second does not matter.
/// let problem = elinvar::Problem::parse("or.aag", "aag 2 2 0 0 0 1\n2\n4\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let Verdict::Unsafe(elinvar::Trace::System(trace)) = &report.properties[0].verdict else {
///     panic!("it is a free input")
/// };
/// let relevance = Relevance::of(problem.as_system()?.system(), trace).unwrap();
/// assert!(relevance.matters(Role::Input(0)) && !relevance.matters(Role::Input(1)));
/// assert_eq!(relevance.input(0, 0), Known::All);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Relevance {
    /// The masks of the values that matter, in the places of the values.
    masks: Trace,
    /// The inputs and the states of which some bit matters in some cycle.
    inputs: Vec<bool>,
    states: Vec<bool>,
}

impl Relevance {
    /// Analyses a trace that violates its property. `None` if it is too long, or its property
    /// is not about a bad state.
    pub fn of(system: &TransitionSystem, trace: &Trace) -> Option<Self> {
        let bad = system.bads().find(|&(id, _)| id == trace.property)?.1;
        if system.pool().len().saturating_mul(trace.steps.len()) > LIMIT {
            return None;
        }
        let relevance = Search::new(system, trace, bad).run();
        relevance.is_enough(system, trace, bad).then_some(relevance)
    }

    /// Does any bit of an input or a state matter in any cycle?
    pub fn matters(&self, role: Role) -> bool {
        match role {
            Role::Input(index) => self.inputs[index],
            Role::State(index) => self.states[index],
        }
    }

    /// The bits of an input that matter in a cycle.
    pub fn input(&self, cycle: usize, input: usize) -> Known {
        Known::of(self.masks.steps[cycle].inputs[input].clone())
    }

    /// The bits of a free initial value that matter.
    pub fn initial(&self, state: usize) -> Known {
        Known::of(self.masks.initial[state].clone())
    }

    /// The bits of a free state that matter in a cycle after the first, by its position in
    /// [`Step::free`].
    pub fn free(&self, cycle: usize, position: usize) -> Known {
        Known::of(self.masks.steps[cycle].free[position].clone())
    }

    /// Do the constraints hold and does the property fail whatever the open bits are?
    fn is_enough(&self, system: &TransitionSystem, trace: &Trace, bad: ExprId) -> bool {
        let last = trace.steps.len() - 1;
        let mut enough = true;
        execute(system, trace, Some(self), |cycle, moment| {
            let is_known = |&expr: &ExprId| moment.known(expr).is_all();
            enough &= system.constraints().iter().all(is_known);
            enough &= cycle < last || is_known(&bad);
        });
        enough
    }
}

/// The way back through the cycles of a trace.
struct Search<'a> {
    system: &'a TransitionSystem,
    bad: ExprId,
    /// By cycle: the values of the states and of the inputs.
    cycles: Vec<(Vec<Value>, Values)>,
    found: Relevance,
}

impl<'a> Search<'a> {
    fn new(system: &'a TransitionSystem, trace: &Trace, bad: ExprId) -> Self {
        let mut cycles = Vec::with_capacity(trace.steps.len());
        execute(system, trace, None, |_, moment| {
            let simulator = moment.simulator();
            cycles.push((simulator.states().to_vec(), simulator.inputs().clone()));
        });
        let (inputs, states) = (system.inputs().len(), system.states().len());
        let found = Relevance {
            masks: nothing(system, trace),
            inputs: vec![false; inputs],
            states: vec![false; states],
        };
        Search { system, bad, cycles, found }
    }

    fn run(mut self) -> Relevance {
        let pool = self.system.pool();
        let nexts = self.system.states().iter().filter_map(|state| state.next);
        let fixed = [self.bad].into_iter().chain(self.system.constraints().iter().copied());
        let roots: Vec<ExprId> = fixed.chain(nexts).collect();
        let mut needed = Needed::new(pool, &roots);
        // What the cycle after the current one needs of the states.
        let mut later: Vec<Option<Value>> = vec![None; self.system.states().len()];
        for cycle in (0..self.cycles.len()).rev() {
            let mut wanted = self.wanted(cycle);
            self.step_back(cycle + 1, &later, &mut wanted);
            let (states, inputs) = &self.cycles[cycle];
            needed.run(wanted, |symbol| symbol_value(self.system, states, inputs, symbol));
            later = self.collect(cycle, &mut needed);
        }
        self.initial_values(later);
        self.found
    }

    /// The bad bit, in the last cycle, and the constraints.
    fn wanted(&self, cycle: usize) -> Vec<(ExprId, Value)> {
        let bad = (cycle + 1 == self.cycles.len()).then_some(self.bad);
        let constraints = self.system.constraints().iter().copied();
        bad.into_iter().chain(constraints).map(|bit| (bit, all_of(Sort::BOOL))).collect()
    }

    /// What the states of a cycle need of the cycle before: their next functions, or a free
    /// choice.
    fn step_back(
        &mut self,
        cycle: usize,
        states: &[Option<Value>],
        wanted: &mut Vec<(ExprId, Value)>,
    ) {
        for (index, mask) in states.iter().enumerate() {
            let Some(mask) = mask else { continue };
            match self.system.states()[index].next {
                Some(next) => wanted.push((next, mask.clone())),
                None => {
                    let position = self.system.free_states().binary_search(&index);
                    let position = position.expect("a state without a next function");
                    self.found.masks.steps[cycle].free[position] = mask.clone();
                }
            }
        }
    }

    /// Notes what is needed of the inputs, and returns what is needed of the states.
    fn collect(&mut self, cycle: usize, needed: &mut Needed<'_>) -> Vec<Option<Value>> {
        self.collect_inputs(cycle, needed);
        let states = self.system.states().iter();
        let masks: Vec<Option<Value>> = states.map(|state| needed.take(state.symbol)).collect();
        for (matters, mask) in self.found.states.iter_mut().zip(&masks) {
            *matters |= mask.is_some();
        }
        masks
    }

    fn collect_inputs(&mut self, cycle: usize, needed: &mut Needed<'_>) {
        for (index, input) in self.system.inputs().iter().enumerate() {
            if let Some(mask) = needed.take(input.symbol) {
                let masks = &mut self.found.masks.steps[cycle].inputs;
                masks.set(index, union(&masks[index], &mask));
                self.found.inputs[index] = true;
            }
        }
    }

    /// Goes from the initial states to free initial values and the inputs of cycle zero. A
    /// state comes before those that its initial value depends on.
    fn initial_values(&mut self, mut states: Vec<Option<Value>>) {
        let system = self.system;
        for &index in system.init_order().iter().rev() {
            let Some(mask) = states[index].take() else { continue };
            self.found.states[index] = true;
            let Some(init) = system.states()[index].init else {
                self.found.masks.initial[index] = mask;
                continue;
            };
            if system.pool().is_const(init) {
                continue;
            }
            let mut needed = Needed::new(system.pool(), &[init]);
            let (values, inputs) = &self.cycles[0];
            needed.run([(init, mask)], |symbol| symbol_value(system, values, inputs, symbol));
            self.collect_inputs(0, &mut needed);
            for (slot, state) in states.iter_mut().zip(system.states()) {
                let mask = needed.take(state.symbol);
                *slot = match (slot.take(), mask) {
                    (Some(known), Some(mask)) => Some(union(&known, &mask)),
                    (known, mask) => known.or(mask),
                };
            }
        }
    }
}

/// The masks of a trace of which nothing matters.
fn nothing(system: &TransitionSystem, trace: &Trace) -> Trace {
    let zero = |symbol| elinvar_ir::zero_of(system.pool().sort(symbol));
    let states = system.states();
    let step = |step: &Step| Step {
        inputs: system.inputs().iter().map(|input| zero(input.symbol)).collect(),
        free: (step.free.iter().zip(system.free_states()))
            .map(|(_, &index)| zero(states[index].symbol))
            .collect(),
    };
    Trace {
        property: trace.property,
        initial: states.iter().map(|state| zero(state.symbol)).collect(),
        steps: trace.steps.iter().map(step).collect(),
        loop_start: trace.loop_start,
    }
}

/// Follows which bits are determined through the cycles of a trace.
pub(super) struct Tracker<'a> {
    system: &'a TransitionSystem,
    relevance: &'a Relevance,
    determined: Determined<'a>,
    states: Vec<Known>,
}

impl<'a> Tracker<'a> {
    /// Ready for cycle zero, in which the simulator is.
    pub fn new(
        system: &'a TransitionSystem,
        relevance: &'a Relevance,
        simulator: &Simulator<'a>,
    ) -> Self {
        let pool = system.pool();
        let roots = (system.states().iter().filter_map(|state| state.next))
            .chain(system.constraints().iter().copied())
            .chain(system.bads().map(|(_, bad)| bad))
            .chain(system.outputs().iter().chain(system.labels()).map(|named| named.expr));
        let determined = Determined::new(pool, roots);
        let states = vec![Known::All; system.states().len()];
        let mut tracker = Tracker { system, relevance, determined, states };
        for &index in system.init_order() {
            tracker.states[index] = match system.states()[index].init {
                None => relevance.initial(index),
                Some(init) if pool.is_const(init) => Known::All,
                Some(init) => tracker.initial(init, simulator),
            };
        }
        tracker.settle(0, simulator);
        tracker
    }

    fn initial(&self, init: ExprId, simulator: &Simulator<'_>) -> Known {
        let mut determined = Determined::new(self.system.pool(), [init]);
        let Tracker { system, relevance, states, .. } = self;
        let symbol = |symbol: ExprId| known_symbol(system, relevance, states, 0, symbol);
        determined.run(|expr| simulator.evaluate(expr), |expr| symbol(expr).expect("a symbol"));
        determined.known(init).clone()
    }

    /// Goes to a cycle, in which the simulator is already.
    pub fn step(&mut self, cycle: usize, simulator: &Simulator<'_>) {
        let mut position = 0;
        let next = |state: &elinvar_ir::State| match state.next {
            Some(next) => self.determined.known(next).clone(),
            None => {
                position += 1;
                self.relevance.free(cycle, position - 1)
            }
        };
        self.states = self.system.states().iter().map(next).collect();
        self.settle(cycle, simulator);
    }

    fn settle(&mut self, cycle: usize, simulator: &Simulator<'_>) {
        let Tracker { system, relevance, states, determined } = self;
        let symbol = |symbol: ExprId| known_symbol(system, relevance, states, cycle, symbol);
        determined.run(|expr| simulator.value(expr), |expr| symbol(expr).expect("a symbol"));
    }

    /// The determined bits of an expression in the current cycle.
    pub fn known(&self, cycle: usize, expr: ExprId) -> Known {
        let Tracker { system, relevance, states, determined } = self;
        let known = known_symbol(system, relevance, states, cycle, expr.regular());
        known.unwrap_or_else(|| determined.known(expr).clone())
    }
}

/// The determined bits of an input or a state; `None` if the expression is neither.
fn known_symbol(
    system: &TransitionSystem,
    relevance: &Relevance,
    states: &[Known],
    cycle: usize,
    expr: ExprId,
) -> Option<Known> {
    Some(match system.role_of(expr)? {
        Role::Input(index) => relevance.input(cycle, index),
        Role::State(index) => states[index].clone(),
    })
}
