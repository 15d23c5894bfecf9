//! Registers are found again after edits of random systems.

use elinvar_ir::{ExprId, PdrState, Rng, Sort, State, SystemBuilder, TransitionSystem, keys};
use elinvar_models::{Generator, Shape};

fn state_of(system: &TransitionSystem) -> PdrState {
    PdrState { registers: keys(system).to_vec(), ..PdrState::default() }
}

/// Inserts a register of the sort at the place, with a next function made of others.
fn put_in(b: &mut SystemBuilder, place: usize, sort: Sort, next: Option<ExprId>) {
    b.state(sort, None).unwrap();
    let State { symbol, .. } = b.states.pop().expect("declared just now");
    b.states.insert(place, State { symbol, init: None, next });
}

/// The share of registers that are found again after one edit of a random system
/// without names, of which the state has all registers or a third.
#[test]
fn random_edits_of_random_systems() {
    let (mut right, mut all) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let shape = rng.pick(&[Shape::BITS, Shape::WORDS, Shape::ARRAYS]);
        let shape = Shape { max_states: 60, max_inputs: 8, operators: 300, ..shape };
        let mut old = Generator::system(seed, shape).into_builder();
        for state in &old.states {
            let symbol = old.pool.as_symbol(state.symbol).unwrap();
            old.pool.rename(symbol, "");
        }
        let mut new = old.clone();
        let place = rng.below(old.states.len());
        let State { symbol, next, .. } = old.states[place];
        let sort = old.pool.sort(symbol);
        let mut moved = 0;
        if rng.one_in(2) || sort.is_array() {
            put_in(&mut new, place, sort, next);
            moved = 1;
        } else {
            let next = new.pool.not(next.unwrap_or(symbol)).unwrap();
            new.states[place].next = Some(new.pool.and(next, symbol).unwrap());
        }
        let mut state = state_of(&old.finish().unwrap());
        if rng.one_in(2) {
            state.registers.retain(|_| rng.one_in(3));
        }
        let found = state.locate(&new.finish().unwrap());
        for (key, found) in state.registers.iter().zip(found) {
            all += 1;
            let expected = key.index + if key.index >= place { moved } else { 0 };
            right += usize::from(found == Some(expected));
        }
    }
    assert!(right * 100 >= all * 97, "{right} of {all}");
}
