//! What a run of PDR did, in numbers.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::domain::Purpose;
use crate::statistics::{Block, QueryTotals, Statistics, average, seconds};

/// Queries of one kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct QueryCount {
    /// How many there were.
    pub queries: u64,
    /// How many had a model.
    pub satisfiable: u64,
    /// How many more were answered by steps that earlier queries had found.
    pub known: u64,
    /// The time of the solver.
    pub time: Duration,
}

impl QueryCount {
    pub(crate) fn add(&mut self, satisfiable: bool, time: Duration) {
        self.queries += 1;
        self.satisfiable += u64::from(satisfiable);
        self.time += time;
    }

    fn average_microseconds(self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.queries.max(1) as f64
    }
}

/// A step of generalisation: literals that went in and came out, over all runs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Shrinking {
    /// How often it was done.
    pub times: u64,
    /// The literals before, summed up.
    pub before: u64,
    /// The literals after, summed up.
    pub after: u64,
}

impl Shrinking {
    pub(crate) fn add(&mut self, before: usize, after: usize) {
        self.times += 1;
        self.before += before as u64;
        self.after += after as u64;
    }

    fn averages(self) -> [f64; 2] {
        [self.before, self.after].map(|sum| average(sum, self.times))
    }
}

/// The numbers of a whole run.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PdrStatistics {
    /// Queries for a bad state in a frame.
    pub bad: QueryCount,
    /// Queries whether an obligation can be blocked.
    pub block: QueryCount,
    /// Queries whether an atom may be dropped.
    pub generalize: QueryCount,
    /// Queries whether a counterexample to generalisation can be blocked.
    pub counterexample: QueryCount,
    /// Queries whether a lemma holds one level later.
    pub push: QueryCount,
    /// Queries whether a lemma is inductive (F∞).
    pub promote: QueryCount,
    /// Queries about the lemmas of an earlier run.
    pub adopt: QueryCount,
    /// Queries that make predecessors smaller.
    pub lift: QueryCount,
    /// Predecessors made smaller by lifting.
    pub lifting: Shrinking,
    /// Blocked cubes made smaller by the core of the blocking query.
    pub core: Shrinking,
    /// Then by dropping literals.
    pub dropping: Shrinking,
    /// Obligations that were worked on.
    pub obligations: u64,
    /// Obligations given up because they came back too often.
    pub dropped_obligations: u64,
    /// Lemmas that were learnt.
    pub lemmas: u64,
    /// Pushes that were tried.
    pub pushes_tried: u64,
    /// Pushes that succeeded.
    pub pushes_done: u64,
    /// Pushes not tried, because the state that obstructed the last one is still there.
    pub pushes_saved: u64,
    /// The last frame.
    pub frontier: usize,
    /// Lemmas by level, from 1.
    pub frames: Vec<usize>,
    /// Lemmas in F∞.
    pub invariant_lemmas: usize,
    /// Conflicts of the solver.
    pub conflicts: u64,
    /// Decisions of the solver.
    pub decisions: u64,
    /// Propagations of the solver.
    pub propagations: u64,
    /// Variables in the domains of all queries, for the average.
    pub domain_variables: u64,
    /// Variables of the transition relation.
    pub variables: usize,
    /// Clauses of the transition relation.
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

    /// The number of all queries.
    pub fn query_count(&self) -> u64 {
        self.queries().iter().map(|(_, count)| count.queries).sum()
    }

    /// The steps of generalisation, in their order.
    fn steps(&self) -> [(&'static str, Shrinking); 3] {
        [("lifting", self.lifting), ("core", self.core), ("dropping", self.dropping)]
    }

    fn all_queries(&self) -> QueryCount {
        let mut all = QueryCount::default();
        for (_, QueryCount { queries, satisfiable, known, time }) in self.queries() {
            all.known += known;
            all.queries += queries;
            all.satisfiable += satisfiable;
            all.time += time;
        }
        all
    }

    /// The variables of the transition relation that a query looks at, on average.
    fn average_domain(&self) -> f64 {
        average(self.domain_variables, self.query_count())
    }

    fn query_table(&self) -> Block {
        let kinds = self.queries().into_iter().filter(|(_, count)| count.queries > 0);
        let row = |(kind, count): (&str, QueryCount)| {
            [
                kind.to_owned(),
                count.queries.to_string(),
                count.satisfiable.to_string(),
                count.known.to_string(),
                seconds(count.time),
                format!("{:.0} µs", count.average_microseconds()),
            ]
        };
        let rows = kinds.chain([("all", self.all_queries())]).map(row);
        Block::with_titles(["pdr queries", "count", "sat", "known", "time", "mean"], rows)
    }

    fn literal_table(&self) -> Block {
        let row = |(step, shrinking): (&str, Shrinking)| {
            let [before, after] = shrinking.averages().map(|average| format!("{average:.1}"));
            [step.to_owned(), shrinking.times.to_string(), before, after]
        };
        Block::with_titles(["literals", "times", "before", "after"], self.steps().map(row))
    }

    fn values(&self) -> Block {
        let frames: Vec<String> = self.frames.iter().map(ToString::to_string).collect();
        let (tried, done, saved) = (self.pushes_tried, self.pushes_done, self.pushes_saved);
        let (conflicts, decisions) = (self.conflicts, self.decisions);
        let propagations = self.propagations;
        Block::Values(vec![
            ("obligations", format!("{}, {} given up", self.obligations, self.dropped_obligations)),
            ("lemmas", self.lemmas.to_string()),
            ("pushes", format!("{tried} tried, {done} done, {saved} saved")),
            ("last frame", self.frontier.to_string()),
            (
                "lemmas by frame",
                format!("{}; {} inductive (F∞)", frames.join(" "), self.invariant_lemmas),
            ),
            (
                "solver",
                format!(
                    "{conflicts} conflicts, {decisions} decisions, {propagations} propagations"
                ),
            ),
            (
                "transition relation",
                format!("{} variables, {} clauses", self.variables, self.clauses),
            ),
            ("variables in a query's domain", format!("{:.0} on average", self.average_domain())),
        ])
    }
}

