//! The lexical level: numbers, separators, delta codes.

use std::ops::Range;

use crate::Diagnostic;

/// A place in the bytes of a file.
pub(super) struct Scanner<'a> {
    source: &'a [u8],
    at: usize,
}

/// A literal and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention {
    pub literal: u32,
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(source: &'a [u8]) -> Self {
        Scanner { source, at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.source.len() - self.at
    }

    pub fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    /// Goes over the bytes when they come next.
    pub fn eat(&mut self, bytes: &[u8]) -> bool {
        let found = self.source[self.at..].starts_with(bytes);
        if found {
            self.at += bytes.len();
        }
        found
    }

    /// A decimal number that fits in 32 bits.
    pub fn number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let start = self.at;
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = (10 * value + u64::from(digit - b'0')).min(1 << 32);
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected(what));
        }
        u32::try_from(value)
            .map_err(|_| Diagnostic::new(format!("{what} does not fit in 32 bits"), start..self.at))
    }

    /// The single space between two numbers.
    pub fn space(&mut self, after: &str) -> Result<(), Diagnostic> {
        if self.eat(b" ") {
            return Ok(());
        }
        Err(self.unexpected(&format!("a space after {after}")))
    }

    /// The end of a line; the last line of a file may go without.
    pub fn newline(&mut self, after: &str) -> Result<(), Diagnostic> {
        if self.eat(b"\n") || self.remaining() == 0 {
            return Ok(());
        }
        let error = self.unexpected(&format!("a new line after {after}"));
        Err(if self.peek() == Some(b'\r') {
            error.with_help("AIGER lines end with a line feed only; convert the line endings")
        } else {
            error
        })
    }

    /// A literal of a variable up to `max_var`.
    pub fn literal(&mut self, what: &str, max_var: u32) -> Result<Mention, Diagnostic> {
        let at = self.at;
        let literal = self.number(what)?;
        if literal >> 1 > max_var {
            let message = format!(
                "{what} {literal} is out of range: the header allows variables up to {max_var}"
            );
            return Err(Diagnostic::new(message, at..self.at));
        }
        Ok(Mention { literal, at })
    }

    /// The bytes up to the end of the line, which is gone over too.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = &self.source[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        &rest[..length]
    }

    /// All the bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = &self.source[self.at..];
        self.at = self.source.len();
        rest
    }

    /// A number in the binary format: seven bits a byte, the low ones first.
    /// `None` when the file ends or the number does not fit in 32 bits.
    #[inline]
    pub fn delta(&mut self) -> Option<u32> {
        let byte = *self.source.get(self.at)?;
        self.at += 1;
        if byte < 0x80 {
            return Some(u32::from(byte));
        }
        let mut value = u32::from(byte & 0x7f);
        let mut shift = 7;
        loop {
            let byte = *self.source.get(self.at)?;
            self.at += 1;
            if shift == 28 && byte >= 0x10 {
                return None;
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }

    /// The digits at a place where a number was read.
    pub fn number_span(&self, at: usize) -> Range<usize> {
        let digits = self.source[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at..at + digits
    }

    /// The line, without its end, that starts at a place.
    pub fn line_span(&self, at: usize) -> Range<usize> {
        let length = self.source[at..].iter().take_while(|&&byte| byte != b'\n').count();
        at..at + length
    }

    /// An error about what stands here instead of `expected`.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        match self.peek() {
            None => Diagnostic::new(
                format!("expected {expected}, found the end of the file"),
                self.at..self.at,
            ),
            Some(byte) => Diagnostic::new(
                format!("expected {expected}, found `{}`", byte.escape_ascii()),
                self.at..self.at + 1,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_have_seven_bits_a_byte() {
        let delta = |bytes: &[u8]| Scanner::new(bytes).delta();
        assert_eq!(delta(&[0x7f]), Some(127));
        assert_eq!(delta(&[0x80, 0x01]), Some(128));
        assert_eq!(delta(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some(u32::MAX));
        assert_eq!(delta(&[0xff, 0xff, 0xff, 0xff, 0x10]), None);
        assert_eq!(delta(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), None);
        assert_eq!(delta(&[0x80]), None);
        assert_eq!(delta(&[]), None);
    }

    #[test]
    fn numbers_are_bounded() {
        assert_eq!(Scanner::new(b"4294967295 ").number("n"), Ok(u32::MAX));
        let error = Scanner::new(b"99999999999999999999999").number("n").unwrap_err();
        assert_eq!((error.message.as_str(), error.span), ("n does not fit in 32 bits", 0..23));
        let error = Scanner::new(b"x").number("a number").unwrap_err();
        assert_eq!((error.message.as_str(), error.span), ("expected a number, found `x`", 0..1));
    }
}
