//! Intervals of numbers with ends included or at infinity
//! [Cousot and Cousot, "Static determination of dynamic properties of programs", 1976].

use super::number::Number;

/// All numbers between two ends; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    /// None is minus infinity.
    low: Option<Number>,
    /// None is infinity.
    high: Option<Number>,
}

impl Interval {
    pub(super) const ALL: Interval = Interval { low: None, high: None };

    /// None if nothing is between the ends.
    pub(super) fn new(low: Option<Number>, high: Option<Number>) -> Option<Self> {
        match (&low, &high) {
            (Some(low), Some(high)) if low > high => None,
            (Some(_) | None, _) => Some(Interval { low, high }),
        }
    }

    pub(super) fn constant(number: Number) -> Self {
        Interval { low: Some(number.clone()), high: Some(number) }
    }

    pub(super) fn at_most(high: Number) -> Self {
        Interval { low: None, high: Some(high) }
    }

    pub(super) fn at_least(low: Number) -> Self {
        Interval { low: Some(low), high: None }
    }

    pub(super) fn low(&self) -> Option<&Number> {
        self.low.as_ref()
    }

    pub(super) fn high(&self) -> Option<&Number> {
        self.high.as_ref()
    }

    pub(super) fn as_constant(&self) -> Option<&Number> {
        self.low().filter(|low| Some(*low) == self.high())
    }

    pub(super) fn contains(&self, number: &Number) -> bool {
        self.low().is_none_or(|low| low <= number) && self.high().is_none_or(|high| number <= high)
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        let low = self.low().zip(other.low()).map(|(a, b)| a.min(b).clone());
        let high = self.high().zip(other.high()).map(|(a, b)| a.max(b).clone());
        Interval { low, high }
    }

    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        let low = self.low().into_iter().chain(other.low()).max();
        let high = self.high().into_iter().chain(other.high()).min();
        Interval::new(low.cloned(), high.cloned())
    }

    /// The next one of a chain that becomes stationary: an end that moves goes to the
    /// next of the thresholds, which are ordered, or to infinity.
    pub(super) fn widen(&self, next: &Self, thresholds: &[Number]) -> Self {
        let low = self.low().zip(next.low()).and_then(|(old, new)| {
            if old <= new {
                return Some(old.clone());
            }
            let above = thresholds.partition_point(|threshold| threshold <= new);
            above.checked_sub(1).map(|at| thresholds[at].clone())
        });
        let high = self.high().zip(next.high()).and_then(|(old, new)| {
            if new <= old {
                return Some(old.clone());
            }
            thresholds.get(thresholds.partition_point(|threshold| threshold < new)).cloned()
        });
        Interval { low, high }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let sum = |a: Option<&Number>, b: Option<&Number>| a.zip(b).map(|(a, b)| a + b);
        Interval { low: sum(self.low(), other.low()), high: sum(self.high(), other.high()) }
    }

    pub(super) fn scale(&self, factor: &Number) -> Self {
        if factor.is_zero() {
            return Interval::constant(Number::ZERO);
        }
        self.map_ends(factor.is_negative(), |end| end * factor)
    }

    /// Quotients of rationals; the divisor is not zero.
    pub(super) fn over(&self, divisor: &Number) -> Self {
        self.map_ends(divisor.is_negative(), |end| end.over(divisor))
    }

    fn map_ends(&self, turned: bool, map: impl Fn(&Number) -> Number) -> Self {
        let (low, high) = (self.low().map(&map), self.high().map(&map));
        if turned { Interval { low: high, high: low } } else { Interval { low, high } }
    }

    /// From the least to the greatest product of two ends.
    pub(super) fn multiply(&self, other: &Self) -> Self {
        let corners =
            self.ends().into_iter().flat_map(|left| other.ends().map(|end| left.times(&end)));
        let corners: Vec<End> = corners.collect();
        let finite = |end: Option<&End>| match end {
            Some(End::Finite(number)) => Some(number.clone()),
            Some(End::MinusInfinity | End::Infinity) | None => None,
        };
        Interval { low: finite(corners.iter().min()), high: finite(corners.iter().max()) }
    }

    /// Of a number with itself.
    pub(super) fn square(&self) -> Self {
        let product = self.multiply(self);
        product.meet(&Interval::at_least(Number::ZERO)).expect("squares are not negative")
    }

    /// Quotients of integers, the divisors positive: monotone in the number, and in the
    /// divisor for numbers of one sign.
    pub(super) fn divide_by_positive(&self, divisors: &Self) -> Self {
        let (least, greatest) = (divisors.low(), divisors.high());
        let quotient = |end: &Number, divisor: Option<&Number>| match divisor {
            Some(divisor) => end.divide_euclid(divisor).0,
            None if end.is_negative() => Number::from(-1),
            None => Number::ZERO,
        };
        let low = |end: &Number| quotient(end, if end.is_negative() { least } else { greatest });
        let high = |end: &Number| quotient(end, if end.is_negative() { greatest } else { least });
        Interval { low: self.low().map(low), high: self.high().map(high) }
    }

    /// The integers of it.
    pub(super) fn round_inward(&self) -> Option<Self> {
        Interval::new(self.low().map(Number::ceil), self.high().map(Number::floor))
    }

    /// The greatest integers below its numbers.
    pub(super) fn floor(&self) -> Self {
        Interval { low: self.low().map(Number::floor), high: self.high().map(Number::floor) }
    }

    fn ends(&self) -> [End; 2] {
        [
            self.low.clone().map_or(End::MinusInfinity, End::Finite),
            self.high.clone().map_or(End::Infinity, End::Finite),
        ]
    }
}

