//! Texts: models, programs and evidence in memory, with the names that messages use.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use elinvar_formats::Diagnostic;
use elinvar_formats::names::escape;

use crate::error::{Error, FileFault};

/// The longest part of a statement that is shown.
const LENGTH: usize = 72;

/// A file in memory.
///
/// ```
/// let source = elinvar::Source::new("p.bpl", "x := 1;\nassert x > 0;\n");
/// assert_eq!(source.line(8), 2);
/// assert_eq!(source.place(8), "p.bpl:2");
/// assert_eq!(source.excerpt(&(8..21)), "assert x > 0;");
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
    /// Where each line begins.
    starts: OnceLock<Vec<usize>>,
}

impl Source {
    /// A text with a name for messages; the ending of the name helps to tell the format.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Source { name: name.into(), bytes: bytes.into(), starts: OnceLock::new() }
    }

    /// Reads a file.
    ///
    /// ```
    /// let missing = elinvar::Source::read("no such file").unwrap_err();
    /// assert!(missing.to_string().starts_with("cannot read no such file"));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            let message = format!("cannot read {}: it is a directory, not a file", escape(&name));
            return Err(Error::Usage(message));
        }
        let bytes = std::fs::read(path).map_err(Error::reading(path))?;
        Ok(Source::new(name, bytes))
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The contents of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.starts().partition_point(|&start| start <= byte)
    }

    /// The column of a byte within its line, in bytes from 1.
    pub fn column(&self, byte: usize) -> usize {
        let line = self.line(byte);
        byte + 1 - self.starts()[line - 1]
    }

    /// The file and the line of a byte: `count.bpl:7`.
    pub fn place(&self, byte: usize) -> String {
        format!("{}:{}", self.name, self.line(byte))
    }

    /// A part of the text in one line, cut if it is long.
    pub fn excerpt(&self, span: &Range<usize>) -> String {
        let end = span.end.min(self.bytes.len());
        let text = String::from_utf8_lossy(&self.bytes[span.start.min(end)..end]);
        let words: Vec<&str> = text.split_whitespace().collect();
        shorten(&escape(&words.join(" ")), LENGTH)
    }

    /// Attaches the place in this file to a diagnostic.
    pub(crate) fn located<T>(&self, result: Result<T, Diagnostic>) -> Result<T, Error> {
        result.map_err(|error| FileFault::new(&self.name, &self.bytes, &error).into())
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let breaks = self.bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
        })
    }
}

/// The text, cut at a number of characters.
pub(crate) fn shorten(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    text.chars().take(length - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_lines() {
        let source = Source::new("p.bpl", "a;\nwhile (x\n    < y)\n");
        assert_eq!([0, 3, 21].map(|byte| source.line(byte)), [1, 2, 4]);
        assert_eq!([0, 1, 3, 5].map(|byte| source.column(byte)), [1, 2, 1, 3]);
        assert_eq!(source.place(3), "p.bpl:2");
        assert_eq!(source.excerpt(&(3..20)), "while (x < y)");
        assert_eq!(source.excerpt(&(40..50)), "");
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }
}
