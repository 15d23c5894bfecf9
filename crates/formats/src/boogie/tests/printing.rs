use super::*;

const DECLARATIONS: &str = "type P = { base: int, offset: int }; type ref;
    function f(x: int, y: int): int;
    function {:bvbuiltin \"bvadd\"} add(x, y: bv8): bv8;
    function {:bvbuiltin \"bvor\"} or(x, y: bv8): bv8;
    function {:bvbuiltin \"bvule\"} ule(x, y: bv8): bool;
    function {:bvbuiltin \"sign_extend 8\"} sext(x: bv8): bv16;
    function {:bvbuiltin \"zero_extend 8\"} zext(x: bv8): bv16;
    var g: int;
    procedure p(x, y, z: int, a, b, c: bool, r, s: real, m: [int]int, n: [int,int]int,
        u, v: bv8, q: P, k, l: ref) modifies g;";

/// The term of an expression, in a program with some variables.
fn term(text: &str) -> (Program, Term) {
    let ty = if text.contains("++") || text.starts_with("zext") || text.starts_with("sext") {
        "bv16"
    } else {
        "bool"
    };
    let found = program(&format!(
        "{DECLARATIONS} {{ }} procedure q0() {{ }} {}",
        "implementation p(x, y, z: int, a, b, c: bool, r, s: real, m: [int]int, n: [int,int]int, u, v: bv8, q: P, k, l: ref) { var found: TY; found := EXPR; assume found == found; }"
            .replace("TY", ty)
            .replace("EXPR", text)
    ));
    let value = found.edges.iter().find_map(|edge| match &edge.statement {
        Statement::Assign(assignments) if found.terms.name(assignments[0].0) == "found" => {
            Some(assignments[0].1)
        }
        Statement::Assign(_) | Statement::Assume(_) | Statement::Havoc(_) => None,
    });
    let value = value.expect("the expression is assigned");
    (found, value)
}

#[test]
fn terms_are_written_as_people_would() {
    for (text, written) in [
        ("x <= y + 3", "x <= y + 3"),
        ("x - y <= -3", "x + 3 <= y"),
        ("x < y", "x < y"),
        ("x >= 5", "x >= 5"),
        ("!(x <= 5)", "x >= 6"),
        ("0 - x - y <= 4", "x + y >= -4"),
        ("x == y", "x == y"),
        ("x - 2 * y == 7", "x == 2 * y + 7"),
        ("x == 2 * y - 7", "x + 7 == 2 * y"),
        ("x != 3", "x != 3"),
        ("x mod 2 == 1", "x mod 2 == 1"),
        ("(x + y) div 3 - z <= 0", "(x + y) div 3 <= z"),
        ("x * y <= z", "x * y <= z"),
        ("2 * (x * y) <= 3 * z + 1", "2 * x * y <= 3 * z + 1"),
        ("a && (b || c)", "a && (b || c)"),
        ("(a && b) || c", "(a && b) || c"),
        ("!a || b", "!a || b"),
        ("!(a && b)", "!(a && b)"),
        ("a <==> b || c", "a <==> b || c"),
        ("m[x + 1] == n[x, y]", "m[x + 1] == n[x, y]"),
        ("m[x := 5] == m", "m == m[x := 5]"),
        ("n[x, y := 2] == n", "n == n[x, y := 2]"),
        ("f(x, -1) > 0", "f(x, -1) >= 1"),
        ("(if a then x else y) <= z", "(if a then x else y) <= z"),
        ("r < 0.5", "r < 0.5"),
        ("r <= s + 1.0 / 3.0", "r <= s + 1.0 / 3.0"),
        ("r / s <= 2.25", "r / s <= 2.25"),
        ("int(r) <= x", "int(r) <= x"),
        ("u == 5bv8", "u == 5bv8"),
        ("add(u, 1bv8) == v", "bvadd(u, 1bv8) == v"),
        ("ule(or(u, v), v)", "bvuge(v, bvor(u, v))"),
        ("u ++ v", "u ++ v"),
        ("zext(u)", "0bv8 ++ u"),
        ("sext(u)", "sign_extend_8(u)"),
        ("u[4:0] == 3bv4", "u[4:0] == 3bv4"),
        ("q!base <= g", "q!base <= g"),
        ("k != l", "k != l"),
    ] {
        let (found, value) = term(text);
        let shown = expression(&found.terms, value, Dialect::Boogie);
        assert_eq!(shown, written, "{text}");
    }
    let (found, value) = term("x div 2 + x % 3 <= 7");
    assert_eq!(expression(&found.terms, value, Dialect::Ultimate), "x / 2 + x % 3 <= 7");
    assert_eq!(expression(&found.terms, value, Dialect::Boogie), "x div 2 + x mod 3 <= 7");
}

#[test]
fn what_is_written_is_read_back() {
    for text in [
        "x - y - z <= -3 && -x + 2 * y >= 7 || x != -4",
        "x div y mod z - x * (y div z) * 2 >= x mod (y + 1) * -3",
        "(if x > 0 then -x else -(x * y)) - (if a then 1 else 2) <= f(-x, -3 - y)",
        "!(a <==> b <==> (c ==> a)) && !(!a && !b)",
        "(r / s) / 3.0 - 0.125 * r < 7.5 - s * r && real(x) <= r && int(r + s) == 2",
        "m[x := m[y] + 1][y := 3][z] == n[x, y := n[y, x]][z, x]",
        "u[8:4] ++ v[4:0] ++ u",
        "sext(add(or(u, v), 3bv8))",
        "!ule(u, v) && ule(v, or(u, 1bv8)) && u != v",
        "q!base == q!offset + g && q == { base: x, offset: y }",
        "(if a then k else l) == k",
        "-2 * x - 3 * y <= z - 4 * (x * z) - 1",
    ] {
        for dialect in [Dialect::Boogie, Dialect::Ultimate] {
            let (found, value) = term(text);
            let shown = expression(&found.terms, value, dialect);
            let mut terms = found.terms.clone();
            let read = read_expression(&mut terms, &found.variables, &shown)
                .unwrap_or_else(|error| panic!("{error} at {:?} of {shown}", error.span));
            let again = expression(&terms, read, dialect);
            assert_eq!(read, value, "{text} became {shown}, read as {again}");
        }
    }
}

#[test]
fn operators_on_words_need_no_declaration() {
    check_body(
        "assert bvadd(250bv8, 10bv8) == 4bv8 && bvsge(0bv8, 255bv8) && bvuge(255bv8, 0bv8);
        assert sign_extend_8(255bv8) == 65535bv16 && bvrol(18bv8, 4bv8) == 33bv8;
        assert bvcomp(1bv8, 1bv8) == 1bv1 && bvror(bvnot(1bv4), 1bv4) == 7bv4;",
        &[],
    );
    check(
        "function bvadd(x: bv8, y: bv8): bv8 { x } procedure p() { assert bvadd(1bv8, 1bv8) == 1bv8; }",
        &[],
    );
    for (source, message) in [
        ("assert bvadd(1bv8, 2bv4) == 1bv8;", "`bvadd` cannot be applied to bv8, bv4"),
        ("assert bvadd(1, 2) == 3;", "`bvadd` cannot be applied to int, int"),
        ("assert bvadd() == 3;", "`bvadd` cannot be applied to "),
        ("assert zero_extend(1bv8) == 1bv8;", "the function `zero_extend` is not declared"),
        (
            "assert sign_extend_99999999999(1bv8) == 1bv8;",
            "the function `sign_extend_99999999999` is not declared",
        ),
        ("assert bvfoo(1bv8) == 1bv8;", "the function `bvfoo` is not declared"),
    ] {
        let error = read(format!("procedure p() {{ {source} }}").as_bytes()).unwrap_err();
        assert_eq!(error.message, message);
    }
}

#[test]
fn names_are_read_as_they_are_printed() {
    let source = "var g: int; function c(): int;
        procedure p() modifies g; ensures g > old(g); { var x: int; x := c(); assert X; g := 1 + g; }
        procedure q() modifies g; ensures g > old(g); { var x: int; x := 2; assert Y; g := 1 + g; }";
    check(
        &source.replace('X', "p.x == c && old(g) == g").replace('Y', "q.x == 2 && q.old.g == g"),
        &[],
    );
    for wrong in ["q.x == 2", "p.y == 2", "q.old.g == g", "p.old.x == 2"] {
        let source = source.replace('X', wrong).replace('Y', "true");
        assert!(read(source.as_bytes()).unwrap_err().message.ends_with("is not declared"));
    }
}

#[test]
fn old_values_are_read_back() {
    let found = program("var g: int; procedure p() modifies g; ensures g == old(g) + 1; { }");
    let mut terms = found.terms.clone();
    let term = read_expression(&mut terms, &found.variables, "old(g) < g").unwrap();
    assert_eq!(expression(&terms, term, Dialect::Boogie), "old(g) < g");
    let error = read_expression(&mut terms, &found.variables, "g < h").unwrap_err();
    assert_eq!((&error.message[..], error.span), ("`h` is not declared", 4..5));
    assert!(read_expression(&mut terms, &found.variables, "g g").is_err());
}

#[test]
fn deep_terms_are_written_without_a_stack() {
    let mut terms = Terms::new();
    let variable = terms.declare("x", Sort::Int);
    let mut term = terms.variable(variable);
    let two = terms.int(2);
    for _ in 0..20_000 {
        term = terms.divide(term, two);
    }
    let text = expression(&terms, term, Dialect::Boogie);
    assert!(text.starts_with("x div 2 div 2") && text.ends_with(" div 2"));
    for _ in 0..64 {
        term = terms.multiply(term, term);
        let one = terms.int(1);
        term = terms.divide(one, term);
    }
    assert!(expression(&terms, term, Dialect::Boogie).starts_with("/* an expression of"));
}
