//! `elinvar check`: decide the properties of a model.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ValueEnum;
use elinvar_engines::Choice;
use elinvar_engines::bmc::BmcOptions;
use elinvar_engines::kinduction::{Distinct, KInductionOptions};
use elinvar_formats::vcd;
use elinvar_ir::Verdict;

use crate::report::table::Look;
use crate::report::{Report, json, text};
use crate::session::{Limits, Session};
use crate::{evidence, load, output, properties};

/// Decide the properties of a model, with evidence
///
/// Every verdict is confirmed by an independent checker before it is printed:
/// counterexamples are replayed, proofs are checked again by another encoder.
/// Exit codes: 20 safe (unsat), 10 unsafe (sat), 0 unknown, 2 user error, 3
/// internal error. With several properties: 10 if any is unsafe, else 0 if any
/// is unknown, else 20.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The model (AIGER, BTOR, BTOR2 or basm); `-` reads standard input
    model: String,

    /// The engine: `bmc` only searches for counterexamples, `kind` (k-induction)
    /// also proves
    #[arg(long, value_enum, default_value = "auto", value_name = "NAME")]
    engine: EngineName,

    /// Decide only this property, given by name or number [default: all]
    #[arg(long, value_name = "NAME|INDEX")]
    property: Option<String>,

    #[command(flatten)]
    limits: Limits,

    /// Stop after K steps from the initial states [default: never]
    #[arg(long, value_name = "K", help_heading = "Engine options")]
    bound: Option<usize>,

    /// bmc: the first number of steps to look at [default: 0]
    #[arg(long, value_name = "K", help_heading = "Engine options")]
    start: Option<usize>,

    /// bmc: how many steps to add at a time [default: 1]
    #[arg(long, value_name = "K", help_heading = "Engine options")]
    step: Option<usize>,

    /// Begin each bound with a new solver instead of extending the last one
    #[arg(long, help_heading = "Engine options")]
    no_incremental: bool,

    /// kind: demand that the states of a path differ: never, when a model of
    /// the query repeats one, or always [default: lazy]
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Engine options")]
    distinct: Option<DistinctName>,

    /// kind: do not try stronger properties that are inductive at once
    #[arg(long, help_heading = "Engine options")]
    no_strengthen: bool,

    /// Write the counterexample to the first property that fails: an AIGER
    /// witness for AIGER models, a BTOR2 witness for the others
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    witness: Option<PathBuf>,

    /// Write the proof: a witness circuit in the format of the model (AIGER in
    /// ASCII unless FILE ends in .aig), or Elinvar's text certificate where no
    /// circuit expresses it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    certificate: Option<PathBuf>,

    /// Write the counterexample as a waveform
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    vcd: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    json: bool,

    /// Show what the solver did, on standard error
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Print the verdict alone, and no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar check counter.aag
  elinvar check fifo.btor2 --engine bmc --bound 50 --vcd fifo.vcd
  elinvar check fifo.btor2 --property full --timeout 60 --json
  elinvar check counter.aag --certificate proof.aag && elinvar verify counter.aag proof.aag";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum EngineName {
    Auto,
    Bmc,
    Kind,
}

#[derive(ValueEnum, Clone, Copy)]
enum DistinctName {
    Never,
    Lazy,
    Eager,
}

pub fn run(arguments: &Arguments) -> Result<u8> {
    let choice = arguments.choice()?;
    for path in [&arguments.witness, &arguments.certificate, &arguments.vcd].into_iter().flatten() {
        output::expect_folder(path)?;
    }
    let session = Session::start(&arguments.limits, arguments.quiet)?;
    let model = load::load_model(&arguments.model)?;
    let chosen = properties::select(model.system(), arguments.property.as_deref())?;
    if chosen.is_empty() {
        bail!("the model has no property to check");
    }
    if arguments.certificate.is_some() && chosen.len() > 1 {
        bail!("a certificate file is about one property: choose it with --property");
    }
    let report = session.decide(&model, &chosen, &choice)?;
    // The verdict is told even when a file cannot be written.
    let written = arguments.write_files(&report);
    output::print(&arguments.render(&report))?;
    written?;
    if arguments.stats {
        anstream::eprint!("{}", text::statistics(&report.statistics));
    }
    Ok(report.summary().code())
}

impl Arguments {
    /// The meant engine; options that mean nothing to it are refused.
    fn choice(&self) -> Result<Choice> {
        let for_bmc = self.start.is_some() || self.step.is_some();
        if for_bmc && self.engine != EngineName::Bmc {
            bail!("--start and --step are options of --engine bmc");
        }
        if self.distinct.is_some() && self.engine != EngineName::Kind {
            bail!("--distinct is an option of --engine kind");
        }
        if self.no_strengthen && self.engine != EngineName::Kind {
            bail!("--no-strengthen is an option of --engine kind");
        }
        if self.step == Some(0) {
            bail!("--step must be at least 1");
        }
        let induction = || {
            let defaults = KInductionOptions::default();
            let distinct = self.distinct.map_or(defaults.distinct, DistinctName::meaning);
            Choice::KInduction(KInductionOptions {
                bound: self.bound,
                distinct,
                incremental: !self.no_incremental,
                strengthen: !self.no_strengthen,
            })
        };
        Ok(match self.engine {
            EngineName::Auto if self.bound.is_none() && !self.no_incremental => Choice::Auto,
            EngineName::Auto | EngineName::Kind => induction(),
            EngineName::Bmc => {
                let defaults = BmcOptions::default();
                Choice::Bmc(BmcOptions {
                    start: self.start.unwrap_or(defaults.start),
                    step: self.step.unwrap_or(defaults.step),
                    bound: self.bound,
                    incremental: !self.no_incremental,
                })
            }
        })
    }

    fn write_files(&self, report: &Report<'_>) -> Result<()> {
        if let Some(trace) = report.first_trace() {
            if let Some(path) = &self.witness {
                output::write_file(path, &evidence::witness(report.model, trace))?;
            }
            if let Some(path) = &self.vcd {
                output::write_file(path, vcd::write(report.model.system(), trace).as_bytes())?;
            }
        }
        let (Some(path), [answer]) = (&self.certificate, &report.answers[..]) else {
            return Ok(());
        };
        if let Verdict::Safe(certificate) = &answer.verdict {
            let file = evidence::certificate(report.model, answer.property, certificate, path)?;
            output::write_file(path, &file)?;
        }
        Ok(())
    }

    fn render(&self, report: &Report<'_>) -> String {
        if self.json {
            format!("{}\n", json::render(report))
        } else if self.quiet {
            format!("{}\n", report.word())
        } else {
            text::render(report, Look::of_stdout())
        }
    }
}

impl DistinctName {
    fn meaning(self) -> Distinct {
        match self {
            DistinctName::Never => Distinct::Never,
            DistinctName::Lazy => Distinct::Lazy,
            DistinctName::Eager => Distinct::Eager,
        }
    }
}
