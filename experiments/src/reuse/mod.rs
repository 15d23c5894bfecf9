//! How much faster an edited model is proved with the lemmas of the original.
//!
//! Each model is proved from scratch, and its proof saved. Then it is edited at random in ways
//! that keep the property (see [`Edit`]), and each version is proved from scratch and with the
//! saved proof. Every version starts from the same proof. Times are the processor time of the
//! whole process.
//!
//! The command fails if a verdict depends on what is reused, or if a proof is found only from
//! scratch.

mod edits;
mod models;
mod record;
mod restructure;
mod table;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use elinvar_formats::model::{Model, read_model};
use elinvar_ir::Rng;

use crate::harness::finish;
use crate::harness::process::{self, Checked, Ending};
use edits::{Edit, edit};
use record::{Answer, EditRecord, ModelRecord, Records};

#[derive(Args)]
pub struct Options {
    /// The models: files, tables (`.csv`) with a column `path` and perhaps a column
    /// `expected`, and lists (`.txt`) with one path per line
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    models: Vec<PathBuf>,
    /// How many edits of each model
    #[arg(long, default_value_t = 10)]
    edits: usize,
    /// The kinds of edits, which take turns [default: all]
    #[arg(long, num_args = 1.., value_name = "KIND")]
    kinds: Vec<Edit>,
    /// The seed of the edits
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 60)]
    limit: u32,
    /// Skip models that are proved in less time
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    from: f64,
    /// The engine that proves
    #[arg(long, default_value = "pdr")]
    engine: String,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
    /// Write all measurements to this file, after each model
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Do not measure the models again that are in the file of `--json`
    #[arg(long, requires = "json")]
    resume: bool,
    /// Take the runs from scratch from the measurements in this file, where it has the same
    /// edits
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Keep the edited models and the proofs in this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    finish(measure_all(options))
}

/// Measures all models. The result is false if a model failed or verdicts differ.
fn measure_all(options: &Options) -> Result<bool, String> {
    let bench = Bench::new(options)?;
    let mut records = match &options.json {
        Some(file) if options.resume && file.exists() => Records::read(file)?,
        _ => Records::default(),
    };
    let mut failures = 0;
    println!("{}", table::head());
    for model in models::listed(&options.models)? {
        let name = model.display().to_string();
        if let Some(record) = records.of_model(&name) {
            println!("{}", table::line(record));
            continue;
        }
        match bench.measure(&model) {
            Ok(Measured::Edits(record)) => {
                println!("{}", table::line(&record));
                records.models.push(record);
            }
            Ok(Measured::Skipped(why)) => println!("{name}: skipped, {why}"),
            Err(message) => {
                println!("{name}: FAILED, {message}");
                failures += 1;
            }
        }
        if let Some(file) = &options.json {
            records.write(file)?;
        }
    }
    print!("{}", table::summary(&records.models));
    let differences = records.models.iter().flat_map(ModelRecord::differences).count();
    Ok(failures == 0 && differences == 0)
}

/// The result for a model.
enum Measured {
    Edits(ModelRecord),
    /// The model does not fit the experiment, for this reason.
    Skipped(String),
}

/// What all measurements share.
struct Bench<'a> {
    options: &'a Options,
    elinvar: PathBuf,
    kinds: &'a [Edit],
    baseline: Records,
    /// Used unless the files are kept.
    temporary: tempfile::TempDir,
}

impl<'a> Bench<'a> {
    fn new(options: &'a Options) -> Result<Self, String> {
        if let Some(folder) = &options.keep {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        }
        Ok(Bench {
            options,
            elinvar: process::elinvar(options.elinvar.as_deref())?,
            kinds: if options.kinds.is_empty() { &Edit::ALL } else { &options.kinds },
            baseline: options
                .baseline
                .as_deref()
                .map(Records::read)
                .transpose()?
                .unwrap_or_default(),
            temporary: tempfile::tempdir().map_err(|error| error.to_string())?,
        })
    }

    fn measure(&self, file: &Path) -> Result<Measured, String> {
        let source = std::fs::read(file).map_err(|error| error.to_string())?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let model =
            read_model(&source, Some(&name)).map_err(|diagnostic| diagnostic.to_string())?;
        let proof = self.folder().join(format!("{name}.elv"));
        let first = self.prove(file, &[OsStr::new("--save"), proof.as_os_str()])?;
        if !first.is_safe() {
            return Ok(Measured::Skipped(format!("it is {}", first.verdict())));
        }
        if first.seconds < self.options.from {
            return Ok(Measured::Skipped(format!("it takes {:.2} s", first.seconds)));
        }
        let mut record =
            ModelRecord { model: file.display().to_string(), proof: first, edits: Vec::new() };
        for number in 0..self.options.edits {
            let edit = self.measure_edit(file, &model, &proof, number)?;
            if edit.differs() {
                eprintln!("THE VERDICTS DIFFER: {}", table::describe(&record, &edit));
            }
            record.edits.push(edit);
        }
        Ok(Measured::Edits(record))
    }

