//! The report as one HTML page, which needs neither other files nor the network.
//!
//! The page has its data as JSON in a script element that is not executed, and the scripts build
//! the page from it with the document's own functions, never from markup; so no name and no source
//! text can become code. A Content-Security-Policy allows only the script and the style of the
//! page, by their hashes, and no connection.
//!
//! The page of a campaign has the same frame, style, table and keys.
//!
//! The waveform is a component of its own: [`waveform`] returns it as a fragment, for notebooks.

mod data;
pub(crate) mod escape;
mod evidence;
mod explanation;
mod runs;
mod sources;
mod waves;

use std::time::SystemTime;

use elinvar_ir::{StopReason, Trace, TransitionSystem};
use serde::Serialize;
use serde_json::Value as Json;

use self::escape::{markup, policy_hash, script_data};
use self::waves::Waveforms;
use crate::report::{Report, Summary};

pub use self::escape::{command_line, sha256};

/// The frame of the page, with places for the rest.
const FRAME: &str = include_str!("page.html");
pub(crate) const PAGE_STYLE: &str = include_str!("page.css");
const WAVE_STYLE: &str = include_str!("wave.css");
/// The script that all others use.
pub(crate) const DOM_SCRIPT: &str = include_str!("dom.js");
/// The scripts of the waveform, then those of the page: later ones use earlier ones.
const WAVE_SCRIPTS: [&str; 4] = [
    DOM_SCRIPT,
    include_str!("wave_data.js"),
    include_str!("wave_draw.js"),
    include_str!("wave.js"),
];
/// The scripts of tables, which the page of a campaign uses as well.
pub(crate) const TABLE_SCRIPTS: [&str; 3] =
    [include_str!("parts.js"), include_str!("table.js"), include_str!("keys.js")];
const PAGE_SCRIPTS: [&str; 2] = [include_str!("detail.js"), include_str!("page.js")];

/// Bytes of the waveform of a fragment.
const FRAGMENT: usize = 4_000_000;

/// What a page says that is not in the report.
#[derive(Clone, Default, Debug)]
pub struct PageOptions {
    /// When the report was made.
    pub made: Option<SystemTime>,
    /// The command line that made the report, which the page shows so that the run can be
    /// repeated.
    pub command: Vec<String>,
    /// The files of the model, as `elinvar verify` takes them. Without any, the page has no
    /// command that checks evidence.
    pub models: Vec<String>,
    /// The options with which `elinvar verify` reads these files.
    pub verify_options: Vec<String>,
}

impl PageOptions {
    /// What the page is about.
    fn title(&self) -> String {
        match &self.models[..] {
            [] => "model".to_owned(),
            [only] => only.clone(),
            [first, rest @ ..] => {
                format!("{first} and {}", crate::readable::count(rest.len(), "other file"))
            }
        }
    }
}

impl Report {
    /// The report as one HTML page.
    ///
    /// ```
    /// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
    /// let report = elinvar::check(&problem, &elinvar::Options::default())?;
    /// let page = report.to_html(&elinvar::page::PageOptions::default());
    /// assert!(page.starts_with("<!doctype html>") && page.contains("Property b0 fails"));
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn to_html(&self, options: &PageOptions) -> String {
        render(&data::of_report(self, options), options)
    }
}

/// The page of a run whose model was not read before a limit was reached.
pub fn unread(reason: &StopReason, options: &PageOptions) -> String {
    let mut data = data::header(Summary::Unknown.word(), options);
    data["sentence"] = format!("The model was not read: {reason}.").into();
    render(&data, options)
}

fn render(data: &Json, options: &PageOptions) -> String {
    let style = format!("{PAGE_STYLE}{WAVE_STYLE}");
    let script = script(WAVE_SCRIPTS.iter().chain(&TABLE_SCRIPTS).chain(&PAGE_SCRIPTS));
    let title = format!("{}: {}", options.title(), data["verdict"].as_str().unwrap_or_default());
    document(&title, style, "", data, script)
}

/// A page with a title, a style, figures as markup, data and a script.
pub(crate) fn document(
    title: &str,
    style: String,
    figures: &str,
    data: &impl Serialize,
    script: String,
) -> String {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        policy_hash(&script),
        policy_hash(&style)
    );
    let parts = [
        ("policy", policy),
        ("title", markup(title)),
        ("style", style),
        ("figures", figures.to_owned()),
        ("data", script_data(data)),
        ("script", script),
    ];
    fill(FRAME, &parts)
}

/// The scripts as one, which defines nothing outside itself.
pub(crate) fn script<'a>(scripts: impl Iterator<Item = &'a &'a str>) -> String {
    let all: String = scripts.copied().collect();
    format!("(() => {{\n\"use strict\";\n{all}}})();\n")
}

/// The frame with texts at the places `{{name}}`. Texts are not looked at again.
fn fill(frame: &str, parts: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("places end with }}");
        let (_, part) = parts.iter().find(|(known, _)| *known == name).expect("places are known");
        text.push_str(before);
        text.push_str(part);
        rest = after;
    }
    text + rest
}

/// The waveform of a trace as a fragment of HTML, for notebooks. The fragment has its style and
/// its script inside a shadow tree, so that several of them can be in one document.
///
/// ```
/// use elinvar::ir::Verdict;
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let Verdict::Unsafe(elinvar::Trace::System(trace)) = &report.properties[0].verdict else {
///     panic!("it toggles")
/// };
/// let fragment = elinvar::page::waveform(problem.as_system()?.system(), trace);
/// assert!(fragment.starts_with("<div") && fragment.contains("\"b0\""));
/// # Ok::<(), elinvar::Error>(())
/// ```
pub fn waveform(system: &TransitionSystem, trace: &Trace) -> String {
    let mut waveforms = Waveforms::new(system, false);
    waveforms.add(trace, FRAGMENT);
    let data = script_data(&waveforms.into_json());
    let mount = "mountFragment(document.currentScript.parentElement);\n";
    let script = script(WAVE_SCRIPTS.iter().chain(&[mount]));
    format!(
        "<div class=\"elinvar-waveform\"><script type=\"application/json\">{data}</script>\
         <template><style>{WAVE_STYLE}</style></template><script>{script}</script></div>"
    )
}

#[cfg(test)]
mod tests;
