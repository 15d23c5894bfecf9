//! What the loop asks of the states it reasons about. The loop itself knows only
//! cubes, levels and answers.

use std::fmt::Debug;
use std::hash::Hash;

use super::cube::Cube;
use super::statistics::PdrStatistics;
pub(crate) use crate::relation::{Asked, Level, Stopped};

/// Why a step is asked for: statistics, and how much the answer is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Can an obligation be blocked?
    Block,
    /// May an atom be dropped?
    Generalize,
    /// Can a counterexample to a generalisation be blocked?
    Counterexample,
    /// Does a lemma hold one level later?
    Push,
    /// Does a lemma hold for ever?
    Promote,
}

/// May a step into a cube start from the cube itself?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    Anywhere,
    /// No: the relative induction of Bradley.
    Outside,
}

/// The answer to a step query.
#[derive(Debug)]
pub(crate) enum Step<A> {
    /// No state of the frame leads into the conjunction of these atoms, which are
    /// some of the cube's and exclude all initial states.
    Blocked(Vec<A>),
    /// Some state does; [`Domain::predecessor`] and [`Domain::holds`] tell which,
    /// until the next query.
    Reached,
}

/// States with a common way to a bad state.
#[derive(Debug)]
pub(crate) struct Predecessor<D: Domain + ?Sized> {
    pub cube: Cube<D::Atom>,
    pub choice: D::Choice,
}

/// How hard to try to make a predecessor small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    Once,
    UntilStable,
}

pub(crate) trait Domain {
    type Atom: Copy + Ord + Hash + Debug;
    /// The inputs of one step.
    type Choice: Debug;
    /// The name of a lemma in the solver.
    type Lemma: Copy + Debug;
    /// The name of a question.
    type Target: Debug;
    /// One concrete state.
    type State: Clone;

    /// SAT?  F[level] ∧ bad
    fn bad(&mut self, level: Level, property: usize) -> Asked<Option<Predecessor<Self>>>;

    /// SAT?  F[level] ∧ T ∧ c′, and with `From::Outside`  F[level] ∧ ¬c ∧ T ∧ c′
    ///
    /// The cube has no initial state.
    fn step(
        &mut self,
        level: Level,
        cube: &[Self::Atom],
        from: From,
        purpose: Purpose,
    ) -> Asked<Step<Self::Atom>>;

    /// A name for the states that step into the cube, to be asked about with others.
    fn target(&mut self, cube: &Cube<Self::Atom>) -> Self::Target;

    /// SAT?  F[level] ∧ T ∧ (c₁′ ∨ c₂′ ∨ …)
    ///
    /// The positions of the cubes that the state found steps into; none if there is no
    /// such state. [`Domain::state`] tells which it is.
    fn reached(&mut self, level: Level, targets: &[&Self::Target]) -> Asked<Vec<usize>>;

    /// Nobody will ask about it any more.
    fn release(&mut self, target: Self::Target);

    /// After `Reached`: states that all step into the cube, one of them found.
    fn predecessor(&mut self, cube: &[Self::Atom], effort: Effort) -> Asked<Predecessor<Self>>;

    /// After `Reached`: does the atom hold in the state that was found?
    fn holds(&self, atom: Self::Atom) -> bool;

    /// After `Reached`: the state that was found.
    fn state(&self) -> Self::State;

    /// Does the cube contain the state?
    fn contains(&self, cube: &Cube<Self::Atom>, state: &Self::State) -> bool;

    /// Does the cube contain an initial state?
    fn meets_initial(&mut self, cube: &[Self::Atom]) -> bool;

    /// Does every state of `small` lie in `large`, as far as can be told at a glance?
    fn covers(&self, large: &Cube<Self::Atom>, small: &Cube<Self::Atom>) -> bool {
        large.subsumes(small)
    }

    /// A larger set of states that is blocked at `level`, too, beyond what dropping atoms
    /// of the cube gives.
    fn widen(&mut self, cube: Cube<Self::Atom>, _level: usize) -> Asked<Cube<Self::Atom>> {
        Ok(cube)
    }

    /// From now on no state of the cube is in the frames up to `level`.
    fn learn(&mut self, cube: &Cube<Self::Atom>, level: Level) -> Self::Lemma;

    /// The lemma holds up to a later level.
    fn raise(&mut self, lemma: Self::Lemma, level: Level);

    /// The lemma follows from others.
    fn forget(&mut self, lemma: Self::Lemma);

    /// What is counted of the run.
    fn statistics(&mut self) -> &mut PdrStatistics;

    /// How often an atom was of use: atoms of little use are dropped first.
    fn activity(&self, atom: Self::Atom) -> f64;
}
