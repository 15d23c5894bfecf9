//! The real binary, where files are written or output is read by a program.

use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

mod action;
mod benchexec;
mod campaign;
mod campaign_report;
mod ci;
mod competition;
mod designs;
mod explain;
mod families;
mod files;
mod games;
mod help;
mod html;
mod interpolation;
mod limits;
mod ltl;
mod names;
mod programs;
mod reuse;
mod sby;
mod schema;
mod store;
mod terminal;
mod vacuity;
mod values;
mod waveforms;
mod witnesses;
mod yosys;

const SAFE: u8 = 20;
const UNSAFE: u8 = 10;
const UNKNOWN: u8 = 0;
const ACCEPTED: u8 = 0;
const REFUSED: u8 = 1;
const USER_ERROR: u8 = 2;

/// Models of each format with a failing property, and how deep it lies.
const FAILING: &[(&str, usize)] = &[
    ("counter.aag", 7),
    ("counter_bug.btor2", 10),
    ("fifo_bug.btor2", 4),
    ("traffic_light.btor2", 4),
    ("midpoint.basm", 9),
    ("arrays.btor", 0),
];

/// Models of each format with one property, which holds.
const HOLDING: &[&str] = &[
    "arbiter.aag",
    "counter.btor",
    "counter.btor2",
    "memclear.btor",
    "memory.btor2",
    "parity.btor2",
    "peterson.btor2",
    "assertion.basm",
];

/// The ways to search for an optimum.
const STRATEGIES: [&str; 4] = ["constrain", "relax", "binary", "naive"];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elinvar"));
    command.current_dir(folder);
    command
}

struct Run {
    code: u8,
    stdout: String,
    stderr: String,
}

impl Run {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8 is printed");
        let code = output.status.code().expect("not killed") as u8;
        let run = Run { code, stdout: text(output.stdout), stderr: text(output.stderr) };
        schema::expect_valid(&run.stdout);
        run
    }
}

/// Runs `elinvar check --json`; returns the exit code and the report.
fn report(folder: &Path, words: &[&str]) -> (u8, Json) {
    let words = [&["check"], words, &["--json"]].concat();
    let run = elinvar(folder, &words);
    let json = serde_json::from_str(&run.stdout);
    (run.code, json.unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr)))
}

/// Runs `elinvar`; words that name examples are replaced by their paths.
fn elinvar(folder: &Path, words: &[&str]) -> Run {
    let mut command = command(folder);
    for word in words {
        match word.strip_prefix('@') {
            Some(name) => command.arg(example(name)),
            None => command.arg(word),
        };
    }
    Run::of(command.output().expect("the binary runs"))
}

/// Runs `elinvar` with this text as its standard input.
fn elinvar_reading(text: &[u8], words: &[&str]) -> Run {
    let mut child = command(Path::new("."))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("it is piped").write_all(text).expect("the input is read");
    Run::of(child.wait_with_output().expect("the binary ends"))
}

/// Starts `elinvar` and lets it work for a while.
fn started(folder: &Path, words: &[&str], time: Duration) -> Child {
    let mut command = command(folder);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    std::thread::sleep(time);
    child
}

/// Sends a signal, such as `-INT`, and waits for the end.
#[cfg(unix)]
fn signalled(child: Child, signal: &str) -> Run {
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    Run::of(child.wait_with_output().expect("the binary ends"))
}

/// A temporary folder that is removed when the value is dropped.
struct Folder(tempfile::TempDir);

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self
    }
}

fn folder() -> Folder {
    Folder(tempfile::tempdir().expect("a temporary folder"))
}

fn at(name: &str) -> String {
    format!("@{name}")
}

