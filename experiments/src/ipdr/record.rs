//! The measurements and their form in JSON.

use std::collections::BTreeSet;

use clap::ValueEnum;
use elinvar::optimum::Order;
use elinvar_engines::pdr::Reuse;
use serde_json::{Value, json};

use crate::harness::statistics::Spread;

/// The figures of chapter 6.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Figure {
    /// Peterson's algorithm with more and more switches
    Peterson,
    /// Pebbling with fewer and fewer pebbles
    Constrain,
    /// Pebbling with more and more pebbles
    Relax,
    /// Pebbling by binary search
    Binary,
}

impl Figure {
    pub const ALL: [Figure; 4] =
        [Figure::Peterson, Figure::Constrain, Figure::Relax, Figure::Binary];

    pub fn order(self) -> Order {
        match self {
            Figure::Peterson | Figure::Relax => Order::Relax,
            Figure::Constrain => Order::Constrain,
            Figure::Binary => Order::Binary,
        }
    }

    pub fn number(self) -> &'static str {
        match self {
            Figure::Peterson => "6.1",
            Figure::Constrain => "6.2",
            Figure::Relax => "6.3",
            Figure::Binary => "6.4",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Figure::Peterson => "Peterson's algorithm, relaxing",
            Figure::Constrain => "pebbling, constraining",
            Figure::Relax => "pebbling, relaxing",
            Figure::Binary => "pebbling, binary search",
        }
    }
}

/// All measurements.
pub struct Measurements {
    pub seeds: u64,
    /// Seconds for a search.
    pub limit: u64,
    pub figures: Vec<Results>,
    pub unbounded: Vec<Unbounded>,
}

/// The measurements of a figure.
pub struct Results {
    pub figure: Figure,
    pub rows: Vec<Row>,
}

/// A series of instances, solved in two ways.
pub struct Row {
    pub input: String,
    /// Each instance from scratch.
    pub naive: Side,
    /// Each instance with the lemmas of the one before.
    pub incremental: Side,
}

/// The searches of one way, by seed. Only the last can have taken too long.
#[derive(Default)]
pub struct Side(pub Vec<Search>);

/// A whole series.
pub struct Search {
    pub seed: u64,
    pub found: Found,
    pub stages: Vec<Stage>,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The least bound under which the property fails.
    Optimum(u64),
    /// It holds under every bound.
    Never,
    TooLong,
}

/// An instance.
pub struct Stage {
    pub bound: u64,
    pub safe: bool,
    pub seconds: f64,
    pub queries: u64,
    pub obligations: u64,
    /// States of the last frame with a bad successor.
    pub ctis: u64,
    /// How many lemmas of the instance before were kept.
    pub reuse: Option<Reuse>,
}

/// Peterson's algorithm without a limit on switches, by seed.
pub struct Unbounded {
    pub input: String,
    /// Seconds and queries; none if it took too long.
    pub proofs: Option<Vec<(f64, u64)>>,
}

/// A number of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    Seconds,
    Queries,
    Obligations,
    Ctis,
}

impl Quantity {
    fn of(self, stage: &Stage) -> f64 {
        match self {
            Quantity::Seconds => stage.seconds,
            Quantity::Queries => stage.queries as f64,
            Quantity::Obligations => stage.obligations as f64,
            Quantity::Ctis => stage.ctis as f64,
        }
    }
}

impl Row {
    /// Both means, if no search took too long.
    pub fn means(&self, quantity: Quantity) -> Option<(f64, f64)> {
        Some((self.naive.total(quantity)?.mean, self.incremental.total(quantity)?.mean))
    }

    /// The bounds of all instances that were decided.
    pub fn bounds(&self) -> BTreeSet<u64> {
        let sides = [&self.naive, &self.incremental];
        sides.into_iter().flat_map(Side::stages).map(|stage| stage.bound).collect()
    }

