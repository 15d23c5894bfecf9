//! `--ci`, `--junit` and `--sarif`: what servers for continuous integration rely on.

use std::fmt::Write as _;

use super::*;

const PROVED: u8 = 0;
const FAILS: u8 = 1;
const UNDECIDED: u8 = 2;
const CI_USER_ERROR: u8 = 4;

/// The first constraint never holds, so every proof is vacuous.
const CONTRADICTION: &str = "1 sort bitvec 1\n2 zero 1\n3 state 1 s\n4 init 1 3 2\n5 next 1 3 3\n\
                             6 constraint 2\n7 bad 3 never\n";

fn schema(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas").join(name)
}

/// The models of the tables in the README of the examples, with their verdicts. What is in
/// folders needs Yosys or Python.
fn documented() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(example("README.md")).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), (*cells.get(3)?).to_owned()))
    });
    rows.filter(|(name, verdict)| verdict.contains("safe") && !name.contains('/')).collect()
}

#[test]
fn examples_exit_as_documented() {
    let documented = documented();
    assert!(documented.len() >= 20, "{documented:?}");
    for (name, verdict) in documented {
        let expected = if verdict.contains("unsafe") { FAILS } else { PROVED };
        let run = elinvar(Path::new("."), &["check", &at(&name), "--ci", "--quiet"]);
        assert_eq!(run.code, expected, "{name}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn undecided_and_vacuous_runs_are_not_green() {
    let path = &folder();
    std::fs::write(path.join("vacuous.btor2"), CONTRADICTION).unwrap();
    let undecided = ["check", "@counter.btor2", "--engine", "bmc", "--bound", "3", "--ci", "-q"];
    assert_eq!(elinvar(path, &undecided).code, UNDECIDED);
    let run = elinvar(path, &["check", "vacuous.btor2", "--ci", "-q"]);
    assert_eq!(run.code, UNDECIDED, "{}", run.stdout);
    assert!(run.stdout.starts_with("safe, vacuously"), "{}", run.stdout);
    assert_eq!(elinvar(path, &["check", "vacuous.btor2", "-q"]).code, SAFE);
    // An unreachable cover statement fails.
    let cover = ["check", "@arbiter.aag", "--cover", "--ci", "-q"];
    assert_eq!(elinvar(path, &cover).code, FAILS);
    let cover = ["check", "@counter.aag", "--cover", "--ci", "-q"];
    assert_eq!(elinvar(path, &cover).code, PROVED);
}

/// Errors cannot be taken for "undecided".
#[test]
fn errors_have_codes_of_their_own() {
    let path = &folder();
    std::fs::write(path.join("wrong.aag"), "aag 1\n").unwrap();
    std::fs::write(path.join("empty.btor2"), "1 sort bitvec 1\n2 input 1 a\n").unwrap();
    for words in [
        &["check", "no-such-file", "--ci"][..],
        &["check", "wrong.aag", "--ci"],
        &["check", "empty.btor2", "--ci"],
        &["check", "--ci"],
        &["check", "@counter.aag", "--ci", "--no-such-option"],
        &["check", "@counter.aag", "--ci", "--property", "no such property"],
        &["check", "@counter.aag", "--ci", "--junit", "no/such/folder/j.xml"],
        &["check", "@counter.aag", "--ci", "--parameter", "enable", "--range", "0..1"],
    ] {
        let run = elinvar(path, words);
        assert_eq!(run.code, CI_USER_ERROR, "{words:?} {}", run.stderr);
        let words: Vec<&str> = words.iter().copied().filter(|&word| word != "--ci").collect();
        let allowed = [USER_ERROR, UNSAFE];
        assert!(allowed.contains(&elinvar(path, &words).code), "{words:?}");
    }
    assert_eq!(elinvar(path, &["check", "--ci", "--help"]).code, 0);
}

#[test]
fn the_file_of_a_project_can_ask_for_ci() {
    let path = &folder();
    std::fs::copy(example("several.btor2"), path.join("m.btor2")).unwrap();
    let text = "[design]\nsources = [\"m.btor2\"]\n[check]\nci = true\njunit = \"j.xml\"\n";
    std::fs::write(path.join("elinvar.toml"), text).unwrap();
    assert_eq!(elinvar(path, &["check", "-q"]).code, FAILS);
    assert!(path.join("j.xml").exists());
    assert_eq!(elinvar(path, &["check", "-q", "--property", "odd"]).code, PROVED);
    assert_eq!(elinvar(path, &["check", "-q", "--property", "none"]).code, CI_USER_ERROR);
}

/// A run of each kind, with the number of test cases, failures and errors.
fn kinds(path: &Path) -> Vec<(Vec<&'static str>, [usize; 3])> {
    std::fs::write(path.join("vacuous.btor2"), CONTRADICTION).unwrap();
    std::fs::write(path.join("wrong.aag"), "aag 1\n").unwrap();
    let odd = "1 sort bitvec 1\n2 state 1 s\n3 bad 2 u.<&\"'>\u{1}\u{fffe}é\n";
    std::fs::write(path.join("odd & name.btor2"), odd).unwrap();
    vec![
        (vec!["@several.btor2"], [4, 2, 0]),
        (vec!["@fifo_bug.btor2", "--vcd", "t.vcd"], [1, 1, 0]),
        (vec!["@overdraft.bpl"], [1, 1, 0]),
        (vec!["@arrays.btor"], [1, 1, 0]),
        (vec!["@arbiter.aag", "--cover"], [1, 1, 0]),
        (vec!["@double.bpl"], [1, 0, 0]),
        (vec!["@counter.btor2", "--engine", "bmc", "--bound", "3"], [1, 0, 1]),
        (vec!["vacuous.btor2"], [1, 0, 0]),
        (vec!["vacuous.btor2", "--strict"], [1, 1, 0]),
        (vec!["vacuous.btor2", "--ci"], [1, 1, 0]),
        (vec!["odd & name.btor2"], [1, 1, 0]),
        (vec!["wrong.aag"], [1, 0, 1]),
        (vec!["no-such-file"], [1, 0, 1]),
        (vec!["@counter.aag", "--property", "none"], [1, 0, 1]),
    ]
}

fn written(path: &Path, words: &[&str], option: &str, file: &str) -> String {
    let words = [&["check", "-q", option, file], words].concat();
    let run = elinvar(path, &words);
    let text = std::fs::read_to_string(path.join(file));
    text.unwrap_or_else(|error| panic!("{words:?}: {error}: {}{}", run.stdout, run.stderr))
}

#[test]
fn junit_files_follow_the_schema() {
    let path = &folder();
    let mut files = Vec::new();
    for (number, (words, [tests, failures, errors])) in kinds(path).into_iter().enumerate() {
        let file = format!("j{number}.xml");
        let text = written(path, &words, "--junit", &file);
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
        assert_eq!(text.matches(&counts).count(), 2, "{words:?} {text}");
        assert_eq!(text.matches("<testcase ").count(), tests, "{text}");
        assert_eq!(text.matches("<failure ").count(), failures, "{text}");
        assert_eq!(text.matches("<error ").count(), errors, "{text}");
        files.push(file);
    }
    let validate = |files: &[String]| {
        let mut xmllint = Command::new("xmllint");
        xmllint.current_dir(path).arg("--noout").arg("--schema").arg(schema("junit-10.xsd"));
        xmllint.args(files).output()
    };
    let Ok(output) = validate(&files) else {
        return eprintln!("skipped: xmllint is not installed");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The schema can refuse a file.
    let text = std::fs::read_to_string(path.join("j0.xml")).unwrap();
    std::fs::write(path.join("bad.xml"), text.replace("<testcase ", "<testcase file=\"x\" "))
        .unwrap();
    assert!(!validate(&["bad.xml".to_owned()]).unwrap().status.success());
}

#[test]
fn junit_failures_have_place_and_trace() {
    let path = &folder();
    let text = written(path, &["@overdraft.bpl"], "--junit", "j.xml");
    let place = format!("{}:19:5: ", example("overdraft.bpl").display());
    for part in ["classname=\"overdraft\"", &place, "balance = -1", "engine: cfg", "depth: 8"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let words = ["@several.btor2", "--vcd", "t.vcd"];
    let text = written(path, &words, "--junit", "j.xml");
    for part in ["type=\"assertion\"", "cycle 5: fast = 10", "vcd: t.1.vcd"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Names with scopes are split.
    let scoped = "1 sort bitvec 1\n2 state 1 s\n3 bad 2 top.u_fifo.full\n";
    std::fs::write(path.join("m.btor2"), scoped).unwrap();
    let text = written(path, &["m.btor2"], "--junit", "j.xml");
    assert!(text.contains("classname=\"top.u_fifo\" name=\"top.u_fifo.full\""), "{text}");
}

#[test]
fn sarif_files_follow_the_schema() {
    let path = &folder();
    let text = std::fs::read_to_string(schema("sarif-schema-2.1.0.json")).unwrap();
    let mut schema: Json = serde_json::from_str(&text).unwrap();
    // This pattern is not a valid regular expression; the key is not used here.
    for object in ["run", "toolComponent"] {
        schema["definitions"][object]["properties"]["language"] = true.into();
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (words, [tests, failures, errors]) in kinds(path) {
        let text = written(path, &words, "--sarif", "s.sarif");
        let log: Json = serde_json::from_str(&text).unwrap();
        let mut faults = String::new();
        for error in validator.iter_errors(&log) {
            writeln!(faults, "{error} at {}", error.instance_path()).unwrap();
        }
        assert_eq!(faults, "", "{words:?}");
        expect_code_scanning(&log);
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap().len();
        let is_complete = run["properties"]["checked"] == tests;
        let notices = &run["invocations"][0]["toolExecutionNotifications"];
        match is_complete {
            // Vacuous proofs are results in any case.
            true => assert_eq!(results, (failures + errors).max(words[0].starts_with('v').into())),
            false => assert_eq!((results, &notices[0]["level"]), (0, &"error".into()), "{words:?}"),
        }
        assert_eq!(run["invocations"][0]["executionSuccessful"], is_complete);
    }
    let mut log: Json = serde_json::from_str(&written(path, &["@several.btor2"], "--sarif", "s"))
        .expect("the file is JSON");
    log["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&log), "the schema can refuse a file");
}

/// What GitHub's code scanning requires beyond the schema.
#[track_caller]
fn expect_code_scanning(log: &Json) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].is_string());
    let run = &log["runs"][0];
    for rule in run["tool"]["driver"]["rules"].as_array().unwrap() {
        for key in ["shortDescription", "fullDescription", "help"] {
            let text = rule[key]["text"].as_str().unwrap();
            assert!(!text.is_empty() && text.len() <= 1024, "{rule}");
        }
        assert!(rule["properties"]["tags"].as_array().unwrap().len() <= 10);
    }
    for result in run["results"].as_array().unwrap() {
        let rule = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(result["ruleId"], run["tool"]["driver"]["rules"][rule]["id"]);
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].is_string(), "{result}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        let fingerprints = result["partialFingerprints"].as_object().unwrap();
        assert!(fingerprints.values().all(Json::is_string));
        if let Some(flow) = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array() {
            assert!(!flow.is_empty() && flow.len() <= 1000);
        }
    }
}

#[test]
fn sarif_results_have_places_and_steps() {
    let path = &folder();
    std::fs::create_dir_all(path.join(".git")).unwrap();
    std::fs::create_dir_all(path.join("sub dir")).unwrap();
    std::fs::copy(example("overdraft.bpl"), path.join("sub dir/p.bpl")).unwrap();
    let folder = &path.join("sub dir");
    let text = written(folder, &["p.bpl", "--ci"], "--sarif", "s.sarif");
    let run = &serde_json::from_str::<Json>(&text).unwrap()["runs"][0];
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"assertion-fails".into(), &"error".into()));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "sub%20dir/p.bpl");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert_eq!(
        (&place["region"]["startLine"], &place["region"]["startColumn"]),
        (&19.into(), &5.into())
    );
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().unwrap();
    assert!(root.starts_with("file:///") && root.ends_with('/') && !root.contains("sub"), "{root}");
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let last = flow.last().unwrap();
    assert_eq!(last["location"]["physicalLocation"]["region"]["startLine"], 19);
    let assigned = flow.iter().find(|step| step["state"]["balance"]["text"] == "-1").unwrap();
    assert_eq!(assigned["location"]["physicalLocation"]["region"]["startLine"], 18);
    assert_eq!(run["invocations"][0]["exitCode"], FAILS);
    // A fault in a file has a place as well.
    std::fs::write(folder.join("wrong.aag"), "aag 1\n").unwrap();
    let text = written(folder, &["wrong.aag", "--ci"], "--sarif", "s.sarif");
    let invocation = &serde_json::from_str::<Json>(&text).unwrap()["runs"][0]["invocations"][0];
    assert_eq!(invocation["exitCode"], CI_USER_ERROR);
    let place = &invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "sub%20dir/wrong.aag");
    assert_eq!(place["region"]["startLine"], 1);
}

