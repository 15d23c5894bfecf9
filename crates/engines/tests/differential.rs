//! Every engine against explicit-state search on small random systems.

#[path = "common/evidence.rs"]
mod evidence;

use elinvar_engines::bmc::{Bmc, BmcOptions};
use elinvar_engines::interpolation::avy::AvyOptions;
use elinvar_engines::interpolation::{InterpolationOptions, System};
use elinvar_engines::kinduction::{Distinct, KInduction, KInductionOptions};
use elinvar_engines::{Choice, Engine, Run, Schedule, Task};
use elinvar_ir::{PropertyId, TransitionSystem, Verdict};
use elinvar_models::{Generator, Outcome, Shape, search};
use elinvar_transform::PassOptions;
use evidence::{assert_right, is_beyond};

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
            let task = Task::about(&system, &properties, &Run::new());
            let verdicts = task.check(&mut *engine(seed)).unwrap();
            for (&(property, outcome), verdict) in truth.iter().zip(&verdicts) {
                check(outcome, verdict, seed);
                if let Verdict::Unsafe(_) = verdict {
                    assert_right(&system, (property, outcome), verdict);
                }
                compared += 1;
            }
        }
    }
    assert!(compared as u64 > seeds, "only {compared} properties compared");
}

/// Options for a seed; with steps of one frame, the trace is a shortest one.
fn bmc_options(seed: u64) -> BmcOptions {
    let step = 1 + seed as usize % 3;
    BmcOptions { start: 0, step, bound: Some(12), incremental: !seed.is_multiple_of(4) }
}

fn bmc_is_right(outcome: Outcome, verdict: &Verdict, seed: u64) {
    match (outcome, verdict) {
        (Outcome::Safe, Verdict::Unknown(_)) => {}
        (Outcome::Unsafe(depth), Verdict::Unknown(_)) if depth > 12 => {}
        (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if depth == trace.depth() => {}
        (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if bmc_options(seed).step > 1 => {
            assert!(trace.depth() > depth, "seed {seed}");
        }
        other => panic!("seed {seed}: {other:?}"),
    }
}

#[test]
fn bmc_finds_every_bug_at_its_depth() {
    compare(100, |seed| Box::new(Bmc(bmc_options(seed))), bmc_is_right);
}

#[test]
fn bmc_on_bits_finds_every_bug_at_its_depth() {
    compare(200, |seed| Box::new(Schedule::bmc(bmc_options(seed))), bmc_is_right);
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
            Box::new(KInduction(options))
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
        |_| Box::new(KInduction(options.clone())),
        |outcome, verdict, seed| match (outcome, verdict) {
            (Outcome::Safe, Verdict::Safe(_) | Verdict::Unknown(_)) => {}
            (Outcome::Unsafe(depth), Verdict::Unsafe(trace)) if depth == trace.depth() => {}
            (Outcome::Unsafe(depth), Verdict::Unknown(_)) if depth > 6 => {}
            other => panic!("seed {seed}: {other:?}"),
        },
    );
}

/// Runs an engine on the systems that can be searched exhaustively: it must decide all
/// properties, and the checker must accept the evidence.
fn decides_everything(seeds: u64, choice: impl Fn(u64) -> Choice) {
    let (mut safe, mut failing, mut beyond) = (0, 0, 0);
    for shape in SHAPES {
        for seed in 0..seeds {
            let system = Generator::system(seed, shape);
            let Ok(truth) = search(&system, 20_000) else { continue };
            let choice = choice(seed);
            for (truth, verdict) in truth.iter().zip(decide(&system, &truth, &choice)) {
                if is_beyond(&system, &verdict) {
                    beyond += 1;
                    continue;
                }
                assert_right(&system, *truth, &verdict);
                match truth.1 {
                    Outcome::Safe => safe += 1,
                    Outcome::Unsafe(_) => failing += 1,
                }
            }
        }
    }
    assert!(safe > seeds / 2 && failing > seeds / 2, "{safe} safe, {failing} not");
    assert!(beyond * 8 < safe + failing, "{beyond} of {} are beyond", safe + failing);
}

fn decide(
    system: &TransitionSystem,
    truth: &[(PropertyId, Outcome)],
    choice: &Choice,
) -> Vec<Verdict> {
    let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
    let task = Task::about(system, &properties, &Run::new());
    task.check(&mut *choice.build()).expect("small enough")
}

fn interpolation(seed: u64) -> InterpolationOptions {
    let simplify = seed.is_multiple_of(2);
    InterpolationOptions {
        passes: PassOptions::all_if(simplify),
        elimination: !seed.is_multiple_of(3),
        system: if seed % 5 < 3 { System::McMillan } else { System::Pudlak },
        ..InterpolationOptions::default()
    }
}

#[test]
fn itp_decides_everything() {
    decides_everything(200, |seed| Choice::Itp(interpolation(seed)));
}

#[test]
fn imc_decides_everything() {
    decides_everything(200, |seed| Choice::Imc(interpolation(seed)));
}

#[test]
fn avy_decides_everything() {
    decides_everything(200, |seed| {
        let defaults = AvyOptions::default();
        Choice::Avy(match seed % 8 {
            1 => AvyOptions { step: 3, ..defaults },
            2 => AvyOptions { global_trace: false, ..defaults },
            3 => AvyOptions { min_suffix: false, ..defaults },
            4 => AvyOptions { interleave: Some(1), ..defaults },
            5 => AvyOptions { system: System::Pudlak, ..defaults },
            6 => AvyOptions { incremental: false, ..defaults },
            7 => AvyOptions { min_core: true, ..defaults },
            _ => defaults,
        })
    });
}
