//! Runs of the engine and of its peers, each a process with a limit of processor time.
//!
//! The time of the engine includes the check of its evidence; that of a peer on bits does
//! not include the translation of the model to AIGER.

use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use super::list::Instance;
use super::record::Run;
use super::settings::{Peer, Setting};
use crate::experiment::log::{Kept, Log};
use crate::experiment::outcome::{Outcome, Verdict};
use crate::process::{self, Checked, Ending, Finished};

/// What all runs share.
pub struct Laboratory {
    pub elinvar: PathBuf,
    pub peers: Peers,
    /// Seconds of processor time.
    pub limit: u32,
    pub log: Log<Run>,
    bits: Bits,
}

/// The programs of others, where they are installed.
#[derive(Default)]
pub struct Peers {
    pub abc: Option<PathBuf>,
    pub ric3: Option<PathBuf>,
}

impl Peers {
    /// Those that can run.
    pub fn all(&self) -> Vec<Peer> {
        let abc = self.abc.iter().map(|_| Peer::Abc);
        let ric3 = self.ric3.iter().flat_map(|_| [Peer::Ric3, Peer::Ric3Words]);
        abc.chain(ric3).collect()
    }
}

impl Laboratory {
    pub fn new(elinvar: PathBuf, peers: Peers, limit: u32, log: Log<Run>) -> Result<Self, String> {
        Ok(Laboratory { elinvar, peers, limit, log, bits: Bits::new()? })
    }

    /// The run that is known, or a new one.
    pub fn run(&mut self, instance: &Instance, setting: Setting) -> Result<Run, String> {
        let name = setting.name();
        if let Some(run) = self.log.find(&instance.path, &name, self.limit) {
            return Ok(run);
        }
        let run = match setting {
            Setting::Words(_) | Setting::Comparison => self.check(instance, setting)?,
            Setting::Peer(peer) => self.ask(instance, peer)?,
        };
        let run = run.within(self.limit);
        self.log.keep(&instance.path, &name, self.limit, &run)?;
        Ok(run)
    }

    fn check(&self, instance: &Instance, setting: Setting) -> Result<Run, String> {
        /// Such as an option that does not exist, or a model that cannot be read.
        const USER_ERROR: i32 = 2;
        let mut options = setting.options();
        // A comparison is to tell what it has seen, so it stops by itself.
        let compares = setting == Setting::Comparison;
        let seconds = if compares {
            options.extend(["--timeout".into(), self.limit.to_string()]);
            self.limit.saturating_mul(2).saturating_add(1)
        } else {
            self.limit
        };
        let Checked { ending, time } =
            process::check(&self.elinvar, "words", &instance.file, &options, seconds)?;
        let seconds = time.as_secs_f64();
        let of_report = if compares { Run::of_comparison } else { Run::of_report };
        match ending {
            Ending::Report(report) => of_report(&report, seconds)
                .ok_or_else(|| format!("the report on {} lacks what is needed", instance.path)),
            Ending::TooLong => Ok(Run::new(Outcome::TooLong, seconds)),
            Ending::Failed { code: Some(USER_ERROR), reason } => Err(reason),
            Ending::Failed { reason, .. } => {
                eprintln!("{}: {reason}", setting.name());
                Ok(Run::new(Outcome::Failed, seconds))
            }
        }
    }

