//! Evidence on programs in files, and the way back.
//!
//! A certificate is text: locations by their number in the graph of the program, which
//! the same program always has, and what holds there, in Boogie.
//!
//! ```text
//! elinvar program certificate 1
//! property assert at line 16
//! location 4
//! invariant y <= n
//! invariant x == 2 * y
//! ```
//!
//! Empty lines and those that begin with `;` are skipped. A run is JSON: the initial
//! values, those of functions, and the steps with the values that `havoc` gave.

use std::collections::BTreeMap;
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use elinvar_formats::Diagnostic;
use elinvar_formats::boogie::{self, Dialect};
use elinvar_ir::BitVec;
use elinvar_ir::PropertyId;
use elinvar_ir::program::{
    ByZero, EdgeId, Function, FunctionValue, Invariants, LocationId, MapValue, Program,
    ProgramStep, ProgramTrace, Sort, Statement, Term, Terms, Value, Word,
};
use serde_json::{Map, Value as Json, json};

use super::Unusable;
use crate::problem::ProgramProblem;
use crate::property;
use crate::source::Source;

const HEADER: &str = "elinvar program certificate 1";
const RUN: &str = "elinvar program run 1";

/// What a file of evidence claims.
#[expect(clippy::large_enum_variant, reason = "there is only one")]
pub enum Evidence {
    Proof(PropertyId, Invariants),
    Run(ProgramTrace),
}

/// Is it evidence on a program, rather than on a transition system?
pub fn is_evidence(source: &[u8]) -> bool {
    let start = source.trim_ascii_start();
    start.starts_with(b"elinvar program certificate") || start.starts_with(b"{")
}

/// The contents of a certificate file.
pub fn certificate(problem: &ProgramProblem, property: PropertyId, proof: &Invariants) -> String {
    let (program, source) = (problem.program(), problem.source());
    let mut text = format!("{HEADER}\nproperty {}\n", program.property(property).name);
    for (location, clauses) in &proof.at {
        let span = &program.location(*location).span;
        text += &format!("\nlocation {}\n", location.0);
        if !span.is_empty() {
            text += &format!("; {}: {}\n", source.place(span.start), source.excerpt(span));
        }
        for &clause in clauses {
            let clause = boogie::expression(&proof.terms, clause, Dialect::Boogie);
            text += &format!("invariant {clause}\n");
        }
    }
    text
}

/// The contents of a witness file.
pub fn witness(problem: &ProgramProblem, trace: &ProgramTrace) -> Json {
    let (program, source) = (problem.program(), problem.source());
    let named = |name: &str, value: &Value| json!({ "name": name, "value": to_json(value) });
    let initial = program.variables.iter().zip(&trace.initial);
    let initial: Vec<Json> =
        initial.map(|(id, value)| named(program.terms.name(*id), value)).collect();
    let functions = program.terms.functions().iter().zip(&trace.functions);
    let functions: Vec<Json> = functions.map(function_json).collect();
    let steps: Vec<Json> = (trace.steps.iter())
        .map(|step| {
            let span = &program.edge(step.edge).span;
            let line = (!span.is_empty()).then(|| source.line(span.start));
            let values: Vec<Json> = step.values.iter().map(to_json).collect();
            json!({
                "edge": step.edge.0, "line": line, "text": source.excerpt(span), "values": values,
            })
        })
        .collect();
    let mut run = json!({
        "format": RUN,
        "property": program.property(trace.property).name,
        "initial": initial,
        "functions": functions,
        "steps": steps,
    });
    if trace.by_zero != ByZero::default() {
        run["division_by_zero"] = by_zero_json(&trace.by_zero);
    }
    run
}

/// The values of divisions by zero by their dividend, for each operator of Boogie.
fn by_zero_json(by_zero: &ByZero) -> Json {
    let ByZero { divide, modulo, quotient } = by_zero;
    json!({ "div": table_json(divide), "mod": table_json(modulo), "/": table_json(quotient) })
}

fn function_json((function, value): (&Function, &FunctionValue)) -> Json {
    let mut table = table_json(value);
    table["name"] = function.name.clone().into();
    table
}

fn table_json(value: &FunctionValue) -> Json {
    let entries: Vec<Json> = (value.entries.iter())
        .map(|(arguments, result)| {
            let arguments: Vec<Json> = arguments.iter().map(to_json).collect();
            json!([arguments, to_json(result)])
        })
        .collect();
    json!({ "default": to_json(&value.default), "entries": entries })
}

/// Numbers as text, whatever their size.
fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => value.to_string().into(),
        Value::Real(value) => format!("{}/{}", value.numerator(), value.denominator()).into(),
        Value::Word(word) => word.0.to_binary().into(),
        Value::Element(_, number) => (*number).into(),
        Value::Map(map) => {
            let entries: Vec<Json> = (map.entries())
                .map(|(index, element)| json!([to_json(index), to_json(element)]))
                .collect();
            json!({ "default": to_json(map.default_element()), "entries": entries })
        }
    }
}

