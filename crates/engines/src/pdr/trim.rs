//! Leaving out of an invariant what the property does not need.
//!
//! A search ends with clauses that served the search alone. Needed are those in a proof
//! that the bad states are excluded, then those in proofs that these are inductive, and
//! so on until nothing is added [Ivrii, Gurfinkel, Belov: Small Inductive Safe
//! Invariants, FMCAD 2014]. The solver logs its derivations, and a clause of the
//! invariant is needed when a derivation leads back to it: there are no assumptions for
//! clauses, and no step of the log is looked at twice. Clauses that are needed anyway
//! are asked first, by themselves: they have a layer of their own.

use elinvar_sat::{Answer, Layer, LemmaId, Lit, Log, Query, Scope, Solver, StepId};

use super::bits::{main_solver, watch};
use super::cube::Cube;
use super::domain::Interruptible;
use crate::relation::Transition;
use crate::run::Run;

/// The layer of all clauses; those that are needed always count. Not the first level,
/// which is that of the initial states.
const ALL: usize = 1;

/// The cubes of an inductive invariant that excluding `bad` rests on.
pub(super) fn trim(
    transition: &Transition,
    origin: &[u64],
    bad: Lit,
    invariant: &[Cube<Lit>],
    run: &Run,
) -> Interruptible<Vec<Cube<Lit>>> {
    let mut trimmer = Trimmer::new(transition, origin, invariant, run);
    trimmer.need(&[bad])?;
    while let Some(index) = trimmer.queue.pop() {
        let next: Vec<Lit> =
            invariant[index].atoms().iter().map(|&atom| transition.next(atom)).collect();
        trimmer.need(&next)?;
    }
    let kept = invariant.iter().zip(&trimmer.is_needed).filter(|&(_, &needed)| needed);
    Ok(kept.map(|(cube, _)| cube.clone()).collect())
}

struct Trimmer {
    run: Run,
    solver: Solver<Log>,
    /// By clause of the invariant.
    lemmas: Vec<LemmaId>,
    is_needed: Vec<bool>,
    /// Those of which it is not known yet what they rest on.
    queue: Vec<usize>,
    /// By step of the log: the clause of the invariant that it is.
    clauses: Vec<Option<usize>>,
    /// By step of the log: what it rests on is needed.
    seen: Vec<bool>,
}

impl Trimmer {
    fn new(transition: &Transition, origin: &[u64], invariant: &[Cube<Lit>], run: &Run) -> Self {
        let mut solver: Solver<Log> = main_solver(transition, origin, run);
        let mut clauses = Vec::new();
        let mut lemmas = Vec::with_capacity(invariant.len());
        let mut is_watched = vec![false; transition.signals.count()];
        for cube in invariant {
            watch(transition, &mut solver, cube.atoms(), &mut is_watched);
        }
        for (index, cube) in invariant.iter().enumerate() {
            let step = solver.proof().len();
            let clause: Vec<Lit> = cube.atoms().iter().map(|&atom| !atom).collect();
            lemmas.push(solver.add_lemma(&clause, Layer::level(ALL)));
            clauses.resize(step, None);
            clauses.push(Some(index));
        }
        let is_needed = vec![false; invariant.len()];
        let (run, queue, seen) = (run.clone(), Vec::new(), Vec::new());
        Trimmer { run, solver, lemmas, is_needed, queue, clauses, seen }
    }

    /// UNSAT:  Inv ∧ T ∧ literals. The clauses that a proof uses are needed.
    fn need(&mut self, literals: &[Lit]) -> Interruptible<()> {
        if self.is_refuted(Layer::ALWAYS, literals)? {
            return Ok(());
        }
        let refuted = self.is_refuted(Layer::level(ALL), literals)?;
        debug_assert!(refuted, "an inductive invariant excludes bad states");
        let conclusion = self.solver.proof().last().expect("a refutation is logged");
        self.follow(conclusion);
        Ok(())
    }

    fn is_refuted(&mut self, layer: Layer, assumptions: &[Lit]) -> Interruptible<bool> {
        let query =
            Query { layer, assumptions, temporary: &[], scope: Scope::Cone, conflicts: None };
        match self.solver.solve(&query) {
            Answer::Sat(_) => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Stopped => Err(self.run.stopped()),
        }
    }

    fn follow(&mut self, conclusion: StepId) {
        let log = self.solver.proof();
        self.seen.resize(log.len(), false);
        let mut stack = vec![conclusion];
        let mut found = Vec::new();
        while let Some(step) = stack.pop() {
            if !std::mem::replace(&mut self.seen[step.index()], true) {
                found.extend(self.clauses.get(step.index()).copied().flatten());
                stack.extend_from_slice(log.antecedents(step));
            }
        }
        for index in found {
            if !std::mem::replace(&mut self.is_needed[index], true) {
                self.solver.raise_lemma(self.lemmas[index], Layer::ALWAYS);
                self.queue.push(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::tests::registers;
    use elinvar_ir::PropertyId;
    use elinvar_transform::{PassOptions, prepare};

    #[test]
    fn only_what_is_needed_stays() {
        let (system, _) = registers();
        let ids = [PropertyId(0), PropertyId(1)];
        let none = PassOptions::NONE;
        let prepared = prepare(&system, &ids, &none, 0, &Run::new()).unwrap();
        let transition = Transition::new(&prepared.bits, &ids, true);
        let unit = |index| Cube::new(vec![Transition::register_var(index).positive()]);
        let invariant: Vec<Cube<Lit>> = (0..5).map(unit).collect();
        for (property, needed) in [(0, vec![0, 1, 2]), (1, vec![3, 4])] {
            let bad = transition.bads[property].1;
            let trimmed = trim(&transition, &[0], bad, &invariant, &Run::new()).unwrap();
            assert_eq!(trimmed, needed.into_iter().map(unit).collect::<Vec<_>>());
        }
    }
}
