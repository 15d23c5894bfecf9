//! The conditions of a witness circuit for a liveness property [Froleyks, Yu, Bogaerts, Biere,
//! Heljanko, CAV 2026].
//!
//! The fairness constraints and the conditions of the witness circuit, negated, are relations
//! q′₁ … q′ₙ between two states, one for each condition cᵢ of the model. Q′ is their union. With
//! the names of [`super`] and three states s, t, u of the witness circuit, all of which satisfy
//! C′ and P′:
//!
//! | condition   | formula                                                |
//! |-------------|--------------------------------------------------------|
//! | liveness    | F′ₛₜ ∧ Cₛ ∧ Cₜ ∧ q′ᵢ(s, t) ⇒ ¬cᵢ(s), for each i          |
//! | decrease    | F′ₛₜ ⇒ Q′(t, s)                                         |
//! | closure     | F′ₛₜ ∧ Q′(s, u) ⇒ Q′(t, u)                              |
//! | consistency | F′ₛₜ ∧ F′ₜᵤ ∧ Q′(s, t) ∧ Q′(t, u) ∧ q′ᵢ(s, t) ⇒ q′ᵢ(t, u) |
//!
//! [`elinvar_ir::Ranking`] has the argument why they imply the property.
//!
//! Differences from Certifaiger: the circuit need not prove the other properties of the model, and
//! it must not have more conditions than the model. Nothing relates a further condition to the
//! model, so one that never holds would satisfy everything.

use elinvar_ir::{ExprId, Intervention, PropertyId, PropertyKind, TransitionSystem, cone};
use rustc_hash::FxHashSet;

use super::Check;
use crate::encode::{Encoder, Frame, Term};
use crate::refusal::Refusal;
use crate::relation::Relations;
use crate::solver::{Budget, Lit};

pub(super) struct Claims<'a, 'b> {
    check: &'b Check<'a>,
    /// By condition of the model: the bit of the witness circuit that is false for related states.
    signals: Vec<ExprId>,
    /// The conditions of the model. Empty if one that always holds stands for none.
    conditions: Vec<ExprId>,
    /// The symbols of the witness circuit that the signals mention and no intervention replaces.
    own: Vec<ExprId>,
}

impl<'a, 'b> Claims<'a, 'b> {
    /// Pairs the conditions of the witness circuit with those of the property.
    pub(super) fn new(check: &'b Check<'a>, property: PropertyId) -> Result<Self, Refusal> {
        let (model, system) = (check.model, &check.witness.system);
        let all = |system: &TransitionSystem, own: &[ExprId]| [system.fairness(), own].concat();
        let (position, own) = (justice(model).enumerate())
            .find_map(|(at, (id, own))| (id == property).then_some((at, own)))
            .expect("a liveness property of the model");
        let conditions = all(model, own);
        let expected = conditions.len().max(1);
        let in_witness: Vec<&[ExprId]> = justice(system).map(|(_, own)| own).collect();
        let signals = match &in_witness[..] {
            [only] => all(system, only),
            several if several.len() == justice(model).count() => all(system, several[position]),
            _ => return Err(Refusal::CircuitConditions { found: 0, expected }),
        };
        let found = signals.len();
        if found != expected || system.fairness().len() != model.fairness().len() {
            return Err(Refusal::CircuitConditions { found, expected });
        }
        let replaced = check_interventions(system, &check.witness.interventions)?;
        let nodes = cone(system.pool(), signals.iter().copied());
        let is_own = |node: &ExprId| {
            system.pool().as_symbol(*node).is_some() && !replaced.contains(&node.regular())
        };
        let own = nodes.into_iter().filter(is_own).collect();
        Ok(Claims { check, signals, conditions, own })
    }

    pub(super) fn prove(&self) -> Result<(), Refusal> {
        self.liveness()?;
        self.decrease()?;
        self.closure()?;
        self.consistency()
    }

