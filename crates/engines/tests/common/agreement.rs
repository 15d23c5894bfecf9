//! An engine against explicit-state search.

use elinvar_ir::{PropertyId, TransitionSystem, Verdict};
use elinvar_models::{Generator, Outcome, Shape, search};

use super::{assert_right, is_beyond};

/// Compares an engine with explicit-state search on random systems. `check` gets the number
/// of a setting.
pub fn assert_agrees_with_search(
    shape: Shape,
    seeds: u64,
    check: impl Fn(&TransitionSystem, &[PropertyId], u64) -> Vec<Verdict>,
) {
    let (mut safe, mut failing, mut beyond) = (0, 0, 0);
    for seed in 0..seeds {
        let system = Generator::system(seed, shape);
        let Ok(truth) = search(&system, 20_000) else { continue };
        let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
        for number in [seed, seed * 31 + 17] {
            let verdicts = check(&system, &properties, number);
            for (&truth, verdict) in truth.iter().zip(&verdicts) {
                if is_beyond(&system, verdict) {
                    beyond += 1;
                    continue;
                }
                assert_right(&system, truth, verdict);
                match truth.1 {
                    Outcome::Safe => safe += 1,
                    Outcome::Unsafe(_) => failing += 1,
                }
            }
        }
    }
    assert!(safe as u64 > seeds / 2 && failing as u64 > seeds / 2, "{safe} safe, {failing} not");
    assert!(beyond * 10 < safe + failing, "{beyond} of {} are beyond", safe + failing);
}
