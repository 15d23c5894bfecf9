//! `elinvar simulate`: run a model on random or given stimulus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use elinvar::formats::waveform::WaveformFormat;
use elinvar::readable::count;
use elinvar::readable::digest::Candidates;
use elinvar::readable::waveform;
use elinvar::readable::waves::{Waves, execute};
use elinvar::{Problem, Source, stimulus};
use elinvar_ir::{PropertyId, Simulator, TransitionSystem};

use crate::input::DesignOptions;
use crate::limits::Resources;
use crate::maps::MapOptions;
use crate::report::{flow, signals as table};
use crate::trace_options::TraceOptions;
use crate::{code, output};

/// Run a model on random stimulus, or on that of a witness
///
/// Prints the values of inputs and states cycle by cycle, and notes violated
/// constraints and bad states. Random stimulus does not respect constraints.
///
/// Exit codes: 0 done, 2 user error, 4 a limit was reached first.
#[derive(clap::Args, Clone)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The model, or the source files of a design; `-` reads standard input
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,

    /// The number of cycles
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,

    /// The seed of the random stimulus
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Take initial values and inputs from this witness
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cycles", "seed"])]
    inputs: Option<String>,

    /// Write the execution as a waveform in VCD
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,

    /// Write the execution as a waveform in FST
    #[arg(long, value_name = "FILE")]
    fst: Option<PathBuf>,

    #[command(flatten)]
    design: DesignOptions,

    #[command(flatten)]
    maps: MapOptions,

    #[command(flatten)]
    trace: TraceOptions,

    #[command(flatten)]
    resources: Resources,
}

const AFTER_HELP: &str = "\
Examples:
  elinvar simulate fifo.btor2 --cycles 20 --seed 7 --vcd fifo.vcd
  elinvar simulate fifo.btor2 --inputs witness.txt";

pub fn run(arguments: &Arguments) -> Result<u8> {
    let outputs: Vec<&Path> = arguments.waveforms().map(|(path, _)| path).collect();
    outputs.iter().try_for_each(|path| output::expect_writable(path))?;
    let inputs = arguments.models.iter().chain(&arguments.inputs).map(Path::new);
    output::expect_distinct(inputs.chain(arguments.maps.paths()), outputs.iter().copied())?;
    let (work, source) =
        (arguments.clone(), arguments.design.read(&arguments.models, &arguments.resources)?);
    let shown = arguments.design.shown(false);
    let Execution { report, waveforms } =
        arguments.resources.watch("simulating", shown, move || work.execute(source))?;
    for (path, waveform) in outputs.iter().zip(waveforms) {
        output::write(path, &waveform)?;
    }
    output::print(&report)?;
    Ok(code::DONE)
}

/// The result of an execution.
struct Execution {
    report: String,
    /// The contents of the files to write, in their order.
    waveforms: Vec<Vec<u8>>,
}

impl Arguments {
    fn execute(&self, source: Arc<Source>) -> Result<Execution> {
        let problem = Problem::from_source(source, None)?.as_system()?;
        let problem = self.maps.apply(problem, &self.models[0])?;
        let system = problem.system();
        let trace = match &self.inputs {
            Some(path) => problem.read_witness(&output::read(path)?)?.trace,
            None => stimulus::random(system, self.cycles as usize, self.seed),
        };
        self.trace.expect_signals(system)?;
        let view = self.trace.view();
        let Candidates { nets, all } = view.candidates(system, &[], None);
        let mut waves = Waves::new(nets);
        let mut notes = Notes::default();
        execute(system, &trace, None, |cycle, moment| {
            waves.record(moment);
            notes.take(system, cycle, moment.simulator());
        });
        let mut report = format!("{}\n\n", count(waves.cycles, "cycle"));
        report.push_str(&table(&view.digest(system, waves, all), self.trace.look()));
        let notes = notes.render(system);
        if !notes.is_empty() {
            report.push('\n');
            report.push_str(&flow(&notes, self.trace.look().limit()));
        }
        let waveform = |(_, format)| waveform::of_execution(system, &trace, format);
        let waveforms = self.waveforms().map(waveform).collect();
        Ok(Execution { report, waveforms })
    }

    /// The waveforms to write.
    fn waveforms(&self) -> impl Iterator<Item = (&Path, WaveformFormat)> {
        let files = [(&self.vcd, WaveformFormat::Vcd), (&self.fst, WaveformFormat::Fst)];
        files.into_iter().filter_map(|(path, format)| Some((path.as_deref()?, format)))
    }
}

/// What happens in the cycles of an execution, beside the values.
#[derive(Default)]
struct Notes {
    /// By constraint: the cycles that violate it.
    violations: BTreeMap<usize, Vec<usize>>,
    /// By property: the cycles in which it fails.
    failures: BTreeMap<PropertyId, Vec<usize>>,
}

impl Notes {
    fn take(&mut self, system: &TransitionSystem, cycle: usize, simulator: &Simulator<'_>) {
        for (i, &constraint) in system.constraints().iter().enumerate() {
            if !simulator.holds(constraint) {
                self.violations.entry(i).or_default().push(cycle);
            }
        }
        for (id, bad) in system.bads() {
            if simulator.holds(bad) {
                self.failures.entry(id).or_default().push(cycle);
            }
        }
    }

    fn render(&self, system: &TransitionSystem) -> String {
        let violations = self
            .violations
            .iter()
            .map(|(i, cycles)| format!("constraint {i} is violated in {}\n", ranges(cycles)));
        let failures = self.failures.iter().map(|(&id, cycles)| {
            format!("property {} fails in {}\n", system.property(id).name, ranges(cycles))
        });
        violations.chain(failures).collect()
    }
}

/// `cycle 3`, `cycles 3 to 5, 7`; the numbers ascend.
fn ranges(cycles: &[usize]) -> String {
    let runs = cycles.chunk_by(|a, b| a + 1 == *b);
    let runs: Vec<String> = runs
        .map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        })
        .collect();
    let noun = if cycles.len() == 1 { "cycle" } else { "cycles" };
    format!("{noun} {}", runs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_listed_by_ranges() {
        assert_eq!(ranges(&[3]), "cycle 3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "cycles 0 to 2, 5, 7 to 8");
    }
}
