//! The measurements and their form in JSON.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::write;

/// All measurements.
#[derive(Default)]
pub struct Records {
    pub models: Vec<ModelRecord>,
}

/// A model, the proof of it from scratch, and its edits.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelRecord {
    pub model: String,
    pub proof: Answer,
    pub edits: Vec<EditRecord>,
}

/// An edited model, proved in two ways.
#[derive(Clone, PartialEq, Debug)]
pub struct EditRecord {
    pub kind: String,
    pub seed: u64,
    pub nothing: Answer,
    pub reuse: Answer,
}

/// What a run of Elinvar said.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// By property; none at all if the run took too long.
    pub verdicts: Vec<String>,
    /// Processor time.
    pub seconds: f64,
    /// How many lemmas there were to reuse, and how many of them hold.
    pub lemmas: Option<Lemmas>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lemmas {
    pub offered: u64,
    pub kept: u64,
}

impl Records {
    pub fn read(file: &Path) -> Result<Self, String> {
        let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read(file).map_err(|error| complaint(&error))?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| complaint(&error))?;
        let models = value.as_array().and_then(|models| all(models, ModelRecord::of_json));
        Ok(Records {
            models: models.ok_or_else(|| complaint(&"this file does not contain measurements"))?,
        })
    }

    pub fn write(&self, file: &Path) -> Result<(), String> {
        let value = Value::Array(self.models.iter().map(ModelRecord::to_json).collect());
        write(file, format!("{value:#}\n"))
    }

    pub fn of_model(&self, model: &str) -> Option<&ModelRecord> {
        self.models.iter().find(|record| record.model == model)
    }

    pub fn of_edit(&self, model: &str, kind: &str, seed: u64) -> Option<&EditRecord> {
        let edits = &self.of_model(model)?.edits;
        edits.iter().find(|edit| edit.kind == kind && edit.seed == seed)
    }
}

impl ModelRecord {
    /// The edits of which the verdict depends on what is reused.
    pub fn differences(&self) -> impl Iterator<Item = &EditRecord> {
        self.edits.iter().filter(|edit| edit.differs())
    }

    fn to_json(&self) -> Value {
        let edits: Vec<Value> = self.edits.iter().map(EditRecord::to_json).collect();
        json!({ "model": self.model, "proof": self.proof.to_json(), "edits": edits })
    }

    fn of_json(value: &Value) -> Option<Self> {
        Some(ModelRecord {
            model: value["model"].as_str()?.to_owned(),
            proof: Answer::of_json(&value["proof"])?,
            edits: all(value["edits"].as_array()?, EditRecord::of_json)?,
        })
    }
}

impl EditRecord {
    /// How long the proof took, in terms of the one from scratch.
    pub fn ratio(&self) -> f64 {
        self.reuse.seconds / self.nothing.seconds
    }

    /// Whether a verdict from scratch was changed or lost by reuse. It may be gained.
    pub fn differs(&self) -> bool {
        let decided = |verdict: &String| verdict == "safe" || verdict == "unsafe";
        let reuse = &self.reuse.verdicts;
        let mut pairs = self.nothing.verdicts.iter().enumerate();
        pairs.any(|(property, verdict)| decided(verdict) && reuse.get(property) != Some(verdict))
    }

    fn to_json(&self) -> Value {
        json!({
            "kind": self.kind,
            "seed": self.seed,
            "nothing": self.nothing.to_json(),
            "reuse": self.reuse.to_json(),
        })
    }

    fn of_json(value: &Value) -> Option<Self> {
        Some(EditRecord {
            kind: value["kind"].as_str()?.to_owned(),
            seed: value["seed"].as_u64()?,
            nothing: Answer::of_json(&value["nothing"])?,
            reuse: Answer::of_json(&value["reuse"])?,
        })
    }
}

impl Answer {
    pub fn too_long(seconds: f64) -> Self {
        Answer { verdicts: Vec::new(), seconds, lemmas: None }
    }

