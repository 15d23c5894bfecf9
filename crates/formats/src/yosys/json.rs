//! Maps in JSON, as Yosys writes them for its own witnesses of AIGER and BTOR models.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Clock, Entry, Piece, Port, YosysMap};
use crate::Diagnostic;
use crate::names::escape;

const AIGER: &str = "Yosys Witness Aiger map";
const BTOR: &str = "Yosys Witness BTOR map";

/// The parts of a map by their names. They are read one by one, so that errors have their place.
type Parts<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// A bit of an AIGER model.
#[derive(Deserialize)]
struct Bit {
    path: Vec<String>,
    input: usize,
    offset: u32,
}

/// A word of a BTOR model: the signals that it consists of, or a memory.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Nothing,
    Chunks(Vec<Chunk>),
    Memory { path: Vec<String>, width: u32 },
}

#[derive(Deserialize)]
struct Chunk {
    path: Vec<String>,
    width: u32,
    offset: u32,
}

#[derive(Deserialize)]
struct ClockLine {
    path: Vec<String>,
    offset: u32,
    edge: Edge,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Edge {
    Posedge,
    Negedge,
}

pub(super) fn read(source: &[u8]) -> Result<YosysMap, Diagnostic> {
    let text = std::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("the text is not UTF-8", at..at + 1)
    })?;
    let parts: Parts = serde_json::from_str(text).map_err(|error| located(text, &error))?;
    let reader = Reader { text, parts };
    let Some(version) = reader.parts.get("version") else {
        return Err(Diagnostic::of_file("the map has no version"));
    };
    // Older versions of Yosys write `Map`.
    let name: String = reader.part(version, "the version of the map")?;
    let (entries, is_of_bits) = if name.eq_ignore_ascii_case(AIGER) {
        (reader.bits()?, true)
    } else if name.eq_ignore_ascii_case(BTOR) {
        (reader.words()?, false)
    } else {
        let message = format!("expected the version `{AIGER}` or `{BTOR}`");
        return Err(Diagnostic::new(message, reader.span(version)));
    };
    let clock = |line: &RawValue| {
        let ClockLine { path, offset, edge } = reader.part(line, "a clock")?;
        let is_negative = edge == Edge::Negedge;
        Ok(Clock { path: reader.path(path, line)?, offset, is_negative })
    };
    let path = |line: &RawValue| reader.path(reader.part(line, "a path")?, line);
    let paths = |name: &str| -> Result<Vec<Vec<String>>, Diagnostic> {
        reader.list(name)?.into_iter().map(path).collect()
    };
    Ok(YosysMap {
        entries,
        clocks: reader.list("clocks")?.into_iter().map(clock).collect::<Result<_, Diagnostic>>()?,
        asserts: paths("asserts")?,
        assumes: paths("assumes")?,
        is_of_bits,
    })
}

struct Reader<'a> {
    text: &'a str,
    parts: Parts<'a>,
}

