//! The registers of a PDR state in another version of the system.
//!
//! This is a guess, in steps from the most to the least reliable. Each step considers only
//! what the previous ones have left, on both sides; registers of different sorts are never paired.
//!
//! 1. The same name, if no other register has it.
//! 2. The same shape (see `shape`), if no other register has it: from the last round,
//!    which sees farthest, to the first.
//! 3. The same shape, and in the same order: as a comparison of two texts does it, with
//!    the fewest registers put in, taken out or changed between those that are found.
//!    So the bits of a register file, all alike, keep their order.
//! 4. The same shape as often as before: one by one, in the order of the registers.
//! 5. What the last comparison of step 3 took for a changed register.
//!
//! Lemmas are proved again in the new system, so a wrong pair only costs time.

mod align;

use std::hash::Hash;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use self::align::{Budget, align, ascending};
use crate::pdr_state::{PdrState, RegisterKey};
use crate::shape::{ROUNDS, keys};
use crate::system::TransitionSystem;

/// The places that comparisons of registers in order look at, all in all.
const COMPARISON: usize = 10_000_000;

impl PdrState {
    /// For each register of the state the number of the register of `system` that is
    /// taken for it. No two get the same one.
    ///
    /// The order of registers helps most if the state has all of its system, whether
    /// lemmas mention them or not.
    pub fn locate(&self, system: &TransitionSystem) -> Vec<Option<usize>> {
        pair(&self.registers, keys(system))
    }
}

fn pair(old: &[RegisterKey], new: &[RegisterKey]) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..old.len()).collect();
    order.sort_by_key(|&register| old[register].index);
    let mut pairs =
        Pairs { old, new, order, found: vec![None; old.len()], taken: vec![false; new.len()] };
    pairs.by_class(1, |key| (!key.name.is_empty()).then_some((&key.name, key.sort)));
    for round in (0..ROUNDS).rev() {
        pairs.by_class(1, |key| Some((key.shape.get(round)?, key.sort)));
    }
    let mut budget = Budget(COMPARISON);
    let mut corresponding = Vec::new();
    for round in (0..ROUNDS).rev() {
        if round == 0 || pairs.mostly_kept(round) {
            corresponding = pairs.in_order(round, &mut budget);
            pairs.insert_free(&corresponding, |old, new| alike(old, new, round));
        }
    }
    for round in (0..ROUNDS).rev() {
        pairs.by_class(usize::MAX, |key| Some((key.shape.get(round)?, key.sort)));
    }
    pairs.insert_free(&corresponding, |old, new| old.sort == new.sort);
    pairs.found
}

fn alike(old: &RegisterKey, new: &RegisterKey, round: usize) -> bool {
    old.sort == new.sort && old.shape.get(round) == new.shape.get(round)
}

struct Pairs<'a> {
    old: &'a [RegisterKey],
    new: &'a [RegisterKey],
    /// The old registers in the order that they had in their system.
    order: Vec<usize>,
    /// By old register, the new one.
    found: Vec<Option<usize>>,
    /// By new register: is it found?
    taken: Vec<bool>,
}

/// The registers, not paired yet, that a key does not tell apart.
#[derive(Default)]
struct Class {
    old: Vec<usize>,
    new: Vec<usize>,
}

impl<'a> Pairs<'a> {
    fn insert(&mut self, old: usize, new: usize) {
        debug_assert!(self.found[old].is_none() && !self.taken[new]);
        self.found[old] = Some(new);
        self.taken[new] = true;
    }

