//! Calls: a copy of the body in place of each, a jump, or what the contract says.
//!
//! A call checks `requires`. `free requires` and the `where` clauses of parameters and globals
//! are assumed when the callee itself is verified, but no caller checks them. So there are
//! two ways through a call of a procedure that is verified itself:
//!
//! ```text
//!            ┌─ all of them hold ─► copy of the body ─┬─ as promised ─► after the call
//! requires ──┤                                        └─ otherwise ──┐
//!            └─ one is violated ─► what the contract says ◄──────────┘
//! ```
//!
//! On the upper way the verification of the callee covers the copy, and its assertions may be
//! assumed there. On the lower way nothing is known but the contract, as always in Boogie.
//! What the contract promises without a check (`free ensures`, the `where` clauses of
//! results and of modified globals) is compared at the end of the copy: a copy never ends
//! the run where the contract would let it go on, and a caller may rely on the promise.
//!
//! Copies whose assertions are checked (in a run of the whole program, and of procedures
//! with `{:inline}`) are executed as written; free clauses have no effect there.

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::program::{LocationId, Statement, Term, VariableId};
use rustc_hash::FxHashMap;

use super::super::procedures::Specified;
use super::super::routine::{Action, Call};
use super::super::scope::Role;
use super::super::syntax::Span;
use super::{Assembler, Link, Loop, Task};

/// A call that is being replaced.
#[derive(Clone, Copy)]
pub(super) struct CallSite<'s> {
    pub call: &'s Call,
    /// The location after the call.
    pub to: LocationId,
    /// The call in the source.
    pub span: &'s Span,
    /// The copy of the caller.
    pub task: &'s Task,
}

impl Assembler<'_, '_> {
    /// Replaces a call that starts at `from`.
    pub(super) fn call(&mut self, site: CallSite<'_>, from: LocationId) {
        let CallSite { call, task, .. } = site;
        let (calls, callee) = (&self.calls, &self.procedures[call.callee]);
        let has_body = !callee.routines.is_empty() && !callee.is_opaque;
        let is_open =
            |&number: &usize| self.loops[number].component == calls.component[call.callee];
        let within = task.within.filter(is_open);
        let small = calls.size[call.callee] <= self.budget;
        let finite = !calls.recursive[call.callee] || calls.tail[call.callee];
        if !has_body || (within.is_none() && !(small && finite)) {
            return self.by_contract(site, from);
        }
        let (from, begin) = self.guarded(site, from);
        match within {
            Some(within) => self.jump(site, from, begin, within),
            None => self.inline(site, from, begin),
        }
    }

    /// Arguments, preconditions and old values: what inlined calls and contracts share.
    fn begin(&mut self, call: &Call, span: &Span, renamed: Option<usize>) -> Vec<Link> {
        let procedures = self.procedures;
        let callee = &procedures[call.callee];
        let mut links = Vec::new();
        if !call.arguments.is_empty() {
            let inputs = callee.input_parts().into_iter();
            let inputs = inputs.map(|input| self.rename_variable(renamed, input));
            let assignments = inputs.zip(call.arguments.iter().copied()).collect();
            links.push(Link::new(Statement::Assign(assignments), span));
        }
        let required = callee.contract.requires.iter().filter(|required| !required.free);
        for (required, &property) in required.zip(&call.checks) {
            let condition = self.rename(renamed, required.condition);
            links.push(Link::check(condition, property, span));
        }
        links.extend(self.remember(call.callee, renamed));
        links
    }

    /// The results, in the caller's variables.
    fn end(&mut self, call: &Call, outputs: &[VariableId], span: &Span) -> Option<Link> {
        if call.results.is_empty() {
            return None;
        }
        let values = outputs.iter().map(|&output| self.scope.terms.variable(output));
        let assignments = call.results.iter().copied().zip(values).collect();
        Some(Link::new(Statement::Assign(assignments), span))
    }

    /// Where the copy of a body begins, and what leads into it. If the body was verified
    /// under assumptions that no caller checks, a call that violates them goes to `to` by
    /// the contract.
    fn guarded(&mut self, site: CallSite<'_>, from: LocationId) -> (LocationId, Vec<Link>) {
        let CallSite { call, to, span, task } = site;
        let callee = &self.procedures[call.callee];
        let begin = self.begin(call, span, None);
        let mut variables = self.globals();
        variables.extend(callee.input_parts());
        let Some(assumed) = self.unchecked(call.callee, &callee.contract.requires, &variables)
        else {
            return (from, begin);
        };
        let at = self.location(Some(task.verified), span.clone());
        self.lay(from, at, begin, task);
        let violated = self.scope.terms.not(assumed);
        let mut links = vec![Link::new(Statement::Assume(violated), span)];
        links.extend(self.contract(call.callee, None, span));
        links.extend(self.end(call, &callee.output_parts(), span));
        self.lay(at, to, links, task);
        (at, vec![Link::new(Statement::Assume(assumed), span)])
    }

