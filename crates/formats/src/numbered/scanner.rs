//! Words of a line, with their places.

use std::ops::Range;

use crate::Diagnostic;

/// The place of a word in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub start: usize,
    pub end: usize,
}

impl Word {
    pub fn span(self) -> Range<usize> {
        self.start..self.end
    }

    /// A diagnostic about this word.
    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.span())
    }
}

/// A reference to a line, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    pub id: u64,
    pub negated: bool,
    pub word: Word,
}

/// Reads the source line by line and word by word.
pub(crate) struct Scanner<'a> {
    source: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(source: &'a [u8]) -> Self {
        Scanner { source, at: 0 }
    }

    pub fn bytes(&self, word: Word) -> &'a [u8] {
        &self.source[word.start..word.end]
    }

    /// Skips empty lines and comments; false at the end of the source.
    pub fn next_line(&mut self) -> bool {
        loop {
            self.skip_spaces();
            match self.peek() {
                None => return false,
                Some(b'\n') => self.at += 1,
                Some(b';') => self.skip_line(),
                Some(_) => return true,
            }
        }
    }

    /// The next word of this line; it ends at white space or at a comment.
    pub fn word(&mut self) -> Option<Word> {
        self.take(|byte| byte.is_ascii_whitespace() || byte == b';')
    }

    /// The next word of this line.
    pub fn expect_word(&mut self, what: &str) -> Result<Word, Diagnostic> {
        self.word().ok_or_else(|| self.missing(what))
    }

    /// A number without sign.
    pub fn number(&mut self, what: &str) -> Result<(u64, Word), Diagnostic> {
        let word = self.expect_word(what)?;
        Ok((self.parse(word, word, what)?, word))
    }

    /// The number of a line, with a minus sign for negation.
    pub fn reference(&mut self, what: &str) -> Result<Reference, Diagnostic> {
        let word = self.expect_word(what)?;
        let negated = self.source[word.start] == b'-';
        let digits = Word { start: word.start + usize::from(negated), end: word.end };
        Ok(Reference { id: self.parse(digits, word, what)?, negated, word })
    }

    /// An optional symbol: everything up to the next white space, unless a
    /// comment starts here.
    pub fn symbol(&mut self) -> Result<Option<(&'a str, Word)>, Diagnostic> {
        self.skip_spaces();
        if self.peek() == Some(b';') {
            return Ok(None);
        }
        let Some(word) = self.take(|byte| byte.is_ascii_whitespace()) else { return Ok(None) };
        match std::str::from_utf8(self.bytes(word)) {
            Ok(text) => Ok(Some((text, word))),
            Err(error) => {
                let start = word.start + error.valid_up_to();
                Err(Diagnostic::new("the symbol is not valid UTF-8", start..start + 1))
            }
        }
    }

    /// The comment at the end of this line, without its semicolon.
    pub fn comment(&mut self) -> Option<&'a str> {
        self.skip_spaces();
        let text = self.source[self.at..].strip_prefix(b";")?;
        let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
        Some(std::str::from_utf8(&text[..end]).ok()?.trim())
    }

    /// Nothing but a comment may follow on this line.
    pub fn end_line(&mut self) -> Result<(), Diagnostic> {
        self.skip_spaces();
        match self.peek() {
            None => Ok(()),
            Some(b'\n') => {
                self.at += 1;
                Ok(())
            }
            Some(b';') => {
                self.skip_line();
                Ok(())
            }
            Some(_) => {
                let rest = self.take(|byte| byte.is_ascii_whitespace()).expect("not at the end");
                Err(rest.error("unexpected text at the end of the line"))
            }
        }
    }

    fn missing(&self, what: &str) -> Diagnostic {
        Diagnostic::new(format!("expected {what}, found the end of the line"), self.at..self.at)
    }

    /// The number that `digits` are; errors are about `word`, which they are part of.
    pub fn parse(&self, digits: Word, word: Word, what: &str) -> Result<u64, Diagnostic> {
        let bytes = self.bytes(digits);
        if bytes.is_empty() || !bytes.iter().all(u8::is_ascii_digit) {
            return Err(word.error(format!("expected {what}")));
        }
        let mut value = 0u64;
        for &byte in bytes {
            value = (value.checked_mul(10))
                .and_then(|tens| tens.checked_add(u64::from(byte - b'0')))
                .ok_or_else(|| word.error("the number is too large"))?;
        }
        Ok(value)
    }

    fn take(&mut self, ends: impl Fn(u8) -> bool) -> Option<Word> {
        self.skip_spaces();
        let start = self.at;
        while self.at < self.source.len() && !ends(self.source[self.at]) {
            self.at += 1;
        }
        (start < self.at).then_some(Word { start, end: self.at })
    }

    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\x0c')) {
            self.at += 1;
        }
    }

    /// Skips the rest of the line.
    pub fn skip_line(&mut self) {
        let rest = &self.source[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |n| n + 1);
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_symbols_and_comments() {
        let mut scan = Scanner::new(b"; c\n\n 12 -7;x\n a;b ; rest\nz");
        assert!(scan.next_line());
        assert_eq!(scan.number("id").unwrap().0, 12);
        let reference = scan.reference("operand").unwrap();
        assert!(reference.negated && reference.id == 7);
        assert_eq!(scan.symbol().unwrap(), None);
        scan.end_line().unwrap();
        assert!(scan.next_line());
        assert_eq!(scan.symbol().unwrap().unwrap().0, "a;b");
        scan.end_line().unwrap();
        assert!(scan.next_line());
        assert!(scan.end_line().is_err());
        assert!(!scan.next_line());
    }

    #[test]
    fn numbers_that_are_none() {
        for text in ["x", "-", "--1", "1x", "+1", "99999999999999999999"] {
            assert!(Scanner::new(text.as_bytes()).reference("id").is_err(), "{text}");
        }
    }
}
