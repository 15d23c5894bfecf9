//! And-inverter graphs with structural hashing and local two-level rewriting
//! [Brummayer, Biere: Local Two-Level And-Inverter Graph Minimization without
//! Blowup, MEMICS 2006].
//!
//! Node zero is the constant false. Nodes are numbered in topological order.

use std::fmt;
use std::ops::Not;

use rustc_hash::FxHashMap;

use crate::watch::Watch;

/// A node of an [`Aig`], possibly complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AigLit(u32);

impl AigLit {
    /// The constant 0.
    pub const FALSE: AigLit = AigLit(0);
    /// The constant 1.
    pub const TRUE: AigLit = AigLit(1);

    /// The constant with this value.
    pub fn constant(value: bool) -> Self {
        AigLit(value as u32)
    }

    /// The number of the node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the literal is a negation.
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether the literal is 0 or 1.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The value, if this is a constant.
    pub fn as_constant(self) -> Option<bool> {
        self.is_constant().then_some(self == AigLit::TRUE)
    }

    /// The literal, negated if the condition holds.
    pub fn complement_if(self, condition: bool) -> Self {
        AigLit(self.0 ^ condition as u32)
    }

    /// A number that stands for the literal, for compact tables.
    pub fn code(self) -> u32 {
        self.0
    }

    /// The literal of a number that [`AigLit::code`] gave.
    pub fn from_code(code: u32) -> Self {
        AigLit(code)
    }

    fn of(node: usize) -> Self {
        AigLit((node as u32) << 1)
    }
}

impl Not for AigLit {
    type Output = AigLit;

    fn not(self) -> AigLit {
        AigLit(self.0 ^ 1)
    }
}

impl fmt::Debug for AigLit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}n{}", if self.is_complement() { "~" } else { "" }, self.node())
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// The constant 0.
    False,
    /// An input.
    Input,
    /// The conjunction of two literals.
    And(AigLit, AigLit),
}

/// Literals have 32 bits.
const MAX_NODES: usize = (1 << 31) - 1;

/// Marks an input in the node table.
const INPUT: AigLit = AigLit(u32::MAX);

/// An and-inverter graph with structural hashing.
#[derive(Clone)]
pub struct Aig {
    nodes: Vec<[AigLit; 2]>,
    /// Open addressing: node number, or zero.
    table: Vec<u32>,
    ands: usize,
    watch: Watch,
    /// With so many nodes the watch is asked before another one is made.
    next_look: usize,
    stopped: bool,
}

impl Default for Aig {
    fn default() -> Self {
        Self::new()
    }
}

impl Aig {
    /// A graph with nothing but the constants.
    pub fn new() -> Self {
        Aig {
            nodes: vec![[INPUT; 2]],
            table: vec![0; 1024],
            ands: 0,
            watch: Watch::default(),
            next_look: MAX_NODES,
            stopped: false,
        }
    }

