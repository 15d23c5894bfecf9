//! Sets of numbers: the reduced product of intervals and, for integers, congruences.

use super::congruence::Congruence;
use super::interval::Interval;
use super::number::Number;

/// That nothing is left: the state is not reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Empty;

/// The values that a term of numbers may have; never empty. Finite ends of integers are
/// in the class, and a single number is known to both parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Values {
    interval: Interval,
    /// None for reals.
    congruence: Option<Congruence>,
}

impl Values {
    pub(super) fn all(integral: bool) -> Self {
        Values { interval: Interval::ALL, congruence: integral.then_some(Congruence::ALL) }
    }

    /// Of a number that is too long, nothing is known.
    pub(super) fn constant(number: Number, integral: bool) -> Self {
        if number.is_long() {
            return Values::all(integral);
        }
        Values {
            interval: Interval::constant(number.clone()),
            congruence: integral.then(|| Congruence::constant(number)),
        }
    }

    /// The members of an interval; of integers, those that are.
    pub(super) fn within(interval: Interval, integral: bool) -> Result<Self, Empty> {
        reduce(interval, integral.then_some(Congruence::ALL))
    }

    /// The integers that leave a residue modulo another number.
    pub(super) fn class(residue: &Number, modulus: &Number) -> Self {
        let class = reduce(Interval::ALL, Some(Congruence::new(residue, modulus)));
        class.expect("classes are not empty")
    }

    pub(super) fn interval(&self) -> &Interval {
        &self.interval
    }

    pub(super) fn congruence(&self) -> Option<&Congruence> {
        self.congruence.as_ref()
    }

    pub(super) fn is_integral(&self) -> bool {
        self.congruence.is_some()
    }

    /// Is nothing known?
    pub(super) fn is_all(&self) -> bool {
        let any_class = self.congruence.as_ref().is_none_or(|class| *class == Congruence::ALL);
        any_class && self.interval == Interval::ALL
    }

    pub(super) fn as_constant(&self) -> Option<&Number> {
        self.interval.as_constant()
    }

    pub(super) fn meet(&self, other: &Self) -> Result<Self, Empty> {
        let interval = self.interval.meet(&other.interval).ok_or(Empty)?;
        let congruence = match (&self.congruence, &other.congruence) {
            (Some(a), Some(b)) => Some(a.meet(b).ok_or(Empty)?),
            (None, _) | (_, None) => None,
        };
        reduce(interval, congruence)
    }

    pub(super) fn meet_interval(&self, other: &Interval) -> Result<Self, Empty> {
        reduce(self.interval.meet(other).ok_or(Empty)?, self.congruence.clone())
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        self.zip(other, Interval::join, Congruence::join)
    }

    /// See [`Interval::widen`]; chains of congruences are short.
    pub(super) fn widen(&self, next: &Self, thresholds: &[Number]) -> Self {
        self.zip(next, |old, new| old.widen(new, thresholds), Congruence::join)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        self.zip(other, Interval::add, Congruence::add)
    }

    pub(super) fn multiply(&self, other: &Self) -> Self {
        self.zip(other, Interval::multiply, Congruence::multiply)
    }

    pub(super) fn square(&self) -> Self {
        self.zip(self, |interval, _| interval.square(), Congruence::multiply)
    }

    pub(super) fn negate(&self) -> Self {
        self.scale(&Number::from(-1))
    }

    pub(super) fn scale(&self, factor: &Number) -> Self {
        if factor.is_zero() {
            return Values::constant(Number::ZERO, self.is_integral());
        }
        let congruence = self.congruence.as_ref().map(|congruence| congruence.scale(factor));
        Values { interval: self.interval.scale(factor), congruence }
    }

    /// The numbers whose product with the factor, which is not zero, is here.
    pub(super) fn divide_by(&self, factor: &Number) -> Result<Self, Empty> {
        let interval = self.interval.over(factor);
        let congruence = match &self.congruence {
            Some(congruence) => Some(congruence.divide_by(factor).ok_or(Empty)?),
            None => None,
        };
        reduce(interval, congruence)
    }

