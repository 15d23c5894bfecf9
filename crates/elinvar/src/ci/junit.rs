//! Test results in JUnit's XML, as Jenkins, GitLab and reporters for GitHub read them.
//!
//! The format follows `junit-10.xsd` of Jenkins' xunit plugin, which refuses anything else.
//! Therefore a test case has no attributes `file` and `line`: its place is in its output and at
//! the beginning of the text of a failure, `fifo.sv:12:5: …`, where reporters look for it. The
//! text repeats the message because GitLab does not show that attribute.
//!
//! Undecided properties are errors: servers show skipped tests as if they were fine.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use elinvar_ir::PropertyId;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::steps::{Step, steps};
use super::{Finding, Invocation, Outcome, finding};
use crate::readable::sentence;
use crate::report::{Location, PropertyReport, Report, WrittenFile};

/// Steps of a trace at its end and at its beginning that are shown.
const LAST: usize = 15;
const FIRST: usize = 5;

const STRINGS: &str = "memory does not fail";

/// One suite with a test case for each property; if there is no report, with one test case that
/// says why.
pub fn junit(invocation: &Invocation, outcome: Outcome<'_>) -> String {
    let notices: Vec<&str> = invocation.notices.iter().map(|n| &n.message[..]).collect();
    document(&[Suite {
        name: invocation.name(),
        file: invocation.models.first().cloned().unwrap_or_default(),
        timestamp: humantime::format_rfc3339_seconds(invocation.start).to_string(),
        time: Some(invocation.time()),
        properties: properties(invocation, outcome),
        cases: cases(invocation, outcome),
        errors: notices.join("\n"),
    }])
}

/// The tests of one run, or of one model of a campaign.
pub(crate) struct Suite {
    pub name: String,
    pub file: String,
    pub timestamp: String,
    /// How long it took; without it, the sum of the times of the tests.
    pub time: Option<Duration>,
    pub properties: Vec<(&'static str, String)>,
    pub cases: Vec<Case>,
    /// What went wrong, apart from the verdicts.
    pub errors: String,
}

/// Suites as one document.
pub(crate) fn document(suites: &[Suite]) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None))).expect(STRINGS);
    let cases = || suites.iter().flat_map(|suite| &suite.cases);
    let time = suites.iter().map(Suite::time).sum();
    let element = writer.create_element("testsuites").with_attribute(("name", "elinvar"));
    let counts = counts(cases(), time);
    let element = element.with_attributes(counts.iter().map(|(name, text)| (*name, &text[..])));
    element
        .write_inner_content(|writer| suites.iter().try_for_each(|suite| suite.write(writer)))
        .expect(STRINGS);
    let mut text = String::from_utf8(writer.into_inner()).expect("it is made of strings");
    text.push('\n');
    text
}

