//! Why evidence is refused.

use elinvar_ir::{ClauseError, FormulaError, OpenValue, PropertyId, Sort, TransitionSystem};

/// Why evidence is refused; one variant for each way to reject.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the system has no property {}", .0.0)]
    NoSuchProperty(PropertyId),
    #[error("property {0} is not a safety property")]
    NotSafety(String),
    #[error("the budget of the check is spent")]
    OutOfBudget,

    // ---- traces
    #[error("the trace has no cycle")]
    EmptyTrace,
    #[error("the trace has {found} initial values for {expected} states")]
    InitialCount { found: usize, expected: usize },
    #[error("cycle {cycle} of the trace has {found} values for {expected} inputs")]
    InputCount { cycle: usize, found: usize, expected: usize },
    #[error("cycle {cycle} of the trace has {found} values for {expected} free states")]
    FreeCount { cycle: usize, found: usize, expected: usize },
    #[error("the value of {symbol} in cycle {cycle} is {found}, expected {expected}")]
    ValueSort { symbol: String, cycle: usize, found: Sort, expected: Sort },
    #[error("the initial value of {state} is not the one that the system defines")]
    InitialValue { state: String },
    #[error("constraint {constraint} is violated in cycle {cycle}")]
    Constraint { constraint: usize, cycle: usize },
    #[error("the last cycle of the trace, {cycle}, is not bad")]
    NotBad { cycle: usize },

    #[error("no cycle of the trace violates property {property}")]
    NeverBad { property: String },
    #[error("the witness names no property")]
    NoProperty,
    #[error("the witness leaves a value open that is no part of its trace")]
    NoSuchValue(OpenValue),
    #[error("some choice of the open values violates constraint {constraint} in cycle {cycle}")]
    OpenConstraint { constraint: usize, cycle: usize },
    #[error("some choice of the open values contradicts the initial value of {state}")]
    OpenInitialValue { state: String },
    #[error(
        "property {property} does not fail in the same cycle for every choice of the open values"
    )]
    OpenNotBad { property: String },

    // ---- invariants
    #[error("literal {literal} of clause {clause} is not about a state of the system")]
    NotAState { clause: usize, literal: usize },
    #[error("literal {literal} of clause {clause} is about a bit of {state}, which is an array")]
    ArrayState { clause: usize, literal: usize, state: String },
    #[error(
        "literal {literal} of clause {clause} is about bit {bit} of {state}, which has {width}"
    )]
    BitOutOfRange { clause: usize, literal: usize, state: String, bit: u32, width: u32 },
    #[error(transparent)]
    Facts(ClauseError),
    #[error("clause {clause} does not hold in every initial state")]
    Initiation { clause: usize },
    #[error("clause {clause} does not hold after every step from the invariant")]
    Consecution { clause: usize },
    #[error("the invariant does not exclude the bad states")]
    Safety,

    // ---- formulas
    #[error(transparent)]
    Formula(FormulaError),
    #[error("the invariant does not hold in every initial state")]
    FormulaInitiation,
    #[error("the invariant does not hold after every step from it")]
    FormulaConsecution,
    #[error("the invariant does not exclude the bad states")]
    FormulaSafety,

    // ---- k-induction
    #[error("k-induction needs a k of at least 1")]
    ZeroDepth,
    #[error("a bad state is reached in cycle {cycle}")]
    BaseCase { cycle: usize },
    #[error("a path of {k} good states leads to a bad one")]
    StepCase { k: usize },
    #[error("the proof is about states that the property does not depend on alone")]
    OtherStates,

    // ---- witness circuits
    #[error(
        "shared {what} {witness} of the witness circuit and {model} of the model: no such {what}"
    )]
    SharedOutOfRange { what: &'static str, witness: usize, model: usize },
    #[error("{what} {witness} of the witness circuit or {model} of the model is shared twice")]
    SharedTwice { what: &'static str, witness: usize, model: usize },
    #[error(
        "shared {what} {witness} of the witness circuit and {model} of the model differ in sort"
    )]
    SharedSort { what: &'static str, witness: usize, model: usize },
    #[error("reset: an initial state of the model is none of the witness circuit")]
    CircuitReset,
    #[error("transition: a step of the model is none of the witness circuit")]
    CircuitTransition,
    #[error("safety: the property of the witness circuit does not imply that of the model")]
    CircuitSafety,
    #[error("base: an initial state of the witness circuit violates its property")]
    CircuitBase,
    #[error("induction: a step of the witness circuit leads out of its property")]
    CircuitInduction,
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
