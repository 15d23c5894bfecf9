//! Families and their optima: against explicit-state search of every instance, in all
//! orders, with and without reuse. All evidence goes through the checker.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use elinvar::optimum::{
    Optimum, OptimumError, Order, StageAnswer, Strategy, TrendSearch, optimum, trend,
};
use elinvar::{Observer, Options, Session};
use elinvar_check::{Budget, certificate, replay};
use elinvar_engines::pdr::PdrOptions;
use elinvar_engines::{Event, Run};
use elinvar_ir::{
    BinaryOp, BitVec, ExprId, Property, PropertyId, PropertyKind, Rng, Sort, StopReason,
    SystemBuilder, TransitionSystem,
};
use elinvar_models::{Generator, Outcome, Shape, search};
use elinvar_transform::{Family, FamilyError, PassOptions, Trend};

const PROPERTY: PropertyId = PropertyId(0);
const ORDERS: [Order; 3] = [Order::Constrain, Order::Relax, Order::Binary];

/// All orders with and without reuse; with simplification for even numbers.
fn strategies(number: u64) -> impl Iterator<Item = Strategy> {
    let simplify = number.is_multiple_of(2);
    let passes = PassOptions::all_if(simplify);
    let options = PdrOptions { passes, ..PdrOptions::default() };
    let both = |order| [true, false].map(|reuse| (order, reuse));
    let all = ORDERS.into_iter().flat_map(both);
    all.map(move |(order, reuse)| Strategy { order, reuse, options: options.clone() })
}

/// Finds the optimum in all ways, and compares it with the truth.
fn assert_found(family: &Family, range: RangeInclusive<u64>, check: impl Fn(&Strategy, &Optimum)) {
    let truth = truth_of(family, range).expect("a small system");
    for strategy in strategies(0).chain(strategies(1)) {
        let found = find(family, &strategy);
        assert_optimal(family, &truth, &found);
        check(&strategy, &found);
    }
}

fn session() -> Session {
    Session::start(Options::default()).unwrap()
}

fn find(family: &Family, strategy: &Strategy) -> Optimum {
    optimum(&family.clone().into(), strategy, &session()).unwrap()
}

/// By bound: does the instance fail? None if it is too large to be searched.
fn truth_of(family: &Family, range: RangeInclusive<u64>) -> Option<Truth> {
    let fails = |bound| {
        let truth = search(&family.instance(bound), 50_000).ok()?;
        let (_, outcome) = truth[family.property().0];
        Some((bound, outcome != Outcome::Safe))
    };
    range.map(fails).collect()
}

type Truth = BTreeMap<u64, bool>;

/// Compares what was found with the truth about every instance; tells how many of them
/// are safe.
fn assert_optimal(family: &Family, truth: &Truth, found: &Optimum) -> usize {
    let mut bounds: Vec<u64> = truth.keys().copied().collect();
    if found.trend == Some(Trend::Tightens) {
        bounds.reverse();
    }
    let truth: Vec<bool> = bounds.iter().map(|bound| truth[bound]).collect();
    let safe = truth.iter().filter(|&&fails| !fails).count();
    assert!(truth.is_sorted(), "what fails, fails under looser bounds, too: {truth:?}");
    assert_eq!(found.stopped, None);
    let first = bounds.get(safe).copied();
    assert_eq!(found.fails.as_ref().map(|&(bound, _)| bound), first);
    if let Some((bound, trace)) = &found.fails {
        assert_eq!(replay(family.system(), trace), Ok(()), "the input has the value");
        assert_eq!(replay(&family.instance(*bound), trace), Ok(()));
    }
    let last = safe.checked_sub(1).map(|place| bounds[place]);
    assert_eq!(found.holds.as_ref().map(|&(bound, _)| bound), last);
    if let Some((bound, proof)) = &found.holds {
        let accepted = certificate(&family.instance(*bound), PROPERTY, proof, &Budget::default());
        assert_eq!(accepted, Ok(()));
    }
    for stage in &found.stages {
        let fails = truth[bounds.iter().position(|&bound| bound == stage.bound).expect("in range")];
        assert_eq!(fails, matches!(stage.answer, StageAnswer::Unsafe { .. }), "at {}", stage.bound);
    }
    safe
}