impl Statistics for PdrStatistics {
    fn key(&self) -> &'static str {
        "pdr"
    }

    fn blocks(&self) -> Vec<Block> {
        vec![self.query_table(), self.literal_table(), self.values()]
    }

    fn json(&self) -> Json {
        let query = |(kind, count): (&str, QueryCount)| {
            let value = json!({
                "queries": count.queries,
                "satisfiable": count.satisfiable,
                "known": count.known,
                "solver_seconds": count.time.as_secs_f64(),
                "mean_microseconds": count.average_microseconds(),
            });
            (kind.to_owned(), value)
        };
        let literals = |(step, shrinking): (&str, Shrinking)| {
            let [before, after] = shrinking.averages();
            let value =
                json!({ "times": shrinking.times, "mean_before": before, "mean_after": after });
            (step.to_owned(), value)
        };
        let queries: Map<String, Json> = self.queries().into_iter().map(query).collect();
        let steps: Map<String, Json> = self.steps().into_iter().map(literals).collect();
        let (tried, done, saved) = (self.pushes_tried, self.pushes_done, self.pushes_saved);
        json!({
            "queries": queries,
            "literals": steps,
            "obligations": self.obligations,
            "dropped_obligations": self.dropped_obligations,
            "lemmas": self.lemmas,
            "pushes": { "tried": tried, "done": done, "saved": saved },
            "frontier": self.frontier,
            "frames": self.frames,
            "invariant_lemmas": self.invariant_lemmas,
            "conflicts": self.conflicts,
            "decisions": self.decisions,
            "propagations": self.propagations,
            "variables": self.variables,
            "clauses": self.clauses,
            "mean_domain": self.average_domain(),
        })
    }

    fn queries(&self) -> Option<QueryTotals> {
        let QueryCount { queries: count, satisfiable, time, .. } = self.all_queries();
        let (unsatisfiable, conflicts) = (count - satisfiable, self.conflicts);
        Some(QueryTotals { count, satisfiable, unsatisfiable, stopped: 0, conflicts, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics() -> PdrStatistics {
        PdrStatistics {
            block: QueryCount {
                queries: 4,
                satisfiable: 1,
                known: 2,
                time: Duration::from_micros(10),
            },
            core: Shrinking { times: 2, before: 9, after: 5 },
            frames: vec![3, 0],
            domain_variables: 10,
            ..PdrStatistics::default()
        }
    }

    #[test]
    fn people_see_counts_and_averages() {
        let blocks = statistics().blocks();
        let [Block::Table(queries), Block::Table(literals), Block::Values(values)] = &blocks[..]
        else {
            panic!("{blocks:?}")
        };
        assert_eq!(queries[1], ["block", "4", "1", "2", "0.00 s", "2 µs"]);
        assert_eq!(queries[2][0], "all", "kinds without queries are left out");
        assert_eq!(literals[2], ["core", "2", "4.5", "2.5"]);
        assert!(values.contains(&("lemmas by frame", "3 0; 0 inductive (F∞)".to_owned())));
    }

    #[test]
    fn scripts_get_the_same() {
        let object = statistics().json();
        assert_eq!(object["queries"]["block"]["mean_microseconds"], 2.5);
        assert_eq!(object["literals"]["core"]["mean_before"], 4.5);
        assert_eq!(object["mean_domain"], 2.5);
        let totals = Statistics::queries(&statistics()).unwrap();
        assert_eq!((totals.count, totals.unsatisfiable), (4, 3));
    }
}
