//! Evidence about transition systems in files, by the format of the model.

use std::path::Path;
use std::time::Instant;

use elinvar_check::{Budget, Refusal, Violation};
use elinvar_formats::aiger::Encoding;
use elinvar_formats::certificate::{self as text, Proof, TextCertificate};
use elinvar_formats::model::{Model, detect, read_model};
use elinvar_ir::{
    Certificate, CircuitError, ExprId, Goal, Intervention, Property, PropertyId, PropertyKind,
    Role, TransitionSystem, Witness, WitnessCircuit,
};
use elinvar_transform::{BlastError, bitblast};

use super::Unusable;
use crate::confirm::{judge_certificate, relevant_states};
use crate::error::Error;
use crate::readable::sentence::repeated;
use crate::source::Source;
use crate::vacuity::Vacuity;
use crate::{merged, property, vacuity};

/// The contents of a certificate file: a circuit in the format of the model,
/// or text where no circuit expresses the proof.
pub fn certificate(
    model: &Model,
    property: PropertyId,
    certificate: &Certificate,
    path: &Path,
) -> Result<Vec<u8>, Error> {
    let system = model.system();
    if matches!(certificate, Certificate::Ranking(_)) && model.format().has_words() {
        return text_certificate(system, property, certificate);
    }
    let circuit = match WitnessCircuit::from_certificate(system, property, certificate) {
        Ok(circuit) => circuit,
        Err(CircuitError::SimplePath | CircuitError::Quantified | CircuitError::TooLarge(_)) => {
            return text_certificate(system, property, certificate);
        }
        Err(error) => return Err(unwritable(error)),
    };
    let is_binary = path.extension().is_some_and(|ending| ending == "aig");
    let encoding = if is_binary { Encoding::Binary } else { Encoding::Ascii };
    let is_of_words = match certificate {
        // Bits that are added up are words, and a ranking may compare words.
        Certificate::Facts { .. } | Certificate::Ranking(_) => true,
        Certificate::Inductive { .. }
        | Certificate::KInductive { .. }
        | Certificate::Formula(_) => false,
    };
    let circuit = if is_of_words && !model.format().has_words() {
        of_bits(circuit).map_err(unwritable)?
    } else {
        circuit
    };
    model.write_certificate(&circuit, encoding).map_err(unwritable)
}

