//! Breadth-first search over all states with all inputs.

use rustc_hash::FxHashSet;

use elinvar_ir::{
    ArrayValue, BitVec, Evaluator, PropertyId, Role, Sort, TransitionSystem, Value, zero_of,
};

/// What exhaustive search found about one safety property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No bad state is reachable.
    Safe,
    /// A shortest path to a bad state takes this many steps.
    Unsafe(usize),
}

/// The system has more states or inputs than the search may visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Decides all safety properties of a small system.
///
/// `limit` bounds the number of valuations that are tried in all.
pub fn search(
    system: &TransitionSystem,
    limit: usize,
) -> Result<Vec<(PropertyId, Outcome)>, TooLarge> {
    let mut search = Search::new(system, limit)?;
    let mut outcomes: Vec<_> = system.bads().map(|(id, _)| (id, Outcome::Safe)).collect();
    // In cycle zero a state goes with the inputs that made it initial.
    let mut layer = Vec::new();
    for input in 0..search.inputs.len() {
        for state in search.initial_states(input)? {
            search.expand(&state, input, 0, &mut outcomes, &mut layer)?;
        }
    }
    let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
    let mut depth = 1;
    while !layer.is_empty() {
        let mut following = Vec::new();
        for state in layer {
            if !seen.insert(state.clone()) {
                continue;
            }
            for input in 0..search.inputs.len() {
                search.expand(&state, input, depth, &mut outcomes, &mut following)?;
            }
        }
        layer = following;
        depth += 1;
    }
    Ok(outcomes)
}

/// The first cycle up to which no run satisfies the constraints, or nothing if there are runs
/// of any length.
///
/// `limit` bounds the number of valuations that are tried in all.
pub fn dead_cycle(system: &TransitionSystem, limit: usize) -> Result<Option<usize>, TooLarge> {
    let mut search = Search::new(system, limit)?;
    let mut layer = Vec::new();
    for input in 0..search.inputs.len() {
        for state in search.initial_states(input)? {
            search.expand(&state, input, 0, &mut [], &mut layer)?;
        }
    }
    let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
    let mut cycle = 0;
    // A run with more cycles than there are states repeats one, so it can go on.
    while !layer.is_empty() && cycle <= seen.len() + 1 {
        cycle += 1;
        let states: FxHashSet<Vec<Value>> = layer.drain(..).collect();
        for state in &states {
            for input in 0..search.inputs.len() {
                search.expand(state, input, cycle, &mut [], &mut layer)?;
            }
        }
        seen.extend(states);
    }
    Ok(layer.is_empty().then_some(cycle))
}

struct Search<'a> {
    system: &'a TransitionSystem,
    step: Evaluator<'a>,
    inputs: Vec<Vec<Value>>,
    budget: usize,
}

impl<'a> Search<'a> {
    fn new(system: &'a TransitionSystem, limit: usize) -> Result<Self, TooLarge> {
        let pool = system.pool();
        let roots = (system.states().iter().filter_map(|s| s.next))
            .chain(system.constraints().iter().copied())
            .chain(system.bads().map(|(_, bad)| bad));
        let sorts: Vec<Sort> = system.inputs().iter().map(|i| pool.sort(i.symbol)).collect();
        let step = Evaluator::new(pool, roots);
        Ok(Search { system, step, inputs: all_valuations(&sorts, limit)?, budget: limit })
    }

    fn spend(&mut self) -> Result<(), TooLarge> {
        self.budget = self.budget.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }

    fn initial_states(&mut self, input: usize) -> Result<Vec<Vec<Value>>, TooLarge> {
        let states = initial_states(self.system, &self.inputs[input], self.budget)?;
        self.budget = self.budget.checked_sub(states.len()).ok_or(TooLarge)?;
        Ok(states)
    }

    /// Tries an input in `state`: notes bad states, collects successors.
    fn expand(
        &mut self,
        state: &[Value],
        input: usize,
        depth: usize,
        outcomes: &mut [(PropertyId, Outcome)],
        following: &mut Vec<Vec<Value>>,
    ) -> Result<(), TooLarge> {
        self.spend()?;
        let (system, values) = (self.system, &self.inputs[input]);
        self.step.run(|symbol| match system.role_of(symbol).expect("a symbol") {
            Role::Input(i) => values[i].clone(),
            Role::State(i) => state[i].clone(),
        });
        if !system.constraints().iter().all(|&c| self.step.holds(c)) {
            return Ok(());
        }
        for (id, outcome) in outcomes.iter_mut() {
            let bad = system.bad(*id).expect("a safety property");
            if *outcome == Outcome::Safe && self.step.holds(bad) {
                *outcome = Outcome::Unsafe(depth);
            }
        }
        self.successors(state, following)
    }

