//! Values, and the reference semantics of terms.

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_int::ops::DivRemEuclid;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

use super::sort::{Sort, TypeId};
use super::term::{FunctionId, Node, Op, Term, Terms, VariableId};
use crate::value::BitVec;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Int(IBig),
    Real(RBig),
    Word(Word),
    /// An element of an uninterpreted type, by number.
    Element(TypeId, u64),
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

/// The same element nearly everywhere. No entry equals the default, so that equal maps
/// over infinitely many indices are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MapValue {
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl MapValue {
    pub fn constant(default: Value) -> Self {
        MapValue { default, entries: BTreeMap::new() }
    }

    pub fn default_element(&self) -> &Value {
        &self.default
    }

    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    pub fn read(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    pub fn write(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }
}

/// What an uninterpreted function is in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    pub default: Value,
    pub entries: BTreeMap<Vec<Value>, Value>,
}

impl FunctionValue {
    pub fn apply(&self, arguments: &[Value]) -> &Value {
        self.entries.get(arguments).unwrap_or(&self.default)
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
            Sort::Map(sorts) => Value::Map(Box::new(MapValue::constant(Value::zero(&sorts.1)))),
        }
    }

    pub fn has_sort(&self, sort: &Sort) -> bool {
        match (self, sort) {
            (Value::Bool(_), Sort::Bool)
            | (Value::Int(_), Sort::Int)
            | (Value::Real(_), Sort::Real) => true,
            (Value::Word(word), Sort::Word(width)) => word.0.width() == *width,
            (Value::Element(found, _), Sort::Named(name)) => found == name,
            (Value::Map(map), Sort::Map(sorts)) => {
                map.default.has_sort(&sorts.1)
                    && map.entries.iter().all(|(index, element)| {
                        index.has_sort(&sorts.0) && element.has_sort(&sorts.1)
                    })
            }
            _ => false,
        }
    }

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

    fn number(value: RBig, sort: &Sort) -> Self {
        match sort {
            Sort::Int => Value::Int(value.into_parts().0),
            _ => Value::Real(value),
        }
    }
}

/// Why a term has no value that can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvaluationError {
    #[error("division by zero, which has no specified value")]
    DivisionByZero,
    #[error("maps over finitely many indices are compared")]
    FiniteMaps,
}

/// The value of a term in a state.
pub fn evaluate(
    terms: &Terms,
    term: Term,
    variable: impl Fn(VariableId) -> Value,
    function: impl Fn(FunctionId, &[Value]) -> Value,
) -> Result<Value, EvaluationError> {
    let mut values = FxHashMap::default();
    evaluate_into(terms, term, &mut values, variable, function)?;
    Ok(values.remove(&term).expect("the term was evaluated last"))
}

/// The same, for several terms in one state: `values` has what is known already, and
/// gets what is evaluated on the way.
pub fn evaluate_into(
    terms: &Terms,
    term: Term,
    values: &mut FxHashMap<Term, Value>,
    variable: impl Fn(VariableId) -> Value,
    function: impl Fn(FunctionId, &[Value]) -> Value,
) -> Result<(), EvaluationError> {
    // A condition is evaluated before its branches, and only the branch that counts.
    let mut stack = vec![(term, false)];
    while let Some((next, ready)) = stack.pop() {
        if values.contains_key(&next) {
            continue;
        }
        let value = match terms.node(next) {
            Node::Bool(value) => Value::Bool(*value),
            Node::Int(value) => Value::Int(value.clone()),
            Node::Real(value) => Value::Real(value.clone()),
            Node::Word(value) => Value::Word(Word(value.clone())),
            Node::Variable(id) => variable(*id),
            Node::Apply(Op::Ite, children) => {
                let needed = match values.get(&children[0]) {
                    None => children[0],
                    Some(Value::Bool(true)) => children[1],
                    Some(_) => children[2],
                };
                match values.get(&needed) {
                    Some(value) => value.clone(),
                    None => {
                        stack.extend([(next, false), (needed, false)]);
                        continue;
                    }
                }
            }
            Node::Apply(op, children) if ready => {
                let children: Vec<&Value> = children.iter().map(|child| &values[child]).collect();
                apply(*op, &children, terms.sort(next), &function)?
            }
            Node::Apply(_, children) => {
                stack.push((next, true));
                stack.extend(children.iter().map(|&child| (child, false)));
                continue;
            }
        };
        values.insert(next, value);
    }
    Ok(())
}

