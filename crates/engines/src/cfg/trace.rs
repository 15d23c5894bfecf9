//! From blocks to a run: one query about the whole path gives all its values.

use std::time::Duration;

use elinvar_ir::program::{
    AssertionId, Program, ProgramStep, ProgramTrace, Term, Value, VariableId,
};
use elinvar_smt::{Answer, Solver};
use rustc_hash::FxHashMap;

use super::graph::{BlockIndex, Graph};
use super::valuation::Valuation;

const LIMIT: Duration = Duration::from_secs(60);

/// Why there is no run.
pub enum NoRun {
    /// No values take this path.
    Infeasible,
    Unknown(String),
}

/// What terms of the state before a block, and its inputs, are in terms of the state at
/// the entry and of inputs of this path.
struct Moment {
    map: FxHashMap<Term, Term>,
    inputs: FxHashMap<VariableId, VariableId>,
}

/// Values for all that happens on the path.
pub fn replay_path(
    graph: &mut Graph,
    program: &Program,
    property: AssertionId,
    path: &[BlockIndex],
) -> Result<ProgramTrace, NoRun> {
    let (moments, guards) = unroll(graph, path);
    let mut solver = Solver::with_tactics(&graph.context);
    for &guard in &guards {
        solver.assert(&graph.terms, guard);
    }
    match solver.check(&graph.terms, &[], LIMIT) {
        Answer::Sat => {}
        Answer::Unsat => return Err(NoRun::Infeasible),
        Answer::Unknown(why) => return Err(NoRun::Unknown(why)),
    }
    let mut read = guards;
    for moment in &moments {
        read.extend(moment.map.values());
    }
    let variables = graph.terms.free_variables(read);
    let mut state = solver
        .model()
        .and_then(|model| Valuation::of_model(&graph.terms, &model, variables))
        .ok_or_else(|| NoRun::Unknown("a model of Z3 has values that cannot be read".into()))?;
    let mut steps: Vec<ProgramStep> = Vec::new();
    for (&block, mut moment) in path.iter().zip(moments) {
        let block = graph.block(block).clone();
        let stands = |input: &VariableId| state.variable(&graph.terms, moment.inputs[input]);
        let values: FxHashMap<VariableId, Value> =
            block.inputs.iter().map(|input| (*input, stands(input))).collect();
        let terms = &mut graph.terms;
        steps.extend(block.path(
            program,
            |condition| {
                let now = terms.replace(condition, &mut moment.map);
                state.holds(terms, now)
            },
            |input| values.get(&input).cloned(),
        ));
    }
    let initial = program.variables.iter().map(|&v| state.variable(&graph.terms, v)).collect();
    Ok(ProgramTrace { property, initial, functions: state.functions().to_vec(), steps })
}

fn unroll(graph: &mut Graph, path: &[BlockIndex]) -> (Vec<Moment>, Vec<Term>) {
    let mut now: FxHashMap<VariableId, Term> = FxHashMap::default();
    let (mut moments, mut guards) = (Vec::new(), Vec::new());
    for &index in path {
        let block = graph.block(index).clone();
        let terms = &mut graph.terms;
        let mut map: FxHashMap<Term, Term> =
            now.iter().map(|(&variable, &value)| (terms.variable(variable), value)).collect();
        let mut inputs = FxHashMap::default();
        for &input in &block.inputs {
            let sort = terms.variable_sort(input).clone();
            let name = terms.name(input).to_owned();
            let fresh = terms.declare(name, sort);
            let value = terms.variable(fresh);
            map.insert(terms.variable(input), value);
            inputs.insert(input, fresh);
        }
        guards.push(terms.replace(block.guard, &mut map));
        for (&variable, &value) in &block.update {
            let value = terms.replace(value, &mut map);
            now.insert(variable, value);
        }
        moments.push(Moment { map, inputs });
    }
    (moments, guards)
}
