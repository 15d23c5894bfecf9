//! Invariants of clauses over bits of states.
//!
//! ```text
//! invariant of clauses
//! state 4 count
//! state 7 core.busy
//! clause -4.0 7.0
//! ```
//!
//! States are numbered from zero, in the order of the model. The names are those of the model, or
//! `state4` for one without a name; they tell a certificate for another model. A literal is a
//! state, a dot and a bit of it, with a minus sign if the bit is zero. Each state that a clause
//! mentions has its line before.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use elinvar_ir::{Certificate, ExprId, Role, StateBit, TransitionSystem};

use super::{Lines, field};
use crate::Diagnostic;

/// An invariant of clauses, as it stands in the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clauses {
    /// By number: the names of the states that are mentioned.
    states: BTreeMap<usize, String>,
    clauses: Vec<Vec<Literal>>,
}

/// A bit of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Literal {
    state: usize,
    bit: u32,
    positive: bool,
}

impl Clauses {
    /// The clauses of an inductive invariant; nothing if a literal is not about a state.
    pub fn of(clauses: &[Vec<StateBit>], system: &TransitionSystem) -> Option<Self> {
        let mut text = Clauses::default();
        for clause in clauses {
            let literal = |&StateBit { state, bit, positive }: &StateBit| {
                let Some(Role::State(number)) = system.role_of(state) else { return None };
                Some(Literal { state: number, bit, positive })
            };
            let clause: Vec<Literal> = clause.iter().map(literal).collect::<Option<_>>()?;
            for literal in &clause {
                let name = || system.state_name(literal.state);
                text.states.entry(literal.state).or_insert_with(|| name().trim().to_owned());
            }
            text.clauses.push(clause);
        }
        Some(text)
    }

    /// The invariant as a certificate about a system.
    ///
    /// # Errors
    /// If the system has not the states that the text names.
    pub fn into_certificate(self, system: &TransitionSystem) -> Result<Certificate, String> {
        for (&number, name) in &self.states {
            match system.states().get(number) {
                Some(_) if system.state_name(number).trim() == *name => {}
                Some(_) => {
                    let other = system.state_name(number);
                    return Err(format!("state {number} of the model is {other}, not {name}"));
                }
                None => return Err(format!("the model has no state {number}")),
            }
        }
        let symbol = |state: usize| -> ExprId { system.states()[state].symbol };
        let literal = |&Literal { state, bit, positive }: &Literal| StateBit {
            state: symbol(state),
            bit,
            positive,
        };
        let clauses = self.clauses.iter().map(|clause| clause.iter().map(literal).collect());
        Ok(Certificate::Inductive { clauses: clauses.collect() })
    }

    pub(super) fn write(&self, text: &mut String) {
        let must = "strings do not fail";
        for (number, name) in &self.states {
            writeln!(text, "state {number} {name}").expect(must);
        }
        for clause in &self.clauses {
            text.push_str("clause");
            for Literal { state, bit, positive } in clause {
                let sign = if *positive { "" } else { "-" };
                write!(text, " {sign}{state}.{bit}").expect(must);
            }
            text.push('\n');
        }
    }

    /// The states and clauses that follow, to the end of the text.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self, Diagnostic> {
        let text = lines.text;
        let mut found = Clauses::default();
        while let Some(line) = lines.next_if_any() {
            if text[line.clone()].starts_with("state") {
                let (number, name) = state(text, line.clone())?;
                if found.states.insert(number, name).is_some() {
                    return Err(Diagnostic::new(format!("state {number} has a line before"), line));
                }
            } else {
                let clause = found.clause(text, line)?;
                found.clauses.push(clause);
            }
        }
        Ok(found)
    }

    fn clause(&self, text: &str, line: Range<usize>) -> Result<Vec<Literal>, Diagnostic> {
        let unexpected = || Diagnostic::new("expected `state …` or `clause …`", line.clone());
        let words = text[line.clone()].strip_prefix("clause").ok_or_else(unexpected)?;
        if !words.is_empty() && !words.starts_with([' ', '\t']) {
            return Err(unexpected());
        }
        let start = text.as_ptr() as usize;
        let literal = |word: &str| {
            let at = word.as_ptr() as usize - start;
            let span = at..at + word.len();
            let Some(literal) = literal(word) else {
                let message = format!("`{word}` is not a literal");
                let help = "a literal is a state, a dot and a bit, such as -4.0";
                return Err(Diagnostic::new(message, span).with_help(help));
            };
            if !self.states.contains_key(&literal.state) {
                let message = format!("state {} has no line before this one", literal.state);
                return Err(Diagnostic::new(message, span));
            }
            Ok(literal)
        };
        words.split_whitespace().map(literal).collect()
    }
}

