//! Systems that another program builds, and lemmas that it keeps.

use std::sync::Arc;
use std::time::Duration;

use elinvar::engines::Choice;
use elinvar::engines::pdr::PdrOptions;
use elinvar::ir::{
    BinaryOp, BitVec, Goal, Named, Origin, Place, Property, PropertyStatus, Simulator, Sort,
    SystemBuilder, TransitionSystem, rewritten,
};
use elinvar::{Method, Options, Problem, Summary, SystemProblem, check, stimulus};
use elinvar_models::{Generator, Shape};

/// What is true in each cycle of a random execution.
fn observed(system: &TransitionSystem, seed: u64) -> Vec<(Vec<elinvar::ir::Value>, Vec<bool>)> {
    let trace = stimulus::random(system, 6, seed);
    let mut simulator = Simulator::of_trace(system, &trace);
    let mut observations = Vec::new();
    for (cycle, step) in trace.steps.iter().enumerate() {
        if cycle > 0 {
            simulator.follow(step);
        }
        let properties = system.properties().iter().flat_map(|property| property.bits());
        let bits = system.constraints().iter().chain(system.fairness()).chain(properties);
        let bits = bits.map(|&bit| simulator.holds(bit)).collect();
        let mut values = simulator.states().to_vec();
        values.extend(system.outputs().iter().map(|output| simulator.value(output.expr)));
        observations.push((values, bits));
    }
    observations
}

#[test]
fn a_rewritten_copy_behaves_like_the_original() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS, Shape::NUMBERS] {
        for seed in 0..150 {
            let original = Generator::verbatim(seed, shape);
            let copy = rewritten(&original);
            assert!(copy.pool().rewrites() && !original.pool().rewrites());
            assert_eq!(copy.inputs().len(), original.inputs().len());
            assert_eq!(observed(&copy, seed), observed(&original, seed), "{shape:?} {seed}");
        }
    }
}

#[test]
fn a_rewritten_copy_keeps_names_and_places() {
    let place = |line| Some(Place { file: "queue.py".into(), line, column: None });
    let mut b = SystemBuilder::verbatim();
    let clock = b.input(Sort::BOOL, Some("clock")).unwrap();
    let count = b.state(Sort::Bv(4), Some("count")).unwrap();
    let is_zero = {
        let zero = b.pool.constant(BitVec::zero(4));
        b.pool.equal(count, zero).unwrap()
    };
    b.clocks = vec![0];
    b.constrain(clock, Origin { name: Some("runs".to_owned()), place: place(3) });
    b.outputs.push(Named { name: "is_zero".to_owned(), expr: is_zero });
    b.antecedents.insert(is_zero, vec![clock]);
    let property = Property { goal: Goal::Cover, place: place(4), ..Property::bad("p", is_zero) };
    b.properties.push(property);
    let copy = rewritten(&b.finish().unwrap());
    assert_eq!((&copy.input_name(0)[..], &copy.state_name(0)[..]), ("clock", "count"));
    assert_eq!((copy.clocks(), &copy.outputs()[0].name[..]), (&[0][..], "is_zero"));
    assert_eq!(copy.constraint_origin(0).place, place(3));
    let property = &copy.properties()[0];
    assert_eq!((property.goal, &property.place), (Goal::Cover, &place(4)));
    assert_eq!(copy.antecedent(property.bits()[0]), [copy.inputs()[0].symbol]);
}

/// A counter that starts again after 9; the property needs lemmas about a second one.
fn counters(limit: u64) -> SystemProblem {
    let mut b = SystemBuilder::verbatim();
    let states = ["a", "b"].map(|name| b.state(Sort::Bv(4), Some(name)).unwrap());
    let [zero, one, nine] = [0, 1, 9].map(|value| b.pool.constant(BitVec::new(4, value)));
    let is_last = b.pool.equal(states[0], nine).unwrap();
    for (index, state) in states.into_iter().enumerate() {
        let sum = b.pool.binary(BinaryOp::Add, state, one).unwrap();
        b.states[index].init = Some(zero);
        b.states[index].next = Some(b.pool.ite(is_last, zero, sum).unwrap());
    }
    let limit = b.pool.constant(BitVec::new(4, limit));
    let below = b.pool.binary(BinaryOp::Ult, states[1], limit).unwrap();
    let bad = b.pool.not(below).unwrap();
    let place = Some(Place { file: "queue.py".into(), line: 7, column: None });
    b.properties.push(Property { place, ..Property::bad("below", bad) });
    let line = (("queue.py".to_owned(), 7), "s.always(b < 12)".to_owned());
    SystemProblem::built(b.finish().unwrap(), [line].into())
}

#[test]
fn places_of_built_systems_have_their_texts() {
    let report = check(&Problem::System(counters(5)), &Options::default()).unwrap();
    let location = report.properties[0].location.clone().unwrap();
    assert_eq!((location.to_string(), location.column), ("queue.py:7".to_owned(), None));
    assert_eq!(location.text.as_deref(), Some("s.always(b < 12)"));
}

#[test]
fn lemmas_are_kept_in_the_report() {
    let keep_lemmas = Some(Duration::from_secs(10));
    let method = Method::System(Choice::Pdr(PdrOptions::default()));
    let options = Options { method, keep_lemmas, ..Options::default() };
    let ask = |problem: SystemProblem, options: &Options| {
        check(&Problem::System(problem), options).unwrap()
    };
    let proved = ask(counters(12), &options);
    let lemmas = proved.lemmas.clone().expect("they were asked for");
    assert!(!lemmas.lemmas.is_empty() && lemmas.seconds > 0.0);
    assert_eq!(lemmas.properties[0].status, PropertyStatus::Safe);
    let again = Options { reuse: Some(Arc::clone(&lemmas)), ..options.clone() };
    let reused = ask(counters(13), &again);
    assert!(reused.statistics.reuse().unwrap().kept > 0);
    assert!(reused.lemmas.unwrap().seconds > lemmas.seconds);
    // The proof of the version before is kept when a change breaks it.
    let broken = ask(counters(5), &again);
    assert_eq!(broken.summary(), Summary::Unsafe);
    assert_eq!(broken.lemmas.unwrap().lemmas, lemmas.lemmas);
    let forgetful = Options { keep_lemmas: None, ..options.clone() };
    assert!(ask(counters(12), &forgetful).lemmas.is_none());
    // An engine without lemmas leaves an empty state.
    let quick = Options { method: Method::Auto, ..options };
    assert!(ask(counters(5), &quick).lemmas.is_some());
}
