//! Long work without the global interpreter lock.
//!
//! The work runs in a thread of its own. The calling thread waits for it, passes the events of the
//! engines on to a Python function, and asks Python for signals: an interrupt cancels the work and
//! becomes `KeyboardInterrupt`, an exception of the function cancels the work and goes on to the
//! caller.

use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use elinvar::engines::{Event, QueryAnswer};
use elinvar::{Cancellation, Observer};
use pyo3::prelude::*;

use crate::errors;
use crate::lemmas::Lemmas;

/// A signal is noticed within this time.
const PAUSE: Duration = Duration::from_millis(20);

/// So many events wait for the Python function before engines have to wait for it.
const QUEUE: usize = 1024;

/// Which events a Python function is called with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// What a line of progress shows.
    Progress,
    /// Everything.
    All,
}

/// A Python function that is told what happens.
pub struct Listener {
    pub function: Py<PyAny>,
    pub interest: Interest,
}

enum Message<T> {
    Event(Event),
    Done(T),
}

/// Does some work. `work` gets the observer for its options.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    cancellation: &Cancellation,
    listener: Option<&Listener>,
    work: impl FnOnce(Option<Observer>) -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(QUEUE);
    // Only what can be shared between threads can be used without the lock of the interpreter.
    let receiver = Mutex::new(receiver);
    let observer = listener.map(|listener| observer(listener.interest, sender.clone()));
    let thread = std::thread::Builder::new().name("elinvar".to_owned()).spawn(move || {
        let result = work(observer);
        // Nobody listens any more after a second interrupt.
        sender.send(Message::Done(result)).ok();
    })?;
    let mut failure: Option<PyErr> = None;
    loop {
        let message = py
            .detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PAUSE));
        match message {
            Ok(Message::Done(result)) => return failure.map_or(Ok(result), Err),
            Ok(Message::Event(event)) => {
                if let (Some(listener), None) = (listener, &failure) {
                    failure = tell(py, listener, &event).err();
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let panic = py.detach(|| thread.join()).err();
                return Err(failure.unwrap_or_else(|| errors::internal(py, &complaint(panic))));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let was_failing = failure.is_some();
        if let Err(signal) = py.check_signals() {
            if was_failing {
                return Err(signal);
            }
            failure = Some(signal);
        }
        if failure.is_some() {
            cancellation.cancel();
        }
    }
}

/// What a panic says.
fn complaint(panic: Option<Box<dyn Any + Send>>) -> String {
    let text = panic.as_ref().and_then(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied())
    });
    let text = text.unwrap_or("a thread ended without a result");
    format!("{text}\nThis is a bug in Elinvar; no verdict is given. Please report it.")
}

/// Sends the events of engines to the waiting thread.
fn observer<T: Send + 'static>(interest: Interest, sender: SyncSender<Message<T>>) -> Observer {
    Arc::new(move |event| {
        if interest == Interest::All || is_progress(event) {
            // Nobody listens any more when the work was abandoned.
            sender.send(Message::Event(event.clone())).ok();
        }
    })
}

fn is_progress(event: &Event) -> bool {
    match event {
        Event::Progress { .. } | Event::Decided { .. } | Event::Instance { .. } => true,
        Event::Query { .. }
        | Event::ArrayLemmas { .. }
        | Event::DistinctPairs { .. }
        | Event::Statistics(_)
        | Event::State(_)
        | Event::Recurring(_) => false,
    }
}

/// Calls the function with the name of the event and its data.
fn tell(py: Python<'_>, listener: &Listener, event: &Event) -> PyResult<()> {
    let function = listener.function.bind(py);
    match event {
        Event::Progress { engine, bound, details } => {
            function.call1(("progress", *engine, *bound, details.clone()))?;
        }
        Event::Query { engine, kind, answer, conflicts, time } => {
            let answer = match answer {
                QueryAnswer::Sat => "sat",
                QueryAnswer::Unsat => "unsat",
                QueryAnswer::Stopped => "stopped",
            };
            function.call1(("query", *engine, *kind, answer, *conflicts, time.as_secs_f64()))?;
        }
        Event::Decided { engine, property, safe, depth } => {
            function.call1(("decided", *engine, property.0, *safe, *depth))?;
        }
        Event::Instance { bound } => {
            function.call1(("instance", *bound))?;
        }
        Event::State(state) => {
            function.call1(("frames", Lemmas(Arc::clone(state))))?;
        }
        Event::ArrayLemmas { .. }
        | Event::DistinctPairs { .. }
        | Event::Statistics(_)
        | Event::Recurring(_) => {}
    }
    Ok(())
}
