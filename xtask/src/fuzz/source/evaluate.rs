//! The values of expressions, by recursion on the syntax tree.
//!
//! Uninterpreted functions and divisions by zero have any value, but the same one for the same
//! operands: it is chosen when it is first asked for.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::syntax::*;
use super::value::{Ratio, Value};

/// Why there is no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// What has a value that is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Chosen {
    Function(usize),
    Divide,
    Modulo,
    Quotient,
}

pub type Tables = BTreeMap<(Chosen, Vec<Value>), Value>;

/// A value with its type.
pub type Typed<'v> = (&'v Type, &'v Value);

/// Makes the choices of a run.
pub trait Chooser {
    /// Some value of the type; `known` are values that are at hand.
    fn value(&mut self, ty: &Type, known: &[Typed<'_>]) -> Value;
}

/// The values of names at one place of a run.
pub struct Scope<'s> {
    pub program: &'s Program,
    pub constants: &'s [Value],
    pub globals: &'s [Value],
    /// Those on entry to the procedure.
    pub old: &'s [Value],
    pub variables: &'s [Variable],
    /// The values of the variables, or of the parameters of a function.
    pub locals: &'s [Value],
}

impl<'s> Scope<'s> {
    /// The values of all names.
    pub fn known(&self) -> Vec<Typed<'s>> {
        let constants = self.program.theory.constants.iter().map(|c| &c.ty).zip(self.constants);
        let globals = self.program.globals.iter().map(|g| &g.ty).zip(self.globals);
        let locals = self.variables.iter().map(|v| &v.ty).zip(self.locals);
        constants.chain(globals).chain(locals).collect()
    }
}

pub struct Evaluator<'s, 'c> {
    pub scope: Scope<'s>,
    pub tables: &'c mut Tables,
    pub chooser: &'c mut dyn Chooser,
}

impl Evaluator<'_, '_> {
    pub fn holds(&mut self, condition: &Expr) -> Result<bool, TooLarge> {
        Ok(self.value(condition)?.is_true())
    }

    pub fn values(&mut self, exprs: &[Expr]) -> Result<Vec<Value>, TooLarge> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    pub fn value(&mut self, expr: &Expr) -> Result<Value, TooLarge> {
        Ok(match &expr.kind {
            ExprKind::Name(Name::Constant(number)) => self.scope.constants[*number].clone(),
            ExprKind::Name(Name::Global(number)) => self.scope.globals[*number].clone(),
            ExprKind::Name(Name::Local(number) | Name::Parameter(number)) => {
                self.scope.locals[*number].clone()
            }
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(i128::from(*value)),
            ExprKind::Real(halves) => Value::Real(real(Ratio::new(i128::from(*halves), 2))?),
            ExprKind::Word(bits) => Value::Word(width(&expr.ty), *bits),
            ExprKind::Old(inner) => self.old(inner)?,
            ExprKind::Not(inner) => Value::Bool(!self.holds(inner)?),
            ExprKind::Negate(inner) => match self.value(inner)? {
                Value::Int(number) => Value::Int(number.checked_neg().ok_or(TooLarge)?),
                Value::Real(number) => Value::Real(number.negate()),
                other => unreachable!("only numbers are negated, not {other:?}"),
            },
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::Choice(condition, then, otherwise) => {
                let chosen = if self.holds(condition)? { then } else { otherwise };
                self.value(chosen)?
            }
            ExprKind::Select(map, indices) => {
                let Value::Map(map) = self.value(map)? else { unreachable!("a map is read") };
                map.read(&self.values(indices)?)
            }
            ExprKind::Store(map, indices, element) => {
                let Value::Map(mut map) = self.value(map)? else {
                    unreachable!("a map is written")
                };
                let (indices, element) = (self.values(indices)?, self.value(element)?);
                Rc::make_mut(&mut map).write(indices, element);
                Value::Map(map)
            }
            ExprKind::Apply(function, arguments) => {
                let arguments = self.values(arguments)?;
                self.apply(*function, arguments)?
            }
            ExprKind::WordOp(op, operands) => {
                let operands: Vec<(u32, u128)> = self.values(operands)?.iter().map(word).collect();
                word_operator(*op, &operands)
            }
            ExprKind::Concat(high, low) => {
                let (high, low) = (word(&self.value(high)?), word(&self.value(low)?));
                Value::Word(high.0 + low.0, high.1 << low.0 | low.1)
            }
            ExprKind::Extract(high, low, inner) => {
                let (_, bits) = word(&self.value(inner)?);
                Value::Word(high - low, bits >> low & ones(high - low))
            }
            ExprKind::ToInt(inner) => match self.value(inner)? {
                Value::Real(number) => Value::Int(number.floor()),
                other => unreachable!("`int` is applied to a real, not {other:?}"),
            },
            ExprKind::ToReal(inner) => Value::Real(ratio(&self.value(inner)?)),
        })
    }

