//! Runs of solvers, each a process of its own with a limit of processor time. On
//! Unix only: the limit is set by the shell.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;

use super::words;

/// A program that proves properties of AIGER files.
pub enum Solver {
    Elinvar(PathBuf),
    Abc(PathBuf),
}

/// What a run gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measured {
    Proved(Duration),
    TooLong,
}

impl Solver {
    pub fn name(&self) -> &'static str {
        match self {
            Solver::Elinvar(_) => "elinvar",
            Solver::Abc(_) => "abc",
        }
    }

    /// Proves the property of the model, within so many seconds of processor time.
    pub fn prove(&self, model: &Path, seconds: u32) -> Result<Measured, String> {
        let arguments = match self {
            Solver::Elinvar(path) => {
                words([path, &"check", &model, &"--engine", &"pdr", &"--quiet"])
            }
            Solver::Abc(path) => {
                words([path, &"-q", &format!("read_aiger {}; pdr", model.display())])
            }
        };
        // The shell sets the limit, whose signal says what ended the run, and becomes
        // the solver.
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -S -t {seconds}; exec \"$@\""), "sh"]).args(arguments);
        let before = time_of_children()?;
        let output = command.output().map_err(|error| format!("{}: {error}", self.name()))?;
        let time = time_of_children()?.saturating_sub(before);
        if self.has_proved(&output) {
            Ok(Measured::Proved(time))
        } else if output.status.signal() == Some(Signal::SIGXCPU as i32) {
            Ok(Measured::TooLong)
        } else {
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("{} gave no proof ({}):\n{text}{errors}", self.name(), output.status))
        }
    }

    fn has_proved(&self, output: &Output) -> bool {
        match self {
            Solver::Elinvar(_) => output.status.code() == Some(20),
            Solver::Abc(_) => String::from_utf8_lossy(&output.stdout).contains("Property proved"),
        }
    }
}

/// The processor time of all children that have ended.
fn time_of_children() -> Result<Duration, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(micros.unsigned_abs()))
}

/// The file of a command, in the path of commands if it names no folder.
pub fn find(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|file| file.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found() {
        assert!(find("sh").is_some_and(|file| file.ends_with("sh")));
        assert_eq!(find("no-such-command-anywhere"), None);
        assert_eq!(find("/no/such/file"), None);
    }

    #[test]
    fn a_solver_that_gives_up_is_an_error_and_one_that_hangs_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let mut permissions = std::fs::metadata(&path).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
            std::fs::set_permissions(&path, permissions).unwrap();
            Solver::Elinvar(path)
        };
        let model = Path::new("model.aig");
        let proves = script("proves", "#!/bin/sh\nexit 20\n");
        assert!(matches!(proves.prove(model, 9), Ok(Measured::Proved(_))));
        let fails = script("fails", "#!/bin/sh\necho why\nexit 0\n");
        assert!(fails.prove(model, 9).is_err_and(|text| text.contains("why")));
        let hangs = script("hangs", "#!/bin/sh\nwhile :; do :; done\n");
        assert_eq!(hangs.prove(model, 1), Ok(Measured::TooLong));
    }
}