/// An end of an interval, in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    MinusInfinity,
    Finite(Number),
    Infinity,
}

impl End {
    /// Zero times infinity is zero: infinity stands for arbitrarily large numbers.
    fn times(&self, other: &Self) -> Self {
        if let (End::Finite(a), End::Finite(b)) = (self, other) {
            return End::Finite(a * b);
        }
        match self.sign() * other.sign() {
            0 => End::Finite(Number::ZERO),
            1 => End::Infinity,
            _ => End::MinusInfinity,
        }
    }

    fn sign(&self) -> i8 {
        match self {
            End::MinusInfinity => -1,
            End::Finite(number) if number.is_negative() => -1,
            End::Finite(number) if number.is_zero() => 0,
            End::Finite(_) | End::Infinity => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All intervals with ends among a few numbers or at infinity.
    fn intervals() -> Vec<Interval> {
        let ends = || std::iter::once(None).chain((-3..=3_i64).map(|end| Some(end.into())));
        ends()
            .flat_map(|low| ends().filter_map(move |high| Interval::new(low.clone(), high)))
            .collect()
    }

    fn members(interval: &Interval) -> impl Iterator<Item = Number> {
        (-6..=6_i64).map(Number::from).filter(|number| interval.contains(number))
    }

    #[test]
    fn arithmetic_holds_the_results_of_all_members() {
        for left in intervals() {
            for right in intervals() {
                let (sum, product) = (left.add(&right), left.multiply(&right));
                for a in members(&left) {
                    assert!(left.square().contains(&(&a * &a)));
                    for b in members(&right) {
                        assert!(sum.contains(&(&a + &b)), "{left:?} + {right:?}");
                        assert!(product.contains(&(&a * &b)), "{left:?} * {right:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn finite_products_and_quotients_are_the_least_ones() {
        for left in intervals() {
            for right in intervals().iter().filter(|interval| interval.low() > Some(&Number::ZERO))
            {
                let quotient = left.divide_by_positive(right);
                let results: Vec<Number> = members(&left)
                    .flat_map(|a| members(right).map(move |b| a.divide_euclid(&b).0))
                    .collect();
                assert!(results.iter().all(|result| quotient.contains(result)));
                if let (Some(low), Some(high)) = (quotient.low(), quotient.high()) {
                    assert!(results.contains(low) && results.contains(high), "{left:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn meet_and_join_are_those_of_sets() {
        for left in intervals() {
            for right in intervals() {
                let (meet, join) = (left.meet(&right), left.join(&right));
                for number in (-6..=6_i64).map(Number::from) {
                    let (a, b) = (left.contains(&number), right.contains(&number));
                    assert_eq!(meet.as_ref().is_some_and(|meet| meet.contains(&number)), a && b);
                    assert!(!(a || b) || join.contains(&number));
                }
            }
        }
    }

    #[test]
    fn ends_that_move_go_to_a_threshold_and_then_to_infinity() {
        let thresholds: Vec<Number> = [-2, 10].map(Number::from).to_vec();
        let interval =
            |low: i64, high: i64| Interval::new(Some(low.into()), Some(high.into())).unwrap();
        let old = interval(0, 0);
        assert_eq!(old.widen(&interval(0, 1), &thresholds), interval(0, 10));
        assert_eq!(old.widen(&interval(-1, 0), &thresholds), interval(-2, 0));
        assert_eq!(old.widen(&interval(0, 11), &thresholds), Interval::at_least(Number::ZERO));
        assert_eq!(interval(0, 5).widen(&interval(1, 4), &thresholds), interval(0, 5));
    }
}
