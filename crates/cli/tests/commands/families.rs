//! `check --parameter`: the bound at which a property begins to fail.

use super::*;

/// A counter of four bits that counts when it is told to; what it may count to
/// depends on `limit`, by a line about the counter 6 and the limit 5 that ends with the
/// constraint 13. Its properties are that it is below nine, and below twelve.
fn family(folder: &Path, constraint: &str) -> &'static str {
    let text = format!(
        "1 sort bitvec 1\n2 sort bitvec 4\n3 zero 2\n4 one 2\n5 input 2 limit\n\
         6 state 2 count\n7 init 2 6 3\n8 add 2 6 4\n9 input 1 enable\n10 ite 2 9 8 6\n\
         11 next 2 6 10\n{constraint}\n\
         20 constd 2 9\n21 ugte 1 6 20\n22 bad 21 nine\n\
         23 constd 2 12\n24 ugte 1 6 23\n25 bad 24 twelve\n"
    );
    std::fs::write(folder.join("family.btor2"), text).unwrap();
    "family.btor2"
}

/// The counter is at most the limit.
const UP_TO: &str = "12 ulte 1 6 5\n13 constraint 12";
/// The counter is at most what the limit leaves of fifteen.
const LEAVES: &str = "12 not 2 5\n13 ulte 1 6 12\n14 constraint 13";
/// The counter is never the limit.
const NEVER: &str = "12 neq 1 6 5\n13 constraint 12";

fn words<'a>(property: &'a str, range: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["check", "family.btor2", "--parameter", "limit"];
    [&words as &[&str], &["--property", property, "--range", range], more].concat()
}

#[test]
fn every_strategy_finds_the_optimum() {
    let path = &folder();
    for (constraint, trend, [nine, twelve]) in
        [(UP_TO, "loosens", [(9, 8), (12, 11)]), (LEAVES, "tightens", [(6, 7), (3, 4)])]
    {
        family(path, constraint);
        for (property, (optimum, holds)) in [("nine", nine), ("twelve", twelve)] {
            for strategy in STRATEGIES {
                let more = ["--strategy", strategy, "--json"];
                let (code, report) = json_in(path, &words(property, "1..15", &more));
                let case = format!("{trend} {property} {strategy}: {report}");
                assert_eq!((code, &report["verdict"]), (UNSAFE, &"unsafe".into()), "{case}");
                assert_eq!(report["optimum"], optimum, "{case}");
                assert_eq!((&report["fails"], &report["holds"]), (&optimum.into(), &holds.into()));
                assert_eq!(report["trend"], trend, "{case}");
                assert_eq!(
                    (&report["parameter"], &report["strategy"]),
                    (&"limit".into(), &strategy.into())
                );
                assert_eq!(report["reason"], Json::Null, "{case}");
                assert!(report["trace"]["cycles"].as_u64() >= Some(10), "{case}");
                assert_eq!(report["certificate"]["kind"], "inductive", "{case}");
                let stages = report["stages"].as_array().unwrap();
                assert!(stages.len() > 1, "{case}");
                let (first, later) = stages.split_first().unwrap();
                assert_eq!(first["reuse"], Json::Null, "{case}");
                for stage in later {
                    assert_eq!(stage["reuse"].is_null(), strategy == "naive", "{case}");
                }
                for stage in stages {
                    let bound = stage["bound"].as_u64().unwrap();
                    let fails =
                        if trend == "loosens" { bound >= optimum } else { bound <= optimum };
                    let verdict = if fails { "unsafe" } else { "safe" };
                    assert_eq!(stage["verdict"], verdict, "{case}");
                }
            }
        }
    }
}