    /// Division of integers that leaves a remainder that is not negative. By zero it has
    /// any value.
    pub(super) fn divide(&self, divisors: &Self) -> Self {
        if divisors.is_negative() {
            return self.divide(&divisors.negate()).negate();
        }
        if !divisors.is_positive() {
            return Values::all(true);
        }
        let interval = self.interval.divide_by_positive(&divisors.interval);
        let congruence = match (&self.congruence, divisors.as_constant()) {
            (Some(congruence), Some(divisor)) => congruence.quotient(divisor),
            (None, _) | (_, None) => Congruence::ALL,
        };
        reduce(interval, Some(congruence)).expect("quotients exist")
    }

    /// The remainder of [`Values::divide`].
    pub(super) fn modulo(&self, divisors: &Self) -> Self {
        if divisors.is_negative() {
            return self.modulo(&divisors.negate());
        }
        if !divisors.is_positive() {
            return Values::all(true);
        }
        let starts_at_zero = self.interval.low().is_some_and(|low| !low.is_negative());
        let smaller = self.interval.high().zip(divisors.interval.low()).is_some_and(|(a, b)| a < b);
        if starts_at_zero && smaller {
            return self.clone();
        }
        let last = divisors.interval.high().map(|divisor| divisor - &Number::ONE);
        let own = self.interval.high().filter(|_| starts_at_zero);
        let high = last.iter().chain(own).min().cloned();
        let interval = Interval::new(Some(Number::ZERO), high).expect("zero is no more");
        let congruence = match (&self.congruence, divisors.as_constant()) {
            (Some(congruence), Some(divisor)) => congruence.remainder(divisor),
            (None, _) | (_, None) => Congruence::ALL,
        };
        reduce(interval, Some(congruence)).expect("remainders exist")
    }

    /// The one quotient that all have by a positive divisor.
    pub(super) fn common_quotient(&self, divisor: &Number) -> Option<Number> {
        let (low, high) = self.interval.low().zip(self.interval.high())?;
        let quotient = low.divide_euclid(divisor).0;
        (quotient == high.divide_euclid(divisor).0).then_some(quotient)
    }

    /// Those of these numbers whose quotients by a number that is not zero are among
    /// these, and perhaps some more.
    pub(super) fn with_quotients(&self, quotients: &Self, divisor: &Number) -> Result<Self, Empty> {
        // number = divisor·quotient + remainder
        let last = &divisor.magnitude() - &Number::ONE;
        let remainders = Interval::new(Some(Number::ZERO), Some(last)).expect("zero is no more");
        self.meet_interval(&quotients.interval.scale(divisor).add(&remainders))
    }

    /// Those of these numbers whose remainders by a positive number are among these, and
    /// perhaps some more.
    pub(super) fn with_remainders(
        &self,
        remainders: &Self,
        divisor: &Number,
    ) -> Result<Self, Empty> {
        let last = divisor - &Number::ONE;
        let first =
            remainders.interval.low().map_or(Number::ZERO, |low| low.max(&Number::ZERO).clone());
        let last = remainders.interval.high().map_or(last.clone(), |high| high.min(&last).clone());
        let up = |end: &Number| {
            let rest = end.modulo(divisor);
            if rest > last {
                &(&(end - &rest) + divisor) + &first
            } else {
                end + &(&first - &rest).max(Number::ZERO)
            }
        };
        let down = |end: &Number| {
            let rest = end.modulo(divisor);
            if rest < first {
                &(&(end - &rest) - divisor) + &last
            } else {
                end - &(&rest - &last).max(Number::ZERO)
            }
        };
        let ends = (self.interval.low().map(up), self.interval.high().map(down));
        let moved = self.meet_interval(&Interval::new(ends.0, ends.1).ok_or(Empty)?)?;
        let Some(class) = &remainders.congruence else { return Ok(moved) };
        moved.meet(&Values::class(class.residue(), &class.modulus().gcd(divisor)))
    }

