//! The experiments of AVY: section 5 of Vizel and Gurfinkel, "Interpolating Property
//! Directed Reachability" (CAV 2014).
//!
//! Every engine runs on every model. The results are those of the paper: solved models
//! (Table 1), depths of convergence, clauses and times (Table 2), times against each other
//! (Figure 1), and the effect of each technique.
//!
//! Two things differ from the paper: a run that is stopped reports no depth, and the time of
//! a run includes the check of its evidence.

mod proof;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rustc_hash::FxHashMap;

use crate::harness::bench::{Bench, Check, Refusal};
use crate::harness::list::{self, Instance};
use crate::harness::report::{Plot, Report, Section};
use crate::harness::run::Run;
use crate::harness::{self, Experiment, ResultsOf};
use proof::Proof;

/// The engine of the paper, and its techniques by the options that turn each of them off or
/// on.
const AVY: &str = "avy";
const VARIANTS: [&str; 4] =
    ["--no-global-trace", "--no-min-suffix", "--min-core", "--no-shallow-push"];

#[derive(Args)]
pub struct Options {
    /// The models: a table (`.csv`) with a column `path`, and perhaps `expected` (`safe`,
    /// `unsafe`) and times of the paper, such as `seed_pdr_s`
    #[arg(long, value_name = "LIST")]
    models: PathBuf,
    /// The folder at which paths start [default: that of the list]
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// The engines; the last one is compared with the others
    #[arg(long, value_delimiter = ',', default_value = "itp,pdr,avy", value_name = "NAME")]
    engines: Vec<String>,
    /// Also run `avy`, the last engine, without each of its techniques
    #[arg(long)]
    ablation: bool,
    /// Only so many models, at equal distances in the list
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    #[command(flatten)]
    harness: harness::RunOptions,
}

pub fn run(options: &Options) -> ExitCode {
    harness::run(Avy::new(options), options.limit, &options.harness)
}

/// The description of the experiment.
struct Avy {
    models: Vec<Instance>,
    /// The last one is compared with the others.
    engines: Vec<String>,
    /// Options of the last engine.
    variants: Vec<&'static str>,
    /// The times of the paper by path, then by engine.
    paper: FxHashMap<String, Vec<Option<PaperTime>>>,
}

/// An engine, perhaps with an option.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Setting {
    engine: String,
    option: Option<&'static str>,
}

/// A time in the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
enum PaperTime {
    Seconds(f64),
    TooLong,
}

impl harness::Setting for Setting {
    fn name(&self) -> String {
        match self.option {
            Some(option) => format!("{} {option}", self.engine),
            None => self.engine.clone(),
        }
    }
}

impl PaperTime {
    fn of_cell(cell: &str) -> Result<Option<Self>, String> {
        match cell {
            "" => Ok(None),
            "TO" => Ok(Some(PaperTime::TooLong)),
            number => match number.parse() {
                Ok(seconds) => Ok(Some(PaperTime::Seconds(seconds))),
                Err(_) => Err(format!("`{number}` is neither a number of seconds nor `TO`")),
            },
        }
    }
}

impl Avy {
    fn new(options: &Options) -> Result<Self, String> {
        let models = list::read(&options.models, options.root.as_deref(), None)?;
        let models = list::sample(models, options.sample);
        let last = options.engines.last().map(String::as_str);
        if options.ablation && last != Some(AVY) {
            return Err(format!("with --ablation the last engine is {AVY}"));
        }
        let times = |model: &Instance| {
            let cells = options.engines.iter().map(|engine| format!("seed_{engine}_s"));
            let times = cells.map(|column| PaperTime::of_cell(model.cell(&column)));
            let times = times.collect::<Result<_, _>>();
            Ok((model.path.clone(), times.map_err(|error| format!("{}: {error}", model.path))?))
        };
        Ok(Avy {
            paper: models.iter().map(times).collect::<Result<_, String>>()?,
            models,
            engines: options.engines.clone(),
            variants: if options.ablation { VARIANTS.to_vec() } else { Vec::new() },
        })
    }

