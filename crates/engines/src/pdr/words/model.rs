//! The model of a query, in terms of words.

use std::rc::Rc;

use elinvar_ir::BitVec;
use elinvar_logic::AigLit;
use elinvar_logic::aig::Valuation;
use elinvar_sat::{Lit, Model};

use super::domain::Words;
use super::encoding::Encoding;
use super::expand::StepInputs;
use super::gates::Gates;
use crate::pdr::domain::Found;

/// The model of the last query of a solver.
pub(super) struct WordModel<'a> {
    gates: &'a Gates,
    model: Model<'a>,
    encoding: &'a Encoding,
    origin: &'a [BitVec],
}

impl<'a> WordModel<'a> {
    /// The last query has a model.
    pub fn new(gates: &'a Gates, encoding: &'a Encoding, origin: &'a [BitVec]) -> Self {
        let model = gates.solver.model().expect("the query has a model");
        WordModel { gates, model, encoding, origin }
    }

    /// The state and the inputs of the step.
    pub fn found(&self) -> Found<Words> {
        let Encoding { words, circuit, .. } = self.encoding;
        let value = |lit: AigLit| self.gates.known(lit).and_then(|lit| self.model.value(lit));
        let word = |number: usize| {
            let lits = (0..).zip(circuit.current(number));
            let origin = &self.origin[number];
            BitVec::from_bits(lits.map(|(bit, &lit)| value(lit).unwrap_or(origin.bit(bit))))
        };
        let chosen =
            |lits: &[AigLit]| BitVec::from_bits(lits.iter().map(|&l| value(l).unwrap_or(false)));
        let inputs = circuit.inputs.iter().map(|lits| lits.as_deref().map(chosen)).collect();
        let free = words
            .iter()
            .enumerate()
            .map(|(number, word)| word.next.is_none().then(|| chosen(circuit.next(number))));
        Found {
            state: (0..words.len()).map(word).collect(),
            choice: Rc::new(StepInputs { inputs, free: free.collect() }),
            assigned: words.len(),
        }
    }

    /// Is a literal true?
    pub fn is_true(&self, lit: Lit) -> bool {
        self.model.value(lit) == Some(true)
    }

    /// The state after the step.
    pub fn next_state(&self) -> Vec<BitVec> {
        let values = self.gate_values();
        let Encoding { words, circuit, .. } = self.encoding;
        let bits = |word| circuit.next(word).iter().map(|&lit| values.value(lit));
        (0..words.len()).map(|word| BitVec::from_bits(bits(word))).collect()
    }

    /// The values of all gates.
    pub fn gate_values(&self) -> Valuation {
        self.encoding.circuit.aig.simulate(|node| {
            let lit = self.gates.known(AigLit::from_code((node as u32) << 1));
            lit.and_then(|lit| self.model.value(lit)).unwrap_or(false)
        })
    }
}
