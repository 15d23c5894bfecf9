//! A ring of arbiters: liveness under fairness.
//!
//! Stations request a resource, and the one with the token uses it until the input `done` is set.
//! A station without a request gives the token to the next one at once, others do so when they are
//! done. `done` is set infinitely often. The property is `G (request0 -> F granted0)`: an input
//! guesses the cycle from which the first station waits forever.
//!
//! The token moves past each other station at most once while the first one waits, so the number
//! of times that `done` is seen grows with the size.

use elinvar_ir::{
    ExprId, Property, PropertyKind, Sort, SortError, SystemBuilder, TransitionSystem,
};

use super::{SizeError, of_size};

/// The ring; every request is granted.
pub fn arbiters(stations: u32) -> Result<TransitionSystem, SizeError> {
    of_size(stations, 2, |stations| build(stations, Last::Gives))
}

/// The same with a last station that keeps the token if it is requested again when it is done;
/// the first station may wait forever.
pub fn arbiters_with_bug(stations: u32) -> Result<TransitionSystem, SizeError> {
    of_size(stations, 2, |stations| build(stations, Last::Keeps))
}

/// What the last station does with its token if there is a new request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Gives,
    Keeps,
}

fn build(stations: u32, last: Last) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let done = b.input(Sort::BOOL, Some("done"))?;
    let (mut tokens, mut waiting, mut gives) = (Vec::new(), Vec::new(), Vec::new());
    for station in 0..stations {
        let request = b.input(Sort::BOOL, Some(&format!("request{station}")))?;
        let token = b.state(Sort::BOOL, Some(&format!("token{station}")))?;
        let waits = b.state(Sort::BOOL, Some(&format!("waiting{station}")))?;
        let is_done = b.pool.and(token, done)?;
        let not_done = b.pool.not(is_done)?;
        let still = b.pool.and(waits, not_done)?;
        let next = b.pool.or(still, request)?;
        let keeps = last == Last::Keeps && station + 1 == stations;
        let leaves = if keeps { b.pool.not(request)? } else { b.pool.bool(true) };
        let finishes = b.pool.and(done, leaves)?;
        let idle = b.pool.not(waits)?;
        let moves = b.pool.or(idle, finishes)?;
        set(&mut b, waits, false, next);
        gives.push(b.pool.and(token, moves)?);
        tokens.push(token);
        waiting.push(waits);
    }
    let mut given = gives[gives.len() - 1];
    for (station, &token) in tokens.iter().enumerate() {
        let stays = b.pool.not(gives[station])?;
        let stays = b.pool.and(token, stays)?;
        let next = b.pool.or(stays, given)?;
        set(&mut b, token, station == 0, next);
        given = gives[station];
    }
    b.fairness.push(done);
    let elsewhere = b.pool.not(tokens[0])?;
    let starves = b.pool.and(waiting[0], elsewhere)?;
    forever(&mut b, starves)?;
    Ok(b.finish().expect("every register has its next value"))
}

/// Adds the property that the bit is not true forever from some cycle on.
fn forever(b: &mut SystemBuilder, bit: ExprId) -> Result<(), SortError> {
    let begins = b.input(Sort::BOOL, Some("begins"))?;
    let begun = b.state(Sort::BOOL, Some("begun"))?;
    let failed = b.state(Sort::BOOL, Some("failed"))?;
    let inside = b.pool.or(begun, begins)?;
    let missing = b.pool.not(bit)?;
    let fails = b.pool.and(inside, missing)?;
    let fails = b.pool.or(failed, fails)?;
    set(b, begun, false, inside);
    set(b, failed, false, fails);
    let good = b.pool.not(fails)?;
    let condition = b.pool.and(inside, good)?;
    let kind = PropertyKind::Justice(vec![condition]);
    b.properties.push(Property::new("granted", kind));
    Ok(())
}

fn set(b: &mut SystemBuilder, register: ExprId, initial: bool, next: ExprId) {
    let initial = b.pool.bool(initial);
    let state = b.states.iter_mut().find(|state| state.symbol == register);
    let state = state.expect("a register of this system");
    (state.init, state.next) = (Some(initial), Some(next));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_loops;

    #[test]
    fn small_rings_by_exhaustive_search() {
        for stations in 2..=3 {
            let holds = |system| search_loops(&system, 1_000_000).unwrap()[0].1.is_none();
            assert!(holds(arbiters(stations).unwrap()), "{stations}");
            assert!(!holds(arbiters_with_bug(stations).unwrap()), "{stations}");
        }
    }

    #[test]
    fn requests_may_starve_without_fairness() {
        let mut builder = arbiters(2).unwrap().into_builder();
        builder.fairness.clear();
        let system = builder.finish().unwrap();
        assert!(search_loops(&system, 1_000_000).unwrap()[0].1.is_some());
    }
}
