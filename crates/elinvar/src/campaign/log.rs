//! The log of a campaign: JSON Lines, one file for each worker.
//!
//! Appends of several machines to one file of a network file system may overwrite each other,
//! so each worker has a file of its own. A line is written with one call and synchronised before
//! the worker goes on. A worker that is killed leaves at most one torn line, at the end of its
//! file; readers ignore it, and nobody appends to that file again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The folder of the logs within that of a campaign.
pub(crate) const FOLDER: &str = "log";

/// One line of a log. Readers ignore keys that they do not know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "most lines are results")]
pub enum Line {
    /// A worker has started.
    Start(Start),
    /// A worker begins with a task.
    Begin(Begin),
    /// The confirmed verdict on a property, or why there is none.
    Result(PropertyLine),
    /// A worker has ended a task.
    End(End),
}

/// A worker has started.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The name of the worker, which is that of its file.
    pub worker: String,
    /// When it started, in the form of RFC 3339, in UTC.
    pub time: String,
    /// The version of Elinvar.
    pub version: String,
    /// The name of the machine.
    pub host: String,
    /// The number of the process.
    pub pid: u32,
    /// The job of the cluster's scheduler that it belongs to, such as `17_3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

/// A worker begins with a task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// The number of the task, such as `t000017`.
    pub task: String,
    /// The name of the worker.
    pub worker: String,
    /// When it began.
    pub time: String,
    /// How often the task was begun, from 1.
    pub attempt: u32,
    /// The strategy that the worker has chosen for the task.
    #[serde(default)]
    pub strategy: String,
    /// Does the task run alone because it needs much memory?
    #[serde(default)]
    pub alone: bool,
}

/// The confirmed verdict on a property, or why there is none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PropertyLine {
    /// The number of the task.
    pub task: String,
    /// The name of the model within the plan.
    pub model: String,
    /// The position of the property in the model.
    pub property: usize,
    /// The name of the property.
    pub name: String,
    /// The kind of the property, as [`crate::PropertyKind::name`] gives it.
    pub kind: String,
    /// The name of the strategy.
    pub strategy: String,
    /// How many strategies were tried before on this property.
    pub stage: usize,
    /// The verdict in one word, as [`crate::Summary::word`] gives it.
    pub verdict: String,
    /// Why there is no verdict.
    pub reason: Option<String>,
    /// The engine that decided it.
    pub engine: Option<String>,
    /// The time that was spent on this property in this task.
    pub seconds: f64,
    /// The processor time that was spent on it: of properties that are decided together, that
    /// since the line before.
    pub cpu_seconds: f64,
    /// The most memory that the process has held so far.
    pub memory_bytes: u64,
    /// The depth, as [`crate::PropertyReport::depth`] gives it.
    pub depth: Option<usize>,
    /// Where the evidence comes from.
    pub source: Source,
    /// The properties of the same model whose proofs are part of this one.
    #[serde(default)]
    pub depends: Vec<usize>,
    /// The file with the proof, relative to the folder of the campaign.
    pub certificate: Option<String>,
    /// The file with the counterexample, relative to the folder of the campaign.
    pub trace: Option<String>,
    /// The name of the worker.
    pub worker: String,
    /// When the verdict was confirmed.
    pub time: String,
    /// The attempt of the task.
    pub attempt: u32,
}

impl PropertyLine {
    /// Is the property decided?
    pub fn is_decided(&self) -> bool {
        self.verdict != "unknown"
    }
}

/// Where evidence comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// An engine has found it.
    Engine,
    /// It was in the store, and was checked again.
    Store,
    /// An engine has found it with the help of properties that the campaign has proved before.
    Campaign,
}

/// A worker has ended a task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct End {
    /// The number of the task.
    pub task: String,
    /// The name of the worker.
    pub worker: String,
    /// When it ended.
    pub time: String,
    /// The attempt that ended.
    #[serde(default)]
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// What went wrong, if something did.
    pub message: Option<String>,
    /// The processor time of the task.
    pub cpu_seconds: f64,
    /// The most memory that the process has held so far.
    pub memory_bytes: u64,
}

