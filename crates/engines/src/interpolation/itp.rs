//! Interpolation-based model checking [McMillan: Interpolation and SAT-Based Model
//! Checking, CAV 2003].
//!
//! For a bound k, paths R(v₀) ∧ T(v₀, v₁) ∧ … ∧ T(vₖ₋₁, vₖ) ∧ bad(vₖ) are asked for,
//! first with the initial states as R. If there is none, the interpolant between the
//! first step and the rest is an over-approximation of what one step leads to from R,
//! and no state in it reaches a bad one in exactly k − 1 steps. It joins R, until
//! nothing new comes: R is an invariant then. A path from an R that is not the initial
//! states says nothing; k grows, and R is the initial states again.
//!
//! The system is made stuck on error: a bad state has bad ones exactly k − 1 steps
//! later, so no interpolant has a bad state in it. Only states that are new are stepped
//! from: the others have been.
//!
//! Several properties take turns of growing effort; each continues at the bound that it
//! had come to. Limits: initial values that depend on inputs of the first cycle are taken
//! to be anything in R. If that makes a path, nothing is decided.

use std::rc::Rc;
use std::sync::Arc;

use elinvar_ir::{PropertyId, Verdict};
use elinvar_logic::AigLit;
use elinvar_sat::StepId;
use elinvar_transform::{BitSystem, Lift, Stuck, stuck_on_error};

use super::paths::{Paths, Start};
use super::reached::{Formulas, InterpolationOptions, inexact, origin};
use super::statistics::InterpolationStatistics;
use crate::engine::{EngineError, implement_engine};
use crate::relation::{Interruptible, Stopped, Transition};
use crate::run::{Event, Run};
use crate::task::{BitTask, Task};

/// The engine.
pub struct Itp(pub InterpolationOptions);

const NAME: &str = "itp";

/// How often a property may ask in its first turn whether it must stop.
const FIRST_TURN: u64 = 1 << 14;

implement_engine!(Itp, NAME, check);

fn check(options: &InterpolationOptions, task: &Task) -> Result<(), EngineError> {
    let BitTask { prepared, task } = options.bits(task)?;
    let run = task.run();
    let mut statistics = InterpolationStatistics::default();
    // Each open property, and the bound to continue at.
    let mut open: Vec<(PropertyId, usize)> = task.open().iter().map(|&id| (id, 1)).collect();
    let mut effort = FIRST_TURN;
    let stopped = loop {
        let alone = open.len() <= 1;
        let mut still_open = Vec::new();
        for (property, bound) in open {
            let turn = if alone { run.clone() } else { run.with_effort(effort) };
            let mut search = ItpSearch::new(&prepared.bits, property, bound, options, &turn);
            search.statistics = std::mem::take(&mut statistics);
            match search.run() {
                Ok(verdict) => task.decide(NAME, property, verdict, search.bound),
                Err(Stopped(_)) => still_open.push((property, search.bound)),
            }
            statistics = search.statistics;
        }
        open = still_open;
        effort *= 2;
        let stopped = run.go_on();
        if stopped.is_err() || open.is_empty() {
            break stopped;
        }
    };
    run.emit(Event::Statistics(Arc::new(statistics)));
    Ok(stopped?)
}

/// The search for one property.
struct ItpSearch<'a> {
    stuck: Stuck,
    property: PropertyId,
    options: &'a InterpolationOptions,
    run: &'a Run,
    transition: Rc<Transition>,
    paths: Paths,
    bound: usize,
    statistics: InterpolationStatistics,
}

impl<'a> ItpSearch<'a> {
    fn new(
        bits: &BitSystem,
        property: PropertyId,
        bound: usize,
        options: &'a InterpolationOptions,
        run: &'a Run,
    ) -> Self {
        let stuck = stuck_on_error(bits, property);
        let transition = Transition::new(&stuck.bits, &[property], options.elimination);
        let transition = Rc::new(transition);
        let paths = Paths::new(Rc::clone(&transition), origin(&transition), NAME, run);
        let statistics = InterpolationStatistics::default();
        ItpSearch { stuck, property, options, run, transition, paths, bound, statistics }
    }

    fn run(&mut self) -> Interruptible<Verdict> {
        loop {
            self.run.emit(Event::bound(NAME, self.bound));
            if self.paths.is_exhausted() {
                let origin = origin(&self.transition);
                self.paths = Paths::new(Rc::clone(&self.transition), origin, NAME, self.run);
            }
            let found = self.look_at_bound();
            self.statistics.take(&mut self.paths.statistics);
            if let Some(verdict) = found? {
                return Ok(self.stuck.verdict(verdict));
            }
            self.bound += 1;
        }
    }

    /// What paths of so many steps show. None if they have to be longer.
    fn look_at_bound(&mut self) -> Interruptible<Option<Verdict>> {
        let mut formulas = Formulas::new(self.transition.registers.len(), self.run);
        let initial = formulas.initial(&self.stuck.bits);
        let mut reached = initial.formula;
        let bound = self.bound;
        let Some(mut conclusion) = self.paths.refute(0, bound, Start::Initial)? else {
            return Ok(Some(Verdict::Unsafe(self.paths.trace(self.property, bound))));
        };
        if !initial.is_exact {
            let Some(instead) = self.refute_from(&formulas, reached)? else {
                return Ok(Some(Verdict::Unknown(inexact())));
            };
            conclusion = instead;
        }
        loop {
            let interpolants =
                self.paths.interpolant_at(conclusion, bound - 1, self.options.system);
            self.statistics.note(NAME, &interpolants, bound, self.run);
            let new = formulas.import(&interpolants, interpolants.by_distance[0]);
            if formulas.implies(new, reached)? {
                return Ok(Some(Verdict::Safe(formulas.certificate(reached))));
            }
            reached = formulas.or(reached, new);
            let Some(next) = self.refute_from(&formulas, new)? else {
                return Ok(None);
            };
            conclusion = next;
        }
    }

    /// SAT?  states ∧ T ∧ … ∧ T ∧ bad
    fn refute_from(
        &mut self,
        formulas: &Formulas,
        states: AigLit,
    ) -> Interruptible<Option<StepId>> {
        let start = self.paths.formula(self.bound, formulas, states);
        self.paths.refute(0, self.bound, Start::Where(start))
    }
}
