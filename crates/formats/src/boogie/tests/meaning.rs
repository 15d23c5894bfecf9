use elinvar_ir::program::AssertionKind;

use super::*;

const FAILS: &[&str] = &["assert at line 1"];
const HOLDS: &[&str] = &[];

#[test]
fn assertions_hold_or_fail() {
    check_body("var x: int; assume x > 2; assert x >= 3;", HOLDS);
    check_body("var x: int; assume x > 2; assert x > 3;", FAILS);
    check_body(
        "var x: int; assert x > 0; assert x > 0 || false;",
        &["assert at line 1, column 32"],
    );
}

#[test]
fn an_assertion_is_assumed_behind_it() {
    check("procedure p(x: int) {\nassert x > 0;\nassert x > -1;\n}", &["assert at line 2"]);
}

#[test]
fn division_is_euclidean_in_both_dialects() {
    check_body("assert -7 div 2 == -4 && -7 mod 2 == 1 && 7 div -2 == -3 && 7 mod -2 == 1;", HOLDS);
    check(
        "//#Safe\nprocedure p(x: int) { assume x == -7; assert x / 2 == -4 && x % 2 == 1; }",
        HOLDS,
    );
    check_body("var x: int, r: real; r := x / 2; assert x mod 2 == 1 ==> r == int(r) / 1;", FAILS);
}

#[test]
fn precedence_is_boogies() {
    check_body("assert 2 + 3 * 4 - 1 == 13 && !(1 > 2) && - 3 + 5 == 2;", HOLDS);
    check_body("assert false ==> false ==> false; assert false && false || true;", HOLDS);
    check_body("assert !(false <== true); assert true <== false <== true;", HOLDS);
    check_body("assert false <==> false <==> true; assert 10 - 3 - 2 == 5;", HOLDS);
    check_body("assert 100 div 10 div 5 == 2 && 7 * 3 % 4 == 1;", HOLDS);
    check_body("assert (if 1 > 2 then 3 else if 2 > 1 then 4 else 5) == 4;", HOLDS);
}

#[test]
fn values_have_names_in_expressions() {
    check_body(
        "var x, y: int; assert (var x, z := x + 1, 2; (var x := x * z; x)) == 2 * x + 2;",
        HOLDS,
    );
}

#[test]
fn attributes_are_skipped_wherever_they_stand() {
    check_body(
        "var {:a} x: int; if {:b \"c\"} (x > 0) { goto {:d 1, x} L; } x := {:e} 1; L: assert {:f} x > 0;
        while {:g} (*) invariant {:h} x > 0; { havoc {:i} x; assume {:j} x > 0; break {:k}; } return {:l};",
        HOLDS,
    );
}

#[test]
fn axioms_belong_to_functions_and_constants() {
    check(
        "const c: int uses { axiom c > 3; } function f(): int uses { axiom f() > c; }
        procedure main() { assert f() > 4; }",
        HOLDS,
    );
}

#[test]
fn parallel_assignments_read_old_values() {
    check_body("var x, y, a, b: int; a, b := x, y; x, y := y, x; assert x == b && y == a;", HOLDS);
}

#[test]
fn maps_are_read_and_written() {
    let maps = "var a, b: [int]int; var m: [int,bool]int; var n: [int][int]int; var i, j: int;";
    check_body(&format!("{maps} a[i] := 5; assert a[i] == 5 && a[i := 7][i] == 7;"), HOLDS);
    check_body(&format!("{maps} a[i] := 1; a[j] := 2; assert a[i] == 1;"), FAILS);
    check_body(
        &format!("{maps} m[1, true] := 5; assert m[1, true] == 5 && m[1, false] == 0;"),
        HOLDS,
    );
    check_body(&format!("{maps} n[1][2] := 5; assert n[1][2] == 5 && n[2][2] == 0;"), HOLDS);
    check_body(&format!("{maps} b := a[1 := 2]; assert a == b ==> a[1] == 2;"), HOLDS);
    check_body(&format!("{maps} a[0], i := i, 3; assert a[0] != 3;"), FAILS);
}

