//! Findings in SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS.
//!
//! A result is a property that is not as the user hopes; other properties are only counted. The
//! file also follows the rules of GitHub's code scanning: each rule has a description and a help
//! text, each result has a place, and a trace has at most [`MOST_STEPS`] steps.
//!
//! Names of files are relative to the root of the repository if there is one, else to the working
//! directory.

use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value as Json, json};

use super::steps::{Step, steps};
use super::{Finding, Invocation, Notice, Outcome, finding};
use crate::readable::sentence;
use crate::report::{Location, PropertyKind, PropertyReport, Report};

/// The schema of the format.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name of the folder that names of files are relative to.
const ROOT: &str = "%SRCROOT%";

/// As many steps of a trace as code scanning shows.
const MOST_STEPS: usize = 1000;

/// Steps that are kept of the beginning of a longer trace.
const FIRST_STEPS: usize = 100;

/// The characters of a path that a URI cannot contain.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

/// A kind of result.
struct Rule {
    id: &'static str,
    short: &'static str,
    full: &'static str,
    help: &'static str,
    level: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        id: "assertion-fails",
        short: "An assertion fails",
        full: "There is an execution in which the assertion does not hold. It was replayed.",
        help: "Follow the trace. The options --vcd and --witness write it to a file.",
        level: "error",
    },
    Rule {
        id: "cover-unreachable",
        short: "A cover statement is unreachable",
        full: "No execution reaches the cover statement. The proof was checked.",
        help: "Remove the statement, or find out which assumption or constant excludes it.",
        level: "error",
    },
    Rule {
        id: "undecided",
        short: "A property is undecided",
        full: "A limit was reached before the property was proved or refuted.",
        help: "Raise --timeout, use several threads (-j), or add invariants as further properties.",
        level: "warning",
    },
    Rule {
        id: "vacuous",
        short: "A proof is vacuous",
        full: "The property was proved, but the proof says less than it seems to: for example, the \
               assumptions contradict each other, or the condition of the property never holds.",
        help: "Review the assumptions and the condition of the property.",
        level: "warning",
    },
];

/// The log of one run, as text.
pub fn sarif(invocation: &Invocation, outcome: Outcome<'_>) -> String {
    let paths = Paths::new(&invocation.folder);
    let results: Vec<Json> = match outcome {
        Outcome::Checked(report) => {
            let result = |property| result(invocation, report, property, &paths);
            report.properties.iter().filter_map(result).collect()
        }
        Outcome::Unread(_) | Outcome::Failed => Vec::new(),
    };
    let run = json!({
        "tool": { "driver": driver() },
        "automationDetails": { "id": format!("elinvar/{}/", invocation.name().trim_start_matches('/')) },
        "invocations": [invocation_object(invocation, outcome, &paths)],
        "originalUriBaseIds": { ROOT: { "uri": folder_uri(&paths.root) } },
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": properties(outcome),
    });
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    format!("{log:#}\n")
}

fn driver() -> Json {
    let rule = |rule: &Rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.short },
            "fullDescription": { "text": rule.full },
            "help": { "text": rule.help },
            "defaultConfiguration": { "level": rule.level },
            "properties": { "tags": ["formal-verification"] },
        })
    };
    json!({
        "name": "Elinvar",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "informationUri": "https://github.com/elinvar/elinvar",
        "rules": RULES.iter().map(rule).collect::<Vec<Json>>(),
    })
}

fn invocation_object(invocation: &Invocation, outcome: Outcome<'_>, paths: &Paths) -> Json {
    let mut notices: Vec<Json> = invocation.notices.iter().map(|n| notice(n, paths)).collect();
    if let Outcome::Unread(reason) = outcome {
        let unread = Notice::error(format!("The model was not read: {reason}."));
        notices.push(notice(&unread, paths));
    }
    let is_complete = matches!(outcome, Outcome::Checked(_));
    let time = |time: SystemTime| humantime::format_rfc3339_millis(time).to_string();
    json!({
        "commandLine": invocation.words.join(" "),
        "arguments": invocation.words.get(1..).unwrap_or_default(),
        "workingDirectory": { "uri": folder_uri(&invocation.folder) },
        "startTimeUtc": time(invocation.start),
        "endTimeUtc": time(invocation.end),
        "exitCode": invocation.exit_code,
        "executionSuccessful": is_complete && !invocation.notices.iter().any(|n| n.is_error),
        "toolExecutionNotifications": notices,
    })
}