    fn old(&mut self, inner: &Expr) -> Result<Value, TooLarge> {
        let Scope { program, constants, old, variables, locals, .. } = self.scope;
        let scope = Scope { program, constants, globals: old, old, variables, locals };
        Evaluator { scope, tables: self.tables, chooser: self.chooser }.value(inner)
    }

    fn apply(&mut self, number: usize, arguments: Vec<Value>) -> Result<Value, TooLarge> {
        let Scope { program, constants, .. } = self.scope;
        let function = &program.theory.functions[number];
        match &function.body {
            Some(body) => {
                let none = (&[], &[], &[]);
                let (globals, old, variables) = none;
                let locals = &arguments[..];
                let scope = Scope { program, constants, globals, old, variables, locals };
                Evaluator { scope, tables: self.tables, chooser: self.chooser }.value(body)
            }
            None => Ok(self.chosen(Chosen::Function(number), arguments, &function.result)),
        }
    }

    fn chosen(&mut self, what: Chosen, operands: Vec<Value>, ty: &Type) -> Value {
        let key = (what, operands);
        if let Some(known) = self.tables.get(&key) {
            return known.clone();
        }
        let value = self.chooser.value(ty, &self.scope.known());
        self.tables.insert(key, value.clone());
        value
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, TooLarge> {
        // A value that is not needed is not chosen.
        match op {
            BinaryOp::And => return Ok(Value::Bool(self.holds(left)? && self.holds(right)?)),
            BinaryOp::Or => return Ok(Value::Bool(self.holds(left)? || self.holds(right)?)),
            BinaryOp::Implies => {
                return Ok(Value::Bool(!self.holds(left)? || self.holds(right)?));
            }
            _ => {}
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        match op {
            BinaryOp::Equal | BinaryOp::Iff => Ok(Value::Bool(left == right)),
            BinaryOp::Unequal => Ok(Value::Bool(left != right)),
            BinaryOp::Less => Ok(Value::Bool(less(&left, &right)?)),
            BinaryOp::AtMost => Ok(Value::Bool(!less(&right, &left)?)),
            BinaryOp::Greater => Ok(Value::Bool(less(&right, &left)?)),
            BinaryOp::AtLeast => Ok(Value::Bool(!less(&left, &right)?)),
            BinaryOp::Quotient => {
                let (a, b) = (ratio(&left), ratio(&right));
                if b.is_zero() {
                    return Ok(self.chosen(Chosen::Quotient, vec![Value::Real(a)], &Type::Real));
                }
                Ok(Value::Real(real(a.divide(b))?))
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                arithmetic(op, &left, &right)
            }
            BinaryOp::Divide | BinaryOp::Modulo => {
                let (Value::Int(a), Value::Int(b)) = (&left, &right) else {
                    unreachable!("integers are divided")
                };
                let divides = op == BinaryOp::Divide;
                let chosen = if divides { Chosen::Divide } else { Chosen::Modulo };
                if *b == 0 {
                    return Ok(self.chosen(chosen, vec![left], &Type::Int));
                }
                let value =
                    if divides { a.checked_div_euclid(*b) } else { a.checked_rem_euclid(*b) };
                Ok(Value::Int(value.ok_or(TooLarge)?))
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("returned above"),
        }
    }
}

fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, TooLarge> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => {
            let value = match op {
                BinaryOp::Add => a.checked_add(*b),
                BinaryOp::Subtract => a.checked_sub(*b),
                _ => a.checked_mul(*b),
            };
            value.map(Value::Int).ok_or(TooLarge)
        }
        (Value::Real(a), Value::Real(b)) => {
            let value = match op {
                BinaryOp::Add => a.add(*b),
                BinaryOp::Subtract => a.add(b.negate()),
                _ => a.multiply(*b),
            };
            value.map(Value::Real).ok_or(TooLarge)
        }
        _ => unreachable!("arithmetic on {left:?} and {right:?}"),
    }
}

fn less(left: &Value, right: &Value) -> Result<bool, TooLarge> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Ok(a < b),
        (Value::Real(a), Value::Real(b)) => a.less(*b).ok_or(TooLarge),
        _ => unreachable!("numbers are compared, not {left:?} and {right:?}"),
    }
}

