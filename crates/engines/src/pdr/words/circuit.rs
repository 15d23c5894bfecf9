//! The system as one circuit: its words in this state and in the next, its constraints and
//! bad bits, and a comparator for each atom that is asked about.
//!
//! Inequalities never overflow: the words are extended before they are multiplied and
//! added, so that the sum and the bound fit.
//!
//! A sum in the next state is the sum in this state and what the step adds to it, where
//! words are changed by adding to them. A solver sees at once that a bound is
//! kept then, while two independent adders of 64 bits can keep it busy for a long time.

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use elinvar_ir::{
    BinaryOp, BitVec, Expr, ExprId, Pool, PropertyId, Reading, Sort, TransitionSystem, Word, cone,
};
use elinvar_logic::arrays::{ArrayTerm, Arrays};
use elinvar_logic::blast::{Blasted, blast, cost};
use elinvar_logic::{Aig, AigLit, words};
use rustc_hash::FxHashMap;

use super::atom::{Atom, Atoms, Shape, Terms, bits, extremes};
use crate::engine::EngineError;

/// Gates beyond this are refused.
const MAX_GATES: u64 = 50_000_000;

/// How many expressions of a next function are looked at for additions.
const MAX_LOOKS: usize = 64;

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
        extremes(self.width, self.reading)
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
    /// By word: what a step adds to its number, signed and one bit wider.
    step: Vec<Vec<AigLit>>,
    /// By word: in some case a step does nothing but add to it.
    is_additive: Vec<bool>,
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
    ) -> Result<Self, EngineError> {
        let pool = system.pool();
        let (mut aig, mut arrays) = (Aig::new(), Arrays::new());
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
        let gates: u64 = nodes.iter().map(|&node| cost(pool, &pool.get(node))).sum();
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
        let (mut step, mut is_additive) = (Vec::new(), Vec::new());
        for (number, info) in all.iter().enumerate() {
            let (before, after) = (&current[number], &next[number]);
            let mut added =
                Added { pool, blasted: &blasted, info, before, additive: false, left: MAX_LOOKS };
            let difference = match info.next {
                Some(next) => added.to(&mut aig, next),
                None => added.other(&mut aig, after),
            };
            is_additive.push(added.additive);
            step.push(exact_step(&mut aig, info.reading, before, after, difference));
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
        Ok(Circuit {
            constraints: system.constraints().iter().map(|&id| word(id)[0]).collect(),
            bads: bads.iter().map(|&id| word(id)[0]).collect(),
            aig,
            arrays,
            current,
            next,
            step,
            is_additive,
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
        *now[atom.index()].get_or_insert_with(|| {
            compare(aig, all, &Values { bits: current, added: None }, atoms.shape(atom))
        })
    }

    /// The atom in the next state.
    pub fn later(&mut self, all: &[WordInfo], atoms: &Atoms, atom: Atom) -> AigLit {
        let Circuit { aig, current, next, step, is_additive, later, .. } = self;
        later.resize(later.len().max(atom.index() + 1), None);
        *later[atom.index()].get_or_insert_with(|| {
            let shape = atoms.shape(atom);
            let is_sum = match shape {
                Shape::AtMost { terms, .. } => terms.len() > 1,
                Shape::Differs { .. } => true,
                Shape::Bit { .. } => false,
            };
            let values = if is_sum && shape.words().any(|word| is_additive[word]) {
                Values { bits: current, added: Some(step) }
            } else {
                Values { bits: next, added: None }
            };
            compare(aig, all, &values, shape)
        })
    }
}

/// Looks for what is added to a word.
struct Added<'a> {
    pool: &'a Pool,
    blasted: &'a FxHashMap<ExprId, Blasted>,
    info: &'a WordInfo,
    before: &'a [AigLit],
    /// Something was found.
    additive: bool,
    /// How many expressions may still be looked at.
    left: usize,
}

impl Added<'_> {
    /// What must be added to the word to make it `expr`, modulo the width of the word; the
    /// bit beyond that is not right yet.
    fn to(&mut self, aig: &mut Aig, expr: ExprId) -> Vec<AigLit> {
        match self.found(aig, expr) {
            Some(added) => {
                self.additive = true;
                added
            }
            None => match self.pool.get(expr) {
                Expr::Ite(c, t, e) if self.left > 0 => {
                    self.left -= 1;
                    let (t, e) = (self.to(aig, t), self.to(aig, e));
                    words::ite(aig, lookup(self.blasted, c).word()[0], &t, &e)
                }
                _ => {
                    let after = lookup(self.blasted, expr).word();
                    self.other(aig, &after)
                }
            },
        }
    }

    /// The word is replaced.
    fn other(&self, aig: &mut Aig, after: &[AigLit]) -> Vec<AigLit> {
        let wider = |word: &[AigLit]| resize(word, Reading::Signed, word.len() + 1);
        words::binary(aig, BinaryOp::Sub, &wider(after), &wider(self.before))
    }

    /// What a sum adds to the word.
    fn found(&mut self, aig: &mut Aig, expr: ExprId) -> Option<Vec<AigLit>> {
        if expr == self.info.symbol {
            return Some(words::constant(&BitVec::zero(self.info.width + 1)));
        }
        self.left = self.left.checked_sub(1)?;
        let word = |id: ExprId| {
            let word = lookup(self.blasted, id).word();
            resize(&word, Reading::Signed, word.len() + 1)
        };
        match self.pool.get(expr) {
            Expr::Binary(BinaryOp::Add, a, b) => {
                let (other_a, other_b) = (word(a), word(b));
                match self.found(aig, a) {
                    Some(inner) => Some(words::binary(aig, BinaryOp::Add, &inner, &other_b)),
                    None => {
                        let inner = self.found(aig, b)?;
                        Some(words::binary(aig, BinaryOp::Add, &inner, &other_a))
                    }
                }
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                let other = word(b);
                let inner = self.found(aig, a)?;
                Some(words::binary(aig, BinaryOp::Sub, &inner, &other))
            }
            Expr::Ite(c, t, e) => {
                let (t, e) = (self.found(aig, t)?, self.found(aig, e)?);
                Some(words::ite(aig, lookup(self.blasted, c).word()[0], &t, &e))
            }
            Expr::Const(_)
            | Expr::Symbol(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Slice { .. }
            | Expr::Uext { .. }
            | Expr::Sext { .. }
            | Expr::Read(..)
            | Expr::Write(..)
            | Expr::ConstArray(_)
            | Expr::ArrayEq(..) => None,
        }
    }
}

/// The difference of the numbers after and before the step, given it modulo 2^width: its
/// last bit is made so that before + difference = after.
fn exact_step(
    aig: &mut Aig,
    reading: Reading,
    before: &[AigLit],
    after: &[AigLit],
    mut difference: Vec<AigLit>,
) -> Vec<AigLit> {
    let width = before.len();
    let extended = |word: &[AigLit]| resize(word, reading, width + 1);
    let sum = words::binary(aig, BinaryOp::Add, &extended(before), &difference);
    let wrong = aig.xor(sum[width], extended(after)[width]);
    difference[width] = aig.xor(difference[width], wrong);
    difference
}

fn lookup(blasted: &FxHashMap<ExprId, Blasted>, id: ExprId) -> Blasted {
    match blasted.get(&id) {
        Some(found) => found.clone(),
        None => {
            let regular = blasted[&id.regular()].clone().word();
            Blasted::Word(regular.into_iter().map(|lit| !lit).collect())
        }
    }
}

/// The bits of words in one state; or those of the state before, and what the step has
/// added to their numbers.
struct Values<'a> {
    bits: &'a [Vec<AigLit>],
    added: Option<&'a [Vec<AigLit>]>,
}

