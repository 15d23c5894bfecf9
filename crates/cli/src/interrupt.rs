//! Interrupts and requests to end, whatever libraries do with signals.
//!
//! Z3 has a handler of its own for interrupts while it works, and would keep them from us. On
//! Unix the signals are therefore blocked in this thread and in all threads that it starts
//! later, and one thread waits for them. Child processes start without blocked signals.

use anyhow::{Context, Result};

/// Calls `handle` for each interrupt from now on.
#[cfg(unix)]
pub fn listen(mut handle: impl FnMut() + Send + 'static) -> Result<()> {
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

/// Calls `handle` for each interrupt from now on.
#[cfg(not(unix))]
pub fn listen(handle: impl FnMut() + Send + 'static) -> Result<()> {
    ctrlc::set_handler(handle).context("cannot listen to interrupts")
}
