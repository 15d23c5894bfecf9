//! Bodies of procedures to one control-flow graph: calls are inlined, or replaced by
//! contracts.
//!
//! Without an entry point every procedure with a body is verified, as Boogie does, from any
//! state that satisfies its preconditions. The assertions of a callee are proved where it is
//! verified itself and assumed in its inlined copies; a copy is only used where everything
//! holds that the verification of the callee assumed ([`calls`]).
//!
//! With an entry point (`ULTIMATE.start`, `{:entrypoint}`) the program is run from there, and
//! all assertions are checked in the copies.
//!
//! Recursive calls are jumps if nothing follows them; others are replaced by contracts.

mod calls;
mod graph;
mod properties;

use std::collections::{BTreeMap, BTreeSet};

use elinvar_ir::program::{
    Edge, EdgeId, Location, LocationId, Program, Statement, Term, VariableId,
};
use rustc_hash::FxHashMap;

use super::axioms::Axioms;
use super::lines::Lines;
use super::procedures::{Draft, Procedure};
use super::routine::{Action, Check, Point};
use super::scope::{Role, Scope};
use super::syntax::Span;
use super::{Entry, Note, Reading};
use calls::CallSite;
use graph::CallGraph;

/// How many edges inlining may add.
const MAX_INLINED: usize = 20_000;

pub(super) fn assemble<'a>(
    scope: Scope<'a>,
    procedures: &[Procedure<'a>],
    drafts: &[Draft<'a>],
    axioms: Axioms,
    lines: &Lines,
) -> Reading {
    let calls = CallGraph::of(procedures);
    let bodies = || (0..procedures.len()).filter(|&p| !procedures[p].routines.is_empty());
    let starts: Vec<usize> = bodies().filter(|&p| procedures[p].is_start).collect();
    let every = starts.is_empty();
    let mut assembler = Assembler {
        scope,
        procedures,
        drafts,
        axioms,
        lines,
        calls,
        every,
        budget: MAX_INLINED,
        locations: Vec::new(),
        edges: Vec::new(),
        errors: BTreeMap::new(),
        tasks: Vec::new(),
        loops: Vec::new(),
        entries: Vec::new(),
        paths: Vec::new(),
        renamed: FxHashMap::default(),
        copied: BTreeSet::new(),
        steady: Vec::new(),
    };
    assembler.steady = assembler.steady_constraints();
    let verified = |procedure: &usize| match every {
        true => !procedures[*procedure].is_inline,
        false => starts.contains(procedure),
    };
    assembler.entries.extend(bodies().filter(verified).map(|procedure| (procedure, None)));
    assembler.run()
}

struct Assembler<'s, 'a> {
    scope: Scope<'a>,
    procedures: &'s [Procedure<'a>],
    drafts: &'s [Draft<'a>],
    axioms: Axioms,
    lines: &'s Lines,
    calls: CallGraph,
    /// Is every procedure verified?
    every: bool,
    /// Edges that may still be inlined.
    budget: usize,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    /// By draft.
    errors: BTreeMap<usize, LocationId>,
    tasks: Vec<Task>,
    loops: Vec<Loop>,
    /// What is verified, and why a counterexample there may not be one.
    entries: Vec<(usize, Option<String>)>,
    paths: Vec<Entry>,
    /// Of recursive procedures: other variables for calls by contract.
    renamed: FxHashMap<usize, FxHashMap<VariableId, VariableId>>,
    /// Procedures that are inlined somewhere.
    copied: BTreeSet<usize>,
    /// `where` clauses of globals that hold everywhere ([`calls`]).
    steady: Vec<Term>,
}

/// Procedures that call each other last of all: such calls are jumps.
struct Loop {
    component: usize,
    exit: LocationId,
    /// Where a procedure begins, its arguments given.
    begin: BTreeMap<usize, LocationId>,
}

/// A body to be put between two locations.
struct Task {
    procedure: usize,
    routine: usize,
    entry: LocationId,
    exit: LocationId,
    /// The procedure that is verified there.
    verified: usize,
    /// Are its assertions proved here?
    checked: bool,
    /// What it is a part of, by number.
    within: Option<usize>,
}

/// One of several things that are done one after the other.
struct Link {
    action: LinkAction,
    span: Span,
    approximates: Option<String>,
}

enum LinkAction {
    Do(Statement),
    Check { condition: Term, property: usize },
}

impl Link {
    fn new(statement: Statement, span: &Span) -> Self {
        Link { action: LinkAction::Do(statement), span: span.clone(), approximates: None }
    }

    fn check(condition: Term, property: usize, span: &Span) -> Self {
        let action = LinkAction::Check { condition, property };
        Link { action, span: span.clone(), approximates: None }
    }
}

