//! Proofs that say nothing, because the constraints contradict each other.

use super::*;

/// A counter that would reach 9, and an input, under these constraints.
fn model(constraints: &str) -> String {
    format!(
        "1 sort bitvec 1\n2 sort bitvec 4\n3 zero 2\n4 one 2\n5 input 1 x\n6 state 2 n\n7 init 2 6 3\n\
         8 add 2 6 4\n9 next 2 6 8\n10 constd 2 9\n11 eq 1 6 10\n12 bad 11 nine\n13 constd 2 3\n\
         14 ult 1 6 13\n15 and 1 5 -5\n16 implies 1 11 5\n17 and 1 11 -5\n{constraints}"
    )
}

fn check(path: &Path, constraints: &str, more: &[&str]) -> Run {
    std::fs::write(path.join("m.btor2"), model(constraints)).unwrap();
    elinvar(path, &[&["check", "m.btor2"], more].concat())
}

/// The first line of the report about a contradiction.
fn headline(word: &str, cycle: usize, names: &[&str]) -> String {
    let names_text = names.join(", ");
    match names {
        [_] => {
            format!("{word}, vacuously: an assumption cannot hold in cycle {cycle}: {names_text}")
        }
        _ => format!(
            "{word}, vacuously: the assumptions contradict each other in cycle {cycle}: {names_text}"
        ),
    }
}

#[test]
fn contradictory_constraints_are_reported_by_every_engine() {
    let path = &folder();
    // An input that is and is not; a counter that starts below 0; one that stays below 3.
    for (constraints, names, cycle) in [
        (
            "18 constraint 5 up ; a.sv:3.1-3.9\n19 constraint -5 down\n",
            vec!["a.sv:3 up", "down"],
            0,
        ),
        ("18 constraint 15\n", vec!["constraint 0"], 0),
        ("18 constraint 5\n19 constraint -14\n", vec!["constraint 1"], 0),
        ("18 constraint 5\n19 constraint 14 few\n", vec!["few"], 3),
    ] {
        let line = headline("safe", cycle, &names);
        for engine in ["auto", "kind", "pdr", "words", "avy", "itp", "imc"] {
            let run = check(path, constraints, &["--engine", engine]);
            assert_eq!(run.code, SAFE, "{engine} {constraints} {}", run.stdout);
            assert_eq!(run.stdout.lines().next(), Some(&line[..]), "{engine} {constraints}");
        }
        let run = check(path, constraints, &["--json", "-j", "2"]);
        let json: Json = serde_json::from_str(&run.stdout).unwrap();
        let property = &json["properties"][0];
        assert_eq!((&json["verdict"], &property["vacuous"]), (&"safe".into(), &true.into()));
        assert_eq!(property["contradiction"], cycle);
        assert_eq!(property["vacuity"]["constraints"].as_array().unwrap().len(), names.len());
        assert_eq!(property["vacuity"]["minimal"], true);
        assert_eq!(json["assumptions"], serde_json::json!({ "cycles": cycle, "endless": false }));
        check(path, constraints, &["--certificate", "c"]);
        let run = elinvar(path, &["verify", "m.btor2", "c"]);
        let (_, claim) = line.split_once(", ").unwrap();
        assert_eq!(run.code, ACCEPTED);
        assert!(run.stdout.starts_with("accepted\n"), "{}", run.stdout);
        assert!(run.stdout.contains(&format!("property nine holds, {claim}\n")), "{}", run.stdout);
    }
}

/// Contradictions of all kinds: late ones, such between registers, and such with inputs.
#[test]
fn no_contradiction_is_reported_as_plainly_safe() {
    let path = &folder();
    // A counter of 8 bits that counts while an input is on, and a register that delays it.
    let model = |constraints: &str| {
        format!(
            "1 sort bitvec 1\n2 sort bitvec 8\n3 zero 2\n4 input 1 on\n5 state 2 n\n6 init 2 5 3\n\
             7 uext 2 4 7\n8 add 2 5 7\n9 next 2 5 8\n10 zero 1\n11 state 1 was\n12 init 1 11 10\n\
             13 next 1 11 4\n14 constd 2 255\n15 ugt 1 5 14\n16 bad 15 never\n{constraints}"
        )
    };
    for (constraints, cycle) in [
        ("20 constd 2 30\n21 ult 1 5 20\n22 constraint 21\n23 constraint 4\n", 30),
        ("20 constd 2 200\n21 ult 1 5 20\n22 constraint 21\n23 constraint 4\n", 200),
        ("20 constd 2 255\n21 ult 1 5 20\n22 constraint 21\n23 constraint 4\n", 255),
        // The delayed input contradicts the input.
        ("20 xor 1 4 11\n21 constraint 20\n22 constraint 4\n", 1),
        ("20 constraint -4\n21 redor 1 5\n22 implies 1 21 10\n23 or 1 4 11\n24 constraint 23\n", 0),
        ("20 constraint 4\n21 constraint -11\n", 1),
    ] {
        std::fs::write(path.join("late.btor2"), model(constraints)).unwrap();
        let (code, json) = report(path, &["late.btor2"]);
        assert_eq!(code, SAFE, "{constraints} {json}");
        assert_eq!(json["properties"][0]["contradiction"], cycle, "{constraints} {json}");
    }
}

