//! The report for programs.

use elinvar_ir::program::{AssertionKind, Invariants, ProgramTrace, ProgramVerdict, Terms, Value};
use serde_json::{Map, Value as Json, json};

use super::{Answer, Report, story, value};
use crate::report::{Summary, statistics};

/// The whole report.
pub fn render(report: &Report<'_>) -> Json {
    let properties: Vec<Json> = report.answers.iter().map(|a| property(report, a)).collect();
    json!({
        "verdict": report.summary().word(),
        "reason": report.reason().map(ToString::to_string),
        "engine": "cfg",
        "dialect": report.dialect.name(),
        "seconds": report.time.as_secs_f64(),
        "check_seconds": report.checking.as_secs_f64(),
        "properties": properties,
        "statistics": statistics::json(&report.statistics),
    })
}

fn property(report: &Report<'_>, answer: &Answer) -> Json {
    let property = report.program.property(answer.property);
    let depth = match &answer.verdict {
        ProgramVerdict::Unsafe(trace) => Some(trace.steps.len()),
        ProgramVerdict::Safe(_) | ProgramVerdict::Unknown(_) => None,
    };
    let mut object = Map::new();
    object.insert("name".into(), property.name.clone().into());
    object.insert("index".into(), answer.property.0.into());
    object.insert("line".into(), report.source.line(&property.span).into());
    object.insert("kind".into(), kind(property.kind).into());
    object.insert("verdict".into(), Summary::of_program(&answer.verdict).word().into());
    object.insert("vacuous".into(), (!answer.vacuous.is_empty()).into());
    object.insert("depth".into(), json!(depth));
    object.insert("seconds".into(), report.time.as_secs_f64().into());
    object.insert("engine".into(), "cfg".into());
    let files = report.files.json(answer.property);
    object.insert("files".into(), files);
    match &answer.verdict {
        ProgramVerdict::Safe(proof) => {
            object.insert("certificate".into(), certificate(proof));
            object.insert("invariant".into(), invariant(report, proof));
        }
        ProgramVerdict::Unsafe(run) => {
            object.insert("trace".into(), trace(report, run));
        }
        ProgramVerdict::Unknown(reason) => {
            object.insert("reason".into(), reason.to_string().into());
        }
    }
    object.into()
}

fn kind(kind: AssertionKind) -> &'static str {
    match kind {
        AssertionKind::Assert => "assert",
        AssertionKind::Requires => "requires",
        AssertionKind::Ensures => "ensures",
        AssertionKind::InvariantEntry => "invariant at entry",
        AssertionKind::InvariantKept => "invariant kept",
    }
}

fn certificate(proof: &Invariants) -> Json {
    let clauses = || proof.at.values().flatten();
    let literals: usize = clauses().map(|&clause| proof.terms.disjuncts(clause).len()).sum();
    json!({
        "kind": "locations",
        "locations": proof.at.len(),
        "clauses": clauses().count(),
        "literals": literals,
    })
}

fn invariant(report: &Report<'_>, proof: &Invariants) -> Json {
    let entries = report.clauses([proof]).into_iter().map(|(location, clauses)| {
        let span = &report.program.location(location).span;
        let line = (!span.is_empty()).then(|| report.source.line(span));
        json!({ "line": line, "text": report.source.text(span), "clauses": clauses })
    });
    entries.collect()
}

/// All statements of a run, the start first.
fn trace(report: &Report<'_>, trace: &ProgramTrace) -> Json {
    let terms = &report.program.terms;
    let rows = story::rows(report.program, &report.source, trace).into_iter().map(|row| {
        let values: Map<String, Json> = (row.values.iter())
            .map(|(variable, value)| (terms.name(*variable).to_owned(), number(terms, value)))
            .collect();
        json!({ "line": row.line, "text": row.text, "values": values })
    });
    rows.collect()
}

/// Truth values and small integers as such, all else as text.
fn number(terms: &Terms, value: &Value) -> Json {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(number) => match i64::try_from(number) {
            Ok(number) => number.into(),
            Err(_) => number.to_string().into(),
        },
        Value::Real(_) | Value::Word(_) | Value::Element(..) | Value::Map(_) => {
            value::text(terms, value).into()
        }
    }
}
