//! `pebble` and `peterson`: families that come with Elinvar.

use super::*;

/// Graphs and circuits, with the least number of pebbles for each.
const GAMES: [(&str, u64); 2] = [("adder.tfc", 5), ("pebble_chain.dag", 4)];

#[test]
fn every_strategy_finds_the_least_number_of_pebbles() {
    for (name, pebbles) in GAMES {
        for strategy in STRATEGIES {
            let words = ["pebble", &at(name), "--strategy", strategy];
            let run = elinvar(Path::new("."), &[&words as &[&str], &["-q"]].concat());
            assert_eq!((run.code, run.stdout), (0, format!("{pebbles}\n")), "{strategy}");
            let (code, report) = json(&[&words as &[&str], &["--json"]].concat());
            assert_eq!((code, &report["pebbles"]), (0, &pebbles.into()), "{strategy}");
            assert_eq!(report["strategy"], strategy);
            assert_eq!(report["optimum"], pebbles);
            assert_eq!(report["holds"], pebbles - 1, "{strategy}: fewer do not do");
            assert!(report["stages"].as_array().unwrap().len() > 1, "{strategy}");
        }
    }
}

/// Plays what is told: how many pebbles lie in the end, and at most.
fn play(report: &Json) -> (u64, u64) {
    let mut pebbled = std::collections::BTreeSet::new();
    let mut most = 0;
    for step in report["steps"].as_array().unwrap() {
        let names = |key: &str| step[key].as_array().unwrap().iter().map(|name| name.to_string());
        for name in names("unpebbled") {
            assert!(pebbled.remove(&name), "{name} was pebbled: {report}");
        }
        for name in names("pebbled") {
            assert!(pebbled.insert(name.clone()), "{name} was not pebbled: {report}");
        }
        most = most.max(pebbled.len() as u64);
    }
    (pebbled.len() as u64, most)
}

#[test]
fn strategies_are_told_step_by_step() {
    for ((name, pebbles), outputs) in GAMES.into_iter().zip([3, 1]) {
        let (_, parallel) = json(&["pebble", &at(name), "--json"]);
        let (_, sequential) = json(&["pebble", &at(name), "--json", "--sequential"]);
        for report in [&parallel, &sequential] {
            assert_eq!(play(report), (outputs, pebbles), "{name}");
        }
        let moves = |step: &Json| {
            let number = |key: &str| step[key].as_array().unwrap().len();
            number("pebbled") + number("unpebbled")
        };
        let steps = |report: &Json| report["steps"].as_array().unwrap().iter().map(moves).collect();
        let (all, single): (Vec<usize>, Vec<usize>) = (steps(&parallel), steps(&sequential));
        assert!(single.iter().all(|&moves| moves == 1), "{name}");
        assert_eq!(all.iter().sum::<usize>(), single.len(), "{name}: the same moves");
        let run = elinvar(Path::new("."), &["pebble", &at(name), "--sequential"]);
        let first = format!("{pebbles} pebbles: a strategy of {} steps, replayed.\n", single.len());
        assert!(run.stdout.starts_with(&first), "{}", run.stdout);
        let last = format!("\n  {} ", single.len());
        assert!(run.stdout.contains(&last), "a line a step: {}", run.stdout);
    }
}

#[test]
fn strategies_are_drawn() {
    let path = &folder();
    for (name, _) in GAMES {
        let name = at(name);
        for more in [&[] as &[&str], &["--sequential"]] {
            let words = [&["pebble", &name, "-q", "--svg", "s.svg"], more].concat();
            assert_eq!(elinvar(path, &words).code, 0, "{name}");
            let svg = std::fs::read_to_string(path.join("s.svg")).unwrap();
            assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
            assert!(svg.ends_with("</svg>\n"), "{svg}");
            for element in ["svg", "g", "text", "title", "style"] {
                let opened = svg.matches(&format!("<{element}>")).count()
                    + svg.matches(&format!("<{element} ")).count();
                assert_eq!(opened, svg.matches(&format!("</{element}>")).count(), "{element}");
            }
        }
    }
}

#[test]
fn games_are_models_with_a_limit() {
    let path = &folder();
    for (name, pebbles) in GAMES {
        let words = ["pebble", &at(name), "-q", "--model", "game.btor2"];
        assert_eq!(elinvar(path, &words).code, 0);
        let words = ["check", "game.btor2", "--parameter", "limit", "--range", "1..7"];
        let files = ["--witness", "w", "--certificate", "c.btor2", "--json"];
        let (code, report) = json_in(path, &[&words as &[&str], &files].concat());
        assert_eq!((code, &report["optimum"]), (UNSAFE, &pebbles.into()), "{name}");
        assert_eq!(elinvar(path, &["verify", "game.btor2", "w"]).code, ACCEPTED);
        let set = format!("limit={}", pebbles - 1);
        let words = ["convert", "game.btor2", "-o", "instance.btor2", "--set", &set];
        assert_eq!(elinvar(path, &words).code, 0);
        assert_eq!(elinvar(path, &["verify", "instance.btor2", "c.btor2"]).code, ACCEPTED);
    }
}

