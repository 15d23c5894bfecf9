//! The values of terms of numbers in a state.
//!
//! Terms are taken as sums, after remainders, choices and products that the state decides
//! have been replaced by what they are there. Limits: below a nesting of [`DEPTH`], or after
//! [`EFFORT`] subterms of one statement, a term may have any value.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use elinvar_ir::program::{Node, Op, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::interval::Interval;
use super::layout::{Layout, Place};
use super::number::Number;
use super::state::{SignedSlot, State};
use super::values::Values;

/// How deep terms are looked into.
pub(super) const DEPTH: u32 = 24;
/// How many subterms of a statement are looked at.
const EFFORT: u32 = 4000;
/// In longer sums no pairs of variables are looked for.
const PAIRS: usize = 8;

/// What does not change while a program is analysed, and what is remembered of its terms.
pub(super) struct Context<'a> {
    pub(super) terms: &'a Terms,
    pub(super) layout: &'a Layout,
    /// Of terms of numbers their sums, of comparisons the difference of both sides.
    sums: RefCell<FxHashMap<Term, Rc<Sum>>>,
    effort: Cell<u32>,
}

/// `Σ cᵢ·tᵢ + constant`, no term twice, no coefficient zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sum {
    pub(super) parts: Vec<(Term, Number)>,
    pub(super) constant: Number,
    pub(super) integral: bool,
}

/// Two variables whose signed sum, times a positive number, is part of a sum.
pub(super) struct Pair {
    /// Where they are among the parts.
    pub(super) at: [usize; 2],
    pub(super) left: SignedSlot,
    pub(super) right: SignedSlot,
    pub(super) factor: Number,
}

impl Sum {
    fn zero(integral: bool) -> Self {
        Sum { parts: Vec::new(), constant: Number::ZERO, integral }
    }

    fn of(terms: &Terms, term: Term) -> Self {
        let linear = terms.linear(term);
        let parts = linear.terms.into_iter().map(|(part, factor)| (part, factor.into()));
        Sum {
            parts: parts.collect(),
            constant: linear.constant.into(),
            integral: *terms.sort(term) == Sort::Int,
        }
    }

    fn add_part(&mut self, term: Term, factor: &Number) {
        match self.parts.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = &*known + factor,
            None => self.parts.push((term, factor.clone())),
        }
        self.parts.retain(|(_, factor)| !factor.is_zero());
    }

    fn add_scaled(&mut self, other: &Sum, factor: &Number) {
        self.constant = &self.constant + &(&other.constant * factor);
        for (part, coefficient) in &other.parts {
            self.add_part(*part, &(coefficient * factor));
        }
    }
}

impl<'a> Context<'a> {
    pub(super) fn new(terms: &'a Terms, layout: &'a Layout) -> Self {
        Context { terms, layout, sums: RefCell::default(), effort: Cell::new(EFFORT) }
    }

    /// A new statement may be looked at as closely as the last one.
    pub(super) fn begin_statement(&self) {
        self.effort.set(EFFORT);
    }

    /// False when enough was looked at.
    pub(super) fn spend(&self, depth: u32) -> bool {
        let left = self.effort.get();
        self.effort.set(left.saturating_sub(1));
        left > 0 && depth > 0
    }

    pub(super) fn evaluate(&self, state: &State, term: Term, depth: u32) -> Values {
        let sum = self.sum(term);
        self.evaluate_sum(state, &self.simplify(state, &sum, depth), depth)
    }

    pub(super) fn sum(&self, term: Term) -> Rc<Sum> {
        let make = || Rc::new(Sum::of(self.terms, term));
        self.sums.borrow_mut().entry(term).or_insert_with(make).clone()
    }

    /// The left side less the right one.
    pub(super) fn difference(&self, comparison: Term, left: Term, right: Term) -> Rc<Sum> {
        let make = || {
            let mut sum = Sum::of(self.terms, left);
            sum.add_scaled(&Sum::of(self.terms, right), &Number::from(-1));
            Rc::new(sum)
        };
        self.sums.borrow_mut().entry(comparison).or_insert_with(make).clone()
    }

