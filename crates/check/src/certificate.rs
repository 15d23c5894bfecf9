//! Proves certificates: initiation, consecution and safety of an invariant
//! [Bradley 2011, section 2].
//!
//! With I the initial states, T the step, C the constraints and B the bad bit,
//! a counterexample is a sequence (s₀, x₀) … (sₙ, xₙ) with I(s₀, x₀), C(sᵢ, xᵢ) for
//! all i ≤ n, T(sᵢ, xᵢ, sᵢ₊₁) for all i < n and B(sₙ, xₙ). Each rule shows that there
//! is none. The constraints may be used in every cycle because they hold in
//! every cycle of a counterexample, its last one included.
//!
//! **Invariants.** I ∧ C ⇒ Inv, Inv ∧ C ∧ T ∧ C′ ⇒ Inv′, Inv ∧ C ⇒ ¬B: by induction on
//! i, Inv holds of every sᵢ, hence ¬B(sₙ, xₙ). The literals of its clauses are bits of
//! states, or facts about words, which become expressions over the states. Bits that the clauses
//! make equal have one literal where Inv is assumed (`equations`).
//!
//! **Formulas.** A claim Inv(s, r) over registers r that keep any value they start
//! with, one for each of some inputs, is checked in the same way in the system
//! extended by r, where Inv ∧ C ∧ (r = x) ⇒ ¬B is enough for the last: by induction
//! Inv(sᵢ, r) holds for all r, hence for the r that equals the inputs of cycle n.
//!
//! **k-induction** is checked in `induction`, **rankings** of liveness properties in `ranking`.
//!
//! States without influence on B and C are left out of all this: what remains is
//! a system of its own, with the same counterexamples. A query about one step also leaves out the
//! states that it does not mention in the cycle after it.

mod equations;
mod formula;
mod induction;
mod ranking;
mod several;

use std::collections::BTreeSet;

use elinvar_ir::{
    Certificate, ExprId, Fact, Pool, PropertyId, Role, Sort, StateBit, TransitionSystem,
    clauses_to_exprs, cone,
};

use self::equations::Equations;
use self::formula::Claim;
use self::induction::Induction;
pub use self::several::invariants;
use crate::encode::{Encoder, Frame};
use crate::refusal::{Refusal, bad_of};
use crate::solver::{Budget, Lit, SatAnswer};

/// Accepts a certificate that proves the property.
pub fn certificate(
    system: &TransitionSystem,
    property: PropertyId,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Refusal> {
    if let Certificate::Ranking(ranking) = certificate {
        return ranking::prove(system, property, ranking, budget);
    }
    let bad = bad_of(system, property)?;
    match certificate {
        Certificate::Inductive { clauses } => {
            let clauses = literals_of_bits(system, clauses)?;
            Invariant { system, clauses, bad }.prove(budget)
        }
        Certificate::Facts { clauses } => {
            let mut builder = system.clone().into_builder();
            let clauses = literals_of_facts(system, &mut builder.pool, clauses)?;
            let system = builder.finish().expect("a well-formed system with more expressions");
            Invariant { system: &system, clauses, bad }.prove(budget)
        }
        Certificate::Formula(formula) => {
            let attached = formula.attach(system).map_err(Refusal::Formula)?;
            let claim = Claim { attached: &attached, bad };
            claim.initiation(budget)?;
            claim.consecution(budget)?;
            claim.safety(budget)
        }
        Certificate::KInductive { k: 0, .. } => Err(Refusal::ZeroDepth),
        &Certificate::KInductive { k, simple_path } => {
            let induction = Induction::new(system, bad, budget);
            let deeper = simple_path && induction.init_reads_inputs();
            induction.base(k.saturating_add(usize::from(deeper)))?;
            induction.step(k, simple_path)
        }
        Certificate::Ranking(_) => unreachable!("proved above"),
    }
}

/// Accepts a k-induction over simple paths that differ in these states, if bad, the
/// constraints and the next values of these states depend on no other state. Other
/// certificates are accepted as by [`certificate`].
pub fn certificate_over(
    system: &TransitionSystem,
    property: PropertyId,
    certificate: &Certificate,
    states: &BTreeSet<usize>,
    budget: &Budget,
) -> Result<(), Refusal> {
    let &Certificate::KInductive { k: k @ 1.., simple_path: true } = certificate else {
        return self::certificate(system, property, certificate, budget);
    };
    let bad = bad_of(system, property)?;
    let induction = Induction::new(system, bad, budget);
    let deeper = induction.init_reads_inputs();
    induction.base(k.saturating_add(usize::from(deeper)))?;
    induction.restricted_to(states)?.step(k, true)
}

// ---- invariants ----------------------------------------------------------------

/// A bit of an expression over the states, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Literal {
    expr: ExprId,
    bit: u32,
    positive: bool,
}

