//! Programs: evidence in files, reports for programs, and what is known in part.

use super::*;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writable");
}

fn report(folder: &Path, words: &[&str]) -> (u8, Json) {
    let words = [&["check"], words, &["--json"]].concat();
    let run = elinvar(folder, &words);
    let json = serde_json::from_str(&run.stdout);
    (run.code, json.unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr)))
}

#[test]
fn proofs_are_written_and_judged() {
    let folder = folder();
    let path = folder.path();
    let check = ["check", "@double.bpl", "--certificate", "c", "--quiet"];
    assert_eq!(elinvar(path, &check).code, SAFE);
    let verify = ["verify", "@double.bpl", "c"];
    assert_eq!(elinvar(path, &verify).code, ACCEPTED);
    let text = std::fs::read_to_string(path.join("c")).unwrap();
    assert!(text.contains("invariant x == 2 * y\n"), "{text}");
    for (edited, reason) in [
        (text.replace("x == 2 * y", "x == 3 * y"), "does not follow"),
        (text.replace("invariant", "; invariant"), "does not exclude"),
        (text.replace("x == 2 * y", "x == 2 * z"), "error: "),
        (text.replace("assert at line", "nothing at line"), "there is no property"),
    ] {
        write(path, "c", &edited);
        let run = elinvar(path, &verify);
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
    let folder = folder();
    let path = folder.path();
    let check = ["check", "@overdraft.bpl", "--witness", "w", "--quiet"];
    assert_eq!(elinvar(path, &check).code, UNSAFE);
    let verify = ["verify", "@overdraft.bpl", "w"];
    let run = elinvar(path, &verify);
    assert!(
        run.stdout.starts_with("accepted\nThe run shows that assert at line"),
        "{}",
        run.stdout
    );
    let text = std::fs::read_to_string(path.join("w")).unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
    let mut shorter = json.clone();
    shorter["steps"].as_array_mut().unwrap().pop();
    let mut other = json.clone();
    other["initial"][0]["value"] = "12345".into();
    let mut wrong = json;
    wrong["initial"][0]["value"] = true.into();
    for edited in [shorter, other, wrong] {
        write(path, "w", &edited.to_string());
        let run = elinvar(path, &verify);
        assert_eq!(run.code, REFUSED, "{}", run.stdout);
    }
    write(path, "w", &text[..text.len() / 2]);
    assert_eq!(elinvar(path, &verify).code, REFUSED);
}

#[test]
fn reports_have_lines_clauses_and_values() {
    let folder = folder();
    let (code, json) = report(folder.path(), &["@double.bpl"]);
    let property = &json["properties"][0];
    assert_eq!((code, &json["engine"], &property["kind"]), (SAFE, &"cfg".into(), &"assert".into()));
    assert_eq!(property["certificate"]["kind"], "locations");
    let invariant = &property["invariant"][0];
    assert_eq!(invariant["text"], "while (y < n)");
    assert!(invariant["clauses"].as_array().unwrap().contains(&"x == 2 * y".into()), "{invariant}");
    let (code, json) = report(folder.path(), &["@overdraft.bpl"]);
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
    let folder = folder();
    let path = folder.path();
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
    let folder = folder();
    let path = folder.path();
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
        assert_eq!(elinvar(folder.path(), &convert).code, 0);
        let output = Command::new("z3").current_dir(&folder).arg("clauses.smt2").output();
        assert_eq!(String::from_utf8(output.expect("z3 is installed").stdout).unwrap(), answer);
    }
}
