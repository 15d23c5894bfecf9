//! Values of the oracle, each with one representation, so that `==` is equality of values.
//!
//! A map over few indices is a table of all of them. Any other map has a value for all indices but
//! finitely many; over an infinite or very large index type that value is unique, since no run writes
//! more than a few elements. Numbers are bounded: what does not fit in 128 bits is given up.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::syntax::Type;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    Real(Ratio),
    /// The width, and the bits.
    Word(u32, u128),
    /// An element of an uninterpreted type. There are infinitely many.
    Element(u8, u32),
    Map(Rc<Map>),
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Map {
    entries: BTreeMap<Vec<Value>, Value>,
    /// The value at all other indices; `None` if the entries have all indices.
    rest: Option<Value>,
}

/// The largest index type whose maps are tables.
const TABLE: usize = 64;

impl Map {
    /// The map that has one value everywhere.
    pub fn constant(indices: &[Type], value: Value) -> Self {
        match tuples(indices) {
            Some(all) => Map {
                entries: all.into_iter().map(|index| (index, value.clone())).collect(),
                rest: None,
            },
            None => Map { entries: BTreeMap::new(), rest: Some(value) },
        }
    }

    pub fn read(&self, index: &[Value]) -> Value {
        let rest = || self.rest.clone().expect("a table has all indices");
        self.entries.get(index).cloned().unwrap_or_else(rest)
    }

    pub fn write(&mut self, index: Vec<Value>, value: Value) {
        if self.rest.as_ref() == Some(&value) {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }
}

impl Value {
    /// Some value of the type.
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::Real => Value::Real(Ratio::from(0)),
            Type::Word(width) => Value::Word(*width, 0),
            Type::Named(number) => Value::Element(*number, 0),
            Type::Map(indices, element) => {
                Value::Map(Rc::new(Map::constant(indices, Value::zero(element))))
            }
        }
    }

    pub fn is_true(&self) -> bool {
        *self == Value::Bool(true)
    }
}

/// All values of a type, if there are few.
pub fn all(ty: &Type) -> Option<Vec<Value>> {
    match ty {
        Type::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Type::Word(width) if 1 << (*width).min(20) <= TABLE => {
            Some((0..1 << width).map(|bits| Value::Word(*width, bits)).collect())
        }
        Type::Int | Type::Real | Type::Word(_) | Type::Named(_) => None,
        Type::Map(indices, element) => {
            let (indices, elements) = (tuples(indices)?, all(element)?);
            let count = elements.len().checked_pow(indices.len() as u32)?;
            if count > TABLE {
                return None;
            }
            let mut maps = vec![BTreeMap::new()];
            for index in &indices {
                maps = maps
                    .iter()
                    .flat_map(|map| {
                        elements.iter().map(|element| {
                            let mut map = map.clone();
                            map.insert(index.clone(), element.clone());
                            map
                        })
                    })
                    .collect();
            }
            let map = |entries| Value::Map(Rc::new(Map { entries, rest: None }));
            Some(maps.into_iter().map(map).collect())
        }
    }
}

/// All tuples of values of these types, if there are few.
pub fn tuples(types: &[Type]) -> Option<Vec<Vec<Value>>> {
    let mut tuples = vec![Vec::new()];
    for ty in types {
        let values = all(ty)?;
        if tuples.len() * values.len() > TABLE {
            return None;
        }
        tuples = tuples
            .iter()
            .flat_map(|tuple: &Vec<Value>| {
                values.iter().map(|value| [&tuple[..], std::slice::from_ref(value)].concat())
            })
            .collect();
    }
    Some(tuples)
}

/// A rational number in lowest terms, the denominator positive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl From<i128> for Ratio {
    fn from(numerator: i128) -> Self {
        Ratio { numerator, denominator: 1 }
    }
}

impl Ratio {
    /// `None` if the denominator is zero or the numbers are too large.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        let divisor = gcd(numerator.abs(), denominator.abs()) * denominator.signum();
        Some(Ratio { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub fn negate(self) -> Self {
        Ratio { numerator: -self.numerator, denominator: self.denominator }
    }

    pub fn add(self, other: Ratio) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Ratio::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn multiply(self, other: Ratio) -> Option<Self> {
        Ratio::new(
            self.numerator.checked_mul(other.numerator)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    /// The divisor must not be zero.
    pub fn divide(self, other: Ratio) -> Option<Self> {
        Ratio::new(
            self.numerator.checked_mul(other.denominator)?,
            self.denominator.checked_mul(other.numerator)?,
        )
    }

    pub fn less(self, other: Ratio) -> Option<bool> {
        let left = self.numerator.checked_mul(other.denominator)?;
        Some(left < other.numerator.checked_mul(self.denominator)?)
    }

    /// The largest integer that is not greater.
    pub fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_over_small_types_are_equal_if_they_agree_everywhere() {
        let mut a = Map::constant(&[Type::Bool], Value::Int(0));
        a.write(vec![Value::Bool(false)], Value::Int(1));
        a.write(vec![Value::Bool(true)], Value::Int(1));
        assert_eq!(a, Map::constant(&[Type::Bool], Value::Int(1)));
        a.write(vec![Value::Bool(true)], Value::Int(2));
        assert_ne!(a, Map::constant(&[Type::Bool], Value::Int(1)));
    }

    #[test]
    fn maps_over_integers_forget_what_is_overwritten() {
        let zero = Map::constant(&[Type::Int], Value::Int(0));
        let mut a = zero.clone();
        a.write(vec![Value::Int(3)], Value::Int(1));
        assert_ne!(a, zero);
        a.write(vec![Value::Int(3)], Value::Int(0));
        assert_eq!(a, zero);
    }

    #[test]
    fn small_types_are_enumerated() {
        let count = |ty: &Type| all(ty).map(|values| values.len());
        assert_eq!(count(&Type::Word(3)), Some(8));
        assert_eq!(count(&Type::map(Type::Word(1), Type::Word(2))), Some(16));
        assert_eq!(count(&Type::Word(70)), None);
        assert_eq!(count(&Type::map(Type::Int, Type::Bool)), None);
        assert_eq!(count(&Type::map(Type::Bool, Type::Int)), None);
    }
}