    fn measure_edit(
        &self,
        file: &Path,
        model: &Model,
        proof: &Path,
        number: usize,
    ) -> Result<EditRecord, String> {
        let seed = self.options.seed.wrapping_add(number as u64);
        let mut rng = Rng::new(seed);
        // If the model cannot be edited in one way, the next one is tried.
        let mut kinds = self.kinds.iter().cycle().skip(number).take(self.kinds.len());
        let (kind, edited) = kinds
            .find_map(|&kind| Some((kind, edit(model.system(), kind, &mut rng)?)))
            .ok_or("it cannot be edited in any of these ways")?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let ending = models::ending(model.format());
        let path = self.folder().join(format!("{stem}-{seed}-{}.{ending}", kind.name()));
        models::write(&path, &edited)?;
        let known = self.baseline.of_edit(&file.display().to_string(), kind.name(), seed);
        let nothing = match known {
            Some(known) => known.nothing.clone(),
            None => self.prove(&path, &[])?,
        };
        let reuse = self.prove(&path, &[OsStr::new("--reuse"), proof.as_os_str()])?;
        if self.options.keep.is_none() {
            std::fs::remove_file(&path).map_err(|error| error.to_string())?;
        }
        Ok(EditRecord { kind: kind.name().to_owned(), seed, nothing, reuse })
    }

    /// Runs Elinvar on a model.
    fn prove(&self, model: &Path, more: &[&OsStr]) -> Result<Answer, String> {
        let Options { engine, limit, .. } = self.options;
        let Checked { ending, time } = process::check(&self.elinvar, engine, model, more, *limit)?;
        let seconds = time.as_secs_f64();
        match ending {
            Ending::Report(report) => Answer::of_report(&report, seconds)
                .ok_or_else(|| format!("the report on {} has no verdicts", model.display())),
            Ending::TooLong => Ok(Answer::too_long(seconds)),
            Ending::Failed { reason, .. } => Err(reason),
        }
    }

    fn folder(&self) -> &Path {
        self.options.keep.as_deref().unwrap_or(self.temporary.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::testing::options;

    /// Saves a proof, and refuses to reuse one that is not there. What it reports with
    /// reuse is up to the test.
    fn elinvar(folder: &Path, with_reuse: &str) -> PathBuf {
        let report = |verdict: &str, reuse: &str| {
            format!(r#"echo '{{"properties": [{{"verdict": "{verdict}"}}]{reuse}}}'"#)
        };
        let reuse = report(with_reuse, r#", "reuse": {"offered": 4, "kept": 3}"#);
        let text = format!(
            "case \"$6\" in\n--save) : > \"$7\"; {safe};;\n--reuse) test -f \"$7\" && {reuse};;\n\
             *) {safe};;\nesac\n",
            safe = report("safe", "")
        );
        process::script(folder, "elinvar", &text)
    }

    fn measure(with_reuse: &str) -> (Result<bool, String>, Records) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("m.aag"), "aag 2 1 1 1 0\n2\n4 2\n4\n").unwrap();
        let binary = elinvar(folder.path(), with_reuse).display().to_string();
        let (model, json) = (path("m.aag"), path("out.json"));
        let words = ["--models", &model, "--elinvar", &binary, "--json", &json, "--edits", "3"];
        let outcome = measure_all(&options(&words));
        (outcome, Records::read(Path::new(&json)).unwrap())
    }

    #[test]
    fn every_edit_is_proved_from_nothing_and_with_the_saved_proof() {
        let (outcome, records) = measure("safe");
        assert_eq!(outcome, Ok(true));
        let kept = |edit: &EditRecord| edit.reuse.lemmas.map(|lemmas| lemmas.kept);
        let edits: Vec<_> = records.models[0].edits.iter().map(kept).collect();
        assert_eq!(edits, [Some(3); 3]);
    }

    #[test]
    fn a_verdict_that_reuse_turns_is_a_failure() {
        assert_eq!(measure("unsafe").0, Ok(false));
        assert_eq!(measure("unknown").0, Ok(false));
    }
}
