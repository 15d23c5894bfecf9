//! Evidence in files, by the format of the model, and its way through the checker.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use elinvar_check::{Budget, Refusal};
use elinvar_formats::aiger::{self, AigerModel, Encoding};
use elinvar_formats::certificate::{self as text, Proof, TextCertificate};
use elinvar_formats::model::{self, Format, Model};
use elinvar_formats::{Diagnostic, btor2};
use elinvar_ir::{
    Certificate, CircuitError, PropertyId, StopReason, SystemBuilder, Trace, TransitionSystem,
    Verdict, Witness, WitnessCircuit,
};
use elinvar_transform::bitblast;

use crate::failure::{Bug, FileFault};
use crate::load::SourceFile;
use crate::{merged, properties};

/// Lets the checker judge a verdict about `system` against the same system as it was
/// written. Refused evidence is a bug; evidence that the budget does not suffice for is
/// none, for the reason that the run was `stopped` for, if it was.
pub fn confirm(
    system: &TransitionSystem,
    original: Result<&TransitionSystem, &str>,
    property: PropertyId,
    verdict: Verdict,
    budget: &Budget,
    stopped: impl FnOnce() -> Option<StopReason>,
) -> Result<Verdict> {
    let unreadable = |why| {
        let reason = format!("the model cannot be read again to check the evidence: {why}");
        Verdict::Unknown(StopReason::Unsupported(reason))
    };
    let (judged, what) = match (&verdict, original) {
        (Verdict::Unknown(_), _) => return Ok(verdict),
        (_, Err(why)) => return Ok(unreadable(why)),
        (Verdict::Safe(proof), Ok(original)) => {
            (judge_proof(system, original, property, proof, budget), "proof")
        }
        (Verdict::Unsafe(trace), _) if trace.property != property => {
            (Err(Refusal::NoSuchProperty(trace.property)), "counterexample")
        }
        (Verdict::Unsafe(trace), Ok(original)) => {
            (elinvar_check::replay(original, trace), "counterexample")
        }
    };
    match judged {
        Ok(()) => Ok(verdict),
        Err(Refusal::OutOfBudget) => {
            let too_large = || {
                let reason = format!("a {what} was found that is too large to be checked");
                StopReason::Unsupported(reason)
            };
            Ok(Verdict::Unknown(stopped().unwrap_or_else(too_large)))
        }
        Err(refusal) => {
            let name = &system.property(property).name;
            bail!(Bug(format!("the checker refused the {what} for property {name}: {refusal}")))
        }
    }
}

/// Judges a proof about `system` against another reading of the same system.
fn judge_proof(
    system: &TransitionSystem,
    original: &TransitionSystem,
    property: PropertyId,
    proof: &Certificate,
    budget: &Budget,
) -> Result<(), Refusal> {
    let proof = proof.transfer(system, original).ok_or(Refusal::OtherStates)?;
    let relevant = || Some(relevant_states(system, property));
    judge_certificate(original, property, &proof, relevant, budget)
}

/// Judges a certificate. Simple paths are shorter if fewer states count, and a rewrite may
/// have shown that the property does not depend on some states: `relevant` are the states
/// that may be left, which the checker does not take for granted.
fn judge_certificate(
    system: &TransitionSystem,
    property: PropertyId,
    proof: &Certificate,
    relevant: impl FnOnce() -> Option<BTreeSet<usize>>,
    budget: &Budget,
) -> Result<(), Refusal> {
    let judged = elinvar_check::certificate(system, property, proof, budget);
    match (judged, proof) {
        (
            Err(refusal @ Refusal::StepCase { .. }),
            Certificate::KInductive { simple_path: true, .. },
        ) => {
            let states = relevant().ok_or(refusal)?;
            elinvar_check::certificate_over(system, property, proof, &states, budget)
        }
        (judged, _) => judged,
    }
}

fn relevant_states(system: &TransitionSystem, property: PropertyId) -> BTreeSet<usize> {
    let roots = system.constraints().iter().copied().chain(system.bad(property));
    system.cone_of_influence(roots)
}

/// Cycles in which constraints are looked at for a contradiction.
const CYCLES: usize = 12;

/// What makes a proof say less than it seems to: the first cycle, of some, in which the
/// constraints contradict each other. `elapsed` is how long the run took so far, of which
/// this takes a small part at most.
pub fn vacuity(system: &TransitionSystem, elapsed: Duration) -> Option<usize> {
    const LEAST: Duration = Duration::from_millis(50);
    const GATES: u64 = 1 << 20;
    let search = |cycles, max_gates, time: Duration| {
        let deadline = Some(Instant::now() + time);
        let budget = Budget { deadline, max_gates, ..Budget::default() };
        elinvar_check::contradiction(system, cycles, &budget)
    };
    // The first cycle matters most, so it comes alone and may cost more. After a short run
    // the number of gates limits the others, since a short time may pass without any work.
    let (gates, time) = if elapsed < 2 * LEAST {
        (GATES / 32, LEAST)
    } else {
        (GATES, (LEAST / 5).max(elapsed / 100))
    };
    search(1, GATES, LEAST.max(elapsed / 50)).or_else(|| search(CYCLES, gates, time))
}

