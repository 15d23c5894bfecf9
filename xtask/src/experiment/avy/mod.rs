//! The experiments of AVY: section 5 of Vizel and Gurfinkel, "Interpolating Property
//! Directed Reachability" (CAV 2014).
//!
//! Every engine runs on every model, a process for each run, with a limit of processor
//! time; on one model all engines, then on the next, so that what slows the machine slows
//! all of them. The results are the paper's: solved models (Table 1), depths of
//! convergence, clauses and times (Table 2), times against each other (Figure 1), and what
//! is lost without each technique.
//!
//! Two things differ from the paper: what an engine had reached at the limit is not told,
//! and the time of a run includes the check of its evidence. If a verdict is not what is
//! known of the model, or two verdicts differ, or a run ends without a report, the command
//! fails.

mod html;
mod list;
mod plot;
pub mod record;
mod results;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::log::{Kept, Log};
use super::outcome::Outcome;
use crate::process::{self, Checked, Ending};
use list::Model;
use record::Run;
use results::{Results, Row, Setting};

/// The engine of the paper, and its techniques by the options that turn each of them off,
/// or on.
const AVY: &str = "avy";
const VARIANTS: [&str; 4] =
    ["--no-global-trace", "--no-min-suffix", "--min-core", "--no-shallow-push"];

