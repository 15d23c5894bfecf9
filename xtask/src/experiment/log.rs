//! Runs that are kept in a file, a row each, so that an experiment that was interrupted
//! goes on where it ended.
//!
//! A row belongs to a path in the list, a setting and a limit; of the binary the file
//! knows nothing, so another binary needs another file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::csv::Csv;
use super::outcome::Outcome;

/// What says which run it is.
const KEY: [&str; 3] = ["path", "setting", "limit"];

/// What can be kept of a run.
pub trait Kept: Clone {
    /// Those after the path, the setting and the limit.
    const COLUMNS: &'static [&'static str];

    /// As many as there are columns; no cell contains a comma.
    fn cells(&self) -> Vec<String>;

    fn of_cells(cells: &[&str]) -> Option<Self>;

    fn outcome(&self) -> Outcome;

    /// The same run, had it been stopped after so many seconds.
    fn within(self, limit: u32) -> Self;
}

/// The runs that are known.
pub struct Log<R> {
    /// None if they are forgotten at the end.
    file: Option<File>,
    runs: Runs<R>,
}

/// By path and setting, with the limit.
type Runs<R> = FxHashMap<(String, String), (u32, R)>;

impl<R> Default for Log<R> {
    fn default() -> Self {
        Log { file: None, runs: Runs::default() }
    }
}

impl<R: Kept> Log<R> {
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
        let head = head::<R>();
        if whole == 0 && !head.starts_with(&text) {
            return Err(complaint(&"these are no runs"));
        }
        // A file without such a row is left alone: other processes may be adding to it.
        if whole < text.len() {
            file.set_len(whole as u64).map_err(|error| complaint(&error))?;
        }
        if whole == 0 {
            writeln!(file, "{head}").map_err(|error| complaint(&error))?;
        }
        Ok(Log { file: Some(file), runs })
    }

    /// What a run with this limit gave, or would give.
    pub fn find(&self, path: &str, setting: &str, limit: u32) -> Option<R> {
        let (before, run) = self.runs.get(&(path.to_owned(), setting.to_owned()))?;
        // Given more time, it might have ended.
        let is_known = run.outcome() != Outcome::TooLong || *before >= limit;
        is_known.then(|| run.clone().within(limit))
    }

    /// Keeps a run, unless it failed: the next time may be better.
    pub fn keep(&mut self, path: &str, setting: &str, limit: u32, run: &R) -> Result<(), String> {
        if run.outcome() == Outcome::Failed {
            return Ok(());
        }
        if let Some(file) = &mut self.file {
            // Written at once, so that rows of several processes do not mix.
            file.write_all(line(path, setting, limit, run).as_bytes())
                .map_err(|error| format!("a run cannot be kept: {error}"))?;
        }
        self.runs.insert((path.to_owned(), setting.to_owned()), (limit, run.clone()));
        Ok(())
    }
}

fn columns<R: Kept>() -> impl Iterator<Item = &'static str> {
    KEY.iter().chain(R::COLUMNS).copied()
}

fn head<R: Kept>() -> String {
    columns::<R>().collect::<Vec<_>>().join(",")
}

fn line<R: Kept>(path: &str, setting: &str, limit: u32, run: &R) -> String {
    format!("{path},{setting},{limit},{}\n", run.cells().join(","))
}

fn parse<R: Kept>(text: &str) -> Result<Runs<R>, String> {
    let table = Csv::new(text);
    let in_order =
        columns::<R>().enumerate().all(|(index, name)| table.column(name) == Some(index));
    if !text.is_empty() && !in_order {
        return Err(format!("the columns are not those of runs: {}", head::<R>()));
    }
    let entry = |row: &Vec<&str>| {
        let entry = match row[..] {
            [path, setting, limit, ref cells @ ..] => limit.parse().ok().and_then(|limit| {
                Some(((path.to_owned(), setting.to_owned()), (limit, R::of_cells(cells)?)))
            }),
            _ => None,
        };
        entry.ok_or_else(|| format!("this is no run: {}", row.join(",")))
    };
    // Of several rows about the same, the last counts.
    table.rows.iter().map(entry).collect()
}

/// An empty cell is nothing; none if it should be a number, and is not.
pub fn optional<T: std::str::FromStr>(cell: &str) -> Option<Option<T>> {
    if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::avy::record::tests::{safe, too_long};
    use crate::experiment::avy::record::{Interpolation, Run, Size};

    #[test]
    fn runs_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let interpolation = Some(Interpolation { sat_seconds: 1.0, extraction_seconds: 0.25 });
        let proof = Run { interpolation, ..safe(4.5, 3, Size::Clauses(8)) };
        let formula = safe(0.1, 2, Size::Nodes(70));
        let mut log: Log<Run> = Log::open(&path).unwrap();
        log.keep("a.aig", "avy --min-core", 10, &proof).unwrap();
        log.keep("a.aig", "itp", 10, &formula).unwrap();
        log.keep("b.aig", "itp", 10, &Run::silent(Outcome::Failed, 0.1)).unwrap();
        let log: Log<Run> = Log::open(&path).unwrap();
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
        let log: Log<Run> = Log::open(&path).unwrap();
        let found = ["a", "b", "c"].map(|model| log.find(model, "pdr", 10).is_some());
        assert_eq!(found, [true, false, true]);
    }

    #[test]
    fn what_is_not_ours_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.csv");
        let head = head::<Run>();
        let others = ["path,expected\na,safe\nb", "no end of a line"].map(str::to_owned);
        let broken = format!("{head}\na,pdr,10,safe,x,,,,,\n");
        for text in others.into_iter().chain([broken]) {
            std::fs::write(&path, &text).unwrap();
            assert!(Log::<Run>::open(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
