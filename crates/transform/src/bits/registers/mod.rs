//! Registers that are constant, equal or complements in all reachable states
//! [van Eijk: Sequential Equivalence Checking Based on Structural Similarities, 2000].
//!
//! Ternary simulation finds registers that never leave their initial value. The other
//! candidates are registers with the same initial values that random simulation does not
//! distinguish. Their classes are proved by induction: if all classes are correct in one
//! state, they are correct in the next. A counterexample splits classes, and so do the states
//! that follow it: every class that is inductive in the end holds in the counterexample, and
//! hence in all its successors. When a round splits no class, the classes are facts.
//!
//! The constraints of the current cycle are assumed. Effort is bounded by a number of gate
//! evaluations. Classes that are still open then are only kept if the structure of the graph
//! proves them.

mod ternary;

use elinvar_logic::AigLit;

use super::classes::Classes;
use super::lift::{BitFact, Literal};
use super::netlist::{Copy, Netlist, own};
use super::query::{Asker, Reply};
use super::simulate::Simulation;
use crate::limits::Limits;

/// Gate evaluations spent on random simulation, and the most cycles of it.
const SIMULATION_EFFORT: u64 = 20_000_000;
const SIMULATION_CYCLES: u64 = 256;
/// Gate evaluations spent on induction, all rounds together.
const INDUCTION_EFFORT: u64 = 100_000_000;
/// What a step of the solver costs, in gate evaluations.
const STEP_COST: u64 = 50;
/// Steps of the solver for one query, besides one for each gate.
const QUESTION_STEPS: u64 = 2_000;
/// The number of pairs of registers in one query.
const CHUNK: usize = 64;
/// The number of cycles for which a counterexample is followed.
const FOLLOWED: usize = 8;
/// Rounds after the effort is spent, each linear.
const STRUCTURAL_ROUNDS: usize = 20;

/// Merges registers, and drops what is not needed any more.
pub(super) fn merge_registers(netlist: &mut Netlist, limits: &dyn Limits) {
    drop_stuck(netlist);
    let initial = initial_literals(netlist);
    let classes = initial_classes(netlist, &initial);
    let mut search = Search { netlist, classes, effort: INDUCTION_EFFORT, limits };
    search.simulate(&initial);
    if search.prove() {
        let classes = search.classes;
        merge_classes(netlist, &classes, &initial);
    }
}

fn drop_stuck(netlist: &mut Netlist) {
    let stuck = ternary::stuck(netlist, &initial_literals(netlist));
    for (register, value) in netlist.registers.iter().zip(&stuck) {
        if let Some(positive) = *value {
            netlist.facts.push(BitFact::Always(Literal { bit: register.origin, positive }));
        }
    }
    if stuck.iter().any(Option::is_some) {
        replace(netlist, |number| stuck[number].map(AigLit::constant));
    }
}

/// Puts what represents a class in place of its members; the classes are facts.
fn merge_classes(netlist: &mut Netlist, classes: &Classes, initial: &[AigLit]) {
    for number in classes.represented() {
        let bit = netlist.registers[number].origin;
        let (register, complement) = classes.representative(number).expect("is represented");
        let fact = match register {
            None => BitFact::Always(Literal { bit, positive: complement }),
            Some(first) => {
                let origin = netlist.registers[first].origin;
                BitFact::Equal(bit, Literal { bit: origin, positive: !complement })
            }
        };
        netlist.facts.push(fact);
    }
    // The initial value of a representative must not go through those it represents.
    for (register, &lit) in netlist.registers.iter_mut().zip(initial) {
        register.init = (lit != register.lit).then_some(lit);
    }
    let lits: Vec<AigLit> = netlist.registers.iter().map(|register| register.lit).collect();
    replace(netlist, |number| stand_in(classes, &lits, number));
}

fn stand_in(classes: &Classes, lits: &[AigLit], number: usize) -> Option<AigLit> {
    let (register, complement) = classes.representative(number)?;
    Some(register.map_or(AigLit::FALSE, |first| lits[first]).complement_if(complement))
}

