//! Liveness as safety: systems whose bad states stand for executions that meet all conditions of
//! a justice property and all fairness constraints infinitely often.
//!
//! [`saving`] guesses a state and waits until it comes back [Biere, Artho, Schuppan, *Liveness
//! Checking as Safety Checking*, FMICS 2002]. [`counting`] bounds how often the conditions are met
//! [Claessen, Sörensson, *A Liveness Checking Algorithm that Counts*, FMCAD 2012]. [`layers`]
//! collects states from which they are met only finitely often. All first join the conditions: a
//! *round* is complete in the cycle by which each condition was met since the last round. With
//! several conditions there is a flag for each, which says that the round has met it; the flags
//! are never all set. An execution violates the property if and only if it completes infinitely
//! many rounds.
//!
//! A round waits for one condition after the other, or for all of them at once ([`Order`]). The
//! first makes proofs easier, because the flags have fewer values; the second makes rounds
//! shorter, which suits [`layers`], where they are searched one by one. [`loops`], which looks for
//! counterexamples only, does without rounds.
//!
//! A proof of safety becomes an [`elinvar_ir::Ranking`] of the original system, with the flags as
//! observers.

mod bits;
mod claim;
mod counting;
mod layers;
mod saving;

use elinvar_ir::{ExprId, PropertyId, PropertyKind, State, SystemBuilder, TransitionSystem};

pub use bits::{LiveBits, live_bits};
pub use counting::{Counting, counting};
pub use layers::{Layers, layers};
pub use saving::{Saving, loops, saving};

const BITS: &str = "operators on bits";

/// The order in which a round meets the conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// One after the other: the flags that are set come first.
    InTurn,
    /// Any.
    Any,
}

/// A system under construction that counts rounds.
struct Rounds {
    builder: SystemBuilder,
    property: PropertyId,
    /// The states of the original system.
    originals: usize,
    /// By condition: its flag, a state from `originals` on. None for a single condition, or before
    /// the conditions are joined.
    flags: Vec<ExprId>,
    /// The conditions of the property and the fairness constraints.
    all_conditions: Vec<ExprId>,
    /// The same without duplicates and without those that always hold.
    conditions: Vec<ExprId>,
    order: Order,
    /// In this cycle a round is complete. True before the conditions are joined.
    round: ExprId,
}

impl Rounds {
    /// The system with a flag for each condition. `None` if the property is one of safety.
    fn of(system: &TransitionSystem, property: PropertyId, order: Order) -> Option<Self> {
        let mut rounds = Self::separate(system, property)?;
        rounds.order = order;
        rounds.join();
        Some(rounds)
    }

    /// The system with its conditions, which are not joined.
    fn separate(system: &TransitionSystem, property: PropertyId) -> Option<Self> {
        let mut builder = system.clone().into_builder();
        let all_conditions = builder.conditions(property)?;
        let mut conditions = all_conditions.clone();
        conditions.sort_unstable();
        conditions.dedup();
        conditions.retain(|&condition| !builder.pool.is_true(condition));
        builder.fairness.clear();
        builder.outputs.clear();
        builder.labels.clear();
        let originals = builder.states.len();
        Some(Rounds {
            round: builder.pool.bool(true),
            builder,
            property,
            originals,
            flags: Vec::new(),
            all_conditions,
            conditions,
            order: Order::Any,
        })
    }

    /// Makes the flags and the bit of a complete round.
    fn join(&mut self) {
        if let [condition] = self.conditions[..] {
            self.round = condition;
            return;
        }
        let no = self.builder.pool.bool(false);
        let mut held: Vec<ExprId> = Vec::new();
        for (index, &condition) in self.conditions.iter().enumerate() {
            let flag = add_bit(&mut self.builder, &format!("held{index}"), Some(no));
            let pool = &mut self.builder.pool;
            let met = match (self.order, held.last()) {
                (Order::InTurn, Some(&earlier)) => pool.and(earlier, condition).expect(BITS),
                (Order::InTurn, None) | (Order::Any, _) => condition,
            };
            held.push(pool.or(flag, met).expect(BITS));
            self.flags.push(flag);
        }
        let pool = &mut self.builder.pool;
        self.round = pool.conjoin(held.iter().copied()).expect(BITS);
        let goes_on = pool.not(self.round).expect(BITS);
        for (index, &held) in held.iter().enumerate() {
            let next = pool.and(held, goes_on).expect(BITS);
            self.builder.states[self.originals + index].next = Some(next);
        }
    }

    /// The system in which the property is that `bad` is never true.
    fn finish(mut self, bad: ExprId) -> TransitionSystem {
        self.builder.properties[self.property.0].kind = PropertyKind::Bad(bad);
        self.builder.finish().expect("an extension of a well-formed system")
    }
}

/// Adds a bit with this initial value and no next value.
fn add_bit(builder: &mut SystemBuilder, name: &str, init: Option<ExprId>) -> ExprId {
    let symbol = builder.pool.symbol(elinvar_ir::Sort::BOOL, Some(name)).expect("a bit");
    builder.states.push(State { symbol, init, next: None });
    symbol
}
