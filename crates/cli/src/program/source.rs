//! The text of a program, as reports show it.

use std::ops::Range;

use elinvar_formats::names::escape;

use crate::load::SourceFile;

/// The longest part of a statement that is shown.
const LENGTH: usize = 72;

/// A source file whose lines are known.
pub struct Source<'a> {
    file: &'a SourceFile,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(file: &'a SourceFile) -> Self {
        let breaks = file.bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Source { file, starts }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.file.bytes
    }

    /// The line in which a part of the text begins, from one.
    pub fn line(&self, span: &Range<usize>) -> usize {
        self.starts.partition_point(|&start| start <= span.start)
    }

    /// `count.bpl:7`
    pub fn place(&self, span: &Range<usize>) -> String {
        format!("{}:{}", self.file.name, self.line(span))
    }

    /// A part of the text in one line.
    pub fn text(&self, span: &Range<usize>) -> String {
        let end = span.end.min(self.file.bytes.len());
        let text = String::from_utf8_lossy(&self.file.bytes[span.start.min(end)..end]);
        let words: Vec<&str> = text.split_whitespace().collect();
        shorten(&escape(&words.join(" ")), LENGTH)
    }
}

/// The text, cut at a number of characters.
pub fn shorten(text: &str, length: usize) -> String {
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
        let bytes = b"a;\nwhile (x\n    < y)\n".to_vec();
        let file = SourceFile { name: "p.bpl".to_owned(), bytes };
        let source = Source::new(&file);
        assert_eq!(
            (source.line(&(0..2)), source.line(&(3..20)), source.line(&(21..21))),
            (1, 2, 4)
        );
        assert_eq!(source.place(&(3..20)), "p.bpl:2");
        assert_eq!(source.text(&(3..20)), "while (x < y)");
        assert_eq!(source.text(&(40..50)), "");
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }
}
