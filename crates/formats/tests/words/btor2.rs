//! BTOR2: what is declared, and what is refused.

use elinvar_formats::btor2;
use elinvar_ir::{ExprId, PropertyKind, Sort};

use crate::{Format, output, system};

fn system2(source: &str) -> elinvar_ir::TransitionSystem {
    system(Format::Btor2, source)
}

#[test]
fn arrays_are_read_written_compared_and_chosen() {
    let source = "1 sort bitvec 2\n2 sort bitvec 1\n3 sort array 1 1\n4 input 1\n5 input 1\n\
        6 state 3 mem\n7 write 3 6 4 5\n8 read 1 7 4\n9 eq 2 8 5\n10 write 3 6 4 8\n\
        11 eq 2 7 10\n12 neq 2 7 10\n13 ite 3 9 7 10\n14 read 1 13 4\n15 sub 1 14 5\n\
        16 concat 1 11 12\n17 add 1 15 16\n18 output 17\n";
    // Reading what was written is simplified away: no memory is left.
    assert_eq!(output(Format::Btor2, source, &[1, 3]), 0b10);
}

#[test]
fn declarations_and_their_names() {
    let model = system2(
        "1 sort bitvec 1\n2 sort bitvec 2\n3 zero 2 origin\n4 input 1 go\n5 state 2 count\n\
         6 init 2 5 3\n7 inc 2 5 more\n8 ite 2 4 7 5\n9 next 2 5 8\n10 redand 1 5\n11 bad 10 full\n\
         12 bad -10\n13 constraint 4 always\n14 fair 4\n15 justice 2 4 -4 live\n16 justice 1 10\n\
         17 output 5 watch\n18 output 7\n",
    );
    let names: Vec<&str> = model.properties().iter().map(|p| &*p.name).collect();
    assert_eq!(names, ["full", "bad1", "live", "justice1"]);
    assert_eq!((model.input_name(0), model.state_name(0)), ("go".into(), "count".into()));
    let labels: Vec<&str> = model.labels().iter().map(|label| &*label.name).collect();
    assert_eq!(labels, ["origin", "more"]);
    assert_eq!(model.constraint_origin(0).name.as_deref(), Some("always"));
    let outputs: Vec<&str> = model.outputs().iter().map(|output| &*output.name).collect();
    assert_eq!(outputs, ["watch", "output1"]);
    let go = model.inputs()[0].symbol;
    assert_eq!((model.constraints(), model.fairness()), (&[go][..], &[go][..]));
    let PropertyKind::Justice(live) = &model.properties()[2].kind else { panic!("justice") };
    assert_eq!(live.iter().map(|bit| bit.is_complement()).collect::<Vec<_>>(), [false, true]);
    assert!(model.states()[0].init.is_some() && model.states()[0].next.is_some());
}

#[test]
fn an_array_initialised_by_an_element_is_constant() {
    let model = system2(
        "1 sort bitvec 2\n2 sort array 1 1\n3 one 1\n4 state 2\n5 init 2 4 3\n6 state 2\n\
         7 state 2\n8 init 2 7 6\n",
    );
    let pool = model.pool();
    let init = model.states()[0].init.unwrap();
    assert_eq!(pool.sort(init), Sort::Array { index: 2, element: 2 });
    assert!(matches!(pool.get(init), elinvar_ir::Expr::ConstArray(_)));
    assert_eq!(model.states()[2].init, Some(model.states()[1].symbol));
}

#[test]
fn the_histogram_counts_lines_by_operator() {
    let model = btor2::read(b"1 sort bitvec 1\n2 input 1\n3 input 1\n4 and 1 2 3\n").unwrap();
    let counts: Vec<_> = model.operators.into_iter().collect();
    assert_eq!(counts, [("and", 1), ("input", 2), ("sort", 1)]);
}

#[test]
fn far_numbers_white_space_and_comments() {
    let model = system2(
        "; a comment\n\n  1\tsort bitvec 1 ;c\r\n  7 input 1 a;b ; x\n1000000000000 not 1 7\n\
         1000000000001 bad -1000000000000;c\n",
    );
    assert_eq!(model.input_name(0), "a;b");
    assert_eq!(
        model.bads().map(|(_, bad)| bad).collect::<Vec<ExprId>>(),
        [model.inputs()[0].symbol]
    );
}

