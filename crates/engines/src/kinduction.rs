//! k-induction [Sheeran, Singh, Stålmarck 2000] with and without all-different
//! constraints (simple paths), as in the case studies of the BTOR paper.
//!
//! For growing k: the base case looks for a bad state in exactly k steps (the
//! sweep of [`crate::bmc`], for all properties at once); the step case asks, for
//! each open property, whether a path of good states can end in a bad one. With
//! all-different constraints the method is complete: the states on a shortest
//! path to a bad state are pairwise different. The states meant are those in the
//! property's cone of influence; memories differ when some element does.
//!
//! Where initial values depend on inputs, the base case runs one cycle ahead: a
//! path that comes back to its first state cannot be cut there, since another
//! input may not make that state initial.
//!
//! Before k grows, each open property gets one try at a stronger one that is
//! inductive at once, see `strengthen`.

use elinvar_ir::{
    Certificate, ExprId, PropertyId, Role, StopReason, TransitionSystem, Value, Verdict, cone,
};
use rustc_hash::FxHashMap;

use crate::bmc::{Sweep, bad_bits, known};
use crate::engine::{EngineError, implement_engine};
use crate::run::{Event, Run, Stopped, work_of_values};
use crate::strengthen::strengthen;
use crate::task::Task;
use crate::unroll::{Question, Reply, Start, Unrolling};

/// How states of a path are made to differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distinct {
    /// Not at all: incomplete, but each question is easy.
    Never,
    /// Pairs that are equal in a model are told apart, then the question is
    /// asked again.
    Lazy,
    /// All pairs from the start.
    Eager,
}

/// What may be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KInductionOptions {
    /// The last k; none means until the run is stopped.
    pub bound: Option<usize>,
    /// How states of a path are made to differ.
    pub distinct: Distinct,
    /// Keep the solvers over all bounds.
    pub incremental: bool,
    /// Try stronger properties that are inductive at once.
    pub strengthen: bool,
}

impl Default for KInductionOptions {
    fn default() -> Self {
        KInductionOptions {
            bound: None,
            distinct: Distinct::Lazy,
            incremental: true,
            strengthen: true,
        }
    }
}

/// The engine.
pub struct KInduction(pub KInductionOptions);

const NAME: &str = "kind";

implement_engine!(KInduction, NAME, check);

fn check(options: &KInductionOptions, task: &Task) -> Result<(), EngineError> {
    let KInductionOptions { bound, distinct, incremental, strengthen } = *options;
    let mut base = Sweep::new(task, NAME)?;
    let mut steps = StepCases::new(task, distinct)?;
    let ahead = if init_reads_inputs(task.subject()) { 0 } else { 1 };
    let mut k = 0;
    while bound.is_none_or(|bound| k <= bound) {
        task.run().emit(Event::bound(NAME, k));
        if !incremental {
            base = Sweep::new(task, NAME)?;
            steps.restart()?;
        }
        // Other engines may have looked further.
        if known(task) <= k {
            base.look_at(k, k)?.into_iter().for_each(|failing| steps.close(failing));
        }
        // No bad state in cycles 0 to k: the step case of k + 1, or of k.
        let mut proved = steps.prove(k + ahead)?;
        if strengthen && k == 1 {
            proved.extend(steps.strengthen()?);
        }
        proved.into_iter().for_each(|property| base.close(property));
        if base.is_done() {
            return Ok(());
        }
        k += 1;
    }
    Err(EngineError::Stopped(StopReason::Bound(k - 1)))
}

fn init_reads_inputs(system: &TransitionSystem) -> bool {
    let inits = system.states().iter().filter_map(|state| state.init);
    let is_input = |&node: &ExprId| matches!(system.role_of(node), Some(Role::Input(_)));
    cone(system.pool(), inits).iter().any(is_input)
}

/// The step cases of all open properties.
struct StepCases<'a> {
    task: &'a Task,
    distinct: Distinct,
    cases: Vec<StepCase<'a>>,
}

impl<'a> StepCases<'a> {
    fn new(task: &'a Task, distinct: Distinct) -> Result<Self, EngineError> {
        let case = |(id, bad)| StepCase::new(task.subject(), id, bad, distinct, task.run());
        let cases = bad_bits(task)?.into_iter().map(case).collect::<Result<_, _>>()?;
        Ok(StepCases { task, distinct, cases })
    }

    fn close(&mut self, property: PropertyId) {
        self.cases.retain(|case| case.property != property);
    }

    /// Forgets all that the solvers learned.
    fn restart(&mut self) -> Result<(), EngineError> {
        let (system, run) = (self.task.subject(), self.task.run());
        for case in &mut self.cases {
            let (id, bad) = (case.property, case.bad);
            *case = StepCase::new(system, id, bad, self.distinct, run)?;
        }
        Ok(())
    }

