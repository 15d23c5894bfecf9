//! Why a verdict is what it is, so that the user knows what to do next.
//!
//! - A property that fails has a cause in every cycle: [`failure`] follows the values of the
//!   registers back to inputs and initial values; [`slice`] does the same for a run of a program.
//! - A proof uses a part of the design: [`proof`] lists the assumptions, registers and inputs
//!   without which it would not hold.
//! - Of an undecided property something is known: [`open`] tells how far it was examined, what
//!   was proved on the way, and which states the engine could not get rid of. An assumption or
//!   a helper invariant that excludes these may lead to a proof.

mod failure;
mod open;
mod proof;
mod slice;

use std::time::{Duration, Instant};

use elinvar_ir::Verdict;

use crate::problem::Problem;
use crate::report::{Location, Proof, PropertyReport, Report, Trace};

/// An explanation of a verdict in plain text.
///
/// ```
/// use elinvar::{Options, Problem, check};
/// let problem = Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\nl0 lamp\n")?;
/// let report = check(&problem, &Options { explain: true, ..Options::default() })?;
/// let explanation = report.properties[0].explanation.as_ref().unwrap();
/// assert_eq!(explanation.sections[0].lines[0].text, "lamp starts at 0");
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Explanation {
    /// In the order in which to read them.
    pub sections: Vec<Section>,
}

/// A part of an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// What it says.
    pub lines: Vec<Line>,
}

/// A line of an explanation.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Line {
    /// The cycle of the trace in which it happens.
    pub cycle: Option<usize>,
    /// The place in the source that it is about.
    pub location: Option<Location>,
    /// What happens.
    pub text: String,
    /// The names of the signals in it.
    pub signals: Vec<String>,
}

impl Section {
    fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), lines: Vec::new() }
    }

    fn push(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), ..Line::default() });
    }
}

/// The least time, and the part of the time of the run, in which the parts are looked for that
/// proofs use.
const LEAST: Duration = Duration::from_secs(2);
const PART: u32 = 4;

impl Report {
    /// Adds explanations to all properties. What takes long ends at the limit of the run.
    pub(crate) fn explain(&mut self, limit: Option<Instant>) {
        let enough = Instant::now().checked_add(LEAST.max(self.time / PART));
        let deadline = enough.into_iter().chain(limit).min();
        for at in 0..self.properties.len() {
            let explanation = self.explanation(&self.properties[at], deadline);
            self.properties[at].explanation = Some(explanation);
        }
    }

    /// Why a property has its verdict. Parts of proofs are looked for until the deadline.
    pub(crate) fn explanation(
        &self,
        property: &PropertyReport,
        deadline: Option<Instant>,
    ) -> Explanation {
        let sections = match (&property.verdict, &self.problem) {
            (Verdict::Unsafe(Trace::System(trace)), Problem::System(problem)) => {
                vec![failure::section(property, problem, trace)]
            }
            (Verdict::Unsafe(Trace::Program(trace)), Problem::Program(problem)) => {
                vec![slice::section(problem, trace)]
            }
            (Verdict::Safe(Proof::Certificate(proof)), Problem::System(problem)) => {
                proof::sections(property, problem, proof, deadline)
            }
            (Verdict::Safe(Proof::Invariants(proof)), Problem::Program(_)) => {
                proof::program_sections(proof)
            }
            // A proof that the program cannot express.
            (Verdict::Safe(Proof::Certificate(_)), Problem::Program(_)) => Vec::new(),
            (Verdict::Unknown(_), _) => open::sections(self, property),
            (Verdict::Safe(Proof::Invariants(_)) | Verdict::Unsafe(_), _) => {
                unreachable!("evidence is about the problem of the report")
            }
        };
        Explanation { sections }
    }
}

/// The register behind an asynchronous reset has the name of the signal that users know.
fn plain(name: &str) -> String {
    let register = name.strip_prefix("$reg(").and_then(|rest| rest.strip_suffix(')'));
    register.unwrap_or(name).to_owned()
}

/// Parts of a list, with the number of those that are left out.
fn listed(parts: &[String], most: usize) -> String {
    let mut shown: Vec<String> = parts.iter().take(most).cloned().collect();
    if parts.len() > most {
        shown.push(format!("{} more", parts.len() - most));
    }
    shown.join(", ")
}
