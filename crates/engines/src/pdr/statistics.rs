//! What a run of PDR did, in numbers.

use std::time::Duration;

use super::domain::Purpose;

/// Queries of one kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct QueryCount {
    pub queries: u64,
    /// How many had a model.
    pub satisfiable: u64,
    pub time: Duration,
}

impl QueryCount {
    pub(crate) fn add(&mut self, satisfiable: bool, time: Duration) {
        self.queries += 1;
        self.satisfiable += u64::from(satisfiable);
        self.time += time;
    }
}

/// A step of generalisation: literals that went in and came out, over all runs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Shrinking {
    pub times: u64,
    pub before: u64,
    pub after: u64,
}

impl Shrinking {
    pub(crate) fn add(&mut self, before: usize, after: usize) {
        self.times += 1;
        self.before += before as u64;
        self.after += after as u64;
    }
}

/// The numbers of a whole run.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PdrStatistics {
    pub bad: QueryCount,
    pub block: QueryCount,
    pub generalize: QueryCount,
    pub counterexample: QueryCount,
    pub push: QueryCount,
    pub promote: QueryCount,
    pub adopt: QueryCount,
    pub lift: QueryCount,
    /// Predecessors made smaller by lifting.
    pub lifting: Shrinking,
    /// Blocked cubes made smaller by the core of the blocking query.
    pub core: Shrinking,
    /// Then by dropping literals.
    pub dropping: Shrinking,
    pub obligations: u64,
    /// Obligations given up because they came back too often.
    pub dropped_obligations: u64,
    pub lemmas: u64,
    pub pushes_tried: u64,
    pub pushes_done: u64,
    /// Pushes not tried, because the state that obstructed the last one is still there.
    pub pushes_saved: u64,
    pub frontier: usize,
    /// Lemmas by level, from 1.
    pub frames: Vec<usize>,
    pub invariant_lemmas: usize,
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
    /// Variables in the domains of all queries, for the mean.
    pub domain_variables: u64,
    pub variables: usize,
    pub clauses: usize,
}

impl PdrStatistics {
    /// The steps that were asked for with a purpose.
    pub(crate) fn count(&mut self, purpose: Purpose) -> &mut QueryCount {
        match purpose {
            Purpose::Block => &mut self.block,
            Purpose::Generalize => &mut self.generalize,
            Purpose::Counterexample => &mut self.counterexample,
            Purpose::Push => &mut self.push,
            Purpose::Promote => &mut self.promote,
        }
    }

    /// All kinds of queries with their names.
    pub fn queries(&self) -> [(&'static str, QueryCount); 8] {
        [
            ("bad", self.bad),
            ("block", self.block),
            ("generalize", self.generalize),
            ("counterexample", self.counterexample),
            ("push", self.push),
            ("promote", self.promote),
            ("adopt", self.adopt),
            ("lift", self.lift),
        ]
    }

    pub fn query_count(&self) -> u64 {
        self.queries().iter().map(|(_, count)| count.queries).sum()
    }
}
