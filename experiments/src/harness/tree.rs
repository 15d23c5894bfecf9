//! Runs of programs that start other programs, with limits for all of them together.
//!
//! A run is a process group. Its processor time and its memory are read from `/proc` a few times
//! a second, so this works on Linux only. At the limit of time the group is interrupted, so that
//! a program that handles interrupts can still report what it did; if it does not end soon, it
//! is killed. A limit of the kernel for each process ends the run if this program does not.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use wait4::{ResUse, Wait4};

/// The limits of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Seconds of processor time of all processes together.
    pub seconds: u32,
    /// Address space of each process, in MiB.
    pub memory: Option<u64>,
    /// The core on which all processes run.
    pub core: Option<usize>,
}

/// A run that has ended.
pub struct Finished {
    /// How the first process ended.
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Processor time, of user and system together.
    pub time: Duration,
    /// The time that passed.
    pub wall: Duration,
    /// The most memory that was seen, in KiB.
    pub memory: u64,
    /// Whether the run was ended because of its limits of time.
    pub too_long: bool,
}

/// How long a run may take on a busy machine, in multiples of its limit.
const PATIENCE: u32 = 10;
/// How long an interrupted program may take to report, in time that passes.
const GRACE: Duration = Duration::from_secs(10);
/// The same in seconds of processor time.
const MARGIN: u32 = 3;
/// The first and the longest interval between two looks at the processes.
const FIRST_LOOK: Duration = Duration::from_millis(2);
const LONGEST: Duration = Duration::from_millis(200);

/// Runs a program with its arguments.
pub fn run<W: AsRef<OsStr>>(
    words: impl IntoIterator<Item = W>,
    limits: &Limits,
) -> Result<Finished, String> {
    let text = |error: std::io::Error| error.to_string();
    let [stdout, stderr] = [tempfile::NamedTempFile::new, tempfile::NamedTempFile::new];
    let (stdout, stderr) = (stdout().map_err(text)?, stderr().map_err(text)?);
    let mut command = limits.command();
    command.args(words).process_group(0).stdin(std::process::Stdio::null());
    command.stdout(File::create(stdout.path()).map_err(text)?);
    command.stderr(File::create(stderr.path()).map_err(text)?);
    let start = Instant::now();
    let mut group = Group::new(command.spawn().map_err(text)?, start);
    let ResUse { status, rusage } = group.wait(limits).map_err(text)?;
    // Processes that were not waited for by their parents count only in what was seen.
    let time = (rusage.utime + rusage.stime).max(group.seen.time);
    Ok(Finished {
        status,
        stdout: std::fs::read(stdout.path()).map_err(text)?,
        stderr: std::fs::read(stderr.path()).map_err(text)?,
        time,
        wall: start.elapsed(),
        memory: group.seen.memory.max(rusage.maxrss / 1024),
        too_long: group.interrupted.is_some() || time > limits.time(),
    })
}

impl Limits {
    fn time(&self) -> Duration {
        Duration::from_secs(u64::from(self.seconds))
    }

    /// A shell that sets the limits and becomes the program.
    fn command(&self) -> Command {
        let mut script = format!("ulimit -t {}; ", self.seconds.saturating_add(MARGIN));
        if let Some(memory) = self.memory {
            script += &format!("ulimit -v {}; ", memory.saturating_mul(1024));
        }
        let pin = self.core.map_or(String::new(), |core| format!("taskset -c {core} "));
        // A shell lets background jobs ignore interrupts, but these have to reach the program.
        script += &format!("exec env --default-signal=INT {pin}\"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]);
        command
    }
}

/// The processes of a run.
struct Group {
    first: Child,
    id: Pid,
    start: Instant,
    seen: Usage,
    /// When the group was interrupted.
    interrupted: Option<Instant>,
}

/// What processes use.
#[derive(Clone, Copy, Default, Debug)]
struct Usage {
    time: Duration,
    /// In KiB.
    memory: u64,
}

impl Group {
    fn new(first: Child, start: Instant) -> Self {
        let id = Pid::from_raw(i32::try_from(first.id()).unwrap_or(i32::MAX));
        Group { first, id, start, seen: Usage::default(), interrupted: None }
    }

    /// Waits until the first process ends, and ends those that it leaves behind.
    fn wait(&mut self, limits: &Limits) -> std::io::Result<ResUse> {
        let mut interval = FIRST_LOOK;
        loop {
            std::thread::sleep(interval);
            self.look();
            if self.has_ended()? {
                killpg(self.id, Signal::SIGKILL).ok();
                return self.first.wait4();
            }
            self.enforce(limits);
            interval = (interval * 2).min(LONGEST);
        }
    }

