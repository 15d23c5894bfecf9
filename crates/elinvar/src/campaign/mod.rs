//! Campaigns: many properties of many models, decided by many processes.
//!
//! A campaign is a folder. Its plan (`campaign.json`, see [`Plan`]) says which models, which
//! properties and which strategies there are, and divides the work into tasks. Workers claim tasks
//! (`claims/`), decide their properties ([`work`]) and append what they find to logs of their own
//! (`log/WORKER.jsonl`, see [`Line`]); [`Results`] merges the logs. Evidence is in `evidence/`.
//!
//! Nothing in the folder is trusted as a verdict: evidence is checked by the worker that reports
//! it, about the model as it was written. A worker that is killed loses the task that it works on
//! and nothing else: a later one repeats the part of the task that has no lines in the log.

mod alone;
mod assume;
mod claims;
mod decide;
mod formula;
mod group;
mod log;
mod plan;
mod planning;
mod record;
pub mod report;
mod results;
mod strategy;
mod view;
mod worker;

pub use log::{
    Begin, End, Follower, Line, LogWriter, Outcome, PropertyLine, Source, Start, cpu_seconds, now,
    peak_memory,
};
pub use plan::{
    Limits, Plan, PlannedModel, PlannedProperty, PlannedTask, SCHEMA, Strategy, TaskId,
};
pub use planning::Order;
pub use results::{PropertyResult, Results, TaskState, Totals};
pub use view::View;
pub use worker::{Ending, Settings, Workplace, release_abandoned, work};
