//! The experiments of the papers, each a command that prints the paper's table.

mod fifo;
mod ipdr;
mod reuse;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Experiment {
    /// Table 6 of the BTOR paper: k-induction on the equivalence of two FIFOs
    Fifo(fifo::Options),
    /// Figures 6.1 to 6.4 of the thesis on incremental PDR: series of instances, each from
    /// nothing and from what is known of the one before
    Ipdr(ipdr::Options),
    /// How much faster an edited model is proved with the lemmas of the one before
    Reuse(reuse::Options),
}

pub fn run(experiment: &Experiment) -> ExitCode {
    match experiment {
        Experiment::Fifo(options) => fifo::run(options),
        Experiment::Ipdr(options) => ipdr::run(options),
        Experiment::Reuse(options) => reuse::run(options),
    }
}
