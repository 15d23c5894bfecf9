//! Model checking with interpolation sequences [Vizel, Grumberg: Interpolation-Sequence
//! Based Model Checking, FMCAD 2009], as in Algorithms 1 and 2 of [Vizel, Gurfinkel:
//! Interpolating Property Directed Reachability, CAV 2014].
//!
//! For N = 0, 1, … paths of N steps from an initial to a bad state are asked for. If
//! there is none, the sequence interpolant I₁, …, I_N strengthens a trace: F₀ is the
//! initial states, and Fᵢ becomes Fᵢ ∧ Iᵢ. A step from Fᵢ leads into Fᵢ₊₁, and no Fᵢ has
//! a bad state, because I_N has none when N = i. If some Fᵢ implies F₀ ∨ … ∨ Fᵢ₋₁, that
//! disjunction is an invariant.
//!
//! The trace is not used in the questions (formula 6 of the paper): as they are, its
//! formulas only make them harder. All properties are asked about in one unrolling.
//! Limits: initial values that depend on inputs of the first cycle are taken to be
//! anything in F₀. If that makes a path, nothing is decided.

use std::rc::Rc;

use elinvar_ir::{PropertyId, StopReason, TransitionSystem, Verdict};
use elinvar_logic::AigLit;
use elinvar_sat::StepId;
use elinvar_transform::{BitSystem, Prepared};

use super::interpolants::Interpolants;
use super::paths::{Paths, Start};
use super::reached::{Formulas, Initial, InterpolationOptions, inexact, origin};
use super::statistics::InterpolationStatistics;
use crate::bmc::Verdicts;
use crate::engine::{Engine, EngineError, check_bits};
use crate::relation::{Asked, Stopped, Transition};
use crate::run::{Event, Run};

/// The engine.
pub struct Imc {
    options: InterpolationOptions,
}

impl Imc {
    pub fn new(options: InterpolationOptions) -> Self {
        Imc { options }
    }
}

const NAME: &str = "imc";

impl Engine for Imc {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(
        &mut self,
        system: &TransitionSystem,
        properties: &[PropertyId],
        run: &Run,
    ) -> Result<Vec<Verdict>, EngineError> {
        let options = &self.options;
        let simplification = (&options.passes, options.memory_limit);
        check_bits(system, properties, simplification, run, |prepared| {
            check_prepared(prepared, properties, options, run)
        })
    }
}

/// Decides properties of a prepared system.
pub(crate) fn check_prepared(
    prepared: &Prepared,
    properties: &[PropertyId],
    options: &InterpolationOptions,
    run: &Run,
) -> Vec<Verdict> {
    let mut verdicts = Verdicts::new(properties);
    let mut search = Search::new(&prepared.bits, properties, options, run);
    // The search ends when everything is decided, or is stopped.
    let (Err(Stopped) | Ok(())) = search.run(&mut verdicts);
    run.emit(Event::Interpolation(Box::new(search.statistics)));
    verdicts.finish(&run.stop().unwrap_or(StopReason::Cancelled))
}

struct Search<'a> {
    options: &'a InterpolationOptions,
    run: &'a Run,
    transition: Rc<Transition>,
    paths: Paths,
    open: Vec<Open>,
    statistics: InterpolationStatistics,
}

/// A property that is not decided yet.
struct Open {
    property: PropertyId,
    /// Its number in the transition relation.
    number: usize,
    trace: Trace,
}

impl<'a> Search<'a> {
    fn new(
        system: &BitSystem,
        properties: &[PropertyId],
        options: &'a InterpolationOptions,
        run: &'a Run,
    ) -> Self {
        let transition = Rc::new(Transition::new(system, properties, options.elimination));
        let paths = Paths::new(Rc::clone(&transition), origin(&transition), NAME, run);
        let bads = transition.bads.iter().enumerate();
        let open = bads.map(|(number, &(property, _))| Open {
            property,
            number,
            trace: Trace::new(system, run),
        });
        let open = open.collect();
        let statistics = InterpolationStatistics::default();
        Search { options, run, transition, paths, open, statistics }
    }

    fn run(&mut self, verdicts: &mut Verdicts) -> Asked<()> {
        let mut bound = 0;
        while !self.open.is_empty() {
            self.run.emit(Event::Bound { engine: NAME, bound });
            if self.paths.is_exhausted() {
                let origin = origin(&self.transition);
                self.paths = Paths::new(Rc::clone(&self.transition), origin, NAME, self.run);
            }
            for mut open in std::mem::take(&mut self.open) {
                let found = self.look_at(&mut open, bound);
                self.statistics.take(&mut self.paths.statistics);
                match found? {
                    Some(verdict) => verdicts.set(open.property, verdict),
                    None => self.open.push(open),
                }
            }
            bound += 1;
        }
        Ok(())
    }

    fn look_at(&mut self, open: &mut Open, bound: usize) -> Asked<Option<Verdict>> {
        let Some(mut conclusion) = self.paths.refute(open.number, bound, Start::Initial)? else {
            self.tell(open, false, bound);
            return Ok(Some(Verdict::Unsafe(self.paths.trace(open.property, bound))));
        };
        if !open.trace.initial.is_exact {
            let Some(instead) = self.refute_from_formula(open, bound)? else {
                return Ok(Some(Verdict::Unknown(inexact())));
            };
            conclusion = instead;
        }
        let interpolants = self.paths.interpolants(conclusion, self.options.system);
        self.statistics.note(NAME, &interpolants, bound, self.run);
        open.trace.strengthen(&interpolants, bound);
        let Some(invariant) = open.trace.closed()? else { return Ok(None) };
        self.tell(open, true, bound);
        Ok(Some(Verdict::Safe(open.trace.formulas.certificate(invariant))))
    }

    /// SAT?  F₀ ∧ T ∧ … ∧ T ∧ bad
    fn refute_from_formula(&mut self, open: &Open, bound: usize) -> Asked<Option<StepId>> {
        let Trace { formulas, initial, .. } = &open.trace;
        let start = self.paths.formula(bound, formulas, initial.formula);
        self.paths.refute(open.number, bound, Start::Where(start))
    }

    fn tell(&self, open: &Open, safe: bool, depth: usize) {
        self.run.emit(Event::Decided { engine: NAME, property: open.property, safe, depth });
    }
}

/// What contains the states after 0, 1, … steps.
struct Trace {
    formulas: Formulas,
    initial: Initial,
    frames: Vec<AigLit>,
}

impl Trace {
    fn new(system: &BitSystem, run: &Run) -> Self {
        let mut formulas = Formulas::new(system.registers().len(), run);
        let initial = formulas.initial(system);
        Trace { formulas, initial, frames: vec![initial.formula] }
    }

    /// Fᵢ becomes Fᵢ ∧ Iᵢ, for i from 1 to the bound.
    fn strengthen(&mut self, interpolants: &Interpolants, bound: usize) {
        self.frames.resize(bound + 1, AigLit::TRUE);
        for (distance, &interpolant) in interpolants.by_distance.iter().enumerate() {
            let interpolant = self.formulas.import(interpolants, interpolant);
            let frame = &mut self.frames[bound - distance];
            *frame = self.formulas.and(*frame, interpolant);
        }
    }

    /// The first frames together, if another one adds nothing to them.
    fn closed(&mut self) -> Asked<Option<AigLit>> {
        let mut before = self.frames[0];
        for index in 1..self.frames.len() {
            let frame = self.frames[index];
            if self.formulas.implies(frame, before)? {
                return Ok(Some(before));
            }
            before = self.formulas.or(before, frame);
        }
        Ok(None)
    }
}
