//! Why the evidence on a program is refused.

use elinvar_ir::PropertyId;
use elinvar_ir::program::{EdgeId, LocationId};

/// Why evidence is refused; one variant for each way to reject. Locations, edges and
/// properties by their number in the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProgramRefusal {
    #[error("the program has no property {}", .0.0)]
    NoSuchProperty(PropertyId),
    #[error("the invariants could not be checked in time")]
    OutOfTime,
    #[error(
        "proofs of programs are checked by `{command}`, which cannot be started ({error}); \
         install it: by default it is Z3, of the package z3"
    )]
    NoSolver { command: String, error: String },
    #[error("the solver of the checker failed: {0}")]
    Solver(String),

    #[error("two readings of the program have different {0}")]
    Readings(&'static str),

    // ---- runs
    #[error("the values that the run starts with: {0}")]
    Start(StepFault),
    #[error("the function {0} has a value of another sort, or of other arguments")]
    FunctionValue(String),
    #[error("step {step} of the run is along edge {}, which the program does not have", .edge.0)]
    NoSuchEdge { step: usize, edge: EdgeId },
    #[error("step {step} of the run: {error}")]
    Step { step: usize, error: StepFault },
    #[error("the run does not end in the error location of its property")]
    NotAtError,

    // ---- invariants
    #[error("there is an invariant at location {}, which the program does not have", .0.0)]
    NoSuchLocation(LocationId),
    #[error("the invariant at location {} speaks of {name}, which is not the program's", .location.0)]
    Foreign { location: LocationId, name: String },
    #[error("the invariant at location {} is ill-sorted", .0.0)]
    IllSorted(LocationId),
    #[error("location {} is on a cycle where no location has an invariant", .0.0)]
    Uncut(LocationId),
    #[error("clause {clause} of the invariant at the entry does not hold for all values")]
    Initiation { clause: usize },
    #[error(
        "clause {clause} of the invariant at location {} does not follow from the one at \
         location {}", .to.0, .from.0
    )]
    Consecution { from: LocationId, to: LocationId, clause: usize },
    #[error("the invariant at location {} does not exclude a path to the error of property {}",
        .from.0, .property.0)]
    Safety { from: LocationId, property: PropertyId },
}

/// Why a run does not start or go on as the evidence says.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepFault {
    #[error("the edge does not leave the location where the run is")]
    Elsewhere,
    #[error("the condition does not hold")]
    Blocked,
    #[error("there are {found} values for {expected} symbols")]
    Count { expected: usize, found: usize },
    #[error("a value does not have the sort of its variable")]
    Sort,
    #[error("a term of the program is ill-sorted")]
    IllSorted,
    #[error("a number is too large to compute with")]
    TooLarge,
}

impl ProgramRefusal {
    /// Was the evidence found wrong? Otherwise nobody knows.
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
