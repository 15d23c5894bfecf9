//! The sorts of program terms.

use std::fmt;
use std::sync::Arc;

/// An uninterpreted type, by its position in [`super::Terms::types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// What values a term can have.
///
/// Maps have one index: a map with two is a map of maps, which has the same
/// elements and the same equality.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    Bool,
    /// The mathematical integers.
    Int,
    Real,
    /// Bit-vectors of this width.
    Word(u32),
    /// A type of which only equality is known; never empty.
    Named(TypeId),
    /// From index to element.
    Map(Arc<(Sort, Sort)>),
}

impl Sort {
    pub fn map(index: Sort, element: Sort) -> Self {
        Sort::Map(Arc::new((index, element)))
    }

    /// Is it a number that can be ordered and added?
    pub fn is_arithmetic(&self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

/// As Boogie writes it; named types by their number.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("bool"),
            Sort::Int => f.write_str("int"),
            Sort::Real => f.write_str("real"),
            Sort::Word(width) => write!(f, "bv{width}"),
            Sort::Named(TypeId(number)) => write!(f, "type#{number}"),
            Sort::Map(sorts) => write!(f, "[{}]{}", sorts.0, sorts.1),
        }
    }
}
