//! Calls: a copy of the body in place of each, a jump, or what the contract says.

use std::collections::BTreeMap;

use elinvar_ir::program::{LocationId, Statement, Term, VariableId};
use rustc_hash::FxHashMap;

use super::super::procedures::Specified;
use super::super::routine::Call;
use super::super::syntax::Span;
use super::{Assembler, Link, Loop, Task};

impl Assembler<'_, '_> {
    pub(super) fn call(
        &mut self,
        call: &Call,
        from: LocationId,
        to: LocationId,
        span: &Span,
        task: &Task,
    ) {
        let calls = &self.calls;
        let within = task
            .within
            .filter(|&number| self.loops[number].component == calls.component[call.callee]);
        let has_body = !self.procedures[call.callee].routines.is_empty();
        let small = calls.size[call.callee] <= self.budget;
        let finite = !calls.recursive[call.callee] || calls.tail[call.callee];
        if let Some(within) = within {
            self.jump(call, from, within, span, task);
        } else if has_body && small && finite {
            self.inline(call, from, to, span, task);
        } else {
            self.by_contract(call, from, to, span, task);
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
        let required = callee.requires.iter().filter(|required| !required.free);
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

    /// With what the body takes for granted and callers need not show.
    fn begin_body(&mut self, call: &Call, span: &Span) -> Vec<Link> {
        let callee = &self.procedures[call.callee];
        let mut links = self.begin(call, span, None);
        links.extend(self.constraints(&callee.input_parts(), span, None));
        links.extend(free(&callee.requires, span));
        links
    }

    fn inline(&mut self, call: &Call, from: LocationId, to: LocationId, span: &Span, task: &Task) {
        let procedures = self.procedures;
        let callee = &procedures[call.callee];
        let begin = self.begin_body(call, span);
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
        let mut after: Vec<Link> = free(&callee.ensures, span).collect();
        after.extend(self.end(call, &callee.output_parts(), span));
        self.lay(exit, to, after, task);
    }

    /// A call behind which nothing is left to do.
    fn jump(&mut self, call: &Call, from: LocationId, within: usize, span: &Span, task: &Task) {
        let begin = self.begin_body(call, span);
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
            let checked = if self.every { procedure == task.verified } else { task.checked };
            let verified = task.verified;
            self.tasks.push(Task { procedure, routine, entry, exit, verified, checked, within });
        }
    }

    fn by_contract(
        &mut self,
        call: &Call,
        from: LocationId,
        to: LocationId,
        span: &Span,
        task: &Task,
    ) {
        let procedures = self.procedures;
        let callee = &procedures[call.callee];
        let line = self.lines.line(span.start);
        let name = callee.name;
        let doubt = (!callee.routines.is_empty())
            .then(|| format!("the call of {name} at line {line} is replaced by its contract"));
        if doubt.is_some() && !self.entries.iter().any(|(entry, _)| *entry == call.callee) {
            let why = format!("{name} is verified for all calls that its contract allows");
            self.entries.push((call.callee, Some(why)));
        }
        let renamed = self.calls.recursive[call.callee].then_some(call.callee);
        let mut links = self.begin(call, span, renamed);
        let outputs: Vec<VariableId> = callee
            .output_parts()
            .into_iter()
            .map(|output| self.rename_variable(renamed, output))
            .collect();
        let changed: Vec<VariableId> = callee.modifies.iter().chain(&outputs).copied().collect();
        let statement = if changed.is_empty() {
            Statement::Assume(self.scope.terms.bool(true))
        } else {
            Statement::Havoc(changed)
        };
        let mut link = Link::new(statement, span);
        link.approximates = doubt;
        links.push(link);
        let constrained: Vec<VariableId> =
            callee.modifies.iter().copied().chain(callee.output_parts()).collect();
        links.extend(self.constraints(&constrained, span, renamed));
        for ensured in &callee.ensures {
            let condition = self.rename(renamed, ensured.condition);
            links.push(Link::new(Statement::Assume(condition), span));
        }
        links.extend(self.end(call, &outputs, span));
        self.lay(from, to, links, task);
    }
}

/// What is assumed and never proved.
fn free<'l>(clauses: &'l [Specified], span: &'l Span) -> impl Iterator<Item = Link> + 'l {
    let free = clauses.iter().filter(|clause| clause.free);
    free.map(|clause| Link::new(Statement::Assume(clause.condition), span))
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