/// A line about a contradiction in this cycle.
pub fn vacuous(cycle: usize) -> String {
    match cycle {
        0 => "vacuous: no initial state satisfies the constraints".to_owned(),
        1 => "vacuous: the constraints contradict each other in cycle 1, so that every run ends \
              after 1 cycle"
            .to_owned(),
        _ => format!(
            "vacuous: the constraints contradict each other in cycle {cycle}, so that every run \
             ends after {cycle} cycles"
        ),
    }
}

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
) -> Result<Vec<u8>> {
    let system = model.system();
    let circuit = match WitnessCircuit::from_certificate(system, property, certificate) {
        Ok(circuit) => circuit,
        Err(CircuitError::SimplePath | CircuitError::Quantified | CircuitError::TooLarge(_)) => {
            return text_certificate(system, property, certificate);
        }
        Err(error) => bail!(Bug(format!("the proof cannot be written: {error}"))),
    };
    match model {
        Model::Aiger(model) => {
            let binary = path.extension().is_some_and(|ending| ending == "aig");
            let encoding = if binary { Encoding::Binary } else { Encoding::Ascii };
            let (inputs, states) = (system.inputs().len(), system.states().len());
            let circuit = match certificate {
                // Bits that are added up are words; inputs and states stay where they are.
                Certificate::Facts { .. } => bitblast(&circuit.system, 0)?.0,
                Certificate::Inductive { .. }
                | Certificate::KInductive { .. }
                | Certificate::Formula(_) => circuit.system,
            };
            Ok(aiger::write_certificate(&circuit, inputs, states, model, encoding)?)
        }
        Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => Ok(btor2::write(&circuit.system)?),
    }
}

