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
    /// Truth values.
    Bool,
    /// The mathematical integers.
    Int,
    /// Rational numbers.
    Real,
    /// Bit-vectors of this width.
    Word(u32),
    /// A type of which only equality is known; never empty.
    Named(TypeId),
    /// From index to element.
    Map(Arc<(Sort, Sort)>),
}

impl Sort {
    /// The sort of maps between these sorts.
    pub fn map(index: Sort, element: Sort) -> Self {
        Sort::Map(Arc::new((index, element)))
    }

    /// How many values the sort has; `None` if they are infinitely many, or more than
    /// 2^32, which is more than a map value has entries. Uninterpreted types count as
    /// infinite.
    pub fn cardinality(&self) -> Option<u64> {
        const MOST: u64 = 1 << 32;
        match self {
            Sort::Bool => Some(2),
            Sort::Word(width) => 1_u64.checked_shl(*width).filter(|&size| size <= MOST),
            Sort::Map(sorts) => {
                let (indices, elements) = (sorts.0.cardinality()?, sorts.1.cardinality()?);
                let indices = u32::try_from(indices).ok()?;
                elements.checked_pow(indices).filter(|&size| size <= MOST)
            }
            Sort::Int | Sort::Real | Sort::Named(_) => None,
        }
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
