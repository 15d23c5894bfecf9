//! Facts about the words of a state: what an invariant found on words is made of.
//!
//! The atoms of [Welp, Kuehlmann: Property Directed Reachability for QF_BV with Mixed
//! Type Atomic Reasoning Units, ASP-DAC 2014]: literals of state bits, and linear
//! inequalities over words that are read as integers; beyond it, linear equations modulo
//! a power of two, which stay true when words wrap around.

//!
//! A fact becomes an expression in which nothing overflows: what is added stands left
//! of the comparison and what is subtracted right of it, both in a width that holds whatever
//! they may be.

use std::ops::RangeInclusive;

use dashu_int::ops::{BitTest, RemEuclid};
use dashu_int::{IBig, Sign, UBig};

use crate::expr::{ExprId, MAX_WIDTH, Pool, Sort, SortError};
use crate::operator::BinaryOp;
use crate::system::{Role, TransitionSystem};
use crate::value::BitVec;

/// How the bits of a word are read as an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Reading {
    /// In two's complement.
    Signed,
    /// As a natural number.
    Unsigned,
}

/// A bit-vector of a state: a register, or an element of a memory.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Word {
    /// The state's symbol.
    pub state: ExprId,
    /// Which element, if the state is a memory.
    pub element: Option<BitVec>,
}

/// `coefficient · word`, the word read as an integer. The coefficient is not zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LinearTerm {
    /// The factor, which is not zero.
    pub coefficient: IBig,
    /// The word.
    pub word: Word,
    /// How the word is read as an integer.
    pub reading: Reading,
}

/// A statement about one state of the system.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fact {
    /// A bit of a word has this value.
    Bit {
        /// The word.
        word: Word,
        /// The number of the bit.
        bit: u32,
        /// The value of the bit.
        value: bool,
    },
    /// Σ terms ≤ bound, over the integers: nothing overflows.
    AtMost {
        /// The summands.
        terms: Vec<LinearTerm>,
        /// The upper bound.
        bound: IBig,
    },
    /// Σ terms = value modulo 2^width, or ≠ if not `equal`. All words have this width,
    /// and their readings do not matter.
    Modular {
        /// The summands.
        terms: Vec<LinearTerm>,
        /// The width of all words.
        width: u32,
        /// The value that the sum is compared with.
        value: IBig,
        /// Whether the sum is equal to the value or different from it.
        equal: bool,
    },
}

/// Why a fact does not fit a system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FactError {
    /// The fact mentions a word that is not a state.
    #[error("it is about a word that is not a state")]
    NotAState,
    /// The fact is ill-sorted.
    #[error(transparent)]
    Sort(#[from] SortError),
}

/// Which literal of a clause does not fit a system, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("literal {literal} of clause {clause} does not fit the system: {error}")]
pub struct ClauseError {
    /// The position of the clause.
    pub clause: usize,
    /// The position of the literal in its clause.
    pub literal: usize,
    /// What is wrong with the literal.
    pub error: FactError,
}

/// The facts of clauses about states of the system, as bits of the pool, which extends that
/// of the system.
pub fn clauses_to_exprs(
    system: &TransitionSystem,
    pool: &mut Pool,
    clauses: &[Vec<Fact>],
) -> Result<Vec<Vec<ExprId>>, ClauseError> {
    let mut converted = Vec::with_capacity(clauses.len());
    for (clause, facts) in clauses.iter().enumerate() {
        let mut exprs = Vec::with_capacity(facts.len());
        for (literal, fact) in facts.iter().enumerate() {
            let about_states = fact.words().all(|word| is_state(system, word.state));
            let expr = if about_states { fact.to_expr(pool) } else { Err(FactError::NotAState) };
            exprs.push(expr.map_err(|error| ClauseError { clause, literal, error })?);
        }
        converted.push(exprs);
    }
    Ok(converted)
}

