//! The tools that are compared: engines of our binary, other options of it, and other programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::profile::Profile;
use crate::harness::outcome::{Outcome, Verdict};
use crate::harness::process;
use crate::harness::tree::Finished;

/// A tool with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    pub name: String,
    kind: Kind,
    /// The hash of the program and its options.
    pub hash: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// Our binary, with options of `check`.
    Ours { binary: PathBuf, options: Vec<String> },
    /// A command for the shell, with `{}` for the file.
    Command(String),
}

/// The engines of our binary that have a name here, with their options.
const OURS: &[(&str, &[&str])] = &[
    ("default", &[]),
    ("pdr", &["--engine", "pdr"]),
    ("avy", &["--engine", "avy"]),
    ("bmc", &["--engine", "bmc"]),
    ("kind", &["--engine", "kind"]),
    ("itp", &["--engine", "itp"]),
    ("imc", &["--engine", "imc"]),
    ("words", &["--engine", "words"]),
];

/// Other programs that have a name here: the commands of which one must be installed, and their
/// arguments.
const OTHERS: &[(&str, &[&str], &str)] = &[
    ("ric3", &["rIC3", "ric3"], "-e ic3 {}"),
    ("abc-pdr", ABC, r#"-q "read {}; logic; undc; strash; zero; fold; pdr; print_status""#),
    ("abc-bmc3", ABC, r#"-q "read {}; logic; undc; strash; zero; fold; bmc3; print_status""#),
    ("abc-int", ABC, r#"-q "read {}; logic; undc; strash; zero; fold; int; print_status""#),
];
const ABC: &[&str] = &["abc", "berkeley-abc"];

impl Tool {
    /// A tool of the tables above.
    pub fn named(name: &str, elinvar: Option<&Path>) -> Result<Self, String> {
        if let Some((_, options)) = OURS.iter().find(|(other, _)| *other == name) {
            return Tool::ours(
                name,
                options.iter().map(|&word| word.to_owned()).collect(),
                elinvar,
            );
        }
        let Some((_, commands, arguments)) = OTHERS.iter().find(|(other, ..)| *other == name)
        else {
            let ours = OURS.iter().map(|(name, _)| *name);
            let names: Vec<&str> = ours.chain(OTHERS.iter().map(|(name, ..)| *name)).collect();
            return Err(format!("there is no tool `{name}`; the tools are {}", names.join(", ")));
        };
        let found = commands.iter().find_map(|command| process::find(command));
        let program = found.ok_or_else(|| {
            format!("{} is not installed; give its command with --tool", commands.join(" or "))
        })?;
        Tool::command(name, &format!("{} {arguments}", program.display()))
    }

    /// Our binary with options of `check`.
    pub fn ours(name: &str, options: Vec<String>, elinvar: Option<&Path>) -> Result<Self, String> {
        let binary = process::elinvar(elinvar)?;
        let hash = hash_of(&binary, &options.join(" "))?;
        Ok(Tool { name: name.to_owned(), kind: Kind::Ours { binary, options }, hash })
    }

    /// A command for the shell, with `{}` for the file, whose first word is the program.
    pub fn command(name: &str, command: &str) -> Result<Self, String> {
        if !command.contains("{}") {
            return Err(format!("the command of `{name}` has no {{}} for the file"));
        }
        let (program, arguments) = command.split_once(' ').unwrap_or((command, ""));
        let found = process::find(program);
        let file = found.ok_or_else(|| format!("there is no command {program}"))?;
        let hash = hash_of(&file, arguments)?;
        Ok(Tool { name: name.to_owned(), kind: Kind::Command(command.to_owned()), hash })
    }

    /// Whether the seed makes a difference.
    pub fn has_seed(&self) -> bool {
        match &self.kind {
            Kind::Ours { .. } => true,
            Kind::Command(command) => command.contains("{seed}"),
        }
    }

    /// The command line of a run.
    pub fn words(&self, model: &Path, seed: u64) -> Vec<OsString> {
        match &self.kind {
            Kind::Ours { binary, options } => {
                let mut words = vec![binary.clone().into_os_string(), "check".into()];
                words.extend(["--json", "--seed"].map(OsString::from));
                words.push(seed.to_string().into());
                words.extend(options.iter().map(OsString::from));
                words.push(model.into());
                words
            }
            Kind::Command(command) => {
                // The file is a parameter of the shell, so that its name needs no quotes: the
                // shell is told to leave it in one piece.
                let command = command.replace("{}", "$1").replace("{seed}", &seed.to_string());
                let script = format!("IFS=; set -f; {command}");
                let words = ["sh", "-c", &script, "sh"].map(OsString::from);
                words.into_iter().chain([model.into()]).collect()
            }
        }
    }

    /// What a run says, and its profile.
    pub fn answer(&self, run: &Finished) -> (Outcome, Option<Profile>) {
        match &self.kind {
            Kind::Ours { .. } => answer_of_report(run),
            Kind::Command(_) => {
                let text = String::from_utf8_lossy(&run.stdout);
                (answer_of_command(run.status.code(), &text, run.too_long), None)
            }
        }
    }
}

fn answer_of_report(run: &Finished) -> (Outcome, Option<Profile>) {
    let Ok(report) = serde_json::from_slice::<serde_json::Value>(&run.stdout) else {
        return (if run.too_long { Outcome::TooLong } else { Outcome::Failed }, None);
    };
    let outcome = match report["verdict"].as_str().map(Verdict::of_word) {
        _ if run.too_long => Outcome::TooLong,
        Some(Some(verdict)) => Outcome::Decided(verdict),
        Some(None) => Outcome::Unknown,
        None => Outcome::Failed,
    };
    (outcome, Some(Profile::of_report(&report)))
}

/// The verdict of another program: by the exit codes of the competition, by the last line of
/// ABC's `print_status`, or by the first line, as SAT solvers and BtorMC print it.
fn answer_of_command(code: Option<i32>, text: &str, too_long: bool) -> Outcome {
    let status = text.lines().rev().find_map(|line| line.strip_prefix("Status = "));
    let status = status.and_then(|status| status.split_whitespace().next());
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    match (code, status, first) {
        _ if too_long => Outcome::TooLong,
        (Some(20), ..) | (_, Some("1"), _) | (_, None, Some("unsat")) => {
            Outcome::Decided(Verdict::Safe)
        }
        (Some(10), ..) | (_, Some("0"), _) | (_, None, Some("sat")) => {
            Outcome::Decided(Verdict::Unsafe)
        }
        (_, Some("-1"), _) | (Some(0), ..) => Outcome::Unknown,
        (Some(_) | None, ..) => Outcome::Failed,
    }
}

/// A hash of a program and its options by FNV-1a, which is the same on every machine.
fn hash_of(program: &Path, options: &str) -> Result<String, String> {
    let content = std::fs::read(program)
        .map_err(|error| format!("cannot read {}: {error}", program.display()))?;
    let bytes = content.iter().chain([&0]).chain(options.as_bytes());
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    Ok(format!("{:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_answer_in_several_ways() {
        let answer = |code, text: &str| answer_of_command(Some(code), text, false).word();
        assert_eq!([answer(20, ""), answer(10, "")], ["safe", "unsafe"]);
        let statuses = ["Status = 1  Frames = 4", "x\nStatus = 0  ", "Status = -1 "];
        assert_eq!(statuses.map(|text| answer(0, text)), ["safe", "unsafe", "unknown"]);
        assert_eq!([answer(0, "sat\nb0\n"), answer(0, "\nunsat\n")], ["unsafe", "safe"]);
        assert_eq!([answer(0, "who knows"), answer(3, "")], ["unknown", "failed"]);
        assert_eq!(answer_of_command(None, "", true), Outcome::TooLong);
        assert_eq!(answer_of_command(None, "", false), Outcome::Failed);
    }

    #[test]
    fn another_program_or_other_options_have_another_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let hash = |content: &str, options: &str| {
            std::fs::write(&path, content).unwrap();
            let command = format!("{} {{}} {options}", path.display());
            Tool::command("t", &command).unwrap().hash
        };
        assert_eq!(hash("a", "-x"), hash("a", "-x"));
        assert_ne!(hash("a", "-x"), hash("b", "-x"));
        assert_ne!(hash("a", "-x"), hash("a", "-y"));
    }

    #[test]
    fn wrong_tools_are_refused() {
        let error = |tool: Result<Tool, String>| tool.unwrap_err();
        assert!(error(Tool::command("t", "true")).contains("has no {}"));
        assert!(error(Tool::command("t", "no-such-tool {}")).contains("there is no command"));
        assert!(error(Tool::named("x", None)).contains("the tools are default, pdr"));
    }

    #[test]
    fn files_and_seeds_are_put_into_commands() {
        let tool = Tool::command("t", "sh -c \"run {}\" {seed}").unwrap();
        let words = tool.words(Path::new("a b"), 7);
        assert_eq!(words, ["sh", "-c", "IFS=; set -f; sh -c \"run $1\" 7", "sh", "a b"]);
        assert!(tool.has_seed() && !Tool::command("t", "sh {}").unwrap().has_seed());
    }
}
