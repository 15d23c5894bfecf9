//! Certificates as circuits: a second system that simulates the model and whose
//! property is inductive [Yu, Biere, Heljanko, CAV 2021; Yu, Froleyks, Biere,
//! Heljanko, FMCAD 2022].
//!
//! For an inductive invariant Inv, over bits or over words, this is the model with the property ¬bad ∧ Inv.
//!
//! For k-induction it is the model that remembers its last k-1 cycles. Copy i
//! (0 ≤ i < k-1, the oldest first) holds the states Lᵢ and inputs Xᵢ of a past cycle
//! and a flag bᵢ that says whether there was such a cycle; the newest copy, k-1,
//! is the model itself. Every cycle shifts the copies. At first no flag is set
//! and the past is arbitrary. The property says of the past what makes it one:
//!
//! - bᵢ ⇒ Lᵢ₊₁ = F(Lᵢ, Xᵢ) ∧ C(Lᵢ, Xᵢ) ∧ ¬bad(Lᵢ, Xᵢ);
//! - ¬bᵢ₋₁ ∧ bᵢ ⇒ Lᵢ is initial (the flag of the newest copy is constantly set);
//! - and the newest copy is not bad.
//!
//! It is inductive exactly because the model's is k-inductive. Take the copies
//! whose flags are set, from the newest on back to the first gap. If there is no
//! gap, they are the k good cycles of the step; otherwise the oldest of them is
//! initial, and the base applies. States without next or without initial value
//! are left out of the equations; initial values may depend on inputs, which are
//! remembered too. States and inputs without influence on the property and the
//! constraints are not remembered.
//!
//! For a ranking it is the model with its observers (`circuit/ranked.rs`).
//!
//! Limits: that states differ on a simple path is not kept by a step that makes
//! room for a new state, so certificates with `simple_path` have no such circuit. Nor
//! have formulas that are quantified over inputs: their claim is inductive for each value,
//! but implies ¬bad only for that of the cycle.

mod ranked;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::copy::{import, substitute};
use crate::eval::cone;
use crate::evidence::{Certificate, StateBit};
use crate::expr::{ExprId, Pool, Sort};
use crate::fact::{ClauseError, Fact, clauses_to_exprs, is_state};
use crate::formula::{Formula, FormulaError, Mentioned};
use crate::ranking::RankingError;
use crate::system::{Property, PropertyId, Role, State, SystemBuilder, TransitionSystem};

/// The largest number of nodes that remembering the past may add.
const MAX_COPIED: usize = 1 << 26;

/// A system that simulates a model, and what the two have in common.
#[derive(Clone, Debug)]
pub struct WitnessCircuit {
    /// The witness circuit as a transition system.
    pub system: TransitionSystem,
    /// Numbers of equal inputs: in the witness, in the model.
    pub shared_inputs: Vec<(usize, usize)>,
    /// Numbers of equal states: in the witness, in the model.
    pub shared_states: Vec<(usize, usize)>,
    /// How the conditions of a liveness property read the second state of a relation.
    pub interventions: Vec<Intervention>,
}

/// A place where the conditions of a witness circuit read the second of two states.
///
/// The fairness constraints and justice conditions of a witness circuit are relations between two
/// states. They are evaluated in the first one, except that `target` has the value that `symbol`
/// has in the second one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Intervention {
    /// The symbol of an input or a state.
    pub symbol: ExprId,
    /// Any expression of the same sort, often an input that nothing else mentions.
    pub target: ExprId,
}

