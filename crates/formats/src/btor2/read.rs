//! The reader: one pass, one line at a time.

use std::borrow::Cow;

use elinvar_ir::{ExprId, Goal, Named, Origin, Place, Property, PropertyKind, Sort, SystemBuilder};

use super::assertions::Assertions;
use super::initial::input_dependent;
use super::{
    Btor2Model, CLOCK, COVER, default_bad_name, default_justice_name, default_output_name,
};
use crate::Diagnostic;
use crate::names::escape;
use crate::naming::{find_clocks, name_symbols};
use crate::numbered::{
    Constant, Keyword, Lines, Meaning, Operand, Operator, Syntax, Word, expect_sort,
};

/// Reads a BTOR2 file.
pub fn read(source: &[u8]) -> Result<Btor2Model, Diagnostic> {
    read_with(source, SystemBuilder::new())
}

/// Reads a BTOR2 file into an empty builder, which decides whether expressions are
/// rewritten.
pub fn read_with(source: &[u8], builder: SystemBuilder) -> Result<Btor2Model, Diagnostic> {
    let mut reader = Reader::new(source, builder);
    while reader.lines.scan.next_line() {
        reader.line()?;
    }
    reader.check_initial_values()?;
    name_symbols(&mut reader.lines.builder);
    reader.lines.builder.clocks = find_clocks(&reader.lines.builder);
    let end = source.len();
    let system = (reader.lines.builder.finish())
        .map_err(|error| Diagnostic::new(error.to_string(), end..end))?;
    Ok(Btor2Model { system, operators: reader.lines.histogram.into_map() })
}

struct Reader<'a> {
    lines: Lines<'a>,
    /// By symbol: the number and the line of the state that it is.
    states: Vec<Option<(usize, u64)>>,
    /// The initial values that are not constants.
    initial: Vec<Operand>,
    bads: usize,
    justices: usize,
    last_id: u64,
    assertions: Assertions,
}

impl<'a> Reader<'a> {
    fn new(source: &'a [u8], builder: SystemBuilder) -> Self {
        let lines = Lines::new(source, Syntax::Btor2, builder);
        Reader {
            lines,
            states: Vec::new(),
            initial: Vec::new(),
            bads: 0,
            justices: 0,
            last_id: 0,
            assertions: Assertions::default(),
        }
    }

    fn line(&mut self) -> Result<(), Diagnostic> {
        let id = self.id()?;
        self.assertions.next_line(id);
        let meaning = match self.lines.keyword()? {
            Keyword::Sort => Meaning::Sort(self.sort_definition()?),
            Keyword::Input => self.input()?,
            Keyword::State => self.state(id)?,
            Keyword::Init => self.init()?,
            Keyword::Next => self.next()?,
            Keyword::Bad => self.bad()?,
            Keyword::Constraint => self.constraint()?,
            Keyword::Fair => self.fair()?,
            Keyword::Justice => self.justice()?,
            Keyword::Output => self.output()?,
            Keyword::Constant(constant) => self.constant(constant)?,
            Keyword::Slice => self.slice()?,
            Keyword::Uext => self.extension(false)?,
            Keyword::Sext => self.extension(true)?,
            Keyword::Operator(operator) => self.operator(operator)?,
            Keyword::Var | Keyword::Array | Keyword::Anext | Keyword::Acond | Keyword::Root => {
                unreachable!("not a keyword of BTOR2")
            }
        };
        self.lines.scan.end_line()?;
        self.lines.ids.insert(id, meaning);
        Ok(())
    }

    // ---- words ------------------------------------------------------------

    fn id(&mut self) -> Result<u64, Diagnostic> {
        let (id, word) = self.lines.scan.number("the number of the line")?;
        if id == 0 {
            return Err(word.error("the numbers of lines start at 1"));
        }
        if id <= self.last_id {
            let message =
                format!("line number {id} is not greater than {}, the previous one", self.last_id);
            return Err(word.error(message).with_help("lines are numbered in ascending order"));
        }
        self.last_id = id;
        Ok(id)
    }

    /// A reference to a sort.
    fn sort(&mut self) -> Result<(Sort, Word), Diagnostic> {
        let (id, word) = self.lines.scan.number("a sort")?;
        match self.lines.ids.get(id) {
            Some(Meaning::Sort(sort)) => Ok((sort, word)),
            Some(Meaning::Expr(_) | Meaning::Other(_)) => {
                Err(word.error(format!("line {id} is not a sort")))
            }
            None => Err(word.error(format!("sort {id} is not defined"))),
        }
    }

    /// A reference to a sort that must be a bit-vector.
    fn width(&mut self) -> Result<(u32, Word), Diagnostic> {
        let (sort, word) = self.sort()?;
        match sort {
            Sort::Bv(width) => Ok((width, word)),
            Sort::Array { .. } => Err(word.error("expected the sort of a bit-vector")),
        }
    }