fn notice(notice: &Notice, paths: &Paths) -> Json {
    let mut object = json!({
        "level": if notice.is_error { "error" } else { "warning" },
        "message": { "text": notice.message },
    });
    if let Some(location) = &notice.location {
        object["locations"] = json!([{ "physicalLocation": paths.physical(location) }]);
    }
    object
}

/// What holds for the whole run.
fn properties(outcome: Outcome<'_>) -> Json {
    let Outcome::Checked(report) = outcome else { return json!({}) };
    let has =
        |wanted: Finding| report.properties.iter().filter(|p| finding(report, p) == wanted).count();
    json!({
        "verdict": report.headline(),
        "engine": report.engines(),
        "checked": report.properties.len(),
        "passed": has(Finding::Passed) + has(Finding::Remark),
        "files": crate::json::files(&report.files),
    })
}

/// The result about a property, unless it is as the user hopes.
fn result(
    invocation: &Invocation,
    report: &Report,
    property: &PropertyReport,
    paths: &Paths,
) -> Option<Json> {
    let (rule, level) = match finding(report, property) {
        Finding::Passed => return None,
        Finding::Fails => (0, "error"),
        Finding::Unreachable => (1, "error"),
        Finding::Undecided => (2, "warning"),
        Finding::Vacuous if invocation.strict => (3, "error"),
        Finding::Vacuous => (3, "warning"),
        Finding::Remark => (3, "note"),
    };
    let location = property.location.clone().unwrap_or_else(|| whole_file(invocation));
    let place = paths.physical(&location);
    let mut object = json!({
        "ruleId": RULES[rule].id,
        "ruleIndex": rule,
        "level": level,
        "message": { "text": sentence::brief(report, property) },
        "locations": [{
            "physicalLocation": place,
            "logicalLocations": [{ "fullyQualifiedName": property.name }],
        }],
        "partialFingerprints": { "elinvarProperty/v1": fingerprint(report, property, &location) },
        "properties": {
            "property": property.name,
            "kind": property.kind.name(),
            "engine": property.engine,
            "depth": property.depth,
            "seconds": property.time.as_secs_f64(),
            "files": crate::json::files(&property.files),
        },
    });
    let steps = steps(report, property);
    if !steps.is_empty() {
        let flow = flow(&steps, &location, paths);
        object["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    Some(object)
}

/// Properties of a model that has no source are at its beginning: a result needs a place.
fn whole_file(invocation: &Invocation) -> Location {
    let file = invocation.models.first().cloned().unwrap_or_default();
    Location { file, line: 1, column: None, text: None }
}

/// What stays the same when lines move: the file, the name, and for equal names their order.
fn fingerprint(report: &Report, property: &PropertyReport, location: &Location) -> String {
    let name = stable_name(property);
    let same = |p: &&PropertyReport| p.id < property.id && stable_name(p) == name;
    let number = report.properties.iter().filter(same).count();
    format!("{}|{}|{name}|{number}", location.file, property.kind.name())
}

/// The names of assertions in programs contain lines; their texts do not.
fn stable_name(property: &PropertyReport) -> &str {
    match (property.kind, &property.location) {
        (PropertyKind::Program(_), Some(Location { text: Some(text), .. })) => text,
        (PropertyKind::Program(_), _)
        | (PropertyKind::Safety | PropertyKind::Cover | PropertyKind::Liveness, _) => {
            &property.name
        }
    }
}

/// The steps of a trace, each at its line; those of hardware at the property.
fn flow(steps: &[Step], location: &Location, paths: &Paths) -> Vec<Json> {
    let left_out = steps.len().saturating_sub(MOST_STEPS);
    let is_shown = |&number: &usize| number < FIRST_STEPS || number >= FIRST_STEPS + left_out;
    let step = |number: usize| {
        let step = &steps[number];
        let at = match step.line {
            Some(line) => Location { line, column: None, text: None, ..location.clone() },
            None => location.clone(),
        };
        let gap = (left_out > 0 && number == FIRST_STEPS + left_out)
            .then(|| format!("(after {left_out} steps that are left out) "));
        let text = format!("{}{}", gap.unwrap_or_default(), step.text());
        let state =
            step.values.iter().map(|(name, value)| (name.clone(), json!({ "text": value })));
        let is_last = number + 1 == steps.len();
        json!({
            "location": { "physicalLocation": paths.physical(&at), "message": { "text": text } },
            "executionOrder": number + 1,
            "importance": if is_last { "essential" } else { "important" },
            "state": state.collect::<serde_json::Map<String, Json>>(),
        })
    };
    (0..steps.len()).filter(is_shown).map(step).collect()
}

/// Names of files as URIs.
struct Paths {
    folder: PathBuf,
    root: PathBuf,
}

impl Paths {
    fn new(folder: &Path) -> Self {
        let root = folder.ancestors().find(|folder| folder.join(".git").exists());
        Paths { folder: folder.to_owned(), root: root.unwrap_or(folder).to_owned() }
    }

    fn physical(&self, location: &Location) -> Json {
        let mut region = json!({ "startLine": location.line.max(1) });
        if let Some(column) = location.column {
            region["startColumn"] = column.max(1).into();
        }
        if let Some(text) = &location.text {
            region["snippet"] = json!({ "text": text });
        }
        json!({ "artifactLocation": self.artifact(&location.file), "region": region })
    }

    fn artifact(&self, file: &str) -> Json {
        let path = normal(&self.folder.join(file));
        match path.strip_prefix(&self.root) {
            Ok(relative) => json!({ "uri": uri(relative), "uriBaseId": ROOT }),
            Err(_) => json!({ "uri": format!("file://{}", uri(&path)) }),
        }
    }
}

/// The path without `.` and `..`, as far as that is possible without looking at links.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}

pub(crate) fn uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    utf8_percent_encode(&text, ESCAPED).to_string()
}

/// The URI of a folder ends with a slash.
fn folder_uri(folder: &Path) -> String {
    format!("file://{}/", uri(folder).trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_relative_to_the_root() {
        let paths = Paths { folder: "/r/sub".into(), root: "/r".into() };
        let artifact = |file: &str| paths.artifact(file);
        assert_eq!(artifact("a b.sv"), json!({ "uri": "sub/a%20b.sv", "uriBaseId": ROOT }));
        assert_eq!(artifact("../c:d.sv")["uri"], "c%3Ad.sv");
        assert_eq!(artifact("/r/sub/./x.sv")["uri"], "sub/x.sv");
        assert_eq!(artifact("/else/x.sv"), json!({ "uri": "file:///else/x.sv" }));
        assert_eq!(folder_uri("/".as_ref()), "file:///");
        assert_eq!(folder_uri("/r/s t".as_ref()), "file:///r/s%20t/");
    }

    #[test]
    fn long_traces_lose_their_middle() {
        let step =
            |number: usize| Step { label: format!("cycle {number}"), line: None, values: vec![] };
        let steps: Vec<Step> = (0..1500).map(step).collect();
        let location = Location { file: "m.sv".into(), line: 3, column: None, text: None };
        let paths = Paths { folder: "/r".into(), root: "/r".into() };
        let flow = flow(&steps, &location, &paths);
        assert_eq!(flow.len(), MOST_STEPS);
        let text = |at: usize| flow[at]["location"]["message"]["text"].as_str().unwrap();
        assert_eq!(text(99), "cycle 99");
        assert_eq!(text(100), "(after 500 steps that are left out) cycle 600");
        assert_eq!(text(999), "cycle 1499");
    }
}
