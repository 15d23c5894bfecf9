//! Bytes to tokens.
//!
//! Identifiers are Boogie's, which include Ultimate's: besides letters, digits and `_`
//! they contain `~ # $ ^ . ? \ ' \``. A `!` never belongs to one, so that `x!=y` is a
//! comparison and `p!base` a field. Keywords are identifiers here; the parser knows them.

use std::ops::Range;

use crate::Diagnostic;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind<'a> {
    Name(&'a str),
    /// Digits alone.
    Integer(&'a str),
    /// Digits with a point, an exponent or both.
    Decimal(&'a str),
    /// `5bv8`: the digits of the value and of the width.
    Word(&'a str, &'a str),
    /// Without the quotes.
    Text(&'a str),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    pub start: usize,
    pub end: usize,
}

impl Token<'_> {
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Longer ones before their beginnings.
const SYMBOLS: [&str; 40] = [
    "<==>", "==>", "<==", ":=", "::", "==", "!=", "<=", ">=", "<:", "&&", "||", "++", "**", "(",
    ")", "[", "]", "{", "}", "<", ">", "+", "-", "*", "/", "%", "!", ",", ";", ":", "=", "|", "∀",
    "∃", "λ", "≤", "≥", "≠", "•",
];

/// All tokens, `Kind::End` last.
pub(super) fn tokens(source: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let token = lexer.token()?;
        tokens.push(token);
        if token.kind == Kind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// White space and comments.
    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(length) = comment_length(rest) else {
                    return Err(Diagnostic::new("the comment is not closed", self.at..self.at + 2)
                        .with_help("close it with `*/`; comments nest"));
                };
                self.at += length;
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token<'a>, Diagnostic> {
        let start = self.at;
        let rest = self.rest();
        let kind = match rest.chars().next() {
            None => Kind::End,
            Some(first) if first.is_ascii_digit() => self.number()?,
            Some('"') => self.text()?,
            Some(first) if is_name(first) => Kind::Name(self.take(is_name)),
            Some(first) => {
                let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) else {
                    return Err(Diagnostic::new(
                        format!("unexpected character {first:?}"),
                        start..start + first.len_utf8(),
                    ));
                };
                self.at += symbol.len();
                Kind::Symbol(in_ascii(symbol))
            }
        };
        Ok(Token { kind, start, end: self.at })
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn digits(&mut self) -> &'a str {
        self.take(|c| c.is_ascii_digit())
    }

    fn number(&mut self) -> Result<Kind<'a>, Diagnostic> {
        let start = self.at;
        let digits = self.digits();
        let mut kind = Kind::Integer(digits);
        if let Some(width) = self.rest().strip_prefix("bv")
            && width.starts_with(|c: char| c.is_ascii_digit())
        {
            self.at += 2;
            kind = Kind::Word(digits, self.digits());
        } else {
            let mut rest = self.rest();
            if starts_fraction(rest) {
                self.at += 1;
                self.digits();
                rest = self.rest();
            }
            if let Some(length) = exponent_sign(rest) {
                self.at += length;
                self.digits();
            }
            if self.at > start + digits.len() {
                kind = Kind::Decimal(&self.source[start..self.at]);
            }
        }
        if self.rest().starts_with(is_name) {
            self.take(is_name);
            return Err(Diagnostic::new("this is neither a number nor a name", start..self.at)
                .with_help("names cannot start with a digit"));
        }
        Ok(kind)
    }

    fn text(&mut self) -> Result<Kind<'a>, Diagnostic> {
        let start = self.at;
        let inside = &self.rest()[1..];
        let Some(length) = inside.find(['"', '\n']).filter(|&at| inside[at..].starts_with('"'))
        else {
            let end = inside.find('\n').unwrap_or(inside.len());
            return Err(Diagnostic::new("the string is not closed", start..start + 1 + end)
                .with_help("close it with `\"` on the same line"));
        };
        self.at += length + 2;
        Ok(Kind::Text(&inside[..length]))
    }
}

/// The length of the comment at the start of the text. Comments nest.
fn comment_length(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        let rest = &text[at..];
        let mark = rest.find(['/', '*'])?;
        at += mark;
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
}

/// The line comments before the first token, without their slashes.
pub(super) fn header(source: &str) -> Vec<&str> {
    let (mut rest, mut found) = (source.trim_start(), Vec::new());
    loop {
        if let Some(comment) = rest.strip_prefix("//") {
            let (line, after) = comment.split_once('\n').unwrap_or((comment, ""));
            found.push(line.trim_end());
            rest = after.trim_start();
        } else if rest.starts_with("/*")
            && let Some(length) = comment_length(rest)
        {
            rest = rest[length..].trim_start();
        } else {
            return found;
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_~#$^.?\\'`".contains(c)
}

/// Is there a point with a digit behind it?
fn starts_fraction(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    bytes.next() == Some(b'.') && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
}

/// The length of `e`, `e-` or `e+` in front of a digit.
fn exponent_sign(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix(['e', 'E'])?;
    let number = after.strip_prefix(['-', '+']).unwrap_or(after);
    number.starts_with(|c: char| c.is_ascii_digit()).then_some(rest.len() - number.len())
}

/// Boogie writes some symbols in two ways.
fn in_ascii(symbol: &'static str) -> &'static str {
    match symbol {
        "≤" => "<=",
        "≥" => ">=",
        "≠" => "!=",
        "•" => "::",
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<Kind<'_>> {
        tokens(source).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn names_are_ultimates_and_end_at_an_exclamation_mark() {
        use Kind::*;
        assert_eq!(
            kinds("#t~post3!=p'!base"),
            [Name("#t~post3"), Symbol("!="), Name("p'"), Symbol("!"), Name("base"), End]
        );
    }

    #[test]
    fn numbers_are_integers_decimals_or_words() {
        use Kind::*;
        assert_eq!(
            kinds("12 1.5 2e3 1.5e-2 7bv8"),
            [Integer("12"), Decimal("1.5"), Decimal("2e3"), Decimal("1.5e-2"), Word("7", "8"), End]
        );
    }

    #[test]
    fn longest_symbols_win_and_comments_vanish() {
        use Kind::*;
        assert_eq!(
            kinds("a/* x */<==>b // c\n<= :="),
            [Name("a"), Symbol("<==>"), Name("b"), Symbol("<="), Symbol(":="), End]
        );
    }

    #[test]
    fn comments_nest() {
        use Kind::*;
        assert_eq!(kinds("a /* /* */ b // */ c"), [Name("a"), Name("c"), End]);
        assert_eq!(kinds("a /*/**/ b */ /***/ c /**/"), [Name("a"), Name("c"), End]);
        assert_eq!(kinds("a // /*\nb /*/*/ */*/ c"), [Name("a"), Name("b"), Name("c"), End]);
        for open in ["a /* /* */", "a /*/", "a /* */ /* /**/ é"] {
            assert!(tokens(open).is_err(), "{open}");
        }
    }

    #[test]
    fn the_header_ends_at_the_first_token() {
        assert_eq!(header("//#Safe\n  // b\n/* c */ var x: int; // d\n//#e"), ["#Safe", " b"]);
    }

    #[test]
    fn what_is_no_token_is_told_with_its_place() {
        for (source, span) in [("a @", 2..3), ("  /* x", 2..4), ("\"ab\nc\"", 0..3), ("1x", 0..2)] {
            assert_eq!(tokens(source).unwrap_err().span, span, "{source}");
        }
    }
}
