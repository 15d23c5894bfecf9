//! Statements.

use super::super::lexer::{Kind, Token};
use super::super::syntax::*;
use super::{Parser, unsupported};
use crate::Diagnostic;

impl<'a> Parser<'a> {
    fn block(&mut self) -> Result<Block<'a>, Diagnostic> {
        self.expect("{")?;
        self.nested(Self::block_rest)
    }

    /// Up to the closing brace, which is taken.
    pub(super) fn block_rest(&mut self) -> Result<Block<'a>, Diagnostic> {
        let mut statements = Vec::new();
        loop {
            let labels = self.labels()?;
            let start = self.peek().start;
            if self.accept("}") {
                if !labels.is_empty() {
                    let kind = StatementKind::Skip;
                    statements.push(Statement { labels, kind, span: start..start });
                }
                return Ok(statements);
            }
            let (kind, span) = self.statement()?;
            statements.push(Statement { labels, kind, span });
        }
    }

    fn labels(&mut self) -> Result<Vec<Name<'a>>, Diagnostic> {
        let mut labels = Vec::new();
        while self.is_name() && self.peek_second() == Kind::Symbol(":") {
            labels.push(self.name("a label")?);
            self.expect(":")?;
        }
        Ok(labels)
    }

    fn statement(&mut self) -> Result<(StatementKind<'a>, Span), Diagnostic> {
        let Token { kind: Kind::Name(word), start, .. } = self.peek() else {
            return Err(self.unexpected("a statement or `}`"));
        };
        let kind = match word {
            "if" => return self.if_statement(),
            "while" => return self.while_statement(),
            "assert" => StatementKind::Assert(self.condition()?),
            "assume" => StatementKind::Assume(self.condition()?),
            "havoc" => {
                self.advance();
                self.attributes()?;
                StatementKind::Havoc(self.separated(|parser| parser.name("a variable"))?)
            }
            "call" => self.call()?,
            "goto" => {
                self.advance();
                self.attributes()?;
                StatementKind::Goto(self.separated(|parser| parser.name("a label"))?)
            }
            "return" => {
                self.advance();
                self.attributes()?;
                if !self.is_symbol(";") {
                    return Err(self
                        .unexpected("`;`")
                        .with_help("assign the results to the output parameters"));
                }
                StatementKind::Return
            }
            "break" => {
                self.advance();
                self.attributes()?;
                let label = if self.is_symbol(";") { None } else { Some(self.name("a label")?) };
                StatementKind::Break(label)
            }
            "var" => {
                return Err(Diagnostic::new(
                    "variables cannot be declared here",
                    self.peek().span(),
                )
                .with_help("declare them at the beginning of the procedure's body"));
            }
            "yield" | "par" | "async" | "fork" | "join" | "atomic" if !self.is_assignment() => {
                return Err(unsupported("concurrency is", self.peek().span()));
            }
            _ => self.assignment()?,
        };
        let end = self.end();
        self.expect(";")?;
        Ok((kind, start..end))
    }

    fn is_assignment(&self) -> bool {
        matches!(self.peek_second(), Kind::Symbol(":=" | "," | "[" | "!"))
    }

    /// Of `assert` and `assume`.
    fn condition(&mut self) -> Result<Expr<'a>, Diagnostic> {
        self.advance();
        self.attributes()?;
        self.expression()
    }

    fn assignment(&mut self) -> Result<StatementKind<'a>, Diagnostic> {
        let targets = self.separated(|parser| {
            let start = parser.peek().start;
            let name = parser.name("a statement")?;
            let mut parts = Vec::new();
            loop {
                if parser.accept("[") {
                    parts.push(Part::Element(parser.separated(Self::expression)?));
                    parser.expect("]")?;
                } else if parser.accept("!") {
                    parts.push(Part::Field(parser.name("a field")?));
                } else {
                    return Ok(Target { name, parts, span: start..parser.end() });
                }
            }
        })?;
        self.expect(":=")?;
        self.attributes()?;
        let values = self.separated(Self::expression)?;
        Ok(StatementKind::Assign(targets, values))
    }

    fn call(&mut self) -> Result<StatementKind<'a>, Diagnostic> {
        self.advance();
        self.attributes()?;
        if self.is_word("forall") {
            return Err(unsupported("`call forall` is", self.peek().span()));
        }
        if self.is_word("async") {
            return Err(unsupported("concurrency is", self.peek().span()));
        }
        let mut results = self.separated(|parser| parser.name("a procedure or a variable"))?;
        if self.is_symbol("(") && results.len() == 1 {
            let callee = results.remove(0);
            return Ok(StatementKind::Call { callee, arguments: self.arguments()?, results });
        }
        self.expect(":=")?;
        let callee = self.name("a procedure")?;
        Ok(StatementKind::Call { callee, arguments: self.arguments()?, results })
    }

    fn arguments(&mut self) -> Result<Vec<Expr<'a>>, Diagnostic> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if !self.is_symbol(")") {
            arguments = self.separated(Self::expression)?;
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// In parentheses; `None` for `*`.
    fn guard(&mut self) -> Result<Option<Expr<'a>>, Diagnostic> {
        self.attributes()?;
        self.expect("(")?;
        let condition = if self.accept("*") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Result<(StatementKind<'a>, Span), Diagnostic> {
        let mut branches: Vec<Branch<'a>> = Vec::new();
        let otherwise = loop {
            let start = self.peek().start;
            self.expect_word("if")?;
            let condition = self.guard()?;
            let span = start..self.end();
            branches.push(Branch { condition, span, block: self.block()? });
            if !self.accept_word("else") {
                break None;
            }
            if !self.is_word("if") {
                break Some(self.block()?);
            }
        };
        let span = branches[0].span.clone();
        Ok((StatementKind::If(branches, otherwise), span))
    }

    fn while_statement(&mut self) -> Result<(StatementKind<'a>, Span), Diagnostic> {
        let start = self.advance().start;
        let condition = self.guard()?;
        let span = start..self.end();
        let mut invariants = Vec::new();
        loop {
            let start = self.peek().start;
            let free = self.accept_word("free");
            if free || self.is_word("invariant") {
                if !self.is_word("invariant") {
                    return Err(self.unexpected("`invariant`"));
                }
                invariants.push(self.clause(free, start)?);
            } else {
                break;
            }
        }
        let body = self.block()?;
        Ok((StatementKind::While { condition, invariants, body }, span))
    }
}