#[test]
fn counterexamples_are_written_and_verified() {
    let folder = folder();
    for &(name, depth) in FAILING {
        let path = &folder;
        let check = ["check", &at(name), "--witness", "w", "--vcd", "w.vcd", "--quiet"];
        assert_eq!(elinvar(path, &check).code, UNSAFE, "{name}");
        let verdict = elinvar(path, &["verify", &at(name), "w"]);
        assert_eq!(verdict.code, ACCEPTED, "{name}: {}", verdict.stdout);
        assert!(verdict.stdout.contains(&format!("in cycle {depth}.")), "{}", verdict.stdout);
        let vcd = std::fs::read_to_string(path.join("w.vcd")).unwrap();
        let last = format!("#{}\n", 10 * depth);
        assert!(vcd.contains("$enddefinitions") && vcd.contains(&last), "{name}");

        // Without its end, the file is refused and the place is named.
        let witness = std::fs::read(path.join("w")).unwrap();
        std::fs::write(path.join("cut"), &witness[..witness.len() - 2]).unwrap();
        let verdict = elinvar(path, &["verify", &at(name), "cut"]);
        assert_eq!(verdict.code, REFUSED, "{name}: {}", verdict.stdout);
        assert!(verdict.stdout.starts_with("refused\ncut:"), "{}", verdict.stdout);
    }
}

#[test]
fn proofs_are_written_and_verified() {
    let path = &folder();
    for name in HOLDING {
        let check = elinvar(path, &["check", &at(name), "--certificate", name, "-q"]);
        assert_eq!((check.code, check.stdout.as_str()), (SAFE, "safe\n"), "{name}");
        let verdict = elinvar(path, &["verify", &at(name), name]);
        assert_eq!(verdict.code, ACCEPTED, "{name}: {}{}", verdict.stdout, verdict.stderr);
    }
    // A proof about one model proves nothing about another.
    for (model, proof) in [
        ("counter_bug.btor2", "counter.btor2"),
        ("several.btor2", "parity.btor2"),
        ("fifo_bug.btor2", "memory.btor2"),
        ("counter_bug.btor2", "assertion.basm"),
    ] {
        let verdict = elinvar(path, &["verify", &at(model), proof, "--property", "0"]);
        assert_eq!(verdict.code, REFUSED, "{model} by {proof}: {}", verdict.stdout);
    }
}

#[test]
fn invariants_for_all_inputs_are_judged() {
    let path = &folder();
    elinvar(path, &["check", "@memclear.btor", "--certificate", "c", "-q"]);
    let text = std::fs::read_to_string(path.join("c")).unwrap();
    assert!(text.contains("\ninvariant for all inputs\n"), "{text}");
    let verify = |name: &str, text: String| {
        std::fs::write(path.join("c"), text).unwrap();
        elinvar(path, &["verify", name, "c"])
    };
    assert_eq!(verify("@memclear.btor", text.clone()).code, ACCEPTED);
    // The negated invariant, a part of it, and the invariant of another model.
    let bad = text.lines().last().unwrap();
    let number = bad.split(' ').nth(2).unwrap();
    let negated = bad.replacen(&format!("bad {number}"), &format!("bad -{number}"), 1);
    let run = verify("@memclear.btor", text.replace(bad, &negated));
    assert_eq!(run.code, REFUSED, "{}", run.stdout);
    assert_eq!(verify("@memclear.btor", text.replace(bad, "")).code, REFUSED);
    let run = verify("@counter.btor", text);
    assert_eq!(run.code, REFUSED, "{}", run.stderr);
    assert!(run.stdout.contains("not about this model"), "{}", run.stdout);
}

/// The text format is for what is quantified over inputs only.
#[test]
fn invariants_about_states_are_circuits() {
    let path = &folder();
    // `wrong` stays as it is, `done` is what the input was; bad is both.
    let model = "aag 4 1 2 0 1 1\n2\n4 2\n6 6\n8\n8 4 6\n";
    std::fs::write(path.join("model.aag"), model).unwrap();
    let words =
        ["check", "model.aag", "--engine", "kind", "--distinct", "never", "--certificate", "c.aag"];
    let run = elinvar(path, &words);
    assert!(run.stdout.contains("proved by an inductive invariant of 1 node,"), "{}", run.stdout);
    elinvar(path, &["check", "@fifo.btor2", "--certificate", "c.btor2", "-q"]);
    for (model, file, start) in
        [("model.aag", "c.aag", "aag 5 1 2"), ("@fifo.btor2", "c.btor2", "1 sort ")]
    {
        let circuit = std::fs::read_to_string(path.join(file)).unwrap();
        assert!(circuit.starts_with(start), "{circuit}");
        let verdict = elinvar(path, &["verify", model, file]);
        assert_eq!(verdict.code, ACCEPTED, "{file}: {}{}", verdict.stdout, verdict.stderr);
    }
}

