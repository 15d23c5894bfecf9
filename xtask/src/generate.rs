//! Writes a model of a family to a file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use elinvar_engines::families::{fifo, fifo_with_bug, memclear_of};
use elinvar_formats::{btor, btor2};
use elinvar_ir::TransitionSystem;

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
    /// The file, in BTOR if it ends in `.btor`, else in BTOR2
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
}

pub fn run(options: &Options) -> ExitCode {
    match write(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn write(options: &Options) -> Result<(), String> {
    let system = system(options)?;
    let as_btor = options.output.extension().is_some_and(|ending| ending == "btor");
    let text = if as_btor { btor::write(&system) } else { btor2::write(&system) };
    let text = text.map_err(|error| error.to_string())?;
    std::fs::write(&options.output, text)
        .map_err(|error| format!("cannot write {}: {error}", options.output.display()))
}

fn system(options: &Options) -> Result<TransitionSystem, String> {
    let Options { width, depth, address, .. } = *options;
    match options.family {
        Family::Fifo => fifo(width, depth).map_err(|error| error.to_string()),
        Family::FifoBug => fifo_with_bug(width, depth).map_err(|error| error.to_string()),
        Family::Memclear => memclear_of(address, width).map_err(|error| error.to_string()),
    }
}
