//! What is told of a run: to people, to scripts.

pub mod digest;
mod invariant;
pub mod json;
mod relevance;
pub mod statistics;
pub mod table;
pub mod text;
pub mod waves;

use std::time::Duration;

use elinvar_formats::model::Model;
use elinvar_ir::program::ProgramVerdict;
use elinvar_ir::{Certificate, PropertyId, StopReason, Verdict};
use serde_json::json;

use self::table::Look;
use crate::output::Files;
use crate::progress::Statistics;

/// The checked answer about a model.
pub struct Report<'a> {
    pub model: &'a Model,
    pub engine: &'static str,
    pub time: Duration,
    /// The part of the time in which evidence was checked.
    pub checking: Duration,
    pub answers: Vec<Answer>,
    pub statistics: Statistics,
    /// The time that the earlier proof took of which lemmas were reused.
    pub earlier_seconds: Option<f64>,
    /// The cycle in which the constraints contradict each other: proofs are vacuous.
    pub contradiction: Option<usize>,
    /// The files that were written about the answers.
    pub files: Files,
    /// What went wrong without harm to the answers.
    pub warnings: Vec<String>,
}

/// The checked answer about a property.
pub struct Answer {
    pub property: PropertyId,
    pub verdict: Verdict,
    pub time: Duration,
    /// The engine that decided it.
    pub engine: Option<&'static str>,
}

/// The verdict in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summary {
    Safe,
    Unsafe,
    Unknown,
}

impl Summary {
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Safe(_) => Summary::Safe,
            Verdict::Unsafe(_) => Summary::Unsafe,
            Verdict::Unknown(_) => Summary::Unknown,
        }
    }

    pub fn of_program(verdict: &ProgramVerdict) -> Self {
        match verdict {
            ProgramVerdict::Safe(_) => Summary::Safe,
            ProgramVerdict::Unsafe(_) => Summary::Unsafe,
            ProgramVerdict::Unknown(_) => Summary::Unknown,
        }
    }

    /// Unsafe if any property is, else unknown if any is, else safe.
    pub fn of_all(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Summary::Safe, |all, one| match (all, one) {
            (Summary::Unsafe, _) | (_, Summary::Unsafe) => Summary::Unsafe,
            (Summary::Unknown, _) | (_, Summary::Unknown) => Summary::Unknown,
            (Summary::Safe, Summary::Safe) => Summary::Safe,
        })
    }

    pub fn word(self) -> &'static str {
        match self {
            Summary::Safe => "safe",
            Summary::Unsafe => "unsafe",
            Summary::Unknown => "unknown",
        }
    }

    /// The same as the answer to "is a bad state reachable?".
    pub fn solver_word(self) -> &'static str {
        match self {
            Summary::Safe => "unsat",
            Summary::Unsafe => "sat",
            Summary::Unknown => "unknown",
        }
    }

    /// The exit code, as in the field.
    pub fn code(self) -> u8 {
        match self {
            Summary::Safe => 20,
            Summary::Unsafe => 10,
            Summary::Unknown => 0,
        }
    }
}

/// The report of a run whose model was not read before a limit was reached.
pub fn unread(reason: &StopReason, json: bool, quiet: bool) -> String {
    let word = Summary::Unknown.word();
    if json {
        let reason = reason.to_string();
        format!("{}\n", json!({ "verdict": word, "reason": reason, "properties": [] }))
    } else if quiet {
        format!("{word}\n")
    } else {
        format!("{word}\nThe model was not read: {reason}.\n")
    }
}

