//! A file of runs, one row for each, so that an interrupted experiment can go on.
//!
//! A row belongs to a path in the list, a setting and a limit. The file does not name the
//! binary, so another binary needs another file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::csv::Csv;
use super::outcome::Outcome;
use super::run::{Measured, Run};

/// The columns that all experiments have: the key of a run, its outcome and its time.
const COLUMNS: [&str; 5] = ["path", "setting", "limit", "outcome", "seconds"];

/// The runs that are known.
pub struct Log<M> {
    /// None if runs are not kept.
    file: Option<File>,
    runs: Runs<M>,
}

/// By path and setting, with the limit.
type Runs<M> = FxHashMap<(String, String), (u32, Run<M>)>;

impl<M> Default for Log<M> {
    fn default() -> Self {
        Log { file: None, runs: Runs::default() }
    }
}

impl<M: Measured> Log<M> {
    /// Reads the runs of a file. New runs are appended to it.
    pub fn open(path: &Path) -> Result<Self, String> {
        let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| complaint(&error))?;
        let text = std::fs::read_to_string(path).map_err(|error| complaint(&error))?;
        // A row without a line break was cut off when the experiment was interrupted.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let runs = parse(&text[..whole]).map_err(|error| complaint(&error))?;
        let head = head::<M>();
        if whole == 0 && !head.starts_with(&text) {
            return Err(complaint(&"this file does not contain runs"));
        }
        // A file without such a row is left alone: other processes may be appending to it.
        if whole < text.len() {
            file.set_len(whole as u64).map_err(|error| complaint(&error))?;
        }
        if whole == 0 {
            writeln!(file, "{head}").map_err(|error| complaint(&error))?;
        }
        Ok(Log { file: Some(file), runs })
    }

    /// The result of a run with this limit, if it follows from the runs that are known.
    pub fn find(&self, path: &str, setting: &str, limit: u32) -> Option<Run<M>> {
        let (before, run) = self.runs.get(&(path.to_owned(), setting.to_owned()))?;
        // With more time it might have finished.
        let is_known = run.outcome != Outcome::TooLong || *before >= limit;
        is_known.then(|| run.clone().within(limit))
    }

    /// Keeps a run unless it failed, so that failures are tried again.
    pub fn keep(
        &mut self,
        path: &str,
        setting: &str,
        limit: u32,
        run: &Run<M>,
    ) -> Result<(), String> {
        if run.outcome == Outcome::Failed {
            return Ok(());
        }
        if let Some(file) = &mut self.file {
            let line = format!("{path},{setting},{limit},{}\n", run.cells().join(","));
            // In one write, so that rows of several processes do not mix, and on the disk, so that
            // the row outlives this process and the machine.
            file.write_all(line.as_bytes())
                .and_then(|()| file.sync_data())
                .map_err(|error| format!("cannot append to the file of runs: {error}"))?;
        }
        self.runs.insert((path.to_owned(), setting.to_owned()), (limit, run.clone()));
        Ok(())
    }
}

fn columns<M: Measured>() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().chain(M::COLUMNS).copied()
}

fn head<M: Measured>() -> String {
    columns::<M>().collect::<Vec<_>>().join(",")
}

fn parse<M: Measured>(text: &str) -> Result<Runs<M>, String> {
    let table = Csv::new(text);
    let in_order =
        columns::<M>().enumerate().all(|(index, name)| table.column(name) == Some(index));
    if !text.is_empty() && !in_order {
        return Err(format!("expected the columns {}", head::<M>()));
    }
    let entry = |row: &Vec<&str>| {
        let entry = match row[..] {
            [path, setting, limit, ref cells @ ..] => limit.parse().ok().and_then(|limit| {
                Some(((path.to_owned(), setting.to_owned()), (limit, Run::of_cells(cells)?)))
            }),
            _ => None,
        };
        entry.ok_or_else(|| format!("invalid row: {}", row.join(",")))
    };
    // If several rows have the same key, the last one counts.
    table.rows.iter().map(entry).collect()
}

/// An empty cell has no value. The result is none if another cell cannot be parsed.
pub fn optional<T: std::str::FromStr>(cell: &str) -> Option<Option<T>> {
    if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
}

/// The cell of a value that may be missing.
pub fn cell<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::testing::{Count, decided};

    fn open(path: &Path) -> Result<Log<Count>, String> {
        Log::open(path)
    }

    #[test]
    fn runs_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let (one, two) = (decided("safe", 4.5, Some(3)), decided("unsafe", 0.1, None));
        let mut log = open(&path).unwrap();
        log.keep("a.aig", "avy --min-core", 10, &one).unwrap();
        log.keep("a.aig", "itp", 10, &two).unwrap();
        log.keep("b.aig", "itp", 10, &Run::new(Outcome::Failed, 0.1)).unwrap();
        let log = open(&path).unwrap();
        assert_eq!(log.find("a.aig", "avy --min-core", 10), Some(one));
        assert_eq!(log.find("a.aig", "itp", 10), Some(two));
        assert_eq!(log.find("a.aig", "avy", 10), None);
        assert_eq!(log.find("b.aig", "itp", 10), None, "failures are tried again");
    }

    #[test]
    fn a_run_with_another_limit_is_known_if_it_follows() {
        let mut log: Log<Count> = Log::default();
        log.keep("a", "pdr", 10, &Run::new(Outcome::TooLong, 10.0)).unwrap();
        log.keep("b", "pdr", 10, &decided("safe", 5.0, None)).unwrap();
        let outcome = |path, limit| log.find(path, "pdr", limit).map(|run| run.outcome.word());
        assert_eq!([9, 10, 11].map(|limit| outcome("a", limit)), [Some("TO"), Some("TO"), None]);
        assert_eq!(
            [4, 10, 99].map(|limit| outcome("b", limit)),
            [Some("TO"), Some("safe"), Some("safe")]
        );
    }

    #[test]
    fn a_row_that_was_cut_off_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let run = decided("safe", 1.0, Some(8));
        open(&path).unwrap().keep("a", "pdr", 10, &run).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}b,pdr,10,sa")).unwrap();
        open(&path).unwrap().keep("c", "pdr", 10, &run).unwrap();
        let log = open(&path).unwrap();
        let found = ["a", "b", "c"].map(|model| log.find(model, "pdr", 10).is_some());
        assert_eq!(found, [true, false, true]);
    }

    #[test]
    fn other_files_are_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.csv");
        let others = ["path,expected\na,safe\nb", "no line break"].map(str::to_owned);
        let broken = format!("{}\na,pdr,10,safe,x,\n", head::<Count>());
        for text in others.into_iter().chain([broken]) {
            std::fs::write(&path, &text).unwrap();
            assert!(open(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_smaller_limit_stops_earlier() {
        let run = decided("safe", 5.0, Some(1));
        assert_eq!(run.clone().within(5), run);
        assert_eq!(run.within(4), Run::new(Outcome::TooLong, 5.0), "what was measured is dropped");
    }
}
