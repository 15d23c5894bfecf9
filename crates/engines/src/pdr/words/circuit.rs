//! The system as one circuit: its words in this state and in the next, its constraints and
//! bad bits, and a comparator for each atom that is asked about.
//!
//! Inequalities never overflow: the words are extended before they are multiplied and
//! added, so that the sum and the bound fit.
//! Sums in the next state are made in `steps`.

use std::rc::Rc;

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use elinvar_ir::{
    BinaryOp, BitVec, ExprId, PropertyId, Reading, Sort, StopReason, TransitionSystem, Word, cone,
};
use elinvar_logic::arrays::{ArrayTerm, Arrays};
use elinvar_logic::blast::{Blasted, blast, cost};
use elinvar_logic::{Aig, AigLit, words};
use rustc_hash::FxHashMap;

use super::atom::{Atom, Atoms, Shape, bits};
use super::steps::{Case, Changes, MAX_LOOKS, Sum, total};
use crate::engine::EngineError;
use crate::run::Run;

/// Gates beyond this are refused.
const MAX_GATES: u64 = 50_000_000;

/// A word of the state.
#[derive(Clone, Debug)]
pub(super) struct WordInfo {
    /// Its place in the states of the system.
    pub state: usize,
    pub symbol: ExprId,
    pub name: Word,
    pub width: u32,
    pub reading: Reading,
    /// Only logic is done with it: in a polytope, too, it is a matter of bits.
    pub is_logic: bool,
    /// None: any value may follow.
    pub next: Option<ExprId>,
    pub init: Init,
}

impl WordInfo {
    pub fn extremes(&self) -> (IBig, IBig) {
        self.reading.range(self.width).into_inner()
    }
}

/// The initial value of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Init {
    Constant(BitVec),
    Free,
    Expression(ExprId),
}

pub(super) struct Circuit {
    pub aig: Aig,
    pub arrays: Arrays,
    /// By word.
    current: Vec<Vec<AigLit>>,
    next: Vec<Vec<AigLit>>,
    /// By word: what becomes of it in a step.
    cases: Vec<Rc<Case>>,
    /// By input of the system; those that matter and are not memories.
    pub inputs: Vec<Option<Vec<AigLit>>>,
    pub constraints: Vec<AigLit>,
    pub bads: Vec<AigLit>,
    /// What initial values that are not constants must satisfy.
    pub initial: Vec<AigLit>,
    /// By atom.
    now: Vec<Option<AigLit>>,
    later: Vec<Option<AigLit>>,
}

