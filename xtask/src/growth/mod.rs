//! How the time for a proof grows with the size of a model.
//!
//! The size of each family is doubled until a run takes too long. All solvers read the same
//! binary AIGER file. The time is the processor time of the whole process: reading,
//! simplifying, proving, and for Elinvar also the check of the proof. The result is a table and
//! a page with plots.

mod measure;
mod plot;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use elinvar_formats::aiger::Encoding;
use elinvar_ir::TransitionSystem;
use elinvar_models::families::{SizeError, counters, ring, shift_parity};
use experiments::harness::table::Table;
use experiments::harness::{finish, process, write};

use crate::generate::aiger;
use measure::{Measured, Solver};

#[derive(Args)]
pub struct Options {
    /// The families, all if none is named
    families: Vec<Family>,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
    /// The engine of Elinvar [default: that of `elinvar check`]
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Compare with the engine `pdr` of ABC: its command, or `abc` for the first of
    /// `abc` and `berkeley-abc` that is installed
    #[arg(long, value_name = "COMMAND")]
    against: Option<String>,
    /// The first size
    #[arg(long, default_value_t = 4)]
    start: u32,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 20)]
    timeout: u32,
    /// The page with the plots
    #[arg(short, long, default_value = "growth.html")]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Family {
    /// A shift register of words with their parity
    ShiftParity,
    /// Decimal counters in a chain
    Counters,
    /// A ring of stations that pass a token on
    Ring,
}

impl Family {
    const ALL: [Family; 3] = [Family::ShiftParity, Family::Counters, Family::Ring];

    fn name(self) -> &'static str {
        match self {
            Family::ShiftParity => "shift-parity",
            Family::Counters => "counters",
            Family::Ring => "ring",
        }
    }

    fn build(self, size: u32) -> Result<TransitionSystem, SizeError> {
        match self {
            Family::ShiftParity => shift_parity(size),
            Family::Counters => counters(size),
            Family::Ring => ring(size),
        }
    }
}

/// The times of one family, a row for each size.
struct FamilyTable {
    family: &'static str,
    solvers: Vec<&'static str>,
    rows: Vec<Row>,
}

struct Row {
    size: u32,
    /// By solver; none where the size before took too long.
    runs: Vec<Option<Measured>>,
}

impl Row {
    fn seconds(&self, solver: usize) -> Option<f64> {
        match self.runs.get(solver)?.as_ref()? {
            Measured::Proved(time) => Some(time.as_secs_f64()),
            Measured::TooLong => None,
        }
    }
}

pub fn run(options: &Options) -> ExitCode {
    finish(measure_all(options).map(|()| true))
}

fn measure_all(options: &Options) -> Result<(), String> {
    let solvers = solvers(options)?;
    let families = if options.families.is_empty() { &Family::ALL[..] } else { &options.families };
    let mut tables = Vec::new();
    for &family in families {
        eprintln!("{} …", family.name());
        let table = measure_family(family, &solvers, options)?;
        println!("{}", text(&table));
        tables.push(table);
    }
    write(&options.output, plot::page(&tables))?;
    eprintln!("plots: {}", options.output.display());
    Ok(())
}

fn solvers(options: &Options) -> Result<Vec<Solver>, String> {
    let elinvar = process::elinvar(options.elinvar.as_deref())?;
    let mut solvers = vec![Solver::Elinvar(elinvar, options.engine.clone())];
    if let Some(command) = &options.against {
        let names = if command == "abc" { vec!["abc", "berkeley-abc"] } else { vec![&command[..]] };
        let found = names.iter().find_map(|name| process::find(name));
        solvers.push(Solver::Abc(found.ok_or(format!("there is no command {command}"))?));
    }
    Ok(solvers)
}

/// Doubles the size until all solvers have taken too long, or there is no such model.
fn measure_family(
    family: Family,
    solvers: &[Solver],
    options: &Options,
) -> Result<FamilyTable, String> {
    let mut table = FamilyTable {
        family: family.name(),
        solvers: solvers.iter().map(Solver::name).collect(),
        rows: Vec::new(),
    };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut size = options.start;
    loop {
        let system = match family.build(size) {
            Ok(system) => system,
            Err(error) if table.rows.is_empty() => return Err(error.to_string()),
            Err(_) => return Ok(table),
        };
        let model = folder.path().join("model.aig");
        write(&model, aiger(&system, Encoding::Binary)?)?;
        let mut runs = Vec::new();
        for (index, solver) in solvers.iter().enumerate() {
            let goes_on = table.rows.last().is_none_or(|row| row.seconds(index).is_some());
            runs.push(if goes_on { Some(solver.prove(&model, options.timeout)?) } else { None });
        }
        table.rows.push(Row { size, runs });
        let row = table.rows.last().expect("just added");
        if (0..solvers.len()).all(|index| row.seconds(index).is_none()) {
            return Ok(table);
        }
        size = size.saturating_mul(2);
    }
}

/// Seconds, and by what factor more than for half the size; with two solvers also how many
/// times longer the second takes.
fn text(table: &FamilyTable) -> String {
    let compared = table.solvers.len() == 2;
    let mut head = vec![table.family.to_owned(), "size".to_owned()];
    for solver in &table.solvers {
        head.extend([(*solver).to_owned(), "growth".to_owned()]);
    }
    head.extend(compared.then(|| "ratio".to_owned()));
    let mut lines = Table { head, rows: Vec::new() };
    for (index, row) in table.rows.iter().enumerate() {
        let mut cells = vec![String::new(), row.size.to_string()];
        for (solver, run) in row.runs.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| table.rows[index].seconds(solver));
            cells.push(match run {
                Some(Measured::Proved(time)) => format!("{:.3}", time.as_secs_f64()),
                Some(Measured::TooLong) => "too long".into(),
                None => String::new(),
            });
            cells.push(times(row.seconds(solver), before));
        }
        cells.extend(compared.then(|| times(row.seconds(1), row.seconds(0))));
        lines.push(cells);
    }
    lines.text()
}

/// How many times `one` is `other`.
fn times(one: Option<f64>, other: Option<f64>) -> String {
    match (one, other) {
        (Some(one), Some(other)) if other > 0.0 => format!("×{:.1}", one / other),
        _ => String::new(),
    }
}

/// The arguments of a command line, for which anything that names a file will do.
fn words<const N: usize>(words: [&dyn AsRef<std::ffi::OsStr>; N]) -> Vec<OsString> {
    words.iter().map(|word| word.as_ref().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_table_shows_growth_and_ratio() {
        let proved = |ms| Some(Measured::Proved(Duration::from_millis(ms)));
        let table = FamilyTable {
            family: "ring",
            solvers: vec!["elinvar", "abc"],
            rows: vec![
                Row { size: 4, runs: vec![proved(10), proved(50)] },
                Row { size: 8, runs: vec![proved(20), Some(Measured::TooLong)] },
                Row { size: 16, runs: vec![Some(Measured::TooLong), None] },
            ],
        };
        let expected = "\
ring  size   elinvar  growth       abc  growth  ratio
         4     0.010             0.050           ×5.0
         8     0.020    ×2.0  too long
        16  too long
";
        assert_eq!(text(&table), expected);
    }
}
