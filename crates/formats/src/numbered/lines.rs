//! The lines of a file and what they have defined so far.

use std::borrow::Cow;

use elinvar_ir::{BitVec, ExprId, MAX_WIDTH, Sort, SortError, SystemBuilder};

use super::constant::{Budget, Constant, Radix, read_constant};
use super::keyword::{Histogram, Keyword, Syntax};
use super::operator::{Operand, Operator, build, expect_sort};
use super::scanner::{Scanner, Word};
use super::table::IdTable;
use crate::Diagnostic;
use crate::names::escape;

/// What a line number stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Sort(Sort),
    Expr(ExprId),
    /// A line that is neither, such as a property; and what it is.
    Other(&'static str),
}

/// Reads the parts of lines that BTOR and BTOR2 have in common. Every method
/// reads on from where the scanner stands.
pub(crate) struct Lines<'a> {
    pub scan: Scanner<'a>,
    pub ids: IdTable<Meaning>,
    pub builder: SystemBuilder,
    pub histogram: Histogram,
    syntax: Syntax,
    budget: Budget,
}

impl<'a> Lines<'a> {
    /// Expressions go into `builder`, which decides whether they are rewritten.
    pub fn new(source: &'a [u8], syntax: Syntax, mut builder: SystemBuilder) -> Self {
        // A line has rarely less than sixteen bytes.
        builder.pool.reserve(source.len() / 16);
        Lines {
            scan: Scanner::new(source),
            ids: IdTable::new(),
            builder,
            histogram: Histogram::new(syntax),
            syntax,
            budget: Budget::new(source.len()),
        }
    }

    pub fn keyword(&mut self) -> Result<Keyword, Diagnostic> {
        let word = self.scan.expect_word("an operator")?;
        self.histogram.keyword(self.scan.bytes(word)).map_err(|(message, help)| {
            let error = word.error(message);
            help.into_iter().fold(error, Diagnostic::with_help)
        })
    }

    /// The width of a bit-vector, as a number.
    pub fn width(&mut self, what: &str) -> Result<(u32, Word), Diagnostic> {
        let (width, word) = self.scan.number(what)?;
        match u32::try_from(width) {
            Ok(width @ 1..=MAX_WIDTH) => Ok((width, word)),
            _ => Err(word.error(SortError::Unsupported(width).to_string())),
        }
    }

