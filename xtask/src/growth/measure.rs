//! Runs of solvers, each a process of its own with a limit of processor time.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use super::words;
use experiments::harness::process;

/// A program that proves properties of AIGER files.
pub enum Solver {
    /// The binary, and the engine that is asked, if it is not the default.
    Elinvar(PathBuf, Option<String>),
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
            Solver::Elinvar(..) => "elinvar",
            Solver::Abc(_) => "abc",
        }
    }

    /// Proves the property of the model, within so many seconds of processor time.
    pub fn prove(&self, model: &Path, seconds: u32) -> Result<Measured, String> {
        let arguments = match self {
            Solver::Elinvar(path, None) => words([path, &"check", &model, &"--quiet"]),
            Solver::Elinvar(path, Some(engine)) => {
                words([path, &"check", &model, &"--engine", engine, &"--quiet"])
            }
            Solver::Abc(path) => {
                words([path, &"-q", &format!("read_aiger {}; pdr", model.display())])
            }
        };
        let run = process::run(arguments, seconds)
            .map_err(|error| format!("{}: {error}", self.name()))?;
        let output = &run.output;
        if self.has_proved(output) {
            Ok(Measured::Proved(run.time))
        } else if run.too_long {
            Ok(Measured::TooLong)
        } else {
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("{} gave no proof ({}):\n{text}{errors}", self.name(), output.status))
        }
    }

    fn has_proved(&self, output: &Output) -> bool {
        match self {
            Solver::Elinvar(..) => output.status.code() == Some(20),
            Solver::Abc(_) => String::from_utf8_lossy(&output.stdout).contains("Property proved"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_that_gives_up_is_an_error_and_one_that_hangs_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let script = |name, text| Solver::Elinvar(process::script(folder.path(), name, text), None);
        let model = Path::new("model.aig");
        let proves = script("proves", "exit 20\n");
        assert!(matches!(proves.prove(model, 9), Ok(Measured::Proved(_))));
        let fails = script("fails", "echo why\nexit 0\n");
        assert!(fails.prove(model, 9).is_err_and(|text| text.contains("why")));
        // The name of the engine is the fourth argument.
        let path = process::script(folder.path(), "engine", "[ \"$4\" = avy ] && exit 20\n");
        let asked = |engine: Option<&str>| {
            Solver::Elinvar(path.clone(), engine.map(str::to_owned)).prove(model, 9).is_ok()
        };
        assert_eq!([asked(Some("avy")), asked(Some("pdr")), asked(None)], [true, false, false]);
        let hangs = script("hangs", "while :; do :; done\n");
        assert_eq!(hangs.prove(model, 1), Ok(Measured::TooLong));
    }
}