    /// SAT?  F′ₛₜ ∧ Cₛ ∧ Cₜ ∧ q′ᵢ(s, t) ∧ cᵢ(s), for any i
    fn liveness(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.check.budget);
        let mut s = self.state(&mut encoder)?;
        let mut t = self.after(&mut encoder, &mut s)?;
        let mut model = self.model_frame(&mut encoder, &mut s)?;
        model.constrain(&mut encoder)?;
        self.model_frame(&mut encoder, &mut t)?.constrain(&mut encoder)?;
        let related = self.relations(&mut encoder, &mut s, &mut t)?;
        let mut violations = Vec::new();
        for (index, related) in related.into_iter().enumerate() {
            let condition = match self.conditions.get(index) {
                Some(&condition) => model.encode_bit(&mut encoder, condition)?,
                None => Lit::TRUE,
            };
            violations.push(encoder.all(&[related, condition]));
        }
        encoder.assert_any(violations);
        encoder.expect_unsat(Refusal::Liveness)
    }

    fn inside(&self, encoder: &mut Encoder, mut frame: Frame<'a>) -> Result<Frame<'a>, Refusal> {
        frame.constrain(encoder)?;
        for good in self.check.goods(encoder, &mut frame)? {
            encoder.assert(good);
        }
        Ok(frame)
    }

    /// A frame of the model that has the values of the witness circuit of what is shared.
    fn model_frame(
        &self,
        encoder: &mut Encoder,
        witness: &mut Frame<'a>,
    ) -> Result<Frame<'a>, Refusal> {
        let (model, circuit) = (self.check.model, self.check.witness);
        let mut frame = Frame::free(model);
        for &(w, m) in &circuit.shared_inputs {
            let term = witness.encode(encoder, circuit.system.inputs()[w].symbol)?;
            frame.set(model.inputs()[m].symbol, term);
        }
        for &(w, m) in &circuit.shared_states {
            let term = witness.encode(encoder, circuit.system.states()[w].symbol)?;
            frame.set(model.states()[m].symbol, term);
        }
        Ok(frame)
    }
}

impl<'a> Relations<'a> for Claims<'a, '_> {
    fn budget(&self) -> &Budget {
        self.check.budget
    }

    fn count(&self) -> usize {
        self.signals.len()
    }

    fn state(&self, encoder: &mut Encoder) -> Result<Frame<'a>, Refusal> {
        self.inside(encoder, Frame::free(&self.check.witness.system))
    }

    fn after(&self, encoder: &mut Encoder, state: &mut Frame<'a>) -> Result<Frame<'a>, Refusal> {
        let following = state.successor(encoder, &self.check.witness_states())?;
        self.inside(encoder, following)
    }

    fn relations(
        &self,
        encoder: &mut Encoder,
        first: &mut Frame<'a>,
        second: &mut Frame<'a>,
    ) -> Result<Vec<Lit>, Refusal> {
        let mut pair = Frame::free(&self.check.witness.system);
        for &Intervention { symbol, target } in &self.check.witness.interventions {
            let term = second.encode(encoder, symbol)?;
            let term = if target.is_complement() { complement(term) } else { term };
            pair.set(target.regular(), term);
        }
        for &symbol in &self.own {
            pair.set(symbol, first.encode(encoder, symbol)?);
        }
        let signals = self.signals.iter();
        signals.map(|&signal| Ok(!pair.encode_bit(encoder, signal)?)).collect()
    }
}

/// The liveness properties of a system with their conditions.
fn justice(system: &TransitionSystem) -> impl Iterator<Item = (PropertyId, &[ExprId])> {
    let properties = system.properties().iter().enumerate();
    properties.filter_map(|(index, property)| match &property.kind {
        PropertyKind::Justice(own) => Some((PropertyId(index), &own[..])),
        PropertyKind::Bad(_) => None,
    })
}

