//! Ends queries that take too long.
//!
//! Z3's own `timeout` is not looked at in every phase of a query; an interrupt from
//! another thread is, nearly.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::api::{Api, Raw};

/// How often the conditions are looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// Is the run over, whatever the query does?
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

#[derive(Default)]
struct State {
    /// Of the query that is running.
    deadline: Option<Instant>,
    /// That query was interrupted.
    interrupted: bool,
    ended: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that interrupts a context.
pub struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The context as the thread sees it.
struct Target {
    api: &'static Api,
    context: Raw,
}

// SAFETY: only `Z3_interrupt` is called, which Z3 allows from any thread.
unsafe impl Send for Target {}

impl Target {
    fn interrupt(&self) {
        // SAFETY: the context outlives the thread, see `Watchdog::drop`.
        unsafe { (self.api.Z3_interrupt)(self.context) }
    }
}

impl Watchdog {
    pub fn new(api: &'static Api, context: Raw, stop: Stop) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let target = Target { api, context };
        let seen = Arc::clone(&shared);
        let thread = std::thread::spawn(move || watch(&seen, &target, &stop));
        Watchdog { shared, thread: Some(thread) }
    }

    /// A query begins.
    pub fn arm(&self, limit: Duration) {
        let mut state = self.shared.lock();
        state.deadline = Instant::now().checked_add(limit);
        state.interrupted = false;
    }

    /// It ended: no interrupt will come after this. Was it interrupted?
    pub fn disarm(&self) -> bool {
        let mut state = self.shared.lock();
        state.deadline = None;
        state.interrupted
    }
}

fn watch(shared: &Shared, target: &Target, stop: &Stop) {
    let mut state = shared.lock();
    while !state.ended {
        if let Some(deadline) = state.deadline
            && (Instant::now() >= deadline || stop())
        {
            state.interrupted = true;
            target.interrupt();
        }
        let waited = shared.changed.wait_timeout(state, PERIOD);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic there ended the watch, nothing else.
            let _ = thread.join();
        }
    }
}
