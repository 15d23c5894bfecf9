//! Gates over registers that are constant, equal or complements in all reachable states
//! [van Eijk: Sequential Equivalence Checking Based on Structural Similarities, 2000;
//! Mishchenko, Case, Brayton, Jang: Scalable and Scalably-Verifiable Sequential Synthesis,
//! ICCAD 2008].
//!
//! The candidates are registers and gates that depend on a few registers and on no input.
//! Random simulation from the initial states puts them into classes. The classes are proved
//! by induction: they are assumed in one state and proved in the next, all of them together,
//! under the constraints of the first. A counterexample splits classes, and so do the states
//! that follow it, as in `registers`. In the initial states they must hold without the
//! constraints: these may mention the gates themselves, and a constraint that was merged with
//! what it implies would allow initial states that it excluded.
//!
//! A certificate states the equation of two gates as clauses over the registers that they
//! depend on. Therefore only gates of small support are merged. Gates that read inputs are
//! not candidates: their equations are no statements about states.
//!
//! Effort is bounded by a number of gate evaluations. When it is spent before a round splits
//! no class, nothing is merged.

use elinvar_logic::aig::Gate;
use elinvar_logic::{Aig, AigLit};
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::lift::{BitFact, Literal};
use super::netlist::{Copy, Netlist, own};
use super::query::{Asker, Reply};
use super::registers::initial_literals;
use super::simulate::{Simulation, settle};
use crate::limits::Limits;

/// The most registers that an equation may mention.
const SUPPORT: usize = 8;
/// Gate evaluations spent on random simulation, and the most cycles of it.
const SIMULATION_EFFORT: u64 = 10_000_000;
const SIMULATION_CYCLES: u64 = 256;
/// Gate evaluations spent on induction, all rounds together.
const INDUCTION_EFFORT: u64 = 100_000_000;
/// What a step of the solver costs, in gate evaluations.
const STEP_COST: u64 = 50;
/// Steps of the solver for one query, besides one for each gate.
const QUESTION_STEPS: u64 = 2_000;
/// The number of pairs in one query.
const CHUNK: usize = 64;
/// The number of cycles for which a counterexample is followed.
const FOLLOWED: usize = 8;

/// Merges gates and registers, and drops what is not needed any more.
pub(super) fn merge_signals(netlist: &mut Netlist, limits: &dyn Limits) {
    // From here on, registers come before gates.
    netlist.compact();
    let initial = initial_literals(netlist);
    if initial.iter().any(|lit| netlist.aig.operands(lit.node()).is_some()) {
        return;
    }
    let supports = Supports::new(netlist);
    let classes = Classes::new(vec![false; netlist.aig.len()]);
    let mut search = Search { netlist, supports, classes, effort: INDUCTION_EFFORT, limits };
    search.simulate(&initial);
    if search.hold_initially(&initial) && search.prove() {
        let Search { supports, classes, .. } = search;
        merge(netlist, &supports, &classes, &initial);
    }
}

/// The registers that a node depends on, for nodes without inputs and with few registers.
struct Supports {
    /// By node: numbers of registers, in order.
    registers: Vec<Option<Vec<u32>>>,
}

impl Supports {
    fn new(netlist: &Netlist) -> Self {
        let mut registers: Vec<Option<Vec<u32>>> = vec![None; netlist.aig.len()];
        registers[0] = Some(Vec::new());
        for (number, register) in netlist.registers.iter().enumerate() {
            registers[register.lit.node()] = Some(vec![number as u32]);
        }
        for node in 0..registers.len() {
            if let Gate::And(a, b) = netlist.aig.gate(node) {
                registers[node] = match (&registers[a.node()], &registers[b.node()]) {
                    (Some(a), Some(b)) => union(a, b),
                    (Some(_) | None, None) | (None, Some(_)) => None,
                };
            }
        }
        Supports { registers }
    }

