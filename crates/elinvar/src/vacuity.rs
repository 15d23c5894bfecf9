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
use elinvar_ir::program::Invariants;
use elinvar_ir::{Certificate, ExprId, Goal, Origin, PropertyId, TransitionSystem, Verdict};

use crate::check::{Decided, depth};
use crate::confirm::{self, Unreached};
use crate::problem::{Problem, ProgramProblem, SystemProblem};
use crate::report::{Location, Proof};
use crate::session::Session;

/// Why a proof says less than it seems to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vacuity {
    /// The constraints of a system contradict each other, so that every run ends.
    Contradiction(Conflict),
    /// No state satisfies the preconditions of these procedures, in which alone the property
    /// is checked.
    DeadProcedures(Vec<String>),
    /// The condition under which the property of a system is checked never holds.
    Antecedent,
    /// No run of a program satisfies the assumptions in these places, through which alone the
    /// property is reached.
    DeadAssumptions(Vec<Location>),
    /// No run of a program reaches the assertion.
    Unreached,
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
            Vacuity::Antecedent => {
                f.write_str("the condition under which it is checked never holds")
            }
            Vacuity::DeadAssumptions(places) => {
                let places: Vec<String> = places.iter().map(ToString::to_string).collect();
                let plural = if places.len() == 1 { "" } else { "s" };
                write!(f, "no run satisfies the assumption{plural} at {}", places.join(", "))
            }
            Vacuity::Unreached => f.write_str("no run reaches this assertion"),
        }
    }
}

