//! `elinvar run`: campaigns, killed and resumed, on this machine and on Slurm.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use elinvar::campaign::{Follower, Line, Outcome, Results};
use elinvar_formats::btor2;
use elinvar_models::families::{chip, chip_edited, fifo};

use super::*;

/// A design of some units with ten properties each; two of eight units have one that fails.
fn write_chip(folder: &Path, units: u32) {
    let text = btor2::write(&chip(units).unwrap()).unwrap();
    std::fs::write(folder.join("chip.btor2"), text).unwrap();
}

/// How often each property was decided, by the lines of the logs.
fn decisions(campaign: &Path) -> BTreeMap<usize, Vec<String>> {
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for line in Follower::default().lines(campaign).unwrap() {
        if let Line::Result(line) = line
            && line.is_decided()
        {
            found.entry(line.property).or_default().push(line.verdict);
        }
    }
    found
}

/// Each property of the chip is decided once, and as it should be.
fn expect_verdicts(campaign: &Path, units: usize) {
    let found = decisions(campaign);
    assert_eq!(found.len(), 10 * units);
    for (property, verdicts) in found {
        let fails = property % 10 == 9 && (property / 10) % 4 == 0;
        assert_eq!(verdicts, [if fails { "unsafe" } else { "safe" }], "property {property}");
    }
}

#[test]
fn models_are_decided_and_nothing_is_decided_again() {
    let path = &folder();
    let run =
        elinvar(path, &["run", "@several.btor2", "@arbiter.aag", "--directory", "c", "-j", "2"]);
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    let last = run.stdout.lines().last().unwrap();
    assert!(last.starts_with("unsafe: ") && last.contains(" 0 undecided"), "{}", run.stdout);
    let results = Results::read(&path.join("c")).unwrap();
    assert!(results.is_complete());
    let mut emptied = 0;
    for property in &results.properties {
        let line = property.decided().unwrap();
        let evidence = line.certificate.as_ref().or(line.trace.as_ref()).unwrap();
        let model = &results.plan.models[property.model].name;
        let evidence = path.join("c").join(evidence);
        let number = property.index.to_string();
        let words = ["verify", model, evidence.to_str().unwrap(), "--property", &number];
        assert_eq!(elinvar(path, &words).code, ACCEPTED, "{}", property.name);
        // Without its clauses, a proof is none.
        let text = std::fs::read_to_string(&evidence).unwrap();
        if text.contains("invariant of clauses") {
            let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("clause")).collect();
            std::fs::write(&evidence, kept.join("\n")).unwrap();
            assert_eq!(elinvar(path, &words).code, REFUSED, "{}", property.name);
            emptied += 1;
        }
    }
    assert!(emptied > 0);
    let again = elinvar(path, &["run", "@several.btor2", "--directory", "c"]);
    assert!(again.code == USER_ERROR && again.stderr.contains("--resume"), "{}", again.stderr);
    let before = std::fs::read_dir(path.join("c/log")).unwrap().count();
    let resumed = elinvar(path, &["run", "--directory", "c", "--resume"]);
    assert_eq!((resumed.code, resumed.stdout.lines().last().unwrap()), (UNSAFE, last));
    assert_eq!(std::fs::read_dir(path.join("c/log")).unwrap().count(), before);
    let missing = elinvar(path, &["run", "@several.btor2", "--directory", "d", "--resume"]);
    assert!(missing.code == USER_ERROR && missing.stderr.contains("no campaign in"));
}

