//! Evidence about transition systems in files, by the format of the model.

use std::path::Path;
use std::time::Duration;

use elinvar_check::{Budget, Refusal};
use elinvar_formats::aiger::{self, AigerModel, Encoding};
use elinvar_formats::certificate::{self as text, Proof, TextCertificate};
use elinvar_formats::model::{self, Format, Model, read_model};
use elinvar_formats::{Diagnostic, btor2};
use elinvar_ir::{
    Certificate, CircuitError, PropertyId, SystemBuilder, Trace, TransitionSystem, Witness,
    WitnessCircuit,
};
use elinvar_transform::bitblast;

use super::Unusable;
use crate::confirm::{contradiction, judge_certificate, relevant_states};
use crate::error::Error;
use crate::problem::verbatim;
use crate::report::Vacuity;
use crate::source::Source;
use crate::{merged, property};

/// The contents of a witness file.
pub fn witness(model: &Model, trace: &Trace) -> Vec<u8> {
    match model {
        Model::Aiger(model) => aiger::write_witness(&model.system, trace).into_bytes(),
        Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
            btor2::write_witness(model.system(), trace).into_bytes()
        }
    }
}

/// Reads a witness file. The trace is complete, but not judged.
pub fn read_witness(model: &Model, source: &[u8]) -> Result<Witness, Diagnostic> {
    match model {
        Model::Aiger(model) => aiger::read_witness(source, &model.system),
        Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
            btor2::read_witness(source, model.system())
        }
    }
}

/// The contents of a certificate file: a circuit in the format of the model,
/// or text where no circuit expresses the proof.
pub fn certificate(
    model: &Model,
    property: PropertyId,
    certificate: &Certificate,
    path: &Path,
) -> Result<Vec<u8>, Error> {
    let system = model.system();
    let circuit = match WitnessCircuit::from_certificate(system, property, certificate) {
        Ok(circuit) => circuit,
        Err(CircuitError::SimplePath | CircuitError::Quantified | CircuitError::TooLarge(_)) => {
            return text_certificate(system, property, certificate);
        }
        Err(error) => return Err(unwritable(error)),
    };
    match model {
        Model::Aiger(model) => {
            let binary = path.extension().is_some_and(|ending| ending == "aig");
            let encoding = if binary { Encoding::Binary } else { Encoding::Ascii };
            let (inputs, states) = (system.inputs().len(), system.states().len());
            let circuit = match certificate {
                // Bits that are added up are words; inputs and states stay where they are.
                Certificate::Facts { .. } => bitblast(&circuit.system, 0).map_err(unwritable)?.0,
                Certificate::Inductive { .. }
                | Certificate::KInductive { .. }
                | Certificate::Formula(_) => circuit.system,
            };
            aiger::write_certificate(&circuit, inputs, states, model, encoding).map_err(unwritable)
        }
        Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
            btor2::write(&circuit.system).map_err(unwritable)
        }
    }
}

/// A checked proof can be written, unless there is a bug.
fn unwritable(error: impl std::fmt::Display) -> Error {
    Error::Bug(format!("the proof cannot be written: {error}"))
}

/// The contents of a text certificate.
pub fn text_certificate(
    system: &TransitionSystem,
    property: PropertyId,
    certificate: &Certificate,
) -> Result<Vec<u8>, Error> {
    let too_large = || Error::usage("the invariant is too large to be written");
    let proof = Proof::of(certificate).ok_or_else(too_large)?;
    let property = property::label(&property::names(system), property);
    text::write(&TextCertificate { property, proof }, system).map_err(unwritable)
}

/// What a file of evidence claims.
pub enum Evidence {
    /// That properties fail.
    Witness(Witness),
    /// That it holds, by a circuit.
    Circuit(PropertyId, Box<WitnessCircuit>),
    /// That it holds, by an induction or an invariant.
    Certificate(PropertyId, Certificate),
}

impl Evidence {
    /// Reads evidence of any kind, told by its content. `chosen` is the property
    /// that the user says it is about.
    pub fn read(
        model: &Model,
        file: &Source,
        chosen: Option<PropertyId>,
    ) -> Result<Self, EvidenceError> {
        let source = file.bytes();
        if text::is_certificate(source) {
            let certificate = file.located(text::read(source))?;
            return of_text(model.system(), certificate, chosen);
        }
        if is_witness(model, source) {
            let mut witness = file.located(read_witness(model, source))?;
            if let Some(property) = chosen {
                // What else the witness claims must be true as well.
                if !witness.properties.contains(&property) {
                    witness.properties.push(property);
                }
            }
            return Ok(Evidence::Witness(witness));
        }
        let circuit = match (model, model::detect(source, Some(file.name()))) {
            (Model::Aiger(model), Some(Format::Aiger)) => aiger_circuit(model, file)?,
            (Model::Btor(_) | Model::Btor2(_) | Model::Basm(_), Some(Format::Btor2)) => {
                let circuit = verbatim(file)?;
                first_shared(circuit.into_system(), model.system())
            }
            (_, Some(format)) => {
                let (name, other) = (file.name(), model.format());
                return Err(Error::Usage(format!(
                    "{name} is a circuit in {format}, which cannot certify a model in {other}"
                ))
                .into());
            }
            (_, None) => {
                let name = file.name();
                return Err(Error::Usage(format!(
                    "{name} is not evidence: it is neither a witness, nor a witness circuit, nor \
                     a certificate"
                ))
                .into());
            }
        };
        let property = match chosen {
            Some(property) => property,
            None => property_of(model.system(), &circuit.system)?,
        };
        Ok(Evidence::Circuit(property, Box::new(circuit)))
    }

