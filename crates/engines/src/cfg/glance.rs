//! Errors that need no invariant beyond those that the program states.
//!
//! A loop invariant of the program is assumed on every path that leaves its loop head. If the
//! given invariants are inductive and suffice, no path between two locations leads to an
//! error, whatever holds where it begins. This is asked before anything is guessed.

use std::time::Duration;

use elinvar_ir::program::{AssertionKind, LocationId, Program};

use super::frames::Frames;
use super::graph::{Graph, Outcome};
use crate::relation::Level;
use crate::run::Run;

/// The most time for one query, and for all of them.
const QUERY: Duration = Duration::from_millis(500);
const ALL: Duration = Duration::from_secs(2);

/// The errors that no block leads to. Nothing is asked of programs without loop invariants.
pub fn unreachable(
    program: &Program,
    graph: &mut Graph,
    errors: &[LocationId],
    run: &Run,
) -> Vec<LocationId> {
    let is_given = |kind| match kind {
        AssertionKind::InvariantEntry | AssertionKind::InvariantKept => true,
        AssertionKind::Assert | AssertionKind::Requires | AssertionKind::Ensures => false,
    };
    if !program.properties.iter().any(|property| is_given(property.kind)) {
        return Vec::new();
    }
    let run = run.within(ALL);
    let frames = Frames::default();
    let mut is_unreachable = |error: &&LocationId| {
        graph.blocks_into(**error).into_iter().all(|block| {
            // SAT?  T_block
            run.stop().is_none()
                && match graph.ask(block, frames.frame(Level::Finite(0)), &[], &[], QUERY) {
                    Outcome::Blocked(_) => true,
                    Outcome::Step(_) | Outcome::Unknown(_) => false,
                }
        })
    };
    errors.iter().filter(|error| is_unreachable(error)).copied().collect()
}