#[test]
fn faults_of_a_campaign_have_places() {
    let path = &folder();
    let run = |text: &str| {
        std::fs::write(path.join("c.toml"), text).unwrap();
        let run = elinvar(path, &["run", "c.toml"]);
        assert_eq!(run.code, USER_ERROR, "{}", run.stdout);
        // Nothing is left of a campaign that could not begin.
        assert!(!path.join("c.campaign").exists());
        run.stderr
    };
    std::fs::write(path.join("m.aag"), "aag 1 0 1\n").unwrap();
    assert!(run("modles = 1\n").starts_with("c.toml:1:1: error: there is no key modles"));
    assert!(run("models = \"x*\"\n").starts_with("c.toml:1:10: error: no file matches x*"));
    assert!(run("models = \"m.aag\"\n").starts_with("m.aag:1:"));
    let strategy =
        "models = \"m.aag\"\n[[strategy]]\nname = \"q\"\noptions = [\"--engine\", \"x\"]\n";
    assert!(run(strategy).starts_with("c.toml:4:11: error: invalid value 'x'"));
    let wrong = elinvar(path, &["run", "m.aag", "--strategy", "magic 3s"]);
    assert!(wrong.code == USER_ERROR && wrong.stderr.contains("magic"));
}

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Kills the whole campaign at random moments; what was decided is not lost, and not decided
/// again. `ELINVAR_KILLS` sets how often, and `ELINVAR_SEED` repeats the moments.
#[cfg(unix)]
#[test]
fn a_killed_campaign_goes_on() {
    use std::os::unix::process::CommandExt;
    let path = &folder();
    write_chip(path, 8);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = number("ELINVAR_SEED").unwrap_or(now.as_nanos() as u64);
    // Shown if the test fails.
    eprintln!("the moments are those of ELINVAR_SEED={seed}");
    let mut rng = elinvar::ir::Rng::new(seed);
    let kills = number("ELINVAR_KILLS").unwrap_or(3);
    let words = |campaign: &str| {
        ["run", "chip.btor2", "--directory", campaign, "-j", "2", "--quiet"].map(str::to_owned)
    };
    // How long a campaign takes if nobody kills it.
    let start = Instant::now();
    let run = elinvar(path, &words("whole").each_ref().map(|word| &word[..]));
    let whole = start.elapsed();
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    expect_verdicts(&path.join("whole"), 8);
    let (mut campaign, mut number, mut interrupted) = (String::from("c0"), 0, 0);
    for _ in 0..kills {
        let folder = path.join(&campaign);
        let before = decisions(&folder).len();
        let mut command = command(path);
        command.args(words(&campaign)).stdout(Stdio::null()).stderr(Stdio::null());
        if folder.join("campaign.json").exists() {
            command.arg("--resume");
        }
        let mut child = command.process_group(0).spawn().unwrap();
        let share = rng.below(1000) as u32;
        std::thread::sleep(whole * share / 1000);
        let group = format!("-{}", child.id());
        // The campaign may be over by now.
        Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status().unwrap();
        child.wait().unwrap();
        let after = decisions(&folder).len();
        assert!(after >= before, "{after} of {before} verdicts are left");
        interrupted += usize::from(after < 80);
        if after == 80 {
            expect_verdicts(&folder, 8);
            number += 1;
            campaign = format!("c{number}");
        }
    }
    if path.join(&campaign).join("campaign.json").exists() {
        let resumed = words(&campaign);
        let mut resumed: Vec<&str> = resumed.iter().map(|word| &word[..]).collect();
        resumed.push("--resume");
        let run = elinvar(path, &resumed);
        assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
        expect_verdicts(&path.join(&campaign), 8);
    }
    eprintln!("{interrupted} of {kills} kills came before the end of a campaign");
}

/// An interrupt ends the workers, and the next run goes on.
#[cfg(unix)]
#[test]
fn an_interrupted_campaign_can_be_resumed() {
    let path = &folder();
    write_chip(path, 48);
    let words = ["run", "chip.btor2", "--directory", "c", "-j", "1"];
    let child = started(path, &words, Duration::from_millis(50));
    while decisions(&path.join("c")).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let run = signalled(child, "-TERM");
    assert!(run.stderr.contains("--resume goes on"), "{}", run.stderr);
    let run = elinvar(path, &[&words[..], &["--resume", "--quiet"]].concat());
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    expect_verdicts(&path.join("c"), 48);
}

