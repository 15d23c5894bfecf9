//! Large blocks: between the locations that matter, all paths at once.
//!
//! Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, "Software model checking via
//! large-block encoding" (FMCAD 2009). The locations that stay are the entry, the error
//! locations, and one on every cycle. Each pair of them with a path that passes no other
//! becomes one [`Block`]: a guard and, for each variable, its value afterwards, as terms
//! over the values before and over *inputs*, which stand for what `havoc` gives and for
//! which way was taken where the guards do not tell. In this form a block is closed
//! under sequence (substitution) and choice (`ite`), and a precondition is a substitution.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::evidence::ProgramStep;
use super::graph::{EdgeId, LocationId, Program, Statement};
use super::sort::Sort;
use super::term::{Term, Terms, VariableId};
use super::value::Value;

/// The number of a block in [`Blocks::blocks`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// All paths from one location to another that pass no third one that stays.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where the block starts.
    pub from: LocationId,
    /// Where the block ends.
    pub to: LocationId,
    /// Fresh variables of the pool, no other block's.
    pub inputs: Vec<VariableId>,
    /// Over the program's variables and the inputs.
    pub guard: Term,
    /// The variables that change and are of interest afterwards, with their new values.
    pub update: BTreeMap<VariableId, Term>,
    /// How to find the edges again, for the locations on the way and the last one.
    arrivals: BTreeMap<LocationId, Vec<Arrival>>,
    /// The input for each value of a `havoc`; `None` if the value is never read.
    havocs: BTreeMap<EdgeId, Vec<Option<VariableId>>>,
}

/// One of several ways to come to a location.
#[derive(Clone, Debug)]
struct Arrival {
    edge: EdgeId,
    /// It was taken if this holds and none of those before it does.
    condition: Term,
}

/// A program in large blocks.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The program's pool with the inputs.
    pub terms: Terms,
    /// The location where runs start.
    pub entry: LocationId,
    /// The locations that stay, in the order of the program; error locations included.
    pub locations: Vec<LocationId>,
    /// Those from which an error is reached, and that are reached, in the graph.
    pub blocks: Vec<Block>,
    /// The live variables of each location that is kept.
    pub live: BTreeMap<LocationId, Vec<VariableId>>,
}

impl Blocks {
    /// The block with this number.
    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block.0 as usize]
    }

    /// The numbers of all blocks.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }
}

impl Block {
    /// All edges of its paths.
    pub fn edges(&self) -> Vec<EdgeId> {
        self.arrivals.values().flatten().map(|arrival| arrival.edge).collect()
    }

    /// The edges of the path that a model takes: `holds` tells of conditions over the
    /// variables before and the inputs, and `input` the value of an input, if it matters.
    pub fn path(
        &self,
        program: &Program,
        mut holds: impl FnMut(Term) -> bool,
        mut input: impl FnMut(VariableId) -> Option<Value>,
    ) -> Vec<ProgramStep> {
        let mut steps = Vec::new();
        let mut at = self.to;
        loop {
            let arrivals = &self.arrivals[&at];
            let arrival = arrivals
                .iter()
                .find(|arrival| holds(arrival.condition))
                .unwrap_or(arrivals.last().expect("every location on the way is arrived at"));
            let edge = program.edge(arrival.edge);
            let values = match &edge.statement {
                Statement::Havoc(variables) => variables
                    .iter()
                    .zip(&self.havocs[&arrival.edge])
                    .map(|(variable, stands)| {
                        let value = stands.and_then(&mut input);
                        value.unwrap_or(Value::zero(program.terms.variable_sort(*variable)))
                    })
                    .collect(),
                Statement::Assume(_) | Statement::Assign(_) => Vec::new(),
            };
            steps.push(ProgramStep { edge: arrival.edge, values });
            at = edge.from;
            if at == self.from {
                break;
            }
        }
        steps.reverse();
        steps
    }
}

