//! Model-based projection: a cube without some variables, around a model.
//!
//! Komuravelli, Gurfinkel, Chaki, "SMT-based model checking for recursive programs" (CAV
//! 2014), Section 5; the integers after Cooper, with the bound that the model tells.
//! The result holds in the state and implies that values exist for what is gone. Where
//! a variable occurs in a way that cannot be solved for (in a product, as an index of a
//! map), it gets its value in the model.

use dashu_int::IBig;
use dashu_int::ops::{DivRemEuclid, Gcd};
use dashu_ratio::RBig;
use elinvar_ir::program::{Linear, Node, Op, Sort, Term, Terms, Value, VariableId};
use rustc_hash::FxHashMap;

use super::valuation::Valuation;

/// Literals over other variables than `gone`. `None` if a map cannot be eliminated, or
/// some value is not specified.
pub fn project(
    terms: &mut Terms,
    state: &mut Valuation,
    literals: Vec<Term>,
    gone: &[VariableId],
) -> Option<Vec<Term>> {
    let mut projection = Projection { terms, state, literals, gone: gone.to_vec() };
    projection.run()?;
    let mut literals = projection.literals;
    literals.sort_unstable();
    literals.dedup();
    let truth = projection.terms.bool(true);
    literals.retain(|&literal| literal != truth);
    Some(literals)
}

struct Projection<'a> {
    terms: &'a mut Terms,
    state: &'a mut Valuation,
    literals: Vec<Term>,
    gone: Vec<VariableId>,
}

/// `sum ⋈ 0`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    AtMost,
    Less,
    Equal,
}

