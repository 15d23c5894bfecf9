//! Runs that are kept in a file, a row each, so that an experiment that was interrupted
//! goes on where it ended.
//!
//! A row belongs to a path in the list, a setting and a limit; of the binary the file
//! knows nothing, so another binary needs another file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::record::{Interpolation, Outcome, Run, Size};
use crate::experiment::csv::Csv;

const COLUMNS: [&str; 10] = [
    "path",
    "setting",
    "limit",
    "outcome",
    "seconds",
    "depth",
    "clauses",
    "nodes",
    "sat_seconds",
    "extraction_seconds",
];

/// The runs that are known.
#[derive(Default)]
pub struct Log {
    /// None if they are forgotten at the end.
    file: Option<File>,
    runs: Runs,
}

/// By path and setting, with the limit.
type Runs = FxHashMap<(String, String), (u32, Run)>;

impl Log {
    /// Reads what is in the file; what comes will be added to it.
    pub fn open(path: &Path) -> Result<Self, String> {
        let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| complaint(&error))?;
        let text = std::fs::read_to_string(path).map_err(|error| complaint(&error))?;
        // A row that was being written when the end came is no row.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let runs = parse(&text[..whole]).map_err(|error| complaint(&error))?;
        let head = COLUMNS.join(",");
        if whole == 0 && !head.starts_with(&text) {
            return Err(complaint(&"these are no runs"));
        }
        file.set_len(whole as u64).map_err(|error| complaint(&error))?;
        if whole == 0 {
            writeln!(file, "{head}").map_err(|error| complaint(&error))?;
        }
        Ok(Log { file: Some(file), runs })
    }

    /// What a run with this limit gave, or would give.
    pub fn find(&self, path: &str, setting: &str, limit: u32) -> Option<Run> {
        let (before, run) = self.runs.get(&(path.to_owned(), setting.to_owned()))?;
        // Given more time, it might have ended.
        let is_known = run.outcome != Outcome::TooLong || *before >= limit;
        is_known.then(|| run.clone().within(limit))
    }

    /// Keeps a run, unless it failed: the next time may be better.
    pub fn keep(&mut self, path: &str, setting: &str, limit: u32, run: &Run) -> Result<(), String> {
        if run.outcome == Outcome::Failed {
            return Ok(());
        }
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", line(path, setting, limit, run))
                .map_err(|error| format!("a run cannot be kept: {error}"))?;
        }
        self.runs.insert((path.to_owned(), setting.to_owned()), (limit, run.clone()));
        Ok(())
    }
}

fn line(path: &str, setting: &str, limit: u32, run: &Run) -> String {
    let (clauses, nodes) = match run.size {
        Some(Size::Clauses(count)) => (Some(count), None),
        Some(Size::Nodes(count)) => (None, Some(count)),
        None => (None, None),
    };
    let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
    let seconds = |part: fn(Interpolation) -> f64| {
        run.interpolation.map_or_else(String::new, |times| part(times).to_string())
    };
    let cells: [String; COLUMNS.len()] = [
        path.to_owned(),
        setting.to_owned(),
        limit.to_string(),
        run.outcome.word().to_owned(),
        run.seconds.to_string(),
        count(run.depth),
        count(clauses),
        count(nodes),
        seconds(|times| times.sat_seconds),
        seconds(|times| times.extraction_seconds),
    ];
    cells.join(",")
}

fn parse(text: &str) -> Result<Runs, String> {
    let table = Csv::new(text);
    let columns = COLUMNS.map(|name| table.column(name));
    let in_order = columns.iter().enumerate().all(|(index, &column)| column == Some(index));
    if !text.is_empty() && !in_order {
        return Err(format!("the columns are not those of runs: {}", COLUMNS.join(",")));
    }
    let entry = |row: &Vec<&str>| {
        let cells: Option<[&str; COLUMNS.len()]> = row[..].try_into().ok();
        let entry = cells.and_then(|[path, setting, rest @ ..]| {
            Some(((path.to_owned(), setting.to_owned()), run(rest)?))
        });
        entry.ok_or_else(|| format!("this is no run: {}", row.join(",")))
    };
    // Of several rows about the same, the last counts.
    table.rows.iter().map(entry).collect()
}

