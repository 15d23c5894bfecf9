//! Procedures that cannot be entered: if no state satisfies the preconditions of a procedure,
//! everything in its body is safe.
//!
//! The checker shows that the body is not reached from the entry of the program, along axioms,
//! `where` clauses and preconditions. If it cannot do so in a short time, the proof counts as a
//! usual one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, ProgramRefusal, SmtSolver, program as judge};
use elinvar_formats::boogie::Reading;
use elinvar_ir::PropertyId;
use elinvar_ir::program::{
    ByZero, Edge, EdgeId, FunctionValue, Invariants, Location, LocationId, Program, ProgramStep,
    ProgramTrace, Statement, Value, VariableId,
};

use super::unreached::never_at;

/// The time for all procedures together.
const LIMIT: Duration = Duration::from_secs(2);

/// For each of these safe properties, the procedures in which alone it is checked, if no
/// state satisfies the preconditions of any of them; otherwise nothing.
pub fn dead_procedures<'a>(
    reading: &'a Reading,
    safe: &[PropertyId],
    solver: &SmtSolver,
    mut budget: Budget,
) -> Vec<Vec<String>> {
    let limit = Instant::now() + LIMIT;
    budget.deadline = Some(budget.deadline.map_or(limit, |deadline| deadline.min(limit)));
    let program = &reading.program;
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut cannot_begin = |name: &'a str| {
        *known.entry(name).or_insert_with(|| {
            let mut entries = reading.entries.iter().filter(|e| e.procedure == name).peekable();
            entries.peek().is_some()
                && entries.all(|entry| is_dead_end(program, &entry.path, solver, &budget))
        })
    };
    let of_property = |&property: &PropertyId| {
        let procedures = checked_in(program, property);
        let is_vacuous = procedures.iter().copied().all(&mut cannot_begin);
        let names = if is_vacuous { procedures } else { BTreeSet::new() };
        names.into_iter().map(str::to_owned).collect()
    };
    safe.iter().map(of_property).collect()
}

/// The procedures whose verification may reach the error of a property.
fn checked_in(program: &Program, property: PropertyId) -> BTreeSet<&str> {
    let error = program.property(property).error;
    let into = program.edges.iter().filter(|edge| edge.to == error);
    into.map(|edge| &program.location(edge.from).procedure[..]).collect()
}

/// Does a run with zero for every value take this path? Most preconditions allow that, and
/// then no solver has to be asked.
fn is_taken(program: &Program, path: &[EdgeId]) -> bool {
    let zero = |&variable: &VariableId| Value::zero(program.terms.variable_sort(variable));
    let step = |&edge: &EdgeId| ProgramStep {
        edge,
        values: match &program.edge(edge).statement {
            Statement::Havoc(variables) => variables.iter().map(zero).collect(),
            Statement::Assume(_) | Statement::Assign(_) => Vec::new(),
        },
    };
    let functions = program.terms.functions().iter();
    let trace = ProgramTrace {
        property: PropertyId(0),
        initial: program.variables.iter().map(zero).collect(),
        functions: functions.map(|f| FunctionValue::constant(Value::zero(&f.result))).collect(),
        by_zero: ByZero::default(),
        steps: path.iter().map(step).collect(),
    };
    // The path does not end in an error.
    judge::run(program, &trace) == Err(ProgramRefusal::NotAtError)
}

/// Does the checker accept that no state leads along this path?
fn is_dead_end(program: &Program, path: &[EdgeId], solver: &SmtSolver, budget: &Budget) -> bool {
    if is_taken(program, path) {
        return false;
    }
    let number = |at: usize| LocationId(at as u32);
    let edges: Vec<Edge> = (path.iter().enumerate())
        .map(|(at, &edge)| Edge {
            from: number(at),
            to: number(at + 1),
            ..program.edge(edge).clone()
        })
        .collect();
    let end = never_at(number(edges.len()));
    let straight = Program {
        terms: program.terms.clone(),
        variables: program.variables.clone(),
        locations: vec![Location::default(); edges.len() + 1],
        entry: number(0),
        edges,
        properties: vec![end],
        weakened: None,
    };
    let nothing = Invariants { terms: Arc::new(program.terms.clone()), at: BTreeMap::new() };
    judge::invariants(&straight, &[PropertyId(0)], &nothing, solver, budget).is_ok()
}
