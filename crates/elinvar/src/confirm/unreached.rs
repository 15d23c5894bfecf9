//! Assertions of a program that no run reaches.
//!
//! An assertion is not reached if the invariants of its proof exclude the location before it. The
//! checker is given the program with an error there, and the same invariants. That alone is a
//! remark, because programs have unreachable code. The proof is vacuous if it is because of an
//! assumption: there are `assume` statements that are reached, as far as the invariants say, and
//! not passed, and the assertion is reached only through such statements. An `assume` at the
//! beginning of a branch is a condition, not an assumption. An assertion of `false` says itself
//! that it is not reached, so there is nothing to remark.
//!
//! Random runs come first, because they reach most assertions and need no solver. What cannot
//! be shown in a short time is not reported.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use elinvar_check::program::SolverProcess;
use elinvar_check::{Budget, SmtSolver, program as judge};
use elinvar_ir::PropertyId;
use elinvar_ir::program::{
    Assertion, AssertionKind, Edge, EdgeId, Invariants, Location, LocationId, Program, Statement,
};

use super::walk;

/// The time for the assertions of a program, as a part of that of the run, and at least.
const SHARE: u32 = 30;
const LEAST: Duration = Duration::from_secs(1);

/// How many assumptions are looked at for one assertion.
const ASSUMPTIONS: usize = 8;

/// Why a proved assertion is not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreached {
    /// For reasons that need not be known.
    Somehow,
    /// No run passes these edges, which are assumptions.
    ByAssumptions(Vec<EdgeId>),
}

/// Those of the proved assertions that no run reaches. `original` is the program as it was
/// written, which the proofs were checked against. `elapsed` is how long the run took.
pub fn unreached(
    program: &Program,
    original: &Program,
    proved: &[(PropertyId, &Invariants)],
    solver: &SmtSolver,
    elapsed: Duration,
    mut budget: Budget,
) -> BTreeMap<PropertyId, Unreached> {
    let limit = Instant::now() + LEAST.max(elapsed / SHARE);
    budget.deadline = Some(budget.deadline.map_or(limit, |deadline| deadline.min(limit)));
    let mut open = suspects(program, proved);
    let mut process = SolverProcess::new(solver.clone());
    let mut found = BTreeMap::new();
    while let Some(first) = open.first() {
        let proof = first.proof;
        let (group, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|suspect| suspect.proof.is_same(proof));
        open = others;
        if let Some(dead) = excluded(program, original, &group, &mut process, &budget) {
            let concluded = group.into_iter().filter_map(|s| s.conclude(program, &dead));
            found.extend(concluded);
        }
    }
    found
}

/// An assertion that no random run reaches.
struct Suspect<'a> {
    property: PropertyId,
    proof: &'a Invariants,
    /// Assumptions on the way to it that no random run passes.
    assumptions: Vec<EdgeId>,
}

fn suspects<'a>(program: &Program, proved: &[(PropertyId, &'a Invariants)]) -> Vec<Suspect<'a>> {
    let is_assertion = |&&(id, _): &&(PropertyId, _)| {
        let is_assert = program.property(id).kind == AssertionKind::Assert;
        is_assert && !claims_unreachable(program, id)
    };
    let asserted: Vec<(PropertyId, &Invariants)> =
        proved.iter().filter(is_assertion).copied().collect();
    let wanted: Vec<LocationId> =
        asserted.iter().flat_map(|&(id, _)| before(program, id)).collect();
    let visited = walk::visited(program, &wanted);
    let is_visited = |at: LocationId| visited[at.0 as usize];
    let suspect = |(property, proof)| {
        if before(program, property).into_iter().any(is_visited) {
            return None;
        }
        let mut assumptions = assumptions(program, property);
        assumptions.retain(|&edge| !is_visited(program.edge(edge).to));
        assumptions.truncate(ASSUMPTIONS);
        Some(Suspect { property, proof, assumptions })
    };
    asserted.into_iter().filter_map(suspect).collect()
}

impl Suspect<'_> {
    /// The locations that have to be known.
    fn locations(&self, program: &Program) -> Vec<LocationId> {
        let ends = self.assumptions.iter().map(|&edge| program.edge(edge));
        let ends = ends.flat_map(|edge| [edge.from, edge.to]);
        before(program, self.property).into_iter().chain(ends).collect()
    }

    /// What the locations that no run reaches say about it.
    fn conclude(
        mut self,
        program: &Program,
        dead: &BTreeSet<LocationId>,
    ) -> Option<(PropertyId, Unreached)> {
        if !before(program, self.property).iter().all(|at| dead.contains(at)) {
            return None;
        }
        // They are reached, but not passed.
        self.assumptions.retain(|&edge| {
            let Edge { from, to, .. } = program.edge(edge);
            dead.contains(to) && !dead.contains(from)
        });
        let why = if is_cut_off(program, self.property, &self.assumptions) {
            Unreached::ByAssumptions(self.assumptions)
        } else {
            Unreached::Somehow
        };
        Some((self.property, why))
    }
}

