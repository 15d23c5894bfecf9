//! Formulas as text.

use elinvar_ir::{BitVec, Named, Simulator, Sort, SystemBuilder, TransitionSystem};

use super::*;

fn same(text: &str, other: &str) {
    let (text, other) = (parse(text).unwrap(), parse(other).unwrap());
    let (a, b) = (shown(&text, text.root), shown(&other, other.root));
    assert_eq!(a, b);
}

fn shown(specification: &Specification, id: FormulaId) -> String {
    use elinvar_ir::Ltl;
    let show = |id| shown(specification, id);
    match specification.formulas.node(id) {
        Ltl::True => "1".to_owned(),
        Ltl::False => "0".to_owned(),
        Ltl::Atom(atom, value) => {
            format!("{}{}", if value { "" } else { "!" }, specification.atoms[atom.0].signal)
        }
        Ltl::And(a, b) => format!("({} & {})", show(a), show(b)),
        Ltl::Or(a, b) => format!("({} | {})", show(a), show(b)),
        Ltl::Next(a) => format!("X{}", show(a)),
        Ltl::Until(a, b) => format!("({} U {})", show(a), show(b)),
        Ltl::Release(a, b) => format!("({} R {})", show(a), show(b)),
    }
}

#[test]
fn operators_bind_as_documented() {
    same("a | b & c U d U e", "a || (b && (c U (d U e)))");
    same("! a U X b", "(!a) U (X b)");
    same("a -> b -> c", "a -> (b -> c)");
    same("a <-> b -> c", "a <-> (b -> c)");
    same("F G a", "true U (false R a)");
    same("a W b", "b R (a | b)");
    same("!(a R b)", "!a U !b");
    same("G a -> b", "(G a) -> b");
    same("F b & c", "(F b) & c");
}

#[test]
fn operators_of_systemverilog_bind_as_they_do_there() {
    same("always req -> s_eventually gnt", "G (req -> F gnt)");
    same("a && b s_until c || d", "(a & b) U (c | d)");
    same("a until b", "a W b");
    same("nexttime a & b", "X a & b");
}

#[test]
fn names_precede_formulas() {
    let text = "# all requests\nanswered: G (req -> F gnt)  # each\n\n\"odd name\" U \"#\"\n";
    let read = parse_file(text.as_bytes()).unwrap();
    assert_eq!(read[0].name.as_deref(), Some("answered"));
    assert_eq!(&text[read[0].span.clone()], "G (req -> F gnt)");
    assert_eq!((read[1].name.as_deref(), read[1].atoms.len()), (None, 2));
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("G (req -> F gnt", 15..15, "expected `)`, found the end of the formula"),
        ("a b", 2..3, "expected an operator or the end of the formula, found `b`"),
        ("a & & b", 4..5, "expected a formula, found `&`"),
        ("G U", 2..3, "expected a formula, found `U`"),
        ("a @ b", 2..3, "unexpected character `@`"),
        ("\"a & b", 0..6, "the quotation mark has no partner"),
        ("a = 3", 2..3, "expected an operator, found `=`"),
        ("a == b", 5..6, "expected a number, found `b`"),
        ("a == 3z", 5..7, "expected a number, found `3z`"),
        ("a[1:2]", 2..5, "the first bit, 1, is below the last one, 2"),
        ("a[x]", 2..3, "expected the number of a bit, found `x`"),
        ("", 0..0, "expected a formula, found the end of the formula"),
    ];
    for (text, span, message) in cases {
        let error = parse(text).unwrap_err();
        assert_eq!((error.message.as_str(), error.span), (message, span), "{text}");
    }
    let error = parse_file(b"a\n# b\n  c &\n").unwrap_err();
    assert_eq!(error.position(b"a\n# b\n  c &\n"), crate::Position { line: 3, column: 6 });
    assert!(parse_file(b"# nothing\n").unwrap_err().whole_file);
    assert!(parse_file(b"\xff").is_err());
}

#[test]
fn deep_formulas_are_refused_and_long_ones_are_not() {
    for (before, after) in [("(", ")"), ("!", ""), ("a U ", ""), ("a -> ", ""), ("always ", "")] {
        let deep = format!("{}a{}", before.repeat(100_000), after.repeat(100_000));
        assert!(parse(&deep).unwrap_err().message.contains("nested"), "{before}");
    }
    let long = format!("a{}", " & X a | F b".repeat(10_000));
    assert!(parse(&long).is_ok());
}

fn system() -> TransitionSystem {
    let mut b = SystemBuilder::new();
    let count = b.input(Sort::Bv(4), Some("count")).unwrap();
    b.input(Sort::BOOL, Some("go[3]")).unwrap();
    b.input(Sort::Array { index: 2, element: 1 }, Some("memory")).unwrap();
    let expr = b.pool.slice(count, 0, 0).unwrap();
    b.outputs.push(Named { name: "is odd".to_owned(), expr });
    b.finish().unwrap()
}

#[test]
fn atoms_are_bits_of_signals() {
    let cases = [
        ("count[3]", true),
        ("count[2]", false),
        ("count == 9", true),
        ("count != 0x9", false),
        ("count < 10", true),
        ("count <= 9", true),
        ("count > 9", false),
        ("count >= 0b1001", true),
        ("count[3:1] == 4", true),
        ("go[3]", true),
        ("\"is odd\"", true),
        ("\"go[3]\"", true),
    ];
    for (text, expected) in cases {
        let specification = parse(text).unwrap();
        let system = system();
        let signals = specification.signals(&system).unwrap();
        let mut builder = system.into_builder();
        let bits = specification.bits(&signals, &mut builder).unwrap();
        let system = builder.finish().unwrap();
        let inputs = vec![
            BitVec::new(4, 9).into(),
            BitVec::bool(true).into(),
            elinvar_ir::zero_of(Sort::Array { index: 2, element: 1 }),
        ];
        let simulator = Simulator::new(&system, |_| unreachable!(), inputs);
        assert_eq!(simulator.evaluate(bits[0]).bv().is_true(), expected, "{text}");
    }
}

#[test]
fn atoms_that_are_not_bits_are_refused() {
    let cases = [
        ("F none", 2..6, "the model has no signal `none`"),
        ("F none[2]", 2..9, "the model has no signal `none[2]`"),
        ("F count", 2..7, "`count` is a bit-vector of width 4, expected a bit"),
        ("F count[4]", 2..10, "bit 4 is outside of `count`, which has width 4"),
        ("F count[2:1]", 2..12, "`count[2:1]` is a bit-vector of width 2, expected a bit"),
        ("F count == 16", 2..13, "16 needs more than the 4 bits of `count`"),
        (
            "F memory",
            2..8,
            "`memory` is an array of 1-bit elements with 2-bit addresses, expected a bit or a word",
        ),
    ];
    for (text, span, message) in cases {
        let error = parse(text).unwrap().signals(&system()).unwrap_err();
        assert_eq!((error.message.as_str(), error.span), (message, span), "{text}");
    }
}
