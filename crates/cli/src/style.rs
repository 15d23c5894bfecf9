//! Colours. They repeat what the words say, so nothing is lost without them.
//!
//! Text contains styles wherever it may be shown on a terminal; [`crate::output`] removes them
//! unless `--color`, the environment and the stream ask for them.

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use clap::builder::Styles;
use elinvar::Summary;

use crate::code;

/// When output is coloured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum When {
    /// On terminals, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is set
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// A verdict that users hope for.
const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A verdict or a message that users have to act on.
const BAD: Style = AnsiColor::Red.on_default().bold();
/// Something between the two.
const OPEN: Style = AnsiColor::Yellow.on_default().bold();
/// A message for information.
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
/// A place in a file.
pub const PLACE: Style = Style::new().underline();
/// Something that is less important than what is around it.
pub const DIM: Style = Style::new().dimmed();
/// The head of a table.
pub const HEAD: Style = Style::new().bold();

/// The styles of help texts and of complaints about the command line.
pub const HELP: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(Style::new())
    .error(BAD)
    .valid(GOOD)
    .invalid(OPEN);

/// Makes all output follow the option.
pub fn choose(when: When) {
    let choice = match when {
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// The same for help and for complaints about the command line.
pub fn of_help(when: When) -> clap::ColorChoice {
    match when {
        When::Auto => clap::ColorChoice::Auto,
        When::Always => clap::ColorChoice::Always,
        When::Never => clap::ColorChoice::Never,
    }
}

/// The value of `--color` in a command line that is not parsed yet: complaints about the
/// command line follow it, too.
pub fn requested(arguments: impl IntoIterator<Item = impl AsRef<str>>) -> When {
    let (mut when, mut is_next) = (When::Auto, false);
    for argument in arguments {
        let argument = argument.as_ref();
        let value = if is_next { Some(argument) } else { argument.strip_prefix("--color=") };
        when = value.and_then(|value| When::from_str(value, false).ok()).unwrap_or(when);
        is_next = argument == "--color";
    }
    when
}

/// The text in a style.
pub fn paint(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

/// The style of a verdict.
pub fn verdict(summary: Summary) -> Style {
    match summary {
        Summary::Safe | Summary::Reached => GOOD,
        Summary::Unsafe | Summary::Unreachable => BAD,
        Summary::Unknown => OPEN,
    }
}

/// The style of a proof that says less than it seems to.
pub fn vacuous() -> Style {
    OPEN
}

/// The styles of the numbers of proved, failing and undecided properties.
pub const COUNTS: [Style; 3] = [GOOD, BAD, OPEN];

/// The word for what became of evidence.
pub fn judgement(code: u8, word: &str) -> String {
    let style = match code {
        code::DONE => GOOD,
        code::REFUSED => BAD,
        _ => OPEN,
    };
    paint(style, word)
}

/// The first line of a report: the first word is the verdict.
pub fn headline(summary: Summary, line: &str) -> String {
    let (word, rest) = line.split_at(line.find([' ', ',', ':', '\n']).unwrap_or(line.len()));
    format!("{}{rest}", paint(verdict(summary), word))
}

/// A message whose first line begins with `error:`, `warning:` or `note:`, perhaps after a place
/// in a file.
pub fn message(text: &str) -> String {
    let end = text.find('\n').unwrap_or(text.len());
    let labels = [("error:", BAD), ("warning:", OPEN), ("note:", NOTE)];
    let found = labels.into_iter().filter_map(|(label, style)| {
        let after_place = || text[..end].find(&format!(": {label} ")).map(|at| at + 2);
        let at = if text.starts_with(label) { Some(0) } else { after_place() };
        at.map(|at| (at, label, style))
    });
    let Some((at, label, style)) = found.min_by_key(|&(at, ..)| at) else {
        return text.to_owned();
    };
    let place = text[..at]
        .strip_suffix(": ")
        .map_or_else(String::new, |place| format!("{}: ", paint(HEAD, place)));
    format!("{place}{}{}", paint(style, label), &text[at + label.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_messages_are_coloured() {
        let red = |text: &str| format!("{BAD}{text}{BAD:#}");
        assert_eq!(message("error: no model"), format!("{} no model", red("error:")));
        let fault = message("a.btor2:3:1: error: no sort\n  | error: x");
        let expected =
            format!("{HEAD}a.btor2:3:1{HEAD:#}: {} no sort\n  | error: x", red("error:"));
        assert_eq!(fault, expected);
        assert!(message("warning: Yosys: x.v:1: error: y").starts_with(&format!("{OPEN}warning:")));
        assert_eq!(message("All is well\nnote: indeed"), "All is well\nnote: indeed");
    }

    #[test]
    fn the_verdict_is_coloured_in_the_first_line() {
        let line = headline(Summary::Safe, "safe, vacuous: x");
        assert_eq!(line, format!("{GOOD}safe{GOOD:#}, vacuous: x"));
        assert_eq!(headline(Summary::Unsafe, "unsafe"), format!("{BAD}unsafe{BAD:#}"));
    }

    #[test]
    fn the_option_is_found_before_the_command_line_is_parsed() {
        assert_eq!(requested(["elinvar", "--color", "never", "check"]), When::Never);
        assert_eq!(requested(["elinvar", "check", "--color=always"]), When::Always);
        assert_eq!(requested(["elinvar", "check", "--color", "purple"]), When::Auto);
    }
}
