//! Campaigns: many properties of many models, decided by many processes.
//!
//! A campaign is a folder. Its plan (`campaign.json`, see [`Plan`]) says which models, which
//! properties and which strategies there are, and divides the work into tasks. Each worker
//! appends what it finds to a log of its own (`log/WORKER.jsonl`, see [`Line`]), and
//! [`Results`] merges the logs. Nothing in the folder is trusted as a verdict: evidence is
//! checked by the worker that reports it, about the model as it was written.

mod log;
mod plan;
pub mod report;
mod results;
mod view;

pub use log::{
    Begin, End, Follower, Line, LogWriter, Outcome, PropertyLine, Source, Start, cpu_seconds, now,
    peak_memory,
};
pub use plan::{
    Limits, Plan, PlannedModel, PlannedProperty, PlannedTask, SCHEMA, Strategy, TaskId,
};
pub use results::{PropertyResult, Results, TaskState, Totals};
pub use view::View;