/// What the store knows is only checked again.
#[test]
fn a_second_campaign_uses_the_store() {
    let path = &folder();
    write_chip(path, 2);
    let run = |directory: &str| {
        let words =
            ["run", "chip.btor2", "--directory", directory, "--store", "proofs", "-j", "1", "-q"];
        let run = elinvar(path, &words);
        assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
        Results::read(&path.join(directory)).unwrap().totals().from_store
    };
    assert_eq!((run("first"), run("second")), (0, 20));
    // The store is asked about all properties in one task, and nothing is left for the others.
    let results = Results::read(&path.join("second")).unwrap();
    let begun = |stored: bool| {
        let tasks = results.plan.tasks.iter().zip(&results.tasks);
        tasks.filter(|(task, state)| task.stored == stored && state.attempts > 0).count()
    };
    assert_eq!((begun(true), begun(false)), (1, 0));
    // After an edit, engines decide what has changed, and only that.
    let text = btor2::write(&chip_edited(10, 9).unwrap()).unwrap();
    std::fs::write(path.join("chip.btor2"), text).unwrap();
    let edited = run("third");
    expect_verdicts(&path.join("third"), 10);
    assert!(edited > 0 && edited < 100, "{edited} from the store");
}

/// A cluster of two nodes on the loopback interface.
struct Cluster {
    folder: Folder,
    script: PathBuf,
}