    /// The candidates, in the order of the graph.
    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.registers.len()).filter(|&node| self.registers[node].is_some())
    }

    fn of(&self, node: usize) -> &[u32] {
        self.registers[node].as_deref().expect("a candidate")
    }

    /// The registers of an equation, if they are few.
    fn of_pair(&self, node: usize, other: Option<usize>) -> Option<Vec<u32>> {
        union(self.of(node), self.of(other.unwrap_or(0)))
    }
}

fn union(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    let mut all: Vec<u32> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    (all.len() <= SUPPORT).then_some(all)
}

/// The claim that a node equals what represents it after a step.
struct Pair {
    node: usize,
    representative: (Option<usize>, bool),
    difference: AigLit,
}

struct Search<'a> {
    netlist: &'a Netlist,
    supports: Supports,
    classes: Classes,
    effort: u64,
    limits: &'a dyn Limits,
}

impl<'a> Search<'a> {
    fn spend(&mut self, effort: u64) {
        self.effort = self.effort.saturating_sub(effort);
    }

    /// Makes classes of what random runs do not distinguish.
    fn simulate(&mut self, initial: &[AigLit]) {
        let cycles = SIMULATION_EFFORT / self.netlist.aig.len() as u64;
        let cycles = cycles.clamp(8, SIMULATION_CYCLES);
        let mut simulation = Simulation::new(self.netlist, self.limits.seed());
        simulation.start(|number| initial[number]);
        simulation.settle();
        let first = |node: usize| simulation.word(own(node)) & 1 == 1;
        self.classes = Classes::new((0..self.netlist.aig.len()).map(first).collect());
        self.classes.add(true, self.supports.nodes().map(|node| node as u32).collect());
        self.observe(&simulation);
        for _ in 0..cycles {
            if self.limits.stop().is_some() || !simulation.advance() {
                return;
            }
            simulation.settle();
            self.observe(&simulation);
        }
    }

    fn observe(&mut self, simulation: &Simulation) {
        self.classes.split(|node| simulation.word(own(node)), |word| !word);
    }

    /// Splits classes that need not hold in an initial state; false if that was not decided.
    fn hold_initially(&mut self, initial: &[AigLit]) -> bool {
        let aig = &self.netlist.aig;
        let mut substitution: Vec<AigLit> = (0..aig.len()).map(own).collect();
        for (register, &lit) in self.netlist.registers.iter().zip(initial) {
            substitution[register.lit.node()] = lit;
        }
        let mut copy = Copy::of_cone(aig, &substitution, self.supports.nodes().map(own));
        let mut asker = Asker::new(self.limits);
        loop {
            let members: Vec<usize> = self.classes.represented().collect();
            let pairs = members.iter().map(|&node| {
                let (first, complement) = self.classes.representative(node).expect("a member");
                let first = first.map_or(AigLit::FALSE, |first| copy.of(own(first)));
                (copy.of(own(node)), first.complement_if(complement))
            });
            let pairs: Vec<(AigLit, AigLit)> = pairs.collect();
            let differences: Vec<AigLit> =
                pairs.into_iter().map(|(a, b)| copy.new.xor(a, b)).collect();
            let any = copy.new.or_all(&differences);
            if any == AigLit::FALSE {
                return true;
            }
            if self.effort == 0 || self.limits.stop().is_some() {
                return false;
            }
            match self.ask(&mut asker, &copy.new, any) {
                Reply::Unsat => return true,
                Reply::Open => return false,
                Reply::Sat(values) => {
                    let mut words = vec![0u64; aig.len()];
                    for (node, word) in words.iter_mut().enumerate() {
                        if aig.gate(node) == Gate::Input && values.value(copy.of(own(node))) {
                            *word = !0;
                        }
                    }
                    settle(aig, &mut words);
                    self.classes.split(|node| words[node], |word| !word);
                }
            }
        }
    }

