//! What is written is read again: as the same system, or, where BTOR lacks
//! something, as one with the same verdicts at the same depths.

use elinvar_formats::{WriteError, btor, btor2, same_system};
use elinvar_ir::{
    Expr, ExprId, Property, PropertyId, PropertyKind, Sort, SystemBuilder, TransitionSystem, cone,
};
use elinvar_models::{Generator, Outcome, Shape, search};

use crate::{Format, read, system};

const SHAPES: [Shape; 3] = [Shape::BITS, Shape::WORDS, Shape::ARRAYS];

fn outcomes(system: &TransitionSystem) -> Option<Vec<(PropertyId, Outcome)>> {
    search(system, 60_000).ok()
}

/// Does BTOR2 say it in other words? Constant arrays become states there, and
/// initial values that depend on inputs become constraints.
fn is_reworded(system: &TransitionSystem) -> bool {
    let pool = system.pool();
    let inits = system.states().iter().filter_map(|state| state.init);
    let is_input = |id: &ExprId| system.inputs().iter().any(|input| input.symbol == *id);
    pool.ids().any(|id| matches!(pool.get(id), Expr::ConstArray(_)))
        || cone(pool, inits).iter().any(is_input)
}

type Writer = fn(&TransitionSystem) -> Result<Vec<u8>, WriteError>;

/// Writes and reads random systems, and compares the verdicts of those that are small enough.
/// Returns how many were compared.
fn round_trips(format: Format, write: Writer, seeds: u64, is_exact: bool) -> usize {
    let mut compared = 0;
    for shape in SHAPES {
        for seed in 0..seeds {
            let original = Generator::system(seed, shape);
            let text = write(&original).unwrap();
            let again = read(format, &text).unwrap();
            let twice = read(format, &write(&again).unwrap()).unwrap();
            assert!(same_system(&again, &twice), "seed {seed}");
            if is_exact && !is_reworded(&original) {
                assert!(same_system(&original, &again), "seed {seed}");
            }
            let (Some(before), Some(after)) = (outcomes(&original), outcomes(&again)) else {
                continue;
            };
            assert_eq!(before, after, "seed {seed}\n{}", String::from_utf8_lossy(&text));
            compared += 1;
        }
    }
    compared
}

#[test]
fn random_systems_through_btor2() {
    let compared = round_trips(Format::Btor2, btor2::write, 150, true);
    assert!(compared > 300, "{compared}");
}

#[test]
fn random_systems_through_btor() {
    let compared = round_trips(Format::Btor, btor::write, 80, false);
    assert!(compared > 120, "{compared}");
}

/// Shifts of a width that is not a power of two, by every amount.
#[test]
fn shifts_of_odd_widths_through_btor() {
    for keyword in ["sll", "srl", "sra", "rol", "ror"] {
        for width in [2, 3, 4, 5] {
            // Bad when the shift differs from a guess: every value must be reachable,
            // and only together with its operands.
            let source = format!(
                "1 sort bitvec {width}\n2 sort bitvec 1\n3 input 1\n4 input 1\n5 {keyword} 1 3 4\n\
                 6 output 5 shifted\n7 state 2\n8 zero 2\n9 next 2 7 7\n"
            );
            let original = system(Format::Btor2, &source);
            let again = read(Format::Btor, &btor::write(&original).unwrap()).unwrap();
            for x in 0..1u64 << width {
                for y in 0..1u64 << width {
                    let value = |system: &TransitionSystem| {
                        let root = system.outputs()[0].expr;
                        let mut evaluator = elinvar_ir::Evaluator::new(system.pool(), [root]);
                        evaluator.run(|symbol| {
                            if system.role_of(symbol) == Some(elinvar_ir::Role::Input(0)) {
                                elinvar_ir::BitVec::new(width, x).into()
                            } else {
                                elinvar_ir::BitVec::new(width, y).into()
                            }
                        });
                        evaluator.bv(root)
                    };
                    assert_eq!(value(&original), value(&again), "{keyword} {width} {x} {y}");
                }
            }
        }
    }
}

/// Everything that BTOR2 has, in one file.
const EVERYTHING: &str = "1 sort bitvec 1\n2 sort bitvec 8\n3 sort array 2 2\n4 sort bitvec 70\n\
    5 constd 2 7 seven\n6 input 1 go\n7 input 3 table\n8 state 2 a\n9 init 2 8 5\n10 state 2 b\n\
    11 not 2 8\n12 state 2 c\n13 init 2 12 11\n14 state 3 m\n15 state 3 n\n16 init 3 15 5\n\
    17 consth 4 123456789abcdef012\n18 uext 4 8 62 wide\n19 mul 4 17 18\n20 slice 1 19 69 69\n\
    21 read 2 14 8\n22 write 3 15 21 -8\n23 ite 3 6 22 7\n24 next 3 14 23\n25 next 2 8 -21\n\
    26 eq 1 14 7\n27 and 1 26 -20 both\n28 bad 27\n29 bad -27 named\n30 constraint -20 held\n\
    31 fair 6\n32 justice 2 6 -26 often\n33 justice 1 6\n34 output 19 product\n35 output -20\n\
    36 uext 2 8 0 alias\n37 ite 3 6 14 14 memory\n38 uext 1 -6 0 stop\n39 next 2 10 10\n\
    40 uext 2 8 0 second_alias\n41 redand 1 8 all\n42 uext 1 41 0 all_again\n";

