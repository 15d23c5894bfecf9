//! One path program after the other (Section 4.2 of the thesis, in the setting of
//! Heizmann, Hoenicke and Podelski, "Software model checking for people who love
//! automata", CAV 2013).
//!
//! An error trace is chosen; the program is projected to its edges; the lifted algorithm
//! decides that *path program*. A run of it is a run of the program. A proof of it is a
//! set of predicates at locations; all traces along which they lead to `false` are
//! covered, whether or not they belong to the path program: which they are is found in
//! the graph whose nodes are locations with the predicates that hold there. The next
//! trace is one that leads to an error in that graph. When there is none, the
//! predicates of the nodes are an invariant.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use elinvar_ir::StopReason;
use elinvar_ir::program::{BlockId, EdgeId, LocationId, Program, Statement, Term};
use rustc_hash::FxHashMap;

use super::frames::Frames;
use super::graph::{Graph, Outcome};
use super::options::CfgOptions;
use super::search::{End, ProgramSearch};
use crate::relation::Level;
use crate::run::Run;

const QUERY: Duration = Duration::from_secs(20);

/// A location with the predicates that are known to hold, by position.
type Node = (LocationId, Vec<usize>);

pub struct TraceAbstraction<'a> {
    program: &'a Program,
    pub graph: Graph,
    options: &'a CfgOptions,
    run: &'a Run,
    errors: Vec<LocationId>,
    /// What always holds.
    known: BTreeMap<LocationId, Vec<Term>>,
    /// By location, that, and what proofs of path programs said.
    predicates: BTreeMap<LocationId, Vec<Term>>,
    /// The edges of the path programs that are proved.
    proved: Vec<BTreeSet<EdgeId>>,
    /// Which predicates hold after a block, by those before: `None` if it has no step.
    posts: FxHashMap<(BlockId, Vec<usize>), Option<Vec<usize>>>,
}

/// A way through the graph of nodes to an error.
type Trace = Vec<(Node, BlockId)>;

/// Do the proofs cover all error traces?
enum Coverage {
    /// Yes; these nodes are reached.
    Complete(BTreeSet<Node>),
    /// Not this one.
    Missing(Trace),
}

/// How a path program was decided.
enum Decision {
    Covered,
    End(End),
}

impl<'a> TraceAbstraction<'a> {
    pub fn new(
        program: &'a Program,
        graph: Graph,
        known: BTreeMap<LocationId, Vec<Term>>,
        errors: Vec<LocationId>,
        options: &'a CfgOptions,
        run: &'a Run,
    ) -> Self {
        TraceAbstraction {
            program,
            graph,
            options,
            run,
            errors,
            predicates: known.clone(),
            known,
            proved: Vec::new(),
            posts: FxHashMap::default(),
        }
    }

    pub fn forget(&mut self, error: LocationId) {
        self.errors.retain(|&other| other != error);
    }

    /// As [`ProgramSearch::run`]; a path is told in blocks of [`Self::graph`].
    pub fn run(&mut self) -> End {
        loop {
            match self.error_trace() {
                Err(reason) => return End::Stopped(reason),
                Ok(Coverage::Complete(nodes)) => return End::Proved(self.invariant(&nodes)),
                Ok(Coverage::Missing(trace)) => match self.refine(&trace) {
                    Decision::Covered => {}
                    Decision::End(end) => return end,
                },
            }
        }
    }

