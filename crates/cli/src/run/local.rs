//! Workers as processes on this machine.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result};
use elinvar::campaign::Results;

use super::launch::{Launcher, State};

/// So many workers may die before the campaign is given up, for each of the workers.
const MOST_DEATHS: usize = 20;

/// Workers as processes on this machine.
pub struct Local {
    campaign: PathBuf,
    jobs: usize,
    workers: Vec<Child>,
    deaths: usize,
    stopping: bool,
}

impl Local {
    pub fn new(campaign: &Path, jobs: usize) -> Self {
        let campaign = campaign.to_owned();
        Local { campaign, jobs, workers: Vec::new(), deaths: 0, stopping: false }
    }

    fn spawn(&self) -> Result<Child> {
        let program = std::env::current_exe().context("cannot find the program itself")?;
        let mut command = Command::new(program);
        command.args(["run", "--worker"]).arg(&self.campaign).stdin(Stdio::null());
        // A worker ends with the process that has started it.
        command.env(super::worker::PARENT, std::process::id().to_string());
        command.env(super::worker::JOBS, self.jobs.to_string());
        command.envs(super::worker::allocation());
        command.spawn().context("cannot start a worker")
    }
}

impl Launcher for Local {
    fn start(&mut self) -> Result<()> {
        for _ in 0..self.jobs {
            self.workers.push(self.spawn()?);
        }
        Ok(())
    }

    fn poll(&mut self, _: &Results) -> Result<State> {
        let mut ended = Vec::new();
        for worker in &mut self.workers {
            let status = worker.try_wait().context("cannot wait for a worker")?;
            ended.extend(status.map(|status| (worker.id(), status)));
        }
        self.workers.retain(|worker| ended.iter().all(|&(id, _)| id != worker.id()));
        for (_, status) in ended {
            self.ended(status)?;
        }
        Ok(if self.workers.is_empty() { State::Ended } else { State::Running })
    }

    fn stop(&mut self) {
        self.stopping = true;
        for worker in &mut self.workers {
            terminate(worker);
        }
    }

    fn kill(&mut self) {
        for worker in &mut self.workers {
            // It may have ended by now.
            worker.kill().ok();
        }
    }
}

impl Local {
    /// A worker that was killed, or that panicked, is replaced; one that says that it cannot
    /// work is not.
    fn ended(&mut self, status: ExitStatus) -> Result<()> {
        let is_orderly = status.success() || status.code() == Some(crate::code::USER_ERROR.into());
        if self.stopping || is_orderly {
            return Ok(());
        }
        self.deaths += 1;
        if self.deaths <= MOST_DEATHS * self.jobs {
            let worker = self.spawn()?;
            self.workers.push(worker);
        }
        Ok(())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.kill();
        for worker in &mut self.workers {
            worker.wait().ok();
        }
    }
}

/// Asks a worker to stop in an orderly way.
#[cfg(unix)]
fn terminate(worker: &mut Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    if let Ok(pid) = i32::try_from(worker.id()) {
        // It may have ended by now.
        let _: nix::Result<()> = kill(Pid::from_raw(pid), Signal::SIGTERM);
    }
}

#[cfg(not(unix))]
fn terminate(worker: &mut Child) {
    worker.kill().ok();
}