impl Projection<'_> {
    fn run(&mut self) -> Option<()> {
        self.solve_equalities();
        self.maps()?;
        self.remainders()?;
        self.solve_equalities();
        while let Some(variable) = self.next() {
            self.eliminate(variable)?;
            self.gone.retain(|&other| other != variable);
            self.solve_equalities();
        }
        Some(())
    }

    /// A variable that is still there; the one in fewest literals first.
    fn next(&mut self) -> Option<VariableId> {
        let mut counts: FxHashMap<VariableId, usize> = FxHashMap::default();
        for &literal in &self.literals {
            for variable in self.terms.free_variables([literal]) {
                *counts.entry(variable).or_default() += 1;
            }
        }
        self.gone.retain(|variable| counts.contains_key(variable));
        self.gone.iter().copied().min_by_key(|variable| (counts[variable], *variable))
    }

    fn substitute(&mut self, variable: VariableId, value: Term) {
        let symbol = self.terms.variable(variable);
        let mut map = FxHashMap::default();
        map.insert(symbol, value);
        for literal in &mut self.literals {
            *literal = self.terms.replace(*literal, &mut map);
        }
        self.gone.retain(|&other| other != variable);
    }

    fn mentions(&self, term: Term, variable: VariableId) -> bool {
        self.terms.free_variables([term]).binary_search(&variable).is_ok()
    }

    /// Replaces variables that an equality tells.
    fn solve_equalities(&mut self) {
        while let Some((variable, value)) = self.solvable() {
            self.substitute(variable, value);
        }
    }

    fn solvable(&mut self) -> Option<(VariableId, Term)> {
        for at in 0..self.literals.len() {
            let literal = self.literals[at];
            // A Boolean literal tells its variable.
            let (atom, positive) = match self.terms.as_op(literal, Op::Not) {
                Some(&[atom]) => (atom, false),
                _ => (literal, true),
            };
            if let Node::Variable(variable) = *self.terms.node(atom)
                && self.gone.contains(&variable)
            {
                return Some((variable, self.terms.bool(positive)));
            }
            let Some(&[left, right]) = self.terms.as_op(literal, Op::Equal) else { continue };
            if let Some(found) = self.solve(left, right) {
                return Some(found);
            }
        }
        None
    }

    /// `variable = term`, from an equality, if the term does not mention the variable.
    fn solve(&mut self, left: Term, right: Term) -> Option<(VariableId, Term)> {
        let sort = self.terms.sort(left).clone();
        if !sort.is_arithmetic() {
            for (side, other) in [(left, right), (right, left)] {
                if let Node::Variable(variable) = *self.terms.node(side)
                    && self.gone.contains(&variable)
                    && !self.mentions(other, variable)
                {
                    return Some((variable, other));
                }
            }
            return None;
        }
        let mut sum = self.terms.linear(left);
        sum.subtract(&self.terms.linear(right));
        for (summand, factor) in sum.terms.clone() {
            let Node::Variable(variable) = *self.terms.node(summand) else { continue };
            let unit = factor == RBig::ONE || factor == RBig::from(-1);
            if !self.gone.contains(&variable) || (sort == Sort::Int && !unit) {
                continue;
            }
            let mut rest = sum.clone();
            rest.terms.retain(|(term, _)| *term != summand);
            if rest.terms.iter().any(|(term, _)| self.mentions(*term, variable)) {
                continue;
            }
            rest.scale(&(RBig::from(-1) / factor));
            return Some((variable, self.terms.sum(&rest, &sort)));
        }
        None
    }

    /// Maps are only read here: each read becomes a variable, and which reads are at
    /// the same place, the model tells.
    fn maps(&mut self) -> Option<()> {
        let is_map = |terms: &Terms, v: VariableId| matches!(terms.variable_sort(v), Sort::Map(_));
        while let Some(&map) = self.gone.iter().find(|&&v| is_map(self.terms, v)) {
            let symbol = self.terms.variable(map);
            let reads: Vec<Term> = self
                .terms
                .subterms(self.literals.iter().copied())
                .into_iter()
                .filter(|&term| {
                    self.terms.as_op(term, Op::Select).is_some_and(|read| read[0] == symbol)
                })
                .collect();
            // Inner reads come first; outer ones change with them.
            let Some(&read) = reads.first() else {
                if self.literals.iter().any(|&literal| self.mentions(literal, map)) {
                    return None;
                }
                self.gone.retain(|&other| other != map);
                continue;
            };
            let index = self.terms.children(read)[1];
            let value = self.state.value(self.terms, read)?;
            let sort = self.terms.sort(read).clone();
            let element = self.terms.declare("element", sort);
            self.state.set(element, value);
            let element_term = self.terms.variable(element);
            for &other in &reads[1..] {
                let other_index = self.terms.children(other)[1];
                let same = self.terms.equal(index, other_index);
                if self.state.holds(self.terms, same) {
                    // Reads at the same place are one: by the same index.
                    self.literals.push(same);
                    let mut map = FxHashMap::default();
                    map.insert(other, element_term);
                    for literal in &mut self.literals {
                        *literal = self.terms.replace(*literal, &mut map);
                    }
                } else {
                    let order = self.apart(index, other_index)?;
                    self.literals.push(order);
                }
            }
            let mut replaced = FxHashMap::default();
            replaced.insert(read, element_term);
            for literal in &mut self.literals {
                *literal = self.terms.replace(*literal, &mut replaced);
            }
            self.gone.push(element);
        }
        Some(())
    }

    /// A literal that keeps two terms apart, as the model has them.
    fn apart(&mut self, left: Term, right: Term) -> Option<Term> {
        if self.terms.sort(left).is_arithmetic() {
            let less = self.terms.less(left, right);
            let greater = self.terms.less(right, left);
            return Some(if self.state.holds(self.terms, less) { less } else { greater });
        }
        let same = self.terms.equal(left, right);
        Some(self.terms.not(same))
    }

    /// Division by numbers, of what is to go: `e = m·q + r` with `0 <= r < |m|`.
    fn remainders(&mut self) -> Option<()> {
        loop {
            let found = self.terms.subterms(self.literals.iter().copied()).into_iter().find(|&t| {
                let Node::Apply(Op::Divide | Op::Modulo, children) = self.terms.node(t) else {
                    return false;
                };
                let constant = self.terms.as_number(children[1]).is_some_and(|m| !m.is_zero());
                let variables = self.terms.free_variables([children[0]]);
                constant && variables.iter().any(|variable| self.gone.contains(variable))
            });
            let Some(term) = found else { return Some(()) };
            let (number, divisor) = (self.terms.children(term)[0], self.terms.children(term)[1]);
            let quotient_term = self.terms.divide(number, divisor);
            let remainder_term = self.terms.modulo(number, divisor);
            let quotient = self.state.value(self.terms, quotient_term)?;
            let remainder = self.state.value(self.terms, remainder_term)?;
            let q = self.terms.declare("quotient", Sort::Int);
            let r = self.terms.declare("remainder", Sort::Int);
            self.state.set(q, quotient);
            self.state.set(r, remainder);
            let (q_term, r_term) = (self.terms.variable(q), self.terms.variable(r));
            let mut map = FxHashMap::default();
            map.insert(quotient_term, q_term);
            map.insert(remainder_term, r_term);
            for literal in &mut self.literals {
                *literal = self.terms.replace(*literal, &mut map);
            }
            let size = self.terms.as_number(divisor)?;
            let size = if size < RBig::ZERO { -size } else { size };
            let (zero, size) = (self.terms.int(0), self.terms.number(size, &Sort::Int));
            let product = self.terms.multiply(divisor, q_term);
            let sum = self.terms.add([product, r_term]);
            let new = [
                self.terms.equal(number, sum),
                self.terms.at_most(zero, r_term),
                self.terms.less(r_term, size),
            ];
            self.literals.extend(new);
            self.gone.extend([q, r]);
        }
    }

    fn eliminate(&mut self, variable: VariableId) -> Option<()> {
        match self.terms.variable_sort(variable).clone() {
            Sort::Int if self.is_linear(variable) => self.integer(variable),
            Sort::Real if self.is_linear(variable) => self.real(variable),
            Sort::Int | Sort::Real | Sort::Bool | Sort::Word(_) => self.by_value(variable),
            Sort::Map(_) => None,
            Sort::Named(_) => self.element(variable),
        }
    }

    /// The value in the model.
    fn by_value(&mut self, variable: VariableId) -> Option<()> {
        let value = match self.state.variable(self.terms, variable) {
            Value::Bool(value) => self.terms.bool(value),
            Value::Int(value) => self.terms.int(value),
            Value::Real(value) => self.terms.real(value),
            Value::Word(value) => self.terms.word(value.0),
            Value::Element(..) | Value::Map(_) => return None,
        };
        self.substitute(variable, value);
        Some(())
    }

    /// An element of an uninterpreted type: equalities were solved; it differs from
    /// finitely many others, and types are taken to be large enough.
    fn element(&mut self, variable: VariableId) -> Option<()> {
        let symbol = self.terms.variable(variable);
        let mut kept = Vec::new();
        for literal in std::mem::take(&mut self.literals) {
            if !self.mentions(literal, variable) {
                kept.push(literal);
                continue;
            }
            let differs = self.terms.as_op(literal, Op::Not).is_some_and(|not| {
                self.terms.as_op(not[0], Op::Equal).is_some_and(|sides| sides.contains(&symbol))
            });
            if !differs {
                return None;
            }
        }
        self.literals = kept;
        Some(())
    }

    /// Does the variable occur only as a summand of comparisons and remainders of sums?
    fn is_linear(&self, variable: VariableId) -> bool {
        self.literals.iter().all(|&literal| match self.constraint(literal) {
            Some(Constraint::Sum(_, sum) | Constraint::Divides(_, sum)) => {
                sum.terms.iter().all(|(term, _)| {
                    matches!(self.terms.node(*term), Node::Variable(v) if *v == variable)
                        || !self.mentions(*term, variable)
                })
            }
            None => !self.mentions(literal, variable),
        })
    }

    fn constraint(&self, literal: Term) -> Option<Constraint> {
        let Node::Apply(op, children) = self.terms.node(literal) else { return None };
        let relation = match op {
            Op::AtMost => Relation::AtMost,
            Op::Less => Relation::Less,
            Op::Equal if self.terms.sort(children[0]).is_arithmetic() => Relation::Equal,
            _ => return None,
        };
        // `sum mod m = r`, as it is made below.
        if relation == Relation::Equal
            && let Some(&[inner, divisor]) = self.terms.as_op(children[0], Op::Modulo)
            && let (Some(divisor), Some(rest)) =
                (self.terms.as_number(divisor), self.terms.as_number(children[1]))
            && RBig::ZERO <= rest
            && rest < divisor
        {
            let mut sum = self.terms.linear(inner);
            sum.constant -= rest;
            return Some(Constraint::Divides(divisor.into_parts().0, sum));
        }
        let mut sum = self.terms.linear(children[0]);
        sum.subtract(&self.terms.linear(children[1]));
        Some(Constraint::Sum(relation, sum))
    }

    /// Takes the literals out that speak of a variable.
    fn take(&mut self, variable: VariableId) -> Vec<Constraint> {
        let mut taken = Vec::new();
        let mut kept = Vec::new();
        for literal in std::mem::take(&mut self.literals) {
            if self.mentions(literal, variable) {
                taken.push(self.constraint(literal).expect("the variable occurs linearly"));
            } else {
                kept.push(literal);
            }
        }
        self.literals = kept;
        taken
    }

    fn number(&mut self, sum: &Linear) -> Option<RBig> {
        let mut value = sum.constant.clone();
        for (term, factor) in &sum.terms {
            value += self.state.value(self.terms, *term)?.as_number()? * factor;
        }
        Some(value)
    }

    /// Cooper's elimination: all is scaled to `L·x`, which is then set to the greatest
    /// lower bound plus what the remainders need.
    fn integer(&mut self, variable: VariableId) -> Option<()> {
        let symbol = self.terms.variable(variable);
        let constraints = self.take(variable);
        let mut scale = IBig::ONE;
        for constraint in &constraints {
            scale = common_multiple(&scale, constraint.sum().coefficient(symbol).numerator());
        }
        let scaled: Vec<Scaled> =
            constraints.iter().map(|constraint| Scaled::of(constraint, symbol, &scale)).collect();
        let value =
            RBig::from(scale.clone()) * self.state.variable(self.terms, variable).as_number()?;
        let place = match self.place(&scaled, &value, &scale)? {
            Place::At(place) => place,
            // Only remainders stay, and any x with the same ones will do.
            Place::Unbounded => return self.remainders_alone(&scaled, &value, &scale),
        };
        // The value itself is a multiple of the scale.
        if scale != IBig::ONE {
            self.push_divides(&scale, &place);
        }
        for one in &scaled {
            let mut sum = one.rest.clone();
            sum.add_scaled(&place, &RBig::from(one.sign));
            match &one.kind {
                Kind::Divides(divisor) => self.push_divides(divisor, &sum),
                Kind::Sum(relation) => self.push_sum(*relation, &sum, &Sort::Int),
            }
        }
        Some(())
    }

    /// Where the scaled variable is put; `None` if a bound has no value.
    fn place(&mut self, scaled: &[Scaled], value: &RBig, scale: &IBig) -> Option<Place> {
        let mut best: Option<(RBig, Linear)> = None;
        for one in scaled {
            let Kind::Sum(relation) = one.kind else { continue };
            // sign·y + rest <= 0, that is, y >= rest for a negative sign.
            let mut bound = one.rest.clone();
            if relation == Relation::Equal {
                bound.scale(&RBig::from(-one.sign));
                return Some(Place::At(bound));
            }
            if one.sign < 0 {
                let at = self.number(&bound)?;
                if best.as_ref().is_none_or(|(other, _)| at > *other) {
                    best = Some((at, bound));
                }
            }
        }
        let Some((at, mut bound)) = best else { return Some(Place::Unbounded) };
        let period = period(scaled, scale);
        let distance = (value - at).into_parts().0;
        let (_, offset) = distance.div_rem_euclid(period);
        bound.constant += RBig::from(offset);
        Some(Place::At(bound))
    }

    fn remainders_alone(&mut self, scaled: &[Scaled], value: &RBig, scale: &IBig) -> Option<()> {
        let (_, residue) = value.numerator().clone().div_rem_euclid(period(scaled, scale));
        for one in scaled {
            let Kind::Divides(divisor) = &one.kind else { continue };
            let mut sum = one.rest.clone();
            sum.constant += RBig::from(residue.clone()) * RBig::from(one.sign);
            self.push_divides(divisor, &sum);
        }
        Some(())
    }

    /// By Loos and Weispfenning: the greatest lower bound against all upper bounds.
    fn real(&mut self, variable: VariableId) -> Option<()> {
        let symbol = self.terms.variable(variable);
        let constraints = self.take(variable);
        // x ⋈ bound, with the side.
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for constraint in constraints {
            let Constraint::Sum(relation, mut sum) = constraint else { return None };
            let factor = sum.coefficient(symbol);
            sum.terms.retain(|(term, _)| *term != symbol);
            sum.scale(&(RBig::from(-1) / &factor));
            let at = self.number(&sum)?;
            if relation == Relation::Equal || factor < RBig::ZERO {
                lower.push((at.clone(), relation == Relation::Less, sum.clone()));
            }
            if relation == Relation::Equal || factor > RBig::ZERO {
                upper.push((at, relation == Relation::Less, sum));
            }
        }
        let Some(greatest) =
            lower.iter().max_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1))).cloned()
        else {
            return Some(());
        };
        let order = |projection: &mut Self, one: &Linear, other: &Linear, strict: bool| {
            let mut sum = one.clone();
            sum.subtract(other);
            let relation = if strict { Relation::Less } else { Relation::AtMost };
            projection.push_sum(relation, &sum, &Sort::Real);
        };
        for (_, strict, bound) in &lower {
            // An upper strict bound above keeps a weak one below it.
            order(self, bound, &greatest.2, *strict && !greatest.1);
        }
        for (_, strict, bound) in &upper {
            order(self, &greatest.2, bound, *strict || greatest.1);
        }
        Some(())
    }

    fn push_sum(&mut self, relation: Relation, sum: &Linear, sort: &Sort) {
        let left = self.terms.sum(sum, sort);
        let zero = self.terms.number(RBig::ZERO, sort);
        let literal = match relation {
            Relation::AtMost => self.terms.at_most(left, zero),
            Relation::Less => self.terms.less(left, zero),
            Relation::Equal => self.terms.equal(left, zero),
        };
        self.literals.push(literal);
    }

    fn push_divides(&mut self, divisor: &IBig, sum: &Linear) {
        let number = self.terms.sum(sum, &Sort::Int);
        let divisor = self.terms.int(divisor.clone());
        let zero = self.terms.int(0);
        let rest = self.terms.modulo(number, divisor);
        let literal = self.terms.equal(rest, zero);
        self.literals.push(literal);
    }
}

