//! The evidence of a verdict: traces and certificates, about the user's system.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::expr::ExprId;
use crate::fact::Fact;
use crate::formula::Formula;
use crate::ranking::Ranking;
use crate::system::{PropertyId, Role, TransitionSystem};
use crate::value::Value;
use crate::values::Values;

/// An execution that violates one property: it ends in a bad state, or in a loop.
///
/// An execution that violates a liveness property goes on forever: after its last cycle it
/// returns to an earlier one and repeats the cycles from there. It need return only in the
/// states on which the constraints, the fairness constraints and the property depend: the others
/// have some value whatever the rest does.
///
/// Complete: a value for every state at the start and for every input and every
/// free state in every cycle, so that it can be replayed without any choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The property that fails.
    pub property: PropertyId,
    /// By state, in cycle zero.
    pub initial: Vec<Value>,
    /// By cycle; the last one is the bad one, or the last one of the loop. Never empty.
    pub steps: Steps,
    /// The first cycle of the loop, if the property is one of liveness.
    pub loop_start: Option<usize>,
}

/// The free choices of one cycle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// By input.
    pub inputs: Values,
    /// By position in [`crate::TransitionSystem::free_states`]: their values in
    /// this cycle. Empty in cycle zero, where `initial` has them.
    pub free: Vec<Value>,
}

/// The cycles of a trace. Copies of a trace share them: they may take much memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps(Arc<Vec<Step>>);

impl Deref for Steps {
    type Target = Vec<Step>;

    fn deref(&self) -> &Vec<Step> {
        &self.0
    }
}

impl DerefMut for Steps {
    fn deref_mut(&mut self) -> &mut Vec<Step> {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Vec<Step>> for Steps {
    fn from(steps: Vec<Step>) -> Self {
        Steps(Arc::new(steps))
    }
}

impl FromIterator<Step> for Steps {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Steps::from(Vec::from_iter(steps))
    }
}

impl IntoIterator for Steps {
    type Item = Step;
    type IntoIter = std::vec::IntoIter<Step>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'a> IntoIterator for &'a Steps {
    type Item = &'a Step;
    type IntoIter = std::slice::Iter<'a, Step>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Trace {
    /// The number of the last cycle.
    pub fn depth(&self) -> usize {
        self.steps.len() - 1
    }
}

/// A trace as a file describes it.
///
/// Unlike a [`Trace`] that an engine returns, it may violate several properties, each in
/// any cycle, and it may leave values open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The execution, with some value in place of each open one. Its property is the
    /// first of `properties`.
    pub trace: Trace,
    /// The properties that fail in some cycle of the trace. Never empty.
    pub properties: Vec<PropertyId>,
    /// The values of the trace that stand for all values of their sort.
    pub open: Vec<OpenValue>,
}

/// The place of a value in a [`Trace`] that a witness leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpenValue {
    /// A state in cycle zero; if the system defines its initial value, that one is meant.
    Initial {
        /// The number of the state.
        state: usize,
    },
    /// An input in some cycle.
    Input {
        /// The number of the cycle.
        cycle: usize,
        /// The number of the input.
        input: usize,
    },
    /// A free state, by its position in [`Step::free`].
    Free {
        /// The number of the cycle.
        cycle: usize,
        /// The position in [`Step::free`].
        position: usize,
    },
}

/// A literal of a clause: a state's bit, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateBit {
    /// The state's symbol.
    pub state: ExprId,
    /// The number of the bit, from the least significant one.
    pub bit: u32,
    /// Whether the literal says that the bit is set.
    pub positive: bool,
}

/// Why a property holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Certificate {
    /// The conjunction of clauses over state bits is inductive and, together
    /// with the constraints, excludes the bad states.
    Inductive {
        /// A conjunction of disjunctions.
        clauses: Vec<Vec<StateBit>>,
    },
    /// No bad state is reachable within `k` steps, and no path of `k` steps
    /// through good states leads to a bad one; with `simple_path` only paths
    /// whose states are all different are considered. `k` is at least 1.
    KInductive {
        /// The length of the paths.
        k: usize,
        /// Whether only paths without repeated states count.
        simple_path: bool,
    },
    /// The conjunction of clauses, each a disjunction of facts, is inductive and,
    /// together with the constraints, excludes the bad states.
    Facts {
        /// A conjunction of disjunctions.
        clauses: Vec<Vec<Fact>>,
    },
    /// An inductive invariant of any shape that excludes the bad states.
    Formula(Box<Formula>),
    /// Of a liveness property: no execution meets all conditions infinitely often.
    Ranking(Box<Ranking>),
}

