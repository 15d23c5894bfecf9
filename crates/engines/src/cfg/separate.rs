//! Half-spaces between an obligation and what is reached: interpolants without proofs.
//!
//! An interpolant of linear arithmetic is a combination of the obligation's literals
//! with Farkas' coefficients. Z3 gives no proofs to read them from, so that they are
//! found from samples (Albarghouthi and McMillan, "Beautiful interpolants", CAV 2013):
//! small coefficients that put all states known to be reached on the other side; the
//! solver confirms the half-space, or gives a state for the next attempt.

use dashu_ratio::RBig;
use elinvar_ir::program::{Linear, Op, Sort, Term, Terms};

/// No attempts with more literals than this.
const MOST_LITERALS: usize = 6;
const MOST_FACTOR: u32 = 3;

pub struct Separation {
    /// Each at most zero in the obligation.
    sums: Vec<Linear>,
    terms: Vec<Term>,
    /// The values of the sums in states that must stay outside.
    samples: Vec<Vec<RBig>>,
    /// Coefficients, the smallest first; those before `next` are refuted.
    candidates: Vec<Vec<u32>>,
    next: usize,
}

impl Separation {
    /// Of literals `a <= b` on integers.
    pub fn new(terms: &Terms, cube: &[Term]) -> Self {
        let sums: Vec<Linear> = cube
            .iter()
            .map(|&literal| {
                let sides = terms.as_op(literal, Op::AtMost).expect("literals are inequalities");
                let mut sum = terms.linear(sides[0]);
                sum.subtract(&terms.linear(sides[1]));
                sum
            })
            .collect();
        let mut all: Vec<Term> =
            sums.iter().flat_map(|sum| sum.terms.iter().map(|(term, _)| *term)).collect();
        all.sort_unstable();
        all.dedup();
        let candidates =
            if sums.len() <= MOST_LITERALS { coefficients(sums.len()) } else { Vec::new() };
        Separation { sums, terms: all, samples: Vec::new(), candidates, next: 0 }
    }

    /// What samples give values for.
    pub fn terms(&self) -> Vec<Term> {
        self.terms.clone()
    }

    pub fn add_sample(&mut self, values: &[RBig]) {
        let value = |sum: &Linear| {
            sum.terms.iter().fold(sum.constant.clone(), |value, (term, factor)| {
                let at = self.terms.binary_search(term).expect("all terms are listed");
                value + factor * &values[at]
            })
        };
        self.samples.push(self.sums.iter().map(value).collect());
    }

    /// The next half-space (as a literal that the obligation implies) that excludes no
    /// sample.
    pub fn propose(&mut self, terms: &mut Terms) -> Option<Term> {
        while let Some(factors) = self.candidates.get(self.next) {
            self.next += 1;
            let outside = |sample: &Vec<RBig>| {
                let value = sample
                    .iter()
                    .zip(factors)
                    .fold(RBig::ZERO, |sum, (value, &factor)| sum + value * RBig::from(factor));
                value > RBig::ZERO
            };
            if !self.samples.iter().all(outside) {
                continue;
            }
            let mut sum = Linear::default();
            for (one, &factor) in self.sums.iter().zip(factors) {
                sum.add_scaled(one, &RBig::from(factor));
            }
            if sum.terms.is_empty() {
                continue;
            }
            let left = terms.sum(&sum, &Sort::Int);
            let zero = terms.int(0);
            return Some(terms.at_most(left, zero));
        }
        None
    }
}

/// Combinations of at least two literals, those with small coefficients first.
fn coefficients(count: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|start: Vec<u32>| {
                (0..=MOST_FACTOR).map(move |factor| {
                    let mut longer = start.clone();
                    longer.push(factor);
                    longer
                })
            })
            .collect();
    }
    all.retain(|factors| {
        let used = factors.iter().filter(|&&factor| factor > 0).count();
        let divisor = factors.iter().fold(0, |divisor, &factor| gcd(divisor, factor));
        used >= 2 && divisor == 1
    });
    all.sort_by_key(|factors| factors.iter().sum::<u32>());
    all
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