// Random families.

/// The bits of the input.
const WIDTH: u32 = 3;

/// A random system whose input `limit` bounds some of its expressions: from above, so
/// that larger values loosen the system, or from below.
fn bounded(seed: u64, shape: Shape, trend: Trend) -> TransitionSystem {
    let mut rng = Rng::new(seed);
    let mut b = Generator::system(seed, shape).into_builder();
    for state in &mut b.states {
        // The engine may give up where initial values depend on inputs.
        state.init = state.init.filter(|&init| b.pool.is_const(init));
    }
    let limit = b.input(Sort::Bv(WIDTH), Some("limit")).unwrap();
    for _ in 0..1 + rng.below(2) {
        let expr = number(&mut b, limit, &mut rng);
        let (small, large) = match trend {
            Trend::Loosens => (expr, limit),
            Trend::Tightens => (limit, expr),
        };
        let bounded = b.pool.ule(small, large).unwrap();
        b.constraints.push(bounded);
    }
    b.finish().unwrap()
}

/// A random number of so many bits that does not depend on the limit: the sum of words.
fn number(b: &mut SystemBuilder, limit: ExprId, rng: &mut Rng) -> ExprId {
    let is_word = |id: &ExprId| b.pool.sort(*id).width().is_some_and(|width| width <= WIDTH);
    let words: Vec<ExprId> = b.pool.ids().filter(|&id| id != limit).filter(is_word).collect();
    let mut sum = b.pool.constant(BitVec::zero(WIDTH));
    for _ in 0..1 + rng.below(3) {
        let word = rng.pick(&words);
        let word = b.pool.uext(word, WIDTH - b.pool.width(word)).unwrap();
        sum = b.pool.binary(BinaryOp::Add, sum, word).unwrap();
    }
    sum
}

fn optima_are_right(shape: Shape, seeds: u64) {
    let (mut all_safe, mut all_unsafe, mut between, mut kept) = (0, 0, 0, 0);
    for seed in 0..seeds {
        for trend in [Trend::Loosens, Trend::Tightens] {
            let system = bounded(seed, shape, trend);
            let range = seed % 3..=5 + seed % 3;
            let family = Family::new(system, "limit", PROPERTY, range.clone()).unwrap();
            let Some(truth) = truth_of(&family, range) else { continue };
            let failing = truth.values().filter(|&&fails| fails).count();
            // Most of them are less interesting.
            if failing == 0 && seed % 8 != 0 {
                continue;
            }
            match failing {
                0 => all_safe += 1,
                6 => all_unsafe += 1,
                _ => between += 1,
            }
            for strategy in strategies(seed) {
                let found = find(&family, &strategy);
                assert_optimal(&family, &truth, &found);
                kept += kept_in(&found);
            }
        }
    }
    let enough = all_safe > 10 && all_unsafe > 10 && between > 20 && kept > 0;
    assert!(enough, "{all_safe} {all_unsafe} {between} {kept}");
}

/// Lemmas that were used again.
fn kept_in(found: &Optimum) -> usize {
    found.stages.iter().filter_map(|stage| stage.reuse).map(|reuse| reuse.kept).sum()
}

#[test]
fn optima_of_random_families_of_bits() {
    optima_are_right(Shape { max_inputs: 2, operators: 50, ..Shape::BITS }, 160);
}

#[test]
fn optima_of_random_families_of_words() {
    optima_are_right(Shape { max_states: 3, max_inputs: 1, operators: 40, ..Shape::WORDS }, 180);
}

