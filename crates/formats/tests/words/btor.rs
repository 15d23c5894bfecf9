//! BTOR: the examples of the paper, what is declared, and what is refused.

use elinvar_formats::btor::{self, BtorModel};
use elinvar_ir::{Simulator, TransitionSystem, Value, zero_of};
use elinvar_models::{Outcome, search};

use crate::{Format, system};

fn model(source: &str) -> BtorModel {
    btor::read(source.as_bytes()).unwrap_or_else(|error| {
        panic!("{:?}: {error}\n{source}", error.position(source.as_bytes()))
    })
}

fn outcomes(source: &str) -> Vec<Outcome> {
    let outcomes = search(&model(source).system, 2_000_000).expect("a small system");
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

// ---- the paper ----------------------------------------------------------------

/// Section 2; satisfied by 127 and anything without its bits.
fn introduction(width: u32) -> String {
    format!(
        "1 var {width}\n2 var {width}\n3 constd {width} {}\n4 and {width} 1 -2\n5 eq 1 3 4\n\
         6 root 1 5\n",
        (1u64 << (width - 1)) - 1
    )
}

#[test]
fn the_example_of_the_introduction() {
    let wide = model(&introduction(32));
    assert!(wide.combinational && wide.roots.len() == 1);
    assert_eq!(wide.system.inputs().len(), 2);
    assert_eq!(wide.operators["var"], 2);
    assert_eq!(outcomes(&introduction(4)), [Outcome::Unsafe(0)]);
}

/// Section 3: two words of ones overflow when multiplied; and a single bit does not.
#[test]
fn the_example_of_overflow() {
    let source = |width: u32| {
        format!(
            "1 var {width}\n2 var {width}\n3 redand 1 1\n4 redand 1 2\n5 umulo 1 1 2\n\
             6 and 1 3 4\n7 and 1 6 -5\n8 root 1 7\n"
        )
    };
    assert!(model(&source(32)).combinational);
    assert_eq!(outcomes(&source(4)), [Outcome::Safe]);
    assert_eq!(outcomes(&source(1)), [Outcome::Unsafe(0)]);
}

/// Section 4.
#[test]
fn the_example_of_arrays() {
    let source = |element: u32, index: u32| {
        format!(
            "1 array {element} {index}\n2 array {element} {index}\n3 array {element} {index}\n\
             4 var {index}\n5 var {element}\n6 var 1\n7 acond {element} {index} 6 1 2\n\
             8 write {element} {index} 7 4 5\n9 read {element} 8 4\n10 eq 1 5 9\n11 eq 1 3 8\n\
             12 and 1 10 11\n13 root 1 12\n"
        )
    };
    assert!(model(&source(32, 4)).system.has_arrays());
    assert_eq!(outcomes(&source(1, 1)), [Outcome::Unsafe(0)]);
}

/// Section 5, with the forward reference of its last line mended: 4 becomes 3.
#[test]
fn the_example_of_a_register() {
    let model = model("1 var 32\n2 var 32\n3 xor 32 1 2\n4 next 32 1 3\n");
    assert!(!model.combinational);
    let system = model.system;
    assert_eq!((system.states().len(), system.inputs().len()), (1, 1));
    let state = system.states()[0];
    assert!(system.pool().const_value(state.init.unwrap()).unwrap().is_zero());
}

/// Figure 1 with the double number 5 mended (`zero` is 6) and words of two bits:
/// memory is cleared between `start` and `end`.
fn memclear(cleared: &str) -> String {
    format!(
        "1 array 1 2\n2 var 2 start\n3 var 2 end\n4 var 2 p\n5 var 1 flag\n6 zero 1\n7 one 2\n\
         8 one 1\n\n; next(start)\n9 var 2 start_in\n10 ne 1 5 8\n11 cond 2 10 9 2\n12 next 2 2 11\n\
         \n; next(end)\n13 var 2 end_in\n14 cond 2 10 13 3\n15 next 2 3 14\n\n; next(p)\n\
         16 add 2 4 7\n17 ult 1 4 3\n18 cond 2 17 16 4\n19 cond 2 10 9 18\n20 next 2 4 19\n\
         \n; next(flag)\n21 next 1 5 8\n\n; next(memory)\n22 write 1 2 1 4 {cleared}\n23 eq 1 5 8\n\
         24 ult 1 4 3\n25 and 1 23 24\n26 acond 1 2 25 22 1\n27 anext 1 2 1 26\n\n\
         ; check property\n28 var 2 i\n29 read 1 1 28\n30 ne 1 29 6\n31 ult 1 2 3\n32 ult 1 28 2\n\
         33 ult 1 28 3\n34 and 1 -32 33\n35 and 1 34 -10\n36 and 1 31 35\n37 and 1 30 36\n\
         38 eq 1 4 3\n39 and 1 38 37\n40 root 1 39\n"
    )
}

#[test]
fn figure_1_clears_memory() {
    assert_eq!(outcomes(&memclear("6")), [Outcome::Safe]);
    // Writing one instead of zero is found after the first element.
    assert_eq!(outcomes(&memclear("8")), [Outcome::Unsafe(2)]);
}

/// Figure 3, mended: line 15 wrote to no array and is gone, registers are read
/// at 16 by an index of five bits, line 31 has its widths.
const FIGURE_3: &str = "1 var 32 pc\n2 var 32 accu\n3 var 1 flag\n4 array 32 5\n5 array 32 32\n\
    6 constd 32 0\n7 constd 32 10\n8 constd 32 20\n9 constd 32 30\n10 constd 32 40\n\
    11 constd 32 50\n12 constd 32 60\n13 constd 32 70\n14 constd 5 0\n16 read 32 4 14\n\
    17 eq 1 1 6\n18 cond 32 17 7 1\n19 constd 32 10\n20 eq 1 1 7\n21 cond 32 20 8 18\n\
    22 constd 32 100\n23 cond 32 20 22 2\n24 eq 1 1 8\n25 cond 32 24 9 21\n26 constd 32 1\n\
    27 add 32 23 26\n28 cond 32 24 27 23\n29 eq 1 1 9\n30 cond 32 29 10 25\n31 write 32 5 4 14 2\n\
    32 acond 32 5 29 31 4\n33 eq 1 1 10\n34 cond 32 33 11 30\n35 ne 1 2 16\n36 cond 1 33 35 3\n\
    37 eq 1 1 11\n38 cond 32 37 12 34\n39 and 1 37 3\n40 cond 32 39 13 38\n41 constd 32 70\n\
    42 eq 1 1 12\n43 constd 32 0\n44 redor 1 43\n45 and 1 44 42\n46 root 1 45\n47 eq 1 1 13\n\
    48 constd 32 1\n49 redor 1 48\n50 and 1 49 47\n51 root 1 50\n52 next 32 1 40\n53 next 32 2 28\n\
    54 next 1 3 36\n55 anext 32 5 4 32\n56 anext 32 32 5 5\n";

/// The program of the figure runs 10, 20, … 60 and stays there; it never exits
/// with an error.
#[test]
fn figure_3_runs_the_program() {
    let system = model(FIGURE_3).system;
    assert_eq!(system.properties()[0].name, "root46");
    let zeros = |system: &TransitionSystem, state: usize| -> Value {
        zero_of(system.pool().sort(system.states()[state].symbol))
    };
    let mut simulator = Simulator::new(&system, |state| zeros(&system, state), vec![]);
    let mut counters = Vec::new();
    for _ in 0..8 {
        counters.push(simulator.states()[0].bv().to_u64().unwrap());
        assert!(system.bads().all(|(_, bad)| !simulator.holds(bad)));
        simulator.step(|state| zeros(&system, state), vec![]);
    }
    assert_eq!(counters, [0, 10, 20, 30, 40, 50, 60, 60]);
    assert_eq!(simulator.states()[1].bv().to_u64(), Some(101));
}

// ---- declarations -----------------------------------------------------------------

#[test]
fn registers_start_at_zero_and_memories_anywhere() {
    let system = system(
        Format::Btor,
        "10 var 2 x\n20 array 1 1 m\n15 var 1 free\n3 var 2\n30 next 2 10 -10\n\
         40 anext 1 1 20 20\n50 root 1 15 one\n60 root 1 -15\n70 root 2 3 wide\n",
    );
    assert_eq!([0, 1].map(|state| system.state_name(state)), ["x", "m"]);
    assert_eq!(system.input_name(0), "free");
    assert!(system.states()[0].init.is_some() && system.states()[1].init.is_none());
    let names: Vec<&str> = system.properties().iter().map(|property| &*property.name).collect();
    assert_eq!(names, ["one", "root60"]);
    assert_eq!(system.outputs()[0].name, "wide");
}

/// Boolector asks for a wide root to be different from zero.
#[test]
fn a_wide_root_of_a_formula() {
    let source = "1 var 1\n2 var 2\n3 var 2\n4 cond 2 1 2 3\n5 root 2 4\n6 root 2 4 again\n";
    let model = model(source);
    assert!(model.combinational && model.roots.len() == 2 && model.roots[1].name == "again");
    assert_eq!(outcomes(source), [Outcome::Unsafe(0); 2]);
}

fn rejection(source: &[u8]) -> String {
    crate::rejection(btor::read, source)
}

#[test]
fn rejections() {
    let head = "1 var 1\n2 var 4\n3 array 4 4\n4 var 2\n5 var 6\n";
    for (line, expected) in [
        ("-1 var 1", "6:1: expected the number of the line"),
        ("5 var 1", "6:1: line 5 is defined twice"),
        ("6 input 1", "6:3: `input` is not an operator of BTOR"),
        ("6 varr 1", "6:3: `varr` is not an operator of BTOR"),
        ("6 var 0", "6:7: width 0 is not supported: it must be between 1 and 1048576"),
        (
            "6 array 2 4294967297",
            "6:11: width 4294967297 is not supported: it must be between 1 and 1048576",
        ),
        ("6 array 2", "6:10: expected the width of the addresses, found the end of the line"),
        ("6 var 2 x y", "6:11: unexpected text at the end of the line"),
        ("6 var 2 \u{fe0f}\u{fffd}", "ok"),
        ("6 and 4 2 7", "6:11: line 7 is not defined"),
        ("6 and 4 2 1", "6:11: operand has width 1, expected 4"),
        ("6 and 1 2 2", "6:9: operand has width 4, expected 1"),
        ("6 eq 4 2 2", "6:6: result has width 1, declared with width 4"),
        (
            "6 eq 1 1 3",
            "6:10: operand is an array of 4-bit elements with 4-bit addresses, expected a bit",
        ),
        ("6 and 4 -3 2", "6:9: an array cannot be negated"),
        ("6 sll 6 5 2", "6:11: the shift amount has width 4, expected 6"),
        ("6 sll 1 1 2", "6:11: the shift amount has width 4, expected 1"),
        ("6 rol 4 2 1", "6:11: the shift amount has width 1, expected 2 or 4"),
        ("6 ror 4 2 5", "6:11: the shift amount has width 6, expected 2 or 4"),
        ("6 sra 4 5 4", "6:9: operand has width 6, expected 4"),
        ("6 acond 4 4 2 3 3", "6:13: operand has width 4, expected 1"),
        (
            "6 acond 4 4 1 3 2",
            "6:17: operand is a bit-vector of width 4, expected an array of 4-bit elements with 4-bit addresses",
        ),
        (
            "6 cond 4 1 3 3",
            "6:12: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector of width 4",
        ),
        (
            "6 write 4 2 3 2 2",
            "6:9: result is an array of 4-bit elements with 4-bit addresses, declared as an array of 4-bit elements with 2-bit addresses",
        ),
        ("6 read 4 2 2", "6:10: operand is a bit-vector of width 4, expected an array"),
        ("6 read 2 3 2", "6:8: result has width 4, declared with width 2"),
        ("6 slice 2 2 4 3", "6:13: slice 4:3 does not fit in width 4"),
        ("6 uext 7 2 2", "6:8: result has width 6, declared with width 7"),
        ("6 const 4 10101", "6:11: the constant does not fit in width 4"),
        ("6 constd 4 16", "6:12: the constant does not fit in width 4"),
        ("6 consth 4 g", "6:12: expected a hexadecimal number"),
        ("6 next 4 2 1", "6:12: operand has width 1, expected 4"),
        ("6 next 4 1 1", "6:10: operand has width 1, expected 4"),
        ("6 next 4 -2 2", "6:10: operand is not a `var`"),
        (
            "6 next 4 3 2",
            "6:10: operand is an array of 4-bit elements with 4-bit addresses, expected a bit-vector of width 4",
        ),
        (
            "6 anext 4 4 2 3",
            "6:13: operand is a bit-vector of width 4, expected an array of 4-bit elements with 4-bit addresses",
        ),
        ("6 not 4 2\n7 next 4 6 2", "7:10: operand is not a `var`"),
        ("6 next 4 2 2\n7 next 4 2 2", "7:10: the register has two next values"),
        ("6 next 4 2 2\n7 not 4 6", "7:9: line 6 is a next value, not an expression"),
        ("6 root 1 2", "6:10: operand has width 4, expected 1"),
        (
            "6 root 1 3",
            "6:10: operand is an array of 4-bit elements with 4-bit addresses, expected a bit",
        ),
    ] {
        let source = format!("{head}{line}");
        if expected == "ok" {
            assert!(btor::read(source.as_bytes()).is_ok(), "{line}");
        } else {
            assert_eq!(rejection(source.as_bytes()), expected, "{line}");
        }
    }
    assert_eq!(rejection(b"1 var 2 a\xff"), "1:10: the symbol is not valid UTF-8");
}
