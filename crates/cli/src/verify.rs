//! `elinvar verify`: check evidence again, whoever made it.

use std::time::Instant;

use anyhow::Result;
use elinvar_check::{Budget, Refusal};
use elinvar_ir::StopReason;

use crate::evidence::{self, Evidence};
use crate::load::SourceFile;
use crate::program::{DialectOption, SolverOption};
use crate::session::Resources;
use crate::{code, merged, output, program, properties};

/// Check a witness or a certificate against a model
///
/// The kind of the evidence is told by its content: an AIGER or BTOR2 witness,
/// a witness circuit in AIGER or BTOR2, or Elinvar's text certificate; for
/// programs, invariants in text or a run in JSON. Exit codes: 0 accepted, 1 refused, 2 user error, 4
/// neither accepted nor refused before a limit was reached.
#[derive(clap::Args, Clone)]
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

    #[command(flatten)]
    solvers: SolverOption,

    #[command(flatten)]
    resources: Resources,
}

const AFTER_HELP: &str = "\
Example:
  elinvar check fifo.btor2 --witness w.txt; elinvar verify fifo.btor2 w.txt";

pub fn run(arguments: &Arguments) -> Result<u8> {
    let supervisor = arguments.resources.supervisor();
    let budget = Budget { deadline: supervisor.deadline(), ..Budget::default() };
    let work = arguments.clone();
    let judgement = match supervisor.watch(move || work.judge(&budget)) {
        Ok(judgement) => judgement?,
        Err(reason) => Judgement::Stopped(reason.to_string()),
    };
    let (word, text, code) = match &judgement {
        Judgement::Accepted(claim) => ("accepted", claim, code::DONE),
        Judgement::Refused(reason) => ("refused", reason, code::REFUSED),
        Judgement::Stopped(reason) => ("not verified", reason, code::STOPPED),
    };
    output::print(&format!("{word}\n{}\n", output::harmless(text)))?;
    Ok(code)
}

/// What the checker says about the evidence.
enum Judgement {
    /// With what it shows.
    Accepted(String),
    Refused(String),
    /// It was neither accepted nor refused before a limit was reached.
    Stopped(String),
}

impl Arguments {
    fn judge(&self, budget: &Budget) -> Result<Judgement> {
        let source = SourceFile::read(&self.model)?;
        let file = SourceFile::read(&self.evidence)?;
        if source.is_program() && program::evidence::is_evidence(&file.bytes) {
            return self.judge_program(&source, &file, budget);
        }
        // The evidence is judged about the model as it is written.
        let dialect = self.dialect.get();
        let model = source.verbatim_model(dialect)?;
        let property = self.property.as_deref();
        let about_all = evidence::is_about_all(&model, &file, property);
        let of_evidence = |model| if about_all { merged::model(model) } else { model };
        let model = of_evidence(model);
        let property = property.map(|p| properties::find(model.system(), p)).transpose()?;
        let evidence = match Evidence::read(&model, &file, property) {
            Err(error) if evidence::is_refusal(&error) => {
                return Ok(Judgement::Refused(error.to_string()));
            }
            result => result?,
        };
        let simplified = || Some(of_evidence(source.model_in(dialect).ok()?).into_system());
        Ok(match evidence.judge(model.system(), simplified, budget) {
            Ok(claim) => Judgement::Accepted(claim),
            Err(Refusal::OutOfBudget) if has_passed(budget) => timed_out(),
            Err(refusal @ Refusal::OutOfBudget) => Judgement::Stopped(refusal.to_string()),
            Err(refusal) => Judgement::Refused(refusal.to_string()),
        })
    }

    fn judge_program(
        &self,
        source: &SourceFile,
        file: &SourceFile,
        budget: &Budget,
    ) -> Result<Judgement> {
        // The evidence is judged about the program as it is written.
        let reading = source.program(self.dialect.get())?;
        let program = program::original(&reading, &source.bytes)?;
        let solvers = self.solvers.solvers()?;
        let chosen = self.property.as_deref();
        program::select(&program, chosen)?;
        let evidence = match program::Evidence::read(&program, file, chosen) {
            Ok(evidence) => evidence,
            Err(error) => return Ok(Judgement::Refused(format!("{error:#}"))),
        };
        Ok(match program::verify(&program, &evidence, &solvers, budget)? {
            Ok(claim) => Judgement::Accepted(claim),
            // A check that had too little time says nothing about the evidence.
            Err(_) if has_passed(budget) => timed_out(),
            Err(reason) => Judgement::Refused(reason),
        })
    }
}

fn has_passed(budget: &Budget) -> bool {
    budget.deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

fn timed_out() -> Judgement {
    Judgement::Stopped(StopReason::Timeout.to_string())
}
