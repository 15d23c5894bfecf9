//! The tables of the experiments.

use super::record::{Figure, Found, Measurements, Quantity, Results, Row, Side, Unbounded};
use crate::harness::statistics::{Spread, speedup};
use crate::harness::table::{Cell, Table};

/// Digits of seconds after the decimal point.
pub const DIGITS: usize = 4;

const QUANTITIES: [Quantity; 3] = [Quantity::Seconds, Quantity::Queries, Quantity::Obligations];

/// A figure of chapter 6: a row for each input and their total.
pub fn figure(results: &Results, limit: u64) -> Table {
    let mut table = Table::new([
        "input",
        "optimum",
        "naive [s]",
        "incremental [s]",
        "speedup",
        "queries naive",
        "incremental",
        "ratio",
        "obligations naive",
        "incremental",
        "lemmas copied",
    ]);
    table.rows = results.rows.iter().map(|row| line(row, limit)).collect();
    table.rows.push(total(results));
    table
}

fn line(row: &Row, limit: u64) -> Vec<Cell> {
    let seconds = |side: &Side| match side.total(Quantity::Seconds) {
        Some(spread) => Cell::new(spread.text(DIGITS)),
        None => Cell::new(format!("> {limit}")),
    };
    let count = |side: &Side, quantity| whole(side.total(quantity).map(|spread| spread.mean));
    let optimum = match row.found() {
        Found::Optimum(bound) => bound.to_string(),
        Found::Never | Found::TooLong => "-".into(),
    };
    vec![
        Cell::new(row.input.clone()),
        Cell::new(optimum),
        seconds(&row.naive),
        seconds(&row.incremental),
        percent_less(row.means(Quantity::Seconds)),
        count(&row.naive, Quantity::Queries),
        count(&row.incremental, Quantity::Queries),
        ratio(row.means(Quantity::Queries)),
        count(&row.naive, Quantity::Obligations),
        count(&row.incremental, Quantity::Obligations),
        percent(row.incremental.copied(None).map(|(copied, _)| copied)),
    ]
}

/// The sums over the inputs that were decided in both ways.
fn total(results: &Results) -> Vec<Cell> {
    let [seconds, queries, obligations] = QUANTITIES.map(|quantity| totals(results, quantity));
    let part = |pair: Option<(f64, f64)>, part: fn((f64, f64)) -> f64| whole(pair.map(part));
    let exact =
        |value: Option<f64>| Cell::new(value.map_or("-".into(), |v| format!("{v:.DIGITS$}")));
    vec![
        Cell::new("total"),
        Cell::new(""),
        exact(seconds.map(|pair| pair.0)),
        exact(seconds.map(|pair| pair.1)),
        percent_less(seconds),
        part(queries, |pair| pair.0),
        part(queries, |pair| pair.1),
        ratio(queries),
        part(obligations, |pair| pair.0),
        part(obligations, |pair| pair.1),
        Cell::new(""),
    ]
}

fn totals(results: &Results, quantity: Quantity) -> Option<(f64, f64)> {
    let pairs = results.rows.iter().filter_map(|row| row.means(quantity));
    pairs.reduce(|(a, b), (c, d)| (a + c, b + d))
}

/// A sentence: on how many inputs incremental searches were better.
pub fn verdict(results: &Results) -> String {
    let better = |quantity| {
        let pairs = results.rows.iter().filter_map(|row| row.means(quantity));
        pairs.filter(|(naive, incremental)| incremental < naive).count()
    };
    let both = results.rows.iter().filter_map(|row| row.means(Quantity::Seconds)).count();
    let mut text = format!(
        "incremental is better on {} of {both} in time, on {} of {both} in queries",
        better(Quantity::Seconds),
        better(Quantity::Queries),
    );
    let only = |decided: fn(&Row) -> (bool, bool)| {
        results.rows.iter().filter(|row| decided(row) == (true, false)).count()
    };
    let naive = only(|row| (!row.naive.is_too_long(), !row.incremental.is_too_long()));
    let incremental = only(|row| (!row.incremental.is_too_long(), !row.naive.is_too_long()));
    if results.rows.len() > both {
        text += &format!(
            "; of {} more, {incremental} in time by incremental alone, {naive} by naive alone",
            results.rows.len() - both
        );
    }
    text
}