    /// The sum with summands replaced by what they are in the state.
    pub(super) fn simplify(&self, state: &State, sum: &Rc<Sum>, depth: u32) -> Rc<Sum> {
        let is_plain = |part: Term| matches!(self.terms.node(part), Node::Variable(_));
        if sum.parts.iter().all(|(part, _)| is_plain(*part)) {
            return sum.clone();
        }
        let mut simple = Sum { constant: sum.constant.clone(), ..Sum::zero(sum.integral) };
        for (part, factor) in &sum.parts {
            match self.replacement(state, *part, depth) {
                Some(replacement) => simple.add_scaled(&replacement, factor),
                None => simple.add_part(*part, factor),
            }
        }
        Rc::new(simple)
    }

    /// Match and result: `t mod m` of numbers with quotient q: `t - q·m`; a choice by a
    /// condition that is decided: its branch; a product of a term with constants: their
    /// multiple of the term.
    fn replacement(&self, state: &State, part: Term, depth: u32) -> Option<Sum> {
        let Node::Apply(op, children) = self.terms.node(part) else { return None };
        if !self.spend(depth) {
            return None;
        }
        let depth = depth - 1;
        match (op, &children[..]) {
            (Op::Modulo, &[term, divisor]) => {
                let divisor = self.integer(divisor)?.magnitude();
                let quotient = self.evaluate(state, term, depth).common_quotient(&divisor)?;
                let mut sum = Sum::clone(&self.simplify(state, &self.sum(term), depth));
                sum.constant = &sum.constant - &(&quotient * &divisor);
                Some(sum)
            }
            (Op::Ite, &[condition, then, other]) => {
                let branch = if self.decide(state, condition, depth)? { then } else { other };
                Some(Sum::clone(&self.simplify(state, &self.sum(branch), depth)))
            }
            (Op::Multiply, factors) => {
                let integral = *self.terms.sort(part) == Sort::Int;
                self.multiple(state, factors, integral, depth)
            }
            _ => None,
        }
    }

    /// The product, if the state leaves at most one factor open.
    fn multiple(&self, state: &State, factors: &[Term], integral: bool, depth: u32) -> Option<Sum> {
        let mut scale = Number::ONE;
        let mut open = None;
        for &factor in factors {
            match self.evaluate(state, factor, depth).as_constant() {
                Some(number) => scale = &scale * number,
                None if open.is_some() => return None,
                None => open = Some(factor),
            }
        }
        let mut product = Sum::zero(integral);
        match open {
            Some(open) => {
                product.add_scaled(&self.simplify(state, &self.sum(open), depth), &scale);
            }
            None => product.constant = scale,
        }
        Some(product)
    }

    /// The number, if the term is an integer other than zero.
    pub(super) fn integer(&self, term: Term) -> Option<Number> {
        let number = Number::from(self.terms.as_number(term)?);
        (!number.is_zero()).then_some(number)
    }

    /// By intervals, and by what packs know of two summands and intervals of the others.
    pub(super) fn evaluate_sum(&self, state: &State, sum: &Sum, depth: u32) -> Values {
        let parts: Vec<Values> = sum
            .parts
            .iter()
            .map(|(part, factor)| self.evaluate_part(state, *part, depth).scale(factor))
            .collect();
        let constant = Values::constant(sum.constant.clone(), sum.integral);
        let mut values = parts.iter().fold(constant, |values, part| values.add(part));
        for pair in self.pairs(sum) {
            let known = state.difference(self.layout, pair.left, pair.right.negate());
            if known == Interval::ALL {
                continue;
            }
            let constant = Interval::constant(sum.constant.clone());
            let mut total = known.scale(&pair.factor).add(&constant);
            for (_, part) in parts.iter().enumerate().filter(|(at, _)| !pair.at.contains(at)) {
                total = total.add(part.interval());
            }
            values = values.meet_interval(&total).unwrap_or(values);
        }
        values
    }

