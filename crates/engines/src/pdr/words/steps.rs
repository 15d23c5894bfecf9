//! Sums of words after a step.
//!
//! A sum in the next state is, in each case of the step, the sum in this state and what is
//! added to it, where words are changed by adding to them. A solver sees at once that a bound
//! is kept then, while two independent adders of 64 bits can keep it busy for a long time.

use std::rc::Rc;

use dashu_int::IBig;
use elinvar_ir::{BinaryOp, BitVec, Expr, ExprId, Pool, Reading};
use elinvar_logic::blast::Blasted;
use elinvar_logic::{Aig, AigLit, words};
use rustc_hash::FxHashMap;

use super::atom::bits;
use super::circuit::{WordInfo, lookup};

/// How many expressions of a next function are looked at, and how many cases of a sum.
pub(super) const MAX_LOOKS: usize = 64;

/// What becomes of a word in a step.
pub(super) enum Case {
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
pub(super) struct Sum<'a> {
    pub all: &'a [WordInfo],
    pub terms: &'a [(i64, usize)],
    pub current: &'a [Vec<AigLit>],
    pub is_modular: bool,
}

impl Sum<'_> {
    /// Its value after a step: in each case the sum before and what is added, if words are
    /// added to, else the sum of what they become. None if there are too many cases.
    pub fn after(
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
pub(super) struct Changes<'a> {
    pub pool: &'a Pool,
    pub blasted: &'a FxHashMap<ExprId, Blasted>,
    pub info: &'a WordInfo,
    pub before: &'a [AigLit],
    /// How many expressions may still be looked at.
    pub left: usize,
}

impl Changes<'_> {
    /// The cases of its next value.
    pub fn of(&mut self, aig: &mut Aig, expr: ExprId) -> Rc<Case> {
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

    pub fn replaced(&self, aig: &mut Aig, after: Vec<AigLit>) -> Rc<Case> {
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
        let (op, a, b) = self.pool.get(expr).as_binary()?;
        let (inner, other, sign) = if op == BinaryOp::Add {
            match self.added(a) {
                Some(inner) => (inner, b, 1),
                None => (self.added(b)?, a, 1),
            }
        } else if op == BinaryOp::Sub {
            (self.added(a)?, b, -1)
        } else {
            return None;
        };
        let mut addends = inner;
        self.split(other, sign, &mut addends);
        Some(addends)
    }

    /// An expression as a sum.
    fn split(&mut self, expr: ExprId, sign: i64, addends: &mut Vec<Addend>) {
        if self.left > 0 {
            self.left -= 1;
            if let Some((op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) =
                self.pool.get(expr).as_binary()
            {
                self.split(a, sign, addends);
                return self.split(b, if op == BinaryOp::Sub { -sign } else { sign }, addends);
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

/// Σ coefficient · word: what is added, less what is subtracted.
pub(super) fn total<'a>(
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
