//! What a page shows, as one JSON object, which the scripts of the page read.

use std::collections::HashMap;
use std::time::UNIX_EPOCH;

use elinvar_ir::program::{ProgramTrace, VariableId};
use elinvar_ir::{Certificate, Verdict};
use serde_json::{Value as Json, json};

use super::PageOptions;
use super::escape::{command_line, cost};
use super::evidence::Evidence;
use super::explanation::Explanations;
use super::sources::Sources;
use super::waves::Waveforms;
use crate::problem::{Problem, ProgramProblem};
use crate::readable::{count, invariant, program, sentence, story, value};
use crate::report::{Proof, PropertyReport, Report, Trace, WrittenFile};
use crate::source::shorten;
use crate::vacuity::Vacuity;

/// Bytes of all waveforms.
const WAVEFORMS: usize = 3_000_000;
/// Bytes that the waveform of every trace may have.
const RESERVED: usize = 3_000;
/// Bytes that a waveform may have while enough is left for the others.
const GENEROUS: usize = 150_000;
/// Statements of all runs of programs.
const STATEMENTS: usize = 20_000;
/// Bytes of all invariants.
const INVARIANTS: usize = 400_000;
/// Properties that the sentence about all of them names.
const NAMES: usize = 8;
/// The longest value of a program.
const VALUE: usize = 200;

/// The data of a whole report.
pub(super) fn of_report(report: &Report, options: &PageOptions) -> Json {
    let mut writer = Writer::new(report, options);
    let properties: Vec<Json> = report.properties.iter().map(|p| writer.property(p)).collect();
    let mut object = header(report.summary().word(), options);
    object["headline"] = report.headline().into();
    object["sentence"] = sentence::of_report(report, NAMES).into();
    object["remarks"] = remarks_of_report(report).into();
    object["facts"] = facts(report);
    object["combinational"] = report.is_combinational().into();
    object["properties"] = properties.into();
    object["sources"] = writer.sources.into_json(&report.problem);
    object["waveforms"] = writer.waveforms.map_or(Json::Null, Waveforms::into_json);
    object["statistics"] = report.statistics.tables(report.checking).trim_end().into();
    object
}

/// What every page has, also one about a model that was not read.
pub(super) fn header(verdict: &str, options: &PageOptions) -> Json {
    let made = options.made.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": verdict,
        "headline": verdict,
        "sentence": "",
        "remarks": [],
        "title": options.title(),
        "command": command_line(&options.command),
        "made": made.map(|time| time.as_millis() as u64),
        "facts": [],
        "combinational": false,
        "properties": [],
        "sources": [],
        "waveforms": null,
        "statistics": "",
    })
}

/// Pairs of a word and what it stands for, below the headline.
fn facts(report: &Report) -> Json {
    let seconds = |time: std::time::Duration| format!("{:.2} s", time.as_secs_f64());
    let mut facts = vec![
        ("Engine", report.engines()),
        ("Time", format!("{} ({} checking)", seconds(report.time), seconds(report.checking))),
    ];
    if let Some(elaboration) = report.elaboration() {
        let program = elaboration.yosys.to_string_lossy();
        facts.push(("Elaborated by", format!("{program} in {}", seconds(elaboration.time))));
        facts.extend(elaboration.clock.clone().map(|clock| ("Clock", clock)));
    }
    if let Some(dialect) = report.dialect() {
        facts.push(("Dialect", dialect.name().to_owned()));
    }
    if let Some(timeout) = report.options.timeout {
        facts.push(("Time limit", seconds(timeout)));
    }
    if let Problem::System(problem) = &report.problem {
        let system = problem.system();
        let (inputs, registers) = (system.inputs().len(), system.states().len());
        let size = format!("{}, {}", count(inputs, "input"), count(registers, "register"));
        facts.push(("Model", size));
    }
    facts.iter().map(|(what, text)| json!([what, text])).collect()
}

/// What the user should know about the whole run.
fn remarks_of_report(report: &Report) -> Vec<String> {
    let bugs = report.bugs.iter().map(|bug| format!("Internal error: {bug}"));
    let warnings = report.warnings.iter().map(|warning| format!("Warning: {warning}"));
    bugs.chain(warnings).chain(sentence::known_run(report)).collect()
}

/// Writes properties, with what is left of the budgets.
struct Writer<'a> {
    report: &'a Report,
    options: &'a PageOptions,
    sources: Sources,
    evidence: Evidence,
    explanations: Explanations,
    waveforms: Option<Waveforms<'a>>,
    /// The waveforms of these traces are still to be written, in so many bytes.
    traces_left: usize,
    bytes_left: usize,
    /// Statements of a run.
    statements: usize,
    invariants_left: usize,
    /// Invariants that several properties share are written with the first of them.
    invariants: HashMap<String, usize>,
}

impl<'a> Writer<'a> {
    fn new(report: &'a Report, options: &'a PageOptions) -> Self {
        let is_trace = |p: &&PropertyReport| matches!(p.verdict, Verdict::Unsafe(_));
        let traces = report.properties.iter().filter(is_trace).count();
        let waveforms = match &report.problem {
            Problem::System(problem) if traces > 0 => {
                Some(Waveforms::new(problem.system(), report.options.concrete_waveforms))
            }
            Problem::System(_) | Problem::Program(_) => None,
        };
        Writer {
            report,
            options,
            sources: Sources::default(),
            evidence: Evidence::default(),
            explanations: Explanations::new(),
            waveforms,
            traces_left: traces,
            bytes_left: WAVEFORMS,
            statements: (STATEMENTS / traces.max(1)).clamp(40, 2000),
            invariants_left: INVARIANTS,
            invariants: HashMap::new(),
        }
    }

