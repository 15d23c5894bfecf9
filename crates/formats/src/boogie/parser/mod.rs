//! Tokens to the syntax tree, by recursive descent.
//!
//! One grammar covers both dialects: Boogie 2 (Leino, "This is Boogie 2", 2008) and that of
//! Ultimate, which adds structs, `%`, more than one `modifies`, and specifications after the
//! `;` of a procedure. Only the type of `/` depends on the dialect ([`super::Dialect`]).

mod declaration;
mod expression;
mod statement;
mod ty;

use super::lexer::{Kind, Token, tokens};
use super::syntax::*;
use crate::Diagnostic;

/// How many brackets and operators may be open at once.
pub(super) const MAX_DEPTH: usize = 400;

const RESERVED: [&str; 31] = [
    "assert",
    "assume",
    "axiom",
    "break",
    "call",
    "const",
    "else",
    "ensures",
    "exists",
    "false",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "invariant",
    "lambda",
    "modifies",
    "old",
    "procedure",
    "requires",
    "return",
    "returns",
    "then",
    "true",
    "type",
    "unique",
    "var",
    "while",
];

pub(super) fn unit(source: &str) -> Result<Unit<'_>, Diagnostic> {
    let mut parser = Parser::new(source)?;
    let mut unit = Unit::default();
    while !parser.is_end() {
        parser.declaration(&mut unit)?;
    }
    Ok(unit)
}

/// An expression and nothing else.
pub(super) fn expression(source: &str) -> Result<Expr<'_>, Diagnostic> {
    let mut parser = Parser::new(source)?;
    let expr = parser.expression()?;
    if parser.is_end() { Ok(expr) } else { Err(parser.unexpected("the end of the expression")) }
}

pub(super) struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
}

// Tokens.
impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Result<Self, Diagnostic> {
        Ok(Parser { tokens: tokens(source)?, at: 0, depth: 0 })
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn peek_second(&self) -> Kind<'a> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn is_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// The next token; the last one again and again.
    fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Where the last token ended.
    fn end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].end
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(found) if found == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek().kind == Kind::Name(word)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<Token<'a>, Diagnostic> {
        if self.is_symbol(symbol) {
            Ok(self.advance())
        } else {
            Err(self.unexpected(&format!("`{symbol}`")))
        }
    }

    fn expect_word(&mut self, word: &str) -> Result<Token<'a>, Diagnostic> {
        if self.is_word(word) {
            Ok(self.advance())
        } else {
            Err(self.unexpected(&format!("`{word}`")))
        }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Name(text) | Kind::Integer(text) | Kind::Decimal(text) => format!("`{text}`"),
            Kind::Word(value, width) => format!("`{value}bv{width}`"),
            Kind::Text(_) => "a string".to_owned(),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
        };
        Diagnostic::new(format!("expected {expected}, found {found}"), token.span())
    }

    fn is_name(&self) -> bool {
        matches!(self.peek().kind, Kind::Name(text) if !RESERVED.contains(&text))
    }

    fn name(&mut self, what: &str) -> Result<Name<'a>, Diagnostic> {
        match self.peek() {
            Token { kind: Kind::Name(text), .. } if self.is_name() => {
                Ok(Name { text, span: self.advance().span() })
            }
            Token { kind: Kind::Name(text), .. } => {
                Err(self.unexpected(what).with_help(format!("`{text}` is a keyword")))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// One or more, between commas.
    fn separated<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut all = vec![one(self)?];
        while self.accept(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// Runs a part of the grammar that may contain itself.
    fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        if self.depth == MAX_DEPTH {
            let span = self.peek().span();
            return Err(Diagnostic::new("this is nested too deeply", span)
                .with_help("name parts of it with variables or functions"));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}

pub(super) fn unsupported(what: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("{what} not supported"), span)
}
