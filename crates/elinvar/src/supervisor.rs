//! Limits that hold whatever the work does.
//!
//! Engines, readers and the checker poll their limits and end in an orderly way. No
//! polling covers every loop, every destructor and every allocation, so the calling thread
//! does not do the work itself: it starts a thread for it and waits. When the work has
//! not ended a short grace period after its limit, it is abandoned: the caller reports what
//! is known by then, and the thread ends when it polls its limits or with the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use elinvar_engines::resident_bytes;
use elinvar_ir::StopReason;

use crate::options::Cancellation;

/// How long work that polls its limits may take to end.
const GRACE: Duration = Duration::from_millis(700);
/// How long evidence may be checked after an interrupt.
const CHECK_AFTER_INTERRUPT: Duration = Duration::from_millis(800);
/// How long a check that polls its limits may take to end.
const CHECK_GRACE: Duration = Duration::from_millis(200);
/// How much time a check has after the deadline, at least.
const LEAST_ALLOWANCE: Duration = Duration::from_secs(1);
/// An interrupt is noticed within this time.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// So much memory more than the limit ends the process at once, at least.
const LEAST_EXCESS: u64 = 16 << 20;

/// The limits of a command, shared by the thread that waits and the thread that works.
#[derive(Clone, Default)]
pub struct Supervisor {
    deadline: Option<Instant>,
    /// How long evidence may be checked after the deadline.
    allowance: Duration,
    memory: Option<u64>,
    cancellation: Cancellation,
    /// How many checks of evidence are under way.
    checks: Arc<AtomicUsize>,
}

impl Supervisor {
    /// Starts the clock; `memory` is in bytes.
    pub fn start(
        timeout: Option<Duration>,
        memory: Option<u64>,
        cancellation: Cancellation,
    ) -> Self {
        let allowance = timeout.map_or(LEAST_ALLOWANCE, |timeout| timeout / 10);
        Supervisor {
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            allowance: allowance.max(LEAST_ALLOWANCE),
            memory,
            cancellation,
            ..Supervisor::default()
        }
    }

    /// When work that polls its limits is to end.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// When the check of evidence must end that begins now.
    pub fn check_deadline(&self) -> Option<Instant> {
        let by_time = self.deadline.map(|deadline| deadline + self.allowance);
        let by_interrupt = self.cancellation.time().map(|at| at + CHECK_AFTER_INTERRUPT);
        by_time.into_iter().chain(by_interrupt).min()
    }

    /// Does some checking of evidence, for which there is more time.
    pub fn checking<T>(&self, check: impl FnOnce() -> T) -> T {
        struct UnderWay<'a>(&'a AtomicUsize);
        impl Drop for UnderWay<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.checks.fetch_add(1, Ordering::Relaxed);
        let _under_way = UnderWay(&self.checks);
        check()
    }

    /// Does the work in a thread of its own, and gives up waiting when it does not end at
    /// its limit. A panic of the work becomes one of the caller.
    pub fn watch<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, StopReason> {
        /// As much as the main thread usually has, and some more.
        const STACK: usize = 64 << 20;
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("work".to_owned()).stack_size(STACK);
        let thread = thread.spawn(move || {
            // Nobody listens any more when the work was abandoned.
            sender.send(work()).ok();
        });
        let thread = thread.expect("the system has a thread for the work");
        let mut pause = Duration::from_millis(1);
        loop {
            match receiver.recv_timeout(pause) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("the work sends its result or panics"),
                },
                Err(RecvTimeoutError::Timeout) => {}
            }
            match self.look() {
                Look::Over(reason) => return Err(reason),
                Look::Again(after) => pause = after,
            }
        }
    }

    /// Is the work to be abandoned now, or when is the next look due?
    fn look(&self) -> Look {
        let now = Instant::now();
        let is_checking = self.checks.load(Ordering::Relaxed) > 0;
        let grace = if is_checking { CHECK_AFTER_INTERRUPT + CHECK_GRACE } else { GRACE };
        if self.cancellation.time().is_some_and(|at| now >= at + grace) {
            return Look::Over(StopReason::Cancelled);
        }
        let grace = if is_checking { self.allowance + CHECK_GRACE } else { GRACE };
        let mut pause = LONGEST_PAUSE;
        if let Some(end) = self.deadline.map(|deadline| deadline + grace) {
            if now >= end {
                return Look::Over(StopReason::Timeout);
            }
            pause = pause.min(end - now);
        }
        if let Some(limit) = self.memory
            && let Some(used) = resident_bytes()
        {
            let left = hard_limit(limit).saturating_sub(used);
            if left == 0 {
                return Look::Over(StopReason::Memory);
            }
            pause = pause.min(time_to_fill(left));
        }
        Look::Again(pause)
    }
}

