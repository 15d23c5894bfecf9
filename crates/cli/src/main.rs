//! `elinvar`: a symbolic model checker that answers with evidence.
//!
//! `main` → [`run`] → `ExitCode`. One file a subcommand; each owns its options.
//! Verdicts and data go to standard output, everything else to standard error.
#![forbid(unsafe_code)]

mod check;
mod competition;
mod completions;
mod convert;
mod engine_options;
mod evidence;
mod failure;
mod family;
mod interrupt;
mod load;
mod merged;
mod output;
mod paths;
mod pebble;
mod peterson;
mod program;
mod progress;
mod proof;
mod properties;
mod report;
mod session;
mod simulate;
mod stats;
mod supervisor;
mod verify;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Bug, FileFault, Stopped};

/// A symbolic model checker that answers with evidence.
///
/// Reads transition systems in AIGER, BTOR, BTOR2 and the BASIC-like assembler,
/// and programs in Boogie, and decides whether a bad state can be reached, or an
/// assertion fails. The format is told by the content of the file; `-` is
/// standard input.
#[derive(Parser)]
#[command(name = "elinvar", version, after_help = AFTER_HELP, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar check counter.aag                         decide all properties
  elinvar check fifo.btor2 --witness w.txt          keep the counterexample
  elinvar verify fifo.btor2 w.txt                   check it again, independently
  elinvar check counter.aag --json                  for scripts
  elinvar check sort.bpl                            decide the assertions of a program
  elinvar convert fifo.btor2 -o fifo.aig            words to bits
  elinvar simulate fifo.btor2 --cycles 20 --seed 1  random stimulus
  elinvar check fifo.btor2 --reuse fifo.elv --save fifo.elv  begin with the last proof
  elinvar pebble adder.tfc                          the least number of pebbles
  elinvar MODEL CERT.sat CERT.unsat                 as competitions call it

Exit codes of check: 20 safe, 10 unsafe, 0 unknown, 2 user error, 3 internal error.";

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Arguments>),
    Verify(verify::Arguments),
    Simulate(simulate::Arguments),
    Convert(convert::Arguments),
    Pebble(pebble::Arguments),
    Peterson(peterson::Arguments),
    Stats(stats::Arguments),
    Completions(completions::Arguments),
}

/// The exit codes besides those of a verdict.
mod code {
    pub const DONE: u8 = 0;
    pub const REFUSED: u8 = 1;
    pub const USER_ERROR: u8 = 2;
    pub const INTERNAL_ERROR: u8 = 3;
    /// A limit was reached before the work was done.
    pub const STOPPED: u8 = 4;
}

fn main() -> ExitCode {
    output::report_file_limits();
    let code = catch_unwind(AssertUnwindSafe(|| match run() {
        Ok(code) => code,
        Err(error) => complain(&error),
    }));
    // A panic has been reported by the runtime; it must not look like a verdict.
    ExitCode::from(code.unwrap_or_else(|_| {
        output::tell("This is a bug in Elinvar; no verdict is given. Please report it.");
        code::INTERNAL_ERROR
    }))
}

fn run() -> anyhow::Result<u8> {
    if let Some(call) = competition::Call::recognise(std::env::args_os().skip(1))? {
        return competition::run(&call);
    }
    match Cli::parse().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Pebble(arguments) => pebble::run(&arguments),
        Command::Peterson(arguments) => peterson::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}

/// Shows an error and gives its exit code.
fn complain(error: &anyhow::Error) -> u8 {
    if let Some(fault) = error.downcast_ref::<FileFault>() {
        output::tell(&fault.to_string());
        return code::USER_ERROR;
    }
    output::tell(&output::harmless(&format!("error: {error:#}")));
    if error.is::<Bug>() {
        code::INTERNAL_ERROR
    } else if error.is::<Stopped>() {
        code::STOPPED
    } else {
        code::USER_ERROR
    }
}
