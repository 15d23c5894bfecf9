//! Why evidence about a program is refused.

use elinvar_ir::PropertyId;
use elinvar_ir::program::{EdgeId, LocationId};

/// Why evidence is refused; one variant for each way to reject. Locations, edges and
/// properties by their number in the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProgramRefusal {
    /// The evidence is about a property that does not exist.
    #[error("the program has no property {}", .0.0)]
    NoSuchProperty(PropertyId),
    /// The check ran out of time. Nothing is known about the evidence.
    #[error("the invariants could not be checked in time")]
    OutOfTime,
    /// The solver that checks proofs of programs cannot be started.
    #[error(
        "proofs of programs are checked by `{command}`, which cannot be started ({error}); \
         install Z3, which is the default (package z3)"
    )]
    NoSolver {
        /// The command that was tried.
        command: String,
        /// Why it cannot be started.
        error: String,
    },
    /// The solver failed; what it said.
    #[error("the solver that checks the proof failed: {0}")]
    Solver(String),

    /// The two readings of the program, with and without rewriting, disagree about this part.
    #[error("two readings of the program have different {0}")]
    Readings(&'static str),

    // ---- runs
    /// The initial values do not fit the program.
    #[error("the initial values of the run are wrong: {0}")]
    Start(StepFault),
    /// The table of a function, named here, is ill-sorted.
    #[error("the table of function {0} has the wrong sorts")]
    FunctionValue(String),
    /// A step takes an edge that does not exist.
    #[error("step {step} of the run is along edge {}, which the program does not have", .edge.0)]
    NoSuchEdge {
        /// The number of the step.
        step: usize,
        /// The number of the edge.
        edge: EdgeId,
    },
    /// A step is impossible.
    #[error("step {step} of the run: {error}")]
    Step {
        /// The number of the step.
        step: usize,
        /// Why it is impossible.
        error: StepFault,
    },
    /// The run does not end in the error location of its property.
    #[error("the run does not end in the error location of its property")]
    NotAtError,

    // ---- invariants
    /// An invariant is at a location that does not exist.
    #[error("there is an invariant at location {}, which the program does not have", .0.0)]
    NoSuchLocation(LocationId),
    /// An invariant mentions a variable that the program does not declare.
    #[error("the invariant at location {} mentions {name}, which the program does not declare", .location.0)]
    Foreign {
        /// The location of the invariant.
        location: LocationId,
        /// The name of the variable.
        name: String,
    },
    /// An invariant is ill-sorted.
    #[error("the invariant at location {} is ill-sorted", .0.0)]
    IllSorted(LocationId),
    /// A cycle of the program has no location with an invariant.
    #[error("location {} is on a cycle where no location has an invariant", .0.0)]
    Uncut(LocationId),
    /// The invariant at the entry does not hold for all values.
    #[error("clause {clause} of the invariant at the entry does not hold for all values")]
    Initiation {
        /// The position of the clause.
        clause: usize,
    },
    /// An invariant does not follow from the one before it.
    #[error(
        "clause {clause} of the invariant at location {} does not follow from the one at \
         location {}", .to.0, .from.0
    )]
    Consecution {
        /// Where the path starts.
        from: LocationId,
        /// Where the path ends.
        to: LocationId,
        /// The position of the clause.
        clause: usize,
    },
    /// An invariant does not exclude an error.
    #[error("the invariant at location {} does not exclude a path to the error of property {}",
        .from.0, .property.0)]
    Safety {
        /// Where the path starts.
        from: LocationId,
        /// The property of the error.
        property: PropertyId,
    },
}

/// Why a run does not start or go on as the evidence says.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepFault {
    /// The edge starts at another location.
    #[error("the edge does not leave the location where the run is")]
    Elsewhere,
    /// The condition of an `assume` is false.
    #[error("the condition does not hold")]
    Blocked,
    /// The number of values is wrong.
    #[error("there are {found} values for {expected} symbols")]
    Count {
        /// How many values are needed.
        expected: usize,
        /// How many values were given.
        found: usize,
    },
    /// A value has another sort than its variable.
    #[error("a value does not have the sort of its variable")]
    Sort,
    /// A term of the program is ill-sorted.
    #[error("a term of the program is ill-sorted")]
    IllSorted,
    /// A number is too large to compute with.
    #[error("a number is too large to compute with")]
    TooLarge,
}

impl ProgramRefusal {
    /// Whether the evidence is wrong. If not, the check could not decide.
    pub fn is_wrong(&self) -> bool {
        match self {
            ProgramRefusal::OutOfTime
            | ProgramRefusal::NoSolver { .. }
            | ProgramRefusal::Solver(_)
            | ProgramRefusal::Step { error: StepFault::TooLarge, .. } => false,
            ProgramRefusal::NoSuchProperty(_)
            | ProgramRefusal::Readings(_)
            | ProgramRefusal::Start(_)
            | ProgramRefusal::FunctionValue(_)
            | ProgramRefusal::NoSuchEdge { .. }
            | ProgramRefusal::Step { .. }
            | ProgramRefusal::NotAtError
            | ProgramRefusal::NoSuchLocation(_)
            | ProgramRefusal::Foreign { .. }
            | ProgramRefusal::IllSorted(_)
            | ProgramRefusal::Uncut(_)
            | ProgramRefusal::Initiation { .. }
            | ProgramRefusal::Consecution { .. }
            | ProgramRefusal::Safety { .. } => true,
        }
    }
}