#[test]
fn structs_have_fields() {
    let types = "type P = { base: int, offset: int }; type T = { p: P, ok: bool };\n";
    let main = "procedure main() { var p, q: P; var t: T; var m: [P]int; var s: [int]P;";
    for body in [
        "p := { base: 1, offset: 2 }; p!offset := 3; assert p!base == 1 && p!offset == 3;",
        "t!p := p; t!p!base := 9; assert t!p!base == 9 && t!p!offset == p!offset;",
        "m[p] := 4; assert m[{ base: p!base, offset: p!offset }] == 4;",
        "s[1] := p; s[1]!base := 2; assert s[1]!base == 2 && s[1]!offset == p!offset;",
        "q := p; assert p == q; assume p != q; assert false;",
    ] {
        check(&format!("{types}{main}{body} }}"), HOLDS);
    }
    let shown = program(&format!("{types}{main} p!base := 1; }}"));
    let names: Vec<&str> = shown.variables.iter().map(|&v| shown.terms.name(v)).collect();
    assert_eq!(&names[..2], ["p!base", "p!offset"]);
    assert!(names.contains(&"t!p!base") && names.contains(&"t!ok"));
}

#[test]
fn reals_divide_and_convert() {
    check_body("var r: real; assume r == 3.5; assert r / 2.0 == 1.75 && int(r) == 3;", HOLDS);
    check_body("var i: int; assert int(real(i)) == i && 1e2 == 100.0 && 1.5e-1 == 0.15;", HOLDS);
    check_body("var r: real; assume 0.0 < r; assert 1.0 <= r - 1.0;", FAILS);
}

