//! Processes that use one store at the same time, while its files are damaged.
//!
//! Each entry is about a small counter whose verdict is known. Worker processes decide counters
//! with the store, their own share and others. Meanwhile this process damages entries: it cuts
//! them, changes bytes, exchanges their contents, gives them evidence about other counters with a
//! correct header, claims that they are safe, and removes them. In the end it asks for each
//! counter again. The command fails if a verdict is wrong or if the store has no evidence for a
//! counter whose entry was not damaged.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use elinvar::ir::{BinaryOp, BitVec, PropertyId, Rng, Sort, SystemBuilder};
use elinvar::{Method, Options as CheckOptions, Problem, Store, Summary, SystemProblem, check};
use elinvar_engines::Choice;
use elinvar_engines::pdr::PdrOptions;

#[derive(Args)]
pub struct Options {
    /// How many entries the store gets
    #[arg(long, default_value_t = 10_000)]
    entries: usize,
    /// How many processes use it at the same time
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// How many times entries are damaged
    #[arg(long, default_value_t = 2_000)]
    damages: usize,
    /// The seed of random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The folder of the store; a temporary one if it is not given
    #[arg(long)]
    store: Option<PathBuf>,
    /// The number of this process, if it is a worker
    #[arg(long, hide = true)]
    worker: Option<usize>,
}