impl Certificate {
    /// The same claim about another reading of a system: states correspond by number.
    /// `None` if a literal is not about a state of `from`, or `to` has no such state.
    pub fn transfer(&self, from: &TransitionSystem, to: &TransitionSystem) -> Option<Self> {
        let state = |symbol: ExprId| {
            if symbol.node() >= from.pool().len() {
                return None;
            }
            match from.role_of(symbol)? {
                Role::State(index) => Some(to.states().get(index)?.symbol),
                Role::Input(_) => None,
            }
        };
        match self {
            Certificate::Inductive { clauses } => {
                let literal = |l: &StateBit| Some(StateBit { state: state(l.state)?, ..*l });
                let clause = |clause: &Vec<StateBit>| clause.iter().map(literal).collect();
                let clauses = clauses.iter().map(clause).collect::<Option<_>>()?;
                Some(Certificate::Inductive { clauses })
            }
            Certificate::Facts { clauses } => {
                let known = |fact: &Fact| fact.words().all(|word| state(word.state).is_some());
                if !clauses.iter().flatten().all(known) {
                    return None;
                }
                let rename = |fact: &Fact| fact.rename(|symbol| state(symbol).expect("known"));
                let clause = |clause: &Vec<Fact>| clause.iter().map(rename).collect();
                Some(Certificate::Facts { clauses: clauses.iter().map(clause).collect() })
            }
            // They are about numbers of states and inputs, or about no state in particular.
            Certificate::KInductive { .. } | Certificate::Formula(_) | Certificate::Ranking(_) => {
                Some(self.clone())
            }
        }
    }
}

/// Why a property is undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// The user or another engine stopped the run.
    Cancelled,
    /// The bound the user set was reached.
    Bound(usize),
    /// The engine does not decide this; the text says why.
    Unsupported(String),
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StopReason::Timeout => f.write_str("the time limit was reached"),
            StopReason::Memory => f.write_str("the memory limit was reached"),
            StopReason::Cancelled => f.write_str("interrupted"),
            StopReason::Bound(bound) => {
                write!(f, "no bad state within {bound} steps; the bound was reached")
            }
            StopReason::Unsupported(why) => f.write_str(why),
        }
    }
}

/// The answer to a question about one property. There is no claim without evidence: a
/// proof (by default of a transition system) or a trace.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict<Proof = Certificate, Run = Trace> {
    /// The property holds in all reachable states.
    Safe(Proof),
    /// An execution violates the property.
    Unsafe(Run),
    /// Neither was shown, for this reason.
    Unknown(StopReason),
}

impl<Proof, Run> Verdict<Proof, Run> {
    /// Does the verdict come with evidence?
    pub fn is_decided(&self) -> bool {
        match self {
            Verdict::Safe(_) | Verdict::Unsafe(_) => true,
            Verdict::Unknown(_) => false,
        }
    }

    /// The reason why there is no evidence, if there is none.
    pub fn reason(&self) -> Option<&StopReason> {
        match self {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::Safe(_) | Verdict::Unsafe(_) => None,
        }
    }

    /// The verdict with other evidence for the same claim.
    pub fn map<OtherProof, OtherRun>(
        self,
        proof: impl FnOnce(Proof) -> OtherProof,
        trace: impl FnOnce(Run) -> OtherRun,
    ) -> Verdict<OtherProof, OtherRun> {
        match self {
            Verdict::Safe(evidence) => Verdict::Safe(proof(evidence)),
            Verdict::Unsafe(evidence) => Verdict::Unsafe(trace(evidence)),
            Verdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }
}

/// What a question is about, with the kinds of evidence that answer it: transition systems
/// and programs.
pub trait Subject {
    /// Shows that a property holds.
    type Proof: Clone + std::fmt::Debug;
    /// Shows that a property fails.
    type Trace: Clone + std::fmt::Debug;
}

impl Subject for TransitionSystem {
    type Proof = Certificate;
    type Trace = Trace;
}

/// The verdict on a property of a transition system or of a program.
pub type VerdictOn<S> = Verdict<<S as Subject>::Proof, <S as Subject>::Trace>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Sort;
    use crate::fact::Word;
    use crate::system::SystemBuilder;

    fn system(mut builder: SystemBuilder, earlier: usize) -> (TransitionSystem, ExprId) {
        for _ in 0..earlier {
            builder.input(Sort::BOOL, None).unwrap();
        }
        let state = builder.state(Sort::Bv(2), None).unwrap();
        (builder.finish().unwrap(), state)
    }

    #[test]
    fn certificates_follow_the_numbers_of_states() {
        let (from, old) = system(SystemBuilder::new(), 0);
        let (to, new) = system(SystemBuilder::verbatim(), 3);
        assert_ne!(old, new);
        let bit = |state| StateBit { state, bit: 1, positive: true };
        let clauses = |state| Certificate::Inductive { clauses: vec![vec![bit(state)]] };
        assert_eq!(clauses(old).transfer(&from, &to), Some(clauses(new)));
        assert_eq!(clauses(new).transfer(&from, &to), None);
        let fact = |state| Fact::Bit { word: Word { state, element: None }, bit: 0, value: true };
        let facts = |state| Certificate::Facts { clauses: vec![vec![fact(state)]] };
        assert_eq!(facts(old).transfer(&from, &to), Some(facts(new)));
        assert_eq!(facts(new).transfer(&from, &to), None);
    }
}
