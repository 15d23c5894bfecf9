//! From blocks to a run: one query about the whole path gives all its values.

use std::time::Duration;

use elinvar_ir::PropertyId;
use elinvar_ir::program::{
    BlockId, Machine, Program, ProgramStep, ProgramTrace, StepError, Term, Value, VariableId,
};
use elinvar_smt::{Model, SmtAnswer, Solver};
use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::shapes::constant;
use super::valuation::Valuation;
use crate::run::Run;

const LIMIT: Duration = Duration::from_secs(60);

/// How many models each solver is asked for.
const MODELS: usize = 4;

/// Why there is no run.
pub enum NoRun {
    /// No values take this path.
    Infeasible,
    Unknown(String),
}

/// What terms of the state before a block, and its inputs, are in terms of the state at
/// the entry and of inputs of this path.
struct Moment {
    guard: Term,
    map: FxHashMap<Term, Term>,
    inputs: FxHashMap<VariableId, VariableId>,
}

/// Values for all that happens on the path.
///
/// Z3's models are not always right: a run that the program does not take is not given
/// out, and other models are asked for instead.
pub fn replay_path(
    graph: &mut Graph,
    program: &Program,
    property: PropertyId,
    path: &[BlockId],
    run: &Run,
) -> Result<ProgramTrace, NoRun> {
    let (moments, guards) = unroll(graph, path);
    let mut failure = None;
    for make in [Solver::with_tactics, Solver::new] {
        let mut solver = make(&graph.context);
        for &guard in &guards {
            solver.assert(&graph.terms, guard);
        }
        for _ in 0..MODELS {
            let (model, why) = match solver.check(&graph.terms, &[], LIMIT) {
                SmtAnswer::Sat(satisfied) => {
                    let model = satisfied.model();
                    match concretize(graph, program, property, path, &moments, model.as_ref()) {
                        Ok(trace) => return Ok(trace),
                        Err(why) => (model, why),
                    }
                }
                SmtAnswer::Unsat(_) if failure.is_none() => return Err(NoRun::Infeasible),
                // No model is left.
                SmtAnswer::Unsat(_) => break,
                SmtAnswer::Unknown(undecided) => {
                    let candidate = undecided.candidate();
                    (candidate, format!("Z3 could not decide it: {}", undecided.reason()))
                }
            };
            failure.get_or_insert(why);
            if run.stop().is_some() {
                break;
            }
            let other = model.and_then(|model| other_values(graph, &guards, &model));
            let Some(other) = other else { break };
            solver.assert(&graph.terms, other);
        }
    }
    Err(NoRun::Unknown(failure.unwrap_or_default()))
}

/// The run of a model, if the program takes it.
fn concretize(
    graph: &mut Graph,
    program: &Program,
    property: PropertyId,
    path: &[BlockId],
    moments: &[Moment],
    model: Option<&Model>,
) -> Result<ProgramTrace, String> {
    let read = moments.iter().flat_map(|moment| moment.map.values().copied());
    let variables = graph.terms.free_variables(read.chain(moments.iter().map(|m| m.guard)));
    let mut state = model
        .and_then(|model| Valuation::of_model(&graph.terms, model, variables))
        .ok_or("a model of Z3 has values that cannot be read")?;
    let mut steps: Vec<ProgramStep> = Vec::new();
    for (&block, moment) in path.iter().zip(moments) {
        let block = graph.block(block).clone();
        let stands = |input: &VariableId| state.variable(&graph.terms, moment.inputs[input]);
        let values: FxHashMap<VariableId, Value> =
            block.inputs.iter().map(|input| (*input, stands(input))).collect();
        let (terms, mut map) = (&mut graph.terms, moment.map.clone());
        steps.extend(block.path(
            program,
            |condition| {
                let now = terms.replace(condition, &mut map);
                state.holds(terms, now)
            },
            |input| values.get(&input).cloned(),
        ));
    }
    let initial = program.variables.iter().map(|&v| state.variable(&graph.terms, v)).collect();
    let (functions, by_zero) = (state.functions().to_vec(), state.by_zero().clone());
    let trace = ProgramTrace { property, initial, functions, by_zero, steps };
    match replays(program, &trace) {
        Ok(true) => Ok(trace),
        Ok(false) | Err(StepError::Blocked | StepError::Elsewhere) => {
            Err("the program does not take the run of Z3's model".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Does the run end in the error?
pub fn replays(program: &Program, trace: &ProgramTrace) -> Result<bool, StepError> {
    let machine = Machine::new(program, &trace.initial, &trace.functions)?;
    let mut machine = machine.with_by_zero(&trace.by_zero);
    for step in &trace.steps {
        machine.step(step)?;
    }
    Ok(machine.location() == program.property(trace.property).error)
}

/// That some number or word differs from its value in the model; `None` if that is
/// impossible.
fn other_values(graph: &mut Graph, guards: &[Term], model: &Model) -> Option<Term> {
    let mut same = Vec::new();
    for variable in graph.terms.free_variables(guards.iter().copied()) {
        let Some(value) = model.variable(&graph.terms, variable) else { continue };
        if let Some(value) = constant(&mut graph.terms, &value) {
            let variable = graph.terms.variable(variable);
            same.push(graph.terms.equal(variable, value));
        }
    }
    let same = graph.terms.and(same);
    let other = graph.terms.not(same);
    (graph.terms.as_bool(other) != Some(false)).then_some(other)
}

fn unroll(graph: &mut Graph, path: &[BlockId]) -> (Vec<Moment>, Vec<Term>) {
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
        let guard = terms.replace(block.guard, &mut map);
        guards.push(guard);
        for (&variable, &value) in &block.update {
            let value = terms.replace(value, &mut map);
            now.insert(variable, value);
        }
        moments.push(Moment { guard, map, inputs });
    }
    (moments, guards)
}
