//! The values of terms, for the replay.
//!
//! All subterms are evaluated, operands first, each with the definition of SMT-LIB. No
//! code is shared with the evaluator of the engines. Every term has a value, since the
//! run says what functions are and what divisions by zero give; but numbers that have
//! more than [`LARGEST`] bits are not computed.

use std::rc::Rc;

use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest};
use dashu_ratio::RBig;
use elinvar_ir::program::{Node, Op, Program, ProgramTrace, Sort, Term, Terms, VariableId};
use rustc_hash::FxHashMap;

use super::datum::{Datum, Table};
use super::refusal::{ProgramRefusal, StepFault};
use super::word;

/// How many bits a number may have.
const LARGEST: usize = 1 << 18;

/// What is the same in the whole run.
pub(super) struct Functions {
    declared: Vec<Table>,
    divide_by_zero: Table,
    modulo_by_zero: Table,
    quotient_by_zero: Table,
}

impl Functions {
    pub(super) fn of(program: &Program, trace: &ProgramTrace) -> Result<Self, ProgramRefusal> {
        let declared = program.terms.functions();
        let (expected, found) = (declared.len(), trace.functions.len());
        if expected != found {
            return Err(ProgramRefusal::Start(StepFault::Count { expected, found }));
        }
        let wrong = |name: &str| ProgramRefusal::FunctionValue(name.to_string());
        let declared: Result<Vec<Table>, ProgramRefusal> = (declared.iter().zip(&trace.functions))
            .map(|(function, value)| {
                let table = Table::of(&function.arguments, &function.result, value);
                table.ok_or_else(|| wrong(&function.name))
            })
            .collect();
        let by_zero = |name: &str, sort: Sort, value| {
            Table::of(std::slice::from_ref(&sort), &sort, value).ok_or_else(|| wrong(name))
        };
        Ok(Functions {
            declared: declared?,
            divide_by_zero: by_zero("div by zero", Sort::Int, &trace.by_zero.divide)?,
            modulo_by_zero: by_zero("mod by zero", Sort::Int, &trace.by_zero.modulo)?,
            quotient_by_zero: by_zero("/ by zero", Sort::Real, &trace.by_zero.quotient)?,
        })
    }
}

/// The value of a term where the variables have values, by number.
pub(super) fn evaluate(
    terms: &Terms,
    root: Term,
    variable: impl Fn(VariableId) -> Option<Datum>,
    functions: &Functions,
) -> Result<Datum, StepFault> {
    let mut values: FxHashMap<Term, Datum> = FxHashMap::default();
    for term in terms.subterms([root]) {
        let value = match terms.node(term) {
            Node::Bool(value) => Datum::Bool(*value),
            Node::Int(value) => Datum::Int(value.clone()),
            Node::Real(value) => Datum::Real(value.clone()),
            Node::Word(value) => Datum::Word(value.to_big()),
            Node::Variable(id) => variable(*id).ok_or(StepFault::IllSorted)?,
            Node::Apply(op, children) => {
                let operands: Vec<&Datum> = children.iter().map(|child| &values[child]).collect();
                let sorts: Vec<&Sort> = children.iter().map(|&child| terms.sort(child)).collect();
                let apply = Apply { operands: &operands, sorts: &sorts, functions };
                apply.apply(*op)?
            }
        };
        values.insert(term, value);
    }
    values.remove(&root).ok_or(StepFault::IllSorted)
}

/// An operator's operands.
struct Apply<'a> {
    operands: &'a [&'a Datum],
    sorts: &'a [&'a Sort],
    functions: &'a Functions,
}

