//! The experiments of incremental PDR: chapter 6 of Blankestijn, "Incremental Property
//! Directed Reachability" (2023).
//!
//! The instances of a family are solved one after the other, each from scratch (naive) or with
//! the lemmas of the one before (incremental): Peterson's algorithm with more and more
//! switches (Figure 6.1, Table 6.1), and the reversible pebbling game with fewer pebbles, with
//! more, and by binary search (Figures 6.2 to 6.4). Each series is repeated with several
//! seeds.
//!
//! The searches run in this process. The processor time includes the preparation of PDR and
//! excludes the check of its evidence. The command fails if evidence is refused, if two
//! searches of an input differ, or if one differs from the table of known optima.

mod inputs;
mod measure;
mod record;
mod report;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::harness::report::Section;
use crate::harness::{finish, write};
use inputs::{Input, Peterson};
use measure::Effort;
use record::{Figure, Measurements, Results};

#[derive(Args)]
pub struct Options {
    /// Graphs to pebble: files (`.dag`, `.tfc`) and folders of them. A table
    /// `expected.csv` with the columns `graph` and `optimum`, beside them or one folder
    /// above, is compared with [default: some chains, a tree, a pyramid and the examples]
    #[arg(long, num_args = 1.., value_name = "PATH")]
    graphs: Vec<PathBuf>,
    /// How often each search is repeated
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Numbers of processes, each with the largest number of switches
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "2:10,3:4,4:3",
        value_name = "PROCESSES:SWITCHES"
    )]
    peterson: Vec<Peterson>,
    /// Only these figures [default: all]
    #[arg(long, num_args = 1.., value_name = "FIGURE")]
    only: Vec<Figure>,
    /// Seconds for each search
    #[arg(long, default_value_t = 900)]
    limit: u64,
    /// Print the numbers by bound too; they are always in the page and in the file
    #[arg(long)]
    by_bound: bool,
    /// Write a page with tables and plots, after each input
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write all measurements, after each input
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    let inputs = match Inputs::new(options) {
        Ok(inputs) => inputs,
        Err(message) => return finish(Err(message)),
    };
    // A refused certificate or a wrong optimum is a wrong result.
    finish(Ok(measure_all(options, inputs)
        .inspect_err(|error| eprintln!("error: {error}"))
        .is_ok()))
}

/// What is measured; all of it is read before the first measurement.
struct Inputs {
    peterson: Vec<Input>,
    graphs: Vec<Input>,
}

impl Inputs {
    fn new(options: &Options) -> Result<Self, String> {
        let (peterson, graphs): (Vec<Figure>, Vec<Figure>) =
            figures(options).iter().partition(|&&figure| figure == Figure::Peterson);
        let mut inputs = Inputs { peterson: Vec::new(), graphs: Vec::new() };
        if !peterson.is_empty() {
            inputs.peterson = options
                .peterson
                .iter()
                .map(|peterson| peterson.input())
                .collect::<Result<_, _>>()?;
        }
        if !graphs.is_empty() {
            inputs.graphs = inputs::graphs(&options.graphs)?;
        }
        Ok(inputs)
    }

    fn of(&mut self, figure: Figure) -> &mut [Input] {
        match figure {
            Figure::Peterson => &mut self.peterson,
            Figure::Constrain | Figure::Relax | Figure::Binary => &mut self.graphs,
        }
    }
}

fn figures(options: &Options) -> &[Figure] {
    if options.only.is_empty() { &Figure::ALL } else { &options.only }
}

fn measure_all(options: &Options, mut inputs: Inputs) -> Result<Measurements, String> {
    let (seeds, limit) = (options.seeds, options.limit);
    let effort = Effort { seeds, limit: Duration::from_secs(limit) };
    let mut measured = Measurements { seeds, limit, figures: Vec::new(), unbounded: Vec::new() };
    for &figure in figures(options) {
        measured.figures.push(Results { figure, rows: Vec::new() });
        for input in inputs.of(figure) {
            eprintln!("{}: {} …", figure.title(), input.name);
            let row = measure::row(input, figure, effort)?;
            measured.figures.last_mut().expect("just added").rows.push(row);
            save(&measured, options)?;
        }
        if figure == Figure::Peterson {
            for &peterson in &options.peterson {
                eprintln!("{} without a limit …", peterson.name());
                measured.unbounded.push(measure::unbounded(peterson, effort)?);
            }
            save(&measured, options)?;
        }
        print!("{}", text(&measured, options.by_bound));
    }
    Ok(measured)
}

/// The last figure as text.
fn text(measured: &Measurements, by_bound: bool) -> String {
    let Some(results) = measured.figures.last() else { return String::new() };
    let sections = report::sections(measured, results);
    let details = sections.iter().flat_map(|section| &section.details).filter(|_| by_bound);
    sections.iter().chain(details).map(Section::text).collect()
}

fn save(measured: &Measurements, options: &Options) -> Result<(), String> {
    if let Some(file) = &options.html {
        write(file, report::report(measured).html())?;
    }
    if let Some(file) = &options.json {
        write(file, format!("{:#}\n", measured.to_json()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use elinvar_formats::dag::{Dag, write_graph};
    use elinvar_models::families::pebbling::chain;
    use record::Found;

    use super::*;
    use crate::harness::testing::options;

    /// A folder with a chain of four.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let vertices = chain(4).unwrap().names().to_vec();
        let dag = Dag { vertices, edges: vec![(0, 1), (1, 2), (2, 3)], outputs: vec![3] };
        std::fs::write(folder.path().join("four.dag"), write_graph(&dag)).unwrap();
        folder
    }

    #[test]
    fn a_small_run_from_files_to_files() {
        let folder = folder();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let graphs = folder.path().display().to_string();
        let [html, json] = [path("out.html"), path("out.json")];
        let words = ["--seeds", "1", "--peterson", "2:1", "--graphs", &graphs];
        let options: Options = options(&[&words[..], &["--html", &html, "--json", &json]].concat());
        let measured = measure_all(&options, Inputs::new(&options).unwrap()).unwrap();
        let found: Vec<Found> = measured.figures.iter().map(|f| f.rows[0].found()).collect();
        assert_eq!(found, [Found::Never, Found::Optimum(3), Found::Optimum(3), Found::Optimum(3)]);
        let text = text(&measured, true);
        assert!(text.starts_with("Figure 6.4: pebbling, binary search\n"), "{text}");
        assert!(text.contains("four, by bound\n"), "{text}");
        let page = std::fs::read_to_string(html).unwrap();
        assert!(page.contains("Table 6.1") && page.contains("four, incremental: "));
        let json = std::fs::read(json).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["figures"][3]["rows"][0]["naive"][0]["optimum"], 3);
    }

    #[test]
    fn a_table_that_says_otherwise_fails_the_command() {
        let folder = folder();
        std::fs::write(folder.path().join("expected.csv"), "graph,optimum\nfour,4\n").unwrap();
        let graphs = folder.path().display().to_string();
        let options: Options = options(&["--seeds", "1", "--only", "relax", "--graphs", &graphs]);
        let error = measure_all(&options, Inputs::new(&options).unwrap()).err().unwrap();
        assert!(error.contains("THE ANSWERS DIFFER"), "{error}");
    }
}