    fn property(&mut self, property: &PropertyReport) -> Json {
        let report = self.report;
        let word = property.summary().word();
        let mut object = json!({
            "number": property.id.0,
            "name": property.name,
            "kind": property.kind.name(),
            "verdict": if property.is_vacuous() { "vacuous" } else { word },
            "word": word,
            "engine": property.engine,
            "seconds": property.time.as_secs_f64(),
            "depth": property.depth,
            "sentence": sentence::of_property(report, property),
            "remarks": property.vacuity.as_ref().map_or_else(Vec::new, remarks),
            "files": property.files.iter().map(file).collect::<Vec<Json>>(),
            "evidence": self.evidence.json(report, property, self.options),
        });
        if let Some(location) = &property.location {
            self.sources.add(&location.file, location.line);
            object["file"] = location.file.clone().into();
            object["line"] = location.line.into();
            object["column"] = json!(location.column);
        }
        match &property.verdict {
            Verdict::Safe(proof) => {
                object["proof"] = sentence::proof(proof).into();
                object["invariant"] = self.invariant(property, proof);
            }
            Verdict::Unsafe(trace) => self.trace(trace, &mut object),
            Verdict::Unknown(_) => {}
        }
        object["explanation"] = self.explanations.json(report, property, &mut self.sources);
        object
    }

    fn trace(&mut self, trace: &Trace, object: &mut Json) {
        match (trace, &self.report.problem) {
            (Trace::System(trace), Problem::System(_)) => {
                let waveforms = self.waveforms.as_mut().expect("there is a trace of a system");
                let (number, size) = waveforms.add(trace, share(self.bytes_left, self.traces_left));
                self.bytes_left = self.bytes_left.saturating_sub(size);
                self.traces_left -= 1;
                object["trace"] = number.into();
            }
            (Trace::Program(trace), Problem::Program(problem)) => {
                object["run"] = self.run(problem, trace);
            }
            (Trace::System(_) | Trace::Program(_), _) => {
                unreachable!("traces are about the problem of the report")
            }
        }
    }

    /// The statements of a run as `[LINE, TEXT, VALUES]`. Of long runs, the beginning and the end.
    fn run(&mut self, problem: &ProgramProblem, trace: &ProgramTrace) -> Json {
        let mut rows = story::rows(problem, trace);
        rows.retain(|row| row.line.is_some() || !row.values.is_empty());
        let half = self.statements / 2;
        let left_out = rows.len().saturating_sub(2 * half);
        if left_out > 0 {
            rows.drain(half..half + left_out);
        }
        let terms = &problem.program().terms;
        let assigned = |(variable, assigned): &(VariableId, _)| {
            let text = shorten(&value::text(terms, assigned), VALUE);
            format!("{} = {text}", terms.name(*variable))
        };
        let file = problem.source().name();
        let rows: Vec<Json> = (rows.iter())
            .map(|row| {
                row.line.iter().for_each(|&line| self.sources.add(file, line));
                let values: Vec<String> = row.values.iter().map(assigned).collect();
                json!([row.line, row.text, values.join(", ")])
            })
            .collect();
        json!({ "file": file, "rows": rows, "gap": half, "left_out": left_out })
    }

    /// What the proof says in words, by place; or the number of the property that says the same.
    fn invariant(&mut self, property: &PropertyReport, proof: &Proof) -> Json {
        let places = match (proof, &self.report.problem) {
            (Proof::Certificate(Certificate::Facts { clauses }), problem) => {
                let Ok(problem) = problem.as_system() else { return Json::Null };
                let lines = invariant::lines(problem.system(), clauses);
                vec![json!({ "line": null, "text": null, "clauses": lines })]
            }
            (Proof::Invariants(proof), Problem::Program(problem)) => {
                let places = program::invariants(problem, [proof]);
                let file = problem.source().name();
                places.iter().map(|at| self.place(file, at)).collect()
            }
            (Proof::Certificate(_) | Proof::Invariants(_), _) => return Json::Null,
        };
        let text = Json::from(places.clone()).to_string();
        if let Some(&other) = self.invariants.get(&text) {
            return json!({ "same": other });
        }
        let size = cost(&text);
        if size > self.invariants_left {
            return json!({ "left_out": true });
        }
        self.invariants_left -= size;
        self.invariants.insert(text, property.id.0);
        json!({ "places": places })
    }

    fn place(&mut self, file: &str, at: &program::LocationInvariant) -> Json {
        at.line.iter().for_each(|&line| self.sources.add(file, line));
        let keyword = at.keyword();
        let clauses: Vec<String> =
            at.clauses.iter().map(|clause| format!("{keyword} {clause};")).collect();
        let text = if at.line.is_some() { &at.text } else { &at.procedure };
        json!({ "file": file, "line": at.line, "text": text, "clauses": clauses })
    }
}

/// The bytes for the next of some traces: an equal part, or more if enough is left for the others.
/// Few traces are large, and traces of the same model share many of their values.
fn share(bytes: usize, traces: usize) -> usize {
    let spare = bytes.saturating_sub(traces * RESERVED);
    (bytes / traces).max(spare.min(GENEROUS))
}

/// Why a proof says less than it seems to.
fn remarks(vacuity: &Vacuity) -> Vec<String> {
    let label = if vacuity.is_remark() { "Note" } else { "Vacuous" };
    std::iter::once(format!("{label}: {vacuity}.")).chain(vacuity.consequence()).collect()
}

fn file(file: &WrittenFile) -> Json {
    json!([file.kind, file.path.to_string_lossy()])
}
