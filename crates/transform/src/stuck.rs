//! Systems that stay bad once they were: *stuck on error* [Vizel, Gurfinkel:
//! Interpolating Property Directed Reachability, CAV 2014, Definition 1].
//!
//! Every bad state gets a bad successor, so that a bad cycle anywhere within k steps
//! shows in cycle k. With bad(s, x) and C(s, x), the conjunction of the constraints, the
//! system gets one register more:
//!
//! - failed starts at 0, and failed′ = failed ∨ (bad ∧ C);
//! - a cycle is bad if failed ∨ bad;
//! - a constraint c becomes c ∨ failed, so that nothing holds up a run that failed.
//!
//! **The way back.** Until the first bad cycle, that one included, failed is 0 and both
//! systems run alike. So a trace is cut there, and the register's value is left out.
//!
//! An inductive invariant Inv(s, failed) gives Inv₀(s) = Inv(s, 0) for the old system:
//! initial states have failed = 0; Inv₀ ∧ C ⇒ ¬bad because Inv is safe; hence a step from
//! Inv₀ ∧ C leaves failed at 0, and ends in Inv₀ because Inv is inductive. In clauses
//! that is: those with ¬failed are true and dropped, the literal failed is false and
//! removed; in sums of a fact it is zero.
//!
//! A k-induction goes back as it is. In its step the first k cycles are not bad,
//! so failed is 0 in all k + 1 of them, and the paths, simple ones too, are those
//! of the old system.
//!
//! Limits: of a formula that is quantified over inputs, Inv(s, r, 0) is passed on as a
//! claim for the checker to decide. Such an invariant is safe for r = x alone, so a step
//! from it with another x may set failed.

use elinvar_ir::{
    Certificate, ExprId, Fact, Formula, Pool, PropertyId, Role, StateBit, Trace, cone, import,
};
use rustc_hash::FxHashMap;

use crate::bits::BitSystem;
use crate::lift::{Inexpressible, Lift};

/// A system that is stuck on error for one property, with the way back.
#[derive(Clone, Debug)]
pub struct Stuck {
    /// The old system and, as the last register, the new one. The properties have
    /// their old numbers; all but the one that was asked for are never violated.
    pub bits: BitSystem,
    property: PropertyId,
    /// The number of the new register.
    failed: usize,
}

/// Makes a system stuck on error for a property.
pub fn stuck_on_error(bits: &BitSystem, property: PropertyId) -> Stuck {
    let name = bits.unused_name("failed");
    Stuck { failed: bits.registers().len(), bits: bits.stuck(property, &name), property }
}

impl Lift for Stuck {
    type From = BitSystem;
    type To = BitSystem;

    /// The trace up to its first bad cycle, without the register.
    fn trace(&self, mut trace: Trace) -> Trace {
        let depth = self.first_bad_cycle(&trace);
        trace.steps.truncate(depth + 1);
        trace.initial.truncate(self.failed);
        trace
    }

    fn proof(&self, proof: Certificate) -> Result<Certificate, Inexpressible> {
        Ok(match proof {
            Certificate::Inductive { clauses } => {
                Certificate::Inductive { clauses: self.clauses(clauses) }
            }
            Certificate::Facts { clauses } => Certificate::Facts { clauses: self.facts(clauses) },
            Certificate::KInductive { .. } => proof,
            Certificate::Formula(formula) => Certificate::Formula(Box::new(self.formula(&formula))),
            Certificate::Ranking(_) => return Err(Inexpressible::liveness()),
        })
    }
}

impl Stuck {
    fn first_bad_cycle(&self, trace: &Trace) -> usize {
        let (aig, bad) = (self.bits.aig(), self.bits.property(self.property).bad);
        let mut leaves = vec![false; aig.len()];
        for (register, value) in self.bits.registers().iter().zip(&trace.initial) {
            leaves[register.lit.node()] = value.bv().is_true();
        }
        for (cycle, step) in trace.steps.iter().enumerate() {
            for (&input, value) in self.bits.inputs().iter().zip(step.inputs.iter()) {
                leaves[input.node()] = value.bv().is_true();
            }
            let values = aig.simulate(|node| leaves[node]);
            if values.value(bad) {
                return cycle;
            }
            for register in self.bits.registers() {
                leaves[register.lit.node()] = values.value(register.next);
            }
        }
        trace.depth()
    }

    /// The clauses at failed = 0. The symbols of the old states are the same in both
    /// systems.
    fn clauses(&self, mut clauses: Vec<Vec<StateBit>>) -> Vec<Vec<StateBit>> {
        let failed = self.bits.symbol(self.failed);
        let is_true = |literal: &StateBit| literal.state == failed && !literal.positive;
        clauses.retain(|clause| !clause.iter().any(is_true));
        for clause in &mut clauses {
            clause.retain(|literal| literal.state != failed);
        }
        clauses
    }

    /// The facts at failed = 0, where the register adds nothing to a sum.
    fn facts(&self, mut clauses: Vec<Vec<Fact>>) -> Vec<Vec<Fact>> {
        let failed = self.bits.symbol(self.failed);
        let value = |fact: &Fact| match fact {
            Fact::Bit { word, value, .. } if word.state == failed => Some(!value),
            Fact::Bit { .. } | Fact::AtMost { .. } | Fact::Modular { .. } => None,
        };
        clauses.retain(|clause| !clause.iter().any(|fact| value(fact) == Some(true)));
        for clause in &mut clauses {
            clause.retain(|fact| value(fact).is_none());
            for fact in clause {
                match fact {
                    Fact::Bit { .. } => {}
                    Fact::AtMost { terms, .. } | Fact::Modular { terms, .. } => {
                        terms.retain(|term| term.word.state != failed);
                    }
                }
            }
        }
        clauses
    }

