//! Property directed reachability on words from outside: the worked example of its paper,
//! against explicit-state search, and twice the same. All evidence goes through the checker.

#[path = "common/agreement.rs"]
mod agreement;
#[path = "common/evidence.rs"]
mod evidence;

use std::sync::{Arc, Mutex};

use agreement::assert_agrees_with_search;
use elinvar_engines::pdr::{
    Ctg, Kind, PdrOptions, Probability, Words, WordsOptions, WordsStatistics,
};
use elinvar_engines::{Run, Task};
use elinvar_ir::{
    BinaryOp, BitVec, Certificate, ExprId, Fact, LinearTerm, PropertyId, Reading, Sort,
    SystemBuilder, TransitionSystem, Verdict, Word,
};
use elinvar_models::{Generator, Outcome, Shape};
use evidence::{assert_right, is_beyond};

fn cubes(probability: f64) -> WordsOptions {
    WordsOptions {
        cube_probability: Some(Probability::new(probability).expect("a probability")),
        ..WordsOptions::default()
    }
}

/// The clauses that prove the only property.
fn prove(system: &TransitionSystem, options: &WordsOptions, run: &Run) -> Vec<Vec<Fact>> {
    let property = PropertyId(0);
    let task = Task::about(system, &[property], run);
    let verdicts = task.check(&mut Words(options.clone())).unwrap();
    assert_right(system, (property, Outcome::Safe), &verdicts[0]);
    let Verdict::Safe(Certificate::Facts { clauses }) = &verdicts[0] else {
        panic!("{verdicts:?}")
    };
    clauses.clone()
}

// ---- the hybrid invariant of section 3.1 -----------------------------------------------

/// I := 2·x₁ = x₂ ∧ x₁ + x₂ ≤ 3
/// T := x₁′ = x₁ + 1 ∧ x₂′ = x₂ - 2 ∧ x₁′ > x₁ ∧ x₂′ < x₂
/// B := x₁ + x₂ ≥ 4 ∨ x₂ mod 2 = 1
///
/// Numbers are signed, and sums are those of integers. Where a step would wrap around
/// there is none in the paper; here the state stays.
fn hybrid(width: u32) -> (TransitionSystem, [ExprId; 2]) {
    use BinaryOp::{Add, Slt, Sub};
    let mut b = SystemBuilder::new();
    let [x1, x2] = ["x1", "x2"].map(|name| b.state(Sort::Bv(width), Some(name)).unwrap());
    let started = b.state(Sort::BOOL, Some("started")).unwrap();
    let pool = &mut b.pool;
    let [one, two] = [1, 2].map(|value| pool.constant(BitVec::new(width, value)));
    let up = pool.binary(Add, x1, one).unwrap();
    let down = pool.binary(Sub, x2, two).unwrap();
    let rises = pool.binary(Slt, x1, up).unwrap();
    let falls = pool.binary(Slt, down, x2).unwrap();
    let steps = pool.and(rises, falls).unwrap();
    let next = [pool.ite(steps, up, x1).unwrap(), pool.ite(steps, down, x2).unwrap()];
    let [wide1, wide2] = [x1, x2].map(|word| pool.sext(word, 2).unwrap());
    let sum = pool.binary(Add, wide1, wide2).unwrap();
    let twice = pool.binary(Add, wide1, wide1).unwrap();
    let is_double = pool.equal(twice, wide2).unwrap();
    let four = pool.constant(BitVec::new(width + 2, 4));
    let is_small = pool.binary(Slt, sum, four).unwrap();
    let is_initial = pool.and(is_double, is_small).unwrap();
    let is_large = pool.not(is_small).unwrap();
    let is_odd = pool.slice(x2, 0, 0).unwrap();
    let bad = pool.or(is_large, is_odd).unwrap();
    let (no, yes) = (pool.bool(false), pool.bool(true));
    let started_or_initial = pool.or(started, is_initial).unwrap();
    b.states[0].next = Some(next[0]);
    b.states[1].next = Some(next[1]);
    b.states[2].init = Some(no);
    b.states[2].next = Some(yes);
    b.constraints.push(started_or_initial);
    b.bad("sum or odd", bad);
    (b.finish().unwrap(), [x1, x2])
}

#[test]
fn the_hybrid_invariant_has_an_inequality_and_a_bit() {
    let (system, [x1, x2]) = hybrid(32);
    let word = |state: ExprId| Word { state, element: None };
    let term = |state: ExprId| LinearTerm {
        coefficient: 1.into(),
        word: word(state),
        reading: Reading::Signed,
    };
    let sum = Fact::AtMost { terms: vec![term(x1), term(x2)], bound: 3.into() };
    let even = Fact::Bit { word: word(x2), bit: 0, value: false };
    for options in [WordsOptions::default(), cubes(0.5)] {
        let clauses = prove(&system, &options, &Run::new());
        assert!(clauses.contains(&vec![sum.clone()]), "{clauses:?}");
        assert!(clauses.contains(&vec![even.clone()]), "{clauses:?}");
    }
    // By chance, other inequalities may do as well.
    for seed in 1..10 {
        let clauses = prove(&system, &WordsOptions::default(), &Run::new().with_seed(seed));
        assert!(clauses.contains(&vec![even.clone()]) && clauses.len() < 8, "{clauses:?}");
    }
}