pub(crate) fn is_state(system: &TransitionSystem, symbol: ExprId) -> bool {
    symbol.node() < system.pool().len() && matches!(system.role_of(symbol), Some(Role::State(_)))
}

impl Fact {
    /// What a value of a bit of a state says, with the bits of a memory counted through all of
    /// its elements: bit i of address a is number `a * width + i`. `None` if there is no such bit.
    pub fn of_bit(
        system: &TransitionSystem,
        state: usize,
        position: usize,
        value: bool,
    ) -> Option<Self> {
        let state = system.states().get(state)?.symbol;
        let (element, bit, width) = match system.pool().sort(state) {
            Sort::Bv(width) => (None, position, width),
            Sort::Array { index, element } => {
                let address = u64::try_from(position / element as usize).ok()?;
                if index < u64::BITS && address >> index > 0 {
                    return None;
                }
                (Some(BitVec::new(index, address)), position % element as usize, element)
            }
        };
        let bit = u32::try_from(bit).ok().filter(|&bit| bit < width)?;
        Some(Fact::Bit { word: Word { state, element }, bit, value })
    }

    /// Is it true of these values? The reference semantics.
    ///
    /// # Panics
    /// If the fact is about a bit that the word does not have.
    pub fn holds(&self, value_of: impl Fn(&Word) -> BitVec) -> bool {
        let sum = |terms: &[LinearTerm]| -> IBig {
            terms.iter().map(|t| &t.coefficient * t.reading.of(&value_of(&t.word))).sum()
        };
        match self {
            Fact::Bit { word, bit, value } => value_of(word).bit(*bit) == *value,
            Fact::AtMost { terms, bound } => sum(terms) <= *bound,
            Fact::Modular { terms, width, value, equal } => {
                (residue(*width, &sum(terms)) == residue(*width, value)) == *equal
            }
        }
    }

    /// The fact that is true exactly where this one is not.
    pub fn negated(&self) -> Fact {
        match self {
            Fact::Bit { word, bit, value } => {
                Fact::Bit { word: word.clone(), bit: *bit, value: !value }
            }
            // ¬(Σ ≤ b)  ⇔  -Σ ≤ -b - 1
            Fact::AtMost { terms, bound } => {
                let negated =
                    |t: &LinearTerm| LinearTerm { coefficient: -&t.coefficient, ..t.clone() };
                let terms = terms.iter().map(negated).collect();
                Fact::AtMost { terms, bound: -bound - IBig::ONE }
            }
            Fact::Modular { terms, width, value, equal } => Fact::Modular {
                terms: terms.clone(),
                width: *width,
                value: value.clone(),
                equal: !equal,
            },
        }
    }

    /// The sum of an inequality or an equation; a bit has none.
    pub fn terms(&self) -> &[LinearTerm] {
        match self {
            Fact::Bit { .. } => &[],
            Fact::AtMost { terms, .. } | Fact::Modular { terms, .. } => terms,
        }
    }

    /// The words that the fact is about, some perhaps more than once.
    pub fn words(&self) -> impl Iterator<Item = &Word> {
        let bit = match self {
            Fact::Bit { word, .. } => Some(word),
            Fact::AtMost { .. } | Fact::Modular { .. } => None,
        };
        bit.into_iter().chain(self.terms().iter().map(|term| &term.word))
    }

    /// The same fact about other states.
    pub fn rename(&self, mut state: impl FnMut(ExprId) -> ExprId) -> Fact {
        self.map_words(|word| Word { state: state(word.state), element: word.element.clone() })
    }

    /// The same fact about other words, which have the widths of these.
    pub fn map_words(&self, mut to: impl FnMut(&Word) -> Word) -> Fact {
        let mut mapped = self.clone();
        match &mut mapped {
            Fact::Bit { word, .. } => *word = to(word),
            Fact::AtMost { terms, .. } | Fact::Modular { terms, .. } => {
                for term in terms {
                    term.word = to(&term.word);
                }
            }
        }
        mapped
    }

