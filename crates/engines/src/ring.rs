//! Engines that share one processor: each runs in a thread of its own, but only one of them at
//! a time.
//!
//! Engines keep asking whether they must stop ([`Run::stop`]), and say how much work they have
//! done since. After so much work, an engine waits there until it is its turn again, and the
//! next engine of the ring goes on. So no engine has to be able to interrupt its work, and
//! nothing is lost when another one gets a turn. Work is counted in propagations and questions
//! and not in time, so a run is the same on every machine.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use elinvar_ir::TransitionSystem;

use crate::engine::EngineError;
use crate::run::Run;
use crate::task::Task;

/// Who may work.
pub(crate) struct Ring {
    state: Mutex<State>,
    changed: Condvar,
    is_decided: Box<dyn Fn() -> bool + Send + Sync>,
}

struct State {
    turn: usize,
    /// The members that have not ended.
    working: Vec<bool>,
    /// By member: how much work the first one does before this one takes part.
    joins: Vec<u64>,
    /// How much work the first member has done.
    first_work: u64,
    /// All may go on, to end.
    is_over: bool,
}

impl Ring {
    fn new(joins: Vec<u64>, is_decided: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let working = vec![true; joins.len()];
        let state = State { turn: 0, working, joins, first_work: 0, is_over: false };
        Ring { state: Mutex::new(state), changed: Condvar::new(), is_decided: Box::new(is_decided) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is the turn of a member. False if everything is over.
    fn wait(&self, member: usize) -> bool {
        let mut state = self.lock();
        while state.turn != member && !state.is_over {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_over
    }

    /// Lets the next member work, after one that has done so much work.
    fn pass(&self, member: usize, work: u64) {
        let mut state = self.lock();
        if member == 0 {
            state.first_work += work;
        }
        let count = state.working.len();
        let takes_part = |other: &usize| {
            state.working[*other] && (!state.working[0] || state.joins[*other] <= state.first_work)
        };
        let next = (1..count).map(|step| (member + step) % count).find(takes_part);
        if let Some(next) = next {
            state.turn = next;
        }
        self.changed.notify_all();
    }

    /// A member has ended.
    fn leave(&self, member: usize) {
        self.lock().working[member] = false;
        self.pass(member, 0);
    }

    fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }
}

/// The place of a member in a ring, where it waits for its turns.
pub(crate) struct Gate {
    ring: Arc<Ring>,
    member: usize,
    /// How much work a turn has.
    slice: u64,
    left: AtomicU64,
    everyone: Run,
}

impl Gate {
    /// Counts work. At the end of a turn, waits for the next one.
    pub(crate) fn spend(&self, work: u64) {
        // One thread at a time works.
        let left = self.left.load(Ordering::Relaxed);
        if let Some(left) = left.checked_sub(work) {
            self.left.store(left, Ordering::Relaxed);
            return;
        }
        self.left.store(self.slice, Ordering::Relaxed);
        if (self.ring.is_decided)() {
            self.everyone.cancellation().store(true, Ordering::Relaxed);
            self.ring.end();
            return;
        }
        self.ring.pass(self.member, self.slice);
        self.ring.wait(self.member);
    }
}

/// A member of a ring: what it does, and how much work its turns have.
pub(crate) struct Member<'a> {
    pub work: Box<dyn FnOnce(Run) -> Result<(), EngineError> + Send + 'a>,
    pub slice: u64,
    /// How much work the first member does before this one takes part.
    pub joins: u64,
}

/// Lets the members work on a task, one at a time, until it is decided or all have ended. The
/// first one works in this thread. Returns how the first one ended.
pub(crate) fn share(
    task: &Task<TransitionSystem>,
    first: Member<'_>,
    others: Vec<Member<'_>>,
) -> Result<(), EngineError> {
    let everyone = task.run().child();
    let watched = task.clone();
    let joins = std::iter::once(0).chain(others.iter().map(|other| other.joins)).collect();
    let ring = Arc::new(Ring::new(joins, move || watched.open().is_empty()));
    let run = |member: usize, slice: u64| {
        let (ring, everyone) = (Arc::clone(&ring), everyone.clone());
        let gate = Gate { ring, member, slice, left: AtomicU64::new(slice), everyone };
        gate.everyone.clone().with_gate(gate)
    };
    let ended = |member: usize| End { ring: &ring, member, everyone: &everyone, task };
    let mut panics = Vec::new();
    let outcome = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (index, other) in others.into_iter().enumerate() {
            let member = index + 1;
            let (run, end) = (run(member, other.slice), ended(member));
            threads.push(scope.spawn(move || {
                let _end = end;
                if _end.ring.wait(member) {
                    // What it decides is in the task.
                    (other.work)(run).ok();
                }
            }));
        }
        let end = ended(0);
        let outcome = (first.work)(run(0, first.slice));
        drop(end);
        for thread in threads {
            panics.extend(thread.join().err());
        }
        outcome
    });
    match panics.into_iter().next() {
        Some(panic) => resume_unwind(panic),
        None => outcome,
    }
}