    fn ask(&mut self, instance: &Instance, peer: Peer) -> Result<Run, String> {
        let program = match peer {
            Peer::Abc => &self.peers.abc,
            Peer::Ric3 | Peer::Ric3Words => &self.peers.ric3,
        };
        let program = program.as_deref().ok_or_else(|| format!("{} is missing", peer.name()))?;
        let file = match peer {
            Peer::Abc | Peer::Ric3 => self.bits.of(&self.elinvar, instance)?,
            Peer::Ric3Words => instance.file.clone(),
        };
        let finished = match peer {
            Peer::Abc => {
                let (file, limit) = (file.display(), self.limit);
                let script = format!(
                    "read {file}; logic; undc; strash; zero; fold; pdr -T {limit}; print_status"
                );
                process::run([program.as_os_str(), "-q".as_ref(), script.as_ref()], limit)
            }
            Peer::Ric3 | Peer::Ric3Words => {
                let words = [program, Path::new("-e"), Path::new("ic3"), &file];
                process::run(words, self.limit)
            }
        };
        let Finished { output, time, too_long } = finished?;
        let outcome = if too_long { Outcome::TooLong } else { answer(peer, &output) };
        Ok(Run::new(outcome, time.as_secs_f64()))
    }
}

fn answer(peer: Peer, output: &Output) -> Outcome {
    match peer {
        Peer::Abc => answer_of_abc(&String::from_utf8_lossy(&output.stdout)),
        Peer::Ric3 | Peer::Ric3Words => match output.status.code() {
            Some(20) => Outcome::Decided(Verdict::Safe),
            Some(10) => Outcome::Decided(Verdict::Unsafe),
            Some(_) | None => Outcome::Failed,
        },
    }
}

/// By the line of `print_status`; what is undecided was stopped.
fn answer_of_abc(text: &str) -> Outcome {
    let status = text.lines().rev().find_map(|line| line.strip_prefix("Status = "));
    match status.and_then(|status| status.split_whitespace().next()) {
        Some("1") => Outcome::Decided(Verdict::Safe),
        Some("0") => Outcome::Decided(Verdict::Unsafe),
        Some("-1") => Outcome::TooLong,
        Some(_) | None => Outcome::Failed,
    }
}

/// The last model as bits.
struct Bits {
    folder: TempDir,
    /// Its path in the list.
    path: Option<String>,
}

impl Bits {
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Bits { folder, path: None })
    }

    fn of(&mut self, elinvar: &Path, instance: &Instance) -> Result<PathBuf, String> {
        /// No model of the size of these needs so long.
        const SECONDS: u32 = 600;
        let file = self.folder.path().join("model.aig");
        if self.path.as_ref() == Some(&instance.path) {
            return Ok(file);
        }
        self.path = None;
        let words = [elinvar, Path::new("convert"), &instance.file, Path::new("-o"), &file];
        let output = process::run(words, SECONDS)?.output;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} cannot be made bits: {errors}", instance.path));
        }
        self.path = Some(instance.path.clone());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abc_answers_by_its_status() {
        let safe =
            "Property proved.  Time =     0.03 sec\nStatus = 1  Frames = 4   Cex is not defined.\n";
        assert_eq!(answer_of_abc(safe), Outcome::Decided(Verdict::Safe));
        let bug = "Output 0 of miter \"m\" was asserted in frame 2.\nStatus = 0  Frames = 1\n";
        assert_eq!(answer_of_abc(bug), Outcome::Decided(Verdict::Unsafe));
        assert_eq!(answer_of_abc("Status = -1  Frames = 74\n"), Outcome::TooLong);
        assert_eq!(answer_of_abc("cannot open input file\n"), Outcome::Failed);
    }

    #[test]
    fn peers_are_those_that_are_there() {
        let peers = Peers { abc: None, ric3: Some("rIC3".into()) };
        assert_eq!(peers.all(), [Peer::Ric3, Peer::Ric3Words]);
        assert_eq!(Peers::default().all(), []);
    }

    #[test]
    fn ric3_answers_by_its_exit_code() {
        let answer = |code: &str| {
            let run = process::run(["sh", "-c", &format!("exit {code}")], 9).unwrap();
            answer(Peer::Ric3, &run.output)
        };
        assert_eq!(answer("20"), Outcome::Decided(Verdict::Safe));
        assert_eq!(answer("10"), Outcome::Decided(Verdict::Unsafe));
        assert_eq!(answer("101"), Outcome::Failed);
    }
}
