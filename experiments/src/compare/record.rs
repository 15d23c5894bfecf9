//! The file of runs: one JSON object per line, appended when the run ends.
//!
//! A run belongs to a tool, a model, a seed, a limit, and the program with its options, as a
//! hash. A measurement that was interrupted goes on where it stopped, and another build of a
//! tool is measured again. A line that was cut off is dropped.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::profile::Profile;
use crate::harness::outcome::{Outcome, Verdict};

/// One run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    pub tool: String,
    /// The path in the list.
    pub model: String,
    pub seed: u64,
    /// Seconds of processor time.
    pub limit: u32,
    /// The hash of the program and its options.
    pub binary: String,
    /// The word of an [`Outcome`].
    pub outcome: String,
    /// The verdict that is known.
    pub expected: Option<String>,
    /// Processor time.
    pub seconds: f64,
    /// The time that passed.
    pub wall: f64,
    /// The most memory that was seen, in MiB.
    pub memory: f64,
    pub format: String,
    pub class: String,
    /// What our binary reports about its search.
    pub profile: Option<Profile>,
}

impl Record {
    /// How the run ends under a smaller limit.
    pub fn outcome(&self, limit: u32) -> Outcome {
        let outcome = Outcome::of_word(&self.outcome).unwrap_or(Outcome::Failed);
        match outcome {
            Outcome::Failed => outcome,
            Outcome::Decided(_) | Outcome::Unknown | Outcome::TooLong
                if self.seconds > f64::from(limit) =>
            {
                Outcome::TooLong
            }
            Outcome::Decided(_) | Outcome::Unknown | Outcome::TooLong => outcome,
        }
    }

    /// The verdict that is known.
    pub fn expected(&self) -> Option<Verdict> {
        self.expected.as_deref().and_then(Verdict::of_word)
    }

    /// Whether this run tells how one with this limit ends.
    pub fn tells(&self, limit: u32) -> bool {
        self.limit >= limit || self.outcome(self.limit).verdict().is_some()
    }
}

/// What a run is a run of, besides its limit.
pub type Key = (String, String, u64, String);

impl Record {
    fn key(&self) -> Key {
        (self.tool.clone(), self.model.clone(), self.seed, self.binary.clone())
    }
}

/// The file, with what is in it.
pub struct Log {
    file: File,
    known: FxHashMap<Key, Record>,
}

impl Log {
    /// Reads a file, which is made if there is none. New runs are appended to it.
    pub fn open(path: &Path) -> Result<Self, String> {
        let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path);
        let mut file = file.map_err(|error| complaint(&error))?;
        let text = std::fs::read_to_string(path).map_err(|error| complaint(&error))?;
        let records = parse(&text).map_err(|error| complaint(&error))?;
        // The next line must not continue one that was cut off.
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(|error| complaint(&error))?;
        }
        let mut known = FxHashMap::default();
        for record in records {
            keep_longer(&mut known, record);
        }
        Ok(Log { file, known })
    }

    /// A run that tells how one with this limit ends.
    pub fn find(&self, key: &Key, limit: u32) -> Option<&Record> {
        self.known.get(key).filter(|record| record.tells(limit))
    }

    /// Appends a run. One that failed is in the file, but is tried again by the next measurement.
    pub fn keep(&mut self, record: Record) -> Result<(), String> {
        let line = serde_json::to_string(&record).map_err(|error| error.to_string())? + "\n";
        // In one write, so that lines of several processes do not mix.
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| format!("cannot append to the file of runs: {error}"))?;
        keep_longer(&mut self.known, record);
        Ok(())
    }
}

/// Of two runs of the same, the one with the larger limit counts, or else the later one.
/// Failures do not count.
fn keep_longer(known: &mut FxHashMap<Key, Record>, record: Record) {
    if record.outcome(record.limit) == Outcome::Failed {
        return;
    }
    let key = record.key();
    if known.get(&key).is_none_or(|other| other.limit <= record.limit) {
        known.insert(key, record);
    }
}

/// The runs of a file, in their order. For each tool these are the runs of the program that was
/// measured last, and of several runs of the same, the last one.
pub fn read(path: &Path) -> Result<Vec<Record>, String> {
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| complaint(&error))?;
    let records = parse(&text).map_err(|error| complaint(&error))?;
    Ok(latest(records))
}

/// The runs of several files, of some tools or of all if none is named.
pub fn read_all(files: &[PathBuf], tools: &[String]) -> Result<Vec<Record>, String> {
    let mut runs = Vec::new();
    for file in files {
        runs.extend(read(file)?);
    }
    runs.retain(|run| tools.is_empty() || tools.contains(&run.tool));
    Ok(runs)
}

