//! Models: transition systems as they are read from files, with what the format of the
//! file adds. The methods read and write the evidence that belongs to a model.

use std::collections::BTreeMap;

use elinvar_ir::{SystemBuilder, Trace, TransitionSystem, Witness, WitnessCircuit};

use crate::aiger::{AigerModel, Encoding};
use crate::btor::BtorModel;
use crate::btor2::Btor2Model;
use crate::format::{expect_content, unknown};
use crate::{Diagnostic, WriteError, aiger, basm, btor, btor2};

pub use crate::format::{Format, ProblemKind, WriteOptions, detect, is_program};

/// A transition system with what its file says beyond it.
#[derive(Clone, Debug)]
pub enum Model {
    /// A circuit, with the literals of its file.
    Aiger(AigerModel),
    /// A model in BTOR, with its roots.
    Btor(BtorModel),
    /// A model in BTOR2.
    Btor2(Btor2Model),
    /// The system of an assembler program.
    Basm(TransitionSystem),
}

impl From<TransitionSystem> for Model {
    /// A system that was not read from a file; its evidence is written in BTOR2.
    fn from(system: TransitionSystem) -> Self {
        Model::Btor2(Btor2Model { system, operators: BTreeMap::new() })
    }
}

impl Model {
    /// The transition system.
    pub fn system(&self) -> &TransitionSystem {
        match self {
            Model::Aiger(model) => &model.system,
            Model::Btor(model) => &model.system,
            Model::Btor2(model) => &model.system,
            Model::Basm(system) => system,
        }
    }

    /// The transition system alone.
    pub fn into_system(self) -> TransitionSystem {
        match self {
            Model::Aiger(model) => model.system,
            Model::Btor(model) => model.system,
            Model::Btor2(model) => model.system,
            Model::Basm(system) => system,
        }
    }

    /// The model with another system, whose inputs and states must be the same.
    pub fn map_system(self, change: impl FnOnce(TransitionSystem) -> TransitionSystem) -> Self {
        match self {
            Model::Aiger(model) => Model::Aiger(model.with_system(change)),
            Model::Btor(model) => Model::Btor(BtorModel { system: change(model.system), ..model }),
            Model::Btor2(model) => {
                Model::Btor2(Btor2Model { system: change(model.system), ..model })
            }
            Model::Basm(system) => Model::Basm(change(system)),
        }
    }

    /// The model with another system, which has further inputs and states after the same ones. It
    /// is no longer the model of the file: its literals are those that a writer would give it.
    pub fn extended(self, system: TransitionSystem) -> Self {
        match self {
            Model::Aiger(model) => Model::Aiger(model.extended(system)),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => Model::from(system),
        }
    }

    /// The format that the model was read from.
    pub fn format(&self) -> Format {
        match self {
            Model::Aiger(_) => Format::Aiger,
            Model::Btor(_) => Format::Btor,
            Model::Btor2(_) => Format::Btor2,
            Model::Basm(_) => Format::Basm,
        }
    }

    /// How often each operator occurs in the file, if the format has operators.
    pub fn operators(&self) -> Option<&BTreeMap<&'static str, usize>> {
        match self {
            Model::Btor(model) => Some(&model.operators),
            Model::Btor2(model) => Some(&model.operators),
            Model::Aiger(_) | Model::Basm(_) => None,
        }
    }

    /// Whether the file is a formula, whose properties are satisfiable or not.
    pub fn is_formula(&self) -> bool {
        match self {
            Model::Btor(model) => model.combinational,
            Model::Aiger(_) | Model::Btor2(_) | Model::Basm(_) => false,
        }
    }

    /// The contents of a witness file for a counterexample.
    pub fn write_witness(&self, trace: &Trace) -> Vec<u8> {
        match self {
            Model::Aiger(model) => aiger::write_witness(&model.system, trace).into_bytes(),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
                btor2::write_witness(self.system(), trace).into_bytes()
            }
        }
    }

    /// Reads a witness file. The result is well-formed but not replayed.
    pub fn read_witness(&self, source: &[u8]) -> Result<Witness, Diagnostic> {
        match self {
            Model::Aiger(model) => aiger::read_witness(source, &model.system),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
                btor2::read_witness(source, self.system())
            }
        }
    }

    /// Whether a file is a witness for a model in this format. Its first line other than
    /// comments is the status: `sat` (BTOR2) or `1` (AIGER).
    pub fn is_witness(&self, source: &[u8]) -> bool {
        let is_comment = |line: &[u8]| match self {
            Model::Aiger(_) => matches!(line.first(), Some(b'c' | b'u' | b';')),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => line.starts_with(b";"),
        };
        let lines = source.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
        matches!(lines.next(), Some(b"sat" | b"1"))
    }

    /// The contents of a certificate file: a circuit whose first inputs and states are those
    /// of the model. The circuit must consist of bits if [`Format::has_words`] is false of the
    /// model's format. Only AIGER circuits have interventions.
    ///
    /// # Panics
    /// If the circuit has interventions and the model is not in AIGER.
    pub fn write_certificate(
        &self,
        circuit: &WitnessCircuit,
        encoding: Encoding,
    ) -> Result<Vec<u8>, WriteError> {
        match self {
            Model::Aiger(model) => aiger::write_certificate(circuit, model, encoding),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
                assert!(circuit.interventions.is_empty(), "BTOR2 has no interventions");
                btor2::write(&circuit.system)
            }
        }
    }

    /// Reads a certificate that is a circuit, without rewriting any of its expressions.
    /// The file must be in the format [`Format::evidence_format`] of the model's format.
    pub fn read_certificate(&self, source: &[u8]) -> Result<WitnessCircuit, Diagnostic> {
        let builder = SystemBuilder::verbatim();
        match self {
            Model::Aiger(model) => aiger::certificate_of(aiger::read_with(source, builder)?, model),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
                let circuit = btor2::read_with(source, builder)?.system;
                Ok(first_shared(circuit, self.system()))
            }
        }
    }
}

