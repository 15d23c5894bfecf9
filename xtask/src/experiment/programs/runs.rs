//! Runs of the engine and of Spacer, each a process with a limit of processor time.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use elinvar_formats::horn;
use tempfile::TempDir;

use super::list::Instance;
use super::record::Run;
use super::settings::{Program, Setting};
use crate::experiment::log::{Kept, Log};
use crate::experiment::outcome::{Outcome, Verdict};
use crate::process::{self, Checked, Ending, Finished};

/// What all runs share.
pub struct Laboratory {
    elinvar: PathBuf,
    z3: Option<PathBuf>,
    /// Seconds of processor time.
    limit: u32,
    /// MiB.
    memory: u32,
    log: Log<Run>,
    /// Where the clauses of the program in hand are.
    folder: TempDir,
}

impl Laboratory {
    pub fn new(
        elinvar: PathBuf,
        z3: Option<PathBuf>,
        limit: u32,
        memory: u32,
        log: Log<Run>,
    ) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Laboratory { elinvar, z3, limit, memory, log, folder })
    }

    /// The run that is known, or a new one.
    pub fn run(&mut self, instance: &Instance, setting: &Setting) -> Result<Run, String> {
        if let Some(run) = self.log.find(&instance.path, setting.name, self.limit) {
            return Ok(run);
        }
        let run = match setting.program {
            Program::Cfg(options) => self.check(instance, options)?,
            Program::Spacer(parameters) => self.spacer(instance, parameters)?,
        };
        let run = run.within(self.limit);
        self.log.keep(&instance.path, setting.name, self.limit, &run)?;
        Ok(run)
    }

    fn check(&self, instance: &Instance, options: &[&str]) -> Result<Run, String> {
        let memory = self.memory.to_string();
        let options: Vec<&str> = options.iter().copied().chain(["--memory", &memory]).collect();
        let Checked { ending, time } =
            process::check(&self.elinvar, "cfg", &instance.file, &options, self.limit)?;
        let seconds = time.as_secs_f64();
        Ok(match ending {
            Ending::Report(report) => {
                let outcome = report["verdict"].as_str().and_then(Outcome::of_word);
                let outcome = outcome
                    .ok_or_else(|| format!("the report on {} has no verdict", instance.path))?;
                Run::new(outcome, seconds, report["reason"].as_str().unwrap_or_default())
            }
            Ending::TooLong => Run::new(Outcome::TooLong, seconds, ""),
            Ending::Failed { reason, .. } => {
                eprintln!("{reason}");
                Run::new(Outcome::Failed, seconds, &reason)
            }
        })
    }

    /// On the clauses that the program becomes, whose translation is not measured.
    fn spacer(&self, instance: &Instance, parameters: &[&str]) -> Result<Run, String> {
        let clauses = match self.clauses(instance)? {
            Ok(clauses) => clauses,
            Err(reason) => return Ok(Run::new(Outcome::Failed, 0.0, &reason)),
        };
        let text = std::fs::read_to_string(&clauses).unwrap_or_default();
        let in_part = text.lines().any(|line| line.starts_with(horn::APPROXIMATED));
        let z3 = self.z3.as_ref().ok_or("Z3 is missing")?;
        let memory = format!("-memory:{}", self.memory);
        let words = parameters.iter().map(OsString::from).chain([memory.into(), clauses.into()]);
        let words = std::iter::once(z3.clone().into_os_string()).chain(words);
        let Finished { output, time, too_long } = process::run(words, self.limit)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let outcome = if too_long { Outcome::TooLong } else { answer(&text) };
        if outcome == Outcome::Decided(Verdict::Unsafe) && in_part {
            let reason = "the program is only approximated";
            return Ok(Run::new(Outcome::Unknown, time.as_secs_f64(), reason));
        }
        let reason = if outcome == Outcome::Failed { &*text } else { "" };
        Ok(Run::new(outcome, time.as_secs_f64(), reason))
    }

    /// The file with the clauses, or why there is none.
    fn clauses(&self, instance: &Instance) -> Result<Result<PathBuf, String>, String> {
        /// Translation is no part of what is measured.
        const ENOUGH: u32 = 600;
        let file = self.folder.path().join("clauses.smt2");
        let words = [&*self.elinvar, Path::new("convert"), &instance.file, Path::new("-o"), &file];
        let Finished { output, .. } = process::run(words, ENOUGH)?;
        if output.status.success() {
            return Ok(Ok(file));
        }
        Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}

/// The clauses have a solution if the program is safe.
fn answer(text: &str) -> Outcome {
    match text.lines().next().map(str::trim) {
        Some("sat") => Outcome::Decided(Verdict::Safe),
        Some("unsat") => Outcome::Decided(Verdict::Unsafe),
        Some("unknown") => Outcome::Unknown,
        // What Z3 says when it is told that its time is over.
        Some("timeout") => Outcome::TooLong,
        Some(_) | None => Outcome::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_of_the_clauses_is_a_proof() {
        assert_eq!(answer("sat\n"), Outcome::Decided(Verdict::Safe));
        assert_eq!(answer("unsat\n"), Outcome::Decided(Verdict::Unsafe));
        assert_eq!(answer("unknown\n"), Outcome::Unknown);
        assert_eq!(answer("timeout\n"), Outcome::TooLong);
        assert_eq!(answer("(error \"line 1\")\nunsat\n"), Outcome::Failed);
        assert_eq!(answer(""), Outcome::Failed);
    }
}
