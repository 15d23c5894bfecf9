//! The report as one JSON object, for scripts. Keys may be added, never renamed; the schema
//! is in `docs/report.schema.json`.

use elinvar_check::Runs;
use elinvar_engines::Statistics;
use elinvar_ir::program::{Invariants, ProgramTrace, Terms, Value as ProgramValue};
use elinvar_ir::{Certificate, Place, Sort, TransitionSystem, Value, Verdict};
use serde_json::{Map, Value as Json, json};

use crate::explain::{Explanation, Line, Section};
use crate::options::{Method, Options, Shortening};
use crate::problem::{Problem, ProgramProblem};
use crate::readable::nets::{self, Kind, Net};
use crate::readable::waves::Waves;
use crate::readable::{invariant, program, story, value};
use crate::report::{Location, Proof, PropertyReport, Report, Summary, Trace, WrittenFile};
use crate::rtl::Elaboration;
use crate::vacuity::{Assumption, Conflict, Vacuity};

/// The version of the schema that reports follow.
pub const SCHEMA: &str = "elinvar-report-1";

/// The object with which every report begins.
///
/// ```
/// let header = elinvar::json_header(elinvar::Summary::Safe, None);
/// assert_eq!(header["schema"], elinvar::SCHEMA);
/// ```
pub fn header(summary: Summary, reason: Option<String>) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("schema".into(), SCHEMA.into());
    object.insert("version".into(), env!("CARGO_PKG_VERSION").into());
    object.insert("verdict".into(), summary.word().into());
    object.insert("reason".into(), json!(reason));
    object
}

impl Report {
    /// The report as a JSON object.
    ///
    /// ```
    /// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
    /// let report = elinvar::check(&problem, &elinvar::Options::default())?;
    /// assert_eq!(report.to_json()["properties"][0]["depth"], 1);
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn to_json(&self) -> Json {
        let properties: Vec<Json> = self.properties.iter().map(|p| property(self, p)).collect();
        let mut object = header(self.summary(), self.reason().map(ToString::to_string));
        object.insert("engine".into(), self.engine.into());
        if let Some(dialect) = self.dialect() {
            object.insert("dialect".into(), dialect.name().into());
        }
        if let Some(elaboration) = self.elaboration() {
            object.insert("design".into(), design(elaboration));
        }
        object.insert("options".into(), options(&self.options));
        object.insert("seconds".into(), self.time.as_secs_f64().into());
        object.insert("check_seconds".into(), self.checking.as_secs_f64().into());
        object.insert("vacuity_seconds".into(), self.vacuity_time.as_secs_f64().into());
        object.insert("assumptions".into(), json!(self.runs.as_ref().map(assumptions)));
        object.insert("properties".into(), properties.into());
        if let Problem::System(problem) = &self.problem {
            object.insert("maps".into(), problem.map_files().into());
        }
        object.insert("warnings".into(), self.warnings.clone().into());
        object.insert("files".into(), files(&self.files));
        object.insert("reuse".into(), reuse(self));
        object.insert("statistics".into(), self.statistics.to_json());
        object.into()
    }
}

/// How the model was made from a design.
fn design(elaboration: &Elaboration) -> Json {
    json!({
        "yosys": elaboration.yosys.to_string_lossy(),
        "seconds": elaboration.time.as_secs_f64(),
        "clock": elaboration.clock,
    })
}

/// The options that a user can set.
fn options(options: &Options) -> Json {
    let threads = match options.method {
        Method::Race(threads) => threads,
        Method::Auto | Method::System(_) | Method::Schedule(_) | Method::Program(_) => 1,
    };
    json!({
        "engine": options.method.name(),
        "threads": threads,
        "property": options.properties.first(),
        "properties": options.properties,
        "timeout": options.timeout.map(|timeout| timeout.as_secs_f64()),
        "memory": options.memory,
        "seed": options.seed,
        "minimize": options.minimize,
        "shortest": options.shortening == Shortening::Full,
    })
}

/// What became of the lemmas of an earlier run.
fn reuse(report: &Report) -> Json {
    let Some(reuse) = report.statistics.reuse() else { return Json::Null };
    let mut object = Statistics::json(&reuse);
    object["seconds"] = report.time.as_secs_f64().into();
    object["before_seconds"] = json!(report.earlier_seconds);
    object
}

