//! The length of counterexamples, against exhaustive search.

use elinvar::engines::pdr::{PdrOptions, WordsOptions};
use elinvar::engines::simulation::SimulationOptions;
use elinvar::engines::{Choice, bmc::BmcOptions, liveness};
use elinvar::ir::PropertyId;
use elinvar::{Method, Options, Problem, Report, Shortening, check};
use elinvar_models::{Generator, Outcome, Searched, Shape, search_loops, searched};

fn report(problem: &Problem, method: &Method, shortening: Shortening) -> Report {
    let options = Options { method: method.clone(), shortening, ..Options::default() };
    let report = check(problem, &options).unwrap();
    assert!(report.bugs.is_empty(), "{:?}", report.bugs);
    report
}

/// By property, the depth of its counterexample and whether it is known to be the shortest.
fn depths(report: &Report) -> Vec<(PropertyId, Option<usize>, bool)> {
    let is_unsafe = |p: &elinvar::PropertyReport| p.summary() == elinvar::Summary::Unsafe;
    let row = |p: &elinvar::PropertyReport| (p.id, p.depth.filter(|_| is_unsafe(p)), p.is_shortest);
    report.properties.iter().map(row).collect()
}

fn methods() -> Vec<Method> {
    let engines = [
        Choice::Auto,
        Choice::Pdr(PdrOptions::default()),
        Choice::Words(WordsOptions::default()),
        Choice::Simulation(SimulationOptions::default()),
        Choice::Bmc(BmcOptions { start: 2, step: 3, bound: Some(12), ..BmcOptions::default() }),
    ];
    engines.into_iter().map(Method::System).collect()
}

#[test]
fn the_shortest_counterexamples_are_as_short_as_those_of_exhaustive_search() {
    let mut shortened = 0;
    for Searched { shape, seed, system, outcomes } in searched(0..60, 20_000) {
        if outcomes.is_empty() {
            continue;
        }
        let problem = Problem::from(system);
        for method in methods() {
            let first = depths(&report(&problem, &method, Shortening::Off));
            let last = depths(&report(&problem, &method, Shortening::Full));
            for (&(id, outcome), ((_, long, _), (_, short, is_shortest))) in
                outcomes.iter().zip(first.iter().zip(&last))
            {
                let name = || format!("{shape:?}, seed {seed}, {}, {id:?}", method.name());
                match (outcome, short) {
                    (Outcome::Unsafe(depth), Some(short)) => {
                        assert_eq!((depth, true), (*short, *is_shortest), "{}", name());
                        shortened += usize::from(long.is_some_and(|long| long > *short));
                    }
                    (_, Some(_)) => panic!("{}: there is no counterexample", name()),
                    (_, None) => assert!(!is_shortest, "{}", name()),
                }
            }
        }
    }
    // Otherwise the engines found the shortest counterexamples themselves.
    assert!(shortened > 20, "{shortened}");
}

/// A claim to be the shortest is true, whoever makes it.
#[test]
fn brief_searches_do_not_claim_too_much() {
    for Searched { shape, seed, system, outcomes } in searched(0..60, 20_000) {
        if outcomes.is_empty() {
            continue;
        }
        let problem = Problem::from(system);
        for (method, shortening) in methods().iter().zip([Shortening::Off, Shortening::Brief]) {
            let found = depths(&report(&problem, method, shortening));
            for (&(id, outcome), &(_, depth, is_shortest)) in outcomes.iter().zip(&found) {
                if let (Outcome::Unsafe(least), Some(depth)) = (outcome, depth) {
                    let is_true = if is_shortest { depth == least } else { depth >= least };
                    assert!(is_true, "{shape:?}, seed {seed}, {id:?}: {depth}, {least}");
                }
            }
        }
    }
}

/// Loops get shorter, and no shorter one is found by bounded model checking alone.
#[test]
fn loops_get_shorter() {
    let method = |method| Method::System(Choice::Liveness(method));
    let shoals = method(liveness::Method::Shoals);
    let bounded = BmcOptions { bound: Some(12), ..BmcOptions::default() };
    let bounded = method(liveness::Method::Saving(Box::new(Choice::Bmc(bounded))));
    let mut shortened = 0;
    for seed in 0..120 {
        let system = Generator::system(seed, Shape { liveness: true, ..Shape::BITS });
        if search_loops(&system, 5_000).is_err() {
            continue;
        }
        let problem = Problem::from(system);
        let [first, last] = [Shortening::Off, Shortening::Full]
            .map(|shortening| depths(&report(&problem, &shoals, shortening)));
        let least = depths(&report(&problem, &bounded, Shortening::Off));
        for ((&(id, long, _), &(_, short, _)), &(_, least, _)) in
            first.iter().zip(&last).zip(&least)
        {
            assert_eq!(long.is_some(), short.is_some(), "seed {seed}, {id:?}");
            assert!(short <= long, "seed {seed}, {id:?}: {short:?} {long:?}");
            if let (Some(short), Some(least)) = (short, least) {
                assert!(short <= least, "seed {seed}, {id:?}: {short}, {least}");
            }
            shortened += usize::from(short < long);
        }
    }
    assert!(shortened > 5, "{shortened}");
}