impl Circuit {
    pub fn new(
        system: &TransitionSystem,
        all: &[WordInfo],
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Self, EngineError> {
        let pool = system.pool();
        let (mut aig, mut arrays) = (Aig::new(), Arrays::new());
        aig.watch(run.watch());
        let mut blasted: FxHashMap<ExprId, Blasted> = FxHashMap::default();
        let mut current = Vec::with_capacity(all.len());
        for word in all {
            let lits: Vec<AigLit> = (0..word.width).map(|_| aig.input()).collect();
            blasted.insert(word.symbol, Blasted::Word(lits.clone()));
            current.push(lits);
        }
        let bads: Vec<ExprId> =
            properties.iter().map(|&id| system.bad(id).expect("a safety property")).collect();
        let states: Vec<usize> = system
            .cone_of_influence(bads.iter().chain(system.constraints()).copied())
            .into_iter()
            .collect();
        let in_states = states.iter().map(|&index| system.states()[index]);
        let roots = in_states.flat_map(|state| state.next.into_iter().chain(state.init));
        let roots = roots.chain(bads.iter().copied()).chain(system.constraints().iter().copied());
        let nodes = cone(pool, roots);
        let costs = nodes.iter().map(|&node| cost(pool, &pool.get(node)));
        let gates = costs.fold(0u64, u64::saturating_add);
        if gates > MAX_GATES {
            let message = format!("the arithmetic of this model needs about {gates} gates");
            return Err(EngineError::TooLarge(message));
        }
        let mut inputs = vec![None; system.inputs().len()];
        for node in nodes {
            if blasted.contains_key(&node) {
                continue;
            }
            let translation = match (pool.as_symbol(node), pool.sort(node)) {
                (Some(_), Sort::Bv(width)) => {
                    let lits: Vec<AigLit> = (0..width).map(|_| aig.input()).collect();
                    if let Some(elinvar_ir::Role::Input(index)) = system.role_of(node) {
                        inputs[index] = Some(lits.clone());
                    }
                    Blasted::Word(lits)
                }
                (Some(_), Sort::Array { index, element }) => {
                    Blasted::Array(arrays.base(index, element))
                }
                (None, sort) => {
                    let operand = |id: ExprId| lookup(&blasted, id);
                    blast(&mut aig, &mut arrays, sort, &pool.get(node), operand)
                }
            };
            blasted.insert(node, translation);
        }
        let word = |id: ExprId| lookup(&blasted, id).word();
        let array = |id: ExprId| lookup(&blasted, id).array();
        let mut initial = Vec::new();
        let next: Vec<Vec<AigLit>> = all
            .iter()
            .map(|info| match info.next {
                Some(next) => word(next),
                None => (0..info.width).map(|_| aig.input()).collect(),
            })
            .collect();
        let mut cases = Vec::with_capacity(all.len());
        for (number, info) in all.iter().enumerate() {
            let before = &current[number];
            let mut changes = Changes { pool, blasted: &blasted, info, before, left: MAX_LOOKS };
            cases.push(match info.next {
                Some(next) => changes.of(&mut aig, next),
                None => changes.replaced(&mut aig, next[number].clone()),
            });
        }
        for (info, lits) in all.iter().zip(&current) {
            if let Init::Expression(init) = info.init {
                initial.push(words::equal(&mut aig, lits, &word(init)));
            }
        }
        for &index in &states {
            let state = system.states()[index];
            if let (true, Some(init)) = (pool.sort(state.symbol).is_array(), state.init) {
                let (a, b): (ArrayTerm, ArrayTerm) = (array(state.symbol), array(init));
                initial.push(arrays.equal(&mut aig, a, b));
            }
        }
        if aig.unwatch() {
            return Err(EngineError::Stopped(run.passed().unwrap_or(StopReason::Cancelled)));
        }
        Ok(Circuit {
            constraints: system.constraints().iter().map(|&id| word(id)[0]).collect(),
            bads: bads.iter().map(|&id| word(id)[0]).collect(),
            aig,
            arrays,
            current,
            next,
            cases,
            inputs,
            initial,
            now: Vec::new(),
            later: Vec::new(),
        })
    }

    pub fn current(&self, word: usize) -> &[AigLit] {
        &self.current[word]
    }

    /// The value of a word in the next state.
    pub fn next(&self, word: usize) -> &[AigLit] {
        &self.next[word]
    }

    /// The atom in this state.
    pub fn now(&mut self, all: &[WordInfo], atoms: &Atoms, atom: Atom) -> AigLit {
        let Circuit { aig, current, now, .. } = self;
        now.resize(now.len().max(atom.index() + 1), None);
        *now[atom.index()].get_or_insert_with(|| compare(aig, all, current, atoms.shape(atom)))
    }

    /// The atom in the next state.
    pub fn later(&mut self, all: &[WordInfo], atoms: &Atoms, atom: Atom) -> AigLit {
        let Circuit { aig, current, next, cases, later, .. } = self;
        later.resize(later.len().max(atom.index() + 1), None);
        *later[atom.index()].get_or_insert_with(|| {
            let shape = atoms.shape(atom);
            let terms: &[(i64, usize)] = match shape {
                Shape::AtMost { terms, .. } if terms.len() > 1 => terms,
                Shape::Differs { terms, .. } => terms,
                Shape::Bit { .. } | Shape::AtMost { .. } => &[],
            };
            let is_modular = matches!(shape, Shape::Differs { .. });
            let sum = Sum { all, terms, current, is_modular };
            let changes: Vec<Rc<Case>> =
                terms.iter().map(|&(_, word)| Rc::clone(&cases[word])).collect();
            let width = sum_width(all, shape).filter(|_| !terms.is_empty());
            let mut left = MAX_LOOKS;
            match width.and_then(|width| sum.after(aig, width, changes, &mut left)) {
                Some(sum) => compare_sum(aig, shape, &sum),
                None => compare(aig, all, next, shape),
            }
        })
    }
}

pub(super) fn lookup(blasted: &FxHashMap<ExprId, Blasted>, id: ExprId) -> Blasted {
    match blasted.get(&id) {
        Some(found) => found.clone(),
        None => {
            let regular = blasted[&id.regular()].clone().word();
            Blasted::Word(regular.into_iter().map(|lit| !lit).collect())
        }
    }
}

/// A literal for what a shape says of words that have these bits.
fn compare(aig: &mut Aig, all: &[WordInfo], values: &[Vec<AigLit>], shape: &Shape) -> AigLit {
    let terms = match shape {
        &Shape::Bit { word, bit, value } => {
            return values[word][bit as usize].complement_if(!value);
        }
        Shape::AtMost { terms, bound } => {
            if let &[(c @ (1 | -1), word)] = &terms[..] {
                return bounded(aig, &all[word], &values[word], c, bound);
            }
            terms
        }
        Shape::Differs { terms, .. } => terms,
    };
    let Some(width) = sum_width(all, shape) else { return constant(all, shape) };
    let coefficients: Vec<i64> = terms.iter().map(|&(c, _)| c).collect();
    let sum = total(aig, &coefficients, width, |index| {
        let word = terms[index].1;
        (&values[word], all[word].reading)
    });
    compare_sum(aig, shape, &sum)
}

/// x ≤ bound, or x ≥ -bound: not less.
fn bounded(aig: &mut Aig, info: &WordInfo, value: &Vec<AigLit>, sign: i64, bound: &IBig) -> AigLit {
    let bound = bound * sign;
    let (least, greatest) = info.extremes();
    if bound < least || bound > greatest {
        // x ≤ bound is true where the bound is large, x ≥ bound where it is small.
        return AigLit::constant((bound > greatest) == (sign > 0));
    }
    let less = match info.reading {
        Reading::Signed => BinaryOp::Slt,
        Reading::Unsigned => BinaryOp::Ult,
    };
    let limit = words::constant(&bits(&bound, info.width));
    let (a, b) = if sign > 0 { (&limit, value) } else { (value, &limit) };
    !words::binary(aig, less, a, b)[0]
}

/// What a shape says of its sum, which has the right width.
fn compare_sum(aig: &mut Aig, shape: &Shape, sum: &[AigLit]) -> AigLit {
    match shape {
        Shape::Bit { .. } => unreachable!("a bit is not a sum"),
        Shape::AtMost { bound, .. } => {
            let limit = words::constant(&bits(bound, sum.len() as u32));
            !words::binary(aig, BinaryOp::Slt, &limit, sum)[0]
        }
        Shape::Differs { value, .. } => !words::equal(aig, sum, &words::constant(value)),
    }
}

/// The width at which the sum of a shape is what it should be. None if it says nothing
/// about a sum, or the same of all.
fn sum_width(all: &[WordInfo], shape: &Shape) -> Option<usize> {
    match shape {
        Shape::Bit { .. } => None,
        Shape::AtMost { terms, bound } => {
            let (least, greatest) = sum_extremes(all, terms);
            let is_open = *bound < greatest && *bound >= least;
            is_open.then(|| 1 + least.bit_len().max(greatest.bit_len()))
        }
        Shape::Differs { width, .. } => Some(*width as usize),
    }
}

/// An inequality that all values satisfy, or none.
fn constant(all: &[WordInfo], shape: &Shape) -> AigLit {
    match shape {
        Shape::AtMost { terms, bound } => AigLit::constant(*bound >= sum_extremes(all, terms).1),
        Shape::Bit { .. } | Shape::Differs { .. } => unreachable!("these are never constant"),
    }
}

/// The least and the greatest value that a sum can have.
fn sum_extremes(all: &[WordInfo], terms: &[(i64, usize)]) -> (IBig, IBig) {
    let (mut least, mut greatest) = (IBig::ZERO, IBig::ZERO);
    for &(c, word) in terms {
        let (low, high) = all[word].extremes();
        let (low, high) = if c > 0 { (low, high) } else { (high, low) };
        least += low * c;
        greatest += high * c;
    }
    (least, greatest)
}
