//! Writing: files at once or not at all, standard output without complaint
//! when nobody reads any more.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use elinvar_ir::PropertyId;

/// Complains about a file whose folder does not exist, before any work is done.
pub fn expect_folder(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    if folder.is_dir() {
        return Ok(());
    }
    bail!("cannot write {}: there is no folder {}", path.display(), folder.display())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The file for one of several properties: its number stands before the ending.
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

/// Is standard output meant?
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file through a temporary one beside it, so that no reader ever
/// sees a part of it. `-` is standard output.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    if is_stdout(path) {
        return to_stdout(contents);
    }
    let complaint = || format!("cannot write {}", path.display());
    // Devices and pipes cannot be replaced by a rename; they take the bytes directly.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, contents).with_context(complaint);
    }
    let mut file = new_file(folder_of(path)).with_context(complaint)?;
    file.write_all(contents).with_context(complaint)?;
    file.persist(path).map_err(|error| error.error).with_context(complaint)?;
    Ok(())
}

/// A temporary file with the permissions of an ordinary new file.
#[cfg(unix)]
fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let ordinary = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(".elinvar-").permissions(ordinary).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(".elinvar-").tempfile_in(folder)
}

/// Prints a report; colours are dropped when standard output is no terminal.
pub fn print(text: &str) -> Result<()> {
    tolerate_closed(anstream::stdout().write_all(text.as_bytes()))
}

fn to_stdout(bytes: &[u8]) -> Result<()> {
    tolerate_closed(std::io::stdout().write_all(bytes))
}

/// The verdict stands in the exit code even when `head` has read enough.
fn tolerate_closed(result: std::io::Result<()>) -> Result<()> {
    match result.and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        Ok(()) | Err(_) => Ok(()),
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
        write_file(&path, b"first").unwrap();
        write_file(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_file(&folder.path().join("no/such/folder"), b"x").is_err());
        assert!(write_file(folder.path(), b"x").is_err());
        assert!(expect_folder(&folder.path().join("no/file")).is_err());
        expect_folder(&path).unwrap();
        expect_folder("here".as_ref()).unwrap();
    }
}