fn property(report: &Report, property: &PropertyReport) -> Json {
    let mut object = Map::new();
    object.insert("name".into(), property.name.clone().into());
    object.insert("index".into(), property.id.0.into());
    object.insert("kind".into(), property.kind.name().into());
    object.insert("location".into(), json!(property.location.as_ref().map(location)));
    if let Some(location) = &property.location {
        object.insert("line".into(), location.line.into());
    }
    object.insert("verdict".into(), property.summary().word().into());
    object.insert("vacuous".into(), property.is_vacuous().into());
    if let Some(found) = &property.vacuity {
        vacuity(found, &mut object);
    }
    object.insert("depth".into(), json!(property.depth));
    object.insert("seconds".into(), property.time.as_secs_f64().into());
    object.insert("engine".into(), json!(property.engine));
    let source = property.verdict.is_decided().then(|| property.source.name());
    object.insert("source".into(), json!(source));
    object.insert("cycles_without_failure".into(), property.excluded.into());
    if let Some(explanation) = &property.explanation {
        object.insert("explanation".into(), explained(explanation));
    }
    object.insert("files".into(), files(&property.files));
    evidence(report, &property.verdict, &mut object);
    if let (Verdict::Unsafe(Trace::System(_)), Some(trace)) =
        (&property.verdict, object.get_mut("trace"))
    {
        trace["shortest"] = property.is_shortest.into();
    }
    object.into()
}

/// The kinds and the paths of files that were written.
pub fn files(written: &[WrittenFile]) -> Json {
    let file =
        |file: &WrittenFile| json!({ "kind": file.kind, "path": file.path.to_string_lossy() });
    written.iter().map(file).collect::<Vec<Json>>().into()
}

/// How long the runs are that the constraints allow.
fn assumptions(runs: &Runs) -> Json {
    let (cycles, endless) = match runs {
        Runs::Endless => (None, true),
        Runs::AtLeast(cycles) => (Some(*cycles), false),
        Runs::Contradiction(found) => (Some(found.cycle), false),
    };
    json!({ "cycles": cycles, "endless": endless })
}

/// Why a proof says less than it seems to.
fn vacuity(vacuity: &Vacuity, object: &mut Map<String, Json>) {
    let mut details = json!({ "kind": vacuity.kind() });
    match vacuity {
        Vacuity::Contradiction(Conflict { cycle, assumptions, minimal }) => {
            object.insert("contradiction".into(), (*cycle).into());
            details["cycle"] = (*cycle).into();
            details["minimal"] = (*minimal).into();
            details["constraints"] = assumptions.iter().map(assumption).collect();
        }
        Vacuity::DeadProcedures(names) => {
            object.insert("dead_procedures".into(), names.clone().into());
        }
        Vacuity::Antecedent => {
            object.insert("antecedent".into(), "never holds".into());
        }
        Vacuity::DeadAssumptions(places) => {
            details["locations"] = places.iter().map(location).collect();
        }
        Vacuity::Unreached => {}
    }
    object.insert("vacuity".into(), details);
}

fn assumption(Assumption { index, origin }: &Assumption) -> Json {
    let place = |place: &Place| json!({ "file": *place.file, "line": place.line });
    json!({ "index": index, "name": origin.name, "location": origin.place.as_ref().map(place) })
}

fn explained(explanation: &Explanation) -> Json {
    let line = |line: &Line| {
        let Line { cycle, location: place, text, signals } = line;
        let place = place.as_ref().map(location);
        json!({ "cycle": cycle, "location": place, "text": text, "signals": signals })
    };
    let section = |section: &Section| {
        let lines: Vec<Json> = section.lines.iter().map(line).collect();
        json!({ "title": section.title, "lines": lines })
    };
    explanation.sections.iter().map(section).collect()
}

fn location(location: &Location) -> Json {
    let Location { file, line, column, text } = location;
    json!({ "file": file, "line": line, "column": column, "text": text })
}

fn evidence(report: &Report, verdict: &Verdict<Proof, Trace>, object: &mut Map<String, Json>) {
    match (verdict, &report.problem) {
        (Verdict::Unknown(reason), _) => {
            object.insert("reason".into(), reason.to_string().into());
        }
        (Verdict::Safe(Proof::Certificate(proof)), Problem::System(problem)) => {
            object.insert("certificate".into(), certificate(problem.system(), proof));
        }
        (Verdict::Unsafe(Trace::System(run)), Problem::System(problem)) => {
            object.insert("trace".into(), trace(problem.system(), run));
        }
        (Verdict::Safe(Proof::Invariants(proof)), Problem::Program(problem)) => {
            object.insert("certificate".into(), locations(proof));
            object.insert("invariant".into(), location_invariants(problem, proof));
        }
        (Verdict::Safe(Proof::Certificate(proof)), Problem::Program(problem)) => {
            let lowered = problem.lowered().expect("the proof is about the lowered program");
            object.insert("certificate".into(), certificate(lowered.system(), proof));
        }
        (Verdict::Unsafe(Trace::Program(run)), Problem::Program(problem)) => {
            object.insert("trace".into(), program_trace(problem, run));
        }
        (Verdict::Safe(Proof::Invariants(_)) | Verdict::Unsafe(_), _) => {
            unreachable!("evidence is about the problem of the report")
        }
    }
}

