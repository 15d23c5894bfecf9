//! `elinvar`: a symbolic model checker that answers with evidence.
//!
//! `main` → [`run`] → `ExitCode`. One file per subcommand; each owns its options.
//! Verdicts and data go to standard output, everything else to standard error.
#![forbid(unsafe_code)]

mod check;
mod competition;
mod completions;
mod convert;
mod engine_options;
mod family;
mod html;
mod input;
mod interrupt;
mod limits;
mod manual;
mod maps;
mod output;
mod pebble;
mod peterson;
mod program_options;
mod progress;
mod project;
mod report;
mod reuse;
mod sby;
mod simulate;
mod stats;
mod trace_options;
mod verify;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use elinvar::{Error, FileFault};

/// A symbolic model checker that answers with evidence.
///
/// Reads transition systems in AIGER, BTOR, BTOR2 and the BASIC-like assembler,
/// and programs in Boogie, and decides whether a bad state can be reached or an
/// assertion can fail. The content of the file tells its format; `-` is standard
/// input. `-h` prints the most important options of a command, `--help` all.
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
  sby --rIC3 \"elinvar sby\" fifo.sby                 as an engine of SymbiYosys
  elinvar MODEL CERT.sat CERT.unsat                 as competitions call it

Exit codes of check: 20 safe, 10 unsafe, 0 unknown, 2 user error, 3 internal error.";

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Arguments>),
    /// Explain the verdicts on a model or a program: the same as check --explain
    ///
    /// All options of check apply, and the exit codes are the same.
    Explain(Box<check::Arguments>),
    Verify(verify::Arguments),
    Simulate(simulate::Arguments),
    Convert(convert::Arguments),
    Pebble(pebble::Arguments),
    Peterson(peterson::Arguments),
    Sby(Box<sby::Arguments>),
    Stats(stats::Arguments),
    Completions(completions::Arguments),
    Man(manual::Arguments),
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
    match Cli::parse_from(sby::normalise(std::env::args_os())).command {
        Command::Check(arguments) if arguments.has_model() => check::run(&arguments),
        Command::Check(_) => check::run(&*check_of_project()?),
        Command::Explain(arguments) if arguments.has_model() => check::run(&arguments.explaining()),
        Command::Explain(_) => check::run(&check_of_project()?.explaining()),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Pebble(arguments) => pebble::run(&arguments),
        Command::Peterson(arguments) => peterson::run(&arguments),
        Command::Sby(arguments) => sby::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => manual::run(&arguments),
    }
}

/// The arguments of `check` with those of the project's file before the user's own.
fn check_of_project() -> anyhow::Result<Box<check::Arguments>> {
    let Some(path) = project::find() else {
        anyhow::bail!(
            "no model is given, and there is no {} here or in a folder above; try `elinvar check \
             --help`",
            project::NAME
        );
    };
    // The user's words are the name of the program, the command, and its options.
    let mut words: Vec<OsString> = std::env::args_os().take(2).collect();
    words.extend(project::words(&path)?);
    words.extend(std::env::args_os().skip(2));
    match Cli::parse_from(words).command {
        Command::Check(arguments) | Command::Explain(arguments) => Ok(arguments),
        _ => unreachable!("the command is the same"),
    }
}

/// Prints an error and returns its exit code.
fn complain(error: &anyhow::Error) -> u8 {
    let known = error.downcast_ref::<Error>();
    let fault = match known {
        Some(Error::Input(fault)) => Some(fault),
        _ => error.downcast_ref::<FileFault>(),
    };
    match fault {
        // It begins with its place, and its text is harmless.
        Some(fault) => output::tell(&fault.to_string()),
        None => output::tell(&output::harmless(&format!("error: {error:#}"))),
    }
    match known {
        Some(Error::Bug(_)) => code::INTERNAL_ERROR,
        Some(Error::Stopped(_)) => code::STOPPED,
        _ => code::USER_ERROR,
    }
}