fn apply(
    op: Op,
    children: &[&Value],
    sort: &Sort,
    function: impl Fn(FunctionId, &[Value]) -> Value,
) -> Result<Value, EvaluationError> {
    let bools = || children.iter().map(|value| value.as_bool().expect("sorts are checked"));
    let number = |at: usize| children[at].as_number().expect("sorts are checked");
    let numbers = || (0..children.len()).map(number);
    let word = |at: usize| match children[at] {
        Value::Word(word) => &word.0,
        _ => unreachable!("sorts are checked"),
    };
    let map = |at: usize| match children[at] {
        Value::Map(map) => map,
        _ => unreachable!("sorts are checked"),
    };
    Ok(match op {
        Op::Not => Value::Bool(!bools().next().expect("one operand")),
        Op::And => Value::Bool(bools().all(|value| value)),
        Op::Or => Value::Bool(bools().any(|value| value)),
        Op::Equal => Value::Bool(equal(children[0], children[1])?),
        Op::Ite => unreachable!("only one branch is evaluated"),
        Op::Add => Value::number(numbers().fold(RBig::ZERO, |sum, n| sum + n), sort),
        Op::Multiply => Value::number(numbers().fold(RBig::ONE, |product, n| product * n), sort),
        Op::Divide | Op::Modulo => {
            let (left, right) = (number(0).into_parts().0, number(1).into_parts().0);
            if right == IBig::ZERO {
                return Err(EvaluationError::DivisionByZero);
            }
            let (quotient, remainder) = left.div_rem_euclid(right);
            Value::Int(if op == Op::Divide { quotient } else { remainder.into() })
        }
        Op::Quotient => {
            if number(1).is_zero() {
                return Err(EvaluationError::DivisionByZero);
            }
            Value::Real(number(0) / number(1))
        }
        Op::AtMost => Value::Bool(number(0) <= number(1)),
        Op::Less => Value::Bool(number(0) < number(1)),
        Op::ToReal => Value::Real(number(0)),
        Op::ToInt => Value::Int(number(0).floor()),
        Op::Select => map(0).read(children[1]).clone(),
        Op::Store => {
            let mut changed = map(0).clone();
            changed.write(children[1].clone(), children[2].clone());
            Value::Map(changed)
        }
        Op::Unary(op) => Value::Word(Word(op.0.apply(word(0)))),
        Op::Binary(op) => {
            let value = op.0.apply(word(0), word(1));
            if op.0.is_predicate() {
                Value::Bool(value.is_true())
            } else {
                Value::Word(Word(value))
            }
        }
        Op::Extract { high, low } => Value::Word(Word(word(0).slice(high, low))),
        Op::Extend { by, signed } => {
            Value::Word(Word(if signed { word(0).sext(by) } else { word(0).uext(by) }))
        }
        Op::Function(id) => {
            let arguments: Vec<Value> = children.iter().map(|&value| value.clone()).collect();
            function(id, &arguments)
        }
    })
}

/// Maps with different defaults differ if there are indices enough to come upon them.
fn equal(left: &Value, right: &Value) -> Result<bool, EvaluationError> {
    let (Value::Map(left), Value::Map(right)) = (left, right) else { return Ok(left == right) };
    if left == right {
        return Ok(true);
    }
    let infinite = |value: &Value| matches!(value, Value::Int(_) | Value::Real(_));
    let mut indices = left.entries.keys().chain(right.entries.keys());
    match indices.next() {
        Some(index) if !infinite(index) => Err(EvaluationError::FiniteMaps),
        Some(_) => Ok(false),
        // Two constant maps.
        None => equal(&left.default, &right.default),
    }
}
