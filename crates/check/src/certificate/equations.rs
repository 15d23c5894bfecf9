//! Bits of states that an invariant makes equal.
//!
//! An invariant with the clauses a ∨ ¬b and ¬a ∨ b holds only in states in which a and b have the
//! same value. So a query about a state that satisfies the invariant may have one literal for both
//! of them: all such states are left, and the clauses of the invariant are asserted as before. Then
//! equal functions of equal bits are the same gates ([`crate::solver`]), and the solver does not
//! have to find that out. That two copies of a multiplier agree, for example, needs no search.

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::{ExprId, Role, Sort, TransitionSystem};

use super::Literal;
use crate::encode::{Encoder, Frame, Term};
use crate::solver::Lit;

/// A bit of a state.
type Bit = (ExprId, u32);

/// By bit: a smaller one, and whether it has the opposite value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Equations(BTreeMap<Bit, (Bit, bool)>);

impl Equations {
    /// The equations that pairs of clauses state.
    pub fn of(system: &TransitionSystem, clauses: &[Vec<Literal>]) -> Self {
        let is_state = |expr| matches!(system.role_of(expr), Some(Role::State(_)));
        let literal = |l: &Literal| ((l.expr, l.bit), l.positive);
        let mut pairs: BTreeSet<[(Bit, bool); 2]> = BTreeSet::new();
        for clause in clauses {
            if let [a, b] = &clause[..]
                && is_state(a.expr)
                && is_state(b.expr)
            {
                let mut pair = [literal(a), literal(b)];
                pair.sort_unstable();
                pairs.insert(pair);
            }
        }
        let mut equations = Equations::default();
        for &[(a, positive), (b, other)] in &pairs {
            if positive && pairs.contains(&[(a, !positive), (b, !other)]) {
                // a ∨ b and ¬a ∨ ¬b: the values are opposite.
                equations.add(a, b, other);
            }
        }
        equations
    }

    /// Two bits are equal, or opposite. An equation that contradicts others is left out.
    fn add(&mut self, a: Bit, b: Bit, is_opposite: bool) {
        let ((a, first), (b, second)) = (self.representative(a), self.representative(b));
        if a != b {
            self.0.insert(a.max(b), (a.min(b), first ^ second ^ is_opposite));
        }
    }

    /// The smallest bit that is equal or opposite to this one, and whether it is opposite.
    fn representative(&self, mut bit: Bit) -> (Bit, bool) {
        let mut is_opposite = false;
        while let Some(&(smaller, flips)) = self.0.get(&bit) {
            (bit, is_opposite) = (smaller, is_opposite ^ flips);
        }
        (bit, is_opposite)
    }

