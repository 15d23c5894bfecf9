//! Measures the readers: `read_speed FILE…` reads each file again and again and
//! prints how many megabytes are read in a second of processor time, for each
//! file and by format. What is read is built into the expression pool and dropped.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;

use elinvar_formats::{Diagnostic, aiger, btor, btor2};
use elinvar_ir::TransitionSystem;

/// How long each file is read over and over, in seconds.
const PER_FILE: f64 = 0.3;

#[derive(Default)]
struct Total {
    bytes: u64,
    seconds: f64,
}

fn main() -> ExitCode {
    let mut totals: BTreeMap<String, Total> = BTreeMap::new();
    for name in std::env::args().skip(1) {
        if let Err(error) = measure(&name, &mut totals) {
            eprintln!("{name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    for (format, total) in totals {
        println!("{format}: {:.1} MB/s", total.bytes as f64 / total.seconds / 1e6);
    }
    ExitCode::SUCCESS
}

fn measure(
    name: &str,
    totals: &mut BTreeMap<String, Total>,
) -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new(name);
    let format = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let source = std::fs::read(path)?;
    let (start, mut rounds, mut elapsed) = (processor_seconds(), 0u32, 0.0);
    while elapsed < PER_FILE {
        read(format, &source)?.map_err(|error| {
            let position = error.position(&source);
            format!("{}:{}: {error}", position.line, position.column)
        })?;
        rounds += 1;
        elapsed = processor_seconds() - start;
    }
    let seconds = elapsed / f64::from(rounds);
    println!("{name}: {:.1} MB/s", source.len() as f64 / seconds / 1e6);
    let total = totals.entry(format.to_owned()).or_default();
    total.bytes += source.len() as u64;
    total.seconds += seconds;
    Ok(())
}

fn read(format: &str, source: &[u8]) -> Result<Result<TransitionSystem, Diagnostic>, String> {
    match format {
        "aig" | "aag" => Ok(aiger::read(source).map(|model| model.system)),
        "btor" => Ok(btor::read(source).map(|model| model.system)),
        "btor2" => Ok(btor2::read(source).map(|model| model.system)),
        _ => Err(format!("no reader for files that end in `.{format}`")),
    }
}

/// The processor time of this thread, so that others may use the machine too;
/// where the system does not tell it, the time of the clock.
fn processor_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}
