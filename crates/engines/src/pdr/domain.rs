//! What the loop asks of the states it reasons about. The loop itself knows only
//! cubes, levels and answers.

use std::fmt::Debug;
use std::hash::Hash;

use super::cube::Cube;
use super::statistics::PdrStatistics;
pub(crate) use crate::relation::{Interruptible, Level};

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
    /// Is a lemma inductive relative to F∞?
    Promote,
}

/// The states from which a step into a cube may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// All states of the frame.
    Anywhere,
    /// Those outside the cube: Bradley's relative induction.
    Outside,
}

/// The answer to a step query.
pub(crate) enum Step<D: Domain + ?Sized> {
    /// No state of the frame leads into the conjunction of these atoms, which are
    /// some of the cube's and exclude all initial states.
    Blocked(Vec<D::Atom>),
    /// This state leads into the cube.
    Reached(Found<D>),
}

/// A state that a query found, and the inputs of its step.
pub(crate) struct Found<D: Domain + ?Sized> {
    pub state: D::State,
    pub choice: D::Choice,
    /// How many registers the query gave values to; the others have default values.
    pub assigned: usize,
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

/// What the loop needs.
pub(crate) trait Domain {
    type Atom: Copy + Ord + Hash + Debug;
    /// The inputs of one step.
    type Choice: Debug;
    /// The name of a lemma in the solver.
    type Lemma: Copy + Debug;
    /// One concrete state.
    type State: Clone;

    /// SAT?  F[level] ∧ bad
    fn bad(&mut self, level: Level, property: usize) -> Interruptible<Option<Predecessor<Self>>>;

    /// SAT?  F[level] ∧ T ∧ c′, and with `Source::Outside`  F[level] ∧ ¬c ∧ T ∧ c′
    ///
    /// The cube has no initial state.
    fn step(
        &mut self,
        level: Level,
        cube: &[Self::Atom],
        source: Source,
        purpose: Purpose,
    ) -> Interruptible<Step<Self>>;

    /// States that all step into the cube, among them the one that was found.
    fn predecessor(
        &mut self,
        found: Found<Self>,
        cube: &[Self::Atom],
        effort: Effort,
    ) -> Interruptible<Predecessor<Self>>;

    /// Do all atoms hold in the state?
    fn contains(&self, cube: &[Self::Atom], state: &Self::State) -> bool;

    /// Does the cube contain an initial state?
    fn meets_initial(&mut self, cube: &[Self::Atom]) -> bool;

    /// Whether [`Domain::covers`] is inclusion of atoms, so that an index may answer for it.
    const COVERS_BY_INCLUSION: bool = true;

    /// Does every state of `small` lie in `large`, as far as a quick comparison tells?
    #[inline]
    fn covers(&self, large: &Cube<Self::Atom>, small: &Cube<Self::Atom>) -> bool {
        large.subsumes(small)
    }

    /// A larger set of states that is blocked at `level`, too, beyond what dropping atoms
    /// of the cube gives.
    fn widen(&mut self, cube: Cube<Self::Atom>, _level: usize) -> Interruptible<Cube<Self::Atom>> {
        Ok(cube)
    }

    /// From now on no state of the cube is in the frames up to `level`.
    fn learn(&mut self, cube: &Cube<Self::Atom>, level: Level) -> Self::Lemma;

    /// Is a step from the frame into the cube known, from a state outside the cube? If so, there
    /// is no need to ask for it.
    fn knows_step(&self, _level: Level, _cube: &[Self::Atom]) -> bool {
        false
    }

    /// The lemma holds up to a later level.
    fn raise(&mut self, lemma: Self::Lemma, cube: &Cube<Self::Atom>, level: Level);

    /// The lemma follows from others.
    fn forget(&mut self, lemma: Self::Lemma);

    /// What is counted of the run.
    fn statistics(&mut self) -> &mut PdrStatistics;

    /// How often lemmas used an atom: atoms that were rarely used are dropped first.
    fn activity(&self, atom: Self::Atom) -> f64;
}

/// What adopting the lemmas of an earlier run needs beyond that: queries about many cubes
/// at once.
pub(crate) trait Adopting: Domain {
    /// The name of a cube in such queries.
    type Target: Debug;

    /// A name for the states that step into the cube.
    fn target(&mut self, cube: &Cube<Self::Atom>) -> Self::Target;

    /// SAT?  F[level] ∧ T ∧ (c₁′ ∨ c₂′ ∨ …)
    ///
    /// A state that steps into at least one of the cubes, if there is one.
    fn reached(
        &mut self,
        level: Level,
        targets: &[&Self::Target],
    ) -> Interruptible<Option<TargetsReached<Self>>>;

    /// There will be no more queries about the target.
    fn release(&mut self, target: Self::Target);
}

/// A state that steps into some of the targets of a query.
pub(crate) struct TargetsReached<D: Domain + ?Sized> {
    pub state: D::State,
    /// The positions of these targets; at least one.
    pub targets: Vec<usize>,
}
