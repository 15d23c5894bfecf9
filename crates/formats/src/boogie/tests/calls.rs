//! What a call checks and assumes, and which bodies are verified.

use super::*;

#[test]
fn a_call_does_not_assume_what_the_caller_does_not_show() {
    for (head, specification) in [
        ("q(x: int)", "free requires x > 3;"),
        ("q(x: int where x > 3)", ""),
        ("q(x: int)", "free requires x > 3; ensures x < 3;"),
        ("q(x: int where x > c)", "free ensures x == c - 1;"),
    ] {
        let p = "procedure p() {\ncall q(-1); assert false; }";
        let c = "const c: int; axiom c == 0; procedure";
        check(&format!("{c} {head}; {specification} {p}"), &["assert at line 2"]);
        let body = "{ assume x > 3 || x == c; }";
        let found = violated(&program(&format!("{c} {head} {specification} {body} {p}")));
        assert!(found.contains("assert at line 2"), "{head} {specification}");
    }
}

#[test]
fn a_callee_is_covered_only_where_its_assumptions_hold() {
    let source = "var g: int where g >= 0;
        procedure q() { assert g >= 0; }
        procedure p() modifies g; {\ng := -1; call q();\nassert false; }";
    check(source, &["assert at line 5"]);
    check(&source.replace("procedure p", "procedure ULTIMATE.start"), &["assert at line 2"]);
    check(&source.replace("procedure p", "procedure {:entrypoint} p"), &["assert at line 2"]);
    check(&source.replace("procedure q", "procedure {:inline 1} q"), &["assert at line 2"]);
    let nested = "procedure r(x: int) { assert x > 0; }
        procedure q(x: int) free requires x > 0; { call r2(x); }
        procedure r2(x: int) requires x > 0; { call r(x); }
        procedure p() {\ncall q(0);\nassert false; }";
    check(nested, &["assert at line 1", "assert at line 6"]);
}

#[test]
fn a_caller_may_rely_on_what_is_promised_freely() {
    for (callee, after) in [
        ("procedure q() returns (y: int) free ensures y > 0; { y := 0; }", "a > 0"),
        ("procedure q() returns (y: int where y > 0) { y := 0; }", "a > 0"),
        ("procedure q() returns (y: int) free ensures y > 0; { y := 7; }", "a == 7"),
        ("var g: int where g > 0; procedure q() returns (y: int) modifies g; { g := 0; }", "g > 0"),
    ] {
        let caller = |condition: &str| {
            let modifies = if callee.contains("modifies") { "modifies g;" } else { "" };
            format!(
                "{callee}\nprocedure p() {modifies} {{ var a: int; call a := q(); assert {condition}; }}"
            )
        };
        check(&caller(after), &[]);
        check(&caller("false"), &["assert at line 2"]);
    }
}

#[test]
fn bodies_are_used_where_their_assumptions_hold() {
    check(
        "var g: int where g >= 0; procedure inc() modifies g; free ensures g > 0; { g := g + 1; }
        procedure p(x: int where x > 2) modifies g; free requires x < 5; { g := x; call inc(); }
        procedure main() modifies g; { call p(3); assert g == 4; }",
        &[],
    );
}

#[test]
fn clauses_that_nothing_violates_need_no_second_way() {
    let source = "var g: int where g >= 0; procedure q() modifies g; { havoc g; }
        procedure p() modifies g; { call q(); assert g >= 0; }";
    let steady = program(source);
    assert_eq!(violated(&steady), BTreeSet::new());
    let shaken = program(&source.replace("havoc g;", "havoc g; g := g + 1;"));
    assert!(steady.edges.len() + 2 < shaken.edges.len());
}

#[test]
fn marked_procedures_are_checked_where_they_are_called() {
    let source = "procedure {:inline 1} q(x: int)\n{ assert x > 0; }\nprocedure p() { call q(1); }";
    check(source, &[]);
    check(&source.replace("q(1)", "q(0)"), &["assert at line 2"]);
    check(&source.replace("{:inline 1}", ""), &["assert at line 2"]);
    check(&source.replace("{:inline 1}", "{:inline 0}"), &["assert at line 2"]);
    let through = source.replace("call q(1); }", "call r(); }\nprocedure r() { call q(0); }");
    check(&through, &["assert at line 2"]);
    let unused = read_in(source.replace("call q(1);", "").as_bytes(), None).unwrap();
    assert!(unused.program.properties.is_empty());
    assert_eq!(
        unused.notes[0].message,
        "`q` is inlined but never called, so its body is not checked"
    );
    assert!(read_in(source.as_bytes(), None).unwrap().notes.is_empty());
}

#[test]
fn bodies_that_are_not_to_be_verified_are_not() {
    let source = "procedure {:verify false} q() returns (x: int) ensures x > 0;\n{ assert false; }
        procedure p() { var a: int; call a := q(); assert a > 0;\nassert a == 1; }";
    let found = program(source);
    assert_eq!(violated(&found), ["assert at line 4".to_owned()].into());
    assert!(found.edges.iter().all(|edge| edge.approximates.is_none()));
    let several = "procedure q() returns (x: int);
        implementation {:verify false} q() returns (x: int) { x := 1; assert false; }
        implementation q() returns (x: int) { x := 2; assert true; }
        procedure p() { var a: int; call a := q();\nassert a == 2; }";
    let found = program(several);
    assert_eq!(found.properties.len(), 2);
    assert_eq!(violated(&found), ["assert at line 5".to_owned()].into());
}

#[test]
fn recursive_callees_of_the_start_assume_only_what_is_checked() {
    let source = "var g: int where g > 0;
        procedure f(n: int where n > 0) modifies g; free requires n > 0; free ensures g > 0;
        {\nassert n > 0;\nassert g > 0;\ng := -1; if (n > 9) { call f(n); n0: } n1: }
        procedure ULTIMATE.start() modifies g; { call f(0);\nassert g > 0; }";
    let found = program(&source.replace("n0: }", "n0: g := g; }"));
    let names = ["assert at line 4", "assert at line 5", "assert at line 8"];
    assert_eq!(violated(&found), names.map(str::to_owned).into());
}

#[test]
fn tail_calls_that_break_an_assumption_go_by_the_contract() {
    let source = "procedure f(n: int) free requires n > 0; {\nassert n > 0; if (n > -3) { call f(n - 1); } }";
    check(source, &[]);
    check(&source.replace("free requires n > 0;", ""), &["assert at line 2"]);
}

#[test]
fn paths_to_bodies_are_known() {
    let source = "const c: int; axiom c > 0; procedure q(x: int) { }
        procedure p(x: int where x > 1) requires x < c; { assert true; }";
    let reading = read_in(source.as_bytes(), None).unwrap();
    let paths: Vec<(&str, usize)> =
        reading.entries.iter().map(|entry| (&entry.procedure[..], entry.path.len())).collect();
    assert_eq!(paths, [("q", 2), ("p", 3)]);
    for entry in &reading.entries {
        let mut at = reading.program.entry;
        for &edge in &entry.path {
            let edge = reading.program.edge(edge);
            assert_eq!(edge.from, at);
            at = edge.to;
        }
    }
}
