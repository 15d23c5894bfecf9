//! The engines: they decide safety properties of transition systems and of programs, and
//! give evidence for every verdict.
//!
//! A [`Task`] asks an [`Engine`] about properties and collects its verdicts. A [`Run`] has the
//! limits and reports what happens; a [`Schedule`] lets several engines take turns.
//!
//! The crate does not read files or command lines. Other crates check its evidence.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod bmc;
pub mod cfg;
mod engine;
mod exchange;

pub mod interpolation;
pub mod kinduction;
pub mod liveness;
mod minimize;
pub mod pdr;
mod relation;
mod reversal;
mod ring;
mod run;
pub mod schedule;
mod shorten;
pub mod simulation;
pub mod statistics;
mod strengthen;
mod task;
mod unroll;

pub use engine::{Choice, Engine, EngineError};
pub use exchange::{Exchange, Member, Partner};
pub use minimize::minimize;
pub use run::{Effort, Event, QueryAnswer, Recurring, Run, States, Stopped, resident_bytes};
pub use schedule::Schedule;
pub use shorten::shorten;
pub use statistics::Statistics;
pub use task::{BitTask, Finding, Task};
