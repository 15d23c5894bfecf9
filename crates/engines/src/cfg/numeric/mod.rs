//! Abstract interpretation of programs: what holds of numbers and Booleans whenever a
//! location is reached.
//!
//! Cousot and Cousot, "Abstract interpretation" (1977), with intervals, congruences and
//! octagons; each module names its papers. The search for invariants by solving starts
//! with these facts instead of nothing. They are closed under all edges: those of a
//! location and a statement imply those of the location behind it.
//!
//! Limits: maps, words and uninterpreted functions have any values; strict bounds of reals
//! are taken as weak ones; of sums of three and more variables nothing is remembered.

mod assume;
mod congruence;
mod evaluate;
mod facts;
mod fixpoint;
mod graph;
mod interval;
mod layout;
mod number;
mod octagon;
mod state;
#[cfg(test)]
mod tests;
mod transfer;
mod values;

use std::collections::BTreeMap;

use elinvar_ir::program::{LocationId, Program, Term, Terms};

use evaluate::Context;
use graph::Graph;
use layout::Layout;

/// What kind of facts are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Domain {
    /// Of single variables: bounds, remainders, truth values.
    Intervals,
    /// Also bounds on sums and differences of two variables.
    Octagons,
}

/// For all locations from which an error is reached in the graph, what holds whenever they are reached, over
/// the program's variables that may still be read there. Locations that are never
/// reached have the fact `false`. Nothing at all once `stop` says so.
///
/// `terms` is the program's pool or has grown from it, and grows by the facts.
pub fn analyze(
    program: &Program,
    terms: &mut Terms,
    domain: Domain,
    errors: &[LocationId],
    stop: &dyn Fn() -> bool,
) -> BTreeMap<LocationId, Vec<Term>> {
    let graph = Graph::of(program, errors);
    let layout = Layout::of(program, &graph, domain);
    let context = Context::new(&program.terms, &layout);
    let Some(states) = fixpoint::fixpoint(program, &graph, &context, stop) else {
        return BTreeMap::new();
    };
    let facts = graph.wanted.iter().map(|location| {
        let facts = match states.get(location) {
            Some(state) => facts::facts(terms, &layout, state),
            None => vec![terms.bool(false)],
        };
        (*location, facts)
    });
    facts.collect()
}
