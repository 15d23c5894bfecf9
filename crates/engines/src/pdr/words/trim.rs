//! Leaving out of an invariant what a property does not need [Ivrii, Gurfinkel, Belov:
//! Small Inductive Safe Invariants, FMCAD 2014], so that people can read it.
//!
//! Each lemma is assumed by a literal of its own. Needed are those in a core of the query
//! for bad states, then those in cores of the queries for these lemmas' cubes one step
//! later, until nothing is added. Invariants on words are small: cores are made minimal.

use elinvar_sat::{Answer, Layer, Lit, Query, Scope};

use super::atom::Atom;
use super::domain::Words;
use super::gates::Gates;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Stopped};

/// Beyond so many lemmas, cores are taken as they are.
const FEW: usize = 400;

impl Words {
    /// What of an invariant a property needs, or all of it if the run is over before that
    /// is known.
    pub fn trim(&mut self, property: usize, invariant: Vec<Cube<Atom>>) -> Vec<Cube<Atom>> {
        self.needed(property, &invariant).unwrap_or(invariant)
    }

    fn needed(&mut self, property: usize, invariant: &[Cube<Atom>]) -> Asked<Vec<Cube<Atom>>> {
        if self.is_abstract {
            // What memories satisfy is said on demand, elsewhere.
            return Err(Stopped);
        }
        let mut trimmer = Trimmer { gates: Gates::new(&self.run), lemmas: Vec::new() };
        for &constraint in &self.circuit.constraints {
            let lit = trimmer.gates.lit(&self.circuit.aig, constraint);
            trimmer.gates.solver.add_permanent_root(lit.var());
            trimmer.gates.solver.add_clause(&[lit]);
        }
        let mut targets = Vec::with_capacity(invariant.len());
        for cube in invariant {
            let (now, later) = self.inside_graph(cube);
            trimmer.lemmas.push(!trimmer.gates.lit(&self.circuit.aig, now));
            targets.push(trimmer.gates.lit(&self.circuit.aig, later));
        }
        let bad = trimmer.gates.lit(&self.circuit.aig, self.circuit.bads[property]);
        let mut is_needed = vec![false; invariant.len()];
        let mut queue = trimmer.needed(bad, &mut is_needed)?;
        while let Some(index) = queue.pop() {
            queue.extend(trimmer.needed(targets[index], &mut is_needed)?);
        }
        let kept = invariant.iter().zip(&is_needed).filter(|&(_, &needed)| needed);
        Ok(kept.map(|(cube, _)| cube.clone()).collect())
    }
}

struct Trimmer {
    gates: Gates,
    /// By cube of the invariant: the state is outside it.
    lemmas: Vec<Lit>,
}

impl Trimmer {
    /// UNSAT:  Inv ∧ T ∧ target. The lemmas that it needs beside those that are needed.
    fn needed(&mut self, target: Lit, is_needed: &mut [bool]) -> Asked<Vec<usize>> {
        let (mut assumed, mut candidates): (Vec<usize>, Vec<usize>) =
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
        assumed.clear();
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
    ) -> Asked<Option<Vec<usize>>> {
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
            Answer::Stopped => Err(Stopped),
        }
    }
}
