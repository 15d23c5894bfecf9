//! The experiments of the engine on words: section 4 of Welp and Kuehlmann, "Property
//! Directed Reachability for QF_BV with Mixed Type Atomic Reasoning Units" (ASP-DAC 2014).
//!
//! The results are those of the paper: solved models by the probability of Boolean cubes
//! (Figure 6), expansion factors by simulation (Figure 7), solved models by simulation
//! (Figure 8), and times against programs on bits (Figure 9). The time of a run includes the
//! check of its evidence.

mod expansion;
mod factors;
mod kinds;
mod peers;
mod probability;
mod programs;
mod settings;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::harness::bench::{Bench, Check, Refusal};
use crate::harness::list::{self, Instance};
use crate::harness::outcome::Outcome;
use crate::harness::report::Report;
use crate::harness::results::{self, Group};
use crate::harness::run::Run;
use crate::harness::{self, Experiment, ResultsOf, process};
use factors::Comparison;
use programs::Programs;
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
    /// Figure 9: the command of ABC [default: the first of `abc` and `berkeley-abc` that is
    /// installed]
    #[arg(long, value_name = "PATH")]
    abc: Option<String>,
    /// Figure 9: the command of rIC3
    #[arg(long, value_name = "PATH")]
    ric3: Option<String>,
    #[command(flatten)]
    harness: harness::RunOptions,
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
    harness::run(Words::new(options), options.limit, &options.harness)
}

/// The description of the experiment.
#[derive(Default)]
struct Words {
    models: Vec<Instance>,
    /// The paths of models with another number of properties than one.
    several: FxHashSet<String>,
    figures: Vec<Figure>,
    probabilities: Vec<f64>,
    seeds: u32,
    programs: Programs,
    /// Why other programs are missing.
    missing: Vec<String>,
}

type Results = ResultsOf<Words>;
type Row = results::Row<Comparison>;

impl Words {
    fn new(options: &Options) -> Result<Self, String> {
        let models = &options.models;
        let list = if models.is_dir() { models.join("index.csv") } else { models.clone() };
        let models = list::read(&list, None, Some("part"))?;
        let mut several = FxHashSet::default();
        for model in &models {
            let text = std::fs::read_to_string(&model.file)
                .map_err(|error| format!("{}: {error}", model.file.display()))?;
            if properties(&text) != 1 {
                several.insert(model.path.clone());
            }
        }
        let mut figures = options.figures.clone();
        figures.sort();
        figures.dedup();
        let mut probabilities = options.probabilities.clone();
        probabilities.sort_by(f64::total_cmp);
        probabilities.dedup();
        let (programs, missing) = other_programs(options);
        let seeds = options.seeds;
        Ok(Words { models, several, figures, probabilities, seeds, programs, missing })
    }

    fn peers(&self) -> Vec<Peer> {
        self.programs.peers()
    }

    /// The models on which all programs mean the same by a verdict.
    fn comparable<'a>(&self, results: &'a Results, group: &Group) -> impl Iterator<Item = &'a Row> {
        results.rows_of(group).filter(|row| !self.several.contains(&row.instance.path))
    }

    fn settings_of(&self, figure: Figure) -> Vec<Setting> {
        match figure {
            Figure::Probability => probability::settings(&self.probabilities, self.seeds),
            Figure::Expansion => expansion::SETTINGS.to_vec(),
            Figure::Kinds => kinds::settings(),
            Figure::Peers => peers::settings(&self.peers()),
        }
    }
}

/// The number of bad states in a model in BTOR2.
fn properties(model: &str) -> usize {
    model.lines().filter(|line| line.split_whitespace().nth(1) == Some("bad")).count()
}

/// The other programs, and why some of them are missing.
fn other_programs(options: &Options) -> (Programs, Vec<String>) {
    let mut missing = Vec::new();
    let mut find = |name: &str, given: &Option<String>, usual: &[&str]| {
        let names = given.as_deref().map_or(usual.to_vec(), |given| vec![given]);
        let found = names.iter().find_map(|name| process::find(name));
        if found.is_none() {
            let why = match given {
                Some(path) => format!("there is no command {path}"),
                None => "no command is given or installed".to_owned(),
            };
            missing.push(format!("{name} is omitted: {why}."));
        }
        found
    };
    let abc = find("ABC", &options.abc, &["abc", "berkeley-abc"]);
    let ric3 = find("rIC3", &options.ric3, &[]);
    (Programs { abc, ric3 }, missing)
}

