//! AIGER as a whole: what is written is read again, and nothing makes the
//! reader panic.

use elinvar_formats::aiger::{self, AigerModel, Encoding, read, read_witness, write};
use elinvar_formats::same_system;
use elinvar_ir::{BitVec, Rng, Simulator, Step, Trace, TransitionSystem, Value};
use elinvar_models::{Generator, Shape};

const ENCODINGS: [Encoding; 2] = [Encoding::Ascii, Encoding::Binary];

/// Circuits that show every part of the format.
const SAMPLES: [&str; 6] = [
    "aag 0 0 0 0 0\n",
    // A toggle flip-flop with enable and reset, an old file: outputs are bad.
    "aag 7 2 1 2 4\n2\n4\n6 8\n6\n7\n8 4 10\n10 13 15\n12 2 6\n14 3 7\n\
     i0 enable\ni1 reset\nl0 Q\no1 !Q\nc\ntoggle\n",
    // Resets: zero, one, any, another latch, a gate; gaps; gates out of order.
    "aag 20 1 5 0 2 1 1\n4\n6 8\n8 6 1\n10 10 10\n12 10 6\n14 12 21\n30\n5\n\
     30 21 14\n20 11 4\nl4 by gate\nb0 it\nc0 low\nc\n",
    // Justice, fairness, outputs that are not properties.
    "aag 3 1 1 1 1 1 0 2 1\n2\n4 6 4\n7\n6\n2\n1\n2\n4\n5\n4\n6 3 5\n\
     o0 out\nb0 bad\nj1 live\nf0 fair\n",
    // Constants and an input as reset.
    "aag 2 1 1 1 0 2\n2\n4 1 2\n0\n1\n0\n",
    // Names that look like defaults of others.
    "aag 2 1 1 2 0\n2\n4 2\n4\n5\ni0 l0\nl0 i0\no0 o1\nc\nMAPPING 1\n2 2\n",
];

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
        inputs: bits(system.inputs().len()),
        free: if cycle == 0 { Vec::new() } else { bits(free) },
    };
    let steps: Vec<Step> = (0..6).map(step).collect();
    let simulator = Simulator::new(system, |i| initial[i].clone(), steps[0].inputs.clone());
    let initial = simulator.states().to_vec();
    Trace { property: system.bads().next().unwrap().0, initial, steps }
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

// ---- robustness ------------------------------------------------------------------

#[test]
fn damaged_files_never_panic() {
    let samples = samples();
    let model = read(SAMPLES[2].as_bytes()).unwrap();
    let rng = &mut Rng::new(2024);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..150_000 {
        let mut text = samples[rng.below(samples.len())].clone();
        for _ in 0..1 + rng.below(3) {
            damage(&mut text, &samples, rng);
        }
        match read(&text) {
            Ok(read) => {
                good += 1;
                exercise(&read, &model);
            }
            Err(error) => {
                bad += 1;
                assert!(error.span.start <= error.span.end && error.span.end <= text.len());
                assert!(!error.message.is_empty());
            }
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} {bad}");
}

/// Whatever the reader accepts can be written, and looked at as a certificate.
fn exercise(read: &AigerModel, model: &AigerModel) {
    for encoding in ENCODINGS {
        let text = write(&read.system, encoding).unwrap();
        aiger::read(&text).unwrap();
    }
    let _: Result<_, _> = aiger::certificate_mapping(read, model);
}

fn damage(text: &mut Vec<u8>, samples: &[Vec<u8>], rng: &mut Rng) {
    if text.is_empty() {
        return;
    }
    let at = rng.below(text.len());
    match rng.below(8) {
        0 => text.truncate(at),
        1 => text[at] ^= 1 << rng.below(8),
        2 => text[at] = rng.pick(b"0123456789 \ncilobjf="),
        3 => text.insert(at, rng.pick(b"0123456789 \ncilobjf=\x80")),
        4 => {
            text.remove(at);
        }
        5 => {
            let other = &samples[rng.below(samples.len())];
            let from = rng.below(other.len());
            text.truncate(at);
            text.extend_from_slice(&other[from..]);
        }
        6 => {
            let number = rng.pick(&["0", "1", "2", "4294967295", "99999999999", "67108864"]);
            text.splice(at..at, number.bytes());
        }
        _ => {
            let end = at + rng.below(text.len() - at);
            let part = text[at..end].to_vec();
            let to = rng.below(text.len());
            text.splice(to..to, part);
        }
    }
}

#[test]
fn damaged_witnesses_never_panic() {
    let model = read(SAMPLES[2].as_bytes()).unwrap();
    let witness = b"c a comment\n1\nb0\n01x0x\n1\nx\n0\n.\n".to_vec();
    read_witness(&witness, &model.system).unwrap();
    let rng = &mut Rng::new(7);
    for _ in 0..5_000 {
        let mut text = witness.clone();
        damage(&mut text, std::slice::from_ref(&witness), rng);
        if let Err(error) = read_witness(&text, &model.system) {
            assert!(error.span.start <= error.span.end && error.span.end <= text.len());
        }
    }
}
