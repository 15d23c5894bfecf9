//! BTOR2 [Niemetz, Preiner, Wolf, Biere: *Btor2, BtorMC and Boolector 3.0*,
//! CAV 2018]: word-level models and their witnesses.
//!
//! The whole language is read. As in btor2tools, line numbers ascend, and an
//! initial value stands before its state and depends on no input, so that
//! initial values never depend on themselves. Beyond btor2tools, tabs and
//! comments may stand anywhere between words. Limits: arrays of arrays are
//! refused.

mod assertions;
mod initial;
mod read;
mod witness;
mod write;

use std::collections::BTreeMap;

use elinvar_ir::TransitionSystem;

pub use read::{read, read_with};
pub use witness::{read_witness, write_witness};
pub use write::write;

/// A BTOR2 file.
#[derive(Clone, Debug)]
pub struct Btor2Model {
    /// The system that the file describes.
    pub system: TransitionSystem,
    /// How often each operator occurs in the file.
    pub operators: BTreeMap<&'static str, usize>,
}

/// The first word of a comment on an input that is a clock.
const CLOCK: &str = "clock";

/// The first word of a comment on a bad property that is a cover statement.
const COVER: &str = "cover";

/// The name of a bad property without a symbol, by its number among these.
fn default_bad_name(number: usize) -> String {
    format!("bad{number}")
}

/// The name of a justice property without a symbol, by its number among these.
fn default_justice_name(number: usize) -> String {
    format!("justice{number}")
}

/// The name of an output without a symbol, by its number.
fn default_output_name(number: usize) -> String {
    format!("output{number}")
}
