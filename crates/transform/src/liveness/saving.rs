//! Liveness to safety by saving a state.
//!
//! In any cycle, an additional input may save the state: the registers on which the conditions
//! and the constraints depend, with the flags. It is bad if the saved state comes back after a
//! complete round, or, without rounds, after each condition was met. A register without a next value need not come back, because it takes any
//! value; nor one that keeps its value.
//!
//! Let Inv(s, saved, seen, copy) be an invariant of the extended system, where `seen` says that a
//! round was complete since the state was saved. Then Inv(s, 0, 0, 0) is an invariant of the
//! original system, and for Q(s, t) = Inv(s, 1, 0, t) ∨ Inv(s, 1, 1, t) the claims of a ranking hold:
//! *decrease*, because the first state may be saved in any step; *closure*, because Inv is
//! inductive; and *liveness*, because T(s, t) ∧ Inv(s, 1, b, t) leads to the state t with the copy
//! t, which is bad if a round was complete. With several conditions, the flags of s include
//! those of t as long as no round is complete, so on a loop they do not change.

use elinvar_ir::{
    BitVec, Certificate, ExprId, PropertyId, Sort, State, Trace, TransitionSystem, Value,
};

use super::claim::{Claim, Shape};
use super::{BITS, Order, Rounds, add_bit};
use crate::lift::{Inexpressible, Lift};

/// A system in which a state can be saved, and the way back.
#[derive(Clone, Debug)]
pub struct Saving {
    system: TransitionSystem,
    shape: Shape,
    /// The number of the input that saves the state.
    save: usize,
    /// The number of the register that says whether a state was saved.
    saved: usize,
    /// How many registers say that a goal was reached since then: a round was complete, or a
    /// condition was met. They follow `saved`.
    goals: usize,
    /// The saved states; their copies follow the goals, in this order.
    copied: Vec<usize>,
}

/// The system whose property is bad where a saved state comes back after a complete round.
/// `None` if the property is one of safety, or depends on a memory.
pub fn saving(system: &TransitionSystem, property: PropertyId) -> Option<Saving> {
    let rounds = Rounds::of(system, property, Order::InTurn)?;
    let goals = vec![rounds.round];
    with_saving(system, rounds, &goals)
}

/// The system whose property is bad where a saved state comes back after each condition was met.
/// It has the same loops, and they are found in fewer cycles, but its proofs are no rankings.
/// `None` as for [`saving`].
pub fn loops(system: &TransitionSystem, property: PropertyId) -> Option<Saving> {
    let rounds = Rounds::separate(system, property)?;
    let goals = rounds.conditions.clone();
    with_saving(system, rounds, &goals)
}

fn with_saving(system: &TransitionSystem, mut rounds: Rounds, goals: &[ExprId]) -> Option<Saving> {
    let shape = Shape::of(&rounds);
    let roots = rounds.conditions.iter().chain(system.constraints()).copied();
    let cone = system.cone_of_influence(roots);
    let moves = |&state: &usize| {
        let State { symbol, next, .. } = system.states()[state];
        next.is_some_and(|next| next != symbol)
    };
    let copied: Vec<usize> = cone.into_iter().filter(moves).chain(shape.flags()).collect();
    let sort = |state: &usize| rounds.builder.pool.sort(rounds.builder.states[*state].symbol);
    if copied.iter().any(|state| sort(state).is_array()) {
        return None;
    }
    let save = rounds.builder.inputs.len();
    let saved = rounds.builder.states.len();
    let bad = save_states(&mut rounds, goals, &copied);
    Some(Saving { system: rounds.finish(bad), shape, save, saved, goals: goals.len(), copied })
}