impl Vacuity {
    /// The name of the kind in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Vacuity::Contradiction(_) => "contradiction",
            Vacuity::DeadProcedures(_) => "dead procedures",
            Vacuity::Antecedent => "antecedent",
            Vacuity::DeadAssumptions(_) => "dead assumptions",
            Vacuity::Unreached => "unreached",
        }
    }

    /// Is the proof vacuous because of what the user assumed?
    pub fn is_about_assumptions(&self) -> bool {
        match self {
            Vacuity::Contradiction(_)
            | Vacuity::DeadProcedures(_)
            | Vacuity::DeadAssumptions(_) => true,
            Vacuity::Antecedent | Vacuity::Unreached => false,
        }
    }

    /// Is it only a remark, because code that is not reached is usual in programs?
    pub fn is_remark(&self) -> bool {
        *self == Vacuity::Unreached
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
            Vacuity::DeadProcedures(_)
            | Vacuity::Antecedent
            | Vacuity::DeadAssumptions(_)
            | Vacuity::Unreached => None,
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
    /// Looks for reasons why checked proofs say less than they seem to.
    pub(crate) fn findings(&self, problem: &Problem, decided: &[Decided]) -> Findings {
        let start = Instant::now();
        let proofs: Vec<(PropertyId, &Proof)> = (decided.iter())
            .filter_map(|(id, verdict)| match verdict {
                Verdict::Safe(proof) => Some((*id, proof)),
                Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
            })
            .collect();
        let mut findings = match problem {
            _ if proofs.is_empty() => Findings::default(),
            Problem::System(problem) => {
                let mut findings = self.findings_on_system(problem, &proofs, self.deepest(decided));
                if let Some(Runs::AtLeast(cycles)) = &mut findings.runs {
                    *cycles = (*cycles).max(longest_trace(decided));
                }
                findings
            }
            Problem::Program(problem) => self.findings_on_program(problem, &proofs),
        };
        findings.time = start.elapsed();
        findings
    }

    /// Why the constraints of a system allow no run, or no long one, if that is found in a
    /// small part of the time of the session. The absence of bad states says little then.
    ///
    /// ```
    /// use elinvar::{Problem, Session, Vacuity};
    /// // A constraint that never holds.
    /// let problem = Problem::parse("m.aag", "aag 1 1 0 0 0 1 1\n2\n2\n0\n")?.as_system()?;
    /// let session = Session::start(elinvar::Options::default())?;
    /// let Some(Vacuity::Contradiction(found)) = session.contradiction(&problem) else { panic!() };
    /// assert_eq!(found.cycle, 0);
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn contradiction(&self, problem: &SystemProblem) -> Option<Vacuity> {
        let system = problem.original().system().ok()?;
        self.checking(|| assumptions(system, 1, self.elapsed(), self.budget())).1
    }

    /// The largest depth of a proof.
    fn deepest(&self, decided: &[Decided]) -> usize {
        let decisions = self.statistics().decided;
        let proofs = decided.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Safe(_)));
        let depths = proofs.filter_map(|(id, verdict)| {
            depth(verdict, decisions.get(id).map_or(0, |decision| decision.depth))
        });
        depths.max().unwrap_or(1)
    }

    fn findings_on_system(
        &self,
        problem: &SystemProblem,
        proofs: &[(PropertyId, &Proof)],
        depth: usize,
    ) -> Findings {
        let Ok(system) = problem.original().system() else { return Findings::default() };
        let (runs, vacuity) = assumptions(system, depth, self.elapsed(), self.budget());
        let vacuities = match vacuity {
            Some(vacuity) => proofs.iter().map(|&(id, _)| (id, vacuity.clone())).collect(),
            None => {
                let never = self.unused_antecedents(problem, system, proofs);
                never.into_iter().map(|id| (id, Vacuity::Antecedent)).collect()
            }
        };
        Findings { runs, vacuities, ..Findings::default() }
    }

    /// The properties that are checked only under a condition that never holds.
    fn unused_antecedents(
        &self,
        problem: &SystemProblem,
        original: &TransitionSystem,
        proofs: &[(PropertyId, &Proof)],
    ) -> Vec<PropertyId> {
        let antecedent = |&(id, _): &(PropertyId, &Proof)| {
            let bits = original.antecedent(original.bad(id)?);
            let is_assertion = problem.system().property(id).goal == Goal::Assert;
            (is_assertion && !bits.is_empty()).then(|| (id, bits.to_vec()))
        };
        let (properties, conditions): (Vec<PropertyId>, Vec<Vec<ExprId>>) =
            proofs.iter().filter_map(antecedent).unzip();
        if properties.is_empty() {
            return Vec::new();
        }
        // Invariants are used as lemmas, in the reading that they were checked against.
        let transferred = |&(id, proof): &(PropertyId, &Proof)| match proof {
            Proof::Certificate(proof) => Some((id, proof.transfer(problem.system(), original)?)),
            Proof::Invariants(_) => None,
        };
        let lemmas: Vec<(PropertyId, Certificate)> =
            proofs.iter().filter_map(transferred).collect();
        let lemmas: Vec<(PropertyId, Option<&Certificate>)> =
            lemmas.iter().map(|(id, proof)| (*id, Some(proof))).collect();
        let budget = share(self.elapsed(), self.budget());
        let never = elinvar_check::never_hold(original, &lemmas, &conditions, &budget);
        properties.into_iter().zip(never).filter_map(|(id, never)| never.then_some(id)).collect()
    }

    fn findings_on_program(
        &self,
        problem: &ProgramProblem,
        proofs: &[(PropertyId, &Proof)],
    ) -> Findings {
        let proved: Vec<PropertyId> = proofs.iter().map(|&(id, _)| id).collect();
        let solver = &self.options.solvers()[0];
        let dead = confirm::dead_procedures(problem.reading(), &proved, solver, self.budget());
        let named = proved.into_iter().zip(dead).filter(|(_, names)| !names.is_empty());
        let mut vacuities: BTreeMap<PropertyId, Vacuity> =
            named.map(|(id, names)| (id, Vacuity::DeadProcedures(names))).collect();
        let open = proofs.iter().filter(|(id, _)| !vacuities.contains_key(id));
        let invariants: Vec<(PropertyId, &Invariants)> = open
            .filter_map(|&(id, proof)| match proof {
                Proof::Invariants(invariants) => Some((id, invariants)),
                Proof::Certificate(_) => None,
            })
            .collect();
        if let Ok(original) = problem.original() {
            let (program, elapsed) = (problem.program(), self.elapsed());
            let unreached =
                confirm::unreached(program, original, &invariants, solver, elapsed, self.budget());
            vacuities.extend(unreached.into_iter().map(|(id, why)| match why {
                Unreached::Somehow => (id, Vacuity::Unreached),
                Unreached::ByAssumptions(edges) => {
                    let place = |edge| problem.located(&problem.program().edge(edge).span);
                    (id, Vacuity::DeadAssumptions(edges.into_iter().map(place).collect()))
                }
            }));
        }
        Findings { vacuities, ..Findings::default() }
    }
}

