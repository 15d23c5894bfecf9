//! Proves witness circuits, by the conditions of Certifaiger [Yu, Froleyks,
//! Biere, Heljanko, FMCAD 2022; Froleyks et al., CAV 2025].
//!
//! A witness circuit W shares some inputs and states, K, with the model M. With
//! R the reset (initial values), F the transition, C the constraints and P the
//! property, primed for W, and {K} for the shared states only:
//!
//! | condition  | formula                               |
//! |------------|---------------------------------------|
//! | reset      | R{K} ∧ C ⇒ R′{K} ∧ C′                 |
//! | transition | Fₛₜ{K} ∧ Cₛ ∧ Cₜ ∧ C′ₛ ⇒ F′ₛₜ{K} ∧ C′ₜ |
//! | safety     | C ∧ C′ ∧ P′ ⇒ P                       |
//! | base       | R′ ∧ C′ ⇒ P′                          |
//! | induction  | F′ₛₜ ∧ C′ₛ ∧ C′ₜ ∧ P′ₛ ⇒ P′ₜ            |
//!
//! Everything that is not shared is free on its side. The first two say that
//! every execution of M can be extended to one of W: the initial values of W
//! are acyclic (a system is not built otherwise) and those of K do not depend
//! on the rest, so a reset of K extends to one of W; a transition extends because
//! next values are functions. The last two say that P′ holds in every execution
//! of W, and the third that then P holds in that of M.
//!
//! A liveness property has the conditions of [`ranked`] in place of the third.

mod ranked;

use std::collections::BTreeSet;

use elinvar_ir::{ExprId, PropertyId, PropertyKind, State, TransitionSystem, WitnessCircuit};
use rustc_hash::FxHashSet;

use crate::encode::{Encoder, Frame, Term};
use crate::refusal::{Refusal, bad_of};
use crate::solver::{Budget, Lit};

/// Accepts a witness circuit that proves the property of the model.
pub fn circuit(
    model: &TransitionSystem,
    property: PropertyId,
    witness: &WitnessCircuit,
    budget: &Budget,
) -> Result<(), Refusal> {
    let check = Check { model, witness, budget };
    if let Some(PropertyKind::Justice(_)) = model.properties().get(property.0).map(|p| &p.kind) {
        check_shared(model, witness)?;
        let claims = ranked::Claims::new(&check, property)?;
        check.simulation()?;
        check.base()?;
        check.induction()?;
        return claims.prove();
    }
    let bad = bad_of(model, property)?;
    check_shared(model, witness)?;
    check.simulation()?;
    check.safety(bad)?;
    check.base()?;
    check.induction()
}

/// Shared symbols exist, are shared once, and have the same sort.
fn check_shared(model: &TransitionSystem, witness: &WitnessCircuit) -> Result<(), Refusal> {
    let system = &witness.system;
    let inputs = |s: &TransitionSystem| s.inputs().iter().map(|i| i.symbol).collect::<Vec<_>>();
    let states = |s: &TransitionSystem| s.states().iter().map(|s| s.symbol).collect::<Vec<_>>();
    for (what, pairs, of_witness, of_model) in [
        ("input", &witness.shared_inputs, inputs(system), inputs(model)),
        ("state", &witness.shared_states, states(system), states(model)),
    ] {
        let (mut seen_witness, mut seen_model) = (FxHashSet::default(), FxHashSet::default());
        for &(witness, model_index) in pairs {
            let (Some(&w), Some(&m)) = (of_witness.get(witness), of_model.get(model_index)) else {
                return Err(Refusal::SharedOutOfRange { what, witness, model: model_index });
            };
            if !seen_witness.insert(witness) || !seen_model.insert(model_index) {
                return Err(Refusal::SharedTwice { what, witness, model: model_index });
            }
            if system.pool().sort(w) != model.pool().sort(m) {
                return Err(Refusal::SharedSort { what, witness, model: model_index });
            }
        }
    }
    Ok(())
}

struct Check<'a> {
    model: &'a TransitionSystem,
    witness: &'a WitnessCircuit,
    budget: &'a Budget,
}

impl<'a> Check<'a> {
    fn simulation(&self) -> Result<(), Refusal> {
        self.reset()?;
        self.transition()
    }

