//! The report as one JSON object, for scripts. Keys may be added, never renamed.

use elinvar_ir::{Certificate, PropertyKind, Role, Sort, Trace, TransitionSystem, Value, Verdict};
use serde_json::{Map, Value as Json, json};

use super::waves::{Waves, nearest_signals};
use super::{Answer, Report, Summary, invariant, statistics};

/// The whole report.
pub fn render(report: &Report<'_>) -> Json {
    let properties: Vec<Json> = report.answers.iter().map(|a| property(report, a)).collect();
    json!({
        "verdict": report.summary().word(),
        "reason": report.reason().map(ToString::to_string),
        "engine": report.engine,
        "seconds": report.time.as_secs_f64(),
        "check_seconds": report.checking.as_secs_f64(),
        "properties": properties,
        "reuse": reuse(report),
        "statistics": statistics::json(&report.statistics),
    })
}

/// What became of the lemmas of an earlier run.
fn reuse(report: &Report<'_>) -> Json {
    let Some(reuse) = report.statistics.reuse else { return Json::Null };
    json!({
        "offered": reuse.offered,
        "lost": reuse.lost,
        "kept": reuse.kept,
        "always": reuse.always,
        "queries": reuse.queries,
        "seconds": report.time.as_secs_f64(),
        "before_seconds": report.earlier_seconds,
    })
}

fn property(report: &Report<'_>, answer: &Answer) -> Json {
    let system = report.model.system();
    let mut object = Map::new();
    object.insert("name".into(), report.name(answer).into());
    object.insert("index".into(), answer.property.0.into());
    object.insert("verdict".into(), Summary::of(&answer.verdict).word().into());
    let contradiction = report.vacuous(answer);
    object.insert("vacuous".into(), contradiction.is_some().into());
    if let Some(cycle) = contradiction {
        object.insert("contradiction".into(), cycle.into());
    }
    object.insert("depth".into(), json!(report.depth(answer)));
    object.insert("seconds".into(), answer.time.as_secs_f64().into());
    object.insert("engine".into(), json!(answer.engine));
    object.insert("files".into(), report.files.json(answer.property));
    match &answer.verdict {
        Verdict::Safe(proof) => object.insert("certificate".into(), certificate(system, proof)),
        Verdict::Unsafe(run) => object.insert("trace".into(), trace(system, run)),
        Verdict::Unknown(reason) => object.insert("reason".into(), reason.to_string().into()),
    };
    object.into()
}

/// What kind of proof it is, and how large; of facts also what they say.
pub fn certificate(system: &TransitionSystem, certificate: &Certificate) -> Json {
    match certificate {
        Certificate::Inductive { clauses } => json!({
            "kind": "inductive",
            "clauses": clauses.len(),
            "literals": clauses.iter().map(Vec::len).sum::<usize>(),
        }),
        Certificate::Facts { clauses } => json!({
            "kind": "facts",
            "clauses": clauses.len(),
            "literals": clauses.iter().map(Vec::len).sum::<usize>(),
            "invariant": invariant::lines(system, clauses),
        }),
        Certificate::KInductive { k, simple_path } => json!({
            "kind": "k-inductive",
            "k": k,
            "simple_path": simple_path,
        }),
        Certificate::Formula(formula) => json!({
            "kind": "formula",
            "nodes": formula.size(),
        }),
    }
}

/// The signals in the cone of the property.
pub fn trace(system: &TransitionSystem, trace: &Trace) -> Json {
    let shown = match system.property(trace.property).kind {
        PropertyKind::Bad(bad) => nearest_signals(system, bad),
        PropertyKind::Justice(_) => Vec::new(),
    };
    let waves = Waves::of_trace(system, trace, &shown);
    let signals = waves.signals.iter().map(|signal| {
        let (kind, symbol) = match signal.role {
            Role::Input(index) => ("input", system.inputs()[index].symbol),
            Role::State(index) => ("state", system.states()[index].symbol),
        };
        let values: Vec<Json> = signal.values.iter().map(value).collect();
        let mut object = json!({ "name": signal.name, "kind": kind });
        match system.pool().sort(symbol) {
            Sort::Bv(width) => object["width"] = width.into(),
            Sort::Array { index, element } => {
                object["width"] = element.into();
                object["index_width"] = index.into();
            }
        }
        object["values"] = values.into();
        object
    });
    json!({ "cycles": waves.cycles, "signals": signals.collect::<Vec<Json>>() })
}

/// Binary digits; for an array its default and the elements that differ.
fn value(value: &Value) -> Json {
    match value {
        Value::Bv(bits) => bits.to_binary().into(),
        Value::Array(array) => {
            let elements: Map<String, Json> =
                array.entries().map(|(i, e)| (i.to_binary(), e.to_binary().into())).collect();
            json!({ "default": array.default_element().to_binary(), "elements": elements })
        }
    }
}