/// Results keep their identity when lines are added.
#[test]
fn fingerprints_survive_moved_lines() {
    let path = &folder();
    let program = std::fs::read_to_string(example("overdraft.bpl")).unwrap();
    let fingerprint = |text: &str| {
        std::fs::write(path.join("p.bpl"), text).unwrap();
        let log: Json = serde_json::from_str(&written(path, &["p.bpl"], "--sarif", "s")).unwrap();
        log["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    let before = fingerprint(&program);
    assert!(before.is_object());
    assert_eq!(before, fingerprint(&format!("\n\n{program}")));
}

#[test]
fn files_about_the_run_are_named() {
    let path = &folder();
    let words = ["check", "@counter.aag", "--junit", "j.xml", "--sarif", "s.sarif", "--save", "l"];
    let run = elinvar(path, &words);
    for line in ["wrote j.xml", "wrote s.sarif", "wrote l"] {
        assert!(run.stdout.lines().any(|found| found == line), "{line}: {}", run.stdout);
    }
    let (_, json) = json_in(path, &[&words[..], &["--json"]].concat());
    let kinds: Vec<&Json> =
        json["files"].as_array().unwrap().iter().map(|file| &file["kind"]).collect();
    assert_eq!(kinds, ["lemmas", "junit", "sarif"]);
    // Files are never inputs or other outputs, and a refused path is not written.
    std::fs::copy(example("counter.aag"), path.join("m.aag")).unwrap();
    for words in [
        &["check", "m.aag", "--junit", "m.aag"][..],
        &["check", "m.aag", "--sarif", "./m.aag"],
        &["check", "m.aag", "--junit", "x", "--sarif", "x"],
        &["check", "m.aag", "--junit", "x", "--vcd", "x"],
    ] {
        let run = elinvar(path, words);
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{words:?}");
        assert!(!path.join("x").exists());
    }
    assert_eq!(
        std::fs::read(path.join("m.aag")).unwrap(),
        std::fs::read(example("counter.aag")).unwrap()
    );
}

#[test]
fn missing_and_stale_evidence_is_mentioned() {
    let path = &folder();
    let words = ["check", "@arbiter.aag", "--vcd", "t.vcd"];
    let run = elinvar(path, &words);
    assert!(run.stdout.contains("\nno counterexample: t.vcd was not written\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    std::fs::write(path.join("t.vcd"), "old").unwrap();
    let run = elinvar(path, &words);
    let warning = "warning: t.vcd is left from an earlier run; this run did not write it\n";
    assert_eq!(run.stderr, warning);
    let (_, json) = json_in(path, &[&words[..], &["--json"]].concat());
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(std::fs::read(path.join("t.vcd")).unwrap(), b"old", "nothing is lost");
    let run = elinvar(path, &["check", "@counter.aag", "--certificate", "c.aag"]);
    assert!(run.stdout.contains("\nno proof: c.aag was not written\n"), "{}", run.stdout);
    // With several properties, the file without a number and those of other properties are old.
    for name in ["w.wit", "w.0.wit", "w.1.wit"] {
        std::fs::write(path.join(name), "old").unwrap();
    }
    let run = elinvar(path, &["check", "@several.btor2", "--witness", "w.wit", "--quiet"]);
    assert_eq!(run.stdout, "unsafe\n");
    let warning =
        "warning: w.wit, w.0.wit are left from an earlier run; this run did not write them\n";
    assert_eq!(run.stderr, format!("wrote w.1.wit\nwrote w.2.wit\n{warning}"));
}
