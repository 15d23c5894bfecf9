//! Directed acyclic graphs with outputs, the boards of the reversible pebbling
//! game [Bennett 1989; Blankestijn 2023, section 5.3]: as plain graphs or as
//! circuits of Toffoli gates.
//!
//! A plain graph has a line for each vertex, edge and output, in any order; `#`
//! starts a comment:
//!
//! ```text
//! n 0 sum        a vertex: its number and its name
//! n 1 carry      vertices are numbered 0, 1, 2, … as they come
//! e 0 1          an edge: `carry` is computed from `sum`
//! o 1            an output
//! ```
//!
//! A circuit is a file in the `.tfc` format of the reversible benchmarks; see
//! [`read_tfc`] for the graph that it stands for.

mod graph;
mod tfc;

use std::ops::Range;

pub use graph::{read_graph, write_graph};
pub use tfc::read_tfc;

use crate::Diagnostic;

/// A graph as the readers make it: without cycles and without parallel edges,
/// with different names, and with at least one output.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dag {
    /// Their names, by number.
    pub vertices: Vec<String>,
    /// From a vertex to one that is computed from it.
    pub edges: Vec<(usize, usize)>,
    /// The vertices that must be pebbled in the end.
    pub outputs: Vec<usize>,
}

/// Reads a graph or a circuit, as its first word says: circuits begin with a
/// line such as `.v`, or with `BEGIN`.
pub fn read(source: &[u8]) -> Result<Dag, Diagnostic> {
    if source.trim_ascii().is_empty() {
        return Err(Diagnostic::of_file("the file is empty"));
    }
    let circuit = lines(source).next().is_some_and(|line| {
        let first = line[0].bytes;
        first.starts_with(b".") || first.eq_ignore_ascii_case(b"BEGIN")
    });
    if circuit { read_tfc(source) } else { read_graph(source) }
}

/// A piece of a line.
#[derive(Clone, Debug)]
struct Word<'a> {
    bytes: &'a [u8],
    span: Range<usize>,
}

impl<'a> Word<'a> {
    /// The text, if it is one: names are written into other files.
    fn text(&self) -> Result<&'a str, Diagnostic> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let start = self.span.start + error.valid_up_to();
            let length = error.error_len().unwrap_or(self.span.end - start);
            Diagnostic::new("this is not UTF-8", start..start + length)
        })
    }

    /// The text for a message; what is too long is cut.
    fn shown(&self) -> String {
        shown(&String::from_utf8_lossy(self.bytes))
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.span.clone())
    }

    fn number(&self) -> Result<usize, Diagnostic> {
        if self.bytes.is_empty() || !self.bytes.iter().all(u8::is_ascii_digit) {
            return Err(self.error(format!("{} is not a number", self.shown())));
        }
        let too_large = |_| self.error(format!("the number {} is too large", self.shown()));
        std::str::from_utf8(self.bytes).expect("digits are ASCII").parse().map_err(too_large)
    }
}

/// The words of each line that has any, without its comment.
fn lines(source: &[u8]) -> impl Iterator<Item = Vec<Word<'_>>> {
    let mut start = 0;
    let lines = source.split_inclusive(|&byte| byte == b'\n').map(move |line| {
        let length = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        let words = words(&line[..length], start, |byte| byte.is_ascii_whitespace());
        start += line.len();
        words
    });
    lines.filter(|words| !words.is_empty())
}

/// What stands between separators; `start` is the place of the text.
fn words(text: &[u8], start: usize, separates: impl Fn(u8) -> bool) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = start;
    for bytes in text.split(|&byte| separates(byte)) {
        let span = at..at + bytes.len();
        at = span.end + 1;
        if !bytes.is_empty() {
            words.push(Word { bytes, span });
        }
    }
    words
}

/// A name in quotes for a message; what is too long is cut.
fn shown(name: &str) -> String {
    const LONGEST: usize = 32;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &name[..end]),
        None => format!("`{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;

    use super::*;

    const GRAPH: &str = "# two\nn 0 a\nn 1 b\ne 0 1\no 1\n";
    const CIRCUIT: &str = "# two\n.v a,b\n.i a,b\n.o b\nBEGIN\nt1 a\nt2 a',b\nEND\n";

    #[test]
    fn the_first_word_tells_the_format() {
        assert_eq!(read(GRAPH.as_bytes()).unwrap().vertices, ["a", "b"]);
        assert_eq!(read(CIRCUIT.as_bytes()).unwrap().vertices, ["a_1", "b_1"]);
        let error = read(b"begin\nend\n").unwrap_err();
        assert_eq!(error.message, "the circuit has no wires");
        assert_eq!(read(b"").unwrap_err().message, "the file is empty");
        assert_eq!(read(b"# nothing").unwrap_err().message, "the graph has no output");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let mut rng = Rng::new(1);
        let mut accepted = 0;
        for good in [GRAPH, CIRCUIT] {
            for _ in 0..3000 {
                let mut bytes = good.as_bytes().to_vec();
                for _ in 0..1 + rng.below(4) {
                    let at = rng.below(bytes.len());
                    bytes[at] = match rng.below(2) {
                        0 => rng.next_u64() as u8,
                        _ => good.as_bytes()[rng.below(good.len())],
                    };
                }
                match read(&bytes) {
                    Ok(_) => accepted += 1,
                    Err(error) => assert!(error.span.end <= bytes.len(), "{error}"),
                }
            }
        }
        assert!(accepted > 300, "{accepted}");
    }
}
