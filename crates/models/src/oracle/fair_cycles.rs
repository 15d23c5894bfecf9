//! Search for fair cycles in the graph of all reachable states.
//!
//! A liveness property fails if some execution meets all of its conditions and all fairness
//! constraints infinitely often. In a finite graph such an execution exists exactly if one
//! strongly connected component that can be reached has edges inside it on which each of these
//! bits holds: a loop through all of these edges stays in the component. An edge is a step with
//! its inputs, because conditions may depend on inputs, and only steps that satisfy the
//! constraints are edges. States without such a step are dead ends, which no loop visits.
//!
//! Cycle zero is special, because the inputs decide which states are initial. Its steps lead into
//! the graph but do not belong to it.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use elinvar_ir::{
    Evaluator, ExprId, PropertyId, PropertyKind, Role, Sort, Step, Trace, TransitionSystem, Value,
};

use super::explicit::{TooLarge, all_valuations, canonical, initial_states};

/// Decides all liveness properties of a small system: for each, an execution that violates it,
/// or nothing if there is none.
///
/// `limit` bounds the number of steps that are tried in all.
pub fn search_loops(
    system: &TransitionSystem,
    limit: usize,
) -> Result<Vec<(PropertyId, Option<Trace>)>, TooLarge> {
    let graph = Graph::explore(system, limit)?;
    let components = graph.components();
    let outcome = |(index, property): (usize, &elinvar_ir::Property)| match &property.kind {
        PropertyKind::Bad(_) => None,
        PropertyKind::Justice(own) => {
            let id = PropertyId(index);
            let wanted = graph.marks_of(system.fairness().iter().chain(own));
            Some((id, graph.fair_loop(&components, &wanted).map(|path| path.trace(system, id))))
        }
    };
    Ok(system.properties().iter().enumerate().filter_map(outcome).collect())
}

/// A state after cycle zero, by the order of discovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node(usize);

/// One step that the constraints allow.
struct Edge {
    to: Node,
    inputs: Vec<Value>,
    /// By condition of [`Graph::conditions`]: whether it holds in this step.
    marks: Vec<bool>,
}

/// A step of cycle zero.
struct Root {
    initial: Vec<Value>,
    edge: Edge,
}

struct Graph {
    /// All fairness constraints and all conditions of liveness properties, each once.
    conditions: Vec<ExprId>,
    roots: Vec<Root>,
    states: Vec<Vec<Value>>,
    /// By node.
    edges: Vec<Vec<Edge>>,
}