/// How a task ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Each property has a line.
    Done,
    /// The worker was asked to stop; the task is to be run again.
    Stopped,
    /// The task needs more memory than there is beside others; it is to be run again alone.
    Memory,
    /// The task cannot be run, for example because the model has changed.
    Failed,
}

impl Line {
    /// The line as it is written, with its end.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a line has a JSON form");
        text.push('\n');
        text
    }

    /// Reads one line. Lines of later versions and damaged ones are `None`.
    ///
    /// ```
    /// use elinvar::campaign::Line;
    /// let text = r#"{"event":"begin","task":"t000000","worker":"w","time":"","attempt":1}"#;
    /// assert!(matches!(Line::parse(text), Some(Line::Begin(begin)) if begin.attempt == 1));
    /// assert_eq!(Line::parse(&text[..40]), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        /// The key that says what the line is. With it, a line is read without a tree of its values.
        #[derive(Deserialize)]
        struct Tag<'a> {
            #[serde(borrow)]
            event: Cow<'a, str>,
        }
        let Tag { event } = serde_json::from_str(text).ok()?;
        Some(match &event[..] {
            "start" => Line::Start(serde_json::from_str(text).ok()?),
            "begin" => Line::Begin(serde_json::from_str(text).ok()?),
            "result" => Line::Result(serde_json::from_str(text).ok()?),
            "end" => Line::End(serde_json::from_str(text).ok()?),
            _ => return None,
        })
    }
}

/// The time now, as the log gives it.
pub fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// The processor time of this process so far, in seconds; zero where it is not known.
pub fn cpu_seconds() -> f64 {
    // Linux counts in hundredths of a second here, whatever the kernel was built with.
    const TICKS: f64 = 100.0;
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // The times of the user and of the system, after the name in parentheses.
    let Some((_, fields)) = stat.rsplit_once(')') else { return 0.0 };
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

/// The most memory that this process has held so far, in bytes; zero where it is not known.
pub fn peak_memory() -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

/// Appends lines to the log of one worker.
pub struct LogWriter {
    worker: String,
    path: PathBuf,
    file: File,
}

impl LogWriter {
    /// Creates a log in the folder of a campaign. The worker has the wanted name, or that name
    /// with a number if there is such a log already.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(campaign: &Path, wanted: &str) -> Result<Self, Error> {
        let folder = campaign.join(FOLDER);
        let cannot = |cause| Error::File {
            context: format!("cannot create a log in {}", folder.display()),
            cause,
        };
        std::fs::create_dir_all(&folder).map_err(cannot)?;
        for number in 0_u32.. {
            let worker = format!("{wanted}-{number}");
            let path = folder.join(format!("{worker}.jsonl"));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => return Ok(LogWriter { worker, path, file }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(error)),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// The name of the worker.
    pub fn worker(&self) -> &str {
        &self.worker
    }

    /// Writes a line and waits until it is on the disk.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn append(&mut self, line: &Line) -> Result<(), Error> {
        self.append_all(std::slice::from_ref(line))
    }

    /// Writes lines with one call and waits until they are on the disk.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn append_all(&mut self, lines: &[Line]) -> Result<(), Error> {
        let text: String = lines.iter().map(Line::to_text).collect();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|cause| Error::File {
            context: format!("cannot write {}", self.path.display()),
            cause,
        })
    }
}

/// Reads the logs of a campaign as they grow.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    /// By file: how many bytes were read.
    read: BTreeMap<PathBuf, u64>,
    /// How many whole lines were not understood.
    damaged: usize,
}