fn run(cells: [&str; COLUMNS.len() - 2]) -> Option<(u32, Run)> {
    let [limit, outcome, seconds, depth, clauses, nodes, sat, extraction] = cells;
    let size = match (optional(clauses)?, optional(nodes)?) {
        (Some(clauses), None) => Some(Size::Clauses(clauses)),
        (None, Some(nodes)) => Some(Size::Nodes(nodes)),
        (None, None) => None,
        (Some(_), Some(_)) => return None,
    };
    let interpolation = match (optional(sat)?, optional(extraction)?) {
        (Some(sat_seconds), Some(extraction_seconds)) => {
            Some(Interpolation { sat_seconds, extraction_seconds })
        }
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return None,
    };
    let run = Run {
        outcome: Outcome::of_word(outcome)?,
        seconds: seconds.parse().ok()?,
        depth: optional(depth)?,
        size,
        interpolation,
    };
    Some((limit.parse().ok()?, run))
}

/// An empty cell is nothing; none if it should be a number, and is not.
fn optional<T: std::str::FromStr>(cell: &str) -> Option<Option<T>> {
    if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::{safe, too_long};
    use super::*;

    #[test]
    fn runs_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let interpolation = Some(Interpolation { sat_seconds: 1.0, extraction_seconds: 0.25 });
        let proof = Run { interpolation, ..safe(4.5, 3, Size::Clauses(8)) };
        let formula = safe(0.1, 2, Size::Nodes(70));
        let mut log = Log::open(&path).unwrap();
        log.keep("a.aig", "avy --min-core", 10, &proof).unwrap();
        log.keep("a.aig", "itp", 10, &formula).unwrap();
        log.keep("b.aig", "itp", 10, &Run::silent(Outcome::Failed, 0.1)).unwrap();
        let log = Log::open(&path).unwrap();
        assert_eq!(log.find("a.aig", "avy --min-core", 10), Some(proof));
        assert_eq!(log.find("a.aig", "itp", 10), Some(formula));
        assert_eq!(log.find("a.aig", "avy", 10), None);
        assert_eq!(log.find("b.aig", "itp", 10), None, "what failed is tried again");
    }

    #[test]
    fn limits_count() {
        let mut log = Log::default();
        log.keep("a", "pdr", 10, &too_long()).unwrap();
        log.keep("b", "pdr", 10, &safe(5.0, 1, Size::Clauses(1))).unwrap();
        let outcome = |path, limit| log.find(path, "pdr", limit).map(|run| run.outcome.word());
        assert_eq!([9, 10, 11].map(|limit| outcome("a", limit)), [Some("TO"), Some("TO"), None]);
        assert_eq!(
            [4, 10, 99].map(|limit| outcome("b", limit)),
            [Some("TO"), Some("safe"), Some("safe")]
        );
    }

    #[test]
    fn a_row_that_was_not_finished_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let run = safe(1.0, 3, Size::Clauses(8));
        Log::open(&path).unwrap().keep("a", "pdr", 10, &run).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}b,pdr,10,sa")).unwrap();
        Log::open(&path).unwrap().keep("c", "pdr", 10, &run).unwrap();
        let log = Log::open(&path).unwrap();
        let found = ["a", "b", "c"].map(|model| log.find(model, "pdr", 10).is_some());
        assert_eq!(found, [true, false, true]);
    }

    #[test]
    fn what_is_not_ours_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.csv");
        let head = COLUMNS.join(",");
        let others = ["path,expected\na,safe\nb", "no end of a line"].map(str::to_owned);
        let broken = format!("{head}\na,pdr,10,safe,x,,,,,\n");
        for text in others.into_iter().chain([broken]) {
            std::fs::write(&path, &text).unwrap();
            assert!(Log::open(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