impl Experiment for Words {
    type Setting = Setting;
    type Measured = Comparison;

    fn instances(&self) -> Vec<Instance> {
        self.models.clone()
    }

    /// The settings of all figures, each once.
    fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        for setting in self.figures.iter().flat_map(|&figure| self.settings_of(figure)) {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }

    fn applies(&self, setting: &Setting, instance: &Instance) -> bool {
        match setting {
            Setting::Words(_) | Setting::Comparison => true,
            Setting::Peer(_) => !self.several.contains(&instance.path),
        }
    }

    fn measure(
        &self,
        bench: &Bench,
        instance: &Instance,
        setting: &Setting,
    ) -> Result<Run<Comparison>, String> {
        type Read = fn(&Value) -> Option<(Outcome, Comparison)>;
        let mut options = setting.options();
        let check = |options: &[String], seconds, read: Read| {
            let refusal = Refusal::EndsExperiment;
            bench.check(instance, &Check { engine: "words", options, seconds, refusal }, read)
        };
        match setting {
            Setting::Words(_) => check(&options, bench.limit, Comparison::without),
            Setting::Comparison => {
                // The engine stops by itself, so that it can report what it has compared.
                options.extend(["--timeout".into(), bench.limit.to_string()]);
                let seconds = bench.limit.saturating_mul(2).saturating_add(1);
                check(&options, seconds, Comparison::of_report)
            }
            Setting::Peer(peer) => self.programs.measure(bench, instance, *peer),
        }
    }

