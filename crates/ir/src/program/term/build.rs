//! Terms are built in normal form; see the table at the head of the pool. In verbatim
//! pools every operator makes its node, whatever the operands are.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivRemEuclid};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

use super::{
    Function, FunctionId, Linear, Node, Op, Term, Terms, Variable, VariableId, WordBinary,
    WordUnary,
};
use crate::operator::{BinaryOp, UnaryOp};
use crate::program::evaluate::LARGEST;
use crate::program::sort::{Sort, TypeId};
use crate::value::BitVec;

/// Longer products are not merged into others: repeated squaring would double their
/// length each time.
const MOST_FACTORS: usize = 16;

impl Terms {
    /// Declares an uninterpreted type.
    pub fn declare_type(&mut self, name: impl Into<String>) -> TypeId {
        self.types.push(name.into());
        TypeId(self.types.len() as u32 - 1)
    }

    /// Declares a variable.
    pub fn declare(&mut self, name: impl Into<String>, sort: Sort) -> VariableId {
        self.variables.push(Variable { name: name.into(), sort });
        VariableId(self.variables.len() as u32 - 1)
    }

    /// Declares a function.
    pub fn declare_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    fn intern(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.known.insert(node.clone(), term);
        self.nodes.push(node);
        self.sorts.push(sort);
        term
    }

    fn make(&mut self, op: Op, children: Vec<Term>, sort: Sort) -> Term {
        self.intern(Node::Apply(op, children.into()), sort)
    }

    /// The term of a variable.
    pub fn variable(&mut self, variable: VariableId) -> Term {
        let sort = self.variable_sort(variable).clone();
        self.intern(Node::Variable(variable), sort)
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// An integer.
    pub fn int(&mut self, value: impl Into<IBig>) -> Term {
        self.intern(Node::Int(value.into()), Sort::Int)
    }

    /// A rational number.
    pub fn real(&mut self, value: RBig) -> Term {
        self.intern(Node::Real(value), Sort::Real)
    }

    /// A bit-vector.
    pub fn word(&mut self, value: BitVec) -> Term {
        let sort = Sort::Word(value.width());
        self.intern(Node::Word(value), sort)
    }

    /// A number of this arithmetic sort; on integers it must be one.
    ///
    /// # Panics
    /// Panics if an integer is asked for and the number is a fraction: no other number
    /// would be right.
    pub fn number(&mut self, value: RBig, sort: &Sort) -> Term {
        match sort {
            Sort::Int => {
                assert!(value.is_int(), "{value} is not an integer");
                let (numerator, _) = value.into_parts();
                self.int(numerator)
            }
            Sort::Real => self.real(value),
            Sort::Bool | Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => {
                unreachable!("numbers are integers or reals")
            }
        }
    }

    /// Negation.
    pub fn not(&mut self, term: Term) -> Term {
        if self.is_verbatim {
            return self.make(Op::Not, vec![term], Sort::Bool);
        }
        match self.node(term) {
            Node::Bool(value) => {
                let value = !*value;
                self.bool(value)
            }
            Node::Apply(Op::Not, children) => children[0],
            Node::Apply(Op::AtMost, children) => {
                let (left, right) = (children[0], children[1]);
                self.less(right, left)
            }
            Node::Apply(Op::Less, children) => {
                let (left, right) = (children[0], children[1]);
                self.at_most(right, left)
            }
            _ => self.make(Op::Not, vec![term], Sort::Bool),
        }
    }

    /// Conjunction; true if there are no terms.
    pub fn and(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Op::And, terms)
    }