    /// From now on no more gates are made when the watch says so: then the graph is
    /// stopped, and new conjunctions are the constant false.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = watch;
        self.next_look = self.nodes.len();
    }

    /// A new graph with the same watch, which is stopped if this one is.
    pub fn empty_like(&self) -> Self {
        let mut new = Aig { stopped: self.stopped, ..Aig::new() };
        new.watch(self.watch.clone());
        new
    }

    /// Ends the watch, and tells whether the graph is meaningless because it was stopped.
    pub fn unwatch(&mut self) -> bool {
        self.watch = Watch::default();
        self.next_look = MAX_NODES;
        self.stopped
    }

    /// Was the graph stopped by its watch? Then nothing may be concluded from it.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Asks the watch, and tells whether another node may be made.
    #[cold]
    fn look(&mut self) -> bool {
        const EVERY: usize = 1 << 12;
        self.stopped |= self.watch.must_stop();
        if !self.stopped {
            assert!(self.nodes.len() < MAX_NODES, "a graph of more than 2^31 nodes");
            self.next_look = MAX_NODES.min(self.nodes.len() + EVERY);
        }
        !self.stopped
    }

    /// The number of nodes, the constant included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A graph always has its constant.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// What the node is.
    pub fn gate(&self, node: usize) -> Gate {
        match self.nodes[node] {
            _ if node == 0 => Gate::False,
            [INPUT, _] => Gate::Input,
            [a, b] => Gate::And(a, b),
        }
    }

    /// The operands, if the node is an and-gate.
    pub fn operands(&self, node: usize) -> Option<(AigLit, AigLit)> {
        let [a, b] = self.nodes[node];
        (a != INPUT).then_some((a, b))
    }

    /// Adds an input.
    pub fn input(&mut self) -> AigLit {
        assert!(self.nodes.len() < MAX_NODES, "a graph of more than 2^31 nodes");
        self.nodes.push([INPUT; 2]);
        AigLit::of(self.nodes.len() - 1)
    }

    /// `a ∧ b`, simplified by looking at two levels.
    pub fn and(&mut self, a: AigLit, b: AigLit) -> AigLit {
        let (mut a, mut b) = (a, b);
        loop {
            if a == b || b == AigLit::TRUE {
                return a;
            }
            if a == AigLit::TRUE {
                return b;
            }
            if a == !b || a == AigLit::FALSE || b == AigLit::FALSE {
                return AigLit::FALSE;
            }
            match self.two_level(a, b) {
                Rewrite::Done(result) => return result,
                Rewrite::Retry(x, y) => (a, b) = (x, y),
                Rewrite::None => return self.hash(a, b),
            }
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: AigLit, b: AigLit) -> AigLit {
        !self.and(!a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: AigLit, b: AigLit) -> AigLit {
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither)
    }

    /// Equivalence.
    pub fn iff(&mut self, a: AigLit, b: AigLit) -> AigLit {
        !self.xor(a, b)
    }

    /// If-then-else.
    pub fn ite(&mut self, c: AigLit, t: AigLit, e: AigLit) -> AigLit {
        if t == e {
            return t;
        }
        if t == !e {
            return self.xor(c, e);
        }
        let x = self.and(c, t);
        let y = self.and(!c, e);
        self.or(x, y)
    }

    /// The conjunction, as a balanced tree.
    pub fn and_all(&mut self, lits: &[AigLit]) -> AigLit {
        match lits {
            [] => AigLit::TRUE,
            [single] => *single,
            _ => {
                let (left, right) = lits.split_at(lits.len() / 2);
                let (left, right) = (self.and_all(left), self.and_all(right));
                self.and(left, right)
            }
        }
    }

    /// The disjunction, as a balanced tree.
    pub fn or_all(&mut self, lits: &[AigLit]) -> AigLit {
        let complements: Vec<AigLit> = lits.iter().map(|&lit| !lit).collect();
        !self.and_all(&complements)
    }

    /// The inputs that a literal depends on, as nodes.
    pub fn support(&self, lit: AigLit) -> Vec<usize> {
        let cone = self.cone([lit]);
        cone.into_iter().filter(|&node| self.gate(node) == Gate::Input).collect()
    }

    /// The nodes that literals depend on, each after its operands.
    pub fn cone(&self, roots: impl IntoIterator<Item = AigLit>) -> Vec<usize> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<usize> = roots.into_iter().map(AigLit::node).collect();
        let mut cone = Vec::new();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                cone.push(node);
                let operands = self.operands(node);
                stack.extend(operands.into_iter().flat_map(|(a, b)| [a.node(), b.node()]));
            }
        }
        cone.sort_unstable();
        cone
    }

    /// What a literal means to someone, given what its inputs and the constant false
    /// (`leaf`, by node), conjunctions and complements mean.
    pub fn fold<T: Clone>(
        &self,
        root: AigLit,
        mut leaf: impl FnMut(usize) -> T,
        mut and: impl FnMut(T, T) -> T,
        not: impl Fn(T) -> T,
    ) -> T {
        let mut meanings: FxHashMap<usize, T> = FxHashMap::default();
        let edge = |meanings: &FxHashMap<usize, T>, lit: AigLit| {
            let meaning = meanings[&lit.node()].clone();
            if lit.is_complement() { not(meaning) } else { meaning }
        };
        for node in self.cone([root]) {
            let meaning = match self.operands(node) {
                Some((a, b)) => and(edge(&meanings, a), edge(&meanings, b)),
                None => leaf(node),
            };
            meanings.insert(node, meaning);
        }
        edge(&meanings, root)
    }

    /// The value of every node, given those of the inputs.
    pub fn simulate(&self, mut input: impl FnMut(usize) -> bool) -> Valuation {
        let mut values = Vec::with_capacity(self.nodes.len());
        for node in 0..self.nodes.len() {
            let value = match self.gate(node) {
                Gate::False => false,
                Gate::Input => input(node),
                Gate::And(a, b) => {
                    (values[a.node()] != a.is_complement())
                        && (values[b.node()] != b.is_complement())
                }
            };
            values.push(value);
        }
        Valuation(values)
    }

    /// The two-level rules, in the order of the paper; each makes the result
    /// smaller or equal in size, so that retrying ends.
    fn two_level(&self, a: AigLit, b: AigLit) -> Rewrite {
        let (ga, gb) = (self.operands(a.node()), self.operands(b.node()));
        for (x, gate, other) in [(a, ga, b), (b, gb, a)] {
            let Some((x0, x1)) = gate else { continue };
            if x.is_complement() {
                // subsumption: ¬(x0 ∧ x1) ∧ ¬x0 → ¬x0
                if x0 == !other || x1 == !other {
                    return Rewrite::Done(other);
                }
                // substitution: ¬(x0 ∧ x1) ∧ x0 → x0 ∧ ¬x1
                if x0 == other {
                    return Rewrite::Retry(other, !x1);
                }
                if x1 == other {
                    return Rewrite::Retry(other, !x0);
                }
            } else {
                // contradiction: (x0 ∧ x1) ∧ ¬x0 → 0
                if x0 == !other || x1 == !other {
                    return Rewrite::Done(AigLit::FALSE);
                }
                // idempotence: (x0 ∧ x1) ∧ x0 → x0 ∧ x1
                if x0 == other || x1 == other {
                    return Rewrite::Done(x);
                }
            }
        }
        let (Some(ga), Some(gb)) = (ga, gb) else { return Rewrite::None };
        match (a.is_complement(), b.is_complement()) {
            (false, false) => both_positive(a, ga, gb),
            (true, false) => one_negative(ga, b, gb),
            (false, true) => one_negative(gb, a, ga),
            (true, true) => both_negative(ga, gb),
        }
    }

    fn hash(&mut self, a: AigLit, b: AigLit) -> AigLit {
        // What is asked for after the stop must cost little: there may be much of it.
        if self.stopped {
            return AigLit::FALSE;
        }
        let key = if a < b { [a, b] } else { [b, a] };
        let mask = self.table.len() - 1;
        let mut slot = hash_of(key) & mask;
        loop {
            match self.table[slot] {
                0 => break,
                node if self.nodes[node as usize] == key => return AigLit(node << 1),
                _ => slot = (slot + 1) & mask,
            }
        }
        if self.nodes.len() >= self.next_look && !self.look() {
            return AigLit::FALSE;
        }
        self.nodes.push(key);
        self.table[slot] = self.nodes.len() as u32 - 1;
        self.ands += 1;
        if self.ands * 2 > self.table.len() {
            self.rehash();
        }
        AigLit::of(self.nodes.len() - 1)
    }

    fn rehash(&mut self) {
        let size = self.table.len() * 2;
        self.table.clear();
        self.table.resize(size, 0);
        for (node, &key) in self.nodes.iter().enumerate().filter(|(_, key)| key[0] != INPUT) {
            let mut slot = hash_of(key) & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = node as u32;
        }
    }
}

