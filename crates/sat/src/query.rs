//! Questions and answers.

use crate::arena::Layer;
use crate::literal::{Lit, Var};
use crate::proof::{NoProof, Proof};
use crate::solver::{Solver, Value};

/// Which variables a query decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The fan-in of the assumptions, of the temporary clauses and of the
    /// permanent roots, closed under the lemmas that it violates. The clauses
    /// that are not lemmas must define each variable by its fan-in.
    Cone,
    /// The same, but the fan-in of the variables from `first` to before `end` is
    /// not followed: what defines them counts only as far as clauses fix it, or what
    /// was learnt before.
    ConeUpTo {
        /// The first variable of the range.
        first: Var,
        /// The variable after the last one.
        end: Var,
    },
    /// All variables.
    All,
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Which lemmas count.
    pub layer: Layer,
    /// Propagated one after the other: cores prefer the front.
    pub assumptions: &'a [Lit],
    /// Clauses for this query alone.
    pub temporary: &'a [&'a [Lit]],
    /// The variables that the query looks at.
    pub scope: Scope,
    /// Give up after so many conflicts.
    pub conflicts: Option<u64>,
}

/// The answer, with its data.
pub enum Answer<'a, P: Proof = NoProof> {
    /// There is a model.
    Sat(Model<'a, P>),
    /// There is none; the core says which assumptions are to blame.
    Unsat(Core<'a>),
    /// The solver was told to stop, or the conflicts were used up.
    Stopped,
}

/// A satisfying assignment of the domain: it extends to all variables.
pub struct Model<'a, P: Proof = NoProof> {
    pub(crate) solver: &'a Solver<P>,
}

impl<P: Proof> Model<'_, P> {
    /// The value of a literal, if its variable is in the domain.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.solver.values[lit.code()] {
            Value::TRUE => Some(true),
            Value::FALSE => Some(false),
            _ => None,
        }
    }

    /// The literals that are true, in the domain, in the order of assignment.
    pub fn lits(&self) -> impl Iterator<Item = Lit> + '_ {
        self.all_lits().filter(|&lit| self.is_in_domain(lit))
    }

    /// Is a literal that is true one of the domain, not one that lemmas made true outside?
    #[inline]
    pub fn is_in_domain(&self, lit: Lit) -> bool {
        !self.solver.visiting[lit.var().index()]
    }

    /// The same with the literals that lemmas made true outside the domain. All
    /// other variables with defaults may be taken to be as by default.
    pub fn all_lits(&self) -> impl Iterator<Item = Lit> + '_ {
        self.solver.trail.iter().copied()
    }
}

/// The assumptions that a refutation used.
pub struct Core<'a> {
    pub(crate) lits: &'a [Lit],
    pub(crate) failed: &'a [bool],
}

impl Core<'_> {
    /// The used assumptions, in the order of the query.
    pub fn lits(&self) -> &[Lit] {
        self.lits
    }

    /// Whether the assumption is in the core.
    #[inline]
    pub fn contains(&self, assumption: Lit) -> bool {
        self.failed[assumption.code()]
    }
}