impl Apply<'_> {
    fn apply(&self, op: Op) -> Result<Datum, StepFault> {
        match op {
            Op::Not => Ok(Datum::Bool(!self.bool(0)?)),
            Op::And => self.bools().map(|all| Datum::Bool(!all.contains(&false))),
            Op::Or => self.bools().map(|all| Datum::Bool(all.contains(&true))),
            Op::Equal => Ok(Datum::Bool(Datum::same(self.sort(0)?, self.get(0)?, self.get(1)?))),
            Op::Ite => Ok(self.get(if self.bool(0)? { 1 } else { 2 })?.clone()),
            Op::Add | Op::Multiply => self.sum_or_product(op),
            Op::Divide | Op::Modulo => self.divide(op),
            Op::Quotient => self.quotient(),
            Op::AtMost => Ok(Datum::Bool(self.number(0)? <= self.number(1)?)),
            Op::Less => Ok(Datum::Bool(self.number(0)? < self.number(1)?)),
            Op::ToReal => Ok(Datum::Real(RBig::from(self.int(0)?.clone()))),
            Op::ToInt => {
                let number = self.number(0)?;
                let below = IBig::from(number.denominator().clone());
                Ok(Datum::Int(floored_quotient(number.numerator(), &below)))
            }
            Op::Select | Op::Store => self.map(op),
            Op::Unary(op) => Ok(Datum::Word(word::unary(op.0, self.width(0)?, self.word(0)?))),
            Op::Binary(op) => {
                let widths = (self.width(0)?, self.width(1)?);
                Ok(word::binary(op.0, widths, self.word(0)?, self.word(1)?))
            }
            Op::Extract { high, low } => Ok(Datum::Word(word::extract(high, low, self.word(0)?))),
            Op::Extend { by, signed } => {
                Ok(Datum::Word(word::extend(self.width(0)?, by, signed, self.word(0)?)))
            }
            Op::Function(function) => {
                let table = self.functions.declared.get(function.0 as usize);
                Ok(table.ok_or(StepFault::IllSorted)?.apply(self.operands).clone())
            }
        }
    }

    fn sum_or_product(&self, op: Op) -> Result<Datum, StepFault> {
        let is_int = matches!(self.get(0)?, Datum::Int(_));
        let mut result = self.number(0)?;
        for at in 1..self.operands.len() {
            let operand = self.number(at)?;
            let bits =
                |number: &RBig| number.numerator().bit_len().max(number.denominator().bit_len());
            if bits(&result) + bits(&operand) > LARGEST {
                return Err(StepFault::TooLarge);
            }
            result = if op == Op::Add { result + operand } else { result * operand };
        }
        Ok(if is_int { Datum::Int(result.numerator().clone()) } else { Datum::Real(result) })
    }

    /// `n = d·q + r` with `0 <= r < |d|`.
    fn divide(&self, op: Op) -> Result<Datum, StepFault> {
        let (dividend, divisor) = (self.int(0)?, self.int(1)?);
        let functions = self.functions;
        if *divisor == IBig::ZERO {
            let is_divide = op == Op::Divide;
            let table =
                if is_divide { &functions.divide_by_zero } else { &functions.modulo_by_zero };
            return Ok(table.apply(&self.operands[..1]).clone());
        }
        let size = divisor.clone().abs();
        let quotient = floored_quotient(dividend, &size);
        if op == Op::Modulo {
            return Ok(Datum::Int(dividend - quotient * size));
        }
        Ok(Datum::Int(if *divisor < IBig::ZERO { -quotient } else { quotient }))
    }

    fn quotient(&self) -> Result<Datum, StepFault> {
        let (dividend, divisor) = (self.number(0)?, self.number(1)?);
        if divisor.is_zero() {
            return Ok(self.functions.quotient_by_zero.apply(&self.operands[..1]).clone());
        }
        let bits = |number: &RBig| number.numerator().bit_len() + number.denominator().bit_len();
        if bits(&dividend) + bits(&divisor) > LARGEST {
            return Err(StepFault::TooLarge);
        }
        Ok(Datum::Real(dividend / divisor))
    }

    fn map(&self, op: Op) -> Result<Datum, StepFault> {
        let (Datum::Map(map), Sort::Map(sorts)) = (self.get(0)?, self.sort(0)?) else {
            return Err(StepFault::IllSorted);
        };
        let index = self.get(1)?;
        if op == Op::Select {
            return Ok(map.read(&sorts.0, index).clone());
        }
        let map = (**map).clone().write(&sorts.0, index.clone(), self.get(2)?.clone());
        Ok(Datum::Map(Rc::new(map)))
    }

    fn get(&self, at: usize) -> Result<&Datum, StepFault> {
        self.operands.get(at).copied().ok_or(StepFault::IllSorted)
    }

    fn sort(&self, at: usize) -> Result<&Sort, StepFault> {
        self.sorts.get(at).copied().ok_or(StepFault::IllSorted)
    }

    fn bool(&self, at: usize) -> Result<bool, StepFault> {
        if let Datum::Bool(value) = self.get(at)? { Ok(*value) } else { Err(StepFault::IllSorted) }
    }

    fn bools(&self) -> Result<Vec<bool>, StepFault> {
        (0..self.operands.len()).map(|at| self.bool(at)).collect()
    }

    fn int(&self, at: usize) -> Result<&IBig, StepFault> {
        if let Datum::Int(value) = self.get(at)? { Ok(value) } else { Err(StepFault::IllSorted) }
    }

    fn number(&self, at: usize) -> Result<RBig, StepFault> {
        match self.get(at)? {
            Datum::Int(value) => Ok(RBig::from(value.clone())),
            Datum::Real(value) => Ok(value.clone()),
            Datum::Bool(_) | Datum::Word(_) | Datum::Element(_) | Datum::Map(_) => {
                Err(StepFault::IllSorted)
            }
        }
    }

    fn word(&self, at: usize) -> Result<&dashu_int::UBig, StepFault> {
        if let Datum::Word(value) = self.get(at)? { Ok(value) } else { Err(StepFault::IllSorted) }
    }

    fn width(&self, at: usize) -> Result<u32, StepFault> {
        if let Sort::Word(width) = self.sort(at)? { Ok(*width) } else { Err(StepFault::IllSorted) }
    }
}

/// The greatest integer not above the quotient by a positive number.
fn floored_quotient(number: &IBig, divisor: &IBig) -> IBig {
    let truncated = number / divisor;
    if &truncated * divisor > *number { truncated - IBig::ONE } else { truncated }
}
