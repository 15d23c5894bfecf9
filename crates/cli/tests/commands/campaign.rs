//! `elinvar run`: campaigns, killed and resumed, on this machine and on Slurm.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use elinvar::campaign::{Follower, Line, Results};
use elinvar_formats::btor2;
use elinvar_models::families::chip;

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

/// Kills the whole campaign at different moments; what was decided is not lost, and not decided
/// again. `ELINVAR_KILLS` sets how often.
#[cfg(unix)]
#[test]
fn a_killed_campaign_goes_on() {
    use std::os::unix::process::CommandExt;
    let path = &folder();
    write_chip(path, 8);
    let kills: u64 =
        std::env::var("ELINVAR_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let words = ["run", "chip.btor2", "--directory", "c", "-j", "2", "--quiet"];
    for kill in 0..kills {
        let mut command = command(path);
        command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        if path.join("c/campaign.json").exists() {
            command.arg("--resume");
        }
        let mut child = command.spawn().unwrap();
        let before = decisions(&path.join("c")).len();
        // Somewhere before or after some more verdicts.
        let (start, more) = (Instant::now(), 1 + (kill as usize * 7) % 11);
        while decisions(&path.join("c")).len() < (before + more).min(80)
            && start.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(3 + kill % 5));
        }
        let group = format!("-{}", child.id());
        Command::new("kill").args(["-9", "--", &group]).status().unwrap();
        child.wait().unwrap();
        assert!(decisions(&path.join("c")).len() >= before);
    }
    let run = elinvar(path, &[&words[..], &["--resume"]].concat());
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    expect_verdicts(&path.join("c"), 8);
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
