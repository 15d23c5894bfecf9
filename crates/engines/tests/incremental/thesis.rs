//! The worked examples of Blankestijn's thesis on incremental PDR, Appendix C. What is
//! misprinted about the systems is told in the tests of runs from nothing.
//!
//! Section 4 says of Figure C.1 that (b) is (a) with two transitions removed, "i.e.,
//! relaxing it". One is removed, b → c, and that constrains the system.

use elinvar::optimum::{Optimum, Order, StageAnswer, Strategy, optimum};
use elinvar::{Options, Session};
use elinvar_engines::Choice;
use elinvar_engines::pdr::PdrOptions;
use elinvar_ir::{BitVec, ExprId, PropertyId, Sort, TransitionSystem, Verdict};
use elinvar_models::Outcome;
use elinvar_transform::{Family, Trend};

use crate::common::{assert_right, graph, path, satisfying};
use crate::decide;
use crate::settings_in_series;

const SIMPLE: [(char, char); 4] = [('a', 'b'), ('b', 'c'), ('c', 'd'), ('d', 'e')];
const FORKED: [(char, char); 5] = [('a', 'b'), ('b', 'c'), ('b', 'd'), ('c', 'e'), ('d', 'e')];

/// The steps without one of them.
fn without(steps: &[(char, char)], step: (char, char)) -> Vec<(char, char)> {
    steps.iter().copied().filter(|&other| other != step).collect()
}

/// Decides whether e is reached, first by one set of steps, then by another one.
fn one_after_the_other(
    options: PdrOptions,
    before: &[(char, char)],
    after: &[(char, char)],
) -> (TransitionSystem, Verdict) {
    let engine = Choice::Pdr(options);
    let (_, told) = decide(&engine, &graph(5, before, &['e']), None, None);
    let system = graph(5, after, &['e']);
    let (mut verdicts, _) = decide(&engine, &system, told.states.last(), None);
    (system, verdicts.remove(0))
}

/// C.1.3: from a → b → c → d → e to the system without b → c, and back.
#[test]
fn thesis_simple_by_edits() {
    for options in (0..48).map(settings_in_series) {
        let constrained = without(&SIMPLE, ('b', 'c'));
        let (system, verdict) = one_after_the_other(options.clone(), &SIMPLE, &constrained);
        assert_right(&system, (PropertyId(0), Outcome::Safe), &verdict);
        let Verdict::Safe(proof) = &verdict else { unreachable!("just asserted") };
        assert_eq!(satisfying(proof, 5), "ab");
        let (system, verdict) = one_after_the_other(options, &constrained, &SIMPLE);
        assert_right(&system, (PropertyId(0), Outcome::Unsafe(4)), &verdict);
    }
}

/// C.2.3: from the system without a → b to the one with it, and back.
#[test]
fn thesis_second_system_by_edits() {
    for options in (0..48).map(settings_in_series) {
        let constrained = without(&FORKED, ('a', 'b'));
        let (system, verdict) = one_after_the_other(options.clone(), &constrained, &FORKED);
        assert_right(&system, (PropertyId(0), Outcome::Unsafe(3)), &verdict);
        let (system, verdict) = one_after_the_other(options, &FORKED, &constrained);
        assert_right(&system, (PropertyId(0), Outcome::Safe), &verdict);
        let Verdict::Safe(proof) = &verdict else { unreachable!("just asserted") };
        assert_eq!(satisfying(proof, 5), "a");
    }
}

/// The family of a graph in which a step is possible from the bound 1 on.
fn guarded(steps: &[(char, char)], (from, to): (char, char)) -> Family {
    let mut b = graph(5, steps, &['e']).into_builder();
    let (state, next) = (b.states[0].symbol, b.inputs[0].symbol);
    let limit = b.input(Sort::Bv(2), Some("limit")).unwrap();
    let mut is = |word: ExprId, letter: char| {
        let code = b.pool.constant(BitVec::new(3, letter as u64 - 'a' as u64));
        b.pool.equal(word, code).unwrap()
    };
    let (from, to) = (is(state, from), is(next, to));
    let (step, one) = (b.pool.and(from, to).unwrap(), b.pool.constant(BitVec::one(2)));
    let possible = b.pool.ule(one, limit).unwrap();
    let allowed = b.pool.implies(step, possible).unwrap();
    b.constraints.push(allowed);
    Family::new(b.finish().unwrap(), "limit", PropertyId(0), 0..=1).unwrap()
}

/// Decides the instances in this order, each with the lemmas of the one before.
fn decide_family(family: &Family, order: Order, options: PdrOptions) -> Optimum {
    let strategy = Strategy { order, reuse: true, options };
    let session = Session::start(Options::default()).unwrap();
    optimum(&family.clone().into(), &strategy, &session).unwrap()
}

/// C.1.3 as it is told: `ipdr-constrain` takes over all clauses without a query.
#[test]
fn thesis_simple_constrained_incrementally() {
    let family = guarded(&SIMPLE, ('b', 'c'));
    for options in (0..48).map(settings_in_series) {
        let found = decide_family(&family, Order::Constrain, options);
        assert_eq!((found.trend, found.stopped), (Some(Trend::Loosens), None));
        let [first, second] = &found.stages[..] else { panic!("two bounds: {:?}", found.stages) };
        assert_eq!((first.bound, &first.answer), (1, &StageAnswer::Unsafe { needed: 1 }));
        assert_eq!((first.reuse, second.bound, &second.answer), (None, 0, &StageAnswer::Safe));
        let reuse = second.reuse.expect("begun with the frames of the first");
        assert_eq!((reuse.lost, reuse.queries), (0, 0), "nothing is asked");
        assert_eq!(reuse.kept, reuse.offered);
        assert!(reuse.kept > 0);
        let (bound, trace) = found.fails.expect("at 1");
        assert_eq!((bound, path(family.system(), &trace)), (1, "abcde".to_owned()));
        let (bound, proof) = found.holds.expect("at 0");
        assert_eq!((bound, satisfying(&proof, 5)), (0, "ab".to_owned()));
        let verdict = Verdict::Safe(proof);
        assert_right(&family.instance(0), (PropertyId(0), Outcome::Safe), &verdict);
    }
}

/// C.2.3 as it is told: `ipdr-relax` asks again of each clause how far it holds.
#[test]
fn thesis_second_system_relaxed_incrementally() {
    let family = guarded(&FORKED, ('a', 'b'));
    for options in (0..48).map(settings_in_series) {
        let found = decide_family(&family, Order::Relax, options);
        let [first, second] = &found.stages[..] else { panic!("two bounds: {:?}", found.stages) };
        assert_eq!((first.bound, &first.answer), (0, &StageAnswer::Safe));
        assert_eq!((second.bound, &second.answer), (1, &StageAnswer::Unsafe { needed: 1 }));
        let reuse = second.reuse.expect("begun with the frames of the first");
        assert!(reuse.offered > 0 && reuse.queries > 0, "{reuse:?}");
        let (_, proof) = found.holds.expect("at 0");
        assert_eq!(satisfying(&proof, 5), "a");
        let (_, trace) = found.fails.expect("at 1");
        let path = path(family.system(), &trace);
        assert!(path == "abde" || path == "abce", "{path}");
    }
}
