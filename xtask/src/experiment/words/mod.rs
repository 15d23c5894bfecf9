//! The experiments of the engine on words: section 4 of Welp and Kuehlmann, "Property
//! Directed Reachability for QF_BV with Mixed Type Atomic Reasoning Units" (ASP-DAC 2014).
//!
//! Every setting runs on every model, a process for each run, with a limit of processor
//! time; on one model all settings, then on the next, so that what slows the machine slows
//! all of them. The results are those of the paper: solved models by the probability of
//! Boolean cubes (Figure 6), expansion factors by simulation (Figure 7), solved models by
//! simulation (Figure 8), and times against programs on bits (Figure 9).
//!
//! The time of a run includes the check of its evidence. If a verdict is not what is known
//! of the model, or a run of the engine ends without a report, the command fails.

mod expansion;
mod factors;
mod html;
mod kinds;
mod lines;
mod list;
mod peers;
mod probability;
mod record;
mod results;
mod runs;
mod section;
mod settings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::log::Log;
use super::share::{self, Share};
use crate::process;
use list::Instance;
use results::{Results, Row};
use runs::{Laboratory, Peers};
use section::Section;
use settings::{Peer, Setting};

#[derive(Args)]
pub struct Options {
    /// The models: a folder with an `index.csv`, or such a table, with the columns `path`,
    /// `part` and `expected`
    #[arg(long, value_name = "PATH", default_value = "benches/words")]
    models: PathBuf,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// The figures of the paper
    #[arg(long, value_delimiter = ',', default_value = "6,7,8,9", value_name = "NUMBER")]
    figures: Vec<Figure>,
    /// Figure 6: the probabilities of Boolean cubes
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
        value_name = "C",
        value_parser = probability_of
    )]
    probabilities: Vec<f64>,
    /// Figure 6: how many runs for each probability, with different seeds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// How many models to work on at the same time; more than one needs --csv
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    jobs: u32,
    /// What one of several processes does
    #[arg(long, hide = true)]
    share: Option<Share>,
    /// Figure 9: the command of ABC [default: the first of `abc` and `berkeley-abc` that is
    /// installed]
    #[arg(long, value_name = "PATH")]
    abc: Option<String>,
    /// Figure 9: the command of rIC3
    #[arg(long, value_name = "PATH")]
    ric3: Option<String>,
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

/// A figure of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
enum Figure {
    #[value(name = "6")]
    Probability,
    #[value(name = "7")]
    Expansion,
    #[value(name = "8")]
    Kinds,
    #[value(name = "9")]
    Peers,
}

fn probability_of(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a probability is a number from 0 to 1".to_owned())
}

