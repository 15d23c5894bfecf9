//! The switches of the engine for programs.

/// On what the engine works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The whole program at once.
    Whole,
    /// One path program after the other (Section 4.2 of the thesis): an error trace is
    /// chosen, the program is projected to its edges, and what the proof of that covers
    /// is subtracted.
    TraceAbstraction,
}

/// How an obligation at a predecessor is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predecessors {
    /// A cube of the precondition around a model, by model-based projection.
    Projection,
    /// All of it (Section 3.4.1), inputs eliminated where that is possible.
    WeakestPrecondition,
}

/// What is learnt when an obligation is blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lemmas {
    /// The negation of the obligation (Section 3.2).
    Negation,
    /// Of those of its literals that the solver needed.
    Core,
    /// Beyond that, a half-space that separates the obligation from what is reached, as
    /// an interpolant would (Sections 3.4.3 and 7.1.1).
    Interpolant,
}

/// What is known before the first query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Nothing.
    None,
    /// What an analysis with intervals finds.
    Intervals,
    /// What an analysis with octagons finds.
    Octagons,
}

/// Options of the engine for programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CfgOptions {
    /// On what the engine works.
    pub strategy: Strategy,
    /// How an obligation at a predecessor is made.
    pub predecessors: Predecessors,
    /// Split obligations into the cubes of their disjunctive normal form (3.4.2).
    pub dnf: bool,
    /// What is learnt when an obligation is blocked.
    pub lemmas: Lemmas,
    /// Keep the obligations for the next level (4.3.1).
    pub cache: bool,
    /// Ask no query twice that had no model (4.3.2).
    pub memo: bool,
    /// Carry lemmas forward to higher levels.
    pub push: bool,
    /// Drop literals as long as the lemma stays inductive relative to its frame.
    pub generalize: bool,
    /// What is known before the first query.
    pub start: Start,
    /// Guess equalities, divisibility and bounds from runs, and keep what is inductive.
    pub shapes: bool,
}

impl Default for CfgOptions {
    fn default() -> Self {
        CfgOptions {
            strategy: Strategy::Whole,
            predecessors: Predecessors::Projection,
            dnf: true,
            lemmas: Lemmas::Interpolant,
            cache: true,
            memo: true,
            push: true,
            generalize: true,
            start: Start::Octagons,
            shapes: true,
        }
    }
}

impl CfgOptions {
    /// What the thesis has, and nothing beyond.
    pub fn thesis() -> Self {
        CfgOptions {
            strategy: Strategy::TraceAbstraction,
            predecessors: Predecessors::WeakestPrecondition,
            dnf: true,
            lemmas: Lemmas::Negation,
            cache: true,
            memo: true,
            push: false,
            generalize: false,
            start: Start::None,
            shapes: false,
        }
    }
}
