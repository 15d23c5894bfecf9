//! Writing: files at once or not at all, standard output without complaint
//! when nobody reads any more.
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

use anyhow::{Context, Result, bail};
use elinvar_formats::names::escape;
use elinvar_ir::PropertyId;
use serde_json::{Value as Json, json};

use crate::paths::{self, Target};

/// How the names of temporary files begin.
const TEMPORARY: &str = ".elinvar-tmp-";

/// The files that a run has written.
#[derive(Default)]
pub struct Files(Vec<Written>);

struct Written {
    property: PropertyId,
    kind: &'static str,
    path: PathBuf,
}

impl Files {
    /// Writes a file about a property and remembers it.
    pub fn write(
        &mut self,
        property: PropertyId,
        kind: &'static str,
        path: &Path,
        contents: &[u8],
    ) -> Result<()> {
        write_file(path, contents)?;
        if !is_stdout(path) {
            self.0.push(Written { property, kind, path: path.to_owned() });
        }
        Ok(())
    }

    /// A line for each file.
    pub fn text(&self) -> String {
        let line = |file: &Written| format!("wrote {}\n", shown(&file.path));
        self.0.iter().map(line).collect()
    }

    /// The files about a property.
    pub fn json(&self, property: PropertyId) -> Json {
        let of_property = self.0.iter().filter(|file| file.property == property);
        let object =
            |file: &Written| json!({ "kind": file.kind, "path": file.path.to_string_lossy() });
        of_property.map(object).collect::<Vec<Json>>().into()
    }
}

/// A path in a message.
pub fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

/// A message in which names and parts of files cannot disturb the terminal.
pub fn harmless(message: &str) -> String {
    message.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

/// Complains about a file that cannot be written, before any work is done.
pub fn expect_writable(path: &Path) -> Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    let complaint = || format!("cannot write {}", shown(path));
    let target = match paths::target(path) {
        Target::Special(_) => return Ok(()),
        Target::File(target) => target,
    };
    if target.is_dir() {
        bail!("cannot write {}: it is a folder", shown(path));
    }
    let folder = paths::folder_of(&target);
    if !folder.is_dir() {
        bail!("cannot write {}: there is no folder {}", shown(path), shown(folder));
    }
    if target.exists() {
        OpenOptions::new().write(true).open(&target).with_context(complaint)?;
    }
    remove_leftovers(folder);
    new_file(&target).map(drop).with_context(complaint)
}

/// Complains if an output is one of the inputs or another output, by whatever name.
pub fn expect_distinct<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let mut known = paths::Known::default();
    for path in inputs.into_iter().filter(|path| !is_stdout(path)) {
        known.insert(path);
    }
    let mut outputs_so_far = paths::Known::default();
    for path in outputs {
        if let Some(input) = known.find(path).filter(|_| !is_stdout(path)) {
            bail!("cannot write {}: it is the input {}", shown(path), shown(input));
        }
        if let Some(other) = outputs_so_far.find(path) {
            bail!("cannot write {} and {}: they are the same file", shown(other), shown(path));
        }
        outputs_so_far.insert(path);
    }
    Ok(())
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

/// Writes a file completely or not at all. `-` is standard output.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    if is_stdout(path) {
        return to_stdout(contents);
    }
    let written = match paths::target(path) {
        // Devices and pipes cannot be replaced by a rename; they take the bytes directly.
        Target::Special(path) => {
            OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(contents))
        }
        Target::File(target) => replace(&target, contents),
    };
    written.with_context(|| format!("cannot write {}", shown(path)))
}

/// Removes a file of an earlier run, so that it is not taken for one of this run.
pub fn remove_file(path: &Path) -> Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    let Target::File(target) = paths::target(path) else { return Ok(()) };
    match std::fs::remove_file(&target) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", shown(path)))
        }
        Ok(()) | Err(_) => Ok(()),
    }
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

/// Makes the limit on the size of files (`ulimit -f`) an error of a write instead of a
/// signal that ends the process. Threads that are started later inherit this.
pub fn report_file_limits() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        // Without it, the process ends as before.
        let _: nix::Result<()> = signals.thread_block();
    }
}

/// Prints a report; colours are dropped when standard output is no terminal.
pub fn print(text: &str) -> Result<()> {
    tolerate_closed(anstream::stdout().write_all(text.as_bytes()))
}

/// Prints a message to standard error. Nothing can be done if that fails.
pub fn tell(message: &str) {
    let _: std::io::Result<()> = writeln!(anstream::stderr(), "{message}");
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
        assert!(expect_writable(&folder.path().join("no/file")).is_err());
        assert!(expect_writable(folder.path()).is_err());
        expect_writable(&path).unwrap();
        expect_writable("here".as_ref()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_left_when_a_device_is_full() {
        if Path::new("/dev/full").exists() {
            assert!(write_file("/dev/full".as_ref(), b"x").is_err());
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
        write_file(&path("second"), b"new").unwrap();
        assert_eq!(std::fs::read(path("inner/file")).unwrap(), b"new");
        assert!(path("link").is_symlink() && path("second").is_symlink());
        let mode = std::fs::metadata(path("inner/file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // A link to a file that does not exist yet.
        symlink("inner/fresh", path("dangling")).unwrap();
        write_file(&path("dangling"), b"fresh").unwrap();
        assert_eq!(std::fs::read(path("inner/fresh")).unwrap(), b"fresh");
        // Removing a stale file leaves the link.
        remove_file(&path("dangling")).unwrap();
        assert!(path("dangling").is_symlink() && !path("inner/fresh").exists());
        remove_file(&path("dangling")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn inputs_and_outputs_are_different_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("model"), b"m").unwrap();
        std::os::unix::fs::symlink("model", path("symbolic")).unwrap();
        std::os::unix::fs::symlink("new", path("other")).unwrap();
        std::fs::hard_link(path("model"), path("hard")).unwrap();
        let input = path("model");
        let distinct = |outputs: &[PathBuf]| {
            expect_distinct([input.as_path()], outputs.iter().map(PathBuf::as_path))
        };
        for same in ["model", "./model", "symbolic", "hard"] {
            let error = distinct(&[path(same)]).unwrap_err().to_string();
            assert!(error.contains("it is the input"), "{error}");
        }
        for same in ["new", "./new", "other"] {
            let error = distinct(&[path("new"), path(same)]).unwrap_err().to_string();
            assert!(error.contains("the same file"), "{error}");
        }
        distinct(&[path("new"), path("newer")]).unwrap();
        let device = PathBuf::from("/dev/null");
        distinct(&[device.clone(), device]).unwrap();
        let standard = PathBuf::from("-");
        assert!(distinct(&[standard.clone(), standard]).is_err());
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
