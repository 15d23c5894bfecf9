//! States as terms, without most of what follows from the rest.

use elinvar_ir::program::{Linear, Sort, Term, Terms};

use super::layout::{Flag, Layout, Pack, Slot};
use super::number::Number;
use super::octagon::{Octagon, Signed};
use super::state::State;
use super::values::Values;

/// What is known of single variables, then of pairs.
pub(super) fn facts(terms: &mut Terms, layout: &Layout, state: &State) -> Vec<Term> {
    let mut facts = Vec::new();
    for (flag, variable) in layout.bools.iter().enumerate() {
        if let Some(value) = state.bool(Flag(flag)) {
            let variable = terms.variable(*variable);
            facts.push(if value { variable } else { terms.not(variable) });
        }
    }
    for (slot, variable) in layout.numbers.iter().enumerate() {
        let variable = terms.variable(*variable);
        facts_of_values(terms, variable, state.number(Slot(slot)), &mut facts);
    }
    for (pack, octagon) in layout.packs.iter().zip(state.octagons()) {
        for pair in irredundant(octagon) {
            let fact = fact_of_pair(terms, layout, pack, &pair);
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    facts
}

fn facts_of_values(terms: &mut Terms, variable: Term, values: &Values, facts: &mut Vec<Term>) {
    let sort = terms.sort(variable).clone();
    if let Some(number) = values.as_constant() {
        let number = terms.number(number.to_rational(), &sort);
        facts.push(terms.equal(variable, number));
        return;
    }
    if let Some(low) = values.interval().low() {
        let low = terms.number(low.to_rational(), &sort);
        facts.push(terms.at_most(low, variable));
    }
    if let Some(high) = values.interval().high() {
        let high = terms.number(high.to_rational(), &sort);
        facts.push(terms.at_most(variable, high));
    }
    if let Some(class) = values.congruence().filter(|class| *class.modulus() > Number::ONE) {
        let modulus = terms.int(class.modulus().to_integer());
        let remainder = terms.modulo(variable, modulus);
        let residue = terms.int(class.residue().to_integer());
        facts.push(terms.equal(remainder, residue));
    }
}

/// `left - right <= bound`, or `=`.
#[derive(PartialEq, Eq, Debug)]
struct Pair {
    left: Signed,
    right: Signed,
    bound: Number,
    equal: bool,
}

/// Bounds on pairs from which all others follow, together with those of single variables:
/// variables at a fixed distance from an earlier one (or its negation) are only said to be
/// there, and of the rest the bounds that no third variable explains.
fn irredundant(octagon: &Octagon) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut leaders: Vec<Signed> = Vec::new();
    for variable in 0..octagon.variables() {
        if octagon.interval(variable).as_constant().is_some() || octagon.is_free(variable) {
            continue;
        }
        let own = Signed::new(variable, false);
        let fixed = |leader: &Signed| {
            Some((*leader, octagon.difference(own, *leader).as_constant()?.clone()))
        };
        match leaders.iter().find_map(fixed) {
            Some((right, bound)) => pairs.push(Pair { left: own, right, bound, equal: true }),
            None => leaders.extend([own, own.negate()]),
        }
    }
    for &left in &leaders {
        for &right in leaders.iter().filter(|right| right.variable() > left.variable()) {
            if let Some(bound) =
                octagon.bound(left, right).filter(|_| !follows(octagon, &leaders, left, right))
            {
                pairs.push(Pair { left, right, bound: bound.clone(), equal: false });
            }
        }
    }
    pairs
}

/// From bounds of single variables, or by way of a third.
fn follows(octagon: &Octagon, leaders: &[Signed], left: Signed, right: Signed) -> bool {
    let Some(bound) = octagon.bound(left, right) else { return true };
    let singles = octagon.bound(left, left.negate()).zip(octagon.bound(right.negate(), right));
    if singles.is_some_and(|(left, right)| left + right <= bound + bound) {
        return true;
    }
    let between = |third: Signed| {
        let way = octagon.bound(left, third).zip(octagon.bound(third, right));
        way.is_some_and(|(first, second)| &(first + second) <= bound)
    };
    leaders.iter().any(|&third| third != left && third != right && between(third))
}

fn fact_of_pair(terms: &mut Terms, layout: &Layout, pack: &Pack, pair: &Pair) -> Term {
    let sort = if pack.integral { Sort::Int } else { Sort::Real };
    let mut difference = Linear::default();
    for (signed, sign) in [(pair.left, 1), (pair.right, -1)] {
        let variable = terms.variable(layout.numbers[pack.members[signed.variable()].0]);
        let sign = if signed.is_negated() { -sign } else { sign };
        let factor = Number::from(sign).to_rational();
        difference
            .add(&Linear { terms: vec![(variable, factor)], constant: Number::ZERO.to_rational() });
    }
    let difference = terms.sum(&difference, &sort);
    let bound = terms.number(pair.bound.to_rational(), &sort);
    if pair.equal { terms.equal(difference, bound) } else { terms.at_most(difference, bound) }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;

    use super::super::interval::Interval;
    use super::super::values::Empty;
    use super::*;

    /// Adds a few bounds on pairs and single variables.
    fn random_octagon(rng: &mut Rng, integral: bool) -> Result<Octagon, Empty> {
        let mut octagon = Octagon::all(4, integral);
        for _ in 0..1 + rng.below(8) {
            let [left, right] = [0; 2].map(|_| Signed::new(rng.below(4), rng.one_in(2)));
            let bound = Number::from(rng.below(9) as i64 - 3);
            let equal = rng.one_in(4);
            if left != right {
                let values =
                    if equal { Interval::constant(bound) } else { Interval::at_most(bound) };
                octagon.restrict_difference(left, right, &values)?;
            }
        }
        Ok(octagon)
    }

    #[test]
    fn all_bounds_follow_from_those_that_are_told() {
        let mut rng = Rng::new(5);
        for round in 0..2000 {
            let integral = round % 2 == 0;
            let Ok(octagon) = random_octagon(&mut rng, integral) else { continue };
            let mut told = Octagon::all(4, integral);
            for variable in 0..4 {
                told.restrict(variable, &octagon.interval(variable)).expect("it is not empty");
            }
            for pair in irredundant(&octagon) {
                let exactly = Interval::constant(pair.bound.clone());
                let values = if pair.equal { exactly } else { Interval::at_most(pair.bound) };
                told.restrict_difference(pair.left, pair.right, &values).expect("it is not empty");
            }
            assert_eq!(told, octagon);
        }
    }

    #[test]
    fn what_follows_is_not_told() {
        let [x, y, z] = [0, 1, 2].map(|variable| Signed::new(variable, false));
        let mut octagon = Octagon::all(3, true);
        octagon.restrict_difference(x, y, &Interval::at_most(Number::ZERO)).unwrap();
        octagon.restrict_difference(y, z, &Interval::at_most(Number::ZERO)).unwrap();
        assert_eq!(irredundant(&octagon).len(), 2);
        octagon.restrict_difference(z, y, &Interval::at_most(Number::ZERO)).unwrap();
        let told = irredundant(&octagon);
        assert_eq!(told.iter().filter(|pair| pair.equal).count(), 1);
        assert_eq!(told.len(), 2);
    }
}
