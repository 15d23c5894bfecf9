use super::*;

fn dialect(source: &str) -> Dialect {
    read_in(source.as_bytes(), None).unwrap().dialect
}

#[test]
fn a_header_or_a_procedure_of_ultimate_names_its_dialect() {
    assert_eq!(dialect("procedure p() { assert 1 / 2 == 0.5; }"), Dialect::Boogie);
    assert_eq!(dialect("//#Safe\nvar x: int;"), Dialect::Ultimate);
    assert_eq!(dialect("/* a */ // b\n //#Unsafe because\nvar x: int;"), Dialect::Ultimate);
    assert_eq!(dialect("procedure ULTIMATE.start() { }"), Dialect::Ultimate);
    assert_eq!(dialect("// #Safe\nvar x: int;"), Dialect::Ultimate);
    assert_eq!(dialect("//#Safety\nvar x: int;"), Dialect::Boogie);
    assert_eq!(dialect("/*\n//#Safe\n*/ var x: int;"), Dialect::Boogie);
}

#[test]
fn the_chosen_dialect_counts_more_than_the_text() {
    let source = b"//#Safe\nprocedure p() { assert 3 / 2 == 1 / 1; }";
    let read = |chosen| violated(&read_in(source, chosen).unwrap().program).len();
    assert_eq!(read(None), 0);
    assert_eq!(read(Some(Dialect::Ultimate)), 0);
    assert_eq!(read(Some(Dialect::Boogie)), 1);
}

#[test]
fn other_text_does_not_change_the_meaning_of_a_division() {
    let main = "procedure p() { assert 3 / 2 == 1 / 1; }";
    for other in [
        "",
        "procedure q(x: int) { assume x mod 2 == 0; }",
        "procedure q(x: int) { assume x div 2 == 0; }",
        "procedure q(x: int) { assume x % 2 == 0; }",
        "procedure q(x: int) { var y: int; y := x / 2; }",
        "var ~g: int;",
        "type P = { a: int };",
        "// ULTIMATE.start\n//#Safe",
        "const ULTIMATE.c: int;",
        "procedure q() { ULTIMATE.l: return; }",
    ] {
        check(&format!("{main}\n{other}"), &["assert at line 1"]);
    }
}

#[test]
fn where_an_integer_is_needed_a_quotient_is_one() {
    let source = "procedure p(x: int) { var y: int, m: [int]int;
        y := (x + 7) / 2 - x / -2; m[x / 2] := y;
        assume x == 5; assert y == 8 && m[2] == 8; assert x / 2 == 2.5; }";
    let reading = read_in(source.as_bytes(), None).unwrap();
    assert_eq!(violated(&reading.program), BTreeSet::new());
    let notes: Vec<&str> = reading.notes.iter().map(|note| &source[note.span.clone()]).collect();
    assert_eq!(notes, ["(x + 7) / 2 - x / -2", "x / 2"]);
    let error = read(b"procedure p(x: int) { assert x / 2 + 1 == 3; }").unwrap_err();
    assert_eq!(error.message, "`+` has operands of types real and int");
    assert!(error.help.unwrap().contains("`div`"));
}