    /// The fact as a bit over the states, which are symbols of the pool.
    pub fn to_expr(&self, pool: &mut Pool) -> Result<ExprId, FactError> {
        match self {
            Fact::Bit { word, bit, value } => {
                let word = word.to_expr(pool)?;
                let bit = pool.slice(word, *bit, *bit)?;
                Ok(if *value { bit } else { pool.not(bit)? })
            }
            Fact::AtMost { terms, bound } => at_most(pool, terms, bound),
            Fact::Modular { terms, width, value, equal } => {
                let equation = congruent(pool, terms, *width, value)?;
                Ok(if *equal { equation } else { pool.not(equation)? })
            }
        }
    }
}

impl Word {
    /// The word as an expression over the states, which are symbols of the pool.
    pub fn to_expr(&self, pool: &mut Pool) -> Result<ExprId, FactError> {
        if self.state.node() >= pool.len() || pool.as_symbol(self.state).is_none() {
            return Err(FactError::NotAState);
        }
        let word = match &self.element {
            None => self.state,
            Some(address) => {
                check_width(address.width().into())?;
                let address = pool.constant(address.clone());
                pool.read(self.state, address)?
            }
        };
        match pool.sort(word).width() {
            Some(_) => Ok(word),
            None => Err(SortError::NotABitVector(pool.sort(word)).into()),
        }
    }
}

impl Reading {
    /// The integer that the bits are read as.
    pub fn of(self, value: &BitVec) -> IBig {
        let unsigned = IBig::from(value.to_big());
        match self {
            Reading::Signed if value.sign() => unsigned - (IBig::ONE << value.width() as usize),
            Reading::Signed | Reading::Unsigned => unsigned,
        }
    }

    /// All integers that words of this width are read as.
    pub fn range(self, width: u32) -> RangeInclusive<IBig> {
        let end = |bits: u32| IBig::ONE << bits as usize;
        match self {
            Reading::Signed => -end(width - 1)..=end(width - 1) - IBig::ONE,
            Reading::Unsigned => IBig::ZERO..=end(width) - IBig::ONE,
        }
    }
}

/// The integer modulo 2^width.
fn residue(width: u32, value: &IBig) -> UBig {
    value.rem_euclid(IBig::ONE << width as usize)
}

fn check_width(width: u64) -> Result<u32, SortError> {
    match u32::try_from(width) {
        Ok(supported @ 1..=MAX_WIDTH) => Ok(supported),
        Ok(_) | Err(_) => Err(SortError::Unsupported(width)),
    }
}

// ---- equations ---------------------------------------------------------------------

/// Σ terms = value modulo 2^width
fn congruent(
    pool: &mut Pool,
    terms: &[LinearTerm],
    width: u32,
    value: &IBig,
) -> Result<ExprId, FactError> {
    check_width(width.into())?;
    let constant = BitVec::from_big(width, residue(width, value));
    // What is subtracted goes to the other side: a product with -1 is a large circuit.
    let mut sides = [pool.constant(BitVec::zero(width)), pool.constant(constant)];
    for term in terms {
        let word = term.word.to_expr(pool)?;
        let (sign, magnitude) = term.coefficient.clone().into_parts();
        let factor = BitVec::from_big(width, residue(width, &IBig::from(magnitude)));
        let factor = pool.constant(factor);
        let product = pool.binary(BinaryOp::Mul, factor, word)?;
        let side = &mut sides[usize::from(sign == Sign::Negative)];
        *side = pool.binary(BinaryOp::Add, *side, product)?;
    }
    Ok(pool.equal(sides[0], sides[1])?)
}

// ---- inequalities ------------------------------------------------------------------