    /// Integers as reals.
    pub(super) fn to_real(&self) -> Self {
        Values { interval: self.interval.clone(), congruence: None }
    }

    /// The greatest integers that are not greater.
    pub(super) fn to_int(&self) -> Self {
        Values::within(self.interval.floor(), true).expect("every number has one")
    }

    fn is_positive(&self) -> bool {
        self.interval.low().is_some_and(|low| *low > Number::ZERO)
    }

    fn is_negative(&self) -> bool {
        self.interval.high().is_some_and(Number::is_negative)
    }

    fn zip(
        &self,
        other: &Self,
        intervals: impl Fn(&Interval, &Interval) -> Interval,
        congruences: impl Fn(&Congruence, &Congruence) -> Congruence,
    ) -> Self {
        let interval = intervals(&self.interval, &other.interval);
        let classes = self.congruence.as_ref().zip(other.congruence.as_ref());
        let congruence = classes.map(|(a, b)| congruences(a, b));
        reduce(interval, congruence).expect("what holds values is not empty")
    }
}

/// The ends of the interval moved to the next members of the class.
fn reduce(interval: Interval, congruence: Option<Congruence>) -> Result<Values, Empty> {
    let short = |end: Option<&Number>| end.filter(|number| !number.is_long()).cloned();
    let interval = Interval::new(short(interval.low()), short(interval.high())).ok_or(Empty)?;
    let congruence = congruence.map(|congruence| {
        let is_long = congruence.modulus().is_long() || congruence.residue().is_long();
        if is_long { Congruence::ALL } else { congruence }
    });
    let Some(congruence) = congruence else { return Ok(Values { interval, congruence: None }) };
    let interval = interval.round_inward().ok_or(Empty)?;
    if congruence.modulus().is_zero() {
        let number = congruence.residue();
        let inside = interval.contains(number);
        return if inside { Ok(Values::constant(number.clone(), true)) } else { Err(Empty) };
    }
    let interval = if congruence == Congruence::ALL {
        interval
    } else {
        let low = interval.low().map(|low| congruence.round_up(low));
        let high = interval.high().map(|high| congruence.round_down(high));
        Interval::new(low, high).ok_or(Empty)?
    };
    if let Some(number) = interval.as_constant() {
        return Ok(Values::constant(number.clone(), true));
    }
    Ok(Values { interval, congruence: Some(congruence) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: std::ops::RangeInclusive<i64> = -9..=9;

    fn contains(values: &Values, number: &Number) -> bool {
        values.interval.contains(number)
            && values.congruence.as_ref().is_none_or(|congruence| congruence.contains(number))
    }

    fn members(values: &Values) -> Vec<Number> {
        RANGE.map(Number::from).filter(|number| contains(values, number)).collect()
    }

    /// Intervals with ends among a few numbers or at infinity, of all or some residues.
    fn sets() -> Vec<Values> {
        let ends = || [None, Some(-4), Some(-1), Some(0), Some(2), Some(5_i64)].into_iter();
        let end = |end: Option<i64>| end.map(Number::from);
        let mut sets = Vec::new();
        for interval in ends().flat_map(|low| ends().map(move |high| (low, high))) {
            for (residue, modulus) in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 8)] {
                let congruence = Congruence::new(&Number::from(residue), &Number::from(modulus));
                let interval = Interval::new(end(interval.0), end(interval.1));
                sets.extend(interval.and_then(|interval| reduce(interval, Some(congruence)).ok()));
            }
        }
        sets.dedup();
        sets
    }

    #[test]
    fn operators_hold_the_results_of_all_members() {
        for left in sets() {
            for right in sets() {
                let (sum, product) = (left.add(&right), left.multiply(&right));
                let (quotient, remainder) = (left.divide(&right), left.modulo(&right));
                let join = left.join(&right);
                for a in members(&left) {
                    assert!(contains(&join, &a) && contains(&left.square(), &(&a * &a)));
                    for b in members(&right) {
                        assert!(contains(&sum, &(&a + &b)));
                        assert!(contains(&product, &(&a * &b)));
                        if !b.is_zero() {
                            let (exact, rest) = a.divide_euclid(&b);
                            assert!(contains(&quotient, &exact), "{left:?} div {right:?}");
                            assert!(contains(&remainder, &rest), "{left:?} mod {right:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn meets_lose_no_common_member_and_widening_none_of_either() {
        let thresholds = [-3, 3].map(Number::from);
        for left in sets() {
            for right in sets() {
                let meet = left.meet(&right);
                let wide = left.widen(&right, &thresholds);
                for number in RANGE.map(Number::from) {
                    let (a, b) = (contains(&left, &number), contains(&right, &number));
                    assert_eq!(meet.as_ref().is_ok_and(|meet| contains(meet, &number)), a && b);
                    assert!(!(a || b) || contains(&wide, &number));
                }
            }
        }
    }

    #[test]
    fn division_by_a_factor_solves_the_equation() {
        for set in sets() {
            for factor in [-3, -1, 2_i64].map(Number::from) {
                let solutions = set.divide_by(&factor);
                for number in RANGE.map(Number::from) {
                    let found = solutions.as_ref().is_ok_and(|values| contains(values, &number));
                    assert_eq!(found, contains(&set, &(&number * &factor)));
                }
            }
        }
    }

    #[test]
    fn numbers_are_found_back_from_quotients_and_remainders() {
        for set in sets() {
            for results in sets() {
                for divisor in [-3, 2, 4_i64].map(Number::from) {
                    let by_quotient = set.with_quotients(&results, &divisor);
                    let by_remainder = set.with_remainders(&results, &divisor.magnitude());
                    for number in members(&set) {
                        let found = |values: &Result<Values, Empty>| {
                            values.as_ref().is_ok_and(|values| contains(values, &number))
                        };
                        let (quotient, rest) = number.divide_euclid(&divisor);
                        assert!(found(&by_quotient) || !contains(&results, &quotient));
                        assert!(found(&by_remainder) || !contains(&results, &rest));
                    }
                }
            }
        }
    }

    #[test]
    fn ends_move_to_the_next_number_with_the_remainder() {
        let set = |low: i64, high: i64| {
            Values::within(Interval::new(Some(low.into()), Some(high.into())).unwrap(), true)
                .unwrap()
        };
        let byte = Number::from(256);
        assert_eq!(set(-5, 10).with_remainders(&set(0, 127), &byte), Ok(set(0, 10)));
        assert_eq!(set(-5, 10).with_remainders(&set(128, 255), &byte), Ok(set(-5, -1)));
        assert_eq!(set(1, 10).with_remainders(&set(128, 255), &byte), Err(Empty));
    }

    #[test]
    fn remainders_of_small_numbers_are_the_numbers() {
        let bytes = Interval::new(Some(Number::ZERO), Some(Number::from(255))).unwrap();
        let bytes = Values::within(bytes, true).unwrap();
        let modulus = Values::constant(Number::from(256), true);
        assert_eq!(bytes.modulo(&modulus), bytes);
        assert_eq!(Values::all(true).modulo(&modulus), bytes);
        assert_eq!(bytes.common_quotient(&Number::from(256)), Some(Number::ZERO));
        assert_eq!(bytes.common_quotient(&Number::from(255)), None);
    }

    #[test]
    fn reals_are_not_rounded() {
        let half = Number::ONE.over(&Number::from(2));
        let real = Values::constant(half.clone(), false);
        assert_eq!(real.as_constant(), Some(&half));
        assert_eq!(real.to_int(), Values::constant(Number::ZERO, true));
        assert_eq!(Values::within(Interval::constant(half), true), Err(Empty));
    }
}