/// A contradiction that is too late to be found is not a claim that there is none.
#[test]
fn the_length_of_the_known_run_is_reported() {
    let path = &folder();
    let model = "1 sort bitvec 1\n2 sort bitvec 40\n3 zero 2\n4 one 2\n5 state 2 n\n6 init 2 5 3\n\
                 7 add 2 5 4\n8 next 2 5 7\n9 ones 2\n10 eq 1 5 9\n11 bad 10 full\n\
                 12 constraint -10 room\n";
    std::fs::write(path.join("far.btor2"), model).unwrap();
    let run = elinvar(path, &["check", "far.btor2"]);
    assert_eq!(run.code, SAFE, "{}", run.stdout);
    assert!(run.stdout.starts_with("safe\n"), "{}", run.stdout);
    assert!(run.stdout.contains("The assumptions allow a run of "), "{}", run.stdout);
    let (_, json) = report(path, &["far.btor2"]);
    assert_eq!(json["assumptions"]["endless"], false);
    assert!(json["assumptions"]["cycles"].as_u64().unwrap() > 1000, "{json}");
    assert_eq!(json["properties"][0]["vacuous"], false);
}

#[test]
fn vacuous_proofs_do_not_count_under_strict() {
    let path = &folder();
    for (constraints, code) in [("18 constraint 14\n", UNKNOWN), ("18 constraint 16\n", UNSAFE)] {
        let run = check(path, constraints, &["--strict", "--quiet"]);
        assert_eq!(run.code, code, "{constraints} {}", run.stdout);
    }
    let run = check(path, "18 constraint 14\n", &["--quiet"]);
    assert_eq!((run.code, run.stdout.trim()), (SAFE, &headline("safe", 3, &["constraint 0"])[..]));
    let run = elinvar(path, &["check", "@counter.btor2", "--strict"]);
    assert_eq!(run.code, SAFE);
}

/// A cover statement that is unreachable because of the assumptions is told apart.
#[test]
fn covers_are_unreachable_vacuously() {
    let path = &folder();
    let run = check(path, "18 constraint 14 few\n", &["--cover"]);
    let line = headline("unreachable", 3, &["few"]);
    assert_eq!((run.code, run.stdout.lines().next()), (UNSAFE, Some(&line[..])));
}

/// With several properties the table says which proofs are vacuous.
#[test]
fn the_table_names_vacuous_proofs() {
    let path = &folder();
    // The counter is 2 in cycle 2 and would be 9 in cycle 9.
    let two = "18 constraint 14\n19 constd 2 2\n20 eq 1 6 19\n21 bad 20 two\n";
    let run = check(path, two, &[]);
    assert_eq!(run.code, UNSAFE, "{}", run.stdout);
    assert!(run.stdout.starts_with("unsafe\n"), "{}", run.stdout);
    let row = |name: &str| run.stdout.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(row("  nine  ").contains("vacuous"), "{}", run.stdout);
    assert!(row("  two  ").contains("unsafe"), "{}", run.stdout);
    assert!(run.stdout.contains("vacuous: an assumption cannot hold in cycle 3: constraint 0\n"));
    let run = check(path, &two.replace("20 eq 1 6 19", "20 ugt 1 6 19"), &[]);
    assert_eq!(run.stdout.lines().next(), Some(&headline("safe", 3, &["constraint 0"])[..]));
}

