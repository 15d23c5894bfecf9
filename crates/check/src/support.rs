//! What a proof uses of a system.
//!
//! A proof of a large design often needs few of its registers and assumptions. The rest may
//! behave in any way, and the proof still holds. This module finds such a part.
//!
//! The conditions of the certificate are proved once more, with a switch for every constraint
//! and for every register: if the switch of a constraint is off, the constraint need not hold;
//! if that of a register is off, the register has any value in every cycle. Switches are
//! assumptions of the queries, and those that no refutation needs stay off. Then
//! single parts are left out one after the other, as long as there is time and the checker
//! accepts the certificate about the system without them.
//!
//! The answer does not rest on any of this: in the end [`certificate`] accepts the proof about
//! the system in which everything else is free.

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::{Certificate, ExprId, PropertyId, Role, Sort, TransitionSystem, cone};

use crate::certificate::{Literal, certificate, literals_of_bits, literals_of_facts};
use crate::encode::{Encoder, Frame, Term};
use crate::refusal::{Refusal, bad_of};
use crate::solver::{Budget, Lit, SatAnswer};

/// The parts of a system that a proof uses. With all other constraints removed, and any value
/// in all other registers in every cycle, the proof still holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Support {
    /// Numbers of constraints, ascending.
    pub constraints: Vec<usize>,
    /// Numbers of states whose initial or next values are used, ascending.
    pub states: Vec<usize>,
    /// Numbers of the inputs that these parts and the property read, ascending.
    pub inputs: Vec<usize>,
    /// Is each of these constraints and states needed for this proof?
    pub minimal: bool,
}

/// The parts of a system that an accepted certificate uses.
///
/// # Errors
/// If the certificate is refused, or the budget is spent before any part could be left out.
///
/// ```
/// use elinvar_check::{Budget, support};
/// use elinvar_ir::{Certificate, Sort, SystemBuilder};
///
/// // Two registers that keep their value, of which the property is about the first.
/// let mut b = SystemBuilder::new();
/// let [x, y] = ["x", "y"].map(|name| b.state(Sort::BOOL, Some(name)).unwrap());
/// for (index, symbol) in [x, y].into_iter().enumerate() {
///     b.states[index].init = Some(b.pool.bool(false));
///     b.states[index].next = Some(symbol);
/// }
/// let property = b.bad("x_is_set", x);
/// let system = b.finish().unwrap();
/// let proof = Certificate::KInductive { k: 1, simple_path: false };
/// let used = support(&system, property, &proof, &Budget::default()).unwrap();
/// assert_eq!((used.states, used.minimal), (vec![0], true));
/// ```
pub fn support(
    system: &TransitionSystem,
    property: PropertyId,
    proof: &Certificate,
    budget: &Budget,
) -> Result<Support, Refusal> {
    let bad = bad_of(system, property)?;
    let mut parts = Parts::all(system);
    if let Some(fewer) = needed(system, bad, proof, budget)? {
        parts = fewer;
    }
    let accepts = |parts: &Parts| certificate(&parts.of(system), property, proof, budget);
    accepts(&parts)?;
    let minimal = parts.minimize(|fewer| match accepts(fewer) {
        Ok(()) => Ok(true),
        Err(Refusal::OutOfBudget) => Err(Refusal::OutOfBudget),
        Err(_) => Ok(false),
    });
    let part = parts.of(system);
    let inputs = inputs(&part, bad);
    let Parts { constraints, states } = parts;
    Ok(Support {
        constraints: constraints.into_iter().collect(),
        states: states.into_iter().collect(),
        inputs,
        minimal: minimal.is_ok(),
    })
}

/// A part of a system, by numbers of constraints and states.
#[derive(Clone)]
struct Parts {
    constraints: BTreeSet<usize>,
    states: BTreeSet<usize>,
}

impl Parts {
    fn all(system: &TransitionSystem) -> Self {
        let states = 0..system.states().len();
        let is_defined = |&index: &usize| {
            let state = system.states()[index];
            state.init.is_some() || state.next.is_some()
        };
        Parts {
            constraints: (0..system.constraints().len()).collect(),
            states: states.filter(is_defined).collect(),
        }
    }