    /// Looks for a trace to an error that no proof covers.
    fn error_trace(&mut self) -> Result<Coverage, StopReason> {
        let start: Node = (self.graph.entry, Vec::new());
        let mut came: BTreeMap<Node, Option<(Node, BlockId)>> = BTreeMap::new();
        came.insert(start.clone(), None);
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for block in self.graph.blocks_from(node.0) {
                let to = self.graph.block(block).to;
                if self.graph.is_error(to) && !self.errors.contains(&to) {
                    continue;
                }
                let Some(after) = self.post(block, &node)? else { continue };
                let next = (to, after);
                if came.contains_key(&next) {
                    continue;
                }
                came.insert(next.clone(), Some((node.clone(), block)));
                if self.graph.is_error(to) {
                    return Ok(Coverage::Missing(way(&came, next)));
                }
                waiting.push_back(next);
            }
        }
        Ok(Coverage::Complete(came.into_keys().collect()))
    }

    /// The predicates that hold after a block.
    fn post(&mut self, block: BlockId, node: &Node) -> Result<Option<Vec<usize>>, StopReason> {
        let key = (block, node.1.clone());
        if let Some(known) = self.posts.get(&key) {
            return Ok(known.clone());
        }
        let also = self.terms_of(node);
        let after = match self.ask(block, &also, &[])? {
            false => None,
            true => {
                let to = self.graph.block(block).to;
                let predicates = self.predicates.get(&to).cloned().unwrap_or_default();
                let mut holds = Vec::new();
                for (position, predicate) in predicates.into_iter().enumerate() {
                    let not = self.graph.terms.not(predicate);
                    if !self.ask(block, &also, &[not])? {
                        holds.push(position);
                    }
                }
                Some(holds)
            }
        };
        self.posts.insert(key, after.clone());
        Ok(after)
    }

    /// Has the block a step from states with these predicates into the cube?
    fn ask(&mut self, block: BlockId, also: &[Term], cube: &[Term]) -> Result<bool, StopReason> {
        if let Some(reason) = self.run.stop() {
            return Err(reason);
        }
        let nothing = Frames::default();
        match self.graph.ask(block, nothing.frame(Level::Infinite), also, cube, QUERY) {
            Outcome::Blocked(_) => Ok(false),
            Outcome::Step(_) => Ok(true),
            // It may have one.
            Outcome::Unknown(_) => Ok(true),
        }
    }

    fn terms_of(&self, (at, holds): &Node) -> Vec<Term> {
        holds.iter().map(|&position| self.predicates[at][position]).collect()
    }

    /// Decides the path program of a trace.
    fn refine(&mut self, trace: &Trace) -> Decision {
        let mut edges: BTreeSet<EdgeId> = BTreeSet::new();
        for (node, block) in trace {
            edges.extend(self.edges_of_step(node, *block));
        }
        if self.proved.iter().any(|proved| edges.is_subset(proved)) {
            // The way through the blocks did not show what is missing: take all of them.
            for (_, block) in trace {
                edges.extend(self.graph.block(*block).edges());
            }
        }
        let path_program = self.project(&edges);
        let mut graph = Graph::new(&path_program, &self.errors, self.graph.context.another());
        let mut frames = Frames::default();
        for (&at, facts) in &self.known {
            for &fact in facts {
                let fact = graph.terms.import(&self.graph.terms, fact);
                frames.insert(&graph.terms, at, fact, Level::Infinite);
            }
        }
        let mut search =
            ProgramSearch::new(graph, frames, self.errors.clone(), self.options, self.run);
        match search.run() {
            End::Proved(at) => {
                self.learn(&search.graph, at);
                self.proved.push(edges);
                Decision::Covered
            }
            End::Reached { error, path } => {
                let path = path.into_iter().map(|block| self.same_block(&search.graph, block));
                Decision::End(End::Reached { error, path: path.collect() })
            }
            End::Stopped(reason) => Decision::End(End::Stopped(reason)),
        }
    }

    /// The edges of one path through a block, from the predicates of a node.
    fn edges_of_step(&mut self, node: &Node, block: BlockId) -> Vec<EdgeId> {
        let also = self.terms_of(node);
        let nothing = Frames::default();
        let frame = nothing.frame(Level::Infinite);
        let Outcome::Step(mut state) = self.graph.ask(block, frame, &also, &[], QUERY) else {
            return self.graph.block(block).edges();
        };
        let terms = &self.graph.terms;
        let any = |_| None;
        let block = self.graph.block(block);
        let steps = block.path(self.program, |condition| state.holds(terms, condition), any);
        steps.into_iter().map(|step| step.edge).collect()
    }

    /// The program with these edges alone.
    fn project(&self, edges: &BTreeSet<EdgeId>) -> Program {
        let mut program = self.program.clone();
        let never = program.terms.bool(false);
        for id in self.program.edge_ids() {
            if !edges.contains(&id) {
                program.edges[id.0 as usize].statement = Statement::Assume(never);
            }
        }
        program
    }

    /// Both graphs have the same locations, and one block from each to each.
    fn same_block(&self, graph: &Graph, block: BlockId) -> BlockId {
        let (from, to) = (graph.block(block).from, graph.block(block).to);
        let same = |&index: &BlockId| {
            let other = self.graph.block(index);
            other.from == from && other.to == to
        };
        self.graph.block_ids().find(same).expect("the program has all that a part of it has")
    }

    fn learn(&mut self, proof: &Graph, lemmas: BTreeMap<LocationId, Vec<Term>>) {
        for (at, lemmas) in lemmas {
            if self.graph.is_error(at) {
                continue;
            }
            for lemma in lemmas {
                let predicate = self.graph.terms.import(&proof.terms, lemma);
                let known = self.predicates.entry(at).or_default();
                if !known.contains(&predicate) {
                    known.push(predicate);
                }
            }
        }
        self.posts.clear();
    }

    fn invariant(&mut self, nodes: &BTreeSet<Node>) -> BTreeMap<LocationId, Vec<Term>> {
        let mut cases: BTreeMap<LocationId, Vec<Term>> = BTreeMap::new();
        for node in nodes {
            let terms = self.terms_of(node);
            let case = self.graph.terms.and(terms);
            cases.entry(node.0).or_default().push(case);
        }
        let never = self.graph.terms.bool(false);
        for &at in &self.graph.locations {
            cases.entry(at).or_insert_with(|| vec![never]);
        }
        cases.into_iter().map(|(at, cases)| (at, vec![self.graph.terms.or(cases)])).collect()
    }
}

fn way(came: &BTreeMap<Node, Option<(Node, BlockId)>>, end: Node) -> Trace {
    let mut trace = Vec::new();
    let mut at = &end;
    while let Some((node, block)) = &came[at] {
        trace.push((node.clone(), *block));
        at = node;
    }
    trace.reverse();
    trace
}
