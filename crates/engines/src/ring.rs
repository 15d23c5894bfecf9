//! Engines that share one processor: each runs in a thread of its own, but only one of them at
//! a time.
//!
//! Engines keep asking whether they must stop ([`Run::stop`]), and say how much work they have
//! done since. After so much work, an engine waits there until it is its turn again, and the
//! next engine of the ring goes on. So no engine has to be able to interrupt its work, and
//! nothing is lost when another one gets a turn. Work is counted by what solvers look at and not
//! in time, so a run is the same on every machine.
//!
//! The first turn of a member may be shorter or longer than later ones, so that small models are
//! decided before much work was done in vain. A member ends early when it has done all the work
//! that it may do, or when it holds more memory than it may hold ([`Holding`]). Memory is
//! estimated from the sizes of what engines build, so this too is the same on every machine.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use elinvar_ir::TransitionSystem;

use crate::engine::EngineError;
use crate::run::{Run, Stopped, work_of_bytes};
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
    /// By member: how much work is done before it takes part.
    joins: Vec<u64>,
    /// How much work all members have done.
    work: u64,
    /// All may go on, to end.
    is_over: bool,
}

impl State {
    /// The first of these members that takes part by now. If there is none, the one that joins
    /// next.
    fn next(&self, members: impl Iterator<Item = usize> + Clone) -> Option<usize> {
        let working = members.filter(|&member| self.working[member]);
        let now = working.clone().find(|&member| self.joins[member] <= self.work);
        now.or_else(|| working.min_by_key(|&member| self.joins[member]))
    }
}

impl Ring {
    fn new(joins: Vec<u64>, is_decided: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let working = vec![true; joins.len()];
        let mut state = State { turn: 0, working, joins, work: 0, is_over: false };
        state.turn = state.next(0..state.joins.len()).unwrap_or(0);
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
        state.work += work;
        let count = state.working.len();
        let next = state.next((1..=count).map(|step| (member + step) % count));
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
    limits: Limits,
    /// How much work the present turn has, and how much of it is left.
    turn: AtomicU64,
    left: AtomicU64,
    /// How much work was done in all turns before this one.
    spent: AtomicU64,
    /// How many bytes the member holds.
    held: AtomicU64,
    everyone: Run,
    /// Ends the member alone.
    own: Arc<AtomicBool>,
}

impl Gate {
    /// Counts work. At the end of a turn, waits for the next one; for work of more than a turn,
    /// as many turns pass.
    pub(crate) fn spend(&self, mut work: u64) {
        // One thread at a time works.
        while let Err(owed) = self.take(work) {
            let (turn, spent) = self.begin_turn();
            if (self.ring.is_decided)() {
                self.everyone.cancellation().store(true, Ordering::Relaxed);
                self.ring.end();
                return;
            }
            if self.limits.work.is_some_and(|limit| spent >= limit) {
                self.own.store(true, Ordering::Relaxed);
                return;
            }
            self.ring.pass(self.member, turn);
            if !self.ring.wait(self.member) {
                return;
            }
            work = owed;
        }
    }

    /// Takes work from the present turn, or says how much does not fit into it.
    fn take(&self, work: u64) -> Result<(), u64> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(work), Ordering::Relaxed);
        if work <= left { Ok(()) } else { Err(work - left) }
    }

    /// Makes room for the next turn. Returns the work of the turn before, and that of all turns.
    fn begin_turn(&self) -> (u64, u64) {
        let turn = self.turn.load(Ordering::Relaxed);
        let spent = self.spent.fetch_add(turn, Ordering::Relaxed) + turn;
        let slice = match self.limits.later {
            Some(Later { after, slice }) if spent >= after => slice,
            Some(_) | None => self.limits.slice,
        };
        let next = turn.saturating_mul(2).clamp(1, slice.max(1));
        self.turn.store(next, Ordering::Relaxed);
        self.left.store(next, Ordering::Relaxed);
        (turn, spent)
    }

    /// Counts bytes in place of those that were counted for the same purpose before. False if
    /// the member holds too many; then it has to end.
    fn hold(&self, before: u64, bytes: u64) -> bool {
        let held = self.held.load(Ordering::Relaxed) - before + bytes;
        self.held.store(held, Ordering::Relaxed);
        let is_within = self.limits.memory.is_none_or(|limit| held <= limit);
        if !is_within {
            self.own.store(true, Ordering::Relaxed);
        }
        is_within
    }

    /// How many bytes the member may hold.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.limits.memory
    }
}

