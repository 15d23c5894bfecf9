//! The results as a table of comma-separated values (RFC 4180), one row for each attempt.

use std::fmt::Write;

use crate::campaign::log::{PropertyLine, Source};
use crate::campaign::results::{PropertyResult, Results};

const HEAD: &str = "model,property,name,kind,verdict,strategy,stage,result,reason,engine,seconds,\
                    cpu_seconds,memory_bytes,depth,source,depends,certificate,trace,worker,time";

/// One row for each attempt on each property. A property that was not tried yet has one row,
/// without a strategy. `verdict` is what the campaign knows of the property, `result` what the
/// attempt found out.
pub fn csv(results: &Results) -> String {
    let mut text = format!("{HEAD}\n");
    for property in &results.properties {
        let model = &results.plan.models[property.model].name;
        if property.attempts.is_empty() {
            let rest = ",".repeat(HEAD.matches(',').count() - 4);
            writeln!(text, "{}{rest}", start(model, property)).expect("strings do not fail");
        }
        for line in property.attempts.values() {
            writeln!(text, "{},{}", start(model, property), attempt(line))
                .expect("strings do not fail");
        }
    }
    text
}

fn start(model: &str, property: &PropertyResult) -> String {
    let PropertyResult { index, name, kind, .. } = property;
    let (model, name) = (cell(model), cell(name));
    format!("{model},{index},{name},{},{}", cell(kind), property.verdict())
}

fn attempt(line: &PropertyLine) -> String {
    let text = |text: &Option<String>| text.as_deref().map(cell).unwrap_or_default();
    let depends: Vec<String> = line.depends.iter().map(ToString::to_string).collect();
    let source = match line.source {
        Source::Engine => "engine",
        Source::Store => "store",
        Source::Campaign => "campaign",
    };
    let cells = [
        cell(&line.strategy),
        line.stage.to_string(),
        cell(&line.verdict),
        text(&line.reason),
        text(&line.engine),
        format!("{:.6}", line.seconds),
        format!("{:.6}", line.cpu_seconds),
        line.memory_bytes.to_string(),
        line.depth.map(|depth| depth.to_string()).unwrap_or_default(),
        source.to_owned(),
        depends.join(" "),
        text(&line.certificate),
        text(&line.trace),
        cell(&line.worker),
        cell(&line.time),
    ];
    cells.join(",")
}

/// A text as a cell: quoted if it has to be. Spreadsheets take cells that begin with certain
/// characters for formulas, so these get an apostrophe, which spreadsheets do not show.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        assert_eq!(cell("u0.assert:12"), "u0.assert:12");
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(cell("=cmd()"), "'=cmd()");
    }
}
