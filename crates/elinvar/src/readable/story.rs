//! A run of a program as its reader follows it: source lines and values.

use std::ops::Range;

use elinvar_ir::program::{
    EdgeId, Machine, Program, ProgramTrace, Statement, Value, VariableId, large_blocks,
};

use crate::problem::ProgramProblem;

/// A statement that was executed, or the start.
pub struct Row {
    /// Where the statement is; `None` at the start.
    pub line: Option<usize>,
    /// The statement, in one line.
    pub text: String,
    /// What the statement wrote; at the start, the values that matter.
    pub values: Vec<(VariableId, Value)>,
}

/// The rows of a run that the checker has accepted.
///
/// ```
/// use elinvar::ir::Verdict;
/// use elinvar::readable::story::{excerpt, rows};
/// use elinvar::readable::value;
/// let text = "procedure p() { var x: int; x := 3; assert x < 3; }";
/// let problem = elinvar::Problem::parse("p.bpl", text)?;
/// let report = elinvar::check(&problem, &elinvar::Options::default())?;
/// let elinvar::Problem::Program(problem) = problem else { unreachable!() };
/// let Verdict::Unsafe(elinvar::Trace::Program(run)) = &report.properties[0].verdict else {
///     panic!("3 is not below 3")
/// };
/// let rows = rows(&problem, run);
/// let assigned = rows.iter().find(|row| row.text == "x := 3").unwrap();
/// assert_eq!(value::text(&problem.program().terms, &assigned.values[0].1), "3");
/// assert!(excerpt(&rows).gap.is_none(), "short runs are shown as a whole");
/// # Ok::<(), elinvar::Error>(())
/// ```
pub fn rows(problem: &ProgramProblem, trace: &ProgramTrace) -> Vec<Row> {
    let (program, source) = (problem.program(), problem.source());
    let mut rows = vec![start(program, trace)];
    let mut machine = Machine::new(program, &trace.initial, &trace.functions)
        .expect("accepted runs start with values of the right sorts")
        .with_by_zero(&trace.by_zero);
    // The edges of the statement that the last row shows: a statement may have several.
    let mut last: (Range<usize>, Vec<EdgeId>) = (0..0, Vec::new());
    for step in &trace.steps {
        machine.step(step).expect("accepted runs can be repeated");
        let edge = program.edge(step.edge);
        let written = edge.statement.written();
        if edge.span.is_empty() && !shows(&edge.statement) {
            continue;
        }
        if edge.span != last.0 || last.1.contains(&step.edge) {
            last = (edge.span.clone(), Vec::new());
            let line = (!edge.span.is_empty()).then(|| source.line(edge.span.start));
            rows.push(Row { line, text: source.excerpt(&edge.span), values: Vec::new() });
        }
        last.1.push(step.edge);
        let row = rows.last_mut().expect("there is a row for the start");
        for variable in written {
            row.values.retain(|(known, _)| *known != variable);
            row.values.push((variable, machine.value(variable).clone()));
        }
    }
    rows
}

/// Is it worth a row although the source does not have it?
fn shows(statement: &Statement) -> bool {
    match statement {
        Statement::Assume(_) => false,
        Statement::Assign(_) | Statement::Havoc(_) => true,
    }
}

/// The values of the variables that may be read before they are written.
fn start(program: &Program, trace: &ProgramTrace) -> Row {
    let error = program.property(trace.property).error;
    let blocks = large_blocks(program, &[error]);
    let live = &blocks.live[&program.entry];
    let initial = program.variables.iter().zip(&trace.initial);
    let values = initial
        .filter(|(variable, _)| live.contains(variable))
        .map(|(variable, value)| (*variable, value.clone()))
        .collect();
    Row { line: None, text: "start".to_owned(), values }
}

/// A part of the rows that is short enough for a screen.
pub struct Excerpt<'a> {
    /// The beginning.
    pub first: &'a [Row],
    /// What is left out, and the line that occurs most often in it.
    pub gap: Option<Gap>,
    /// The end.
    pub last: &'a [Row],
}

/// Rows that are left out.
pub struct Gap {
    /// How many there are.
    pub rows: usize,
    /// A line, and how often it is executed.
    pub rounds: Option<(usize, usize)>,
}

/// The beginning and the end of a long run.
pub fn excerpt(rows: &[Row]) -> Excerpt<'_> {
    const FIRST: usize = 24;
    const LAST: usize = 14;
    if rows.len() <= FIRST + LAST + 2 {
        return Excerpt { first: rows, gap: None, last: &[] };
    }
    let (first, rest) = rows.split_at(FIRST);
    let (gap, last) = rest.split_at(rest.len() - LAST);
    let gap = Gap { rows: gap.len(), rounds: rounds(gap) };
    Excerpt { first, gap: Some(gap), last }
}

/// The first of the lines that are executed most often, if any is more than once.
fn rounds(rows: &[Row]) -> Option<(usize, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for line in rows.iter().filter_map(|row| row.line) {
        *counts.entry(line).or_insert(0) += 1;
    }
    let most = *counts.values().max()?;
    let line = counts.into_iter().find(|&(_, count)| count == most)?.0;
    (most > 1).then_some((line, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_cut_in_the_middle() {
        let row = |line| Row { line: Some(line), text: String::new(), values: Vec::new() };
        let rows: Vec<Row> = (0..100).map(|number| row(3 + number % 2)).collect();
        let short = excerpt(&rows);
        let gap = short.gap.unwrap();
        assert_eq!(short.first.len() + gap.rows + short.last.len(), 100);
        assert_eq!(gap.rounds, Some((3, gap.rows / 2)));
        assert!(excerpt(&rows[..40]).gap.is_none());
    }
}
