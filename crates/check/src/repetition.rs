//! Loops in which some registers do not return.
//!
//! A register on which a property depends by its expressions may still not matter in a loop: a
//! counter whose output is switched off, for instance. Such a loop can be repeated forever without
//! being a loop of all states. To see that, a lap is run with the values of the states that
//! return and unknown values of the others. If the known states have the same values after the lap,
//! all constraints hold in it and each condition holds in some cycle of it, then the next lap
//! starts with the same known values, whatever the others are; so the execution meets all
//! conditions infinitely often.
//!
//! This is a three-valued simulation: what is unknown is a variable of the encoder, and what is
//! known is a constant.

use std::collections::BTreeSet;

use elinvar_ir::{ExprId, Trace, TransitionSystem, Value};

use crate::encode::{Encoder, Frame};
use crate::refusal::Refusal;
use crate::solver::{Budget, Lit};

/// How many laps are run, each with fewer known states. A counter loses a bit in each of them.
const LAPS: usize = 200;

/// A loop of a trace.
pub(crate) struct Loop<'a> {
    pub system: &'a TransitionSystem,
    pub trace: &'a Trace,
    /// The cycle in which it starts, and the states there.
    pub start: usize,
    pub at_start: &'a [Value],
    /// What has to hold in some cycle of it.
    pub conditions: &'a [ExprId],
    /// The states on which the conditions and the constraints depend.
    pub cone: &'a BTreeSet<usize>,
}

/// What a lap leads to.
struct Lap {
    /// Known states that are unknown or have another value after it.
    lost: Vec<usize>,
    /// The constraints hold, and each condition is met.
    is_fair: bool,
}

impl<'a> Loop<'a> {
    /// Is the loop the same in each repetition, as far as it matters, if these states return?
    pub(crate) fn repeats(&self, mut known: BTreeSet<usize>) -> Result<bool, Refusal> {
        for _ in 0..LAPS {
            let Lap { lost, is_fair } = self.lap(&known)?;
            // A lap with fewer known states is not fair either.
            if lost.is_empty() || !is_fair {
                return Ok(is_fair);
            }
            lost.iter().for_each(|state| {
                known.remove(state);
            });
        }
        Ok(false)
    }

    /// Runs the loop once, with the values of the known states.
    fn lap(&self, known: &BTreeSet<usize>) -> Result<Lap, Refusal> {
        let mut encoder = Encoder::new(&Budget::default());
        let mut frame = Frame::free(self.system);
        for &state in known {
            let value = encoder.constant(&self.at_start[state]);
            frame.set(self.system.states()[state].symbol, value);
        }
        let mut unmet = self.conditions.to_vec();
        let mut is_fair = true;
        for cycle in self.start..=self.trace.depth() {
            self.set_inputs(&mut encoder, &mut frame, cycle);
            let constraints = frame.constraints(&mut encoder)?;
            is_fair &= constraints.iter().all(|&constraint| constraint == Lit::TRUE);
            let mut still_unmet = Vec::new();
            for condition in unmet {
                if frame.encode_bit(&mut encoder, condition)? != Lit::TRUE {
                    still_unmet.push(condition);
                }
            }
            unmet = still_unmet;
            frame = self.after(&mut encoder, &mut frame, cycle)?;
        }
        let mut lost = Vec::new();
        for &state in known {
            let value = encoder.constant(&self.at_start[state]);
            let after = frame.encode(&mut encoder, self.system.states()[state].symbol)?;
            if encoder.equal(&value, &after)? != Lit::TRUE {
                lost.push(state);
            }
        }
        Ok(Lap { lost, is_fair: is_fair && unmet.is_empty() })
    }

    fn set_inputs(&self, encoder: &mut Encoder, frame: &mut Frame<'a>, cycle: usize) {
        let inputs = self.system.inputs().iter();
        for (input, value) in inputs.zip(self.trace.steps[cycle].inputs.iter()) {
            frame.set(input.symbol, encoder.constant(value));
        }
    }

    /// The cycle after this one, which is the first one again after the last one.
    fn after(
        &self,
        encoder: &mut Encoder,
        frame: &mut Frame<'a>,
        cycle: usize,
    ) -> Result<Frame<'a>, Refusal> {
        let mut following = frame.successor(encoder, self.cone)?;
        let free = self.system.free_states().iter().enumerate();
        for (position, &state) in free.filter(|(_, state)| self.cone.contains(state)) {
            let value = match self.trace.steps.get(cycle + 1) {
                Some(step) => &step.free[position],
                None => &self.at_start[state],
            };
            following.set(self.system.states()[state].symbol, encoder.constant(value));
        }
        Ok(following)
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{
        BinaryOp, BitVec, Property, PropertyId, PropertyKind, Sort, Step, SystemBuilder,
    };

    use super::*;
    use crate::replay;

