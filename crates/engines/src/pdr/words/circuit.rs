//! The system as one circuit: its words in this state and in the next, its constraints and
//! bad bits, and a comparator for each atom that is asked about.
//!
//! Inequalities never overflow: the words are extended before they are multiplied and
//! added, so that the sum and the bound fit.
//!
//! A sum in the next state is, in each case of the step, the sum in this state and what is
//! added to it, where words are changed by adding to them. A solver sees at once that a bound is
//! kept then, while two independent adders of 64 bits can keep it busy for a long time.

use std::rc::Rc;

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use elinvar_ir::{
    BinaryOp, BitVec, Expr, ExprId, Pool, PropertyId, Reading, Sort, TransitionSystem, Word, cone,
};
use elinvar_logic::arrays::{ArrayTerm, Arrays};
use elinvar_logic::blast::{Blasted, blast, cost};
use elinvar_logic::{Aig, AigLit, words};
use rustc_hash::FxHashMap;

use super::atom::{Atom, Atoms, Shape, bits, extremes};
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

/// What becomes of a word in a step.
enum Case {
    Split {
        condition: AigLit,
        then: Rc<Case>,
        otherwise: Rc<Case>,
    },
    Change {
        after: Vec<AigLit>,
        /// What is added to its number, signed and one bit wider.
        step: Vec<AigLit>,
        /// Nothing else is done to it.
        is_added: bool,
        /// What is added to it and subtracted from it, modulo its width.
        addends: Vec<Addend>,
    },
}

/// A word with a factor, in a sum.
type Addend = (i64, Vec<AigLit>);

/// What is left of a sum when words that are added and subtracted are left out.
fn cancel(addends: impl IntoIterator<Item = Addend>) -> Vec<Addend> {
    let mut left: Vec<Addend> = Vec::new();
    for (factor, word) in addends {
        match left.iter_mut().find(|(_, other)| *other == word) {
            Some((sum, _)) => *sum += factor,
            None => left.push((factor, word)),
        }
    }
    left.retain(|(factor, word)| *factor != 0 && word.iter().any(|&bit| bit != AigLit::FALSE));
    left
}

impl Case {
    /// The case that is left when a condition is decided.
    fn when(case: &Rc<Case>, decided: AigLit) -> Rc<Case> {
        match &**case {
            Case::Split { condition, then, .. } if *condition == decided => Rc::clone(then),
            Case::Split { condition, otherwise, .. } if *condition == !decided => {
                Rc::clone(otherwise)
            }
            Case::Split { .. } | Case::Change { .. } => Rc::clone(case),
        }
    }
}

/// A weighted sum of words.
struct Sum<'a> {
    all: &'a [WordInfo],
    terms: &'a [(i64, usize)],
    current: &'a [Vec<AigLit>],
    is_modular: bool,
}

impl Sum<'_> {
    /// Its value after a step: in each case the sum before and what is added, if words are
    /// added to, else the sum of what they become. None if there are too many cases.
    fn after(
        &self,
        aig: &mut Aig,
        width: usize,
        cases: Vec<Rc<Case>>,
        left: &mut usize,
    ) -> Option<Vec<AigLit>> {
        let split = cases.iter().find_map(|case| match &**case {
            Case::Split { condition, .. } => Some(*condition),
            Case::Change { .. } => None,
        });
        if let Some(condition) = split {
            *left = left.checked_sub(1)?;
            let when = |decided| cases.iter().map(|case| Case::when(case, decided)).collect();
            let then = self.after(aig, width, when(condition), left)?;
            let otherwise = self.after(aig, width, when(!condition), left)?;
            return Some(words::ite(aig, condition, &then, &otherwise));
        }
        if self.is_modular {
            return Some(self.modular(aig, width, &cases));
        }
        let change = |index: usize| match &*cases[index] {
            Case::Change { after, step, is_added, .. } => (after, step, *is_added),
            Case::Split { .. } => unreachable!("all conditions are decided"),
        };
        let reading = |index: usize| self.all[self.terms[index].1].reading;
        let bits = |index: usize| &self.current[self.terms[index].1];
        let coefficients: Vec<i64> = self.terms.iter().map(|&(c, _)| c).collect();
        if !(0..cases.len()).any(|index| change(index).2) {
            return Some(total(aig, &coefficients, width, |i| (change(i).0, reading(i))));
        }
        let now = total(aig, &coefficients, width, |i| (bits(i), reading(i)));
        let added = total(aig, &coefficients, width, |i| (change(i).1, Reading::Signed));
        Some(words::binary(aig, BinaryOp::Add, &now, &added))
    }
}