pub fn run(options: &Options) -> ExitCode {
    match measure(options) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some((plan, results))) => {
            print!("{}", text(&plan, &results));
            if results.faults().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// All runs; no results from a process that has only a share of them.
fn measure(options: &Options) -> Result<Option<(Plan, Results)>, String> {
    let elinvar = process::elinvar(options.elinvar.as_deref())?;
    let instances = list::read(&options.models)?;
    let (found, missing) = peers_of(options);
    let plan = Plan::new(options, &found, missing);
    // Opened before others write to it, so that it is whole.
    let open = || options.csv.as_deref().map(Log::open).transpose().map(Option::unwrap_or_default);
    let mut log = open()?;
    if options.jobs > 1 && options.share.is_none() {
        if options.csv.is_none() {
            return Err("more than one job needs --csv, where their runs come together".into());
        }
        share::run_all(options.jobs)?;
        log = open()?;
    }
    let laboratory = Laboratory::new(elinvar, found, options.limit, log)?;
    match options.share {
        Some(share) => {
            measure_all(options, &plan, share.of(instances), laboratory, None)?;
            Ok(None)
        }
        None => {
            let html = options.html.as_deref();
            let results = measure_all(options, &plan, instances, laboratory, html)?;
            Ok(Some((plan, results)))
        }
    }
}

fn measure_all(
    options: &Options,
    plan: &Plan,
    instances: Vec<Instance>,
    mut laboratory: Laboratory,
    html: Option<&Path>,
) -> Result<Results, String> {
    let settings = plan.settings();
    let count = instances.len();
    let mut results = Results { limit: options.limit, settings, rows: Vec::new() };
    for (index, instance) in instances.into_iter().enumerate() {
        let mut row = Row { instance, runs: Default::default() };
        for &setting in &results.settings {
            if matches!(setting, Setting::Peer(_)) && !peers::is_comparable(&row.instance) {
                continue;
            }
            let run = laboratory.run(&row.instance, setting)?;
            let (path, name, word) = (&row.instance.path, setting.name(), run.outcome.word());
            eprintln!("{}/{count} {path}: {name}: {word}, {:.2} s", index + 1, run.seconds);
            row.runs.insert(name, run);
        }
        results.rows.push(row);
        if let Some(file) = html {
            let sections = plan.sections(&results);
            let page = html::page(results.rows.len(), results.limit, &results.faults(), &sections);
            std::fs::write(file, page)
                .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        }
    }
    Ok(results)
}

/// The programs of others, and which are not there.
fn peers_of(options: &Options) -> (Peers, Vec<String>) {
    let mut missing = Vec::new();
    let mut find = |name: &str, given: &Option<String>, usual: &[&str]| {
        let names = given.as_deref().map_or(usual.to_vec(), |given| vec![given]);
        let found = names.iter().find_map(|name| process::find(name));
        if found.is_none() {
            let why =
                given.as_ref().map_or("no command is given or installed".to_owned(), |path| {
                    format!("there is no command {path}")
                });
            missing.push(format!("{name} is left out: {why}."));
        }
        found
    };
    let abc = find("ABC", &options.abc, &["abc", "berkeley-abc"]);
    let ric3 = find("rIC3", &options.ric3, &[]);
    (Peers { abc, ric3 }, missing)
}

/// What is measured and shown.
struct Plan {
    figures: Vec<Figure>,
    probabilities: Vec<f64>,
    seeds: u32,
    peers: Vec<Peer>,
    /// Why peers are missing.
    missing: Vec<String>,
}

impl Plan {
    fn new(options: &Options, peers: &Peers, missing: Vec<String>) -> Self {
        let mut figures = options.figures.clone();
        figures.sort();
        figures.dedup();
        let mut probabilities = options.probabilities.clone();
        probabilities.sort_by(f64::total_cmp);
        probabilities.dedup();
        Plan { figures, probabilities, seeds: options.seeds, peers: peers.all(), missing }
    }

    /// Those of all figures, each once.
    fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        for setting in self.figures.iter().flat_map(|&figure| self.settings_of(figure)) {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }

    fn settings_of(&self, figure: Figure) -> Vec<Setting> {
        match figure {
            Figure::Probability => probability::settings(&self.probabilities, self.seeds),
            Figure::Expansion => expansion::SETTINGS.to_vec(),
            Figure::Kinds => kinds::settings(),
            Figure::Peers => peers::settings(&self.peers),
        }
    }

    fn sections(&self, results: &Results) -> Vec<Section> {
        let section = |figure: &Figure| match figure {
            Figure::Probability => probability::section(results, &self.probabilities, self.seeds),
            Figure::Expansion => expansion::section(results),
            Figure::Kinds => kinds::section(results),
            Figure::Peers => peers::section(results, &self.peers, &self.missing),
        };
        self.figures.iter().map(section).collect()
    }
}

/// All tables, and what went wrong.
fn text(plan: &Plan, results: &Results) -> String {
    let sections: Vec<String> = plan.sections(results).iter().map(Section::text).collect();
    let faults = results.faults();
    let mut text = sections.join("\n");
    text += &format!("\nwrong verdicts and runs without a report: {}\n", faults.len());
    text.extend(faults.iter().map(|fault| format!("FAULT: {fault}\n")));
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::experiment::page::tests::is_sound;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: Options,
    }

    /// A folder with two models, a program that proves the first, refutes the second, and
    /// notes its options, and an ABC that proves all.
    struct Bench(tempfile::TempDir);

    impl Bench {
        fn new(expected: [&str; 2]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let [one, two] = expected;
            let list = format!("path,part,expected\none,bits,{one}\ntwo,linear,{two}\n");
            std::fs::write(folder.path().join("index.csv"), list).unwrap();
            for model in ["one", "two"] {
                std::fs::write(folder.path().join(model), "1 bad 2\n").unwrap();
            }
            let factors = r#"{"ternary": 1, "interval": 2, "hybrid": 3, "product": 4}"#;
            let statistics = format!(r#"{{"words": {{"log2_factors": [{factors}]}}}}"#);
            let report = |verdict: &str| {
                format!(r#"echo '{{"verdict": "{verdict}", "statistics": {statistics}}}'"#)
            };
            let text = format!(
                "shift 4; model=$1; shift\n[ \"$1\" = --seed ] && echo \"$*\" >> {}\n\
                 case \"$model\" in\n*one) {};;\n*) {};;\nesac\n",
                folder.path().join("calls").display(),
                report("safe"),
                report("unsafe"),
            );
            let convert = format!("[ \"$1\" = convert ] && exit 0\n{text}");
            process::script(folder.path(), "elinvar", &convert);
            process::script(folder.path(), "abc", "echo 'Status = 1  Frames = 4'\n");
            Bench(folder)
        }

        fn path(&self, name: &str) -> String {
            self.0.path().join(name).display().to_string()
        }

        fn options(&self, more: &[&str]) -> Options {
            let (models, elinvar) = (self.path(""), self.path("elinvar"));
            let words = ["words", "--models", &models, "--elinvar", &elinvar, "--limit", "9"];
            Command::parse_from(words.iter().chain(more)).options
        }

        fn measure(&self, more: &[&str]) -> Result<(Plan, Results), String> {
            Ok(measure(&self.options(more))?.expect("no share of it"))
        }

        fn calls(&self) -> Vec<String> {
            let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        }
    }

    #[test]
    fn figures_share_their_runs_and_what_was_run_is_not_run_again() {
        let bench = Bench::new(["safe", "unsafe"]);
        let (csv, html) = (bench.path("runs.csv"), bench.path("out.html"));
        let words = ["--seeds", "1", "--probabilities", "0.5", "--csv", &csv, "--html", &html];
        let abc = bench.path("no-such-abc");
        let words = words.into_iter().chain(["--abc", &abc]).collect::<Vec<_>>();
        let (plan, results) = bench.measure(&words).unwrap();
        let options = [
            "--seed 0 --cube-probability 0.5",
            "--seed 0",
            "--seed 0 --cube-probability 0.5 --compare-simulations --timeout 9",
            "--seed 0 --cube-probability 0.5 --simulation ternary",
            "--seed 0 --cube-probability 0.5 --simulation interval",
            "--seed 0 --cube-probability 0.5 --simulation hybrid",
        ];
        assert_eq!(bench.calls(), [options, options].concat());
        assert!(results.faults().is_empty(), "{:?}", results.faults());
        let first = text(&plan, &results);
        assert!(first.contains("ABC is left out: there is no command"), "{first}");
        let page = std::fs::read_to_string(&html).unwrap();
        is_sound(&page).unwrap();
        assert_eq!(page.matches("<h2>").count(), 4);
        let (plan, results) = bench.measure(&words).unwrap();
        assert_eq!((bench.calls().len(), text(&plan, &results)), (12, first));
    }

    #[test]
    fn wrong_verdicts_of_all_programs_are_faults() {
        let bench = Bench::new(["unsafe", "unsafe"]);
        let abc = bench.path("abc");
        let (plan, results) = bench.measure(&["--figures", "9", "--abc", &abc]).unwrap();
        let faults = [
            "one: words --seed 0 says safe, expected is unsafe",
            "one: ABC pdr says safe, expected is unsafe",
            "two: ABC pdr says safe, expected is unsafe",
        ];
        assert_eq!(results.faults(), faults);
        assert!(text(&plan, &results).ends_with(&format!("FAULT: {}\n", faults[2])));
    }

    #[test]
    fn a_share_of_the_models_gives_no_results() {
        let bench = Bench::new(["safe", "unsafe"]);
        let options = bench.options(&["--figures", "7", "--share", "1/2"]);
        assert!(measure(&options).unwrap().is_none());
        assert_eq!(bench.calls().len(), 1);
        let error = bench.measure(&["--jobs", "2"]).err().unwrap();
        assert!(error.contains("needs --csv"), "{error}");
    }

    #[test]
    fn probabilities_are_checked() {
        assert_eq!(probability_of("0.25"), Ok(0.25));
        assert!(["1.1", "-0.1", "NaN", "c"].iter().all(|text| probability_of(text).is_err()));
    }
}
