//! Random runs of a program, which show cheaply that most of its locations are reached.

use std::collections::BTreeSet;

use elinvar_ir::program::{
    EdgeId, FunctionValue, LocationId, Machine, Node, Program, ProgramStep, Sort, Statement, Value,
    VariableId, Word,
};
use elinvar_ir::{BitVec, Rng};

/// How many runs are tried.
const WALKS: u64 = 16;

/// How many steps a run has at most, and all runs together.
const STEPS: usize = 2000;
const ALL_STEPS: usize = 6000;

/// By location: does a random run visit it? The runs end when all of `wanted` are visited.
pub fn visited(program: &Program, wanted: &[LocationId]) -> Vec<bool> {
    let successors = program.successors();
    let functions = program.terms.functions().iter();
    let functions: Vec<FunctionValue> =
        functions.map(|f| FunctionValue::constant(Value::zero(&f.result))).collect();
    let mut visited = vec![false; program.locations.len()];
    let (constants, mut steps) = (constants(program), 0);
    for seed in 0..WALKS {
        if wanted.iter().all(|at| visited[at.0 as usize]) || steps > ALL_STEPS {
            break;
        }
        let mut draw = Draw { rng: Rng::new(seed), constants: &constants, zeros: seed == 0 };
        let initial = draw.values(program, &program.variables);
        let Ok(mut machine) = Machine::new(program, &initial, &functions) else { break };
        for _ in 0..STEPS {
            let at = machine.location().0 as usize;
            visited[at] = true;
            steps += 1;
            if !step(program, &mut machine, &successors[at], &mut draw) {
                break;
            }
        }
    }
    visited
}

/// Takes one of the edges. Fails if there is none that can be taken.
fn step(
    program: &Program,
    machine: &mut Machine<'_>,
    edges: &[EdgeId],
    draw: &mut Draw<'_>,
) -> bool {
    let first = if edges.is_empty() { 0 } else { draw.rng.below(edges.len()) };
    let mut in_turn = edges[first..].iter().chain(&edges[..first]);
    in_turn.any(|&edge| {
        let values = match &program.edge(edge).statement {
            Statement::Havoc(variables) => draw.values(program, variables),
            Statement::Assume(_) | Statement::Assign(_) => Vec::new(),
        };
        machine.step(&ProgramStep { edge, values }).is_ok()
    })
}

/// Small integers that the program compares with, and their neighbours.
fn constants(program: &Program) -> Vec<i64> {
    let terms = program.edges.iter().flat_map(|edge| edge.statement.terms());
    let number = |term| match program.terms.node(term) {
        Node::Int(value) => i64::try_from(value).ok(),
        Node::Word(word) => word.to_u64().and_then(|value| i64::try_from(value).ok()),
        Node::Bool(_) | Node::Real(_) | Node::Variable(_) | Node::Apply(..) => None,
    };
    let numbers = program.terms.subterms(terms).into_iter().filter_map(number);
    let near = numbers.flat_map(|n| [n.saturating_sub(1), n, n.saturating_add(1)]);
    let distinct: BTreeSet<i64> = near.chain([-1, 0, 1]).collect();
    distinct.into_iter().collect()
}

/// A source of values: zeros, or random ones, which are small or constants of the program.
struct Draw<'a> {
    rng: Rng,
    constants: &'a [i64],
    zeros: bool,
}

impl Draw<'_> {
    fn values(&mut self, program: &Program, variables: &[VariableId]) -> Vec<Value> {
        variables.iter().map(|&v| self.value(program.terms.variable_sort(v))).collect()
    }

    fn value(&mut self, sort: &Sort) -> Value {
        if self.zeros {
            return Value::zero(sort);
        }
        let number = match self.rng.one_in(3) {
            true => self.rng.below(200) as i64 - 50,
            false => self.rng.pick(self.constants),
        };
        match sort {
            Sort::Bool => Value::Bool(number % 2 == 0),
            Sort::Int => Value::Int(number.into()),
            Sort::Real => Value::Real(number.into()),
            Sort::Word(width) => Value::Word(Word(BitVec::new(*width, number as u64))),
            Sort::Named(name) => Value::Element(*name, number.unsigned_abs()),
            Sort::Map(_) => Value::zero(sort),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_formats::boogie;

    #[test]
    fn what_is_reached_is_visited() {
        let text = b"procedure p(x: int) requires x > 0; { var y: int; y := x; \
                     while (y > 0) { y := y - 1; } if (y < 0) { y := 1; } assert y == 0; }";
        let program = boogie::read(text).unwrap();
        let all: Vec<LocationId> = (0..program.locations.len() as u32).map(LocationId).collect();
        let visited = visited(&program, &all);
        let error = program.properties[0].error;
        let before = program.edges.iter().find(|edge| edge.to == error).unwrap().from;
        assert!(visited[before.0 as usize] && !visited[error.0 as usize]);
        // The others are in the body of the `if`.
        let missed = visited.iter().filter(|&&visited| !visited).count();
        assert!(missed < all.len() / 2, "{missed} of {}", all.len());
    }
}
