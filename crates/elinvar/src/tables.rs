//! What the engines did, in numbers: tables for people, keys for scripts.

use std::fmt::Write;
use std::time::Duration;

use elinvar_engines::interpolation::InterpolationStatistics;
use elinvar_engines::pdr::{
    Experience, Kind, PdrStatistics, QueryCount, Shrinking, WordsStatistics,
};
use elinvar_transform::{PassReport, Size};
use serde_json::{Map, Value as Json, json};

use crate::readable::{align, count, seconds};
use crate::statistics::{Queries, Statistics};

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
    let mut parts = Vec::new();
    if !statistics.passes.is_empty() {
        parts.push(passes_table(&statistics.passes));
    }
    if !statistics.queries.is_empty() || statistics.pdr.is_none() {
        parts.push(queries_table(statistics));
    }
    if let Some(pdr) = &statistics.pdr {
        parts.push(pdr_table(pdr));
    }
    if let Some(words) = &statistics.words {
        parts.push(words_text(words));
    }
    if let Some(interpolation) = &statistics.interpolation {
        parts.push(interpolation_text(interpolation));
    }
    parts.push(format!("  checking of evidence: {}\n", seconds(checking)));
    parts.join("\n")
}

/// The queries of the engines that unroll.
fn queries_table(statistics: &Statistics) -> String {
    let header = ["queries", "count", "sat", "unsat", "stopped", "conflicts", "time"];
    let mut rows = vec![header.map(str::to_owned)];
    let kinds = statistics.queries.iter().map(|(&kind, queries)| (kind, queries.clone()));
    let all = (statistics.pdr.is_none()).then(|| ("all", statistics.total()));
    for (kind, queries) in kinds.chain(all) {
        rows.push([
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

fn passes_table(passes: &[PassReport]) -> String {
    let header = ["pass", "inputs", "registers", "gates", "time"];
    let mut rows = vec![header.map(str::to_owned)];
    for pass in passes {
        let Size { inputs, states, gates } = pass.after;
        rows.push([
            pass.name.to_owned(),
            inputs.to_string(),
            states.to_string(),
            gates.to_string(),
            seconds(Duration::from_secs_f64(pass.seconds)),
        ]);
    }
    align(&rows)
}

fn pdr_table(pdr: &PdrStatistics) -> String {
    let mut rows = vec![["pdr queries", "count", "sat", "time", "mean"].map(str::to_owned)];
    let kinds = pdr.queries().into_iter().filter(|(_, queries)| queries.queries > 0);
    for (kind, queries) in kinds.chain([("all", all_queries(pdr))]) {
        rows.push([
            kind.to_owned(),
            queries.queries.to_string(),
            queries.satisfiable.to_string(),
            seconds(queries.time),
            format!("{:.0} µs", microseconds(queries)),
        ]);
    }
    let mut text = align(&rows);
    let mut rows = vec![["literals", "times", "before", "after"].map(str::to_owned)];
    for (step, shrinking) in steps(pdr) {
        rows.push([
            step.to_owned(),
            shrinking.times.to_string(),
            format!("{:.1}", mean(shrinking.before, shrinking.times)),
            format!("{:.1}", mean(shrinking.after, shrinking.times)),
        ]);
    }
    text.push('\n');
    text.push_str(&align(&rows));
    text.push('\n');
    for (what, numbers) in pdr_lines(pdr) {
        writeln!(text, "  {what}: {numbers}").expect("strings do not fail");
    }
    text
}

fn pdr_lines(pdr: &PdrStatistics) -> Vec<(&'static str, String)> {
    let frames: Vec<String> = pdr.frames.iter().map(ToString::to_string).collect();
    let (tried, done, saved) = (pdr.pushes_tried, pdr.pushes_done, pdr.pushes_saved);
    let (conflicts, decisions) = (pdr.conflicts, pdr.decisions);
    let propagations = pdr.propagations;
    vec![
        ("obligations", format!("{}, {} given up", pdr.obligations, pdr.dropped_obligations)),
        ("lemmas", pdr.lemmas.to_string()),
        ("pushes", format!("{tried} tried, {done} done, {saved} saved")),
        ("last frame", pdr.frontier.to_string()),
        ("lemmas by frame", format!("{}; {} for ever", frames.join(" "), pdr.invariant_lemmas)),
        (
            "solver",
            format!("{conflicts} conflicts, {decisions} decisions, {propagations} propagations"),
        ),
        ("transition relation", format!("{} variables, {} clauses", pdr.variables, pdr.clauses)),
        ("variables in a query's domain", format!("{:.0} in the mean", mean_domain(pdr))),
    ]
}

fn interpolation_text(statistics: &InterpolationStatistics) -> String {
    let InterpolationStatistics { refutations, excluded, not_excluded, .. } = *statistics;
    let proofs = count(refutations as usize, "proof");
    let per_proof = |sum: u64| format!("{:.1}", mean(sum, refutations));
    let (steps, gates) =
        (per_proof(statistics.proof_steps), per_proof(statistics.interpolant_gates));
    let lines = [
        ("interpolants", format!("from {proofs}, {}", seconds(statistics.extraction_time))),
        ("clauses of a proof", format!("{steps} in the mean")),
        ("gates of its interpolants", format!("{gates} in the mean")),
        ("frames that it spans", format!("{} in the mean", per_proof(statistics.suffix_frames))),
        ("equations left out", statistics.dropped_equations.to_string()),
        (
            "cubes outside interpolants",
            format!(
                "{excluded} excluded, {not_excluded} not, {}",
                seconds(statistics.conversion_time)
            ),
        ),
    ];
    let mut text = String::new();
    for (what, numbers) in lines {
        writeln!(text, "  {what}: {numbers}").expect("strings do not fail");
    }
    text
}

fn interpolation_json(statistics: &InterpolationStatistics) -> Json {
    json!({
        "path_queries": statistics.path_queries,
        "path_conflicts": statistics.path_conflicts,
        "sat_seconds": statistics.sat_time.as_secs_f64(),
        "refutations": statistics.refutations,
        "extraction_seconds": statistics.extraction_time.as_secs_f64(),
        "proof_clauses": statistics.proof_steps,
        "interpolant_gates": statistics.interpolant_gates,
        "frames": statistics.suffix_frames,
        "dropped_equations": statistics.dropped_equations,
        "excluded": statistics.excluded,
        "not_excluded": statistics.not_excluded,
        "conversion_seconds": statistics.conversion_time.as_secs_f64(),
    })
}

/// The same for scripts. The first keys sum up the queries of all engines.
fn json(statistics: &Statistics) -> Json {
    let mut object = queries_json(&statistics.total());
    object["array_lemmas"] = statistics.array_lemmas.into();
    object["distinct_pairs"] = statistics.distinct_pairs.into();
    object["bound"] = statistics.bound.into();
    object["kinds"] =
        statistics.queries.iter().map(|(&kind, q)| (kind.to_owned(), queries_json(q))).collect();
    object["passes"] = statistics.passes.iter().map(pass_json).collect();
    object["interpolation"] =
        statistics.interpolation.as_deref().map_or(Json::Null, interpolation_json);
    object["words"] = statistics.words.as_deref().map_or(Json::Null, words_json);
    object["pdr"] = statistics.pdr.as_deref().map_or(Json::Null, pdr_json);
    object
}

fn queries_json(queries: &Queries) -> Json {
    json!({
        "queries": queries.count,
        "satisfiable": queries.satisfiable,
        "unsatisfiable": queries.unsatisfiable,
        "stopped": queries.stopped,
        "conflicts": queries.conflicts,
        "solver_seconds": queries.time.as_secs_f64(),
    })
}

fn pass_json(pass: &PassReport) -> Json {
    let size = |size: Size| {
        let Size { inputs, states, gates } = size;
        json!({ "inputs": inputs, "registers": states, "gates": gates })
    };
    json!({
        "name": pass.name,
        "before": size(pass.before),
        "after": size(pass.after),
        "seconds": pass.seconds,
    })
}

/// What the engine on words did beside the loop, and what it learnt about its choices.
fn words_text(words: &WordsStatistics) -> String {
    let WordsStatistics { cubes, polytopes, .. } = words;
    let per_expansion = words.volume / (words.expansions.max(1) as f64);
    let mut lines = vec![
        ("registers", format!("{} numbers, {} of bits", words.numbers, words.logic)),
        (
            "obligations",
            format!(
                "{} Boolean cubes, {} polytopes",
                words.cube_obligations, words.polytope_obligations
            ),
        ),
        ("lemmas of bits", format!("{}, {} for ever", cubes.lemmas, cubes.inductive)),
        (
            "lemmas with inequalities",
            format!("{}, {} for ever", polytopes.lemmas, polytopes.inductive),
        ),
        ("probability of cubes", format!("{:.2} in the end", words.probability)),
        (
            "expansions",
            format!(
                "{} in {}, by 2^{per_expansion:.1} in the mean",
                words.expansions,
                seconds(words.expansion_time)
            ),
        ),
        ("inequalities combined", words.combined.to_string()),
        ("bounds moved", words.moved.to_string()),
    ];
    if words.array_lemmas > 0 {
        lines.push(("array lemmas", words.array_lemmas.to_string()));
    }
    for (kind, mean) in compared_means(words) {
        lines.push((simulation_name(kind), format!("expands by 2^{mean:.1} in the mean")));
    }
    let rows: Vec<[String; 2]> =
        lines.into_iter().map(|(what, numbers)| [what.to_owned(), numbers]).collect();
    align(&rows)
}

/// By simulation, when they are compared: the mean logarithm of the expansion factor.
fn compared_means(words: &WordsStatistics) -> Vec<(Kind, f64)> {
    let sum = |kind: Kind| -> f64 {
        let of_kind = words.compared.iter().flatten().filter(|(other, _)| *other == kind);
        of_kind.map(|(_, volume)| volume).sum()
    };
    let count = words.compared.len();
    let kinds = Kind::ALL.into_iter().filter(|_| count > 0);
    kinds.map(|kind| (kind, sum(kind) / count as f64)).collect()
}

fn simulation_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Ternary => "ternary",
        Kind::Interval => "interval",
        Kind::Hybrid => "hybrid",
        Kind::Product => "product",
    }
}

fn words_json(words: &WordsStatistics) -> Json {
    let factors = |expansion: &Vec<(Kind, f64)>| -> Json {
        let named =
            |&(kind, volume): &(Kind, f64)| (simulation_name(kind).to_owned(), volume.into());
        Json::Object(expansion.iter().map(named).collect())
    };
    let experience = |e: Experience| json!({ "lemmas": e.lemmas, "forever": e.inductive });
    json!({
        "numbers": words.numbers,
        "logic": words.logic,
        "cube_obligations": words.cube_obligations,
        "polytope_obligations": words.polytope_obligations,
        "cubes": experience(words.cubes),
        "polytopes": experience(words.polytopes),
        "cube_probability": words.probability,
        "expansions": words.expansions,
        "expansion_seconds": words.expansion_time.as_secs_f64(),
        "log2_expansion": words.volume,
        "combined": words.combined,
        "moved": words.moved,
        "array_lemmas": words.array_lemmas,
        "log2_factors": words.compared.iter().map(factors).collect::<Vec<Json>>(),
    })
}

fn pdr_json(pdr: &PdrStatistics) -> Json {
    let query = |queries: QueryCount| {
        json!({
            "queries": queries.queries,
            "satisfiable": queries.satisfiable,
            "solver_seconds": queries.time.as_secs_f64(),
            "mean_microseconds": microseconds(queries),
        })
    };
    let literals = |step: Shrinking| {
        json!({
            "times": step.times,
            "mean_before": mean(step.before, step.times),
            "mean_after": mean(step.after, step.times),
        })
    };
    let named = |(name, value): (&str, Json)| (name.to_owned(), value);
    let queries: Map<String, Json> =
        pdr.queries().into_iter().map(|(kind, q)| named((kind, query(q)))).collect();
    let steps: Map<String, Json> =
        steps(pdr).into_iter().map(|(step, s)| named((step, literals(s)))).collect();
    json!({
        "queries": queries,
        "literals": steps,
        "obligations": pdr.obligations,
        "dropped_obligations": pdr.dropped_obligations,
        "lemmas": pdr.lemmas,
        "pushes": { "tried": pdr.pushes_tried, "done": pdr.pushes_done, "saved": pdr.pushes_saved },
        "frontier": pdr.frontier,
        "frames": pdr.frames,
        "invariant_lemmas": pdr.invariant_lemmas,
        "conflicts": pdr.conflicts,
        "decisions": pdr.decisions,
        "propagations": pdr.propagations,
        "variables": pdr.variables,
        "clauses": pdr.clauses,
        "mean_domain": mean_domain(pdr),
    })
}

/// The steps of generalisation, in their order.
fn steps(pdr: &PdrStatistics) -> [(&'static str, Shrinking); 3] {
    [("lifting", pdr.lifting), ("core", pdr.core), ("dropping", pdr.dropping)]
}

fn all_queries(pdr: &PdrStatistics) -> QueryCount {
    pdr.queries().into_iter().fold(QueryCount::default(), |sum, (_, queries)| QueryCount {
        queries: sum.queries + queries.queries,
        satisfiable: sum.satisfiable + queries.satisfiable,
        time: sum.time + queries.time,
    })
}

fn microseconds(queries: QueryCount) -> f64 {
    queries.time.as_secs_f64() * 1e6 / queries.queries.max(1) as f64
}

fn mean(sum: u64, times: u64) -> f64 {
    sum as f64 / times.max(1) as f64
}

/// The variables of the transition relation that a query looks at.
fn mean_domain(pdr: &PdrStatistics) -> f64 {
    mean(pdr.domain_variables, pdr.query_count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pdr() -> PdrStatistics {
        PdrStatistics {
            block: QueryCount { queries: 4, satisfiable: 1, time: Duration::from_micros(10) },
            core: Shrinking { times: 2, before: 9, after: 5 },
            frames: vec![3, 0],
            domain_variables: 10,
            ..PdrStatistics::default()
        }
    }

    #[test]
    fn tables_show_counts_and_means() {
        let table = pdr_table(&pdr());
        assert!(table.contains("  block        4      1    0.00 s  2 µs\n"), "{table}");
        assert!(table.contains("  core      2      4.5     2.5\n"), "{table}");
        assert!(table.contains("  lemmas by frame: 3 0; 0 for ever\n"), "{table}");
        assert!(!table.contains("counterexample"), "kinds without queries are left out");
        let size = Size { inputs: 1, states: 2, gates: 3 };
        let pass = PassReport { name: "cone", before: size, after: size, seconds: 0.5 };
        let table = passes_table(&[pass]);
        assert!(table.contains("  cone  1       2          3      0.50 s\n"), "{table}");
    }

    #[test]
    fn scripts_get_the_same() {
        let statistics = Statistics { pdr: Some(Box::new(pdr())), ..Statistics::default() };
        let object = json(&statistics);
        assert_eq!((&object["queries"], &object["unsatisfiable"]), (&4.into(), &3.into()));
        assert_eq!(object["pdr"]["queries"]["block"]["mean_microseconds"], 2.5);
        assert_eq!(object["pdr"]["literals"]["core"]["mean_before"], 4.5);
        assert_eq!(object["pdr"]["mean_domain"], 2.5);
        assert_eq!(json(&Statistics::default())["pdr"], Json::Null);
    }
}
