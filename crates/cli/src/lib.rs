//! The command line of Elinvar, as a library: the binary and the Python package call [`main`].
//!
//! `main` → `dispatch` → exit code. One file per subcommand; each owns its options.
//! Verdicts and data go to standard output, everything else to standard error.
#![forbid(unsafe_code)]

mod check;
mod ci;
mod competition;
mod completions;
mod convert;
mod engine_options;
mod family;
mod html;
mod input;
mod interrupt;
mod invocation;
mod limits;
mod ltl;
mod manual;
mod maps;
mod method;
mod output;
mod pebble;
mod peterson;
mod program_options;
mod progress;
mod project;
mod report;
mod reuse;
mod run;
mod sby;
mod simulate;
mod stats;
mod store;
mod style;
mod terminal;
mod trace_options;
mod verify;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use elinvar::{Error, FileFault};

pub use method::Deciders;

/// A symbolic model checker that answers with evidence.
///
/// Reads transition systems in AIGER, BTOR, BTOR2 and the BASIC-like assembler,
/// and programs in Boogie, and decides whether a bad state can be reached or an
/// assertion can fail. The content of the file tells its format; `-` is standard
/// input. `-h` prints the most important options of a command, `--help` all.
#[derive(Parser)]
#[command(
    name = "elinvar",
    version,
    after_help = AFTER_HELP,
    max_term_width = 100,
    styles = style::HELP
)]
struct Cli {
    /// Whether to colour output: auto, always or never
    ///
    /// With auto, output is coloured on terminals unless NO_COLOR is set, and everywhere if
    /// CLICOLOR_FORCE is set.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    #[arg(hide_short_help = true, hide_possible_values = true, display_order = 900)]
    color: style::When,

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
  elinvar check soc.btor2 --store proofs            check only what has changed
  elinvar pebble adder.tfc                          the least number of pebbles
  sby --rIC3 \"elinvar sby\" fifo.sby                 as an engine of SymbiYosys
  elinvar MODEL CERT.sat CERT.unsat                 as competitions call it

Exit codes of check: 20 safe, 10 unsafe, 0 unknown, 2 user error, 3 internal error; with --ci: 0
proved, 1 fails, 2 undecided, 3 internal error, 4 user error.";

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Arguments>),
    Run(run::Arguments),
    /// Explain the verdicts on a model or a program: the same as check --explain
    ///
    /// All options of check apply, and the exit codes are the same.
    #[command(mut_arg("explain", |option| option.hide(true)))]
    Explain(Box<check::Arguments>),
    Verify(verify::Arguments),
    Simulate(simulate::Arguments),
    Convert(convert::Arguments),
    Pebble(pebble::Arguments),
    Peterson(peterson::Arguments),
    Sby(Box<sby::Arguments>),
    Stats(stats::Arguments),
    Store(store::Arguments),
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

/// Runs the command with these words, the first of which is the name of the program, and returns
/// the exit code. Only the words of the first call count: a process runs one command.
///
/// A wrong command line ends the process, as do `--help` and a second interrupt.
pub fn main(words: Vec<OsString>) -> u8 {
    invocation::set(words);
    output::report_file_limits();
    report_panics_below_progress();
    let code = catch_unwind(AssertUnwindSafe(|| match dispatch() {
        Ok(code) => code,
        Err(error) => complain(&error),
    }));
    // A panic has been reported by the runtime; it must not look like a verdict.
    code.unwrap_or_else(|_| {
        output::tell("This is a bug in Elinvar; no verdict is given. Please report it.");
        code::INTERNAL_ERROR
    })
}

fn dispatch() -> anyhow::Result<u8> {
    let words = || invocation::words().iter().cloned();
    if let Some(call) = competition::Call::recognise(words().skip(1))? {
        return competition::run(&call);
    }
    match parse(sby::normalise(words())).command {
        Command::Check(given) => check(given, false),
        Command::Explain(given) => check(given, true),
        Command::Run(arguments) => run::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Pebble(arguments) => pebble::run(&arguments),
        Command::Peterson(arguments) => peterson::run(&arguments),
        Command::Sby(arguments) => sby::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Store(arguments) => store::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => manual::run(&arguments),
    }
}

/// The report as `elinvar check` prints it, without colours.
pub fn text(report: &elinvar::Report) -> String {
    let text = report::render(report, false, false, &trace_options::TraceOptions::default());
    anstream::adapter::strip_str(&text).to_string()
}

/// Checks what the user names, or what the project's file names.
fn check(given: Box<check::Arguments>, explain: bool) -> anyhow::Result<u8> {
    let arguments = match given.has_model() {
        true => given,
        false => match check_of_project() {
            Ok(arguments) => arguments,
            Err(error) => return given.ci.refuse(error),
        },
    };
    check::run(&if explain { arguments.explaining() } else { *arguments })
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
    let mut words: Vec<OsString> = invocation::words().to_vec();
    // Options of the whole program may precede the command.
    let is_command = |word: &OsString| word == "check" || word == "explain";
    let command = words.iter().position(is_command).expect("the command was given");
    words.splice(command + 1..command + 1, project::words(&path)?);
    match parse(words).command {
        Command::Check(arguments) | Command::Explain(arguments) => Ok(arguments),
        _ => unreachable!("the command is the same"),
    }
}

/// Parses the command line; a wrong one ends the process, as does `--help`. Complaints about it
/// and all later output have the colours that it asks for.
fn parse(words: Vec<OsString>) -> Cli {
    let when = style::requested(words.iter().map(|word| word.to_string_lossy()));
    style::choose(when);
    let command = Cli::command().color(style::of_help(when));
    let parsed = command.try_get_matches_from(&words);
    parsed.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_or_else(|error| {
        // Nothing can be done if that fails.
        let _: std::io::Result<()> = error.print();
        let code = if error.use_stderr() { ci::usage_code(&words) } else { code::DONE };
        std::process::exit(code.into())
    })
}

/// Removes the line of progress before the report of a panic.
fn report_panics_below_progress() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        terminal::try_clear_line();
        report(panic);
    }));
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
    code_of(error)
}

/// The exit code of an error.
fn code_of(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>() {
        Some(Error::Bug(_)) => code::INTERNAL_ERROR,
        Some(Error::Stopped(_)) => code::STOPPED,
        _ => code::USER_ERROR,
    }
}
