//! A liveness property about the simplified bits of a system.
//!
//! The passes know only bad bits. Each condition is such a bit: whatever a pass does, it keeps
//! the value of every bad bit in every cycle of every execution, not only up to the first cycle
//! where one is true. So the conditions on the bits are those of the system.

use std::sync::Arc;

use elinvar_ir::{
    Certificate, ExprId, Property, PropertyId, PropertyKind, Ranking, Trace, TransitionSystem,
};

use crate::bits::{PassOptions, Prepared, prepare};
use crate::error::TransformError;
use crate::lift::{Inexpressible, Lift};
use crate::limits::Limits;

/// The bits of a system with a justice property, and the way back.
#[derive(Clone, Debug)]
pub struct LiveBits {
    system: TransitionSystem,
    prepared: Arc<Prepared>,
    original: Arc<TransitionSystem>,
    property: PropertyId,
    /// By condition of the property: its number among the conditions on the bits; none if it
    /// always holds.
    sources: Vec<Option<usize>>,
}

/// The bits of a system, simplified for a liveness property. `None` if the property is one of
/// safety, or if the system has states without next function, whose values would be inputs.
///
/// # Errors
/// As [`prepare`].
pub fn live_bits(
    system: &TransitionSystem,
    property: PropertyId,
    passes: &PassOptions,
    memory_limit: u64,
    limits: &dyn Limits,
) -> Result<Option<LiveBits>, TransformError> {
    let mut builder = system.clone().into_builder();
    let Some(conditions) = builder.conditions(property) else { return Ok(None) };
    if !system.free_states().is_empty() {
        return Ok(None);
    }
    let mut distinct: Vec<ExprId> =
        conditions.iter().copied().filter(|&c| !builder.pool.is_true(c)).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let sources = conditions.iter().map(|c| distinct.iter().position(|d| d == c)).collect();
    let as_bad = |(index, &bad): (usize, &ExprId)| Property::bad(format!("condition{index}"), bad);
    builder.properties = distinct.iter().enumerate().map(as_bad).collect();
    builder.fairness.clear();
    let ids: Vec<PropertyId> = (0..distinct.len()).map(PropertyId).collect();
    let asked = builder.finish().expect("a well-formed system with other properties");
    let prepared = Arc::new(prepare(&asked, &ids, passes, memory_limit, limits)?);
    let bits = prepared.bits.try_system(limits).map_err(TransformError::Stopped)?;
    let mut builder = bits.clone().into_builder();
    let bads = ids.iter().map(|&id| bits.bad(id).expect("a bad bit")).collect();
    // Properties keep their numbers.
    let placeholder = Property::bad("other", builder.pool.bool(false));
    builder.properties = vec![placeholder; property.0];
    let name = system.property(property).name.clone();
    builder.properties.push(Property::new(name, PropertyKind::Justice(bads)));
    let on_bits = builder.finish().expect("a well-formed system with other properties");
    let original = Arc::new(system.clone());
    Ok(Some(LiveBits { system: on_bits, prepared, original, property, sources }))
}

impl LiveBits {
    /// The bits, with the property under its number.
    pub fn system(&self) -> &TransitionSystem {
        &self.system
    }

    /// What the passes did.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }
}

impl Lift for LiveBits {
    type From = TransitionSystem;
    type To = TransitionSystem;

    /// The bits return in each repetition of the loop, but a register that was left out, such as
    /// a counter that never matters, may need several of them.
    fn trace(&self, trace: Trace) -> Trace {
        let trace = Trace { property: self.property, ..self.prepared.lift.trace(trace) };
        let system = &*self.original;
        let cone = system.cone_of_liveness(self.property);
        trace.with_loop_closed_in(system, &cone).unwrap_or(trace)
    }

    fn proof(&self, proof: Certificate) -> Result<Certificate, Inexpressible> {
        let Certificate::Ranking(ranking) = proof else {
            return Err(Inexpressible("it is not a proof of liveness".to_owned()));
        };
        let ranking = self.prepared.lift.ranking(&ranking)?;
        let mut relation: Vec<ExprId> = (self.sources.iter())
            .map(|source| source.map_or(ranking.pool.bool(false), |index| ranking.relation[index]))
            .collect();
        // Without any condition on the bits, the ranking has one relation for "always".
        if self.sources.iter().all(Option::is_none) {
            relation[0] = ranking.relation[0];
        }
        Ok(Certificate::Ranking(Box::new(Ranking { relation, ..ranking })))
    }
}
