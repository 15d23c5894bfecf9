//! Why a problem cannot be written in a format.

use elinvar_ir::Sort;

use crate::Format;

/// Why a system or a program cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// The format has no construct for a part of the system.
    #[error("{format} cannot express {what} {signal}")]
    Inexpressible {
        /// The name of the format.
        format: &'static str,
        /// The construct that the format lacks.
        what: &'static str,
        /// The user's name of the signal, or where it is.
        signal: String,
    },
    /// An input or a state is a word or an array, and the format has only bits.
    #[error("`{name}` is {sort}, but AIGER has only single bits; bit-blast the system first")]
    NotABit {
        /// The name of the input or state.
        name: String,
        /// Its sort.
        sort: Sort,
    },
    /// An expression without a name is a word or an array, and the format has only bits.
    #[error("an inner signal is {0}, but AIGER has only single bits; bit-blast the system first")]
    InnerNotABit(Sort),
    /// The circuit has more variables than the format can number.
    #[error("the circuit needs more than 2^30 variables")]
    TooLarge,
    /// The format holds one property, and the system has another number of them.
    #[error("an SMT-LIB script is about one safety property; choose one of {0}")]
    NotOneProperty(usize),
    /// The property to be written is not a safety property.
    #[error("an SMT-LIB script is about a safety property; `{0}` is not one")]
    NotSafety(String),
    /// The format is never written with a problem of this kind.
    #[error("{format} files cannot contain {problem}")]
    Unsupported {
        /// The format.
        format: Format,
        /// The problem, in the plural.
        problem: &'static str,
    },
}