    fn successors(
        &mut self,
        state: &[Value],
        following: &mut Vec<Vec<Value>>,
    ) -> Result<(), TooLarge> {
        let system = self.system;
        let free = system.free_states();
        let sorts: Vec<Sort> =
            free.iter().map(|&i| system.pool().sort(system.states()[i].symbol)).collect();
        let mut next: Vec<Value> = state.to_vec();
        for (i, s) in system.states().iter().enumerate() {
            if let Some(expr) = s.next {
                next[i] = self.step.value(expr);
            }
        }
        for valuation in all_valuations(&sorts, self.budget)? {
            self.spend()?;
            let mut successor = next.clone();
            for (&index, value) in free.iter().zip(valuation) {
                successor[index] = value;
            }
            following.push(successor.into_iter().map(canonical).collect());
        }
        Ok(())
    }
}

/// Every state that is initial with these inputs in cycle zero.
pub(super) fn initial_states(
    system: &TransitionSystem,
    inputs: &[Value],
    limit: usize,
) -> Result<Vec<Vec<Value>>, TooLarge> {
    let pool = system.pool();
    let free: Vec<usize> =
        (0..system.states().len()).filter(|&i| system.states()[i].init.is_none()).collect();
    let sorts: Vec<Sort> = free.iter().map(|&i| pool.sort(system.states()[i].symbol)).collect();
    let mut states = Vec::new();
    for valuation in all_valuations(&sorts, limit)? {
        let mut state: Vec<Value> =
            system.states().iter().map(|s| zero_of(pool.sort(s.symbol))).collect();
        for (&index, value) in free.iter().zip(valuation) {
            state[index] = value;
        }
        for &index in system.init_order() {
            let Some(init) = system.states()[index].init else { continue };
            let mut evaluator = Evaluator::new(pool, [init]);
            evaluator.run(|symbol| match system.role_of(symbol).expect("a symbol") {
                Role::State(i) => state[i].clone(),
                Role::Input(i) => inputs[i].clone(),
            });
            state[index] = evaluator.value(init);
        }
        states.push(state);
    }
    Ok(states)
}

/// Arrays with the same contents become the same value: element zero is the default.
pub(super) fn canonical(value: Value) -> Value {
    match value {
        Value::Bv(_) => value,
        Value::Array(array) => {
            let zero = BitVec::zero(array.element_width());
            if *array.default_element() == zero {
                return Value::Array(array);
            }
            let mut out = ArrayValue::constant(array.index_width(), zero);
            for index in 0..1u64 << array.index_width() {
                let index = BitVec::new(array.index_width(), index);
                let element = array.read(&index).clone();
                out.write(index, element);
            }
            out.into()
        }
    }
}

/// The number of bits that a value of this sort holds.
fn bits(sort: Sort) -> u64 {
    match sort {
        Sort::Bv(width) => width.into(),
        Sort::Array { index, element } => {
            if index > 16 {
                u64::MAX
            } else {
                (1u64 << index) * u64::from(element)
            }
        }
    }
}

fn value_from(sort: Sort, code: u64) -> Value {
    match sort {
        Sort::Bv(width) => BitVec::new(width, code).into(),
        Sort::Array { index, element } => {
            let mut array = ArrayValue::constant(index, BitVec::zero(element));
            for i in 0..1u64 << index {
                let bits = code >> (i * u64::from(element));
                array.write(BitVec::new(index, i), BitVec::new(element, bits));
            }
            array.into()
        }
    }
}

/// All combinations of values of the given sorts.
pub(super) fn all_valuations(sorts: &[Sort], limit: usize) -> Result<Vec<Vec<Value>>, TooLarge> {
    let total = sorts.iter().fold(0u64, |sum, &sort| sum.saturating_add(bits(sort)));
    if total >= 32 || 1usize << total > limit {
        return Err(TooLarge);
    }
    let combination = |mut code: u64| {
        let mut values = Vec::with_capacity(sorts.len());
        for &sort in sorts {
            values.push(value_from(sort, code));
            code >>= bits(sort);
        }
        values
    };
    Ok((0..1u64 << total).map(combination).collect())
}
