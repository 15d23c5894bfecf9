//! The experiments of the papers, each a command that prints the tables of its paper, and the
//! comparison of tools on any list of models.
//!
//! `harness` runs a list of settings on a list of instances, keeps every run in a file so
//! that an interrupted experiment can go on, and prints tables and writes a page. An
//! experiment that fits this form (`avy`, `programs`, `words`) is a description: its
//! settings, what a run measures, and its tables and figures. The others measure in their own
//! way and share lists, processes, tables, plots and pages.
#![forbid(unsafe_code)]

mod avy;
mod compare;
mod fifo;
pub mod harness;
mod ipdr;
mod programs;
mod reuse;
mod words;

use std::process::ExitCode;

use clap::Subcommand;
pub use elinvar::plot;

/// An experiment with its options.
#[derive(Subcommand)]
pub enum Experiment {
    /// Tables 1 and 2 and Figure 1 of the AVY paper: interpolation, PDR, and both together
    Avy(avy::Options),
    /// Tools on a list of models: what each solves by when, what only others solve and why, and
    /// how much depends on the seed
    Compare(compare::Options),
    /// Table 6 of the BTOR paper: k-induction on the equivalence of two FIFOs
    Fifo(fifo::Options),
    /// Figures 6.1 to 6.4 of the thesis on incremental PDR: series of instances, each solved
    /// from scratch and with the lemmas of the one before
    Ipdr(ipdr::Options),
    /// Table 5.1 of the thesis on PDR for software: solved programs by category, with and
    /// without each technique, and for Spacer
    Programs(programs::Options),
    /// How much faster an edited model is proved with the lemmas of the original
    Reuse(reuse::Options),
    /// Shares of one processor for engines whose times alone are known, for the default
    Shares(compare::shares::Options),
    /// The order of tools that covers most models of a comparison, for the table of the race
    Slots(compare::slots::Options),
    /// Figures 6 to 9 of the paper on PDR for words: cubes, polytopes and simulations
    Words(words::Options),
}

/// Runs an experiment and prints its results. The exit code is 0 if all verdicts are right,
/// 1 if one is wrong, and 2 if the experiment could not be run.
pub fn run(experiment: &Experiment) -> ExitCode {
    match experiment {
        Experiment::Avy(options) => avy::run(options),
        Experiment::Compare(options) => compare::run(options),
        Experiment::Fifo(options) => fifo::run(options),
        Experiment::Ipdr(options) => ipdr::run(options),
        Experiment::Programs(options) => programs::run(options),
        Experiment::Reuse(options) => reuse::run(options),
        Experiment::Shares(options) => compare::shares::run(options),
        Experiment::Slots(options) => compare::slots::run(options),
        Experiment::Words(options) => words::run(options),
    }
}
