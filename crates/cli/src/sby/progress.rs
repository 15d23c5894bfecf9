//! Progress that sby shows: a line for each step of a search, and a line now and then during a
//! proof.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use elinvar::{Observer, Session};
use elinvar_engines::Event;

use super::protocol::Protocol;
use crate::output;
use crate::progress::Ticker;

/// Prints a line for each step, between [`BoundLines::open`] and [`BoundLines::close`]: an
/// engine that was abandoned at its time limit must not print into a witness.
#[derive(Clone, Default)]
pub struct BoundLines {
    protocol: Arc<Mutex<Option<Protocol>>>,
}

impl BoundLines {
    /// Prints lines of this protocol from now on.
    pub fn open(&self, protocol: Protocol) {
        *self.lock() = Some(protocol);
    }

    /// Prints nothing any more.
    pub fn close(&self) {
        *self.lock() = None;
    }

    /// Prints a line when an engine comes to a step.
    pub fn observer(&self) -> Observer {
        let lines = self.clone();
        Arc::new(move |event| {
            let Event::Progress { bound, .. } = event else { return };
            let protocol = lines.lock();
            if let Some(line) = protocol.and_then(|protocol| protocol.progress(*bound)) {
                // The answer reports a failure to write.
                output::print(&line).ok();
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Protocol>> {
        self.protocol.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prints a line about a proof every few seconds, until it is dropped.
pub struct StatusLines {
    _ticker: Ticker,
}

impl StatusLines {
    /// Starts to print.
    pub fn start(session: &Session) -> Self {
        const PERIOD: Duration = Duration::from_secs(10);
        let session = session.clone();
        let line = move || output::tell(&format!("elinvar: {}", session.progress().join(", ")));
        StatusLines { _ticker: Ticker::start(std::iter::repeat(PERIOD), line) }
    }
}
