//! Claims: which worker runs which task.
//!
//! A worker claims an attempt of a task by linking a file of its own to `claims/TASK.ATTEMPT`.
//! A hard link is made atomically, also on NFS, and exactly one of several workers succeeds.
//! Claims are never removed or renamed. When a worker is dead, the next attempt is claimed in the
//! same way, so that a stale claim is broken once, whoever notices it first.
//!
//! A worker is dead if its process is gone, as far as it ran on this machine, or if it has not
//! touched its claim for some time. That time is measured by the clock of the observer from when
//! it first saw the claim unchanged: the clocks of machines may differ.
//!
//! Limits: a worker that was suspended for longer than that and goes on runs a task that another
//! one repeats. Both verdicts are confirmed, and one line counts.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::plan::TaskId;
use crate::error::Error;

/// The folder of the claims within that of a campaign.
const FOLDER: &str = "claims";

/// So many times the period of signs of life may pass without one.
const MISSED: u32 = 6;

/// Who has claimed a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Owner {
    /// The name of the worker.
    pub worker: String,
    /// The name of its machine.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// When the process started, as its machine counts, so that another process with the same
    /// number is not taken for it.
    pub started: u64,
}

impl Owner {
    /// This process under the name of a worker.
    pub fn this(worker: &str) -> Self {
        let pid = std::process::id();
        let started = start_of(pid).unwrap_or(0);
        Owner { worker: worker.to_owned(), host: host(), pid, started }
    }

    /// Is it known that the process is gone?
    pub(crate) fn is_gone(&self) -> bool {
        self.host == host()
            && Path::new("/proc/self").exists()
            && start_of(self.pid).is_none_or(|started| started != self.started)
    }
}

/// The name of this machine.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    // It becomes a part of file names.
    let is_harmless = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let name: String = name.chars().filter(is_harmless).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}

/// When a process of this machine started, in the ticks of the kernel since it booted.
fn start_of(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // A process that has ended and that its parent has not yet asked about is gone, too.
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// The claims of a campaign, as one worker sees them.
pub struct Claims {
    folder: PathBuf,
    owner: Owner,
    /// After so long without a sign of life a worker is dead.
    patience: Duration,
    /// The claims of others that were looked at: their last sign of life, and since when it is the
    /// last one.
    seen: BTreeMap<PathBuf, (SystemTime, Instant)>,
}

/// A task that this worker has claimed.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// The attempt, from 1.
    pub attempt: u32,
}

impl Claims {
    /// The claims in the folder of a campaign whose workers give a sign of life in this period.
    ///
    /// # Errors
    /// If the folder of the claims cannot be created.
    pub fn open(campaign: &Path, owner: Owner, period: Duration) -> Result<Self, Error> {
        let folder = campaign.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(failed("create", &folder))?;
        Ok(Claims { folder, owner, patience: period * MISSED, seen: BTreeMap::new() })
    }

