//! Interval simulation (3.3.2): a word lies between two signed integers.
//!
//! The rules are those of integer arithmetic. A result that is too large for its word
//! wraps around; it is still an interval when all its values wrap equally often, and
//! unknown (−∞ to ∞) otherwise. Logic operators work on the bits that all words of the
//! interval share, by SELECT and CONJOIN.
//!
//! [`Bounds`] keeps the unsigned reading beside the signed one while an operator is
//! computed: unsigned operators ask for it, and a sum that overflows in one reading may
//! not in the other. An [`Interval`] keeps the signed reading only.

use elinvar_ir::{BinaryOp, UnaryOp};

use super::number::Number;
use super::range::{self, Range};
use super::ternary::{self, Bits};
use super::word::Domain;

/// The word lies in both ranges, read as an unsigned and as a signed number.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bounds<N> {
    pub width: u32,
    /// Within [0, 2^width).
    pub unsigned: Range<N>,
    /// Within [-2^(width-1), 2^(width-1)).
    pub signed: Range<N>,
}

impl<N: Number> Bounds<N> {
    pub fn top(width: u32) -> Self {
        let half = N::power(width - 1);
        Bounds {
            width,
            unsigned: Range::new(N::zero(), N::mask(width)),
            signed: Range::new(N::zero().minus(&half), N::mask(width - 1)),
        }
    }

    /// The words that are congruent to an integer of the range modulo 2^width: a range
    /// again in a reading in which all of them wrap around equally often.
    pub fn wrap(width: u32, range: &Range<N>) -> Self {
        let half = N::power(width - 1);
        let top = Bounds::top(width);
        let reduce = |offset: &N, otherwise: Range<N>| {
            let turns = range.low.plus(offset).shr(width);
            if turns != range.high.plus(offset).shr(width) {
                return otherwise;
            }
            let back = turns.shl(width);
            Range::new(range.low.minus(&back), range.high.minus(&back))
        };
        Bounds {
            width,
            unsigned: reduce(&N::zero(), top.unsigned),
            signed: reduce(&half, top.signed),
        }
    }

    fn point(width: u32, value: N) -> Self {
        Bounds::wrap(width, &Range::new(value.clone(), value))
    }

    fn bool(value: Option<bool>) -> Self {
        value.map_or_else(|| Bounds::top(1), |bit| Bounds::point(1, N::small(bit.into())))
    }

    /// Algorithm 4 (CONJOIN), in both readings.
    pub fn conjoin(bits: &Bits<N>) -> Self {
        let width = bits.width;
        let (mut low, mut high) = (bits.ones.clone(), bits.may.clone());
        // An unknown sign makes the least number when it is set, and any other bit when not.
        let (sign, modulus) = (N::power(width - 1), N::power(width));
        match bits.sign() {
            None => (low, high) = (low.minus(&sign), high.minus(&sign)),
            Some(true) => (low, high) = (low.minus(&modulus), high.minus(&modulus)),
            Some(false) => {}
        }
        Bounds {
            width,
            unsigned: Range::new(bits.ones.clone(), bits.may.clone()),
            signed: Range::new(low, high),
        }
    }

