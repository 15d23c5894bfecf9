//! Maps in text: a line for each bit, `input NUMBER BIT NAME`, and so for `init`, `output`,
//! `latch` and `invlatch`. Lines `wire` and `ninitff` say nothing about ports of the model.

use super::{Entry, Piece, Port, YosysMap};
use crate::Diagnostic;
use crate::names::{escape, path};

pub(super) fn read(source: &[u8]) -> Result<YosysMap, Diagnostic> {
    let mut entries = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        entries.extend(entry(line, at)?);
        at += line.len();
    }
    Ok(YosysMap { entries, is_of_bits: true, ..YosysMap::default() })
}

/// The entry of a line, if it has one.
fn entry(line: &[u8], at: usize) -> Result<Option<Entry>, Diagnostic> {
    let text = String::from_utf8_lossy(line);
    let mut words = Words { rest: line, at };
    let Some((keyword, span)) = words.next() else { return Ok(None) };
    let start = span.start;
    let port: fn(usize) -> Port = match keyword {
        b"input" => Port::Input,
        b"init" => Port::Initial,
        b"output" => Port::Output,
        b"latch" => Port::State,
        b"invlatch" => Port::Inverted,
        b"wire" | b"ninitff" => return Ok(None),
        _ => {
            let message = "expected `input`, `init`, `output`, `latch`, `invlatch` or `wire`";
            let help = "maps are written by `write_aiger -map` of Yosys";
            return Err(Diagnostic::new(message, span).with_help(help));
        }
    };
    let number = words.number("the number of the port")?;
    let offset = words.number("the number of the bit")?;
    let Some((_, name)) = words.next() else {
        return Err(Diagnostic::new("expected a name", words.here()));
    };
    let end = at + text.trim_end().len().min(line.len());
    let name = String::from_utf8_lossy(&line[name.start - at..end - at]).into_owned();
    let name = escape(&name);
    // Dots in names that Yosys made do not separate scopes.
    let path = if name.starts_with('$') { vec![name.into_owned()] } else { path(&name) };
    let piece = Piece { path: path.into_iter().map(public).collect(), offset, width: 1 };
    Ok(Some(Entry { port: port(number as usize), pieces: vec![piece], span: start..end }))
}

/// A name as Yosys writes it in JSON.
fn public(name: String) -> String {
    if name.starts_with('$') { name } else { format!("\\{name}") }
}

/// The words of a line.
struct Words<'a> {
    rest: &'a [u8],
    /// Where the rest starts in the file.
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<(&'a [u8], std::ops::Range<usize>)> {
        let blank = self.rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let word = &self.rest[blank..];
        let length = word.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        if length == 0 {
            return None;
        }
        let start = self.at + blank;
        (self.rest, self.at) = (&word[length..], start + length);
        Some((&word[..length], start..start + length))
    }

    fn number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let expected = |span| Diagnostic::new(format!("expected {what}"), span);
        let Some((word, span)) = self.next() else { return Err(expected(self.here())) };
        let digits = std::str::from_utf8(word).ok().filter(|text| !text.starts_with('+'));
        digits.and_then(|text| text.parse().ok()).ok_or_else(|| expected(span))
    }

    /// The end of the words.
    fn here(&self) -> std::ops::Range<usize> {
        self.at..self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_entries() {
        let text = "input 9 0 $auto$a.cc:1$2\ninput 0 3 data\ninit 1 0 u.q\ninvlatch 2 1 u.\\a.b \nninitff 4\n\
                    wire 10 0 $techmap\n\noutput 5 0 full\n";
        let map = read(text.as_bytes()).unwrap();
        let ports: Vec<Port> = map.entries.iter().map(|entry| entry.port).collect();
        assert_eq!(
            ports,
            [Port::Input(9), Port::Input(0), Port::Initial(1), Port::Inverted(2), Port::Output(5)]
        );
        let piece = |at: usize| &map.entries[at].pieces[0];
        assert_eq!(piece(0).path, ["$auto$a.cc:1$2"]);
        assert_eq!((&piece(1).path[..], piece(1).offset), (&["\\data".to_owned()][..], 3));
        assert_eq!(piece(2).path, ["\\u", "\\q"]);
        assert_eq!(&text[map.entries[2].span.clone()], "init 1 0 u.q");
    }
}
