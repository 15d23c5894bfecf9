//! Certificates as circuits: a second system that simulates the model and whose
//! property is inductive [Yu, Biere, Heljanko, CAV 2021; Yu, Froleyks, Biere,
//! Heljanko, FMCAD 2022].
//!
//! For an inductive invariant Inv this is the model with the property ¬bad ∧ Inv.
//!
//! For k-induction it is the model that remembers its last k-1 cycles. Copy i
//! (0 ≤ i < k-1, the oldest first) holds the states Lᵢ and inputs Xᵢ of a past cycle
//! and a flag bᵢ that says whether there was such a cycle; the newest copy, k-1,
//! is the model itself. Every cycle shifts the copies. At first no flag is set
//! and the past is arbitrary. The property says of the past what makes it one:
//!
//! - bᵢ ⇒ bᵢ₊₁;
//! - bᵢ ⇒ Lᵢ₊₁ = F(Lᵢ, Xᵢ) ∧ C(Lᵢ, Xᵢ) ∧ ¬bad(Lᵢ, Xᵢ);
//! - ¬bᵢ₋₁ ∧ bᵢ ⇒ Lᵢ is initial (the newest copy counts as set);
//! - and the newest copy is not bad.
//!
//! It is inductive exactly because the model's is k-inductive: a past of k-1
//! cycles and the newest one are the k good cycles of the step, and a shorter
//! past begins in an initial state, so that the base applies. States without
//! next or without initial value are left out of the equations; initial values
//! may depend on inputs, which are remembered too.
//!
//! Limits: that states differ on a simple path is not kept by a step that makes
//! room for a new state, so certificates with `simple_path` have no such circuit.

use rustc_hash::FxHashMap;

use crate::eval::cone;
use crate::evidence::{Certificate, StateBit};
use crate::expr::{Expr, ExprId, Pool, Sort};
use crate::system::{Property, PropertyId, PropertyKind, Role, SystemBuilder, TransitionSystem};

/// The largest number of nodes that remembering the past may add.
const MAX_COPIED: usize = 1 << 26;

/// A system that simulates a model, and what the two have in common.
#[derive(Clone, Debug)]
pub struct WitnessCircuit {
    pub system: TransitionSystem,
    /// Numbers of equal inputs: in the witness, in the model.
    pub shared_inputs: Vec<(usize, usize)>,
    /// Numbers of equal states: in the witness, in the model.
    pub shared_states: Vec<(usize, usize)>,
}

/// Why a certificate cannot be made a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CircuitError {
    #[error("property {} is not a safety property of the model", .0.0)]
    NotSafety(PropertyId),
    #[error("literal {literal} of clause {clause} is not a bit of a state")]
    NotAStateBit { clause: usize, literal: usize },
    #[error("k-induction needs a k of at least 1")]
    ZeroDepth,
    #[error("a k-induction over simple paths cannot be expressed as a circuit")]
    SimplePath,
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
        let known = property.0 < model.properties().len();
        let bad = if known { model.bad(property) } else { None };
        let bad = bad.ok_or(CircuitError::NotSafety(property))?;
        let mut builder = model.clone().into_builder();
        let claims = match certificate {
            Certificate::Inductive { clauses } => invariant(model, &mut builder.pool, clauses)?,
            Certificate::KInductive { k: 0, .. } => return Err(CircuitError::ZeroDepth),
            Certificate::KInductive { simple_path: true, .. } => {
                return Err(CircuitError::SimplePath);
            }
            &Certificate::KInductive { k, simple_path: false } => {
                remember(model, &mut builder, bad, k)?
            }
        };
        let pool = &mut builder.pool;
        let claimed = pool.conjoin(claims).expect(BITS);
        let refuted = pool.not(claimed).expect(BITS);
        let bad = pool.or(bad, refuted).expect(BITS);
        let name = model.property(property).name.clone();
        builder.properties = vec![Property { name, kind: PropertyKind::Bad(bad) }];
        builder.fairness.clear();
        builder.outputs.clear();
        builder.labels.clear();
        Ok(WitnessCircuit {
            system: builder.finish().expect("an extension of a well-formed system"),
            shared_inputs: (0..model.inputs().len()).map(|i| (i, i)).collect(),
            shared_states: (0..model.states().len()).map(|i| (i, i)).collect(),
        })
    }
}

