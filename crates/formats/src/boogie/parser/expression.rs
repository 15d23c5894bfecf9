//! Expressions, by precedence climbing. What is in a chain of equal operators is not
//! nested: only brackets and operators of different precedence are.

use std::str::FromStr;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::super::lexer::{Kind, Token};
use super::super::syntax::*;
use super::super::types::width;
use super::{Parser, unsupported};
use crate::Diagnostic;

/// More digits than any computation has use for.
const MAX_EXPONENT: u32 = 10_000;

impl<'a> Parser<'a> {
    pub(super) fn expression(&mut self) -> Result<Expr<'a>, Diagnostic> {
        self.chain(0)
    }

    /// Operators from this level on.
    fn chain(&mut self, lowest: u8) -> Result<Expr<'a>, Diagnostic> {
        self.nested(|parser| {
            let mut left = parser.prefixed()?;
            while let Some(operator) = parser.operator()?.filter(|op| op.level() >= lowest) {
                let level = operator.level();
                let mut rest = Vec::new();
                while let Some(operator) = parser.operator()?.filter(|op| op.level() == level) {
                    let token = parser.advance();
                    parser.refuse_mixture(&rest, operator, &token)?;
                    rest.push((operator, parser.chain(level + 1)?));
                }
                let span = left.span.start..parser.end();
                left = Expr { kind: ExprKind::Chain(Box::new(left), rest), span };
            }
            Ok(left)
        })
    }

    fn operator(&self) -> Result<Option<Operator>, Diagnostic> {
        let symbol = match self.peek().kind {
            Kind::Symbol(symbol) => symbol,
            Kind::Name(name @ ("div" | "mod")) => name,
            _ => return Ok(None),
        };
        Ok(Some(match symbol {
            "<==>" => Operator::Iff,
            "==>" => Operator::Implies,
            "<==" => Operator::Explies,
            "||" => Operator::Or,
            "&&" => Operator::And,
            "==" => Operator::Equal,
            "!=" => Operator::Unequal,
            "<" => Operator::Less,
            "<=" => Operator::AtMost,
            ">" => Operator::Greater,
            ">=" => Operator::AtLeast,
            "++" => Operator::Concat,
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "div" => Operator::IntDivide,
            "%" | "mod" => Operator::Modulo,
            "<:" => {
                return Err(unsupported("the order of constants (`<:`) is", self.peek().span()));
            }
            "**" => return Err(unsupported("powers (`**`) are", self.peek().span())),
            _ => return Ok(None),
        }))
    }

    /// Comparisons do not follow each other, and arrows point in one direction.
    fn refuse_mixture(
        &self,
        before: &[(Operator, Expr<'a>)],
        operator: Operator,
        token: &Token<'a>,
    ) -> Result<(), Diagnostic> {
        let Some((last, _)) = before.last() else { return Ok(()) };
        let level = operator.level();
        if level == Operator::Equal.level() {
            let message = "comparisons cannot be chained";
            return Err(Diagnostic::new(message, token.span())
                .with_help("write `a < b && b < c`, or put one comparison in parentheses"));
        }
        if level == Operator::Implies.level() && *last != operator {
            let message =
                format!("`{}` and `{}` cannot be mixed", last.symbol(), operator.symbol());
            return Err(Diagnostic::new(message, token.span()).with_help("use parentheses"));
        }
        Ok(())
    }

    fn prefixed(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let start = self.peek().start;
        let make: fn(Box<Expr<'a>>) -> ExprKind<'a> = if self.accept("!") {
            ExprKind::Not
        } else if self.accept("-") {
            ExprKind::Negate
        } else {
            return self.suffixed();
        };
        let inner = self.nested(Self::prefixed)?;
        let span = start..inner.span.end;
        Ok(Expr { kind: make(Box::new(inner)), span })
    }

    fn suffixed(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let start = self.peek().start;
        let inner = self.atom()?;
        let mut suffixes = Vec::new();
        loop {
            let kind = if self.accept("[") {
                self.bracket()?
            } else if self.accept("!") {
                SuffixKind::Field(self.name("a field")?)
            } else {
                break;
            };
            suffixes.push(Suffix { kind, span: start..self.end() });
        }
        if suffixes.is_empty() {
            return Ok(inner);
        }
        let kind = ExprKind::Suffixes(Box::new(inner), suffixes);
        Ok(Expr { kind, span: start..self.end() })
    }

    /// Behind `[`: an index, an update or a range of bits.
    fn bracket(&mut self) -> Result<SuffixKind<'a>, Diagnostic> {
        let indices = self.separated(Self::expression)?;
        let kind = if self.accept(":=") {
            SuffixKind::Store(indices, self.expression()?)
        } else if let [Expr { kind: ExprKind::Integer(high), span }] = &indices[..]
            && self.accept(":")
        {
            let Token { kind: Kind::Integer(low), start, end } = self.peek() else {
                return Err(self.unexpected("a number"));
            };
            self.advance();
            let high_width = width(high, span)?;
            let low_width =
                if low.bytes().all(|digit| digit == b'0') { 0 } else { width(low, &(start..end))? };
            SuffixKind::Extract(high_width, low_width)
        } else {
            SuffixKind::Select(indices)
        };
        self.expect("]")?;
        Ok(kind)
    }

    fn atom(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let token = self.peek();
        let kind = match token.kind {
            Kind::Integer(digits) => {
                self.advance();
                ExprKind::Integer(digits)
            }
            Kind::Decimal(text) => {
                self.advance();
                ExprKind::Real(decimal(text, token.span())?)
            }
            Kind::Word(value, digits) => {
                self.advance();
                let digits_at = token.end - digits.len()..token.end;
                ExprKind::Word(value, width(digits, &digits_at)?)
            }
            Kind::Symbol("(") => {
                self.advance();
                let mut inner = self.expression()?;
                self.expect(")")?;
                inner.span = token.start..self.end();
                return Ok(inner);
            }
            Kind::Symbol("{") => self.structure()?,
            Kind::Symbol("|") => return Err(unsupported("code in expressions is", token.span())),
            Kind::Symbol("λ") => return Err(unsupported("lambda expressions are", token.span())),
            Kind::Symbol("∀" | "∃") => self.quantified()?,
            Kind::Name(word) => self.word(word)?,
            Kind::Text(_) | Kind::Symbol(_) | Kind::End => {
                return Err(self.unexpected("an expression"));
            }
        };
        Ok(Expr { kind, span: token.start..self.end() })
    }

    fn word(&mut self, word: &'a str) -> Result<ExprKind<'a>, Diagnostic> {
        let is_call = self.peek_second() == Kind::Symbol("(");
        Ok(match word {
            "true" | "false" => {
                self.advance();
                ExprKind::Bool(word == "true")
            }
            "old" => ExprKind::Old(self.argument()?),
            "int" if is_call => ExprKind::ToInt(self.argument()?),
            "real" if is_call => ExprKind::ToReal(self.argument()?),
            "if" => self.choice()?,
            "var" => self.let_in()?,
            "forall" | "exists" => self.quantified()?,
            "lambda" => return Err(unsupported("lambda expressions are", self.peek().span())),
            _ => {
                let name = self.name("an expression")?;
                if !self.accept("(") {
                    return Ok(ExprKind::Name(name.text));
                }
                let mut arguments = Vec::new();
                if !self.is_symbol(")") {
                    arguments = self.separated(Self::expression)?;
                }
                self.expect(")")?;
                ExprKind::Apply(name, arguments)
            }
        })
    }

    /// Of `old`, `int` and `real`.
    fn argument(&mut self) -> Result<Box<Expr<'a>>, Diagnostic> {
        self.advance();
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(Box::new(inner))
    }

    fn choice(&mut self) -> Result<ExprKind<'a>, Diagnostic> {
        let mut branches = Vec::new();
        loop {
            self.expect_word("if")?;
            let condition = self.expression()?;
            self.expect_word("then")?;
            let value = self.expression()?;
            self.expect_word("else")?;
            branches.push((condition, value));
            if !self.is_word("if") {
                return Ok(ExprKind::Choice(branches, Box::new(self.expression()?)));
            }
        }
    }

    /// `var x, y := 1, 2; x + y`.
    fn let_in(&mut self) -> Result<ExprKind<'a>, Diagnostic> {
        self.advance();
        let names = self.separated(|parser| parser.name("a name"))?;
        self.expect(":=")?;
        let start = self.peek().start;
        let values = self.separated(Self::expression)?;
        if names.len() != values.len() {
            let message = format!("found found {} values for {} names", values.len(), names.len());
            return Err(Diagnostic::new(message, start..self.end()));
        }
        self.expect(";")?;
        let body = self.expression()?;
        Ok(ExprKind::Let(names.into_iter().zip(values).collect(), Box::new(body)))
    }

    fn structure(&mut self) -> Result<ExprKind<'a>, Diagnostic> {
        self.expect("{")?;
        let fields = self.separated(|parser| {
            let name = parser.name("a field")?;
            parser.expect(":")?;
            Ok((name, parser.expression()?))
        })?;
        self.expect("}")?;
        Ok(ExprKind::Struct(fields))
    }

    fn quantified(&mut self) -> Result<ExprKind<'a>, Diagnostic> {
        let keyword = self.advance();
        let universal = matches!(keyword.kind, Kind::Name("forall") | Kind::Symbol("∀"));
        self.refuse_type_parameters()?;
        const BOUND: &str = "bound variables";
        let mut bound = self.bindings_without_where(BOUND)?;
        while self.accept(",") {
            bound.extend(self.bindings_without_where(BOUND)?);
        }
        self.expect("::")?;
        let mut triggers = Vec::new();
        while self.is_symbol("{") && !self.is_structure() {
            self.advance();
            if self.is_symbol(":") {
                self.attribute_rest()?;
            } else {
                triggers.push(self.separated(Self::expression)?);
                self.expect("}")?;
            }
        }
        let body = self.expression()?;
        Ok(ExprKind::Quantified(Box::new(Quantified { universal, bound, triggers, body })))
    }

    /// Does a brace begin a struct, rather than a trigger or an attribute?
    fn is_structure(&self) -> bool {
        matches!(self.peek_second(), Kind::Name(_))
            && self.tokens.get(self.at + 2).is_some_and(|token| token.kind == Kind::Symbol(":"))
    }
}

/// The number that `1.5e-3` writes.
fn decimal(text: &str, span: Span) -> Result<RBig, Diagnostic> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent
        .parse()
        .ok()
        .filter(|exponent: &i64| exponent.unsigned_abs() <= u64::from(MAX_EXPONENT))
        .ok_or_else(|| Diagnostic::new("the exponent is too large", span.clone()))?;
    let digits = format!("{whole}{fraction}");
    let number =
        UBig::from_str(&digits).map_err(|_| Diagnostic::new("this is not a number", span))?;
    let shift = exponent - fraction.len() as i64;
    let power = RBig::from(IBig::from(10).pow(shift.unsigned_abs() as usize));
    let number = RBig::from(IBig::from(number));
    Ok(if shift < 0 { number / power } else { number * power })
}
