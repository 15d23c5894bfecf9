//! Golden files for the errors of readers.
//!
//! `tests/errors` has a file per reader, with records that are separated by empty lines. A
//! record is an input that the reader refuses. The line below the faulty one marks the place
//! and gives the message:
//!
//! ```text
//! n 0 a
//! n 0 b
//!   ^ vertex 0 is declared twice
//! ```
//!
//! A marker `<end>` stands for the end of the input. `GOLDEN=overwrite cargo test` writes the
//! messages of the present readers.

use std::fmt::Debug;
use std::path::Path;

use crate::Diagnostic;

/// Compares the errors of a reader with those in a file of `tests/errors`.
pub(crate) fn check<T: Debug>(name: &str, read: impl Fn(&[u8]) -> Result<T, Diagnostic>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors").join(name);
    let expected = std::fs::read_to_string(&path).expect("a golden file");
    let records = expected.trim_end().split("\n\n").map(|record| {
        let source: String = record
            .lines()
            .filter(|line| !is_marker(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let error = read(source.as_bytes()).expect_err(&source);
        annotate(&source, &error)
    });
    let found = records.collect::<Vec<String>>().join("\n");
    if std::env::var_os("GOLDEN").is_some_and(|how| how == "overwrite") {
        std::fs::write(&path, found).expect("a writable golden file");
    } else {
        assert_eq!(found, expected, "{name}");
    }
}

fn is_marker(line: &str) -> bool {
    line.trim_start().starts_with('^') || line.starts_with("<end>")
}

fn annotate(source: &str, error: &Diagnostic) -> String {
    if error.span.start >= source.len() {
        return format!("{source}<end> {error}\n");
    }
    let at = error.position(source.as_bytes());
    let mut text = String::new();
    for (index, line) in source.lines().enumerate() {
        text += &format!("{line}\n");
        if index + 1 == at.line {
            let before = line[..at.column - 1].chars().count();
            let inside = error.span.len().min(line.len() + 1 - at.column);
            let marks = line[at.column - 1..][..inside].chars().count().max(1);
            text += &format!("{}{} {error}\n", " ".repeat(before), "^".repeat(marks));
        }
    }
    text
}