#[test]
fn files_without_a_game_are_refused() {
    let path = &folder();
    let gates = ".v a,b,c\n.i a,b,c\n.o c\nBEGIN\n";
    for (text, message) in [
        (format!("{gates}f3 a,b,c\nEND\n"), "5:1: error: only Toffoli gates are supported"),
        (format!("{gates}t2 a,z\nEND\n"), "5:6: error: there is no wire `z`"),
        ("n 0 a\nn 1 b\ne 0 1\ne 1 0\no 1\n".into(), "4:3: error: the edges form a cycle: "),
        ("n 0 a\ne 0 7\no 0\n".into(), "2:5: error: there is no vertex 7\n"),
        ("n 0 a\no 7\n".into(), "2:3: error: there is no vertex 7\n"),
        ("n 0 a\n".into(), "2:1: error: the graph has no output\n"),
        (String::new(), " error: the file is empty\n"),
        ("aag 0 0 0 0 0\n".into(), "1:1: error: "),
    ] {
        std::fs::write(path.join("game"), &text).unwrap();
        let files = ["--svg", "s.svg", "--model", "m.btor2"];
        let run = elinvar(path, &[&["pebble", "game"] as &[&str], &files].concat());
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{text}");
        assert!(run.stderr.starts_with(&format!("game:{message}")), "{text}: {}", run.stderr);
    }
    let run = elinvar(path, &["pebble", "missing.dag"]);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.starts_with("error: cannot read missing.dag: "), "{}", run.stderr);
    let run = elinvar(path, &["pebble", "@adder.tfc", "--svg", "no/such/s.svg"]);
    assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""));
    let files = std::fs::read_dir(path).unwrap().count();
    assert_eq!(files, 1, "nothing is written");
}

#[test]
fn graphs_are_read_from_standard_input() {
    // The output does not depend on the vertex b.
    let text = b"n 0 a\nn 1 b\nn 2 c\ne 0 1\ne 0 2\no 2\n";
    let run = elinvar_reading(text, &["pebble", "-", "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "2\n"));
}

#[test]
fn mutual_exclusion_is_proved() {
    for (processes, more, verdict) in [
        ("2", &[] as &[&str], SAFE),
        ("3", &[], SAFE),
        ("3", &["--switches", "2"], SAFE),
        ("2", &["--bug"], UNSAFE),
        ("3", &["--bug"], UNSAFE),
        ("3", &["--bug", "--switches", "1"], SAFE),
    ] {
        let words = [&["peterson", "-p", processes], more].concat();
        let word = if verdict == SAFE { "safe" } else { "unsafe" };
        let run = elinvar(Path::new("."), &[&words as &[&str], &["-q"]].concat());
        assert_eq!((run.code, run.stdout), (verdict, format!("{word}\n")), "{words:?}");
        let (code, report) = json(&[&words as &[&str], &["--json"]].concat());
        assert_eq!((code, &report["verdict"]), (verdict, &word.into()), "{words:?}");
    }
}

#[test]
fn every_strategy_finds_the_switches_that_a_bug_needs() {
    for strategy in STRATEGIES {
        let words = ["peterson", "-p", "3", "--bug", "--switches", "4", "--strategy", strategy];
        let (code, report) = json(&[&words as &[&str], &["--json"]].concat());
        assert_eq!((code, &report["optimum"]), (UNSAFE, &3.into()), "{strategy}: {report}");
        assert_eq!(report["holds"], 2, "{strategy}");
    }
}

#[test]
fn the_algorithm_is_a_model() {
    let path = &folder();
    let words = ["peterson", "-p", "3", "--model", "m.btor2", "-q"];
    assert_eq!(elinvar(path, &words).code, SAFE);
    let words = ["check", "m.btor2", "--certificate", "c.btor2", "-q"];
    assert_eq!(elinvar(path, &words).code, SAFE);
    assert_eq!(elinvar(path, &["verify", "m.btor2", "c.btor2"]).code, ACCEPTED);
    let words = ["peterson", "-p", "3", "-s", "3", "--bug", "--model", "m.btor2", "-q"];
    assert_eq!(elinvar(path, &words).code, UNSAFE);
    let words = ["check", "m.btor2", "--parameter", "limit", "--range", "0..3", "--json"];
    let (code, report) = json_in(path, &words);
    assert_eq!((code, &report["optimum"]), (UNSAFE, &3.into()));
}

#[test]
fn wrong_numbers_of_processes_are_errors() {
    for processes in ["0", "1", "65", "4294967295"] {
        let run = elinvar(Path::new("."), &["peterson", "-p", processes]);
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{processes}");
        assert!(run.stderr.starts_with("error: the number of processes must be"), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("not {processes}")), "{}", run.stderr);
    }
    for words in [&["-p", "-1"] as &[&str], &["-p", "3", "--strategy", "relax"]] {
        let run = elinvar(Path::new("."), &[&["peterson"], words].concat());
        assert_eq!((run.code, run.stdout.as_str()), (USER_ERROR, ""), "{words:?}");
    }
}
