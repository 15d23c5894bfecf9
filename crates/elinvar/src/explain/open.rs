//! What is known about an undecided property.

use elinvar_engines::States;
use elinvar_engines::pdr::PdrStatistics;
use elinvar_ir::{Fact, PdrState, Reach, RegisterLiteral, TransitionSystem};

use super::Section;
use crate::problem::Problem;
use crate::readable::{count, invariant, program};
use crate::report::{PropertyKind, PropertyReport, Report};

/// Lemmas that are listed.
const LEMMAS: usize = 12;

/// Facts about states that are listed.
const FACTS: usize = 24;

/// The largest lemma that is worth reading.
const LITERALS: usize = 3;

pub(super) fn sections(report: &Report, property: &PropertyReport) -> Vec<Section> {
    let mut known = Section::new(format!("What is known about {}", property.name));
    if let Some(reason) = property.verdict.reason() {
        known.push(format!("It is undecided: {reason}."));
    }
    let verb = match property.kind {
        PropertyKind::Liveness => return vec![known],
        PropertyKind::Cover => "reaches it",
        PropertyKind::Safety | PropertyKind::Program(_) => "violates it",
    };
    if property.excluded > 0 {
        let cycles = count(property.excluded, "cycle");
        known.push(format!("No execution of up to {cycles} {verb}."));
    }
    sizes(report).into_iter().for_each(|text| known.push(text));
    let lemmas = match (&report.problem, &report.statistics.state) {
        (Problem::System(problem), Some(state)) => lemmas(problem.system(), state),
        (Problem::System(_) | Problem::Program(_), _) => Vec::new(),
    };
    let mut sections = vec![known];
    if !lemmas.is_empty() {
        let mut section = Section::new("Proved on the way, true in every reachable state");
        lemmas.iter().take(LEMMAS).for_each(|lemma| section.push(lemma.clone()));
        if lemmas.len() > LEMMAS {
            section.push(format!("… and {} more", lemmas.len() - LEMMAS));
        }
        sections.push(section);
    }
    sections.extend(recurring(report, property));
    sections
}

/// How large the frames were.
fn sizes(report: &Report) -> Option<String> {
    let numbers = &report.statistics.numbers;
    let pdr = numbers.iter().find_map(|numbers| numbers.downcast_ref::<PdrStatistics>())?;
    let (frames, lemmas) = (count(pdr.frontier, "frame"), count(pdr.lemmas as usize, "lemma"));
    let inductive = pdr.invariant_lemmas;
    Some(format!(
        "Property directed reachability opened {frames} and learned {lemmas}, of which {inductive} are inductive."
    ))
}

/// The states that keep coming back, and what to do about them.
fn recurring(report: &Report, property: &PropertyReport) -> Option<Section> {
    let recurring = report.statistics.recurring.get(&property.id)?;
    let (place, lines) = match (&recurring.states, &report.problem) {
        (States::System(facts), Problem::System(problem)) => {
            let clauses: Vec<Vec<Fact>> = facts.iter().map(|fact| vec![fact.clone()]).collect();
            (String::new(), invariant::lines(problem.system(), &clauses))
        }
        (States::Program(states), Problem::Program(problem)) => {
            let at = program::invariants(problem, [states]).into_iter().next()?;
            let line = at.line.map(|line| format!(" at {}:{line}", problem.source().name()));
            (line.unwrap_or_default(), at.clauses)
        }
        (States::System(_) | States::Program(_), _) => return None,
    };
    if lines.is_empty() {
        return None;
    }
    let (times, steps) = (recurring.times, count(recurring.steps.max(1), "step"));
    let before = match (recurring.steps, &recurring.states) {
        (0, _) => "in which the property can fail".to_owned(),
        (_, States::System(_)) => format!("{steps} before a failure"),
        (_, States::Program(_)) => "from which the assertion can fail".to_owned(),
    };
    let title = format!("States{place} {before}, which the engine worked on {times} times");
    let mut section = Section::new(title);
    lines.iter().take(FACTS).for_each(|line| section.push(line.clone()));
    if lines.len() > FACTS {
        section.push(format!("… and {} more", lines.len() - FACTS));
    }
    section.push("If these states cannot occur, assert that: it may be easier to prove, and can");
    section.push("then be assumed. If they can occur, the property may fail.");
    Some(section)
}