fn of_json(sort: &Sort, json: &Json) -> Option<Value> {
    Some(match sort {
        Sort::Bool => Value::Bool(json.as_bool()?),
        Sort::Int => Value::Int(json.as_str()?.parse().ok()?),
        Sort::Real => {
            let (numerator, denominator) = json.as_str()?.split_once('/')?;
            let denominator: UBig = denominator.parse().ok()?;
            if denominator == UBig::ZERO {
                return None;
            }
            Value::Real(RBig::from_parts(numerator.parse::<IBig>().ok()?, denominator))
        }
        Sort::Word(width) => {
            let digits = json.as_str().filter(|digits| digits.len() == *width as usize)?;
            Value::Word(Word(BitVec::parse_binary(*width, digits)?))
        }
        Sort::Named(name) => Value::Element(*name, json.as_u64()?),
        Sort::Map(sorts) => {
            let default = of_json(&sorts.1, json.get("default")?)?;
            let mut entries = Vec::new();
            for entry in json.get("entries")?.as_array()? {
                let [index, element] = &entry.as_array()?[..] else { return None };
                entries.push((of_json(&sorts.0, index)?, of_json(&sorts.1, element)?));
            }
            Value::Map(Box::new(MapValue::new(sorts.0.clone(), default, entries)))
        }
    })
}

impl Evidence {
    /// Reads evidence; `chosen` is the property that the user says it is about.
    pub fn read(program: &Program, file: &Source, chosen: Option<&str>) -> Result<Self, Unusable> {
        if file.bytes().trim_ascii_start().starts_with(b"{") {
            let run = read_run(program, file.bytes(), chosen);
            return run.map(Evidence::Run).map_err(|message| {
                Unusable(format!("{} is not a valid run: {message}", file.name()))
            });
        }
        let certificate = file.located(read_certificate(program, file.bytes()));
        let certificate = certificate.map_err(|error| Unusable(error.to_string()))?;
        let property = one(program, chosen.unwrap_or(&certificate.property)).map_err(Unusable)?;
        let invariants = Invariants { terms: Arc::new(certificate.terms), at: certificate.at };
        Ok(Evidence::Proof(property, invariants))
    }
}

fn one(program: &Program, name: &str) -> Result<PropertyId, String> {
    let names: Vec<&str> = program.properties.iter().map(|p| p.name.as_str()).collect();
    property::find(&names, "program", name).map_err(|error| error.to_string())
}

struct Certificate {
    property: String,
    terms: Terms,
    at: BTreeMap<LocationId, Vec<Term>>,
}

fn read_certificate(program: &Program, bytes: &[u8]) -> Result<Certificate, Diagnostic> {
    let source = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Diagnostic::new("the certificate is not text in UTF-8", at..at + 1)
    })?;
    let mut certificate =
        Certificate { property: String::new(), terms: program.terms.clone(), at: BTreeMap::new() };
    let mut location = None;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let (text, span) = (line.trim(), start..start + line.trim_end().len());
        start += line.len();
        let wrong = |message: &str| Diagnostic::new(message, span.clone());
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "elinvar" if text == HEADER => {}
            "elinvar" => return Err(wrong("this version of the format is not known")),
            "property" => certificate.property = rest.to_owned(),
            "location" => {
                let number = rest.parse().map_err(|_| wrong("a location has a number"))?;
                location = Some(LocationId(number));
                certificate.at.entry(LocationId(number)).or_default();
            }
            "invariant" => {
                let at = location.ok_or_else(|| wrong("an invariant is at a location"))?;
                let from = span.end - rest.len();
                let read =
                    boogie::read_expression(&mut certificate.terms, &program.variables, rest);
                let clause = read.map_err(|error| Diagnostic {
                    span: from + error.span.start..from + error.span.end,
                    ..error
                })?;
                certificate.at.entry(at).or_default().push(clause);
            }
            "" => {}
            _ if word.starts_with(';') => {}
            _ => return Err(wrong("expected `property`, `location` or `invariant`")),
        }
    }
    Ok(certificate)
}

fn read_run(program: &Program, bytes: &[u8], chosen: Option<&str>) -> Result<ProgramTrace, String> {
    let json: Json = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if json["format"] != RUN {
        return Err(format!("its format is not `{RUN}`"));
    }
    let object = json.as_object().ok_or("expected a JSON object")?;
    let name = chosen.or_else(|| json["property"].as_str()).ok_or("it names no property")?;
    let initial = array(object, "initial")?;
    let (found, expected) = (initial.len(), program.variables.len());
    if found != expected {
        return Err(format!("it has {found} initial values, expected {expected}"));
    }
    let initial: Result<Vec<Value>, String> = (program.variables.iter().zip(initial))
        .map(|(&variable, entry)| {
            let sort = program.terms.variable_sort(variable);
            let value = of_json(sort, &entry["value"]);
            value.ok_or_else(|| without_value(program.terms.name(variable)))
        })
        .collect();
    let functions = array(object, "functions")?;
    if functions.len() != program.terms.functions().len() {
        return Err("it does not list the program's functions".to_owned());
    }
    let functions: Result<Vec<FunctionValue>, String> =
        (program.terms.functions().iter().zip(functions))
            .map(|(function, entry)| {
                let table = table_of_json(&function.arguments, &function.result, entry);
                table.ok_or_else(|| without_value(&function.name))
            })
            .collect();
    let by_zero = match object.get("division_by_zero") {
        None => ByZero::default(),
        Some(json) => by_zero_of_json(json).ok_or("`division_by_zero` has no values")?,
    };
    let steps: Option<Vec<ProgramStep>> =
        array(object, "steps")?.iter().map(|step| step_of_json(program, step)).collect();
    Ok(ProgramTrace {
        property: one(program, name)?,
        initial: initial?,
        functions: functions?,
        by_zero,
        steps: steps.ok_or("a step has an edge or values that the program does not have")?,
    })
}

