//! What a run has learned: frames of clauses over the bits of registers.

use std::sync::Arc;

use elinvar::formats::proof;
use elinvar::ir::{PdrState, PropertyStatus, Reach, RegisterLiteral, Sort};
use elinvar::{Error, FileFault};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// Frames and lemmas, for later runs and for people.
#[pyclass(frozen, module = "elinvar._elinvar")]
pub struct Lemmas(pub Arc<PdrState>);

/// A literal: the name of a register, the address in a memory, the bit, and whether it is set.
type Literal = (String, Option<usize>, usize, bool);

#[pymethods]
impl Lemmas {
    /// Reads the contents of a proof file.
    #[staticmethod]
    fn parse(py: Python<'_>, name: &str, text: &[u8]) -> PyResult<Self> {
        let state = proof::read(text).map_err(|diagnostic| {
            errors::exception(py, &Error::Input(FileFault::new(name, text, &diagnostic)))
        })?;
        Ok(Lemmas(Arc::new(state)))
    }

    /// The contents of a proof file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, proof::write(&self.0).as_bytes())
    }

    /// The number of the last frame.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth
    }

    /// The time of the runs in which they were learned.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    fn __len__(&self) -> usize {
        self.0.lemmas.len()
    }

    /// The properties, each with what is known: `safe`, `unsafe`, or the frames without failure.
    fn properties(&self) -> Vec<(String, &'static str, usize)> {
        let known = |status| match status {
            PropertyStatus::Open { clear } => ("open", clear),
            PropertyStatus::Safe => ("safe", 0),
            PropertyStatus::Unsafe => ("unsafe", 0),
        };
        let records = self.0.properties.iter();
        records
            .map(|record| {
                let (status, clear) = known(record.status);
                (record.name.clone(), status, clear)
            })
            .collect()
    }

    /// The clauses, each with the last frame in which it holds, or none if it holds in all.
    fn clauses(&self) -> Vec<(Option<usize>, Vec<Literal>)> {
        let lemmas = self.0.lemmas.iter();
        lemmas
            .map(|lemma| {
                let reach = match lemma.reach {
                    Reach::Frame(frame) => Some(frame),
                    Reach::Always => None,
                };
                (reach, lemma.clause.iter().map(|literal| self.literal(literal)).collect())
            })
            .collect()
    }
}

impl Lemmas {
    fn literal(&self, literal: &RegisterLiteral) -> Literal {
        let register = &self.0.registers[literal.register];
        let name = match &register.name[..] {
            "" => format!("state{}", register.index),
            name => name.to_owned(),
        };
        match register.sort {
            Sort::Bv(_) => (name, None, literal.position, literal.positive),
            Sort::Array { element, .. } => {
                let (address, bit) =
                    (literal.position / element as usize, literal.position % element as usize);
                (name, Some(address), bit, literal.positive)
            }
        }
    }
}