/// The short inductive lemmas, as text.
fn lemmas(system: &TransitionSystem, state: &PdrState) -> Vec<String> {
    let fact = |literal: &RegisterLiteral| {
        Fact::of_bit(system, literal.register, literal.position, literal.positive)
    };
    let is_short = |clause: &Vec<RegisterLiteral>| clause.len() <= LITERALS;
    let inductive = state.lemmas.iter().filter(|lemma| lemma.reach == Reach::Always);
    let clauses: Vec<Vec<Fact>> = inductive
        .map(|lemma| &lemma.clause)
        .filter(|clause| is_short(clause))
        .filter_map(|clause| clause.iter().map(fact).collect())
        .collect();
    invariant::lines(system, &clauses)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use elinvar_engines::Choice;
    use elinvar_engines::Recurring;
    use elinvar_engines::bmc::BmcOptions;
    use elinvar_ir::{FrameLemma, PropertyId};

    use super::*;
    use crate::{Method, Options, check};

    /// A counter that fails later than it is examined.
    fn undecided() -> Report {
        let text = "1 sort bitvec 8\n2 zero 1\n3 state 1 count\n4 init 1 3 2\n5 one 1\n6 add 1 3 5\n\
            7 next 1 3 6\n8 sort bitvec 1\n9 constd 1 99\n10 eq 8 3 9\n11 bad 10 full\n";
        let problem = Problem::parse("count.btor2", text).unwrap();
        let bmc = BmcOptions { bound: Some(9), ..BmcOptions::default() };
        let method = Method::System(Choice::Bmc(bmc));
        check(&problem, &Options { method, explain: true, ..Options::default() }).unwrap()
    }

    fn texts(sections: &[Section]) -> Vec<Vec<&str>> {
        fn lines(section: &Section) -> Vec<&str> {
            section.lines.iter().map(|line| &line.text[..]).collect()
        }
        sections.iter().map(lines).collect()
    }

    #[test]
    fn the_depth_is_told() {
        let report = undecided();
        let explanation = report.properties[0].explanation.as_ref().unwrap();
        let reason = "It is undecided: no bad state within 9 steps; the bound was reached.";
        let depth = "No execution of up to 10 cycles violates it.";
        assert_eq!(texts(&explanation.sections), [[reason, depth]]);
    }

    #[test]
    fn lemmas_and_states_are_readable() {
        let mut report = undecided();
        let literal = |position, positive| RegisterLiteral { register: 0, position, positive };
        let lemma = |reach, clause| FrameLemma { reach, clause };
        let lemmas = vec![
            lemma(Reach::Always, vec![literal(7, false)]),
            lemma(Reach::Frame(3), vec![literal(6, false)]),
        ];
        let state = PdrState { lemmas, ..PdrState::default() };
        report.statistics.state = Some(Arc::new(state));
        let Problem::System(problem) = &report.problem else { panic!() };
        let fact = |bit| Fact::of_bit(problem.system(), 0, bit, true).unwrap();
        let states = States::System(vec![fact(1), fact(0)]);
        let recurring = Recurring { property: PropertyId(0), states, steps: 2, times: 31 };
        report.statistics.recurring.insert(PropertyId(0), Arc::new(recurring));
        let sections = sections(&report, &report.properties[0]);
        let texts = texts(&sections);
        assert_eq!(texts[1], ["count[7] = 0"]);
        assert_eq!(texts[2][0], "count[1:0] = 3");
        let title = "States 2 steps before a failure, which the engine worked on 31 times";
        assert_eq!(sections[2].title, title);
    }
}
