//! Large blocks do what the edges within them do.

use std::collections::BTreeSet;

use elinvar_ir::Rng;
use elinvar_ir::program::{
    Block, Blocks, ByZero, LocationId, Machine, Program, ProgramStep, Sort, Statement, Term, Value,
    VariableId, evaluate, large_blocks,
};
use elinvar_models::{ProgramGenerator, ProgramShape, random_program_value};

fn blocks_of(program: &Program) -> Blocks {
    let errors: Vec<LocationId> = program.properties.iter().map(|p| p.error).collect();
    large_blocks(program, &errors)
}

/// The value of a term of the blocks where all variables have these values, by number.
fn value(blocks: &Blocks, term: Term, values: &[Value]) -> Value {
    let variable = |id: VariableId| values[id.0 as usize].clone();
    let no_function = |_, _: &[Value]| unreachable!("there are no functions");
    evaluate(&blocks.terms, term, variable, no_function, &ByZero::default())
        .expect("divisors are constants")
}

fn holds(blocks: &Blocks, term: Term, values: &[Value]) -> bool {
    value(blocks, term, values) == Value::Bool(true)
}

/// What the block says of the variables that matter afterwards.
fn after(blocks: &Blocks, block: &Block, values: &[Value]) -> Vec<Value> {
    let live = blocks.live[&block.to].iter();
    live.map(|variable| match block.update.get(variable) {
        Some(&update) => value(blocks, update, values),
        None => values[variable.0 as usize].clone(),
    })
    .collect()
}

fn live_values(blocks: &Blocks, machine: &Machine<'_>) -> Vec<Value> {
    let live = blocks.live[&machine.location()].iter();
    live.map(|&variable| machine.value(variable).clone()).collect()
}

#[test]
fn a_model_of_a_block_is_a_path() {
    let mut taken = 0;
    for seed in 0..150 {
        let shape = if seed % 3 == 0 { ProgramShape::MIXED } else { ProgramShape::INTEGERS };
        let program = ProgramGenerator::program(seed, shape);
        let blocks = blocks_of(&program);
        let mut rng = Rng::new(seed);
        for block in &blocks.blocks {
            for _ in 0..60 {
                let variables = blocks.terms.variables().iter();
                let values: Vec<Value> =
                    variables.map(|v| random_program_value(&mut rng, &v.sort, 4)).collect();
                if !holds(&blocks, block.guard, &values) {
                    continue;
                }
                let steps = block.path(
                    &program,
                    |term| holds(&blocks, term, &values),
                    |input| Some(values[input.0 as usize].clone()),
                );
                let start: Vec<Value> =
                    program.variables.iter().map(|v| values[v.0 as usize].clone()).collect();
                let mut machine = Machine::at(&program, block.from, &start, &[]).unwrap();
                for step in &steps {
                    machine.step(step).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                }
                assert_eq!(machine.location(), block.to, "seed {seed}");
                let expected = live_values(&blocks, &machine);
                assert_eq!(after(&blocks, block, &values), expected, "seed {seed}");
                taken += 1;
            }
        }
    }
    assert!(taken > 2000, "{taken} models");
}

/// What `havoc` gives, and what inputs are tried.
fn choices(sort: &Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => [-1, 0, 2].map(|n| Value::Int(n.into())).to_vec(),
        Sort::Real | Sort::Word(_) | Sort::Named(_) | Sort::Map(_) => {
            unreachable!("tiny programs have integers and Booleans alone")
        }
    }
}

fn all_choices(sorts: &[Sort]) -> Vec<Vec<Value>> {
    sorts.iter().fold(vec![Vec::new()], |chosen, sort| {
        let values = choices(sort);
        let with =
            |chosen: &Vec<Value>, value: &Value| chosen.iter().chain([value]).cloned().collect();
        chosen.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect()
    })
}

/// Where the runs from here come to a location that stays, with the values that matter.
fn arrivals(
    program: &Program,
    blocks: &Blocks,
    start: Machine<'_>,
) -> BTreeSet<(LocationId, Vec<Value>)> {
    let successors = program.successors();
    let mut arrived = BTreeSet::new();
    let mut waiting = vec![start];
    // Locations from which no error is reached may lie on cycles where nothing stays.
    let mut patience = 20_000;
    while let Some(machine) = waiting.pop()
        && patience > 0
    {
        patience -= 1;
        for &edge in &successors[machine.location().0 as usize] {
            let sorts = match &program.edge(edge).statement {
                Statement::Havoc(variables) => {
                    variables.iter().map(|v| program.terms.variable_sort(*v).clone()).collect()
                }
                Statement::Assume(_) | Statement::Assign(_) => Vec::new(),
            };
            for values in all_choices(&sorts) {
                let mut next = machine.clone();
                if next.step(&ProgramStep { edge, values }).is_err() {
                    continue;
                }
                if blocks.live.contains_key(&next.location()) {
                    arrived.insert((next.location(), live_values(blocks, &next)));
                } else {
                    waiting.push(next);
                }
            }
        }
    }
    arrived
}

#[test]
fn a_path_is_a_model_of_a_block() {
    let mut compared = 0;
    for seed in 0..150 {
        let program = ProgramGenerator::program(seed, ProgramShape::TINY);
        let blocks = blocks_of(&program);
        let mut rng = Rng::new(seed);
        // Each location with several values.
        for &from in blocks.locations.iter().cycle().take(4 * blocks.locations.len()) {
            let start: Vec<Value> = program
                .variables
                .iter()
                .map(|&v| random_program_value(&mut rng, program.terms.variable_sort(v), 4))
                .collect();
            let machine = Machine::at(&program, from, &start, &[]).unwrap();
            for (to, expected) in arrivals(&program, &blocks, machine) {
                let mut leaving = blocks.blocks.iter().filter(|b| b.from == from && b.to == to);
                let block = leaving.next().unwrap_or_else(|| panic!("seed {seed}: no block"));
                assert!(leaving.next().is_none(), "seed {seed}: two blocks");
                if block.inputs.len() > 7 {
                    continue;
                }
                let sorts: Vec<Sort> =
                    block.inputs.iter().map(|&v| blocks.terms.variable_sort(v).clone()).collect();
                let is_model = |inputs: Vec<Value>| {
                    let variables = blocks.terms.variables().iter();
                    let mut values: Vec<Value> = variables.map(|v| Value::zero(&v.sort)).collect();
                    for (variable, value) in program.variables.iter().zip(&start) {
                        values[variable.0 as usize] = value.clone();
                    }
                    for (variable, value) in block.inputs.iter().zip(inputs) {
                        values[variable.0 as usize] = value;
                    }
                    holds(&blocks, block.guard, &values)
                        && after(&blocks, block, &values) == expected
                };
                let found = all_choices(&sorts).into_iter().any(is_model);
                assert!(found, "seed {seed}: {from:?} to {to:?} with {expected:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared} arrivals");
}

/// Blocks lead between locations that stay, and speak of what they say they speak of.
#[test]
fn blocks_are_well_formed() {
    for seed in 0..150 {
        let program = ProgramGenerator::program(seed, ProgramShape::INTEGERS);
        let blocks = blocks_of(&program);
        assert!(blocks.locations.contains(&program.entry));
        for block in &blocks.blocks {
            assert!(blocks.locations.contains(&block.from), "seed {seed}");
            assert!(blocks.locations.contains(&block.to), "seed {seed}");
            let own = program.terms.variables().len();
            for variable in blocks.terms.free_variables([block.guard]) {
                let is_own = (variable.0 as usize) < own;
                assert!(is_own || block.inputs.contains(&variable), "seed {seed}");
            }
        }
    }
}