#[test]
fn everything_is_read_again_as_it_was() {
    let original = system(Format::Btor2, EVERYTHING);
    let text = btor2::write(&original).unwrap();
    let again = read(Format::Btor2, &text).unwrap();
    assert!(same_system(&original, &again), "{}", String::from_utf8_lossy(&text));
    assert_eq!(btor2::write(&again).unwrap(), text);
}

#[test]
fn a_formula_in_btor_is_read_again_as_it_was() {
    let source = "1 var 8 x\n2 var 3 y\n3 array 8 3 a\n4 sll 8 1 2\n5 constd 3 5\n6 ror 8 4 5\n\
        7 slice 2 2 1 0\n8 uext 3 7 1\n9 sra 8 6 8\n10 write 8 3 3 2 9\n11 eq 1 10 3\n\
        12 root 1 -11 named\n13 root 8 9\n14 root 1 11\n";
    let original = system(Format::Btor, source);
    let text = btor::write(&original).unwrap();
    let again = read(Format::Btor, &text).unwrap();
    assert!(same_system(&original, &again), "{}", String::from_utf8_lossy(&text));
}

/// States are written after those that their initial values depend on.
#[test]
fn initial_values_come_before_their_states() {
    let mut b = SystemBuilder::new();
    let x = b.state(Sort::Bv(2), Some("x")).unwrap();
    let y = b.state(Sort::Bv(2), Some("y")).unwrap();
    b.states[0].init = Some(b.pool.not(y).unwrap());
    let differ = b.pool.equal(x, y).unwrap();
    b.bad("p", differ);
    let text = btor2::write(&b.finish().unwrap()).unwrap();
    let again = read(Format::Btor2, &text).unwrap();
    assert_eq!((again.state_name(0), again.state_name(1)), ("y".into(), "x".into()));
    assert_eq!(outcomes(&again).unwrap(), [(PropertyId(0), Outcome::Unsafe(1))]);
}

/// In BTOR2 initial values do not depend on inputs; in BTOR registers start at zero.
#[test]
fn initial_values_that_depend_on_inputs() {
    let mut b = SystemBuilder::new();
    let x = b.input(Sort::BOOL, Some("x")).unwrap();
    let s = b.state(Sort::BOOL, Some("s")).unwrap();
    b.states[0].init = Some(b.pool.not(x).unwrap());
    b.states[0].next = Some(s);
    let both = b.pool.and(s, x).unwrap();
    b.bad("p", both);
    let original = b.finish().unwrap();
    // s and x are both true in the second cycle, but not in the first.
    let expected = [(PropertyId(0), Outcome::Unsafe(1))];
    let text = btor2::write(&original).unwrap();
    assert_eq!(outcomes(&read(Format::Btor2, &text).unwrap()).unwrap(), expected);
    let text = btor::write(&original).unwrap();
    assert_eq!(outcomes(&read(Format::Btor, &text).unwrap()).unwrap(), expected);
}

#[test]
fn names_become_single_words() {
    let mut b = SystemBuilder::new();
    let x = b.input(Sort::BOOL, Some("a b\tc")).unwrap();
    b.input(Sort::BOOL, Some(";x")).unwrap();
    b.bad("p q", x);
    let system = b.finish().unwrap();
    for (format, text) in [
        (Format::Btor, btor::write(&system).unwrap()),
        (Format::Btor2, btor2::write(&system).unwrap()),
    ] {
        let again = read(format, &text).unwrap();
        assert_eq!((again.input_name(0), again.input_name(1)), ("a_b_c".into(), "_x".into()));
        assert_eq!(again.properties()[0].name, "p_q");
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let message = |error: WriteError| error.to_string();
    let mut b = SystemBuilder::new();
    let x = b.input(Sort::BOOL, Some("x")).unwrap();
    b.properties.push(Property::new("live", PropertyKind::Justice(vec![x])));
    let error = btor::write(&b.clone().finish().unwrap()).unwrap_err();
    assert_eq!(message(error), "BTOR cannot express the justice property live");
    b.properties.clear();
    b.fairness.push(x);
    let error = btor::write(&b.clone().finish().unwrap()).unwrap_err();
    assert_eq!(message(error), "BTOR cannot express the fairness constraints of the model");
    b.fairness.clear();
    let all = b.pool.const_array(11, x).unwrap();
    b.state(b.pool.sort(all), Some("m")).unwrap();
    b.states[0].next = Some(all);
    let system = b.finish().unwrap();
    assert_eq!(
        message(btor::write(&system).unwrap_err()),
        "BTOR cannot express a constant array with long addresses in the next value of m"
    );
    assert_eq!(
        message(btor2::write(&system).unwrap_err()),
        "BTOR2 cannot express a constant array with a varying element and long addresses in m"
    );
}

#[test]
fn a_chain_of_a_million_operators() {
    let mut source = String::from("1 sort bitvec 8\n2 sort bitvec 1\n3 input 1\n4 state 1\n");
    for line in 5..1_000_005u32 {
        let keyword = ["add", "xor", "mul"][line as usize % 3];
        source += &format!("{line} {keyword} 1 {} 3\n", line - 1);
    }
    source += "1000005 next 1 4 1000004\n1000006 redand 2 1000004\n1000007 bad 1000006\n";
    let model = system(Format::Btor2, &source);
    let again = read(Format::Btor2, &btor2::write(&model).unwrap()).unwrap();
    assert_eq!(model.pool().len(), again.pool().len());
    assert!(btor::write(&model).is_ok());
}
