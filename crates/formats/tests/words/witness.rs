//! BTOR2 witnesses: written as btorsim wants them, and read as others write them.

use elinvar_formats::btor2::{read_witness, write_witness};
use elinvar_ir::{ArrayValue, BitVec, PropertyId, Simulator, Step, Trace, TransitionSystem, Value};

use crate::{Format, system};

/// A free word, a counter, a memory, an array input, two properties.
const MODEL: &str = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 2 2\n4 input 1 go\n\
    5 input 3 table\n6 state 2 any\n7 zero 2\n8 state 2 count\n9 init 2 8 7\n10 state 3 mem\n\
    11 one 2\n12 state 3 ones\n13 init 3 12 11\n14 next 3 12 12\n15 inc 2 8\n16 next 2 8 15\n\
    17 next 3 10 10\n18 read 2 10 8\n19 read 2 5 8\n20 eq 1 18 19\n21 and 1 20 4\n22 redand 1 18\n\
    23 and 1 21 22\n24 read 2 12 8\n25 eq 1 24 11\n26 and 1 25 23\n27 redor 1 6\n28 and 1 26 27\n\
    29 bad 21 first\n30 bad 28 second\n";

fn word(value: u64) -> Value {
    BitVec::new(2, value).into()
}

fn array(default: u64, entries: &[(u64, u64)]) -> Value {
    let mut array = ArrayValue::constant(2, BitVec::new(2, default));
    for &(index, element) in entries {
        array.write(BitVec::new(2, index), BitVec::new(2, element));
    }
    array.into()
}

fn example() -> Trace {
    let step = |go: bool, table: Value, free: Vec<Value>| Step {
        inputs: vec![BitVec::bool(go).into(), table].into(),
        free,
    };
    Trace {
        property: PropertyId(1),
        initial: vec![word(2), word(0), array(1, &[(1, 3)]), array(1, &[])],
        steps: vec![
            step(false, array(0, &[]), vec![]),
            step(true, array(0, &[(1, 3), (2, 1)]), vec![word(1)]),
        ]
        .into(),
        loop_start: None,
    }
}

const EXAMPLE: &str = "sat\nb1\n#0\n0 10 any#0\n2 [*] 01 mem#0\n2 [01] 11 mem#0\n@0\n0 0 go@0\n\
    #1\n0 01 any#1\n@1\n0 1 go@1\n1 [01] 11 table@1\n1 [10] 01 table@1\n.\n";

/// Does the trace end in the bad state of its property?
fn replays(system: &TransitionSystem, trace: &Trace) -> bool {
    let mut steps = trace.steps.iter();
    let first = steps.next().unwrap();
    let start = |state: usize| trace.initial[state].clone();
    let mut simulator = Simulator::new(system, start, first.inputs.clone());
    for step in steps {
        let free = |state: usize| {
            let position = system.free_states().binary_search(&state).unwrap();
            step.free[position].clone()
        };
        simulator.step(free, step.inputs.clone());
    }
    simulator.holds(system.bad(trace.property).unwrap())
}

#[test]
fn a_trace_is_written_and_read_again() {
    let system = system(Format::Btor2, MODEL);
    assert!(replays(&system, &example()));
    assert_eq!(write_witness(&system, &example()), EXAMPLE);
    assert_eq!(read_witness(EXAMPLE.as_bytes(), &system).unwrap().trace, example());
}

/// btorsim has no default for the elements of inputs.
#[test]
fn array_inputs_are_spelled_out() {
    let system = system(Format::Btor2, MODEL);
    let mut trace = example();
    trace.steps[1].inputs.set(1, array(3, &[(0, 1)]));
    let text = write_witness(&system, &trace);
    for line in ["1 [00] 01 table@1", "1 [01] 11 table@1", "1 [10] 11 table@1", "1 [11] 11 table@1"]
    {
        assert!(text.contains(line), "{text}");
    }
    let again = read_witness(text.as_bytes(), &system).unwrap().trace;
    assert_eq!(again.steps[1].inputs[1], trace.steps[1].inputs[1]);
}

#[test]
fn what_others_write() {
    let system = system(Format::Btor2, MODEL);
    // Without names and without what is zero; elements before the default; all
    // states in full, as by `btormc --trace-gen-full`; a default as by pono.
    for text in [
        "; by hand\nsat\nb1 b0\n#0\n0 10\n2 [01] 11\n2 [*] 01\n@0\n#1\n0 01\n@1\n0 1\n1 [01] 11\n\
         1 [10] 01\n.\n",
        "sat\nb1\n#0\n0 10 any#0\n1 00 count#0\n2 01\n2 [01] 11 mem@0\n3 [*] 01\n3 [10] 01\n@0\n\
         #1\n1 01 count#1\n0 01 a name\n@1\n0 1\n1 [01] 11\n1 [10] 01\n.\n",
    ] {
        assert_eq!(read_witness(text.as_bytes(), &system).unwrap().trace, example(), "{text}");
    }
    // The states of the last cycle may stand without inputs.
    let short = read_witness(b"sat\nb0\n@0\n0 1\n#1\n.\n", &system).unwrap().trace;
    assert_eq!((short.depth(), short.property), (1, PropertyId(0)));
}

#[test]
fn a_witness_may_name_several_properties() {
    let system = system(Format::Btor2, MODEL);
    for line in ["b1 b0", "b1  b0 ; both", "b1\nb0"] {
        let text = EXAMPLE.replacen("b1", line, 1);
        let witness = read_witness(text.as_bytes(), &system).unwrap();
        assert_eq!(witness.properties, [PropertyId(1), PropertyId(0)], "{line}");
        assert_eq!(witness.trace, example());
    }
}

