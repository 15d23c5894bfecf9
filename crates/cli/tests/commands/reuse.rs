//! `check --save` and `check --reuse`: proofs that go from run to run.

use super::*;

/// A model whose proof needs lemmas.
const MODEL: &str = "@peterson.btor2";

fn saved(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("p")).expect("a proof was saved")
}

/// Saves a proof of [`MODEL`] as `p`.
fn save(folder: &Path) {
    let run = elinvar(folder, &["check", MODEL, "--engine", "pdr", "--save", "p", "-q"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (SAFE, "safe\n", ""));
}

/// Writes the model with other words in it.
fn edited(folder: &Path, edits: &[(&str, &str)]) {
    let mut text = std::fs::read_to_string(example("peterson.btor2")).unwrap();
    for (old, new) in edits {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    std::fs::write(folder.join("edited.btor2"), text).unwrap();
}

/// How many lemmas were kept.
fn kept(report: &Json) -> u64 {
    let reuse = &report["reuse"];
    let number = |key: &str| reuse[key].as_u64().unwrap_or_else(|| panic!("{key}: {reuse}"));
    assert!(number("kept") <= number("offered") && number("always") <= number("kept"), "{reuse}");
    assert!(number("queries") > 0, "nothing is believed: {reuse}");
    assert!(reuse["seconds"].is_f64() && reuse["before_seconds"].is_f64(), "{reuse}");
    number("kept")
}

#[test]
fn saved_proofs_are_reused() {
    let path = &folder();
    save(path);
    let (code, first) = json(&["check", MODEL, "--engine", "pdr", "--json"]);
    assert_eq!((code, &first["reuse"]), (SAFE, &Json::Null));
    for engine in [&["--engine", "pdr"] as &[&str], &["--engine", "auto"], &["-j", "2"]] {
        let words = [&["check", MODEL, "--reuse", "p", "--json"], engine].concat();
        let (code, report) = json_in(path, &words);
        assert_eq!((code, &report["verdict"]), (SAFE, &"safe".into()), "{engine:?}");
        assert!(kept(&report) > 0, "{engine:?}");
    }
    let (_, again) = json_in(path, &["check", MODEL, "--engine", "pdr", "--reuse", "p", "--json"]);
    let queries = |report: &Json| report["statistics"]["queries"].as_u64().unwrap();
    assert!(queries(&again) < queries(&first), "{} {}", queries(&again), queries(&first));
}

#[test]
fn the_report_tells_what_was_reused() {
    let path = &folder();
    save(path);
    let run = elinvar(path, &["check", MODEL, "--engine", "pdr", "--reuse", "p"]);
    let line = run.stdout.lines().find(|line| line.starts_with("Reused ")).expect("a line");
    assert!(line.contains(" lemmas, ") && line.contains("; that saved "), "{line}");
    // Nothing is saved by lemmas of which none holds.
    let run = elinvar(path, &["check", "@counter.btor2", "--reuse", "p"]);
    assert!(run.stdout.contains("\nReused 0 of "), "{}", run.stdout);
    assert!(!run.stdout.contains("that saved"), "{}", run.stdout);
    let run = elinvar(path, &["check", MODEL, "--engine", "pdr"]);
    assert!(!run.stdout.contains("Reused"), "{}", run.stdout);
}

#[test]
fn a_proof_with_evidence_that_was_reused_is_verified() {
    let path = &folder();
    save(path);
    let words = ["check", MODEL, "--engine", "pdr", "--reuse", "p", "--certificate", "c", "-q"];
    assert_eq!(elinvar(path, &words).code, SAFE);
    assert_eq!(elinvar(path, &["verify", MODEL, "c"]).code, ACCEPTED);
}

#[test]
fn registers_are_known_by_another_name() {
    let path = &folder();
    save(path);
    edited(path, &[("state 2 place0", "state 2 location"), ("state 1 turn", "state 1 waits")]);
    let words = ["check", "edited.btor2", "--engine", "pdr", "--reuse", "p", "--json"];
    let (code, report) = json_in(path, &words);
    assert_eq!(code, SAFE);
    assert_eq!(report["reuse"]["lost"], 0, "{}", report["reuse"]);
    assert!(kept(&report) > 0);
}

#[test]
fn a_version_with_a_bug_does_not_cost_the_proof() {
    let path = &folder();
    save(path);
    let proof = saved(path);
    // Process 0 enters although the other has its flag raised.
    edited(path, &[("24 or 1 -9 10", "24 or 1 9 10")]);
    let with = |model: &str| {
        let words =
            ["check", model, "--engine", "pdr", "--reuse", "p", "--save", "p", "--witness", "w"];
        json_in(path, &[&words as &[&str], &["--json"]].concat())
    };
    let (code, report) = with("edited.btor2");
    assert_eq!((code, &report["verdict"]), (UNSAFE, &"unsafe".into()));
    assert_eq!(elinvar(path, &["verify", "edited.btor2", "w"]).code, ACCEPTED);
    assert_eq!(saved(path), proof, "the proof of the earlier version is still there");
    let (code, report) = with(MODEL);
    assert_eq!(code, SAFE);
    assert!(kept(&report) > 0);
    assert_ne!(saved(path), proof, "a new proof takes its place");
    let (code, report) = with(MODEL);
    assert_eq!(code, SAFE);
    assert!(kept(&report) > 0);
}

#[test]
fn proofs_of_other_models_do_no_harm() {
    let path = &folder();
    save(path);
    for (name, verdict) in [
        ("counter.aag", UNSAFE),
        ("counter_bug.btor2", UNSAFE),
        ("fifo_bug.btor2", UNSAFE),
        ("several.btor2", UNSAFE),
        ("arbiter.aag", SAFE),
        ("round_robin.btor2", SAFE),
        ("parity.btor2", SAFE),
    ] {
        for engine in ["pdr", "auto"] {
            let words = ["check", &at(name), "--engine", engine, "--reuse", "p", "-q"];
            let run = elinvar(path, &words);
            assert_eq!(run.code, verdict, "{name} by {engine}: {}", run.stderr);
        }
    }
}

#[test]
fn a_file_that_is_not_there_yet_is_one_of_save() {
    let path = &folder();
    for more in [&[] as &[&str], &["--save", "other"]] {
        let run = elinvar(path, &[&["check", MODEL, "--reuse", "p"], more].concat());
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{more:?}");
        assert!(run.stderr.starts_with("error: cannot read p: "), "{}", run.stderr);
    }
    assert_eq!(std::fs::read_dir(path).unwrap().count(), 0, "nothing is written");
    let words = ["check", MODEL, "--engine", "pdr", "--reuse", "p", "--save", "p", "-q"];
    let run = elinvar(path, &words);
    assert_eq!((run.code, run.stdout.as_str()), (SAFE, "safe\n"));
    assert_eq!(run.stderr, "note: p does not exist yet\n");
    let run = elinvar(path, &words);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (SAFE, "safe\n", ""));
}

#[test]
fn damaged_proofs_are_refused() {
    let path = &folder();
    save(path);
    let proof = saved(path);
    let mut changed = proof.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    let junk: Vec<u8> =
        (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let cases: [(&str, Vec<u8>); 7] = [
        ("cut in the middle", proof[..middle].into()),
        ("without its last bytes", proof[..proof.len() - 2].into()),
        ("with a changed byte", changed),
        ("twice", proof.repeat(2).into()),
        ("empty", Vec::new()),
        ("junk", junk),
        ("a model", std::fs::read(example("peterson.btor2")).unwrap()),
    ];
    for (case, bytes) in cases {
        std::fs::write(path.join("damaged"), &bytes).unwrap();
        for target in ["p", "damaged"] {
            let words = ["check", MODEL, "--engine", "pdr", "--reuse", "damaged", "--save", target];
            let run = elinvar(path, &words);
            assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{case}");
            let place = run.stderr.strip_prefix("damaged:").unwrap_or_else(|| {
                panic!("{case}: no place is named: {}", run.stderr);
            });
            let mut parts = place.splitn(3, ':');
            for number in [parts.next(), parts.next()] {
                let number: usize = number.unwrap().parse().expect("a line and a column");
                assert!(number > 0, "{case}: {place}");
            }
            assert!(parts.next().unwrap().starts_with(" error: "), "{case}: {place}");
            assert_eq!(saved(path), proof, "{case}: --save does not touch its file");
            assert_eq!(std::fs::read(path.join("damaged")).unwrap(), bytes, "{case}");
        }
    }
}

#[test]
fn errors_leave_the_saved_proof_alone() {
    let path = &folder();
    save(path);
    let proof = saved(path);
    std::fs::write(path.join("bad.btor2"), "1 sort bitvec\n").unwrap();
    let both = ["--reuse", "p", "--save", "p"];
    for (words, message) in [
        (&["check", "bad.btor2"] as &[&str], "bad.btor2:1:"),
        (&["check", "missing.btor2"], "error: cannot read missing.btor2"),
        (&["check", MODEL, "--property", "7"], "error: there is no property 7"),
        (&["check", MODEL, "--engine", "bmc"], "error: --reuse and --save require --engine "),
        (&["check", MODEL, "--engine", "kind"], "error: --reuse and --save require --engine "),
        (
            &["check", MODEL, "--bound", "9"],
            "error: --reuse and --save require an engine that produces lemmas",
        ),
    ] {
        let run = elinvar(path, &[words, &both].concat());
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{words:?}");
        assert!(run.stderr.starts_with(message), "{words:?}: {}", run.stderr);
        assert_eq!(saved(path), proof, "{words:?}");
    }
    for (file, message) in [
        ("-", "error: --save needs a file"),
        ("no/such/p", "error: cannot write no/such/p: there is no folder no/such"),
    ] {
        let run = elinvar(path, &["check", MODEL, "--save", file]);
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{file}");
        assert!(run.stderr.starts_with(message), "{}", run.stderr);
    }
}

/// Mutual exclusion of eight processes: many seconds for PDR, which learns all the time.
fn long_model(folder: &Path) -> &'static str {
    let words = ["peterson", "--processes", "8", "--model", "long.btor2", "--timeout", "0", "-q"];
    assert_eq!(elinvar(folder, &words).code, UNKNOWN);
    "long.btor2"
}

/// Starts a run that saves to `p`, and lets it learn.
fn learning(folder: &Path, model: &str, more: &[&str]) -> std::process::Child {
    let words = ["check", model, "--engine", "pdr", "--save", "p", "--timeout", "60"];
    started(folder, &[&words, more].concat(), Duration::from_millis(700))
}

/// The lemmas that a short run keeps of `p`.
fn lemmas_for_a_run(folder: &Path, model: &str) -> u64 {
    let words = ["check", model, "--engine", "pdr", "--reuse", "p", "--timeout", "1", "--json"];
    let (code, report) = json_in(folder, &words);
    assert_eq!(code, UNKNOWN, "{report}");
    kept(&report)
}

#[test]
fn a_killed_run_leaves_a_valid_proof() {
    let path = &folder();
    let model = long_model(path);
    let words = ["check", model, "--engine", "pdr", "--save", "p", "--timeout", "0.3", "-q"];
    assert_eq!(elinvar(path, &words).code, UNKNOWN);
    let mut child = learning(path, model, &["--reuse", "p"]);
    child.kill().unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), None, "it was killed");
    assert!(lemmas_for_a_run(path, model) > 0);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_continued() {
    let path = &folder();
    let model = long_model(path);
    let child = learning(path, model, &[]);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
    assert!(run.stdout.contains("interrupted"), "{}", run.stdout);
    let text = saved(path);
    assert!(text.contains("\nproperty open ") && text.contains("\nlemma "), "{text}");
    assert!(lemmas_for_a_run(path, model) > 0);
}

#[test]
fn a_run_without_time_saves_lemmas_that_it_was_given() {
    let path = &folder();
    let model = long_model(path);
    let with = |more: &[&str]| {
        let words = ["check", model, "--engine", "pdr", "--save", "p", "--timeout"];
        let run = elinvar(path, &[&words as &[&str], more].concat());
        assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
        run.stdout
    };
    with(&["0.3"]);
    let stdout = with(&["0", "--reuse", "p"]);
    assert!(!stdout.contains("that saved"), "no verdict saves no time: {stdout}");
    assert!(lemmas_for_a_run(path, model) > 0);
    // Without an earlier proof there may be little in it, but it is one.
    std::fs::remove_file(path.join("p")).unwrap();
    with(&["0"]);
    assert!(saved(path).starts_with("elinvar proof "));
    assert_eq!(elinvar(path, &["check", MODEL, "--reuse", "p", "-q"]).code, SAFE);
}
