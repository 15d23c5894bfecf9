//! Families: a system with an input that is meant to be constant. Its instances have a
//! number in place of the input.

use std::ops::RangeInclusive;

use elinvar_ir::{
    BitVec, Certificate, ExprId, Input, Pool, Property, PropertyId, PropertyKind, Simulator, Sort,
    State, SystemBuilder, Trace, TransitionSystem, Value, substitute,
};
use rustc_hash::FxHashMap;

use crate::lift::{Inexpressible, Lift};

const SORTED: &str = "the sorts of the family's system";

/// A system with a designated input, and the values that it may have.
#[derive(Clone, Debug)]
pub struct Family {
    system: TransitionSystem,
    parameter: usize,
    property: PropertyId,
    range: RangeInclusive<u64>,
}

/// The way back from an instance to the system of its family.
#[derive(Clone, Debug)]
pub struct InstanceLift {
    parameter: usize,
    value: BitVec,
}

impl Lift for InstanceLift {
    type From = TransitionSystem;
    type To = TransitionSystem;

    /// The input has the value in every cycle.
    fn trace(&self, mut trace: Trace) -> Trace {
        for step in trace.steps.iter_mut() {
            step.inputs.set(self.parameter, Value::Bv(self.value.clone()));
        }
        trace
    }

    fn proof(&self, _: Certificate) -> Result<Certificate, Inexpressible> {
        Err(Inexpressible("it is about one value of the input, the family allows others".into()))
    }
}

/// Why a family cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FamilyError {
    /// There is no input with this name.
    #[error("the model has no input {0}")]
    NoInput(String),
    /// The input is a memory.
    #[error("the input {0} is an array, not a number")]
    NotANumber(String),
    /// There is no value in the range.
    #[error("the range {0}..{1} is empty")]
    Empty(u64, u64),
    /// The number of values does not fit into 64 bits.
    #[error("the range has more values than can be counted")]
    TooWide,
    /// A value of the range is too large for the input.
    #[error("the value {value} does not fit into {name}, which has a width of {width}")]
    TooLarge {
        /// The name of the input.
        name: String,
        /// The value.
        value: u64,
        /// The width of the input.
        width: u32,
    },
    /// The property is not a safety property.
    #[error("the property {0} is not a safety property")]
    NotSafety(String),
}

/// What a larger value does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trend {
    /// It allows more steps.
    Loosens,
    /// It allows fewer steps.
    Tightens,
}

/// A system with a number in place of an input. The input is still there, so that
/// traces have the same form, but nothing depends on it.
pub fn with_input(
    system: &TransitionSystem,
    name: &str,
    value: u64,
) -> Result<TransitionSystem, FamilyError> {
    let input = find_input(system, name, value)?;
    Ok(fix_input(system, input, value))
}

/// The number of an input that can have the value.
fn find_input(system: &TransitionSystem, name: &str, value: u64) -> Result<usize, FamilyError> {
    let index = (0..system.inputs().len()).find(|&i| system.input_name(i) == name);
    let index = index.ok_or_else(|| FamilyError::NoInput(name.to_owned()))?;
    let sort = system.pool().sort(system.inputs()[index].symbol);
    let width = sort.width().ok_or_else(|| FamilyError::NotANumber(name.to_owned()))?;
    if width < u64::BITS && value >> width != 0 {
        return Err(FamilyError::TooLarge { name: name.to_owned(), value, width });
    }
    Ok(index)
}

fn fix_input(system: &TransitionSystem, input: usize, value: u64) -> TransitionSystem {
    let symbol = system.inputs()[input].symbol;
    let mut parts = system.clone().into_builder();
    let value = BitVec::new(parts.pool.width(symbol), value);
    let value = parts.pool.constant(value);
    replace(&mut parts, &FxHashMap::from_iter([(symbol, value)]));
    parts.finish().expect("a constant has the sort of the input")
}

impl Family {
    /// The family of a system in which the input of that name is constant.
    pub fn new(
        system: TransitionSystem,
        parameter: &str,
        property: PropertyId,
        range: RangeInclusive<u64>,
    ) -> Result<Self, FamilyError> {
        if range.is_empty() {
            return Err(FamilyError::Empty(*range.start(), *range.end()));
        }
        if range.end() - range.start() == u64::MAX {
            return Err(FamilyError::TooWide);
        }
        let parameter = find_input(&system, parameter, *range.end())?;
        if system.bad(property).is_none() {
            return Err(FamilyError::NotSafety(system.property(property).name.clone()));
        }
        Ok(Family { system, parameter, property, range })
    }

    /// The name of the input.
    pub fn parameter(&self) -> String {
        self.system.input_name(self.parameter)
    }

    /// The system, in which the input is not fixed.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// The property that the search is about.
    pub fn property(&self) -> PropertyId {
        self.property
    }

    fn symbol(&self) -> ExprId {
        self.system.inputs()[self.parameter].symbol
    }

    fn width(&self) -> u32 {
        self.system.pool().width(self.symbol())
    }

    /// The values that the input may have.
    pub fn range(&self) -> &RangeInclusive<u64> {
        &self.range
    }

    /// The number of the designated input.
    pub fn input(&self) -> usize {
        self.parameter
    }