/// The nodes that interventions replace: each once, and no constants.
fn check_interventions(
    system: &TransitionSystem,
    interventions: &[Intervention],
) -> Result<FxHashSet<ExprId>, Refusal> {
    let pool = system.pool();
    let mut replaced = FxHashSet::default();
    for (index, &Intervention { symbol, target }) in interventions.iter().enumerate() {
        let exist = symbol.node() < pool.len() && target.node() < pool.len();
        let fits = exist
            && !symbol.is_complement()
            && system.role_of(symbol).is_some()
            && pool.sort(symbol) == pool.sort(target)
            && !pool.is_const(target);
        if !fits || !replaced.insert(target.regular()) {
            return Err(Refusal::CircuitIntervention(index));
        }
    }
    Ok(replaced)
}

fn complement(term: Term) -> Term {
    match term {
        Term::Word(word) => Term::Word(word.into_iter().map(|lit| !lit).collect()),
        Term::Array(_) => unreachable!("arrays have no complement"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::circuit;
    use crate::refusal::Refusal;
    use crate::solver::Budget;
    use elinvar_ir::{
        BinaryOp, BitVec, Certificate, ExprId, Intervention, Observer, Pool, Property, PropertyId,
        PropertyKind, Ranking, RankingSymbol, Sort, SystemBuilder, TransitionSystem,
        WitnessCircuit,
    };

    /// A counter that moves while `go` is set, up to three, and a side that never changes.
    /// Fairness: the counter moves. Condition: the side is left. A second property has no
    /// condition of its own. A safety property fails.
    fn model() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let go = b.input(Sort::BOOL, Some("go")).unwrap();
        let enable = b.input(Sort::BOOL, Some("enable")).unwrap();
        let count = b.state(Sort::Bv(3), Some("count")).unwrap();
        let side = b.state(Sort::BOOL, Some("side")).unwrap();
        let [zero, one, last] = [0, 1, 3].map(|n| b.pool.constant(BitVec::new(3, n)));
        let below = b.pool.binary(BinaryOp::Ult, count, last).unwrap();
        let moves = b.pool.and(go, below).unwrap();
        let more = b.pool.binary(BinaryOp::Add, count, one).unwrap();
        b.states[0].init = Some(zero);
        b.states[0].next = Some(b.pool.ite(moves, more, count).unwrap());
        b.states[1].next = Some(side);
        b.constraints.push(enable);
        b.fairness.push(moves);
        b.properties.push(Property::new("left", PropertyKind::Justice(vec![side])));
        b.properties.push(Property::new("moves", PropertyKind::Justice(vec![])));
        b.bad("below", below);
        b.finish().unwrap()
    }

    /// On the left, ranks by the count, which is at most three; everything is related to the right.
    /// An observer, which is not needed, is true from the second cycle on.
    fn ranking(relations: usize) -> Ranking {
        let mut pool = Pool::new();
        let symbols = vec![
            RankingSymbol::State(0),
            RankingSymbol::OtherState(0),
            RankingSymbol::Observer(0),
            RankingSymbol::State(1),
        ];
        let mut word = |width| pool.symbol(Sort::Bv(width), None).unwrap();
        let (own, other, _, side) = (word(3), word(3), word(1), word(1));
        let bound = pool.constant(BitVec::new(3, 3));
        let above = pool.binary(BinaryOp::Ult, bound, own).unwrap();
        let invariant = pool.not(above).unwrap();
        let less = pool.binary(BinaryOp::Ult, own, other).unwrap();
        let not_less = pool.not(less).unwrap();
        let right = pool.not(side).unwrap();
        let relation = match relations {
            1 => vec![not_less],
            _ => vec![pool.and(not_less, side).unwrap(), right],
        };
        let (init, next) = (pool.bool(false), pool.bool(true));
        let observer = Observer { name: "later".into(), sort: Sort::BOOL, init, next };
        Ranking { pool, symbols, observers: vec![observer], invariant, relation }
    }

    fn witness() -> WitnessCircuit {
        let certificate = Certificate::Ranking(Box::new(ranking(2)));
        WitnessCircuit::from_certificate(&model(), PropertyId(0), &certificate).unwrap()
    }

    fn judge(witness: &WitnessCircuit) -> Result<(), Refusal> {
        circuit(&model(), PropertyId(0), witness, &Budget::default())
    }

    fn refused(corrupt: impl FnOnce(&mut SystemBuilder)) -> Refusal {
        let mut witness = witness();
        let mut builder = witness.system.clone().into_builder();
        corrupt(&mut builder);
        witness.system = builder.finish().unwrap();
        judge(&witness).unwrap_err()
    }

    fn conditions(b: &mut SystemBuilder) -> &mut Vec<ExprId> {
        match &mut b.properties[1].kind {
            PropertyKind::Justice(conditions) => conditions,
            PropertyKind::Bad(_) => panic!("a liveness property"),
        }
    }

    #[test]
    fn a_ranked_circuit_is_accepted() {
        assert_eq!(judge(&witness()), Ok(()));
        // The property without a condition of its own has the fairness constraint only.
        let certificate = Certificate::Ranking(Box::new(ranking(1)));
        let second =
            WitnessCircuit::from_certificate(&model(), PropertyId(1), &certificate).unwrap();
        assert_eq!(circuit(&model(), PropertyId(1), &second, &Budget::default()), Ok(()));
        let wrong = circuit(&model(), PropertyId(0), &second, &Budget::default());
        assert_eq!(wrong, Err(Refusal::CircuitConditions { found: 1, expected: 2 }));
    }

    #[test]
    fn a_circuit_with_all_properties_is_accepted() {
        let mut both = witness();
        let mut b = both.system.clone().into_builder();
        // The fairness constraint alone proves both.
        let (own, other) = (b.states[0].symbol, b.inputs[2].symbol);
        b.fairness[0] = b.pool.binary(BinaryOp::Ult, own, other).unwrap();
        let yes = b.pool.bool(true);
        conditions(&mut b)[0] = yes;
        b.properties.push(Property::new("moves", PropertyKind::Justice(vec![])));
        both.system = b.finish().unwrap();
        for property in [PropertyId(0), PropertyId(1)] {
            assert_eq!(circuit(&model(), property, &both, &Budget::default()), Ok(()));
        }
    }

    #[test]
    fn the_simulation_must_hold() {
        let never = |b: &mut SystemBuilder| {
            let never = b.pool.bool(false);
            b.constraints.push(never);
        };
        assert_eq!(refused(never), Refusal::CircuitReset);
        let other = |b: &mut SystemBuilder| b.states[0].next = Some(b.states[0].symbol);
        assert_eq!(refused(other), Refusal::CircuitTransition);
    }

    #[test]
    fn the_invariant_must_be_inductive() {
        let bad = |b: &mut SystemBuilder, limit: u64, below: bool| {
            let limit = b.pool.constant(BitVec::new(3, limit));
            let count = b.states[0].symbol;
            let (less, more) = if below { (count, limit) } else { (limit, count) };
            let bad = b.pool.binary(BinaryOp::Ult, less, more).unwrap();
            b.properties[0].kind = PropertyKind::Bad(bad);
        };
        assert_eq!(refused(|b| bad(b, 1, true)), Refusal::CircuitBase);
        assert_eq!(refused(|b| bad(b, 2, false)), Refusal::CircuitInduction);
    }

    #[test]
    fn the_relations_must_prove_the_property() {
        let related = |b: &mut SystemBuilder| b.fairness[0] = b.pool.bool(false);
        assert_eq!(refused(related), Refusal::Liveness);
        let unrelated = |b: &mut SystemBuilder| {
            b.fairness[0] = b.pool.bool(true);
            let yes = b.pool.bool(true);
            conditions(b)[0] = yes;
        };
        assert_eq!(refused(unrelated), Refusal::Decrease);
        // At most one step ahead: that is not closed under further steps.
        let near = |b: &mut SystemBuilder| {
            let (own, other) = (b.states[0].symbol, b.inputs[2].symbol);
            let one = b.pool.constant(BitVec::new(3, 1));
            let after = b.pool.binary(BinaryOp::Add, other, one).unwrap();
            let same = b.pool.equal(own, other).unwrap();
            let next = b.pool.equal(own, after).unwrap();
            let near = b.pool.or(same, next).unwrap();
            b.fairness[0] = b.pool.not(near).unwrap();
            let yes = b.pool.bool(true);
            conditions(b)[0] = yes;
        };
        assert_eq!(refused(near), Refusal::Closure);
        // On the right, a step that does not move is related for both, the next one for one.
        let both = |b: &mut SystemBuilder| {
            let (own, other) = (b.states[0].symbol, b.inputs[2].symbol);
            b.fairness[0] = b.pool.binary(BinaryOp::Ult, own, other).unwrap();
        };
        assert_eq!(refused(both), Refusal::Consistency);
    }

    /// A further condition that never holds would prove everything.
    #[test]
    fn the_conditions_must_be_those_of_the_model() {
        let wrong = |found| Refusal::CircuitConditions { found, expected: 2 };
        let further = |b: &mut SystemBuilder| {
            let never = b.pool.bool(false);
            conditions(b).push(never);
        };
        assert_eq!(refused(further), wrong(3));
        assert_eq!(refused(|b| conditions(b).clear()), wrong(1));
        let moved = |b: &mut SystemBuilder| {
            let signal = b.fairness.pop().unwrap();
            conditions(b).insert(0, signal);
        };
        assert_eq!(refused(moved), wrong(2));
        assert_eq!(refused(|b| b.properties.truncate(1)), wrong(0));
    }

    #[test]
    fn interventions_must_fit() {
        let wrong = |change: &dyn Fn(&mut WitnessCircuit)| {
            let mut changed = witness();
            change(&mut changed);
            judge(&changed).unwrap_err()
        };
        let system = witness().system;
        let [count, side, later] = [0, 1, 2].map(|state| system.states()[state].symbol);
        let second = system.inputs()[2].symbol;
        let replace =
            |symbol, target| wrong(&|w| w.interventions = vec![Intervention { symbol, target }]);
        assert_eq!(replace(side, second), Refusal::CircuitIntervention(0));
        assert_eq!(replace(later, system.pool().bool(true)), Refusal::CircuitIntervention(0));
        let next = system.states()[0].next.unwrap();
        assert_eq!(replace(next, second), Refusal::CircuitIntervention(0));
        let twice = |w: &mut WitnessCircuit| {
            w.interventions.push(Intervention { symbol: count, target: second });
        };
        assert_eq!(wrong(&twice), Refusal::CircuitIntervention(1));
        // Without it, the second state of the relation has any value.
        assert_eq!(wrong(&|w| w.interventions.clear()), Refusal::Liveness);
    }

    /// The next value of a register may stand for its value in the second state.
    #[test]
    fn an_intervention_may_replace_a_next_value() {
        let mut witness = witness();
        let system = &witness.system;
        let (symbol, next) = (system.states()[0].symbol, system.states()[0].next.unwrap());
        let mut b = system.clone().into_builder();
        let less = b.pool.binary(BinaryOp::Ult, symbol, next).unwrap();
        let right = b.pool.not(b.states[1].symbol).unwrap();
        b.fairness[0] = b.pool.or(less, right).unwrap();
        witness.system = b.finish().unwrap();
        witness.interventions = vec![Intervention { symbol, target: next }];
        assert_eq!(judge(&witness), Ok(()));
    }

    #[test]
    fn the_budget_is_kept() {
        let budget = Budget { max_gates: 0, ..Budget::default() };
        let judged = circuit(&model(), PropertyId(0), &witness(), &budget);
        assert_eq!(judged, Err(Refusal::OutOfBudget));
    }
}