    /// The formula at failed = 0.
    fn formula(&self, formula: &Formula) -> Formula {
        let mut pool = Pool::new();
        let mut symbols = Vec::new();
        let mut meaning: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for node in cone(&formula.pool, [formula.expr]) {
            let Some(symbol) = formula.pool.as_symbol(node) else { continue };
            let role = formula.symbols[symbol.index()];
            let stands_for = if role == Role::State(self.failed) {
                pool.bool(false)
            } else {
                symbols.push(role);
                pool.symbol(formula.pool.sort(node), None).expect("the sort of a symbol")
            };
            meaning.insert(node, stands_for);
        }
        let expr = import(&mut pool, &formula.pool, formula.expr, &meaning);
        Formula { pool, expr, symbols }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{
        BitVec, LinearTerm, Reading, Simulator, Sort, Step, SystemBuilder, TransitionSystem, Value,
        Verdict, Word,
    };

    use crate::bits::{PassOptions, prepare};
    use crate::limits::Unlimited;

    /// The bits of the pulse, made stuck on error for its first property.
    fn stuck_pulse() -> Stuck {
        let none = PassOptions::NONE;
        let properties = [PropertyId(0), PropertyId(1)];
        let prepared = prepare(&pulse(), &properties, &none, 0, &Unlimited).unwrap();
        stuck_on_error(&prepared.bits, PropertyId(0))
    }

    /// Bad in every cycle in which the input is true; the constraint allows just one such
    /// cycle, and none after it. A second property is always violated.
    fn pulse() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, Some("failed")).unwrap();
        let seen = b.state(Sort::BOOL, Some("failed_")).unwrap();
        b.states[0].init = Some(b.pool.bool(false));
        b.states[0].next = Some(b.pool.or(seen, x).unwrap());
        let not_seen = b.pool.not(seen).unwrap();
        b.constraints.push(not_seen);
        b.bad("pulse", x);
        let always = b.pool.bool(true);
        b.bad("always", always);
        b.finish().unwrap()
    }

    fn bits(bits: &[bool]) -> Vec<Value> {
        bits.iter().map(|&bit| BitVec::bool(bit).into()).collect()
    }

    #[test]
    fn a_failed_run_goes_on_and_stays_bad() {
        let Stuck { bits: stuck, failed, .. } = stuck_pulse();
        let system = stuck.system();
        assert_eq!((failed, system.state_name(1)), (1, "failed__".to_owned()));
        let bad = system.bad(PropertyId(0)).unwrap();
        let no_choice = |_| unreachable!("every state has an initial value and a next function");
        let mut simulator = Simulator::new(system, no_choice, bits(&[false]));
        let mut seen = Vec::new();
        for input in [false, true, false, true, false] {
            seen.push((simulator.holds(bad), simulator.constraints_hold()));
            simulator.step(no_choice, bits(&[input]));
        }
        let expected = [(false, true), (false, true), (true, true), (true, true), (true, true)];
        assert_eq!(seen, expected);
        assert!(system.pool().is_false(system.bad(PropertyId(1)).unwrap()));
    }

    #[test]
    fn a_trace_ends_at_its_first_bad_cycle() {
        let stuck = stuck_pulse();
        let step = |input| Step { inputs: bits(&[input]).into(), free: Vec::new() };
        let steps = [false, true, false, true].map(step).to_vec();
        let trace = Trace {
            property: PropertyId(0),
            initial: bits(&[false, false]),
            steps: steps.into(),
            loop_start: None,
        };
        let Verdict::Unsafe(back) = stuck.verdict(Verdict::Unsafe(trace.clone())) else {
            panic!("a trace goes back as a trace");
        };
        assert_eq!(back.initial, bits(&[false]));
        assert_eq!(*back.steps, trace.steps[..2]);
        assert_eq!(elinvar_check::replay(&pulse(), &back), Ok(()));
    }

    #[test]
    fn clauses_are_taken_where_nothing_failed() {
        let stuck = stuck_pulse();
        let literal =
            |state: usize, positive| StateBit { state: stuck.bits.symbol(state), bit: 0, positive };
        let clauses = vec![
            vec![literal(0, true), literal(1, false)],
            vec![literal(0, false), literal(1, true)],
            vec![literal(0, true)],
        ];
        let expected = vec![vec![literal(0, false)], vec![literal(0, true)]];
        assert_eq!(stuck.clauses(clauses), expected);
    }

    #[test]
    fn facts_are_taken_where_nothing_failed() {
        let stuck = stuck_pulse();
        let word = |state: usize| Word { state: stuck.bits.symbol(state), element: None };
        let bit = |state, value| Fact::Bit { word: word(state), bit: 0, value };
        let sum = |states: &[usize]| {
            let reading = Reading::Unsigned;
            let term = |&s: &usize| LinearTerm { coefficient: 1.into(), word: word(s), reading };
            Fact::AtMost { terms: states.iter().map(term).collect(), bound: 0.into() }
        };
        let clauses = vec![
            vec![sum(&[0]), bit(1, false)],
            vec![sum(&[0, 1]), bit(1, true)],
            vec![bit(0, true), sum(&[1])],
        ];
        let expected = vec![vec![sum(&[0])], vec![bit(0, true), sum(&[])]];
        assert_eq!(stuck.facts(clauses), expected);
    }
}
