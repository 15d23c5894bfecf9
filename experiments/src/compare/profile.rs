//! What our binary reports about its search, in a few numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The numbers of a run by the name of their field. What an engine does not report is missing.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Profile(BTreeMap<String, f64>);

/// A number of a profile.
pub struct Field {
    /// The key in the file.
    pub name: &'static str,
    /// The title of the column.
    pub title: &'static str,
    /// Digits after the decimal point.
    digits: usize,
    /// Takes it from a report of `check --json`.
    read: fn(&Value) -> Option<f64>,
}

/// All numbers, in the order of the columns.
pub const FIELDS: &[Field] = &[
    field("registers", "registers", 0, |report| last_pass(report, "registers")),
    field("gates", "gates", 0, |report| last_pass(report, "gates")),
    field("passes_seconds", "passes s", 2, passes_seconds),
    field("frames", "frames", 0, |report| {
        number(report, "/statistics/pdr/frontier").or(number(report, "/statistics/bound"))
    }),
    field("lemmas", "lemmas", 0, |report| number(report, "/statistics/pdr/lemmas")),
    field("inductive", "inductive", 0, |report| number(report, "/statistics/pdr/invariant_lemmas")),
    field("obligations", "obligations", 0, |report| number(report, "/statistics/pdr/obligations")),
    field("queries", "queries", 0, |report| number(report, "/statistics/queries")),
    field("query_microseconds", "µs/query", 0, query_microseconds),
    field("dropped", "dropped %", 0, dropped),
    field("literals", "literals", 1, |report| {
        number(report, "/statistics/pdr/literals/dropping/mean_after")
    }),
    field("pushed", "pushed %", 0, pushed),
    field("conflicts", "conflicts", 0, |report| number(report, "/statistics/conflicts")),
    field("check_seconds", "check s", 2, |report| number(report, "/check_seconds")),
];

const fn field(
    name: &'static str,
    title: &'static str,
    digits: usize,
    read: fn(&Value) -> Option<f64>,
) -> Field {
    Field { name, title, digits, read }
}

impl Profile {
    /// The profile in a report of `check --json`.
    pub fn of_report(report: &Value) -> Self {
        let entry = |field: &Field| Some((field.name.to_owned(), (field.read)(report)?));
        Profile(FIELDS.iter().filter_map(entry).collect())
    }

    /// A number by the name of its field.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The cells of a table, one for each field.
    pub fn cells(&self) -> Vec<String> {
        let cell = |field: &Field| match self.0.get(field.name) {
            Some(value) => format!("{value:.*}", field.digits),
            None => String::new(),
        };
        FIELDS.iter().map(cell).collect()
    }
}

fn number(report: &Value, path: &str) -> Option<f64> {
    report.pointer(path)?.as_f64()
}

/// The size after all simplifications.
fn last_pass(report: &Value, what: &str) -> Option<f64> {
    let passes = report.pointer("/statistics/passes")?.as_array()?;
    passes.last()?.pointer(&format!("/after/{what}"))?.as_f64()
}

fn passes_seconds(report: &Value) -> Option<f64> {
    let passes = report.pointer("/statistics/passes")?.as_array()?;
    Some(passes.iter().filter_map(|pass| number(pass, "/seconds")).sum())
}

fn query_microseconds(report: &Value) -> Option<f64> {
    let queries = number(report, "/statistics/queries")?;
    let seconds = number(report, "/statistics/solver_seconds")?;
    (queries > 0.0).then(|| seconds / queries * 1e6)
}

/// Of the attempts to drop a literal of a lemma, how many succeed, in percent.
fn dropped(report: &Value) -> Option<f64> {
    let queries = |kind| number(report, &format!("/statistics/pdr/queries/generalize/{kind}"));
    let tried = queries("queries")? + queries("known")?;
    let failed = queries("satisfiable")? + queries("known")?;
    (tried > 0.0).then(|| (tried - failed) / tried * 100.0)
}

/// Of the attempts to push a lemma, how many succeed, in percent.
fn pushed(report: &Value) -> Option<f64> {
    let tried = number(report, "/statistics/pdr/pushes/tried")?;
    let done = number(report, "/statistics/pdr/pushes/done")?;
    (tried > 0.0).then(|| done / tried * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_profile_has_what_is_reported() {
        let report = json!({
            "check_seconds": 0.25,
            "statistics": {
                "queries": 200, "solver_seconds": 0.1,
                "passes": [
                    {"after": {"registers": 9, "gates": 99}, "seconds": 0.5},
                    {"after": {"registers": 7, "gates": 77}, "seconds": 0.25},
                ],
                "pdr": {
                    "frontier": 5,
                    "queries": {"generalize": {"queries": 20, "satisfiable": 10, "known": 20}},
                    "pushes": {"tried": 0, "done": 0},
                },
            },
        });
        let profile = Profile::of_report(&report);
        let cell = |name: &str| {
            let index = FIELDS.iter().position(|field| field.name == name).unwrap();
            profile.cells()[index].clone()
        };
        let names = ["registers", "passes_seconds", "frames", "query_microseconds", "dropped"];
        assert_eq!(names.map(cell), ["7", "0.75", "5", "500", "25"]);
        assert_eq!(["lemmas", "pushed", "check_seconds"].map(cell), ["", "", "0.25"]);
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
    }
}
