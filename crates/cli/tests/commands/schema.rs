//! Everything that is printed with `--json` follows the schema in `docs`.

use std::path::Path;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value as Json, json};

/// The schema, where every key of an object must be one of the schema's, unless the schema
/// says otherwise: scripts may meet new keys, but the documentation has them all.
fn validator() -> &'static Validator {
    static VALIDATOR: OnceLock<Validator> = OnceLock::new();
    VALIDATOR.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
        let text = std::fs::read_to_string(path).expect("the schema");
        let mut schema: Json = serde_json::from_str(&text).expect("JSON");
        forbid_other_keys(&mut schema);
        jsonschema::validator_for(&schema).expect("a schema")
    })
}

fn forbid_other_keys(schema: &mut Json) {
    match schema {
        Json::Object(object) => {
            let is_type = object.get("type") == Some(&json!("object"));
            if is_type && object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(json!(false));
            }
            object.values_mut().for_each(forbid_other_keys);
        }
        Json::Array(items) => items.iter_mut().for_each(forbid_other_keys),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Validates a report. Other output, and the runs of programs that `--witness -` writes, are
/// not reports.
#[track_caller]
pub fn expect_valid(output: &str) {
    if !output.starts_with('{') {
        return;
    }
    let Ok(report) = serde_json::from_str::<Json>(output) else { return };
    if report.get("format").is_some_and(|format| format == "elinvar program run 1") {
        return;
    }
    if let Err(fault) = problem(&report) {
        panic!("{fault}\n{report:#}");
    }
}

/// What is wrong with a report.
fn problem(report: &Json) -> Result<(), String> {
    let faults: Vec<String> = validator()
        .iter_errors(report)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

#[test]
fn the_schema_refuses_wrong_reports() {
    let (_, report) = super::json(&["check", "@several.btor2", "--json"]);
    assert_eq!(problem(&report), Ok(()));
    let changes: [fn(&mut Json); 6] = [
        |report| report["verdict"] = json!("perhaps"),
        |report| report["schema"] = json!("elinvar-report-0"),
        |report| report["undocumented"] = json!(1),
        |report| report["properties"][0]["seconds"] = json!(-1),
        |report| report["properties"][0]["trace"] = json!({ "cycles": 0, "signals": [] }),
        |report| report["options"] = Json::Null,
    ];
    for change in changes {
        let mut wrong = report.clone();
        change(&mut wrong);
        assert!(problem(&wrong).is_err(), "{wrong:#}");
    }
}