impl Sum<'_> {
    /// Its value after a step in one case, modulo the width: the sum before and what is
    /// added, or the sum of what the words become, whichever is shorter.
    fn modular(&self, aig: &mut Aig, width: usize, cases: &[Rc<Case>]) -> Vec<AigLit> {
        let (mut added, mut after) = (Vec::new(), Vec::new());
        for (&(c, _), case) in self.terms.iter().zip(cases) {
            let Case::Change { addends, after: word, .. } = &**case else {
                unreachable!("all conditions are decided")
            };
            added.extend(addends.iter().map(|(sign, addend)| (c * sign, addend.clone())));
            after.push((c, word.clone()));
        }
        let (added, after) = (cancel(added), cancel(after));
        let sum = |aig: &mut Aig, addends: &[Addend]| {
            let coefficients: Vec<i64> = addends.iter().map(|(c, _)| *c).collect();
            total(aig, &coefficients, width, |index| (&addends[index].1, Reading::Unsigned))
        };
        if after.len() < added.len() {
            return sum(aig, &after);
        }
        let before: Vec<Addend> =
            self.terms.iter().map(|&(c, word)| (c, self.current[word].clone())).collect();
        let before = sum(aig, &before);
        let added = sum(aig, &added);
        words::binary(aig, BinaryOp::Add, &before, &added)
    }
}

/// Looks for what becomes of a word.
struct Changes<'a> {
    pool: &'a Pool,
    blasted: &'a FxHashMap<ExprId, Blasted>,
    info: &'a WordInfo,
    before: &'a [AigLit],
    /// How many expressions may still be looked at.
    left: usize,
}

impl Changes<'_> {
    /// The cases of its next value.
    fn of(&mut self, aig: &mut Aig, expr: ExprId) -> Rc<Case> {
        if let Expr::Ite(c, t, e) = self.pool.get(expr)
            && self.left > 0
        {
            self.left -= 1;
            let condition = lookup(self.blasted, c).word()[0];
            let (then, otherwise) = (self.of(aig, t), self.of(aig, e));
            return Rc::new(Case::Split { condition, then, otherwise });
        }
        let after = lookup(self.blasted, expr).word();
        match self.added(expr) {
            Some(addends) => {
                let signs: Vec<i64> = addends.iter().map(|(sign, _)| *sign).collect();
                let width = self.info.width as usize + 1;
                let sum = total(aig, &signs, width, |i| (&addends[i].1, Reading::Signed));
                let step = exact_step(aig, self.info.reading, self.before, &after, sum);
                Rc::new(Case::Change { after, step, is_added: true, addends })
            }
            None => self.replaced(aig, after),
        }
    }

    fn replaced(&self, aig: &mut Aig, after: Vec<AigLit>) -> Rc<Case> {
        let wider = |word: &[AigLit]| resize(word, Reading::Signed, word.len() + 1);
        let added = words::binary(aig, BinaryOp::Sub, &wider(&after), &wider(self.before));
        let step = exact_step(aig, self.info.reading, self.before, &after, added);
        let addends = vec![(1, after.clone()), (-1, self.before.to_vec())];
        Rc::new(Case::Change { after, step, is_added: false, addends })
    }

    /// What an expression adds to the word and subtracts from it.
    fn added(&mut self, expr: ExprId) -> Option<Vec<Addend>> {
        if expr == self.info.symbol {
            return Some(Vec::new());
        }
        self.left = self.left.checked_sub(1)?;
        let (inner, other, sign) = match self.pool.get(expr) {
            Expr::Binary(BinaryOp::Add, a, b) => match self.added(a) {
                Some(inner) => (inner, b, 1),
                None => (self.added(b)?, a, 1),
            },
            Expr::Binary(BinaryOp::Sub, a, b) => (self.added(a)?, b, -1),
            Expr::Const(_)
            | Expr::Symbol(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Slice { .. }
            | Expr::Uext { .. }
            | Expr::Sext { .. }
            | Expr::Ite(..)
            | Expr::Read(..)
            | Expr::Write(..)
            | Expr::ConstArray(_)
            | Expr::ArrayEq(..) => return None,
        };
        let mut addends = inner;
        self.split(other, sign, &mut addends);
        Some(addends)
    }

    /// An expression as a sum.
    fn split(&mut self, expr: ExprId, sign: i64, addends: &mut Vec<Addend>) {
        if self.left > 0 {
            self.left -= 1;
            match self.pool.get(expr) {
                Expr::Binary(BinaryOp::Add, a, b) => {
                    self.split(a, sign, addends);
                    return self.split(b, sign, addends);
                }
                Expr::Binary(BinaryOp::Sub, a, b) => {
                    self.split(a, sign, addends);
                    return self.split(b, -sign, addends);
                }
                _ => {}
            }
        }
        addends.push((sign, lookup(self.blasted, expr).word()));
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

/// Σ coefficient · word: what is added, less what is subtracted.
fn total<'a>(
    aig: &mut Aig,
    coefficients: &[i64],
    width: usize,
    value: impl Fn(usize) -> (&'a Vec<AigLit>, Reading),
) -> Vec<AigLit> {
    let mut sides: [Option<Vec<AigLit>>; 2] = [None, None];
    for (index, &c) in coefficients.iter().enumerate() {
        let (bits, reading) = value(index);
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
        Shape::Bit { .. } => unreachable!("a bit is no sum"),
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
