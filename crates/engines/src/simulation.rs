//! Random simulation: what fails under almost any stimulus is found by trying,
//! however deep it lies.
//!
//! Runs of the reference simulator with random inputs, each until a constraint is
//! violated or it is long enough. Limits: it never says *safe*, and its traces are
//! not the shortest.

use elinvar_ir::{
    ExprId, PropertyId, Rng, Simulator, Step, StopReason, Trace, TransitionSystem, Value, Values,
    Verdict,
};

use crate::bmc::bad_bits;
use crate::engine::{EngineError, implement_engine};
use crate::task::Task;

/// How much is tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimulationOptions {
    /// The most cycles of one run.
    pub cycles: usize,
    /// The most cycles of all runs together.
    pub all_cycles: usize,
    /// The most expressions that are evaluated, in all cycles together.
    pub evaluations: usize,
}

impl Default for SimulationOptions {
    fn default() -> Self {
        SimulationOptions { cycles: 250, all_cycles: 1_000, evaluations: 1_000_000 }
    }
}

/// The engine.
pub struct Simulation(pub SimulationOptions);

const NAME: &str = "simulation";

implement_engine!(Simulation, NAME, check);

fn check(options: &SimulationOptions, task: &Task) -> Result<(), EngineError> {
    let (system, run) = (task.subject(), task.run());
    let SimulationOptions { cycles, all_cycles, evaluations } = *options;
    let mut left = all_cycles.min(evaluations / system.pool().len().max(1));
    let cycles = cycles.min(left);
    let mut open = bad_bits(task)?;
    let mut rng = Rng::new(run.seed());
    while left > 0 && !open.is_empty() && run.stop().is_none() {
        let mut attempt = Attempt::start(system, &mut rng);
        for _ in 0..cycles.min(left) {
            left -= 1;
            if !attempt.simulator.constraints_hold() {
                break;
            }
            open.retain(|&(property, bad)| {
                let fails = attempt.simulator.holds(bad);
                if fails {
                    let trace = attempt.trace(property);
                    let depth = trace.depth();
                    task.decide(NAME, property, Verdict::Unsafe(trace), depth);
                }
                !fails
            });
            attempt.step(&mut rng);
        }
    }
    let reason = run.stop().unwrap_or(StopReason::Bound(cycles.saturating_sub(1)));
    Err(EngineError::Stopped(reason))
}

/// A run and what was chosen in it so far.
struct Attempt<'a> {
    system: &'a TransitionSystem,
    simulator: Simulator<'a>,
    initial: Vec<Value>,
    steps: Vec<Step>,
}

impl<'a> Attempt<'a> {
    fn start(system: &'a TransitionSystem, rng: &mut Rng) -> Self {
        let inputs = random_inputs(system, rng);
        let free = |state: usize| random(rng, system, system.states()[state].symbol);
        let simulator = Simulator::new(system, free, inputs.clone());
        let initial = simulator.states().to_vec();
        Attempt { system, simulator, initial, steps: vec![Step { inputs, free: Vec::new() }] }
    }

    fn step(&mut self, rng: &mut Rng) {
        let system = self.system;
        let inputs = random_inputs(system, rng);
        let free = |state: usize| random(rng, system, system.states()[state].symbol);
        self.simulator.step(free, inputs.clone());
        let free = system.free_states().iter().map(|&i| self.simulator.states()[i].clone());
        self.steps.push(Step { inputs, free: free.collect() });
    }

    fn trace(&self, property: PropertyId) -> Trace {
        Trace {
            property,
            initial: self.initial.clone(),
            steps: self.steps.clone().into(),
            loop_start: None,
        }
    }
}

fn random_inputs(system: &TransitionSystem, rng: &mut Rng) -> Values {
    system.inputs().iter().map(|input| random(rng, system, input.symbol)).collect()
}

fn random(rng: &mut Rng, system: &TransitionSystem, symbol: ExprId) -> Value {
    rng.value(system.pool().sort(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use elinvar_models::{Counter, Generator, Outcome, Shape, search};

    /// An enabled counter of eight bits that must not reach 100.
    fn counter() -> TransitionSystem {
        Counter::new(8).enabled().not(100)
    }

    #[test]
    fn deep_bugs_are_found_if_they_are_easy() {
        let system = counter();
        let found = tried(&system, &[PropertyId(0)], 1000, 1000);
        let [Verdict::Unsafe(trace)] = &found[..] else { panic!("{found:?}") };
        assert!(trace.depth() >= 100);
        let found = tried(&system, &[PropertyId(0)], 100, 1000);
        assert_eq!(found, [Verdict::Unknown(StopReason::Bound(99))]);
    }

    fn tried(
        system: &TransitionSystem,
        properties: &[PropertyId],
        cycles: usize,
        all_cycles: usize,
    ) -> Vec<Verdict> {
        let options = SimulationOptions { cycles, all_cycles, ..SimulationOptions::default() };
        let task = Task::about(system, properties, &Run::new());
        task.check(&mut Simulation(options)).unwrap()
    }

    #[test]
    fn large_models_are_tried_for_fewer_cycles() {
        let system = counter();
        let evaluations = 3 * system.pool().len();
        let options = SimulationOptions { evaluations, ..SimulationOptions::default() };
        let task = Task::about(&system, &[PropertyId(0)], &Run::new());
        let found = task.check(&mut Simulation(options)).unwrap();
        assert_eq!(found, [Verdict::Unknown(StopReason::Bound(2))]);
    }

    #[test]
    fn nothing_is_found_that_is_not_there() {
        let mut found = 0;
        for shape in [Shape::BITS, Shape::WORDS, Shape::ARRAYS] {
            for seed in 0..60 {
                let system = Generator::system(seed, shape);
                let Ok(truth) = search(&system, 20_000) else { continue };
                let properties: Vec<PropertyId> = truth.iter().map(|&(id, _)| id).collect();
                let verdicts = tried(&system, &properties, 20, 100);
                for (&(_, outcome), verdict) in truth.iter().zip(&verdicts) {
                    if let Verdict::Unsafe(trace) = verdict {
                        let Outcome::Unsafe(depth) = outcome else { panic!("seed {seed}") };
                        assert!(trace.depth() >= depth, "seed {seed}");
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 10, "only {found} found");
    }
}