    /// What the searches found that did not take too long. They all agree.
    pub fn found(&self) -> Found {
        let searches = self.naive.0.iter().chain(&self.incremental.0);
        let found = searches.map(|search| search.found).find(|found| *found != Found::TooLong);
        found.unwrap_or(Found::TooLong)
    }

    /// The first bound above which the incremental searches had no obligations.
    pub fn saturated(&self) -> Option<u64> {
        let works = |stage: &&Stage| stage.obligations > 0;
        let last = self.incremental.stages().filter(works).map(|stage| stage.bound).max();
        self.bounds().into_iter().find(|&bound| last.is_none_or(|last| bound > last))
    }
}

impl Side {
    /// Whether a search took too long.
    pub fn is_too_long(&self) -> bool {
        self.0.iter().any(|search| search.found == Found::TooLong)
    }

    fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.0.iter().flat_map(|search| &search.stages)
    }

    /// The sum over a whole search, if none took too long.
    pub fn total(&self, quantity: Quantity) -> Option<Spread> {
        self.until(u64::MAX, quantity)
    }

    /// The sum over the instances up to a bound, if no search took too long.
    pub fn until(&self, bound: u64, quantity: Quantity) -> Option<Spread> {
        let sum = |search: &Search| {
            let stages = search.stages.iter().filter(|stage| stage.bound <= bound);
            stages.map(|stage| quantity.of(stage)).sum()
        };
        if self.is_too_long() { None } else { Spread::of(self.0.iter().map(sum)) }
    }

    /// The value at a bound, over the searches that reached it.
    pub fn at(&self, bound: u64, quantity: Quantity) -> Option<Spread> {
        let stages = self.stages().filter(|stage| stage.bound == bound);
        Spread::of(stages.map(|stage| quantity.of(stage)))
    }

    /// The percentages of the lemmas of earlier instances that were copied, and of those that
    /// are inductive, at a bound or over all bounds.
    pub fn copied(&self, bound: Option<u64>) -> Option<(f64, f64)> {
        let stages = self.stages().filter(|stage| bound.is_none_or(|bound| stage.bound == bound));
        let (mut offered, mut kept, mut always) = (0, 0, 0);
        for reuse in stages.filter_map(|stage| stage.reuse) {
            offered += reuse.offered;
            kept += reuse.kept;
            always += reuse.always;
        }
        let percent = |count: usize| 100.0 * count as f64 / offered as f64;
        (offered > 0).then(|| (percent(kept), percent(always)))
    }
}

impl Unbounded {
    pub fn spread(&self, quantity: impl Fn(&(f64, u64)) -> f64) -> Option<Spread> {
        Spread::of(self.proofs.as_ref()?.iter().map(quantity))
    }
}

impl Measurements {
    pub fn to_json(&self) -> Value {
        let figures: Vec<Value> = self.figures.iter().map(Results::to_json).collect();
        let unbounded: Vec<Value> = self.unbounded.iter().map(Unbounded::to_json).collect();
        json!({
            "seeds": self.seeds,
            "limit": self.limit,
            "figures": figures,
            "unbounded": unbounded,
        })
    }
}

impl Results {
    fn to_json(&self) -> Value {
        let side = |side: &Side| Value::from_iter(side.0.iter().map(Search::to_json));
        let row = |row: &Row| {
            let (naive, incremental) = (side(&row.naive), side(&row.incremental));
            json!({ "input": row.input, "naive": naive, "incremental": incremental })
        };
        let rows = Value::from_iter(self.rows.iter().map(row));
        json!({ "figure": self.figure.number(), "title": self.figure.title(), "rows": rows })
    }
}

impl Search {
    fn to_json(&self) -> Value {
        let optimum = match self.found {
            Found::Optimum(bound) => Some(bound),
            Found::Never | Found::TooLong => None,
        };
        json!({
            "seed": self.seed,
            "optimum": optimum,
            "too_long": self.found == Found::TooLong,
            "stages": Value::from_iter(self.stages.iter().map(Stage::to_json)),
        })
    }
}