#[test]
fn words_have_functions_and_built_in_operators() {
    let functions = "function {:bvbuiltin \"bvadd\"} add(bv8, bv8) returns (bv8);
        function {:bvbuiltin \"bvslt\"} slt(x: bv8, y: bv8): bool;
        function {:bvbuiltin \"bvule\"} ule(x: bv8, y: bv8): bool;
        function {:bvbuiltin \"bvor\"} or(x: bv8, y: bv8): bv8;
        function {:bvbuiltin \"zero_extend 8\"} wide(x: bv8): bv16;
        function {:builtin \"sign_extend\"} {:indices 8} swide(x: bv8): bv16;
        function {:bvbuiltin \"(_ rotate_left 4)\"} turn(x: bv8): bv8;
        function {:bvbuiltin \"bvcomp\"} comp(x, y: bv8): bv1;\n";
    for body in [
        "assert add(250bv8, 10bv8) == 4bv8;",
        "assert slt(255bv8, 0bv8) && !ule(255bv8, 0bv8) && ule(7bv8, 7bv8);",
        "assert or(5bv8, 3bv8) == 7bv8 && wide(255bv8) == 255bv16 && swide(255bv8) == 65535bv16;",
        "assert turn(18bv8) == 33bv8 && comp(1bv8, 1bv8) == 1bv1 && comp(1bv8, 2bv8) == 0bv1;",
        "assert 1bv4 ++ 2bv4 == 18bv8 && 18bv8[8:4] == 1bv4 && 18bv8[4:0] == 2bv4;",
        "var x: bv8; x := 3bv8; assert add(x, 1bv8) == 4bv8;",
    ] {
        check(&format!("{functions}procedure main() {{ {body} }}"), HOLDS);
    }
}

#[test]
fn branches_and_loops() {
    check_body(
        "var x: int; if (x > 0) { x := 1; } else if (x == 0) { x := 2; } else { x := 3; }
        assert x == 1 || x == 2 || x == 3; assert x != 2;",
        &["assert at line 2, column 44"],
    );
    check_body("var i: int; i := 0; while (i < 3) { i := i + 1; } assert i == 3;", HOLDS);
    check_body("var i: int; i := 0; while (*) { i := i + 1; } assert i < 3;", FAILS);
    check_body("var i: int; if (*) { i := 1; } else { i := 2; } assert i == 2;", FAILS);
    check_body(
        "var i: int; i := 0; while (true) { i := i + 1; if (i == 4) { break; } } assert i == 4;",
        HOLDS,
    );
    check_body("a: while (true) { while (true) { break a; } } return; assert false;", HOLDS);
    check_body("a: if (true) { break a; assert false; } assert true;", HOLDS);
}

#[test]
fn gotos_choose() {
    check_body("var x: int; goto A, B; A: x := 1; goto C; B: x := 2; C: assert x == 1;", FAILS);
    check_body(
        "var x: int; goto A, B; A: x := 1; goto C; B: x := 2; C: assert x == 1 || x == 2;",
        HOLDS,
    );
    check_body("L: goto L; assert false;", HOLDS);
    check_body(
        "var x: int; x := 0; L: x := x + 1; if (x < 3) { goto L; } assert x == 3; M:",
        HOLDS,
    );
}

#[test]
fn invariants_are_checked_twice_and_assumed() {
    let source = "procedure main() { var i: int; i := 0;\nwhile (*)\ninvariant i <= 2;\n{ i := i + 1; }\nassert i <= 2; }";
    check(source, &["invariant at line 3, preserved by the loop body"]);
    let source = "procedure main(i: int) {\nwhile (*)\ninvariant i == 0;\n{ }\nassert i == 0; }";
    check(source, &["invariant at line 3 on entry"]);
    let source = "procedure main(i: int) { while (*) free invariant i == 0; { } assert i == 0; }";
    check(source, HOLDS);
}

#[test]
fn contracts_of_procedures_without_body() {
    let inc = "procedure inc(x: int) returns (y: int);\nrequires x >= 0;\nensures y == x + 1;\n";
    check(
        &format!(
            "{inc}procedure main() {{ var a: int;\na := 0; call a := inc(a); assert a == 1; }}"
        ),
        HOLDS,
    );
    check(
        &format!("{inc}procedure main() {{ var a: int;\ncall a := inc(a); }}"),
        &["requires of inc at line 5"],
    );
    let g = "var g, h: int;\nprocedure p(); modifies g; ensures g == old(g) + h;\n";
    check(
        &format!(
            "{g}procedure main() modifies g; {{ h0: assume g == 1 && h == 2; call p(); assert g == 3; }}"
        ),
        HOLDS,
    );
    check(
        &format!("{g}procedure main() modifies g; {{ call p(); assert g == 1; }}"),
        &["assert at line 3"],
    );
    let free = "procedure p(x: int) returns (y: int); free requires x > 0; free ensures y > x;\n";
    check(
        &format!("{free}procedure main() {{ var a: int; call a := p(3); assert a > 3; }}"),
        HOLDS,
    );
}

#[test]
fn bodies_are_inlined_and_verified_themselves() {
    let source =
        "procedure inc(x: int) returns (y: int)\nrequires x >= 0;\nensures y > x;\n{ y := x + 1; }
        procedure main() { var a: int; a := 1; call a := inc(a); assert a == 2; }";
    check(source, HOLDS);
    let source = "procedure inc(x: int) returns (y: int)\nensures y > x;\n{ y := x; }
        procedure main() { var a: int; call a := inc(a); }";
    check(source, &["ensures at line 2"]);
    let source = "procedure any() returns (y: int) { var z: int; y := z; }
        procedure main() { var a, b: int; call a := any(); call b := any();\nassert a == b; }";
    check(source, &["assert at line 3"]);
    assert!(program(source).edges.iter().all(|edge| edge.approximates.is_none()));
}

#[test]
fn several_implementations_are_a_choice() {
    let source = "procedure p() returns (x: int);
        implementation p() returns (y: int) { y := 1; }
        implementation p() returns (x: int) { x := 2; }
        procedure main() { var a: int; call a := p(); assert a == 1 || a == 2;\nassert a == 1; }";
    check(source, &["assert at line 5"]);
}

#[test]
fn recursion_is_replaced_by_contracts() {
    let source = "procedure f(n: int) returns (r: int)\nensures r >= 0;\n{
        if (n <= 0) { r := 0; } else { call r := f(n - 1); r := r + n; } }
        procedure main() { var a: int; call a := f(3); assert a >= 0; assert a == 6; }";
    let found = program(source);
    assert_eq!(violated(&found), ["assert at line 5, column 71".to_owned()].into());
    let approximations: Vec<&str> =
        found.edges.iter().filter_map(|edge| edge.approximates.as_deref()).collect();
    assert_eq!(approximations.len(), 2);
    assert!(approximations.contains(&"the call of f at line 4 is replaced by its contract"));
}

#[test]
fn recursive_calls_that_come_last_are_jumps() {
    let source = "var g: int;
        procedure even(n: int) modifies g; { var x: int; assert n >= 0; if (n > 0) { call odd(n - 1, n); } }
        procedure odd(n: int, m: int) modifies g; requires m == n + 1; { g := g + 1; if (n > 0) { call even(n - 1); } }
        procedure ULTIMATE.start() modifies g; { g := 0; call even(3); assert g == 2; assert g == 1; }";
    let found = program(source);
    assert!(found.edges.iter().all(|edge| edge.approximates.is_none()));
    assert_eq!(violated(&found), ["assert at line 4, column 87".to_owned()].into());
    let source = source.replace("ULTIMATE.start", "main");
    assert_eq!(violated(&program(&source)).len(), 2, "others are verified for all arguments");
}

#[test]
fn recursive_callees_of_the_start_are_verified_too() {
    let source = "procedure ULTIMATE.start() { call f(3); }
        procedure f(n: int) { assert n >= 0; if (n > 0) { call f(n - 1); n0: assert n > 0; } }
        procedure unused() { assert false; }";
    let found = program(source);
    let names: Vec<&str> = found.properties.iter().map(|p| &p.name[..]).collect();
    assert_eq!(names, ["assert at line 2, column 31", "assert at line 2, column 78"]);
    assert_eq!(violated(&found).len(), 1, "its contract allows negative numbers");
    assert!(found.edges.iter().any(|edge| edge.approximates.as_deref()
        == Some("f is verified for all calls that its contract allows")));
}

#[test]
fn the_start_of_ultimate_is_alone() {
    let source = "var g: int;
        procedure check() { assert g == 5; }
        procedure ULTIMATE.start() modifies g; { g := 5; call check(); call check(); }";
    check(source, HOLDS);
    assert_eq!(program(source).properties.len(), 1, "one for both calls");
    check(&source.replace("g := 5", "g := 6"), &["assert at line 2"]);
}

#[test]
fn implementations_come_before_procedures_and_modifies_behind_the_head() {
    check(
        "implementation main() returns (){ g := 1; assert g == 1; }
        procedure main() returns ();\nmodifies ;\nmodifies g;\nvar g: int;",
        HOLDS,
    );
}

#[test]
fn old_is_the_value_on_entry() {
    check(
        "var g: int;\nprocedure p() modifies g; ensures g == old(g) + 1;
        { g := g + 1; assert old(g) == g - 1; call q(); assert g == old(g) + 3; g := g - 2; }
        procedure q() modifies g; { g := old(g) + 2; assert old(g + 2) == g; }",
        HOLDS,
    );
}

#[test]
fn where_clauses_hold_at_entry_and_after_havoc() {
    check(
        "var g: int where g > 0;
        procedure p(x: int where x > g) modifies g;
        { var y: int where y > x; assert y > 1; havoc g, y; assert g > 0 && y > x; }
        procedure q() modifies g; { call r(); assert g > 0; }
        procedure r(); modifies g;",
        HOLDS,
    );
}

#[test]
fn functions_are_macros_or_unknown() {
    check(
        "function twice(x: int) returns (int) { x + x }
        function four(x: int): int { twice(twice(x)) }
        function any(int) returns (int);
        procedure main(a: int) { assert four(3) == 12; assert any(a) == any(a); }",
        HOLDS,
    );
    let source = "function { :overapproximation \"bitwiseAnd\" } ~and(in0: int, in1: int) returns (out: int);
        procedure main() { var x: int; x := ~and(x, 1); }";
    let function = program(source).terms.functions()[0].clone();
    assert_eq!(
        (&function.name[..], function.approximates.as_deref()),
        ("~and", Some("bitwiseAnd"))
    );
}

#[test]
fn axioms_are_assumed_first() {
    check(
        "const c: int; const unique a, b: int; axiom c == 4 && a > c;
        procedure main() { assert c == 4; assert a > 4; assert a != b; }",
        HOLDS,
    );
    check(
        "axiom (exists x: int :: x > 3 && x == c); const c: int; procedure p() { assert c > 3; }",
        HOLDS,
    );
}

#[test]
fn universal_axioms_are_instantiated() {
    let source = "function f(x: int): int; function g(x: int): int;
        axiom (forall x: int :: { f(x) } f(x) == g(x) + 1);
        axiom (forall x: int :: g(x + 1) > 2);
        procedure main(a: int) { assert f(a) > 3; }";
    let found = program(source);
    assert_eq!(
        found.weakened.as_deref(),
        Some("the quantified axiom at line 2 is only instantiated")
    );
    let assumed: Vec<String> = found
        .edges
        .iter()
        .filter_map(|edge| match &edge.statement {
            Statement::Assume(condition) => {
                Some(expression(&found.terms, *condition, Dialect::Boogie))
            }
            Statement::Assign(_) | Statement::Havoc(_) => None,
        })
        .collect();
    assert!(assumed.contains(&"f(a) == g(a) + 1 && g(a) >= 3".to_owned()), "{assumed:?}");
}

#[test]
fn some_quantifiers_become_variables() {
    check_body("var y: int; assume (exists x: int :: x > 1 && y > x); assert y > 2;", HOLDS);
    check_body("var y: int; assume (exists x: int :: y > x); assert y > 2;", FAILS);
    check_body("var y: int; assume y > 3; assert (forall x: int :: x > y ==> x > 4);", HOLDS);
    check_body("assert !(exists x: int :: x > 3);", FAILS);
}

#[test]
fn variables_are_shown_as_in_the_source_unless_they_clash() {
    let source = "var g: int; procedure p(x: int) { var y: int; } procedure q() { var y, g: int; }";
    let found = program(source);
    let names: Vec<&str> = found.variables.iter().map(|&v| found.terms.name(v)).collect();
    assert_eq!(names, ["g", "x", "p.y", "q.y", "q.g"]);
}

#[test]
fn places_and_kinds_of_properties() {
    let source = "procedure p(x: int) returns (y: int) requires x > 0; ensures y > 0;
        { while (y < 5) invariant y < 6; { y := y + 1; } L: y := 2; call y := p(y); goto L; }";
    let found = program(source);
    let kinds: Vec<(AssertionKind, &str)> =
        found.properties.iter().map(|p| (p.kind, &source[p.span.clone()])).collect();
    assert_eq!(
        kinds,
        [
            (AssertionKind::Ensures, "ensures y > 0"),
            (AssertionKind::InvariantEntry, "invariant y < 6"),
            (AssertionKind::InvariantKept, "invariant y < 6"),
            (AssertionKind::Requires, "call y := p(y)"),
        ]
    );
    let spans: Vec<&str> = found.locations.iter().map(|l| &source[l.span.clone()]).collect();
    assert!(spans.contains(&"while (y < 5)") && spans.contains(&"L"));
    assert!(found.edges.iter().all(|edge| edge.to != found.entry));
}

/// Evidence about the rewritten reading is checked against the verbatim one, so both must have
/// the same locations and edges, whatever becomes simpler by rewriting.
#[test]
fn rewriting_does_not_change_the_graph() {
    let sources = [
        "procedure p() { var i: int; i := i * 1; i := i + 0; }",
        "procedure p() { var m: [int]int; var i: int; m[i] := m[i]; m := m; }",
        "procedure p() { var s: { a: int, b: { c, d: bool } }; s!b!c := s!b!c && true; }",
        "procedure p() { var m: [int]{ a, b: int }; m[0]!b := 1; m[1]!a := m[1]!a; }",
        "procedure p() { call q(1); } procedure q(x: int); free requires 1 == 1;",
    ];
    for source in sources {
        let reading = read_in(source.as_bytes(), None);
        let reading = reading.unwrap_or_else(|error| panic!("{source}: {error}"));
        let verbatim = read_verbatim(source.as_bytes(), reading.dialect).unwrap();
        let edges = |program: &Program| -> Vec<_> {
            let edges = program.edges.iter();
            edges.map(|edge| (edge.from, edge.to, edge.statement.written())).collect()
        };
        assert_eq!(edges(&reading.program), edges(&verbatim), "{source}");
        assert_eq!(reading.program.locations, verbatim.locations, "{source}");
    }
}

#[test]
fn an_assignment_to_a_field_writes_only_its_parts() {
    let found = program("procedure p() { var m: [int]{ a, b: int }; m[0]!b := 1; }");
    let written: Vec<&str> = found
        .edges
        .iter()
        .flat_map(|edge| edge.statement.written())
        .map(|variable| found.terms.name(variable))
        .collect();
    assert_eq!(written, ["m!b"]);
}
