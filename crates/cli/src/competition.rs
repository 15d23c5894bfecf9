//! `elinvar MODEL CERT.sat CERT.unsat`: the call of the hardware model checking
//! competition. Prints `sat`, `unsat` or `unknown`, and writes the witness or
//! the certificate into the file of that ending.
//!
//! A model with several properties is asked one question, as in the competition: is any
//! bad state reachable? It is answered for the disjunction of all of them, so that one
//! certificate is about them all. Files of an earlier run are removed at the start.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::CommandFactory;
use elinvar_engines::Choice;
use elinvar_formats::model::Model;
use elinvar_ir::{PropertyId, Verdict};

use crate::engine_options::Plan;
use crate::failure::Bug;
use crate::load::{Original, SourceFile};
use crate::proof::Kept;
use crate::report::Summary;
use crate::session::{Limits, ProofSize, Session};
use crate::{Cli, evidence, merged, output, properties};

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
    for path in [&call.witness, &call.certificate] {
        output::expect_writable(path)?;
    }
    let outputs = [call.witness.as_path(), call.certificate.as_path()];
    output::expect_distinct([Path::new(&call.model)], outputs)?;
    // An error in the model or a crash must not leave the answer of another run.
    output::remove_file(&call.witness)?;
    output::remove_file(&call.certificate)?;
    let session = Session::start(&Limits::default(), true, &Kept::default())?;
    let file = Arc::new(SourceFile::read(&call.model)?);
    let source = Arc::clone(&file);
    let model = Arc::new(session.read(move || source.model())?);
    let chosen = properties::select(model.system(), None)?;
    if chosen.is_empty() {
        bail!("the model has no property to check");
    }
    let summary = if chosen.len() == 1 {
        let original = Arc::new(Original::of_file(&file, None));
        decide(call, &session, &model, &model, &original)?
    } else {
        let merged = Arc::new(merged::model(Model::clone(&model)));
        decide(call, &session, &model, &merged, &Arc::new(Original::merged(&file)))?
    };
    output::print(&format!("{}\n", summary.solver_word()))?;
    Ok(summary.code())
}

/// Answers the question about the one property of `asked`, which are all of the safety
/// properties of `model`, and writes the evidence.
fn decide(
    call: &Call,
    session: &Session,
    model: &Model,
    asked: &Arc<Model>,
    original: &Arc<Original>,
) -> Result<Summary> {
    let plan = Plan::One(Choice::Auto);
    let report = session.decide(asked, original, &[PropertyId(0)], &plan, ProofSize::AsFound)?;
    match &report.answers[0].verdict {
        Verdict::Unsafe(trace) => {
            let trace = merged::split(model.system(), trace)
                .map_err(|refusal| Bug(format!("the counterexample is refused: {refusal}")))?;
            output::write_file(&call.witness, &evidence::witness(model, &trace))?;
        }
        // Liveness is not decided.
        Verdict::Safe(_) if model.system().bads().count() < model.system().properties().len() => {
            return Ok(Summary::Unknown);
        }
        Verdict::Safe(proof) => {
            let path = &call.certificate;
            let file = evidence::certificate(asked, PropertyId(0), proof, path)?;
            output::write_file(path, &file)?;
        }
        Verdict::Unknown(_) => {}
    }
    Ok(report.summary())
}