fn text_certificate(
    system: &TransitionSystem,
    property: PropertyId,
    certificate: &Certificate,
) -> Result<Vec<u8>> {
    let proof = Proof::of(certificate).context("the invariant is too large to be written")?;
    let property = properties::label(system, property);
    Ok(text::write(&TextCertificate { property, proof }, system)?)
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
    pub fn read(model: &Model, file: &SourceFile, chosen: Option<PropertyId>) -> Result<Self> {
        let source = &file.bytes;
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
        let circuit = match (model, model::detect(source, Some(&file.name))) {
            (Model::Aiger(model), Some(Format::Aiger)) => aiger_circuit(model, file)?,
            (Model::Btor(_) | Model::Btor2(_) | Model::Basm(_), Some(Format::Btor2)) => {
                let circuit = file.verbatim_model(None)?;
                first_shared(circuit.into_system(), model.system())
            }
            (_, Some(format)) => bail!(
                "{} is a circuit in {format}, which cannot certify a model in {}",
                file.name,
                model.format()
            ),
            (_, None) => bail!(
                "{} is no evidence: neither a witness, nor a witness circuit, nor a certificate",
                file.name
            ),
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
    match vacuity(system, Duration::ZERO) {
        Some(cycle) => format!("{claim}\n{}", vacuous(cycle)),
        None => claim,
    }
}

/// Is it a proof about all properties of the model together, as competitions want it?
pub fn is_about_all(model: &Model, file: &SourceFile, chosen: Option<&str>) -> bool {
    let properties = model.system().properties();
    let is_ours = |name: &str| {
        name == merged::NAME && properties.len() > 1 && properties.iter().all(|p| p.name != name)
    };
    if let Some(chosen) = chosen {
        return is_ours(chosen);
    }
    let named = if properties.len() < 2 || is_witness(model, &file.bytes) {
        None
    } else if text::is_certificate(&file.bytes) {
        text::read(&file.bytes).ok().map(|certificate| certificate.property)
    } else {
        let circuit = file.model().ok();
        circuit.and_then(|circuit| Some(circuit.system().properties().first()?.name.clone()))
    };
    named.is_some_and(|name| is_ours(&name))
}

/// Evidence that says nothing about the model.
#[derive(Debug)]
struct Unfit(String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

/// Is the error about what the evidence says, and not about how it was called?
pub fn is_refusal(error: &anyhow::Error) -> bool {
    error.is::<FileFault>() || error.is::<Unfit>()
}

/// The first line of a witness that is no comment has the status: `sat` (BTOR2) or `1`
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
) -> Result<Evidence> {
    let property = match chosen {
        Some(property) => property,
        None => properties::find(system, &certificate.property)
            .map_err(|error| Unfit(format!("the certificate is not about this model: {error}")))?,
    };
    Ok(Evidence::Certificate(property, certificate.proof.into_certificate()))
}

fn aiger_circuit(model: &AigerModel, file: &SourceFile) -> Result<WitnessCircuit> {
    let circuit = file.located(aiger::read_with(&file.bytes, SystemBuilder::verbatim()))?;
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

/// The only safety property of the model, or the one whose name that of the
/// circuit has.
fn property_of(model: &TransitionSystem, circuit: &TransitionSystem) -> Result<PropertyId> {
    let safety: Vec<PropertyId> = model.bads().map(|(id, _)| id).collect();
    match (&safety[..], circuit.properties()) {
        ([], _) => bail!("the model has no safety property"),
        ([only], _) => Ok(*only),
        (_, [named]) => properties::find(model, &named.name)
            .context("the model has several properties; --property says which one is meant"),
        (_, _) => bail!("the model has several properties; --property says which one is meant"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{
        BinaryOp, BitVec, Fact, LinearTerm, Reading, Sort, StateBit, Step, SystemBuilder, Word,
    };

    /// A counter of two bits that must not reach three.
    fn counter() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let count = b.state(Sort::Bv(2), Some("count")).unwrap();
        let one = b.pool.constant(BitVec::one(2));
        b.states[0].init = Some(b.pool.constant(BitVec::zero(2)));
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, count, one).unwrap());
        let three = b.pool.constant(BitVec::new(2, 3));
        let bad = b.pool.equal(count, three).unwrap();
        b.bad("p", bad);
        b.finish().unwrap()
    }

    fn trace(cycles: usize) -> Verdict {
        let initial = vec![BitVec::zero(2).into()];
        let steps = vec![Step::default(); cycles];
        Verdict::Unsafe(Trace { property: PropertyId(0), initial, steps })
    }

    #[test]
    fn false_claims_of_engines_are_bugs() {
        let system = counter();
        let confirm = |verdict| {
            confirm(&system, Ok(&system), PropertyId(0), verdict, &Budget::default(), || None)
        };
        assert_eq!(confirm(trace(4)).unwrap(), trace(4));
        let refused = confirm(trace(3)).unwrap_err();
        assert!(refused.is::<Bug>());
        let message = refused.to_string();
        assert!(message.contains("counterexample for property p") && message.contains("is a bug"));
        let proof = Certificate::KInductive { k: 1, simple_path: true };
        assert!(confirm(Verdict::Safe(proof)).unwrap_err().is::<Bug>());
    }

    /// What a wrong rewrite does: the engine gets another system than the user wrote.
    #[test]
    fn evidence_about_another_reading_of_the_model_is_refused() {
        let written = counter();
        let mut b = counter().into_builder();
        b.states[0].next = Some(b.states[0].symbol);
        let misread = b.finish().unwrap();
        let judge = |system, original, verdict| {
            confirm(system, original, PropertyId(0), verdict, &Budget::default(), || None)
        };
        let word = misread.states()[0].symbol;
        let zero = |bit| vec![StateBit { state: word, bit, positive: false }];
        let proof = Verdict::Safe(Certificate::Inductive { clauses: vec![zero(0), zero(1)] });
        assert_eq!(judge(&misread, Ok(&misread), proof.clone()).unwrap(), proof);
        assert!(judge(&misread, Ok(&written), proof).unwrap_err().is::<Bug>());
        assert_eq!(judge(&written, Ok(&written), trace(4)).unwrap(), trace(4));
        assert!(judge(&written, Ok(&misread), trace(4)).unwrap_err().is::<Bug>());
        let unread = judge(&written, Err("no"), trace(4)).unwrap();
        assert!(matches!(unread, Verdict::Unknown(StopReason::Unsupported(_))));
    }

    #[test]
    fn evidence_that_cannot_be_checked_is_none() {
        let system = counter();
        let proof = Verdict::Safe(Certificate::KInductive { k: 9, simple_path: false });
        let budget = Budget { max_gates: 1, ..Budget::default() };
        let verdict =
            confirm(&system, Ok(&system), PropertyId(0), proof, &budget, || None).unwrap();
        assert!(matches!(verdict, Verdict::Unknown(StopReason::Unsupported(_))));
    }

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
        let file = SourceFile { name: name.to_owned(), bytes };
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
        let mut b = counter().into_builder();
        b.states[0].next = Some(b.states[0].symbol);
        let system = b.finish().unwrap();
        let words = words(&system);
        let model = crate::family::model_of(system);
        assert_eq!(verify(&model, &at_most(&words, 2), "fact.btor2"), Ok(()));
        let wrong = verify(&model, &at_most(&words, -1), "fact.btor2");
        assert_eq!(wrong, Err(Refusal::CircuitBase));
    }

    #[test]
    fn witnesses_are_told_by_their_first_line() {
        let words = crate::family::model_of(counter());
        let bits = Model::Aiger(aiger::read(b"aag 0 0 0 1 0\n0\n").unwrap());
        let is_either = |text: &[u8]| is_witness(&words, text) || is_witness(&bits, text);
        assert!(is_witness(&words, b"sat\nb0\n") && is_witness(&bits, b"1\nb0\n"));
        assert!(is_witness(&words, b"; comment\n\n sat \r\n"));
        assert!(is_witness(&bits, b"c comment\nu0\n1\nb0\n"));
        assert!(!is_either(b"1 sort bitvec 1\n") && !is_either(b"") && !is_either(b"satisfied"));
    }
}
