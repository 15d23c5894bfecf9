//! The reader: one pass; what is a register is known at the end of it.

use std::borrow::Cow;

use elinvar_ir::{BitVec, ExprId, Input, Named, Sort, SortError, State, SystemBuilder};

use super::BtorModel;
use crate::Diagnostic;
use crate::numbered::{
    Constant, Keyword, Lines, Meaning, Operand, Operator, Syntax, Word, expect_sort,
};

/// Reads a BTOR file.
pub fn read(source: &[u8]) -> Result<BtorModel, Diagnostic> {
    read_with(source, SystemBuilder::new())
}

/// Reads a BTOR file into an empty builder, which decides whether expressions are
/// rewritten.
pub fn read_with(source: &[u8], builder: SystemBuilder) -> Result<BtorModel, Diagnostic> {
    let mut reader = Reader {
        lines: Lines::new(source, Syntax::Btor, builder),
        variables: Vec::new(),
        roots: Vec::new(),
    };
    while reader.lines.scan.next_line() {
        reader.line()?;
    }
    reader.finish(source.len())
}

/// A `var` or an `array`.
struct Variable {
    symbol: ExprId,
    next: Option<ExprId>,
}

struct Reader<'a> {
    lines: Lines<'a>,
    /// By symbol.
    variables: Vec<Variable>,
    roots: Vec<Named>,
}