#[test]
fn the_report_says_where_it_begins_to_fail() {
    let path = &folder();
    family(path, UP_TO);
    let run = elinvar(path, &words("nine", "1..15", &[]));
    assert_eq!((run.code, run.stderr.as_str()), (UNSAFE, ""));
    let expected = "unsafe\nProperty nine fails from limit = 9 on: a trace of 10 cycles, \
                    replayed.\nIt holds up to limit = 8: proved by an inductive invariant of ";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
    assert!(run.stdout.contains("\n  limit  verdict"), "{}", run.stdout);
    assert!(run.stdout.contains("\nbinary, "), "the default: {}", run.stdout);
    let run = elinvar(path, &words("nine", "1..15", &["-q"]));
    assert_eq!((run.code, run.stdout.as_str()), (UNSAFE, "unsafe\n"));
    family(path, LEAVES);
    let run = elinvar(path, &words("nine", "0..15", &[]));
    assert!(
        run.stdout.contains("\nProperty nine fails down from limit = 6 on: "),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\nIt holds down to limit = 7: "), "{}", run.stdout);
}

#[test]
fn ranges_may_lie_on_one_side() {
    let path = &folder();
    family(path, UP_TO);
    for strategy in STRATEGIES {
        let strategy = ["--strategy", strategy];
        for range in ["0..8", "0..=8", "8..8"] {
            let run = elinvar(path, &words("nine", range, &strategy));
            assert_eq!(run.code, SAFE, "{range} {strategy:?}: {}", run.stderr);
            let expected = "safe\nProperty nine holds up to limit = 8: proved by ";
            assert!(run.stdout.starts_with(expected), "{}", run.stdout);
            let json = [&strategy as &[&str], &["--json"]].concat();
            let (code, report) = json_in(path, &words("nine", range, &json));
            assert_eq!((code, &report["verdict"]), (SAFE, &"safe".into()));
            assert_eq!((&report["optimum"], &report["holds"]), (&Json::Null, &8.into()));
        }
        for (range, optimum) in [("9..15", 9), ("12..15", 12), ("15..15", 15)] {
            let json = [&strategy as &[&str], &["--json"]].concat();
            let (code, report) = json_in(path, &words("nine", range, &json));
            assert_eq!((code, &report["optimum"]), (UNSAFE, &optimum.into()), "{strategy:?}");
            assert_eq!(report["holds"], Json::Null);
        }
    }
}

#[test]
fn evidence_about_the_optimum_is_verified() {
    let path = &folder();
    for (constraint, fails, holds) in [(UP_TO, "9", "8"), (LEAVES, "6", "7")] {
        let model = family(path, constraint);
        for strategy in STRATEGIES {
            let files = ["--witness", "w", "--vcd", "w.vcd", "--certificate", "c.btor2"];
            let more = [&files as &[&str], &["--strategy", strategy, "-q"]].concat();
            assert_eq!(elinvar(path, &words("nine", "1..15", &more)).code, UNSAFE);
            let accepted = |model: &str, evidence: &str| {
                elinvar(path, &["verify", model, evidence, "--property", "nine"]).code
            };
            // The trace is one of the family; the proof is about the last instance
            // that is safe. Neither is about the other instance.
            assert_eq!(accepted(model, "w"), ACCEPTED, "{strategy}");
            assert_eq!(accepted(model, "c.btor2"), REFUSED, "{strategy}");
            for (bound, trace, proof) in [(fails, ACCEPTED, REFUSED), (holds, REFUSED, ACCEPTED)] {
                let set = format!("limit={bound}");
                let convert = ["convert", model, "-o", "instance.btor2", "--set", &set];
                assert_eq!(elinvar(path, &convert).code, 0);
                assert_eq!(accepted("instance.btor2", "w"), trace, "{strategy} {bound}");
                assert_eq!(accepted("instance.btor2", "c.btor2"), proof, "{strategy} {bound}");
            }
            let vcd = std::fs::read_to_string(path.join("w.vcd")).unwrap();
            assert!(vcd.contains("$enddefinitions") && vcd.contains("#90\n"), "{vcd}");
        }
    }
}

#[test]
fn instances_are_models_of_their_own() {
    let path = &folder();
    let model = family(path, UP_TO);
    for (value, verdicts) in
        [("8", ["safe", "safe"]), ("9", ["unsafe", "safe"]), ("12", ["unsafe", "unsafe"])]
    {
        for format in ["btor2", "btor", "aag", "aig"] {
            let (set, file) = (format!("limit={value}"), format!("instance.{format}"));
            let run = elinvar(path, &["convert", model, "-o", &file, "--set", &set]);
            assert_eq!(run.code, 0, "{}", run.stderr);
            let (_, report) = json_in(path, &["check", &file, "--json"]);
            for (property, verdict) in verdicts.into_iter().enumerate() {
                assert_eq!(report["properties"][property]["verdict"], verdict, "{file} {value}");
            }
        }
    }
    for (set, message) in [
        ("limit=16", "error: the value 16 does not fit into limit, which has a width of 4\n"),
        ("bound=1", "error: the model has no input bound\n"),
        ("count=1", "error: the model has no input count\n"),
        ("limit", "error: invalid value 'limit' for '--set <INPUT=VALUE>': not of the form"),
        ("limit=x", "error: invalid value 'limit=x' for '--set <INPUT=VALUE>': `x`: "),
    ] {
        let run = elinvar(path, &["convert", model, "-o", "no.btor2", "--set", set]);
        assert_eq!(run.code, USER_ERROR, "{set}");
        assert!(run.stderr.starts_with(message), "{}", run.stderr);
    }
    assert!(!path.join("no.btor2").exists());
}

#[test]
fn what_is_no_family_is_refused() {
    let path = &folder();
    let model = family(path, UP_TO);
    let nine = ["check", model, "--property", "nine"];
    let limit = ["--parameter", "limit", "--range", "1..15"];
    for (more, message) in [
        (&["--parameter", "bound", "--range", "1..3"] as &[&str], "the model has no input bound\n"),
        (&["--parameter", "count", "--range", "1..3"], "the model has no input count\n"),
        (
            &["--parameter", "limit", "--range", "1..16"],
            "the value 16 does not fit into limit, which has a width of 4\n",
        ),
        (
            &["--parameter", "enable", "--range", "0..1"],
            "enable neither tightens nor loosens the model: ",
        ),
        (
            &["--parameter", "limit", "--range", "3..1"],
            "invalid value '3..1' for '--range <A..B>': the range is empty\n",
        ),
        (
            &["--parameter", "limit", "--range", "3"],
            "invalid value '3' for '--range <A..B>': not of the form A..B\n",
        ),
        (
            &["--parameter", "limit", "--range", "-1..3"],
            "invalid value '-1..3' for '--range <A..B>': `-1`: ",
        ),
        (&["--parameter", "limit"], "the following required arguments were not provided:\n"),
        (&["--range", "1..3"], "the following required arguments were not provided:\n"),
        (&["--strategy", "relax"], "--strategy requires --parameter\n"),
    ] {
        // A value may begin with a sign only after an equals sign.
        let more: Vec<String> = match more {
            [parameter, name, range, value] => {
                vec![(*parameter).into(), (*name).into(), format!("{range}={value}")]
            }
            others => others.iter().map(|&word| word.into()).collect(),
        };
        let words: Vec<&str> = nine.into_iter().chain(more.iter().map(String::as_str)).collect();
        let run = elinvar(path, &words);
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{more:?}");
        let expected = format!("error: {message}");
        assert!(run.stderr.starts_with(&expected), "{more:?}: {}", run.stderr);
    }
    for (more, message) in [
        (
            &["--engine", "bmc"] as &[&str],
            "--parameter works only with models, --engine pdr and one thread\n",
        ),
        (
            &["--engine", "kind"],
            "--parameter works only with models, --engine pdr and one thread\n",
        ),
        (&["-j", "2"], "--parameter works only with models, --engine pdr and one thread\n"),
        (&["--save", "p"], "--reuse and --save cannot be combined with --parameter\n"),
        (&["--stats"], "--stats cannot be combined with --parameter\n"),
    ] {
        let run = elinvar(path, &[&nine as &[&str], &limit, more].concat());
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{more:?}");
        assert_eq!(run.stderr, format!("error: {message}"), "{more:?}");
    }
    let run = elinvar(path, &[&["check", model] as &[&str], &limit].concat());
    assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""));
    let message = "error: --parameter works with one property; choose it with --property\n";
    assert_eq!(run.stderr, message);
}

#[test]
fn bounds_that_do_both_are_refused() {
    let path = &folder();
    family(path, NEVER);
    for strategy in STRATEGIES {
        let more = ["--strategy", strategy, "--witness", "w"];
        let run = elinvar(path, &words("nine", "1..15", &more));
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{strategy}");
        let expected = "error: limit neither tightens nor loosens the model: a step under one \
                        value is impossible under another one that is larger, and the other way \
                        round\n";
        assert_eq!(run.stderr, expected);
    }
    assert!(!path.join("w").exists());
    // One value alone is larger than no other.
    assert_eq!(elinvar(path, &words("nine", "4..4", &["-q"])).code, SAFE);
    assert_eq!(elinvar(path, &words("nine", "12..12", &["-q"])).code, UNSAFE);
}

#[test]
fn without_time_a_family_is_unknown() {
    let folder = folder();
    family(&folder, UP_TO);
    let run = elinvar(&folder, &words("nine", "1..15", &["--timeout", "0"]));
    assert_eq!(run.code, UNKNOWN, "{}", run.stderr);
    assert!(run.stdout.contains("is undecided: the time limit was reached"), "{}", run.stdout);
}
