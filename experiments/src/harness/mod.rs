//! Runs every setting of an experiment on every instance, a process for each run.
//!
//! All settings run on one instance before the next instance starts, so that a slow phase of
//! the machine slows all of them. Each run has a limit of processor time. With `--csv` runs
//! are kept in a [`log`] and not repeated; with `--jobs` several processes share the
//! instances. An [`Experiment`] describes what is specific: the instances, the settings, the
//! measurement and the report.

pub mod bench;
mod campaign;
pub mod csv;
pub mod list;
pub mod log;
pub mod outcome;
pub mod page;
pub mod process;
pub mod report;
pub mod results;
pub mod run;
pub mod share;
pub mod statistics;
pub mod table;
#[cfg(test)]
pub mod testing;
pub mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use bench::Bench;
use list::Instance;
use log::Log;
use report::Report;
use results::{Results, Row};
use run::{Measured, Run};
use share::Share;

/// The options that all experiments on this harness have.
#[derive(Args)]
pub struct RunOptions {
    /// How many instances to work on at the same time; more than one needs --csv
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    jobs: u32,
    /// The share of one of several processes
    #[arg(long, hide = true)]
    share: Option<Share>,
    /// Keep every run in this file, and do not repeat those that are in it; use another file
    /// for another binary
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with tables and plots, after each instance
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the runs as the folder of a campaign, with its page, after each instance; `elinvar
    /// run report` compares it with others
    #[arg(long, value_name = "DIR")]
    campaign: Option<PathBuf>,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
}

/// The description of an experiment.
pub trait Experiment {
    /// What is compared.
    type Setting: Setting;
    /// What a run measures besides its outcome and its time.
    type Measured: Measured;

    /// The instances in the order in which they run.
    fn instances(&self) -> Vec<Instance>;

    /// The settings in the order in which they run on an instance.
    fn settings(&self) -> Vec<Self::Setting>;

    /// Whether a setting runs on an instance.
    fn applies(&self, _setting: &Self::Setting, _instance: &Instance) -> bool {
        true
    }

    /// Runs a setting on an instance. An error ends the experiment.
    fn measure(
        &self,
        bench: &Bench,
        instance: &Instance,
        setting: &Self::Setting,
    ) -> Result<Run<Self::Measured>, String>;

    /// The tables and figures. The harness adds the faults.
    fn report(&self, results: &ResultsOf<Self>) -> Report;
}

/// What an experiment has measured.
pub type ResultsOf<E> = Results<<E as Experiment>::Setting, <E as Experiment>::Measured>;

/// A program with its options.
pub trait Setting: PartialEq {
    /// The name in tables and in the log. It is unique and contains no comma.
    fn name(&self) -> String;

    /// Whether a run without a report is a fault.
    fn must_report(&self) -> bool {
        true
    }
}

/// Runs an experiment and prints its report.
pub fn run<E: Experiment>(
    experiment: Result<E, String>,
    limit: u32,
    options: &RunOptions,
) -> ExitCode {
    finish(experiment.and_then(|experiment| {
        let Some(results) = measure(&experiment, limit, options)? else { return Ok(true) };
        print!("{}", report(&experiment, &results).text());
        Ok(results.faults().is_empty())
    }))
}

/// The exit code of a command: 0 if all is right, 1 if a result is wrong, and 2 after an
/// error, which is printed.
pub fn finish(all_right: Result<bool, String>) -> ExitCode {
    match all_right {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Writes a file.
pub fn write(file: &Path, text: impl AsRef<[u8]>) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The results of all runs; none in a process that runs only its share of them.
pub fn measure<E: Experiment>(
    experiment: &E,
    limit: u32,
    options: &RunOptions,
) -> Result<Option<ResultsOf<E>>, String> {
    let bench = Bench::new(limit, options.elinvar.as_deref())?;
    let open = || options.csv.as_deref().map(Log::open).transpose().map(Option::unwrap_or_default);
    // Opened before other processes append to it, so that it ends with a whole row.
    let mut log = open()?;
    if options.jobs > 1 && options.share.is_none() {
        if options.csv.is_none() {
            return Err("more than one job needs --csv, which collects their runs".into());
        }
        share::run_all(options.jobs)?;
        log = open()?;
    }
    let mut instances = experiment.instances();
    if let Some(share) = options.share {
        instances = share.of(instances);
    }
    let mut results = Results { limit, settings: experiment.settings(), rows: Vec::new() };
    let count = instances.len();
    for (index, instance) in instances.into_iter().enumerate() {
        let mut runs = Vec::new();
        for setting in &results.settings {
            if !experiment.applies(setting, &instance) {
                runs.push(None);
                continue;
            }
            let run = known_or_new(experiment, &bench, &mut log, &instance, setting)?;
            let (path, name, word) = (&instance.path, setting.name(), run.outcome.word());
            eprintln!("{}/{count} {path}: {name}: {word}, {:.2} s", index + 1, run.seconds);
            runs.push(Some(run));
        }
        results.rows.push(Row { instance, runs });
        if options.share.is_none() {
            write_reports(experiment, &results, options)?;
        }
    }
    Ok(options.share.is_none().then_some(results))
}

fn write_reports<E: Experiment>(
    experiment: &E,
    results: &ResultsOf<E>,
    options: &RunOptions,
) -> Result<(), String> {
    if options.html.is_none() && options.campaign.is_none() {
        return Ok(());
    }
    let report = report(experiment, results);
    if let Some(file) = &options.html {
        write(file, report.html())?;
    }
    match &options.campaign {
        Some(folder) => campaign::write_folder(results, report.title, folder),
        None => Ok(()),
    }
}

fn known_or_new<E: Experiment>(
    experiment: &E,
    bench: &Bench,
    log: &mut Log<E::Measured>,
    instance: &Instance,
    setting: &E::Setting,
) -> Result<Run<E::Measured>, String> {
    let (path, name, limit) = (&instance.path, setting.name(), bench.limit);
    if let Some(run) = log.find(path, &name, limit) {
        return Ok(run);
    }
    let run = experiment.measure(bench, instance, setting)?.within(limit);
    log.keep(path, &name, limit, &run)?;
    Ok(run)
}

/// The report of an experiment with its faults.
pub fn report<E: Experiment>(experiment: &E, results: &ResultsOf<E>) -> Report {
    Report { faults: Some(results.faults()), ..experiment.report(results) }
}
