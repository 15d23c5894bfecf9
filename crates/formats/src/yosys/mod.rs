//! Files that Yosys writes beside a model and reads back: maps of names, and witnesses.
//!
//! A map says which signal of the design each input and each state of a model is. Yosys writes
//! them with `write_aiger -map`, `-vmap` (text, usually `.aim`) and `-ywmap` (JSON, `.ywa`), and
//! with `write_btor -ywmap` (JSON, `.ywb`). [`read_map`] reads all of them, [`YosysMap::apply`]
//! gives the names to a model, and [`write_witness`] writes a trace so that Yosys and its tools
//! can replay it.

mod aim;
mod apply;
mod json;
mod witness;

use std::ops::Range;

use crate::Diagnostic;

pub use witness::write_witness;

/// Which signals of a design the inputs and states of a model are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct YosysMap {
    entries: Vec<Entry>,
    clocks: Vec<Clock>,
    /// The paths of the assertions and of the assumptions, in the order of the model.
    asserts: Vec<Vec<String>>,
    assumes: Vec<Vec<String>>,
    /// Whether the model is one of bits, which has no other names.
    is_of_bits: bool,
}

/// What one part of a model is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    port: Port,
    /// The signals of the design, from the lowest bit on.
    pieces: Vec<Piece>,
    /// Where the map says so.
    span: Range<usize>,
}

/// A part of a model, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Port {
    Input(usize),
    /// An input that is the initial value of a register.
    Initial(usize),
    State(usize),
    /// A latch with the negated value of the register.
    Inverted(usize),
    /// A memory, which is one piece with its path.
    Memory(usize),
    Output(usize),
}

/// Some bits of a signal of a design.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    /// Its scopes from the outside in, then its name, as Yosys writes them: public names begin
    /// with a backslash.
    path: Vec<String>,
    /// The number of its lowest bit.
    offset: u32,
    width: u32,
}

/// A clock of a design.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Clock {
    path: Vec<String>,
    offset: u32,
    is_negative: bool,
}

/// Reads a map in any of its formats.
pub fn read_map(source: &[u8]) -> Result<YosysMap, Diagnostic> {
    match source.trim_ascii_start().first() {
        Some(b'{') => json::read(source),
        Some(_) => aim::read(source),
        None => Err(Diagnostic::of_file("the file is empty")),
    }
}

impl YosysMap {
    /// This map, with what only the other one says.
    pub fn or(mut self, other: YosysMap) -> Self {
        let known: Vec<Port> = self.entries.iter().map(|entry| entry.port.place()).collect();
        let is_new = |entry: &Entry| !known.contains(&entry.port.place());
        self.entries.extend(other.entries.into_iter().filter(is_new));
        for (own, others) in
            [(&mut self.asserts, other.asserts), (&mut self.assumes, other.assumes)]
        {
            if own.is_empty() {
                *own = others;
            }
        }
        if self.clocks.is_empty() {
            self.clocks = other.clocks;
        }
        self.is_of_bits |= other.is_of_bits;
        self
    }
}

impl Entry {
    /// The number of bits that the entry names.
    fn bits(&self) -> u64 {
        self.pieces.iter().map(|piece| u64::from(piece.width)).sum()
    }
}

impl Port {
    /// The same port, however it is used.
    fn place(self) -> Self {
        match self {
            Port::Input(number) | Port::Initial(number) => Port::Input(number),
            Port::State(number) | Port::Inverted(number) | Port::Memory(number) => {
                Port::State(number)
            }
            Port::Output(number) => Port::Output(number),
        }
    }
}

/// A name of Yosys without its backslash.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_maps_are_refused() {
        crate::annotated::check("map.txt", read_map);
    }

    #[test]
    fn a_map_adds_what_another_one_does_not_say() {
        let one = read_map(b"input 0 0 a\ninit 1 0 q\n").unwrap();
        let other = read_map(b"input 0 0 b\ninput 1 0 c\nlatch 0 0 q\n").unwrap();
        let both = one.or(other);
        let ports: Vec<Port> = both.entries.iter().map(|entry| entry.port).collect();
        assert_eq!(ports, [Port::Input(0), Port::Initial(1), Port::State(0)]);
        assert_eq!(both.entries[0].pieces[0].path, ["\\a"]);
        assert_eq!(YosysMap::default().or(both.clone()), both);
    }
}
