//! Formulas of linear temporal logic, in negation normal form.
//!
//! A [`Formulas`] holds formulas as a graph in which equal ones are shared, so that an equivalence
//! needs no more space than its parts. Negation is pushed to the atoms when it is built. What the
//! atoms mean is not known here: they are numbers. The structure depends only on the calls that
//! build it, so that two readings of a system get the same monitor.

use rustc_hash::FxHashMap;

/// The number of a formula in its [`Formulas`]. Operands have smaller numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FormulaId(pub usize);

/// The number of an atom, which is a bit of the system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub usize);

/// A formula, one level deep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ltl {
    /// Holds always.
    True,
    /// Never holds.
    False,
    /// The atom has this value.
    Atom(AtomId, bool),
    /// Both hold.
    And(FormulaId, FormulaId),
    /// At least one of them holds.
    Or(FormulaId, FormulaId),
    /// It holds in the next cycle.
    Next(FormulaId),
    /// The second one holds in this or a later cycle, and the first one in all cycles before.
    Until(FormulaId, FormulaId),
    /// The second one holds forever, or up to and including a cycle in which the first one holds.
    Release(FormulaId, FormulaId),
}

impl Ltl {
    /// The formulas that it is made of.
    pub fn operands(self) -> impl Iterator<Item = FormulaId> {
        let (first, second) = match self {
            Ltl::True | Ltl::False | Ltl::Atom(..) => (None, None),
            Ltl::Next(a) => (Some(a), None),
            Ltl::And(a, b) | Ltl::Or(a, b) | Ltl::Until(a, b) | Ltl::Release(a, b) => {
                (Some(a), Some(b))
            }
        };
        first.into_iter().chain(second)
    }
}

/// A graph of formulas.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Ltl>,
    numbers: FxHashMap<Ltl, FormulaId>,
    negations: FxHashMap<FormulaId, FormulaId>,
}

impl Formulas {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// The formula with this number.
    pub fn node(&self, id: FormulaId) -> Ltl {
        self.nodes[id.0]
    }

    /// The constant.
    pub fn constant(&mut self, value: bool) -> FormulaId {
        self.add(if value { Ltl::True } else { Ltl::False })
    }

    /// The atom.
    pub fn atom(&mut self, atom: AtomId) -> FormulaId {
        self.add(Ltl::Atom(atom, true))
    }

