//! The results of an experiment as the folder of a campaign, with the reports of campaigns: the page
//! with figures for each two settings, the table, and the comparison with an earlier experiment.
//!
//! An experiment runs other programs as well, with limits of processor time, and measures more than
//! a campaign does, so the harness runs it and resumes it from its own log. The folder is written
//! again after each instance; `elinvar run report` makes the reports from it.

use std::path::Path;

use elinvar::campaign::report::{self, CampaignPage};
use elinvar::campaign::{
    Limits, Line, Plan, PlannedModel, PlannedProperty, PlannedTask, PropertyLine, SCHEMA, Source,
    Strategy, TaskId, now,
};

use super::outcome::Outcome;
use super::results::{Results, Row};
use super::run::Run;
use super::{Setting, write};

/// The name of the log within that of the campaign's folder.
const LOG: &str = "log/harness-0.jsonl";

/// Writes the folder of a campaign with its page.
pub fn write_folder<S: Setting, M>(
    results: &Results<S, M>,
    name: &str,
    folder: &Path,
) -> Result<(), String> {
    let complaint = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder.join("log")).map_err(|error| complaint(&error))?;
    plan(results, name).write(folder).map_err(|error| complaint(&error))?;
    let text: String = lines(results).map(|line| line.to_text()).collect();
    elinvar::files::write(&folder.join(LOG), text.as_bytes()).map_err(|error| complaint(&error))?;
    let read = elinvar::campaign::Results::read(folder).map_err(|error| complaint(&error))?;
    write(&folder.join("report.html"), report::html(&read, None, &CampaignPage::default()))
}

fn plan<S: Setting, M>(results: &Results<S, M>, name: &str) -> Plan {
    let limit = f64::from(results.limit);
    let strategy =
        |setting: &S| Strategy { name: setting.name(), options: vec![], timeout: Some(limit) };
    Plan {
        schema: SCHEMA.to_owned(),
        name: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created: now(),
        models: results.rows.iter().map(model).collect(),
        strategies: results.settings.iter().map(strategy).collect(),
        limits: Limits::default(),
        store: None,
        tasks: tasks(results),
    }
}

/// An instance is a model with one property, which stands for all of its properties.
fn model<M>(row: &Row<M>) -> PlannedModel {
    let (name, kind) = (row.instance.name(), "safety".to_owned());
    PlannedModel {
        name: row.instance.path.clone(),
        path: row.instance.file.clone(),
        // Nobody goes on with this campaign, and reading all models again would disturb the runs.
        sha256: String::new(),
        properties: vec![PlannedProperty { index: 0, name, kind }],
    }
}

/// A task for each run, in the order of the settings.
fn tasks<S, M>(results: &Results<S, M>) -> Vec<PlannedTask> {
    let mut tasks: Vec<PlannedTask> = Vec::new();
    for (model, row) in results.rows.iter().enumerate() {
        let mut after = None;
        for (stage, _) in row.runs.iter().enumerate().filter(|(_, run)| run.is_some()) {
            let id = TaskId(tasks.len());
            tasks.push(PlannedTask { id, model, properties: vec![0], stage, after, stored: false });
            after = Some(id);
        }
    }
    tasks
}

fn lines<S: Setting, M>(results: &Results<S, M>) -> impl Iterator<Item = Line> {
    let runs = results.rows.iter().flat_map(move |row| {
        let runs = row.runs.iter().zip(&results.settings).enumerate();
        runs.filter_map(move |(stage, (run, setting))| Some((row, stage, setting, run.as_ref()?)))
    });
    runs.enumerate().map(|(task, (row, stage, setting, run))| {
        Line::Result(line(TaskId(task), row, stage, &setting.name(), run))
    })
}

fn line<M>(task: TaskId, row: &Row<M>, stage: usize, setting: &str, run: &Run<M>) -> PropertyLine {
    let verdict = run.outcome.verdict().map_or("unknown", |verdict| verdict.word());
    let reason = match run.outcome {
        Outcome::Decided(_) => None,
        Outcome::Unknown => Some("gave up"),
        Outcome::TooLong => Some("time limit"),
        Outcome::Failed => Some("ended without a report"),
    };
    PropertyLine {
        task: task.to_string(),
        model: row.instance.path.clone(),
        property: 0,
        name: row.instance.name(),
        kind: "safety".to_owned(),
        strategy: setting.to_owned(),
        stage,
        verdict: verdict.to_owned(),
        reason: reason.map(str::to_owned),
        engine: None,
        seconds: run.seconds,
        cpu_seconds: run.seconds,
        memory_bytes: 0,
        depth: None,
        source: Source::Engine,
        depends: vec![],
        certificate: None,
        trace: None,
        worker: "harness-0".to_owned(),
        time: now(),
        attempt: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::testing::{Count, decided, instance, run};

    #[derive(PartialEq)]
    struct Named(&'static str);

    impl Setting for Named {
        fn name(&self) -> String {
            self.0.to_owned()
        }
    }

    #[test]
    fn an_experiment_is_a_campaign() {
        let row = |path, runs: [Option<Run<Count>>; 2]| Row {
            instance: instance(path, None),
            runs: runs.to_vec(),
        };
        let rows = vec![
            row("a/x.aig", [Some(decided("safe", 1.0, None)), Some(run("TO", 10.0))]),
            row("a/y.aig", [None, Some(decided("unsafe", 2.0, None))]),
        ];
        let results = Results { limit: 10, settings: vec![Named("itp"), Named("avy")], rows };
        let folder = tempfile::tempdir().unwrap();
        write_folder(&results, "AVY", folder.path()).unwrap();
        let read = elinvar::campaign::Results::read(folder.path()).unwrap();
        let totals = read.totals();
        assert_eq!((totals.properties, totals.proved, totals.failed, totals.tasks), (2, 1, 1, 3));
        assert!(read.is_complete() && read.damaged_lines() == 0);
        assert_eq!(read.properties[0].attempts[&1].reason.as_deref(), Some("time limit"));
        let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
        assert!(page.contains("data-pair=\"itp against avy\""));
    }
}
