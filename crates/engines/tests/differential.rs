//! Every engine against explicit-state search on small random systems.

use elinvar_engines::bmc::{Bmc, BmcOptions};
use elinvar_engines::kinduction::{Distinct, KInduction, KInductionOptions};
use elinvar_engines::{Engine, Run};
use elinvar_ir::oracle::{Generator, Outcome, Shape, search};
use elinvar_ir::{PropertyId, Verdict};

const SHAPES: [Shape; 3] = [Shape::BITS, Shape::WORDS, Shape::ARRAYS];

/// Runs engines on the systems that can be searched exhaustively, and calls
/// `check` with the truth and the verdict for each property.
fn compare(
    seeds: u64,
    engine: impl Fn(u64) -> Box<dyn Engine>,
    check: impl Fn(Outcome, &Verdict, u64),
) {
    let mut compared = 0;
    for shape in SHAPES {
        for seed in 0..seeds {
            let system = Generator::system(seed, shape);
            let Ok(truth) = search(&system, 20_000) else { continue };
            let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
            let verdicts = engine(seed).check(&system, &properties, &Run::new()).unwrap();
            for (&(_, outcome), verdict) in truth.iter().zip(&verdicts) {
                check(outcome, verdict, seed);
                compared += 1;
            }
        }
    }
    assert!(compared as u64 > seeds, "only {compared} properties compared");
}

#[test]
fn bmc_finds_every_bug_at_its_depth() {
    let options = |seed| BmcOptions {
        start: 0,
        step: 1 + seed as usize % 3,
        bound: Some(12),
        incremental: seed % 4 != 0,
    };
    compare(
        100,
        |seed| Box::new(Bmc::new(options(seed))),
        |outcome, verdict, seed| match (outcome, verdict) {
            (Outcome::Safe, Verdict::Unknown(_)) => {}
            (Outcome::Unsafe(depth), Verdict::Unknown(_)) if depth > 12 => {}
            // With steps of one frame the trace is a shortest one.
            (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if depth == trace.depth() => {}
            (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if seed % 3 != 0 => {
                assert!(trace.depth() > depth, "seed {seed}");
            }
            other => panic!("seed {seed}: {other:?}"),
        },
    );
}

#[test]
fn kinduction_with_simple_paths_decides_everything() {
    let distinct = |seed| if seed % 2 == 0 { Distinct::Lazy } else { Distinct::Eager };
    compare(
        100,
        |seed| {
            let incremental = seed % 5 != 0;
            let options = KInductionOptions {
                bound: Some(10),
                distinct: distinct(seed),
                incremental,
                strengthen: seed % 3 == 0,
            };
            Box::new(KInduction::new(options))
        },
        |outcome, verdict, seed| match (outcome, verdict) {
            (Outcome::Safe, Verdict::Safe(_)) => {}
            (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if depth == trace.depth() => {}
            // A system may have longer simple paths than the bound.
            (Outcome::Safe, Verdict::Unknown(_)) => {}
            other => panic!("seed {seed}: {other:?}"),
        },
    );
}

#[test]
fn kinduction_without_simple_paths_is_sound() {
    let options = KInductionOptions {
        bound: Some(6),
        distinct: Distinct::Never,
        incremental: true,
        strengthen: true,
    };
    compare(
        60,
        |_| Box::new(KInduction::new(options.clone())),
        |outcome, verdict, seed| match (outcome, verdict) {
            (Outcome::Safe, Verdict::Safe(_) | Verdict::Unknown(_)) => {}
            (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if depth == trace.depth() => {}
            (Outcome::Unsafe(depth), Verdict::Unknown(_)) if depth > 6 => {}
            other => panic!("seed {seed}: {other:?}"),
        },
    );
}
