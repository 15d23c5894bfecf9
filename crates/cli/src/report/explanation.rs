//! Why the verdicts are what they are.

use std::fmt::Write;

use elinvar::{Line, PropertyReport, Report, Section, Summary};

use crate::output;

/// Properties that are explained; the others are in the JSON report.
const PROPERTIES: usize = 8;

/// Lines at the beginning and at the end of a long section.
const FIRST: usize = 10;
const LAST: usize = 20;

/// The explanations of a report: failures first, then what is undecided.
pub fn render(report: &Report) -> String {
    let rank = |property: &&PropertyReport| match property.summary() {
        Summary::Unsafe | Summary::Unreachable => 0,
        Summary::Unknown => 1,
        Summary::Safe | Summary::Reached => 2,
    };
    let mut properties: Vec<&PropertyReport> =
        report.properties.iter().filter(|property| property.explanation.is_some()).collect();
    properties.sort_by_key(rank);
    let mut text = String::new();
    for property in properties.iter().take(PROPERTIES) {
        for part in property.explanation.iter().flat_map(|explanation| &explanation.sections) {
            text.push_str(&section(part));
        }
    }
    if properties.len() > PROPERTIES {
        let more = properties.len() - PROPERTIES;
        writeln!(text, "\n… and {more} more properties; --property chooses, --json explains all")
            .expect("strings do not fail");
    }
    text
}

fn section(section: &Section) -> String {
    let mut text = format!("\n{}\n", output::harmless(&format!("{}:", section.title)));
    let lines = &section.lines;
    // The end of a trace matters more than its middle.
    let has_time = lines.iter().any(|line| line.cycle.is_some());
    let (first, last) = match (lines.len() <= FIRST + LAST + 1, has_time) {
        (true, _) => (&lines[..], &lines[..0]),
        (false, true) => (&lines[..FIRST], &lines[lines.len() - LAST..]),
        (false, false) => (&lines[..LAST], &lines[..0]),
    };
    let width = lines.iter().filter_map(|line| line.cycle).max().map_or(0, |t| t.to_string().len());
    let mut cycle = None;
    for line in first {
        text.push_str(&one(line, width, &mut cycle));
    }
    if first.len() < lines.len() {
        let more = lines.len() - first.len() - last.len();
        writeln!(text, "  … and {more} more lines; --json has them all")
            .expect("strings do not fail");
    }
    for line in last {
        text.push_str(&one(line, width, &mut cycle));
    }
    text
}

/// A line, after its cycle unless the line before has the same one.
fn one(line: &Line, width: usize, last: &mut Option<usize>) -> String {
    let content = output::harmless(&line.text);
    let place = line.location.as_ref().map_or_else(String::new, |place| format!("{place}: "));
    match line.cycle {
        None => format!("  {place}{content}\n"),
        Some(cycle) if *last == Some(cycle) => format!("  {:width$}        {content}\n", ""),
        Some(cycle) => {
            *last = Some(cycle);
            format!("  cycle {cycle:<width$}  {content}\n")
        }
    }
}
