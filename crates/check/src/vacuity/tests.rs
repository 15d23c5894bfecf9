use std::time::Instant;

use elinvar_ir::{BinaryOp, BitVec, ExprId, Rng, Sort, SystemBuilder};
use elinvar_models::{Generator, Shape, dead_cycle};

use super::*;

fn found(system: &TransitionSystem) -> Runs {
    runs(system, &Budget { max_gates: 1 << 22, ..Budget::default() })
}

fn contradiction(cycle: usize, constraints: &[usize]) -> Runs {
    let constraints = constraints.to_vec();
    Runs::Contradiction(Contradiction { cycle, constraints, minimal: true })
}

/// A register `count` from zero that grows by `step`, and that many bits.
fn counter(width: u32, step: impl FnOnce(&mut SystemBuilder) -> ExprId) -> SystemBuilder {
    let mut b = SystemBuilder::verbatim();
    let count = b.state(Sort::Bv(width), Some("count")).unwrap();
    b.states[0].init = Some(b.pool.constant(BitVec::zero(width)));
    let step = step(&mut b);
    b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, step).unwrap());
    b
}

/// A counter that grows by one.
fn steady(width: u32) -> SystemBuilder {
    counter(width, |b| b.pool.constant(BitVec::one(width)))
}

/// A counter that grows by one while the input `enable` is set.
fn enabled(width: u32) -> SystemBuilder {
    counter(width, |b| {
        let enable = b.input(Sort::BOOL, Some("enable")).unwrap();
        b.pool.uext(enable, width - 1).unwrap()
    })
}

/// The constraint that the first state stays below `limit`.
fn below(b: &mut SystemBuilder, limit: u64) -> ExprId {
    let count = b.states[0].symbol;
    let limit = b.pool.constant(BitVec::new(b.pool.width(count), limit));
    b.pool.binary(BinaryOp::Ult, count, limit).unwrap()
}

fn with(mut b: SystemBuilder, constraints: impl IntoIterator<Item = ExprId>) -> TransitionSystem {
    b.constraints.extend(constraints);
    b.finish().unwrap()
}

#[test]
fn a_counter_reaches_its_limit_in_that_cycle() {
    for limit in [0, 1, 3, 30, 200, 255] {
        let mut b = steady(8);
        let limited = below(&mut b, limit);
        let system = with(b, [limited]);
        assert_eq!(found(&system), contradiction(limit as usize, &[0]), "{limit}");
    }
    assert_eq!(found(&steady(8).finish().unwrap()), Runs::Endless);
}

/// The counter has to count, as the first constraint says; the second one is not to blame.
#[test]
fn late_contradictions_between_constraints_are_found() {
    for limit in [1, 3, 30, 200] {
        let mut b = enabled(8);
        let enable = b.inputs[0].symbol;
        let other = b.input(Sort::BOOL, Some("other")).unwrap();
        let limited = below(&mut b, limit);
        let system = with(b, [enable, other, limited]);
        assert_eq!(found(&system), contradiction(limit as usize, &[0, 2]), "{limit}");
    }
    let mut b = enabled(8);
    let limited = below(&mut b, 3);
    assert_eq!(found(&with(b, [limited])), Runs::Endless, "it need not count");
}

#[test]
fn constraints_on_inputs_are_met_or_contradict_each_other() {
    let mut b = SystemBuilder::verbatim();
    let word = b.input(Sort::Bv(32), Some("x")).unwrap();
    let [a, c] = [0xdead_beef, 0x1234_5678].map(|n| b.pool.constant(BitVec::new(32, n)));
    let [is_a, is_c] = [a, c].map(|value| b.pool.equal(word, value).unwrap());
    let never = b.pool.bool(false);
    let not_a = b.pool.not(is_a).unwrap();
    let check = |constraints: &[ExprId]| found(&with(b.clone(), constraints.iter().copied()));
    assert_eq!(check(&[is_a]), Runs::Endless);
    assert_eq!(check(&[is_a, is_c]), contradiction(0, &[0, 1]));
    assert_eq!(check(&[is_a, never, is_a]), contradiction(0, &[1]));
    assert_eq!(check(&[not_a, is_c, is_c]), Runs::Endless);
}

/// Any of the constraints 0 and 2 contradicts constraint 1.
#[test]
fn one_of_several_minimal_sets_is_found() {
    let mut b = SystemBuilder::verbatim();
    let x = b.input(Sort::BOOL, Some("x")).unwrap();
    let not_x = b.pool.not(x).unwrap();
    let Runs::Contradiction(found) = found(&with(b, [x, not_x, x])) else { panic!("none") };
    assert!(found.minimal && found.cycle == 0);
    assert!([vec![0, 1], vec![1, 2]].contains(&found.constraints), "{found:?}");
}

/// What an input is now, a register shows in the next cycle, as in clocked assumptions.
#[test]
fn registered_constraints_judge_the_cycle_before() {
    let mut b = SystemBuilder::verbatim();
    let x = b.input(Sort::Bv(8), Some("x")).unwrap();
    let past = b.state(Sort::Bv(8), Some("past")).unwrap();
    b.states[0].init = Some(b.pool.constant(BitVec::new(8, 77)));
    b.states[0].next = Some(x);
    let [lucky, other] = [77, 78].map(|n| b.pool.constant(BitVec::new(8, n)));
    let was_lucky = b.pool.equal(past, lucky).unwrap();
    assert_eq!(found(&with(b.clone(), [was_lucky])), Runs::Endless);
    let is_other = b.pool.equal(x, other).unwrap();
    assert_eq!(found(&with(b, [was_lucky, is_other])), contradiction(1, &[0, 1]));
}

