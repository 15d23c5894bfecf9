//! `cargo xtask dist`: an archive of the binary with its manual pages and completions.
//!
//! On Linux the binary is linked for use on other machines. By default the C++ library that CaDiCaL
//! needs becomes part of the binary, and only the C library and libgcc_s, which are on every system
//! with glibc, are linked dynamically. (The static version of libgcc_s needs a newer C library than
//! the rest.) Such a binary can load Z3. With `--static` everything becomes part of the binary; it
//! runs anywhere, but it cannot load Z3 and therefore decides no programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use experiments::harness::finish;

/// The shells with completions, and where these are installed.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/elinvar"),
    ("zsh", "share/zsh/site-functions/_elinvar"),
    ("fish", "share/fish/vendor_completions.d/elinvar.fish"),
];

/// Where manual pages are installed.
const MANUAL: &str = "share/man/man1";

/// Where documents are installed.
const DOCUMENTS: &str = "share/doc/elinvar";

/// The documents of the repository that are installed.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

#[derive(Args)]
pub struct Options {
    /// Link the C library statically, too; such a binary cannot load Z3 for programs
    #[arg(long = "static", conflicts_with = "binary")]
    is_static: bool,
    /// Install to this folder, such as /usr/local, instead of making an archive
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Use this binary instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// The folder for the archive [default: target/dist]
    #[arg(long, value_name = "DIR", conflicts_with = "prefix")]
    output: Option<PathBuf>,
}

pub fn run(options: &Options) -> ExitCode {
    finish(distribute(options).map(|()| true))
}

fn distribute(options: &Options) -> Result<(), String> {
    let dist = options.output.clone().unwrap_or_else(|| target().join("dist"));
    let binary = match &options.binary {
        Some(binary) => fs::canonicalize(binary).map_err(cannot("read", binary))?,
        None => build(options.is_static)?,
    };
    if let Some(prefix) = &options.prefix {
        install(&binary, prefix)?;
        println!("installed to {}", prefix.display());
        return Ok(());
    }
    let suffix = if options.is_static { "-static" } else { "" };
    let name = format!("elinvar-{}-{}{suffix}", env!("CARGO_PKG_VERSION"), triple()?);
    let tree = dist.join(&name);
    if tree.exists() {
        fs::remove_dir_all(&tree).map_err(cannot("remove", &tree))?;
    }
    install(&binary, &tree)?;
    archive(&dist, &name)
}

/// Builds the binary and returns its path.
fn build(is_static: bool) -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(root()).args(["rustc", "--locked", "--release"]);
    cargo.args(["--package", "elinvar-cli", "--bin", "elinvar", "--"]);
    if is_static {
        // Given for the binary alone, since procedural macros cannot be built in this way.
        cargo.args(["-C", "target-feature=+crt-static"]);
    } else if cfg!(all(target_os = "linux", target_env = "gnu")) {
        cargo.arg("-L").arg(format!("native={}", static_library()?.display()));
    }
    succeed(&mut cargo)?;
    Ok(target().join("release/elinvar"))
}

/// A folder with only the static version of the C++ library. The linker looks there first, and
/// does not find the dynamic one.
fn static_library() -> Result<PathBuf, String> {
    const LIBRARY: &str = "libstdc++.a";
    let folder = target().join("dist/link");
    let found = print(Command::new("c++").arg(format!("-print-file-name={LIBRARY}")))?;
    let found = Path::new(found.trim());
    if !found.is_absolute() {
        return Err(format!("the C++ compiler has no {LIBRARY}"));
    }
    copy(found, &folder.join(LIBRARY))?;
    Ok(folder)
}

/// Copies the binary and what belongs to it below a prefix.
fn install(binary: &Path, prefix: &Path) -> Result<(), String> {
    let program = prefix.join("bin/elinvar");
    copy(binary, &program)?;
    let manual = prefix.join(MANUAL);
    fs::create_dir_all(&manual).map_err(cannot("make", &manual))?;
    succeed(Command::new(&program).args(["man", "--output"]).arg(&manual))?;
    for (shell, place) in COMPLETIONS {
        let script = print(Command::new(&program).args(["completions", shell]))?;
        write(&prefix.join(place), &script)?;
    }
    let documents = prefix.join(DOCUMENTS);
    for file in FILES {
        copy(&root().join(file), &documents.join(file))?;
    }
    write(&documents.join("DEPENDENCIES"), &dependencies()?)?;
    copy_folder(&root().join("contrib"), &documents.join("contrib"))
}

/// The crates that are part of the binary, with their licences.
fn dependencies() -> Result<String, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(root()).args(["tree", "--locked", "--package", "elinvar-cli"]);
    cargo.args(["--edges", "normal", "--prefix", "none", "--format", "{p}: {l} {r}"]);
    let text = print(&mut cargo)?;
    let is_foreign = |line: &&str| !line.is_empty() && !line.contains(" (/");
    let mut lines: Vec<&str> = text.lines().filter(is_foreign).collect();
    lines.retain(|line| !line.ends_with("(*)"));
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

/// Makes the archive, with the same bytes for the same commit and binary, and its checksum.
fn archive(dist: &Path, name: &str) -> Result<(), String> {
    let file = format!("{name}.tar.gz");
    let log = print(Command::new("git").current_dir(root()).args(["log", "-1", "--format=%ct"]));
    let time = log.ok().and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
    let mut tar = Command::new("tar");
    tar.current_dir(dist).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{time}")).args(["-I", "gzip -n", "-cf", &file, name]);
    succeed(&mut tar)?;
    let sum = print(Command::new("sha256sum").current_dir(dist).arg(&file))?;
    write(&dist.join(format!("{file}.sha256")), &sum)?;
    let path = dist.join(&file);
    let size = fs::metadata(&path).map_err(cannot("read", &path))?.len();
    println!("{} ({size} bytes)", path.display());
    Ok(())
}

/// The platform that the compiler builds for.
fn triple() -> Result<String, String> {
    let text = print(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

fn target() -> PathBuf {
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(folder)
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    for entry in fs::read_dir(from).map_err(cannot("read", from))? {
        let entry = entry.map_err(cannot("read", from))?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &copied)?;
        } else {
            copy(&path, &copied)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    make_parent(to)?;
    // A running program cannot be overwritten, but it can be removed.
    let _: std::io::Result<()> = fs::remove_file(to);
    fs::copy(from, to).map(drop).map_err(cannot("copy", from))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    make_parent(path)?;
    fs::write(path, text).map_err(cannot("write", path))
}

fn make_parent(path: &Path) -> Result<(), String> {
    match path.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(cannot("make", folder)),
        None => Ok(()),
    }
}

fn cannot(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> String {
    let context = format!("cannot {what} {}", path.display());
    move |error| format!("{context}: {error}")
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}

/// What a command prints.
fn print(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}
