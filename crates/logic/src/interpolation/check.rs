//! Interpolants held against their definition, with CaDiCaL.

use std::fmt;

use rustc_hash::FxHashMap;

use elinvar_sat::{Lit, Var};

use super::refutation::Refutation;
use super::sequence::{Sequence, Spans};
use crate::aig::AigLit;
use crate::cadical::Cadical;
use crate::cnf::Cnf;
use crate::sat::{Answer, SatSolver};

/// What is wrong with a sequence of interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The interpolant before a part and the part do not imply the one after it.
    NotImplied {
        /// The number of the part.
        part: usize,
    },
    /// An interpolant mentions a variable that is not on both sides of its cut.
    NotShared {
        /// The number of the cut.
        cut: usize,
        /// The variable.
        var: Var,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::NotImplied { part } => {
                write!(f, "part {part} does not lead from one interpolant to the next")
            }
            Violation::NotShared { cut, var } => {
                write!(f, "the interpolant at cut {cut} mentions {var:?}, which is not shared")
            }
        }
    }
}

impl Sequence {
    /// Is this a sequence interpolant of the clauses and assumptions that the
    /// refutation uses?
    pub fn check(
        &self,
        refutation: &Refutation<'_>,
        part: &dyn Fn(&[Lit]) -> usize,
    ) -> Result<(), Violation> {
        self.check_variables(&Spans::new(refutation, part))?;
        let parts = self.interpolants.len() + 1;
        let mut clauses: Vec<Vec<Vec<Lit>>> = vec![Vec::new(); parts];
        let units = refutation.assumptions().map(|lit| vec![lit]);
        for clause in refutation.clauses().map(<[Lit]>::to_vec).chain(units) {
            clauses[part(&clause)].push(clause);
        }
        (0..parts).try_for_each(|part| self.check_part(part, &clauses[part]))
    }

    fn check_variables(&self, spans: &Spans) -> Result<(), Violation> {
        let vars: FxHashMap<usize, Var> =
            self.inputs.iter().map(|&(var, input)| (input.node(), var)).collect();
        for (index, interpolant) in self.interpolants.iter().enumerate() {
            let cut = index + 1;
            for node in self.aig.support(*interpolant) {
                let var = vars[&node];
                if !spans.var(var).crosses(cut) {
                    return Err(Violation::NotShared { cut, var });
                }
            }
        }
        Ok(())
    }

    /// UNSAT:  Iᵢ ∧ part i ∧ ¬Iᵢ₊₁
    fn check_part(&self, part: usize, clauses: &[Vec<Lit>]) -> Result<(), Violation> {
        let before = part.checked_sub(1).map_or(AigLit::TRUE, |cut| self.interpolants[cut]);
        let after = self.interpolants.get(part).copied().unwrap_or(AigLit::FALSE);
        let (mut solver, mut cnf) = (Cadical::new(), Cnf::new());
        let mut vars: FxHashMap<Var, Lit> = FxHashMap::default();
        for &(var, input) in &self.inputs {
            vars.insert(var, cnf.assertable(&self.aig, input, &mut solver));
        }
        for clause in clauses {
            let translate = |lit: &Lit| {
                let positive =
                    *vars.entry(lit.var()).or_insert_with(|| solver.new_var().positive());
                positive.negate_if(lit.is_negative())
            };
            let clause: Vec<Lit> = clause.iter().map(translate).collect();
            solver.add_clause(&clause);
        }
        let assumptions = [before, !after].map(|lit| cnf.assertable(&self.aig, lit, &mut solver));
        match solver.solve(&assumptions) {
            Answer::Unsat(_) => Ok(()),
            Answer::Sat(_) | Answer::Stopped => Err(Violation::NotImplied { part }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpolation::System;
    use elinvar_sat::{Layer, Log, Query, Scope, Solver};

    /// Clauses over a chain of parts: part i mentions its own variables and some
    /// that it shares with its neighbours.
    struct Problem {
        solver: Solver<Log>,
        parts: Vec<usize>,
        width: usize,
        random: u64,
    }

    impl Problem {
        fn below(&mut self, bound: usize) -> usize {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.random >> 33) as usize % bound
        }

        /// The variables of part i are those from i·width to (i+2)·width.
        fn clause(&mut self, part: usize) -> Vec<Lit> {
            let length = 1 + self.below(4).max(1);
            let lit = |problem: &mut Self| {
                let var = part * problem.width + problem.below(2 * problem.width);
                Var::new(var).positive().negate_if(problem.below(2) == 0)
            };
            (0..length).map(|_| lit(self)).collect()
        }

        fn part(&self, clause: &[Lit]) -> usize {
            let blocks = clause.iter().map(|lit| lit.var().index() / self.width);
            let (least, most) = (blocks.clone().min().unwrap_or(0), blocks.max().unwrap_or(0));
            // A clause within the shared block i belongs to part i, or to the last.
            if least == most { least.min(self.parts.len() - 1) } else { least }
        }
    }

    fn query(assumptions: &[Lit]) -> Query<'_> {
        Query {
            layer: Layer::ALWAYS,
            assumptions,
            temporary: &[],
            scope: Scope::All,
            conflicts: None,
        }
    }

    #[test]
    fn interpolants_of_random_refutations_are_as_defined() {
        let (mut refuted, mut with_assumptions, mut spoken) = (0, 0, 0);
        for seed in 0..400u64 {
            let (parts, width) = (2 + seed as usize % 5, 4 + seed as usize % 4);
            let mut problem =
                Problem { solver: Solver::new(), parts: (0..parts).collect(), width, random: seed };
            for _ in 0..(parts + 1) * width {
                problem.solver.new_var();
            }
            let count = 5 * parts * width;
            for _ in 0..count {
                let part = problem.below(parts);
                let clause = problem.clause(part);
                problem.solver.add_clause(&clause);
            }
            let assumptions: Vec<Lit> = (0..seed as usize % 3)
                .map(|_| Var::new(problem.below((parts + 1) * width)).positive())
                .collect();
            if !matches!(problem.solver.solve(&query(&assumptions)), elinvar_sat::Answer::Unsat(_))
            {
                continue;
            }
            let log = problem.solver.proof();
            let refutation = Refutation::new(log, log.last().unwrap());
            with_assumptions += usize::from(refutation.assumptions().next().is_some());
            refuted += 1;
            for system in [System::McMillan, System::Pudlak] {
                let part = |clause: &[Lit]| problem.part(clause);
                let mut sequence = Sequence::new(&refutation, parts, &part, system);
                assert_eq!(sequence.check(&refutation, &part), Ok(()), "seed {seed} {system:?}");
                spoken += sequence.interpolants.iter().filter(|i| !i.is_constant()).count();
                // The check can fail.
                if !sequence.interpolants[0].is_constant() {
                    sequence.interpolants[0] = !sequence.interpolants[0];
                    assert!(sequence.check(&refutation, &part).is_err());
                }
            }
        }
        assert!(
            refuted > 100 && with_assumptions > 20 && spoken > 200,
            "{refuted} {with_assumptions} {spoken}"
        );
    }
}