impl Stage {
    fn to_json(&self) -> Value {
        let reuse = self.reuse.map(|Reuse { offered, kept, always, .. }| {
            json!({ "offered": offered, "kept": kept, "always": always })
        });
        json!({
            "bound": self.bound,
            "safe": self.safe,
            "seconds": self.seconds,
            "queries": self.queries,
            "obligations": self.obligations,
            "ctis": self.ctis,
            "lemmas": reuse,
        })
    }
}

impl Unbounded {
    fn to_json(&self) -> Value {
        let proof =
            |&(seconds, queries): &(f64, u64)| json!({ "seconds": seconds, "queries": queries });
        let proofs = self.proofs.as_ref().map(|proofs| Value::from_iter(proofs.iter().map(proof)));
        json!({ "input": self.input, "proofs": proofs })
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn stage(bound: u64, seconds: f64, obligations: u64) -> Stage {
        let (safe, ctis, reuse) = (true, obligations.min(1), None);
        Stage { bound, safe, seconds, queries: 10 * obligations, obligations, ctis, reuse }
    }

    pub fn side(searches: impl IntoIterator<Item = Vec<Stage>>) -> Side {
        let found = Found::Optimum(3);
        let search = |(seed, stages)| Search { seed, found, stages };
        Side((0..).zip(searches).map(search).collect())
    }

    /// Two seeds of two instances.
    pub fn row(input: &str) -> Row {
        let naive = side([
            vec![stage(1, 1.0, 10), stage(2, 2.0, 20)],
            vec![stage(1, 2.0, 10), stage(2, 3.0, 20)],
        ]);
        let mut incremental =
            side([vec![stage(1, 1.0, 10), stage(2, 0.5, 0)], vec![stage(1, 0.5, 8)]]);
        incremental.0[0].stages[1].reuse =
            Some(Reuse { offered: 10, kept: 8, always: 2, ..Reuse::default() });
        Row { input: input.to_owned(), naive, incremental }
    }

    #[test]
    fn sums_are_over_searches_and_bounds() {
        let mut row = row("x");
        assert_eq!(row.means(Quantity::Seconds), Some((4.0, 1.0)));
        assert_eq!(row.means(Quantity::Queries), Some((300.0, 90.0)));
        assert_eq!(row.naive.until(1, Quantity::Seconds).unwrap().mean, 1.5);
        // The second seed skipped the bound 2.
        let at = row.incremental.at(2, Quantity::Seconds).unwrap();
        assert_eq!(at, Spread { mean: 0.5, deviation: None });
        assert_eq!(row.incremental.copied(None), Some((80.0, 20.0)));
        assert_eq!((row.incremental.copied(Some(1)), row.naive.copied(None)), (None, None));
        assert_eq!((row.saturated(), row.found()), (Some(2), Found::Optimum(3)));
        row.naive.0[1].found = Found::TooLong;
        assert_eq!(row.means(Quantity::Seconds), None);
        assert_eq!(row.found(), Found::Optimum(3));
    }

    #[test]
    fn all_measurements_are_in_the_json() {
        let results = Results { figure: Figure::Relax, rows: vec![row("x")] };
        let proofs = Some(vec![(1.5, 7)]);
        let unbounded = vec![Unbounded { input: "Peter(2)".into(), proofs }];
        let measured = Measurements { seeds: 2, limit: 9, figures: vec![results], unbounded };
        let json = measured.to_json();
        let row = &json["figures"][0]["rows"][0];
        assert_eq!(json["figures"][0]["figure"], "6.3");
        assert_eq!(row["naive"][1]["stages"][1]["seconds"], 3.0);
        assert_eq!(row["incremental"][0]["stages"][1]["lemmas"]["kept"], 8);
        assert_eq!(json["unbounded"][0]["proofs"][0]["queries"], 7);
    }
}