#[test]
fn with_cubes_alone_there_are_only_bits() {
    let (system, _) = hybrid(4);
    let clauses = prove(&system, &cubes(1.0), &Run::new());
    assert!(clauses.iter().flatten().all(|fact| matches!(fact, Fact::Bit { .. })), "{clauses:?}");
}

// ---- against explicit-state search -----------------------------------------------------

/// Settings as different as possible, by number.
fn settings(number: u64) -> WordsOptions {
    let number = number as usize;
    WordsOptions {
        cube_probability: [None, Some(0.0), Some(0.5), Some(1.0)][number % 4]
            .and_then(Probability::new),
        simulation: Kind::ALL[number / 4 % Kind::ALL.len()],
        compare_simulations: number.is_multiple_of(11),
        pdr: PdrOptions {
            ctg: [(0, 0), (3, 1), (5, 2)].map(|(max, depth)| Ctg {
                max,
                depth,
                reach: 1,
                least_yield: 10,
            })[number % 3],
            drop_obligations: [None, Some(1), Some(20)][number / 3 % 3],
            keep_parent: number.is_multiple_of(2),
            ctp: [0, 1][number / 3 % 2],
            reconsider: [None, Some(2)][number / 5 % 2],
            stubborn: if number % 7 < 3 { 0 } else { 10 },
            patience: if (number / 2).is_multiple_of(3) { 1 } else { 2000 },
            ..PdrOptions::default()
        },
    }
}

#[test]
fn agrees_with_search() {
    for (shape, seeds) in
        [(Shape::BITS, 150), (Shape::WORDS, 250), (Shape::NUMBERS, 400), (Shape::ARRAYS, 150)]
    {
        assert_agrees_with_search(shape, seeds, |system, properties, number| {
            let task = Task::about(system, properties, &Run::new().with_seed(number));
            task.check(&mut Words(settings(number))).unwrap()
        });
    }
}

// ---- options ---------------------------------------------------------------------------

/// Verdicts and statistics, without times.
fn observed(
    system: &TransitionSystem,
    options: &WordsOptions,
    seed: u64,
) -> (Vec<Verdict>, WordsStatistics) {
    let seen: Arc<Mutex<Option<WordsStatistics>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let run = Run::new().with_seed(seed).with_observer(move |event| {
        if let Some(statistics) = event.statistics::<WordsStatistics>() {
            *sink.lock().unwrap() = Some(statistics.clone());
        }
    });
    let properties: Vec<PropertyId> = system.bads().map(|(id, _)| id).collect();
    let task = Task::about(system, &properties, &run);
    let verdicts = task.check(&mut Words(options.clone())).unwrap();
    let statistics = seen.lock().unwrap().take().expect("statistics are emitted");
    (verdicts, without_times(statistics))
}

fn without_times(mut statistics: WordsStatistics) -> WordsStatistics {
    let pdr = &mut statistics.pdr;
    let counts = [
        &mut pdr.bad,
        &mut pdr.block,
        &mut pdr.generalize,
        &mut pdr.counterexample,
        &mut pdr.push,
        &mut pdr.promote,
        &mut pdr.adopt,
        &mut pdr.lift,
    ];
    for count in counts {
        count.time = Default::default();
    }
    statistics.expansion_time = Default::default();
    statistics
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for seed in 0..40 {
        let system = Generator::system(seed, Shape::NUMBERS);
        let options = settings(seed);
        assert_eq!(observed(&system, &options, 7), observed(&system, &options, 7), "{seed}");
    }
}

#[test]
fn the_probability_of_cubes_arrives() {
    let (system, _) = hybrid(8);
    let (_, adaptive) = observed(&system, &WordsOptions::default(), 0);
    assert!((0.1..=0.9).contains(&adaptive.probability));
    for probability in [0.0, 0.25, 1.0] {
        let (_, statistics) = observed(&system, &cubes(probability), 0);
        assert_eq!(statistics.probability, probability);
        let WordsStatistics { cube_obligations, polytope_obligations, .. } = statistics;
        assert!(cube_obligations + polytope_obligations > 0);
        assert!(probability != 0.0 || cube_obligations == 0, "{cube_obligations}");
        assert!(probability != 1.0 || polytope_obligations == 0, "{polytope_obligations}");
    }
}

#[test]
fn simulations_are_compared_only_if_wanted() {
    let (system, _) = hybrid(4);
    for simulation in Kind::ALL {
        let alone = WordsOptions { simulation, ..cubes(0.5) };
        assert!(observed(&system, &alone, 0).1.compared.is_empty());
        let options = WordsOptions { compare_simulations: true, ..alone };
        let (_, statistics) = observed(&system, &options, 0);
        assert_eq!(statistics.compared.len() as u64, statistics.expansions);
        let all_kinds = |volumes: &Vec<(Kind, f64)>| {
            volumes[0].0 == simulation && volumes.len() == Kind::ALL.len()
        };
        assert!(statistics.compared.iter().all(all_kinds));
    }
}
