//! The figures as sections of a report.

use super::record::{Figure, Measurements, Quantity, Results, Row};
use super::tables;
use crate::harness::report::{Plot, Report, Section};
use crate::plot::bars::{Bars, Group};

const NAMES: [&str; 2] = ["naive", "incremental"];

/// The whole report.
pub fn report(measured: &Measurements) -> Report {
    let introduction = format!(
        "Series of instances, each solved from scratch (naive) and with the lemmas of the one \
         before (incremental), as in chapter 6 of Blankestijn, “Incremental Property Directed \
         Reachability” (2023). Processor seconds; mean and standard deviation over seeds ({}), at \
         most {} s for a search. Every proof and every trace was confirmed by the checker, and \
         all searches of an input agree on its optimum.",
        measured.seeds, measured.limit
    );
    let sections = measured.figures.iter().flat_map(|results| sections(measured, results));
    let sections = sections.collect();
    Report { title: "Incremental PDR", introduction, sections, faults: None }
}

/// The sections of a figure.
pub fn sections(measured: &Measurements, results: &Results) -> Vec<Section> {
    let figure = results.figure;
    let mut sections = vec![Section {
        title: format!("Figure {}: {}", figure.number(), figure.title()),
        introduction: Some(introduction(figure).into()),
        table: Some(tables::figure(results, measured.limit)),
        notes: vec![format!("{}.", tables::verdict(results))],
        plots: plot("", &times(results)).into_iter().collect(),
        details: results.rows.iter().map(by_bound).collect(),
    }];
    if figure == Figure::Peterson {
        sections.extend(tables::final_only(measured).map(|table| {
            Section {
                title: "Table 6.1: the last instance only".into(),
                introduction: Some(
                    "The last instance alone, from scratch, against the whole series up to it; if \
                 there is a bound above which no obligations are left, also up to that bound. The \
                 last columns are the proof without a limit on switches."
                        .into(),
                ),
                table: Some(table),
                ..Section::default()
            }
        }));
    }
    sections
}

fn introduction(figure: Figure) -> &'static str {
    match figure {
        Figure::Peterson => {
            "Mutual exclusion is proved for 0, 1, 2, … switches between processes. A greater limit \
             allows more behaviour, so the lemmas of the instance before are tried again (R-IPDR)."
        }
        Figure::Constrain => {
            "Starts with a pebble for each vertex. Each instance has one pebble less than the last \
             strategy needed, until there is no strategy. All lemmas remain valid (C-IPDR)."
        }
        Figure::Relax => {
            "Starts with as many pebbles as there are outputs. Each instance has one more, until \
             there is a strategy. The lemmas of the instance before are tried again (R-IPDR)."
        }
        Figure::Binary => {
            "Starts with a pebble for each vertex and then halves the remaining interval. It \
             constrains after a strategy and relaxes after a proof that there is none."
        }
    }
}

/// The times of all inputs.
fn times(results: &Results) -> Bars {
    let group = |row: &Row| Group {
        label: row.input.clone(),
        bars: [&row.naive, &row.incremental].map(|side| side.total(Quantity::Seconds)),
    };
    let groups = results.rows.iter().map(group).collect();
    Bars { names: NAMES, unit: "s", digits: tables::DIGITS, groups }
}

/// An input by bound: times, obligations, and the table.
fn by_bound(row: &Row) -> Section {
    let bars = |quantity, unit, digits| {
        let group = |bound: u64| Group {
            label: bound.to_string(),
            bars: [&row.naive, &row.incremental].map(|side| side.at(bound, quantity)),
        };
        Bars { names: NAMES, unit, digits, groups: row.bounds().into_iter().map(group).collect() }
    };
    let plots = [
        plot("Time by bound", &bars(Quantity::Seconds, "s", tables::DIGITS)),
        plot("Obligations by bound", &bars(Quantity::Obligations, "", 0)),
    ];
    Section {
        title: format!("{}, by bound", row.input),
        table: Some(tables::by_bound(row)),
        plots: plots.into_iter().flatten().collect(),
        ..Section::default()
    }
}

fn plot(caption: &str, bars: &Bars) -> Option<Plot> {
    Some(Plot { caption: caption.to_owned(), svg: bars.svg()? })
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::row;
    use super::*;
    use crate::harness::page::tests::is_sound;

    #[test]
    fn the_page_is_well_formed_and_loads_nothing() {
        let results = |figure| Results { figure, rows: vec![row("a<b"), row("<script>")] };
        let figures = Figure::ALL.map(results).into();
        let measured = Measurements { seeds: 2, limit: 9, figures, unbounded: Vec::new() };
        let page = report(&measured).html();
        is_sound(&page).unwrap();
        // A picture of all inputs, and two for each input, for each figure.
        assert_eq!(page.matches("<svg").count(), 4 * (1 + 2 * 2));
        assert!(page.contains("Table 6.1"));
    }
}
