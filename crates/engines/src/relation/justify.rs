//! Which registers make a target true: a look backwards through the gates.
//!
//! Given a state and inputs, each gate has a value, and a price for keeping it:
//! nothing for an input, one for a register, the sum for a gate with both operands
//! true, the cheaper false operand for a gate that is false. The registers paid for
//! determine the target. This is a cheaper relative of ternary simulation [Eén,
//! Mishchenko, Brayton 2011], linear in the cone of the target.

use elinvar_sat::{Lit, Var};

/// The gates of a transition relation, in topological order. Node 0 is true,
/// then come registers, inputs, and the gates, which are conjunctions.
#[derive(Clone, Default, Debug)]
pub(crate) struct Network {
    /// Registers, inputs and the constant.
    pub leaves: usize,
    pub gates: Vec<[Lit; 2]>,
    /// By register.
    pub next: Vec<Lit>,
    pub bads: Vec<Lit>,
    pub constraints: Vec<Lit>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    stamp: u32,
    value: bool,
    price: u32,
}

#[derive(Default)]
pub(crate) struct Justifier {
    nodes: Vec<Node>,
    paid: Vec<u32>,
    stamp: u32,
    stack: Vec<u32>,
}

impl Justifier {
    pub fn new(network: &Network) -> Self {
        let count = network.leaves + network.gates.len();
        Justifier { nodes: vec![Node::default(); count], paid: vec![0; count], ..Self::default() }
    }

    /// The leaves (registers and inputs) that make all targets true, to `found`.
    /// False if some target is false. `leaf` gives value and price of a leaf.
    pub fn justify(
        &mut self,
        network: &Network,
        targets: impl Iterator<Item = Lit> + Clone,
        leaf: impl Fn(Var) -> (bool, u32),
        mut found: impl FnMut(Var, bool),
    ) -> bool {
        self.stamp += 1;
        for target in targets.clone() {
            self.evaluate(network, target.var(), &leaf);
            if !self.value(target) {
                return false;
            }
        }
        self.stack.clear();
        for target in targets {
            self.pay(target.var());
        }
        while let Some(node) = self.stack.pop() {
            let index = node as usize;
            let Some(gate) = index.checked_sub(network.leaves) else {
                found(Var::new(index), self.nodes[index].value);
                continue;
            };
            let [a, b] = network.gates[gate];
            if self.nodes[index].value {
                self.pay(a.var());
                self.pay(b.var());
            } else {
                self.pay(self.cheaper_false(a, b).var());
            }
        }
        true
    }

    fn value(&self, lit: Lit) -> bool {
        self.nodes[lit.var().index()].value != lit.is_negative()
    }

    fn pay(&mut self, var: Var) {
        if self.paid[var.index()] != self.stamp {
            self.paid[var.index()] = self.stamp;
            self.stack.push(var.index() as u32);
        }
    }

    /// The false operand with the lower price.
    fn cheaper_false(&self, a: Lit, b: Lit) -> Lit {
        let price = |lit: Lit| {
            let node = self.nodes[lit.var().index()];
            (node.value != lit.is_negative(), node.price)
        };
        if price(b) < price(a) { b } else { a }
    }

    /// Values and prices of the cone of a node, operands first.
    fn evaluate(&mut self, network: &Network, root: Var, leaf: &impl Fn(Var) -> (bool, u32)) {
        self.stack.clear();
        self.stack.push(root.index() as u32);
        while let Some(&node) = self.stack.last() {
            let index = node as usize;
            if self.nodes[index].stamp == self.stamp {
                self.stack.pop();
                continue;
            }
            let Some(gate) = index.checked_sub(network.leaves) else {
                let (value, price) = leaf(Var::new(index));
                self.nodes[index] = Node { stamp: self.stamp, value, price };
                self.stack.pop();
                continue;
            };
            let [a, b] = network.gates[gate];
            let (first, second) = (self.nodes[a.var().index()], self.nodes[b.var().index()]);
            if first.stamp != self.stamp || second.stamp != self.stamp {
                for (lit, operand) in [(a, first), (b, second)] {
                    if operand.stamp != self.stamp {
                        self.stack.push(lit.var().index() as u32);
                    }
                }
                continue;
            }
            let (va, vb) = (first.value != a.is_negative(), second.value != b.is_negative());
            let price = match (va, vb) {
                (true, true) => first.price.saturating_add(second.price),
                (true, false) => second.price,
                (false, true) => first.price,
                (false, false) => first.price.min(second.price),
            };
            self.nodes[index] = Node { stamp: self.stamp, value: va && vb, price };
            self.stack.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers 1, 2, 3 and input 4; gate 5 is 1 ∧ 2, gate 6 is 5 ∧ ¬4.
    fn network() -> Network {
        let [r1, r2, input, both] = [1, 2, 4, 5].map(|node| Var::new(node).positive());
        Network { leaves: 5, gates: vec![[r1, r2], [both, !input]], ..Network::default() }
    }

    fn justify(target: Lit, values: [bool; 5], prices: [u32; 5]) -> Option<Vec<(usize, bool)>> {
        let network = network();
        let mut found = Vec::new();
        let leaf = |var: Var| (values[var.index()], prices[var.index()]);
        let targets = std::iter::once(target);
        let justified = Justifier::new(&network)
            .justify(&network, targets, leaf, |var, value| found.push((var.index(), value)));
        found.sort_unstable();
        justified.then_some(found)
    }

    #[test]
    fn a_true_gate_needs_both_operands_and_a_false_one_the_cheaper() {
        let top = Var::new(6).positive();
        let all = [true, true, true, false, false];
        assert_eq!(
            justify(top, all, [0, 1, 1, 1, 0]),
            Some(vec![(1, true), (2, true), (4, false)])
        );
        let none = [true, false, false, false, false];
        assert_eq!(justify(!top, none, [0, 5, 1, 1, 0]), Some(vec![(2, false)]));
        assert_eq!(justify(!top, none, [0, 1, 5, 1, 0]), Some(vec![(1, false)]));
        let input = [true, false, false, false, true];
        assert_eq!(justify(!top, input, [0, 1, 1, 1, 0]), Some(vec![(4, true)]));
    }

    #[test]
    fn a_false_target_is_told() {
        assert_eq!(justify(Var::new(6).positive(), [true; 5], [1; 5]), None);
    }
}
