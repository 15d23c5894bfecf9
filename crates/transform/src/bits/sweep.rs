//! Merges gates that compute the same function, or its complement
//! [Kuehlmann, Krohm: Equivalence Checking Using Cuts and Heaps, 1997; Mishchenko
//! et al.: FRAIGs, 2005].
//!
//! Random simulation puts gates into classes. In the order of the graph, each gate is
//! compared with the first gate of its class in the graph that was built so far.
//! Counterexamples are collected and simulated together. Gates are compared as functions of
//! one cycle without the constraints, so no fact about reachable states is used.

use elinvar_ir::Rng;
use elinvar_logic::aig::{Gate, Valuation};
use elinvar_logic::{Aig, AigLit};

use super::classes::Classes;
use super::netlist::{Netlist, own};
use super::query::{Asker, Reply};
use super::simulate::settle;
use crate::limits::Limits;

/// Gate evaluations spent on the first simulation, and the most words of it.
const SIMULATION_EFFORT: u64 = 20_000_000;
const SIMULATION_WORDS: u64 = 64;
/// Gate evaluations spent on queries and their counterexamples.
const EFFORT: u64 = 60_000_000;
/// The cost of a query, of a gate that is new to the solver and of a step of the solver, in
/// gate evaluations. A step propagates through a part of the gates in the solver.
const QUESTION_COST: u64 = 10_000;
const GATE_COST: u64 = 50;
const STEP_COST: u64 = 100;
const STEP_SHARE: u64 = 8;
/// Steps of the solver for one query.
const QUESTION_STEPS: u64 = 100;
/// A solver with more gates than this is replaced, because each answer assigns all of them.
const GATES_PER_SOLVER: usize = 10_000;
/// The most counterexamples that wait to be simulated.
const WAITING: usize = 32;

/// Merges gates, and drops those that are not needed any more.
pub(super) fn sweep(netlist: &mut Netlist, limits: &dyn Limits) {
    let substitution = Sweep::new(&netlist.aig, limits).run();
    let keeps = initial_gates(netlist);
    netlist.rebuild(|node| (!keeps[node]).then_some(substitution[node]));
}

/// The gates of initial values. They stay as they are: an equal gate may mention further
/// registers, although its value does not depend on them, so that the initial value of a
/// register could seem to depend on itself.
fn initial_gates(netlist: &Netlist) -> Vec<bool> {
    let mut found = vec![false; netlist.aig.len()];
    let inits = netlist.registers.iter().filter_map(|register| register.init);
    let mut stack: Vec<usize> = inits.map(AigLit::node).collect();
    while let Some(node) = stack.pop() {
        if let Some((a, b)) = netlist.aig.operands(node)
            && !std::mem::replace(&mut found[node], true)
        {
            stack.extend([a.node(), b.node()]);
        }
    }
    found
}

struct Sweep<'a> {
    old: &'a Aig,
    limits: &'a dyn Limits,
    rng: Rng,
    classes: Classes,
    /// The graph with what was merged so far, and the old nodes in it.
    new: Aig,
    lits: Vec<AigLit>,
    asker: Asker,
    /// By node of the new graph: the number of the last solver that got to know it.
    known: Vec<u32>,
    solver: u32,
    known_count: usize,
    effort: u64,
    /// Words of the old inputs: a counterexample in each bit.
    patterns: Vec<u64>,
    waiting: usize,
}

impl<'a> Sweep<'a> {
    fn new(old: &'a Aig, limits: &'a dyn Limits) -> Self {
        let mut rng = Rng::new(limits.seed());
        let mut values = vec![0u64; old.len()];
        draw(old, &mut values, &mut rng);
        settle(old, &mut values);
        let mut classes = Classes::new(values.iter().map(|value| value & 1 == 1).collect());
        classes.add(true, (1..old.len() as u32).collect());
        let words = (SIMULATION_EFFORT / old.len() as u64).clamp(4, SIMULATION_WORDS);
        for _ in 0..words {
            classes.split(|node| values[node], |word| !word);
            draw(old, &mut values, &mut rng);
            settle(old, &mut values);
        }
        Sweep {
            old,
            limits,
            rng,
            classes,
            new: Aig::new(),
            lits: vec![AigLit::FALSE; old.len()],
            asker: Asker::new(limits),
            known: Vec::new(),
            solver: 1,
            known_count: 0,
            effort: EFFORT,
            patterns: vec![0; old.len()],
            waiting: 0,
        }
    }

    /// By node: the literal of the same graph that stands for it.
    fn run(mut self) -> Vec<AigLit> {
        (0..self.old.len()).map(|node| self.visit(node)).collect()
    }

    fn visit(&mut self, node: usize) -> AigLit {
        match self.old.gate(node) {
            Gate::False => {}
            Gate::Input => self.lits[node] = self.new.input(),
            Gate::And(a, b) => {
                let (a, b) = (self.lit(a), self.lit(b));
                self.lits[node] = self.new.and(a, b);
                if let Some((first, complement)) = self.equal_to(node) {
                    let stand_in = first.map_or(AigLit::FALSE, own).complement_if(complement);
                    self.lits[node] = self.lit(stand_in);
                    return stand_in;
                }
            }
        }
        own(node)
    }

    fn lit(&self, lit: AigLit) -> AigLit {
        self.lits[lit.node()].complement_if(lit.is_complement())
    }