/// Why a certificate cannot be made a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CircuitError {
    /// The certificate is about a property of another kind.
    #[error("property {} is not a safety property of the model", .0.0)]
    NotSafety(PropertyId),
    /// The proof is of another kind.
    #[error("the proof is not an inductive invariant")]
    NotAnInvariant,
    /// The ranking does not fit the model.
    #[error(transparent)]
    Ranking(#[from] RankingError),
    /// A literal of a clause is not a bit of a state of the model.
    #[error("literal {literal} of clause {clause} is not a bit of a state")]
    NotAStateBit {
        /// The position of the clause.
        clause: usize,
        /// The position of the literal in its clause.
        literal: usize,
    },
    /// A fact does not fit the model.
    #[error(transparent)]
    Facts(#[from] ClauseError),
    /// The k of a k-induction is zero.
    #[error("k-induction needs a k of at least 1")]
    ZeroDepth,
    /// The proof compares the states of a path with each other.
    #[error("a k-induction over simple paths cannot be expressed as a circuit")]
    SimplePath,
    /// The invariant holds for all values of some inputs.
    #[error("an invariant that is quantified over inputs cannot be expressed as a circuit")]
    Quantified,
    /// The invariant does not fit the model.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The circuit would have to store too many past cycles.
    #[error("remembering {0} cycles of this model needs too much memory")]
    TooLarge(usize),
}

impl WitnessCircuit {
    /// The circuit of a certificate. The model's inputs and states come first,
    /// in their order. Whether it proves anything is for the checker to say.
    pub fn from_certificate(
        model: &TransitionSystem,
        property: PropertyId,
        certificate: &Certificate,
    ) -> Result<WitnessCircuit, CircuitError> {
        if let Certificate::Ranking(ranking) = certificate {
            return ranked::circuit(model, property, ranking);
        }
        let known = property.0 < model.properties().len();
        let bad = if known { model.bad(property) } else { None };
        let bad = bad.ok_or(CircuitError::NotSafety(property))?;
        let mut builder = model.clone().into_builder();
        let claimed = match certificate {
            Certificate::Inductive { .. } | Certificate::Facts { .. } | Certificate::Formula(_) => {
                certificate.invariant(model, &mut builder.pool)?
            }
            Certificate::KInductive { k: 0, .. } => return Err(CircuitError::ZeroDepth),
            Certificate::KInductive { simple_path: true, .. } => {
                return Err(CircuitError::SimplePath);
            }
            &Certificate::KInductive { k, simple_path: false } => {
                let claims = remember(model, &mut builder, bad, k)?;
                builder.pool.conjoin(claims).expect(BITS)
            }
            Certificate::Ranking(_) => unreachable!("rankings were handled before"),
        };
        let pool = &mut builder.pool;
        let refuted = pool.not(claimed).expect(BITS);
        let bad = pool.or(bad, refuted).expect(BITS);
        let name = model.property(property).name.clone();
        builder.properties = vec![Property::bad(name, bad)];
        builder.fairness.clear();
        Ok(WitnessCircuit::extending(model, builder, Vec::new()))
    }

    /// A witness circuit that has all inputs and states of the model, and further ones after
    /// them.
    fn extending(
        model: &TransitionSystem,
        mut builder: SystemBuilder,
        interventions: Vec<Intervention>,
    ) -> Self {
        builder.outputs.clear();
        builder.labels.clear();
        WitnessCircuit {
            system: builder.finish().expect("an extension of a well-formed system"),
            shared_inputs: (0..model.inputs().len()).map(|i| (i, i)).collect(),
            shared_states: (0..model.states().len()).map(|i| (i, i)).collect(),
            interventions,
        }
    }
}

const BITS: &str = "operators on bits";
const SORTS: &str = "the sorts of the original";

// ---- invariants ----------------------------------------------------------------

impl Certificate {
    /// The invariant as a bit over the states of the model, in a pool that extends the model's.
    ///
    /// # Errors
    /// If the proof is not an invariant over states, or does not fit the model.
    pub fn invariant(
        &self,
        model: &TransitionSystem,
        pool: &mut Pool,
    ) -> Result<ExprId, CircuitError> {
        let claims = match self {
            Certificate::Inductive { clauses } => invariant(model, pool, clauses)?,
            Certificate::Facts { clauses } => facts(model, pool, clauses)?,
            Certificate::Formula(formula) => vec![claim(model, pool, formula)?],
            Certificate::KInductive { .. } | Certificate::Ranking(_) => {
                return Err(CircuitError::NotAnInvariant);
            }
        };
        Ok(pool.conjoin(claims).expect(BITS))
    }
}

fn invariant(
    model: &TransitionSystem,
    pool: &mut Pool,
    clauses: &[Vec<StateBit>],
) -> Result<Vec<ExprId>, CircuitError> {
    let mut claims = Vec::with_capacity(clauses.len());
    for (clause, literals) in clauses.iter().enumerate() {
        let mut bits = Vec::with_capacity(literals.len());
        for (literal, &StateBit { state, bit, positive }) in literals.iter().enumerate() {
            if !is_state_bit(model, state, bit) {
                return Err(CircuitError::NotAStateBit { clause, literal });
            }
            let expr = pool.slice(state, bit, bit).expect(SORTS);
            bits.push(if positive { expr } else { pool.not(expr).expect(BITS) });
        }
        claims.push(pool.disjoin(bits).expect(BITS));
    }
    Ok(claims)
}

/// One claim for each clause.
fn facts(
    model: &TransitionSystem,
    pool: &mut Pool,
    clauses: &[Vec<Fact>],
) -> Result<Vec<ExprId>, CircuitError> {
    let clauses = clauses_to_exprs(model, pool, clauses)?;
    Ok(clauses.into_iter().map(|facts| pool.disjoin(facts).expect(BITS)).collect())
}

/// The claim of a formula that mentions states alone.
fn claim(
    model: &TransitionSystem,
    pool: &mut Pool,
    formula: &Formula,
) -> Result<ExprId, CircuitError> {
    let mut meaning = FxHashMap::default();
    for Mentioned { symbol, role, original } in formula.mentioned(model)? {
        match role {
            Role::State(_) => meaning.insert(symbol, original),
            Role::Input(_) => return Err(CircuitError::Quantified),
        };
    }
    Ok(import(pool, &formula.pool, formula.expr, &meaning))
}

fn is_state_bit(model: &TransitionSystem, state: ExprId, bit: u32) -> bool {
    is_state(model, state) && matches!(model.pool().sort(state), Sort::Bv(width) if bit < width)
}

// ---- k-induction -----------------------------------------------------------------

/// What is remembered of a cycle: all on which the property depends.
struct Memory<'a> {
    model: &'a TransitionSystem,
    bad: ExprId,
    states: Vec<State>,
    /// States, then inputs, with their names.
    symbols: Vec<(ExprId, String)>,
}

