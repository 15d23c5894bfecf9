//! Layers of states from which the conditions are met only finitely often.
//!
//! A register `done` says that a round was complete in the cycle before. A *shoal* is a set of
//! states that no step leaves, in which all steps from states with `done` lead into an earlier
//! shoal [Xia, Cimatti, Griggio, Li, *Avoiding the Shoals – A New Approach to Liveness Checking*,
//! CAV 2024]. If an invariant of all reachable states has the property of a shoal, the property
//! of the system holds.
//!
//! Let Dᵢ be the union of the first i shoals, with everything for the last one. The level of a
//! state is the first i such that it is in Dᵢ, less one if `done` is set. No step increases the
//! level, and a step that completes a round decreases it: with `done` set, the state after the
//! step is one level below the first Dᵢ that contains it, and that is not above the level of the
//! state before. So the level, together with the flags, is a ranking.

use elinvar_ir::{
    BitVec, Certificate, ExprId, Pool, PropertyId, PropertyKind, Role, Simulator, Sort, State,
    Step, Trace, TransitionSystem, Value, import, substitute,
};
use rustc_hash::FxHashMap;

use super::claim::{Claim, Shape};
use super::{BITS, Order, Rounds, add_bit};
use crate::lift::Inexpressible;

/// A system of bits with the shoals that were found so far.
#[derive(Clone, Debug)]
pub struct Layers {
    /// The system with flags and `done`. Its property is bad where `done` is set and the next
    /// state is in no shoal.
    system: TransitionSystem,
    property: PropertyId,
    shape: Shape,
    shoals: Vec<ExprId>,
    /// By state: its next value.
    next: FxHashMap<ExprId, ExprId>,
}

/// The layers of a system without shoals. `None` if the property is one of safety, or the system
/// has other states than bits with a next value.
pub fn layers(system: &TransitionSystem, property: PropertyId) -> Option<Layers> {
    let is_bit = |state: &State| system.pool().sort(state.symbol) == Sort::BOOL;
    if !system.free_states().is_empty() || !system.states().iter().all(is_bit) {
        return None;
    }
    let mut rounds = Rounds::of(system, property, Order::Any)?;
    let shape = Shape::of(&rounds);
    let (no, round) = (rounds.builder.pool.bool(false), rounds.round);
    let done = add_bit(&mut rounds.builder, "done", Some(no));
    rounds.builder.states.last_mut().expect("just added").next = Some(round);
    let system = rounds.finish(done);
    let next = |state: &State| Some((state.symbol, state.next?));
    let next = system.states().iter().filter_map(next).collect();
    Some(Layers { system, property, shape, shoals: Vec::new(), next })
}

impl Layers {
    /// The system whose bad states have completed a round and lead to a state in no shoal.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// The same, which starts in this state and is not bad there.
    pub fn system_from(&self, state: &[bool]) -> TransitionSystem {
        let mut builder = self.system.clone().into_builder();
        for (register, &value) in builder.states.iter_mut().zip(state) {
            register.init = Some(builder.pool.bool(value));
        }
        let [no, yes] = [false, true].map(|value| builder.pool.bool(value));
        let later = add_bit(&mut builder, "later", Some(no));
        builder.states.last_mut().expect("just added").next = Some(yes);
        let bad = builder.pool.and(self.bad(), later).expect(BITS);
        builder.properties[self.property.0].kind = PropertyKind::Bad(bad);
        builder.finish().expect("a well-formed system with other initial values")
    }

    fn bad(&self) -> ExprId {
        self.system.bad(self.property).expect("made so")
    }

    /// The number of shoals.
    pub fn len(&self) -> usize {
        self.shoals.len()
    }

    /// Is there no shoal yet?
    pub fn is_empty(&self) -> bool {
        self.shoals.is_empty()
    }

    /// The state in the last cycle of a trace of one of the systems, and the state after it.
    pub fn end(&self, trace: &Trace) -> (Vec<bool>, Vec<bool>) {
        let count = self.system.states().len();
        let initial = bits(&trace.initial[..count]);
        let system = self.system_from(&initial);
        let mut simulator = Simulator::new(
            &system,
            |_| unreachable!("all states have initial values"),
            trace.steps[0].inputs.clone(),
        );
        trace.steps[1..].iter().for_each(|step| simulator.follow(step));
        let last = bits(&simulator.states()[..count]);
        let inputs = trace.steps[trace.depth()].inputs.clone();
        simulator.follow(&Step { inputs, free: Vec::new() });
        (last, bits(&simulator.states()[..count]))
    }

