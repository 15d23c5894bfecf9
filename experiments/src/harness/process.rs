//! Runs of programs with a limit of processor time. The limit is set by the shell, so this
//! works on Unix only.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;
use serde_json::Value;
use wait4::{ResUse, Wait4};

/// A run that has ended.
pub struct Finished {
    pub output: Output,
    /// Processor time, of user and system together.
    pub time: Duration,
    /// Whether the limit ended it.
    pub too_long: bool,
}

/// Runs a program with its arguments, within so many seconds of processor time.
pub fn run(
    words: impl IntoIterator<Item = impl AsRef<OsStr>>,
    seconds: u32,
) -> Result<Finished, String> {
    // The shell sets the limit and becomes the program. The signal tells that the limit ended
    // the run.
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -S -t {seconds}; exec \"$@\""), "sh"]).args(words);
    let text = |error: std::io::Error| error.to_string();
    let files = [tempfile::tempfile().map_err(text)?, tempfile::tempfile().map_err(text)?];
    let [stdout, stderr] = files.each_ref().map(File::try_clone);
    command.stdin(Stdio::null()).stdout(stdout.map_err(text)?).stderr(stderr.map_err(text)?);
    let ResUse { status, rusage } =
        command.spawn().and_then(|mut child| child.wait4()).map_err(text)?;
    let [stdout, stderr] = files.map(|mut file| {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map(|_| bytes)
    });
    let output = Output { status, stdout: stdout.map_err(text)?, stderr: stderr.map_err(text)? };
    let too_long = status.signal() == Some(Signal::SIGXCPU as i32);
    Ok(Finished { output, time: rusage.utime + rusage.stime, too_long })
}

/// A run of `elinvar check --json` that has ended.
pub struct Checked {
    pub ending: Ending,
    /// Processor time, of user and system together.
    pub time: Duration,
}

pub enum Ending {
    Report(Value),
    /// The limit ended it.
    TooLong,
    /// There is no report, for this reason.
    Failed {
        /// None if a signal ended it.
        code: Option<i32>,
        reason: String,
    },
}

/// Runs an engine on a model, within so many seconds of processor time.
pub fn check(
    elinvar: &Path,
    engine: &str,
    model: &Path,
    options: &[impl AsRef<OsStr>],
    seconds: u32,
) -> Result<Checked, String> {
    let words = ["check", "--json", "--engine", engine].map(OsStr::new);
    let words = [elinvar.as_os_str()].into_iter().chain(words).chain([model.as_os_str()]);
    let Finished { output, time, too_long } =
        run(words.chain(options.iter().map(AsRef::as_ref)), seconds)?;
    let ending = match serde_json::from_slice(&output.stdout) {
        Ok(report) => Ending::Report(report),
        Err(_) if too_long => Ending::TooLong,
        Err(_) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let (model, status) = (model.display(), output.status);
            let reason = format!("no report on {model} ({status}): {}", errors.trim_end());
            Ending::Failed { code: status.code(), reason }
        }
    };
    Ok(Checked { ending, time })
}

/// The processor time of this process or of its children.
pub fn processor_time(whose: UsageWho) -> Result<Duration, String> {
    let usage = getrusage(whose).map_err(|error| error.to_string())?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(micros.unsigned_abs()))
}

/// The binary to measure: the given one, or the release build beside this program.
pub fn elinvar(given: Option<&Path>) -> Result<PathBuf, String> {
    let elinvar = match given {
        Some(path) => path.to_owned(),
        None => beside_this_binary().ok_or("give the binary by --elinvar")?,
    };
    if elinvar.is_file() {
        return Ok(elinvar);
    }
    let path = elinvar.display();
    Err(format!("{path} does not exist; try: cargo build --release -p elinvar-cli"))
}

/// `release/elinvar` in the target folder where this program was built.
fn beside_this_binary() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let target = this.parent()?.parent()?;
    Some(target.join("release").join("elinvar").with_extension(std::env::consts::EXE_EXTENSION))
}

/// The file of a command, which is searched in `PATH` unless it contains a slash.
pub fn find(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|file| file.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|file| file.is_file())
}

/// Writes a shell script that tests run in place of a program.
///
/// Another process writes the file. If this one had it open for writing, a child that another
/// thread starts at that moment would inherit it, and a file that is open for writing cannot
/// be executed.
pub fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    let write = "printf '#!/bin/sh\\n%s' \"$2\" > \"$1\" && chmod 755 \"$1\"";
    let status = Command::new("sh").args(["-c", write, "sh"]).arg(&path).arg(text).status();
    assert!(status.is_ok_and(|status| status.success()), "cannot write {}", path.display());
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_by_itself_is_told_from_what_the_limit_ends() {
        let quick = run(["sh", "-c", "echo here; exit 20"], 9).unwrap();
        assert_eq!((quick.output.status.code(), quick.too_long), (Some(20), false));
        assert_eq!(quick.output.stdout, b"here\n");
        let hangs = run(["sh", "-c", "while :; do :; done"], 1).unwrap();
        assert!(hangs.too_long && hangs.time > Duration::from_millis(800), "{:?}", hangs.time);
    }

    #[test]
    fn a_check_ends_with_a_report_or_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let ending = |name, text: &str| {
            let binary = script(folder.path(), name, text);
            check(&binary, "pdr", Path::new("m.aig"), &["--seed"], 1).unwrap().ending
        };
        let tells = ending("tells", "echo \"[\\\"$4 $5 $6\\\"]\"; exit 20\n");
        assert!(matches!(tells, Ending::Report(report) if report[0] == "pdr m.aig --seed"));
        let hangs = ending("hangs", "while :; do :; done\n");
        assert!(matches!(hangs, Ending::TooLong));
        let Ending::Failed { code, reason } = ending("fails", "echo why >&2; exit 3\n") else {
            panic!("there is no report");
        };
        assert_eq!(code, Some(3));
        assert!(reason.starts_with("no report on m.aig") && reason.ends_with(": why"), "{reason}");
    }

    #[test]
    fn commands_are_found() {
        assert!(find("sh").is_some_and(|file| file.ends_with("sh")));
        assert_eq!(find("no-such-command-anywhere"), None);
        assert_eq!(find("/no/such/file"), None);
    }

    #[test]
    fn a_missing_binary_is_reported() {
        let error = elinvar(Some(Path::new("/no/such/elinvar"))).unwrap_err();
        assert!(error.starts_with("/no/such/elinvar does not exist"), "{error}");
    }
}