/// The program in large blocks, for these error locations alone.
pub fn large_blocks(program: &Program, errors: &[LocationId]) -> Blocks {
    let shape = Shape::of(program, errors);
    let mut terms = program.terms.clone();
    let mut blocks = Vec::new();
    for &from in &shape.kept {
        let walk =
            Walk { program, shape: &shape, terms: &mut terms, from, havocs: BTreeMap::new() };
        blocks.extend(walk.blocks());
    }
    let live_at = |at: LocationId| {
        let live = &shape.live[at.0 as usize];
        program.variables.iter().copied().filter(|v| live[v.0 as usize]).collect()
    };
    let live = shape.kept.iter().map(|&at| (at, live_at(at))).collect();
    Blocks { terms, entry: program.entry, locations: shape.kept, blocks, live }
}

/// What is known of the graph alone.
struct Shape {
    /// The edges on a path from the entry to an error, by location they leave.
    successors: Vec<Vec<EdgeId>>,
    /// The locations that stay, in their order.
    kept: Vec<LocationId>,
    is_kept: Vec<bool>,
    /// Position in an order in which every edge goes forward, but for those to a
    /// location that stays.
    rank: Vec<usize>,
    /// By location and variable: may it be read before it is written?
    live: Vec<Vec<bool>>,
}

impl Shape {
    fn of(program: &Program, errors: &[LocationId]) -> Self {
        let count = program.locations.len();
        let mut predecessors = vec![Vec::new(); count];
        for edge in &program.edges {
            predecessors[edge.to.0 as usize].push(edge.from);
        }
        let mut successors = program.successors();
        let reached = reach(count, &[program.entry], |at| {
            successors[at.0 as usize].iter().map(|&edge| program.edge(edge).to).collect()
        });
        let leads = reach(count, errors, |at| predecessors[at.0 as usize].clone());
        for (from, edges) in successors.iter_mut().enumerate() {
            edges.retain(|&edge| reached[from] && leads[program.edge(edge).to.0 as usize]);
        }
        let (rank, heads) = order(program, &successors);
        let is_kept: Vec<bool> = (0..count)
            .map(|at| {
                let id = LocationId(at as u32);
                id == program.entry || heads[at] || reached[at] && errors.contains(&id)
            })
            .collect();
        let kept = (0..count as u32).map(LocationId).filter(|at| is_kept[at.0 as usize]).collect();
        let live = liveness(program, &successors, &rank);
        Shape { successors, kept, is_kept, rank, live }
    }
}

fn reach(
    count: usize,
    from: &[LocationId],
    next: impl Fn(LocationId) -> Vec<LocationId>,
) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut stack = from.to_vec();
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at.0 as usize], true) {
            stack.extend(next(at));
        }
    }
    reached
}

/// A reverse postorder of the locations, and which of them end an edge that goes back in
/// the depth-first search: one on every cycle.
fn order(program: &Program, successors: &[Vec<EdgeId>]) -> (Vec<usize>, Vec<bool>) {
    let count = successors.len();
    let (mut open, mut seen) = (vec![false; count], vec![false; count]);
    let (mut rank, mut heads) = (vec![0; count], vec![false; count]);
    let mut next_rank = count;
    let entry = program.entry.0 as usize;
    let mut stack = vec![(entry, 0)];
    (open[entry], seen[entry]) = (true, true);
    while let Some((at, child)) = stack.last_mut() {
        let at = *at;
        match successors[at].get(*child) {
            Some(&edge) => {
                *child += 1;
                let to = program.edge(edge).to.0 as usize;
                if open[to] {
                    heads[to] = true;
                } else if !seen[to] {
                    (open[to], seen[to]) = (true, true);
                    stack.push((to, 0));
                }
            }
            None => {
                open[at] = false;
                next_rank -= 1;
                rank[at] = next_rank;
                stack.pop();
            }
        }
    }
    (rank, heads)
}

