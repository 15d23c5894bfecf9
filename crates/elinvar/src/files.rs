//! Writing files: completely or not at all.
//!
//! A file is written to a temporary one in the same folder, which is synchronised with the
//! disk and then renamed, so that at any moment, also after a crash, the file has its old
//! contents or its new ones. Symbolic links are followed and permissions are kept. A
//! process that is killed may leave a temporary file, `.elinvar-tmp-PID-RANDOM`; later
//! runs that write to the same folder remove it.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use elinvar_formats::names::escape;
use elinvar_ir::PropertyId;

use crate::error::Error;
use crate::paths::{self, Target};

pub use crate::paths::{Known, same};

/// How the names of temporary files begin.
const TEMPORARY: &str = ".elinvar-tmp-";

/// A path in a message: names cannot disturb the terminal.
///
/// ```
/// assert_eq!(elinvar::files::shown("proof.aag".as_ref()), "proof.aag");
/// ```
pub fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

/// Fails if a file cannot be written, before any work is done.
///
/// ```
/// assert!(elinvar::files::expect_writable("no/such/folder/file".as_ref()).is_err());
/// ```
pub fn expect_writable(path: &Path) -> Result<(), Error> {
    let failed = |cause| writing(path, cause);
    let target = match paths::target(path) {
        Target::Special(_) => return Ok(()),
        Target::File(target) => target,
    };
    if target.is_dir() {
        return Err(Error::Usage(format!("cannot write {}: it is a folder", shown(path))));
    }
    let folder = paths::folder_of(&target);
    if !folder.is_dir() {
        let (file, folder) = (shown(path), shown(folder));
        return Err(Error::Usage(format!("cannot write {file}: there is no folder {folder}")));
    }
    if target.exists() {
        OpenOptions::new().write(true).open(&target).map_err(failed)?;
    }
    remove_leftovers(folder);
    new_file(&target).map(drop).map_err(failed)
}

/// The file for one of several properties: its number stands before the ending.
///
/// ```
/// use elinvar::ir::PropertyId;
/// let path = elinvar::files::numbered("w.txt".as_ref(), Some(PropertyId(2)));
/// assert_eq!(path.to_str(), Some("w.2.txt"));
/// ```
pub fn numbered(path: &Path, property: Option<PropertyId>) -> PathBuf {
    let Some(PropertyId(number)) = property else { return path.to_owned() };
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// Writes a file completely or not at all.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("out");
/// elinvar::files::write(&path, b"text")?;
/// assert_eq!(std::fs::read(&path)?, b"text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let written = match paths::target(path) {
        // Devices and pipes cannot be replaced by a rename; they take the bytes directly.
        Target::Special(path) => {
            OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(contents))
        }
        Target::File(target) => replace(&target, contents),
    };
    written.map_err(|cause| writing(path, cause))
}

/// Removes a file of an earlier run, so that it is not taken for one of this run. It is no
/// error if there is none.
///
/// ```
/// elinvar::files::remove("no such file".as_ref())?;
/// # Ok::<(), elinvar::Error>(())
/// ```
pub fn remove(path: &Path) -> Result<(), Error> {
    let Target::File(target) = paths::target(path) else { return Ok(()) };
    match std::fs::remove_file(&target) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            Err(Error::File { context: format!("cannot remove {}", shown(path)), cause })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn writing(path: &Path, cause: std::io::Error) -> Error {
    Error::File { context: format!("cannot write {}", shown(path)), cause }
}

/// Writes a file in a folder that exists, and leaves it to the system when it reaches the disk: if
/// the machine loses its power, the file may be empty. A file that exists is replaced whole, as by
/// [`write`]. A new one may be cut off if the process is killed now; it is for readers that are told
/// about the file when it is complete.
pub(crate) fn write_unsynchronised(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let written = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(contents).inspect_err(|_| {
            // What is there of it is of no use; the first error counts.
            std::fs::remove_file(path).ok();
        }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            new_file(path).and_then(|mut file| {
                file.write_all(contents)?;
                file.persist(path).map_err(|error| error.error).map(drop)
            })
        }
        Err(error) => Err(error),
    };
    written.map_err(|cause| writing(path, cause))
}

