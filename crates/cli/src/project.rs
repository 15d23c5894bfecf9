//! `elinvar.toml`: what `elinvar check` without a model checks.
//!
//! The table `[design]` says what to read, the table `[check]` has the long options of the
//! command. Both become words of a command line, before those that the user gives; so the
//! file can say whatever the command line can, and later options win.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Command, CommandFactory};
use elinvar::formats::Diagnostic;
use elinvar::{FileFault, Source};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of the file.
pub const NAME: &str = "elinvar.toml";

/// The keys of `[design]`, with the options that they stand for.
const DESIGN: [(&str, Key); 9] = [
    ("sources", Key::Sources),
    ("top", Key::Option("--top")),
    ("defines", Key::Short("-D")),
    ("undefines", Key::Short("-U")),
    ("include", Key::Folders("-I")),
    ("parameters", Key::Short("-G")),
    ("frontend", Key::Option("--frontend")),
    ("yosys", Key::Option("--yosys")),
    ("keep", Key::Option("--keep")),
];

/// What a key of `[design]` becomes.
#[derive(Clone, Copy)]
enum Key {
    /// File names, relative to the folder of the file.
    Sources,
    /// An option with one value.
    Option(&'static str),
    /// A short option for each value.
    Short(&'static str),
    /// A short option for each value, which is a folder.
    Folders(&'static str),
}

/// The file of the project: in the current folder or in one above it.
pub fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let found = here.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())?;
    // Messages and names are short when the file is in the current folder.
    Some(found.strip_prefix(&here).map(Path::to_owned).unwrap_or(found))
}

/// The words of the command line that the file stands for.
pub fn words(path: &Path) -> Result<Vec<OsString>> {
    let source = Source::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(read(&source, folder)
        .map_err(|diagnostic| FileFault::new(source.name(), source.bytes(), &diagnostic))?)
}

type Table<'a> = DeTable<'a>;

fn read(source: &Source, folder: &Path) -> Result<Vec<OsString>, Diagnostic> {
    let text = std::str::from_utf8(source.bytes()).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("the file is not valid UTF-8", at..at + 1)
    })?;
    let table = Table::parse(text).map_err(|error| {
        Diagnostic::new(error.message().to_owned(), error.span().unwrap_or(0..0))
    })?;
    let mut words: Vec<OsString> = Vec::new();
    for (key, value) in table.get_ref() {
        let DeValue::Table(inner) = value.get_ref() else {
            return Err(Diagnostic::new("expected the table [design] or [check]", key.span()));
        };
        match key.get_ref().as_ref() {
            "design" => design(inner, folder, &mut words)?,
            "check" => check(inner, &mut words)?,
            other => {
                let message = format!("there is no table [{other}], only [design] and [check]");
                return Err(Diagnostic::new(message, key.span()));
            }
        }
    }
    Ok(words)
}

fn design(table: &Table, folder: &Path, words: &mut Vec<OsString>) -> Result<(), Diagnostic> {
    for (key, value) in table {
        let known = DESIGN.iter().find(|(name, _)| name == key.get_ref());
        let Some(&(_, kind)) = known else {
            let names = DESIGN.map(|(name, _)| name).join(", ");
            let message = format!("[design] has no key {}; it has {names}", key.get_ref());
            return Err(Diagnostic::new(message, key.span()));
        };
        let values = values(value)?;
        match kind {
            Key::Sources => {
                for (text, span) in values {
                    words.extend(files(folder, &text, span)?.into_iter().map(Into::into));
                }
            }
            Key::Option(option) => match &values[..] {
                [(text, _)] => words.push(format!("{option}={text}").into()),
                _ => return Err(Diagnostic::new("expected one value", value.span())),
            },
            Key::Short(option) => {
                words.extend(values.into_iter().map(|(text, _)| format!("{option}{text}").into()));
            }
            Key::Folders(option) => {
                for (text, _) in values {
                    let mut word = OsString::from(option);
                    word.push(folder.join(text));
                    words.push(word);
                }
            }
        }
    }
    Ok(())
}

