//! Workers as elements of an array job of Slurm.
//!
//! The job is submitted with `sbatch`, looked at with `squeue` and cancelled with `scancel`; there
//! is no connection between this process and the workers but the folder of the campaign, which
//! must be on a file system that all nodes share, at the same path. The job may be requeued:
//! a worker that starts again claims what is left. If the job ends before the campaign does,
//! because of its time limit for example, it is submitted again, as long as that brings results.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use elinvar::campaign::Results;

use super::launch::{Launcher, State};
use crate::output;

/// How often Slurm is asked about the job.
const PERIOD: Duration = Duration::from_secs(2);
/// So many seconds before its time limit, a worker is asked to stop.
const NOTICE: u32 = 30;
/// The file with the number of the job, within the campaign.
const JOB: &str = "slurm/job";

/// Workers as elements of an array job.
pub struct Slurm {
    campaign: PathBuf,
    jobs: usize,
    memory: Option<u64>,
    options: Vec<String>,
    job: Option<String>,
    asked: Instant,
    stopping: bool,
    /// How many verdicts and ended tasks there were when the job was submitted last.
    progress: usize,
}

impl Slurm {
    pub fn new(campaign: &Path, jobs: usize, memory: Option<u64>, options: Vec<String>) -> Self {
        Slurm {
            campaign: campaign.to_owned(),
            jobs,
            memory,
            options,
            job: None,
            asked: Instant::now(),
            stopping: false,
            progress: 0,
        }
    }

    fn submit(&mut self) -> Result<()> {
        let logs = self.campaign.join("slurm");
        std::fs::create_dir_all(&logs)
            .with_context(|| format!("cannot create {}", logs.display()))?;
        let program = std::env::current_exe().context("cannot find the program itself")?;
        let variables = super::worker::allocation().into_iter();
        let variables: String =
            variables.map(|(name, value)| format!("export {name}={value}\n")).collect();
        let script = format!(
            "#!/bin/sh\n{variables}exec {} run --worker {}\n",
            quoted(&program.to_string_lossy()),
            quoted(&self.campaign.to_string_lossy()),
        );
        let mut command = Command::new("sbatch");
        command.args(["--parsable", "--job-name=elinvar", "--ntasks=1", "--requeue"]);
        command.args(["--open-mode=append".to_owned(), format!("--signal=B:TERM@{NOTICE}")]);
        command.arg(format!("--array=0-{}", self.jobs - 1));
        command.arg(format!("--output={}/%A_%a.out", logs.display()));
        if let Some(memory) = self.memory {
            command.arg(format!("--mem={}M", (memory / self.jobs as u64) >> 20));
        }
        command.args(&self.options);
        let answer = answer(&mut command, script.as_bytes())?;
        // The name of the cluster may follow.
        let job = answer.trim().split(';').next().unwrap_or_default().to_owned();
        elinvar::files::write(&self.campaign.join(JOB), job.as_bytes())?;
        output::tell(&format!("submitted job {job} with {} workers", self.jobs));
        (self.job, self.asked) = (Some(job), Instant::now());
        Ok(())
    }

    /// Is any element of the job pending or running?
    fn is_queued(&self) -> Result<bool> {
        match &self.job {
            Some(job) => is_queued(job),
            None => Ok(false),
        }
    }
}

impl Launcher for Slurm {
    fn start(&mut self) -> Result<()> {
        self.progress = progress(&Results::read(&self.campaign)?);
        self.submit()
    }

    fn poll(&mut self, results: &Results) -> Result<State> {
        // The workers end by themselves when the campaign is over.
        if results.is_complete() {
            return Ok(State::Ended);
        }
        if self.asked.elapsed() < PERIOD {
            return Ok(State::Running);
        }
        self.asked = Instant::now();
        if self.is_queued()? {
            return Ok(State::Running);
        }
        let results = Results::read(&self.campaign)?;
        if self.stopping || results.is_complete() {
            return Ok(State::Ended);
        }
        let progress = progress(&results);
        if progress == self.progress {
            bail!(
                "job {} has ended without any result; see {}",
                self.job.as_deref().unwrap_or_default(),
                self.campaign.join("slurm").display()
            );
        }
        self.progress = progress;
        self.submit()?;
        Ok(State::Running)
    }

    fn stop(&mut self) {
        self.stopping = true;
        if let Some(job) = &self.job {
            // Slurm sends SIGTERM first, so the workers end in an orderly way.
            if let Err(error) = answer(Command::new("scancel").arg(job), &[]) {
                output::tell(&format!("warning: {error:#}"));
            }
        }
    }

    fn kill(&mut self) {
        self.stop();
    }
}

/// How much is known by now.
fn progress(results: &Results) -> usize {
    let lines: usize = results.properties.iter().map(|property| property.attempts.len()).sum();
    lines + results.totals().tasks_done
}

/// Does a job of an earlier run of this campaign still run?
pub fn is_running(campaign: &Path) -> Result<bool> {
    match std::fs::read_to_string(campaign.join(JOB)) {
        Ok(job) => is_queued(job.trim()),
        Err(_) => Ok(false),
    }
}

fn is_queued(job: &str) -> Result<bool> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--format=%T", "--jobs", job]);
    match answer(&mut command, &[]) {
        Ok(states) => Ok(!states.trim().is_empty()),
        // Slurm forgets jobs some minutes after their end.
        Err(error) if format!("{error:#}").contains("Invalid job id") => Ok(false),
        Err(error) => Err(error),
    }
}

/// What a command of Slurm prints.
fn answer(command: &mut Command, input: &[u8]) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| {
        format!("cannot run {name}; --launcher slurm needs the commands of Slurm")
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its input says why below.
        stdin.write_all(input).ok();
    }
    let result = child.wait_with_output().with_context(|| format!("cannot wait for {name}"))?;
    if !result.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&result.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&result.stdout).into_owned())
}

/// A word of a shell script.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_scripts_are_quoted() {
        assert_eq!(quoted("/a b/it's"), "'/a b/it'\\''s'");
    }

    #[test]
    fn a_missing_command_is_named() {
        let error = answer(&mut Command::new("no-such-command-of-slurm"), &[]).unwrap_err();
        assert!(format!("{error:#}").contains("needs the commands of Slurm"));
        let error =
            answer(Command::new("sh").args(["-c", "echo why >&2; exit 3"]), &[]).unwrap_err();
        assert_eq!(format!("{error:#}"), "sh failed: why");
    }
}
