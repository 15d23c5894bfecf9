//! Values that are said not to matter, against simulation.

use elinvar::Problem;
use elinvar::engines::Choice;
use elinvar::engines::bmc::BmcOptions;
use elinvar::ir::{
    ArrayValue, BitVec, Named, Rng, Simulator, Trace, TransitionSystem, Value, Verdict,
};
use elinvar::readable::nets;
use elinvar::readable::relevance::{Known, Relevance};
use elinvar::readable::waves::Waves;
use elinvar::{Method, Options, check};
use elinvar_models::{Generator, Shape};

/// The system with a name for each of its expressions, so that all of them are compared.
fn labelled(system: TransitionSystem) -> TransitionSystem {
    let mut builder = system.into_builder();
    let label = |expr| Named { name: format!("{expr:?}"), expr };
    builder.labels = builder.pool.ids().map(label).collect();
    builder.finish().unwrap()
}

fn traces(system: &TransitionSystem) -> Vec<Trace> {
    let bmc = BmcOptions { bound: Some(8), ..BmcOptions::default() };
    let options = Options { method: Method::System(Choice::Bmc(bmc)), ..Options::default() };
    let problem = Problem::from(system.clone());
    if problem.property_count() == 0 {
        return Vec::new();
    }
    let report = check(&problem, &options).unwrap();
    let trace = |verdict: &Verdict<_, elinvar::Trace>| match verdict {
        Verdict::Unsafe(elinvar::Trace::System(trace)) => Some(trace.clone()),
        _ => None,
    };
    report.properties.iter().filter_map(|property| trace(&property.verdict)).collect()
}

/// Replaces all bits that are not known by random ones.
fn scramble(value: &Value, known: &Known, rng: &mut Rng) -> Value {
    let mix = |value: &BitVec, mask: &BitVec, rng: &mut Rng| {
        value.and(mask).or(&rng.bitvec(value.width()).and(&mask.not()))
    };
    match (value, known) {
        (_, Known::All) => value.clone(),
        (Value::Bv(bits), Known::Mask(mask)) => mix(bits, mask.bv(), rng).into(),
        (Value::Array(array), Known::Mask(mask)) => {
            let width = array.index_width();
            let mut scrambled = ArrayValue::constant(width, array.default_element().clone());
            for index in (0..1u64 << width).map(|index| BitVec::new(width, index)) {
                let element = mix(array.read(&index), mask.array().read(&index), rng);
                scrambled.write(index, element);
            }
            scrambled.into()
        }
    }
}

/// The trace with other values wherever they do not matter.
fn other(trace: &Trace, relevance: &Relevance, rng: &mut Rng) -> Trace {
    let mut other = trace.clone();
    for (state, value) in other.initial.iter_mut().enumerate() {
        *value = scramble(value, &relevance.initial(state), rng);
    }
    for (cycle, step) in other.steps.iter_mut().enumerate() {
        for input in 0..step.inputs.len() {
            let value = scramble(&step.inputs[input], &relevance.input(cycle, input), rng);
            step.inputs.set(input, value);
        }
        for (position, value) in step.free.iter_mut().enumerate() {
            *value = scramble(value, &relevance.free(cycle, position), rng);
        }
    }
    other
}

fn fails(system: &TransitionSystem, trace: &Trace) -> bool {
    let mut simulator = Simulator::of_trace(system, trace);
    for step in &trace.steps[1..] {
        if !simulator.constraints_hold() {
            return false;
        }
        simulator.follow(step);
    }
    simulator.constraints_hold() && simulator.holds(system.bad(trace.property).unwrap())
}

/// The known bits of a value; all others are zero.
fn known_part(value: &Value, known: &Known) -> Value {
    match (value, known) {
        (_, Known::All) => value.clone(),
        (Value::Bv(bits), Known::Mask(mask)) => bits.and(mask.bv()).into(),
        (Value::Array(array), Known::Mask(mask)) => {
            let width = array.index_width();
            let zero = BitVec::zero(array.element_width());
            let mut part = ArrayValue::constant(width, zero);
            for index in (0..1u64 << width).map(|index| BitVec::new(width, index)) {
                part.write(index.clone(), array.read(&index).and(mask.array().read(&index)));
            }
            part.into()
        }
    }
}

#[test]
fn values_that_do_not_matter_may_be_changed_together() {
    let shapes = [Shape::BITS, Shape::WORDS, Shape::ARRAYS, Shape::NUMBERS];
    let (mut found, mut opened, mut vague) = (0, 0, 0);
    for (shape, seed) in shapes.iter().flat_map(|&shape| (0..400).map(move |seed| (shape, seed))) {
        let system = labelled(Generator::system(seed, shape));
        for trace in traces(&system) {
            let relevance = Relevance::of(&system, &trace);
            let relevance = relevance.unwrap_or_else(|| panic!("seed {seed}: no analysis"));
            let known = Waves::of_trace(&system, &trace, Some(&relevance), nets::all(&system));
            let unknown = |signal: &elinvar::readable::waves::Signal| {
                signal.known.iter().filter(|known| !known.is_all()).count()
            };
            vague += known.signals.iter().map(unknown).sum::<usize>();
            let mut rng = Rng::new(seed);
            for _ in 0..4 {
                let other = other(&trace, &relevance, &mut rng);
                opened += usize::from(other != trace);
                assert!(fails(&system, &other), "{shape:?}, seed {seed}: {other:?}");
                let waves = Waves::of_trace(&system, &other, None, nets::all(&system));
                for (one, two) in known.signals.iter().zip(&waves.signals) {
                    for cycle in 0..known.cycles {
                        let part = |value| known_part(value, &one.known[cycle]);
                        let (one_value, two_value) =
                            (part(&one.values[cycle]), part(&two.values[cycle]));
                        assert_eq!(
                            one_value, two_value,
                            "{shape:?}, seed {seed}: {}",
                            one.net.name
                        );
                    }
                }
            }
            found += 1;
        }
    }
    // The test would be empty if there were no traces, or if every value mattered.
    assert!(found > 200 && opened > 400 && vague > 1000, "{found} {opened} {vague}");
}