/// Adds the input, the register `saved`, a register for each goal, and the copies. Returns the
/// bad bit.
fn save_states(rounds: &mut Rounds, goals: &[ExprId], copied: &[usize]) -> ExprId {
    let builder = &mut rounds.builder;
    let save = builder.input(Sort::BOOL, Some("save")).expect("a bit");
    let no = builder.pool.bool(false);
    let first = builder.states.len();
    let saved = add_bit(builder, "saved", Some(no));
    let has_saved = builder.pool.or(saved, save).expect(BITS);
    builder.states[first].next = Some(has_saved);
    let not_yet = builder.pool.not(saved).expect(BITS);
    let saves = builder.pool.and(save, not_yet).expect(BITS);
    let mut same = saved;
    for (index, &goal) in goals.iter().enumerate() {
        let seen = add_bit(builder, &format!("seen{index}"), Some(no));
        let reached = builder.pool.or(seen, goal).expect(BITS);
        let next = builder.pool.and(has_saved, reached).expect(BITS);
        builder.states[first + 1 + index].next = Some(next);
        same = builder.pool.and(same, seen).expect(BITS);
    }
    for &state in copied {
        let original = builder.states[state].symbol;
        let sort = builder.pool.sort(original);
        let name = builder.pool.as_symbol(original).and_then(|s| builder.pool.symbol_name(s));
        let name = name.map(|name| format!("{name}@saved"));
        let copy = builder.pool.symbol(sort, name.as_deref()).expect("the sort of a state");
        let next = builder.pool.ite(saves, original, copy).expect("one sort");
        builder.states.push(State { symbol: copy, init: None, next: Some(next) });
        let equal = builder.pool.equal(original, copy).expect("one sort");
        same = builder.pool.and(same, equal).expect(BITS);
    }
    same
}

impl Saving {
    /// The system in which a state can be saved.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// The claim that a state of the extended system satisfies the invariant.
    fn meaning(&self, claim: &mut Claim, state: usize, then: Moment) -> ExprId {
        if state < self.saved {
            return claim.own(state);
        }
        let copies = self.saved + 1 + self.goals;
        match (state.checked_sub(copies), then) {
            (None, Moment::Before) => claim.pool.bool(false),
            (None, Moment::After { seen }) => claim.pool.bool(state == self.saved || seen),
            (Some(copy), Moment::After { .. }) => claim.other(self.copied[copy]),
            (Some(copy), Moment::Before) => {
                let symbol = self.system.states()[copies + copy].symbol;
                let width = self.system.pool().width(symbol);
                claim.pool.constant(BitVec::zero(width))
            }
        }
    }
}

/// Whether a state was saved.
#[derive(Clone, Copy)]
enum Moment {
    Before,
    /// `seen`: a round was complete since then.
    After {
        seen: bool,
    },
}

impl Lift for Saving {
    type From = TransitionSystem;
    type To = TransitionSystem;

    /// The loop starts where the state was saved; the last cycle repeats that one.
    fn trace(&self, mut trace: Trace) -> Trace {
        let is_set = |value: &Value| matches!(value, Value::Bv(bits) if !bits.is_zero());
        let start = trace.steps.iter().position(|step| is_set(&step.inputs[self.save]));
        trace.loop_start = start;
        if trace.steps.len() > start.map_or(1, |start| start + 1) {
            trace.steps.pop();
        }
        trace.initial.truncate(self.shape.originals);
        for step in &mut *trace.steps {
            step.inputs = step.inputs.iter().take(self.save).cloned().collect();
        }
        trace
    }

    fn proof(&self, proof: Certificate) -> Result<Certificate, Inexpressible> {
        if self.goals != 1 {
            return Err(Inexpressible("a search for loops proves no liveness".to_owned()));
        }
        let mut claim = Claim::new(&self.system, self.shape.originals, &proof)?;
        let at = |claim: &mut Claim, then| {
            claim.invariant(|claim, state| self.meaning(claim, state, then))
        };
        let invariant = at(&mut claim, Moment::Before);
        let unseen = at(&mut claim, Moment::After { seen: false });
        let seen = at(&mut claim, Moment::After { seen: true });
        let kept = claim.includes(self.shape.flags());
        let unseen = claim.and(unseen, kept);
        let related = claim.or(unseen, seen);
        let observers = self.shape.flags().map(|flag| claim.observer(flag)).collect();
        Ok(claim.finish(&self.shape, observers, invariant, related))
    }
}