/// A past cycle: its flag, and its copy of each remembered symbol.
struct Past {
    flag: ExprId,
    symbols: FxHashMap<ExprId, ExprId>,
}

/// Adds the past to the builder; returns the claims about it.
fn remember(
    model: &TransitionSystem,
    builder: &mut SystemBuilder,
    bad: ExprId,
    k: usize,
) -> Result<Vec<ExprId>, CircuitError> {
    let constraints = model.constraints().iter().copied();
    let states = model.cone_of_influence(constraints.clone().chain([bad]));
    let parts = states.iter().map(|&index| model.states()[index]);
    let parts = parts.flat_map(|s| [Some(s.symbol), s.init, s.next]).flatten();
    let nodes = cone(model.pool(), parts.chain(constraints).chain([bad]));
    if (nodes.len() + 1).saturating_mul(k - 1) > MAX_COPIED {
        return Err(CircuitError::TooLarge(k - 1));
    }
    let memory = Memory::new(model, bad, states, &nodes);
    let mut copies: Vec<Past> = (1..k).rev().map(|age| memory.declare(builder, age)).collect();
    // The newest copy is the model: its symbols stand for themselves.
    copies.push(Past { flag: builder.pool.bool(true), symbols: FxHashMap::default() });
    memory.shift(builder, &copies);
    let mut claims = Vec::new();
    for pair in copies.windows(2) {
        claims.extend(memory.claim_step(&mut builder.pool, &pair[0], &pair[1]));
        claims.extend(memory.claim_start(&mut builder.pool, &pair[0], &pair[1]));
    }
    Ok(claims)
}

impl<'a> Memory<'a> {
    fn new(
        model: &'a TransitionSystem,
        bad: ExprId,
        states: BTreeSet<usize>,
        nodes: &[ExprId],
    ) -> Self {
        let input = |&node: &ExprId| match model.role_of(node) {
            Some(Role::Input(index)) => Some((node, model.input_name(index))),
            Some(Role::State(_)) | None => None,
        };
        let state = |&index: &usize| (model.states()[index].symbol, model.state_name(index));
        let symbols = states.iter().map(state).chain(nodes.iter().filter_map(input)).collect();
        let states = states.iter().map(|&index| model.states()[index]).collect();
        Memory { model, bad, states, symbols }
    }

    /// The copy of what was `age` cycles ago.
    fn declare(&self, builder: &mut SystemBuilder, age: usize) -> Past {
        let flag = builder.state(Sort::BOOL, Some(&format!("was@{age}"))).expect(SORTS);
        let mut symbols = FxHashMap::default();
        for (symbol, name) in &self.symbols {
            let sort = self.model.pool().sort(*symbol);
            let copy = builder.state(sort, Some(&format!("{name}@{age}"))).expect(SORTS);
            symbols.insert(*symbol, copy);
        }
        Past { flag, symbols }
    }

