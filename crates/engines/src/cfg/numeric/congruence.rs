//! Residue classes of integers [Granger, "Static analysis of arithmetical congruences",
//! 1989].

use super::number::Number;

/// The integers `residue + modulus·k`. The modulus is not negative: zero leaves a single
/// number, one leaves them all. The residue is the least that is not negative, unless the
/// modulus is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Congruence {
    modulus: Number,
    residue: Number,
}

impl Congruence {
    pub(super) const ALL: Congruence = Congruence { modulus: Number::ONE, residue: Number::ZERO };

    pub(super) fn new(residue: &Number, modulus: &Number) -> Self {
        let modulus = modulus.magnitude();
        let residue = if modulus.is_zero() { residue.clone() } else { residue.modulo(&modulus) };
        Congruence { modulus, residue }
    }

    pub(super) fn constant(number: Number) -> Self {
        Congruence { modulus: Number::ZERO, residue: number }
    }

    pub(super) fn modulus(&self) -> &Number {
        &self.modulus
    }

    pub(super) fn residue(&self) -> &Number {
        &self.residue
    }

    pub(super) fn contains(&self, number: &Number) -> bool {
        Congruence::new(number, &self.modulus).residue == self.residue
    }

    /// The least member that is not less.
    pub(super) fn round_up(&self, number: &Number) -> Number {
        let missing = (&self.residue - number).modulo(&self.modulus);
        number + &missing
    }

    /// The greatest member that is not greater.
    pub(super) fn round_down(&self, number: &Number) -> Number {
        let surplus = (number - &self.residue).modulo(&self.modulus);
        number - &surplus
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        let apart = &self.residue - &other.residue;
        let modulus = self.modulus.gcd(&other.modulus).gcd(&apart);
        Congruence::new(&self.residue, &modulus)
    }

    /// None if no number is in both.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        if self.modulus.is_zero() {
            return other.contains(&self.residue).then(|| self.clone());
        }
        if other.modulus.is_zero() {
            return self.contains(&other.residue).then(|| other.clone());
        }
        // residue + modulus·k lies in the other class for the k of some class.
        let needed = Congruence::new(&(&other.residue - &self.residue), &other.modulus);
        let steps = needed.divide_by(&self.modulus)?;
        let modulus = &self.modulus * &steps.modulus;
        Some(Congruence::new(&(&self.residue + &(&self.modulus * &steps.residue)), &modulus))
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        Congruence::new(&(&self.residue + &other.residue), &self.modulus.gcd(&other.modulus))
    }

    pub(super) fn scale(&self, factor: &Number) -> Self {
        Congruence::new(&(&self.residue * factor), &(&self.modulus * factor))
    }

    pub(super) fn multiply(&self, other: &Self) -> Self {
        let modulus = (&self.modulus * &other.modulus)
            .gcd(&(&self.modulus * &other.residue))
            .gcd(&(&self.residue * &other.modulus));
        Congruence::new(&(&self.residue * &other.residue), &modulus)
    }

    /// Quotients by a positive number.
    pub(super) fn quotient(&self, divisor: &Number) -> Self {
        let (steps, rest) = self.modulus.divide_euclid(divisor);
        if !rest.is_zero() {
            return Congruence::ALL;
        }
        Congruence::new(&self.residue.divide_euclid(divisor).0, &steps)
    }

    /// Remainders by a positive number.
    pub(super) fn remainder(&self, divisor: &Number) -> Self {
        if self.modulus.modulo(divisor).is_zero() {
            return Congruence::constant(self.residue.modulo(divisor));
        }
        Congruence::new(&self.residue, &self.modulus.gcd(divisor))
    }

    /// The numbers whose product with the factor, which is not zero, is in the class;
    /// none if there are none.
    pub(super) fn divide_by(&self, factor: &Number) -> Option<Self> {
        let common = self.modulus.gcd(factor);
        let (residue, rest) = self.residue.divide_euclid(&common);
        if !rest.is_zero() {
            return None;
        }
        let (modulus, factor) = (self.modulus.over(&common), factor.over(&common));
        if modulus.is_zero() {
            // The factor became one or minus one.
            return Some(Congruence::constant(&residue * &factor));
        }
        Some(Congruence::new(&(&residue * &inverse(&factor, &modulus)), &modulus))
    }
}

/// The inverse of a unit, by Euclid's algorithm.
fn inverse(unit: &Number, modulus: &Number) -> Number {
    let (mut rest, mut next_rest) = (unit.modulo(modulus), modulus.clone());
    let (mut factor, mut next_factor) = (Number::ONE, Number::ZERO);
    // Kept: rest = factor·unit and next_rest = next_factor·unit, modulo the modulus.
    while !next_rest.is_zero() {
        let (quotient, smaller) = rest.divide_euclid(&next_rest);
        let after = &factor - &(&quotient * &next_factor);
        (rest, next_rest) = (next_rest, smaller);
        (factor, next_factor) = (next_factor, after);
    }
    factor.modulo(modulus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Vec<Congruence> {
        (0..=6_i64)
            .flat_map(|modulus| (-2..=5_i64).map(move |residue| (residue, modulus)))
            .map(|(residue, modulus)| Congruence::new(&residue.into(), &modulus.into()))
            .collect()
    }

    const RANGE: std::ops::RangeInclusive<i64> = -30..=30;

    fn members(class: &Congruence) -> Vec<Number> {
        RANGE.map(Number::from).filter(|number| class.contains(number)).collect()
    }

    #[test]
    fn arithmetic_holds_the_results_of_all_members() {
        for left in classes() {
            for right in classes() {
                let (sum, product, join) =
                    (left.add(&right), left.multiply(&right), left.join(&right));
                for a in members(&left).iter().step_by(3) {
                    assert!(join.contains(a));
                    for b in &members(&right) {
                        assert!(sum.contains(&(a + b)));
                        assert!(product.contains(&(a * b)));
                        assert!(join.contains(b));
                    }
                }
            }
        }
    }

    #[test]
    fn meets_are_exact() {
        for left in classes() {
            for right in classes() {
                let meet = left.meet(&right);
                for number in RANGE.map(Number::from) {
                    let both = left.contains(&number) && right.contains(&number);
                    let found = meet.as_ref().is_some_and(|meet| meet.contains(&number));
                    assert_eq!(found, both, "{left:?} and {right:?} at {number:?}");
                }
            }
        }
    }

    #[test]
    fn division_and_its_kin_by_numbers() {
        for class in classes() {
            for divisor in 1..=6_i64 {
                let divisor = Number::from(divisor);
                let (quotient, remainder) = (class.quotient(&divisor), class.remainder(&divisor));
                for number in members(&class) {
                    let (exact, rest) = number.divide_euclid(&divisor);
                    assert!(quotient.contains(&exact) && remainder.contains(&rest));
                }
            }
            for factor in [-4, -1, 1, 2, 3, 6_i64].map(Number::from) {
                let solutions = class.divide_by(&factor);
                for number in RANGE.map(Number::from) {
                    let found = solutions.as_ref().is_some_and(|class| class.contains(&number));
                    assert_eq!(found, class.contains(&(&number * &factor)));
                }
            }
        }
    }

    #[test]
    fn rounding_finds_the_nearest_member() {
        let class = Congruence::new(&Number::from(1), &Number::from(4));
        assert_eq!(class.round_up(&Number::from(-2)), Number::from(1));
        assert_eq!(class.round_down(&Number::from(-2)), Number::from(-3));
        assert_eq!(class.round_up(&Number::from(5)), Number::from(5));
    }
}
