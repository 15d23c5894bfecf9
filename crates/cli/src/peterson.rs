//! `elinvar peterson`: mutual exclusion by Peterson's algorithm, for any number of
//! processes, with or without a limit to the switches between them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use elinvar_engines::Choice;
use elinvar_engines::pdr::PdrOptions;
use elinvar_formats::btor2;
use elinvar_ir::PropertyId;
use elinvar_models::families::{Switches, peterson, peterson_with_bug};
use elinvar_transform::Family;

use crate::engine_options::Plan;
use crate::family::{StrategyName, model_of};
use crate::load::Original;
use crate::output;
use crate::proof::Kept;
use crate::session::{Families, Limits, ProofSize, Session};

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
    strategy: Option<StrategyName>,

    /// Let processes enter one level too early: mutual exclusion fails
    #[arg(long)]
    bug: bool,

    #[command(flatten)]
    limits: Limits,

    /// Write the model as BTOR2; with --switches it has an input `limit`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    model: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    json: bool,

    /// Print the verdict alone, and no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar peterson --processes 4
  elinvar peterson --processes 3 --switches 4
  elinvar peterson --processes 3 --switches 4 --strategy naive
  elinvar peterson --processes 3 --bug";

pub fn run(arguments: &Arguments) -> Result<u8> {
    if let Some(path) = &arguments.model {
        output::expect_writable(path)?;
    }
    let session = Session::start(&arguments.limits, arguments.quiet, &Kept::default())?;
    let switches = match arguments.switches {
        Some(most) => Switches::Limited { most },
        None => Switches::Any,
    };
    let build = if arguments.bug { peterson_with_bug } else { peterson };
    let system = build(arguments.processes, switches)?;
    if let Some(path) = &arguments.model {
        output::write_file(path, &btor2::write(&system)?)?;
    }
    let Some(most) = arguments.switches else {
        let model = Arc::new(model_of(system));
        let plan = Plan::One(Choice::Pdr(PdrOptions::default()));
        let original = Arc::new(Original::built(&model));
        let report =
            session.decide(&model, &original, &[PropertyId(0)], &plan, ProofSize::AsFound)?;
        output::print(&report.render(arguments.json, arguments.quiet))?;
        return Ok(report.summary().code());
    };
    let family = Family::new(system, "limit", PropertyId(0), 0..=u64::from(most))?;
    let families = Families::built(family);
    let name = arguments.strategy.unwrap_or(StrategyName::Relax);
    let report = session.optimum(&families, name, PdrOptions::default())?;
    output::print(&report.render(arguments.json, arguments.quiet))?;
    Ok(report.summary().code())
}