/// Table 6.1: the last instance alone against the whole series up to it, and the proof
/// without a limit. If all instances above some bound take no work, the series up to that
/// bound has a row too.
pub fn final_only(measured: &Measurements) -> Option<Table> {
    let results = measured.figures.iter().find(|results| results.figure == Figure::Peterson)?;
    let mut table = Table::new([
        "input",
        "last alone [s]",
        "R-IPDR series [s]",
        "speedup",
        "queries alone",
        "series",
        "ratio",
        "no limit [s]",
        "queries",
    ]);
    for row in &results.rows {
        let bounds = row.bounds();
        let unbounded = measured.unbounded.iter().find(|proof| proof.input == row.input);
        let Some(&last) = bounds.last() else { continue };
        table.rows.push(up_to(row, last, unbounded));
        if let Some(bound) = row.saturated().filter(|&bound| bound < last) {
            table.rows.push(up_to(row, bound, unbounded));
        }
    }
    Some(table)
}

fn up_to(row: &Row, bound: u64, unbounded: Option<&Unbounded>) -> Vec<Cell> {
    let alone = |quantity| row.naive.at(bound, quantity);
    let series = |quantity| row.incremental.until(bound, quantity);
    let pair = |quantity| Some((alone(quantity)?.mean, series(quantity)?.mean));
    let mean = |spread: Option<Spread>| spread.map(|spread| spread.mean);
    vec![
        Cell::new(format!("{} to {bound}", row.input)),
        seconds(alone(Quantity::Seconds)),
        seconds(series(Quantity::Seconds)),
        percent_less(pair(Quantity::Seconds)),
        whole(mean(alone(Quantity::Queries))),
        whole(mean(series(Quantity::Queries))),
        ratio(pair(Quantity::Queries)),
        seconds(unbounded.and_then(|proof| proof.spread(|&(seconds, _)| seconds))),
        whole(mean(unbounded.and_then(|proof| proof.spread(|&(_, queries)| queries as f64)))),
    ]
}

/// The statistics of section 7.1, by bound, each over the searches that reached it.
pub fn by_bound(row: &Row) -> Table {
    let mut table = Table::new([
        "bound",
        "naive [s]",
        "incremental [s]",
        "queries naive",
        "incremental",
        "obligations naive",
        "incremental",
        "CTIs naive",
        "incremental",
        "lemmas copied",
        "inductive",
    ]);
    for bound in row.bounds() {
        let mut cells = vec![Cell::new(bound.to_string())];
        let sides = [&row.naive, &row.incremental];
        cells.extend(sides.map(|side| seconds(side.at(bound, Quantity::Seconds))));
        for quantity in [Quantity::Queries, Quantity::Obligations, Quantity::Ctis] {
            cells.extend(sides.map(|side| whole(side.at(bound, quantity).map(|s| s.mean))));
        }
        let copied = row.incremental.copied(Some(bound));
        cells.push(percent(copied.map(|(copied, _)| copied)));
        cells.push(percent(copied.map(|(_, always)| always)));
        table.rows.push(cells);
    }
    table
}

fn seconds(spread: Option<Spread>) -> Cell {
    Cell::new(spread.map_or("-".into(), |spread| spread.text(DIGITS)))
}

fn whole(value: Option<f64>) -> Cell {
    Cell::new(value.map_or("-".into(), |value| format!("{value:.0}")))
}

fn percent(value: Option<f64>) -> Cell {
    Cell::new(value.map_or("-".into(), |value| format!("{value:.0}%")))
}

