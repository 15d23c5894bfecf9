//! Help texts: short ones fit a screen, and no line is too wide.

use super::*;

/// Lines of a short help text.
const LINES: usize = 50;
/// Columns of any help text.
const COLUMNS: usize = 100;

fn help(words: &[&str]) -> String {
    let run = elinvar(Path::new("."), words);
    assert_eq!((run.code, &run.stderr[..]), (0, ""), "{words:?}");
    run.stdout
}

/// The commands in the order in which the help lists them.
fn commands() -> Vec<String> {
    let text = help(&["-h"]);
    let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn short_help_fits_a_screen_and_no_line_is_too_wide() {
    let commands = commands();
    assert!(commands.len() >= 10 && commands[0] == "check", "{commands:?}");
    let calls = commands.iter().map(|name| vec![name.as_str()]);
    for call in std::iter::once(Vec::new()).chain(calls) {
        let (short, long) = ([&call[..], &["-h"]].concat(), [&call[..], &["--help"]].concat());
        let (short, long) = (help(&short), help(&long));
        assert!(short.lines().count() <= LINES, "{call:?}: {} lines", short.lines().count());
        for line in short.lines().chain(long.lines()) {
            assert!(line.chars().count() <= COLUMNS, "{call:?}: {line}");
        }
    }
}

#[test]
fn the_help_of_check_begins_with_what_most_users_need() {
    let long = help(&["check", "--help"]);
    let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
    let headings: Vec<&str> = long.lines().filter(is_heading).collect();
    let expected = [
        "Arguments:",
        "Options:",
        "Limits:",
        "Output:",
        "Trace:",
        "Verilog designs:",
        "Continuous integration:",
        "Reuse:",
        "Programs:",
        "Families:",
        "Engine options for experts:",
        "Engine options for experts: programs (cfg):",
        "Examples:",
    ];
    assert_eq!(headings, expected);
    let short = help(&["check", "-h"]);
    for option in ["--property", "--timeout", "--engine", "-j", "--vcd", "--json", "-q", "--all"] {
        assert!(short.contains(option), "{option} is missing:\n{short}");
    }
    assert!(!short.contains("--ctg"), "{short}");
}

#[test]
fn manual_pages_have_no_faults() {
    let folder = tempfile::tempdir().unwrap();
    let run = elinvar(folder.path(), &["man", "--output", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let available = Command::new("groff").arg("--version").output();
    if !available.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no groff");
        return;
    }
    for name in std::iter::once(String::new()).chain(commands()) {
        let page = if name.is_empty() { "elinvar.1".into() } else { format!("elinvar-{name}.1") };
        let mut groff = Command::new("groff");
        groff.args(["-man", "-Tutf8", "-ww", "-k", &page]).current_dir(folder.path());
        let output = groff.output().unwrap();
        let faults = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && faults.is_empty(), "{page}: {faults}");
    }
}
