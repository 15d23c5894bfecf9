//! Witness circuits of rankings [Froleyks, Yu, Bogaerts, Biere, Heljanko, CAV 2026].
//!
//! The circuit is the model with the observers. Its bad state is a violation of the invariant.
//! Its fairness constraints and the conditions of its property are the negated relations, one
//! for each of the model's. A relation is about two states. The circuit has an input for each
//! register that a relation mentions in the second state, and an [`Intervention`] says which
//! register's value the input has.

use super::{BITS, CircuitError, Intervention, WitnessCircuit};
use crate::ranking::{AttachedRanking, Ranking};
use crate::system::{Input, Property, PropertyId, PropertyKind, TransitionSystem};

pub(super) fn circuit(
    model: &TransitionSystem,
    property: PropertyId,
    ranking: &Ranking,
) -> Result<WitnessCircuit, CircuitError> {
    let attached = ranking.attach(model, property)?;
    let AttachedRanking { system, invariant, relation, others, .. } = attached;
    let mut builder = system.into_builder();
    builder.states.truncate(model.states().len() + ranking.observers.len());
    let mut interventions = Vec::with_capacity(others.len());
    for (state, copy) in others {
        builder.inputs.push(Input { symbol: copy });
        interventions.push(Intervention { symbol: builder.states[state].symbol, target: copy });
    }
    let pool = &mut builder.pool;
    let broken = pool.not(invariant).expect(BITS);
    let mut signals = relation;
    for signal in &mut signals {
        *signal = pool.not(*signal).expect(BITS);
    }
    let own = signals.split_off(model.fairness().len());
    builder.fairness = signals;
    let name = model.property(property).name.clone();
    builder.properties =
        vec![Property::bad("invariant", broken), Property::new(name, PropertyKind::Justice(own))];
    Ok(WitnessCircuit::extending(model, builder, interventions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Certificate;
    use crate::expr::{Pool, Sort};
    use crate::ranking::{Observer, RankingError, RankingSymbol};
    use crate::system::SystemBuilder;

    /// A register that follows an input, with a fairness constraint and a condition.
    fn model() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let set = b.input(Sort::BOOL, Some("set")).unwrap();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        b.states[0].next = Some(set);
        b.fairness.push(set);
        b.properties.push(Property::new("live", PropertyKind::Justice(vec![bit])));
        b.finish().unwrap()
    }

    fn ranking() -> Ranking {
        let mut pool = Pool::new();
        let symbols = vec![
            RankingSymbol::State(0),
            RankingSymbol::Observer(0),
            RankingSymbol::OtherObserver(0),
        ];
        let s: Vec<_> = symbols.iter().map(|_| pool.symbol(Sort::BOOL, None).unwrap()).collect();
        let init = pool.bool(false);
        let observer = Observer { name: "seen".into(), sort: Sort::BOOL, init, next: s[0] };
        let both = pool.and(s[1], s[2]).unwrap();
        Ranking {
            observers: vec![observer],
            invariant: s[0],
            relation: vec![both, s[1]],
            pool,
            symbols,
        }
    }

    #[test]
    fn the_second_state_is_read_from_inputs() {
        let certificate = Certificate::Ranking(Box::new(ranking()));
        let circuit =
            WitnessCircuit::from_certificate(&model(), PropertyId(0), &certificate).unwrap();
        let system = &circuit.system;
        assert_eq!((system.inputs().len(), system.states().len()), (2, 2));
        let [symbol, target] = [system.states()[1].symbol, system.inputs()[1].symbol];
        assert_eq!(circuit.interventions, [Intervention { symbol, target }]);
        assert_eq!(system.state_name(1), "seen");
        assert_eq!(system.fairness().len(), 1);
        assert_eq!(system.bads().count(), 1);
        let live = &system.properties()[1];
        let not_seen = Pool::complement_if(system.states()[1].symbol, true);
        assert_eq!((live.name.as_str(), live.bits()), ("live", &[not_seen][..]));
    }

    #[test]
    fn a_ranking_that_does_not_fit_is_refused() {
        let wrong = Ranking { relation: vec![], ..ranking() };
        let certificate = Certificate::Ranking(Box::new(wrong));
        let error = WitnessCircuit::from_certificate(&model(), PropertyId(0), &certificate);
        let expected = RankingError::RelationCount { found: 0, expected: 2 };
        assert_eq!(error.unwrap_err(), CircuitError::Ranking(expected));
    }
}
