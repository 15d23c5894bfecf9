//! The report for people: the verdict, what it means, and what to look at.

use std::fmt::Write;
use std::time::Duration;

use elinvar_engines::pdr::Reuse;
use elinvar_ir::{Certificate, PropertyKind, Trace, Verdict};

use super::digest::{CONSIDERED, digest};
use super::table::{self, Look};
use super::waves::{Waves, nearest_signals};
use super::{Answer, Report, Summary, invariant, relevance};
use crate::evidence;

/// Rows of a table before the farther signals are left out.
const ROWS: usize = 40;

/// Characters of a property's name in a table.
const PROPERTY: usize = 60;

/// Lines of an invariant before the larger clauses are left out.
const LINES: usize = 20;

/// The whole report, the verdict's word alone on the first line.
pub fn render(report: &Report<'_>, look: Look) -> String {
    let mut text = format!("{}\n", report.word());
    text.push_str(&meaning(report));
    if let Some(cycle) = report.answers.iter().find_map(|answer| report.vacuous(answer)) {
        writeln!(text, "{}", evidence::vacuous(cycle)).expect("strings do not fail");
    }
    if report.answers.len() > 1 {
        text.push('\n');
        text.push_str(&properties(report));
    }
    text.push_str(&facts(report));
    if let Some((answer, trace)) = shortest_trace(report) {
        text.push_str(&failure(report, answer, trace, look));
    }
    if let Some(line) = reuse(report) {
        write!(text, "\n{line}").expect("strings do not fail");
    }
    let undecided = report.summary() == Summary::Unknown && report.statistics.total().count > 0;
    let reached =
        if undecided { format!(", bound {}", report.statistics.bound) } else { String::new() };
    writeln!(text, "\n{}, {}{reached}", report.engines(), seconds(report.time))
        .expect("strings do not fail");
    text.push_str(&report.files.text());
    text
}

/// What the earlier proof was good for.
fn reuse(report: &Report<'_>) -> Option<String> {
    let (reuse, before) = (report.statistics.reuse?, report.earlier_seconds?);
    let Reuse { offered, kept, always, queries, .. } = reuse;
    let queries = if queries == 1 { "1 query".to_owned() } else { format!("{queries} queries") };
    // Lemmas that no longer hold save nothing, and a run without a verdict is not over.
    let saved = if kept > 0 && report.summary() != Summary::Unknown {
        let saved = (before - report.time.as_secs_f64()).max(0.0);
        format!("; that saved {saved:.2} s of {before:.2} s")
    } else {
        String::new()
    };
    Some(format!(
        "Reused {kept} of {offered} lemmas, {always} of them for ever, after {queries}{saved}.\n"
    ))
}

/// What the verdict says, in sentences.
fn meaning(report: &Report<'_>) -> String {
    if let [answer] = &report.answers[..] {
        return meaning_of_one(report, answer);
    }
    let count =
        |summary| report.answers.iter().filter(|a| Summary::of(&a.verdict) == summary).count();
    let all = report.answers.len();
    match report.summary() {
        Summary::Safe => format!("All {all} properties hold in every reachable state.\n"),
        Summary::Unsafe => {
            let failing = count(Summary::Unsafe);
            let verb = if failing == 1 { "fails" } else { "fail" };
            format!("{failing} of {all} properties {verb}: {}.\n", failing_names(report))
        }
        Summary::Unknown => {
            let open = count(Summary::Unknown);
            let verb = if open == 1 { "is" } else { "are" };
            format!("{open} of {all} properties {verb} undecided; none is known to fail.\n")
        }
    }
}

fn failing_names(report: &Report<'_>) -> String {
    let failing = report.answers.iter().filter(|a| Summary::of(&a.verdict) == Summary::Unsafe);
    let names: Vec<&str> = failing.map(|answer| report.name(answer)).collect();
    names.join(", ")
}

fn meaning_of_one(report: &Report<'_>, answer: &Answer) -> String {
    let name = report.name(answer);
    match (&answer.verdict, report.is_combinational()) {
        (Verdict::Safe(_), true) => format!("No values make {name} true.\n"),
        (Verdict::Unsafe(_), true) => format!("These values make {name} true:\n"),
        (Verdict::Safe(certificate), false) => {
            let how = proof(certificate);
            format!("Property {name} holds in every reachable state: proved by {how}, checked.\n")
        }
        (Verdict::Unsafe(trace), false) => {
            let (depth, cycles) = (trace.depth(), count(trace.steps.len(), "cycle"));
            format!("Property {name} fails in cycle {depth}: a trace of {cycles}, replayed.\n")
        }
        (Verdict::Unknown(reason), _) => format!("Property {name} is undecided: {reason}.\n"),
    }
}

