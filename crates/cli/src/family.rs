//! The search for the bound at which a property begins to fail: options and report of
//! `check --parameter`, `pebble` and `peterson`.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use elinvar::optimum::{Optimum, Stage, StageAnswer};
use elinvar::readable::{align, count, seconds, sentence};
use elinvar::{BoundSearch, FamilyReport, WrittenFile};
use elinvar_formats::btor2;
use elinvar_ir::TransitionSystem;
use elinvar_transform::Trend;

use crate::progress::Shown;
use crate::report::flow;
use crate::{output, style, terminal};

/// In which order bounds are tried, and what is kept between them.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchName {
    /// From the loosest bound on: frames stay valid when a bound is tightened
    Constrain,
    /// From the tightest bound on: lemmas that still hold are kept
    Relax,
    /// Bisection, with both
    Binary,
    /// From the tightest bound on, each from nothing
    Naive,
}

impl SearchName {
    /// What the library calls it.
    pub fn search(self) -> BoundSearch {
        match self {
            SearchName::Constrain => BoundSearch::Constrain,
            SearchName::Relax => BoundSearch::Relax,
            SearchName::Binary => BoundSearch::Binary,
            SearchName::Naive => BoundSearch::Naive,
        }
    }
}

/// Which input of a model is a bound.
#[derive(clap::Args)]
#[command(next_help_heading = "Families")]
pub struct FamilyOptions {
    /// Find the bound in --range at which the property begins to fail, where the bound is the
    /// value of this input, which is constant
    ///
    /// Larger values must only allow more, or only allow less.
    #[arg(long, value_name = "INPUT", requires = "range", hide_short_help = true)]
    parameter: Option<String>,

    /// The values of --parameter to consider, both ends included
    #[arg(
        long,
        value_name = "A..B",
        requires = "parameter",
        value_parser = range,
        hide_short_help = true
    )]
    range: Option<RangeInclusive<u64>>,

    /// How the values of --parameter are tried, and what is kept from one to the next
    /// [default: binary]
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    strategy: Option<SearchName>,
}

impl FamilyOptions {
    /// The input and its range, if a family is meant.
    pub fn family(&self) -> Option<(&str, RangeInclusive<u64>)> {
        Some((self.parameter.as_deref()?, self.range.clone()?))
    }

    /// The chosen order.
    pub fn search(&self) -> Option<SearchName> {
        self.strategy
    }
}

/// What `pebble` and `peterson` print and write.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub struct FamilyOutput {
    /// Write the model as BTOR2; if several limits are tried, it has an input `limit`, for
    /// `elinvar check --parameter limit`
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,

    /// Print only the answer, and no progress
    #[arg(long, short)]
    pub quiet: bool,

    /// Show progress also without a terminal, in a line now and then
    #[arg(long, short)]
    pub verbose: bool,
}

impl FamilyOutput {
    /// Whether progress is shown.
    pub fn shown(&self) -> Shown {
        Shown::of(self.quiet, self.verbose)
    }

    /// Writes the model if the user asks for it.
    pub fn write_model(&self, system: &TransitionSystem) -> Result<()> {
        match &self.model {
            Some(path) => output::write(path, &btor2::write(system)?),
            None => Ok(()),
        }
    }
}

/// `3..17`
fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (low, high) = text.split_once("..").ok_or("not of the form A..B")?;
    let high = high.strip_prefix('=').unwrap_or(high);
    let number = |text: &str| text.trim().parse::<u64>().map_err(|e| format!("`{text}`: {e}"));
    let range = number(low)?..=number(high)?;
    if range.is_empty() { Err("the range is empty".to_owned()) } else { Ok(range) }
}

/// The report as it is asked for.
pub fn render(report: &FamilyReport, files: &[WrittenFile], json: bool, quiet: bool) -> String {
    let word = style::headline(report.summary(), report.summary().word());
    if json {
        let mut object = report.to_json();
        object["files"] = elinvar::json_files(files);
        return format!("{object}\n");
    } else if quiet {
        return format!("{word}\n");
    }
    let (search, time) = (report.search.name(), seconds(report.time));
    let files: String = files.iter().map(|file| output::wrote(file) + "\n").collect();
    let text =
        format!("{word}\n{}\n{}\n{search}, {time}\n{files}", meaning(report), stages(report));
    flow(&text, terminal::stdout_width())
}

/// What the verdict says, in sentences.
fn meaning(report: &FamilyReport) -> String {
    let Optimum { trend, fails, holds, stopped, .. } = &report.optimum;
    let family = report.families.family();
    let parameter = family.parameter();
    let system = family.system();
    let name = &system.property(family.property()).name;
    let mut text = String::new();
    let (from, until) = match trend {
        None | Some(Trend::Loosens) => ("from", "up to"),
        Some(Trend::Tightens) => ("down from", "down to"),
    };
    if let Some((bound, trace)) = fails {
        let cycles = count(trace.steps.len(), "cycle");
        let on = if stopped.is_none() {
            format!("{from} {parameter} = {bound} on")
        } else {
            format!("under {parameter} = {bound}")
        };
        writeln!(text, "Property {name} fails {on}: a trace of {cycles}, replayed.")
            .expect("strings do not fail");
    }
    if let Some((bound, certificate)) = holds {
        let how = sentence::certificate(certificate);
        let subject = if fails.is_some() { "It" } else { &format!("Property {name}") };
        writeln!(text, "{subject} holds {until} {parameter} = {bound}: proved by {how}, checked.")
            .expect("strings do not fail");
    }
    if let Some(reason) = stopped {
        let subject = match (fails, holds) {
            (Some(_), Some(_)) => "Between these bounds it",
            (Some(_), None) | (None, Some(_)) => "Beyond this bound it",
            (None, None) => &format!("Property {name}"),
        };
        writeln!(text, "{subject} is undecided: {reason}.").expect("strings do not fail");
    }
    text
}

/// One line per bound.
pub fn stages(report: &FamilyReport) -> String {
    let header = ["verdict", "frames", "lemmas reused", "obligations", "queries", "time"];
    let mut rows = vec![std::array::from_fn(|i| match i {
        0 => report.families.family().parameter(),
        i => header[i - 1].to_owned(),
    })];
    for stage in &report.optimum.stages {
        let reused = stage
            .reuse
            .map_or_else(|| "-".to_owned(), |reuse| format!("{} of {}", reuse.kept, reuse.offered));
        rows.push([
            stage.bound.to_string(),
            answer(stage),
            stage.statistics.frontier.to_string(),
            reused,
            stage.statistics.obligations.to_string(),
            stage.statistics.query_count().to_string(),
            seconds(stage.time),
        ]);
    }
    align(&rows)
}

fn answer(stage: &Stage) -> String {
    match &stage.answer {
        StageAnswer::Safe => "safe".to_owned(),
        StageAnswer::Unsafe { needed } if *needed == stage.bound => "unsafe".to_owned(),
        StageAnswer::Unsafe { needed } => format!("unsafe, as under {needed}"),
        StageAnswer::Unknown(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("1..20"), Ok(1..=20));
        assert_eq!(range("3..=3"), Ok(3..=3));
        for text in ["", "3", "4..3", "a..b", "1..", "-1..2"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
