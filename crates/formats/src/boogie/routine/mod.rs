//! Bodies of procedures as graphs of their own, calls not yet replaced.
//!
//! A procedure has one set of variables for all its activations: where the call graph has
//! no cycle there is never more than one at a time, and elsewhere calls become jumps or
//! are replaced by contracts. So a body is translated once, however often it is called.

mod assign;
mod statements;

use elinvar_ir::program::{AssertionKind, Statement as Command, Term, VariableId};
use rustc_hash::FxHashMap;

use super::expression::{Lowering, Replaceable};
use super::procedures::{Around, Draft, Procedure};
use super::scope::{Frame, Scope};
use super::syntax::*;
use crate::Diagnostic;

/// A place of a body, by number.
pub(super) type Point = usize;

pub(super) struct Routine {
    /// Those of the source that begin at each point; empty for others.
    pub points: Vec<Span>,
    pub steps: Vec<Step>,
    pub entry: Point,
    pub exit: Point,
    /// Its own variables, parameters left aside.
    pub locals: Vec<VariableId>,
}

pub(super) struct Step {
    pub from: Point,
    pub to: Point,
    pub action: Action,
    pub span: Span,
}

pub(super) enum Action {
    Skip,
    Do(Command),
    Check(Check),
    Call(Call),
}

/// A condition to be proved.
pub(super) struct Check {
    pub condition: Term,
    /// By number of its draft.
    pub property: usize,
    /// Variables that stand for quantified ones, and get any values first.
    pub chosen: Vec<VariableId>,
}

pub(super) struct Call {
    /// By number.
    pub callee: usize,
    /// The parts of all arguments, of all results.
    pub arguments: Vec<Term>,
    pub results: Vec<VariableId>,
    /// The drafts of the preconditions that are not free.
    pub checks: Vec<usize>,
}

/// The body of a procedure, given by number.
pub(super) fn routine<'s, 'a>(
    around: Around<'s, 'a>,
    number: usize,
    frame: &'s mut Frame<'a>,
    implementation: &'a Implementation<'a>,
    locals: Vec<VariableId>,
) -> Result<Routine, Diagnostic> {
    let Around { scope, procedures, numbers, drafts } = around;
    let routine = Routine { points: Vec::new(), steps: Vec::new(), entry: 0, exit: 1, locals };
    let mut builder = Builder {
        scope,
        procedures,
        numbers,
        number,
        frame,
        drafts,
        routine,
        at: 0,
        finish: 0,
        labels: FxHashMap::default(),
        open: Vec::new(),
    };
    builder.at = builder.point();
    builder.routine.exit = builder.point();
    builder.finish = builder.point();
    builder.declare_labels(&implementation.body)?;
    builder.block(&implementation.body)?;
    builder.goto(builder.finish);
    builder.postconditions();
    builder.routine.merge_skips();
    Ok(builder.routine)
}

struct Builder<'s, 'a> {
    scope: &'s mut Scope<'a>,
    procedures: &'s [Procedure<'a>],
    numbers: &'s FxHashMap<&'a str, usize>,
    /// Of the procedure whose body it is.
    number: usize,
    frame: &'s mut Frame<'a>,
    drafts: &'s mut Vec<Draft<'a>>,
    routine: Routine,
    /// Where the next statement begins.
    at: Point,
    /// Where the body ends and postconditions are checked.
    finish: Point,
    labels: FxHashMap<&'a str, Point>,
    /// Statements around that can be left.
    open: Vec<Leave<'a>>,
}

struct Leave<'a> {
    labels: Vec<&'a str>,
    is_loop: bool,
    after: Point,
}

// The graph.
impl<'a> Builder<'_, 'a> {
    fn point(&mut self) -> Point {
        self.routine.points.push(0..0);
        self.routine.points.len() - 1
    }

    /// From here to a point.
    fn step_to(&mut self, to: Point, action: Action, span: &Span) {
        let (from, span) = (self.at, span.clone());
        self.routine.steps.push(Step { from, to, action, span });
    }

    /// From here to a new point, which is here then.
    fn step(&mut self, action: Action, span: &Span) {
        let to = self.point();
        self.step_to(to, action, span);
        self.at = to;
    }

    fn goto(&mut self, to: Point) {
        self.step_to(to, Action::Skip, &(0..0));
    }

    /// What follows is reached by labels alone.
    fn cut(&mut self) {
        self.at = self.point();
    }

    /// The source that begins here, unless something did already.
    fn mark(&mut self, span: &Span) {
        let at = self.at;
        if self.routine.points[at].is_empty() {
            self.routine.points[at] = span.clone();
        }
    }

    fn lowering(&mut self) -> Lowering<'_, 'a> {
        Lowering::in_frame(self.scope, self.frame)
    }

    fn condition(&mut self, expr: &'a Expr<'a>) -> Result<Term, Diagnostic> {
        self.lowering().condition(expr, Replaceable::Neither)
    }

    fn assume(&mut self, condition: Term, span: &Span) {
        self.step(Action::Do(Command::Assume(condition)), span);
    }

    /// Variables get any values that their constraints allow.
    fn havoc(&mut self, variables: Vec<VariableId>, span: &Span) {
        let constraints = self.scope.constraints_of(&variables);
        self.step(Action::Do(Command::Havoc(variables)), span);
        for constraint in constraints {
            self.assume(constraint, span);
        }
    }

    fn check(
        &mut self,
        kind: AssertionKind,
        condition: Term,
        chosen: Vec<VariableId>,
        span: &Span,
    ) {
        let property = self.drafts.len();
        self.drafts.push(Draft { kind, span: span.clone(), callee: None });
        self.step(Action::Check(Check { condition, property, chosen }), span);
    }

    fn postconditions(&mut self) {
        self.at = self.finish;
        let procedures = self.procedures;
        for ensured in
            procedures[self.number].contract.ensures.iter().filter(|ensured| !ensured.free)
        {
            self.check(AssertionKind::Ensures, ensured.condition, Vec::new(), &ensured.span);
        }
        self.goto(self.routine.exit);
    }
}

impl Routine {
    /// Joins points with the only point they lead to without doing anything.
    fn merge_skips(&mut self) {
        let mut only: Vec<Option<Point>> = vec![None; self.points.len()];
        let mut leaving = vec![0; self.points.len()];
        for step in &self.steps {
            leaving[step.from] += 1;
            let skips = matches!(step.action, Action::Skip) && leaving[step.from] == 1;
            only[step.from] = skips.then_some(step.to);
        }
        let mut end: Vec<Option<Point>> = vec![None; self.points.len()];
        for start in 0..self.points.len() {
            let (mut at, mut path) = (start, Vec::new());
            // A cycle of skips ends at a point that is met again.
            while end[at].is_none() && !path.contains(&at) {
                path.push(at);
                match only[at] {
                    Some(to) => at = to,
                    None => break,
                }
            }
            let last = end[at].unwrap_or(at);
            path.into_iter().for_each(|point| end[point] = Some(last));
        }
        let end: Vec<Point> =
            end.into_iter().map(|point| point.expect("all were visited")).collect();
        for (point, &last) in end.iter().enumerate() {
            if self.points[last].is_empty() {
                self.points[last] = self.points[point].clone();
            }
        }
        self.entry = end[self.entry];
        self.exit = end[self.exit];
        self.steps.retain(|step| {
            !matches!(step.action, Action::Skip)
                || only[step.from].is_none()
                || end[step.from] == step.from
        });
        for step in &mut self.steps {
            (step.from, step.to) = (end[step.from], end[step.to]);
        }
    }
}