/// Every byte of a witness circuit's gates counts: a change is either refused
/// or yields another circuit that proves the property as well, never an error.
#[test]
fn changed_circuits_are_judged_without_failure() {
    let path = &folder();
    elinvar(path, &["check", "@arbiter.aag", "--certificate", "c.aag", "-q"]);
    let circuit = std::fs::read(path.join("c.aag")).unwrap();
    let mut refused = 0;
    for place in (0..circuit.len()).step_by(3).filter(|&i| circuit[i].is_ascii_digit()) {
        let mut changed = circuit.clone();
        changed[place] ^= 1;
        std::fs::write(path.join("changed"), &changed).unwrap();
        let verdict = elinvar(path, &["verify", "@arbiter.aag", "changed"]);
        assert!([ACCEPTED, REFUSED].contains(&verdict.code), "{place}: {}", verdict.stderr);
        refused += usize::from(verdict.code == REFUSED);
    }
    assert!(refused > 10, "only {refused} refused");
}

#[test]
fn the_competition_call_writes_one_file() {
    let path = &folder();
    let run = elinvar(path, &["@counter.aag", "a.sat", "a.unsat"]);
    assert_eq!((run.code, run.stdout.as_str()), (UNSAFE, "sat\n"));
    assert!(path.join("a.sat").exists() && !path.join("a.unsat").exists());
    let run = elinvar(path, &["@arbiter.aag", "b.sat", "b.aig"]);
    assert_eq!((run.code, run.stdout.as_str()), (SAFE, "unsat\n"));
    assert!(!path.join("b.sat").exists());
    assert!(std::fs::read(path.join("b.aig")).unwrap().starts_with(b"aig "));
    assert_eq!(elinvar(path, &["verify", "@arbiter.aag", "b.aig"]).code, ACCEPTED);
    // A file that is called like a subcommand does not hide it.
    std::fs::write(path.join("check"), "").unwrap();
    assert_eq!(elinvar(path, &["check", "@arbiter.aag", "--quiet"]).code, SAFE);
    let run = elinvar(path, &["@arbiter.aag"]);
    assert!(run.code == USER_ERROR && run.stderr.contains("say `elinvar check"), "{}", run.stderr);
}

#[test]
fn conversions_keep_the_verdict() {
    let path = &folder();
    for (name, verdict) in [
        ("counter.aag", UNSAFE),
        ("arbiter.aag", SAFE),
        ("reset.aag", SAFE),
        ("counter.btor", SAFE),
        ("fifo_bug.btor2", UNSAFE),
        ("gray.btor2", SAFE),
        ("several.btor2", UNSAFE),
    ] {
        for target in ["m.aag", "m.aig", "m.btor2"] {
            let run = elinvar(path, &["convert", &at(name), "-o", target]);
            assert_eq!(run.code, 0, "{name} to {target}: {}", run.stderr);
            assert_eq!(elinvar(path, &["check", target, "-q"]).code, verdict, "{name} {target}");
        }
    }
    let one = elinvar(path, &["convert", "@several.btor2", "-o", "one.aag", "--property", "odd"]);
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(elinvar(path, &["check", "one.aag", "-q"]).code, SAFE);
    let convert =
        ["convert", "@several.btor2", "--property", "odd", "--bound", "3", "-o", "m.smt2"];
    assert_eq!(elinvar(path, &convert).code, 0);
    assert!(std::fs::read_to_string(path.join("m.smt2")).unwrap().contains("(check-sat)"));
    let dot = elinvar(path, &["convert", "@arbiter.aag", "-o", "-", "--format", "dot"]);
    assert!(dot.stdout.starts_with("digraph"));
}

