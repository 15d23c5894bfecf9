//! k-liveness: rounds are counted, and more than k of them are bad.
//!
//! The count is unary: stage i is set from the i-th complete round on. The properties of the
//! new system are that there are no more than 0, 1, … rounds; each implies the next one.
//!
//! If at most k rounds are ever complete, the pair of count and flags is a ranking: it never
//! decreases, and where it does not increase, no condition whose flag is missing holds.

use elinvar_ir::{Certificate, ExprId, Property, PropertyId, TransitionSystem};

use super::claim::{Claim, Shape};
use super::{BITS, Order, Rounds, add_bit};
use crate::lift::Inexpressible;

/// A system that counts rounds. Its property k is that no more than k of them are complete.
#[derive(Clone, Debug)]
pub struct Counting {
    system: TransitionSystem,
    shape: Shape,
}

/// The system with properties for at most 0, 1, … `most` rounds. `None` if the property is one
/// of safety.
pub fn counting(system: &TransitionSystem, property: PropertyId, most: usize) -> Option<Counting> {
    let mut rounds = Rounds::of(system, property, Order::InTurn)?;
    let shape = Shape::of(&rounds);
    let name = system.property(property).name.clone();
    let builder = &mut rounds.builder;
    let mut reached = rounds.round;
    let mut bads: Vec<ExprId> = vec![reached];
    for stage in 1..=most {
        let no = builder.pool.bool(false);
        let index = builder.states.len();
        let symbol = add_bit(builder, &format!("round{stage}"), Some(no));
        builder.states[index].next = Some(builder.pool.or(symbol, reached).expect(BITS));
        reached = builder.pool.and(symbol, rounds.round).expect(BITS);
        bads.push(reached);
    }
    builder.properties = (bads.into_iter().enumerate())
        .map(|(k, bad)| Property::bad(format!("{name}: at most {k} rounds"), bad))
        .collect();
    let system = rounds.builder.finish().expect("an extension of a well-formed system");
    Some(Counting { system, shape })
}

impl Counting {
    /// The system that counts.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// The ranking that follows from a proof that at most `k` rounds are complete.
    ///
    /// # Errors
    /// If the proof is not an invariant.
    pub fn ranking(&self, proof: &Certificate, k: usize) -> Result<Certificate, Inexpressible> {
        let mut claim = Claim::new(&self.system, self.shape.originals, proof)?;
        let first = self.shape.flags().end;
        let stages = first..first + k;
        // Later stages are set only if a property that was proved fails.
        let mut invariant = claim.invariant(|claim, state| {
            if state < stages.end { claim.own(state) } else { claim.pool.bool(false) }
        });
        for later in stages.clone().skip(1) {
            let (one, two) = (claim.own(later - 1), claim.own(later));
            let gap = claim.not(one);
            let gap = claim.and(two, gap);
            let ordered = claim.not(gap);
            invariant = claim.and(invariant, ordered);
        }
        let not_less = claim.includes(stages.clone());
        let more = self.counts_more(&mut claim, stages.clone());
        let kept = claim.includes(self.shape.flags());
        let progress = claim.or(more, kept);
        let related = claim.and(not_less, progress);
        let observers = (self.shape.originals..stages.end).map(|s| claim.observer(s)).collect();
        Ok(claim.finish(&self.shape, observers, invariant, related))
    }

    /// Some stage of the first state is not set in the second one.
    fn counts_more(&self, claim: &mut Claim, stages: std::ops::Range<usize>) -> ExprId {
        let mut more = claim.pool.bool(false);
        for stage in stages {
            let (own, other) = (claim.own(stage), claim.other(stage));
            let missing = claim.not(other);
            let gained = claim.and(own, missing);
            more = claim.or(more, gained);
        }
        more
    }
}
