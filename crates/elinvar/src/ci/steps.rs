//! A counterexample step by step, with the values that matter and that change.

use elinvar_ir::{BitVec, Value, Verdict};

use crate::problem::{Problem, ProgramProblem, SystemProblem};
use crate::readable::digest::View;
use crate::readable::relevance::Known;
use crate::readable::waves::Signal;
use crate::readable::{number, story, value};
use crate::report::{PropertyReport, Report, Trace};
use crate::source::shorten;

/// Elements of a memory that are shown in one step.
const ELEMENTS: usize = 4;

/// The longest value that is shown.
const LENGTH: usize = 60;

/// A cycle of a system, or a statement of a program.
pub struct Step {
    /// `cycle 3`, or the statement.
    pub label: String,
    /// The line of the statement.
    pub line: Option<usize>,
    /// Names and values: in the first step all that matter, later those that are new.
    pub values: Vec<(String, String)>,
}

impl Step {
    /// `cycle 3: full = 1, count = 4`
    pub fn text(&self) -> String {
        if self.values.is_empty() {
            return self.label.clone();
        }
        let values: Vec<String> =
            self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("{}: {}", self.label, values.join(", "))
    }
}

/// The steps of the trace of a property; none if there is no trace.
pub fn steps(report: &Report, property: &PropertyReport) -> Vec<Step> {
    match (&property.verdict, &report.problem) {
        (Verdict::Unsafe(Trace::System(trace)), Problem::System(problem)) => cycles(problem, trace),
        (Verdict::Unsafe(Trace::Program(trace)), Problem::Program(problem)) => {
            statements(problem, trace)
        }
        (Verdict::Unsafe(_) | Verdict::Safe(_) | Verdict::Unknown(_), _) => Vec::new(),
    }
}

fn cycles(problem: &SystemProblem, trace: &elinvar_ir::Trace) -> Vec<Step> {
    let waves = View::default().of_counterexample(problem.system(), trace).waves;
    let step = |cycle: usize| {
        let new = waves.signals.iter().filter(|signal| is_new(signal, cycle));
        let values = new.map(|signal| {
            let text = signal_value(&signal.values[cycle], &signal.known[cycle]);
            (signal.net.name.clone(), shorten(&text, LENGTH))
        });
        let label =
            if problem.is_combinational() { "values".to_owned() } else { format!("cycle {cycle}") };
        Step { label, line: None, values: values.collect() }
    };
    (0..waves.cycles).map(step).collect()
}

/// Does the value matter, and is it not the one of the cycle before?
fn is_new(signal: &Signal, cycle: usize) -> bool {
    let is_known = cycle > 0
        && signal.matters(cycle - 1)
        && signal.values[cycle] == signal.values[cycle - 1]
        && signal.known[cycle] == signal.known[cycle - 1];
    signal.matters(cycle) && !is_known
}

fn signal_value(value: &Value, known: &Known) -> String {
    match value {
        Value::Bv(bits) => word(bits, &known.word(bits.width())),
        Value::Array(array) => {
            let all = BitVec::ones(array.default_element().width());
            let element = |(index, element): (&BitVec, &BitVec)| {
                format!("[{}] = {}", index.to_decimal(), word(element, &all))
            };
            let mut parts: Vec<String> = array.entries().take(ELEMENTS).map(element).collect();
            let more = array.entries().count() > ELEMENTS;
            parts.extend(more.then(|| "…".to_owned()));
            parts.push(format!("else {}", word(array.default_element(), &all)));
            format!("{{{}}}", parts.join(", "))
        }
    }
}

/// A number; binary with `x` for the bits that do not matter if there are any.
fn word(bits: &BitVec, mask: &BitVec) -> String {
    if !mask.is_ones() {
        let digit = |bit| match (mask.bit(bit), bits.bit(bit)) {
            (false, _) => 'x',
            (true, true) => '1',
            (true, false) => '0',
        };
        return format!("0b{}", (0..bits.width()).rev().map(digit).collect::<String>());
    }
    number(bits)
}

fn statements(problem: &ProgramProblem, trace: &elinvar_ir::program::ProgramTrace) -> Vec<Step> {
    let terms = &problem.program().terms;
    let step = |row: story::Row| {
        let values = row.values.iter().map(|(variable, assigned)| {
            let text = shorten(&value::text(terms, assigned), LENGTH);
            (terms.name(*variable).to_owned(), text)
        });
        Step { label: row.text, line: row.line, values: values.collect() }
    };
    let is_shown = |step: &Step| step.line.is_some() || !step.values.is_empty();
    story::rows(problem, trace).into_iter().map(step).filter(is_shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_do_not_matter_are_marked() {
        let bits = BitVec::new(4, 0b0101);
        assert_eq!(word(&bits, &BitVec::ones(4)), "5");
        assert_eq!(word(&bits, &BitVec::new(4, 0b1011)), "0b0x01");
        assert_eq!(word(&BitVec::new(32, 0xbeef), &BitVec::ones(32)), "0xbeef");
    }

    #[test]
    fn only_new_values_are_shown() {
        let text = "aag 3 1 2 0 0 1\n2\n4 2\n6 4\n6\ni0 go\nl0 first\nl1 second\nb0 late\n";
        let problem = Problem::parse("m.aag", text).unwrap();
        let report = crate::check(&problem, &crate::Options::default()).unwrap();
        let texts: Vec<String> =
            steps(&report, &report.properties[0]).iter().map(Step::text).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts[0].starts_with("cycle 0: ") && texts[0].contains("go = 1"), "{texts:?}");
        assert_eq!(texts[1], "cycle 1: first = 1");
        assert!(texts[2].contains("second = 1") && !texts[2].contains("go"), "{texts:?}");
    }
}