    /// Pairs the registers of each class of at most `largest` registers on either
    /// side, in their order, if there are as many old ones as new ones.
    fn by_class<K: Eq + Hash>(
        &mut self,
        largest: usize,
        key: impl Fn(&'a RegisterKey) -> Option<K>,
    ) {
        let mut classes: FxHashMap<K, Class> = FxHashMap::default();
        for &register in self.order.iter().filter(|&&register| self.found[register].is_none()) {
            if let Some(key) = key(&self.old[register]) {
                classes.entry(key).or_default().old.push(register);
            }
        }
        for register in (0..self.new.len()).filter(|&register| !self.taken[register]) {
            if let Some(class) = key(&self.new[register]).and_then(|key| classes.get_mut(&key)) {
                class.new.push(register);
            }
        }
        for class in classes.into_values() {
            if class.old.len() == class.new.len() && class.old.len() <= largest {
                for (old, new) in class.old.into_iter().zip(class.new) {
                    self.insert(old, new);
                }
            }
        }
    }

    /// Pairs what is free and fits.
    fn insert_free(
        &mut self,
        pairs: &[(usize, usize)],
        fits: impl Fn(&RegisterKey, &RegisterKey) -> bool,
    ) {
        for &(old, new) in pairs {
            let free = self.found[old].is_none() && !self.taken[new];
            if free && fits(&self.old[old], &self.new[new]) {
                self.insert(old, new);
            }
        }
    }

    /// Have most of the registers that are left a shape that is there still? If not,
    /// too much has changed to compare by it.
    fn mostly_kept(&self, round: usize) -> bool {
        let new: FxHashSet<Option<&u64>> = (self.new.iter().zip(&self.taken))
            .filter(|&(_, &taken)| !taken)
            .map(|(key, _)| key.shape.get(round))
            .collect();
        let left = self.old.iter().zip(&self.found).filter(|(_, found)| found.is_none());
        let (mut kept, mut all) = (0, 0);
        for (key, _) in left {
            all += 1;
            kept += usize::from(new.contains(&key.shape.get(round)));
        }
        2 * kept > all
    }

    /// The registers that correspond when both systems are compared as texts are,
    /// between each two registers that are found and the next that are.
    fn in_order(&self, round: usize, budget: &mut Budget) -> Vec<(usize, usize)> {
        let by_index = self.by_index();
        let mut pairs = Vec::new();
        let (mut old, mut new) = (0, 0);
        for (next_old, next_new) in self.anchors(&by_index) {
            pairs.extend(self.compare(
                round,
                &by_index[old..next_old],
                new..next_new,
                false,
                budget,
            ));
            (old, new) = (next_old + 1, next_new + 1);
        }
        // If the state has not all registers, there may have been more behind the last.
        let open_end = by_index.contains(&None);
        pairs.extend(self.compare(round, &by_index[old..], new..self.new.len(), open_end, budget));
        pairs
    }

    /// The old registers by their places, at most one at each; the state does not have
    /// all of them.
    fn by_index(&self) -> Vec<Option<usize>> {
        // Farther places correspond to none, and may come from a strange file.
        let most = 2 * self.new.len();
        let near = self.order.iter().filter(|&&register| self.old[register].index < most);
        let mut by_index = Vec::new();
        for &register in near {
            by_index.resize(self.old[register].index, None);
            by_index.push(Some(register));
        }
        by_index
    }

    /// Places of as many found registers as have the same order on both sides.
    fn anchors(&self, by_index: &[Option<usize>]) -> Vec<(usize, usize)> {
        let places: Vec<(usize, usize)> = (by_index.iter().enumerate())
            .filter_map(|(place, &register)| Some((place, self.found[register?]?)))
            .collect();
        let new: Vec<usize> = places.iter().map(|&(_, new)| new).collect();
        ascending(&new).into_iter().map(|position| places[position]).collect()
    }

    fn compare(
        &self,
        round: usize,
        old: &[Option<usize>],
        new: Range<usize>,
        open_end: bool,
        budget: &mut Budget,
    ) -> impl Iterator<Item = (usize, usize)> {
        let equal = |x: usize, y: usize| {
            let y = new.start + y;
            // A register that the state does not have may be any.
            old[x].is_none_or(|register| {
                let free = self.found[register].is_none() && !self.taken[y];
                free && alike(&self.old[register], &self.new[y], round)
            })
        };
        let same_distance = || (0..old.len()).zip(0..new.len()).collect();
        let places = align(old.len(), new.len(), open_end, budget, equal);
        let places = places.unwrap_or_else(same_distance);
        places.into_iter().filter_map(move |(x, y)| Some((old[x]?, new.start + y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ExprId, Sort};
    use crate::system::{State, SystemBuilder};
    use crate::value::BitVec;

    fn state_of(system: &TransitionSystem) -> PdrState {
        PdrState { registers: keys(system).to_vec(), ..PdrState::default() }
    }

    /// A shift register of words with a counter in front, all with the same sort.
    fn pipeline(named: bool) -> SystemBuilder {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::Bv(4), None).unwrap();
        let words: Vec<ExprId> = (0..8)
            .map(|i| b.state(Sort::Bv(4), named.then(|| format!("w{i}")).as_deref()).unwrap())
            .collect();
        let one = b.pool.constant(BitVec::one(4));
        b.states[0].next = Some(b.pool.binary(crate::BinaryOp::Add, words[0], one).unwrap());
        b.states[1].next = Some(x);
        for i in 2..8 {
            b.states[i].next = Some(words[i - 1]);
        }
        let bad = b.pool.equal(words[7], words[0]).unwrap();
        b.bad("p", bad);
        b
    }

    /// Puts a register of the sort at the place, with a next function made of others.
    fn put_in(b: &mut SystemBuilder, place: usize, sort: Sort, next: Option<ExprId>) {
        b.state(sort, None).unwrap();
        let State { symbol, .. } = b.states.pop().expect("declared just now");
        b.states.insert(place, State { symbol, init: None, next });
    }

    #[track_caller]
    fn check(old: &SystemBuilder, new: SystemBuilder, expected: impl Fn(usize) -> Option<usize>) {
        let state = state_of(&old.clone().finish().unwrap());
        let found = state.locate(&new.finish().unwrap());
        assert_eq!(found, (0..found.len()).map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn renamed_registers() {
        let old = pipeline(true);
        for renamed in [0..1, 3..4, 0..8] {
            let mut new = old.clone();
            for state in renamed {
                let symbol = new.pool.as_symbol(new.states[state].symbol).unwrap();
                new.pool.rename(symbol, &format!("other{state}"));
            }
            check(&old, new, Some);
        }
    }

    #[test]
    fn names_lead_where_nothing_else_does() {
        let old = pipeline(true);
        let mut new = old.clone();
        new.states.reverse();
        for state in &mut new.states {
            state.next = None;
        }
        check(&old, new, |i| Some(7 - i));
    }

    #[test]
    fn a_name_does_not_lead_to_another_sort() {
        let mut old = SystemBuilder::new();
        old.state(Sort::Bv(4), Some("a")).unwrap();
        let mut new = SystemBuilder::new();
        new.state(Sort::Bv(5), Some("a")).unwrap();
        check(&old, new, |_| None);
    }

    #[test]
    fn names_that_two_registers_have_do_not_lead() {
        let mut old = SystemBuilder::new();
        let mut new = SystemBuilder::new();
        for (b, width) in [(&mut old, 4), (&mut new, 3)] {
            b.state(Sort::Bv(width), Some("a")).unwrap();
            b.state(Sort::Bv(3), Some("b")).unwrap();
            b.state(Sort::Bv(3), Some("b")).unwrap();
        }
        // By their order: the last two, not the first two of the sort.
        check(&old, new, |i| (i > 0).then_some(i));
    }

    #[test]
    fn registers_put_in_and_taken_out() {
        for named in [true, false] {
            let old = pipeline(named);
            for place in 0..=8 {
                let mut new = old.clone();
                let next = new.pool.not(new.states[7].symbol).unwrap();
                put_in(&mut new, place, Sort::Bv(4), Some(next));
                check(&old, new.clone(), |i| Some(i + usize::from(i >= place)));
                // And back: the one put in is gone.
                let found = state_of(&new.finish().unwrap()).locate(&old.clone().finish().unwrap());
                let expected = (0..9).map(|i| (i != place).then(|| i - usize::from(i > place)));
                assert_eq!(found, expected.collect::<Vec<_>>(), "{place}");
            }
        }
    }

    #[test]
    fn another_order() {
        let old = pipeline(false);
        let mut new = old.clone();
        new.states.swap(0, 5);
        new.states.swap(1, 2);
        check(&old, new, |i| Some([5, 2, 1, 3, 4, 0, 6, 7][i]));
    }

    #[test]
    fn a_changed_function() {
        let old = pipeline(false);
        for changed in 0..8 {
            let mut new = old.clone();
            let x = new.inputs[0].symbol;
            let next = new.states[changed].next.unwrap();
            new.states[changed].next = Some(new.pool.and(next, x).unwrap());
            check(&old, new, Some);
        }
    }

    /// A register file, all registers alike, and one register put in between.
    #[test]
    fn registers_that_are_all_alike_keep_their_order() {
        let mut old = SystemBuilder::new();
        let x = old.input(Sort::BOOL, None).unwrap();
        for i in 0..200 {
            old.state(Sort::BOOL, None).unwrap();
            old.states[i].next = Some(x);
        }
        let mut new = old.clone();
        let next = new.pool.not(x).unwrap();
        put_in(&mut new, 70, Sort::BOOL, Some(next));
        check(&old, new, |i| Some(i + usize::from(i >= 70)));
    }

    #[test]
    fn states_have_some_of_the_registers() {
        let old = pipeline(false);
        let mut new = old.clone();
        let next = new.pool.not(new.states[7].symbol).unwrap();
        put_in(&mut new, 3, Sort::Bv(4), Some(next));
        let mut state = state_of(&old.finish().unwrap());
        state.registers = [6, 0, 4].map(|i| state.registers[i].clone()).to_vec();
        assert_eq!(state.locate(&new.finish().unwrap()), [Some(7), Some(0), Some(5)]);
    }

    #[test]
    fn strange_keys_do_no_harm() {
        let system = pipeline(false).finish().unwrap();
        let mut state = state_of(&system);
        for (i, key) in state.registers.iter_mut().enumerate() {
            key.index = usize::MAX - i % 2;
            key.shape.truncate(i % 3);
        }
        let found = state.locate(&system);
        let mut places: Vec<usize> = found.into_iter().flatten().collect();
        places.sort_unstable();
        assert!(places.is_sorted_by(|a, b| a < b));
        assert!(PdrState::default().locate(&system).is_empty());
        assert_eq!(state.locate(&SystemBuilder::new().finish().unwrap()), [None; 8]);
    }

    #[test]
    fn registers_that_claim_the_same_place_do_no_harm() {
        let system = pipeline(true).finish().unwrap();
        let mut state = state_of(&system);
        for key in &mut state.registers {
            key.index = 0;
        }
        assert_eq!(state.locate(&system), Vec::from_iter((0..8).map(Some)), "by their names");
    }
}
