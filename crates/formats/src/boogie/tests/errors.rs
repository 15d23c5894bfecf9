use super::*;

/// The error's message, and the text that it points at.
fn refused(source: &str) -> (String, String) {
    let error = read(source.as_bytes()).expect_err(source);
    (error.message, source[error.span].to_owned())
}

#[test]
fn errors_say_what_and_where() {
    crate::annotated::check("boogie.txt", read);
}

#[test]
fn invalid_utf_8_is_refused() {
    assert_eq!(read(b"var \xff").unwrap_err().span, 4..5);
}

#[test]
fn help_says_how_to_fix_errors() {
    let help = |source: &str| read(source.as_bytes()).unwrap_err().help.unwrap();
    assert_eq!(help("procedure p() { var x: real; x := 1; }"), "convert it with `real(…)`");
    let missing = help("var g: int; procedure p() { g := 1; }");
    assert_eq!(missing, "add `modifies g;` to the procedure `p`");
}

const SAMPLE: &str = "type P = { base: int, offset: int }; type ref; const unique null: ref;
    var g: int where g > 0; var m: [P][int]real;
    function {:inline} f(x: int, y: bool) returns (int) { if y then x else -x }
    function u(ref): bv8; axiom (forall r: ref :: { u(r) } u(r)[8:4] == 0bv4);
    procedure q(a: int) returns (b: int); requires a > 0; modifies g; ensures b == old(g);
    procedure p(a: int) returns (b: int) modifies g; free ensures b >= 0; {
        var x, y: int; var s: P; var r: ref;
        L: while (*) invariant x <= y + 1 ==> true; { x, y := y, f(x, x == y); if (x < 3) { break; } }
        s := { base: 1, offset: x div 2 }; m[s][3] := 1.5; s!base := 7;
        assert u(r) ++ 1bv8 != 0bv16 || (exists i: int :: i == x) ==> false;
        call b := q(a); havoc x; goto L, E; E: assume x mod 2 == 1; return;
    }";

#[test]
fn truncated_and_damaged_programs_are_errors_at_most() {
    let _ = read(SAMPLE.as_bytes());
    for end in 0..SAMPLE.len() {
        let _ = read(&SAMPLE.as_bytes()[..end]);
    }
    let mut random = Random(7);
    for _ in 0..3000 {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = b"(){}[]<>!=:;,+-*/0ax"[random.below(20)],
                _ => bytes.insert(at, bytes[random.below(bytes.len())]),
            }
        }
        if let Err(error) = read(&bytes) {
            assert!(error.span.start <= error.span.end && error.span.end <= bytes.len());
        }
    }
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    let deep = |open: &str, close: &str, count: usize| {
        format!(
            "procedure p(a: [int]int) {{ assert {}1{} == 1; }}",
            open.repeat(count),
            close.repeat(count)
        )
    };
    for (open, close) in
        [("(", ")"), ("a[", "]"), ("-", ""), ("(1 + 2 * ", ")"), ("a[0 := ", "][0]")]
    {
        assert!(read(deep(open, close, 60).as_bytes()).is_ok(), "{open}");
        let error = read(deep(open, close, 100_000).as_bytes()).unwrap_err();
        assert_eq!(error.message, "this is nested too deeply");
    }
    let blocks = format!("procedure p() {{ {}{} }}", "if (*) {".repeat(5000), "}".repeat(5000));
    assert_eq!(read(blocks.as_bytes()).unwrap_err().message, "this is nested too deeply");
    for chain in ["x > 0 && ", "x > 0 || ", "x > 0 ==> ", "b <==> "] {
        let long = format!("procedure p(x: int, b: bool) {{ assert {}b; }}", chain.repeat(10_000));
        assert!(read(long.as_bytes()).is_ok(), "{chain}");
    }
    let names: Vec<String> = (0..5000).map(|number| format!("x{number}")).collect();
    let (all, sum) = (names.join(", "), names.join(" + "));
    let long = format!("procedure p() {{ var {all}: int; assert {sum} == 0; }}");
    assert!(read(long.as_bytes()).is_ok());
    let branches = format!("procedure p() {{ {} {{ }} }}", "if (*) { } else ".repeat(10_000));
    assert!(read(branches.as_bytes()).is_ok());
    let choices = format!(
        "procedure p(x: int) {{ assert {} true; }}",
        "if x > 0 then false else ".repeat(10_000)
    );
    assert!(read(choices.as_bytes()).is_ok());
}

#[test]
fn calls_that_double_are_not_all_inlined() {
    let mut source = "procedure p0(x: int) { assert x == x; }\n".to_owned();
    for number in 1..40 {
        let callee = number - 1;
        source +=
            &format!("procedure p{number}(x: int) {{ call p{callee}(x); call p{callee}(x); }}\n");
    }
    let found = program(&source);
    assert!(found.edges.len() < 200_000, "{}", found.edges.len());
    assert!(found.edges.iter().any(|edge| edge.approximates.is_some()));
    assert_eq!(found.properties.len(), 1);
}

#[test]
fn functions_that_double_are_shared() {
    let mut source = "function f0(x: int): int { x + 1 }\n".to_owned();
    for number in 1..60 {
        let inner = number - 1;
        source += &format!(
            "function f{number}(x: int): int {{ if x > 0 then f{inner}(x) else f{inner}(f{inner}(0)) }}\n"
        );
    }
    source += "procedure p(x: int) { assert f59(x) > 0; }";
    assert_eq!(program(&source).properties.len(), 1);
}

#[test]
fn types_that_double_are_refused() {
    let mut source = "type t0 = int;\n".to_owned();
    for number in 1..30 {
        let inner = number - 1;
        source += &format!("type t{number} = {{ a: t{inner}, b: t{inner} }};\n");
    }
    source += "var x: t29;";
    assert_eq!(refused(&source).0, "this type is too large");
}