/// A circuit for a model of bits with bits in place of words. What is shared consists of bits
/// and comes first, so it stays where it is.
fn of_bits(circuit: WitnessCircuit) -> Result<WitnessCircuit, BlastError> {
    let old = &circuit.system;
    let system = bitblast(old, 0)?.0;
    let width = |symbol: ExprId| old.pool().sort(symbol).width().unwrap_or(0) as usize;
    let bits = |symbol: ExprId| -> Vec<ExprId> {
        match old.role_of(symbol).expect("interventions are about symbols") {
            Role::Input(index) => {
                let first = old.inputs()[..index].iter().map(|input| width(input.symbol)).sum();
                system.inputs()[first..][..width(symbol)].iter().map(|it| it.symbol).collect()
            }
            Role::State(index) => {
                let first = old.states()[..index].iter().map(|state| width(state.symbol)).sum();
                system.states()[first..][..width(symbol)].iter().map(|it| it.symbol).collect()
            }
        }
    };
    let interventions =
        circuit.interventions.iter().flat_map(|&Intervention { symbol, target }| {
            let pairs = bits(symbol).into_iter().zip(bits(target));
            pairs.map(|(symbol, target)| Intervention { symbol, target })
        });
    let interventions = interventions.collect();
    Ok(WitnessCircuit { interventions, system, ..circuit })
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
    let proof = Proof::of(certificate, system).ok_or_else(too_large)?;
    let property = property::label_in(system, property);
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
        if model.is_witness(source) {
            let mut witness = file.located(model.read_witness(source))?;
            if let Some(property) = chosen {
                // What else the witness claims must be true as well.
                if !witness.properties.contains(&property) {
                    witness.properties.push(property);
                }
            }
            return Ok(Evidence::Witness(witness));
        }
        let name = file.name();
        let circuit = match detect(source, Some(name)) {
            format if format.is_some() && format == model.format().evidence_format() => {
                file.located(model.read_certificate(source))?
            }
            Some(format) => {
                let other = model.format();
                return Err(Error::Usage(format!(
                    "{name} is a circuit in {format}, which cannot certify a model in {other}"
                ))
                .into());
            }
            None => {
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
        let start = Instant::now();
        match self {
            Evidence::Witness(witness) => {
                let violations = elinvar_check::witness(system, witness, budget)?;
                let last = witness.trace.depth();
                let claims = witness.properties.iter().zip(violations).map(|(&property, how)| {
                    let claim = reachable(system.property(property));
                    match how {
                        Violation::Cycle(cycle) => {
                            format!("The trace shows that {claim} in cycle {cycle}.")
                        }
                        Violation::Loop(start) => {
                            let repeated = repeated(start, last);
                            format!("The trace shows that {claim}: {repeated} forever.")
                        }
                    }
                });
                Ok(claims.collect::<Vec<String>>().join("\n"))
            }
            Evidence::Circuit(property, circuit) => {
                elinvar_check::circuit(system, *property, circuit, budget)?;
                let claim = unreachable(system.property(*property));
                let claim = format!("The circuit proves that {claim}");
                let vacuity = vacuity::of_proof(system, *property, None, start.elapsed(), budget);
                Ok(with_vacuity(&claim, vacuity.as_ref()))
            }
            Evidence::Certificate(property, certificate) => {
                let relevant = || Some(relevant_states(&simplified()?, *property));
                judge_certificate(system, *property, certificate, relevant, budget)?;
                let claim = unreachable(system.property(*property));
                let claim = format!("The certificate proves that {claim}");
                let (proof, elapsed) = (Some(certificate), start.elapsed());
                let vacuity = vacuity::of_proof(system, *property, proof, elapsed, budget);
                Ok(with_vacuity(&claim, vacuity.as_ref()))
            }
        }
    }
}

/// What a trace says about a property.
fn reachable(property: &Property) -> String {
    match property.goal {
        Goal::Assert => format!("property {} fails", property.name),
        Goal::Cover => format!("cover statement {} is reached", property.name),
    }
}

/// What a proof says about a property.
fn unreachable(property: &Property) -> String {
    match property.goal {
        Goal::Assert => format!("property {} holds", property.name),
        Goal::Cover => format!("cover statement {} is unreachable", property.name),
    }
}

/// The claim of a proof, and why it is vacuous if it is.
fn with_vacuity(claim: &str, vacuity: Option<&Vacuity>) -> String {
    let Some(vacuity) = vacuity else { return format!("{claim}.") };
    let consequence = vacuity.consequence().map_or_else(String::new, |it| format!("\n{it}"));
    format!("{claim}, vacuously: {vacuity}{consequence}")
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
    let named = if properties.len() < 2 || model.is_witness(file.bytes()) {
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

fn of_text(
    system: &TransitionSystem,
    certificate: TextCertificate,
    chosen: Option<PropertyId>,
) -> Result<Evidence, EvidenceError> {
    let other_model = |error: &dyn std::fmt::Display| {
        let message = format!("the certificate is not about this model: {error}");
        EvidenceError::Unusable(Unusable(message))
    };
    let property = match chosen {
        Some(property) => property,
        None => find(system, &certificate.property).map_err(|error| other_model(&error))?,
    };
    let proof = certificate.proof.into_certificate(system).map_err(|error| other_model(&error))?;
    Ok(Evidence::Certificate(property, proof))
}

/// The only property of the model of the circuit's kind, or the one that has the name of the
/// circuit's. A circuit with a liveness property is about that one: its safety property is an
/// invariant.
fn property_of(model: &TransitionSystem, circuit: &TransitionSystem) -> Result<PropertyId, Error> {
    const SEVERAL: &str = "the model has several properties; choose one with --property";
    let is_live = |property: &Property| match property.kind {
        PropertyKind::Justice(_) => true,
        PropertyKind::Bad(_) => false,
    };
    let live = circuit.properties().iter().any(is_live);
    let of_kind = |system: &TransitionSystem| -> Vec<PropertyId> {
        let all = (0..system.properties().len()).map(PropertyId);
        all.filter(|&id| is_live(system.property(id)) == live).collect()
    };
    match (&of_kind(model)[..], &of_kind(circuit)[..]) {
        ([], _) if live => Err(Error::usage("the model has no liveness property")),
        ([], _) => Err(Error::usage("the model has no safety property")),
        ([only], _) => Ok(*only),
        (_, [named]) => find(model, &circuit.property(*named).name)
            .map_err(|error| Error::Usage(format!("{SEVERAL}: {error}"))),
        (_, _) => Err(Error::usage(SEVERAL)),
    }
}

fn find(system: &TransitionSystem, text: &str) -> Result<PropertyId, Error> {
    property::find(&property::names(system), "model", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_formats::aiger;
    use elinvar_ir::{
        BinaryOp, BitVec, Fact, LinearTerm, Observer, Pool, Ranking, RankingSymbol, Reading, Sort,
        Word,
    };
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
        let model = Model::from(system);
        assert_eq!(verify(&model, &at_most(&words, 2), "fact.btor2"), Ok(()));
        let wrong = verify(&model, &at_most(&words, -1), "fact.btor2");
        assert_eq!(wrong, Err(Refusal::CircuitBase));
    }

    /// A latch that an input sets and that stays set; the property is that it is set infinitely
    /// often from 0. A second latch has nothing to do with it.
    const SET_ONCE: &[u8] = b"aag 5 1 2 0 2 0 0 1 1\n2\n4 9\n6 7\n1\n10\n2\n8 5 3\n10 5 2\n";

    /// Ranks by the latch, as a word of two bits: the latch and an observer that is never set.
    fn ranking(strict: bool) -> Certificate {
        let mut pool = Pool::new();
        let symbols = vec![
            RankingSymbol::State(0),
            RankingSymbol::OtherState(0),
            RankingSymbol::Observer(0),
            RankingSymbol::OtherObserver(0),
        ];
        let [own, other] = [(); 2].map(|()| pool.symbol(Sort::BOOL, None).unwrap());
        let [count, other_count] = [(); 2].map(|()| pool.symbol(Sort::Bv(2), None).unwrap());
        let zero = pool.constant(BitVec::zero(2));
        let observer = Observer { name: "n".into(), sort: Sort::Bv(2), init: zero, next: count };
        let [wide, other_wide] = [(own, count), (other, other_count)]
            .map(|(bit, count)| pool.binary(BinaryOp::Concat, bit, count).unwrap());
        let less = pool.binary(BinaryOp::Ult, wide, other_wide).unwrap();
        let more = pool.binary(BinaryOp::Ult, other_wide, wide).unwrap();
        let related = if strict { more } else { pool.not(less).unwrap() };
        // The second condition, the fairness constraint, is not used.
        let (invariant, never) = (pool.equal(count, zero).unwrap(), pool.bool(false));
        let (observers, relation) = (vec![observer], vec![never, related]);
        Certificate::Ranking(Box::new(Ranking { pool, symbols, observers, invariant, relation }))
    }

    #[test]
    fn rankings_are_written_as_circuits_of_bits() {
        let model = Model::Aiger(aiger::read(SET_ONCE).unwrap());
        for name in ["live.aag", "live.aig"] {
            assert_eq!(verify(&model, &ranking(false), name), Ok(()));
            assert_eq!(verify(&model, &ranking(true), name), Err(Refusal::Decrease));
        }
        let bytes =
            certificate(&model, PropertyId(0), &ranking(false), Path::new("x.aag")).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("\nl0 = 4 < 4\nl1 = 6\nl2 n[0] < 6\nl3 n[1] < 8\n"), "{text}");
    }

    #[test]
    fn rankings_of_words_are_written_as_text() {
        let system = aiger::read(SET_ONCE).unwrap().system;
        let model = Model::from(system);
        let judge = |proof: &Certificate| {
            let bytes = certificate(&model, PropertyId(0), proof, Path::new("c.txt")).unwrap();
            assert!(bytes.starts_with(b"elinvar certificate 1\nproperty j0\nranking\n"));
            let evidence = Evidence::read(&model, &Source::new("c.txt", bytes), None).unwrap();
            evidence.judge(model.system(), || None, &Budget::default()).map(|_| ())
        };
        assert_eq!(judge(&ranking(false)), Ok(()));
        assert_eq!(judge(&ranking(true)), Err(Refusal::Decrease));
    }

    #[test]
    fn witnesses_are_recognised_by_their_first_line() {
        let words = Model::from(Counter::new(2).not(3));
        let bits = Model::Aiger(aiger::read(b"aag 0 0 0 1 0\n0\n").unwrap());
        let is_either = |text: &[u8]| words.is_witness(text) || bits.is_witness(text);
        assert!(words.is_witness(b"sat\nb0\n") && bits.is_witness(b"1\nb0\n"));
        assert!(words.is_witness(b"; comment\n\n sat \r\n"));
        assert!(bits.is_witness(b"c comment\nu0\n1\nb0\n"));
        assert!(!is_either(b"1 sort bitvec 1\n") && !is_either(b"") && !is_either(b"satisfied"));
    }
}
