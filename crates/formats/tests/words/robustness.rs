//! Mutilated files: an answer, never a panic; and what is accepted can be
//! written and is read again.

use elinvar_formats::{btor, btor2, same_system};
use elinvar_ir::{ArrayValue, ExprId, Rng, Simulator, Sort, TransitionSystem, Value};

use crate::{Format, read, system};

const SEEDS: [(Format, &str); 4] = [
    (
        Format::Btor2,
        "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n4 input 1 go\n5 constd 2 -3\n\
         6 state 2 s\n7 init 2 6 5\n8 state 3 m\n9 read 2 8 6\n10 write 3 8 6 -9\n11 next 3 8 10\n\
         12 slice 1 9 2 2\n13 bad -12 p\n14 justice 1 4\n15 constraint 4 c\n",
    ),
    (
        Format::Btor2,
        "1 sort bitvec 3\n2 input 1\n3 input 1\n4 udiv 1 2 3\n5 sra 1 4 -2\n6 sort bitvec 6\n\
         7 concat 6 5 5\n8 sort bitvec 1\n9 smulo 8 2 3\n10 output 9\n11 uext 6 5 3\n12 fair 9\n",
    ),
    (
        Format::Btor,
        "1 var 4 x\n2 var 2 y\n3 array 4 2 m\n4 sll 4 1 2\n5 consth 4 a\n6 write 4 2 3 2 4\n\
         7 anext 4 2 3 6\n8 next 4 1 -5\n9 ulte 1 4 5\n10 root 1 -9 p\n11 root 4 4\n",
    ),
    (
        Format::Btor,
        "1 var 8\n2 const 8 01010101\n4 one 1\n3 cond 8 4 1 2\n6 array 1 1\n5 acond 1 1 4 6 6\n\
         7 sext 16 1 8\n8 redxor 1 7\n9 ones 8\n10 smod 8 1 -2\n11 root 8 10\n",
    ),
];

const WORDS: [&str; 18] = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "9",
    "64",
    "65",
    "1048576",
    "4294967296",
    "18446744073709551615",
    "1000000000000",
    "sort",
    "init",
    "next",
    ";",
    "\u{e9}",
    "-",
];

fn mutate(source: &str, rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<Vec<String>> =
        source.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    for _ in 0..1 + rng.below(2) {
        let at = rng.below(lines.len());
        let line = lines[at].clone();
        let word = rng.below(line.len());
        match rng.below(8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(rng.below(lines.len()), line),
            2 => drop(lines[at].remove(word)),
            3 => lines[at].insert(word, rng.pick(&WORDS).to_owned()),
            4 | 5 => lines[at][word] = rng.pick(&WORDS).to_owned(),
            _ => {
                let other = &lines[rng.below(lines.len())];
                let taken = other.get(word).or(other.first()).cloned();
                lines[at][word] = taken.unwrap_or_default();
            }
        }
        lines.retain(|line| !line.is_empty());
        if lines.is_empty() {
            break;
        }
    }
    let text = lines.iter().map(|line| line.join(" ") + "\n").collect::<String>();
    let mut bytes = text.into_bytes();
    if rng.one_in(4) && !bytes.is_empty() {
        let at = rng.below(bytes.len());
        bytes[at] = rng.next_u64() as u8;
    }
    if rng.one_in(8) {
        bytes.truncate(rng.below(bytes.len() + 1));
    }
    bytes
}

/// Do both systems have the same states and bad states in a random run?
fn same_runs(one: &TransitionSystem, other: &TransitionSystem, rng: &mut Rng) -> bool {
    let sorts = |system: &TransitionSystem, symbols: Vec<ExprId>| -> Vec<Sort> {
        symbols.into_iter().map(|symbol| system.pool().sort(symbol)).collect()
    };
    let states = |system: &TransitionSystem| {
        sorts(system, system.states().iter().map(|state| state.symbol).collect())
    };
    let inputs = |system: &TransitionSystem| {
        sorts(system, system.inputs().iter().map(|input| input.symbol).collect())
    };
    if (states(one), inputs(one)) != (states(other), inputs(other)) {
        return false;
    }
    let mut values = |sorts: Vec<Sort>| -> Vec<Value> {
        let value = |sort| match sort {
            Sort::Bv(width) => rng.bitvec(width).into(),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::constant(index, rng.bitvec(element));
                array.write(rng.bitvec(index), rng.bitvec(element));
                array.into()
            }
        };
        sorts.into_iter().map(value).collect()
    };
    let (initial, first) = (values(states(one)), values(inputs(one)));
    let start = |system| Simulator::new(system, |state| initial[state].clone(), first.clone());
    let (mut a, mut b) = (start(one), start(other));
    (0..4).all(|_| {
        let bads = one.bads().zip(other.bads());
        let same = a.states() == b.states()
            && bads.into_iter().all(|((_, x), (_, y))| a.holds(x) == b.holds(y));
        let (free, inputs) = (values(states(one)), values(inputs(one)));
        a.step(|state| free[state].clone(), inputs.clone());
        b.step(|state| free[state].clone(), inputs);
        same
    })
}

#[test]
fn mutilated_files_are_answered() {
    for (format, seed) in SEEDS {
        system(format, seed);
    }
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for round in 0..60_000 {
        let (format, seed) = SEEDS[round % SEEDS.len()];
        let source = mutate(seed, &mut rng);
        match read(format, &source) {
            Err(error) => {
                assert!(error.span.start <= error.span.end && error.span.end <= source.len());
                error.position(&source);
            }
            Ok(system) => {
                accepted += 1;
                let text = match format {
                    Format::Btor => btor::write(&system),
                    Format::Btor2 => btor2::write(&system),
                };
                let text = text.expect("what was read can be written");
                let again = read(format, &text).expect("what was written is read");
                // A shift by an amount of the full width is written with other operators, as
                // the BTOR paper wants it; the behaviour must be the same.
                let same = same_system(&system, &again)
                    || (format == Format::Btor && same_runs(&system, &again, &mut rng));
                assert!(same, "{}", String::from_utf8_lossy(&source));
            }
        }
    }
    assert!(accepted > 2_000, "{accepted}");
}
