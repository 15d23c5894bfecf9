//! Errors in input files: where, what, and how to mend it.

use std::fmt;
use std::ops::Range;

/// An error at a place of an input file.
///
/// The place is a range of bytes; line and column are computed only when the
/// error is shown, so that readers pay nothing for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub message: String,
    /// Bytes of the file that the message is about; may be empty, at the end
    /// of a file that stops too early.
    pub span: Range<usize>,
    /// How to mend it, when that can be said.
    pub help: Option<String>,
}

/// A place as people count it: both from one, columns in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Diagnostic {
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Diagnostic { message: message.into(), span, help: None }
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Line and column of the start of the span in `source`.
    pub fn position(&self, source: &[u8]) -> Position {
        let before = &source[..self.span.start.min(source.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        Position { line, column: before.len() - start + 1 }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one() {
        let source = b"ab\ncd\n";
        let at = |offset| Diagnostic::new("x", offset..offset).position(source);
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(4), Position { line: 2, column: 2 });
        assert_eq!(at(99), Position { line: 3, column: 1 });
    }
}
