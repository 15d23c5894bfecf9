//! Standard output, messages, and checks of the files that a command is to write.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use elinvar::files::{self, Known, shown};
use elinvar::formats::names::escape;
use elinvar::{EvidenceKind, Problem, PropertyKind, PropertyReport, Report, Source, WrittenFile};

use crate::{style, terminal};

/// Reads a file; `-` is standard input.
pub fn read(path: &str) -> Result<Source> {
    if path != "-" {
        return Ok(Source::read(path)?);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(Source::new("<stdin>", bytes))
}

/// Is standard output meant?
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Fails if a file cannot be written, before any work is done.
pub fn expect_writable(path: &Path) -> Result<()> {
    if is_stdout(path) { Ok(()) } else { Ok(files::expect_writable(path)?) }
}

/// Fails if an output is one of the inputs or another output, by whatever name.
pub fn expect_distinct<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let mut known = Known::default();
    for path in inputs.into_iter().filter(|path| !is_stdout(path)) {
        known.insert(path);
    }
    let mut outputs_so_far = Known::default();
    for path in outputs {
        if let Some(input) = known.find(path).filter(|_| !is_stdout(path)) {
            bail!("cannot write {}: it is the input {}", shown(path), shown(input));
        }
        if let Some(other) = outputs_so_far.find(path) {
            bail!("cannot write {} and {}: they are the same file", shown(other), shown(path));
        }
        outputs_so_far.insert(path);
    }
    Ok(())
}

/// Writes a file completely or not at all; `-` is standard output.
pub fn write(path: &Path, contents: &[u8]) -> Result<()> {
    if is_stdout(path) {
        return terminal::without_line(|| tolerate_closed(std::io::stdout().write_all(contents)));
    }
    Ok(files::write(path, contents)?)
}

/// Writes the evidence of a report; `-` is standard output.
pub fn write_evidence(report: &mut Report, kind: EvidenceKind, path: &Path) -> Result<()> {
    if !is_stdout(path) {
        return Ok(report.write_evidence(kind, path)?);
    }
    for property in &report.properties {
        if let Some(contents) = report.evidence(property, kind, path)? {
            write(path, &contents)?;
        }
    }
    Ok(())
}

/// A line for each file that names were taken from, and for each that was written.
pub fn other_files(report: &Report) -> String {
    let maps = match &report.problem {
        Problem::System(problem) => problem.map_files(),
        Problem::Program(_) => &[],
    };
    let maps = maps.iter().map(|name| format!("names from {}\n", escape(name)));
    let files = report.properties.iter().flat_map(|property| &property.files);
    let files = files.chain(&report.files).map(|file| wrote(file) + "\n");
    maps.chain(unwritten(report)).chain(files).collect()
}

/// `wrote fifo.vcd`
pub fn wrote(file: &WrittenFile) -> String {
    format!("wrote {}", shown(&file.path))
}

/// Names a file on standard error.
pub fn tell_file(file: &WrittenFile) {
    tell(&wrote(file));
}

/// A line for each evidence file that was asked for and that there is no evidence for.
fn unwritten(report: &Report) -> impl Iterator<Item = String> {
    let is_cover = |property: &PropertyReport| property.kind == PropertyKind::Cover;
    let trace = if report.properties.iter().any(is_cover) { "trace" } else { "counterexample" };
    report.unwritten.iter().map(move |WrittenFile { kind, path }| {
        let missing = if *kind == EvidenceKind::Certificate.name() { "proof" } else { trace };
        format!("no {missing}: {} was not written\n", shown(path))
    })
}

/// A message in which names and parts of files cannot disturb the terminal.
pub fn harmless(message: &str) -> String {
    message.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

/// Makes the limit on the size of files (`ulimit -f`) an error of a write instead of a
/// signal that ends the process. Threads that are started later inherit this.
pub fn report_file_limits() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        // Without it, the process ends as before.
        let _: nix::Result<()> = signals.thread_block();
    }
}

/// Prints a report; colours are dropped when standard output is not a terminal.
pub fn print(text: &str) -> Result<()> {
    terminal::without_line(|| tolerate_closed(anstream::stdout().write_all(text.as_bytes())))
}

/// Prints a message to standard error. Nothing can be done if that fails.
pub fn tell(message: &str) {
    let message = style::message(message);
    terminal::without_line(|| writeln!(anstream::stderr(), "{message}").ok());
}

/// The verdict stands in the exit code even when `head` has read enough.
fn tolerate_closed(result: std::io::Result<()>) -> Result<()> {
    match result.and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn inputs_and_outputs_are_different_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("model"), b"m").unwrap();
        std::os::unix::fs::symlink("model", path("symbolic")).unwrap();
        std::os::unix::fs::symlink("new", path("other")).unwrap();
        std::fs::hard_link(path("model"), path("hard")).unwrap();
        let input = path("model");
        let distinct = |outputs: &[PathBuf]| {
            expect_distinct([input.as_path()], outputs.iter().map(PathBuf::as_path))
        };
        for same in ["model", "./model", "symbolic", "hard"] {
            let error = distinct(&[path(same)]).unwrap_err().to_string();
            assert!(error.contains("it is the input"), "{error}");
        }
        for same in ["new", "./new", "other"] {
            let error = distinct(&[path("new"), path(same)]).unwrap_err().to_string();
            assert!(error.contains("the same file"), "{error}");
        }
        distinct(&[path("new"), path("newer")]).unwrap();
        let device = PathBuf::from("/dev/null");
        distinct(&[device.clone(), device]).unwrap();
        let standard = PathBuf::from("-");
        assert!(distinct(&[standard.clone(), standard]).is_err());
    }
}
