//! The statements of a run that the failing assertion depends on: a dynamic slice
//! [Korel, Laski 1988] by data. Conditions of branches are not followed: they decide which
//! statements are executed, and the run shows that.

use std::collections::BTreeSet;

use elinvar_ir::program::{Machine, ProgramTrace, Statement, VariableId};

use super::{Line, Section, listed};
use crate::problem::ProgramProblem;
use crate::readable::value;

/// Variables that a line names.
const VALUES: usize = 8;

pub(super) fn section(problem: &ProgramProblem, trace: &ProgramTrace) -> Section {
    let program = problem.program();
    let mut section = Section::new("Why the assertion fails");
    let needed = needed(problem, trace);
    let mut machine = Machine::new(program, &trace.initial, &trace.functions)
        .expect("accepted runs start with values of the right sorts")
        .with_by_zero(&trace.by_zero);
    let shown = |machine: &Machine<'_>, variables: &[VariableId]| {
        let text = |&variable: &VariableId| {
            let value = value::text(&program.terms, machine.value(variable));
            format!("{} = {value}", program.terms.name(variable))
        };
        listed(&variables.iter().map(text).collect::<Vec<_>>(), VALUES)
    };
    if !needed.initial.is_empty() {
        let variables: Vec<VariableId> = needed.initial.iter().copied().collect();
        section.push(format!("at the start: {}", shown(&machine, &variables)));
    }
    for (at, step) in trace.steps.iter().enumerate() {
        machine.step(step).expect("accepted runs can be repeated");
        let edge = program.edge(step.edge);
        let is_last = at + 1 == trace.steps.len();
        let read = match &edge.statement {
            Statement::Assume(condition) if is_last => program.terms.free_variables([*condition]),
            Statement::Assume(_) => continue,
            Statement::Assign(_) | Statement::Havoc(_) => {
                let written = edge.statement.written();
                written
                    .into_iter()
                    .filter(|variable| needed.written[at].contains(variable))
                    .collect()
            }
        };
        if read.is_empty() && !is_last {
            continue;
        }
        let values = shown(&machine, &read);
        let location = (!edge.span.is_empty()).then(|| problem.located(&edge.span));
        let source = location.as_ref().and_then(|location| location.text.clone());
        let text = match (source, is_last) {
            (Some(source), true) => format!("{source} fails: {values}"),
            (None, true) => format!("the assertion fails: {values}"),
            (Some(source), false) => format!("{source}: {values}"),
            (None, false) => values,
        };
        let signals = read.iter().map(|&variable| program.terms.name(variable).to_owned());
        section.lines.push(Line { location, text, signals: signals.collect(), cycle: None });
    }
    section
}

/// The variables that matter.
struct Slice {
    /// By step: those whose values it gives.
    written: Vec<BTreeSet<VariableId>>,
    /// Those whose initial values matter.
    initial: BTreeSet<VariableId>,
}

fn needed(problem: &ProgramProblem, trace: &ProgramTrace) -> Slice {
    let program = problem.program();
    let mut open: BTreeSet<VariableId> = BTreeSet::new();
    let mut written = vec![BTreeSet::new(); trace.steps.len()];
    for (at, step) in trace.steps.iter().enumerate().rev() {
        match &program.edge(step.edge).statement {
            Statement::Assume(condition) if at + 1 == trace.steps.len() => {
                open.extend(program.terms.free_variables([*condition]));
            }
            Statement::Assume(_) => {}
            Statement::Assign(assignments) => {
                let given: Vec<_> =
                    assignments.iter().filter(|(variable, _)| open.contains(variable)).collect();
                written[at] = given.iter().map(|(variable, _)| *variable).collect();
                open.retain(|variable| !written[at].contains(variable));
                let terms = given.iter().map(|(_, term)| *term);
                open.extend(program.terms.free_variables(terms));
            }
            Statement::Havoc(variables) => {
                written[at] = variables.iter().copied().filter(|v| open.contains(v)).collect();
                open.retain(|variable| !written[at].contains(variable));
            }
        }
    }
    Slice { written, initial: open }
}

#[cfg(test)]
mod tests {
    use crate::{Options, Problem, check};

    #[test]
    fn only_what_the_assertion_depends_on_is_listed() {
        let text = "procedure p(a: int) {\n var x: int; var y: int;\n x := 1;\n y := a;\n \
            x := x + 2;\n y := y + 1;\n assert x < 3;\n}";
        let problem = Problem::parse("p.bpl", text).unwrap();
        let report = check(&problem, &Options { explain: true, ..Options::default() }).unwrap();
        let explanation = report.properties[0].explanation.as_ref().unwrap();
        let lines: Vec<(usize, &str)> = (explanation.sections[0].lines.iter())
            .map(|line| (line.location.as_ref().unwrap().line, &line.text[..]))
            .collect();
        let expected =
            [(3, "x := 1: x = 1"), (5, "x := x + 2: x = 3"), (7, "assert x < 3 fails: x = 3")];
        assert_eq!(lines, expected);
    }
}