fn real(value: Option<Ratio>) -> Result<Ratio, TooLarge> {
    value.ok_or(TooLarge)
}

/// A number as a real.
fn ratio(value: &Value) -> Ratio {
    match value {
        Value::Int(number) => Ratio::from(*number),
        Value::Real(number) => *number,
        other => unreachable!("a number is expected, not {other:?}"),
    }
}

fn width(ty: &Type) -> u32 {
    match ty {
        Type::Word(width) => *width,
        other => unreachable!("a word is expected, not {other:?}"),
    }
}

fn word(value: &Value) -> (u32, u128) {
    match value {
        Value::Word(width, bits) => (*width, *bits),
        other => unreachable!("a word is expected, not {other:?}"),
    }
}

fn ones(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { (1 << width) - 1 }
}

/// As a number in two's complement.
fn signed(width: u32, bits: u128) -> i128 {
    let shift = 128 - width;
    (bits << shift) as i128 >> shift
}

/// The operators of SMT-LIB, defined by numbers; widths are below 128.
fn word_operator(op: WordOp, operands: &[(u32, u128)]) -> Value {
    let (width, a) = operands[0];
    let b = operands.get(1).map_or(0, |operand| operand.1);
    let (x, y) = (signed(width, a), signed(width, b));
    let bits = match op {
        WordOp::Not => !a,
        WordOp::Negate => a.wrapping_neg(),
        WordOp::Add => a.wrapping_add(b),
        WordOp::Subtract => a.wrapping_sub(b),
        WordOp::Multiply => a.wrapping_mul(b),
        WordOp::And => a & b,
        WordOp::Or => a | b,
        WordOp::Xor => a ^ b,
        WordOp::UnsignedDivide => a.checked_div(b).unwrap_or(u128::MAX),
        WordOp::UnsignedRemainder => a.checked_rem(b).unwrap_or(a),
        WordOp::SignedDivide if y == 0 => {
            if x < 0 {
                1
            } else {
                u128::MAX
            }
        }
        WordOp::SignedDivide => x.wrapping_div(y) as u128,
        WordOp::SignedRemainder if y == 0 => a,
        WordOp::SignedRemainder => x.wrapping_rem(y) as u128,
        WordOp::SignedModulo if y == 0 => a,
        // The result has the sign of the divisor.
        WordOp::SignedModulo => {
            let rest = x.wrapping_rem(y);
            let adjusted = if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest };
            adjusted as u128
        }
        WordOp::ShiftLeft if b >= u128::from(width) => 0,
        WordOp::ShiftLeft => a << b,
        WordOp::ShiftRight if b >= u128::from(width) => 0,
        WordOp::ShiftRight => a >> b,
        WordOp::SignedShiftRight => (x >> b.min(127)) as u128,
        WordOp::UnsignedLess => return Value::Bool(a < b),
        WordOp::UnsignedAtMost => return Value::Bool(a <= b),
        WordOp::SignedLess => return Value::Bool(x < y),
        WordOp::SignedAtMost => return Value::Bool(x <= y),
    };
    Value::Word(width, bits & ones(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_smt_lib() {
        let apply = |op, a, b| match word_operator(op, &[(3, a), (3, b)]) {
            Value::Word(3, bits) => bits,
            other => panic!("{other:?}"),
        };
        assert_eq!(apply(WordOp::UnsignedDivide, 5, 0), 7);
        assert_eq!(apply(WordOp::UnsignedRemainder, 5, 0), 5);
        assert_eq!(apply(WordOp::SignedDivide, 5, 0), 1);
        assert_eq!(apply(WordOp::SignedDivide, 3, 0), 7);
        assert_eq!(apply(WordOp::SignedDivide, 4, 7), 4);
        // -3 = 5: the remainder of -3 by 2 is -1, the modulus is 1.
        assert_eq!(apply(WordOp::SignedRemainder, 5, 2), 7);
        assert_eq!(apply(WordOp::SignedModulo, 5, 2), 1);
        assert_eq!(apply(WordOp::ShiftLeft, 3, 3), 0);
        assert_eq!(apply(WordOp::SignedShiftRight, 4, 7), 7);
    }
}