/// Puts literals in place of registers, by the number of the register.
fn replace(netlist: &mut Netlist, stands_for: impl Fn(usize) -> Option<AigLit>) {
    let mut stand_ins = vec![None; netlist.aig.len()];
    for (number, register) in netlist.registers.iter().enumerate() {
        stand_ins[register.lit.node()] = stands_for(number);
    }
    netlist.rebuild(|node| stand_ins[node]);
}

/// By register: the literal that its initial value is. Never a register that has
/// an initial value of its own; the register itself if it has none.
pub(super) fn initial_literals(netlist: &Netlist) -> Vec<AigLit> {
    let mut inits: Vec<Option<AigLit>> = vec![None; netlist.aig.len()];
    for register in &netlist.registers {
        inits[register.lit.node()] = register.init;
    }
    let follow = |mut lit: AigLit| {
        while let Some(init) = inits[lit.node()] {
            lit = init.complement_if(lit.is_complement());
        }
        lit
    };
    netlist.registers.iter().map(|register| follow(register.lit)).collect()
}

/// Registers whose initial values are the same literal or complements, so that
/// initially every class is as it says.
///
/// A register whose initial value is free comes first in its class, so that it
/// represents those which start with its value.
fn initial_classes(netlist: &Netlist, initial: &[AigLit]) -> Classes {
    let base = |register: u32| initial[register as usize].node();
    let mut order: Vec<u32> = (0..netlist.registers.len() as u32).collect();
    order.sort_by_key(|&r| (base(r), netlist.registers[r as usize].lit.node() != base(r)));
    let mut classes = Classes::new(initial.iter().map(|lit| lit.is_complement()).collect());
    for group in order.chunk_by(|&a, &b| base(a) == base(b)) {
        classes.add(initial[group[0] as usize].is_constant(), group.to_vec());
    }
    classes
}

struct Search<'a> {
    netlist: &'a Netlist,
    classes: Classes,
    effort: u64,
    limits: &'a dyn Limits,
}

impl<'a> Search<'a> {
    fn spend(&mut self, effort: u64) {
        self.effort = self.effort.saturating_sub(effort);
    }

    /// Splits classes by what happens in random runs.
    fn simulate(&mut self, initial: &[AigLit]) {
        let cycles = SIMULATION_EFFORT / self.netlist.aig.len() as u64;
        let cycles = cycles.clamp(8, SIMULATION_CYCLES);
        let mut simulation = Simulation::new(self.netlist, self.limits.seed());
        simulation.start(|number| initial[number]);
        for _ in 0..cycles {
            if self.limits.stop().is_some() || !simulation.advance() {
                return;
            }
            self.observe(&simulation);
        }
    }

    fn observe(&mut self, simulation: &Simulation) {
        let registers = &self.netlist.registers;
        self.classes.split(|number| simulation.word(registers[number].lit), |word| !word);
    }

    /// Rounds of induction until nothing changes; false if that was not reached.
    fn prove(&mut self) -> bool {
        let mut structural_rounds = 0;
        loop {
            if self.classes.represented().next().is_none() {
                return false;
            }
            if self.limits.stop().is_some() || structural_rounds > STRUCTURAL_ROUNDS {
                return false;
            }
            let changed = if self.effort > 0 {
                self.round()
            } else {
                structural_rounds += 1;
                self.structural_round()
            };
            if !changed {
                return true;
            }
        }
    }

    /// The graph under the assumption that the classes are as they say.
    fn substitution(&self) -> Vec<AigLit> {
        let registers = &self.netlist.registers;
        let lits: Vec<AigLit> = registers.iter().map(|register| register.lit).collect();
        let mut substitution: Vec<AigLit> = (0..self.netlist.aig.len()).map(own).collect();
        for number in self.classes.represented() {
            let stand_in = stand_in(&self.classes, &lits, number).expect("is represented");
            substitution[lits[number].node()] = stand_in;
        }
        substitution
    }

    fn next(&self, register: usize) -> AigLit {
        self.netlist.registers[register].next.expect("a normal netlist")
    }

