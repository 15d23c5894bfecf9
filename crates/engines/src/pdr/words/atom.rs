//! The atoms of cubes over words: literals of state bits, linear inequalities, and linear
//! equations modulo a power of two. A cube of the first is a Boolean cube, one of the
//! second a polytope: the atomic reasoning units of the paper; cores and combinations may
//! mix them.
//!
//! Atoms are numbered, so that the loop can copy, sort and hash them.

use std::cmp::Ordering;

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use elinvar_ir::{BitVec, Fact, LinearTerm, Reading};
use elinvar_logic::simulation::{Abstract, Kind};
use rustc_hash::FxHashMap;

use super::circuit::WordInfo;
use crate::pdr::cube::Cube;

/// The number of an atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Atom(u32);

impl Atom {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Coefficients of words, by the words' numbers, none of them zero.
pub(super) type Terms = Vec<(i64, usize)>;

/// What an atom says of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    Bit {
        word: usize,
        bit: u32,
        value: bool,
    },
    /// Σ terms ≤ bound, over the integers.
    AtMost {
        terms: Terms,
        bound: IBig,
    },
    /// Σ terms ≠ value, modulo 2^width.
    Differs {
        terms: Terms,
        width: u32,
        value: BitVec,
    },
}

impl Shape {
    /// `word ≤ bound`.
    pub fn at_most(word: usize, bound: IBig) -> Self {
        Shape::AtMost { terms: vec![(1, word)], bound }
    }

    /// `word ≥ bound`.
    pub fn at_least(word: usize, bound: IBig) -> Self {
        Shape::AtMost { terms: vec![(-1, word)], bound: -bound }
    }

    /// Σ terms ≥ bound, with terms in order and without a common factor.
    pub fn sum_at_least(terms: &[(i64, usize)], bound: &IBig) -> Self {
        let factor =
            terms.iter().fold(UBig::ZERO, |g, &(c, _)| g.gcd(UBig::from(c.unsigned_abs())));
        let factor = i64::try_from(factor).expect("a divisor of 64-bit numbers");
        let negated = terms.iter().map(|&(c, word)| (-c / factor, word)).collect();
        // Σ ≥ b is Σ/f ≥ ⌈b/f⌉.
        let bound = ceil_div(bound, factor);
        Shape::AtMost { terms: negated, bound: -bound }
    }

    pub fn is_bit(&self) -> bool {
        match self {
            Shape::Bit { .. } => true,
            Shape::AtMost { .. } | Shape::Differs { .. } => false,
        }
    }

    /// The words that it speaks of.
    pub fn words(&self) -> impl Iterator<Item = usize> + '_ {
        let (bit, terms): (Option<usize>, &[(i64, usize)]) = match self {
            Shape::Bit { word, .. } => (Some(*word), &[]),
            Shape::AtMost { terms, .. } | Shape::Differs { terms, .. } => (None, terms),
        };
        bit.into_iter().chain(terms.iter().map(|&(_, word)| word))
    }

    /// Does the state satisfy it?
    pub fn holds(&self, words: &[WordInfo], state: &[BitVec]) -> bool {
        match self {
            Shape::Bit { word, bit, value } => state[*word].bit(*bit) == *value,
            Shape::AtMost { terms, bound } => {
                sum(terms, |word| words[word].reading.of(&state[word])) <= *bound
            }
            Shape::Differs { terms, width, value } => {
                modular_sum(terms, *width, |word| &state[word]) != *value
            }
        }
    }

    /// The same for users.
    pub fn to_fact(&self, words: &[WordInfo]) -> Fact {
        let name = |word: usize| words[word].name.clone();
        let linear = |terms: &Terms| {
            let term = |&(coefficient, word): &(i64, usize)| LinearTerm {
                coefficient: IBig::from(coefficient),
                word: name(word),
                reading: words[word].reading,
            };
            terms.iter().map(term).collect()
        };
        match self {
            &Shape::Bit { word, bit, value } => Fact::Bit { word: name(word), bit, value },
            Shape::AtMost { terms, bound } => {
                Fact::AtMost { terms: linear(terms), bound: bound.clone() }
            }
            Shape::Differs { terms, width, value } => Fact::Modular {
                terms: linear(terms),
                width: *width,
                value: IBig::from(value.to_big()),
                equal: false,
            },
        }
    }
}