enum Constraint {
    Sum(Relation, Linear),
    /// The number divides the sum.
    Divides(IBig, Linear),
}

impl Constraint {
    fn sum(&self) -> &Linear {
        match self {
            Constraint::Sum(_, sum) | Constraint::Divides(_, sum) => sum,
        }
    }
}

#[derive(Clone)]
enum Kind {
    Sum(Relation),
    Divides(IBig),
}

/// Where a scaled variable is put when it is eliminated.
enum Place {
    /// At the value of this expression.
    At(Linear),
    /// Anywhere far enough below: nothing bounds it from below.
    Unbounded,
}

/// A constraint on `sign·y + rest`, with `y = scale·x`.
struct Scaled {
    kind: Kind,
    sign: i32,
    rest: Linear,
}

impl Scaled {
    fn of(constraint: &Constraint, symbol: Term, scale: &IBig) -> Self {
        let coefficient = constraint.sum().coefficient(symbol);
        let sign = if coefficient < RBig::ZERO { -1 } else { 1 };
        let factor = RBig::from(scale.clone()) / (coefficient * RBig::from(sign));
        let mut rest = constraint.sum().clone();
        rest.terms.retain(|(term, _)| *term != symbol);
        rest.scale(&factor);
        let kind = match constraint {
            Constraint::Sum(relation, _) => Kind::Sum(*relation),
            Constraint::Divides(divisor, _) => Kind::Divides(divisor * factor.into_parts().0),
        };
        Scaled { kind, sign, rest }
    }
}