    /// Claims this attempt of a task. `None` if another worker has.
    ///
    /// # Errors
    /// If the file system refuses it for another reason.
    pub fn claim(&self, task: TaskId, attempt: u32) -> Result<Option<Claim>, Error> {
        let path = self.path(task, attempt);
        if path.exists() {
            return Ok(None);
        }
        let own = self.folder.join(format!(".{}", self.owner.worker));
        let text = serde_json::to_string(&self.owner).expect("an owner has a JSON form");
        let mut file = File::create(&own).map_err(failed("create", &own))?;
        file.write_all(text.as_bytes()).map_err(failed("write", &own))?;
        drop(file);
        let linked = std::fs::hard_link(&own, &path);
        // The answer of a network file system may get lost although the link was made.
        let is_ours = linked.is_ok() || links(&own) > 1;
        std::fs::remove_file(&own).map_err(failed("remove", &own))?;
        match linked {
            _ if is_ours => Ok(Some(Claim { path, attempt })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(failed("claim", &path)(error)),
            Ok(()) => unreachable!("it is ours"),
        }
    }

    /// Who has claimed this attempt of a task, if anybody has.
    pub fn owner(&self, task: TaskId, attempt: u32) -> Option<Owner> {
        let text = std::fs::read_to_string(self.path(task, attempt)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The last attempt of a task that was claimed; zero if none was. `known` is an attempt that
    /// is known to be claimed.
    pub fn last_attempt(&self, task: TaskId, known: u32) -> u32 {
        let mut attempt = known;
        while self.path(task, attempt + 1).exists() {
            attempt += 1;
        }
        attempt
    }

    /// Is the worker dead that has claimed this attempt?
    pub fn is_dead(&mut self, task: TaskId, attempt: u32) -> bool {
        let path = self.path(task, attempt);
        let Some(owner) = self.owner(task, attempt) else { return false };
        if owner.worker == self.owner.worker {
            return false;
        }
        let sign = std::fs::metadata(&path).and_then(|data| data.modified());
        let Ok(sign) = sign else { return false };
        let known = self.seen.entry(path).or_insert_with(|| (sign, Instant::now()));
        if known.0 != sign {
            *known = (sign, Instant::now());
        }
        owner.is_gone() || known.1.elapsed() > self.patience
    }

    fn path(&self, task: TaskId, attempt: u32) -> PathBuf {
        self.folder.join(format!("{task}.{attempt}"))
    }
}

impl Claim {
    /// The file of the claim, for a thread that gives signs of life.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Gives a sign of life for a claim. That it fails once does no harm.
pub(crate) fn touch(path: &Path) {
    let file = OpenOptions::new().append(true).open(path);
    let _: std::io::Result<()> = file.and_then(|file| file.set_modified(SystemTime::now()));
}

#[cfg(unix)]
fn links(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).map_or(0, |data| data.nlink())
}

#[cfg(not(unix))]
fn links(_: &Path) -> u64 {
    0
}

fn failed(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let context = format!("cannot {what} {}", crate::files::shown(path));
    move |cause| Error::File { context, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: TaskId = TaskId(3);

    fn claims(folder: &Path, worker: &str, period: Duration) -> Claims {
        Claims::open(folder, Owner::this(worker), period).unwrap()
    }

    #[test]
    fn one_of_many_workers_gets_a_task() {
        let folder = tempfile::tempdir().unwrap();
        let won = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let (folder, won) = (folder.path(), &won);
                scope.spawn(move || {
                    let claims = claims(folder, &format!("w{worker}"), Duration::from_secs(9));
                    for task in 0..50 {
                        if claims.claim(TaskId(task), 1).unwrap().is_some() {
                            won.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(won.into_inner(), 50);
        // No file but the claims is left.
        assert_eq!(std::fs::read_dir(folder.path().join(FOLDER)).unwrap().count(), 50);
    }

    #[test]
    fn claims_of_dead_processes_are_broken_once() {
        let folder = tempfile::tempdir().unwrap();
        let long = Duration::from_secs(100);
        let dead = Owner { started: 1, ..Owner::this("dead") };
        let dead = Claims::open(folder.path(), dead, long).unwrap();
        assert_eq!(dead.claim(TASK, 1).unwrap().unwrap().attempt, 1);
        let (mut a, mut b) = (claims(folder.path(), "a", long), claims(folder.path(), "b", long));
        assert!(a.is_dead(TASK, 1) && b.is_dead(TASK, 1));
        assert!(a.claim(TASK, 2).unwrap().is_some() && b.claim(TASK, 2).unwrap().is_none());
        // The new owner lives, although the old claim is still there.
        assert_eq!((b.last_attempt(TASK, 0), b.is_dead(TASK, 2)), (2, false));
        assert_eq!(b.owner(TASK, 2).unwrap().worker, "a");
    }

    #[test]
    fn signs_of_life_are_measured_by_the_clock_of_the_observer() {
        let folder = tempfile::tempdir().unwrap();
        let period = Duration::from_millis(20);
        // It is on another machine, whose clock is wrong by an hour.
        let owner = Owner { host: "elsewhere".to_owned(), ..Owner::this("far") };
        let far = Claims::open(folder.path(), owner, period).unwrap();
        let claim = far.claim(TASK, 1).unwrap().unwrap();
        let wrong = SystemTime::now() - Duration::from_secs(3600);
        File::options().append(true).open(claim.path()).unwrap().set_modified(wrong).unwrap();
        let mut near = claims(folder.path(), "near", period);
        assert!(!near.is_dead(TASK, 1));
        std::thread::sleep(period * 4);
        touch(claim.path());
        assert!(!near.is_dead(TASK, 1));
        std::thread::sleep(period * (MISSED + 2));
        assert!(near.is_dead(TASK, 1));
    }
}