/// The number of cycles of the longest counterexample, which is a run under the constraints.
fn longest_trace(decided: &[Decided]) -> usize {
    let length = |(_, verdict): &Decided| match verdict {
        Verdict::Unsafe(trace) => trace.len(),
        Verdict::Safe(_) | Verdict::Unknown(_) => 0,
    };
    decided.iter().map(length).max().unwrap_or(0)
}

/// The runs that the constraints of a system allow, and why its proofs are vacuous if they
/// are. A run should be at least as long as `depth`. `elapsed` is how long the session took so
/// far, of which this takes a small part.
pub(crate) fn assumptions(
    system: &TransitionSystem,
    depth: usize,
    elapsed: Duration,
    limits: Budget,
) -> (Option<Runs>, Option<Vacuity>) {
    if system.constraints().is_empty() {
        return (None, None);
    }
    let mut budget = share(elapsed, limits);
    if depends_on_little(system) {
        budget.max_gates = budget.max_gates.max(LITTLE_GATES);
    }
    let mut runs = elinvar_check::runs(system, &budget);
    if matches!(runs, Runs::AtLeast(cycles) if cycles < depth.max(1)) {
        // A run that is shorter than the proof is worth some more effort.
        budget.max_gates *= 8;
        runs = elinvar_check::runs(system, &budget);
    }
    let vacuity = match &runs {
        Runs::Contradiction(found) => Some(Vacuity::contradiction(system, found.clone())),
        Runs::Endless | Runs::AtLeast(_) => None,
    };
    (Some(runs), vacuity)
}

/// Why the proof of a property is vacuous, if it is. It has been accepted; a certificate that it
/// consists of is given. `elapsed` is how long checking it took.
pub(crate) fn of_proof(
    system: &TransitionSystem,
    property: PropertyId,
    certificate: Option<&Certificate>,
    elapsed: Duration,
    limits: &Budget,
) -> Option<Vacuity> {
    let depth = match certificate {
        Some(Certificate::KInductive { k, .. }) => *k,
        Some(
            Certificate::Inductive { .. }
            | Certificate::Facts { .. }
            | Certificate::Formula(_)
            | Certificate::Ranking(_),
        )
        | None => 1,
    };
    if let (_, Some(vacuity)) = assumptions(system, depth, elapsed, limits.clone()) {
        return Some(vacuity);
    }
    let condition = system.antecedent(system.bad(property)?);
    if condition.is_empty() || system.property(property).goal == Goal::Cover {
        return None;
    }
    let (proved, budget) = ([(property, certificate)], share(elapsed, limits.clone()));
    let never = elinvar_check::never_hold(system, &proved, &[condition.to_vec()], &budget);
    never[0].then_some(Vacuity::Antecedent)
}

/// Gates for the runs of a system whose constraints depend on little: some hundreds of cycles.
const LITTLE_GATES: u64 = 1 << 18;

/// Do the constraints depend on only a few expressions?
fn depends_on_little(system: &TransitionSystem) -> bool {
    const FEW: usize = 128;
    let constraints = system.constraints().iter().copied();
    let states = system.cone_of_influence(constraints.clone());
    let next = states.iter().filter_map(|&index| system.states()[index].next);
    states.len() <= FEW && elinvar_ir::cone(system.pool(), constraints.chain(next)).len() <= FEW
}

/// The budget for one question about a proof. After a short run the number of gates limits
/// the work, so that the answer does not depend on the machine; it takes some hundredths of a
/// second at most. After a long one the time does.
fn share(elapsed: Duration, limits: Budget) -> Budget {
    const LEAST: Duration = Duration::from_millis(250);
    const GATES: u64 = 1 << 17;
    let deadline = Instant::now() + LEAST.max(elapsed / 50);
    Budget {
        deadline: Some(limits.deadline.map_or(deadline, |limit| limit.min(deadline))),
        max_gates: GATES.saturating_mul(1 + elapsed.as_secs()),
        ..limits
    }
}
