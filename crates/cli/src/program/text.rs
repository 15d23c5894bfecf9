//! The report for people.

use std::collections::BTreeSet;
use std::fmt::Write;

use elinvar_formats::boogie::Dialect;
use elinvar_ir::program::{
    AssertionKind, Invariants, LocationId, ProgramTrace, ProgramVerdict, Value, VariableId,
};

use super::source::shorten;
use super::story::{self, Excerpt, Gap, Row};
use super::{Answer, Report, value};
use crate::report::Summary;
use crate::report::text::{align, count, seconds};

/// Clauses at a location before the larger ones are left out.
const CLAUSES: usize = 20;

/// The longest value that is shown.
const VALUE: usize = 60;

/// The whole report, the verdict's word alone on the first line.
pub fn render(report: &Report<'_>) -> String {
    let mut text = format!("{}\n", report.summary().word());
    if let [answer] = &report.answers[..] {
        let meaning = meaning(report, answer);
        writeln!(text, "{}\n{meaning}.", report.heading(answer.property)).expect(STRINGS);
    } else {
        text.push_str(&counts(report));
        text.push('\n');
        text.push_str(&properties(report));
    }
    text.push_str(&vacuous(report));
    if let Some((answer, trace)) = shortest_run(report) {
        if report.answers.len() > 1 {
            write!(text, "\n{}\n{}.\n", report.heading(answer.property), meaning(report, answer))
                .expect(STRINGS);
        }
        write!(text, "\n{}", run(report, trace)).expect(STRINGS);
    }
    text.push_str(&invariants(report));
    let dialect = match report.dialect {
        Dialect::Boogie => "",
        Dialect::Ultimate => "dialect ultimate, ",
    };
    writeln!(text, "\ncfg, {dialect}{}", seconds(report.time)).expect(STRINGS);
    text.push_str(&report.files.text());
    text
}

const STRINGS: &str = "strings do not fail";

fn meaning(report: &Report<'_>, answer: &Answer) -> String {
    let what = match report.program.property(answer.property).kind {
        AssertionKind::Assert => "The assertion",
        AssertionKind::Requires => "The precondition",
        AssertionKind::Ensures => "The postcondition",
        AssertionKind::InvariantEntry => "The loop's invariant, when the loop is entered,",
        AssertionKind::InvariantKept => "The loop's invariant, after a round,",
    };
    match &answer.verdict {
        ProgramVerdict::Safe(proof) => {
            format!("{what} holds in every run: proved by {}, checked", size(proof))
        }
        ProgramVerdict::Unsafe(trace) => {
            format!("{what} fails: a run of {}, replayed", count(trace.steps.len(), "step"))
        }
        ProgramVerdict::Unknown(reason) => format!("{what} is undecided: {reason}"),
    }
}

/// `invariants of 3 clauses at 1 location`
fn size(proof: &Invariants) -> String {
    let stated = || proof.at.values().filter(|clauses| !clauses.is_empty());
    let clauses = stated().map(Vec::len).sum();
    if clauses == 0 {
        return "looking at all paths".to_owned();
    }
    let (clauses, locations) = (count(clauses, "clause"), count(stated().count(), "location"));
    format!("invariants of {clauses} at {locations}")
}

fn counts(report: &Report<'_>) -> String {
    let count = |summary| {
        report.answers.iter().filter(|a| Summary::of_program(&a.verdict) == summary).count()
    };
    let all = report.answers.len();
    match report.summary() {
        Summary::Safe => format!("All {all} properties hold in every run.\n"),
        Summary::Unsafe => {
            let failing = count(Summary::Unsafe);
            let verb = if failing == 1 { "fails" } else { "fail" };
            format!("{failing} of {all} properties {verb}.\n")
        }
        Summary::Unknown => {
            let open = count(Summary::Unknown);
            let verb = if open == 1 { "is" } else { "are" };
            format!("{open} of {all} properties {verb} undecided; none is known to fail.\n")
        }
    }
}

/// A line for each procedure whose body no state can enter.
fn vacuous(report: &Report<'_>) -> String {
    let procedures: BTreeSet<&String> = report.answers.iter().flat_map(|a| &a.vacuous).collect();
    let line =
        |name| format!("vacuous: the preconditions of procedure {name} contradict each other\n");
    procedures.into_iter().map(line).collect()
}

