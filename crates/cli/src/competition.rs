//! `elinvar MODEL CERT.sat CERT.unsat`: the call of the hardware model checking
//! competition. Prints `sat`, `unsat` or `unknown`, and writes the witness or
//! the certificate into the file of that ending.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::CommandFactory;
use elinvar_engines::Choice;
use elinvar_ir::Verdict;

use crate::engine_options::Plan;
use crate::load::{Original, SourceFile};
use crate::proof::Kept;
use crate::session::{Limits, ProofSize, Session};
use crate::{Cli, evidence, output, properties};

/// The arguments, all of them files.
pub struct Call {
    model: String,
    witness: PathBuf,
    certificate: PathBuf,
}

impl Call {
    /// Three arguments, the first of which is an existing file and no subcommand.
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

pub fn run(call: &Call) -> Result<u8> {
    output::expect_folder(&call.witness)?;
    output::expect_folder(&call.certificate)?;
    let session = Session::start(&Limits::default(), true, &Kept::default())?;
    let file = Arc::new(SourceFile::read(&call.model)?);
    let source = Arc::clone(&file);
    let model = Arc::new(session.read(move || source.model())?);
    let chosen = properties::select(model.system(), None)?;
    if chosen.is_empty() {
        bail!("the model has no property to check");
    }
    let plan = Plan::One(Choice::Auto);
    let original = Arc::new(Original::of_file(&file, None));
    let report = session.decide(&model, &original, &chosen, &plan, ProofSize::AsFound)?;
    if let Some(trace) = report.first_trace() {
        output::write_file(&call.witness, &evidence::witness(&model, trace))?;
    } else if let [answer] = &report.answers[..]
        && let Verdict::Safe(certificate) = &answer.verdict
    {
        let path = &call.certificate;
        let file = evidence::certificate(&model, answer.property, certificate, path)?;
        output::write_file(path, &file)?;
    }
    output::print(&format!("{}\n", report.summary().solver_word()))?;
    Ok(report.summary().code())
}
