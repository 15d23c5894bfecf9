//! The words of formulas.

use std::ops::Range;

use crate::Diagnostic;

/// A word of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name or a keyword.
    Identifier(String),
    /// A name in quotes.
    Quoted(String),
    /// Digits, with a prefix for the base or without.
    Number(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// After the last word.
    End,
}

impl Token {
    /// How messages name it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Identifier(text) | Token::Number(text) => format!("`{text}`"),
            Token::Quoted(text) => format!("`\"{text}\"`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the formula".to_owned(),
        }
    }
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 22] = [
    "<->", "->", "<=", ">=", "==", "!=", "&&", "||", "!", "~", "&", "|", "<", ">", "(", ")", "[",
    "]", ":", "=", ";", ",",
];

/// The line up to a `#` that is not in quotes.
pub(super) fn without_comment(line: &str) -> &str {
    let mut in_quotes = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'#' if !in_quotes => return &line[..at],
            _ => {}
        }
    }
    line
}

/// The words of a text that starts at `offset` in its file, with [`Token::End`] after them.
pub(super) fn words(text: &str, offset: usize) -> Result<Vec<(Token, Range<usize>)>, Diagnostic> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (token, length) = word(rest, first).map_err(|error| error.shifted(offset + at))?;
        words.push((token, offset + at..offset + at + length));
        at += length;
    }
    let end = offset + text.trim_end().len();
    words.push((Token::End, end..end));
    Ok(words)
}

/// The first word of a text that starts with `first`, and its length.
fn word(rest: &str, first: char) -> Result<(Token, usize), Diagnostic> {
    if first == '"' {
        let length = rest[1..].find('"').ok_or_else(|| {
            Diagnostic::new("the quotation mark has no partner", 0..rest.trim_end().len())
        })?;
        return Ok((Token::Quoted(rest[1..1 + length].to_owned()), length + 2));
    }
    let starts_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '.' | '\\');
    let continues = |c: char| starts_name(c) || c.is_alphanumeric();
    if starts_name(first) || first.is_ascii_digit() {
        let length = rest.find(|c| !continues(c)).unwrap_or(rest.len());
        let text = rest[..length].to_owned();
        let token =
            if first.is_ascii_digit() { Token::Number(text) } else { Token::Identifier(text) };
        return Ok((token, length));
    }
    match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => {
            let message = format!("unexpected character `{}`", first.escape_debug());
            Err(Diagnostic::new(message, 0..first.len_utf8())
                .with_help("write names with odd characters in quotes"))
        }
    }
}
