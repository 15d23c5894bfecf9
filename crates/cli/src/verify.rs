//! `elinvar verify`: check evidence again, whoever made it.

use anyhow::Result;
use elinvar_check::Budget;
use elinvar_formats::model::Model;

use crate::evidence::{self, Evidence};
use crate::load::SourceFile;
use crate::program::DialectOption;
use crate::{code, output, program, properties};

/// Check a witness or a certificate against a model
///
/// The kind of the evidence is told by its content: an AIGER or BTOR2 witness,
/// a witness circuit in AIGER or BTOR2, or Elinvar's text certificate; for
/// programs, invariants in text or a run in JSON. Exit codes: 0 accepted, 1 refused, 2 user error.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The model or the program
    model: String,

    /// The witness or certificate; `-` reads standard input
    evidence: String,

    /// The property that the evidence is about, by name or number [default:
    /// the one that the evidence names, or the only one]
    #[arg(long, value_name = "NAME|INDEX")]
    property: Option<String>,

    #[command(flatten)]
    dialect: DialectOption,
}

const AFTER_HELP: &str = "\
Example:
  elinvar check fifo.btor2 --witness w.txt; elinvar verify fifo.btor2 w.txt";

pub fn run(arguments: &Arguments) -> Result<u8> {
    let source = SourceFile::read(&arguments.model)?;
    let file = SourceFile::read(&arguments.evidence)?;
    if source.is_program() && program::evidence::is_evidence(&file.bytes) {
        return judge_program(arguments, &source, &file);
    }
    // Nothing is solved but what the evidence claims, about the model as it is written.
    let model = source.verbatim_model(arguments.dialect.get())?;
    let property =
        arguments.property.as_deref().map(|p| properties::find(model.system(), p)).transpose()?;
    let evidence = match Evidence::read(&model, &file, property) {
        Err(error) if evidence::is_refusal(&error) => return refuse(&error.to_string()),
        result => result?,
    };
    let simplified = || source.model_in(arguments.dialect.get()).ok().map(Model::into_system);
    match evidence.judge(model.system(), simplified, &Budget::default()) {
        Ok(claim) => {
            output::print(&format!("accepted\n{claim}\n"))?;
            Ok(code::DONE)
        }
        Err(refusal) => refuse(&refusal.to_string()),
    }
}

fn judge_program(arguments: &Arguments, source: &SourceFile, file: &SourceFile) -> Result<u8> {
    let program = source.program(arguments.dialect.get())?.program;
    let chosen = arguments.property.as_deref();
    program::select(&program, chosen)?;
    let evidence = match program::Evidence::read(&program, file, chosen) {
        Ok(evidence) => evidence,
        Err(error) => return refuse(&format!("{error:#}")),
    };
    match program::verify(&program, &evidence)? {
        Ok(claim) => {
            output::print(&format!("accepted\n{claim}\n"))?;
            Ok(code::DONE)
        }
        Err(reason) => refuse(&reason),
    }
}

fn refuse(reason: &str) -> Result<u8> {
    output::print(&format!("refused\n{reason}\n"))?;
    Ok(code::REFUSED)
}
