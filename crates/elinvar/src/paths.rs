//! Which file a path means: links are followed, and two names of one file are told to be
//! one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;

/// What is written when a path is written to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A file, which may not exist yet; the path is not a link.
    File(PathBuf),
    /// A device, a pipe, or an open file of this process.
    Special(PathBuf),
}

/// Follows symbolic links, also those to files that do not exist.
pub fn target(path: &Path) -> Target {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        // `/dev/stdout` and the like lead to open files, which must not be replaced.
        if at.starts_with("/proc") || at.starts_with("/dev/fd") {
            return Target::Special(path.to_owned());
        }
        match std::fs::read_link(&at) {
            // A link that is relative is relative to its folder.
            Ok(link) => at = folder_of(&at).join(link),
            Err(_) => break,
        }
    }
    match std::fs::metadata(&at) {
        Ok(data) if !data.is_file() && !data.is_dir() => Target::Special(at),
        Ok(_) | Err(_) => Target::File(at),
    }
}

/// The folder that a file is in, or would be in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Do two paths mean the same file?
///
/// ```
/// assert!(elinvar::files::same("./proof.aag".as_ref(), "proof.aag".as_ref()));
/// ```
pub fn same(a: &Path, b: &Path) -> bool {
    let mut known = Known::default();
    known.insert(a);
    known.find(b).is_some()
}

/// A set of files by their identity.
#[derive(Default)]
pub struct Known {
    by_path: HashMap<PathBuf, PathBuf>,
    by_inode: HashMap<(u64, u64), PathBuf>,
}

impl Known {
    /// Adds a file by one of its names.
    pub fn insert(&mut self, path: &Path) {
        let Target::File(target) = target(path) else { return };
        self.by_path.insert(canonical(&target), path.to_owned());
        if let Some(inode) = inode(&target) {
            self.by_inode.insert(inode, path.to_owned());
        }
    }

    /// The name by which the same file is known. Devices are never known.
    pub fn find(&self, path: &Path) -> Option<&Path> {
        let Target::File(target) = target(path) else { return None };
        let by_inode = || self.by_inode.get(&inode(&target)?);
        self.by_path.get(&canonical(&target)).or_else(by_inode).map(PathBuf::as_path)
    }
}

/// An absolute path without links, as far as the folder exists.
fn canonical(target: &Path) -> PathBuf {
    let folder = std::fs::canonicalize(folder_of(target));
    match (folder, target.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => target.to_owned(),
    }
}

/// The identity of an existing file, which hard links share.
#[cfg(unix)]
fn inode(target: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let data = std::fs::metadata(target).ok()?;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn open_files_and_devices_are_special() {
        for path in ["/dev/stdout", "/dev/fd/1", "/dev/null", "/proc/self/fd/1"] {
            assert!(matches!(target(path.as_ref()), Target::Special(_)), "{path}");
        }
        assert_eq!(target("no-such-file".as_ref()), Target::File("no-such-file".into()));
        // A link to itself ends somewhere; writing then fails.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loop");
        std::os::unix::fs::symlink("loop", &path).unwrap();
        assert!(matches!(target(&path), Target::File(_)));
    }
}