    /// The next values of all registers in classes, and the constraints.
    fn copy<'b>(&self, substitution: &'b [AigLit]) -> Copy<'b>
    where
        'a: 'b,
    {
        let numbers = self.classes.represented();
        let both = numbers.flat_map(|number| {
            let first = self.classes.representative(number).and_then(|(first, _)| first);
            [Some(number), first].into_iter().flatten()
        });
        let nexts = both.map(|number| self.next(number));
        let roots = nexts.chain(self.netlist.constraints.iter().copied());
        Copy::of_cone(&self.netlist.aig, substitution, roots)
    }

    /// Splits classes whose next values are not the same literals.
    fn structural_round(&mut self) -> bool {
        let substitution = self.substitution();
        let copy = self.copy(&substitution);
        let next = |number: usize| copy.of(self.next(number));
        let count = self.netlist.registers.len();
        let words: Vec<u64> = (0..count).map(|number| u64::from(next(number).code())).collect();
        self.classes.split(|number| words[number], |word| word ^ 1)
    }

    /// Asks about all classes under the assumption that they are as they say, and
    /// splits those that are not; false if all are.
    fn round(&mut self) -> bool {
        let substitution = self.substitution();
        let mut copy = self.copy(&substitution);
        self.spend(copy.new.len() as u64);
        let mut asker = Asker::new(self.limits);
        for &constraint in &self.netlist.constraints {
            asker.assert(&copy.new, copy.of(constraint));
        }
        let mut changed = false;
        let members: Vec<usize> = self.classes.represented().collect();
        let mut chunks: Vec<Vec<usize>> = members.chunks(CHUNK).map(<[usize]>::to_vec).collect();
        chunks.reverse();
        while let Some(mut chunk) = chunks.pop() {
            if self.effort == 0 || self.limits.stop().is_some() {
                return true;
            }
            let Some(any) = self.any_difference(&mut chunk, &mut copy) else { continue };
            let steps = copy.new.len() as u64 + QUESTION_STEPS;
            let reply = asker.ask(&copy.new, any, steps);
            self.spend(copy.new.len() as u64 + asker.steps() * STEP_COST);
            match reply {
                Reply::Unsat => asker.assert(&copy.new, !any),
                Reply::Sat(values) => {
                    self.follow(&copy, |lit| values.value(lit));
                    changed = true;
                    chunks.push(chunk);
                }
                Reply::Open if chunk.len() == 1 => {
                    self.classes.remove(chunk[0]);
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

    /// Does any register of the chunk differ in its next value from what represents
    /// it? Keeps those for which it is to be asked.
    fn any_difference(&self, chunk: &mut Vec<usize>, copy: &mut Copy) -> Option<AigLit> {
        let mut differences = Vec::new();
        chunk.retain(|&number| {
            let Some((first, complement)) = self.classes.representative(number) else {
                return false;
            };
            let first = first.map_or(AigLit::FALSE, |first| copy.of(self.next(first)));
            let next = copy.of(self.next(number));
            let difference = copy.new.xor(next, first.complement_if(complement));
            differences.push(difference);
            difference != AigLit::FALSE
        });
        let any = copy.new.or_all(&differences);
        (any != AigLit::FALSE).then_some(any)
    }

    /// Splits classes by what follows a state in which they all are as they say.
    fn follow(&mut self, copy: &Copy, value: impl Fn(AigLit) -> bool) {
        let seed = self.limits.seed() ^ self.effort;
        let mut simulation = Simulation::new(self.netlist, seed);
        simulation.start_near(|lit| value(copy.of(lit)));
        let lits: Vec<AigLit> =
            self.netlist.registers.iter().map(|register| register.lit).collect();
        let classes = &self.classes;
        simulation.substitute(|n| stand_in(classes, &lits, n).unwrap_or(lits[n]));
        for _ in 0..FOLLOWED {
            self.spend(self.netlist.aig.len() as u64);
            if !simulation.advance() {
                return;
            }
            self.observe(&simulation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::InputOrigin;
    use crate::bits::lift::Bit;
    use crate::bits::netlist::{Input, Register, Target};
    use crate::limits::Unlimited;

    /// A netlist of registers without gates yet; all are observed.
    fn registers<const N: usize>(netlist: &mut Netlist) -> [AigLit; N] {
        let lits = [(); N].map(|()| netlist.aig.input());
        for (index, &lit) in lits.iter().enumerate() {
            let origin = Bit { index, position: 0 };
            netlist.registers.push(Register { lit, init: None, next: Some(lit), origin });
            netlist.targets.push(Target::Bad(lit));
        }
        lits
    }

    fn input(netlist: &mut Netlist) -> AigLit {
        let lit = netlist.aig.input();
        let origin = InputOrigin::Input(Bit { index: netlist.inputs.len(), position: 0 });
        netlist.inputs.push(Input { lit, origin });
        lit
    }

    fn connect(netlist: &mut Netlist, register: usize, init: AigLit, next: AigLit) {
        let register = &mut netlist.registers[register];
        (register.init, register.next) = ((init != register.lit).then_some(init), Some(next));
    }

    fn equal(index: usize, to: usize, positive: bool) -> BitFact {
        let bit = |index| Bit { index, position: 0 };
        BitFact::Equal(bit(index), Literal { bit: bit(to), positive })
    }

    fn always(index: usize, positive: bool) -> BitFact {
        BitFact::Always(Literal { bit: Bit { index, position: 0 }, positive })
    }

    fn merged(mut netlist: Netlist) -> (Vec<BitFact>, usize) {
        merge_registers(&mut netlist, &Unlimited);
        (netlist.facts, netlist.registers.len())
    }

    #[test]
    fn registers_that_never_move_are_stuck() {
        let mut n = Netlist::default();
        let x = input(&mut n);
        let [a, _, c] = registers(&mut n);
        // The second follows the first, which never moves; the third toggles.
        let still = n.aig.and(a, x);
        connect(&mut n, 0, AigLit::FALSE, still);
        connect(&mut n, 1, AigLit::TRUE, !a);
        connect(&mut n, 2, AigLit::FALSE, !c);
        assert_eq!(merged(n), (vec![always(0, false), always(1, true)], 1));
    }

    #[test]
    fn equality_and_complement_are_found_together() {
        let mut n = Netlist::default();
        let x = input(&mut n);
        let [a, b, c] = registers(&mut n);
        // Three toggles, each through another one's value.
        let next = [n.aig.xor(b, x), n.aig.xor(a, x), n.aig.xor(c, x)];
        connect(&mut n, 0, AigLit::FALSE, next[0]);
        connect(&mut n, 1, AigLit::FALSE, next[1]);
        connect(&mut n, 2, AigLit::TRUE, next[2]);
        assert_eq!(merged(n), (vec![equal(1, 0, true), equal(2, 0, false)], 1));
    }

    #[test]
    fn a_free_register_represents_those_that_start_with_its_value() {
        let mut n = Netlist::default();
        let [a, b, c] = registers(&mut n);
        connect(&mut n, 0, !c, a);
        connect(&mut n, 1, b, b);
        connect(&mut n, 2, c, c);
        assert_eq!(merged(n), (vec![equal(0, 2, false)], 2));
    }

    #[test]
    fn constraints_may_be_used() {
        let mut n = Netlist::default();
        let (x, y) = (input(&mut n), input(&mut n));
        registers::<2>(&mut n);
        let same = n.aig.iff(x, y);
        connect(&mut n, 0, AigLit::FALSE, x);
        connect(&mut n, 1, AigLit::FALSE, y);
        assert_eq!(merged(n.clone()), (vec![], 2));
        n.constraints.push(same);
        assert_eq!(merged(n), (vec![equal(1, 0, true)], 1));
    }

    #[test]
    fn what_needs_more_than_one_step_of_induction_is_not_claimed() {
        // A ring of three with one token: the conjunction of two is never true, but
        // the register that remembers it is constant only by a stronger invariant.
        let mut n = Netlist::default();
        let [a, b, c, seen] = registers(&mut n);
        connect(&mut n, 0, AigLit::TRUE, c);
        connect(&mut n, 1, AigLit::FALSE, a);
        connect(&mut n, 2, AigLit::FALSE, b);
        let both = n.aig.and(a, b);
        let remember = n.aig.or(seen, both);
        connect(&mut n, 3, AigLit::FALSE, remember);
        assert_eq!(merged(n), (vec![], 4));
    }
}
