//! `elinvar convert`: from one format to another.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use elinvar::Problem;
use elinvar_formats::aiger::{self, Encoding};
use elinvar_formats::{btor, btor2, dot, horn, smtlib};
use elinvar_ir::{PropertyId, TransitionSystem};
use elinvar_transform::{bitblast, with_input};

use crate::limits::Resources;
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
    /// The model or the program; `-` reads standard input
    input: String,

    /// The file to write; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// The format to write [default: by the ending of FILE]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Target>,

    /// Keep only this property, given by name or number
    #[arg(long, value_name = "NAME|INDEX")]
    property: Option<String>,

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
}

const AFTER_HELP: &str = "\
Examples:
  elinvar convert fifo.btor2 -o fifo.aig
  elinvar convert fifo.btor2 -o fifo.smt2 --bound 20 --property full
  elinvar convert counter.aag -o - --format dot | dot -Tsvg > counter.svg
  elinvar convert sort.bpl -o sort.smt2 && z3 sort.smt2        sat: safe, unsat: unsafe";

/// The formats that can be written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// AIGER, ASCII
    Aag,
    /// AIGER, binary
    Aig,
    /// BTOR
    Btor,
    /// BTOR2
    Btor2,
    /// An unrolling in SMT-LIB 2, or a program's Horn clauses
    Smt2,
    /// A graph for Graphviz
    Dot,
}

pub fn run(arguments: &Arguments) -> Result<u8> {
    let target = match arguments.format {
        Some(target) => target,
        None => Target::of_ending(&arguments.output)?,
    };
    output::expect_writable(&arguments.output)?;
    output::expect_distinct([Path::new(&arguments.input)], [arguments.output.as_path()])?;
    let work = arguments.clone();
    let bytes = arguments.resources.watch(move || work.convert(target))?;
    output::write(&arguments.output, &bytes)?;
    Ok(code::DONE)
}

impl Arguments {
    fn convert(&self, target: Target) -> Result<Vec<u8>> {
        let source = Arc::new(output::read(&self.input)?);
        let problem = Problem::from_source(source, self.dialect.get())?;
        if let (Problem::Program(program), Target::Smt2) = (&problem, target) {
            if !self.set.is_empty() {
                bail!("--set applies only to transition systems, not to programs");
            }
            let properties = problem.select(self.property.as_deref())?;
            return Ok(horn::write(program.program(), &properties).into_bytes());
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
        let bits = |encoding| -> Result<Vec<u8>> {
            let help = "--memory-limit sets how large a memory may be";
            let blasted = bitblast(system, self.memory_limit);
            let (system, _) = blasted.map_err(|error| anyhow!("{error}\n  help: {help}"))?;
            Ok(aiger::write(&system, encoding)?)
        };
        Ok(match target {
            Target::Aag => bits(Encoding::Ascii)?,
            Target::Aig => bits(Encoding::Binary)?,
            Target::Btor => btor::write(system)?,
            Target::Btor2 => btor2::write(system)?,
            Target::Dot => dot::write(system).into_bytes(),
            Target::Smt2 => self.unroll(system)?.into_bytes(),
        })
    }

    fn unroll(&self, system: &TransitionSystem) -> Result<String> {
        let mut bads = system.bads().map(|(id, _)| id);
        let (Some(property), None) = (bads.next(), bads.next()) else {
            bail!("an SMT-LIB script holds one safety property; choose it with --property");
        };
        Ok(smtlib::write_unrolling(system, property, self.bound).expect("a safety property"))
    }
}

/// `limit=3`
fn assignment(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.rsplit_once('=').ok_or("not of the form INPUT=VALUE")?;
    let value = value.parse().map_err(|error| format!("`{value}`: {error}"))?;
    Ok((name.to_owned(), value))
}

impl Target {
    fn of_ending(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let target = Target::from_str(ending, true).ok();
        target.with_context(|| {
            format!(
                "cannot tell the format of {} by its ending; write to .aag, .aig, .btor, .btor2, \
                 .smt2 or .dot, or give --format",
                path.display()
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
        assert_eq!(Target::of_ending("a/b.AIG".as_ref()).unwrap(), Target::Aig);
        assert!(Target::of_ending("b".as_ref()).is_err());
        assert!(Target::of_ending("-".as_ref()).is_err());
    }
}