    pub(super) fn pairs(&self, sum: &Sum) -> Vec<Pair> {
        let mut pairs = Vec::new();
        if self.layout.packs.is_empty() || !(2..=PAIRS).contains(&sum.parts.len()) {
            return pairs;
        }
        for (a, first) in sum.parts.iter().enumerate() {
            for (b, second) in sum.parts.iter().enumerate().skip(a + 1) {
                let factor = first.1.magnitude();
                if factor == second.1.magnitude()
                    && let (Some(left), Some(right)) = (self.signed(first), self.signed(second))
                {
                    pairs.push(Pair { at: [a, b], left, right, factor });
                }
            }
        }
        pairs
    }

    /// The variable with the sign of its coefficient.
    pub(super) fn signed(&self, (part, factor): &(Term, Number)) -> Option<SignedSlot> {
        let Node::Variable(variable) = self.terms.node(*part) else { return None };
        match self.layout.place(*variable) {
            Place::Number(slot) => Some(SignedSlot { slot, negated: factor.is_negative() }),
            Place::Bool(_) | Place::Nowhere => None,
        }
    }

    /// The values of a term that is no sum.
    pub(super) fn evaluate_part(&self, state: &State, term: Term, depth: u32) -> Values {
        let integral = *self.terms.sort(term) == Sort::Int;
        match self.terms.node(term) {
            Node::Int(_) | Node::Real(_) => {
                let number = self.terms.as_number(term).expect("it is a number");
                Values::constant(number.into(), integral)
            }
            Node::Variable(variable) => match self.layout.place(*variable) {
                Place::Number(slot) => state.number(slot).clone(),
                Place::Bool(_) | Place::Nowhere => Values::all(integral),
            },
            Node::Apply(op, children) => {
                let values = if self.spend(depth) {
                    self.apply(state, *op, children, integral, depth - 1)
                } else {
                    Values::all(integral)
                };
                match state.known(term) {
                    Some(known) => values.meet(known).unwrap_or(values),
                    None => values,
                }
            }
            Node::Bool(_) | Node::Word(_) => unreachable!("only numbers are evaluated"),
        }
    }

    fn apply(
        &self,
        state: &State,
        op: Op,
        children: &[Term],
        integral: bool,
        depth: u32,
    ) -> Values {
        let value = |term: Term| self.evaluate(state, term, depth);
        match (op, children) {
            (Op::Add, _) => {
                let zero = Values::constant(Number::ZERO, integral);
                children.iter().fold(zero, |sum, &child| sum.add(&value(child)))
            }
            (Op::Multiply, &[a, b]) if a == b => value(a).square(),
            (Op::Multiply, _) => {
                let one = Values::constant(Number::ONE, integral);
                children.iter().fold(one, |product, &child| product.multiply(&value(child)))
            }
            (Op::Divide, &[a, b]) => value(a).divide(&value(b)),
            (Op::Modulo, &[a, b]) => value(a).modulo(&value(b)),
            (Op::ToReal, &[a]) => value(a).to_real(),
            (Op::ToInt, &[a]) => value(a).to_int(),
            (Op::Ite, &[condition, then, other]) => {
                let branch = |holds: bool, term: Term| {
                    let mut state = state.clone();
                    self.assume(&mut state, condition, holds, depth).ok()?;
                    Some(self.evaluate(&state, term, depth))
                };
                match (branch(true, then), branch(false, other)) {
                    (Some(then), Some(other)) => then.join(&other),
                    (one, another) => one.or(another).unwrap_or(Values::all(integral)),
                }
            }
            _ => Values::all(integral),
        }
    }

    /// The value of a condition, if the state leaves only one.
    pub(super) fn decide(&self, state: &State, condition: Term, depth: u32) -> Option<bool> {
        if let Some(value) = self.terms.as_bool(condition) {
            return Some(value);
        }
        let possible =
            |holds: bool| self.assume(&mut state.clone(), condition, holds, depth).is_ok();
        match (possible(true), possible(false)) {
            (true, false) => Some(true),
            (false, _) => Some(false),
            (true, true) => None,
        }
    }
}
