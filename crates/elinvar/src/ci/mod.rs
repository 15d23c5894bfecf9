//! Reports for continuous integration: test results in JUnit's XML and findings in SARIF.
//!
//! Both are made from a [`Report`] and an [`Invocation`], which says how the run was started and
//! how it ended. They can also describe a run without a report, because a limit was reached
//! before the model was read or because of an error, so that a server that collects the files
//! never shows the results of an earlier run.

pub(crate) mod junit;
pub(crate) mod sarif;
mod steps;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::report::{Location, PropertyReport, Report, Summary};

pub use junit::junit;
pub use sarif::sarif;

/// How a run was started and how it ended.
///
/// ```
/// use std::time::SystemTime;
/// use elinvar::ci::{Invocation, Outcome, junit, sarif};
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let invocation = Invocation {
///     words: vec!["elinvar".to_owned(), "check".to_owned(), "toggle.aag".to_owned()],
///     models: vec!["toggle.aag".to_owned()],
///     folder: "/home/me/project".into(),
///     start: SystemTime::UNIX_EPOCH,
///     end: SystemTime::UNIX_EPOCH,
///     exit_code: 10,
///     strict: false,
///     notices: Vec::new(),
/// };
/// assert!(junit(&invocation, Outcome::Checked(&report)).contains("failures=\"1\""));
/// assert!(sarif(&invocation, Outcome::Checked(&report)).contains("\"assertion-fails\""));
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The words of the command line, the first of which is the program.
    pub words: Vec<String>,
    /// The working directory, which relative names of files refer to. In reports, files are
    /// relative to the root of the repository that contains it.
    pub folder: PathBuf,
    /// The files that were checked.
    pub models: Vec<String>,
    /// When the run started.
    pub start: SystemTime,
    /// When it ended.
    pub end: SystemTime,
    /// The exit code of the process.
    pub exit_code: u8,
    /// Are vacuous proofs failures?
    pub strict: bool,
    /// What went wrong, apart from the verdicts.
    pub notices: Vec<Notice>,
}

/// Something that went wrong in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Is it an error? Otherwise it is a warning.
    pub is_error: bool,
    /// What went wrong.
    pub message: String,
    /// Where it went wrong, if it is about a place in a file.
    pub location: Option<Location>,
}

impl Notice {
    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Notice { is_error: false, message: message.into(), location: None }
    }

    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Notice { is_error: true, ..Notice::warning(message) }
    }
}

/// What a run found out.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// There is a report.
    Checked(&'a Report),
    /// A limit was reached before the model was read, for this reason.
    Unread(&'a str),
    /// There is no report because of an error, which is one of the notices.
    Failed,
}

impl Invocation {
    /// How long the run took.
    fn time(&self) -> Duration {
        self.end.duration_since(self.start).unwrap_or_default()
    }

    /// The files that were checked, as one name.
    fn name(&self) -> String {
        self.models.join(" ")
    }
}

/// What a server is told about a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finding {
    /// It is as the user hopes.
    Passed,
    /// It is as the user hopes, with a remark.
    Remark,
    Fails,
    Unreachable,
    Undecided,
    Vacuous,
}

fn finding(report: &Report, property: &PropertyReport) -> Finding {
    match property.summary() {
        Summary::Unsafe => Finding::Fails,
        Summary::Unreachable => Finding::Unreachable,
        Summary::Unknown => Finding::Undecided,
        Summary::Safe | Summary::Reached => match (report.doubt(property), &property.vacuity) {
            (Some(_), _) => Finding::Vacuous,
            (None, Some(_)) => Finding::Remark,
            (None, None) => Finding::Passed,
        },
    }
}
