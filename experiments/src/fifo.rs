//! Table 6 of the BTOR paper: the equivalence of two FIFOs by k-induction,
//! incremental and not, with and without all-different constraints (ADC).
//!
//! As in the paper, a row is the time for all bounds from zero to k, for the search for
//! witnesses and the induction steps together. Each setting is one run, whose processor time
//! is recorded when a bound is complete.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Args;
use elinvar_engines::kinduction::{Distinct, KInduction, KInductionOptions};
use elinvar_engines::{Event, Run, Task};
use elinvar_ir::{PropertyId, Verdict};
use elinvar_models::families::fifo;
use nix::sys::resource::UsageWho;

use crate::harness::finish;
use crate::harness::process::processor_time;
use crate::harness::table::Table;

#[derive(Args)]
pub struct Options {
    /// Bits of an element
    #[arg(long, default_value_t = 32)]
    width: u32,
    /// Elements of a FIFO, a power of two
    #[arg(long, default_value_t = 32)]
    depth: u32,
    /// The last bound
    #[arg(long, default_value_t = 10)]
    bound: usize,
    /// Seconds for each setting
    #[arg(long, default_value_t = 900)]
    timeout: u64,
    /// Add the all-different constraints eagerly too, in a further column
    #[arg(long)]
    eager: bool,
}

/// The paper's columns for Boolector, in seconds; none is a time-out.
const PAPER: [[Option<f64>; 4]; 11] = [
    [Some(0.0), Some(0.0), Some(0.0), Some(0.0)],
    [Some(0.1), Some(0.0), Some(0.1), Some(0.0)],
    [Some(0.8), Some(0.1), Some(0.9), Some(0.1)],
    [Some(15.4), Some(0.3), Some(6.1), Some(0.4)],
    [Some(41.9), Some(0.7), Some(38.0), Some(1.1)],
    [Some(91.2), Some(1.6), Some(96.5), Some(2.7)],
    [Some(419.8), Some(3.7), Some(267.8), Some(5.8)],
    [None, Some(6.8), None, Some(11.7)],
    [None, Some(14.3), None, Some(23.9)],
    [None, Some(31.1), None, Some(47.8)],
    [None, Some(73.7), None, Some(97.2)],
];

/// Why the equivalence is not proved at these bounds.
const WHY_NOT: &str = "\
not proved, and why: that the FIFOs agree depends on which elements of the two memories\n\
correspond, which the property does not say. Two FIFOs that are full of different elements\n\
agree until the first of these is dequeued, so there are good paths to a bad state of any\n\
length up to the depth; and as idle cycles and elements come in many orders, simple paths\n\
are far longer. What is missing is an invariant that relates the memories.";

struct Column {
    title: &'static str,
    proved: bool,
    times: Vec<Duration>,
    outcome: String,
}

pub fn run(options: &Options) -> ExitCode {
    let mut settings = vec![
        ("inc adc", Distinct::Lazy, true),
        ("inc noadc", Distinct::Never, true),
        ("non-inc adc", Distinct::Lazy, false),
        ("non-inc noadc", Distinct::Never, false),
    ];
    if options.eager {
        settings.push(("inc eager", Distinct::Eager, true));
    }
    let columns = settings.into_iter().map(|(title, distinct, incremental)| {
        eprintln!("{title} …");
        measure(options, title, distinct, incremental)
    });
    let columns = columns.collect::<Result<Vec<Column>, String>>();
    finish(columns.map(|columns| {
        print!("{}", text(options, &columns));
        true
    }))
}

fn measure(
    options: &Options,
    title: &'static str,
    distinct: Distinct,
    incremental: bool,
) -> Result<Column, String> {
    let system = fifo(options.width, options.depth).map_err(|error| error.to_string())?;
    // A bound is complete when the next one begins.
    let starts: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let observed = Arc::clone(&starts);
    let run =
        Run::new().with_timeout(Duration::from_secs(options.timeout)).with_observer(move |event| {
            if let Event::Progress { .. } = event {
                observed.lock().expect("one thread").push(now());
            }
        });
    let bound = Some(options.bound);
    let mut engine =
        KInduction(KInductionOptions { bound, distinct, incremental, strengthen: false });
    let task = Task::about(&system, &[PropertyId(0)], &run);
    let verdicts = task.check(&mut engine).map_err(|error| error.to_string())?;
    let end = now();
    let starts = starts.lock().expect("one thread");
    let mut times: Vec<Duration> = starts.windows(2).map(|pair| pair[1] - starts[0]).collect();
    let outcome = match &verdicts[0] {
        Verdict::Safe(certificate) => format!("proved: {certificate:?}"),
        Verdict::Unsafe(trace) => format!("refuted in {} steps", trace.depth()),
        Verdict::Unknown(reason) => reason.to_string(),
    };
    if run.stop().is_none() {
        times.push(end - starts[0]);
    }
    let proved = matches!(verdicts[0], Verdict::Safe(_));
    Ok(Column { title, proved, times, outcome })
}

/// The processor time of this process.
fn now() -> Duration {
    processor_time(UsageWho::RUSAGE_SELF).unwrap_or_default()
}

fn text(options: &Options, columns: &[Column]) -> String {
    let (width, depth) = (options.width, options.depth);
    let titles = columns.iter().map(|column| column.title.to_owned());
    let head = ["k".to_owned()].into_iter().chain(titles).collect();
    let mut table = Table { head, rows: Vec::new() };
    for k in 0..=options.bound {
        let cell = |(index, column): (usize, &Column)| {
            let seconds = column.times.get(k).map(|time| time.as_secs_f64());
            let ours = seconds.map_or("to".into(), |seconds| format!("{seconds:.2}"));
            let paper = match PAPER.get(k).and_then(|row| row.get(index)) {
                Some(Some(seconds)) => format!("({seconds:.1})"),
                Some(None) => "(to)".into(),
                None => String::new(),
            };
            format!("{ours} {paper:>7}")
        };
        table.push([k.to_string()].into_iter().chain(columns.iter().enumerate().map(cell)));
    }
    let mut text = format!(
        "FIFO equivalence, {width} bits × {depth}; processor seconds for bounds 0 to k (those of \
         the paper in brackets)\n{}",
        table.text()
    );
    text.extend(columns.iter().map(|column| format!("{}: {}\n", column.title, column.outcome)));
    if columns.iter().all(|column| !column.proved) {
        text += &format!("{WHY_NOT}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::testing::options;

    #[test]
    fn every_setting_has_a_time_for_each_bound() {
        let options: Options = options(&["--width", "2", "--depth", "2", "--bound", "2"]);
        let column = measure(&options, "inc adc", Distinct::Lazy, true).unwrap();
        assert!(column.times.len() <= 3 && column.times.is_sorted());
        let text = text(&options, &[column]);
        assert!(text.contains("inc adc\n0") && text.contains("(0.8)"), "{text}");
    }
}
