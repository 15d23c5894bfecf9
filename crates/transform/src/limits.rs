//! The limits of a run, as far as transformations have to respect them.

use std::sync::Arc;

use elinvar_ir::StopReason;
use elinvar_logic::Watch;

/// Decides whether a transformation may continue.
pub trait Limits: Send + Sync {
    /// The reason to stop, if there is one. Each call counts as effort, so a run with
    /// limited effort ends after a fixed number of calls, on every machine.
    fn stop(&self) -> Option<StopReason>;

    /// The limit that was exceeded, if any. Unlike [`Limits::stop`], a call costs no effort.
    fn passed(&self) -> Option<StopReason>;

    /// The seed of random choices.
    fn seed(&self) -> u64;

    /// The same limits for a solver or a graph that outlives the borrow.
    fn share(&self) -> Arc<dyn Limits>;
}

/// No limits, and seed zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Limits for Unlimited {
    fn stop(&self) -> Option<StopReason> {
        None
    }

    fn passed(&self) -> Option<StopReason> {
        None
    }

    fn seed(&self) -> u64 {
        0
    }

    fn share(&self) -> Arc<dyn Limits> {
        Arc::new(Unlimited)
    }
}

/// Stops the construction of a graph when a limit is exceeded.
pub(crate) fn watch(limits: &dyn Limits) -> Watch {
    let limits = limits.share();
    Watch::new(move || limits.passed().is_some())
}
