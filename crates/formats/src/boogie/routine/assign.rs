//! Assignments and calls.

use std::ops::Range;

use elinvar_ir::program::{AssertionKind, Statement as Command, Term, VariableId};
use rustc_hash::FxHashSet;

use super::super::expression::{Value, expect_count, field, select, store, undeclared};
use super::super::procedures::{Draft, Procedure};
use super::super::scope::Role;
use super::super::syntax::*;
use super::{Action, Builder, Call};
use crate::{Diagnostic, counted};

impl<'a> Builder<'_, 'a> {
    /// A variable that the procedure may change.
    pub(super) fn assignable(&mut self, name: &Name<'a>) -> Result<Assignable, Diagnostic> {
        let Some(symbol) = self.scope.lookup(Some(self.frame), name.text) else {
            return Err(undeclared(name.text, &name.span));
        };
        let what = match symbol.role {
            Role::Constant => Some("a constant"),
            Role::Input => Some("an input parameter"),
            Role::Global | Role::Output | Role::Local => None,
        };
        if let Some(what) = what {
            let message = format!("`{}` is {what} and cannot be assigned", name.text);
            return Err(Diagnostic::new(message, name.span.clone()));
        }
        if symbol.role == Role::Global {
            self.expect_modified(&symbol.parts, name.text, &name.span)?;
        }
        let value = self.lowering().read(&symbol.ty, &symbol.parts);
        Ok(Assignable { value, parts: symbol.parts.to_vec() })
    }

    fn expect_modified(
        &self,
        parts: &[VariableId],
        global: &str,
        span: &Span,
    ) -> Result<(), Diagnostic> {
        let procedure = &self.procedures[self.number];
        if parts.iter().all(|part| procedure.contract.modifies.contains(part)) {
            return Ok(());
        }
        let name = procedure.name;
        let message = format!("`{name}` assigns `{global}` without `modifies {global}`");
        Err(Diagnostic::new(message, span.clone())
            .with_help(format!("add `modifies {global};` to the procedure `{name}`")))
    }

    pub(super) fn assign(
        &mut self,
        targets: &'a [Target<'a>],
        values: &'a [Expr<'a>],
        span: &Span,
    ) -> Result<(), Diagnostic> {
        if targets.len() != values.len() {
            let (left, right) = (targets.len(), values.len());
            let message =
                format!("{} assigned to {}", counted(right, "value"), counted(left, "variable"));
            return Err(Diagnostic::new(message, span.clone()));
        }
        let mut known = FxHashSet::default();
        let mut assignments = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            if !known.insert(target.name.text) {
                let message = format!("`{}` is assigned twice", target.name.text);
                return Err(Diagnostic::new(message, target.span.clone()));
            }
            let Assignable { value: before, parts } = self.assignable(&target.name)?;
            let (after, written) = self.updated(before, target, value)?;
            let all = parts.into_iter().zip(after.parts);
            assignments.extend(all.skip(written.start).take(written.len()));
        }
        self.step(Action::Do(Command::Assign(assignments)), span);
        Ok(())
    }

    /// The value of a variable with a new one at a part of it, and which of its parts are
    /// written. The target alone decides that: if the values did, a reading that rewrites
    /// `x * 1` to `x` would have another statement than one that does not.
    fn updated(
        &mut self,
        whole: Value,
        target: &'a Target<'a>,
        new: &'a Expr<'a>,
    ) -> Result<(Value, Range<usize>), Diagnostic> {
        let mut lowering = self.lowering();
        let mut steps = Vec::new();
        let mut written = 0..whole.parts.len();
        let mut at = whole;
        for part in &target.parts {
            match part {
                Part::Element(indices) => {
                    let (indices, ty) = lowering.indices(&at, indices, &target.span)?;
                    let inner = select(&mut lowering.scope.terms, &at, &indices, ty);
                    steps.push((std::mem::replace(&mut at, inner), Into::Element(indices)));
                }
                Part::Field(name) => {
                    let (inner, range) = field(&at, name)?;
                    written = written.start + range.start..written.start + range.end;
                    steps.push((std::mem::replace(&mut at, inner), Into::Field(range)));
                }
            }
        }
        let mut value = lowering.value_of(new, &at.ty)?;
        for (outer, into) in steps.into_iter().rev() {
            value = match into {
                Into::Element(indices) => {
                    store(&mut lowering.scope.terms, &outer, &indices, &value)
                }
                Into::Field(range) => {
                    let mut outer = outer;
                    outer.parts.splice(range, value.parts);
                    outer
                }
            };
        }
        Ok((value, written))
    }

    pub(super) fn call(
        &mut self,
        name: &'a Name<'a>,
        arguments: &'a [Expr<'a>],
        results: &'a [Name<'a>],
        span: &Span,
    ) -> Result<(), Diagnostic> {
        let Some(&callee) = self.numbers.get(name.text) else {
            let message = format!("the procedure `{}` is not declared", name.text);
            return Err(Diagnostic::new(message, name.span.clone()));
        };
        let procedures = self.procedures;
        let procedure = &procedures[callee];
        expect_count(name, procedure.inputs.len(), arguments.len())?;
        let mut inputs = Vec::new();
        for (argument, input) in arguments.iter().zip(&procedure.inputs) {
            inputs.extend(self.lowering().value_of(argument, &input.ty)?.parts);
        }
        let outputs = self.results(name, results, procedure)?;
        for &global in &procedure.contract.modifies {
            let shown = self.scope.terms.name(global).to_owned();
            self.expect_modified(&[global], &shown, span)?;
        }
        let mut checks = Vec::new();
        for _ in procedure.contract.requires.iter().filter(|required| !required.free) {
            checks.push(self.drafts.len());
            self.drafts.push(Draft {
                kind: AssertionKind::Requires,
                span: span.clone(),
                callee: Some(name.text),
            });
        }
        let call = Call { callee, arguments: inputs, results: outputs, checks };
        self.step(Action::Call(call), span);
        Ok(())
    }

    fn results(
        &mut self,
        callee: &Name<'a>,
        names: &'a [Name<'a>],
        procedure: &Procedure<'a>,
    ) -> Result<Vec<VariableId>, Diagnostic> {
        let (expected, found) = (procedure.outputs.len(), names.len());
        if expected != found {
            let message = format!(
                "`{}` returns {}, but the call assigns {}",
                callee.text,
                counted(expected, "result"),
                counted(found, "variable")
            );
            return Err(Diagnostic::new(message, callee.span.clone()));
        }
        let mut known = FxHashSet::default();
        let mut variables = Vec::new();
        for (name, output) in names.iter().zip(&procedure.outputs) {
            if !known.insert(name.text) {
                let message = format!("`{}` is assigned twice", name.text);
                return Err(Diagnostic::new(message, name.span.clone()));
            }
            let target = self.assignable(name)?;
            if target.value.ty != output.ty {
                let (ty, found) = (&output.ty, &target.value.ty);
                let message = format!("the result is of type {ty}, the variable of type {found}");
                return Err(Diagnostic::new(message, name.span.clone()));
            }
            variables.extend(target.parts);
        }
        Ok(variables)
    }
}

pub(super) struct Assignable {
    value: Value,
    pub parts: Vec<VariableId>,
}

/// A way from a value to a part of it.
enum Into {
    Element(Vec<Term>),
    Field(Range<usize>),
}
