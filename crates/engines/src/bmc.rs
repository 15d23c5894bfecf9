//! Bounded model checking [Biere, Cimatti, Clarke, Zhu 1999]: is a bad state
//! reachable in k steps, for growing k?
//!
//! Incremental: one solver over all bounds, all properties in one sweep. The
//! non-incremental mode builds everything anew for each bound; it is there for
//! comparison. Limits: it never says *safe*.

use elinvar_ir::{ExprId, PropertyId, StopReason, Trace, TransitionSystem, Verdict};
use elinvar_logic::AigLit;

use crate::engine::{Engine, EngineError};
use crate::run::{Event, Run};
use crate::unroll::{Question, Reply, Start, Unrolling};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BmcOptions {
    /// The first bound that is looked at.
    pub start: usize,
    /// How many frames are looked at in one question.
    pub step: usize,
    /// The last bound; none means until the run is stopped.
    pub bound: Option<usize>,
    /// Keep one solver over all bounds.
    pub incremental: bool,
}

impl Default for BmcOptions {
    fn default() -> Self {
        BmcOptions { start: 0, step: 1, bound: None, incremental: true }
    }
}

pub struct Bmc {
    options: BmcOptions,
}

impl Bmc {
    pub fn new(options: BmcOptions) -> Self {
        Bmc { options }
    }
}

const NAME: &str = "bmc";

impl Engine for Bmc {
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
        let mut sweep = Sweep::new(system, properties, NAME, run)?;
        let mut first = self.options.start;
        let reason = loop {
            let last = first + self.options.step.max(1) - 1;
            let last = self.options.bound.map_or(last, |bound| last.min(bound));
            if self.options.bound.is_some_and(|bound| first > bound) {
                break StopReason::Bound(self.options.bound.unwrap_or(first));
            }
            if verdicts.complete() {
                break StopReason::Bound(first);
            }
            // Bounds that are decided without the solver must not keep the run from ending.
            if let Some(reason) = run.stop() {
                break reason;
            }
            run.emit(Event::Bound { engine: NAME, bound: last });
            if !self.options.incremental {
                let open = sweep.open();
                sweep = Sweep::new(system, &open, NAME, run)?;
            }
            match sweep.look_at(first, last) {
                Ok(traces) => verdicts.add_traces(traces),
                Err(reason) => break reason,
            }
            first = last + 1;
        };
        Ok(verdicts.finish(&reason))
    }
}

/// Verdicts as they come in, in the order of the properties asked for.
pub(crate) struct Verdicts {
    found: Vec<(PropertyId, Option<Verdict>)>,
}

impl Verdicts {
    pub(crate) fn new(properties: &[PropertyId]) -> Self {
        Verdicts { found: properties.iter().map(|&id| (id, None)).collect() }
    }

    pub(crate) fn set(&mut self, property: PropertyId, verdict: Verdict) {
        for (id, place) in &mut self.found {
            if *id == property && place.is_none() {
                *place = Some(verdict.clone());
            }
        }
    }

    pub(crate) fn add_traces(&mut self, traces: Vec<Trace>) {
        for trace in traces {
            self.set(trace.property, Verdict::Unsafe(trace));
        }
    }

    pub(crate) fn complete(&self) -> bool {
        self.found.iter().all(|(_, verdict)| verdict.is_some())
    }

    /// Open properties are unknown for this reason.
    pub(crate) fn finish(self, reason: &StopReason) -> Vec<Verdict> {
        let open = || Verdict::Unknown(reason.clone());
        self.found.into_iter().map(|(_, verdict)| verdict.unwrap_or_else(open)).collect()
    }
}