    /// The system with a number in place of the input, which is still there.
    pub fn instance(&self, bound: u64) -> TransitionSystem {
        fix_input(&self.system, self.parameter, bound)
    }

    /// The way back from the instance with this value.
    pub fn lift(&self, bound: u64) -> InstanceLift {
        InstanceLift { parameter: self.parameter, value: BitVec::new(self.width(), bound) }
    }

    /// A system in which all symbols are inputs. Its only property fails where a step, an
    /// initial value or a bad state under one value of the parameter is impossible under a
    /// looser value. The trend is right if the property holds.
    pub fn violation(&self, trend: Trend) -> TransitionSystem {
        let mut parts = self.system.clone().into_builder();
        let sort = Sort::Bv(self.width());
        let (tight, loose) = (self.symbol(), parts.pool.symbol(sort, None).expect(SORTED));
        let mut other = parts.clone();
        replace(&mut other, &FxHashMap::from_iter([(tight, loose)]));
        let lost = self.lost(&parts, &mut other);
        let (smaller, larger) = match trend {
            Trend::Loosens => (tight, loose),
            Trend::Tightens => (loose, tight),
        };
        let ordered = self.ordered(&mut other.pool, smaller, larger);
        let violated = other.pool.and(ordered, lost).expect(SORTED);
        let symbols = parts.states.iter().map(|state| Input { symbol: state.symbol });
        let inputs = parts.inputs.iter().copied().chain(symbols).chain([Input { symbol: loose }]);
        let mut question = SystemBuilder { pool: other.pool, ..SystemBuilder::default() };
        question.inputs = inputs.collect();
        question.bad("violation", violated);
        question.finish().expect("every symbol is an input")
    }

    /// Behaviour of one system that is not one of the other: initial values differ, or the
    /// constraints allow a step that the other one does not make, or a bad state that is not
    /// bad there.
    fn lost(&self, parts: &SystemBuilder, other: &mut SystemBuilder) -> ExprId {
        let pool = &mut other.pool;
        let mut all_equal = |function: fn(&State) -> Option<ExprId>| {
            let mut same = pool.bool(true);
            for (a, b) in parts.states.iter().zip(&other.states) {
                let (Some(a), Some(b)) = (function(a), function(b)) else { continue };
                let equal = pool.equal(a, b).expect(SORTED);
                same = pool.and(same, equal).expect(SORTED);
            }
            same
        };
        let (start, step) = (all_equal(|state| state.init), all_equal(|state| state.next));
        let allowed = pool.conjoin(parts.constraints.iter().copied()).expect(SORTED);
        let still = pool.conjoin(other.constraints.iter().copied()).expect(SORTED);
        let bad = |properties: &[Property]| match properties[self.property.0].kind {
            PropertyKind::Bad(bad) => bad,
            PropertyKind::Justice(_) => unreachable!("checked when the family was made"),
        };
        let (bad, still_bad) = (bad(&parts.properties), bad(&other.properties));
        let bad = pool.implies(bad, still_bad).expect(SORTED);
        let kept = pool.conjoin([step, still, bad]).expect(SORTED);
        let kept = pool.implies(allowed, kept).expect(SORTED);
        // Initial states are compared whether or not the constraints hold of them.
        let kept = pool.and(start, kept).expect(SORTED);
        pool.not(kept).expect(SORTED)
    }

    /// low ≤ smaller ≤ larger ≤ high
    fn ordered(&self, pool: &mut Pool, smaller: ExprId, larger: ExprId) -> ExprId {
        let [low, high] = [self.range.start(), self.range.end()]
            .map(|&value| pool.constant(BitVec::new(self.width(), value)));
        let pairs = [(low, smaller), (smaller, larger), (larger, high)];
        let ordered = pairs.map(|(a, b)| pool.ule(a, b).expect(SORTED));
        pool.conjoin(ordered).expect(SORTED)
    }

    /// Is the trace one of the instance?
    pub fn allows(&self, bound: u64, trace: &Trace) -> bool {
        let system = &self.system;
        let trace = self.lift(bound).trace(trace.clone());
        let mut simulator = Simulator::of_trace(system, &trace);
        let bad = system.bad(self.property).expect("a safety property");
        for step in &trace.steps[1..] {
            if !simulator.constraints_hold() {
                return false;
            }
            simulator.follow(step);
        }
        simulator.constraints_hold() && simulator.holds(bad)
    }
}

/// Other expressions in place of symbols, everywhere.
fn replace(parts: &mut SystemBuilder, meaning: &FxHashMap<ExprId, ExprId>) {
    let mut roots: Vec<&mut ExprId> = Vec::new();
    for state in &mut parts.states {
        roots.extend(state.init.iter_mut().chain(&mut state.next));
    }
    for property in &mut parts.properties {
        match &mut property.kind {
            PropertyKind::Bad(bad) => roots.push(bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    let named = parts.outputs.iter_mut().chain(&mut parts.labels);
    roots.extend(named.map(|named| &mut named.expr));
    roots.extend(parts.constraints.iter_mut().chain(&mut parts.fairness));
    let old: Vec<ExprId> = roots.iter().map(|root| **root).collect();
    let new = substitute(&mut parts.pool, &old, meaning);
    for (root, new) in roots.into_iter().zip(new) {
        *root = new;
    }
}
