//! A ring of stations that pass a token on.
//!
//! The first station has the token; whenever the input `pass` is set, each station
//! gives what it has to the next. Bad are two tokens.
//!
//! Each pair of stations has to be excluded by a clause of its own, so the shortest
//! proof by clauses has `stations · (stations − 1) / 2` of them.

use elinvar_ir::{Sort, SortError, SystemBuilder, TransitionSystem};

use super::{SizeError, of_size};

/// The ring; safe.
pub fn ring(stations: u32) -> Result<TransitionSystem, SizeError> {
    of_size(stations, 2, |stations| build(stations, Last::Gives))
}

/// The same with a last station that keeps what it gives away; unsafe, with a
/// shortest counterexample of `stations` steps.
pub fn ring_with_bug(stations: u32) -> Result<TransitionSystem, SizeError> {
    of_size(stations, 2, |stations| build(stations, Last::Keeps))
}

/// What the last station does with its token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Gives,
    Keeps,
}

fn build(stations: u32, last: Last) -> Result<TransitionSystem, SortError> {
    let mut b = SystemBuilder::new();
    let pass = b.input(Sort::BOOL, Some("pass"))?;
    let mut tokens = Vec::new();
    for station in 0..stations {
        tokens.push(b.state(Sort::BOOL, Some(&format!("token{station}")))?);
    }
    let mut before = tokens[tokens.len() - 1];
    let (mut seen, mut two) = (b.pool.bool(false), b.pool.bool(false));
    for (station, &token) in tokens.iter().enumerate() {
        let keeps = last == Last::Keeps && station + 1 == tokens.len();
        let passed = if keeps { b.pool.or(before, token)? } else { before };
        b.states[station].init = Some(b.pool.bool(station == 0));
        b.states[station].next = Some(b.pool.ite(pass, passed, token)?);
        let both = b.pool.and(seen, token)?;
        two = b.pool.or(two, both)?;
        seen = b.pool.or(seen, token)?;
        before = token;
    }
    b.bad("two_tokens", two);
    Ok(b.finish().expect("every register has its next value"))
}