fn replace(target: &Path, contents: &[u8]) -> std::io::Result<()> {
    let mut file = new_file(target)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    sync_folder(paths::folder_of(target))
}

/// Makes a rename durable, where folders can be synchronised.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A folder that may be written but not read, and file systems that cannot do it.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// A temporary file beside the target, with its permissions, or those of an ordinary
/// new file. It is removed when it is dropped.
fn new_file(target: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let prefix = format!("{TEMPORARY}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(paths::folder_of(target))?;
    if let Ok(existing) = std::fs::metadata(target) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    Ok(file)
}

/// Removes temporary files of processes that no longer run. Failures do no harm.
fn remove_leftovers(folder: &Path) {
    const OLD: Duration = Duration::from_secs(60);
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)?.split_once('-'));
        let Some((process, _)) = process else { continue };
        let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
        // Processes of other machines are not known here, so only old files are removed.
        let age = entry
            .metadata()
            .and_then(|data| data.modified())
            .map(|time| SystemTime::now().duration_since(time).unwrap_or_default());
        let runs = Path::new("/proc").join(process).exists();
        if is_number && !runs && age.is_ok_and(|age| age > OLD) {
            let _: std::io::Result<()> = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_ending() {
        let number = |path: &str| numbered(path.as_ref(), Some(PropertyId(2)));
        assert_eq!(number("a/w.txt"), PathBuf::from("a/w.2.txt"));
        assert_eq!(number("proof.cert.btor2"), PathBuf::from("proof.cert.2.btor2"));
        assert_eq!(number("w"), PathBuf::from("w.2"));
        assert_eq!(numbered("w.txt".as_ref(), None), PathBuf::from("w.txt"));
    }

    #[test]
    fn files_are_replaced_whole_and_leave_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("no/such/folder"), b"x").is_err());
        assert!(write(folder.path(), b"x").is_err());
        assert!(expect_writable(&folder.path().join("no/file")).is_err());
        assert!(expect_writable(folder.path()).is_err());
        expect_writable(&path).unwrap();
        expect_writable("here".as_ref()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_that_are_not_synchronised_are_new_or_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write_unsynchronised(&path, b"a long first text").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"a long first text");
        // Whoever has the old file open keeps it: it is replaced, and not overwritten.
        let mut old = File::open(&path).unwrap();
        write_unsynchronised(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut old, &mut text).unwrap();
        assert_eq!(text, "a long first text");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_unsynchronised(&folder.path().join("none/out"), b"").is_err());
    }

    #[test]
    fn nothing_is_left_when_a_device_is_full() {
        if Path::new("/dev/full").exists() {
            assert!(write("/dev/full".as_ref(), b"x").is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("inner")).unwrap();
        std::fs::write(path("inner/file"), b"old").unwrap();
        std::fs::set_permissions(path("inner/file"), PermissionsExt::from_mode(0o640)).unwrap();
        symlink("inner/file", path("link")).unwrap();
        symlink("link", path("second")).unwrap();
        write(&path("second"), b"new").unwrap();
        assert_eq!(std::fs::read(path("inner/file")).unwrap(), b"new");
        assert!(path("link").is_symlink() && path("second").is_symlink());
        let mode = std::fs::metadata(path("inner/file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // A link to a file that does not exist yet.
        symlink("inner/fresh", path("dangling")).unwrap();
        write(&path("dangling"), b"fresh").unwrap();
        assert_eq!(std::fs::read(path("inner/fresh")).unwrap(), b"fresh");
        // Removing a stale file leaves the link.
        remove(&path("dangling")).unwrap();
        assert!(path("dangling").is_symlink() && !path("inner/fresh").exists());
        remove(&path("dangling")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn leftovers_of_dead_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        let alive = format!("{TEMPORARY}{}-abc", std::process::id());
        // No process has this number.
        let dead = format!("{TEMPORARY}4294967295-abc");
        for (name, time) in [
            (alive.as_str(), old),
            (&dead, old),
            (".elinvar-tmp-4294967295-new", SystemTime::now()),
            (".elinvar-tmp-x-abc", old),
            ("file", old),
        ] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
        }
        expect_writable(&folder.path().join("out")).unwrap();
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert!(left == 4 && !folder.path().join(&dead).exists());
    }
}