    /// SAT?  R{K} ∧ C ∧ ¬(R′{K} ∧ C′)
    fn reset(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut model = Frame::initial(&mut encoder, self.model, &self.shared_model_states())?;
        model.constrain(&mut encoder)?;
        let mut witness = self.shared_frame(&mut encoder, &mut model)?;
        let inits = self.definitions(&mut encoder, &mut witness, |state| state.init)?;
        expect_definitions(&mut encoder, &mut witness, &inits, Refusal::CircuitReset)
    }

    /// SAT?  Fₛₜ{K} ∧ Cₛ ∧ Cₜ ∧ C′ₛ ∧ ¬(F′ₛₜ{K} ∧ C′ₜ)
    fn transition(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut model = Frame::free(self.model);
        let mut witness = self.shared_frame(&mut encoder, &mut model)?;
        model.constrain(&mut encoder)?;
        witness.constrain(&mut encoder)?;
        let mut model_after = model.successor(&mut encoder, &self.shared_model_states())?;
        model_after.constrain(&mut encoder)?;
        let mut witness_after = self.shared_frame(&mut encoder, &mut model_after)?;
        let nexts = self.definitions(&mut encoder, &mut witness, |state| state.next)?;
        expect_definitions(&mut encoder, &mut witness_after, &nexts, Refusal::CircuitTransition)
    }

    /// The shared states of the witness for which this part of them is defined, with its value.
    fn definitions(
        &self,
        encoder: &mut Encoder,
        witness: &mut Frame<'a>,
        part: impl Fn(&State) -> Option<ExprId>,
    ) -> Result<Vec<(ExprId, Term)>, Refusal> {
        let states = self.witness.system.states();
        let shared = self.witness.shared_states.iter().map(|&(index, _)| &states[index]);
        let defined = shared.filter_map(|state| Some((state.symbol, part(state)?)));
        defined.map(|(symbol, part)| Ok((symbol, witness.encode(encoder, part)?))).collect()
    }

    /// SAT?  C ∧ C′ ∧ P′ ∧ ¬P
    fn safety(&self, bad: ExprId) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut model = Frame::free(self.model);
        let mut witness = self.shared_frame(&mut encoder, &mut model)?;
        model.constrain(&mut encoder)?;
        witness.constrain(&mut encoder)?;
        for good in self.goods(&mut encoder, &mut witness)? {
            encoder.assert(good);
        }
        let bad = model.encode_bit(&mut encoder, bad)?;
        refute(&mut encoder, vec![!bad], Refusal::CircuitSafety)
    }

    /// SAT?  R′ ∧ C′ ∧ ¬P′
    fn base(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut witness =
            Frame::initial(&mut encoder, &self.witness.system, &self.witness_states())?;
        witness.constrain(&mut encoder)?;
        let goods = self.goods(&mut encoder, &mut witness)?;
        refute(&mut encoder, goods, Refusal::CircuitBase)
    }

    /// SAT?  F′ₛₜ ∧ C′ₛ ∧ C′ₜ ∧ P′ₛ ∧ ¬P′ₜ
    fn induction(&self) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.budget);
        let mut witness = Frame::free(&self.witness.system);
        witness.constrain(&mut encoder)?;
        for good in self.goods(&mut encoder, &mut witness)? {
            encoder.assert(good);
        }
        let mut after = witness.successor(&mut encoder, &self.witness_states())?;
        after.constrain(&mut encoder)?;
        let goods = self.goods(&mut encoder, &mut after)?;
        refute(&mut encoder, goods, Refusal::CircuitInduction)
    }

    fn shared_model_states(&self) -> BTreeSet<usize> {
        self.witness.shared_states.iter().map(|&(_, model)| model).collect()
    }

    fn witness_states(&self) -> BTreeSet<usize> {
        (0..self.witness.system.states().len()).collect()
    }

    /// A frame of the witness that has the model's values of what is shared.
    fn shared_frame(
        &self,
        encoder: &mut Encoder,
        model: &mut Frame<'a>,
    ) -> Result<Frame<'a>, Refusal> {
        let system = &self.witness.system;
        let mut frame = Frame::free(system);
        for &(w, m) in &self.witness.shared_inputs {
            let term = model.encode(encoder, self.model.inputs()[m].symbol)?;
            frame.set(system.inputs()[w].symbol, term);
        }
        for &(w, m) in &self.witness.shared_states {
            let term = model.encode(encoder, self.model.states()[m].symbol)?;
            frame.set(system.states()[w].symbol, term);
        }
        Ok(frame)
    }

    /// The negated bad bits of the witness; P′ is their conjunction.
    fn goods(&self, encoder: &mut Encoder, frame: &mut Frame<'a>) -> Result<Vec<Lit>, Refusal> {
        let bads = self.witness.system.bads();
        bads.map(|(_, bad)| Ok(!frame.encode_bit(encoder, bad)?)).collect()
    }
}