/// Σ terms ≤ bound
fn at_most(pool: &mut Pool, terms: &[LinearTerm], bound: &IBig) -> Result<ExprId, FactError> {
    let (mut left, mut right) = (Sum::default(), Sum::default());
    for term in terms {
        let word = term.word.to_expr(pool)?;
        let (sign, magnitude) = term.coefficient.clone().into_parts();
        let side = if sign == Sign::Negative { &mut right } else { &mut left };
        side.add(magnitude, word, term.reading, pool.width(word));
    }
    if *bound >= &left.max - &right.min {
        return Ok(pool.bool(true));
    }
    if *bound < &left.min - &right.max {
        return Ok(pool.bool(false));
    }
    let strict = place(bound, &mut left, &mut right);
    let signed = left.is_signed() || right.is_signed();
    let bits = [&left.min, &left.max, &right.min, &right.max].map(|end| bits(end, signed));
    let width = check_width(bits.into_iter().max().unwrap_or_default())?;
    let (left, right) = (left.to_expr(pool, width)?, right.to_expr(pool, width)?);
    Ok(match (strict, signed) {
        (true, true) => pool.binary(BinaryOp::Slt, left, right)?,
        (true, false) => pool.binary(BinaryOp::Ult, left, right)?,
        (false, true) => pool.sle(left, right)?,
        (false, false) => pool.ule(left, right)?,
    })
}

/// Adds the bound to the side where it costs least: `x - y ≤ 2` becomes `x ≤ y + 2`, and
/// `x - y ≤ -3` becomes `x + 2 < y`. Returns whether the comparison is strict.
fn place(bound: &IBig, left: &mut Sum, right: &mut Sum) -> bool {
    if right.terms.is_empty() {
        right.shift(bound);
        false
    } else if left.terms.is_empty() {
        left.shift(&-bound);
        false
    } else if *bound >= IBig::ZERO {
        right.shift(bound);
        false
    } else {
        left.shift(&(-bound - IBig::ONE));
        true
    }
}

/// One side of a comparison.
#[derive(Default)]
struct Sum {
    /// Positive coefficients, words, and how these are read.
    terms: Vec<(UBig, ExprId, Reading)>,
    constant: IBig,
    /// The smallest and the largest value that it may have.
    min: IBig,
    max: IBig,
}

impl Sum {
    fn add(&mut self, coefficient: UBig, word: ExprId, reading: Reading, width: u32) {
        if coefficient.is_zero() {
            return;
        }
        let (min, max) = reading.range(width).into_inner();
        self.min += min * IBig::from(coefficient.clone());
        self.max += max * IBig::from(coefficient.clone());
        self.terms.push((coefficient, word, reading));
    }

    fn shift(&mut self, by: &IBig) {
        self.constant += by;
        self.min += by;
        self.max += by;
    }

    fn is_signed(&self) -> bool {
        self.terms.iter().any(|(_, _, reading)| *reading == Reading::Signed)
    }

    /// The width is one that holds all that the sum may be, hence all its words.
    fn to_expr(&self, pool: &mut Pool, width: u32) -> Result<ExprId, SortError> {
        let mut sum = pool.constant(BitVec::from_big(width, residue(width, &self.constant)));
        for (coefficient, word, reading) in &self.terms {
            let by = width - pool.width(*word);
            let word = match reading {
                Reading::Signed => pool.sext(*word, by)?,
                Reading::Unsigned => pool.uext(*word, by)?,
            };
            let factor = pool.constant(BitVec::from_big(width, coefficient.clone()));
            let product = pool.binary(BinaryOp::Mul, factor, word)?;
            sum = pool.binary(BinaryOp::Add, sum, product)?;
        }
        Ok(sum)
    }
}