const BITS: &str = "operators on bits";
const SORTS: &str = "the sorts of the original";

// ---- invariants ----------------------------------------------------------------

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

fn is_state_bit(model: &TransitionSystem, state: ExprId, bit: u32) -> bool {
    state.node() < model.pool().len()
        && matches!(model.role_of(state), Some(Role::State(_)))
        && matches!(model.pool().sort(state), Sort::Bv(width) if bit < width)
}

// ---- k-induction -----------------------------------------------------------------

/// A past cycle: its flag, and its copy of each symbol of the model.
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
    let parts = model.states().iter().flat_map(|s| [Some(s.symbol), s.init, s.next]).flatten();
    let roots = parts.chain(model.constraints().iter().copied()).chain([bad]);
    let size = cone(model.pool(), roots).len() + model.inputs().len() + 1;
    if size.saturating_mul(k - 1) > MAX_COPIED {
        return Err(CircuitError::TooLarge(k - 1));
    }
    // The newest copy is the model: its symbols stand for themselves.
    let newest = Past { flag: builder.pool.bool(true), symbols: FxHashMap::default() };
    let mut copies: Vec<Past> = (0..k - 1).map(|i| declare(model, builder, k - 1 - i)).collect();
    copies.push(newest);
    shift(model, builder, &copies);
    let mut claims = Vec::new();
    for pair in copies.windows(2) {
        claims.extend(claim_step(model, &mut builder.pool, bad, &pair[0], &pair[1]));
        claims.extend(claim_start(model, &mut builder.pool, &pair[0], &pair[1]));
    }
    Ok(claims)
}

/// The copy of what was `age` cycles ago.
fn declare(model: &TransitionSystem, builder: &mut SystemBuilder, age: usize) -> Past {
    let flag = builder.state(Sort::BOOL, Some(&format!("was@{age}"))).expect(SORTS);
    let names = (0..model.states().len()).map(|i| model.state_name(i));
    let states = model.states().iter().map(|state| state.symbol).zip(names);
    let names = (0..model.inputs().len()).map(|i| model.input_name(i));
    let inputs = model.inputs().iter().map(|input| input.symbol).zip(names);
    let mut symbols = FxHashMap::default();
    for (symbol, name) in states.chain(inputs) {
        let sort = model.pool().sort(symbol);
        let copy = builder.state(sort, Some(&format!("{name}@{age}"))).expect(SORTS);
        symbols.insert(symbol, copy);
    }
    Past { flag, symbols }
}

/// Each copy takes the values of the next younger one. `declare` has added the
/// states copy by copy, each beginning with its flag.
fn shift(model: &TransitionSystem, builder: &mut SystemBuilder, copies: &[Past]) {
    let no = builder.pool.bool(false);
    let count = model.states().len();
    let size = 1 + count + model.inputs().len();
    let symbols: Vec<ExprId> = (model.states().iter().map(|state| state.symbol))
        .chain(model.inputs().iter().map(|input| input.symbol))
        .collect();
    for (i, younger) in copies.iter().skip(1).enumerate() {
        let states = &mut builder.states[count + i * size..][..size];
        states[0].init = Some(no);
        states[0].next = Some(younger.flag);
        for (state, symbol) in states[1..].iter_mut().zip(&symbols) {
            state.next = Some(younger.of(*symbol));
        }
    }
}

impl Past {
    fn of(&self, symbol: ExprId) -> ExprId {
        self.symbols.get(&symbol).copied().unwrap_or(symbol)
    }
}

