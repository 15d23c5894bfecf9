//! What a store has, and how it is kept below its limit.
//!
//! When the entries together are larger than the limit, those that were not used for the longest
//! time are removed, until a tenth of the limit is free. Readers are not disturbed: a file that
//! a reader has opened stays readable, and an entry that is gone is a question for the engines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::disk::{self, DAMAGED, Store, TEMPORARY};
use super::entry::{Entry, Kind};
use super::key::Key;
use crate::error::Error;

/// A file that is being written is not older than this.
const ABANDONED: Duration = Duration::from_secs(3600);

/// How often processes look at the size of the store while they write.
const PERIOD: Duration = Duration::from_secs(60);

/// The file whose time says when a process last looked at the size.
pub(super) const LOOKED: &str = "looked";

/// How many entries there are, and how large they are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Amount {
    /// The number of entries.
    pub entries: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        self.entries += 1;
        self.bytes += bytes;
    }
}

/// What a store has.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StoreStatistics {
    /// Certificates and traces.
    pub evidence: Amount,
    /// Lemmas for changed properties.
    pub lemmas: Amount,
    /// What was put aside because it was damaged or refused.
    pub damaged: Amount,
}

impl StoreStatistics {
    /// All bytes together.
    pub fn bytes(&self) -> u64 {
        self.evidence.bytes + self.lemmas.bytes + self.damaged.bytes
    }
}

/// What was removed from a store, and what is left.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Swept {
    /// What was removed.
    pub removed: Amount,
    /// What is left.
    pub left: Amount,
}

/// A file of a store.
struct Found {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
    /// Nothing for what was put aside.
    kind: Option<Kind>,
}

impl Store {
    /// Counts what the store has.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn statistics(&self) -> Result<StoreStatistics, Error> {
        let mut statistics = StoreStatistics::default();
        for file in self.files().map_err(|cause| disk::unusable(self.path(), cause))? {
            match file.kind {
                Some(Kind::Evidence) => statistics.evidence.add(file.bytes),
                Some(Kind::Lemmas) => statistics.lemmas.add(file.bytes),
                None => statistics.damaged.add(file.bytes),
            }
        }
        Ok(statistics)
    }

    /// Removes what was put aside, and if the store is larger than its limit, the entries that
    /// were not used for the longest time.
    ///
    /// # Errors
    /// If the folder cannot be read or written.
    pub fn collect_garbage(&self) -> Result<Swept, Error> {
        self.sweep(true).map_err(|cause| disk::unusable(self.path(), cause))
    }

    /// Reads all entries, and puts those aside that are damaged. Whether evidence is right can
    /// only be said when there is a system that it is about.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn examine(&self) -> Result<Vec<PathBuf>, Error> {
        let mut damaged = Vec::new();
        for file in self.files().map_err(|cause| disk::unusable(self.path(), cause))? {
            let Some(kind) = file.kind else { continue };
            let Some(key) = key_of(&file.path) else {
                damaged.push(file.path);
                continue;
            };
            let bytes = match disk::contents(&file.path) {
                Ok((bytes, _)) => bytes,
                // Another process has removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => Vec::new(),
            };
            if Entry::read(&bytes, kind, key).is_err() {
                self.set_aside(kind, key, &bytes);
                damaged.push(file.path);
            }
        }
        Ok(damaged)
    }

    /// Keeps the store below its limit, if no process has done so for a while, or if this one
    /// has written a lot. Failures do no harm.
    pub(crate) fn tidy(&self) {
        let looked = self.path().join(LOOKED);
        let age = fs::metadata(&looked).and_then(|data| data.modified()).ok();
        let age = age.and_then(|time| SystemTime::now().duration_since(time).ok());
        let written = self.written();
        if written == 0 || age.is_some_and(|age| age < PERIOD) && written < self.limit() / 16 {
            return;
        }
        if fs::write(&looked, b"").is_ok() {
            self.forget_written();
            let _: io::Result<Swept> = self.sweep(false);
        }
    }

    fn sweep(&self, all_damaged: bool) -> io::Result<Swept> {
        let mut files = self.files()?;
        let limit = self.limit();
        let total: u64 = files.iter().map(|file| file.bytes).sum();
        // Damaged entries go first.
        files.sort_by_key(|file| (file.kind.is_some(), file.used));
        let goal = if total > limit { limit - limit / 10 } else { limit };
        let mut swept = Swept::default();
        let mut left = total;
        for file in files {
            if left <= goal && !(all_damaged && file.kind.is_none()) {
                swept.left.add(file.bytes);
                continue;
            }
            match fs::remove_file(&file.path) {
                // Another process may have removed it.
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {
                    left -= file.bytes;
                    swept.removed.add(file.bytes);
                }
            }
        }
        Ok(swept)
    }

    /// All entries, and what was put aside. Files that a dead process has left are removed.
    fn files(&self) -> io::Result<Vec<Found>> {
        let mut files = Vec::new();
        for kind in Kind::ALL {
            for folder in list(&self.path().join(kind.word()))? {
                self.add_files(&folder, Some(kind), &mut files)?;
            }
        }
        self.add_files(&self.path().join(DAMAGED), None, &mut files)?;
        Ok(files)
    }

    fn add_files(
        &self,
        folder: &Path,
        kind: Option<Kind>,
        files: &mut Vec<Found>,
    ) -> io::Result<()> {
        for path in list(folder)? {
            // It may be gone by now.
            let Ok(data) = fs::symlink_metadata(&path) else { continue };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let name = path.file_name().map(|name| name.to_string_lossy());
            if name.is_some_and(|name| name.starts_with(TEMPORARY)) {
                if SystemTime::now().duration_since(used).is_ok_and(|age| age > ABANDONED) {
                    let _: io::Result<()> = fs::remove_file(&path);
                }
            } else if data.is_file() {
                files.push(Found { path, bytes: data.len(), used, kind });
            }
        }
        Ok(())
    }
}

/// What is in a folder, if there is one.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        // A file in place of a folder is nothing of ours.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The key that the path of an entry says.
fn key_of(path: &Path) -> Option<Key> {
    let folder = path.parent()?.file_name()?.to_str()?;
    Key::parse(&format!("{folder}{}", path.file_name()?.to_str()?))
}
