//! Writes a model of a family to a file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use elinvar_formats::aiger::{self, Encoding};
use elinvar_formats::{btor, btor2};
use elinvar_ir::TransitionSystem;
use elinvar_models::families::{
    arbiters, arbiters_with_bug, chip_edited, counters, fifo, fifo_with_bug, memclear_of, ring,
    ring_with_bug, shift_parity, shift_parity_with_bug,
};
use elinvar_transform::bitblast;
use experiments::harness::{self, finish};

/// Memories up to so many bits are expanded for AIGER.
const MEMORY_LIMIT: u64 = 1 << 16;

#[derive(Args)]
pub struct Options {
    family: Family,
    /// Bits of an element
    #[arg(long, default_value_t = 32)]
    width: u32,
    /// Elements of a FIFO, a power of two
    #[arg(long, default_value_t = 32)]
    depth: u32,
    /// Bits of an address of memclear
    #[arg(long, default_value_t = 32)]
    address: u32,
    /// Stages of shift-parity, digits of counters, stations of ring and arbiters, units of chip
    #[arg(long, default_value_t = 16)]
    size: u32,
    /// Edit every Nth unit of chip; 0 edits none
    #[arg(long, default_value_t = 0)]
    edited: u32,
    /// The file, in BTOR if it ends in `.btor`, in AIGER if in `.aig` or `.aag`, else
    /// in BTOR2
    #[arg(short, long)]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Family {
    /// Two FIFOs that agree
    Fifo,
    /// Two FIFOs of which one notices too late that it is full
    FifoBug,
    /// The function that clears a region of memory
    Memclear,
    /// A shift register of words with their parity
    ShiftParity,
    /// A shift register into which words with a wrong parity may come
    ShiftParityBug,
    /// Decimal counters in a chain
    Counters,
    /// A ring of stations that pass a token on
    Ring,
    /// A ring whose last station keeps the token, too
    RingBug,
    /// A ring of arbiters in which every request is granted, under fairness
    Arbiters,
    /// A ring of arbiters in which a request may starve
    ArbitersBug,
    /// A design of many units with ten properties each
    Chip,
}

pub fn run(options: &Options) -> ExitCode {
    finish(write(options).map(|()| true))
}

fn write(options: &Options) -> Result<(), String> {
    let system = system(options)?;
    let ending = options.output.extension().and_then(|ending| ending.to_str());
    let text = match ending {
        Some("btor") => btor::write(&system).map_err(|error| error.to_string())?,
        Some("aig") => aiger(&system, Encoding::Binary)?,
        Some("aag") => aiger(&system, Encoding::Ascii)?,
        Some(_) | None => btor2::write(&system).map_err(|error| error.to_string())?,
    };
    harness::write(&options.output, text)
}

/// The system as a circuit.
pub fn aiger(system: &TransitionSystem, encoding: Encoding) -> Result<Vec<u8>, String> {
    let (bits, _) = bitblast(system, MEMORY_LIMIT).map_err(|error| error.to_string())?;
    aiger::write(&bits, encoding).map_err(|error| error.to_string())
}

fn system(options: &Options) -> Result<TransitionSystem, String> {
    let Options { width, depth, address, size, .. } = *options;
    let built = match options.family {
        Family::Fifo => return fifo(width, depth).map_err(|error| error.to_string()),
        Family::FifoBug => return fifo_with_bug(width, depth).map_err(|error| error.to_string()),
        Family::Memclear => return memclear_of(address, width).map_err(|error| error.to_string()),
        Family::ShiftParity => shift_parity(size),
        Family::ShiftParityBug => shift_parity_with_bug(size),
        Family::Counters => counters(size),
        Family::Ring => ring(size),
        Family::RingBug => ring_with_bug(size),
        Family::Arbiters => arbiters(size),
        Family::ArbitersBug => arbiters_with_bug(size),
        Family::Chip => chip_edited(size, options.edited),
    };
    built.map_err(|error| error.to_string())
}
