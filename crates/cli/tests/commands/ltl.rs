//! Formulas of linear temporal logic.

use super::*;

/// A latch that toggles while the input is set.
const TOGGLE: &str = "aag 5 1 1 0 3\n2\n4 10\n6 2 4\n8 3 5\n10 7 9\ni0 go\nl0 led\n";

fn toggle() -> Folder {
    let folder = folder();
    std::fs::write(folder.join("toggle.aag"), TOGGLE).unwrap();
    folder
}

#[test]
fn formulas_are_decided_and_their_evidence_is_about_the_converted_model() {
    let path = &toggle();
    for (formula, code) in [
        ("G F go -> G F led", SAFE),
        ("G (led & !go -> X led)", SAFE),
        ("F led -> F go", SAFE),
        ("led W go", UNSAFE),
        ("G F led", UNSAFE),
        ("G (go -> X led)", UNSAFE),
    ] {
        let evidence = if code == SAFE { "--certificate" } else { "--witness" };
        let run =
            elinvar(path, &["check", "toggle.aag", "--ltl", formula, evidence, "evidence.aag"]);
        assert_eq!(run.code, code, "{formula}: {}{}", run.stdout, run.stderr);
        let run =
            elinvar(path, &["convert", "toggle.aag", "--ltl", formula, "-o", "monitored.aag"]);
        assert_eq!(run.code, 0, "{formula}: {}", run.stderr);
        let run = elinvar(path, &["verify", "monitored.aag", "evidence.aag"]);
        assert_eq!(run.code, ACCEPTED, "{formula}: {}{}", run.stdout, run.stderr);
        let run = elinvar(path, &["check", "monitored.aag"]);
        assert_eq!(run.code, code, "{formula}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn formulas_of_a_file_have_names() {
    let path = &toggle();
    let text = "# two formulas\nfair: G F go -> G F led\nG F led # may fail\n";
    std::fs::write(path.join("all.ltl"), text).unwrap();
    let (code, report) = json_in(
        path,
        &["check", "toggle.aag", "--ltl-file", "all.ltl", "--ltl", "F led", "--json"],
    );
    assert_eq!(code, UNSAFE);
    let properties = report["properties"].as_array().unwrap().iter();
    let verdicts: Vec<_> =
        properties.map(|p| (p["name"].as_str().unwrap(), p["verdict"].as_str().unwrap())).collect();
    assert_eq!(verdicts, [("ltl0", "unsafe"), ("fair", "safe"), ("ltl1", "unsafe")]);
}

#[test]
fn errors_in_formulas_have_their_places() {
    let path = &toggle();
    for (formula, message) in [
        ("G (led", "<ltl>:1:7: error: expected `)`, found the end of the formula"),
        ("G light", "<ltl>:1:3: error: the model has no signal `light`"),
        ("", "<ltl>: error: the file has no formula"),
    ] {
        for command in [&["check"][..], &["convert", "-o", "out.aag"]] {
            let words = [command, &["toggle.aag", "--ltl", formula]].concat();
            let run = elinvar(path, &words);
            assert_eq!(run.code, USER_ERROR, "{formula}");
            assert!(run.stderr.starts_with(message), "{formula}: {}", run.stderr);
            assert!(!path.join("out.aag").exists());
        }
    }
    std::fs::write(path.join("bad.ltl"), "a: F led\na: F go\n").unwrap();
    let run = elinvar(path, &["check", "toggle.aag", "--ltl-file", "bad.ltl"]);
    let message = "bad.ltl:2:4: error: there is another property with the name a";
    assert!(run.code == USER_ERROR && run.stderr.starts_with(message), "{}", run.stderr);
    let program = at("double.bpl");
    let run = elinvar(path, &["check", &program, "--ltl", "F x"]);
    assert!(run.code == USER_ERROR && run.stderr.contains("not to programs"), "{}", run.stderr);
}
