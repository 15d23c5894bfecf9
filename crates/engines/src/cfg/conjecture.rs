//! From a row of obligations that differ in numbers alone to one that covers them.
//!
//! After Krishnan, Chen, Shoham and Gurfinkel, "Global guidance for local generalization
//! in model checking" (CAV 2020): obligations at a location whose literals have the same
//! left sides are a cluster. When the numbers on the right sides of a cluster lie on a
//! line, the literals are added up so that the numbers cancel: `x - y <= k` and
//! `y - z <= -k - 1` for k = 1, 2, 3 become `x - z <= -1`.

use dashu_ratio::RBig;
use elinvar_ir::program::{Linear, LocationId, Op, Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// So many members make a cluster.
const FEW: usize = 3;
/// Only the last ones count.
const MANY: usize = 5;

/// The left sides of inequalities, and the other literals.
type Pattern = (LocationId, Vec<Term>, Vec<Term>);

#[derive(Default)]
pub struct Clusters {
    of: FxHashMap<Pattern, Cluster>,
}

#[derive(Default)]
struct Cluster {
    /// The right sides of the last members.
    members: Vec<Vec<RBig>>,
    /// The greatest of all.
    greatest: Vec<RBig>,
}

impl Clusters {
    /// Takes a cube in, and tells weaker ones that its cluster suggests, the weakest
    /// first.
    pub fn add(&mut self, terms: &mut Terms, at: LocationId, cube: &[Term]) -> Vec<Vec<Term>> {
        let mut sums: Vec<(Term, RBig)> = Vec::new();
        let mut others = Vec::new();
        for &literal in cube {
            match inequality(terms, literal) {
                Some(inequality) => sums.push(inequality),
                None => others.push(literal),
            }
        }
        if sums.is_empty() {
            return Vec::new();
        }
        sums.sort();
        let (sides, bounds): (Vec<Term>, Vec<RBig>) = sums.into_iter().unzip();
        let cluster = self.of.entry((at, sides.clone(), others.clone())).or_default();
        if cluster.members.contains(&bounds) {
            return Vec::new();
        }
        if cluster.greatest.is_empty() {
            cluster.greatest = bounds.clone();
        }
        for (greatest, bound) in cluster.greatest.iter_mut().zip(&bounds) {
            if bound > greatest {
                *greatest = bound.clone();
            }
        }
        cluster.members.push(bounds);
        if cluster.members.len() > MANY {
            cluster.members.remove(0);
        }
        if cluster.members.len() < FEW {
            return Vec::new();
        }
        suggest(terms, &sides, cluster)
            .into_iter()
            .map(|mut cube| {
                cube.extend_from_slice(&others);
                cube.sort_unstable();
                cube.dedup();
                cube
            })
            .collect()
    }
}

/// The sides of `sum <= number` on integers.
fn inequality(terms: &Terms, literal: Term) -> Option<(Term, RBig)> {
    let &[left, right] = terms.as_op(literal, Op::AtMost)? else { return None };
    (*terms.sort(left) == Sort::Int).then_some((left, terms.as_number(right)?))
}

fn suggest(terms: &mut Terms, sides: &[Term], cluster: &Cluster) -> Vec<Vec<Term>> {
    let members = &cluster.members;
    let mut steady = Vec::new();
    let mut moving = Vec::new();
    for at in 0..sides.len() {
        let first = &members[0][at];
        if members.iter().all(|bounds| bounds[at] == *first) {
            steady.push(bounded(terms, sides[at], first));
        } else {
            moving.push(at);
        }
    }
    let mut sums = Vec::new();
    for (position, &one) in moving.iter().enumerate() {
        for &other in &moving[position + 1..] {
            if let Some(sum) = cancel(terms, sides, members, one, other) {
                sums.push(sum);
            }
        }
    }
    if moving.is_empty() || sums.is_empty() && steady.is_empty() {
        return Vec::new();
    }
    // Without what moves; and with what moves down, as it was at first.
    let truth = terms.bool(true);
    let mut without: Vec<Term> = steady.into_iter().chain(sums.iter().copied()).collect();
    without.retain(|&literal| literal != truth);
    let mut with = without.clone();
    let last = members.last().expect("there are members");
    for &at in &moving {
        if last[at] < cluster.greatest[at] {
            with.push(bounded(terms, sides[at], &cluster.greatest[at]));
        }
    }
    if with.len() == without.len() { vec![without] } else { vec![without, with] }
}

fn bounded(terms: &mut Terms, side: Term, bound: &RBig) -> Term {
    let bound = terms.number(bound.clone(), &Sort::Int);
    terms.at_most(side, bound)
}

/// The sum of two literals in which the numbers cancel, if they move against each other.
fn cancel(
    terms: &mut Terms,
    sides: &[Term],
    members: &[Vec<RBig>],
    one: usize,
    other: usize,
) -> Option<Term> {
    let change = |at: usize, member: usize| &members[member][at] - &members[0][at];
    let mover = (1..members.len()).find(|&member| !change(one, member).is_zero())?;
    let ratio = change(other, mover) / change(one, mover);
    let steady = |member| change(other, member) == change(one, member) * &ratio;
    if ratio >= RBig::ZERO || !(1..members.len()).all(steady) {
        return None;
    }
    let mut sum: Linear = terms.linear(sides[one]);
    sum.scale(&-ratio.clone());
    sum.add(&terms.linear(sides[other]));
    let bound = &members[0][other] - &members[0][one] * &ratio;
    sum.constant -= bound;
    let denominator = sum.denominator();
    sum.scale(&RBig::from(denominator));
    let left = terms.sum(&sum, &Sort::Int);
    let zero = terms.int(0);
    Some(terms.at_most(left, zero))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x - y <= k, y - z <= -k - 1: together x - z <= -1.
    #[test]
    fn numbers_that_move_against_each_other_cancel() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| {
            let variable = terms.declare(name, Sort::Int);
            terms.variable(variable)
        });
        let mut clusters = Clusters::default();
        let mut found = Vec::new();
        for k in 1..=3 {
            let (first, second) = (terms.subtract(x, y), terms.subtract(y, z));
            let (k, k1) = (terms.int(k), terms.int(-k - 1));
            let cube = [terms.at_most(first, k), terms.at_most(second, k1)];
            found = clusters.add(&mut terms, LocationId(0), &cube);
        }
        let less = terms.less(x, z);
        assert_eq!(found[0], [less]);
    }

    #[test]
    fn numbers_that_move_alike_suggest_nothing() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| {
            let variable = terms.declare(name, Sort::Int);
            terms.variable(variable)
        });
        let mut clusters = Clusters::default();
        for k in 1..=4 {
            let k = terms.int(k);
            let cube = [terms.at_most(x, k), terms.at_most(y, k)];
            assert!(clusters.add(&mut terms, LocationId(0), &cube).is_empty());
        }
    }
}