#[test]
fn other_answers_are_not_vacuous() {
    let path = &folder();
    for (constraints, code) in [
        ("", UNSAFE),
        // The input is chosen so that it holds.
        ("18 constraint 16\n", UNSAFE),
        // No run gets beyond cycle 8.
        ("18 constraint -11\n", SAFE),
    ] {
        let run = check(path, constraints, &["--json"]);
        assert_eq!(run.code, code, "{constraints}");
        let json: Json = serde_json::from_str(&run.stdout).unwrap();
        let expected = code == SAFE;
        assert_eq!(json["properties"][0]["vacuous"], expected, "{constraints}");
    }
    let (_, json) = report(path, &["@counter.btor2"]);
    assert_eq!(json["properties"][0]["vacuous"], false);
    assert_eq!(json["properties"][0].get("contradiction"), None);
}

/// A counter up to 2 of two bits, and a counter of four bits; assertions as Yosys writes them.
fn assertions(lines: &str) -> String {
    format!(
        "1 sort bitvec 1\n2 sort bitvec 2\n3 sort bitvec 4\n4 zero 2\n5 state 2 s\n6 init 2 5 4\n\
         7 constd 2 2\n8 eq 1 5 7\n9 one 2\n10 add 2 5 9\n11 ite 2 8 4 10\n12 next 2 5 11\n\
         13 zero 3\n14 state 3 c\n15 init 3 14 13\n16 one 3\n17 add 3 14 16\n18 next 3 14 17\n\
         19 ones 2\n20 eq 1 5 19\n21 redor 1 14\n22 one 1\n23 redand 1 14\n{lines}"
    )
}

/// Properties, and whether they are checked only under a condition that never holds: line 20,
/// that `s` is 3, never does; line 8, that it is 2, does.
const IMPLICATIONS: &[(&str, bool)] = &[
    ("30 not 1 21\n31 and 1 20 30\n32 bad 31 p ; a.sv:7.3\n", true),
    // `s` is never 3, so the right side may be anything, and the left side is in the assertion.
    ("30 not 1 20\n31 or 1 30 21\n32 not 1 31\n33 and 1 22 32\n34 bad 33 p\n", true),
    ("30 implies 1 20 21\n32 not 1 30\n33 and 1 22 32\n34 bad 33 p\n", true),
    // The condition holds: the assertion is checked.
    ("29 neq 1 5 19\n30 not 1 29\n31 and 1 8 30\n32 bad 31 p\n", false),
    ("29 neq 1 5 19\n30 not 1 29\n31 and 1 22 30\n32 bad 31 p\n", false),
    // No implication: two bits that are not both true.
    ("31 and 1 20 23\n32 bad 31 p\n", false),
    ("31 and 1 20 -21\n32 bad 31 p\n", false),
];

#[test]
fn implications_whose_left_side_never_holds_are_reported() {
    let path = &folder();
    for &(lines, never) in IMPLICATIONS {
        std::fs::write(path.join("a.btor2"), assertions(lines)).unwrap();
        for engine in ["auto", "kind", "pdr", "words", "itp"] {
            let (code, json) = report(path, &["a.btor2", "--engine", engine]);
            assert_eq!(code, SAFE, "{lines} {json}");
            let property = &json["properties"][0];
            assert_eq!(property["vacuous"], never, "{engine}: {lines}");
            let expected = if never { "never holds".into() } else { Json::Null };
            assert_eq!(property["antecedent"], expected, "{engine}: {lines}");
        }
        let run = elinvar(path, &["check", "a.btor2"]);
        assert!(run.stdout.starts_with("safe\n"), "{}", run.stdout);
        let line = "\nvacuous: the condition under which it is checked never holds\n";
        assert_eq!(run.stdout.contains(line), never, "{}", run.stdout);
        elinvar(path, &["check", "a.btor2", "--certificate", "c"]);
        let run = elinvar(path, &["verify", "a.btor2", "c"]);
        let claim = "p holds, vacuously: the condition under which it is checked never holds\n";
        assert_eq!((run.code, run.stdout.contains(claim)), (ACCEPTED, never), "{}", run.stdout);
        let run = elinvar(path, &["check", "a.btor2", "--strict"]);
        assert_eq!(run.code, if never { UNKNOWN } else { SAFE }, "{lines}");
    }
    let two =
        "30 not 1 21\n31 and 1 20 30\n32 bad 31 p\n33 not 1 23\n34 and 1 20 33\n35 bad 34 q\n";
    std::fs::write(path.join("a.btor2"), assertions(two)).unwrap();
    let run = elinvar(path, &["check", "a.btor2"]);
    let line = "vacuous: p, q are each checked only under a condition that never holds\n";
    assert!(run.stdout.contains(line), "{}", run.stdout);
}
