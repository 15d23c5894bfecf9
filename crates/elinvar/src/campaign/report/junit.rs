//! The results as JUnit's XML, in the form of [`crate::ci`]: one suite for each model.

use std::time::Duration;

use crate::campaign::results::{PropertyResult, Results};
use crate::ci::junit::{Case, Fault, Suite, class_of, document};

use super::{is_bad, is_good};

/// One suite for each model, with a test case for each property. Undecided properties are
/// errors, as in the reports of single runs.
pub fn junit(results: &Results) -> String {
    let models = results.plan.models.iter().enumerate();
    let suites: Vec<Suite> = models
        .map(|(number, model)| {
            let properties = results.properties.iter().filter(|p| p.model == number);
            Suite {
                name: model.name.clone(),
                file: model.name.clone(),
                timestamp: results.plan.created.clone(),
                time: None,
                properties: vec![
                    ("elinvar.version", env!("CARGO_PKG_VERSION").to_owned()),
                    ("elinvar.campaign", results.plan.name.clone()),
                    ("elinvar.model.sha256", model.sha256.clone()),
                ],
                cases: properties.map(|property| case(&model.name, property)).collect(),
                errors: String::new(),
            }
        })
        .collect();
    document(&suites)
}

fn case(model: &str, property: &PropertyResult) -> Case {
    let class = match property.name.rsplit_once('.') {
        Some((scope, _)) => scope.to_owned(),
        None => class_of(model),
    };
    let time = property.attempts.values().map(|line| line.seconds).sum::<f64>();
    let output = output(property);
    let verdict = property.verdict();
    let fault = (!is_good(verdict)).then(|| {
        let kind = match verdict {
            "unsafe" => "assertion",
            "unreachable" => "unreachable",
            _ => "undecided",
        };
        let reason = property.line().and_then(|line| line.reason.as_deref());
        let message = match reason.filter(|_| !is_bad(verdict)) {
            Some(reason) => format!("{} is undecided: {reason}", property.name),
            None if is_bad(verdict) => format!("{} is {verdict}", property.name),
            None => format!("{} was not tried", property.name),
        };
        Fault { is_error: !is_bad(verdict), kind, text: format!("{message}\n{output}"), message }
    });
    let time = Duration::try_from_secs_f64(time).unwrap_or_default();
    Case { class, name: property.name.clone(), time, fault, output }
}

/// What is known about a property, by lines.
fn output(property: &PropertyResult) -> String {
    let attempts = property.attempts.values().map(|line| {
        let engine = line.engine.as_ref().map(|engine| format!(" by {engine}")).unwrap_or_default();
        format!("{}: {}{engine} in {:.2} s", line.strategy, line.verdict, line.seconds)
    });
    let mut lines: Vec<String> = attempts.collect();
    let decided = property.decided();
    lines.extend(decided.and_then(|line| line.depth).map(|depth| format!("depth: {depth}")));
    let certificate = decided.and_then(|line| line.certificate.as_ref());
    lines.extend(certificate.map(|file| format!("certificate: {file}")));
    let trace = decided.and_then(|line| line.trace.as_ref());
    lines.extend(trace.map(|file| format!("witness: {file}")));
    lines.join("\n")
}