    /// The system in which everything else is free.
    fn of(&self, system: &TransitionSystem) -> TransitionSystem {
        let mut builder = system.clone().into_builder();
        for (index, state) in builder.states.iter_mut().enumerate() {
            if !self.states.contains(&index) {
                (state.init, state.next) = (None, None);
            }
        }
        let kept: Vec<usize> = self.constraints.iter().copied().collect();
        builder.constraints = kept.iter().map(|&index| builder.constraints[index]).collect();
        if !builder.constraint_origins.is_empty() {
            builder.constraint_origins =
                kept.iter().map(|&index| builder.constraint_origins[index].clone()).collect();
        }
        builder.finish().expect("a part of a well-formed system")
    }

    /// Leaves out single parts as long as `holds` says that the rest is enough. Constraints
    /// come first: users want to know which of their assumptions they need.
    ///
    /// # Errors
    /// That of `holds`; what is left then is enough.
    fn minimize(
        &mut self,
        mut holds: impl FnMut(&Parts) -> Result<bool, Refusal>,
    ) -> Result<(), Refusal> {
        for constraint in self.constraints.clone() {
            let mut fewer = self.clone();
            fewer.constraints.remove(&constraint);
            if holds(&fewer)? {
                *self = fewer;
            }
        }
        for state in self.states.clone() {
            let mut fewer = self.clone();
            fewer.states.remove(&state);
            if holds(&fewer)? {
                *self = fewer;
            }
        }
        Ok(())
    }
}

/// The inputs that the property, the constraints and what they depend on read.
fn inputs(system: &TransitionSystem, bad: ExprId) -> Vec<usize> {
    let roots = || system.constraints().iter().copied().chain([bad]);
    let states = system.cone_of_influence(roots());
    let values = states.iter().map(|&index| system.states()[index]);
    let values = values.flat_map(|state| [state.init, state.next]).flatten();
    let nodes = cone(system.pool(), roots().chain(values));
    let inputs: BTreeSet<usize> = nodes
        .into_iter()
        .filter_map(|node| match system.role_of(node) {
            Some(Role::Input(index)) => Some(index),
            Some(Role::State(_)) | None => None,
        })
        .collect();
    inputs.into_iter().collect()
}

/// Is the state a memory?
fn is_memory(system: &TransitionSystem, state: usize) -> bool {
    matches!(system.pool().sort(system.states()[state].symbol), Sort::Array { .. })
}

/// The parts whose switches the refutations need, and all memories. Nothing if the certificate has no queries of
/// this form: a formula, or a k-induction over simple paths.
fn needed(
    system: &TransitionSystem,
    bad: ExprId,
    proof: &Certificate,
    budget: &Budget,
) -> Result<Option<Parts>, Refusal> {
    let memories = Parts::all(system).states.into_iter().filter(|&index| is_memory(system, index));
    let parts = Parts { constraints: BTreeSet::new(), states: memories.collect() };
    let mut used = Used { parts };
    match proof {
        Certificate::Inductive { clauses } => {
            let clauses = literals_of_bits(system, clauses)?;
            used.by_invariant(system, &clauses, bad, budget)?;
        }
        Certificate::Facts { clauses } => {
            let mut builder = system.clone().into_builder();
            let clauses = literals_of_facts(system, &mut builder.pool, clauses)?;
            let system = builder.finish().expect("a well-formed system with more expressions");
            used.by_invariant(&system, &clauses, bad, budget)?;
        }
        Certificate::KInductive { k, simple_path: false } => {
            used.by_induction(system, *k, bad, budget)?;
        }
        Certificate::KInductive { simple_path: true, .. }
        | Certificate::Formula(_)
        | Certificate::Ranking(_) => {
            return Ok(None);
        }
    }
    Ok(Some(used.parts))
}

/// What was used so far.
struct Used {
    parts: Parts,
}