/// Options of the command by their long names.
fn check(table: &Table, words: &mut Vec<OsString>) -> Result<(), Diagnostic> {
    let command = Options::command();
    for (key, value) in table {
        let name = match key.get_ref().as_ref() {
            // A list reads better in the plural.
            "properties" => "property",
            name => name,
        };
        let Some(takes_value) = option(&command, name) else {
            let message = format!("`elinvar check` has no option --{name}");
            return Err(Diagnostic::new(message, key.span()));
        };
        match (value.get_ref(), takes_value) {
            (DeValue::Boolean(true), false) => words.push(format!("--{name}").into()),
            (DeValue::Boolean(false), false) => {}
            (_, false) => {
                return Err(Diagnostic::new("expected true or false", value.span()));
            }
            (_, true) => {
                for (text, _) in values(value)? {
                    words.push(format!("--{name}={text}").into());
                }
            }
        }
    }
    Ok(())
}

/// The options of `check`, as a command of their own.
#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    _arguments: crate::check::Arguments,
}

/// Whether an option with this name takes a value; nothing if there is no such option.
fn option(command: &Command, name: &str) -> Option<bool> {
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(name))?;
    Some(argument.get_action().takes_values())
}

/// The texts of a value: of a list, its elements; of a table, `key=value`.
fn values(value: &Spanned<DeValue>) -> Result<Vec<(String, Range<usize>)>, Diagnostic> {
    match value.get_ref() {
        DeValue::Array(values) => values.iter().map(|v| Ok((scalar(v)?, v.span()))).collect(),
        DeValue::Table(table) => {
            let pair = |(key, value): (&Spanned<_>, &Spanned<DeValue>)| {
                Ok((format!("{}={}", key.get_ref(), scalar(value)?), value.span()))
            };
            table.iter().map(pair).collect()
        }
        _ => Ok(vec![(scalar(value)?, value.span())]),
    }
}

fn scalar(value: &Spanned<DeValue>) -> Result<String, Diagnostic> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.as_str().to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            Err(Diagnostic::new("expected a text or a number", value.span()))
        }
    }
}

/// The file, or those that the last part of the path describes as a pattern, in the order of
/// their names.
fn files(folder: &Path, text: &str, span: Range<usize>) -> Result<Vec<PathBuf>, Diagnostic> {
    let path = folder.join(text);
    let pattern = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(pattern) = pattern.filter(|name| elinvar::pattern::is_pattern(name)) else {
        return Ok(vec![path]);
    };
    let parent = path.parent().unwrap_or(Path::new(""));
    let listed = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let cannot = |error| Diagnostic::new(format!("cannot list {text}: {error}"), span.clone());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(listed).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        if elinvar::pattern::matches(&pattern, &name.to_string_lossy()) {
            found.push(parent.join(name));
        }
    }
    if found.is_empty() {
        return Err(Diagnostic::new(format!("no file matches {text}"), span));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Vec<String>, Diagnostic> {
        let words = read(&Source::new(NAME, text), Path::new("p"))?;
        Ok(words.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    #[test]
    fn tables_become_options() {
        let text = "[design]\nsources = [\"a.sv\", \"b/c.v\"]\ntop = \"t\"\ndefines = [\"X\"]\n\
                    include = [\"inc\"]\nparameters = { W = 8 }\n[check]\nengine = \"pdr\"\n\
                    timeout = 2.5\nstats = true\njson = false\nproperties = [\"a*\", \"b\"]\n";
        let mut found = words(text).unwrap();
        found.sort();
        let mut expected = [
            "p/a.sv",
            "p/b/c.v",
            "--top=t",
            "-DX",
            "-Ip/inc",
            "-GW=8",
            "--engine=pdr",
            "--timeout=2.5",
            "--stats",
            "--property=a*",
            "--property=b",
        ];
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn faults_have_places() {
        let at = |text: &str| {
            let error = words(text).unwrap_err();
            (error.message, text[error.span].to_owned())
        };
        assert_eq!(at("[desing]\n").1, "desing");
        assert_eq!(at("[design]\ntops = 1\n").1, "tops");
        assert_eq!(at("[check]\nengines = 1\n").1, "engines");
        assert_eq!(at("[check]\njson = 3\n").1, "3");
        assert_eq!(at("[design]\ntop = [1, 2]\n").1, "[1, 2]");
        assert_eq!(at("[design]\nsources = \"*.none\"\n").1, "\"*.none\"");
        assert!(words("[design\n").is_err() && words("x = 1\n").is_err());
    }

    #[test]
    fn patterns_list_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.sv", "a.sv", "c.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = files(folder.path(), "*.sv", 0..0).unwrap();
        assert_eq!(found, [folder.path().join("a.sv"), folder.path().join("b.sv")]);
    }
}