    /// Whether the first process has ended. The system still knows it, and what it used.
    fn has_ended(&self) -> std::io::Result<bool> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        Ok(waitid(Id::Pid(self.id), flags)? != WaitStatus::StillAlive)
    }

    /// Notes what the processes use now. What has been used does not become less.
    fn look(&mut self) {
        let now = usage(self.id.as_raw());
        self.seen.time = self.seen.time.max(now.time);
        self.seen.memory = self.seen.memory.max(now.memory);
    }

    fn enforce(&mut self, limits: &Limits) {
        let over = self.seen.time > limits.time()
            || self.start.elapsed() > limits.time() * PATIENCE + GRACE;
        let signal = match self.interrupted {
            None if over => Signal::SIGINT,
            Some(since)
                if since.elapsed() > GRACE
                    || self.seen.time > limits.time() + Duration::from_secs(MARGIN.into()) =>
            {
                Signal::SIGKILL
            }
            Some(_) | None => return,
        };
        self.interrupted.get_or_insert_with(Instant::now);
        // The processes may have ended meanwhile.
        killpg(self.id, signal).ok();
    }
}

/// What the processes of a group use, with the time of their children that have ended.
fn usage(group: i32) -> Usage {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Usage::default() };
    let mut sum = Usage::default();
    for process in processes.flatten() {
        let is_number =
            |name: &OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
        if !is_number(&process.file_name()) {
            continue;
        }
        // A process may end while it is looked at.
        let Ok(stat) = std::fs::read_to_string(process.path().join("stat")) else { continue };
        let Some(time) = time_in_group(&stat, group) else { continue };
        sum.time += time;
        let status = std::fs::read_to_string(process.path().join("status"));
        sum.memory += status.ok().and_then(|status| peak(&status)).unwrap_or(0);
    }
    sum
}

/// The processor time in a line of `/proc/PID/stat`; none if the process is of another group.
fn time_in_group(stat: &str, group: i32) -> Option<Duration> {
    /// The unit of these times on Linux, whatever the kernel uses itself.
    const TICKS_PER_SECOND: u64 = 100;
    // The name of the program is in parentheses and may contain anything.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    if fields.get(2)?.parse::<i32>().ok()? != group {
        return None;
    }
    let ticks: u64 = [11, 12, 13, 14].into_iter().map(number).sum::<Option<u64>>()?;
    Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

/// The most memory that a process has used, in KiB.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: u32) -> Finished {
        let limits = Limits { seconds, memory: None, core: None };
        run(["sh", "-c", script], &limits).unwrap()
    }

    #[test]
    fn output_code_and_time_are_reported() {
        let run = shell("echo out; echo err >&2; exit 20", 9);
        assert_eq!((run.status.code(), run.too_long), (Some(20), false));
        assert_eq!((&run.stdout[..], &run.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn children_count_and_an_interrupted_program_can_report() {
        // The child alone does not reach the limit of the kernel for a process.
        let run = shell(
            "trap 'echo report; exit 7' INT; sh -c 'trap \"\" INT; while :; do :; done' & \
             while :; do :; done",
            1,
        );
        assert!(run.too_long);
        assert_eq!((run.status.code(), &run.stdout[..]), (Some(7), &b"report\n"[..]));
    }

    #[test]
    fn a_program_that_ignores_interrupts_is_killed() {
        let run = shell("trap '' INT; while :; do :; done", 1);
        assert!(run.too_long && run.status.code().is_none(), "{:?}", run.status);
    }

    #[test]
    fn the_lines_of_the_kernel_are_read() {
        let stat = "12 (a) b) S 1 77 77 0 -1 0 0 0 0 0 150 50 20 30 20 0 1 0 5 9 9";
        assert_eq!(time_in_group(stat, 77), Some(Duration::from_millis(2500)));
        assert_eq!(time_in_group(stat, 78), None);
        assert_eq!(peak("Name:\tsh\nVmHWM:\t    2048 kB\n"), Some(2048));
    }

    #[test]
    fn memory_is_limited() {
        let limits = Limits { seconds: 9, memory: Some(100), core: None };
        let words = ["sh", "-c", "exec head -c 400000000 /dev/zero | tail -n 1"];
        let run = run(words, &limits).unwrap();
        assert!(!run.status.success() || !run.stderr.is_empty(), "{:?}", run.status);
    }
}