    /// What `elinvar check --json` printed.
    pub fn of_report(report: &Value, seconds: f64) -> Option<Self> {
        let properties = report["properties"].as_array()?;
        let verdict = |property: &Value| Some(property["verdict"].as_str()?.to_owned());
        let lemmas = Lemmas::of_json(&report["reuse"]);
        Some(Answer { verdicts: all(properties, verdict)?, seconds, lemmas })
    }

    /// Are there properties, and are all safe?
    pub fn is_safe(&self) -> bool {
        !self.verdicts.is_empty() && self.verdicts.iter().all(|verdict| verdict == "safe")
    }

    /// The verdicts in a word or a few.
    pub fn verdict(&self) -> String {
        if self.verdicts.is_empty() { "too long".into() } else { self.verdicts.join(", ") }
    }

    fn to_json(&self) -> Value {
        let mut value = json!({ "verdicts": self.verdicts, "seconds": self.seconds });
        if let Some(Lemmas { offered, kept }) = self.lemmas {
            value["reuse"] = json!({ "offered": offered, "kept": kept });
        }
        value
    }

    fn of_json(value: &Value) -> Option<Self> {
        let verdict = |verdict: &Value| Some(verdict.as_str()?.to_owned());
        Some(Answer {
            verdicts: all(value["verdicts"].as_array()?, verdict)?,
            seconds: value["seconds"].as_f64()?,
            lemmas: Lemmas::of_json(&value["reuse"]),
        })
    }
}

impl Lemmas {
    fn of_json(value: &Value) -> Option<Self> {
        Some(Lemmas { offered: value["offered"].as_u64()?, kept: value["kept"].as_u64()? })
    }
}

/// All of them, or none if there is one that is not what it should be.
fn all<T>(values: &[Value], of_json: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(of_json).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn answer(verdicts: &[&str], seconds: f64, lemmas: Option<(u64, u64)>) -> Answer {
        let lemmas = lemmas.map(|(offered, kept)| Lemmas { offered, kept });
        Answer { verdicts: verdicts.iter().map(|&v| v.to_owned()).collect(), seconds, lemmas }
    }

    pub fn edit(nothing: Answer, reuse: Answer) -> EditRecord {
        EditRecord { kind: "rename".into(), seed: 3, nothing, reuse }
    }

    #[test]
    fn reports_are_read() {
        let text = r#"{"verdict": "unknown", "seconds": 9.0,
            "properties": [{"verdict": "safe"}, {"verdict": "unknown"}],
            "reuse": {"offered": 40, "kept": 30, "always": 2}}"#;
        let report = serde_json::from_str(text).unwrap();
        let expected = answer(&["safe", "unknown"], 1.5, Some((40, 30)));
        assert_eq!(Answer::of_report(&report, 1.5), Some(expected));
        assert_eq!(Answer::of_report(&json!({}), 1.5), None);
    }

    #[test]
    fn a_verdict_may_be_gained_but_neither_lost_nor_turned() {
        let differs = |nothing: &[&str], reuse: &[&str]| {
            edit(answer(nothing, 1.0, None), answer(reuse, 1.0, None)).differs()
        };
        assert!(!differs(&["safe", "unsafe"], &["safe", "unsafe"]));
        assert!(!differs(&["unknown"], &["safe"]));
        assert!(!differs(&[], &["safe"]));
        assert!(differs(&["safe"], &["unsafe"]));
        assert!(differs(&["safe"], &["unknown"]));
        assert!(differs(&["safe"], &[]));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.json");
        let edits = vec![edit(answer(&["safe"], 9.0, None), answer(&["safe"], 1.0, Some((9, 8))))];
        let proof = answer(&["safe"], 10.0, None);
        let models = vec![ModelRecord { model: "m.aig".into(), proof, edits }];
        let records = Records { models };
        records.write(&file).unwrap();
        let read = Records::read(&file).unwrap();
        assert_eq!(read.models, records.models);
        assert!(read.of_edit("m.aig", "rename", 3).is_some());
        assert!(read.of_edit("m.aig", "rename", 4).is_none());
        std::fs::write(&file, "[{}]").unwrap();
        assert!(
            Records::read(&file).is_err_and(|error| error.contains("not contain measurements"))
        );
    }
}
