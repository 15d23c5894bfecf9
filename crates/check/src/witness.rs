//! Checks witnesses: traces as files describe them.
//!
//! The trace is run with the reference simulator. Its constraints must hold in every cycle. Each
//! safety property that it names must fail in some cycle; the run up to that cycle is a
//! counterexample. For each liveness property, the state after the last cycle must be that of an
//! earlier one, as far as the property depends on it, and its conditions must hold in between.
//! Files do not say where the loop starts, so every cycle is tried, the last one first.
//!
//! Open values (`x` in AIGER witnesses) stand for every value. The trace is then encoded
//! with all other choices as constants, and these claims are proved: the initial values,
//! the constraints of every cycle, and for each property a cycle in which it fails or a loop that
//! closes and meets its conditions. Only choices of the trace are fixed, never values that the
//! system defines, so the formula without the negated claim is satisfiable and no claim is proved
//! vacuously.

use std::collections::BTreeSet;

use elinvar_ir::{
    ExprId, OpenValue, PropertyId, PropertyKind, Simulator, Step, TransitionSystem, Value, Witness,
};
use rustc_hash::FxHashSet;

use crate::encode::{Encoder, Frame, Term};
use crate::refusal::{Refusal, bad_of};
use crate::replay::{check_constraints, check_initial, check_shape};
use crate::solver::{Budget, Lit, SatAnswer};

/// How a trace violates a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The safety property fails in this cycle.
    Cycle(usize),
    /// The trace returns to this cycle after its last one, and the loop meets all conditions of
    /// the liveness property.
    Loop(usize),
}

/// Accepts a witness all of whose claims are true. Returns how each of its properties fails, in
/// their order.
pub fn witness(
    system: &TransitionSystem,
    witness: &Witness,
    budget: &Budget,
) -> Result<Vec<Violation>, Refusal> {
    if witness.properties.is_empty() {
        return Err(Refusal::NoProperty);
    }
    let claim = |&property: &PropertyId| Claim::new(system, property);
    let claims = witness.properties.iter().map(claim).collect::<Result<Vec<Claim>, _>>()?;
    check_shape(system, &witness.trace)?;
    let violations = replay(system, witness, &claims)?;
    if witness.open.is_empty() {
        return Ok(violations.iter().map(|possible| possible[0]).collect());
    }
    Grounding::new(system, witness)?.prove(&claims, &violations, budget)
}

/// What a witness claims about a property.
enum Claim {
    /// The bit is true in some cycle.
    Bad(ExprId),
    /// A loop that closes in these states meets the conditions.
    Live { conditions: Vec<ExprId>, states: BTreeSet<usize> },
}

impl Claim {
    fn new(system: &TransitionSystem, property: PropertyId) -> Result<Self, Refusal> {
        let kind = system.properties().get(property.0).map(|property| &property.kind);
        let Some(PropertyKind::Justice(own)) = kind else {
            return bad_of(system, property).map(Claim::Bad);
        };
        let conditions = [system.fairness(), own].concat();
        let roots = system.constraints().iter().chain(&conditions).copied();
        let mut states = system.cone_of_influence(roots);
        // A state without next value can return whenever the others do.
        states.retain(|&state| system.states()[state].next.is_some());
        Ok(Claim::Live { conditions, states })
    }
}

/// The run of a trace: the states of each cycle and of the one after the last, and which bits of
/// the claims hold in each cycle.
struct Run {
    states: Vec<Vec<Value>>,
    /// By claim, then by condition or bad bit: the cycles in which it holds.
    holds: Vec<Vec<Vec<usize>>>,
}

impl Claim {
    fn bits(&self) -> &[ExprId] {
        match self {
            Claim::Bad(bad) => std::slice::from_ref(bad),
            Claim::Live { conditions, .. } => conditions,
        }
    }
}

/// Runs the trace with the values that it has. Returns all ways in which each property fails,
/// those in early cycles and the shortest loops first.
fn replay(
    system: &TransitionSystem,
    witness: &Witness,
    claims: &[Claim],
) -> Result<Vec<Vec<Violation>>, Refusal> {
    let run = run(system, witness, claims)?;
    let mut violations = Vec::with_capacity(claims.len());
    for (index, claim) in claims.iter().enumerate() {
        let property = || name(system, witness, index);
        let holds = &run.holds[index];
        let possible: Vec<Violation> = match claim {
            Claim::Bad(_) => holds[0].iter().map(|&cycle| Violation::Cycle(cycle)).collect(),
            Claim::Live { states, .. } => {
                let closed = loops(&run.states, states, witness.trace.loop_start);
                if closed.is_empty() {
                    return Err(Refusal::NeverReturns { property: property() });
                }
                let fair = |&start: &usize| {
                    holds.iter().all(|cycles| cycles.last().is_some_and(|&last| last >= start))
                };
                closed.into_iter().filter(fair).map(Violation::Loop).collect()
            }
        };
        if possible.is_empty() {
            let property = property();
            return Err(match claim {
                Claim::Bad(_) => Refusal::NeverBad { property },
                Claim::Live { .. } => Refusal::NoFairLoop { property },
            });
        }
        violations.push(possible);
    }
    Ok(violations)
}