impl Assembler<'_, '_> {
    fn run(mut self) -> Reading {
        let entry = self.location(None, 0..0);
        let mut start = entry;
        for (fact, span) in std::mem::take(&mut self.axioms.facts) {
            let next = self.location(None, 0..0);
            self.edge(start, next, Statement::Assume(fact), &span, None);
            start = next;
        }
        let facts = self.edges.len();
        let mut done = 0;
        while done < self.entries.len() {
            let (procedure, approximation) = self.entries[done].clone();
            self.enter(start, procedure, approximation, facts);
            while let Some(task) = self.tasks.pop() {
                self.body(&task);
            }
            done += 1;
        }
        let properties = self.properties();
        let weakened = self.axioms.weakening().map(|span| {
            let line = self.lines.line(span.start);
            format!("the quantified axiom at line {line} is only instantiated")
        });
        let mut notes = self.notes();
        notes.sort_by_key(|note| note.span.start);
        let dialect = self.scope.dialect;
        let program = Program {
            terms: self.scope.terms,
            variables: self.scope.variables,
            locations: self.locations,
            entry,
            edges: self.edges,
            properties,
            weakened,
        };
        Reading { program, dialect, notes, entries: self.paths }
    }

    fn notes(&mut self) -> Vec<Note> {
        let mut notes = std::mem::take(&mut self.scope.notes);
        let is_verified = |number| self.entries.iter().any(|(entry, _)| *entry == number);
        for (number, procedure) in self.procedures.iter().enumerate() {
            let is_unused = procedure.is_inline && !self.copied.contains(&number);
            if self.every && is_unused && !procedure.routines.is_empty() && !is_verified(number) {
                let name = procedure.name;
                let message =
                    format!("`{name}` is inlined but never called, so its body is not checked");
                notes.push(Note { message, span: procedure.span.clone() });
            }
        }
        notes
    }

    fn location(&mut self, verified: Option<usize>, span: Span) -> LocationId {
        let procedure = verified.map_or("", |procedure| self.procedures[procedure].name);
        self.locations.push(Location { procedure: procedure.to_owned(), span });
        LocationId(self.locations.len() as u32 - 1)
    }

    /// An edge, with what the axioms say of its terms assumed in front of it.
    fn edge(
        &mut self,
        from: LocationId,
        to: LocationId,
        statement: Statement,
        span: &Span,
        approximates: Option<String>,
    ) {
        let mut from = from;
        let instances = self.axioms.instances(&mut self.scope.terms, statement.terms());
        if !instances.is_empty() {
            let condition = self.scope.terms.and(instances);
            let middle = self.locations[from.0 as usize].clone();
            self.locations.push(middle);
            let middle = LocationId(self.locations.len() as u32 - 1);
            self.edges.push(Edge {
                from,
                to: middle,
                statement: Statement::Assume(condition),
                span: 0..0,
                approximates: None,
            });
            from = middle;
        }
        self.edges.push(Edge { from, to, statement, span: span.clone(), approximates });
    }

    /// Things one after the other, between two locations.
    fn lay(&mut self, from: LocationId, to: LocationId, links: Vec<Link>, at: &Task) {
        if links.is_empty() {
            let anything = Statement::Assume(self.scope.terms.bool(true));
            self.edge(from, to, anything, &(0..0), None);
            return;
        }
        let (mut from, last) = (from, links.len() - 1);
        for (number, link) in links.into_iter().enumerate() {
            let next = if number == last {
                to
            } else {
                self.location(Some(at.verified), link.span.clone())
            };
            let statement = match link.action {
                LinkAction::Do(statement) => statement,
                LinkAction::Check { condition, property } => {
                    if at.checked {
                        let error = self.error(property, at.verified);
                        let not = self.scope.terms.not(condition);
                        self.edge(from, error, Statement::Assume(not), &link.span, None);
                    }
                    Statement::Assume(condition)
                }
            };
            self.edge(from, next, statement, &link.span, link.approximates);
            from = next;
        }
    }

    fn error(&mut self, draft: usize, verified: usize) -> LocationId {
        if let Some(&error) = self.errors.get(&draft) {
            return error;
        }
        let error = self.location(Some(verified), self.drafts[draft].span.clone());
        self.errors.insert(draft, error);
        error
    }

