//! `elinvar peterson`: mutual exclusion by Peterson's algorithm, for any number of
//! processes, with or without a limit to the switches between them.

use anyhow::Result;
use elinvar::{Families, Method, Options, Problem, SystemProblem};
use elinvar_engines::Choice;
use elinvar_engines::pdr::PdrOptions;
use elinvar_ir::PropertyId;
use elinvar_models::families::{Switches, peterson, peterson_with_bug};

use crate::family::{self, FamilyOutput, SearchName};
use crate::limits::{self, Limits};
use crate::trace_options::TraceOptions;
use crate::{output, report};

/// Prove mutual exclusion by Peterson's algorithm for some number of processes
///
/// Without a limit the proof is about all runs. With --switches the runs are those in
/// which another process is chosen at most so many times: all limits up to the given
/// one are decided one after the other, each from the lemmas of the one before.
///
/// Exit codes are those of `elinvar check`: 20 safe, 10 unsafe, 0 unknown.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The number of processes
    #[arg(long, short, value_name = "P", default_value_t = 2)]
    processes: u32,

    /// Decide the runs with at most 0, 1, …, L switches between processes
    #[arg(long, short, value_name = "L")]
    switches: Option<u32>,

    /// With --switches: in which order limits are tried, and what is kept between them
    /// [default: relax]
    #[arg(long, value_enum, value_name = "NAME", requires = "switches")]
    strategy: Option<SearchName>,

    /// Let processes enter one level too early: mutual exclusion fails
    #[arg(long)]
    bug: bool,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    output: FamilyOutput,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar peterson --processes 4
  elinvar peterson --processes 3 --switches 4
  elinvar peterson --processes 3 --switches 4 --strategy naive
  elinvar peterson --processes 3 --bug";

pub fn run(arguments: &Arguments) -> Result<u8> {
    let FamilyOutput { model, json, quiet, .. } = &arguments.output;
    if let Some(path) = model {
        output::expect_writable(path)?;
    }
    let method = Method::System(Choice::Pdr(PdrOptions::default()));
    let session = limits::start(Options { method, ..arguments.limits.options() })?;
    let switches = match arguments.switches {
        Some(most) => Switches::Limited { most },
        None => Switches::Any,
    };
    let build = if arguments.bug { peterson_with_bug } else { peterson };
    let system = build(arguments.processes, switches)?;
    arguments.output.write_model(&system)?;
    let problem = SystemProblem::new(system);
    let Some(most) = arguments.switches else {
        let problem = Problem::System(problem);
        let report =
            limits::with_progress(&session, arguments.output.shown(), || session.check(&problem))?;
        output::print(&report::render(&report, *json, *quiet, &TraceOptions::default()))?;
        return report::finish(&report, false);
    };
    let families = Families::new(&problem, "limit", PropertyId(0), 0..=u64::from(most))?;
    let search = arguments.strategy.unwrap_or(SearchName::Relax).search();
    let report = limits::with_progress(&session, arguments.output.shown(), || {
        session.optimum(&families, search, PdrOptions::default())
    })?;
    output::print(&family::render(&report, &[], *json, *quiet))?;
    Ok(report.summary().exit_code())
}
