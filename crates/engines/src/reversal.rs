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
    let run = about_another_system(task.run());
    let lift = Arc::clone(&reversed);
    let task =
        task.transformed(reversed, move |verdict| prepared.lift.verdict(lift.0.verdict(verdict)));
    Some(task.with_run(run))
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
fn about_another_system(run: &Run) -> Run {
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
