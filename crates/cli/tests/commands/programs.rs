//! Programs: evidence in files, reports for programs, and what is known in part.

use super::*;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writable");
}

/// Decides a program, has its evidence verified, and returns the text of the evidence with
/// the answer of `verify`.
fn verified(folder: &Path, name: &str, option: &str, code: u8) -> (String, Run) {
    let run = elinvar(folder, &["check", name, option, "e", "--quiet"]);
    assert_eq!(run.code, code, "{}", run.stderr);
    let text = std::fs::read_to_string(folder.join("e")).expect("evidence was written");
    let run = elinvar(folder, &["verify", name, "e"]);
    assert_eq!(run.code, ACCEPTED, "{}", run.stdout);
    (text, run)
}

#[test]
fn proofs_are_written_and_judged() {
    let path = &folder();
    let (text, _) = verified(path, "@double.bpl", "--certificate", SAFE);
    assert!(text.contains("invariant x == 2 * y\n"), "{text}");
    for (edited, reason) in [
        (text.replace("x == 2 * y", "x == 3 * y"), "does not follow"),
        (text.replace("invariant", "; invariant"), "does not exclude"),
        (text.replace("x == 2 * y", "x == 2 * z"), "error: "),
        (text.replace("assert at line", "nothing at line"), "there is no property"),
    ] {
        write(path, "e", &edited);
        let run = elinvar(path, &["verify", "@double.bpl", "e"]);
        assert_eq!(run.code, REFUSED, "{}", run.stdout);
        assert!(
            run.stdout.starts_with("refused\n") && run.stdout.contains(reason),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn runs_are_written_and_judged() {
    let path = &folder();
    let (text, run) = verified(path, "@overdraft.bpl", "--witness", UNSAFE);
    assert!(
        run.stdout.starts_with("accepted\nThe run shows that assert at line"),
        "{}",
        run.stdout
    );
    let json: Json = serde_json::from_str(&text).unwrap();
    let mut shorter = json.clone();
    shorter["steps"].as_array_mut().unwrap().pop();
    let mut other = json.clone();
    other["initial"][0]["value"] = "12345".into();
    let mut wrong = json;
    wrong["initial"][0]["value"] = true.into();
    let cut = text[..text.len() / 2].to_owned();
    for edited in [shorter.to_string(), other.to_string(), wrong.to_string(), cut] {
        write(path, "e", &edited);
        let run = elinvar(path, &["verify", "@overdraft.bpl", "e"]);
        assert_eq!(run.code, REFUSED, "{}", run.stdout);
    }
}

#[test]
fn reports_have_lines_clauses_and_values() {
    let folder = folder();
    let (code, json) = report(&folder, &["@double.bpl"]);
    let property = &json["properties"][0];
    assert_eq!((code, &json["engine"], &property["kind"]), (SAFE, &"cfg".into(), &"assert".into()));
    assert_eq!(property["certificate"]["kind"], "locations");
    let invariant = &property["invariant"][0];
    assert_eq!(invariant["text"], "while (y < n)");
    assert!(invariant["clauses"].as_array().unwrap().contains(&"x == 2 * y".into()), "{invariant}");
    let (code, json) = report(&folder, &["@overdraft.bpl"]);
    let property = &json["properties"][0];
    assert_eq!((code, &json["verdict"]), (UNSAFE, &"unsafe".into()));
    let trace = property["trace"].as_array().unwrap();
    assert!(trace[0]["line"].is_null() && trace[0]["values"]["fee"] == 1, "{}", trace[0]);
    let last = trace.last().unwrap();
    assert_eq!((&last["line"], &last["text"]), (&property["line"], &"assert balance >= 0".into()));
}

/// Several properties have a verdict each, and a file each.
#[test]
fn every_assertion_is_decided() {
    let path = &folder();
    let text = "procedure p(n: int) {\n  var i: int;\n  i := 0;\n  while (i < n) {\n    i := i + 1;\n\
                \x20   assert i > 0;\n  }\n  assert i != 3;\n}\n";
    write(path, "p.bpl", text);
    let (code, json) = report(path, &["p.bpl", "--witness", "w.json", "--certificate", "c.txt"]);
    let verdicts: Vec<&Json> =
        json["properties"].as_array().unwrap().iter().map(|p| &p["verdict"]).collect();
    assert_eq!((code, verdicts), (UNSAFE, vec![&"safe".into(), &"unsafe".into()]));
    assert!(path.join("c.0.txt").is_file() && path.join("w.1.json").is_file());
    assert_eq!(elinvar(path, &["verify", "p.bpl", "c.0.txt"]).code, ACCEPTED);
    assert_eq!(elinvar(path, &["verify", "p.bpl", "w.1.json"]).code, ACCEPTED);
    let one = elinvar(path, &["check", "p.bpl", "--property", "assert at line 6", "-q"]);
    assert_eq!(one.code, SAFE);
}

/// A counterexample through what is known in part shows nothing.
#[test]
fn doubtful_runs_are_unknown() {
    let path = &folder();
    let text = "function {:overapproximation \"xor\"} f(x: int) returns (int);\n\
                procedure p(n: int) { assert f(n) == n; }\n";
    write(path, "p.bpl", text);
    let (code, json) = report(path, &["p.bpl"]);
    let reason = json["properties"][0]["reason"].as_str().unwrap_or_default();
    assert_eq!((code, &json["verdict"]), (UNKNOWN, &"unknown".into()));
    assert!(reason.contains("the function f only approximates"), "{reason}");
}

/// The clauses of the examples have a solution exactly if the program is safe.
#[test]
fn spacer_agrees() {
    let folder = folder();
    for (name, answer) in [("double", "sat\n"), ("overdraft", "unsat\n")] {
        let program = format!("@{name}.bpl");
        let convert = ["convert", &program, "-o", "clauses.smt2"];
        assert_eq!(elinvar(&folder, &convert).code, 0);
        let output = Command::new("z3").current_dir(&folder).arg("clauses.smt2").output();
        assert_eq!(String::from_utf8(output.expect("z3 is installed").stdout).unwrap(), answer);
    }
}

/// A program without a property has no verdict, whatever the reason.
#[test]
fn a_program_without_a_property_is_an_error() {
    let path = &folder();
    for (text, note) in [
        ("// nothing\n", ""),
        ("var g: int;\n", ""),
        ("procedure p() { /* /* */ assert false; // */\n}\n", ""),
        ("procedure {:inline 1} p(x: int) { assert x > 0; }\n", "inlined but never called"),
        ("procedure {:verify false} p() { assert false; }\n", "`p` has {:verify false}"),
    ] {
        write(path, "p.bpl", text);
        let run = elinvar(path, &["check", "p.bpl"]);
        assert_eq!((run.code, &run.stdout[..]), (USER_ERROR, ""), "{text}");
        assert!(run.stderr.ends_with("the program has no property to check\n"), "{}", run.stderr);
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
}

/// The dialect is chosen, found in the text, and reported.
#[test]
fn dialects_are_chosen_and_reported() {
    let path = &folder();
    write(path, "p.bpl", "procedure p() {\n  assert 3 / 2 == 1 / 1;\n}\n");
    write(path, "u.bpl", "//#Unsafe\nprocedure p() {\n  assert 3 / 2 == 1 / 1;\n}\n");
    for (words, code, dialect) in [
        (&["p.bpl"][..], UNSAFE, "boogie"),
        (&["p.bpl", "--dialect", "ultimate"], SAFE, "ultimate"),
        (&["u.bpl"], SAFE, "ultimate"),
        (&["u.bpl", "--dialect", "boogie"], UNSAFE, "boogie"),
    ] {
        let (found, json) = report(path, words);
        assert_eq!((found, &json["dialect"]), (code, &dialect.into()), "{words:?}");
    }
    let text = elinvar(path, &["check", "u.bpl"]).stdout;
    assert!(text.contains("\ncfg, dialect ultimate, "), "{text}");
    let check = ["check", "p.bpl", "--dialect", "ultimate", "--certificate", "c", "--quiet"];
    assert_eq!(elinvar(path, &check).code, SAFE);
    assert_eq!(elinvar(path, &["verify", "p.bpl", "c", "--dialect", "ultimate"]).code, ACCEPTED);
    assert_eq!(elinvar(path, &["verify", "p.bpl", "c"]).code, REFUSED);
    let model = elinvar(path, &["check", "@counter.aag", "--dialect", "boogie"]);
    assert_eq!(model.code, USER_ERROR);
    assert!(model.stderr.contains("a dialect applies only to programs"), "{}", model.stderr);
}

/// A quotient that Boogie has no type for is pointed out.
#[test]
fn quotients_of_integers_have_a_note() {
    let path = &folder();
    write(
        path,
        "p.bpl",
        "procedure p(x: int) {\n  var y: int;\n  y := x / 2;\n  assert 2 * y <= x;\n}\n",
    );
    let run = elinvar(path, &["check", "p.bpl"]);
    assert_eq!(run.code, SAFE);
    assert!(run.stderr.starts_with("p.bpl:3: note: `/` divides integers here"), "{}", run.stderr);
    assert_eq!(elinvar(path, &["check", "p.bpl", "--quiet"]).stderr, "");
}

/// What holds because nothing can enter the procedure is told apart.
#[test]
fn contradictory_preconditions_are_vacuous() {
    let path = &folder();
    for (text, vacuous) in [
        ("procedure p(x: int) requires x > 0; requires x < 0; { assert false; }", [true, false]),
        ("procedure p(x: int where x > 0) free requires x < 0; { assert false; }", [true, false]),
        (
            "const c: int; axiom c < 0; procedure p() requires c > 0; { assert false; }",
            [true, false],
        ),
        ("procedure p(x: int) requires x > 0; { assume x < 0; assert false; }", [false, false]),
        ("procedure p(x: int) requires x > 0; { assert x > 0; }", [false, false]),
        ("procedure p(x: int) requires x != x; { while (x > 0) { } assert false; }", [true, false]),
        ("axiom false; procedure p() { assert true; }", [true, true]),
    ] {
        write(path, "p.bpl", &format!("{text}\nprocedure q() {{ assert true; }}\n"));
        let (code, json) = report(path, &["p.bpl"]);
        let found: Vec<&Json> =
            json["properties"].as_array().unwrap().iter().map(|p| &p["vacuous"]).collect();
        assert_eq!((code, found), (SAFE, vec![&vacuous[0].into(), &vacuous[1].into()]), "{text}");
        let report = elinvar(path, &["check", "p.bpl"]).stdout;
        // If everything is vacuous, the first line says so.
        let prefix = if vacuous[1] { "safe, vacuously: " } else { "\nvacuous: " };
        let cause = "the preconditions of procedure p contradict each other";
        assert_eq!(report.contains(&format!("{prefix}{cause}")), vacuous[0], "{report}");
    }
    write(path, "p.bpl", "procedure p(x: int) { assert x > 0; }\n");
    assert_eq!(report(path, &["p.bpl"]).1["properties"][0]["vacuous"], false);
}

/// Assertions that no run reaches: because of an assumption they are vacuous, otherwise that is
/// a remark.
#[test]
fn assertions_that_no_run_reaches_are_told_apart() {
    let path = &folder();
    let dead = |line| format!("safe, vacuously: no run satisfies the assumption at p.bpl:{line}\n");
    let note = "\nnote: no run reaches this assertion\n";
    for (text, kind, expected) in [
        (
            "procedure p(x: int) requires x > 0;\n{\n  assume x < 0;\n  assert x == 7; }",
            Some("dead assumptions"),
            dead(3),
        ),
        // The contradiction is one with what the loop has computed.
        (
            "procedure p() { var i: int; i := 0;\n  while (i < 9) { i := i + 1; }\n  assume i != 9;\n\
             \x20 assert i == 7; }",
            Some("dead assumptions"),
            dead(3),
        ),
        (
            "procedure p(x: int) { if (x > 0) { if (x < 0) { assert x == 7; } } }",
            Some("unreached"),
            note.into(),
        ),
        // The branches of an `if` without structure.
        (
            "procedure p(x: int) { assume x > 0; goto A, B; A: assume x < 0; assert x == 7; return; \
             B: return; }",
            Some("unreached"),
            note.into(),
        ),
        // What is reached, and what says itself that it is not.
        ("procedure p(x: int) { assume x == 4711; assert x > 7; }", None, "safe\n".into()),
        (
            "procedure p(x: int) requires x > 0; { assume x < 0; assert false; }",
            None,
            "safe\n".into(),
        ),
        ("procedure p(x: int) { if (x > 0 && x < 0) { assert false; } }", None, "safe\n".into()),
    ] {
        write(path, "p.bpl", text);
        let (code, json) = report(path, &["p.bpl"]);
        let property = &json["properties"][0];
        let found = property.get("vacuity").map(|vacuity| &vacuity["kind"]);
        assert_eq!((code, found), (SAFE, kind.map(Json::from).as_ref()), "{text}");
        assert_eq!(property["vacuous"], kind == Some("dead assumptions"), "{text}");
        let text = elinvar(path, &["check", "p.bpl"]).stdout;
        assert!(text.contains(&expected), "{text}");
        assert_eq!(text.contains("note: "), kind == Some("unreached"), "{text}");
        let strict = elinvar(path, &["check", "p.bpl", "--strict"]).code;
        assert_eq!(strict, if kind == Some("dead assumptions") { UNKNOWN } else { SAFE });
    }
}

/// Loop invariants that suffice are not searched for.
#[test]
fn given_invariants_are_tried_first() {
    let path = &folder();
    let text = "procedure Sum(n: int) returns (s: int) requires n >= 0; ensures 2 * s == n * (n + 1);\n\
                {\n  var i: int;\n  s := 0; i := 0;\n  while (i < n)\n    invariant 0 <= i && i <= n;\n\
                \x20   invariant 2 * s == i * (i + 1);\n  { i := i + 1; s := s + i; }\n}\n";
    write(path, "p.bpl", text);
    for more in [&[] as &[&str], &["--trace-abstraction"]] {
        let (code, json) = report(path, &[&["p.bpl", "--timeout", "4"], more].concat());
        assert_eq!(code, SAFE, "{json}");
        assert_eq!(json["properties"][0]["certificate"]["clauses"], 0);
    }
}

/// Programs whose invariants have operators on words, names of several procedures, old
/// values, functions without parameters, and the division of Ultimate.
const TO_PASTE: [&str; 5] = [
    "procedure p(n: bv8)\n{\n  var i: bv8;\n  i := 0bv8;\n  while (bvult(i, n))\n  {\n    \
     i := bvadd(i, 1bv8);\n  }\n  assert i == n;\n}\n",
    "function limit() returns (int);\nvar g: int;\n\
     procedure p(n: int) modifies g; requires limit() > 0;\n{\n  var i: int;\n  i := 0;\n  \
     while (i < limit())\n  {\n    i := i + 1;\n    g := g + 1;\n  }\n  \
     assert g == old(g) + i && i == limit();\n}\n\
     procedure q(n: int) modifies g; requires n >= 0;\n{\n  var i: int;\n  i := 0;\n  \
     while (i < n)\n  {\n    i := i + 1;\n    g := g + 2;\n  }\n  assert g == old(g) + 2 * n;\n}\n",
    "//#Safe\nprocedure p(n: int)\n{\n  var i, j: int;\n  assume n >= 0;\n  i, j := 0, 0;\n  \
     while (i < n)\n  {\n    i := i + 1;\n    j := j + 2;\n  }\n  \
     assert j / 2 == n && j % 2 == 0;\n}\n",
    "procedure p()\n{\n  var x: bv8;\n  x := 1bv8;\n  while (*)\n  {\n    \
     x := bvor(bvshl(x, 1bv8), bvlshr(x, 7bv8));\n  }\n  assert bvand(x, bvsub(x, 1bv8)) == 0bv8;\n}\n",
    "function {:bvbuiltin \"bvadd\"} $add(x: bv16, y: bv16) returns (bv16);\n\
     function {:bvbuiltin \"bvsub\"} $sub(x: bv16, y: bv16) returns (bv16);\n\
     function {:bvbuiltin \"bvule\"} $ule(x: bv16, y: bv16) returns (bool);\n\
     procedure main()\n{\n  var head, tail: bv16;\n  head, tail := 0bv16, 0bv16;\n  while (*)\n  {\n    \
     if (*) { if ($sub(head, tail) != 8bv16) { head := $add(head, 1bv16); } }\n    \
     else { if (head != tail) { tail := $add(tail, 1bv16); } }\n    \
     assert $ule($sub(head, tail), 8bv16);\n  }\n}\n",
];

/// The invariants that are printed are invariants of the program that they are pasted into.
#[test]
fn printed_invariants_can_be_pasted() {
    let path = &folder();
    for text in TO_PASTE {
        write(path, "p.bpl", text);
        let (code, json) = report(path, &["p.bpl"]);
        assert_eq!(code, SAFE, "{text}");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut pasted = 0;
        for property in json["properties"].as_array().unwrap() {
            for loop_head in property["invariant"].as_array().unwrap() {
                let line = loop_head["line"].as_u64().unwrap() as usize;
                for clause in loop_head["clauses"].as_array().unwrap() {
                    lines[line - 1] += &format!(" invariant {};", clause.as_str().unwrap());
                    pasted += 1;
                }
            }
        }
        assert!(pasted > 0, "{text}");
        write(path, "p.bpl", &lines.join("\n"));
        let run = elinvar(path, &["check", "p.bpl"]);
        assert_eq!(run.code, SAFE, "{}\n{}{}", lines.join("\n"), run.stdout, run.stderr);
        let (_, json) = report(path, &["p.bpl"]);
        for property in json["properties"].as_array().unwrap() {
            assert_eq!(property["certificate"]["clauses"], 0, "{property}");
        }
    }
}

/// Engines for transition systems report programs by source lines and variables, and their
/// evidence is about the program.
#[test]
fn engines_for_systems_report_the_program() {
    let path = &folder();
    let text = "procedure p(n: bv4)\n{\n  var i: bv4;\n  i := 0bv4;\n  while (bvult(i, n))\n  {\n    \
                i := bvadd(i, 1bv4);\n  }\n  assert !bvult(n, i);\n  assert i != 3bv4;\n}\n";
    write(path, "p.bpl", text);
    for engine in ["pdr", "avy", "words", "itp"] {
        let files = ["--witness", "w.json", "--certificate", "c.txt"];
        let (code, json) = report(path, &[&["p.bpl", "--engine", engine], &files[..]].concat());
        assert_eq!(code, UNSAFE, "{engine:?}: {json}");
        let [safe, failing] = [0, 1].map(|number| &json["properties"][number]);
        assert_eq!(
            (&safe["location"]["line"], &failing["location"]["line"]),
            (&9.into(), &10.into())
        );
        assert_eq!(safe["certificate"]["kind"], "locations", "{engine:?}");
        assert_eq!(safe["invariant"][0]["line"], 5, "{engine:?}: {safe}");
        let rows = failing["trace"].as_array().expect("a run");
        assert!(rows.iter().any(|row| row["text"] == "i := bvadd(i, 1bv4)"), "{rows:?}");
        for file in ["w.1.json", "c.0.txt"] {
            assert_eq!(elinvar(path, &["verify", "p.bpl", file]).code, ACCEPTED, "{file}");
        }
    }
}
