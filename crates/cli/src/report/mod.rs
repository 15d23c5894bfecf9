//! What a command prints about a run.

mod columns;
mod constants;
mod explanation;
mod memory;
mod pages;
mod properties;
mod substance;
pub mod table;
mod text;

use anyhow::Result;
use elinvar::ir::StopReason;
use elinvar::{Error, ProgramProblem, Report, Summary, WrittenFile};
use serde_json::json;

use crate::trace_options::TraceOptions;
use crate::{output, style, terminal};

pub use self::columns::flow;
pub use self::text::signals;

/// The report as it is asked for.
pub fn render(report: &Report, json: bool, quiet: bool, trace: &TraceOptions) -> String {
    if json {
        format!("{}\n", report.to_json())
    } else if quiet {
        let headline = output::harmless(&report.headline());
        format!("{}\n", style::headline(report.summary(), &headline))
    } else {
        text::render(report, &trace.view(), trace.look())
    }
}

/// The report of a run whose model was not read before a limit was reached.
pub fn unread(reason: &StopReason, files: &[WrittenFile], json: bool, quiet: bool) -> String {
    let word = style::headline(Summary::Unknown, Summary::Unknown.word());
    if json {
        let mut object = elinvar::json_header(Summary::Unknown, Some(reason.to_string()));
        object.insert("properties".to_owned(), json!([]));
        object.insert("files".to_owned(), elinvar::json_files(files));
        format!("{}\n", serde_json::Value::from(object))
    } else if quiet {
        format!("{word}\n")
    } else {
        let files: String = files.iter().map(|file| output::wrote(file) + "\n").collect();
        format!("{word}\nThe model was not read: {reason}.\n{files}")
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
        let tables = report.statistics.tables(report.checking);
        output::tell(&flow(tables.trim_end(), terminal::stderr_width()));
    }
    match report.bugs.first() {
        Some(bug) => Err(Error::Bug(bug.clone()).into()),
        None => Ok(report.summary().exit_code()),
    }
}