/// Rounds up; the divisor is positive.
fn ceil_div(number: &IBig, divisor: i64) -> IBig {
    let divisor = IBig::from(divisor);
    let quotient = number / &divisor;
    if &quotient * &divisor < *number { quotient + IBig::ONE } else { quotient }
}

/// The bits of an integer.
pub(super) fn bits(value: &IBig, width: u32) -> BitVec {
    let modulus = IBig::ONE << width as usize;
    let residue = ((value % &modulus) + &modulus) % &modulus;
    BitVec::from_big(width, UBig::try_from(residue).expect("a residue is not negative"))
}

pub(super) fn sum(terms: &[(i64, usize)], value: impl Fn(usize) -> IBig) -> IBig {
    terms.iter().fold(IBig::ZERO, |sum, &(c, word)| sum + value(word) * c)
}

pub(super) fn modular_sum<'a>(
    terms: &[(i64, usize)],
    width: u32,
    value: impl Fn(usize) -> &'a BitVec,
) -> BitVec {
    terms.iter().fold(BitVec::zero(width), |sum, &(c, word)| {
        sum.add(&value(word).mul(&bits(&IBig::from(c), width)))
    })
}

/// Σ terms = value, modulo 2^width; all words have this width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Equation {
    pub terms: Terms,
    pub width: u32,
    pub value: BitVec,
}

impl Equation {
    /// The atom that says that it does not hold.
    pub fn violated(&self) -> Shape {
        let Equation { terms, width, value } = self.clone();
        Shape::Differs { terms, width, value }
    }
}

/// What cubes tell about each word alone.
#[derive(Default)]
pub(super) struct Known {
    ranges: FxHashMap<usize, (IBig, IBig)>,
    bits: FxHashMap<usize, (BitVec, BitVec)>,
}

impl Known {
    pub fn new<'a>(words: &[WordInfo], shapes: impl Iterator<Item = &'a Shape>) -> Self {
        let mut this = Known::default();
        for shape in shapes {
            match shape {
                &Shape::Bit { word, bit, value } => {
                    let width = words[word].width;
                    let zero = || (BitVec::zero(width), BitVec::zero(width));
                    let (known, values) = this.bits.entry(word).or_insert_with(zero);
                    let one = BitVec::from_bits((0..width).map(|other| other == bit));
                    *known = known.or(&one);
                    if value {
                        *values = values.or(&one);
                    }
                }
                Shape::AtMost { terms, bound } => {
                    if let &[(c, word)] = &terms[..] {
                        let range =
                            this.ranges.entry(word).or_insert_with(|| words[word].extremes());
                        match c {
                            1 if *bound < range.1 => range.1 = bound.clone(),
                            -1 if -bound > range.0 => range.0 = -bound,
                            _ => {}
                        }
                    }
                }
                Shape::Differs { .. } => {}
            }
        }
        for (&word, (known, values)) in &this.bits {
            let reading = words[word].reading;
            let (low, high) = Kind::Product.from_bits(known, values).range(reading);
            let range = this.ranges.entry(word).or_insert_with(|| words[word].extremes());
            range.0 = std::mem::take(&mut range.0).max(low);
            range.1 = std::mem::take(&mut range.1).min(high);
        }
        this
    }

    /// Adds what equations tell about words of which others are known.
    pub fn close(&mut self, words: &[WordInfo], equations: &[Equation]) {
        for Equation { terms, width, value } in equations {
            for &(c, word) in terms.iter().filter(|(c, _)| c.abs() == 1) {
                // c·word = value - Σ others, modulo 2^width.
                let others: Terms =
                    terms.iter().filter(|t| t.1 != word).map(|t| (-t.0 * c, t.1)).collect();
                let negated: Terms = others.iter().map(|&(c, word)| (-c, word)).collect();
                let constant = Reading::Unsigned.of(value) * c;
                let low = &constant + self.least(words, &others);
                let high = constant - self.least(words, &negated);
                let info = &words[word];
                let (least, greatest) = info.extremes();
                let reduced = info.reading.of(&bits(&low, *width));
                let last = &reduced + (high - low);
                if last > greatest {
                    continue;
                }
                let range = self.ranges.entry(word).or_insert((least, greatest));
                range.0 = std::mem::take(&mut range.0).max(reduced);
                range.1 = std::mem::take(&mut range.1).min(last);
            }
        }
    }

    /// The words about which something is known.
    pub fn words(&self) -> impl Iterator<Item = usize> + '_ {
        self.ranges.keys().copied()
    }

    /// The least value of a sum over the box.
    pub fn least(&self, words: &[WordInfo], terms: &[(i64, usize)]) -> IBig {
        sum(terms, |word| {
            let (low, high) = match self.ranges.get(&word) {
                Some(range) => range.clone(),
                None => words[word].extremes(),
            };
            let &(c, _) = terms.iter().find(|&&(_, w)| w == word).expect("a word of the terms");
            if c > 0 { low } else { high }
        })
    }

    fn value(&self, words: &[WordInfo], word: usize) -> Abstract {
        let WordInfo { width, reading, .. } = words[word];
        match (self.ranges.get(&word), self.bits.get(&word)) {
            (_, Some((known, values))) => Kind::Product.from_bits(known, values),
            (Some((low, high)), None) if low <= high => {
                Kind::Product.from_range(reading, &bits(low, width), &bits(high, width))
            }
            _ => Kind::Product.top(width),
        }
    }

    /// Does every point of the box satisfy the shape, as far as words tell one by one?
    fn implies(&self, words: &[WordInfo], shape: &Shape) -> bool {
        match shape {
            Shape::Bit { word, bit, value } => self.value(words, *word).bit(*bit) == Some(*value),
            Shape::AtMost { terms, bound } => {
                let negated: Terms = terms.iter().map(|&(c, word)| (-c, word)).collect();
                -self.least(words, &negated) <= *bound
            }
            Shape::Differs { terms, width, value } => {
                let negated: Terms = terms.iter().map(|&(c, word)| (-c, word)).collect();
                let (low, high) = (self.least(words, terms), -self.least(words, &negated));
                excludes_residue(&low, &high, *width, value)
            }
        }
    }
}

