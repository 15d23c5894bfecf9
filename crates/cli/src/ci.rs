//! `--ci`, `--junit` and `--sarif`: exit codes and files for continuous integration.

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Result;
use elinvar::ci::{Invocation, Notice, Outcome, junit, sarif};
use elinvar::ir::StopReason;
use elinvar::{Error, FileFault, Location, Report, Summary, WrittenFile};

use crate::{code, invocation, output};

/// The exit codes with `--ci`, besides that of an internal error.
mod verdict {
    pub const PROVED: u8 = 0;
    pub const FAILS: u8 = 1;
    pub const UNDECIDED: u8 = 2;
    pub const USER_ERROR: u8 = 4;
}

/// Makes the text of a file.
type Format = fn(&Invocation, Outcome<'_>) -> String;

/// Exit codes and files for continuous integration.
#[derive(clap::Args, Default)]
pub struct CiOptions {
    /// Exit with 0 only if everything is proved, and not vacuously (--strict)
    ///
    /// 0: every assertion is proved and every cover statement is reached. 1: an assertion fails or
    /// a cover statement is unreachable. 2: something is undecided, or a proof is vacuous. 3:
    /// internal error. 4: user error, such as a wrong option, a missing file or a fault in the
    /// model.
    #[arg(long, help_heading = "Continuous integration")]
    pub ci: bool,

    /// Write the verdicts as test results in JUnit's XML
    ///
    /// There is one test suite with a test case for each property. An undecided property is an
    /// error; a vacuous proof is a failure with --ci or --strict. The file is also written when a
    /// limit is reached and when the model cannot be read.
    #[arg(long, value_name = "FILE", help_heading = "Continuous integration")]
    junit: Option<PathBuf>,

    /// Write what fails, is undecided or is vacuous in SARIF 2.1.0, for code scanning
    ///
    /// Results have places and traces. The file is also written when a limit is reached and when
    /// the model cannot be read.
    #[arg(long, value_name = "FILE", help_heading = "Continuous integration")]
    sarif: Option<PathBuf>,
}

impl CiOptions {
    /// The files to write.
    pub fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.formats().map(|(_, path, _)| path)
    }

    /// The files to write, with the names of their formats and the functions that make them.
    fn formats(&self) -> impl Iterator<Item = (&'static str, &PathBuf, Format)> {
        let formats: [(_, _, Format); 2] =
            [("junit", &self.junit, junit), ("sarif", &self.sarif, sarif)];
        formats.into_iter().filter_map(|(kind, path, format)| Some((kind, path.as_ref()?, format)))
    }

    /// The first of the options that was given.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--ci", self.ci),
            ("--junit", self.junit.is_some()),
            ("--sarif", self.sarif.is_some()),
        ];
        options.into_iter().find(|&(_, given)| given).map(|(name, _)| name)
    }

    /// Prints an error; with `--ci` its exit code cannot be taken for a verdict.
    pub fn refuse(&self, error: anyhow::Error) -> Result<u8> {
        if self.ci { Ok(error_code(crate::complain(&error))) } else { Err(error) }
    }

    /// The exit code of a verdict.
    pub fn code(&self, report: &Report, strict: bool) -> u8 {
        let summary = match report.summary() {
            Summary::Safe | Summary::Reached if strict && !report.is_substantial() => {
                Summary::Unknown
            }
            summary => summary,
        };
        self.summary_code(summary)
    }

    /// The exit code of a verdict in one word.
    pub fn summary_code(&self, summary: Summary) -> u8 {
        if !self.ci {
            return summary.exit_code();
        }
        match summary {
            Summary::Safe | Summary::Reached => verdict::PROVED,
            Summary::Unsafe | Summary::Unreachable => verdict::FAILS,
            Summary::Unknown => verdict::UNDECIDED,
        }
    }
}

/// The exit code of a wrong command line.
pub fn usage_code<W: AsRef<OsStr>>(words: &[W]) -> u8 {
    match words.iter().any(|word| word.as_ref() == "--ci") {
        true => error_code(code::USER_ERROR),
        false => code::USER_ERROR,
    }
}

/// The exit code of an error with `--ci`, where 2 means undecided.
fn error_code(code: u8) -> u8 {
    if code == code::USER_ERROR { verdict::USER_ERROR } else { code }
}