    /// `a & b`
    pub fn and(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a), self.node(b)) {
            (Ltl::False, _) | (_, Ltl::True) => a,
            (Ltl::True, _) | (_, Ltl::False) => b,
            _ if a == b => a,
            _ => self.add(Ltl::And(a, b)),
        }
    }

    /// `a | b`
    pub fn or(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a), self.node(b)) {
            (Ltl::True, _) | (_, Ltl::False) => a,
            (Ltl::False, _) | (_, Ltl::True) => b,
            _ if a == b => a,
            _ => self.add(Ltl::Or(a, b)),
        }
    }

    /// `a -> b`
    pub fn implies(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// `a <-> b`
    pub fn iff(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let (there, back) = (self.implies(a, b), self.implies(b, a));
        self.and(there, back)
    }

    /// `X a`
    pub fn next(&mut self, a: FormulaId) -> FormulaId {
        match self.node(a) {
            Ltl::True | Ltl::False => a,
            _ => self.add(Ltl::Next(a)),
        }
    }

    /// `a U b`
    pub fn until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a), self.node(b)) {
            (_, Ltl::True | Ltl::False) | (Ltl::False, _) => b,
            // F F b
            (Ltl::True, Ltl::Until(c, _)) if self.node(c) == Ltl::True => b,
            _ => self.add(Ltl::Until(a, b)),
        }
    }

    /// `a R b`
    pub fn release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a), self.node(b)) {
            (_, Ltl::True | Ltl::False) | (Ltl::True, _) => b,
            // G G b
            (Ltl::False, Ltl::Release(c, _)) if self.node(c) == Ltl::False => b,
            _ => self.add(Ltl::Release(a, b)),
        }
    }

    /// `a W b`: like `a U b`, but `b` may never hold if `a` holds forever.
    pub fn weak_until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let either = self.or(a, b);
        self.release(b, either)
    }

    /// `F a`
    pub fn eventually(&mut self, a: FormulaId) -> FormulaId {
        let always = self.constant(true);
        self.until(always, a)
    }

    /// `G a`
    pub fn globally(&mut self, a: FormulaId) -> FormulaId {
        let never = self.constant(false);
        self.release(never, a)
    }

    /// `!a`
    pub fn not(&mut self, a: FormulaId) -> FormulaId {
        // A stack of its own, because formulas can be deep.
        let mut stack = vec![a];
        while let Some(&id) = stack.last() {
            if self.negations.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let open = |operand: &FormulaId| !self.negations.contains_key(operand);
            stack.extend(self.node(id).operands().filter(open));
            if stack.len() > before {
                continue;
            }
            let negation = self.negation(id);
            self.negations.insert(id, negation);
            self.negations.entry(negation).or_insert(id);
            stack.pop();
        }
        self.negations[&a]
    }

    /// The negation of a formula whose operands have theirs.
    fn negation(&mut self, id: FormulaId) -> FormulaId {
        let negated = |formulas: &Self, id| formulas.negations[&id];
        match self.node(id) {
            Ltl::True => self.constant(false),
            Ltl::False => self.constant(true),
            Ltl::Atom(atom, value) => self.add(Ltl::Atom(atom, !value)),
            Ltl::And(a, b) => self.or(negated(self, a), negated(self, b)),
            Ltl::Or(a, b) => self.and(negated(self, a), negated(self, b)),
            Ltl::Next(a) => self.next(negated(self, a)),
            Ltl::Until(a, b) => self.release(negated(self, a), negated(self, b)),
            Ltl::Release(a, b) => self.until(negated(self, a), negated(self, b)),
        }
    }

    /// All formulas that a formula is made of, itself included, operands first.
    pub fn cone(&self, root: FormulaId) -> Vec<FormulaId> {
        let mut is_inside = vec![false; root.0 + 1];
        is_inside[root.0] = true;
        for id in (0..=root.0).rev() {
            if is_inside[id] {
                self.nodes[id].operands().for_each(|operand| is_inside[operand.0] = true);
            }
        }
        (0..=root.0).filter(|&id| is_inside[id]).map(FormulaId).collect()
    }

    /// Is the formula about one cycle only?
    pub fn is_propositional(&self, root: FormulaId) -> bool {
        self.cone(root).into_iter().all(|id| match self.node(id) {
            Ltl::True | Ltl::False | Ltl::Atom(..) | Ltl::And(..) | Ltl::Or(..) => true,
            Ltl::Next(_) | Ltl::Until(..) | Ltl::Release(..) => false,
        })
    }

    fn add(&mut self, node: Ltl) -> FormulaId {
        let new = FormulaId(self.nodes.len());
        let id = *self.numbers.entry(node).or_insert(new);
        if id == new {
            self.nodes.push(node);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_is_pushed_to_atoms_and_undone_by_negation() {
        let mut f = Formulas::new();
        let (a, b) = (f.atom(AtomId(0)), f.atom(AtomId(1)));
        let waits = f.eventually(b);
        let response = f.implies(a, waits);
        let response = f.globally(response);
        let negation = f.not(response);
        let (not_b, on) = (f.not(b), f.constant(true));
        let starves = f.globally(not_b);
        let starves = f.and(a, starves);
        assert_eq!(f.node(negation), Ltl::Until(on, starves));
        assert_eq!(f.not(negation), response);
    }

    #[test]
    fn nested_equivalences_are_shared() {
        let mut f = Formulas::new();
        let mut formula = f.atom(AtomId(0));
        for number in 1..100 {
            let atom = f.atom(AtomId(number));
            let next = f.next(atom);
            formula = f.iff(formula, next);
        }
        let negation = f.not(formula);
        assert!(f.cone(formula).len() < 2000 && f.cone(negation).len() < 2000);
    }

    #[test]
    fn long_formulas_need_no_stack() {
        let mut f = Formulas::new();
        let mut formula = f.atom(AtomId(0));
        for _ in 0..200_000 {
            formula = f.next(formula);
        }
        let negation = f.not(formula);
        assert_eq!(f.cone(negation).len(), 200_001);
        assert!(!f.is_propositional(formula));
    }

    #[test]
    fn constants_disappear() {
        let mut f = Formulas::new();
        let a = f.atom(AtomId(0));
        let (on, off) = (f.constant(true), f.constant(false));
        assert_eq!((f.and(a, on), f.or(a, off), f.and(off, a)), (a, a, off));
        assert_eq!((f.until(a, on), f.release(a, off), f.next(on)), (on, off, on));
        assert_eq!(f.not(on), off);
        let once = f.eventually(a);
        assert_eq!(f.eventually(once), once);
    }
}
