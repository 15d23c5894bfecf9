//! Statements, one after the other.

use elinvar_ir::program::{AssertionKind, Statement as Command, Term};

use super::super::expression::Replaceable;
use super::super::scope::insert;
use super::super::syntax::*;
use super::{Action, Builder, Leave};
use crate::Diagnostic;

impl<'a> Builder<'_, 'a> {
    pub(super) fn declare_labels(&mut self, block: &'a Block<'a>) -> Result<(), Diagnostic> {
        let mut blocks = vec![block];
        while let Some(block) = blocks.pop() {
            for statement in block {
                for label in &statement.labels {
                    let point = self.point();
                    self.routine.points[point] = label.span.clone();
                    insert(&mut self.labels, label, point)?;
                }
                match &statement.kind {
                    StatementKind::If(branches, otherwise) => {
                        blocks.extend(branches.iter().map(|branch| &branch.block));
                        blocks.extend(otherwise);
                    }
                    StatementKind::While { body, .. } => blocks.push(body),
                    StatementKind::Skip
                    | StatementKind::Assert(_)
                    | StatementKind::Assume(_)
                    | StatementKind::Assign(..)
                    | StatementKind::Havoc(_)
                    | StatementKind::Call { .. }
                    | StatementKind::Goto(_)
                    | StatementKind::Return
                    | StatementKind::Break(_) => {}
                }
            }
        }
        Ok(())
    }

    pub(super) fn block(&mut self, block: &'a Block<'a>) -> Result<(), Diagnostic> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a Statement<'a>) -> Result<(), Diagnostic> {
        for label in &statement.labels {
            let point = self.labels[label.text];
            self.goto(point);
            self.at = point;
        }
        let span = &statement.span;
        self.mark(span);
        let labels = || statement.labels.iter().map(|label| label.text).collect();
        match &statement.kind {
            StatementKind::Skip => {}
            StatementKind::Assert(condition) => {
                let mut lowering = self.lowering();
                let term = lowering.condition(condition, Replaceable::Universal)?;
                let chosen = lowering.chosen;
                self.check(AssertionKind::Assert, term, chosen, span);
            }
            StatementKind::Assume(condition) => {
                let mut lowering = self.lowering();
                let term = lowering.condition(condition, Replaceable::Existential)?;
                let chosen = lowering.chosen;
                if !chosen.is_empty() {
                    self.havoc(chosen, span);
                }
                self.assume(term, span);
            }
            StatementKind::Assign(targets, values) => self.assign(targets, values, span)?,
            StatementKind::Havoc(names) => {
                let mut variables = Vec::new();
                for name in names {
                    variables.extend(self.assignable(name)?.parts);
                }
                variables.sort_unstable();
                variables.dedup();
                self.havoc(variables, span);
            }
            StatementKind::Call { callee, arguments, results } => {
                self.call(callee, arguments, results, span)?;
            }
            StatementKind::Goto(targets) => {
                for target in targets {
                    let Some(&point) = self.labels.get(target.text) else {
                        let message =
                            format!("there is no label `{}` in this procedure", target.text);
                        return Err(Diagnostic::new(message, target.span.clone()));
                    };
                    self.goto(point);
                }
                self.cut();
            }
            StatementKind::Return => {
                self.goto(self.finish);
                self.cut();
            }
            StatementKind::Break(label) => self.leave(label.as_ref(), span)?,
            StatementKind::If(branches, otherwise) => {
                self.choice(branches, otherwise.as_ref(), labels())?;
            }
            StatementKind::While { condition, invariants, body } => {
                self.repeat(condition.as_ref(), invariants, body, labels(), span)?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, label: Option<&Name<'a>>, span: &Span) -> Result<(), Diagnostic> {
        let found = self.open.iter().rev().find(|open| match label {
            Some(label) => open.labels.contains(&label.text),
            None => open.is_loop,
        });
        let Some(found) = found else {
            return Err(match label {
                Some(label) => {
                    let message = format!("no enclosing statement is labelled `{}`", label.text);
                    Diagnostic::new(message, label.span.clone())
                }
                None => Diagnostic::new("there is no loop to break out of", span.clone()),
            });
        };
        self.goto(found.after);
        self.cut();
        Ok(())
    }

    /// The truth of a condition and of its negation; both may be if there is none.
    fn guard(&mut self, condition: Option<&'a Expr<'a>>) -> Result<(Term, Term), Diagnostic> {
        let Some(condition) = condition else {
            let anything = self.scope.terms.bool(true);
            return Ok((anything, anything));
        };
        let condition = self.condition(condition)?;
        Ok((condition, self.scope.terms.not(condition)))
    }

    fn choice(
        &mut self,
        branches: &'a [Branch<'a>],
        otherwise: Option<&'a Block<'a>>,
        labels: Vec<&'a str>,
    ) -> Result<(), Diagnostic> {
        let after = self.point();
        self.open.push(Leave { labels, is_loop: false, after });
        for branch in branches {
            self.mark(&branch.span);
            let (condition, not) = self.guard(branch.condition.as_ref())?;
            let here = self.at;
            self.assume(condition, &branch.span);
            self.block(&branch.block)?;
            self.goto(after);
            self.at = here;
            self.assume(not, &branch.span);
        }
        if let Some(block) = otherwise {
            self.block(block)?;
        }
        self.goto(after);
        self.open.pop();
        self.at = after;
        Ok(())
    }

    fn repeat(
        &mut self,
        condition: Option<&'a Expr<'a>>,
        invariants: &'a [Clause<'a>],
        body: &'a Block<'a>,
        labels: Vec<&'a str>,
        span: &Span,
    ) -> Result<(), Diagnostic> {
        let known = invariants
            .iter()
            .map(|clause| self.condition(&clause.condition))
            .collect::<Result<Vec<Term>, Diagnostic>>()?;
        let (head, after) = (self.point(), self.point());
        self.routine.points[head] = span.clone();
        self.invariants(invariants, &known, AssertionKind::InvariantEntry);
        self.goto(head);
        self.at = head;
        for (clause, &invariant) in invariants.iter().zip(&known) {
            self.assume(invariant, &clause.span);
        }
        let (condition, not) = self.guard(condition)?;
        self.step_to(after, Action::Do(Command::Assume(not)), span);
        self.assume(condition, span);
        self.open.push(Leave { labels, is_loop: true, after });
        self.block(body)?;
        self.open.pop();
        self.invariants(invariants, &known, AssertionKind::InvariantKept);
        self.goto(head);
        self.at = after;
        Ok(())
    }

    fn invariants(&mut self, clauses: &[Clause<'a>], known: &[Term], kind: AssertionKind) {
        for (clause, &condition) in clauses.iter().zip(known).filter(|(clause, _)| !clause.free) {
            self.check(kind, condition, Vec::new(), &clause.span);
        }
    }
}
