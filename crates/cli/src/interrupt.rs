//! Interrupts and requests to end, whatever libraries do with signals.
//!
//! Z3 has a handler of its own for interrupts while it works, and would keep them from us. On
//! Unix the signals are therefore blocked in this thread and in all threads that it starts
//! later, and one thread waits for them. Child processes start without blocked signals.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};

/// What happens at an interrupt.
type Handler = Box<dyn FnMut() + Send>;

static HANDLER: Mutex<Option<Handler>> = Mutex::new(None);

/// Calls `handle` for each interrupt from now on, and no other handler.
pub fn listen(handle: impl FnMut() + Send + 'static) -> Result<()> {
    let was_listening = handler().replace(Box::new(handle)).is_some();
    if was_listening { Ok(()) } else { wait() }
}

fn handler() -> MutexGuard<'static, Option<Handler>> {
    HANDLER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handle() {
    if let Some(handle) = &mut *handler() {
        handle();
    }
}

#[cfg(unix)]
fn wait() -> Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    signals.thread_block().context("cannot block signals")?;
    let thread = std::thread::Builder::new().name("signals".to_owned());
    let waiting = thread.spawn(move || {
        loop {
            if signals.wait().is_ok() {
                handle();
            }
        }
    });
    waiting.map(drop).context("cannot listen to interrupts")
}

#[cfg(not(unix))]
fn wait() -> Result<()> {
    ctrlc::set_handler(handle).context("cannot listen to interrupts")
}
