//! What the analysis needs of the shape of a program: an order to visit the locations,
//! the loops, and who is read later.

use elinvar_ir::program::{EdgeId, LocationId, Program, Statement, VariableId};

/// The locations on the ways from the entry to the errors.
pub(super) struct Graph {
    /// From where an error is reached in the graph, in the order of the program.
    pub(super) wanted: Vec<LocationId>,
    /// Those of them that are reached from the entry, in reverse postorder: but for
    /// edges back to a loop's head, sources stand before targets.
    pub(super) order: Vec<LocationId>,
    /// Position in the order, by location; none for the others.
    pub(super) rank: Vec<Option<usize>>,
    /// By location, the edges between locations of the order.
    pub(super) outgoing: Vec<Vec<EdgeId>>,
    pub(super) incoming: Vec<Vec<EdgeId>>,
    /// By location: does an edge go back to it? Every cycle has one.
    pub(super) is_head: Vec<bool>,
    /// By location and variable: may it be read before it is written?
    pub(super) live: Vec<Vec<bool>>,
}

impl Graph {
    pub(super) fn of(program: &Program, errors: &[LocationId]) -> Self {
        let wanted = leading_to(program, errors);
        let mut outgoing = program.successors();
        for edges in &mut outgoing {
            edges.retain(|&edge| wanted[index(program.edge(edge).to)]);
        }
        let order =
            if wanted[index(program.entry)] { reached(program, &outgoing) } else { Vec::new() };
        let mut rank = vec![None; program.locations.len()];
        for (position, location) in order.iter().enumerate() {
            rank[index(*location)] = Some(position);
        }
        let mut incoming = vec![Vec::new(); program.locations.len()];
        let mut is_head = vec![false; program.locations.len()];
        for &from in &order {
            for &edge in &outgoing[index(from)] {
                let to = program.edge(edge).to;
                incoming[index(to)].push(edge);
                is_head[index(to)] |= rank[index(to)] <= rank[index(from)];
            }
        }
        let live = live(program, &order, &outgoing);
        let locations = (0..program.locations.len() as u32).map(LocationId);
        let wanted = locations.filter(|location| wanted[index(*location)]).collect();
        Graph { wanted, order, rank, outgoing, incoming, is_head, live }
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = EdgeId> {
        self.order.iter().flat_map(|&location| self.outgoing[index(location)].iter().copied())
    }

    /// The edges of the loops, each loop by its head.
    pub(super) fn loops(&self, program: &Program) -> Vec<Vec<EdgeId>> {
        let heads = self.order.iter().filter(|&&location| self.is_head[index(location)]);
        heads.map(|&head| self.loop_of(program, head)).collect()
    }

    /// All edges on ways from the head to itself that only pass locations behind it.
    fn loop_of(&self, program: &Program, head: LocationId) -> Vec<EdgeId> {
        let rank = |location: LocationId| self.rank[index(location)];
        let mut inside = vec![false; program.locations.len()];
        let mut edges = Vec::new();
        let mut stack = vec![head];
        while let Some(location) = stack.pop() {
            for &edge in &self.incoming[index(location)] {
                let from = program.edge(edge).from;
                if rank(from) < rank(head) {
                    continue;
                }
                edges.push(edge);
                if from != head && !inside[index(from)] {
                    inside[index(from)] = true;
                    stack.push(from);
                }
            }
        }
        edges
    }
}

pub(super) fn index(location: LocationId) -> usize {
    location.0 as usize
}

fn leading_to(program: &Program, errors: &[LocationId]) -> Vec<bool> {
    let mut predecessors = vec![Vec::new(); program.locations.len()];
    for edge in &program.edges {
        predecessors[index(edge.to)].push(edge.from);
    }
    let mut wanted = vec![false; program.locations.len()];
    let mut stack = errors.to_vec();
    while let Some(location) = stack.pop() {
        if !std::mem::replace(&mut wanted[index(location)], true) {
            stack.extend_from_slice(&predecessors[index(location)]);
        }
    }
    wanted
}

fn reached(program: &Program, outgoing: &[Vec<EdgeId>]) -> Vec<LocationId> {
    let mut seen = vec![false; program.locations.len()];
    let mut order = Vec::new();
    let mut stack = vec![(program.entry, 0)];
    seen[index(program.entry)] = true;
    while let Some((location, next)) = stack.pop() {
        let Some(&edge) = outgoing[index(location)].get(next) else {
            order.push(location);
            continue;
        };
        stack.push((location, next + 1));
        let to = program.edge(edge).to;
        if !std::mem::replace(&mut seen[index(to)], true) {
            stack.push((to, 0));
        }
    }
    order.reverse();
    order
}

fn live(program: &Program, order: &[LocationId], outgoing: &[Vec<EdgeId>]) -> Vec<Vec<bool>> {
    let mut live = vec![vec![false; program.terms.variables().len()]; program.locations.len()];
    let read = |statement: &Statement| program.terms.free_variables(statement.terms());
    let mut effects: Vec<(EdgeId, Vec<VariableId>, Vec<VariableId>)> = Vec::new();
    for &location in order.iter().rev() {
        for &edge in &outgoing[index(location)] {
            let statement = &program.edge(edge).statement;
            effects.push((edge, read(statement), statement.written()));
        }
    }
    loop {
        let mut changed = false;
        for (edge, read, written) in &effects {
            let edge = program.edge(*edge);
            let mut before = live[index(edge.to)].clone();
            written.iter().for_each(|variable| before[variable.0 as usize] = false);
            read.iter().for_each(|variable| before[variable.0 as usize] = true);
            for (known, new) in live[index(edge.from)].iter_mut().zip(before) {
                changed |= new && !*known;
                *known |= new;
            }
        }
        if !changed {
            return live;
        }
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::program::Sort;
    use elinvar_models::Sketch;

    use super::*;

    /// `x := 0; while (*) { x := x + 1; } assert x != 7;` and a way that leads nowhere.
    #[test]
    fn a_loop_has_a_head_and_reads_its_counter() {
        let mut sketch = Sketch::new();
        let x = sketch.variable("x", Sort::Int);
        let value = sketch.terms.variable(x);
        let [zero, one, seven] = [0, 1, 7].map(|number| sketch.terms.int(number));
        let (head, body, dead_end) = (sketch.location(), sketch.location(), sketch.location());
        let yes = sketch.terms.bool(true);
        sketch.assign(Sketch::ENTRY, head, &[(x, zero)]);
        sketch.assume(head, body, yes);
        let next = sketch.terms.add([value, one]);
        sketch.assign(body, head, &[(x, next)]);
        sketch.assume(head, dead_end, yes);
        let wrong = sketch.terms.equal(value, seven);
        sketch.error(head, wrong);
        let errors = sketch.errors();
        let program = sketch.finish();

        let graph = Graph::of(&program, &errors);
        assert_eq!(graph.wanted, [Sketch::ENTRY, head, body, errors[0]]);
        assert_eq!(graph.order[..2], [Sketch::ENTRY, head]);
        assert_eq!(graph.rank[index(dead_end)], None);
        let heads = |location: &LocationId| graph.is_head[index(*location)];
        assert_eq!(graph.order.iter().copied().filter(heads).collect::<Vec<_>>(), [head]);
        let mut loops = graph.loops(&program);
        loops.iter_mut().for_each(|edges| edges.sort_unstable());
        assert_eq!(loops, [[EdgeId(1), EdgeId(2)]]);
        let reads = [Sketch::ENTRY, head, body, errors[0]].map(|at| graph.live[index(at)][0]);
        assert_eq!(reads, [false, true, true, false]);
    }
}
