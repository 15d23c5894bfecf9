//! Tools on a list of models, for seeing progress from one build to the next.
//!
//! Every tool runs on a model before the next model starts, so that a slow phase of the machine
//! slows all of them. Each run has a limit of processor time for all its processes and is kept
//! in a file of runs (`record`), from which `board` makes tables, `page` a page with plots,
//! `seeds` the spread over seeds, `progress` the difference to an earlier file, `slots` the order of
//! engines in a race, and `shares` how engines should share one processor. The time of our binary includes the check of its evidence.

mod board;
mod page;
mod profile;
mod progress;
mod record;
mod seeds;
pub mod shares;
pub mod slots;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::harness::list::{self, Instance};
use crate::harness::outcome::Verdict;
use crate::harness::tree::{self, Limits};
use crate::harness::{finish, write};
use record::{Log, Record};
use tools::Tool;

#[derive(Args)]
pub struct Options {
    /// The file of runs. New runs are appended; those that are in it are not repeated
    #[arg(value_name = "RUNS.jsonl")]
    runs: PathBuf,
    /// The models: a table (`.csv`) with a column `path`, and perhaps `expected`, `format` and
    /// `class`. Without it, nothing runs, and the file is reported
    #[arg(long, value_name = "LIST")]
    models: Option<PathBuf>,
    /// The folder at which paths start [default: that of the list]
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Only models with one of these words in the column `format`
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    format: Vec<String>,
    /// Only models with one of these words in the column `class`
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    class: Vec<String>,
    /// Only so many models, at equal distances in the list
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// Tools: engines of our binary (`default`, `pdr`, `avy`, `bmc`, `kind`, `itp`, `imc`,
    /// `words`), or `ric3`, `abc-pdr`, `abc-bmc3`, `abc-int` if they are installed
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    tools: Vec<String>,
    /// Our binary with other options of `check`, such as `light=--engine pdr --ctg 0`
    #[arg(long, value_name = "NAME=OPTIONS", value_parser = pair)]
    variant: Vec<(String, String)>,
    /// Another program: a command with `{}` for the file and perhaps `{seed}`
    #[arg(long, value_name = "NAME=COMMAND", value_parser = pair)]
    tool: Vec<(String, String)>,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// MiB of address space for each process
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Run everything on this core
    #[arg(long, value_name = "NUMBER")]
    core: Option<usize>,
    /// Run our binary, and commands with `{seed}`, with so many seeds from 0
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
    #[command(flatten)]
    report: ReportOptions,
}

/// What is reported about a file of runs.
#[derive(Args, Clone, Default)]
pub struct ReportOptions {
    /// The tool that is looked at [default: the first in the file]
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,
    /// The tool that it is compared with [default: the first other program, or the second tool]
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// An earlier file of runs to compare with
    #[arg(long, value_name = "RUNS.jsonl")]
    earlier: Option<PathBuf>,
    /// Write a page with tables and plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// A name and the text after the sign of equality.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, rest)) if !name.is_empty() => Ok((name.to_owned(), rest.trim().to_owned())),
        Some(_) | None => Err("expected NAME=TEXT".into()),
    }
}

pub fn run(options: &Options) -> ExitCode {
    finish(measure_and_report(options))
}

/// Whether there is no wrong verdict.
fn measure_and_report(options: &Options) -> Result<bool, String> {
    if options.models.is_some() {
        measure(options)?;
    }
    let runs = record::read(&options.runs)?;
    let earlier = options.report.earlier.as_deref().map(record::read).transpose()?;
    let report = page::report(&runs, earlier.as_deref(), &options.report)?;
    if let Some(file) = &options.report.html {
        write(file, report.html())?;
    }
    print!("{}", report.text());
    Ok(report.faults.is_none_or(|faults| faults.is_empty()))
}

/// Runs what is not known yet.
fn measure(options: &Options) -> Result<(), String> {
    let (models, tools) = (options.instances()?, options.tools()?);
    if tools.is_empty() {
        return Err("name what runs, with --tools, --variant or --tool".into());
    }
    let mut log = Log::open(&options.runs)?;
    let count = models.len();
    for (index, model) in models.iter().enumerate() {
        for seed in 0..options.seeds {
            for tool in tools.iter().filter(|tool| seed == 0 || tool.has_seed()) {
                let key = (tool.name.clone(), model.path.clone(), seed, tool.hash.clone());
                if log.find(&key, options.limit).is_some() {
                    continue;
                }
                let run = options.run_one(tool, model, seed)?;
                let Record { tool, model, outcome, seconds, .. } = &run;
                let number = index + 1;
                eprintln!("{number}/{count} {model}: {tool} {seed}: {outcome}, {seconds:.2} s");
                log.keep(run)?;
            }
        }
    }
    Ok(())
}

impl Options {
    fn instances(&self) -> Result<Vec<Instance>, String> {
        let Some(list) = &self.models else { return Ok(Vec::new()) };
        let mut models = list::read(list, self.root.as_deref(), None)?;
        for (column, words) in [("format", &self.format), ("class", &self.class)] {
            let is_wanted = |model: &Instance| words.iter().any(|word| word == model.cell(column));
            models.retain(|model| words.is_empty() || is_wanted(model));
        }
        Ok(list::sample(models, self.sample))
    }

