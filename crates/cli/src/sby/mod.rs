//! `elinvar sby`: takes the place of another engine of SymbiYosys.
//!
//! sby runs an engine as a process and reads the lines that it prints. It inserts the path of
//! the executable into a shell command, so `--rIC3 "elinvar sby"` makes it run Elinvar instead
//! of rIC3. The options that sby adds tell which program it expects and what it asks
//! ([`call`]); this decides which lines it understands ([`protocol`]).
//!
//! sby sends standard error through the same pipe as standard output, so a message must not
//! look like an answer: messages start with `elinvar:`, `error:` or a file name, and nothing
//! is printed within a witness.

mod call;
mod progress;
mod protocol;

use std::sync::Arc;

use anyhow::{Result, bail};
use elinvar::ir::{PropertyId, StopReason, Verdict};
use elinvar::{
    Error, Options, Problem, PropertyKind, PropertyReport, Report, Session, Shortening,
    SystemProblem, Trace, Vacuity,
};

use crate::engine_options::EngineOptions;
use crate::limits::{self, Limits};
use crate::{code, competition, output};

pub use self::call::normalise;

use self::call::{Call, CallOptions, Question, Search};
use self::progress::{BoundLines, StatusLines};
use self::protocol::{Found, Outcome, Protocol};

/// Run as an engine of SymbiYosys (sby)
///
/// sby runs Elinvar in place of one of its own engines when `elinvar sby` is given as the path
/// of that engine, on sby's command line or in an environment variable. The options that sby
/// adds tell Elinvar which engine it replaces. The .sby file stays as it is; options of Elinvar
/// may follow the name of the engine there.
///
/// Every counterexample and every proof is confirmed by the independent checker before it is
/// printed. If the assumptions of the design contradict each other, there is no answer, and sby
/// reports an error. Liveness properties (mode live) are decided in proofs; a search up to a depth
/// does not look at them.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(flatten)]
    call: CallOptions,

    /// Accept assumptions that contradict each other: sby reports PASS for a design that has no
    /// run
    #[arg(long)]
    nopresat: bool,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    engine: EngineOptions,
}

const AFTER_HELP: &str = "\
The engine in the .sby file, sby's option, its environment variable, and the modes:
  aiger rIC3     --rIC3 \"elinvar sby\"     RIC3      prove, bmc
  btor rIC3      --rIC3 \"elinvar sby\"     RIC3      prove, bmc; sby of June 2026 or later
  btor btormc    --btormc \"elinvar sby\"   BTORMC    bmc, cover
  btor pono      --pono \"elinvar sby\"     PONO      bmc
  aiger suprove  --suprove \"elinvar sby\"  SUPROVE   prove, live
  aiger avy      --avy \"elinvar sby\"      AVY       prove
  aiger aigbmc   --aigbmc \"elinvar sby\"   AIGBMC    bmc

Examples:
  sby --rIC3 \"elinvar sby\" fifo.sby
  RIC3=\"elinvar sby\" BTORMC=\"elinvar sby\" make -C formal

Examples of lines in the section [engines]:
  aiger rIC3
  aiger rIC3 --engine kind
  btor rIC3 -j 4 --timeout 600

Exit codes are those that sby expects of the engine, or 2 for a user error, 3 for an internal
error, and 4 if a limit was reached in mode bmc or cover.";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let call = arguments.call.recognise()?;
    let lines = BoundLines::default();
    let session = limits::start(arguments.options(&call, &lines)?)?;
    let source = Arc::new(output::read(&call.model)?);
    let model = session.read(move || SystemProblem::from_source(source))?;
    let protocol = call.protocol(model.model().format())?;
    let safety = model.system().bads().count();
    let liveness = model.system().properties().len() - safety;
    if let Question::Search(search) = call.question {
        output::print(&protocol.announcement(safety, search.last))?;
        lines.open(protocol);
    }
    let (found, outcome) = match (safety, liveness) {
        (0, 0) => {
            output::tell("elinvar: the model has no assertions and no cover statements");
            (Vec::new(), Outcome::Holds)
        }
        (0, _) if matches!(call.question, Question::Search(_)) => {
            (Vec::new(), Outcome::Undecided(LIVENESS.to_owned()))
        }
        (_, _) => arguments.decide(&session, &model, &call)?,
    };
    lines.close();
    answer(protocol, call.question, &found, &outcome)
}

const LIVENESS: &str = "a search up to a depth does not decide liveness properties";

impl Arguments {
    /// The options of the library.
    fn options(&self, call: &Call, lines: &BoundLines) -> Result<Options> {
        let options = self.limits.options();
        Ok(match call.question {
            Question::Prove => Options { method: self.engine.method_for_merged()?, ..options },
            Question::Search(Search { first, last, .. }) => Options {
                method: self.engine.method_within(first, last)?,
                observer: call.shows_progress.then(|| lines.observer()),
                // Steps before the first one do not count.
                shortening: Shortening::Off,
                ..options
            },
        })
    }