fn latest(records: Vec<Record>) -> Vec<Record> {
    let mut binaries: FxHashMap<&str, &str> = FxHashMap::default();
    for record in &records {
        binaries.insert(&record.tool, &record.binary);
    }
    let mut last: FxHashMap<Key, usize> = FxHashMap::default();
    for (index, record) in records.iter().enumerate() {
        let is_newer = |other: &usize| records[*other].limit <= record.limit;
        if binaries[&record.tool[..]] == record.binary
            && last.get(&record.key()).is_none_or(is_newer)
        {
            last.insert(record.key(), index);
        }
    }
    let mut chosen: Vec<usize> = last.into_values().collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|index| records[index].clone()).collect()
}

/// Lines that were cut off are left out: only the last line, or one before an appended line.
fn parse(text: &str) -> Result<Vec<Record>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_whole = |line: &&str| line.starts_with('{') && line.ends_with('}');
    let whole: Vec<&str> = lines.clone().filter(is_whole).collect();
    if whole.is_empty() && lines.clone().next().is_some_and(|line| !line.starts_with('{')) {
        return Err("this file does not contain runs".into());
    }
    let record = |line: &&str| {
        serde_json::from_str(line).map_err(|error| format!("invalid line: {error}: {line}"))
    };
    whole.iter().map(record).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A run of a tool on a model that is known to be safe.
    pub fn record(tool: &str, model: &str, seed: u64, outcome: &str, seconds: f64) -> Record {
        Record {
            tool: tool.into(),
            model: model.into(),
            seed,
            limit: 10,
            binary: "b".into(),
            outcome: outcome.into(),
            expected: Some("safe".into()),
            seconds,
            wall: seconds,
            memory: 10.0,
            format: "aiger".into(),
            class: "mid".into(),
            profile: None,
        }
    }

    #[test]
    fn runs_are_found_again_if_they_tell_enough() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let mut log = Log::open(&path).unwrap();
        for run in [
            record("pdr", "a", 0, "safe", 4.0),
            record("pdr", "b", 0, "TO", 10.1),
            record("pdr", "c", 0, "failed", 0.1),
        ] {
            log.keep(run).unwrap();
        }
        let log = Log::open(&path).unwrap();
        let found = |model: &str, seed, binary: &str, limit| {
            log.find(&("pdr".into(), model.into(), seed, binary.into()), limit).is_some()
        };
        assert!(found("a", 0, "b", 10) && found("a", 0, "b", 60), "it is solved in any case");
        assert!(!found("a", 1, "b", 10), "another seed");
        assert!(!found("a", 0, "c", 10), "another program");
        assert!(found("b", 0, "b", 5) && !found("b", 0, "b", 20), "with more time, who knows");
        assert!(!found("c", 0, "b", 5), "failures are tried again");
        assert_eq!(read(&path).unwrap().len(), 3, "failures are reported");
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        Log::open(&path).unwrap().keep(record("pdr", "a", 0, "safe", 1.0)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{}", &text[..40])).unwrap();
        Log::open(&path).unwrap().keep(record("pdr", "b", 0, "safe", 1.0)).unwrap();
        let models: Vec<String> = read(&path).unwrap().into_iter().map(|run| run.model).collect();
        assert_eq!(models, ["a", "b"]);
    }

    #[test]
    fn other_files_are_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.csv");
        for text in ["path,expected\na,safe", "{\"tool\": 1}\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(Log::open(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn only_the_last_build_of_a_tool_counts() {
        let mut old = record("pdr", "a", 0, "TO", 10.1);
        old.binary = "old".into();
        let runs =
            vec![old, record("abc", "a", 0, "safe", 1.0), record("pdr", "b", 0, "safe", 1.0)];
        let runs = latest([runs, vec![record("pdr", "b", 0, "safe", 2.0)]].concat());
        let kept: Vec<(&str, f64)> = runs.iter().map(|run| (&run.model[..], run.seconds)).collect();
        assert_eq!(kept, [("a", 1.0), ("b", 2.0)]);
    }

    #[test]
    fn a_smaller_limit_stops_earlier() {
        let run = record("pdr", "a", 0, "safe", 4.0);
        assert_eq!(run.outcome(4), Outcome::Decided(Verdict::Safe));
        assert_eq!(run.outcome(3), Outcome::TooLong);
        assert_eq!(record("pdr", "a", 0, "failed", 4.0).outcome(3), Outcome::Failed);
    }
}