    /// Judges the evidence against a system. `simplified` gives another reading of the
    /// same system, which may show that the property depends on fewer states. Returns what
    /// accepting it means, a line for each property.
    pub fn judge(
        &self,
        system: &TransitionSystem,
        simplified: impl FnOnce() -> Option<TransitionSystem>,
        budget: &Budget,
    ) -> Result<String, Refusal> {
        let name = |property: PropertyId| &system.property(property).name;
        match self {
            Evidence::Witness(witness) => {
                let cycles = elinvar_check::witness(system, witness, budget)?;
                let claims = witness.properties.iter().zip(cycles).map(|(&property, cycle)| {
                    let name = name(property);
                    format!("The trace shows that property {name} fails in cycle {cycle}.")
                });
                Ok(claims.collect::<Vec<String>>().join("\n"))
            }
            Evidence::Circuit(property, circuit) => {
                elinvar_check::circuit(system, *property, circuit, budget)?;
                let claim = format!("The circuit proves that property {} holds.", name(*property));
                Ok(with_vacuity(claim, system))
            }
            Evidence::Certificate(property, certificate) => {
                let relevant = || Some(relevant_states(&simplified()?, *property));
                judge_certificate(system, *property, certificate, relevant, budget)?;
                let name = name(*property);
                let claim = format!("The certificate proves that property {name} holds.");
                Ok(with_vacuity(claim, system))
            }
        }
    }
}

/// The claim of a proof, with a line about constraints that contradict each other.
fn with_vacuity(claim: String, system: &TransitionSystem) -> String {
    match contradiction(system, Duration::ZERO) {
        Some(cycle) => format!("{claim}\n{}", Vacuity::Contradiction { cycle }),
        None => claim,
    }
}

/// Is it a proof about all properties of the model together, as competitions want it?
pub fn is_about_all(model: &Model, file: &Source, chosen: Option<&str>) -> bool {
    let properties = model.system().properties();
    let is_ours = |name: &str| {
        name == merged::NAME && properties.len() > 1 && properties.iter().all(|p| p.name != name)
    };
    if let Some(chosen) = chosen {
        return is_ours(chosen);
    }
    let named = if properties.len() < 2 || is_witness(model, file.bytes()) {
        None
    } else if text::is_certificate(file.bytes()) {
        text::read(file.bytes()).ok().map(|certificate| certificate.property)
    } else {
        let circuit = read_model(file.bytes(), Some(file.name())).ok();
        circuit.and_then(|circuit| Some(circuit.system().properties().first()?.name.clone()))
    };
    named.is_some_and(|name| is_ours(&name))
}

/// Why a file is not evidence about the model.
#[derive(Debug)]
pub enum EvidenceError {
    /// The evidence itself is wrong.
    Unusable(Unusable),
    /// It was called in a wrong way.
    Other(Error),
}

impl From<Error> for EvidenceError {
    fn from(error: Error) -> Self {
        match error {
            Error::Input(fault) => EvidenceError::Unusable(Unusable(fault.to_string())),
            error => EvidenceError::Other(error),
        }
    }
}

/// The first line of a witness that is not a comment has the status: `sat` (BTOR2) or `1`
/// (AIGER).
fn is_witness(model: &Model, source: &[u8]) -> bool {
    let lines = source.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_comment = |line: &[u8]| match model {
        Model::Aiger(_) => matches!(line.first(), Some(b'c' | b'u' | b';')),
        Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => line.starts_with(b";"),
    };
    let mut lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
    matches!(lines.next(), Some(b"sat" | b"1"))
}

fn of_text(
    system: &TransitionSystem,
    certificate: TextCertificate,
    chosen: Option<PropertyId>,
) -> Result<Evidence, EvidenceError> {
    let property = match chosen {
        Some(property) => property,
        None => find(system, &certificate.property).map_err(|error| {
            let message = format!("the certificate is not about this model: {error}");
            EvidenceError::Unusable(Unusable(message))
        })?,
    };
    Ok(Evidence::Certificate(property, certificate.proof.into_certificate()))
}

