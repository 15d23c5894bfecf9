//! Expansion factors: the quotients of the volumes of a set of states after and before it
//! is expanded, by each of the simulations, as their logarithms to base 2.

use serde_json::Value;

use crate::harness::log::{cell, optional};
use crate::harness::outcome::Outcome;
use crate::harness::run::Measured;

/// How many expansions of a run are kept.
const SAMPLE: usize = 40;

/// Smaller differences are rounding errors.
const ROUNDING: f64 = 1e-6;

/// The factors of one expansion.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Factors {
    pub ternary: f64,
    pub interval: f64,
    pub hybrid: f64,
    pub product: f64,
}

/// What a run measures: the expansions, if simulations are compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison(pub Option<Expansions>);

/// The expansions of a run: counts over all of them, and a sample.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expansions {
    pub counts: Counts,
    /// A sample at equal distances.
    pub points: Vec<Factors>,
}

/// How often which simulation expanded at least as far as which.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub all: u64,
    /// Hybrid, against ternary.
    pub ternary: u64,
    /// Hybrid, against intervals.
    pub interval: u64,
    /// Hybrid, against both.
    pub both: u64,
    /// The product, against hybrid.
    pub product: u64,
}

impl Comparison {
    /// Reads a report without a comparison.
    pub fn without(report: &Value) -> Option<(Outcome, Self)> {
        Some((Outcome::of_word(report["verdict"].as_str()?)?, Comparison(None)))
    }

    /// Reads a report with expansions, which it has even if the time was too short.
    pub fn of_report(report: &Value) -> Option<(Outcome, Self)> {
        let outcome = match Outcome::of_word(report["verdict"].as_str()?)? {
            Outcome::Unknown => Outcome::TooLong,
            outcome @ (Outcome::Decided(_) | Outcome::TooLong | Outcome::Failed) => outcome,
        };
        let expansions = Expansions::of_json(&report["statistics"]["words"]["log2_factors"])?;
        Some((outcome, Comparison(Some(expansions))))
    }
}

impl Measured for Comparison {
    const COLUMNS: &'static [&'static str] = &[
        "expansions",
        "hybrid_ternary",
        "hybrid_interval",
        "hybrid_both",
        "product_hybrid",
        "points",
    ];

    fn cells(&self) -> Vec<String> {
        let counts = self.0.as_ref().map(|expansions| expansions.counts);
        vec![
            cell(counts.map(|counts| counts.all)),
            cell(counts.map(|counts| counts.ternary)),
            cell(counts.map(|counts| counts.interval)),
            cell(counts.map(|counts| counts.both)),
            cell(counts.map(|counts| counts.product)),
            cell(self.0.as_ref().map(|expansions| points_cell(&expansions.points))),
        ]
    }

    fn of_cells(cells: &[&str]) -> Option<Self> {
        let &[all, ternary, interval, both, product, points] = cells else { return None };
        let Some(all) = optional(all)? else { return Some(Comparison(None)) };
        let counts = Counts {
            all,
            ternary: ternary.parse().ok()?,
            interval: interval.parse().ok()?,
            both: both.parse().ok()?,
            product: product.parse().ok()?,
        };
        Some(Comparison(Some(Expansions { counts, points: points_of_cell(points)? })))
    }
}

impl Expansions {
    /// Reads the list of factors in a report.
    pub fn of_json(list: &Value) -> Option<Self> {
        let factors: Vec<Factors> =
            list.as_array()?.iter().map(Factors::of_json).collect::<Option<_>>()?;
        let mut counts = Counts::default();
        factors.iter().for_each(|factors| counts.count(factors));
        Some(Expansions { counts, points: thinned(&factors) })
    }
}

/// A sample at equal distances.
fn thinned(factors: &[Factors]) -> Vec<Factors> {
    let kept = factors.len().min(SAMPLE);
    (0..kept).map(|index| factors[index * factors.len() / kept]).collect()
}

impl Counts {
    fn count(&mut self, factors: &Factors) {
        let at_least = |one: f64, other: f64| one >= other - ROUNDING;
        let ternary = at_least(factors.hybrid, factors.ternary);
        let interval = at_least(factors.hybrid, factors.interval);
        self.all += 1;
        self.ternary += u64::from(ternary);
        self.interval += u64::from(interval);
        self.both += u64::from(ternary && interval);
        self.product += u64::from(at_least(factors.product, factors.hybrid));
    }

    /// The sums of two counts.
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            all: self.all + other.all,
            ternary: self.ternary + other.ternary,
            interval: self.interval + other.interval,
            both: self.both + other.both,
            product: self.product + other.product,
        }
    }
}

