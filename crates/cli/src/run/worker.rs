//! A worker process of a campaign: `elinvar run --worker DIR`, which `elinvar run` and Slurm start.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use elinvar::Cancellation;
use elinvar::campaign::{Ending, Workplace, work};

use super::strategy::Words;
use crate::{code, interrupt};

/// The variable with the process without which the worker is to end.
pub const PARENT: &str = "ELINVAR_CAMPAIGN_PARENT";

/// The variable with the number of workers on this machine.
pub const JOBS: &str = "ELINVAR_CAMPAIGN_JOBS";

/// Works on a campaign until nothing is left to do or somebody asks the process to end.
pub fn run(campaign: &Path) -> Result<u8> {
    elinvar_arena::share();
    let cancellation = Cancellation::default();
    let cancelled = cancellation.clone();
    // A second interrupt changes nothing: what is under way ends within a second.
    interrupt::listen(move || {
        cancelled.cancel();
    })?;
    follow_parent(&cancellation);
    let place = Workplace {
        campaign,
        settings: &Words,
        job: job(),
        memory: slurm_memory(),
        jobs: std::env::var(JOBS).ok().and_then(|text| text.parse().ok()),
        cancellation,
    };
    match work(&place)? {
        Ending::Complete | Ending::Stopped => Ok(code::DONE),
        Ending::Restart => restart(),
    }
}

/// Ends the worker when the process has gone that has started it.
fn follow_parent(cancellation: &Cancellation) {
    let parent = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok());
    let Some(parent) = parent else { return };
    let cancellation = cancellation.clone();
    let watch = move || {
        while parent_id() == Some(parent) {
            std::thread::sleep(Duration::from_millis(200));
        }
        cancellation.cancel();
    };
    let thread = std::thread::Builder::new().name("parent".to_owned());
    // Without the thread, the worker ends when the campaign does.
    thread.spawn(watch).ok();
}

/// Variables of the environment of workers, for glibc. The engines of a worker take turns, each in
/// a thread of its own. By default, the freed memory of each thread is kept apart, which took a
/// third more memory on a design of 1,000 properties. Large blocks go back to the system at once
/// and are cleared when they come again: that took a quarter of the time in which a thousand
/// stored counterexamples were replayed. Values that the user has set are kept.
pub(super) fn allocation() -> Vec<(&'static str, &'static str)> {
    let mut variables = vec![
        ("MALLOC_ARENA_MAX", "1"),
        ("MALLOC_MMAP_THRESHOLD_", "8388608"),
        ("MALLOC_TRIM_THRESHOLD_", "16777216"),
    ];
    variables.retain(|(name, _)| std::env::var_os(name).is_none());
    variables
}

#[cfg(unix)]
fn parent_id() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent_id() -> Option<u32> {
    std::env::var(PARENT).ok()?.parse().ok()
}

/// Replaces this process by a new one with the same words.
#[cfg(unix)]
fn restart() -> Result<u8> {
    use std::os::unix::process::CommandExt;
    let program = std::env::current_exe()?;
    let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).exec();
    Err(anyhow::Error::new(error).context("cannot start the worker again"))
}

#[cfg(not(unix))]
fn restart() -> Result<u8> {
    anyhow::bail!("the worker needs more memory than it may use")
}

/// The element of the array job of Slurm that this process is.
fn job() -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok();
    let array = variable("SLURM_ARRAY_JOB_ID").zip(variable("SLURM_ARRAY_TASK_ID"));
    array.map(|(job, element)| format!("{job}_{element}")).or_else(|| variable("SLURM_JOB_ID"))
}

/// The memory that Slurm has given to this worker, less a part for what is not counted.
fn slurm_memory() -> Option<u64> {
    let mebibytes: u64 = std::env::var("SLURM_MEM_PER_NODE").ok()?.parse().ok()?;
    (mebibytes > 0).then_some((mebibytes << 20) / 10 * 9)
}