/// The least width of a bit-vector that has this value, signed or unsigned.
fn bits(value: &IBig, signed: bool) -> u64 {
    // -1 - v has the bits of v complemented.
    let magnitude = if *value < IBig::ZERO { -value - IBig::ONE } else { value.clone() };
    (magnitude.bit_len() as u64 + u64::from(signed)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use crate::eval::Evaluator;
    use crate::expr::Sort;
    use crate::value::Value;

    const READINGS: [Reading; 2] = [Reading::Signed, Reading::Unsigned];

    fn register(pool: &mut Pool, width: u32) -> Word {
        Word { state: pool.symbol(Sort::Bv(width), None).unwrap(), element: None }
    }

    fn term(coefficient: i64, word: &Word, reading: Reading) -> LinearTerm {
        LinearTerm { coefficient: coefficient.into(), word: word.clone(), reading }
    }

    #[test]
    fn a_fact_is_moved_to_elements_of_a_memory() {
        let mut pool = Pool::new();
        let (x, y) = (register(&mut pool, 4), register(&mut pool, 4));
        let memory = pool.symbol(Sort::Array { index: 1, element: 4 }, None).unwrap();
        let element = |address| Word { state: memory, element: Some(BitVec::new(1, address)) };
        let moved = |word: &Word| element(u64::from(word.state == y.state));
        let sum = |x: &Word, y: &Word| Fact::AtMost {
            terms: vec![term(1, x, Reading::Unsigned), term(-2, y, Reading::Signed)],
            bound: 3.into(),
        };
        assert_eq!(sum(&x, &y).map_words(moved), sum(&element(0), &element(1)));
        let bit = |word: Word| Fact::Bit { word, bit: 2, value: true };
        assert_eq!(bit(y.clone()).map_words(moved), bit(element(1)));
    }

    /// The expression, the fact and its negation agree on all these valuations.
    fn agree(pool: &mut Pool, fact: &Fact, words: &[&Word], values: &[Vec<BitVec>]) {
        let expr = fact.to_expr(pool).unwrap();
        let negation = fact.negated().to_expr(pool).unwrap();
        let mut evaluator = Evaluator::new(pool, [expr, negation]);
        for values in values {
            let value_of = |state: ExprId| {
                let index = words.iter().position(|word| word.state == state).unwrap();
                values[index].clone()
            };
            evaluator.run(|symbol| Value::Bv(value_of(symbol)));
            let holds = fact.holds(|word| value_of(word.state));
            assert_eq!(evaluator.holds(expr), holds, "{fact:?} at {values:?}");
            assert_eq!(evaluator.holds(negation), !holds, "not {fact:?} at {values:?}");
            assert_eq!(fact.negated().holds(|word| value_of(word.state)), !holds);
        }
    }

    fn all_values(widths: [u32; 2]) -> Vec<Vec<BitVec>> {
        let values = |width: u32| (0..1 << width).map(move |n| BitVec::new(width, n));
        values(widths[0]).flat_map(|a| values(widths[1]).map(move |b| vec![a.clone(), b])).collect()
    }

    #[test]
    fn inequalities_over_small_words_are_exact() {
        for widths in [[1, 1], [1, 3], [2, 2], [3, 2]] {
            let values = all_values(widths);
            let mut pool = Pool::new();
            let words = widths.map(|width| register(&mut pool, width));
            for readings in READINGS.map(|a| READINGS.map(|b| [a, b])).concat() {
                for (a, b) in (-3..=3).flat_map(|a| (-3..=3).map(move |b| (a, b))) {
                    let terms =
                        vec![term(a, &words[0], readings[0]), term(b, &words[1], readings[1])];
                    for bound in -40..=40 {
                        let fact = Fact::AtMost { terms: terms.clone(), bound: bound.into() };
                        agree(&mut pool, &fact, &[&words[0], &words[1]], &values);
                    }
                }
            }
        }
    }

    #[test]
    fn equations_over_small_words_are_exact() {
        let values = all_values([3, 3]);
        let mut pool = Pool::new();
        let words = [register(&mut pool, 3), register(&mut pool, 3)];
        for (a, b) in (-9..=9).flat_map(|a| (-9..=9).map(move |b| (a, b))) {
            let terms = vec![term(a, &words[0], READINGS[0]), term(b, &words[1], READINGS[1])];
            for (value, equal) in [(-9, true), (-1, false), (0, true), (5, true), (12, false)] {
                let value = value.into();
                let fact = Fact::Modular { terms: terms.clone(), width: 3, value, equal };
                agree(&mut pool, &fact, &[&words[0], &words[1]], &values);
            }
        }
    }

    #[test]
    fn wide_words_do_not_overflow() {
        let mut rng = Rng::new(7);
        let mut pool = Pool::new();
        for round in 0..400 {
            let width = rng.pick(&[32, 64, 65]);
            let words: [Word; 3] = std::array::from_fn(|_| register(&mut pool, width));
            let words = [&words[0], &words[1], &words[2]];
            let terms: Vec<LinearTerm> = words[..1 + round % 3]
                .iter()
                .map(|word| {
                    let size = rng.pick(&[1, 3, 40, 63]);
                    let coefficient = (rng.next_u64() >> (64 - size)) as i64;
                    let coefficient = if rng.one_in(2) { -coefficient } else { coefficient };
                    term(coefficient, word, rng.pick(&READINGS))
                })
                .collect();
            let extremes =
                [BitVec::zero(width), BitVec::ones(width), BitVec::ones(width - 1).uext(1)];
            let values: Vec<Vec<BitVec>> = (0..8)
                .map(|_| {
                    let mut value = || match rng.one_in(2) {
                        true => extremes[rng.below(3)].clone(),
                        false => rng.bitvec(width),
                    };
                    vec![value(), value(), value()]
                })
                .collect();
            // Exactly on the border of the first valuation, and just below it.
            let at: IBig = terms
                .iter()
                .map(|t| {
                    let index = words.iter().position(|word| **word == t.word).unwrap();
                    &t.coefficient * t.reading.of(&values[0][index])
                })
                .sum();
            for bound in [at.clone(), at - IBig::ONE] {
                let fact = Fact::AtMost { terms: terms.clone(), bound: bound.clone() };
                agree(&mut pool, &fact, &words, &values);
                let fact = Fact::Modular { terms: terms.clone(), width, value: bound, equal: true };
                agree(&mut pool, &fact, &words, &values);
            }
        }
    }

    #[test]
    fn bounds_out_of_reach_are_constants() {
        let mut pool = Pool::new();
        let x = register(&mut pool, 4);
        let at_most = |coefficient, reading, bound: IBig| Fact::AtMost {
            terms: vec![term(coefficient, &x, reading)],
            bound,
        };
        let far = IBig::ONE << 5000;
        for reading in READINGS {
            for coefficient in [-7, 1] {
                let always = at_most(coefficient, reading, far.clone()).to_expr(&mut pool).unwrap();
                let never = at_most(coefficient, reading, -&far).to_expr(&mut pool).unwrap();
                assert!(pool.is_true(always) && pool.is_false(never));
            }
        }
        for (reading, bound, always) in [
            (Reading::Unsigned, 15, true),
            (Reading::Unsigned, -1, false),
            (Reading::Signed, 7, true),
            (Reading::Signed, -9, false),
        ] {
            let expr = at_most(1, reading, bound.into()).to_expr(&mut pool).unwrap();
            assert_eq!(expr, pool.bool(always), "{reading:?} {bound}");
        }
        let nothing = Fact::AtMost { terms: vec![], bound: IBig::ZERO };
        assert_eq!(nothing.to_expr(&mut pool), Ok(pool.bool(true)));
        assert_eq!(nothing.negated().to_expr(&mut pool), Ok(pool.bool(false)));
    }

    /// Single words are compared in their own width, and two of them without arithmetic.
    #[test]
    fn simple_inequalities_stay_simple() {
        let mut pool = Pool::new();
        let (x, y) = (register(&mut pool, 4), register(&mut pool, 4));
        let three = pool.constant(BitVec::new(4, 3));
        let bound = |coefficient, bound: i32| Fact::AtMost {
            terms: vec![term(coefficient, &x, Reading::Unsigned)],
            bound: bound.into(),
        };
        assert_eq!(bound(1, 3).to_expr(&mut pool).unwrap(), pool.ule(x.state, three).unwrap());
        assert_eq!(bound(-1, -3).to_expr(&mut pool).unwrap(), pool.ule(three, x.state).unwrap());
        let less = |bound: i32, reading| Fact::AtMost {
            terms: vec![term(1, &x, reading), term(-1, &y, reading)],
            bound: bound.into(),
        };
        let expr = less(0, Reading::Signed).to_expr(&mut pool).unwrap();
        assert_eq!(expr, pool.sle(x.state, y.state).unwrap());
        let expr = less(-1, Reading::Unsigned).to_expr(&mut pool).unwrap();
        assert_eq!(expr, pool.binary(BinaryOp::Ult, x.state, y.state).unwrap());
    }

    #[test]
    fn elements_of_memories_are_words() {
        let mut pool = Pool::new();
        let memory = pool.symbol(Sort::Array { index: 2, element: 4 }, None).unwrap();
        let word = Word { state: memory, element: Some(BitVec::new(2, 3)) };
        let fact = Fact::Bit { word: word.clone(), bit: 1, value: false };
        let at = pool.constant(BitVec::new(2, 3));
        let element = pool.read(memory, at).unwrap();
        let bit = pool.slice(element, 1, 1).unwrap();
        assert_eq!(fact.to_expr(&mut pool).unwrap(), pool.not(bit).unwrap());
        assert!(fact.holds(|_| BitVec::new(4, 13)) && !fact.holds(|_| BitVec::new(4, 2)));
    }

    #[test]
    fn facts_that_fit_no_state_are_refused() {
        let mut pool = Pool::new();
        let x = register(&mut pool, 4);
        let memory = pool.symbol(Sort::Array { index: 2, element: 4 }, None).unwrap();
        let one = pool.bool(true);
        let far = (0..9).map(|_| pool.symbol(Sort::BOOL, None).unwrap()).last().unwrap();
        let mut small = Pool::new();
        let bit =
            |state, element, bit| Fact::Bit { word: Word { state, element }, bit, value: true };
        assert_eq!(bit(far, None, 0).to_expr(&mut small), Err(FactError::NotAState));
        assert_eq!(bit(one, None, 0).to_expr(&mut pool), Err(FactError::NotAState));
        let mut refuse = |fact: Fact| match fact.to_expr(&mut pool) {
            Err(FactError::Sort(error)) => error,
            other => panic!("{fact:?} gives {other:?}"),
        };
        let out = SortError::Slice { hi: 4, lo: 4, width: 4 };
        assert_eq!(refuse(bit(x.state, None, 4)), out);
        let address = Some(BitVec::zero(2));
        assert_eq!(refuse(bit(x.state, address, 0)), SortError::NotAnArray(Sort::Bv(4)));
        assert!(matches!(refuse(bit(memory, None, 0)), SortError::NotABitVector(_)));
        let address = Some(BitVec::zero(3));
        assert_eq!(refuse(bit(memory, address, 0)), SortError::Width { found: 3, expected: 2 });
        let modular = |width| Fact::Modular {
            terms: vec![term(1, &x, Reading::Signed)],
            width,
            value: IBig::ONE,
            equal: true,
        };
        assert_eq!(refuse(modular(5)), SortError::Width { found: 4, expected: 5 });
        assert_eq!(refuse(modular(0)), SortError::Unsupported(0));
        assert!(matches!(refuse(modular(u32::MAX)), SortError::Unsupported(_)));
        let huge =
            LinearTerm { coefficient: IBig::ONE << (1 << 20), ..term(1, &x, Reading::Signed) };
        let wide = Fact::AtMost { terms: vec![huge], bound: IBig::ZERO };
        assert!(matches!(refuse(wide), SortError::Unsupported(_)));
    }
}