enum Look {
    Over(StopReason),
    Again(Duration),
}

/// Where work is abandoned that did not end at its limit of memory.
fn hard_limit(limit: u64) -> u64 {
    limit.saturating_add((limit / 16).max(LEAST_EXCESS))
}

/// How fast so much memory can be filled; no machine is faster than 4 GiB a second by one
/// thread, since every page is cleared first.
fn time_to_fill(bytes: u64) -> Duration {
    const LEAST: Duration = Duration::from_millis(2);
    let milliseconds = bytes / (4 << 20);
    Duration::from_millis(milliseconds).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(timeout: Option<Duration>, memory: Option<u64>) -> Supervisor {
        Supervisor::start(timeout, memory, Cancellation::default())
    }

    fn forever() {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    #[test]
    fn work_that_ends_gives_its_result() {
        let timeout = Some(Duration::from_secs(100));
        assert_eq!(start(timeout, Some(1 << 40)).watch(|| 7), Ok(7));
        assert_eq!(start(None, None).watch(|| 7), Ok(7));
    }

    #[test]
    fn work_that_does_not_poll_is_abandoned() {
        let begin = Instant::now();
        let watch = |supervisor: Supervisor| supervisor.watch(forever);
        let late = start(Some(Duration::ZERO), None);
        assert_eq!(watch(late.clone()), Err(StopReason::Timeout));
        let large = Supervisor { memory: Some(0), ..Supervisor::default() };
        let held = vec![1u8; 2 * LEAST_EXCESS as usize];
        assert_eq!(watch(large), Err(StopReason::Memory));
        assert!(held.iter().all(|&byte| byte == 1));
        let interrupted = Supervisor::default();
        interrupted.cancellation.cancel();
        assert_eq!(watch(interrupted), Err(StopReason::Cancelled));
        // A check has more time, but not without end.
        let checking = late.clone();
        let checked = late.watch(move || checking.checking(forever));
        assert_eq!(checked, Err(StopReason::Timeout));
        assert!(begin.elapsed() >= LEAST_ALLOWANCE && begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_panic_of_the_work_is_one_of_the_caller() {
        let watch = || Supervisor::default().watch(|| panic!("at the disco"));
        let caught = std::panic::catch_unwind(watch).unwrap_err();
        assert_eq!(caught.downcast_ref::<&str>(), Some(&"at the disco"));
    }

    #[test]
    fn checks_end_soon_after_a_limit() {
        let timed = |seconds| start(Some(Duration::from_secs(seconds)), None);
        let beyond = |supervisor: &Supervisor| {
            supervisor.check_deadline().unwrap() - supervisor.deadline.unwrap()
        };
        assert_eq!(beyond(&timed(3)), LEAST_ALLOWANCE);
        assert_eq!(beyond(&timed(60)), Duration::from_secs(6));
        assert_eq!(Supervisor::default().check_deadline(), None);
        let interrupted = Supervisor::default();
        interrupted.cancellation.cancel();
        let deadline = interrupted.check_deadline().unwrap();
        assert!(deadline <= Instant::now() + CHECK_AFTER_INTERRUPT);
    }
}
