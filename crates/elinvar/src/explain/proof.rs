//! What a proof uses, and what it says.

use std::time::Instant;

use elinvar_check::{Budget, Support, support};
use elinvar_ir::program::Invariants;
use elinvar_ir::{Certificate, TransitionSystem};

use super::{Line, Section, listed, plain};
use crate::problem::SystemProblem;
use crate::readable::{count, invariant};
use crate::report::PropertyReport;
use crate::vacuity::Assumption;

/// Names that a line lists.
const NAMES: usize = 24;

/// Clauses of an invariant that are listed.
const CLAUSES: usize = 40;

pub(super) fn sections(
    property: &PropertyReport,
    problem: &SystemProblem,
    proof: &Certificate,
    deadline: Option<Instant>,
) -> Vec<Section> {
    let system = problem.system();
    let budget = Budget { deadline, ..Budget::default() };
    let title = format!("What the proof of {} uses", property.name);
    let used = match support(system, property.id, proof, &budget) {
        Ok(used) => used_parts(title, problem, &used),
        Err(_) => {
            let mut section = Section::new(title);
            section.push("Not known: there was not enough time to find out.");
            section
        }
    };
    let lines = invariant::of_proof(system, proof);
    let invariant = (!lines.is_empty()).then(|| {
        let mut section = Section::new(format!("The invariant of {}", property.name));
        lines.iter().take(CLAUSES).for_each(|line| section.push(line.clone()));
        if lines.len() > CLAUSES {
            section.push(format!("… and {} more", lines.len() - CLAUSES));
        }
        section
    });
    [used].into_iter().chain(invariant).collect()
}

fn used_parts(title: String, problem: &SystemProblem, used: &Support) -> Section {
    let system = problem.system();
    let mut section = Section::new(title);
    let assumptions = system.constraints().len();
    if assumptions > 0 {
        for &index in &used.constraints {
            let assumption = Assumption { index, origin: system.constraint_origin(index).clone() };
            let location = assumption.origin.place.as_ref().map(|place| problem.locate(place));
            let name = assumption.origin.name.clone();
            let name =
                name.filter(|_| location.is_some()).unwrap_or_else(|| assumption.to_string());
            let text = format!("assumption {name}");
            section.lines.push(Line { text, location, ..Line::default() });
        }
        let unused = unused_assumptions(system, used);
        if !unused.is_empty() {
            let names = listed(&unused, NAMES);
            section.push(format!("not needed: {}: {names}", count(unused.len(), "assumption")));
        }
    }
    let states = used.states.iter().map(|&index| plain(&system.state_name(index))).collect();
    let inputs: Vec<String> = used.inputs.iter().map(|&index| system.input_name(index)).collect();
    for (what, names, all) in
        [("register", states, system.states().len()), ("input", inputs, system.inputs().len())]
    {
        if all > 0 {
            let found = names.len();
            let list = if names.is_empty() {
                String::new()
            } else {
                format!(": {}", listed(&names, NAMES))
            };
            let text = format!("{what}s: {found} of {all}{list}");
            section.lines.push(Line { text, signals: names, ..Line::default() });
        }
    }
    let parts = if assumptions > 0 { "assumptions and registers" } else { "registers" };
    let minimal = match used.minimal {
        true => format!("Each of these {parts} is needed."),
        false => format!("Perhaps not all of these {parts} are needed."),
    };
    section.push(format!("Everything else may behave in any way. {minimal}"));
    section
}

fn unused_assumptions(system: &TransitionSystem, used: &Support) -> Vec<String> {
    let unused = (0..system.constraints().len()).filter(|index| !used.constraints.contains(index));
    let name = |index| Assumption { index, origin: system.constraint_origin(index).clone() };
    unused.map(|index| name(index).to_string()).collect()
}

/// What a proof about a program uses. The report has the invariants themselves.
pub(super) fn program_sections(proof: &Invariants) -> Vec<Section> {
    let mut section = Section::new("What the proof uses");
    let mut variables: Vec<String> = (proof.at.values().flatten())
        .flat_map(|&clause| proof.terms.free_variables([clause]))
        .map(|variable| proof.terms.name(variable).to_owned())
        .collect();
    variables.sort_unstable();
    variables.dedup();
    if variables.is_empty() {
        section.push("No invariant: all paths were examined.");
    } else {
        let names = listed(&variables, NAMES);
        section.push(format!("invariants about {}: {names}", count(variables.len(), "variable")));
    }
    vec![section]
}
