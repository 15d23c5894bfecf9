//! `elinvar run`: many properties of many models, with several workers.

mod dashboard;
mod report;

use anyhow::Result;

/// Decide many properties of many models, with several workers
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: RunCommand,
}

#[derive(clap::Subcommand)]
enum RunCommand {
    Report(report::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    match &arguments.command {
        RunCommand::Report(arguments) => report::run(arguments),
    }
}