    /// The symbol of a line without a place for it elsewhere.
    fn label(&mut self, expr: ExprId) -> Result<(), Diagnostic> {
        if let Some(name) = self.lines.name()? {
            self.lines.builder.labels.push(Named { name: name.into_owned(), expr });
        }
        Ok(())
    }

    fn labelled(&mut self, expr: ExprId) -> Result<Meaning, Diagnostic> {
        self.label(expr)?;
        Ok(Meaning::Expr(expr))
    }

    // ---- declarations ---------------------------------------------------------

    fn sort_definition(&mut self) -> Result<Sort, Diagnostic> {
        let word = self.lines.scan.expect_word("`bitvec` or `array`")?;
        let sort = match self.lines.scan.bytes(word) {
            b"bitvec" => Sort::Bv(self.lines.width("a width")?.0),
            b"array" => {
                let index = self.array_part("addresses")?;
                Sort::Array { index, element: self.array_part("elements")? }
            }
            _ => return Err(word.error("expected `bitvec` or `array`")),
        };
        self.lines.name()?;
        Ok(sort)
    }

    fn array_part(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let (sort, word) = self.sort()?;
        sort.width().ok_or_else(|| {
            word.error(format!("arrays with arrays as {what} are not supported"))
                .with_help("flatten the array: concatenate the two addresses")
        })
    }

    fn input(&mut self) -> Result<Meaning, Diagnostic> {
        let (sort, word) = self.sort()?;
        let name = self.lines.name()?;
        let symbol = self.lines.builder.input(sort, name.as_deref());
        let symbol = symbol.map_err(|error| word.error(error.to_string()))?;
        self.states.push(None);
        if self.lines.scan.comment().is_some_and(|comment| comment.starts_with(CLOCK)) {
            self.lines.builder.clocks.push(self.lines.builder.inputs.len() - 1);
        }
        Ok(Meaning::Expr(symbol))
    }

    fn state(&mut self, id: u64) -> Result<Meaning, Diagnostic> {
        let (sort, word) = self.sort()?;
        let name = self.lines.name()?;
        let symbol = self.lines.builder.state(sort, name.as_deref());
        let symbol = symbol.map_err(|error| word.error(error.to_string()))?;
        self.states.push(Some((self.lines.builder.states.len() - 1, id)));
        Ok(Meaning::Expr(symbol))
    }

    /// The sort and the state that an `init` or `next` is about: the number
    /// of the state, and its line.
    fn state_reference(&mut self) -> Result<(Sort, usize, u64, Word), Diagnostic> {
        let (sort, _) = self.sort()?;
        let operand = self.lines.operand()?;
        let symbol = self.lines.builder.pool.as_symbol(operand.expr);
        let state = symbol.and_then(|symbol| self.states[symbol.index()]);
        let Some((number, line)) = state else {
            return Err(operand.word.error("operand is not a state"));
        };
        expect_sort(&self.lines.builder.pool, operand, sort)?;
        Ok((sort, number, line, operand.word))
    }

    fn init(&mut self) -> Result<Meaning, Diagnostic> {
        let (sort, state, line, word) = self.state_reference()?;
        let (value, value_line) = self.lines.operand_with_id()?;
        let pool = &mut self.lines.builder.pool;
        let init = match (sort, pool.sort(value.expr)) {
            // Every element of an array starts at the value.
            (Sort::Array { index, element }, Sort::Bv(_)) => {
                expect_sort(pool, value, Sort::Bv(element))?;
                let array = pool.const_array(index, value.expr);
                array.map_err(|error| value.word.error(error.to_string()))?
            }
            _ => {
                expect_sort(pool, value, sort)?;
                value.expr
            }
        };
        if value_line >= line {
            return Err(value
                .word
                .error("the initial value is defined after the state")
                .with_help("write the value, and all it depends on, before the state"));
        }
        if self.lines.builder.states[state].init.replace(init).is_some() {
            return Err(word.error("the state has two initial values"));
        }
        if self.lines.builder.pool.const_value(value.expr).is_none() {
            self.initial.push(value);
        }
        self.lines.name()?;
        Ok(Meaning::Other("an initial value"))
    }

    /// Inputs have no value before the first cycle. A dependence that a rewrite
    /// removes is accepted, so it must be accepted in a verbatim reading as well.
    fn check_initial_values(&self) -> Result<(), Diagnostic> {
        if self.initial.is_empty() || !self.lines.builder.pool.rewrites() {
            return Ok(());
        }
        let builder = &self.lines.builder;
        let inputs = builder.inputs.iter().map(|input| input.symbol);
        let dependent = input_dependent(&builder.pool, inputs);
        match self.initial.iter().find(|value| dependent[value.expr.node()]) {
            None => Ok(()),
            Some(value) => Err(value
                .word
                .error("the initial value depends on an input")
                .with_help("use a state without an initial value instead of the input")),
        }
    }

