//! What is shown of a trace, and maps of names.

use super::*;

/// A clock, two words, a register without a name that does not matter, and a wire.
const MODEL: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 clk\n4 input 2 u.step\n\
    5 input 2 other\n6 zero 2\n7 state 2 u.count\n8 init 2 7 6\n9 add 2 7 4 u.sum\n10 next 2 7 9\n\
    11 constd 2 9\n12 eq 1 7 11\n13 state 1\n14 next 1 13 13\n15 or 1 12 13\n16 not 1 13\n\
    17 constraint 16\n18 bad 15 nine\n";

fn written() -> Folder {
    let path = folder();
    std::fs::write(path.join("m.btor2"), MODEL).unwrap();
    path
}

fn check(path: &Path, options: &[&str]) -> String {
    let run = elinvar(path, &[&["check", "m.btor2"], options].concat());
    assert_eq!(run.code, UNSAFE, "{}", run.stderr);
    run.stdout
}

#[test]
fn signals_are_chosen_by_patterns() {
    let path = &written();
    let rows = |options: &[&str]| {
        let text = check(path, options);
        let kinds = ["clk", "in", "reg", "wire"];
        let row = |line: &str| {
            let mut words = line.split_whitespace();
            let kind = words.next()?;
            kinds.contains(&kind).then(|| words.next().unwrap_or_default().to_owned())
        };
        text.lines().filter_map(row).collect::<Vec<String>>()
    };
    // The sum matters only in the first cycle.
    assert_eq!(rows(&[]), ["u.step", "u.count", "state1"]);
    assert_eq!(rows(&["--signals", "clk,count"]), ["clk", "u.count"]);
    assert_eq!(rows(&["--signals", "u.*"]), ["u.step", "u.count", "u.sum"]);
    assert_eq!(rows(&["--signals", "sum", "--signals", "other"]), ["other", "u.sum"]);
    let all = ["clk", "u.step", "other", "u.count", "state1", "u.sum"];
    assert_eq!(rows(&["--all"]), all);
    let run = elinvar(path, &["check", "m.btor2", "--signals", "v.*"]);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.contains("no signal of the model matches `v.*`"), "{}", run.stderr);
    let run = elinvar(path, &["simulate", "m.btor2", "--signals", "sum", "--radix", "binary"]);
    assert!(run.stdout.contains("wire u.sum"), "{}", run.stdout);
}

#[test]
fn values_that_do_not_matter_are_unknown_unless_all_are_wanted() {
    let path = &written();
    let body = |options: &[&str]| {
        check(path, &[&["--vcd", "m.vcd"], options].concat());
        std::fs::read_to_string(path.join("m.vcd")).unwrap()
    };
    let (default, all) = (body(&[]), body(&["--all"]));
    assert!(default.contains("$scope module u $end\n"), "{default}");
    assert!(default.contains("bxxxx "), "{default}");
    assert!(!all.contains('x') || !all.split_once("#0").unwrap().1.contains('x'), "{all}");
    check(path, &["--fst", "m.fst"]);
    assert!(std::fs::read(path.join("m.fst")).unwrap().len() > 100);
    let run = elinvar(path, &["simulate", "m.btor2", "--fst", "s.fst", "--vcd", "s.vcd"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let executed = std::fs::read_to_string(path.join("s.vcd")).unwrap();
    assert!(!executed.split_once("#0").unwrap().1.contains('x'), "{executed}");
}

#[test]
fn maps_beside_the_model_are_used() {
    let path = &folder();
    std::fs::write(path.join("m.aag"), "aag 3 1 1 0 1 1\n2\n4 6\n4\n6 2 5\n").unwrap();
    let names = "input 0 0 go\nlatch 0 0 u.led\n";
    std::fs::write(path.join("m.aim"), names).unwrap();
    let run = elinvar(path, &["check", "m.aag"]);
    assert!(run.stdout.contains("reg u.led"), "{}", run.stdout);
    assert!(run.stdout.ends_with("names from m.aim\n"), "{}", run.stdout);
    let run = elinvar(path, &["check", "m.aag", "--json"]);
    let report: Json = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["maps"], serde_json::json!(["m.aim"]));
    // A map of another model is a warning if it lies there, and an error if it is given.
    std::fs::write(path.join("m.aim"), "latch 7 0 u.led\n").unwrap();
    let run = elinvar(path, &["check", "m.aag"]);
    assert_eq!((run.code, run.stdout.contains("reg state0")), (UNSAFE, true), "{}", run.stdout);
    let message = "m.aim:1:1: error: there is no state 7 in the model";
    assert!(run.stderr.contains(&format!("warning: {message}")), "{}", run.stderr);
    let run = elinvar(path, &["check", "m.aag", "--map", "m.aim"]);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

/// Evidence that names a property as a map does is accepted with the map.
#[test]
fn evidence_about_named_properties_is_verified() {
    let path = &folder();
    std::fs::write(path.join("m.aag"), "aag 1 0 1 0 0 2\n2 3\n2\n0\n").unwrap();
    let map =
        r#"{"version": "Yosys Witness Aiger map", "asserts": [["\\u", "\\a"], ["\\u", "\\b"]]}"#;
    std::fs::write(path.join("m.ywa"), map).unwrap();
    let run = elinvar(path, &["check", "m.aag", "--property", "u.b", "--certificate", "c.aag"]);
    assert_eq!(run.code, SAFE, "{}{}", run.stdout, run.stderr);
    let run = elinvar(path, &["verify", "m.aag", "c.aag"]);
    assert_eq!(run.code, ACCEPTED, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("property u.b holds"), "{}", run.stdout);
}
