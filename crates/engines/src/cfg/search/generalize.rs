//! A blocked cube made weaker: literals are dropped, half-spaces tried.

use elinvar_ir::program::{LocationId, Op, Sort, Term};

use super::super::options::Lemmas;
use super::super::separate::Separation;
use super::{ATTEMPT, Blocking, ProgramSearch};

/// So many half-spaces are tried.
const MOST_HALF_SPACES: usize = 12;

impl ProgramSearch<'_> {
    /// A weaker cube that is blocked as well, and the level up to which it is.
    pub(super) fn generalize(
        &mut self,
        at: LocationId,
        cube: Vec<Term>,
        level: usize,
    ) -> (Vec<Term>, usize) {
        let mut cube = cube;
        if self.options.generalize {
            cube = self.drop_literals(at, cube, level);
        }
        if self.options.lemmas == Lemmas::Interpolant {
            cube = self.separate(at, cube, level);
        }
        let mut level = level;
        while self.options.push
            && level < self.frontier
            && matches!(self.try_block(at, &cube, level + 1, ATTEMPT), Blocking::Blocked(_))
        {
            level += 1;
        }
        (cube, level)
    }

    fn drop_literals(&mut self, at: LocationId, mut cube: Vec<Term>, level: usize) -> Vec<Term> {
        let mut position = 0;
        while position < cube.len() {
            if self.run.stop().is_some() {
                break;
            }
            let mut without = cube.clone();
            without.remove(position);
            match self.try_block(at, &without, level, ATTEMPT) {
                // Literals before the position were needed once, and still are.
                Blocking::Blocked(core) => cube = core,
                Blocking::Step(..) | Blocking::Stopped(_) => position += 1,
            }
        }
        cube
    }

    /// See [`super::super::separate`].
    fn separate(&mut self, at: LocationId, cube: Vec<Term>, level: usize) -> Vec<Term> {
        let numbers = cube.iter().all(|&literal| {
            self.graph
                .terms
                .as_op(literal, Op::AtMost)
                .is_some_and(|sides| *self.graph.terms.sort(sides[0]) == Sort::Int)
        });
        if !numbers || cube.len() < 2 {
            return cube;
        }
        let mut separation = Separation::new(&self.graph.terms, &cube);
        for _ in 0..MOST_HALF_SPACES {
            let Some(half_space) = separation.propose(&mut self.graph.terms) else { break };
            match self.try_block(at, &[half_space], level, ATTEMPT) {
                Blocking::Blocked(_) => return vec![half_space],
                Blocking::Step(block, mut state) => {
                    // The state after the block is on the wrong side.
                    let mut point = Vec::new();
                    for term in separation.terms() {
                        let before = self.graph.before(block, term);
                        point.push(
                            state.value(&self.graph.terms, before).and_then(|v| v.as_number()),
                        );
                    }
                    match point.into_iter().collect::<Option<Vec<_>>>() {
                        Some(point) => separation.add_sample(&point),
                        None => break,
                    }
                }
                Blocking::Stopped(_) => break,
            }
        }
        cube
    }
}
