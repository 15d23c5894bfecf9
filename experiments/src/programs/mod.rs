//! The experiment on programs: Table 5.1 of Werner, "Property Directed Reachability for
//! Software" (2018).
//!
//! Every setting runs on every program, with limits of processor time and of memory. For each
//! category of programs and each setting the table has the number of solved programs, their
//! time, and how the other runs ended. Z3's Spacer runs on the same programs as Horn clauses.
//!
//! The time of the engine includes the check of its evidence; that of Spacer does not include
//! the translation.

mod settings;
mod spacer;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::harness::bench::{Bench, Check, Refusal};
use crate::harness::list::{self, Instance};
use crate::harness::outcome::{Outcome, Verdict};
use crate::harness::report::{Report, Section};
use crate::harness::results::Group;
use crate::harness::run::{Measured, Run};
use crate::harness::table::Table;
use crate::harness::{self, Experiment, ResultsOf, Setting as _, process};
use settings::{Program, Setting};

#[derive(Args)]
pub struct Options {
    /// The programs: a table with the columns `path`, `category` and `expected`, whose paths
    /// start at its folder
    #[arg(long, value_name = "FILE")]
    programs: PathBuf,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// MiB of memory for each run
    #[arg(long, default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Which settings to measure
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "thesis,thesis-plus,ours,ours-minus,spacer",
        value_name = "LIST"
    )]
    settings: Vec<settings::Group>,
    /// The command of Z3; global guidance needs a newer version than 4.8.12
    #[arg(long, value_name = "PATH", default_value = "z3")]
    z3: String,
    #[command(flatten)]
    harness: harness::RunOptions,
}

pub fn run(options: &Options) -> ExitCode {
    harness::run(Programs::new(options), options.limit, &options.harness)
}

/// The description of the experiment.
struct Programs {
    programs: Vec<Instance>,
    settings: Vec<Setting>,
    /// MiB.
    memory: u32,
    z3: PathBuf,
}

/// Why there is no verdict, if that is known.
#[derive(Clone, PartialEq, Debug, Default)]
struct Reason(String);

impl Measured for Reason {
    const COLUMNS: &'static [&'static str] = &["reason"];

    fn cells(&self) -> Vec<String> {
        vec![self.0.clone()]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[reason] = cells else { return None };
        Some(Reason(reason.to_owned()))
    }

    /// Commas and line breaks cannot be kept in a cell.
    fn failed(reason: &str) -> Self {
        let clean = |c: char| if c == ',' || c.is_control() { ';' } else { c };
        Reason(reason.trim().chars().map(clean).collect())
    }
}

impl Programs {
    fn new(options: &Options) -> Result<Self, String> {
        let settings = settings::of_groups(&options.settings);
        let z3 = process::find(&options.z3);
        if z3.is_none() && settings.iter().any(Setting::is_spacer) {
            return Err(format!("there is no command {}; --settings can omit it", options.z3));
        }
        Ok(Programs {
            programs: list::read(&options.programs, None, Some("category"))?,
            settings,
            memory: options.memory,
            z3: z3.unwrap_or_default(),
        })
    }

    fn table(&self, results: &ResultsOf<Self>, group: &Group) -> Table {
        let mut table = Table::new([
            "setting",
            "solved",
            "safe",
            "unsafe",
            "time",
            "timeouts",
            "exceptions",
            "unknown",
        ]);
        for (index, setting) in results.settings.iter().enumerate() {
            let with = |verdict| {
                let rows = results.rows_of(group);
                rows.filter(|row| row.solved(index) == Some(verdict)).count().to_string()
            };
            let count = |outcome| {
                let runs = results.rows_of(group).filter_map(|row| row.runs[index].as_ref());
                runs.filter(|run| run.outcome == outcome).count().to_string()
            };
            let times = results.times(group, index);
            let mut cells = vec![setting.name(), times.len().to_string()];
            cells.extend(Verdict::ALL.map(with));
            cells.push(format!("{:.1}", times.iter().sum::<f64>()));
            cells.extend([Outcome::TooLong, Outcome::Failed, Outcome::Unknown].map(count));
            table.push(cells);
        }
        table
    }
}

impl Experiment for Programs {
    type Setting = Setting;
    type Measured = Reason;

    fn instances(&self) -> Vec<Instance> {
        self.programs.clone()
    }

    fn settings(&self) -> Vec<Setting> {
        self.settings.clone()
    }

    fn measure(
        &self,
        bench: &Bench,
        instance: &Instance,
        setting: &Setting,
    ) -> Result<Run<Reason>, String> {
        let options = match setting.program {
            Program::Cfg(options) => options,
            Program::Spacer(parameters) => {
                return spacer::measure(bench, &self.z3, self.memory, instance, parameters);
            }
        };
        let memory = self.memory.to_string();
        let options: Vec<String> =
            options.iter().copied().chain(["--memory", &memory]).map(str::to_owned).collect();
        let (seconds, refusal) = (bench.limit, Refusal::FailsRun);
        let check = Check { engine: "cfg", options: &options, seconds, refusal };
        bench.check(instance, &check, read)
    }

