//! `verify` refuses witnesses that claim something false.

use std::path::Path;

use super::*;

/// Two latches: `l0` takes over the input and `l1` starts at any value and stays. Each is
/// a bad state.
const BITS: &str = "aag 3 1 2 0 0 2\n2\n4 2\n6 6 6\n4\n6\ni0 set\nb0 was_set\nb1 high\n";
const BITS_WITNESS: &str = "1\nb0b1\n01\n1\n0\n.\n";

/// A counter and a register that starts at any value; `one` fails in cycle 1, `any` in
/// every cycle.
const WORDS: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 zero 2\n4 state 2 count\n5 init 2 4 3\n\
    6 one 2\n7 add 2 4 6\n8 next 2 4 7\n9 state 1 any\n10 next 1 9 9\n11 eq 1 4 6\n\
    12 input 1 enable\n13 and 1 11 12\n14 bad 13 one\n15 bad 9 any\n";
const WORDS_WITNESS: &str = "sat\nb0 b1\n#0\n1 1 any#0\n@0\n#1\n0 0001 count#1\n1 1 any#1\n\
    @1\n0 1 enable@1\n.\n";

fn judge(path: &Path, model: &str, witness: &str) -> Run {
    std::fs::write(path.join("model"), model).unwrap();
    std::fs::write(path.join("w"), witness).unwrap();
    elinvar(path, &["verify", "model", "w"])
}

fn refused(path: &Path, model: &str, witness: &str, reason: &str) {
    let run = judge(path, model, witness);
    assert_eq!(run.code, REFUSED, "{witness}{}{}", run.stdout, run.stderr);
    let text = run.stdout.strip_prefix("refused\n").expect("the verdict comes first");
    assert!(text.contains(reason), "{witness}{text}");
}

/// Good witnesses are accepted with this text. One that differs from `witness` in the text
/// `from`, which becomes `to`, is refused for the reason.
fn expect_claims_checked(
    model: &str,
    good: &[String],
    accepted: &str,
    witness: &str,
    changes: &[(&str, &str, &str)],
) {
    let path = &folder();
    for witness in good {
        let run = judge(path, model, witness);
        assert_eq!((run.code, run.stdout.as_str()), (ACCEPTED, accepted), "{witness}");
    }
    for (from, to, reason) in changes {
        let changed = witness.replacen(from, to, 1);
        assert_ne!(changed, witness, "{from}");
        refused(path, model, &changed, reason);
    }
}

#[test]
fn every_claim_of_an_aiger_witness_is_checked() {
    let accepted = "accepted\nThe trace shows that property was_set fails in cycle 1.\n\
        The trace shows that property high fails in cycle 0.\n";
    let comment = "c made by hand\nc twice\n";
    let good = [
        BITS_WITNESS.to_owned(),
        format!("{comment}{BITS_WITNESS}"),
        format!("{BITS_WITNESS}{comment}\n"),
        // The last input has no influence.
        BITS_WITNESS.replace("0\n.", "x\n."),
        // The first latch has a reset value.
        BITS_WITNESS.replace("01\n", "x1\n"),
    ];
    let changes = [
        ("01\n1", "00\n1", "no cycle of the trace violates property high"),
        ("1\n0\n.", "0\n0\n.", "no cycle of the trace violates property was_set"),
        ("01\n1", "01\nx", "no cycle of the trace violates property was_set"),
        ("01\n", "0x\n", "no cycle of the trace violates property high"),
        ("01\n", "11\n", "the initial value of"),
        ("b0b1", "b0b2", "w:2:3: error: there is no `b2`: the model has 2 bad states"),
        ("b0b1", "b0j0", "w:2:3: error: there is no `j0`: the model has 0 justice"),
        ("b0b1", "b0b1?", "w:2:5: error: expected a property"),
        ("01\n1", "01\n11", "w:4:1: error: expected 1 value for the inputs, found 2"),
        ("01\n1\n", "01\n\n", "w:4:1: error: expected 1 value for the inputs, found 0"),
        (".\n", ".\nc\nnonsense\n", "w:8:1: error: unexpected text"),
        (".\n", ".\n1\nb0\n01\n1\n0\n.\n", "w:7:1: error: the file has a second witness"),
        (".\n", "", "w:6:1: error: expected the inputs"),
    ];
    expect_claims_checked(BITS, &good, accepted, BITS_WITNESS, &changes);
}

/// The bad state is the negation of the input: an `x` read as 0 leads to it.
#[test]
fn an_open_value_must_not_matter() {
    let path = &folder();
    let model = "aag 1 1 0 0 0 1\n2\n3\n";
    assert_eq!(judge(path, model, "1\nb0\n\n0\n.\n").code, ACCEPTED);
    refused(path, model, "1\nb0\n\nx\n.\n", "for every choice of the open values");
    // Three-valued simulation would not see that x ∨ ¬x holds.
    let model = "aag 2 1 0 0 1 1\n2\n5\n4 2 3\n";
    assert_eq!(judge(path, model, "1\nb0\n\nx\n.\n").code, ACCEPTED);
    // A constraint that holds for one value only.
    let model = "aag 1 1 0 0 0 1 1\n2\n1\n3\n";
    assert_eq!(judge(path, model, "1\nb0\n\n0\n.\n").code, ACCEPTED);
    refused(path, model, "1\nb0\n\nx\n.\n", "violates constraint 0 in cycle 0");
}

