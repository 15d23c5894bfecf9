//! What the engines did, in numbers: tables for people, keys for scripts.

use std::fmt::Write;
use std::time::Duration;

use elinvar_engines::pdr::Reuse;
use elinvar_engines::statistics::{Block, PassStatistics, QueryTotals, Statistics as Numbers};
use serde_json::{Value as Json, json};

use crate::readable::{align, seconds};
use crate::statistics::Statistics;

/// Keys that are always there, with null if there is nothing to say.
const DOCUMENTED: [&str; 3] = ["interpolation", "words", "pdr"];

impl Statistics {
    /// Everything that happened in a run, as tables; `checking` is the time in which
    /// evidence was checked.
    pub fn tables(&self, checking: Duration) -> String {
        text(self, checking)
    }

    /// Everything that happened in a run, as a JSON object.
    pub fn to_json(&self) -> Json {
        json(self)
    }
}

fn text(statistics: &Statistics, checking: Duration) -> String {
    let (first, rest): (Vec<_>, Vec<_>) =
        statistics.numbers.iter().partition(|numbers| numbers.key() == PassStatistics::KEY);
    let mut parts: Vec<String> =
        first.into_iter().filter_map(|numbers| blocks(&**numbers)).collect();
    if !statistics.queries.is_empty() || !has_own_queries(statistics) {
        parts.push(queries_table(statistics));
    }
    parts.extend(rest.into_iter().filter_map(|numbers| blocks(&**numbers)));
    parts.push(format!("  checking of evidence: {}\n", seconds(checking)));
    parts.join("\n")
}

/// Do the numbers of an engine have a table of its queries?
fn has_own_queries(statistics: &Statistics) -> bool {
    statistics.numbers.iter().any(|numbers| numbers.queries().is_some())
}

/// The numbers as they are shown, if there are any.
fn blocks(numbers: &dyn Numbers) -> Option<String> {
    let texts: Vec<String> = numbers.blocks().iter().map(block).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn block(block: &Block) -> String {
    match block {
        Block::Table(rows) => align(rows),
        Block::Values(values) => {
            values.iter().map(|(label, value)| format!("  {label}: {value}\n")).collect()
        }
    }
}

/// The queries of the engines that unroll.
fn queries_table(statistics: &Statistics) -> String {
    let header = ["queries", "count", "sat", "unsat", "stopped", "conflicts", "time"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let kinds = statistics.queries.iter().map(|(&kind, &queries)| (kind, queries));
    let all = (!has_own_queries(statistics)).then(|| ("all", statistics.total()));
    for (kind, queries) in kinds.chain(all) {
        rows.push(vec![
            kind.to_owned(),
            queries.count.to_string(),
            queries.satisfiable.to_string(),
            queries.unsatisfiable.to_string(),
            queries.stopped.to_string(),
            queries.conflicts.to_string(),
            seconds(queries.time),
        ]);
    }
    let mut text = align(&rows);
    for (what, number) in [
        ("last bound", statistics.bound),
        ("array lemmas", statistics.array_lemmas),
        ("pairs of states made different", statistics.distinct_pairs),
    ] {
        writeln!(text, "  {what}: {number}").expect("strings do not fail");
    }
    text
}

/// The same for scripts. The first keys sum up the queries of all engines.
fn json(statistics: &Statistics) -> Json {
    let mut object = queries_json(&statistics.total());
    object["array_lemmas"] = statistics.array_lemmas.into();
    object["distinct_pairs"] = statistics.distinct_pairs.into();
    object["bound"] = statistics.bound.into();
    object["kinds"] =
        statistics.queries.iter().map(|(&kind, q)| (kind.to_owned(), queries_json(q))).collect();
    object[PassStatistics::KEY] = json!([]);
    for key in DOCUMENTED {
        object[key] = Json::Null;
    }
    // Reports have a key of their own for the reuse of lemmas.
    let numbers = statistics.numbers.iter().filter(|numbers| numbers.key() != Reuse::KEY);
    for numbers in numbers {
        object[numbers.key()] = numbers.json();
    }
    object
}

fn queries_json(queries: &QueryTotals) -> Json {
    json!({
        "queries": queries.count,
        "satisfiable": queries.satisfiable,
        "unsatisfiable": queries.unsatisfiable,
        "stopped": queries.stopped,
        "conflicts": queries.conflicts,
        "solver_seconds": queries.time.as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use elinvar_engines::pdr::{PdrStatistics, QueryCount};

    fn statistics() -> Statistics {
        let block =
            QueryCount { queries: 4, satisfiable: 1, known: 2, time: Duration::from_micros(10) };
        let pdr = PdrStatistics { block, frames: vec![3, 0], ..PdrStatistics::default() };
        let numbers: Vec<Arc<dyn Numbers>> = vec![Arc::new(pdr)];
        Statistics { numbers, ..Statistics::default() }
    }

    #[test]
    fn tables_are_laid_out() {
        let shown = text(&statistics(), Duration::from_secs(1));
        assert!(shown.contains("  block        4      1    2      0.00 s  2 µs\n"), "{shown}");
        assert!(shown.contains("  lemmas by frame: 3 0; 0 inductive (F∞)\n"), "{shown}");
        assert!(shown.ends_with("\n\n  checking of evidence: 1.00 s\n"), "{shown}");
        assert!(!shown.contains("last bound"), "the engine has its own table of queries");
        let nothing = text(&Statistics::default(), Duration::ZERO);
        assert!(nothing.contains("last bound: 0"), "{nothing}");
    }

    #[test]
    fn scripts_get_the_same() {
        let object = json(&statistics());
        assert_eq!((&object["queries"], &object["unsatisfiable"]), (&4.into(), &3.into()));
        assert_eq!(object["pdr"]["queries"]["block"]["mean_microseconds"], 2.5);
        let nothing = json(&Statistics::default());
        assert_eq!((&nothing["pdr"], &nothing["passes"]), (&Json::Null, &json!([])));
    }
}
