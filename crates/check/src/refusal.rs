//! Why evidence is refused.

use elinvar_ir::{
    ClauseError, FormulaError, OpenValue, PropertyId, RankingError, Sort, TransitionSystem,
};

/// Why evidence is refused; one variant for each way to reject.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The evidence is about a property that does not exist.
    #[error("the system has no property {}", .0.0)]
    NoSuchProperty(PropertyId),
    /// The property, named here, is not a safety property.
    #[error("property {0} is not a safety property")]
    NotSafety(String),
    /// The time or the memory of the check ran out. Nothing is known about the evidence.
    #[error("the check ran out of time or memory")]
    OutOfBudget,

    // ---- traces
    /// The trace has no cycle.
    #[error("the trace has no cycle")]
    EmptyTrace,
    /// The number of initial values is wrong.
    #[error("the trace has {found} initial values for {expected} states")]
    InitialCount {
        /// The number that was given.
        found: usize,
        /// The number that the system needs.
        expected: usize,
    },
    /// The number of values for the inputs of a cycle is wrong.
    #[error("cycle {cycle} of the trace has {found} values for {expected} inputs")]
    InputCount {
        /// The number of the cycle.
        cycle: usize,
        /// The number that was given.
        found: usize,
        /// The number that the system needs.
        expected: usize,
    },
    /// The number of values for the free states of a cycle is wrong.
    #[error("cycle {cycle} of the trace has {found} values for {expected} free states")]
    FreeCount {
        /// The number of the cycle.
        cycle: usize,
        /// The number that was given.
        found: usize,
        /// The number that the system needs.
        expected: usize,
    },
    /// A value has the wrong sort.
    #[error("the value of {symbol} in cycle {cycle} is {found}, expected {expected}")]
    ValueSort {
        /// The name of the input or state.
        symbol: String,
        /// The number of the cycle.
        cycle: usize,
        /// Its sort.
        found: Sort,
        /// The sort that it needs.
        expected: Sort,
    },
    /// An initial value contradicts the system.
    #[error("the initial value of {state} is not the one that the system defines")]
    InitialValue {
        /// The name of the state.
        state: String,
    },
    /// A constraint is violated.
    #[error("constraint {constraint} is violated in cycle {cycle}")]
    Constraint {
        /// The number of the constraint.
        constraint: usize,
        /// The number of the cycle.
        cycle: usize,
    },
    /// The trace does not end in a bad state.
    #[error("the last cycle of the trace, {cycle}, is not bad")]
    NotBad {
        /// The number of the cycle.
        cycle: usize,
    },

    // ---- traces with a loop
    /// A trace of a liveness property has no loop.
    #[error("the trace has no loop")]
    NoLoop,
    /// A trace of a safety property has a loop.
    #[error("the trace of a safety property has a loop")]
    LoopOfSafety,
    /// The loop does not start in a cycle of the trace.
    #[error("the loop starts in cycle {start}, after the last cycle {last}")]
    LoopStart {
        /// The cycle in which the loop starts.
        start: usize,
        /// The last cycle of the trace.
        last: usize,
    },
    /// The loop does not close.
    #[error("the loop does not close: {state} does not return to its value of cycle {start}")]
    LoopOpen {
        /// The name of the state.
        state: String,
        /// The cycle in which the loop starts.
        start: usize,
    },
    /// A condition of the property or a fairness constraint does not hold in the loop.
    #[error("condition {condition} holds in no cycle of the loop")]
    NeverFair {
        /// The number of the condition; fairness constraints come first.
        condition: usize,
    },

    /// A property that the witness names does not fail.
    #[error("no cycle of the trace violates property {property}")]
    NeverBad {
        /// The name of the property.
        property: String,
    },
    /// The trace does not end in a loop of a liveness property.
    #[error(
        "the state after the last cycle is not that of an earlier one, so property {property} is \
         not violated"
    )]
    NeverReturns {
        /// The name of the property.
        property: String,
    },
    /// The loops of the trace do not meet the conditions of a liveness property.
    #[error(
        "the trace has a loop, but a condition of property {property} or a fairness constraint \
         never holds in it"
    )]
    NoFairLoop {
        /// The name of the property.
        property: String,
    },
    /// The witness names no property.
    #[error("the witness names no property")]
    NoProperty,
    /// The witness leaves a value open that is not in its trace.
    #[error("the witness leaves a value open that is not part of its trace")]
    NoSuchValue(OpenValue),
    /// A constraint depends on the open values.
    #[error("some choice of the open values violates constraint {constraint} in cycle {cycle}")]
    OpenConstraint {
        /// The number of the constraint.
        constraint: usize,
        /// The number of the cycle.
        cycle: usize,
    },
    /// An initial value depends on the open values.
    #[error("some choice of the open values contradicts the initial value of {state}")]
    OpenInitialValue {
        /// The name of the state.
        state: String,
    },
    /// Whether a property fails depends on the open values.
    #[error(
        "property {property} does not fail in the same cycle for every choice of the open values"
    )]
    OpenNotBad {
        /// The name of the property.
        property: String,
    },

    // ---- invariants
    /// A literal is not about a state.
    #[error("literal {literal} of clause {clause} is not about a state of the system")]
    NotAState {
        /// The position of the clause.
        clause: usize,
        /// The position of the literal in its clause.
        literal: usize,
    },
    /// A literal is about a bit of an array.
    #[error("literal {literal} of clause {clause} is about a bit of {state}, which is an array")]
    ArrayState {
        /// The position of the clause.
        clause: usize,
        /// The position of the literal in its clause.
        literal: usize,
        /// The name of the state.
        state: String,
    },
    /// A literal is about a bit that the state does not have.
    #[error(
        "literal {literal} of clause {clause} is about bit {bit} of {state}, which has {width} bits"
    )]
    BitOutOfRange {
        /// The position of the clause.
        clause: usize,
        /// The position of the literal in its clause.
        literal: usize,
        /// The name of the state.
        state: String,
        /// The number of the bit.
        bit: u32,
        /// The width of the state.
        width: u32,
    },
    /// A fact does not fit the system.
    #[error(transparent)]
    Facts(ClauseError),
    /// A clause is violated in some initial state.
    #[error("clause {clause} does not hold in every initial state")]
    Initiation {
        /// The position of the clause.
        clause: usize,
    },
    /// A clause is violated after some step from the invariant.
    #[error("clause {clause} does not hold after every step from the invariant")]
    Consecution {
        /// The position of the clause.
        clause: usize,
    },
    /// The invariant contains a bad state.
    #[error("the invariant does not exclude the bad states")]
    Safety,

    // ---- renamings
    /// An expression is not paired with one expression that is the same.
    #[error("expression {node} is not the same as what takes its place")]
    Renaming {
        /// The number of its node.
        node: usize,
    },
    /// The bad bit of the property is not paired with that of the other one.
    #[error("the renaming does not turn the property into the other one")]
    RenamedProperty,
    /// The constraints are not paired with the constraints.
    #[error("the renaming does not turn the constraints into the constraints")]
    RenamedConstraints,

    // ---- formulas
    /// The invariant does not fit the system.
    #[error(transparent)]
    Formula(FormulaError),
    /// The invariant is violated in some initial state.
    #[error("the invariant does not hold in every initial state")]
    FormulaInitiation,
    /// The invariant is violated after some step from it.
    #[error("the invariant does not hold after every step from it")]
    FormulaConsecution,
    /// The invariant contains a bad state.
    #[error("the invariant does not exclude the bad states")]
    FormulaSafety,

    // ---- rankings
    /// The ranking does not fit the system.
    #[error(transparent)]
    Ranking(RankingError),
    /// The invariant is violated in some initial state.
    #[error("the invariant of the ranking does not hold in every initial state")]
    RankingInitiation,
    /// The invariant is violated after some step from it.
    #[error("the invariant of the ranking does not hold after every step from it")]
    RankingConsecution,
    /// A state is not related to the state before it.
    #[error("decrease: a state is not related to the state before it")]
    Decrease,
    /// The relation is not kept by a step.
    #[error("closure: a step leads from a related state to an unrelated one")]
    Closure,
    /// Consecutive steps are related by different conditions.
    #[error("consistency: two steps are related, but not for the same condition")]
    Consistency,
    /// A step is related for a condition that holds.
    #[error("liveness: a step is related for a condition that holds in it")]
    Liveness,

    // ---- k-induction
    /// The k of a k-induction is zero.
    #[error("k-induction needs a k of at least 1")]
    ZeroDepth,
    /// A bad state is reachable within k cycles.
    #[error("a bad state is reached in cycle {cycle}")]
    BaseCase {
        /// The number of the cycle.
        cycle: usize,
    },
    /// The induction step fails.
    #[error("a path of {k} good states leads to a bad one")]
    StepCase {
        /// The length of the paths.
        k: usize,
    },
    /// The property depends on states that the proof leaves out.
    #[error("the property depends on states that the proof leaves out")]
    OtherStates,

    // ---- witness circuits
    /// A shared input or state does not exist.
    #[error(
        "shared {what} {witness} of the witness circuit and {model} of the model: no such {what}"
    )]
    SharedOutOfRange {
        /// `input` or `state`.
        what: &'static str,
        /// The number in the witness circuit.
        witness: usize,
        /// The number in the model.
        model: usize,
    },
    /// An input or state is shared twice.
    #[error("{what} {witness} of the witness circuit or {model} of the model is shared twice")]
    SharedTwice {
        /// `input` or `state`.
        what: &'static str,
        /// The number in the witness circuit.
        witness: usize,
        /// The number in the model.
        model: usize,
    },
    /// A shared input or state has different sorts.
    #[error(
        "shared {what} {witness} of the witness circuit and {model} of the model differ in sort"
    )]
    SharedSort {
        /// `input` or `state`.
        what: &'static str,
        /// The number in the witness circuit.
        witness: usize,
        /// The number in the model.
        model: usize,
    },
    /// The witness circuit does not simulate an initial state of the model.
    #[error("reset: an initial state of the model is not an initial state of the witness circuit")]
    CircuitReset,
    /// The witness circuit does not simulate a step of the model.
    #[error("transition: a step of the model is not a step of the witness circuit")]
    CircuitTransition,
    /// The property of the witness circuit is too weak.
    #[error("safety: the property of the witness circuit does not imply that of the model")]
    CircuitSafety,
    /// The property of the witness circuit fails initially.
    #[error("base: an initial state of the witness circuit violates its property")]
    CircuitBase,
    /// The property of the witness circuit is not inductive.
    #[error("induction: a step of the witness circuit violates its property")]
    CircuitInduction,
    /// The witness circuit has no liveness property for that of the model, or one with another
    /// number of conditions.
    #[error(
        "the liveness property of the witness circuit has {found} conditions, expected {expected}"
    )]
    CircuitConditions {
        /// The number of fairness constraints and conditions of the witness circuit.
        found: usize,
        /// The number that the model needs.
        expected: usize,
    },
    /// An intervention does not fit the witness circuit.
    #[error("intervention {0} of the witness circuit does not fit it")]
    CircuitIntervention(usize),
}

/// The bad bit of a safety property.
pub(crate) fn bad_of(
    system: &TransitionSystem,
    property: PropertyId,
) -> Result<elinvar_ir::ExprId, Refusal> {
    if property.0 >= system.properties().len() {
        return Err(Refusal::NoSuchProperty(property));
    }
    let name = || system.property(property).name.clone();
    system.bad(property).ok_or_else(|| Refusal::NotSafety(name()))
}