#[test]
fn every_claim_of_a_btor2_witness_is_checked() {
    let accepted = "accepted\nThe trace shows that property one fails in cycle 1.\n\
        The trace shows that property any fails in cycle 0.\n";
    let good = [WORDS_WITNESS.to_owned(), format!("; first\n{WORDS_WITNESS}; last\n")];
    let changes = [
        ("1 1 any#0", "1 0 any#0", "any has a different value in cycle 1 of the model"),
        ("1 1 any#0\n@0\n#1\n0 0001 count#1\n1 1 any#1", "", "violates property any"),
        ("0 1 enable@1\n", "", "no cycle of the trace violates property one"),
        ("0001 count#1", "0010 count#1", "w:7:1: error: count has a different value in cycle 1"),
        ("1 1 any#0", "0 0001", "w:4:1: error: count has a different initial value"),
        ("b0 b1", "b0 b2", "w:2:4: error: the model has no such property"),
        ("b0 b1", "b0 nonsense", "w:2:4: error: expected a property"),
        (".\n", ".\nnonsense\n", "w:12:1: error: unexpected text after the end"),
        (".\n", ". nonsense\n", "w:11:3: error: unexpected text at the end"),
        (".\n", ".\nsat\nb0\n@0\n.\n", "w:12:1: error: the file has a second witness"),
        (".\n", "", "w:11:1: error: expected `.`"),
    ];
    expect_claims_checked(WORDS, &good, accepted, WORDS_WITNESS, &changes);
}

/// A latch that toggles while the input is set. Bad: the latch is set. Justice: the latch is set;
/// fairness: the input is set. A second latch is set forever once the latch was set.
const LIVE_BITS: &str = "aag 7 1 2 0 4 1 0 1 1\n2\n4 12\n6 15\n4\n1\n4\n2\n8 4 2\n10 5 3\n12 9 11\n\
    14 7 5\nb0 set\nj0 again\n";
const LIVE_BITS_WITNESS: &str = "1\nb0j0\n00\n0\n1\n1\n.\n";

#[test]
fn loops_of_aiger_witnesses_are_checked() {
    let accepted = "accepted\nThe trace shows that property set fails in cycle 2.\n\
        The trace shows that property again fails: cycles 1 to 2 repeat forever.\n";
    // The second latch does not return, and the property does not depend on it.
    let good = [LIVE_BITS_WITNESS.to_owned()];
    let changes = [
        ("1\n1\n.", "1\n0\n.", "never holds in it"),
        ("1\n1\n.", "1\n.", "no cycle of the trace violates property set"),
        ("b0j0\n00\n0\n1\n1", "j0\n00\n0\n1", "not that of an earlier one"),
        ("b0j0\n00\n0\n1\n1", "j0\n00\n0\n0", "never holds in it"),
        ("1\n1\n.", "1\nx\n.", "never holds in it"),
        ("j0", "j1", "w:2:3: error: there is no `j1`: the model has 1 justice property"),
    ];
    expect_claims_checked(LIVE_BITS, &good, accepted, LIVE_BITS_WITNESS, &changes);
}

/// A counter modulo four that an input moves; it is three infinitely often.
const LIVE_WORDS: &str = "1 sort bitvec 1\n2 sort bitvec 2\n3 zero 2\n4 state 2 count\n5 init 2 4 3\n\
    6 input 1 go\n7 uext 2 6 1\n8 add 2 4 7\n9 next 2 4 8\n10 ones 2\n11 eq 1 4 10\n\
    12 justice 1 11 three\n";

#[test]
fn loops_of_btor2_witnesses_are_checked() {
    let witness = "sat\nj0\n@0\n0 1\n@1\n0 1\n@2\n0 1\n@3\n0 1\n.\n";
    let accepted =
        "accepted\nThe trace shows that property three fails: cycles 0 to 3 repeat forever.\n";
    let changes = [
        ("@3\n0 1\n", "", "not that of an earlier one"),
        ("@1\n0 1", "@1\n0 0", "not that of an earlier one"),
        ("0 1\n@1\n0 1\n@2\n0 1\n@3\n0 1\n.", "0 0\n.", "never holds in it"),
        ("j0", "j1", "w:2:1: error: the model has no such property"),
    ];
    expect_claims_checked(LIVE_WORDS, &[witness.to_owned()], accepted, witness, &changes);
}

/// A property that the user names must fail as well as those that the witness names.
#[test]
fn false_claims_are_refused_beside_the_chosen_property() {
    let path = &folder();
    judge(path, WORDS, &WORDS_WITNESS.replace("b0 b1", "b0"));
    let chosen = ["verify", "model", "w", "--property"];
    assert_eq!(elinvar(path, &[&chosen[..], &["any"]].concat()).code, ACCEPTED);
    judge(path, WORDS, "sat\nb0\n#0\n1 1\n@0\n.\n");
    assert_eq!(elinvar(path, &[&chosen[..], &["any"]].concat()).code, REFUSED);
}
