//! Invariants guessed from runs: equations, remainders, bounds, and conditions of the
//! program itself; what is inductive together stays.
//!
//! Equations among numbers are the affine hull of the states seen; a step that leaves the
//! hull makes it larger, so that what remains is what Karr's analysis finds ("Affine
//! relationships among variables of a program", 1976) on the columns chosen here, which
//! may be products, remainders and reads as well. The others are dropped when a step
//! breaks them (Flanagan and Leino, "Houdini", FME 2001).

mod columns;
mod houdini;
mod hull;
mod runs;

use std::collections::BTreeMap;
use std::time::Duration;

use elinvar_ir::program::{LocationId, Program, Term};

use super::graph::Graph;
use crate::run::Run;
use columns::{Columns, Guess};
use runs::Runner;
pub use runs::{ErrorRun, constant};

/// What was found out by running the program and guessing.
pub struct Start {
    /// Facts at locations that hold whenever they are reached.
    pub invariants: BTreeMap<LocationId, Vec<Term>>,
    /// An error that a run came upon.
    pub error: Option<ErrorRun>,
}

/// The most time that guessing may take.
const LONGEST: Duration = Duration::from_secs(10);

/// Confirms what is `known`, and guesses further facts if asked to.
pub fn start(
    graph: &mut Graph,
    program: &Program,
    mut known: BTreeMap<LocationId, Vec<Term>>,
    guess: bool,
    run: &Run,
) -> Start {
    let limited = run.within(LONGEST);
    let is_inner = |at: &LocationId| *at != graph.entry && !graph.is_error(*at);
    let inner: Vec<LocationId> = graph.locations.iter().copied().filter(is_inner).collect();
    let facts = inner.iter().map(|&at| (at, Guess::known(known.remove(&at).unwrap_or_default())));
    let confirmed = confirm(graph, facts.collect(), &limited);
    if !guess {
        return Start { invariants: confirmed, error: None };
    }
    let columns = Columns::of(graph);
    let stop = || limited.stop().is_some();
    let mut runner = Runner::new(graph, program, columns.numbers.clone(), run.seed());
    let error = runner.run(&stop);
    let states = std::mem::take(&mut runner.states);
    if error.is_some() {
        return Start { invariants: confirmed, error };
    }
    let mut guesses: BTreeMap<LocationId, Guess> = BTreeMap::new();
    for &at in &inner {
        let facts = confirmed.get(&at).cloned().unwrap_or_default();
        let states = states.get(&at).map_or(&[][..], |states| states);
        guesses.insert(at, Guess::new(graph, &columns, at, facts, states));
    }
    let found = confirm(graph, guesses, &limited);
    let invariants = if found.is_empty() { confirmed } else { found };
    Start { invariants, error: None }
}

/// What of the guesses is inductive; nothing if there was no time to tell.
fn confirm(
    graph: &mut Graph,
    mut guesses: BTreeMap<LocationId, Guess>,
    run: &Run,
) -> BTreeMap<LocationId, Vec<Term>> {
    houdini::filter(graph, &mut guesses, run);
    guesses.into_iter().map(|(at, guess)| (at, guess.facts(&mut graph.terms))).collect()
}
