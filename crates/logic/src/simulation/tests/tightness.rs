//! How often a result is the tightest that its kind can describe, at width 4.
//!
//! The numbers are a record: a change that makes one smaller has to be meant.

use std::fmt::Write as _;

use elinvar_ir::{BinaryOp, Rng, UnaryOp};

use super::*;

const WIDTH: u32 = 4;

/// A word with its members.
type Case = (Abstract, Vec<BitVec>);

fn case(word: Abstract) -> Case {
    let members = members(&word);
    (word, members)
}

/// Is the word the tightest of its kind that contains these values? A hybrid chooses
/// between bits and an interval: the tightest of the sort that it chose.
fn is_tightest(kind: Kind, word: &Abstract, mut values: Vec<BitVec>) -> bool {
    let kind = match &word.0 {
        Repr::Narrow(Word::Hybrid(Hybrid::Bits(_))) => Kind::Ternary,
        Repr::Narrow(Word::Hybrid(Hybrid::Interval(_))) => Kind::Interval,
        Repr::Narrow(_) | Repr::Wide(_) => kind,
    };
    values.sort_unstable();
    values.dedup();
    let points = values.iter().map(|value| kind.point(value));
    let tightest = points.reduce(|a, b| hull(kind, &a, &b)).expect("words are not empty");
    let ranges = |word: &Abstract| [Reading::Signed, Reading::Unsigned].map(|r| word.range(r));
    (0..word.width()).all(|index| word.bit(index) == tightest.bit(index))
        && ranges(word) == ranges(&tightest)
}

/// How many results are the tightest, in percent; 100 only if all are.
fn percentage(results: impl Iterator<Item = bool>) -> usize {
    let (mut tight, mut all) = (0, 0);
    for is_tightest in results {
        tight += usize::from(is_tightest);
        all += 1;
    }
    100 * tight / all
}

fn binary(kind: Kind, op: BinaryOp, pairs: &[[Case; 2]]) -> usize {
    percentage(pairs.iter().map(|[(a, in_a), (b, in_b)]| {
        let results = in_a.iter().flat_map(|x| in_b.iter().map(move |y| op.apply(x, y)));
        is_tightest(kind, &kind.binary(op, a, b), results.collect())
    }))
}

fn unary(
    kind: Kind,
    cases: &[Case],
    simulate: impl Fn(&Abstract) -> Abstract,
    apply: impl Fn(&BitVec) -> BitVec,
) -> usize {
    let results = cases.iter().map(|(word, members)| {
        is_tightest(kind, &simulate(word), members.iter().map(&apply).collect())
    });
    percentage(results)
}

/// All pairs of words, or a sample of them.
fn pairs(cases: &[Case]) -> Vec<[Case; 2]> {
    const SAMPLE: usize = 4_000;
    let mut rng = Rng::new(3);
    if cases.len() < 100 {
        cases.iter().flat_map(|a| cases.iter().map(move |b| [a.clone(), b.clone()])).collect()
    } else {
        let mut draw = || cases[rng.below(cases.len())].clone();
        (0..SAMPLE).map(|_| [draw(), draw()]).collect()
    }
}

/// All words with all constants.
fn with_constants(kind: Kind, cases: &[Case]) -> Vec<[Case; 2]> {
    let with = |word: &Case| {
        let word = word.clone();
        values(WIDTH).map(move |value| [word.clone(), case(kind.point(&value))])
    };
    cases.iter().flat_map(with).collect()
}

/// A line for each row, and in it a number for each column.
fn table(columns: Vec<Vec<(String, usize)>>) -> String {
    let mut text = String::new();
    for row in 0..columns[0].len() {
        write!(text, "{:7}", columns[0][row].0).expect("strings can be written to");
        for column in &columns {
            write!(text, "{:5}", column[row].1).expect("strings can be written to");
        }
        text.push('\n');
    }
    text
}