/// A line a property.
fn properties(report: &Report<'_>) -> String {
    let row = |answer: &Answer| {
        let detail = match &answer.verdict {
            ProgramVerdict::Safe(proof) => size(proof),
            ProgramVerdict::Unsafe(trace) => {
                format!("a run of {}", count(trace.steps.len(), "step"))
            }
            ProgramVerdict::Unknown(reason) => reason.to_string(),
        };
        let property = report.program.property(answer.property);
        [
            answer.property.0.to_string(),
            report.source.place(&property.span),
            property.name.clone(),
            Summary::of_program(&answer.verdict).word().to_owned(),
            detail,
        ]
    };
    align(&report.answers.iter().map(row).collect::<Vec<_>>())
}

fn shortest_run<'a>(report: &'a Report<'_>) -> Option<(&'a Answer, &'a ProgramTrace)> {
    let runs = report.answers.iter().filter_map(|answer| match &answer.verdict {
        ProgramVerdict::Unsafe(trace) => Some((answer, trace)),
        ProgramVerdict::Safe(_) | ProgramVerdict::Unknown(_) => None,
    });
    runs.min_by_key(|(answer, trace)| (trace.steps.len(), answer.property))
}

/// The lines of a run, with the values that they wrote.
fn run(report: &Report<'_>, trace: &ProgramTrace) -> String {
    let rows = story::rows(report.program, &report.source, trace);
    let Excerpt { first, gap, last } = story::excerpt(&rows);
    let cells = |row: &Row| {
        let values: Vec<String> =
            row.values.iter().map(|(variable, value)| assigned(report, *variable, value)).collect();
        let line = row.line.map_or_else(String::new, |line| line.to_string());
        [line, row.text.clone(), values.join(", ")]
    };
    let header = ["line", "statement", "values"].map(str::to_owned);
    let shown = first.iter().filter(|row| row.line.is_some() || !row.values.is_empty());
    let mut table: Vec<[String; 3]> = std::iter::once(header).chain(shown.map(cells)).collect();
    table.extend(gap.map(|gap| left_out(&gap)));
    table.extend(last.iter().map(cells));
    align(&table)
}

fn assigned(report: &Report<'_>, variable: VariableId, value: &Value) -> String {
    let terms = &report.program.terms;
    let value = shorten(&value::text(terms, value), VALUE);
    format!("{} = {value}", terms.name(variable))
}

fn left_out(gap: &Gap) -> [String; 3] {
    let rounds = gap.rounds.map_or_else(String::new, |(line, times)| {
        format!("; line {line} is executed {times} times in them")
    });
    let text = format!("… {} more{rounds}", count(gap.rows, "statement"));
    ["…".to_owned(), text, String::new()]
}

/// What holds at which lines, by the proofs.
fn invariants(report: &Report<'_>) -> String {
    let proofs = report.answers.iter().filter_map(|answer| match &answer.verdict {
        ProgramVerdict::Safe(proof) => Some(proof),
        ProgramVerdict::Unsafe(_) | ProgramVerdict::Unknown(_) => None,
    });
    let mut text = String::new();
    for (location, clauses) in report.clauses(proofs) {
        write!(text, "\n{}\n", place(report, location)).expect(STRINGS);
        let word = keyword(report, location);
        for clause in clauses.iter().take(CLAUSES) {
            writeln!(text, "  {word} {clause};").expect(STRINGS);
        }
        if clauses.len() > CLAUSES {
            let more = clauses.len() - CLAUSES;
            writeln!(text, "  … and {more} more; --json lists them all").expect(STRINGS);
        }
    }
    text
}

fn place(report: &Report<'_>, location: LocationId) -> String {
    let location = report.program.location(location);
    match location.span.is_empty() {
        true => format!("in {}:", location.procedure),
        false => format!(
            "{}: {}",
            report.source.place(&location.span),
            report.source.text(&location.span)
        ),
    }
}

/// Loops take `invariant`; a label takes `assert`, after it.
fn keyword(report: &Report<'_>, location: LocationId) -> &'static str {
    let text = report.source.text(&report.program.location(location).span);
    if text.starts_with("while") { "invariant" } else { "assert" }
}
