//! Carries accesses through array terms, under the conditions that a model makes true,
//! and finds where two of them clash: one round of [`Arrays::refine`].

use std::collections::hash_map::Entry;

use elinvar_ir::BitVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Access, ArrayTerm, Arrays, Term, word_value};
use crate::aig::{Aig, AigLit, Valuation};
use crate::words::{self, Word};

/// A condition under which an access moves from one term to the next.
#[derive(Clone)]
enum Condition {
    /// A literal that is true in the model.
    Lit(AigLit),
    /// The index of the access differs from this one.
    Differs(Word),
}

/// An access that has arrived at a term.
pub(super) struct Place {
    pub(super) access: usize,
    pub(super) element: BitVec,
    /// Where it came from, and under which condition.
    from: Option<(ArrayTerm, Condition)>,
}

/// Two elements at one index that differ in the model.
pub(super) struct Clash {
    conditions: Vec<AigLit>,
    differs: Vec<(Word, Word)>,
    indices: (Word, Word),
    elements: (Word, Word),
}

impl Clash {
    /// conditions ∧ indices equal → elements equal
    pub(super) fn into_clause(self, aig: &mut Aig) -> Vec<AigLit> {
        let mut clause: Vec<AigLit> = self.conditions.iter().map(|&c| !c).collect();
        for (a, b) in &self.differs {
            clause.push(words::equal(aig, a, b));
        }
        clause.push(!words::equal(aig, &self.indices.0, &self.indices.1));
        clause.push(words::equal(aig, &self.elements.0, &self.elements.1));
        clause.sort_unstable();
        clause.dedup();
        clause
    }
}

/// Two constant arrays that equalities connect and whose elements differ.
pub(super) struct DefaultClash {
    pub(super) term: ArrayTerm,
    pub(super) conditions: Vec<AigLit>,
    pub(super) writes: usize,
    pub(super) left: Word,
    pub(super) right: Word,
}

/// The element that connected arrays hold at indices that nothing mentions.
#[derive(Default)]
pub(super) struct Defaults {
    pub(super) of: FxHashMap<ArrayTerm, BitVec>,
    pub(super) clashes: Vec<DefaultClash>,
}

/// One round of [`Arrays::refine`].
pub(super) struct Propagation<'a> {
    pub(super) arrays: &'a Arrays,
    pub(super) values: &'a Valuation,
    pub(super) accesses: Vec<Access>,
    pub(super) index_values: Vec<BitVec>,
    pub(super) places: std::collections::BTreeMap<(ArrayTerm, BitVec), Place>,
    pub(super) pending: Vec<(ArrayTerm, usize)>,
    pub(super) clashes: Vec<Clash>,
    pub(super) defaults: Defaults,
    /// Terms from which a true equality can be reached upwards, with the edges
    /// that lead up and across. Empty when no equality holds.
    links: FxHashMap<ArrayTerm, Vec<Link>>,
}

/// An edge up or across.
#[derive(Clone)]
enum Link {
    /// To the write above; at other indices than its own.
    Write(ArrayTerm, Word),
    /// Under a literal that is true in the model.
    Under(ArrayTerm, AigLit),
}

impl<'a> Propagation<'a> {
    pub(super) fn new(arrays: &'a Arrays, values: &'a Valuation) -> Self {
        let mut propagation = Propagation {
            arrays,
            values,
            accesses: Vec::new(),
            index_values: Vec::new(),
            places: Default::default(),
            pending: Vec::new(),
            clashes: Vec::new(),
            defaults: Defaults::default(),
            links: FxHashMap::default(),
        };
        propagation.link_equalities();
        propagation
    }

