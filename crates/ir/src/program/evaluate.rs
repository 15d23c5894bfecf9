//! The values of terms, as the engines compute them.
//!
//! Every term has a value: functions and divisions by zero are given by tables. The only
//! failure is a number too large to compute with, as repeated squaring makes.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivRemEuclid};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

use super::sort::Sort;
use super::term::{FunctionId, Node, Op, Term, Terms, VariableId};
use super::value::{ByZero, Value, Word};

/// How many bits an integer, a numerator or a denominator may have.
pub const LARGEST: usize = 1 << 17;

/// Why a term was not evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvaluationError {
    /// A number is too large to compute with.
    #[error("a number has more than {LARGEST} bits")]
    TooLarge,
}

/// The value of a term in a state.
pub fn evaluate(
    terms: &Terms,
    term: Term,
    variable: impl Fn(VariableId) -> Value,
    function: impl Fn(FunctionId, &[Value]) -> Value,
    by_zero: &ByZero,
) -> Result<Value, EvaluationError> {
    let mut values = FxHashMap::default();
    evaluate_into(terms, term, &mut values, variable, function, by_zero)?;
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
    by_zero: &ByZero,
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
                apply(*op, &children, terms.sort(next), &function, by_zero)?
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
    by_zero: &ByZero,
) -> Result<Value, EvaluationError> {
    let bools = || children.iter().map(|value| value.as_bool().expect("sorts are checked"));
    let number = |at: usize| children[at].as_number().expect("sorts are checked");
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
        Op::Equal => Value::Bool(children[0] == children[1]),
        Op::Ite => unreachable!("only one branch is evaluated"),
        Op::Add | Op::Multiply if *sort == Sort::Int => Value::Int(integers(op, children)?),
        Op::Add | Op::Multiply => Value::Real(reals(op, children)?),
        Op::Divide | Op::Modulo => divide(op, children[0], children[1], by_zero),
        Op::Quotient => match (number(0), number(1)) {
            (_, divisor) if divisor.is_zero() => at_zero(&by_zero.quotient, children[0]),
            (dividend, divisor) => Value::Real(bounded(dividend / divisor)?),
        },
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

fn integers(op: Op, children: &[&Value]) -> Result<IBig, EvaluationError> {
    let mut result = if op == Op::Add { IBig::ZERO } else { IBig::ONE };
    for child in children {
        let Value::Int(child) = child else { unreachable!("sorts are checked") };
        // Before the product is computed: it has about as many bits as both factors.
        if op == Op::Multiply && result.bit_len() + child.bit_len() > LARGEST {
            return Err(EvaluationError::TooLarge);
        }
        result = if op == Op::Add { result + child } else { result * child };
    }
    if result.bit_len() > LARGEST { Err(EvaluationError::TooLarge) } else { Ok(result) }
}

fn reals(op: Op, children: &[&Value]) -> Result<RBig, EvaluationError> {
    let mut result = if op == Op::Add { RBig::ZERO } else { RBig::ONE };
    for child in children {
        let child = child.as_number().expect("sorts are checked");
        result = bounded(if op == Op::Add { result + child } else { result * child })?;
    }
    Ok(result)
}

/// Operands are within the bound, so a result is at most about twice as long.
fn bounded(value: RBig) -> Result<RBig, EvaluationError> {
    let bits = value.numerator().bit_len().max(value.denominator().bit_len());
    if bits > LARGEST { Err(EvaluationError::TooLarge) } else { Ok(value) }
}

fn divide(op: Op, left: &Value, right: &Value, by_zero: &ByZero) -> Value {
    let (Value::Int(dividend), Value::Int(divisor)) = (left, right) else {
        unreachable!("sorts are checked")
    };
    if *divisor == IBig::ZERO {
        let table = if op == Op::Divide { &by_zero.divide } else { &by_zero.modulo };
        return at_zero(table, left);
    }
    let (quotient, remainder) = dividend.clone().div_rem_euclid(divisor.clone());
    Value::Int(if op == Op::Divide { quotient } else { remainder.into() })
}

fn at_zero(table: &super::value::FunctionValue, dividend: &Value) -> Value {
    table.apply(std::slice::from_ref(dividend)).clone()
}