    /// The counterexamples, and what is known about the other properties.
    fn decide(
        &self,
        session: &Session,
        model: &SystemProblem,
        call: &Call,
    ) -> Result<(Vec<Found>, Outcome)> {
        let asked = match call.question {
            Question::Search(Search { each: true, .. }) => model.clone(),
            // Liveness properties cannot be merged.
            Question::Prove if has_liveness(model) => model.clone(),
            Question::Prove | Question::Search(_) => competition::question(model)?,
        };
        let status = match call.question {
            Question::Prove if call.shows_progress => Some(StatusLines::start(session)),
            Question::Prove | Question::Search(_) => None,
        };
        let report = session.check(&Problem::System(asked))?;
        drop(status);
        if let Some(bug) = report.bugs.first() {
            return Err(Error::Bug(bug.clone()).into());
        }
        let mut found = found(model, &report)?;
        let mut outcome = outcome(model, &report, call.question);
        if call.question == Question::Prove && !found.is_empty() {
            found.truncate(1);
            outcome = Outcome::Fails;
        }
        if !self.nopresat && found.is_empty() {
            expect_runs(session, model, &report, &outcome, call.question)?;
        }
        Ok((found, outcome))
    }
}

/// The witnesses of the properties that fail.
fn found(model: &SystemProblem, report: &Report) -> Result<Vec<Found>> {
    let mut all = Vec::new();
    for property in &report.properties {
        let Verdict::Unsafe(Trace::System(trace)) = &property.verdict else { continue };
        let is_merged = report.properties.len() == 1 && trace.loop_start.is_none();
        let trace = if is_merged { competition::answered(model, trace)? } else { trace.clone() };
        let number = bad_number(model, trace.property);
        all.push(Found { property: number, depth: trace.depth(), witness: model.witness(&trace) });
    }
    Ok(all)
}

/// The position of a property among the safety properties.
fn bad_number(model: &SystemProblem, property: PropertyId) -> usize {
    model.system().bads().take_while(|&(id, _)| id != property).count()
}

/// What is known about the properties that are not known to fail.
fn outcome(model: &SystemProblem, report: &Report, question: Question) -> Outcome {
    let of_property = |property: &PropertyReport| match (&property.verdict, question) {
        (Verdict::Unsafe(_), _) => Outcome::Fails,
        (Verdict::Safe(_), _) => Outcome::Holds,
        (Verdict::Unknown(StopReason::Bound(bound)), Question::Search(search))
            if *bound >= search.last =>
        {
            Outcome::NotFound
        }
        (Verdict::Unknown(reason), _) => Outcome::Undecided(reason.to_string()),
    };
    // In mode cover, sby's model has cover statements in place of assertions.
    let is_asked = |property: &&PropertyReport| {
        question == Question::Prove || property.kind != PropertyKind::Liveness
    };
    let all = report.properties.iter().filter(is_asked).map(of_property);
    let outcome = all.reduce(Outcome::and).expect("there is a property");
    match (&outcome, question) {
        (Outcome::Holds, Question::Search(_)) if has_liveness(model) => {
            Outcome::Undecided(LIVENESS.to_owned())
        }
        (Outcome::Holds | Outcome::Fails | Outcome::NotFound | Outcome::Undecided(_), _) => outcome,
    }
}

fn has_liveness(model: &SystemProblem) -> bool {
    model.system().bads().count() < model.system().properties().len()
}

/// Fails if the design has no run that is long enough for the answer to mean something. sby's
/// own engine smtbmc reports the same as an error unless it is given --nopresat.
fn expect_runs(
    session: &Session,
    model: &SystemProblem,
    report: &Report,
    outcome: &Outcome,
    question: Question,
) -> Result<()> {
    let mut vacuities = report.properties.iter().filter_map(|property| property.vacuity.as_ref());
    let proved = vacuities.find(|vacuity| vacuity.is_about_assumptions()).cloned();
    let vacuity = match (outcome, question) {
        (Outcome::Holds, _) => proved,
        (Outcome::NotFound, Question::Search(search)) => {
            session.contradiction(model).filter(|found| is_within(found, search.last))
        }
        (Outcome::NotFound, Question::Prove) | (Outcome::Fails | Outcome::Undecided(_), _) => None,
    };
    match (vacuity, question) {
        (None, _) => {}
        // An unreached cover statement is a failure already.
        (Some(vacuity), Question::Search(Search { each: true, .. })) => {
            output::tell(&format!("elinvar: {vacuity}"));
        }
        (Some(vacuity), Question::Prove | Question::Search(_)) => {
            bail!("{vacuity}; --nopresat accepts this")
        }
    }
    Ok(())
}

/// Do all runs end before this step?
fn is_within(vacuity: &Vacuity, last: usize) -> bool {
    match vacuity {
        Vacuity::Contradiction(conflict) => conflict.cycle <= last,
        Vacuity::DeadProcedures(_) | Vacuity::DeadAssumptions(_) => true,
        Vacuity::Antecedent | Vacuity::Unreached => false,
    }
}

/// Prints the answer and returns the exit code.
fn answer(
    protocol: Protocol,
    question: Question,
    found: &[Found],
    outcome: &Outcome,
) -> Result<u8> {
    let mut text: Vec<u8> = found.iter().flat_map(|found| protocol.witness(found)).collect();
    let reason = match outcome {
        Outcome::Undecided(reason) => Some(reason),
        Outcome::Fails | Outcome::Holds | Outcome::NotFound => None,
    };
    // The words that mean "undecided" in mode prove mean PASS in mode bmc.
    let is_answer = reason.is_none() || question == Question::Prove;
    if is_answer {
        text.extend(protocol.conclusion(outcome).into_bytes());
    }
    output::write("-".as_ref(), &text)?;
    // sby keeps what follows the answer of an AIGER engine with the trace.
    if let Some(reason) = reason {
        output::tell(&output::harmless(&format!("elinvar: undecided: {reason}")));
    }
    Ok(if is_answer { protocol.exit_code(outcome) } else { code::STOPPED })
}
