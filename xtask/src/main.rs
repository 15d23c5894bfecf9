//! Commands for developers: differential fuzzing, models of any size, the experiments of the
//! papers, how the time of a proof grows with the size of a model, and packages.
#![forbid(unsafe_code)]

mod dist;
mod fuzz;
mod generate;
mod growth;
mod limits;
mod store_stress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Commands for developers of Elinvar")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare every engine with explicit-state search on random small systems
    Fuzz(fuzz::Options),
    /// Make an archive of the binary, manual pages and completions, or install them
    Dist(dist::Options),
    /// Write a model of a family, of any size, to a file
    Generate(generate::Options),
    /// Repeat an experiment of a paper
    #[command(subcommand)]
    Experiment(Box<experiments::Experiment>),
    /// Measure how the time for a proof grows with the size of a model
    Growth(growth::Options),
    /// Check that limits of time and memory hold for models of any width and depth
    Limits(limits::Options),
    /// Use a store of proofs from several processes while its files are damaged
    StoreStress(store_stress::Options),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Dist(options) => dist::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Experiment(experiment) => experiments::run(&experiment),
        Command::Growth(options) => growth::run(&options),
        Command::Limits(options) => limits::run(&options),
        Command::StoreStress(options) => store_stress::run(&options),
    }
}
