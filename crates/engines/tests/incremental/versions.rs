//! Other versions of a system.

use std::sync::Arc;

use elinvar_engines::Choice;
use elinvar_ir::{
    ExprId, Input, PropertyId, PropertyKind, Rng, Sort, SystemBuilder, TransitionSystem,
};
use elinvar_models::{Generator, Outcome, Shape, search};

use crate::common::{assert_right, graph};
use crate::{Case, SEARCHED, Tally, compare, decide, pdr};

/// More registers and deeper logic than usual, so that there are lemmas to be used again.
const BITS: Shape = Shape { max_states: 9, operators: 50, ..Shape::BITS };
const WORDS: Shape = Shape { operators: 40, ..Shape::WORDS };

/// A system under random changes.
struct Editor<'a> {
    rng: &'a mut Rng,
    parts: SystemBuilder,
}

/// Another version of a system: mostly small changes, sometimes none, sometimes another
/// system with registers of the same names.
fn edited(system: &TransitionSystem, shape: Shape, rng: &mut Rng) -> TransitionSystem {
    if rng.one_in(6) {
        return Generator::system(rng.next_u64(), shape);
    }
    let changes = rng.below(4);
    let mut editor = Editor { rng, parts: system.clone().into_builder() };
    for _ in 0..changes {
        editor.change();
    }
    editor.parts.finish().expect("sorts are respected and initial values constant")
}

impl Editor<'_> {
    fn change(&mut self) {
        match self.rng.below(9) {
            0 | 1 => self.next(),
            2 => self.init(),
            3 => self.constraint(),
            4 => self.bad(),
            5 => self.add_register(),
            6 => self.remove_register(),
            7 => self.rename_register(),
            _ => self.parts.states.reverse(),
        }
    }

    /// Any expression of the sort that there is.
    fn of(&mut self, sort: Sort) -> ExprId {
        let pool = &mut self.parts.pool;
        let fitting: Vec<ExprId> = pool.ids().filter(|&id| pool.sort(id) == sort).collect();
        let expr = self.rng.pick(&fitting);
        if sort.is_array() || self.rng.one_in(2) { expr } else { pool.not(expr).unwrap() }
    }

    fn constant(&mut self, sort: Sort) -> ExprId {
        let pool = &mut self.parts.pool;
        match sort {
            Sort::Bv(width) => pool.constant(self.rng.bitvec(width)),
            Sort::Array { index, element } => {
                let element = pool.constant(self.rng.bitvec(element));
                pool.const_array(index, element).unwrap()
            }
        }
    }

    fn register(&mut self) -> Option<usize> {
        let count = self.parts.states.len();
        (count > 0).then(|| self.rng.below(count))
    }

    fn sort_of(&self, register: usize) -> Sort {
        self.parts.pool.sort(self.parts.states[register].symbol)
    }

    fn next(&mut self) {
        let Some(register) = self.register() else { return };
        let next = self.of(self.sort_of(register));
        self.parts.states[register].next = if self.rng.one_in(8) { None } else { Some(next) };
    }

    fn init(&mut self) {
        let Some(register) = self.register() else { return };
        let init = self.constant(self.sort_of(register));
        self.parts.states[register].init = if self.rng.one_in(4) { None } else { Some(init) };
    }

    fn constraint(&mut self) {
        if self.rng.one_in(2) {
            self.parts.constraints.pop();
        } else {
            let bit = self.of(Sort::BOOL);
            self.parts.constraints.push(bit);
        }
    }

    fn bad(&mut self) {
        let bit = self.of(Sort::BOOL);
        if self.rng.one_in(2) {
            self.parts.bad("new", bit);
        } else {
            let index = self.rng.below(self.parts.properties.len());
            self.parts.properties[index].kind = PropertyKind::Bad(bit);
        }
    }

    /// A new bit, on which the next value of another register depends.
    fn add_register(&mut self) {
        let Some(other) = self.register() else { return };
        let symbol = self.parts.state(Sort::BOOL, Some("added")).unwrap();
        let added = self.parts.states.len() - 1;
        self.parts.states[added].init = Some(self.constant(Sort::BOOL));
        self.parts.states[added].next = Some(self.of(Sort::BOOL));
        let otherwise = self.of(self.sort_of(other));
        if let Some(next) = &mut self.parts.states[other].next {
            *next = self.parts.pool.ite(symbol, *next, otherwise).unwrap();
        }
    }

    /// A register becomes an input.
    fn remove_register(&mut self) {
        let Some(register) = self.register() else { return };
        let symbol = self.parts.states.remove(register).symbol;
        self.parts.inputs.push(Input { symbol });
    }

    fn rename_register(&mut self) {
        let Some(register) = self.register() else { return };
        let symbol = self.parts.pool.as_symbol(self.parts.states[register].symbol).unwrap();
        let name = self.rng.pick(&["s0", "s1", "renamed", ""]);
        self.parts.pool.rename(symbol, name);
    }
}

