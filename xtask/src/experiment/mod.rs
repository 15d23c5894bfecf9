//! The experiments of the papers, each a command that prints the paper's table.

mod fifo;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Experiment {
    /// Table 6 of the BTOR paper: k-induction on the equivalence of two FIFOs
    Fifo(fifo::Options),
}

pub fn run(experiment: &Experiment) -> ExitCode {
    match experiment {
        Experiment::Fifo(options) => fifo::run(options),
    }
}
