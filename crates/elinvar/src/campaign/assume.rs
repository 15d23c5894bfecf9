//! Properties that are proved already, as assumptions in the search for the next proof
//! [Goldberg, Güdemann, Kroening, Mukherjee: Efficient Verification of Multi-Property Designs,
//! DATE 2018, section 4].
//!
//! The engine gets the system with the proved properties as constraints. An execution of that
//! system is one of the user's system, so a counterexample needs nothing else. An invariant of it
//! need not be inductive in the user's system, but together with the invariants of the assumed
//! properties it is: the certificate is their conjunction, and the checker judges it about the
//! system as it was written. A property is only assumed when its own certificate was accepted, so
//! dependencies are acyclic.
//!
//! Limits: proofs by k-induction and invariants of any shape are not assumed and not completed.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use elinvar_ir::{Certificate, Fact, Origin, PropertyId, Role, StateBit, TransitionSystem, Word};

use crate::error::Error;

/// The most properties that are assumed at a time.
const MOST: usize = 32;
/// An invariant with more clauses is not assumed: the conjunction would grow without bound.
const MOST_CLAUSES: usize = 2_000;

/// The invariants of the properties of one system that were proved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proved {
    invariants: BTreeMap<PropertyId, Arc<Invariant>>,
}

#[derive(Debug)]
struct Invariant {
    certificate: Certificate,
    /// A state that it mentions.
    mentioned: Option<usize>,
    /// The states that the property depends on, as bits, when they were asked for.
    cone: OnceLock<Vec<u64>>,
}

impl Proved {
    /// Notes a certificate that the checker has accepted.
    pub fn insert(&mut self, system: &TransitionSystem, id: PropertyId, proof: &Certificate) {
        let size = match proof {
            Certificate::Inductive { clauses } => clauses.len(),
            Certificate::Facts { clauses } => clauses.len(),
            Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_) => {
                return;
            }
        };
        if size <= MOST_CLAUSES && system.bad(id).is_some() {
            let first = match proof {
                Certificate::Inductive { clauses } => {
                    clauses.iter().flatten().next().map(|l| l.state)
                }
                _ => None,
            };
            let mentioned = first.and_then(|state| match system.role_of(state)? {
                Role::State(index) => Some(index),
                Role::Input(_) => None,
            });
            let (certificate, cone) = (proof.clone(), OnceLock::new());
            self.invariants.insert(id, Arc::new(Invariant { certificate, mentioned, cone }));
        }
    }

    /// The properties to assume in the search for a proof of another one: those that depend on no
    /// other states than it does, the last ones in the model first.
    pub fn helpful(&self, system: &TransitionSystem, id: PropertyId) -> Vec<PropertyId> {
        if self.invariants.is_empty() || system.bad(id).is_none() {
            return Vec::new();
        }
        let cone = super::group::cone(system, id);
        let fits = |other: PropertyId, invariant: &Invariant| {
            let is_inside = |&state: &usize| cone[state / 64] >> (state % 64) & 1 == 1;
            invariant.mentioned.as_ref().is_none_or(is_inside) && {
                let inner = invariant.cone.get_or_init(|| super::group::cone(system, other));
                inner.iter().zip(&cone).all(|(inner, outer)| inner & !outer == 0)
            }
        };
        let helpful = self
            .invariants
            .iter()
            .rev()
            .filter(|(other, invariant)| **other != id && fits(**other, invariant));
        helpful.take(MOST).map(|(&other, _)| other).collect()
    }

    /// The proof together with the invariants of the assumed properties. `None` if they have no
    /// common form.
    pub fn completed(&self, proof: &Certificate, assumed: &[PropertyId]) -> Option<Certificate> {
        let mut all = proof.clone();
        for id in assumed {
            all = conjunction(&all, &self.invariants.get(id)?.certificate)?;
        }
        Some(all)
    }
}

