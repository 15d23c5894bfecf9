//! The experiment on programs: Table 5.1 of Werner, "Property Directed Reachability for
//! Software" (2018).
//!
//! Every setting runs on every program, a process for each run, with limits of processor
//! time and of memory; on one program all settings, then on the next, so that what slows
//! the machine slows all of them. The table has, for each category of programs and each
//! setting, what was solved and in which time, and how the other runs ended. Beside the
//! engine stands Z3's Spacer on the same programs as Horn clauses.
//!
//! The time of the engine includes the check of its evidence; that of Spacer does not
//! include the translation. If a verdict is not what is known of the program, the command
//! fails.

mod list;
mod record;
mod results;
mod runs;
mod settings;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::log::Log;
use super::page::{self, paragraph};
use super::share::{self, Share};
use crate::process;
use results::{Results, Row};
use runs::Laboratory;
use settings::{Group, Setting};

#[derive(Args)]
pub struct Options {
    /// The programs: a table with the columns `path`, `category` and `expected`, whose
    /// paths lead from its folder
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
    settings: Vec<Group>,
    /// How many programs to work on at the same time; more than one needs --csv
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    jobs: u32,
    /// What one of several processes does
    #[arg(long, hide = true)]
    share: Option<Share>,
    /// The command of Z3; global guidance needs a newer one than 4.8.12
    #[arg(long, value_name = "PATH", default_value = "z3")]
    z3: String,
    /// Keep every run in this file, and do not repeat those that are in it; for one
    /// binary only
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with the tables
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    match measure(options) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(results)) => {
            print!("{}", text(&results));
            if results.faults().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// All runs; no results from a process that has only a share of them.
fn measure(options: &Options) -> Result<Option<Results>, String> {
    let elinvar = process::elinvar(options.elinvar.as_deref())?;
    let settings = settings::of_groups(&options.settings);
    let z3 = process::find(&options.z3);
    if z3.is_none() && settings.iter().any(Setting::is_spacer) {
        return Err(format!("there is no command {}; --settings can leave it out", options.z3));
    }
    let mut instances = list::read(&options.programs)?;
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
    if let Some(share) = options.share {
        instances = share.of(instances);
    }
    let mut laboratory = Laboratory::new(elinvar, z3, options.limit, options.memory, log)?;
    let count = instances.len();
    let mut results = Results { limit: options.limit, settings, rows: Vec::new() };
    for (index, instance) in instances.into_iter().enumerate() {
        let mut row = Row { instance, runs: Vec::new() };
        for setting in &results.settings {
            let run = laboratory.run(&row.instance, setting)?;
            let (path, name, word) = (&row.instance.path, setting.name, run.outcome.word());
            eprintln!("{}/{count} {path}: {name}: {word}, {:.2} s", index + 1, run.seconds);
            row.runs.push(run);
        }
        results.rows.push(row);
    }
    if options.share.is_some() {
        return Ok(None);
    }
    if let Some(file) = &options.html {
        std::fs::write(file, html(&results))
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(Some(results))
}

/// All tables, and what went wrong.
fn text(results: &Results) -> String {
    let mut text = String::new();
    for (category, table) in results.tables() {
        text += &format!("{category}\n{}\n", table.text());
    }
    let faults = results.faults();
    text += &format!("wrong verdicts: {}\n", faults.len());
    text.extend(faults.iter().map(|fault| format!("FAULT: {fault}\n")));
    text
}

fn html(results: &Results) -> String {
    let mut body = paragraph(&format!(
        "{} programs, as in Table 5.1 of Werner, “Property Directed Reachability for Software” \
         (2018). Processor seconds of the whole process, with a limit of {} s. Every verdict of \
         the engine was confirmed by the checker.",
        results.rows.len(),
        results.limit
    ));
    body.extend(results.faults().iter().map(|fault| paragraph(&format!("FAULT: {fault}"))));
    for (category, table) in results.tables() {
        body += &format!("<h2>{}</h2>\n{}", page::escape(&category), table.html());
    }
    page::page("Programs: property directed reachability at locations", "", &body)
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

    /// Two programs; an engine that proves the first and fails on the second, and a Spacer
    /// that refutes all.
    struct Bench(tempfile::TempDir);

    impl Bench {
        fn new(expected: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let list = format!("path,category,expected\none,a,{expected}\ntwo,b,\n");
            std::fs::write(folder.path().join("list.csv"), list).unwrap();
            for program in ["one", "two"] {
                std::fs::write(folder.path().join(program), "").unwrap();
            }
            let calls = folder.path().join("calls");
            let engine = format!(
                "echo \"$*\" >> {}\n[ \"$1\" = convert ] && exit 0\ncase \"$*\" in\n\
                 */one*) echo '{{\"verdict\": \"safe\"}}'; exit 20;;\nesac\necho oops >&2; exit 2\n",
                calls.display()
            );
            process::script(folder.path(), "elinvar", &engine);
            process::script(folder.path(), "z3", "echo unsat\n");
            Bench(folder)
        }

        fn path(&self, name: &str) -> String {
            self.0.path().join(name).display().to_string()
        }

        fn measure(&self, more: &[&str]) -> Results {
            let (list, elinvar) = (self.path("list.csv"), self.path("elinvar"));
            let z3 = self.path("z3");
            let words =
                ["x", "--programs", &list, "--elinvar", &elinvar, "--z3", &z3, "--limit", "9"];
            let options = Command::parse_from(words.iter().chain(more)).options;
            measure(&options).unwrap().expect("no share of it")
        }

        fn calls(&self) -> usize {
            std::fs::read_to_string(self.path("calls")).unwrap_or_default().lines().count()
        }
    }

    #[test]
    fn endings_are_counted_and_kept() {
        let bench = Bench::new("safe");
        let (csv, html) = (bench.path("runs.csv"), bench.path("out.html"));
        let words = ["--settings", "ours", "--csv", &csv, "--html", &html];
        let results = bench.measure(&words);
        let text = text(&results);
        let ours = "ours          1     1       0   0.0         0           1        0";
        assert!(text.contains(ours), "{text}");
        assert!(text.ends_with("wrong verdicts: 0\n"), "{text}");
        is_sound(&std::fs::read_to_string(&html).unwrap()).unwrap();
        let calls = bench.calls();
        bench.measure(&words);
        assert_eq!(bench.calls(), calls + 1, "what failed is tried again");
    }

    #[test]
    fn wrong_verdicts_are_faults() {
        let results = Bench::new("safe").measure(&["--settings", "spacer"]);
        let faults = results.faults();
        assert_eq!(faults[0], "one: spacer says unsafe, expected is safe");
        assert_eq!(faults.len(), 2);
    }
}
