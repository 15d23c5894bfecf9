//! Names from files cannot disturb a terminal, nor the files that they are written to.

use super::*;

/// Names that move the cursor, clear the line, end a tag or a string, or are not seen.
const NASTY: [&str; 8] = [
    "safe\r\x1b[2K\x1b[1Gsafe",
    "\x1b]0;title\x07",
    "tab\there",
    "right\u{202e}left",
    "zero\u{200b}width\u{feff}",
    "c1\u{9b}31m",
    "</title><script>\"&'|}{\\",
    "bell\x07\x08\x7f",
];

/// A shift register with these names for everything; two bad states, one of which is
/// reached.
fn aiger(long: &str) -> String {
    let name = |index: usize| if index == 8 { long } else { NASTY[index] };
    format!(
        "aag 3 1 2 1 0 2 1\n2\n4 2\n6 4\n6\n6\n0\n1\ni0 {}\nl0 {}\nl1 {}\no0 {}\nb0 {}\nb1 {}\n",
        name(0),
        name(1),
        name(8),
        name(3),
        name(4),
        name(5),
    )
}

/// Symbols of BTOR2 end at white space.
fn btor2() -> String {
    let name = |index: usize| NASTY[index].replace(char::is_whitespace, "");
    format!(
        "1 sort bitvec 1\n2 sort bitvec 2\n3 input 1 {}\n4 zero 2\n5 state 2 {}\n6 init 2 5 4\n\
         7 uext 2 3 1\n8 add 2 5 7 {}\n9 next 2 5 8\n10 redand 1 5\n11 bad 10 {}\n12 output 10 {}\n\
         13 bad 4 {}\n",
        name(0),
        name(1),
        name(3),
        name(4),
        name(6),
        name(5),
    )
    .replace("13 bad 4", "13 zero 1\n14 bad 13")
}

fn assert_harmless(text: &str, what: &str) {
    let harmful = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
    };
    let found = text.lines().find(|line| line.contains(harmful));
    assert_eq!(found, None, "{what}");
}

#[test]
fn nothing_that_is_printed_or_written_is_harmful() {
    let path = &folder();
    let long = "x".repeat(10_000);
    std::fs::write(path.join("m.aag"), aiger(&long)).unwrap();
    std::fs::write(path.join("m.btor2"), btor2()).unwrap();
    for model in ["m.aag", "m.btor2"] {
        let files = ["--witness", "w", "--vcd", "v.vcd", "--certificate", "c"];
        for words in [
            &[&["check", model, "--stats"], &files[..]].concat()[..],
            &["check", model, "--json"],
            &["check", model, "--engine", "pdr", "--save", "s.elv"],
            &["check", model, "--reuse", "s.elv"],
            &["check", model, "--engine", "words"],
            &["check", model, "-j", "2"],
            &["check", model, "--property", "\x1b[31m"],
            &["check", model, "--property", "0", "--certificate", "text", "--engine", "kind"],
            &["verify", model, "w.0"],
            &["verify", model, "c.1"],
            &["verify", model, "c.1", "--property", "0"],
            &["simulate", model, "--vcd", "sim.vcd"],
            &["simulate", model, "--inputs", "w.0"],
            &["stats", model],
            &["stats", model, "--json"],
            &["convert", model, "-o", "out.aag"],
            &["convert", model, "-o", "out.btor2"],
            &["convert", model, "-o", "out.dot"],
            &["convert", model, "-o", "out.smt2", "--property", "0"],
        ] {
            let run = elinvar(path, words);
            assert_ne!(run.code, 3, "{words:?} {}", run.stderr);
            let what = format!("{words:?}");
            assert_harmless(&run.stdout, &what);
            assert_harmless(&run.stderr, &what);
            if !words.contains(&"--json") {
                let longest = run.stdout.lines().map(|line| line.chars().count()).max();
                assert!(longest.unwrap_or(0) < 20_000, "{what}");
            }
        }
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if !name.starts_with("m.") {
                assert_harmless(&std::fs::read_to_string(&path).unwrap(), &name);
            }
        }
    }
}

/// The line of a fault and the words that it quotes are not shown as they are.
#[test]
fn messages_about_files_are_harmless() {
    let path = &folder();
    for (name, text) in [
        ("keyword.btor2", "1 sort bitvec 1\n2 \x1b[31mred 1\n"),
        ("symbol.btor2", "1 sort bitvec 1\n2 input 1 \x1b[31m more\n"),
        ("program.bpl", "procedure p() { assert /* \x1b[2K */ false; }\n"),
        ("graph.dag", "dag\n\x1b[31m\n"),
        ("hidden.btor2", "1 sort bitvec 1 \u{202e}\n2 what 1\n"),
    ] {
        std::fs::write(path.join(name), text).unwrap();
        for words in [["check", name], ["stats", name], ["pebble", name]] {
            let run = elinvar(path, &words);
            assert_harmless(&run.stdout, name);
            assert_harmless(&run.stderr, name);
        }
    }
    // The name of a file is not trusted either.
    let name = "a\x1b[31m.btor2";
    std::fs::write(path.join(name), "1 sort\n").unwrap();
    let run = elinvar(path, &["check", name]);
    assert_eq!(run.code, USER_ERROR);
    assert_harmless(&run.stderr, name);
    assert_harmless(&elinvar(path, &["check", "no\x1b[31m"]).stderr, "no such file");
}
