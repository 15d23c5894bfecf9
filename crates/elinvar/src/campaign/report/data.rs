//! What the page of a campaign shows, as one JSON object, which the script of the page reads.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::campaign::log::{PropertyLine, Source};
use crate::campaign::plan::Strategy;
use crate::campaign::results::{PropertyResult, Results, Totals};
use crate::ci::sarif::uri;
use crate::page::command_line;
use crate::readable::count;

use super::compare::{Change, Comparison, properties};
use super::strategies::{StrategySummary, attempt};
use super::{CampaignPage, absolute};

/// The data of the whole page. What there is for each property has types of its own, because it
/// takes much longer to make a tree of JSON values from it than to write it.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    version: &'static str,
    title: &'a str,
    pub verdict: &'static str,
    sentence: String,
    remarks: Vec<String>,
    facts: Json,
    command: String,
    made: Option<u64>,
    models: usize,
    strategies: Vec<Json>,
    comparison: Option<Json>,
    properties: Vec<Row<'a>>,
}

/// What the page shows of a property.
#[derive(Serialize)]
struct Row<'a> {
    number: usize,
    name: &'a str,
    model: &'a str,
    kind: &'a str,
    verdict: &'a str,
    engine: Option<&'a str>,
    depth: Option<usize>,
    cpu: f64,
    /// By strategy.
    attempts: Vec<Option<Attempt<'a>>>,
    depends: Vec<&'a str>,
    certificate: Option<String>,
    trace: Option<String>,
    verify: Option<String>,
    change: Option<&'static str>,
    before: Option<Before<'a>>,
}

/// An attempt of a strategy.
#[derive(Serialize)]
struct Attempt<'a> {
    verdict: &'a str,
    seconds: f64,
    cpu: f64,
    memory: u64,
    engine: Option<&'a str>,
    reason: Option<&'a str>,
    source: &'static str,
}

/// What the earlier campaign has found.
#[derive(Serialize)]
struct Before<'a> {
    verdict: &'a str,
    cpu: f64,
}

/// The data of a page about these results.
pub(super) fn of_results<'a>(
    results: &'a Results,
    comparison: Option<&Comparison<'a>>,
    options: &CampaignPage,
) -> Data<'a> {
    let totals = results.totals();
    let made = options.made.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let base = base(&results.folder, options.file.as_deref());
    let change = |at: usize| comparison.map(|comparison| comparison.changes[at]);
    let rows = results.properties.iter().enumerate();
    let summaries = StrategySummary::of(results);
    let strategies = results.plan.strategies.iter().zip(&summaries);
    Data {
        version: env!("CARGO_PKG_VERSION"),
        title: &results.plan.name,
        verdict: verdict(&totals),
        sentence: sentence(results, &totals),
        remarks: remarks(results, &totals),
        facts: facts(results, &totals),
        command: command_line(&options.command),
        made: made.map(|time| time.as_millis() as u64),
        models: results.plan.models.len(),
        strategies: strategies.map(|(plan, done)| strategy(plan, done)).collect(),
        comparison: comparison.map(|comparison| {
            json!({
                "sentence": comparison.sentence(),
                "counts": comparison.counts().iter()
                    .map(|(change, number)| json!([change.word(), number])).collect::<Vec<_>>(),
            })
        }),
        properties: rows.map(|(at, p)| row(results, at, p, change(at), &base)).collect(),
    }
}

/// The verdict on all properties in one word.
fn verdict(totals: &Totals) -> &'static str {
    match totals {
        Totals { failed: 1.., .. } => "unsafe",
        Totals { properties, proved, .. } if proved == properties && *properties > 0 => "safe",
        _ => "unknown",
    }
}

fn sentence(results: &Results, totals: &Totals) -> String {
    let Totals { properties: all, proved, failed, undecided, open, .. } = *totals;
    let models = count(results.plan.models.len(), "model");
    let mut parts = vec![format!("{proved} proved"), format!("{failed} failing")];
    parts.push(format!("{undecided} undecided"));
    if open > 0 {
        parts.push(format!("{open} not tried or not finished"));
    }
    format!("{} of {models}: {}.", properties(all), parts.join(", "))
}

/// What the user should know about the whole campaign.
fn remarks(results: &Results, totals: &Totals) -> Vec<String> {
    let mut remarks = Vec::new();
    let bugs =
        results.contradictions.iter().filter_map(|&(model, index)| results.property(model, index));
    remarks.extend(bugs.map(|property| {
        format!("Internal error: the logs have two different verdicts on {}.", property.name)
    }));
    if !results.is_complete() {
        let (done, all) = (totals.tasks_done, totals.tasks);
        remarks.push(format!("The campaign is not complete: {done} of {all} tasks are over."));
    }
    let failures = results.tasks.iter().zip(&results.plan.tasks);
    remarks.extend(failures.filter_map(|(state, task)| {
        let why = state.failure.as_ref()?;
        Some(format!("Task {} on {} failed: {why}", task.id, results.plan.models[task.model].name))
    }));
    if results.damaged_lines() > 0 {
        let lines = count(results.damaged_lines(), "line");
        remarks.push(format!("{lines} of the logs could not be read."));
    }
    remarks
}