    /// Decides the properties that a stronger one proves; they are not open any more.
    fn strengthen(&mut self) -> Result<Vec<PropertyId>, EngineError> {
        let (system, run) = (self.task.subject(), self.task.run());
        let mut proved = Vec::new();
        for case in &self.cases {
            if let Some(formula) = strengthen(system, case.bad, NAME, run)? {
                let verdict = Verdict::Safe(Certificate::Formula(Box::new(formula)));
                self.task.decide(NAME, case.property, verdict, 1);
                proved.push(case.property);
            }
        }
        self.cases.retain(|case| !proved.contains(&case.property));
        Ok(proved)
    }

    /// Decides the properties whose step case holds for `k`; they are not open any more.
    fn prove(&mut self, k: usize) -> Result<Vec<PropertyId>, Stopped> {
        let mut proved = Vec::new();
        if k == 0 {
            return Ok(proved);
        }
        for case in &mut self.cases {
            if let Some(certificate) = case.holds(k)? {
                self.task.decide(NAME, case.property, Verdict::Safe(certificate), k);
                proved.push(case.property);
            }
        }
        self.cases.retain(|case| !proved.contains(&case.property));
        Ok(proved)
    }
}

/// The step case of one property.
struct StepCase<'a> {
    property: PropertyId,
    bad: ExprId,
    distinct: Distinct,
    run: &'a Run,
    states: Vec<usize>,
    question: Question<'a>,
    /// Frames below this one are asserted to be good.
    good: usize,
    /// Frames below this one are all different (eager), or some are (lazy).
    told_apart: bool,
    compared: usize,
}

impl<'a> StepCase<'a> {
    fn new(
        system: &'a TransitionSystem,
        property: PropertyId,
        bad: ExprId,
        distinct: Distinct,
        run: &'a Run,
    ) -> Result<Self, EngineError> {
        let unrolling = Unrolling::new(system, &[bad], Start::Anywhere)?;
        let question = Question::new(unrolling, NAME, run);
        let constraints = system.constraints().iter().copied();
        let states = system.cone_of_influence(constraints.chain([bad])).into_iter().collect();
        Ok(StepCase {
            property,
            bad,
            distinct,
            run,
            states,
            question,
            good: 0,
            told_apart: false,
            compared: 0,
        })
    }

    /// The certificate, if no path of `k` good states (all different) leads to a bad one.
    fn holds(&mut self, k: usize) -> Result<Option<Certificate>, Stopped> {
        while self.good < k {
            let frame = self.good;
            let constraints = self.question.unrolling.constraints(frame);
            let bad = self.question.unrolling.bit(self.bad, frame);
            self.question.assert(&[constraints]);
            self.question.assert(&[!bad]);
            self.good += 1;
        }
        if self.distinct == Distinct::Eager {
            self.tell_all_apart(k);
        }
        let constraints = self.question.unrolling.constraints(k);
        let bad = self.question.unrolling.bit(self.bad, k);
        loop {
            // SAT?  good(0) ∧ T ∧ … ∧ good(k-1) ∧ T ∧ bad(k), constraints in all frames
            match self.question.ask("step", &[constraints, bad])? {
                Reply::Unsat(_) => {
                    let simple_path = self.told_apart;
                    return Ok(Some(Certificate::KInductive { k, simple_path }));
                }
                Reply::Sat(model) => {
                    if self.distinct != Distinct::Lazy {
                        return Ok(None);
                    }
                    let states: Vec<Vec<Value>> = (0..=k)
                        .map(|frame| {
                            self.question.unrolling.state_values(&self.states, frame, &model)
                        })
                        .collect();
                    self.run.spend(work_of_values(states.len() * self.states.len()));
                    if !self.tell_equal_apart(&states) {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn tell_all_apart(&mut self, k: usize) {
        let from = self.compared.max(1);
        for later in from..=k {
            for earlier in 0..later {
                self.tell_apart(earlier, later);
            }
        }
        self.compared = k + 1;
    }

    /// Excludes the pairs of frames with equal states; false when there are none.
    fn tell_equal_apart(&mut self, states: &[Vec<Value>]) -> bool {
        let mut count = 0;
        let mut frames: FxHashMap<&[Value], Vec<usize>> = FxHashMap::default();
        for (later, state) in states.iter().enumerate() {
            let equal = frames.entry(state).or_default();
            for &earlier in &*equal {
                self.tell_apart(earlier, later);
                count += 1;
            }
            equal.push(later);
        }
        if count > 0 {
            self.run.emit(Event::DistinctPairs { engine: NAME, count });
        }
        count > 0
    }

    fn tell_apart(&mut self, earlier: usize, later: usize) {
        let differ = self.question.unrolling.states_differ(&self.states, earlier, later);
        self.question.assert(&[differ]);
        self.told_apart = true;
    }
}