fn json(words: &[&str]) -> (u8, Json) {
    json_in(Path::new("."), words)
}

fn json_in(folder: &Path, words: &[&str]) -> (u8, Json) {
    let run = elinvar(folder, words);
    let report = serde_json::from_str(&run.stdout);
    (run.code, report.unwrap_or_else(|error| panic!("no object of JSON: {error}: {}", run.stderr)))
}

#[test]
fn json_has_the_promised_shape() {
    let (code, report) = json(&["check", "@several.btor2", "--json"]);
    assert_eq!(
        (code, &report["verdict"], &report["reason"]),
        (UNSAFE, &"unsafe".into(), &Json::Null)
    );
    assert!(report["engine"].is_string() && report["seconds"].is_f64());
    assert!(report["statistics"]["queries"].is_u64());
    assert!(report["statistics"]["conflicts"].is_u64());
    assert!(report["statistics"]["array_lemmas"].is_u64());
    let properties = report["properties"].as_array().unwrap();
    let verdicts: Vec<&str> = properties.iter().map(|p| p["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["safe", "unsafe", "unsafe", "safe"]);
    assert_eq!(properties[3]["name"], "odd");
    assert_eq!(properties[3]["index"], 3);
    assert!(properties[3]["seconds"].is_f64());
    assert_eq!(properties[0]["certificate"]["kind"], "k-inductive");
    assert_eq!(properties[0]["certificate"]["k"], 1);
    assert_eq!(properties[1]["depth"], 5);
    let fast = &properties[1]["trace"]["signals"][0];
    assert_eq!((&fast["name"], &fast["width"]), (&"fast".into(), &8.into()));
    assert_eq!(fast["values"][5], "00001010");
}

#[test]
fn json_says_why_there_is_no_verdict() {
    let words = ["check", "@counter.btor2", "--engine", "bmc", "--bound", "3", "--json"];
    let (code, report) = json(&words);
    assert_eq!((code, &report["verdict"]), (UNKNOWN, &"unknown".into()));
    assert!(report["reason"].as_str().unwrap().contains("bound"));
    assert_eq!(report["properties"][0]["depth"], 3);
}

#[test]
fn json_tells_where_a_proof_converged() {
    let (code, report) = json(&["check", "@arbiter.aag", "--engine", "pdr", "--json"]);
    let property = &report["properties"][0];
    assert_eq!((code, &property["certificate"]["kind"]), (SAFE, &"inductive".into()));
    assert_eq!(property["depth"], 1);
}

#[test]
fn arrays_appear_in_json() {
    let (_, report) = json(&["check", "@fifo_bug.btor2", "--json"]);
    let signals = report["properties"][0]["trace"]["signals"].as_array().unwrap();
    let memory = signals.iter().find(|s| s["name"] == "queue.memory").unwrap();
    assert_eq!((&memory["index_width"], &memory["width"]), (&2.into(), &8.into()));
    assert!(memory["values"][0]["default"].is_string());
}

/// Every model has its verdict with each of these options of `check`.
fn expect_verdicts(models: &[(&str, u8)], options: &[&str]) {
    let path = &folder();
    for &(name, verdict) in models {
        for options in options {
            let name = at(name);
            let mut words = vec!["check", "-q", &name];
            words.extend(options.split_whitespace());
            assert_eq!(elinvar(path, &words).code, verdict, "{name} {options}");
        }
    }
}

#[test]
fn options_of_the_engines_do_not_change_verdicts() {
    expect_verdicts(
        &[("counter_bug.btor2", UNSAFE), ("assertion.basm", SAFE), ("counter.aag", UNSAFE)],
        &[
            "--engine kind",
            "--engine kind --distinct eager",
            "--engine kind --distinct lazy --no-incremental",
            "--engine kind --no-strengthen",
            "--seed 7",
            "--bound 30",
            "-j 3",
        ],
    );
    expect_verdicts(
        &[("counter_bug.btor2", UNSAFE)],
        &[
            "--engine bmc",
            "--engine bmc --start 5",
            "--engine bmc --step 4",
            "--engine bmc --no-incremental",
        ],
    );
}

#[test]
fn options_of_pdr_do_not_change_verdicts() {
    expect_verdicts(
        &[("peterson.btor2", SAFE), ("counter.aag", UNSAFE), ("several.btor2", UNSAFE)],
        &[
            "--engine pdr",
            "--engine pdr --passes none",
            "--engine pdr --passes cone,registers --no-elimination",
            "--engine pdr --ctg 0",
            "--engine pdr --ctg 5 --ctg-depth 2 --seed 3",
            "--engine pdr --attempts 1 --drop-obligations 0 --patience 1",
        ],
    );
    let words = ["check", "@memory.btor2", "--engine", "pdr", "--memory-limit", "1"];
    let run = elinvar(&folder(), &words);
    assert_eq!(run.code, UNKNOWN);
    assert!(run.stdout.contains("more than the limit of 1 bits"), "{}", run.stdout);
}

#[test]
fn one_thread_does_the_same_each_time() {
    for options in [&[] as &[&str], &["--engine", "pdr", "--seed", "5"]] {
        let run = || {
            let mut words = vec!["check", "@peterson.btor2", "--json"];
            words.extend(options);
            let (_, mut report) = json(&words);
            without_times(&mut report);
            report
        };
        assert_eq!(run(), run(), "{options:?}");
    }
}

/// Takes out what differs from run to run.
fn without_times(value: &mut Json) {
    match value {
        Json::Object(object) => {
            object.retain(|key, _| !key.ends_with("seconds"));
            object.values_mut().for_each(without_times);
        }
        Json::Array(values) => values.iter_mut().for_each(without_times),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

#[test]
fn statistics_of_pdr_are_complete() {
    let words = ["check", "@peterson.btor2", "--engine", "pdr", "--json"];
    let (code, report) = json(&words);
    assert_eq!((code, &report["engine"]), (SAFE, &"pdr".into()));
    assert_eq!(report["properties"][0]["engine"], "pdr");
    assert!(report["check_seconds"].as_f64().unwrap() > 0.0);
    let certificate = &report["properties"][0]["certificate"];
    assert_eq!(certificate["kind"], "inductive");
    assert!(certificate["clauses"].as_u64() < certificate["literals"].as_u64());
    let statistics = &report["statistics"];
    let passes = statistics["passes"].as_array().unwrap();
    assert!(passes.iter().any(|pass| pass["name"] == "cone"));
    assert!(passes[0]["after"]["registers"].as_u64().unwrap() > 0);
    let pdr = &statistics["pdr"];
    let kinds = pdr["queries"].as_object().unwrap();
    let queries: u64 = kinds.values().map(|kind| kind["queries"].as_u64().unwrap()).sum();
    assert_eq!(statistics["queries"], queries);
    assert!(pdr["frontier"].as_u64().unwrap() > 0 && pdr["lemmas"].as_u64().unwrap() > 0);
    let literals = &pdr["literals"]["core"];
    assert!(literals["mean_before"].as_f64() >= literals["mean_after"].as_f64());
    let table = elinvar(Path::new("."), &["check", "@peterson.btor2", "--stats", "-q"]).stderr;
    for part in ["registers", "lifting", "lemmas by frame", "checking of evidence", "pushes"] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

#[test]
fn threads_agree_with_one() {
    for (name, verdict) in [
        ("peterson.btor2", SAFE),
        ("memclear.btor", SAFE),
        ("counter.aag", UNSAFE),
        ("several.btor2", UNSAFE),
    ] {
        for threads in ["0", "2", "4"] {
            let (code, report) = json(&["check", &at(name), "-j", threads, "--json"]);
            assert_eq!(code, verdict, "{name} with {threads}");
            for property in report["properties"].as_array().unwrap() {
                assert!(property["engine"].is_string(), "{name}: {property}");
            }
        }
    }
    let folder = folder();
    let model = hard_model(&folder);
    let run = elinvar(&folder, &["check", &model, "-j", "2", "--timeout", "0.5"]);
    assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
    assert!(run.stdout.contains("the time limit was reached"), "{}", run.stdout);
}

#[test]
fn bounds_that_need_no_solver_end_with_the_time() {
    let folder = folder();
    std::fs::write(folder.join("m.aag"), "aag 0 0 0 0 0 1\n0\n").unwrap();
    let words = ["check", "m.aag", "--engine", "bmc", "--timeout", "0.1", "-q"];
    assert_eq!(elinvar(&folder, &words).code, UNKNOWN);
}

#[test]
fn each_property_has_its_own_evidence() {
    let path = &folder();
    let words =
        ["check", "@several.btor2", "--witness", "w.txt", "--certificate", "c.cert.btor2", "-q"];
    assert_eq!(elinvar(path, &words).code, UNSAFE);
    let mut files: Vec<String> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["c.cert.0.btor2", "c.cert.3.btor2", "w.1.txt", "w.2.txt"]);
    for (file, property) in files.iter().zip(["0", "3", "1", "2"]) {
        let verify = ["verify", "@several.btor2", file, "--property", property];
        assert_eq!(elinvar(path, &verify).code, ACCEPTED, "{file}");
    }
    // One property, chosen: the file has the name that was given.
    let words = ["check", "@several.btor2", "--property", "odd", "--certificate", "odd", "-q"];
    assert_eq!(elinvar(path, &words).code, SAFE);
    assert_eq!(elinvar(path, &["verify", "@several.btor2", "odd"]).code, ACCEPTED);
}

#[test]
fn minimized_proofs_are_proofs() {
    let path = &folder();
    let clauses = |more: &[&str]| {
        let mut command = command(path);
        command.arg("check").arg(example("peterson.btor2"));
        command.args(["--engine", "pdr", "--json", "--certificate", "c.btor2"]).args(more);
        let run = Run::of(command.output().unwrap());
        assert_eq!(run.code, SAFE, "{}", run.stderr);
        let report: Json = serde_json::from_str(&run.stdout).unwrap();
        report["properties"][0]["certificate"]["clauses"].as_u64().unwrap()
    };
    let found = clauses(&[]);
    assert!((1..=found).contains(&clauses(&["--minimize"])));
    assert_eq!(elinvar(path, &["verify", "@peterson.btor2", "c.btor2"]).code, ACCEPTED);
    // Proofs without clauses stay what they are.
    let words = ["check", "@counter.btor2", "--certificate", "c", "--minimize", "-q"];
    assert_eq!(elinvar(path, &words).code, SAFE);
}

/// Writes a model whose first property is easy to prove. The second asks for
/// the factors of a prime, after the first cycle: easy to state, long to decide.
fn hard_model(folder: &Path) -> String {
    let text = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 64\n\
                 4 zero 1\n5 state 1 still\n6 init 1 5 4\n7 next 1 5 5\n8 bad 5 moves\n\
                 10 input 2 x\n11 input 2 y\n12 uext 3 10 32\n13 uext 3 11 32\n\
                 14 mul 3 12 13\n15 constd 3 12764787846358441471\n16 eq 1 14 15\n\
                 17 one 1\n18 state 1 late\n19 init 1 18 4\n20 next 1 18 17\n\
                 21 and 1 16 18\n22 bad 21 factors\n";
    std::fs::write(folder.join("hard.btor2"), text).unwrap();
    "hard.btor2".to_owned()
}

#[test]
fn limits_end_in_unknown() {
    let path = &folder();
    let model = hard_model(path);
    for limit in [["--timeout", "0.3"], ["--memory", "1"]] {
        let words: Vec<&str> = ["check", &model, "--json"].into_iter().chain(limit).collect();
        let start = Instant::now();
        let run = elinvar(path, &words);
        let report: Json = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, &report["verdict"]), (UNKNOWN, &"unknown".into()), "{limit:?}");
        assert!(report["reason"].as_str().unwrap().contains("limit was reached"), "{limit:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "{limit:?}");
    }
}

#[test]
fn what_was_decided_before_a_limit_is_told() {
    let path = &folder();
    let run = elinvar(path, &["check", &hard_model(path), "--timeout", "0.5", "--json"]);
    assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
    let report: Json = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["properties"][0]["verdict"], "safe");
    assert_eq!(report["properties"][1]["verdict"], "unknown");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_in_order() {
    let folder = folder();
    let model = hard_model(&folder);
    let child = started(&folder, &["check", &model], Duration::from_millis(500));
    let run = signalled(child, "-INT");
    assert_eq!(run.code, UNKNOWN);
    assert!(run.stdout.starts_with("unknown\n") && run.stdout.contains("interrupted"));
    assert!(run.stdout.contains("moves    safe"), "what is known is told: {}", run.stdout);
    assert_eq!(run.stderr, "", "no progress where there is no terminal");
}

#[test]
fn models_are_read_from_standard_input() {
    let model = std::fs::read(example("counter.btor2")).unwrap();
    let run = elinvar_reading(&model, &["check", "-", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str()), (SAFE, "safe\n"));
}

#[test]
fn the_content_tells_the_format_not_the_name() {
    let path = &folder();
    for name in ["counter.aag", "counter_bug.btor2", "midpoint.basm"] {
        std::fs::copy(example(name), path.join("model")).unwrap();
        assert_eq!(elinvar(path, &["check", "model", "-q"]).code, UNSAFE, "{name}");
    }
}

#[test]
fn simulations_are_written_as_waveforms() {
    let path = &folder();
    let run = elinvar(path, &["simulate", "@fifo.btor2", "--cycles", "5", "--vcd", "s.vcd"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(std::fs::read_to_string(path.join("s.vcd")).unwrap().contains("#40\n"));
    let again = elinvar(path, &["simulate", "@fifo.btor2", "--cycles", "5"]);
    assert_eq!(run.stdout, again.stdout, "the same seed gives the same run");
    // A model without any property can be simulated too.
    std::fs::write(path.join("none.aag"), "aag 1 1 0 0 0\n2\n").unwrap();
    assert_eq!(elinvar(path, &["simulate", "none.aag", "--vcd", "n.vcd"]).code, 0);
}

#[test]
fn files_that_cannot_be_written_are_user_errors() {
    let path = &folder();
    let run = elinvar(path, &["check", "@counter.aag", "--witness", "no/such/w"]);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.starts_with("error: cannot write no/such/w: "), "{}", run.stderr);
    assert_eq!(run.stdout, "", "said before any work is done");
    std::fs::create_dir(path.join("taken")).unwrap();
    let run = elinvar(path, &["check", "@counter.aag", "--witness", "taken", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{}", run.stderr);
    std::fs::remove_dir(path.join("taken")).unwrap();
    let run = elinvar(path, &["convert", "@midpoint.basm", "-o", "m.aig"]);
    assert_eq!(run.code, USER_ERROR);
    assert_eq!(std::fs::read_dir(path).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn statistics_go_to_standard_error() {
    let run = elinvar(
        Path::new("."),
        &["check", "@counter.aag", "--engine", "bmc", "--stats", "--quiet"],
    );
    assert_eq!(run.stdout, "unsafe\n");
    assert!(run.stderr.contains("conflicts") && run.stderr.contains("array lemmas: 0"));
}

#[test]
fn every_subcommand_has_help_and_completions() {
    let main = elinvar(Path::new("."), &["--help"]);
    assert_eq!(main.code, 0);
    for name in [
        "check",
        "verify",
        "simulate",
        "convert",
        "pebble",
        "peterson",
        "sby",
        "stats",
        "completions",
    ] {
        assert!(main.stdout.contains(name));
        assert_eq!(elinvar(Path::new("."), &[name, "--help"]).code, 0, "{name}");
    }
    assert!(elinvar(Path::new("."), &["--version"]).stdout.starts_with("elinvar "));
    for shell in ["bash", "zsh", "fish"] {
        let script = elinvar(Path::new("."), &["completions", shell]).stdout;
        assert!(script.contains("certificate"), "{shell}");
    }
    assert_eq!(elinvar(Path::new("."), &["frobnicate"]).code, USER_ERROR);
}
