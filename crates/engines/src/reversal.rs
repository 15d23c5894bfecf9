//! Systems that run backwards: see [`elinvar_transform::reverse`].

use std::sync::Arc;

use elinvar_ir::{PropertyId, Role, Sort, State, TransitionSystem};
use elinvar_transform::{Lift, PassOptions, Reversed, prepare, reverse};

use crate::run::{Event, Run};
use crate::task::Task;

/// The question about the reversed system, if the system can be reversed for the only open
/// property. There is none if lemmas of the run are wanted, which would be about another
/// system.
pub(crate) fn reversed(task: &Task) -> Option<Task> {
    let open = task.open();
    let &[property] = &open[..] else { return None };
    if task.earlier().is_some() || task.run().is_in_series() || !is_likely(task.subject(), property)
    {
        return None;
    }
    let cone = PassOptions::only(&["cone"]).expect("a pass");
    let prepared = prepare(task.subject(), &open, &cone, 0, task.run()).ok()?;
    let reversed = Arc::new(Subject(reverse(&prepared.bits, property)?));
    let lift = Arc::clone(&reversed);
    let task = task.transformed(reversed, move |id, verdict| {
        prepared.lift.verdict_on(id, lift.0.verdict(verdict))
    });
    Some(task.with_other_cycles())
}

/// A cheap test before the bits are made: most registers take the value of an input.
fn is_likely(system: &TransitionSystem, property: PropertyId) -> bool {
    let pool = system.pool();
    let is_bit = |state: &State| pool.sort(state.symbol) == Sort::BOOL;
    let is_stored = |state: &&State| {
        let next = state.next.filter(|&next| pool.as_symbol(next).is_some());
        next.is_some_and(|next| matches!(system.role_of(next), Some(Role::Input(_))))
    };
    system.bad(property).is_some()
        && system.constraints().is_empty()
        && system.states().iter().all(is_bit)
        && 2 * system.states().iter().filter(is_stored).count() > system.states().len()
}

/// The run without events that are about the states of the system.
pub(crate) fn about_another_system(run: &Run) -> Run {
    let audience = run.clone();
    run.without_states().with_observer(move |event| match event {
        Event::State(_) | Event::Recurring(_) => {}
        Event::Progress { .. }
        | Event::Query { .. }
        | Event::ArrayLemmas { .. }
        | Event::DistinctPairs { .. }
        | Event::Statistics(_)
        | Event::Instance { .. }
        | Event::Decided { .. } => audience.emit(event.clone()),
    })
}

/// A reversed system as a transition system.
struct Subject(Reversed);

impl AsRef<TransitionSystem> for Subject {
    fn as_ref(&self) -> &TransitionSystem {
        self.0.bits.system()
    }
}

#[cfg(test)]
mod tests {
    use elinvar_check::{Budget, certificate, replay};
    use elinvar_ir::{SystemBuilder, Verdict};

    use super::*;
    use crate::schedule::Schedule;

    const PROPERTY: PropertyId = PropertyId(0);

    /// Counts down modulo 8 by storing the successor of a state and checking that the state
    /// follows it. It starts at any even number and fails if it gets to `bad` by steps of two.
    fn countdown(bad: usize) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let inputs: Vec<_> = (0..3).map(|_| b.input(Sort::BOOL, None).unwrap()).collect();
        let states: Vec<_> = (0..5).map(|_| b.state(Sort::BOOL, None).unwrap()).collect();
        let pool = &mut b.pool;
        let (first, valid, stored) = (states[0], states[1], &states[2..]);
        // h(x) = x + 2
        let upper = pool.not(inputs[1]).unwrap();
        let same = pool.equal(inputs[2], inputs[1]).unwrap();
        let top = pool.not(same).unwrap();
        let mut step = valid;
        for (&register, h) in stored.iter().zip([inputs[0], upper, top]) {
            let equal = pool.equal(register, h).unwrap();
            step = pool.and(step, equal).unwrap();
        }
        let even = pool.not(inputs[0]).unwrap();
        let next = pool.ite(first, even, step).unwrap();
        let mut fails = pool.not(first).unwrap();
        fails = pool.and(fails, valid).unwrap();
        for (bit, &register) in stored.iter().enumerate() {
            let literal = if bad >> bit & 1 == 1 { register } else { pool.not(register).unwrap() };
            fails = pool.and(fails, literal).unwrap();
        }
        let [zero, one] = [false, true].map(|value| pool.bool(value));
        (b.states[0].init, b.states[0].next) = (Some(one), Some(zero));
        (b.states[1].init, b.states[1].next) = (Some(zero), Some(next));
        for (number, &input) in inputs.iter().enumerate() {
            let state = &mut b.states[2 + number];
            (state.init, state.next) = (Some(zero), Some(input));
        }
        b.bad("bad", fails);
        b.finish().unwrap()
    }

    #[test]
    fn the_default_decides_systems_that_can_be_reversed() {
        for bad in 0..8 {
            let system = countdown(bad);
            let task = Task::about(&system, &[PROPERTY], &Run::new());
            let backwards = reversed(&task).expect("a system that checks its steps");
            for asked in [&task, &backwards] {
                let asked = asked.with_own_answers();
                let verdict = asked.check(&mut Schedule::auto()).unwrap().remove(0);
                let accepted = match (verdict, bad % 2) {
                    (Verdict::Unsafe(trace), 0) => replay(&system, &trace),
                    (Verdict::Safe(proof), 1) => {
                        certificate(&system, PROPERTY, &proof, &Budget::default())
                    }
                    other => panic!("{bad}: {other:?}"),
                };
                assert_eq!(accepted, Ok(()), "{bad}");
            }
        }
    }

    #[test]
    fn a_run_whose_lemmas_are_wanted_is_not_reversed() {
        let run = Run::new().with_states(std::time::Duration::from_secs(1));
        assert!(reversed(&Task::about(&countdown(1), &[PROPERTY], &run)).is_none());
    }
}