/// A word that becomes any other one along the steps of a random graph, each of which
/// has a price.
#[test]
fn optima_of_random_graphs() {
    const STATES: usize = 12;
    let (mut between, mut kept) = (0, 0);
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut b = SystemBuilder::new();
        let state = b.state(Sort::Bv(4), Some("state")).unwrap();
        let next = b.input(Sort::Bv(4), Some("next")).unwrap();
        let limit = b.input(Sort::Bv(WIDTH), Some("limit")).unwrap();
        let mut is = |word: ExprId, value: usize| {
            let value = b.pool.constant(BitVec::new(4, value as u64));
            b.pool.equal(word, value).unwrap()
        };
        let steps: Vec<(ExprId, ExprId)> = (0..2 * STATES)
            .map(|_| (is(state, rng.below(STATES)), is(next, rng.below(STATES))))
            .collect();
        let bad = is(state, STATES - 1);
        let mut allowed = bad;
        for (from, to) in steps {
            let price = b.pool.constant(BitVec::new(WIDTH, rng.below(8) as u64));
            let paid = b.pool.ule(price, limit).unwrap();
            let step = b.pool.conjoin([from, to, paid]).unwrap();
            allowed = b.pool.or(allowed, step).unwrap();
        }
        b.constraints.push(allowed);
        b.states[0].init = Some(b.pool.constant(BitVec::zero(4)));
        b.states[0].next = Some(next);
        b.bad("last", bad);
        let family = Family::new(b.finish().unwrap(), "limit", PROPERTY, 0..=7).unwrap();
        let truth = truth_of(&family, 0..=7).expect("a small system");
        for strategy in strategies(seed) {
            let found = find(&family, &strategy);
            let safe = assert_optimal(&family, &truth, &found);
            between += usize::from((1..8).contains(&safe));
            kept += kept_in(&found);
        }
    }
    assert!(between > 60 && kept > 500, "{between} optima, {kept} lemmas");
}

// Bounds on what comes first.

/// Which instances are decided, in which order.
fn bounds(found: &Optimum) -> Vec<u64> {
    found.stages.iter().map(|stage| stage.bound).collect()
}

/// The optimum, and how many steps it takes to fail there.
fn depth(found: &Optimum) -> Option<(u64, usize)> {
    found.fails.as_ref().map(|(bound, trace)| (*bound, trace.depth()))
}

/// A family in which a word must not be five.
fn five_is_bad(mut b: SystemBuilder, word: ExprId) -> Family {
    let five = b.pool.constant(BitVec::new(3, 5));
    let bad = b.pool.equal(word, five).unwrap();
    b.bad("five", bad);
    Family::new(b.finish().unwrap(), "limit", PROPERTY, 0..=7).unwrap()
}

/// A register without initial value, at most `limit`: only a loose bound allows the bad
/// initial state. What was known of initial states before is not true any more.
#[test]
fn initial_states_that_only_a_loose_bound_allows() {
    let mut b = SystemBuilder::new();
    let limit = b.input(Sort::Bv(3), Some("limit")).unwrap();
    let word = b.state(Sort::Bv(3), Some("word")).unwrap();
    b.states[0].next = Some(word);
    let bounded = b.pool.ule(word, limit).unwrap();
    b.constraints.push(bounded);
    let family = five_is_bad(b, word);
    assert_found(&family, 0..=7, |strategy, found| {
        assert_eq!(depth(found), Some((5, 0)));
        let expected: &[u64] = match strategy.order {
            Order::Relax => &[0, 1, 2, 3, 4, 5],
            Order::Constrain => &[7, 4],
            Order::Binary => &[7, 2, 3, 4],
        };
        assert_eq!(bounds(found), expected);
    });
}

/// Inputs `limit` and `value`, and a register `word` that starts at zero and takes the value.
fn limit_and_word(width: u32) -> (SystemBuilder, [ExprId; 3]) {
    let mut b = SystemBuilder::new();
    let [limit, value] =
        ["limit", "value"].map(|name| b.input(Sort::Bv(width), Some(name)).unwrap());
    let word = b.state(Sort::Bv(width), Some("word")).unwrap();
    b.states[0].init = Some(b.pool.constant(BitVec::zero(width)));
    b.states[0].next = Some(value);
    (b, [limit, value, word])
}

