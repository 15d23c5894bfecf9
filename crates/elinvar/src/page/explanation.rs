//! The explanations of a page.
//!
//! A report has explanations if they were asked for. Those of traces and of undecided properties
//! take little time, so that a page has them in any case, as far as a moment suffices.

use std::time::{Duration, Instant};

use elinvar_ir::Verdict;
use serde_json::{Value as Json, json};

use super::escape::cost;
use super::sources::Sources;
use crate::explain::{Explanation, Line, Section};
use crate::report::{PropertyReport, Report};

/// The time for explanations that the report does not have.
const TIME: Duration = Duration::from_secs(2);
/// Bytes of all explanations.
const BUDGET: usize = 400_000;
/// Lines of a section.
const LINES: usize = 100;

/// What may still be spent on explanations.
pub(super) struct Explanations {
    deadline: Instant,
    bytes: usize,
}

impl Explanations {
    pub fn new() -> Self {
        Explanations { deadline: Instant::now() + TIME, bytes: BUDGET }
    }

    /// The sections about a property: `{ title, lines, left_out }`, where a line is
    /// `[CYCLE, TEXT, PLACE, SIGNALS]`.
    pub fn json(
        &mut self,
        report: &Report,
        property: &PropertyReport,
        sources: &mut Sources,
    ) -> Json {
        let Some(explanation) = self.explanation(report, property) else { return json!([]) };
        let sections: Vec<Json> =
            explanation.sections.iter().filter_map(|part| self.section(part, sources)).collect();
        sections.into()
    }

    fn explanation(&self, report: &Report, property: &PropertyReport) -> Option<Explanation> {
        let is_cheap = match property.verdict {
            Verdict::Unsafe(_) | Verdict::Unknown(_) => true,
            Verdict::Safe(_) => false,
        };
        let compute = || {
            let has_time = is_cheap && Instant::now() < self.deadline;
            has_time.then(|| report.explanation(property, Some(self.deadline)))
        };
        property.explanation.clone().or_else(compute)
    }

    /// Nothing if there is no room for it.
    fn section(&mut self, section: &Section, sources: &mut Sources) -> Option<Json> {
        let lines: Vec<Json> =
            section.lines.iter().take(LINES).map(|line| written(line, sources)).collect();
        let left_out = section.lines.len() - lines.len();
        let object = json!({ "title": section.title, "lines": lines, "left_out": left_out });
        let size = cost(&object.to_string());
        self.bytes = self.bytes.checked_sub(size)?;
        Some(object)
    }
}

fn written(line: &Line, sources: &mut Sources) -> Json {
    let Line { cycle, location, text, signals } = line;
    let place = location.as_ref().map(|place| {
        sources.add(&place.file, place.line);
        json!([place.file, place.line])
    });
    json!([cycle, text, place, signals])
}