    /// Each copy takes the values of the next younger one. `declare` has added the
    /// states copy by copy, each beginning with its flag.
    fn shift(&self, builder: &mut SystemBuilder, copies: &[Past]) {
        let no = builder.pool.bool(false);
        let states = &mut builder.states[self.model.states().len()..];
        for (older, younger) in states.chunks_mut(1 + self.symbols.len()).zip(&copies[1..]) {
            older[0].init = Some(no);
            older[0].next = Some(younger.flag);
            for (state, (symbol, _)) in older[1..].iter_mut().zip(&self.symbols) {
                state.next = Some(younger.of(*symbol));
            }
        }
    }

    /// bᵢ ⇒ Lᵢ₊₁ = F(Lᵢ, Xᵢ) ∧ C(Lᵢ, Xᵢ) ∧ ¬bad(Lᵢ, Xᵢ)
    fn claim_step(&self, pool: &mut Pool, older: &Past, younger: &Past) -> Vec<ExprId> {
        let nexts: Vec<(ExprId, ExprId)> =
            self.states.iter().filter_map(|s| Some((s.symbol, s.next?))).collect();
        let constraints = self.model.constraints().iter().copied();
        let roots = nexts.iter().map(|&(_, next)| next).chain(constraints).chain([self.bad]);
        let copied = substitute(pool, &roots.collect::<Vec<_>>(), &older.symbols);
        let mut holds = Vec::with_capacity(copied.len());
        for (&(symbol, _), &next) in nexts.iter().zip(&copied) {
            holds.push(pool.equal(younger.of(symbol), next).expect(SORTS));
        }
        let (bad, constraints) = copied[nexts.len()..].split_last().expect("bad is the last");
        holds.extend(constraints);
        holds.push(pool.not(*bad).expect(BITS));
        holds.into_iter().map(|claim| pool.implies(older.flag, claim).expect(BITS)).collect()
    }

    /// ¬bᵢ₋₁ ∧ bᵢ ⇒ Lᵢ is initial
    fn claim_start(&self, pool: &mut Pool, older: &Past, younger: &Past) -> Vec<ExprId> {
        let inits: Vec<(ExprId, ExprId)> =
            self.states.iter().filter_map(|s| Some((s.symbol, s.init?))).collect();
        let roots: Vec<ExprId> = inits.iter().map(|&(_, init)| init).collect();
        let copied = substitute(pool, &roots, &younger.symbols);
        let none_older = pool.not(older.flag).expect(BITS);
        let starts = pool.and(none_older, younger.flag).expect(BITS);
        let mut claims = Vec::with_capacity(inits.len());
        for (&(symbol, _), &init) in inits.iter().zip(&copied) {
            let initial = pool.equal(younger.of(symbol), init).expect(SORTS);
            claims.push(pool.implies(starts, initial).expect(BITS));
        }
        claims
    }
}