/// What kind of proof it is, and how large; of facts also what they say.
pub fn certificate(system: &TransitionSystem, certificate: &Certificate) -> Json {
    match certificate {
        Certificate::Inductive { clauses } => json!({
            "kind": "inductive",
            "clauses": clauses.len(),
            "literals": clauses.iter().map(Vec::len).sum::<usize>(),
        }),
        Certificate::Facts { clauses } => json!({
            "kind": "facts",
            "clauses": clauses.len(),
            "literals": clauses.iter().map(Vec::len).sum::<usize>(),
            "invariant": invariant::lines(system, clauses),
        }),
        Certificate::KInductive { k, simple_path } => json!({
            "kind": "k-inductive",
            "k": k,
            "simple_path": simple_path,
        }),
        Certificate::Formula(formula) => json!({
            "kind": "formula",
            "nodes": formula.size(),
        }),
        Certificate::Ranking(ranking) => json!({
            "kind": "ranking",
            "nodes": ranking.size(),
            "observers": ranking.observers.len(),
        }),
    }
}

/// The inputs and states that the property depends on, the nearest first.
pub fn trace(system: &TransitionSystem, trace: &elinvar_ir::Trace) -> Json {
    let waves = Waves::of_trace(system, trace, None, dependences(system, trace));
    let signals = waves.signals.iter().map(|signal| {
        let kind = match signal.net.kind {
            Kind::Clock | Kind::Input => "input",
            Kind::Register => "state",
            Kind::Wire | Kind::Property => unreachable!("neither an input nor a state"),
        };
        let values: Vec<Json> = signal.values.iter().map(value).collect();
        let mut object = json!({ "name": signal.net.name, "kind": kind });
        match signal.net.sort(system) {
            Sort::Bv(width) => object["width"] = width.into(),
            Sort::Array { index, element } => {
                object["width"] = element.into();
                object["index_width"] = index.into();
            }
        }
        object["values"] = values.into();
        object
    });
    json!({
        "cycles": waves.cycles,
        "loop_start": waves.loop_start,
        "signals": signals.collect::<Vec<Json>>(),
    })
}

fn dependences(system: &TransitionSystem, trace: &elinvar_ir::Trace) -> Vec<Net> {
    let mut nets = nets::all(system);
    nets::measure(system, &nets::roots(system, trace.property), &mut nets);
    nets.retain(|net| net.distance.is_some() && net.kind != Kind::Wire);
    nets.sort_by_key(|net| net.distance);
    nets
}

/// Binary digits; for an array its default and the elements that differ.
fn value(value: &Value) -> Json {
    match value {
        Value::Bv(bits) => bits.to_binary().into(),
        Value::Array(array) => {
            let elements: Map<String, Json> =
                array.entries().map(|(i, e)| (i.to_binary(), e.to_binary().into())).collect();
            json!({ "default": array.default_element().to_binary(), "elements": elements })
        }
    }
}

/// The size of a proof about a program.
fn locations(proof: &Invariants) -> Json {
    let clauses = || proof.at.values().flatten();
    let literals: usize = clauses().map(|&clause| proof.terms.disjuncts(clause).len()).sum();
    json!({
        "kind": "locations",
        "locations": proof.at.len(),
        "clauses": clauses().count(),
        "literals": literals,
    })
}

fn location_invariants(problem: &ProgramProblem, proof: &Invariants) -> Json {
    let entries = program::invariants(problem, [proof]).into_iter();
    entries.map(|at| json!({ "line": at.line, "text": at.text, "clauses": at.clauses })).collect()
}

/// All statements of a run, the start first.
fn program_trace(problem: &ProgramProblem, trace: &ProgramTrace) -> Json {
    let terms = &problem.program().terms;
    let rows = story::rows(problem, trace).into_iter().map(|row| {
        let values: Map<String, Json> = (row.values.iter())
            .map(|(variable, value)| (terms.name(*variable).to_owned(), number(terms, value)))
            .collect();
        json!({ "line": row.line, "text": row.text, "values": values })
    });
    rows.collect()
}

/// Truth values and small integers as such, all else as text.
fn number(terms: &Terms, number: &ProgramValue) -> Json {
    match number {
        ProgramValue::Bool(value) => (*value).into(),
        ProgramValue::Int(number) => match i64::try_from(number) {
            Ok(number) => number.into(),
            Err(_) => number.to_string().into(),
        },
        ProgramValue::Real(_)
        | ProgramValue::Word(_)
        | ProgramValue::Element(..)
        | ProgramValue::Map(_) => value::text(terms, number).into(),
    }
}
