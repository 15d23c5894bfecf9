//! Verdicts on random systems against exhaustive search.

use std::ops::Range;

use elinvar_ir::{PropertyId, TransitionSystem, Verdict};

use super::explicit::{Outcome, search};
use super::random::{Generator, Shape};

/// A random system with the results of exhaustive search.
pub struct Searched {
    /// The shape it was drawn with.
    pub shape: Shape,
    /// The seed it was drawn with.
    pub seed: u64,
    /// The system.
    pub system: TransitionSystem,
    /// The outcome of each property.
    pub outcomes: Vec<(PropertyId, Outcome)>,
}

/// The random systems of bits, words and arrays with these seeds that have at most `budget`
/// states.
pub fn searched(seeds: Range<u64>, budget: usize) -> impl Iterator<Item = Searched> {
    let shapes = [Shape::BITS, Shape::WORDS, Shape::ARRAYS].into_iter();
    let all = shapes.flat_map(move |shape| seeds.clone().map(move |seed| (shape, seed)));
    all.filter_map(move |(shape, seed)| {
        let system = Generator::system(seed, shape);
        let outcomes = search(&system, budget).ok()?;
        Some(Searched { shape, seed, system, outcomes })
    })
}

/// Lets `check` decide small random systems of bits, words and arrays, so many of each, and
/// compares its verdicts with exhaustive search.
///
/// # Panics
/// If a verdict is wrong or unknown.
pub fn compare_with_search(
    seeds: u64,
    check: impl Fn(&TransitionSystem, &[PropertyId]) -> Vec<Verdict>,
) {
    for Searched { seed, system, outcomes, .. } in searched(0..seeds, 20_000) {
        let properties: Vec<PropertyId> = outcomes.iter().map(|&(id, _)| id).collect();
        let verdicts = check(&system, &properties);
        assert_eq!(verdicts.len(), outcomes.len(), "a verdict for each property");
        for (&(_, outcome), verdict) in outcomes.iter().zip(&verdicts) {
            match (outcome, verdict) {
                (Outcome::Safe, Verdict::Safe(_)) | (Outcome::Unsafe(_), Verdict::Unsafe(_)) => {}
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
}
