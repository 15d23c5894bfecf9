//! `--store` and `elinvar store`.

use super::*;

/// The verdict and the source of each property.
fn sources(report: &Json) -> Vec<(&str, &str)> {
    let properties = report["properties"].as_array().unwrap().iter();
    properties.map(|p| (p["verdict"].as_str().unwrap(), p["source"].as_str().unwrap())).collect()
}

#[test]
fn models_of_all_formats_are_answered_by_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let failing = FAILING.iter().map(|&(name, _)| (name, UNSAFE));
    for (name, expected) in failing.chain(HOLDING.iter().map(|&name| (name, SAFE))) {
        let words = [&format!("@{name}"), "--store", "proofs"];
        let path = example(name);
        let words = [path.to_str().unwrap(), words[1], words[2]];
        let (code, first) = report(folder.path(), &words);
        assert_eq!(code, expected, "{name}");
        let (code, second) = report(folder.path(), &words);
        assert_eq!(code, expected, "{name}");
        for (before, now) in sources(&first).into_iter().zip(sources(&second)) {
            assert_eq!((before.0, "store"), now, "{name}");
        }
        // Evidence of the store can be written like any other.
        let written = ["--witness", "w.txt", "--certificate", "c.txt"];
        let run = elinvar(folder.path(), &[&["check"], &words[..], &written].concat());
        let file = if expected == SAFE { "c.txt" } else { "w.txt" };
        assert_eq!(run.code, expected);
        let verified = elinvar(folder.path(), &["verify", path.to_str().unwrap(), file]);
        assert_eq!(verified.code, ACCEPTED, "{name}: {}{}", verified.stdout, verified.stderr);
    }
}

#[test]
fn reports_say_what_comes_from_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["check", "@counter.btor2", "--store", "proofs"];
    let first = elinvar(folder.path(), &words).stdout;
    assert!(first.contains("The store had no evidence for this property."), "{first}");
    let second = elinvar(folder.path(), &words).stdout;
    assert!(
        second.contains("The evidence comes from the store and was checked again."),
        "{second}"
    );
    assert!(second.contains("auto (store)"), "{second}");
    std::fs::write(folder.path().join("elinvar.toml"), {
        let path = example("counter.btor2");
        format!("[design]\nsources = {path:?}\n[check]\nstore = \"proofs\"\n")
    })
    .unwrap();
    let third = elinvar(folder.path(), &["check"]).stdout;
    assert!(third.contains("comes from the store"), "{third}");
}

#[test]
fn stores_are_shown_shrunk_and_examined() {
    let folder = tempfile::tempdir().unwrap();
    let store = |words: &[&str]| elinvar(folder.path(), &[&["store"], words].concat());
    assert_eq!(store(&["stats", "proofs"]).code, USER_ERROR);
    assert!(!folder.path().join("proofs").exists());
    elinvar(folder.path(), &["check", "@counter.btor2", "--store", "proofs", "--quiet"]);
    let stats: Json = serde_json::from_str(&store(&["stats", "proofs", "--json"]).stdout).unwrap();
    assert_eq!(stats["evidence"]["entries"], 1);
    assert_eq!((store(&["check", "proofs"]).code, store(&["stats", "proofs"]).code), (0, 0));
    let evidence = files_below(&folder.path().join("proofs/evidence"));
    std::fs::write(&evidence[0], b"elinvar store 1\n").unwrap();
    let checked = store(&["check", "proofs"]);
    assert_eq!(checked.code, REFUSED);
    assert!(checked.stdout.contains("is damaged and was put aside"), "{}", checked.stdout);
    assert_eq!(store(&["check", "proofs"]).code, ACCEPTED);
    let swept = store(&["gc", "proofs", "--limit", "10"]);
    assert_eq!(swept.code, 0, "{}", swept.stderr);
    assert!(files_below(&folder.path().join("proofs/lemmas")).is_empty());
    let stats: Json = serde_json::from_str(&store(&["stats", "proofs", "--json"]).stdout).unwrap();
    assert_eq!((&stats["evidence"]["entries"], &stats["limit"]), (&0.into(), &10.into()));
    assert_eq!(store(&["gc", "proofs", "--limit", "much"]).code, USER_ERROR);
    // What is not a store is left alone.
    assert_eq!(store(&["gc", "."]).code, USER_ERROR);
    let run = elinvar(folder.path(), &["check", "@counter.btor2", "--store", "."]);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.contains("is not a store"), "{}", run.stderr);
    let run = elinvar(folder.path(), &["check", "@double.bpl", "--store", "proofs"]);
    assert!(run.stderr.contains("--store applies only to transition systems"), "{}", run.stderr);
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(folders) = std::fs::read_dir(folder) else { return Vec::new() };
    let folders = folders.flat_map(|inner| std::fs::read_dir(inner.unwrap().path()).unwrap());
    folders.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_damaged_entry_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["@counter_bug.btor2", "--store", "proofs"];
    let path = example("counter_bug.btor2");
    let words = [path.to_str().unwrap(), words[1], words[2]];
    assert_eq!(report(folder.path(), &words).0, UNSAFE);
    let entry = &files_below(&folder.path().join("proofs/evidence"))[0];
    let text = std::fs::read_to_string(entry).unwrap();
    // A false claim with a correct checksum would need a certificate; this one is damaged.
    std::fs::write(entry, text.replace("trace", "tracf")).unwrap();
    let (code, damaged) = report(folder.path(), &words);
    assert_eq!((code, damaged["warnings"].as_array().unwrap().len()), (UNSAFE, 1));
    assert_eq!(sources(&damaged), [("unsafe", "engine")]);
    assert_eq!(sources(&report(folder.path(), &words).1), [("unsafe", "store")]);
}

#[test]
fn processes_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let models = ["counter.btor2", "peterson.btor2", "counter_bug.btor2", "arbiter.aag"];
    for round in 0..2 {
        let start = |model: &&str| {
            let mut command = command(folder.path());
            command.args(["check", "--quiet", "--store", "proofs"]).arg(example(model));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let twice = models.iter().chain(&models);
        let children: Vec<(&str, Child)> = twice.map(|model| (*model, start(model))).collect();
        for (model, child) in children {
            let run = Run::of(child.wait_with_output().unwrap());
            let expected = if model.contains("bug") { UNSAFE } else { SAFE };
            assert_eq!(run.code, expected, "round {round}, {model}: {}", run.stderr);
        }
    }
    assert_eq!(files_below(&folder.path().join("proofs/evidence")).len(), models.len());
}