/// Pairs of a word and what it stands for, below the headline.
fn facts(results: &Results, totals: &Totals) -> Json {
    let mut facts = vec![("Planned", results.plan.created.clone())];
    facts.extend(
        elapsed(results).map(|time| ("Time", humantime::format_duration(time).to_string())),
    );
    // Tasks that were killed have no end in the log, but properties that they decided.
    let attempts: f64 = results.properties.iter().map(PropertyResult::cpu_seconds).sum();
    facts.push(("Processor time", format!("{:.1} s", totals.cpu_seconds.max(attempts))));
    if totals.peak_memory > 0 {
        facts.push(("Memory of a worker", format!("up to {} MiB", totals.peak_memory >> 20)));
    }
    if !results.workers.is_empty() {
        facts.push(("Workers", results.workers.len().to_string()));
    }
    let mut hosts: Vec<&str> = results.workers.values().map(|start| &start.host[..]).collect();
    hosts.sort_unstable();
    hosts.dedup();
    if hosts.len() > 1 {
        facts.push(("Machines", hosts.len().to_string()));
    }
    if totals.from_store > 0 {
        facts.push(("From the store", properties(totals.from_store)));
    }
    facts.iter().map(|(what, text)| json!([what, text])).collect()
}

/// From the plan to the last verdict, in whole seconds.
fn elapsed(results: &Results) -> Option<Duration> {
    let time = |text: &str| humantime::parse_rfc3339(text).ok();
    let lines = results.properties.iter().flat_map(|property| property.attempts.values());
    let last: SystemTime = lines.filter_map(|line| time(&line.time)).max()?;
    let all = last.duration_since(time(&results.plan.created)?).ok()?;
    Some(Duration::from_secs(all.as_secs()))
}

fn strategy(plan: &Strategy, done: &StrategySummary) -> Json {
    json!({
        "name": done.name,
        "options": command_line(&plan.options),
        "limit": plan.timeout,
        "tried": done.tried,
        "proved": done.proved,
        "failed": done.failed,
        "median": done.median(),
        "most90": done.quantile(0.9),
        "most": done.quantile(1.0),
        "cpu": done.cpu_seconds,
    })
}

fn row<'a>(
    results: &'a Results,
    at: usize,
    property: &'a PropertyResult,
    change: Option<(Change, Option<&'a PropertyResult>)>,
    base: &str,
) -> Row<'a> {
    let model = &results.plan.models[property.model];
    let strategies = results.plan.strategies.iter();
    let decided = property.decided();
    let file = |file: Option<&String>| file.map(|file| format!("{base}{}", uri(Path::new(file))));
    let depends = decided.map(|line| &line.depends[..]).unwrap_or_default();
    let depends = depends.iter().filter_map(|&index| results.property(property.model, index));
    let before = change.and_then(|(_, old)| old);
    Row {
        number: at,
        name: &property.name,
        model: &model.name,
        kind: &property.kind,
        verdict: property.verdict(),
        engine: decided.and_then(|line| line.engine.as_deref()),
        depth: decided.and_then(|line| line.depth),
        cpu: property.cpu_seconds(),
        attempts: strategies.map(|s| attempt(property, &s.name).map(attempted)).collect(),
        depends: depends.map(|property| &property.name[..]).collect(),
        certificate: file(decided.and_then(|line| line.certificate.as_ref())),
        trace: file(decided.and_then(|line| line.trace.as_ref())),
        verify: decided.and_then(|line| verify(results, property, line)),
        change: change.and_then(|(change, _)| change.word()),
        before: before.map(|old| Before { verdict: old.verdict(), cpu: old.cpu_seconds() }),
    }
}

fn attempted(line: &PropertyLine) -> Attempt<'_> {
    Attempt {
        verdict: &line.verdict,
        seconds: line.seconds,
        cpu: line.cpu_seconds,
        memory: line.memory_bytes,
        engine: line.engine.as_deref(),
        reason: line.reason.as_deref(),
        source: match line.source {
            Source::Engine => "from an engine",
            Source::Store => "from the store",
            Source::Campaign => "with another property",
        },
    }
}

/// The command that checks the evidence again.
fn verify(results: &Results, property: &PropertyResult, line: &PropertyLine) -> Option<String> {
    let file = line.certificate.as_ref().or(line.trace.as_ref())?;
    let evidence = results.folder.join(file);
    let model = &results.plan.models[property.model].path;
    let index = property.index.to_string();
    let words = ["elinvar", "verify", &model.to_string_lossy(), &evidence.to_string_lossy()];
    Some(command_line(words.into_iter().chain(["--property", &index])))
}

/// What stands before the names of evidence files in links: a path from the page to the folder of
/// the campaign, or the address of the folder. It is never empty, so that no name of a file can be
/// taken for an address.
fn base(folder: &Path, page: Option<&Path>) -> String {
    let Some(page) = page else { return "./".to_owned() };
    let folder = absolute(&folder.join("."));
    let folder = folder.canonicalize().unwrap_or(folder);
    let page = absolute(page);
    match folder.strip_prefix(crate::paths::folder_of(&page)) {
        Ok(inside) if inside.as_os_str().is_empty() => "./".to_owned(),
        Ok(inside) => format!("./{}/", uri(inside)),
        Err(_) => format!("file://{}/", uri(&folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_start_from_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let campaign = folder.path().canonicalize().unwrap().join("a b.campaign");
        std::fs::create_dir(&campaign).unwrap();
        assert_eq!(base(&campaign, None), "./");
        assert_eq!(base(&campaign, Some(&campaign.join("report.html"))), "./");
        let beside = folder.path().join("report.html");
        assert_eq!(base(&campaign, Some(&beside)), "./a%20b.campaign/");
        let elsewhere = base(&campaign, Some(Path::new("/report.html")));
        assert!(
            elsewhere.starts_with("./") && elsewhere.ends_with("/a%20b.campaign/"),
            "{elsewhere}"
        );
        std::fs::create_dir(folder.path().join("pages")).unwrap();
        let other = base(&campaign, Some(&folder.path().join("pages/report.html")));
        assert!(other.starts_with("file:///"), "{other}");
    }
}
