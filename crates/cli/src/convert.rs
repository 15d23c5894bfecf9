//! `elinvar convert`: from one format to another.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser};
use elinvar::convert::{self, ConvertOptions, Target};
use elinvar::{Problem, Source};

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

fn extensions() -> PossibleValuesParser {
    PossibleValuesParser::new(
        convert::writable()
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
        let options = ConvertOptions {
            property: self.property.clone(),
            set: self.set.clone(),
            memory_limit: self.memory_limit,
            bound: self.bound,
        };
        Ok(convert::convert(&problem, target, &options)?)
    }
}

/// `limit=3`
fn assignment(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.rsplit_once('=').ok_or("not of the form INPUT=VALUE")?;
    let value = value.parse().map_err(|error| format!("`{value}`: {error}"))?;
    Ok((name.to_owned(), value))
}