impl Follower {
    /// The lines that were added to any log since the last call. A last line without an end is
    /// left for the next call.
    ///
    /// # Errors
    /// If a log cannot be read. That there is none yet is no error.
    pub fn lines(&mut self, campaign: &Path) -> Result<Vec<Line>, Error> {
        let folder = campaign.join(FOLDER);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::reading(&folder)(error)),
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        paths.sort();
        let mut lines = Vec::new();
        for path in paths {
            self.read_on(&path, &mut lines).map_err(Error::reading(&path))?;
        }
        Ok(lines)
    }

    /// How many whole lines were not understood so far.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    fn read_on(&mut self, path: &Path, lines: &mut Vec<Line>) -> std::io::Result<()> {
        let from = self.read.get(path).copied().unwrap_or(0);
        // Most logs have not grown, and a file is not opened to find that out.
        if std::fs::metadata(path)?.len() <= from {
            return Ok(());
        }
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        for text in String::from_utf8_lossy(&bytes[..whole]).lines() {
            match Line::parse(text) {
                Some(line) => lines.push(line),
                None => self.damaged += 1,
            }
        }
        self.read.insert(path.to_owned(), from + whole as u64);
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A line about a property, for tests.
    pub fn result(task: &str, property: usize, stage: usize, verdict: &str) -> PropertyLine {
        PropertyLine {
            task: task.to_owned(),
            model: "m".to_owned(),
            property,
            name: format!("p{property}"),
            kind: "safety".to_owned(),
            strategy: "quick".to_owned(),
            stage,
            verdict: verdict.to_owned(),
            reason: None,
            engine: None,
            seconds: 0.5,
            cpu_seconds: 0.5,
            memory_bytes: 1,
            depth: None,
            source: Source::Engine,
            depends: vec![],
            certificate: None,
            trace: None,
            worker: "w-0".to_owned(),
            time: "2026-11-17T10:00:00.000Z".to_owned(),
            attempt: 1,
        }
    }

    #[test]
    fn lines_are_read_back_and_torn_ones_wait() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = LogWriter::create(folder.path(), "w").unwrap();
        let other = LogWriter::create(folder.path(), "w").unwrap();
        assert_eq!((log.worker(), other.worker()), ("w-0", "w-1"));
        let line = |property| Line::Result(result("t000000", property, 0, "safe"));
        log.append(&line(0)).unwrap();
        let mut follower = Follower::default();
        assert_eq!(follower.lines(folder.path()).unwrap(), [line(0)]);
        // Half of a line is not read; when the rest comes, the line is read once.
        let text = line(1).to_text();
        let (first, second) = text.split_at(text.len() / 2);
        log.file.write_all(first.as_bytes()).unwrap();
        assert_eq!(follower.lines(folder.path()).unwrap(), []);
        log.file.write_all(second.as_bytes()).unwrap();
        assert_eq!(follower.lines(folder.path()).unwrap(), [line(1)]);
        assert_eq!(follower.lines(folder.path()).unwrap(), []);
        // A line in the middle that is no line is counted.
        log.file.write_all(b"{\"event\":\"result\"}\n").unwrap();
        assert_eq!((follower.lines(folder.path()).unwrap(), follower.damaged()), (vec![], 1));
    }

    #[test]
    fn unknown_keys_are_ignored() {
        let line = r#"{"event":"end","task":"t","worker":"w","time":"","outcome":"memory",
            "message":null,"cpu_seconds":1.5,"memory_bytes":3,"later":true}"#;
        let Some(Line::End(end)) = Line::parse(line) else { panic!("it is a line") };
        assert_eq!((end.outcome, end.memory_bytes), (Outcome::Memory, 3));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn time_and_memory_are_measured() {
        assert!(peak_memory() > 1 << 20);
        let before = cpu_seconds();
        let start = std::time::Instant::now();
        let mut x = 1_u64;
        while start.elapsed().as_millis() < 60 {
            x = x.wrapping_mul(3);
        }
        assert!(x != 0 && cpu_seconds() >= before + 0.01);
    }
}
