//! The options of `check` about engines, for programs that call the library and let users write
//! these options.

use anyhow::{Result, bail};
use clap::Parser;
use elinvar::{Method, SmtSolver};

use crate::engine_options::EngineOptions;
use crate::program_options::ProgramOptions;

/// What decides the properties, as the options say.
#[derive(Debug)]
pub struct Deciders {
    /// The engine.
    pub method: Method,
    /// The solvers that check proofs about programs.
    pub smt_solvers: Vec<SmtSolver>,
}

#[derive(Parser)]
#[command(name = "check")]
struct Words {
    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    programs: ProgramOptions,
}

impl Deciders {
    /// Reads the options of `check` about engines, such as `--engine pdr --ctg 5`.
    ///
    /// ```
    /// let pdr = elinvar_cli::Deciders::parse(["--engine", "pdr"], false, false).unwrap();
    /// assert_eq!(pdr.method.name(), "pdr");
    /// assert!(elinvar_cli::Deciders::parse(["--ctg", "5"], false, false).is_err());
    /// ```
    ///
    /// # Errors
    /// If an option is not one of these, or does not fit the engine or the problem, or if
    /// `needs_lemmas` and the engine produces none that can be kept.
    pub fn parse<'a>(
        words: impl IntoIterator<Item = &'a str>,
        is_program: bool,
        needs_lemmas: bool,
    ) -> Result<Self> {
        let words = std::iter::once("check").chain(words);
        let Words { engine, programs } = Words::try_parse_from(words).map_err(first_line)?;
        let is_for_programs = is_program && engine.is_for_programs();
        if is_for_programs {
            engine.expect_program()?;
        } else if let Some(name) = programs.given() {
            bail!("{name} applies only to programs with --engine cfg");
        }
        if needs_lemmas && is_for_programs {
            bail!("lemmas are kept only of transition systems, not of programs");
        } else if needs_lemmas {
            engine.expect_lemmas("kept lemmas")?;
        }
        let method = match is_for_programs {
            true => Method::Program(programs.options()),
            false => engine.method()?,
        };
        Ok(Deciders { method, smt_solvers: programs.solvers()? })
    }
}

/// What is wrong, without the hints for people at a command line.
fn first_line(error: clap::Error) -> anyhow::Error {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    anyhow::Error::msg(line.strip_prefix("error: ").unwrap_or(line).to_owned())
}