enum Rewrite {
    Done(AigLit),
    Retry(AigLit, AigLit),
    None,
}

fn both_positive(a: AigLit, (a0, a1): (AigLit, AigLit), (b0, b1): (AigLit, AigLit)) -> Rewrite {
    // contradiction: (x ∧ y) ∧ (¬x ∧ z) → 0
    if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
        return Rewrite::Done(AigLit::FALSE);
    }
    // idempotence: (x ∧ y) ∧ (x ∧ z) → (x ∧ y) ∧ z
    if a0 == b0 || a1 == b0 {
        return Rewrite::Retry(a, b1);
    }
    if a0 == b1 || a1 == b1 {
        return Rewrite::Retry(a, b0);
    }
    Rewrite::None
}

/// `¬(n0 ∧ n1) ∧ p` where `p = p0 ∧ p1`.
fn one_negative((n0, n1): (AigLit, AigLit), p: AigLit, (p0, p1): (AigLit, AigLit)) -> Rewrite {
    // subsumption: ¬(x ∧ y) ∧ (¬x ∧ z) → ¬x ∧ z
    if n0 == !p0 || n0 == !p1 || n1 == !p0 || n1 == !p1 {
        return Rewrite::Done(p);
    }
    // substitution: ¬(x ∧ y) ∧ (x ∧ z) → ¬y ∧ (x ∧ z)
    if n0 == p0 || n0 == p1 {
        return Rewrite::Retry(p, !n1);
    }
    if n1 == p0 || n1 == p1 {
        return Rewrite::Retry(p, !n0);
    }
    Rewrite::None
}

fn both_negative((a0, a1): (AigLit, AigLit), (b0, b1): (AigLit, AigLit)) -> Rewrite {
    // resolution: ¬(x ∧ y) ∧ ¬(x ∧ ¬y) → ¬x
    let resolves = |x: AigLit, y: AigLit| (x == b0 && y == !b1) || (x == b1 && y == !b0);
    if resolves(a0, a1) {
        return Rewrite::Done(!a0);
    }
    if resolves(a1, a0) {
        return Rewrite::Done(!a1);
    }
    Rewrite::None
}

fn hash_of([a, b]: [AigLit; 2]) -> usize {
    // Both halves of the full product: operands of arithmetic circuits differ by little, and
    // with the lower half alone they are put side by side, so that probing takes very long.
    let key = u64::from(a.0) << 32 | u64::from(b.0);
    let product = u128::from(key ^ 0x243f_6a88_85a3_08d3) * 0x9e37_79b9_7f4a_7c15;
    (product as u64 ^ (product >> 64) as u64) as usize
}

