//! Checks witnesses: traces as files describe them.
//!
//! The trace is run with the reference simulator. Its constraints must hold in every
//! cycle, and each property that it names must fail in some cycle; the run up to that
//! cycle is a counterexample.
//!
//! Open values (`x` in AIGER witnesses) stand for every value. The trace is then encoded
//! with all other choices as constants, and three claims are proved: the initial values,
//! the constraints of every cycle, and for each property a cycle in which it fails. Only
//! choices of the trace are fixed, never values that the system defines, so the formula
//! without the negated claim is satisfiable and no claim is proved vacuously.

use elinvar_ir::{ExprId, OpenValue, PropertyId, Simulator, TransitionSystem, Value, Witness};
use rustc_hash::FxHashSet;

use crate::encode::{Encoder, Frame};
use crate::refusal::{Refusal, bad_of};
use crate::replay::{check_constraints, check_initial, check_shape};
use crate::solver::{Budget, Lit, SatAnswer};

/// Accepts a witness all of whose claims are true. Returns a cycle in which each of its
/// properties fails, in their order.
pub fn witness(
    system: &TransitionSystem,
    witness: &Witness,
    budget: &Budget,
) -> Result<Vec<usize>, Refusal> {
    if witness.properties.is_empty() {
        return Err(Refusal::NoProperty);
    }
    let bad = |&property: &PropertyId| bad_of(system, property);
    let bads = witness.properties.iter().map(bad).collect::<Result<Vec<ExprId>, _>>()?;
    check_shape(system, &witness.trace)?;
    let failures = replay(system, witness, &bads)?;
    if witness.open.is_empty() {
        return Ok(failures.iter().map(|cycles| cycles[0]).collect());
    }
    Grounding::new(system, witness)?.prove(&bads, &failures, budget)
}

/// Runs the trace with the values that it has. Returns the cycles in which each property
/// fails.
fn replay(
    system: &TransitionSystem,
    witness: &Witness,
    bads: &[ExprId],
) -> Result<Vec<Vec<usize>>, Refusal> {
    let trace = &witness.trace;
    let mut failures = vec![Vec::new(); bads.len()];
    let mut simulator = Simulator::of_trace(system, trace);
    check_initial(system, trace, &simulator)?;
    for (cycle, step) in trace.steps.iter().enumerate() {
        if cycle > 0 {
            simulator.follow(step);
        }
        check_constraints(system, &simulator, cycle)?;
        for (&bad, cycles) in bads.iter().zip(&mut failures) {
            if simulator.holds(bad) {
                cycles.push(cycle);
            }
        }
    }
    match failures.iter().position(Vec::is_empty) {
        Some(index) => Err(Refusal::NeverBad { property: name(system, witness, index) }),
        None => Ok(failures),
    }
}

fn name(system: &TransitionSystem, witness: &Witness, index: usize) -> String {
    system.property(witness.properties[index]).name.clone()
}

/// The runs of a witness for all choices of its open values.
struct Grounding<'a> {
    system: &'a TransitionSystem,
    witness: &'a Witness,
    open: FxHashSet<OpenValue>,
}

impl<'a> Grounding<'a> {
    fn new(system: &'a TransitionSystem, witness: &'a Witness) -> Result<Self, Refusal> {
        let cycles = witness.trace.steps.len();
        let exists = |value: &OpenValue| match *value {
            OpenValue::Initial { state } => state < system.states().len(),
            OpenValue::Input { cycle, input } => cycle < cycles && input < system.inputs().len(),
            OpenValue::Free { cycle, position } => {
                (1..cycles).contains(&cycle) && position < system.free_states().len()
            }
        };
        match witness.open.iter().find(|value| !exists(value)) {
            Some(&value) => Err(Refusal::NoSuchValue(value)),
            None => Ok(Grounding { system, witness, open: witness.open.iter().copied().collect() }),
        }
    }

    fn prove(
        &self,
        bads: &[ExprId],
        failures: &[Vec<usize>],
        budget: &Budget,
    ) -> Result<Vec<usize>, Refusal> {
        let mut encoder = Encoder::new(budget);
        let all = (0..self.system.states().len()).collect();
        let mut proved = vec![None; bads.len()];
        let mut frame = self.first(&mut encoder)?;
        for cycle in 0..self.witness.trace.steps.len() {
            if cycle > 0 {
                frame = frame.successor(&mut encoder, &all)?;
                self.choose(&mut encoder, &mut frame, cycle);
            }
            for (constraint, lit) in frame.constraints(&mut encoder)?.into_iter().enumerate() {
                if !is_valid(&mut encoder, lit)? {
                    return Err(Refusal::OpenConstraint { constraint, cycle });
                }
            }
            for (index, &bad) in bads.iter().enumerate() {
                if proved[index].is_none() && failures[index].contains(&cycle) {
                    let lit = frame.encode_bit(&mut encoder, bad)?;
                    proved[index] = is_valid(&mut encoder, lit)?.then_some(cycle);
                }
            }
        }
        let cycle = |(index, cycle): (usize, Option<usize>)| {
            let property = || name(self.system, self.witness, index);
            cycle.ok_or_else(|| Refusal::OpenNotBad { property: property() })
        };
        proved.into_iter().enumerate().map(cycle).collect()
    }