    /// The words within both, if there are any.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        Some(Bounds {
            width: self.width,
            unsigned: self.unsigned.intersect(&other.unsigned)?,
            signed: self.signed.intersect(&other.signed)?,
        })
    }

    /// The words within both, of which there is one. One reading may then exclude a sign
    /// that the other allows.
    pub fn meet(&self, other: &Self) -> Self {
        self.intersect(other).expect("bounds of the same word")
    }

    /// The words of one sign, and those of the other if there are such, as signed numbers:
    /// a range in either reading. Both ranges must allow the same signs, as all operators
    /// here make them.
    fn parts(&self) -> (Range<N>, Option<Range<N>>) {
        if !self.signed.low.is_negative() || self.signed.high.is_negative() {
            return (self.signed.clone(), None);
        }
        let last = self.unsigned.high.minus(&N::power(self.width));
        let negative = Range::new(self.signed.low.clone(), last);
        (negative, Some(Range::new(self.unsigned.low.clone(), self.signed.high.clone())))
    }

    /// An operator on integers, for each combination of signs.
    fn each(&self, other: &Self, apply: impl Fn(&Range<N>, &Range<N>) -> Option<Range<N>>) -> Self {
        let with = |b: &Range<N>| self.each_part(|a| apply(a, b));
        let (first, second) = other.parts();
        match second {
            None => with(&first),
            Some(second) => with(&first).hull(&with(&second)),
        }
    }

    /// An operator on integers, for each sign.
    fn each_part(&self, apply: impl Fn(&Range<N>) -> Option<Range<N>>) -> Self {
        self.each_part_of(self.width, apply)
    }

    /// An operator that gives integers, for each sign; `None` is any integer. The results
    /// are words of this width.
    fn each_part_of(&self, width: u32, apply: impl Fn(&Range<N>) -> Option<Range<N>>) -> Self {
        let of = |part: &Range<N>| match apply(part) {
            Some(range) => Bounds::wrap(width, &range),
            None => Bounds::top(width),
        };
        let (first, second) = self.parts();
        match second {
            None => of(&first),
            Some(second) => of(&first).hull(&of(&second)),
        }
    }

    /// An operator on natural numbers, for each combination of signs.
    fn each_natural(
        &self,
        other: &Self,
        apply: impl Fn(&Range<N>, &Range<N>) -> Option<Range<N>>,
    ) -> Self {
        let natural = |part: &Range<N>| part.natural(self.width);
        self.each(other, |a, b| apply(&natural(a), &natural(b)))
    }

    /// Products of the signed and of the unsigned readings are congruent, but one may be
    /// a range where the other wraps around.
    fn multiply(&self, other: &Self) -> Self {
        let signed = self.each(other, Range::times);
        if self.signed.low.is_negative() || other.signed.low.is_negative() {
            signed.meet(&self.each_natural(other, Range::times))
        } else {
            signed
        }
    }

    fn and(&self, other: &Self) -> Self {
        let (a, b) = (&self.unsigned, &other.unsigned);
        let mask = N::mask(self.width);
        // a ∧ b = a + b - (a ∨ b), and the disjunction is at most all ones.
        let mut low = a.low.plus(&b.low).minus(&mask).max(N::zero());
        if self.signed.high.is_negative() && other.signed.high.is_negative() {
            low = low.max(N::power(self.width - 1));
        }
        Bounds::wrap(self.width, &Range::new(low, a.high.clone().min(b.high.clone())))
    }

    /// The least and the largest amount of a shift, at most the width.
    fn amounts(&self) -> (u32, u32) {
        let clamp = |amount: &N| amount.to_u32().map_or(self.width, |n| n.min(self.width));
        (clamp(&self.unsigned.low), clamp(&self.unsigned.high))
    }

    fn shl(&self, by: &Self) -> Self {
        let (least, most) = by.amounts();
        if least == self.width {
            return Bounds::point(self.width, N::zero());
        }
        if most == self.width {
            return Bounds::top(self.width);
        }
        let factor = Range::new(N::power(least), N::power(most));
        self.each_part(|part| part.times(&factor))
    }

    fn lshr(&self, by: &Self) -> Self {
        let (least, most) = by.amounts();
        self.each_part(|part| {
            let natural = part.natural(self.width);
            Some(Range::new(natural.low.shr(most), natural.high.shr(least)))
        })
    }

    fn ashr(&self, by: &Self) -> Self {
        let (least, most) = by.amounts();
        let at = |bound: &N| Range::spanning([bound.shr(least), bound.shr(most)]);
        self.each_part(|part| Some(at(&part.low).hull(&at(&part.high))))
    }

    /// Rotation to the left, by the same amount whatever the word.
    fn rotate_left(&self, by: u32) -> Self {
        if by == 0 {
            return self.clone();
        }
        let last = self.width - 1;
        self.slice(last - by, 0).concat(&self.slice(last, self.width - by))
    }

    /// The amount of a rotation, if it is the same for all words: below the width.
    fn turns(&self) -> Option<u32> {
        let amount = self.unsigned.is_point().then_some(&self.unsigned.low)?;
        let width = N::small(self.width);
        let turns = amount.quotient(&width).times(&width)?;
        amount.minus(&turns).to_u32()
    }

    fn concat(&self, low: &Self) -> Self {
        self.each_part_of(self.width + low.width, |high| {
            let shifted = Range::new(high.low.shl(low.width), high.high.shl(low.width));
            Some(shifted.plus(&low.unsigned))
        })
    }

    /// Do all combinations of signs agree?
    fn signed_product_overflows(&self, other: &Self) -> Option<bool> {
        let numbers = Bounds::<N>::top(self.width).signed;
        let overflows = |a: &Range<N>, b: &Range<N>| a.times(b)?.leaves(&numbers);
        let with = |b: &Range<N>| agree(self.parts(), |a| overflows(a, b));
        agree(other.parts(), with)
    }

    /// The value of an operator that gives one bit.
    ///
    /// # Panics
    /// If the operator gives a word.
    pub fn predicate(&self, op: BinaryOp, other: &Self) -> Option<bool> {
        use BinaryOp::*;
        let (a, b, top) = (self, other, Bounds::<N>::top(self.width));
        match op {
            Eq => a.unsigned.equal(&b.unsigned).or(a.signed.equal(&b.signed)),
            Ult => a.unsigned.less(&b.unsigned),
            Slt => a.signed.less(&b.signed),
            Uaddo => a.unsigned.plus(&b.unsigned).leaves(&top.unsigned),
            Saddo => a.signed.plus(&b.signed).leaves(&top.signed),
            Ssubo => a.signed.minus(&b.signed).leaves(&top.signed),
            Umulo => range::product_overflows(&a.unsigned, &b.unsigned, self.width),
            Smulo => a.signed_product_overflows(b),
            Sdivo => {
                // The least signed number divided by all ones.
                let least = a.signed.equal_to(&top.signed.low);
                ternary::and(least, b.unsigned.equal_to(&top.unsigned.high))
            }
            And | Xor | Add | Sub | Mul | Udiv | Urem | Sdiv | Srem | Smod | Shl | Lshr | Ashr
            | Rol | Ror | Concat => panic!("{op:?} gives a word"),
        }
    }
}