impl Values<'_> {
    /// Σ terms at a width where that is exact, or modulo that width.
    fn sum(&self, aig: &mut Aig, all: &[WordInfo], terms: &Terms, width: usize) -> Vec<AigLit> {
        let now = total(aig, terms, width, |word| (&self.bits[word], all[word].reading));
        let Some(added) = self.added else { return now };
        let added = total(aig, terms, width, |word| (&added[word], Reading::Signed));
        words::binary(aig, BinaryOp::Add, &now, &added)
    }
}

/// Σ terms: what is added, less what is subtracted.
fn total<'a>(
    aig: &mut Aig,
    terms: &Terms,
    width: usize,
    value: impl Fn(usize) -> (&'a Vec<AigLit>, Reading),
) -> Vec<AigLit> {
    let mut sides: [Option<Vec<AigLit>>; 2] = [None, None];
    for &(c, word) in terms {
        let (bits, reading) = value(word);
        let scaled = scale(aig, &resize(bits, reading, width), c.unsigned_abs());
        let side = &mut sides[usize::from(c < 0)];
        *side = Some(match side.take() {
            None => scaled,
            Some(sum) => words::binary(aig, BinaryOp::Add, &sum, &scaled),
        });
    }
    let zero = || words::constant(&BitVec::zero(width as u32));
    let [plus, minus] = sides;
    match minus {
        None => plus.unwrap_or_else(zero),
        Some(minus) => words::binary(aig, BinaryOp::Sub, &plus.unwrap_or_else(zero), &minus),
    }
}

