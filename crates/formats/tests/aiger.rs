//! AIGER as a whole: what is written is read back as the same system.

#[path = "common/circuits.rs"]
mod circuits;

use circuits::SAMPLES;
use elinvar_formats::aiger::{self, Encoding, read, read_witness, write};
use elinvar_formats::same_system;
use elinvar_ir::{BitVec, Rng, Simulator, Step, Trace, TransitionSystem, Value};
use elinvar_models::{Generator, Shape};

const ENCODINGS: [Encoding; 2] = [Encoding::Ascii, Encoding::Binary];

fn samples() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for text in SAMPLES {
        let model = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        all.push(text.as_bytes().to_vec());
        all.push(write(&model.system, Encoding::Binary).expect("bits"));
    }
    all
}

// ---- reading what was written -----------------------------------------------

fn assert_round_trip(source: &[u8]) {
    let model = read(source).unwrap_or_else(|error| panic!("{error:?}"));
    for encoding in ENCODINGS {
        let text = write(&model.system, encoding).expect("circuits consist of bits");
        let again = read(&text).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(same_system(&model.system, &again.system));
        assert_eq!(write(&again.system, encoding).unwrap(), text);
    }
}

#[test]
fn circuits_are_read_again_as_they_were() {
    samples().iter().for_each(|source| assert_round_trip(source));
}

/// For a folder of models that is not part of the repository:
/// `ELINVAR_MODELS=folder cargo test -p elinvar-formats --test aiger -- --ignored`.
#[test]
#[ignore = "needs a folder of models"]
fn models_of_a_folder_are_read_again_as_they_were() {
    let mut folders = vec![std::path::PathBuf::from(std::env::var("ELINVAR_MODELS").unwrap())];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(ending, Some("aig" | "aag")) {
                println!("{}", path.display());
                assert_round_trip(&std::fs::read(&path).unwrap());
                count += 1;
            }
        }
    }
    assert!(count > 0, "no models");
    println!("{count} models");
}

// ---- random systems ------------------------------------------------------------

#[test]
fn random_systems_keep_their_behaviour() {
    for seed in 0..300 {
        let system = Generator::system(seed, Shape::BITS);
        for encoding in ENCODINGS {
            let circuit = read(&write(&system, encoding).unwrap()).unwrap().system;
            let rng = &mut Rng::new(seed);
            let trace = random_trace(&system, rng);
            assert_same_run(&system, &circuit, &trace);
        }
    }
}

fn random_trace(system: &TransitionSystem, rng: &mut Rng) -> Trace {
    let mut bits =
        |count| -> Vec<Value> { (0..count).map(|_| BitVec::bool(rng.one_in(2)).into()).collect() };
    let initial = bits(system.states().len());
    let free = system.free_states().len();
    let step = |cycle| Step {
        inputs: bits(system.inputs().len()).into(),
        free: if cycle == 0 { Vec::new() } else { bits(free) },
    };
    let steps: Vec<Step> = (0..6).map(step).collect();
    let simulator = Simulator::new(system, |i| initial[i].clone(), steps[0].inputs.clone());
    let initial = simulator.states().to_vec();
    Trace {
        property: system.bads().next().unwrap().0,
        initial,
        steps: steps.into(),
        loop_start: None,
    }
}

/// Runs a system and its circuit side by side; the circuit is told what to do by
/// the witness that was written for the system.
fn assert_same_run(system: &TransitionSystem, circuit: &TransitionSystem, trace: &Trace) {
    let witness = aiger::write_witness(system, trace);
    assert_eq!(&read_witness(witness.as_bytes(), system).unwrap().trace, trace);
    let stimulus = read_witness(witness.as_bytes(), circuit).unwrap().trace;
    assert!(circuit.free_states().is_empty());
    let start = |s, t: &Trace| {
        let initial = t.initial.clone();
        Simulator::new(s, move |i| initial[i].clone(), t.steps[0].inputs.clone())
    };
    let (mut a, mut b) = (start(system, trace), start(circuit, &stimulus));
    for cycle in 0..trace.steps.len() {
        if cycle > 0 {
            let step = &trace.steps[cycle];
            let position = |i| system.free_states().binary_search(&i).unwrap();
            a.step(|i| step.free[position(i)].clone(), step.inputs.clone());
            b.step(|_| unreachable!(), stimulus.steps[cycle].inputs.clone());
        }
        assert_eq!(a.states(), b.states());
        assert_eq!(a.constraints_hold(), b.constraints_hold());
        for ((_, x), (_, y)) in system.bads().zip(circuit.bads()) {
            assert_eq!(a.holds(x), b.holds(y));
        }
    }
}