/// Refuses if a constraint of the frame can be false, or a symbol can differ from its definition.
fn expect_definitions(
    encoder: &mut Encoder,
    frame: &mut Frame<'_>,
    definitions: &[(ExprId, Term)],
    refusal: Refusal,
) -> Result<(), Refusal> {
    let mut consequences = frame.constraints(encoder)?;
    for (symbol, definition) in definitions {
        consequences.push(encoder.equal(&frame.term(*symbol), definition)?);
    }
    refute(encoder, consequences, refusal)
}

/// Refuses if one of the consequences can be false.
fn refute(encoder: &mut Encoder, consequences: Vec<Lit>, refusal: Refusal) -> Result<(), Refusal> {
    encoder.assert_any(consequences.into_iter().map(|lit| !lit));
    encoder.expect_unsat(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::modulo_three;
    use elinvar_ir::{BinaryOp, BitVec, Certificate, Formula, Pool, Role, Sort, SystemBuilder};

    /// The counter modulo three while an input is true, with a second property that fails.
    fn model() -> TransitionSystem {
        let mut b = modulo_three();
        let enable = b.input(Sort::BOOL, Some("enable")).unwrap();
        b.constraints.push(enable);
        let two = b.pool.constant(BitVec::new(3, 2));
        let last = b.pool.equal(b.states[0].symbol, two).unwrap();
        b.bad("two", last);
        b.finish().unwrap()
    }

    fn witness() -> WitnessCircuit {
        let certificate = Certificate::KInductive { k: 3, simple_path: false };
        WitnessCircuit::from_certificate(&model(), PropertyId(0), &certificate).unwrap()
    }

    fn refused(corrupt: impl FnOnce(&mut WitnessCircuit)) -> Refusal {
        let mut witness = witness();
        corrupt(&mut witness);
        circuit(&model(), PropertyId(0), &witness, &Budget::default()).unwrap_err()
    }

    /// Changes the system of a witness.
    fn change(witness: &mut WitnessCircuit, f: impl FnOnce(&mut SystemBuilder)) {
        let mut builder = witness.system.clone().into_builder();
        f(&mut builder);
        witness.system = builder.finish().unwrap();
    }

    #[test]
    fn a_good_circuit_is_accepted() {
        assert_eq!(circuit(&model(), PropertyId(0), &witness(), &Budget::default()), Ok(()));
    }

    /// count < limit
    fn below(limit: u64) -> WitnessCircuit {
        let mut pool = Pool::new();
        let count = pool.symbol(Sort::Bv(3), None).unwrap();
        let limit = pool.constant(BitVec::new(3, limit));
        let expr = pool.binary(BinaryOp::Ult, count, limit).unwrap();
        let formula = Formula { pool, expr, symbols: vec![Role::State(0)] };
        let certificate = Certificate::Formula(Box::new(formula));
        WitnessCircuit::from_certificate(&model(), PropertyId(0), &certificate).unwrap()
    }

    #[test]
    fn a_formula_makes_a_circuit() {
        let check = |limit| circuit(&model(), PropertyId(0), &below(limit), &Budget::default());
        assert_eq!(check(3), Ok(()));
        assert_eq!(check(0), Err(Refusal::CircuitBase));
        assert_eq!(check(2), Err(Refusal::CircuitInduction));
    }

    #[test]
    fn a_circuit_for_another_property_is_refused() {
        let other = circuit(&model(), PropertyId(1), &witness(), &Budget::default());
        assert_eq!(other, Err(Refusal::CircuitSafety));
        let none = circuit(&model(), PropertyId(2), &witness(), &Budget::default());
        assert_eq!(none, Err(Refusal::NoSuchProperty(PropertyId(2))));
    }

    #[test]
    fn shared_symbols_are_checked() {
        let (what, witness, model) = ("state", 0, 9);
        assert_eq!(
            refused(|w| w.shared_states[0].1 = 9),
            Refusal::SharedOutOfRange { what, witness, model }
        );
        let (witness, model) = (99, 0);
        assert_eq!(
            refused(|w| w.shared_states[0].0 = 99),
            Refusal::SharedOutOfRange { what, witness, model }
        );
        let (what, witness, model) = ("input", 0, 0);
        assert_eq!(
            refused(|w| w.shared_inputs.push((0, 0))),
            Refusal::SharedTwice { what, witness, model }
        );
        // State 1 is the flag of the oldest copy.
        let (what, witness, model) = ("state", 1, 0);
        assert_eq!(
            refused(|w| w.shared_states[0].0 = 1),
            Refusal::SharedSort { what, witness, model }
        );
    }

    #[test]
    fn every_corruption_of_a_circuit_is_refused() {
        let with = |f: fn(&mut SystemBuilder)| refused(|w| change(w, f));
        let init_flipped = with(|b| {
            let one = b.pool.constant(BitVec::one(3));
            b.states[0].init = Some(one);
        });
        assert_eq!(init_flipped, Refusal::CircuitReset);
        let constraint_added = with(|b| {
            let count = b.states[0].symbol;
            let some = b.pool.redor(count).unwrap();
            b.constraints.push(some);
        });
        assert_eq!(constraint_added, Refusal::CircuitReset);
        let next_changed = with(|b| b.states[0].next = Some(b.states[0].symbol));
        assert_eq!(next_changed, Refusal::CircuitTransition);
        let later_constraint = with(|b| {
            let count = b.states[0].symbol;
            let one = b.pool.constant(BitVec::one(3));
            let some = b.pool.equal(count, one).unwrap();
            b.constraints.push(b.pool.not(some).unwrap());
        });
        assert_eq!(later_constraint, Refusal::CircuitTransition);
        assert_eq!(with(|b| b.properties.clear()), Refusal::CircuitSafety);
        let flag_initially_set = with(|b| b.states[1].init = Some(b.pool.bool(true)));
        assert_eq!(flag_initially_set, Refusal::CircuitBase);
        // The youngest copy forgets what it should have remembered.
        let copy_changed = with(|b| {
            let stale = b.states.iter_mut().filter(|s| s.next == Some(b.inputs[0].symbol));
            stale.for_each(|s| s.next = Some(s.symbol));
        });
        assert_eq!(copy_changed, Refusal::CircuitInduction);
    }

    #[test]
    fn a_weakened_property_is_not_inductive() {
        let weakened = refused(|w| {
            let bad = model().bad(PropertyId(0)).unwrap();
            change(w, |b| {
                b.properties.clear();
                b.bad("five", bad);
            });
        });
        assert_eq!(weakened, Refusal::CircuitInduction);
    }

    #[test]
    fn a_spent_budget_is_refused() {
        let budget = Budget { max_gates: 10, ..Budget::default() };
        let spent = circuit(&model(), PropertyId(0), &witness(), &budget);
        assert_eq!(spent, Err(Refusal::OutOfBudget));
    }

    /// An inductive invariant may as well be a constraint of the witness.
    #[test]
    fn a_constraint_of_the_witness_may_prove_the_property() {
        let mut b = model().into_builder();
        let three = b.pool.constant(BitVec::new(3, 3));
        let invariant = b.pool.binary(BinaryOp::Ult, b.states[0].symbol, three).unwrap();
        b.constraints.push(invariant);
        b.properties.clear();
        let shared = vec![(0, 0)];
        let (shared_inputs, shared_states) = (shared.clone(), shared);
        let system = b.finish().unwrap();
        let interventions = vec![];
        let witness = WitnessCircuit { system, shared_inputs, shared_states, interventions };
        assert_eq!(circuit(&model(), PropertyId(0), &witness, &Budget::default()), Ok(()));
    }

    /// Not all of the model need be shared: a register without influence is not.
    #[test]
    fn a_part_of_the_model_may_be_shared() {
        let mut larger = model().into_builder();
        larger.state(Sort::Bv(8), Some("unused")).unwrap();
        let larger = larger.finish().unwrap();
        assert_eq!(circuit(&larger, PropertyId(0), &witness(), &Budget::default()), Ok(()));
        let unshared = refused(|w| w.shared_states.clear());
        assert_eq!(unshared, Refusal::CircuitSafety);
    }
}
