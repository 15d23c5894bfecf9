//! What a condition leaves of a state.

use elinvar_ir::program::{Node, Op, Sort, Term};

use super::evaluate::{Context, Sum};
use super::interval::Interval;
use super::layout::Place;
use super::number::Number;
use super::state::State;
use super::values::{Empty, Values};

/// Of longer sums nothing is concluded for the summands.
const SUMMANDS: usize = 64;

/// What is left of a state, or that nothing is.
type Restricted = Result<(), Empty>;

impl Context<'_> {
    /// Only where the condition holds, or does not. After [`Empty`] the state means
    /// nothing.
    pub(super) fn assume(
        &self,
        state: &mut State,
        condition: Term,
        holds: bool,
        depth: u32,
    ) -> Result<(), Empty> {
        let (op, children) = match self.terms.node(condition) {
            Node::Bool(value) if *value == holds => return Ok(()),
            Node::Bool(_) => return Err(Empty),
            Node::Variable(variable) => {
                return match self.layout.place(*variable) {
                    Place::Bool(flag) => state.restrict_bool(flag, holds),
                    Place::Number(_) | Place::Nowhere => Ok(()),
                };
            }
            Node::Apply(op, children) => (*op, children),
            Node::Int(_) | Node::Real(_) | Node::Word(_) => unreachable!("conditions are Boolean"),
        };
        if !self.spend(depth) {
            return Ok(());
        }
        let depth = depth - 1;
        match (op, &children[..]) {
            (Op::Not, &[inner]) => self.assume(state, inner, !holds, depth),
            (Op::And, parts) if holds => self.assume_all(state, parts, true, depth),
            (Op::Or, parts) if !holds => self.assume_all(state, parts, false, depth),
            (Op::And | Op::Or, parts) => {
                self.assume_any(state, parts.iter().map(|&part| vec![(part, holds)]), depth)
            }
            (Op::Ite, &[condition, then, other]) => {
                let ways = [
                    vec![(condition, true), (then, holds)],
                    vec![(condition, false), (other, holds)],
                ];
                self.assume_any(state, ways, depth)
            }
            (Op::Equal, &[left, right]) => match self.terms.sort(left) {
                Sort::Bool => {
                    let way = |value: bool| vec![(left, value), (right, value == holds)];
                    self.assume_any(state, [way(true), way(false)], depth)
                }
                Sort::Int | Sort::Real => {
                    let sum = self.difference(condition, left, right);
                    let sum = self.simplify(state, &sum, depth);
                    if holds {
                        let zero = Values::constant(Number::ZERO, sum.integral);
                        self.restrict_sum(state, &sum, &zero, depth)
                    } else {
                        self.exclude_zero(state, &sum, depth)
                    }
                }
                Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => Ok(()),
            },
            (Op::AtMost | Op::Less, &[left, right]) => {
                let sum = self.difference(condition, left, right);
                let sum = self.simplify(state, &sum, depth);
                self.assume_order(state, &sum, op == Op::Less, holds, depth)
            }
            _ => Ok(()),
        }
    }

    /// Comparisons are looked at twice: the later ones may say something about the
    /// earlier ones.
    fn assume_all(
        &self,
        state: &mut State,
        parts: &[Term],
        holds: bool,
        depth: u32,
    ) -> Result<(), Empty> {
        for &part in parts {
            self.assume(state, part, holds, depth)?;
        }
        let is_junction = |part: Term| {
            [Op::And, Op::Or, Op::Ite].into_iter().any(|op| self.terms.as_op(part, op).is_some())
        };
        for &part in parts.iter().filter(|part| !is_junction(**part)) {
            self.assume(state, part, holds, depth)?;
        }
        Ok(())
    }

    /// In one of several ways, each a conjunction.
    fn assume_any(
        &self,
        state: &mut State,
        ways: impl IntoIterator<Item = Vec<(Term, bool)>>,
        depth: u32,
    ) -> Result<(), Empty> {
        let mut any: Option<State> = None;
        for way in ways {
            let mut branch = state.clone();
            let mut parts = way.into_iter();
            if parts
                .try_for_each(|(part, holds)| self.assume(&mut branch, part, holds, depth))
                .is_ok()
            {
                any = Some(match any {
                    Some(any) => any.join(&branch),
                    None => branch,
                });
            }
        }
        *state = any.ok_or(Empty)?;
        Ok(())
    }

    /// `sum <= 0` or `sum < 0`, or not.
    fn assume_order(
        &self,
        state: &mut State,
        sum: &Sum,
        strict: bool,
        holds: bool,
        depth: u32,
    ) -> Result<(), Empty> {
        // On integers `sum < 0` is `sum <= -1`; reals are cut at an end that is left in.
        let gap = if sum.integral { Number::ONE } else { Number::ZERO };
        let excluded = strict == holds;
        let end = if excluded { gap } else { Number::ZERO };
        let values = if holds { Interval::at_most(-&end) } else { Interval::at_least(end) };
        if excluded && self.evaluate_sum(state, sum, depth).as_constant() == Some(&Number::ZERO) {
            return Err(Empty);
        }
        self.restrict_sum(state, sum, &Values::within(values, sum.integral)?, depth)
    }

    /// A number at an end of an interval of integers can be left out.
    fn exclude_zero(&self, state: &mut State, sum: &Sum, depth: u32) -> Result<(), Empty> {
        let values = self.evaluate_sum(state, sum, depth);
        if values.as_constant() == Some(&Number::ZERO) {
            return Err(Empty);
        }
        if !sum.integral {
            return Ok(());
        }
        let zero = Some(&Number::ZERO);
        let rest = if values.interval().low() == zero {
            Interval::at_least(Number::ONE)
        } else if values.interval().high() == zero {
            Interval::at_most(Number::from(-1))
        } else {
            return Ok(());
        };
        self.restrict_sum(state, sum, &Values::within(rest, true)?, depth)
    }

    /// Only where the sum is one of these values.
    fn restrict_sum(
        &self,
        state: &mut State,
        sum: &Sum,
        values: &Values,
        depth: u32,
    ) -> Result<(), Empty> {
        let known = self.evaluate_sum(state, sum, depth);
        let values = known.meet(values)?;
        if values == known || sum.parts.len() > SUMMANDS {
            return Ok(());
        }
        for pair in self.pairs(sum) {
            let others = self.evaluate_without(state, sum, &pair.at, depth);
            let both = values.add(&others.negate()).divide_by(&pair.factor)?;
            let (left, right) = (pair.left, pair.right.negate());
            state.restrict_difference(self.layout, left, right, both.interval())?;
        }
        for (at, (part, factor)) in sum.parts.iter().enumerate() {
            let others = self.evaluate_without(state, sum, &[at], depth);
            let part_values = values.add(&others.negate()).divide_by(factor)?;
            self.restrict_part(state, *part, &part_values, depth)?;
        }
        Ok(())
    }

    /// The sum without some of its parts.
    pub(super) fn evaluate_without(
        &self,
        state: &State,
        sum: &Sum,
        left_out: &[usize],
        depth: u32,
    ) -> Values {
        let parts = sum.parts.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
        let parts = parts.map(|(_, part)| part.clone()).collect();
        self.evaluate_sum(state, &Sum { parts, ..sum.clone() }, depth)
    }

    /// Only where the term, which is not a sum, is one of these values.
    fn restrict_part(
        &self,
        state: &mut State,
        term: Term,
        values: &Values,
        depth: u32,
    ) -> Result<(), Empty> {
        let known = self.evaluate_part(state, term, depth);
        let values = known.meet(values)?;
        if values == known {
            return Ok(());
        }
        let (op, children) = match self.terms.node(term) {
            Node::Variable(variable) => {
                return match self.layout.place(*variable) {
                    Place::Number(slot) => state.restrict_number(self.layout, slot, &values),
                    Place::Bool(_) | Place::Nowhere => Ok(()),
                };
            }
            Node::Apply(op, children) => (*op, children),
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Word(_) => return Ok(()),
        };
        state.learn(term, values.clone());
        if !self.spend(depth) {
            return Ok(());
        }
        let depth = depth - 1;
        match (op, &children[..]) {
            (Op::Modulo, &[inner, divisor]) => {
                let Some(divisor) = self.integer(divisor) else { return Ok(()) };
                let all = self.evaluate(state, inner, depth);
                let some = all.with_remainders(&values, &divisor.magnitude())?;
                self.restrict(state, inner, &some, depth)
            }
            (Op::Divide, &[inner, divisor]) => {
                let Some(divisor) = self.integer(divisor) else { return Ok(()) };
                let all = self.evaluate(state, inner, depth);
                let some = all.with_quotients(&values, &divisor)?;
                self.restrict(state, inner, &some, depth)
            }
            (Op::ToReal, &[inner]) => {
                let inner_values = Values::within(values.interval().clone(), true)?;
                self.restrict(state, inner, &inner_values, depth)
            }
            (Op::ToInt, &[inner]) => {
                let fraction =
                    Interval::new(Some(Number::ZERO), Some(Number::ONE)).expect("in order");
                let inner_values = Values::within(values.interval().add(&fraction), false)?;
                self.restrict(state, inner, &inner_values, depth)
            }
            (Op::Ite, &[condition, then, other]) => {
                self.restrict_choice(state, [condition, then, other], &values, depth)
            }
            _ => Ok(()),
        }
    }

    fn restrict(&self, state: &mut State, term: Term, values: &Values, depth: u32) -> Restricted {
        let sum = self.simplify(state, &self.sum(term), depth);
        self.restrict_sum(state, &sum, values, depth)
    }

    /// Of a choice that has some values, a branch that has none of them was not taken.
    fn restrict_choice(
        &self,
        state: &mut State,
        [condition, then, other]: [Term; 3],
        values: &Values,
        depth: u32,
    ) -> Result<(), Empty> {
        let branch = |holds: bool, term: Term| {
            let mut state = state.clone();
            self.assume(&mut state, condition, holds, depth)?;
            self.restrict(&mut state, term, values, depth)?;
            Ok(state)
        };
        *state = match (branch(true, then), branch(false, other)) {
            (Ok(then), Ok(other)) => then.join(&other),
            (Ok(one), Err(Empty)) | (Err(Empty), Ok(one)) => one,
            (Err(Empty), Err(Empty)) => return Err(Empty),
        };
        Ok(())
    }
}
