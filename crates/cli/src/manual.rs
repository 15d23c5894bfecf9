//! `elinvar man`: manual pages.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

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
    let root = root();
    match (&arguments.output, &arguments.command) {
        (Some(folder), _) => {
            for command in all(&root) {
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

/// A command with those below it: `elinvar`, `elinvar run`, `elinvar run report`, …
fn all(command: &clap::Command) -> Vec<&clap::Command> {
    std::iter::once(command).chain(command.get_subcommands().flat_map(all)).collect()
}

/// The command line without the command `help`, which needs no page.
fn root() -> clap::Command {
    let without_help = |command: clap::Command| command.disable_help_subcommand(true);
    let mut root = without_help(Cli::command()).mut_subcommands(without_help);
    root.build();
    root
}

/// `elinvar-check`
fn file_stem(command: &clap::Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).replace(' ', "-")
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let name = file_stem(command);
    // A manual page describes all options, also those that the short help leaves out.
    let shown = command.clone().mut_args(|argument| argument.hide_short_help(false));
    let man = Man::new(shown.name(name.clone()).display_name(name.clone()));
    let version = format!("version {}", env!("CARGO_PKG_VERSION"));
    let man = man.title(name).date(version).source("Elinvar").manual("Elinvar Manual");
    let mut page = Vec::new();
    let written = man
        .render_title(&mut page)
        .and_then(|()| man.render_name_section(&mut page))
        .and_then(|()| synopsis(command).to_writer(&mut page))
        .and_then(|()| man.render_description_section(&mut page))
        .and_then(|()| options(&man, command, &mut page))
        .and_then(|()| match command.has_subcommands() {
            true => man.render_subcommands_section(&mut page),
            false => Ok(()),
        })
        .and_then(|()| appendix(command).to_writer(&mut page));
    written.context("cannot write the manual page")?;
    Ok(page)
}

/// The usage in one line, as in the help.
fn synopsis(command: &clap::Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let mut roff = Roff::default();
    roff.control("SH", ["SYNOPSIS"]);
    match usage.strip_prefix(name) {
        Some(rest) => roff.text([bold(name), roman(rest)]),
        None => roff.text([roman(usage)]),
    };
    roff
}

/// The options, with the headings of the help as subsections.
fn options(man: &Man, command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut section = Vec::new();
    man.render_options_section(&mut section)?;
    let mut text = String::from_utf8_lossy(&section).into_owned();
    for heading in command.get_arguments().filter_map(clap::Arg::get_help_heading) {
        let written = |macro_name: &str, heading: &str| {
            let mut roff = Roff::default();
            roff.control(macro_name, [heading]);
            roff.to_roff()
        };
        text = text.replace(&written("SH", &heading.to_uppercase()), &written("SS", heading));
    }
    page.extend(text.into_bytes());
    Ok(())
}

/// What the help does not say, or says at its end.
fn appendix(command: &clap::Command) -> Roff {
    let mut roff = Roff::default();
    section(&mut roff, "EXIT STATUS", exit_codes(command.get_name()));
    if matches!(command.get_name(), "check" | "elinvar") {
        section(&mut roff, "FILES", FILES);
    }
    section(&mut roff, "ENVIRONMENT", ENVIRONMENT);
    if let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        verbatim(&mut roff, &text.to_string());
    }
    roff.control("SH", ["SEE ALSO"]);
    let mut pages: Vec<String> = match command.get_name() {
        "elinvar" => Vec::new(),
        _ => vec!["elinvar".to_owned()],
    };
    pages.extend(related(command.get_name()).iter().map(|name| format!("elinvar-{name}")));
    for (number, page) in pages.iter().enumerate() {
        let end = if number + 1 < pages.len() { "(1)," } else { "(1)" };
        roff.text([bold(page), roman(end)]);
    }
    roff
}

/// A section of terms with their meanings; nothing if there are none.
fn section(roff: &mut Roff, heading: &str, terms: &[(&str, &str)]) {
    if terms.is_empty() {
        return;
    }
    roff.control("SH", [heading]);
    for (term, meaning) in terms {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*meaning)]);
    }
}

