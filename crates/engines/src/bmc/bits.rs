//! Bounded model checking of bits. The clauses of one transition are simplified once and
//! copied from frame to frame.

use std::rc::Rc;
use std::time::Instant;

use elinvar_ir::{PropertyId, Verdict};
use elinvar_logic::{Answer, Cadical, SatSolver};
use elinvar_sat::Lit;
use elinvar_transform::BitSystem;

use super::Excluded;
use crate::relation::{Interruptible, Transition, Unrolled};
use crate::ring::Holding;
use crate::run::{self, Event, work_of_ticks};
use crate::task::Task;
use crate::unroll::tune;

/// The search from the initial states, frame by frame.
pub(super) struct BitSweep<'a> {
    unrolled: Unrolled,
    solver: Cadical,
    task: &'a Task,
    engine: &'static str,
    /// Properties without a trace so far, with their literals in the transition relation.
    open: Vec<(PropertyId, Lit)>,
    /// Frames below this one have their constraints asserted.
    next: usize,
    excluded: Excluded,
    holding: Holding,
}

/// A bad state of a property in a frame.
struct Target {
    property: PropertyId,
    frame: usize,
    /// The property is bad in the frame, and the constraints hold up to it.
    reached: Lit,
}

impl<'a> BitSweep<'a> {
    /// A sweep over bits; `task` is about them.
    pub fn new(bits: &BitSystem, task: &'a Task, engine: &'static str) -> Self {
        let transition = Transition::new(bits, &task.open(), true);
        let open = transition.bads.clone();
        let stopper = task.run().clone();
        let mut solver =
            Cadical::with_meter(move |ticks| stopper.stop_after(work_of_ticks(ticks)).is_some());
        solver.set_seed(task.run().seed());
        tune(&mut solver);
        // All bounds but the last are refuted: search for models does not pay.
        solver.set("stabilize", 0);
        solver.set("walk", 0);
        let unrolled = Unrolled::new(Rc::new(transition), &mut solver);
        let holding = Holding::new(task.run());
        let (next, excluded) = (0, Excluded(0));
        BitSweep { unrolled, solver, task, engine, open, next, excluded, holding }
    }

    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Decides all open properties with a bad state in frames `first` to `last`. Frames are
    /// looked at in ascending order.
    pub fn look_at(&mut self, first: usize, last: usize) -> Interruptible<()> {
        // A bad frame counts when the constraints hold up to it: those before the window are
        // asserted, those within it are part of the question.
        while self.next < first {
            for lit in self.constraints(self.next) {
                self.solver.add_clause(&[lit]);
            }
            self.next += 1;
        }
        let mut targets = self.targets(first, last);
        let mut failing = Vec::new();
        loop {
            targets.retain(|target| self.open.iter().any(|&(id, _)| id == target.property));
            let any = self.any(&targets);
            if any == !self.unrolled.truth() {
                break;
            }
            let found = self.ask(any, &targets)?;
            if found.is_empty() {
                break;
            }
            failing.extend(found);
        }
        for target in targets {
            self.solver.add_clause(&[!target.reached]);
        }
        let open = self.open.iter().map(|&(property, _)| property);
        self.excluded.note(self.task, first..=last, &failing, open);
        Ok(())
    }

    fn constraints(&mut self, frame: usize) -> Vec<Lit> {
        let constraints = self.unrolled.transition().constraints.clone();
        let lit = |lit| self.unrolled.lit(frame, lit, &mut self.solver);
        constraints.into_iter().map(lit).collect()
    }

    fn targets(&mut self, first: usize, last: usize) -> Vec<Target> {
        let truth = self.unrolled.truth();
        let mut valid = truth;
        let mut targets = Vec::new();
        for frame in first..=last {
            for constraint in self.constraints(frame) {
                valid = self.and(valid, constraint);
            }
            for (property, bad) in self.open.clone() {
                let bad = self.unrolled.lit(frame, bad, &mut self.solver);
                let reached = self.and(valid, bad);
                targets.push(Target { property, frame, reached });
            }
        }
        targets
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let truth = self.unrolled.truth();
        if a == truth || a == b {
            return b;
        }
        if b == truth {
            return a;
        }
        if a == !truth || b == !truth || a == !b {
            return !truth;
        }
        let both = self.solver.new_var().positive();
        self.solver.add_clause(&[!both, a]);
        self.solver.add_clause(&[!both, b]);
        self.solver.add_clause(&[both, !a, !b]);
        both
    }

    /// A literal that implies that some target is reached.
    fn any(&mut self, targets: &[Target]) -> Lit {
        let truth = self.unrolled.truth();
        let mut lits: Vec<Lit> =
            targets.iter().map(|target| target.reached).filter(|&lit| lit != !truth).collect();
        lits.sort_unstable();
        lits.dedup();
        match lits[..] {
            [] => !truth,
            [single] => single,
            _ => {
                let any = self.solver.new_var().positive();
                lits.push(!any);
                self.solver.add_clause(&lits);
                any
            }
        }
    }

    // SAT?  init ∧ T ∧ … ∧ T ∧ constraints ∧ (some open property is bad)
    fn ask(&mut self, any: Lit, targets: &[Target]) -> Interruptible<Vec<PropertyId>> {
        let run = self.task.run();
        self.holding.set(self.solver.size() + self.unrolled.size())?;
        run.go_on()?;
        let (before, start) = (self.solver.conflicts(), Instant::now());
        let mut failing: Vec<PropertyId> = Vec::new();
        let answer = match self.solver.solve(&[any]) {
            Answer::Sat(mut model) => {
                for &Target { property, frame, reached } in targets {
                    if model.value(reached) && !failing.contains(&property) {
                        let trace = self.unrolled.trace(property, frame, &mut model);
                        let verdict = Verdict::Unsafe(trace);
                        self.task.decide(self.engine, property, verdict, frame);
                        failing.push(property);
                    }
                }
                debug_assert!(!failing.is_empty(), "a target is reached");
                run::QueryAnswer::Sat
            }
            Answer::Unsat(_) => run::QueryAnswer::Unsat,
            Answer::Stopped => run::QueryAnswer::Stopped,
        };
        let conflicts = self.solver.conflicts() - before;
        let (engine, time) = (self.engine, start.elapsed());
        run.emit(Event::Query { engine, kind: "reach", answer, conflicts, time });
        if answer == run::QueryAnswer::Stopped {
            return Err(run.stopped());
        }
        self.open.retain(|(property, _)| !failing.contains(property));
        Ok(failing)
    }
}