    /// The free clauses and the `where` clauses of these variables: what one side of a call
    /// assumes and the other does not check. `None` if there is nothing of the kind, and
    /// for procedures that are not verified by themselves.
    fn unchecked(
        &mut self,
        procedure: usize,
        clauses: &[Specified],
        variables: &[VariableId],
    ) -> Option<Term> {
        if !self.every || self.procedures[procedure].is_inline {
            return None;
        }
        let mut conditions = self.scope.constraints_of(variables);
        conditions.retain(|condition| !self.steady.contains(condition));
        conditions.extend(clauses.iter().filter(|clause| clause.free).map(|c| c.condition));
        // Whether they are true after rewriting must not matter: a reading without rewriting
        // has to have the same locations.
        (!conditions.is_empty()).then(|| self.scope.terms.and(conditions))
    }

    /// The `where` clauses of globals that no statement can violate: whatever changes one of
    /// their variables also assumes the clause.
    pub(super) fn steady_constraints(&self) -> Vec<Term> {
        let mut assigned: BTreeSet<VariableId> = BTreeSet::new();
        let routines = self.procedures.iter().flat_map(|procedure| &procedure.routines);
        for step in routines.flat_map(|routine| &routine.steps) {
            match &step.action {
                Action::Do(Statement::Assign(all)) => assigned.extend(all.iter().map(|a| a.0)),
                Action::Call(call) => assigned.extend(&call.results),
                Action::Do(Statement::Assume(_) | Statement::Havoc(_))
                | Action::Skip
                | Action::Check(_) => {}
            }
        }
        let constants: BTreeSet<VariableId> = (self.scope.symbols.values())
            .filter(|symbol| symbol.role == Role::Constant)
            .flat_map(|symbol| symbol.parts.iter().copied())
            .collect();
        let constraints = &self.scope.constraints;
        let keeps = |variable: &VariableId, condition: Term| {
            constants.contains(variable)
                || (!assigned.contains(variable) && constraints.get(variable) == Some(&condition))
        };
        let globals = self.scope.constraints_of(&self.globals());
        let is_steady = |&condition: &Term| {
            let variables = self.scope.terms.free_variables([condition]);
            variables.iter().all(|variable| keeps(variable, condition))
        };
        globals.into_iter().filter(is_steady).collect()
    }

    fn inline(&mut self, site: CallSite<'_>, from: LocationId, begin: Vec<Link>) {
        let CallSite { call, span, task, .. } = site;
        let exit = self.location(Some(task.verified), span.clone());
        let within = self.open_loop(call.callee, exit);
        let mut choose = from;
        if !begin.is_empty() || within.is_some() {
            choose = self.location(Some(task.verified), span.clone());
            self.lay(from, choose, begin, task);
        }
        match within {
            Some(within) => self.begin_in_loop(call.callee, choose, within, task),
            None => self.bodies(call.callee, choose, exit, None, task),
        }
        self.after_copy(site, exit);
    }

    /// From the end of a copy to the caller; by the contract if the body does not keep what
    /// the contract promises without a check.
    fn after_copy(&mut self, site: CallSite<'_>, exit: LocationId) {
        let CallSite { call, to, span, task } = site;
        let callee = &self.procedures[call.callee];
        let outputs = callee.output_parts();
        let changed: Vec<VariableId> =
            callee.contract.modifies.iter().chain(&outputs).copied().collect();
        let end = |this: &mut Self| this.end(call, &outputs, span);
        let Some(promised) = self.unchecked(call.callee, &callee.contract.ensures, &changed) else {
            let end = end(self).into_iter().collect();
            return self.lay(exit, to, end, task);
        };
        let broken = self.scope.terms.not(promised);
        let kept = Link::new(Statement::Assume(promised), span);
        let kept = [kept].into_iter().chain(end(self)).collect();
        self.lay(exit, to, kept, task);
        let mut links = vec![Link::new(Statement::Assume(broken), span)];
        links.extend(self.contract(call.callee, None, span));
        links.extend(end(self));
        self.lay(exit, to, links, task);
    }

    /// A call after which nothing is left to do.
    fn jump(&mut self, site: CallSite<'_>, from: LocationId, begin: Vec<Link>, within: usize) {
        let CallSite { call, span, task, .. } = site;
        if let Some(&known) = self.loops[within].begin.get(&call.callee) {
            return self.lay(from, known, begin, task);
        }
        let choose = self.location(Some(task.verified), span.clone());
        self.lay(from, choose, begin, task);
        self.begin_in_loop(call.callee, choose, within, task);
    }

    /// A loop for a procedure that calls itself last of all.
    pub(super) fn open_loop(&mut self, procedure: usize, exit: LocationId) -> Option<usize> {
        if !self.calls.recursive[procedure] || !self.calls.tail[procedure] {
            return None;
        }
        let component = self.calls.component[procedure];
        self.loops.push(Loop { component, exit, begin: BTreeMap::new() });
        Some(self.loops.len() - 1)
    }

    pub(super) fn begin_in_loop(
        &mut self,
        procedure: usize,
        at: LocationId,
        within: usize,
        task: &Task,
    ) {
        self.loops[within].begin.insert(procedure, at);
        let exit = self.loops[within].exit;
        self.bodies(procedure, at, exit, Some(within), task);
    }