/// The end of the help: examples, and whatever else has a heading there.
fn verbatim(roff: &mut Roff, text: &str) {
    let is_heading = |line: &str| !line.starts_with(' ') && line.ends_with(':');
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let (first, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
        if is_heading(first) { (Some(first), rest) } else { (None, paragraph) }
    });
    // The exit codes have a section of their own.
    for (heading, lines) in paragraphs.filter(|(_, lines)| !lines.starts_with("Exit codes")) {
        let heading = heading.map(|heading| heading.trim_end_matches(':').to_uppercase());
        let heading = heading.unwrap_or_else(|| "NOTES".to_owned());
        let heading = if heading == "EXAMPLE" { "EXAMPLES" } else { &heading };
        roff.control("SH", [heading]);
        roff.control("nf", []);
        for line in lines.lines() {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
}

/// The exit codes of a command.
fn exit_codes(command: &str) -> &'static [(&'static str, &'static str)] {
    match command {
        "elinvar" | "check" | "explain" | "peterson" => &[
            ("0", "A property is undecided, and none is known to fail."),
            ("2", "The command line, the model or the program has an error."),
            ("3", "Elinvar has an internal error; no verdict is given."),
            ("10", "An assertion fails, or a cover statement is unreachable."),
            ("20", "All assertions hold, and all cover statements are reached."),
            ("130", "A second interrupt ended the run."),
            ("0 to 4", "With --ci: see that option."),
        ],
        "verify" => &[
            ("0", "The evidence is accepted."),
            ("1", "The evidence is refused."),
            ("2", "The command line or a file has an error."),
            ("4", "A limit was reached before the evidence was accepted or refused."),
        ],
        "pebble" => &[
            ("0", "The optimum was found."),
            ("1", "The optimum was not found."),
            ("2", "The command line or a file has an error."),
            ("3", "Elinvar has an internal error."),
        ],
        "sby" => &[
            ("0 to 20", "As sby expects of the engine."),
            ("2", "The command line or the model has an error."),
            ("3", "Elinvar has an internal error."),
            ("4", "A limit was reached in mode bmc or cover."),
        ],
        _ => &[
            ("0", "The work is done."),
            ("2", "The command line or a file has an error."),
            ("4", "A limit was reached before the work was done."),
        ],
    }
}

/// The commands that a reader of a page may need next.
fn related(command: &str) -> &'static [&'static str] {
    match command {
        "elinvar" => &["check", "verify", "simulate", "convert", "stats", "sby"],
        "check" => &["explain", "verify", "simulate", "convert"],
        "explain" | "verify" | "simulate" | "stats" | "convert" | "sby" => &["check"],
        "pebble" => &["peterson", "check"],
        "peterson" => &["pebble", "check"],
        _ => &[],
    }
}

/// Files that commands read without being asked to.
const FILES: &[(&str, &str)] = &[
    ("elinvar.toml", "What `elinvar check` without a model checks, here or in a folder above."),
    ("MODEL.ywa, MODEL.aim, MODEL.ywb", "Maps of names that Yosys wrote beside the model."),
];

/// Variables that all commands obey.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "If it is set and not empty, output is not coloured unless --color asks for it."),
    ("CLICOLOR_FORCE", "If it is set and not 0, output is coloured also without a terminal."),
    ("TERM", "If it is dumb, output is not coloured, and no line of progress is rewritten."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let root = root();
        let text = |command: &clap::Command| String::from_utf8(page(command).unwrap()).unwrap();
        assert!(text(&root).contains("elinvar\\-check(1)"));
        let check = root.find_subcommand("check").unwrap();
        assert!(text(check).contains("cube\\-probability"), "expert options are described");
        assert!(text(check).contains("do not remember unsatisfiable queries"), "flags as well");
        for section in ["SYNOPSIS", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"] {
            let heading = |line: &str| line.starts_with(".SH") && line.contains(section);
            assert!(text(check).lines().any(heading), "{section}");
        }
        assert!(text(check).contains("\n.SS Trace\n"), "headings are subsections");
    }
}
