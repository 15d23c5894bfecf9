//! What the tests of experiments share.

use std::path::Path;

use clap::Args;
use tempfile::TempDir;

use super::list::Instance;
use super::log::{cell, optional};
use super::outcome::{Outcome, Verdict};
use super::process;
use super::run::{Measured, Run};

/// A measurement with one column.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Count(pub Option<u64>);

impl Measured for Count {
    const COLUMNS: &'static [&'static str] = &["count"];

    fn cells(&self) -> Vec<String> {
        vec![cell(self.0)]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[count] = cells else { return None };
        Some(Count(optional(count)?))
    }

    fn stopped(self) -> Self {
        Count(None)
    }
}

/// A run with a verdict.
pub fn decided(word: &str, seconds: f64, count: Option<u64>) -> Run<Count> {
    Run { measured: Count(count), ..run(word, seconds) }
}

/// A run that measured nothing, with the outcome of this word.
pub fn run<M: Measured>(word: &str, seconds: f64) -> Run<M> {
    Run::new(Outcome::of_word(word).expect("an outcome"), seconds)
}

/// An instance whose group is the folder of its path.
pub fn instance(path: &str, expected: Option<Verdict>) -> Instance {
    let group = path.split('/').next().unwrap_or_default().to_owned();
    Instance { file: path.into(), path: path.to_owned(), group, expected, cells: Vec::new() }
}

/// A folder with a list of instances and scripts in place of programs.
pub struct Desk(TempDir);

impl Desk {
    /// Writes the list and an empty file for each path in it.
    pub fn new(list: &str, text: &str) -> Self {
        let desk = Desk(tempfile::tempdir().unwrap());
        desk.file("index.csv", list);
        for line in list.lines().skip(1) {
            desk.file(line.split(',').next().unwrap_or_default(), text);
        }
        desk
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// A program. `CALLS` in the text is the file that [`Desk::calls`] reads.
    pub fn script(&self, name: &str, text: &str) {
        process::script(self.folder(), name, &text.replace("CALLS", &self.path("calls")));
    }

    /// The lines that scripts have appended.
    pub fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// The options of a command line.
pub fn options<T: Args>(words: &[&str]) -> T {
    let command = T::augment_args(clap::Command::new("test"));
    let words = ["test"].iter().chain(words);
    T::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

/// Checks that all elements are closed in the right order and all text is escaped.
pub fn is_well_formed(markup: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        text_is_escaped(&rest[..start])?;
        let end = start + rest[start..].find('>').ok_or("a tag is not closed")?;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if !tag.matches('"').count().is_multiple_of(2) || tag.contains('<') {
            return Err(format!("<{tag}>"));
        }
        let name = |tag: &str| tag.split_whitespace().next().unwrap_or_default().to_owned();
        if let Some(tag) = tag.strip_prefix('/') {
            let opened = open.pop();
            if opened.as_deref() != Some(tag) {
                return Err(format!("{opened:?} is closed by {tag}"));
            }
        } else if !tag.ends_with('/') {
            open.push(name(tag));
        }
    }
    text_is_escaped(rest)?;
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} are not closed")) }
}

fn text_is_escaped(text: &str) -> Result<(), String> {
    let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
    let clean = entities.iter().fold(text.to_owned(), |text, entity| text.replace(entity, ""));
    if clean.contains(['&', '>']) { Err(format!("not escaped: {text}")) } else { Ok(()) }
}