    fn ask(&mut self, asker: &mut Asker, aig: &Aig, lit: AigLit) -> Reply {
        let reply = asker.ask(aig, lit, aig.len() as u64 + QUESTION_STEPS);
        self.spend(aig.len() as u64 + asker.steps() * STEP_COST);
        reply
    }

    /// Rounds of induction until nothing changes; false if that was not reached, or if there
    /// is nothing to merge.
    fn prove(&mut self) -> bool {
        loop {
            self.drop_large();
            if self.classes.represented().next().is_none()
                || self.effort == 0
                || self.limits.stop().is_some()
            {
                return false;
            }
            if !self.round() {
                return true;
            }
        }
    }

    /// Drops members whose equations mention too many registers.
    fn drop_large(&mut self) {
        let members: Vec<usize> = self.classes.represented().collect();
        for node in members {
            let representative = self.classes.representative(node);
            if let Some((first, _)) = representative
                && self.supports.of_pair(node, first).is_none()
            {
                self.classes.remove(node);
            }
        }
    }

    /// The graph under the assumption that the classes are as they say.
    fn substitution(&self) -> Vec<AigLit> {
        let mut substitution: Vec<AigLit> = (0..self.netlist.aig.len()).map(own).collect();
        for node in self.classes.represented() {
            substitution[node] = stand_in(&self.classes, node).expect("is represented");
        }
        substitution
    }

    fn next(&self, register: u32) -> AigLit {
        self.netlist.registers[register as usize].next.expect("a normal netlist")
    }

    /// Asks about all classes after a step from a state in which they are as they say, and
    /// splits those that are not; false if all are.
    fn round(&mut self) -> bool {
        let substitution = self.substitution();
        let mut copy = self.first_state(&substitution);
        let mut asker = Asker::new(self.limits);
        for &constraint in &self.netlist.constraints {
            asker.assert(&copy.new, copy.of(constraint));
        }
        for equation in self.assumptions(&mut copy) {
            asker.assert(&copy.new, equation);
        }
        let pairs = self.pairs(&mut copy);
        self.spend(copy.new.len() as u64);
        let mut changed = false;
        let mut chunks: Vec<Vec<Pair>> = Vec::new();
        for pair in pairs.into_iter().filter(|pair| pair.difference != AigLit::FALSE) {
            match chunks.last_mut() {
                Some(chunk) if chunk.len() < CHUNK => chunk.push(pair),
                Some(_) | None => chunks.push(vec![pair]),
            }
        }
        chunks.reverse();
        while let Some(mut chunk) = chunks.pop() {
            if self.effort == 0 || self.limits.stop().is_some() {
                return true;
            }
            let classes = &self.classes;
            chunk.retain(|pair| classes.representative(pair.node) == Some(pair.representative));
            if chunk.is_empty() {
                continue;
            }
            let differences: Vec<AigLit> = chunk.iter().map(|pair| pair.difference).collect();
            let any = copy.new.or_all(&differences);
            match self.ask(&mut asker, &copy.new, any) {
                Reply::Unsat => asker.assert(&copy.new, !any),
                Reply::Sat(values) => {
                    self.follow(&copy, |lit| values.value(lit));
                    changed = true;
                    // The simulation need not show the difference, because the pair was built
                    // from represented operands. Such a pair is not asked about again.
                    for pair in chunk.iter().filter(|pair| values.value(pair.difference)) {
                        if self.classes.representative(pair.node) == Some(pair.representative) {
                            self.classes.remove(pair.node);
                        }
                    }
                    chunks.push(chunk);
                }
                Reply::Open if chunk.len() == 1 => {
                    self.classes.remove(chunk[0].node);
                    changed = true;
                }
                Reply::Open => {
                    let rest = chunk.split_off(chunk.len() / 2);
                    chunks.extend([rest, chunk]);
                }
            }
        }
        changed
    }

