//! `cargo xtask dist` with a script in place of the binary.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const SCRIPT: &str = "#!/bin/sh\n\
    case $1 in\n\
    man) echo page >\"$3/elinvar.1\" ;;\n\
    completions) echo \"for $2\" ;;\n\
    *) exit 1 ;;\n\
    esac\n";

fn dist(folder: &Path, words: &[&str]) -> Output {
    let binary = folder.join("fake");
    fs::write(&binary, SCRIPT).unwrap();
    fs::set_permissions(&binary, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.current_dir(folder).args(["dist", "--binary", "fake"]).args(words);
    command.output().unwrap()
}

#[test]
fn a_prefix_gets_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let run = dist(folder.path(), &["--prefix", "usr"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |path: &str| fs::read_to_string(folder.path().join("usr").join(path)).unwrap();
    assert_eq!(read("bin/elinvar"), SCRIPT);
    assert_eq!(read("share/man/man1/elinvar.1"), "page\n");
    assert_eq!(read("share/bash-completion/completions/elinvar"), "for bash\n");
    assert_eq!(read("share/zsh/site-functions/_elinvar"), "for zsh\n");
    assert_eq!(read("share/fish/vendor_completions.d/elinvar.fish"), "for fish\n");
    assert!(read("share/doc/elinvar/LICENSE-MIT").contains("MIT"));
    assert!(read("share/doc/elinvar/LICENSE-APACHE").contains("Apache"));
    let dependencies = read("share/doc/elinvar/DEPENDENCIES");
    assert!(dependencies.contains("cadical-sys v") && !dependencies.contains("elinvar-ir"));
    assert!(read("share/doc/elinvar/contrib/sby/README.md").contains("SymbiYosys"));
    // Installing again replaces everything.
    assert!(dist(folder.path(), &["--prefix", "usr"]).status.success());
}

#[test]
fn an_archive_is_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let archive = || {
        let run = dist(folder.path(), &["--output", "out"]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let printed = String::from_utf8(run.stdout).unwrap();
        let path = folder.path().join(printed.split(" (").next().unwrap());
        (fs::read(&path).unwrap(), path)
    };
    let (first, path) = archive();
    assert_eq!(first, archive().0);
    let name = path.file_name().unwrap().to_str().unwrap();
    let sum = fs::read_to_string(path.with_file_name(format!("{name}.sha256"))).unwrap();
    assert!(sum.ends_with(&format!("  {name}\n")), "{sum}");
    let list = Command::new("tar").arg("-tzf").arg(&path).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let tree = name.strip_suffix(".tar.gz").unwrap();
    assert!(list.lines().any(|line| line == format!("{tree}/bin/elinvar")), "{list}");
    let run = dist(folder.path(), &["--prefix", "/dev/null/x"]);
    assert_eq!(run.status.code(), Some(2));
}
