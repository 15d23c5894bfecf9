//! All methods for liveness against the search for fair cycles, on random systems.

use elinvar_check::{Budget, certificate, replay};
use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::liveness::{Liveness, Method};
use elinvar_engines::pdr::PdrOptions;
use elinvar_engines::{Choice, Run, Task};
use elinvar_ir::{PropertyId, Trace, TransitionSystem, Verdict};
use elinvar_models::{Generator, Shape, search_loops};

/// What came out of some systems.
#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    violated: usize,
    /// Why properties are open.
    open: Vec<String>,
}

/// Compares a method with the truth, and checks its evidence.
fn compare(method: &Method, systems: u64, shape: Shape, seconds: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..systems {
        let system = Generator::system(seed, Shape { liveness: true, ..shape });
        let Ok(truth) = search_loops(&system, 5_000) else { continue };
        let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
        let run = Run::new().with_timeout(std::time::Duration::from_secs(seconds));
        let task = Task::about(&system, &properties, &run);
        let verdicts = task.check(&mut Liveness(method.clone())).expect("liveness properties");
        for ((id, violation), verdict) in truth.into_iter().zip(verdicts) {
            let context = format!("{method:?}, seed {seed}, property {}", id.0);
            judge(&system, id, violation.as_ref(), &verdict, &context);
            match verdict {
                Verdict::Safe(_) => tally.safe += 1,
                Verdict::Unsafe(_) => tally.violated += 1,
                Verdict::Unknown(reason) => tally.open.push(format!("{context}: {reason}")),
            }
        }
    }
    tally
}

fn judge(
    system: &TransitionSystem,
    id: PropertyId,
    violation: Option<&Trace>,
    verdict: &Verdict,
    context: &str,
) {
    match verdict {
        Verdict::Safe(proof) => {
            assert!(violation.is_none(), "{context}: {violation:?}");
            assert_eq!(certificate(system, id, proof, &Budget::default()), Ok(()), "{context}");
        }
        Verdict::Unsafe(trace) => {
            assert!(violation.is_some(), "{context}");
            assert_eq!(replay(system, trace), Ok(()), "{context}");
        }
        Verdict::Unknown(_) => {}
    }
}

fn saving(choice: Choice) -> Method {
    Method::Saving(Box::new(choice))
}

#[test]
fn saving_decides_everything() {
    let signals = PdrOptions { signals: true, ..PdrOptions::default() };
    for options in [PdrOptions::default(), signals] {
        let tally = compare(&saving(Choice::Pdr(options)), 60, Shape::BITS, 5);
        assert!(tally.safe > 10 && tally.violated > 10, "{tally:?}");
        // Initial values that depend on inputs are beyond property directed reachability.
        assert!(tally.open.len() <= 1, "{tally:?}");
    }
}

#[test]
fn saving_finds_loops_by_bounded_model_checking() {
    let bmc = BmcOptions { bound: Some(12), ..BmcOptions::default() };
    let tally = compare(&saving(Choice::Bmc(bmc)), 60, Shape::BITS, 5);
    assert!(tally.violated > 10 && tally.safe == 0, "{tally:?}");
}

#[test]
fn counting_finds_proofs() {
    let tally = compare(&Method::Counting, 25, Shape::BITS, 1);
    assert!(tally.safe > 5 && tally.violated == 0, "{tally:?}");
}

#[test]
fn shoals_decide_everything_on_bits() {
    let tally = compare(&Method::Shoals, 60, Shape::BITS, 5);
    assert!(tally.safe > 10 && tally.violated > 10, "{tally:?}");
}

#[test]
fn all_methods_together_decide_everything() {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        let tally = compare(&Method::Auto, 40, shape, 5);
        assert!(tally.safe > 5 && tally.violated > 5, "{tally:?}");
        // Initial values that depend on inputs are beyond property directed reachability.
        assert!(tally.open.len() <= 1, "{tally:?}");
    }
}