    fn next(&mut self) -> Result<Meaning, Diagnostic> {
        let (sort, state, _, word) = self.state_reference()?;
        let value = self.lines.operand()?;
        expect_sort(&self.lines.builder.pool, value, sort)?;
        if self.lines.builder.states[state].next.replace(value.expr).is_some() {
            return Err(word.error("the state has two next values"));
        }
        self.lines.name()?;
        Ok(Meaning::Other("a next value"))
    }

    // ---- properties -----------------------------------------------------------

    fn bad(&mut self) -> Result<Meaning, Diagnostic> {
        let bad = self.lines.bit()?;
        let name = self.lines.name()?.map_or_else(|| default_bad_name(self.bads), Cow::into_owned);
        let (goal, place) = self.remark();
        let pool = &self.lines.builder.pool;
        if let Some(antecedent) = self.assertions.antecedent(pool, bad, place.is_some()) {
            self.lines.builder.antecedents.insert(bad, antecedent);
        }
        self.lines.builder.properties.push(Property { goal, place, ..Property::bad(name, bad) });
        self.bads += 1;
        Ok(Meaning::Other("a bad state property"))
    }

    /// What the comment of the line says about a property or a constraint: its place in the
    /// sources, as Yosys notes it, and after the word `cover` that it is to be reached.
    fn remark(&mut self) -> (Goal, Option<Place>) {
        let comment = escape(self.lines.scan.comment().unwrap_or_default());
        let (goal, place) = match comment.strip_prefix(COVER) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => (Goal::Cover, rest),
            Some(_) | None => (Goal::Assert, &*comment),
        };
        (goal, Place::parse(place))
    }

    fn constraint(&mut self) -> Result<Meaning, Diagnostic> {
        let constraint = self.lines.bit()?;
        let name = self.lines.name()?.map(Cow::into_owned);
        let (_, place) = self.remark();
        self.lines.builder.constrain(constraint, Origin { name, place });
        Ok(Meaning::Other("a constraint"))
    }

    fn fair(&mut self) -> Result<Meaning, Diagnostic> {
        let fair = self.lines.bit()?;
        self.lines.builder.fairness.push(fair);
        self.label(fair)?;
        Ok(Meaning::Other("a fairness constraint"))
    }

    fn justice(&mut self) -> Result<Meaning, Diagnostic> {
        let (count, word) = self.lines.scan.number("the number of conditions")?;
        if count == 0 {
            return Err(word.error("a justice property needs at least one condition"));
        }
        let mut conditions = Vec::new();
        for _ in 0..count {
            conditions.push(self.lines.bit()?);
        }
        let name =
            self.lines.name()?.map_or_else(|| default_justice_name(self.justices), Cow::into_owned);
        let (_, place) = self.remark();
        let property = Property::new(name, PropertyKind::Justice(conditions));
        self.lines.builder.properties.push(Property { place, ..property });
        self.justices += 1;
        Ok(Meaning::Other("a justice property"))
    }

    fn output(&mut self) -> Result<Meaning, Diagnostic> {
        let expr = self.lines.operand()?.expr;
        let number = self.lines.builder.outputs.len();
        let name = self.lines.name()?.map_or_else(|| default_output_name(number), Cow::into_owned);
        self.lines.builder.outputs.push(Named { name, expr });
        Ok(Meaning::Other("an output"))
    }

    // ---- expressions -------------------------------------------------------------

    fn constant(&mut self, constant: Constant) -> Result<Meaning, Diagnostic> {
        let (width, at) = self.width()?;
        let expr = self.lines.constant(constant, width, at)?;
        self.labelled(expr)
    }

    fn slice(&mut self) -> Result<Meaning, Diagnostic> {
        let (width, at) = self.width()?;
        let expr = self.lines.slice(width, at)?;
        self.labelled(expr)
    }

    fn extension(&mut self, signed: bool) -> Result<Meaning, Diagnostic> {
        let (width, at) = self.width()?;
        let expr = self.lines.extension(signed, width, at)?;
        self.labelled(expr)
    }

    fn operator(&mut self, operator: Operator) -> Result<Meaning, Diagnostic> {
        let (sort, at) = self.sort()?;
        let operands = self.lines.operands(operator)?;
        let expr = self.lines.apply(operator, sort, at, &operands)?;
        if sort == Sort::BOOL {
            let Lines { scan, builder, .. } = &mut self.lines;
            let texts = operands.map(|operand| (operand.expr, scan.bytes(operand.word)));
            self.assertions.operator(&mut builder.pool, operator, expr, texts);
        }
        self.labelled(expr)
    }
}
