//! Figure 7 of the paper: how far states are expanded by each simulation, hybrid against
//! the two of which it is made, and the product of domains, which is not in the paper,
//! against hybrid.

use super::factors::{Counts, Expansions, Factors};
use super::settings::Setting;
use super::{Results, Row};
use crate::harness::report::{Plot, Section};
use crate::harness::results::Group;
use crate::harness::table::Table;
use crate::plot::Mark;
use crate::plot::scatter::{Point, Scatter};

/// The comparison of all simulations.
pub const SETTINGS: [Setting; 1] = [Setting::Comparison];

type Factor = fn(&Factors) -> f64;

/// The plots: what is shown across and what upwards.
const PAIRS: [[(&str, Factor); 2]; 3] = [
    [("ternary", |factors| factors.ternary), ("hybrid", |factors| factors.hybrid)],
    [("interval", |factors| factors.interval), ("hybrid", |factors| factors.hybrid)],
    [("hybrid", |factors| factors.hybrid), ("product", |factors| factors.product)],
];

/// The figure.
pub fn section(results: &Results) -> Section {
    let plots = PAIRS.iter().filter_map(|pair| {
        let caption = format!("{} against {}", pair[1].0, pair[0].0);
        Some(Plot { caption, svg: plot(results, pair)? })
    });
    Section {
        title: "Figure 7: expansion factors by simulation, at c = 0.5".into(),
        notes: vec![
            "Shares of all expansions in which the first simulation reaches at least the factor \
             of the second, including models that were not solved in time. Plots show a sample \
             of the expansions of each model."
                .into(),
        ],
        table: Some(table(results)),
        plots: plots.collect(),
        ..Section::default()
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
    for group in results.groups() {
        let (models, counts) = counted(results, &group);
        let share = |count: u64| match counts.all {
            0 => "-".to_owned(),
            all => format!("{:.1}%", 100.0 * count as f64 / all as f64),
        };
        table.push([
            group.name().to_owned(),
            models.to_string(),
            counts.all.to_string(),
            share(counts.ternary),
            share(counts.interval),
            share(counts.both),
            share(counts.product),
        ]);
    }
    table
}

fn expansions<'a>(results: &Results, row: &'a Row) -> Option<&'a Expansions> {
    row.runs[results.index(&Setting::Comparison)].as_ref()?.measured.0.as_ref()
}

/// The models with expansions, and the sum of their counts.
fn counted(results: &Results, group: &Group) -> (usize, Counts) {
    let counts = results.rows_of(group).filter_map(|row| Some(expansions(results, row)?.counts));
    let counts: Vec<Counts> = counts.filter(|counts| counts.all > 0).collect();
    (counts.len(), counts.iter().fold(Counts::default(), |sum, &counts| sum.plus(counts)))
}

fn plot(results: &Results, pair: &[(&str, Factor); 2]) -> Option<String> {
    let [(across, first), (up, second)] = pair;
    let groups = results.groups();
    let kinds: Vec<&str> = groups[..groups.len() - 1].iter().map(Group::name).collect();
    let mut pairs = Vec::new();
    for row in &results.rows {
        let points = expansions(results, row).map(|expansions| &expansions.points[..]);
        pairs.extend(points.unwrap_or_default().iter().map(|factors| (&row.instance, factors)));
    }
    let most = pairs.iter().map(|(_, factors)| first(factors).max(second(factors)));
    let scale = Exponents::new(most.fold(0.0, f64::max));
    let points = pairs.iter().map(|(instance, factors)| Point {
        across: scale.share(first(factors)),
        up: scale.share(second(factors)),
        kind: kinds.iter().position(|&kind| kind == instance.group).unwrap_or_default(),
        title: format!(
            "{}: {across} 2^{:.1}, {up} 2^{:.1}",
            instance.path,
            first(factors),
            second(factors)
        ),
    });
    let points = points.collect();
    Scatter { across, up, marks: scale.marks(), kinds: &kinds, points }.svg()
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

    /// A factor below one, of a set that became smaller, would lie left of the axis.
    fn share(&self, exponent: f64) -> f64 {
        exponent.max(0.0) / self.most
    }

    fn marks(&self) -> Vec<Mark> {
        let count = (self.most / self.step).round() as u32;
        let exponents = (0..=count).map(|index| f64::from(index) * self.step);
        exponents.map(|exponent| (self.share(exponent), format!("2^{exponent}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::factors::Comparison;
    use super::super::factors::tests::factors;
    use super::super::tests::{results, row};
    use super::*;
    use crate::harness::run::Run;
    use crate::harness::testing::is_well_formed;
    use crate::harness::testing::run;

    #[test]
    fn expansions_are_summed_by_group() {
        let compared = |points, counts| {
            let measured = Comparison(Some(Expansions { counts, points }));
            vec![Run { measured, ..run("safe", 1.0) }]
        };
        let counts = Counts { all: 8, ternary: 8, interval: 6, both: 6, product: 7 };
        let some = compared(vec![factors(0.0, 16.0, 16.0, 30.0)], counts);
        let rows = vec![
            row("bits/a", some.clone()),
            row("bits/b", some),
            row("linear/c", compared(vec![], Counts::default())),
        ];
        let section = section(&results(rows, &SETTINGS));
        let table = section.table.unwrap();
        let texts = |row: usize| -> Vec<&str> {
            table.rows[row].iter().map(|cell| &cell.text[..]).collect()
        };
        assert_eq!(texts(0), ["bits", "2", "16", "100.0%", "75.0%", "75.0%", "87.5%"]);
        assert_eq!(texts(1), ["linear", "0", "0", "-", "-", "-", "-"]);
        assert_eq!(section.plots.len(), 3);
        section.plots.iter().for_each(|plot| is_well_formed(&plot.svg).unwrap());
        let svg = &section.plots[0].svg;
        assert!(svg.contains("cx=\"56.0\" cy=\"30.0\""), "{svg}");
        assert!(svg.contains("bits/a: ternary 2^0.0, hybrid 2^16.0"), "{svg}");
    }

    #[test]
    fn exponents_have_few_marks() {
        assert_eq!(Exponents::new(63.0).marks().len(), 5);
        assert_eq!(Exponents::new(0.0).marks().len(), 2);
        assert!(Exponents::new(3000.0).marks().len() <= 9);
    }
}
