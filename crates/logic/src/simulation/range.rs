//! Ranges of integers: the arithmetic that the readings of a word share.

use super::number::Number;

/// The integers from `low` to `high`, of which there is one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Range<N> {
    pub low: N,
    pub high: N,
}

impl<N: Number> Range<N> {
    pub fn new(low: N, high: N) -> Self {
        debug_assert!(low <= high, "an empty range: {low:?} to {high:?}");
        Range { low, high }
    }

    /// From the least to the largest of some numbers.
    pub fn spanning<const COUNT: usize>(numbers: [N; COUNT]) -> Self {
        let low = numbers.iter().min().expect("some numbers").clone();
        let high = numbers.iter().max().expect("some numbers").clone();
        Range { low, high }
    }

    pub fn point(value: N) -> Self {
        Range { low: value.clone(), high: value }
    }

    pub fn is_point(&self) -> bool {
        self.low == self.high
    }

    pub fn contains(&self, value: &N) -> bool {
        self.low <= *value && *value <= self.high
    }

    /// The common integers, if there are any.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let low = self.low.clone().max(other.low.clone());
        let high = self.high.clone().min(other.high.clone());
        (low <= high).then_some(Range { low, high })
    }

    pub fn hull(&self, other: &Self) -> Self {
        let low = self.low.clone().min(other.low.clone());
        Range { low, high: self.high.clone().max(other.high.clone()) }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Range { low: self.low.plus(&other.low), high: self.high.plus(&other.high) }
    }

    pub fn minus(&self, other: &Self) -> Self {
        Range { low: self.low.minus(&other.high), high: self.high.minus(&other.low) }
    }

    /// The unsigned reading of a signed range in which no sign changes.
    pub fn natural(&self, width: u32) -> Self {
        if self.low.is_negative() {
            self.plus(&Range::point(N::power(width)))
        } else {
            self.clone()
        }
    }

    /// `None` when the product is too large for any word.
    pub fn times(&self, other: &Self) -> Option<Self> {
        Some(Range::spanning([
            self.low.times(&other.low)?,
            self.low.times(&other.high)?,
            self.high.times(&other.low)?,
            self.high.times(&other.high)?,
        ]))
    }

    /// Is a number of this range less than one of the other?
    pub fn less(&self, other: &Self) -> Option<bool> {
        if self.high < other.low {
            Some(true)
        } else if self.low >= other.high {
            Some(false)
        } else {
            None
        }
    }

    pub fn equal(&self, other: &Self) -> Option<bool> {
        match self.intersect(other) {
            None => Some(false),
            Some(_) => (self.is_point() && other.is_point()).then_some(true),
        }
    }

    pub fn equal_to(&self, value: &N) -> Option<bool> {
        self.equal(&Range::point(value.clone()))
    }

    /// Does a number of this range lie outside the other?
    pub fn leaves(&self, other: &Self) -> Option<bool> {
        if other.contains(&self.low) && other.contains(&self.high) {
            Some(false)
        } else if self.intersect(other).is_none() {
            Some(true)
        } else {
            None
        }
    }

    /// The part below zero.
    fn negative(&self) -> Option<Self> {
        let high = self.high.clone().min(N::zero().minus(&N::one()));
        (self.low <= high).then(|| Range { low: self.low.clone(), high })
    }

    /// The part above zero.
    fn positive(&self) -> Option<Self> {
        let low = self.low.clone().max(N::one());
        (low <= self.high).then(|| Range { low, high: self.high.clone() })
    }

    fn negated(&self) -> Self {
        Range::point(N::zero()).minus(self)
    }

    /// Quotients rounded to zero, by divisors of one sign.
    fn quotients(&self, divisor: &Self) -> Self {
        Range::spanning([
            self.low.quotient(&divisor.low),
            self.low.quotient(&divisor.high),
            self.high.quotient(&divisor.low),
            self.high.quotient(&divisor.high),
        ])
    }
}

/// The hull of the parts that exist; there is one.
fn hull_all<N: Number, const COUNT: usize>(parts: [Option<Range<N>>; COUNT]) -> Range<N> {
    parts.into_iter().flatten().reduce(|a, b| a.hull(&b)).expect("ranges are not empty")
}

/// Do products of two natural numbers need more bits than the width?
pub(super) fn product_overflows<N: Number>(a: &Range<N>, b: &Range<N>, width: u32) -> Option<bool> {
    let fits = |x: &N, y: &N| x.times(y).is_some_and(|product| product < N::power(width));
    match (fits(&a.low, &b.low), fits(&a.high, &b.high)) {
        (false, _) => Some(true),
        (true, true) => Some(false),
        (true, false) => None,
    }
}

