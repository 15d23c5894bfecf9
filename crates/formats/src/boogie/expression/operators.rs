//! Operators between expressions, many of one precedence at a time: so a chain of ten
//! thousand becomes one term, and not as many.

use elinvar_ir::program::{Term, Terms};
use elinvar_ir::{BinaryOp, MAX_WIDTH};

use super::super::Dialect;
use super::super::syntax::*;
use super::super::types::Type;
use super::parts::{equal, expect_word};
use super::{Lowering, Value};
use crate::Diagnostic;

impl<'a> Lowering<'_, 'a> {
    /// An integer or a real.
    pub(super) fn number(
        &mut self,
        expr: &'a Expr<'a>,
        operator: &str,
    ) -> Result<(Type, Term), Diagnostic> {
        let value = self.value(expr)?;
        match value.ty {
            Type::Int | Type::Real => Ok((value.ty, value.parts[0])),
            Type::Word(_) => {
                let message = format!(
                    "`{operator}` cannot be applied to bit-vectors; this is of type {}",
                    value.ty
                );
                Err(Diagnostic::new(message, expr.span.clone()).with_help(
                    "declare a function with {:bvbuiltin \"bvadd\"} or similar and call it",
                ))
            }
            Type::Bool | Type::Named(..) | Type::Map(_) | Type::Struct(_) => {
                let message = format!("`{operator}` expects numbers, found type {}", value.ty);
                Err(Diagnostic::new(message, expr.span.clone()))
            }
        }
    }

    fn same_number(
        &mut self,
        expr: &'a Expr<'a>,
        operator: &str,
        ty: &Type,
    ) -> Result<Term, Diagnostic> {
        let (found, term) = self.number(expr, operator)?;
        if found == *ty {
            return Ok(term);
        }
        let message = format!("`{operator}` has operands of types {ty} and {found}");
        let help = match self.scope.dialect {
            Dialect::Boogie => {
                "convert one of them with `real(…)` or `int(…)`; integer division is `div`"
            }
            Dialect::Ultimate => "convert one of them with `real(…)` or `int(…)`",
        };
        Err(Diagnostic::new(message, expr.span.clone()).with_help(help))
    }

    /// Operators of one precedence; there is at least one.
    pub(super) fn chain(
        &mut self,
        first: &'a Expr<'a>,
        rest: &'a [(Operator, Expr<'a>)],
    ) -> Result<Value, Diagnostic> {
        let operands = || [first].into_iter().chain(rest.iter().map(|(_, operand)| operand));
        let (operator, second) = &rest[0];
        let term = match operator {
            Operator::And | Operator::Or => {
                let parts = operands()
                    .map(|operand| self.bool(operand))
                    .collect::<Result<Vec<Term>, Diagnostic>>()?;
                let terms = &mut self.scope.terms;
                if *operator == Operator::And { terms.and(parts) } else { terms.or(parts) }
            }
            Operator::Implies | Operator::Explies => {
                let conclusion = if *operator == Operator::Implies { rest.len() } else { 0 };
                let parts = operands()
                    .enumerate()
                    .map(|(at, operand)| {
                        if at == conclusion {
                            self.bool(operand)
                        } else {
                            self.negated_bool(operand)
                        }
                    })
                    .collect::<Result<Vec<Term>, Diagnostic>>()?;
                self.scope.terms.or(parts)
            }
            Operator::Iff => self.neither(|lowering| {
                let mut all = lowering.bool(first)?;
                for (_, operand) in rest {
                    let operand = lowering.bool(operand)?;
                    all = lowering.scope.terms.equal(all, operand);
                }
                Ok(all)
            })?,
            Operator::Equal | Operator::Unequal => self.neither(|lowering| {
                let left = lowering.value(first)?;
                let right = lowering.value_of(second, &left.ty)?;
                let same = equal(&mut lowering.scope.terms, &left, &right);
                let negated = *operator == Operator::Unequal;
                Ok(if negated { lowering.scope.terms.not(same) } else { same })
            })?,
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
                self.neither(|lowering| lowering.comparison(*operator, first, second))?
            }
            Operator::Concat => return self.neither(|lowering| lowering.concat(first, rest)),
            Operator::Add | Operator::Subtract => {
                return self.neither(|lowering| lowering.sum(first, rest));
            }
            Operator::Multiply | Operator::Divide | Operator::IntDivide | Operator::Modulo => {
                return self.neither(|lowering| lowering.product(first, rest));
            }
        };
        Ok(Value::simple(Type::Bool, term))
    }

    fn comparison(
        &mut self,
        operator: Operator,
        left: &'a Expr<'a>,
        right: &'a Expr<'a>,
    ) -> Result<Term, Diagnostic> {
        let (ty, left) = self.number(left, operator.symbol())?;
        let right = self.same_number(right, operator.symbol(), &ty)?;
        let terms = &mut self.scope.terms;
        Ok(match operator {
            Operator::Less => terms.less(left, right),
            Operator::AtMost => terms.at_most(left, right),
            Operator::Greater => terms.less(right, left),
            _ => terms.at_most(right, left),
        })
    }

    fn concat(
        &mut self,
        first: &'a Expr<'a>,
        rest: &'a [(Operator, Expr<'a>)],
    ) -> Result<Value, Diagnostic> {
        let mut all = self.value(first)?;
        expect_word(&all.ty, &first.span)?;
        for (_, operand) in rest {
            let low = self.value(operand)?;
            let sum = expect_word(&all.ty, &first.span)? + expect_word(&low.ty, &operand.span)?;
            if sum > MAX_WIDTH {
                let message =
                    format!("bit-vectors have at most {MAX_WIDTH} bits; this one has {sum}");
                return Err(Diagnostic::new(message, first.span.start..operand.span.end));
            }
            let terms = &mut self.scope.terms;
            let term = terms.word_binary(BinaryOp::Concat, all.parts[0], low.parts[0]);
            all = Value::simple(Type::Word(sum), term);
        }
        Ok(all)
    }

    fn sum(
        &mut self,
        first: &'a Expr<'a>,
        rest: &'a [(Operator, Expr<'a>)],
    ) -> Result<Value, Diagnostic> {
        let (ty, first) = self.number(first, rest[0].0.symbol())?;
        let mut summands = vec![first];
        for (operator, operand) in rest {
            let term = self.same_number(operand, operator.symbol(), &ty)?;
            let negative = *operator == Operator::Subtract;
            summands.push(if negative { self.scope.terms.negate(term) } else { term });
        }
        Ok(Value::simple(ty, self.scope.terms.add(summands)))
    }

    fn product(
        &mut self,
        first: &'a Expr<'a>,
        rest: &'a [(Operator, Expr<'a>)],
    ) -> Result<Value, Diagnostic> {
        let (mut ty, mut all) = self.number(first, rest[0].0.symbol())?;
        for (operator, operand) in rest {
            let symbol = operator.symbol();
            if matches!(operator, Operator::IntDivide | Operator::Modulo) && ty != Type::Int {
                let message = format!("`{symbol}` expects integers, found type {ty}");
                return Err(Diagnostic::new(message, first.span.start..operand.span.start));
            }
            if *operator == Operator::Divide && self.scope.dialect == Dialect::Boogie {
                all = as_real(&mut self.scope.terms, &ty, all);
                let (found, right) = self.number(operand, symbol)?;
                let right = as_real(&mut self.scope.terms, &found, right);
                (ty, all) = (Type::Real, self.scope.terms.quotient(all, right));
                continue;
            }
            let right = self.same_number(operand, symbol, &ty)?;
            let terms = &mut self.scope.terms;
            all = match operator {
                Operator::Divide if ty == Type::Real => terms.quotient(all, right),
                Operator::Divide | Operator::IntDivide => terms.divide(all, right),
                Operator::Modulo => terms.modulo(all, right),
                _ => terms.multiply(all, right),
            };
        }
        Ok(Value::simple(ty, all))
    }
}

fn as_real(terms: &mut Terms, ty: &Type, term: Term) -> Term {
    if *ty == Type::Int { terms.to_real(term) } else { term }
}
