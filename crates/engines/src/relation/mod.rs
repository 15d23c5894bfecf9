//! The transition relation of a system of bits as clauses, for all engines that reason
//! about its frames: bounded model checking, property directed reachability and the engines
//! with interpolants.
//!
//! `transition` makes the clauses, `eliminate` resolves gates away, `unrolled` copies the
//! clauses from frame to frame, and `justify` finds the inputs and registers that a value
//! rests on. `signals` adds gates to the registers.

mod eliminate;
mod justify;
mod signals;
mod transition;
mod unrolled;

use elinvar_sat::Layer;

pub(crate) use crate::run::Stopped;

pub(crate) use justify::{Justifier, Network};
pub(crate) use signals::Signals;
pub(crate) use transition::{Init, Transition};
pub(crate) use unrolled::Unrolled;

/// The number of a frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Finite(usize),
    /// F∞, the lemmas that are inductive together.
    Infinite,
}

impl Level {
    /// The layer of the solver for this frame.
    pub fn layer(self) -> Layer {
        match self {
            Level::Finite(level) => Layer::level(level),
            Level::Infinite => Layer::ALWAYS,
        }
    }

    /// Its number, if it is not F∞.
    pub fn finite(self) -> Option<usize> {
        match self {
            Level::Finite(level) => Some(level),
            Level::Infinite => None,
        }
    }
}

/// The result of work that a limit of the run may interrupt.
pub(crate) type Interruptible<T> = Result<T, Stopped>;