    pub fn name(&mut self) -> Result<Option<Cow<'a, str>>, Diagnostic> {
        Ok(self.scan.symbol()?.map(|(name, _)| escape(name)))
    }

    // ---- operands ------------------------------------------------------------

    /// A reference to an expression, possibly negated, and the number of its line.
    pub fn operand_with_id(&mut self) -> Result<(Operand, u64), Diagnostic> {
        let reference = self.scan.reference("an operand")?;
        let (id, word) = (reference.id, reference.word);
        let expr = match self.ids.get(id) {
            Some(Meaning::Expr(expr)) => expr,
            Some(Meaning::Sort(_)) => {
                return Err(word.error(format!("line {id} is a sort, not an expression")));
            }
            Some(Meaning::Other(what)) => {
                return Err(word.error(format!("line {id} is {what}, not an expression")));
            }
            None => return Err(word.error(format!("line {id} is not defined"))),
        };
        let operand = Operand { expr, word };
        Ok((if reference.negated { self.negate(operand)? } else { operand }, id))
    }

    pub fn operand(&mut self) -> Result<Operand, Diagnostic> {
        Ok(self.operand_with_id()?.0)
    }

    /// As many operands as the operator takes; the rest repeats the first.
    pub fn operands(&mut self, operator: Operator) -> Result<[Operand; 3], Diagnostic> {
        let mut operands = [self.operand()?; 3];
        for operand in &mut operands[1..operator.arity()] {
            *operand = self.operand()?;
        }
        Ok(operands)
    }

    /// A single bit.
    pub fn bit(&mut self) -> Result<ExprId, Diagnostic> {
        let operand = self.operand()?;
        expect_sort(&self.builder.pool, operand, Sort::BOOL)?;
        Ok(operand.expr)
    }

    fn negate(&mut self, Operand { expr, word }: Operand) -> Result<Operand, Diagnostic> {
        let pool = &mut self.builder.pool;
        let sort = pool.sort(expr);
        if sort.is_array() {
            return Err(word.error("an array cannot be negated"));
        }
        self.budget.spend_on(pool, sort, std::iter::once(expr), word)?;
        let expr = pool.not(expr).map_err(|error| word.error(error.to_string()))?;
        Ok(Operand { expr, word })
    }

    // ---- expressions: their sort has been read, at `at` ------------------------

    pub fn constant(
        &mut self,
        constant: Constant,
        width: u32,
        at: Word,
    ) -> Result<ExprId, Diagnostic> {
        let value = match constant {
            Constant::Zero => BitVec::zero,
            Constant::One => BitVec::one,
            Constant::Ones => BitVec::ones,
            Constant::Digits(radix) => return self.digits(radix, width),
        };
        self.budget.spend(width, at)?;
        Ok(self.builder.pool.constant(value(width)))
    }

    fn digits(&mut self, radix: Radix, width: u32) -> Result<ExprId, Diagnostic> {
        let word = self.scan.expect_word("a constant")?;
        self.budget.spend(width, word)?;
        let value = read_constant(radix, width, self.scan.bytes(word), word)?;
        let digits = word.end - word.start;
        let exact = radix == Radix::Binary && self.syntax == Syntax::Btor2;
        if exact && digits != width as usize {
            return Err(word.error(format!("constant has {digits} digits, expected {width}")));
        }
        Ok(self.builder.pool.constant(value))
    }

    pub fn slice(&mut self, width: u32, at: Word) -> Result<ExprId, Diagnostic> {
        let operand = self.operand()?;
        let (hi, hi_word) = self.scan.number("the upper bit")?;
        let (lo, lo_word) = self.scan.number("the lower bit")?;
        let bounds = Word { start: hi_word.start, end: lo_word.end };
        let pool = &mut self.builder.pool;
        let sort = pool.sort(operand.expr);
        self.budget.spend_on(pool, sort, std::iter::once(operand.expr), operand.word)?;
        let narrow = |bit: u64| u32::try_from(bit).unwrap_or(u32::MAX);
        let slice = pool.slice(operand.expr, narrow(hi), narrow(lo));
        let slice = slice.map_err(|error| match error {
            SortError::Slice { .. } => bounds.error(error.to_string()),
            _ => operand.word.error(error.to_string()),
        })?;
        declared(pool.width(slice).into(), width, at)?;
        Ok(slice)
    }

    pub fn extension(&mut self, signed: bool, width: u32, at: Word) -> Result<ExprId, Diagnostic> {
        let operand = self.operand()?;
        let (by, _) = self.scan.number("the number of bits to add")?;
        let pool = &mut self.builder.pool;
        let sort = pool.sort(operand.expr);
        let Sort::Bv(narrow) = sort else {
            return Err(operand.word.error(SortError::NotABitVector(sort).to_string()));
        };
        declared(u64::from(narrow).saturating_add(by), width, at)?;
        self.budget.spend_on(pool, Sort::Bv(width), std::iter::once(operand.expr), at)?;
        let by = width - narrow;
        let expr = if signed { pool.sext(operand.expr, by) } else { pool.uext(operand.expr, by) };
        expr.map_err(|error| at.error(error.to_string()))
    }

    /// Applies the operator to the first of `operands`, as many as it takes.
    pub fn apply(
        &mut self,
        operator: Operator,
        sort: Sort,
        at: Word,
        operands: &[Operand; 3],
    ) -> Result<ExprId, Diagnostic> {
        let operands = &operands[..operator.arity()];
        let pool = &mut self.builder.pool;
        self.budget.spend_on(pool, sort, operands.iter().map(|operand| operand.expr), at)?;
        build(pool, operator, sort, at, operands)
    }
}

fn declared(found: u64, width: u32, at: Word) -> Result<(), Diagnostic> {
    if found == u64::from(width) {
        return Ok(());
    }
    Err(at.error(format!("result has width {found}, declared with width {width}")))
}
