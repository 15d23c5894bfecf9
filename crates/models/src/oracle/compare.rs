//! Verdicts on random systems against exhaustive search.

use elinvar_ir::{PropertyId, TransitionSystem, Verdict};

use super::explicit::{Outcome, search};
use super::random::{Generator, Shape};

/// Lets `check` decide small random systems of bits, words and arrays, so many of each, and
/// compares its verdicts with exhaustive search.
///
/// # Panics
/// If a verdict is wrong or unknown.
pub fn compare_with_search(
    seeds: u64,
    check: impl Fn(&TransitionSystem, &[PropertyId]) -> Vec<Verdict>,
) {
    for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
        for seed in 0..seeds {
            let system = Generator::system(seed, shape);
            let Ok(truth) = search(&system, 20_000) else { continue };
            let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
            let verdicts = check(&system, &properties);
            assert_eq!(verdicts.len(), truth.len(), "a verdict for each property");
            for (&(_, outcome), verdict) in truth.iter().zip(&verdicts) {
                match (outcome, verdict) {
                    (Outcome::Safe, Verdict::Safe(_))
                    | (Outcome::Unsafe(_), Verdict::Unsafe(_)) => {}
                    other => panic!("seed {seed}: {other:?}"),
                }
            }
        }
    }
}