    /// Disjunction; false if there are no terms.
    pub fn or(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Op::Or, terms)
    }

    /// Implication.
    pub fn implies(&mut self, premise: Term, conclusion: Term) -> Term {
        let not = self.not(premise);
        self.or([not, conclusion])
    }

    fn junction(&mut self, op: Op, terms: impl IntoIterator<Item = Term>) -> Term {
        let neutral = op == Op::And;
        if self.is_verbatim {
            let parts: Vec<Term> = terms.into_iter().collect();
            return match parts[..] {
                [] => self.bool(neutral),
                [only] => only,
                _ => self.make(op, parts, Sort::Bool),
            };
        }
        let mut parts = Vec::new();
        for term in terms {
            debug_assert_eq!(*self.sort(term), Sort::Bool);
            match self.node(term) {
                Node::Bool(value) if *value == neutral => {}
                Node::Bool(_) => return self.bool(!neutral),
                Node::Apply(found, children) if *found == op => parts.extend_from_slice(children),
                _ => parts.push(term),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        for index in 0..parts.len() {
            let not = self.not(parts[index]);
            if parts.binary_search(&not).is_ok() {
                return self.bool(!neutral);
            }
        }
        match parts[..] {
            [] => self.bool(neutral),
            [only] => only,
            _ => self.make(op, parts, Sort::Bool),
        }
    }

    /// If-then-else, on any sort.
    pub fn ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        debug_assert_eq!(self.sort(then), self.sort(other));
        if self.is_verbatim {
            let sort = self.sort(then).clone();
            return self.make(Op::Ite, vec![condition, then, other], sort);
        }
        if then == other {
            return then;
        }
        match self.node(condition) {
            Node::Bool(true) => return then,
            Node::Bool(false) => return other,
            Node::Apply(Op::Not, children) => {
                let positive = children[0];
                return self.ite(positive, other, then);
            }
            _ => {}
        }
        match (self.as_bool(then), self.as_bool(other)) {
            (Some(true), _) => return self.or([condition, other]),
            (Some(false), _) => {
                let not = self.not(condition);
                return self.and([not, other]);
            }
            (_, Some(true)) => return self.implies(condition, then),
            (_, Some(false)) => return self.and([condition, then]),
            (None, None) => {}
        }
        let sort = self.sort(then).clone();
        self.make(Op::Ite, vec![condition, then, other], sort)
    }

    /// Equality, on any sort.
    pub fn equal(&mut self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right));
        if self.is_verbatim {
            return self.make(Op::Equal, vec![left, right], Sort::Bool);
        }
        if left == right {
            return self.bool(true);
        }
        match self.sort(left).clone() {
            sort @ (Sort::Int | Sort::Real) => self.equal_numbers(left, right, &sort),
            Sort::Bool => self.equal_bools(left, right),
            Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => {
                if let (Node::Word(a), Node::Word(b)) = (self.node(left), self.node(right)) {
                    let same = a == b;
                    return self.bool(same);
                }
                self.make(Op::Equal, vec![left.min(right), left.max(right)], Sort::Bool)
            }
        }
    }

    fn equal_bools(&mut self, left: Term, right: Term) -> Term {
        match (self.as_bool(left), self.as_bool(right)) {
            (Some(true), _) => right,
            (Some(false), _) => self.not(right),
            (_, Some(true)) => left,
            (_, Some(false)) => self.not(left),
            (None, None) if self.not(left) == right => self.bool(false),
            (None, None) => {
                self.make(Op::Equal, vec![left.min(right), left.max(right)], Sort::Bool)
            }
        }
    }

    /// `left <= right`, on integers or reals.
    pub fn at_most(&mut self, left: Term, right: Term) -> Term {
        self.compare(Op::AtMost, left, right)
    }

    /// `left < right`, on integers or reals.
    pub fn less(&mut self, left: Term, right: Term) -> Term {
        if *self.sort(left) == Sort::Int && !self.is_verbatim {
            let one = self.int(1);
            let left = self.add([left, one]);
            return self.at_most(left, right);
        }
        self.compare(Op::Less, left, right)
    }

    /// `left - right` as a sum, its constant apart, both divided by what the
    /// coefficients have in common.
    fn difference(&mut self, left: Term, right: Term) -> (Linear, RBig) {
        let mut sum = self.linear(left);
        sum.subtract(&self.linear(right));
        let scale = sum.content();
        if !scale.is_zero() {
            sum.scale(&(RBig::ONE / scale));
        }
        let constant = std::mem::take(&mut sum.constant);
        (sum, -constant)
    }

    fn compare(&mut self, op: Op, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right));
        if self.is_verbatim {
            return self.make(op, vec![left, right], Sort::Bool);
        }
        let sort = self.sort(left).clone();
        let (sum, mut bound) = self.difference(left, right);
        if sum.terms.is_empty() {
            let holds = match op {
                Op::Less => RBig::ZERO < bound,
                _ => RBig::ZERO <= bound,
            };
            return self.bool(holds);
        }
        if let Some((condition, then, other)) = self.choice(&sum) {
            let holds = |value: RBig| if op == Op::Less { value < bound } else { value <= bound };
            let (then, other) = (self.bool(holds(then)), self.bool(holds(other)));
            return self.ite(condition, then, other);
        }
        if sort == Sort::Int {
            bound = RBig::from(bound.floor());
        }
        let sum = self.sum(&sum, &sort);
        let bound = self.number(bound, &sort);
        self.make(op, vec![sum, bound], Sort::Bool)
    }

    fn equal_numbers(&mut self, left: Term, right: Term, sort: &Sort) -> Term {
        let (mut sum, mut value) = self.difference(left, right);
        let Some((_, first)) = sum.terms.first() else {
            return self.bool(value.is_zero());
        };
        if *sort == Sort::Int && !value.is_int() {
            return self.bool(false);
        }
        if let Some((condition, then, other)) = self.choice(&sum) {
            let (then, other) = (self.bool(then == value), self.bool(other == value));
            return self.ite(condition, then, other);
        }
        if *first < RBig::ZERO {
            sum.scale(&RBig::from(-1));
            value = -value;
        }
        let sum = self.sum(&sum, sort);
        let value = self.number(value, sort);
        self.make(Op::Equal, vec![sum, value], Sort::Bool)
    }

    /// Is the sum one of two numbers, by a condition? C's truth values are.
    fn choice(&self, sum: &Linear) -> Option<(Term, RBig, RBig)> {
        let [(term, factor)] = &sum.terms[..] else { return None };
        let &[condition, then, other] = self.as_op(*term, Op::Ite)? else { return None };
        Some((condition, self.as_number(then)? * factor, self.as_number(other)? * factor))
    }

    /// The term of a sum.
    pub fn sum(&mut self, linear: &Linear, sort: &Sort) -> Term {
        let mut parts = Vec::with_capacity(linear.terms.len() + 1);
        for (term, factor) in &linear.terms {
            parts.push(if *factor == RBig::ONE {
                *term
            } else {
                let factor = self.number(factor.clone(), sort);
                self.make(Op::Multiply, vec![factor, *term], sort.clone())
            });
        }
        if !linear.constant.is_zero() || parts.is_empty() {
            parts.push(self.number(linear.constant.clone(), sort));
        }
        match parts[..] {
            [only] => only,
            _ => self.make(Op::Add, parts, sort.clone()),
        }
    }

    /// The sum of integers or reals.
    pub fn add(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        if self.is_verbatim {
            let parts: Vec<Term> = terms.into_iter().collect();
            let sort = self.sort(*parts.first().expect("at least one summand")).clone();
            return match parts[..] {
                [only] => only,
                _ => self.make(Op::Add, parts, sort),
            };
        }
        let mut sum = Linear::default();
        let mut sort = None;
        for term in terms {
            sort = Some(self.sort(term).clone());
            sum.add(&self.linear(term));
        }
        self.sum(&sum, &sort.expect("at least one summand"))
    }

    /// The negation of an integer or a real.
    pub fn negate(&mut self, term: Term) -> Term {
        let sort = self.sort(term).clone();
        if self.is_verbatim {
            let minus_one = self.number(RBig::from(-1), &sort);
            return self.make(Op::Multiply, vec![minus_one, term], sort);
        }
        let mut sum = self.linear(term);
        sum.scale(&RBig::from(-1));
        self.sum(&sum, &sort)
    }

    /// The difference of integers or reals.
    pub fn subtract(&mut self, left: Term, right: Term) -> Term {
        let right = self.negate(right);
        self.add([left, right])
    }

    /// Constants are multiplied out; other products are ordered.
    pub fn multiply(&mut self, left: Term, right: Term) -> Term {
        let sort = self.sort(left).clone();
        if self.is_verbatim || self.is_large_product(left, right) {
            return self.make(Op::Multiply, vec![left, right], sort);
        }
        for (number, other) in [(left, right), (right, left)] {
            if let Some(number) = self.as_number(number) {
                let mut sum = self.linear(other);
                sum.scale(&number);
                return self.sum(&sum, &sort);
            }
        }
        let mut factors = Vec::new();
        let mut scale = RBig::ONE;
        for side in [left, right] {
            let (number, rest) = self.scaled(side);
            scale *= number;
            let rest = rest.expect("numbers were dealt with");
            match self.as_op(rest, Op::Multiply) {
                Some(children) if children.len() <= MOST_FACTORS => {
                    factors.extend_from_slice(children);
                }
                Some(_) | None => factors.push(rest),
            }
        }
        factors.sort_unstable();
        let product = self.make(Op::Multiply, factors, sort.clone());
        self.sum(&Linear { terms: vec![(product, scale)], constant: RBig::ZERO }, &sort)
    }

    /// Would multiplying out give a number that is too large to compute with? Repeated
    /// squaring of a constant does.
    fn is_large_product(&self, left: Term, right: Term) -> bool {
        let bits = |term: Term| {
            let sum = self.linear(term);
            let numbers = sum.terms.iter().map(|(_, factor)| factor).chain([&sum.constant]);
            let bits = |n: &RBig| n.numerator().bit_len() + n.denominator().bit_len();
            numbers.map(bits).max().unwrap_or(0)
        };
        bits(left) + bits(right) > LARGEST
    }

    /// Division of integers; by the number zero it is not known what.
    pub fn divide(&mut self, left: Term, right: Term) -> Term {
        if self.is_verbatim {
            return self.make(Op::Divide, vec![left, right], Sort::Int);
        }
        match (self.node(left), self.node(right)) {
            (_, Node::Int(divisor)) if *divisor == IBig::ONE => left,
            (Node::Int(number), Node::Int(divisor)) if *divisor != IBig::ZERO => {
                let (quotient, _) = number.clone().div_rem_euclid(divisor.clone());
                self.int(quotient)
            }
            _ => self.make(Op::Divide, vec![left, right], Sort::Int),
        }
    }

    /// The remainder of the division of integers, which is never negative.
    pub fn modulo(&mut self, left: Term, right: Term) -> Term {
        let Node::Int(divisor) = self.node(right).clone() else {
            return self.make(Op::Modulo, vec![left, right], Sort::Int);
        };
        if divisor == IBig::ZERO || self.is_verbatim {
            return self.make(Op::Modulo, vec![left, right], Sort::Int);
        }
        // Only the remainders of coefficients matter, and remainders within need not be
        // taken when they will be taken of the sum.
        let mut sum = Linear::default();
        for (term, factor) in self.linear(left).terms {
            let inner = match self.as_op(term, Op::Modulo) {
                Some(&[inner, by]) if by == right => self.linear(inner),
                _ => Linear { terms: vec![(term, RBig::ONE)], constant: RBig::ZERO },
            };
            sum.add_scaled(&inner, &factor);
        }
        sum.constant += self.linear(left).constant;
        sum.reduce(&divisor);
        if sum.terms.is_empty() {
            return self.number(sum.constant, &Sort::Int);
        }
        let left = self.sum(&sum, &Sort::Int);
        self.make(Op::Modulo, vec![left, right], Sort::Int)
    }

    /// The quotient of reals.
    pub fn quotient(&mut self, left: Term, right: Term) -> Term {
        match self.as_number(right) {
            Some(number) if !number.is_zero() && !self.is_verbatim => {
                let inverse = self.real(RBig::ONE / number);
                self.multiply(inverse, left)
            }
            _ => self.make(Op::Quotient, vec![left, right], Sort::Real),
        }
    }

    /// The real with the value of an integer.
    pub fn to_real(&mut self, term: Term) -> Term {
        match self.as_number(term) {
            Some(number) if !self.is_verbatim => self.real(number),
            Some(_) | None => self.make(Op::ToReal, vec![term], Sort::Real),
        }
    }

    /// The greatest integer that is not greater than a real.
    pub fn to_int(&mut self, term: Term) -> Term {
        if self.is_verbatim {
            return self.make(Op::ToInt, vec![term], Sort::Int);
        }
        match self.node(term) {
            Node::Real(number) => {
                let floor = number.floor();
                self.int(floor)
            }
            Node::Apply(Op::ToReal, children) => children[0],
            _ => self.make(Op::ToInt, vec![term], Sort::Int),
        }
    }

    /// The element of a map at an index.
    pub fn select(&mut self, map: Term, index: Term) -> Term {
        let Sort::Map(sorts) = self.sort(map).clone() else { unreachable!("a map is read") };
        debug_assert_eq!(*self.sort(index), sorts.0);
        if self.is_verbatim {
            return self.make(Op::Select, vec![map, index], sorts.1.clone());
        }
        let mut map = map;
        // A read of what was just written, or beside it.
        while let Some(&[older, written, element]) = self.as_op(map, Op::Store) {
            if written == index {
                return element;
            }
            let same = self.equal(written, index);
            if self.as_bool(same) != Some(false) {
                break;
            }
            map = older;
        }
        self.make(Op::Select, vec![map, index], sorts.1.clone())
    }

    /// The map with another element at an index.
    pub fn store(&mut self, map: Term, index: Term, element: Term) -> Term {
        let sort = self.sort(map).clone();
        if self.is_verbatim {
            return self.make(Op::Store, vec![map, index, element], sort);
        }
        if let Some(&[older, written, _]) = self.as_op(map, Op::Store)
            && written == index
        {
            return self.store(older, index, element);
        }
        if self.as_op(element, Op::Select) == Some(&[map, index]) {
            return map;
        }
        self.make(Op::Store, vec![map, index, element], sort)
    }

    /// The application of an uninterpreted function.
    pub fn apply(&mut self, function: FunctionId, arguments: Vec<Term>) -> Term {
        let sort = self.function(function).result.clone();
        self.make(Op::Function(function), arguments, sort)
    }

    /// An operator on one bit-vector.
    pub fn word_unary(&mut self, op: UnaryOp, term: Term) -> Term {
        if let Node::Word(value) = self.node(term)
            && !self.is_verbatim
        {
            let value = op.apply(value);
            return self.word(value);
        }
        let sort = match op {
            UnaryOp::Not | UnaryOp::Neg => self.sort(term).clone(),
            UnaryOp::RedAnd | UnaryOp::RedXor => Sort::Word(1),
        };
        self.make(Op::Unary(WordUnary(op)), vec![term], sort)
    }

    /// An operator on two bit-vectors; the result of a predicate is a truth value.
    pub fn word_binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Term {
        if op == BinaryOp::Eq {
            return self.equal(left, right);
        }
        if let (Node::Word(a), Node::Word(b)) = (self.node(left), self.node(right))
            && !self.is_verbatim
        {
            let value = op.apply(a, b);
            return if op.is_predicate() { self.bool(value.is_true()) } else { self.word(value) };
        }
        let width = |terms: &Self, term| match terms.sort(term) {
            Sort::Word(width) => *width,
            _ => unreachable!("operators on words have words as operands"),
        };
        let sort = match op {
            BinaryOp::Concat => Sort::Word(width(self, left) + width(self, right)),
            _ if op.is_predicate() => Sort::Bool,
            _ => self.sort(left).clone(),
        };
        self.make(Op::Binary(WordBinary(op)), vec![left, right], sort)
    }

    /// The bits `low` to `high` of a bit-vector, both included.
    pub fn extract(&mut self, high: u32, low: u32, term: Term) -> Term {
        if self.is_verbatim {
            return self.make(Op::Extract { high, low }, vec![term], Sort::Word(high - low + 1));
        }
        if let Node::Word(value) = self.node(term) {
            let value = value.slice(high, low);
            return self.word(value);
        }
        if *self.sort(term) == Sort::Word(high + 1) && low == 0 {
            return term;
        }
        self.make(Op::Extract { high, low }, vec![term], Sort::Word(high - low + 1))
    }

    /// A bit-vector with `by` more bits: copies of the sign, or zeros.
    pub fn extend(&mut self, by: u32, signed: bool, term: Term) -> Term {
        if by == 0 && !self.is_verbatim {
            return term;
        }
        if let Node::Word(value) = self.node(term)
            && !self.is_verbatim
        {
            let value = if signed { value.sext(by) } else { value.uext(by) };
            return self.word(value);
        }
        let Sort::Word(width) = *self.sort(term) else { unreachable!("a word is extended") };
        self.make(Op::Extend { by, signed }, vec![term], Sort::Word(width + by))
    }

    /// The operator on other children, in normal form.
    pub fn build(&mut self, op: Op, children: &[Term]) -> Term {
        if self.is_verbatim && op == Op::Multiply {
            let sort = self.sort(children[0]).clone();
            return self.make(op, children.to_vec(), sort);
        }
        match (op, children) {
            (Op::Not, &[a]) => self.not(a),
            (Op::And | Op::Or, _) => self.junction(op, children.iter().copied()),
            (Op::Equal, &[a, b]) => self.equal(a, b),
            (Op::Ite, &[a, b, c]) => self.ite(a, b, c),
            (Op::Add, _) => self.add(children.iter().copied()),
            (Op::Multiply, &[first, ref rest @ ..]) => {
                rest.iter().fold(first, |product, &factor| self.multiply(product, factor))
            }
            (Op::Divide, &[a, b]) => self.divide(a, b),
            (Op::Modulo, &[a, b]) => self.modulo(a, b),
            (Op::Quotient, &[a, b]) => self.quotient(a, b),
            (Op::AtMost, &[a, b]) => self.at_most(a, b),
            (Op::Less, &[a, b]) => self.less(a, b),
            (Op::ToReal, &[a]) => self.to_real(a),
            (Op::ToInt, &[a]) => self.to_int(a),
            (Op::Select, &[a, b]) => self.select(a, b),
            (Op::Store, &[a, b, c]) => self.store(a, b, c),
            (Op::Unary(op), &[a]) => self.word_unary(op.0, a),
            (Op::Binary(op), &[a, b]) => self.word_binary(op.0, a, b),
            (Op::Extract { high, low }, &[a]) => self.extract(high, low, a),
            (Op::Extend { by, signed }, &[a]) => self.extend(by, signed, a),
            (Op::Function(function), _) => self.apply(function, children.to_vec()),
            (op, children) => unreachable!("{op:?} of {} operands", children.len()),
        }
    }

    /// A term of another pool, built here, node by node if this pool is verbatim. Variables and functions keep their numbers:
    /// both pools declare them alike.
    pub fn import(&mut self, other: &Terms, term: Term) -> Term {
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        for from in other.subterms([term]) {
            let here = match other.node(from) {
                Node::Bool(value) => self.bool(*value),
                Node::Int(value) => self.int(value.clone()),
                Node::Real(value) => self.real(value.clone()),
                Node::Word(value) => self.word(value.clone()),
                Node::Variable(variable) => self.variable(*variable),
                Node::Apply(op, children) => {
                    let children: Vec<Term> = children.iter().map(|child| known[child]).collect();
                    self.build(*op, &children)
                }
            };
            known.insert(from, here);
        }
        known[&term]
    }

    /// The term with terms in place of others; what is put in is not looked into. The
    /// map also remembers what subterms became, for further calls.
    pub fn replace(&mut self, term: Term, map: &mut FxHashMap<Term, Term>) -> Term {
        let mut stack = vec![(term, false)];
        while let Some((next, ready)) = stack.pop() {
            if map.contains_key(&next) {
                continue;
            }
            match self.node(next).clone() {
                Node::Apply(op, children) if ready => {
                    let children: Vec<Term> = children.iter().map(|child| map[child]).collect();
                    let built = self.build(op, &children);
                    map.insert(next, built);
                }
                Node::Apply(_, children) => {
                    stack.push((next, true));
                    stack.extend(children.iter().map(|&child| (child, false)));
                }
                Node::Bool(_)
                | Node::Int(_)
                | Node::Real(_)
                | Node::Word(_)
                | Node::Variable(_) => {
                    map.insert(next, next);
                }
            }
        }
        map[&term]
    }
}