    /// Cycle zero. Initial values that the system defines are compared, not assumed.
    fn first(&self, encoder: &mut Encoder) -> Result<Frame<'a>, Refusal> {
        let mut frame = Frame::free(self.system);
        self.choose(encoder, &mut frame, 0);
        for &index in self.system.init_order() {
            let state = self.system.states()[index];
            let Some(init) = state.init else { continue };
            let term = frame.encode(encoder, init)?;
            if !self.open.contains(&OpenValue::Initial { state: index }) {
                let given = encoder.constant(&self.witness.trace.initial[index]);
                let same = encoder.equal(&term, &given)?;
                if !is_valid(encoder, same)? {
                    let state = self.system.state_name(index);
                    return Err(Refusal::OpenInitialValue { state });
                }
            }
            frame.set(state.symbol, term);
        }
        Ok(frame)
    }

    /// Sets the inputs and free states of a cycle that are not open.
    fn choose(&self, encoder: &mut Encoder, frame: &mut Frame<'a>, cycle: usize) {
        let step = &self.witness.trace.steps[cycle];
        let mut set = |place: OpenValue, symbol: ExprId, value: &Value| {
            if !self.open.contains(&place) {
                frame.set(symbol, encoder.constant(value));
            }
        };
        for (input, value) in step.inputs.iter().enumerate() {
            let symbol = self.system.inputs()[input].symbol;
            set(OpenValue::Input { cycle, input }, symbol, value);
        }
        if cycle == 0 {
            for (state, value) in self.witness.trace.initial.iter().enumerate() {
                let definition = self.system.states()[state];
                if definition.init.is_none() {
                    set(OpenValue::Initial { state }, definition.symbol, value);
                }
            }
        }
        for (position, value) in step.free.iter().enumerate() {
            let symbol = self.system.states()[self.system.free_states()[position]].symbol;
            set(OpenValue::Free { cycle, position }, symbol, value);
        }
    }
}