/// Those of the locations of some suspects, which have the same proof, that no run reaches;
/// nothing if the checker has too little time.
fn excluded(
    program: &Program,
    original: &Program,
    suspects: &[Suspect<'_>],
    process: &mut SolverProcess,
    budget: &Budget,
) -> Option<BTreeSet<LocationId>> {
    let proof = suspects.first()?.proof;
    let locations: BTreeSet<LocationId> =
        suspects.iter().flat_map(|suspect| suspect.locations(program)).collect();
    let mut probed = original.clone();
    let skip = Statement::Assume(probed.terms.bool(true));
    let first = probed.properties.len();
    for &from in &locations {
        let error = LocationId(probed.locations.len() as u32);
        probed.locations.push(Location::default());
        let (statement, span) = (skip.clone(), 0..0);
        probed.edges.push(Edge { from, to: error, statement, span, approximates: None });
        probed.properties.push(never_at(error));
    }
    let probes: Vec<PropertyId> = (first..probed.properties.len()).map(PropertyId).collect();
    let dead = judge::excluded(&probed, &probes, proof, process, budget).ok()?;
    Some(locations.into_iter().zip(dead).filter_map(|(at, dead)| dead.then_some(at)).collect())
}

/// The property that a location is not reached.
pub(super) fn never_at(error: LocationId) -> Assertion {
    let name = "the location is reached".to_owned();
    Assertion { name, kind: AssertionKind::Assert, span: 0..0, error }
}

/// The locations in which the property is checked.
fn before(program: &Program, property: PropertyId) -> Vec<LocationId> {
    let error = program.property(property).error;
    program.edges.iter().filter(|edge| edge.to == error).map(|edge| edge.from).collect()
}

/// Does the property fail wherever it is checked?
fn claims_unreachable(program: &Program, property: PropertyId) -> bool {
    let error = program.property(property).error;
    program.edges.iter().filter(|edge| edge.to == error).all(|edge| is_skip(program, edge))
}

fn is_skip(program: &Program, edge: &Edge) -> bool {
    match edge.statement {
        Statement::Assume(condition) => program.terms.as_bool(condition) == Some(true),
        Statement::Assign(_) | Statement::Havoc(_) => false,
    }
}

/// The edges on the way to a property that are assumptions of the user.
fn assumptions(program: &Program, property: PropertyId) -> Vec<EdgeId> {
    let errors: BTreeSet<LocationId> = program.properties.iter().map(|p| p.error).collect();
    let mut choices = vec![0_usize; program.locations.len()];
    let mut into: Vec<Vec<&Edge>> = vec![Vec::new(); program.locations.len()];
    for edge in &program.edges {
        choices[edge.from.0 as usize] += usize::from(!errors.contains(&edge.to));
        into[edge.to.0 as usize].push(edge);
    }
    let leads = leading_to(program.property(property).error, &into);
    // `goto A, B; A: assume c; …` is how `if` is written without structure.
    let is_branch = |edge: &&Edge| choices[edge.from.0 as usize] > 1 && is_skip(program, edge);
    let is_condition = |at: LocationId| {
        !into[at.0 as usize].is_empty() && into[at.0 as usize].iter().all(is_branch)
    };
    let is_assumption = |edge: &Edge| {
        matches!(edge.statement, Statement::Assume(_))
            && !is_skip(program, edge)
            && !edge.span.is_empty()
            && !errors.contains(&edge.to)
            && leads[edge.to.0 as usize]
            && choices[edge.from.0 as usize] == 1
            && !is_condition(edge.from)
    };
    program.edge_ids().filter(|&id| is_assumption(program.edge(id))).collect()
}

/// By location: does a path lead from it to an error location?
fn leading_to(error: LocationId, into: &[Vec<&Edge>]) -> Vec<bool> {
    let mut leads = vec![false; into.len()];
    let mut stack = vec![error];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut leads[at.0 as usize], true) {
            stack.extend(into[at.0 as usize].iter().map(|edge| edge.from));
        }
    }
    leads
}

/// Is a property reached only through these edges?
fn is_cut_off(program: &Program, property: PropertyId, edges: &[EdgeId]) -> bool {
    let successors = program.successors();
    let mut reached = vec![false; program.locations.len()];
    let mut stack = vec![program.entry];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at.0 as usize], true) {
            let passable = successors[at.0 as usize].iter().filter(|edge| !edges.contains(edge));
            stack.extend(passable.map(|&edge| program.edge(edge).to));
        }
    }
    !reached[program.property(property).error.0 as usize]
}