    /// What represents the gate's class, if that is proved.
    fn equal_to(&mut self, node: usize) -> Option<(Option<usize>, bool)> {
        // The first of a class comes earlier in the graph.
        while let Some(found @ (first, complement)) = self.classes.representative(node) {
            let lit = first.map_or(AigLit::FALSE, |first| self.lits[first]);
            let difference = self.new.xor(self.lits[node], lit.complement_if(complement));
            if difference == AigLit::FALSE {
                return Some(found);
            }
            if self.effort == 0 || self.limits.stop().is_some() {
                return None;
            }
            match self.ask(difference) {
                Reply::Unsat => return Some(found),
                Reply::Open => self.classes.remove(node),
                Reply::Sat(values) => {
                    self.keep(&values);
                    if self.waiting < self.patience() {
                        return None;
                    }
                    self.refine();
                }
            }
        }
        None
    }

    // SAT?  the gates of two literals ∧ the literals differ
    fn ask(&mut self, difference: AigLit) -> Reply {
        if self.known_count > GATES_PER_SOLVER {
            self.asker = Asker::new(self.limits);
            self.solver += 1;
            self.known_count = 0;
        }
        let fresh = self.introduce(difference);
        self.known_count += fresh;
        let reply = self.asker.ask(&self.new, difference, QUESTION_STEPS);
        let known = self.known_count as u64;
        let steps = self.asker.steps() * (STEP_COST + known / STEP_SHARE);
        self.spend(QUESTION_COST + GATE_COST * fresh as u64 + known + steps);
        reply
    }

    /// Counts the gates under a literal that the solver does not know, and notes
    /// that it will.
    fn introduce(&mut self, lit: AigLit) -> usize {
        self.known.resize(self.new.len(), 0);
        let (mut count, mut stack) = (0, vec![lit.node()]);
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut self.known[node], self.solver) != self.solver {
                count += 1;
                if let Some((a, b)) = self.new.operands(node) {
                    stack.extend([a.node(), b.node()]);
                }
            }
        }
        count
    }

    fn spend(&mut self, effort: u64) {
        self.effort = self.effort.saturating_sub(effort);
    }

    /// Simulating is dear where the graph is large: wait for more counterexamples.
    fn patience(&self) -> usize {
        (self.old.len() / 5_000).clamp(1, WAITING)
    }

    fn keep(&mut self, values: &Valuation) {
        self.spend(self.new.len() as u64);
        let bit = 1 << self.waiting;
        for node in (1..self.old.len()).filter(|&node| self.old.gate(node) == Gate::Input) {
            let value = self.lits[node] != AigLit::FALSE && values.value(self.lits[node]);
            self.patterns[node] = self.patterns[node] & !bit | if value { bit } else { 0 };
        }
        self.waiting += 1;
    }

    /// Splits classes by the counterexamples and by what is close to them.
    fn refine(&mut self) {
        self.spend(2 * self.old.len() as u64);
        let mut values = vec![0u64; self.old.len()];
        for node in (1..self.old.len()).filter(|&node| self.old.gate(node) == Gate::Input) {
            // The counterexamples fill the word again and again, then some bits are flipped.
            let mut word = self.patterns[node] & ((1u64 << self.waiting) - 1);
            let mut filled = self.waiting;
            while filled < 64 {
                word |= word << filled;
                filled *= 2;
            }
            let close = self.rng.next_u64() & self.rng.next_u64() & self.rng.next_u64();
            values[node] = word ^ (close & !0 << self.waiting);
        }
        settle(self.old, &mut values);
        self.classes.split(|node| values[node], |word| !word);
        self.waiting = 0;
    }
}

fn draw(aig: &Aig, values: &mut [u64], rng: &mut Rng) {
    for node in (1..aig.len()).filter(|&node| aig.gate(node) == Gate::Input) {
        values[node] = rng.next_u64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::InputOrigin;
    use crate::bits::lift::Bit;
    use crate::bits::netlist::{Input, Target};
    use crate::limits::Unlimited;

    fn inputs<const N: usize>(netlist: &mut Netlist) -> [AigLit; N] {
        let lits = [(); N].map(|()| netlist.aig.input());
        for (index, &lit) in lits.iter().enumerate() {
            let origin = InputOrigin::Input(Bit { index, position: 0 });
            netlist.inputs.push(Input { lit, origin });
        }
        lits
    }

    fn bads(netlist: &Netlist) -> Vec<AigLit> {
        let bad = |target: &Target| match target {
            Target::Bad(bad) => *bad,
            Target::Justice(_) => unreachable!("only bad bits here"),
        };
        netlist.targets.iter().map(bad).collect()
    }

    #[test]
    fn two_ways_to_say_the_same_become_one() {
        let mut n = Netlist::default();
        let [x, y, z] = inputs(&mut n);
        // x ∧ (y ∨ z) and ¬(x ∧ y ∨ x ∧ z)
        let either = n.aig.or(y, z);
        let one = n.aig.and(x, either);
        let (left, right) = (n.aig.and(x, y), n.aig.and(x, z));
        let other = n.aig.or(left, right);
        n.targets = vec![Target::Bad(one), Target::Bad(!other)];
        assert_eq!(n.size().gates, 5);
        sweep(&mut n, &Unlimited);
        assert_eq!((n.size().gates, bads(&n)[0]), (2, !bads(&n)[1]));
    }

    #[test]
    fn gates_that_only_seem_constant_are_kept() {
        // True for one of 2^40 inputs, which no random pattern hits.
        let mut n = Netlist::default();
        let lits = inputs::<40>(&mut n);
        let rare = n.aig.and_all(&lits);
        let never = n.aig.and_all(&[rare, !lits[7]]);
        n.targets = vec![Target::Bad(rare), Target::Bad(never)];
        sweep(&mut n, &Unlimited);
        assert_eq!((n.size().gates, bads(&n)[1]), (39, AigLit::FALSE));
    }
}
