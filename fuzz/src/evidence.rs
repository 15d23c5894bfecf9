//! Evidence of all kinds about small models whose verdicts are known from exhaustive search:
//! what the checker accepts has to be true.

use std::sync::OnceLock;

use elinvar_check::Budget;
use elinvar_formats::aiger::{self, AigerModel};
use elinvar_formats::btor2;
use elinvar_formats::certificate;
use elinvar_formats::model::{Format, Model, detect, read_verbatim};
use elinvar_ir::{PropertyId, SystemBuilder, TransitionSystem, Witness, WitnessCircuit};
use elinvar_models::{Outcome, search};

use super::accepted;

/// The models by name. The first byte of the input chooses one of them, `0` the first.
pub const MODELS: [(&str, &str); 5] = [
    ("counter.btor2", include_str!("../../examples/counter.btor2")),
    ("counter_bug.btor2", include_str!("../../examples/counter_bug.btor2")),
    ("several.btor2", include_str!("../../examples/several.btor2")),
    ("counter.aag", include_str!("../../examples/counter.aag")),
    ("reset.aag", include_str!("../../examples/reset.aag")),
];

/// A model with the truth about its properties.
struct Known {
    model: Model,
    truth: Vec<(PropertyId, Outcome)>,
}

fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let read = |(name, text): (&str, &str)| {
            let model = read_verbatim(text.as_bytes(), Some(name)).expect("an example");
            let truth = search(model.system(), 1 << 17).expect("a small model");
            Known { model, truth }
        };
        MODELS.map(read).into()
    })
}

/// Text certificates, witness circuits and witnesses for one of the models. An accepted proof
/// is about a property that holds, an accepted witness about properties that fail. The result
/// says whether the evidence was accepted by the checker.
pub fn evidence(source: &[u8]) -> bool {
    let Some((&choice, source)) = source.split_first() else { return false };
    let Some(known) = known().get(usize::from(choice.wrapping_sub(b'0'))) else { return false };
    let system = known.model.system();
    // Large circuits and inductions over many steps end at the limit of gates.
    let budget = Budget { max_gates: 1 << 14, ..Budget::default() };
    if certificate::is_certificate(source) {
        let Some(text) = accepted(source, certificate::read(source)) else { return false };
        let Ok(proof) = text.proof.clone().into_certificate(system) else { return false };
        let proved =
            |property| elinvar_check::certificate(system, property, &proof, &budget).is_ok();
        let any = known.proofs_are_right(proved);
        if any {
            super::check_text(system, &text);
        }
        return any;
    }
    if let Some(circuit) = known.circuit(source) {
        let proved = |property| elinvar_check::circuit(system, property, &circuit, &budget).is_ok();
        return known.proofs_are_right(proved);
    }
    known.witness(source).is_some_and(|witness| {
        let shown = elinvar_check::witness(system, &witness, &budget).is_ok();
        assert!(!shown || witness.properties.iter().all(|&property| known.fails(property)));
        shown
    })
}

impl Known {
    fn fails(&self, property: PropertyId) -> bool {
        self.truth.iter().any(|&(id, outcome)| id == property && outcome != Outcome::Safe)
    }

    /// Tries a proof on all properties. Those it proves must hold.
    fn proofs_are_right(&self, proved: impl Fn(PropertyId) -> bool) -> bool {
        let mut any = false;
        for &(property, outcome) in &self.truth {
            let proved = proved(property);
            assert!(!proved || outcome == Outcome::Safe, "property {} fails", property.0);
            any |= proved;
        }
        any
    }

    fn circuit(&self, source: &[u8]) -> Option<WitnessCircuit> {
        match (&self.model, detect(source, None)?) {
            (Model::Aiger(model), Format::Aiger) => aiger_circuit(model, source),
            (Model::Btor2(model), Format::Btor2) => {
                let builder = SystemBuilder::verbatim();
                let circuit = accepted(source, btor2::read_with(source, builder))?.system;
                Some(first_shared(circuit, &model.system))
            }
            (Model::Aiger(_) | Model::Btor(_) | Model::Btor2(_) | Model::Basm(_), _) => None,
        }
    }

    fn witness(&self, source: &[u8]) -> Option<Witness> {
        let result = match &self.model {
            Model::Aiger(model) => aiger::read_witness(source, &model.system),
            Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
                btor2::read_witness(source, self.model.system())
            }
        };
        accepted(source, result)
    }
}

fn aiger_circuit(model: &AigerModel, source: &[u8]) -> Option<WitnessCircuit> {
    let circuit = accepted(source, aiger::read_with(source, SystemBuilder::verbatim()))?;
    accepted(source, aiger::certificate_of(circuit, model))
}

/// In BTOR2 the first inputs and states are those of the model.
fn first_shared(system: TransitionSystem, model: &TransitionSystem) -> WitnessCircuit {
    let same = |count: usize| (0..count).map(|index| (index, index)).collect();
    WitnessCircuit {
        shared_inputs: same(model.inputs().len().min(system.inputs().len())),
        shared_states: same(model.states().len().min(system.states().len())),
        system,
        interventions: Vec::new(),
    }
}
