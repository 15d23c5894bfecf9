//! Values in runs of programs: maps over finite indices, divisions by zero, and numbers
//! that are too large.

use super::*;

fn check(source: &str, words: &[&str]) -> Run {
    let folder = folder();
    std::fs::write(folder.join("p.bpl"), source).expect("writable");
    elinvar(&folder, &[&["check", "p.bpl"], words].concat())
}

/// Maps that agree at all indices are the same, however they were written.
#[test]
fn equal_maps_over_finite_indices_are_equal() {
    for body in [
        "var a: [int][bv1]bool; var x, y: [bv1]bool; assume x[0bv1] && x[1bv1];
         y := y[0bv1 := true][1bv1 := true]; assert a[0 := x] == a[0 := y];",
        "var b: [int][bool]int; var e: [bool]int; assume e[true] == 1 && e[false] == 1;
         assert b[0 := b[0][true := 1][false := 1]] == b[0 := e];",
        "var m: [[bool]int]int; var x, y: [bool]int;
         assume x[true] == y[true] && x[false] == y[false]; assert m[x] == m[y];",
    ] {
        let run = check(&format!("procedure p() {{ {body} }}"), &[]);
        assert_eq!(run.code, SAFE, "{body}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn different_maps_are_found_and_replayed() {
    for source in [
        "type Ref; var h: [Ref]int; procedure p(r: Ref) modifies h; { h[r] := 1; assert h == old(h); }",
        "var m: [bv8]bv8; procedure p(r: bv8) modifies m; { m[r] := 1bv8; assert m == old(m); }",
        "procedure p() { var x, y: [bool]int; assume x[true] == 1;
         y := y[true := 1][false := 1]; assert x == y; }",
    ] {
        let run = check(source, &[]);
        assert_eq!(run.code, UNSAFE, "{source}: {}{}", run.stdout, run.stderr);
    }
}

/// The witness says that `x` and `y` differ, though they agree at both indices.
#[test]
fn witnesses_with_two_forms_of_one_map_are_refused() {
    let path = &folder();
    let source = "function f(m: [bool]int) returns (int);\nprocedure p() {\n  var m: [[bool]int]int;
  var x, y: [bool]int;\n  assume x[true] == y[true] && x[false] == y[false];\n  assert f(x) == f(y);\n}\n";
    std::fs::write(path.join("p.bpl"), source).unwrap();
    let unsafe_source = source.replace("x[true] == y[true] && ", "");
    std::fs::write(path.join("q.bpl"), unsafe_source).unwrap();
    assert_eq!(elinvar(path, &["check", "q.bpl", "--witness", "w", "-q"]).code, UNSAFE);
    assert_eq!(elinvar(path, &["verify", "q.bpl", "w"]).code, ACCEPTED);
    let text = std::fs::read_to_string(path.join("w")).unwrap();
    let mut json: Json = serde_json::from_str(&text).unwrap();
    let one = serde_json::json!({ "default": "1", "entries": [] });
    let same = serde_json::json!({ "default": "0", "entries": [[true, "1"], [false, "1"]] });
    for initial in json["initial"].as_array_mut().unwrap() {
        match initial["name"].as_str() {
            Some("x") => initial["value"] = one.clone(),
            Some("y") => initial["value"] = same.clone(),
            _ => {}
        }
    }
    json["functions"][0]["entries"] = serde_json::json!([[[one], "5"], [[same], "6"]]);
    for program in ["p.bpl", "q.bpl"] {
        std::fs::write(path.join("w"), json.to_string()).unwrap();
        let run = elinvar(path, &["verify", program, "w"]);
        assert_eq!(run.code, REFUSED, "{program}: {}", run.stdout);
    }
}