impl Cluster {
    fn start() -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/slurm/loopback");
        let folder = folder();
        let output = Command::new(&script).arg("start").arg(&*folder).output().ok()?;
        let cluster = Cluster { folder, script };
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            eprintln!("skipped: Slurm cannot be started: {}", why.trim());
            return None;
        }
        Some(cluster)
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = command(folder);
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    fn slurm(&self, words: &[&str]) -> String {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("SLURM_CONF", self.folder.join("slurm.conf"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        Command::new(&self.script).arg("stop").arg(&*self.folder).status().ok();
    }
}

/// Workers on two nodes share a campaign. One of them is killed, and its task is repeated.
#[cfg(unix)]
#[test]
fn slurm_runs_workers_on_two_nodes() {
    let Some(cluster) = Cluster::start() else { return };
    let path = &folder();
    write_chip(path, 16);
    let words = ["run", "chip.btor2", "--directory", "c", "-j", "2", "--launcher", "slurm"];
    let mut command = cluster.command(path);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let campaign = path.join("c");
    let start = Instant::now();
    while decisions(&campaign).len() < 3 && start.elapsed() < Duration::from_secs(100) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let results = Results::read(&campaign).unwrap();
    let victim = results.workers.values().next().expect("a worker has started");
    Command::new("kill").args(["-9", &victim.pid.to_string()]).status().unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    expect_verdicts(&campaign, 16);
    let results = Results::read(&campaign).unwrap();
    let jobs: std::collections::BTreeSet<_> =
        results.workers.values().filter_map(|worker| worker.job.clone()).collect();
    assert!(jobs.len() >= 2, "{jobs:?}");
    // An interrupt cancels the job, long before its end.
    write_chip(path, 128);
    let words = ["run", "chip.btor2", "--directory", "d", "-j", "2", "--launcher", "slurm"];
    let mut command = cluster.command(path);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let start = Instant::now();
    while decisions(&path.join("d")).is_empty() && start.elapsed() < Duration::from_secs(100) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let run = signalled(child, "-INT");
    assert!(run.stderr.contains("--resume goes on"), "{}", run.stderr);
    let queue = cluster.slurm(&["squeue", "--noheader", "--states=running,pending"]);
    assert_eq!(queue.trim(), "", "the job is still there");
}

/// A task that needs more than the share of its worker runs again, alone and with all of the
/// memory.
#[cfg(target_os = "linux")]
#[test]
fn a_task_that_needs_much_memory_runs_again_alone() {
    let path = &folder();
    write_chip(path, 2);
    let large = btor2::write(&fifo(64, 64).unwrap()).unwrap();
    std::fs::write(path.join("large.btor2"), large).unwrap();
    let words = ["run", "large.btor2", "chip.btor2", "--directory", "c", "-j", "2"];
    // Nine steps take about 60 MiB, whatever the speed of the machine.
    let limits = ["--memory", "90", "--strategy", "bmc --bound 9 200s", "--quiet"];
    let run = elinvar(path, &[&words[..], &limits].concat());
    assert_eq!(run.code, UNKNOWN, "{}{}", run.stdout, run.stderr);
    let campaign = path.join("c");
    let results = Results::read(&campaign).unwrap();
    assert!(results.is_complete());
    let task = results.plan.tasks.iter().find(|task| task.model == 0).unwrap().id;
    let state = &results.tasks[task.0];
    assert!(state.needs_memory && state.attempts == 2, "{state:?}");
    let lines = Follower::default().lines(&campaign).unwrap();
    // The first attempt ended for lack of memory, and its worker was replaced.
    let ends = |line: &Line| match line {
        Line::End(end) if end.task == task.to_string() => Some(end.outcome),
        _ => None,
    };
    let mut ends: Vec<Outcome> = lines.iter().filter_map(ends).collect();
    ends.sort_by_key(|&outcome| outcome == Outcome::Done);
    assert_eq!(ends, [Outcome::Memory, Outcome::Done]);
    assert!(results.workers.len() >= 3, "{:?}", results.workers.keys());
    // While it ran alone, no other task did: all have ended before.
    let alone = lines.iter().find_map(|line| match line {
        Line::Begin(begin) if begin.alone => Some(begin),
        _ => None,
    });
    let alone = alone.expect("a task runs alone");
    assert_eq!((alone.task.clone(), alone.attempt), (task.to_string(), 2));
    for line in &lines {
        if let Line::End(end) = line
            && end.task != alone.task
        {
            assert!(end.time <= alone.time, "{end:?} {alone:?}");
        }
    }
}

/// Starts a campaign on the cluster, and waits until it has decided something.
#[cfg(unix)]
fn begun(cluster: &Cluster, path: &Path, directory: &str) -> std::process::Child {
    let words = ["run", "chip.btor2", "--directory", directory, "-j", "2", "--launcher", "slurm"];
    let mut command = cluster.command(path);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let start = Instant::now();
    while decisions(&path.join(directory)).is_empty() && start.elapsed() < Duration::from_secs(100)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// The campaign ends with all verdicts, although its workers were stopped in between. Returns the
/// jobs of its workers and how often they gave a task back.
#[cfg(unix)]
fn completed(
    child: std::process::Child,
    campaign: &Path,
    units: usize,
) -> (std::collections::BTreeSet<String>, usize) {
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    expect_verdicts(campaign, units);
    let results = Results::read(campaign).unwrap();
    let jobs = results.workers.values().filter_map(|worker| worker.job.clone());
    let job = |element: String| element.split('_').next().unwrap_or_default().to_owned();
    let lines = Follower::default().lines(campaign).unwrap();
    let is_back = |line: &&Line| matches!(line, Line::End(end) if end.outcome == Outcome::Stopped);
    (jobs.map(job).collect(), lines.iter().filter(is_back).count())
}

/// A job that is requeued, preempted or cancelled by others loses no verdict.
#[cfg(unix)]
#[test]
fn slurm_requeues_preempts_and_cancels_jobs() {
    // So many that they take longer than Slurm takes to stop a job.
    const UNITS: u32 = 256;
    let Some(cluster) = Cluster::start() else { return };
    let path = &folder();
    write_chip(path, UNITS);
    let job =
        |directory: &str| std::fs::read_to_string(path.join(directory).join("slurm/job")).unwrap();
    let units = UNITS as usize;
    // Requeued: the same job starts again.
    let child = begun(&cluster, path, "requeued");
    cluster.slurm(&["scontrol", "requeue", &job("requeued")]);
    let (jobs, back) = completed(child, &path.join("requeued"), units);
    assert!(jobs.len() == 1 && back > 0, "{jobs:?} {back}");
    let started = Results::read(&path.join("requeued")).unwrap().workers.len();
    assert!(started >= 3, "{started} workers");
    // Preempted by a job of a partition that comes first, likewise.
    let child = begun(&cluster, path, "preempted");
    let urgent = ["--partition=urgent", "--array=0-1", "--wrap=sleep 1", "--output=/dev/null"];
    cluster.slurm(&[&["sbatch"], &urgent[..]].concat());
    let (jobs, back) = completed(child, &path.join("preempted"), units);
    assert!(jobs.len() == 1 && back > 0, "{jobs:?} {back}");
    // Cancelled by somebody else: the command submits another job.
    let child = begun(&cluster, path, "cancelled");
    cluster.slurm(&["scancel", &job("cancelled")]);
    let (jobs, back) = completed(child, &path.join("cancelled"), units);
    assert!(jobs.len() == 2 && back > 0, "{jobs:?} {back}");
}
