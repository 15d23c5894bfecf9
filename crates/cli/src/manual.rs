//! `elinvar man`: manual pages.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use clap_mangen::Man;

use crate::{Cli, code, output};

/// Print a manual page, or write all of them to a folder
///
/// Exit codes: 0 done, 2 user error.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The command to describe [default: elinvar itself]
    command: Option<String>,

    /// Write the pages of all commands to this folder: elinvar.1, elinvar-check.1, …
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar man check | man -l -
  elinvar man --output /usr/local/share/man/man1";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let mut root = Cli::command();
    root.build();
    match (&arguments.output, &arguments.command) {
        (Some(folder), _) => {
            for command in std::iter::once(&root).chain(root.get_subcommands()) {
                let path = folder.join(format!("{}.1", file_stem(command)));
                output::write(&path, &page(command)?)?;
            }
        }
        (None, None) => output::write("-".as_ref(), &page(&root)?)?,
        (None, Some(name)) => match root.find_subcommand(name) {
            Some(command) => output::write("-".as_ref(), &page(command)?)?,
            None => bail!("there is no command {name}; see elinvar --help"),
        },
    }
    Ok(code::DONE)
}

/// `elinvar-check`
fn file_stem(command: &clap::Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).replace(' ', "-")
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let named = command.clone().name(file_stem(command));
    Man::new(named).render(&mut page).context("cannot write the manual page")?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let mut root = Cli::command();
        root.build();
        let text = |command: &clap::Command| String::from_utf8(page(command).unwrap()).unwrap();
        assert!(text(&root).contains("elinvar\\-check(1)"));
        let check = root.find_subcommand("check").unwrap();
        assert!(text(check).contains("cube\\-probability"), "expert options are described");
    }
}
