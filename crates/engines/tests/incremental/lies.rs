//! States that lie.

use std::sync::Arc;

use elinvar_engines::Choice;
use elinvar_ir::{
    FrameLemma, PdrState, PropertyId, PropertyRecord, PropertyStatus, Reach, RegisterKey,
    RegisterLiteral, Rng, Sort, TransitionSystem, keys,
};
use elinvar_models::{Generator, Outcome, Shape, search};

use crate::common::{all_settings, graph};
use crate::{Case, SEARCHED, Tally, compare, pdr};

/// A state that says anything.
fn lie(system: &TransitionSystem, rng: &mut Rng) -> PdrState {
    let mut registers = keys(system).to_vec();
    for register in &mut registers {
        distort(register, rng);
    }
    match rng.below(6) {
        0 => registers.clear(),
        1 => registers.truncate(1),
        2 => registers.extend(registers.clone()),
        _ => {}
    }
    let depth = rng.pick(&[0, 1, 2, 5, 1 << 40, usize::MAX]);
    let count = rng.below(8);
    let lemmas = (0..count).map(|_| false_lemma(registers.len(), rng)).collect();
    let status = rng.pick(&[
        PropertyStatus::Safe,
        PropertyStatus::Unsafe,
        PropertyStatus::Open { clear: usize::MAX },
    ]);
    let record = PropertyRecord { name: "p0".to_owned(), status };
    PdrState { registers, properties: vec![record], depth, lemmas, seconds: f64::NAN }
}

fn distort(register: &mut RegisterKey, rng: &mut Rng) {
    match rng.below(12) {
        0 => register.name = "nobody".to_owned(),
        1 => register.name.clear(),
        2 => register.index = rng.pick(&[0, 7, usize::MAX]),
        3 => register.sort = rng.pick(&[Sort::BOOL, Sort::Bv(64)]),
        4 => register.shape.clear(),
        5 => register.shape = vec![0; 9],
        _ => {}
    }
}

fn false_lemma(registers: usize, rng: &mut Rng) -> FrameLemma {
    let reaches = [
        Reach::Always,
        Reach::Frame(0),
        Reach::Frame(1),
        Reach::Frame(3),
        Reach::Frame(usize::MAX),
    ];
    let reach = if rng.one_in(2) { Reach::Always } else { rng.pick(&reaches) };
    let literal = |rng: &mut Rng| RegisterLiteral {
        register: if rng.one_in(20) {
            rng.pick(&[registers, usize::MAX])
        } else {
            rng.below(registers.max(1))
        },
        position: if rng.one_in(10) { rng.pick(&[1, 64, usize::MAX]) } else { rng.below(2) },
        positive: rng.one_in(2),
    };
    let length = rng.below(4);
    FrameLemma { reach, clause: (0..length).map(|_| literal(rng)).collect() }
}

#[test]
fn states_that_lie_are_not_believed() {
    let mut tally = Tally::default();
    for (shape, seeds) in [(Shape::BITS, 250), (Shape::WORDS, 150), (Shape::ARRAYS, 100)] {
        for seed in 0..seeds {
            let _case = Case(seed);
            let mut rng = Rng::new(seed);
            let system = Generator::system(seed, shape);
            let Ok(truth) = search(&system, SEARCHED) else { continue };
            for number in 0..4 {
                let state = Arc::new(lie(&system, &mut rng));
                tally += compare(&pdr(seed + number), &system, &truth, &state);
                if number == 0 {
                    tally += compare(&Choice::Auto, &system, &truth, &state);
                }
            }
        }
    }
    assert!(tally.safe > 500 && tally.failing > 500, "{tally:?}");
    // Some of what is said at random is true.
    assert!(tally.kept > 100 && tally.kept < tally.offered, "{tally:?}");
}

/// Both values of a bit are excluded in F∞: there is no state, hence no bad one.
#[test]
fn contradictions_prove_nothing() {
    let system = graph(2, &[('a', 'b')], &['b']);
    let lemma = |positive| FrameLemma {
        reach: Reach::Always,
        clause: vec![RegisterLiteral { register: 0, position: 0, positive }],
    };
    let empty = FrameLemma { reach: Reach::Always, clause: Vec::new() };
    for lemmas in [vec![lemma(true), lemma(false)], vec![lemma(false)], vec![empty]] {
        let state =
            Arc::new(PdrState { registers: keys(&system).to_vec(), lemmas, ..PdrState::default() });
        for engine in all_settings().map(Choice::Pdr).chain([Choice::Auto]) {
            compare(&engine, &system, &[(PropertyId(0), Outcome::Unsafe(1))], &state);
        }
    }
}
