//! `elinvar MODEL CERT.sat CERT.unsat`: the call of the hardware model checking
//! competition. Prints `sat`, `unsat` or `unknown`, and writes the witness or
//! the certificate into the file of that ending.
//!
//! A model with several properties is asked one question, as in the competition: is any
//! bad state reachable? It is answered for the disjunction of all of them, so that one
//! certificate is about them all. A single liveness property is decided as well. Files of an
//! earlier run are removed at the start.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::CommandFactory;
use elinvar::ir::{self, Verdict};
use elinvar::{Error, Options, Problem, Proof, Report, Shortening, Summary, SystemProblem, Trace};

use crate::{Cli, limits, output, report};

/// The arguments, all of them files.
pub struct Call {
    model: String,
    witness: PathBuf,
    certificate: PathBuf,
}

impl Call {
    /// Three arguments, the first of which is an existing file and not a subcommand.
    pub fn recognise(arguments: impl Iterator<Item = OsString>) -> Result<Option<Self>> {
        let arguments: Vec<OsString> = arguments.collect();
        let Some(model) = arguments.first().and_then(|first| first.to_str()) else {
            return Ok(None);
        };
        let is_subcommand = model == "help" || Cli::command().find_subcommand(model).is_some();
        if is_subcommand || !Path::new(model).is_file() {
            return Ok(None);
        }
        match &arguments[..] {
            [_, witness, certificate] => {
                let (witness, certificate) = (witness.into(), certificate.into());
                Ok(Some(Call { model: model.to_owned(), witness, certificate }))
            }
            _ => bail!("{model} is a file: say `elinvar check {model}` to check it"),
        }
    }
}

/// Answers the call.
pub fn run(call: &Call) -> Result<u8> {
    for path in [&call.witness, &call.certificate] {
        output::expect_writable(path)?;
    }
    let outputs = [call.witness.as_path(), call.certificate.as_path()];
    output::expect_distinct([Path::new(&call.model)], outputs)?;
    // An error in the model or a crash must not leave the answer of another run.
    elinvar::files::remove(&call.witness)?;
    elinvar::files::remove(&call.certificate)?;
    let session = limits::start(Options { shortening: Shortening::Off, ..Options::default() })?;
    let source = Arc::new(output::read(&call.model)?);
    let model = session.read(move || SystemProblem::from_source(source))?;
    let asked = question(&model)?;
    let report = session.check(&Problem::System(asked.clone()))?;
    let summary = write(call, &model, &asked, &report)?;
    report::finish(&report, false)?;
    output::print(&format!("{}\n", summary.solver_word()))?;
    Ok(summary.exit_code())
}

/// The model with one property, which stands for all of its safety properties.
pub fn question(model: &SystemProblem) -> Result<SystemProblem> {
    match model.system().properties() {
        [] => bail!("the model has no property to check"),
        [_] => Ok(model.clone()),
        [_, _, ..] => Ok(model.merged()),
    }
}

/// A counterexample to the one property of [`question`] as one to the property of the model
/// that fails.
pub fn answered(model: &SystemProblem, trace: &ir::Trace) -> Result<ir::Trace> {
    elinvar::split_merged(model.system(), trace)
        .map_err(|refusal| Error::Bug(format!("the counterexample is refused: {refusal}")).into())
}

/// Writes the evidence about the one property of `asked`: the only one of `model`, or one that
/// stands for all of its safety properties.
fn write(
    call: &Call,
    model: &SystemProblem,
    asked: &SystemProblem,
    report: &Report,
) -> Result<Summary> {
    let property = &report.properties[0];
    let properties = model.system().properties().len();
    let several = properties > 1;
    match &property.verdict {
        Verdict::Unsafe(Trace::System(trace)) => {
            let trace = answered(model, trace)?;
            output::write(&call.witness, &model.witness(&trace))?;
        }
        // Of several properties, only those of safety were asked about.
        Verdict::Safe(_) if several && model.system().bads().count() < properties => {
            return Ok(Summary::Unknown);
        }
        Verdict::Safe(Proof::Certificate(proof)) => {
            let file = asked.certificate(property.id, proof, &call.certificate)?;
            output::write(&call.certificate, &file)?;
        }
        Verdict::Unsafe(Trace::Program(_)) | Verdict::Safe(Proof::Invariants(_)) => {
            unreachable!("the model is a transition system")
        }
        Verdict::Unknown(_) => {}
    }
    Ok(report.summary())
}