    /// The gates and next values that the classes depend on, in the first state.
    fn first_state<'b>(&self, substitution: &'b [AigLit]) -> Copy<'b>
    where
        'a: 'b,
    {
        let aig = &self.netlist.aig;
        let mut is_read = vec![false; self.netlist.registers.len()];
        let mut roots = self.netlist.constraints.clone();
        for node in self.classes.represented() {
            let first = self.classes.representative(node).and_then(|(first, _)| first);
            for register in self.supports.of_pair(node, first).expect("a small equation") {
                is_read[register as usize] = true;
            }
            let operands = aig.operands(node);
            roots.extend(operands.into_iter().flat_map(|(a, b)| [a, b]));
            roots.push(own(node));
        }
        let read = (0..is_read.len()).filter(|&number| is_read[number]);
        roots.extend(read.map(|number| self.next(number as u32)));
        Copy::of_cone(aig, substitution, roots.into_iter())
    }

    /// That gates equal what represents them, in the first state.
    fn assumptions(&self, copy: &mut Copy) -> Vec<AigLit> {
        let gates = self.classes.represented().filter_map(|node| {
            let (a, b) = self.netlist.aig.operands(node)?;
            Some((copy.of(a), copy.of(b), copy.of(own(node))))
        });
        let gates: Vec<(AigLit, AigLit, AigLit)> = gates.collect();
        let mut equations = Vec::with_capacity(gates.len());
        for (a, b, represented) in gates {
            let gate = copy.new.and(a, b);
            equations.push(copy.new.iff(gate, represented));
        }
        equations
    }

    /// What is to be proved after the step. The operands of a gate are represented as well:
    /// if all pairs are equal, then by induction on the graph so are the gates themselves.
    fn pairs(&self, copy: &mut Copy) -> Vec<Pair> {
        let aig = &self.netlist.aig;
        let mut needed = vec![false; aig.len()];
        let mut stack = Vec::new();
        for node in self.classes.represented() {
            let first = self.classes.representative(node).and_then(|(first, _)| first);
            stack.extend([Some(node), first].into_iter().flatten());
        }
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut needed[node], true)
                && let Some((a, b)) = aig.operands(node)
            {
                stack.extend([a.node(), b.node()]);
            }
        }
        let mut lits = vec![AigLit::FALSE; aig.len()];
        let image =
            |lits: &[AigLit], lit: AigLit| lits[lit.node()].complement_if(lit.is_complement());
        let mut pairs = Vec::new();
        for node in (1..aig.len()).filter(|&node| needed[node]) {
            lits[node] = match aig.operands(node) {
                Some((a, b)) => copy.new.and(image(&lits, a), image(&lits, b)),
                None => copy.of(self.next(self.supports.of(node)[0])),
            };
            if let Some(representative @ (first, complement)) = self.classes.representative(node) {
                let stand_in = first.map_or(AigLit::FALSE, |first| lits[first]);
                let stand_in = stand_in.complement_if(complement);
                let difference = copy.new.xor(lits[node], stand_in);
                pairs.push(Pair { node, representative, difference });
                lits[node] = stand_in;
            }
        }
        pairs
    }

    /// Splits classes by what follows a state in which they all are as they say.
    fn follow(&mut self, copy: &Copy, value: impl Fn(AigLit) -> bool) {
        let seed = self.limits.seed() ^ self.effort;
        let mut simulation = Simulation::new(self.netlist, seed);
        simulation.start_with_inputs_near(|lit| value(copy.of(lit)));
        for _ in 0..FOLLOWED {
            self.spend(2 * self.netlist.aig.len() as u64);
            if !simulation.advance() {
                return;
            }
            simulation.settle();
            self.observe(&simulation);
        }
    }
}

fn stand_in(classes: &Classes, node: usize) -> Option<AigLit> {
    let (first, complement) = classes.representative(node)?;
    Some(first.map_or(AigLit::FALSE, own).complement_if(complement))
}

