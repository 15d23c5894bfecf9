//! The values of signals over the cycles of an execution.

use elinvar_ir::{ExprId, Role, Simulator, Trace, TransitionSystem, Value};

/// What some signals were, cycle by cycle.
///
/// ```
/// use elinvar::ir::Verdict;
/// use elinvar::readable::waves::{Waves, all_signals, nearest_signals};
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let Verdict::Unsafe(elinvar::Trace::System(trace)) = &report.properties[0].verdict else {
///     panic!("it toggles")
/// };
/// let problem = problem.as_system()?;
/// let system = problem.system();
/// let waves = Waves::of_trace(system, trace, &all_signals(system));
/// assert_eq!((waves.cycles, waves.signals.len()), (2, 1));
/// let bad = system.bad(trace.property).unwrap();
/// assert_eq!(nearest_signals(system, bad), all_signals(system));
/// # Ok::<(), elinvar::Error>(())
/// ```
pub struct Waves {
    /// One for each signal.
    pub signals: Vec<Signal>,
    /// How many cycles are recorded.
    pub cycles: usize,
}

/// One input or state.
pub struct Signal {
    /// Its name in the model.
    pub name: String,
    /// Which input or state it is.
    pub role: Role,
    /// By cycle.
    pub values: Vec<Value>,
    /// By cycle: false when any other value would do as well.
    pub matters: Vec<bool>,
    /// How many signals of the model this is.
    pub stands_for: usize,
}

impl Waves {
    /// Nothing recorded yet of these signals.
    pub fn new(system: &TransitionSystem, shown: &[Role]) -> Self {
        let signal = |&role: &Role| {
            let name = match role {
                Role::Input(index) => system.input_name(index),
                Role::State(index) => system.state_name(index),
            };
            Signal { name, role, values: Vec::new(), matters: Vec::new(), stands_for: 1 }
        };
        Waves { signals: shown.iter().map(signal).collect(), cycles: 0 }
    }

    /// Adds the current cycle of the simulator.
    pub fn record(&mut self, simulator: &Simulator<'_>) {
        for signal in &mut self.signals {
            signal.values.push(match signal.role {
                Role::Input(index) => simulator.inputs()[index].clone(),
                Role::State(index) => simulator.states()[index].clone(),
            });
            signal.matters.push(true);
        }
        self.cycles += 1;
    }

    /// Replays a trace that was checked before.
    pub fn of_trace(system: &TransitionSystem, trace: &Trace, shown: &[Role]) -> Self {
        let mut waves = Waves::new(system, shown);
        execute(system, trace, |_, simulator| waves.record(simulator));
        waves
    }
}

/// Calls `each` in every cycle of the execution. Initial values that the
/// system defines are not taken from the trace.
pub fn execute(
    system: &TransitionSystem,
    trace: &Trace,
    mut each: impl FnMut(usize, &Simulator<'_>),
) {
    let mut simulator = Simulator::of_trace(system, trace);
    each(0, &simulator);
    for (cycle, step) in trace.steps.iter().enumerate().skip(1) {
        simulator.follow(step);
        each(cycle, &simulator);
    }
}

/// All signals in the order of the model.
pub fn all_signals(system: &TransitionSystem) -> Vec<Role> {
    let inputs = (0..system.inputs().len()).map(Role::Input);
    inputs.chain((0..system.states().len()).map(Role::State)).collect()
}

/// The signals that `root` depends on through any number of cycles: those
/// first that fewer registers lie before.
pub fn nearest_signals(system: &TransitionSystem, root: ExprId) -> Vec<Role> {
    let pool = system.pool();
    let mut seen = vec![false; pool.len()];
    let mut found = Vec::new();
    let mut layer = vec![root];
    while !layer.is_empty() {
        let mut beyond = Vec::new();
        while let Some(expr) = layer.pop() {
            if std::mem::replace(&mut seen[expr.node()], true) {
                continue;
            }
            match system.role_of(expr.regular()) {
                Some(role) => {
                    found.push(role);
                    if let Role::State(index) = role {
                        let state = system.states()[index];
                        beyond.extend(state.init.into_iter().chain(state.next));
                    }
                }
                None => pool.for_each_operand(expr, |operand| layer.push(operand)),
            }
        }
        layer = beyond;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{Sort, SystemBuilder};

    /// a ← b ← x, and y beside it.
    fn shift_register() -> (TransitionSystem, ExprId) {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, Some("x")).unwrap();
        b.input(Sort::BOOL, Some("y")).unwrap();
        let first = b.state(Sort::BOOL, Some("a")).unwrap();
        let second = b.state(Sort::BOOL, Some("b")).unwrap();
        b.states[0].next = Some(second);
        b.states[1].next = Some(x);
        b.bad("p", first);
        (b.finish().unwrap(), first)
    }

    #[test]
    fn the_cone_goes_through_registers() {
        let (system, bad) = shift_register();
        let cone = [Role::State(0), Role::State(1), Role::Input(0)];
        assert_eq!(nearest_signals(&system, bad), cone);
        assert_eq!(all_signals(&system).len(), 4);
    }
}
