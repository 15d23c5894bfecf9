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

#[test]
fn contradictory_constraints_are_reported_by_every_engine() {
    let path = &folder();
    let nothing = "\nvacuous: no initial state satisfies the constraints\n";
    let dead = "\nvacuous: the constraints contradict each other in cycle 3, so that every run ends \
                after 3 cycles\n";
    // An input that is and is not; a counter that starts below 0; one that stays below 3.
    for (constraints, line, cycle) in [
        ("18 constraint 5\n19 constraint -5\n", nothing, 0),
        ("18 constraint 15\n", nothing, 0),
        ("18 constraint -14\n", nothing, 0),
        ("18 constraint 14\n", dead, 3),
    ] {
        for engine in ["auto", "kind", "pdr", "words", "avy", "itp", "imc"] {
            let run = check(path, constraints, &["--engine", engine]);
            assert_eq!(run.code, SAFE, "{engine} {constraints} {}", run.stdout);
            assert!(run.stdout.contains(line), "{engine} {constraints} {}", run.stdout);
        }
        let run = check(path, constraints, &["--json", "-j", "2"]);
        let json: Json = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(json["properties"][0]["vacuous"], true, "{}", run.stdout);
        assert_eq!(json["properties"][0]["contradiction"], cycle);
        check(path, constraints, &["--certificate", "c"]);
        let run = elinvar(path, &["verify", "m.btor2", "c"]);
        assert_eq!(run.code, ACCEPTED);
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
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
    let run = elinvar(path, &["check", "@counter.btor2", "--json"]);
    let json: Json = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["properties"][0]["vacuous"], false);
    assert_eq!(json["properties"][0].get("contradiction"), None);
}