/// How much memory a part of an engine holds. Where engines share the processor, one that holds
/// too much ends.
pub(crate) struct Holding {
    run: Run,
    bytes: u64,
}

impl Holding {
    /// Nothing so far.
    pub fn new(run: &Run) -> Self {
        Holding { run: run.clone(), bytes: 0 }
    }

    /// Now it is so much. To build what is new counts as work.
    ///
    /// # Errors
    /// When the engine has to end, because it holds too much.
    pub fn set(&mut self, bytes: u64) -> Result<(), Stopped> {
        let before = std::mem::replace(&mut self.bytes, bytes);
        self.run.spend(work_of_bytes(bytes.saturating_sub(before)));
        match self.run.gate() {
            Some(gate) if !gate.hold(before, bytes) => Err(self.run.stopped()),
            Some(_) | None => Ok(()),
        }
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        if let Some(gate) = self.run.gate() {
            gate.hold(self.bytes, 0);
        }
    }
}

/// The part that a member of a ring may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The work of its first turn. Each later one has twice as much, but at most `slice`.
    pub start: u64,
    /// The work of a full turn.
    pub slice: u64,
    /// How much work all members do before this one takes part.
    pub joins: u64,
    /// How much work it does at most.
    pub work: Option<u64>,
    /// How many bytes it holds at most, as far as its engine counts them.
    pub memory: Option<u64>,
    /// Whether its turns become shorter or longer at some time.
    pub later: Option<Later>,
}

/// When the turns of a member become shorter or longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Later {
    /// After so much work of its own.
    pub after: u64,
    /// The work of a turn from then on.
    pub slice: u64,
}

impl Limits {
    /// Turns of this much work, from the start and without an end.
    pub const fn turns(slice: u64) -> Self {
        Limits { start: slice, slice, joins: 0, work: None, memory: None, later: None }
    }
}

type Work<'a> = Box<dyn FnOnce(Run) -> Result<(), EngineError> + Send + 'a>;