/// The search from the initial states, frame by frame; also the base case of
/// k-induction.
pub(crate) struct Sweep<'a> {
    question: Question<'a>,
    run: &'a Run,
    engine: &'static str,
    /// Properties without a trace so far.
    open: Vec<(PropertyId, ExprId)>,
    /// Frames below this one have their constraints asserted.
    next: usize,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(
        system: &'a TransitionSystem,
        properties: &[PropertyId],
        engine: &'static str,
        run: &'a Run,
    ) -> Result<Self, EngineError> {
        let open = bad_bits(system, properties)?;
        let roots: Vec<ExprId> = open.iter().map(|&(_, bad)| bad).collect();
        let unrolling = Unrolling::new(system, &roots, Start::Initial)?;
        Ok(Sweep { question: Question::new(unrolling, engine, run), run, engine, open, next: 0 })
    }

    pub(crate) fn open(&self) -> Vec<PropertyId> {
        self.open.iter().map(|&(id, _)| id).collect()
    }

    /// Takes a property out of the sweep.
    pub(crate) fn close(&mut self, property: PropertyId) {
        self.open.retain(|&(id, _)| id != property);
    }

    /// Traces for all open properties with a bad state in frames `first` to
    /// `last`; they are open no longer. Frames are looked at in ascending order.
    pub(crate) fn look_at(&mut self, first: usize, last: usize) -> Result<Vec<Trace>, StopReason> {
        // A bad frame counts when the constraints hold up to it: those before
        // the window are asserted, those within it are part of the question.
        while self.next < first {
            let constraints = self.question.unrolling.constraints(self.next);
            self.question.assert(&[constraints]);
            self.next += 1;
        }
        let mut valid = AigLit::TRUE;
        let mut targets: Vec<(PropertyId, ExprId, usize, AigLit)> = Vec::new();
        for frame in first..=last {
            let constraints = self.question.unrolling.constraints(frame);
            valid = self.question.unrolling.and(valid, constraints);
            for &(id, bad) in &self.open {
                let bit = self.question.unrolling.bit(bad, frame);
                targets.push((id, bad, frame, self.question.unrolling.and(valid, bit)));
            }
        }
        if let Some(reason) = self.question.incomplete() {
            return Err(reason);
        }
        let mut traces: Vec<Trace> = Vec::new();
        loop {
            targets.retain(|&(id, ..)| self.open.iter().any(|&(open, _)| open == id));
            // SAT?  init ∧ T ∧ … ∧ T ∧ constraints ∧ (some open property is bad)
            let lits: Vec<AigLit> = targets.iter().map(|&(.., lit)| lit).collect();
            let any = self.question.unrolling.or_all(&lits);
            if any == AigLit::FALSE {
                break;
            }
            match self.question.ask("reach", &[any]) {
                Reply::Unsat(_) => break,
                Reply::Stopped(reason) if traces.is_empty() => return Err(reason),
                // What was found is kept; the next question ends the sweep.
                Reply::Stopped(_) => return Ok(traces),
                Reply::Sat(model) => {
                    for &(id, bad, frame, _) in &targets {
                        let unrolling = &self.question.unrolling;
                        if self.open.iter().any(|&(open, _)| open == id)
                            && unrolling.holds(bad, frame, &model)
                            && constraints_hold(unrolling, first, frame, &model)
                        {
                            traces.push(unrolling.trace(id, frame, &model));
                            self.open.retain(|&(open, _)| open != id);
                            let engine = self.engine;
                            let event =
                                Event::Decided { engine, property: id, safe: false, depth: frame };
                            self.run.emit(event);
                        }
                    }
                }
            }
        }
        for (_, _, _, lit) in targets {
            self.question.assert(&[!lit]);
        }
        Ok(traces)
    }
}

fn constraints_hold(
    unrolling: &Unrolling<'_>,
    first: usize,
    last: usize,
    model: &crate::unroll::Found,
) -> bool {
    let constraints = unrolling.system().constraints();
    (first..=last).all(|frame| constraints.iter().all(|&c| unrolling.holds(c, frame, model)))
}

/// The bad bits of safety properties.
pub(crate) fn bad_bits(
    system: &TransitionSystem,
    properties: &[PropertyId],
) -> Result<Vec<(PropertyId, ExprId)>, EngineError> {
    let bad = |&id: &PropertyId| {
        let name = || system.property(id).name.clone();
        Ok((id, system.bad(id).ok_or_else(|| EngineError::NotSafety(name()))?))
    };
    properties.iter().map(bad).collect()
}