/// A value for every node of a graph.
pub struct Valuation(Vec<bool>);

impl Valuation {
    /// The value of a literal.
    pub fn value(&self, lit: AigLit) -> bool {
        self.0[lit.node()] != lit.is_complement()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All expressions of two levels over three inputs keep their meaning.
    #[test]
    fn rewriting_keeps_the_meaning() {
        let mut aig = Aig::new();
        let inputs = [aig.input(), aig.input(), aig.input()];
        let mut level: Vec<(AigLit, u8)> = vec![(AigLit::FALSE, 0), (AigLit::TRUE, 255)];
        for (input, table) in inputs.into_iter().zip([0b1010_1010, 0b1100_1100, 0b1111_0000]) {
            level.push((input, table));
            level.push((!input, !table));
        }
        for _ in 0..2 {
            let previous = level.clone();
            for &(a, ta) in &previous {
                for &(b, tb) in &previous {
                    let both = aig.and(a, b);
                    level.push((both, ta & tb));
                    level.push((!both, !(ta & tb)));
                }
            }
            level.sort();
            level.dedup();
        }
        for row in 0..8 {
            let bit = |table: u8| table >> row & 1 == 1;
            let tables = [0b1010_1010, 0b1100_1100, 0b1111_0000];
            let values = aig.simulate(|node| bit(tables[node - 1]));
            for &(lit, table) in &level {
                assert_eq!(values.value(lit), bit(table), "{lit:?}");
            }
        }
        assert!(level.len() > 100);
    }

    #[test]
    fn a_graph_stops_when_its_watch_says_so() {
        let mut aig = Aig::new();
        let inputs: Vec<AigLit> = (0..20_000).map(|_| aig.input()).collect();
        aig.watch(Watch::new(|| false));
        let all = aig.and_all(&inputs[..10_000]);
        assert!(!aig.is_stopped() && !all.is_constant());
        aig.watch(Watch::new(|| true));
        assert_eq!(aig.and_all(&inputs[..10_000]), all, "what is there needs no new gate");
        assert!(!aig.is_stopped());
        let before = aig.len();
        assert_eq!(aig.and_all(&inputs), AigLit::FALSE);
        assert!(aig.is_stopped() && aig.len() == before && aig.unwatch());
        assert!(!aig.input().is_constant(), "inputs differ from each other in any case");
        assert!(aig.is_stopped() && aig.empty_like().is_stopped(), "a stop is permanent");
    }

    /// The gates of a multiplier are found after few steps in the table.
    #[test]
    fn gates_of_arithmetic_are_spread_over_the_table() {
        let mut aig = Aig::new();
        let [a, b] = [(); 2].map(|()| (0..250).map(|_| aig.input()).collect::<Vec<_>>());
        crate::words::binary(&mut aig, elinvar_ir::BinaryOp::Mul, &a, &b);
        let mask = aig.table.len() - 1;
        let steps = |(slot, &node): (usize, &u32)| {
            slot.wrapping_sub(hash_of(aig.nodes[node as usize])) & mask
        };
        let used = aig.table.iter().enumerate().filter(|(_, node)| **node != 0);
        let total: usize = used.map(steps).sum();
        assert!(total < 2 * aig.ands, "{total} steps to {} gates", aig.ands);
    }

    #[test]
    fn equal_structure_is_shared() {
        let mut aig = Aig::new();
        let (a, b, c) = (aig.input(), aig.input(), aig.input());
        let x = aig.xor(a, b);
        let size = aig.len();
        assert_eq!(aig.xor(b, a), x);
        assert_eq!(aig.xor(!b, !a), x);
        assert_eq!(aig.ite(c, x, x), x);
        assert_eq!(aig.len(), size);
        assert_eq!(aig.and_all(&[a, b, !a]), AigLit::FALSE);
        assert_eq!(aig.or_all(&[a, b, !a]), AigLit::TRUE);
    }

    #[test]
    fn folding_with_the_meaning_of_bits_is_simulation() {
        let mut aig = Aig::new();
        let (a, b, c) = (aig.input(), aig.input(), aig.input());
        let chosen = aig.ite(a, b, c);
        let differ = aig.xor(chosen, c);
        for row in 0..8 {
            let input = |node: usize| node > 0 && row >> (node - 1) & 1 == 1;
            let values = aig.simulate(input);
            for root in [a, !b, chosen, !differ, AigLit::TRUE, AigLit::FALSE] {
                let folded = aig.fold(root, input, |x, y| x && y, |x: bool| !x);
                assert_eq!(folded, values.value(root), "{root:?} in row {row}");
            }
        }
    }
}