    /// Gives the states their values in a frame in which nothing is encoded and the invariant
    /// holds: bits that are equal have the same literal.
    pub fn set(&self, encoder: &mut Encoder, system: &TransitionSystem, frame: &mut Frame<'_>) {
        let bits = self.0.iter().flat_map(|(&bit, &(smaller, _))| [bit, smaller]);
        let states: BTreeSet<ExprId> = bits.map(|(state, _)| state).collect();
        let mut literals: BTreeMap<Bit, Lit> = BTreeMap::new();
        for state in states {
            let Sort::Bv(width) = system.pool().sort(state) else {
                unreachable!("clauses mention bits of words")
            };
            let word = (0..width).map(|bit| {
                let (smallest, is_opposite) = self.representative((state, bit));
                // It comes before all bits that it is equal to.
                let literal = *literals.entry(smallest).or_insert_with(|| encoder.free_literal());
                if is_opposite { !literal } else { literal }
            });
            let word = word.collect();
            frame.set(state, Term::Word(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{certificate, literals_of_bits};
    use super::*;
    use crate::refusal::Refusal;
    use crate::solver::Budget;
    use elinvar_ir::{BinaryOp, BitVec, Certificate, PropertyId, Rng, StateBit, SystemBuilder};
    use elinvar_models::{Generator, Shape};

    fn judge(system: &TransitionSystem, clauses: &[Vec<StateBit>]) -> Result<(), Refusal> {
        let proof = Certificate::Inductive { clauses: clauses.to_vec() };
        certificate(system, PropertyId(0), &proof, &Budget::default())
    }

    /// `a = b`, or `a = ¬b`.
    fn equation(a: (ExprId, u32), b: (ExprId, u32), is_opposite: bool) -> [Vec<StateBit>; 2] {
        let literal = |(state, bit), positive| StateBit { state, bit, positive };
        [true, false].map(|value| vec![literal(a, value), literal(b, value == is_opposite)])
    }

    fn equations(system: &TransitionSystem, clauses: &[Vec<StateBit>]) -> Equations {
        Equations::of(system, &literals_of_bits(system, clauses).unwrap())
    }

    /// Two registers that are multiplied by an input, the second with its bits inverted, and that
    /// must agree; `corrupt` changes what the second one does.
    fn multipliers(
        corrupt: impl FnOnce(&mut SystemBuilder),
    ) -> (TransitionSystem, Vec<Vec<StateBit>>) {
        const WIDTH: u32 = 24;
        let mut b = SystemBuilder::verbatim();
        let input = b.input(Sort::Bv(WIDTH), None).unwrap();
        let [x, y] = [(); 2].map(|()| b.state(Sort::Bv(WIDTH), None).unwrap());
        let inverted = b.pool.not(y).unwrap();
        let product = |b: &mut SystemBuilder, of| b.pool.binary(BinaryOp::Mul, of, input).unwrap();
        let (first, second) = (product(&mut b, x), product(&mut b, inverted));
        let zero = b.pool.constant(BitVec::zero(WIDTH));
        b.states[0].init = Some(zero);
        b.states[1].init = Some(b.pool.not(zero).unwrap());
        b.states[0].next = Some(first);
        b.states[1].next = Some(b.pool.not(second).unwrap());
        let agree = b.pool.equal(x, inverted).unwrap();
        let differ = b.pool.not(agree).unwrap();
        b.bad("differ", differ);
        corrupt(&mut b);
        let clauses = (0..WIDTH).flat_map(|bit| equation((x, bit), (y, bit), true)).collect();
        (b.finish().unwrap(), clauses)
    }

    #[test]
    fn copies_of_a_multiplier_agree_and_corruptions_are_refused() {
        let (system, clauses) = multipliers(|_| {});
        assert_eq!(equations(&system, &clauses).0.len(), 24);
        assert_eq!(judge(&system, &clauses), Ok(()));
        // Without one clause, the rest is no equation and no invariant.
        assert_eq!(equations(&system, &clauses[1..]).0.len(), 23);
        assert!(judge(&system, &clauses[1..]).is_err());
        let (system, clauses) = multipliers(|b| b.states[1].next = b.states[0].next);
        assert!(matches!(judge(&system, &clauses), Err(Refusal::Consecution { .. })));
        let (system, clauses) = multipliers(|b| b.states[1].init = b.states[0].init);
        assert!(matches!(judge(&system, &clauses), Err(Refusal::Initiation { .. })));
        let (system, clauses) = multipliers(|b| {
            let differ = b.properties[0].bits()[0];
            let agree = b.pool.not(differ).unwrap();
            b.properties[0].kind = elinvar_ir::PropertyKind::Bad(agree);
        });
        assert_eq!(judge(&system, &clauses), Err(Refusal::Safety));
    }

    #[test]
    fn equations_are_chained_and_contradictions_are_left_to_the_clauses() {
        let mut b = SystemBuilder::verbatim();
        let [x, y, z] = [(); 3].map(|()| b.state(Sort::Bv(2), None).unwrap());
        let bad = b.pool.bool(true);
        b.bad("p", bad);
        let system = b.finish().unwrap();
        let chain = [equation((y, 1), (z, 0), true), equation((x, 0), (z, 0), false)].concat();
        let found = equations(&system, &chain);
        assert_eq!(found.representative((y, 1)), ((x, 0), true));
        assert_eq!(found.representative((z, 0)), ((x, 0), false));
        assert_eq!(found.representative((z, 1)), ((z, 1), false));
        let wrong = [chain, equation((x, 0), (y, 1), false).to_vec()].concat();
        assert_eq!(equations(&system, &wrong).0.len(), 2);
        // Nothing satisfies all of them, least of all the initial states.
        assert!(matches!(judge(&system, &wrong), Err(Refusal::Initiation { .. })));
        // A bit is not compared with itself.
        let same = equation((x, 0), (x, 0), true).to_vec();
        assert_eq!(equations(&system, &same), Equations::default());
    }

    /// The same invariant in clauses of three literals, which state no equation, has the same
    /// judgement.
    #[test]
    fn equations_do_not_change_what_is_accepted() {
        let (mut accepted, mut refused) = (0, 0);
        for seed in 0..3000 {
            let shape = if seed % 2 == 0 { Shape::BITS } else { Shape::WORDS };
            let system = Generator::verbatim(seed, Shape { max_states: 3, ..shape });
            let mut rng = Rng::new(seed);
            let bits: Vec<(ExprId, u32)> = (system.states().iter())
                .flat_map(|state| {
                    let width = system.pool().width(state.symbol);
                    (0..width).map(|bit| (state.symbol, bit))
                })
                .collect();
            if bits.len() < 3 || system.bad(PropertyId(0)).is_none() {
                continue;
            }
            let mut clauses = Vec::new();
            for _ in 0..1 + rng.below(3) {
                let (a, b) = (bits[rng.below(bits.len())], bits[rng.below(bits.len())]);
                if a != b {
                    clauses.extend(equation(a, b, rng.one_in(3)));
                }
            }
            let split = |clause: &Vec<StateBit>| {
                let is_other = |&&(state, bit): &&(ExprId, u32)| {
                    clause.iter().all(|literal| (literal.state, literal.bit) != (state, bit))
                };
                let &(state, bit) = bits.iter().find(is_other).unwrap();
                [true, false].map(|positive| {
                    clause.iter().copied().chain([StateBit { state, bit, positive }]).collect()
                })
            };
            let long: Vec<Vec<StateBit>> = clauses.iter().flat_map(split).collect();
            assert_eq!(equations(&system, &long), Equations::default());
            match (judge(&system, &clauses), judge(&system, &long)) {
                (Ok(()), Ok(())) => accepted += 1,
                (Err(short), Err(long)) => {
                    let kind = |refusal: &Refusal| std::mem::discriminant(refusal);
                    assert_eq!(kind(&short), kind(&long), "seed {seed}");
                    refused += usize::from(!equations(&system, &clauses).0.is_empty());
                }
                (short, long) => panic!("seed {seed}: {short:?}, in long clauses {long:?}"),
            }
        }
        assert!(accepted > 50 && refused > 500, "{accepted} {refused}");
    }
}