fn state(text: &str, line: Range<usize>) -> Result<(usize, String), Diagnostic> {
    let rest = field(text, line.clone(), "state")?;
    let (number, name) = text[rest.clone()]
        .split_once([' ', '\t'])
        .ok_or_else(|| Diagnostic::new("expected `state NUMBER NAME`", line))?;
    let span = rest.start..rest.start + number.len();
    let parsed = digits(number).and_then(|number| number.parse().ok());
    let wrong = || Diagnostic::new(format!("`{number}` is not the number of a state"), span);
    Ok((parsed.ok_or_else(wrong)?, name.trim().to_owned()))
}

fn literal(word: &str) -> Option<Literal> {
    let (rest, positive) = match word.strip_prefix('-') {
        Some(rest) => (rest, false),
        None => (word, true),
    };
    let (state, bit) = rest.split_once('.')?;
    Some(Literal { state: digits(state)?.parse().ok()?, bit: digits(bit)?.parse().ok()?, positive })
}

/// The text, if it is only digits.
fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Proof, TextCertificate, read, write};
    use super::*;
    use elinvar_ir::{Sort, SystemBuilder};

    /// Words called `a b` and, for the second, nothing.
    fn system() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        b.state(Sort::Bv(4), Some("a b")).unwrap();
        b.state(Sort::Bv(2), None).unwrap();
        b.finish().unwrap()
    }

    fn invariant(system: &TransitionSystem) -> Certificate {
        let literal = |number: usize, bit, positive| {
            let state = system.states()[number].symbol;
            StateBit { state, bit, positive }
        };
        let clauses = vec![vec![literal(0, 3, false), literal(1, 1, true)], vec![]];
        Certificate::Inductive { clauses }
    }

    #[test]
    fn what_is_written_is_read() {
        let system = system();
        let proof = Proof::of(&invariant(&system), &system).unwrap();
        let certificate = TextCertificate { property: "p".to_owned(), proof };
        let text = write(&certificate, &system).unwrap();
        let expected = "elinvar certificate 1\nproperty p\ninvariant of clauses\n\
                        state 0 a b\nstate 1 state1\nclause -0.3 1.1\nclause\n";
        assert_eq!(String::from_utf8(text.clone()).unwrap(), expected);
        let back = read(&text).unwrap();
        assert_eq!(back, certificate);
        assert_eq!(back.proof.into_certificate(&system), Ok(invariant(&system)));
    }

    #[test]
    fn a_certificate_for_another_model_is_told() {
        let system = system();
        let certificate = |states: &str| {
            let text = format!("elinvar certificate 1\nproperty p\ninvariant of clauses\n{states}");
            read(text.as_bytes()).unwrap().proof.into_certificate(&system)
        };
        let error = certificate("state 1 b\nclause 1.0\n").unwrap_err();
        assert_eq!(error, "state 1 of the model is state1, not b");
        let error = certificate("state 2 state2\nclause 2.0\n").unwrap_err();
        assert_eq!(error, "the model has no state 2");
        // The checker refuses a bit that a state does not have.
        assert!(certificate("state 1 state1\nclause 1.7\n").is_ok());
    }
}