/// Multiplies by a constant, modulo the width.
fn scale(aig: &mut Aig, word: &[AigLit], factor: u64) -> Vec<AigLit> {
    if factor == 1 {
        return word.to_vec();
    }
    let factor = words::constant(&bits(&IBig::from(factor), word.len() as u32));
    words::binary(aig, BinaryOp::Mul, word, &factor)
}

/// Extends a word, or cuts it.
fn resize(word: &[AigLit], reading: Reading, width: usize) -> Vec<AigLit> {
    let fill = match reading {
        Reading::Signed => word[word.len() - 1],
        Reading::Unsigned => AigLit::FALSE,
    };
    let mut word = word.to_vec();
    word.resize(width, fill);
    word
}

/// A literal for what a shape says of words that have these values.
fn compare(aig: &mut Aig, all: &[WordInfo], values: &Values<'_>, shape: &Shape) -> AigLit {
    match shape {
        &Shape::Bit { word, bit, value } => values.bits[word][bit as usize].complement_if(!value),
        Shape::AtMost { terms, bound } => at_most(aig, all, values, terms, bound),
        Shape::Differs { terms, width, value } => {
            let sum = values.sum(aig, all, terms, *width as usize);
            !words::equal(aig, &sum, &words::constant(value))
        }
    }
}

fn at_most(
    aig: &mut Aig,
    all: &[WordInfo],
    values: &Values<'_>,
    terms: &Terms,
    bound: &IBig,
) -> AigLit {
    let (least, greatest) = sum_extremes(all, terms);
    if *bound >= greatest || *bound < least {
        return AigLit::constant(*bound >= greatest);
    }
    if let (&[(c @ (1 | -1), word)], None) = (&terms[..], values.added) {
        // x ≤ b, or x ≥ -b: not less.
        let less = match all[word].reading {
            Reading::Signed => BinaryOp::Slt,
            Reading::Unsigned => BinaryOp::Ult,
        };
        let limit = words::constant(&bits(&(bound * c), all[word].width));
        let value = &values.bits[word];
        let (a, b) = if c > 0 { (&limit, value) } else { (value, &limit) };
        return !words::binary(aig, less, a, b)[0];
    }
    let width = 1 + least.bit_len().max(greatest.bit_len());
    let sum = values.sum(aig, all, terms, width);
    let limit = words::constant(&bits(bound, width as u32));
    !words::binary(aig, BinaryOp::Slt, &limit, &sum)[0]
}

/// The least and the greatest value that a sum can have.
fn sum_extremes(all: &[WordInfo], terms: &Terms) -> (IBig, IBig) {
    let (mut least, mut greatest) = (IBig::ZERO, IBig::ZERO);
    for &(c, word) in terms {
        let (low, high) = all[word].extremes();
        let (low, high) = if c > 0 { (low, high) } else { (high, low) };
        least += low * c;
        greatest += high * c;
    }
    (least, greatest)
}