#[derive(Args)]
pub struct Options {
    /// The models: a table (`.csv`) with a column `path`, and perhaps `expected` (`safe`,
    /// `unsafe`) and times of the paper, such as `seed_pdr_s`
    #[arg(long, value_name = "LIST")]
    models: PathBuf,
    /// The folder from which paths lead [default: that of the list]
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// The engines; the last one is compared with the others
    #[arg(long, value_delimiter = ',', default_value = "itp,pdr,avy", value_name = "NAME")]
    engines: Vec<String>,
    /// Run `avy`, the last engine, without each of its techniques too
    #[arg(long)]
    ablation: bool,
    /// Only so many models, from all over the list
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// Keep every run in this file, and do not repeat those that are in it; for one
    /// binary only
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with tables and plots, after each model
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    match measure_all(options) {
        Ok(results) => {
            print!("{}", text(&results));
            if results.faults().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure_all(options: &Options) -> Result<Results, String> {
    let models = list::read(&options.models, options.root.as_deref(), &options.engines)?;
    let models = list::sample(models, options.sample);
    let mut results = Results {
        limit: options.limit,
        engines: options.engines.clone(),
        variants: variants(options)?,
        rows: Vec::new(),
    };
    let settings = results.settings();
    let mut laboratory = Laboratory::new(options)?;
    let count = models.len();
    for (index, model) in models.into_iter().enumerate() {
        let mut runs = Vec::new();
        for setting in &settings {
            let run = laboratory.run(&model, setting)?;
            let (name, word, seconds) = (setting.name(), run.outcome.word(), run.seconds);
            eprintln!("{}/{count} {}: {name}: {word}, {seconds:.2} s", index + 1, model.path);
            runs.push(run);
        }
        results.rows.push(Row { model, runs });
        if let Some(file) = &options.html {
            write(file, &html::page(&results))?;
        }
    }
    Ok(results)
}

fn variants(options: &Options) -> Result<Vec<&'static str>, String> {
    if !options.ablation {
        Ok(Vec::new())
    } else if options.engines.last().is_some_and(|engine| engine == AVY) {
        Ok(VARIANTS.to_vec())
    } else {
        Err(format!("with --ablation the last engine is {AVY}"))
    }
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// What all runs share.
struct Laboratory {
    elinvar: PathBuf,
    limit: u32,
    log: Log<Run>,
}

impl Laboratory {
    fn new(options: &Options) -> Result<Self, String> {
        let log = options.csv.as_deref().map(Log::open).transpose()?;
        Ok(Laboratory {
            elinvar: process::elinvar(options.elinvar.as_deref())?,
            limit: options.limit,
            log: log.unwrap_or_default(),
        })
    }

    /// The run that is known, or a new one.
    fn run(&mut self, model: &Model, setting: &Setting) -> Result<Run, String> {
        let name = setting.name();
        if let Some(run) = self.log.find(&model.path, &name, self.limit) {
            return Ok(run);
        }
        let run = self.measure(model, setting)?.within(self.limit);
        self.log.keep(&model.path, &name, self.limit, &run)?;
        Ok(run)
    }

    fn measure(&self, model: &Model, setting: &Setting) -> Result<Run, String> {
        /// Such as an engine that does not exist, or a model that cannot be read.
        const USER_ERROR: i32 = 2;
        let options = setting.option.as_slice();
        let Checked { ending, time } =
            process::check(&self.elinvar, &setting.engine, &model.file, options, self.limit)?;
        let seconds = time.as_secs_f64();
        match ending {
            Ending::Report(report) => Run::of_report(&report, seconds)
                .ok_or_else(|| format!("the report on {} has no verdict", model.path)),
            Ending::TooLong => Ok(Run::silent(Outcome::TooLong, seconds)),
            Ending::Failed { code: Some(USER_ERROR), reason } => Err(reason),
            Ending::Failed { reason, .. } => {
                eprintln!("{}: {reason}", setting.name());
                Ok(Run::silent(Outcome::Failed, seconds))
            }
        }
    }
}

/// All tables.
fn text(results: &Results) -> String {
    let (models, limit) = (results.rows.len(), results.limit);
    let mut text = format!("Table 1: solved of {models} models, within {limit} s\n");
    text += &tables::solved(results).text();
    text += "\nTable 2: depths of convergence, sizes of proofs, processor seconds\n";
    text += &tables::details(results).text();
    text += "\n";
    text.extend(tables::summary(results).iter().map(|line| format!("{line}\n")));
    if let Some(table) = tables::ablation(results) {
        text += &format!("\nWhat each technique brings\n{}", table.text());
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: Options,
    }

    /// A folder with a list of two models, and a program that proves the first, refutes
    /// the second, and counts how often it ran.
    struct Bench(tempfile::TempDir);

    impl Bench {
        fn new(expected: [&str; 2]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let [one, two] = expected;
            let list = format!("path,expected\none.aig,{one}\ntwo.aig,{two}\n");
            std::fs::write(folder.path().join("list.csv"), list).unwrap();
            for model in ["one.aig", "two.aig"] {
                std::fs::write(folder.path().join(model), "").unwrap();
            }
            let report = |verdict: &str| {
                let property = format!(
                    r#"{{"verdict": "{verdict}", "depth": 3, "certificate": {{"clauses": 4}}}}"#
                );
                format!(r#"echo '{{"verdict": "{verdict}", "properties": [{property}]}}'"#)
            };
            let text = format!(
                "echo \"$4 $6\" >> {}\ncase \"$4 $5\" in\nnone*) exit 2;;\nbroken*) exit 3;;\n\
                 *one.aig) {};;\n*) {};;\nesac\n",
                folder.path().join("calls").display(),
                report("safe"),
                report("unsafe"),
            );
            process::script(folder.path(), "elinvar", &text);
            Bench(folder)
        }

        fn path(&self, name: &str) -> String {
            self.0.path().join(name).display().to_string()
        }

        fn measure(&self, more: &[&str]) -> Result<Results, String> {
            let (list, elinvar) = (self.path("list.csv"), self.path("elinvar"));
            let words = ["avy", "--models", &list, "--elinvar", &elinvar, "--limit", "9"];
            measure_all(&Command::parse_from(words.iter().chain(more)).options)
        }

        fn calls(&self) -> Vec<String> {
            let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
            text.lines().map(|line| line.trim_end().to_owned()).collect()
        }
    }

    #[test]
    fn engines_take_turns_on_each_model() {
        let bench = Bench::new(["safe", ""]);
        let html = bench.path("out.html");
        let results = bench.measure(&["--html", &html]).unwrap();
        assert_eq!(bench.calls(), ["itp", "pdr", "avy", "itp", "pdr", "avy"]);
        assert!(results.faults().is_empty());
        let text = text(&results);
        assert!(text.starts_with("Table 1: solved of 2 models, within 9 s\n"), "{text}");
        assert!(text.contains("unsafe    1    1    1"), "{text}");
        assert!(std::fs::read_to_string(html).unwrap().contains("Figure 1"));
    }

    #[test]
    fn what_was_run_is_not_run_again() {
        let bench = Bench::new(["safe", ""]);
        let csv = bench.path("runs.csv");
        let words = ["--csv", &csv, "--engines", "pdr,avy", "--sample", "1"];
        bench.measure(&words).unwrap();
        assert_eq!(bench.calls(), ["pdr", "avy"]);
        let results = bench.measure(&words[..4]).unwrap();
        assert_eq!(bench.calls()[2..], ["pdr", "avy"], "the second model only");
        let again = bench.measure(&words[..4]).unwrap();
        assert_eq!(bench.calls().len(), 4);
        assert_eq!(text(&again), text(&results));
    }

    #[test]
    fn the_ablation_runs_all_variants() {
        let bench = Bench::new(["safe", "unsafe"]);
        let results = bench.measure(&["--ablation", "--engines", "avy", "--sample", "1"]).unwrap();
        let variants = VARIANTS.map(|option| format!("avy {option}"));
        assert_eq!(bench.calls()[0], "avy");
        assert_eq!(bench.calls()[1..], variants);
        assert!(text(&results).contains("\nWhat each technique brings\n"));
        assert!(bench.measure(&["--ablation", "--engines", "avy,pdr"]).is_err());
    }

    #[test]
    fn wrong_verdicts_and_failures_are_faults() {
        let bench = Bench::new(["safe", "safe"]);
        let results = bench.measure(&["--engines", "pdr,broken"]).unwrap();
        let faults = [
            "one.aig: broken ended without a report",
            "two.aig: pdr says unsafe, expected is safe",
            "two.aig: broken ended without a report",
        ];
        assert_eq!(results.faults(), faults);
    }

    #[test]
    fn an_engine_that_is_not_there_ends_the_experiment() {
        let bench = Bench::new(["safe", "safe"]);
        let error = bench.measure(&["--engines", "none,pdr"]).err().unwrap();
        assert!(error.contains("no report on"), "{error}");
        assert_eq!(bench.calls(), ["none"]);
    }
}
