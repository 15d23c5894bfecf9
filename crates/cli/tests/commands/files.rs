//! Files are written completely or not at all, and never over an input.

use std::process::Child;

use elinvar_formats::proof;

use super::*;

fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn inputs_are_never_overwritten() {
    let path = &folder();
    let model = std::fs::read(example("counter.aag")).unwrap();
    std::fs::write(path.join("m.aag"), &model).unwrap();
    std::fs::write(path.join("w.1.aag"), &model).unwrap();
    std::fs::copy(example("several.btor2"), path.join("s.btor2")).unwrap();
    std::fs::copy(example("several.btor2"), path.join("w.1.btor2")).unwrap();
    std::fs::hard_link(path.join("m.aag"), path.join("hard")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("m.aag", path.join("soft")).unwrap();
    let before = names(path);
    for words in [
        &["check", "m.aag", "--witness", "m.aag"][..],
        &["check", "m.aag", "--certificate", "./m.aag"],
        &["check", "m.aag", "--vcd", "hard"],
        &["check", "m.aag", "--save", "m.aag"],
        &["check", "m.aag", "--witness", "soft"],
        &["check", "soft", "--witness", "m.aag"],
        &["check", "m.aag", "--witness", "w", "--vcd", "w"],
        &["check", "m.aag", "--witness", "w", "--vcd", "./w"],
        &["check", "m.aag", "--witness", "w", "--save", "w"],
        &["check", "m.aag", "--witness", "-", "--vcd", "-"],
        &["check", "w.1.btor2", "--witness", "w.btor2"],
        &["convert", "m.aag", "-o", "m.aag"],
        &["convert", "soft", "-o", "m.aag"],
        &["simulate", "m.aag", "--vcd", "m.aag"],
        &["m.aag", "w", "w"],
        &["m.aag", "w", "m.aag"],
    ] {
        let run = elinvar(path, words);
        assert_eq!(run.code, USER_ERROR, "{words:?} {}", run.stdout);
        assert!(run.stderr.starts_with("error: cannot write "), "{words:?} {}", run.stderr);
        assert_eq!(run.stdout, "", "{words:?}: said before any work is done");
    }
    assert_eq!(names(path), before);
    assert_eq!(std::fs::read(path.join("m.aag")).unwrap(), model);
}

/// The proof of a run may replace the one that it begins with, by whatever name.
#[test]
fn a_proof_may_replace_its_predecessor() {
    let path = &folder();
    let words = ["check", "@parity.btor2", "-q", "--save", "p.elv"];
    assert_eq!(elinvar(path, &words).code, SAFE);
    for reused in ["p.elv", "./p.elv"] {
        let run = elinvar(path, &[&words[..], &["--reuse", reused]].concat());
        assert_eq!(run.code, SAFE, "{}", run.stderr);
    }
    let run =
        elinvar(path, &[&words[..3], &["--reuse", "p.elv", "--certificate", "p.elv"]].concat());
    assert_eq!(run.code, USER_ERROR);
}

#[test]
fn the_report_names_each_file() {
    let path = &folder();
    let words = ["check", "@several.btor2", "--witness", "w.wit", "--certificate", "c.btor2"];
    let run = elinvar(path, &words);
    assert_eq!(run.code, UNSAFE);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("wrote ")).collect();
    let expected = ["wrote c.0.btor2", "wrote w.1.wit", "wrote w.2.wit", "wrote c.3.btor2"];
    assert_eq!(lines, expected);
    let run = elinvar(path, &[&words[..], &["--vcd", "t.vcd", "--json"]].concat());
    let json: Json = serde_json::from_str(&run.stdout).unwrap();
    let files = |property: usize| &json["properties"][property]["files"];
    let certificate = serde_json::json!([{ "kind": "certificate", "path": "c.0.btor2" }]);
    assert_eq!(*files(0), certificate);
    let both = serde_json::json!([
        { "kind": "witness", "path": "w.1.wit" }, { "kind": "vcd", "path": "t.1.vcd" },
    ]);
    assert_eq!(*files(1), both);
    let run = elinvar(path, &["check", "@counter.aag", "--witness", "w", "--quiet"]);
    assert_eq!(run.stdout, "unsafe\n");
    let run = elinvar(path, &["check", "@counter.aag", "--json"]);
    let json: Json = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["properties"][0]["files"], serde_json::json!([]));
}

