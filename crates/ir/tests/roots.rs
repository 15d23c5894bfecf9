//! A simulation of what some roots depend on shows the same values of them as one of everything.

use elinvar_ir::{ExprId, PropertyId, Rng, Simulator, Step, Trace, Value};
use elinvar_models::{Generator, Shape};

#[test]
fn roots_have_the_same_values_in_both_simulations() {
    let mut left_out = 0;
    for seed in 0..200 {
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
            let system = Generator::system(seed, shape);
            let mut rng = Rng::new(seed);
            let pool = system.pool();
            let mut value = |symbol: ExprId| -> Value { rng.uneven_value(pool.sort(symbol)) };
            let free: Vec<ExprId> =
                system.free_states().iter().map(|&state| system.states()[state].symbol).collect();
            let mut steps: Vec<Step> = Vec::new();
            for cycle in 0..6 {
                let inputs = system.inputs().iter().map(|input| value(input.symbol)).collect();
                let free = if cycle == 0 { &[] } else { &free[..] };
                let free = free.iter().map(|&symbol| value(symbol)).collect();
                steps.push(Step { inputs, free });
            }
            let initial = system.states().iter().map(|state| value(state.symbol)).collect();
            let property = PropertyId(0);
            let trace = Trace { property, initial, steps: steps.into(), loop_start: None };
            let mut roots = system.constraints().to_vec();
            roots.extend(system.property(property).bits());
            let cone = system.cone_of_influence(roots.iter().copied());
            left_out += usize::from(cone.len() < system.states().len());
            let mut whole = Simulator::of_trace(&system, &trace);
            let mut part = Simulator::of_roots(&system, &trace, &roots);
            assert_eq!(whole.states(), part.states(), "seed {seed} {shape:?}");
            for step in trace.steps.iter().skip(1) {
                whole.follow(step);
                part.follow(step);
                for &state in &cone {
                    assert_eq!(
                        whole.states()[state],
                        part.states()[state],
                        "seed {seed} {shape:?}"
                    );
                }
                for &root in &roots {
                    assert_eq!(whole.holds(root), part.holds(root), "seed {seed} {shape:?}");
                }
            }
        }
    }
    assert!(left_out > 20, "{left_out}");
}