/// A register that takes the value of an input, at most `limit`: only a loose bound
/// allows the first step to the bad state.
#[test]
fn first_steps_that_only_a_loose_bound_allows() {
    let (mut b, [limit, value, word]) = limit_and_word(3);
    let bounded = b.pool.ule(value, limit).unwrap();
    b.constraints.push(bounded);
    let family = five_is_bad(b, word);
    assert_found(&family, 0..=7, |_, found| assert_eq!(depth(found), Some((5, 1))));
}

/// The start decides where a counter gets: deep traces from initial states that only a
/// loose bound allows, and none from those that a tight one forbids.
#[test]
fn deep_traces_from_initial_states_that_only_a_loose_bound_allows() {
    let mut b = SystemBuilder::new();
    let limit = b.input(Sort::Bv(3), Some("limit")).unwrap();
    let [start, count] = ["start", "count"].map(|name| b.state(Sort::Bv(3), Some(name)).unwrap());
    let [zero, one, six] = [0, 1, 6].map(|value| b.pool.constant(BitVec::new(3, value)));
    let sum = b.pool.binary(BinaryOp::Add, count, one).unwrap();
    let arrived = b.pool.equal(count, start).unwrap();
    b.states[0].next = Some(start);
    b.states[1].init = Some(zero);
    b.states[1].next = Some(b.pool.ite(arrived, count, sum).unwrap());
    let bounded = b.pool.ule(start, limit).unwrap();
    b.constraints.push(bounded);
    let bad = b.pool.equal(count, six).unwrap();
    b.bad("six", bad);
    let family = Family::new(b.finish().unwrap(), "limit", PROPERTY, 1..=7).unwrap();
    assert_found(&family, 1..=7, |_, found| assert_eq!(depth(found), Some((6, 6))));
}

// Systems that are not families, and families without an optimum.

/// A word that takes any value; what is done with the limit is up to the caller.
fn word_with(connect: impl FnOnce(&mut SystemBuilder, ExprId, ExprId)) -> SystemBuilder {
    let (mut b, [limit, _, word]) = limit_and_word(2);
    let ones = b.pool.constant(BitVec::ones(2));
    let bad = b.pool.equal(word, ones).unwrap();
    b.bad("ones", bad);
    connect(&mut b, limit, word);
    b
}

fn family_of(b: SystemBuilder) -> Family {
    Family::new(b.finish().unwrap(), "limit", PROPERTY, 0..=3).unwrap()
}

#[test]
fn a_limit_that_neither_tightens_nor_loosens_is_refused() {
    let families = [
        word_with(|b, limit, word| {
            let equal = b.pool.equal(word, limit).unwrap();
            b.constraints.push(equal);
        }),
        word_with(|b, limit, word| {
            let [below, above] = [b.pool.ule(word, limit), b.pool.ule(limit, word)];
            b.constraints.extend([below.unwrap(), above.unwrap()]);
        }),
        word_with(|b, limit, _| b.states[0].next = Some(limit)),
        word_with(|b, limit, _| b.states[0].init = Some(limit)),
        word_with(|b, limit, word| {
            let bad = b.pool.equal(word, limit).unwrap();
            b.properties[0].kind = PropertyKind::Bad(bad);
        }),
    ];
    for family in families.map(family_of) {
        for strategy in strategies(0) {
            let error = optimum(&family.clone().into(), &strategy, &session()).unwrap_err();
            assert_eq!(error, OptimumError::NotMonotone("limit".to_owned()));
        }
    }
}