fn run(system: &TransitionSystem, witness: &Witness, claims: &[Claim]) -> Result<Run, Refusal> {
    let trace = &witness.trace;
    let empty = |claim: &Claim| vec![Vec::new(); claim.bits().len()];
    let mut holds: Vec<Vec<Vec<usize>>> = claims.iter().map(empty).collect();
    let live = claims.iter().any(|claim| matches!(claim, Claim::Live { .. }));
    let mut states = Vec::new();
    let mut simulator = Simulator::of_trace(system, trace);
    check_initial(system, trace, &simulator)?;
    for (cycle, step) in trace.steps.iter().enumerate() {
        if cycle > 0 {
            simulator.follow(step);
        }
        check_constraints(system, &simulator, cycle)?;
        if live {
            states.push(simulator.states().to_vec());
        }
        for (claim, holds) in claims.iter().zip(&mut holds) {
            for (&bit, cycles) in claim.bits().iter().zip(holds) {
                if simulator.holds(bit) {
                    cycles.push(cycle);
                }
            }
        }
    }
    if live {
        // Only states with a next value are compared, and inputs have no influence on them.
        let free = system.free_states().iter().map(|&state| trace.initial[state].clone());
        let inputs = trace.steps[0].inputs.clone();
        simulator.follow(&Step { inputs, free: free.collect() });
        states.push(simulator.states().to_vec());
    }
    Ok(Run { states, holds })
}

/// The cycles to which a run returns after the last one in these states, the last one first.
fn loops(run: &[Vec<Value>], states: &BTreeSet<usize>, given: Option<usize>) -> Vec<usize> {
    let (after, cycles) = run.split_last().expect("a run of a liveness property has states");
    let returns = |&start: &usize| states.iter().all(|&it| cycles[start][it] == after[it]);
    let candidates = (0..cycles.len()).rev();
    candidates.filter(|start| given.is_none_or(|given| given == *start)).filter(returns).collect()
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

/// A run in terms of the open values, like [`Run`].
struct OpenRun<'a> {
    frames: Vec<Frame<'a>>,
    after: Frame<'a>,
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
        claims: &[Claim],
        violations: &[Vec<Violation>],
        budget: &Budget,
    ) -> Result<Vec<Violation>, Refusal> {
        let mut encoder = Encoder::new(budget);
        let mut run = self.run(&mut encoder)?;
        let mut proved = Vec::with_capacity(claims.len());
        for (index, (claim, possible)) in claims.iter().zip(violations).enumerate() {
            let mut found = None;
            for &violation in possible {
                if run.is_certain(&mut encoder, self.system, claim, violation)? {
                    found = Some(violation);
                    break;
                }
            }
            let property = || name(self.system, self.witness, index);
            proved.push(found.ok_or_else(|| Refusal::OpenNotBad { property: property() })?);
        }
        Ok(proved)
    }

    /// All cycles, whose constraints hold for every choice.
    fn run(&self, encoder: &mut Encoder) -> Result<OpenRun<'a>, Refusal> {
        let all = (0..self.system.states().len()).collect();
        let mut frames = Vec::new();
        let mut frame = self.first(encoder)?;
        for cycle in 0..self.witness.trace.steps.len() {
            if cycle > 0 {
                self.choose(encoder, &mut frame, cycle);
            }
            for (constraint, lit) in frame.constraints(encoder)?.into_iter().enumerate() {
                if !is_valid(encoder, lit)? {
                    return Err(Refusal::OpenConstraint { constraint, cycle });
                }
            }
            let following = frame.successor(encoder, &all)?;
            frames.push(std::mem::replace(&mut frame, following));
        }
        Ok(OpenRun { frames, after: frame })
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

