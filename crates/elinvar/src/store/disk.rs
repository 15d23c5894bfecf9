//! The folder of a store: entries in files, which several processes read and write at once, also
//! on several machines that share a file system.
//!
//! ```text
//! elinvar-store              the version and the limit of the size
//! evidence/2c/26b46b68ff…    an entry, by the digits of its key
//! lemmas/fc/de2b2edba5…
//! damaged/…                  what was not an entry, or was refused
//! ```
//!
//! No process locks anything. A file is written under another name in the same folder,
//! synchronised with the disk and renamed, so that a reader sees all of an entry or none. Two
//! writers of one key both have evidence for the same claim, and either may win. An entry that is
//! damaged or refused is renamed into `damaged`; if another process has replaced it in the
//! meantime, the new one is put back.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::entry::{Entry, Kind};
use super::key::Key;
use super::sweep::LOOKED;
use crate::error::Error;
use crate::files::{self, shown};

/// The file that tells a store from other folders.
const MARKER: &str = "elinvar-store";

/// The first line of that file.
const VERSION: &str = "elinvar store 1";

/// The folder of damaged entries.
pub(super) const DAMAGED: &str = "damaged";

/// How the names of files begin that are being written.
pub(super) const TEMPORARY: &str = ".elinvar-tmp-";

/// The size that a new store may reach.
const DEFAULT_LIMIT: u64 = 4 << 30;

/// Larger files are not entries.
const MAX_ENTRY: u64 = 1 << 30;

/// The time of the last use is noted if it is longer ago than this.
const USED: Duration = Duration::from_secs(60);

/// A store of proofs in a folder.
///
/// ```
/// use std::sync::Arc;
/// use elinvar::{Options, Problem, Store, check};
///
/// let folder = tempfile::tempdir()?;
/// let store = Some(Arc::new(Store::open(folder.path().join("proofs"))?));
/// let problem = Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let options = Options { store, ..Options::default() };
/// assert_eq!(check(&problem, &options)?.properties[0].source.name(), "engine");
/// assert_eq!(check(&problem, &options)?.properties[0].source.name(), "store");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    limit: u64,
    /// The bytes that this process has written since it last looked at the size.
    written: AtomicU64,
}