/// What is bad may depend on the limit, too, and a range can be narrow enough.
#[test]
fn trends_are_found() {
    let trend = |family: &Family| trend(family, &Run::new());
    let bad = |swap: bool| {
        family_of(word_with(|b, limit, word| {
            let (small, large) = if swap { (limit, word) } else { (word, limit) };
            let bad = b.pool.binary(BinaryOp::Ult, small, large).unwrap();
            b.properties[0].kind = PropertyKind::Bad(bad);
        }))
    };
    assert_eq!(trend(&bad(false)), Ok(TrendSearch::Found(Trend::Loosens)));
    assert_eq!(trend(&bad(true)), Ok(TrendSearch::Found(Trend::Tightens)));
    for family in [bad(false), bad(true)] {
        assert_found(&family, 0..=3, |_, _| {});
    }
    let equal = word_with(|b, limit, word| {
        let equal = b.pool.equal(word, limit).unwrap();
        b.constraints.push(equal);
    });
    let system = equal.finish().unwrap();
    let family = Family::new(system, "limit", PROPERTY, 2..=2).unwrap();
    assert_eq!(
        trend(&family),
        Ok(TrendSearch::Found(Trend::Loosens)),
        "there is nothing to compare with"
    );
}

/// Also where a constraint excludes it, an initial state must not come and go.
#[test]
fn initial_states_must_not_depend_on_the_limit() {
    let family = family_of(word_with(|b, limit, _| {
        let rare = b.input(Sort::BOOL, Some("rare")).unwrap();
        let usual = b.states[0].init.unwrap();
        b.states[0].init = Some(b.pool.ite(rare, limit, usual).unwrap());
        let never = b.pool.not(rare).unwrap();
        b.constraints.push(never);
    }));
    let expected = OptimumError::NotMonotone("limit".to_owned());
    assert_eq!(trend(&family, &Run::new()), Err(expected));
}

#[test]
fn what_is_no_family_is_refused() {
    let mut b = word_with(|_, _, _| {});
    let memory = Sort::Array { index: 1, element: 1 };
    b.input(memory, Some("memory")).unwrap();
    let always = b.pool.bool(true);
    let kind = PropertyKind::Justice(vec![always]);
    b.properties.push(Property::new("often", kind));
    let system = b.finish().unwrap();
    let error = |name: &str, property, range| {
        Family::new(system.clone(), name, PropertyId(property), range).unwrap_err()
    };
    let name = |name: &str| name.to_owned();
    assert_eq!(error("word", 0, 0..=3), FamilyError::NoInput(name("word")));
    assert_eq!(error("memory", 0, 0..=3), FamilyError::NotANumber(name("memory")));
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let empty = 3..=2;
    assert_eq!(error("limit", 0, empty), FamilyError::Empty(3, 2));
    assert_eq!(error("limit", 0, 0..=u64::MAX), FamilyError::TooWide);
    let too_large = FamilyError::TooLarge { name: name("limit"), value: 4, width: 2 };
    assert_eq!(error("limit", 0, 3..=4), too_large);
    assert_eq!(error("limit", 1, 0..=3), FamilyError::NotSafety(name("often")));
}

fn loosening() -> Family {
    family_of(word_with(|b, limit, word| {
        let bounded = b.pool.ule(word, limit).unwrap();
        b.constraints.push(bounded);
    }))
}

#[test]
fn a_stopped_search_says_why() {
    let strategy = strategies(0).next().unwrap();
    let options = Options::default();
    options.cancellation.cancel();
    let session = Session::start(options).unwrap();
    let found = optimum(&loosening().into(), &strategy, &session).unwrap();
    assert_eq!((found.trend, found.stopped), (None, Some(StopReason::Cancelled)));
    assert!(found.stages.is_empty());
}

#[test]
fn stages_are_told_while_the_search_goes_on() {
    use std::sync::{Arc, Mutex};
    let told: Arc<Mutex<Vec<u64>>> = Arc::default();
    let record = Arc::clone(&told);
    let observer: Observer = Arc::new(move |event: &Event| {
        if let Event::Instance { bound } = event {
            record.lock().unwrap().push(*bound);
        }
    });
    let options = Options { observer: Some(observer), ..Options::default() };
    let session = Session::start(options).unwrap();
    let strategy = Strategy { order: Order::Relax, reuse: true, options: PdrOptions::default() };
    let found = optimum(&loosening().into(), &strategy, &session).unwrap();
    assert_eq!(*told.lock().unwrap(), [0, 1, 2, 3]);
    assert_eq!(bounds(&found), [0, 1, 2, 3]);
}
