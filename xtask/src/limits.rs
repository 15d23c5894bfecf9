//! Tries whether limits are limits: models of a few lines with wide operators or deep
//! chains, which no engine can finish, under limits of time and memory.
//!
//! On Linux only: the memory of a run is read from `/proc`.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

#[derive(Args)]
pub struct Options {
    /// The binary
    #[arg(long, default_value = "target/release/elinvar")]
    binary: PathBuf,
    /// The limit of time, in seconds
    #[arg(long, default_value_t = 3.0)]
    timeout: f64,
    /// The limit of memory, in MiB
    #[arg(long, default_value_t = 500)]
    memory: u64,
    /// Widths of the operands
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 10_000, 100_000])]
    widths: Vec<u32>,
    /// Only these operators, or `chains`
    #[arg(long, value_delimiter = ',')]
    operators: Vec<String>,
    /// Only these engines, `default` or `race`, or commands
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
}

/// Operators of two words whose result is one.
const WORDS: &[&str] = &[
    "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod", "and", "nand", "or", "nor", "xor",
    "xnor", "sll", "srl", "sra", "rol", "ror",
];
/// Operators of two words whose result is a bit.
const PREDICATES: &[&str] = &[
    "eq", "neq", "ult", "ulte", "ugt", "ugte", "slt", "slte", "sgt", "sgte", "uaddo", "saddo",
    "usubo", "ssubo", "umulo", "smulo", "sdivo",
];
const UNARY: &[&str] = &["not", "neg", "inc", "dec"];
const REDUCTIONS: &[&str] = &["redand", "redor", "redxor"];
const OTHERS: &[&str] = &["ite", "concat", "sext", "uext", "slice"];

const CHAINS: &str = "chains";
/// The operators of a chain, and its length.
const LINKS: &[&str] = &["add", "and", "xor", "ite", "mul"];
const LENGTH: usize = 1_000_000;

const ENGINES: &[&str] = &[
    "default", "pdr", "words", "avy", "itp", "imc", "bmc", "kind", "race", "convert", "simulate",
    "stats", INTERRUPT,
];
/// The default engine without a limit of time, but with an interrupt instead.
const INTERRUPT: &str = "interrupt";

pub fn run(options: &Options) -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = folder.path().join("model.btor2");
    let operators = [WORDS, PREDICATES, UNARY, REDUCTIONS, OTHERS].concat();
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
    let mut failures = 0;
    let mut try_all = |title: &str, text: &str| {
        std::fs::write(&model, text).expect("a model can be written");
        for engine in ENGINES.iter().filter(|engine| wanted(&options.engines, engine)) {
            let faults = options.try_one(&model, engine);
            let verdict = if faults.is_empty() { "ok".to_owned() } else { faults.join("; ") };
            println!("{title:24} {engine:10} {verdict}");
            failures += usize::from(!faults.is_empty());
        }
    };
    for operator in operators.iter().filter(|name| wanted(&options.operators, name)) {
        for &width in &options.widths {
            try_all(&format!("{operator} {width}"), &wide(operator, width));
        }
    }
    if wanted(&options.operators, CHAINS) {
        for link in LINKS {
            try_all(&format!("chain of {link}"), &chain(link, LENGTH));
        }
        try_all("chain of gates", &gates(LENGTH));
    }
    println!("{failures} failures");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A register that an operator changes.
fn wide(operator: &str, width: u32) -> String {
    let (operation, bits) = match operator {
        _ if WORDS.contains(&operator) => (format!("9 {operator} 1 5 7"), width),
        _ if PREDICATES.contains(&operator) => (format!("9 {operator} 2 5 7"), 1),
        _ if UNARY.contains(&operator) => (format!("9 {operator} 1 5"), width),
        _ if REDUCTIONS.contains(&operator) => (format!("9 {operator} 2 5"), 1),
        "ite" => ("8 redor 2 7\n9 ite 1 8 5 7".to_owned(), width),
        "concat" => ("9 concat 3 5 7".to_owned(), 2 * width),
        "sext" | "uext" => (format!("9 {operator} 3 7 {width}"), 2 * width),
        "slice" => (format!("9 slice 2 7 {0} {0}", width / 2), 1),
        other => unreachable!("an operator of the table, not {other}"),
    };
    // Whatever the width of the result is, the register depends on all of it.
    let next = if bits == width {
        "12 xor 1 9 7".to_owned()
    } else if bits > width {
        format!("10 slice 1 9 {} 0\n11 slice 1 9 {} {width}\n12 add 1 10 11", width - 1, bits - 1)
    } else {
        format!("10 uext 1 9 {}\n12 add 1 10 5", width - 1)
    };
    format!(
        "1 sort bitvec {width}\n2 sort bitvec 1\n3 sort bitvec {}\n4 zero 1\n5 state 1 s\n\
         6 init 1 5 4\n7 input 1 x\n{operation}\n{next}\n13 next 1 5 12\n14 constd 1 25\n\
         15 eq 2 5 14\n16 bad 15\n",
        2 * width
    )
}

