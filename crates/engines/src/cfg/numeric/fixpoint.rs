//! Iteration to a fixpoint: upwards with widening at the heads of loops, in reverse
//! postorder [Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993],
//! then downwards a few rounds.

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::program::{LocationId, Node, Program};

use super::evaluate::Context;
use super::graph::{Graph, index};
use super::number::Number;
use super::state::State;

/// A head is joined so many times before it is widened.
const PATIENCE: usize = 3;
/// After so many visits widening no longer stops at thresholds.
const HURRY: usize = 40;
const NARROWING_ROUNDS: usize = 2;

/// The states at the locations that may be reached; none at all if `stop` said so.
pub(super) fn fixpoint(
    program: &Program,
    graph: &Graph,
    context: &Context,
    stop: &dyn Fn() -> bool,
) -> Option<BTreeMap<LocationId, State>> {
    let thresholds = thresholds(program, graph);
    let mut analysis = Analysis {
        program,
        graph,
        context,
        thresholds,
        states: vec![None; program.locations.len()],
        heads: vec![Head::default(); program.locations.len()],
        after: vec![None; program.edges.len()],
    };
    analysis.ascend(stop)?;
    for _ in 0..NARROWING_ROUNDS {
        analysis.descend(stop)?;
    }
    let states =
        graph.order.iter().map(|&location| (location, analysis.states[index(location)].take()));
    Some(states.filter_map(|(location, state)| Some((location, state?))).collect())
}

/// What the head of a loop remembers.
#[derive(Clone, Default)]
struct Head {
    visits: usize,
    /// Its state, widened and not reduced.
    wide: Option<State>,
}

struct Analysis<'a> {
    program: &'a Program,
    graph: &'a Graph,
    context: &'a Context<'a>,
    thresholds: Vec<Number>,
    /// By location; none where nobody comes, or came yet.
    states: Vec<Option<State>>,
    /// By location, used for heads.
    heads: Vec<Head>,
    /// By edge, the state after its statement.
    after: Vec<Option<State>>,
}

impl Analysis<'_> {
    fn ascend(&mut self, stop: &dyn Fn() -> bool) -> Option<()> {
        let mut waiting: BTreeSet<usize> =
            self.graph.order.first().map(|_| 0).into_iter().collect();
        while let Some(rank) = waiting.pop_first() {
            if stop() {
                return None;
            }
            let location = self.graph.order[rank];
            let state = self.arrive(location);
            if state == self.states[index(location)] {
                continue;
            }
            self.states[index(location)] = state;
            self.leave(location);
            for &edge in &self.graph.outgoing[index(location)] {
                let to = self.program.edge(edge).to;
                waiting.extend(self.graph.rank[index(to)]);
            }
        }
        Some(())
    }

    /// The state of a location by those of its predecessors.
    fn arrive(&mut self, location: LocationId) -> Option<State> {
        let joined = self.joined(location);
        if !self.graph.is_head[index(location)] {
            return joined;
        }
        let head = &mut self.heads[index(location)];
        head.visits += 1;
        let wide = match (head.wide.take(), joined) {
            (Some(old), Some(new)) if head.visits <= PATIENCE => old.join(&new),
            (Some(old), Some(new)) if head.visits <= HURRY => old.widen(&new, &self.thresholds),
            (Some(old), Some(new)) => old.widen(&new, &[]),
            (old, new) => old.or(new)?,
        };
        head.wide = Some(wide.clone());
        wide.closed(self.context.layout).ok()
    }

    fn joined(&self, location: LocationId) -> Option<State> {
        if location == self.program.entry {
            return Some(State::all(self.context.layout));
        }
        let edges = self.graph.incoming[index(location)].iter();
        let states = edges.filter_map(|edge| self.after[edge.0 as usize].as_ref());
        states.fold(None, |joined: Option<State>, state| match joined {
            Some(joined) => Some(joined.join(state)),
            None => Some(state.clone()),
        })
    }

    /// The states after all edges that leave the location.
    fn leave(&mut self, location: LocationId) {
        for &id in &self.graph.outgoing[index(location)] {
            let edge = self.program.edge(id);
            let state = self.states[index(location)].as_ref();
            let after = state.and_then(|state| self.context.execute(state, &edge.statement));
            self.after[id.0 as usize] = after.map(|mut after| {
                self.forget_dead(&mut after, edge.to);
                after
            });
        }
    }

    /// Nobody asks any more for variables that are written before they are read.
    fn forget_dead(&self, state: &mut State, location: LocationId) {
        let layout = self.context.layout;
        for variable in layout.numbers.iter().chain(&layout.bools) {
            if !self.graph.live[index(location)][variable.0 as usize] {
                state.forget(layout, *variable);
            }
        }
    }

    /// What can be said of every location is kept and sharpened, one after the other, so
    /// that what is said of all remains closed under all edges.
    fn descend(&mut self, stop: &dyn Fn() -> bool) -> Option<()> {
        for &location in &self.graph.order {
            if stop() {
                return None;
            }
            let joined = self.joined(location);
            let met = self.states[index(location)].as_ref().zip(joined);
            let met = met.and_then(|(old, new)| old.meet(self.context.layout, &new).ok());
            if met != self.states[index(location)] {
                self.states[index(location)] = met;
                self.leave(location);
            }
        }
        Some(())
    }
}

/// The numbers of the program and their neighbours, and the same negated, in order.
fn thresholds(program: &Program, graph: &Graph) -> Vec<Number> {
    let roots = graph.edges().flat_map(|edge| program.edge(edge).statement.terms());
    let mut thresholds = vec![Number::ZERO];
    for term in program.terms.subterms(roots) {
        let number = match program.terms.node(term) {
            Node::Int(number) => Number::from(number.clone()),
            Node::Real(number) => Number::from(number.clone()),
            Node::Bool(_) | Node::Word(_) | Node::Variable(_) | Node::Apply(..) => continue,
        };
        for near in [&number - &Number::ONE, &number + &Number::ONE, number] {
            thresholds.extend([-&near, near]);
        }
    }
    thresholds.sort_unstable();
    thresholds.dedup();
    thresholds
}