    /// A bit that toggles, and a counter that does not return within a lap of two cycles. The
    /// condition is that the bit is set and the counter, if it is switched on, is below two. The
    /// switch keeps its value, or goes off with the counter if it is `coupled`. The constraint is
    /// that the counter, if it is switched on, is below two where the bit is not set.
    fn model(coupled: bool, switch: bool) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let toggle = b.state(Sort::BOOL, Some("toggle")).unwrap();
        let on = b.state(Sort::BOOL, Some("on")).unwrap();
        let count = b.state(Sort::Bv(40), Some("count")).unwrap();
        let [zero, one, two] = [0, 1, 2].map(|n| b.pool.constant(BitVec::new(40, n)));
        let below = b.pool.binary(BinaryOp::Ult, count, two).unwrap();
        let more = b.pool.binary(BinaryOp::Add, count, one).unwrap();
        let at_zero = b.pool.equal(count, zero).unwrap();
        b.states[0].init = Some(b.pool.bool(false));
        b.states[0].next = Some(b.pool.not(toggle).unwrap());
        b.states[1].init = Some(b.pool.bool(switch));
        b.states[1].next = Some(if coupled { b.pool.and(on, at_zero).unwrap() } else { on });
        b.states[2].init = Some(zero);
        b.states[2].next = Some(more);
        let off = b.pool.not(on).unwrap();
        let free = b.pool.or(off, below).unwrap();
        let met = b.pool.and(toggle, free).unwrap();
        b.constraints.push(b.pool.or(toggle, free).unwrap());
        b.properties.push(Property::new("settles", PropertyKind::Justice(vec![met])));
        b.finish().unwrap()
    }

    fn trace(cycles: usize, switch: bool) -> Trace {
        let bit = |value| Value::Bv(BitVec::bool(value));
        let initial = vec![bit(false), bit(switch), Value::Bv(BitVec::new(40, 0))];
        let steps = vec![Step::default(); cycles];
        Trace {
            property: PropertyId(0),
            initial,
            steps: steps.into(),
            loop_start: Some(cycles - 2),
        }
    }

    #[test]
    fn registers_that_do_not_matter_need_not_return() {
        let open = |state: &str, start| Refusal::LoopOpen { state: state.to_owned(), start };
        // The counter is switched off.
        assert_eq!(replay(&model(false, false), &trace(2, false)), Ok(()));
        // Even if the switch depends on it.
        assert_eq!(replay(&model(true, false), &trace(2, false)), Ok(()));
        // Switched on, it matters: the condition is met only in the first lap.
        assert_eq!(replay(&model(false, true), &trace(2, true)), Err(open("count", 0)));
        // The switch goes off in the first lap,
        assert_eq!(replay(&model(true, true), &trace(2, true)), Err(open("on", 0)));
        // and the second one is a loop.
        assert_eq!(replay(&model(true, true), &trace(4, true)), Ok(()));
        // The bit does not return.
        let mut short = trace(3, false);
        assert_eq!(replay(&model(false, false), &short), Ok(()));
        short.loop_start = Some(0);
        assert_eq!(replay(&model(false, false), &short), Err(open("toggle", 0)));
    }

    #[test]
    fn a_known_state_that_becomes_unknown_is_lost() {
        // The second register copies a bit of the counter and returns by chance. It matters.
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(40), Some("count")).unwrap();
        let copy = b.state(Sort::BOOL, Some("copy")).unwrap();
        let [zero, one] = [0, 1].map(|n| b.pool.constant(BitVec::new(40, n)));
        b.states[0].init = Some(zero);
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, one).unwrap());
        b.states[1].init = Some(b.pool.bool(false));
        b.states[1].next = Some(b.pool.slice(count, 30, 30).unwrap());
        let low = b.pool.not(copy).unwrap();
        b.properties.push(Property::new("rises", PropertyKind::Justice(vec![low])));
        let system = b.finish().unwrap();
        let initial = vec![Value::Bv(BitVec::new(40, 0)), Value::Bv(BitVec::bool(false))];
        let steps = vec![Step::default(); 2];
        let trace =
            Trace { property: PropertyId(0), initial, steps: steps.into(), loop_start: Some(1) };
        // The condition is met in the first lap, whose start is known; later it is not known.
        let cone = BTreeSet::from([0, 1]);
        let at_start = [Value::Bv(BitVec::new(40, 1)), Value::Bv(BitVec::bool(false))];
        let conditions = [low];
        let asked = Loop {
            system: &system,
            trace: &trace,
            start: 1,
            at_start: &at_start,
            conditions: &conditions,
            cone: &cone,
        };
        assert_eq!(asked.lap(&BTreeSet::from([1])).unwrap().lost, vec![1]);
        assert_eq!(asked.repeats(BTreeSet::from([1])), Ok(false));
        let state = "count".to_owned();
        assert_eq!(replay(&system, &trace), Err(Refusal::LoopOpen { state, start: 1 }));
    }
}
