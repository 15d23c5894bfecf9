//! Expansion factors: the quotients of the volumes of a set of states after and before it
//! is expanded, by each of the simulations, as their logarithms to base 2.

use serde_json::Value;

/// How many expansions of a run are kept as they are.
pub const SAMPLE: usize = 40;

/// Differences below are those of rounding.
const ROUNDING: f64 = 1e-6;

/// The factors of one expansion.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Factors {
    pub ternary: f64,
    pub interval: f64,
    pub hybrid: f64,
    pub product: f64,
}

/// The expansions of a run: all of them counted, and some of them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expansions {
    pub counts: Counts,
    /// From all over the run.
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

impl Expansions {
    /// The list of factors in a report; none if it is no such list.
    pub fn of_json(list: &Value) -> Option<Self> {
        let factors: Vec<Factors> =
            list.as_array()?.iter().map(Factors::of_json).collect::<Option<_>>()?;
        let mut counts = Counts::default();
        factors.iter().for_each(|factors| counts.count(factors));
        Some(Expansions { counts, points: thinned(&factors) })
    }
}

/// At most so many as are kept, at equal distances.
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
pub fn points_cell(points: &[Factors]) -> String {
    points.iter().map(Factors::cell).collect::<Vec<_>>().join(";")
}

pub fn points_of_cell(cell: &str) -> Option<Vec<Factors>> {
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
    fn what_is_no_list_of_factors_is_refused() {
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
