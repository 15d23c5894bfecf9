//! Reports.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use elinvar::ir::{Certificate, Fact, Role, TransitionSystem, Verdict};
use elinvar::page::PageOptions;
use elinvar::readable::{invariant, program, sentence};
use elinvar::{EvidenceKind, Problem as Question, Proof, PropertyReport, Trace as Run};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::lemmas::Lemmas;
use crate::problem::Problem;
use crate::trace::Trace;

/// The checked answers about a problem.
#[pyclass(frozen, module = "elinvar._elinvar")]
pub struct Report {
    pub report: Arc<elinvar::Report>,
    /// What was asked about.
    pub problem: Py<Problem>,
}

/// A literal of a clause: the name of a register, its bit, and whether it is set.
type Literal = (String, u32, bool);

#[pymethods]
impl Report {
    /// The report as one JSON object.
    fn to_json(&self) -> String {
        self.report.to_json().to_string()
    }

    /// The report as the command line prints it.
    fn text(&self) -> String {
        elinvar_cli::text(&self.report)
    }

    /// The report as one HTML page.
    fn to_html(&self, models: Vec<String>) -> String {
        let options =
            PageOptions { made: Some(SystemTime::now()), models, ..PageOptions::default() };
        self.report.to_html(&options)
    }

    /// The bugs of Elinvar that the run met.
    #[getter]
    fn bugs(&self) -> Vec<String> {
        self.report.bugs.clone()
    }

    /// What was checked.
    #[getter]
    fn problem(&self, py: Python<'_>) -> Py<Problem> {
        self.problem.clone_ref(py)
    }

    /// What the run has learned, if it was asked to keep that.
    #[getter]
    fn lemmas(&self) -> Option<Lemmas> {
        self.report.lemmas.clone().map(Lemmas)
    }

    /// What the verdict on a property says, in a sentence.
    fn sentence(&self, property: usize) -> String {
        sentence::of_property(&self.report, self.property(property))
    }

    /// The counterexample of a property of a system, if there is one.
    fn trace(&self, property: usize) -> Option<Trace> {
        match (&self.property(property).verdict, &self.report.problem) {
            (Verdict::Unsafe(Run::System(trace)), Question::System(problem)) => Some(Trace {
                problem: problem.clone(),
                trace: trace.clone(),
                is_counterexample: true,
            }),
            (Verdict::Unsafe(_) | Verdict::Safe(_) | Verdict::Unknown(_), _) => None,
        }
    }

    /// The contents of an evidence file, if there is evidence of this kind. `path` is where it is
    /// going to be written.
    fn evidence<'py>(
        &self,
        py: Python<'py>,
        property: usize,
        kind: &str,
        path: PathBuf,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let kind = match kind {
            "witness" => EvidenceKind::Witness,
            "certificate" => EvidenceKind::Certificate,
            "vcd" => EvidenceKind::Vcd,
            "fst" => EvidenceKind::Fst,
            "yw" => EvidenceKind::Yw,
            other => return Err(errors::usage(py, format!("unknown kind of evidence: {other}"))),
        };
        let property = self.property(property);
        let bytes = py.detach(|| self.report.evidence(property, kind, &path));
        let bytes = bytes.map_err(|error| errors::exception(py, &error))?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// The lines of an invariant, for people; none if the proof is of another kind.
    fn invariant(&self, property: usize) -> Vec<String> {
        let Verdict::Safe(proof) = &self.property(property).verdict else { return Vec::new() };
        match (proof, &self.report.problem) {
            (Proof::Certificate(proof), Question::System(problem)) => {
                invariant::of_proof(problem.system(), proof)
            }
            (Proof::Invariants(proof), Question::Program(problem)) => {
                let all = program::invariants(problem, [proof]).into_iter();
                let text = |at: &program::LocationInvariant| {
                    at.line.map_or_else(|| at.text.clone(), |line| format!("line {line}"))
                };
                all.flat_map(|at| {
                    let place = text(&at);
                    let clauses: Vec<String> =
                        at.clauses.iter().map(|clause| format!("{place}: {clause}")).collect();
                    clauses
                })
                .collect()
            }
            (Proof::Certificate(_), Question::Program(_))
            | (Proof::Invariants(_), Question::System(_)) => Vec::new(),
        }
    }

    /// The clauses of an invariant over bits; none if the proof is of another kind.
    fn clauses(&self, property: usize) -> Option<Vec<Vec<Literal>>> {
        match (&self.property(property).verdict, &self.report.problem) {
            (Verdict::Safe(Proof::Certificate(proof)), Question::System(problem)) => {
                clauses(problem.system(), proof)
            }
            (Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_), _) => None,
        }
    }
}

impl Report {
    fn property(&self, position: usize) -> &PropertyReport {
        &self.report.properties[position]
    }
}

/// The clauses over bits of registers, if all literals are such.
fn clauses(system: &TransitionSystem, proof: &Certificate) -> Option<Vec<Vec<Literal>>> {
    let name = |state| match system.role_of(state)? {
        Role::State(index) => Some(system.state_name(index)),
        Role::Input(_) => None,
    };
    match proof {
        Certificate::Inductive { clauses } => {
            let clause = |clause: &Vec<elinvar::ir::StateBit>| {
                let literals = clause.iter();
                literals.map(|l| Some((name(l.state)?, l.bit, l.positive))).collect()
            };
            clauses.iter().map(clause).collect()
        }
        Certificate::Facts { clauses } => {
            let literal = |fact: &Fact| match fact {
                Fact::Bit { word, bit, value } if word.element.is_none() => {
                    Some((name(word.state)?, *bit, *value))
                }
                Fact::Bit { .. } | Fact::AtMost { .. } | Fact::Modular { .. } => None,
            };
            clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect()
        }
        Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_) => None,
    }
}
