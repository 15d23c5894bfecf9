//! What Yosys and its front ends say, as faults and warnings with their places.

use std::path::Path;

use elinvar_formats::Diagnostic;
use elinvar_formats::names::escape;

use crate::error::{Error, FileFault};

/// The help for syntax that only the slang front end reads.
const ASSERTIONS: &str = "Yosys's own front end reads immediate assertions only, such as \
                          `always @(posedge clk) assert (x);`; concurrent ones (`assert property`) \
                          need the slang plugin (--frontend slang)";

/// The help for labels in generate loops, which Yosys 0.23 takes for one cell.
const LABELS: &str = "this version of Yosys does not accept a label on a statement in a generate \
                      loop: leave the label out, or use a newer version";

/// The first error of a run that failed.
pub(super) fn fault(text: &str) -> Error {
    let message = text.lines().find_map(Message::error);
    let Some(message) = message else {
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
        return Error::Usage(format!("Yosys failed: {}", escape(last.trim())));
    };
    if message.text.starts_with("No top module found") {
        return Error::usage(
            "Yosys finds no top module, or nothing in it; --top names the module to check",
        );
    }
    let source = message.place.and_then(|(file, ..)| std::fs::read(file).ok());
    let (Some((file, line, column)), Some(source)) = (message.place, source) else {
        let place = match message.place {
            Some((file, line, _)) => format!("{}:{line}: ", escape(file)),
            None => String::new(),
        };
        return Error::Usage(format!("{place}Yosys: {}", escape(message.text)));
    };
    let span = span(&source, line, column);
    let diagnostic = Diagnostic::new(format!("Yosys: {}", message.text), span.clone());
    let is_property = source[span].windows(8).any(|word| word == b"property");
    let diagnostic = if is_property && message.text.contains("syntax error") {
        diagnostic.with_help(ASSERTIONS)
    } else if message.text.starts_with("Cannot add procedural assertion") {
        diagnostic.with_help(LABELS)
    } else {
        diagnostic
    };
    Error::Input(FileFault::new(file, &source, &diagnostic))
}

/// The warnings of a run, each once.
pub(super) fn warnings(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(message) = Message::warning(line) else { continue };
        let place = message.place.filter(|(file, ..)| !is_ours(file));
        let place = place.map_or_else(String::new, |(file, line, _)| format!("{file}:{line}: "));
        let warning = escape(&format!("{place}{}", message.text)).into_owned();
        if !found.contains(&warning) {
            found.push(warning);
        }
    }
    found
}

fn is_ours(file: &str) -> bool {
    Path::new(file).file_name().is_some_and(|name| name == super::script::MAP)
}

/// A line of the log that says something about a place.
struct Message<'a> {
    /// The file, the line and the column, if there is one.
    place: Option<(&'a str, usize, Option<usize>)>,
    text: &'a str,
}

impl<'a> Message<'a> {
    /// `ERROR: …`, `file:3: ERROR: …` or, from slang, `file:3:5: error: …`.
    fn error(line: &'a str) -> Option<Self> {
        Self::with_word(line, "ERROR: ").or_else(|| Self::with_word(line, "error: "))
    }

    fn warning(line: &'a str) -> Option<Self> {
        Self::with_word(line, "Warning: ").or_else(|| Self::with_word(line, "warning: "))
    }

    fn with_word(line: &'a str, word: &str) -> Option<Self> {
        let at = line.find(word)?;
        let (before, text) = (line[..at].trim(), line[at + word.len()..].trim());
        if before.is_empty() {
            return Some(Message { place: None, text });
        }
        let place = place(before.strip_suffix(':')?)?;
        Some(Message { place: Some(place), text })
    }
}

/// `file:3` or `file:3:5`.
fn place(text: &str) -> Option<(&str, usize, Option<usize>)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some((file, line, Some(last))),
        None => Some((rest, last, None)),
    }
}

/// The bytes of the line from the column on; without one, from its first word on.
fn span(source: &[u8], line: usize, column: Option<usize>) -> std::ops::Range<usize> {
    let mut start = 0;
    for _ in 1..line {
        match source[start..].iter().position(|&byte| byte == b'\n') {
            Some(length) => start += length + 1,
            None => return source.len()..source.len(),
        }
    }
    let rest = &source[start..];
    let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let indent = rest[..length].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let skip = column.map_or(indent, |column| column.saturating_sub(1)).min(length);
    start + skip..start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_places() {
        let of = |line| Message::error(line).map(|message| (message.place, message.text));
        assert_eq!(
            of("a.sv:3: ERROR: syntax error"),
            Some((Some(("a.sv", 3, None)), "syntax error"))
        );
        assert_eq!(of("ERROR: no top"), Some((None, "no top")));
        assert_eq!(of("b.sv:4:7: error: x"), Some((Some(("b.sv", 4, Some(7))), "x")));
        assert_eq!(of("Warning: x"), None);
    }

    #[test]
    fn faults_show_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sv");
        std::fs::write(&path, "module a;\n  assert property (x);\nendmodule\n").unwrap();
        let name = path.display();
        let text =
            fault(&format!("{name}:2: ERROR: syntax error, unexpected property\n")).to_string();
        assert!(text.starts_with(&format!("{name}:2:3: error: Yosys: syntax error")), "{text}");
        assert!(text.contains("2 |   assert property (x);") && text.contains("slang"), "{text}");
        let text = fault("missing.sv:9: ERROR: Can't open file\n").to_string();
        assert_eq!(text, "missing.sv:9: Yosys: Can't open file");
        assert_eq!(fault("\n\nkilled\n").to_string(), "Yosys failed: killed");
    }

    #[test]
    fn warnings_are_listed_once() {
        let text = "Warning: Latch\nx.v:2: Warning: wide\nWarning: Latch\nhello\n";
        assert_eq!(warnings(text), ["Latch", "x.v:2: wide"]);
    }

    #[test]
    fn a_span_stays_in_the_file() {
        let source = b"ab\n  cd\n";
        assert_eq!(span(source, 1, None), 0..2);
        assert_eq!(span(source, 2, None), 5..7);
        assert_eq!(span(source, 2, Some(4)), 6..7);
        assert_eq!(span(source, 2, Some(40)), 7..7);
        assert_eq!(span(source, 9, None), 8..8);
    }
}
