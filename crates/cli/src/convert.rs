//! `elinvar convert`: from one format to another.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};
use elinvar::{Problem, Source};
use elinvar_formats::aiger::Encoding;
use elinvar_formats::{Format, ProblemKind, WriteError, WriteOptions};
use elinvar_ir::{PropertyId, TransitionSystem};
use elinvar_transform::{bitblast, with_input};

use crate::input::DesignOptions;
use crate::limits::Resources;
use crate::ltl::LtlOptions;
use crate::program_options::DialectOption;
use crate::{code, output};

/// Translate a model into another format
///
/// The format of the output follows the ending of its name. Words become bits
/// where the format has only bits; memories are expanded then. A program in Boogie
/// becomes Horn clauses in SMT-LIB 2, or a transition system if its variables are
/// of type bool or bit-vectors.
///
/// Exit codes: 0 done, 2 user error, 4 a limit was reached first.
#[derive(clap::Args, Clone)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The model, the program, or the source files of a design; `-` reads standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// The file to write; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// The format to write [default: by the ending of FILE]
    #[arg(long, value_name = "FORMAT", value_parser = extensions())]
    format: Option<String>,

    /// Keep only this property, given by name or number
    #[arg(long, value_name = "NAME|INDEX")]
    property: Option<String>,

    #[command(flatten)]
    ltl: LtlOptions,

    /// Put a number in place of an input
    #[arg(long, value_name = "INPUT=VALUE", value_parser = assignment)]
    set: Vec<(String, u64)>,

    /// aag, aig: expand memories of at most this many bits
    #[arg(long, value_name = "BITS", default_value_t = 1 << 16)]
    memory_limit: u64,

    /// smt2: unroll this many steps
    #[arg(long, value_name = "K", default_value_t = 10)]
    bound: usize,

    #[command(flatten)]
    dialect: DialectOption,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    design: DesignOptions,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar convert fifo.btor2 -o fifo.aig
  elinvar convert fifo.sv --top fifo -o fifo.btor2
  elinvar convert fifo.btor2 -o fifo.smt2 --bound 20 --property full
  elinvar convert arbiter.aag --ltl 'G (req -> F gnt)' -o monitored.aig
  elinvar convert counter.aag -o - --format dot | dot -Tsvg > counter.svg
  elinvar convert sort.bpl -o sort.smt2 && z3 sort.smt2        sat: safe, unsat: unsafe";

/// A format that can be written, with the encoding that an extension stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Target {
    format: Format,
    encoding: Encoding,
}

/// The extensions of formats that can be written, each with what the format is.
fn writable() -> impl Iterator<Item = (&'static str, Format)> {
    let formats = Format::ALL.into_iter().filter(|format| !format.writes().is_empty());
    formats.flat_map(|format| format.extensions().iter().map(move |&extension| (extension, format)))
}

fn extensions() -> PossibleValuesParser {
    PossibleValuesParser::new(
        writable()
            .map(|(extension, format)| PossibleValue::new(extension).help(format.description())),
    )
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let target = match &arguments.format {
        Some(extension) => Target::of_extension(extension).expect("clap accepts no others"),
        None => Target::of_file(&arguments.output)?,
    };
    output::expect_writable(&arguments.output)?;
    let inputs = arguments.inputs.iter().map(Path::new);
    output::expect_distinct(inputs, [arguments.output.as_path()])?;
    let (work, source) =
        (arguments.clone(), arguments.design.read(&arguments.inputs, &arguments.resources)?);
    let shown = arguments.design.shown(false);
    let work = move || work.convert(source, target);
    let bytes = arguments.resources.watch("translating", shown, work)?;
    output::write(&arguments.output, &bytes)?;
    Ok(code::DONE)
}

impl Arguments {
    fn convert(&self, source: Arc<Source>, target: Target) -> Result<Vec<u8>> {
        let problem = self.ltl.apply(Problem::from_source(source, self.dialect.get())?)?;
        if let Problem::Program(program) = &problem
            && target.format.writes().contains(&ProblemKind::Program)
        {
            if !self.set.is_empty() {
                bail!("--set applies only to transition systems, not to programs");
            }
            let properties = problem.select(self.property.as_slice())?;
            return Ok(target.format.write_program(program.program(), &properties)?);
        }
        let mut system = problem.as_system()?.system().clone();
        if let Some(text) = &self.property {
            system = restrict(system, problem.find(text)?);
        }
        for (input, value) in &self.set {
            system = with_input(&system, input, *value)?;
        }
        self.translate(&system, target)
    }

    fn translate(&self, system: &TransitionSystem, target: Target) -> Result<Vec<u8>> {
        let Target { format, encoding } = target;
        let options = WriteOptions { encoding, bound: self.bound, property: None };
        let write = |system: &TransitionSystem| {
            format.write_model(system, &options).map_err(|error| match error {
                WriteError::NotOneProperty(_) => {
                    anyhow!(
                        "an SMT-LIB script holds one safety property; choose it with --property"
                    )
                }
                error => error.into(),
            })
        };
        if format.has_words() {
            return write(system);
        }
        let help = "--memory-limit sets how large a memory may be";
        let blasted = bitblast(system, self.memory_limit);
        let (system, _) = blasted.map_err(|error| anyhow!("{error}\n  help: {help}"))?;
        write(&system)
    }
}

/// `limit=3`
fn assignment(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.rsplit_once('=').ok_or("not of the form INPUT=VALUE")?;
    let value = value.parse().map_err(|error| format!("`{value}`: {error}"))?;
    Ok((name.to_owned(), value))
}

impl Target {
    fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let (_, format) = writable().find(|&(known, _)| known == extension)?;
        let encoding = if extension == "aig" { Encoding::Binary } else { Encoding::Ascii };
        Some(Target { format, encoding })
    }

    fn of_file(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        Self::of_extension(extension).with_context(|| {
            let known: Vec<String> = writable().map(|(known, _)| format!(".{known}")).collect();
            let (last, others) = known.split_last().expect("some formats are written");
            format!(
                "cannot tell the format of {} by its ending; write to {} or {last}, or give \
                 --format",
                path.display(),
                others.join(", ")
            )
        })
    }
}

/// The same system with one of its properties.
fn restrict(system: TransitionSystem, property: PropertyId) -> TransitionSystem {
    let mut builder = system.into_builder();
    builder.properties = vec![builder.properties.swap_remove(property.0)];
    builder.finish().expect("still well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_the_format() {
        let binary = Target { format: Format::Aiger, encoding: Encoding::Binary };
        assert_eq!(Target::of_file("a/b.AIG".as_ref()).unwrap(), binary);
        assert!(Target::of_file("b".as_ref()).is_err());
        assert!(Target::of_file("b.bpl".as_ref()).is_err());
        assert!(Target::of_file("-".as_ref()).is_err());
    }
}
