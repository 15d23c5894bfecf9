//! Strategies: the options of `elinvar check` that choose an engine, and a time.

use clap::Parser;
use elinvar::campaign::{Settings, Strategy};
use elinvar::{Error, Method, Options};

use super::spec::parse_duration;
use crate::engine_options::EngineOptions;
use crate::program_options::ProgramOptions;

/// The options of a strategy, as a command of their own.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, name = "strategy")]
struct Arguments {
    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    programs: ProgramOptions,

    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// The strategies of a campaign that names none: a short effort for all properties, then a longer
/// one.
pub fn usual() -> Vec<Strategy> {
    let strategy = |name: &str, seconds| Strategy {
        name: name.to_owned(),
        options: Vec::new(),
        timeout: Some(seconds),
    };
    vec![strategy("quick", 2.0), strategy("long", 60.0)]
}

/// A strategy from a word of the command line, such as `pdr 10s` or `long=auto -j 4 5min`: an
/// engine, its options, and the time for a property.
pub fn parse(text: &str) -> Result<Strategy, String> {
    let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '-']);
    let (name, rest) = match text.split_once('=').filter(|(name, _)| is_name(name)) {
        Some((name, rest)) => (name, rest),
        None => (text, text),
    };
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let timeout = words.last().and_then(|word| parse_duration(word));
    // The value of an option may look like a time.
    let before = words.len().checked_sub(2).map(|at| words[at]);
    let timeout = timeout.filter(|_| before.is_none_or(|word| !word.starts_with('-')));
    if timeout.is_some() {
        words.pop();
    }
    let mut options: Vec<String> = Vec::new();
    if let Some(engine) = words.first().filter(|word| !word.starts_with('-')) {
        options.extend(["--engine".to_owned(), (*engine).to_owned()]);
        words.remove(0);
    }
    options.extend(words.into_iter().map(str::to_owned));
    expect(&options)?;
    let timeout = timeout.map(|time| time.as_secs_f64());
    Ok(Strategy { name: name.to_owned(), options, timeout })
}

/// Fails if the options of a strategy are wrong.
pub fn expect(words: &[String]) -> Result<(), String> {
    Arguments::try_parse_from(words).map(drop).map_err(|error| {
        let message = error.to_string();
        let line = message.lines().next().unwrap_or("wrong options");
        line.strip_prefix("error: ").unwrap_or(line).to_owned()
    })
}

/// Turns the options of a strategy into those of the library.
pub struct Words;

impl Settings for Words {
    fn options(&self, words: &[String], is_program: bool) -> Result<Options, Error> {
        let usage = |error: anyhow::Error| Error::Usage(format!("{error:#}"));
        let arguments = Arguments::try_parse_from(words)
            .map_err(|error| Error::Usage(error.to_string().trim().to_owned()))?;
        let Arguments { engine, programs, seed } = arguments;
        let method = if is_program && engine.is_for_programs() {
            engine.expect_program().map_err(usage)?;
            Method::Program(programs.options())
        } else {
            engine.method().map_err(usage)?
        };
        let smt_solvers = programs.solvers().map_err(usage)?;
        Ok(Options { method, seed, smt_solvers, ..Options::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_strategies() {
        let parsed = |text| parse(text).unwrap();
        let strategy = parsed("pdr 10s");
        assert_eq!((strategy.name.as_str(), strategy.timeout), ("pdr 10s", Some(10.0)));
        assert_eq!(strategy.options, ["--engine", "pdr"]);
        let strategy = parsed("deep=bmc --bound 50 2min");
        assert_eq!((strategy.name.as_str(), strategy.timeout), ("deep", Some(120.0)));
        assert_eq!(strategy.options, ["--engine", "bmc", "--bound", "50"]);
        // The last word belongs to the option before it.
        assert_eq!(parsed("bmc --bound 50").timeout, None);
        assert_eq!(parsed("5").options, Vec::<String>::new());
        assert!(parse("magic 3s").unwrap_err().contains("magic"));
        assert!(parse("pdr --no-such-option 3s").is_err());
    }

    #[test]
    fn options_follow_the_kind_of_the_problem() {
        let words = |text: &str| parse(text).unwrap().options;
        assert!(Words.options(&words("pdr 1s"), false).is_ok());
        let program = Words.options(&[], true).unwrap();
        assert!(matches!(program.method, Method::Program(_)));
        // Some options fit only one engine.
        assert!(Words.options(&words("bmc --ctg 3 1s"), false).is_err());
    }
}
