//! The README and the book show real sessions: every block marked `console` is
//! run, and what it prints is compared with what is written there.
//!
//! The blocks of a document are one session of a shell, in a folder with a copy
//! of the examples. Lines that begin with `$ ` are commands, continued by lines
//! that begin with `> `; the others are what both streams of the command print.
//! Decimal fractions, which are times, may differ. Commands that read Verilog are skipped
//! without Yosys 0.23, the version of Debian 12: other versions number signals differently. `DOCUMENTS=overwrite cargo test`
//! writes what is printed now.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn documents_show_what_is_printed() {
    let overwrite = std::env::var_os("DOCUMENTS").is_some_and(|how| how == "overwrite");
    let mut complaints = String::new();
    let with_yosys = has_yosys();
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a readable document");
        let examples = examples(&text);
        let outputs = run(&examples);
        if overwrite {
            std::fs::write(&path, rewritten(&text, &examples, &outputs)).expect("writable");
            continue;
        }
        for (example, printed) in examples.iter().zip(&outputs) {
            let written = &text[example.output.clone()];
            if !with_yosys && example.needs_yosys() {
                continue;
            }
            if !same(written, printed) {
                let (name, command) = (path.display(), &example.command);
                writeln!(complaints, "{name}: $ {command}\nwritten:\n{written}printed:\n{printed}")
                    .expect("strings do not fail");
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<PathBuf> {
    let mut chapters: Vec<PathBuf> = files(&root().join("docs/book/src"));
    chapters.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    assert!(chapters.len() > 5, "the book was not found");
    chapters.sort();
    chapters.insert(0, root().join("README.md"));
    chapters
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    entries.map(|entry| entry.expect("a readable entry").path()).collect()
}

/// A command and where its output is written.
struct Example {
    command: String,
    output: Range<usize>,
}

impl Example {
    /// Does it read Verilog, or a file that was made from it?
    fn needs_yosys(&self) -> bool {
        [".sv", "verilog", "elinvar check\n", "fifo.", "a_pointers"]
            .iter()
            .any(|part| format!("{}\n", self.command).contains(part))
    }
}

/// Whether Debian's version of Yosys is there; says so on standard error if it is not.
fn has_yosys() -> bool {
    let output = Command::new("yosys").arg("-V").output();
    let found = output.is_ok_and(|output| output.stdout.starts_with(b"Yosys 0.23 "));
    if !found {
        eprintln!("skipped: the examples in Verilog, since Yosys 0.23 is not installed");
    }
    found
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let (mut inside, mut at) = (false, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match line.trim_end() {
            "```console" => inside = true,
            "```" => inside = false,
            content if inside => take(content, end, &mut examples),
            _ => {}
        }
        at = end;
    }
    examples
}

/// Takes a line of a session that ends at `end`.
fn take(content: &str, end: usize, examples: &mut Vec<Example>) {
    if let Some(command) = content.strip_prefix("$ ") {
        examples.push(Example { command: command.to_owned(), output: end..end });
        return;
    }
    let example = examples.last_mut().expect("a block begins with a command");
    match content.strip_prefix("> ") {
        Some(more) if example.output.is_empty() => {
            example.command += "\n";
            example.command += more;
            example.output = end..end;
        }
        Some(_) | None => example.output.end = end,
    }
}

/// What each command prints, in one session.
fn run(examples: &[Example]) -> Vec<String> {
    const END: &str = "--- end of the output ---";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copies = folder.path().join("examples");
    copy(&root().join("examples"), &copies);
    for inner in ["verilog", "campaigns"] {
        copy(&root().join("examples").join(inner), &copies.join(inner));
    }
    let mut script = String::from("exec 2>&1\n");
    for example in examples {
        // The exit code is there for the next command to look at.
        let remember = format!("code=$?\necho '{END}'\n(exit $code)");
        writeln!(script, "{}\n{remember}", example.command).expect("strings do not fail");
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_elinvar")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path of commands");
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", binary.display()))
        .output()
        .expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8 is printed");
    let end = format!("{END}\n");
    let outputs: Vec<String> = text.split_terminator(&end).map(str::to_owned).collect();
    assert_eq!(outputs.len(), examples.len(), "a command ended the session");
    outputs
}

/// Copies the files of a folder, without the folders in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a new folder");
    for file in files(from).into_iter().filter(|path| path.is_file()) {
        std::fs::copy(&file, to.join(file.file_name().expect("a file"))).expect("a copy");
    }
}

fn same(written: &str, printed: &str) -> bool {
    without_times(written.trim_end()) == without_times(printed.trim_end())
}

/// The text with every decimal fraction replaced by a sign.
fn without_times(text: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_number) {
        let tail = &rest[start..];
        let length = tail.find(|c| !is_number(c)).unwrap_or(tail.len());
        let (number, after) = tail.split_at(length);
        result.push_str(&rest[..start]);
        // Very small times have an exponent.
        let exponent = after
            .strip_prefix("e-")
            .map(|digits| digits.trim_start_matches(|c: char| c.is_ascii_digit()));
        let is_fraction = exponent.is_some() || number.trim_matches('.').contains('.');
        result.push_str(if is_fraction { "_" } else { number });
        rest = exponent.unwrap_or(after);
    }
    result + rest
}

fn rewritten(text: &str, examples: &[Example], outputs: &[String]) -> String {
    let mut result = text.to_owned();
    for (example, printed) in examples.iter().zip(outputs).rev() {
        if !same(&text[example.output.clone()], printed) {
            result.replace_range(example.output.clone(), printed);
        }
    }
    result
}

#[test]
fn times_do_not_count() {
    assert_eq!(without_times("7 in 0.25 s, 4e-6 or 4.5e-06!"), "7 in _ s, _ or _!");
}

#[test]
fn sessions_are_told_from_other_text() {
    let text = "$ no\n```console\n$ first\n> line\none\n> two\n$ second\n```\n```sh\n$ no\n```\n";
    let found = examples(text);
    let shown: Vec<(&str, &str)> =
        found.iter().map(|e| (e.command.as_str(), &text[e.output.clone()])).collect();
    assert_eq!(shown, [("first\nline", "one\n> two\n"), ("second", "")]);
    let outputs = ["1\n".to_owned(), "2\n".to_owned()];
    let expected = "$ no\n```console\n$ first\n> line\n1\n$ second\n2\n```\n```sh\n$ no\n```\n";
    assert_eq!(rewritten(text, &found, &outputs), expected);
}

#[test]
fn only_times_may_differ() {
    assert!(same("kind, 0.01 s\n", "kind, 13.20 s\n\n"));
    assert!(!same("cycle 10\n", "cycle 11\n"));
    assert!(!same("safe.", "unsafe."));
}
