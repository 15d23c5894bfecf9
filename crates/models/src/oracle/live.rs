//! Random fairness constraints and liveness properties.
//!
//! A loop meets most conditions that are drawn like other bits. For properties that hold, there
//! are conditions with a ranking as well: an event counts only as often as a register that
//! saturates allows.

use elinvar_ir::{BinaryOp, BitVec, ExprId, Property, PropertyKind, Sort};

use super::random::Generator;

const BITS: &str = "conditions are bits";

impl Generator {
    /// Draws up to two fairness constraints and some properties with up to three conditions.
    pub(super) fn liveness(&mut self, max_properties: usize) {
        for _ in 0..self.rng.below(4).saturating_sub(1) {
            let fair = self.literal();
            self.builder.fairness.push(fair);
        }
        for i in 0..1 + self.rng.below(max_properties) {
            let conditions = (0..self.rng.below(4)).map(|_| self.condition()).collect();
            let kind = PropertyKind::Justice(conditions);
            self.builder.properties.push(Property::new(format!("l{i}"), kind));
        }
    }

    fn condition(&mut self) -> ExprId {
        let bit = self.literal();
        match self.rng.below(8) {
            0 => self.limited(bit),
            1 => {
                let other = self.literal();
                self.builder.pool.and(bit, other).expect(BITS)
            }
            2 => {
                let other = self.literal();
                self.builder.pool.or(bit, other).expect(BITS)
            }
            _ => bit,
        }
    }

    fn literal(&mut self) -> ExprId {
        let bit = self.of(Sort::BOOL);
        if self.rng.one_in(2) { bit } else { self.builder.pool.not(bit).expect(BITS) }
    }

    /// The event, as long as it was seen fewer than one to three times.
    fn limited(&mut self, event: ExprId) -> ExprId {
        let width = 1 + self.rng.below(2) as u32;
        let name = format!("seen{}", self.builder.states.len());
        let seen = self.builder.state(Sort::Bv(width), Some(&name)).expect("a small sort");
        let starts_anywhere = self.rng.one_in(4);
        let pool = &mut self.builder.pool;
        let constant = |value| BitVec::new(width, value);
        let (zero, one) = (pool.constant(constant(0)), pool.constant(constant(1)));
        let most = pool.constant(constant((1 << width) - 1));
        let is_most = pool.equal(seen, most).expect(BITS);
        let is_less = pool.not(is_most).expect(BITS);
        let counts = pool.and(event, is_less).expect(BITS);
        let more = pool.binary(BinaryOp::Add, seen, one).expect(BITS);
        let next = pool.ite(counts, more, seen).expect(BITS);
        let state = self.builder.states.last_mut().expect("just declared");
        state.init = if starts_anywhere { None } else { Some(zero) };
        state.next = Some(next);
        counts
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::PropertyKind;

    use crate::oracle::{Generator, Shape, search_loops};

    #[test]
    fn some_properties_hold_and_some_fail_with_any_number_of_conditions() {
        let (mut holds, mut fails) = ([0; 4], [0; 4]);
        let mut searched = 0;
        for seed in 0..360 {
            let shape = [Shape::BITS, Shape::WORDS, Shape::ARRAYS][seed as usize % 3];
            let system = Generator::system(seed, Shape { liveness: true, ..shape });
            let Ok(outcomes) = search_loops(&system, 20_000) else { continue };
            searched += 1;
            for (id, outcome) in outcomes {
                let PropertyKind::Justice(own) = &system.property(id).kind else {
                    panic!("a liveness property")
                };
                let counts = if outcome.is_some() { &mut fails } else { &mut holds };
                counts[own.len()] += 1;
            }
        }
        assert!(searched > 250, "{searched}");
        assert!(holds.iter().chain(&fails).all(|&count| count > 15), "{holds:?} {fails:?}");
    }
}
