//! A cube around a model: literals that hold in a state and imply a formula.
//!
//! The Boolean structure is resolved by the model, and so is what depends on conditions
//! within terms: `ite` becomes the branch that counts, a read of a written map the
//! element or a read of the older map. What is left are atoms without either.

use elinvar_ir::program::{Node, Op, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::valuation::Valuation;

/// Literals that hold in the state and imply all of `formulas`, which hold there.
/// `None` if some value is not specified.
pub fn implicant(
    terms: &mut Terms,
    state: &mut Valuation,
    formulas: impl IntoIterator<Item = Term>,
) -> Option<Vec<Term>> {
    let mut search = ImplicantSearch {
        terms,
        state,
        wanted: formulas.into_iter().map(|formula| (formula, true)).collect(),
        seen: FxHashSet::default(),
        plain: FxHashMap::default(),
        literals: Vec::new(),
    };
    search.run()?;
    let mut literals = search.literals;
    literals.sort_unstable();
    literals.dedup();
    Some(literals)
}

struct ImplicantSearch<'a> {
    terms: &'a mut Terms,
    state: &'a mut Valuation,
    /// Formulas with the value that they have and keep.
    wanted: Vec<(Term, bool)>,
    seen: FxHashSet<(Term, bool)>,
    /// Terms without `ite` and without reads of written maps.
    plain: FxHashMap<Term, Term>,
    literals: Vec<Term>,
}

impl ImplicantSearch<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some((formula, value)) = self.wanted.pop() {
            if self.seen.insert((formula, value)) {
                self.resolve(formula, value)?;
            }
        }
        Some(())
    }

    fn holds(&mut self, formula: Term) -> Option<bool> {
        self.state.value(self.terms, formula)?.as_bool()
    }

    fn resolve(&mut self, formula: Term, value: bool) -> Option<()> {
        let Node::Apply(op, children) = self.terms.node(formula).clone() else {
            self.literal(formula, value);
            return Some(());
        };
        match op {
            Op::Not => self.wanted.push((children[0], !value)),
            Op::And | Op::Or if value == (op == Op::And) => {
                self.wanted.extend(children.iter().map(|&child| (child, value)));
            }
            Op::And | Op::Or => {
                let mut chosen = None;
                for &child in &children {
                    if self.seen.contains(&(child, value)) {
                        return Some(());
                    }
                    if chosen.is_none() && self.holds(child)? == value {
                        chosen = Some(child);
                    }
                }
                self.wanted.push((chosen?, value));
            }
            Op::Ite => {
                let condition = self.holds(children[0])?;
                self.wanted.push((children[0], condition));
                self.wanted.push((children[if condition { 1 } else { 2 }], value));
            }
            Op::Equal if *self.terms.sort(children[0]) == Sort::Bool => {
                for &child in &children {
                    let value = self.holds(child)?;
                    self.wanted.push((child, value));
                }
            }
            _ => {
                let plain = self.plain(formula)?;
                self.literal(plain, value);
            }
        }
        Some(())
    }

    fn literal(&mut self, atom: Term, value: bool) {
        let literal = if value { atom } else { self.terms.not(atom) };
        match self.terms.as_bool(literal) {
            Some(true) => {}
            _ => self.disequality(literal),
        }
    }

    /// Numbers that differ are ordered.
    fn disequality(&mut self, literal: Term) {
        if let Some(&[equality]) = self.terms.as_op(literal, Op::Not)
            && let Some(&[left, right]) = self.terms.as_op(equality, Op::Equal)
            && self.terms.sort(left).is_arithmetic()
        {
            let less = self.terms.less(left, right);
            let greater = self.terms.less(right, left);
            let side = if self.state.holds(self.terms, less) { less } else { greater };
            self.literals.push(side);
            return;
        }
        self.literals.push(literal);
    }

    /// The term without choices; the conditions become wanted.
    fn plain(&mut self, term: Term) -> Option<Term> {
        let mut stack = vec![(term, false)];
        while let Some((next, ready)) = stack.pop() {
            if self.plain.contains_key(&next) {
                continue;
            }
            let Node::Apply(op, children) = self.terms.node(next).clone() else {
                self.plain.insert(next, next);
                continue;
            };
            if op == Op::Ite {
                let condition = self.holds(children[0])?;
                let branch = children[if condition { 1 } else { 2 }];
                match self.plain.get(&branch) {
                    Some(&plain) => {
                        self.wanted.push((children[0], condition));
                        self.plain.insert(next, plain);
                    }
                    None => stack.extend([(next, true), (branch, false)]),
                }
                continue;
            }
            if !ready {
                stack.push((next, true));
                stack.extend(children.iter().map(|&child| (child, false)));
                continue;
            }
            let children: Vec<Term> = children.iter().map(|child| self.plain[child]).collect();
            let built = match op {
                Op::Select => self.read(children[0], children[1])?,
                _ => self.terms.build(op, &children),
            };
            self.plain.insert(next, built);
        }
        self.plain.get(&term).copied()
    }

    /// A read of a map that was written: whether it is there, the model tells.
    fn read(&mut self, map: Term, index: Term) -> Option<Term> {
        let mut map = map;
        while let Some(&[older, written, element]) = self.terms.as_op(map, Op::Store) {
            let same = self.terms.equal(written, index);
            let value = self.holds(same)?;
            self.wanted.push((same, value));
            if value {
                return Some(element);
            }
            map = older;
        }
        Some(self.terms.select(map, index))
    }
}