/// States that the model determines are compared in every cycle.
#[test]
fn states_of_later_cycles_agree_with_the_model() {
    let system = system(Format::Btor2, MODEL);
    let with = |line: &str| EXAMPLE.replacen("#1\n", &format!("#1\n{line}\n"), 1);
    for line in ["1 01 count#1", "2 [01] 11", "2 [*] 01\n2 [01] 11", "3 [*] 01", "3 [00] 01"] {
        let witness = read_witness(with(line).as_bytes(), &system).unwrap();
        assert_eq!(witness.trace, example(), "{line}");
    }
    for (line, name) in [
        ("1 00 count#1", "count"),
        ("2 [01] 10", "mem"),
        ("2 [*] 01", "mem"),
        ("3 [*] 00", "ones"),
        ("3 [11] 11", "ones"),
    ] {
        let error = read_witness(with(line).as_bytes(), &system).unwrap_err();
        assert_eq!(error.message, format!("{name} has a different value in cycle 1 of the model"));
    }
}

#[test]
fn nothing_but_comments_follows_the_full_stop() {
    let system = system(Format::Btor2, MODEL);
    for good in ["", "\n\n", "; end\n"] {
        read_witness(format!("{EXAMPLE}{good}").as_bytes(), &system).unwrap();
    }
    for (bad, message) in [
        ("junk\n", "unexpected text after the end of the witness"),
        (".\n", "unexpected text after the end of the witness"),
        ("sat\nb0\n@0\n.\n", "the file has a second witness"),
    ] {
        let error = read_witness(format!("{EXAMPLE}{bad}").as_bytes(), &system).unwrap_err();
        assert_eq!(error.message, message);
    }
}

#[test]
fn rejections() {
    let system = system(Format::Btor2, MODEL);
    for (text, expected) in [
        ("", "1:1: expected `sat`, found the end of the witness"),
        ("unsat\n", "1:1: this is not the witness of a bad state"),
        ("satt\n", "1:1: expected `sat`"),
        ("sat\nb\n", "2:1: expected a property such as `b0`"),
        ("sat\nc0\n", "2:1: expected a property such as `b0`"),
        ("sat\nb+0\n", "2:1: expected a property such as `b0`"),
        ("sat\nb0 x\n", "2:4: expected a property such as `b0`"),
        ("sat\nb0 b2\n", "2:4: the model has no such property"),
        ("sat\nb0\nb2\n", "3:1: the model has no such property"),
        ("sat\nb0\n@0\n.x\n", "4:1: expected `.`"),
        ("sat\nb0\n@0\n. x\n", "4:3: unexpected text at the end of the line"),
        ("sat\nb0\n@0\n1 [00] 11\n1 [00] 10\n", "5:3: the value is given twice"),
        ("sat\nb0\n#0\n2 [*] 11\n2 [*] 10\n", "5:3: the value is given twice"),
        ("sat\nb2\n", "2:1: the model has no such property"),
        ("sat\nj0\n", "2:1: the model has no such property"),
        ("sat\nb0\n.\n", "3:1: the witness has no cycle"),
        ("sat\nb0\n@0\n", "4:1: expected `.`, found the end of the witness"),
        ("sat\nb0\n@1\n", "3:1: expected cycle 0"),
        ("sat\nb0\n@0\n@0\n", "4:1: expected cycle 1"),
        ("sat\nb0\n#0\n#0\n", "4:1: expected cycle 1"),
        ("sat\nb0\n@18446744073709551615\n", "3:1: expected cycle 0"),
        ("sat\nb0\n@x\n", "3:1: expected the number of a cycle"),
        ("sat\nb0\n0 1\n", "3:1: expected `#0` or `@0`"),
        ("sat\nb0\n@0\nx 1\n", "4:1: expected the number of an input or a state"),
        ("sat\nb0\n@0\n2 1\n", "4:1: the model has no input 2"),
        ("sat\nb0\n#0\n4 1\n", "4:1: the model has no state 4"),
        ("sat\nb0\n@0\n0\n", "4:2: expected a value, found the end of the line"),
        ("sat\nb0\n@0\n0 10\n", "4:3: value has 2 digits, expected 1"),
        ("sat\nb0\n@0\n0 x\n", "4:3: expected a binary number"),
        ("sat\nb0\n@0\n0 1\n0 1\n", "5:3: the value is given twice"),
        ("sat\nb0\n@0\n0 [0] 1\n", "4:3: only arrays have elements"),
        ("sat\nb0\n@0\n1 [00 1\n", "4:3: expected `]` after the index"),
        ("sat\nb0\n@0\n1 [ 1\n", "4:3: expected `]` after the index"),
        ("sat\nb0\n@0\n1 [] 11\n", "4:4: value has 0 digits, expected 2"),
        ("sat\nb0\n@0\n1 [000] 11\n", "4:4: value has 3 digits, expected 2"),
        ("sat\nb0\n@0\n1 [00]\n", "4:7: expected a value, found the end of the line"),
        ("sat\nb0\n#0\n1 01\n@0\n.\n", "4:1: count has a different initial value in the model"),
        ("sat\nb0\n#0\n3 [00] 11\n@0\n.\n", "4:1: ones has a different initial value in the model"),
    ] {
        let error = read_witness(text.as_bytes(), &system).expect_err(text);
        let position = error.position(text.as_bytes());
        let found = format!("{}:{}: {error}", position.line, position.column);
        assert_eq!(found, expected, "{text}");
    }
}