    /// The engine that is compared with the others.
    fn subject(&self) -> usize {
        self.engines.len() - 1
    }

    fn others(&self) -> std::ops::Range<usize> {
        0..self.subject()
    }
}

impl Experiment for Avy {
    type Setting = Setting;
    type Measured = Proof;

    fn instances(&self) -> Vec<Instance> {
        self.models.clone()
    }

    /// The engines, then the variants of the last one.
    fn settings(&self) -> Vec<Setting> {
        let engine = |engine: &String| Setting { engine: engine.clone(), option: None };
        let subject = &self.engines[self.subject()];
        let variant = |&option| Setting { option: Some(option), ..engine(subject) };
        self.engines.iter().map(engine).chain(self.variants.iter().map(variant)).collect()
    }

    fn measure(
        &self,
        bench: &Bench,
        instance: &Instance,
        setting: &Setting,
    ) -> Result<Run<Proof>, String> {
        let options: Vec<String> = setting.option.iter().map(|&option| option.to_owned()).collect();
        let (engine, refusal) = (&setting.engine, Refusal::EndsExperiment);
        let check = Check { engine, options: &options, seconds: bench.limit, refusal };
        bench.check(instance, &check, Proof::of_report)
    }

    fn report(&self, results: &ResultsOf<Self>) -> Report {
        let (limit, models) = (results.limit, results.rows.len());
        let introduction = format!(
            "{models} models, as in section 5 of Vizel and Gurfinkel, “Interpolating Property \
             Directed Reachability” (CAV 2014). Processor seconds of the whole process, with a \
             limit of {limit} s (TO); the paper's times are of another machine, with a limit of \
             900 s. Every verdict was confirmed by the checker."
        );
        let plot = |other: usize| {
            let names = [other, self.subject()].map(|index| (index, &self.engines[index][..]));
            let svg = results.times_against(results.rows.iter(), names)?;
            Some(Plot { caption: String::new(), svg })
        };
        let section =
            |title: &str, table| Section { title: title.into(), table, ..Section::default() };
        let mut sections = vec![
            section(
                &format!("Table 1: solved of {models} models, within {limit} s"),
                Some(self.solved(results)),
            ),
            Section {
                plots: self.others().filter_map(plot).collect(),
                introduction: Some("Unsolved models lie on the upper or the right border.".into()),
                ..section("Figure 1: times", None)
            },
            section(
                "Table 2: depths of convergence, sizes of proofs, processor seconds",
                Some(self.details(results)),
            ),
            Section { notes: self.summary(results), ..section("Summary", None) },
        ];
        sections.extend(
            self.ablation(results).map(|table| section("Effect of each technique", Some(table))),
        );
        Report { title: "Interpolation and PDR", introduction, sections, faults: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::page::tests::is_sound;
    use crate::harness::testing::{Desk, instance, options};

    /// Two models, and a program that proves the first, refutes the second, and counts how
    /// often it ran.
    fn desk(expected: [&str; 2]) -> Desk {
        let [one, two] = expected;
        let list = format!("path,expected,seed_avy_s\none.aig,{one},829.12\ntwo.aig,{two},TO\n");
        let desk = Desk::new(&list, "");
        let report = |verdict: &str| {
            let property = format!(
                r#"{{"verdict": "{verdict}", "depth": 3, "certificate": {{"clauses": 4}}}}"#
            );
            format!(r#"echo '{{"verdict": "{verdict}", "properties": [{property}]}}'"#)
        };
        let text = format!(
            "echo \"$4 $6\" >> CALLS\ncase \"$4 $5\" in\nnone*) exit 2;;\nbroken*) exit 3;;\n\
             *one.aig) {};;\n*) {};;\nesac\n",
            report("safe"),
            report("unsafe"),
        );
        desk.script("elinvar", &text);
        desk
    }

    fn measure(desk: &Desk, more: &[&str]) -> Result<(Avy, ResultsOf<Avy>), String> {
        let (list, elinvar) = (desk.path("index.csv"), desk.path("elinvar"));
        let words = ["--models", &list, "--elinvar", &elinvar, "--limit", "9"];
        let options: Options = options(&[&words[..], more].concat());
        let avy = Avy::new(&options)?;
        let results = harness::measure(&avy, options.limit, &options.harness)?;
        Ok((avy, results.expect("all instances")))
    }

    #[test]
    fn engines_take_turns_on_each_model() {
        let desk = desk(["safe", ""]);
        let html = desk.path("out.html");
        let (avy, results) = measure(&desk, &["--html", &html]).unwrap();
        assert_eq!(desk.calls(), ["itp", "pdr", "avy", "itp", "pdr", "avy"]);
        let text = harness::report(&avy, &results).text();
        assert!(text.starts_with("Table 1: solved of 2 models, within 9 s\n"), "{text}");
        assert!(text.contains("unsafe    1    1    1"), "{text}");
        assert!(text.contains("829.12") && text.ends_with(": 0\n"), "{text}");
        let page = std::fs::read_to_string(html).unwrap();
        is_sound(&page).unwrap();
        assert!(page.contains("Figure 1"));
    }

    #[test]
    fn known_runs_are_not_repeated() {
        let desk = desk(["safe", ""]);
        let csv = desk.path("runs.csv");
        let words = ["--csv", &csv, "--engines", "pdr,avy", "--sample", "1"];
        measure(&desk, &words).unwrap();
        assert_eq!(desk.calls(), ["pdr", "avy"]);
        let (avy, results) = measure(&desk, &words[..4]).unwrap();
        assert_eq!(desk.calls()[2..], ["pdr", "avy"], "the second model only");
        let (_, again) = measure(&desk, &words[..4]).unwrap();
        assert_eq!(desk.calls().len(), 4);
        assert_eq!(avy.report(&again).text(), avy.report(&results).text());
    }

    #[test]
    fn the_ablation_runs_all_variants() {
        let desk = desk(["safe", "unsafe"]);
        let words = ["--ablation", "--engines", "avy", "--sample", "1"];
        let (avy, results) = measure(&desk, &words).unwrap();
        let variants = VARIANTS.map(|option| format!("avy {option}"));
        assert_eq!(desk.calls()[0], "avy");
        assert_eq!(desk.calls()[1..], variants);
        assert!(avy.report(&results).text().contains("\nEffect of each technique\n"));
        assert!(measure(&desk, &["--ablation", "--engines", "avy,pdr"]).is_err());
    }

    #[test]
    fn wrong_verdicts_and_failures_are_faults() {
        let (_, results) = measure(&desk(["safe", "safe"]), &["--engines", "pdr,broken"]).unwrap();
        let faults = [
            "one.aig: broken ended without a report",
            "two.aig: pdr says unsafe, expected is safe",
            "two.aig: broken ended without a report",
        ];
        assert_eq!(results.faults(), faults);
    }

    #[test]
    fn an_unknown_engine_ends_the_experiment() {
        let desk = desk(["safe", "safe"]);
        let error = measure(&desk, &["--engines", "none,pdr"]).err().unwrap();
        assert!(error.contains("no report on"), "{error}");
        assert_eq!(desk.calls(), ["none"]);
    }

    #[test]
    fn times_of_the_paper_are_numbers_or_time_outs() {
        assert_eq!(PaperTime::of_cell("829.12"), Ok(Some(PaperTime::Seconds(829.12))));
        assert_eq!(PaperTime::of_cell("TO"), Ok(Some(PaperTime::TooLong)));
        assert_eq!(PaperTime::of_cell(instance("a", None).cell("seed_pdr_s")), Ok(None));
        let error = PaperTime::of_cell("soon").unwrap_err();
        assert_eq!(error, "`soon` is neither a number of seconds nor `TO`");
    }
}