    /// A table for each category, in the order of the list, and one for all together.
    fn report(&self, results: &ResultsOf<Self>) -> Report {
        let introduction = format!(
            "{} programs, as in Table 5.1 of Werner, “Property Directed Reachability for \
             Software” (2018). Processor seconds of the whole process, with a limit of {} s. Every \
             verdict of the engine was confirmed by the checker.",
            results.rows.len(),
            results.limit
        );
        let section = |group: &Group| {
            let title = match results.rows_of(group).count() {
                1 => format!("{}: 1 program", group.name()),
                count => format!("{}: {count} programs", group.name()),
            };
            let table = Some(self.table(results, group));
            Section { title, table, ..Section::default() }
        };
        let sections = results.groups().iter().map(section).collect();
        let title = "Programs: property directed reachability at locations";
        Report { title, introduction, sections, faults: None }
    }
}

fn read(report: &Value) -> Option<(Outcome, Reason)> {
    let outcome = Outcome::of_word(report["verdict"].as_str()?)?;
    Some((outcome, Reason::failed(report["reason"].as_str().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::page::tests::is_sound;
    use crate::harness::results::Row;
    use crate::harness::testing::{Desk, instance, options, run};

    /// Two programs, an engine that proves the first and fails on the second, and a Spacer
    /// that refutes all.
    fn desk(expected: &str) -> Desk {
        let list = format!("path,category,expected\none,a,{expected}\ntwo,b,\n");
        let desk = Desk::new(&list, "");
        desk.script(
            "elinvar",
            "echo \"$*\" >> CALLS\n[ \"$1\" = convert ] && exit 0\ncase \"$*\" in\n\
             */one*) echo '{\"verdict\": \"safe\"}'; exit 20;;\nesac\necho oops >&2; exit 2\n",
        );
        desk.script("z3", "echo unsat\n");
        desk
    }

    fn measure(desk: &Desk, more: &[&str]) -> (Programs, ResultsOf<Programs>) {
        let (list, elinvar) = (desk.path("index.csv"), desk.path("elinvar"));
        let z3 = desk.path("z3");
        let words = ["--programs", &list, "--elinvar", &elinvar, "--z3", &z3, "--limit", "9"];
        let options: Options = options(&[&words[..], more].concat());
        let programs = Programs::new(&options).unwrap();
        let results = harness::measure(&programs, options.limit, &options.harness);
        (programs, results.unwrap().expect("all instances"))
    }

    #[test]
    fn endings_are_counted_and_kept() {
        let desk = desk("safe");
        let (csv, html) = (desk.path("runs.csv"), desk.path("out.html"));
        let words = ["--settings", "ours", "--csv", &csv, "--html", &html];
        let (programs, results) = measure(&desk, &words);
        let text = harness::report(&programs, &results).text();
        let ours = "ours          1     1       0   0.0         0           1        0";
        assert!(text.contains(ours), "{text}");
        assert!(text.ends_with("runs without a report: 0\n"), "{text}");
        is_sound(&std::fs::read_to_string(&html).unwrap()).unwrap();
        let calls = desk.calls().len();
        measure(&desk, &words);
        assert_eq!(desk.calls().len(), calls + 1, "failures are tried again");
    }

    #[test]
    fn wrong_verdicts_are_faults() {
        let desk = desk("safe");
        let (_, results) = measure(&desk, &["--settings", "spacer"]);
        let faults = results.faults();
        assert_eq!(faults[0], "one: spacer says unsafe, expected is safe");
        assert_eq!(faults.len(), 2);
        let converted = desk.calls().iter().filter(|call| call.starts_with("convert")).count();
        assert_eq!(converted, 2, "each program is translated once");
    }

    #[test]
    fn tables_count_by_category() {
        let row = |path, expected, words: [&str; 2]| Row {
            instance: instance(path, expected),
            runs: words.map(|word| Some(run(word, 1.5))).to_vec(),
        };
        let rows = vec![
            row("a/p", Some(Verdict::Safe), ["safe", "TO"]),
            row("b/q", Some(Verdict::Unsafe), ["unsafe", "failed"]),
            row("b/r", None, ["unknown", "safe"]),
        ];
        let settings = settings::of_groups(&[settings::Group::Spacer]);
        let programs =
            Programs { programs: vec![], settings: settings.clone(), memory: 1, z3: "".into() };
        let results = ResultsOf::<Programs> { limit: 9, settings, rows };
        let sections = programs.report(&results).sections;
        let titles: Vec<&str> = sections.iter().map(|section| &section.title[..]).collect();
        assert_eq!(titles, ["a: 1 program", "b: 2 programs", "all: 3 programs"]);
        let expected = "\
setting        solved  safe  unsafe  time  timeouts  exceptions  unknown
spacer              2     1       1   3.0         0           0        1
spacer global       1     1       0   1.5         1           1        0
";
        assert_eq!(sections[2].table.as_ref().unwrap().text(), expected);
        assert!(results.faults().is_empty());
    }

    #[test]
    fn reasons_become_cells() {
        let reason = Reason::failed("a, b\nc ");
        assert_eq!(reason.cells(), ["a; b;c"]);
        assert_eq!(Reason::of_cells(&["a; b;c"]), Some(reason));
    }
}