/// What kind of proof it is, and how large.
pub fn proof(certificate: &Certificate) -> String {
    match certificate {
        Certificate::Inductive { clauses } => {
            let literals = clauses.iter().map(Vec::len).sum();
            let (clauses, literals) = (count(clauses.len(), "clause"), count(literals, "literal"));
            format!("an inductive invariant of {clauses} with {literals}")
        }
        Certificate::Facts { clauses } => {
            let facts = clauses.iter().map(Vec::len).sum();
            let (clauses, facts) = (count(clauses.len(), "clause"), count(facts, "fact"));
            format!("an inductive invariant of {clauses} with {facts}")
        }
        Certificate::KInductive { k, simple_path: false } => format!("{k}-induction"),
        Certificate::KInductive { k, simple_path: true } => {
            format!("{k}-induction over simple paths")
        }
        Certificate::Formula(formula) => {
            format!("an inductive invariant of {}", count(formula.size(), "node"))
        }
    }
}

/// A line a property.
fn properties(report: &Report<'_>) -> String {
    let mut rows = Vec::new();
    for answer in &report.answers {
        let detail = match &answer.verdict {
            Verdict::Safe(certificate) => proof(certificate),
            Verdict::Unsafe(trace) => format!("in cycle {}", trace.depth()),
            Verdict::Unknown(reason) => reason.to_string(),
        };
        rows.push([
            answer.property.0.to_string(),
            table::shorten(report.name(answer), PROPERTY),
            Summary::of(&answer.verdict).word().to_owned(),
            seconds(answer.time),
            detail,
        ]);
    }
    align(&rows)
}

/// What is known of the words of every reachable state, by the proofs that tell it.
fn facts(report: &Report<'_>) -> String {
    let proved = report.answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Safe(Certificate::Facts { clauses }) => Some(clauses),
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    });
    excerpt(&invariant::lines(report.model.system(), proved.flatten()))
}

/// The first lines of an invariant.
fn excerpt(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = "\nThe invariant:\n".to_owned();
    for line in &lines[..lines.len().min(LINES)] {
        writeln!(text, "  {line}").expect("strings do not fail");
    }
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        writeln!(text, "  … and {more} more; --json lists them all").expect("strings do not fail");
    }
    text
}

/// The failing property that is reached first.
fn shortest_trace<'a>(report: &'a Report<'_>) -> Option<(&'a Answer, &'a Trace)> {
    let traces = report.answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Unsafe(trace) => Some((answer, trace)),
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    });
    traces.min_by_key(|(answer, trace)| (trace.depth(), answer.property))
}

fn failure(report: &Report<'_>, answer: &Answer, trace: &Trace, look: Look) -> String {
    let mut text = String::new();
    if report.answers.len() > 1 {
        let (name, depth) = (report.name(answer), trace.depth());
        write!(text, "\nProperty {name} fails in cycle {depth}:\n").expect("strings do not fail");
    }
    let system = report.model.system();
    let PropertyKind::Bad(bad) = system.property(trace.property).kind else { return text };
    let cone = nearest_signals(system, bad);
    let mut waves = Waves::of_trace(system, trace, &cone[..cone.len().min(CONSIDERED)]);
    relevance::mark(system, trace, bad, &mut waves);
    let look = Look { numbered: !report.is_combinational(), ..look };
    let table = signals(waves, cone.len(), look);
    if !table.is_empty() {
        text.push('\n');
        text.push_str(&table);
    }
    text
}

/// The table of the most important of `all` signals, which come first in `waves`.
pub fn signals(waves: Waves, all: usize, look: Look) -> String {
    let waves = digest(waves, ROWS);
    let mut text = table::render(&waves, look);
    let shown: usize = waves.signals.iter().map(|signal| signal.stands_for).sum();
    if shown < all {
        let more = count(all - shown, "more signal");
        writeln!(text, "  … and {more}; --vcd writes them all").expect("strings do not fail");
    }
    text
}

/// Columns side by side, each as wide as its widest cell.
pub fn align<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, &width) in row.iter().zip(&widths) {
            write!(line, "  {cell:<width$}").expect("strings do not fail");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `1 cycle`, `2 cycles`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// `0.05 s`.
pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["a".into(), "b".into()], ["long".into(), "c".into()]];
        assert_eq!(align(&rows), "  a     b\n  long  c\n");
        assert_eq!(count(1, "cycle"), "1 cycle");
        assert_eq!(count(0, "cycle"), "0 cycles");
    }

    #[test]
    fn long_invariants_are_cut() {
        let lines: Vec<String> = (0..=LINES).map(|n| format!("x >= {n}")).collect();
        let text = excerpt(&lines);
        assert!(text.starts_with("\nThe invariant:\n  x >= 0\n"));
        assert!(text.ends_with("\n  x >= 19\n  … and 1 more; --json lists them all\n"));
        assert_eq!(excerpt(&[]), "");
    }
}