fn liveness(program: &Program, successors: &[Vec<EdgeId>], rank: &[usize]) -> Vec<Vec<bool>> {
    let terms = &program.terms;
    let mut live = vec![vec![false; terms.variables().len()]; successors.len()];
    let mut backwards: Vec<usize> = (0..successors.len()).collect();
    backwards.sort_unstable_by_key(|&at| std::cmp::Reverse(rank[at]));
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &at in &backwards {
            for &edge in &successors[at] {
                let edge = program.edge(edge);
                let mut before = live[edge.to.0 as usize].clone();
                let mut read = Vec::new();
                match &edge.statement {
                    Statement::Assume(condition) => read.push(*condition),
                    Statement::Assign(assignments) => {
                        let needed = |v: &VariableId| before[v.0 as usize];
                        read.extend(assignments.iter().filter(|(v, _)| needed(v)).map(|(_, t)| *t));
                        assignments.iter().for_each(|(v, _)| before[v.0 as usize] = false);
                    }
                    Statement::Havoc(variables) => {
                        variables.iter().for_each(|v| before[v.0 as usize] = false);
                    }
                }
                for variable in terms.free_variables(read) {
                    before[variable.0 as usize] = true;
                }
                for (known, new) in live[at].iter_mut().zip(before) {
                    changed |= new && !*known;
                    *known |= new;
                }
            }
        }
    }
    live
}

/// What holds after some of the paths from a location, and the values there.
#[derive(Clone)]
struct Reached {
    guard: Term,
    /// Of the variables that changed.
    values: BTreeMap<VariableId, Term>,
}

/// Follows all paths from one location, until they come to locations that stay.
struct Walk<'a> {
    program: &'a Program,
    shape: &'a Shape,
    terms: &'a mut Terms,
    from: LocationId,
    havocs: BTreeMap<EdgeId, Vec<Option<VariableId>>>,
}