    /// Finds the terms below true equalities and the edges among them; each
    /// write among them is an access of its own.
    fn link_equalities(&mut self) {
        let mut stack = Vec::new();
        for equality in &self.arrays.equalities {
            if self.values.value(equality.lit) {
                for (from, to) in [(equality.a, equality.b), (equality.b, equality.a)] {
                    let links = self.links.entry(from).or_default();
                    links.push(Link::Under(to, equality.lit));
                    stack.push(from);
                }
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match &self.arrays.terms[term.index()].term {
                Term::Base(_) | Term::Const(..) => {}
                Term::Write(below, index, element) => {
                    self.links.entry(*below).or_default().push(Link::Write(term, index.clone()));
                    stack.push(*below);
                    self.start(term, Access { index: index.clone(), element: element.clone() });
                }
                Term::Ite(condition, then, otherwise) => {
                    let holds = self.values.value(*condition);
                    let chosen = if holds { *then } else { *otherwise };
                    let condition = condition.complement_if(!holds);
                    self.links.entry(chosen).or_default().push(Link::Under(term, condition));
                    stack.push(chosen);
                }
            }
        }
    }

    pub(super) fn start(&mut self, term: ArrayTerm, access: Access) {
        self.index_values.push(word_value(self.values, &access.index));
        self.accesses.push(access);
        self.arrive(term, self.accesses.len() - 1, None);
    }

    pub(super) fn run(&mut self) {
        while let Some((term, access)) = self.pending.pop() {
            self.descend(term, access);
            for link in self.links.get(&term).cloned().unwrap_or_default() {
                match link {
                    Link::Under(to, condition) => {
                        self.arrive(to, access, Some((term, Condition::Lit(condition))));
                    }
                    Link::Write(to, index) => {
                        if word_value(self.values, &index) != self.index_values[access] {
                            self.arrive(to, access, Some((term, Condition::Differs(index))));
                        }
                    }
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> Self {
        self.connect_defaults();
        self
    }

    fn descend(&mut self, term: ArrayTerm, access: usize) {
        match &self.arrays.terms[term.index()].term {
            Term::Base(_) => {}
            Term::Const(_, element) => self.compare(term, access, None, element),
            Term::Write(below, index, element) => {
                if word_value(self.values, index) == self.index_values[access] {
                    self.compare(term, access, Some(index), element);
                } else {
                    let condition = Condition::Differs(index.clone());
                    self.arrive(*below, access, Some((term, condition)));
                }
            }
            Term::Ite(condition, then, otherwise) => {
                let holds = self.values.value(*condition);
                let chosen = if holds { *then } else { *otherwise };
                let condition = Condition::Lit(condition.complement_if(!holds));
                self.arrive(chosen, access, Some((term, condition)));
            }
        }
    }

    /// The access is at `term`, which holds `element` at that index: by a write
    /// at `index`, or everywhere.
    fn compare(&mut self, term: ArrayTerm, access: usize, index: Option<&Word>, element: &Word) {
        let here = &self.accesses[access];
        if word_value(self.values, &here.element) == word_value(self.values, element) {
            return;
        }
        let mut clash = Clash {
            conditions: Vec::new(),
            differs: Vec::new(),
            indices: (here.index.clone(), index.unwrap_or(&here.index).clone()),
            elements: (here.element.clone(), element.clone()),
        };
        self.path(term, access, &mut clash);
        self.clashes.push(clash);
    }

    fn arrive(&mut self, term: ArrayTerm, access: usize, from: Option<(ArrayTerm, Condition)>) {
        let element = word_value(self.values, &self.accesses[access].element);
        let key = (term, self.index_values[access].clone());
        match self.places.get(&key) {
            None => {
                self.places.insert(key, Place { access, element, from });
                self.pending.push((term, access));
            }
            Some(place) if place.element == element => {}
            Some(place) => {
                let other = place.access;
                let (a, b) = (&self.accesses[access], &self.accesses[other]);
                let mut clash = Clash {
                    conditions: Vec::new(),
                    differs: Vec::new(),
                    indices: (a.index.clone(), b.index.clone()),
                    elements: (a.element.clone(), b.element.clone()),
                };
                if let Some((origin, condition)) = from {
                    self.note(access, condition, &mut clash);
                    self.path(origin, access, &mut clash);
                }
                self.path(term, other, &mut clash);
                self.clashes.push(clash);
            }
        }
    }

    /// Collects the conditions under which the access came to `term`.
    fn path(&self, term: ArrayTerm, access: usize, clash: &mut Clash) {
        let mut term = term;
        loop {
            let place = &self.places[&(term, self.index_values[access].clone())];
            debug_assert_eq!(place.access, access, "paths run through an access's own places");
            match &place.from {
                None => return,
                Some((origin, condition)) => {
                    self.note(access, condition.clone(), clash);
                    term = *origin;
                }
            }
        }
    }

    fn note(&self, access: usize, condition: Condition, clash: &mut Clash) {
        match condition {
            Condition::Lit(lit) => clash.conditions.push(lit),
            Condition::Differs(index) => {
                clash.differs.push((self.accesses[access].index.clone(), index));
            }
        }
    }

    /// Walks from every constant array along the edges of true equalities and
    /// gives its element to all that it meets; two constants must agree.
    fn connect_defaults(&mut self) {
        let mut found: FxHashMap<ArrayTerm, (Word, Vec<AigLit>, usize)> = FxHashMap::default();
        let mut stack: Vec<ArrayTerm> = Vec::new();
        let mut terms: Vec<ArrayTerm> = self.links.keys().copied().collect();
        terms.sort_unstable();
        for term in terms {
            if let Term::Const(_, element) = &self.arrays.terms[term.index()].term {
                if found.contains_key(&term) {
                    continue;
                }
                found.insert(term, (element.clone(), Vec::new(), 0));
                stack.push(term);
            }
            while let Some(term) = stack.pop() {
                let (element, conditions, writes) = found[&term].clone();
                for (to, condition) in self.neighbours(term) {
                    let mut conditions = conditions.clone();
                    conditions.extend(condition);
                    let writes = writes + usize::from(condition.is_none());
                    if let Term::Const(_, other) = &self.arrays.terms[to.index()].term
                        && word_value(self.values, other) != word_value(self.values, &element)
                    {
                        let (left, right) = (element.clone(), other.clone());
                        let clash = DefaultClash { term, conditions, writes, left, right };
                        self.defaults.clashes.push(clash);
                        continue;
                    }
                    if let Entry::Vacant(place) = found.entry(to) {
                        place.insert((element.clone(), conditions, writes));
                        stack.push(to);
                    }
                }
            }
        }
        for (term, (element, _, _)) in found {
            self.defaults.of.insert(term, word_value(self.values, &element));
        }
    }

    /// The terms that agree with `term` at almost all indices, with the literal
    /// under which they do; none for a write, which differs at its index.
    fn neighbours(&self, term: ArrayTerm) -> Vec<(ArrayTerm, Option<AigLit>)> {
        let mut out = Vec::new();
        for link in self.links.get(&term).into_iter().flatten() {
            match link {
                Link::Under(to, condition) => out.push((*to, Some(*condition))),
                Link::Write(to, _) => out.push((*to, None)),
            }
        }
        match &self.arrays.terms[term.index()].term {
            Term::Base(_) | Term::Const(..) => {}
            Term::Write(below, ..) => out.push((*below, None)),
            Term::Ite(condition, then, otherwise) => {
                let holds = self.values.value(*condition);
                let chosen = if holds { *then } else { *otherwise };
                out.push((chosen, Some(condition.complement_if(!holds))));
            }
        }
        out
    }
}