impl Literal {
    /// The expression that it is a bit of.
    pub(crate) fn expr(&self) -> ExprId {
        self.expr
    }

    /// Its literal in a frame in which the expression is encoded.
    pub(crate) fn in_frame(&self, frame: &Frame<'_>) -> Lit {
        let lit = frame.bit(self.expr, self.bit);
        if self.positive { lit } else { !lit }
    }
}

/// The clauses, if every literal is a bit of a state of the system.
pub(crate) fn literals_of_bits(
    system: &TransitionSystem,
    clauses: &[Vec<StateBit>],
) -> Result<Vec<Vec<Literal>>, Refusal> {
    for (clause, literals) in clauses.iter().enumerate() {
        for (literal, &StateBit { state, bit, .. }) in literals.iter().enumerate() {
            let in_pool = state.node() < system.pool().len();
            let role = if in_pool { system.role_of(state) } else { None };
            let Some(Role::State(index)) = role else {
                return Err(Refusal::NotAState { clause, literal });
            };
            let name = || system.state_name(index);
            match system.pool().sort(state) {
                Sort::Bv(width) if bit < width => {}
                Sort::Bv(width) => {
                    return Err(Refusal::BitOutOfRange {
                        clause,
                        literal,
                        state: name(),
                        bit,
                        width,
                    });
                }
                Sort::Array { .. } => {
                    return Err(Refusal::ArrayState { clause, literal, state: name() });
                }
            }
        }
    }
    let literal = |l: &StateBit| Literal { expr: l.state, bit: l.bit, positive: l.positive };
    Ok(clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect())
}

/// The clauses, if every fact is one about the states of the system.
pub(crate) fn literals_of_facts(
    system: &TransitionSystem,
    pool: &mut Pool,
    clauses: &[Vec<Fact>],
) -> Result<Vec<Vec<Literal>>, Refusal> {
    let clauses = clauses_to_exprs(system, pool, clauses).map_err(Refusal::Facts)?;
    let literal = |expr| Literal { expr, bit: 0, positive: true };
    Ok(clauses.into_iter().map(|clause| clause.into_iter().map(literal).collect()).collect())
}

/// How many clauses are asked about in one query: for invariants of thousands of clauses
/// that is three times as fast as one query for all, and much faster than one for each.
const TOGETHER: usize = 128;

struct Invariant<'a> {
    system: &'a TransitionSystem,
    clauses: Vec<Vec<Literal>>,
    bad: ExprId,
}

impl<'a> Invariant<'a> {
    fn prove(&self, budget: &Budget) -> Result<(), Refusal> {
        self.initiation(budget)?;
        self.consecution(budget)?;
        self.safety(budget)
    }

    /// SAT?  I ∧ C ∧ ¬Inv
    fn initiation(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(budget);
        let states = read_at_start(self.system, self.roots());
        let mut frame = Frame::initial(&mut encoder, self.system, &states)?;
        frame.constrain(&mut encoder)?;
        self.expect(&mut encoder, &mut frame, |clause| Refusal::Initiation { clause })
    }

    /// SAT?  Inv ∧ C ∧ T ∧ C′ ∧ ¬Inv′
    fn consecution(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(budget);
        let mut frame = self.inside(&mut encoder)?;
        let mut following =
            frame.successor(&mut encoder, &read_in_cycle(self.system, self.roots()))?;
        following.constrain(&mut encoder)?;
        self.expect(&mut encoder, &mut following, |clause| Refusal::Consecution { clause })
    }