impl<N: Number> Domain for Bounds<N> {
    fn unary(&self, op: UnaryOp) -> Self {
        let minus_one = || Bounds::point(self.width, N::mask(self.width));
        match op {
            // ¬a = -1 - a, in either reading.
            UnaryOp::Not => {
                let top = Bounds::top(self.width);
                let flip = |range: &Range<N>, all: &Range<N>| {
                    Range::point(all.low.plus(&all.high)).minus(range)
                };
                Bounds {
                    width: self.width,
                    unsigned: flip(&self.unsigned, &top.unsigned),
                    signed: flip(&self.signed, &top.signed),
                }
            }
            UnaryOp::Neg => {
                Bounds::point(self.width, N::zero()).each(self, |a, b| Some(a.minus(b)))
            }
            UnaryOp::RedAnd => Bounds::bool(self.predicate(BinaryOp::Eq, &minus_one())),
            UnaryOp::RedXor => Bounds::top(1),
        }
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        use BinaryOp::*;
        match op {
            And => self.and(other),
            Xor => Bounds::top(self.width),
            Rol => other.turns().map_or_else(|| Bounds::top(self.width), |by| self.rotate_left(by)),
            Ror => other.turns().map_or_else(
                || Bounds::top(self.width),
                |by| self.rotate_left((self.width - by) % self.width),
            ),
            Add => self.each(other, |a, b| Some(a.plus(b))),
            Sub => self.each(other, |a, b| Some(a.minus(b))),
            Mul => self.multiply(other),
            Udiv => {
                self.each_natural(other, |a, b| Some(range::unsigned_quotient(a, b, self.width)))
            }
            Urem => self.each_natural(other, |a, b| Some(range::unsigned_remainder(a, b))),
            Sdiv => self.each(other, |a, b| Some(range::signed_quotient(a, b))),
            Srem => self.each(other, |a, b| Some(range::signed_remainder(a, b))),
            Smod => self.each(other, |a, b| Some(range::signed_modulo(a, b))),
            Shl => self.shl(other),
            Lshr => self.lshr(other),
            Ashr => self.ashr(other),
            Concat => self.concat(other),
            Eq | Ult | Slt | Uaddo | Saddo | Ssubo | Umulo | Smulo | Sdivo => {
                Bounds::bool(self.predicate(op, other))
            }
        }
    }

