//! Breadth-first search over the states of a program, with few values to choose from.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use dashu_int::IBig;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

use elinvar_ir::program::{
    ByZero, FunctionValue, LocationId, Machine, MapValue, Node, Op, Program, ProgramStep,
    ProgramTrace, Sort, Statement, StepError, Term, Terms, Value, VariableId, Word,
};
use elinvar_ir::{BitVec, PropertyId};

/// How far the search goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// What integers are chosen from, where the program does not bound the choice.
    pub values: RangeInclusive<i64>,
    /// How many states are looked at.
    pub states: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { values: -3..=3, states: 20_000 }
    }
}

/// What the search found about one property.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each property")]
pub enum Found {
    /// A shortest run to the error, among those searched.
    Error(ProgramTrace),
    /// Every run was followed: the error is not reached.
    Complete,
    /// Within the bounds it is not reached.
    Bounded,
}

impl Found {
    /// Whether the error is reached, if that is known.
    pub fn is_reached(&self) -> Option<bool> {
        match self {
            Found::Error(_) => Some(true),
            Found::Complete => Some(false),
            Found::Bounded => None,
        }
    }
}

/// Searches for runs to the errors of all properties, in their order.
pub fn explore(program: &Program, bounds: &Bounds) -> Vec<Found> {
    let functions = functions(program);
    let search = Search::run(program, bounds, &functions);
    program.property_ids().map(|property| search.found(property)).collect()
}

/// The values that the variables can have at each location, if every run was followed:
/// by location, then by state, then by position in the program's variables.
///
/// Without the locations where values have just been chosen, the entry among them: the
/// search only tries the choices that make a difference afterwards.
pub fn reachable(
    program: &Program,
    bounds: &Bounds,
) -> Option<BTreeMap<LocationId, Vec<Vec<Value>>>> {
    let functions = functions(program);
    let search = Search::run(program, bounds, &functions);
    let locations = (0..program.locations.len() as u32).map(LocationId);
    let mut reachable: BTreeMap<_, Vec<_>> = locations.map(|at| (at, Vec::new())).collect();
    for state in search.states {
        reachable.entry(state.location).or_default().push(state.values);
    }
    reachable.remove(&program.entry);
    for edge in &program.edges {
        if matches!(edge.statement, Statement::Havoc(_)) {
            reachable.remove(&edge.to);
        }
    }
    search.is_complete.then_some(reachable)
}

fn functions(program: &Program) -> Vec<FunctionValue> {
    let functions = program.terms.functions().iter();
    functions
        .map(|function| FunctionValue {
            default: Value::zero(&function.result),
            entries: BTreeMap::new(),
        })
        .collect()
}

/// Is there a division by something other than a number that is not zero?
fn may_divide_by_zero(program: &Program) -> bool {
    let roots = program.edges.iter().flat_map(|edge| edge.statement.terms());
    program.terms.subterms(roots).into_iter().any(|term| match program.terms.node(term) {
        Node::Apply(Op::Divide | Op::Modulo | Op::Quotient, children) => {
            program.terms.as_number(children[1]).is_none_or(|divisor| divisor.is_zero())
        }
        _ => false,
    })
}

struct Search<'a> {
    program: &'a Program,
    bounds: &'a Bounds,
    functions: &'a [FunctionValue],
    is_complete: bool,
    /// The states in the order they were found, each with the one before it.
    states: Vec<Reached>,
    seen: FxHashMap<(LocationId, Vec<Value>), usize>,
}

struct Reached {
    location: LocationId,
    values: Vec<Value>,
    /// `None` for initial states.
    before: Option<(usize, ProgramStep)>,
}

impl<'a> Search<'a> {
    fn run(program: &'a Program, bounds: &'a Bounds, functions: &'a [FunctionValue]) -> Self {
        let mut search = Search {
            program,
            bounds,
            functions,
            // A function could be another one, and so could division by zero.
            is_complete: functions.is_empty() && !may_divide_by_zero(program),
            states: Vec::new(),
            seen: FxHashMap::default(),
        };
        search.follow_all();
        search
    }

    fn follow_all(&mut self) {
        let program = self.program;
        let successors = program.successors();
        let mut waiting = VecDeque::new();
        for values in self.choices(program.entry, &program.variables) {
            waiting.extend(self.add(program.entry, values, None));
        }
        while let Some(state) = waiting.pop_front() {
            if self.states.len() >= self.bounds.states {
                self.is_complete = false;
                return;
            }
            for &edge in &successors[self.states[state].location.0 as usize] {
                let choices = match &program.edge(edge).statement {
                    Statement::Havoc(variables) => self.choices(program.edge(edge).to, variables),
                    Statement::Assume(_) | Statement::Assign(_) => vec![Vec::new()],
                };
                for values in choices {
                    waiting.extend(self.step(state, ProgramStep { edge, values }));
                }
            }
        }
    }