/// Puts what represents a class in place of its members; the classes are facts.
fn merge(netlist: &mut Netlist, supports: &Supports, classes: &Classes, initial: &[AigLit]) {
    for node in classes.represented() {
        let (first, complement) = classes.representative(node).expect("is represented");
        if netlist.aig.operands(node).is_some() {
            let registers = supports.of_pair(node, first).expect("a small equation");
            let stand_in = first.map_or(AigLit::FALSE, own).complement_if(complement);
            let clauses = clauses(netlist, &registers, own(node), stand_in);
            netlist.clauses.extend(clauses);
            continue;
        }
        let origin = |node: usize| netlist.registers[supports.of(node)[0] as usize].origin;
        let bit = origin(node);
        netlist.facts.push(match first {
            None => BitFact::Always(Literal { bit, positive: complement }),
            // A register comes before all gates, so another one represents it.
            Some(first) => {
                BitFact::Equal(bit, Literal { bit: origin(first), positive: !complement })
            }
        });
    }
    // The initial value of a representative must not go through those it represents.
    for (register, &lit) in netlist.registers.iter_mut().zip(initial) {
        register.init = (lit != register.lit).then_some(lit);
    }
    netlist.rebuild(|node| stand_in(classes, node));
}

/// Clauses that say that two literals are equal, over the registers that they depend on.
fn clauses(netlist: &Netlist, registers: &[u32], a: AigLit, b: AigLit) -> Vec<Vec<Literal>> {
    let rows = 1usize << registers.len();
    let mut leaves = FxHashMap::default();
    for (position, &register) in registers.iter().enumerate() {
        let column: Vec<bool> = (0..rows).map(|row| row >> position & 1 == 1).collect();
        leaves.insert(netlist.registers[register as usize].lit.node(), column);
    }
    let [a, b] = [a, b].map(|lit| table(&netlist.aig, lit, rows, &mut leaves));
    let is_excluded: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a != b).collect();
    let mut is_covered = vec![false; rows];
    let mut clauses = Vec::new();
    for row in (0..rows).filter(|&row| is_excluded[row]) {
        if is_covered[row] {
            continue;
        }
        // The rows that agree with this one where the mask is set.
        let covers = |mask: usize| (0..rows).filter(move |other| (other ^ row) & mask == 0);
        let mut mask = rows - 1;
        for position in 0..registers.len() {
            let smaller = mask & !(1 << position);
            if covers(smaller).all(|other| is_excluded[other]) {
                mask = smaller;
            }
        }
        covers(mask).for_each(|other| is_covered[other] = true);
        let literals = registers.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        let literal = |(position, &register): (usize, &u32)| Literal {
            bit: netlist.registers[register as usize].origin,
            positive: row >> position & 1 == 0,
        };
        clauses.push(literals.map(literal).collect());
    }
    clauses
}

/// The values of a literal for all values of the leaves. `known` has the tables of nodes.
fn table(
    aig: &Aig,
    lit: AigLit,
    rows: usize,
    known: &mut FxHashMap<usize, Vec<bool>>,
) -> Vec<bool> {
    let mut stack = vec![lit.node()];
    while let Some(&node) = stack.last() {
        if known.contains_key(&node) {
            stack.pop();
            continue;
        }
        let Some((a, b)) = aig.operands(node) else {
            assert_eq!(node, 0, "the leaves are registers and the constant");
            known.insert(node, vec![false; rows]);
            continue;
        };
        match (known.get(&a.node()), known.get(&b.node())) {
            (Some(left), Some(right)) => {
                let bit = |value: &bool, lit: AigLit| *value != lit.is_complement();
                let and = left.iter().zip(right).map(|(x, y)| bit(x, a) && bit(y, b)).collect();
                known.insert(node, and);
            }
            (Some(_) | None, None) | (None, Some(_)) => stack.extend([a.node(), b.node()]),
        }
    }
    known[&lit.node()].iter().map(|value| *value != lit.is_complement()).collect()
}