/// Division by zero gives all ones.
pub(super) fn unsigned_quotient<N: Number>(a: &Range<N>, b: &Range<N>, width: u32) -> Range<N> {
    let by_zero = b.low.is_zero().then(|| Range::point(N::mask(width)));
    hull_all([by_zero, b.positive().map(|divisor| a.quotients(&divisor))])
}

/// The remainder by zero is the dividend.
pub(super) fn unsigned_remainder<N: Number>(a: &Range<N>, b: &Range<N>) -> Range<N> {
    let by_zero = b.low.is_zero().then(|| a.clone());
    hull_all([by_zero, b.positive().map(|divisor| natural_remainder(a, &divisor))])
}

/// Of natural numbers by positive ones.
fn natural_remainder<N: Number>(a: &Range<N>, divisor: &Range<N>) -> Range<N> {
    let quotients = a.quotients(divisor);
    if quotients.is_point() {
        // a - q·d over the corners of both: exact for one divisor, and for q = 0.
        if let Some(multiples) = divisor.times(&quotients) {
            let exact = a.minus(&multiples);
            let sound = loose_natural_remainder(a, divisor);
            return exact.intersect(&sound).expect("both contain the remainders");
        }
    }
    loose_natural_remainder(a, divisor)
}

/// Remainders are below the divisor and do not exceed the dividend.
fn loose_natural_remainder<N: Number>(a: &Range<N>, divisor: &Range<N>) -> Range<N> {
    let high = divisor.high.minus(&N::one()).min(a.high.clone());
    Range { low: N::zero(), high }
}

/// Division by zero gives 1 for negative dividends and -1 for the others.
pub(super) fn signed_quotient<N: Number>(a: &Range<N>, b: &Range<N>) -> Range<N> {
    let minus_one = N::zero().minus(&N::one());
    let by_zero = b.contains(&N::zero()).then(|| {
        hull_all([
            a.low.is_negative().then(|| Range::point(N::one())),
            (!a.high.is_negative()).then(|| Range::point(minus_one)),
        ])
    });
    let by = |divisor: Option<Range<N>>| divisor.map(|divisor| a.quotients(&divisor));
    hull_all([by_zero, by(b.negative()), by(b.positive())])
}

/// The sign of the dividend, the size of the remainder of the sizes.
pub(super) fn signed_remainder<N: Number>(a: &Range<N>, b: &Range<N>) -> Range<N> {
    let by_zero = b.contains(&N::zero()).then(|| a.clone());
    let by = |divisor: Option<Range<N>>| divisor.map(|divisor| truncated_remainder(a, &divisor));
    hull_all([by_zero, by(b.negative().map(|b| b.negated())), by(b.positive())])
}

/// By positive divisors: each sign of the dividend for itself.
fn truncated_remainder<N: Number>(a: &Range<N>, divisor: &Range<N>) -> Range<N> {
    let zero = a.contains(&N::zero()).then(|| Range::point(N::zero()));
    let positive = a.positive().map(|a| natural_remainder(&a, divisor));
    let negative = a.negative().map(|a| natural_remainder(&a.negated(), divisor).negated());
    hull_all([zero, positive, negative])
}

/// The sign of the divisor; by zero it is the dividend.
pub(super) fn signed_modulo<N: Number>(a: &Range<N>, b: &Range<N>) -> Range<N> {
    let by_zero = b.contains(&N::zero()).then(|| a.clone());
    let positive = b.positive().map(|divisor| floored_remainder(a, &divisor));
    // a mod b = -(-a mod -b)
    let negative = b.negative().map(|b| floored_remainder(&a.negated(), &b.negated()).negated());
    hull_all([by_zero, positive, negative])
}

/// By positive divisors: the remainder of a negative number -a is that of a, seen from
/// the divisor, unless it is zero.
fn floored_remainder<N: Number>(a: &Range<N>, divisor: &Range<N>) -> Range<N> {
    let zero = a.contains(&N::zero()).then(|| Range::point(N::zero()));
    let positive = a.positive().map(|a| natural_remainder(&a, divisor));
    let negative = a.negative().map(|a| {
        // -a = -(q·d + r) with 0 < r < d gives d - r; with a - 1 in the place of a
        // the case r = 0 is not an exception: d - 1 - ((a - 1) mod d).
        let one = Range::point(N::one());
        let remainders = natural_remainder(&a.negated().minus(&one), divisor);
        let mirrored = divisor.minus(&one).minus(&remainders);
        let bound = Range { low: N::zero(), high: divisor.high.minus(&N::one()) };
        mirrored.intersect(&bound).expect("both contain the remainders")
    });
    hull_all([zero, positive, negative])
}