    /// The number of the state after this step, if it can be taken and is new.
    fn step(&mut self, state: usize, step: ProgramStep) -> Option<usize> {
        let Reached { location, values, .. } = &self.states[state];
        let mut machine = Machine::at(self.program, *location, values, self.functions)
            .expect("states have the values that the program asks for");
        match machine.step(&step) {
            Ok(()) => self.add(machine.location(), machine.values(), Some((state, step))),
            Err(StepError::Blocked) => None,
            // Nothing is known of what comes after.
            Err(StepError::Evaluation(_)) => {
                self.is_complete = false;
                None
            }
            Err(error) => {
                unreachable!("steps are along edges, with values of their sorts: {error}")
            }
        }
    }

    fn add(
        &mut self,
        location: LocationId,
        values: Vec<Value>,
        before: Option<(usize, ProgramStep)>,
    ) -> Option<usize> {
        let number = self.states.len();
        let key = (location, values.clone());
        if self.seen.contains_key(&key) {
            return None;
        }
        self.seen.insert(key, number);
        self.states.push(Reached { location, values, before });
        Some(number)
    }

    fn found(&self, property: PropertyId) -> Found {
        let error = self.program.property(property).error;
        match self.states.iter().position(|state| state.location == error) {
            Some(state) => Found::Error(self.trace(property, state)),
            None if self.is_complete => Found::Complete,
            None => Found::Bounded,
        }
    }

    fn trace(&self, property: PropertyId, state: usize) -> ProgramTrace {
        let mut steps = Vec::new();
        let mut at = &self.states[state];
        while let Some((before, step)) = &at.before {
            steps.push(step.clone());
            at = &self.states[*before];
        }
        steps.reverse();
        let (initial, functions) = (at.values.clone(), self.functions.to_vec());
        ProgramTrace { property, initial, functions, by_zero: ByZero::default(), steps }
    }

    /// All values to try for variables that get any at this location.
    fn choices(&mut self, at: LocationId, variables: &[VariableId]) -> Vec<Vec<Value>> {
        let mut choices = vec![Vec::new()];
        for &variable in variables {
            let values = self.values(at, variable);
            choices = choices
                .iter()
                .flat_map(|chosen: &Vec<Value>| {
                    values.iter().map(|value| {
                        let mut chosen = chosen.clone();
                        chosen.push(value.clone());
                        chosen
                    })
                })
                .collect();
        }
        choices
    }

    fn values(&mut self, at: LocationId, variable: VariableId) -> Vec<Value> {
        let (terms, edges) = (&self.program.terms, &self.program.edges);
        let sort = terms.variable_sort(variable);
        let next: Vec<&Statement> =
            edges.iter().filter(|edge| edge.from == at).map(|edge| &edge.statement).collect();
        if next.iter().all(|statement| is_lost(terms, statement, variable)) {
            return vec![Value::zero(sort)];
        }
        let limits: Option<Vec<_>> =
            next.iter().map(|statement| limits(terms, statement, variable)).collect();
        let few = |(low, high): &(IBig, IBig)| high - low < IBig::from(16);
        if let Some(limits) = limits.filter(|limits| limits.iter().all(few)) {
            let mut numbers = Vec::new();
            for (low, high) in limits {
                let mut number = low;
                while number <= high {
                    numbers.push(Value::Int(number.clone()));
                    number += IBig::ONE;
                }
            }
            numbers.sort();
            numbers.dedup();
            return numbers;
        }
        let (values, is_all) = some_values(sort, &self.bounds.values);
        self.is_complete &= is_all;
        values
    }
}

/// Does the statement overwrite the variable without a look at it?
fn is_lost(terms: &Terms, statement: &Statement, variable: VariableId) -> bool {
    statement.written().contains(&variable)
        && !terms.free_variables(statement.terms()).contains(&variable)
}

/// The least and the greatest value of a variable with which the statement can be
/// executed, if it says so plainly.
fn limits(terms: &Terms, statement: &Statement, variable: VariableId) -> Option<(IBig, IBig)> {
    let Statement::Assume(condition) = statement else { return None };
    let (mut least, mut greatest) = (None, None);
    for part in terms.conjuncts(*condition) {
        if let Some((factor, bound)) = comparison(terms, part, Op::AtMost, variable) {
            if factor == RBig::ONE {
                greatest = Some(bound);
            } else if factor == RBig::from(-1) {
                least = Some(-bound);
            }
        } else if let Some((factor, value)) = comparison(terms, part, Op::Equal, variable)
            && factor == RBig::ONE
        {
            return Some((value.clone(), value));
        }
    }
    Some((least?, greatest?))
}

/// `factor · variable` is compared with an integer.
fn comparison(terms: &Terms, term: Term, op: Op, variable: VariableId) -> Option<(RBig, IBig)> {
    let &[sum, bound] = terms.as_op(term, op)? else { return None };
    if *terms.sort(sum) != Sort::Int || terms.free_variables([sum]) != [variable] {
        return None;
    }
    let [(only, factor)] = &terms.linear(sum).terms[..] else { return None };
    if !terms.children(*only).is_empty() {
        return None;
    }
    Some((factor.clone(), terms.as_number(bound)?.into_parts().0))
}

