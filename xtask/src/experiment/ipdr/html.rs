//! All results on one page that loads nothing from elsewhere.

use super::plot::{Bars, Group};
use super::record::{Figure, Quantity, Report, Results, Row};
use super::tables;
use crate::experiment::page::{self, escape, paragraph};

const STYLE: &str = "\
:root{--naive:#8b8f98;--incremental:#1f6fb4}
@media(prefers-color-scheme:dark){:root{--naive:#9aa0a8;--incremental:#5aa9e6}}
details{margin:.3em 0}
summary{cursor:pointer}
svg .whisker{stroke:currentColor;fill:none}
svg .naive{fill:var(--naive)}
svg .incremental{fill:var(--incremental)}
";

/// The whole page.
pub fn page(report: &Report) -> String {
    let mut body = paragraph(&format!(
        "Series of instances, each decided from nothing (naive) and from what is known of the \
         one before (incremental), as in chapter 6 of Blankestijn, “Incremental Property Directed \
         Reachability” (2023). Processor seconds; mean and standard deviation over seeds ({}), at \
         most {} s for a search. Every proof and every trace was confirmed by the checker, and \
         all searches of an input agree on its optimum.",
        report.seeds, report.limit
    ));
    for results in &report.figures {
        body += &section(results, report.limit);
        if results.figure == Figure::Peterson {
            body += &final_only(report);
        }
    }
    page::page("Incremental PDR", STYLE, &body)
}

fn section(results: &Results, limit: u64) -> String {
    let figure = results.figure;
    let title = format!("Figure {}: {}", figure.number(), figure.title());
    let mut section = format!("<h2>{}</h2>\n", escape(&title));
    section += &paragraph(caption(figure));
    section += &picture(&inputs(results));
    section += &tables::figure(results, limit).html();
    section += &paragraph(&format!("{}.", tables::verdict(results)));
    section += "<p class=\"soft\">By bound, over the searches that came to it:</p>\n";
    for row in &results.rows {
        section += &details(row);
    }
    section
}

fn final_only(report: &Report) -> String {
    let Some(table) = tables::final_only(report) else { return String::new() };
    let caption = "The last instance alone, from nothing, against the whole series up to it; if \
                   there is a bound from which on no obligations are left, also up to there. The \
                   last columns are the proof without any limit to switches.";
    format!("<h2>Table 6.1: the last instance only</h2>\n{}{}", paragraph(caption), table.html())
}

fn caption(figure: Figure) -> &'static str {
    match figure {
        Figure::Peterson => {
            "Mutual exclusion is proved for 0, 1, 2, … switches between processes. A new limit \
             allows more, so the lemmas before are tried again (R-IPDR)."
        }
        Figure::Constrain => {
            "From pebbles for all vertices on, one pebble less than the last strategy needed, \
             until there is none. All lemmas remain valid (C-IPDR)."
        }
        Figure::Relax => {
            "From as many pebbles as there are outputs, one more each time, until there is a \
             strategy. The lemmas before are tried again (R-IPDR)."
        }
        Figure::Binary => {
            "First pebbles for all vertices, then always the middle of what is left; it \
             constrains after a strategy and relaxes after a proof that there is none."
        }
    }
}

/// Times of all inputs.
fn inputs(results: &Results) -> Bars {
    let group = |row: &Row| Group {
        label: row.input.clone(),
        bars: [&row.naive, &row.incremental].map(|side| side.total(Quantity::Seconds)),
    };
    Bars { unit: "s", digits: tables::DIGITS, groups: results.rows.iter().map(group).collect() }
}

/// An input by bound: times, obligations, and the table.
fn details(row: &Row) -> String {
    let by_bound = |quantity, unit, digits| {
        let group = |bound: u64| Group {
            label: bound.to_string(),
            bars: [&row.naive, &row.incremental].map(|side| side.at(bound, quantity)),
        };
        Bars { unit, digits, groups: row.bounds().into_iter().map(group).collect() }
    };
    let mut details = format!("<details><summary>{}</summary>\n", escape(&row.input));
    let pictures = [
        ("Time by bound", by_bound(Quantity::Seconds, "s", tables::DIGITS)),
        ("Obligations by bound", by_bound(Quantity::Obligations, "", 0)),
    ];
    for (title, bars) in pictures {
        if bars.svg().is_some() {
            details += &format!("<p class=\"soft\">{title}</p>\n{}", picture(&bars));
        }
    }
    details + &tables::by_bound(row).html() + "</details>\n"
}

fn picture(bars: &Bars) -> String {
    bars.svg().map_or_else(String::new, |svg| format!("<div class=\"wide\">{svg}</div>\n"))
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::row;
    use super::*;
    use crate::experiment::page::tests::is_sound;

    #[test]
    fn the_page_is_well_formed_and_loads_nothing() {
        let results = |figure| Results { figure, rows: vec![row("a<b"), row("<script>")] };
        let figures = Figure::ALL.map(results).into();
        let report = Report { seeds: 2, limit: 9, figures, unbounded: Vec::new() };
        let page = page(&report);
        is_sound(&page).unwrap();
        // A picture of all inputs, and two for each input, for each figure.
        assert_eq!(page.matches("<svg").count(), 4 * (1 + 2 * 2));
        assert!(page.contains("Table 6.1"));
    }
}