    /// Any state in which the procedure may be called. `facts` is the number of edges with
    /// axioms, which come first.
    fn enter(
        &mut self,
        start: LocationId,
        number: usize,
        approximation: Option<String>,
        facts: usize,
    ) {
        let procedures = self.procedures;
        let procedure = &procedures[number];
        for (routine, implementation) in procedure.routines.iter().enumerate() {
            let mut links = self.preconditions(number, routine, approximation.is_some());
            links.extend(self.remember(number, None));
            if let Some(approximation) = &approximation {
                if links.is_empty() {
                    let anything = self.scope.terms.bool(true);
                    links.push(Link::new(Statement::Assume(anything), &(0..0)));
                }
                links[0].approximates = Some(approximation.clone());
            }
            let span = implementation.points[implementation.entry].clone();
            let entry = self.location(Some(number), span);
            let exit = self.location(Some(number), 0..0);
            let within = self.open_loop(number, exit);
            let task = Task {
                procedure: number,
                routine,
                entry,
                exit,
                verified: number,
                checked: true,
                within,
            };
            let before = self.edges.len();
            self.lay(start, entry, links, &task);
            let path = (0..facts).chain(before..self.edges.len());
            let path = path.map(|edge| EdgeId(edge as u32)).collect();
            self.paths.push(Entry { procedure: procedure.name.to_owned(), path });
            if let Some(within) = within {
                // All implementations are in the loop.
                self.begin_in_loop(number, entry, within, &task);
                break;
            }
            self.tasks.push(task);
        }
    }

    /// What a body may assume when it begins. In a run of the whole program callers only
    /// check what is not free, so that a procedure that is verified beside the start may
    /// assume no more.
    fn preconditions(&mut self, number: usize, routine: usize, beside_start: bool) -> Vec<Link> {
        let procedures = self.procedures;
        let procedure = &procedures[number];
        let locals = &procedure.routines[routine].locals;
        let callers_may_break_more = beside_start && !self.every;
        let mut variables = [procedure.output_parts(), locals.clone()].concat();
        if !callers_may_break_more {
            variables = [self.globals(), procedure.input_parts(), variables].concat();
        }
        let mut links: Vec<Link> = self.constraints(&variables, &(0..0), None);
        let required = procedure.contract.requires.iter();
        for required in required.filter(|required| !(required.free && callers_may_break_more)) {
            links.push(Link::new(Statement::Assume(required.condition), &required.span));
        }
        links
    }

    /// The parts of all global variables.
    fn globals(&self) -> Vec<VariableId> {
        let symbols = self.scope.symbols.values().filter(|symbol| symbol.role == Role::Global);
        let mut globals: Vec<VariableId> =
            symbols.flat_map(|symbol| symbol.parts.iter().copied()).collect();
        globals.sort_unstable();
        globals
    }

    /// What is known of variables that got any values.
    fn constraints(
        &mut self,
        variables: &[VariableId],
        span: &Span,
        callee: Option<usize>,
    ) -> Vec<Link> {
        let known = self.scope.constraints_of(variables);
        known
            .into_iter()
            .map(|condition| {
                let condition = self.rename(callee, condition);
                Link::new(Statement::Assume(condition), span)
            })
            .collect()
    }

    /// Keeps the values of globals on entry, where they are asked for.
    fn remember(&mut self, procedure: usize, renamed: Option<usize>) -> Option<Link> {
        let old = &self.procedures[procedure].frame.old;
        if old.is_empty() {
            return None;
        }
        let assignments = old
            .iter()
            .map(|(&global, &old)| {
                (self.rename_variable(renamed, old), self.scope.terms.variable(global))
            })
            .collect();
        Some(Link::new(Statement::Assign(assignments), &(0..0)))
    }

    fn body(&mut self, task: &Task) {
        let procedures = self.procedures;
        let routine = &procedures[task.procedure].routines[task.routine];
        let mut at: FxHashMap<Point, LocationId> = FxHashMap::default();
        at.insert(routine.entry, task.entry);
        if routine.exit != routine.entry {
            at.insert(routine.exit, task.exit);
        } else {
            self.lay(task.entry, task.exit, Vec::new(), task);
        }
        for step in &routine.steps {
            let [from, to] = [step.from, step.to].map(|point| {
                *at.entry(point).or_insert_with(|| {
                    let span = routine.points[point].clone();
                    self.location(Some(task.verified), span)
                })
            });
            let links = match &step.action {
                Action::Skip => Vec::new(),
                Action::Do(statement) => vec![Link::new(statement.clone(), &step.span)],
                Action::Check(check) => self.checks(check, &step.span),
                Action::Call(call) => {
                    self.call(CallSite { call, to, span: &step.span, task }, from);
                    continue;
                }
            };
            self.lay(from, to, links, task);
        }
    }

    fn checks(&self, check: &Check, span: &Span) -> Vec<Link> {
        let mut link = Link::check(check.condition, check.property, span);
        if check.chosen.is_empty() {
            return vec![link];
        }
        let line = self.lines.line(span.start);
        link.approximates =
            Some(format!("the assertion at line {line} is assumed for one value only"));
        vec![Link::new(Statement::Havoc(check.chosen.clone()), span), link]
    }
}