impl Graph {
    fn explore(system: &TransitionSystem, limit: usize) -> Result<Self, TooLarge> {
        let mut conditions = system.fairness().to_vec();
        for property in system.properties() {
            match &property.kind {
                PropertyKind::Bad(_) => {}
                PropertyKind::Justice(own) => conditions.extend(own),
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        let graph = Graph { conditions, roots: Vec::new(), states: Vec::new(), edges: Vec::new() };
        Explorer::new(system, graph, limit)?.run()
    }

    /// The positions of these bits in the marks of edges.
    fn marks_of<'a>(&self, bits: impl Iterator<Item = &'a ExprId>) -> Vec<usize> {
        let position = |bit| self.conditions.binary_search(bit).expect("a condition");
        bits.map(position).collect()
    }

    /// The number of the strongly connected component of each node.
    ///
    /// [Tarjan, "Depth-first search and linear graph algorithms", 1972], with a stack of its own
    /// in place of recursion.
    fn components(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let count = self.states.len();
        let (mut order, mut low) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        let mut component = vec![UNSEEN; count];
        let (mut next_order, mut next_component) = (0, 0);
        let mut open = Vec::new();
        for start in 0..count {
            if order[start] != UNSEEN {
                continue;
            }
            let mut stack = vec![(start, 0)];
            while let Some(&mut (node, ref mut position)) = stack.last_mut() {
                if *position == 0 {
                    (order[node], low[node]) = (next_order, next_order);
                    next_order += 1;
                    open.push(node);
                }
                if let Some(edge) = self.edges[node].get(*position) {
                    *position += 1;
                    let to = edge.to.0;
                    if order[to] == UNSEEN {
                        stack.push((to, 0));
                    } else if component[to] == UNSEEN {
                        low[node] = low[node].min(order[to]);
                    }
                    continue;
                }
                stack.pop();
                if let Some(&(parent, _)) = stack.last() {
                    low[parent] = low[parent].min(low[node]);
                }
                if low[node] == order[node] {
                    while let Some(member) = open.pop() {
                        component[member] = next_component;
                        if member == node {
                            break;
                        }
                    }
                    next_component += 1;
                }
            }
        }
        component
    }

    /// A path from cycle zero into a loop with all these marks, if there is one.
    fn fair_loop(&self, components: &[usize], wanted: &[usize]) -> Option<Path<'_>> {
        let mut found: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
        for (node, edges) in self.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| components[edge.to.0] == components[node]) {
                let marks = found
                    .entry(components[node])
                    .or_insert_with(|| vec![false; self.conditions.len()]);
                marks.iter_mut().zip(&edge.marks).for_each(|(all, &one)| *all |= one);
            }
        }
        let is_fair = |component: &usize| {
            found.get(component).is_some_and(|marks| wanted.iter().all(|&mark| marks[mark]))
        };
        // Nodes are numbered in the order of a breadth-first search, so the first one is near.
        let start = components.iter().position(is_fair)?;
        Some(self.path_into(components, wanted, Node(start)))
    }

    /// The path to `start`, and the loop in its component.
    fn path_into(&self, components: &[usize], wanted: &[usize], start: Node) -> Path<'_> {
        let (root, mut steps) = self.stem(start);
        let loop_start = steps.len();
        let inside = |node: Node| components[node.0] == components[start.0];
        let mut missing = wanted.to_vec();
        let mut at = start;
        while let Some(&mark) = missing.first() {
            let part = self.walk(at, inside, |_, edge| edge.marks[mark]);
            for &(_, edge) in &part {
                missing.retain(|&mark| !edge.marks[mark]);
                at = edge.to;
            }
            steps.extend(part);
        }
        if at != start || steps.len() == loop_start {
            steps.extend(self.walk(at, inside, |_, edge| edge.to == start));
        }
        Path { graph: self, root, steps, loop_start }
    }

    /// A shortest path from cycle zero to a node.
    fn stem(&self, goal: Node) -> (&Root, Vec<(Node, &Edge)>) {
        let mut shortest: Option<(&Root, Vec<(Node, &Edge)>)> = None;
        for root in &self.roots {
            let path = if root.edge.to == goal {
                Some(Vec::new())
            } else {
                self.try_walk(root.edge.to, |_| true, |_, edge| edge.to == goal)
            };
            if let Some(path) = path
                && shortest.as_ref().is_none_or(|(_, best)| path.len() < best.len())
            {
                shortest = Some((root, path));
            }
        }
        shortest.expect("every node can be reached")
    }

    fn walk(
        &self,
        from: Node,
        inside: impl Fn(Node) -> bool,
        is_last: impl Fn(Node, &Edge) -> bool,
    ) -> Vec<(Node, &Edge)> {
        self.try_walk(from, inside, is_last).expect("the component is strongly connected")
    }

    /// A shortest path of at least one edge whose last edge is a wanted one, through the nodes
    /// that are `inside`.
    fn try_walk(
        &self,
        from: Node,
        inside: impl Fn(Node) -> bool,
        is_last: impl Fn(Node, &Edge) -> bool,
    ) -> Option<Vec<(Node, &Edge)>> {
        let mut before: FxHashMap<usize, (Node, &Edge)> = FxHashMap::default();
        let mut waiting = VecDeque::from([from]);
        while let Some(node) = waiting.pop_front() {
            for edge in self.edges[node.0].iter().filter(|edge| inside(edge.to)) {
                if is_last(node, edge) {
                    let mut path = vec![(node, edge)];
                    let mut at = node;
                    while at != from {
                        let step = before[&at.0];
                        path.push(step);
                        at = step.0;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.to != from && !before.contains_key(&edge.to.0) {
                    before.insert(edge.to.0, (node, edge));
                    waiting.push_back(edge.to);
                }
            }
        }
        None
    }
}

/// An execution with a loop.
struct Path<'a> {
    graph: &'a Graph,
    root: &'a Root,
    /// The steps after cycle zero, each with the state that it starts in.
    steps: Vec<(Node, &'a Edge)>,
    /// The position in `steps` at which the loop starts.
    loop_start: usize,
}

impl Path<'_> {
    fn trace(&self, system: &TransitionSystem, property: PropertyId) -> Trace {
        let mut steps =
            vec![Step { inputs: self.root.edge.inputs.clone().into(), free: Vec::new() }];
        for (node, edge) in &self.steps {
            let state = &self.graph.states[node.0];
            let free = system.free_states().iter().map(|&index| state[index].clone()).collect();
            steps.push(Step { inputs: edge.inputs.clone().into(), free });
        }
        let (initial, loop_start) = (self.root.initial.clone(), Some(self.loop_start + 1));
        Trace { property, initial, steps: steps.into(), loop_start }
    }
}

