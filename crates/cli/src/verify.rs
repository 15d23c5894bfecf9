//! `elinvar verify`: check evidence again, whoever made it.

use std::sync::Arc;

use anyhow::Result;
use elinvar::{Judgement, VerifyOptions};

use crate::input::DesignOptions;
use crate::limits::{self, Resources};
use crate::maps::MapOptions;
use crate::program_options::{DialectOption, SolverOption};
use crate::progress::Progress;
use crate::{code, output, style};

/// Check a witness or a certificate against a model
///
/// The content tells the kind of the evidence: an AIGER or BTOR2 witness,
/// a witness circuit in AIGER or BTOR2, or Elinvar's text certificate; for
/// programs, invariants in text or a run in JSON. The witness of a liveness
/// property ends where its loop closes; verify finds where the loop starts.
/// btorsim does not check such witnesses. Exit codes: 0 accepted,
/// 1 refused, 2 user error, 4 neither accepted nor refused before a limit was
/// reached.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The model, the program, or the source files of a design
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,

    /// The witness or certificate; `-` reads standard input
    evidence: String,

    /// The property that the evidence is about, by name or number [default:
    /// the one that the evidence names, or the only one]
    #[arg(long, value_name = "NAME|INDEX")]
    property: Option<String>,

    #[command(flatten)]
    maps: MapOptions,

    #[command(flatten)]
    dialect: DialectOption,

    #[command(flatten)]
    solvers: SolverOption,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    design: DesignOptions,
}

const AFTER_HELP: &str = "\
Example:
  elinvar check fifo.btor2 --witness w.txt; elinvar verify fifo.btor2 w.txt";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let model = arguments.design.read(&arguments.models, &arguments.resources)?;
    let evidence = Arc::new(output::read(&arguments.evidence)?);
    let options = VerifyOptions {
        property: arguments.property.clone(),
        dialect: arguments.dialect.get(),
        maps: arguments.maps.files(&model)?,
        smt_solvers: arguments.solvers.solvers()?,
        timeout: arguments.resources.timeout,
        memory: arguments.resources.bytes(),
        ..VerifyOptions::default()
    };
    limits::exit_on_interrupt()?;
    let progress = Progress::of_work("checking the evidence", arguments.design.shown(false));
    let judgement = elinvar::verify(&model, &evidence, &options)?;
    drop(progress);
    let (word, text, code) = match judgement {
        Judgement::Accepted(claim) => ("accepted", claim, code::DONE),
        Judgement::Refused(reason) => ("refused", reason, code::REFUSED),
        Judgement::Stopped(reason) => ("not verified", reason, code::STOPPED),
    };
    let word = style::judgement(code, word);
    output::print(&format!("{word}\n{}\n", output::harmless(&text)))?;
    Ok(code)
}