fn without_value(name: &str) -> String {
    format!("{name} has no value of its type")
}

fn array<'a>(object: &'a Map<String, Json>, key: &str) -> Result<&'a Vec<Json>, String> {
    let array = object.get(key).and_then(Json::as_array);
    array.ok_or_else(|| format!("it has no array `{key}`"))
}

fn by_zero_of_json(json: &Json) -> Option<ByZero> {
    let table =
        |name: &str, sort: Sort| table_of_json(std::slice::from_ref(&sort), &sort, json.get(name)?);
    let [divide, modulo] = ["div", "mod"].map(|name| table(name, Sort::Int));
    Some(ByZero { divide: divide?, modulo: modulo?, quotient: table("/", Sort::Real)? })
}

fn table_of_json(sorts: &[Sort], result: &Sort, json: &Json) -> Option<FunctionValue> {
    let default = of_json(result, json.get("default")?)?;
    let mut entries = BTreeMap::new();
    for entry in json.get("entries")?.as_array()? {
        let [arguments, value] = &entry.as_array()?[..] else { return None };
        let arguments = arguments.as_array()?;
        if arguments.len() != sorts.len() {
            return None;
        }
        let arguments: Option<Vec<Value>> =
            sorts.iter().zip(arguments).map(|(sort, a)| of_json(sort, a)).collect();
        entries.insert(arguments?, of_json(result, value)?);
    }
    Some(FunctionValue { default, entries })
}

fn step_of_json(program: &Program, json: &Json) -> Option<ProgramStep> {
    let edge = EdgeId(u32::try_from(json["edge"].as_u64()?).ok()?);
    let statement = &program.edges.get(edge.0 as usize)?.statement;
    let values = json["values"].as_array()?;
    let chosen = match statement {
        Statement::Havoc(variables) => &variables[..],
        Statement::Assume(_) | Statement::Assign(_) => &[],
    };
    if values.len() != chosen.len() {
        return None;
    }
    let sorts = chosen.iter().map(|&variable| program.terms.variable_sort(variable));
    let values: Option<Vec<Value>> =
        sorts.zip(values).map(|(sort, value)| of_json(sort, value)).collect();
    Some(ProgramStep { edge, values: values? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_back() {
        let half = Value::Real(RBig::from_parts((-1).into(), 2u8.into()));
        let Value::Map(mut map) = Value::zero(&Sort::map(Sort::Int, Sort::Bool)) else { panic!() };
        map.write(Value::Int((-7).into()), Value::Bool(true));
        let values = [
            (Sort::Bool, Value::Bool(true)),
            (Sort::Int, Value::Int((-12).into())),
            (Sort::Real, half),
            (Sort::Word(3), Value::Word(Word(BitVec::new(3, 5)))),
            (Sort::map(Sort::Int, Sort::Bool), Value::Map(map)),
        ];
        for (sort, value) in &values {
            assert_eq!(of_json(sort, &to_json(value)).as_ref(), Some(value));
        }
        for (sort, json) in [
            (Sort::Int, json!(3)),
            (Sort::Real, json!("1/0")),
            (Sort::Word(3), json!("01")),
            (Sort::Word(3), json!("012")),
            (Sort::map(Sort::Int, Sort::Int), json!({ "default": "0", "entries": [["1"]] })),
        ] {
            assert_eq!(of_json(&sort, &json), None, "{json}");
        }
    }

    #[test]
    fn certificates_are_read_or_pointed_at() {
        let program = boogie::read(b"procedure p() { var x: int; assert x == x; }").unwrap();
        let read = |text: &str| read_certificate(&program, text.as_bytes());
        let good = format!("{HEADER}\nproperty q r\n; c\n\nlocation 1\ninvariant x <= 3\n");
        let certificate = read(&good).unwrap();
        assert_eq!((&certificate.property[..], certificate.at[&LocationId(1)].len()), ("q r", 1));
        for (text, span) in [
            ("elinvar program certificate 2\n", 0..29),
            ("location x\n", 0..10),
            ("invariant true\n", 0..14),
            ("location 1\ninvariant x <= z\n", 26..27),
            ("hello\n", 0..5),
        ] {
            assert_eq!(read(text).err().unwrap().span, span, "{text}");
        }
        assert!(is_evidence(good.as_bytes()) && is_evidence(b" {") && !is_evidence(b"sat\n"));
    }
}
