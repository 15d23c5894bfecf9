//! `elinvar MODEL CERT.sat CERT.unsat` with several properties.

use super::*;

/// Counters modulo 4 and 3; neither reaches 7.
const SAFE_MODEL: &str = "1 sort bitvec 4\n2 zero 1\n3 one 1\n4 constd 1 3\n5 constd 1 2\n\
    6 constd 1 7\n7 sort bitvec 1\n8 state 1 a\n9 init 1 8 2\n10 eq 7 8 4\n11 add 1 8 3\n\
    12 ite 1 10 2 11\n13 next 1 8 12\n14 state 1 b\n15 init 1 14 2\n16 eq 7 14 5\n\
    17 add 1 14 3\n18 ite 1 16 2 17\n19 next 1 14 18\n20 eq 7 8 6\n21 eq 7 14 6\n\
    22 bad 20 p\n23 bad 21 q\n";

fn ask(path: &Path, model: &str) -> Run {
    elinvar(path, &[model, "w.sat", "w.unsat"])
}

#[test]
fn one_certificate_is_about_all_properties() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), SAFE_MODEL).unwrap();
    assert_eq!(elinvar(path, &["convert", "m.btor2", "-o", "m.aag"]).code, 0);
    for model in ["m.btor2", "m.aag"] {
        std::fs::write(path.join("w.sat"), "stale").unwrap();
        std::fs::write(path.join("w.unsat"), "stale").unwrap();
        let run = ask(path, model);
        assert_eq!((run.code, run.stdout.as_str()), (SAFE, "unsat\n"), "{}", run.stderr);
        assert!(!path.join("w.sat").exists());
        // It proves each of them alone, and all of them together.
        for chosen in [&[][..], &["--property", "p"], &["--property", "q"]] {
            let words = [&["verify", model, "w.unsat"], chosen].concat();
            let run = elinvar(path, &words);
            assert_eq!(run.code, ACCEPTED, "{model} {chosen:?}: {}{}", run.stdout, run.stderr);
        }
    }
    // It says nothing about another model, in which one property fails.
    let broken = SAFE_MODEL.replace("16 eq 7 14 5", "16 eq 7 14 6");
    std::fs::write(path.join("broken.btor2"), broken).unwrap();
    ask(path, "m.btor2");
    assert_eq!(elinvar(path, &["verify", "broken.btor2", "w.unsat"]).code, REFUSED);
}

#[test]
fn a_witness_is_about_the_property_that_fails() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), SAFE_MODEL.replace("21 eq 7 14 6", "21 eq 7 14 5"))
        .unwrap();
    std::fs::write(path.join("w.unsat"), "stale").unwrap();
    let run = ask(path, "m.btor2");
    assert_eq!((run.code, run.stdout.as_str()), (UNSAFE, "sat\n"), "{}", run.stderr);
    assert!(!path.join("w.unsat").exists());
    let witness = std::fs::read_to_string(path.join("w.sat")).unwrap();
    assert!(witness.starts_with("sat\nb1\n"), "{witness}");
    assert_eq!(elinvar(path, &["verify", "m.btor2", "w.sat"]).code, ACCEPTED);
}

/// Safety holds, but whether the liveness property does is not decided.
#[test]
fn nothing_is_claimed_about_liveness() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), format!("{SAFE_MODEL}24 justice 1 20\n")).unwrap();
    std::fs::write(path.join("w.unsat"), "stale").unwrap();
    let run = ask(path, "m.btor2");
    assert_eq!((run.code, run.stdout.as_str()), (UNKNOWN, "unknown\n"), "{}", run.stderr);
    assert!(!path.join("w.unsat").exists() && !path.join("w.sat").exists());
}

#[test]
fn no_stale_file_stays_after_an_error() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), "1 sort bitvec 1\n2 bad 7\n").unwrap();
    std::fs::write(path.join("w.sat"), "stale").unwrap();
    assert_eq!(ask(path, "m.btor2").code, USER_ERROR);
    assert!(!path.join("w.sat").exists());
    // The model is not a stale file.
    let run = elinvar(path, &["m.btor2", "m.btor2", "w.unsat"]);
    assert!(run.code == USER_ERROR && run.stderr.contains("it is the input"), "{}", run.stderr);
    assert!(path.join("m.btor2").exists());
}
