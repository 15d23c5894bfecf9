//! How the time for a proof grows with the size of a model.
//!
//! Each family is tried in sizes that double, until a run takes too long. The model
//! goes to every solver as the same binary AIGER file; the time is the processor's,
//! of the whole process: reading, simplifying, proving, and with Elinvar also the
//! check of the proof. The result is a table, and a page with plots to scale.

mod measure;
mod plot;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use elinvar_formats::aiger::Encoding;
use elinvar_ir::TransitionSystem;
use elinvar_models::families::{SizeError, counters, ring, shift_parity};

use crate::generate::aiger;
use crate::process;
use measure::{Measured, Solver};

#[derive(Args)]
pub struct Options {
    /// The families, all if none is named
    families: Vec<Family>,
    /// The binary [default: target/release/elinvar]
    #[arg(long, value_name = "PATH")]
    elinvar: Option<PathBuf>,
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
struct Table {
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
    match measure_all(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure_all(options: &Options) -> Result<(), String> {
    let solvers = solvers(options)?;
    let families = if options.families.is_empty() { &Family::ALL[..] } else { &options.families };
    let mut tables = Vec::new();
    for &family in families {
        eprintln!("{} …", family.name());
        let table = measure_family(family, &solvers, options)?;
        print(&table, &mut std::io::stdout().lock()).map_err(|error| error.to_string())?;
        tables.push(table);
    }
    let page = plot::page(&tables);
    std::fs::write(&options.output, page)
        .map_err(|error| format!("cannot write {}: {error}", options.output.display()))?;
    eprintln!("plots: {}", options.output.display());
    Ok(())
}

fn solvers(options: &Options) -> Result<Vec<Solver>, String> {
    let elinvar = process::elinvar(options.elinvar.as_deref())?;
    let mut solvers = vec![Solver::Elinvar(elinvar)];
    if let Some(command) = &options.against {
        let names = if command == "abc" { vec!["abc", "berkeley-abc"] } else { vec![&command[..]] };
        let found = names.iter().find_map(|name| process::find(name));
        solvers.push(Solver::Abc(found.ok_or(format!("there is no command {command}"))?));
    }
    Ok(solvers)
}

/// Doubles the size until all solvers have taken too long, or there is no such model.
fn measure_family(family: Family, solvers: &[Solver], options: &Options) -> Result<Table, String> {
    let mut table = Table {
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
        write_model(&model, &system)?;
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

fn write_model(path: &Path, system: &TransitionSystem) -> Result<(), String> {
    let text = aiger(system, Encoding::Binary)?;
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Seconds, and by what factor more than for half the size; with two solvers also
/// how many times longer the second takes.
fn print(table: &Table, out: &mut impl Write) -> std::io::Result<()> {
    let compared = table.solvers.len() == 2;
    let mut line = format!("{:<12} {:>6}", table.family, "size");
    for solver in &table.solvers {
        line += &format!(" {solver:>10} {:>8}", "growth");
    }
    if compared {
        line += &format!(" {:>8}", "ratio");
    }
    writeln!(out, "{line}")?;
    for (index, row) in table.rows.iter().enumerate() {
        let mut line = format!("{:<12} {:>6}", "", row.size);
        for (solver, run) in row.runs.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| table.rows[index].seconds(solver));
            let growth = times(row.seconds(solver), before);
            let seconds = match run {
                Some(Measured::Proved(time)) => format!("{:.3}", time.as_secs_f64()),
                Some(Measured::TooLong) => "too long".into(),
                None => String::new(),
            };
            line += &format!(" {seconds:>10} {growth:>8}");
        }
        if compared {
            line += &format!(" {:>8}", times(row.seconds(1), row.seconds(0)));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)
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
        let table = Table {
            family: "ring",
            solvers: vec!["elinvar", "abc"],
            rows: vec![
                Row { size: 4, runs: vec![proved(10), proved(50)] },
                Row { size: 8, runs: vec![proved(20), Some(Measured::TooLong)] },
                Row { size: 16, runs: vec![Some(Measured::TooLong), None] },
            ],
        };
        let mut text = Vec::new();
        print(&table, &mut text).unwrap();
        let expected = "\
ring           size    elinvar   growth        abc   growth    ratio
                  4      0.010               0.050              ×5.0
                  8      0.020     ×2.0   too long
                 16   too long\n\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