impl Reader<'_> {
    fn line(&mut self) -> Result<(), Diagnostic> {
        let (id, word) = self.lines.scan.number("the number of the line")?;
        if self.lines.ids.get(id).is_some() {
            return Err(word.error(format!("line {id} is defined twice")));
        }
        let meaning = match self.lines.keyword()? {
            Keyword::Var => self.var()?,
            Keyword::Array => self.array()?,
            Keyword::Next => self.next()?,
            Keyword::Anext => self.anext()?,
            Keyword::Root => self.root(id)?,
            Keyword::Constant(constant) => self.constant(constant)?,
            Keyword::Slice => {
                let (width, at) = self.width()?;
                Meaning::Expr(self.lines.slice(width, at)?)
            }
            Keyword::Uext => self.extension(false)?,
            Keyword::Sext => self.extension(true)?,
            Keyword::Acond => {
                let (sort, at) = self.array_sort()?;
                self.operator(Operator::Ite, sort, at)?
            }
            Keyword::Operator(Operator::Write) => {
                let (sort, at) = self.array_sort()?;
                self.operator(Operator::Write, sort, at)?
            }
            Keyword::Operator(operator) => {
                let (width, at) = self.width()?;
                self.operator(operator, Sort::Bv(width), at)?
            }
            Keyword::Sort
            | Keyword::Input
            | Keyword::State
            | Keyword::Init
            | Keyword::Output
            | Keyword::Bad
            | Keyword::Constraint
            | Keyword::Fair
            | Keyword::Justice => unreachable!("not a keyword of BTOR"),
        };
        self.lines.scan.end_line()?;
        self.lines.ids.insert(id, meaning);
        Ok(())
    }

    fn width(&mut self) -> Result<(u32, Word), Diagnostic> {
        self.lines.width("a width")
    }

    /// The sort of an array: the width of its elements, then of its addresses.
    fn array_sort(&mut self) -> Result<(Sort, Word), Diagnostic> {
        let (element, first) = self.lines.width("the width of the elements")?;
        let (index, second) = self.lines.width("the width of the addresses")?;
        Ok((Sort::Array { index, element }, Word { start: first.start, end: second.end }))
    }

    // ---- declarations ---------------------------------------------------------

    fn var(&mut self) -> Result<Meaning, Diagnostic> {
        let (width, at) = self.width()?;
        self.declare(Sort::Bv(width), at)
    }

    fn array(&mut self) -> Result<Meaning, Diagnostic> {
        let (sort, at) = self.array_sort()?;
        self.declare(sort, at)
    }

    fn declare(&mut self, sort: Sort, at: Word) -> Result<Meaning, Diagnostic> {
        let name = self.lines.name()?;
        let symbol = self.lines.builder.pool.symbol(sort, name.as_deref());
        let symbol = symbol.map_err(|error| at.error(error.to_string()))?;
        self.variables.push(Variable { symbol, next: None });
        Ok(Meaning::Expr(symbol))
    }

    fn next(&mut self) -> Result<Meaning, Diagnostic> {
        let (width, _) = self.width()?;
        self.next_value(Sort::Bv(width), "a `var`")
    }

    fn anext(&mut self) -> Result<Meaning, Diagnostic> {
        let (sort, _) = self.array_sort()?;
        self.next_value(sort, "an `array`")
    }

    fn next_value(&mut self, sort: Sort, kind: &str) -> Result<Meaning, Diagnostic> {
        let variable = self.lines.operand()?;
        let pool = &self.lines.builder.pool;
        let Some(symbol) = pool.as_symbol(variable.expr) else {
            return Err(variable.word.error(format!("operand is not {kind}")));
        };
        expect_sort(pool, variable, sort)?;
        let value = self.lines.operand()?;
        expect_sort(&self.lines.builder.pool, value, sort)?;
        if self.variables[symbol.index()].next.replace(value.expr).is_some() {
            return Err(variable.word.error("the register has two next values"));
        }
        Ok(Meaning::Other("a next value"))
    }

    fn root(&mut self, id: u64) -> Result<Meaning, Diagnostic> {
        let (width, _) = self.width()?;
        let operand = self.lines.operand()?;
        expect_sort(&self.lines.builder.pool, operand, Sort::Bv(width))?;
        let name = self.lines.name()?.map_or_else(|| format!("root{id}"), Cow::into_owned);
        self.roots.push(Named { name, expr: operand.expr });
        Ok(Meaning::Other("a root"))
    }

    // ---- expressions -------------------------------------------------------------

    fn constant(&mut self, constant: Constant) -> Result<Meaning, Diagnostic> {
        let (width, at) = self.width()?;
        Ok(Meaning::Expr(self.lines.constant(constant, width, at)?))
    }

    fn extension(&mut self, signed: bool) -> Result<Meaning, Diagnostic> {
        let (width, at) = self.width()?;
        Ok(Meaning::Expr(self.lines.extension(signed, width, at)?))
    }

    fn operator(
        &mut self,
        operator: Operator,
        sort: Sort,
        at: Word,
    ) -> Result<Meaning, Diagnostic> {
        let mut operands = self.lines.operands(operator)?;
        if operator.is_shift() {
            expect_sort(&self.lines.builder.pool, operands[0], sort)?;
            operands[1] = self.shift_amount(sort, at, operands[1])?;
        }
        Ok(Meaning::Expr(self.lines.apply(operator, sort, at, &operands)?))
    }

    /// The amount of a shift of 2^k bits has k bits, as the paper says, or all 2^k, as later
    /// versions of Boolector write it. Words of any other width are shifted by amounts of
    /// their own width only. In the pool both operands have the same width.
    fn shift_amount(
        &mut self,
        sort: Sort,
        at: Word,
        amount: Operand,
    ) -> Result<Operand, Diagnostic> {
        let Some(width) = sort.width() else {
            return Err(at.error(SortError::NotABitVector(sort).to_string()));
        };
        let found = self.lines.builder.pool.sort(amount.expr);
        if found == sort {
            return Ok(amount);
        }
        let bits = width.ilog2();
        if !width.is_power_of_two() || found != Sort::Bv(bits) || bits == 0 {
            let message = match found {
                Sort::Bv(found) if width.is_power_of_two() && bits > 0 => {
                    format!("the shift amount has width {found}, expected {bits} or {width}")
                }
                Sort::Bv(found) => {
                    format!("the shift amount has width {found}, expected {width}")
                }
                Sort::Array { .. } => SortError::NotABitVector(found).to_string(),
            };
            return Err(amount.word.error(message));
        }
        let expr = self.lines.builder.pool.uext(amount.expr, width - bits);
        let expr = expr.map_err(|error: SortError| amount.word.error(error.to_string()))?;
        Ok(Operand { expr, ..amount })
    }

    // ---- the whole ------------------------------------------------------------------

    fn finish(self, end: usize) -> Result<BtorModel, Diagnostic> {
        let mut builder = self.lines.builder;
        let combinational = self.variables.iter().all(|variable| variable.next.is_none());
        for Variable { symbol, next } in self.variables {
            if next.is_none() {
                builder.inputs.push(Input { symbol });
                continue;
            }
            let init = match builder.pool.sort(symbol) {
                Sort::Bv(width) => Some(builder.pool.constant(BitVec::zero(width))),
                Sort::Array { .. } => None,
            };
            builder.states.push(State { symbol, init, next });
        }
        for Named { name, expr } in &self.roots {
            if combinational || builder.pool.width(*expr) == 1 {
                let bad = builder.pool.redor(*expr).expect("roots are bit-vectors");
                builder.bad(name.clone(), bad);
            } else {
                builder.outputs.push(Named { name: name.clone(), expr: *expr });
            }
        }
        let system =
            builder.finish().map_err(|error| Diagnostic::new(error.to_string(), end..end))?;
        let operators = self.lines.histogram.into_map();
        Ok(BtorModel { system, combinational, roots: self.roots, operators })
    }
}