/// A run of `check`, which writes the files for continuous integration however it ends.
pub struct Run<'a> {
    options: &'a CiOptions,
    strict: bool,
    models: &'a [String],
    start: SystemTime,
    state: Cell<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is not known yet whether the files may be written.
    Unsure,
    /// The files may be written.
    Ready,
    /// The files have been written.
    Written,
}

impl<'a> Run<'a> {
    /// Starts the clock.
    pub fn start(options: &'a CiOptions, strict: bool, models: &'a [String]) -> Self {
        Run { options, strict, models, start: SystemTime::now(), state: Cell::new(State::Unsure) }
    }

    /// The files are neither inputs nor other outputs, so they may be written from now on.
    pub fn allow_files(&self) {
        self.state.set(State::Ready);
    }

    /// Writes the files about a report and notes them in it. `failure` is an error that does not
    /// change the verdicts, such as a file that could not be written.
    pub fn report(&self, report: &mut Report, failure: Option<&anyhow::Error>) -> Result<()> {
        let mut notices: Vec<Notice> = report.bugs.iter().map(Notice::error).collect();
        notices.extend(report.warnings.iter().map(Notice::warning));
        notices.extend(failure.map(notice));
        let code = match (report.bugs.is_empty(), failure) {
            (false, _) => code::INTERNAL_ERROR,
            (true, Some(_)) if self.options.ci => verdict::USER_ERROR,
            (true, Some(_)) => code::USER_ERROR,
            (true, None) => self.options.code(report, self.strict),
        };
        let written = self.write(Outcome::Checked(report), notices, code)?;
        report.files.extend(written);
        Ok(())
    }

    /// Writes the files about a run whose model was not read before a limit was reached.
    pub fn unread(&self, reason: &StopReason) -> Result<Vec<WrittenFile>> {
        let code = self.options.summary_code(Summary::Unknown);
        self.write(Outcome::Unread(&reason.to_string()), Vec::new(), code)
    }

    /// Writes the files about an error, if there are none about the run yet, and returns its exit
    /// code or the error.
    pub fn fail(&self, error: anyhow::Error) -> Result<u8> {
        let code = crate::code_of(&error);
        let code = if self.options.ci { error_code(code) } else { code };
        if let Err(other) = self.write(Outcome::Failed, vec![notice(&error)], code) {
            output::tell(&output::harmless(&format!("error: {other:#}")));
        }
        self.options.refuse(error)
    }

    fn write(
        &self,
        outcome: Outcome<'_>,
        notices: Vec<Notice>,
        exit_code: u8,
    ) -> Result<Vec<WrittenFile>> {
        if self.state.get() != State::Ready {
            return Ok(Vec::new());
        }
        self.state.set(State::Written);
        let invocation = Invocation {
            words: invocation::texts().collect(),
            models: self.models.to_vec(),
            folder: std::env::current_dir().unwrap_or_default(),
            start: self.start,
            end: SystemTime::now(),
            exit_code,
            strict: self.strict,
            notices,
        };
        let mut written = Vec::new();
        for (kind, path, format) in self.options.formats() {
            output::write(path, format(&invocation, outcome).as_bytes())?;
            if !output::is_stdout(path) {
                written.push(WrittenFile { kind, path: path.clone() });
            }
        }
        Ok(written)
    }
}

/// A panic is an error like any other for those who read the files.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let notice = Notice::error("Elinvar panicked; this is a bug. No verdict is given.");
            // The panic has been reported; a file that cannot be written changes nothing.
            drop(self.write(Outcome::Failed, vec![notice], code::INTERNAL_ERROR));
        }
    }
}

fn notice(error: &anyhow::Error) -> Notice {
    let fault = match error.downcast_ref::<Error>() {
        Some(Error::Input(fault)) => Some(fault),
        Some(_) | None => error.downcast_ref::<FileFault>(),
    };
    match fault {
        Some(FileFault { file, position, message, help, .. }) => Notice {
            is_error: true,
            message: match help {
                Some(help) => format!("{message}; {help}"),
                None => message.clone(),
            },
            location: position.map(|(line, column)| Location {
                file: file.to_string_lossy().into_owned(),
                line,
                column: Some(column),
                text: None,
            }),
        },
        None => Notice::error(format!("{error:#}")),
    }
}