/// A division by zero may have any value, but for the same dividend always the same.
#[test]
fn divisions_by_zero_have_any_value() {
    for (assertion, code) in [
        ("x div 0 == 0", UNSAFE),
        ("x mod 0 == 0", UNSAFE),
        ("r / 0.0 == 0.0", UNSAFE),
        ("x == y ==> x div 0 == y div 0 && x mod 0 == y mod 0", SAFE),
        ("x div y * y <= x", UNSAFE),
        ("y == 0 || x div y * y <= x", SAFE),
    ] {
        let source = format!("procedure p(x: int, y: int, r: real) {{ assert {assertion}; }}");
        let run = check(&source, &[]);
        assert_eq!(run.code, code, "{assertion}: {}{}", run.stdout, run.stderr);
    }
}

/// The witness has the values of divisions by zero; without them the run is another one.
#[test]
fn witnesses_say_what_a_division_by_zero_gives() {
    let path = &folder();
    std::fs::write(path.join("p.bpl"), "procedure p(x: int) { assert x div 0 == 0; }").unwrap();
    assert_eq!(elinvar(path, &["check", "p.bpl", "--witness", "w", "-q"]).code, UNSAFE);
    assert_eq!(elinvar(path, &["verify", "p.bpl", "w"]).code, ACCEPTED);
    let text = std::fs::read_to_string(path.join("w")).unwrap();
    let mut json: Json = serde_json::from_str(&text).unwrap();
    for table in [None, Some(serde_json::json!({ "div": 3 }))] {
        let object = json.as_object_mut().unwrap();
        match table {
            None => drop(object.remove("division_by_zero").expect("it has the table")),
            Some(table) => drop(object.insert("division_by_zero".to_owned(), table)),
        }
        std::fs::write(path.join("w"), json.to_string()).unwrap();
        let run = elinvar(path, &["verify", "p.bpl", "w"]);
        assert_eq!(run.code, REFUSED, "{}", run.stdout);
    }
}

/// Squares of squares: their values have billions of bits.
#[test]
fn numbers_that_explode_end_with_the_time() {
    let squares = |step: &str, last: &str| {
        format!("procedure p(x: int) {{ var y: int; y := x; {} {last} }}", step.repeat(32))
    };
    for (step, last) in [
        ("y := y * y + x; ", "assert y >= x;"),
        ("y := y * y + x; ", "assert y != 5;"),
        ("y := y * y; ", "assert y mod 7 != 5;"),
    ] {
        let started = Instant::now();
        let run = check(&squares(step, last), &["--timeout", "1", "--memory", "500"]);
        assert!([UNKNOWN, SAFE, UNSAFE].contains(&run.code), "{}{}", run.stdout, run.stderr);
        // Much more than the limit, since tests share the machine.
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    }
}

/// The second solver is asked, and named when it does not accept.
#[test]
fn proofs_may_need_two_solvers() {
    let source = "procedure p(x: int) { assert x + 1 > x; }";
    let run = check(source, &["--smt-solver", "z3", "--smt-solver", "no-such-solver"]);
    assert_eq!(run.code, USER_ERROR, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("no-such-solver"), "{}", run.stderr);
    let run = check(source, &["--smt-solver", "z3", "--smt-solver", "false"]);
    assert_eq!(run.code, UNKNOWN, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("(solver: false)"), "{}", run.stdout);
}

#[test]
fn cvc5_confirms_proofs() {
    if Command::new("cvc5").arg("--version").output().is_err() {
        eprintln!("skipped: cvc5 is not installed");
        return;
    }
    let path = &folder();
    let solvers = ["--smt-solver", "z3", "--smt-solver", "cvc5"];
    let words = [&["check", "@double.bpl", "--certificate", "c", "-q"], &solvers[..]].concat();
    let run = elinvar(path, &words);
    assert_eq!(run.code, SAFE, "{}{}", run.stdout, run.stderr);
    let verify = [&["verify", "@double.bpl", "c"], &solvers[2..]].concat();
    assert_eq!(elinvar(path, &verify).code, ACCEPTED);
    let text = std::fs::read_to_string(path.join("c")).unwrap();
    std::fs::write(path.join("c"), text.replace("x == 2 * y", "x == 3 * y")).unwrap();
    assert_eq!(elinvar(path, &verify).code, REFUSED);
}
