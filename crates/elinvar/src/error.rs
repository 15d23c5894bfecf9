//! What can go wrong, and how faults of input files are shown.

use std::fmt;
use std::path::{Path, PathBuf};

use elinvar_formats::Diagnostic;
use elinvar_formats::names::{escape, is_harmful};
use elinvar_ir::StopReason;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An input file is wrong at a certain place.
    #[error(transparent)]
    Input(#[from] FileFault),
    /// A file cannot be read or written.
    #[error("{context}: {cause}")]
    File {
        /// What was tried, such as `cannot read model.aag`.
        context: String,
        /// What the system answered.
        cause: std::io::Error,
    },
    /// The question does not fit the problem, or options do not fit each other.
    #[error("{0}")]
    Usage(String),
    /// A solver that is needed is missing.
    #[error("{0}")]
    NoSolver(String),
    /// A limit was reached before there was anything to report.
    #[error("{0}")]
    Stopped(StopReason),
    /// Elinvar contradicts itself: for example, its checker refused the evidence of an
    /// engine.
    #[error("{0}\nThis is a bug in Elinvar; no verdict is given. Please report it.")]
    Bug(String),
}

impl Error {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Error::Usage(message.into())
    }

    pub(crate) fn reading(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let context = format!("cannot read {}", escape(&path.to_string_lossy()));
        move |cause| Error::File { context, cause }
    }
}

/// A fault in an input file, with the line that it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileFault {
    /// The name of the file.
    pub file: PathBuf,
    /// The line and the column in bytes, both from 1; nothing if the whole file is wrong.
    pub position: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    snippet: Option<String>,
}

/// The longest part of a source line that is shown.
const SNIPPET: usize = 96;

impl FileFault {
    /// The place of a diagnostic in the text of a file.
    ///
    /// ```
    /// use elinvar::formats::Diagnostic;
    /// let fault = elinvar::FileFault::new("m.aag", b"aag\n", &Diagnostic::new("too short", 0..3));
    /// assert_eq!(fault.position, Some((1, 1)));
    /// ```
    pub fn new(file: &str, source: &[u8], diagnostic: &Diagnostic) -> Self {
        let at = diagnostic.position(source);
        let is_place = !diagnostic.whole_file;
        FileFault {
            file: file.into(),
            position: is_place.then_some((at.line, at.column)),
            message: escape(&diagnostic.message).into_owned(),
            help: diagnostic.help.clone(),
            snippet: if is_place { snippet(source, diagnostic) } else { None },
        }
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.to_string_lossy();
        match self.position {
            Some((line, column)) => write!(f, "{}:{line}:{column}: ", escape(&file))?,
            None => write!(f, "{}: ", escape(&file))?,
        }
        write!(f, "error: {}", self.message)?;
        if let Some(snippet) = &self.snippet {
            write!(f, "\n{snippet}")?;
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FileFault {}

/// The line of the fault with a marker beneath the faulty part, or nothing
/// when the line is not text.
fn snippet(source: &[u8], diagnostic: &Diagnostic) -> Option<String> {
    let at = diagnostic.position(source);
    let start = diagnostic.span.start.min(source.len()) - (at.column - 1);
    let rest = &source[start..];
    let line = &rest[..rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())];
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let column = at.column - 1;
    if line.is_empty() || line.contains(|c: char| is_harmful(c) && c != '\t') {
        return None;
    }
    // A window around the fault, cut at characters.
    let mut from = column.min(line.len()).saturating_sub(SNIPPET / 2);
    while !line.is_char_boundary(from) {
        from -= 1;
    }
    let shown: String = line[from..].chars().take(SNIPPET).collect();
    let prefix = if from > 0 { "…" } else { "" };
    let suffix = if from + shown.len() < line.len() { "…" } else { "" };
    let inside = |offset: usize| offset.saturating_sub(from).min(shown.len());
    let width_of = |end: usize| shown.char_indices().take_while(|(i, _)| *i < end).count();
    let before = width_of(inside(column)) + prefix.chars().count();
    let length = diagnostic.span.len().min(line.len().saturating_sub(column));
    let marks = (width_of(inside(column + length)) + prefix.chars().count()).saturating_sub(before);
    let number = at.line.to_string();
    let gutter = " ".repeat(number.len());
    let shown = shown.replace('\t', " ");
    let marker = format!("{}{}", " ".repeat(before), "^".repeat(marks.max(1)));
    Some(format!("{number} | {prefix}{shown}{suffix}\n{gutter} | {marker}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &[u8], span: std::ops::Range<usize>) -> String {
        FileFault::new("f", source, &Diagnostic::new("m", span)).to_string()
    }

    #[test]
    fn faults_show_their_line() {
        assert_eq!(shown(b"ab\ncd ef\n", 6..8), "f:2:4: error: m\n2 | cd ef\n  |    ^^");
        let help = Diagnostic::new("m", 0..1).with_help("h");
        let fault = FileFault::new("f", b"x", &help).to_string();
        assert_eq!(fault, "f:1:1: error: m\n1 | x\n  | ^\n  help: h");
    }

    #[test]
    fn odd_places_are_shown_without_panic() {
        assert_eq!(shown(b"", 0..0), "f:1:1: error: m");
        assert_eq!(shown(b"a\n", 2..2), "f:2:1: error: m");
        assert_eq!(shown(b"ab", 2..2), "f:1:3: error: m\n1 | ab\n  |   ^");
        assert_eq!(shown(b"a\xff", 1..2), "f:1:2: error: m");
        assert_eq!(shown("äöü x".as_bytes(), 7..8), "f:1:8: error: m\n1 | äöü x\n  |     ^");
        // A span may begin inside a character.
        shown("äöü".as_bytes(), 3..4);
    }

    #[test]
    fn long_lines_are_cut_around_the_fault() {
        let line = "x".repeat(1000);
        let text = shown(line.as_bytes(), 500..501);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("1 | …x") && lines[1].ends_with("x…"), "{text}");
        assert_eq!(lines[2].find('^'), Some(4 + 1 + SNIPPET / 2));
    }
}