#[test]
fn binary_operators() {
    // Of ternary, interval, hybrid and product simulation; with two words, then with a word and
    // a constant.
    let expected = "\
And      100   55   99   29  100   81   99   69
Xor      100   66  100   71  100   54  100   14
Add      100  100   99   94  100  100   99   98
Sub      100  100   99   95  100  100   99   98
Mul       95   67   73   52   93   44   81   59
Udiv      90   56   64   66   93  100   99   94
Urem      51   50   53   35   60   86   85   82
Sdiv      75   99   95   95   73  100   99   97
Srem      56   98   92   78   62  100   93   86
Smod      59   89   82   69   48  100   93   91
Eq       100  100   99  100  100  100  100  100
Ult      100  100  100  100  100  100  100  100
Slt      100  100  100  100  100  100  100  100
Shl      100   45   91   34  100  100  100  100
Lshr     100   65   98   80  100  100  100  100
Ashr     100  100  100   99  100  100  100  100
Rol      100   48   97    3  100   81   97   42
Ror      100   49   97    3  100   81   97   42
Concat   100  100  100  100  100  100  100  100
Uaddo    100  100  100  100  100  100  100  100
Saddo    100  100  100  100  100  100  100  100
Ssubo    100  100  100  100  100  100  100  100
Umulo    100  100  100  100  100  100  100  100
Smulo    100  100  100  100  100  100  100  100
Sdivo    100  100  100  100  100  100  100  100
";
    let column = |kind: Kind, constants: bool| {
        let cases: Vec<Case> = words(kind, WIDTH).into_iter().map(case).collect();
        let pairs = if constants { with_constants(kind, &cases) } else { pairs(&cases) };
        BinaryOp::ALL.map(|op| (format!("{op:?}"), binary(kind, op, &pairs))).to_vec()
    };
    let columns =
        [false, true].iter().flat_map(|&constants| Kind::ALL.map(|kind| column(kind, constants)));
    let found = table(columns.collect());
    assert!(found == expected, "now it is\n{found}");
}

#[test]
fn other_operators() {
    let column = |kind: Kind| {
        let cases: Vec<Case> = words(kind, WIDTH).into_iter().map(case).collect();
        let op = |op: UnaryOp| {
            let tight = unary(kind, &cases, |a| kind.unary(op, a), |x| op.apply(x));
            (format!("{op:?}"), tight)
        };
        let slice = |hi, lo| {
            let tight = unary(kind, &cases, |a| kind.slice(a, hi, lo), |x| x.slice(hi, lo));
            (format!("[{hi}:{lo}]"), tight)
        };
        let ite = pairs(&cases);
        let ite = percentage(ite.iter().map(|[(t, in_t), (e, in_e)]| {
            let either = kind.ite(&kind.top(1), t, e);
            is_tightest(kind, &either, in_t.iter().chain(in_e).cloned().collect())
        }));
        vec![
            op(UnaryOp::Not),
            op(UnaryOp::Neg),
            op(UnaryOp::RedAnd),
            op(UnaryOp::RedXor),
            slice(1, 0),
            slice(2, 1),
            slice(3, 2),
            ("uext".into(), unary(kind, &cases, |a| kind.uext(a, 2), |x| x.uext(2))),
            ("sext".into(), unary(kind, &cases, |a| kind.sext(a, 2), |x| x.sext(2))),
            ("ite".into(), ite),
        ]
    };
    // Of ternary, interval, hybrid and product simulation.
    let expected = "\
Not      100  100  100  100
Neg      100  100  100   99
RedAnd   100  100  100  100
RedXor   100   96   97   95
[1:0]    100  100  100  100
[2:1]    100  100  100  100
[3:2]    100  100  100  100
uext     100  100  100  100
sext     100  100  100  100
ite      100  100  100  100
";
    let found = table(Kind::ALL.map(column).to_vec());
    assert!(found == expected, "now it is\n{found}");
}
