//! The experiments of the papers, each a command that prints the paper's table.

mod avy;
mod csv;
mod fifo;
mod ipdr;
mod log;
mod outcome;
mod page;
mod programs;
mod reuse;
mod scatter;
mod share;
mod statistics;
mod table;
mod words;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Experiment {
    /// Tables 1 and 2 and Figure 1 of the AVY paper: interpolation, PDR, and both together
    Avy(avy::Options),
    /// Table 6 of the BTOR paper: k-induction on the equivalence of two FIFOs
    Fifo(fifo::Options),
    /// Figures 6.1 to 6.4 of the thesis on incremental PDR: series of instances, each from
    /// nothing and from what is known of the one before
    Ipdr(ipdr::Options),
    /// Table 5.1 of the thesis on PDR for software: solved programs by category, for each
    /// technique with and without it, and for Spacer
    Programs(programs::Options),
    /// How much faster an edited model is proved with the lemmas of the one before
    Reuse(reuse::Options),
    /// Figures 6 to 9 of the paper on PDR for words: cubes, polytopes and simulations
    Words(words::Options),
}

pub fn run(experiment: &Experiment) -> ExitCode {
    match experiment {
        Experiment::Avy(options) => avy::run(options),
        Experiment::Fifo(options) => fifo::run(options),
        Experiment::Ipdr(options) => ipdr::run(options),
        Experiment::Programs(options) => programs::run(options),
        Experiment::Reuse(options) => reuse::run(options),
        Experiment::Words(options) => words::run(options),
    }
}
