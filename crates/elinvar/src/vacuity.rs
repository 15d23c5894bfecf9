//! Proofs that say less than they seem to, because of what is assumed or because what they
//! prove is never asked.
//!
//! The checker itself establishes all of this, in a small part of the time of the run. What it
//! cannot establish in that time is not reported, except for the length of the runs that the
//! constraints of a system allow: as long as no run of any length is known, the report says
//! how long a run is known.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, Contradiction, Runs};
use elinvar_ir::{Origin, PropertyId, TransitionSystem};

use crate::confirm;
use crate::problem::Problem;
use crate::session::Session;

/// Why a proof says less than it seems to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vacuity {
    /// The constraints of a system contradict each other, so that every run ends.
    Contradiction(Conflict),
    /// No state satisfies the preconditions of these procedures, in which alone the property
    /// is checked.
    DeadProcedures(Vec<String>),
}

/// Assumptions that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The first cycle for which there is no run, from 0.
    pub cycle: usize,
    /// Assumptions that no run satisfies up to this cycle.
    pub assumptions: Vec<Assumption>,
    /// Is each of them needed for the contradiction?
    pub minimal: bool,
}

/// A constraint of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// Its number in [`TransitionSystem::constraints`].
    pub index: usize,
    /// Its name and its place, where they are known.
    pub origin: Origin,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.origin.place, &self.origin.name) {
            (Some(place), Some(name)) => write!(f, "{place} {name}"),
            (Some(place), None) => place.fmt(f),
            (None, Some(name)) => name.fmt(f),
            (None, None) => write!(f, "constraint {}", self.index),
        }
    }
}

/// Assumptions that a message lists.
const LISTED: usize = 8;

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conflict { cycle, assumptions, minimal } = self;
        let mut names: Vec<String> =
            assumptions.iter().take(LISTED).map(ToString::to_string).collect();
        if assumptions.len() > LISTED {
            names.push(format!("{} more", assumptions.len() - LISTED));
        }
        let names = names.join(", ");
        match (assumptions.len(), minimal) {
            (1, _) => write!(f, "an assumption cannot hold in cycle {cycle}: {names}"),
            (_, true) => {
                write!(f, "the assumptions contradict each other in cycle {cycle}: {names}")
            }
            (_, false) => {
                write!(f, "some assumptions contradict each other in cycle {cycle}, of {names}")
            }
        }
    }
}

impl fmt::Display for Vacuity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vacuity::Contradiction(conflict) => conflict.fmt(f),
            Vacuity::DeadProcedures(names) => {
                let of = |name: &String| {
                    format!("the preconditions of procedure {name} contradict each other")
                };
                f.write_str(&names.iter().map(of).collect::<Vec<String>>().join("; "))
            }
        }
    }
}

impl Vacuity {
    /// The name of the kind in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Vacuity::Contradiction(_) => "contradiction",
            Vacuity::DeadProcedures(_) => "dead procedures",
        }
    }

    /// Is the proof vacuous because of what the user assumed?
    pub fn is_about_assumptions(&self) -> bool {
        match self {
            Vacuity::Contradiction(_) | Vacuity::DeadProcedures(_) => true,
        }
    }

    /// What follows from it, in a sentence, if there is something to add.
    pub fn consequence(&self) -> Option<String> {
        match self {
            Vacuity::Contradiction(Conflict { cycle: 0, .. }) => {
                Some("No initial state satisfies the assumptions.".to_owned())
            }
            Vacuity::Contradiction(Conflict { cycle, .. }) => {
                let cycles = crate::readable::count(*cycle, "cycle");
                Some(format!("Every run ends after {cycles}."))
            }
            Vacuity::DeadProcedures(_) => None,
        }
    }

    fn contradiction(system: &TransitionSystem, found: Contradiction) -> Self {
        let Contradiction { cycle, constraints, minimal } = found;
        let assumption = |index: usize| {
            let origin = system.constraint_origin(index).clone();
            Assumption { index, origin }
        };
        let assumptions = constraints.into_iter().map(assumption).collect();
        Vacuity::Contradiction(Conflict { cycle, assumptions, minimal })
    }
}

/// What is known about the worth of some proofs.
#[derive(Default)]
pub(crate) struct Findings {
    /// The runs that the constraints allow, if there are constraints.
    pub runs: Option<Runs>,
    /// The proofs that are vacuous, by property.
    pub vacuities: BTreeMap<PropertyId, Vacuity>,
    /// How long it took to find that out.
    pub time: Duration,
}

impl Session {
    /// Looks for reasons why the proofs of these properties say less than they seem to.
    pub(crate) fn findings(&self, problem: &Problem, proved: &[PropertyId]) -> Findings {
        let start = Instant::now();
        let mut findings = Findings::default();
        match problem {
            _ if proved.is_empty() => {}
            Problem::System(problem) => {
                if let Ok(system) = problem.original().system() {
                    let (runs, vacuity) = assumptions(system, self.elapsed(), self.budget());
                    findings.runs = runs;
                    let all = proved.iter().map(|&id| Some((id, vacuity.clone()?)));
                    findings.vacuities = all.flatten().collect();
                }
            }
            Problem::Program(problem) => {
                let solver = &self.options.solvers()[0];
                let dead =
                    confirm::dead_procedures(problem.reading(), proved, solver, self.budget());
                let named = proved.iter().zip(dead).filter(|(_, names)| !names.is_empty());
                let vacuity = |(&id, names)| (id, Vacuity::DeadProcedures(names));
                findings.vacuities = named.map(vacuity).collect();
            }
        }
        findings.time = start.elapsed();
        findings
    }
}

/// The runs that the constraints of a system allow, and why its proofs are vacuous if they
/// are. `elapsed` is how long the run took so far, of which this takes a small part.
pub(crate) fn assumptions(
    system: &TransitionSystem,
    elapsed: Duration,
    limits: Budget,
) -> (Option<Runs>, Option<Vacuity>) {
    if system.constraints().is_empty() {
        return (None, None);
    }
    let runs = elinvar_check::runs(system, &share(elapsed, limits));
    let vacuity = match &runs {
        Runs::Contradiction(found) => Some(Vacuity::contradiction(system, found.clone())),
        Runs::Endless | Runs::AtLeast(_) => None,
    };
    (Some(runs), vacuity)
}

/// The budget for one question about a proof. After a short run the number of gates limits
/// the work, so that the answer does not depend on the machine; it takes some hundredths of a
/// second. After a long one the time does.
fn share(elapsed: Duration, limits: Budget) -> Budget {
    const LEAST: Duration = Duration::from_millis(250);
    const GATES: u64 = 1 << 18;
    let deadline = Instant::now() + LEAST.max(elapsed / 50);
    Budget {
        deadline: Some(limits.deadline.map_or(deadline, |limit| limit.min(deadline))),
        max_gates: GATES.saturating_mul(1 + elapsed.as_secs() / 2),
        ..limits
    }
}