/// bᵢ ⇒ bᵢ₊₁ and bᵢ ⇒ Lᵢ₊₁ = F(Lᵢ, Xᵢ) ∧ C(Lᵢ, Xᵢ) ∧ ¬bad(Lᵢ, Xᵢ)
fn claim_step(
    model: &TransitionSystem,
    pool: &mut Pool,
    bad: ExprId,
    older: &Past,
    younger: &Past,
) -> Vec<ExprId> {
    let nexts: Vec<(ExprId, ExprId)> =
        model.states().iter().filter_map(|s| Some((s.symbol, s.next?))).collect();
    let roots = nexts.iter().map(|&(_, next)| next);
    let roots: Vec<ExprId> =
        roots.chain(model.constraints().iter().copied()).chain([bad]).collect();
    let copied = substitute(pool, &roots, &older.symbols);
    let mut holds = vec![younger.flag];
    for (&(symbol, _), &next) in nexts.iter().zip(&copied) {
        holds.push(pool.equal(younger.of(symbol), next).expect(SORTS));
    }
    let (bad, constraints) = copied[nexts.len()..].split_last().expect("bad is the last");
    holds.extend(constraints);
    holds.push(pool.not(*bad).expect(BITS));
    holds.into_iter().map(|claim| pool.implies(older.flag, claim).expect(BITS)).collect()
}

/// ¬bᵢ₋₁ ∧ bᵢ ⇒ Lᵢ is initial
fn claim_start(
    model: &TransitionSystem,
    pool: &mut Pool,
    older: &Past,
    younger: &Past,
) -> Vec<ExprId> {
    let inits: Vec<(ExprId, ExprId)> =
        model.states().iter().filter_map(|s| Some((s.symbol, s.init?))).collect();
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

/// The roots with other symbols in place of theirs, without recursion.
fn substitute(
    pool: &mut Pool,
    roots: &[ExprId],
    symbols: &FxHashMap<ExprId, ExprId>,
) -> Vec<ExprId> {
    let mut copies = symbols.clone();
    for node in cone(pool, roots.iter().copied()) {
        if !copies.contains_key(&node) {
            let copy = rebuild(pool, node, &copies);
            copies.insert(node, copy);
        }
    }
    roots.iter().map(|&root| copied(pool, &copies, root)).collect()
}

fn copied(pool: &mut Pool, copies: &FxHashMap<ExprId, ExprId>, id: ExprId) -> ExprId {
    let copy = copies[&id.regular()];
    if id.is_complement() { pool.not(copy).expect(SORTS) } else { copy }
}

fn rebuild(pool: &mut Pool, node: ExprId, copies: &FxHashMap<ExprId, ExprId>) -> ExprId {
    let sort = pool.sort(node);
    let expr = pool.get(node);
    let mut of = |id| copied(pool, copies, id);
    let built = match expr {
        Expr::Const(_) | Expr::Symbol(_) => Ok(node),
        Expr::Unary(op, a) => {
            let a = of(a);
            pool.unary(op, a)
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (of(a), of(b));
            pool.binary(op, a, b)
        }
        Expr::Slice { arg, hi, lo } => {
            let arg = of(arg);
            pool.slice(arg, hi, lo)
        }
        Expr::Uext { arg, by } => {
            let arg = of(arg);
            pool.uext(arg, by)
        }
        Expr::Sext { arg, by } => {
            let arg = of(arg);
            pool.sext(arg, by)
        }
        Expr::Ite(c, t, e) => {
            let (c, t, e) = (of(c), of(t), of(e));
            pool.ite(c, t, e)
        }
        Expr::Read(array, index) => {
            let (array, index) = (of(array), of(index));
            pool.read(array, index)
        }
        Expr::Write(array, index, element) => {
            let (array, index, element) = (of(array), of(index), of(element));
            pool.write(array, index, element)
        }
        Expr::ConstArray(element) => {
            let Sort::Array { index, .. } = sort else {
                unreachable!("constant arrays are arrays")
            };
            let element = of(element);
            pool.const_array(index, element)
        }
        Expr::ArrayEq(a, b) => {
            let (a, b) = (of(a), of(b));
            pool.equal(a, b)
        }
    };
    built.expect(SORTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Simulator;
    use crate::expr::BinaryOp;
    use crate::value::{BitVec, Value};

    /// Counts by an input of one bit; bad at nine.
    fn counter() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(4), Some("count")).unwrap();
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
            assert_eq!(system.states().len(), 1 + 3 * (k - 1));
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