impl OpenRun<'_> {
    /// Does the property fail in this way for every choice of the open values?
    fn is_certain(
        &mut self,
        encoder: &mut Encoder,
        system: &TransitionSystem,
        claim: &Claim,
        violation: Violation,
    ) -> Result<bool, Refusal> {
        match (claim, violation) {
            (Claim::Bad(bad), Violation::Cycle(cycle)) => {
                let lit = self.frames[cycle].encode_bit(encoder, *bad)?;
                is_valid(encoder, lit)
            }
            (Claim::Live { conditions, states }, Violation::Loop(start)) => {
                for &state in states {
                    let symbol = system.states()[state].symbol;
                    let before: Term = self.frames[start].encode(encoder, symbol)?;
                    let after = self.after.encode(encoder, symbol)?;
                    let same = encoder.equal(&before, &after)?;
                    if !is_valid(encoder, same)? {
                        return Ok(false);
                    }
                }
                for &condition in conditions {
                    let mut never = Vec::new();
                    for frame in &mut self.frames[start..] {
                        never.push(!frame.encode_bit(encoder, condition)?);
                    }
                    let never = encoder.all(&never);
                    if !is_valid(encoder, !never)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Claim::Bad(_), Violation::Loop(_)) | (Claim::Live { .. }, Violation::Cycle(_)) => {
                unreachable!("claims fail in their own way")
            }
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
        let step = |set, free| Step { inputs: vec![bit(set), bit(true), bit(false)].into(), free };
        let initial = vec![bit(true), bit(true), bit(false), bit(false)];
        let free = || vec![bit(false)];
        let steps = vec![step(true, vec![]), step(false, free()), step(true, free())];
        let trace =
            Trace { property: PropertyId(0), initial, steps: steps.into(), loop_start: None };
        let properties = vec![PropertyId(0), PropertyId(1)];
        let open = vec![
            OpenValue::Input { cycle: 1, input: 2 },
            OpenValue::Free { cycle: 2, position: 0 },
        ];
        Witness { trace, properties, open }
    }

    fn judged(corrupt: impl Fn(&mut Witness)) -> Result<Vec<Violation>, Refusal> {
        let mut changed = good();
        corrupt(&mut changed);
        witness(&model(), &changed, &Budget::default())
    }

    #[test]
    fn every_named_property_fails_in_some_cycle() {
        assert_eq!(judged(|_| ()), Ok(vec![Violation::Cycle(1), Violation::Cycle(0)]));
        assert_eq!(judged(|w| w.open.clear()), Ok(vec![Violation::Cycle(1), Violation::Cycle(0)]));
        // The initial value of `copy` is defined, so an open one leaves no choice.
        assert_eq!(
            judged(|w| w.open.push(OpenValue::Initial { state: 1 })),
            Ok(vec![Violation::Cycle(1), Violation::Cycle(0)])
        );
        assert_eq!(
            judged(|w| w.open.push(OpenValue::Initial { state: 3 })),
            Ok(vec![Violation::Cycle(1), Violation::Cycle(0)])
        );
    }

    #[test]
    fn false_claims_are_refused() {
        let name = |name: &str| name.to_owned();
        assert_eq!(judged(|w| w.properties.clear()), Err(Refusal::NoProperty));
        let unknown = PropertyId(9);
        assert_eq!(judged(|w| w.properties.push(unknown)), Err(Refusal::NoSuchProperty(unknown)));
        // After the last cycle, `last` is set, as in cycle 1.
        assert_eq!(
            judged(|w| w.properties.push(PropertyId(3))),
            Ok(vec![Violation::Cycle(1), Violation::Cycle(0), Violation::Loop(1)])
        );
        let never = |property: &str| Err(Refusal::NeverBad { property: name(property) });
        assert_eq!(judged(|w| w.trace.steps[0].inputs.set(0, bit(false))), never("last"));
        assert_eq!(judged(|w| w.trace.steps.truncate(1)), never("last"));
        let lower = |w: &mut Witness| w.trace.initial[..2].fill(bit(false));
        assert_eq!(judged(lower), never("any"));
        assert_eq!(
            judged(|w| w.trace.steps[2].inputs.set(1, bit(false))),
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
        assert_eq!(judged, Ok(vec![Violation::Cycle(1)]));
    }

    #[test]
    fn the_budget_is_kept() {
        let budget = Budget { max_gates: 0, ..Budget::default() };
        let mut changed = good();
        changed.open.push(OpenValue::Input { cycle: 0, input: 0 });
        assert_eq!(witness(&model(), &changed, &budget), Err(Refusal::OutOfBudget));
    }

    /// A bit that toggles while `go` is set, and one that remembers whether it was ever so.
    /// Fairness: the bit is set. Conditions: `go`; the bit is not set. Constraint: `allowed`.
    fn live() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        let ever = b.state(Sort::BOOL, Some("ever")).unwrap();
        let go = b.input(Sort::BOOL, Some("go")).unwrap();
        let allowed = b.input(Sort::BOOL, Some("allowed")).unwrap();
        let other = b.input(Sort::BOOL, Some("other")).unwrap();
        let no = b.pool.bool(false);
        (b.states[0].init, b.states[1].init) = (Some(no), Some(no));
        b.states[0].next = Some(b.pool.xor(bit, go).unwrap());
        b.states[1].next = Some(b.pool.or(ever, other).unwrap());
        let low = b.pool.not(bit).unwrap();
        b.constraints.push(allowed);
        b.fairness.push(bit);
        let justice = elinvar_ir::PropertyKind::Justice;
        b.properties.push(elinvar_ir::Property::new("both", justice(vec![go, low])));
        b.bad("set", bit);
        b.properties.push(elinvar_ir::Property::new("ever", justice(vec![ever])));
        b.finish().unwrap()
    }

    /// The inputs `go` of the cycles; the others are `allowed` and not `other`.
    fn lasso(go: &[bool], properties: &[usize]) -> Witness {
        let inputs = |&go: &bool| vec![bit(go), bit(true), bit(false)];
        let steps = go.iter().map(|go| Step { inputs: inputs(go).into(), free: vec![] }).collect();
        let properties: Vec<PropertyId> = properties.iter().map(|&p| PropertyId(p)).collect();
        let initial = vec![bit(false), bit(false)];
        let trace = Trace { property: properties[0], initial, steps, loop_start: None };
        Witness { trace, properties, open: vec![] }
    }

    #[test]
    fn loops_are_found() {
        let judge = |w: &Witness| witness(&live(), w, &Budget::default());
        let (both, never) = (&[0][..], Refusal::NoFairLoop { property: "both".into() });
        assert_eq!(judge(&lasso(&[false, true, true], both)), Ok(vec![Violation::Loop(1)]));
        let all = lasso(&[true, false, true], &[1, 0]);
        assert_eq!(judge(&all), Ok(vec![Violation::Cycle(1), Violation::Loop(0)]));
        // The loop does not close, no loop is fair, or a condition does not hold in it.
        let open = Refusal::NeverReturns { property: "both".into() };
        assert_eq!(judge(&lasso(&[true, true, true], both)), Ok(vec![Violation::Loop(1)]));
        assert_eq!(judge(&lasso(&[true], both)), Err(open.clone()));
        assert_eq!(judge(&lasso(&[false], both)), Err(never.clone()));
        assert_eq!(judge(&lasso(&[true, false], both)), Err(never.clone()));
        let unfair = Refusal::NoFairLoop { property: "ever".into() };
        assert_eq!(judge(&lasso(&[true, true], &[0, 2])), Err(unfair));
        let mut forbidden = lasso(&[true, true], both);
        forbidden.trace.steps[1].inputs.set(1, bit(false));
        assert_eq!(judge(&forbidden), Err(Refusal::Constraint { constraint: 0, cycle: 1 }));
        // Where the loop starts may be given.
        let mut given = lasso(&[false, true, true], both);
        given.trace.loop_start = Some(0);
        assert_eq!(judge(&given), Ok(vec![Violation::Loop(0)]));
        given.trace.loop_start = Some(2);
        assert_eq!(judge(&given), Err(open));
    }

    /// The loop of `both` closes whatever `ever` remembers; that of `ever` does not.
    #[test]
    fn loops_hold_for_all_open_values() {
        let judge = |opened: OpenValue, properties: &[usize]| {
            let mut w = lasso(&[true, true, true, true], properties);
            w.trace.steps[0].inputs.set(2, bit(true));
            w.open.push(opened);
            witness(&live(), &w, &Budget::default())
        };
        let open = |cycle, input| OpenValue::Input { cycle, input };
        let certain = |property: &str| Err(Refusal::OpenNotBad { property: property.into() });
        assert_eq!(judge(open(0, 2), &[0]), Ok(vec![Violation::Loop(2)]));
        assert_eq!(judge(open(1, 2), &[0, 2]), Ok(vec![Violation::Loop(2), Violation::Loop(2)]));
        assert_eq!(judge(open(0, 2), &[2]), certain("ever"));
        assert_eq!(judge(open(3, 0), &[0]), certain("both"));
        let constraint = Refusal::OpenConstraint { constraint: 0, cycle: 3 };
        assert_eq!(judge(open(3, 1), &[0]), Err(constraint));
        let mut w = lasso(&[true, true], &[0]);
        w.open.push(open(0, 0));
        let budget = Budget { max_gates: 0, ..Budget::default() };
        assert_eq!(witness(&live(), &w, &budget), Err(Refusal::OutOfBudget));
    }
}