/// By how many percent the second is less.
fn percent_less(pair: Option<(f64, f64)>) -> Cell {
    let value = pair.and_then(|(naive, incremental)| speedup(naive, incremental));
    // Adding zero removes the sign of a negative zero.
    let value = value.map(|value| value.round() + 0.0);
    Cell { worse: value.is_some_and(|value| value < 0.0), ..percent(value) }
}

/// The quotient of the second and the first.
fn ratio(pair: Option<(f64, f64)>) -> Cell {
    let value = pair.filter(|pair| pair.0 > 0.0).map(|(naive, incremental)| incremental / naive);
    let text = value.map_or("-".into(), |value| format!("{value:.2}"));
    Cell { text, worse: value.is_some_and(|value| value > 1.0) }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::row;
    use super::*;

    fn words(table: &Table, row: usize) -> Vec<&str> {
        table.rows[row].iter().map(|cell| &cell.text[..]).collect()
    }

    fn measurements() -> Measurements {
        let mut slow = row("slow");
        slow.naive.0[1].found = Found::TooLong;
        let results = Results { figure: Figure::Peterson, rows: vec![row("Peter(2)"), slow] };
        let proofs = Some(vec![(0.25, 7)]);
        let unbounded = vec![Unbounded { input: "Peter(2)".into(), proofs }];
        Measurements { seeds: 2, limit: 9, figures: vec![results], unbounded }
    }

    #[test]
    fn a_figure_has_means_deviations_speedups_and_a_total() {
        let report = measurements();
        let table = figure(&report.figures[0], report.limit);
        let [naive, incremental] = ["4.0000 ± 1.4142", "1.0000 ± 0.7071"];
        let numbers = ["75%", "300", "90", "0.30", "30", "9", "80%"];
        let first = [&["Peter(2)", "3", naive, incremental][..], &numbers].concat();
        assert_eq!(words(&table, 0), first);
        assert_eq!(words(&table, 1)[2..6], ["> 9", incremental, "-", "-"]);
        let total = ["total", "", "4.0000", "1.0000", "75%", "300", "90", "0.30", "30", "9", ""];
        assert_eq!(words(&table, 2), total);
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
        assert_eq!(
            verdict(&report.figures[0]),
            "incremental is better on 1 of 1 in time, on 1 of 1 in queries; of 1 more, 1 in time \
             by incremental alone, 0 by naive alone"
        );
    }

    #[test]
    fn the_last_instance_alone_is_compared_with_the_series() {
        let mut report = measurements();
        let table = final_only(&report).unwrap();
        let last =
            ["Peter(2) to 2", "2.5000 ± 0.7071", "1.0000 ± 0.7071", "60%", "200", "90", "0.45"];
        assert_eq!(words(&table, 0), [&last[..], &["0.2500", "7"]].concat());
        assert_eq!(table.rows[0].len(), table.head.len());
        report.figures[0].rows.truncate(1);
        for search in &mut report.figures[0].rows[0].incremental.0 {
            search.stages[0].obligations = 0;
        }
        let table = final_only(&report).unwrap();
        assert_eq!((table.rows.len(), words(&table, 1)[0]), (2, "Peter(2) to 1"));
        report.figures.clear();
        assert!(final_only(&report).is_none());
    }

    #[test]
    fn bounds_have_their_own_numbers() {
        let table = by_bound(&row("x"));
        let second =
            ["2", "2.5000 ± 0.7071", "0.5000", "200", "0", "20", "0", "1", "0", "80%", "20%"];
        assert_eq!(words(&table, 1), second);
        assert_eq!(table.rows[0].len(), table.head.len());
    }

    #[test]
    fn slower_is_marked() {
        assert!(percent_less(Some((1.0, 2.0))).worse && ratio(Some((1.0, 2.0))).worse);
        assert!(!percent_less(Some((2.0, 1.0))).worse && !percent_less(None).worse);
        assert_eq!(percent_less(Some((1000.0, 1000.1))), Cell::new("0%"));
    }
}