/// A member of a ring: what it does, and what it may spend.
pub(crate) struct Member<'a> {
    pub work: Work<'a>,
    pub limits: Limits,
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
    let members = std::iter::once(&first).chain(&others);
    let joins = members.map(|member| member.limits.joins).collect();
    let ring = Arc::new(Ring::new(joins, move || watched.open().is_empty()));
    let run = |member: usize, limits: Limits| {
        let run = everyone.child();
        let gate = Gate {
            ring: Arc::clone(&ring),
            member,
            limits,
            turn: AtomicU64::new(limits.start),
            left: AtomicU64::new(limits.start),
            spent: AtomicU64::new(0),
            held: AtomicU64::new(0),
            everyone: everyone.clone(),
            own: run.cancellation(),
        };
        run.with_gate(gate)
    };
    let ended = |member: usize| End { ring: &ring, member, everyone: &everyone, task };
    let mut panics = Vec::new();
    let outcome = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (index, other) in others.into_iter().enumerate() {
            let member = index + 1;
            let (run, end) = (run(member, other.limits), ended(member));
            threads.push(scope.spawn(move || {
                let _end = end;
                if _end.ring.wait(member) {
                    // What it decides is in the task.
                    (other.work)(run).ok();
                }
            }));
        }
        let end = ended(0);
        let run = run(0, first.limits);
        let outcome = if ring.wait(0) { (first.work)(run) } else { Err(run.stopped().into()) };
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
        Member { work: Box::new(work), limits: Limits::turns(2 * WORK_OF_A_QUESTION) }
    }

    #[test]
    fn members_take_turns_one_at_a_time() {
        let (busy, log) = (AtomicBool::new(false), Mutex::new(String::new()));
        let member = |name, questions| asking(name, questions, &busy, &log);
        let mut late = member('c', 7);
        late.limits.joins = 6 * WORK_OF_A_QUESTION;
        share(&task(&Run::new()), member('a', 12), vec![member('b', 4), late]).unwrap();
        let log = log.into_inner().unwrap();
        // The third question of a first turn is work of the second one.
        assert_eq!(log, "aaabbbaabcccaaccaaccaaa");
    }

    #[test]
    fn turns_grow_from_the_first_one() {
        let (busy, log) = (AtomicBool::new(false), Mutex::new(String::new()));
        let limited =
            |name, questions, limits| Member { limits, ..asking(name, questions, &busy, &log) };
        let grows = Limits { start: 0, ..Limits::turns(3 * WORK_OF_A_QUESTION) };
        let late = Limits { joins: 1, ..Limits::turns(WORK_OF_A_QUESTION) };
        let members = vec![limited('b', 12, grows)];
        share(&task(&Run::new()), limited('a', 9, late), members).unwrap();
        // The turns of b have 0, 1, 2, 4, 8, 16, 32 and then 45 units of work, a question takes 15.
        // Before a unit of work is done, a does not take part.
        assert_eq!(log.into_inner().unwrap(), "baaaabababbabbbabbbab");
    }

    #[test]
    fn turns_become_shorter_after_much_work() {
        let (busy, log) = (AtomicBool::new(false), Mutex::new(String::new()));
        let limited =
            |name, questions, limits| Member { limits, ..asking(name, questions, &busy, &log) };
        let turns = |questions| Limits::turns(questions * WORK_OF_A_QUESTION);
        let fading = Later { after: 8 * WORK_OF_A_QUESTION, slice: WORK_OF_A_QUESTION };
        let fades = Limits { later: Some(fading), ..turns(4) };
        share(&task(&Run::new()), limited('a', 12, turns(2)), vec![limited('b', 13, fades)])
            .unwrap();
        assert_eq!(log.into_inner().unwrap(), "aaabbbbbaabbbbaabaabaabab");
    }

    #[test]
    fn a_member_ends_after_all_its_work_or_with_too_much_memory() {
        let endless = |run: Run| {
            while run.stop().is_none() {}
            Err(run.stopped().into())
        };
        let greedy = |run: Run| {
            let mut holding = Holding::new(&run);
            holding.set(90)?;
            holding.set(60)?;
            let mut other = Holding::new(&run);
            other.set(40)?;
            drop(other);
            assert_eq!(run.stop(), None);
            let ended = Holding::new(&run).set(41);
            assert_eq!(run.stop(), Some(StopReason::Cancelled));
            ended.map_err(EngineError::from)
        };
        let work = Limits { work: Some(1_000), ..Limits::turns(100) };
        let memory = Limits { memory: Some(100), ..Limits::turns(100) };
        let run = Run::new();
        let first = Member { work: Box::new(endless), limits: work };
        let other = Member { work: Box::new(greedy), limits: memory };
        let ended = share(&task(&run), first, vec![other]);
        assert_eq!(ended, Err(EngineError::Stopped(StopReason::Cancelled)));
        assert_eq!(run.stop(), None, "only the members were cancelled");
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
            limits: Limits::turns(10),
        };
        let decide = |_| {
            task.decide("test", PropertyId(0), unknown(), 1);
            Ok(())
        };
        let other = Member { work: Box::new(decide), limits: Limits::turns(10) };
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
            limits: Limits::turns(100),
        };
        let task = task(&Run::new().with_timeout(Duration::from_millis(50)));
        let ended = share(&task, endless(), vec![endless(), endless()]);
        assert_eq!(ended, Err(EngineError::Stopped(StopReason::Timeout)));
    }

    #[test]
    fn a_panic_of_any_member_ends_all() {
        let panics =
            || Member { work: Box::new(|_| panic!("on purpose")), limits: Limits::turns(10) };
        let endless = || Member {
            work: Box::new(|run: Run| {
                while run.stop().is_none() {}
                Ok(())
            }),
            limits: Limits::turns(10),
        };
        for (first, other) in [(panics(), endless()), (endless(), panics())] {
            let task = task(&Run::new());
            let shared = AssertUnwindSafe(|| share(&task, first, vec![other]));
            assert!(catch_unwind(shared).is_err());
        }
    }
}
