//! BTOR [Brummayer, Biere, Lonsing: *BTOR: Bit-Precise Modelling of Word-Level
//! Problems for Model Checking*, BPR 2008]: tables 1 to 4 and section 5, with
//! the extensions `uext` and `sext` of Boolector.
//!
//! A `var` with a `next` is a register and starts at zero; an `array` with an
//! `anext` is a memory and starts at anything; those without are inputs, fresh
//! in every cycle. In a file with registers or memories, a root of one bit is a
//! bad state and a wider one an output. A file without them is a formula over
//! bit-vectors and arrays: every root is what Boolector would solve, and a wide
//! one stands for its being different from zero.

mod lower;
mod read;
mod write;

use std::collections::BTreeMap;

use elinvar_ir::{Named, TransitionSystem};

pub use read::{read, read_with};
pub use write::write;

/// A BTOR file.
#[derive(Clone, Debug)]
pub struct BtorModel {
    /// The system that the file describes.
    pub system: TransitionSystem,
    /// Has it neither registers nor memories?
    pub combinational: bool,
    /// All roots as they were written, in their order, of any width.
    pub roots: Vec<Named>,
    /// How often each operator occurs in the file.
    pub operators: BTreeMap<&'static str, usize>,
}