/// How many tests there are and how many are not passed, as attributes.
fn counts<'a>(
    cases: impl Iterator<Item = &'a Case> + Clone,
    time: Duration,
) -> [(&'static str, String); 4] {
    let count = |is_error| {
        let counts = |case: &&Case| case.fault.as_ref().is_some_and(|f| f.is_error == is_error);
        cases.clone().filter(counts).count().to_string()
    };
    [
        ("tests", cases.clone().count().to_string()),
        ("failures", count(false)),
        ("errors", count(true)),
        ("time", seconds(time)),
    ]
}

type Output = Writer<Vec<u8>>;

impl Suite {
    fn time(&self) -> Duration {
        self.time.unwrap_or_else(|| self.cases.iter().map(|case| case.time).sum())
    }

    fn write(&self, writer: &mut Output) -> std::io::Result<()> {
        let counts = counts(self.cases.iter(), self.time());
        let suite = writer
            .create_element("testsuite")
            .with_attributes([
                ("name", &clean(&self.name)[..]),
                ("file", &clean(&self.file)),
                ("timestamp", &clean(&self.timestamp)),
            ])
            .with_attributes(counts.iter().map(|(name, text)| (*name, &text[..])))
            .with_attribute(("skipped", "0"));
        suite.write_inner_content(|writer| {
            self.write_properties(writer)?;
            self.cases.iter().try_for_each(|case| case.write(writer))?;
            element(writer, "system-err", &self.errors)
        })?;
        Ok(())
    }

    fn write_properties(&self, writer: &mut Output) -> std::io::Result<()> {
        writer.create_element("properties").write_inner_content(|writer| {
            for (name, value) in &self.properties {
                let property = writer.create_element("property");
                let attributes = [("name", *name), ("value", &clean(value))];
                property.with_attributes(attributes).write_empty()?;
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// How the run was made, and what it wrote.
fn properties(invocation: &Invocation, outcome: Outcome<'_>) -> Vec<(&'static str, String)> {
    let mut values = vec![
        ("elinvar.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("elinvar.command", invocation.words.join(" ")),
        ("elinvar.exit_code", invocation.exit_code.to_string()),
    ];
    if let Outcome::Checked(report) = outcome {
        values.push(("elinvar.verdict", report.headline()));
        values.push(("elinvar.engine", report.engines()));
        values.extend(report.files.iter().map(|file| ("elinvar.file", path(&file.path))));
    }
    values
}

/// A property as a test.
pub(crate) struct Case {
    pub class: String,
    pub name: String,
    pub time: Duration,
    pub fault: Option<Fault>,
    pub output: String,
}

/// Why a test is not passed.
pub(crate) struct Fault {
    /// Could the test not be completed? Otherwise it failed.
    pub is_error: bool,
    pub kind: &'static str,
    pub message: String,
    pub text: String,
}

impl Case {
    fn write(&self, writer: &mut Output) -> std::io::Result<()> {
        let case = writer.create_element("testcase").with_attributes([
            ("classname", &clean(&self.class)[..]),
            ("name", &clean(&self.name)),
            ("time", &seconds(self.time)),
        ]);
        case.write_inner_content(|writer| {
            if let Some(Fault { is_error, kind, message, text }) = &self.fault {
                let message = clean(message).replace('\n', " ");
                let fault = writer.create_element(if *is_error { "error" } else { "failure" });
                let fault = fault.with_attributes([("type", *kind), ("message", &message[..])]);
                fault.write_text_content(BytesText::new(&clean(text)))?;
            }
            element(writer, "system-out", &self.output)
        })?;
        Ok(())
    }
}

fn cases(invocation: &Invocation, outcome: Outcome<'_>) -> Vec<Case> {
    let alone = |kind, message: String, text: String| Case {
        class: class_of(&invocation.name()),
        name: "check".to_owned(),
        time: invocation.time(),
        fault: Some(Fault { is_error: true, kind, message, text }),
        output: String::new(),
    };
    match outcome {
        Outcome::Checked(report) => {
            let times = times(report);
            let case = |property| case(invocation, report, property, &times);
            report.properties.iter().map(case).collect()
        }
        Outcome::Unread(reason) => {
            let message = format!("The model was not read: {reason}.");
            vec![alone("undecided", message.clone(), message)]
        }
        Outcome::Failed => {
            let errors: Vec<_> = invocation.notices.iter().filter(|n| n.is_error).collect();
            let message = errors.first().map_or("error", |error| &error.message);
            let texts: Vec<String> = (errors.iter())
                .map(|error| format!("{}{}", place(error.location.as_ref()), error.message))
                .collect();
            vec![alone("error", message.to_owned(), texts.join("\n"))]
        }
    }
}

fn case(
    invocation: &Invocation,
    report: &Report,
    property: &PropertyReport,
    times: &HashMap<PropertyId, Duration>,
) -> Case {
    let message = sentence::brief(report, property);
    let kind = match finding(report, property) {
        Finding::Passed | Finding::Remark => None,
        Finding::Fails => Some((false, "assertion")),
        Finding::Unreachable => Some((false, "unreachable")),
        Finding::Undecided => Some((true, "undecided")),
        Finding::Vacuous => invocation.strict.then_some((false, "vacuous")),
    };
    let fault = kind.map(|(is_error, kind)| {
        let text =
            format!("{}{message}\n{}", place(property.location.as_ref()), trace(report, property));
        Fault { is_error, kind, message: message.clone(), text }
    });
    let class = match property.name.rsplit_once('.') {
        Some((scope, _)) => scope.to_owned(),
        None => class_of(&invocation.name()),
    };
    let output = output(property, &message);
    Case { class, name: property.name.clone(), time: times[&property.id], fault, output }
}

/// What is known about a property, by lines.
fn output(property: &PropertyReport, message: &str) -> String {
    let mut lines = vec![format!("{}{message}", place(property.location.as_ref()))];
    lines.extend(property.engine.map(|engine| format!("engine: {engine}")));
    lines.extend(property.depth.map(|depth| format!("depth: {depth}")));
    let file = |WrittenFile { kind, path: file }: &WrittenFile| format!("{kind}: {}", path(file));
    lines.extend(property.files.iter().map(file));
    lines.join("\n")
}

/// The beginning and the end of a trace.
fn trace(report: &Report, property: &PropertyReport) -> String {
    let steps = steps(report, property);
    let line = |step: &Step| match step.line {
        Some(line) => format!("  {line}: {}\n", step.text()),
        None => format!("  {}\n", step.text()),
    };
    if steps.len() <= FIRST + LAST + 1 {
        return steps.iter().map(line).collect();
    }
    let (first, rest) = steps.split_at(FIRST);
    let (gap, last) = rest.split_at(rest.len() - LAST);
    let gap = format!("  … {} steps …\n", gap.len());
    first.iter().map(line).chain([gap]).chain(last.iter().map(line)).collect()
}

/// The time from one verdict to the next, so that the times of a suite add up to its own: the
/// engines work on all properties together.
fn times(report: &Report) -> HashMap<PropertyId, Duration> {
    let mut by_time: Vec<&PropertyReport> = report.properties.iter().collect();
    by_time.sort_by_key(|property| (property.time, property.id));
    let mut last = Duration::ZERO;
    let mut times = HashMap::new();
    for property in by_time {
        times.insert(property.id, property.time - last);
        last = property.time;
    }
    times
}

/// The name of a file without its folders and ending. Servers split class names at dots.
pub(crate) fn class_of(model: &str) -> String {
    let stem = Path::new(model).file_stem().unwrap_or(model.as_ref());
    stem.to_string_lossy().replace('.', "_")
}

/// `fifo.sv:12:5: `
fn place(location: Option<&Location>) -> String {
    match location {
        None => String::new(),
        Some(Location { file, line, column: Some(column), .. }) => {
            format!("{file}:{line}:{column}: ")
        }
        Some(Location { file, line, column: None, .. }) => format!("{file}:{line}: "),
    }
}

fn element(writer: &mut Output, name: &str, text: &str) -> std::io::Result<()> {
    if !text.is_empty() {
        writer.create_element(name).write_text_content(BytesText::new(&clean(text)))?;
    }
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The text without characters that XML 1.0 cannot contain, even escaped.
fn clean(text: &str) -> String {
    let is_allowed = |c: &char| match *c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        other => other >= ' ' && !('\u{7f}'..='\u{9f}').contains(&other),
    };
    text.chars().filter(is_allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(clean("a\u{0}b\u{1b}[1mc\u{85}\u{ffff}\n\td"), "ab[1mc\n\td");
    }

    #[test]
    fn class_names_have_no_dots() {
        assert_eq!(class_of("rtl/fifo.sv"), "fifo");
        assert_eq!(class_of("a.b.btor2"), "a_b");
        assert_eq!(class_of("<stdin>"), "<stdin>");
    }
}