impl Used {
    /// SAT?  I ∧ C ∧ ¬Inv,  Inv ∧ C ∧ T ∧ C′ ∧ ¬Inv′,  Inv ∧ C ∧ B
    fn by_invariant(
        &mut self,
        system: &TransitionSystem,
        clauses: &[Vec<Literal>],
        bad: ExprId,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let exprs = || clauses.iter().flatten().map(Literal::expr);
        let constraints = system.constraints().iter().copied();
        let states = system.cone_of_influence(exprs().chain(constraints).chain([bad]));

        let mut initiation = Switched::new(system, &states, budget);
        let mut first = initiation.initial()?;
        let violated = initiation.violations(&mut first, clauses)?;
        self.note(&mut initiation, &violated, Refusal::Initiation { clause: 0 })?;

        let mut consecution = Switched::new(system, &states, budget);
        let mut frame = consecution.anywhere()?;
        consecution.assert_clauses(&mut frame, clauses)?;
        let mut following = consecution.successor(&mut frame)?;
        let violated = consecution.violations(&mut following, clauses)?;
        self.note(&mut consecution, &violated, Refusal::Consecution { clause: 0 })?;

        let mut safety = Switched::new(system, &states, budget);
        let mut frame = safety.anywhere()?;
        safety.assert_clauses(&mut frame, clauses)?;
        let reached = frame.encode_bit(&mut safety.encoder, bad)?;
        self.note(&mut safety, &[reached], Refusal::Safety)
    }

    /// For every t < k.  SAT?  I ∧ C ∧ T ∧ … ∧ C ∧ Bₜ.  Then  SAT?  C ∧ ¬B ∧ T ∧ … ∧ C ∧ Bₖ
    fn by_induction(
        &mut self,
        system: &TransitionSystem,
        k: usize,
        bad: ExprId,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let states = system.cone_of_influence(system.constraints().iter().copied().chain([bad]));
        let mut base = Switched::new(system, &states, budget);
        let mut frame = base.initial()?;
        for cycle in 0..k {
            if cycle > 0 {
                frame = base.successor(&mut frame)?;
            }
            let reached = frame.encode_bit(&mut base.encoder, bad)?;
            self.note(&mut base, &[reached], Refusal::BaseCase { cycle })?;
        }
        let mut step = Switched::new(system, &states, budget);
        let mut frame = step.anywhere()?;
        for _ in 0..k {
            let reached = frame.encode_bit(&mut step.encoder, bad)?;
            step.encoder.assert(!reached);
            frame = step.successor(&mut frame)?;
        }
        let reached = frame.encode_bit(&mut step.encoder, bad)?;
        self.note(&mut step, &[reached], Refusal::StepCase { k })
    }

    /// Notes what is needed to exclude each of these literals. What earlier queries used is
    /// preferred: it is on anyway.
    fn note(
        &mut self,
        query: &mut Switched<'_>,
        violations: &[Lit],
        refusal: Refusal,
    ) -> Result<(), Refusal> {
        for &violation in violations {
            let fewest = query.switches(|switch| self.uses(switch));
            let all = query.switches(|_| true);
            for (last, switches) in [(false, fewest), (true, all)] {
                let mut assumptions: Vec<Lit> = switches.values().copied().collect();
                assumptions.push(violation);
                if let SatAnswer::Sat(_) = query.encoder.solve(&assumptions)? {
                    if last {
                        return Err(refusal);
                    }
                    continue;
                }
                for (switch, lit) in switches {
                    if query.encoder.failed(lit) {
                        self.add(switch);
                    }
                }
                break;
            }
        }
        Ok(())
    }

    fn uses(&self, switch: Switch) -> bool {
        match switch {
            Switch::Constraint(index) => self.parts.constraints.contains(&index),
            Switch::State(index) => self.parts.states.contains(&index),
        }
    }

    fn add(&mut self, switch: Switch) {
        match switch {
            Switch::Constraint(index) => self.parts.constraints.insert(index),
            Switch::State(index) => self.parts.states.insert(index),
        };
    }
}

/// A part of a system that can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Switch {
    Constraint(usize),
    State(usize),
}

/// A query about a system whose parts can be switched off.
struct Switched<'a> {
    system: &'a TransitionSystem,
    states: &'a BTreeSet<usize>,
    encoder: Encoder,
    switches: BTreeMap<Switch, Lit>,
}

impl<'a> Switched<'a> {
    fn new(system: &'a TransitionSystem, states: &'a BTreeSet<usize>, budget: &Budget) -> Self {
        let mut encoder = Encoder::new(budget);
        let constraints = (0..system.constraints().len()).map(Switch::Constraint);
        let words = states.iter().copied().filter(|&index| !is_memory(system, index));
        let switches = constraints
            .chain(words.map(Switch::State))
            .map(|switch| (switch, encoder.free_literal()))
            .collect();
        Switched { system, states, encoder, switches }
    }

