//! Executions that were not found by an engine: those of random or given inputs.

use elinvar_ir::{PropertyId, Rng, Sort, Step, Trace, TransitionSystem};

/// An execution of so many cycles in which everything that is free has a random value. It depends
/// on the seed alone, and does not respect constraints.
///
/// ```
/// use elinvar::ir::{Sort, SystemBuilder};
/// let mut b = SystemBuilder::new();
/// b.input(Sort::Bv(8), Some("x"))?;
/// let system = b.finish()?;
/// let trace = elinvar::stimulus::random(&system, 3, 1);
/// assert_eq!((trace.steps.len(), &trace), (3, &elinvar::stimulus::random(&system, 3, 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn random(system: &TransitionSystem, cycles: usize, seed: u64) -> Trace {
    let mut rng = Rng::new(seed);
    let sort = |symbol| -> Sort { system.pool().sort(symbol) };
    let initial = system.states().iter().map(|state| rng.value(sort(state.symbol))).collect();
    let mut steps = Vec::new();
    for cycle in 0..cycles {
        let inputs = system.inputs().iter().map(|i| rng.value(sort(i.symbol))).collect();
        let free_states = if cycle == 0 { &[] } else { system.free_states() };
        let symbol = |&index: &usize| system.states()[index].symbol;
        let free = free_states.iter().map(|i| rng.value(sort(symbol(i)))).collect();
        steps.push(Step { inputs, free });
    }
    Trace { property: PropertyId(0), initial, steps: steps.into(), loop_start: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::SystemBuilder;

    #[test]
    fn stimulus_is_random_but_repeatable() {
        let mut b = SystemBuilder::new();
        b.input(Sort::Bv(64), Some("x")).unwrap();
        b.state(Sort::Bv(64), Some("free")).unwrap();
        let system = b.finish().unwrap();
        let trace = random(&system, 3, 1);
        assert_eq!(trace, random(&system, 3, 1));
        assert_ne!(trace, random(&system, 3, 2));
        assert_eq!(trace.steps.iter().map(|s| s.free.len()).collect::<Vec<_>>(), [0, 1, 1]);
    }
}