/// Values of a sort, and whether that is all of them.
fn some_values(sort: &Sort, integers: &RangeInclusive<i64>) -> (Vec<Value>, bool) {
    match sort {
        Sort::Bool => (vec![Value::Bool(false), Value::Bool(true)], true),
        Sort::Int => (integers.clone().map(|n| Value::Int(n.into())).collect(), false),
        Sort::Real => {
            let half = RBig::from_parts(IBig::ONE, 2_u8.into());
            let some = [RBig::from(-1), RBig::ZERO, half, RBig::ONE];
            (some.map(Value::Real).to_vec(), false)
        }
        Sort::Word(width) => {
            let count = 1 << (*width).min(4);
            let all = (0..count).map(|n| Value::Word(Word(BitVec::new(*width, n))));
            (all.collect(), *width <= 4)
        }
        Sort::Named(name) => ((0..2).map(|n| Value::Element(*name, n)).collect(), false),
        Sort::Map(sorts) => {
            let (elements, _) = some_values(&sorts.1, &(0..=1));
            let maps = elements
                .into_iter()
                .map(|e| Value::Map(Box::new(MapValue::constant(sorts.0.clone(), e))));
            (maps.collect(), false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{ProgramGenerator, ProgramShape, Sketch};

    fn replays(program: &Program, trace: &ProgramTrace) -> bool {
        let mut machine = Machine::new(program, &trace.initial, &trace.functions).unwrap();
        machine = machine.with_by_zero(&trace.by_zero);
        trace.steps.iter().for_each(|step| machine.step(step).unwrap());
        machine.location() == program.property(trace.property).error
    }

    /// `x := any; assume low <= x <= high; assert x != 2;`
    fn guess(low: i64, high: Option<i64>) -> Program {
        let mut sketch = Sketch::new();
        let x = sketch.variable("x", Sort::Int);
        let [chosen, bounded, end] = [0; 3].map(|_| sketch.location());
        sketch.havoc(Sketch::ENTRY, chosen, &[x]);
        let terms = &mut sketch.terms;
        let (value, two, low) = (terms.variable(x), terms.int(2), terms.int(low));
        let mut bounds = vec![terms.at_most(low, value)];
        if let Some(high) = high {
            let high = terms.int(high);
            bounds.push(terms.at_most(value, high));
        }
        let (bounds, equal) = (terms.and(bounds), terms.equal(value, two));
        let condition = terms.not(equal);
        sketch.assume(chosen, bounded, bounds);
        sketch.assert(bounded, end, condition);
        sketch.finish()
    }

    #[test]
    fn says_whether_every_run_was_followed() {
        let bounds = Bounds { values: -1..=1, ..Bounds::default() };
        assert_eq!(explore(&guess(0, Some(1)), &bounds), [Found::Complete]);
        assert_eq!(explore(&guess(0, None), &bounds), [Found::Bounded]);
        // The program's own bounds are followed even beyond those of the search.
        let program = guess(0, Some(3));
        let [Found::Error(trace)] = &explore(&program, &bounds)[..] else { panic!("x = 2") };
        assert!(replays(&program, trace));
        assert_eq!(trace.steps.len(), 3);
        let bounds = Bounds { states: 3, ..bounds };
        assert_eq!(explore(&guess(0, Some(1)), &bounds), [Found::Bounded]);
    }

    #[test]
    fn random_programs_are_of_all_kinds() {
        let (mut errors, mut complete, mut bounded, mut whole) = (0, 0, 0, 0);
        let count = 150;
        for seed in 0..count {
            let shape = [ProgramShape::INTEGERS, ProgramShape::MIXED][seed as usize % 3 / 2];
            let program = ProgramGenerator::program(seed, shape);
            let found = explore(&program, &Bounds { states: 3000, ..Bounds::default() });
            // Errors end nothing: what is not reached is complete for all or for none.
            whole += u64::from(!found.contains(&Found::Bounded));
            for found in found {
                match found {
                    Found::Error(trace) => {
                        assert!(replays(&program, &trace), "seed {seed}");
                        errors += 1;
                    }
                    Found::Complete => complete += 1,
                    Found::Bounded => bounded += 1,
                }
            }
        }
        assert!(2 * whole >= count, "{whole} programs were searched to the end");
        assert!(errors >= 50 && complete >= 50 && bounded >= 20);
    }

    #[test]
    fn generated_programs_are_well_formed() {
        for seed in 0..200 {
            let program = ProgramGenerator::program(seed, ProgramShape::MIXED);
            let errors: Vec<_> = program.properties.iter().map(|p| p.error).collect();
            assert!(!errors.is_empty());
            for edge in &program.edges {
                assert!(!errors.contains(&edge.from) && edge.to != program.entry);
                assert!((edge.to.0 as usize) < program.locations.len());
            }
        }
    }
}