impl Factors {
    fn of_json(value: &Value) -> Option<Self> {
        let factor = |name: &str| value[name].as_f64();
        Some(Factors {
            ternary: factor("ternary")?,
            interval: factor("interval")?,
            hybrid: factor("hybrid")?,
            product: factor("product")?,
        })
    }

    /// In a cell of a table, without a comma.
    fn cell(&self) -> String {
        let Factors { ternary, interval, hybrid, product } = self;
        format!("{ternary:.2}/{interval:.2}/{hybrid:.2}/{product:.2}")
    }

    fn of_cell(cell: &str) -> Option<Self> {
        let numbers: Vec<f64> =
            cell.split('/').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let [ternary, interval, hybrid, product] = numbers[..] else { return None };
        Some(Factors { ternary, interval, hybrid, product })
    }
}

/// All points in one cell.
fn points_cell(points: &[Factors]) -> String {
    points.iter().map(Factors::cell).collect::<Vec<_>>().join(";")
}

fn points_of_cell(cell: &str) -> Option<Vec<Factors>> {
    cell.split(';').filter(|cell| !cell.is_empty()).map(Factors::of_cell).collect()
}

#[cfg(test)]
pub mod tests {
    use serde_json::json;

    use super::*;

    pub fn factors(ternary: f64, interval: f64, hybrid: f64, product: f64) -> Factors {
        Factors { ternary, interval, hybrid, product }
    }

    #[test]
    fn expansions_are_counted_by_who_is_at_least_as_good() {
        let list = json!([
            {"product": 63.0, "ternary": 63.0, "interval": 32.0, "hybrid": 63.0},
            {"product": 60.0, "ternary": 52.0, "interval": 60.0, "hybrid": 59.0},
            {"product": 4.0, "ternary": 6.0, "interval": 5.0, "hybrid": 5.0000000001},
        ]);
        let expansions = Expansions::of_json(&list).unwrap();
        let counts = Counts { all: 3, ternary: 2, interval: 2, both: 1, product: 2 };
        assert_eq!(expansions.counts, counts);
        assert_eq!(expansions.points[1], factors(52.0, 60.0, 59.0, 60.0));
        assert_eq!(counts.plus(counts).both, 2);
    }

    #[test]
    fn a_comparison_counts_even_if_the_time_was_too_short() {
        let factors = json!([{"product": 2.0, "ternary": 1.0, "interval": 1.0, "hybrid": 2.0}]);
        let report =
            json!({"verdict": "unknown", "statistics": {"words": {"log2_factors": factors}}});
        let (outcome, Comparison(expansions)) = Comparison::of_report(&report).unwrap();
        assert_eq!((outcome, expansions.unwrap().counts.both), (Outcome::TooLong, 1));
        assert_eq!(Comparison::without(&report), Some((Outcome::Unknown, Comparison(None))));
        assert_eq!(Comparison::of_report(&json!({"verdict": "safe"})), None);
    }

    #[test]
    fn comparisons_are_read_back_from_their_cells() {
        let counts = Counts { all: 9, ternary: 8, interval: 7, both: 6, product: 5 };
        let expansions = Expansions { counts, points: vec![factors(1.0, 2.0, 3.0, 4.0)] };
        for expansions in [None, Some(Expansions::default()), Some(expansions)] {
            let comparison = Comparison(expansions);
            let cells = comparison.cells();
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            assert_eq!(Comparison::of_cells(&cells), Some(comparison));
        }
        assert_eq!(Comparison::of_cells(&["3", "", "", "", "", ""]), None);
    }

    #[test]
    fn invalid_lists_of_factors_are_refused() {
        assert_eq!(Expansions::of_json(&json!([])), Some(Expansions::default()));
        assert_eq!(Expansions::of_json(&json!(null)), None);
        assert_eq!(Expansions::of_json(&json!([{"ternary": 1.0}])), None);
    }

    #[test]
    fn a_sample_comes_from_all_over_the_run() {
        let all: Vec<Factors> = (0..100).map(|n| factors(f64::from(n), 0.0, 0.0, 0.0)).collect();
        let sample = thinned(&all);
        assert_eq!((sample.len(), sample[0].ternary, sample[39].ternary), (SAMPLE, 0.0, 97.0));
        assert_eq!(thinned(&all[..3]), all[..3]);
    }

    #[test]
    fn points_are_read_back_from_their_cell() {
        let points = vec![factors(1.25, 0.0, 63.0, 64.5), factors(0.0, 0.0, 0.0, 0.0)];
        let cell = points_cell(&points);
        assert_eq!(cell, "1.25/0.00/63.00/64.50;0.00/0.00/0.00/0.00");
        assert_eq!(points_of_cell(&cell), Some(points));
        assert_eq!((points_of_cell(""), points_of_cell("1/2/3")), (Some(vec![]), None));
    }
}