fn aiger_circuit(model: &AigerModel, file: &Source) -> Result<WitnessCircuit, Error> {
    let circuit = file.located(aiger::read_with(file.bytes(), SystemBuilder::verbatim()))?;
    let shared = file.located(aiger::certificate_mapping(&circuit, model))?;
    Ok(WitnessCircuit {
        system: circuit.system,
        shared_inputs: shared.inputs,
        shared_states: shared.latches,
    })
}

/// In BTOR2 the first inputs and states are those of the model.
fn first_shared(circuit: TransitionSystem, model: &TransitionSystem) -> WitnessCircuit {
    let first = |own: usize, theirs: usize| (0..own.min(theirs)).map(|i| (i, i)).collect();
    let shared_inputs = first(circuit.inputs().len(), model.inputs().len());
    let shared_states = first(circuit.states().len(), model.states().len());
    WitnessCircuit { system: circuit, shared_inputs, shared_states }
}

/// The only safety property of the model, or the one that has the name of the circuit's.
fn property_of(model: &TransitionSystem, circuit: &TransitionSystem) -> Result<PropertyId, Error> {
    const SEVERAL: &str = "the model has several properties; choose one with --property";
    let safety: Vec<PropertyId> = model.bads().map(|(id, _)| id).collect();
    match (&safety[..], circuit.properties()) {
        ([], _) => Err(Error::usage("the model has no safety property")),
        ([only], _) => Ok(*only),
        (_, [named]) => {
            find(model, &named.name).map_err(|error| Error::Usage(format!("{SEVERAL}: {error}")))
        }
        (_, _) => Err(Error::usage(SEVERAL)),
    }
}

fn find(system: &TransitionSystem, text: &str) -> Result<PropertyId, Error> {
    property::find(&property::names(system), "model", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::as_model;
    use elinvar_ir::{Fact, LinearTerm, Reading, Word};
    use elinvar_models::Counter;

    fn at_most(words: &[Word], bound: i32) -> Certificate {
        let term = |word: &Word| LinearTerm {
            coefficient: 1.into(),
            word: word.clone(),
            reading: Reading::Unsigned,
        };
        let terms = words.iter().map(term).collect();
        Certificate::Facts { clauses: vec![vec![Fact::AtMost { terms, bound: bound.into() }]] }
    }

    fn words(system: &TransitionSystem) -> Vec<Word> {
        system.states().iter().map(|s| Word { state: s.symbol, element: None }).collect()
    }

    /// Writes the proof, reads it and judges it.
    fn verify(model: &Model, proof: &Certificate, name: &str) -> Result<(), Refusal> {
        let bytes = certificate(model, PropertyId(0), proof, Path::new(name)).unwrap();
        let file = Source::new(name, bytes);
        let evidence = Evidence::read(model, &file, None).unwrap();
        assert!(matches!(evidence, Evidence::Circuit(..)));
        evidence.judge(model.system(), || None, &Budget::default()).map(|_| ())
    }

    /// Two latches of which one is set at a time.
    #[test]
    fn sums_of_bits_are_written_as_gates() {
        let model = aiger::read(b"aag 3 0 2 0 1 1\n2 3\n4 2\n6\n6 4 2\n").unwrap();
        let (model, words) = (Model::Aiger(model.clone()), words(&model.system));
        assert_eq!(verify(&model, &at_most(&words, 1), "sum.aag"), Ok(()));
        assert_eq!(verify(&model, &at_most(&words, 1), "sum.aig"), Ok(()));
        assert_eq!(verify(&model, &at_most(&words, 0), "sum.aag"), Err(Refusal::CircuitInduction));
    }

    /// Facts become a circuit over words, which is accepted only if they prove something.
    #[test]
    fn facts_are_written_as_circuits() {
        let mut b = Counter::new(2).not(3).into_builder();
        b.states[0].next = Some(b.states[0].symbol);
        let system = b.finish().unwrap();
        let words = words(&system);
        let model = as_model(system);
        assert_eq!(verify(&model, &at_most(&words, 2), "fact.btor2"), Ok(()));
        let wrong = verify(&model, &at_most(&words, -1), "fact.btor2");
        assert_eq!(wrong, Err(Refusal::CircuitBase));
    }

    #[test]
    fn witnesses_are_told_by_their_first_line() {
        let words = as_model(Counter::new(2).not(3));
        let bits = Model::Aiger(aiger::read(b"aag 0 0 0 1 0\n0\n").unwrap());
        let is_either = |text: &[u8]| is_witness(&words, text) || is_witness(&bits, text);
        assert!(is_witness(&words, b"sat\nb0\n") && is_witness(&bits, b"1\nb0\n"));
        assert!(is_witness(&words, b"; comment\n\n sat \r\n"));
        assert!(is_witness(&bits, b"c comment\nu0\n1\nb0\n"));
        assert!(!is_either(b"1 sort bitvec 1\n") && !is_either(b"") && !is_either(b"satisfied"));
    }
}
