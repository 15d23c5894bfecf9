//! The table of the properties of a report.

use std::fmt::Write;

use elinvar::ir::{Certificate, StopReason, Verdict};
use elinvar::readable::{count, seconds, sentence};
use elinvar::{Proof, PropertyReport, Report, Summary, Trace};

use super::columns::{Cell, Fit, layout};
use super::table::{Look, shorten};
use super::text::place;
use crate::style;

/// Columns of a property's name.
const NAME: usize = 60;

/// The verdict on a property that was proved vacuously.
const VACUOUS: &str = "vacuous";

/// On a terminal, longer lists are summarised.
const SHORT: usize = 30;

/// So many properties of a long list are shown, if they need attention.
const SHOWN: usize = 40;

/// One line per property. Of a long list, a terminal shows the properties that need attention.
pub fn table(report: &Report, look: Look) -> String {
    let all: Vec<&PropertyReport> = report.properties.iter().collect();
    if look.limit().is_none() || all.len() <= SHORT {
        return rows(&all, look);
    }
    let mut shown: Vec<&PropertyReport> = all.iter().copied().filter(|p| rank(p) < CALM).collect();
    shown.sort_by_key(|property| rank(property));
    shown.truncate(SHOWN);
    let is_hidden = |p: &&PropertyReport| shown.iter().all(|shown| shown.id != p.id);
    let hidden: Vec<&PropertyReport> = all.into_iter().filter(is_hidden).collect();
    let mut text = rows(&shown, look);
    let rest = tally(&hidden);
    if !hidden.is_empty() {
        let and = if shown.is_empty() { "" } else { "… and " };
        writeln!(text, "  {and}{rest}; --all lists them").expect("strings do not fail");
    }
    text
}

/// The rank of a property that needs no attention.
const CALM: u8 = 3;

/// Failing properties come first, then undecided and vacuous ones.
fn rank(property: &PropertyReport) -> u8 {
    match property.summary() {
        Summary::Unsafe | Summary::Unreachable => 0,
        Summary::Unknown => 1,
        Summary::Safe | Summary::Reached if property.is_vacuous() => 2,
        Summary::Safe | Summary::Reached => CALM,
    }
}

/// `480 safe, 3 unknown`
fn tally(properties: &[&PropertyReport]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in properties.iter().map(|property| word(property)) {
        match counts.iter_mut().find(|(counted, _)| *counted == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let texts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    texts.join(", ")
}

fn word(property: &PropertyReport) -> &'static str {
    if property.is_vacuous() { VACUOUS } else { property.summary().word() }
}

fn rows(properties: &[&PropertyReport], look: Look) -> String {
    let has_places = properties.iter().any(|property| property.location.is_some());
    let row = |property: &&PropertyReport| {
        let style = match property.is_vacuous() {
            true => style::vacuous(),
            false => style::verdict(property.summary()),
        };
        // On a terminal, the layout shortens names.
        let most = if look.complete || look.terminal { usize::MAX } else { NAME };
        let mut row = vec![
            Cell::from(property.id.0.to_string()),
            shorten(&property.name, most).into(),
            Cell::styled(word(property), style),
            seconds(property.time).into(),
            detail(property),
        ];
        if has_places {
            row.insert(1, Cell::styled(place(property), style::PLACE));
        }
        row
    };
    let mut fits = vec![Fit::Keep, Fit::Shorten(16), Fit::Keep, Fit::Keep, Fit::Wrap(16)];
    if has_places {
        fits.insert(1, Fit::Shorten(12));
    }
    layout(&properties.iter().map(row).collect::<Vec<_>>(), &fits, look.limit())
}

fn detail(property: &PropertyReport) -> Cell {
    match &property.verdict {
        Verdict::Safe(proof) => Cell::from(sentence::proof(proof)).or_short(short(proof)),
        Verdict::Unsafe(Trace::System(trace)) => sentence::repetition(trace).into(),
        Verdict::Unsafe(Trace::Program(trace)) => {
            format!("a run of {}", count(trace.steps.len(), "step")).into()
        }
        Verdict::Unknown(reason) => {
            let cell = Cell::from(reason.to_string());
            match reason {
                StopReason::Timeout => cell.or_short("time limit"),
                StopReason::Memory => cell.or_short("memory limit"),
                StopReason::Bound(bound) => cell.or_short(format!("not within {bound} steps")),
                StopReason::Cancelled | StopReason::Unsupported(_) => cell,
            }
        }
    }
}

/// The size of a proof in two words.
fn short(proof: &Proof) -> String {
    match proof {
        Proof::Certificate(certificate) => match certificate {
            Certificate::Inductive { clauses } => count(clauses.len(), "clause"),
            Certificate::Facts { clauses } => count(clauses.len(), "clause"),
            Certificate::KInductive { k, .. } => format!("{k}-induction"),
            Certificate::Formula(formula) => count(formula.size(), "node"),
            Certificate::Ranking(ranking) => count(ranking.size(), "node"),
        },
        Proof::Invariants(invariants) => match invariants.at.values().map(Vec::len).sum() {
            0 => "all paths".to_owned(),
            clauses => count(clauses, "clause"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar::ir::{PropertyId, SystemBuilder};
    use elinvar::{Options, Problem, check};

    /// Many properties that hold; the last one is undecided, the one before it fails.
    fn report(count: usize) -> Report {
        let mut b = SystemBuilder::new();
        let (never, always) = (b.pool.bool(false), b.pool.bool(true));
        for number in 0..count {
            let bad = if number + 2 == count { always } else { never };
            b.bad(format!("core.pipeline.stage_{number}.assert_no_overflow"), bad);
        }
        let problem = Problem::from(b.finish().unwrap());
        let mut report = check(&problem, &Options::default()).unwrap();
        let last = report.properties.last_mut().unwrap();
        last.verdict = Verdict::Unknown(StopReason::Timeout);
        report
    }

    fn plain(report: &Report, look: Look) -> String {
        anstream::adapter::strip_str(&table(report, look)).to_string()
    }

    #[test]
    fn a_terminal_shows_what_needs_attention() {
        let look = Look { width: 80, terminal: true, ..Look::default() };
        let text = plain(&report(500), look);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("  498  ") && lines[0].contains("  unsafe  "), "{text}");
        assert!(lines[1].starts_with("  499  ") && lines[1].contains("  unknown  "), "{text}");
        assert_eq!(lines[2], "  … and 498 safe; --all lists them");
        for look in [Look { complete: true, ..look }, Look { terminal: false, ..look }] {
            assert_eq!(plain(&report(500), look).lines().count(), 500);
        }
    }

    #[test]
    fn tables_fit_the_terminal_and_keep_verdicts() {
        for width in [60, 80, 110, 200] {
            let look = Look { width, terminal: true, ..Look::default() };
            let text = plain(&report(10), look);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            assert_eq!(text.matches("  safe ").count(), 8, "{text}");
        }
    }

    #[test]
    fn too_many_failures_are_counted() {
        let mut report = report(100);
        for property in &mut report.properties {
            property.verdict = Verdict::Unknown(StopReason::Timeout);
        }
        let look = Look { width: 110, terminal: true, ..Look::default() };
        let text = plain(&report, look);
        assert_eq!(text.lines().count(), SHOWN + 1, "{text}");
        assert!(text.ends_with("  … and 60 unknown; --all lists them\n"), "{text}");
        assert_eq!(report.properties[0].id, PropertyId(0));
    }
}
