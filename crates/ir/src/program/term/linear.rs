//! Sums of terms with factors.

use dashu_int::IBig;
use dashu_int::ops::{DivRemEuclid, Gcd};
use dashu_ratio::RBig;

use super::Term;

/// `Σ cᵢ·tᵢ + constant`, the terms in order, no coefficient zero. On integers all
/// numbers are integers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    /// The terms with their coefficients, none of which is zero.
    pub terms: Vec<(Term, RBig)>,
    /// The constant summand.
    pub constant: RBig,
}

impl Linear {
    /// The coefficient of a term; zero if it does not occur.
    pub fn coefficient(&self, term: Term) -> RBig {
        match self.terms.binary_search_by_key(&term, |(term, _)| *term) {
            Ok(at) => self.terms[at].1.clone(),
            Err(_) => RBig::ZERO,
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &Linear) {
        self.add_scaled(other, &RBig::ONE);
    }

    /// Subtracts another sum.
    pub fn subtract(&mut self, other: &Linear) {
        self.add_scaled(other, &RBig::from(-1));
    }

    /// Adds `factor` times another sum.
    pub fn add_scaled(&mut self, other: &Linear, factor: &RBig) {
        self.constant += &other.constant * factor;
        for (term, coefficient) in &other.terms {
            let change = coefficient * factor;
            match self.terms.binary_search_by_key(term, |(term, _)| *term) {
                Ok(at) => self.terms[at].1 += change,
                Err(at) => self.terms.insert(at, (*term, change)),
            }
        }
        self.terms.retain(|(_, coefficient)| !coefficient.is_zero());
    }

    /// Multiplies the sum by a factor.
    pub fn scale(&mut self, factor: &RBig) {
        self.constant *= factor;
        for (_, coefficient) in &mut self.terms {
            *coefficient *= factor;
        }
        self.terms.retain(|(_, coefficient)| !coefficient.is_zero());
    }

    /// The greatest positive number that all coefficients are integer multiples of,
    /// the constant left aside.
    pub fn content(&self) -> RBig {
        let mut numerators = IBig::ZERO;
        let mut denominators = IBig::ONE;
        for (_, coefficient) in &self.terms {
            let numerator = coefficient.numerator().clone();
            let denominator = IBig::from(coefficient.denominator().clone());
            let common = IBig::from((&denominators).gcd(&denominator));
            denominators = denominators / common * denominator;
            numerators = if numerators == IBig::ZERO {
                numerator
            } else {
                IBig::from(numerators.gcd(numerator))
            };
        }
        let numerators = if numerators < IBig::ZERO { -numerators } else { numerators };
        RBig::from(numerators) / RBig::from(denominators)
    }

    /// The least positive integer that makes all numbers integers, as a factor.
    pub fn denominator(&self) -> IBig {
        let numbers = self.terms.iter().map(|(_, factor)| factor).chain([&self.constant]);
        numbers.fold(IBig::ONE, |all, number| {
            let one = IBig::from(number.denominator().clone());
            let common = IBig::from((&all).gcd(&one));
            all / common * one
        })
    }

    /// All numbers modulo an integer, between zero and its size.
    pub(super) fn reduce(&mut self, divisor: &IBig) {
        let reduce = |number: &mut RBig| {
            let (_, remainder) = number.numerator().clone().div_rem_euclid(divisor.clone());
            *number = RBig::from(remainder);
        };
        self.terms.iter_mut().for_each(|(_, coefficient)| reduce(coefficient));
        reduce(&mut self.constant);
        self.terms.retain(|(_, coefficient)| !coefficient.is_zero());
    }
}
