//! What a campaign shows while it runs, and the reports that are made from its logs.

use super::*;

/// A counter of four bits that counts to 9, with a property about each value.
fn counter(path: &Path, limit: usize) {
    let mut text = format!(
        "1 sort bitvec 4\n2 zero 1\n3 one 1\n4 sort bitvec 1\n5 state 1 count\n6 init 1 5 2\n\
         7 constd 1 {limit}\n8 ult 4 5 7\n9 add 1 5 3\n10 ite 1 8 9 5\n11 next 1 5 10\n"
    );
    for value in 0..16 {
        let at = 20 + 3 * value;
        text += &format!("{at} constd 1 {value}\n{} eq 4 5 {at}\n", at + 1);
        text += &format!("{} bad {} top.is_{value}\n", at + 2, at + 1);
    }
    std::fs::write(path.join("m.btor2"), text).unwrap();
}

fn read(path: &Path, name: &str) -> String {
    std::fs::read_to_string(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_campaign_ends_with_its_reports() {
    let path = &folder();
    counter(path, 9);
    let words = ["run", "m.btor2", "--strategy", "quick=auto 20s", "-j", "1"];
    let run = elinvar(path, &[&words[..], &["--directory", "old"]].concat());
    assert_eq!(run.code, UNSAFE, "{}{}", run.stdout, run.stderr);
    for name in ["report.html", "results.csv", "junit.xml"] {
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
    assert!(!run.stderr.contains(['\r', '\u{1b}']), "{:?}", run.stderr);
    let rows: Vec<String> = read(path, "old/results.csv").lines().map(str::to_owned).collect();
    assert_eq!(rows.len(), 17);
    assert!(rows[1].starts_with("m.btor2,0,top.is_0,safety,unsafe,quick,0,unsafe,"), "{}", rows[1]);
    assert!(rows[16].contains(",safe,quick,0,safe,"), "{}", rows[16]);
    let junit = read(path, "old/junit.xml");
    assert!(junit.contains("tests=\"16\" failures=\"10\" errors=\"0\""), "{junit}");
    let mut xmllint = Command::new("xmllint");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/junit-10.xsd");
    let valid = xmllint.current_dir(path).arg("--noout").arg("--schema").arg(schema);
    match valid.arg("old/junit.xml").output() {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(_) => eprintln!("skipped: xmllint is not installed"),
    }
    // The next campaign is about a counter that counts to 10.
    counter(path, 10);
    let words = [&words[..], &["--directory", "new", "--compare", "old", "-q"]].concat();
    let run = elinvar(path, &words);
    assert_eq!((run.code, &run.stderr[..]), (UNSAFE, ""), "{}", run.stdout);
    assert!(run.stdout.contains("  newly failing: m.btor2 top.is_10\n"), "{}", run.stdout);
    let page = read(path, "new/report.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("\"newly failing\""));
    // The files that links lead to are there.
    let link = page.split("\"trace\":\"./").nth(1).unwrap().split('"').next().unwrap();
    assert!(path.join("new").join(link).is_file(), "{link}");
}

#[test]
fn reports_are_made_again_at_any_time() {
    let path = &folder();
    counter(path, 3);
    let words = ["run", "m.btor2", "--strategy", "auto 20s", "-j", "1", "-q", "--directory", "c"];
    assert_eq!(elinvar(path, &words).code, UNSAFE);
    // As if the worker had been killed while it wrote.
    let log = std::fs::read_dir(path.join("c/log")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let half = lines[..lines.len() / 2].concat() + &lines[lines.len() / 2][..9];
    std::fs::write(&log, half).unwrap();
    let run = elinvar(path, &["run", "report", "c", "--html", "page.html"]);
    assert_eq!((run.code, &run.stderr[..]), (0, "wrote page.html\n"));
    assert!(read(path, "page.html").contains("The campaign is not complete: "));
    let run = elinvar(path, &["run", "report", "c", "--csv", "-"]);
    assert!(run.stdout.starts_with("model,property,name,") && run.stderr.is_empty());
    for words in [&["nowhere"][..], &["c", "--compare", "nowhere"]] {
        let run = elinvar(path, &[&["run", "report"], words].concat());
        assert_eq!(run.code, USER_ERROR, "{}", run.stderr);
        assert!(run.stderr.contains("nowhere"), "{}", run.stderr);
    }
    let run = elinvar(path, &["run", "report", "c", "--html", "x", "--csv", "x"]);
    assert_eq!(run.code, USER_ERROR, "{}", run.stderr);
}

#[test]
fn without_a_terminal_a_campaign_prints_plain_lines() {
    let path = &folder();
    terminal::endless(path);
    let words = ["run", "endless.btor2", "--strategy", "pdr 100ms", "-j", "1"];
    let run = elinvar(path, &words);
    assert_eq!(run.code, UNKNOWN, "{}{}", run.stdout, run.stderr);
    let line = run.stderr.lines().find(|line| line.starts_with("elinvar: ")).expect("a line");
    for part in ["/40 done", "0 proved", "0 failed", "undecided", " MiB"] {
        assert!(line.contains(part), "{line}");
    }
    assert!(!run.stderr.contains(['\r', '\u{1b}']), "{:?}", run.stderr);
}
