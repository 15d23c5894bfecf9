//! What tests of property directed reachability share: settings, verdicts against the
//! truth, and systems drawn as graphs.

mod evidence;

use elinvar_engines::pdr::{Ctg, PdrOptions};
use elinvar_ir::{
    BitVec, Certificate, Evaluator, ExprId, Simulator, Sort, StateBit, SystemBuilder, Trace,
    TransitionSystem, Value,
};
use elinvar_transform::PassOptions;

pub use evidence::{assert_right, is_beyond};

/// Settings as different as possible, by number.
pub fn settings(number: u64) -> PdrOptions {
    let pick = |period: u64| (number / period).is_multiple_of(2);
    PdrOptions {
        passes: PassOptions::all_if(pick(1)),
        elimination: pick(2),
        keep_parent: pick(4),
        ctp: [0, 2][number as usize / 3 % 2],
        reconsider: [None, Some(1), Some(4)][number as usize / 2 % 3],
        known_steps: [0, 64, 4096][number as usize / 4 % 3],
        signals: !pick(8),
        ctg: [(0, 0, 1), (1, 1, 1), (3, 1, 4), (5, 2, 2)].map(|(max, depth, reach)| Ctg {
            max,
            depth,
            reach,
            least_yield: [0, 10, 50][number as usize % 3],
        })[number as usize / 3 % 4],
        attempts: if number.is_multiple_of(5) { 1 } else { usize::MAX },
        stubborn: if number % 7 < 3 { 0 } else { 10 },
        drop_obligations: [None, Some(1), Some(20)][number as usize % 3],
        patience: if (number / 2).is_multiple_of(3) { 1 } else { 2000 },
        ..PdrOptions::default()
    }
}

pub fn all_settings() -> impl Iterator<Item = PdrOptions> {
    (0..48).map(settings)
}

/// States a, b, … with these steps between them, starting in a. A state without a
/// step gets one to itself, as Section 2.4.3 has it: here a cycle needs a successor.
pub fn graph(states: usize, steps: &[(char, char)], bad: &[char]) -> TransitionSystem {
    let letters: Vec<char> = ('a'..).take(states).collect();
    let stuck = letters.iter().filter(|&from| steps.iter().all(|(start, _)| start != from));
    let steps: Vec<(char, char)> = steps.iter().copied().chain(stuck.map(|&s| (s, s))).collect();
    let width = states.next_power_of_two().ilog2();
    let mut b = SystemBuilder::new();
    let state = b.state(Sort::Bv(width), Some("state")).unwrap();
    let next = b.input(Sort::Bv(width), Some("next")).unwrap();
    let is = |b: &mut SystemBuilder, word: ExprId, letter: char| {
        let code = b.pool.constant(code(width, letter));
        b.pool.equal(word, code).unwrap()
    };
    let mut allowed = b.pool.bool(false);
    for (from, to) in steps {
        let (from, to) = (is(&mut b, state, from), is(&mut b, next, to));
        let step = b.pool.and(from, to).unwrap();
        allowed = b.pool.or(allowed, step).unwrap();
    }
    b.constraints.push(allowed);
    b.states[0].init = Some(b.pool.constant(code(width, 'a')));
    b.states[0].next = Some(next);
    for &letter in bad {
        let bad = is(&mut b, state, letter);
        b.bad(letter.to_string(), bad);
    }
    b.finish().unwrap()
}

fn code(width: u32, letter: char) -> BitVec {
    BitVec::new(width, letter as u64 - 'a' as u64)
}

/// The states of a trace.
pub fn path(system: &TransitionSystem, trace: &Trace) -> String {
    let none = |_| unreachable!("the state is initialised and has a next value");
    let mut simulator = Simulator::new(system, none, trace.steps[0].inputs.clone());
    let letter = |value: &Value| char::from(b'a' + value.bv().to_u64().unwrap() as u8);
    let mut path = String::from(letter(&simulator.states()[0]));
    for step in &trace.steps[1..] {
        simulator.step(none, step.inputs.clone());
        path.push(letter(&simulator.states()[0]));
    }
    path
}

/// Which of the first states satisfy an invariant?
pub fn satisfying(proof: &Certificate, states: usize) -> String {
    let holds = |letter: char| {
        let value = letter as u32 - 'a' as u32;
        match proof {
            Certificate::Inductive { clauses } => {
                let literal = |bit: &StateBit| (value >> bit.bit & 1 == 1) == bit.positive;
                clauses.iter().all(|clause| clause.iter().any(literal))
            }
            Certificate::Formula(formula) => {
                let mut evaluator = Evaluator::new(&formula.pool, [formula.expr]);
                evaluator.run(|symbol| match formula.pool.sort(symbol) {
                    Sort::Bv(width) => Value::Bv(code(width, letter)),
                    Sort::Array { .. } => panic!("the state is a word"),
                });
                evaluator.holds(formula.expr)
            }
            Certificate::KInductive { .. }
            | Certificate::Facts { .. }
            | Certificate::Ranking(_) => {
                panic!("PDR finds clauses: {proof:?}")
            }
        }
    };
    ('a'..).take(states).filter(|&letter| holds(letter)).collect()
}