/// Ends the part of a member, also if it panics.
struct End<'a> {
    ring: &'a Ring,
    member: usize,
    everyone: &'a Run,
    task: &'a Task<TransitionSystem>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() || self.task.open().is_empty() {
            self.everyone.cancellation().store(true, Ordering::Relaxed);
            self.ring.end();
        }
        self.ring.leave(self.member);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use elinvar_ir::{PropertyId, StopReason, Verdict};
    use elinvar_models::families::proportional;

    use super::*;
    use crate::run::WORK_OF_A_QUESTION;

    fn task(run: &Run) -> Task {
        Task::about(&proportional(), &[PropertyId(0)], run)
    }

    fn unknown() -> Verdict {
        Verdict::Safe(elinvar_ir::Certificate::KInductive { k: 1, simple_path: false })
    }

    /// A member that asks so many questions, and notes its name at each of them.
    fn asking<'a>(
        name: char,
        questions: usize,
        busy: &'a AtomicBool,
        log: &'a Mutex<String>,
    ) -> Member<'a> {
        let work = move |run: Run| {
            for _ in 0..questions {
                assert!(!busy.swap(true, Ordering::SeqCst), "two members work at the same time");
                log.lock().unwrap().push(name);
                assert!(busy.swap(false, Ordering::SeqCst));
                if let Some(reason) = run.stop() {
                    return Err(EngineError::Stopped(reason));
                }
            }
            Ok(())
        };
        Member { work: Box::new(work), slice: 2 * WORK_OF_A_QUESTION, joins: 0 }
    }

    #[test]
    fn members_take_turns_one_at_a_time() {
        let (busy, log) = (AtomicBool::new(false), Mutex::new(String::new()));
        let member = |name, questions| asking(name, questions, &busy, &log);
        let late = Member { joins: 4 * WORK_OF_A_QUESTION, ..member('c', 7) };
        share(&task(&Run::new()), member('a', 12), vec![member('b', 4), late]).unwrap();
        let log = log.into_inner().unwrap();
        assert_eq!(log, "aaabbbaaabcccaaacccaaac");
    }

    #[test]
    fn the_first_member_ends_when_another_one_decides() {
        let task = task(&Run::new());
        let first = Member {
            work: Box::new(|run| {
                loop {
                    if let Some(reason) = run.stop() {
                        return Err(EngineError::Stopped(reason));
                    }
                }
            }),
            slice: 10,
            joins: 0,
        };
        let decide = |_| {
            task.decide("test", PropertyId(0), unknown(), 1);
            Ok(())
        };
        let other = Member { work: Box::new(decide), slice: 10, joins: 0 };
        let ended = share(&task, first, vec![other]);
        assert_eq!(ended, Err(EngineError::Stopped(StopReason::Cancelled)));
        assert!(task.open().is_empty());
        assert_eq!(task.run().stop(), None, "only the members were cancelled");
    }

    #[test]
    fn a_limit_ends_all_members() {
        let endless = || Member {
            work: Box::new(|run: Run| {
                loop {
                    if let Some(reason) = run.stop() {
                        return Err(EngineError::Stopped(reason));
                    }
                }
            }),
            slice: 100,
            joins: 0,
        };
        let task = task(&Run::new().with_timeout(Duration::from_millis(50)));
        let ended = share(&task, endless(), vec![endless(), endless()]);
        assert_eq!(ended, Err(EngineError::Stopped(StopReason::Timeout)));
    }

    #[test]
    fn a_panic_of_any_member_ends_all() {
        let panics = || Member { work: Box::new(|_| panic!("on purpose")), slice: 10, joins: 0 };
        let endless = || Member {
            work: Box::new(|run: Run| {
                while run.stop().is_none() {}
                Ok(())
            }),
            slice: 10,
            joins: 0,
        };
        for (first, other) in [(panics(), endless()), (endless(), panics())] {
            let task = task(&Run::new());
            let shared = AssertUnwindSafe(|| share(&task, first, vec![other]));
            assert!(catch_unwind(shared).is_err());
        }
    }
}
