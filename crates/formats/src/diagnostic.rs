//! Errors in input files: where, what, and how to fix it.

use std::fmt;
use std::ops::Range;

/// An error in an input file.
///
/// Its place is a range of bytes. Line and column are computed only when the error is
/// shown, which keeps the readers fast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong, in a clause without a full stop.
    pub message: String,
    /// The bytes that the message is about. The range is empty at the end of a file that
    /// stops too early, and for errors about the whole file.
    pub span: Range<usize>,
    /// How to fix it, if there is an obvious way.
    pub help: Option<String>,
    /// Whether the error is about the file as a whole, which is shown without line and column.
    pub whole_file: bool,
}

/// A place in a text file: line and column, both counted from one, columns in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line, counted from one.
    pub line: usize,
    /// The byte in the line, counted from one.
    pub column: usize,
}

impl Diagnostic {
    /// An error about these bytes of the file.
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Diagnostic { message: message.into(), span, help: None, whole_file: false }
    }

    /// An error about the file as a whole, which is shown without line and column.
    pub fn of_file(message: impl Into<String>) -> Self {
        Diagnostic { whole_file: true, ..Diagnostic::new(message, 0..0) }
    }

    /// The same error with a hint how to fix it.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same error in a file in which `offset` bytes precede the text that was read.
    pub fn shifted(mut self, offset: usize) -> Self {
        self.span = self.span.start + offset..self.span.end + offset;
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

/// A number with its noun: `1 argument`, `2 arguments`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
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