fn rejection(source: &[u8]) -> String {
    crate::rejection(btor2::read, source)
}

#[test]
fn rejections() {
    // Each follows: 1 bits, 2 words of four bits, 3 arrays; 4 a bit, 5 a word, 6 a memory.
    let head = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n4 input 1\n5 input 2\n\
                6 state 3\n7 state 2 s\n";
    for (line, expected) in [
        ("x sort bitvec 1", "8:1: expected the number of the line"),
        ("0 input 1", "8:1: the numbers of lines start at 1"),
        ("7 input 1", "8:1: line number 7 is not greater than 7, the previous one"),
        ("99999999999999999999 input 1", "8:1: the number is too large"),
        ("9", "8:2: expected an operator, found the end of the line"),
        ("9 frob 1", "8:3: `frob` is not an operator of BTOR2"),
        ("9 var 1", "8:3: `var` is not an operator of BTOR2"),
        ("9 sort bits 1", "8:8: expected `bitvec` or `array`"),
        ("9 sort bitvec", "8:14: expected a width, found the end of the line"),
        ("9 sort bitvec 0", "8:15: width 0 is not supported: it must be between 1 and 1048576"),
        (
            "9 sort bitvec 1048577",
            "8:15: width 1048577 is not supported: it must be between 1 and 1048576",
        ),
        ("9 sort array 3 2", "8:14: arrays with arrays as addresses are not supported"),
        ("9 sort array 2 3", "8:16: arrays with arrays as elements are not supported"),
        ("9 input 8", "8:9: sort 8 is not defined"),
        ("9 input 4", "8:9: line 4 is not a sort"),
        ("9 input -1", "8:9: expected a sort"),
        ("9 and 1 4 8", "8:11: line 8 is not defined"),
        ("9 and 1 4 9", "8:11: line 9 is not defined"),
        ("9 and 1 4 1", "8:11: line 1 is a sort, not an expression"),
        ("9 and 1 4", "8:10: expected an operand, found the end of the line"),
        ("9 and 1 4 ; 4", "8:11: expected an operand, found the end of the line"),
        ("9 and 1 4 --4", "8:11: expected an operand"),
        ("9 and 1 4 5", "8:11: operand has width 4, expected 1"),
        ("9 and 2 4 5", "8:9: operand has width 1, expected 4"),
        (
            "9 and 2 5 6",
            "8:11: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector of width 4",
        ),
        (
            "9 and 3 6 6",
            "8:9: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector",
        ),
        (
            "9 and 3 5 5",
            "8:7: result is a bit-vector of width 4, declared as an array of 4-bit elements with 4-bit addresses",
        ),
        ("9 add 2 5 -6", "8:11: an array cannot be negated"),
        ("9 eq 1 4 5", "8:10: operand has width 4, expected 1"),
        ("9 eq 2 5 5", "8:6: result has width 1, declared with width 4"),
        (
            "9 eq 1 6 5",
            "8:10: operand is a bit-vector of width 4, expected an array of 4-bit elements with 4-bit addresses",
        ),
        (
            "9 ult 1 6 6",
            "8:9: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector",
        ),
        ("9 redor 2 5", "8:9: result has width 1, declared with width 4"),
        ("9 implies 1 5 4", "8:13: operand has width 4, expected 1"),
        ("9 iff 2 5 5", "8:7: result has width 1, declared with width 4"),
        ("9 concat 2 4 4", "8:10: result has width 2, declared with width 4"),
        ("9 ite 2 5 5 5", "8:9: operand has width 4, expected 1"),
        ("9 ite 2 4 5 4", "8:13: operand has width 1, expected 4"),
        ("9 read 2 5 5", "8:10: operand is a bit-vector of width 4, expected an array"),
        ("9 read 2 6 4", "8:12: operand has width 1, expected 4"),
        ("9 read 1 6 5", "8:8: result has width 4, declared with width 1"),
        ("9 write 3 6 4 5", "8:13: operand has width 1, expected 4"),
        ("9 write 3 6 5 4", "8:15: operand has width 1, expected 4"),
        (
            "9 write 2 6 5 5",
            "8:9: result is an array of 4-bit elements with 4-bit addresses, declared as a bit-vector of width 4",
        ),
        ("9 slice 1 5 4 4", "8:13: slice 4:4 does not fit in width 4"),
        ("9 slice 1 5 0 1", "8:13: slice 0:1 does not fit in width 4"),
        ("9 slice 1 5 3 0", "8:9: result has width 4, declared with width 1"),
        (
            "9 slice 1 6 0 0",
            "8:11: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector",
        ),
        (
            "9 slice 1 5 18446744073709551615 4294967296",
            "8:13: slice 4294967295:4294967295 does not fit in width 4",
        ),
        ("9 uext 2 4 2", "8:8: result has width 3, declared with width 4"),
        (
            "9 uext 2 4 18446744073709551615",
            "8:8: result has width 18446744073709551615, declared with width 4",
        ),
        (
            "9 sext 2 6 3",
            "8:10: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector",
        ),
        ("9 sext 3 6 3", "8:8: expected the sort of a bit-vector"),
        ("9 zero 3", "8:8: expected the sort of a bit-vector"),
        ("9 const 2 01", "8:11: constant has 2 digits, expected 4"),
        ("9 const 2 0121", "8:11: expected a binary number"),
        ("9 constd 2 16", "8:12: the constant does not fit in width 4"),
        ("9 constd 2 -9", "8:12: the constant does not fit in width 4"),
        ("9 constd 2 f", "8:12: expected a decimal number"),
        ("9 consth 2 1f", "8:12: the constant does not fit in width 4"),
        ("9 constd 2", "8:11: expected a constant, found the end of the line"),
        ("9 init 2 5 5", "8:10: operand is not a state"),
        ("9 init 2 -7 5", "8:10: operand is not a state"),
        ("9 init 1 7 4", "8:10: operand has width 4, expected 1"),
        ("9 init 2 7 4", "8:12: operand has width 1, expected 4"),
        ("9 init 3 6 4", "8:12: operand has width 1, expected 4"),
        ("9 init 2 7 7", "8:12: the initial value is defined after the state"),
        ("9 one 2\n10 init 2 7 9", "9:13: the initial value is defined after the state"),
        ("9 init 2 7 5", "8:12: the initial value depends on an input"),
        ("9 init 2 7 5\n10 init 2 7 5", "9:11: the state has two initial values"),
        ("9 next 2 7 5\n10 next 2 7 5", "9:11: the state has two next values"),
        ("9 next 2 4 5", "8:10: operand is not a state"),
        ("9 next 2 7 5\n10 not 2 9", "9:10: line 9 is a next value, not an expression"),
        ("9 bad 5", "8:7: operand has width 4, expected 1"),
        (
            "9 constraint 6",
            "8:14: operand is an array of 4-bit elements with 4-bit addresses, expected a bit",
        ),
        ("9 fair 5", "8:8: operand has width 4, expected 1"),
        ("9 justice 0", "8:11: a justice property needs at least one condition"),
        ("9 justice 1000000000000 4 4", "8:28: expected an operand, found the end of the line"),
        ("9 justice 2 4 5", "8:15: operand has width 4, expected 1"),
        ("9 input 1 a b", "8:13: unexpected text at the end of the line"),
    ] {
        assert_eq!(rejection(format!("{head}{line}").as_bytes()), expected, "{line}");
        // The end of the file ends a line, too.
        assert_eq!(rejection(format!("{head}{line}\n").as_bytes()), expected, "{line}");
    }
}

#[test]
fn symbols_are_utf8_and_comments_anything() {
    assert_eq!(
        rejection(b"1 sort bitvec 1\n2 input 1 a\xff"),
        "2:12: the symbol is not valid UTF-8"
    );
    assert!(btor2::read(b"; \xff\n1 sort bitvec 1 ; \xfe\n").is_ok());
    assert_eq!(
        system2("1 sort bitvec 1\n2 input 1 \u{e9}t\u{e9}\n").input_name(0),
        "\u{e9}t\u{e9}"
    );
}

#[test]
fn wide_constants_are_limited_altogether() {
    let mut source = String::from("1 sort bitvec 1048576\n");
    for line in 0..300 {
        source += &format!("{} sort bitvec {}\n", 2 * line + 2, 1_048_575 - line);
        source += &format!("{} ones {}\n", 2 * line + 3, 2 * line + 2);
    }
    let message = rejection(source.as_bytes());
    assert!(message.ends_with("the constants of this file are too large in total"), "{message}");
}
