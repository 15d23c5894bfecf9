//! Which engines to run side by side: a greedy cover of the models of a file of runs.
//!
//! The first tool is the one that solves most models. Each further one is the one that adds most
//! models to those before it; of several, the one after which the models are solved in the least
//! time, if each is solved by the fastest tool so far. The table of `elinvar/src/race.rs` follows
//! this order.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::board::{Board, board, limits};
use super::record;
use crate::harness::finish;
use crate::harness::table::Table;

#[derive(Args)]
pub struct Options {
    /// Files of runs of the command `compare`
    #[arg(value_name = "RUNS.jsonl", required = true)]
    runs: Vec<PathBuf>,
    /// Seconds of processor time in which a model must be solved [default: that of the runs]
    #[arg(long)]
    limit: Option<u32>,
    /// Tools that come first, in this order
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    first: Vec<String>,
    /// Only these tools [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    tools: Vec<String>,
    /// Only models on which all tools ran
    #[arg(long)]
    common: bool,
}

pub fn run(options: &Options) -> ExitCode {
    finish(cover(options).map(|text| {
        print!("{text}");
        true
    }))
}

fn cover(options: &Options) -> Result<String, String> {
    let runs = record::read_all(&options.runs, &options.tools)?;
    let limit = options.limit.unwrap_or_else(|| limits(&runs).into_iter().max().unwrap_or(1));
    let mut board = board(&runs, limit);
    if options.common {
        board.rows.retain(|row| row.runs.iter().all(Option::is_some));
    }
    let first: Vec<usize> = options
        .first
        .iter()
        .map(|name| {
            let place = board.settings.iter().position(|tool| tool.name == *name);
            place.ok_or_else(|| format!("there are no runs of `{name}`"))
        })
        .collect::<Result<_, _>>()?;
    Ok(table(&board, &order(&board, &first)).text())
}

/// A tool of the cover.
#[derive(Clone, PartialEq, Debug)]
struct Slot {
    tool: usize,
    /// Models that none of the tools before it solves.
    new: usize,
    /// Models that it or one before it solves.
    covered: usize,
    /// The sum of the seconds, where an unsolved model counts twice the limit.
    par2: f64,
}

/// All tools in the order of the cover, after those that are given.
fn order(board: &Board, first: &[usize]) -> Vec<Slot> {
    let mut best: Vec<Option<f64>> = vec![None; board.rows.len()];
    let mut left: Vec<usize> = (0..board.settings.len()).collect();
    let mut slots: Vec<Slot> = Vec::new();
    while !left.is_empty() {
        let candidates = match first.get(slots.len()) {
            Some(given) if left.contains(given) => vec![*given],
            Some(_) | None => left.clone(),
        };
        let slots_after = candidates.into_iter().map(|tool| slot(board, &best, tool));
        let better = |one: &Slot, other: &Slot| {
            one.covered.cmp(&other.covered).then(other.par2.total_cmp(&one.par2))
        };
        // Of equal ones, the first in the file is taken.
        let Some(slot) =
            slots_after.reduce(|one, other| if better(&one, &other).is_lt() { other } else { one })
        else {
            break;
        };
        left.retain(|&tool| tool != slot.tool);
        best = with(board, &best, slot.tool);
        slots.push(slot);
    }
    slots
}

fn slot(board: &Board, best: &[Option<f64>], tool: usize) -> Slot {
    let after = with(board, best, tool);
    let count = |times: &[Option<f64>]| times.iter().flatten().count();
    let penalty = 2.0 * f64::from(board.limit);
    let par2 = after.iter().map(|time| time.unwrap_or(penalty)).sum();
    Slot { tool, new: count(&after) - count(best), covered: count(&after), par2 }
}

/// The least times with one more tool.
fn with(board: &Board, best: &[Option<f64>], tool: usize) -> Vec<Option<f64>> {
    let least = |(row, &known): (&_, &Option<f64>)| {
        let time = super::board::Row::seconds(row, tool);
        match (known, time) {
            (Some(known), Some(time)) => Some(known.min(time)),
            (known, time) => known.or(time),
        }
    };
    board.rows.iter().zip(best).map(least).collect()
}

fn table(board: &Board, slots: &[Slot]) -> Table {
    let mut table = Table::new(["tool", "slot", "new", "covered", "of", "PAR-2 s"]);
    for (index, Slot { tool, new, covered, par2 }) in slots.iter().enumerate() {
        let models = board.rows.len();
        table.push([
            board.settings[*tool].name.clone(),
            (index + 1).to_string(),
            new.to_string(),
            covered.to_string(),
            models.to_string(),
            format!("{:.2}", par2 / models.max(1) as f64),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::record::Record;
    use super::super::record::tests::record;
    use super::*;

    fn runs() -> Vec<Record> {
        vec![
            record("pdr", "a", 0, "safe", 1.0),
            record("pdr", "b", 0, "safe", 8.0),
            record("bmc", "b", 0, "safe", 1.0),
            record("avy", "c", 0, "safe", 9.0),
            record("itp", "c", 0, "safe", 2.0),
            record("kind", "c", 0, "unsafe", 0.1),
        ]
    }

    #[test]
    fn the_cover_is_greedy_and_ties_go_to_the_faster() {
        let board = board(&runs(), 10);
        let slots = order(&board, &[]);
        let names = |slots: &[Slot]| -> Vec<&str> {
            slots.iter().map(|slot| &board.settings[slot.tool].name[..]).collect()
        };
        // Wrong verdicts cover nothing.
        assert_eq!(names(&slots), ["pdr", "itp", "bmc", "avy", "kind"]);
        let counts: Vec<(usize, usize)> =
            slots.iter().map(|slot| (slot.new, slot.covered)).collect();
        assert_eq!(counts, [(2, 2), (1, 3), (0, 3), (0, 3), (0, 3)]);
        assert_eq!((slots[0].par2, slots[2].par2), (29.0, 4.0));
        assert_eq!(names(&order(&board, &[1]))[..2], ["bmc", "pdr"]);
    }

    #[test]
    fn the_table_is_made_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let mut log = record::Log::open(&path).unwrap();
        runs().into_iter().for_each(|run| log.keep(run).unwrap());
        let options = |tools: &[&str], first: &[&str], common| Options {
            runs: vec![path.clone()],
            limit: None,
            first: first.iter().map(|&name| name.to_owned()).collect(),
            tools: tools.iter().map(|&name| name.to_owned()).collect(),
            common,
        };
        let text = cover(&options(&["pdr", "bmc"], &[], true)).unwrap();
        assert_eq!(
            text,
            "tool  slot  new  covered  of  PAR-2 s\n\
             bmc      1    1        1   1     1.00\n\
             pdr      2    0        1   1     1.00\n"
        );
        assert!(cover(&options(&[], &["abc"], false)).is_err());
    }
}
