//! What a run is doing, on standard error: a line that is rewritten on a terminal, and with
//! `--verbose` plain lines now and then elsewhere.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use elinvar::Session;

use crate::{output, terminal};

/// Whether progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Not at all.
    Never,
    /// On terminals.
    OnTerminals,
    /// On terminals, and elsewhere in plain lines.
    Everywhere,
}

impl Shown {
    /// As the options `--quiet` and `--verbose` ask for.
    pub fn of(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Shown::Never,
            (false, false) => Shown::OnTerminals,
            (false, true) => Shown::Everywhere,
        }
    }
}

/// Shows progress until it is dropped.
#[must_use]
pub struct Progress {
    ticker: Option<Ticker>,
}

impl Progress {
    /// Shows the progress of a session.
    pub fn of(session: &Session, shown: Shown) -> Self {
        let session = session.clone();
        Self::start(shown, move || session.progress())
    }

    /// Shows how long some work takes that is described in a few words.
    pub fn of_work(what: &'static str, shown: Shown) -> Self {
        let start = Instant::now();
        Self::start(shown, move || vec![format!("{} s", start.elapsed().as_secs()), what.into()])
    }

    fn start(shown: Shown, parts: impl Fn() -> Vec<String> + Send + 'static) -> Self {
        const PERIOD: Duration = Duration::from_millis(200);
        let ticker = match shown {
            Shown::OnTerminals | Shown::Everywhere if terminal::can_rewrite() => {
                let rewrite = move || terminal::show_line(&parts());
                Some(Ticker::start(std::iter::repeat(PERIOD), rewrite))
            }
            Shown::Everywhere => {
                let tell = move || output::tell(&format!("elinvar: {}", parts().join(", ")));
                Some(Ticker::start(pauses(), tell))
            }
            Shown::Never | Shown::OnTerminals => None,
        };
        Progress { ticker }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.ticker.take());
        terminal::clear_line();
    }
}

/// The pauses between plain lines: 1 s, and then longer and longer ones, up to 30 s.
pub fn pauses() -> impl Iterator<Item = Duration> + Send {
    const LONGEST: u64 = 30;
    let seconds = std::iter::successors(Some(1), |&pause: &u64| Some((2 * pause).min(LONGEST)));
    seconds.map(Duration::from_secs)
}

/// Calls a function again and again, in a thread of its own, until it is dropped.
pub struct Ticker {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Calls the function after each of the pauses.
    pub fn start(
        pauses: impl Iterator<Item = Duration> + Send + 'static,
        mut tick: impl FnMut() + Send + 'static,
    ) -> Self {
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            for pause in pauses {
                if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_become_rare() {
        let seconds: Vec<u64> = pauses().take(7).map(|pause| pause.as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30]);
    }

    #[test]
    fn quiet_wins() {
        assert_eq!(Shown::of(true, true), Shown::Never);
        assert_eq!(Shown::of(false, true), Shown::Everywhere);
        assert_eq!(Shown::of(false, false), Shown::OnTerminals);
    }
}