    /// The tools, whose names differ.
    fn tools(&self) -> Result<Vec<Tool>, String> {
        let binary = self.elinvar.as_deref();
        let named = self.tools.iter().map(|name| Tool::named(name, binary));
        let variants = self.variant.iter().map(|(name, options)| {
            Tool::ours(name, options.split_whitespace().map(str::to_owned).collect(), binary)
        });
        let commands = self.tool.iter().map(|(name, command)| Tool::command(name, command));
        let tools: Vec<Tool> = named.chain(variants).chain(commands).collect::<Result<_, _>>()?;
        for (index, tool) in tools.iter().enumerate() {
            if tools[..index].iter().any(|other| other.name == tool.name) {
                return Err(format!("there are two tools with the name `{}`", tool.name));
            }
        }
        Ok(tools)
    }

    fn run_one(&self, tool: &Tool, model: &Instance, seed: u64) -> Result<Record, String> {
        let limits = Limits { seconds: self.limit, memory: self.memory, core: self.core };
        let run = tree::run(tool.words(&model.file, seed), &limits)?;
        let (outcome, profile) = tool.answer(&run);
        Ok(Record {
            tool: tool.name.clone(),
            model: model.path.clone(),
            seed,
            limit: self.limit,
            binary: tool.hash.clone(),
            outcome: outcome.word().to_owned(),
            expected: model.expected.map(|verdict| Verdict::word(verdict).to_owned()),
            seconds: run.time.as_secs_f64(),
            wall: run.wall.as_secs_f64(),
            memory: run.memory as f64 / 1024.0,
            format: model.cell("format").to_owned(),
            class: model.cell("class").to_owned(),
            profile,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::page::tests::is_sound;
    use crate::harness::testing::{Desk, options};

    /// Three models, and an `elinvar` that proves the first, refutes the second, works forever on
    /// the third, and reports when it is interrupted.
    fn desk() -> Desk {
        let list = "path,expected,class\none,safe,easy\ntwo,unsafe,mid\nthree,safe,mid\n";
        let desk = Desk::new(list, "");
        let report = |verdict: &str| {
            let profile = r#""statistics": {"pdr": {"frontier": 17, "lemmas": 4711}}"#;
            format!(r#"echo '{{"verdict": "{verdict}", {profile}}}'"#)
        };
        let text = format!(
            "echo \"$*\" >> CALLS\nstop() {{ {}; exit 0; }}\ntrap stop INT\nfor model; do :; done\n\
             case \"$model\" in\n*one) {};;\n*two) {};;\n*) while :; do :; done;;\nesac\n",
            report("unknown"),
            report("safe"),
            report("unsafe"),
        );
        desk.script("elinvar", &text);
        desk.script("peer", "exit 20\n");
        desk
    }

    fn compare(desk: &Desk, more: &[&str]) -> Result<bool, String> {
        let [runs, list, binary, html] =
            ["runs.jsonl", "index.csv", "elinvar", "out.html"].map(|name| desk.path(name));
        let words = ["--models", &list, "--elinvar", &binary, "--limit", "1", "--html", &html];
        measure_and_report(&options(&[&[&runs[..]], &words[..], more].concat()))
    }

    #[test]
    fn runs_are_measured_once_and_put_on_a_page() {
        let desk = desk();
        let words = ["--tools", "default", "--seeds", "2", "--variant", "deep=--engine pdr --x 2"];
        assert_eq!(compare(&desk, &words), Ok(true));
        let calls = desk.calls();
        assert_eq!(calls.len(), 12);
        let expected = format!("check --json --seed 0 --engine pdr --x 2 {}", desk.path("one"));
        assert_eq!(calls[1], expected);
        let page = std::fs::read_to_string(desk.path("out.html")).unwrap();
        is_sound(&page).unwrap();
        assert_eq!(compare(&desk, &words), Ok(true));
        assert_eq!(desk.calls().len(), 12, "nothing is repeated");
        // A file that lost its end is completed.
        let runs = std::fs::read_to_string(desk.path("runs.jsonl")).unwrap();
        desk.file("runs.jsonl", &runs[..runs.len() - 9]);
        assert_eq!(compare(&desk, &words), Ok(true));
        assert_eq!(desk.calls().len(), 13);
    }

    #[test]
    fn a_run_that_is_stopped_has_a_profile() {
        let desk = desk();
        assert_eq!(compare(&desk, &["--tools", "pdr", "--class", "mid"]), Ok(true));
        let runs = record::read(desk.path("runs.jsonl").as_ref()).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[1].outcome, "TO");
        assert!(runs[1].profile.as_ref().unwrap().cells().contains(&"4711".to_owned()));
    }

    #[test]
    fn wrong_verdicts_fail_the_command() {
        let desk = desk();
        let peer = format!("peer={} {{}}", desk.path("peer"));
        let words = ["--tools", "default", "--tool", &peer];
        assert_eq!(compare(&desk, &words), Ok(false));
        let page = std::fs::read_to_string(desk.path("out.html")).unwrap();
        assert!(page.contains("FAULT: two: peer says safe, expected is unsafe"), "{page}");
        assert_eq!(desk.calls().len(), 3);
    }

    #[test]
    fn the_choice_of_tools_is_checked() {
        let desk = desk();
        let error = |words: &[&str]| compare(&desk, words).unwrap_err();
        assert!(error(&[]).contains("name what runs"));
        assert!(error(&["--tools", "pdr", "--variant", "pdr=--x"]).contains("two tools"));
        assert!(error(&["--tools", "pdr", "--root", "/no/such/root"]).contains("/no/such/root"));
        assert!(pair("=x").is_err() && pair("x").is_err());
        assert_eq!(pair("a=--b=c"), Ok(("a".into(), "--b=c".into())));
    }
}
