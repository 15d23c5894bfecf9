//! Runs of `elinvar` on an instance, with a limit of processor time.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::list::Instance;
use super::outcome::Outcome;
use super::process::{self, Checked, Ending};
use super::run::{Measured, Run};

/// What all runs of an experiment share.
pub struct Bench {
    elinvar: PathBuf,
    /// Seconds of processor time for each run.
    pub limit: u32,
    /// Holds the translation of the current instance.
    folder: TempDir,
    translation: RefCell<Option<Translation>>,
}

struct Translation {
    instance: PathBuf,
    file: PathBuf,
    result: Result<(), String>,
}

/// A call of `elinvar check`.
pub struct Check<'a> {
    pub engine: &'a str,
    pub options: &'a [String],
    /// Seconds of processor time.
    pub seconds: u32,
    pub refusal: Refusal,
}

/// What it means that `elinvar` refuses its input or its options (exit code 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The experiment is wrong, and ends.
    EndsExperiment,
    /// The run has failed.
    FailsRun,
}

/// The exit code of `elinvar` if it refuses its input or its options.
const REFUSED: i32 = 2;

impl Bench {
    /// A bench for this binary, or for the release build beside this program.
    pub fn new(limit: u32, elinvar: Option<&Path>) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let elinvar = process::elinvar(elinvar)?;
        Ok(Bench { elinvar, limit, folder, translation: RefCell::default() })
    }

    /// Runs `elinvar check` on an instance. `read` takes the outcome and what is measured
    /// from the report.
    pub fn check<M: Measured>(
        &self,
        instance: &Instance,
        check: &Check,
        read: impl Fn(&Value) -> Option<(Outcome, M)>,
    ) -> Result<Run<M>, String> {
        let Check { engine, options, seconds, refusal } = check;
        let Checked { ending, time } =
            process::check(&self.elinvar, engine, &instance.file, options, *seconds)?;
        let seconds = time.as_secs_f64();
        match ending {
            Ending::Report(report) => {
                let (outcome, measured) = read(&report)
                    .ok_or_else(|| format!("the report on {} is incomplete", instance.path))?;
                Ok(Run { outcome, seconds, measured })
            }
            Ending::TooLong => Ok(Run::new(Outcome::TooLong, seconds)),
            Ending::Failed { code: Some(REFUSED), reason }
                if *refusal == Refusal::EndsExperiment =>
            {
                Err(reason)
            }
            Ending::Failed { reason, .. } => {
                eprintln!("{engine} {}: {reason}", options.join(" "));
                let measured = M::failed(&reason);
                Ok(Run { outcome: Outcome::Failed, seconds, measured })
            }
        }
    }

    /// The instance in another format, given by the ending of the file name; or why it
    /// cannot be translated. The last translation is kept until another instance is asked for.
    pub fn translated(&self, instance: &Instance, name: &str) -> Result<PathBuf, String> {
        /// Translation is not measured and takes far less.
        const SECONDS: u32 = 600;
        let file = self.folder.path().join(name);
        let mut last = self.translation.borrow_mut();
        if let Some(known) = last.as_ref()
            && (&known.instance, &known.file) == (&instance.file, &file)
        {
            return known.result.clone().map(|()| file);
        }
        let words = [&*self.elinvar, Path::new("convert"), &instance.file, Path::new("-o"), &file];
        let output = process::run(words, SECONDS)?.output;
        let errors = String::from_utf8_lossy(&output.stderr);
        let result = if output.status.success() { Ok(()) } else { Err(errors.into_owned()) };
        *last = Some(Translation {
            instance: instance.file.clone(),
            file: file.clone(),
            result: result.clone(),
        });
        result.map(|()| file)
    }
}