    fn report(&self, results: &Results) -> Report {
        let introduction = format!(
            "{} models, as in section 4 of Welp and Kuehlmann, “Property Directed Reachability \
             for QF_BV with Mixed Type Atomic Reasoning Units” (ASP-DAC 2014). Processor seconds \
             of the whole process, with a limit of {} s (TO). Every verdict of the engine was \
             confirmed by the checker.",
            results.rows.len(),
            results.limit
        );
        let section = |figure: &Figure| match figure {
            Figure::Probability => probability::section(results, &self.probabilities, self.seeds),
            Figure::Expansion => expansion::section(results),
            Figure::Kinds => kinds::section(results),
            Figure::Peers => peers::section(self, results),
        };
        let sections = self.figures.iter().map(section).collect();
        Report { title: "Words: cubes and polytopes", introduction, sections, faults: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::outcome::Verdict;
    use crate::harness::page::tests::is_sound;
    use crate::harness::testing::{Desk, instance, options};

    /// The runs on a model that is known to be safe.
    pub fn row(path: &str, runs: Vec<Run<Comparison>>) -> Row {
        let runs = runs.into_iter().map(Some).collect();
        Row { instance: instance(path, Some(Verdict::Safe)), runs }
    }

    /// Settings without runs are added at the end of each row.
    pub fn results(mut rows: Vec<Row>, settings: &[Setting]) -> Results {
        rows.iter_mut().for_each(|row| row.runs.resize(settings.len(), None));
        Results { limit: 10, settings: settings.to_vec(), rows }
    }

    /// Two models, a program that proves the first, refutes the second, and notes its
    /// options, and an ABC that proves all.
    fn desk(expected: [&str; 2]) -> Desk {
        let [one, two] = expected;
        let list = format!("path,part,expected\none,bits,{one}\ntwo,linear,{two}\n");
        let desk = Desk::new(&list, "1 bad 2\n");
        let factors = r#"{"ternary": 1, "interval": 2, "hybrid": 3, "product": 4}"#;
        let statistics = format!(r#"{{"words": {{"log2_factors": [{factors}]}}}}"#);
        let report = |verdict: &str| {
            format!(r#"echo '{{"verdict": "{verdict}", "statistics": {statistics}}}'"#)
        };
        let text = format!(
            "[ \"$1\" = convert ] && exit 0\nshift 4; model=$1; shift\n\
             [ \"$1\" = --seed ] && echo \"$*\" >> CALLS\n\
             case \"$model\" in\n*one) {};;\n*) {};;\nesac\n",
            report("safe"),
            report("unsafe"),
        );
        desk.script("elinvar", &text);
        desk.script("abc", "echo 'Status = 1  Frames = 4'\n");
        desk
    }

    fn parse(desk: &Desk, more: &[&str]) -> Options {
        let (models, elinvar) = (desk.path(""), desk.path("elinvar"));
        let words = ["--models", &models, "--elinvar", &elinvar, "--limit", "9"];
        options(&[&words[..], more].concat())
    }

    fn measure(desk: &Desk, more: &[&str]) -> (Words, Results) {
        let options = parse(desk, more);
        let words = Words::new(&options).unwrap();
        let results = harness::measure(&words, options.limit, &options.harness);
        (words, results.unwrap().expect("all instances"))
    }

    #[test]
    fn figures_share_their_runs_and_known_runs_are_not_repeated() {
        let desk = desk(["safe", "unsafe"]);
        let [csv, html, abc] = ["runs.csv", "out.html", "no-such-abc"].map(|name| desk.path(name));
        let words = ["--seeds", "1", "--probabilities", "0.5", "--csv", &csv, "--html", &html];
        let words = [&words[..], &["--abc", &abc]].concat();
        let (experiment, results) = measure(&desk, &words);
        let options = [
            "--seed 0 --cube-probability 0.5",
            "--seed 0",
            "--seed 0 --cube-probability 0.5 --compare-simulations --timeout 9",
            "--seed 0 --cube-probability 0.5 --simulation ternary",
            "--seed 0 --cube-probability 0.5 --simulation interval",
            "--seed 0 --cube-probability 0.5 --simulation hybrid",
        ];
        assert_eq!(desk.calls(), [options, options].concat());
        assert!(results.faults().is_empty(), "{:?}", results.faults());
        let first = harness::report(&experiment, &results).text();
        assert!(first.contains("ABC is omitted: there is no command"), "{first}");
        let page = std::fs::read_to_string(&html).unwrap();
        is_sound(&page).unwrap();
        assert_eq!(page.matches("<h2>").count(), 4);
        let (experiment, results) = measure(&desk, &words);
        let second = harness::report(&experiment, &results).text();
        assert_eq!((desk.calls().len(), second), (12, first));
    }

    #[test]
    fn wrong_verdicts_of_all_programs_are_faults() {
        let desk = desk(["unsafe", "unsafe"]);
        let abc = desk.path("abc");
        let (words, results) = measure(&desk, &["--figures", "9", "--abc", &abc]);
        let faults = [
            "one: words --seed 0 says safe, expected is unsafe",
            "one: ABC pdr says safe, expected is unsafe",
            "two: ABC pdr says safe, expected is unsafe",
        ];
        assert_eq!(results.faults(), faults);
        let text = harness::report(&words, &results).text();
        assert!(text.ends_with(&format!("FAULT: {}\n", faults[2])));
    }

    #[test]
    fn a_share_of_the_models_gives_no_results() {
        let desk = desk(["safe", "unsafe"]);
        let options = parse(&desk, &["--figures", "7", "--share", "1/2"]);
        let words = Words::new(&options).unwrap();
        assert!(harness::measure(&words, 9, &options.harness).unwrap().is_none());
        assert_eq!(desk.calls().len(), 1);
        let options = parse(&desk, &["--jobs", "2"]);
        let error = harness::measure(&words, 9, &options.harness).err().unwrap();
        assert!(error.contains("needs --csv"), "{error}");
    }

    #[test]
    fn other_programs_run_only_on_models_with_one_property() {
        let desk = desk(["safe", "unsafe"]);
        desk.file("two", "; 1 bad\n1 sort bitvec 1\n2 bad 3 p\n4 bad 5\n");
        let abc = desk.path("abc");
        let (_, results) = measure(&desk, &["--figures", "9", "--abc", &abc]);
        let has_run = |row: usize| results.rows[row].runs[1].is_some();
        assert_eq!((has_run(0), has_run(1)), (true, false));
    }

    #[test]
    fn probabilities_are_checked() {
        assert_eq!(probability_of("0.25"), Ok(0.25));
        assert!(["1.1", "-0.1", "NaN", "c"].iter().all(|text| probability_of(text).is_err()));
    }
}
