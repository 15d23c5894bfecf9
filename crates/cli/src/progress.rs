//! A line on the terminal that shows what a run does.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use elinvar::Session;

/// A line on standard error that is rewritten several times a second until it is dropped.
pub struct Progress {
    ticker: Option<Ticker>,
}

impl Progress {
    /// Shows the line if standard error is a terminal.
    pub fn show(session: &Session) -> Option<Self> {
        std::io::stderr().is_terminal().then(|| Self::start(session.clone()))
    }

    fn start(session: Session) -> Self {
        const PERIOD: Duration = Duration::from_millis(200);
        let rewrite =
            move || eprint!("\r\x1b[K{}", session.statistics().progress(session.elapsed()));
        Progress { ticker: Some(Ticker::start(PERIOD, rewrite)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.ticker.take());
        eprint!("\r\x1b[K");
        // Nothing can be done about a terminal that went away.
        std::io::stderr().flush().ok();
    }
}

/// Calls a function again and again, in a thread of its own, until it is dropped.
pub struct Ticker {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Calls the function once in each period, the first time after one period.
    pub fn start(period: Duration, mut tick: impl FnMut() + Send + 'static) -> Self {
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                tick();
            }
        });
        Ticker { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A progress line that failed is not a reason to fail.
            thread.join().ok();
        }
    }
}