    fn hull(&self, other: &Self) -> Self {
        Bounds {
            width: self.width,
            unsigned: self.unsigned.hull(&other.unsigned),
            signed: self.signed.hull(&other.signed),
        }
    }

    fn slice(&self, hi: u32, lo: u32) -> Self {
        let width = hi - lo + 1;
        self.each_part_of(width, |part| Some(Range::new(part.low.shr(lo), part.high.shr(lo))))
    }

    fn uext(&self, by: u32) -> Self {
        self.each_part_of(self.width + by, |part| Some(part.natural(self.width)))
    }

    fn sext(&self, by: u32) -> Self {
        self.each_part_of(self.width + by, |part| Some(part.clone()))
    }
}

/// The word lies in a range, read as a signed number.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Interval<N> {
    pub width: u32,
    pub range: Range<N>,
}

impl<N: Number> Interval<N> {
    pub fn of(bounds: Bounds<N>) -> Self {
        Interval { width: bounds.width, range: bounds.signed }
    }

    pub fn bounds(&self) -> Bounds<N> {
        Bounds::wrap(self.width, &self.range)
    }

    /// Is this unsigned number, read as a signed one, in the interval?
    pub fn contains(&self, value: &N) -> bool {
        self.range.contains(&signed(value, self.width))
    }

    /// How many words these are.
    pub fn size(&self) -> N {
        self.range.high.minus(&self.range.low).plus(&N::one())
    }

    /// SELECT for all bits.
    pub fn select(&self) -> Bits<N> {
        let pattern = |bound: &N| bound.low_bits(self.width);
        Bits::select(self.width, &pattern(&self.range.low), &pattern(&self.range.high))
    }
}

impl<N: Number> Domain for Interval<N> {
    fn unary(&self, op: UnaryOp) -> Self {
        let bounds = self.bounds().unary(op);
        Interval::of(match op {
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::RedAnd => bounds,
            UnaryOp::RedXor => bounds.meet(&Bounds::conjoin(&self.select().unary(op))),
        })
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        let bounds = self.bounds().binary(op, &other.bounds());
        Interval::of(if is_logic(op) {
            bounds.meet(&Bounds::conjoin(&self.select().binary(op, &other.select())))
        } else {
            bounds
        })
    }

    fn hull(&self, other: &Self) -> Self {
        Interval { width: self.width, range: self.range.hull(&other.range) }
    }

    fn slice(&self, hi: u32, lo: u32) -> Self {
        Interval::of(self.bounds().slice(hi, lo))
    }

    fn uext(&self, by: u32) -> Self {
        Interval::of(self.bounds().uext(by))
    }

    fn sext(&self, by: u32) -> Self {
        Interval::of(self.bounds().sext(by))
    }
}

/// The answer that is given for both parts.
fn agree<N>(
    (first, second): (Range<N>, Option<Range<N>>),
    answer: impl Fn(&Range<N>) -> Option<bool>,
) -> Option<bool> {
    let common = answer(&first)?;
    second.is_none_or(|part| answer(&part) == Some(common)).then_some(common)
}

/// The signed reading of a word that is read as an unsigned number.
pub(super) fn signed<N: Number>(word: &N, width: u32) -> N {
    if word.bit(width - 1) { word.minus(&N::power(width)) } else { word.clone() }
}

/// Does the operator move and combine bits? The others calculate or compare.
pub(super) fn is_logic(op: BinaryOp) -> bool {
    use BinaryOp::*;
    match op {
        And | Xor | Shl | Lshr | Ashr | Rol | Ror | Concat => true,
        Add | Sub | Mul | Udiv | Urem | Sdiv | Srem | Smod | Eq | Ult | Slt | Uaddo | Saddo
        | Ssubo | Umulo | Smulo | Sdivo => false,
    }
}
