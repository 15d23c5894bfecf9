//! `elinvar completions`: scripts that teach shells the options.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::{Cli, code, output};

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  elinvar completions bash > ~/.local/share/bash-completion/completions/elinvar"
)]
pub struct Arguments {
    /// The shell to write the script for
    shell: Shell,
}

pub fn run(arguments: &Arguments) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "elinvar", &mut script);
    output::write("-".as_ref(), &script)?;
    Ok(code::DONE)
}