/// The reset is on in the first cycles and off afterwards, as a counter of 32 bits says.
#[test]
fn wide_counters_do_not_hide_endless_runs() {
    let mut b = steady(32);
    let reset = b.input(Sort::BOOL, Some("reset")).unwrap();
    let early = below(&mut b, 5);
    let agree = b.pool.equal(reset, early).unwrap();
    assert_eq!(found(&with(b.clone(), [agree])), Runs::Endless);
    // It would overflow in cycle 2^31.
    let limited = below(&mut b, 1 << 31);
    let Runs::AtLeast(cycles) = found(&with(b, [agree, limited])) else { panic!("decided") };
    assert!(cycles > 1000, "{cycles}");
}

/// A memory keeps what is written; the constraint forbids address 2 to be written.
#[test]
fn memories_are_followed() {
    let system = |data: u64| {
        let mut b = SystemBuilder::verbatim();
        let memory = b.state(Sort::Array { index: 4, element: 8 }, Some("m")).unwrap();
        let at = b.state(Sort::Bv(4), Some("at")).unwrap();
        let start = b.input(Sort::Array { index: 4, element: 8 }, Some("start")).unwrap();
        let [zero, one, two] = [0, 1, 2].map(|n| b.pool.constant(BitVec::new(4, n)));
        let element = b.pool.constant(BitVec::new(8, data));
        b.states[0].init = Some(start);
        b.states[0].next = Some(b.pool.write(memory, at, element).unwrap());
        b.states[1].init = Some(zero);
        b.states[1].next = Some(b.pool.binary(BinaryOp::Add, at, one).unwrap());
        let read = b.pool.read(memory, two).unwrap();
        let nine = b.pool.constant(BitVec::new(8, 9));
        let kept = b.pool.equal(read, nine).unwrap();
        with(b, [kept])
    };
    assert_eq!(found(&system(9)), Runs::Endless);
    assert_eq!(found(&system(8)), contradiction(3, &[0]));
}

#[test]
fn a_small_budget_claims_less() {
    let mut b = enabled(8);
    let enable = b.inputs[0].symbol;
    let limited = below(&mut b, 200);
    let system = with(b, [enable, limited]);
    let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
    assert_eq!(runs(&system, &late), Runs::AtLeast(0));
    let mut longest = 0;
    for gates in [0, 100, 1000, 10_000, 20_000] {
        let budget = Budget { max_gates: gates, ..Budget::default() };
        let Runs::AtLeast(cycles) = runs(&system, &budget) else { continue };
        assert!(cycles >= longest && cycles <= 200, "{cycles} after {longest}");
        longest = cycles;
    }
    assert!(longest > 10, "{longest}");
}

/// A random system with some more constraints.
fn random(seed: u64, shape: Shape) -> TransitionSystem {
    let mut b = Generator::verbatim(seed, shape).into_builder();
    let mut rng = Rng::new(seed);
    let is_bit = |&id: &ExprId| b.pool.sort(id) == Sort::BOOL;
    let bits: Vec<ExprId> = b.pool.ids().filter(is_bit).collect();
    for _ in 0..rng.below(4) {
        if bits.is_empty() {
            break;
        }
        let bit = rng.pick(&bits);
        b.constraints.push(if rng.one_in(2) { bit } else { b.pool.not(bit).unwrap() });
    }
    b.finish().unwrap()
}

/// The same system under some of its constraints.
fn under(system: &TransitionSystem, constraints: &[usize]) -> TransitionSystem {
    let mut b = system.clone().into_builder();
    b.constraints = constraints.iter().map(|&index| system.constraints()[index]).collect();
    b.finish().unwrap()
}

/// Verdict, cycle and minimality agree with exhaustive search.
#[test]
fn random_systems_agree_with_exhaustive_search() {
    const LIMIT: usize = 20_000;
    let mut counts = [0; 4];
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS, Shape::NUMBERS] {
        for seed in 0..300 {
            let system = random(seed, shape);
            let Ok(expected) = dead_cycle(&system, LIMIT) else { continue };
            let Runs::Contradiction(found) = found(&system) else {
                assert_eq!(expected, None, "seed {seed}, {shape:?}");
                counts[3] += usize::from(!system.constraints().is_empty());
                continue;
            };
            assert_eq!(Some(found.cycle), expected, "seed {seed}, {shape:?}");
            assert!(found.minimal, "seed {seed}, {shape:?}");
            counts[found.cycle.min(2)] += 1;
            let dies = |set: &[usize]| {
                let dead = dead_cycle(&under(&system, set), LIMIT).ok()?;
                Some(dead.is_some_and(|cycle| cycle <= found.cycle))
            };
            assert_ne!(dies(&found.constraints), Some(false), "seed {seed}, {shape:?}");
            for at in 0..found.constraints.len() {
                let mut fewer = found.constraints.clone();
                fewer.remove(at);
                let set = &found.constraints;
                assert_ne!(dies(&fewer), Some(true), "seed {seed}, {shape:?}: {set:?}");
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 8), "too few of a kind: {counts:?}");
}

/// Runs without end are reported as such, not as long ones.
#[test]
fn endless_runs_of_small_systems_are_recognised() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        for seed in 0..200 {
            let system = random(seed, shape);
            if dead_cycle(&system, 20_000) == Ok(None) {
                assert_eq!(found(&system), Runs::Endless, "seed {seed}, {shape:?}");
            }
        }
    }
}