impl Past {
    fn of(&self, symbol: ExprId) -> ExprId {
        self.symbols.get(&symbol).copied().unwrap_or(symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Simulator;
    use crate::fact::{FactError, LinearTerm, Reading, Word};
    use crate::operator::BinaryOp;
    use crate::value::{BitVec, Value};

    /// Counts by an input of one bit; bad at nine. One state has no influence.
    fn counter() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(4), Some("count")).unwrap();
        let unused = b.state(Sort::BOOL, Some("unused")).unwrap();
        b.states[1].next = Some(unused);
        let by = b.input(Sort::BOOL, Some("by")).unwrap();
        b.states[0].init = Some(b.pool.constant(BitVec::zero(4)));
        let step = b.pool.uext(by, 3).unwrap();
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, step).unwrap());
        let nine = b.pool.constant(BitVec::new(4, 9));
        let bad = b.pool.equal(count, nine).unwrap();
        b.bad("nine", bad);
        b.finish().unwrap()
    }

    fn k_inductive(k: usize) -> Certificate {
        Certificate::KInductive { k, simple_path: false }
    }

    /// The property of the witness holds as long as that of the model does, for
    /// it says only what is true of the past.
    #[test]
    fn the_past_is_remembered_as_it_was() {
        let model = counter();
        for k in 1..5 {
            let circuit =
                WitnessCircuit::from_certificate(&model, PropertyId(0), &k_inductive(k)).unwrap();
            let system = &circuit.system;
            assert_eq!(system.states().len(), 2 + 3 * (k - 1));
            let bad = system.bad(PropertyId(0)).unwrap();
            let input = |bit: bool| vec![Value::Bv(BitVec::bool(bit))];
            let arbitrary = |i: usize| {
                let width = system.pool().width(system.states()[i].symbol);
                Value::Bv(BitVec::ones(width))
            };
            let mut simulator = Simulator::new(system, arbitrary, input(true));
            let steps = [true, false, true, true, true, false, true, true, true, true];
            for (cycle, &by) in steps.iter().enumerate() {
                let nine = *simulator.states()[0].bv() == BitVec::new(4, 9);
                assert_eq!(simulator.holds(bad), nine, "k = {k}, cycle {cycle}");
                simulator.step(|_| unreachable!(), input(by));
            }
        }
    }

    /// That a state or an input is zero.
    fn is_zero(sort: Sort, role: Role) -> Formula {
        let mut pool = Pool::new();
        let symbol = pool.symbol(sort, None).unwrap();
        let some = pool.redor(symbol).unwrap();
        Formula { expr: pool.not(some).unwrap(), pool, symbols: vec![role] }
    }

    /// Bad is what violates the formula, here before the count is nine.
    #[test]
    fn a_formula_about_states_is_the_property() {
        let model = counter();
        let certificate = Certificate::Formula(Box::new(is_zero(Sort::Bv(4), Role::State(0))));
        let circuit =
            WitnessCircuit::from_certificate(&model, PropertyId(0), &certificate).unwrap();
        let system = &circuit.system;
        assert_eq!((system.inputs().len(), system.states().len()), (1, 2));
        let bad = system.bad(PropertyId(0)).unwrap();
        let input = |bit: bool| vec![Value::Bv(BitVec::bool(bit))];
        let mut simulator = Simulator::new(system, |_| BitVec::zero(1).into(), input(false));
        for (by, expected) in [(true, false), (false, false), (false, true)] {
            assert_eq!(simulator.holds(bad), expected);
            simulator.step(|_| unreachable!(), input(by));
        }
    }

    /// The same for facts: 2·count ≤ 3.
    #[test]
    fn facts_about_states_are_the_property() {
        let model = counter();
        let fact = |state| {
            let word = Word { state, element: None };
            let (coefficient, reading) = (2.into(), Reading::Unsigned);
            let terms = vec![LinearTerm { coefficient, word, reading }];
            Certificate::Facts { clauses: vec![vec![Fact::AtMost { terms, bound: 3.into() }]] }
        };
        let build =
            |certificate| WitnessCircuit::from_certificate(&model, PropertyId(0), &certificate);
        let system = build(fact(model.states()[0].symbol)).unwrap().system;
        assert_eq!((system.inputs().len(), system.states().len()), (1, 2));
        let bad = system.bad(PropertyId(0)).unwrap();
        let input = vec![Value::Bv(BitVec::bool(true))];
        let mut simulator = Simulator::new(&system, |_| BitVec::zero(1).into(), input.clone());
        for expected in [false, false, true] {
            assert_eq!(simulator.holds(bad), expected);
            simulator.step(|_| unreachable!(), input.clone());
        }
        let refused = build(fact(model.inputs()[0].symbol)).unwrap_err();
        let error = FactError::NotAState;
        assert_eq!(refused, CircuitError::Facts(ClauseError { clause: 0, literal: 0, error }));
    }

    #[test]
    fn what_has_no_circuit_is_refused() {
        let model = counter();
        let build = |property, certificate: Certificate| {
            WitnessCircuit::from_certificate(&model, PropertyId(property), &certificate)
                .unwrap_err()
        };
        let simple = Certificate::KInductive { k: 2, simple_path: true };
        assert_eq!(build(0, simple), CircuitError::SimplePath);
        assert_eq!(build(0, k_inductive(0)), CircuitError::ZeroDepth);
        let formula = |role| Certificate::Formula(Box::new(is_zero(Sort::BOOL, role)));
        assert_eq!(build(0, formula(Role::Input(0))), CircuitError::Quantified);
        let unknown = CircuitError::Formula(FormulaError::UnknownSymbol(0));
        assert_eq!(build(0, formula(Role::State(2))), unknown);
        assert_eq!(build(1, k_inductive(1)), CircuitError::NotSafety(PropertyId(1)));
        assert_eq!(build(0, k_inductive(usize::MAX)), CircuitError::TooLarge(usize::MAX - 1));
        let literal = |state, bit| Certificate::Inductive {
            clauses: vec![vec![], vec![StateBit { state, bit, positive: true }]],
        };
        let count = model.states()[0].symbol;
        let wrong = CircuitError::NotAStateBit { clause: 1, literal: 0 };
        assert_eq!(build(0, literal(count, 4)), wrong);
        assert_eq!(build(0, literal(model.inputs()[0].symbol, 0)), wrong);
    }
}