/// A register of eight bits behind a chain of so many operators.
fn chain(link: &str, length: usize) -> String {
    let mut text = String::from(
        "1 sort bitvec 8\n2 sort bitvec 1\n3 zero 1\n4 state 1 s\n5 init 1 4 3\n6 input 1 x\n\
         7 input 2 c\n",
    );
    let mut last = 4;
    for line in 8..8 + length {
        let other = if line % 3 == 0 { 4 } else { 6 };
        let written = match link {
            "ite" => writeln!(text, "{line} ite 1 7 {last} -{other}"),
            "add" | "xor" => writeln!(text, "{line} {link} 1 {last} {other}"),
            _ if line % 2 == 0 => writeln!(text, "{line} add 1 {last} {other}"),
            _ => writeln!(text, "{line} {link} 1 {last} {other}"),
        };
        written.expect("strings do not fail");
        last = line;
    }
    let lines = [1, 2, 3, 4].map(|after| last + after);
    let [next, ones, bad, property] = lines;
    write!(
        text,
        "{next} next 1 4 {last}\n{ones} ones 1\n{bad} eq 2 4 {ones}\n{property} bad {bad}\n"
    )
    .expect("strings do not fail");
    text
}

/// A chain of and-gates behind a latch, in AIGER.
fn gates(count: usize) -> String {
    let last = 2 * count + 4;
    let mut text = format!("aag {} 1 1 0 {count} 1\n2\n4 {last}\n{last}\n", count + 2);
    for gate in 3..3 + count {
        writeln!(text, "{} {} {}", 2 * gate, 2 * gate - 1, 2 + gate % 2)
            .expect("strings do not fail");
    }
    text
}

/// A run that has ended.
struct Ended {
    seconds: f64,
    code: Option<i32>,
    /// The most memory that it held, in KiB.
    peak: u64,
    stderr: String,
}

impl Options {
    /// What is wrong with a run of this engine or command.
    fn try_one(&self, model: &Path, engine: &str) -> Vec<String> {
        let mut command = Command::new(&self.binary);
        let output = model.with_extension("aag");
        match engine {
            "convert" => command.arg("convert").arg(model).arg("-o").arg(&output),
            "simulate" => command.arg("simulate").arg(model).args(["--cycles", "10000"]),
            "stats" => command.arg("stats").arg(model),
            "default" | INTERRUPT => command.arg("check").arg(model),
            "race" => command.arg("check").arg(model).args(["-j", "2"]),
            engine => command.arg("check").arg(model).args(["--engine", engine]),
        };
        command.args(["--memory", &self.memory.to_string()]);
        let interrupt = engine == INTERRUPT;
        if !interrupt {
            command.args(["--timeout", &self.timeout.to_string()]);
        }
        match self.watch(command, model, interrupt) {
            Ok(ended) => self.faults(engine, &ended),
            Err(error) => vec![format!("{}: {error}", self.binary.display())],
        }
    }

    /// Runs the command, looks at its memory while it runs, and interrupts it at the limit of
    /// time if that is wanted.
    fn watch(&self, mut command: Command, model: &Path, interrupt: bool) -> io::Result<Ended> {
        let errors = model.with_extension("stderr");
        command.stdout(Stdio::null()).stderr(File::create(&errors)?);
        let start = Instant::now();
        let mut child = command.spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let (mut peak, mut interrupted) = (0, !interrupt);
        let ended = loop {
            if let Some(ended) = child.try_wait()? {
                break ended;
            }
            peak = peak.max(std::fs::read_to_string(&status).map_or(0, |text| peak_of(&text)));
            if !interrupted && start.elapsed().as_secs_f64() >= self.timeout {
                kill(Pid::from_raw(child.id() as i32), Signal::SIGINT)?;
                interrupted = true;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let seconds = start.elapsed().as_secs_f64();
        Ok(Ended { seconds, code: ended.code(), peak, stderr: std::fs::read_to_string(errors)? })
    }

    fn faults(&self, engine: &str, ended: &Ended) -> Vec<String> {
        let Ended { seconds, code, peak, stderr } = ended;
        let mut faults = Vec::new();
        if *seconds > self.timeout + 1.5 {
            faults.push(format!("{seconds:.1} s"));
        }
        if peak >> 10 >= self.memory + self.memory / 5 {
            faults.push(format!("{} MiB", peak >> 10));
        }
        let expected: &[i32] = match engine {
            "convert" | "simulate" | "stats" => &[0, 2, 4],
            _ => &[0, 10, 20],
        };
        if !code.is_some_and(|code| expected.contains(&code)) || stderr.contains("panicked") {
            faults.push(format!("exit code {code:?}: {stderr}"));
        }
        faults
    }
}

/// The most memory that a process held so far, in KiB.
fn peak_of(status: &str) -> u64 {
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|rest| rest.trim().strip_suffix(" kB"));
    peak.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use elinvar_formats::model::read_model;

    use super::*;

    #[test]
    fn all_models_are_well_formed() {
        for operator in [WORDS, PREDICATES, UNARY, REDUCTIONS, OTHERS].concat() {
            let text = wide(operator, 8);
            read_model(text.as_bytes(), None).unwrap_or_else(|e| panic!("{operator}: {e}\n{text}"));
        }
        for link in LINKS {
            assert!(read_model(chain(link, 10).as_bytes(), None).is_ok(), "{link}");
        }
        assert!(read_model(gates(10).as_bytes(), None).is_ok());
    }
}
