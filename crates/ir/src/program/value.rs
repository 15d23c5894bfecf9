//! Values of program terms.

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::map::MapValue;
use super::sort::{Sort, TypeId};
use crate::value::BitVec;

/// A value. Values that mean the same are equal; see [`MapValue`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(IBig),
    /// A rational number.
    Real(RBig),
    /// A bit-vector.
    Word(Word),
    /// An element of an uninterpreted type, by number. Every number is an element: the
    /// types are infinite in runs.
    Element(TypeId, u64),
    /// A map.
    Map(Box<MapValue>),
}

/// A word, ordered by its number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word(pub BitVec);

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.width(), self.0.to_big()).cmp(&(other.0.width(), other.0.to_big()))
    }
}

/// What an uninterpreted function is in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    /// The value for all arguments without an entry.
    pub default: Value,
    /// The values for other arguments.
    pub entries: BTreeMap<Vec<Value>, Value>,
}

impl FunctionValue {
    /// The function with the same value everywhere.
    pub fn constant(default: Value) -> Self {
        FunctionValue { default, entries: BTreeMap::new() }
    }

    /// The value for these arguments.
    pub fn apply(&self, arguments: &[Value]) -> &Value {
        self.entries.get(arguments).unwrap_or(&self.default)
    }
}

/// The values of divisions by zero in a run, as tables of the dividend.
///
/// SMT-LIB leaves these values open, but the same dividend always has the same one.
/// Bit-vectors are not concerned: their division by zero is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByZero {
    /// Quotients of integers.
    pub divide: FunctionValue,
    /// Remainders of integers.
    pub modulo: FunctionValue,
    /// Quotients of reals.
    pub quotient: FunctionValue,
}

/// Zero everywhere.
impl Default for ByZero {
    fn default() -> Self {
        let zero = |sort: &Sort| FunctionValue::constant(Value::zero(sort));
        ByZero { divide: zero(&Sort::Int), modulo: zero(&Sort::Int), quotient: zero(&Sort::Real) }
    }
}

impl Value {
    /// Some value of a sort: zero, false, a map of them.
    pub fn zero(sort: &Sort) -> Self {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(IBig::ZERO),
            Sort::Real => Value::Real(RBig::ZERO),
            Sort::Word(width) => Value::Word(Word(BitVec::zero(*width))),
            Sort::Named(name) => Value::Element(*name, 0),
            Sort::Map(sorts) => {
                let zero = MapValue::constant(sorts.0.clone(), Value::zero(&sorts.1));
                Value::Map(Box::new(zero))
            }
        }
    }

    /// Whether the value has this sort.
    pub fn has_sort(&self, sort: &Sort) -> bool {
        match (self, sort) {
            (Value::Bool(_), Sort::Bool)
            | (Value::Int(_), Sort::Int)
            | (Value::Real(_), Sort::Real) => true,
            (Value::Word(word), Sort::Word(width)) => word.0.width() == *width,
            (Value::Element(found, _), Sort::Named(name)) => found == name,
            (Value::Map(map), Sort::Map(sorts)) => {
                *map.index_sort() == sorts.0
                    && map.default_element().has_sort(&sorts.1)
                    && map.entries().all(|(index, element)| {
                        index.has_sort(&sorts.0) && element.has_sort(&sorts.1)
                    })
            }
            _ => false,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is an integer or a real.
    pub fn as_number(&self) -> Option<RBig> {
        match self {
            Value::Int(value) => Some(RBig::from(value.clone())),
            Value::Real(value) => Some(value.clone()),
            _ => None,
        }
    }
}