    /// SAT?  Inv ∧ C ∧ B
    fn safety(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(budget);
        let mut frame = self.inside(&mut encoder)?;
        frame.assume(&mut encoder, self.bad)?;
        encoder.expect_unsat(Refusal::Safety)
    }

    /// Any state that satisfies the invariant and the constraints.
    fn inside(&self, encoder: &mut Encoder) -> Result<Frame<'a>, Refusal> {
        let mut frame = Frame::free(self.system);
        Equations::of(self.system, &self.clauses).set(encoder, self.system, &mut frame);
        for clause in self.literals(encoder, &mut frame)? {
            encoder.assert_any(clause);
        }
        frame.constrain(encoder)?;
        Ok(frame)
    }

    /// The clauses and the constraints.
    fn roots(&self) -> impl Iterator<Item = ExprId> {
        let clauses = self.clauses.iter().flatten().map(|literal| literal.expr);
        clauses.chain(self.system.constraints().iter().copied())
    }

    /// Refuses an invariant with a clause that need not hold in this frame.
    fn expect(
        &self,
        encoder: &mut Encoder,
        frame: &mut Frame<'a>,
        refusal: impl Fn(usize) -> Refusal,
    ) -> Result<(), Refusal> {
        let clauses = self.literals(encoder, frame)?;
        let violations: Vec<Lit> = clauses.iter().map(|clause| encoder.none_of(clause)).collect();
        for (chunk, violations) in violations.chunks(TOGETHER).enumerate() {
            let any = encoder.some_of(violations);
            match encoder.solve(&[any])? {
                SatAnswer::Unsat => encoder.assert(!any),
                SatAnswer::Sat(mut model) => {
                    let clause = violations.iter().position(|&violation| model.holds(violation));
                    let clause = clause.expect("one of them was assumed");
                    return Err(refusal(chunk * TOGETHER + clause));
                }
            }
        }
        Ok(())
    }

    fn literals(
        &self,
        encoder: &mut Encoder,
        frame: &mut Frame<'a>,
    ) -> Result<Vec<Vec<Lit>>, Refusal> {
        frame.encode_all(encoder, self.clauses.iter().flatten().map(|literal| literal.expr))?;
        let literal = |literal: &Literal| literal.in_frame(frame);
        Ok(self.clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect())
    }
}

/// The states that the roots read. A query about one cycle mentions no other state, so that the
/// others may have any value in it.
fn read_in_cycle(
    system: &TransitionSystem,
    roots: impl IntoIterator<Item = ExprId>,
) -> BTreeSet<usize> {
    let state = |node: ExprId| match system.role_of(node)? {
        Role::State(index) => Some(index),
        Role::Input(_) => None,
    };
    cone(system.pool(), roots).into_iter().filter_map(state).collect()
}

