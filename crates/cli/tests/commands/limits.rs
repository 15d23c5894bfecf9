//! Limits are limits: no model makes a command run on after its time, beyond its memory or
//! after an interrupt. `cargo xtask limits` tries many more models.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{ACCEPTED, REFUSED, Run, SAFE, UNKNOWN, UNSAFE, elinvar, folder, signalled, started};

const STOPPED: u8 = 4;

const LIMIT: &str = "0.3";
/// How long a run with that limit may take, on a busy machine.
const SOON: Duration = Duration::from_secs(4);

/// A register that an operator changes, of any width.
fn wide(operator: &str, width: u32) -> String {
    format!(
        "1 sort bitvec {width}\n2 sort bitvec 1\n3 zero 1\n4 state 1 s\n5 init 1 4 3\n6 input 1 x\n\
         7 not 1 4\n8 {operator} 1 7 6\n9 next 1 4 8\n10 constd 1 25\n11 eq 2 4 10\n12 bad 11\n"
    )
}

/// A register of eight bits behind a chain of so many operators.
fn chain(operators: usize) -> String {
    let mut text = String::from(
        "1 sort bitvec 8\n2 sort bitvec 1\n3 zero 1\n4 state 1 s\n5 init 1 4 3\n6 input 1 x\n",
    );
    let mut last = 4;
    for line in 7..7 + operators {
        let operator = if line % 2 == 0 { "add" } else { "xor" };
        writeln!(text, "{line} {operator} 1 {last} {}", if line % 3 == 0 { 4 } else { 6 }).unwrap();
        last = line;
    }
    let (next, ones, bad) = (last + 1, last + 2, last + 3);
    writeln!(text, "{next} next 1 4 {last}\n{ones} ones 1\n{bad} eq 2 4 {ones}\n").unwrap();
    writeln!(text, "{} bad {bad}", last + 4).unwrap();
    text
}

/// A chain of and-gates behind a latch.
fn gates(count: usize) -> String {
    let mut text =
        format!("aag {} 1 1 0 {count} 1\n2\n4 {last}\n{last}\n", count + 2, last = 2 * count + 4);
    for gate in 3..3 + count {
        writeln!(text, "{} {} {}", 2 * gate, 2 * gate - 1, 2 + gate % 2).unwrap();
    }
    text
}

/// Runs a command with a limit of time, and expects it to end soon after.
fn run_in_time(folder: &Path, words: &[&str]) -> Run {
    let start = Instant::now();
    let run = elinvar(folder, &[words, &["--timeout", LIMIT]].concat());
    assert!(start.elapsed() < SOON, "{words:?} took {:?}", start.elapsed());
    assert!(!run.stderr.contains("panicked"), "{words:?}: {}", run.stderr);
    run
}

#[test]
fn wide_operators_end_with_the_time() {
    let path = &folder();
    let models =
        [("mul", 1024), ("mul", 100_000), ("udiv", 1500), ("sll", 100_000), ("rol", 99_999)];
    for (operator, width) in models {
        std::fs::write(path.join("m.btor2"), wide(operator, width)).unwrap();
        let run = run_in_time(path, &["check", "m.btor2"]);
        let large = run.stdout.contains("needs more than 2^30 gates");
        let unknown = large || run.stdout.contains("limit was reached");
        // A fast machine may decide some of them.
        assert!(unknown == (run.code == UNKNOWN), "{operator} {width}: {}", run.stdout);
        assert!(unknown || [SAFE, UNSAFE].contains(&run.code), "{operator}: {}", run.stdout);
        assert!(large || width != 100_000 || operator != "mul", "{}", run.stdout);
    }
}

#[test]
fn every_engine_ends_with_the_time() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), wide("mul", 1024)).unwrap();
    for engine in ["bmc", "kind", "pdr", "words", "avy", "itp", "imc"] {
        let run = run_in_time(path, &["check", "m.btor2", "--engine", engine, "-q"]);
        let decided = ["unsafe\n", "unknown\n"].contains(&run.stdout.as_str());
        assert!(decided, "{engine}: {}{}", run.stdout, run.stderr);
    }
    run_in_time(path, &["check", "m.btor2", "-j", "2"]);
}

