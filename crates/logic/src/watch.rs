//! Limits of effort within one circuit.
//!
//! A single operator can have millions of gates, so the construction of a circuit must be
//! able to stop in the middle. Instead of a result in every function that builds a gate,
//! the graph and the encoder have a state: once their [`Watch`] says so they are stopped,
//! and what they give from then on is meaningless. The caller asks `is_stopped` before it
//! uses what was built.

use std::fmt;
use std::sync::Arc;

/// Says whether work must stop. The default never does.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Watch {
    /// A watch that asks this function.
    pub fn new(must_stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Watch(Some(Arc::new(must_stop)))
    }

    pub(crate) fn must_stop(&self) -> bool {
        self.0.as_ref().is_some_and(|must_stop| must_stop())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watch").field(&self.0.is_some()).finish()
    }
}
