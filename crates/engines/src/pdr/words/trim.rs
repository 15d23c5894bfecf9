//! Leaving out of an invariant what a property does not need [Ivrii, Gurfinkel, Belov:
//! Small Inductive Safe Invariants, FMCAD 2014], so that people can read it.
//!
//! Each lemma is assumed by a literal of its own. Needed are those in a core of the query
//! for bad states, then those in cores of the queries for these lemmas' cubes one step
//! later, until nothing is added. Invariants on words are small: cores are made minimal.

use elinvar_sat::{Answer, Layer, Lit, Query, Scope};

use super::atom::Atom;
use super::encoding::Encoding;
use super::gates::Gates;
use crate::pdr::cube::Cube;
use crate::pdr::domain::Interruptible;
use crate::run::Run;

/// Beyond so many lemmas, cores are taken as they are.
const FEW: usize = 400;

/// The cubes of an inductive invariant that excluding a property's bad states rests on.
pub(super) fn trim(
    encoding: &mut Encoding,
    property: usize,
    invariant: &[Cube<Atom>],
    run: &Run,
) -> Interruptible<Vec<Cube<Atom>>> {
    let mut gates = Gates::new(run);
    for &constraint in &encoding.circuit.constraints {
        let lit = gates.lit(&encoding.circuit.aig, constraint);
        gates.solver.add_permanent_root(lit.var());
        gates.solver.add_clause(&[lit]);
    }
    let (mut lemmas, mut targets) = (Vec::new(), Vec::new());
    for cube in invariant {
        let (now, later) = encoding.inside(cube);
        lemmas.push(!gates.lit(&encoding.circuit.aig, now));
        targets.push(gates.lit(&encoding.circuit.aig, later));
    }
    let bad = gates.lit(&encoding.circuit.aig, encoding.circuit.bads[property]);
    let mut trimmer = Trimmer { run, gates, lemmas };
    let mut is_needed = vec![false; invariant.len()];
    let mut queue = trimmer.needed(bad, &mut is_needed)?;
    while let Some(index) = queue.pop() {
        queue.extend(trimmer.needed(targets[index], &mut is_needed)?);
    }
    let kept = invariant.iter().zip(&is_needed).filter(|&(_, &needed)| needed);
    Ok(kept.map(|(cube, _)| cube.clone()).collect())
}

struct Trimmer<'a> {
    run: &'a Run,
    gates: Gates,
    /// By cube of the invariant: the state is outside it.
    lemmas: Vec<Lit>,
}

impl Trimmer<'_> {
    /// UNSAT:  Inv ∧ T ∧ target. The lemmas that it needs beside those that are needed.
    fn needed(&mut self, target: Lit, is_needed: &mut [bool]) -> Interruptible<Vec<usize>> {
        let (assumed, mut candidates): (Vec<usize>, Vec<usize>) =
            (0..self.lemmas.len()).partition(|&index| is_needed[index]);
        candidates =
            self.core(target, &assumed, &candidates)?.expect("inductive lemmas exclude it");
        if candidates.len() <= FEW {
            let mut position = 0;
            while position < candidates.len() {
                let mut fewer = candidates.clone();
                fewer.remove(position);
                match self.core(target, &assumed, &fewer)? {
                    Some(core) => candidates = core,
                    None => position += 1,
                }
            }
        }
        for &index in &candidates {
            is_needed[index] = true;
        }
        Ok(candidates)
    }

    /// The candidates that exclude the target together with what is assumed.
    fn core(
        &mut self,
        target: Lit,
        assumed: &[usize],
        candidates: &[usize],
    ) -> Interruptible<Option<Vec<usize>>> {
        let mut assumptions = vec![target];
        assumptions.extend(assumed.iter().chain(candidates).map(|&index| self.lemmas[index]));
        let query = Query {
            layer: Layer::ALWAYS,
            assumptions: &assumptions,
            temporary: &[],
            scope: Scope::Cone,
            conflicts: None,
        };
        match self.gates.solver.solve(&query) {
            Answer::Sat(_) => Ok(None),
            Answer::Unsat(core) => {
                let is_used = |index: &usize| core.contains(self.lemmas[*index]);
                Ok(Some(candidates.iter().copied().filter(is_used).collect()))
            }
            Answer::Stopped => Err(self.run.stopped()),
        }
    }
}
