//! How large sums of words are in the initial states.

use dashu_int::IBig;
use rustc_hash::FxHashMap;

use super::atom::{Known, Shape, Terms, sum};
use super::circuit::{Init, WordInfo};
use super::encoding::Encoding;
use super::solver::FrameSolver;

/// The greatest values of sums in initial states, as far as they were asked for.
#[derive(Default)]
pub(super) struct InitialBounds {
    greatest: FxHashMap<Terms, IBig>,
}

impl InitialBounds {
    /// The greatest value of a sum in the initial states.
    pub fn greatest(&mut self, solver: &mut FrameSolver, terms: &Terms) -> IBig {
        let words = &solver.encoding.words;
        let is_constant = |&(_, word): &(i64, usize)| matches!(words[word].init, Init::Constant(_));
        if terms.iter().all(is_constant) {
            return sum(terms, |word| words[word].reading.of(&solver.origin[word]));
        }
        if let Some(known) = self.greatest.get(terms) {
            return known.clone();
        }
        // Some initial state has `low`, none has more than `high`.
        let mut low = Known::default().least(words, terms);
        let mut high = greatest(words, terms);
        while low < high {
            let middle: IBig = floor_half(&(&low + &high + IBig::ONE));
            let Encoding { atoms, .. } = &mut solver.encoding;
            let atom = atoms.atom(Shape::sum_at_least(terms, &middle));
            if solver.meets_initial(&[atom]) {
                low = middle;
            } else {
                high = middle - IBig::ONE;
            }
        }
        self.greatest.insert(terms.clone(), low.clone());
        low
    }
}

/// The greatest value that a sum can have at all.
pub(super) fn greatest(words: &[WordInfo], terms: &Terms) -> IBig {
    let negated: Terms = terms.iter().map(|&(c, word)| (-c, word)).collect();
    -Known::default().least(words, &negated)
}

/// Half of a number, rounded down.
pub(super) fn floor_half(number: &IBig) -> IBig {
    number >> 1
}