    /// The bodies of a procedure between two locations.
    fn bodies(
        &mut self,
        procedure: usize,
        from: LocationId,
        exit: LocationId,
        within: Option<usize>,
        task: &Task,
    ) {
        self.copied.insert(procedure);
        let procedures = self.procedures;
        let callee = &procedures[procedure];
        for (routine, implementation) in callee.routines.iter().enumerate() {
            self.budget = self.budget.saturating_sub(implementation.steps.len());
            let fresh = [callee.output_parts(), implementation.locals.clone()].concat();
            let mut links = Vec::new();
            if !fresh.is_empty() {
                links.push(Link::new(Statement::Havoc(fresh.clone()), &(0..0)));
                links.extend(self.constraints(&fresh, &(0..0), None));
            }
            let span = implementation.points[implementation.entry].clone();
            let entry = self.location(Some(task.verified), span);
            self.lay(from, entry, links, task);
            let checked = match self.every {
                true => procedure == task.verified || (callee.is_inline && task.checked),
                false => task.checked,
            };
            let verified = task.verified;
            self.tasks.push(Task { procedure, routine, entry, exit, verified, checked, within });
        }
    }

    fn by_contract(&mut self, site: CallSite<'_>, from: LocationId) {
        let CallSite { call, to, span, task } = site;
        let procedures = self.procedures;
        let callee = &procedures[call.callee];
        let line = self.lines.line(span.start);
        let name = callee.name;
        let has_body = !callee.routines.is_empty() && !callee.is_opaque;
        let approximation = has_body
            .then(|| format!("the call of {name} at line {line} is replaced by its contract"));
        if approximation.is_some() && !self.entries.iter().any(|(entry, _)| *entry == call.callee) {
            let why = format!("{name} is verified for all calls that its contract allows");
            self.entries.push((call.callee, Some(why)));
        }
        let renamed = self.calls.recursive[call.callee].then_some(call.callee);
        let mut links = self.begin(call, span, renamed);
        let mut contract = self.contract(call.callee, renamed, span);
        contract[0].approximates = approximation;
        links.extend(contract);
        let outputs: Vec<VariableId> = callee
            .output_parts()
            .into_iter()
            .map(|output| self.rename_variable(renamed, output))
            .collect();
        links.extend(self.end(call, &outputs, span));
        self.lay(from, to, links, task);
    }

    /// Any change that the contract allows, at least one link. In a run of the whole program
    /// a body may break what is promised without a check, so only `ensures` counts there.
    fn contract(&mut self, procedure: usize, renamed: Option<usize>, span: &Span) -> Vec<Link> {
        let procedures = self.procedures;
        let callee = &procedures[procedure];
        let changed: Vec<VariableId> =
            callee.contract.modifies.iter().copied().chain(callee.output_parts()).collect();
        let havoc: Vec<VariableId> =
            changed.iter().map(|&variable| self.rename_variable(renamed, variable)).collect();
        let statement = if havoc.is_empty() {
            Statement::Assume(self.scope.terms.bool(true))
        } else {
            Statement::Havoc(havoc)
        };
        let mut links = vec![Link::new(statement, span)];
        let is_kept = self.every || callee.routines.is_empty() || callee.is_opaque;
        if is_kept {
            links.extend(self.constraints(&changed, span, renamed));
        }
        for ensured in callee.contract.ensures.iter().filter(|ensured| is_kept || !ensured.free) {
            let condition = self.rename(renamed, ensured.condition);
            links.push(Link::new(Statement::Assume(condition), span));
        }
        links
    }
}

// Recursive procedures have other variables where they are called: their own are in use.
impl Assembler<'_, '_> {
    pub(super) fn rename_variable(
        &mut self,
        procedure: Option<usize>,
        variable: VariableId,
    ) -> VariableId {
        let Some(number) = procedure else { return variable };
        let map = self.renaming(number);
        map.get(&variable).copied().unwrap_or(variable)
    }

    pub(super) fn rename(&mut self, procedure: Option<usize>, term: Term) -> Term {
        let Some(number) = procedure else { return term };
        let pairs: Vec<(VariableId, VariableId)> =
            self.renaming(number).iter().map(|(&from, &to)| (from, to)).collect();
        let terms = &mut self.scope.terms;
        let mut map = FxHashMap::default();
        for (from, to) in pairs {
            map.insert(terms.variable(from), terms.variable(to));
        }
        terms.replace(term, &mut map)
    }

    fn renaming(&mut self, number: usize) -> &FxHashMap<VariableId, VariableId> {
        let procedure = &self.procedures[number];
        let scope = &mut self.scope;
        self.renamed.entry(number).or_insert_with(|| {
            let parameters = [procedure.input_parts(), procedure.output_parts()].concat();
            let own = parameters.into_iter().chain(procedure.frame.old.values().copied());
            own.map(|variable| {
                let name = format!("{}.{}'", procedure.name, scope.terms.name(variable));
                let sort = scope.terms.variable_sort(variable).clone();
                (variable, scope.variable(name, sort))
            })
            .collect()
        })
    }
}
