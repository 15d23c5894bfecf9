//! Explanations of verdicts.

use super::*;

fn explained(path: &Path, arguments: &[&str]) -> Json {
    let run = elinvar(path, &[&["explain"], arguments, &["--json"]].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

fn texts(section: &Json) -> Vec<&str> {
    section["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

#[test]
fn failures_are_explained_up_to_the_last_cycle() {
    let path = &folder();
    for (name, depth) in FAILING {
        let model = example(name);
        let json = explained(path, &[model.to_str().unwrap(), "--shortest"]);
        let section = &json["properties"][0]["explanation"][0];
        assert!(section["title"].as_str().unwrap().ends_with("fails"), "{name}: {section}");
        let lines = section["lines"].as_array().unwrap();
        let cycles: Vec<u64> = lines.iter().map(|line| line["cycle"].as_u64().unwrap()).collect();
        assert!(cycles.is_sorted(), "{name}: {cycles:?}");
        assert_eq!(cycles.last(), Some(&(*depth as u64)), "{name}");
        let last = lines.last().unwrap();
        assert!(last["text"].as_str().unwrap().contains(" fails"), "{name}: {last}");
    }
}

/// What is not used can be removed from the model.
#[test]
fn proofs_list_what_they_use() {
    let path = &folder();
    // A latch that x sets, unless x is assumed to be 0; a register and an assumption beside it.
    let model = |constraints: &str| {
        format!(
            "1 sort bitvec 1\n2 zero 1\n3 input 1 x\n4 input 1 y\n5 state 1 latch\n6 init 1 5 2\n\
             7 or 1 3 5\n8 next 1 5 7\n9 state 1 other\n10 init 1 9 2\n11 next 1 9 4\n\
             12 and 1 9 5\n13 bad 12 both\n{constraints}"
        )
    };
    let both = "14 constraint -3 no_x\n15 constraint -4 no_y\n";
    std::fs::write(path.join("m.btor2"), model(both)).unwrap();
    let json = explained(path, &["m.btor2", "--engine", "kind"]);
    let lines = texts(&json["properties"][0]["explanation"][0]);
    let assumption = lines[0].strip_prefix("assumption ").unwrap();
    let (used, unused) = match assumption {
        "no_x" => ("14 constraint -3 no_x\n", "not needed: 1 assumption: no_y"),
        "no_y" => ("14 constraint -4 no_y\n", "not needed: 1 assumption: no_x"),
        other => panic!("{other}"),
    };
    assert_eq!(lines[1], unused);
    assert!(lines[2].starts_with("registers: 1 of 2: "), "{lines:?}");
    for (constraints, code) in [(used, SAFE), ("", UNSAFE)] {
        std::fs::write(path.join("fewer.btor2"), model(constraints)).unwrap();
        assert_eq!(elinvar(path, &["check", "fewer.btor2"]).code, code);
    }
}

#[test]
fn what_is_known_is_told_when_time_is_over() {
    let path = &folder();
    // A random number generator that takes thousands of steps to a value.
    let model = "1 sort bitvec 24\n2 zero 1\n3 state 1 x\n4 init 1 3 2\n5 constd 1 5\n6 constd 1 3\n\
        7 mul 1 3 5\n8 add 1 7 6\n9 next 1 3 8\n10 sort bitvec 1\n11 constd 1 1234567\n\
        12 eq 10 3 11\n13 bad 12 found\n";
    std::fs::write(path.join("m.btor2"), model).unwrap();
    let json = explained(path, &["m.btor2", "--engine", "pdr", "--timeout", "2"]);
    let property = &json["properties"][0];
    let sections = property["explanation"].as_array().unwrap();
    let cycles = property["cycles_without_failure"].as_u64().unwrap();
    let known = texts(&sections[0]);
    let line = format!("No execution of up to {cycles} cycles violates it.");
    assert!(known.contains(&&line[..]), "{known:?}");
    let states = sections.last().unwrap();
    let title = states["title"].as_str().unwrap();
    assert!(
        title.starts_with("States ") && title.contains("which the engine worked on"),
        "{title}"
    );
    assert!(texts(states)[0].starts_with("x"), "{states}");
}

#[test]
fn programs_are_explained() {
    let path = &folder();
    let model = example("overdraft.bpl");
    let json = explained(path, &[model.to_str().unwrap()]);
    let lines = &json["properties"][0]["explanation"][0]["lines"];
    let places: Vec<Option<u64>> =
        lines.as_array().unwrap().iter().map(|line| line["location"]["line"].as_u64()).collect();
    assert_eq!(places, [None, Some(14), Some(16), Some(18), Some(19)]);
}