/// Is no number of the range equal to the value modulo 2^width?
pub(super) fn excludes_residue(low: &IBig, high: &IBig, width: u32, value: &BitVec) -> bool {
    // The first such number from `low` on.
    let first = low + Reading::Unsigned.of(&value.sub(&bits(low, width)));
    first > *high
}

/// All atoms so far.
#[derive(Default)]
pub(super) struct Atoms {
    shapes: Vec<Shape>,
    numbers: FxHashMap<Shape, Atom>,
}

impl Atoms {
    pub fn atom(&mut self, shape: Shape) -> Atom {
        if let Some(&atom) = self.numbers.get(&shape) {
            return atom;
        }
        let atom = Atom(self.shapes.len() as u32);
        self.shapes.push(shape.clone());
        self.numbers.insert(shape, atom);
        atom
    }

    pub fn shape(&self, atom: Atom) -> &Shape {
        &self.shapes[atom.index()]
    }

    pub fn shapes<'a>(&'a self, atoms: &'a [Atom]) -> impl Iterator<Item = &'a Shape> + 'a {
        atoms.iter().map(|&atom| self.shape(atom))
    }

    /// Is every state of `small` in `large`, as far as single atoms and the box tell?
    pub fn covers(&self, words: &[WordInfo], large: &Cube<Atom>, small: &Cube<Atom>) -> bool {
        if large.subsumes(small) {
            return true;
        }
        if self.shapes(large.atoms()).all(Shape::is_bit)
            && self.shapes(small.atoms()).all(Shape::is_bit)
        {
            return false;
        }
        let mut known = None;
        large.atoms().iter().all(|&atom| {
            let shape = self.shape(atom);
            small.atoms().contains(&atom)
                || self.shapes(small.atoms()).any(|other| at_least_as_strong(other, shape))
                || known
                    .get_or_insert_with(|| Known::new(words, self.shapes(small.atoms())))
                    .implies(words, shape)
        })
    }
}

/// Two inequalities over the same sum, the first with the smaller bound.
fn at_least_as_strong(strong: &Shape, weak: &Shape) -> bool {
    match (strong, weak) {
        (Shape::AtMost { terms: a, bound: x }, Shape::AtMost { terms: b, bound: y }) => {
            a == b && x.cmp(y) != Ordering::Greater
        }
        _ => false,
    }
}