    fn switches(&self, is_wanted: impl Fn(Switch) -> bool) -> BTreeMap<Switch, Lit> {
        let wanted = self.switches.iter().filter(|(switch, _)| is_wanted(**switch));
        wanted.map(|(&switch, &lit)| (switch, lit)).collect()
    }

    /// Any state under the constraints that are on.
    fn anywhere(&mut self) -> Result<Frame<'a>, Refusal> {
        let mut frame = Frame::free(self.system);
        self.constrain(&mut frame)?;
        Ok(frame)
    }

    /// Cycle zero: a state whose switch is on has its initial value.
    fn initial(&mut self) -> Result<Frame<'a>, Refusal> {
        let mut frame = Frame::free(self.system);
        for &index in self.system.init_order().iter().filter(|&index| self.states.contains(index)) {
            let state = self.system.states()[index];
            let Some(init) = state.init else { continue };
            let value = frame.encode(&mut self.encoder, init)?;
            self.define(&mut frame, index, value)?;
        }
        self.constrain(&mut frame)?;
        Ok(frame)
    }

    /// The cycle after this one: a state whose switch is on has its next value.
    fn successor(&mut self, frame: &mut Frame<'a>) -> Result<Frame<'a>, Refusal> {
        let mut following = Frame::free(self.system);
        for &index in self.states {
            let state = self.system.states()[index];
            let Some(next) = state.next else { continue };
            let value = frame.encode(&mut self.encoder, next)?;
            self.define(&mut following, index, value)?;
        }
        self.constrain(&mut following)?;
        Ok(following)
    }

    /// The state has this value in the frame if its switch is on. A memory has no switch:
    /// equality of memories is expensive.
    fn define(&mut self, frame: &mut Frame<'a>, state: usize, value: Term) -> Result<(), Refusal> {
        let symbol = self.system.states()[state].symbol;
        match self.switches.get(&Switch::State(state)) {
            None => frame.set(symbol, value),
            Some(&switch) => {
                let own = frame.encode(&mut self.encoder, symbol)?;
                let equal = self.encoder.equal(&own, &value)?;
                self.encoder.assert_any([!switch, equal]);
            }
        }
        Ok(())
    }

    fn constrain(&mut self, frame: &mut Frame<'a>) -> Result<(), Refusal> {
        for (index, constraint) in frame.constraints(&mut self.encoder)?.into_iter().enumerate() {
            let switch = self.switches[&Switch::Constraint(index)];
            self.encoder.assert_any([!switch, constraint]);
        }
        Ok(())
    }

    fn assert_clauses(
        &mut self,
        frame: &mut Frame<'a>,
        clauses: &[Vec<Literal>],
    ) -> Result<(), Refusal> {
        frame.encode_all(&mut self.encoder, clauses.iter().flatten().map(Literal::expr))?;
        for clause in clauses {
            self.encoder.assert_any(clause.iter().map(|literal| literal.in_frame(frame)));
        }
        Ok(())
    }

    /// For groups of clauses: a literal that makes one of them false.
    fn violations(
        &mut self,
        frame: &mut Frame<'a>,
        clauses: &[Vec<Literal>],
    ) -> Result<Vec<Lit>, Refusal> {
        const TOGETHER: usize = 64;
        frame.encode_all(&mut self.encoder, clauses.iter().flatten().map(Literal::expr))?;
        let violated: Vec<Lit> = (clauses.iter())
            .map(|clause| {
                let literals: Vec<Lit> = clause.iter().map(|l| l.in_frame(frame)).collect();
                self.encoder.none_of(&literals)
            })
            .collect();
        Ok(violated.chunks(TOGETHER).map(|chunk| self.encoder.some_of(chunk)).collect())
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{BitVec, SystemBuilder};
    use elinvar_models::{Generator, Outcome, Shape, search as explore};

    use super::*;
    use crate::examples::modulo_three;

    fn inputs_of(used: &Support) -> (&[usize], &[usize], &[usize]) {
        (&used.constraints, &used.states, &used.inputs)
    }

    /// A register that follows an input, which one of two assumptions keeps at zero, beside a
    /// register and an input that do not matter.
    fn follower() -> (SystemBuilder, PropertyId) {
        let mut b = SystemBuilder::new();
        let [x, y] = ["x", "y"].map(|name| b.input(Sort::BOOL, Some(name)).unwrap());
        let [r, s] = ["r", "s"].map(|name| b.state(Sort::BOOL, Some(name)).unwrap());
        for (index, next) in [x, y].into_iter().enumerate() {
            b.states[index].init = Some(b.pool.bool(false));
            b.states[index].next = Some(next);
        }
        for input in [y, x] {
            b.constraints.push(b.pool.not(input).unwrap());
        }
        let both = b.pool.conjoin([r, s]).unwrap();
        let either = b.pool.disjoin([both, r]).unwrap();
        let property = b.bad("r", either);
        (b, property)
    }

    #[test]
    fn only_what_is_needed_is_used() {
        let (b, property) = follower();
        let system = b.finish().unwrap();
        for proof in [
            Certificate::KInductive { k: 1, simple_path: false },
            Certificate::KInductive { k: 2, simple_path: true },
        ] {
            let used = support(&system, property, &proof, &Budget::default()).unwrap();
            assert_eq!(inputs_of(&used), (&[1][..], &[0][..], &[0][..]), "{proof:?}");
            assert!(used.minimal);
        }
    }

    #[test]
    fn wrong_proofs_use_nothing() {
        let (mut b, property) = follower();
        b.constraints.pop();
        let system = b.finish().unwrap();
        let proof = Certificate::KInductive { k: 1, simple_path: false };
        assert!(support(&system, property, &proof, &Budget::default()).is_err());
        let empty = Certificate::Inductive { clauses: Vec::new() };
        assert!(support(&system, property, &empty, &Budget::default()).is_err());
    }

    #[test]
    fn a_spent_budget_gives_no_answer() {
        let system = modulo_three().finish().unwrap();
        let proof = Certificate::KInductive { k: 3, simple_path: false };
        let budget = Budget { max_gates: 0, ..Budget::default() };
        assert!(support(&system, PropertyId(0), &proof, &budget).is_err());
    }

    /// The property holds in every system whose other parts do anything, and no part can be
    /// left out.
    #[test]
    fn random_parts_are_enough_and_needed() {
        let mut counts = [0; 2];
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..120 {
                let system = Generator::verbatim(seed, shape).into_builder().finish().unwrap();
                let proofs = [1, 2].map(|k| Certificate::KInductive { k, simple_path: false });
                for (property, _) in system.bads() {
                    let budget = Budget::default();
                    let accepted = |proof: &&Certificate| {
                        certificate(&system, property, proof, &budget).is_ok()
                    };
                    let Some(proof) = proofs.iter().find(accepted) else { continue };
                    let used = support(&system, property, proof, &budget).unwrap();
                    assert!(used.minimal);
                    let all = Parts::all(&system);
                    let parts = Parts {
                        constraints: used.constraints.iter().copied().collect(),
                        states: used.states.iter().copied().collect(),
                    };
                    let part = parts.of(&system);
                    if let Ok(outcomes) = explore(&part, 20_000) {
                        let outcome = outcomes.iter().find(|(id, _)| *id == property).unwrap();
                        assert_eq!(outcome.1, Outcome::Safe, "seed {seed}, {shape:?}");
                        let size = |parts: &Parts| parts.constraints.len() + parts.states.len();
                        counts[0] += usize::from(size(&parts) > 0);
                        counts[1] += usize::from(size(&parts) < size(&all));
                    }
                    for state in &parts.states {
                        let mut fewer = parts.clone();
                        fewer.states.remove(state);
                        let part = fewer.of(&system);
                        let judged = certificate(&part, property, proof, &budget);
                        assert!(judged.is_err(), "seed {seed}, {shape:?}: {state} is not needed");
                    }
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    }

    #[test]
    fn invariants_of_bits_use_their_registers() {
        let mut b = modulo_three();
        let other = b.state(Sort::Bv(3), Some("other")).unwrap();
        b.states[1].init = Some(b.pool.constant(BitVec::zero(3)));
        b.states[1].next = Some(other);
        let system = b.finish().unwrap();
        let bit =
            |bit| elinvar_ir::StateBit { state: system.states()[0].symbol, bit, positive: false };
        let proof = Certificate::Inductive { clauses: vec![vec![bit(2)], vec![bit(0), bit(1)]] };
        let used = support(&system, PropertyId(0), &proof, &Budget::default()).unwrap();
        assert_eq!(inputs_of(&used), (&[][..], &[0][..], &[][..]));
    }
}
