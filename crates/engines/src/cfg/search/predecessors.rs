//! What leads to an obligation: a cube around a model, or the weakest precondition.

use std::cmp::Reverse;

use elinvar_ir::StopReason;
use elinvar_ir::program::{BlockId, Op, Term};

use super::super::graph::Outcome;
use super::super::implicant::implicant;
use super::super::options::{Lemmas, Predecessors};
use super::super::project::project;
use super::super::valuation::Valuation;
use super::{ATTEMPT, End, Obligation, Origin, ProgramSearch};
use crate::relation::Level;

/// At most so many cubes are made of one precondition at a time.
const MOST_CUBES: usize = 32;

impl ProgramSearch<'_> {
    pub(super) fn predecessors(
        &mut self,
        index: usize,
        level: usize,
        block: BlockId,
        mut state: Valuation,
    ) -> Option<End> {
        let origin = self.obligations[index].origin;
        let from = self.graph.block(block).from;
        if let Origin::Guess(guess) = origin {
            if from == self.graph.entry || self.guesses[guess] == 0 {
                self.drop_obligations(origin);
                return None;
            }
            self.guesses[guess] -= 1;
        }
        if from == self.graph.entry {
            let mut path = vec![block];
            let mut at = index;
            while let Some((block, next)) = self.obligations[at].next {
                path.push(block);
                at = next;
            }
            // Interruptible again if the path turns out not to count.
            self.queue.push(Reverse((level, Reverse(index))));
            let Origin::Error(error) = origin else { unreachable!("guesses were given up") };
            return Some(End::Reached { error, path });
        }
        let cube = self.obligations[index].cube.clone();
        let cubes = match self.options.predecessors {
            Predecessors::Projection => {
                self.around(block, &cube, &mut state).map(|cube| vec![cube])
            }
            Predecessors::WeakestPrecondition => self.precondition(block, &cube, state),
        };
        let Some(cubes) = cubes else {
            let why = "the states before a step cannot be told (maps, division by zero)".to_owned();
            return Some(End::Stopped(StopReason::Unsupported(why)));
        };
        self.queue.push(Reverse((level, Reverse(index))));
        for cube in cubes {
            let next = Some((block, index));
            self.enqueue(Obligation { at: from, cube, next, origin, times: 0 }, level - 1);
        }
        None
    }

    /// A cube of states around one, from each of which the block leads into the cube.
    fn around(
        &mut self,
        block: BlockId,
        cube: &[Term],
        state: &mut Valuation,
    ) -> Option<Vec<Term>> {
        let mut formulas = vec![self.graph.block(block).guard];
        formulas.extend(cube.iter().map(|&literal| self.graph.before(block, literal)));
        let inputs = self.graph.block(block).inputs.clone();
        let terms = &mut self.graph.terms;
        let literals = implicant(terms, state, formulas)?;
        let literals = project(terms, state, literals, &inputs)?;
        Some(self.split_equalities(literals))
    }

    /// `a = b` is two literals, unless obligations are negated as they are.
    fn split_equalities(&mut self, literals: Vec<Term>) -> Vec<Term> {
        if self.options.lemmas == Lemmas::Negation {
            return literals;
        }
        let terms = &mut self.graph.terms;
        let mut split = Vec::with_capacity(literals.len());
        for literal in literals {
            match terms.as_op(literal, Op::Equal) {
                Some(&[left, right])
                    if terms.sort(left).is_arithmetic()
                        && terms.as_op(left, Op::Modulo).is_none() =>
                {
                    split.push(terms.at_most(left, right));
                    split.push(terms.at_most(right, left));
                }
                _ => split.push(literal),
            }
        }
        split.sort_unstable();
        split.dedup();
        split
    }

    /// The weakest precondition, as cubes (or as one formula): Sections 3.4.1 and 3.4.2.
    fn precondition(
        &mut self,
        block: BlockId,
        cube: &[Term],
        mut state: Valuation,
    ) -> Option<Vec<Vec<Term>>> {
        let mut formulas = vec![self.graph.block(block).guard];
        formulas.extend(cube.iter().map(|&literal| self.graph.before(block, literal)));
        let inputs = self.graph.block(block).inputs.clone();
        if inputs.is_empty() && !self.options.dnf {
            let whole = self.graph.terms.and(formulas);
            return Some(vec![self.graph.terms.conjuncts(whole)]);
        }
        // Model by model; what does not come in time will be asked for again.
        let mut cubes = Vec::new();
        let mut found = Vec::new();
        loop {
            let literals = implicant(&mut self.graph.terms, &mut state, formulas.iter().copied())?;
            let cube = project(&mut self.graph.terms, &mut state, literals, &inputs)?;
            let conjunction = self.graph.terms.and(cube.iter().copied());
            found.push(self.graph.terms.not(conjunction));
            cubes.push(cube);
            if cubes.len() >= MOST_CUBES {
                break;
            }
            let also: Vec<Term> =
                found.iter().copied().chain(formulas[1..].iter().copied()).collect();
            // No other frame: what always holds is enough.
            let frame = self.frames.frame(Level::Infinite);
            match self.graph.ask(block, frame, &also, &[], ATTEMPT) {
                Outcome::Step(next) => state = *next,
                Outcome::Blocked(_) | Outcome::Unknown(_) => break,
            }
        }
        if self.options.dnf {
            return Some(cubes);
        }
        let terms = &mut self.graph.terms;
        let parts: Vec<Term> = cubes.into_iter().map(|cube| terms.and(cube)).collect();
        let whole = terms.or(parts);
        Some(vec![terms.conjuncts(whole)])
    }
}