    /// Adds the shoal of a proof about the system that starts in a state, from which one step leads
    /// to `after`.
    ///
    /// # Errors
    /// If the proof is not an invariant.
    pub fn add(
        &mut self,
        proof: &Certificate,
        searched: &TransitionSystem,
        after: &[bool],
    ) -> Result<(), Inexpressible> {
        let mut source = searched.pool().clone();
        let invariant = proof.invariant(searched, &mut source);
        let invariant = invariant.map_err(|error| Inexpressible(error.to_string()))?;
        // All states of the shoal come later.
        let mut pool = self.system.pool().clone();
        let mut meaning: FxHashMap<ExprId, ExprId> =
            self.system.states().iter().map(|state| (state.symbol, state.symbol)).collect();
        let later = searched.states().last().expect("a register").symbol;
        meaning.insert(later, pool.bool(true));
        let shoal = import(&mut pool, &source, invariant, &meaning);
        let mut bad = self.bad();
        self.push(shoal, &mut pool, &mut bad);
        if !holds(&self.system, &pool, shoal, after) {
            // No input satisfies the constraints there: the state alone is a shoal.
            let mut alone = pool.bool(true);
            for (state, &value) in self.system.states().iter().zip(after) {
                let bit = if value { state.symbol } else { pool.not(state.symbol).expect(BITS) };
                alone = pool.and(alone, bit).expect(BITS);
            }
            self.push(alone, &mut pool, &mut bad);
        }
        let mut builder = self.system.clone().into_builder();
        builder.pool = pool;
        builder.properties[self.property.0].kind = PropertyKind::Bad(bad);
        self.system = builder.finish().expect("a well-formed system with another property");
        Ok(())
    }

    /// Adds a shoal: what leads into it is not bad.
    fn push(&mut self, shoal: ExprId, pool: &mut Pool, bad: &mut ExprId) {
        self.shoals.push(shoal);
        let after = substitute(pool, &[shoal], &self.next)[0];
        let outside = pool.not(after).expect(BITS);
        *bad = pool.and(*bad, outside).expect(BITS);
    }

    /// The ranking that follows from a proof that no bad state is reachable at all.
    ///
    /// # Errors
    /// If the proof is not an invariant.
    pub fn ranking(&self, proof: &Certificate) -> Result<Certificate, Inexpressible> {
        let mut claim = Claim::new(&self.system, self.shape.originals, proof)?;
        let invariant = claim.invariant(|claim, state| claim.own(state));
        let (below, above) = (self.levels(&mut claim, false), self.levels(&mut claim, true));
        let (mut not_higher, mut lower) = (claim.pool.bool(true), claim.pool.bool(false));
        for (own, other) in below.into_iter().zip(above) {
            let (outside_own, outside_other) = (claim.not(own), claim.not(other));
            let rises = claim.and(other, outside_own);
            let kept = claim.not(rises);
            not_higher = claim.and(not_higher, kept);
            let falls = claim.and(own, outside_other);
            lower = claim.or(lower, falls);
        }
        let kept = claim.includes(self.shape.flags());
        let progress = claim.or(lower, kept);
        let related = claim.and(not_higher, progress);
        let done = self.shape.flags().end;
        let observers = (self.shape.originals..=done).map(|s| claim.observer(s)).collect();
        Ok(claim.finish(&self.shape, observers, invariant, related))
    }

    /// By level but the last: a state, or the other state of a relation, is at most there.
    fn levels(&self, claim: &mut Claim, is_other: bool) -> Vec<ExprId> {
        let meaning = |claim: &mut Claim, state: usize| {
            if is_other { claim.other(state) } else { claim.own(state) }
        };
        let done = meaning(claim, self.shape.flags().end);
        let mut union = claim.pool.bool(false);
        let mut levels = Vec::new();
        for &shoal in &self.shoals {
            let before = union;
            let shoal = claim.import(shoal, meaning);
            union = claim.or(union, shoal);
            let soon = claim.and(union, done);
            levels.push(claim.or(before, soon));
        }
        levels.push(claim.or(union, done));
        levels
    }

    /// The loop that these traces make: the first one from an initial state, each next one from
    /// the last state of the one before. The last one ends where trace `back` starts.
    pub fn lasso(&self, traces: &[Trace], back: usize) -> Trace {
        let mut steps: Vec<Step> = Vec::new();
        let mut start = 0;
        for (number, trace) in traces.iter().enumerate() {
            if number == back {
                start = steps.len();
            }
            steps.extend(trace.steps[..trace.depth()].iter().cloned());
        }
        let mut initial = traces[0].initial.clone();
        initial.truncate(self.shape.originals);
        Trace { property: self.property, initial, steps: steps.into(), loop_start: Some(start) }
    }
}

fn bits(values: &[Value]) -> Vec<bool> {
    values.iter().map(|value| value.bv().is_true()).collect()
}

fn holds(system: &TransitionSystem, pool: &Pool, expr: ExprId, state: &[bool]) -> bool {
    let mut evaluator = elinvar_ir::Evaluator::new(pool, [expr]);
    evaluator.run(|symbol| match system.role_of(symbol) {
        Some(Role::State(index)) => BitVec::bool(state[index]).into(),
        Some(Role::Input(_)) | None => BitVec::bool(false).into(),
    });
    evaluator.holds(expr)
}