impl Report<'_> {
    /// The report as it is asked for.
    pub fn render(&self, json: bool, quiet: bool) -> String {
        if json {
            format!("{}\n", json::render(self))
        } else if quiet {
            format!("{}\n", self.word())
        } else {
            text::render(self, Look::of_stdout())
        }
    }

    pub fn summary(&self) -> Summary {
        Summary::of_all(self.answers.iter().map(|answer| Summary::of(&answer.verdict)))
    }

    /// The verdict for people: solvers' words for problems without time.
    pub fn word(&self) -> &'static str {
        let summary = self.summary();
        if self.is_combinational() { summary.solver_word() } else { summary.word() }
    }

    /// A question about one moment: nothing is remembered.
    pub fn is_combinational(&self) -> bool {
        match self.model {
            Model::Btor(model) => model.combinational,
            Model::Aiger(_) | Model::Btor2(_) | Model::Basm(_) => false,
        }
    }

    /// The cycle in which the constraints contradict each other, if that makes the
    /// property safe.
    pub fn vacuous(&self, answer: &Answer) -> Option<usize> {
        match answer.verdict {
            Verdict::Safe(_) => self.contradiction,
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        }
    }

    /// Why there is no verdict.
    pub fn reason(&self) -> Option<&StopReason> {
        if self.summary() != Summary::Unknown {
            return None;
        }
        self.answers.iter().find_map(|answer| match &answer.verdict {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::Safe(_) | Verdict::Unsafe(_) => None,
        })
    }

    /// The engine that ran, and those within it that decided something.
    pub fn engines(&self) -> String {
        let mut deciding: Vec<&str> = self.answers.iter().filter_map(|a| a.engine).collect();
        deciding.sort_unstable();
        deciding.dedup();
        match deciding[..] {
            [] => self.engine.to_owned(),
            [one] if one == self.engine => one.to_owned(),
            _ => format!("{} ({})", self.engine, deciding.join(", ")),
        }
    }

    pub fn name(&self, answer: &Answer) -> &str {
        &self.model.system().property(answer.property).name
    }

    /// The bad cycle of a trace, the induction depth of a proof or where else it
    /// converged, the bound that was reached.
    pub fn depth(&self, answer: &Answer) -> Option<usize> {
        match &answer.verdict {
            Verdict::Unsafe(trace) => Some(trace.depth()),
            Verdict::Safe(Certificate::KInductive { k, .. }) => Some(*k),
            Verdict::Safe(
                Certificate::Inductive { .. } | Certificate::Facts { .. } | Certificate::Formula(_),
            ) => {
                let decision = self.statistics.decided.get(&answer.property)?;
                Some(decision.depth).filter(|&depth| depth > 0)
            }
            Verdict::Unknown(StopReason::Bound(bound)) => Some(*bound),
            Verdict::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::{Fact, Sort, SystemBuilder, Word};

    /// Two properties, both proved by the same fact about a register.
    #[test]
    fn facts_are_told_to_people_and_scripts() {
        let mut b = SystemBuilder::new();
        let pc = b.state(Sort::Bv(2), Some("pc")).unwrap();
        let never = b.pool.bool(false);
        b.bad("p", never);
        b.bad("q", never);
        let model = crate::family::model_of(b.finish().unwrap());
        let fact = Fact::Bit { word: Word { state: pc, element: None }, bit: 1, value: false };
        let proof = Verdict::Safe(Certificate::Facts { clauses: vec![vec![fact]] });
        let answer = |number| Answer {
            property: PropertyId(number),
            verdict: proof.clone(),
            time: Duration::ZERO,
            engine: None,
        };
        let mut report = Report {
            model: &model,
            engine: "words",
            time: Duration::ZERO,
            checking: Duration::ZERO,
            answers: vec![answer(0)],
            statistics: Statistics::default(),
            earlier_seconds: None,
            contradiction: None,
            files: Files::default(),
            warnings: Vec::new(),
        };
        let text = report.render(false, false);
        let invariant = "\n\nThe invariant:\n  pc[1] = 0\n\n";
        assert!(
            text.contains("an inductive invariant of 1 clause with 1 fact, checked."),
            "{text}"
        );
        assert!(text.contains(invariant), "{text}");
        let json = json::render(&report);
        let expected = serde_json::json!({
            "kind": "facts", "clauses": 1, "literals": 1, "invariant": ["pc[1] = 0"],
        });
        assert_eq!(json["properties"][0]["certificate"], expected);
        report.answers.push(answer(1));
        let both = report.render(false, false);
        assert_eq!(both.matches(invariant).count(), 1, "{both}");
    }
}
