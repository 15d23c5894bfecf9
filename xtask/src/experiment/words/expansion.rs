//! Figure 7 of the paper: how far states are expanded by each simulation, hybrid against
//! the two of which it is made, and the product of domains, which is not in the paper,
//! against hybrid.

use super::factors::{Counts, Factors};
use super::results::{Part, Results};
use super::section::{Plot, Section};
use super::settings::Setting;
use crate::experiment::scatter::{Point, Scatter};
use crate::experiment::table::{Cell, Table};

pub const SETTINGS: [Setting; 1] = [Setting::Comparison];

type Factor = fn(&Factors) -> f64;

/// The plots: what is shown across, and upwards.
const PAIRS: [[(&str, Factor); 2]; 3] = [
    [("ternary", |factors| factors.ternary), ("hybrid", |factors| factors.hybrid)],
    [("interval", |factors| factors.interval), ("hybrid", |factors| factors.hybrid)],
    [("hybrid", |factors| factors.hybrid), ("product", |factors| factors.product)],
];

pub fn section(results: &Results) -> Section {
    let plots = PAIRS.iter().filter_map(|pair| {
        let caption = format!("{} against {}", pair[1].0, pair[0].0);
        Some(Plot { caption, svg: plot(results, pair)? })
    });
    Section {
        title: "Figure 7: expansion factors by simulation, at c = 0.5".into(),
        notes: vec![
            "Of all expansions, those where the first simulation reaches at least the factor of \
             the second; models that were not solved in time count too. Plots show some \
             expansions of each model."
                .into(),
        ],
        table: table(results),
        plots: plots.collect(),
    }
}

fn table(results: &Results) -> Table {
    let mut table = Table::new([
        "part",
        "models",
        "expansions",
        "hybrid ≥ ternary",
        "hybrid ≥ interval",
        "hybrid ≥ both",
        "product ≥ hybrid",
    ]);
    for part in results.parts() {
        let (models, counts) = counted(results, &part);
        let share = |count: u64| match counts.all {
            0 => "-".to_owned(),
            all => format!("{:.1}%", 100.0 * count as f64 / all as f64),
        };
        let cells = [
            part.name().to_owned(),
            models.to_string(),
            counts.all.to_string(),
            share(counts.ternary),
            share(counts.interval),
            share(counts.both),
            share(counts.product),
        ];
        table.rows.push(cells.map(Cell::new).to_vec());
    }
    table
}

/// The models with expansions, and their counts in sum.
fn counted(results: &Results, part: &Part) -> (usize, Counts) {
    let runs = results.rows_of(part).filter_map(|row| row.run(Setting::Comparison));
    let counts = runs.filter_map(|run| Some(run.expansions.as_ref()?.counts));
    let counts: Vec<Counts> = counts.filter(|counts| counts.all > 0).collect();
    (counts.len(), counts.iter().fold(Counts::default(), |sum, &counts| sum.plus(counts)))
}

fn plot(results: &Results, pair: &[(&str, Factor); 2]) -> Option<String> {
    let [(across, first), (up, second)] = pair;
    let mut pairs = Vec::new();
    for row in &results.rows {
        let run = row.run(Setting::Comparison);
        let points = run.and_then(|run| run.expansions.as_ref()).map(|all| &all.points[..]);
        pairs.extend(points.unwrap_or_default().iter().map(|factors| (&row.instance, factors)));
    }
    let most = pairs.iter().map(|(_, factors)| first(factors).max(second(factors)));
    let scale = Exponents::new(most.fold(0.0, f64::max));
    let point = |(instance, factors): &(&'_ super::list::Instance, &Factors)| Point {
        across: scale.share(first(factors)),
        up: scale.share(second(factors)),
        kind: kind(&instance.part),
        told: format!(
            "{}: {across} 2^{:.1}, {up} 2^{:.1}",
            instance.path,
            first(factors),
            second(factors)
        ),
    };
    let points = pairs.iter().map(point).collect();
    Scatter { across, up, marks: scale.marks(), kinds: &KINDS, points }.svg()
}

/// The colours of points.
pub const KINDS: [&str; 2] = ["bits", "linear"];

/// What is of no part that has a colour is drawn as the last one.
fn kind(part: &str) -> &'static str {
    KINDS.into_iter().find(|&kind| kind == part).unwrap_or(KINDS[1])
}

/// A scale of powers of two, from zero on.
struct Exponents {
    most: f64,
    step: f64,
}

impl Exponents {
    fn new(most: f64) -> Self {
        let step = if most <= 128.0 { 16.0 } else { (most / 8.0 / 64.0).ceil() * 64.0 };
        Exponents { most: (most / step).ceil().max(1.0) * step, step }
    }

    /// A factor below one, of a set that has shrunk, would lie left of the axis.
    fn share(&self, exponent: f64) -> f64 {
        exponent.max(0.0) / self.most
    }

    fn marks(&self) -> Vec<(f64, String)> {
        let count = (self.most / self.step).round() as u32;
        let exponents = (0..=count).map(|index| f64::from(index) * self.step);
        exponents.map(|exponent| (self.share(exponent), format!("2^{exponent}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::factors::tests::factors;
    use super::super::record::tests::compared;
    use super::super::results::tests::{results, row};
    use super::*;
    use crate::experiment::page::tests::is_well_formed;

    #[test]
    fn expansions_are_summed_by_part() {
        let counts = Counts { all: 8, ternary: 8, interval: 6, both: 6, product: 7 };
        let run = compared(vec![factors(0.0, 16.0, 16.0, 30.0)], counts);
        let none = compared(vec![], Counts::default());
        let rows = vec![
            row("bits/a", &[(Setting::Comparison, run.clone())]),
            row("bits/b", &[(Setting::Comparison, run)]),
            row("linear/c", &[(Setting::Comparison, none)]),
        ];
        let section = section(&results(rows, &SETTINGS));
        let texts = |row: usize| -> Vec<&str> {
            section.table.rows[row].iter().map(|cell| &cell.text[..]).collect()
        };
        assert_eq!(texts(0), ["bits", "2", "16", "100.0%", "75.0%", "75.0%", "87.5%"]);
        assert_eq!(texts(1), ["linear", "0", "0", "-", "-", "-", "-"]);
        assert_eq!(section.plots.len(), 3);
        section.plots.iter().for_each(|plot| is_well_formed(&plot.svg).unwrap());
        assert!(
            section.plots[0].svg.contains("cx=\"56.0\" cy=\"30.0\""),
            "{}",
            section.plots[0].svg
        );
        assert!(section.plots[0].svg.contains("bits/a: ternary 2^0.0, hybrid 2^16.0"));
    }

    #[test]
    fn exponents_have_few_marks() {
        assert_eq!(Exponents::new(63.0).marks().len(), 5);
        assert_eq!(Exponents::new(0.0).marks().len(), 2);
        assert!(Exponents::new(3000.0).marks().len() <= 9);
    }
}