/// The system in which these properties hold in each cycle.
///
/// # Errors
/// If the system cannot be extended, which is a bug.
pub(crate) fn assuming(
    system: &TransitionSystem,
    assumed: &[PropertyId],
) -> Result<TransitionSystem, Error> {
    let bug = |error: &dyn std::fmt::Display| Error::Bug(format!("cannot assume: {error}"));
    let mut builder = system.clone().into_builder();
    for &id in assumed {
        let Some(bad) = system.bad(id) else { continue };
        let holds = builder.pool.not(bad).map_err(|error| bug(&error))?;
        builder.constrain(holds, Origin::UNKNOWN);
    }
    builder.finish().map_err(|error| bug(&error))
}

fn conjunction(a: &Certificate, b: &Certificate) -> Option<Certificate> {
    match (a, b) {
        (Certificate::Inductive { clauses: a }, Certificate::Inductive { clauses: b }) => {
            Some(Certificate::Inductive { clauses: union(a, b) })
        }
        (
            Certificate::Inductive { .. } | Certificate::Facts { .. },
            Certificate::Inductive { .. } | Certificate::Facts { .. },
        ) => Some(Certificate::Facts { clauses: union(&facts(a)?, &facts(b)?) }),
        (Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_), _)
        | (_, Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_)) => {
            None
        }
    }
}

/// All clauses once.
fn union<T: Clone + PartialEq>(a: &[Vec<T>], b: &[Vec<T>]) -> Vec<Vec<T>> {
    let new = b.iter().filter(|clause| !a.contains(clause));
    a.iter().chain(new).cloned().collect()
}

pub(crate) fn facts(certificate: &Certificate) -> Option<Vec<Vec<Fact>>> {
    match certificate {
        Certificate::Facts { clauses } => Some(clauses.clone()),
        Certificate::Inductive { clauses } => {
            let fact = |&StateBit { state, bit, positive }: &StateBit| Fact::Bit {
                word: Word { state, element: None },
                bit,
                value: positive,
            };
            Some(clauses.iter().map(|clause| clause.iter().map(fact).collect()).collect())
        }
        Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_check::{Budget, certificate};
    use elinvar_ir::{Sort, SystemBuilder};

    /// Register `a` stays 0, and `b` follows `a`; both must be 0.
    fn pair() -> (TransitionSystem, [StateBit; 2]) {
        let mut b = SystemBuilder::new();
        let registers = [(); 2].map(|()| b.state(Sort::BOOL, None).unwrap());
        let zero = b.pool.bool(false);
        for state in &mut b.states {
            state.init = Some(zero);
            state.next = Some(registers[0]);
        }
        b.bad("a", registers[0]);
        b.bad("b", registers[1]);
        let literal = |state| StateBit { state, bit: 0, positive: false };
        (b.finish().unwrap(), registers.map(literal))
    }

    #[test]
    fn a_proof_with_assumptions_is_completed_by_their_invariants() {
        let (system, [a, b]) = pair();
        let inductive = |literal| Certificate::Inductive { clauses: vec![vec![literal]] };
        let mut proved = Proved::default();
        proved.insert(&system, PropertyId(0), &inductive(a));
        assert_eq!(proved.helpful(&system, PropertyId(1)), [PropertyId(0)]);
        // The cone of `a` does not have `b`, so `b` is no help for `a`.
        proved.insert(&system, PropertyId(1), &inductive(b));
        assert_eq!(proved.helpful(&system, PropertyId(0)), []);
        let assumed = assuming(&system, &[PropertyId(0)]).unwrap();
        let judge = |system, proof: &Certificate| {
            certificate(system, PropertyId(1), proof, &Budget::default())
        };
        // Under the assumption, that `b` is 0 is inductive; without, it is not.
        assert_eq!(judge(&assumed, &inductive(b)), Ok(()));
        assert!(judge(&system, &inductive(b)).is_err());
        let whole = proved.completed(&inductive(b), &[PropertyId(0)]).unwrap();
        assert_eq!(judge(&system, &whole), Ok(()));
        let facts = Certificate::Facts { clauses: facts(&inductive(b)).unwrap() };
        let whole = proved.completed(&facts, &[PropertyId(0)]).unwrap();
        assert_eq!(judge(&system, &whole), Ok(()));
        let induction = Certificate::KInductive { k: 1, simple_path: false };
        assert_eq!(proved.completed(&induction, &[PropertyId(0)]), None);
        assert_eq!(proved.completed(&inductive(b), &[PropertyId(7)]), None);
    }
}