#[test]
fn deep_chains_end_with_the_time() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), chain(1_000_000)).unwrap();
    std::fs::write(path.join("m.aag"), gates(1_000_000)).unwrap();
    for model in ["m.btor2", "m.aag"] {
        run_in_time(path, &["check", model]);
    }
    // While the model is read there is no verdict, but a report.
    let words = ["check", "m.btor2", "--timeout", "0", "--json"];
    let run = elinvar(path, &words);
    assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
    assert!(run.stdout.contains("\"reason\":\"the time limit was reached\""), "{}", run.stdout);
    // The files for continuous integration are written, and the run is not green.
    let files = ["--ci", "--junit", "j.xml", "--sarif", "s.sarif"];
    let run = elinvar(path, &[&words[..], &files].concat());
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stdout.contains("\"kind\":\"junit\",\"path\":\"j.xml\""), "{}", run.stdout);
    let text = std::fs::read_to_string(path.join("j.xml")).unwrap();
    assert!(text.contains("errors=\"1\"") && text.contains("type=\"undecided\""), "{text}");
    let text = std::fs::read_to_string(path.join("s.sarif")).unwrap();
    assert!(
        text.contains("the time limit was reached") && text.contains("\"exitCode\": 2"),
        "{text}"
    );
}

#[test]
fn memory_is_limited_within_an_operator() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), wide("mul", 4096)).unwrap();
    let start = Instant::now();
    let run = elinvar(path, &["check", "m.btor2", "--memory", "100", "--timeout", "100"]);
    assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
    assert!(run.stdout.contains("the memory limit was reached"), "{}", run.stdout);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn other_commands_end_with_the_time() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), wide("mul", 8000)).unwrap();
    let run = run_in_time(path, &["convert", "m.btor2", "-o", "m.aig"]);
    assert_eq!((run.code, run.stdout.as_str()), (STOPPED, ""), "{}", run.stderr);
    assert_eq!(run.stderr, "error: the time limit was reached\n");
    assert!(!path.join("m.aig").exists(), "nothing is written");
    let run = run_in_time(path, &["simulate", "m.btor2", "--cycles", "1000000"]);
    assert_eq!(run.code, STOPPED, "{}", run.stderr);
    std::fs::write(path.join("chain.btor2"), chain(3_000_000)).unwrap();
    run_in_time(path, &["stats", "chain.btor2"]);
}

#[test]
fn verifying_ends_with_the_time() {
    let path = &folder();
    let certificate =
        |k| format!("elinvar certificate 1\nproperty 0\nk-induction {k} simple-path\n");
    std::fs::write(path.join("huge.cert"), certificate(1_000_000)).unwrap();
    let run = run_in_time(path, &["verify", "@counter.btor2", "huge.cert"]);
    let expected = (STOPPED, "not verified\nthe time limit was reached\n");
    assert_eq!((run.code, run.stdout.as_str()), expected, "{}", run.stderr);
    let words = ["verify", "@counter.btor2", "huge.cert", "--memory", "1"];
    let run = elinvar(path, &words);
    let expected = (STOPPED, "not verified\nthe memory limit was reached\n");
    assert_eq!((run.code, run.stdout.as_str()), expected, "{}", run.stderr);
    // What is decided in time is accepted or refused as ever.
    std::fs::write(path.join("false.cert"), certificate(2)).unwrap();
    let words = ["verify", "@counter_bug.btor2", "false.cert", "--timeout", "100"];
    assert_eq!(elinvar(path, &words).code, REFUSED);
    let words = ["check", "@counter.btor2", "--certificate", "good.cert", "-q"];
    elinvar(path, &words);
    let words = ["verify", "@counter.btor2", "good.cert", "--timeout", "100", "--memory", "4000"];
    assert_eq!(elinvar(path, &words).code, ACCEPTED);
}

#[cfg(unix)]
#[test]
fn the_first_signal_ends_the_run_soon() {
    let path = &folder();
    std::fs::write(path.join("m.btor2"), wide("mul", 3000)).unwrap();
    // Z3 works on this for long, and has a handler of its own for interrupts.
    let cubes = "procedure p(x: int, y: int, z: int) { assert x*x*x + y*y*y + z*z*z != 42; }";
    std::fs::write(path.join("p.bpl"), cubes).unwrap();
    let runs = [("m.btor2", "-INT"), ("m.btor2", "-TERM"), ("p.bpl", "-INT"), ("p.bpl", "-TERM")];
    for (file, signal) in runs {
        let child = started(path, &["check", file], Duration::from_millis(800));
        let start = Instant::now();
        let run = signalled(child, signal);
        assert!(start.elapsed() < Duration::from_secs(3), "{file} {signal} {:?}", start.elapsed());
        assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
        assert!(run.stdout.contains("interrupted"), "{}", run.stdout);
    }
}
