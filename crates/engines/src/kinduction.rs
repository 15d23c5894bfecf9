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

use crate::bmc::{Sweep, Verdicts, bad_bits};
use crate::engine::{Engine, EngineError, Halt};
use crate::run::{Event, Run};
use crate::strengthen::strengthen;
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KInductionOptions {
    /// The last k; none means until the run is stopped.
    pub bound: Option<usize>,
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

pub struct KInduction {
    options: KInductionOptions,
}

impl KInduction {
    pub fn new(options: KInductionOptions) -> Self {
        KInduction { options }
    }
}

const NAME: &str = "kind";

impl Engine for KInduction {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(
        &mut self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError> {
        let mut verdicts = Verdicts::new(properties);
        let mut base = Sweep::new(system, properties, NAME, run)?;
        let mut steps = StepCases::new(system, properties, self.options.distinct, run)?;
        let ahead = if init_reads_inputs(system) { 0 } else { 1 };
        let mut k = 0;
        let reason = loop {
            if self.options.bound.is_some_and(|bound| k > bound) {
                break StopReason::Bound(k - 1);
            }
            run.emit(Event::Bound { engine: NAME, bound: k });
            if !self.options.incremental {
                base = Sweep::new(system, &base.open(), NAME, run)?;
                steps.restart()?;
            }
            match base.look_at(k, k) {
                Ok(traces) => {
                    traces.iter().for_each(|trace| steps.close(trace.property));
                    verdicts.add_traces(traces);
                }
                Err(reason) => break reason,
            }
            // No bad state in cycles 0 to k: the step case of k + 1, or of k.
            let mut proved = match steps.prove(k + ahead) {
                Ok(proved) => proved,
                Err(reason) => break reason,
            };
            if self.options.strengthen && k == 1 {
                match steps.strengthen() {
                    Ok(strengthened) => proved.extend(strengthened),
                    Err(Halt::Stopped(reason)) => break reason,
                    Err(Halt::Error(error)) => return Err(error),
                }
            }
            for (property, certificate) in proved {
                base.close(property);
                verdicts.set(property, Verdict::Safe(certificate));
            }
            if verdicts.complete() {
                break StopReason::Bound(k);
            }
            k += 1;
        };
        Ok(verdicts.finish(&reason))
    }
}

fn init_reads_inputs(system: &TransitionSystem) -> bool {
    let inits = system.states().iter().filter_map(|state| state.init);
    let is_input = |&node: &ExprId| matches!(system.role_of(node), Some(Role::Input(_)));
    cone(system.pool(), inits).iter().any(is_input)
}

/// The step cases of all open properties.
struct StepCases<'a> {
    system: &'a TransitionSystem,
    distinct: Distinct,
    run: &'a Run,
    cases: Vec<StepCase<'a>>,
}

impl<'a> StepCases<'a> {
    fn new(
        system: &'a TransitionSystem,
        properties: &[PropertyId],
        distinct: Distinct,
        run: &'a Run,
    ) -> Result<Self, EngineError> {
        let bads = bad_bits(system, properties)?;
        let case = |(id, bad)| StepCase::new(system, id, bad, distinct, run);
        let cases = bads.into_iter().map(case).collect::<Result<_, _>>()?;
        Ok(StepCases { system, distinct, run, cases })
    }

    fn close(&mut self, property: PropertyId) {
        self.cases.retain(|case| case.property != property);
    }

    /// Forgets all that the solvers learned.
    fn restart(&mut self) -> Result<(), EngineError> {
        for case in &mut self.cases {
            let (id, bad) = (case.property, case.bad);
            *case = StepCase::new(self.system, id, bad, self.distinct, self.run)?;
        }
        Ok(())
    }

    /// The properties that a stronger one proves; they are open no longer.
    fn strengthen(&mut self) -> Result<Vec<(PropertyId, Certificate)>, Halt> {
        let mut proved = Vec::new();
        for case in &self.cases {
            if let Some(formula) = strengthen(self.system, case.bad, NAME, self.run)? {
                let (engine, property) = (NAME, case.property);
                self.run.emit(Event::Decided { engine, property, safe: true, depth: 1 });
                proved.push((property, Certificate::Formula(Box::new(formula))));
            }
        }
        self.cases.retain(|case| proved.iter().all(|(id, _)| *id != case.property));
        Ok(proved)
    }

    /// The properties whose step case holds for `k`; they are open no longer.
    fn prove(&mut self, k: usize) -> Result<Vec<(PropertyId, Certificate)>, StopReason> {
        let mut proved = Vec::new();
        if k == 0 {
            return Ok(proved);
        }
        for case in &mut self.cases {
            match case.holds(k) {
                Ok(Some(certificate)) => {
                    let (engine, property) = (NAME, case.property);
                    let event = Event::Decided { engine, property, safe: true, depth: k };
                    self.run.emit(event);
                    proved.push((case.property, certificate));
                }
                Ok(None) => {}
                Err(reason) if proved.is_empty() => return Err(reason),
                // What was proved is kept; the next question ends the run.
                Err(_) => break,
            }
        }
        self.cases.retain(|case| proved.iter().all(|(id, _)| *id != case.property));
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
    fn holds(&mut self, k: usize) -> Result<Option<Certificate>, StopReason> {
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
            match self.question.ask("step", &[constraints, bad]) {
                Reply::Unsat(_) => {
                    let simple_path = self.told_apart;
                    return Ok(Some(Certificate::KInductive { k, simple_path }));
                }
                Reply::Stopped(reason) => return Err(reason),
                Reply::Sat(model) => {
                    if self.distinct != Distinct::Lazy {
                        return Ok(None);
                    }
                    let states: Vec<Vec<Value>> = (0..=k)
                        .map(|frame| {
                            self.question.unrolling.state_values(&self.states, frame, &model)
                        })
                        .collect();
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
        for later in 1..states.len() {
            for earlier in 0..later {
                let mut pairs = states[earlier].iter().zip(&states[later]);
                if pairs.all(|(a, b)| a == b) {
                    self.tell_apart(earlier, later);
                    count += 1;
                }
            }
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