impl Walk<'_> {
    fn blocks(mut self) -> Vec<Block> {
        let guard = self.terms.bool(true);
        let start = Reached { guard, values: BTreeMap::new() };
        let first_input = self.terms.variables().len();
        // By rank: all paths into the first one are complete.
        let mut waiting: BTreeMap<usize, (LocationId, Vec<(EdgeId, Reached)>)> = BTreeMap::new();
        let mut ends: BTreeMap<LocationId, Vec<(EdgeId, Reached)>> = BTreeMap::new();
        let mut arrivals = BTreeMap::new();
        let mut here = (self.from, start);
        loop {
            let (at, state) = here;
            for edge in self.shape.successors[at.0 as usize].clone() {
                let Some(after) = self.after(edge, &state) else { continue };
                let to = self.program.edge(edge).to;
                let target = if self.shape.is_kept[to.0 as usize] {
                    ends.entry(to).or_default()
                } else {
                    let rank = self.shape.rank[to.0 as usize];
                    &mut waiting.entry(rank).or_insert_with(|| (to, Vec::new())).1
                };
                target.push((edge, after));
            }
            let Some((_, (next, coming))) = waiting.pop_first() else { break };
            here = (next, self.merge(next, coming, &mut arrivals));
        }
        let inputs = |terms: &Terms, roots: Vec<Term>| {
            let mut inputs = terms.free_variables(roots);
            inputs.retain(|variable| variable.0 as usize >= first_input);
            inputs
        };
        let mut blocks = Vec::new();
        for (to, coming) in ends {
            let mut arrivals = arrivals.clone();
            let Reached { guard, values: update } = self.merge(to, coming, &mut arrivals);
            let roots = update.values().copied().chain([guard]).collect();
            blocks.push(Block {
                from: self.from,
                to,
                inputs: inputs(self.terms, roots),
                guard,
                update,
                arrivals,
                havocs: self.havocs.clone(),
            });
        }
        blocks
    }

    /// `None` if the edge cannot be taken.
    fn after(&mut self, edge: EdgeId, before: &Reached) -> Option<Reached> {
        let program = self.program;
        let to = program.edge(edge).to;
        let is_live = |v: &VariableId| self.shape.live[to.0 as usize][v.0 as usize];
        let mut after = before.clone();
        match &program.edge(edge).statement {
            Statement::Assume(condition) => {
                let condition = self.value(*condition, before);
                after.guard = self.terms.and([after.guard, condition]);
                if self.terms.as_bool(after.guard) == Some(false) {
                    return None;
                }
            }
            Statement::Assign(assignments) => {
                for (variable, term) in assignments.iter().filter(|(v, _)| is_live(v)) {
                    let value = self.value(*term, before);
                    after.values.insert(*variable, value);
                }
            }
            Statement::Havoc(variables) => {
                let mut inputs = Vec::new();
                for variable in variables {
                    let input = is_live(variable).then(|| {
                        let sort = self.terms.variable_sort(*variable).clone();
                        let name = format!("{}#{}", self.terms.name(*variable), edge.0);
                        let input = self.terms.declare(name, sort);
                        after.values.insert(*variable, self.terms.variable(input));
                        input
                    });
                    inputs.push(input);
                }
                self.havocs.insert(edge, inputs);
            }
        }
        after.values.retain(|variable, _| is_live(variable));
        Some(after)
    }

    fn value(&mut self, term: Term, at: &Reached) -> Term {
        let mut map = FxHashMap::default();
        for (variable, value) in &at.values {
            map.insert(self.terms.variable(*variable), *value);
        }
        self.terms.replace(term, &mut map)
    }

    /// One state for several ways to come to a location.
    fn merge(
        &mut self,
        at: LocationId,
        mut coming: Vec<(EdgeId, Reached)>,
        arrivals: &mut BTreeMap<LocationId, Vec<Arrival>>,
    ) -> Reached {
        let (edge, mut merged) = coming.pop().expect("somebody arrives");
        let condition = self.terms.bool(true);
        let mut ways = vec![Arrival { edge, condition }];
        while let Some((edge, one)) = coming.pop() {
            let condition = self.tell_apart(one.guard, merged.guard);
            merged = self.choose(condition, &one, &merged);
            ways.push(Arrival { edge, condition });
        }
        ways.reverse();
        arrivals.insert(at, ways);
        merged
    }

    /// A condition that holds on the one way and not on the other; an input that says
    /// which, if the guards do not.
    fn tell_apart(&mut self, one: Term, other: Term) -> Term {
        let others = self.terms.conjuncts(other);
        for part in self.terms.conjuncts(one) {
            let not = self.terms.not(part);
            if others.contains(&not) {
                return part;
            }
        }
        let input = self.terms.declare("way", Sort::Bool);
        self.terms.variable(input)
    }

    fn choose(&mut self, condition: Term, one: &Reached, other: &Reached) -> Reached {
        let terms = &mut *self.terms;
        let not = terms.not(condition);
        let (ones, others) = (terms.conjuncts(one.guard), terms.conjuncts(other.guard));
        let mut common = ones.clone();
        common.retain(|part| others.contains(part));
        let rest = |terms: &mut Terms, parts: &[Term], known: Term| {
            let parts = parts.iter().copied().filter(|p| *p != known && !common.contains(p));
            let parts: Vec<Term> = parts.collect();
            terms.and(parts)
        };
        let (one_rest, other_rest) = (rest(terms, &ones, condition), rest(terms, &others, not));
        let choice = terms.ite(condition, one_rest, other_rest);
        let guard = terms.and(common.into_iter().chain([choice]));
        let mut values = BTreeMap::new();
        for &variable in one.values.keys().chain(other.values.keys()) {
            let unchanged = terms.variable(variable);
            let value = |from: &Reached| from.values.get(&variable).copied().unwrap_or(unchanged);
            values.insert(variable, terms.ite(condition, value(one), value(other)));
        }
        Reached { guard, values }
    }
}