/// Values of y that differ by this have the same remainders.
fn period(scaled: &[Scaled], scale: &IBig) -> IBig {
    scaled.iter().fold(scale.clone(), |period, one| match &one.kind {
        Kind::Divides(divisor) => common_multiple(&period, divisor),
        Kind::Sum(_) => period,
    })
}

fn common_multiple(a: &IBig, b: &IBig) -> IBig {
    let product = a * b;
    let product = if product < IBig::ZERO { -product } else { product };
    product / IBig::from(a.gcd(b))
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;

    use super::*;

    fn state(values: &[(VariableId, i32)]) -> Valuation {
        let values = values.iter().map(|&(v, number)| (v, Value::Int(IBig::from(number))));
        Valuation::new(values.collect(), Vec::new())
    }

    fn literal(terms: &mut Terms, random: &mut Rng, symbols: &[Term]) -> Term {
        let mut sum = terms.int(random.below(9) as i32 - 4);
        for &symbol in symbols {
            let factor = terms.int(random.below(7) as i32 - 3);
            let product = terms.multiply(factor, symbol);
            sum = terms.add([sum, product]);
        }
        if random.one_in(3) {
            let divisor = terms.int(random.below(3) as i32 + 2);
            sum = if random.one_in(3) {
                terms.divide(sum, divisor)
            } else {
                terms.modulo(sum, divisor)
            };
        }
        let bound = terms.int(random.below(5) as i32 - 1);
        if random.one_in(3) { terms.equal(sum, bound) } else { terms.at_most(sum, bound) }
    }

    #[test]
    fn a_projection_holds_in_the_state_and_can_be_undone() {
        let mut random = Rng::new(5);
        let mut done = 0;
        for _ in 0..600 {
            let mut terms = Terms::new();
            let (x, y) = (terms.declare("x", Sort::Int), terms.declare("y", Sort::Int));
            let symbols = [terms.variable(x), terms.variable(y)];
            let here = [(x, random.below(9) as i32 - 4), (y, random.below(9) as i32 - 4)];
            let mut at = state(&here);
            let mut literals = Vec::new();
            for _ in 0..4 {
                let one = literal(&mut terms, &mut random, &symbols);
                let not = terms.not(one);
                if at.holds(&terms, one) {
                    literals.push(one);
                } else if terms.as_op(not, Op::Not).is_none() {
                    literals.push(not);
                }
            }
            let left = project(&mut terms, &mut at, literals.clone(), &[x]).expect("linear");
            assert!(terms.free_variables(left.iter().copied()).iter().all(|&v| v == y));
            assert!(left.iter().all(|&literal| at.holds(&terms, literal)));
            for value in -8..=8 {
                let mut other = state(&[(y, value)]);
                if !left.iter().all(|&literal| other.holds(&terms, literal)) {
                    continue;
                }
                let satisfied = (-120..=120).any(|number| {
                    let mut both = state(&[(x, number), (y, value)]);
                    literals.iter().all(|&literal| both.holds(&terms, literal))
                });
                assert!(satisfied, "no x for y = {value}");
                done += 1;
            }
        }
        assert!(done > 1000, "{done}");
    }

    /// `x = a[i]` with `a` to go: nothing is left of the map, and the rest stays.
    #[test]
    fn reads_of_a_map_that_goes_become_free() {
        let mut terms = Terms::new();
        let map = terms.declare("a", Sort::map(Sort::Int, Sort::Int));
        let (i, j) = (terms.declare("i", Sort::Int), terms.declare("j", Sort::Int));
        let [a, i_term, j_term] = [map, i, j].map(|v| terms.variable(v));
        let (first, second) = (terms.select(a, i_term), terms.select(a, j_term));
        let literal = terms.less(first, second);
        let mut values: FxHashMap<VariableId, Value> = FxHashMap::default();
        let zero = Value::Int(IBig::ZERO);
        let mut contents = elinvar_ir::program::MapValue::constant(Sort::Int, zero.clone());
        contents.write(Value::Int(IBig::ONE), Value::Int(IBig::from(7)));
        values.insert(map, Value::Map(Box::new(contents)));
        values.insert(i, zero);
        values.insert(j, Value::Int(IBig::ONE));
        let mut at = Valuation::new(values, Vec::new());
        let left = project(&mut terms, &mut at, vec![literal], &[map]).expect("only reads");
        assert_eq!(left, [terms.less(i_term, j_term)]);
    }
}