pub fn run(options: &Options) -> ExitCode {
    let result = match options.worker {
        Some(worker) => work(options, worker),
        None => supervise(options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A counter by two from an even number. It reaches an even number, and no odd one.
fn counter(number: usize) -> (SystemProblem, Summary) {
    let is_safe = !number.is_multiple_of(3);
    let start = (number as u64 % 0x4000) * 2;
    let bad = start.wrapping_add(if is_safe { 2 * (number as u64 % 7) + 1 } else { 4 });
    let mut b = SystemBuilder::verbatim();
    const SORTS: &str = "words of the same width";
    let count = b.state(Sort::Bv(16), None).expect(SORTS);
    let [start, two, bad] = [start, 2, bad].map(|n| b.pool.constant(BitVec::new(16, n & 0xffff)));
    b.states[0].init = Some(start);
    b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, two).expect(SORTS));
    let bad = b.pool.equal(count, bad).expect(SORTS);
    b.bad("p", bad);
    let system = b.finish().expect("a counter");
    let expected = if is_safe { Summary::Safe } else { Summary::Unsafe };
    (SystemProblem::built(system, Default::default()), expected)
}

/// Is the verdict right, and does it come from the store?
fn decide(store: &Arc<Store>, number: usize) -> Outcome<(bool, bool)> {
    let (problem, expected) = counter(number);
    let choice = match number % 2 {
        0 => Choice::Pdr(PdrOptions::default()),
        _ => Choice::Auto,
    };
    let store = Some(Arc::clone(store));
    let options = CheckOptions { store, method: Method::System(choice), ..Default::default() };
    let report = check(&Problem::System(problem), &options)?;
    let is_right = report.summary() == expected && report.bugs.is_empty();
    Ok((is_right, report.properties[0].source.name() == "store"))
}

/// Decides the share of a worker, and after each of its counters another one.
fn work(options: &Options, worker: usize) -> Outcome<bool> {
    let folder = options.store.as_ref().ok_or("a worker needs a store")?;
    let store = Arc::new(Store::open(folder)?);
    let mut rng = Rng::new(options.seed ^ (worker as u64 + 1) << 32);
    let (mut checks, mut hits) = (0, 0);
    for number in (worker..options.entries).step_by(options.processes) {
        for number in [number, rng.below(options.entries)] {
            let (is_right, is_stored) = decide(&store, number)?;
            if !is_right {
                println!("wrong verdict on counter {number}");
                return Ok(false);
            }
            (checks, hits) = (checks + 1, hits + usize::from(is_stored));
        }
    }
    println!("worker {worker}: {checks} checks, {hits} answered by the store");
    Ok(true)
}

fn supervise(options: &Options) -> Outcome<bool> {
    let temporary = tempfile::tempdir()?;
    let folder = options.store.clone().unwrap_or_else(|| temporary.path().join("store"));
    let store = Arc::new(Store::open(&folder)?);
    let start = Instant::now();
    let mut workers: Vec<Child> = (0..options.processes)
        .map(|worker| start_worker(options, &folder, worker))
        .collect::<io::Result<_>>()?;
    let mut damaged = Damaged { store: &store, rng: Rng::new(options.seed), keys: BTreeSet::new() };
    let mut times = 0;
    while workers.iter_mut().any(|worker| matches!(worker.try_wait(), Ok(None))) {
        if times < options.damages && damaged.damage(options.entries)? {
            times += 1;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mut is_right = true;
    for mut worker in workers {
        is_right &= worker.wait()?.success();
    }
    println!(
        "{} processes ended after {:.1} s; entries were damaged {times} times",
        options.processes,
        start.elapsed().as_secs_f64()
    );
    let damaged = damaged.keys;
    Ok(is_right & ask_again(options, &store, &damaged)?)
}

fn start_worker(options: &Options, folder: &Path, worker: usize) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .arg("store-stress")
        .arg(format!("--entries={}", options.entries))
        .arg(format!("--processes={}", options.processes))
        .arg(format!("--seed={}", options.seed))
        .arg(format!("--worker={worker}"))
        .arg("--store")
        .arg(folder)
        .stdin(Stdio::null())
        .spawn()
}

/// Asks for each counter again.
fn ask_again(options: &Options, store: &Arc<Store>, damaged: &BTreeSet<String>) -> Outcome<bool> {
    let (mut wrong, mut lost, mut repaired, mut open) = (0, 0, 0, 0);
    for number in 0..options.entries {
        let (is_right, is_stored) = decide(store, number)?;
        wrong += usize::from(!is_right);
        match (is_stored, damaged.contains(&key(number)?)) {
            (true, false) => {}
            (false, false) => lost += 1,
            (true, true) => repaired += 1,
            (false, true) => open += 1,
        }
    }
    let entries = store.statistics()?.evidence.entries;
    println!(
        "{entries} entries of {}; {wrong} wrong verdicts, {lost} lost entries; of {} damaged \
         entries, {repaired} were repaired by workers and {open} by this process",
        options.entries,
        damaged.len()
    );
    Ok(wrong == 0 && lost == 0)
}

fn key(number: usize) -> Outcome<String> {
    let keys = counter(number).0.proof_keys(&[PropertyId(0)])?;
    Ok(keys[0].to_string())
}

/// Damages entries.
struct Damaged<'a> {
    store: &'a Store,
    rng: Rng,
    keys: BTreeSet<String>,
}

impl Damaged<'_> {
    fn path(&self, key: &str) -> PathBuf {
        self.store.path().join("evidence").join(&key[..2]).join(&key[2..])
    }

    /// Damages a random entry; false if it is not there yet.
    fn damage(&mut self, entries: usize) -> Outcome<bool> {
        let [key, other] = [(); 2].map(|()| key(self.rng.below(entries)));
        let (key, other) = (key?, other?);
        let path = self.path(&key);
        let Ok(bytes) = fs::read(&path) else { return Ok(false) };
        let Ok(foreign) = fs::read(self.path(&other)) else { return Ok(false) };
        self.keys.insert(key.clone());
        let place = self.rng.below(bytes.len().max(1));
        let contents = match self.rng.below(7) {
            0 => bytes[..place].to_vec(),
            1 => bytes.iter().enumerate().map(|(at, &b)| b ^ u8::from(at == place)).collect(),
            2 => Vec::new(),
            3 => foreign,
            // Evidence about another counter, with a correct header.
            4 => String::from_utf8_lossy(&foreign).replace(&other, &key).into_bytes(),
            // A claim that everything is safe.
            5 => {
                let hash = "0762fbc5b7048f045ad460169d0462f752feea89bd6b53381c909008e4f2e94e";
                let text = format!("elinvar store 1\nevidence {key}\ndepth 0\nbody 10 {hash}\n");
                [text.as_bytes(), b"clauses 0\n"].concat()
            }
            _ => {
                fs::remove_file(&path).or_else(allow_missing)?;
                return Ok(true);
            }
        };
        fs::write(&path, contents)?;
        Ok(true)
    }
}

fn allow_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
