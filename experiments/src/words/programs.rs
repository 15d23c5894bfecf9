//! Runs of other programs. Their time does not include the translation of the model to AIGER.

use std::path::{Path, PathBuf};
use std::process::Output;

use super::factors::Comparison;
use super::settings::Peer;
use crate::harness::bench::Bench;
use crate::harness::list::Instance;
use crate::harness::outcome::{Outcome, Verdict};
use crate::harness::process::{self, Finished};
use crate::harness::run::Run;

/// The programs that are installed.
#[derive(Default)]
pub struct Programs {
    pub abc: Option<PathBuf>,
    pub ric3: Option<PathBuf>,
}

impl Programs {
    /// The ways in which they can run.
    pub fn peers(&self) -> Vec<Peer> {
        let abc = self.abc.iter().map(|_| Peer::Abc);
        let ric3 = self.ric3.iter().flat_map(|_| [Peer::Ric3, Peer::Ric3Words]);
        abc.chain(ric3).collect()
    }

    /// Runs a program on a model.
    pub fn measure(
        &self,
        bench: &Bench,
        instance: &Instance,
        peer: Peer,
    ) -> Result<Run<Comparison>, String> {
        let program = match peer {
            Peer::Abc => &self.abc,
            Peer::Ric3 | Peer::Ric3Words => &self.ric3,
        };
        let program = program.as_deref().ok_or_else(|| format!("{} is missing", peer.name()))?;
        let file = match peer {
            Peer::Abc | Peer::Ric3 => bench
                .translated(instance, "model.aig")
                .map_err(|error| format!("cannot translate {} to AIGER: {error}", instance.path))?,
            Peer::Ric3Words => instance.file.clone(),
        };
        let finished = match peer {
            Peer::Abc => {
                let (file, limit) = (file.display(), bench.limit);
                let script = format!(
                    "read {file}; logic; undc; strash; zero; fold; pdr -T {limit}; print_status"
                );
                process::run([program.as_os_str(), "-q".as_ref(), script.as_ref()], limit)
            }
            Peer::Ric3 | Peer::Ric3Words => {
                process::run([program, Path::new("-e"), Path::new("ic3"), &file], bench.limit)
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

/// Reads the line of `print_status`. A model is undecided if ABC was stopped.
fn answer_of_abc(text: &str) -> Outcome {
    let status = text.lines().rev().find_map(|line| line.strip_prefix("Status = "));
    match status.and_then(|status| status.split_whitespace().next()) {
        Some("1") => Outcome::Decided(Verdict::Safe),
        Some("0") => Outcome::Decided(Verdict::Unsafe),
        Some("-1") => Outcome::TooLong,
        Some(_) | None => Outcome::Failed,
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
    fn only_installed_programs_run() {
        let programs = Programs { abc: None, ric3: Some("rIC3".into()) };
        assert_eq!(programs.peers(), [Peer::Ric3, Peer::Ric3Words]);
        assert_eq!(Programs::default().peers(), []);
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