/// In BTOR2 the first inputs and states of a circuit are those of the model.
fn first_shared(circuit: TransitionSystem, model: &TransitionSystem) -> WitnessCircuit {
    let first = |own: usize, theirs: usize| (0..own.min(theirs)).map(|i| (i, i)).collect();
    let shared_inputs = first(circuit.inputs().len(), model.inputs().len());
    let shared_states = first(circuit.states().len(), model.states().len());
    WitnessCircuit { system: circuit, shared_inputs, shared_states, interventions: Vec::new() }
}

/// Reads a model in any format. `name` is the name of the file, if it has one.
pub fn read_model(source: &[u8], name: Option<&str>) -> Result<Model, Diagnostic> {
    read_model_with(source, name, SystemBuilder::new())
}

/// Reads a model without rewriting any of its expressions. Its inputs, states,
/// constraints and properties have the same numbers as in [`read_model`].
pub fn read_verbatim(source: &[u8], name: Option<&str>) -> Result<Model, Diagnostic> {
    read_model_with(source, name, SystemBuilder::verbatim())
}

fn read_model_with(
    source: &[u8],
    name: Option<&str>,
    builder: SystemBuilder,
) -> Result<Model, Diagnostic> {
    expect_content(source)?;
    match detect(source, name) {
        Some(Format::Aiger) => aiger::read_with(source, builder).map(Model::Aiger),
        Some(Format::Btor) => btor::read_with(source, builder).map(Model::Btor),
        Some(Format::Btor2) => btor2::read_with(source, builder).map(Model::Btor2),
        Some(Format::Basm) => {
            let program = basm::parse(source)?;
            Ok(Model::Basm(basm::translate_with(&program, builder)))
        }
        Some(Format::Boogie) => {
            Err(Diagnostic::of_file("expected a transition system, found a program in Boogie"))
        }
        Some(Format::SmtLib | Format::Dot) | None => Err(unknown(source, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read() {
        let model = |text: &str| read_model(text.as_bytes(), None).unwrap();
        let texts = [
            ("aag 1 1 0 1 0\n2\n2\n", Format::Aiger),
            ("1 var 1 x\n2 root 1 1\n", Format::Btor),
            ("1 sort bitvec 1\n2 input 1\n3 bad 2\n", Format::Btor2),
            ("10 exit 1\n", Format::Basm),
        ];
        for (text, format) in texts {
            let model = model(text);
            assert_eq!(model.format(), format);
            assert_eq!(model.system().bads().count(), 1, "{format}");
        }
    }

    #[test]
    fn a_verbatim_reading_has_the_same_parts() {
        let text = "1 sort bitvec 4\n2 zero 1\n3 input 1 x\n4 state 1 s\n5 and 1 3 2\n\
                    6 init 1 4 2\n7 next 1 4 5\n8 sort bitvec 1\n9 redor 8 5\n10 bad 9\n";
        let read = read_model(text.as_bytes(), None).unwrap();
        let verbatim = read_verbatim(text.as_bytes(), None).unwrap();
        let (read, verbatim) = (read.system(), verbatim.system());
        assert_eq!(read.states().len(), verbatim.states().len());
        assert_eq!(read.inputs().len(), verbatim.inputs().len());
        assert_eq!(read.properties()[0].name, verbatim.properties()[0].name);
        // Only one of them saw that x & 0 is 0.
        let next = |system: &TransitionSystem| system.states()[0].next.unwrap();
        assert!(read.pool().is_const(next(read)));
        assert!(!verbatim.pool().is_const(next(verbatim)));
        for text in ["aag 2 1 0 1 1\n2\n4\n4 2 0\n", "1 var 1 x\n2 and 1 1 1\n3 root 1 2\n"] {
            let verbatim = read_verbatim(text.as_bytes(), None).unwrap();
            let bad = verbatim.system().bads().next().unwrap().1;
            let pool = verbatim.system().pool();
            assert!(!pool.is_const(bad) && pool.as_symbol(bad).is_none());
        }
    }

    #[test]
    fn unknown_formats_are_reported_at_the_first_line() {
        let error = read_model(b"; c\nhello world\n", None).unwrap_err();
        assert_eq!(error.span, 4..15);
    }

    #[test]
    fn empty_files_are_reported_without_a_position() {
        for text in ["", "\n", "; only a comment\n"] {
            for name in [None, Some("x.aag"), Some("x.btor2"), Some("x.basm")] {
                let error = read_model(text.as_bytes(), name).unwrap_err();
                assert_eq!(error.message, "the file is empty");
                assert!(error.whole_file);
            }
        }
    }

    #[test]
    fn programs_are_not_models() {
        let error = read_model(b"procedure main() {}", None).unwrap_err();
        assert!(error.message.ends_with("found a program in Boogie"));
    }

    #[test]
    fn witnesses_are_detected_by_their_first_line() {
        let words = read_model(b"1 sort bitvec 1\n", None).unwrap();
        let bits = read_model(b"aag 0 0 0 1 0\n0\n", None).unwrap();
        let is_either = |text: &[u8]| words.is_witness(text) || bits.is_witness(text);
        assert!(words.is_witness(b"sat\nb0\n") && bits.is_witness(b"1\nb0\n"));
        assert!(words.is_witness(b"; comment\n\n sat \r\n"));
        assert!(bits.is_witness(b"c comment\nu0\n1\nb0\n"));
        assert!(!is_either(b"1 sort bitvec 1\n") && !is_either(b"") && !is_either(b"satisfied"));
    }
}