impl<'a> Reader<'a> {
    /// The items of a part, which may be missing.
    fn list(&self, name: &str) -> Result<Vec<&'a RawValue>, Diagnostic> {
        self.parts.get(name).map_or(Ok(Vec::new()), |part| self.part(part, "a list"))
    }

    fn bits(&self) -> Result<Vec<Entry>, Diagnostic> {
        let mut ports = Vec::new();
        for (name, is_input) in [("inputs", true), ("seqs", true), ("inits", false)] {
            ports.extend(self.list(name)?.into_iter().map(|line| (line, is_input)));
        }
        let entry = |(line, is_input): (&RawValue, bool)| {
            let Bit { path, input, offset } = self.part(line, "a bit")?;
            let port = if is_input { Port::Input(input) } else { Port::Initial(input) };
            let piece = Piece { path: self.path(path, line)?, offset, width: 1 };
            Ok(Entry { port, pieces: vec![piece], span: self.span(line) })
        };
        ports.into_iter().map(entry).collect()
    }

    fn words(&self) -> Result<Vec<Entry>, Diagnostic> {
        let mut entries = Vec::new();
        let (inputs, states) = (self.list("inputs")?, self.list("states")?);
        let ports = (inputs.into_iter().enumerate().map(|(at, line)| (Port::Input(at), line)))
            .chain(states.into_iter().enumerate().map(|(at, line)| (Port::State(at), line)));
        for (port, line) in ports {
            let (port, pieces) = match (self.part(line, "a signal")?, port) {
                (Word::Nothing, _) => continue,
                (Word::Chunks(chunks), port) => (port, self.pieces(chunks, line)?),
                (Word::Memory { path, width }, Port::State(number)) => {
                    let piece = Piece { path: self.path(path, line)?, offset: 0, width };
                    (Port::Memory(number), vec![piece])
                }
                (Word::Memory { .. }, _) => {
                    return Err(Diagnostic::new("an input is not a memory", self.span(line)));
                }
            };
            entries.push(Entry { port, pieces, span: self.span(line) });
        }
        Ok(entries)
    }

    fn pieces(&self, chunks: Vec<Chunk>, line: &RawValue) -> Result<Vec<Piece>, Diagnostic> {
        let piece = |Chunk { path, width, offset }| {
            if width == 0 {
                return Err(Diagnostic::new("a signal has at least one bit", self.span(line)));
            }
            Ok(Piece { path: self.path(path, line)?, offset, width })
        };
        chunks.into_iter().map(piece).collect()
    }

    /// A path without characters that do harm on a terminal.
    fn path(&self, path: Vec<String>, line: &RawValue) -> Result<Vec<String>, Diagnostic> {
        if path.is_empty() || path.iter().any(|name| super::plain(name).is_empty()) {
            return Err(Diagnostic::new("expected a path of names", self.span(line)));
        }
        Ok(path.iter().map(|name| escape(name).into_owned()).collect())
    }

    fn part<'r, T: Deserialize<'r>>(&self, raw: &'r RawValue, what: &str) -> Result<T, Diagnostic> {
        serde_json::from_str(raw.get())
            .map_err(|_| Diagnostic::new(format!("this does not describe {what}"), self.span(raw)))
    }

    /// Where a part is in the text, which it was borrowed from.
    fn span(&self, raw: &RawValue) -> Range<usize> {
        let start = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        start..start + raw.get().len()
    }
}

/// An error of the parser with its place.
fn located(text: &str, error: &serde_json::Error) -> Diagnostic {
    let start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (start + error.column().saturating_sub(1)).min(text.len());
    // The parser repeats the place in its message.
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    let end = if error.is_eof() { at } else { (at + 1).min(text.len()) };
    Diagnostic::new(message, at..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_bits_are_read() {
        let text = r#"{ "version": "Yosys Witness Aiger Map", "gennerator": "Yosys",
            "latch_count": 3, "input_count": 4,
            "clocks": [ {"path": ["\\clk"], "input": 0, "offset": 0, "edge": "negedge"} ],
            "inputs": [ {"path": ["\\clk"], "input": 0, "offset": 0},
                        {"path": ["\\u", "\\d"], "input": 1, "offset": 2} ],
            "seqs": [ {"path": ["$anyseq$1"], "input": 2, "offset": 0} ],
            "inits": [ {"path": ["\\q"], "input": 3, "offset": 1} ],
            "asserts": [ ["\\u", "\\a_full"] ] }"#;
        let map = read(text.as_bytes()).unwrap();
        let ports: Vec<Port> = map.entries.iter().map(|entry| entry.port).collect();
        assert_eq!(ports, [Port::Input(0), Port::Input(1), Port::Input(2), Port::Initial(3)]);
        assert_eq!(map.entries[1].pieces[0].path, ["\\u", "\\d"]);
        assert!(text[map.entries[2].span.clone()].starts_with("{\"path\": [\"$anyseq"));
        assert_eq!(map.asserts, [["\\u", "\\a_full"]]);
        assert!(map.clocks[0].is_negative && map.is_of_bits);
    }

    #[test]
    fn maps_of_words_are_read() {
        let text = r#"{ "version": "Yosys Witness BTOR map",
            "clocks": [],
            "inputs": [ [{"path": ["\\a"], "width": 3, "offset": 1}] ],
            "states": [ null, {"path": ["\\mem"], "width": 8, "size": 4},
                [{"path": ["\\b"], "width": 1, "offset": 0}, {"path": ["\\c"], "width": 2, "offset": 4}] ] }"#;
        let map = read(text.as_bytes()).unwrap();
        let ports: Vec<Port> = map.entries.iter().map(|entry| entry.port).collect();
        assert_eq!(ports, [Port::Input(0), Port::Memory(1), Port::State(2)]);
        assert_eq!(map.entries[2].pieces.len(), 2);
    }
}