/// Decides versions of systems from what is known of others.
fn versions_agree_with_search(shape: Shape, seeds: u64, versions: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..seeds {
        let _case = Case(seed);
        let mut rng = Rng::new(seed);
        let before = Generator::system(seed, shape);
        let (_, told) = decide(&pdr(seed), &before, None, None);
        let is_easy = told.states.iter().all(|state| state.lemmas.is_empty());
        if is_easy && !rng.one_in(8) {
            continue;
        }
        for version in 0..versions {
            let after = edited(&before, shape, &mut rng);
            let Ok(truth) = search(&after, SEARCHED) else { continue };
            // The state at the end, or one on the way there.
            let last = told.states.len() - 1;
            let state = &told.states[if rng.one_in(3) { rng.below(last + 1) } else { last }];
            tally += compare(&pdr(seed + 7 * version), &after, &truth, state);
            if version % 2 == 0 {
                tally += compare(&Choice::Auto, &after, &truth, state);
            }
        }
    }
    assert!(tally.safe > tally.runs / 3 && tally.failing > tally.runs / 3, "{tally:?}");
    assert!(tally.beyond * 10 < tally.runs, "{tally:?}");
    assert!(tally.always > tally.runs / 10 && tally.kept > tally.always, "{tally:?}");
    tally
}

#[test]
fn other_versions_of_bits_are_decided_rightly() {
    let tally = versions_agree_with_search(BITS, 700, 4);
    assert!(tally.runs > 2000, "{tally:?}");
}

#[test]
fn other_versions_of_words_are_decided_rightly() {
    let tally = versions_agree_with_search(WORDS, 700, 4);
    assert!(tally.runs > 1000, "{tally:?}");
}

#[test]
fn other_versions_of_memories_are_decided_rightly() {
    let tally = versions_agree_with_search(Shape::ARRAYS, 600, 4);
    assert!(tally.runs > 300, "{tally:?}");
}

/// Graphs with long ways through them, so that there are many frames; steps are added,
/// taken away, or both.
#[test]
fn graphs_with_other_steps_are_decided_rightly() {
    const STATES: usize = 14;
    let mut tally = Tally::default();
    for seed in 0..250 {
        let _case = Case(seed);
        let mut rng = Rng::new(seed);
        let letters: Vec<char> = ('a'..).take(STATES).collect();
        let mut steps: Vec<(char, char)> =
            (0..STATES * 5 / 4).map(|_| (rng.pick(&letters), rng.pick(&letters))).collect();
        let before = graph(STATES, &steps, &['m', 'n']);
        let (_, told) = decide(&pdr(seed), &before, None, None);
        let state = &told.states[rng.below(told.states.len())];
        let (more, fewer) = (rng.below(4), rng.below(4));
        for _ in 0..fewer {
            steps.swap_remove(rng.below(steps.len()));
        }
        steps.extend((0..more).map(|_| (rng.pick(&letters), rng.pick(&letters))));
        let after = graph(STATES, &steps, &['m', 'n']);
        let truth = search(&after, SEARCHED).expect("few states");
        for number in 0..4 {
            tally += compare(&pdr(number), &after, &truth, state);
        }
    }
    assert!(tally.safe > 300 && tally.failing > 300, "{tally:?}");
    assert!(tally.kept > tally.always + tally.runs / 2, "{tally:?}");
}

/// Each version is decided from the state that the one before left.
#[test]
fn a_long_history_of_versions() {
    let mut tally = Tally::default();
    for seed in 0..60 {
        let _case = Case(seed);
        let mut rng = Rng::new(seed);
        let mut system = Generator::system(seed, Shape::BITS);
        let (_, told) = decide(&pdr(seed), &system, None, None);
        let mut state = Arc::clone(told.states.last().expect("told at the end"));
        for version in 0..10 {
            system = edited(&system, Shape::BITS, &mut rng);
            let Ok(truth) = search(&system, SEARCHED) else { continue };
            tally += compare(&pdr(version), &system, &truth, &state);
            let (_, told) = decide(&pdr(version), &system, Some(&state), None);
            state = Arc::clone(told.states.last().expect("told at the end"));
        }
    }
    assert!(tally.safe > 100 && tally.failing > 100, "{tally:?}");
}

/// Registers that stay, begin elsewhere, and go elsewhere at once: what excluded the
/// new initial states, or the first step, must not be believed any more.
#[test]
fn new_initial_states_and_first_steps_are_seen() {
    let system = |init: Option<bool>, next: Option<bool>| {
        let mut b = SystemBuilder::new();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        b.states[0].init = init.map(|value| b.pool.bool(value));
        b.states[0].next = Some(next.map_or(bit, |value| b.pool.bool(value)));
        b.bad("set", bit);
        b.finish().unwrap()
    };
    let before = system(Some(false), None);
    for number in 0..48 {
        // Without passes that would see what is constant.
        let engine = pdr(2 * number + 1);
        let (verdicts, told) = decide(&engine, &before, None, None);
        assert_right(&before, (PropertyId(0), Outcome::Safe), &verdicts[0]);
        let state = told.states.last().expect("told at the end");
        assert!(!state.lemmas.is_empty());
        for (init, next, depth) in [
            (Some(true), None, 0),
            (None, None, 0),
            (Some(false), Some(true), 1),
            (None, Some(false), 0),
        ] {
            let after = system(init, next);
            compare(&engine, &after, &[(PropertyId(0), Outcome::Unsafe(depth))], state);
        }
    }
}