/// The states that the roots read, and those that their initial values read.
fn read_at_start(
    system: &TransitionSystem,
    roots: impl IntoIterator<Item = ExprId>,
) -> BTreeSet<usize> {
    let mut states = read_in_cycle(system, roots);
    let mut new = states.clone();
    while !new.is_empty() {
        let inits = new.iter().filter_map(|&state| system.states()[state].init);
        let read = read_in_cycle(system, inits);
        new = read.difference(&states).copied().collect();
        states.extend(&new);
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::modulo_three;
    use elinvar_ir::{
        BinaryOp, BitVec, ClauseError, FactError, Formula, LinearTerm, Property, PropertyKind,
        Reading, SortError, SystemBuilder, Word,
    };
    use std::time::Instant;

    /// A bit that stays bad-free, and a counter on which the property seems to depend:
    /// bad is `bit & (count & 0 != 0 | bit)`.
    fn seeming_dependence() -> TransitionSystem {
        let mut b = SystemBuilder::verbatim();
        let bit = b.state(Sort::BOOL, Some("bit")).unwrap();
        let count = b.state(Sort::Bv(3), Some("count")).unwrap();
        let [zero, one] = [0, 1].map(|n| b.pool.constant(BitVec::new(3, n)));
        b.states[0].init = Some(b.pool.bool(false));
        b.states[0].next = Some(bit);
        b.states[1].init = Some(zero);
        b.states[1].next = Some(b.pool.binary(BinaryOp::Add, count, one).unwrap());
        let nothing = b.pool.and(count, zero).unwrap();
        let never = b.pool.redor(nothing).unwrap();
        let seems = b.pool.or(never, bit).unwrap();
        let bad = b.pool.and(bit, seems).unwrap();
        b.bad("p", bad);
        b.finish().unwrap()
    }

    #[test]
    fn simple_paths_may_differ_in_the_states_that_matter() {
        let system = seeming_dependence();
        let budget = Budget::default();
        let proof = Certificate::KInductive { k: 2, simple_path: true };
        let over = |system: &TransitionSystem, states: &[usize]| {
            let states = states.iter().copied().collect();
            certificate_over(system, PropertyId(0), &proof, &states, &budget)
        };
        assert_eq!(over(&system, &[0]), Ok(()));
        assert_eq!(over(&system, &[0, 1]), Ok(()));
        // The property depends on the bit, and there is no third state.
        assert_eq!(over(&system, &[1]), Err(Refusal::OtherStates));
        assert_eq!(over(&system, &[0, 2]), Err(Refusal::OtherStates));
        // A next value, a constraint or an initial value may depend on the counter.
        let mut b = system.clone().into_builder();
        let count = b.states[1].symbol;
        let wraps = b.pool.unary(elinvar_ir::UnaryOp::RedAnd, count).unwrap();
        b.states[0].next = Some(wraps);
        let next = b.clone().finish().unwrap();
        assert_eq!(over(&next, &[0]), Err(Refusal::OtherStates));
        b.states[0].next = Some(b.states[0].symbol);
        b.constraints.push(wraps);
        let constrained = b.clone().finish().unwrap();
        assert_eq!(over(&constrained, &[0]), Err(Refusal::OtherStates));
        b.constraints.clear();
        b.states[0].init = Some(b.pool.bool(true));
        let reached = b.finish().unwrap();
        assert_eq!(over(&reached, &[0]), Err(Refusal::BaseCase { cycle: 0 }));
    }

    /// The counter modulo three with a memory and a liveness property.
    fn counter() -> TransitionSystem {
        let mut b = modulo_three();
        b.state(Sort::Array { index: 2, element: 1 }, Some("memory")).unwrap();
        let some = b.pool.redor(b.states[0].symbol).unwrap();
        let kind = PropertyKind::Justice(vec![some]);
        b.properties.push(Property::new("live", kind));
        b.finish().unwrap()
    }

    fn literal(system: &TransitionSystem, bit: u32, positive: bool) -> StateBit {
        StateBit { state: system.states()[0].symbol, bit, positive }
    }

    /// count ≤ 3 and count ≠ 3
    fn invariant(system: &TransitionSystem) -> Vec<Vec<StateBit>> {
        let not = |bit| literal(system, bit, false);
        vec![vec![not(2)], vec![not(1), not(0)]]
    }

    /// Accepts good evidence for the counter, and checks it again after a change.
    fn check_corrupted<C>(
        good: fn(&TransitionSystem) -> C,
        evidence: fn(C) -> Certificate,
        corrupt: &dyn Fn(&mut C),
    ) -> Result<(), Refusal> {
        let system = counter();
        let check =
            |clauses| certificate(&system, PropertyId(0), &evidence(clauses), &Budget::default());
        assert_eq!(check(good(&system)), Ok(()));
        let mut clauses = good(&system);
        corrupt(&mut clauses);
        check(clauses)
    }

    fn check_k(system: &TransitionSystem, k: usize, simple_path: bool) -> Option<Refusal> {
        let evidence = Certificate::KInductive { k, simple_path };
        certificate(system, PropertyId(0), &evidence, &Budget::default()).err()
    }

    #[test]
    fn every_corruption_of_an_invariant_is_refused() {
        let system = counter();
        let refused = |corrupt: &dyn Fn(&mut Vec<Vec<StateBit>>)| {
            let evidence = |clauses| Certificate::Inductive { clauses };
            check_corrupted(invariant, evidence, corrupt).unwrap_err()
        };
        let initiation = Refusal::Initiation { clause: 0 };
        assert_eq!(refused(&|c| c[0][0].positive = true), initiation);
        assert_eq!(refused(&|c| c[0].clear()), initiation);
        assert_eq!(refused(&|c| drop(c.remove(1))), Refusal::Consecution { clause: 0 });
        assert_eq!(refused(&|c| c.clear()), Refusal::Safety);
        let (clause, literal) = (1, 0);
        let (state, bit, width) = ("count".into(), 3, 3);
        assert_eq!(
            refused(&|c| c[1][0].bit = 3),
            Refusal::BitOutOfRange { clause, literal, state, bit, width }
        );
        assert_eq!(
            refused(&|c| c[1][0].state = system.states()[1].symbol),
            Refusal::ArrayState { clause, literal, state: "memory".into() }
        );
        let not_a_state = Refusal::NotAState { clause, literal };
        let next = system.states()[0].next.unwrap();
        assert_eq!(refused(&|c| c[1][0].state = next), not_a_state);
        let mut larger = system.clone().into_builder().pool;
        let foreign = larger.symbol(Sort::Bv(9), None).unwrap();
        assert_eq!(refused(&|c| c[1][0].state = foreign), not_a_state);
    }

    /// count ≤ 3 as an inequality and count ≠ 3 as an equation
    fn facts(system: &TransitionSystem) -> Vec<Vec<Fact>> {
        let word = Word { state: system.states()[0].symbol, element: None };
        let reading = Reading::Unsigned;
        let terms = vec![LinearTerm { coefficient: 1.into(), word, reading }];
        let at_most = Fact::AtMost { terms: terms.clone(), bound: 3.into() };
        let differs = Fact::Modular { terms, width: 3, value: 3.into(), equal: false };
        vec![vec![at_most], vec![differs]]
    }

    #[test]
    fn every_corruption_of_facts_is_refused() {
        let system = counter();
        let check = |corrupt: &dyn Fn(&mut Vec<Vec<Fact>>)| {
            check_corrupted(facts, |clauses| Certificate::Facts { clauses }, corrupt)
        };
        let bound = |clauses: &mut Vec<Vec<Fact>>, to: i32| match &mut clauses[0][0] {
            Fact::AtMost { bound, .. } => *bound = to.into(),
            other => panic!("{other:?}"),
        };
        assert_eq!(check(&|c| bound(c, -1)), Err(Refusal::Initiation { clause: 0 }));
        assert_eq!(check(&|c| bound(c, 1)), Err(Refusal::Consecution { clause: 0 }));
        assert_eq!(check(&|c| bound(c, 7)), Err(Refusal::Safety));
        assert_eq!(check(&|c| drop(c.remove(1))), Err(Refusal::Consecution { clause: 0 }));
        assert_eq!(check(&|c| c.clear()), Err(Refusal::Safety));
        let bit = |state, element: Option<BitVec>, bit| {
            let word = Word { state, element };
            check(&|c| c[1].push(Fact::Bit { word: word.clone(), bit, value: true }))
        };
        let misfit =
            |error: FactError| Err(Refusal::Facts(ClauseError { clause: 1, literal: 1, error }));
        let (count, memory) = (system.states()[0].symbol, system.states()[1].symbol);
        let out_of_range = SortError::Slice { hi: 3, lo: 3, width: 3 };
        assert_eq!(bit(count, None, 3), misfit(out_of_range.into()));
        let whole = SortError::NotABitVector(Sort::Array { index: 2, element: 1 });
        assert_eq!(bit(memory, None, 0), misfit(whole.into()));
        let address = SortError::Width { found: 3, expected: 2 };
        assert_eq!(bit(memory, Some(BitVec::zero(3)), 0), misfit(address.into()));
        let next = system.states()[0].next.unwrap();
        assert_eq!(bit(next, None, 0), misfit(FactError::NotAState));
        let mut larger = system.clone().into_builder().pool;
        let foreign = larger.symbol(Sort::Bv(9), None).unwrap();
        assert_eq!(bit(foreign, None, 0), misfit(FactError::NotAState));
    }

    #[test]
    fn facts_about_inputs_are_refused() {
        let system = clearing();
        let input = Word { state: system.inputs()[0].symbol, element: None };
        let clauses = vec![vec![Fact::Bit { word: input, bit: 0, value: true }]];
        let evidence = Certificate::Facts { clauses };
        let refused = certificate(&system, PropertyId(0), &evidence, &Budget::default());
        let error = FactError::NotAState;
        assert_eq!(refused, Err(Refusal::Facts(ClauseError { clause: 0, literal: 0, error })));
    }

    #[test]
    fn k_induction_needs_the_right_k() {
        let system = counter();
        assert_eq!(check_k(&system, 0, false), Some(Refusal::ZeroDepth));
        assert_eq!(check_k(&system, 1, false), Some(Refusal::StepCase { k: 1 }));
        assert_eq!(check_k(&system, 2, false), Some(Refusal::StepCase { k: 2 }));
        assert_eq!(check_k(&system, 3, false), None);
        let mut b = system.into_builder();
        let [four, three] = [4, 3].map(|n| b.pool.constant(BitVec::new(3, n)));
        b.states[0].init = Some(four);
        let unsafe_system = b.clone().finish().unwrap();
        assert_eq!(check_k(&unsafe_system, 3, false), Some(Refusal::BaseCase { cycle: 1 }));
        b.states[0].init = Some(three);
        let unsafe_system = b.finish().unwrap();
        assert_eq!(check_k(&unsafe_system, 3, false), Some(Refusal::BaseCase { cycle: 2 }));
    }

    #[test]
    fn properties_and_budgets_are_checked_first() {
        let system = counter();
        let evidence = Certificate::KInductive { k: 3, simple_path: false };
        let check = |property, budget: &Budget| {
            certificate(&system, PropertyId(property), &evidence, budget).unwrap_err()
        };
        let budget = Budget::default();
        assert_eq!(check(7, &budget), Refusal::NoSuchProperty(PropertyId(7)));
        assert_eq!(check(1, &budget), Refusal::NotSafety("live".into()));
        let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert_eq!(check(0, &late), Refusal::OutOfBudget);
        let small = Budget { max_gates: 10, ..Budget::default() };
        assert_eq!(check(0, &small), Refusal::OutOfBudget);
        let endless = Certificate::KInductive { k: usize::MAX, simple_path: true };
        let small = Budget { max_gates: 100_000, ..Budget::default() };
        let refused = certificate(&system, PropertyId(0), &endless, &small);
        assert_eq!(refused, Err(Refusal::OutOfBudget));
    }

    /// A good state that may stay where it is, or step to the bad one: only the
    /// simple path leaves the loop. It is not reached from the initial one.
    fn looping(state: Sort) -> SystemBuilder {
        let mut b = SystemBuilder::new();
        let here = b.state(state, Some("here")).unwrap();
        let stay = b.input(Sort::BOOL, Some("stay")).unwrap();
        let value = |b: &mut SystemBuilder, n| {
            let constant = b.pool.constant(BitVec::new(2, n));
            match state {
                Sort::Bv(_) => constant,
                Sort::Array { index, .. } => b.pool.const_array(index, constant).unwrap(),
            }
        };
        let [start, middle, end] = [0, 1, 2].map(|n| value(&mut b, n));
        b.states[0].init = Some(start);
        let at_middle = b.pool.equal(here, middle).unwrap();
        let staying = b.pool.not(stay).unwrap();
        let leaves = b.pool.and(at_middle, staying).unwrap();
        b.states[0].next = Some(b.pool.ite(leaves, end, here).unwrap());
        let bad = b.pool.equal(here, end).unwrap();
        b.bad("end", bad);
        b
    }

    #[test]
    fn simple_paths_prove_more_with_words_and_with_memories() {
        for sort in [
            Sort::Bv(2),
            Sort::Array { index: 2, element: 2 },
            Sort::Array { index: 40, element: 2 },
        ] {
            let system = looping(sort).finish().unwrap();
            assert_eq!(check_k(&system, 5, false), Some(Refusal::StepCase { k: 5 }));
            assert_eq!(check_k(&system, 1, true), Some(Refusal::StepCase { k: 1 }));
            assert_eq!(check_k(&system, 2, true), None);
        }
    }

    /// The register starts at the input and keeps its value; bad when it is set
    /// and the input is not. Every shortest counterexample repeats its first
    /// state, which is initial only together with the first input.
    #[test]
    fn simple_paths_beware_of_initial_values_that_read_inputs() {
        let mut b = SystemBuilder::new();
        let kept = b.state(Sort::BOOL, None).unwrap();
        let input = b.input(Sort::BOOL, None).unwrap();
        b.states[0].init = Some(input);
        b.states[0].next = Some(kept);
        let unset = b.pool.not(input).unwrap();
        let bad = b.pool.and(kept, unset).unwrap();
        b.bad("lost", bad);
        let system = b.finish().unwrap();
        assert_eq!(check_k(&system, 1, true), Some(Refusal::BaseCase { cycle: 1 }));
    }

    /// Clears a memory of four bits up to address three; bad when done and a bit is left.
    fn clearing() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let memory = b.state(Sort::Array { index: 2, element: 1 }, Some("m")).unwrap();
        let p = b.state(Sort::Bv(2), Some("p")).unwrap();
        let i = b.input(Sort::Bv(2), Some("i")).unwrap();
        let pool = &mut b.pool;
        let three = pool.constant(BitVec::new(2, 3));
        let one = pool.constant(BitVec::one(2));
        let no = pool.bool(false);
        let busy = pool.binary(BinaryOp::Ult, p, three).unwrap();
        let above = pool.binary(BinaryOp::Add, p, one).unwrap();
        b.states[1].init = Some(pool.constant(BitVec::zero(2)));
        b.states[1].next = Some(pool.ite(busy, above, p).unwrap());
        b.states[0].next = Some(pool.write(memory, p, no).unwrap());
        let element = pool.read(memory, i).unwrap();
        let inside = pool.binary(BinaryOp::Ult, i, three).unwrap();
        let done = pool.equal(p, three).unwrap();
        let bad = pool.conjoin([element, inside, done]).unwrap();
        b.bad("left", bad);
        b.finish().unwrap()
    }

    /// A claim about the memory (0), `p` (1) and `i` (2).
    fn formula(claim: impl Fn(&mut Pool, [ExprId; 3]) -> ExprId) -> Formula {
        let mut pool = Pool::new();
        let memory = pool.symbol(Sort::Array { index: 2, element: 1 }, None).unwrap();
        let p = pool.symbol(Sort::Bv(2), None).unwrap();
        let i = pool.symbol(Sort::Bv(2), None).unwrap();
        let expr = claim(&mut pool, [memory, p, i]);
        Formula { pool, expr, symbols: vec![Role::State(0), Role::State(1), Role::Input(0)] }
    }

    fn check_formula(formula: Formula) -> Result<(), Refusal> {
        let evidence = Certificate::Formula(Box::new(formula));
        certificate(&clearing(), PropertyId(0), &evidence, &Budget::default())
    }

    /// i < p → m[i] = 0
    fn cleared(pool: &mut Pool, [memory, p, i]: [ExprId; 3]) -> ExprId {
        let element = pool.read(memory, i).unwrap();
        let inside = pool.binary(BinaryOp::Ult, i, p).unwrap();
        let zero = pool.not(element).unwrap();
        pool.implies(inside, zero).unwrap()
    }

    #[test]
    fn a_quantified_invariant_is_accepted() {
        assert_eq!(check_formula(formula(cleared)), Ok(()));
    }

    #[test]
    fn every_corruption_of_a_formula_is_refused() {
        let zero = |pool: &mut Pool, [memory, _, i]: [ExprId; 3]| {
            let element = pool.read(memory, i).unwrap();
            pool.not(element).unwrap()
        };
        assert_eq!(check_formula(formula(zero)), Err(Refusal::FormulaInitiation));
        let only_at_the_end = |pool: &mut Pool, symbols: [ExprId; 3]| {
            let three = pool.constant(BitVec::new(2, 3));
            let done = pool.equal(symbols[1], three).unwrap();
            let cleared = cleared(pool, symbols);
            pool.implies(done, cleared).unwrap()
        };
        assert_eq!(check_formula(formula(only_at_the_end)), Err(Refusal::FormulaConsecution));
        let nothing = |pool: &mut Pool, _| pool.bool(true);
        assert_eq!(check_formula(formula(nothing)), Err(Refusal::FormulaSafety));
        let mut misfit = formula(cleared);
        misfit.symbols[1] = Role::State(0);
        assert!(matches!(check_formula(misfit), Err(Refusal::Formula(_))));
    }
}