/// What is in the place of an entry.
pub(crate) enum Loaded {
    Missing,
    Entry(Entry),
    /// The file is not the entry; it has been put aside.
    Damaged(&'static str),
}

impl Store {
    /// Opens the store in a folder, or makes one if there is no folder or an empty one.
    ///
    /// # Errors
    /// If the folder has other contents, cannot be made, or is of another version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let root = path.into();
        let failed = |cause| unusable(&root, cause);
        match fs::read_to_string(root.join(MARKER)) {
            Ok(text) => {
                let limit = parse_marker(&text).ok_or_else(|| other_version(&root))?;
                return Ok(Store { root, limit, written: AtomicU64::new(0) });
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) => return Err(failed(cause)),
        }
        fs::create_dir_all(&root).map_err(failed)?;
        for entry in fs::read_dir(&root).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // Another process may be making the same store.
            let is_ours = name.to_str().is_some_and(|name| {
                name == MARKER
                    || name == LOOKED
                    || name == DAMAGED
                    || name.starts_with(TEMPORARY)
                    || is_folder(name)
            });
            if !is_ours {
                let message = format!("{} is not a store: it has other files", shown(&root));
                return Err(Error::Usage(message));
            }
        }
        let store = Store { root, limit: DEFAULT_LIMIT, written: AtomicU64::new(0) };
        store.write_marker()?;
        Ok(store)
    }

    /// Is there evidence in the store in this folder, if it is one?
    pub(crate) fn has_evidence(root: &Path) -> bool {
        let is_filled =
            |folder: &Path| fs::read_dir(folder).is_ok_and(|mut it| it.next().is_some());
        let folders = fs::read_dir(root.join(Kind::Evidence.word())).into_iter().flatten();
        folders.flatten().any(|folder| is_filled(&folder.path()))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The number of bytes beyond which the entries that were not used for the longest time are
    /// removed.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Changes the limit, also for later runs.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn set_limit(&mut self, limit: u64) -> Result<(), Error> {
        self.limit = limit;
        self.write_marker()
    }

    fn write_marker(&self) -> Result<(), Error> {
        let text = format!("{VERSION}\nlimit {}\n", self.limit);
        files::write(&self.root.join(MARKER), text.as_bytes())
    }

    /// The bytes that were written since [`Store::forget_written`].
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    pub(super) fn forget_written(&self) {
        self.written.store(0, Ordering::Relaxed);
    }

    fn place(&self, kind: Kind, key: Key) -> PathBuf {
        let name = key.to_string();
        self.root.join(kind.word()).join(&name[..2]).join(&name[2..])
    }

    /// Reads an entry, and notes that it was used.
    pub(crate) fn load(&self, kind: Kind, key: Key) -> Loaded {
        let path = self.place(kind, key);
        let Ok((bytes, modified)) = contents(&path) else { return Loaded::Missing };
        match Entry::read(&bytes, kind, key) {
            Ok(entry) => {
                let now = SystemTime::now();
                if modified.is_none_or(|then| now.duration_since(then).is_ok_and(|age| age > USED))
                {
                    touch(&path, now);
                }
                Loaded::Entry(entry)
            }
            Err(fault) => {
                self.set_aside(kind, key, &bytes);
                Loaded::Damaged(fault)
            }
        }
    }

    /// Writes an entry, in place of the one that is there.
    pub(crate) fn save(&self, kind: Kind, key: Key, entry: &Entry) -> io::Result<()> {
        let path = self.place(kind, key);
        let folder = path.parent().expect("an entry is in a folder");
        let bytes = entry.write(kind, key);
        let create = || new_file(folder);
        let mut file = match create() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(folder)?;
                create()?
            }
            file => file?,
        };
        file.write_all(&bytes)?;
        file.as_file().sync_data()?;
        file.persist(&path).map_err(|error| error.error)?;
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Puts an entry aside that the checker has refused.
    pub(crate) fn refuse(&self, kind: Kind, key: Key, entry: &Entry) {
        self.set_aside(kind, key, &entry.write(kind, key));
    }

    /// Moves a file that is not to be used to the damaged ones. If the file has changed since
    /// these contents were read, another process has repaired it: then it goes back.
    pub(super) fn set_aside(&self, kind: Kind, key: Key, bytes: &[u8]) {
        let path = self.place(kind, key);
        let folder = self.root.join(DAMAGED);
        let aside = || -> io::Result<()> {
            fs::create_dir_all(&folder)?;
            // A fresh name, so that no other process moves a file to the same place.
            let place = new_file(&folder)?.into_temp_path();
            fs::rename(&path, &place)?;
            let is_same = contents(&place).is_ok_and(|(now, _)| now == bytes);
            if is_same {
                let name = format!("{}-{key}", kind.word());
                place.persist(folder.join(name)).map_err(|error| error.error)
            } else {
                // If there is a newer one by now, it has evidence for the same claim.
                place.persist(&path).map_err(|error| error.error)
            }
        };
        // If it cannot be moved, it is refused again next time.
        let _: io::Result<()> = aside();
    }
}

pub(super) fn unusable(root: &Path, cause: io::Error) -> Error {
    Error::File { context: format!("cannot use the store {}", shown(root)), cause }
}

fn other_version(root: &Path) -> Error {
    Error::Usage(format!("{} is a store of another version of Elinvar", shown(root)))
}

/// The limit.
fn parse_marker(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    if lines.next() != Some(VERSION) {
        return None;
    }
    lines.next()?.strip_prefix("limit ")?.parse().ok()
}

fn is_folder(name: &str) -> bool {
    Kind::ALL.iter().any(|kind| kind.word() == name)
}

/// The contents of a file, and when it was changed.
pub(super) fn contents(path: &Path) -> io::Result<(Vec<u8>, Option<SystemTime>)> {
    let file = File::open(path)?;
    let data = file.metadata()?;
    if !data.is_file() || data.len() > MAX_ENTRY {
        return Err(io::Error::new(ErrorKind::InvalidData, "not an entry"));
    }
    let mut bytes = Vec::with_capacity(data.len() as usize);
    file.take(MAX_ENTRY).read_to_end(&mut bytes)?;
    Ok((bytes, data.modified().ok()))
}

/// Notes that a file was used. It may be gone by now, or belong to another user.
fn touch(path: &Path, now: SystemTime) {
    if let Ok(file) = File::options().append(true).open(path) {
        let _: io::Result<()> = file.set_modified(now);
    }
}

/// A file with a name that no other has. It is removed when it is dropped.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let prefix = format!("{TEMPORARY}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
