//! The values of signals over the cycles of an execution.

use elinvar_ir::{BitVec, ExprId, Role, Simulator, Trace, TransitionSystem, Value};

use super::nets::Net;
use super::relevance::{Known, Relevance, Tracker};

/// What some signals were, cycle by cycle.
///
/// ```
/// use elinvar::ir::Verdict;
/// use elinvar::readable::{nets, waves::Waves};
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let Verdict::Unsafe(elinvar::Trace::System(trace)) = &report.properties[0].verdict else {
///     panic!("it toggles")
/// };
/// let problem = problem.as_system()?;
/// let system = problem.system();
/// let waves = Waves::of_trace(system, trace, None, nets::all(system));
/// assert_eq!((waves.cycles, waves.signals.len()), (2, 1));
/// assert!(!waves.signals[0].values[0].bv().is_true() && waves.signals[0].values[1].bv().is_true());
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Waves {
    /// One for each signal.
    pub signals: Vec<Signal>,
    /// How many cycles are recorded.
    pub cycles: usize,
    /// The cycle to which the execution returns after the last one, if it is a loop.
    pub loop_start: Option<usize>,
}

/// The values of one signal.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Which signal it is.
    pub net: Net,
    /// By cycle.
    pub values: Vec<Value>,
    /// By cycle: the bits that do not depend on choices that do not matter.
    pub known: Vec<Known>,
}

impl Signal {
    /// Does any bit of the value in this cycle matter?
    pub fn matters(&self, cycle: usize) -> bool {
        self.known[cycle].is_any()
    }

    /// Has the value changed since the cycle before? Values that do not matter do not count.
    pub fn changes(&self, cycle: usize) -> bool {
        cycle > 0
            && self.matters(cycle - 1)
            && self.matters(cycle)
            && self.values[cycle] != self.values[cycle - 1]
    }

    /// Does the value change in any cycle?
    pub fn is_changing(&self) -> bool {
        (1..self.values.len()).any(|cycle| self.changes(cycle))
    }
}

impl Waves {
    /// Nothing recorded yet of these signals.
    pub fn new(nets: Vec<Net>) -> Self {
        let signal = |net| Signal { net, values: Vec::new(), known: Vec::new() };
        Waves { signals: nets.into_iter().map(signal).collect(), cycles: 0, loop_start: None }
    }

    /// Adds a cycle.
    pub fn record(&mut self, moment: &Moment<'_>) {
        for signal in &mut self.signals {
            let (value, known) = moment.read(&signal.net.parts);
            signal.values.push(value);
            signal.known.push(known);
        }
        self.cycles += 1;
    }

    /// Replays a trace that was checked before.
    pub fn of_trace(
        system: &TransitionSystem,
        trace: &Trace,
        relevance: Option<&Relevance>,
        nets: Vec<Net>,
    ) -> Self {
        let mut waves = Waves::new(nets);
        execute(system, trace, relevance, |_, moment| waves.record(moment));
        waves.loop_start = trace.loop_start;
        waves
    }
}

/// One cycle of an execution.
pub struct Moment<'a> {
    system: &'a TransitionSystem,
    cycle: usize,
    simulator: &'a Simulator<'a>,
    tracker: Option<&'a Tracker<'a>>,
}

impl<'a> Moment<'a> {
    /// The simulator in this cycle.
    pub fn simulator(&self) -> &'a Simulator<'a> {
        self.simulator
    }

    /// The value of an input, a state, an output, a label or a bad bit.
    pub fn value(&self, expr: ExprId) -> Value {
        match self.system.role_of(expr) {
            Some(Role::Input(index)) => self.simulator.inputs()[index].clone(),
            Some(Role::State(index)) => self.simulator.states()[index].clone(),
            None => self.simulator.value(expr),
        }
    }

    /// The bits of the value that do not depend on choices that do not matter.
    pub fn known(&self, expr: ExprId) -> Known {
        self.tracker.map_or(Known::All, |tracker| tracker.known(self.cycle, expr))
    }

    /// The value of an expression, or of a word whose bits are these expressions.
    pub fn read(&self, parts: &[ExprId]) -> (Value, Known) {
        if let [expr] = *parts {
            return (self.value(expr), self.known(expr));
        }
        let bits = parts.iter().map(|&bit| self.value(bit).bv().is_true());
        let known = parts.iter().map(|&bit| self.known(bit).is_any());
        (BitVec::from_bits(bits).into(), Known::of(BitVec::from_bits(known).into()))
    }
}

/// Calls `each` in every cycle of the execution. Initial values that the system defines are not
/// taken from the trace.
pub fn execute(
    system: &TransitionSystem,
    trace: &Trace,
    relevance: Option<&Relevance>,
    mut each: impl FnMut(usize, &Moment<'_>),
) {
    let mut simulator = Simulator::of_trace(system, trace);
    let mut tracker = relevance.map(|known| Tracker::new(system, known, &simulator));
    for (cycle, step) in trace.steps.iter().enumerate() {
        if cycle > 0 {
            simulator.follow(step);
            if let Some(tracker) = &mut tracker {
                tracker.step(cycle, &simulator);
            }
        }
        let (simulator, tracker) = (&simulator, tracker.as_ref());
        each(cycle, &Moment { system, cycle, simulator, tracker });
    }
}