/// A write that fails leaves the old file and nothing else. The shell limits the size of
/// files to nothing, as a full disk would.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let path = &folder();
    for (option, model) in
        [("--witness", "counter.aag"), ("--vcd", "counter.aag"), ("--certificate", "arbiter.aag")]
    {
        std::fs::write(path.join("out"), "old").unwrap();
        let script = format!(
            "ulimit -f 0; exec '{}' check '{}' {option} out --quiet",
            env!("CARGO_BIN_EXE_elinvar"),
            example(model).display()
        );
        let mut shell = Command::new("sh");
        let run = Run::of(shell.current_dir(path).args(["-c", &script]).output().unwrap());
        assert_eq!(run.code, USER_ERROR, "{option} {}", run.stderr);
        assert!(run.stderr.starts_with("error: cannot write out: "), "{}", run.stderr);
        assert_eq!(std::fs::read(path.join("out")).unwrap(), b"old");
        assert_eq!(names(path), ["out"]);
    }
    if Path::new("/dev/full").exists() {
        let run = elinvar(path, &["check", "@counter.aag", "--witness", "/dev/full", "-q"]);
        assert_eq!(run.code, USER_ERROR);
        let run = elinvar(path, &["convert", "@counter.aag", "-o", "/dev/full", "--format", "dot"]);
        assert_eq!(run.code, USER_ERROR);
    }
}

/// Messages that cannot be printed do not change the exit code.
#[cfg(unix)]
#[test]
fn a_full_standard_error_is_no_panic() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    for (model, more, code) in
        [("no-such-model", "-q", USER_ERROR), ("counter.aag", "--stats", UNSAFE)]
    {
        let mut command = command(Path::new("."));
        command.args(["check".into(), example(model), more.into()]);
        let status = command.stderr(full.try_clone().unwrap()).stdout(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(i32::from(code)), "{model}");
    }
}

#[cfg(unix)]
#[test]
fn devices_and_open_files_are_written_directly() {
    let path = &folder();
    let run = elinvar(path, &["check", "@counter.aag", "--witness", "/dev/stdout", "--quiet"]);
    assert_eq!((run.code, run.stdout.starts_with("1\nb0\n")), (UNSAFE, true), "{}", run.stdout);
    let null = ["check", "@counter.aag", "--witness", "/dev/null", "--vcd", "/dev/null"];
    assert_eq!(elinvar(path, &null).code, UNSAFE);
    let run = elinvar(path, &["check", "@counter.aag", "--witness", "/proc/w"]);
    assert_eq!(run.code, USER_ERROR, "{}", run.stdout);
}

/// Starts a run and kills it after a while.
fn killed(mut child: Child, after: Duration) {
    std::thread::sleep(after);
    let _: std::io::Result<()> = child.kill();
    child.wait().unwrap();
}

/// Whenever a run is killed, each file is the old one or the new one, complete.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    let path = &folder();
    let (safe, failing) = (at("parity.btor2"), at("counter.aag"));
    let runs: [&[&str]; 2] = [
        &["check", &safe, "--engine", "pdr", "--certificate", "proof", "--save", "state", "-q"],
        &["check", &failing, "--witness", "trace", "-q"],
    ];
    let start = Instant::now();
    for words in runs {
        elinvar(path, words);
    }
    let typical = start.elapsed() / 2;
    let new = ["proof", "trace"].map(|name| std::fs::read(path.join(name)).unwrap());
    let old = b"old".to_vec();
    let earlier = std::fs::read(path.join("state")).unwrap();
    for moment in 0..50u32 {
        for name in ["proof", "trace"] {
            std::fs::write(path.join(name), &old).unwrap();
        }
        std::fs::write(path.join("state"), &earlier).unwrap();
        for words in runs {
            let mut command = command(path);
            for word in words {
                match word.strip_prefix('@') {
                    Some(name) => command.arg(example(name)),
                    None => command.arg(word),
                };
            }
            let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // Spread over the run and a little beyond, in an order without a pattern.
            killed(child, typical * ((moment * 37) % 50) / 40);
        }
        for (name, new) in ["proof", "trace"].into_iter().zip(&new) {
            let found = std::fs::read(path.join(name)).unwrap();
            assert!(found == old || found == *new, "{name}: {}", String::from_utf8_lossy(&found));
        }
        proof::read(&std::fs::read(path.join("state")).unwrap()).unwrap();
    }
    let known = ["proof", "state", "trace"];
    let strange =
        |name: &&String| !known.contains(&name.as_str()) && !name.starts_with(".elinvar-tmp-");
    assert_eq!(names(path).iter().find(strange), None);
}
