//! AIGER 1.9: and-inverter circuits, ASCII (`aag`) and binary (`aig`).
//!
//! Follows "AIGER 1.9 and Beyond" (Biere, Heljanko, Wieringa 2011) with the
//! reset functions of the 2025 hardware model checking competition: a latch may
//! start at 0, at 1, at any value (its own literal), or at the value of any
//! other literal. Witnesses of bad states and of justice properties are stimuli
//! ([`read_witness`]); certificates are circuits that name the literals they share with the model
//! in Certifaiger's way ([`write_certificate`], [`certificate_of`]).
//!
//! A file with neither bad states nor justice properties is an old one: its
//! outputs are the bad states.
//!
//! Limits: fewer than 2^30 variables; a binary file may have 2^20 inputs that
//! nothing mentions, an ASCII file 2^26 variables that nothing defines; invalid
//! UTF-8 in names is replaced.

mod certificate;
mod document;
mod expand;
mod gates;
mod header;
mod read;
mod scan;
mod witness;

use std::ops::Range;

use elinvar_ir::TransitionSystem;

pub use certificate::{Correspondence, certificate_mapping, certificate_of, write_certificate};
pub use document::write;
pub use read::{read, read_with};
pub use witness::{read_witness, write_witness};

/// The two ways to write a circuit down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// `aag`: gates in decimal, in any order.
    Ascii,
    /// `aig`: gates in ascending order, delta-coded.
    Binary,
}

/// A circuit with what the file says beyond its system.
#[derive(Clone, Debug)]
pub struct AigerModel {
    /// The system that the circuit describes.
    pub system: TransitionSystem,
    /// How the file was encoded.
    pub encoding: Encoding,
    literals: Literals,
    shared: Vec<RelatedSymbol>,
    intervened: Vec<RelatedSymbol>,
    comment: Comment,
}

impl AigerModel {
    /// The circuit with another system, whose inputs and states must be the same.
    pub(crate) fn with_system(
        self,
        change: impl FnOnce(TransitionSystem) -> TransitionSystem,
    ) -> Self {
        AigerModel { system: change(self.system), ..self }
    }

    /// A circuit with further inputs and latches, with the literals that [`write`] gives it.
    pub(crate) fn extended(self, system: TransitionSystem) -> Self {
        let (literals, comment) = (Literals::Consecutive, Comment::default());
        AigerModel {
            system,
            encoding: self.encoding,
            literals,
            shared: Vec::new(),
            intervened: Vec::new(),
            comment,
        }
    }

    /// The literal of an input in the file.
    pub fn input_literal(&self, input: usize) -> u32 {
        match &self.literals {
            Literals::Consecutive => 2 * (input as u32 + 1),
            Literals::Listed { inputs, .. } => inputs[input],
        }
    }

    /// The literal of a latch in the file.
    pub fn latch_literal(&self, latch: usize) -> u32 {
        match &self.literals {
            Literals::Consecutive => 2 * ((self.system.inputs().len() + latch) as u32 + 1),
            Literals::Listed { latches, .. } => latches[latch],
        }
    }

    /// The comment section, without the line that opens it.
    pub fn comment(&self) -> &[u8] {
        &self.comment.text
    }
}

/// The literals of inputs and latches.
#[derive(Clone, Debug)]
enum Literals {
    /// As in every binary file: inputs from 2 on, then latches.
    Consecutive,
    Listed {
        inputs: Vec<u32>,
        latches: Vec<u32>,
    },
}

/// An input or a latch, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Port {
    Input(usize),
    Latch(usize),
}

/// A symbol that relates its port to a literal: `= literal` says that the port is that one of
/// another circuit, `< literal` that the literal has the port's value in a second state.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RelatedSymbol {
    port: Port,
    literal: u32,
    span: Range<usize>,
}

#[derive(Clone, Debug, Default)]
struct Comment {
    text: Vec<u8>,
    /// Where the text starts in the file.
    at: usize,
}
