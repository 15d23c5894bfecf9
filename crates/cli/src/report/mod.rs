//! What a command prints about a run.

mod explanation;
mod memory;
mod substance;
pub mod table;
mod text;

use anyhow::Result;
use elinvar::ir::StopReason;
use elinvar::{Error, ProgramProblem, Report, Summary};
use serde_json::json;

use crate::output;
use crate::trace_options::TraceOptions;

pub use self::text::signals;

/// The report as it is asked for.
pub fn render(report: &Report, json: bool, quiet: bool, trace: &TraceOptions) -> String {
    if json {
        format!("{}\n", report.to_json())
    } else if quiet {
        format!("{}\n", output::harmless(&report.headline()))
    } else {
        text::render(report, &trace.view(), trace.look())
    }
}

/// The report of a run whose model was not read before a limit was reached.
pub fn unread(reason: &StopReason, json: bool, quiet: bool) -> String {
    let word = Summary::Unknown.word();
    if json {
        let mut object = elinvar::json_header(Summary::Unknown, Some(reason.to_string()));
        object.insert("properties".to_owned(), json!([]));
        format!("{}\n", serde_json::Value::from(object))
    } else if quiet {
        format!("{word}\n")
    } else {
        format!("{word}\nThe model was not read: {reason}.\n")
    }
}

/// Prints what the user should know about a program although it is not an error.
pub fn print_notes(program: &ProgramProblem) {
    for note in &program.reading().notes {
        let place = program.source().place(note.span.start);
        output::tell(&output::harmless(&format!("{place}: note: {}", note.message)));
    }
}

/// Prints warnings and statistics, and returns the exit code.
///
/// # Errors
/// If the run met a bug.
pub fn finish(report: &Report, stats: bool) -> Result<u8> {
    for warning in &report.warnings {
        output::tell(&format!("warning: {}", output::harmless(warning)));
    }
    if stats {
        output::tell(report.statistics.tables(report.checking).trim_end());
    }
    match report.bugs.first() {
        Some(bug) => Err(Error::Bug(bug.clone()).into()),
        None => Ok(report.summary().exit_code()),
    }
}

/// The exit code where vacuous proofs do not count.
pub fn strict_code(report: &Report, code: u8) -> u8 {
    match report.summary() {
        Summary::Safe | Summary::Reached if !report.is_substantial() => {
            Summary::Unknown.exit_code()
        }
        Summary::Safe
        | Summary::Reached
        | Summary::Unsafe
        | Summary::Unreachable
        | Summary::Unknown => code,
    }
}
