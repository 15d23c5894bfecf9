//! Layers of states from which the conditions are met only finitely often.
//!
//! A *shoal* is a set of states that no step leaves, in which a round can be complete only in a
//! step into an earlier shoal [Xia, Cimatti, Griggio, Li, *Avoiding the Shoals – A New Approach to
//! Liveness Checking*, CAV 2024]. From a state in the n-th shoal, at most n - 1 rounds are
//! complete. If an invariant of all reachable states has the property of a shoal, the
//! property holds.
//!
//! Let Dᵢ be the union of the first i shoals. No step leaves Dᵢ, and a step that completes a
//! round leads from outside Dᵢ₋₁ into Dᵢ₋₁ if it starts in the i-th shoal. So the number of
//! the first Dᵢ that contains a state, together with the flags, is a ranking.

use elinvar_ir::{
    BitVec, Certificate, ExprId, PropertyId, Simulator, State, Step, Trace, TransitionSystem,
    Value, substitute,
};
use rustc_hash::FxHashMap;

use super::claim::{Claim, Shape};
use super::{BITS, Rounds};
use crate::lift::Inexpressible;

/// A system of bits with the shoals that were found so far.
#[derive(Clone, Debug)]
pub struct Layers {
    /// The system with flags. Its property is bad where a round is complete and the next state is
    /// in no shoal.
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
    let is_bit = |state: &State| system.pool().sort(state.symbol) == elinvar_ir::Sort::BOOL;
    if !system.free_states().is_empty() || !system.states().iter().all(is_bit) {
        return None;
    }
    let mut rounds = Rounds::of(system, property)?;
    let all = system.clone().into_builder().conditions(property)?;
    let shape = Shape::of(&mut rounds, &all);
    let round = rounds.round;
    let system = rounds.finish(round);
    let next = |state: &State| Some((state.symbol, state.next?));
    let next = system.states().iter().filter_map(next).collect();
    Some(Layers { system, property, shape, shoals: Vec::new(), next })
}

impl Layers {
    /// The system whose bad states complete a round with a step to a state that is in no shoal.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// The same, which starts in this state.
    pub fn system_from(&self, state: &[bool]) -> TransitionSystem {
        let mut builder = self.system.clone().into_builder();
        for (register, &value) in builder.states.iter_mut().zip(state) {
            register.init = Some(builder.pool.bool(value));
        }
        builder.finish().expect("a well-formed system with other initial values")
    }

    /// The number of shoals.
    pub fn len(&self) -> usize {
        self.shoals.len()
    }

    /// Is there no shoal yet?
    pub fn is_empty(&self) -> bool {
        self.shoals.is_empty()
    }

    /// The state after the last cycle of a trace of the system, or of one that starts elsewhere.
    pub fn end(&self, trace: &Trace) -> Vec<bool> {
        let system = self.system_from(&bits(&trace.initial));
        let mut simulator = Simulator::of_trace(&system, trace);
        trace.steps[1..].iter().for_each(|step| simulator.follow(step));
        let inputs = trace.steps[trace.depth()].inputs.clone();
        simulator.follow(&Step { inputs, free: Vec::new() });
        bits(simulator.states())
    }

    /// Adds the shoal of a proof that no bad state is reachable from this state.
    ///
    /// # Errors
    /// If the proof is not an invariant.
    pub fn add(&mut self, proof: &Certificate, from: &[bool]) -> Result<(), Inexpressible> {
        let mut pool = self.system.pool().clone();
        let invariant = proof.invariant(&self.system, &mut pool);
        let mut shoal = invariant.map_err(|error| Inexpressible(error.to_string()))?;
        if !holds(&self.system, &pool, shoal, from) {
            // No input satisfies the constraints there: the state alone is a shoal.
            shoal = pool.bool(true);
            for (state, &value) in self.system.states().iter().zip(from) {
                let bit = if value { state.symbol } else { pool.not(state.symbol).expect(BITS) };
                shoal = pool.and(shoal, bit).expect(BITS);
            }
        }
        self.shoals.push(shoal);
        let after = substitute(&mut pool, &[shoal], &self.next)[0];
        let bad = self.system.bad(self.property).expect("made so");
        let outside = pool.not(after).expect(BITS);
        let bad = pool.and(bad, outside).expect(BITS);
        let mut builder = self.system.clone().into_builder();
        builder.pool = pool;
        builder.properties[self.property.0].kind = elinvar_ir::PropertyKind::Bad(bad);
        self.system = builder.finish().expect("a well-formed system with another property");
        Ok(())
    }

    /// The ranking that follows from a proof that no bad state is reachable at all.
    ///
    /// # Errors
    /// If the proof is not an invariant.
    pub fn ranking(&self, proof: &Certificate) -> Result<Certificate, Inexpressible> {
        let mut claim = Claim::new(&self.system, self.shape.originals, proof)?;
        let invariant = claim.invariant(|claim, state| claim.own(state));
        let (mut own, mut other) = (claim.pool.bool(false), claim.pool.bool(false));
        let (mut not_more, mut less) = (claim.pool.bool(true), claim.pool.bool(false));
        for &shoal in &self.shoals {
            let here = claim.import(shoal, |claim, state| claim.own(state));
            let there = claim.import(shoal, |claim, state| claim.other(state));
            own = claim.or(own, here);
            other = claim.or(other, there);
            let (outside_own, outside_other) = (claim.not(own), claim.not(other));
            let higher = claim.and(other, outside_own);
            let not_higher = claim.not(higher);
            not_more = claim.and(not_more, not_higher);
            let lower = claim.and(own, outside_other);
            less = claim.or(less, lower);
        }
        let kept = claim.includes(self.shape.flags());
        let progress = claim.or(less, kept);
        let related = claim.and(not_more, progress);
        let observers = self.shape.flags().map(|flag| claim.observer(flag)).collect();
        Ok(claim.finish(&self.shape, observers, invariant, related))
    }

    /// The loop that these traces make: the first one from an initial state, each next one from
    /// the state after the one before. The last one ends where trace `back` starts.
    pub fn lasso(&self, traces: &[Trace], back: usize) -> Trace {
        let mut steps: Vec<Step> = Vec::new();
        let mut start = 0;
        for (number, trace) in traces.iter().enumerate() {
            if number == back {
                start = steps.len();
            }
            steps.extend(trace.steps.iter().cloned());
        }
        let mut initial = traces[0].initial.clone();
        initial.truncate(self.shape.originals);
        Trace { property: self.property, initial, steps, loop_start: Some(start) }
    }
}

fn bits(values: &[Value]) -> Vec<bool> {
    values.iter().map(|value| value.bv().is_true()).collect()
}

fn holds(system: &TransitionSystem, pool: &elinvar_ir::Pool, expr: ExprId, state: &[bool]) -> bool {
    let mut evaluator = elinvar_ir::Evaluator::new(pool, [expr]);
    evaluator.run(|symbol| match system.role_of(symbol) {
        Some(elinvar_ir::Role::State(index)) => BitVec::bool(state[index]).into(),
        Some(elinvar_ir::Role::Input(_)) | None => BitVec::bool(false).into(),
    });
    evaluator.holds(expr)
}