/// SAT?  the runs ∧ ¬lit
fn is_valid(encoder: &mut Encoder, lit: Lit) -> Result<bool, Refusal> {
    // Most bits are constants, because only open values are not.
    if lit == Lit::TRUE {
        return Ok(true);
    }
    match encoder.solve(&[!lit])? {
        SatAnswer::Sat(_) => Ok(false),
        SatAnswer::Unsat => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{BitVec, Sort, Step, SystemBuilder, Trace};

    /// `any` starts at any value and `copy` as a copy of it; `last` takes over the input
    /// `set`. Bad: `last`, and `any`. The input `allowed` is a constraint.
    fn model() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let any = b.state(Sort::BOOL, Some("any")).unwrap();
        let copy = b.state(Sort::BOOL, Some("copy")).unwrap();
        let last = b.state(Sort::BOOL, Some("last")).unwrap();
        b.state(Sort::BOOL, Some("free")).unwrap();
        let set = b.input(Sort::BOOL, Some("set")).unwrap();
        let allowed = b.input(Sort::BOOL, Some("allowed")).unwrap();
        b.input(Sort::BOOL, Some("unused")).unwrap();
        b.states[0].next = Some(any);
        b.states[1].init = Some(any);
        b.states[1].next = Some(copy);
        b.states[2].init = Some(b.pool.bool(false));
        b.states[2].next = Some(set);
        b.constraints.push(allowed);
        b.bad("last", last);
        b.bad("any", any);
        let both = b.pool.or(any, last).unwrap();
        b.bad("either", both);
        let conditions = elinvar_ir::PropertyKind::Justice(vec![last]);
        b.properties.push(elinvar_ir::Property::new("live", conditions));
        b.finish().unwrap()
    }

    fn bit(value: bool) -> Value {
        BitVec::bool(value).into()
    }

    /// `last` fails in cycle 1, `any` in all of the three cycles.
    fn good() -> Witness {
        let step = |set, free| Step { inputs: vec![bit(set), bit(true), bit(false)], free };
        let initial = vec![bit(true), bit(true), bit(false), bit(false)];
        let free = || vec![bit(false)];
        let steps = vec![step(true, vec![]), step(false, free()), step(true, free())];
        let trace = Trace { property: PropertyId(0), initial, steps, loop_start: None };
        let properties = vec![PropertyId(0), PropertyId(1)];
        let open = vec![
            OpenValue::Input { cycle: 1, input: 2 },
            OpenValue::Free { cycle: 2, position: 0 },
        ];
        Witness { trace, properties, open }
    }

    fn judged(corrupt: impl Fn(&mut Witness)) -> Result<Vec<usize>, Refusal> {
        let mut changed = good();
        corrupt(&mut changed);
        witness(&model(), &changed, &Budget::default())
    }

    #[test]
    fn every_named_property_fails_in_some_cycle() {
        assert_eq!(judged(|_| ()), Ok(vec![1, 0]));
        assert_eq!(judged(|w| w.open.clear()), Ok(vec![1, 0]));
        // The initial value of `copy` is defined, so an open one leaves no choice.
        assert_eq!(judged(|w| w.open.push(OpenValue::Initial { state: 1 })), Ok(vec![1, 0]));
        assert_eq!(judged(|w| w.open.push(OpenValue::Initial { state: 3 })), Ok(vec![1, 0]));
    }

    #[test]
    fn false_claims_are_refused() {
        let name = |name: &str| name.to_owned();
        assert_eq!(judged(|w| w.properties.clear()), Err(Refusal::NoProperty));
        let unknown = PropertyId(9);
        assert_eq!(judged(|w| w.properties.push(unknown)), Err(Refusal::NoSuchProperty(unknown)));
        assert_eq!(
            judged(|w| w.properties.push(PropertyId(3))),
            Err(Refusal::NotSafety(name("live")))
        );
        let never = |property: &str| Err(Refusal::NeverBad { property: name(property) });
        assert_eq!(judged(|w| w.trace.steps[0].inputs[0] = bit(false)), never("last"));
        assert_eq!(judged(|w| w.trace.steps.truncate(1)), never("last"));
        let lower = |w: &mut Witness| w.trace.initial[..2].fill(bit(false));
        assert_eq!(judged(lower), never("any"));
        assert_eq!(
            judged(|w| w.trace.steps[2].inputs[1] = bit(false)),
            Err(Refusal::Constraint { constraint: 0, cycle: 2 })
        );
        assert_eq!(
            judged(|w| w.trace.initial[1] = bit(false)),
            Err(Refusal::InitialValue { state: name("copy") })
        );
        assert_eq!(judged(|w| w.trace.steps.clear()), Err(Refusal::EmptyTrace));
    }

    #[test]
    fn open_values_that_matter_are_refused() {
        let opened = |value| judged(|w| w.open.push(value));
        let bad = |property: &str| Err(Refusal::OpenNotBad { property: property.to_owned() });
        assert_eq!(opened(OpenValue::Input { cycle: 0, input: 0 }), bad("last"));
        assert_eq!(
            opened(OpenValue::Input { cycle: 2, input: 1 }),
            Err(Refusal::OpenConstraint { constraint: 0, cycle: 2 })
        );
        let any = OpenValue::Initial { state: 0 };
        assert_eq!(opened(any), Err(Refusal::OpenInitialValue { state: "copy".into() }));
        let both = |w: &mut Witness| w.open.extend([any, OpenValue::Initial { state: 1 }]);
        assert_eq!(judged(both), bad("any"));
        for missing in [
            OpenValue::Initial { state: 4 },
            OpenValue::Input { cycle: 3, input: 0 },
            OpenValue::Input { cycle: 0, input: 3 },
            OpenValue::Free { cycle: 0, position: 0 },
            OpenValue::Free { cycle: 1, position: 1 },
        ] {
            assert_eq!(opened(missing), Err(Refusal::NoSuchValue(missing)));
        }
    }

    /// The cycle of the first failure depends on an open value, a later one does not.
    #[test]
    fn a_failure_may_be_certain_later_than_it_is_possible() {
        let judged = judged(|w| {
            w.properties = vec![PropertyId(2)];
            w.open = vec![OpenValue::Initial { state: 0 }, OpenValue::Initial { state: 1 }];
        });
        assert_eq!(judged, Ok(vec![1]));
    }

    #[test]
    fn the_budget_is_kept() {
        let budget = Budget { max_gates: 0, ..Budget::default() };
        let mut changed = good();
        changed.open.push(OpenValue::Input { cycle: 0, input: 0 });
        assert_eq!(witness(&model(), &changed, &budget), Err(Refusal::OutOfBudget));
    }
}