/// Builds the graph, breadth first.
struct Explorer<'a> {
    system: &'a TransitionSystem,
    step: Evaluator<'a>,
    inputs: Vec<Vec<Value>>,
    /// All values that the states without next functions can take together.
    free: Vec<Vec<Value>>,
    numbers: FxHashMap<Vec<Value>, Node>,
    graph: Graph,
    budget: usize,
}

impl<'a> Explorer<'a> {
    fn new(system: &'a TransitionSystem, graph: Graph, limit: usize) -> Result<Self, TooLarge> {
        let pool = system.pool();
        let roots = (system.states().iter().filter_map(|state| state.next))
            .chain(system.constraints().iter().copied())
            .chain(graph.conditions.iter().copied());
        let inputs: Vec<Sort> = system.inputs().iter().map(|x| pool.sort(x.symbol)).collect();
        let free = system.free_states().iter();
        let free: Vec<Sort> = free.map(|&i| pool.sort(system.states()[i].symbol)).collect();
        Ok(Explorer {
            system,
            step: Evaluator::new(pool, roots),
            inputs: all_valuations(&inputs, limit)?,
            free: all_valuations(&free, limit)?,
            numbers: FxHashMap::default(),
            graph,
            budget: limit,
        })
    }

    fn run(mut self) -> Result<Graph, TooLarge> {
        for inputs in self.inputs.clone() {
            for initial in initial_states(self.system, &inputs, self.budget)? {
                for edge in self.steps(&initial, &inputs)? {
                    self.graph.roots.push(Root { initial: initial.clone(), edge });
                }
            }
        }
        let mut node = 0;
        while node < self.graph.states.len() {
            let state = self.graph.states[node].clone();
            let mut edges = Vec::new();
            for inputs in self.inputs.clone() {
                edges.extend(self.steps(&state, &inputs)?);
            }
            self.graph.edges.push(edges);
            node += 1;
        }
        Ok(self.graph)
    }

    /// The steps from a state with these inputs: none if they violate a constraint, otherwise
    /// one for all values of the states without next functions.
    fn steps(&mut self, state: &[Value], inputs: &[Value]) -> Result<Vec<Edge>, TooLarge> {
        self.budget = self.budget.checked_sub(self.free.len()).ok_or(TooLarge)?;
        let system = self.system;
        self.step.run(|symbol| match system.role_of(symbol).expect("a symbol") {
            Role::Input(index) => inputs[index].clone(),
            Role::State(index) => state[index].clone(),
        });
        if !system.constraints().iter().all(|&constraint| self.step.holds(constraint)) {
            return Ok(Vec::new());
        }
        let marks: Vec<bool> =
            self.graph.conditions.iter().map(|&condition| self.step.holds(condition)).collect();
        let mut next = state.to_vec();
        for (value, state) in next.iter_mut().zip(system.states()) {
            if let Some(function) = state.next {
                *value = canonical(self.step.value(function));
            }
        }
        let mut edges = Vec::new();
        for choice in self.free.clone() {
            for (&index, value) in system.free_states().iter().zip(choice) {
                next[index] = value;
            }
            let to = self.number(&next);
            edges.push(Edge { to, inputs: inputs.to_vec(), marks: marks.clone() });
        }
        Ok(edges)
    }

    fn number(&mut self, state: &[Value]) -> Node {
        let new = Node(self.graph.states.len());
        let number = *self.numbers.entry(state.to_vec()).or_insert(new);
        if number == new {
            self.graph.states.push(state.to_vec());
        }
        number
    }
}

#[cfg(test)]
mod tests;
