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
use std::sync::Arc;

use elinvar_ir::{PropertyId, Verdict};
use elinvar_logic::AigLit;
use elinvar_sat::StepId;
use elinvar_transform::BitSystem;

use super::interpolants::Interpolants;
use super::paths::{Paths, Start};
use super::reached::{Formulas, Initial, InterpolationOptions, inexact, origin};
use super::statistics::InterpolationStatistics;
use crate::engine::{EngineError, implement_engine};
use crate::relation::{Interruptible, Transition};
use crate::run::{Event, Run};
use crate::task::{BitTask, Task};

/// The engine.
pub struct Imc(pub InterpolationOptions);

const NAME: &str = "imc";

implement_engine!(Imc, NAME, check);

fn check(options: &InterpolationOptions, task: &Task) -> Result<(), EngineError> {
    let bits = options.bits(task)?;
    let mut search = ImcSearch::new(&bits, options);
    // The search ends when everything is decided, or is stopped.
    let searched = search.run();
    let run = bits.task.run();
    run.emit(Event::Statistics(Arc::new(search.statistics)));
    Ok(searched?)
}

struct ImcSearch<'a> {
    options: &'a InterpolationOptions,
    /// About the bits.
    task: &'a Task,
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

impl<'a> ImcSearch<'a> {
    fn new(bits: &'a BitTask, options: &'a InterpolationOptions) -> Self {
        let (system, task, run) = (&bits.prepared.bits, &bits.task, bits.task.run());
        let transition = Rc::new(Transition::new(system, &task.open(), options.elimination));
        let paths = Paths::new(Rc::clone(&transition), origin(&transition), NAME, run);
        let bads = transition.bads.iter().enumerate();
        let open = bads.map(|(number, &(property, _))| Open {
            property,
            number,
            trace: Trace::new(system, run),
        });
        let open = open.collect();
        let statistics = InterpolationStatistics::default();
        ImcSearch { options, task, transition, paths, open, statistics }
    }

    fn run(&mut self) -> Interruptible<()> {
        let mut bound = 0;
        while !self.open.is_empty() {
            let run = self.task.run();
            run.emit(Event::bound(NAME, bound));
            if self.paths.is_exhausted() {
                let origin = origin(&self.transition);
                self.paths = Paths::new(Rc::clone(&self.transition), origin, NAME, run);
            }
            for mut open in std::mem::take(&mut self.open) {
                let found = self.look_at(&mut open, bound);
                self.statistics.take(&mut self.paths.statistics);
                match found? {
                    Some(verdict) => self.task.decide(NAME, open.property, verdict, bound),
                    None => self.open.push(open),
                }
            }
            bound += 1;
        }
        Ok(())
    }

    fn look_at(&mut self, open: &mut Open, bound: usize) -> Interruptible<Option<Verdict>> {
        let Some(mut conclusion) = self.paths.refute(open.number, bound, Start::Initial)? else {
            return Ok(Some(Verdict::Unsafe(self.paths.trace(open.property, bound))));
        };
        if !open.trace.initial.is_exact {
            let Some(instead) = self.refute_from_formula(open, bound)? else {
                return Ok(Some(Verdict::Unknown(inexact())));
            };
            conclusion = instead;
        }
        let interpolants = self.paths.interpolants(conclusion, self.options.system);
        self.statistics.note(NAME, &interpolants, bound, self.task.run());
        open.trace.strengthen(&interpolants, bound);
        let Some(invariant) = open.trace.closed()? else { return Ok(None) };
        Ok(Some(Verdict::Safe(open.trace.formulas.certificate(invariant))))
    }

    /// SAT?  F₀ ∧ T ∧ … ∧ T ∧ bad
    fn refute_from_formula(&mut self, open: &Open, bound: usize) -> Interruptible<Option<StepId>> {
        let Trace { formulas, initial, .. } = &open.trace;
        let start = self.paths.formula(bound, formulas, initial.formula);
        self.paths.refute(open.number, bound, Start::Where(start))
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
    fn closed(&mut self) -> Interruptible<Option<AigLit>> {
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
